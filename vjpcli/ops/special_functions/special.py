"""Special functions: error function, gamma and its relatives, modified Bessel functions.

How the values are computed, and to what accuracy, stands in `special_values.py`.
"""

from __future__ import annotations

import math

from vjpcli.graph.facts import positive, unit
from vjpcli.ops.declaration import (
    Kink,
    Refusal,
    constant_number,
    elementwise,
    fail,
    operation,
    outcome,
    sample,
)
from vjpcli.ops.keywords import whole_number
from vjpcli.ops.numbers import arithmetic, comparison, elementary
from vjpcli.ops.special_functions import incomplete_values, special_values

TWO_BY_ROOT_PI = 2 / math.sqrt(math.pi)


@elementwise(special_values.erf, symbolic="erf")
def erf(x):
    """Error function of each entry: 2/sqrt(pi) times the integral of exp(-t**2) from 0 to x.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 7.2; values by Cody's rational approximations, to 5e-16
    Example: vjp explain "erf(x)" x=-1,0,2 --seed ones
    """


@erf.vjp
def _(g, y, x):
    return g * (TWO_BY_ROOT_PI * elementary.exp(-x * x))


@elementwise(special_values.erfc, symbolic="erfc")
def erfc(x):
    """1 - erf of each entry, without loss of digits where erf is near 1.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 7.2; values by Cody's rational approximations, to 2e-15
    Example: vjp explain "erfc(x)" x=0,2,10 --seed ones
    """


@erfc.vjp
def _(g, y, x):
    return g * (-TWO_BY_ROOT_PI * elementary.exp(-x * x))


@elementwise(special_values.erfinv, symbolic="erfinv", domain=unit, aliases=("erf_inv",))
def erfinv(x):
    """The number whose error function the entry is.

    Shapes:  x [...] -> [...]
    Kinks:   none inside (-1, 1); infinite at -1 and 1, nan outside
    Source:  inverse function: exp(y**2) sqrt(pi)/2; values by Halley's method, to 5e-15
    Example: vjp explain "erfinv(p)" p=-0.5,0,0.9 --seed ones
    """


@erfinv.vjp
def _(g, y, x):
    return g * (elementary.exp(y * y) / TWO_BY_ROOT_PI)


@operation(pattern="elementwise", samples=(sample((2, 3)), sample(())))
def ndtr(x):
    """Probability that a standard normal number is at most the entry.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  erfc(-x/sqrt(2))/2
    Example: vjp explain "ndtr(x)" x=-1.96,0,1.96 --seed ones
    """
    return 0.5 * erfc(x * -math.sqrt(0.5))


ON_BOTH_SIDES = (sample((2, 3)), sample(()), sample([-0.4, -1.3, -3.6]), sample((0,)), sample((1,)))


@elementwise(
    special_values.lgamma,
    symbolic="loggamma",
    domain=positive,
    aliases=("gammaln",),
    samples=ON_BOTH_SIDES,
)
def lgamma(x):
    """Logarithm of the size of the gamma function of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none; poles at 0, -1, -2, ...
    Source:  DLMF 5.2; values by C's lgamma, to 2e-15
    Example: vjp explain "lgamma(x)" x=0.5,1,10 --seed ones
    """


@lgamma.vjp
def _(g, y, x):
    return g * digamma(x)


@elementwise(
    special_values.gamma,
    symbolic="gamma",
    domain=positive,
    samples=ON_BOTH_SIDES,
)
def gamma(x):
    """Gamma function of each entry; gamma(n + 1) is n!.

    Shapes:  x [...] -> [...]
    Kinks:   none; poles at 0, -1, -2, ...
    Source:  DLMF 5.2; values by C's tgamma, to 2e-15
    Example: vjp explain "gamma(x)" x=0.5,1,5 --seed ones
    """


@gamma.vjp
def _(g, y, x):
    return g * (y * digamma(x))


@elementwise(
    incomplete_values.betaln,
    symbolic=lambda s, a, b: s.log(s.beta(a, b)),
    domain=positive,
    samples=(sample((2, 3), (3,)), sample((), ()), sample([300.0, 0.2], [0.7, 4000.0])),
)
def betaln(a, b):
    """Logarithm of the beta function of two positive numbers, entry by entry.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   none; poles where a or b is 0, -1, ...
    Source:  DLMF 5.12.1; d/da = digamma(a) - digamma(a+b); values by Stirling's rests, where
             logarithms of large gammas would cancel, to 1e-14
    Example: vjp explain "betaln(a, b)" a=1,2 b=3,4 --seed ones
    """


@betaln.vjp
def _(g, y, a, b):
    total = digamma(a + b)
    return g * (digamma(a) - total), g * (digamma(b) - total)


@operation(
    pattern="elementwise",
    domain=positive,
    aliases=("mvlgamma",),
    keyword_aliases={"p": "d"},
    samples=(sample([[2.5, 3.1], [1.7, 4.0]], d=3), sample(2.0, d=1)),
    refuses=(
        Refusal(sample((2,), d=0), "keyword-value"),
        Refusal(sample((2,), d=1.5), "keyword-value"),
    ),
)
def multigammaln(x, *, d):
    """Logarithm of the gamma function of d dimensions, of each entry above (d-1)/2.

    Shapes:  x [...] -> [...]
    Kinks:   none; poles where x - j/2 is 0, -1, ... for some j < d
    Source:  DLMF 35.3.4: d(d-1)/4 log(pi) plus the sum of lgamma(x - j/2)
    Example: vjp explain "multigammaln(x, 2)" x=1,2.5 --seed ones
    """
    d = whole_number("d", d, least=1, most=1000)
    total = lgamma(x)
    for j in range(1, d):
        total = total + lgamma(x - j / 2)
    return total + d * (d - 1) / 4 * math.log(math.pi)


@elementwise(
    special_values.digamma,
    symbolic="digamma",
    domain=positive,
    aliases=("psi",),
    samples=ON_BOTH_SIDES,
)
def digamma(x):
    """Derivative of the logarithm of the gamma function, of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none; poles at 0, -1, -2, ...
    Source:  DLMF 5.2.2; values by recurrence and asymptotic series, to 2e-15
    Example: vjp explain "digamma(x)" x=0.5,1,10 --seed ones
    """


@digamma.vjp
def _(g, y, x):
    return g * polygamma(1, x)


@operation(
    special_values.polygamma,
    pattern="elementwise",
    symbolic=lambda s, x, *, order: s.polygamma(order, x),
    domain=positive,
    samples=(
        sample(1.0, (2, 3)),
        sample(2.0, ()),
        sample(1.0, (0,)),
        sample(3.0, [-0.4, -1.3, 0.7]),
        sample(0.0, [1.5]),
    ),
    refuses=(
        Refusal(sample((2,), (2,)), "static-not-plain"),
        Refusal(sample(0.5, (2,)), "keyword-value"),
        Refusal(sample(-1.0, (2,)), "keyword-value"),
    ),
)
def polygamma(n, x):
    """The n-th derivative of digamma, of each entry; x.polygamma(n) as a method.

    Shapes:  n a whole number, x [...] -> [...]
    Kinks:   none; poles at 0, -1, -2, ...
    Source:  DLMF 5.15.1; values by Euler-Maclaurin summation, to 1e-14
    Example: vjp explain "polygamma(1, x)" x=0.5,1,10 --seed ones
    """
    order, x = order_first("polygamma", n, x, most=100, is_method=True)
    return outcome(x.shape, operands=(x,), order=order)


@polygamma.vjp
def _(g, y, x, *, order):
    return g * polygamma(order + 1, x)


def order_first(name, n, x, *, most, least=0, is_method=False):
    """The order as a plain number, and the operand; as a method the operand may come first.

    Errors: static-not-plain, keyword-value.
    """
    order = constant_number(n)
    if order is None and is_method:
        n, x = x, n
        order = constant_number(n)
    if order is None:
        raise fail(
            "static-not-plain", f"the order of {name} must be a plain value: no gradient reaches it"
        )
    return whole_number("order", order, least=least, most=most), x


@elementwise(
    lambda x: special_values.bessel_i(x, order=0),
    symbolic=lambda s, x: s.besseli(0, x),
    aliases=("modified_bessel_i0",),
)
def i0(x):
    """Modified Bessel function of the first kind, of order 0, of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 10.29.3: the derivative is i1(x); values by series, to 5e-15
    Example: vjp explain "i0(x)" x=0,1,5 --seed ones
    """


@i0.vjp
def _(g, y, x):
    return g * i1(x)


@elementwise(
    lambda x: special_values.bessel_i(x, order=1),
    symbolic=lambda s, x: s.besseli(1, x),
    aliases=("modified_bessel_i1",),
)
def i1(x):
    """Modified Bessel function of the first kind, of order 1, of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 10.29.1: (i0(x) + iv(2, x))/2, which needs no division by x
    Example: vjp explain "i1(x)" x=0,1,5 --seed ones
    """


@i1.vjp
def _(g, y, x):
    return g * (0.5 * (i0(x) + iv(2, x)))


ORDERS = (
    sample(2.0, (2, 3)),
    sample(0.0, ()),
    sample(5.0, (0,)),
    sample(1.0, [-1.5, 0.3]),
    sample(25.0, [-8.0, 12.0]),
    sample(-3.0, [1.3]),
)
ORDER_REFUSALS = (
    Refusal(sample((2,), (2,)), "static-not-plain"),
    Refusal(sample(0.5, (2,)), "keyword-value"),
    Refusal(sample(26.0, (2,)), "keyword-value"),
)


@operation(
    lambda x, *, order: special_values.bessel_i(x, order=order),
    pattern="elementwise",
    symbolic=lambda s, x, *, order: s.besseli(order, x),
    samples=ORDERS,
    refuses=ORDER_REFUSALS,
)
def iv(n, x):
    """Modified Bessel function of the first kind, of whole order n up to 25, of each entry.

    Shapes:  n a whole number, x [...] -> [...]
    Kinks:   none
    Source:  DLMF 10.29.1: the derivative is (iv(n-1, x) + iv(n+1, x))/2; values by series, to 2e-14
    Example: vjp explain "iv(2, x)" x=0,1,5 --seed ones
    """
    order, x = order_first("iv", n, x, least=-25, most=25)
    return outcome(x.shape, operands=(x,), order=abs(order))


@iv.vjp
def _(g, y, x, *, order):
    return g * (iv(1, x) if order == 0 else 0.5 * _neighbours(iv, order, x))


def _neighbours(function, order, x):
    """The functions of the orders below and above together."""
    before = function(order - 1, x)
    if order < 25:
        return before + function(order + 1, x)
    by_recurrence = 2 * (before - order / x * function(order, x))
    return comparison.where(comparison.equal(x, 0), 0, by_recurrence)


AT_ZERO = Kink("x == 0", lambda y, x, **static: x == 0, slopes=(-1, 1), used=0, point=(0.0,))


@elementwise(
    lambda x: special_values.bessel_i(x, order=0, scaled=True),
    symbolic=lambda s, x: s.besseli(0, x) * s.exp(-s.Abs(x)),
    aliases=("bessel_i0e",),
    samples=(sample([[0.4, -1.3], [2.0, -0.2]]), sample(-0.7), sample((0,))),
    kinks=(AT_ZERO,),
)
def i0e(x):
    """exp(-|x|) i0(x) of each entry, which does not overflow.

    Shapes:  x [...] -> [...]
    Kinks:   at 0 any slope in [-1, 1] is right; 0 is used
    Source:  product rule; values by series, to 5e-15
    Example: vjp explain "i0e(x)" x=1,5,1000 --seed ones
    """


@i0e.vjp
def _(g, y, x):
    return g * (i1e(x) - arithmetic.sign(x) * y)


@elementwise(
    lambda x: special_values.bessel_i(x, order=1, scaled=True),
    symbolic=lambda s, x: s.besseli(1, x) * s.exp(-s.Abs(x)),
    aliases=("bessel_i1e",),
    samples=(sample([[0.4, -1.3], [2.0, -0.2]]), sample(-0.7), sample((0,))),
)
def i1e(x):
    """exp(-|x|) i1(x) of each entry, which does not overflow.

    Shapes:  x [...] -> [...]
    Kinks:   none; the slope at 0 is 1/2
    Source:  product rule; values by series, to 5e-15
    Example: vjp explain "i1e(x)" x=1,5,1000 --seed ones
    """


@i1e.vjp
def _(g, y, x):
    return g * (0.5 * (i0e(x) + ive(2, x)) - arithmetic.sign(x) * y)


@operation(
    lambda x, *, order: special_values.bessel_i(x, order=order, scaled=True),
    pattern="elementwise",
    symbolic=lambda s, x, *, order: s.besseli(order, x) * s.exp(-s.Abs(x)),
    samples=(sample(2.0, [[0.4, -1.3], [2.0, -0.2]]), sample(0.0, [0.3]), sample(3.0, (0,))),
    refuses=ORDER_REFUSALS,
)
def ive(n, x):
    """exp(-|x|) iv(n, x) of each entry, for whole orders n up to 25.

    Shapes:  n a whole number, x [...] -> [...]
    Kinks:   as `i0e` for order 0, none otherwise
    Source:  product rule
    Example: vjp explain "ive(2, x)" x=1,5,1000 --seed ones
    """
    order, x = order_first("ive", n, x, least=-25, most=25)
    return outcome(x.shape, operands=(x,), order=abs(order))


@ive.vjp
def _(g, y, x, *, order):
    unscaled = ive(1, x) if order == 0 else 0.5 * _neighbours(ive, order, x)
    return g * (unscaled - arithmetic.sign(x) * y)
