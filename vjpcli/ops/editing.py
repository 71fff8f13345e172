"""Editing: entries inserted, deleted, replaced; arrays put together of pieces.

NumPy's own editing in place (`np.place`, `np.fill_diagonal`) gives nothing back: it is refused,
with the form that gives a new array.
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import LIBRARIES, as_node
from vjpcli.ops import comparison, gathering, indexing, joining, ordering, scattering, shape
from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    sample,
    shape_text,
    trailing_axis,
)
from vjpcli.ops.keywords import (
    array_shape,
    condition_mask,
    one_of,
    position_array,
    positions_within,
    true_or_false,
    whole_number,
)

# --- inserting and deleting


def _flat_without_axis(x, axis):
    """x and the axis to work along, counted from the end; the flattened x where none is given."""
    if axis is None:
        return (shape.ravel(x) if x.ndim != 1 else x), -1
    return x, trailing_axis(x, axis)


def _places(name, index, length):
    """Positions along an axis that a number, a list, a mask or a slice names.

    Errors: index-out-of-range, index-not-whole, mask-shape.
    """
    if isinstance(index, slice):
        return np.arange(length)[index]
    array = np.asarray(index)
    if array.dtype == np.bool_ and array.ndim:
        if array.shape != (length,):
            raise fail(
                "mask-shape",
                f"a mask of shape {shape_text(array.shape)} does not fit an axis of {length}",
            )
        return np.flatnonzero(array)
    return positions_within(name, index, length)


@operation(
    keyword_aliases={"obj": "index", "arr": "x"},
    decided=("index",),
    samples=(
        sample((4,), index=1),
        sample((4,), index=(0, -1)),
        sample((2, 3), index=1, axis=1),
        sample((2, 3), index=(0, 5)),
        sample((3,), index=(True, False, True)),
    ),
    refuses=(
        Refusal(sample((3,), index=3), "index-out-of-range"),
        Refusal(sample((3,), index=(True, False)), "mask-shape"),
        Refusal(sample((2, 3), index=0, axis=2), "axis-out-of-range"),
    ),
)
def delete(x, *, index, axis=None):
    """The entries of x without those at the given positions.

    Shapes:  x [n], index [k] -> [n - k]; without an axis x is flattened first
    Kinks:   none
    Source:  a selection: what is left out receives 0
    Example: vjp explain "np.delete(x, 1)" x=1,2,3 --seed 1,10
    """
    x, axis = _flat_without_axis(x, axis)
    length = x.shape[axis]
    kept = np.setdiff1d(np.arange(length), _places("index", index, length))
    return indexing.read_along(x, kept, axis)


@operation(
    keyword_aliases={"obj": "index", "arr": "x"},
    argument_order=("x", "index", "values", "axis"),
    decided=("index",),
    samples=(
        sample((3,), (), index=1),
        sample((3,), (2,), index=(1, 3)),
        sample((3,), (2,), index=1),
        sample((2, 3), (3,), index=1, axis=0),
        sample((2, 3), (2,), index=-1, axis=1),
        sample((2, 3), (2, 2), index=(0, 0), axis=1),
        sample((2, 2), (), index=4),
    ),
    refuses=(
        Refusal(sample((3,), (), index=4), "index-out-of-range"),
        Refusal(sample((3,), (3,), index=(0, 1)), "shape-mismatch"),
        Refusal(sample((2, 3), (4,), index=1, axis=0), "shape-mismatch"),
    ),
)
def insert(x, values, *, index, axis=None):
    """The entries of x with others inserted before the given positions.

    Shapes:  x [n], values [k] or a number -> [n + k]; without an axis x is flattened first
    Kinks:   none
    Source:  a rearrangement: x and values each receive their own part of the adjoint
    Example: vjp explain "np.insert(x, 1, y)" x=1,2,3 y=9 --seed 1,10,100,1000
    """
    x, axis = _flat_without_axis(x, axis)
    length = x.shape[axis]
    places = np.arange(length)[index] if isinstance(index, slice) else index
    places = position_array("index", places)
    alone = places.ndim == 0
    outside = places[(places < -length) | (places > length)]
    if outside.size:
        raise fail(
            "index-out-of-range",
            f"index {int(outside.flat[0])} is outside the places 0 to {length} between entries",
        )
    places = np.where(places < 0, places + length, places).reshape(-1)
    values = _as_inserted(x, values, axis, alone, places.size)
    count = values.shape[axis]
    if alone:
        places = np.repeat(places, count)
    # Each entry stands behind those that are inserted before it.
    order = np.argsort(np.concatenate([places - 0.5, np.arange(length)]), kind="stable")
    together = joining.concatenate(values, x, axis=axis)
    return indexing.read_along(together, order, axis)


def _as_inserted(x, values, axis, alone, count):
    """`values` in the form of the slices that are inserted along an axis of x.

    Errors: shape-mismatch.
    """
    if alone and values.ndim == x.ndim - 1 and values.ndim:
        values = shape.expand_dims(values, axis=axis)
    if alone and values.ndim < x.ndim and values.ndim:
        values = shape.reshape(values, shape=(1,) * (x.ndim - values.ndim) + values.shape)
    wanted = list(x.shape)
    wanted[axis] = values.shape[axis] if alone and values.ndim else count
    try:
        fits = np.broadcast_shapes(values.shape, tuple(wanted)) == tuple(wanted)
    except ValueError:
        fits = False
    if not fits:
        raise fail(
            "shape-mismatch",
            f"{shape_text(values.shape)} cannot be inserted into {shape_text(x.shape)}",
            notes=("a number, or one slice for each position",),
        )
    return shape.broadcast_to(values, shape=wanted)


@operation(
    samples=(
        sample((3,), shape=(2, 4)),
        sample((2, 2), shape=3),
        sample((), shape=2),
        sample((3,), shape=(0,)),
    ),
    keyword_aliases={"new_shape": "shape"},
    library_names={"numpy": ("resize",), "jax": ("resize",)},
    refuses=(
        Refusal(sample((3,), shape=-1), "shape-form"),
        Refusal(sample((0,), shape=2), "empty-reduction"),
    ),
)
def cyclic_resize(x, *, shape):
    """An array of another shape, filled with the entries of x from the first on, again and again.

    Shapes:  x [...] -> shape (np.resize)
    Kinks:   none
    Source:  a selection: each entry receives the sum of the adjoints of its copies
    Example: vjp explain "np.resize(x, (2, 3))" x=1,2 --seed ones
    """
    wanted = array_shape(shape)
    count = int(np.prod(wanted, dtype=np.int64))
    if count and not x.size:
        raise fail("empty-reduction", "resize of no entries has nothing to repeat")
    places = np.arange(count) % max(x.size, 1)
    return indexing.index(_raveled(x), index=(places.reshape(wanted),))


def _raveled(x):
    return shape.ravel(x)


@operation(
    present={"x": "now"},
    samples=(
        sample([0.0, 1.5, 0.0, 2.0, 0.0], now=np.array([0.0, 1.5, 0.0, 2.0, 0.0])),
        sample([0.0, 1.5], trim="b", now=np.array([0.0, 1.5])),
    ),
    refuses=(
        Refusal(sample([1.0, 0.0], trim="x", now=np.array([1.0, 0.0])), "keyword-value"),
        Refusal(sample((2, 2), now=np.zeros((2, 2))), "rank-too-high"),
    ),
)
def trim_zeros(x, *, trim="fb", now=None):
    """The entries of a vector without the zeros in front and behind. Decided by value.

    Shapes:  x [n] -> [k]
    Kinks:   where an entry at the end of what is kept becomes 0
    Source:  a selection: what is left out receives 0
    Example: vjp explain "np.trim_zeros(x)" x=0,2,0,3,0 --seed ones
    """
    ends = one_of("trim", trim.lower() if isinstance(trim, str) else trim, ("fb", "bf", "f", "b"))
    if x.ndim != 1:
        raise fail("rank-too-high", f"trim_zeros takes a vector, not {shape_text(x.shape)}")
    kept = np.flatnonzero(now)
    if not kept.size:
        return indexing.index(x, index=(slice(0, 0),))
    start = kept[0] if "f" in ends else 0
    stop = kept[-1] + 1 if "b" in ends else x.size
    return indexing.index(x, index=(slice(int(start), int(stop)),))


@operation(
    samples=(
        sample((2, 3, 4), axis=2),
        sample((2, 3, 4), axis=2, start=1),
        sample((2, 3), axis=0, start=2),
    ),
    refuses=(
        Refusal(sample((2, 3), axis=2), "axis-out-of-range"),
        Refusal(sample((2, 3), axis=0, start=3), "keyword-value"),
    ),
)
def rollaxis(x, *, axis, start=0):
    """The same entries with one axis moved before another.

    Shapes:  x [a, b, c], axis 2 -> [c, a, b]
    Kinks:   none
    Source:  np.rollaxis; a rearrangement: the adjoint is moved back
    Example: vjp explain "np.rollaxis(A, 1) @ x" A=[[1,2],[3,4]] x=1,10 --seed ones
    """
    place = trailing_axis(x, axis) + x.ndim
    target = whole_number("start", start, least=-x.ndim, most=x.ndim)
    target += x.ndim if target < 0 else 0
    return ordering.moveaxis(x, source=place, destination=target - (target > place))


# --- choosing


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
    return [indexing.index(x, index=(place,)) for place in range(x.shape[0])]


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
    x, axis = _flat_without_axis(x, axis)
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
        raise fail("axes-count", f"{len(masks)} conditions for {len(arrays)} choices")
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
        raise fail("axes-count", f"{len(masks)} conditions for {len(values)} pieces")
    found = values.pop() if len(values) > len(masks) else as_node(0.0)
    for mask, value in zip(masks, values, strict=True):
        found = comparison.where(mask, value, found)
    return shape.broadcast_to(found, shape=x.shape) if found.shape != x.shape else found


DEEPEST_BLOCK = 32


@operation(lists=("blocks",), samples=(sample((2, 3)),))
def block(blocks):
    """Blocks joined to one array: the innermost lists side by side, those of lists below (np.block).

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


# --- writing


def _refuse_in_place(name, inplace, instead):
    """Refuses a call that changes its array and gives nothing back.

    Errors: in-place.
    """
    if true_or_false("inplace", inplace):
        raise fail(
            "in-place",
            f"{name} changes its array in place and gives nothing back",
            notes=(f"{instead} gives the new array",),
        )


@operation(
    keyword_aliases={"val": "value", "a": "x"},
    samples=(
        sample((3, 3), (), inplace=False),
        sample((2, 3), (2,), inplace=False),
        sample((2, 2, 2), 1.5, inplace=False),
    ),
    refuses=(
        Refusal(sample((2, 2), ()), "in-place"),
        Refusal(sample((3,), (), inplace=False), "rank-too-low"),
        Refusal(sample((2, 3, 2), (), inplace=False), "square-needed"),
        Refusal(sample((3, 3), (2,), inplace=False), "shape-mismatch"),
    ),
)
def fill_diagonal(x, value, *, wrap=False, inplace=True):
    """A matrix with another diagonal: jnp.fill_diagonal(A, v, inplace=False).

    Shapes:  x [n, m], value [] or one for each entry of the diagonal -> [n, m]
    Kinks:   none
    Source:  the diagonal of x receives 0, value the adjoint of the diagonal
    Example: vjp explain "jnp.fill_diagonal(A, 0, inplace=False)" A=[[1,2],[3,4]] --seed ones
    """
    _refuse_in_place("fill_diagonal", inplace, "jnp.fill_diagonal(A, v, inplace=False)")
    if true_or_false("wrap", wrap):
        raise fail("keyword-value", "`wrap` of fill_diagonal is False here")
    if x.ndim < 2:
        raise fail("rank-too-low", f"a diagonal needs a matrix, not shape {shape_text(x.shape)}")
    if x.ndim > 2 and len(set(x.shape)) > 1:
        raise fail("square-needed", "of more than two axes all must be equally long")
    places = (np.arange(min(x.shape)),) * x.ndim
    if value.size not in (1, places[0].size):
        raise fail(
            "shape-mismatch",
            f"a diagonal of {places[0].size} entries cannot hold shape {shape_text(value.shape)}",
        )
    wanted = () if value.size == 1 else (value.size,)
    return scattering.write(x, places, shape.reshape(value, shape=wanted))


@operation(
    decided=("index",),
    argument_order=("x", "index", "values", "axis", "inplace"),
    keyword_aliases={"indices": "index", "arr": "x"},
    samples=(
        sample((2, 3), (), index=((0,), (1,)), axis=1, inplace=False),
        sample((2, 3), (2, 2), index=((0, 2), (1, 0)), axis=1, inplace=False),
    ),
    refuses=(
        Refusal(sample((2, 3), (), index=((0,), (1,)), axis=1), "in-place"),
        Refusal(sample((2, 3), (), index=(0, 1), axis=1, inplace=False), "gather-shape"),
        Refusal(sample((3,), (2,), index=(0, 0), axis=0, inplace=False), "repeated-write"),
    ),
)
def put_along_axis(x, values, *, index, axis, inplace=True):
    """x with others written at positions along an axis, as `take_along_axis` reads them.

    Shapes:  x [m, n], index [m, k], values [m, k] or a number, axis 1 -> [m, n]
    Kinks:   none; a position written twice is refused
    Source:  what was overwritten receives 0, each value the adjoint of its position
    Example: vjp explain "jnp.put_along_axis(x, [0, 2], v, 0, inplace=False)" x=1,2,3 v=9 --seed ones
    """
    _refuse_in_place("put_along_axis", inplace, "jnp.put_along_axis(..., inplace=False)")
    axis = trailing_axis(x, axis)
    found = positions_within("index", index, x.shape[axis], axis + x.ndim)
    if found.ndim != x.ndim:
        raise fail(
            "gather-shape",
            f"an index of shape {shape_text(found.shape)} does not fit {shape_text(x.shape)}",
            notes=("it has as many axes",),
        )
    return scattering.write(x, gathering.open_grid(x.shape, axis, found), values)


@operation(
    aliases=("putmask", "copyto"),
    decided=("where",),
    refuses=(Refusal(sample((2,), (2,)), "in-place"),),
)
def place(x, mask=None, values=None, *, where=None, inplace=True):
    """Refused: it changes an array in place, and here every step makes a new one.

    Shapes:  x [...] -> none
    Kinks:   none
    Source:  np.place, np.putmask, np.copyto
    Example: vjp explain "where(x > 1, 0, x)" x=1,2,3 --seed ones
    """
    raise fail(
        "in-place",
        "it changes its array in place and gives nothing back",
        notes=("where(mask, value, x) gives the new array",),
    )
