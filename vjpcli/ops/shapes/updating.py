"""Updates by position: a new array that differs at some entries, `x.at[i].set(v)` in JAX."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from vjpcli.graph.operation import OPERATIONS
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import one_of
from vjpcli.ops.numbers import arithmetic, comparison
from vjpcli.ops.shapes import indexing, shape

COMBINED: dict[str, Callable[[Any, Any], Any]] = {
    "set": lambda old, new: new,
    "multiply": lambda old, new: old * new,
    "divide": lambda old, new: old / new,
    "power": lambda old, new: old**new,
    "min": comparison.minimum,
    "max": comparison.maximum,
}
"""What an entry becomes from what it was and what is written to it."""

ADDED = ("add", "subtract")

REDUCED = {"multiply": "prod", "divide": "prod", "min": "amin", "max": "amax"}
"""How several numbers that are written to one entry combine; added ones are added into it."""


def _placed(x, values, positions):
    """x with `values` at flat `positions`; of several at one entry the last stands."""
    source = np.full(x.size, -1, dtype=np.intp)
    source[positions] = np.arange(positions.size)
    flat = shape.reshape(x, shape=(x.size,))
    chosen = indexing.index(values, index=(np.maximum(source, 0),))
    return shape.reshape(comparison.where(source >= 0, chosen, flat), shape=x.shape)


@operation(
    samples=(
        sample((3,), (), index=(1,)),
        sample((3,), (2,), index=(np.array([2, 0]),)),
        sample((3,), (2,), index=(np.array([1, 1]),)),
        sample((2, 3), (3,), index=(slice(None), slice(None)), how="multiply"),
        sample((2, 3), (2,), index=(slice(None), -1), how="subtract"),
        sample((3,), (3,), index=(np.array([0, 0, 2]),), how="add"),
        sample((3,), (3,), index=(np.array([0, 0, 2]),), how="multiply"),
        sample((3,), [2.0, 0.5, 4.0], index=(np.array([0, 0, 2]),), how="divide"),
        sample((3,), (3,), index=(np.array([0, 0, 2]),), how="max"),
        sample([1.5, 2.0], (2,), index=(slice(None),), how="power"),
        sample((3,), (1,), index=(slice(3, None),)),
        sample((1,), (), index=(0,), how="add"),
    ),
    refuses=(
        Refusal(sample((3,), (2,), index=(slice(None),)), "shape-mismatch"),
        Refusal(sample((3,), (), index=(3,)), "index-out-of-range"),
        Refusal(sample((3,), (), index=(0,), how="replace"), "keyword-value"),
    ),
)
def update_at(x, values, *, index, how="set"):
    """x with what stands at an index replaced by, or combined with, other values.

    Shapes:  x [...], values broadcast to x[index] -> [...]
    Kinks:   min and max: those of minimum and maximum; where one entry is written several
             times, `set` and `power` take the last, and `min` and `max` share among ties
    Source:  a selection: an entry that is replaced receives no adjoint
    Example: vjp explain "x.at[[0, 2]].set(v)" x=1,2,3 v=7,8 --seed 1,10,100
    """
    how = one_of("how", how, (*COMBINED, *ADDED))
    full = indexing.explicit_index(x.shape, index)
    read = indexing.indexed_shape(x.shape, full)
    try:
        fits = np.broadcast_shapes(values.shape, read) == read
    except ValueError:
        fits = False
    if not fits:
        raise fail(
            "shape-mismatch",
            f"values of shape {shape_text(values.shape)} do not fit the entries of shape "
            f"{shape_text(read)} that they are written to",
        )
    if math.prod(read) == 0:
        return x
    values = shape.broadcast_to(values, shape=read)
    if how in ADDED:
        added = values if how == "add" else -values
        return x + indexing.add_into(added, index=full, shape=x.shape)
    positions = np.arange(x.size, dtype=np.intp).reshape(x.shape)[full].ravel()
    values = shape.reshape(values, shape=(positions.size,))
    if how in REDUCED and np.unique(positions).size < positions.size:
        flat = shape.reshape(x, shape=(x.size,))
        written = arithmetic.divide(1, values) if how == "divide" else values
        reduced = OPERATIONS["scatter_reduce"](
            flat, written, axis=0, index=positions, reduce=REDUCED[how]
        )
        return shape.reshape(reduced, shape=x.shape)
    old = indexing.index(shape.reshape(x, shape=(x.size,)), index=(positions,))
    return _placed(x, COMBINED[how](old, values), positions)
