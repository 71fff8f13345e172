"""Functions defined by integrals: exponential, sine and Fresnel integrals, Dawson, dilogarithm.

How the values are computed, and to what accuracy, stands in `integral_values.py`.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from vjpcli.graph.facts import positive
from vjpcli.ops.declaration import (
    Refusal,
    elementwise,
    operation,
    outcome,
    sample,
)
from vjpcli.ops.keywords import true_or_false, whole_number
from vjpcli.ops.numbers import comparison, elementary, trigonometry
from vjpcli.ops.special_functions import bessel, integral_values, special

POSITIVE_SAMPLES = (
    sample((2, 3)),
    sample(()),
    sample([0.02, 0.99, 1.01, 3.9, 4.1, 12.0]),
    sample((0,)),
)
BOTH_SIDES = (
    sample((2, 3)),
    sample(()),
    sample([0.0, 1e-9, -0.7, 1.4, 1.6, -3.9, 4.1, 9.0]),
    sample((0,)),
)


@elementwise(
    integral_values.expi,
    symbolic="Ei",
    samples=(sample((2, 3)), sample(()), sample([-12.0, -0.3, 0.2, 2.5, 41.0]), sample((0,))),
    aliases=("Ei",),
)
def expi(x):
    """Exponential integral Ei: the principal value of the integral of exp(t)/t up to x.

    Shapes:  x [...] -> [...]
    Kinks:   none; at 0 the value is -inf
    Source:  DLMF 6.2.5; the derivative is exp(x)/x; values by series and quadrature, to 3e-15
    Example: vjp explain "expi(x)" x=-1,0.5,2 --seed ones
    """


@expi.vjp
def _(g, y, x):
    return g * (elementary.exp(x) / x)


@operation(
    integral_values.expn,
    pattern="elementwise",
    symbolic=lambda s, x, *, order: s.expint(order, x),
    domain=positive,
    aliases=("expint",),
    samples=(
        sample(2.0, (2, 3)),
        sample(0.0, ()),
        sample(3.0, [0.02, 0.99, 1.01, 3.9, 4.1, 12.0]),
        sample(1.0, (0,)),
    ),
    refuses=(
        Refusal(sample((2,), (2,)), "static-not-plain"),
        Refusal(sample(0.5, (2,)), "keyword-value"),
        Refusal(sample(-1.0, (2,)), "keyword-value"),
    ),
)
def expn(n, x):
    """Exponential integral of whole order n: the integral of exp(-x t) t**-n for t from 1.

    Shapes:  n a whole number, x [...] of at least 0 -> [...]; nan below 0
    Kinks:   none; at 0 the value is 1/(n-1), inf for n up to 1
    Source:  DLMF 8.19.13: the derivative is -expn(n-1, x); values by series and quadrature, to
             3e-15
    Example: vjp explain "expn(2, x)" x=0.5,1,4 --seed ones
    """
    order, x = special.order_first("expn", n, x, most=1000)
    return outcome(x.shape, operands=(x,), order=order)


@expn.vjp
def _(g, y, x, *, order):
    if order:
        return g * -expn(order - 1, x)
    return g * -(y + y / x)


@operation(pattern="elementwise", domain=positive, samples=POSITIVE_SAMPLES, aliases=("E1",))
def exp1(x):
    """Exponential integral E1: the integral of exp(-t)/t from x.

    Shapes:  x [...] above 0 -> [...]; nan below 0
    Kinks:   none; at 0 the value is inf and the slope -inf
    Source:  DLMF 6.2.1; the derivative is -exp(-x)/x; values to 3e-15
    Example: vjp explain "exp1(x)" x=0.5,1,4 --seed ones
    """
    return expn(1, x)


@elementwise(integral_values.sine_integral, symbolic="Si", samples=BOTH_SIDES)
def sine_integral(x):
    """Sine integral Si: the integral of sin(t)/t from 0.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 6.2.9: the derivative is sin(x)/x, 1 at 0
    Example: vjp explain "sine_integral(x)" x=0,1,4 --seed ones
    """


@sine_integral.vjp
def _(g, y, x):
    return g * bessel.spherical_jn(0, x)


@elementwise(
    integral_values.cosine_integral, symbolic="Ci", domain=positive, samples=POSITIVE_SAMPLES
)
def cosine_integral(x):
    """Cosine integral Ci of |x|: Euler's constant + log|x| + the integral of (cos(t)-1)/t.

    Shapes:  x [...] -> [...]
    Kinks:   none; at 0 the value is -inf
    Source:  DLMF 6.2.13: the derivative is cos(x)/x
    Example: vjp explain "cosine_integral(x)" x=0.5,1,4 --seed ones
    """


@cosine_integral.vjp
def _(g, y, x):
    return g * (trigonometry.cos(x) / x)


@operation(
    pattern="elementwise",
    several=("si", "ci"),
    domain=positive,
    samples=(sample((2, 3)), sample([0.3, 5.0])),
)
def sici(x):
    """Sine and cosine integrals, two results.

    Shapes:  x [...] -> [...], [...]; the second is that of |x|
    Kinks:   none; at 0 the cosine integral is -inf
    Source:  sin(x)/x and cos(x)/x, integrated; values by series and quadrature, to 3e-15
    Example: vjp explain "si, ci = sici(x); si + ci" x=0.5,1,4 --seed ones
    """
    return sine_integral(x), cosine_integral(x)


@elementwise(
    integral_values.fresnel,
    symbolic=lambda s, x, *, cosine: s.fresnelc(x) if cosine else s.fresnels(x),
    samples=tuple(
        sample(*one.operands, cosine=cosine) for one in BOTH_SIDES for cosine in (True, False)
    ),
    checks={"cosine": true_or_false},
)
def fresnel_integral(x, *, cosine):
    """Fresnel integral C (cosine) or S: the integral of cos or sin of pi t**2/2 from 0.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 7.2.7, 7.2.8; values by series and quadrature, to 3e-15 of 1/(pi x)
    Example: vjp explain "fresnel_integral(x, cosine=True)" x=0.5,1,4 --seed ones
    """


@fresnel_integral.vjp
def _(g, y, x, *, cosine):
    angle = 0.5 * math.pi * (x * x)
    return g * (trigonometry.cos(angle) if cosine else trigonometry.sin(angle))


@operation(pattern="elementwise", several=("s", "c"), samples=(sample((2, 3)), sample([0.3, -5.0])))
def fresnel(x):
    """Fresnel integrals, two results: S with the sine, C with the cosine.

    Shapes:  x [...] -> [...], [...]
    Kinks:   none
    Source:  DLMF 7.2.7, 7.2.8: the derivatives are sin and cos of pi x**2/2; values by series and
             quadrature, to 3e-15 of 1/(pi x)
    Example: vjp explain "s, c = fresnel(x); s + c" x=0.5,1,4 --seed ones
    """
    return fresnel_integral(x, cosine=False), fresnel_integral(x, cosine=True)


@operation(pattern="elementwise", samples=BOTH_SIDES)
def dawsn(x):
    """Dawson's function: exp(-x**2) times the integral of exp(t**2) from 0.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 7.2.5; the derivative is 1 - 2 x dawsn(x), which is computed without its
             cancellation; values by Rybicki's sampling and asymptotic series, to 1e-15
    Example: vjp explain "dawsn(x)" x=-0.5,1,100 --seed ones
    """
    return dawson_derivative(x, order=0)


@elementwise(
    integral_values.dawsn,
    symbolic=lambda s, x, *, order: _symbolic_dawson(s, x, order),
    samples=tuple(sample(*one.operands, order=n) for one in BOTH_SIDES for n in (0, 2)),
    checks={"order": partial(whole_number, least=0)},
)
def dawson_derivative(x, *, order):
    """The derivative of Dawson's function of the given order.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  D[n+1] = -2 x D[n] - 2 n D[n-1]; far out the asymptotic series, term by term
    Example: vjp explain "dawson_derivative(x, order=1)" x=0.5,1,100 --seed ones
    """


def _symbolic_dawson(s, x, order):
    z = s.Dummy()
    dawson = s.sqrt(s.pi) / 2 * s.exp(-(z**2)) * s.erfi(z)
    return s.diff(dawson, z, order).subs(z, x)


@dawson_derivative.vjp
def _(g, y, x, *, order):
    return g * dawson_derivative(x, order=order + 1)


@elementwise(integral_values.erfi, symbolic="erfi", samples=BOTH_SIDES)
def erfi(x):
    """Imaginary error function: 2/sqrt(pi) times the integral of exp(t**2) from 0 to x.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 7.2; values by Dawson's function, to 1e-15 max(1, x**2)
    Example: vjp explain "erfi(x)" x=-1,0,2 --seed ones
    """


@erfi.vjp
def _(g, y, x):
    return g * (special.TWO_BY_ROOT_PI * elementary.exp(x * x))


@elementwise(
    integral_values.spence,
    symbolic=lambda s, x: s.polylog(2, 1 - x),
    domain=positive,
    samples=(sample((2, 3)), sample(()), sample([0.02, 0.49, 0.7, 1.9, 2.1, 40.0]), sample((0,))),
)
def spence(x):
    """Spence's function, the dilogarithm of 1 - x: minus the integral of log(t)/(t-1) from 1.

    Shapes:  x [...] of at least 0 -> [...]; nan below 0
    Kinks:   none; at 0 the value is pi**2/6 and the slope -inf
    Source:  DLMF 25.12; the derivative is log(x)/(1-x), -1 at 1; values by series, to 1e-15
    Example: vjp explain "spence(x)" x=0.5,1,4 --seed ones
    """


@spence.vjp
def _(g, y, x):
    at_one = comparison.equal(x, 1)
    away = comparison.where(at_one, 2, x)
    return g * comparison.where(at_one, -1, elementary.log(away) / (1 - away))


@elementwise(
    integral_values.owens_t,
    samples=(
        sample((2, 3), (3,)),
        sample((), ()),
        sample((0,), (0,)),
        sample([0.0, 3.0, -2.0, 0.4], [0.7, -0.2, 5.0, -30.0]),
    ),
)
def owens_t(h, a):
    """Owen's T: the integral of exp(-h**2 (1+t**2)/2)/(1+t**2)/(2 pi) over t from 0 to a.

    Shapes:  h [...], a [...] -> [...] (broadcast)
    Kinks:   none
    Source:  Owen, Annals of Mathematical Statistics 27 (1956); d/dh is the normal density times
             -erf(ah/sqrt(2))/2; values by Gauss-Legendre quadrature, to 1e-14
    Example: vjp explain "owens_t(h, a)" h=0,1,2 a=1,0.5,3 --seed ones
    """


@owens_t.vjp
def _(g, y, h, a):
    density = elementary.exp(-0.5 * (h * h)) * (1 / math.sqrt(2 * math.pi))
    by_h = -0.5 * density * special.erf(a * h * math.sqrt(0.5))
    square = 1 + a * a
    return g * by_h, g * (elementary.exp(-0.5 * (h * h) * square) / (2 * math.pi * square))


@elementwise(
    integral_values.zeta,
    symbolic=lambda s, x, q, *, order, continued: _symbolic_zeta(s, x, q, order),
    domain=positive,
    samples=(
        sample([[1.5, 2.0], [4.0, 9.5]], (2,), order=0),
        sample([1.1, 3.0], [30.0, 0.2], order=1),
        sample([2.5], (0, 1), order=2),
    ),
    checks={"order": partial(whole_number, least=0)},
)
def zeta_derivative(x, q, *, order, continued=False):
    """The derivative of the Hurwitz zeta function in x, of the given order.

    Shapes:  x [...], q [...] -> [...] (broadcast)
    Kinks:   none
    Source:  Euler-Maclaurin summation, differentiated term by term
    Example: vjp explain "zeta_derivative(x, q, order=1)" x=1.5,3 q=1,2 --seed ones
    """


def _symbolic_zeta(s, x, q, order):
    if order:
        raise NotImplementedError("zeta")
    return s.zeta(x, q)


@zeta_derivative.vjp
def _(g, y, x, q, *, order, continued):
    # d/dq (q+k)**-x = -x (q+k)**-(x+1), and -x differentiated once with it
    by_q = -x * zeta_derivative(x + 1, q, order=order, continued=continued)
    if order:
        lower = zeta_derivative(x + 1, q, order=order - 1, continued=continued)
        by_q = by_q - order * lower
    by_x = zeta_derivative(x, q, order=order + 1, continued=continued)
    return g * by_x, g * by_q


@operation(
    pattern="elementwise",
    domain=positive,
    samples=(
        sample([[1.5, 2.0], [4.0, 9.5]], (2,)),
        sample([3.0]),
        sample([0.5, -1.5]),
    ),
)
def zeta(x, q=None):
    """Hurwitz zeta function: the sum of (q+k)**-x over k = 0, 1, ...; Riemann's with q = 1.

    Shapes:  x [...] above 1, q [...] -> [...] (broadcast); inf at x = 1, nan below (PyTorch,
             SciPy); without q any x, continued below 1
    Kinks:   none; poles at q = 0, -1, ...
    Source:  DLMF 25.11.1; d/dq = -x zeta(x+1, q); d/dx (PyTorch refuses it) and the values by
             Euler-Maclaurin summation, to 1e-14
    Example: vjp explain "zeta(x, q)" x=2,3 q=1,0.5 --seed ones
    """
    if q is None:
        return zeta_derivative(x, np.ones(()), order=0, continued=True)
    return zeta_derivative(x, q, order=0)
