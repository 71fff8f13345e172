"""Losses of classifiers. A target is a class index, which is data, or a probability."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.facts import probability, real
from vjpcli.graph.operation import OPERATIONS, as_node
from vjpcli.ops.declaration import (
    Refusal,
    elementwise,
    fail,
    operation,
    sample,
    shape_text,
)
from vjpcli.ops.keywords import plain_number, whole_number
from vjpcli.ops.neural import activation, rectifier
from vjpcli.ops.neural.class_index import (
    NO_CLASS,
    add_to_class,
    class_axis,
    class_scores,
    target_count,
)
from vjpcli.ops.neural.loss import reduced, require_same_shape
from vjpcli.ops.neural.softmax import log_softmax
from vjpcli.ops.numbers import comparison, elementary
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import shape


def _per_class(name, weight, x):
    """One weight per class, shaped to broadcast along the class axis of x."""
    classes = x.shape[class_axis(x)]
    if weight.shape != (classes,):
        raise fail(
            "shape-mismatch",
            f"{name} needs one weight for each of {classes} classes, "
            f"not weights of shape {shape_text(weight.shape)}",
        )
    return shape.reshape(weight, shape=(classes, *(1,) * max(0, x.ndim - 2)))


class _Targets:
    """Class indices as a loss uses them: what they choose, what they weigh.

    Attributes:
        weights: the weight of each target class, 0 for those to be ignored; None for no weights.
    """

    def __init__(self, name, x, target, weight, ignore_index):
        self.target = target
        self.ignore_index = ignore_index
        self.weights = None
        if x.ndim == 0:
            raise fail("shape-mismatch", f"{name} needs scores along a class axis, not a scalar")
        if weight is not None:
            columns = shape.broadcast_to(_per_class(name, weight, x), shape=x.shape)
            self.weights = self.of(name, columns)

    def of(self, name, scores):
        """The score of each target class, 0 where it is to be ignored."""
        return class_scores(scores, self.target, ignore_index=self.ignore_index, named=name)

    def reduce(self, losses, how):
        """`losses` reduced; their mean is over the weights, or over the targets that count."""
        if how != "mean":
            return reduced(losses, how)
        if self.weights is not None:
            return _sum(losses) / _sum(self.weights)
        return _sum(losses) / target_count(self.target, ignore_index=self.ignore_index)


# In the declarations below `reduction` is a keyword, so the module is named in these only.


def _sum(x):
    return reduction.sum(x) if x.ndim else x


def _sum_classes(x, axis):
    return reduction.sum(x, axis=axis)


def _mean_last(x):
    return reduction.mean(x, axis=-1)


def _nll(name, log_probabilities, targets, how):
    losses = -targets.of(name, log_probabilities)
    if targets.weights is not None:
        losses = losses * targets.weights
    return targets.reduce(losses, how)


CLASS_SAMPLES = (
    sample((2, 3), [2, 0]),
    sample((3,), 1),
    sample((2, 3), [2, -100], reduction="sum"),
    sample((3, 3), [2, 1, 0], reduction="none", ignore_index=1),
    sample((2, 3, 2), [[0, 1], [2, 2]], [0.5, 1.0, 2.0]),
    sample((2, 3), [2, 0], [0.5, 1.0, 2.0], reduction="none"),
)
CLASS_REFUSALS = (
    Refusal(sample((2, 3), (2,), (2,)), "shape-mismatch"),
    Refusal(sample((2, 3), (3,)), "shape-mismatch"),
    Refusal(sample((2, 3), (2,), reduction="avg"), "keyword-value"),
    Refusal(sample((2, 3), (2,), ignore_index="none"), "keyword-value"),
    Refusal(sample((), ()), "shape-mismatch"),
)


@operation(samples=CLASS_SAMPLES, refuses=CLASS_REFUSALS, analytic=True)
def nll_loss(input, target, weight=None, *, ignore_index=-100, reduction="mean"):
    """Negative log likelihood: minus the log probability of the target class.

    Shapes:  input [N, C, ...] of log probabilities, target [N, ...] of class indices,
             weight [C] -> []; [N, ...] with reduction="none"
    Kinks:   none; the target is data and receives 0
    Source:  -weight[t] input[t]; the mean divides by the sum of the weights, and ignored
             targets count for nothing
    Example: vjp explain "nll_loss(log_softmax(x), t)" x=1,2,0.5 t=0 --wrt x
    """
    targets = _Targets("nll_loss", input, target, weight, ignore_index)
    return _nll("nll_loss", input, targets, reduction)


@operation(
    domain=(real, probability, probability),
    samples=(
        *CLASS_SAMPLES,
        sample((2, 3), [2, 0], label_smoothing=0.1),
        sample((2, 3), [2, -100], [0.5, 1.0, 2.0], label_smoothing=0.1),
        sample((2, 3), [2, -100], label_smoothing=0.1, reduction="none"),
        sample((2, 3), (2, 3)),
        sample((2, 3, 2), (2, 3, 2), (3,), label_smoothing=0.2),
        sample((3,), (3,), reduction="sum"),
    ),
    refuses=(
        *CLASS_REFUSALS,
        Refusal(sample((2, 3), (2,), label_smoothing=2), "keyword-value"),
    ),
    analytic=True,
)
def cross_entropy(
    input, target, weight=None, *, ignore_index=-100, reduction="mean", label_smoothing=0
):
    """Cross entropy of scores: nll_loss of their log_softmax along the class axis.

    Shapes:  input [N, C, ...], target [N, ...] of class indices or [N, C, ...] of
             probabilities, weight [C] -> []; [N, ...] with reduction="none"
    Kinks:   none; a target of class indices is data and receives 0
    Source:  the slope is softmax(input) - target, divided by N because of the mean.
             label_smoothing moves that share of each target to all classes alike
    Example: vjp explain "cross_entropy(x, t)" x=2,1,0.1 t=1 --wrt x
    """
    smoothing = plain_number("label_smoothing", label_smoothing)
    if not 0 <= smoothing <= 1:
        raise fail("keyword-value", f"label_smoothing lies between 0 and 1: {label_smoothing}")
    if input.ndim and target.shape == input.shape:
        return _of_probabilities(input, target, weight, reduction, smoothing)
    targets = _Targets("cross_entropy", input, target, weight, ignore_index)
    axis = class_axis(input)
    scores = log_softmax(input, axis=axis)
    loss = _nll("cross_entropy", scores, targets, reduction)
    if not smoothing:
        return loss
    weighted = scores if weight is None else scores * _per_class("cross_entropy", weight, input)
    counts = targets.of("cross_entropy", as_node(np.ones(input.shape)))
    of_all = targets.reduce(-_sum_classes(weighted, axis) * counts, reduction)
    return (1 - smoothing) * loss + smoothing / input.shape[axis] * of_all


def _of_probabilities(input, target, weight, how, smoothing):
    axis = class_axis(input)
    if smoothing:
        target = target * (1 - smoothing) + smoothing / input.shape[axis]
    products = target * log_softmax(input, axis=axis)
    if weight is not None:
        products = products * _per_class("cross_entropy", weight, input)
    return reduced(-_sum_classes(products, axis), how)


@operation(
    domain=(real, real, probability, real, probability),
    argument_order=("input", "linear_weight", "target"),
    samples=(
        sample((2, 4), (3, 4), [2, 0]),
        sample((2, 4), (3, 4), [2, -100], (3,), (3,), reduction="sum"),
        sample((4,), (3, 4), 1, label_smoothing=0.1),
        sample((2, 4), (3, 4), (2, 3), reduction="none"),
    ),
    refuses=(
        Refusal(sample((2, 4), (3, 5), (2,)), "shape-mismatch"),
        Refusal(sample((2, 4), (3, 4), (3,)), "shape-mismatch"),
        Refusal(sample((2, 4), (3, 4), (2,), reduction="avg"), "keyword-value"),
    ),
    analytic=True,
)
def linear_cross_entropy(
    input,
    linear_weight,
    target,
    linear_bias=None,
    weight=None,
    *,
    reduction="mean",
    ignore_index=None,
    label_smoothing=0,
):
    """Cross entropy of the scores that a linear layer makes of the input.

    Shapes:  input [N, D] or [D], linear_weight [C, D], target [N] of class indices or [N, C] of
             probabilities, linear_bias [C], weight [C] -> []; [N] with reduction="none"
    Kinks:   none; a target of class indices is data and receives 0
    Source:  cross_entropy(linear(input, linear_weight, linear_bias), target), which PyTorch
             computes in pieces to save memory
    Example: vjp explain "F.linear_cross_entropy(x, W, t)" x=1,2 W=[[1,0],[0,1],[1,1]] t=1 --wrt x,W
    """
    scores = OPERATIONS["linear"](input, linear_weight, linear_bias)
    return cross_entropy(
        scores,
        target,
        weight,
        ignore_index=NO_CLASS if ignore_index is None else ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )


# PyTorch holds both logarithms at -100 and both denominators at 1e-12, so that probabilities
# of exactly 0 and 1 give large numbers rather than infinite ones.
LEAST_LOG = -100
LEAST_PROBABILITY = 1e-12


@elementwise(
    lambda p, target: (
        -(
            target * np.maximum(np.log(p), LEAST_LOG)
            + (1 - target) * np.maximum(np.log1p(-p), LEAST_LOG)
        )
    ),
    domain=probability,
    symbolic=lambda s, p, target: -(target * s.log(p) + (1 - target) * s.log(1 - p)),
    analytic=True,
)
def binary_cross_entropy_terms(p, target):
    """Cross entropy of each probability with its target, before weights and reduction.

    Shapes:  p [...], target [...] -> [...] (broadcast)
    Kinks:   logarithms count as -100 at least and denominators as 1e-12 at least (PyTorch)
    Source:  -target log(p) - (1 - target) log(1 - p)
    Example: vjp explain "binary_cross_entropy(p, t, reduction='none')" p=0.2,0.9 t=0,1 --wrt p
    """


@binary_cross_entropy_terms.vjp
def _(g, y, p, target):
    to_p = (1 - target) / comparison.maximum(1 - p, LEAST_PROBABILITY)
    to_p = to_p - target / comparison.maximum(p, LEAST_PROBABILITY)
    log_p = comparison.maximum(elementary.log(p), LEAST_LOG)
    log_rest = comparison.maximum(OPERATIONS["log1p"](-p), LEAST_LOG)
    return g * to_p, g * (log_rest - log_p)


@operation(
    aliases=("bce",),
    domain=probability,
    samples=(
        sample((2, 3), (2, 3)),
        sample((3,), (3,), (3,), reduction="none"),
        sample((2, 3), (2, 3), (3,), reduction="sum"),
        sample((), ()),
    ),
    refuses=(
        Refusal(sample((2, 3), (3,)), "shape-mismatch"),
        Refusal(sample((3,), (3,), reduction=1), "keyword-value"),
    ),
    analytic=True,
)
def binary_cross_entropy(input, target, weight=None, *, reduction="mean"):
    """Cross entropy of probabilities with targets between 0 and 1.

    Shapes:  input [...] of probabilities, target [...], weight (broadcast) -> [];
             [...] with reduction="none"
    Kinks:   logarithms count as -100 at least and denominators as 1e-12 at least (PyTorch)
    Source:  -target log(input) - (1 - target) log(1 - input)
    Example: vjp explain "binary_cross_entropy(p, t)" p=0.2,0.9 t=0,1 --wrt p
    """
    require_same_shape("binary_cross_entropy", input, target)
    losses = binary_cross_entropy_terms(input, target)
    return reduced(losses if weight is None else losses * weight, reduction)


@operation(
    domain=(real, probability, probability, probability),
    samples=(
        sample((2, 3), (2, 3)),
        sample((3,), (3,), (3,), reduction="none"),
        sample((2, 3), (2, 3), None, (3,), reduction="sum"),
        sample([50.0, -50.0, 0.0], [1, 0, 1]),
    ),
    refuses=(
        Refusal(sample((2, 3), (3,)), "shape-mismatch"),
        Refusal(sample((3,), (3,), reduction="Mean"), "keyword-value"),
    ),
    analytic=True,
)
def binary_cross_entropy_with_logits(
    input, target, weight=None, pos_weight=None, *, reduction="mean"
):
    """Cross entropy of sigmoid(input) with targets between 0 and 1, exact at saturation.

    Shapes:  input [...], target [...], weight and pos_weight (broadcast) -> [];
             [...] with reduction="none"
    Kinks:   none
    Source:  -pos_weight target logsigmoid(input) - (1 - target) logsigmoid(-input); without
             weights the slope is sigmoid(input) - target
    Example: vjp explain "binary_cross_entropy_with_logits(x, t)" x=-40,0,800 t=0,1,1 --wrt x
    """
    require_same_shape("binary_cross_entropy_with_logits", input, target)
    share = target if pos_weight is None else target * pos_weight
    losses = -(share * activation.logsigmoid(input)) - (1 - target) * activation.logsigmoid(-input)
    return reduced(losses if weight is None else losses * weight, reduction)


@operation(
    samples=(
        sample((2, 3), [2, 0]),
        sample((3,), 1, p=2),
        sample((2, 3), [2, 1], [0.5, 1.0, 2.0], margin=0.5, reduction="none"),
    ),
    refuses=(
        Refusal(sample((2, 3), (2,), p=3), "keyword-value"),
        Refusal(sample((2, 3, 2), (2,)), "shape-mismatch"),
    ),
    argument_order=("input", "target", "p", "margin", "weight"),
)
def multi_margin_loss(input, target, weight=None, *, p=1, margin=1, reduction="mean"):
    """How far the other classes are from lying below the target class by a margin.

    Shapes:  input [N, C] or [C], target [N] or [] of class indices, weight [C] -> [];
             [N] with reduction="none"
    Kinks:   where a class lies below by exactly the margin: slope 0 (PyTorch)
    Source:  sum over the other classes of max(0, margin - input[t] + input[j])^p, over C
    Example: vjp explain "multi_margin_loss(x, t)" x=0.1,0.2,0.9 t=1 --wrt x
    """
    power = whole_number("p", p, least=1, most=2)
    if input.ndim > 2:
        raise fail(
            "shape-mismatch",
            f"multi_margin_loss takes scores [N, C] or [C], not {shape_text(input.shape)}",
        )
    name = "multi_margin_loss"
    targets = _Targets(name, input, target, weight, -(2**53))
    of_target = shape.expand_dims(targets.of(name, input), axis=-1)
    unmet = rectifier.relu(plain_number("margin", margin) - of_target + input)
    ones = as_node(np.ones(target.shape))
    is_target = add_to_class(ones, target, classes=input.shape[-1], axis=-1) > 0
    others = comparison.where(is_target, 0, unmet if power == 1 else unmet * unmet)
    losses = _mean_last(others)
    return reduced(losses if weight is None else losses * targets.weights, reduction)
