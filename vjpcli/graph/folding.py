"""Arithmetic on plain Python values, which stay plain: numbers, and shapes as tuples."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from vjpcli.errors import fail
from vjpcli.graph.results import Results

LONGEST_TUPLE = 100_000

COMPLEX_ARITHMETIC: dict[str, Callable[[complex, complex], complex]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
}


def joined_tuples(operator: str, left: Any, right: Any) -> tuple[Any, ...] | None:
    """`x.shape + (1,)` and `(1,) * 3` as Python has them; None where no tuples are joined.

    Errors: too-large.
    """
    results = [one for one in (left, right) if isinstance(one, Results)]
    if any(not one.are_parts or operator != "+" for one in results):
        return None
    if operator == "+" and isinstance(left, tuple) and isinstance(right, tuple):
        _refuse_length(len(left) + len(right))
        return left + right
    if operator == "*" and isinstance(left, int) and isinstance(right, tuple):
        left, right = right, left
    if operator == "*" and isinstance(left, tuple) and isinstance(right, int):
        _refuse_length(len(left) * right)
        return left * right
    return None


def _refuse_length(length: int) -> None:
    if length > LONGEST_TUPLE:
        raise fail(
            "too-large",
            f"a list of {length:,} entries is written out",
            notes=(f"the limit is {LONGEST_TUPLE:,}; zeros, ones and full make long arrays",),
        )


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


def fold_complex(sign: str, left: complex, right: complex) -> complex | None:
    """Arithmetic on plain numbers of which one is complex; None where Python has no answer."""
    try:
        return COMPLEX_ARITHMETIC[sign](left, right)
    except (KeyError, ZeroDivisionError, OverflowError):
        return None
