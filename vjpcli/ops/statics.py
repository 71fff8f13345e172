"""Checks of static arguments that are numbers: what is not one is refused, never guessed."""

from __future__ import annotations

from typing import Any

import numpy as np

from vjpcli.errors import fail


def plain_number(
    name: str, value: Any, *, low: float = -np.inf, high: float = np.inf
) -> float | int:
    """`value`, which must be a number from `low` to `high`.

    Errors: not-a-plain-number, number-out-of-range.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise fail("not-a-plain-number", f"`{name}` is a number, not {value!r}")
    if not low <= value <= high and not (np.isnan(value) and np.isinf([low, high]).all()):
        raise fail("number-out-of-range", f"`{name}` lies between {low} and {high}: {value}")
    return value if isinstance(value, int) else float(value)


def whole_number(name: str, value: Any, *, low: int, high: int) -> int:
    """`value`, which must be a whole number from `low` to `high`.

    Errors: not-a-plain-number, not-whole, number-out-of-range.
    """
    number = plain_number(name, value)
    if not float(number).is_integer():
        raise fail("not-whole", f"`{name}` is a whole number, not {value!r}")
    return int(plain_number(name, int(number), low=low, high=high))
