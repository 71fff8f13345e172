"""Numbers, operators between values, and [...]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vjpcli.errors import Diagnostic, Label, VjpError
from vjpcli.graph.node import written_at
from vjpcli.graph.operation import OPERATIONS, shape_text
from vjpcli.graph.results import Results
from vjpcli.graph.tracer.state import State
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
        if isinstance(operand, int | float):
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
        return items if part.is_list else tuple(items)


def _with_labels(diagnostic: Diagnostic, labels: tuple[Label, ...]) -> Diagnostic:
    from dataclasses import replace  # noqa: PLC0415  (only on the way to an error)

    return replace(diagnostic, labels=labels)


LONGEST_TUPLE = 1000


def joined_tuples(operator: str, left: Any, right: Any) -> tuple[Any, ...] | None:
    """`x.shape + (1,)` and `(1,) * 3` as Python has them; None where no tuples are joined."""
    if isinstance(left, Results) or isinstance(right, Results):
        return None
    if operator == "+" and isinstance(left, tuple) and isinstance(right, tuple):
        return left + right
    if operator == "*" and isinstance(left, int) and isinstance(right, tuple):
        left, right = right, left
    if operator == "*" and isinstance(left, tuple) and isinstance(right, int):
        return left * right if len(left) * right <= LONGEST_TUPLE else None
    return None


def fold(forward: Callable[..., Any] | None, left: float, right: float) -> Any:
    """Arithmetic on two plain numbers, in float64; whole stays whole while it is exact."""
    assert forward is not None
    with np.errstate(all="ignore"):
        result = forward(np.float64(left), np.float64(right))
    if isinstance(result, np.bool_ | bool):
        return bool(result)
    whole = isinstance(left, int) and isinstance(right, int)
    if whole and np.isfinite(result) and abs(result) < 2**53 and float(result).is_integer():
        return int(result) if forward is not np.divide else float(result)
    return float(result)
