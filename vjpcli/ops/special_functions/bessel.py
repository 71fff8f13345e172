"""Bessel functions of whole order, spherical ones, and the Airy function.

How the values are computed, and to what accuracy, stands in `bessel_values.py`; the modified
functions of the first kind are in `special.py`.
"""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import Refusal, elementwise, operation, outcome, sample
from vjpcli.ops.keywords import whole_number
from vjpcli.ops.numbers import comparison
from vjpcli.ops.shapes import joining
from vjpcli.ops.special_functions import bessel_values
from vjpcli.ops.special_functions.special import order_first

MOST = bessel_values.MOST_ORDER
ON_THE_LINE = (
    sample((2, 3)),
    sample(()),
    sample([0.0, 1e-9, -0.7, 1.99, 2.01, -24.9, 25.2, 90.0]),
    sample((0,)),
)
RIGHT_OF_ZERO = (
    sample([[0.4, 1.3], [2.01, 7.2]]),
    sample(0.7),
    sample([0.05, 1.99, 24.9, 25.2, 60.0]),
    sample((0,)),
)
ORDER_REFUSALS = (
    Refusal(sample((2,), (2,)), "static-not-plain"),
    Refusal(sample(0.5, (2,)), "keyword-value"),
    Refusal(sample(201.0, (2,)), "keyword-value"),
)


def _with_orders(samples, *more):
    """Each sample with an order of its own in front."""
    numbered = (
        sample(float(n), *one.operands) for n, one in zip((2, 0, 3, 1), samples, strict=True)
    )
    return (*numbered, *more)


def _whole_order(name, n, x):
    """The size of the order, the operand, and whether a negative sign belongs in front.

    Errors: static-not-plain, keyword-value.
    """
    order, x = order_first(name, n, x, least=-MOST, most=MOST)
    return abs(order), x, order < 0 and order % 2 == 1


def _order_above(function, order, x, before, *, spherical=False):
    """The function of the next order, for the largest one by its recurrence."""
    if order < MOST:
        return function(order + 1, x)
    factor = 2 * order + 1 if spherical else 2 * order
    return comparison.where(comparison.equal(x, 0), 0, factor / x * function(order, x) - before)


@operation(
    bessel_values.bessel_j,
    pattern="elementwise",
    symbolic=lambda s, x, *, order: s.besselj(order, x),
    aliases=("jn",),
    samples=_with_orders(ON_THE_LINE, sample(40.0, [30.0, 50.0]), sample(-3.0, [1.5])),
    refuses=ORDER_REFUSALS,
)
def jv(n, x):
    """Bessel function of the first kind, of whole order n up to 200, of each entry.

    Shapes:  n a whole number, x [...] -> [...]
    Kinks:   none
    Source:  DLMF 10.6.1: the derivative is (jv(n-1, x) - jv(n+1, x))/2; values by series and
             recurrence, to 3e-15 of the height of the swing
    Example: vjp explain "jv(2, x)" x=0,1,5 --seed ones
    """
    order, x, turns = _whole_order("jv", n, x)
    return -jv(order, x) if turns else outcome(x.shape, operands=(x,), order=order)


@jv.vjp
def _(g, y, x, *, order):
    if order == 0:
        return g * -jv(1, x)
    before = jv(order - 1, x)
    return g * (0.5 * (before - _order_above(jv, order, x, before)))


@operation(pattern="elementwise", aliases=("j0",), samples=ON_THE_LINE)
def bessel_j0(x):
    """Bessel function of the first kind, of order 0, of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 10.6.3: the derivative is -bessel_j1(x); values to 3e-15 of sqrt(2/(pi x))
    Example: vjp explain "bessel_j0(x)" x=0,1,5 --seed ones
    """
    return jv(0, x)


@operation(pattern="elementwise", aliases=("j1",), samples=ON_THE_LINE)
def bessel_j1(x):
    """Bessel function of the first kind, of order 1, of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 10.6.1: the derivative is (j0(x) - jv(2, x))/2, which needs no division by x
    Example: vjp explain "bessel_j1(x)" x=0,1,5 --seed ones
    """
    return jv(1, x)


@operation(
    keyword_aliases={"n_iter": "iterations"},
    samples=(sample((2, 3), v=2), sample((), v=0), sample((3,), v=1), sample((0,), v=3)),
    refuses=(
        Refusal(sample((2,), v=-1), "keyword-value"),
        Refusal(sample((2,), v=1.5), "keyword-value"),
    ),
)
def bessel_jn(z, *, v, iterations=50):
    """Bessel functions of the first kind of all orders from 0 to v: jax.scipy.special.bessel_jn.

    Shapes:  z [...] -> [v + 1, ...]; jv(n, x) gives one order alone
    Kinks:   none
    Source:  `jv`, whatever number of iterations is asked for
    Example: vjp explain "bessel_jn(z, v=2)" z=1,5 --seed ones
    """
    most = whole_number("v", v, least=0, most=MOST)
    return joining.stack(*(jv(order, z) for order in range(most + 1)), axis=0)


@operation(
    bessel_values.bessel_y,
    pattern="elementwise",
    symbolic=lambda s, x, *, order: s.bessely(order, x),
    aliases=("yn",),
    samples=_with_orders(RIGHT_OF_ZERO, sample(40.0, [30.0, 50.0]), sample(-3.0, [1.5])),
    refuses=ORDER_REFUSALS,
)
def yv(n, x):
    """Bessel function of the second kind, of whole order n up to 200, of each entry.

    Shapes:  n a whole number, x [...] above 0 -> [...]
    Kinks:   none; at 0 the value is -inf and the slope +inf, below 0 nan
    Source:  DLMF 10.6.1: the derivative is (yv(n-1, x) - yv(n+1, x))/2; values by series and
             recurrence, to 5e-15 of the height of the swing for orders 0 and 1, 1e-13 above
    Example: vjp explain "yv(2, x)" x=0.5,1,5 --seed ones
    """
    order, x, turns = _whole_order("yv", n, x)
    return -yv(order, x) if turns else outcome(x.shape, operands=(x,), order=order)


@yv.vjp
def _(g, y, x, *, order):
    if order == 0:
        return g * -yv(1, x)
    before = yv(order - 1, x)
    slope = 0.5 * (before - _order_above(yv, order, x, before))
    return g * comparison.where(comparison.equal(x, 0), np.inf, slope)


@operation(pattern="elementwise", aliases=("y0",), samples=RIGHT_OF_ZERO)
def bessel_y0(x):
    """Bessel function of the second kind, of order 0, of each entry.

    Shapes:  x [...] above 0 -> [...]
    Kinks:   none; at 0 the value is -inf and the slope +inf, below 0 nan
    Source:  DLMF 10.6.3: the derivative is -bessel_y1(x); values to 5e-15 of sqrt(2/(pi x))
    Example: vjp explain "bessel_y0(x)" x=0.5,1,5 --seed ones
    """
    return yv(0, x)


@operation(pattern="elementwise", aliases=("y1",), samples=RIGHT_OF_ZERO)
def bessel_y1(x):
    """Bessel function of the second kind, of order 1, of each entry.

    Shapes:  x [...] above 0 -> [...]
    Kinks:   none; at 0 the value is -inf and the slope +inf, below 0 nan
    Source:  DLMF 10.6.1: the derivative is (y0(x) - yv(2, x))/2; values to 5e-15
    Example: vjp explain "bessel_y1(x)" x=0.5,1,5 --seed ones
    """
    return yv(1, x)


@operation(
    lambda x, *, order: bessel_values.bessel_k(x, order=order),
    pattern="elementwise",
    symbolic=lambda s, x, *, order: s.besselk(order, x),
    aliases=("kn",),
    samples=_with_orders(RIGHT_OF_ZERO, sample(-3.0, [1.5])),
    refuses=ORDER_REFUSALS,
)
def kv(n, x):
    """Modified Bessel function of the second kind, of whole order n up to 200, of each entry.

    Shapes:  n a whole number, x [...] above 0 -> [...]
    Kinks:   none; at 0 the value is +inf and the slope -inf, below 0 nan
    Source:  DLMF 10.29.1: the derivative is -(kv(n-1, x) + kv(n+1, x))/2; values by series,
             quadrature and recurrence, to 3e-15 for orders 0 and 1, to 1e-14 above
    Example: vjp explain "kv(2, x)" x=0.5,1,5 --seed ones
    """
    order, x, _ = _whole_order("kv", n, x)
    return outcome(x.shape, operands=(x,), order=order)


def _neighbours(function, order, x):
    """The sum of the functions of the orders below and above."""
    before = function(order - 1, x)
    above = function(order + 1, x) if order < MOST else 2 * order / x * function(order, x) + before
    return before + above


@kv.vjp
def _(g, y, x, *, order):
    return g * -kv(1, x) if order == 0 else g * (-0.5 * _neighbours(kv, order, x))


@operation(pattern="elementwise", aliases=("k0",), samples=RIGHT_OF_ZERO)
def modified_bessel_k0(x):
    """Modified Bessel function of the second kind, of order 0, of each entry.

    Shapes:  x [...] above 0 -> [...]
    Kinks:   none; at 0 the value is +inf and the slope -inf, below 0 nan
    Source:  DLMF 10.29.3: the derivative is -modified_bessel_k1(x); values to 3e-15
    Example: vjp explain "modified_bessel_k0(x)" x=0.5,1,5 --seed ones
    """
    return kv(0, x)


@operation(pattern="elementwise", aliases=("k1",), samples=RIGHT_OF_ZERO)
def modified_bessel_k1(x):
    """Modified Bessel function of the second kind, of order 1, of each entry.

    Shapes:  x [...] above 0 -> [...]
    Kinks:   none; at 0 the value is +inf and the slope -inf, below 0 nan
    Source:  DLMF 10.29.1: the derivative is -(k0(x) + kv(2, x))/2; values to 3e-15
    Example: vjp explain "modified_bessel_k1(x)" x=0.5,1,5 --seed ones
    """
    return kv(1, x)


@operation(
    lambda x, *, order: bessel_values.bessel_k(x, order=order, scaled=True),
    pattern="elementwise",
    symbolic=lambda s, x, *, order: s.besselk(order, x) * s.exp(x),
    samples=_with_orders(RIGHT_OF_ZERO, sample(1.0, [800.0])),
    refuses=ORDER_REFUSALS,
)
def kve(n, x):
    """exp(x) kv(n, x) of each entry, which does not underflow, for whole orders n up to 200.

    Shapes:  n a whole number, x [...] above 0 -> [...]
    Kinks:   none; at 0 the value is +inf and the slope -inf, below 0 nan
    Source:  product rule: y - (kve(n-1, x) + kve(n+1, x))/2; values as for `kv`
    Example: vjp explain "kve(2, x)" x=0.5,1,1000 --seed ones
    """
    order, x, _ = _whole_order("kve", n, x)
    return outcome(x.shape, operands=(x,), order=order)


@kve.vjp
def _(g, y, x, *, order):
    falls = kve(1, x) if order == 0 else 0.5 * _neighbours(kve, order, x)
    return g * comparison.where(comparison.equal(x, 0), -np.inf, y - falls)


@operation(pattern="elementwise", aliases=("k0e",), samples=RIGHT_OF_ZERO)
def scaled_modified_bessel_k0(x):
    """exp(x) times the modified Bessel function of the second kind of order 0, of each entry.

    Shapes:  x [...] above 0 -> [...]
    Kinks:   none; at 0 the value is +inf and the slope -inf, below 0 nan
    Source:  `kve` of order 0
    Example: vjp explain "scaled_modified_bessel_k0(x)" x=0.5,1,1000 --seed ones
    """
    return kve(0, x)


@operation(pattern="elementwise", aliases=("k1e",), samples=RIGHT_OF_ZERO)
def scaled_modified_bessel_k1(x):
    """exp(x) times the modified Bessel function of the second kind of order 1, of each entry.

    Shapes:  x [...] above 0 -> [...]
    Kinks:   none; at 0 the value is +inf and the slope -inf, below 0 nan
    Source:  `kve` of order 1
    Example: vjp explain "scaled_modified_bessel_k1(x)" x=0.5,1,1000 --seed ones
    """
    return kve(1, x)


@operation(
    bessel_values.spherical_j,
    pattern="elementwise",
    symbolic=lambda s, x, *, order: s.expand_func(s.jn(order, x)),
    samples=_with_orders(ON_THE_LINE, sample(40.0, [30.0, 50.0])),
    refuses=(*ORDER_REFUSALS, Refusal(sample(-1.0, (2,)), "keyword-value")),
)
def spherical_jn(n, x):
    """Spherical Bessel function of the first kind, of whole order n up to 200, of each entry.

    Shapes:  n a whole number, x [...] -> [...]
    Kinks:   none
    Source:  DLMF 10.51.2: the derivative is (n j[n-1] - (n+1) j[n+1])/(2n+1); values by series and
             recurrence, to 3e-15 of 1/x
    Example: vjp explain "spherical_jn(1, x)" x=0,1,5 --seed ones
    """
    order, x = order_first("spherical_jn", n, x, most=MOST)
    return outcome(x.shape, operands=(x,), order=order)


@spherical_jn.vjp
def _(g, y, x, *, order):
    if order == 0:
        return g * -spherical_jn(1, x)
    before = spherical_jn(order - 1, x)
    after = _order_above(spherical_jn, order, x, before, spherical=True)
    return g * ((order * before - (order + 1) * after) * (1 / (2 * order + 1)))


@operation(pattern="elementwise", samples=ON_THE_LINE)
def spherical_bessel_j0(x):
    """sin(x)/x of each entry, 1 at 0: the spherical Bessel function of order 0.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  the derivative is minus the spherical Bessel function of order 1, exact around 0
    Example: vjp explain "spherical_bessel_j0(x)" x=0,1,5 --seed ones
    """
    return spherical_jn(0, x)


AIRY_SAMPLES = (
    sample((2, 3)),
    sample(()),
    sample([-14.0, -10.1, -9.9, 0.0, 1.9, 2.1, 6.0]),
    sample((0,)),
)


@elementwise(bessel_values.airy_ai, symbolic="airyai", samples=AIRY_SAMPLES)
def airy_ai(x):
    """Airy function Ai of each entry: the solution of y'' = x y that vanishes at +inf.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 9.2; values by Taylor and asymptotic series and quadrature, to
             1e-15 max(1, |x|**1.5)
    Example: vjp explain "airy_ai(x)" x=-2,0,1 --seed ones
    """


@airy_ai.vjp
def _(g, y, x):
    return g * airy_ai_prime(x)


@elementwise(
    lambda x: bessel_values.airy_ai(x, derivative=True),
    symbolic="airyaiprime",
    samples=AIRY_SAMPLES,
)
def airy_ai_prime(x):
    """The derivative of the Airy function Ai at each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  the differential equation y'' = x y gives its own derivative; values as for `airy_ai`
    Example: vjp explain "airy_ai_prime(x)" x=-2,0,1 --seed ones
    """


@airy_ai_prime.vjp
def _(g, y, x):
    return g * (x * airy_ai(x))
