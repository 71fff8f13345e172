"""Eigenvalues and eigenvectors of any square matrix, where they are real.

A matrix that is not symmetric may have complex eigenvalues. Which it has is found out with its
present value: complex ones are refused by name, real ones have a gradient like any other number.
For symmetric matrices `eigh` and `eigvalsh` are exact and give them in order.
"""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import Refusal, fail, operation, outcome, sample
from vjpcli.ops.linear_algebra import solving
from vjpcli.ops.linear_algebra.matrix import (
    for_each_matrix,
    reads_matrix_for_matrix,
    require_square,
    union,
)
from vjpcli.ops.linear_algebra.symmetric import inverse_off_diagonal
from vjpcli.ops.shapes import indexing, shape
from vjpcli.ops.shapes.ordering import matrix_transpose

REAL = [[2.0, 1.0, 0.5], [0.3, -1.0, 0.2], [0.1, 0.4, 4.0]]
REAL_STACK = [[[2.0, 1.0], [0.5, -1.0]], [[1.0, 0.4], [3.0, 2.5]]]
TURNING = [[0.0, -1.0], [1.0, 0.0]]


def _real_part(numbers):
    """Real numbers as they are; nan for each matrix where one is not real."""
    if np.isrealobj(numbers):
        return numbers
    return np.where(numbers.imag == 0, numbers.real, np.nan)


def _eigenvalues(a):
    return for_each_matrix(lambda one: _real_part(np.linalg.eigvals(one)), a)


def _eigenvectors(a):
    return for_each_matrix(lambda one: _real_part(np.linalg.eig(one)[1]), a)


@operation(
    _eigenvalues,
    pattern=lambda a: np.broadcast_to(union(a, (-2, -1))[..., np.newaxis], a.shape[:-1]),
    samples=(sample(REAL), sample(REAL_STACK), sample([[3.0]])),
    refuses=(Refusal(sample((2, 3)), "square-needed"), Refusal(sample((3,)), "rank-too-low")),
)
def real_eigenvalues(a):
    """The eigenvalues of a square matrix, all of them real, in LAPACK's order.

    Shapes:  a [..., n, n] -> [..., n]
    Kinks:   where eigenvalues meet; there they may leave the real numbers, and are nan
    Source:  Magnus 1985, On differentiating eigenvalues and eigenvectors: with the eigenvectors V
             the gradient is inv(V).T diag(g) V.T
    Example: vjp explain "eigvals(A)" A=[[2,1],[0.5,-1]] --seed 1,0
    """
    require_square("eigvals", a)
    return outcome(a.shape[:-1])


@real_eigenvalues.vjp
def _(g, y, a):
    turned = matrix_transpose(real_eigenvectors(a))
    return solving.solve(turned, shape.expand_dims(g, axis=-1) * turned, vectors=False)


@operation(
    _eigenvectors,
    pattern=reads_matrix_for_matrix,
    samples=(sample(REAL), sample(REAL_STACK), sample([[3.0]])),
    refuses=(Refusal(sample((2, 3)), "square-needed"), Refusal(sample((3,)), "rank-too-low")),
)
def real_eigenvectors(a):
    """The eigenvectors of a square matrix as columns of length 1, in the order of the eigenvalues.

    Shapes:  a [..., n, n] -> [..., n, n]
    Kinks:   where eigenvalues are equal, the slopes are infinite or nan. The signs are LAPACK's
    Source:  Magnus 1985, On differentiating eigenvalues and eigenvectors, with each column held
             at length 1 (PyTorch, NumPy, JAX)
    Example: vjp explain "eig(A).eigenvectors" A=[[2,1],[0.5,-1]] --seed ones
    """
    require_square("eig", a)
    return outcome(a.shape)


@real_eigenvectors.vjp
def _(g, y, a):
    n = a.shape[-1]
    w = real_eigenvalues(a)
    gaps = shape.expand_dims(w, axis=-2) - shape.expand_dims(w, axis=-1)
    turned = matrix_transpose(y)
    inside = turned @ g
    along = shape.expand_dims(_diagonal_of(inside, n), axis=-2)
    mixed = (inside - (turned @ y) * along) * inverse_off_diagonal(gaps, n)
    return solving.solve(turned, mixed @ turned, vectors=False)


def _diagonal_of(x, n):
    places = np.arange(n)
    return indexing.index(x, index=(Ellipsis, places, places))


def _refuse_complex(now):
    """Refuses a matrix some of whose eigenvalues are not real, and names them.

    Errors: complex-result.
    """
    if now is None or not np.isfinite(now).all():
        return
    found = np.linalg.eigvals(np.asarray(now, dtype=np.float64)).reshape(-1)
    odd = found[np.imag(found) != 0]
    if odd.size:
        shown = ", ".join(f"{one.real:.4g}{one.imag:+.4g}j" for one in odd[:4])
        more = f" and {odd.size - 4} more" if odd.size > 4 else ""
        raise fail(
            "complex-result",
            f"this matrix has the complex eigenvalues {shown}{more}, and numbers here are real",
            notes=("a symmetric matrix has real ones: eigvalsh or eigh",),
        )


EIG_SAMPLES = (sample(REAL, now=np.array(REAL)), sample(REAL_STACK, now=np.array(REAL_STACK)))
EIG_REFUSALS = (
    Refusal(sample((2, 3), now=np.zeros((2, 3))), "square-needed"),
    Refusal(sample(TURNING, now=np.array(TURNING)), "complex-result"),
)


@operation(present={"a": "now"}, samples=EIG_SAMPLES, refuses=EIG_REFUSALS)
def eigvals(a, *, now=None):
    """The eigenvalues of a square matrix, where all are real, in LAPACK's order.

    Shapes:  a [..., n, n] -> [..., n]
    Kinks:   where eigenvalues meet; complex ones are refused
    Source:  Magnus 1985, On differentiating eigenvalues and eigenvectors
    Example: vjp explain "eigvals(A)" A=[[2,1],[0.5,-1]] --seed 1,0
    """
    require_square("eigvals", a)
    _refuse_complex(now)
    return real_eigenvalues(a)


@operation(
    present={"a": "now"},
    several=("eigenvalues", "eigenvectors"),
    samples=EIG_SAMPLES,
    refuses=EIG_REFUSALS,
)
def eig(a, *, now=None):
    """The eigenvalues of a square matrix, where all are real, and its eigenvectors as columns.

    Each eigenvector has length 1; its sign is LAPACK's.

    Shapes:  a [..., n, n] -> eigenvalues [..., n], eigenvectors [..., n, n]
    Kinks:   where eigenvalues meet; complex ones are refused
    Source:  Magnus 1985, On differentiating eigenvalues and eigenvectors
    Example: vjp explain "eig(A).eigenvalues" A=[[2,1],[0.5,-1]] --seed 1,0
    """
    require_square("eig", a)
    _refuse_complex(now)
    return real_eigenvalues(a), real_eigenvectors(a)
