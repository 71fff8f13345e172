"""Power pooling: the p-norm of each window, without the sizes that a norm takes first."""

from __future__ import annotations

import math

from vjpcli.graph.facts import positive
from vjpcli.ops.declaration import Refusal, fail, operation, sample
from vjpcli.ops.keywords import plain_number, whole_per_axis
from vjpcli.ops.neural import rectifier
from vjpcli.ops.neural.pooling import pool_mean
from vjpcli.ops.numbers import arithmetic

POWER_REFUSALS = (
    Refusal(sample((1, 4, 4, 4), norm_type=0, kernel_size=2), "keyword-value"),
    Refusal(sample((4,), norm_type=2, kernel_size=2), "shape-mismatch"),
)


def _power_pool(name, rank, x, norm_type, kernel_size, stride, ceil_mode):
    p = plain_number("norm_type", norm_type)
    if p == 0:
        raise fail("keyword-value", f"norm_type of {name} is not 0")
    mean = pool_mean(name, rank, x**p, kernel_size, stride, 0, ceil_mode, True, None)
    signed = arithmetic.sign(mean) * rectifier.relu(arithmetic.abs(mean))
    count = math.prod(whole_per_axis("kernel_size", kernel_size, rank, least=1))
    return (signed * count) ** (1 / p)


@operation(
    domain=positive,
    samples=(
        sample((2, 2, 6), norm_type=2, kernel_size=2),
        sample((1, 5), norm_type=3, kernel_size=2, stride=1),
    ),
    refuses=POWER_REFUSALS,
)
def lp_pool1d(x, *, norm_type, kernel_size, stride=None, ceil_mode=False):
    """(sum of x**p)**(1/p) over each window along the last axis.

    Shapes:  x [N, C, L] or [C, L] -> [..., L']; the stride is the kernel size unless given
    Kinks:   infinite or nan where a window holds only zeros, as in PyTorch
    Source:  PyTorch's definition: powers, then the mean of each window times its length
    Example: vjp explain "lp_pool1d(x, 2, 2)" x=[[3,4,5,12]] --seed ones
    """
    return _power_pool("lp_pool1d", 1, x, norm_type, kernel_size, stride, ceil_mode)


@operation(
    domain=positive,
    samples=(
        sample((2, 4, 5), norm_type=2, kernel_size=2),
        sample((1, 1, 3, 3), norm_type=1.5, kernel_size=(2, 1)),
    ),
    refuses=(Refusal(sample((4, 4), norm_type=2, kernel_size=2), "shape-mismatch"),),
)
def lp_pool2d(x, *, norm_type, kernel_size, stride=None, ceil_mode=False):
    """(sum of x**p)**(1/p) over each window of an image.

    Shapes:  x [N, C, H, W] or [C, H, W] -> [..., H', W']; the stride is the kernel size unless
             given
    Kinks:   infinite or nan where a window holds only zeros, as in PyTorch
    Source:  PyTorch's definition: powers, then the mean of each window times its size
    Example: vjp explain "lp_pool2d(x, 2, 2)" x=[[[1,3],[2,2]]]
    """
    return _power_pool("lp_pool2d", 2, x, norm_type, kernel_size, stride, ceil_mode)


@operation(
    domain=positive,
    samples=(sample((1, 2, 2, 3), norm_type=2, kernel_size=2),),
    refuses=(Refusal(sample((4, 4), norm_type=2, kernel_size=2), "shape-mismatch"),),
)
def lp_pool3d(x, *, norm_type, kernel_size, stride=None, ceil_mode=False):
    """(sum of x**p)**(1/p) over each window of a volume.

    Shapes:  x [N, C, D, H, W] or [C, D, H, W] -> [..., D', H', W']; the stride is the kernel size
             unless given
    Kinks:   infinite or nan where a window holds only zeros, as in PyTorch
    Source:  PyTorch's definition: powers, then the mean of each window times its size
    Example: vjp explain "lp_pool3d(x, 2, 2)" x=[[[[1,3],[2,2]],[[0,5],[4,1]]]]
    """
    return _power_pool("lp_pool3d", 3, x, norm_type, kernel_size, stride, ceil_mode)
