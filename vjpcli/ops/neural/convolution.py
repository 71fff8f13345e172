"""Convolution of one, two and three dimensions, and its transpose.

As everywhere in deep learning the kernel is not flipped: this is the cross-correlation. All of
it is windows times weights: each window of the input becomes one row of a matrix, and the
kernels are the columns of another.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from vjpcli.errors import VjpError
from vjpcli.graph.node import Node, Shape
from vjpcli.graph.operation import OPERATIONS
from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import one_of, whole_number, whole_per_axis
from vjpcli.ops.neural.windows import (
    add_kernel_windows,
    cropped,
    kernel_windows,
    padded,
    span_of,
)
from vjpcli.ops.shapes import shape

SPATIAL_AXES = {1: "L", 2: "H, W", 3: "D, H, W"}


class Layout(NamedTuple):
    """How a convolution is laid out.

    Attributes:
        batch: [] for a single example, [N] otherwise.
        kernel, stride, dilation: one number per spatial axis.
        groups: how many separate convolutions share the channels.
    """

    batch: Shape
    kernel: Shape
    stride: Shape
    dilation: Shape
    groups: int


def _layout(name, rank, x, weight, stride, dilation, groups) -> Layout:
    if x.ndim not in (rank + 1, rank + 2) or weight.ndim != rank + 2:
        axes = SPATIAL_AXES[rank]
        raise _mismatch(name, x, weight, f"the input is [N, C, {axes}] or [C, {axes}]")
    return Layout(
        batch=x.shape[: -rank - 1],
        kernel=weight.shape[-rank:],
        stride=whole_per_axis("stride", stride, rank, least=1),
        dilation=whole_per_axis("dilation", dilation, rank, least=1),
        groups=whole_number("groups", groups, least=1),
    )


def _mismatch(name: str, x: Node, weight: Node, why: str) -> VjpError:
    return fail(
        "shape-mismatch",
        f"{name} cannot combine an input of shape {shape_text(x.shape)} "
        f"with weights of shape {shape_text(weight.shape)}",
        notes=(why,),
    )


def _padding(padding, layout: Layout) -> tuple[Shape, Shape]:
    """Zeros before and after each spatial axis.

    Errors: keyword-value.
    """
    rank = len(layout.kernel)
    if not isinstance(padding, str):
        both = whole_per_axis("padding", padding, rank, least=0)
        return both, both
    if one_of("padding", padding, ("valid", "same")) == "valid":
        return (0,) * rank, (0,) * rank
    if set(layout.stride) != {1}:
        raise fail("keyword-value", "padding='same' needs a stride of 1")
    total = [span_of(*sizes) - 1 for sizes in zip(layout.kernel, layout.dilation, strict=True)]
    before = tuple(n // 2 for n in total)
    return before, tuple(n - half for n, half in zip(total, before, strict=True))


def _with_bias(name, y, bias, channels, rank):
    if bias is None:
        return y
    if bias.shape != (channels,):
        raise fail(
            "shape-mismatch",
            f"{name} needs one bias for each of {channels} channels, "
            f"not a bias of shape {shape_text(bias.shape)}",
        )
    return y + shape.reshape(bias, shape=(channels, *(1,) * rank))


def _permute(x, *axes):
    return OPERATIONS["permute"](x, axis=axes)


def _convolve(name, rank, x, weight, bias, stride, padding, dilation, groups):
    layout = _layout(name, rank, x, weight, stride, dilation, groups)
    groups, kernel = layout.groups, layout.kernel
    channels, given = weight.shape[:2]
    if x.shape[-rank - 1] != given * groups or channels % groups:
        raise _mismatch(
            name,
            x,
            weight,
            f"weights are [out, in/groups, ...]: {given} x {groups} groups need "
            f"{given * groups} input channels, and out must be divisible by groups",
        )
    x = padded(x, *_padding(padding, layout))
    _require_fit(name, x.shape[-rank:], layout)
    read = kernel_windows(x, size=kernel, stride=layout.stride, dilation=layout.dilation)
    places = read.shape[-2 * rank : -rank]
    count, entries = math.prod(places), given * math.prod(kernel)
    batch = math.prod(layout.batch)
    refuse_oversized((batch, groups, count, entries))
    # [N, groups, in/groups, places, kernel] -> [N, groups, places, in/groups * kernel]
    rows = shape.reshape(read, shape=(batch, groups, given, count, math.prod(kernel)))
    rows = shape.reshape(_permute(rows, 0, 1, 3, 2, 4), shape=(batch, groups, count, entries))
    columns = shape.reshape(weight, shape=(groups, channels // groups, entries))
    y = rows @ _permute(columns, 0, 2, 1)
    y = shape.reshape(_permute(y, 0, 1, 3, 2), shape=(*layout.batch, channels, *places))
    return _with_bias(name, y, bias, channels, rank)


def _require_fit(name, lengths, layout: Layout):
    spans = tuple(map(span_of, layout.kernel, layout.dilation))
    if any(length < span for length, span in zip(lengths, spans, strict=True)):
        raise fail(
            "kernel-too-large",
            f"the kernel of {name} covers {spans}, more than the padded input {tuple(lengths)}",
        )


def _convolve_transposed(
    name, rank, x, weight, bias, stride, padding, output_padding, groups, dilation
):
    layout = _layout(name, rank, x, weight, stride, dilation, groups)
    groups, kernel = layout.groups, layout.kernel
    given, channels = weight.shape[0], weight.shape[1] * groups
    if x.shape[-rank - 1] != given or given % groups:
        raise _mismatch(
            name,
            x,
            weight,
            f"weights are [in, out/groups, ...]: {given} input channels are needed, "
            "and in must be divisible by groups",
        )
    before = whole_per_axis("padding", padding, rank, least=0)
    beyond = whole_per_axis("output_padding", output_padding, rank, least=0)
    if any(
        n >= max(sizes) for n, *sizes in zip(beyond, layout.stride, layout.dilation, strict=True)
    ):
        raise fail("keyword-value", "output_padding is less than the stride or the dilation")
    places = x.shape[-rank:]
    spans = map(span_of, kernel, layout.dilation)
    full = [
        pace * (n - 1) + span for pace, n, span in zip(layout.stride, places, spans, strict=True)
    ]
    lengths = [n - 2 * cut + more for n, cut, more in zip(full, before, beyond, strict=True)]
    if any(n < 1 for n in lengths):
        raise fail("kernel-too-large", f"nothing is left of {name}: padding cuts off everything")
    batch, count = math.prod(layout.batch), math.prod(places)
    each = channels // groups * math.prod(kernel)
    refuse_oversized((batch, groups, each, count))
    values = shape.reshape(x, shape=(batch, groups, given // groups, count))
    columns = shape.reshape(weight, shape=(groups, given // groups, each))
    spread = _permute(columns, 0, 2, 1) @ values
    # [N, groups, out/groups * kernel, places] -> [N, out, places, kernel]
    spread = shape.reshape(spread, shape=(batch, channels, math.prod(kernel), count))
    spread = shape.reshape(
        _permute(spread, 0, 1, 3, 2), shape=(*layout.batch, channels, *places, *kernel)
    )
    room = tuple(max(n, cut + length) for n, cut, length in zip(full, before, lengths, strict=True))
    y = add_kernel_windows(spread, lengths=room, stride=layout.stride, dilation=layout.dilation)
    return _with_bias(name, cropped(y, before, lengths), bias, channels, rank)


CONVOLUTION_REFUSALS = (
    Refusal(sample((3, 8), (2, 2, 3)), "shape-mismatch"),
    Refusal(sample((8,), (2, 2, 3)), "shape-mismatch"),
    Refusal(sample((2, 8), (2, 2, 3), stride=0), "keyword-value"),
    Refusal(sample((2, 8), (2, 2, 3), dilation=0.5), "keyword-value"),
    Refusal(sample((2, 8), (2, 2, 3), groups="two"), "keyword-value"),
    Refusal(sample((2, 8), (2, 2, 3), stride=(1, 1)), "keyword-value"),
    Refusal(sample((2, 8), (2, 2, 3), (3,)), "shape-mismatch"),
)


@operation(
    samples=(
        sample((2, 2, 6), (3, 2, 3)),
        sample((2, 6), (3, 2, 3), (3,), stride=2, padding=1),
        sample((1, 4, 7), (4, 2, 2), (4,), dilation=2, groups=2),
        sample((2, 5), (1, 2, 4), padding="same"),
        sample((0, 2, 5), (1, 2, 2), padding="valid"),
    ),
    refuses=(
        *CONVOLUTION_REFUSALS,
        Refusal(sample((2, 2), (2, 2, 3)), "kernel-too-large"),
        Refusal(sample((2, 8), (2, 2, 3), padding="full"), "keyword-value"),
        Refusal(sample((2, 8), (2, 2, 3), padding="same", stride=2), "keyword-value"),
        Refusal(sample((2, 8), (2, 2, 3), padding=-1), "keyword-value"),
    ),
    analytic=True,
)
def conv1d(input, weight, bias=None, *, stride=1, padding=0, dilation=1, groups=1):
    """Each window of the input times each kernel, along one axis. The kernel is not flipped.

    Shapes:  input [N, C, L] or [C, L], weight [O, C/groups, K], bias [O] -> [N, O, L'] or
             [O, L'] with L' = (L + 2 padding - dilation (K - 1) - 1)/stride + 1
    Kinks:   none
    Source:  linear in each operand: windows of the input times the weights
    Example: vjp explain "conv1d(x, w)" x=[[[1,2,3,4]]] w=[[[1,0,-1]]] --seed ones
    """
    return _convolve("conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


@operation(
    samples=(
        sample((2, 2, 4, 3), (3, 2, 2, 3)),
        sample((2, 4, 4), (2, 1, 2, 2), (2,), stride=(2, 1), padding=(0, 1), groups=2),
        sample((1, 1, 4, 5), (1, 1, 2, 2), dilation=(1, 2), padding="same"),
    ),
    refuses=(
        Refusal(sample((1, 1, 3), (1, 2, 2, 2)), "shape-mismatch"),
        Refusal(sample((1, 3, 3), (1, 1, 4, 2)), "kernel-too-large"),
        Refusal(sample((1, 3, 3), (1, 1, 2, 2), padding=(1, 1, 1)), "keyword-value"),
    ),
    analytic=True,
)
def conv2d(input, weight, bias=None, *, stride=1, padding=0, dilation=1, groups=1):
    """Each window of an image times each kernel. The kernel is not flipped.

    Shapes:  input [N, C, H, W] or [C, H, W], weight [O, C/groups, K, L], bias [O] ->
             [N, O, H', W'] or [O, H', W'], as conv1d along each axis
    Kinks:   none
    Source:  linear in each operand: windows of the input times the weights
    Example: vjp explain "conv2d(x, w)" x=[[[[1,2],[3,4]]]] w=[[[[1,10],[100,1000]]]]
    """
    return _convolve("conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


@operation(
    samples=(
        sample((1, 2, 3, 2, 3), (2, 2, 2, 2, 2)),
        sample((1, 3, 3, 3), (1, 1, 2, 2, 2), (1,), stride=2, padding=1),
    ),
    refuses=(Refusal(sample((1, 3, 3), (1, 1, 2, 2, 2)), "shape-mismatch"),),
    analytic=True,
)
def conv3d(input, weight, bias=None, *, stride=1, padding=0, dilation=1, groups=1):
    """Each window of a volume times each kernel. The kernel is not flipped.

    Shapes:  input [N, C, D, H, W] or [C, D, H, W], weight [O, C/groups, K, L, M], bias [O] ->
             [N, O, D', H', W'] or [O, D', H', W'], as conv1d along each axis
    Kinks:   none
    Source:  linear in each operand: windows of the input times the weights
    Example: vjp explain "sum(conv3d(x, w))" x:1x2x2x2=1,2,3,4,5,6,7,8 w:1x1x1x1x2=1,-1
    """
    return _convolve("conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


BY_RANK = {1: conv1d, 2: conv2d, 3: conv3d}
"""The number of axes that a kernel moves along -> the convolution."""


@operation(
    samples=(
        sample((2, 2, 3), (2, 3, 2)),
        sample((4, 3), (4, 1, 3), (2,), stride=2, padding=1, output_padding=1, groups=2),
        sample((1, 1, 3), (1, 1, 2), dilation=2),
    ),
    refuses=(
        *CONVOLUTION_REFUSALS,
        Refusal(sample((2, 4), (2, 1, 3), output_padding=1), "keyword-value"),
        Refusal(sample((2, 1), (2, 1, 3), padding=2), "kernel-too-large"),
    ),
    analytic=True,
)
def conv_transpose1d(
    input, weight, bias=None, *, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
    """The transpose of conv1d: each entry adds a multiple of a kernel to the output.

    Shapes:  input [N, C, L] or [C, L], weight [C, O/groups, K], bias [O] -> [N, O, L'] or
             [O, L'] with L' = (L - 1) stride - 2 padding + dilation (K - 1) + output_padding + 1
    Kinks:   none
    Source:  what conv1d's rule does to an adjoint
    Example: vjp explain "conv_transpose1d(x, w)" x=[[[1,2]]] w=[[[1,10,100]]] --seed ones
    """
    return _convolve_transposed(
        "conv_transpose1d",
        1,
        input,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        groups,
        dilation,
    )


@operation(
    samples=(
        sample((1, 2, 2, 3), (2, 2, 2, 2)),
        sample((2, 2, 2), (2, 1, 2, 3), (1,), stride=2, padding=(0, 1), output_padding=(1, 0)),
    ),
    refuses=(Refusal(sample((1, 2, 2), (2, 1, 2, 2)), "shape-mismatch"),),
    analytic=True,
)
def conv_transpose2d(
    input, weight, bias=None, *, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
    """The transpose of conv2d: each entry adds a multiple of a kernel to the output.

    Shapes:  input [N, C, H, W] or [C, H, W], weight [C, O/groups, K, L], bias [O] ->
             [N, O, H', W'] or [O, H', W'], as conv_transpose1d along each axis
    Kinks:   none
    Source:  what conv2d's rule does to an adjoint
    Example: vjp explain "conv_transpose2d(x, w)" x=[[[[1,2]]]] w=[[[[1,10],[100,1000]]]]
    """
    return _convolve_transposed(
        "conv_transpose2d",
        2,
        input,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        groups,
        dilation,
    )


@operation(
    samples=(
        sample((1, 2, 1, 2, 2), (2, 1, 1, 2, 2)),
        sample((1, 1, 2, 2), (1, 2, 2, 1, 1), (2,), stride=(1, 2, 1)),
    ),
    refuses=(Refusal(sample((1, 2, 2), (2, 1, 2, 2)), "shape-mismatch"),),
    analytic=True,
)
def conv_transpose3d(
    input, weight, bias=None, *, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
    """The transpose of conv3d: each entry adds a multiple of a kernel to the output.

    Shapes:  input [N, C, D, H, W] or [C, D, H, W], weight [C, O/groups, J, K, L], bias [O] ->
             [N, O, D', H', W'] or [O, D', H', W'], as conv_transpose1d along each axis
    Kinks:   none
    Source:  what conv3d's rule does to an adjoint
    Example: vjp explain "conv_transpose3d(x, w)" x=[[[[[1,2]]]]] w=[[[[[1,10]]]]]
    """
    return _convolve_transposed(
        "conv_transpose3d",
        3,
        input,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        groups,
        dilation,
    )


@operation(
    samples=(sample((4, 2, 3), (2, 3, 2), (2,)), sample((3, 1, 2), (2, 2, 1), (1,), pad=1)),
    argument_order=("input", "weight", "bias", "pad"),
    refuses=(
        Refusal(sample((4, 2), (2, 3, 2), (2,)), "shape-mismatch"),
        Refusal(sample((4, 2, 3), (2, 2, 2), (2,)), "shape-mismatch"),
        Refusal(sample((4, 2, 3), (2, 3, 2), (2,), pad=-1), "keyword-value"),
    ),
    analytic=True,
)
def conv_tbc(input, weight, bias, *, pad=0):
    """Convolution along time, which is the first axis: time, batch, channels.

    Shapes:  input [T, N, C], weight [k, C, out], bias [out] -> [T + 2 pad - k + 1, N, out]
    Kinks:   none
    Source:  `conv1d` with the axes in another order
    Example: vjp explain "F.conv_tbc(x, w, b)" x=[[[1]],[[2]],[[3]]] w=[[[1]],[[10]]] b=[0]
             --seed ones
    """
    if input.ndim != 3 or weight.ndim != 3:
        raise _mismatch("conv_tbc", input, weight, "input [T, N, C] and weight [k, C, out]")
    channels_first = _permute(input, 1, 2, 0)
    y = conv1d(channels_first, _permute(weight, 2, 1, 0), bias, padding=pad)
    return _permute(y, 2, 0, 1)
