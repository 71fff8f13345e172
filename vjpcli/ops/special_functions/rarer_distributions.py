"""Rarer distributions of scipy.stats and jax.scipy.stats; see `distribution_functions.py`."""

from __future__ import annotations

import math
from typing import Any

from vjpcli.ops.numbers import arithmetic, comparison, elementary, logarithm, trigonometry
from vjpcli.ops.special_functions import gaussian, incomplete, special
from vjpcli.ops.special_functions.distribution_functions import (
    Distribution,
    at_whole,
    cdf_from,
    count_cdf,
    declare_all,
    density_above_0,
    density_from,
    half,
    sf_from,
)

LOG_ROOT_TWO_PI = math.log(2 * math.pi) / 2
LOG_TWO_BY_ROOT_TWO_PI = math.log(2) - LOG_ROOT_TWO_PI


def _share(z: Any, dfn: Any, dfd: Any) -> Any:
    """The number between 0 and 1 that has a beta distribution where z has an F distribution."""
    return dfn * z / (dfd + dfn * z)


def _f_logpdf(z: Any, dfn: Any, dfd: Any) -> Any:
    logs = half(dfn) * elementary.log(dfn / dfd) + logarithm.xlogy(half(dfn) - 1, z)
    tail = half(dfn + dfd) * elementary.log1p(dfn * z / dfd)
    return logs - tail - special.betaln(half(dfn), half(dfd))


def _between(z: Any, a: Any, b: Any) -> Any:
    """The probability that a normal number has between a and b, without cancellation on a side."""
    flip = a > 0
    low, high = comparison.where(flip, -b, a), comparison.where(flip, -a, b)
    return special.ndtr(high) - special.ndtr(low)


def _truncated_logpdf(z: Any, a: Any, b: Any) -> Any:
    inside = (z >= a) & (z <= b)
    density = -0.5 * (z * z) - LOG_ROOT_TWO_PI - elementary.log(_between(z, a, b))
    return comparison.where(inside, density, -math.inf)


def _truncated_cdf(z: Any, a: Any, b: Any) -> Any:
    inner = comparison.minimum(comparison.maximum(z, a), b)
    return _between(z, a, inner) / _between(z, a, b)


def _von_mises_logpdf(z: Any, kappa: Any) -> Any:
    # cos z - 1, as i0e takes exp(kappa) out
    swing = -2 * trigonometry.sin(half(z)) ** 2
    return kappa * swing - math.log(2 * math.pi) - elementary.log(special.i0e(kappa))


def _wrapped_cauchy_logpdf(z: Any, c: Any) -> Any:
    around = 1 + c * c - 2 * c * trigonometry.cos(z)
    return elementary.log1p(-c * c) - math.log(2 * math.pi) - elementary.log(around)


def _beta_binomial_logpmf(k: Any, n: Any, a: Any, b: Any) -> Any:
    inside = k <= n
    safe = comparison.where(inside, k, n)
    ways = -elementary.log1p(n) - special.betaln(n - safe + 1, safe + 1)
    logs = ways + special.betaln(safe + a, n - safe + b) - special.betaln(a, b)
    return comparison.where(inside, logs, -math.inf)


CONTINUOUS = (
    Distribution(
        "rayleigh",
        "Rayleigh",
        "z exp(-z**2/2) for z = (x - loc)/scale >= 0, over scale",
        (0.2, 1.0, 2.5),
        {
            "logpdf": density_from(0, lambda z: elementary.log(z) - 0.5 * (z * z)),
            "cdf": cdf_from(0, lambda z: -elementary.expm1(-0.5 * (z * z))),
            "sf": sf_from(0, lambda z: elementary.exp(-0.5 * (z * z))),
            "logsf": density_from(0, lambda z: -0.5 * (z * z), below=0),
            "ppf": lambda q: elementary.sqrt(-2 * elementary.log1p(-q)),
        },
        kinks="at loc",
    ),
    Distribution(
        "maxwell",
        "Maxwell",
        "sqrt(2/pi) z**2 exp(-z**2/2) for z = (x - loc)/scale >= 0, over scale",
        (0.2, 1.0, 2.5),
        {
            "logpdf": density_from(
                0, lambda z: 2 * elementary.log(z) - 0.5 * (z * z) + LOG_TWO_BY_ROOT_TWO_PI
            ),
            "cdf": cdf_from(0, lambda z: incomplete.gammainc(1.5, 0.5 * (z * z))),
            "sf": sf_from(0, lambda z: incomplete.gammaincc(1.5, 0.5 * (z * z))),
        },
    ),
    Distribution(
        "halfnorm",
        "half normal",
        "sqrt(2/pi) exp(-z**2/2) for z = (x - loc)/scale >= 0, over scale",
        (0.2, 1.0, 2.5),
        {
            "logpdf": density_from(0, lambda z: -0.5 * (z * z) + LOG_TWO_BY_ROOT_TWO_PI),
            "cdf": cdf_from(0, lambda z: special.erf(z * math.sqrt(0.5))),
            "sf": sf_from(0, lambda z: 2 * special.ndtr(-z)),
            "ppf": lambda q: gaussian.ndtri(0.5 * (1 + q)),
        },
        kinks="a jump at loc",
    ),
    Distribution(
        "halfcauchy",
        "half Cauchy",
        "2/(pi (1 + z**2)) for z = (x - loc)/scale >= 0, over scale",
        (0.2, 1.0, 2.5),
        {
            "logpdf": density_from(0, lambda z: math.log(2 / math.pi) - elementary.log1p(z * z)),
            "cdf": cdf_from(0, lambda z: (2 / math.pi) * trigonometry.arctan(z)),
            "sf": sf_from(0, lambda z: (2 / math.pi) * trigonometry.arctan2(1, z)),
            "ppf": lambda q: trigonometry.tan((math.pi / 2) * q),
        },
        kinks="a jump at loc",
    ),
    Distribution(
        "invgamma",
        "inverse gamma",
        "z**(-a-1) exp(-1/z)/Gamma(a) for z = (x - loc)/scale > 0, over scale",
        (0.3, 1.0, 4.0),
        {
            "logpdf": density_above_0(
                lambda z, a: -(a + 1) * elementary.log(z) - 1 / z - special.lgamma(a)
            ),
            "cdf": cdf_from(0, lambda z, a: incomplete.gammaincc(a, 1 / z)),
            "sf": sf_from(0, lambda z, a: incomplete.gammainc(a, 1 / z)),
        },
        shapes={"a": 2.3},
    ),
    Distribution(
        "f",
        "F",
        "of the ratio of two chi squared numbers, each over its degrees of freedom dfn and dfd",
        (0.3, 1.0, 4.0),
        {
            "logpdf": density_from(0, _f_logpdf),
            "cdf": cdf_from(
                0, lambda z, n, d: incomplete.betainc(half(n), half(d), _share(z, n, d))
            ),
            "sf": sf_from(
                0, lambda z, n, d: incomplete.betaincc(half(n), half(d), _share(z, n, d))
            ),
        },
        shapes={"dfn": 3.0, "dfd": 5.0},
        kinks="at loc, for dfn up to 4",
    ),
    Distribution(
        "lomax",
        "Lomax (Pareto of the second kind)",
        "c/(1 + z)**(c+1) for z = (x - loc)/scale >= 0, over scale",
        (0.2, 1.0, 2.5),
        {
            "logpdf": density_from(
                0, lambda z, c: elementary.log(c) - (c + 1) * elementary.log1p(z)
            ),
            "cdf": cdf_from(0, lambda z, c: -elementary.expm1(-c * elementary.log1p(z))),
            "sf": sf_from(0, lambda z, c: elementary.exp(-c * elementary.log1p(z))),
            "ppf": lambda q, c: elementary.expm1(-elementary.log1p(-q) / c),
        },
        shapes={"c": 2.3},
        kinks="a jump at loc",
    ),
    Distribution(
        "gumbel_l",
        "left Gumbel",
        "exp(z - exp(z)) with z = (x - loc)/scale, over scale",
        (-1.0, 0.0, 1.5),
        {
            "logpdf": lambda z: z - elementary.exp(z),
            "cdf": lambda z: -elementary.expm1(-elementary.exp(z)),
            "sf": lambda z: elementary.exp(-elementary.exp(z)),
            "logsf": lambda z: -elementary.exp(z),
            "ppf": lambda q: elementary.log(-elementary.log1p(-q)),
        },
    ),
    Distribution(
        "gennorm",
        "generalised normal",
        "beta exp(-|z|**beta)/(2 Gamma(1/beta)) with z = (x - loc)/scale, over scale",
        (-1.0, 0.4, 2.5),
        {
            "logpdf": lambda z, beta: (
                elementary.log(half(beta)) - special.lgamma(1 / beta) - arithmetic.abs(z) ** beta
            ),
        },
        shapes={"beta": 1.7},
        kinks="at loc, for beta up to 1",
    ),
    Distribution(
        "skewnorm",
        "skew normal",
        "2 phi(z) Phi(a z) with z = (x - loc)/scale, over scale",
        (-1.0, 0.0, 2.5),
        {
            "logpdf": lambda z, a: (
                -0.5 * (z * z) + LOG_TWO_BY_ROOT_TWO_PI + gaussian.log_ndtr(a * z)
            ),
        },
        shapes={"a": 2.0},
    ),
    Distribution(
        "truncnorm",
        "truncated normal",
        "the normal density for z = (x - loc)/scale from a to b, over its probability and scale",
        (-0.9, 0.1, 1.8),
        {"logpdf": _truncated_logpdf, "cdf": _truncated_cdf},
        shapes={"a": -1.0, "b": 2.0},
        kinks="jumps at the ends",
    ),
    Distribution(
        "vonmises",
        "von Mises",
        "exp(kappa cos z)/(2 pi I0(kappa)) with z = (x - loc)/scale, over scale",
        (-1.0, 0.0, 2.5),
        {"logpdf": _von_mises_logpdf},
        shapes={"kappa": 1.7},
    ),
    Distribution(
        "wrapcauchy",
        "wrapped Cauchy",
        "(1 - c**2)/(2 pi (1 + c**2 - 2 c cos z)) for z = (x - loc)/scale from 0 to 2 pi",
        (0.2, 1.0, 5.0),
        {"logpdf": density_from(0, _wrapped_cauchy_logpdf, high=2 * math.pi)},
        shapes={"c": 0.4},
        kinks="jumps at the ends",
    ),
)
DISCRETE = (
    Distribution(
        "nbinom",
        "negative binomial",
        "(k+n-1)!/(k! (n-1)!) p**n (1-p)**k for whole k >= 0",
        (0.0, 2.0, 5.0),
        {
            "logpmf": at_whole(
                lambda k, n, p: (
                    -special.betaln(n, k + 1)
                    - elementary.log(n + k)
                    + n * elementary.log(p)
                    + logarithm.xlog1py(k, -p)
                )
            ),
            "cdf": count_cdf(lambda k, n, p: incomplete.betainc(n, k + 1, p)),
        },
        shapes={"n": 4.0, "p": 0.3},
        is_discrete=True,
    ),
    Distribution(
        "betabinom",
        "beta binomial",
        "n!/(k! (n-k)!) B(k+a, n-k+b)/B(a, b) for whole k from 0 to n",
        (0.0, 2.0, 5.0),
        {"logpmf": at_whole(_beta_binomial_logpmf)},
        shapes={"n": 7.0, "a": 2.3, "b": 0.8},
        is_discrete=True,
    ),
)

declare_all((*CONTINUOUS, *DISCRETE), __name__)
