"""Distances and angles between vectors, and the losses that are made of them."""

from __future__ import annotations

from vjpcli.graph.operation import OPERATIONS, Operation
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text, trailing_axis
from vjpcli.ops.keywords import plain_number, true_or_false
from vjpcli.ops.neural.loss import reduced
from vjpcli.ops.numbers import comparison, elementary
from vjpcli.ops.reductions import reduction


def _feature_axis(x, axis):
    """`axis`, where the default of 1 also means the only axis of a vector."""
    return -1 if axis == 1 and x.ndim == 1 else trailing_axis(x, axis)


def _norm(x, axis, order=2):
    return OPERATIONS["norm"](x, ord=order, axis=axis, keepdims=True)


@operation(
    samples=(
        sample((2, 3)),
        sample((3,)),
        sample((2, 3), p=1),
        sample((2, 3, 2), axis=-1),
        sample((2, 3), p=3, axis=0),
    ),
    refuses=(
        Refusal(sample((2, 3), axis=2), "axis-out-of-range"),
        Refusal(sample((2, 3), p="two"), "keyword-value"),
        Refusal(sample((2, 3), eps="small"), "keyword-value"),
    ),
    convention="normalize: p={p}, dim={axis}, eps={eps} (PyTorch)",
    convention_about=("p", "axis", "eps"),
)
def normalize(x, *, p=2, axis=1, eps=1e-12):
    """x divided by its norm along an axis, so that the norm becomes 1.

    Shapes:  x [...] -> [...]; along axis 1 unless told otherwise (the only axis of a vector)
    Kinks:   a norm below eps counts as eps, so that zeros stay zeros with slope 1/eps; the kinks
             of norm
    Source:  quotient rule; eps is PyTorch's 1e-12
    Example: vjp explain "F.normalize(x, dim=-1)" x=3,4 --seed 1,0
    """
    size = _norm(x, _feature_axis(x, axis), plain_number("p", p))
    return x / comparison.clip(size, plain_number("eps", eps))


def _same_length(name, a, b, axis):
    """Both vectors along `axis`, after broadcasting."""
    joined = a + b if a.shape != b.shape else a  # refuses what does not broadcast
    return _feature_axis(joined, axis)


@operation(
    samples=(
        sample((2, 3), (2, 3)),
        sample((3,), (3,)),
        sample((2, 3), (2, 3), axis=0),
        sample((2, 3), (3,), axis=-1),
    ),
    refuses=(
        Refusal(sample((2, 3), (2,)), "shape-mismatch"),
        Refusal(sample((2, 3), (2, 3), axis=5), "axis-out-of-range"),
        Refusal(sample((3,), (3,), eps="small"), "keyword-value"),
    ),
    convention="cosine_similarity: dim={axis}, eps={eps} (PyTorch)",
    convention_about=("axis", "eps"),
)
def cosine_similarity(x1, x2, *, axis=1, eps=1e-8):
    """Cosine of the angle between vectors along an axis.

    Shapes:  x1 [...], x2 [...] (broadcast) -> [...] without the axis (axis 1, or the only one)
    Kinks:   a norm below eps counts as eps, so that the cosine with a zero vector is 0; such a
             norm receives nothing (PyTorch gives the same value, but passes its slope on)
    Source:  the dot product of x1 and x2, each divided by its norm
    Example: vjp explain "cosine_similarity(x, y, dim=-1)" x=1,0 y=3,4
    """
    axis = _same_length("cosine_similarity", x1, x2, axis)
    eps = plain_number("eps", eps)
    along = axis if x1.ndim >= -axis else -x1.ndim
    first = x1 / comparison.clip(_norm(x1, along), eps)
    along = axis if x2.ndim >= -axis else -x2.ndim
    second = x2 / comparison.clip(_norm(x2, along), eps)
    return reduction.sum(first * second, axis=axis)


@operation(
    samples=(
        sample((2, 3), (2, 3)),
        sample((3,), (3,), p=1),
        sample((2, 3), (2, 3), p=3, keepdims=True),
    ),
    refuses=(
        Refusal(sample((2, 3), (2, 2)), "shape-mismatch"),
        Refusal(sample((), ()), "shape-mismatch"),
        Refusal(sample((3,), (3,), p="two"), "keyword-value"),
    ),
)
def pairwise_distance(x1, x2, *, p=2, eps=1e-6, keepdims=False):
    """p-norm of x1 - x2 along the last axis.

    Shapes:  x1 [..., D], x2 [..., D] (broadcast) -> [...]
    Kinks:   those of norm; eps is added to each difference, so that equal vectors have distance
             eps sqrt(D) and a finite slope (PyTorch)
    Source:  norm(x1 - x2 + eps)
    Example: vjp explain "pairwise_distance(x, y)" x=1,2 y=4,6
    """
    return _distance(x1, x2, plain_number("p", p), plain_number("eps", eps), keepdims)


def _distance(x1, x2, p, eps, keepdims=False):
    difference = x1 - x2 + eps
    if difference.ndim == 0:
        raise fail("shape-mismatch", "pairwise_distance needs vectors, not scalars")
    keepdims = true_or_false("keepdims", keepdims)
    return OPERATIONS["norm"](difference, ord=p, axis=-1, keepdims=keepdims)


@operation(
    samples=(
        sample((2, 3), (2, 3), [1, -1]),
        sample((3,), (3,), -1, margin=-0.9, reduction="none"),
        sample((2, 3), (2, 3), [1, -1], reduction="sum"),
    ),
    refuses=(
        Refusal(sample((2, 3), (2, 3), (3,)), "shape-mismatch"),
        Refusal(sample((3,), (3,), 1, margin="a"), "keyword-value"),
        Refusal(sample((3,), (3,), 1, reduction="avg"), "keyword-value"),
    ),
)
def cosine_embedding_loss(input1, input2, target, *, margin=0, reduction="mean"):
    """1 - cosine where the target is 1, what the cosine exceeds a margin by where it is -1.

    Shapes:  input1 and input2 [N, D] or [D], target [N] or [] of 1 and -1 -> [];
             [N] with reduction="none"
    Kinks:   where the cosine equals the margin: the slope of the side above (PyTorch)
    Source:  PyTorch's definition, which adds 1e-12 to each squared norm
    Example: vjp explain "cosine_embedding_loss(x, y, t)" x=1,0 y=3,4 t=1 --wrt x,y
    """
    if input1.ndim not in (1, 2) or target.shape != input1.shape[:-1]:
        raise fail(
            "shape-mismatch",
            "cosine_embedding_loss takes vectors [N, D] with targets [N], or [D] with one "
            f"target, not {shape_text(input1.shape)} with {shape_text(target.shape)}",
        )
    cosine = _smoothed_cosine(input1, input2)
    apart = comparison.clip(cosine - plain_number("margin", margin), 0)
    losses = comparison.where(comparison.equal(target, 1), 1 - cosine, 0)
    losses = losses + comparison.where(comparison.equal(target, -1), apart, 0)
    return reduced(losses, reduction)


def _smoothed_cosine(x1, x2):
    product = reduction.sum(x1 * x2, axis=-1)
    squares = [reduction.sum(x * x, axis=-1) + 1e-12 for x in (x1, x2)]
    return product / elementary.sqrt(squares[0] * squares[1])


@operation(
    samples=(
        sample((2, 3), (2, 3), (2, 3), margin=3),
        sample((2, 3), (2, 3), (2, 3), margin=4, p=3, swap=True, reduction="none"),
        sample((3,), (3,), (3,), margin=5, reduction="sum"),
    ),
    refuses=(
        Refusal(sample((3,), (2,), (3,)), "shape-mismatch"),
        Refusal(sample((3,), (3,), (3,), swap="no"), "keyword-value"),
        Refusal(sample((3,), (3,), (3,), margin="wide"), "keyword-value"),
    ),
)
def triplet_margin_loss(
    anchor, positive, negative, *, margin=1, p=2, eps=1e-6, swap=False, reduction="mean"
):
    """How far the anchor is from being closer to the positive than to the negative by a margin.

    Shapes:  anchor, positive, negative [N, D] or [D] -> []; [N] with reduction="none"
    Kinks:   where the margin is met exactly: the slopes of the unmet side (PyTorch)
    Source:  Balntas et al., "Learning Shallow Convolutional Feature Descriptors with Triplet
             Losses" (2016); swap takes the smaller of the negative's two distances
    Example: vjp explain "triplet_margin_loss(a, p, n)" a=[[0,0]] p=[[1,1]] n=[[1,0]]
    """
    p, eps = plain_number("p", p), plain_number("eps", eps)
    near, far = _distance(anchor, positive, p, eps), _distance(anchor, negative, p, eps)
    if true_or_false("swap", swap):
        far = comparison.minimum(far, _distance(positive, negative, p, eps))
    unmet = near - far + plain_number("margin", margin)
    return reduced(comparison.clip(unmet, 0), reduction)


@operation(
    functions=("distance_function",),
    samples=(
        sample((2, 3), (2, 3), (2, 3), margin=3),
        sample((2, 3), (2, 3), (2, 3), margin=4, swap=True, reduction="none"),
        sample((3,), (3,), (3,), margin=5, distance_function=cosine_similarity, reduction="sum"),
    ),
    refuses=(
        Refusal(sample((3,), (3,), (3,), distance_function="euclidean"), "keyword-value"),
        Refusal(sample((3,), (3,), (3,), margin="wide"), "keyword-value"),
        Refusal(sample((3,), (3,), (3,), swap=2), "keyword-value"),
        Refusal(sample((3,), (3,), (3,), distance_function=normalize), "keyword-value"),
        Refusal(sample((), (), ()), "shape-mismatch"),
    ),
)
def triplet_margin_with_distance_loss(
    anchor,
    positive,
    negative,
    *,
    distance_function=None,
    margin=1,
    swap=False,
    reduction="mean",
):
    """The triplet margin loss with a distance of one's own; unless named, pairwise_distance.

    Shapes:  anchor, positive, negative [N, D] or [D] -> []; [N] with reduction="none".
             distance_function is the name of a function of two arrays
    Kinks:   where the margin is met exactly: the slopes of the unmet side (PyTorch)
    Source:  max(0, d(anchor, positive) - d(anchor, negative) + margin), see `triplet_margin_loss`;
             swap takes the smaller of the negative's two distances
    Example: vjp explain "F.triplet_margin_with_distance_loss(a, p, n)" a=[[0,0]] p=[[1,1]]
             n=[[1,0]]
    """
    apart = pairwise_distance if distance_function is None else distance_function
    _require_distance(apart)
    near, far = apart(anchor, positive), apart(anchor, negative)
    if true_or_false("swap", swap):
        far = comparison.minimum(far, apart(positive, negative))
    unmet = near - far + plain_number("margin", margin)
    return reduced(comparison.clip(unmet, 0), reduction)


def _require_distance(function):
    """Refuses what is no function of two arrays.

    Errors: keyword-value.
    """
    if isinstance(function, Operation):
        most = len(function.operand_names)
        if most - function.optional_operands <= 2 <= most:
            return
    named = getattr(function, "name", repr(function))
    raise fail(
        "keyword-value",
        f"distance_function is the name of a function of two arrays, not {named}",
        notes=("distance_function=F.pairwise_distance",),
    )
