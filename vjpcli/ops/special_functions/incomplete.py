"""Incomplete gamma and beta functions, differentiable in every parameter.

How the values are computed, and to what accuracy, stands in `incomplete_values.py`.
"""

from __future__ import annotations

from functools import partial

from vjpcli.graph.facts import positive, probability
from vjpcli.ops.declaration import elementwise, sample
from vjpcli.ops.keywords import whole_number
from vjpcli.ops.numbers import comparison, elementary
from vjpcli.ops.special_functions import incomplete_values, special

GAMMA_SAMPLES = (
    sample((2, 3), (3,)),
    sample((), ()),
    sample((0,), (0,)),
    sample([0.05, 0.5, 3.0, 40.0, 40.0, 900.0], [0.3, 2.5, 0.2, 31.0, 52.0, 930.0]),
)
BETA_SAMPLES = (
    sample((2,), (), (2, 1)),
    sample((), (), ()),
    sample((0,), (0,), (0,)),
    sample([0.3, 40.0], [0.7, 30.0], [0.02, 0.6]),
)
BETA_DOMAIN = (positive, positive, probability)


@elementwise(
    incomplete_values.gammainc,
    symbolic=lambda s, a, x: s.lowergamma(a, x) / s.gamma(a),
    domain=positive,
    aliases=("igamma",),
    samples=GAMMA_SAMPLES,
)
def gammainc(a, x):
    """Regularised lower incomplete gamma function: the distribution function of gamma(a).

    Shapes:  a [...] of at least 0, x [...] of at least 0 -> [...] (broadcast); nan elsewhere
    Kinks:   none; at x = 0 the slope for x is inf for a < 1, 1 for a = 1, 0 above
    Source:  DLMF 8.2.4; d/dx is the density, d/da an integral of its logarithm (PyTorch refuses
             d/da); values and d/da by double exponential quadrature, to 1e-13
    Example: vjp explain "gammainc(a, x)" a=0.5,2,10 x=1,2,8 --seed ones
    """


@gammainc.vjp
def _(g, y, a, x):
    return g * gammainc_slope(a, x, order=1), g * gamma_density(a, x)


@elementwise(
    lambda a, x: incomplete_values.gammainc(a, x, upper=True),
    symbolic=lambda s, a, x: s.uppergamma(a, x) / s.gamma(a),
    domain=positive,
    aliases=("igammac",),
    samples=GAMMA_SAMPLES,
)
def gammaincc(a, x):
    """Regularised upper incomplete gamma function: 1 - gammainc, without loss of digits.

    Shapes:  a [...] of at least 0, x [...] of at least 0 -> [...] (broadcast); nan elsewhere
    Kinks:   none
    Source:  the slopes are those of `gammainc` turned round (PyTorch refuses d/da)
    Example: vjp explain "gammaincc(a, x)" a=0.5,2,10 x=1,2,40 --seed ones
    """


@gammaincc.vjp
def _(g, y, a, x):
    return -g * gammainc_slope(a, x, order=1), -g * gamma_density(a, x)


@elementwise(
    incomplete_values.gammainc,
    domain=positive,
    library_names={"jax": ("igamma_grad_a",)},
    samples=tuple(sample(*one.operands, order=1) for one in GAMMA_SAMPLES),
    checks={"order": partial(whole_number, least=0)},
)
def gammainc_slope(a, x, *, order=1):
    """The derivative of gammainc in its first parameter, of any order.

    Shapes:  a [...], x [...] -> [...] (broadcast)
    Kinks:   none
    Source:  the derivative of the integrand in a, integrated: density times a polynomial in
             log(t) - digamma(a)
    Example: vjp explain "gammainc_slope(a, x)" a=0.5,2 x=1,2 --seed ones
    """


@gammainc_slope.vjp
def _(g, y, a, x, *, order):
    factor = incomplete_values.moments(
        (order, 0),
        lambda m, _: (
            elementary.log(x) - special.digamma(a) if m == 1 else -special.polygamma(m - 1, a)
        ),
    )
    return g * gammainc_slope(a, x, order=order + 1), g * (gamma_density(a, x) * factor)


@elementwise(
    incomplete_values.gamma_density,
    symbolic=lambda s, a, x: x ** (a - 1) * s.exp(-x) / s.gamma(a),
    domain=positive,
    samples=GAMMA_SAMPLES,
)
def gamma_density(a, x):
    """x**(a-1) exp(-x)/Gamma(a), the density of the gamma distribution, of each entry.

    Shapes:  a [...], x [...] -> [...] (broadcast); 0 for x < 0
    Kinks:   none inside x > 0
    Source:  d/dx = density(a-1, x) - density(a, x); d/da = density (log(x) - digamma(a))
    Example: vjp explain "gamma_density(a, x)" a=0.5,2 x=1,2 --seed ones
    """


@gamma_density.vjp
def _(g, y, a, x):
    by_a = comparison.where(comparison.equal(y, 0), 0, y * (elementary.log(x) - special.digamma(a)))
    return g * by_a, g * (gamma_density(a - 1, x) - y)


@elementwise(
    incomplete_values.betainc,
    symbolic=lambda s, a, b, x: s.betainc_regularized(a, b, 0, x),
    domain=BETA_DOMAIN,
    aliases=("regularized_incomplete_beta",),
    samples=BETA_SAMPLES,
)
def betainc(a, b, x):
    """Regularised incomplete beta function: the distribution function of beta(a, b).

    Shapes:  a [...] and b [...] of at least 0, x [...] from 0 to 1 -> [...] (broadcast); nan
             elsewhere
    Kinks:   none inside (0, 1)
    Source:  DLMF 8.17.2; d/dx is the density, d/da and d/db integrals of logarithms; all by double
             exponential quadrature, to 1e-13 for a and b above 0.01
    Example: vjp explain "betainc(a, b, x)" a=0.5,2 b=3,1 x=0.2,0.7 --seed ones
    """


@betainc.vjp
def _(g, y, a, b, x):
    return (
        g * betainc_slope(a, b, x, orders=(1, 0)),
        g * betainc_slope(a, b, x, orders=(0, 1)),
        g * beta_density(a, b, x),
    )


@elementwise(
    lambda a, b, x: incomplete_values.betainc(a, b, x, upper=True),
    symbolic=lambda s, a, b, x: s.betainc_regularized(a, b, x, 1),
    domain=BETA_DOMAIN,
    samples=BETA_SAMPLES,
)
def betaincc(a, b, x):
    """1 - betainc, without loss of digits where betainc is near 1.

    Shapes:  a [...], b [...], x [...] -> [...] (broadcast)
    Kinks:   none inside (0, 1)
    Source:  the slopes are those of `betainc` turned round
    Example: vjp explain "scipy.special.betaincc(a, b, x)" a=0.5,2 b=3,1 x=0.2,0.7 --seed ones
    """


@betaincc.vjp
def _(g, y, a, b, x):
    return tuple(None if one is None else -one for one in betainc.rules["torch"](g, y, a, b, x))


@elementwise(
    incomplete_values.betainc,
    domain=BETA_DOMAIN,
    samples=tuple(
        sample(*one.operands, orders=orders) for one in BETA_SAMPLES for orders in ((1, 0), (0, 1))
    ),
)
def betainc_slope(a, b, x, *, orders=(1, 0)):
    """The derivative of betainc in its two parameters, of any orders.

    Shapes:  a [...], b [...], x [...] -> [...] (broadcast)
    Kinks:   none
    Source:  the derivative of the integrand, integrated: density times a polynomial in
             log(t) and log(1-t)
    Example: vjp explain "betainc_slope(a, b, x)" a=0.5,2 b=3,1 x=0.2,0.7 --seed ones
    """


@betainc_slope.vjp
def _(g, y, a, b, x, *, orders):
    i, j = orders

    def slope(m, n):
        if m + n > 1:
            own = [special.polygamma(m - 1, a)] if n == 0 else []
            own += [special.polygamma(n - 1, b)] if m == 0 else []
            shared = special.polygamma(m + n - 1, a + b)
            return shared - own[0] if own else shared
        logarithm = elementary.log(x) if m else elementary.log1p(-x)
        return logarithm - special.digamma(a if m else b) + special.digamma(a + b)

    factor = incomplete_values.moments(orders, slope)
    return (
        g * betainc_slope(a, b, x, orders=(i + 1, j)),
        g * betainc_slope(a, b, x, orders=(i, j + 1)),
        g * (beta_density(a, b, x) * factor),
    )


@elementwise(
    incomplete_values.beta_density,
    symbolic=lambda s, a, b, x: x ** (a - 1) * (1 - x) ** (b - 1) / s.beta(a, b),
    domain=BETA_DOMAIN,
    samples=BETA_SAMPLES,
)
def beta_density(a, b, x):
    """x**(a-1) (1-x)**(b-1)/B(a, b), the density of the beta distribution, of each entry.

    Shapes:  a [...], b [...], x [...] -> [...] (broadcast); 0 outside [0, 1]
    Kinks:   none inside (0, 1)
    Source:  product rule: d/dx = density ((a-1)/x - (b-1)/(1-x)); d/da = density
             (log(x) - digamma(a) + digamma(a+b))
    Example: vjp explain "beta_density(a, b, x)" a=0.5,2 b=3,1 x=0.2,0.7 --seed ones
    """


@beta_density.vjp
def _(g, y, a, b, x):
    total = special.digamma(a + b)
    by_a = y * (elementary.log(x) - special.digamma(a) + total)
    by_b = y * (elementary.log1p(-x) - special.digamma(b) + total)
    from_x = comparison.where(comparison.equal(a, 1), 0, (a - 1) / x)
    from_rest = comparison.where(comparison.equal(b, 1), 0, (b - 1) / (1 - x))
    none = comparison.equal(y, 0)
    return (
        g * comparison.where(none, 0, by_a),
        g * comparison.where(none, 0, by_b),
        g * (y * (from_x - from_rest)),
    )
