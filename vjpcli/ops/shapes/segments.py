"""Segments: stretches of an axis, or the entries of one group, each reduced to one number."""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import OPERATIONS, as_node
from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import (
    array_shape,
    one_of,
    plain_number,
    position_array,
    true_or_false,
    whole_number,
)
from vjpcli.ops.numbers import comparison
from vjpcli.ops.shapes import indexing, shape

NEUTRAL = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf}
"""What a place counts as where a segment has no further entry."""

REDUCTIONS = {"sum": "sum", "mean": "sum", "prod": "prod", "max": "amax", "min": "amin"}


def _reduced(x, table, how, initial=None):
    """x [B, n, ...] reduced over the positions in each row of `table` [B, S, width]; -1 is none."""
    behind = x.ndim - 2
    refuse_oversized((*table.shape, *x.shape[2:]))
    exists = table >= 0
    batch = np.arange(len(table))[:, None, None]
    read = indexing.index(x, index=(batch, np.maximum(table, 0)))
    there = np.broadcast_to(exists.reshape(*exists.shape, *(1,) * behind), read.shape)
    read = comparison.where(there, read, NEUTRAL[how])
    found = OPERATIONS[REDUCTIONS[how]](read, axis=-behind - 1)
    if initial is not None:
        # At a tie the entries take the adjoint, not the constant (PyTorch).
        found = {
            "sum": lambda: found + initial,
            "mean": lambda: found + initial,
            "prod": lambda: found * initial,
            "max": lambda: comparison.where(found < initial, initial, found),
            "min": lambda: comparison.where(found > initial, initial, found),
        }[how]()
    if how == "mean":
        # Nothing has no mean; with a constant to start from, that is the mean (PyTorch).
        counts = np.maximum(exists.sum(axis=-1), 0 if initial is None else 1)
        found = found / as_node(counts.reshape(*counts.shape, *(1,) * behind))
    return found


def _stretches(starts, stops):
    """[B, S, width] of the positions from each start up to, without, its stop; -1 behind them."""
    width = int(np.max(stops - starts, initial=1))
    refuse_oversized((*starts.shape, width))
    places = starts[..., None] + np.arange(max(1, width))
    return np.where(places < stops[..., None], places, -1)


def _bounds(x, lengths, offsets, axis, unsafe):
    """Starts and stops of the segments, [..., S] each.

    Errors: missing-argument, keyword-value, shape-mismatch, index-not-whole.
    """
    if (lengths is None) == (offsets is None):
        raise fail("missing-argument", "segment_reduce needs either lengths= or offsets=")
    name, given = ("lengths", lengths) if offsets is None else ("offsets", offsets)
    numbers = position_array(name, given)
    if numbers.ndim != axis + 1 or numbers.shape[:-1] != x.shape[:axis]:
        raise fail(
            "shape-mismatch",
            f"`{name}` of shape {shape_text(numbers.shape)} does not divide axis {axis} of "
            f"{shape_text(x.shape)}",
        )
    if offsets is None:
        stops = np.cumsum(numbers, axis=-1)
        starts = stops - numbers
    else:
        starts, stops = numbers[..., :-1], numbers[..., 1:]
    length = x.shape[axis]
    wrong = np.any(stops < starts) or np.any(starts < 0) or np.any(stops > length)
    if offsets is None and not true_or_false("unsafe", unsafe):
        wrong = wrong or np.any(numbers.sum(axis=-1) != length)
    if wrong:
        raise fail(
            "keyword-value",
            f"`{name}` does not divide the {length} entries of axis {axis}: {given}",
        )
    return starts, stops


@operation(
    decided=("lengths", "offsets"),
    keyword_aliases={"data": "x"},
    samples=(
        sample((4,), reduce="sum", lengths=(2, 0, 2)),
        sample((3, 2), reduce="mean", lengths=(1, 2)),
        sample((4,), reduce="max", offsets=(0, 1, 4)),
        sample((4,), reduce="min", lengths=(3, 1), initial=0.5),
        sample((2, 3), reduce="prod", lengths=((1, 2), (3, 0)), axis=1, initial=2),
        sample([2.0, 0.0, 3.0], reduce="prod", lengths=(3,)),
    ),
    refuses=(
        Refusal(sample((3,), reduce="sum"), "missing-argument"),
        Refusal(sample((3,), reduce="sum", lengths=(1, 1)), "keyword-value"),
        Refusal(sample((3,), reduce="sum", offsets=(0, 4)), "keyword-value"),
        Refusal(sample((3,), reduce="sum", lengths=((1, 2),)), "shape-mismatch"),
        Refusal(sample((3,), reduce="add", lengths=(3,)), "keyword-value"),
        Refusal(sample((), reduce="sum", lengths=(1,)), "rank-too-low"),
        Refusal(sample((3,), reduce="sum", indices=(0, 0, 1)), "keyword-value"),
    ),
)
def segment_reduce(
    x, *, reduce, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None
):
    """Stretches of an axis, one behind the other, each reduced: sum, mean, max, min or prod.

    Shapes:  x [n, ...], lengths [S] or offsets [S + 1] -> [S, ...]; for axis 1 x [B, n, ...] and
             lengths [B, S]
    Kinks:   max and min: where several entries are largest, they share the adjoint (PyTorch)
    Source:  a selection, and the rule of the reduction. A segment without entries gives initial,
             or 0 for sum, 1 for prod, nan for mean, -inf for max, inf for min
    Example: vjp explain "torch.segment_reduce(x, 'max', lengths=[2, 1])" x=1,3,2 --seed 1,10
    """
    how = one_of("reduce", reduce, tuple(NEUTRAL))
    if indices is not None:
        raise fail("keyword-value", "segment_reduce takes lengths= or offsets= (PyTorch)")
    if x.ndim == 0:
        raise fail("rank-too-low", "segment_reduce needs an axis, and a number has none")
    axis = whole_number("axis", axis, least=0, most=x.ndim - 1)
    starts, stops = _bounds(x, lengths, offsets, axis, unsafe)
    batch = math.prod(x.shape[:axis])
    count = starts.shape[-1]
    table = _stretches(starts.reshape(batch, count), stops.reshape(batch, count))
    rows = shape.reshape(x, shape=(batch, *x.shape[axis:]))
    initial = None if initial is None else plain_number("initial", initial)
    found = _reduced(rows, table, how, initial)
    return shape.reshape(found, shape=(*x.shape[:axis], count, *x.shape[axis + 1 :]))


def _groups(name, x, segment_ids, num_segments):
    """[1, S, width]: the positions of the entries of each group; -1 behind them.

    Errors: shape-mismatch, index-not-whole, too-large, keyword-value.
    """
    groups = position_array("segment_ids", segment_ids)
    if x.ndim == 0 or groups.shape != x.shape[:1]:
        raise fail(
            "shape-mismatch",
            f"{name} needs one group number for each entry of the first axis of "
            f"{shape_text(x.shape)}, not {shape_text(groups.shape)}",
        )
    usual = int(groups.max(initial=-1)) + 1
    count = usual if num_segments is None else whole_number("num_segments", num_segments, least=0)
    array_shape(count)
    # JAX leaves out what belongs to no group.
    listed = np.flatnonzero((groups >= 0) & (groups < count))
    members = listed[np.argsort(groups[listed], kind="stable")]
    times = np.bincount(groups[listed], minlength=count)
    table = _stretches(np.cumsum(times) - times, np.cumsum(times))
    return np.where(table >= 0, np.append(members, 0)[table], -1)[None]


GROUP_SAMPLES = (
    sample((4,), segment_ids=(0, 2, 0, 1)),
    sample((3, 2), segment_ids=(1, 1, 0), num_segments=3),
)
GROUP_REFUSALS = (
    Refusal(sample((3,), segment_ids=(0, 1)), "shape-mismatch"),
    Refusal(sample((3,), segment_ids=(0, 0.5, 1)), "index-not-whole"),
    Refusal(sample((3,), segment_ids=(0, 1, 1), num_segments=-1), "keyword-value"),
    Refusal(sample((3,), segment_ids=(0, 1, 10**12)), "too-large"),
)


def _of_groups(name, how, x, segment_ids, num_segments):
    table = _groups(name, x, segment_ids, num_segments)
    rows = shape.expand_dims(x, axis=0)
    return shape.squeeze(_reduced(rows, table, how), axis=-x.ndim - 1)


@operation(
    decided=("segment_ids",),
    keyword_aliases={"data": "x"},
    samples=(*GROUP_SAMPLES, sample((2,), segment_ids=(5, -1), num_segments=2)),
    refuses=GROUP_REFUSALS,
    analytic=True,
)
def segment_sum(x, *, segment_ids, num_segments=None, indices_are_sorted=False):
    """The sum of the entries of each group (jax.ops.segment_sum).

    Shapes:  x [n, ...], segment_ids [n] -> [num_segments, ...]; one more than the largest group
    Kinks:   none
    Source:  each entry receives the adjoint of its group; one of no group receives 0
    Example: vjp explain "jax.ops.segment_sum(x, [0, 1, 0])" x=1,2,3 --seed 1,10
    """
    return _of_groups("segment_sum", "sum", x, segment_ids, num_segments)


@operation(
    decided=("segment_ids",),
    keyword_aliases={"data": "x"},
    samples=GROUP_SAMPLES,
    refuses=GROUP_REFUSALS,
)
def segment_prod(x, *, segment_ids, num_segments=None, indices_are_sorted=False):
    """The product of the entries of each group (jax.ops.segment_prod).

    Shapes:  x [n, ...], segment_ids [n] -> [num_segments, ...]; 1 for a group without entries
    Kinks:   none
    Source:  `prod`
    Example: vjp explain "jax.ops.segment_prod(x, [0, 1, 0])" x=1,2,3 --seed 1,10
    """
    return _of_groups("segment_prod", "prod", x, segment_ids, num_segments)


@operation(
    decided=("segment_ids",),
    keyword_aliases={"data": "x"},
    samples=GROUP_SAMPLES[:1],
    refuses=GROUP_REFUSALS,
)
def segment_max(x, *, segment_ids, num_segments=None, indices_are_sorted=False):
    """The largest entry of each group (jax.ops.segment_max).

    Shapes:  x [n, ...], segment_ids [n] -> [num_segments, ...]; -inf for a group without entries
    Kinks:   where several entries are largest they share the adjoint
    Source:  `amax`
    Example: vjp explain "jax.ops.segment_max(x, [0, 1, 0])" x=1,2,3 --seed 1,10
    """
    return _of_groups("segment_max", "max", x, segment_ids, num_segments)


@operation(
    decided=("segment_ids",),
    keyword_aliases={"data": "x"},
    samples=GROUP_SAMPLES[:1],
    refuses=GROUP_REFUSALS,
)
def segment_min(x, *, segment_ids, num_segments=None, indices_are_sorted=False):
    """The smallest entry of each group (jax.ops.segment_min).

    Shapes:  x [n, ...], segment_ids [n] -> [num_segments, ...]; inf for a group without entries
    Kinks:   where several entries are smallest they share the adjoint
    Source:  `amin`
    Example: vjp explain "jax.ops.segment_min(x, [0, 1, 0])" x=1,2,3 --seed 1,10
    """
    return _of_groups("segment_min", "min", x, segment_ids, num_segments)
