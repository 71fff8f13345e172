"""A node as the language writes it: `sum(t1, axis=0)`, `W.T`, `x[1:, 0]`, `[a, b]`.

Operands come as text, so that the step table (with names) and formulas (with expressions) are
written by the same hand.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.graph.node import Node

SHORT_ARRAY = 6
"""Entries up to which an array is written out."""

WRITTEN_DIGITS = 6


def operation_text(
    node: Node,
    operands: Sequence[str],
    grouped: Sequence[str],
    *,
    unsaid: Collection[str] = (),
    most_entries: int = SHORT_ARRAY,
) -> str:
    """The operation of `node` applied to operands given as text.

    `grouped` are the same texts, in brackets where an operator beside them would tear them
    apart. Static arguments in `unsaid`, and those that are as by default, are left out.
    Arrays of more than `most_entries` are only counted.
    """
    operation, static = node.operation, node.static
    if operation.infix and len(operands) == 2:
        gap = "" if operation.infix in ("*", "**", "/") else " "
        return f"{grouped[0]}{gap}{operation.infix}{gap}{grouped[1]}"
    if operation.infix and len(operands) == 1:
        return f"{operation.infix}{grouped[0]}"
    special = _special_text(node, operands, grouped, most_entries)
    if special is not None:
        return special
    said = _said(node, unsaid, most_entries)
    if operation.notation is not None:
        return operation.notation(node, operands, grouped, said)
    if operation.name == "einsum":
        return f"einsum({', '.join([repr(static['subscripts']), *operands])})"
    return f"{operation.name}({', '.join([*operands, *said.values()])})"


def _special_text(
    node: Node, operands: Sequence[str], grouped: Sequence[str], most_entries: int
) -> str | None:
    """What is written with brackets and dots instead of a name."""
    operation, static = node.operation, node.static
    if operation.name == "matrix_transpose":
        return f"{grouped[0]}.{'T' if node.ndim == 2 else 'mT'}"
    if operation.name == "index":
        return f"{grouped[0]}[{index_text(static['index'], most_entries)}]"
    if operation.name == "stack" and static["axis"] == -node.ndim:
        return f"[{', '.join(operands)}]"
    return None


def _said(node: Node, unsaid: Collection[str], most_entries: int) -> dict[str, str]:
    """The static arguments that are written out: name -> `axis=0`."""
    return {
        key: f"{key}={static_text(node, key, value, most_entries)}"
        for key, value in node.static.items()
        if key not in unsaid and not _goes_unsaid(node, key, value)
    }


def number_text(value: NDArray[Any]) -> str:
    """A number or small array as one types it: 3, 0.5, [1, 2]."""
    if value.ndim:
        return f"[{', '.join(number_text(part) for part in value)}]"
    if value.dtype == np.bool_:
        return str(bool(value))
    number = float(value)
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return f"{number:.{WRITTEN_DIGITS}g}"


def index_text(index: tuple[Any, ...], most_entries: int = SHORT_ARRAY) -> str:
    """An index as it is typed between brackets."""
    parts = []
    for part in index:
        if isinstance(part, slice):
            bounds = ["" if bound is None else str(bound) for bound in (part.start, part.stop)]
            parts.append(":".join(bounds) + ("" if part.step is None else f":{part.step}"))
        elif isinstance(part, np.ndarray):
            short = part.size <= most_entries
            parts.append(str(part.tolist()) if short else f"{part.size} entries")
        else:
            parts.append(str(part))
    while len(parts) > 1 and parts[-1] == ":":
        parts.pop()
    return ", ".join(parts)


def static_text(node: Node, key: str, value: Any, most_entries: int = SHORT_ARRAY) -> str:
    """A static argument as people write it: axes counted from the front, one without brackets."""
    if key == "axis" and node.operands and value is not None:
        axes = value if isinstance(value, tuple) else (value,)
        if all(isinstance(axis, int) and axis < 0 for axis in axes):
            ndim = max(node.operands[0].ndim, node.ndim)
            counted = tuple(axis + ndim for axis in axes)
            return str(counted[0] if len(counted) == 1 else counted)
    if isinstance(value, np.ndarray):
        return number_text(value) if value.size <= most_entries else f"array{list(value.shape)}"
    return repr(value) if isinstance(value, str) else str(value)


def _goes_unsaid(node: Node, key: str, value: Any) -> bool:
    """Whether a static argument is the default, or all axes of the operand."""
    if key == "axis" and node.operands:
        everything = tuple(range(-node.operands[0].ndim, 0))
        return value is None or value == everything
    default: Any = node.operation.static_defaults.get(key)
    switches = isinstance(value, bool), isinstance(default, bool)
    return switches[0] == switches[1] and bool(np.array_equal(value, default))
