"""Why a second derivative is nan or infinite: the step whose slope has no slope of its own.

The gradient is the output of a graph like any other, so what went wrong is followed there as it
is in a gradient. The steps of that graph belong to rules; each is told as the step of the
program whose rule it belongs to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.backward import Backward, backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.errors import Diagnostic
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.blame import HandOver, blame_gradient
from vjpcli.explanation.findings.entries import Entry, first_entry, not_finite
from vjpcli.explanation.findings.slopes import local_slope
from vjpcli.explanation.findings.telling import finding
from vjpcli.explanation.findings.wording import entry_name, number, step_text
from vjpcli.explanation.problem import Problem
from vjpcli.graph.node import Graph, Node

Array = NDArray[Any]

LARGEST = 200_000
"""Entries over all nodes up to which the reason is looked for: it keeps every number."""


def hessian_findings(
    problem: Problem, blocks: Mapping[str, Mapping[str, Array]]
) -> tuple[Diagnostic, ...]:
    """Finding hessian-not-finite, about the first second derivative that is nan or infinite."""
    for row, line in blocks.items():
        for column, block in line.items():
            bad = not_finite(block)
            place = first_entry(bad)
            if place is not None:
                count = sum(int(not_finite(b).sum()) for r in blocks.values() for b in r.values())
                total = sum(b.size for r in blocks.values() for b in r.values())
                value = float(block[place])
                return (_Told(problem, row, column, place).diagnostic(value, count, total),)
    return ()


class _Told:
    """One entry of a Hessian and the graphs that gave it."""

    def __init__(self, problem: Problem, row: str, column: str, place: Entry) -> None:
        output = problem.outputs[-1]
        self.problem, self.row, self.column = problem, row, column
        rank = problem.inputs[row].value.ndim
        self.at, self.by = place[:rank], place[rank:]
        self.forward = problem.restricted_to([output.name])
        self.first: Backward = backward(self.forward, problem.leaves, like=problem.settings.like)
        gradient = self.first.graph.outputs[row]
        self.graph = Graph.reaching({row: gradient}, self.first.graph.inputs)
        self.second = backward(self.graph, [column], like=problem.settings.like)
        self.inputs = {**problem.arrays, seed_name(output.name): np.ones(output.value.shape)}

    def diagnostic(self, value: float, count: int, total: int) -> Diagnostic:
        """The finding."""
        evidence = self._evidence()
        name = self.problem.outputs[-1].name
        one, other = entry_name(self.row, self.at), entry_name(self.column, self.by)
        variables = f"∂{one}²" if one == other else f"∂{one}∂{other}"
        why, culprit = "", None
        if evidence is not None:
            why, culprit = self._reason(evidence)
        return finding(
            evidence or self._without_numbers(),
            "hessian-not-finite",
            f"∂²{name}/{variables} is {number(value)}{why}",
            "warning",
            places=() if culprit is None else [(culprit, "its slope has no finite slope here")],
            leaf=self.column,
            index=self.by,
            numbers=[("second derivative", value)],
            notes=(f"{count:,} of {total:,} second derivatives are not finite",),
        )

    def _reason(self, evidence: Evidence) -> tuple[str, Node | None]:
        gradient = float(evidence.values[self.first.graph.outputs[self.row]][self.at])
        if not np.isfinite(gradient):
            shown = entry_name(f"{self.row}.grad", self.at)
            return f": {shown} is {number(gradient)} already, and vjp explain says why", None
        blame = blame_gradient(evidence, self.graph.inputs[self.column], self.by)
        if blame is None:
            return "", None
        culprit = self._step_of(blame.birth)
        text = step_text(evidence, culprit)
        slope = local_slope(evidence, blame.birth)
        meets = ""
        if slope is not None and not np.isfinite(slope.value):
            meets = f" (it meets {slope.says})"
        return f": the slope of {text} has no finite slope of its own here{meets}", culprit

    def _step_of(self, birth: HandOver) -> Node:
        """The step of the program whose rule made the node at which it went wrong.

        The rules were written out one after the other, so their nodes are in that order.
        """
        serial = birth.one.reader.serial
        for contribution in self.first.contributions:
            if contribution.fitted.serial >= serial:
                inside = serial > max(node.serial for node in self.forward.nodes)
                return contribution.reader if inside else birth.one.reader
        return birth.one.reader

    def _evidence(self) -> Evidence | None:
        nodes = (*self.graph.nodes, *self.second.graph.nodes)
        if sum(node.size for node in nodes) > LARGEST:
            return None
        kept = {str(node.serial): node for one in self.second.contributions for node in one[3:5]}
        kept |= {str(node.serial): node for node in self.second.adjoints.values()}
        kept |= {str(node.serial): node for node in self.graph.nodes}
        whole = Graph.reaching(kept, self.second.graph.inputs)
        only_here = np.zeros(self.problem.inputs[self.row].value.shape)
        only_here[self.at] = 1.0
        inputs = {**self.inputs, seed_name(self.row): only_here}
        values = evaluate(whole, inputs, self.problem.settings.dtype, keep=True)
        return Evidence(self.problem, self.graph, (), self.second, values, {}, {}, {})

    def _without_numbers(self) -> Evidence:
        return Evidence(self.problem, self.graph, (), self.second, {}, {}, {}, {})
