"""Padding whose numbers are made of the array's own: ramps, means, extremes.

They are the modes of np.pad beyond copies, put around axis by axis, the first axis first; and
constants, one for each side.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.ops.declaration import fail
from vjpcli.ops.keywords import plain_number, whole_numbers
from vjpcli.ops.reductions import extreme, quantiles, reduction
from vjpcli.ops.shapes import indexing, joining, shape

STATISTICS: dict[str, Callable[..., Any]] = {
    "maximum": extreme.amax,
    "minimum": extreme.amin,
    "mean": reduction.mean,
    "median": partial(quantiles.quantile, q=0.5),
}
MADE_MODES = ("linear_ramp", *STATISTICS)


def number_pairs(name, x, value):
    """`value` in each of np.pad's short forms as (before, after) for every axis.

    Errors: keyword-value.
    """
    try:
        pairs = np.broadcast_to(np.asarray(value, dtype=np.float64), (x.ndim, 2)).tolist()
    except (TypeError, ValueError):
        raise fail(
            "keyword-value", f"`{name}` is a number or (before, after) for each axis, not {value!r}"
        ) from None
    return tuple(tuple(plain_number(name, one) for one in pair) for pair in pairs)


def _across(x, axis, count):
    lengths = list(x.shape)
    lengths[axis] = count
    return lengths


def _beside(x, axis, widths, make):
    """x between what `make(side, count)` gives for each side along an axis."""
    parts = [x]
    for side, count in enumerate(widths):
        if count:
            parts.insert(side * len(parts), make(side, count))
    return joining.concatenate(*parts, axis=axis) if len(parts) > 1 else x


def padded_with_numbers(x, pairs, values):
    """x with one number before and one behind it along each axis."""
    for axis, (widths, numbers) in enumerate(zip(pairs, values, strict=True), start=-x.ndim):
        x = _beside(
            x,
            axis,
            widths,
            lambda side, count, x=x, axis=axis, numbers=numbers: as_node(
                np.full(_across(x, axis, count), float(numbers[side]))
            ),
        )
    return x


def padded_with_ramps(x, pairs, end_values):
    """x between straight lines from its border to a number at the outer end."""
    for axis, (widths, ends) in enumerate(zip(pairs, end_values, strict=True), start=-x.ndim):

        def ramp(side, count, x=x, axis=axis, ends=ends):
            border = indexing.read_along(x, -side, axis)
            weights = np.arange(count) / count  # of the border, counted from the outer end
            weights = weights if side == 0 else weights[::-1]
            weights = weights.reshape((count,) + (1,) * (-axis - 1))
            start = shape.expand_dims(border, axis=axis)
            return start * as_node(weights) + as_node((1 - weights) * float(ends[side]))

        x = _beside(x, axis, widths, ramp)
    return x


def padded_with_statistics(x, pairs, mode, stat_length):
    """x between the largest, smallest, mean or middle of the entries near its border."""
    lengths = (None,) * x.ndim if stat_length is None else _lengths(x, stat_length)
    for axis, (widths, near) in enumerate(zip(pairs, lengths, strict=True), start=-x.ndim):

        def repeated(side, count, x=x, axis=axis, near=near):
            whole = x.shape[axis]
            size = whole if near is None else min(near[side], whole)
            start = 0 if side == 0 else whole - size
            read = indexing.read_range(x, start, start + size, axis)
            found = STATISTICS[mode](read, axis=axis, keepdims=True)
            return shape.broadcast_to(found, shape=_across(x, axis, count))

        x = _beside(x, axis, widths, repeated)
    return x


def _lengths(x, stat_length):
    pairs = number_pairs("stat_length", x, stat_length)
    return tuple(whole_numbers("stat_length", pair, least=1) for pair in pairs)
