"""Order: the same entries with their axes exchanged, reversed, rotated."""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    outcome,
    sample,
    shape_text,
    trailing_axes,
    trailing_axis,
)
from vjpcli.ops.keywords import whole_number, whole_numbers
from vjpcli.ops.linear_algebra import matrix
from vjpcli.ops.shapes import shape


def _order_of_axes(x, axis):
    """`axis` as a permutation of all axes of x, counted from the end; None reverses them.

    Errors: axes-count, axis-out-of-range, axis-not-whole, axis-twice.
    """
    if axis is None:
        return tuple(range(-1, -x.ndim - 1, -1))
    several = axis if isinstance(axis, list | tuple) else (axis,)
    order = tuple(trailing_axis(x, one) for one in several)
    if len(set(order)) < len(order):
        raise fail("axis-twice", f"the same axis is named twice in {tuple(several)}")
    if len(order) != x.ndim:
        raise fail(
            "axes-count",
            f"{len(order)} axes are named, but shape {shape_text(x.shape)} has {x.ndim}",
            notes=("every axis is named once, in its new order",),
        )
    return order


def _inverse(order):
    """The permutation that undoes `order`, both counted from the end."""
    ndim = len(order)
    inverse = [0] * ndim
    for new, old in enumerate(order):
        inverse[old + ndim] = new - ndim
    return tuple(inverse)


@operation(
    lambda x, *, axis: np.transpose(x, axis),
    pattern="movement",
    aliases=("permute_dims",),
    library_names={"numpy": ("transpose",), "jax": ("transpose",)},
    collects="axis",
    samples=(
        sample((2, 3), axis=(1, 0)),
        sample((2, 3, 4), axis=(2, 0, 1)),
        sample((2, 3, 4), axis=(-1, 1, 0)),
        sample((2, 0, 3)),
        sample(()),
    ),
    refuses=(
        Refusal(sample((2, 3), axis=(0,)), "axes-count"),
        Refusal(sample((2, 3), axis=(0, 0)), "axis-twice"),
        Refusal(sample((2, 3), axis=(0, 2)), "axis-out-of-range"),
        Refusal(sample((2, 3), axis=(0, 1.5)), "axis-not-whole"),
    ),
    analytic=True,
)
def permute(x, *, axis=None):
    """The same entries with all axes in a new order; without one, in reverse.

    Shapes:  x [a, b, c], axis (2, 0, 1) -> [c, a, b]
    Kinks:   none
    Source:  a rearrangement: the adjoint is permuted back
    Example: vjp explain "permute(A, (1, 0)) @ x" A=[[1,2],[3,4]] x=1,10 --seed ones
    """
    order = _order_of_axes(x, axis)
    if x.ndim > 1 and order == (*range(-x.ndim, -2), -1, -2):
        return matrix_transpose(x)
    return outcome([x.shape[one] for one in order], axis=order)


@permute.vjp
def _(g, y, x, *, axis):
    return permute(g, axis=(*range(-g.ndim, -y.ndim), *_inverse(axis)))


@operation(samples=(sample((2, 3)), sample((3,)), sample((2, 1, 3)), sample(())))
def T(x):  # noqa: N802  (it is written x.T)
    """The transposed array: all axes in reverse order.

    Shapes:  x [a, b] -> [b, a]
    Kinks:   none
    Source:  a rearrangement: the adjoint is transposed back
    Example: vjp explain "A.T @ x" A=[[1,2],[3,4]] x=1,10 --seed ones
    """
    return permute(x) if x.ndim > 1 else x


@operation(
    lambda x: np.swapaxes(x, -1, -2),
    pattern="movement",
    aliases=("mT",),
    samples=(sample((2, 3)), sample((2, 3, 1)), sample((0, 2)), sample((1, 1))),
    refuses=(Refusal(sample((3,)), "rank-too-low"), Refusal(sample(()), "rank-too-low")),
    analytic=True,
)
def matrix_transpose(x):
    """The matrix with rows and columns exchanged; of a stack, each matrix. Written x.mT too.

    Shapes:  x [..., n, m] -> [..., m, n]
    Kinks:   none
    Source:  a rearrangement: the adjoint is transposed back
    Example: vjp explain "W.mT @ v" W=[[1,2],[3,4]] v=1,10 --seed ones
    """
    matrix.require_matrix("matrix_transpose", x)
    if x.operation is matrix_transpose:
        return x.operands[0]  # twice is not at all, and a formula should say so
    return outcome((*x.shape[:-2], x.shape[-1], x.shape[-2]))


@matrix_transpose.vjp
def _(g, y, x):
    return matrix_transpose(g)


@operation(
    samples=(sample((2, 3)), sample((3,)), sample(())),
    refuses=(Refusal(sample((2, 3, 4)), "rank-too-high"),),
)
def t(x):
    """The transposed matrix; vectors and scalars stay (PyTorch).

    Shapes:  x [a, b] -> [b, a]
    Kinks:   none
    Source:  a rearrangement
    Example: vjp explain "A.t() @ x" A=[[1,2],[3,4]] x=1,10 --seed ones
    """
    if x.ndim > 2:
        raise fail(
            "rank-too-high",
            f"t takes at most two axes, not shape {shape_text(x.shape)}",
            notes=("mT exchanges the last two axes of any array",),
        )
    return T(x)


@operation(
    aliases=("swapdims",),
    keyword_aliases={"dim0": "axis0", "dim1": "axis1"},
    samples=(
        sample((2, 3), axis0=0, axis1=1),
        sample((2, 3, 4), axis0=-1, axis1=0),
        sample((2, 3, 4), axis1=0, axis2=1),
        sample((3,), axis0=0, axis1=0),
    ),
    refuses=(
        Refusal(sample((2, 3), axis0=0, axis1=2), "axis-out-of-range"),
        Refusal(sample((2, 3), axis0=0), "axes-count"),
        Refusal(sample((2, 3), axis0=0, axis1=0.5), "axis-not-whole"),
    ),
)
def swapaxes(x, *, axis0=None, axis1=None, axis2=None):
    """The same entries with two axes exchanged; named axis0 and axis1, or axis1 and axis2.

    Shapes:  x [a, b, c], axes 0 and 2 -> [c, b, a]
    Kinks:   none
    Source:  a rearrangement
    Example: vjp explain "swapaxes(A, 0, 1) @ x" A=[[1,2],[3,4]] x=1,10 --seed ones
    """
    named = [one for one in (axis0, axis1, axis2) if one is not None]
    if len(named) != 2:
        raise fail("axes-count", f"swapaxes takes two axes, not {len(named)}")
    first, second = (trailing_axis(x, one) for one in named)
    order = list(range(-x.ndim, 0))
    order[first], order[second] = second, first
    return permute(x, axis=tuple(order))


@operation(
    collects="axis",
    convention="transpose: exchanges the two axes named (PyTorch; np.transpose orders all axes)",
    samples=(
        sample((2, 3), axis=(0, 1)),
        sample((2, 3, 4), axis=(0, 2)),
        sample((2, 3, 4), axis=(2, 0, 1)),
        sample((2, 3)),
    ),
    refuses=(
        Refusal(sample((2, 3), axis=(0, 2)), "axis-out-of-range"),
        Refusal(sample((2, 3), axis=0), "axes-count"),
    ),
)
def transpose(x, *, axis=None, dim0=None, dim1=None):
    """The same entries with two axes exchanged (PyTorch), or all axes in a new order (NumPy).

    Two axes are exchanged; none are all reversed, and more are the new order of all. With the
    prefix np. the axes are always the new order, as `permute` takes them.

    Shapes:  x [a, b, c], axes 0 and 2 -> [c, b, a]
    Kinks:   none
    Source:  a rearrangement
    Example: vjp explain "transpose(A, 0, 1) @ x" A=[[1,2],[3,4]] x=1,10 --seed ones
    """
    several = axis if isinstance(axis, list | tuple) or axis is None else (axis,)
    if dim0 is not None or dim1 is not None:
        several = (*(several or ()), *(one for one in (dim0, dim1) if one is not None))
    if several is not None and len(several) == 2:
        return swapaxes(x, axis1=several[0], axis2=several[1])
    return permute(x, axis=several)


@operation(
    aliases=("movedim",),
    samples=(
        sample((2, 3, 4), source=0, destination=-1),
        sample((2, 3, 4), source=(0, 1), destination=(2, 0)),
    ),
    refuses=(
        Refusal(sample((2, 3), source=0, destination=2), "axis-out-of-range"),
        Refusal(sample((2, 3), source=(0, 1), destination=0), "axes-count"),
        Refusal(sample((2, 3), source=(0, 0), destination=(0, 1)), "axis-twice"),
    ),
)
def moveaxis(x, *, source, destination):
    """The same entries with some axes moved to new places; the others keep their order.

    Shapes:  x [a, b, c], source 0, destination -1 -> [b, c, a]
    Kinks:   none
    Source:  a rearrangement
    Example: vjp explain "moveaxis(A, 0, -1) @ x" A=[[1,2],[3,4]] x=1,10 --seed ones
    """
    old, new = (
        [trailing_axis(x, one) for one in (axes if isinstance(axes, list | tuple) else (axes,))]
        for axes in (source, destination)
    )
    if len(old) != len(new):
        raise fail("axes-count", f"{len(old)} axes cannot move to {len(new)} places")
    if len(set(old)) < len(old) or len(set(new)) < len(new):
        raise fail("axis-twice", "the same axis is named twice")
    order = [axis for axis in range(-x.ndim, 0) if axis not in old]
    for place, axis in sorted(zip(new, old, strict=True)):
        order.insert(place + x.ndim, axis)
    return permute(x, axis=tuple(order))


@operation(
    lambda x, *, axis: np.flip(x, axis),
    pattern="movement",
    collects="axis",
    samples=(
        sample((3,)),
        sample((2, 3)),
        sample((2, 3), axis=0),
        sample((2, 3, 2), axis=(0, -1)),
        sample(()),
        sample((0,)),
    ),
    refuses=(
        Refusal(sample((2, 3), axis=2), "axis-out-of-range"),
        Refusal(sample((2, 3), axis=(0, -2)), "axis-twice"),
    ),
    analytic=True,
)
def flip(x, *, axis=None):
    """The same entries in reverse along some axes, or along all.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  a rearrangement: the adjoint is reversed back
    Example: vjp explain "flip(x, 0) * y" x=1,2,3 y=1,10,100 --seed ones
    """
    return outcome(x.shape, axis=trailing_axes(x, axis))


@flip.vjp
def _(g, y, x, *, axis):
    # With no axes to name, `flip` would reverse those of the batch.
    return flip(g, axis=axis) if axis else g


@operation(
    samples=(sample((2, 3)), sample((2, 2, 2))), refuses=(Refusal(sample((3,)), "rank-too-low"),)
)
def fliplr(x):
    """The same entries with left and right exchanged: reverse along axis 1.

    Shapes:  x [a, b, ...] -> [a, b, ...]
    Kinks:   none
    Source:  a rearrangement
    Example: vjp explain "fliplr(A) @ x" A=[[1,2],[3,4]] x=1,10 --seed ones
    """
    matrix.require_matrix("fliplr", x)
    return flip(x, axis=1)


@operation(
    samples=(sample((3,)), sample((2, 3))), refuses=(Refusal(sample(()), "axis-out-of-range"),)
)
def flipud(x):
    """The same entries with top and bottom exchanged: reverse along axis 0.

    Shapes:  x [a, ...] -> [a, ...]
    Kinks:   none
    Source:  a rearrangement
    Example: vjp explain "flipud(A) @ x" A=[[1,2],[3,4]] x=1,10 --seed ones
    """
    return flip(x, axis=0)


@operation(
    lambda x, *, shift, axis: np.roll(x, shift, axis),
    pattern="movement",
    keyword_aliases={"shifts": "shift"},
    samples=(
        sample((4,), shift=1),
        sample((2, 3), shift=2),
        sample((2, 3), shift=-1, axis=1),
        sample((2, 3), shift=(1, 2), axis=(0, -1)),
        sample((2, 3), shift=1, axis=(0, 1)),
        sample((0,), shift=1),
    ),
    refuses=(
        Refusal(sample((3,), shift=1.5), "keyword-value"),
        Refusal(sample((3,), shift=1, axis=1), "axis-out-of-range"),
        Refusal(sample((2, 3), shift=(1, 2, 3), axis=(0, 1)), "axes-count"),
    ),
    analytic=True,
)
def roll(x, *, shift, axis=None):
    """The same entries moved on by `shift` places; what leaves at one end enters at the other.

    Shapes:  x [...] -> [...]; without an axis the entries move as if in one row
    Kinks:   none
    Source:  a rearrangement: the adjoint is rolled back
    Example: vjp explain "roll(x, 1) * y" x=1,2,3 y=1,10,100 --seed ones
    """
    shifts = whole_numbers("shift", shift)
    if axis is None:
        flat = roll(shape.ravel(x), shift=sum(shifts), axis=-1)
        return shape.reshape(flat, shape=x.shape)
    axes = [trailing_axis(x, one) for one in (axis if isinstance(axis, list | tuple) else (axis,))]
    if len(shifts) == 1:
        shifts *= len(axes)
    if len(shifts) != len(axes):
        raise fail("axes-count", f"{len(shifts)} shifts for {len(axes)} axes")
    return outcome(x.shape, shift=shifts, axis=tuple(axes))


@roll.vjp
def _(g, y, x, *, shift, axis):
    return roll(g, shift=tuple(-one for one in shift), axis=axis)


@operation(
    keyword_aliases={"dims": "axes", "axis": "axes"},
    samples=(
        sample((2, 3)),
        sample((2, 3), k=2),
        sample((2, 3), k=-1),
        sample((2, 3, 2), k=1, axes=(1, 2)),
        sample((2, 3), k=4),
    ),
    refuses=(
        Refusal(sample((3,)), "axis-out-of-range"),
        Refusal(sample((2, 3), axes=(0, 0)), "axis-twice"),
        Refusal(sample((2, 3), axes=(0,)), "axes-count"),
        Refusal(sample((2, 3), k=0.5), "keyword-value"),
    ),
)
def rot90(x, *, k=1, axes=(0, 1)):
    """The array turned by k quarter turns, from the first of two axes towards the second.

    Shapes:  x [a, b, ...] -> [b, a, ...] for an odd number of turns
    Kinks:   none
    Source:  a rearrangement
    Example: vjp explain "rot90(A) @ x" A=[[1,2],[3,4]] x=1,10 --seed ones
    """
    if not isinstance(axes, list | tuple) or len(axes) != 2:
        raise fail("axes-count", "rot90 takes two axes")
    first, second = (trailing_axis(x, one) for one in axes)
    if first == second:
        raise fail("axis-twice", "rot90 takes two different axes")
    turns = whole_number("k", k) % 4
    if turns == 0:
        return x
    if turns == 2:
        return flip(x, axis=(first, second))
    if turns == 1:
        return swapaxes(flip(x, axis=second), axis1=first, axis2=second)
    return flip(swapaxes(x, axis1=first, axis2=second), axis=second)
