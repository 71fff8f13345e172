"""Symmetric matrices: eigenvalues, eigenvectors, Cholesky factors.

A routine for symmetric matrices reads one triangle and takes the other for its mirror image. Its
derivative with respect to a single entry then depends on the reading, and a symmetric gradient
(PyTorch's) does not belong to a function that reads one triangle (PyTorch's too). Here the matrix
is symmetrised first, (a + a.T)/2, as JAX does: value and symmetric gradient then belong
together. With `symmetrize_input=False` one triangle is read, and it alone receives the gradient.
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.ops.declaration import Kink, Refusal, fail, operation, outcome, sample
from vjpcli.ops.keywords import true_or_false
from vjpcli.ops.linear_algebra import solving
from vjpcli.ops.linear_algebra.matrix import (
    for_each_matrix,
    next_to_an_equal,
    reads_matrix_for_matrix,
    require_square,
    union,
)
from vjpcli.ops.shapes import shape
from vjpcli.ops.shapes.ordering import matrix_transpose

SYMMETRIC = [[2, 1, 0.5], [1, 3, -1], [0.5, -1, 5]]
UNSYMMETRIC = [[2, 1, 0.5], [0.4, 3, -1], [0.2, -0.6, 5]]
STACK_OF_SYMMETRIC = [[[2, 1], [1, 3]], [[1, -0.5], [-0.5, 4]]]

SYMMETRIC_SAMPLES = (
    sample(SYMMETRIC),
    sample(UNSYMMETRIC),
    sample(UNSYMMETRIC, symmetrize_input=False),
    sample(STACK_OF_SYMMETRIC),
    sample([[3]]),
    sample((0, 0)),
)
SYMMETRIC_REFUSALS = (
    Refusal(sample((2, 3)), "square-needed"),
    Refusal(sample((3,)), "rank-too-low"),
    Refusal(sample([[1, 0], [0, 2]], symmetrize_input="no"), "keyword-value"),
)
TAKEN_AS_SYMMETRIC = (
    "A is taken as symmetric: all its entries are read, as (A + A.T)/2, and its gradient is "
    "symmetric (JAX; PyTorch and NumPy read the lower triangle, autograd's gradient is triangular)"
)


def symmetric_part(a, UPLO, symmetrize_input):
    """The symmetric matrix that is meant by a."""
    if symmetrize_input:
        return (a + np.swapaxes(a, -1, -2)) / 2
    upper = UPLO == "U"
    triangle = np.triu(a) if upper else np.tril(a)
    strict = np.triu(a, 1) if upper else np.tril(a, -1)
    return triangle + np.swapaxes(strict, -1, -2)


def to_entries_read(gradient, UPLO, symmetrize_input):
    """The gradient of a symmetric matrix, brought to the entries of a that were read."""
    mirrored = matrix_transpose(gradient)
    if symmetrize_input:
        return (gradient + mirrored) / 2
    n = gradient.shape[-1]
    return (gradient + mirrored) * as_node(_triangle_with_half_diagonal(n, UPLO == "U"))


def _triangle_with_half_diagonal(n, upper):
    ones = np.ones((n, n))
    return (np.triu(ones) if upper else np.tril(ones)) - np.eye(n) / 2


def _reading(operation, uplo, symmetrize_input):
    """The static arguments that say what is read, checked.

    Errors: keyword-value.
    """
    if uplo not in ("L", "U", "l", "u"):
        raise fail("keyword-value", f"`UPLO` of {operation} is 'L' or 'U', not {uplo!r}")
    return {
        "UPLO": uplo.upper(),
        "symmetrize_input": true_or_false("symmetrize_input", symmetrize_input),
    }


# --- eigenvalues and eigenvectors

EIGH_SAMPLES = (*SYMMETRIC_SAMPLES, sample(UNSYMMETRIC, UPLO="U", symmetrize_input=False))
EIGH_REFUSALS = (
    *SYMMETRIC_REFUSALS,
    Refusal(sample([[1, 0], [0, 2]], UPLO="X"), "keyword-value"),
)


def _eigenvalues(a, **reading):
    return for_each_matrix(np.linalg.eigvalsh, symmetric_part(a, **reading))


def _eigenvectors(a, **reading):
    return for_each_matrix(np.linalg.eigh, symmetric_part(a, **reading))[1]


@operation(
    _eigenvalues,
    pattern=lambda a, **static: np.broadcast_to(union(a, (-2, -1))[..., np.newaxis], a.shape[:-1]),
    samples=EIGH_SAMPLES,
    refuses=EIGH_REFUSALS,
    convention="eigvalsh: " + TAKEN_AS_SYMMETRIC,
    convention_about=("symmetrize_input",),
    kinks=(
        Kink(
            "eigenvalues are equal",
            lambda y, a, **reading: next_to_an_equal(y),
            slopes=(1, 0),
            used=1,
            point=([[1.0, 0.0], [0.0, 1.0]],),
        ),
    ),
)
def eigvalsh(a, *, UPLO="L", symmetrize_input=True):
    """The eigenvalues of a symmetric matrix, the smallest first.

    Shapes:  a [..., n, n] -> [..., n]
    Kinks:   where eigenvalues meet, their order: each has a kink, their sum has none
    Source:  Giles 2008, An extended collection of matrix derivative results, 3.1: the gradient
             of the i-th eigenvalue is outer(v_i, v_i)
    Example: vjp explain "eigvalsh(A)[0]" A=[[2,1],[1,3]]
    """
    require_square("eigvalsh", a)
    return outcome(a.shape[:-1], **_reading("eigvalsh", UPLO, symmetrize_input))


@eigvalsh.vjp
def _(g, y, a, **reading):
    gradient = _gradient_of_eigenvalues(g, a, reading)  # symmetric as it stands
    return gradient if reading["symmetrize_input"] else to_entries_read(gradient, **reading)


@eigvalsh.vjp_like("autograd")
def _(g, y, a, **reading):
    gradient = _gradient_of_eigenvalues(g, a, reading)
    return to_entries_read(gradient, reading["UPLO"], symmetrize_input=False)


def _gradient_of_eigenvalues(g, a, reading):
    v = eigh_vectors(a, **reading)
    return (v * shape.expand_dims(g, axis=-2)) @ matrix_transpose(v)


@operation(
    _eigenvectors,
    pattern=reads_matrix_for_matrix,
    samples=EIGH_SAMPLES,
    refuses=EIGH_REFUSALS,
)
def eigh_vectors(a, *, UPLO="L", symmetrize_input=True):
    """The eigenvectors of a symmetric matrix as columns, in the order of `eigvalsh`.

    Shapes:  a [..., n, n] -> [..., n, n]
    Kinks:   where eigenvalues are equal, eigenvectors are not determined: the slopes are infinite
             or nan. Their signs are LAPACK's
    Source:  Giles 2008, An extended collection of matrix derivative results, 3.1
    Example: vjp explain "eigh_vectors(A)" A=[[2,1],[1,3]] --seed ones
    """
    require_square("eigh_vectors", a)
    return outcome(a.shape, **_reading("eigh_vectors", UPLO, symmetrize_input))


@eigh_vectors.vjp
def _(g, y, a, **reading):
    n = a.shape[-1]
    w = eigvalsh(a, **reading)
    gaps = shape.expand_dims(w, axis=-2) - shape.expand_dims(w, axis=-1)
    mixed = (matrix_transpose(y) @ g) * inverse_off_diagonal(gaps, n)
    return to_entries_read(y @ mixed @ matrix_transpose(y), **reading)


def inverse_off_diagonal(gaps, n):
    """1/gaps off the diagonal, 0 on it, where the gaps are 0 themselves."""
    identity = as_node(np.eye(n))
    return as_node(1 - np.eye(n)) / (gaps + identity)


@operation(
    several=("eigenvalues", "eigenvectors"),
    samples=EIGH_SAMPLES,
    refuses=EIGH_REFUSALS,
    convention="eigh: " + TAKEN_AS_SYMMETRIC,
    convention_about=("symmetrize_input",),
)
def eigh(a, *, UPLO="L", symmetrize_input=True):
    """The eigenvalues of a symmetric matrix, the smallest first, and its eigenvectors as columns.

    Shapes:  a [..., n, n] -> eigenvalues [..., n], eigenvectors [..., n, n]
    Kinks:   where eigenvalues are equal, the slopes of the eigenvectors are infinite or nan
    Source:  Giles 2008, An extended collection of matrix derivative results, 3.1
    Example: vjp explain "eigh(A)[0]" A=[[2,1],[1,3]] --seed ones
    """
    reading = {"UPLO": UPLO, "symmetrize_input": symmetrize_input}
    return eigvalsh(a, **reading), eigh_vectors(a, **reading)


# --- the Cholesky factor


def _cholesky(a, *, upper, symmetrize_input):
    factor = for_each_matrix(
        np.linalg.cholesky, symmetric_part(a, "U" if upper else "L", symmetrize_input)
    )
    return np.swapaxes(factor, -1, -2) if upper else factor


def _cholesky_reads(a, *, upper=False, **static):
    n = a.shape[-1]
    written = (
        np.triu(np.ones((n, n), dtype=bool)) if upper else np.tril(np.ones((n, n), dtype=bool))
    )
    return np.where(written, reads_matrix_for_matrix(a), 0)


@operation(
    _cholesky,
    pattern=_cholesky_reads,
    samples=(
        *SYMMETRIC_SAMPLES,
        sample(UNSYMMETRIC, upper=True),
        sample(UNSYMMETRIC, upper=True, symmetrize_input=False),
    ),
    refuses=SYMMETRIC_REFUSALS,
    convention="cholesky: " + TAKEN_AS_SYMMETRIC,
    convention_about=("symmetrize_input",),
)
def cholesky(a, *, upper=False, symmetrize_input=True):
    """The triangular factor L with a = L @ L.T (or upper: U with a = U.T @ U).

    Shapes:  a [..., n, n], symmetric and positive definite -> [..., n, n]
    Kinks:   none; nan where a is not positive definite
    Source:  Murray 2016, Differentiation of the Cholesky decomposition, (10)
    Example: vjp explain "cholesky(A)" A=[[4,2],[2,3]] --seed ones
    """
    require_square("cholesky", a)
    return outcome(
        a.shape,
        upper=true_or_false("upper", upper),
        symmetrize_input=true_or_false("symmetrize_input", symmetrize_input),
    )


@cholesky.vjp
def _(g, y, a, *, upper, symmetrize_input):
    factor, received = (matrix_transpose(y), matrix_transpose(g)) if upper else (y, g)
    turned = matrix_transpose(factor)
    half = as_node(_triangle_with_half_diagonal(a.shape[-1], upper=False))
    inside = (turned @ received) * half
    behind = solving.solve(turned, inside, vectors=False)
    gradient = solving.solve(turned, matrix_transpose(behind), vectors=False)
    return to_entries_read(gradient, "U" if upper else "L", symmetrize_input)
