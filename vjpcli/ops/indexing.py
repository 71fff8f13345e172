"""Indexing: reading entries by position, and its mirror image, adding into positions.

`x[index]` reads; its rule adds the adjoint back into the places that were read, so an entry
that was read twice receives two contributions.
"""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import fail, operation, outcome, sample, shape_text


def _is_basic(index):
    """Whether `index` holds only integers, slices and None, so that NumPy gives a view."""
    return all(part is None or isinstance(part, int | slice) for part in index)


def _axes_taken(part):
    """How many axes of the operand one part of an index uses up."""
    if part is None or isinstance(part, bool):
        return 0
    return part.ndim if isinstance(part, np.ndarray) and part.dtype == np.bool_ else 1


def explicit_index(shape, index):
    """`index` with `...` and missing axes written out as full slices.

    Errors: too-many-indices, index-out-of-range, mask-shape.
    """
    taken = 0
    for part in index:
        taken += 0 if part is Ellipsis else _axes_taken(part)
    missing = len(shape) - taken
    if missing < 0 or sum(part is Ellipsis for part in index) > 1:
        raise fail(
            "too-many-indices",
            f"{taken} indices for an array of shape {shape_text(shape)}",
        )
    where = next((i for i, part in enumerate(index) if part is Ellipsis), len(index))
    full = (*index[:where], *[slice(None)] * missing, *index[where + 1 :])
    axis = 0
    for part in full:
        _check_part(shape, axis, part)
        axis += _axes_taken(part)
    return full


def _check_part(shape, axis, part):
    if isinstance(part, np.ndarray) and part.dtype == np.bool_:
        if part.shape != shape[axis : axis + part.ndim]:
            raise fail(
                "mask-shape",
                f"a mask of shape {shape_text(part.shape)} does not fit "
                f"{shape_text(shape[axis : axis + part.ndim])}",
            )
    elif isinstance(part, int | np.ndarray) and not isinstance(part, bool):
        positions = np.asarray(part)
        outside = positions[(positions < -shape[axis]) | (positions >= shape[axis])]
        if outside.size:
            raise fail(
                "index-out-of-range",
                f"index {int(outside.flat[0])} is outside axis {axis} of length {shape[axis]}",
                notes=(f"the shape is {shape_text(shape)}",),
            )


def _flat_positions(shape, index):
    """Positions of the entries that `index` reads, in the flattened array."""
    return np.arange(int(np.prod(shape)), dtype=np.intp).reshape(shape)[index]


def _read(x, *, index, shape):
    batch = x.shape[: x.ndim - len(shape)]
    if not batch:
        return x[index]
    if _is_basic(index):
        return x[(slice(None),) * len(batch) + index]
    flat = x.reshape((*batch, -1))
    return flat[..., _flat_positions(shape, index)]


def _add_into(g, *, index, shape):
    rank = np.empty(shape, dtype=bool)[index].ndim
    batch = g.shape[: g.ndim - rank]
    if _is_basic(index):
        out = np.zeros(batch + shape, dtype=g.dtype)
        out[(slice(None),) * len(batch) + index] = g
        return out
    out = np.zeros((*batch, int(np.prod(shape))), dtype=g.dtype)
    positions = _flat_positions(shape, index)
    np.add.at(out, (..., positions.ravel()), g.reshape((*batch, -1)))
    return out.reshape(batch + shape)


INDEX_SAMPLES = (
    sample((2, 3), index=(0,)),
    sample((2, 3), index=(slice(None), 1)),
    sample((4,), index=(slice(None, None, -2),)),
    sample((2, 3), index=(None, Ellipsis, slice(1, None))),
    sample((3,), index=(np.array([0, 0, 2]),)),
    sample((2, 3, 2), index=(np.array([1, 0, 1]), slice(None), np.array([0, 1, 1]))),
    sample((2, 3), index=(np.array([[True, False, True], [False, True, False]]),)),
    sample((3,), index=(slice(3, None),)),
)


@operation(_read, pattern="movement", samples=INDEX_SAMPLES, analytic=True)
def index(x, *, index, shape=None):
    """Entries of x by position: integers, slices, None, `...`, lists of integers, masks.

    Shapes:  x [...] -> as NumPy indexes
    Kinks:   none; a mask or index that depends on an input is decided by its value
    Source:  a selection: the adjoint is added into the places that were read
    Example: vjp explain "x[[0, 0, 2]]" x=1.5,0.7,0.4 --seed 0.4,2,5
    """
    indexed = x.shape if shape is None else shape
    batch = x.ndim - len(indexed)
    full = explicit_index(indexed, index)
    result = np.broadcast_to(np.empty((), dtype=bool), indexed)[full].shape
    return outcome(x.shape[:batch] + result, index=full, shape=indexed)


@index.vjp
def _(g, y, x, *, index, shape):
    return add_into(g, index=index, shape=shape)


@operation(
    _add_into,
    pattern="all",
    samples=(
        sample((3,), index=(slice(None), 1), shape=(3, 2)),
        sample((3,), index=(np.array([0, 0, 2]),), shape=(4,)),
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
    rank = np.broadcast_to(np.empty((), dtype=bool), shape)[index].ndim
    return outcome(g.shape[: g.ndim - rank] + tuple(shape), index=index, shape=tuple(shape))


@add_into.vjp
def _(g, y, x, *, index, shape):
    return _index(g, index=index, shape=shape)


_index = index
