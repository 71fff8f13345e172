"""A vector that met a column: (N,) and (N, 1) make (N, N), which is rarely meant.

Every entry meets every entry, where each should have met its own. Silent where the axis was made
on purpose (`t[:, None]`, reshape, keepdims), where both operands are 2-D, and where both come
from the same input (all pairs of its entries).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.errors import Diagnostic, Fix, Source, Span, VjpError
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.telling import Array, finding
from vjpcli.explanation.findings.wording import number, numbers, words_of
from vjpcli.explanation.problem import Problem, pose
from vjpcli.graph.node import Graph, Node, ancestors
from vjpcli.graph.operation import leaf
from vjpcli.graph.shapes import shape_text
from vjpcli.parser.syntax import Binary, Call, Expression, Name, Unary, postorder
from vjpcli.parser.values import GivenValue
from vjpcli.record import record

PAIRING = {
    *("add", "subtract", "multiply", "divide"),
    *("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"),
}
AXIS_MAKERS = {"expand_dims", "reshape", "atleast_2d", "matrix_transpose", "permute"}
SHOWN_ENTRIES = 6
LARGEST_FIX = 1_000_000
"""Entries of the graph up to which the corrected program is run."""


@record
class Corrected:
    """A corrected program that was run.

    Attributes:
        value: of its output.
        gradients: leaf -> gradient; empty where a seed would be needed.
    """

    value: Array
    gradients: Mapping[str, Array]


def find(evidence: Evidence) -> list[Diagnostic]:
    """The finding broadcast-pairs, once for each place in the text."""
    seen: set[Span | None] = set()
    found = []
    for node in evidence.graph.nodes:
        if node.operation.name not in PAIRING or len(node.shape) != 2 or node.span in seen:
            continue
        pair = _accidental_pair(node)
        if pair is not None:
            seen.add(node.span)
            found.append(_broadcast_pairs(evidence, node, *pair))
    return found


def _accidental_pair(node: Node) -> tuple[Node, Node] | None:
    """The column and the vector that `node` paired, if nothing says that it was meant."""
    a, b = node.operands
    column, vector = (a, b) if a.ndim == 2 else (b, a)
    count = column.shape[0] if column.ndim == 2 else 0
    if count < 2 or column.shape != (count, 1) or vector.shape != (count,):
        return None
    behind_column, behind_vector = _inputs(column), _inputs(vector)
    if not behind_column or not behind_vector or behind_column & behind_vector:
        return None
    return None if _made_on_purpose(column) else (column, vector)


def _inputs(node: Node) -> set[Node]:
    return {one for one in ancestors([node]) if one.operation is leaf}


def _made_on_purpose(column: Node) -> bool:
    """Whether an operation on the way gave the column its axis of length 1."""
    pending, seen = [column], {column}
    while pending:
        node = pending.pop()
        if node.operation.name in AXIS_MAKERS or node.static.get("keepdims"):
            return True
        if node.operation.name == "index":
            return True
        for operand in node.operands:
            if operand.shape == column.shape and operand not in seen:
                seen.add(operand)
                pending.append(operand)
    return False


def _broadcast_pairs(evidence: Evidence, node: Node, column: Node, vector: Node) -> Diagnostic:
    named = [one.static["name"] for one in (column, vector) if one.operation is leaf]
    leaves = [name for name in named if name in evidence.problem.leaves]
    texts = _texts(evidence.problem, node, column, vector)
    column_text, vector_text = texts or (words_of(evidence, column), words_of(evidence, vector))
    count = column.shape[0]
    fix = _fix(evidence, node, column, vector)
    value = evidence.problem.outputs[-1].value
    numbers = [("value", float(value))] if value.ndim == 0 else []
    if fix is not None and numbers and fix[1].value.ndim == 0:
        numbers.append(("value as corrected", float(fix[1].value)))
    return finding(
        evidence,
        "broadcast-pairs",
        f"{column_text} has shape {shape_text(column.shape)} and {vector_text} has "
        f"{shape_text(vector.shape)}: together they make {shape_text(node.shape)}, every entry "
        "of one against every entry of the other",
        "warning",
        places=[(node, f"makes {count}×{count}")],
        leaf=leaves[0] if leaves else None,
        numbers=numbers,
        notes=("axes are matched from the last one, so a vector counts as a row",),
        fix=None if fix is None else fix[0],
    )


# The corrected program, run.


def _written_pair(problem: Problem, node: Node) -> tuple[Expression, Expression] | None:
    """The two expressions that stand for the node's operands in the text."""
    for statement in problem.program.statements:
        for part in postorder(statement.value):
            if part.span != node.span:
                continue
            if isinstance(part, Binary):
                return part.left, part.right
            if isinstance(part, Call) and len(part.arguments) >= 2:
                return part.arguments[0], part.arguments[1]
    return None


def _texts(problem: Problem, node: Node, column: Node, vector: Node) -> tuple[str, str] | None:
    """The user's own words for the column and the vector, where a leaf tells which is which."""
    pair = _ordered_pair(problem, node, column, vector)
    if pair is None:
        return None
    text = problem.program.source.text
    first, second = (text[part.span.start : part.span.end] for part in pair)
    return first, second


def _ordered_pair(
    problem: Problem, node: Node, column: Node, vector: Node
) -> tuple[Expression, Expression] | None:
    """The expressions of the column and of the vector."""
    pair = _written_pair(problem, node)
    if pair is None:
        return None
    for part, other in (pair, pair[::-1]):
        if _stands_for(problem, part, column) or _stands_for(problem, other, vector):
            return part, other
    return pair if node.operands[0] is column else pair[::-1]


def _stands_for(problem: Problem, part: Expression, node: Node) -> bool:
    if isinstance(part, Name):
        return problem.graph.inputs.get(part.identifier) is node
    return node.span == part.span


def _fix(
    evidence: Evidence, node: Node, column: Node, vector: Node
) -> tuple[Fix, Corrected] | None:
    """The program with the vector made a column, or else the column made a vector."""
    problem = evidence.problem
    pair = _ordered_pair(problem, node, column, vector)
    if pair is None or sum(one.size for one in problem.graph.nodes) > LARGEST_FIX:
        return None
    for part, ending in ((pair[1], "[:, None]"), (pair[0], "[:, 0]")):
        text = _with_ending(problem.program.source.text, part, ending)
        corrected = _run(problem, text)
        if corrected is not None:
            says = _says(corrected)
            return Fix(text=text, replaces=problem.program.source.text, says=says), corrected
    return None


def _with_ending(text: str, part: Expression, ending: str) -> str:
    start, end = part.span.start, part.span.end
    own = text[start:end]
    if isinstance(part, Binary | Unary):
        if re.search(r"(^|[^\w\s])\s*\($", text[:start]) and text[end : end + 1] == ")":
            end += 1  # it stands in brackets of its own
            own += ")"
        else:
            own = f"({own})"
    return text[:start] + own + ending + text[end:]


def _run(problem: Problem, text: str) -> Corrected | None:
    """The corrected program on the same values; None where it does not run."""
    given = {
        name: GivenValue(
            name, value.value.astype(np.float64), "given", "", None, Source(name), Span(0, 0)
        )
        for name, value in problem.inputs.items()
    }
    settings = replace(problem.settings, wrt=problem.leaves)
    try:
        fixed = pose(text, given, loss=problem.loss, settings=settings)
    except VjpError:
        return None
    output = fixed.outputs[-1]
    if output.value.size != 1:
        return Corrected(output.value, {})
    graph: Graph = fixed.restricted_to([output.name])
    reverse = backward(graph, fixed.leaves, like=fixed.settings.like)
    seed = {seed_name(one.output): one.value for one in fixed.passes[0] if one.value is not None}
    results = evaluate(reverse.graph, {**fixed.arrays, **seed}, fixed.settings.dtype)
    gradients = {name: results[one] for name, one in reverse.graph.outputs.items()}
    return Corrected(output.value, gradients)


def _says(corrected: Corrected) -> str:
    """`→ 0, p.grad = 0  0  0`, or the new shape."""
    if corrected.value.size != 1:
        return f"→ shape {shape_text(corrected.value.shape)}"
    parts = [number(float(corrected.value.reshape(())))]
    parts += [
        f"{name}.grad = {numbers(gradient)}"
        for name, gradient in corrected.gradients.items()
        if gradient.size <= SHOWN_ENTRIES
    ]
    return f"→ {', '.join(parts)}"
