"""Exponential linear units: a line on the right of 0, an exponential on the left."""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import Kink, Refusal, elementwise, fail, operation, outcome, sample
from vjpcli.ops.keywords import plain_number
from vjpcli.ops.neural.rectifier import PIECEWISE_SAMPLES
from vjpcli.ops.numbers import comparison, elementary

# JAX's selu constants and PyTorch's are the same two numbers.
SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946


def _elu_kink(*, alpha):
    return {"slopes": (alpha, 1), "used": alpha}


def _elu(x, *, alpha):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


@operation(
    _elu,
    pattern="elementwise",
    symbolic=lambda s, x, *, alpha: s.Piecewise((x, x > 0), (alpha * (s.exp(x) - 1), True)),
    samples=(*PIECEWISE_SAMPLES, sample((2, 3), alpha=0.5)),
    refuses=(Refusal(sample((3,), alpha="one"), "keyword-value"),),
    kinks=(
        Kink(
            "x == 0 and alpha != 1",
            lambda y, x, *, alpha: (x == 0) & (alpha != 1),
            slopes=(2, 1),
            used=2,
            point=(0.0,),
            static={"alpha": 2},
            varies=_elu_kink,
        ),
    ),
    analytic=True,
    convention="elu: alpha={alpha} (PyTorch and JAX)",
    convention_about=("alpha",),
)
def elu(x, *, alpha=1):
    """Each entry, or alpha (exp(x) - 1) where it is negative.

    Shapes:  x [...] -> [...]
    Kinks:   none for alpha = 1; for another alpha the slope at 0 is alpha (PyTorch and JAX)
    Source:  Clevert et al., "Exponential Linear Units" (2015)
    Example: vjp explain "elu(x)" x=-2,0,2 --seed ones
    """
    return outcome(x.shape, alpha=plain_number("alpha", alpha))


# The untaken branch must stay finite, or 0 times infinity would reach a second derivative.
# PyTorch lets the adjoint through at nan, JAX gives nan.
@elu.vjp
def _(g, y, x, *, alpha):
    left_slope = alpha * elementary.exp(comparison.minimum(x, 0))
    return comparison.where(comparison.less_equal(x, 0), g * left_slope, g)


@elu.vjp_like("jax")
def _(g, y, x, *, alpha):
    left_slope = alpha * elementary.exp(comparison.minimum(x, 0))
    return comparison.where(comparison.greater(x, 0), g, g * left_slope)


@operation(
    lambda x, *, alpha: np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / alpha)),
    pattern="elementwise",
    symbolic=lambda s, x, *, alpha: s.Piecewise((x, x > 0), (alpha * (s.exp(x / alpha) - 1), True)),
    samples=(*PIECEWISE_SAMPLES, sample((2, 3), alpha=0.5)),
    refuses=(
        Refusal(sample((3,), alpha="one"), "keyword-value"),
        Refusal(sample((3,), alpha=0), "keyword-value"),
    ),
    analytic=True,
    convention="celu: alpha={alpha} (PyTorch and JAX)",
    convention_about=("alpha",),
)
def celu(x, *, alpha=1):
    """Each entry, or alpha (exp(x/alpha) - 1) where it is negative.

    Shapes:  x [...] -> [...]
    Kinks:   none: both sides have slope 1 at 0
    Source:  Barron, "Continuously Differentiable Exponential Linear Units" (2017)
    Example: vjp explain "celu(x, 2)" x=-2,0,2 --seed ones
    """
    alpha = plain_number("alpha", alpha)
    if alpha == 0:
        raise fail("keyword-value", "celu divides by `alpha`, which is 0")
    return outcome(x.shape, alpha=alpha)


@celu.vjp
def _(g, y, x, *, alpha):
    left_slope = elementary.exp(comparison.minimum(x, 0) / alpha)
    return comparison.where(comparison.less_equal(x, 0), g * left_slope, g)


@celu.vjp_like("jax")
def _(g, y, x, *, alpha):
    left_slope = elementary.exp(comparison.minimum(x, 0) / alpha)
    return comparison.where(comparison.greater(x, 0), g, g * left_slope)


@elementwise(
    lambda x: SELU_SCALE * _elu(x, alpha=SELU_ALPHA),
    symbolic=lambda s, x: SELU_SCALE * s.Piecewise((x, x > 0), (SELU_ALPHA * (s.exp(x) - 1), True)),
    samples=PIECEWISE_SAMPLES,
    kinks=(
        Kink(
            "x == 0",
            lambda y, x: x == 0,
            slopes=(SELU_SCALE * SELU_ALPHA, SELU_SCALE),
            used=SELU_SCALE * SELU_ALPHA,
            point=(0.0,),
        ),
    ),
    analytic=True,
)
def selu(x):
    """1.0507 times elu with alpha = 1.6733: activations keep mean 0 and variance 1.

    Shapes:  x [...] -> [...]
    Kinks:   at 0 the slope is the left one, 1.7581 (PyTorch and JAX alike)
    Source:  Klambauer et al., "Self-Normalizing Neural Networks" (2017)
    Example: vjp explain "selu(x)" x=-2,0,2 --seed ones
    """


@selu.vjp
def _(g, y, x):
    left_slope = SELU_ALPHA * elementary.exp(comparison.minimum(x, 0))
    return SELU_SCALE * comparison.where(comparison.less_equal(x, 0), g * left_slope, g)


@selu.vjp_like("jax")
def _(g, y, x):
    left_slope = SELU_ALPHA * elementary.exp(comparison.minimum(x, 0))
    return SELU_SCALE * comparison.where(comparison.greater(x, 0), g, g * left_slope)
