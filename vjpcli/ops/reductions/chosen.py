"""Reductions of chosen entries: NumPy's `where=` and `initial=`, for the reductions that take them.

A mask is decided by its present value, as in `x[mask]`; what it leaves out receives 0.
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.ops.declaration import fail, shape_text
from vjpcli.ops.keywords import condition_mask, plain_number, true_or_false
from vjpcli.ops.numbers import comparison


def chosen_mask(x, where):
    """`where` as a mask of x's shape.

    Errors: ragged-rows, not-a-mask, mask-shape.
    """
    mask = condition_mask("where", where)
    try:
        return np.broadcast_to(mask, x.shape)
    except ValueError:
        raise fail(
            "mask-shape",
            f"a mask of shape {shape_text(mask.shape)} does not fit {shape_text(x.shape)}",
        ) from None


def only_chosen(x, where, neutral):
    """x with a number that changes no result in the place of what `where` leaves out.

    Errors: ragged-rows, not-a-mask, mask-shape.
    """
    if where is None or where is True:
        return x
    return comparison.where(as_node(chosen_mask(x, where)), x, neutral)


def count_of_chosen(x, where, axes, *, keepdims):
    """How many entries go into each entry of the result, as a constant."""
    mask = chosen_mask(x, where)
    return as_node(np.count_nonzero(mask, axis=axes, keepdims=keepdims))


def begun_with(initial, combine, y):
    """The result y of a reduction, combined with the number that it was to begin with.

    Errors: keyword-value.
    """
    return y if initial is None else combine(as_node(plain_number("initial", initial)), y)


def extreme_of_chosen(extreme, combine, worst, x, axes, keepdims, initial, where):
    """The largest or smallest of the chosen entries and `initial`.

    Errors: missing-argument where `where` may choose nothing, and those of the helpers above.
    """
    if initial is None:
        raise fail(
            "missing-argument",
            f"{extreme.name} with `where` needs `initial`: the mask may choose no entry",
            notes=(f"initial={worst:g} never wins against an entry",),
        )
    entries = np.prod([x.shape[one] for one in axes], dtype=np.int64)
    if not entries:
        kept = np.zeros(x.shape).sum(axis=axes, keepdims=true_or_false("keepdims", keepdims))
        return begun_with(initial, combine, as_node(np.full(kept.shape, worst)))
    found = extreme(only_chosen(x, where, worst), axis=axes, keepdims=keepdims)
    return begun_with(initial, combine, found)
