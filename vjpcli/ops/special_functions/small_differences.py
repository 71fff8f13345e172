"""Differences of functions from 1, 0 or a quotient, without loss of digits; power transforms."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from vjpcli.graph.facts import positive
from vjpcli.ops.declaration import elementwise, operation, sample
from vjpcli.ops.keywords import whole_number
from vjpcli.ops.numbers import comparison, elementary, trigonometry
from vjpcli.ops.special_functions import incomplete_values
from vjpcli.ops.special_functions.special_values import Array, in_float64

BOTH_SIDES = (
    sample((2, 3)),
    sample(()),
    sample([0.0, 1e-9, -1e-5, -4.0, 6.0, -30.0]),
    sample((0,)),
)


@in_float64
def _exprel(x: Array, *, order: int) -> Array:
    """The integral of t**order exp(x t) over t from 0 to 1, to 5e-15 relative.

    By Kummer's relation a negative x is turned, so that every series has positive terms; for a
    large x by recurrence in the order.
    """
    size = np.abs(x)
    near = np.minimum(size, order + 30)
    plain, turned = np.zeros_like(x), np.zeros_like(x)
    term, falling = np.ones_like(x), np.full_like(x, 1 / (order + 1))
    for k in range(150 + 3 * order):
        plain, turned = plain + term / (k + order + 1), turned + falling
        term, falling = term * near / (k + 1), falling * near / (k + order + 2)
    grown = np.exp(size)
    above, below = np.expm1(size) / size, -np.expm1(-size) / size
    for n in range(1, order + 1):
        above = (grown - n * above) / size
        below = (n * below - 1 / grown) / size
    far = size > order + 30
    positive_side = np.where(far, above, plain)
    negative_side = np.where(far, below, turned / grown)
    result = np.where(x < 0, negative_side, positive_side)
    return np.where(np.isposinf(x), np.inf, np.where(np.isneginf(x), 0.0, result))


@elementwise(
    _exprel,
    symbolic=lambda s, x, *, order: _symbolic_exprel(s, x, order),
    samples=tuple(sample(*one.operands, order=n) for one in BOTH_SIDES for n in (0, 2)),
    checks={"order": partial(whole_number, least=0)},
)
def exprel_derivative(x, *, order):
    """The derivative of (exp(x) - 1)/x, of the given order.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  the integral of t**order exp(x t) over t from 0 to 1
    Example: vjp explain "exprel_derivative(x, order=1)" x=-1,0,2 --seed ones
    """


def _symbolic_exprel(s, x, order):
    z = s.Dummy()
    return s.diff((s.exp(z) - 1) / z, z, order).subs(z, x)


@exprel_derivative.vjp
def _(g, y, x, *, order):
    return g * exprel_derivative(x, order=order + 1)


@operation(pattern="elementwise", samples=BOTH_SIDES)
def exprel(x):
    """(exp(x) - 1)/x of each entry, 1 at 0.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  the integral of exp(x t) over t from 0 to 1, differentiated under the integral; to
             5e-15, also around 0
    Example: vjp explain "exprel(x)" x=-1,0,1e-9 --seed ones
    """
    return exprel_derivative(x, order=0)


@elementwise(
    in_float64(incomplete_values.log1p_less),
    symbolic=lambda s, x: s.log(1 + x) - x,
    domain=elementary.above_minus_one,
    samples=(sample((2, 3)), sample(()), sample([-0.9, 1e-9, 0.59, 0.61]), sample((0,))),
)
def log1pmx(x):
    """log(1 + x) - x of each entry, without loss of digits near 0.

    Shapes:  x [...] above -1 -> [...]
    Kinks:   none; -inf at -1
    Source:  the derivative is -x/(1+x); values by the series of the inverse hyperbolic tangent
    Example: vjp explain "scipy.special.log1pmx(x)" x=-0.5,1e-9,2 --seed ones
    """


@log1pmx.vjp
def _(g, y, x):
    return g * (-x / (1 + x))


@operation(pattern="elementwise", samples=(sample((2, 3)), sample([0.0, 1e-9])), analytic=True)
def cosm1(x):
    """cos(x) - 1 of each entry, without loss of digits near 0.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  -2 sin(x/2)**2
    Example: vjp explain "cosm1(x)" x=0,1e-9,1 --seed ones
    """
    half = trigonometry.sin(0.5 * x)
    return -2 * (half * half)


@operation(
    pattern="elementwise",
    domain=positive,
    samples=(sample((2, 3), (3,)), sample((), ()), sample([2.0], [1e-9])),
    analytic=True,
)
def powm1(x, y):
    """x**y - 1 of each entry, without loss of digits where x**y is near 1.

    Shapes:  x [...] above 0, y [...] -> [...] (broadcast)
    Kinks:   none
    Source:  expm1(y log(x))
    Example: vjp explain "powm1(x, y)" x=2 y=1e-10
    """
    return elementary.expm1(y * elementary.log(x))


@elementwise(
    lambda x: np.power(10.0, x).astype(x.dtype), symbolic=lambda s, x: 10**x, analytic=True
)
def exp10(x):
    """10 to the power of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  10**x = exp(x log 10)
    Example: vjp explain "exp10(x)" x=0,1,2 --seed ones
    """


@exp10.vjp
def _(g, y, x):
    return g * (y * math.log(10))


POWER_SAMPLES = (
    sample((2, 3), (3,)),
    sample((), ()),
    sample([2.0, 3.0, 0.5], [0.0, 1e-9, -0.7]),
    sample((0,), (0,)),
)


@operation(pattern="elementwise", domain=positive, samples=POWER_SAMPLES)
def boxcox(x, lmbda):
    """Power transform of Box and Cox: (x**lambda - 1)/lambda, log(x) where lambda is 0.

    Shapes:  x [...] above 0, lmbda [...] -> [...] (broadcast)
    Kinks:   none: lambda = 0 is a limit, its slope log(x)**2/2
    Source:  log(x) exprel(lambda log(x)), which has all digits around lambda = 0
    Example: vjp explain "boxcox(x, l)" x=2,3 l=0,0.5 --seed ones
    """
    logarithm = elementary.log(x)
    return logarithm * exprel(lmbda * logarithm)


@operation(pattern="elementwise", domain=positive, samples=POWER_SAMPLES)
def boxcox1p(x, lmbda):
    """Power transform of Box and Cox of 1 + x: ((1+x)**lambda - 1)/lambda.

    Shapes:  x [...] above -1, lmbda [...] -> [...] (broadcast)
    Kinks:   none: lambda = 0 is a limit
    Source:  log1p(x) exprel(lambda log1p(x))
    Example: vjp explain "boxcox1p(x, l)" x=1e-9,3 l=0,0.5 --seed ones
    """
    logarithm = elementary.log1p(x)
    return logarithm * exprel(lmbda * logarithm)


def _untransformed(y, lmbda):
    """log(x) for y = boxcox(x, lambda).

    Around 0 by the series of log(1 + lambda y)/lambda, whose slope for lambda is -y**2/2 there.
    """
    product = lmbda * y
    near = (product < 1e-3) & (product > -1e-3)
    small = comparison.where(near, product, 0)
    series = 1 - small * (1 / 2 - small * (1 / 3 - small * (1 / 4 - small * (1 / 5 - small / 6))))
    away = comparison.where(near, 1, product)
    divisor = comparison.where(near, 1, lmbda)
    return comparison.where(near, y * series, elementary.log1p(away) / divisor)


INVERSE_SAMPLES = (
    sample((2, 3), (3,)),
    sample((), ()),
    sample([2.0, 0.3, 0.5], [0.0, 1e-9, -0.7]),
    sample((0,), (0,)),
)


@operation(pattern="elementwise", domain=positive, samples=INVERSE_SAMPLES)
def inv_boxcox(y, lmbda):
    """Inverse of Box and Cox's transform: (1 + lambda y)**(1/lambda), exp(y) where lambda is 0.

    Shapes:  y [...], lmbda [...] -> [...] (broadcast)
    Kinks:   none: lambda = 0 is a limit
    Source:  exp(log1p(lambda y)/lambda), by series around lambda y = 0
    Example: vjp explain "inv_boxcox(y, l)" y=0.7,1 l=0,0.5 --seed ones
    """
    return elementary.exp(_untransformed(y, lmbda))


@operation(pattern="elementwise", domain=positive, samples=INVERSE_SAMPLES)
def inv_boxcox1p(y, lmbda):
    """Inverse of Box and Cox's transform of 1 + x: (1 + lambda y)**(1/lambda) - 1.

    Shapes:  y [...], lmbda [...] -> [...] (broadcast)
    Kinks:   none: lambda = 0 is a limit
    Source:  expm1(log1p(lambda y)/lambda), by series around lambda y = 0
    Example: vjp explain "inv_boxcox1p(y, l)" y=0.7,1 l=0,0.5 --seed ones
    """
    return elementary.expm1(_untransformed(y, lmbda))


@operation(
    pattern="elementwise",
    domain=(positive, positive),
    samples=(sample([0.7, 1.5], [[0.3], [-4.0]]), sample(1.0, ()), sample((0,), (0,))),
)
def huber(delta, r):
    """Huber's function: r**2/2 where |r| is at most delta, delta (|r| - delta/2) beyond.

    Shapes:  delta [...], r [...] -> [...] (broadcast); inf for a negative delta
    Kinks:   none: the slopes meet at |r| = delta
    Source:  scipy.special.huber
    Example: vjp explain "huber(delta, r)" delta=1 r=0.5,-3 --seed ones
    """
    size = comparison.where(r < 0, -r, r)
    beyond = delta * (size - 0.5 * delta)
    bowl = comparison.where(size <= delta, 0.5 * (r * r), beyond)
    return comparison.where(delta < 0, np.inf, bowl)


@operation(
    pattern="elementwise",
    domain=(positive, positive),
    samples=(sample([0.7, 1.5], [[0.3], [-4.0]]), sample((), ()), sample((0,), (0,))),
)
def pseudo_huber(delta, r):
    """Smooth form of Huber's function: delta**2 (sqrt(1 + (r/delta)**2) - 1).

    Shapes:  delta [...] above 0, r [...] -> [...] (broadcast)
    Kinks:   none
    Source:  r**2/(1 + sqrt(1 + (r/delta)**2)), which has all digits for a small r
    Example: vjp explain "pseudo_huber(delta, r)" delta=1 r=0.5,-3 --seed ones
    """
    ratio = r / delta
    return r * r / (1 + elementary.sqrt(1 + ratio * ratio))
