"""The graph with its numbers as a list that is read from the inputs to the output.

Each node has its value, its shape and its adjoint; under it stand its edges, to what it reads,
with the slope on each and what it sends back. No program that draws graphs is needed.
"""

from __future__ import annotations

from vjpcli.explanation.model import Edge, Explanation, Step
from vjpcli.render.backward import labelled, step_label
from vjpcli.render.numbers import format_count, format_shape
from vjpcli.render.page import Line, Page, line_width, padded, spaces
from vjpcli.render.picture import row_lines
from vjpcli.render.selection import select, with_gaps
from vjpcli.render.source_text import folded

_MOST_NODES = 100
_EDGE = 4
_LONGEST_HOW = 40


def graph_lines(explanation: Explanation, page: Page) -> list[Line]:
    """The nodes in order, inputs first, each with its edges."""
    steps = explanation.steps
    if not steps:
        return page.paragraph(f"No graph to show: {why_no_steps(explanation)}.", "faint")
    lines = page.paragraph(
        "Graph, from the inputs to the output; ↑ is an edge to an operand, with the slope on it "
        "and what it sends back:",
        "strong",
    )
    edges: dict[int, list[Edge]] = {}
    for edge in explanation.edges:
        edges.setdefault(edge.target, []).append(edge)
    shown = select(len(steps), _MOST_NODES)
    for position in with_gaps(shown, len(steps)):
        if position is None:
            more = format_count(len(steps) - len(shown))
            lines.append(page.line(f"⋯ {more} more nodes (--dot and --json have all)", "faint"))
            continue
        lines += _node(explanation, page, steps[position])
        lines += _edges(explanation, page, edges.get(position, []))
    return lines


def why_no_steps(explanation: Explanation) -> str:
    """Why an explanation has no steps, and so no graph."""
    if any(seed.value is None for one_pass in explanation.passes for seed in one_pass):
        return "--seed each stands for many backward passes; give one seed"
    return f"{format_count(explanation.node_count)} nodes are too many"


def kind_words(step: Step) -> str:
    """`leaf, [2]`, `data, 2×3`, `[2]`."""
    kind = {"leaf": "leaf, ", "data": "data, "}.get(step.operation, "")
    return kind + format_shape(step.value.shape)


def _node(explanation: Explanation, page: Page, step: Step) -> list[Line]:
    parts = folded(step_label(explanation, step), max(20, page.room - 8), 6)
    head: Line = (spaces(2), page.piece(parts[0], "strong"), spaces(3))
    lines = page.wrapped((*head, page.piece(kind_words(step), "faint")), hanging=_EDGE)
    lines += [page.line(part, "strong", indent=_EDGE) for part in parts[1:]]
    lines += labelled(page, "value", step.value, indent=_EDGE)
    if step.adjoint is not None:
        lines += labelled(page, "adjoint", step.adjoint, indent=_EDGE)
    return lines


def _edges(explanation: Explanation, page: Page, edges: list[Edge]) -> list[Line]:
    """`↑ a  × b  3  4`, the names and the slopes of one node's edges in columns."""
    names = [page.piece(f"↑ {explanation.steps[edge.source].name}") for edge in edges]
    hows = [page.formula(edge.how) for edge in edges]
    name_width = max((name.width for name in names), default=0)
    how_width = max((how.width for how in hows if how.width <= _LONGEST_HOW), default=0)
    lines: list[Line] = []
    for edge, name, how in zip(edges, names, hows, strict=True):
        head: Line = (spaces(_EDGE), *padded(name, name_width), spaces(2))
        if edge.sent is None:
            text = how if edge.how else page.piece("no gradient", "faint")
            lines += page.wrapped((*head, text), hanging=_EDGE + 2)
            continue
        wide = (*head, *padded(how, how_width), spaces(2))
        room = page.room - line_width(wide)
        if how.width > how_width or room < 12:
            lines += page.wrapped((*head, how), hanging=_EDGE + 2)
            wide = (spaces(_EDGE + name_width + 2),)
            room = max(12, page.room - line_width(wide))
        for number, part in enumerate(row_lines(edge.sent.reshape(-1), page, "gradient", room)):
            lines.append((*(wide if number == 0 else (spaces(line_width(wide)),)), *part))
    return lines
