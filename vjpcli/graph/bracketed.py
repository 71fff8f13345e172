"""NumPy's objects that are followed by square brackets: `np.r_[x, 1:4]`, `np.mgrid[0:3, 0:2]`."""

from __future__ import annotations

from typing import Any

import numpy as np

from vjpcli.errors import fail
from vjpcli.graph.binding import operand
from vjpcli.graph.node import Node
from vjpcli.graph.operation import OPERATIONS, make_constant
from vjpcli.graph.shapes import refuse_oversized


def bracketed(name: str, items: list[Any]) -> Any:
    """What `np.<name>[items]` is.

    Errors: keyword-value, step-zero, too-large, not-a-number, shape-mismatch.
    """
    if name in ("s_", "index_exp"):
        return items[0] if len(items) == 1 and name == "s_" else tuple(items)
    if name == "r_":
        return OPERATIONS["concatenate"](*(_part(item) for item in items), axis=-1)
    if name == "c_":
        return OPERATIONS["concatenate"](*(_column(_part(item)) for item in items), axis=-1)
    grids = [_points(item) for item in items]
    together = np.ix_(*grids) if len(grids) > 1 else (grids[0],)
    refuse_oversized((len(grids), *(len(grid) for grid in grids)))
    if name == "ogrid":
        open_grids = tuple(make_constant(grid) for grid in together)
        return open_grids if len(grids) > 1 else open_grids[0]
    full = np.stack(np.broadcast_arrays(*together))
    return make_constant(full if len(grids) > 1 else full[0])


def _part(item: Any) -> Node:
    """One item of `np.r_`: an array, a number, or a slice that stands for its numbers."""
    node: Node = make_constant(_points(item)) if isinstance(item, slice) else operand(item)
    return node if node.ndim else OPERATIONS["atleast_1d"](node)


def _column(part: Node) -> Node:
    return OPERATIONS["expand_dims"](part, axis=-1) if part.ndim == 1 else part


def _points(item: Any) -> np.ndarray[Any, Any]:
    """The numbers from start up to, without, stop that a slice stands for."""
    if not isinstance(item, slice) or item.stop is None:
        raise fail("keyword-value", "a grid is given by slices with an end: np.mgrid[0:3, 0:2]")
    start, step = item.start or 0, 1 if item.step is None else item.step
    if step == 0:
        raise fail("step-zero", "the step of a slice cannot be 0")
    count = max(0.0, np.ceil((item.stop - start) / step))
    if not np.isfinite(count):
        raise fail("too-large", "a slice without an end")
    refuse_oversized((int(count),))
    return np.arange(start, item.stop, step, dtype=np.float64)
