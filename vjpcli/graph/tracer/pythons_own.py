"""Functions that Python itself has by the names of arrays' functions: sum, max, min, log.

A bare name has the arrays' meaning; Python's is taken where the arguments leave no other.
"""

from __future__ import annotations

from typing import Any

from vjpcli.graph.node import Node
from vjpcli.graph.tracer.objects import Comprehended

OF_NUMBERS = {"max": "maximum", "min": "minimum", "log": "log_to_base"}
"""Python's function -> what it does with the result so far and the next argument."""


def pythons_own(name: str, arguments: list[Any]) -> tuple[str, list[Any]] | None:
    """The operation that Python's `name(*arguments)` applies to one entry after another, and those.

    None where the arrays' meaning holds.
    """
    if name == "sum" and len(arguments) == 1 and isinstance(arguments[0], Comprehended):
        return "add", arguments[0]
    if name == "log" and len(arguments) == 2 and all(map(_is_operand, arguments)):
        return OF_NUMBERS[name], arguments
    if name in ("max", "min") and len(arguments) > 2 and all(map(_is_number, arguments)):
        return OF_NUMBERS[name], arguments
    return None


def _is_operand(argument: Any) -> bool:
    """True and False are settings, as in `max(x, 0, True)`."""
    return isinstance(argument, Node | int | float) and not isinstance(argument, bool)


def _is_number(argument: Any) -> bool:
    """Python's max has no meaning for arrays, and another one for lists."""
    return _is_operand(argument) and not (isinstance(argument, Node) and argument.ndim)
