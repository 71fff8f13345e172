"""Checks of static arguments: a wrong value is refused in words, before NumPy sees it.

A static argument arrives as plain Python: a number, a switch, a word, or nested tuples of
them; where an operation decides one by its present value, as an array. Each check returns the
value in the one form in which a graph holds it. What is no value for the argument at all is a
`keyword-value`; shapes and positions have faults of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import did_you_mean, fail
from vjpcli.graph.node import Shape
from vjpcli.graph.shapes import refuse_oversized, shape_text

SHAPE_KEYWORDS = {"size": "shape"}
"""What NumPy calls the shape of an array that is made of nothing."""


def true_or_false(name: str, value: Any) -> bool:
    """`value` of the switch `name`; 1 and 0 count as well.

    Errors: keyword-value.
    """
    if isinstance(value, bool | int | float | np.bool_) and value in (0, 1):
        return bool(value)
    raise fail("keyword-value", f"`{name}` is True or False, not {value!r}")


def whole_number(
    name: str, value: Any, *, least: int | None = None, most: int | None = None
) -> int:
    """`value` of `name`, a whole number between `least` and `most` where they are given.

    Errors: keyword-value.
    """
    whole = _as_whole(value)
    if whole is not None and (least is None or whole >= least) and (most is None or whole <= most):
        return whole
    allowed = ""
    if least is not None:
        allowed = f" of at least {least}" if most is None else f" from {least} to {most}"
    raise fail("keyword-value", f"`{name}` is a whole number{allowed}, not {value!r}")


def _as_whole(value: Any) -> int | None:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, float) and value.is_integer():
        return int(value)
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return int(value) if whole else None


def whole_numbers(name: str, value: Any, *, least: int | None = None) -> tuple[int, ...]:
    """One whole number or several, as a tuple.

    Errors: keyword-value.
    """
    if isinstance(value, np.ndarray):
        value = tuple(value.ravel().tolist())
    several = value if isinstance(value, list | tuple) else (value,)
    return tuple(whole_number(name, one, least=least) for one in several)


def whole_per_axis(name: str, value: Any, axes: int, *, least: int) -> tuple[int, ...]:
    """One whole number for each of `axes` axes; a single one holds for all of them.

    Errors: keyword-value.
    """
    numbers = whole_numbers(name, value, least=least)
    if len(numbers) == 1:
        return numbers * axes
    if len(numbers) != axes:
        raise fail(
            "keyword-value", f"`{name}` takes {axes} numbers here, one per axis, not {value}"
        )
    return numbers


def plain_number(name: str, value: Any) -> float:
    """`value` of `name`, a number; a whole one is held as such.

    Errors: keyword-value.
    """
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        number = float(value)
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    raise fail("keyword-value", f"`{name}` is a number, not {value!r}")


def one_of(name: str, value: Any, allowed: Sequence[str]) -> str:
    """`value` of `name`, one of the words `allowed`.

    Errors: keyword-value.
    """
    if isinstance(value, str) and value in allowed:
        return value
    guess = did_you_mean(value, allowed) if isinstance(value, str) else None
    notes = (f"did you mean {guess!r}?",) if guess else (f"it can be {', '.join(allowed)}",)
    raise fail("keyword-value", f"`{name}` cannot be {value!r}", notes=notes)


def wanted_lengths(shape: Any) -> Shape:
    """The lengths of a shape that is asked for, one or several; -1 may stand in it.

    Errors: shape-form.
    """
    several = tuple(shape) if isinstance(shape, list | tuple) else (shape,)
    if any(isinstance(n, bool) or not isinstance(n, int | np.integer) for n in several):
        raise fail("shape-form", f"a shape holds whole numbers, not {shape!r}")
    if any(n < -1 for n in several):
        raise fail("shape-form", f"a length cannot be negative: {shape_text(several)}")
    return tuple(int(n) for n in several)


def array_shape(shape: Any) -> Shape:
    """The shape of an array that is about to be made.

    Errors: shape-form, too-large, too-many-axes.
    """
    wanted = wanted_lengths(shape)
    if -1 in wanted:
        raise fail("shape-form", f"a length cannot be negative: {shape_text(wanted)}")
    refuse_oversized(wanted)
    return wanted


def position_array(name: str, value: Any) -> NDArray[np.intp]:
    """Positions along an axis as an integer array of any shape.

    Errors: ragged-rows, index-not-whole.
    """
    array = _as_array(name, value)
    if array.size == 0:
        return array.astype(np.intp)
    if (
        array.dtype.kind not in "iuf"
        or not np.all(np.abs(array) < 2**53)
        or np.any(array != np.floor(array))
    ):
        raise fail("index-not-whole", f"`{name}` holds whole numbers")
    return array.astype(np.intp)


def positions_within(
    name: str, value: Any, length: int, axis: int | None = None
) -> NDArray[np.intp]:
    """`position_array`, negative ones counted from the end of an axis of this length.

    Errors: ragged-rows, index-not-whole, index-out-of-range.
    """
    array = position_array(name, value)
    outside = array[(array < -length) | (array >= length)]
    if outside.size:
        where = "the array" if axis is None else f"axis {axis}"
        raise fail(
            "index-out-of-range",
            f"index {int(outside.flat[0])} is outside {where} of length {length}",
        )
    return np.where(array < 0, array + length, array)


def condition_mask(name: str, value: Any) -> NDArray[np.bool_]:
    """`value` as an array of True and False; numbers count as true unless they are 0.

    Errors: ragged-rows, not-a-mask.
    """
    array = _as_array(name, value)
    if array.dtype.kind not in "biuf":
        raise fail("not-a-mask", f"`{name}` holds True and False")
    mask: NDArray[np.bool_] = array != 0
    return mask


def _as_array(name: str, value: Any) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except ValueError:
        raise fail("ragged-rows", f"the rows of `{name}` have different lengths") from None
