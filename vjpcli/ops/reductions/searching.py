"""Searching and counting: where numbers belong in an order, and how many fall where.

Positions, counts and membership change only in jumps, so no gradient passes; the weights of
`bincount` are added up, and theirs does.
"""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import make_constant
from vjpcli.ops.declaration import Refusal, fail, operation, outcome, sample, shape_text
from vjpcli.ops.keywords import (
    array_shape,
    one_of,
    plain_number,
    position_array,
    positions_within,
    true_or_false,
    whole_number,
)
from vjpcli.ops.numbers import comparison
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import indexing, shape

# --- where numbers belong


def _search(sequence, values, *, side):
    if sequence.ndim == 1:
        return np.searchsorted(sequence, values, side)
    count = math.prod(sequence.shape[:-1])
    lanes = sequence.reshape(count, sequence.shape[-1])
    wanted = values.reshape(count, values.shape[-1])
    found = [np.searchsorted(lane, one, side) for lane, one in zip(lanes, wanted, strict=True)]
    return np.array(found, dtype=np.intp).reshape(values.shape)


@operation(
    _search,
    kind="index",
    keyword_aliases={"sorted_sequence": "sequence", "a": "sequence", "v": "values"},
    argument_order=("sequence", "values", "side", "sorter"),
    decided=("sorter",),
    samples=(
        sample([1.0, 2.0, 3.0], [[2.0, 0.5], [5.0, 2.5]]),
        sample([[1.0, 2.0], [0.5, 3.0]], [[2.0], [0.5]], right=True),
        sample([1.0, 2.0, 3.0], 2.0, side="right"),
        sample([3.0, 1.0, 2.0], [2.5], sorter=(1, 2, 0)),
    ),
    refuses=(
        Refusal(sample((), (2,)), "shape-mismatch"),
        Refusal(sample((2, 3), (4, 3)), "shape-mismatch"),
        Refusal(sample((3,), (2,), side="middle"), "keyword-value"),
        Refusal(sample((3,), (2,), side="left", right=True), "keyword-value"),
        Refusal(sample((3,), (2,), sorter=(0, 1, 3)), "index-out-of-range"),
    ),
)
def searchsorted(sequence, values, *, side=None, right=False, sorter=None, out_int32=False):
    """Where each value would be inserted into an ordered sequence. It has no derivative.

    Shapes:  sequence [n], values [...] -> [...]; sequence [..., n] takes values [..., k]
    Kinks:   jumps at the entries of the sequence
    Source:  a search: before equal entries with side="left", behind them with "right" or
             right=True
    Example: vjp explain "h[searchsorted([1, 2, 3], x)]" x=0.5,2.5 h=10,20,30,40 --wrt h --seed ones
    """
    after = true_or_false("right", right)
    side = (
        ("right" if after else "left") if side is None else one_of("side", side, ("left", "right"))
    )
    if after and side == "left":
        raise fail("keyword-value", "side='left' contradicts right=True")
    fits = sequence.ndim == 1 or (
        sequence.ndim == values.ndim and sequence.shape[:-1] == values.shape[:-1]
    )
    if sequence.ndim == 0 or not fits:
        raise fail(
            "shape-mismatch",
            f"searchsorted cannot look for values of shape {shape_text(values.shape)} in a "
            f"sequence of shape {shape_text(sequence.shape)}",
            notes=("a sequence [n] takes any values; one [..., n] takes values [..., k]",),
        )
    if sorter is not None:
        order = positions_within("sorter", sorter, sequence.shape[-1], sequence.ndim - 1)
        if order.shape != sequence.shape or sequence.ndim != 1:
            raise fail(
                "shape-mismatch", "sorter orders a sequence [n], one position for each entry"
            )
        sequence = indexing.index(sequence, index=(order,))
    return outcome(values.shape, operands=(sequence, values), side=side)


@operation(
    keyword_aliases={"input": "x"},
    samples=(sample([2.0, 2.5], [1.0, 2.0, 3.0]), sample(2.0, [1.0, 2.0], right=True)),
    refuses=(Refusal(sample((2,), (2, 3)), "shape-mismatch"),),
)
def bucketize(x, boundaries, *, right=False, out_int32=False):
    """The number of the bucket between boundaries that each entry falls into. No derivative.

    Shapes:  x [...], boundaries [n] in ascending order -> [...]
    Kinks:   jumps at the boundaries
    Source:  `searchsorted`; a boundary belongs to the bucket below it, with right=True above
    Example: vjp explain "h[bucketize(x, [1, 2])]" x=0.5,2.5 h=10,20,30 --wrt h --seed ones
    """
    if boundaries.ndim != 1:
        raise fail("shape-mismatch", f"boundaries are a vector, not {shape_text(boundaries.shape)}")
    return searchsorted(boundaries, x, right=right)


def _digitize(x, bins, *, right):
    steps = np.diff(bins)
    if not (np.all(steps >= 0) or np.all(steps <= 0)):
        raise fail("keyword-value", "bins of digitize go up or down from each to the next")
    return np.digitize(x, bins, right)


@operation(
    _digitize,
    kind="index",
    samples=(
        sample([2.0, 2.5], [1.0, 2.0, 3.0]),
        sample([2.0, 0.5], [3.0, 2.0, 1.0], right=True),
    ),
    refuses=(Refusal(sample((2,), (2, 3)), "shape-mismatch"),),
)
def digitize(x, bins, *, right=False):
    """The number of the bin that each entry falls into (NumPy). It has no derivative.

    Shapes:  x [...], bins [n] in ascending or descending order -> [...]
    Kinks:   jumps at the edges
    Source:  np.digitize: an edge belongs to the bin above it, with right=True to the one below;
             torch.bucketize has it the other way round
    Example: vjp explain "h[np.digitize(x, [1, 2])]" x=0.5,2.5 h=10,20,30 --wrt h --seed ones
    """
    if bins.ndim != 1:
        raise fail("shape-mismatch", f"bins are a vector, not {shape_text(bins.shape)}")
    return outcome(x.shape, right=true_or_false("right", right))


# --- membership and equality of whole arrays


@operation(
    lambda x, among, *, invert: np.isin(x, among, invert=invert),
    kind="condition",
    keyword_aliases={"elements": "x", "element": "x", "test_elements": "among", "ar1": "x"},
    samples=(sample([1.0, 2.0, 2.0], [2.0, 5.0]), sample([[1.0, 2.0]], 2.0, invert=True)),
    refuses=(Refusal(sample((2,), (2,), invert="no"), "keyword-value"),),
)
def isin(x, among, *, assume_unique=False, invert=False):
    """Whether each entry is one of several numbers. A condition: it has no derivative.

    Shapes:  x [...], among [...] -> [...] of True and False, in the shape of x
    Kinks:   jumps where an entry equals one of them
    Source:  IEEE 754 comparison; nan equals nothing
    Example: vjp explain "where(isin(t, [1, 3]), x, 0)" x=5,6,7 t=1,2,3 --wrt x --seed ones
    """
    true_or_false("assume_unique", assume_unique)
    return outcome(x.shape, invert=true_or_false("invert", invert))


@operation(
    library_names={"torch": ("equal",)},
    convention="equal: compares whole arrays (PyTorch; np.equal and == compare entries)",
    convention_about=(),
    samples=(sample([1.0, 2.0], [1.0, 2.0]), sample((2,), (3,))),
    refuses=(Refusal(sample((2,), (2,), equal_nan="no"), "keyword-value"),),
)
def array_equal(a, b, *, equal_nan=False):
    """Whether two arrays have one shape and the same entries: torch.equal, np.array_equal.

    Shapes:  a [...], b [...] -> [], True or False; == compares entry by entry
    Kinks:   jumps where the last difference vanishes
    Source:  IEEE 754 comparison; nan equals nothing unless equal_nan=True
    Example: vjp explain "where(torch.equal(x, t), x, 2*x)" x=1,2 t=1,3 --wrt x --seed ones
    """
    with_nan = true_or_false("equal_nan", equal_nan)
    if a.shape != b.shape:
        return make_constant(np.array(False))
    same = comparison.equal(a, b)
    if with_nan:
        same = same | (comparison.isnan(a) & comparison.isnan(b))
    return reduction.all(same)


@operation(
    samples=(sample((2, 3), (3,)), sample([1.0], [1.0 + 1e-9])),
    refuses=(Refusal(sample((2,), (2,), rtol=-1), "keyword-value"),),
)
def allclose(a, b, *, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether |a - b| <= atol + rtol*|b| everywhere. A condition: it has no derivative.

    Shapes:  a [...], b [...] (broadcast) -> [], True or False
    Kinks:   jumps where the two sides are equal
    Source:  `isclose`
    Example: vjp explain "where(allclose(x, t), x, 2*x)" x=1,2 t=1,3 --wrt x --seed ones
    """
    return reduction.all(comparison.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan))


@operation(samples=(sample((1,)), sample(())), refuses=(Refusal(sample((2,)), "shape-mismatch"),))
def is_nonzero(x):
    """Whether a single number is not 0. A condition: it has no derivative.

    Shapes:  x [] or one entry -> [], True or False
    Kinks:   jumps at 0
    Source:  IEEE 754 comparison
    Example: vjp explain "where(is_nonzero(t), x, 2*x)" x=1,2 t=3 --wrt x --seed ones
    """
    if x.size != 1:
        raise fail(
            "shape-mismatch", f"is_nonzero takes one number, not shape {shape_text(x.shape)}"
        )
    return comparison.not_equal(shape.reshape(x, shape=()), 0)


@operation(samples=(sample((2,)),))
def isreal(x):
    """Whether entries are real, which all are. A condition: it has no derivative.

    Shapes:  x [...] -> [...] of True
    Kinks:   none
    Source:  a constant
    Example: vjp explain "where(isreal(x), x, 0)" x=1,2 --seed ones
    """
    return make_constant(np.broadcast_to(True, array_shape(x.shape)))


# --- counts


def _histogram(x, *, bins, min, max):
    low, high = min, max
    if low == high:
        # All entries decide, as in PyTorch; where they are equal, one unit on each side.
        low, high = (np.min(x), np.max(x)) if x.size else (0.0, 0.0)
        if low == high:
            low, high = low - 1, high + 1
    if not (np.isfinite(low) and np.isfinite(high)):
        raise fail("keyword-value", f"histc needs a finite range, not {low:g} to {high:g}")
    inside = x[(x >= low) & (x <= high)]
    places = ((inside - low) / (high - low) * bins).astype(np.intp)
    return np.bincount(np.minimum(places, bins - 1), minlength=bins)


@operation(
    _histogram,
    kind="index",
    samples=(sample([1.0, 2.0, 1.0], bins=4, min=0, max=3), sample((2, 3), bins=2)),
    refuses=(
        Refusal(sample((3,), bins=0), "keyword-value"),
        Refusal(sample((3,), bins=10**12), "too-large"),
        Refusal(sample((3,), min=2, max=1), "keyword-value"),
    ),
)
def histc(x, *, bins=100, min=0, max=0):
    """How many entries fall into each of `bins` equal parts of a range. It has no derivative.

    Shapes:  x [...] -> [bins]; without min and max the range is that of the entries
    Kinks:   jumps where an entry crosses from one part to the next
    Source:  torch.histc; what lies outside counts nowhere
    Example: vjp explain "sum(h * histc(x, 2, 0, 4))" x=1,3,3 h=10,20 --wrt h
    """
    bins = whole_number("bins", bins, least=1)
    array_shape(bins)
    low, high = plain_number("min", min), plain_number("max", max)
    if not low <= high:
        raise fail(
            "keyword-value", f"the range of histc ends before it begins: {low:g} to {high:g}"
        )
    return outcome((bins,), bins=bins, min=low, max=high)


@operation(
    argument_order=("x", "weights", "minlength"),
    keyword_aliases={"length": "minlength"},
    decided=("x",),
    samples=(sample((3,), x=(1, 1, 3)), sample((3,), x=(1, 0, 3), minlength=6)),
    refuses=(
        Refusal(sample(x=(1, -1)), "keyword-value"),
        Refusal(sample(x=(1, 0.5)), "index-not-whole"),
        Refusal(sample(x=((1, 2),)), "rank-too-high"),
        Refusal(sample((3,), x=(1, 2)), "shape-mismatch"),
        Refusal(sample(x=(10**12,)), "too-large"),
    ),
)
def bincount(weights=None, *, x, minlength=0):
    """How often each whole number from 0 on occurs; with weights, the sum of theirs.

    Shapes:  x [n] of whole numbers, weights [n] -> [largest + 1], or minlength if that is more
    Kinks:   none in the weights; no gradient reaches x
    Source:  a sum: each weight receives the adjoint of its number. PyTorch has no gradient here
    Example: vjp explain "bincount([0, 2, 0], w)" w=1,2,3 --seed 1,10,100
    """
    numbers = position_array("x", x)
    if numbers.ndim != 1:
        raise fail(
            "rank-too-high", f"bincount takes a vector, not shape {shape_text(numbers.shape)}"
        )
    if np.any(numbers < 0):
        raise fail("keyword-value", "bincount counts whole numbers from 0 on, none below")
    least = whole_number("minlength", minlength, least=0)
    (length,) = array_shape(max(int(numbers.max(initial=-1)) + 1, least))
    if weights is None:
        return make_constant(np.bincount(numbers, minlength=length))
    if weights.shape != numbers.shape:
        raise fail(
            "shape-mismatch",
            f"bincount takes one weight for each of {numbers.size} numbers, not weights of shape "
            f"{shape_text(weights.shape)}",
        )
    return indexing.add_into(weights, index=(numbers,), shape=(length,))
