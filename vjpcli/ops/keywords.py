"""Checks of static arguments: a wrong value is refused in words, before NumPy sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vjpcli.errors import did_you_mean, fail


def true_or_false(name: str, value: Any) -> bool:
    """`value` of the switch `name`.

    Errors: keyword-value.
    """
    if isinstance(value, bool | np.bool_) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise fail("keyword-value", f"{name} is True or False, not {value!r}")


def whole_number(name: str, value: Any, *, least: int, most: int | None = None) -> int:
    """`value` of `name`, a whole number between `least` and `most`.

    Errors: keyword-value.
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if whole and value >= least and (most is None or value <= most):
        return int(value)
    range_text = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise fail("keyword-value", f"{name} is a whole number {range_text}, not {value!r}")


def plain_number(name: str, value: Any) -> float:
    """`value` of `name`, a number; a whole one stays whole.

    Errors: keyword-value.
    """
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        number = float(value)
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    raise fail("keyword-value", f"{name} is a number, not {value!r}")


def one_of(name: str, value: Any, allowed: Sequence[str]) -> str:
    """`value` of `name`, one of the words `allowed`.

    Errors: keyword-value.
    """
    if isinstance(value, str) and value in allowed:
        return value
    guess = did_you_mean(value, allowed) if isinstance(value, str) else None
    notes = (f"did you mean {guess!r}?",) if guess else (f"it can be {', '.join(allowed)}",)
    raise fail("keyword-value", f"{name} cannot be {value!r}", notes=notes)


def whole_per_axis(name: str, value: Any, axes: int, *, least: int) -> tuple[int, ...]:
    """One whole number for each of `axes` axes; a single one holds for all of them.

    Errors: keyword-value.
    """
    if not isinstance(value, list | tuple):
        return (whole_number(name, value, least=least),) * axes
    if len(value) == 1:
        return (whole_number(name, value[0], least=least),) * axes
    if len(value) != axes:
        raise fail("keyword-value", f"{name} takes {axes} numbers here, one per axis, not {value}")
    return tuple(whole_number(name, one, least=least) for one in value)
