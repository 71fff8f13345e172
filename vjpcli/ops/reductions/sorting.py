"""Ordering: sort, the k largest, the k-th smallest, the most frequent, and their positions.

Each finds positions first, as an index that has no derivative, then reads the entries there:
the adjoint goes back to exactly those places. Equal entries keep their order, and nan counts as
larger than every number, as in PyTorch.
"""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import Kink, Refusal, operation, outcome, sample
from vjpcli.ops.keywords import true_or_false, whole_number
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import selection

ALONG_SAMPLES = (
    sample((4,)),
    sample((2, 3)),
    sample((2, 3), axis=0),
    sample((2, 3, 2), axis=-2),
    sample((1,)),
)


def ordered(x, axis, *, descending=False):
    """Positions of the entries of an array in order along an axis; equal ones keep theirs."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    # Backwards in and backwards out, so that equal entries keep their order here too.
    backwards = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(backwards, axis)


def _ranked(x, *, axis, start, stop, descending):
    order = ordered(x, axis, descending=descending)
    return order[(..., slice(start, stop), *(slice(None),) * (-axis - 1))]


@operation(_ranked, kind="index")
def ranked_positions(x, *, axis=-1, start=0, stop=None, descending=False):
    """Positions of the entries from one rank to another along an axis. It has no derivative.

    Shapes:  x [... n ...] -> [... stop - start ...]
    Kinks:   jumps where the order changes
    Source:  a stable sort
    Example: vjp explain "sum(pick_along(x, ranked_positions(x, stop=2), axis=0))" x=3,1,2
    """
    return _rank_outcome(x, axis, start, stop, descending)


def _rank_outcome(x, axis, start, stop, descending):
    x, axis = reduction.one_axis(x, axis)
    length = x.shape[axis]
    stop = length if stop is None else whole_number("stop", stop, least=0, most=length)
    start = whole_number("start", start, least=0, most=stop)
    shape = list(x.shape)
    shape[axis] = stop - start
    descending = true_or_false("descending", descending)
    return outcome(shape, operands=(x,), axis=axis, start=start, stop=stop, descending=descending)


def _same_as_neighbour(y, x, *, axis, start, stop, descending):
    """Where an entry of the order equals the one before it or the one behind."""
    lane = np.take_along_axis(x, ordered(x, axis, descending=descending), axis)
    lane = np.moveaxis(lane, axis, -1)
    same = np.zeros(lane.shape, dtype=bool)
    same[..., 1:] |= lane[..., 1:] == lane[..., :-1]
    same[..., :-1] |= lane[..., 1:] == lane[..., :-1]
    return np.moveaxis(same[..., start:stop], -1, axis)


def _reads_lane(x, *, axis, start, stop, descending):
    read = np.bitwise_or.reduce(x, axis=axis, keepdims=True)
    return np.repeat(read, stop - start, axis=axis)


@operation(
    lambda x, **static: np.take_along_axis(x, _ranked(x, **static), static["axis"]),
    pattern=_reads_lane,
    samples=(*ALONG_SAMPLES, sample((5,), start=1, stop=3), sample((0,))),
    refuses=(Refusal(sample((3,), start=2, stop=1), "keyword-value"),),
    kinks=(
        Kink(
            "neighbours in the order are equal",
            _same_as_neighbour,
            slopes=(0, 1),
            used=1,
            point=([1.0, 1.0, 2.0],),
        ),
    ),
)
def ranked(x, *, axis=-1, start=0, stop=None, descending=False):
    """The entries from one rank to another along an axis: what `sort` and `topk` are made of.

    Shapes:  x [... n ...] -> [... stop - start ...]
    Kinks:   where an entry equals its neighbour in the order; equal entries keep their order, so
             the first of them takes the adjoint of the first
    Source:  a selection: the adjoint goes to the places that `ranked_positions` names
    Example: vjp explain "ranked(x, stop=2)" x=3,1,2 --seed 1,10
    """
    return _rank_outcome(x, axis, start, stop, descending)


@ranked.vjp
def _(g, y, x, *, axis, start, stop, descending):
    positions = ranked_positions(x, axis=axis, start=start, stop=stop, descending=descending)
    return selection.put_along(g, positions, axis=axis, length=x.shape[axis])


@operation(samples=(sample((2, 3)), sample((2, 3), axis=0, descending=True)))
def argsort(x, *, axis=-1, descending=False, stable=True):
    """Positions of the entries in ascending order along an axis. It has no derivative.

    Shapes:  x [...] -> [...] of positions; axis=None flattens x first
    Kinks:   jumps where the order changes
    Source:  a stable sort; nan comes last
    Example: vjp explain "x[argsort(x)]" x=3,1,2 --seed 1,10,100
    """
    true_or_false("stable", stable)
    return ranked_positions(x, axis=axis, descending=descending)


@operation(
    several=("values", "indices"),
    samples=(*ALONG_SAMPLES, sample((2, 3), axis=0, descending=True), sample((0,))),
    refuses=(
        Refusal(sample((3,), descending="yes"), "keyword-value"),
        Refusal(sample((3,), axis=1), "axis-out-of-range"),
    ),
)
def sort(x, *, axis=-1, descending=False, stable=True):
    """Entries in ascending order along an axis, and where they were.

    Shapes:  x [...] -> (values, indices), each [...]
    Kinks:   where entries are equal; each keeps its place in the order (a stable sort)
    Source:  a permutation: the adjoint is carried back to where the entries came from
    Example: vjp explain "sort(x)" x=3,1,2 --seed 1,10,100
    """
    true_or_false("stable", stable)
    return _ranked_with_positions(x, axis=axis, descending=descending)


@operation(
    library_names={"numpy": ("sort",), "jax": ("sort",)},
    samples=(*ALONG_SAMPLES, sample((2, 3), axis=None)),
)
def sort_values(x, *, axis=-1, descending=False, stable=True):
    """Entries in ascending order along an axis, without their positions: `np.sort`.

    Shapes:  x [...] -> [...]; axis=None flattens x first
    Kinks:   where entries are equal; each keeps its place in the order (a stable sort)
    Source:  see `sort`
    Example: vjp explain "np.sort(x)" x=3,1,2 --seed 1,10,100
    """
    return sort(x, axis=axis, descending=descending, stable=stable)[0]


@operation(samples=(sample((3,)), sample((3, 2))))
def msort(x):
    """Entries in ascending order along the first axis.

    Shapes:  x [...] -> [...]
    Kinks:   where entries are equal; each keeps its place in the order
    Source:  see `sort`
    Example: vjp explain "msort(x)" x=3,1,2 --seed 1,10,100
    """
    return sort_values(x, axis=0)


def _ranked_with_positions(x, **static):
    return ranked(x, **static), ranked_positions(x, **static)


@operation(
    several=("values", "indices"),
    aliases=("top_k",),
    keyword_aliases={"operand": "x"},
    samples=(
        sample((5,), k=2),
        sample((2, 3), k=2, axis=0, largest=False),
        sample((2, 3), k=3),
        sample((3,), k=0),
    ),
    refuses=(
        Refusal(sample((3,), k=4), "keyword-value"),
        Refusal(sample((3,), k=1.5), "keyword-value"),
        Refusal(sample((3,), k=-1), "keyword-value"),
    ),
)
def topk(x, *, k, axis=-1, largest=True, sorted=True):
    """The k largest entries along an axis in descending order, and where they are.

    Shapes:  x [... n ...] -> (values, indices), each [... k ...]; largest=False: the smallest
    Kinks:   where the entries of rank k and k + 1 are equal; the earlier one is taken
    Source:  a selection: the adjoint goes to the entries that were taken
    Example: vjp explain "topk(x, 2)" x=3,1,2 --seed 1,10
    """
    axis = reduction.one_axis(x, axis)[1]
    true_or_false("sorted", sorted)
    descending = true_or_false("largest", largest)
    k = whole_number("k", k, least=0, most=x.shape[axis])
    return _ranked_with_positions(x, axis=axis, stop=k, descending=descending)


@operation(
    several=("values", "indices"),
    samples=(
        sample((5,), k=2),
        sample((2, 3), k=1, axis=0),
        sample((2, 3), k=3, keepdims=True),
    ),
    refuses=(
        Refusal(sample((3,), k=0), "keyword-value"),
        Refusal(sample((3,), k=4), "keyword-value"),
        Refusal(sample((0,), k=1), "empty-reduction"),
    ),
)
def kthvalue(x, *, k, axis=-1, keepdims=False):
    """The k-th smallest entry along an axis, counted from 1, and where it is.

    Shapes:  x [...] -> (values, indices), each [...] without the axis
    Kinks:   where it equals its neighbour in the order; the first in order takes the adjoint
    Source:  a selection: the adjoint goes to the entry that was taken
    Example: vjp explain "kthvalue(x, 2)" x=3,1,2
    """
    axis = reduction.one_axis(x, axis)[1]
    reduction.refuse_empty("kthvalue", x, (axis,))
    k = whole_number("k", k, least=1, most=x.shape[axis])
    keepdims = true_or_false("keepdims", keepdims)
    found = _ranked_with_positions(x, axis=axis, start=k - 1, stop=k)
    return tuple(reduction.drop_axes(one, (axis,), keepdims) for one in found)


def _mode_positions(x, *, axis):
    order = np.moveaxis(ordered(x, axis), axis, -1)
    lanes = np.take_along_axis(np.moveaxis(x, axis, -1), order, -1)
    places = np.arange(lanes.shape[-1])
    starts = np.ones(lanes.shape, dtype=bool)
    starts[..., 1:] = lanes[..., 1:] != lanes[..., :-1]
    run_start = np.maximum.accumulate(np.where(starts, places, 0), axis=-1)
    # The first run of greatest length ends where the count within a run first peaks.
    best = np.argmax(places - run_start, axis=-1)[..., None]
    return np.moveaxis(np.take_along_axis(order, best, -1), -1, axis)


@operation(_mode_positions, kind="index")
def mode_positions(x, *, axis=-1):
    """Position of the most frequent entry along an axis. It has no derivative.

    Shapes:  x [... n ...] -> [... 1 ...]
    Kinks:   jumps where the most frequent entry changes
    Source:  the last of the equal entries (PyTorch); of equally frequent ones the smallest
    Example: vjp explain "x[mode_positions(x)]" x=1,2,2
    """
    x, axis = reduction.one_axis(x, axis)
    reduction.refuse_empty("mode", x, (axis,))
    shape = list(x.shape)
    shape[axis] = 1
    return outcome(shape, operands=(x,), axis=axis)


@operation(
    several=("values", "indices"),
    samples=(sample([1.0, 3.0, 2.0]), sample((2, 3), axis=0, keepdims=True)),
    refuses=(Refusal(sample((0,)), "empty-reduction"),),
)
def mode(x, *, axis=-1, keepdims=False):
    """The most frequent entry along an axis, the smallest of them, and where it is.

    Shapes:  x [...] -> (values, indices), each [...] without the axis
    Kinks:   everywhere that entries are equal; the last of them takes the adjoint (PyTorch)
    Source:  a selection: the adjoint goes to the entry that was taken
    Example: vjp explain "mode(x)" x=1,2,2
    """
    axis = reduction.one_axis(x, axis)[1]
    keepdims = true_or_false("keepdims", keepdims)
    positions = mode_positions(x, axis=axis)
    found = selection.pick_along(x, positions, axis=axis), positions
    return tuple(reduction.drop_axes(one, (axis,), keepdims) for one in found)
