"""Windows that slide over the last axes: what convolution and pooling read.

`kernel_windows` lists the entries that each window sees; its mirror image `add_kernel_windows`
adds windows back into the array they were read from. Each is the rule of the other.
"""

from __future__ import annotations

from itertools import product
from operator import iadd, ior
from typing import Any

import numpy as np

from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import Refusal, fail, operation, outcome, sample, shape_text
from vjpcli.ops.keywords import whole_per_axis
from vjpcli.ops.shapes import indexing


def span_of(size, dilation):
    """Length that a window covers: from its first entry to its last."""
    return dilation * (size - 1) + 1


def window_count(length, size, stride, dilation):
    """How many windows fit into `length`."""
    return max(0, (length - span_of(size, dilation)) // stride + 1)


def read_windows(x, *, size, stride, dilation):
    """The forward function of `kernel_windows`, for arrays of positions too."""
    axes = tuple(range(-len(size), 0))
    spans = tuple(map(span_of, size, dilation))
    if any(length < span for length, span in zip(x.shape[-len(size) :], spans, strict=True)):
        return np.empty((*_counts_shape(x.shape, size, stride, dilation), *size), x.dtype)
    every = np.lib.stride_tricks.sliding_window_view(x, spans, axes)
    read: Any = (Ellipsis, *(slice(None, None, step) for step in (*stride, *dilation)))
    return every[read]


def _counts_shape(shape, size, stride, dilation):
    rank = len(size)
    counts = map(window_count, shape[-rank:], size, stride, dilation)
    return (*shape[:-rank], *counts)


def _add(g, *, lengths, stride, dilation, add=iadd):
    rank = len(lengths)
    counts, size = g.shape[-2 * rank : -rank], g.shape[-rank:]
    out = np.zeros((*g.shape[: -2 * rank], *lengths), g.dtype)
    # One turn for each entry of a window, not for each window: few turns over large arrays.
    for entry in product(*map(range, size)):
        places: Any = tuple(
            slice(step * at, step * at + pace * count, pace)
            for at, step, pace, count in zip(entry, dilation, stride, counts, strict=True)
        )
        here = (Ellipsis, *places)
        out[here] = add(out[here], g[(Ellipsis, *entry)])
    return out


@operation(
    read_windows,
    pattern="movement",
    samples=(
        sample((5,), size=2),
        sample((2, 7), size=(3,), stride=2, dilation=2),
        sample((2, 4, 5), size=(2, 3), stride=(1, 2)),
        sample((2,), size=3),
        sample((0, 4), size=2),
    ),
    refuses=(
        Refusal(sample((3,), size=(2, 2)), "shape-mismatch"),
        Refusal(sample((3,), size=0), "keyword-value"),
        Refusal(sample((3,), size=2, stride=0), "keyword-value"),
        Refusal(sample((3,), size=1.5), "keyword-value"),
    ),
    analytic=True,
)
def kernel_windows(x, *, size, stride=1, dilation=1):
    """The entries that a window sees at each of its places, sliding over the last axes.

    Shapes:  x [..., L], size k -> [..., L - k + 1, k] for stride 1; for a size of several
             numbers the places along each axis come first, then the entries
    Kinks:   none
    Source:  a selection: the adjoint is added into the places that were read
    Example: vjp explain "kernel_windows(x, 2) @ w" x=1,2,3,4 w=1,10 --seed ones
    """
    rank = len(size) if isinstance(size, list | tuple) else 1
    if not 1 <= rank <= x.ndim:
        raise fail(
            "shape-mismatch",
            f"a window over {rank} axes does not fit shape {shape_text(x.shape)}",
        )
    size = whole_per_axis("size", size, rank, least=1)
    stride = whole_per_axis("stride", stride, rank, least=1)
    dilation = whole_per_axis("dilation", dilation, rank, least=1)
    shape = (*_counts_shape(x.shape, size, stride, dilation), *size)
    refuse_oversized(shape)
    refuse_oversized(size)
    return outcome(shape, size=size, stride=stride, dilation=dilation)


@kernel_windows.vjp
def _(g, y, x, *, size, stride, dilation):
    lengths = x.shape[-len(size) :]
    return add_kernel_windows(g, lengths=lengths, stride=stride, dilation=dilation)


@operation(
    _add,
    pattern=lambda g, **static: _add(g, **static, add=ior),
    samples=(
        sample((4, 2), lengths=5),
        sample((2, 3, 2), lengths=(8,), stride=2, dilation=2),
        sample((2, 3, 2, 2), lengths=(3, 6), stride=(1, 2)),
    ),
    refuses=(
        Refusal(sample((4, 2), lengths=4), "shape-mismatch"),
        Refusal(sample((4,), lengths=4), "shape-mismatch"),
    ),
    analytic=True,
)
def add_kernel_windows(g, *, lengths, stride=1, dilation=1):
    """Windows added back into an array of zeros: overlapping entries add up.

    Shapes:  g [..., places, entries] -> [..., lengths]
    Kinks:   none
    Source:  the transpose of `kernel_windows`
    Example: vjp explain "add_kernel_windows(g, 3)" g=[[1,2],[3,4]] --seed 1,10,100
    """
    rank = len(lengths) if isinstance(lengths, list | tuple) else 1
    lengths = whole_per_axis("lengths", lengths, rank, least=0)
    stride = whole_per_axis("stride", stride, rank, least=1)
    dilation = whole_per_axis("dilation", dilation, rank, least=1)
    needed = [
        step * (size - 1) + pace * (count - 1) + 1 if size and count else 0
        for size, count, step, pace in zip(
            g.shape[-rank:], g.shape[-2 * rank : -rank], dilation, stride, strict=False
        )
    ]
    if not 1 <= rank <= g.ndim // 2 or any(map(int.__gt__, needed, lengths)):
        raise fail(
            "shape-mismatch",
            f"windows of shape {shape_text(g.shape)} do not fit into lengths {lengths}",
        )
    refuse_oversized((*g.shape[: -2 * rank], *lengths))
    return outcome(
        (*g.shape[: -2 * rank], *lengths), lengths=lengths, stride=stride, dilation=dilation
    )


@add_kernel_windows.vjp
def _(g, y, x, *, lengths, stride, dilation):
    size, counts = x.shape[-len(lengths) :], x.shape[-2 * len(lengths) : -len(lengths)]
    read = kernel_windows(g, size=size, stride=stride, dilation=dilation)
    return first_places(read, counts, len(lengths))


def first_places(read, counts, rank):
    """The first `counts` places of `read`: more may fit than were given."""
    if read.shape[-2 * rank : -rank] == counts:
        return read
    places = (slice(None, count) for count in counts)
    return indexing.index(read, index=(Ellipsis, *places, *(slice(None),) * rank))


def padded(x, before, after):
    """x with zeros before and after its last axes."""
    if not any(before) and not any(after):
        return x
    lengths = x.shape[-len(before) :]
    places = tuple(slice(a, a + n) for a, n in zip(before, lengths, strict=True))
    total = tuple(a + n + b for a, n, b in zip(before, lengths, after, strict=True))
    refuse_oversized((*x.shape[: -len(before)], *total))
    return indexing.add_into(x, index=places, shape=total)


def cropped(x, before, lengths):
    """The part of x that starts at `before` along its last axes and has these lengths."""
    if x.shape[-len(lengths) :] == tuple(lengths):
        return x
    places = (slice(a, a + n) for a, n in zip(before, lengths, strict=True))
    return indexing.index(x, index=(Ellipsis, *places))
