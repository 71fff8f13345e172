"""Rearrangements of layers: patches put back into images, shuffled channels, bags of rows."""

from __future__ import annotations

from vjpcli.graph.operation import OPERATIONS
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text, trailing_axis
from vjpcli.ops.keywords import one_of, plain_number, whole_number, whole_per_axis
from vjpcli.ops.neural import embedding
from vjpcli.ops.neural.windows import add_kernel_windows, cropped, window_count
from vjpcli.ops.numbers import comparison
from vjpcli.ops.reductions import norms, reduction
from vjpcli.ops.shapes import shape


@operation(
    samples=(
        sample((1, 8, 6), output_size=(3, 4), kernel_size=2),
        sample((4, 4), output_size=(4, 4), kernel_size=2, stride=2),
        sample((1, 2, 6), output_size=3, kernel_size=(2, 1), dilation=2, padding=1, stride=2),
    ),
    refuses=(
        Refusal(sample((6,), output_size=3, kernel_size=2), "shape-mismatch"),
        Refusal(sample((1, 3, 6), output_size=(3, 4), kernel_size=2), "shape-mismatch"),
        Refusal(sample((1, 4, 5), output_size=(3, 4), kernel_size=2), "shape-mismatch"),
    ),
    analytic=True,
)
def fold(x, *, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Patches added back into images: the transpose of F.unfold.

    Shapes:  x [N, C*kh*kw, number of patches] -> [N, C, *output_size]; N may be missing
    Kinks:   none
    Source:  overlapping entries add up, so each entry receives the adjoint of its place
    Example: vjp explain "F.fold(x, (1, 3), (1, 2))" x=[[1,2],[3,4]] --seed ones
    """
    lengths = whole_per_axis("output_size", output_size, 2, least=1)
    size = whole_per_axis("kernel_size", kernel_size, 2, least=1)
    spread = whole_per_axis("dilation", dilation, 2, least=1)
    border = whole_per_axis("padding", padding, 2, least=0)
    step = whole_per_axis("stride", stride, 2, least=1)
    padded = tuple(n + 2 * pad for n, pad in zip(lengths, border, strict=True))
    counts = tuple(map(window_count, padded, size, step, spread))
    per_patch, patches = size[0] * size[1], counts[0] * counts[1]
    if x.ndim not in (2, 3) or x.shape[-2] % per_patch or x.shape[-1] != patches:
        raise fail(
            "shape-mismatch",
            f"fold of {counts[0]} x {counts[1]} patches takes [N, C*{per_patch}, {patches}], "
            f"not {shape_text(x.shape)}",
        )
    channels = x.shape[-2] // per_patch
    apart = shape.reshape(x, shape=(*x.shape[:-2], channels, *size, *counts))
    windows = OPERATIONS["moveaxis"](apart, source=(-4, -3), destination=(-2, -1))
    image = add_kernel_windows(windows, lengths=padded, stride=step, dilation=spread)
    return cropped(image, border, lengths)


@operation(
    aliases=("native_channel_shuffle",),
    samples=(sample((1, 6, 2), groups=2), sample((2, 4, 1, 2), groups=4)),
    refuses=(Refusal(sample((1, 5, 2), groups=2), "shape-mismatch"),),
    analytic=True,
)
def channel_shuffle(x, *, groups):
    """Channels dealt out anew: one of each group in turn.

    Shapes:  x [N, C, ...] -> [N, C, ...]
    Kinks:   none
    Source:  Zhang et al., "ShuffleNet" (2018)
    Example: vjp explain "channel_shuffle(x, 2)" x=[[[1],[2],[3],[4]]] --seed [[[1],[2],[3],[4]]]
    """
    groups = whole_number("groups", groups, least=1)
    if x.ndim < 3 or x.shape[1] % groups:
        raise fail(
            "shape-mismatch",
            f"channel_shuffle takes [N, C, ...] with C a multiple of {groups}, "
            f"not {shape_text(x.shape)}",
        )
    apart = shape.reshape(x, shape=(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:]))
    return shape.reshape(OPERATIONS["swapaxes"](apart, axis1=1, axis2=2), shape=x.shape)


@operation(
    samples=(
        sample([[0, 1], [2, 2]], (3, 2)),
        sample([[0, 1], [2, 2]], (3, 2), mode="sum"),
        sample([[0, 1], [2, 0]], (3, 2), mode="max"),
        sample([[0, 1], [2, 2]], (3, 2), (2, 2), mode="sum"),
    ),
    refuses=(
        Refusal(sample([0, 1], (3, 2)), "shape-mismatch"),
        Refusal(sample([[0, 1]], (3, 2), mode="min"), "keyword-value"),
        Refusal(sample([[0, 1]], (3, 2), (1, 2)), "keyword-value"),
    ),
)
def embedding_bag(indices, weight, per_sample_weights=None, *, mode="mean"):
    """The mean, sum or largest entries of the rows that each bag of indices names.

    Shapes:  indices [B, N] of whole numbers, weight [V, D], per_sample_weights [B, N] -> [B, D]
    Kinks:   mode="max": where several rows are largest, one of them takes it all
    Source:  `embedding`, then a reduction over each bag
    Example: vjp explain "F.embedding_bag(i, W)" i=[[0,1]] W=[[1,2],[3,4],[5,6]] --wrt W --seed ones
    """
    if indices.ndim != 2:
        raise fail(
            "shape-mismatch",
            f"embedding_bag takes bags of one length, [B, N], not {shape_text(indices.shape)}",
            notes=("bags given by offsets have no spelling here: write them as rows",),
        )
    mode = one_of("mode", mode, ("mean", "sum", "max"))
    rows = embedding.embedding(indices, weight)
    if per_sample_weights is not None:
        if mode != "sum":
            raise fail("keyword-value", 'per_sample_weights go with mode="sum" only')
        rows = rows * shape.expand_dims(per_sample_weights, axis=-1)
    if mode == "max":
        return OPERATIONS["max_along"](rows, axis=-2)
    return (reduction.mean if mode == "mean" else reduction.sum)(rows, axis=-2)


@operation(
    samples=(sample((2, 3), p=2, axis=0, maxnorm=1.5), sample((2, 3), p=1, axis=1, maxnorm=0.5)),
    refuses=(Refusal(sample((3,), p=2, axis=0, maxnorm=-1), "keyword-value"),),
)
def renorm(x, *, p, axis, maxnorm):
    """x with each slice along an axis shortened to a largest norm.

    Shapes:  x [...] -> [...]
    Kinks:   where a slice has exactly the largest norm
    Source:  x maxnorm/(norm + 1e-7) where the p-norm of a slice is above maxnorm (torch.renorm)
    Example: vjp explain "torch.renorm(x, 2, 0, 1)" x=[[3,4],[0.1,0.2]] --seed ones
    """
    largest = plain_number("maxnorm", maxnorm)
    if largest < 0:
        raise fail("keyword-value", f"maxnorm is at least 0, not {maxnorm}")
    kept = trailing_axis(x, axis)
    others = tuple(one for one in range(-x.ndim, 0) if one != kept)
    size = norms.vector_norm(x, ord=plain_number("p", p), axis=others, keepdims=True)
    return x * comparison.where(size > largest, largest / (size + 1e-7), 1)
