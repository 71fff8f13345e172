"""The graph in DOT, the language of Graphviz: `vjp explain ... --dot | dot -Tsvg > graph.svg`."""

from __future__ import annotations

from collections.abc import Iterator

from vjpcli.explanation.model import Array, Explanation, Step
from vjpcli.render.backward import step_label
from vjpcli.render.glyphs import pretty_formula, printable
from vjpcli.render.graph import kind_words
from vjpcli.render.numbers import DEFAULT_DIGITS, format_count, format_number

_MOST_ENTRIES = 6


def render_dot(
    explanation: Explanation, *, digits: int = DEFAULT_DIGITS, ascii_only: bool = False
) -> str:
    """The graph as text: a node for each step, an edge from each operand to its reader.

    Nodes show name, shape, value and adjoint; edges the slope and what is sent back.
    """

    def label(*lines: str) -> str:
        texts = [printable(line, ascii_only) for line in lines if line]
        escaped = [text.replace("\\", "\\\\").replace('"', '\\"') for text in texts]
        return '"' + "\\n".join(escaped) + '"'

    def node(step: Step) -> str:
        adjoint = "" if step.adjoint is None else f"adjoint  {_entries(step.adjoint, digits)}"
        text = label(
            step_label(explanation, step),
            kind_words(step),
            f"value  {_entries(step.value, digits)}",
            adjoint,
        )
        return f"label={text}{_style(step)}"

    def lines() -> Iterator[str]:
        yield f"digraph {label(explanation.expression)} {{"
        yield "  rankdir=TB;"
        yield '  node [shape=box, fontname="monospace"];'
        yield '  edge [fontname="monospace"];'
        for number, step in enumerate(explanation.steps):
            yield f"  n{number} [{node(step)}];"
        for edge in explanation.edges:
            sent = "" if edge.sent is None else _entries(edge.sent, digits)
            text = label(pretty_formula(edge.how, ascii_only), sent)
            style = ", style=dashed" if edge.sent is None else ""
            yield f"  n{edge.source} -> n{edge.target} [label={text}{style}];"
        yield "}"

    return "\n".join(lines())


def _style(step: Step) -> str:
    if step.operation == "leaf":
        return ", style=rounded"
    return ', style="rounded,dashed"' if step.operation == "data" else ""


def _entries(array: Array, digits: int) -> str:
    """`1  2  3`, in row-major order; the first few of many and their count."""
    flat = array.reshape(-1)
    shown = [format_number(value, digits) for value in flat[:_MOST_ENTRIES]]
    more = flat.size - len(shown)
    return "  ".join([*shown, f"… {format_count(more)} more"] if more else shown) or "(empty)"
