"""Numbers as text: a few significant digits for the screen, the shortest round trip for scripts.

Only what is shown is formatted, so that a screenful out of a million entries is immediate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

DEFAULT_DIGITS = 4

# Whole numbers below this are written out: 100000 says more than 1e+05.
_WHOLE_LIMIT = 1e9


def format_number(value: Any, digits: int = DEFAULT_DIGITS) -> str:
    """The number in `digits` significant digits: `22.79`, `1.25e-05`, `16`, `nan`, `-inf`.

    Whole numbers stand without a decimal point, and minus zero stands as `0` (the full
    precision of `shortest` keeps its sign). From as many digits as the type holds on, the
    shortest text that reads back as the same number is taken.
    """
    if isinstance(value, bool | np.bool_):
        return "True" if value else "False"
    number = float(value)
    if not math.isfinite(number):
        return "nan" if math.isnan(number) else "inf" if number > 0 else "-inf"
    if number.is_integer() and abs(number) < _WHOLE_LIMIT:
        return str(int(number))
    held = 9 if isinstance(value, np.float32) else 17
    return shortest(value) if digits >= held else f"{number:.{max(1, digits)}g}"


def as_in_formulas(text: str) -> str:
    """A formatted number as sentences and formulas write it: ∞ for inf."""
    return text.replace("inf", "∞")


def format_numbers(array: NDArray[Any], digits: int = DEFAULT_DIGITS) -> list[str]:
    """Every entry as `format_number` writes it, row-major; quick for a million of them."""
    flat = array.ravel()
    if flat.dtype == np.bool_ or digits >= (9 if flat.dtype == np.float32 else 17):
        return [format_number(value, digits) for value in flat]
    limit, kept = _WHOLE_LIMIT, max(1, digits)
    return [
        str(int(number))
        if number.is_integer() and -limit < number < limit
        else f"{number:.{kept}g}"
        for number in flat.astype(np.float64, copy=False).tolist()
    ]


def shortest(value: Any) -> str:
    """The shortest digits that read back as the same number of the same type: `0.3`, `3.0`."""
    return repr(float(shortest_as_float64(np.asarray(value))))


def shortest_numbers(array: NDArray[Any]) -> list[str]:
    """Every entry by `shortest`, row-major."""
    return [repr(value) for value in shortest_as_float64(array).ravel().tolist()]


def shortest_as_float64(array: NDArray[Any]) -> NDArray[np.float64]:
    """The same numbers in float64, a float32 as the float64 that prints with its few digits.

    Converted directly, 0.1 in float32 would print as 0.10000000149011612.
    """
    if array.dtype == np.float32:
        return array.astype(np.str_).astype(np.float64)
    return array.astype(np.float64, copy=False)


def format_count(count: int) -> str:
    """A count with thousands separated: `999,990`."""
    return f"{count:,}"


def format_shape(shape: tuple[int, ...]) -> str:
    """A shape as the screens write it: `scalar`, `[3]`, `2×3`."""
    if not shape:
        return "scalar"
    if len(shape) == 1:
        return f"[{shape[0]}]"
    return "×".join(str(length) for length in shape)


def format_index(name: str, index: Iterable[int]) -> str:
    """An entry of a named array: `x[0,2]`, or `x` alone for a scalar."""
    inside = ",".join(str(int(position)) for position in index)
    return f"{name}[{inside}]" if inside else name
