"""Selection along an axis: reading entries at positions, and its mirror image, adding into them.

The positions are themselves a node, an index that was found by a search or an ordering. So the
rules of `max(x, dim)`, `sort`, `topk`, `median` and `cummax` are all this one pair.
"""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import fail, operation, outcome, shape_text, trailing_axis
from vjpcli.ops.keywords import whole_number


def _require_positions(x, positions, axis):
    """Refuses positions that are not an index, or do not fit x beside the axis.

    Errors: index-not-whole, shape-mismatch.
    """
    if positions.kind != "index":
        raise fail(
            "index-not-whole",
            "positions along an axis are an index",
            notes=("argmax, argsort, topk and the like give one",),
        )
    beside = x.shape[max(x.ndim - positions.ndim, 0) :]
    fits = len(beside) == positions.ndim and all(
        mine == theirs
        for place, (mine, theirs) in enumerate(zip(beside, positions.shape, strict=True))
        if place != axis + positions.ndim
    )
    if not fits:
        raise fail(
            "shape-mismatch",
            f"positions of shape {shape_text(positions.shape)} do not fit {shape_text(x.shape)}",
        )


def _require_inside(positions, length):
    if positions.size and not (positions.min() >= 0 and positions.max() < length):
        raise fail("index-out-of-range", f"a position lies outside an axis of length {length}")


def _pick_along(x, positions, *, axis):
    _require_inside(positions, x.shape[axis])
    wanted = x.shape[: x.ndim - positions.ndim] + positions.shape
    return np.take_along_axis(x, np.broadcast_to(positions, wanted), axis)


def _reads_whole_axis(x, positions, *, axis):
    """Which entry is read depends on values, so a result may read any along the axis."""
    read = np.bitwise_or.reduce(x, axis=axis, keepdims=True)
    return np.broadcast_to(read, positions.shape)


@operation(_pick_along, pattern=_reads_whole_axis, analytic=True)
def pick_along(x, positions, *, axis):
    """Entries of x along one axis, at positions found by `argmax`, `argsort` and the like.

    Shapes:  x [... n ...], positions [... k ...] -> [... k ...]
    Kinks:   where the positions jump
    Source:  a selection: the adjoint is added into the places that were read
    Example: vjp explain "pick_along(x, argsort(x), axis=0)" x=3,1,2 --seed 1,10,100
    """
    axis = trailing_axis(positions, axis)
    _require_positions(x, positions, axis)
    before = x.shape[: x.ndim - positions.ndim]
    return outcome(before + positions.shape, axis=axis)


@pick_along.vjp
def _(g, y, x, positions, *, axis):
    return put_along(g, positions, axis=axis, length=x.shape[axis]), None


def _put_along(g, positions, *, axis, length):
    g = np.moveaxis(g, axis, -1)
    positions = np.broadcast_to(np.moveaxis(positions, axis, -1), g.shape)
    _require_inside(positions, length)
    out = np.zeros((*g.shape[:-1], length), dtype=g.dtype)
    lanes = out.reshape(-1, length) if length else out.reshape(0, 1)
    count = g.shape[-1]
    if lanes.size and count:
        rows = np.arange(len(lanes))[:, None]
        np.add.at(lanes, (rows, positions.reshape(-1, count)), g.reshape(-1, count))
    return np.moveaxis(out, -1, axis)


def _reads_all_put(g, positions, *, axis, length):
    read = np.bitwise_or.reduce(g, axis=axis, keepdims=True)
    shape = list(g.shape)
    shape[axis] = length
    return np.broadcast_to(read, shape)


@operation(_put_along, pattern=_reads_all_put, analytic=True)
def put_along(g, positions, *, axis, length):
    """Zeros with the entries of g added in along one axis, at positions that are an index.

    Shapes:  g [... k ...], positions [... k ...] -> [... length ...]
    Kinks:   where the positions jump
    Source:  the transpose of reading at those positions
    Example: vjp explain "put_along(x, argsort(x), axis=0, length=3)" x=3,1,2 --seed 1,10,100
    """
    axis = trailing_axis(positions, axis)
    _require_positions(g, positions, axis)
    length = whole_number("length", length, least=0)
    shape = list(g.shape)
    shape[axis] = length
    return outcome(shape, axis=axis, length=length)


@put_along.vjp
def _(g, y, x, positions, *, axis, length):
    return pick_along(g, positions, axis=axis), None
