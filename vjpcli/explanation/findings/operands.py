"""The numbers that an entry was computed from, and the operation written with them: `log(0)`."""

from __future__ import annotations

from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.blame import Place
from vjpcli.explanation.findings.entries import is_entrywise, projected
from vjpcli.explanation.findings.wording import factor, number
from vjpcli.graph.node import Node
from vjpcli.graph.operation import leaf


def operand_values(evidence: Evidence, place: Place) -> tuple[float, ...]:
    """What an entry of an entry-wise operation was computed from; () for other operations."""
    if not is_entrywise(place.node):
        return ()
    return tuple(
        float(evidence.values[operand][projected(place.entry, operand.shape)])
        for operand in place.node.operands
    )


def share_a_leaf(one: Node, other: Node) -> bool:
    """Whether both move with the same input, so that neither of them is a mask for the other.

    A comparison does not move: x > 0 may mask a function of x.
    """
    return not _moved_by(one).isdisjoint(_moved_by(other))


def _moved_by(node: Node) -> set[Node]:
    """The inputs on which a node depends by way of numbers, not of decisions."""
    found: set[Node] = set()
    seen = {node}
    pending = [node]
    while pending:
        here = pending.pop()
        if here.operation is leaf:
            found.add(here)
        if here.kind != "real" or here.operation.flat:
            continue
        for operand in here.operands:
            if operand.kind == "real" and operand not in seen:
                seen.add(operand)
                pending.append(operand)
    return found


def written_with(node: Node, operands: tuple[float, ...]) -> str:
    """The operation with numbers in place of its operands: `log(0)`, `(-2)**0.5`, `3/0`."""
    infix = node.operation.infix
    if infix and len(operands) == 2:
        gap = "" if infix in ("*", "**", "/") else " "
        return f"{factor(operands[0])}{gap}{infix}{gap}{factor(operands[1])}"
    if infix and len(operands) == 1:
        return f"{infix}{factor(operands[0])}"
    return f"{node.operation.name}({', '.join(map(number, operands))})"
