"""Scattering that combines: the entries written to one position are reduced to one number."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import OPERATIONS, as_node
from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text, trailing_axis
from vjpcli.ops.keywords import one_of, positions_within, true_or_false
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import indexing, joining, shape
from vjpcli.ops.shapes.gathering import gather_places, open_grid

NEUTRAL = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "amax": -np.inf, "amin": np.inf}
"""What an empty place of the table counts as."""


def _contributors(places, size, include_self):
    """For each position of the flattened array the positions read there, in one table.

    A number below `size` means the array's own entry, above it the source's, -1 none.
    """
    times = np.bincount(places, minlength=size)
    keeps_own = np.ones(size, dtype=bool) if include_self else times == 0
    order = np.argsort(places, kind="stable")
    first = np.cumsum(times) - times
    column = np.arange(places.size) - first[places[order]] + keeps_own[places[order]]
    width = int(np.max(times + keeps_own, initial=1))
    refuse_oversized((size, width))
    table = np.full((size, width), -1, dtype=np.intp)
    table[keeps_own, 0] = np.flatnonzero(keeps_own)
    table[places[order], column] = size + order
    return table


@operation(
    argument_order=("x", "axis", "index", "source", "reduce", "include_self"),
    keyword_aliases={"src": "source"},
    decided=("index",),
    samples=(
        sample((4,), (3,), axis=0, index=(0, 0, 3), reduce="sum"),
        sample((4,), (3,), axis=0, index=(0, 0, 3), reduce="mean"),
        sample((2, 3), (2, 2), axis=1, index=((0, 0), (2, 1)), reduce="prod"),
        sample((2, 3), (1, 3), axis=0, index=((1, 1, 0),), reduce="amax"),
        sample((3,), (3,), axis=0, index=(1, 1, 2), reduce="amin", include_self=False),
        sample((3,), (2,), axis=0, index=(1, 1), reduce="mean", include_self=False),
        sample([2.0, 0.0, 3.0], [0.0, 5.0], axis=0, index=(1, 1), reduce="prod"),
        sample((0,), (3,), axis=0, index=(), reduce="amin", include_self=False),
    ),
    refuses=(
        Refusal(sample((3,), (1,), axis=0, index=(0, 1), reduce="sum"), "gather-shape"),
        Refusal(sample((3,), (2,), axis=0, index=(0, 1), reduce="add"), "keyword-value"),
        Refusal(sample((3,), (2,), axis=0, index=(0, 3), reduce="sum"), "index-out-of-range"),
    ),
)
def scatter_reduce(x, source, *, axis, index, reduce, include_self=True):
    """x with, at each position that is written, what was written there reduced to one number.

    Shapes:  x [m, n], source and index [k, n] for axis 0 -> [m, n]; reduce is sum, prod, mean,
             amax or amin, and include_self says whether x's own entry takes part
    Kinks:   amax and amin: where several are largest, they share the adjoint (PyTorch)
    Source:  a selection into a table of contributors, and the rule of the reduction
    Example: vjp explain "scatter_reduce(x, 0, [0,0,2], s, 'amax')" x=1,2,3 s=4,5,6 --seed ones
    """
    how = one_of("reduce", reduce, tuple(NEUTRAL))
    x, axis, found = gather_places("scatter_reduce", x, axis, index)
    if (
        found is None
        or found.ndim != source.ndim
        or any(map(int.__gt__, found.shape, source.shape))
    ):
        raise fail(
            "gather-shape",
            f"scatter_reduce: a source of shape {shape_text(source.shape)} is too small for an "
            f"index of shape {shape_text(found.shape)}",
        )
    if source.shape != found.shape:
        source = indexing.index(source, index=tuple(slice(0, n) for n in found.shape))
    places = np.arange(x.size).reshape(x.shape)[open_grid(found.shape, axis, found)].ravel()
    table = _contributors(places, x.size, true_or_false("include_self", include_self))
    pieces = (shape.ravel(x), shape.ravel(source), as_node(np.array([NEUTRAL[how]])))
    read = indexing.index(joining.concatenate(*pieces, axis=0), index=(table,))
    if how == "mean":
        counts = np.maximum((table >= 0).sum(axis=1), 1)
        reduced = reduction.sum(read, axis=1) / as_node(counts)
    else:
        reduced = OPERATIONS[how](read, axis=1)
    return shape.reshape(reduced, shape=x.shape)


@operation(
    argument_order=("x", "axis", "index", "source", "reduce", "include_self"),
    decided=("index",),
    samples=(
        sample((4,), (3,), axis=0, index=(0, 0, 3), reduce="mean"),
        sample((2, 3), (2, 2), axis=1, index=(0, 2), reduce="prod"),
        sample((3, 2), (2, 2), axis=0, index=(1, 1), reduce="amax"),
        sample((3,), (2,), axis=0, index=(1, 1), reduce="amin", include_self=False),
    ),
    refuses=(
        Refusal(sample((3,), (2,), axis=0, index=(0, 1), reduce="sum"), "keyword-value"),
        Refusal(sample((3,), (3,), axis=0, index=(0, 1), reduce="mean"), "shape-mismatch"),
        Refusal(sample((3,), (1, 1), axis=0, index=((0,),), reduce="mean"), "rank-too-high"),
        Refusal(sample((3,), (2,), axis=0, index=(0, 3), reduce="mean"), "index-out-of-range"),
    ),
)
def index_reduce(x, source, *, axis, index, reduce, include_self=True):
    """x with, at each place that is named along an axis, the slices named for it reduced to one.

    Shapes:  x [m, n], index [k], source [k, n] for axis 0 -> [m, n]; reduce is prod, mean, amax
             or amin, and include_self says whether x's own slice takes part
    Kinks:   amax and amin: where several are largest, they share the adjoint (PyTorch)
    Source:  `scatter_reduce` with the index copied over the other axes
    Example: vjp explain "x.index_reduce(0, [0,0], s, 'amax')" x=1,2,3 s=4,5 --seed ones
    """
    how = one_of("reduce", reduce, ("prod", "mean", "amax", "amin"))
    axis = trailing_axis(x, axis)
    found = positions_within("index", index, x.shape[axis], axis + x.ndim)
    if found.ndim > 1:
        raise fail("rank-too-high", f"`index` is a vector, not {shape_text(found.shape)}")
    lengths = list(x.shape)
    lengths[axis] = found.size
    if source.shape != tuple(lengths):
        raise fail(
            "shape-mismatch",
            f"index_reduce needs a source of shape {shape_text(tuple(lengths))}, not "
            f"{shape_text(source.shape)}",
        )
    along = np.broadcast_to(found.reshape(-1, *(1,) * (-axis - 1)), lengths)
    return scatter_reduce(x, source, axis=axis, index=along, reduce=how, include_self=include_self)
