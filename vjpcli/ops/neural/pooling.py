"""Pooling: one number for each window, the largest or the mean."""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import OPERATIONS, as_node
from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import true_or_false, whole_number, whole_per_axis
from vjpcli.ops.neural.windows import kernel_windows, padded, read_windows, span_of
from vjpcli.ops.numbers import comparison
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import selection, shape


class _Plan:
    """Where the windows of a pooling lie.

    Attributes:
        rank: how many axes are pooled.
        kernel, stride, dilation: one number per axis.
        lengths: of the pooled axes of the input.
        before, after: entries added on both sides of each axis.
        bounds: end of each axis with its own padding, without what ceil_mode added.
    """

    def __init__(self, name, rank, x, kernel_size, stride, padding, dilation, ceil_mode):
        if x.ndim not in (rank + 1, rank + 2):
            axes = {1: "L", 2: "H, W", 3: "D, H, W"}[rank]
            raise fail(
                "shape-mismatch",
                f"{name} takes an input [N, C, {axes}] or [C, {axes}], not {shape_text(x.shape)}",
            )
        self.rank = rank
        self.kernel = whole_per_axis("kernel_size", kernel_size, rank, least=1)
        absent = stride is None or stride == ()
        self.stride = self.kernel if absent else whole_per_axis("stride", stride, rank, least=1)
        self.before = whole_per_axis("padding", padding, rank, least=0)
        self.dilation = whole_per_axis("dilation", dilation, rank, least=1)
        self.lengths = x.shape[-rank:]
        if any(2 * pad > size for pad, size in zip(self.before, self.kernel, strict=True)):
            raise fail("keyword-value", "padding is at most half of kernel_size")
        self.bounds = tuple(n + pad for n, pad in zip(self.lengths, self.before, strict=True))
        round_up = true_or_false("ceil_mode", ceil_mode)
        self.after = tuple(self._after(axis, round_up) for axis in range(rank))
        spans = tuple(map(span_of, self.kernel, self.dilation))
        padded_lengths = [
            a + n + b for a, n, b in zip(self.before, self.lengths, self.after, strict=True)
        ]
        refuse_oversized((*x.shape[:-rank], *padded_lengths))
        if any(n < span for n, span in zip(padded_lengths, spans, strict=True)):
            raise fail(
                "kernel-too-large",
                f"the window of {name} covers {spans}, more than the padded input {self.lengths}",
            )

    def _after(self, axis, round_up):
        """Entries added at the end: the padding, and with ceil_mode a last incomplete window."""
        pad, pace = self.before[axis], self.stride[axis]
        free = self.lengths[axis] + 2 * pad - span_of(self.kernel[axis], self.dilation[axis])
        # A window that would begin in the padding at the end sees nothing and is left out.
        more = -free % pace if round_up else 0
        begins = free + more
        return pad + (more if more and begins < self.lengths[axis] + pad else 0)

    def read(self, x):
        """[..., places, entries]: what each window sees, its entries along one axis."""
        x = padded(x, self.before, self.after)
        read = kernel_windows(x, size=self.kernel, stride=self.stride, dilation=self.dilation)
        refuse_oversized(read.shape)
        return shape.reshape(read, shape=(*read.shape[: -self.rank], math.prod(self.kernel)))

    def places(self):
        """[places, entries]: the flat position in the image of each entry that a window sees."""
        along = [
            np.arange(-pad, n + more)
            for pad, n, more in zip(self.before, self.lengths, self.after, strict=True)
        ]
        steps = [math.prod(self.lengths[axis + 1 :]) for axis in range(self.rank)]
        flat = sum(np.ix_(*(one * step for one, step in zip(along, steps, strict=True))))
        read = read_windows(flat, size=self.kernel, stride=self.stride, dilation=self.dilation)
        return read.reshape(*read.shape[: self.rank], -1)

    def count(self, *, with_padding):
        """How many entries each window sees: [places]."""
        seen = np.ones(())
        for axis in range(self.rank):
            first, last = self.before[axis], self.before[axis] + self.lengths[axis]
            if with_padding:
                first, last = 0, last + self.before[axis]
            total = self.before[axis] + self.lengths[axis] + self.after[axis]
            inside = np.zeros(total)
            inside[first:last] = 1
            begins = range(0, total - self.kernel[axis] + 1, self.stride[axis])
            counts = [inside[at : at + self.kernel[axis]].sum() for at in begins]
            seen = np.multiply.outer(seen, counts)
        return as_node(seen)


def pool_largest(
    name, rank, x, kernel_size, stride, padding, dilation, ceil_mode, return_indices=False
):
    """The largest entry of each window over the last `rank` axes; on request also where it is."""
    plan = _Plan(name, rank, x, kernel_size, stride, padding, dilation, ceil_mode)
    places = plan.places() if true_or_false("return_indices", return_indices) else None
    if any(plan.before) or any(plan.after):
        # What lies outside must never be the largest.
        inside = np.pad(
            np.ones(plan.lengths, dtype=bool), list(zip(plan.before, plan.after, strict=True))
        )
        x = comparison.where(as_node(inside), padded(x, plan.before, plan.after), -np.inf)
        plan.before = plan.after = (0,) * rank
    return largest_entries(plan.read(x), places)


def largest_entries(read, places):
    """The largest along the last axis; of equal ones the first takes the adjoint (PyTorch).

    With `places`, the flat position of each entry in the image, also that of the largest.
    """
    largest = OPERATIONS["max_along"](read, axis=-1)
    if places is None:
        return largest
    first = OPERATIONS["argmax"](read, axis=-1, keepdims=True)
    found = selection.pick_along(as_node(np.broadcast_to(places, read.shape)), first, axis=-1)
    return largest, shape.squeeze(found, axis=-1)


def pool_mean(
    name, rank, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
):
    """The mean of each window over the last `rank` axes."""
    plan = _Plan(name, rank, x, kernel_size, stride, padding, 1, ceil_mode)
    with_padding = true_or_false("count_include_pad", count_include_pad)
    read = plan.read(x)
    if divisor_override is not None:
        divisor = whole_number("divisor_override", divisor_override, least=1)
        return reduction.sum(read, axis=-1) / divisor
    if not any(plan.after) and not any(plan.before):
        return reduction.mean(read, axis=-1)
    return reduction.sum(read, axis=-1) / plan.count(with_padding=with_padding)


POOL_REFUSALS = (
    Refusal(sample((4,), kernel_size=2), "shape-mismatch"),
    Refusal(sample((1, 4), kernel_size=0), "keyword-value"),
    Refusal(sample((1, 4), kernel_size=2, padding=2), "keyword-value"),
    Refusal(sample((1, 4), kernel_size=5), "kernel-too-large"),
    Refusal(sample((1, 4), kernel_size=2, stride=0), "keyword-value"),
    Refusal(sample((1, 4), kernel_size=2, ceil_mode="up"), "keyword-value"),
    Refusal(sample((1, 4), kernel_size=10**12, ceil_mode=True), "too-large"),
)


@operation(
    samples=(
        sample((2, 2, 6), kernel_size=2),
        sample((2, 5), kernel_size=3, stride=1, padding=1),
        sample((1, 7), kernel_size=2, stride=2, dilation=2, ceil_mode=True),
        sample((0, 2, 4), kernel_size=2),
        sample((2, 5), kernel_size=3, stride=1, padding=1, return_indices=True),
    ),
    refuses=POOL_REFUSALS,
    several=("values", "indices"),
)
def max_pool1d(
    x,
    *,
    kernel_size,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode=False,
    return_indices=False,
):
    """The largest entry of each window along the last axis.

    Shapes:  x [N, C, L] or [C, L] -> [..., L']; the stride is the kernel size unless given.
             return_indices=True gives (values, indices), the positions along the axis
    Kinks:   where two entries of a window are largest: the first one takes it all (PyTorch)
    Source:  a selection: the adjoint goes to the entry that was largest
    Example: vjp explain "max_pool1d(x, 2)" x=[[1,3,2,2]] --seed ones
    """
    return pool_largest(
        "max_pool1d", 1, x, kernel_size, stride, padding, dilation, ceil_mode, return_indices
    )


@operation(
    samples=(
        sample((2, 4, 5), kernel_size=2),
        sample((1, 1, 5, 4), kernel_size=(3, 2), stride=(2, 1), padding=(1, 0)),
        sample((1, 5, 5), kernel_size=2, ceil_mode=True),
        sample((1, 3, 4), kernel_size=2, return_indices=True),
    ),
    refuses=(
        Refusal(sample((4, 4), kernel_size=2), "shape-mismatch"),
        Refusal(sample((1, 4, 4), kernel_size=(2, 2, 2)), "keyword-value"),
        Refusal(sample((1, 4, 4), kernel_size=2, return_indices="yes"), "keyword-value"),
    ),
    several=("values", "indices"),
)
def max_pool2d(
    x,
    *,
    kernel_size,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode=False,
    return_indices=False,
):
    """The largest entry of each window of an image.

    Shapes:  x [N, C, H, W] or [C, H, W] -> [..., H', W']; the stride is the kernel size unless
             given. return_indices=True gives (values, indices), the positions in the flat image
    Kinks:   where two entries of a window are largest: the first one takes it all (PyTorch)
    Source:  a selection: the adjoint goes to the entry that was largest
    Example: vjp explain "max_pool2d(x, 2)" x=[[[1,3],[2,2]]]
    """
    return pool_largest(
        "max_pool2d", 2, x, kernel_size, stride, padding, dilation, ceil_mode, return_indices
    )


@operation(
    samples=(
        sample((2, 2, 6), kernel_size=2),
        sample((2, 5), kernel_size=3, stride=1, padding=1),
        sample((2, 5), kernel_size=3, stride=2, padding=1, count_include_pad=False),
        sample((1, 6), kernel_size=2, stride=3, ceil_mode=True),
        sample((1, 7), kernel_size=3, stride=3, padding=1, ceil_mode=True),
    ),
    refuses=POOL_REFUSALS,
    analytic=True,
)
def avg_pool1d(x, *, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of each window along the last axis.

    Shapes:  x [N, C, L] or [C, L] -> [..., L']; the stride is the kernel size unless given
    Kinks:   none
    Source:  each entry of a window of n receives 1/n; zeros of the padding count unless
             count_include_pad=False
    Example: vjp explain "avg_pool1d(x, 2)" x=[[1,3,2,2]] --seed ones
    """
    return pool_mean(
        "avg_pool1d", 1, x, kernel_size, stride, padding, ceil_mode, count_include_pad, None
    )


@operation(
    samples=(
        sample((2, 4, 5), kernel_size=2),
        sample((1, 1, 5, 4), kernel_size=(3, 2), stride=(2, 1), padding=(1, 0)),
        sample((1, 5, 5), kernel_size=2, ceil_mode=True, divisor_override=3),
        sample((1, 5, 5), kernel_size=3, stride=2, padding=1, count_include_pad=False),
    ),
    refuses=(
        Refusal(sample((4, 4), kernel_size=2), "shape-mismatch"),
        Refusal(sample((1, 4, 4), kernel_size=2, divisor_override=0), "keyword-value"),
    ),
    analytic=True,
)
def avg_pool2d(
    x,
    *,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=None,
):
    """The mean of each window of an image.

    Shapes:  x [N, C, H, W] or [C, H, W] -> [..., H', W']; the stride is the kernel size unless
             given
    Kinks:   none
    Source:  each entry of a window of n receives 1/n; zeros of the padding count unless
             count_include_pad=False
    Example: vjp explain "avg_pool2d(x, 2)" x=[[[1,3],[2,2]]]
    """
    return pool_mean(
        "avg_pool2d",
        2,
        x,
        kernel_size,
        stride,
        padding,
        ceil_mode,
        count_include_pad,
        divisor_override,
    )
