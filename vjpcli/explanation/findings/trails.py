"""The trail: every number on the way on which one went wrong, as the rows of a table.

Forward rows come first, then the hand-overs of the way back in the order of the walk. A step
that hands on exactly what it received says nothing and is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vjpcli.errors import TrailRow
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.blame import BackwardBlame, HandOver, Place, ZeroOrigin
from vjpcli.explanation.findings.entries import Entry, is_entrywise
from vjpcli.explanation.findings.slopes import LocalSlope, local_slope
from vjpcli.explanation.findings.wording import (
    LONG_TEXT,
    entry_name,
    factor,
    number,
    shortened,
    step_text,
)
from vjpcli.graph.node import Node
from vjpcli.record import record

MOST_BETWEEN = 3
"""Steps between the two ends of a way that are shown one by one."""


@record
class Stop:
    """A row and the step that it is about.

    Attributes:
        row: what is shown; its text is still without an entry.
        node: the step; None for what is no step of the program.
        entry: the entry of it that is meant.
        to: on the way back, the operand that was handed something.
    """

    row: TrailRow
    node: Node | None = None
    entry: Entry = ()
    to: Node | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for two rows that show the same numbers of the same step."""
        row = self.row
        return self.node, self.to, row.value, row.slope_text, row.adjoint_in, row.adjoint_out_text


def trail(
    evidence: Evidence, forward: Sequence[Stop], back: Sequence[Stop], at: Entry | None
) -> tuple[TrailRow, ...]:
    """The rows of both ways, of which the table's head names the entry `at`.

    A step that ends the one way and begins the other has a single row. Where a step hands
    different things to its operands, the rows say to which.
    """
    if forward and back and forward[-1].node is back[0].node is not None:
        words = "; ".join(filter(None, (forward[-1].row.words, back[0].row.words)))
        merged = replace(back[0], row=replace(back[0].row, words=words))
        forward, back = forward[:-1], [merged, *back[1:]]
    targets: dict[Node, set[Node]] = {}
    for stop in back:
        if stop.node is not None and stop.to is not None:
            targets.setdefault(stop.node, set()).add(stop.to)
    rows: list[TrailRow] = []
    before = None
    for stop in (*forward, *back):
        text = _with_entry(stop, at)
        if stop.node is not None and stop.to is not None and len(targets[stop.node]) > 1:
            shown = "" if stop.node is before else text
            text = f"{shown} → {_short(evidence, stop.to)}"
        rows.append(replace(stop.row, text=text))
        before = stop.node
    return tuple(rows)


def _with_entry(stop: Stop, at: Entry | None) -> str:
    """The step with its entry, where that need not be the one in the table's head."""
    node, text = stop.node, stop.row.text
    if node is None or node.size == 1 or not stop.entry or " in " in text:
        return text
    if stop.entry == at and is_entrywise(node):
        return text
    return entry_name(text if _is_whole(text) else f"({text})", stop.entry)


def _short(evidence: Evidence, node: Node, inner: tuple[str, ...] = ()) -> str:
    """The step in the user's own text; of a long product or sum only the sign."""
    text = shortened(step_text(evidence, node), inner)
    infix = node.operation.infix
    if len(text) > LONG_TEXT and infix and len(node.operands) == 2:
        return f"… {infix} …"
    return text


def _is_whole(text: str) -> bool:
    """Whether an index may stand right behind: a name, a call, something in brackets."""
    return text.isidentifier() or (text[-1:] in (")", "]", "…") and not set(" +-*/") & set(text))


def forward_stop(evidence: Evidence, place: Place, words: str) -> Stop:
    """A value that is not finite, and why."""
    text = _short(evidence, place.node)
    return Stop(TrailRow(text, value=place.value(evidence), words=words), place.node, place.entry)


def way_back(
    evidence: Evidence,
    blame: BackwardBlame,
    zero: ZeroOrigin | None = None,
    why_zero: str = "",
) -> list[Stop]:
    """From where a 0 came from, by the birth, to the first nan, and to what another way brought."""
    stops: list[Stop] = []
    birth = blame.birth
    inner = step_text(evidence, birth.one.reader)
    if zero is not None:
        stops += _to_zero(evidence, zero, why_zero, inner)
    stops += _hand_overs(evidence, _until_nan(evidence, blame.path))
    if blame.other:
        known = {stop.key for stop in stops}
        other = _hand_overs(evidence, _until_nan(evidence, blame.other))
        stops += [stop for stop in other if stop.key not in known]
        stops.append(_sum(evidence, blame))
    return stops


def _until_nan(evidence: Evidence, path: Sequence[HandOver]) -> list[HandOver]:
    """The hand-overs from the birth to the one that made nan, or to the leaf."""
    way: list[HandOver] = []
    for step in reversed(path):
        way.append(step)
        if np.isnan(step.handed_entry(evidence)):
            break
    return way


def _hand_overs(evidence: Evidence, way: Sequence[HandOver]) -> list[Stop]:
    stops = []
    for step in way:
        slope = local_slope(evidence, step)
        same = slope is not None and slope.value == 1 and len(way) > 1
        if not (same and _passes_on(evidence, step)):
            stops.append(hand_over(evidence, step, slope))
    stops = stops or [hand_over(evidence, way[-1], local_slope(evidence, way[-1]))]
    return few(stops)


def _passes_on(evidence: Evidence, step: HandOver) -> bool:
    arrived, out = step.arrived(evidence), step.handed_entry(evidence)
    return arrived == out or (np.isnan(arrived) and bool(np.isnan(out)))


def few(stops: list[Stop]) -> list[Stop]:
    """All of a short way; of a long one the two ends, and how many lie between."""
    if len(stops) <= MOST_BETWEEN + 2:
        return stops
    left_out = len(stops) - 4
    count = Stop(TrailRow(f"⋯ {left_out} more steps"))
    return [*stops[:2], count, *stops[-2:]]


def _to_zero(evidence: Evidence, zero: ZeroOrigin, why: str, inner: str) -> list[Stop]:
    """The step that made an adjoint 0, and those that handed the 0 on."""
    if zero.step is None:
        name = "seed" if zero.cause == "seed" else "all contributions"
        first = Stop(TrailRow(name, adjoint_out_text="0", words=why))
    elif zero.cause == "unread":
        text = _short(evidence, zero.step.one.reader)
        first = Stop(TrailRow(text, slope_text="0", adjoint_out_text="0", words=why))
    else:
        slope = local_slope(evidence, zero.step)
        first = hand_over(evidence, zero.step, slope, why, inner=(inner,))
    passed = []
    for step in zero.between:
        slope = local_slope(evidence, step)
        if slope is None or slope.value != 1:
            passed.append(hand_over(evidence, step, slope))
    return [first, *few(passed)]


def _sum(evidence: Evidence, blame: BackwardBlame) -> Stop:
    """Where two ways meet: `x[0]`, which received -∞ + nan."""
    one, other = blame.path, blame.other
    meeting = other[0]
    brought = next(step for step in one if step.one.operand is meeting.one.operand)
    total = evidence.adjoint(meeting.one.operand)
    assert total is not None
    parts = [brought.handed_on(evidence), meeting.handed_on(evidence)]
    sum_text = " + ".join(factor(part) for part in parts)
    node = meeting.one.operand
    row = TrailRow(
        _short(evidence, node),
        value=float(evidence.values[node][meeting.to]),
        adjoint_out_text=f"{sum_text} = {number(float(total[meeting.to]))}",
        words="the two contributions add up",
    )
    return Stop(row, node, meeting.to)


def hand_over(
    evidence: Evidence,
    step: HandOver,
    slope: LocalSlope | None,
    words: str = "",
    inner: tuple[str, ...] = (),
) -> Stop:
    """A contribution: what arrived, the slope, what was handed on."""
    reader = step.one.reader
    mixes = not is_entrywise(reader)
    arrived, out = step.arrived(evidence), step.handed_entry(evidence)
    if slope is not None and mixes:
        with np.errstate(all="ignore"):
            product = arrived * slope.value
        if not np.isfinite(product):
            out = product  # of the entries that reach the operand's, the one that spoils it
        elif not np.isclose(product, out, rtol=1e-3):
            slope, words = None, words or "several entries reach it, and add up to this"
    product_text = number(out)
    infinite = slope is not None and not np.isfinite([slope.value, arrived]).all()
    if slope is not None and infinite and not np.isfinite(out):
        product_text = f"{factor(arrived)} × {factor(slope.value)} = {number(out)}"
        if np.isnan(out) and not words and not np.isnan([arrived, slope.value]).any():
            words = f"{factor(arrived)} × {factor(slope.value)} is not a number"
    row = TrailRow(
        text=_short(evidence, reader, inner),
        value=float(evidence.values[reader][step.at]),
        slope_text="" if slope is None else slope.says,
        adjoint_in=arrived,
        adjoint_out_text=product_text,
        words=words,
    )
    return Stop(row, reader, step.at, step.one.operand)
