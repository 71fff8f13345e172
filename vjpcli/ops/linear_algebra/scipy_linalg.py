"""Linear algebra in SciPy's words, where they mean something else than NumPy's or PyTorch's.

`scipy.linalg.cholesky` gives the upper factor, `jax.lax.linalg.eigh` the eigenvectors first: the
same name, another order.
"""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import Refusal, fail, operation, sample
from vjpcli.ops.keywords import one_of, true_or_false
from vjpcli.ops.linear_algebra import orthogonal, solving, symmetric
from vjpcli.ops.linear_algebra.matrix import require_square
from vjpcli.ops.shapes.ordering import matrix_transpose

SYMMETRIC = [[2, 1, 0.5], [1, 3, -1], [0.5, -1, 5]]
SQUARE = [[2, 1], [-1, 4]]


def _in_scipy(name):
    return dict.fromkeys(("numpy", "jax"), (f"scipy.linalg.{name}",))


@operation(
    library_names=_in_scipy("cholesky"),
    samples=(sample(SYMMETRIC), sample(SYMMETRIC, lower=True)),
    refuses=(Refusal(sample((2, 3)), "square-needed"),),
    convention="cholesky: SciPy gives the upper factor U with U.T @ U = A, unless lower=True",
    convention_about=("lower",),
)
def scipy_cholesky(a, *, lower=False):
    """The triangular factor U with a = U.T @ U, or L with a = L @ L.T if lower: SciPy's default.

    Shapes:  a [..., n, n], symmetric and positive definite -> [..., n, n]
    Kinks:   none; nan where a is not positive definite
    Source:  see `cholesky`
    Example: vjp explain "scipy.linalg.cholesky(A)" A=[[4,2],[2,3]] --seed ones
    """
    return symmetric.cholesky(a, upper=not true_or_false("lower", lower))


@operation(
    library_names=_in_scipy("eigh"),
    several=("eigenvalues", "eigenvectors"),
    samples=(
        sample(SYMMETRIC),
        sample(SYMMETRIC, eigvals_only=True),
        sample(SYMMETRIC, lower=False),
    ),
    refuses=(
        Refusal(sample((2, 3)), "square-needed"),
        Refusal(sample(SQUARE, eigvals_only="yes"), "keyword-value"),
    ),
)
def scipy_eigh(a, *, lower=True, eigvals_only=False):
    """The eigenvalues of a symmetric matrix, the smallest first, and its eigenvectors as columns.

    Shapes:  a [..., n, n] -> eigenvalues [..., n], eigenvectors [..., n, n]; with
             eigvals_only=True the eigenvalues
    Kinks:   those of `eigh`
    Source:  see `eigh`
    Example: vjp explain "scipy.linalg.eigh(A, eigvals_only=True)" A=[[2,1],[1,3]] --seed ones
    """
    true_or_false("lower", lower)
    if true_or_false("eigvals_only", eigvals_only):
        return symmetric.eigvalsh(a)
    return symmetric.eigh(a)


@operation(
    library_names={"jax": ("lax.linalg.eigh",)},
    several=("eigenvectors", "eigenvalues"),
    samples=(sample(SYMMETRIC), sample(SYMMETRIC, symmetrize_input=False)),
    refuses=(Refusal(sample((2, 3)), "square-needed"),),
)
def lax_eigh(a, *, lower=True, symmetrize_input=True, sort_eigenvalues=True):
    """The eigenvectors of a symmetric matrix as columns, then its eigenvalues: jax.lax's order.

    Shapes:  a [..., n, n] -> eigenvectors [..., n, n], eigenvalues [..., n]
    Kinks:   those of `eigh`
    Source:  see `eigh`
    Example: vjp explain "lax.linalg.eigh(A)[1]" A=[[2,1],[1,3]] --seed ones
    """
    uplo = "L" if true_or_false("lower", lower) else "U"
    true_or_false("sort_eigenvalues", sort_eigenvalues)
    values, vectors = symmetric.eigh(a, UPLO=uplo, symmetrize_input=symmetrize_input)
    return vectors, values


@operation(
    library_names=_in_scipy("qr"),
    several=("Q", "R"),
    samples=(
        sample([[1, 2], [3, -4], [5, 6]], mode="economic"),
        sample(SQUARE),
        sample(SQUARE, mode="r"),
    ),
    refuses=(
        Refusal(sample((3, 2)), "arbitrary-vectors"),
        Refusal(sample((2, 2), pivoting=True), "keyword-value"),
        Refusal(sample((2, 2), mode="reduced"), "keyword-value"),
    ),
)
def scipy_qr(a, *, mode="full", pivoting=False):
    """The QR decomposition in SciPy's modes: 'full', 'economic' or 'r'.

    Shapes:  a [n, m] -> Q [n, k], R [k, m], k = min(n, m) in mode 'economic'; mode='r' gives R
    Kinks:   those of `qr`
    Source:  see `qr`
    Example: vjp explain "scipy.linalg.qr(A, mode='economic')[1]" A=[[3,1],[4,2]] --seed ones
    """
    if true_or_false("pivoting", pivoting):
        raise fail("keyword-value", "`pivoting` of qr is False here: columns keep their order")
    modes = {"full": "complete", "economic": "reduced", "r": "r"}
    mode = modes[one_of("mode", mode, tuple(modes))]
    if mode == "r" and a.ndim > 1 and a.shape[-2] > a.shape[-1]:
        mode = "complete"  # whose R has rows of zeros
    return orthogonal.qr(a, mode=mode)


@operation(
    library_names=_in_scipy("solve"),
    argument_order=("a", "b", "lower"),
    present={"a": "now"},
    samples=(
        sample(SQUARE, (2,), now=np.array(SQUARE)),
        sample(SYMMETRIC, (3, 2), assume_a="pos", now=np.array(SYMMETRIC)),
        sample(SQUARE, (2,), transposed=True, now=np.array(SQUARE)),
    ),
    refuses=(
        Refusal(sample(SQUARE, (2,), assume_a="sym", now=np.array(SQUARE)), "not-symmetric"),
        Refusal(sample(SQUARE, (2,), assume_a="round", now=np.array(SQUARE)), "keyword-value"),
        Refusal(sample(SQUARE, (3,), now=np.array(SQUARE)), "shape-mismatch"),
    ),
)
def scipy_solve(a, b, *, lower=False, assume_a=None, transposed=False, now=None):
    """The solution x of a @ x = b, in SciPy's words.

    Shapes:  a [n, n], b [n] or [n, m] -> as b; transposed=True solves a.T @ x = b
    Kinks:   a pole where a is singular
    Source:  see `solve`; what is assumed of a changes how x is found, not x
    Example: vjp explain "scipy.linalg.solve(A, b)" A=[[2,1],[1,3]] b=3,5 --seed ones
    """
    require_square("solve", a)
    true_or_false("lower", lower)
    kinds = {"gen": "general", "general": "general", "sym": "symmetric", "symmetric": "symmetric"}
    kinds |= {"pos": "symmetric", "positive definite": "symmetric", "her": "symmetric"}
    kinds |= {"hermitian": "symmetric"}
    kind = "general" if assume_a is None else kinds[one_of("assume_a", assume_a, tuple(kinds))]
    mirrored = now is None or np.allclose(now, np.swapaxes(now, -1, -2), equal_nan=True)
    if kind == "symmetric" and not mirrored:
        raise fail(
            "not-symmetric",
            f"assume_a={assume_a!r} takes a matrix for symmetric, and this one is not",
            notes=("SciPy would read one triangle; leave assume_a out to read all of it",),
        )
    system = matrix_transpose(a) if true_or_false("transposed", transposed) else a
    return solving.solve(system, b, vectors=b.ndim == 1)


@operation(
    library_names={"jax": ("lax.linalg.triangular_solve",)},
    samples=(
        sample([[2, 0.5], [0.3, 4]], (2, 3), left_side=True, lower=True),
        sample([[2, 0.5], [0.3, 4]], (3, 2)),
        sample([[2, 0.5], [0.3, 4]], (2, 3), left_side=True, transpose_a=True, unit_diagonal=True),
    ),
    refuses=(Refusal(sample((2, 3), (2, 2)), "square-needed"),),
)
def lax_triangular_solve(
    a,
    b,
    *,
    left_side=False,
    lower=False,
    transpose_a=False,
    conjugate_a=False,
    unit_diagonal=False,
):
    """The solution of a triangular system in jax.lax's words: x @ a = b unless left_side.

    Shapes:  a [..., n, n], b [..., n, m] or [..., m, n] -> as b
    Kinks:   a pole where a diagonal entry is 0
    Source:  see `solve_triangular`
    Example: vjp explain "lax.linalg.triangular_solve(A, b)" A=[[2,1],[0,4]] b=[[3,8]] --seed ones
    """
    require_square("triangular_solve", a)
    true_or_false("conjugate_a", conjugate_a)
    part = solving.triangle(
        a, not true_or_false("lower", lower), true_or_false("unit_diagonal", unit_diagonal)
    )
    system = matrix_transpose(part) if true_or_false("transpose_a", transpose_a) else part
    return solving.solve(system, b, left=true_or_false("left_side", left_side), vectors=False)
