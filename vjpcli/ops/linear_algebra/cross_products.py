"""The cross product of vectors in space, along any axis."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.shapes import shape_mismatch
from vjpcli.ops.declaration import (
    Refusal,
    broadcast_shapes,
    fail,
    operation,
    outcome,
    sample,
    shape_text,
    trailing_axis,
)
from vjpcli.ops.shapes import indexing, ordering


def _cross(a, b, *, axis):
    return np.cross(a, b, axis=axis)


def _cross_reads(a, b, *, axis):
    """A component reads the two others of both vectors."""
    a, b = np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1)
    both = a | b
    following, last = both[..., [1, 2, 0]], both[..., [2, 0, 1]]
    return np.moveaxis(following | last, -1, axis)


def _axis_of_cross(a, b, axis):
    """The axis along which the vectors lie.

    Errors: cross-axis-unclear, shape-mismatch, axis-out-of-range, axis-not-whole.
    """
    if a.ndim == 0 or b.ndim == 0:
        raise fail("scalar-operand", "cross needs vectors, and one operand is a number")
    if axis is not None:
        of_a, of_b = trailing_axis(a, axis), trailing_axis(b, axis)
        if of_a != of_b:
            why = f"axis {axis} is not the same axis of both; count it from the end"
            raise shape_mismatch("cross", a.shape, b.shape, why=why)
        return of_a
    fitting = [
        axis
        for axis in range(-min(a.ndim, b.ndim), 0)
        if a.shape[axis] == b.shape[axis] and a.shape[axis] == 3
    ]
    if len(fitting) > 1:
        raise fail(
            "cross-axis-unclear",
            f"several axes of shape {shape_text(a.shape)} have length 3; cross needs axis=",
            notes=("torch.cross takes the first, torch.linalg.cross and np.cross the last",),
        )
    return fitting[0] if fitting else -1


@operation(
    _cross,
    pattern=_cross_reads,
    library_defaults={"numpy": {"axis": -1}, "jax": {"axis": -1}},
    samples=(
        sample((3,), (3,)),
        sample((2, 3), (3,)),
        sample((3, 2), (3, 2)),
        sample((3, 3), (3, 3), axis=0),
        sample((2, 3, 1), (2, 3, 4), axis=1),
        sample((0, 3), (0, 3)),
    ),
    refuses=(
        Refusal(sample((2,), (2,)), "cross-length"),
        Refusal(sample((3,), (4,)), "cross-length"),
        Refusal(sample((3, 3), (3, 3)), "cross-axis-unclear"),
        Refusal(sample((2, 3), (4, 3)), "shape-mismatch"),
        Refusal(sample((2, 3), (2, 3), axis=2), "axis-out-of-range"),
        Refusal(sample((3,), (2, 3), axis=0), "shape-mismatch"),
    ),
    analytic=True,
)
def cross(a, b, *, axis=None):
    """The cross product of vectors in space.

    Without `axis` the vectors lie along the only axis of length 3.

    Shapes:  a [..., 3], b [..., 3] -> [..., 3] (broadcast)
    Kinks:   none
    Source:  triple product: g · (a × b) = a · (b × g) = b · (g × a)
    Example: vjp explain "cross(a, b)" a=1,2,3 b=4,5,6 --seed 1,0,0
    """
    axis = _axis_of_cross(a, b, axis)
    if a.shape[axis] != 3 or b.shape[axis] != 3:
        raise fail(
            "cross-length",
            f"cross needs vectors of length 3, not shapes {shape_text(a.shape)} and "
            f"{shape_text(b.shape)}",
        )
    return outcome(broadcast_shapes("cross", a, b), axis=axis)


@cross.vjp
def _(g, y, a, b, *, axis):
    return cross(b, g, axis=axis), cross(g, a, axis=axis)


@operation(
    library_names={"numpy": ("cross",), "jax": ("cross",)},
    samples=(
        sample((3,), (3,)),
        sample((2,), (2,)),
        sample((2,), (3,)),
        sample((4, 2), (2,)),
        sample((2, 3), (3, 2), axisb=0),
        sample((3, 4), (3, 4), axis=0),
        sample((2, 3), (2, 3), axisc=0),
    ),
    refuses=(
        Refusal(sample((4,), (3,)), "cross-length"),
        Refusal(sample((), (3,)), "scalar-operand"),
        Refusal(sample((3,), (3,), axis=1), "axis-out-of-range"),
    ),
    analytic=True,
)
def cross_along(a, b, *, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross product of vectors in space or in the plane: np.cross.

    Shapes:  a [..., 3], b [..., 3] -> [..., 3] (broadcast); a vector of two entries lies in the
             plane, and two of them give one number
    Kinks:   none
    Source:  `cross`; of vectors in the plane a0 b1 - a1 b0
    Example: vjp explain "np.cross(a, b)" a=1,2 b=3,4
    """
    if a.ndim == 0 or b.ndim == 0:
        raise fail("scalar-operand", "cross needs vectors, and one operand is a number")
    if axis is not None:
        axisa = axisb = axisc = axis
    a = _along_last(a, axisa)
    b = _along_last(b, axisb)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise fail(
            "cross-length",
            f"cross needs vectors of length 2 or 3, not shapes {shape_text(a.shape)} and "
            f"{shape_text(b.shape)}",
        )
    if a.shape[-1] == b.shape[-1] == 2:
        first, second = (
            [indexing.index(one, index=(Ellipsis, place)) for place in (0, 1)] for one in (a, b)
        )
        return first[0] * second[1] - first[1] * second[0]
    product = cross(_in_space(a), _in_space(b), axis=-1)
    place = trailing_axis(product, axisc) + product.ndim
    return ordering.moveaxis(product, source=-1, destination=place)


def _along_last(x, axis):
    return ordering.moveaxis(x, source=trailing_axis(x, axis), destination=-1)


def _in_space(x):
    """Vectors of two entries with a third that is 0."""
    if x.shape[-1] == 3:
        return x
    return indexing.add_into(x, index=(Ellipsis, slice(0, 2)), shape=(*x.shape[:-1], 3))


@operation(
    library_names={"torch": ("linalg.cross",)},
    samples=(sample((2, 3), (3,)), sample((3, 3), (3, 3)), sample((3, 2), (3, 2), axis=0)),
    refuses=(Refusal(sample((2,), (2,)), "cross-length"),),
    analytic=True,
)
def linalg_cross(a, b, *, axis=-1):
    """The cross product of vectors along the last axis: torch.linalg.cross.

    Shapes:  a [..., 3], b [..., 3] -> [..., 3] (broadcast)
    Kinks:   none
    Source:  `cross`
    Example: vjp explain "torch.linalg.cross(a, b)" a=1,2,3 b=4,5,6 --seed 1,0,0
    """
    return cross(a, b, axis=axis)
