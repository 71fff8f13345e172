"""Checks of static arguments: a plain value of the right form, or one Diagnostic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vjpcli.errors import did_you_mean, fail
from vjpcli.graph.node import Node, Shape
from vjpcli.graph.operation import constant


def number(name: str, value: Any) -> float:
    """`value` as a plain number.

    Errors: not-a-number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise fail("not-a-number", f"`{name}` is a number, not {value!r}")
    return float(value)


def whole(name: str, value: Any, *, least: int) -> int:
    """`value` as a whole number that is not below `least`.

    Errors: not-whole, too-small.
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise fail("not-whole", f"`{name}` is a whole number, not {value!r}")
    if value < least:
        raise fail("too-small", f"`{name}` is at least {least}, not {value}")
    return int(value)


def whole_per_axis(name: str, value: Any, axes: int, *, least: int) -> tuple[int, ...]:
    """One whole number for each of `axes` axes; a single one holds for all of them.

    Errors: not-whole, too-small, wrong-count.
    """
    if not isinstance(value, list | tuple):
        return (whole(name, value, least=least),) * axes
    if len(value) == 1:
        return (whole(name, value[0], least=least),) * axes
    if len(value) != axes:
        raise fail("wrong-count", f"`{name}` takes {axes} numbers here, one per axis, not {value}")
    return tuple(whole(name, one, least=least) for one in value)


def flag(name: str, value: Any) -> bool:
    """`value` as True or False; 0 and 1 will do.

    Errors: not-a-flag.
    """
    if isinstance(value, bool | np.bool_) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise fail("not-a-flag", f"`{name}` is True or False, not {value!r}")


def one_of(name: str, value: Any, choices: Sequence[str]) -> str:
    """`value` if it is one of the words.

    Errors: unknown-choice.
    """
    if isinstance(value, str) and value in choices:
        return value
    guess = did_you_mean(value, choices) if isinstance(value, str) else None
    listed = ", ".join(repr(choice) for choice in choices)
    notes = (f"did you mean {guess!r}?",) if guess else ()
    raise fail("unknown-choice", f"`{name}` is one of {listed}, not {value!r}", notes=notes)


def plain_shape(name: str, value: Node) -> Shape:
    """The shape that is written at the place of an operand: `(3,)` in `layer_norm(x, (3,), w)`.

    Errors: static-not-plain, shape-form.
    """
    if value.operation is not constant or value.kind != "real":
        raise fail("static-not-plain", f"`{name}` must be a plain value: no gradient reaches it")
    lengths = value.static["value"]
    if lengths.ndim > 1 or np.any(lengths != np.floor(lengths)) or np.any(lengths < 0):
        raise fail("shape-form", f"`{name}` holds whole numbers, not {lengths.tolist()}")
    return tuple(int(length) for length in lengths.reshape(-1))
