"""Max pooling with the positions of what was largest, and its way back."""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import position_array, whole_per_axis
from vjpcli.ops.neural import pooling
from vjpcli.ops.shapes import scattering, shape


@operation(
    several=("values", "indices"),
    samples=(sample((2, 2, 6), kernel_size=2),),
    refuses=(Refusal(sample((4,), kernel_size=2), "shape-mismatch"),),
)
def max_pool1d_with_indices(
    x, *, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=True
):
    """The largest entry of each window along the last axis, and where it is.

    Shapes:  x [N, C, L] or [C, L] -> (values, indices), each [..., L']
    Kinks:   those of `max_pool1d`
    Source:  `max_pool1d` with return_indices=True
    Example: vjp explain "F.max_pool1d_with_indices(x, 2)[0]" x=[[1,3,2,2]] --seed ones
    """
    return pooling.pool_largest(
        "max_pool1d", 1, x, kernel_size, stride, padding, dilation, ceil_mode, True
    )


@operation(
    several=("values", "indices"),
    samples=(sample((2, 4, 5), kernel_size=2),),
    refuses=(Refusal(sample((4, 4), kernel_size=2), "shape-mismatch"),),
)
def max_pool2d_with_indices(
    x, *, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=True
):
    """The largest entry of each window of an image, and where it is.

    Shapes:  x [N, C, H, W] or [C, H, W] -> (values, indices), each [..., H', W']
    Kinks:   those of `max_pool2d`
    Source:  `max_pool2d` with return_indices=True
    Example: vjp explain "F.max_pool2d_with_indices(x, 2)[0]" x=[[[1,3],[2,2]]]
    """
    return pooling.pool_largest(
        "max_pool2d", 2, x, kernel_size, stride, padding, dilation, ceil_mode, True
    )


@operation(
    several=("values", "indices"),
    samples=(sample((1, 2, 3, 4), kernel_size=2),),
    refuses=(Refusal(sample((4, 4), kernel_size=2), "shape-mismatch"),),
)
def max_pool3d_with_indices(
    x, *, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=True
):
    """The largest entry of each window of a volume, and where it is.

    Shapes:  x [N, C, D, H, W] or [C, D, H, W] -> (values, indices), each [..., D', H', W']
    Kinks:   those of `max_pool3d`
    Source:  `max_pool3d` with return_indices=True
    Example: vjp explain "F.max_pool3d_with_indices(x, 2)[0]" x=[[[[1,3],[2,2]],[[0,5],[4,1]]]]
    """
    return pooling.pool_largest(
        "max_pool3d", 3, x, kernel_size, stride, padding, dilation, ceil_mode, True
    )


def _full_lengths(name, rank, x, kernel_size, stride, padding, output_size):
    """The lengths of the image that was pooled.

    Errors: shape-mismatch, keyword-value.
    """
    if x.ndim not in (rank + 1, rank + 2):
        axes = {1: "L", 2: "H, W", 3: "D, H, W"}[rank]
        raise fail(
            "shape-mismatch",
            f"{name} takes an input [N, C, {axes}] or [C, {axes}], not {shape_text(x.shape)}",
        )
    kernel = whole_per_axis("kernel_size", kernel_size, rank, least=1)
    absent = stride is None or stride == ()
    steps = kernel if absent else whole_per_axis("stride", stride, rank, least=1)
    pads = whole_per_axis("padding", padding, rank, least=0)
    usual = tuple(
        (n - 1) * step - 2 * pad + size
        for n, step, pad, size in zip(x.shape[-rank:], steps, pads, kernel, strict=True)
    )
    if output_size is None:
        return usual
    wanted = whole_per_axis("output_size", output_size, _count(output_size, rank), least=1)
    wanted = wanted[-rank:]
    if any(not n - step < w < n + step for n, step, w in zip(usual, steps, wanted, strict=True)):
        raise fail(
            "keyword-value",
            f"output_size {shape_text(wanted)} is not what {name} could have come from",
            notes=(f"without it the result has lengths {shape_text(usual)}",),
        )
    return wanted


def _count(output_size, rank):
    """PyTorch takes the lengths alone, or those of the batch and the channels before them."""
    several = isinstance(output_size, list | tuple) and len(output_size) > rank
    return len(output_size) if several else rank


def unpool(name, rank, x, indices, kernel_size, stride, padding, output_size):
    """Zeros with the entries of x written at flat positions of the image."""
    lengths = _full_lengths(name, rank, x, kernel_size, stride, padding, output_size)
    found = position_array("indices", indices)
    if found.shape != x.shape:
        raise fail(
            "shape-mismatch",
            f"{name} needs one position for each entry: indices of shape "
            f"{shape_text(found.shape)} do not fit {shape_text(x.shape)}",
        )
    size = math.prod(lengths)
    outside = found[(found < 0) | (found >= size)]
    if outside.size:
        raise fail(
            "index-out-of-range",
            f"index {int(outside.flat[0])} is outside an image of {size} entries",
        )
    images = math.prod(x.shape[:-rank])
    refuse_oversized((images, size))
    rows = np.arange(images)[:, None]
    columns = found.reshape(images, math.prod(x.shape[-rank:]))
    zeros = as_node(np.zeros((images, size)))
    source = shape.reshape(x, shape=columns.shape)
    written = scattering.write(zeros, (rows, columns), source)
    return shape.reshape(written, shape=(*x.shape[:-rank], *lengths))


@operation(
    decided=("indices",),
    samples=(
        sample((1, 2, 2), indices=(((1, 2), (0, 3)),), kernel_size=2),
        sample((1, 2), indices=((1, 4),), kernel_size=2, output_size=5),
    ),
    refuses=(
        Refusal(sample((2,), indices=(1, 2), kernel_size=2), "shape-mismatch"),
        Refusal(sample((1, 2), indices=(1, 2), kernel_size=2), "shape-mismatch"),
        Refusal(sample((1, 2), indices=((1, 4),), kernel_size=2), "index-out-of-range"),
        Refusal(sample((1, 2), indices=((1, 1),), kernel_size=2), "repeated-write"),
        Refusal(sample((1, 2), indices=((1, 2),), kernel_size=2, output_size=9), "keyword-value"),
    ),
    analytic=True,
)
def max_unpool1d(x, *, indices, kernel_size, stride=None, padding=0, output_size=None):
    """The way back from max_pool1d: each entry at the position it came from, zeros elsewhere.

    Shapes:  x and indices [N, C, L] or [C, L] -> [..., (L - 1) stride - 2 padding + kernel]
    Kinks:   none; a position written twice is refused
    Source:  a scattering: each entry receives the adjoint of its position
    Example: vjp explain "v, i = F.max_pool1d(x, 2, return_indices=True); F.max_unpool1d(v, i, 2)"
             x=[[1,3,2,5]] --seed ones
    """
    return unpool("max_unpool1d", 1, x, indices, kernel_size, stride, padding, output_size)


@operation(
    decided=("indices",),
    samples=(
        sample((1, 1, 2), indices=(((1, 6),),), kernel_size=2),
        sample((1, 1, 1, 2), indices=((((0, 7),),),), kernel_size=(2, 2), stride=(2, 2)),
    ),
    refuses=(
        Refusal(sample((1, 2), indices=((1, 2),), kernel_size=2), "shape-mismatch"),
        Refusal(sample((1, 1, 2), indices=(((1, 9),),), kernel_size=2), "index-out-of-range"),
        Refusal(sample((1, 1, 2), indices=(((1, 2),),), kernel_size=0), "keyword-value"),
    ),
    analytic=True,
)
def max_unpool2d(x, *, indices, kernel_size, stride=None, padding=0, output_size=None):
    """The way back from max_pool2d: each entry at the position it came from, zeros elsewhere.

    Shapes:  x and indices [N, C, H, W] or [C, H, W] -> [..., H', W'], each axis
             (length - 1) stride - 2 padding + kernel long, or output_size
    Kinks:   none; a position written twice is refused
    Source:  a scattering: each entry receives the adjoint of its position
    Example: vjp explain "v, i = F.max_pool2d(x, 2, return_indices=True); F.max_unpool2d(v, i, 2)"
             x=[[[1,3],[2,2]]] --seed ones
    """
    return unpool("max_unpool2d", 2, x, indices, kernel_size, stride, padding, output_size)


@operation(
    decided=("indices",),
    samples=(sample((1, 1, 1, 2), indices=((((3, 12),),),), kernel_size=2),),
    refuses=(Refusal(sample((1, 2), indices=((1, 2),), kernel_size=2), "shape-mismatch"),),
    analytic=True,
)
def max_unpool3d(x, *, indices, kernel_size, stride=None, padding=0, output_size=None):
    """The way back from max_pool3d: each entry at the position it came from, zeros elsewhere.

    Shapes:  x and indices [N, C, D, H, W] or [C, D, H, W] -> [..., D', H', W'], each axis
             (length - 1) stride - 2 padding + kernel long, or output_size
    Kinks:   none; a position written twice is refused
    Source:  a scattering: each entry receives the adjoint of its position
    Example: vjp explain "v, i = F.max_pool3d(x, 2, return_indices=True); F.max_unpool3d(v, i, 2)"
             x=[[[[1,3],[2,2]],[[0,5],[4,1]]]] --seed ones
    """
    return unpool("max_unpool3d", 3, x, indices, kernel_size, stride, padding, output_size)
