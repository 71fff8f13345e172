"""Losses between numbers: how far an output is from its target, entry by entry, then reduced."""

from __future__ import annotations

import math

from vjpcli.graph.facts import positive, real
from vjpcli.graph.operation import OPERATIONS
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import one_of, plain_number, true_or_false
from vjpcli.ops.neural import activation
from vjpcli.ops.numbers import arithmetic, comparison, elementary
from vjpcli.ops.reductions import reduction

REDUCTIONS = ("none", "mean", "sum")
PAIR_SAMPLES = (
    sample((2, 3), (2, 3)),
    sample((3,), (3,), reduction="sum"),
    sample((2, 3), (2, 3), reduction="none"),
    sample((), ()),
    sample((0,), (0,), reduction="sum"),
)
WEIGHTED_SAMPLES = (
    sample((3,), (3,), [0.5, 1.0, 2.0]),
    sample((3,), (3,), [0.5, 1.0, 2.0], reduction="none"),
)
PAIR_REFUSALS = (
    Refusal(sample((3,), (3,), reduction="average"), "keyword-value"),
    Refusal(sample((3,), (2,)), "shape-mismatch"),
)


def reduced(losses, how):
    """`losses` as they are, their mean or their sum.

    Errors: keyword-value.
    """
    how = one_of("reduction", how, REDUCTIONS)
    if how == "none":
        return losses
    return reduction.mean(losses) if how == "mean" else reduction.sum(losses)


def require_same_shape(name, *operands):
    """Refuses operands that PyTorch would not broadcast here.

    Errors: shape-mismatch.
    """
    shapes = [operand.shape for operand in operands if operand is not None]
    odd = next((one for one in shapes if one != shapes[0]), None)
    if odd is not None:
        raise fail(
            "shape-mismatch",
            f"{name} needs one shape, not {shape_text(shapes[0])} and {shape_text(odd)}",
        )


def _weighted(name, losses, weight, how):
    """The losses times their weights, then reduced; a mean is over the sum of weights."""
    if weight is None:
        return reduced(losses, how)
    require_same_shape(name, losses, weight)
    losses = losses * weight
    if one_of("reduction", how, REDUCTIONS) == "mean":
        return reduction.sum(losses) / reduction.sum(weight)
    return reduced(losses, how)


@operation(
    aliases=("mse",),
    samples=(*PAIR_SAMPLES, *WEIGHTED_SAMPLES),
    refuses=PAIR_REFUSALS,
    analytic=True,
)
def mse_loss(input, target, weight=None, *, reduction="mean"):
    """Squared distance of each entry from its target; by default the mean of all.

    Shapes:  input [...], target [...], weight [...] -> []; [...] with reduction="none"
    Kinks:   none
    Source:  (input - target)^2; with weights the sum of weighted squares over the sum of weights
    Example: vjp explain "mse_loss(x, t)" x=1,2,4 t=1,1,1 --wrt x
    """
    distance = input - target
    return _weighted("mse_loss", distance * distance, weight, reduction)


@operation(aliases=("mae",), samples=(*PAIR_SAMPLES, *WEIGHTED_SAMPLES), refuses=PAIR_REFUSALS)
def l1_loss(input, target, weight=None, *, reduction="mean"):
    """Distance of each entry from its target; by default the mean of all.

    Shapes:  input [...], target [...], weight [...] -> []; [...] with reduction="none"
    Kinks:   that of abs, where an entry equals its target: slope 0 (PyTorch)
    Source:  |input - target|; with weights the weighted sum over the sum of weights
    Example: vjp explain "l1_loss(x, t)" x=1,2,4 t=1,1,1 --wrt x
    """
    return _weighted("l1_loss", arithmetic.abs(input - target), weight, reduction)


def _quadratic_near_zero(distance, bound):
    """distance^2/2 within `bound` of 0, straight lines of slope `bound` outside."""
    size = arithmetic.abs(distance)
    straight = bound * (size - bound / 2)
    # Beyond the bound the square is not taken: an infinite distance times 0 would be nan.
    is_far = comparison.greater_equal(size, bound)
    near = comparison.where(is_far, 0, distance)
    return comparison.where(is_far, straight, near * near / 2)


@operation(
    samples=(*PAIR_SAMPLES, *WEIGHTED_SAMPLES, sample((4,), (4,), delta=0.5)),
    argument_order=("input", "target", "reduction", "delta", "weight"),
    refuses=(*PAIR_REFUSALS, Refusal(sample((3,), (3,), delta=0), "keyword-value")),
    convention="huber_loss: delta={delta}, reduction={reduction} (PyTorch; optax gives no mean)",
    convention_about=("delta", "reduction"),
)
def huber_loss(input, target, weight=None, *, reduction="mean", delta=1):
    """Half the squared distance within delta of the target, delta times the distance beyond.

    Shapes:  input [...], target [...], weight [...] -> []; [...] with reduction="none"
    Kinks:   none: the slopes meet at the distance delta
    Source:  Huber, "Robust Estimation of a Location Parameter" (1964); with weights the mean of
             the weighted losses, where mse_loss and l1_loss divide by the sum of weights (PyTorch)
    Example: vjp explain "huber_loss(x, t)" x=1,1.5,4 t=1,1,1 --wrt x
    """
    delta = plain_number("delta", delta)
    if not delta > 0:
        raise fail("keyword-value", f"delta of huber_loss is above 0, not {delta}")
    losses = _quadratic_near_zero(input - target, delta)
    if weight is not None:
        require_same_shape("huber_loss", losses, weight)
        losses = losses * weight
    return reduced(losses, reduction)


@operation(
    samples=(*PAIR_SAMPLES, sample((4,), (4,), beta=0.5), sample((4,), (4,), beta=0)),
    refuses=(*PAIR_REFUSALS, Refusal(sample((3,), (3,), beta=-1), "keyword-value")),
    convention="smooth_l1_loss: beta={beta}, reduction={reduction} (PyTorch)",
    convention_about=("beta", "reduction"),
)
def smooth_l1_loss(input, target, *, reduction="mean", beta=1):
    """Distance from the target, rounded off to a parabola within beta of it.

    Shapes:  input [...], target [...] -> []; [...] with reduction="none"
    Kinks:   none for beta > 0: the slopes meet at the distance beta; beta = 0 is l1_loss
    Source:  Girshick, "Fast R-CNN" (2015); huber_loss with delta = beta, divided by beta
    Example: vjp explain "smooth_l1_loss(x, t)" x=1,1.5,4 t=1,1,1 --wrt x
    """
    beta = plain_number("beta", beta)
    if not beta >= 0:
        raise fail("keyword-value", f"beta of smooth_l1_loss is at least 0, not {beta}")
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    return reduced(_quadratic_near_zero(input - target, beta) / beta, reduction)


@operation(
    domain=(real, positive),
    samples=(
        *PAIR_SAMPLES,
        sample((2, 3), (2, 3), full=True),
    ),
    refuses=(*PAIR_REFUSALS, Refusal(sample((3,), (3,), full="yes"), "keyword-value")),
)
def poisson_nll_loss(input, target, *, log_input=True, full=False, eps=1e-8, reduction="mean"):
    """Negative log likelihood of counts whose rate is exp(input), or input itself.

    Shapes:  input [...], target [...] -> []; [...] with reduction="none"
    Kinks:   none in input; with full=True a jump in target at 1
    Source:  rate - target log(rate); full=True adds Stirling's approximation of
             log(target!) for targets above 1
    Example: vjp explain "poisson_nll_loss(x, t)" x=0.1,0.5 t=1,3 --wrt x
    """
    eps = plain_number("eps", eps)
    if true_or_false("log_input", log_input):
        losses = elementary.exp(input) - target * input
    else:
        losses = input - target * elementary.log(input + eps)
    if true_or_false("full", full):
        # Only targets above 1 are used, so the others may be anything with a finite logarithm.
        above_one = target > 1
        safe = comparison.where(above_one, target, 1)
        stirling = safe * elementary.log(safe) - safe + elementary.log(2 * math.pi * safe) / 2
        losses = losses + comparison.where(above_one, stirling, 0)
    return reduced(losses, reduction)


@operation(
    domain=(real, real, positive),
    samples=(
        sample((2, 3), (2, 3), (2, 3)),
        sample((2, 3), (2, 3), (2, 1), reduction="none"),
        sample((3,), (3,), (), full=True, reduction="sum"),
    ),
    refuses=(Refusal(sample((3,), (3,), (3,), reduction="all"), "keyword-value"),),
)
def gaussian_nll_loss(input, target, var, *, full=False, eps=1e-6, reduction="mean"):
    """Negative log likelihood of a target that is normal around input with variance var.

    Shapes:  input [...], target [...], var [...] (broadcast) -> []; [...] with reduction="none"
    Kinks:   a variance below eps counts as eps and receives 0 (PyTorch computes the same value
             but passes the slope at eps on)
    Source:  Nix and Weigend, "Estimating the Mean and Variance" (1994); full=True adds the
             constant log(2 pi)/2
    Example: vjp explain "gaussian_nll_loss(x, t, v)" x=1,2 t=1,1 v=0.5,2 --wrt x,v
    """
    variance = comparison.clip(var, plain_number("eps", eps))
    distance = input - target
    losses = (elementary.log(variance) + distance * distance / variance) / 2
    if true_or_false("full", full):
        losses = losses + math.log(2 * math.pi) / 2
    return reduced(losses, reduction)


@operation(
    samples=(
        sample((2, 3), [[1, -1, 1], [-1, 1, -1]]),
        sample((3,), [1, -1, 1], margin=2, reduction="none"),
    ),
    refuses=(Refusal(sample((3,), (3,), margin="wide"), "keyword-value"),),
)
def hinge_embedding_loss(input, target, *, margin=1, reduction="mean"):
    """The entry itself where the target is 1, what it lacks to the margin where it is -1.

    Shapes:  input [...], target [...] of 1 and -1 -> []; [...] with reduction="none"
    Kinks:   where an entry with target -1 equals the margin: slope -1 (PyTorch)
    Source:  PyTorch's definition; the target is data and receives 0
    Example: vjp explain "hinge_embedding_loss(x, t)" x=0.5,0.5,2 t=1,-1,-1 --wrt x
    """
    lacking = comparison.clip(plain_number("margin", margin) - input, 0)
    # As in PyTorch, a target that is neither 1 nor -1 takes both terms.
    apart = comparison.where(comparison.not_equal(target, 1), lacking, 0)
    together = comparison.where(comparison.not_equal(target, -1), input, 0)
    return reduced(apart + together, reduction)


@operation(
    samples=(
        sample((2, 3), (2, 3)),
        sample((3,), [1, -1, 1], reduction="none"),
    ),
    refuses=(*PAIR_REFUSALS,),
    analytic=True,
)
def soft_margin_loss(input, target, *, reduction="mean"):
    """log(1 + exp(-target input)) of each entry, without overflow.

    Shapes:  input [...], target [...] of 1 and -1 -> []; [...] with reduction="none"
    Kinks:   none
    Source:  the logistic loss, -logsigmoid(target input)
    Example: vjp explain "soft_margin_loss(x, t)" x=0.5,-800 t=1,1 --wrt x
    """
    return reduced(-activation.logsigmoid(target * input), reduction)


@operation(
    samples=(
        sample((2, 3), (2, 3), [[1, -1, 1], [-1, 1, -1]]),
        sample((3,), (3,), [1, -1, 1], margin=0.5, reduction="none"),
    ),
    refuses=(Refusal(sample((3,), (3,), (3,), margin=None), "keyword-value"),),
)
def margin_ranking_loss(input1, input2, target, *, margin=0, reduction="mean"):
    """How far input1 is from lying above input2 by a margin (below it where target is -1).

    Shapes:  input1 [...], input2 [...], target [...] of 1 and -1 -> []; [...] with "none"
    Kinks:   where the ranking is met exactly: the slopes of the unmet side (PyTorch)
    Source:  max(0, margin - target (input1 - input2))
    Example: vjp explain "margin_ranking_loss(a, b, t)" a=1,2 b=2,1 t=1,1 --wrt a,b
    """
    unmet = plain_number("margin", margin) - target * (input1 - input2)
    return reduced(comparison.clip(unmet, 0), reduction)


@operation(
    domain=(real, positive),
    samples=(
        sample((2, 3), (2, 3)),
        sample((2, 3), (2, 3), reduction="batchmean"),
        sample((3,), (3,), reduction="none", log_target=True),
        sample((2, 3), (2, 3), reduction="sum"),
    ),
    refuses=(Refusal(sample((3,), (3,), reduction="batch"), "keyword-value"),),
)
def kl_div(input, target, *, reduction="mean", log_target=False):
    """Kullback-Leibler divergence of probabilities from log probabilities.

    Shapes:  input [...] (logarithms), target [...] (probabilities, or logarithms with
             log_target=True) -> []; [...] with reduction="none"
    Kinks:   at a target of 0 its term is 0, and the slope for the target is -inf
    Source:  target (log target - input). reduction="mean" divides by the number of entries;
             "batchmean" by the length of the first axis, as the mathematical definition does
    Example: vjp explain "kl_div(x, t, reduction='sum')" x=-1,-0.5 t=0.25,0.75 --wrt x
    """
    if true_or_false("log_target", log_target):
        losses = elementary.exp(target) * (target - input)
    else:
        losses = OPERATIONS["xlogy"](target, target) - target * input
    if reduction == "batchmean":
        return reduced(losses, "sum") / (input.shape[0] if input.ndim else 1)
    one_of("reduction", reduction, (*REDUCTIONS, "batchmean"))
    return reduced(losses, reduction)
