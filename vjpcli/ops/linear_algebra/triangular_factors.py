"""The LU decomposition: a row order, a lower and an upper triangle, and systems solved by them.

The order of the rows is found first, by value: it changes only in jumps and has no derivative.
What is left is elimination without a choice. Only the square part of a matrix is eliminated; the
rows below it and the columns beside it follow by triangular systems, and so does their rule.
"""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.ops.declaration import Refusal, fail, operation, outcome, sample
from vjpcli.ops.keywords import true_or_false, whole_number
from vjpcli.ops.linear_algebra import solving
from vjpcli.ops.linear_algebra.matrix import require_matrix, require_square, union
from vjpcli.ops.numbers import comparison
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import indexing, joining
from vjpcli.ops.shapes.ordering import matrix_transpose

SQUARE = [[1, 2, 0.5], [4, -1, 2], [-2, 3, 1]]
TALL = [[1, 2], [3, -4], [5, 6]]
WIDE = [[1, 2, 0.5], [3, -4, 1]]
STACK = [[[1, 2], [3, -4]], [[0.7, 1], [-2, 1]]]
LU_SAMPLES = (sample(SQUARE), sample(TALL), sample(WIDE), sample(STACK), sample([[-3]]))
LU_REFUSALS = (Refusal(sample((3,)), "rank-too-low"), Refusal(sample(()), "rank-too-low"))


# --- elimination


def _pivots(a):
    """The row, counted from 0, that each step of elimination with pivoting exchanges."""
    rows, columns = a.shape[-2:]
    steps = min(rows, columns)
    left = np.array(a.reshape(math.prod(a.shape[:-2]), rows, columns).real)
    found = np.empty((len(left), steps), dtype=np.intp)
    every = np.arange(len(left))
    for step in range(steps):
        chosen = step + np.argmax(np.abs(left[:, step:, step]), axis=1)
        found[:, step] = chosen
        left[every, step], left[every, chosen] = left[every, chosen], left[every, step].copy()
        with np.errstate(all="ignore"):
            factors = left[:, step + 1 :, step] / left[:, step, None, step]
        factors = np.where(left[:, step, None, step] == 0, 0, factors)
        left[:, step + 1 :] -= factors[:, :, None] * left[:, None, step, :]
    return found.reshape((*a.shape[:-2], steps))


def _row_order(pivots, rows):
    """Which row of the matrix each row of the triangles came from."""
    steps = pivots.shape[-1]
    flat = pivots.reshape(math.prod(pivots.shape[:-1]), steps)
    order = np.tile(np.arange(rows), (len(flat), 1))
    every = np.arange(len(flat))
    for step in range(steps):
        chosen = flat[:, step]
        order[every, step], order[every, chosen] = order[every, chosen], order[every, step].copy()
    return order.reshape((*pivots.shape[:-1], rows))


def _permutation(pivots, *, rows, count_from):
    places = np.asarray(np.real(pivots))
    whole = np.round(np.where(np.isfinite(places), places, count_from)).astype(np.intp) - count_from
    order = _row_order(np.clip(whole, 0, rows - 1), rows)
    # Column i holds the 1 in the row that row i came from: a = P @ L @ U.
    kind = places.dtype if places.dtype.kind == "f" else np.float64
    return (np.arange(rows)[:, None] == order[..., None, :]).astype(kind)


@operation(
    lambda a, *, count_from: _pivots(a) + count_from,
    kind="index",
    samples=(sample(SQUARE, count_from=1),),
    refuses=LU_REFUSALS,
)
def lu_pivots(a, *, count_from=0):
    """The row that each step of elimination with pivoting exchanges with. It has no derivative.

    Shapes:  a [..., n, m] -> [..., min(n, m)]
    Kinks:   jumps where two candidates are equally far from 0
    Source:  LAPACK getrf: the first of the entries that are farthest from 0
    Example: vjp explain "lu_factor(A).pivots" A=[[1,2],[3,4]] --seed ones
    """
    require_matrix("lu", a)
    count_from = whole_number("count_from", count_from, least=0, most=1)
    return outcome((*a.shape[:-2], min(a.shape[-2:])), count_from=count_from)


@operation(
    _permutation,
    pattern=lambda pivots, *, rows, count_from: np.broadcast_to(
        union(pivots, -1)[..., np.newaxis, np.newaxis], (*pivots.shape[:-1], rows, rows)
    ),
    flat=True,
    samples=(sample([3, 2, 3], rows=3, count_from=1), sample([1], rows=2)),
    refuses=(Refusal(sample((), rows=2), "rank-too-low"),),
)
def permutation_of_pivots(pivots, *, rows, count_from=0):
    """The permutation matrix P that row exchanges add up to: a = P @ L @ U. Flat.

    Shapes:  pivots [..., k] -> [..., rows, rows]
    Kinks:   jumps
    Source:  the exchanges, one after the other
    Example: vjp explain "torch.linalg.lu(A).P @ x" A=[[1,2],[3,4]] x=1,10 --wrt x --seed ones
    """
    if pivots.ndim == 0:
        raise fail("rank-too-low", "pivots are a vector, and this is a number")
    rows = whole_number("rows", rows, least=pivots.shape[-1])
    count_from = whole_number("count_from", count_from, least=0, most=1)
    return outcome((*pivots.shape[:-1], rows, rows), rows=rows, count_from=count_from)


@permutation_of_pivots.vjp
def _(g, y, pivots, *, rows, count_from):
    return (None,)


def _eliminated(a):
    left = np.array(a)
    for step in range(a.shape[-1]):
        with np.errstate(all="ignore"):
            factors = left[..., step + 1 :, step] / left[..., step, None, step]
        # A column of zeros has nothing to eliminate.
        factors = np.where(left[..., step + 1 :, step] == 0, 0, factors)
        left[..., step + 1 :, step] = factors
        left[..., step + 1 :, step + 1 :] -= (
            factors[..., :, None] * left[..., None, step, step + 1 :]
        )
    return left


def _eliminated_reads(a):
    """Entry (i, j) reads what stands above and to the left, up to row i and column j."""
    return np.bitwise_or.accumulate(np.bitwise_or.accumulate(a, axis=-1), axis=-2)


@operation(
    _eliminated,
    pattern=_eliminated_reads,
    samples=(sample(SQUARE), sample(STACK), sample([[-3]]), sample((0, 0))),
    refuses=(Refusal(sample((2, 3)), "square-needed"), Refusal(sample((3,)), "rank-too-low")),
    analytic=True,
)
def lu_without_pivots(a):
    """Elimination without exchanges: U on and above the diagonal, L below, whose diagonal is 1.

    Shapes:  a [..., n, n] -> [..., n, n]
    Kinks:   a pole where a leading square part is singular
    Source:  Walter and Lehmann 2018, Algorithmic differentiation of linear algebra functions, LU:
             a receives inv(L).T (below(L.T g) + above(g U.T)) inv(U).T
    Example: vjp explain "lu_without_pivots(A)" A=[[4,2],[2,3]] --seed ones
    """
    require_square("lu_without_pivots", a)
    return outcome(a.shape)


@lu_without_pivots.vjp
def _(g, y, a):
    lower, upper = triangles(y)
    inside = below_diagonal(matrix_transpose(lower) @ g)
    inside = inside + on_and_above(g @ matrix_transpose(upper))
    left = solving.solve(matrix_transpose(lower), inside, vectors=False)
    return matrix_transpose(solving.solve(upper, matrix_transpose(left), vectors=False))


def below_diagonal(x):
    """x with zeros on and above the diagonal."""
    mask = np.tril(np.ones(x.shape[-2:], dtype=bool), -1)
    return comparison.where(as_node(mask), x, 0)


def on_and_above(x):
    """x with zeros below the diagonal."""
    return comparison.where(as_node(np.triu(np.ones(x.shape[-2:], dtype=bool))), x, 0)


def triangles(compact):
    """L [..., n, k] with ones on its diagonal and U [..., k, m] of what holds both."""
    rows, columns = compact.shape[-2:]
    inner = min(rows, columns)
    left = indexing.index(compact, index=(Ellipsis, slice(0, inner)))
    above = indexing.index(compact, index=(Ellipsis, slice(0, inner), slice(None)))
    return below_diagonal(left) + as_node(np.eye(rows, inner)), on_and_above(above)


def _compact(a):
    """L and U of a matrix whose rows are in their order, in one matrix of its shape."""
    rows, columns = a.shape[-2:]
    inner = min(rows, columns)
    if rows == columns:
        return lu_without_pivots(a)

    def part(row, column):
        return indexing.index(a, index=(Ellipsis, row, column))

    first, behind = slice(0, inner), slice(inner, None)
    square = lu_without_pivots(part(first, first))
    lower, upper = triangles(square)
    if rows < columns:
        beside = solving.solve(lower, part(first, behind), vectors=False)
        return joining.concatenate(square, beside, axis=-1)
    turned = matrix_transpose(part(behind, first))
    below = solving.solve(matrix_transpose(upper), turned, vectors=False)
    return joining.concatenate(square, matrix_transpose(below), axis=-2)


def permutation_of(a):
    """The permutation matrix P of the LU decomposition a = P @ L @ U."""
    return permutation_of_pivots(lu_pivots(a), rows=a.shape[-2])


def compact_factors(a, pivot=True):
    """L and U of a in one matrix, after the exchange of rows unless `pivot` is False."""
    return _compact(matrix_transpose(permutation_of(a)) @ a if pivot else a)


# --- the decomposition


@operation(
    several=("P", "L", "U"),
    library_names={"torch": ("linalg.lu",)},
    samples=(*LU_SAMPLES, sample(SQUARE, pivot=False), sample(TALL, permute_l=True)),
    refuses=(*LU_REFUSALS, Refusal(sample((2, 2), pivot="no"), "keyword-value")),
)
def lu(a, *, pivot=True, permute_l=False):
    """The LU decomposition with exchange of rows: a = P @ L @ U.

    Shapes:  a [..., n, m] -> P [..., n, n], L [..., n, k], U [..., k, m], k = min(n, m); with
             permute_l=True (SciPy) P @ L and U; with pivot=False (PyTorch) P is empty
    Kinks:   where two candidates for a pivot are equally far from 0 the decomposition jumps; a
             pole where the first k columns are linearly dependent
    Source:  Walter and Lehmann 2018, Algorithmic differentiation of linear algebra functions, LU
    Example: vjp explain "torch.linalg.lu(A).U" A=[[1,2],[3,4]] --seed ones
    """
    require_matrix("lu", a)
    pivot = true_or_false("pivot", pivot)
    lower, upper = triangles(compact_factors(a, pivot))
    if not pivot:
        return as_node(np.zeros(0)), lower, upper
    if true_or_false("permute_l", permute_l):
        return permutation_of(a) @ lower, upper
    return permutation_of(a), lower, upper


FIRST_ROW = {"numpy": {"count_from": 0}, "jax": {"count_from": 0}}


@operation(
    several=("LU", "pivots"),
    library_names={"torch": ("lu",)},
    library_defaults=FIRST_ROW,
    samples=(sample(SQUARE), sample(WIDE, count_from=0), sample(STACK, pivot=False)),
    refuses=LU_REFUSALS,
)
def lu_factor(a, *, pivot=True, count_from=1):
    """The LU decomposition in one matrix, and the rows that were exchanged, for `lu_solve`.

    Shapes:  a [..., n, m] -> LU [..., n, m]: U on and above the diagonal, L below; pivots
             [..., min(n, m)], rows counted from 1 in PyTorch, from 0 in SciPy and JAX
    Kinks:   those of `lu`; pivots have no derivative
    Source:  see `lu`
    Example: vjp explain "lu_factor(A).LU" A=[[1,2],[3,4]] --seed ones
    """
    require_matrix("lu_factor", a)
    if true_or_false("pivot", pivot):
        return compact_factors(a), lu_pivots(a, count_from=count_from)
    steps = np.arange(min(a.shape[-2:])) + whole_number("count_from", count_from, least=0, most=1)
    return _compact(a), as_node(np.broadcast_to(steps, (*a.shape[:-2], steps.size)))


@operation(
    several=("LU", "pivots", "permutation"),
    library_names={"jax": ("lax.linalg.lu",)},
    samples=(sample(SQUARE), sample(WIDE)),
    refuses=LU_REFUSALS,
)
def lax_lu(a):
    """The LU decomposition in one matrix, the rows exchanged, and the order they end in.

    Shapes:  a [..., n, m] -> LU [..., n, m], pivots [..., min(n, m)], permutation [..., n]
    Kinks:   those of `lu`; positions have no derivative
    Source:  jax.lax.linalg.lu; see `lu`
    Example: vjp explain "lax.linalg.lu(A)[0]" A=[[1,2],[3,4]] --seed ones
    """
    compact, pivots = lu_factor(a, count_from=0)
    rows = as_node(np.arange(float(a.shape[-2])))
    return compact, pivots, rows @ permutation_of(a)


@operation(
    several=("LU", "pivots", "info"),
    samples=(sample(SQUARE),),
    refuses=LU_REFUSALS,
)
def lu_factor_ex(a, *, pivot=True):
    """The LU decomposition in one matrix, the rows that were exchanged, and whether it succeeded.

    Shapes:  a [..., n, m] -> LU [..., n, m], pivots [..., min(n, m)], info [...]: 0, or the step
             at which a pivot is 0
    Kinks:   those of `lu`; pivots and info have no derivative
    Source:  see `lu`
    Example: vjp explain "torch.linalg.lu_factor_ex(A).LU" A=[[1,2],[3,4]] --seed ones
    """
    compact, pivots = lu_factor(a, pivot=pivot)
    _, upper = triangles(compact)
    inner = min(a.shape[-2:])
    steps = as_node(np.arange(1.0, inner + 1))
    diagonal = reduction.sum(upper * as_node(np.eye(*upper.shape[-2:])), axis=-1)
    step = comparison.where(comparison.equal(diagonal, 0), steps, inner + 1)
    first = (
        reduction.sum(step, axis=-1) * 0 + inner + 1
        if inner == 0
        else comparison.minimum(_least(step), inner + 1)
    )
    return compact, pivots, comparison.where(comparison.greater(first, inner), 0.0, first)


def _least(x):
    found = indexing.index(x, index=(Ellipsis, 0))
    for place in range(1, x.shape[-1]):
        found = comparison.minimum(found, indexing.index(x, index=(Ellipsis, place)))
    return found


@operation(
    several=("P", "L", "U"),
    keyword_aliases={"LU_data": "factors", "LU_pivots": "pivots"},
    samples=(sample(SQUARE, [3, 2, 3]), sample(TALL, [2, 3]), sample(WIDE, [2, 2])),
    refuses=(Refusal(sample((2,), (2,)), "rank-too-low"),),
)
def lu_unpack(factors, pivots, *, unpack_data=True, unpack_pivots=True):
    """P, L and U of what `lu_factor` gives.

    Shapes:  factors [..., n, m], pivots [..., k] -> P [..., n, n], L [..., n, k], U [..., k, m]
    Kinks:   none; no gradient reaches the pivots
    Source:  a rearrangement: each triangle receives its own part of the adjoint
    Example: vjp explain "F, p = lu_factor(A); lu_unpack(F, p)[2]" A=[[1,2],[3,4]] --seed ones
    """
    require_matrix("lu_unpack", factors)
    permutation = permutation_of_pivots(pivots, rows=factors.shape[-2], count_from=1)
    nothing = as_node(np.zeros(0))
    if not true_or_false("unpack_pivots", unpack_pivots):
        permutation = nothing
    if not true_or_false("unpack_data", unpack_data):
        return permutation, nothing, nothing
    return permutation, *triangles(factors)
