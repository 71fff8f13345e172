"""Positions: indices of diagonals and triangles, grids of positions, one position for several."""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import make_constant
from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    sample,
    shape_text,
)
from vjpcli.ops.keywords import (
    array_shape,
    position_array,
    true_or_false,
    wanted_lengths,
    whole_number,
)
from vjpcli.ops.shapes import shape

# --- diagonals and triangles


def _as_constants(arrays):
    return tuple(make_constant(array) for array in arrays)


def _diagonal(n, ndim):
    along = np.arange(n)
    return _as_constants((along,) * ndim)


@operation(
    refuses=(
        Refusal(sample(n=-1), "keyword-value"),
        Refusal(sample(n=2, ndim=0), "keyword-value"),
        Refusal(sample(n=10**12), "too-large"),
    ),
)
def diag_indices(*, n, ndim=2):
    """The positions of the main diagonal, one array for each axis: A[np.diag_indices(3)].

    Shapes:  -> ndim arrays [n]
    Kinks:   none; positions are constant
    Source:  np.diag_indices
    Example: vjp explain "A[np.diag_indices(2)]" A=[[1,2],[3,4]] --seed ones
    """
    count = whole_number("n", n, least=0)
    refuse_oversized((count,))
    return _diagonal(count, whole_number("ndim", ndim, least=1, most=32))


@operation(
    refuses=(
        Refusal(sample((3,)), "rank-too-low"),
        Refusal(sample((2, 3)), "square-needed"),
    ),
)
def diag_indices_from(x):
    """The positions of the main diagonal of an array, one array for each axis.

    Shapes:  x [n, n, ...] -> one array [n] for each axis
    Kinks:   none; no gradient reaches x
    Source:  np.diag_indices_from
    Example: vjp explain "A[np.diag_indices_from(A)]" A=[[1,2],[3,4]] --seed ones
    """
    if x.ndim < 2:
        raise fail("rank-too-low", f"a diagonal needs a matrix, not shape {shape_text(x.shape)}")
    if len(set(x.shape)) > 1:
        raise fail("square-needed", f"all axes of shape {shape_text(x.shape)} must be equally long")
    return _diagonal(x.shape[0], x.ndim)


def _triangle(routine, rows, columns, k):
    first = whole_number("n", rows, least=0)
    second = first if columns is None else whole_number("m", columns, least=0)
    refuse_oversized((first, second))
    return routine(first, whole_number("k", k), second)


TRIANGLE_REFUSED = (
    Refusal(sample(n=-1), "keyword-value"),
    Refusal(sample(n=10**7), "too-large"),
    Refusal(sample(n=2, k=0.5), "keyword-value"),
)


@operation(
    library_names={"numpy": ("tril_indices",), "jax": ("tril_indices",)},
    refuses=TRIANGLE_REFUSED,
)
def lower_indices(*, n, k=0, m=None):
    """The positions on and below a diagonal, rows and columns: np.tril_indices.

    Shapes:  -> rows [count], columns [count]
    Kinks:   none; positions are constant
    Source:  np.tril_indices
    Example: vjp explain "A[np.tril_indices(2)]" A=[[1,2],[3,4]] --seed ones
    """
    return _as_constants(_triangle(np.tril_indices, n, m, k))


@operation(
    library_names={"numpy": ("triu_indices",), "jax": ("triu_indices",)},
    refuses=TRIANGLE_REFUSED,
)
def upper_indices(*, n, k=0, m=None):
    """The positions on and above a diagonal, rows and columns: np.triu_indices.

    Shapes:  -> rows [count], columns [count]
    Kinks:   none; positions are constant
    Source:  np.triu_indices
    Example: vjp explain "A[np.triu_indices(2, 1)]" A=[[1,2],[3,4]]
    """
    return _as_constants(_triangle(np.triu_indices, n, m, k))


@operation(
    keyword_aliases={"col": "columns", "row": "rows"},
    refuses=(Refusal(sample(rows=-1, columns=2), "keyword-value"),),
)
def tril_indices(*, rows, columns, offset=0):
    """The positions on and below a diagonal as two rows of a matrix: torch.tril_indices.

    Shapes:  -> [2, count]
    Kinks:   none; positions are constant
    Source:  torch.tril_indices
    Example: vjp explain "i = torch.tril_indices(2, 2); A[i[0], i[1]]" A=[[1,2],[3,4]] --seed ones
    """
    return make_constant(np.stack(_triangle(np.tril_indices, rows, columns, offset)))


@operation(
    keyword_aliases={"col": "columns", "row": "rows"},
    refuses=(Refusal(sample(rows=-1, columns=2), "keyword-value"),),
)
def triu_indices(*, rows, columns, offset=0):
    """The positions on and above a diagonal as two rows of a matrix: torch.triu_indices.

    Shapes:  -> [2, count]
    Kinks:   none; positions are constant
    Source:  torch.triu_indices
    Example: vjp explain "i = torch.triu_indices(2, 2, 1); A[i[0], i[1]]" A=[[1,2],[3,4]]
    """
    return make_constant(np.stack(_triangle(np.triu_indices, rows, columns, offset)))


def _shape_of_matrix(x):
    if x.ndim != 2:
        raise fail("matrix-needed", f"a triangle needs a matrix, not shape {shape_text(x.shape)}")
    return x.shape


@operation(refuses=(Refusal(sample((3,)), "matrix-needed"),))
def tril_indices_from(x, *, k=0):
    """The positions on and below a diagonal of a matrix, rows and columns.

    Shapes:  x [n, m] -> rows [count], columns [count]
    Kinks:   none; no gradient reaches x
    Source:  np.tril_indices_from
    Example: vjp explain "A[np.tril_indices_from(A)]" A=[[1,2],[3,4]] --seed ones
    """
    rows, columns = _shape_of_matrix(x)
    return lower_indices(n=rows, k=k, m=columns)


@operation(refuses=(Refusal(sample((3,)), "matrix-needed"),))
def triu_indices_from(x, *, k=0):
    """The positions on and above a diagonal of a matrix, rows and columns.

    Shapes:  x [n, m] -> rows [count], columns [count]
    Kinks:   none; no gradient reaches x
    Source:  np.triu_indices_from
    Example: vjp explain "A[np.triu_indices_from(A, 1)]" A=[[1,2],[3,4]]
    """
    rows, columns = _shape_of_matrix(x)
    return upper_indices(n=rows, k=k, m=columns)


# --- grids


@operation(
    keyword_aliases={"dimensions": "shape"},
    refuses=(
        Refusal(sample(shape=(2, -1)), "shape-form"),
        Refusal(sample(shape=10**12), "too-large"),
    ),
)
def indices(*, shape, sparse=False):
    """The positions of every entry of an array of some shape, along each of its axes.

    Shapes:  -> [number of axes, *shape]; with sparse=True one array for each axis, as np.ogrid
    Kinks:   none; positions are constant
    Source:  np.indices
    Example: vjp explain "x * np.indices((2,))[0]" x=3,4 --seed ones
    """
    wanted = array_shape(shape)
    refuse_oversized((len(wanted), *wanted))
    if true_or_false("sparse", sparse):
        return _as_constants(np.indices(wanted, sparse=True))
    return make_constant(np.indices(wanted))


@operation(
    samples=(sample((3,)),),
    refuses=(Refusal(sample((2, 2)), "rank-too-high"),),
)
def ix_(*vectors):
    """Positions along each axis, laid out so that A[np.ix_(rows, columns)] reads their grid.

    Shapes:  rows [m], columns [n] -> [m, 1], [1, n]
    Kinks:   none; a mask counts as the positions where it holds
    Source:  np.ix_
    Example: vjp explain "A[np.ix_([0, 1], [1])]" A=[[1,2],[3,4]] --seed ones
    """
    grids = []
    for place, vector in enumerate(vectors):
        if vector.ndim != 1:
            raise fail("rank-too-high", f"ix_ takes vectors, not {shape_text(vector.shape)}")
        positions = _where_true(vector) if vector.kind == "condition" else vector
        alone = [1] * len(vectors)
        alone[place] = positions.size
        grids.append(shape.reshape(positions, shape=alone))
    return tuple(grids)


def _where_true(mask):
    """The positions at which a mask that stands in the program holds.

    Errors: index-not-whole.
    """
    if "value" not in mask.static:
        raise fail(
            "index-not-whole",
            "a mask of ix_ that depends on an input is written as its positions",
            notes=("np.ix_(np.flatnonzero(mask))",),
        )
    return make_constant(np.flatnonzero(mask.static["value"]))


@operation(
    decided=("index",),
    keyword_aliases={"multi_index": "index", "dims": "shape"},
    refuses=(
        Refusal(sample(index=((0, 1), (0, 3)), shape=(2, 3)), "index-out-of-range"),
        Refusal(sample(index=((0, 1),), shape=(2, 3)), "axes-count"),
        Refusal(sample(index=(0.5, 1), shape=(2, 3)), "index-not-whole"),
    ),
)
def ravel_multi_index(*, index, shape):
    """The positions in a flattened array of what has these positions along its axes.

    Shapes:  index: one array [...] for each axis -> [...]
    Kinks:   none; positions are decided by value
    Source:  np.ravel_multi_index
    Example: vjp explain "x[np.ravel_multi_index(([1], [1]), (2, 2))]" x=1,2,3,4
    """
    lengths = array_shape(shape)
    several = (
        index if isinstance(index, tuple) else tuple(np.atleast_1d(position_array("index", index)))
    )
    places = [position_array("index", one) for one in several]
    if len(places) != len(lengths):
        raise fail("axes-count", f"{len(places)} arrays of positions for {len(lengths)} axes")
    for one, length in zip(places, lengths, strict=True):
        _refuse_outside(one, length)
    return make_constant(np.ravel_multi_index(np.broadcast_arrays(*places), lengths))


def _refuse_outside(places, length):
    outside = places[(places < 0) | (places >= length)]
    if outside.size:
        raise fail(
            "index-out-of-range",
            f"position {int(outside.flat[0])} lies outside {length} entries",
        )


@operation(
    decided=("index",),
    keyword_aliases={"indices": "index"},
    refuses=(
        Refusal(sample(index=(6,), shape=(2, 3)), "index-out-of-range"),
        Refusal(sample(index=(0.5,), shape=(2, 3)), "index-not-whole"),
    ),
)
def unravel_index(*, index, shape):
    """The positions along each axis of what stands at these positions of the flattened array.

    Shapes:  index [...] -> one array [...] for each axis of shape
    Kinks:   none; positions are decided by value
    Source:  np.unravel_index
    Example: vjp explain "A[np.unravel_index(np.argmax(A), A.shape)]" A=[[1,5],[3,4]]
    """
    lengths = array_shape(shape)
    places = position_array("index", index)
    _refuse_outside(places, math.prod(lengths))
    return _as_constants(np.unravel_index(places, lengths)) if lengths else ()


@operation(
    collects="shapes",
    refuses=(
        Refusal(sample(shapes=((2,), (3,))), "shape-mismatch"),
        Refusal(sample(shapes=((2, -2),)), "shape-form"),
    ),
)
def broadcast_shapes(*, shapes):
    """The shape that arrays of these shapes have together: plain numbers, for reshape and zeros.

    Shapes:  -> a shape
    Kinks:   none
    Source:  np.broadcast_shapes, torch.broadcast_shapes
    Example: vjp explain "x + zeros(np.broadcast_shapes((2, 1), (3,)))" x=1,2,3 --seed ones
    """
    nested = isinstance(shapes, tuple) and bool(shapes) and isinstance(shapes[0], tuple)
    several = shapes if nested else (shapes,)
    plain = [wanted_lengths(one) for one in several]
    try:
        return np.broadcast_shapes(*plain)
    except ValueError:
        listed = " and ".join(shape_text(one) for one in plain)
        raise fail("shape-mismatch", f"shapes {listed} do not broadcast together") from None
