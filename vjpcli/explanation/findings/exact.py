"""Numbers that vanished beside larger ones, and the gradient that they should have given.

In 1 + x with x = 1e-20 nothing is left of x, nor in any wider format of the machine. Whether
that matters is asked of the formula: SymPy differentiates it and evaluates the derivative with
as many digits as it takes. That is slow, so it is asked only where something vanished, and only
of small programs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.backward import Contribution
from vjpcli.engine.freezing import STOPS
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.kink_hits import hits
from vjpcli.graph.node import Node
from vjpcli.graph.operation import constant, leaf
from vjpcli.record import record

Array = NDArray[Any]

LARGEST_WORK = 2_000
"""Entries of the Jacobian times the length of an entry's formula."""

SECONDS = 1.0

MANY_DIGITS = (150, 300)
"""Digits with which a formula is evaluated: where both agree, enough of them survived."""

AGREES = 1e-12

SMALLEST = 1e-300
"""What is smaller may be an underflow, which is another matter."""


@record
class Culprit:
    """The step at which digits were lost, at its worst entry.

    Attributes:
        code: "cancellation" or "absorption".
        node: the sum or difference.
        small, large: |result| and |operand| of a cancellation; |lost| and |kept| of an absorption.
    """

    code: str
    node: Node
    small: float
    large: float


def vanished(evidence: Evidence) -> Culprit | None:
    """The first sum in which a number was lost as a whole, or difference that rounded to 0."""
    for node in evidence.graph.nodes:
        if node.operation.name not in ("add", "subtract") or node.span is None:
            continue
        if evidence.adjoint(node) is None:
            continue
        found = _absorbed(evidence, node) or _cancelled(evidence, node)
        if found is not None:
            return found
    return None


def _absorbed(evidence: Evidence, node: Node) -> Culprit | None:
    first, second = np.broadcast_arrays(*(evidence.values[one] for one in node.operands))
    small = np.minimum(np.abs(first), np.abs(second))
    large = np.maximum(np.abs(first), np.abs(second))
    lost = (np.abs(evidence.values[node]) == large) & (small > SMALLEST)
    if not lost.any():
        return None
    place = np.unravel_index(int(np.argmax(lost)), lost.shape)
    return Culprit("absorption", node, float(small[place]), float(large[place]))


def _cancelled(evidence: Evidence, node: Node) -> Culprit | None:
    """A difference of 0 between numbers that were rounded: 1 - cos(1e-10)."""
    exact = (leaf, constant)
    if all(operand.operation in exact for operand in node.operands):
        return None
    large = np.abs(evidence.values[node.operands[0]])
    zero, large = np.broadcast_arrays(evidence.values[node] == 0, large)
    if not (zero & (large > 0)).any():
        return None
    place = np.unravel_index(int(np.argmax(zero & (large > 0))), zero.shape)
    return Culprit("cancellation", node, 0.0, float(large[place]))


def exact_gradients(evidence: Evidence) -> dict[str, Array] | None:
    """The gradients by formula, to the last digit; None where it is missing or too long."""
    from vjpcli.engine.symbolic import derivatives, tree_size  # noqa: PLC0415  (SymPy)

    graph, arrays = evidence.graph, evidence.problem.arrays
    if any(node.kind != "real" or node.operation.name in STOPS for node in graph.nodes):
        return None
    if hits(evidence):
        return None  # at a kink a formula takes another slope by convention
    seeds = {one.output: one.value for one in evidence.one_pass if one.value is not None}
    leaves = [name for name in evidence.problem.leaves if name in evidence.reverse.graph.outputs]
    entries = sum(graph.inputs[name].size for name in leaves)
    work = sum(
        entries * graph.outputs[name].size * tree_size(graph.outputs[name]) for name in seeds
    )
    if work > LARGEST_WORK:
        return None
    found = {}
    try:
        for name in leaves:
            total = np.zeros(graph.inputs[name].shape)
            for output, seed in seeds.items():
                less, more = (
                    derivatives(graph, graph.outputs[output], name, arrays, SECONDS, digits)
                    for digits in MANY_DIGITS
                )
                if not np.allclose(less, more, rtol=AGREES, atol=0.0):
                    return None
                total = total + np.tensordot(seed, more, axes=seed.ndim)
            found[name] = total
    except (NotImplementedError, ArithmeticError, TypeError, ValueError, AttributeError):
        return None
    return found


def noise_of_sums(evidence: Evidence, leaf: str) -> float:
    """How large the numbers are whose rounding can show in a gradient; ∞ where unknown.

    A product keeps its relative error. Only where contributions of several readers cancel does
    rounding grow, by as much as they are larger than their sum.
    """
    for one in evidence.reverse.contributions:
        if one.reader.operation.pattern not in ("elementwise", "reduction", "movement"):
            return np.inf
    growth = 1.0
    for arrived in evidence.received.values():
        adjoint = evidence.adjoint(arrived[0].operand)
        if len(arrived) < 2 or adjoint is None:
            continue
        left = float(np.max(np.abs(adjoint), initial=0.0))
        growth = max(growth, _largest(evidence, arrived) / left if left else np.inf)
    return growth * _largest(evidence, evidence.received.get(evidence.graph.inputs[leaf], []))


def _largest(evidence: Evidence, arrived: list[Contribution]) -> float:
    sizes = [np.max(np.abs(evidence.values[one.fitted]), initial=0.0) for one in arrived]
    return float(max(sizes, default=0.0))
