"""Pooling of volumes: the largest entry of each window, or the mean."""

from __future__ import annotations

from vjpcli.ops.declaration import Refusal, operation, sample
from vjpcli.ops.neural.pooling import pool_largest, pool_mean

VOLUME_REFUSALS = (
    Refusal(sample((4, 4), kernel_size=2), "shape-mismatch"),
    Refusal(sample((1, 4, 4, 4), kernel_size=(2, 2)), "keyword-value"),
    Refusal(sample((1, 2, 2, 2), kernel_size=5), "kernel-too-large"),
)


@operation(
    samples=(
        sample((1, 2, 3, 4), kernel_size=2),
        sample((1, 1, 2, 2, 3), kernel_size=(1, 2, 2), stride=1, padding=(0, 1, 0)),
        sample((1, 2, 2, 2), kernel_size=2, padding=1, return_indices=True),
    ),
    refuses=VOLUME_REFUSALS,
    several=("values", "indices"),
)
def max_pool3d(
    x,
    *,
    kernel_size,
    stride=None,
    padding=0,
    dilation=1,
    ceil_mode=False,
    return_indices=False,
):
    """The largest entry of each window of a volume.

    Shapes:  x [N, C, D, H, W] or [C, D, H, W] -> [..., D', H', W']; the stride is the kernel size
             unless given. return_indices=True gives (values, indices), the positions in the flat
             volume
    Kinks:   where two entries of a window are largest: the first one takes it all (PyTorch)
    Source:  a selection: the adjoint goes to the entry that was largest
    Example: vjp explain "max_pool3d(x, 2)" x=[[[[1,3],[2,2]],[[0,5],[4,1]]]]
    """
    return pool_largest(
        "max_pool3d", 3, x, kernel_size, stride, padding, dilation, ceil_mode, return_indices
    )


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
