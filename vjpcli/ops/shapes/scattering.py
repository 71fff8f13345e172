"""Scattering: writing or adding entries into positions of an array.

A position written twice would keep the last value, while each of both would claim the gradient:
such writes are refused. Adding into a position twice is right, and so is its gradient.
"""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text, trailing_axis
from vjpcli.ops.keywords import one_of, positions_within
from vjpcli.ops.numbers import comparison
from vjpcli.ops.shapes import indexing, shape
from vjpcli.ops.shapes.gathering import gather_places, open_grid


def _written(index, wanted):
    """The mask of the entries that an index writes.

    Errors: repeated-write.
    """
    times = np.zeros(wanted, dtype=np.intp)
    np.add.at(times, index, 1)
    if np.any(times > 1):
        place = tuple(int(n) for n in np.argwhere(times > 1)[0])
        raise fail(
            "repeated-write",
            f"position {place[0] if len(place) == 1 else place} is written more than once",
            notes=(
                "only the last write survives, so the gradient of the others would be wrong",
                "scatter_add, index_add and accumulate=True add instead",
            ),
        )
    return times > 0


def write(x, index, source):
    """x with the entries that `index` reads replaced by those of source."""
    written = _written(index, x.shape)
    source = _stretched(source, index, x.shape)
    return comparison.where(written, indexing.add_into(source, index=index, shape=x.shape), x)


def add(x, index, source):
    """x with the entries of source added to those that `index` reads."""
    source = _stretched(source, index, x.shape)
    return x + indexing.add_into(source, index=index, shape=x.shape)


def _stretched(source, index, wanted):
    """source, a number for all positions or one entry for each.

    Errors: shape-mismatch.
    """
    target = indexing.indexed_shape(wanted, indexing.explicit_index(wanted, index))
    return source if source.shape == target else shape.broadcast_to(source, shape=target)


def _source_part(name, source, lengths):
    """The part of source that an index of these lengths reads (PyTorch lets it be longer).

    Errors: gather-shape.
    """
    if source.ndim == 0:
        return source
    fits = source.ndim == len(lengths) and all(
        wanted <= n for wanted, n in zip(lengths, source.shape, strict=True)
    )
    if not fits:
        raise fail(
            "gather-shape",
            f"{name}: a source of shape {shape_text(source.shape)} is too small for an index of "
            f"shape {shape_text(lengths)}",
        )
    if source.shape == tuple(lengths):
        return source
    return indexing.index(source, index=tuple(slice(0, n) for n in lengths))


SCATTER_ORDER = ("x", "axis", "index", "source")
SCATTER_KEYWORDS = {"src": "source", "value": "source"}


@operation(
    argument_order=SCATTER_ORDER,
    keyword_aliases=SCATTER_KEYWORDS,
    decided=("index",),
    samples=(
        sample((2, 3), (2, 2), axis=1, index=((0, 2), (1, 0))),
        sample((3,), (3,), axis=0, index=(2, 0)),
        sample((2, 3), 1.5, axis=0, index=((1, 0, 1),)),
        sample((3,), (2,), axis=0, index=(1, 1), reduce="add"),
    ),
    refuses=(
        Refusal(sample((3,), (2,), axis=0, index=(1, 1)), "repeated-write"),
        Refusal(sample((3,), (1,), axis=0, index=(1, 2)), "gather-shape"),
        Refusal(sample((3,), (2,), axis=0, index=(1, 3)), "index-out-of-range"),
        Refusal(sample((3,), (2,), axis=0, index=(1, 2), reduce="amax"), "keyword-value"),
    ),
)
def scatter(x, source, *, axis, index, reduce=None):
    """x with entries of source written to the positions of `index` along an axis (PyTorch).

    Shapes:  x [m, n], index [m, k], source [m, k] or a number -> [m, n]
    Kinks:   none; a position written twice is refused
    Source:  what was overwritten receives 0, each source entry the adjoint of its position
    Example: vjp explain "scatter(x, 0, [2, 0], s)" x=1,2,3 s=10,20 --seed 1,10,100
    """
    if reduce is not None and one_of("reduce", reduce, ("add",)):
        return scatter_add(x, source, axis=axis, index=index)
    x, axis, found = gather_places("scatter", x, axis, index)
    if found is None:
        return shape.reshape(source, shape=())
    source = _source_part("scatter", source, found.shape)
    return write(x, open_grid(found.shape, axis, found), source)


@operation(
    argument_order=SCATTER_ORDER,
    keyword_aliases=SCATTER_KEYWORDS,
    decided=("index",),
    samples=(
        sample((2, 3), (2, 2), axis=1, index=((0, 0), (1, 2))),
        sample((3,), (4,), axis=0, index=(2, 2)),
        sample((3,), 1.5, axis=0, index=(2, 2)),
    ),
    refuses=(
        Refusal(sample((3,), (1,), axis=0, index=(1, 1)), "gather-shape"),
        Refusal(sample((3,), (2,), axis=0, index=(1, 3)), "index-out-of-range"),
    ),
)
def scatter_add(x, source, *, axis, index):
    """x with entries of source added at the positions of `index` along an axis (PyTorch).

    Shapes:  x [m, n], index [m, k], source [m, k] -> [m, n]
    Kinks:   none
    Source:  x receives the adjoint, each source entry that of the position it was added to
    Example: vjp explain "scatter_add(x, 0, [2, 2], s)" x=1,2,3 s=10,20 --seed 1,10,100
    """
    x, axis, found = gather_places("scatter_add", x, axis, index)
    if found is None:
        return x + shape.reshape(source, shape=())
    source = _source_part("scatter_add", source, found.shape)
    return add(x, open_grid(found.shape, axis, found), source)


def _along(x, axis, index):
    """An index that reads whole slices at positions along one axis.

    Errors: axis-out-of-range, index-out-of-range, rank-too-high.
    """
    axis = trailing_axis(x, axis)
    found = positions_within("index", index, x.shape[axis], axis + x.ndim)
    if found.ndim > 1:
        raise fail("rank-too-high", f"`index` is a vector, not {shape_text(found.shape)}")
    return (*(slice(None),) * (x.ndim + axis), found.reshape(-1))


@operation(
    argument_order=SCATTER_ORDER,
    decided=("index",),
    samples=(
        sample((3, 2), (2, 2), axis=0, index=(1, 1)),
        sample((2, 3), (2, 2), axis=1, index=(0, 2), alpha=-2),
    ),
    refuses=(
        Refusal(sample((3,), (3,), axis=0, index=(0, 1)), "shape-mismatch"),
        Refusal(sample((3,), (1,), axis=0, index=(3,)), "index-out-of-range"),
    ),
)
def index_add(x, source, *, axis, index, alpha=1):
    """x with slices of source, times alpha, added at positions along an axis.

    Shapes:  x [m, n], axis 0, index [k], source [k, n] -> [m, n]
    Kinks:   none
    Source:  x receives the adjoint, each source slice alpha times that of its position
    Example: vjp explain "index_add(x, 0, [0, 0], s)" x=1,2,3 s=10,20 --seed 1,10,100
    """
    scaled = source if alpha == 1 else source * alpha
    return add(x, _along(x, axis, index), scaled)


@operation(
    argument_order=SCATTER_ORDER,
    decided=("index",),
    samples=(sample((3, 2), (2, 2), axis=0, index=(2, 0)),),
    refuses=(
        Refusal(sample((3,), (2,), axis=0, index=(1, 1)), "repeated-write"),
        Refusal(sample((3,), (3,), axis=0, index=(0, 1)), "shape-mismatch"),
    ),
)
def index_copy(x, source, *, axis, index):
    """x with slices of source written to positions along an axis.

    Shapes:  x [m, n], axis 0, index [k], source [k, n] -> [m, n]
    Kinks:   none; a position written twice is refused
    Source:  what was overwritten receives 0, each source slice the adjoint of its position
    Example: vjp explain "index_copy(x, 0, [2, 0], s)" x=1,2,3 s=10,20 --seed 1,10,100
    """
    return write(x, _along(x, axis, index), source)


@operation(
    argument_order=("x", "axis", "index", "value"),
    decided=("index",),
    samples=(sample((3, 2), (), axis=0, index=(2, 0)), sample((3,), 1.5, axis=0, index=(1, 1))),
    refuses=(Refusal(sample((3,), (3,), axis=0, index=(0,)), "rank-too-high"),),
)
def index_fill(x, value, *, axis, index):
    """x with the slices at some positions along an axis filled with one number.

    Shapes:  x [m, n], axis 0, index [k], value [] -> [m, n]
    Kinks:   none
    Source:  what was overwritten receives 0, the number the sum of the adjoints
    Example: vjp explain "index_fill(x, 0, [2, 0], v)" x=1,2,3 v=5 --seed 1,10,100
    """
    if value.ndim:
        raise fail("rank-too-high", f"`value` is one number, not {shape_text(value.shape)}")
    mask = np.zeros(x.shape, dtype=bool)
    mask[_along(x, axis, index)] = True
    return comparison.where(mask, value, x)


@operation(
    argument_order=("x", "index", "source", "accumulate"),
    keyword_aliases={"ind": "index", "indices": "index", "v": "source", "values": "source"},
    decided=("index",),
    samples=(
        sample((2, 3), (2,), index=(5, 0)),
        sample((3,), (2,), index=(1, 1), accumulate=True),
        sample((3,), (), index=(1, 2)),
    ),
    refuses=(
        Refusal(sample((1,), (2,), index=(0, 0)), "repeated-write"),
        Refusal(sample((3,), (3,), index=(0, 1)), "shape-mismatch"),
        Refusal(sample((3,), (1,), index=(3,)), "index-out-of-range"),
    ),
)
def put(x, source, *, index, accumulate=False):
    """x with entries of source written (or added) at positions of the flattened array.

    Shapes:  x [...], index [k], source [k] -> [...]
    Kinks:   none; a position written twice is refused
    Source:  what was overwritten receives 0, each source entry the adjoint of its position
    Example: vjp explain "put(x, [2, 0], s)" x=1,2,3 s=10,20 --seed 1,10,100
    """
    flat = shape.ravel(x)
    found = positions_within("index", index, x.size)
    changed = add(flat, (found,), source) if accumulate else write(flat, (found,), source)
    return shape.reshape(changed, shape=x.shape)


@operation(
    samples=(
        sample((2, 3), [True, False, True], ()),
        sample((2, 3), [[True, False, True], [False, False, True]], -1.5),
    ),
    refuses=(
        Refusal(sample((3,), [True, False], 0.0), "shape-mismatch"),
        Refusal(sample((3,), [[True, True, False], [True, False, False]], 0.0), "mask-shape"),
        Refusal(sample((3,), [True, False, True], (3,)), "rank-too-high"),
    ),
)
def masked_fill(x, mask, value):
    """x with one number wherever the mask holds.

    Shapes:  x [...], mask [...], value [] -> [...]
    Kinks:   where the mask jumps
    Source:  the adjoint goes to the number where the mask holds, else to x
    Example: vjp explain "softmax(masked_fill(x, m == 0, -inf), dim=0)[0]" x=1,2,3 m=1,1,0 --wrt x
    """
    if value.ndim:
        raise fail("rank-too-high", f"`value` is one number, not {shape_text(value.shape)}")
    filled = comparison.where(mask, value, x)
    if filled.shape != x.shape:
        raise fail(
            "mask-shape",
            f"a mask of shape {shape_text(mask.shape)} does not fit {shape_text(x.shape)}",
        )
    return filled
