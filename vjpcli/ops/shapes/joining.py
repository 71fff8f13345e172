"""Joining: several arrays beside each other in one."""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    outcome,
    sample,
    shape_text,
    trailing_axis,
)
from vjpcli.ops.shapes import indexing, ordering, shape


def _at_least_one(name, arrays):
    if not arrays:
        raise fail("missing-argument", f"{name} needs at least one array")


@operation(
    lambda *tensors, axis: np.stack(tensors, axis=axis),
    pattern="movement",
    samples=(
        sample((3,), (3,), axis=0),
        sample((2, 3), (2, 3), axis=-1),
        sample((2, 3), (2, 3), (2, 3), axis=1),
        sample((), (), axis=0),
        sample((0,), (0,)),
    ),
    refuses=(
        Refusal(sample((3,), (2,)), "shape-mismatch"),
        Refusal(sample((3,), (3,), axis=2), "axis-out-of-range"),
        Refusal(sample(), "missing-argument"),
    ),
    analytic=True,
)
def stack(*tensors, axis=0):
    """Arrays of one shape beside each other along a new axis.

    Shapes:  tensors [...] each -> [...] with a new axis as long as there are tensors
    Kinks:   none
    Source:  each operand receives its own slice of the adjoint
    Example: vjp explain "stack([x, x**2])" x=1,2 --seed [[1,1],[10,10]]
    """
    _at_least_one("stack", tensors)
    shapes = {tensor.shape for tensor in tensors}
    if len(shapes) > 1:
        listed = " and ".join(shape_text(one) for one in sorted(shapes))
        raise fail("shape-mismatch", f"stack needs one shape, not {listed}")
    axis = trailing_axis(tensors[0], axis, extra=1)
    lengths = list(tensors[0].shape)
    lengths.insert(len(lengths) + 1 + axis, len(tensors))
    return outcome(lengths, axis=axis)


@stack.vjp
def _(g, y, *tensors, axis):
    behind = (slice(None),) * (-axis - 1)
    return tuple(indexing.index(g, index=(Ellipsis, i, *behind)) for i in range(len(tensors)))


@operation(
    lambda *arrays, axis: np.concatenate(arrays, axis=axis),
    pattern="movement",
    aliases=("cat", "concat"),
    samples=(
        sample((3,), (2,)),
        sample((2, 3), (1, 3), axis=0),
        sample((2, 3), (2, 1), (2, 2), axis=-1),
        sample((2, 2), (3,), axis=None),
        sample((2,), ()),
        sample((0,), (2,)),
        sample((2, 3)),
    ),
    refuses=(
        Refusal(sample((2, 3), (2, 2), axis=0), "shape-mismatch"),
        Refusal(sample((2, 3), (3,), axis=0), "shape-mismatch"),
        Refusal(sample((2, 3), (2, 3), axis=2), "axis-out-of-range"),
        Refusal(sample(), "missing-argument"),
    ),
    analytic=True,
    keyword_aliases={"dimension": "axis"},
)
def concatenate(*arrays, axis=0):
    """Arrays one after the other along an axis that exists; None joins all entries in one row.

    Shapes:  a [..., m, ...], b [..., n, ...] -> [..., m+n, ...]; a number counts as one entry
    Kinks:   none
    Source:  each operand receives its own part of the adjoint
    Example: vjp explain "concatenate([x**3, [mean(x)]])" x=1,-2,3 --seed 0,0,0,1
    """
    _at_least_one("concatenate", arrays)
    if axis is None:
        return concatenate(*(shape.ravel(one) for one in arrays), axis=0)
    if any(one.ndim == 0 for one in arrays):
        arrays = tuple(shape.atleast_1d(one) for one in arrays)
    axis = trailing_axis(arrays[0], axis)
    lengths = list(arrays[0].shape)
    for array in arrays[1:]:
        others = list(array.shape)
        if len(others) == len(lengths):
            others[axis] = lengths[axis]
        if others != lengths:
            raise fail(
                "shape-mismatch",
                f"concatenate cannot join shapes {shape_text(arrays[0].shape)} and "
                f"{shape_text(array.shape)}",
                notes=("all axes but the one that is joined must be equally long",),
            )
    lengths[axis] = sum(array.shape[axis] for array in arrays)
    return outcome(lengths, operands=arrays, axis=axis)


@concatenate.vjp
def _(g, y, *arrays, axis):
    parts = []
    start = 0
    for array in arrays:
        stop = start + array.shape[axis]
        parts.append(indexing.read_range(g, start, stop, axis))
        start = stop
    return tuple(parts)


@operation(
    samples=(sample((2,), (3,)), sample((2, 1), (2, 3)), sample((), (2,))),
    refuses=(Refusal(sample((2, 3), (1, 3)), "shape-mismatch"),),
)
def hstack(*arrays):
    """Arrays side by side: vectors one after the other, others along axis 1.

    Shapes:  a [m], b [n] -> [m+n];  a [k, m], b [k, n] -> [k, m+n]
    Kinks:   none
    Source:  each operand receives its own part of the adjoint
    Example: vjp explain "hstack([x, x**2])" x=1,2 --seed 1,1,10,10
    """
    _at_least_one("hstack", arrays)
    vectors = [shape.atleast_1d(one) for one in arrays]
    return concatenate(*vectors, axis=0 if vectors[0].ndim == 1 else 1)


@operation(
    aliases=("row_stack",),
    samples=(sample((3,), (3,)), sample((2, 3), (3,)), sample((), ())),
    refuses=(Refusal(sample((3,), (2,)), "shape-mismatch"),),
)
def vstack(*arrays):
    """Arrays on top of each other: vectors become rows, others are joined along axis 0.

    Shapes:  a [n], b [n] -> [2, n];  a [k, n], b [m, n] -> [k+m, n]
    Kinks:   none
    Source:  each operand receives its own part of the adjoint
    Example: vjp explain "vstack([x, x**2]) @ v" x=1,2 v=1,1 --seed 1,10
    """
    _at_least_one("vstack", arrays)
    return concatenate(*(shape.atleast_2d(one) for one in arrays), axis=0)


@operation(
    samples=(sample((3,), (3,)), sample((2, 3), (2, 3))),
    refuses=(Refusal(sample((3,), (2,)), "shape-mismatch"),),
)
def dstack(*arrays):
    """Arrays behind each other, along axis 2.

    Shapes:  a [m, n], b [m, n] -> [m, n, 2]
    Kinks:   none
    Source:  each operand receives its own part of the adjoint
    Example: vjp explain "sum(dstack([x, x**2]))" x=1,2
    """
    _at_least_one("dstack", arrays)
    return concatenate(*(shape.atleast_3d(one) for one in arrays), axis=2)


def _as_column(x):
    return ordering.T(shape.atleast_2d(x)) if x.ndim < 2 else x


@operation(
    samples=(sample((3,), (3,)), sample((3,), (3, 2)), sample((), ())),
    refuses=(Refusal(sample((3,), (2,)), "shape-mismatch"),),
)
def column_stack(*arrays):
    """Vectors as the columns of a matrix; matrices keep their columns.

    Shapes:  a [n], b [n, m] -> [n, 1+m]
    Kinks:   none
    Source:  each operand receives its own part of the adjoint
    Example: vjp explain "column_stack([x, x**2]) @ w" x=1,2 w=1,10 --seed ones
    """
    _at_least_one("column_stack", arrays)
    return concatenate(*(_as_column(one) for one in arrays), axis=1)


@operation(
    samples=(sample((3,), (2,)), sample((2, 3), (1, 3), axis=0), sample((2, 3), ())),
    refuses=(Refusal(sample((2, 3), (3,), axis=0), "shape-mismatch"),),
)
def append(x, values, *, axis=None):
    """The entries of x followed by those of values; without an axis in one row.

    Shapes:  x [m], values [n] -> [m+n]
    Kinks:   none
    Source:  each operand receives its own part of the adjoint
    Example: vjp explain "append(x, 2*x)" x=1,2 --seed 1,1,10,10
    """
    return concatenate(x, values, axis=axis)
