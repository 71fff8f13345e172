"""Indexing: reading entries by position, and its mirror image, adding into positions.

`x[index]` reads; its rule adds the adjoint back into the places that were read, so an entry
that was read twice receives two contributions.
"""

from __future__ import annotations

import math

import numpy as np

from vjpcli.ops.declaration import Refusal, fail, operation, outcome, sample, shape_text
from vjpcli.ops.keywords import array_shape, position_array


def explicit_index(shape, index):
    """`index` in the form that all of this file works on, checked against `shape`.

    `...` and missing axes are written out as full slices; lists become arrays, True and False
    masks without axes.

    Errors: too-many-indices, index-out-of-range, index-not-whole, mask-shape, slice-step.
    """
    parts = tuple(_part(part) for part in (index if isinstance(index, tuple) else (index,)))
    taken = sum(_axes_taken(part) for part in parts)
    missing = len(shape) - taken
    ellipses = [i for i, part in enumerate(parts) if part is Ellipsis]
    if missing < 0 or len(ellipses) > 1:
        several = "1 index" if taken == 1 else f"{taken} indices"
        what = several if missing < 0 else "`...` twice"
        raise fail("too-many-indices", f"{what} for an array of shape {shape_text(shape)}")
    where = ellipses[0] if ellipses else len(parts)
    full = (*parts[:where], *[slice(None)] * missing, *parts[where + 1 :])
    axis = 0
    for part in full:
        _check_part(shape, axis, part)
        axis += _axes_taken(part)
    return full


def _part(part):
    if isinstance(part, list | tuple):
        part = np.array(position_array("index", part)) if len(part) else np.zeros(0, np.intp)
    if isinstance(part, bool | np.bool_):
        return np.array(part)
    if isinstance(part, np.integer):
        return int(part)
    if part is None or part is Ellipsis or isinstance(part, int):
        return part
    if isinstance(part, np.ndarray):
        return part if part.dtype == np.bool_ else position_array("index", part)
    if isinstance(part, slice):
        return _slice(part)
    raise fail("index-not-whole", "an index is a whole number")


def _slice(part):
    if any(not isinstance(b, int | None) for b in (part.start, part.stop, part.step)):
        raise fail("index-not-whole", "a slice is given by whole numbers")
    if part.step == 0:
        raise fail("slice-step", "the step of a slice cannot be 0")
    return part


def _axes_taken(part):
    """How many axes of the operand one part of an index uses up."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if isinstance(part, np.ndarray) and part.dtype == np.bool_ else 1


def _check_part(shape, axis, part):
    if isinstance(part, np.ndarray) and part.dtype == np.bool_:
        if part.shape != shape[axis : axis + part.ndim]:
            raise fail(
                "mask-shape",
                f"a mask of shape {shape_text(part.shape)} does not fit "
                f"{shape_text(shape[axis : axis + part.ndim])}",
            )
    elif isinstance(part, int | np.ndarray):
        at = np.asarray(part)
        outside = at[(at < -shape[axis]) | (at >= shape[axis])]
        if outside.size:
            raise fail(
                "index-out-of-range",
                f"index {int(outside.flat[0])} is outside axis {axis} of length {shape[axis]}",
                notes=(f"the shape is {shape_text(shape)}",),
            )


def indexed_shape(shape, index):
    """Shape of what an explicit index reads, without reading it.

    Arrays (and integers beside arrays) broadcast together. Their axes stand where the first
    of them stands, or in front when a slice or None stands between two of them.

    Errors: shape-mismatch when the arrays do not broadcast.
    """
    has_arrays = any(isinstance(part, np.ndarray) for part in index)
    kept, arrays, places = [], [], []
    axis = 0
    for i, part in enumerate(index):
        if part is None:
            kept.append(1)
        elif isinstance(part, slice):
            kept.append(len(range(*part.indices(shape[axis]))))
        elif has_arrays:
            mask = isinstance(part, np.ndarray) and part.dtype == np.bool_
            arrays.append((int(np.count_nonzero(part)),) if mask else np.shape(part))
            places.append((i, len(kept)))
        axis += _axes_taken(part)
    if not arrays:
        return tuple(kept)
    try:
        together = np.broadcast_shapes(*arrays)
    except ValueError:
        listed = " and ".join(shape_text(one) for one in arrays)
        raise fail(
            "shape-mismatch", f"the indices of shapes {listed} do not fit together"
        ) from None
    adjacent = places[-1][0] - places[0][0] == len(places) - 1
    place = places[0][1] if adjacent else 0
    return (*kept[:place], *together, *kept[place:])


def _behind(array, axes):
    """The first `axes` axes put behind the others: there an index does not disturb them."""
    return np.moveaxis(array, range(axes), range(-axes, 0)) if axes else array


def _in_front(array, axes):
    return np.moveaxis(array, range(-axes, 0), range(axes)) if axes else array


def _read(x, *, index, shape):
    batch = x.ndim - len(shape)
    return _in_front(_behind(x, batch)[index], batch)


def _add_into(g, *, index, shape, add=np.add):
    batch = g.shape[: g.ndim - len(indexed_shape(shape, index))]
    out = np.zeros(batch + shape, dtype=g.dtype)
    if not any(isinstance(part, np.ndarray) and part.dtype != np.bool_ for part in index):
        # Slices and masks read no entry twice. [()] makes an entry of an array without axes: an
        # array of symbols would keep the array itself.
        _behind(out, len(batch))[index] = _behind(g, len(batch))[()]
        return out
    places = np.arange(math.prod(shape), dtype=np.intp).reshape(shape)[index].ravel()
    rows = np.arange(math.prod(batch), dtype=np.intp)[:, None] * math.prod(shape)
    places = (rows + places).ravel() if batch else places
    if g.dtype.kind == "f" and add is np.add:
        # Five times as fast as add.at, and it sums in float64.
        sums = np.bincount(places, weights=g.reshape(-1), minlength=out.size)
        return sums.astype(g.dtype, copy=False).reshape(out.shape)
    add.at(out.reshape(-1), places, g.reshape(-1))
    return out


def _read_by(g, *, index, shape):
    """Which entries of g reach each entry of the result: the same walk, joining sets."""
    return _add_into(g, index=index, shape=shape, add=np.bitwise_or)


INDEX_SAMPLES = (
    sample((2, 3), index=(0,)),
    sample((2, 3), index=(slice(None), 1)),
    sample((4,), index=(slice(None, None, -2),)),
    sample((2, 3), index=(None, Ellipsis, slice(1, None))),
    sample((3,), index=(np.array([0, 0, 2]),)),
    sample((2, 3, 2), index=(np.array([1, 0, 1]), slice(None), np.array([0, 1, 1]))),
    sample((2, 3, 2), index=(np.array([1, -1]), slice(None), 1)),
    sample((2, 3), index=(np.array([[True, False, True], [False, True, False]]),)),
    sample((2, 3, 2), index=(slice(None), np.array([True, False, True]), np.array([1, 1]))),
    sample((3,), index=(np.zeros(0, dtype=np.intp),)),
    sample((2,), index=(True,)),
    sample((3,), index=(slice(3, None),)),
)


@operation(
    _read,
    pattern="movement",
    samples=INDEX_SAMPLES,
    refuses=(
        Refusal(sample((2, 3), index=(2,)), "index-out-of-range"),
        Refusal(sample((2, 3), index=(0, np.array([0, -4]))), "index-out-of-range"),
        Refusal(sample((2, 3), index=(0, 0, 0)), "too-many-indices"),
        Refusal(sample((2,), index=(Ellipsis, Ellipsis)), "too-many-indices"),
        Refusal(sample((3,), index=(np.array([True, False]),)), "mask-shape"),
        Refusal(sample((3,), index=(slice(None, None, 0),)), "slice-step"),
        Refusal(sample((3,), index=(1.5,)), "index-not-whole"),
        Refusal(sample((3, 3), index=(np.array([0, 1]), np.array([0, 1, 2]))), "shape-mismatch"),
    ),
    analytic=True,
)
def index(x, *, index, shape=None):
    """Entries of x by position: integers, slices, None, `...`, lists of integers, masks.

    Shapes:  x [...] -> as NumPy indexes
    Kinks:   none; a mask or index that depends on an input is decided by its value
    Source:  a selection: the adjoint is added into the places that were read
    Example: vjp explain "x[[0, 0, 2]]" x=1.5,0.7,0.4 --seed 0.4,2,5
    """
    indexed = x.shape if shape is None else array_shape(shape)
    batch = x.ndim - len(indexed)
    if batch < 0 or x.shape[batch:] != indexed:
        raise fail("shape-mismatch", f"x has shape {shape_text(x.shape)}, not {indexed}")
    full = explicit_index(indexed, index)
    return outcome(x.shape[:batch] + indexed_shape(indexed, full), index=full, shape=indexed)


@index.vjp
def _(g, y, x, *, index, shape):
    return add_into(g, index=index, shape=shape)


@operation(
    _add_into,
    pattern=_read_by,
    samples=(
        sample((3,), index=(slice(None), 1), shape=(3, 2)),
        sample((3,), index=(np.array([0, 0, 2]),), shape=(4,)),
        sample((2, 3), index=(np.array([1, 1]), slice(None), 0), shape=(2, 3, 2)),
    ),
    refuses=(
        Refusal(sample((2,), index=(np.array([0, 0, 2]),), shape=(4,)), "shape-mismatch"),
        Refusal(sample((1,), index=(np.array([4]),), shape=(4,)), "index-out-of-range"),
    ),
    analytic=True,
)
def add_into(g, *, index, shape):
    """Zeros of `shape` with the entries of g added at the positions of `index`.

    Shapes:  g [shape of zeros(shape)[index]] -> shape
    Kinks:   none
    Source:  the transpose of reading by `index`
    Example: vjp explain "sum(x[1:]**2)" x=1,2,3
    """
    shape = array_shape(shape)
    full = explicit_index(shape, index)
    read = indexed_shape(shape, full)
    batch = g.ndim - len(read)
    if batch < 0 or g.shape[batch:] != read:
        raise fail(
            "shape-mismatch",
            f"{shape_text(read)} positions cannot take entries of shape {shape_text(g.shape)}",
        )
    return outcome(g.shape[:batch] + shape, index=full, shape=shape)


@add_into.vjp
def _(g, y, x, *, index, shape):
    return _index(g, index=index, shape=shape)


_index = index


def read_first(x, place):
    """The entry of a vector at `place`, a number or a slice; of more axes, along the first."""
    return index(x, index=(place,))


def read_along(x, positions, axis):
    """Entries of x at `positions` (an array of any rank) along one axis, counted from the end."""
    behind = (slice(None),) * (-axis - 1)
    return index(x, index=(Ellipsis, positions, *behind))


def read_range(x, start, stop, axis, step=None):
    """The entries from `start` to `stop` along one axis, counted from the end."""
    behind = (slice(None),) * (-axis - 1)
    return index(x, index=(Ellipsis, slice(start, stop, step), *behind))
