"""Choosing: entries and pieces taken where a condition holds, and blocks put together.

A condition that decides a shape is taken by its present value, as in `x[mask]`.
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import LIBRARIES, as_node
from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    sample,
    shape_text,
    trailing_axis,
)
from vjpcli.ops.keywords import (
    condition_mask,
    one_of,
    position_array,
)
from vjpcli.ops.numbers import comparison
from vjpcli.ops.shapes import editing, gathering, indexing, joining, shape


@operation(
    lists=("choices",),
    decided=("index",),
    argument_order=("index", "choices", "mode"),
    keyword_aliases={"a": "index"},
    samples=(
        sample((2, 3), index=(0, 1, 0)),
        sample((2, 3), index=(0, 5, -1), mode="wrap"),
        sample((2, 3), index=(0, 5, -1), mode="clip"),
    ),
    refuses=(
        Refusal(sample((2, 3), index=(0, 2, 0)), "index-out-of-range"),
        Refusal(sample((2, 3), index=(0, 0.5, 0)), "index-not-whole"),
        Refusal(sample((2, 3), index=(0, 0, 0), mode="skip"), "keyword-value"),
    ),
)
def choose(choices, *, index, mode="raise"):
    """For each entry the array that it is taken from, by number (np.choose).

    Shapes:  index [...], choices [k] arrays [...] -> [...] (broadcast)
    Kinks:   none; index is decided by its value
    Source:  a selection: an entry that was not taken receives 0
    Example: vjp explain "np.choose([0, 1, 0], [x, y])" x=1,2,3 y=4,5,6 --seed 1,10,100
    """
    arrays = choices if isinstance(choices, list) else _unstacked(choices)
    numbers = position_array("index", index)
    one_of("mode", mode, ("raise", "wrap", "clip"))
    if mode == "wrap":
        numbers = numbers % len(arrays)
    elif mode == "clip":
        numbers = np.clip(numbers, 0, len(arrays) - 1)
    outside = numbers[(numbers < 0) | (numbers >= len(arrays))]
    if outside.size:
        raise fail(
            "index-out-of-range", f"there is no choice {int(outside.flat[0])} of {len(arrays)}"
        )
    found = as_node(np.zeros(numbers.shape))
    for number, array in enumerate(arrays):
        found = comparison.where(as_node(numbers == number), array, found)
    return found


def _unstacked(x):
    """The slices of x along its first axis.

    Errors: axis-out-of-range.
    """
    trailing_axis(x, 0)
    return [indexing.read_first(x, place) for place in range(x.shape[0])]


@operation(
    decided=("condition",),
    argument_order=("condition", "x", "axis"),
    keyword_aliases={"a": "x"},
    samples=(
        sample((3,), condition=(True, False, True)),
        sample((2, 3), condition=(0, 1), axis=1),
        sample((2, 2), condition=(1, 0, 1)),
    ),
    refuses=(
        Refusal(sample((2,), condition=(True, False, True)), "mask-shape"),
        Refusal(sample((2,), condition=((True, False),)), "mask-shape"),
    ),
)
def compress(x, *, condition, axis=None):
    """The slices of x at which a condition holds, along an axis (np.compress).

    Shapes:  condition [k], x [n] -> [number of True]; without an axis x is flattened first
    Kinks:   none; a condition that depends on an input is decided by its value
    Source:  a selection
    Example: vjp explain "np.compress([True, False, True], x)" x=1,2,3 --seed 1,10
    """
    x, axis = editing.flat_without_axis(x, axis)
    mask = condition_mask("condition", condition)
    if mask.ndim != 1 or mask.size > x.shape[axis]:
        raise fail(
            "mask-shape",
            f"a condition of shape {shape_text(mask.shape)} does not fit an axis of "
            f"{x.shape[axis]} entries",
        )
    return indexing.read_along(x, np.flatnonzero(mask), axis)


@operation(
    decided=("condition",),
    method_names=dict.fromkeys(LIBRARIES, ("compress",)),
    samples=(sample((3,), condition=(True, False, True)),),
    refuses=(Refusal(sample((2,), condition=(True, False, True)), "mask-shape"),),
)
def compressed(x, *, condition, axis=None):
    """The slices of x at which a condition holds, along an axis: x.compress(condition).

    Shapes:  x [n], condition [k] -> [number of True]; without an axis x is flattened first
    Kinks:   none; a condition that depends on an input is decided by its value
    Source:  `compress`
    Example: vjp explain "x.compress([True, False, True])" x=1,2,3 --seed 1,10
    """
    return compress(x, condition=condition, axis=axis)


@operation(
    decided=("condition",),
    argument_order=("condition", "x"),
    keyword_aliases={"arr": "x"},
    samples=(sample((2, 3), condition=((True, False, True), (False, True, True))),),
    refuses=(Refusal(sample((3,), condition=(True, False)), "mask-shape"),),
)
def extract(x, *, condition):
    """The entries of x at which a condition holds, in one row (np.extract).

    Shapes:  condition [...], x [...] -> [number of True]
    Kinks:   none; a condition that depends on an input is decided by its value
    Source:  `masked_select`
    Example: vjp explain "np.extract(x > 1, x)" x=1,2,3 --seed 1,10
    """
    return gathering.masked_select(x, mask=condition)


@operation(
    lists=("conditions", "choices"),
    library_names={"numpy": ("select",), "jax": ("select",)},
    keyword_aliases={"condlist": "conditions", "choicelist": "choices"},
    samples=(
        sample([[True, False, False], [True, True, False]], (2, 3)),
        sample([[True, False, False], [True, True, False]], (2, 3), ()),
    ),
    refuses=(Refusal(sample([[True, False, False]], (2, 3)), "axes-count"),),
)
def select_first(conditions, choices, default=None):
    """For each entry the choice of the first condition that holds there (np.select).

    Shapes:  conditions [k] of [...], choices [k] of [...] -> [...] (broadcast); default, 0 unless
             given, where none holds
    Kinks:   where a condition jumps
    Source:  `where`, one condition after the other
    Example: vjp explain "np.select([x < 0, x > 1], [-x, x**2], 0)" x=-1,0.5,2 --seed ones
    """
    masks = conditions if isinstance(conditions, list) else _unstacked(conditions)
    arrays = choices if isinstance(choices, list) else _unstacked(choices)
    if len(masks) != len(arrays):
        raise fail(
            "axes-count",
            f"as many choices as conditions are needed: {len(masks)}, not {len(arrays)}",
        )
    found = as_node(0.0) if default is None else default
    for mask, array in zip(reversed(masks), reversed(arrays), strict=True):
        found = comparison.where(mask, array, found)
    return found


@operation(
    lists=("conditions", "pieces"),
    keyword_aliases={"condlist": "conditions", "funclist": "pieces"},
    samples=(
        sample((3,), [[True, False, False], [False, True, True]], [-1.0, 2.0]),
        sample((3,), [[True, False, False]], [-1.0, 2.0]),
    ),
    refuses=(Refusal(sample((3,), [[True, False, False]], [-1.0, 2.0, 3.0]), "axes-count"),),
)
def piecewise(x, conditions, pieces):
    """A number for each entry of x: that of the last condition that holds there (np.piecewise).

    Pieces that are functions are written with `where` or `np.select`.

    Shapes:  x [...], conditions [k] of [...], pieces [k] or one more, for where none holds -> [...]
    Kinks:   where a condition jumps; no gradient reaches x
    Source:  `where`, one condition after the other
    Example: vjp explain "np.piecewise(x, [x < 0, x >= 0], [-1, 1]) * x" x=-1,2 --seed ones
    """
    masks = conditions if isinstance(conditions, list) else _unstacked(conditions)
    values = list(pieces) if isinstance(pieces, list) else _unstacked(pieces)
    if len(values) not in (len(masks), len(masks) + 1):
        raise fail(
            "axes-count", f"{len(masks)} or {len(masks) + 1} pieces are needed, not {len(values)}"
        )
    found = values.pop() if len(values) > len(masks) else as_node(0.0)
    for mask, value in zip(masks, values, strict=True):
        found = comparison.where(mask, value, found)
    return shape.broadcast_to(found, shape=x.shape) if found.shape != x.shape else found


DEEPEST_BLOCK = 32


@operation(nested_lists=("blocks",), samples=(sample((2, 3)),))
def block(blocks):
    """Blocks joined to one array: those of an inner list side by side, the lists below each other.

    Shapes:  [[a [m, k], b [m, l]], [c [n, k], d [n, l]]] -> [m + n, k + l]
    Kinks:   none
    Source:  each block receives its own part of the adjoint
    Example: vjp explain "np.block([[A, b], [c, 1]])" A=2 b=3 c=4 --seed ones
    """
    if not isinstance(blocks, list):
        return blocks
    levels = 0
    inner = blocks
    while isinstance(inner, list):
        if not inner or levels > DEEPEST_BLOCK:
            raise fail("ragged-rows", "block takes lists of blocks, none of them empty")
        levels += 1
        inner = inner[0]
    widest = max(levels, *_ranks(blocks, levels))
    level = blocks
    return _joined(level, levels, widest)


def _ranks(blocks, levels):
    """Axes of every block; all stand equally deep.

    Errors: ragged-rows.
    """
    layer = [blocks]
    for _ in range(levels):
        if not all(isinstance(one, list) for one in layer):
            raise fail("ragged-rows", "the blocks of block stand in lists of different depths")
        layer = [item for one in layer for item in one]
    if any(isinstance(one, list) for one in layer):
        raise fail("ragged-rows", "the blocks of block stand in lists of different depths")
    return [one.ndim for one in layer]


def _joined(blocks, levels, ndim):
    # No deeper than an array has axes: `block` has counted.
    if levels == 0:
        missing = (1,) * (ndim - blocks.ndim)
        return shape.reshape(blocks, shape=missing + blocks.shape) if missing else blocks
    parts = [_joined(one, levels - 1, ndim) for one in blocks]
    return joining.concatenate(*parts, axis=-levels)
