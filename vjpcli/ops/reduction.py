"""Reductions: many entries to one, along some axes or all."""

from __future__ import annotations

import numpy as np

from vjpcli.ops import shape
from vjpcli.ops.declaration import (
    operation,
    outcome,
    reduced_shape,
    sample,
    trailing_axes,
)

REDUCTION_SAMPLES = (
    sample((2, 3)),
    sample((2, 3), axis=0),
    sample((2, 3), axis=-1, keepdims=True),
    sample((2, 3, 2), axis=(0, 2)),
    sample((4,)),
    sample(()),
    sample((1, 3), axis=0),
)


def _restore_axes(g, axis, keepdims):
    """`g` with the reduced axes back as length 1, so that it broadcasts against the operand."""
    return g if keepdims or not axis else shape.expand_dims(g, axis=axis)


def _entries(x, axis):
    """How many entries of x go into one entry of the result."""
    return int(np.prod([x.shape[one] for one in axis], dtype=np.int64))


@operation(
    lambda x, *, axis, keepdims: np.sum(x, axis=axis, keepdims=keepdims),
    pattern="reduction",
    samples=(*REDUCTION_SAMPLES, sample((0,)), sample((2, 0), axis=1)),
    analytic=True,
)
def sum(x, *, axis=None, keepdims=False):
    """Sum of the entries, along some axes or all.

    Shapes:  x [...] -> [...] without the axes summed over
    Kinks:   none
    Source:  linearity: each entry receives the adjoint of its sum
    Example: vjp explain "sum(x**2, axis=1)" x=[[1,2],[3,4]] --seed 1,10
    """
    axis = trailing_axes(x, axis)
    return outcome(reduced_shape(x.shape, axis, keepdims), axis=axis, keepdims=bool(keepdims))


@sum.vjp
def _(g, y, x, *, axis, keepdims):
    return _restore_axes(g, axis, keepdims)


@operation(
    lambda x, *, axis, keepdims: np.mean(x, axis=axis, keepdims=keepdims),
    pattern="reduction",
    samples=REDUCTION_SAMPLES,
    analytic=True,
)
def mean(x, *, axis=None, keepdims=False):
    """Mean of the entries, along some axes or all.

    Shapes:  x [...] -> [...] without the axes averaged over
    Kinks:   none; the mean of nothing is nan
    Source:  linearity: each of N entries receives 1/N of the adjoint
    Example: vjp explain "mean((w*x - t)**2)" w=0.5 x=1,2,3 t=2,4,6 --wrt w
    """
    axis = trailing_axes(x, axis)
    return outcome(reduced_shape(x.shape, axis, keepdims), axis=axis, keepdims=bool(keepdims))


@mean.vjp
def _(g, y, x, *, axis, keepdims):
    return _restore_axes(g, axis, keepdims) / _entries(x, axis)
