"""Activations that set the entries near 0, or below a threshold, to a fixed value."""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import Kink, Refusal, fail, operation, outcome, sample
from vjpcli.ops.keywords import plain_number
from vjpcli.ops.neural.rectifier import PIECEWISE_SAMPLES
from vjpcli.ops.numbers import comparison


def _at_upper(y, x, *, lambd):
    return x == lambd


def _at_lower(y, x, *, lambd):
    return x == -lambd


@operation(
    lambda x, *, lambd: x - np.minimum(np.maximum(x, -lambd), lambd),
    pattern="elementwise",
    symbolic=lambda s, x, *, lambd: x - s.Min(s.Max(x, -lambd), lambd),
    samples=(*PIECEWISE_SAMPLES, sample((2, 3), lambd=0.1)),
    refuses=(Refusal(sample((3,), lambd=-1), "keyword-value"),),
    kinks=(
        Kink("x == lambd", _at_upper, slopes=(0, 1), used=0, point=(0.5,)),
        Kink("x == -lambd", _at_lower, slopes=(1, 0), used=0, point=(-0.5,)),
    ),
    analytic=True,
)
def softshrink(x, *, lambd=0.5):
    """Each entry moved towards 0 by lambd, and 0 where it is closer than that.

    Shapes:  x [...] -> [...]
    Kinks:   at -lambd and lambd the slope is 0 (PyTorch)
    Source:  1 outside the interval, 0 inside
    Example: vjp explain "softshrink(x)" x=-2,0.5,2 --seed ones
    """
    return outcome(x.shape, lambd=_bound(lambd))


@softshrink.vjp
def _(g, y, x, *, lambd):
    return comparison.where(_inside(x, lambd), 0, g)


@operation(
    lambda x, *, lambd: np.where(np.abs(x) <= lambd, 0, x),
    pattern="elementwise",
    symbolic=lambda s, x, *, lambd: s.Piecewise((0, s.Abs(x) <= lambd), (x, True)),
    samples=(*PIECEWISE_SAMPLES, sample((2, 3), lambd=0.1)),
    refuses=(Refusal(sample((3,), lambd=-1), "keyword-value"),),
    kinks=(
        Kink("x == lambd", _at_upper, slopes=(0, np.inf), used=0, point=(0.5,)),
        Kink("x == -lambd", _at_lower, slopes=(np.inf, 0), used=0, point=(-0.5,)),
    ),
    analytic=True,
)
def hardshrink(x, *, lambd=0.5):
    """Each entry, or 0 where it is within lambd of 0.

    Shapes:  x [...] -> [...]
    Kinks:   jumps at -lambd and lambd; the slope used there is 0 (PyTorch)
    Source:  1 outside the interval, 0 inside
    Example: vjp explain "hardshrink(x)" x=-2,0.5,2 --seed ones
    """
    return outcome(x.shape, lambd=_bound(lambd))


@hardshrink.vjp
def _(g, y, x, *, lambd):
    return comparison.where(_inside(x, lambd), 0, g)


def _bound(lambd):
    bound = plain_number("lambd", lambd)
    if bound < 0:
        raise fail("keyword-value", f"`lambd` is a distance from 0, not {lambd}")
    return bound


def _inside(x, lambd):
    return comparison.greater_equal(x, -lambd) & comparison.less_equal(x, lambd)


def _threshold_kink(*, threshold, value):
    right = 1 if value == threshold else float(np.copysign(np.inf, threshold - value))
    return {"slopes": (0, right), "point": (float(threshold),)}


@operation(
    lambda x, *, threshold, value: np.where(x <= threshold, value, x),
    pattern="elementwise",
    symbolic=lambda s, x, *, threshold, value: s.Piecewise((value, x <= threshold), (x, True)),
    samples=(
        sample((2, 3), threshold=0.1, value=20),
        sample((), threshold=-1, value=0),
        sample((0,), threshold=0, value=0),
    ),
    refuses=(Refusal(sample((3,), threshold="a", value=0), "keyword-value"),),
    kinks=(
        Kink(
            "x == threshold",
            lambda y, x, *, threshold, value: x == threshold,
            slopes=(0, -np.inf),
            used=0,
            point=(0.1,),
            static={"threshold": 0.1, "value": 20},
            varies=_threshold_kink,
        ),
    ),
    analytic=True,
)
def threshold(x, *, threshold, value):
    """Each entry above a threshold, and a fixed value in place of the others.

    Shapes:  x [...] -> [...]
    Kinks:   jumps at the threshold; the slope used there is 0 (PyTorch)
    Source:  1 above the threshold, 0 elsewhere
    Example: vjp explain "threshold(x, 0.1, 20)" x=-2,0.1,2 --seed ones
    """
    return outcome(
        x.shape, threshold=plain_number("threshold", threshold), value=plain_number("value", value)
    )


@threshold.vjp
def _(g, y, x, *, threshold, value):
    return comparison.where(comparison.less_equal(x, threshold), 0, g)
