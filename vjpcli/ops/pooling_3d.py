"""Pooling of volumes: also the largest entries of as many windows as are wanted."""

from __future__ import annotations

from vjpcli.ops.declaration import Refusal, operation, sample
from vjpcli.ops.pooling import pool_largest, pool_mean, pool_to_size

VOLUME_REFUSALS = (
    Refusal(sample((4, 4), kernel_size=2), "shape-mismatch"),
    Refusal(sample((1, 4, 4, 4), kernel_size=(2, 2)), "keyword-value"),
    Refusal(sample((1, 2, 2, 2), kernel_size=5), "kernel-too-large"),
)


@operation(
    samples=(
        sample((1, 2, 3, 4), kernel_size=2),
        sample((1, 1, 2, 2, 3), kernel_size=(1, 2, 2), stride=1, padding=(0, 1, 0)),
    ),
    refuses=VOLUME_REFUSALS,
)
def max_pool3d(x, *, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The largest entry of each window of a volume.

    Shapes:  x [N, C, D, H, W] or [C, D, H, W] -> [..., D', H', W']; the stride is the kernel size
             unless given
    Kinks:   where two entries of a window are largest: the first one takes it all (PyTorch)
    Source:  a selection: the adjoint goes to the entry that was largest
    Example: vjp explain "max_pool3d(x, 2)" x=[[[[1,3],[2,2]],[[0,5],[4,1]]]]
    """
    return pool_largest("max_pool3d", 3, x, kernel_size, stride, padding, dilation, ceil_mode)


@operation(
    samples=(
        sample((1, 2, 3, 4), kernel_size=2),
        sample((1, 1, 2, 2, 3), kernel_size=(1, 2, 2), stride=1, padding=(0, 1, 0)),
        sample((1, 2, 2, 3), kernel_size=2, padding=1, count_include_pad=False),
    ),
    refuses=VOLUME_REFUSALS,
    analytic=True,
)
def avg_pool3d(
    x,
    *,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=None,
):
    """The mean of each window of a volume.

    Shapes:  x [N, C, D, H, W] or [C, D, H, W] -> [..., D', H', W']; the stride is the kernel size
             unless given
    Kinks:   none
    Source:  each entry of a window of n receives 1/n; zeros of the padding count unless
             count_include_pad=False
    Example: vjp explain "avg_pool3d(x, 2)" x=[[[[1,3],[2,2]],[[0,5],[4,1]]]]
    """
    return pool_mean(
        "avg_pool3d",
        3,
        x,
        kernel_size,
        stride,
        padding,
        ceil_mode,
        count_include_pad,
        divisor_override,
    )


@operation(
    samples=(sample((1, 2, 3, 4), output_size=(1, 2, 3)), sample((1, 1, 2, 2, 3), output_size=2)),
    refuses=(Refusal(sample((5, 5), output_size=2), "shape-mismatch"),),
    analytic=True,
)
def adaptive_avg_pool3d(x, *, output_size):
    """Means of as many windows of a volume as are wanted along each axis.

    Shapes:  x [N, C, D, H, W] or [C, D, H, W] -> [..., output_size]; None keeps a length
    Kinks:   none
    Source:  window i covers floor(i L/n) up to ceil((i + 1) L/n) along each axis, as in PyTorch
    Example: vjp explain "adaptive_avg_pool3d(x, 1)" x=[[[[1,3],[2,2]],[[0,5],[4,1]]]]
    """
    return pool_to_size("adaptive_avg_pool3d", 3, x, output_size)


@operation(
    samples=(sample((2, 2, 6), output_size=3), sample((2, 5), output_size=3)),
    refuses=(
        Refusal(sample((5,), output_size=2), "shape-mismatch"),
        Refusal(sample((1, 5), output_size=0), "keyword-value"),
    ),
)
def adaptive_max_pool1d(x, *, output_size):
    """The largest entries of as many windows as are wanted.

    Shapes:  x [N, C, L] or [C, L] -> [..., output_size]
    Kinks:   where two entries of a window are largest: the first one takes it all (PyTorch)
    Source:  window i covers floor(i L/n) up to ceil((i + 1) L/n), as in PyTorch
    Example: vjp explain "adaptive_max_pool1d(x, 2)" x=[[1,3,2]] --seed ones
    """
    return pool_to_size("adaptive_max_pool1d", 1, x, output_size, largest=True)


@operation(
    samples=(sample((2, 4, 6), output_size=(2, 3)), sample((1, 3, 4), output_size=(None, 1))),
    refuses=(Refusal(sample((5, 5), output_size=2), "shape-mismatch"),),
)
def adaptive_max_pool2d(x, *, output_size):
    """The largest entries of as many windows of an image as are wanted along each axis.

    Shapes:  x [N, C, H, W] or [C, H, W] -> [..., output_size]; None keeps a length
    Kinks:   where two entries of a window are largest: one of them takes it all
    Source:  window i covers floor(i L/n) up to ceil((i + 1) L/n) along each axis, as in PyTorch
    Example: vjp explain "adaptive_max_pool2d(x, 1)" x=[[[1,3],[2,0]]]
    """
    return pool_to_size("adaptive_max_pool2d", 2, x, output_size, largest=True)


@operation(
    samples=(sample((1, 2, 3, 4), output_size=(1, 2, 3)),),
    refuses=(Refusal(sample((5, 5), output_size=2), "shape-mismatch"),),
)
def adaptive_max_pool3d(x, *, output_size):
    """The largest entries of as many windows of a volume as are wanted along each axis.

    Shapes:  x [N, C, D, H, W] or [C, D, H, W] -> [..., output_size]; None keeps a length
    Kinks:   where two entries of a window are largest: one of them takes it all
    Source:  window i covers floor(i L/n) up to ceil((i + 1) L/n) along each axis, as in PyTorch
    Example: vjp explain "adaptive_max_pool3d(x, 1)" x=[[[[1,3],[2,2]],[[0,5],[4,1]]]]
    """
    return pool_to_size("adaptive_max_pool3d", 3, x, output_size, largest=True)
