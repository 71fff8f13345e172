"""Diagonals and triangles of matrices: read, built, kept."""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    outcome,
    sample,
    shape_text,
    trailing_axis,
)
from vjpcli.ops.keywords import array_shape, whole_number
from vjpcli.ops.shapes import indexing, ordering, shape


def _two_axes(x, axis1, axis2, *, extra=0):
    """Two different axes, counted from the end.

    Errors: rank-too-low, axis-out-of-range, axis-twice.
    """
    if x.ndim + extra < 2:
        raise fail("rank-too-low", f"a diagonal needs a matrix, not shape {shape_text(x.shape)}")
    first, second = (trailing_axis(x, one, extra=extra) for one in (axis1, axis2))
    if first == second:
        raise fail("axis-twice", "a diagonal lies in two different axes")
    return first, second


def _diagonal_length(rows, columns, offset):
    return max(0, min(rows + min(offset, 0), columns - max(offset, 0)))


def _places(length, offset):
    """Row and column of each entry of a diagonal."""
    along = np.arange(length)
    return along + max(-offset, 0), along + max(offset, 0)


DIAGONAL_KEYWORDS = {"dim1": "axis1", "dim2": "axis2", "k": "offset", "diagonal": "offset"}


@operation(
    lambda x, *, offset, axis1, axis2: np.diagonal(x, offset, axis1, axis2),
    pattern="movement",
    keyword_aliases=DIAGONAL_KEYWORDS,
    samples=(
        sample((3, 3)),
        sample((2, 3), offset=1),
        sample((2, 3), offset=-1),
        sample((2, 3, 4), axis1=0, axis2=2),
        sample((2, 3, 4), axis1=-1, axis2=-2),
        sample((2, 2), offset=5),
        sample((0, 2)),
    ),
    refuses=(
        Refusal(sample((3,)), "rank-too-low"),
        Refusal(sample((2, 3), axis1=0, axis2=0), "axis-twice"),
        Refusal(sample((2, 3), axis1=0, axis2=2), "axis-out-of-range"),
        Refusal(sample((2, 3), offset=0.5), "keyword-value"),
    ),
    analytic=True,
)
def diagonal(x, *, offset=0, axis1=0, axis2=1):
    """The entries x[i, i + offset] of matrices in two axes, along a new last axis.

    Shapes:  x [m, n, ...] -> [..., length of the diagonal]
    Kinks:   none
    Source:  a selection: the adjoint goes onto the diagonal of zeros
    Example: vjp explain "diagonal(A) * x" A=[[1,2],[3,4]] x=1,10 --seed ones
    """
    first, second = _two_axes(x, axis1, axis2)
    offset = whole_number("offset", offset)
    # Beyond the last diagonal all are alike, and NumPy takes only small ones.
    offset = max(-x.shape[first], min(offset, x.shape[second]))
    length = _diagonal_length(x.shape[first], x.shape[second], offset)
    others = [n for i, n in enumerate(x.shape, start=-x.ndim) if i not in (first, second)]
    return outcome((*others, length), offset=offset, axis1=first, axis2=second)


@diagonal.vjp
def _(g, y, x, *, offset, axis1, axis2):
    rows, columns = _places(y.shape[-1], offset)
    lengths = (*g.shape[:-1], x.shape[axis1], x.shape[axis2])
    matrices = indexing.add_into(g, index=(Ellipsis, rows, columns), shape=lengths)
    return ordering.moveaxis(matrices, source=(-2, -1), destination=(axis1, axis2))


def _diag_embed(x, *, offset):
    size = x.shape[-1] + abs(offset)
    out = np.zeros((*x.shape[:-1], size, size), dtype=x.dtype)
    rows, columns = _places(x.shape[-1], offset)
    out[..., rows, columns] = x
    return out


@operation(
    _diag_embed,
    pattern="movement",
    keyword_aliases=DIAGONAL_KEYWORDS,
    samples=(
        sample((3,)),
        sample((2, 3), offset=1),
        sample((2,), offset=-2),
        sample((2, 3), axis1=0, axis2=2),
        sample((0,)),
    ),
    refuses=(
        Refusal(sample(()), "rank-too-low"),
        Refusal(sample((2,), axis1=0, axis2=0), "axis-twice"),
        Refusal(sample((20000,)), "too-large"),
        Refusal(sample((2,), offset=10**9), "too-large"),
    ),
    analytic=True,
)
def diag_embed(x, *, offset=0, axis1=-2, axis2=-1):
    """Matrices of zeros with the entries of the last axis of x on a diagonal.

    Shapes:  x [..., n] -> [..., n + |offset|, n + |offset|]
    Kinks:   none
    Source:  each entry receives the adjoint of its place on the diagonal
    Example: vjp explain "diag_embed(x) @ y" x=1,2 y=3,4 --seed 1,10
    """
    if x.ndim == 0:
        raise fail("rank-too-low", "diag_embed needs a vector, not a number")
    first, second = _two_axes(x, axis1, axis2, extra=1)
    offset = whole_number("offset", offset)
    size = x.shape[-1] + abs(offset)
    if (first, second) != (-2, -1):
        return ordering.moveaxis(
            diag_embed(x, offset=offset), source=(-2, -1), destination=(first, second)
        )
    return outcome(array_shape((*x.shape[:-1], size, size)), offset=offset)


@diag_embed.vjp
def _(g, y, x, *, offset):
    return diagonal(g, offset=offset, axis1=-2, axis2=-1)


@operation(
    keyword_aliases=DIAGONAL_KEYWORDS,
    samples=(sample((3,)), sample((2, 3)), sample((3,), offset=-1), sample((3, 3), offset=1)),
    refuses=(
        Refusal(sample(()), "diag-rank"),
        Refusal(sample((2, 3, 4)), "diag-rank"),
        Refusal(sample((2, 3), offset="a"), "keyword-value"),
    ),
)
def diag(x, *, offset=0):
    """A matrix with a vector on its diagonal; of a matrix, its diagonal.

    Shapes:  x [n] -> [n + |offset|, n + |offset|];  x [m, n] -> [length of the diagonal]
    Kinks:   none
    Source:  as diag_embed and diagonal
    Example: vjp explain "diag(x) @ y" x=1,2 y=3,4 --seed 1,10
    """
    if x.ndim == 1:
        return diag_embed(x, offset=offset)
    if x.ndim == 2:
        return diagonal(x, offset=offset)
    raise fail("diag-rank", f"diag takes a vector or a matrix, not shape {shape_text(x.shape)}")


@operation(
    keyword_aliases=DIAGONAL_KEYWORDS,
    samples=(sample((2, 2)), sample((), offset=1)),
    refuses=(Refusal(sample((20000,)), "too-large"),),
)
def diagflat(x, *, offset=0):
    """A matrix with all entries of x, in a row, on its diagonal.

    Shapes:  x [...] with n entries -> [n + |offset|, n + |offset|]
    Kinks:   none
    Source:  as diag_embed
    Example: vjp explain "diagflat(x) @ y" x=1,2 y=3,4 --seed 1,10
    """
    return diag_embed(shape.ravel(x), offset=offset)


def _triangle_statics(name, x, diagonal):
    if x.ndim < 2:
        raise fail(
            "rank-too-low", f"{name} needs a matrix, not an array of shape {shape_text(x.shape)}"
        )
    diagonal = whole_number("diagonal", diagonal)
    # Beyond the last diagonal all are alike, and NumPy takes only small ones.
    return outcome(x.shape, diagonal=max(-x.shape[-2] - 1, min(diagonal, x.shape[-1] + 1)))


TRIANGLE_SAMPLES = (
    sample((3, 3)),
    sample((2, 3), diagonal=1),
    sample((3, 2), diagonal=-1),
    sample((2, 2, 3)),
    sample((0, 2)),
)
TRIANGLE_REFUSALS = (
    Refusal(sample((3,)), "rank-too-low"),
    Refusal(sample((2, 3), diagonal=0.5), "keyword-value"),
)


@operation(
    lambda x, *, diagonal: np.tril(x, diagonal),
    pattern="movement",
    keyword_aliases={"k": "diagonal"},
    samples=TRIANGLE_SAMPLES,
    refuses=TRIANGLE_REFUSALS,
    analytic=True,
)
def tril(x, *, diagonal=0):
    """The lower triangle of matrices; the entries above the diagonal become 0.

    Shapes:  x [..., m, n] -> [..., m, n]
    Kinks:   none
    Source:  the adjoint is cut to the same triangle
    Example: vjp explain "tril(A) @ x" A=[[1,2],[3,4]] x=1,10 --seed ones
    """
    return _triangle_statics("tril", x, diagonal)


@tril.vjp
def _(g, y, x, *, diagonal):
    return tril(g, diagonal=diagonal)


@operation(
    lambda x, *, diagonal: np.triu(x, diagonal),
    pattern="movement",
    keyword_aliases={"k": "diagonal"},
    samples=TRIANGLE_SAMPLES,
    refuses=TRIANGLE_REFUSALS,
    analytic=True,
)
def triu(x, *, diagonal=0):
    """The upper triangle of matrices; the entries below the diagonal become 0.

    Shapes:  x [..., m, n] -> [..., m, n]
    Kinks:   none
    Source:  the adjoint is cut to the same triangle
    Example: vjp explain "triu(A) @ x" A=[[1,2],[3,4]] x=1,10 --seed ones
    """
    return _triangle_statics("triu", x, diagonal)


@triu.vjp
def _(g, y, x, *, diagonal):
    return triu(g, diagonal=diagonal)
