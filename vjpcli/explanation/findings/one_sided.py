"""One-sided slopes of the whole program at an entry of a leaf, by differences that use no rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from vjpcli.engine.differences import RUNS_OF_NODES, WeightedOutput
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.telling import Position

STEPS = (1e-6, 1e-6 / 16)
"""Relative steps: a slope is the same for both, a jump grows as the step shrinks."""

AGREES = 1e-3
LARGEST_GRAPH = 1_000_000
"""Entries over all nodes up to which difference quotients are formed."""

Verdict = Literal["right", "wrong", "kink", "unclear"]


@dataclass(frozen=True, slots=True)
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
        if self.function.evaluations + 3 * len(STEPS) > self.budget:
            return Sides(np.nan, np.nan, "unclear")
        here = self.function.values[leaf]
        direction = np.zeros(here.shape)
        direction[index] = 1.0
        size = max(1.0, abs(float(here[index])))
        quotients = [
            self.function.quotient({leaf: direction}, step * size, sides=True) for step in STEPS
        ]
        left, right = quotients[0].left, quotients[0].right
        scale = max(abs(left), abs(right), abs(gradient))
        margin = AGREES * scale + 2 * quotients[-1].noise
        steady = all(
            abs(one.left - left) <= margin and abs(one.right - right) <= margin for one in quotients
        )
        if not steady or not np.isfinite([left, right]).all() or margin > 0.1 * scale:
            nothing = scale <= 1e-9
            return Sides(left, right, "right" if nothing else "unclear")
        if abs(left - right) > 2 * margin:
            return Sides(left, right, "kink")
        wrong = abs(0.5 * (left + right) - gradient) > 10 * margin
        return Sides(left, right, "wrong" if wrong else "right")
