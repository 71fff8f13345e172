"""Quantiles and percentiles, with and without nan: between the two entries beside a rank."""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    outcome,
    reduced_shape,
    sample,
    trailing_axes,
    trailing_axis,
)
from vjpcli.ops.keywords import one_of, plain_number, true_or_false
from vjpcli.ops.reductions import reduction, sorting
from vjpcli.ops.shapes import joining, ordering, selection, shape

BETWEEN = {
    "linear": (1, 1),
    "hazen": (1 / 2, 1 / 2),
    "weibull": (0, 0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
    "interpolated_inverted_cdf": (0, 1),
}
"""Method -> the two numbers by which Hyndman and Fan tell where between two ranks it lies."""

STEPS = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation")
INTERPOLATIONS = (*BETWEEN, "lower", "higher", "nearest", "midpoint", *STEPS)


def counted(x, axis, skip_nan):
    """How many entries of each lane take part, with the axis kept; nans sort to the end."""
    if skip_nan:
        return np.count_nonzero(~np.isnan(x), axis=axis, keepdims=True)
    kept = list(x.shape)
    kept[axis] = 1
    return np.full(kept, x.shape[axis])


def at_rank(x, rank, axis, skip_nan):
    """Positions of the entry of this rank in each lane; the first nan where one decides."""
    positions = np.take_along_axis(sorting.ordered(x, axis), np.maximum(rank, 0), axis)
    if skip_nan:
        return positions
    missing = np.isnan(x)
    first_nan = np.argmax(missing, axis=axis, keepdims=True)
    return np.where(missing.any(axis=axis, keepdims=True), first_nan, positions)


MOST_QUANTILES = 1_000
"""Each one is a few nodes of its own."""


def _rank_of(x, q, axis, interpolation, skip_nan):
    """The rank of quantile q in each lane: the entry below it, the one above, the way between."""
    count = np.maximum(counted(x, axis, skip_nan), 1)
    if interpolation in STEPS:
        return _step_of(q, count, interpolation)
    alpha, beta = BETWEEN.get(interpolation, (1, 1))
    exact = np.clip(count * q + (alpha + q * (1 - alpha - beta)) - 1, 0, count - 1)
    if interpolation not in BETWEEN or interpolation == "linear":
        exact = q * (count - 1)
    below, above = np.floor(exact), np.ceil(exact)
    if interpolation == "lower":
        above = below
    elif interpolation == "higher":
        below = above
    elif interpolation == "nearest":
        below = above = np.round(exact)
    between = np.where(above > below, 0.5 if interpolation == "midpoint" else exact - below, 0.0)
    return below.astype(np.intp), above.astype(np.intp), between


def _step_of(q, count, interpolation):
    """The rank by a method that takes an entry, or at a jump the middle of two."""
    exact = count * q - (1.5 if interpolation == "closest_observation" else 1)
    before = np.floor(exact)
    at_jump = exact == before
    if interpolation == "averaged_inverted_cdf":
        below = np.where(at_jump, before, before + 1)
        between = np.where(at_jump & (before >= 0) & (before + 1 < count), 0.5, 0.0)
        above = before + 1
    else:
        stays = at_jump & (before % 2 == 1) if interpolation == "closest_observation" else at_jump
        below = above = np.where(stays, before, before + 1)
        between = np.zeros(count.shape)
    below, above = (np.clip(one, 0, count - 1).astype(np.intp) for one in (below, above))
    return below, np.where(between > 0, above, below), between


def _quantile_positions(x, *, axis, q, interpolation, skip_nan, above):
    rank = _rank_of(x, q, axis, interpolation, skip_nan)[1 if above else 0]
    return at_rank(x, rank, axis, skip_nan)


def _quantile_weight(x, *, axis, q, interpolation, skip_nan):
    return _rank_of(x, q, axis, interpolation, skip_nan)[2].astype(x.dtype)


def _quantile(x, *, axis, q, interpolation, skip_nan):
    static = {"axis": axis, "q": q, "interpolation": interpolation, "skip_nan": skip_nan}
    below, above = (
        np.take_along_axis(x, _quantile_positions(x, **static, above=side), axis)
        for side in (False, True)
    )
    between = _quantile_weight(x, **static)
    # From the nearer end, as torch.lerp does: beside an infinity the other way gives nan.
    gap = above - below
    inside = np.where(between < 0.5, below + between * gap, above - (1 - between) * gap)
    value = np.where(between == 0, below, inside)
    return np.squeeze(value, axis).astype(x.dtype)


def _lane_outcome(x, axis, q, interpolation, skip_nan, *, keepdims=True, **static):
    axis = trailing_axis(x, axis)
    reduction.refuse_empty("quantile", x, (axis,))
    q = plain_number("q", q)
    if not 0 <= q <= 1:
        raise fail("keyword-value", f"q lies between 0 and 1, and {q} does not")
    return outcome(
        reduced_shape(x.shape, (axis,), keepdims),
        axis=axis,
        q=q,
        interpolation=one_of("interpolation", interpolation, INTERPOLATIONS),
        skip_nan=true_or_false("skip_nan", skip_nan),
        **static,
    )


@operation(_quantile_positions, kind="index")
def quantile_positions(x, *, axis, q, interpolation="linear", skip_nan=False, above=False):
    """Position of the entry just below, or above, a quantile. It has no derivative.

    Shapes:  x [... n ...] -> [... 1 ...]
    Kinks:   jumps where the order changes
    Source:  the entry of rank floor or ceil of q*(n - 1) of a stable sort
    Example: vjp explain "quantile(x, 0.25)" x=5,1,3,9
    """
    above = true_or_false("above", above)
    return _lane_outcome(x, axis, q, interpolation, skip_nan, above=above)


@operation(_quantile_weight, flat=True)
def quantile_weight(x, *, axis, q, interpolation="linear", skip_nan=False):
    """How far a quantile lies from the entry below it to the one above. Flat: its slope is 0.

    Shapes:  x [... n ...] -> [... 1 ...]
    Kinks:   none; it depends only on how many entries there are
    Source:  the fraction of q*(n - 1)
    Example: vjp explain "quantile(x, 0.25)" x=5,1,3,9
    """
    return _lane_outcome(x, axis, q, interpolation, skip_nan)


@quantile_weight.vjp
def _(g, y, x, **static):
    return (None,)


@operation(_quantile, pattern="reduction")
def quantile_along(x, *, axis, q, interpolation="linear", skip_nan=False):
    """One quantile along one axis: what `quantile` and `percentile` are made of.

    Shapes:  x [... n ...] -> [...] without the axis
    Kinks:   where the entries beside the quantile are equal to others
    Source:  y = (1 - w) a + w b between the entries a and b beside rank q*(n - 1): they receive
             1 - w and w of the adjoint (Hyndman and Fan, Amer. Statistician 50, 1996, type 7)
    Example: vjp explain "quantile(x, 0.25)" x=5,1,3,9
    """
    return _lane_outcome(x, axis, q, interpolation, skip_nan, keepdims=False)


@quantile_along.vjp
def _(g, y, x, *, axis, **static):
    g = shape.expand_dims(g, axis=axis)
    weight = quantile_weight(x, axis=axis, **static)
    below, above = (
        quantile_positions(x, axis=axis, **static, above=side) for side in (False, True)
    )
    length = x.shape[axis]
    return selection.put_along(
        g * (1 - weight), below, axis=axis, length=length
    ) + selection.put_along(g * weight, above, axis=axis, length=length)


def _quantiles(name, x, q, axis, keepdims, interpolation, *, most=1, skip_nan=False):
    """One quantile, or several stacked along a new first axis."""
    interpolation = one_of("interpolation", interpolation, INTERPOLATIONS)
    keepdims = true_or_false("keepdims", keepdims)
    if isinstance(q, list | tuple):
        if not q:
            raise fail("keyword-value", f"{name} needs at least one q")
        if len(q) > MOST_QUANTILES:
            raise fail("too-large", f"{name} takes at most {MOST_QUANTILES:,} q, not {len(q):,}")
        return joining.stack(
            *(
                _quantiles(
                    name, x, one, axis, keepdims, interpolation, most=most, skip_nan=skip_nan
                )
                for one in q
            ),
            axis=0,
        )
    q = plain_number("q", q)
    if not 0 <= q <= most:
        raise fail("keyword-value", f"q lies between 0 and {most}, and {q} does not")
    axes = trailing_axes(x, axis)
    reduction.refuse_empty(name, x, axes)
    lanes, lane_axis = _one_lane(x, axes)
    value = quantile_along(
        lanes, axis=lane_axis, q=q / most, interpolation=interpolation, skip_nan=skip_nan
    )
    return reduction.restore_axes(value, axes, False) if keepdims else value


def _one_lane(x, axes):
    """x with `axes` made into one, and that axis."""
    if len(axes) == 1:
        return x, axes[0]
    last = tuple(range(-len(axes), 0))
    if axes and axes != last:
        x = ordering.moveaxis(x, source=axes, destination=last)
    kept = x.shape[: x.ndim - len(axes)]
    return shape.reshape(x, shape=(*kept, reduction.entries(x, last))), -1


QUANTILE_REFUSED = (
    Refusal(sample((3,), q=-0.5), "keyword-value"),
    Refusal(sample((3,), q=101), "keyword-value"),
    Refusal(sample((3,), q=0.5, interpolation="cubic"), "keyword-value"),
    Refusal(sample((0,), q=0.5), "empty-reduction"),
    Refusal(sample((3,), q=[0.5] * 1001), "too-large"),
)


@operation(
    keyword_aliases={"method": "interpolation"},
    samples=(
        sample((4,), q=0.3),
        sample((2, 3), q=0.5),
        sample((2, 3), q=0.25, axis=1, keepdims=True),
        sample((4, 2), q=(0.1, 0.6), axis=0),
        sample((2, 3, 2), q=0.4, axis=(0, 2)),
        sample((4,), q=0.3, interpolation="lower"),
        sample((4,), q=0.3, interpolation="higher"),
        sample((4,), q=0.3, interpolation="nearest"),
        sample((4,), q=0.3, interpolation="midpoint"),
        *(sample((5,), q=0.4, interpolation=one) for one in (*BETWEEN, *STEPS)),
        sample((3,), q=1.0),
        sample((), q=0.2),
    ),
    refuses=QUANTILE_REFUSED,
    convention="quantile: interpolation={interpolation} (PyTorch and NumPy)",
    convention_about=("interpolation",),
)
def quantile(x, *, q, axis=None, keepdims=False, interpolation="linear"):
    """The number below which a fraction q of the entries lies, along some axes or all.

    Shapes:  x [...] -> [...] without the axes; several q give a new first axis
    Kinks:   where the entries beside the quantile are equal to others; the first in order count
    Source:  between the entries a and b beside rank q*(n - 1), at (1 - w) a + w b (Hyndman and
             Fan, Amer. Statistician 50, 1996, type 7); a and b receive 1 - w and w
    Example: vjp explain "quantile(x, 0.25)" x=5,1,3,9
    """
    return _quantiles("quantile", x, q, axis, keepdims, interpolation)


@operation(
    keyword_aliases={"method": "interpolation"},
    samples=(
        sample((4,), q=30),
        sample((4, 2), q=(10, 60), axis=0),
        sample((2, 3), q=25, axis=1, interpolation="higher"),
    ),
    refuses=QUANTILE_REFUSED[1:],
)
def percentile(x, *, q, axis=None, keepdims=False, interpolation="linear"):
    """The number below which q percent of the entries lie, along some axes or all.

    Shapes:  x [...] -> [...] without the axes; several q give a new first axis
    Kinks:   those of `quantile`
    Source:  the quantile q/100
    Example: vjp explain "percentile(x, 25)" x=5,1,3,9
    """
    return _quantiles("percentile", x, q, axis, keepdims, interpolation, most=100)


@operation(
    keyword_aliases={"method": "interpolation"},
    samples=(
        sample([1.0, np.nan, 3.0, -2.0, 0.5], q=0.3),
        sample([[1.0, np.nan, 3.0], [0.3, -2.0, 0.5]], q=(0.25, 0.5), axis=1),
    ),
    refuses=QUANTILE_REFUSED,
)
def nanquantile(x, *, q, axis=None, keepdims=False, interpolation="linear"):
    """The number below which a fraction q of the entries that are not nan lies.

    Shapes:  x [...] -> [...] without the axes; several q give a new first axis
    Kinks:   those of `quantile`; of nothing but nan it is nan
    Source:  see `quantile`; a nan receives 0
    Example: vjp explain "nanquantile(x, 0.25)" x=5,nan,3,9
    """
    return _quantiles("nanquantile", x, q, axis, keepdims, interpolation, skip_nan=True)


@operation(
    keyword_aliases={"method": "interpolation"},
    samples=(sample([1.0, np.nan, 3.0, -2.0, 0.5], q=30),),
    refuses=QUANTILE_REFUSED[1:],
)
def nanpercentile(x, *, q, axis=None, keepdims=False, interpolation="linear"):
    """The number below which q percent of the entries that are not nan lie.

    Shapes:  x [...] -> [...] without the axes; several q give a new first axis
    Kinks:   those of `quantile`; of nothing but nan it is nan
    Source:  the quantile q/100; a nan receives 0
    Example: vjp explain "nanpercentile(x, 25)" x=5,nan,3,9
    """
    return _quantiles("nanpercentile", x, q, axis, keepdims, interpolation, most=100, skip_nan=True)
