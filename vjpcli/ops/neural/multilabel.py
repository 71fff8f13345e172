"""Losses with several true classes for each example."""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import position_array
from vjpcli.ops.neural import classification, rectifier
from vjpcli.ops.neural.loss import reduced
from vjpcli.ops.numbers import comparison
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import indexing, shape


def _mean_of_classes(losses):
    return reduction.mean(losses, axis=-1)


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
    losses = classification.binary_cross_entropy_with_logits(
        input, target, weight, reduction="none"
    )
    return reduced(_mean_of_classes(losses), reduction)


def _true_classes(target, scores):
    """[N, C] of class numbers, -1 from the first -1 of each row on.

    Errors: shape-mismatch, ragged-rows, index-not-whole, index-out-of-range.
    """
    given = position_array("target", target)
    if scores.ndim not in (1, 2) or given.shape != scores.shape or 0 in scores.shape[-1:]:
        raise fail(
            "shape-mismatch",
            "multilabel_margin_loss takes scores [N, C] or [C] with targets of the same shape, not "
            f"{shape_text(scores.shape)} with {shape_text(given.shape)}",
            notes=("a target lists the true classes of an example and fills up with -1",),
        )
    classes = scores.shape[-1]
    given = given.reshape(scores.size // classes, classes)
    outside = given[(given < -1) | (given >= classes)]
    if outside.size:
        raise fail("index-out-of-range", f"there is no class {int(outside.flat[0])} of {classes}")
    ended = np.logical_or.accumulate(given == -1, axis=1)
    return np.where(ended, -1, given)


@operation(
    decided=("target",),
    samples=(
        sample((2, 4), target=((3, 0, -1, 1), (1, -1, -1, -1))),
        sample((4,), target=(3, 0, -1, 1), reduction="sum"),
        sample((2, 3), target=((-1, 0, 1), (2, 2, -1)), reduction="none"),
    ),
    refuses=(
        Refusal(sample((2, 3), target=(0, -1, -1)), "shape-mismatch"),
        Refusal(sample((3,), target=(3, -1, -1)), "index-out-of-range"),
        Refusal(sample((3,), target=(0.5, -1, -1)), "index-not-whole"),
        Refusal(sample((2, 2), target=((0, 1), (0,))), "ragged-rows"),
        Refusal(sample((0,), target=()), "shape-mismatch"),
        Refusal(sample((3,), target=(0, -1, -1), reduction="avg"), "keyword-value"),
    ),
)
def multilabel_margin_loss(input, *, target, reduction="mean"):
    """How far the other classes are from lying below every true class by a margin of 1.

    Shapes:  input [N, C] or [C], target of the same shape: the true classes of each example, then
             -1 -> []; [N] with reduction="none"
    Kinks:   where a class lies below by exactly 1: slope 0 (PyTorch)
    Source:  sum over true classes t and other classes j of max(0, 1 - input[t] + input[j]), over C
    Example: vjp explain "F.multilabel_margin_loss(x, [2, 0, -1])" x=0.1,0.2,0.9
    """
    true = _true_classes(target, input)
    scores = input if input.ndim == 2 else shape.expand_dims(input, axis=0)
    example, listed = np.nonzero(true >= 0)
    number = true[example, listed]
    is_true = np.zeros(true.shape, dtype=bool)
    is_true[example, number] = True
    of_true = indexing.index(scores, index=(example, number))
    unmet = 1 - shape.expand_dims(of_true, axis=-1) + indexing.index(scores, index=(example,))
    others = comparison.where(is_true[example], 0, rectifier.relu(unmet))
    each = _mean_of_classes(others)
    losses = indexing.add_into(each, index=(example,), shape=(len(true),))
    return reduced(losses if input.ndim == 2 else shape.squeeze(losses, axis=0), reduction)
