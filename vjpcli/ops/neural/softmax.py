"""Softmax and its logarithm: exact also where one entry has taken nearly everything.

The textbook rule y (g - sum(g y)) loses the slope of a saturated entry: for y = [1, 4e-18] and
the seed [1, 0] it gives 1 (1 - 1) = 0, where the slope is 4e-18. But adding one number to every
entry of g changes nothing, since the entries of y sum to 1. So the rule subtracts the weighted
mean of g first and applies itself to what is left: the second mean is computed from small
numbers, and nothing is rounded away.
"""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import (
    TEXTBOOK,
    TORCH_AS_MEASURED,
    Refusal,
    operation,
    outcome,
    sample,
    trailing_axes,
)
from vjpcli.ops.numbers import comparison, elementary
from vjpcli.ops.reductions import reduction

ALONG_AXIS_SAMPLES = (
    sample((4,)),
    sample((2, 3)),
    sample((2, 3), axis=0),
    sample((2, 3, 2), axis=-2),
    sample((2, 3), axis=None),
    sample((2, 2, 3), axis=(0, 2)),
    sample((1,)),
    sample(()),
    sample((0, 3)),
    sample((3, 0)),
    sample([[30.0, -5.0, 0.0], [1.0, 2.0, 0.5]]),
)
ALONG_AXIS_REFUSALS = (
    Refusal(sample((3,), axis=1), "axis-out-of-range"),
    Refusal(sample((3,), axis=0.5), "axis-not-whole"),
    Refusal(sample((2, 3), axis=(0, 0)), "axis-twice"),
)


def axes_of(x, axis):
    """The axes to share out over; a scalar, which has none, is a single entry."""
    return () if x.ndim == 0 and axis in (-1, 0) else trailing_axes(x, axis)


def _below_largest(x, axis):
    """x less its largest entry, so that exp cannot overflow."""
    x = x if x.dtype.kind in "fc" else x.astype(np.float64)  # positions are whole numbers
    return x - np.max(x, axis=axis, keepdims=True, initial=-np.inf)


def _softmax(x, *, axis):
    powers = np.exp(_below_largest(x, axis))
    return powers / np.sum(powers, axis=axis, keepdims=True)


@operation(
    _softmax,
    pattern="along-axis",
    samples=ALONG_AXIS_SAMPLES,
    refuses=ALONG_AXIS_REFUSALS,
    library_defaults={"numpy": {"axis": None}},
    remark="softmax: with the result p its Jacobian is diag(p) - outer(p, p), whose rows add up "
    "to 0, so that a seed of ones gives 0.",
    analytic=True,
)
def softmax(x, *, axis=-1):
    """exp of each entry, divided by their sum: positive shares that add up to 1.

    Shapes:  x [...] -> [...]; without an axis along the last one (JAX, and PyTorch's implicit
             choice for vectors and matrices; scipy.special.softmax takes all axes)
    Kinks:   none; an entry of -inf has the share 0 and the slope 0
    Source:  Jacobian diag(y) - y y^T, applied to g less its weighted mean, see the module
    Example: vjp explain "softmax(x)" x=1,2,0.5 --seed 1,0,0
    """
    return outcome(x.shape, axis=axes_of(x, axis))


@softmax.vjp
def _(g, y, x, *, axis):
    centred = g - reduction.sum(g * y, axis=axis, keepdims=True)
    return y * (centred - reduction.sum(centred * y, axis=axis, keepdims=True))


@softmax.vjp_like(TEXTBOOK)
def _(g, y, x, *, axis):
    return y * (g - reduction.sum(g * y, axis=axis, keepdims=True))


# The slope of an entry is rounded away once its share has become 1.
@softmax.vjp_like(TORCH_AS_MEASURED)
@softmax.vjp_like("jax")
def _(g, y, x, *, axis):
    textbook, right = (softmax.rules[name](g, y, x, axis=axis) for name in (TEXTBOOK, "torch"))
    return comparison.where(comparison.equal(y, 1), textbook, right)


def _log_softmax(x, *, axis):
    below = _below_largest(x, axis)
    powers = np.exp(below)
    # The largest entry contributes a 1, which log1p adds without rounding the others away.
    others = np.sum(np.where(below == 0, 0, powers), axis=axis, keepdims=True)
    ties = np.sum(below == 0, axis=axis, keepdims=True)
    return below - np.log1p(others + (ties - 1).astype(powers.dtype))


@operation(
    _log_softmax,
    pattern="along-axis",
    aliases=("logsoftmax",),
    samples=ALONG_AXIS_SAMPLES,
    refuses=ALONG_AXIS_REFUSALS,
    library_defaults={"numpy": {"axis": None}},
    analytic=True,
)
def log_softmax(x, *, axis=-1):
    """Logarithm of the softmax: each entry less the logsumexp of all.

    Shapes:  x [...] -> [...]; without an axis along the last one, as softmax
    Kinks:   none; an entry of -inf stays -inf and has no influence on the others
    Source:  g - softmax(x) sum(g). What is left adds up to 0, so its own sum is the rounding
             error of a saturated entry, and the rule takes it out again
    Example: vjp explain "log_softmax(x)" x=1,2,0.5 --seed 1,0,0
    """
    return outcome(x.shape, axis=axes_of(x, axis))


@log_softmax.vjp
def _(g, y, x, *, axis):
    shares = elementary.exp(y)
    contribution = g - shares * reduction.sum(g, axis=axis, keepdims=True)
    return contribution - shares * reduction.sum(contribution, axis=axis, keepdims=True)


@log_softmax.vjp_like(TEXTBOOK)
def _(g, y, x, *, axis):
    return g - softmax(x, axis=axis) * reduction.sum(g, axis=axis, keepdims=True)


@log_softmax.vjp_like(TORCH_AS_MEASURED)
@log_softmax.vjp_like("jax")
def _(g, y, x, *, axis):
    textbook, right = (log_softmax.rules[name](g, y, x, axis=axis) for name in (TEXTBOOK, "torch"))
    return comparison.where(comparison.equal(elementary.exp(y), 1), textbook, right)


@operation(samples=ALONG_AXIS_SAMPLES, refuses=ALONG_AXIS_REFUSALS, analytic=True)
def softmin(x, *, axis=-1):
    """The softmax of -x: the smallest entry gets the largest share.

    Shapes:  x [...] -> [...]; without an axis along the last one, as softmax
    Kinks:   none
    Source:  softmax(-x)
    Example: vjp explain "softmin(x)" x=1,2,0.5 --seed 1,0,0
    """
    return softmax(-x, axis=axis)
