"""Splitting: one array into several along an axis; each part is a slice."""

from __future__ import annotations

from itertools import pairwise

from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text, trailing_axis
from vjpcli.ops.keywords import whole_number, whole_numbers
from vjpcli.ops.shapes import indexing

MOST_PARTS = 10_000
"""Parts above which a split is refused: nobody reads them, and each is a node of its own."""


def _parts(x, cuts, axis):
    """x between each two neighbouring cuts.

    Errors: too-many-parts.
    """
    if len(cuts) - 1 > MOST_PARTS:
        raise fail("too-many-parts", f"{len(cuts) - 1:,} parts; the limit is {MOST_PARTS:,}")
    return tuple(indexing.read_range(x, start, stop, axis) for start, stop in pairwise(cuts))


def _evenly(length, sections):
    """Cuts into `sections` parts, the first ones longer by one where it does not come out even."""
    short, longer = divmod(length, sections)
    return [short * i + min(i, longer) for i in range(sections + 1)]


def _at(x, indices, axis):
    """x cut before each position, as NumPy cuts: a position may lie anywhere."""
    length = x.shape[axis]
    starts = [0, *indices]
    stops = [*indices, length]
    return tuple(
        indexing.read_range(x, start, stop, axis) for start, stop in zip(starts, stops, strict=True)
    )


def _scalar_refused(name, x):
    if x.ndim == 0:
        raise fail("rank-too-low", f"{name} needs an axis, and a number has none")


@operation(
    library_names={"jax": ("lax.split",)},
    keyword_aliases={
        "split_size_or_sections": "sizes",
        "split_size": "sizes",
        "split_sizes": "sizes",
    },
    convention="split: numbers are lengths of parts (PyTorch; np.split: how many, or where to cut)",
    samples=(
        sample((5,), sizes=2),
        sample((2, 4), sizes=(1, 3), axis=1),
        sample((4, 2), sizes=2, axis=-2),
        sample((0,), sizes=2),
    ),
    refuses=(
        Refusal(sample((5,), sizes=0), "keyword-value"),
        Refusal(sample((5,), sizes=(2, 2)), "split-sizes"),
        Refusal(sample((5,), sizes=(6, -1)), "keyword-value"),
        Refusal(sample((5,), sizes=2, axis=1), "axis-out-of-range"),
        Refusal(sample((5,), sizes=1.5), "keyword-value"),
    ),
    aliases=(
        "split_with_sizes",
        "unsafe_split",
        "unsafe_split_with_sizes",
    ),
)
def split(x, *, sizes, axis=0):
    """Parts of a given length along an axis; the last one may be shorter (PyTorch).

    Several numbers are the lengths of the parts, as in jax.lax.split. With the prefix np. it is
    `split_into`.

    Shapes:  x [5], sizes 2 -> [2], [2], [1]
    Kinks:   none
    Source:  a selection: each entry receives the adjoint of its part
    Example: vjp explain "a, b = split(x, 2); a*b" x=1,2,3,4 --seed ones
    """
    _scalar_refused("split", x)
    axis = trailing_axis(x, axis)
    length = x.shape[axis]
    if not isinstance(sizes, list | tuple):
        size = whole_number("sizes", sizes, least=1)
        cuts = [*range(0, max(length, 1), size), length]
        return _parts(x, cuts, axis)
    lengths = whole_numbers("sizes", sizes, least=0)
    if sum(lengths) != length:
        raise fail(
            "split-sizes",
            f"parts of lengths {shape_text(lengths)} do not make up an axis of length {length}",
        )
    cuts = [sum(lengths[:i]) for i in range(len(lengths) + 1)]
    return _parts(x, cuts, axis)


@operation(
    library_names={"numpy": ("split",), "jax": ("split",)},
    keyword_aliases={"indices_or_sections": "sections"},
    samples=(
        sample((6,), sections=3),
        sample((2, 4), sections=(1, 3), axis=1),
        sample((4,), sections=()),
    ),
    refuses=(
        Refusal(sample((5,), sections=2), "split-sizes"),
        Refusal(sample((5,), sections=0), "keyword-value"),
        Refusal(sample((5,), sections=2, axis=1), "axis-out-of-range"),
    ),
)
def split_into(x, *, sections, axis=0):
    """A number of equal parts along an axis, or parts that begin at given positions (np.split).

    Shapes:  x [6], sections 3 -> [2], [2], [2];  x [6], sections (1, 4) -> [1], [3], [2]
    Kinks:   none
    Source:  a selection: each entry receives the adjoint of its part
    Example: vjp explain "a, b = np.split(x, 2); a*b" x=1,2,3,4 --seed ones
    """
    _scalar_refused("split", x)
    axis = trailing_axis(x, axis)
    if not isinstance(sections, list | tuple):
        count = whole_number("sections", sections, least=1)
        if x.shape[axis] % count:
            raise fail(
                "split-sizes",
                f"an axis of length {x.shape[axis]} has no {count} equal parts",
                notes=("tensor_split allows parts of unequal length",),
            )
    return tensor_split(x, sections=sections, axis=axis)


@operation(
    aliases=("array_split",),
    keyword_aliases={"indices_or_sections": "sections", "indices": "sections"},
    samples=(
        sample((5,), sections=2),
        sample((2, 4), sections=(1, 3), axis=1),
        sample((3,), sections=5),
        sample((3,), sections=(2, 1)),
    ),
    refuses=(
        Refusal(sample((5,), sections=0), "keyword-value"),
        Refusal(sample((5,), sections=0.5), "keyword-value"),
        Refusal(sample((5,), sections=10**9), "too-many-parts"),
    ),
)
def tensor_split(x, *, sections, axis=0):
    """A number of nearly equal parts along an axis, or parts that begin at given positions.

    Shapes:  x [5], sections 2 -> [3], [2];  x [5], sections (1, 4) -> [1], [3], [1]
    Kinks:   none
    Source:  a selection: each entry receives the adjoint of its part
    Example: vjp explain "a, b = tensor_split(x, 2); sum(a)*sum(b)" x=1,2,3
    """
    _scalar_refused("tensor_split", x)
    axis = trailing_axis(x, axis)
    if isinstance(sections, list | tuple):
        return _at(x, whole_numbers("sections", sections), axis)
    count = whole_number("sections", sections, least=1)
    if count > MOST_PARTS:
        raise fail("too-many-parts", f"{count:,} parts; the limit is {MOST_PARTS:,}")
    return _parts(x, _evenly(x.shape[axis], count), axis)


@operation(
    samples=(
        sample((5,), chunks=2),
        sample((5,), chunks=4),
        sample((2, 3), chunks=3, axis=-1),
    ),
    refuses=(
        Refusal(sample((5,), chunks=0), "keyword-value"),
        Refusal(sample((), chunks=1), "rank-too-low"),
    ),
    aliases=("unsafe_chunk",),
)
def chunk(x, *, chunks, axis=0):
    """At most that many parts of equal length along an axis; the last may be shorter (PyTorch).

    Shapes:  x [5], chunks 2 -> [3], [2]
    Kinks:   none
    Source:  a selection: each entry receives the adjoint of its part
    Example: vjp explain "a, b = chunk(x, 2); sum(a)*sum(b)" x=1,2,3
    """
    _scalar_refused("chunk", x)
    axis = trailing_axis(x, axis)
    count = whole_number("chunks", chunks, least=1)
    size = -(-x.shape[axis] // count)
    if size == 0:
        return _parts(x, [0] * (min(count, MOST_PARTS) + 1), axis)
    return split(x, sizes=size, axis=axis)


@operation(
    aliases=("unstack",),
    samples=(sample((3,)), sample((2, 3), axis=1), sample((2, 1), axis=-2)),
    refuses=(
        Refusal(sample(()), "rank-too-low"),
        Refusal(sample((20000,)), "too-many-parts"),
    ),
)
def unbind(x, *, axis=0):
    """The slices along an axis, which goes.

    Shapes:  x [2, n] -> [n], [n]
    Kinks:   none
    Source:  a selection: each entry receives the adjoint of its slice
    Example: vjp explain "a, b = unbind(W); a*b" W=[[1,2],[3,4]] --seed ones
    """
    _scalar_refused("unbind", x)
    axis = trailing_axis(x, axis)
    if x.shape[axis] > MOST_PARTS:
        raise fail("too-many-parts", f"{x.shape[axis]:,} parts; the limit is {MOST_PARTS:,}")
    return tuple(indexing.read_along(x, i, axis) for i in range(x.shape[axis]))


@operation(
    keyword_aliases={"indices_or_sections": "sections"},
    samples=(sample((4,), sections=2), sample((2, 4), sections=(1,))),
    refuses=(Refusal(sample((5,), sections=2), "split-sizes"),),
)
def hsplit(x, *, sections):
    """Parts side by side: along axis 1, for a vector along axis 0.

    Shapes:  x [m, 4], sections 2 -> [m, 2], [m, 2]
    Kinks:   none
    Source:  a selection
    Example: vjp explain "a, b = hsplit(W, 2); sum(a*b)" W=[[1,2],[3,4]]
    """
    _scalar_refused("hsplit", x)
    return split_into(x, sections=sections, axis=0 if x.ndim == 1 else 1)


@operation(
    keyword_aliases={"indices_or_sections": "sections"},
    samples=(sample((4, 2), sections=2), sample((3, 2), sections=(1,))),
    refuses=(Refusal(sample((4,), sections=2), "rank-too-low"),),
)
def vsplit(x, *, sections):
    """Parts on top of each other: along axis 0.

    Shapes:  x [4, n], sections 2 -> [2, n], [2, n]
    Kinks:   none
    Source:  a selection
    Example: vjp explain "a, b = vsplit(W, 2); sum(a*b)" W=[[1,2],[3,4]]
    """
    if x.ndim < 2:
        raise fail("rank-too-low", f"vsplit needs two axes, not shape {shape_text(x.shape)}")
    return split_into(x, sections=sections, axis=0)


@operation(
    keyword_aliases={"indices_or_sections": "sections"},
    samples=(sample((1, 2, 4), sections=2),),
    refuses=(Refusal(sample((4, 2), sections=2), "rank-too-low"),),
)
def dsplit(x, *, sections):
    """Parts behind each other: along axis 2.

    Shapes:  x [m, n, 4], sections 2 -> [m, n, 2], [m, n, 2]
    Kinks:   none
    Source:  a selection
    Example: vjp explain "a, b = dsplit(x, 2); sum(a*b)" x=[[[1,2],[3,4]]]
    """
    if x.ndim < 3:
        raise fail("rank-too-low", f"dsplit needs three axes, not shape {shape_text(x.shape)}")
    return split_into(x, sections=sections, axis=2)
