"""Gathering: entries read by arrays of positions or by masks, in the spellings of the libraries.

All of it is `x[...]` in the end. Positions and masks may depend on an input; as in `x[i]`, their
present value is taken, and no gradient reaches them.
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import as_node, make_constant
from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    sample,
    shape_text,
    trailing_axis,
)
from vjpcli.ops.keywords import (
    condition_mask,
    one_of,
    position_array,
    positions_within,
    whole_number,
)
from vjpcli.ops.numbers import comparison
from vjpcli.ops.shapes import indexing, shape


def open_grid(lengths, axis, positions):
    """An index that reads `positions` along one axis and walks along every other.

    `lengths` are those to walk; axis counts from the end.
    """
    ndim = len(lengths)
    parts = []
    for place in range(ndim):
        if place == ndim + axis:
            parts.append(positions)
        else:
            along = [1] * ndim
            along[place] = lengths[place]
            parts.append(np.arange(lengths[place]).reshape(along))
    return tuple(parts)


@operation(
    keyword_aliases={"indices": "index"},
    decided=("index",),
    samples=(
        sample((3,), index=(0, 0, 2)),
        sample((2, 3), index=((5, 1), (0, -1))),
        sample((2, 3), index=(2, 0, 2), axis=1),
        sample((2, 3), index=1, axis=0),
        sample((2, 3), index=(), axis=0),
        sample((3,), index=(0, 7, -1), mode="wrap"),
        sample((2, 3), index=(0, 7), axis=1, mode="clip"),
        sample((2, 3), index=(0, -3), axis=1, mode="fill"),
    ),
    refuses=(
        Refusal(sample((3,), index=(3,), mode="skip"), "keyword-value"),
        Refusal(sample((3,), index=(3,)), "index-out-of-range"),
        Refusal(sample((3,), index=(0.5,)), "index-not-whole"),
        Refusal(sample((3,), index=(True, False)), "index-not-whole"),
        Refusal(sample((3,), index=((0, 1), (2,))), "ragged-rows"),
        Refusal(sample((3,), index=(0,), axis=1), "axis-out-of-range"),
    ),
)
def take(x, *, index, axis=None, mode="raise"):
    """Entries of x at the positions of `index`: in the flattened array, or along an axis.

    Shapes:  x [...], index [k] -> [k];  with axis 1, x [m, n] -> [m, k]
    Kinks:   none
    Source:  a selection: an entry read twice receives two adjoints
    Example: vjp explain "take(x, [0, 0, 2])" x=1,2,3 --seed 1,10,100
    """
    if axis is None:
        x, axis = shape.ravel(x), -1
    axis = trailing_axis(x, axis)
    where = None if x.ndim == 1 else axis + x.ndim
    length = x.shape[axis]
    if mode is not None and one_of("mode", mode, ("raise", "wrap", "clip", "fill")) != "raise":
        return _taken_anyway(x, position_array("index", index), axis, mode)
    found = positions_within("index", index, length, where)
    return indexing.read_along(x, found, axis)


def _taken_anyway(x, positions, axis, mode):
    """Entries at positions that may lie outside: around the circle, at the end, or nan (JAX)."""
    length = x.shape[axis]
    if length == 0:
        raise fail("index-out-of-range", "an axis of length 0 has no entries to take")
    if mode == "wrap":
        return indexing.read_along(x, positions % length, axis)
    if mode == "clip":
        return indexing.read_along(x, np.clip(positions, 0, length - 1), axis)
    inside = (positions >= -length) & (positions < length)
    found = indexing.read_along(x, np.where(inside, positions % length, 0), axis)
    beside = inside.reshape(inside.shape + (1,) * (-axis - 1))
    return comparison.where(as_node(beside), found, np.nan)


@operation(
    decided=("index",),
    samples=(sample((3, 2), axis=0, index=(2, 0, 0)), sample((2, 3), axis=-1, index=1)),
    refuses=(
        Refusal(sample((3,), axis=0, index=((0, 1),)), "rank-too-high"),
        Refusal(sample((3,), axis=0, index=(3,)), "index-out-of-range"),
    ),
)
def index_select(x, *, axis, index):
    """The slices at the positions of `index` along one axis.

    Shapes:  x [m, n], axis 0, index [k] -> [k, n]
    Kinks:   none
    Source:  a selection: a slice read twice receives two adjoints
    Example: vjp explain "index_select(W, 0, [1, 1]) @ x" W=[[1,2],[3,4]] x=1,10 --seed ones
    """
    axis = trailing_axis(x, axis)
    found = positions_within("index", index, x.shape[axis], axis + x.ndim)
    if found.ndim > 1:
        raise fail("rank-too-high", f"`index` is a vector, not {shape_text(found.shape)}")
    return indexing.read_along(x, found.reshape(-1), axis)


@operation(
    decided=("index",),
    samples=(
        sample((2, 3), axis=1, index=((0, 0), (2, 1))),
        sample((2, 3), axis=0, index=((1, 0),)),
        sample((3,), axis=-1, index=(2, 2)),
        sample((), axis=0, index=0),
    ),
    refuses=(
        Refusal(sample((2, 3), axis=1, index=(0, 1)), "gather-shape"),
        Refusal(sample((2, 3), axis=1, index=((0,), (0,), (0,))), "gather-shape"),
        Refusal(sample((2, 3), axis=1, index=((3,),)), "index-out-of-range"),
        Refusal(sample((2, 3), axis=2, index=((0,),)), "axis-out-of-range"),
    ),
)
def gather(x, *, axis, index):
    """For each entry of `index`, the entry of x at that position along the axis (PyTorch).

    Shapes:  x [m, n], axis 1, index [m, k] -> [m, k]; other axes of index may be shorter
    Kinks:   none
    Source:  a selection: an entry read twice receives two adjoints
    Example: vjp explain "gather(x, 1, [[0, 0], [2, 1]])" x=[[1,2,3],[4,5,6]] --seed ones
    """
    x, axis, found = gather_places("gather", x, axis, index)
    if found is None:
        return x
    return indexing.index(x, index=open_grid(found.shape, axis, found))


def gather_places(name, x, axis, index):
    """Operand, axis and positions of PyTorch's gather and scatter; None where x is a number.

    Errors: gather-shape, index-out-of-range, axis-out-of-range.
    """
    found = position_array("index", index)
    if x.ndim == 0:
        if found.ndim > 1 or np.any(found != 0) or axis not in (0, -1):
            raise fail("gather-shape", f"{name} on a number takes index 0 along axis 0")
        return x, -1, None
    axis = trailing_axis(x, axis)
    found = positions_within("index", found, x.shape[axis], axis + x.ndim)
    fits = found.ndim == x.ndim and all(
        place == x.ndim + axis or found.shape[place] <= x.shape[place] for place in range(x.ndim)
    )
    if not fits:
        raise fail(
            "gather-shape",
            f"{name}: an index of shape {shape_text(found.shape)} does not fit "
            f"{shape_text(x.shape)} along axis {axis + x.ndim}",
            notes=("it has as many axes, and is no longer along any other axis",),
        )
    return x, axis, found


@operation(
    aliases=("take_along_dim",),
    keyword_aliases={"indices": "index"},
    decided=("index",),
    samples=(
        sample((2, 3), index=((0, 0), (2, 1)), axis=1),
        sample((2, 3), index=((1, 0, 1),), axis=0),
        sample((2, 3), index=((2,),), axis=1),
        sample((2, 3), index=(5, 0)),
    ),
    refuses=(
        Refusal(sample((2, 3), index=(0, 1), axis=1), "gather-shape"),
        Refusal(sample((2, 3), index=((0,), (0,), (0,)), axis=1), "gather-shape"),
        Refusal(sample((2, 3), index=((3,), (0,)), axis=1), "index-out-of-range"),
    ),
)
def take_along_axis(x, *, index, axis=None):
    """For each entry of `index`, the entry of x at that position along the axis (NumPy).

    Shapes:  x [m, n], index [m, k], axis 1 -> [m, k]; other axes broadcast
    Kinks:   none
    Source:  a selection: an entry read twice receives two adjoints
    Example: vjp explain "take_along_axis(x, argsort(x), 0) * y" x=3,1,2 y=1,10,100 --seed ones
    """
    if axis is None:
        return take(x, index=index)
    axis = trailing_axis(x, axis)
    found = positions_within("index", index, x.shape[axis], axis + x.ndim)
    fits = found.ndim == x.ndim and all(
        place == x.ndim + axis or 1 in (a, b) or a == b
        for place, (a, b) in enumerate(zip(found.shape, x.shape, strict=True))
    )
    if not fits:
        raise fail(
            "gather-shape",
            f"an index of shape {shape_text(found.shape)} does not fit {shape_text(x.shape)}",
            notes=("it has as many axes, and along the others it is as long, or 1",),
        )
    return indexing.index(x, index=open_grid(x.shape, axis, found))


@operation(
    decided=("mask",),
    samples=(
        sample((3,), mask=(True, False, True)),
        sample((2, 3), mask=(False, True, True)),
        sample((2, 1), mask=((1, 0), (1, 1))),
    ),
    refuses=(
        Refusal(sample((3,), mask=(True, False)), "mask-shape"),
        Refusal(sample((3,), mask="no"), "not-a-mask"),
    ),
)
def masked_select(x, *, mask):
    """The entries of x where the mask holds, in one row.

    Shapes:  x [...], mask [...] -> [number of True]; they broadcast together
    Kinks:   none; a mask that depends on an input is decided by its value
    Source:  a selection
    Example: vjp explain "masked_select(x, x > 1)" x=1,2,3 --seed 1,10
    """
    chosen = condition_mask("mask", mask)
    try:
        together = np.broadcast_shapes(x.shape, chosen.shape)
    except ValueError:
        raise fail(
            "mask-shape",
            f"a mask of shape {shape_text(chosen.shape)} does not fit {shape_text(x.shape)}",
        ) from None
    stretched = shape.broadcast_to(x, shape=together) if x.shape != together else x
    return indexing.index(stretched, index=(np.broadcast_to(chosen, together),))


@operation(
    samples=(
        sample((4, 2), axis=0, start=1, length=2),
        sample((2, 3), axis=-1, start=-2, length=1),
    ),
    refuses=(
        Refusal(sample((4,), axis=0, start=3, length=2), "index-out-of-range"),
        Refusal(sample((4,), axis=0, start=5, length=0), "index-out-of-range"),
        Refusal(sample((4,), axis=0, start=0, length=-1), "keyword-value"),
    ),
    aliases=("narrow_copy",),
)
def narrow(x, *, axis, start, length):
    """A stretch of `length` slices along an axis, from `start` on.

    Shapes:  x [m, n], axis 0 -> [length, n]
    Kinks:   none
    Source:  a selection
    Example: vjp explain "narrow(x, 0, 1, 2)**2" x=1,2,3,4 --seed ones
    """
    axis = trailing_axis(x, axis)
    first = whole_number("start", start)
    count = whole_number("length", length, least=0)
    first += x.shape[axis] if first < 0 else 0
    if not 0 <= first <= first + count <= x.shape[axis]:
        raise fail(
            "index-out-of-range",
            f"{count} entries from {start} on do not lie in an axis of length {x.shape[axis]}",
        )
    return indexing.read_range(x, first, first + count, axis)


@operation(
    decided=("index",),
    samples=(sample((2, 3), axis=1, index=-1), sample((3,), axis=0, index=0)),
    refuses=(Refusal(sample((2, 3), axis=1, index=3), "index-out-of-range"),),
)
def select(x, *, axis, index):
    """One slice along an axis, which goes (PyTorch's select).

    Shapes:  x [m, n], axis 1 -> [m]
    Kinks:   none
    Source:  a selection
    Example: vjp explain "select(W, 0, 1) * x" W=[[1,2],[3,4]] x=1,10 --seed ones
    """
    axis = trailing_axis(x, axis)
    found = positions_within("index", index, x.shape[axis], axis + x.ndim)
    if found.ndim:
        raise fail("rank-too-high", "select takes one position; index_select takes several")
    return indexing.read_along(x, int(found), axis)


@operation(
    library_names={"torch": ("nonzero",)},
    decided=("x",),
    refuses=(Refusal(sample(x="no"), "not-a-mask"),),
)
def argwhere(*, x):
    """Positions of the entries that are not 0, one row for each. Decided by value.

    Shapes:  x [...] -> [number of nonzero entries, number of axes]
    Kinks:   none; no gradient reaches x
    Source:  positions change only in jumps
    Example: vjp explain "y[argwhere(x > 0)[:, 0]]" x=-1,2,3 y=4,5,6 --seed ones
    """
    return make_constant(np.argwhere(condition_mask("x", x)))


@operation(decided=("x",), refuses=(Refusal(sample(x="no"), "not-a-mask"),))
def nonzero(*, x):
    """Positions of the entries that are not 0, one array for each axis. Decided by value.

    Shapes:  x [m, n] -> [k], [k], so that x[nonzero(x)] are the k entries (NumPy)
    Kinks:   none; no gradient reaches x
    Source:  positions change only in jumps
    Example: vjp explain "x[np.nonzero(x > 1)]" x=1,2,3 --seed 1,10
    """
    mask = np.atleast_1d(condition_mask("x", x))
    return tuple(make_constant(found) for found in np.nonzero(mask))
