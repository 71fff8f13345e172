"""The numbers that an entry was computed from, and the operation written with them: `log(0)`."""

from __future__ import annotations

from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.blame import Place
from vjpcli.explanation.findings.entries import is_entrywise, projected
from vjpcli.explanation.findings.wording import factor, number
from vjpcli.graph.node import Node


def operand_values(evidence: Evidence, place: Place) -> tuple[float, ...]:
    """What an entry of an entry-wise operation was computed from; () for other operations."""
    if not is_entrywise(place.node):
        return ()
    return tuple(
        float(evidence.values[operand][projected(place.entry, operand.shape)])
        for operand in place.node.operands
    )


def written_with(node: Node, operands: tuple[float, ...]) -> str:
    """The operation with numbers in place of its operands: `log(0)`, `(-2)**0.5`, `3/0`."""
    infix = node.operation.infix
    if infix and len(operands) == 2:
        gap = "" if infix in ("*", "**", "/") else " "
        return f"{factor(operands[0])}{gap}{infix}{gap}{factor(operands[1])}"
    if infix and len(operands) == 1:
        return f"{infix}{factor(operands[0])}"
    return f"{node.operation.name}({', '.join(map(number, operands))})"
