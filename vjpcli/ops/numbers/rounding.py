"""Rounding: flat between jumps, so that no adjoint other than 0 passes.

A gradient of 0 that comes from one of these is not an error of the program but a property of
the function; models that must train through a rounding use a substitute such as
x + stop_gradient(round(x) - x).
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import OPERATIONS, as_node
from vjpcli.ops.declaration import Kink, Refusal, elementwise, fail, operation, outcome, sample
from vjpcli.ops.keywords import plain_number, whole_number
from vjpcli.ops.numbers import choice, comparison

BETWEEN_JUMPS = (sample([0.3, -1.7, 2.6]), sample([[1.2]]), sample(0.4), sample((0,)))


def no_slope(g):
    """An exact 0 in the shape of `g`. `g * 0` would be nan where the adjoint is infinite."""
    return as_node(np.broadcast_to(0.0, g.shape))


def _at_whole(y, x):
    return y == x


@elementwise(
    np.floor,
    symbolic="floor",
    flat=True,
    samples=BETWEEN_JUMPS,
    kinks=(Kink("x whole", _at_whole, slopes=(0, np.inf), used=0, point=(1.0,)),),
)
def floor(x):
    """Each entry rounded down to a whole number. Flat: its slope is 0.

    Shapes:  x [...] -> [...]
    Kinks:   jumps at whole numbers; the slope used there is 0
    Source:  constant between jumps
    Example: vjp explain "x - floor(x)" x=1.25,2.5 --seed ones
    """


@elementwise(
    np.ceil,
    symbolic="ceiling",
    library_names={"numpy": ("sympy.ceiling",)},
    flat=True,
    samples=BETWEEN_JUMPS,
    kinks=(Kink("x whole", _at_whole, slopes=(0, np.inf), used=0, point=(1.0,)),),
)
def ceil(x):
    """Each entry rounded up to a whole number. Flat: its slope is 0.

    Shapes:  x [...] -> [...]
    Kinks:   jumps at whole numbers; the slope used there is 0
    Source:  constant between jumps
    Example: vjp explain "ceil(x) - x" x=1.25,2.5 --seed ones
    """


@elementwise(
    np.trunc,
    symbolic=lambda s, x: s.sign(x) * s.floor(s.Abs(x)),
    aliases=("fix",),
    method_names={"torch": ("long", "int", "short")},
    flat=True,
    samples=BETWEEN_JUMPS,
    kinks=(
        Kink(
            "x whole, not 0",
            lambda y, x: (y == x) & (x != 0),
            slopes=(0, np.inf),
            used=0,
            point=(1.0,),
        ),
    ),
)
def trunc(x):
    """Each entry rounded towards 0 to a whole number. Flat: its slope is 0.

    Shapes:  x [...] -> [...]
    Kinks:   jumps at whole numbers other than 0; the slope used there is 0
    Source:  constant between jumps
    Example: vjp explain "x - trunc(x)" x=1.25,-2.5 --seed ones
    """


@floor.vjp
@ceil.vjp
@trunc.vjp
def _(g, y, x):
    return no_slope(g)


def _at_half(y, x, *, decimals):
    scaled = x * 10.0**decimals
    return np.abs(scaled - np.trunc(scaled)) == 0.5


@operation(
    lambda x, *, decimals: np.round(x, decimals),
    pattern="elementwise",
    symbolic=lambda s, x, *, decimals: s.floor(x * 10**decimals + s.Rational(1, 2)) / 10**decimals,
    aliases=("rint", "around"),
    flat=True,
    samples=(
        *BETWEEN_JUMPS,
        sample([0.337, -1.714], decimals=1),
        sample([33.0, -171.0], decimals=-1),
    ),
    kinks=(Kink("x half-way", _at_half, slopes=(0, np.inf), used=0, point=(0.5,)),),
    refuses=(
        Refusal(sample((2,), decimals=0.5), "keyword-value"),
        Refusal(sample((2,), decimals="2"), "keyword-value"),
        Refusal(sample((2,), decimals=400), "keyword-value"),
    ),
)
def round(x, *, decimals=0):
    """Each entry rounded to the nearest number with so many decimals. Flat: its slope is 0.

    Half-way cases go to the even neighbour: round(0.5) is 0, round(1.5) is 2.

    Shapes:  x [...] -> [...]
    Kinks:   jumps half-way between two neighbours; the slope used there is 0
    Source:  constant between jumps
    Example: vjp explain "round(x**2)" x=2.2,3 --seed ones
    """
    return outcome(x.shape, decimals=whole_number("decimals", decimals, least=-300, most=300))


@round.vjp
def _(g, y, x, *, decimals):
    return no_slope(g)


@elementwise(
    lambda x: x - np.trunc(x),
    symbolic=lambda s, x: x - s.sign(x) * s.floor(s.Abs(x)),
    samples=BETWEEN_JUMPS,
    kinks=(
        Kink(
            "x whole, not 0",
            lambda y, x: (y == 0) & (x != 0),
            slopes=(-np.inf, 1),
            used=1,
            point=(1.0,),
        ),
    ),
)
def frac(x):
    """What is left of each entry without its whole part; it has the sign of the entry.

    Shapes:  x [...] -> [...]
    Kinks:   jumps at whole numbers other than 0; the slope used there is 1, as everywhere
    Source:  frac(x) = x - trunc(x), and trunc is flat
    Example: vjp explain "frac(x)" x=1.25,-2.5 --seed ones
    """


@frac.vjp
def _(g, y, x):
    return g


@operation(
    library_names={"jax": ("lax.round",)},
    samples=BETWEEN_JUMPS,
    refuses=(Refusal(sample((2,), rounding_method=2), "keyword-value"),),
)
def round_away(x, *, rounding_method=0):
    """Each entry rounded to the nearest whole number, halves away from 0: jax.lax.round. Flat.

    Shapes:  x [...] -> [...]; rounding_method=1 takes halves to the even number, as `round`
    Kinks:   jumps at halves; the slope used there is 0
    Source:  constant between jumps
    Example: vjp explain "lax.round(x)" x=0.5,1.25 --seed ones
    """
    if whole_number("rounding_method", rounding_method, least=0, most=1):
        return round(x)
    size = OPERATIONS["abs"](x)
    return OPERATIONS["sign"](x) * floor(size + 0.5)


QUANTIZE = {"scale": 0.5, "zero_point": 1, "quant_min": -2, "quant_max": 3}


@operation(
    refuses=(
        Refusal(sample((2,), **{**QUANTIZE, "scale": 0}), "keyword-value"),
        Refusal(sample((2,), **{**QUANTIZE, "zero_point": 0.5}), "keyword-value"),
        Refusal(sample((2,), **{**QUANTIZE, "quant_max": -3}), "keyword-value"),
    ),
)
def fake_quantize_per_tensor_affine(x, *, scale, zero_point, quant_min, quant_max):
    """Each entry rounded to a multiple of scale within bounds, as if that had slope 1.

    Shapes:  x [...] -> [...]
    Kinks:   the slope is taken to be 1 within the bounds and 0 outside; the true one is 0
    Source:  the straight-through estimator (Bengio, Leonard and Courville, 2013), as in PyTorch:
             x + stop_gradient(rounded - x)
    Example: vjp explain "torch.fake_quantize_per_tensor_affine(x, 0.5, 0, -2, 3)" x=0.3,0.8,9
             --seed ones
    """
    step, zero = plain_number("scale", scale), whole_number("zero_point", zero_point)
    low, high = whole_number("quant_min", quant_min), whole_number("quant_max", quant_max)
    if not step > 0 or not low <= high:
        raise fail("keyword-value", "scale is above 0, and quant_min at most quant_max")
    level = round(x / step) + zero
    inside = (level >= low) & (level <= high)
    quantized = (comparison.clip(level, low, high) - zero) * step
    kept = comparison.where(inside, x, 0)
    return kept + choice.stop_gradient(quantized - kept)
