"""Activations made of pieces: relu and its relatives, with their kinks.

At a kink the slope is PyTorch's. Where JAX takes another one, a second rule says so.
"""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import (
    Kink,
    Refusal,
    elementwise,
    fail,
    operation,
    outcome,
    sample,
    shape_text,
)
from vjpcli.ops.keywords import plain_number, true_or_false
from vjpcli.ops.numbers import comparison
from vjpcli.ops.shapes import shape

PIECEWISE_SAMPLES = (
    sample((2, 3)),
    sample(()),
    sample((0,)),
    sample((1,)),
    sample([-7.0, -2.5, -0.75, -0.25, 0.25, 0.75, 2.5, 7.0]),
)


@elementwise(
    lambda x: np.maximum(x, 0),
    symbolic=lambda s, x: s.Max(x, 0),
    samples=PIECEWISE_SAMPLES,
    kinks=(Kink("x == 0", lambda y, x: x == 0, slopes=(0, 1), used=0, point=(0.0,)),),
    analytic=True,
)
def relu(x):
    """Each entry, or 0 where it is negative.

    Shapes:  x [...] -> [...]
    Kinks:   at 0 the slope is 0 (PyTorch and JAX alike), where maximum(x, 0) would use 0.5
    Source:  1 on the right of 0, 0 on the left; PyTorch lets the adjoint through at nan
    Example: vjp explain "relu(x)" x=-1,0,2 --seed ones
    """


@relu.vjp
def _(g, y, x):
    return comparison.where(comparison.less_equal(x, 0), 0, g)


@relu.vjp_like("jax")
def _(g, y, x):
    return comparison.where(comparison.greater(x, 0), g, 0)


@elementwise(
    lambda x: np.minimum(np.maximum(x, 0), 6),
    symbolic=lambda s, x: s.Min(s.Max(x, 0), 6),
    samples=PIECEWISE_SAMPLES,
    kinks=(
        Kink("x == 0", lambda y, x: x == 0, slopes=(0, 1), used=0, point=(0.0,)),
        Kink("x == 6", lambda y, x: x == 6, slopes=(1, 0), used=0, point=(6.0,)),
    ),
    analytic=True,
)
def relu6(x):
    """Each entry held between 0 and 6.

    Shapes:  x [...] -> [...]
    Kinks:   at 0 and at 6 the slope is 0 (PyTorch and JAX alike), where clip(x, 0, 6) uses 1
    Source:  1 between the bounds, 0 outside
    Example: vjp explain "relu6(x)" x=0,3,6 --seed ones
    """


@relu6.vjp
def _(g, y, x):
    return comparison.where(comparison.less_equal(x, 0) | comparison.greater_equal(x, 6), 0, g)


@relu6.vjp_like("jax")
def _(g, y, x):
    return comparison.where(comparison.greater(x, 0) & comparison.less(x, 6), g, 0)


@operation(
    lambda x, *, min_val, max_val: np.minimum(np.maximum(x, min_val), max_val),
    pattern="elementwise",
    symbolic=lambda s, x, *, min_val, max_val: s.Min(s.Max(x, min_val), max_val),
    aliases=("hard_tanh",),
    samples=(*PIECEWISE_SAMPLES, sample((2, 3), min_val=-0.5, max_val=2)),
    refuses=(
        Refusal(sample((3,), min_val="low"), "keyword-value"),
        Refusal(sample((3,), min_val=2, max_val=1), "keyword-value"),
    ),
    kinks=(
        Kink(
            "x == min_val",
            lambda y, x, *, min_val, max_val: x == min_val,
            slopes=(0, 1),
            used=0,
            point=(-1.0,),
            others={"jax": 1},
        ),
        Kink(
            "x == max_val",
            lambda y, x, *, min_val, max_val: x == max_val,
            slopes=(1, 0),
            used=0,
            point=(1.0,),
            others={"jax": 1},
        ),
    ),
    analytic=True,
)
def hardtanh(x, *, min_val=-1, max_val=1):
    """Each entry held between two numbers, -1 and 1 unless others are given.

    Shapes:  x [...] -> [...]
    Kinks:   at both bounds the slope is 0 (PyTorch); JAX uses 1, and so does clip
    Source:  1 between the bounds, 0 outside
    Example: vjp explain "hardtanh(x)" x=-1,0.5,3 --seed ones
    """
    min_val, max_val = plain_number("min_val", min_val), plain_number("max_val", max_val)
    if min_val > max_val:
        raise fail("keyword-value", f"`min_val` {min_val} is above `max_val` {max_val}")
    return outcome(x.shape, min_val=min_val, max_val=max_val)


@hardtanh.vjp
def _(g, y, x, *, min_val, max_val):
    outside = comparison.less_equal(x, min_val) | comparison.greater_equal(x, max_val)
    return comparison.where(outside, 0, g)


@hardtanh.vjp_like("jax")
def _(g, y, x, *, min_val, max_val):
    outside = comparison.less(x, min_val) | comparison.greater(x, max_val)
    return comparison.where(outside, 0, g)


@elementwise(
    lambda x: np.minimum(np.maximum(x + 3, 0), 6) / 6,
    aliases=("hard_sigmoid",),
    symbolic=lambda s, x: s.Min(s.Max(x + 3, 0), 6) / 6,
    samples=PIECEWISE_SAMPLES,
    kinks=(
        Kink("x == -3", lambda y, x: x == -3, slopes=(0, 1 / 6), used=0, point=(-3.0,)),
        Kink("x == 3", lambda y, x: x == 3, slopes=(1 / 6, 0), used=0, point=(3.0,)),
    ),
    analytic=True,
)
def hardsigmoid(x):
    """A sigmoid made of three straight pieces: x/6 + 1/2, held between 0 and 1.

    Shapes:  x [...] -> [...]
    Kinks:   at -3 and 3 the slope is 0 (PyTorch and JAX alike)
    Source:  1/6 between the kinks, 0 outside
    Example: vjp explain "hardsigmoid(x)" x=-3,0,5 --seed ones
    """


@hardsigmoid.vjp
def _(g, y, x):
    inside = comparison.greater(x, -3) & comparison.less(x, 3)
    return comparison.where(inside, g / 6, 0)


@elementwise(
    lambda x: x * np.minimum(np.maximum(x + 3, 0), 6) / 6,
    aliases=("hard_swish", "hard_silu"),
    symbolic=lambda s, x: x * s.Min(s.Max(x + 3, 0), 6) / 6,
    samples=PIECEWISE_SAMPLES,
    kinks=(
        Kink("x == -3", lambda y, x: x == -3, slopes=(0, -0.5), used=0, point=(-3.0,)),
        Kink("x == 3", lambda y, x: x == 3, slopes=(1.5, 1), used=1, point=(3.0,)),
    ),
    analytic=True,
)
def hardswish(x):
    """x times the hardsigmoid of x.

    Shapes:  x [...] -> [...]
    Kinks:   at -3 the slope is 0 and at 3 it is 1 (JAX, and PyTorch in its newest form; older
             PyTorch took the inner slopes -0.5 and 1.5)
    Source:  x/3 + 1/2 between the kinks, 0 and 1 outside
    Example: vjp explain "hardswish(x)" x=-3,0,3 --seed ones
    """


@hardswish.vjp
def _(g, y, x):
    above = comparison.where(comparison.less(x, 3), g * (x / 3 + 0.5), g)
    return comparison.where(comparison.less_equal(x, -3), 0, above)


@hardswish.vjp_like("jax")
def _(g, y, x):
    below = comparison.where(comparison.greater(x, -3), g * (x / 3 + 0.5), 0)
    return comparison.where(comparison.isnan(x), g * x, comparison.where(x >= 3, g, below))


def _leaky_kink(*, negative_slope):
    return {"slopes": (negative_slope, 1), "used": negative_slope}


@operation(
    lambda x, *, negative_slope: np.where(x > 0, x, negative_slope * x),
    pattern="elementwise",
    symbolic=lambda s, x, *, negative_slope: s.Piecewise((x, x > 0), (negative_slope * x, True)),
    samples=(*PIECEWISE_SAMPLES, sample((2, 3), negative_slope=0.2)),
    refuses=(Refusal(sample((3,), negative_slope=None), "keyword-value"),),
    kinks=(
        Kink(
            "x == 0",
            lambda y, x, *, negative_slope: x == 0,
            slopes=(0.01, 1),
            used=0.01,
            point=(0.0,),
            others={"jax": 1},
            varies=_leaky_kink,
        ),
    ),
    analytic=True,
    convention="leaky_relu: negative_slope={negative_slope} (PyTorch and JAX)",
    convention_about=("negative_slope",),
)
def leaky_relu(x, *, negative_slope=0.01):
    """Each entry, or a small multiple of it where it is negative.

    Shapes:  x [...] -> [...]
    Kinks:   at 0 the slope is negative_slope (PyTorch); JAX uses 1
    Source:  1 on the right of 0, negative_slope on the left
    Example: vjp explain "leaky_relu(x, 0.1)" x=-2,0,2 --seed ones
    """
    return outcome(x.shape, negative_slope=plain_number("negative_slope", negative_slope))


@leaky_relu.vjp
def _(g, y, x, *, negative_slope):
    return comparison.where(comparison.greater(x, 0), g, g * negative_slope)


@leaky_relu.vjp_like("jax")
def _(g, y, x, *, negative_slope):
    return comparison.where(comparison.greater_equal(x, 0), g, g * negative_slope)


@operation(
    lambda x, weight: np.where(x > 0, x, weight * x),
    pattern="elementwise",
    symbolic=lambda s, x, weight: s.Piecewise((x, x > 0), (weight * x, True)),
    samples=(
        sample((2, 3), ()),
        sample((2, 3), (1,)),
        sample((2, 3), (3,)),
        sample((2, 3, 2), (3,)),
        sample((), ()),
        sample((0, 3), (3,)),
    ),
    refuses=(
        Refusal(sample((2, 3), (2,)), "shape-mismatch"),
        Refusal(sample((3,), (3,)), "shape-mismatch"),
        Refusal(sample((2, 3), (1, 3)), "shape-mismatch"),
    ),
    kinks=(
        Kink(
            "x == 0",
            lambda y, x, weight: (x == 0) & (weight != 1),
            slopes=(0.25, 1),
            used=0.25,
            point=(0.0, 0.25),
            says="the numbers are for a weight of 0.25: the slope used is the weight",
        ),
    ),
    analytic=True,
)
def prelu(x, weight):
    """Each entry, or a learned multiple of it where it is negative.

    Shapes:  x [N, C, ...], weight [C] (one per channel, axis 1) or [1] or [] -> [N, C, ...]
    Kinks:   at 0 the slope for x is the weight (PyTorch); the weight receives 0 there
    Source:  He et al., "Delving Deep into Rectifiers" (2015)
    Example: vjp explain "prelu(x, w)" x=-2,0,2 w=0.25 --seed ones
    """
    channels = x.shape[1] if x.ndim > 1 else 1
    if weight.size == 1 and weight.ndim < 2:
        weight = shape.reshape(weight, shape=())
    elif weight.shape == (channels,):
        weight = shape.reshape(weight, shape=(channels, *(1,) * (x.ndim - 2)))
    else:
        raise fail(
            "shape-mismatch",
            f"prelu takes one weight or one for each of {channels} channels, "
            f"not weights of shape {shape_text(weight.shape)}",
            notes=(f"x has shape {shape_text(x.shape)}; its channels are along axis 1",),
        )
    return outcome(x.shape, operands=(x, weight))


@prelu.vjp
def _(g, y, x, weight):
    positive = comparison.greater(x, 0)
    return comparison.where(positive, g, g * weight), comparison.where(positive, 0, g * x)


@operation(
    samples=(sample((2, 3)), sample((3,), lower=0.1, upper=0.5)),
    refuses=(
        Refusal(sample((3,), training=True), "random-operation"),
        Refusal(sample((3,), lower="a"), "keyword-value"),
    ),
    analytic=True,
)
def rrelu(x, *, lower=1 / 8, upper=1 / 3, training=False):
    """leaky_relu with the mean of two slopes; in training the slope would be random.

    Shapes:  x [...] -> [...]
    Kinks:   those of leaky_relu
    Source:  Xu et al., "Empirical Evaluation of Rectified Activations" (2015), test time
    Example: vjp explain "rrelu(x)" x=-2,0,2 --seed ones
    """
    if true_or_false("training", training):
        raise fail(
            "random-operation",
            "rrelu draws its slopes at random in training, so its gradient differs every time",
            notes=("leaky_relu(x, slope) has a fixed slope; training=False takes the mean slope",),
        )
    return leaky_relu(
        x, negative_slope=(plain_number("lower", lower) + plain_number("upper", upper)) / 2
    )
