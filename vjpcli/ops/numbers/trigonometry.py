"""Angles: sine, cosine and tangent, their inverses, degrees and radians, sin(x)/x."""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.facts import unit
from vjpcli.ops.declaration import Kink, Refusal, elementwise, operation, outcome, sample
from vjpcli.ops.keywords import whole_number
from vjpcli.ops.numbers import arithmetic, comparison, elementary


@elementwise(np.sin, symbolic="sin", analytic=True)
def sin(x):
    """Sine of each entry, in radians.

    Shapes:  x [...] -> [...]
    Units:   x in radians
    Kinks:   none
    Source:  DLMF 4.20
    Example: vjp explain "sin(x)" x=0,1 --seed ones
    """


@sin.vjp
def _(g, y, x):
    return g * cos(x)


@elementwise(np.cos, symbolic="cos", analytic=True)
def cos(x):
    """Cosine of each entry, in radians.

    Shapes:  x [...] -> [...]
    Units:   x in radians
    Kinks:   none
    Source:  DLMF 4.20
    Example: vjp explain "cos(x)" x=0,1 --seed ones
    """


@cos.vjp
def _(g, y, x):
    return -g * sin(x)


@elementwise(np.tan, symbolic="tan", aliases=("tg",), domain=unit, analytic=True)
def tan(x):
    """Tangent of each entry, in radians.

    Shapes:  x [...] -> [...]
    Units:   x in radians
    Kinks:   none; poles at odd multiples of pi/2
    Source:  DLMF 4.20: 1 + tan(x)**2, written with the output
    Example: vjp explain "tan(x)" x=0,1 --seed ones
    """


@tan.vjp
def _(g, y, x):
    return g * (1 + y * y)


@elementwise(np.arcsin, symbolic="asin", aliases=("asin",), domain=unit, analytic=True)
def arcsin(x):
    """The angle in [-pi/2, pi/2] whose sine the entry is.

    Shapes:  x [...] -> [...]
    Units:   the result in radians
    Kinks:   none inside (-1, 1); at -1 and 1 the slope is +inf, outside nan
    Source:  DLMF 4.24
    Example: vjp explain "arcsin(x)" x=-0.5,0,0.5 --seed ones
    """


@arcsin.vjp
def _(g, y, x):
    return g / elementary.sqrt(1 - x * x)


@elementwise(np.arccos, symbolic="acos", aliases=("acos",), domain=unit, analytic=True)
def arccos(x):
    """The angle in [0, pi] whose cosine the entry is.

    Shapes:  x [...] -> [...]
    Units:   the result in radians
    Kinks:   none inside (-1, 1); at -1 and 1 the slope is -inf, outside nan
    Source:  DLMF 4.24
    Example: vjp explain "arccos(x)" x=-0.5,0,0.5 --seed ones
    """


@arccos.vjp
def _(g, y, x):
    return -g / elementary.sqrt(1 - x * x)


@elementwise(np.arctan, symbolic="atan", aliases=("atan", "arctg"), analytic=True)
def arctan(x):
    """The angle in (-pi/2, pi/2) whose tangent the entry is.

    Shapes:  x [...] -> [...]
    Units:   the result in radians
    Kinks:   none
    Source:  DLMF 4.24
    Example: vjp explain "arctan(x)" x=-1,0,1 --seed ones
    """


@arctan.vjp
def _(g, y, x):
    return g / (1 + x * x)


def _at_origin(angle, a, b):
    return (a == 0) & (b == 0)


# Divided twice by the distance instead of once by its square, which would overflow or vanish for
# numbers far from 1.
@elementwise(
    np.arctan2,
    symbolic=lambda s, a, b: s.atan2(a, b),
    aliases=("atan2",),
    kinks=(
        Kink(
            "a == 0 and b == 0",
            _at_origin,
            slopes=(np.inf, np.inf),
            used=0,
            point=(0.0, 0.0),
            others={"jax": np.nan, "autograd": np.nan},
        ),
        Kink(
            "a == 0 and b == 0",
            _at_origin,
            slopes=(-np.inf, 0),
            used=0,
            point=(0.0, 0.0),
            operand=1,
            others={"jax": np.nan, "autograd": np.nan},
        ),
    ),
)
def arctan2(a, b):
    """The angle of the point with height a and width b, in (-pi, pi].

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Units:   the result in radians
    Kinks:   at the origin the angle jumps; 0 is used there for both operands (PyTorch), JAX and
             autograd give nan. The step of 2 pi across the negative b axis leaves the slope alone
    Source:  d/da = b/(a**2+b**2), d/db = -a/(a**2+b**2)
    Example: vjp explain "arctan2(a, b)" a=1,0 b=1,-2 --seed ones
    """


@arctan2.vjp
def _(g, y, a, b):
    distance = arithmetic.hypot(a, b)
    at_origin = comparison.equal(distance, 0)
    return (
        comparison.where(at_origin, 0, g * (b / distance / distance)),
        comparison.where(at_origin, 0, -g * (a / distance / distance)),
    )


@arctan2.vjp_like("jax")
@arctan2.vjp_like("autograd")
def _(g, y, a, b):
    squared = a * a + b * b
    return g * (b / squared), -g * (a / squared)


@elementwise(np.deg2rad, symbolic=lambda s, x: x * s.pi / 180, aliases=("radians",))
def deg2rad(x):
    """Degrees as radians.

    Shapes:  x [...] -> [...]
    Units:   x in degrees, the result in radians
    Kinks:   none
    Source:  180 degrees are pi radians
    Example: vjp explain "sin(deg2rad(x))" x=0,30,90 --seed ones
    """


@deg2rad.vjp
def _(g, y, x):
    return g * (math.pi / 180)


@elementwise(np.rad2deg, symbolic=lambda s, x: x * 180 / s.pi, aliases=("degrees",))
def rad2deg(x):
    """Radians as degrees.

    Shapes:  x [...] -> [...]
    Units:   x in radians, the result in degrees
    Kinks:   none
    Source:  pi radians are 180 degrees
    Example: vjp explain "rad2deg(arctan(x))" x=0,1 --seed ones
    """


@rad2deg.vjp
def _(g, y, x):
    return g * (180 / math.pi)


@elementwise(np.sinc, symbolic=lambda s, x: s.sinc(s.pi * x), analytic=True)
def sinc(x):
    """sin(pi x) / (pi x) of each entry, and 1 at 0.

    Shapes:  x [...] -> [...]
    Kinks:   none; the slope at 0 is 0 (autograd: nan)
    Source:  `sinc_derivative`
    Example: vjp explain "sinc(x)" x=0,0.5,1 --seed ones
    """


@sinc.vjp
def _(g, y, x):
    return g * sinc_derivative(x, order=1)


@sinc.vjp_like("autograd")
def _(g, y, x):
    z = np.pi * x
    return g * ((cos(z) * z - sin(z)) / (z * x))


def _sinc_derivative(x, *, order):
    """s(z) = sin(z)/z solves z s[n] + n s[n-1] = sin(z + n pi/2).

    That recurrence is used where it is stable, the power series elsewhere.
    """
    z = np.pi * np.asarray(x, np.float64)
    far = np.abs(z) > order / 2 + 1
    far_z = np.where(far, z, 1.0)
    recurrence = np.sin(far_z) / far_z
    for n in range(1, order + 1):
        recurrence = (np.sin(far_z + n * np.pi / 2) - n * recurrence) / far_z
    near_z = np.where(far, 0.0, z)
    series = np.zeros_like(z)
    first = (order + 1) // 2
    for k in range(first + order + 20, first - 1, -1):
        power = 2 * k - order
        coefficient = (-1) ** k / (math.factorial(power) * (2 * k + 1))
        series = series + coefficient * near_z**power
    return (np.pi**order * np.where(far, recurrence, series)).astype(x.dtype)


def _symbolic_sinc_derivative(s, x, *, order):
    z = s.Dummy()
    return s.diff(s.sin(s.pi * z) / (s.pi * z), z, order).subs(z, x)


@operation(
    _sinc_derivative,
    pattern="elementwise",
    symbolic=_symbolic_sinc_derivative,
    samples=(
        sample((2, 3), order=1),
        sample((), order=2),
        sample((0,), order=1),
        sample([0.0, 1e-9, 0.6, 0.7, -3.2], order=1),
        sample([0.0, 0.9, 1.0, -1.3], order=3),
    ),
    refuses=(
        Refusal(sample((2,), order=0.5), "keyword-value"),
        Refusal(sample((2,), order=-1), "keyword-value"),
    ),
)
def sinc_derivative(x, *, order=1):
    """The derivative of sinc of the given order, exact to the last digits also around 0.

    The obvious formula, (cos(pi x) - sinc(x))/x, loses all digits there.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  Taylor series around 0; elsewhere the recurrence z s[n] + n s[n-1] = sin(z + n pi/2)
             that follows from z s(z) = sin(z)
    Example: vjp explain "sinc_derivative(x, order=2)" x=0,0.5 --seed ones
    """
    return outcome(x.shape, order=whole_number("order", order, least=0, most=20))


@sinc_derivative.vjp
def _(g, y, x, *, order):
    return g * sinc_derivative(x, order=order + 1)
