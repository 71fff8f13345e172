"""Static arguments with one number per axis, and shapes written where an operand stands."""

from __future__ import annotations

from typing import Any

import numpy as np

from vjpcli.errors import fail
from vjpcli.graph.node import Node, Shape
from vjpcli.graph.operation import constant
from vjpcli.ops.keywords import whole_number


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
