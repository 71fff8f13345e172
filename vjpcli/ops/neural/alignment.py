"""Alignment: the loss of a sequence of labels of which nobody says where they stand in time."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import Node, Refusal, fail, operation, outcome, sample, shape_text
from vjpcli.ops.keywords import position_array, true_or_false, whole_number
from vjpcli.ops.neural.loss import reduced
from vjpcli.ops.numbers import comparison, elementary, logarithm
from vjpcli.ops.shapes import indexing, joining, shape

NEVER = -1e30
"""Log probability of what cannot be reached: -inf would give slopes of nan wherever two of them
meet, although nothing depends on them."""

MOST_STEPS = 10_000
"""Steps in time above which the loss is refused: each is a handful of nodes."""


class _Labels:
    """The labels of all examples, laid out with blanks around each: [N, states].

    Attributes:
        lengths: how many labels each example has.
        states: how many states the longest example has: its labels and the blanks around them.
        place: the number of each state.
        classes: the class of each state; behind the last one blanks, which are never read.
        begins, ends: states in which an alignment may begin and end.
        may_skip: states that are also reached from two before, over a blank that may be left out.
    """

    def __init__(self, rows, blank):
        self.lengths = np.array([len(row) for row in rows], dtype=np.intp)
        self.states = 2 * int(self.lengths.max(initial=0)) + 1
        self.place = np.arange(self.states)
        self.classes = np.full((len(rows), self.states), blank, dtype=np.intp)
        for example, row in enumerate(rows):
            self.classes[example, 1 : 2 * len(row) : 2] = row
        last = 2 * self.lengths[:, None]
        self.begins = self.place <= np.minimum(last, 1)
        self.ends = (self.place <= last) & (self.place >= last - 1)
        other = self.classes[:, 2:] != self.classes[:, :-2]
        self.may_skip = np.zeros(self.classes.shape, dtype=bool)
        self.may_skip[:, 2:] = (self.classes[:, 2:] != blank) & other


def _rows_of_labels(targets, lengths, classes, blank):
    """The labels of each example, from a padded table or from all of them in one row.

    Errors: shape-mismatch, index-not-whole, index-out-of-range, keyword-value.
    """
    given = position_array("targets", targets)
    most, total = int(lengths.max(initial=0)), int(lengths.sum())
    if given.ndim == 2 and len(given) == len(lengths) and given.shape[1] >= most:
        rows = [row[:n] for row, n in zip(given, lengths, strict=True)]
    elif given.ndim <= 1 and given.size == total:
        rows = np.split(given.ravel(), np.cumsum(lengths)[:-1]) if len(lengths) else []
    else:
        raise fail(
            "shape-mismatch",
            f"targets of shape {shape_text(given.shape)} do not hold {lengths.tolist()} labels",
            notes=(
                "targets are [N, most labels], or all labels in one row, as many as the sum of "
                "target_lengths",
            ),
        )
    _require_labels(np.concatenate([*rows, np.zeros(0, dtype=np.intp)]), classes, blank)
    return rows


def _require_labels(labels, classes, blank):
    """Refuses labels that are no class, or the blank.

    Errors: index-out-of-range, keyword-value.
    """
    outside = labels[(labels < 0) | (labels >= classes)]
    if outside.size:
        raise fail("index-out-of-range", f"there is no class {int(outside[0])} of {classes}")
    if np.any(labels == blank):
        raise fail("keyword-value", f"a label cannot be the blank, which is class {blank}")


def _lengths(name, value, examples, most):
    """One length for each example.

    Errors: shape-mismatch, keyword-value, index-not-whole.
    """
    lengths = position_array(name, value).ravel()
    if lengths.size != examples:
        raise fail(
            "shape-mismatch",
            f"`{name}` has one number for each of {examples} examples, not {value}",
        )
    wrong = lengths[(lengths < 0) | (lengths > most)]
    if wrong.size:
        raise fail("keyword-value", f"`{name}` lies between 0 and {most}, not {int(wrong[0])}")
    return lengths


def _log_likelihoods(log_probs, labels, lasts):
    """[N]: logarithm of the summed probability of all alignments; below NEVER/2 without one."""
    rows = np.arange(log_probs.shape[1])
    scores = np.maximum(log_probs[:, rows[:, None], labels.classes], NEVER)
    reached = np.broadcast_to(np.where(labels.place == 0, 0.0, NEVER), labels.classes.shape)
    for step, score in enumerate(scores):
        arrived = np.where(labels.begins, 0.0, NEVER)
        if step:
            one_back = np.where(labels.place >= 1, np.roll(reached, 1, axis=1), NEVER)
            two_back = np.where(labels.may_skip, np.roll(reached, 2, axis=1), NEVER)
            arrived = np.logaddexp(np.logaddexp(reached, one_back), two_back)
        reached = np.where(step < lasts[:, None], arrived + score, reached)
    at_label = np.where(labels.lengths > 0, reached[rows, 2 * labels.lengths - 1], NEVER)
    return np.logaddexp(reached[rows, 2 * labels.lengths], at_label)


def _losses(log_probs, *, targets, input_lengths, blank, zero_infinity):
    labels, lasts = _Labels(targets, blank), np.array(input_lengths, dtype=np.intp)
    likelihoods = _log_likelihoods(log_probs, labels, lasts)
    without = 0.0 if zero_infinity else np.inf
    return np.where(likelihoods < NEVER / 2, without, -likelihoods).astype(log_probs.dtype)


@operation(
    _losses,
    samples=(
        sample((4, 1, 3), targets=((1, 2),), input_lengths=(4,)),
        sample((4, 2, 3), targets=((1, 1), (2,)), input_lengths=(4, 2)),
        sample((3, 2, 3), targets=((0,), ()), input_lengths=(3, 2), blank=2),
        sample((2, 2, 2), targets=((1, 1), (1,)), input_lengths=(2, 1), zero_infinity=True),
        sample((0, 1, 2), targets=((),), input_lengths=(0,)),
    ),
    refuses=(
        Refusal(sample((4, 3), targets=((1,),), input_lengths=(4,)), "shape-mismatch"),
        Refusal(sample((4, 1, 3), targets=(1, 2), input_lengths=(4,)), "shape-mismatch"),
        Refusal(sample((4, 1, 3), targets=((3,),), input_lengths=(4,)), "index-out-of-range"),
        Refusal(sample((4, 1, 3), targets=((0,),), input_lengths=(4,)), "keyword-value"),
    ),
)
def ctc_loss_of_each(log_probs, *, targets, input_lengths, blank=0, zero_infinity=False):
    """Minus the log probability of each example's labels: `ctc_loss` before its reduction.

    Shapes:  log_probs [T, N, C], targets a list of labels for each of N examples -> [N]
    Kinks:   none; see `ctc_loss`
    Source:  the forward recursion over states; its rule also runs the backward one
    Example: vjp explain "F.ctc_loss(log_softmax(x, 1), [1], 2, 1)" x=[[1,2],[0.5,0]]
    """
    if log_probs.ndim != 3:
        raise fail(
            "shape-mismatch",
            "ctc_loss_of_each takes log probabilities [T, N, C], not "
            f"{shape_text(log_probs.shape)}",
        )
    steps, examples, classes = log_probs.shape
    if not isinstance(targets, tuple) or len(targets) != examples:
        raise fail("shape-mismatch", f"`targets` lists the labels of {examples} examples")
    blank = whole_number("blank", blank, least=0, most=max(0, classes - 1))
    rows = [position_array("targets", row).ravel() for row in targets]
    for row in rows:
        _require_labels(row, classes, blank)
    most = max((row.size for row in rows), default=0)
    refuse_oversized((steps, examples, 2 * most + 1))
    return outcome(
        (examples,),
        targets=tuple(tuple(row.tolist()) for row in rows),
        input_lengths=tuple(_lengths("input_lengths", input_lengths, examples, steps).tolist()),
        blank=blank,
        zero_infinity=true_or_false("zero_infinity", zero_infinity),
    )


def _read_states(x, places, which):
    """Entries of x [N, states] at other places of each row, NEVER where `which` is False."""
    read = indexing.index(x, index=(slice(None), places))
    return comparison.where(np.broadcast_to(which, x.shape), read, NEVER)


def _joined(x, one, two, labels):
    """The logarithm of what leads to each state: from itself, its neighbour, the one beyond."""
    if labels.states > 1:
        x = logarithm.logaddexp(x, one)
    return logarithm.logaddexp(x, two) if labels.may_skip.any() else x


def _forward(scores, labels):
    """For each step the log probability of what leads to each state, its own score included."""
    before = np.maximum(labels.place - 1, 0), np.maximum(labels.place - 2, 0)
    found: list[Node] = []
    for step in range(scores.shape[0]):
        arrived = as_node(np.where(labels.begins, 0.0, NEVER))
        if step:
            one = _read_states(found[-1], before[0], labels.place >= 1)
            two = _read_states(found[-1], before[1], labels.may_skip)
            arrived = _joined(found[-1], one, two, labels)
        found.append(arrived + indexing.index(scores, index=(step,)))
    return found


def _backward(scores, labels, lasts):
    """For each step the log probability of what follows each state."""
    last_place = labels.states - 1
    behind = np.minimum(labels.place + 1, last_place), np.minimum(labels.place + 2, last_place)
    skipped = np.zeros_like(labels.may_skip)
    skipped[:, :-2] = labels.may_skip[:, 2:]
    ends = as_node(np.where(labels.ends, 0.0, NEVER))
    found = [ends]
    for step in reversed(range(1, scores.shape[0])):
        later = found[-1] + indexing.index(scores, index=(step,))
        one = _read_states(later, behind[0], labels.place < last_place)
        two = _read_states(later, behind[1], skipped)
        goes_on = (step < lasts)[:, None]
        found.append(comparison.where(goes_on, _joined(later, one, two, labels), ends))
    return found[::-1]


@ctc_loss_of_each.vjp
def _(g, y, log_probs, *, targets, input_lengths, blank, zero_infinity):
    if 0 in log_probs.shape:
        return None
    labels, lasts = _Labels(targets, blank), np.array(input_lengths, dtype=np.intp)
    where = (slice(None), np.arange(len(targets))[:, None], labels.classes)
    scores = comparison.maximum(indexing.index(log_probs, index=where), NEVER)
    ahead = joining.stack(*_forward(scores, labels), axis=0)
    behind = joining.stack(*_backward(scores, labels, lasts), axis=0)
    passes = elementary.exp(ahead + behind + shape.expand_dims(y, axis=-1))
    impossible = shape.expand_dims(comparison.isinf(y), axis=-1)
    passes = comparison.where(impossible, np.nan, passes)
    seen = (np.arange(scores.shape[0])[:, None] < lasts)[..., None]
    passes = comparison.where(np.broadcast_to(seen, passes.shape), passes, 0)
    of_classes = indexing.add_into(passes, index=where, shape=log_probs.shape)
    return -shape.expand_dims(shape.expand_dims(g, axis=-1), axis=-3) * of_classes


CTC_STATIC = {"targets": (1, 2), "input_lengths": (4,), "target_lengths": (2,)}


@operation(
    decided=("targets", "input_lengths", "target_lengths"),
    samples=(
        sample((4, 1, 3), **CTC_STATIC),
        sample((4, 3), targets=(1, 2), input_lengths=4, target_lengths=2, reduction="none"),
        sample(
            (4, 2, 3),
            targets=((1, 2), (2, 0)),
            input_lengths=(4, 3),
            target_lengths=(2, 1),
            reduction="sum",
        ),
        sample((3, 2, 3), targets=(1, 1), input_lengths=(3, 2), target_lengths=(2, 0), blank=2),
        sample(
            (2, 2, 2),
            targets=(1, 1, 1),
            input_lengths=(2, 1),
            target_lengths=(2, 1),
            zero_infinity=True,
            reduction="none",
        ),
    ),
    refuses=(
        Refusal(sample((4,), **CTC_STATIC), "shape-mismatch"),
        Refusal(sample((4, 2, 3), **CTC_STATIC), "shape-mismatch"),
        Refusal(sample((4, 1, 3), **{**CTC_STATIC, "targets": (1, 2, 1)}), "shape-mismatch"),
        Refusal(sample((4, 1, 3), **{**CTC_STATIC, "targets": (1, 3)}), "index-out-of-range"),
        Refusal(sample((4, 1, 3), **{**CTC_STATIC, "targets": (1, 0)}), "keyword-value"),
        Refusal(sample((4, 1, 3), **{**CTC_STATIC, "targets": (1, 0.5)}), "index-not-whole"),
        Refusal(sample((4, 1, 3), **{**CTC_STATIC, "input_lengths": (5,)}), "keyword-value"),
        Refusal(sample((4, 1, 3), **CTC_STATIC, blank=3), "keyword-value"),
        Refusal(sample((4, 1, 3), **CTC_STATIC, reduction="all"), "keyword-value"),
        Refusal(sample((20000, 1, 3), **CTC_STATIC), "too-large"),
    ),
)
def ctc_loss(
    log_probs,
    *,
    targets,
    input_lengths,
    target_lengths,
    blank=0,
    reduction="mean",
    zero_infinity=False,
):
    """Connectionist temporal classification: minus the log probability of a sequence of labels.

    Every way to spread the labels over the steps in time counts, with blanks between them.

    Shapes:  log_probs [T, N, C] or [T, C], targets [N, S] or all labels in one row,
             input_lengths and target_lengths [N] -> []; [N] with reduction="none"
    Kinks:   none. Where no alignment exists (too few steps) the loss is inf and its slopes nan;
             zero_infinity=True makes both 0
    Source:  Graves et al. (2006); the forward recursion over states, in logarithms. The slope of a
             log probability is minus the probability that an alignment passes there. PyTorch adds
             exp(log_probs), which log_softmax takes out again: behind it both agree.
             reduction="mean" first divides each loss by its number of labels
    Example: vjp explain "F.ctc_loss(log_softmax(x, 1), [1], 2, 1)" x=[[1,2],[0.5,0]]
    """
    if log_probs.ndim not in (2, 3):
        raise fail(
            "shape-mismatch",
            f"ctc_loss takes log probabilities [T, N, C] or [T, C], not "
            f"{shape_text(log_probs.shape)}",
        )
    single = log_probs.ndim == 2
    if single:
        log_probs = shape.expand_dims(log_probs, axis=1)
    steps, examples, classes = log_probs.shape
    if steps > MOST_STEPS:
        raise fail("too-large", f"{steps:,} steps in time; the limit is {MOST_STEPS:,}")
    blank = whole_number("blank", blank, least=0, most=classes - 1)
    wanted = _lengths("target_lengths", target_lengths, examples, 2**31)
    losses = ctc_loss_of_each(
        log_probs,
        targets=tuple(_rows_of_labels(targets, wanted, classes, blank)),
        input_lengths=input_lengths,
        blank=blank,
        zero_infinity=zero_infinity,
    )
    if single:
        losses = shape.squeeze(losses, axis=0)
    if reduction == "mean":
        counts = np.maximum(wanted, 1)
        if counts.max(initial=1) > 1:
            losses = losses / as_node(counts[0] if single else counts)
    return reduced(losses, reduction)
