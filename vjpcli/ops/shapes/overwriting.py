"""Overwriting: an array with a slice, a diagonal, or the entries at an index or mask replaced.

What was overwritten receives an adjoint of 0, what was written that of its new place.
"""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text, trailing_axis
from vjpcli.ops.keywords import condition_mask, positions_within, true_or_false, whole_number
from vjpcli.ops.numbers import comparison
from vjpcli.ops.shapes import indexing, ordering, scattering, shape
from vjpcli.ops.shapes.diagonals import diagonal


def _replaced(name, x, index, source):
    """x with what a slice or position reads replaced by source, which has the same shape.

    Errors: shape-mismatch.
    """
    wanted = indexing.indexed_shape(x.shape, indexing.explicit_index(x.shape, index))
    if source.shape != wanted:
        raise fail(
            "shape-mismatch",
            f"{name} writes a source of shape {shape_text(wanted)} here, not "
            f"{shape_text(source.shape)}",
        )
    return scattering.write(x, index, source)


@operation(
    keyword_aliases={"src": "source"},
    decided=("index",),
    samples=(sample((2, 3), (2,), axis=1, index=-1), sample((3,), (), axis=0, index=0)),
    refuses=(
        Refusal(sample((2, 3), (3,), axis=1, index=0), "shape-mismatch"),
        Refusal(sample((2, 3), (2,), axis=1, index=3), "index-out-of-range"),
        Refusal(sample((2, 3), (2,), axis=1, index=(0, 1)), "rank-too-high"),
    ),
)
def select_scatter(x, source, *, axis, index):
    """x with one slice along an axis replaced.

    Shapes:  x [m, n], source [m], axis 1 -> [m, n]
    Kinks:   none
    Source:  the slice of x receives 0, source the adjoint of that slice
    Example: vjp explain "select_scatter(x, s, 0, 1)" x=1,2,3 s=10 --seed 1,10,100
    """
    axis = trailing_axis(x, axis)
    found = positions_within("index", index, x.shape[axis], axis + x.ndim)
    if found.ndim:
        raise fail("rank-too-high", "select_scatter writes one slice; index_copy writes several")
    behind = (slice(None),) * (-axis - 1)
    return _replaced("select_scatter", x, (Ellipsis, int(found), *behind), source)


@operation(
    keyword_aliases={"src": "source", "end": "stop"},
    samples=(
        sample((4,), (2,), start=1, stop=3),
        sample((2, 4), (2, 2), axis=1, step=2),
        sample((3,), (1,), start=-1),
    ),
    refuses=(
        Refusal(sample((4,), (3,), start=1, stop=3), "shape-mismatch"),
        Refusal(sample((4,), (4,), step=0), "keyword-value"),
        Refusal(sample((4,), (4,), start=0.5), "keyword-value"),
    ),
)
def slice_scatter(x, source, *, axis=0, start=None, stop=None, step=1):
    """x with the entries from start up to, without, stop along an axis replaced.

    Shapes:  x [m, n], source [m, k], axis 1 -> [m, n]
    Kinks:   none
    Source:  the slice of x receives 0, source the adjoint of that slice
    Example: vjp explain "slice_scatter(x, s, 0, 1, 3)" x=1,2,3 s=10,20 --seed 1,10,100
    """
    axis = trailing_axis(x, axis)
    first, last = (
        None if bound is None else whole_number(name, bound)
        for name, bound in (("start", start), ("stop", stop))
    )
    part = slice(first, last, whole_number("step", step, least=1))
    behind = (slice(None),) * (-axis - 1)
    return _replaced("slice_scatter", x, (Ellipsis, part, *behind), source)


@operation(
    keyword_aliases={"src": "source", "dim1": "axis1", "dim2": "axis2"},
    samples=(
        sample((3, 3), (3,)),
        sample((2, 3), (2,), offset=1),
        sample((2, 3, 2), (3, 2), axis1=0, axis2=-1),
    ),
    refuses=(
        Refusal(sample((3, 3), (2,)), "shape-mismatch"),
        Refusal(sample((3,), (3,)), "rank-too-low"),
        Refusal(sample((2, 3), (2,), axis1=1), "axis-twice"),
    ),
)
def diagonal_scatter(x, source, *, offset=0, axis1=0, axis2=1):
    """x with a diagonal of its matrices replaced.

    Shapes:  x [m, n, ...], source [..., length of the diagonal] -> [m, n, ...]
    Kinks:   none
    Source:  the diagonal of x receives 0, source the adjoint of that diagonal
    Example: vjp explain "diagonal_scatter(A, d)" A=[[1,2],[3,4]] d=10,20 --seed ones
    """
    on_it = diagonal(x, offset=offset, axis1=axis1, axis2=axis2)
    if source.shape != on_it.shape:
        raise fail(
            "shape-mismatch",
            f"diagonal_scatter writes a source of shape {shape_text(on_it.shape)} here, not "
            f"{shape_text(source.shape)}",
        )
    axes = tuple(trailing_axis(x, one) for one in (axis1, axis2))
    offset = on_it.static["offset"]
    along = np.arange(on_it.shape[-1])
    place = (Ellipsis, along + max(-offset, 0), along + max(offset, 0))
    matrices = ordering.moveaxis(x, source=axes, destination=(-2, -1))
    written = scattering.write(matrices, place, source)
    return ordering.moveaxis(written, source=(-2, -1), destination=axes)


@operation(
    argument_order=("x", "mask", "source"),
    decided=("mask",),
    samples=(
        sample((2, 3), (2, 2), mask=(True, False, True)),
        sample((3,), (4,), mask=((True, False, True), (True, False, False))),
        sample((2,), (0,), mask=(False, False)),
    ),
    refuses=(
        Refusal(sample((2, 3), (3,), mask=(True, False, True)), "shape-mismatch"),
        Refusal(sample((2, 3), (3,), mask=(True, False)), "mask-shape"),
        Refusal(sample((2,), (3,), mask="no"), "not-a-mask"),
    ),
)
def masked_scatter(x, source, *, mask):
    """x with the entries where the mask holds replaced by those of source, in their order.

    Shapes:  x [...], mask [...] (broadcast), source with at least as many entries as are True
             -> [...]
    Kinks:   none; a mask that depends on an input is decided by its value
    Source:  a replaced entry receives 0, each source entry that was used the adjoint of its place
    Example: vjp explain "masked_scatter(x, x > 1, s)" x=1,2,3 s=10,20 --seed 1,10,100
    """
    chosen = condition_mask("mask", mask)
    try:
        together = np.broadcast_shapes(x.shape, chosen.shape)
    except ValueError:
        raise fail(
            "mask-shape",
            f"a mask of shape {shape_text(chosen.shape)} does not fit {shape_text(x.shape)}",
        ) from None
    chosen = np.broadcast_to(chosen, together)
    count = int(np.count_nonzero(chosen))
    if source.size < count:
        raise fail(
            "shape-mismatch",
            f"masked_scatter needs {count} entries for its mask, and source has {source.size}",
        )
    used = indexing.index(shape.ravel(source), index=(slice(0, count),))
    spread = indexing.add_into(used, index=(chosen,), shape=together)
    return comparison.where(chosen, spread, x)


@operation(
    argument_order=("x", "index", "values", "accumulate"),
    keyword_aliases={"indices": "index", "source": "values", "value": "values"},
    decided=("index",),
    samples=(
        sample((2, 3), (2,), index=((0, 1), (2, 0))),
        sample((3,), (), index=((0, 2),)),
        sample((3,), (2,), index=((1, 1),), accumulate=True),
        sample((2, 3), (3,), index=(np.array([True, False]),)),
    ),
    refuses=(
        Refusal(sample((3,), (2,), index=((1, 1),)), "repeated-write"),
        Refusal(sample((3,), (2,), index=((0, 3),)), "index-out-of-range"),
        Refusal(sample((3,), (3,), index=((0, 1),)), "shape-mismatch"),
        Refusal(sample((3,), (2,), index=((0, 1), (0, 1))), "too-many-indices"),
        Refusal(sample((3,), (2,), index=((0, 1),), accumulate="no"), "keyword-value"),
    ),
)
def index_put(x, values, *, index, accumulate=False):
    """x with the entries that an index reads replaced by values, or values added to them.

    Shapes:  x [...], index a tuple of arrays of positions or masks, values that fit what it reads
             -> [...]
    Kinks:   none; with accumulate=False a position written twice is refused
    Source:  what was overwritten receives 0, each value the adjoint of its position
    Example: vjp explain "torch.index_put(x, ([2, 0],), v)" x=1,2,3 v=10,20 --seed 1,10,100
    """
    parts = index if isinstance(index, tuple) else (index,)
    index = tuple(_as_mask(part) for part in parts)
    combine = scattering.add if true_or_false("accumulate", accumulate) else scattering.write
    return combine(x, indexing.explicit_index(x.shape, index), values)


def _as_mask(part):
    """A list of True and False as an array: elsewhere a list holds positions."""
    if not isinstance(part, tuple):
        return part
    array = np.array(part)
    return array if array.dtype == np.bool_ else part
