"""Ranks: positions of what is nonzero, of an order by several keys, of a part of the order.

Positions change only in jumps: no gradient reaches what they are found by.
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import as_node, make_constant
from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    sample,
    trailing_axis,
)
from vjpcli.ops.keywords import (
    condition_mask,
    position_array,
)
from vjpcli.ops.numbers import comparison
from vjpcli.ops.reductions import extreme, reduction, sorting


@operation(decided=("x",), refuses=(Refusal(sample(x="no"), "not-a-mask"),))
def flatnonzero(*, x):
    """Positions of the entries of the flattened array that are not 0. Decided by value.

    Shapes:  x [...] -> [number of nonzero entries]
    Kinks:   none; no gradient reaches x
    Source:  np.flatnonzero; positions change only in jumps
    Example: vjp explain "x[np.flatnonzero(x > 1)]" x=1,2,3 --seed 1,10
    """
    return make_constant(np.flatnonzero(condition_mask("x", x)))


@operation(
    decided=("keys",),
    refuses=(
        Refusal(sample(keys=((1, 2), (3,))), "ragged-rows"),
        Refusal(sample(keys=3), "rank-too-low"),
        Refusal(sample(keys=(1, 2), axis=1), "axis-out-of-range"),
    ),
)
def lexsort(*, keys, axis=-1):
    """Positions that sort by several keys, the last of them first. Decided by value.

    Shapes:  keys [k, ... n ...] -> [... n ...]
    Kinks:   jumps where the order changes; no gradient reaches the keys
    Source:  np.lexsort
    Example: vjp explain "x[np.lexsort((x, [1, 0, 0]))]" x=3,1,2 --seed 1,10,100
    """
    try:
        array = np.asarray(keys, dtype=np.float64)
    except ValueError:
        raise fail("ragged-rows", "the keys of lexsort have different lengths") from None
    if array.ndim == 0:
        raise fail("rank-too-low", "lexsort takes several keys: np.lexsort((second, first))")
    if array.ndim == 1:
        array = array[np.newaxis]  # a single key
    trailing_axis(as_node(array[0]), axis)
    return make_constant(np.lexsort(array, axis=int(axis)))


PARTITION_SAMPLES = (sample((5,), kth=2), sample((2, 4), kth=-1, axis=0), sample((2, 3), kth=1))
PARTITION_REFUSED = (
    Refusal(sample((3,), kth=3), "index-out-of-range"),
    Refusal(sample((3,), kth=0.5), "index-not-whole"),
)


def _require_rank_inside(x, kth, axis):
    x, axis = reduction.one_axis(x, axis)
    places = position_array("kth", kth)
    length = x.shape[axis]
    outside = places[(places < -length) | (places >= length)]
    if outside.size:
        raise fail("index-out-of-range", f"there is no rank {int(outside.flat[0])} of {length}")


@operation(
    samples=PARTITION_SAMPLES,
    refuses=PARTITION_REFUSED,
    library_names={"numpy": ("partition",), "jax": ("partition",)},
)
def partition(x, *, kth, axis=-1):
    """The entries in an order in which the one of rank kth stands in its place: here, all sorted.

    NumPy leaves the order before and behind that place to chance; ascending order is one of those
    that it may give.

    Shapes:  x [... n ...] -> [... n ...]
    Kinks:   where entries are equal
    Source:  `sort`, a permutation: the adjoint is carried back to where the entries came from
    Example: vjp explain "np.partition(x, 1)[1]" x=3,1,2
    """
    _require_rank_inside(x, kth, axis)
    return sorting.sort(x, axis=axis)[0]


@operation(samples=PARTITION_SAMPLES, refuses=PARTITION_REFUSED)
def argpartition(x, *, kth, axis=-1):
    """Positions that bring the entry of rank kth to its place: here, all in ascending order.

    Shapes:  x [... n ...] -> [... n ...] of positions
    Kinks:   jumps where the order changes; it has no derivative
    Source:  `argsort`
    Example: vjp explain "x[np.argpartition(x, 1)[1]]" x=3,1,2
    """
    _require_rank_inside(x, kth, axis)
    return sorting.argsort(x, axis=axis)


def _arg_of_numbers(search, worst, x, axis, keepdims):
    return search(comparison.where(comparison.isnan(x), worst, x), axis=axis, keepdims=keepdims)


NAN_ARG_SAMPLES = (sample([1.0, np.nan, 3.0]),)
NAN_ARG_REFUSED = (Refusal(sample((0,)), "empty-reduction"),)


@operation(samples=NAN_ARG_SAMPLES, refuses=NAN_ARG_REFUSED)
def nanargmax(x, *, axis=None, keepdims=False):
    """Position of the largest entry that is not nan, the first of equal ones.

    Shapes:  x [...] -> scalar, a position in the flattened x; with an axis [...] without it
    Kinks:   jumps where the largest entry changes; it has no derivative
    Source:  a search
    Example: vjp explain "x[np.nanargmax(x)]**2" x=1,nan,5
    """
    return _arg_of_numbers(extreme.argmax, -np.inf, x, axis, keepdims)


@operation(samples=NAN_ARG_SAMPLES, refuses=NAN_ARG_REFUSED)
def nanargmin(x, *, axis=None, keepdims=False):
    """Position of the smallest entry that is not nan, the first of equal ones.

    Shapes:  x [...] -> scalar, a position in the flattened x; with an axis [...] without it
    Kinks:   jumps where the smallest entry changes; it has no derivative
    Source:  a search
    Example: vjp explain "x[np.nanargmin(x)]**2" x=1,nan,-5
    """
    return _arg_of_numbers(extreme.argmin, np.inf, x, axis, keepdims)
