"""The slope of one step at one entry, and the true slopes at an entry of a leaf.

The local slope is what the operation's own rule says of an adjoint of 1. The true slopes are
one-sided difference quotients of the whole program, which use no rule.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from vjpcli.engine.backward import local_contributions
from vjpcli.engine.differences import WeightedOutput
from vjpcli.engine.evaluate import evaluate
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.blame import HandOver, Place
from vjpcli.explanation.findings.entries import Array, Entry, is_entrywise, projected
from vjpcli.explanation.findings.forward_blame import blame_value
from vjpcli.explanation.findings.mixed_slopes import MixedSlope, mixed_slope
from vjpcli.explanation.findings.operands import operand_values, written_with
from vjpcli.explanation.findings.wording import factor, multiplied, number
from vjpcli.graph.node import Graph, Node
from vjpcli.graph.operation import constant, make_constant, make_leaf
from vjpcli.record import record

CHEAP_ENTRIES = 2_000_000
"""Entries over all nodes up to which difference quotients are formed."""

JUMP = 0.5
"""How much of the distance moved may remain at a step 10^4 times smaller."""

UNSEEN = "\u2060"
"""A word joiner, which has no width."""

STEPS = (1e-4, 1e-6, 1e-8)
"""Steps of a one-sided quotient: where it grows as they shrink, the slope is infinite."""


@record
class LocalSlope:
    """A local slope at one entry.

    Attributes:
        value: the number.
        text: the formula with the numbers put in, "1/(2·sqrt(0))", or "".
    """

    value: float
    text: str

    @property
    def says(self) -> str:
        """`1/(2·sqrt(0)) = ∞`, or the number alone."""
        return f"{self.text} = {number(self.value)}" if self.text else number(self.value)


def local_slope(evidence: Evidence, step: HandOver) -> LocalSlope | None:
    """What the rule of an operation makes of an adjoint of 1 at one entry; None where unknown."""
    reader, position = step.one.reader, step.one.position
    if not is_entrywise(reader):
        mixed = mixed_slope(evidence, reader, position, step.at, step.to)
        return (
            None if mixed is None else LocalSlope(mixed.value, _in_the_rule(evidence, mixed, step))
        )
    operands = tuple(_one_entry(evidence, operand, step.at) for operand in reader.operands)
    values = {
        node.static["name"]: evidence.values[operand][projected(step.at, operand.shape)]
        for node, operand in zip(operands, reader.operands, strict=True)
        if node.operation is not constant
    }
    here = Node(reader.operation, operands, reader.static, (), reader.kind, span=None)
    adjoint = make_leaf("adjoint", ())
    like = evidence.problem.settings.like
    contribution = local_contributions(adjoint, here, like)[position]
    if contribution is None:
        return None
    inputs = {node.static["name"]: node for node in operands if node.operation is not constant}
    graph = Graph.reaching({"slope": contribution}, {**inputs, "adjoint": adjoint})
    dtype = evidence.problem.settings.dtype
    value = float(evaluate(graph, {**values, "adjoint": 1.0}, dtype)[contribution])
    # Two operands of one value are told apart by characters that are taken out again below.
    names = {
        node: factor(float(values[node.static["name"]])) + UNSEEN * position
        for position, node in enumerate(operands)
        if node.operation is not constant
    }
    return LocalSlope(value, _slope_text(contribution, adjoint, names))


def _in_the_rule(evidence: Evidence, mixed: MixedSlope, step: HandOver) -> str:
    """What went wrong inside the rule, with its numbers: `0/0`, or `1/0 = ∞, 0*∞`; else ""."""
    if np.isfinite(mixed.value):
        return ""
    inside = replace(evidence, graph=mixed.graph, values=mixed.values)
    blame = blame_value(inside, Place(mixed.contribution, step.to))
    told = []
    for place in (blame.first, blame.nan):
        if place is None or not (operands := operand_values(inside, place)):
            continue
        told.append((written_with(place.node, operands), place.value(inside)))
    texts = [f"{text} = {number(value)}" for text, value in told[:-1]]
    if told:
        text, value = told[-1]
        same = np.isnan(value) if np.isnan(mixed.value) else value == mixed.value
        texts.append(text if same else f"{text} = {number(value)}, then")
    return multiplied(", ".join(texts))


def _one_entry(evidence: Evidence, operand: Node, at: Entry) -> Node:
    """The operand at one entry: a scalar constant, or a leaf whose name is its serial number."""
    if operand.operation is constant or operand.kind != "real":
        value = evidence.values[operand][projected(at, operand.shape)]
        return make_constant(value)
    return make_leaf(f"operand {operand.serial}", ())


def _slope_text(contribution: Node, adjoint: Node, names: Mapping[Node, str]) -> str:
    """The formula of the slope with numbers in place of the operands, where it says more."""
    from vjpcli.engine.symbolic import slope_text  # noqa: PLC0415  (SymPy)

    text = slope_text(contribution, adjoint, names)
    if text is None or "where" in text or "nan" in text:
        return ""
    text = text.replace(UNSEEN, "")
    text = re.sub(r"\((\(-[^()]*\))\)", r"\1", text)  # sqrt((-2)) -> sqrt(-2)
    if re.fullmatch(r"\(?-?[\w.∞]+([+-]\d+)?\)?", text):
        return ""
    return multiplied(text)


@record
class TrueSlopes:
    """One-sided slopes of the weighted output along one entry of a leaf.

    Attributes:
        left, right: the slopes; nan where the output is not finite on that side.
    """

    left: float
    right: float

    @property
    def says(self) -> str:
        """`0 from the left, ∞ from the right`."""
        if np.isnan(self.left) and np.isnan(self.right):
            return ""
        if self.left == self.right or (
            np.isfinite([self.left, self.right]).all()
            and abs(self.left - self.right) <= 1e-3 * max(abs(self.left), abs(self.right), 1e-3)
        ):
            return f"{_rounded((self.left + self.right) / 2)} from both sides"
        sides = [
            f"{_rounded(slope)} from the {side}" if not np.isnan(slope) else f"none from the {side}"
            for slope, side in ((self.left, "left"), (self.right, "right"))
        ]
        return ", ".join(sides)


def _rounded(slope: float) -> str:
    """A difference quotient to the digits that its step leaves true."""
    if not np.isfinite(slope):
        return number(slope)
    return number(0.0 if abs(slope) < 1e-3 else float(f"{slope:.3g}"))


def true_slopes(evidence: Evidence, name: str, entry: Entry) -> TrueSlopes | None:
    """One-sided difference quotients at an entry of a leaf, where they are cheap."""
    graph = evidence.graph
    if sum(node.size for node in graph.nodes) > CHEAP_ENTRIES:
        return None
    start = evidence.problem.inputs[name].value
    if not np.isfinite(start[entry]):
        return None
    seeds = {seed.output: seed.value for seed in evidence.one_pass if seed.value is not None}
    function = WeightedOutput(graph, seeds, evidence.problem.arrays)
    direction = np.zeros(start.shape)
    direction[entry] = 1.0
    here = function.outputs(function.values)
    sides = []
    for sign in (-1.0, 1.0):
        steps = [step * max(1.0, abs(float(start[entry]))) for step in STEPS]
        moved = [
            sign * _moved_by(here, function.moved({name: direction}, sign * step), seeds)
            for step in steps
        ]
        sides.append(_limit(moved, steps))
    return TrueSlopes(*sides)


def _moved_by(
    here: Mapping[str, Array], there: Mapping[str, Array], seeds: Mapping[str, Array]
) -> float:
    """How far the weighted outputs moved; outputs that stayed as they were count for nothing."""
    total = 0.0
    with np.errstate(all="ignore"):
        for name, seed in seeds.items():
            before, after = here[name], there[name]
            moved = ~((before == after) | (np.isnan(before) & np.isnan(after))) & (seed != 0)
            if not moved.any():
                both = np.isnan(before) & np.isnan(after) & (seed != 0)
                total += float("nan") if both.all() and both.size else 0.0
                continue
            total += float(np.sum(seed[moved] * (after[moved] - before[moved])))
    return total


def _limit(moved: list[float], steps: list[float]) -> float:
    """The slope that quotients point to: infinite where it grows as the step shrinks.

    It may grow as slowly as a logarithm: by as much from each step to the next. nan where the
    output is not finite, or jumps: there it moves as far for a small step.
    """
    if not np.isfinite(moved).all():
        return float("nan")
    if abs(moved[-1]) > JUMP * abs(moved[0]):
        return float("nan")
    coarse, between, fine = (distance / step for distance, step in zip(moved, steps, strict=True))
    first, second = between - coarse, fine - between
    grows = 0.9 * abs(first) <= abs(second) and first * second > 0
    if grows and abs(second) > 0.1 * abs(fine) and abs(fine) > 1:
        return float(np.copysign(np.inf, fine))
    return coarse if abs(coarse - fine) <= 1e-2 * max(abs(coarse), abs(fine)) else fine


@record
class Limit:
    """What an output that is not finite is like on both sides of an entry of a leaf.

    Attributes:
        value: what it tends to.
        slope: with which slope.
    """

    value: float
    slope: float

    @property
    def says(self) -> str:
        """The sentence of a finding."""
        value, slope = _rounded(self.value), _rounded(self.slope)
        return f"On both sides of it the value tends to {value}, with slope {slope}."


def beside(evidence: Evidence, name: str, entry: Entry, output: Place) -> Limit | None:
    """The limit of an output that is not finite, where it has one."""
    graph = evidence.graph
    start = evidence.problem.inputs[name].value
    if sum(node.size for node in graph.nodes) > CHEAP_ENTRIES or not np.isfinite(start[entry]):
        return None
    function = WeightedOutput(graph, {}, evidence.problem.arrays)
    direction = np.zeros(start.shape)
    direction[entry] = 1.0
    label = next(label for label, node in graph.outputs.items() if node is output.node)
    far, near = (
        [
            float(function.moved({name: direction}, sign * step)[label][output.entry])
            for sign in (-1.0, 1.0)
        ]
        for step in STEPS[:2]
    )
    if not np.isfinite([*far, *near]).all():
        return None
    values = [sum(sides) / 2 for sides in (far, near)]
    if np.ptp([*far, *near]) > 1e-3 * max(1.0, abs(values[0])):
        return None
    slope, closer = (
        (right - left) / (2 * step)
        for (left, right), step in zip((far, near), STEPS[:2], strict=True)
    )
    if abs(slope - closer) > 1e-2 * max(1.0, abs(slope)):
        return None
    return Limit(values[0], slope)
