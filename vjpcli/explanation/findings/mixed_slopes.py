"""The slope of one entry of a mixing operation (a matrix product, a softmax) to one it reads.

The operation's own rule is run on an adjoint that is 1 at that entry and 0 elsewhere. What the
entry does not read is kept from spoiling the number: a 0 of that adjoint times a nan elsewhere
would be nan.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vjpcli.engine.backward import fit, local_contributions
from vjpcli.engine.evaluate import evaluate
from vjpcli.errors import VjpError
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.entries import Array, Entry, not_finite, read_by
from vjpcli.graph.node import Graph, Node
from vjpcli.graph.operation import constant, make_leaf
from vjpcli.record import record

LARGEST = 300_000
"""Entries of a step and its operands up to which its rule is run once more for one entry."""

SLOW = {
    "determinant", "matrix_function", "orthogonal", "singular", "solving", "symmetric", "matrix",
}  # fmt: skip
"""Families whose rules take longer than their entries suggest."""

LARGEST_OF_SLOW = 20_000

HARMLESS = 0.5
"""Takes the place of a number that is not finite and is not read."""


@record
class MixedSlope:
    """A slope with the run of the rule that gave it.

    Attributes:
        value: the slope.
        graph: the rule's nodes.
        values: node -> what it was.
        contribution: the node of `graph` whose entry is the slope.
    """

    value: float
    graph: Graph
    values: Mapping[Node, Array]
    contribution: Node


def mixed_slope(
    evidence: Evidence, reader: Node, position: int, at: Entry, to: Entry
) -> MixedSlope | None:
    """∂reader[at]/∂operand[to]; None where the rule cannot be run for one entry alone."""
    largest = LARGEST_OF_SLOW if reader.operation.family in SLOW else LARGEST
    if reader.size + sum(operand.size for operand in reader.operands) > largest:
        return None
    operands = tuple(
        make_leaf(f"operand {place}", operand.shape)
        if operand.kind == "real"
        else Node(constant, (), {"value": evidence.values[operand]}, operand.shape, operand.kind)
        for place, operand in enumerate(reader.operands)
    )
    values = {
        f"operand {place}": _as_read(evidence, reader, place, at)
        for place, operand in enumerate(reader.operands)
        if operand.kind == "real"
    }
    here = Node(reader.operation, operands, reader.static, reader.shape, reader.kind, span=None)
    adjoint = make_leaf("adjoint", reader.shape)
    try:
        local = local_contributions(adjoint, here, evidence.problem.settings.like)[position]
        if local is None:
            return None
        contribution = fit(local, reader.operands[position].shape, ())
        names = {name: node for node in operands if (name := node.static.get("name")) in values}
        graph = Graph.reaching({"slope": contribution}, {**names, "adjoint": adjoint})
        only_here = np.zeros(reader.shape)
        only_here[at] = 1.0
        dtype = evidence.problem.settings.dtype
        results = evaluate(graph, {**values, "adjoint": only_here}, dtype, keep=True)
    except (VjpError, ArithmeticError, ValueError, np.linalg.LinAlgError):
        return None
    return MixedSlope(float(results[contribution][to]), graph, results, contribution)


def _as_read(evidence: Evidence, reader: Node, position: int, at: Entry) -> Array:
    """An operand without what `reader[at]` does not read of it and is not finite."""
    value = evidence.values[reader.operands[position]]
    bad = not_finite(value)
    if not bad.any():
        return value
    reads = read_by(reader, position, at, evidence)
    return value if reads is None else np.where(bad & ~reads, HARMLESS, value)
