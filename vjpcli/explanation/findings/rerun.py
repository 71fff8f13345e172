"""What the gradients would be if a contribution of the backward pass were another number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.backward import seed_name
from vjpcli.explanation.evidence import Evidence
from vjpcli.graph.node import Node
from vjpcli.graph.operation import compute

Array = NDArray[Any]


def inputs_of(evidence: Evidence) -> dict[str, Array]:
    """The arrays of every input of the backward graph: the program's own, and the seeds."""
    seeds = {
        seed_name(seed.output): seed.value for seed in evidence.one_pass if seed.value is not None
    }
    return {**evidence.problem.arrays, **seeds}


def pass_gradients(evidence: Evidence) -> dict[str, Array]:
    """Leaf -> gradient of this pass alone."""
    return {leaf: evidence.values[node] for leaf, node in evidence.reverse.graph.outputs.items()}


def gradients_with(evidence: Evidence, instead: Mapping[Node, Array]) -> dict[str, Array]:
    """The gradients of this pass with the values of some backward nodes replaced.

    Only what the replaced nodes reach is computed again.
    """
    outputs = evidence.reverse.graph.outputs
    changed: set[Node] = set(instead)
    for node in evidence.reverse.graph.nodes:
        if not changed.isdisjoint(node.operands):
            changed.add(node)
    results: dict[Node, Array] = dict(instead)
    inputs, dtype = inputs_of(evidence), evidence.problem.settings.dtype
    with np.errstate(all="ignore"):
        for node in _missing(evidence, set(outputs.values()), changed, instead):
            operands = [
                results[operand] if operand in results else evidence.values[operand]
                for operand in node.operands
            ]
            results[node] = compute(node, operands, inputs, dtype)
    return {
        leaf: results[node] if node in results else evidence.values[node]
        for leaf, node in outputs.items()
    }


def computed(evidence: Evidence, wanted: set[Node]) -> dict[Node, Array]:
    """The values of new nodes that were built on those of the pass."""
    results: dict[Node, Array] = {}
    inputs, dtype = inputs_of(evidence), evidence.problem.settings.dtype
    with np.errstate(all="ignore"):
        for node in _missing(evidence, wanted, set(), {}):
            operands = [
                results[operand] if operand in results else evidence.values[operand]
                for operand in node.operands
            ]
            results[node] = compute(node, operands, inputs, dtype)
    return {node: results[node] if node in results else evidence.values[node] for node in wanted}


def _missing(
    evidence: Evidence, wanted: set[Node], changed: set[Node], instead: Mapping[Node, Array]
) -> list[Node]:
    """The nodes that must be computed to know `wanted`, in order."""
    found: set[Node] = set()
    pending = list(wanted)
    while pending:
        node = pending.pop()
        known = node in instead or (node in evidence.values and node not in changed)
        if node not in found and not known:
            found.add(node)
            pending.extend(node.operands)
    return sorted(found, key=lambda node: node.serial)
