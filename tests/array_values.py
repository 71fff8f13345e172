"""What the calls of `array_calls.txt` read: the values of `torch_calls.py`, and a few more."""

from __future__ import annotations

import ast
from math import nan
from typing import Any

from torch_calls import VALUES as TORCH_VALUES

VALUES: dict[str, Any] = {
    **TORCH_VALUES,
    "b": 0.25,
    "w": [0.1, 0.4, 0.2, 0.3],
    "n": [1.0, nan, 3.0, -2.0],
    "xs": [0.0, 1.0, 2.5, 4.0],
    "G": [[[[0.5, -0.25], [0.75, 1.0]]], [[[-0.6, 0.3], [0.1, 0.4]]]],
}
"""n holds a nan, xs increases, w adds up to 1, G is a kernel."""


def names_in(text: str) -> list[str]:
    """The inputs that a call reads, in the order of first reading."""
    found = [one.id for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Name)]
    return [name for name in dict.fromkeys(found) if name in VALUES]
