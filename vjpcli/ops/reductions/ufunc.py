"""What NumPy's functions of two entries offer behind a dot: np.add.reduce, np.multiply.outer.

The function is known by the name before the dot. Where a reduction or scan of this language does
the same, it is that one; every other function is applied entry after entry, as NumPy applies it.
"""

from __future__ import annotations

from vjpcli.graph.operation import OPERATIONS, as_node
from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    sample,
    shape_text,
    trailing_axes,
    trailing_axis,
)
from vjpcli.ops.keywords import plain_number, position_array
from vjpcli.ops.reductions import chosen, extreme, reduction, running, scan
from vjpcli.ops.shapes import indexing, joining, shape

REDUCTIONS = {
    "add": reduction.sum,
    "multiply": reduction.prod,
    "maximum": extreme.amax,
    "minimum": extreme.amin,
}
REDUCTIONS_WITHOUT_START = {
    "logaddexp": reduction.logsumexp,
    "logical_and": reduction.all,
    "logical_or": reduction.any,
}
NEUTRAL = {"logaddexp": float("-inf")}
SCANS = {"add": scan.cumsum, "multiply": scan.cumprod, "logaddexp": scan.logcumsumexp}

MOST_STEPS = 1_000
"""Entries along an axis above which a function is not applied one after the other."""


def _function(name):
    """The operation on two entries that stood before the dot.

    Errors: keyword-value.
    """
    operation = OPERATIONS.get(name) if isinstance(name, str) else None
    if operation is not None and operation.takes_two_entries:
        return operation
    raise fail("keyword-value", f"`function` is a function of two entries, not {name!r}")


def _slices(name, x, axis):
    """The slices of x along an axis, one after the other.

    Errors: too-large.
    """
    if x.shape[axis] > MOST_STEPS:
        raise fail(
            "too-large",
            f"{name} along {x.shape[axis]} entries would be as many steps; "
            f"the limit is {MOST_STEPS}",
        )
    return [indexing.read_along(x, place, axis) for place in range(x.shape[axis])]


@operation(
    decided=("where",),
    samples=(
        sample((2, 3), function="add"),
        sample((2, 3), function="multiply", axis=1, keepdims=True),
        sample((2, 3), function="maximum", axis=None),
        sample((3,), function="subtract"),
        sample([[4.0, 2.0], [3.0, 1.5]], function="divide", axis=1),
        sample((3,), function="logaddexp"),
        sample((3,), function="logaddexp", initial=0.5),
        sample((3, 2), function="hypot", keepdims=True),
        sample((2, 3), function="add", where=[True, False, True], initial=2.0),
    ),
    refuses=(
        Refusal(sample((0,), function="subtract"), "empty-reduction"),
        Refusal(sample((3, 2), function="divide", axis=(0, 1)), "axes-count"),
        Refusal(sample((1001,), function="hypot"), "too-large"),
        Refusal(sample((3,), function="subtract", where=[True, False, True]), "keyword-value"),
        Refusal(sample((), function="add"), "axis-out-of-range"),
    ),
)
def ufunc_reduce(x, *, function, axis=0, keepdims=False, initial=None, where=None):
    """A function of two entries applied along an axis, from the first entry to the last.

    It is written behind the function: np.add.reduce(x), np.logaddexp.reduce(x, axis=1).

    Shapes:  x [n, ...] -> [...]; axis=None takes all axes
    Kinks:   those of the function
    Source:  np.ufunc.reduce: f(f(f(x0, x1), x2), ...), each step with the function's own rule
    Example: vjp explain "np.subtract.reduce(x)" x=5,1,2
    """
    combine = _function(function)
    if x.ndim == 0:
        trailing_axis(x, axis)  # refuses it in words
    if function in REDUCTIONS:
        whole = REDUCTIONS[function]
        return whole(x, axis=axis, keepdims=keepdims, initial=initial, where=where)
    if function in REDUCTIONS_WITHOUT_START:
        if where is not None and function in NEUTRAL:
            x = chosen.only_chosen(x, where, NEUTRAL[function])
        elif where is not None:
            return REDUCTIONS_WITHOUT_START[function](x, axis=axis, keepdims=keepdims, where=where)
        found = REDUCTIONS_WITHOUT_START[function](x, axis=axis, keepdims=keepdims)
        return chosen.begun_with(initial, combine, found)
    if where is not None:
        raise fail(
            "keyword-value",
            f"{function}.reduce has no `where`: leaving an entry out has no meaning",
        )
    axes = trailing_axes(x, axis)
    if len(axes) != 1:
        raise fail("axes-count", f"{function}.reduce takes one axis: its order matters")
    if x.shape[axes[0]] == 0 and initial is None:
        reduction.refuse_empty(f"{function}.reduce", x, axes)
    parts = _slices(f"{function}.reduce", x, axes[0])
    found = parts.pop(0) if initial is None else as_node(plain_number("initial", initial))
    for part in parts:
        found = combine(found, part)
    return reduction.restore_axes(found, axes, keepdims=not keepdims)


@operation(
    samples=(
        sample((4,), function="add"),
        sample((2, 3), function="multiply", axis=1),
        sample((3,), function="maximum"),
        sample((3,), function="minimum"),
        sample((3,), function="logaddexp"),
        sample((2, 3), function="subtract", axis=1),
    ),
    refuses=(
        Refusal(sample((1001,), function="hypot"), "too-large"),
        Refusal(sample((), function="add"), "axis-out-of-range"),
    ),
)
def ufunc_accumulate(x, *, function, axis=0):
    """A function of two entries applied along an axis, with every result on the way.

    It is written behind the function: np.maximum.accumulate(x).

    Shapes:  x [n, ...] -> [n, ...]
    Kinks:   those of the function
    Source:  np.ufunc.accumulate: x0, f(x0, x1), f(f(x0, x1), x2), ...
    Example: vjp explain "np.maximum.accumulate(x)" x=1,3,2 --seed 1,10,100
    """
    combine = _function(function)
    axis = trailing_axis(x, axis)
    if function in SCANS:
        return SCANS[function](x, axis=axis)
    if function in ("maximum", "minimum"):
        return running.running_extreme(x, axis=axis, smallest=function == "minimum")
    results: list[object] = []
    for part in _slices(f"{function}.accumulate", x, axis):
        results.append(combine(results[-1], part) if results else part)
    return joining.stack(*results, axis=axis) if results else x


@operation(
    samples=(
        sample((3,), (2,), function="subtract"),
        sample((2, 2), (3,), function="multiply"),
        sample((), (2,), function="add"),
    ),
)
def ufunc_outer(a, b, *, function):
    """A function of two entries applied to every pair of entries of two arrays.

    It is written behind the function: np.subtract.outer(x, y).

    Shapes:  a [...], b [...] -> the axes of a, then those of b
    Kinks:   those of the function
    Source:  np.ufunc.outer: a with an axis of length 1 for each axis of b
    Example: vjp explain "np.subtract.outer(x, y)" x=1,2,3 y=10,20 --seed ones
    """
    apart = shape.reshape(a, shape=a.shape + (1,) * b.ndim) if b.ndim else a
    return _function(function)(apart, b)


@operation(
    decided=("indices",),
    samples=(
        sample((5,), function="add", indices=(0, 2)),
        sample((4, 2), function="maximum", indices=(0, 3, 1)),
    ),
    refuses=(
        Refusal(sample((4,), function="add", indices=(4,)), "index-out-of-range"),
        Refusal(sample((4,), function="add", indices=((0, 1),)), "rank-too-high"),
    ),
)
def ufunc_reduceat(x, *, function, indices, axis=0):
    """Reductions of the stretches of an axis that begin at the given places.

    It is written behind the function: np.add.reduceat(x, [0, 3]).

    Shapes:  x [n, ...], indices [k] -> [k, ...]
    Kinks:   those of the function
    Source:  np.ufunc.reduceat: from each place to the next; the entry alone where the next is
             not larger
    Example: vjp explain "np.add.reduceat(x, [0, 2])" x=1,2,3,4 --seed 1,10
    """
    axis = trailing_axis(x, axis)
    length = x.shape[axis]
    places = position_array("indices", indices)
    if places.ndim != 1:
        raise fail("rank-too-high", f"`indices` is a vector, not {shape_text(places.shape)}")
    if places.size > MOST_STEPS:
        raise fail("too-large", f"{places.size} stretches; the limit is {MOST_STEPS}")
    outside = places[(places < 0) | (places >= length)]
    if outside.size:
        raise fail(
            "index-out-of-range",
            f"index {int(outside[0])} is outside axis {axis + x.ndim} of length {length}",
        )
    ends = [*places[1:].tolist(), length][: places.size]
    parts = [
        ufunc_reduce(
            indexing.read_range(x, start, max(end, start + 1), axis), function=function, axis=axis
        )
        for start, end in zip(places.tolist(), ends, strict=True)
    ]
    if not parts:
        return indexing.read_range(x, 0, 0, axis)
    return joining.stack(*parts, axis=axis)


@operation(refuses=(Refusal(sample((2,), function="add"), "in-place-operation"),))
def ufunc_at(x, *, function, indices=None, values=None):
    """Refused: it changes an array in place, and here every step makes a new one.

    Shapes:  x [...] -> none
    Kinks:   none
    Source:  np.ufunc.at
    Example: vjp explain "index_add(x, 0, [0, 0], y)" x=1,2,3 y=10,20 --seed ones
    """
    raise fail(
        "in-place-operation",
        f"{function}.at changes its array in place and gives nothing back",
        notes=("index_add(x, 0, [0, 0], y) gives the array with y added at positions 0 and 0",),
    )
