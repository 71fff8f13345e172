"""Whole numbers where NumPy would guess or fail: counts, shapes, positions.

Static arguments arrive as plain Python values (or, where an operation decides them by value,
as arrays). What is not whole is refused here with one Diagnostic.
"""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import refuse_oversized
from vjpcli.ops.declaration import fail, shape_text


def whole_number(name, value, *, least=None):
    """`value` as an int that is not below `least`.

    Errors: not-whole, too-small.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise fail("not-whole", f"`{name}` is a whole number, not {value!r}")
    if least is not None and value < least:
        raise fail("too-small", f"`{name}` is at least {least}, not {value}")
    return int(value)


def whole_numbers(name, value, *, least=None):
    """One whole number or several, as a tuple of ints.

    Errors: not-whole, too-small.
    """
    if isinstance(value, np.ndarray):
        value = tuple(value.ravel().tolist())
    several = value if isinstance(value, list | tuple) else (value,)
    return tuple(whole_number(name, one, least=least) for one in several)


def lengths(shape):
    """`shape` (one length or several) as a tuple of ints; -1 may stand in it.

    Errors: shape-form.
    """
    several = tuple(shape) if isinstance(shape, list | tuple) else (shape,)
    if any(isinstance(n, bool) or not isinstance(n, int | np.integer) for n in several):
        raise fail("shape-form", f"a shape holds whole numbers, not {shape!r}")
    if any(n < -1 for n in several):
        raise fail("shape-form", f"a length cannot be negative: {shape_text(several)}")
    return tuple(int(n) for n in several)


def array_shape(shape):
    """`shape` for a new array.

    Errors: shape-form, too-large, too-many-axes.
    """
    wanted = lengths(shape)
    if -1 in wanted:
        raise fail("shape-form", f"a length cannot be negative: {shape_text(wanted)}")
    refuse_oversized(wanted)
    return wanted


def positions(name, value):
    """Positions along an axis as an integer array of any shape.

    Errors: ragged-rows, index-not-whole.
    """
    try:
        array = np.asarray(value)
    except ValueError:
        raise fail("ragged-rows", f"the rows of `{name}` have different lengths") from None
    if array.size == 0:
        return array.astype(np.intp)
    if array.dtype.kind not in "iuf":
        raise fail("index-not-whole", f"`{name}` holds whole numbers")
    if not np.all(np.abs(array) < 2**53) or np.any(array != np.floor(array)):
        raise fail("index-not-whole", f"`{name}` holds whole numbers")
    return array.astype(np.intp)


def positions_within(name, value, length, axis=None):
    """`positions`, negative ones counted from the end of an axis of this length.

    Errors: ragged-rows, index-not-whole, index-out-of-range.
    """
    array = positions(name, value)
    outside = array[(array < -length) | (array >= length)]
    if outside.size:
        where = "the array" if axis is None else f"axis {axis}"
        raise fail(
            "index-out-of-range",
            f"index {int(outside.flat[0])} is outside {where} of length {length}",
        )
    return np.where(array < 0, array + length, array)


def condition_mask(name, value):
    """`value` as an array of True and False; numbers count as true unless they are 0.

    Errors: ragged-rows, not-a-mask.
    """
    try:
        array = np.asarray(value)
    except ValueError:
        raise fail("ragged-rows", f"the rows of `{name}` have different lengths") from None
    if array.dtype.kind not in "biuf":
        raise fail("not-a-mask", f"`{name}` holds True and False")
    return array != 0


def entries(shape):
    """How many entries an array of this shape has."""
    return math.prod(shape)
