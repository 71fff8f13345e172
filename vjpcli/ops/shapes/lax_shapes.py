"""Other shapes in jax.lax's words: axes reversed, stretched, collapsed; entries chosen, counted."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import as_node, make_constant
from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text, trailing_axis
from vjpcli.ops.keywords import (
    array_shape,
    true_or_false,
    whole_number,
    whole_numbers,
)
from vjpcli.ops.numbers import comparison
from vjpcli.ops.reductions import sorting
from vjpcli.ops.shapes import indexing, lax_slices, ordering, selection, shape


@operation(
    library_names={"jax": ("lax.rev",)},
    keyword_aliases={"dimensions": "axis"},
    samples=(sample((3,), axis=(0,)), sample((2, 3), axis=(0, 1)), sample((2, 3), axis=())),
    refuses=(Refusal(sample((3,), axis=(1,)), "axis-out-of-range"),),
)
def reversed_along(x, *, axis):
    """The entries in reverse order along some axes: jax.lax.rev.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  `flip`
    Example: vjp explain "lax.rev(x, (0,))" x=1,2,3 --seed 1,10,100
    """
    several = axis if isinstance(axis, tuple) else (axis,)
    return ordering.flip(x, axis=several) if several else x


@operation(
    library_names={"jax": ("lax.broadcast",)},
    samples=(sample((3,), sizes=(2,)), sample((), sizes=(2, 2)), sample((2,), sizes=())),
    refuses=(Refusal(sample((3,), sizes=(-1,)), "shape-form"),),
)
def in_front(x, *, sizes):
    """Copies of x along new axes in front: jax.lax.broadcast.

    Shapes:  x [n], sizes (a, b) -> [a, b, n]
    Kinks:   none
    Source:  each entry receives the sum of the adjoints of its copies
    Example: vjp explain "lax.broadcast(x, (2,))" x=1,2 --seed ones
    """
    return shape.broadcast_to(x, shape=array_shape(sizes) + x.shape)


@operation(
    library_names={"jax": ("lax.broadcast_in_dim",)},
    samples=(
        sample((3,), shape=(2, 3), broadcast_dimensions=(1,)),
        sample((3,), shape=(3, 2), broadcast_dimensions=(0,)),
        sample((), shape=(2,), broadcast_dimensions=()),
        sample((1, 3), shape=(2, 3, 4), broadcast_dimensions=(0, 1)),
    ),
    refuses=(
        Refusal(sample((3,), shape=(2, 3), broadcast_dimensions=(0,)), "shape-mismatch"),
        Refusal(sample((3,), shape=(2, 3), broadcast_dimensions=()), "axes-count"),
        Refusal(sample((3,), shape=(3,), broadcast_dimensions=(1,)), "axis-out-of-range"),
    ),
)
def placed_in_axes(x, *, shape, broadcast_dimensions):
    """x laid along some axes of a shape, copied along the others: jax.lax.broadcast_in_dim.

    Shapes:  x [n], shape (a, n), broadcast_dimensions (1,) -> [a, n]
    Kinks:   none
    Source:  each entry receives the sum of the adjoints of its copies
    Example: vjp explain "lax.broadcast_in_dim(x, (2, 2), (0,))" x=1,2 --seed ones
    """
    wanted = array_shape(shape)
    places = lax_slices.one_per_axis("broadcast_dimensions", x, broadcast_dimensions)
    lengths = [1] * len(wanted)
    for length, place in zip(x.shape, places, strict=True):
        if not 0 <= place < len(wanted):
            raise fail("axis-out-of-range", f"axis {place} does not exist in {shape_text(wanted)}")
        lengths[place] = length
        if length not in (1, wanted[place]):
            raise fail(
                "shape-mismatch",
                f"{length} entries cannot be laid along axis {place} of {shape_text(wanted)}",
            )
    return _stretched(x, lengths, wanted)


def _stretched(x, lengths, wanted):
    return shape.broadcast_to(shape.reshape(x, shape=lengths), shape=wanted)


@operation(
    library_names={"jax": ("lax.collapse",)},
    samples=(
        sample((2, 3, 4), start_dimension=0, stop_dimension=2),
        sample((2, 3, 4), start_dimension=1),
    ),
    refuses=(Refusal(sample((2, 3), start_dimension=2, stop_dimension=1), "axes-reversed"),),
)
def collapsed(x, *, start_dimension, stop_dimension=None):
    """Neighbouring axes as one, from the first up to, without, the last: jax.lax.collapse.

    Shapes:  x [a, b, c], 0, 2 -> [a*b, c]
    Kinks:   none
    Source:  a rearrangement
    Example: vjp explain "lax.collapse(W, 0)" W=[[1,2],[3,4]] --seed ones
    """
    start = whole_number("start_dimension", start_dimension, least=-x.ndim, most=x.ndim)
    stop = x.ndim if stop_dimension is None else stop_dimension
    stop = whole_number("stop_dimension", stop, least=-x.ndim, most=x.ndim)
    start, stop = (one + x.ndim if one < 0 else one for one in (start, stop))
    if stop < start:
        raise fail("axes-reversed", f"axes {start} to {stop} are no range")
    middle = int(np.prod(x.shape[start:stop], dtype=np.int64))
    return shape.reshape(x, shape=(*x.shape[:start], middle, *x.shape[stop:]))


@operation(
    library_names={"jax": ("lax.pad",)},
    samples=(
        sample((3,), (), padding_config=((1, 2, 0),)),
        sample((3,), 1.5, padding_config=((0, 1, 2),)),
        sample((2, 4), (), padding_config=((1, 0, 0), (-1, -1, 0))),
        sample((3,), (), padding_config=((-2, 1, 1),)),
    ),
    refuses=(
        Refusal(sample((3,), (), padding_config=((1, 2),)), "pad-widths"),
        Refusal(sample((3,), (), padding_config=((0, 0, -1),)), "pad-widths"),
        Refusal(sample((3,), (2,), padding_config=((0, 0, 0),)), "rank-too-high"),
    ),
)
def pad_between(x, padding_value, *, padding_config):
    """One number put before, behind and between the entries along each axis: jax.lax.pad.

    Shapes:  x [n], padding_config ((low, high, between),) -> [low + n + (n - 1) between + high];
             a negative low or high cuts off
    Kinks:   none
    Source:  a rearrangement; the number receives the sum of the adjoints of its copies
    Example: vjp explain "lax.pad(x, 0.0, [(1, 1, 0)])" x=1,2,3 --seed ones
    """
    if padding_value.ndim:
        raise fail("rank-too-high", "the padding value of lax.pad is one number")
    several = padding_config if isinstance(padding_config, tuple) else ()
    if len(several) != x.ndim or any(not isinstance(o, tuple) or len(o) != 3 for o in several):
        raise fail("pad-widths", f"lax.pad takes (low, high, between) for each of {x.ndim} axes")
    targets, places, lengths = [], [], []
    for one, length in zip(several, x.shape, strict=True):
        low, high, between = whole_numbers("padding_config", one)
        if between < 0:
            raise fail("pad-widths", "nothing can be cut from between entries")
        total = low + high + length + max(length - 1, 0) * between
        if total < 0:
            raise fail("pad-widths", f"{-low - high} entries cannot be cut from {length}")
        at = low + np.arange(length) * (between + 1)
        inside = (at >= 0) & (at < total)
        targets.append(at[inside])
        places.append(np.flatnonzero(inside))
        lengths.append(total)
    refuse_oversized(lengths)
    kept = indexing.index(x, index=np.ix_(*places)) if x.ndim else x
    if not x.ndim:
        return x
    spread = indexing.add_into(kept, index=np.ix_(*targets), shape=tuple(lengths))
    filled = np.zeros(lengths, dtype=bool)
    filled[np.ix_(*targets)] = True
    return comparison.where(as_node(filled), spread, padding_value)


# --- choosing and ordering


@operation(
    library_names={"jax": ("lax.select_n",)},
    samples=(
        sample([True, False, True], (3,), (3,)),
        sample([[0.0, 2.0], [1.0, 1.0]], (2, 2), (2, 2), (2, 2)),
    ),
    refuses=(
        Refusal(sample((3,)), "missing-argument"),
        Refusal(sample([True, False], (2,), (2,), (2,)), "axes-count"),
    ),
)
def select_by_number(which, *cases):
    """For each entry the case of its number: jax.lax.select_n, False is the first of two.

    Shapes:  which [...], cases [...] -> [...]
    Kinks:   where which jumps
    Source:  `where`; an entry that was not taken receives 0
    Example: vjp explain "lax.select_n(x > 1, x, y)" x=1,2 y=3,4 --seed 1,10
    """
    if not cases:
        raise fail("missing-argument", "select_n needs the cases to choose from")
    if which.kind == "condition":
        if len(cases) > 2:
            raise fail("axes-count", f"True and False choose between 2 cases, not {len(cases)}")
        return comparison.where(which, cases[-1], cases[0])
    found = cases[0]
    for number, case in enumerate(cases[1:], start=1):
        found = comparison.where(comparison.greater(which, number - 0.5), case, found)
    return found


@operation(
    several=("keys", "values"),
    keyword_aliases={"dimension": "axis"},
    samples=(sample([3.0, 1.0, 2.0], (3,)), sample((2, 3), (2, 3), axis=0)),
    refuses=(Refusal(sample((3,), (2,)), "shape-mismatch"),),
)
def sort_key_val(keys, values, *, axis=-1, is_stable=True):
    """Keys in ascending order along an axis, and values in the order of their keys.

    Shapes:  keys [...], values [...] -> keys [...], values [...]
    Kinks:   where keys are equal; each keeps its place in the order
    Source:  a permutation: the adjoint is carried back to where the entries came from
    Example: vjp explain "lax.sort_key_val(k, v)[1]" k=3,1,2 v=5,6,7 --seed 1,10,100
    """
    if keys.shape != values.shape:
        raise fail(
            "shape-mismatch",
            f"sort_key_val cannot order shape {shape_text(values.shape)} by keys of shape "
            f"{shape_text(keys.shape)}",
        )
    true_or_false("is_stable", is_stable)
    axis = trailing_axis(keys, axis)
    ordered, positions = sorting.sort(keys, axis=axis)
    return ordered, selection.pick_along(values, positions, axis=axis)


# --- constants


@operation(
    library_names={"jax": ("lax.iota",)},
    refuses=(Refusal(sample(size=-1), "keyword-value"), Refusal(sample(size=10**12), "too-large")),
)
def counting_up(*, size):
    """The numbers 0, 1, 2, ...: jax.lax.iota.

    Shapes:  -> [size]
    Kinks:   none; it is constant
    Source:  a constant
    Example: vjp explain "lax.iota(jnp.float32, 3) * x" x=1,2,3 --seed ones
    """
    count = whole_number("size", size, least=0)
    refuse_oversized((count,))
    return make_constant(np.arange(float(count)))


@operation(
    library_names={"jax": ("lax.broadcasted_iota",)},
    keyword_aliases={"dimension": "axis"},
    refuses=(Refusal(sample(shape=(2, 3), axis=2), "axis-out-of-range"),),
)
def counting_along(*, shape, axis):
    """The numbers 0, 1, 2, ... along one axis: jax.lax.broadcasted_iota.

    Shapes:  -> shape
    Kinks:   none; it is constant
    Source:  a constant
    Example: vjp explain "lax.broadcasted_iota(jnp.float32, (2, 2), 1) * x" x=1,2 --seed ones
    """
    wanted = array_shape(shape)
    if not 0 <= whole_number("dimension", axis) < len(wanted):
        raise fail("axis-out-of-range", f"axis {axis} does not exist in {shape_text(wanted)}")
    alone = [1] * len(wanted)
    alone[int(axis)] = wanted[int(axis)]
    return make_constant(
        np.broadcast_to(np.arange(float(wanted[int(axis)])).reshape(alone), wanted)
    )
