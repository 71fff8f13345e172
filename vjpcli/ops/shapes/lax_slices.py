"""Slices in jax.lax's words: parts of an array read and written.

A `dynamic` slice begins where its start says, moved inside where it would stick out; a start that
depends on an input is decided by its value, and no gradient reaches it.
"""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text, trailing_axis
from vjpcli.ops.keywords import (
    position_array,
    true_or_false,
    whole_number,
    whole_numbers,
)
from vjpcli.ops.shapes import indexing, scattering, shape


def one_per_axis(name, x, value):
    """One whole number for each axis of x.

    Errors: keyword-value, axes-count.
    """
    numbers = whole_numbers(name, value)
    if len(numbers) != x.ndim:
        raise fail(
            "axes-count",
            f"`{name}` holds {len(numbers)} numbers for the {x.ndim} axes of {shape_text(x.shape)}",
        )
    return numbers


# --- slices whose bounds are plain


@operation(
    library_names={"jax": ("lax.slice",)},
    samples=(
        sample((4,), start_indices=(1,), limit_indices=(3,)),
        sample((3, 4), start_indices=(0, 1), limit_indices=(3, 4), strides=(2, 1)),
    ),
    refuses=(
        Refusal(sample((4,), start_indices=(1, 2), limit_indices=(3,)), "axes-count"),
        Refusal(sample((4,), start_indices=(2,), limit_indices=(5,)), "index-out-of-range"),
        Refusal(sample((4,), start_indices=(3,), limit_indices=(2,)), "index-out-of-range"),
        Refusal(sample((4,), start_indices=(0,), limit_indices=(2,), strides=(0,)), "step-zero"),
    ),
)
def lax_slice(x, *, start_indices, limit_indices, strides=None):
    """The entries between bounds along each axis: jax.lax.slice.

    Shapes:  x [n, ...] -> [ceil((limit - start)/stride), ...]
    Kinks:   none
    Source:  x[start:limit:stride]; what is left out receives 0
    Example: vjp explain "lax.slice(x, (1,), (3,))" x=1,2,3,4 --seed ones
    """
    starts = one_per_axis("start_indices", x, start_indices)
    limits = one_per_axis("limit_indices", x, limit_indices)
    steps = (1,) * x.ndim if strides is None else one_per_axis("strides", x, strides)
    for start, limit, step, length in zip(starts, limits, steps, x.shape, strict=True):
        if not 0 <= start <= limit <= length:
            raise fail(
                "index-out-of-range", f"{start} to {limit} is no part of an axis of length {length}"
            )
        if step < 1:
            raise fail("step-zero", f"a stride is 1 or more, not {step}")
    return indexing.index(x, index=tuple(map(slice, starts, limits, steps)))


@operation(
    samples=(
        sample((4,), start_index=1, limit_index=3),
        sample((2, 4), start_index=-3, limit_index=None, stride=2, axis=1),
    ),
    refuses=(Refusal(sample((4,), start_index=0, limit_index=2, axis=1), "axis-out-of-range"),),
)
def slice_in_dim(x, *, start_index, limit_index, stride=1, axis=0):
    """The entries between bounds along one axis: jax.lax.slice_in_dim.

    Shapes:  x [... n ...] -> [... limit - start ...]
    Kinks:   none
    Source:  x[start:limit:stride] along the axis
    Example: vjp explain "lax.slice_in_dim(x, 1, 3)" x=1,2,3,4 --seed ones
    """
    axis = trailing_axis(x, axis)
    start = None if start_index is None else whole_number("start_index", start_index)
    limit = None if limit_index is None else whole_number("limit_index", limit_index)
    return indexing.read_range(x, start, limit, axis, whole_number("stride", stride, least=1))


def _one_slice(x, place, axis, keepdims):
    found = indexing.read_along(x, place, axis)
    return shape.expand_dims(found, axis=axis) if true_or_false("keepdims", keepdims) else found


@operation(
    samples=(sample((2, 3), index=1), sample((2, 3), index=-1, axis=1, keepdims=False)),
    refuses=(Refusal(sample((2, 3), index=2), "index-out-of-range"),),
)
def index_in_dim(x, *, index, axis=0, keepdims=True):
    """One slice along an axis, which stays with length 1 unless keepdims=False.

    Shapes:  x [m, n], axis 0 -> [1, n]
    Kinks:   none
    Source:  a selection
    Example: vjp explain "lax.index_in_dim(W, 1, keepdims=False)" W=[[1,2],[3,4]] --seed ones
    """
    axis = trailing_axis(x, axis)
    return _one_slice(x, whole_number("index", index), axis, keepdims)


# --- slices whose start is decided by value


def _inside(start, size, length):
    """Where a stretch of `size` begins that is to begin at `start`: moved inside, as JAX does."""
    start = int(start) + (length if start < 0 else 0)
    return min(max(start, 0), length - size)


def _starts(x, value, sizes):
    starts = position_array("start_indices", value).reshape(-1)
    if starts.size != x.ndim:
        raise fail(
            "axes-count",
            f"{starts.size} starts for the {x.ndim} axes of {shape_text(x.shape)}",
        )
    for size, length in zip(sizes, x.shape, strict=True):
        if size > length:
            raise fail(
                "index-out-of-range", f"{size} entries do not fit into an axis of length {length}"
            )
    return [_inside(*one) for one in zip(starts, sizes, x.shape, strict=True)]


@operation(
    decided=("start_indices",),
    samples=(
        sample((4,), start_indices=(1,), slice_sizes=(2,)),
        sample((3, 4), start_indices=(2, -2), slice_sizes=(2, 2)),
    ),
    refuses=(
        Refusal(sample((4,), start_indices=(1,), slice_sizes=(5,)), "index-out-of-range"),
        Refusal(sample((4,), start_indices=(1, 0), slice_sizes=(2,)), "axes-count"),
        Refusal(sample((4,), start_indices=(0.5,), slice_sizes=(2,)), "index-not-whole"),
    ),
)
def dynamic_slice(x, *, start_indices, slice_sizes):
    """A stretch of an array along each axis, moved inside where it would stick out.

    Shapes:  x [n, ...], slice_sizes (k, ...) -> [k, ...]
    Kinks:   none; where it starts is decided by value
    Source:  a selection
    Example: vjp explain "lax.dynamic_slice(x, (1,), (2,))" x=1,2,3,4 --seed ones
    """
    sizes = one_per_axis("slice_sizes", x, slice_sizes)
    starts = _starts(x, start_indices, sizes)
    index = tuple(slice(a, a + n) for a, n in zip(starts, sizes, strict=True))
    return indexing.index(x, index=index)


@operation(
    decided=("start_index",),
    samples=(
        sample((4,), start_index=1, slice_size=2),
        sample((2, 3), start_index=5, slice_size=2, axis=1),
    ),
    refuses=(Refusal(sample((4,), start_index=1, slice_size=5), "index-out-of-range"),),
)
def dynamic_slice_in_dim(x, *, start_index, slice_size, axis=0):
    """A stretch of an array along one axis, moved inside where it would stick out.

    Shapes:  x [... n ...] -> [... slice_size ...]
    Kinks:   none; where it starts is decided by value
    Source:  a selection
    Example: vjp explain "lax.dynamic_slice_in_dim(x, 1, 2)" x=1,2,3,4 --seed ones
    """
    axis = trailing_axis(x, axis)
    start, size = _start_along(x, start_index, slice_size, axis)
    return indexing.read_range(x, start, start + size, axis)


def _start_along(x, start_index, slice_size, axis):
    size, length = whole_number("slice_size", slice_size, least=0), x.shape[axis]
    if size > length:
        raise fail(
            "index-out-of-range", f"{size} entries do not fit into an axis of length {length}"
        )
    return _inside(_one_position(start_index), size, length), size


def _one_position(value):
    """The whole number that says where a slice begins.

    Errors: index-not-whole, rank-too-high.
    """
    found = position_array("start_index", value).reshape(-1)
    if found.size != 1:
        raise fail("rank-too-high", "a slice along one axis begins at one position")
    return int(found[0])


@operation(
    decided=("index",),
    samples=(sample((2, 3), index=1), sample((2, 3), index=9, axis=1, keepdims=False)),
    refuses=(Refusal(sample((0, 3), index=0), "index-out-of-range"),),
)
def dynamic_index_in_dim(x, *, index, axis=0, keepdims=True):
    """One slice along an axis, the last one where the position lies beyond it.

    Shapes:  x [m, n], axis 0 -> [1, n], or [n] with keepdims=False
    Kinks:   none; the position is decided by value
    Source:  a selection
    Example: vjp explain "lax.dynamic_index_in_dim(W, 1, 0)" W=[[1,2],[3,4]] --seed ones
    """
    axis = trailing_axis(x, axis)
    start, _ = _start_along(x, index, 1, axis)
    return _one_slice(x, start, axis, keepdims)


@operation(
    decided=("start_indices",),
    argument_order=("x", "update", "start_indices"),
    samples=(
        sample((4,), (2,), start_indices=(1,)),
        sample((3, 3), (2, 1), start_indices=(2, 1)),
    ),
    refuses=(
        Refusal(sample((2,), (3,), start_indices=(0,)), "index-out-of-range"),
        Refusal(sample((2, 2), (2,), start_indices=(0, 0)), "axes-count"),
    ),
)
def dynamic_update_slice(x, update, *, start_indices):
    """x with a stretch of it replaced, moved inside where it would stick out.

    Shapes:  x [n, ...], update [k, ...] -> [n, ...]
    Kinks:   none; where it starts is decided by value
    Source:  what was overwritten receives 0, each entry of update the adjoint of its place
    Example: vjp explain "lax.dynamic_update_slice(x, u, (1,))" x=1,2,3 u=8,9 --seed 1,10,100
    """
    if update.ndim != x.ndim:
        raise fail(
            "axes-count",
            f"an update of shape {shape_text(update.shape)} for an array of shape "
            f"{shape_text(x.shape)}",
        )
    starts = _starts(x, start_indices, update.shape)
    places = np.ix_(*(np.arange(a, a + n) for a, n in zip(starts, update.shape, strict=True)))
    return scattering.write(x, places, update)


@operation(
    decided=("start_index",),
    argument_order=("x", "update", "start_index", "axis"),
    samples=(
        sample((4,), (2,), start_index=1, axis=0),
        sample((2, 3), (2, 2), start_index=2, axis=1),
        sample((3,), (), start_index=1, axis=0),
    ),
    refuses=(Refusal(sample((2,), (3,), start_index=0, axis=0), "index-out-of-range"),),
)
def dynamic_update_slice_in_dim(x, update, *, start_index, axis):
    """x with a stretch of it along one axis replaced, moved inside where it would stick out.

    Shapes:  x [... n ...], update [... k ...] -> [... n ...]
    Kinks:   none; where it starts is decided by value
    Source:  see `dynamic_update_slice`
    Example: vjp explain "lax.dynamic_update_slice_in_dim(x, u, 1, 0)" x=1,2,3 u=9 --seed 1,10,100
    """
    axis = trailing_axis(x, axis)
    while update.ndim < x.ndim:
        update = shape.expand_dims(update, axis=axis if update.ndim == x.ndim - 1 else 0)
    starts = np.zeros(x.ndim, dtype=np.intp)
    starts[axis] = _one_position(start_index)
    return dynamic_update_slice(x, update, start_indices=starts)


@operation(
    decided=("index",),
    argument_order=("x", "update", "index", "axis"),
    samples=(sample((2, 3), (3,), index=1, axis=0), sample((2, 3), (2, 1), index=2, axis=1)),
    refuses=(Refusal(sample((2, 3), (2,), index=1, axis=0), "shape-mismatch"),),
)
def dynamic_update_index_in_dim(x, update, *, index, axis):
    """x with one slice along an axis replaced.

    Shapes:  x [m, n], axis 0, update [n] or [1, n] -> [m, n]
    Kinks:   none; the position is decided by value
    Source:  see `dynamic_update_slice`
    Example: vjp explain "lax.dynamic_update_index_in_dim(W, u, 1, 0)" W=[[1,2],[3,4]] u=5,6
    """
    axis = trailing_axis(x, axis)
    wanted = list(x.shape)
    wanted[axis] = 1
    if update.ndim == x.ndim - 1:
        update = shape.expand_dims(update, axis=axis)
    if update.shape != tuple(wanted):
        raise fail(
            "shape-mismatch",
            f"a slice of {shape_text(x.shape)} has shape {shape_text(tuple(wanted))}, not "
            f"{shape_text(update.shape)}",
        )
    return dynamic_update_slice_in_dim(x, update, start_index=index, axis=axis)
