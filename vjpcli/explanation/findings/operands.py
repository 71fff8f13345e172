"""The numbers that an entry was computed from, and the operation written with them: `log(0)`."""

from __future__ import annotations

import re

from vjpcli.errors import Span
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.blame import Place
from vjpcli.explanation.findings.entries import is_entrywise, projected
from vjpcli.explanation.findings.wording import LONGEST_TEXT, factor, last_node_at, number
from vjpcli.graph.node import Node
from vjpcli.graph.operation import constant, leaf


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


def call_with(evidence: Evidence, node: Node, operands: tuple[float, ...]) -> str:
    """The user's own call with numbers in place of its operands: `kv(2, 0)`, `ellipk(1)`.

    Operations that are written as they are named, without further arguments, have it anyway.
    """
    text = evidence.text_of(node)
    call = re.match(r"(?:\w+\.)*(\w+)\(", text)
    named = call is not None and call[1] == node.operation.name
    if call is None or node.span is None or (named and not node.static):
        return written_with(node, operands)
    if len(text) > LONGEST_TEXT or last_node_at(evidence, node) is not node:
        return written_with(node, operands)
    spans: dict[Span, float] = {}
    for operand, value in zip(node.operands, operands, strict=True):
        if operand.operation is constant:
            continue
        span = operand.span if operand.operation is not leaf else _argument(text, operand, node)
        inside = span is not None and node.span.start + call.end() <= span.start
        if span is None or not inside or span.end >= node.span.end:
            return written_with(node, operands)
        spans[span] = value
    for span, value in sorted(spans.items(), key=lambda one: -one[0].start):
        start, end = span.start - node.span.start, span.end - node.span.start
        text = f"{text[:start]}{number(value)}{text[end:]}"
    return text[call.start(1) :]


def _argument(text: str, operand: Node, reader: Node) -> Span | None:
    """Where an input stands among the arguments of a call: where it is the only place."""
    name = re.escape(operand.static["name"])
    places = list(re.finditer(rf"(?<=[(,\s]){name}(?=\s*[,)])", text))
    if len(places) != 1 or reader.span is None:
        return None
    start = reader.span.start + places[0].start()
    return Span(start, start + len(operand.static["name"]))


def written_with(node: Node, operands: tuple[float, ...]) -> str:
    """The operation with numbers in place of its operands: `log(0)`, `(-2)**0.5`, `3/0`."""
    infix = node.operation.infix
    if infix and len(operands) == 2:
        gap = "" if infix in ("*", "**", "/") else " "
        return f"{factor(operands[0])}{gap}{infix}{gap}{factor(operands[1])}"
    if infix and len(operands) == 1:
        return f"{infix}{factor(operands[0])}"
    return f"{node.operation.name}({', '.join(map(number, operands))})"
