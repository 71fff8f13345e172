"""Class indices: choosing one score per example, and its mirror image.

The class axis is axis 1 of scores [N, C, ...], and the only axis of one example [C].
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    outcome,
    sample,
    shape_text,
    trailing_axis,
)
from vjpcli.ops.keywords import whole_number

IGNORED = -1
NO_CLASS = -100


def class_axis(scores):
    """Axis 1, or the only axis of one example; counted from the end."""
    return 1 - scores.ndim if scores.ndim > 1 else -1


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


def _class_numbers(target, classes, ignore_index):
    indices = nearest_indices(
        target,
        f"a class index (0 to {classes - 1})",
        lambda n: ((n >= 0) & (n < classes)) | (n == ignore_index),
    )
    return np.where(indices == ignore_index, IGNORED, indices)


def _is_class(target, classes, axis, ignore_index):
    """[N, C, ...]: true where the class is the target."""
    numbers = np.arange(classes).reshape(-1, *(1,) * (-axis - 1))
    return np.expand_dims(_class_numbers(target, classes, ignore_index), axis) == numbers


def _class_scores(scores, target, *, axis, ignore_index):
    chosen = _is_class(target, scores.shape[axis], axis, ignore_index)
    return np.sum(np.where(chosen, scores, 0), axis=axis)


def _ignored_class(ignore_index):
    return whole_number("ignore_index", ignore_index, least=-(2**53), most=2**53)


def _without(shape, axis):
    return shape[: len(shape) + axis] + shape[len(shape) + axis + 1 :]


@operation(
    _class_scores,
    pattern=lambda scores, target, *, axis, **static: (
        np.bitwise_or.reduce(scores, axis=axis) | target
    ),
    samples=(
        sample((2, 3), [2, 0]),
        sample((3,), 1),
        sample((2, 3, 2), [[0, -100], [2, 2]]),
        sample((2, 3), [2, 1], ignore_index=1),
    ),
    refuses=(
        Refusal(sample((2, 3), (3,)), "shape-mismatch"),
        Refusal(sample((), ()), "shape-mismatch"),
        Refusal(sample((2, 3), (2,), ignore_index=0.5), "keyword-value"),
    ),
    analytic=True,
)
def class_scores(scores, target, *, axis=None, ignore_index=NO_CLASS, named="class_scores"):
    """The score of the target class of each example; 0 for a target to be ignored.

    Shapes:  scores [N, C, ...] or [C], target [N, ...] or [] of class indices -> [N, ...] or []
    Kinks:   none; the target is data and receives 0
    Source:  a selection: the adjoint goes to the score that was chosen
    Example: vjp explain "class_scores(x, t)" x=2,1,0.1 t=1 --wrt x
    """
    batch = scores.ndim - target.ndim - 1
    if scores.ndim:
        axis = class_axis(scores) if axis is None else trailing_axis(scores, axis)
    if batch < 0 or _without(scores.shape, axis)[batch:] != target.shape:
        raise fail(
            "shape-mismatch",
            f"{named} cannot combine scores of shape {shape_text(scores.shape)} "
            f"with targets of shape {shape_text(target.shape)}",
            notes=(
                "classes are along axis 1 of the scores (axis 0 of a single example); "
                "class indices have the shape that is left without it",
            ),
        )
    return outcome(
        _without(scores.shape, axis), axis=axis, ignore_index=_ignored_class(ignore_index)
    )


@class_scores.vjp
def _(g, y, scores, target, *, axis, ignore_index):
    classes = scores.shape[axis]
    return add_to_class(g, target, classes=classes, axis=axis, ignore_index=ignore_index), None


def _add_to_class(g, target, *, classes, axis, ignore_index):
    return np.where(_is_class(target, classes, axis, ignore_index), np.expand_dims(g, axis), 0)


@operation(
    _add_to_class,
    pattern=lambda g, target, *, classes, axis, ignore_index: np.repeat(
        np.expand_dims(g | target, axis), classes, axis
    ),
    samples=(
        sample((2,), [2, 0], classes=3),
        sample((), 1, classes=3),
        sample((2, 2), [[0, -100], [2, 2]], classes=3, axis=-2),
    ),
    refuses=(
        Refusal(sample((2,), (3,), classes=3), "shape-mismatch"),
        Refusal(sample((2,), (2,), classes=0), "keyword-value"),
        Refusal(sample((2,), (2,), classes=2, axis=2), "axis-out-of-range"),
    ),
    analytic=True,
)
def add_to_class(g, target, *, classes, axis=-1, ignore_index=NO_CLASS):
    """Zeros for all classes but the target, which gets the entry of g.

    Shapes:  g [N, ...], target [N, ...] of class indices -> [N, ..., classes], or the classes
             along another axis of the result
    Kinks:   none; the target is data and receives 0
    Source:  the transpose of `class_scores`
    Example: vjp explain "add_to_class(g, t, 3)" g=5 t=1 --wrt g --seed 1,10,100
    """
    classes = whole_number("classes", classes, least=1)
    axis = trailing_axis(g, axis, extra=1)
    if g.shape[g.ndim - target.ndim :] != target.shape:
        raise fail(
            "shape-mismatch",
            f"add_to_class cannot combine shapes {shape_text(g.shape)} and "
            f"{shape_text(target.shape)}",
        )
    place = g.ndim + 1 + axis
    shape = (*g.shape[:place], classes, *g.shape[place:])
    refuse_oversized(shape)
    return outcome(shape, classes=classes, axis=axis, ignore_index=_ignored_class(ignore_index))


@add_to_class.vjp
def _(g, y, x, target, *, classes, axis, ignore_index):
    return class_scores(g, target, axis=axis, ignore_index=ignore_index), None


@operation(
    lambda target, *, ignore_index: np.asarray(np.count_nonzero(np.rint(target) != ignore_index)),
    kind="index",
    samples=(sample([0, 2, -100]),),
)
def target_count(target, *, ignore_index=NO_CLASS):
    """How many targets are not to be ignored. Data: no derivative.

    Shapes:  target [...] of class indices -> []
    Kinks:   none: a count changes only in jumps
    Source:  what the mean of a loss divides by
    Example: vjp explain "cross_entropy(x, t)" x=[[1,2],[3,4]] t=1,-100 --wrt x
    """
    return outcome((), ignore_index=_ignored_class(ignore_index))
