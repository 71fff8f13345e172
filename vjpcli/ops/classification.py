"""Losses of classifiers. A target is a class index, which is data, or a probability."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import OPERATIONS, as_node, probability, real
from vjpcli.ops import activation, comparison, elementary, rectifier, reduction, shape
from vjpcli.ops.declaration import (
    Refusal,
    elementwise,
    fail,
    operation,
    outcome,
    sample,
    shape_text,
)
from vjpcli.ops.keywords import plain_number, whole_number
from vjpcli.ops.loss import reduced, require_same_shape
from vjpcli.ops.softmax import log_softmax

IGNORED = -1


def nearest_indices(given, what, allowed):
    """Class or row numbers as integers.

    They may be off by a rounding error, as a difference quotient leaves them. `allowed` says of
    each whole number whether it may stand here.

    Errors: index-not-whole, index-out-of-range.
    """
    given = np.real(np.asarray(given))
    nearest = np.rint(given)
    broken = ~(np.abs(given - nearest) <= 1e-4 * np.maximum(1, np.abs(given)))
    if broken.any():
        raise fail("index-not-whole", f"{what} is a whole number, not {given[broken][0]}")
    outside = ~allowed(nearest)
    if outside.any():
        raise fail("index-out-of-range", f"{what} cannot be {int(nearest[outside][0])}")
    return nearest.astype(np.intp)


def _class_indices(target, *, classes, ignore_index):
    what = f"a class index (0 to {classes - 1})"
    indices = nearest_indices(
        target, what, lambda n: ((n >= 0) & (n < classes)) | (n == ignore_index)
    )
    return np.where(indices == ignore_index, IGNORED, indices)


@operation(
    _class_indices,
    kind="index",
    pattern="elementwise",
    samples=(sample([0, 2, -100], classes=3),),
)
def class_indices(target, *, classes, ignore_index=-100):
    """Targets as class numbers, checked when their values are known. Data: no derivative.

    Shapes:  target [...] -> [...] of whole numbers; those to be ignored become -1
    Kinks:   none: an index changes only in jumps
    Source:  the targets of cross_entropy and nll_loss
    Example: vjp explain "cross_entropy(x, t)" x=[[1,2,3]] t=2 --wrt x
    """
    return outcome(target.shape, classes=classes, ignore_index=ignore_index)


def _class_axis(x):
    """Axis 1, or the only axis of one example; counted from the end."""
    return 1 - x.ndim if x.ndim > 1 else -1


def _without_class_axis(x):
    axis = _class_axis(x) + x.ndim
    return x.shape[:axis] + x.shape[axis + 1 :]


def _per_class(values, x):
    """One number per class, shaped to broadcast along the class axis of x."""
    return shape.reshape(values, shape=(values.size, *(1,) * max(0, x.ndim - 2)))


class _Chosen:
    """What a target of class indices chooses from scores x [N, C, ...].

    Attributes:
        mask: [N, C, ...], true where the class is the target.
        valid: [N, ...], true where the target is not to be ignored.
        weights: [N, ...], the weight of the target class, 0 where it is to be ignored.
    """

    def __init__(self, name, x, target, weight, ignore_index):
        if x.ndim == 0 or target.shape != _without_class_axis(x):
            raise fail(
                "shape-mismatch",
                f"{name} cannot combine scores of shape {shape_text(x.shape)} "
                f"with targets of shape {shape_text(target.shape)}",
                notes=(
                    "classes are along axis 1 of the scores (axis 0 of a single example); "
                    "class indices have the shape that is left without it",
                ),
            )
        self.axis = _class_axis(x)
        classes = x.shape[self.axis]
        if weight is not None and weight.shape != (classes,):
            raise fail(
                "shape-mismatch",
                f"{name} needs one weight for each of {classes} classes, "
                f"not weights of shape {shape_text(weight.shape)}",
            )
        ignore_index = whole_number("ignore_index", ignore_index, least=-(2**53))
        indices = class_indices(target, classes=classes, ignore_index=ignore_index)
        numbers = _per_class(as_node(np.arange(classes)), x)
        self.mask = comparison.equal(shape.expand_dims(indices, axis=self.axis), numbers)
        self.valid = comparison.greater_equal(indices, 0)
        if weight is None:
            self.weights = comparison.where(self.valid, 1, 0)
        else:
            self.weights = self.of(_per_class(weight, x))

    def of(self, scores):
        """The score of the target class, 0 where it is to be ignored."""
        return reduction.sum(comparison.where(self.mask, scores, 0), axis=self.axis)


def _nll(name, log_probabilities, target, weight, ignore_index, how):
    chosen = _Chosen(name, log_probabilities, target, weight, ignore_index)
    losses = -chosen.of(log_probabilities)
    if weight is not None:
        losses = losses * chosen.weights
    return _weighted(losses, chosen.weights, how), chosen


def _weighted(losses, weights, how):
    """`losses` reduced; their mean is over the sum of the weights."""
    if how != "mean":
        return reduced(losses, how)
    return reduction.sum(losses) / reduction.sum(weights)


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
    Example: vjp explain "nll_loss(log_softmax(x), t)" x=[[1,2,0.5]] t=0 --wrt x
    """
    return _nll("nll_loss", input, target, weight, ignore_index, reduction)[0]


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
    Example: vjp explain "cross_entropy(x, t)" x=[[2,1,0.1]] t=1 --wrt x
    """
    smoothing = plain_number("label_smoothing", label_smoothing)
    if not 0 <= smoothing <= 1:
        raise fail("keyword-value", f"label_smoothing lies between 0 and 1: {label_smoothing}")
    if input.ndim == 0:
        raise fail("shape-mismatch", "cross_entropy needs scores along a class axis, not a scalar")
    axis = _class_axis(input)
    scores = log_softmax(input, axis=axis)
    if target.shape == input.shape:
        return _of_probabilities(input, scores, target, weight, reduction, smoothing)
    loss, chosen = _nll("cross_entropy", scores, target, weight, ignore_index, reduction)
    if not smoothing:
        return loss
    weighted = scores if weight is None else scores * _per_class(weight, input)
    of_all = comparison.where(chosen.valid, -_sum_classes(weighted, axis), 0)
    of_all = _weighted(of_all, chosen.weights, reduction)
    return (1 - smoothing) * loss + smoothing / input.shape[axis] * of_all


# In the declarations below `reduction` is a keyword, so the module is named in these two only.


def _sum_classes(x, axis):
    return reduction.sum(x, axis=axis)


def _mean_last(x):
    return reduction.mean(x, axis=-1)


def _of_probabilities(input, scores, target, weight, how, smoothing):
    axis = _class_axis(input)
    classes = input.shape[axis]
    if smoothing:
        target = target * (1 - smoothing) + smoothing / classes
    products = target * scores
    if weight is not None:
        if weight.shape != (classes,):
            raise fail(
                "shape-mismatch",
                f"cross_entropy needs one weight for each of {classes} classes, "
                f"not weights of shape {shape_text(weight.shape)}",
            )
        products = products * _per_class(weight, input)
    return reduced(-_sum_classes(products, axis), how)


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
        sample((2, 3), (2, 3)),
        sample((2, 3), (2, 3), (3,), reduction="none"),
        sample((3,), (3,), reduction="sum"),
    ),
    refuses=(Refusal(sample((2, 3), (3,)), "shape-mismatch"),),
    analytic=True,
)
def multilabel_soft_margin_loss(input, target, weight=None, *, reduction="mean"):
    """Mean over classes of the cross entropy of sigmoid(input) with several true classes.

    Shapes:  input [..., C], target [..., C] of 0 and 1, weight [C] -> [];
             [...] with reduction="none"
    Kinks:   none
    Source:  PyTorch's definition
    Example: vjp explain "multilabel_soft_margin_loss(x, t)" x=[[1,-2,3]] t=[[1,0,0]] --wrt x
    """
    losses = binary_cross_entropy_with_logits(input, target, weight, reduction="none")
    return reduced(_mean_last(losses), reduction)


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
)
def multi_margin_loss(input, target, weight=None, *, p=1, margin=1, reduction="mean"):
    """How far the other classes are from lying below the target class by a margin.

    Shapes:  input [N, C] or [C], target [N] or [] of class indices, weight [C] -> [];
             [N] with reduction="none"
    Kinks:   where a class lies below by exactly the margin: slope 0 (PyTorch)
    Source:  sum over the other classes of max(0, margin - input[t] + input[j])^p, over C
    Example: vjp explain "multi_margin_loss(x, t)" x=[[0.1,0.2,0.9]] t=1 --wrt x
    """
    power = whole_number("p", p, least=1, most=2)
    if input.ndim > 2:
        raise fail(
            "shape-mismatch",
            f"multi_margin_loss takes scores [N, C] or [C], not {shape_text(input.shape)}",
        )
    chosen = _Chosen("multi_margin_loss", input, target, weight, -(2**53))
    of_target = shape.expand_dims(chosen.of(input), axis=-1)
    unmet = rectifier.relu(plain_number("margin", margin) - of_target + input)
    losses = unmet if power == 1 else unmet * unmet
    losses = comparison.where(chosen.mask, 0, losses)
    losses = _mean_last(losses)
    if weight is not None:
        losses = losses * chosen.weights
    return reduced(losses, reduction)
