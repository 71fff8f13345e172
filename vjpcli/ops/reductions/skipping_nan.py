"""Reductions and scans that skip nan: what is missing counts for nothing."""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import operation, sample
from vjpcli.ops.numbers import comparison
from vjpcli.ops.reductions import extreme, reduction, scan


@operation(decided=("where",), samples=reduction.NAN_SAMPLES)
def nansum(x, *, axis=None, keepdims=False, initial=None, where=None):
    """Sum of the entries that are not nan, along some axes or all.

    Shapes:  x [...] -> [...] without the axes summed over
    Kinks:   none; a nan counts as 0 and receives 0
    Source:  linearity, over the entries that are numbers
    Example: vjp explain "nansum(x)" x=1,nan,3
    """
    numbers = comparison.where(comparison.isnan(x), 0, x)
    return reduction.sum(numbers, axis=axis, keepdims=keepdims, initial=initial, where=where)


@operation(samples=reduction.NAN_SAMPLES)
def nanmean(x, *, axis=None, keepdims=False):
    """Mean of the entries that are not nan, along some axes or all.

    Shapes:  x [...] -> [...] without the axes averaged over
    Kinks:   none; a nan receives 0, and the mean of nothing but nan is nan
    Source:  linearity, over the N entries that are numbers: each receives 1/N of the adjoint
    Example: vjp explain "nanmean(x)" x=1,nan,3
    """
    missing = comparison.isnan(x)
    counted = reduction.sum(comparison.where(missing, 0.0, 1.0), axis=axis, keepdims=keepdims)
    return nansum(x, axis=axis, keepdims=keepdims) / counted


@operation(decided=("where",), samples=(sample((2, 3)), sample((2, 3), axis=0, keepdims=True)))
def nanprod(x, *, axis=None, keepdims=False, initial=None, where=None):
    """Product of the entries that are numbers; nan counts as 1.

    Shapes:  x [...] -> [...] without the axes reduced
    Kinks:   none
    Source:  `prod` with 1 in the place of nan, which receives 0
    Example: vjp explain "nanprod(x)" x=2,nan,3
    """
    numbers = comparison.where(comparison.isnan(x), 1, x)
    return reduction.prod(numbers, axis=axis, keepdims=keepdims, initial=initial, where=where)


@operation(samples=(sample((4,)), sample((2, 3), axis=1)))
def nancumsum(x, *, axis=None):
    """Running sum of the entries that are numbers; nan counts as 0.

    Shapes:  x [...] -> [...]; without an axis the flattened x
    Kinks:   none
    Source:  `cumsum` with 0 in the place of nan, which receives 0
    Example: vjp explain "nancumsum(x)" x=2,nan,3 --seed ones
    """
    return scan.cumsum(comparison.where(comparison.isnan(x), 0, x), axis=axis)


@operation(samples=(sample((4,)), sample((2, 3), axis=1)))
def nancumprod(x, *, axis=None):
    """Running product of the entries that are numbers; nan counts as 1.

    Shapes:  x [...] -> [...]; without an axis the flattened x
    Kinks:   none
    Source:  `cumprod` with 1 in the place of nan, which receives 0
    Example: vjp explain "nancumprod(x)" x=2,nan,3 --seed ones
    """
    return scan.cumprod(comparison.where(comparison.isnan(x), 1, x), axis=axis)


@operation(samples=reduction.NAN_SAMPLES)
def nanmax(x, *, axis=None, keepdims=False):
    """Largest entry that is not nan, along some axes or all; ties share the adjoint.

    Shapes:  x [...] -> [...] without the axes searched
    Kinks:   those of `amax`; of nothing but nan it is nan
    Source:  the largest number takes the adjoint, a nan receives 0
    Example: vjp explain "nanmax(x)" x=1,nan,3
    """
    return _of_numbers(extreme.amax, -np.inf, x, axis, keepdims)


@operation(samples=reduction.NAN_SAMPLES)
def nanmin(x, *, axis=None, keepdims=False):
    """Smallest entry that is not nan, along some axes or all; ties share the adjoint.

    Shapes:  x [...] -> [...] without the axes searched
    Kinks:   those of `amin`; of nothing but nan it is nan
    Source:  the smallest number takes the adjoint, a nan receives 0
    Example: vjp explain "nanmin(x)" x=1,nan,3
    """
    return _of_numbers(extreme.amin, np.inf, x, axis, keepdims)


def _of_numbers(search, worst, x, axis, keepdims):
    missing = comparison.isnan(x)
    found = search(comparison.where(missing, worst, x), axis=axis, keepdims=keepdims)
    nothing = reduction.all(missing, axis=axis, keepdims=keepdims)
    return comparison.where(nothing, np.nan, found)
