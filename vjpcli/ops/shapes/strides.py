"""Strides: entries read by steps through the memory of an array, laid out row by row."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import OPERATIONS
from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import array_shape, whole_number, whole_numbers
from vjpcli.ops.shapes import indexing, scattering, shape

VIEWS = ("permute", "matrix_transpose", "index", "broadcast_to", "diagonal", "kernel_windows")
"""Operations whose result shares the memory of its operand in PyTorch, in another order."""


def _places(name, x, size, stride, storage_offset):
    """For each entry of the result its position in the flattened x.

    Errors: strided-view, shape-form, too-large, keyword-value, index-out-of-range.
    """
    if any(x.operation is OPERATIONS[view] for view in VIEWS):
        raise fail(
            "strided-view",
            f"{name} of a view reads the memory behind it, in whatever order that is",
            notes=("an index, reshape or unfold says which entries are meant",),
        )
    lengths = array_shape(size)
    steps = whole_numbers("stride", stride, least=0)
    if len(steps) != len(lengths):
        raise fail("keyword-value", f"{name} takes one stride for each of {len(lengths)} lengths")
    first = 0 if storage_offset is None else whole_number("storage_offset", storage_offset, least=0)
    refuse_oversized(lengths)
    places = np.full(lengths, first, dtype=np.intp)
    for axis, step in enumerate(steps):
        along = np.arange(lengths[axis]).reshape(-1, *(1,) * (len(lengths) - axis - 1))
        places += step * along
    if places.size and places.max() >= x.size:
        raise fail(
            "index-out-of-range",
            f"{name} would read position {int(places.max())} of an array with {x.size} entries",
        )
    return places


@operation(
    samples=(
        sample((2, 3), size=(2, 2), stride=(1, 2)),
        sample((6,), size=(3,), stride=(2,), storage_offset=1),
        sample((4,), size=(3, 2), stride=(1, 1)),
    ),
    refuses=(
        Refusal(sample((4,), size=(3,), stride=(2,)), "index-out-of-range"),
        Refusal(sample((4,), size=(3,), stride=(1, 1)), "keyword-value"),
        Refusal(sample((4,), size=(3,), stride=(-1,)), "keyword-value"),
        Refusal(sample((4,), size=(10**10,), stride=(0,)), "too-large"),
    ),
    analytic=True,
)
def as_strided(x, *, size, stride, storage_offset=None):
    """Entries of the flattened x in steps: entry (i, j) is at offset + i stride[0] + j stride[1].

    Shapes:  x [...] -> size
    Kinks:   none
    Source:  a selection: an entry read twice receives two adjoints
    Example: vjp explain "as_strided(x, (2, 2), (1, 1))" x=1,2,3 --seed ones
    """
    places = _places("as_strided", x, size, stride, storage_offset)
    return indexing.index(shape.ravel(x), index=(places,))


@operation(
    keyword_aliases={"src": "source"},
    samples=(sample((2, 3), (2, 2), size=(2, 2), stride=(1, 2)),),
    refuses=(
        Refusal(sample((4,), (2,), size=(3,), stride=(1,)), "shape-mismatch"),
        Refusal(sample((4,), (2, 2), size=(2, 2), stride=(1, 1)), "repeated-write"),
    ),
)
def as_strided_scatter(x, source, *, size, stride, storage_offset=None):
    """x with the entries that `as_strided` reads replaced by those of source.

    Shapes:  x [...], source of shape size -> [...]
    Kinks:   none; a position written twice is refused
    Source:  what was overwritten receives 0, each source entry the adjoint of its position
    Example: vjp explain "as_strided_scatter(x, s, (2,), (2,))" x=1,2,3 s=10,20 --seed 1,10,100
    """
    places = _places("as_strided_scatter", x, size, stride, storage_offset)
    if source.shape != places.shape:
        raise fail(
            "shape-mismatch",
            f"as_strided_scatter writes a source of shape {shape_text(places.shape)} here, not "
            f"{shape_text(source.shape)}",
        )
    return shape.reshape(scattering.write(shape.ravel(x), (places,), source), shape=x.shape)
