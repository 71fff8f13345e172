"""Inverses and linear systems.

A singular matrix has no inverse. NumPy and PyTorch stop there; here the value is infinite (nan
where it is not even that), so that an explanation can go on and say where it came from.
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.graph.shapes import shape_mismatch
from vjpcli.ops.declaration import Refusal, fail, operation, outcome, sample
from vjpcli.ops.keywords import one_of, plain_number, true_or_false, whole_number
from vjpcli.ops.linear_algebra import determinant, singular
from vjpcli.ops.linear_algebra.matrix import (
    for_each_matrix,
    reads_matrix_for_matrix,
    require_matrix,
    require_square,
    symmetrised,
    union,
)
from vjpcli.ops.linear_algebra.products import matmul_shape, outer_of_stacks
from vjpcli.ops.numbers import comparison
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes.ordering import matrix_transpose

WELL_CONDITIONED = [[3, 1, 0.5], [-1, 2, 1], [0.2, 0.4, -2]]

# --- the inverse


def _sign_of_zero_determinant(a):
    """0.0 or -0.0: the determinant of a singular matrix as elimination with pivoting leaves it.

    It decides the sign of the infinities, as it does in PyTorch.
    """
    left = np.array(a)
    zero = 0.0
    for column in range(len(left)):
        pivot = column + int(np.argmax(np.abs(left[column:, column])))
        if pivot != column:
            left[[column, pivot]] = left[[pivot, column]]
            zero = -zero
        if left[column, column] == 0:
            continue
        if left[column, column] < 0:
            zero = -zero
        factors = left[column + 1 :, column] / left[column, column]
        left[column + 1 :] -= np.outer(factors, left[column])
    return zero


def _singular_inverse(a):
    cofactors = determinant.matrix_of_cofactors(a.real)
    with np.errstate(all="ignore"):
        return (cofactors.T / a.real.dtype.type(_sign_of_zero_determinant(a.real))).astype(a.dtype)


def _inv(a):
    return for_each_matrix(np.linalg.inv, a, fallback=_singular_inverse)


@operation(
    _inv,
    pattern=reads_matrix_for_matrix,
    aliases=("inverse",),
    samples=(
        sample([[2, 1], [0, 4]]),
        sample(WELL_CONDITIONED),
        sample([[[2, 1], [0, 4]], [[1, 2], [3, -1]]]),
        sample([[-3]]),
        sample((0, 0)),
    ),
    refuses=(
        Refusal(sample((2, 3)), "square-needed"),
        Refusal(sample((3,)), "rank-too-low"),
    ),
    analytic=True,
)
def inv(a):
    """The inverse of a square matrix.

    Shapes:  a [..., n, n] -> [..., n, n]
    Kinks:   a pole where a is singular: the value is infinite there, or nan
    Source:  Giles 2008, An extended collection of matrix derivative results, 2.2.3
    Example: vjp explain "trace(inv(A))" A=[[2,1],[0,4]]
    """
    require_square("inv", a)
    return outcome(a.shape)


@inv.vjp
def _(g, y, a):
    transposed = matrix_transpose(y)
    return -(transposed @ g @ transposed)


@operation(
    lambda a, *, rtol: for_each_matrix(lambda m: _pinv(m, rtol), a),
    pattern=lambda a, **static: np.swapaxes(reads_matrix_for_matrix(a), -1, -2),
    aliases=("pinverse",),
    keyword_aliases={"rcond": "rtol"},
    samples=(
        sample([[1, 2], [3, -4], [5, 6]]),
        sample([[1, 2, 0.5], [3, -4, 1]]),
        sample([[2, 1], [0, 4]]),
        sample([[[1, 2], [3, -4], [5, 6]], [[0, 1], [1, 1], [-2, 1]]]),
        sample([[2, 1]], rtol=1e-6),
    ),
    refuses=(
        Refusal(sample((3,)), "rank-too-low"),
        Refusal(sample((2, 2), rtol="small"), "keyword-value"),
    ),
)
def pinv(a, *, rtol=None, hermitian=False):
    """The pseudo-inverse (Moore-Penrose); singular values below rtol times the largest count as 0.

    Shapes:  a [..., n, m] -> [..., m, n]
    Kinks:   jumps where the rank of a changes
    Source:  Golub and Pereyra 1973, The differentiation of pseudo-inverses, (4.12)
    Example: vjp explain "sum(pinv(A))" A=[[1,2],[3,4],[5,7]]
    """
    require_matrix("pinv", a)
    if true_or_false("hermitian", hermitian):
        return pinv(symmetrised("pinv", a), rtol=rtol)
    rtol = None if rtol is None else plain_number("rtol", rtol)
    return outcome((*a.shape[:-2], a.shape[-1], a.shape[-2]), rtol=rtol)


def _pinv(a, rtol):
    rtol = _rank_tolerance(a) if rtol is None else rtol
    return for_each_matrix(lambda matrix: np.linalg.pinv(matrix, rcond=rtol), a)


def _rank_tolerance(a):
    return max(a.shape[-2:]) * np.finfo(a.dtype).eps


@pinv.vjp
def _(g, y, a, *, rtol):
    y_transposed, g_transposed = matrix_transpose(y), matrix_transpose(g)
    left = g_transposed @ y @ y_transposed
    right = y_transposed @ y @ g_transposed
    return -(y_transposed @ g @ y_transposed) + (left - a @ (y @ left)) + (right - right @ y @ a)


# --- linear systems


def _are_vectors(a, b, vectors):
    """Whether the right-hand side b, a node or an array, is a vector or a stack of them."""
    if vectors is None:
        vectors = b.ndim == a.ndim - 1 and b.shape == a.shape[:-1]
    return vectors or b.ndim == 1


def _solve(a, b, *, vectors=None):
    vectors = _are_vectors(a, b, vectors)
    right = b[..., np.newaxis] if vectors else b
    x = for_each_matrix(np.linalg.solve, a, right, fallback=lambda a, b: _singular_inverse(a) @ b)
    return x[..., 0] if vectors else x


def _solve_reads(a, b, *, vectors=None):
    vectors = _are_vectors(a, b, vectors)
    matrices = union(a, (-2, -1))
    if vectors:
        return np.broadcast_to(
            matrices[..., np.newaxis] | union(b, -1, keepdims=True),
            (*np.broadcast_shapes(a.shape[:-2], b.shape[:-1]), b.shape[-1]),
        )
    return np.broadcast_to(
        matrices[..., np.newaxis, np.newaxis] | union(b, -2, keepdims=True),
        np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + b.shape[-2:],
    )


@operation(
    _solve,
    pattern=_solve_reads,
    library_defaults={"numpy": {"vectors": False}, "jax": {"vectors": False}},
    samples=(
        sample([[2, 1], [1, 3]], (2,)),
        sample(WELL_CONDITIONED, (3, 2)),
        sample([[[2, 1], [1, 3]], [[1, 2], [3, -1]]], (2, 2)),
        sample([[[2, 1], [1, 3]], [[1, 2], [3, -1]]], (2, 2), vectors=False),
        sample([[[2, 1], [1, 3]], [[1, 2], [3, -1]]], (2,)),
        sample(WELL_CONDITIONED, (2, 3), vectors=True),
        sample(WELL_CONDITIONED, (2, 3), left=False),
        sample([[-3]], (1,)),
        sample((0, 0), (0,)),
    ),
    refuses=(
        Refusal(sample((2, 2), (3,)), "shape-mismatch"),
        Refusal(sample((2, 3), (2,)), "square-needed"),
        Refusal(sample((2, 2), ()), "scalar-operand"),
    ),
    analytic=True,
)
def solve(a, b, *, left=True, vectors=None):
    """The solution x of the linear system a @ x = b, one for each column of b.

    b is a vector if it has one axis, or the axes of a but one (a stack of vectors, PyTorch);
    `vectors` decides it. With `left=False` the system is x @ a = b.

    Shapes:  a [..., n, n], b [n] or [..., n, m] -> as b
    Kinks:   a pole where a is singular: the value is infinite there, or nan
    Source:  Giles 2008, An extended collection of matrix derivative results, 2.3.1
    Example: vjp explain "sum(solve(A, b))" A=[[2,1],[1,3]] b=3,5
    """
    require_square("solve", a)
    if b.ndim == 0:
        raise fail("scalar-operand", "solve needs a vector or a matrix on the right-hand side")
    if vectors is not None:
        true_or_false("vectors", vectors)
    vectors = _are_vectors(a, b, vectors)
    if not true_or_false("left", left):
        turned = b if vectors else matrix_transpose(b)
        x = solve(matrix_transpose(a), turned, vectors=vectors)
        return x if vectors else matrix_transpose(x)
    n = a.shape[-1]
    length = b.shape[-1] if vectors else b.shape[-2]
    if length != n:
        raise shape_mismatch(
            "solve", a.shape, b.shape, why=f"{n} equations, but {length} right-hand sides"
        )
    stack_of_b, right = (b.shape[:-1], b.shape[-1:]) if vectors else (b.shape[:-2], b.shape[-2:])
    try:
        stack = np.broadcast_shapes(a.shape[:-2], stack_of_b)
    except ValueError:
        raise shape_mismatch("solve", a.shape, b.shape) from None
    if vectors == _are_vectors(a, b, None):  # it goes without saying, and need not be shown
        return outcome(stack + right)
    return outcome(stack + right, vectors=vectors)


@solve.vjp
def _(g, y, a, b, *, vectors=None):
    vectors = _are_vectors(a, b, vectors)
    for_b = solve(matrix_transpose(a), g, vectors=vectors)
    if vectors:
        return -outer_of_stacks(for_b, y), for_b
    return -(for_b @ matrix_transpose(y)), for_b


def triangle(a, upper, unit):
    """One triangle of a, the rest 0; with `unit` the diagonal is not read and counts as 1."""
    n = a.shape[-1]
    read = np.triu(np.ones((n, n), dtype=bool), int(unit))
    part = comparison.where(as_node(read if upper else read.T), a, 0)
    return part + as_node(np.eye(n)) if unit else part


@operation(
    keyword_aliases={"unit_diagonal": "unitriangular"},
    samples=(
        sample(WELL_CONDITIONED, (3, 2)),
        sample(WELL_CONDITIONED, (3,), upper=False),
        sample(WELL_CONDITIONED, (3,), lower=True, unitriangular=True),
        sample(WELL_CONDITIONED, (2, 3), left=False),
        sample(WELL_CONDITIONED, (3,), lower=True, trans=1),
        sample(WELL_CONDITIONED, (3,), trans="T", unitriangular=True),
    ),
    refuses=(
        Refusal(sample((2, 2), (3,)), "shape-mismatch"),
        Refusal(sample((2, 2), (2,), trans="H"), "keyword-value"),
        Refusal(sample((2, 3), (2,)), "square-needed"),
        Refusal(sample((2, 2), (2,), upper=True, lower=True), "contradicting-arguments"),
    ),
)
def solve_triangular(a, b, *, upper=None, lower=None, left=True, unitriangular=False, trans=0):
    """The solution x of a @ x = b, where only one triangle of a is read: the upper by default.

    Shapes:  a [..., n, n], b [n] or [..., n, m] -> as b; trans=1 or 'T' solves a.T @ x = b
    Kinks:   a pole where a diagonal entry is 0
    Source:  torch.linalg.solve_triangular, scipy.linalg.solve_triangular; as `solve`
    Example: vjp explain "solve_triangular(A, b, upper=True)" A=[[2,1],[0,4]] b=3,8 --seed ones
    """
    require_square("solve_triangular", a)
    if upper is not None and lower is not None and bool(upper) == bool(lower):
        raise fail(
            "contradicting-arguments", "solve_triangular reads the upper or the lower triangle"
        )
    takes_upper = not lower if upper is None else true_or_false("upper", upper)
    unit = true_or_false("unitriangular", unitriangular)
    part = triangle(a, takes_upper, unit)
    return solve(matrix_transpose(part) if _is_transposed(trans) else part, b, left=left)


def _is_transposed(trans):
    """Whether SciPy's `trans` asks for the transposed system.

    Errors: keyword-value.
    """
    if isinstance(trans, str):
        return one_of("trans", trans, ("N", "T", "C")) != "N"
    return whole_number("trans", trans, least=0, most=2) > 0


@operation(
    samples=(
        sample((3, 2), WELL_CONDITIONED),
        sample((3, 2), WELL_CONDITIONED, upper=False),
        sample((3, 2), WELL_CONDITIONED, transpose=True),
    ),
    several=("solution", "cloned_coefficient"),
    refuses=(Refusal(sample((2, 2), (2, 3)), "square-needed"),),
)
def triangular_solve(b, a, *, upper=True, transpose=False, unitriangular=False):
    """The solution of a triangular system in PyTorch's old argument order, and its matrix.

    Shapes:  b [..., n, m], a [..., n, n] -> solution [..., n, m], cloned_coefficient [..., n, n]
    Kinks:   a pole where a diagonal entry is 0
    Source:  torch.triangular_solve; as `solve`
    Example: vjp explain "triangular_solve(b, A)[0]" A=[[2,1],[0,4]] b=[[3],[8]] --seed ones
    """
    require_square("triangular_solve", a)
    upper = true_or_false("upper", upper)
    part = triangle(a, upper, true_or_false("unitriangular", unitriangular))
    turned = true_or_false("transpose", transpose)
    return solve(matrix_transpose(part) if turned else part, b), a


@operation(
    samples=(
        sample((3, 2), WELL_CONDITIONED),
        sample((3, 2), WELL_CONDITIONED, upper=True),
        sample((3,), WELL_CONDITIONED),
    ),
    refuses=(Refusal(sample((2, 2), (2, 3)), "square-needed"),),
)
def cholesky_solve(b, factor, *, upper=False):
    """The solution x of a @ x = b from the Cholesky factor of a: factor @ factor.T = a.

    Shapes:  b [n] or [..., n, m], factor [..., n, n] -> as b
    Kinks:   a pole where a diagonal entry of the factor is 0
    Source:  torch.cholesky_solve; two triangular systems
    Example: vjp explain "cholesky_solve(b, L)" L=[[2,0],[1,4]] b=[[3],[8]] --seed ones
    """
    require_square("cholesky_solve", factor)
    upper = true_or_false("upper", upper)
    part = triangle(factor, upper, unit=False)
    lower = matrix_transpose(part) if upper else part
    return solve(matrix_transpose(lower), solve(lower, b))


@operation(
    samples=(sample(WELL_CONDITIONED), sample(WELL_CONDITIONED, upper=True)),
    refuses=(Refusal(sample((2, 3)), "square-needed"),),
)
def cholesky_inverse(factor, *, upper=False):
    """The inverse of a matrix from its Cholesky factor.

    Shapes:  factor [..., n, n] -> [..., n, n]
    Kinks:   a pole where a diagonal entry of the factor is 0
    Source:  torch.cholesky_inverse; two triangular systems
    Example: vjp explain "cholesky_inverse(L)" L=[[2,0],[1,4]] --seed ones
    """
    require_square("cholesky_inverse", factor)
    return cholesky_solve(as_node(np.eye(factor.shape[-1])), factor, upper=upper)


@operation(
    several=("solution", "residuals", "rank", "singular_values"),
    keyword_aliases={"rtol": "rcond"},
    samples=(
        sample([[1, 2], [3, -4], [5, 6]], (3,)),
        sample([[1, 2], [3, -4], [5, 6]], (3, 2)),
        sample([[1, 2, 0.5], [3, -4, 1]], (2,)),
    ),
    refuses=(
        Refusal(sample((3, 2), (2,)), "shape-mismatch"),
        Refusal(sample((3,), (3,)), "rank-too-low"),
    ),
)
def lstsq(a, b, *, rcond=None):
    """The least-squares solution of a @ x = b, of smallest norm where there are several.

    Shapes:  a [n, m], b [n] or [n, k] -> solution [m] or [m, k], residuals (sums of squares; none
             unless n > m), rank, singular_values
    Kinks:   jumps where the rank of a changes
    Source:  x = pinv(a) @ b
    Example: vjp explain "lstsq(A, b).solution" A=[[1,0],[1,1],[1,2]] b=1,2,4 --seed ones
    """
    require_matrix("lstsq", a)
    inverse = pinv(a, rtol=rcond)
    matmul_shape("lstsq", inverse, b)
    solution = inverse @ b
    rows, columns = a.shape[-2:]
    if rows > columns:
        axis = -1 if b.ndim == 1 else -2
        residuals = reduction.sum((b - a @ solution) ** 2, axis=axis)
    else:
        residuals = as_node(np.zeros(0))
    return solution, residuals, singular.matrix_rank(a), singular.svdvals(a)
