"""Numbers, operators between values, and [...]."""

from __future__ import annotations

from typing import Any

from vjpcli.errors import Diagnostic, Label, VjpError
from vjpcli.graph.folding import fold, fold_complex, joined_tuples
from vjpcli.graph.node import written_at
from vjpcli.graph.operation import OPERATIONS
from vjpcli.graph.shapes import shape_text
from vjpcli.graph.tracer.state import PLAIN, State
from vjpcli.parser.syntax import Binary, Number, Sequence, Unary
from vjpcli.parser.walk import Done

INFIX: dict[str, str] = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "//": "floor_divide",
    "%": "remainder",
    "**": "power",
    "@": "matmul",
    "&": "logical_and",
    "|": "logical_or",
    "==": "equal",
    "!=": "not_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
}
PREFIX = {"-": "negative", "+": "positive", "~": "logical_not"}


class Operators(State):
    """Applies operators. Plain numbers stay plain."""

    def number(self, part: Number, _: Done) -> Any:
        return int(part.value) if part.whole and abs(part.value) < 2**53 else part.value

    def unary(self, part: Unary, done: Done) -> Any:
        operand = done[id(part.operand)]
        if isinstance(operand, bool) and part.operator == "~":
            return not operand
        if isinstance(operand, PLAIN) and part.operator != "~":
            return -operand if part.operator == "-" else operand
        with self.place(part, part.operator_span):
            return OPERATIONS[PREFIX[part.operator]](self.node(operand, part.operand))

    def binary(self, part: Binary, done: Done) -> Any:
        left, right = done[id(part.left)], done[id(part.right)]
        operation = OPERATIONS[INFIX[part.operator]]
        if part.operator == "@":  # two numbers have no matrix product, which it says itself
            left, right = self.node(left, part.left), self.node(right, part.right)
        if isinstance(left, int | float) and isinstance(right, int | float):
            return fold(operation.forward, left, right)
        if isinstance(left, PLAIN) and isinstance(right, PLAIN):
            folded = fold_complex(part.operator, left, right)
            if folded is not None:
                return folded
        with self.place(part, part.operator_span):
            joined = joined_tuples(part.operator, left, right)
        if joined is not None:
            return joined
        a, b = self.node(left, part.left), self.node(right, part.right)
        try:
            with written_at(part.span):
                return self.checked(operation(a, b), part.operator_span)
        except VjpError as error:
            if error.diagnostic.source is not None:
                raise
            labels = (
                Label(part.operator_span, ""),
                Label(part.left.span, shape_text(a.shape)),
                Label(part.right.span, shape_text(b.shape)),
            )
            diagnostic = error.diagnostic.at(self.source, part.operator_span)
            raise VjpError(_with_labels(diagnostic, labels)) from None

    def sequence(self, part: Sequence, done: Done) -> Any:
        items = [done[id(item)] for item in part.items]
        entries: list[Any] | tuple[Any, ...] = items if part.is_list else tuple(items)
        self.weigh(entries, part)
        return entries


def _with_labels(diagnostic: Diagnostic, labels: tuple[Label, ...]) -> Diagnostic:
    from dataclasses import replace  # noqa: PLC0415  (only on the way to an error)

    return replace(diagnostic, labels=labels)
