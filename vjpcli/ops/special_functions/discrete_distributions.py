"""Distributions of whole numbers, as scipy.stats and jax.scipy.stats have them: poisson.logpmf."""

from __future__ import annotations

import math
from typing import Any

from vjpcli.ops.numbers import (
    comparison,
    elementary,
    logarithm,
    rounding,
)
from vjpcli.ops.special_functions import incomplete, special
from vjpcli.ops.special_functions.distribution_functions import (
    Distribution,
    at_whole,
    cdf_from,
    count_cdf,
    declare_all,
    sf_from,
)


def _binomial_logpmf(k: Any, n: Any, p: Any) -> Any:
    ways = -special.betaln(n - k + 1, k + 1) - elementary.log1p(n)
    return ways + logarithm.xlogy(k, p) + logarithm.xlog1py(n - k, -p)


def _binomial_support(k: Any, n: Any, p: Any) -> Any:
    inside = k <= n
    return comparison.where(
        inside, _binomial_logpmf(comparison.where(inside, k, n), n, p), -math.inf
    )


DISCRETE = (
    Distribution(
        "poisson",
        "Poisson",
        "mu**k exp(-mu)/k! for whole k >= 0",
        (0.0, 2.0, 5.0),
        {
            "logpmf": at_whole(lambda k, mu: logarithm.xlogy(k, mu) - special.lgamma(k + 1) - mu),
            "cdf": count_cdf(lambda k, mu: incomplete.gammaincc(k + 1, mu)),
            "sf": sf_from(0, lambda k, mu: incomplete.gammainc(rounding.floor(k) + 1, mu)),
        },
        shapes={"mu": 2.3},
        is_discrete=True,
    ),
    Distribution(
        "bernoulli",
        "Bernoulli",
        "p for k = 1, 1 - p for k = 0",
        (0.0, 1.0, 1.0),
        {
            "logpmf": at_whole(
                lambda k, p: logarithm.xlogy(k, p) + logarithm.xlog1py(1 - k, -p), high=1
            ),
        },
        shapes={"p": 0.3},
        is_discrete=True,
    ),
    Distribution(
        "binom",
        "binomial",
        "n!/(k! (n-k)!) p**k (1-p)**(n-k) for whole k from 0 to n",
        (0.0, 2.0, 5.0),
        {"logpmf": at_whole(_binomial_support)},
        shapes={"n": 7.0, "p": 0.3},
        is_discrete=True,
    ),
    Distribution(
        "geom",
        "geometric",
        "(1-p)**(k-1) p for whole k >= 1",
        (1.0, 2.0, 5.0),
        {
            "logpmf": at_whole(
                lambda k, p: logarithm.xlog1py(k - 1, -p) + elementary.log(p), low=1
            ),
            "cdf": cdf_from(
                1, lambda k, p: -elementary.expm1(logarithm.xlog1py(rounding.floor(k), -p))
            ),
        },
        shapes={"p": 0.3},
        is_discrete=True,
    ),
)


declare_all(DISCRETE, __name__)
