"""Editing: entries inserted, deleted, repeated; axes rolled."""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    sample,
    shape_text,
    trailing_axis,
)
from vjpcli.ops.keywords import (
    array_shape,
    one_of,
    position_array,
    positions_within,
    whole_number,
)
from vjpcli.ops.shapes import indexing, joining, ordering, shape


def flat_without_axis(x, axis):
    """x and the axis to work along, counted from the end; the flattened x where none is given."""
    if axis is None:
        return (shape.ravel(x) if x.ndim != 1 else x), -1
    return x, trailing_axis(x, axis)


def _places(name, index, length):
    """Positions along an axis that a number, a list, a mask or a slice names.

    Errors: index-out-of-range, index-not-whole, mask-shape.
    """
    if isinstance(index, slice):
        return np.arange(length)[index]
    array = np.asarray(index)
    if array.dtype == np.bool_ and array.ndim:
        if array.shape != (length,):
            raise fail(
                "mask-shape",
                f"a mask of shape {shape_text(array.shape)} does not fit an axis of {length}",
            )
        return np.flatnonzero(array)
    return positions_within(name, index, length)


@operation(
    keyword_aliases={"obj": "index", "arr": "x"},
    decided=("index",),
    samples=(
        sample((4,), index=1),
        sample((4,), index=(0, -1)),
        sample((2, 3), index=1, axis=1),
        sample((2, 3), index=(0, 5)),
        sample((3,), index=(True, False, True)),
    ),
    refuses=(
        Refusal(sample((3,), index=3), "index-out-of-range"),
        Refusal(sample((3,), index=(True, False)), "mask-shape"),
        Refusal(sample((2, 3), index=0, axis=2), "axis-out-of-range"),
    ),
)
def delete(x, *, index, axis=None):
    """The entries of x without those at the given positions.

    Shapes:  x [n], index [k] -> [n - k]; without an axis x is flattened first
    Kinks:   none
    Source:  a selection: what is left out receives 0
    Example: vjp explain "np.delete(x, 1)" x=1,2,3 --seed 1,10
    """
    x, axis = flat_without_axis(x, axis)
    length = x.shape[axis]
    kept = np.setdiff1d(np.arange(length), _places("index", index, length))
    return indexing.read_along(x, kept, axis)


@operation(
    keyword_aliases={"obj": "index", "arr": "x"},
    argument_order=("x", "index", "values", "axis"),
    decided=("index",),
    samples=(
        sample((3,), (), index=1),
        sample((3,), (2,), index=(1, 3)),
        sample((3,), (2,), index=1),
        sample((2, 3), (3,), index=1, axis=0),
        sample((2, 3), (2,), index=-1, axis=1),
        sample((2, 3), (2, 2), index=(0, 0), axis=1),
        sample((2, 2), (), index=4),
    ),
    refuses=(
        Refusal(sample((3,), (), index=4), "index-out-of-range"),
        Refusal(sample((3,), (3,), index=(0, 1)), "shape-mismatch"),
        Refusal(sample((2, 3), (4,), index=1, axis=0), "shape-mismatch"),
    ),
)
def insert(x, values, *, index, axis=None):
    """The entries of x with others inserted before the given positions.

    Shapes:  x [n], values [k] or a number -> [n + k]; without an axis x is flattened first
    Kinks:   none
    Source:  a rearrangement: x and values each receive their own part of the adjoint
    Example: vjp explain "np.insert(x, 1, y)" x=1,2,3 y=9 --seed 1,10,100,1000
    """
    x, axis = flat_without_axis(x, axis)
    length = x.shape[axis]
    places = np.arange(length)[index] if isinstance(index, slice) else index
    places = position_array("index", places)
    alone = places.ndim == 0
    outside = places[(places < -length) | (places > length)]
    if outside.size:
        raise fail(
            "index-out-of-range",
            f"index {int(outside.flat[0])} is outside the places 0 to {length} between entries",
        )
    places = np.where(places < 0, places + length, places).reshape(-1)
    values = _as_inserted(x, values, axis, alone, places.size)
    count = values.shape[axis]
    if alone:
        places = np.repeat(places, count)
    # Each entry stands behind those that are inserted before it.
    order = np.argsort(np.concatenate([places - 0.5, np.arange(length)]), kind="stable")
    together = joining.concatenate(values, x, axis=axis)
    return indexing.read_along(together, order, axis)


def _as_inserted(x, values, axis, alone, count):
    """`values` in the form of the slices that are inserted along an axis of x.

    Errors: shape-mismatch.
    """
    if alone and values.ndim == x.ndim - 1 and values.ndim:
        values = shape.expand_dims(values, axis=axis)
    if alone and values.ndim < x.ndim and values.ndim:
        values = shape.reshape(values, shape=(1,) * (x.ndim - values.ndim) + values.shape)
    wanted = list(x.shape)
    wanted[axis] = values.shape[axis] if alone and values.ndim else count
    try:
        fits = np.broadcast_shapes(values.shape, tuple(wanted)) == tuple(wanted)
    except ValueError:
        fits = False
    if not fits:
        raise fail(
            "shape-mismatch",
            f"{shape_text(values.shape)} cannot be inserted into {shape_text(x.shape)}",
            notes=("a number, or one slice for each position",),
        )
    return shape.broadcast_to(values, shape=wanted)


@operation(
    samples=(
        sample((3,), shape=(2, 4)),
        sample((2, 2), shape=3),
        sample((), shape=2),
        sample((3,), shape=(0,)),
    ),
    keyword_aliases={"new_shape": "shape"},
    library_names={"numpy": ("resize",), "jax": ("resize",)},
    refuses=(
        Refusal(sample((3,), shape=-1), "shape-form"),
        Refusal(sample((0,), shape=2), "empty-reduction"),
    ),
)
def cyclic_resize(x, *, shape):
    """An array of another shape, filled with the entries of x from the first on, again and again.

    Shapes:  x [...] -> shape (np.resize)
    Kinks:   none
    Source:  a selection: each entry receives the sum of the adjoints of its copies
    Example: vjp explain "np.resize(x, (2, 3))" x=1,2 --seed ones
    """
    wanted = array_shape(shape)
    count = int(np.prod(wanted, dtype=np.int64))
    if count and not x.size:
        raise fail("empty-reduction", "resize of no entries has nothing to repeat")
    places = np.arange(count) % max(x.size, 1)
    return indexing.index(_raveled(x), index=(places.reshape(wanted),))


def _raveled(x):
    return shape.ravel(x)


@operation(
    present={"x": "now"},
    samples=(
        sample([0.0, 1.5, 0.0, 2.0, 0.0], now=np.array([0.0, 1.5, 0.0, 2.0, 0.0])),
        sample([0.0, 1.5], trim="b", now=np.array([0.0, 1.5])),
    ),
    refuses=(
        Refusal(sample([1.0, 0.0], trim="x", now=np.array([1.0, 0.0])), "keyword-value"),
        Refusal(sample((2, 2), now=np.zeros((2, 2))), "rank-too-high"),
    ),
)
def trim_zeros(x, *, trim="fb", now=None):
    """The entries of a vector without the zeros in front and behind. Decided by value.

    Shapes:  x [n] -> [k]
    Kinks:   where an entry at the end of what is kept becomes 0
    Source:  a selection: what is left out receives 0
    Example: vjp explain "np.trim_zeros(x)" x=0,2,0,3,0 --seed ones
    """
    ends = one_of("trim", trim.lower() if isinstance(trim, str) else trim, ("fb", "bf", "f", "b"))
    if x.ndim != 1:
        raise fail("rank-too-high", f"trim_zeros takes a vector, not {shape_text(x.shape)}")
    kept = np.flatnonzero(now)
    if not kept.size:
        return indexing.index(x, index=(slice(0, 0),))
    start = kept[0] if "f" in ends else 0
    stop = kept[-1] + 1 if "b" in ends else x.size
    return indexing.index(x, index=(slice(int(start), int(stop)),))


@operation(
    samples=(
        sample((2, 3, 4), axis=2),
        sample((2, 3, 4), axis=2, start=1),
        sample((2, 3), axis=0, start=2),
    ),
    refuses=(
        Refusal(sample((2, 3), axis=2), "axis-out-of-range"),
        Refusal(sample((2, 3), axis=0, start=3), "keyword-value"),
    ),
)
def rollaxis(x, *, axis, start=0):
    """The same entries with one axis moved before another.

    Shapes:  x [a, b, c], axis 2 -> [c, a, b]
    Kinks:   none
    Source:  np.rollaxis; a rearrangement: the adjoint is moved back
    Example: vjp explain "np.rollaxis(A, 1) @ x" A=[[1,2],[3,4]] x=1,10 --seed ones
    """
    place = trailing_axis(x, axis) + x.ndim
    target = whole_number("start", start, least=-x.ndim, most=x.ndim)
    target += x.ndim if target < 0 else 0
    return ordering.moveaxis(x, source=place, destination=target - (target > place))
