"""Why a gradient is nan or infinite although it may have a fine value: the kinds of cause.

A contribution is adjoint × slope. It goes wrong when the slope is infinite or nan, and an
adjoint of 0 does not help: 0 × ∞ is nan. So the question is where the zero came from.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.blame import (
    BackwardBlame,
    HandOver,
    Place,
    ZeroOrigin,
    output_entry,
    zero_origin,
)
from vjpcli.explanation.findings.cause import Cause
from vjpcli.explanation.findings.entries import first_entry, is_entrywise, not_finite, projected
from vjpcli.explanation.findings.forward_blame import ForwardBlame, blame_value
from vjpcli.explanation.findings.forward_causes import INVERSES, SOFTMAX_LIKE, forward_cause
from vjpcli.explanation.findings.operands import share_a_leaf
from vjpcli.explanation.findings.slopes import LocalSlope, local_slope
from vjpcli.explanation.findings.trails import Stop, way_back
from vjpcli.explanation.findings.wording import (
    MOST_SHOWN,
    factor,
    number,
    step_text,
)
from vjpcli.graph.node import Node
from vjpcli.graph.operation import constant, leaf

MADE_HERE = "the {} is made here, on the way back"

DECOMPOSITIONS = {"eigh_vectors", "svd_left", "svd_right"}


def backward_cause(evidence: Evidence, blame: BackwardBlame) -> Cause:
    """What made the gradient at the end of `blame.path` nan or infinite."""
    birth = blame.birth
    slope = local_slope(evidence, birth)
    spoilt = _spoilt_value(evidence, birth)
    zero = None
    if birth.arrived(evidence) == 0:
        zero = _told_from_masks(zero_origin(evidence, birth.one.reader, birth.at))
        if spoilt is None and _is_inner_choice(evidence, zero):
            return _of_slope(evidence, blame, slope)
        # An untaken branch or a mask was to hide a value that is not finite: that is the story.
        if spoilt is None or zero.cause in ("where", "mask"):
            return _of_zero(evidence, blame, slope, zero, spoilt)
    if spoilt is not None:
        if _is_softmax_of_infinities(evidence, birth):
            return _of_softmax(evidence, blame, spoilt)
        return _of_spoilt_value(evidence, blame, slope, spoilt)
    return _of_slope(evidence, blame, slope)


def _is_inner_choice(evidence: Evidence, zero: ZeroOrigin) -> bool:
    """Whether the zero is that of a choice which an operation makes inside, always the same."""
    if zero.cause != "where" or zero.step is None:
        return False
    reader = zero.step.one.reader
    condition = reader.operands[0]
    inner = condition.operation is constant and condition.span in (None, reader.span)
    return inner and "where(" not in evidence.text_of(reader)


def _of_slope(evidence: Evidence, blame: BackwardBlame, slope: LocalSlope | None) -> Cause:
    """Every number that went in was finite and the adjoint was not 0."""
    birth = blame.birth
    if slope is not None and np.isfinite(slope.value):
        return _of_overflow(evidence, blame, slope)
    if slope is None or not is_entrywise(birth.one.reader):
        return _of_mixing(evidence, blame, slope)
    if np.isnan(slope.value):
        return _of_nan_slope(evidence, blame, slope)
    return _of_infinite_slope(evidence, blame, slope)


def _of_spoilt_value(
    evidence: Evidence, blame: BackwardBlame, slope: LocalSlope | None, spoilt: Place
) -> Cause:
    """A forward value was not finite already: its own cause, and what became of it."""
    cause = forward_cause(evidence, _with_its_nan(evidence, blame.birth, spoilt))
    zero, why = None, ""
    if blame.birth.arrived(evidence) == 0:
        zero = _told_from_masks(zero_origin(evidence, blame.birth.one.reader, blame.birth.at))
        why, _ = _zero_words(evidence, zero)
    back = way_back(evidence, blame, zero, why)
    if spoilt == Place(blame.birth.one.reader, blame.birth.at) and slope is not None:
        out = blame.birth.handed_entry(evidence)
        end = blame.path[0]
        seen = evidence.adjoint(end.one.operand)
        ends_infinite = seen is not None and np.isinf(seen[end.to])
        if ends_infinite and np.isinf(out) and np.isnan(spoilt.value(evidence)):
            # The value is nan, the slope is not: 0/0 beside 1/0.
            text = step_text(evidence, blame.birth.one.reader)
            reason = f"the slope of {text} is {slope.says}; {cause.reason}"
            cause = replace(cause, reason=reason)
    words = ""
    adjoint = evidence.adjoint(blame.birth.one.reader)
    if cause.code == "nan-in-input" and adjoint is not None and (adjoint == 0).any():
        words = "an adjoint of 0 does not protect: 0 × nan is nan"
    return replace(cause, back=tuple(back), words=words)


def _with_its_nan(evidence: Evidence, birth: HandOver, spoilt: Place) -> ForwardBlame:
    """The birth of a value, and the product that made nan of it, where an output shows that."""
    born = blame_value(evidence, spoilt)
    reached = output_entry(evidence, birth.one.reader, birth.at)
    if born.nan is None and reached is not None and np.isnan(reached.value(evidence)):
        seen = blame_value(evidence, reached)
        by_product = seen.nan is not None and seen.nan.node.operation.name == "multiply"
        return seen if by_product and seen.first == born.first else born
    return born


def _is_softmax_of_infinities(evidence: Evidence, birth: HandOver) -> bool:
    reader = birth.one.reader
    if reader.operation.name not in SOFTMAX_LIKE:
        return False
    value = evidence.values[reader.operands[0]]
    return value.size > 0 and not np.isnan(value).any() and bool(np.isinf(value).any())


def _of_softmax(evidence: Evidence, blame: BackwardBlame, spoilt: Place) -> Cause:
    birth = blame.birth
    reader = birth.one.reader
    value = evidence.values[reader.operands[0]]
    shown = (
        f"({', '.join(map(number, np.ravel(value)))})" if value.size <= MOST_SHOWN else "infinities"
    )
    text = step_text(evidence, reader)
    return Cause(
        code="softmax-of-infinities",
        reason=f"the slope of {text} is a softmax, and the softmax of {shown} is undefined",
        culprit=reader,
        label=MADE_HERE.format("nan"),
        words="the largest entry is taken out first, and ∞ - ∞ is not a number",
        root=forward_cause(evidence, blame_value(evidence, spoilt)).root,
        back=tuple(way_back(evidence, blame)),
        numbers=_numbers(evidence, birth, local_slope(evidence, birth)),
    )


def _spoilt_value(evidence: Evidence, birth: HandOver) -> Place | None:
    """A forward value at the birth that is not finite itself: the operands', else the result."""
    reader = birth.one.reader
    for operand in reader.operands:
        bad = not_finite(evidence.values[operand])
        if is_entrywise(reader):
            own = projected(birth.at, operand.shape)
            if bad[own]:
                return _result_or_operand(evidence, birth, Place(operand, own))
        elif (entry := first_entry(bad)) is not None:
            return _result_or_operand(evidence, birth, Place(operand, entry))
    result = Place(reader, birth.at)
    return None if np.isfinite(result.value(evidence)) else result


def _result_or_operand(evidence: Evidence, birth: HandOver, operand: Place) -> Place:
    """The result where it is nan: then the walk also tells what made nan of an infinity."""
    result = Place(birth.one.reader, birth.at)
    return result if np.isnan(result.value(evidence)) else operand


def _numbers(
    evidence: Evidence, step: HandOver, slope: LocalSlope | None
) -> tuple[tuple[str, object], ...]:
    facts: list[tuple[str, object]] = []
    if is_entrywise(step.one.reader):
        facts.append(("value", Place(step.one.reader, step.at).value(evidence)))
    if slope is not None:
        facts.append(("slope", slope.value))
    facts.append(("adjoint in", step.arrived(evidence)))
    facts.append(("adjoint out", step.handed_entry(evidence)))
    return tuple(facts)


# 0 × ∞.


def _of_zero(
    evidence: Evidence,
    blame: BackwardBlame,
    slope: LocalSlope | None,
    zero: ZeroOrigin,
    spoilt: Place | None,
) -> Cause:
    birth = blame.birth
    reader = birth.one.reader
    text = step_text(evidence, reader)
    size = "∞" if slope is None else number(slope.value)
    product = f"0 × {factor(slope.value) if slope is not None else size}"
    codes = {"where": "nan-untaken-branch", "mask": "nan-masking", "seed": "nan-zero-seed"}
    why, reason = _zero_words(evidence, zero)
    words = f"{why}; the slope of {text} there is {size}; {product} is nan"
    culprit, label = reader, MADE_HERE.format("nan")
    also: tuple[tuple[Node, str], ...] = ()
    if zero.cause == "mask" and zero.step is not None:
        culprit, label = zero.step.one.reader, "multiplying by 0 does not switch the slope off"
        also = ((reader, MADE_HERE.format("nan")),)
    back = way_back(evidence, blame, zero, why)
    root = None
    if spoilt is not None:
        value = forward_cause(evidence, blame_value(evidence, spoilt))
        root, back = value.root, _with_value(value.forward[0], back)
    return Cause(
        code=codes.get(zero.cause, "nan-zero-times-inf"),
        reason=f"{reason} ({product})",
        culprit=culprit,
        label=label,
        also=also,
        words=words,
        back=tuple(back),
        numbers=_numbers(evidence, birth, slope),
        root=root,
    )


def _with_value(born: Stop, back: list[Stop]) -> list[Stop]:
    """The way back with the value that went wrong: in words where it has a row, else before."""
    if all(stop.node is not born.node for stop in back):
        return [born, *back]
    return [
        replace(stop, row=replace(stop.row, words=born.row.words))
        if stop.node is born.node
        else stop
        for stop in back
    ]


def _told_from_masks(zero: ZeroOrigin) -> ZeroOrigin:
    """A factor of 0 that moves with the other factor is no mask: x*log(x) at 0."""
    if (
        zero.cause == "mask"
        and zero.step is not None
        and share_a_leaf(*zero.step.one.reader.operands)
    ):
        return replace(zero, cause="slope")
    return zero


def _zero_words(evidence: Evidence, zero: ZeroOrigin) -> tuple[str, str]:
    """Where the zero came from: as a sentence, and as the reason of a finding."""
    if zero.cause == "seed":
        return "the seed is 0 here", "a seed of 0 does not switch an infinite slope off"
    if zero.cause == "cancelled" or zero.step is None:
        return "what arrives here adds up to 0", "an infinite slope meets an adjoint of 0"
    reader = zero.step.one.reader
    if zero.cause == "where":
        condition = reader.operands[0]
        state = bool(evidence.values[condition][projected(zero.step.at, condition.shape)])
        text = evidence.text_of(condition)
        text = "the condition" if text == evidence.text_of(reader) else text  # a list has no place
        why = f"{text} is {state}, so the unused branch is sent 0"
        return why, "a branch that was not taken"
    if zero.cause == "mask":
        other = reader.operands[1 - zero.step.one.position]
        text = evidence.text_of(other)
        is_zero = "the factor is 0" if other.operation is constant else f"the factor {text} is 0"
        return f"{is_zero}, so {step_text(evidence, zero.step.one.operand)} is sent 0", (
            "masking by multiplication does not protect the gradient"
        )
    if zero.cause == "unread":
        text = step_text(evidence, reader)
        return f"{text} does not read this entry, so it is sent 0", (
            "an entry that is not read still has an infinite slope"
        )
    return f"the slope of {step_text(evidence, reader)} is 0 here", (
        "an infinite slope meets an adjoint of 0"
    )


# A slope that is infinite or nan, and an adjoint that is not 0.


def _of_infinite_slope(evidence: Evidence, blame: BackwardBlame, slope: LocalSlope) -> Cause:
    birth = blame.birth
    text = step_text(evidence, birth.one.reader)
    made_nan = _first_nan(evidence, blame)
    infinite = number(birth.handed_entry(evidence))
    numbers = _numbers(evidence, birth, slope)
    if made_nan is None:
        end = blame.path[0]
        adjoint = evidence.adjoint(end.one.operand)
        cancelled = adjoint is not None and np.isnan(adjoint[end.to])
        reason = f"{text} has an infinite slope here"
        return Cause(
            code="inf-minus-inf" if cancelled else "inf-slope",
            reason=f"∞ and -∞ arrive and give nan; {reason}" if cancelled else reason,
            culprit=birth.one.reader,
            label=MADE_HERE.format(infinite),
            words=f"the slope of {text} is {slope.says}",
            back=tuple(way_back(evidence, blame)),
            numbers=numbers,
        )
    second = local_slope(evidence, made_nan)
    factors = "∞ - ∞" if second is None else f"{infinite} × {factor(second.value)}"
    nan_text = step_text(evidence, made_nan.one.reader)
    return Cause(
        code="nan-inf-times-zero",
        reason=f"{text} sends {infinite} back, and {nan_text} makes nan of it ({factors})",
        culprit=birth.one.reader,
        label=f"the first {infinite} is made here, on the way back",
        also=((made_nan.one.reader, f"the first nan: {factors}"),),
        words=f"the slope of {text} is {slope.says}; "
        + (f"{nan_text} has slope {number(second.value)} there; " if second else "")
        + f"{factors} is nan",
        back=tuple(way_back(evidence, blame)),
        numbers=numbers,
    )


def _first_nan(evidence: Evidence, blame: BackwardBlame) -> HandOver | None:
    """The hand-over that made nan of the infinity, on the way from the birth to the leaf."""
    for step in reversed(blame.path):
        if np.isnan(step.handed_entry(evidence)):
            return step
    return None


def _of_nan_slope(evidence: Evidence, blame: BackwardBlame, slope: LocalSlope) -> Cause:
    birth = blame.birth
    reader = birth.one.reader
    text = step_text(evidence, reader)
    code, reason = "nan-slope", f"{text} has no slope here"
    if reader.operation.name == "power" and birth.one.position == 1:
        base = reader.operands[0]
        value = float(evidence.values[base][projected(birth.at, base.shape)])
        if value < 0:
            code = "log-of-negative-base"
            reason = f"the slope for the exponent is a**b*log(a), and log({number(value)}) is nan"
    return Cause(
        code=code,
        reason=reason,
        culprit=reader,
        label=MADE_HERE.format("nan"),
        words=f"the slope of {text} is {slope.says}",
        back=tuple(way_back(evidence, blame)),
        numbers=_numbers(evidence, birth, slope),
    )


def _of_overflow(evidence: Evidence, blame: BackwardBlame, slope: LocalSlope) -> Cause:
    birth = blame.birth
    reader = birth.one.reader
    dtype = evidence.problem.settings.dtype
    out = birth.handed_entry(evidence)
    product = f"{factor(birth.arrived(evidence))} × {factor(slope.value)} is {number(out)}"
    with np.errstate(all="ignore"):
        if np.isfinite(birth.arrived(evidence) * slope.value):
            product = f"the contributions of {step_text(evidence, reader)} add up to {number(out)}"
    return Cause(
        code="overflow-backward",
        reason=f"{product} in {dtype}",
        culprit=reader,
        label=MADE_HERE.format(number(out)),
        back=tuple(way_back(evidence, blame)),
        numbers=_numbers(evidence, birth, slope),
    )


def _of_mixing(evidence: Evidence, blame: BackwardBlame, slope: LocalSlope | None) -> Cause:
    """An operation that mixes entries."""
    birth = blame.birth
    reader = birth.one.reader
    name, text = reader.operation.name, step_text(evidence, reader)
    out = number(birth.handed_on(evidence))
    code = "nan-slope" if out == "nan" else "inf-slope"
    reason = f"{text} has no finite slope here"
    words = f"the slope of {text} is {slope.says}" if slope is not None and slope.text else ""
    if name in DECOMPOSITIONS:
        code = "repeated-eigenvalues"
        what = "eigenvalues" if name == "eigh_vectors" else "singular values"
        reason = f"{text} has equal {what}"
        words = f"the slopes of its vectors divide by the gaps between {what}, and a gap is 0"
    elif name in INVERSES:
        code, reason = "singular-matrix", f"the matrix of {text} is singular, or nearly so"
    elif any(one.operation is not leaf and not one.size for one in reader.operands):
        code, reason = "empty-reduction-nan", f"{text} reduces an empty array"
    return Cause(
        code=code,
        reason=reason,
        culprit=reader,
        label=MADE_HERE.format(out),
        words=words,
        back=tuple(way_back(evidence, blame)),
        numbers=_numbers(evidence, birth, local_slope(evidence, birth)),
    )
