"""One-sided slopes of the whole program at an entry of a leaf, by differences that use no rule."""

from __future__ import annotations

from typing import Literal

import numpy as np

from vjpcli.engine.differences import WeightedOutput, slope, steps_for, unit_direction
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.telling import Position
from vjpcli.record import record

RUNS_OF_NODES = 20_000
"""Node evaluations that the slopes of one explanation may cost."""

EVALUATIONS = 17
"""Evaluations that one slope takes at most."""

AGREES = 1e-3
LARGEST_GRAPH = 1_000_000
"""Entries over all nodes up to which difference quotients are formed."""

Verdict = Literal["right", "wrong", "kink", "unclear"]


@record
class Sides:
    """The slopes on both sides of a point, and what they say of the gradient there."""

    left: float
    right: float
    verdict: Verdict


class OneSided:
    """Forms one-sided slopes until its budget of evaluations is spent."""

    def __init__(self, evidence: Evidence) -> None:
        seeds = {one.output: one.value for one in evidence.one_pass if one.value is not None}
        self.function = WeightedOutput(evidence.graph, seeds, evidence.problem.arrays)
        nodes = max(1, len(evidence.graph.nodes))
        entries = sum(node.size for node in evidence.graph.nodes)
        self.budget = RUNS_OF_NODES // nodes if entries <= LARGEST_GRAPH else 0
        self.known: dict[tuple[str, Position], Sides] = {}

    def at(self, leaf: str, index: Position, gradient: float) -> Sides:
        """The slopes beside `leaf[index]`, where the backward pass says `gradient`."""
        key = (leaf, index)
        if key not in self.known:
            self.known[key] = self._at(leaf, index, gradient)
        return self.known[key]

    def _at(self, leaf: str, index: Position, gradient: float) -> Sides:
        if self.function.evaluations + EVALUATIONS > self.budget:
            return Sides(np.nan, np.nan, "unclear")
        values = self.function.values
        direction = unit_direction(values, leaf, index)
        found = slope(self.function, direction, steps_for(float(values[leaf][index])))
        left, right = found.left, found.right
        if found.jump or not np.isfinite([left, right, found.value]).all():
            return Sides(left, right, "unclear")
        scale = max(abs(left), abs(right), abs(gradient))
        if found.kink:
            return Sides(left, right, "kink")
        if found.error > 0.1 * scale:
            return Sides(left, right, "right" if scale <= 1e-9 else "unclear")
        wrong = abs(found.value - gradient) > 10 * (AGREES * scale + found.error)
        return Sides(left, right, "wrong" if wrong else "right")
