"""Continuous distributions as scipy.stats and jax.scipy.stats have them: norm.logpdf and so on."""

from __future__ import annotations

import math
from typing import Any

from vjpcli.ops.neural import activation
from vjpcli.ops.numbers import (
    arithmetic,
    comparison,
    elementary,
    information,
    logarithm,
    trigonometry,
)
from vjpcli.ops.special_functions import gaussian, incomplete, special
from vjpcli.ops.special_functions.distribution_functions import (
    Distribution,
    cdf_from,
    declare_all,
    density_above_0,
    density_from,
    half,
    sf_from,
)

ROOT_TWO_PI = math.sqrt(2 * math.pi)


def _gamma_logpdf(z: Any, a: Any) -> Any:
    return logarithm.xlogy(a - 1, z) - z - special.lgamma(a)


def _beta_logpdf(z: Any, a: Any, b: Any) -> Any:
    logs = logarithm.xlogy(a - 1, z) + logarithm.xlog1py(b - 1, -z)
    return logs - special.betaln(a, b)


def _student_logpdf(z: Any, df: Any) -> Any:
    # B(1/2, df/2) in place of two gammas, whose logarithms cancel for a large df
    scale = special.betaln(0.5, half(df)) + 0.5 * elementary.log(df)
    return -scale - half(df + 1) * elementary.log1p(z * z / df)


def student_cdf(z: Any, df: Any) -> Any:
    """The probability that a number of Student's t is at most z."""
    tail = half(incomplete.betainc(half(df), 0.5, df / (df + z * z)))
    return comparison.where(z < 0, tail, 1 - tail)


def _laplace_cdf(z: Any) -> Any:
    tail = half(elementary.exp(-arithmetic.abs(z)))
    return comparison.where(z < 0, tail, 1 - tail)


CONTINUOUS = (
    Distribution(
        "norm",
        "normal",
        "exp(-z**2/2)/sqrt(2 pi) with z = (x - loc)/scale, over scale",
        (-1.0, 0.0, 2.5),
        {
            "logpdf": lambda z: -0.5 * (z * z) - math.log(ROOT_TWO_PI),
            "cdf": special.ndtr,
            "logcdf": gaussian.log_ndtr,
            "sf": lambda z: special.ndtr(-z),
            "logsf": lambda z: gaussian.log_ndtr(-z),
            "ppf": gaussian.ndtri,
            "isf": lambda q: -gaussian.ndtri(q),
        },
    ),
    Distribution(
        "expon",
        "exponential",
        "exp(-z) for z = (x - loc)/scale >= 0, over scale",
        (0.2, 1.0, 2.5),
        {
            "logpdf": density_from(0, lambda z: -z),
            "cdf": cdf_from(0, lambda z: -elementary.expm1(-z)),
            "logcdf": density_from(0, information.log1mexp),
            "sf": sf_from(0, lambda z: elementary.exp(-z)),
            "logsf": density_from(0, lambda z: -z, below=0),
            "ppf": lambda q: -elementary.log1p(-q),
            "isf": lambda q: -elementary.log(q),
        },
        kinks="a jump at loc",
    ),
    Distribution(
        "laplace",
        "Laplace",
        "exp(-|z|)/2 with z = (x - loc)/scale, over scale",
        (-1.0, 0.5, 2.5),
        {
            "logpdf": lambda z: -arithmetic.abs(z) - math.log(2),
            "cdf": _laplace_cdf,
            "sf": lambda z: _laplace_cdf(-z),
        },
        kinks="at loc as abs",
    ),
    Distribution(
        "logistic",
        "logistic",
        "sigmoid(z) sigmoid(-z) with z = (x - loc)/scale, over scale",
        (-1.0, 0.0, 2.5),
        {
            "logpdf": lambda z: activation.logsigmoid(z) + activation.logsigmoid(-z),
            "cdf": activation.sigmoid,
            "logcdf": activation.logsigmoid,
            "sf": lambda z: activation.sigmoid(-z),
            "logsf": lambda z: activation.logsigmoid(-z),
            "ppf": logarithm.logit,
            "isf": lambda q: -logarithm.logit(q),
        },
    ),
    Distribution(
        "cauchy",
        "Cauchy",
        "1/(pi (1 + z**2)) with z = (x - loc)/scale, over scale",
        (-1.0, 0.0, 2.5),
        {
            "logpdf": lambda z: -elementary.log1p(z * z) - math.log(math.pi),
            "cdf": lambda z: trigonometry.arctan2(1, -z) * (1 / math.pi),
            "sf": lambda z: trigonometry.arctan2(1, z) * (1 / math.pi),
            "ppf": lambda q: trigonometry.tan(math.pi * (q - 0.5)),
            "isf": lambda q: -trigonometry.tan(math.pi * (q - 0.5)),
        },
    ),
    Distribution(
        "uniform",
        "uniform",
        "1/scale for x between loc and loc + scale",
        (0.2, 0.5, 0.9),
        {
            "logpdf": density_from(0, lambda z: 0 * z, high=1),
            "cdf": lambda z: comparison.clip(z, 0, 1),
            "sf": lambda z: comparison.clip(1 - z, 0, 1),
            "ppf": lambda q: q,
        },
        kinks="jumps at loc and loc + scale",
    ),
    Distribution(
        "gamma",
        "gamma",
        "z**(a-1) exp(-z)/Gamma(a) for z = (x - loc)/scale >= 0, over scale",
        (0.3, 1.0, 4.0),
        {
            "pdf": lambda z, a: incomplete.gamma_density(a, z),
            "logpdf": density_from(0, _gamma_logpdf),
            "cdf": cdf_from(0, lambda z, a: incomplete.gammainc(a, z)),
            "sf": sf_from(0, lambda z, a: incomplete.gammaincc(a, z)),
        },
        shapes={"a": 2.3},
        kinks="at loc, for a up to 2",
    ),
    Distribution(
        "beta",
        "beta",
        "z**(a-1) (1-z)**(b-1)/B(a, b) for z = (x - loc)/scale from 0 to 1, over scale",
        (0.2, 0.5, 0.9),
        {
            "pdf": lambda z, a, b: incomplete.beta_density(a, b, z),
            "logpdf": density_from(0, _beta_logpdf, high=1),
            "cdf": cdf_from(0, lambda z, a, b: incomplete.betainc(a, b, z), high=1),
            "sf": sf_from(0, lambda z, a, b: incomplete.betaincc(a, b, z), high=1),
        },
        shapes={"a": 2.3, "b": 0.8},
        kinks="at the ends, for a or b up to 2",
    ),
    Distribution(
        "chi2",
        "chi squared",
        "the gamma distribution with a = df/2 and twice the scale",
        (0.3, 1.0, 4.0),
        {
            "pdf": lambda z, df: 0.5 * incomplete.gamma_density(half(df), half(z)),
            "logpdf": density_from(0, lambda z, df: _gamma_logpdf(half(z), half(df)) - math.log(2)),
            "cdf": cdf_from(0, lambda z, df: incomplete.gammainc(half(df), half(z))),
            "sf": sf_from(0, lambda z, df: incomplete.gammaincc(half(df), half(z))),
        },
        shapes={"df": 3.0},
        kinks="at loc, for df up to 4",
    ),
    Distribution(
        "t",
        "Student's t",
        "(1 + z**2/df)**(-(df+1)/2)/(sqrt(df) B(1/2, df/2)) with z = (x - loc)/scale, over scale",
        (-1.0, 0.4, 2.5),
        {
            "logpdf": _student_logpdf,
            "cdf": student_cdf,
            "sf": lambda z, df: student_cdf(-z, df),
        },
        shapes={"df": 3.0},
    ),
    Distribution(
        "lognorm",
        "log normal",
        "exp(-log(z)**2/(2 s**2))/(s z sqrt(2 pi)) for z = (x - loc)/scale > 0, over scale",
        (0.2, 1.0, 2.5),
        {
            "logpdf": density_above_0(
                lambda z, s: (
                    -0.5 * (elementary.log(z) / s) ** 2
                    - elementary.log(s * z)
                    - math.log(ROOT_TWO_PI)
                ),
            ),
            "cdf": cdf_from(0, lambda z, s: special.ndtr(elementary.log(z) / s)),
            "sf": sf_from(0, lambda z, s: special.ndtr(-elementary.log(z) / s)),
            "ppf": lambda q, s: elementary.exp(s * gaussian.ndtri(q)),
        },
        shapes={"s": 0.8},
    ),
    Distribution(
        "pareto",
        "Pareto",
        "b/z**(b+1) for z = (x - loc)/scale >= 1, over scale",
        (1.2, 2.0, 3.5),
        {
            "logpdf": density_from(1, lambda z, b: elementary.log(b) - (b + 1) * elementary.log(z)),
            "cdf": cdf_from(1, lambda z, b: -elementary.expm1(-b * elementary.log(z))),
            "sf": sf_from(1, lambda z, b: elementary.exp(-b * elementary.log(z))),
            "ppf": lambda q, b: elementary.exp(-elementary.log1p(-q) / b),
            "isf": lambda q, b: elementary.exp(-elementary.log(q) / b),
        },
        shapes={"b": 2.3},
        kinks="a jump at z = 1",
    ),
    Distribution(
        "gumbel_r",
        "Gumbel",
        "exp(-z - exp(-z)) with z = (x - loc)/scale, over scale",
        (-1.0, 0.0, 2.5),
        {
            "logpdf": lambda z: -z - elementary.exp(-z),
            "cdf": lambda z: elementary.exp(-elementary.exp(-z)),
            "logcdf": lambda z: -elementary.exp(-z),
            "sf": lambda z: -elementary.expm1(-elementary.exp(-z)),
            "ppf": lambda q: -elementary.log(-elementary.log(q)),
        },
    ),
    Distribution(
        "weibull_min",
        "Weibull",
        "c z**(c-1) exp(-z**c) for z = (x - loc)/scale >= 0, over scale",
        (0.2, 1.0, 1.8),
        {
            "logpdf": density_from(
                0, lambda z, c: elementary.log(c) + logarithm.xlogy(c - 1, z) - z**c
            ),
            "cdf": cdf_from(0, lambda z, c: -elementary.expm1(-(z**c))),
            "sf": sf_from(0, lambda z, c: elementary.exp(-(z**c))),
            "logsf": density_from(0, lambda z, c: -(z**c), below=0),
            "ppf": lambda q, c: (-elementary.log1p(-q)) ** (1 / c),
        },
        shapes={"c": 1.7},
        kinks="at loc, for c up to 2",
    ),
)


declare_all(CONTINUOUS, __name__)
