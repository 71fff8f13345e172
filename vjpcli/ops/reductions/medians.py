"""Medians: PyTorch's is the lower of the middle two, NumPy's and JAX's the mean of them.

The lower median is one of the entries, so it gives the adjoint to an entry (or, over everything,
to all that equal it). The mean of two is the quantile 0.5.
"""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import (
    Kink,
    Refusal,
    operation,
    outcome,
    reduced_shape,
    sample,
    trailing_axes,
    trailing_axis,
)
from vjpcli.ops.keywords import one_of, true_or_false
from vjpcli.ops.reductions import extreme, quantiles, reduction
from vjpcli.ops.shapes import selection

MEAN_OF_TWO = {"numpy": {"middle": "mean"}, "jax": {"middle": "mean"}}
MEDIAN_SAMPLES = (
    sample((4,), middle="mean"),
    sample((2, 4), axis=1, middle="mean"),
    sample((5,)),
    sample((4,)),
    sample((2, 3)),
    sample(()),
    sample((2, 3), axis=0),
    sample((4, 2), axis=0, keepdims=True),
)
MEDIAN_REFUSED = (
    Refusal(sample((0,)), "empty-reduction"),
    Refusal(sample((2, 3), axis=2), "axis-out-of-range"),
    Refusal(sample((2,), middle="upper"), "keyword-value"),
)


def _median_positions(x, *, axis, skip_nan):
    return quantiles.at_rank(x, (quantiles.counted(x, axis, skip_nan) - 1) // 2, axis, skip_nan)


@operation(_median_positions, kind="index")
def median_positions(x, *, axis=-1, skip_nan=False):
    """Position of the lower median along an axis. It has no derivative.

    Shapes:  x [... n ...] -> [... 1 ...]
    Kinks:   jumps where the median changes
    Source:  the entry of rank (n - 1)//2 of a stable sort
    Example: vjp explain "x[median_positions(x)]" x=5,1,3,9
    """
    return _one_kept(x, axis, skip_nan)


def _one_kept(x, axis, skip_nan):
    axis = trailing_axis(x, axis)
    reduction.refuse_empty("median", x, (axis,))
    skip_nan = true_or_false("skip_nan", skip_nan)
    return outcome(reduced_shape(x.shape, (axis,), True), axis=axis, skip_nan=skip_nan)


def _lower_median(x, *, axis, skip_nan):
    positions = _median_positions(x, axis=axis, skip_nan=skip_nan)
    return np.take_along_axis(x, positions, axis)


@operation(
    _lower_median,
    pattern=lambda x, *, axis, skip_nan: np.bitwise_or.reduce(x, axis=axis, keepdims=True),
    samples=(sample((5,)), sample((4, 3), axis=0)),
    refuses=(Refusal(sample((0,)), "empty-reduction"),),
    kinks=(
        Kink(
            "several entries equal the median",
            lambda y, x, *, axis, skip_nan: np.count_nonzero(x == y, axis=axis, keepdims=True) > 1,
            slopes=(0, 1),
            used=0,
            point=([1.0, 1.0, 0.0, 2.0, 3.0],),
            says="one of them takes the whole adjoint",
        ),
    ),
)
def median_along(x, *, axis=-1, skip_nan=False):
    """The lower median along one axis, which stays with length 1: part of `median(x, dim)`.

    Shapes:  x [... n ...] -> [... 1 ...]
    Kinks:   where several entries equal the median, the middle one of them takes the adjoint
    Source:  a selection: the adjoint goes to the place that `median_positions` names
    Example: vjp explain "median(x, dim=0)" x=5,1,3,9
    """
    return _one_kept(x, axis, skip_nan)


@median_along.vjp
def _(g, y, x, *, axis, skip_nan):
    positions = median_positions(x, axis=axis, skip_nan=skip_nan)
    return selection.put_along(g, positions, axis=axis, length=x.shape[axis])


def _median_of_all(x, skip_nan):
    lane = x.reshape(-1)
    return lane[_median_positions(lane, axis=-1, skip_nan=skip_nan)[0]]


def _median(operation_name, x, axis, keepdims, middle, skip_nan):
    if one_of("middle", middle, ("lower", "mean")) == "mean":
        quantile = quantiles.nanquantile if skip_nan else quantiles.quantile
        return quantile(x, q=0.5, axis=axis, keepdims=keepdims)
    if axis is None:
        reduction.refuse_empty(operation_name, x, trailing_axes(x, None))
        return reduction.reduction_outcome(x, None, False)
    axis = trailing_axis(x, axis)
    reduction.refuse_empty(operation_name, x, (axis,))
    keepdims = true_or_false("keepdims", keepdims)
    found = (
        median_along(x, axis=axis, skip_nan=skip_nan),
        median_positions(x, axis=axis, skip_nan=skip_nan),
    )
    return tuple(reduction.drop_axes(one, (axis,), keepdims) for one in found)


_MEDIAN_KINK = Kink(
    "several entries equal the median",
    extreme.tied,
    slopes=(0, 1),
    used=0.5,
    point=([1.0, 1.0, 0.0, 2.0, 3.0],),
)


@operation(
    lambda x, *, axis, keepdims: _median_of_all(x, skip_nan=False),
    pattern="reduction",
    several=("values", "indices"),
    library_defaults=MEAN_OF_TWO,
    convention="median: of an even count the {middle} of the middle two "
    "(PyTorch: lower; NumPy and JAX: mean)",
    samples=MEDIAN_SAMPLES,
    refuses=MEDIAN_REFUSED,
    kinks=(_MEDIAN_KINK,),
)
def median(x, *, axis=None, keepdims=False, middle="lower"):
    """The middle entry; of an even count the lower of the middle two (PyTorch).

    Shapes:  x [...] -> scalar; with an axis (values, indices), each [...] without it
    Kinks:   entries that equal the median share the adjoint; along an axis one of them takes it
    Source:  a selection: the adjoint goes to the entry that was taken. middle="mean" takes the
             mean of the middle two and halves the adjoint (NumPy, JAX)
    Example: vjp explain "median(x)" x=5,1,3,9
    """
    return _median("median", x, axis, keepdims, middle, skip_nan=False)


@operation(
    lambda x, *, axis, keepdims: _median_of_all(x, skip_nan=True),
    pattern="reduction",
    several=("values", "indices"),
    library_defaults=MEAN_OF_TWO,
    convention="nanmedian: of an even count the {middle} of the middle two "
    "(PyTorch: lower; NumPy and JAX: mean)",
    samples=(*MEDIAN_SAMPLES, *reduction.NAN_SAMPLES),
    refuses=MEDIAN_REFUSED,
    kinks=(_MEDIAN_KINK,),
)
def nanmedian(x, *, axis=None, keepdims=False, middle="lower"):
    """The middle entry of those that are not nan; the lower of the middle two (PyTorch).

    Shapes:  x [...] -> scalar; with an axis (values, indices), each [...] without it
    Kinks:   entries that equal the median share the adjoint; along an axis one of them takes it
    Source:  a selection: the adjoint goes to the entry that was taken, a nan receives 0.
             middle="mean" takes the mean of the middle two (NumPy, JAX)
    Example: vjp explain "nanmedian(x)" x=5,nan,3,9
    """
    return _median("nanmedian", x, axis, keepdims, middle, skip_nan=True)


for _one in (median, nanmedian):
    _one.vjp(extreme.share_among_equal_or_nan)
