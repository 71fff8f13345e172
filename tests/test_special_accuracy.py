"""Bessel functions, integrals and incomplete functions: as accurate as their docstrings say.

The reference is 40-digit arithmetic (mpmath comes with SymPy). Where a function swings around 0,
the error is measured against the height of the swing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import vjpcli.ops  # noqa: F401  (declares the operations)
from vjpcli import VjpError, explain
from vjpcli.ops.special_functions import (
    bessel_values,
    elliptic_values,
    factorial_values,
    incomplete_values,
    integral_values,
)

RNG = np.random.default_rng(11)
POSITIVE = np.concatenate(
    [
        RNG.uniform(0, 10, 25),
        RNG.uniform(0, 100, 15),
        10.0 ** RNG.uniform(-9, 2.7, 20),
        [0.999, 1.001, 1.499, 1.501, 1.999, 2.001, 3.999, 4.001, 6.99, 7.01, 24.99, 25.01, 39.9],
    ]
)
BOTH = np.concatenate([POSITIVE, -POSITIVE])
AIRY = np.concatenate(
    [RNG.uniform(-12, 4, 40), RNG.uniform(4, 100, 10), -(10 ** RNG.uniform(1, 3, 10))]
)
PARAMETER = np.concatenate(
    [
        RNG.uniform(-1, 1, 20),
        -(10.0 ** RNG.uniform(-9, 9, 15)),
        1 - 10.0 ** RNG.uniform(-14, -1, 15),
    ]
)
LAMBERT = np.concatenate(
    [
        -math.exp(-1) + 10.0 ** RNG.uniform(-3, -1, 15),
        RNG.uniform(-0.3, 5, 15),
        10.0 ** RNG.uniform(-9, 300, 15),
    ]
)


def relative(*_: float) -> float:
    return 0.0


def of_one(*_: float) -> float:
    return 1.0


def swing(x: float) -> float:
    return math.sqrt(2 / (math.pi * abs(x)))


def airy_swing(x: float) -> float:
    return max(1, abs(x) ** 1.5) * 0.5 / max(1, abs(x)) ** 0.25 if x < -1 else 0.0


def fresnel_swing(x: float) -> float:
    return max(1, x * x) / (math.pi * abs(x)) if abs(x) > 1 else 0.0


def dawson(x: Any) -> Any:
    with mpmath.workdps(600):
        return mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-x * x) * mpmath.erfi(x)


def spherical(order: int) -> Callable[[Any], Any]:
    return lambda x: mpmath.sqrt(mpmath.pi / 2 / x) * mpmath.besselj(order + mpmath.mpf(1) / 2, x)


Case = tuple[Callable[..., Any], Callable[..., Any], Any, float, Callable[..., float]]
CASES: dict[str, Case] = {
    "expi": (integral_values.expi, mpmath.ei, BOTH, 3e-15, of_one),
    "Si": (integral_values.sine_integral, mpmath.si, BOTH, 3e-15, relative),
    "Ci": (integral_values.cosine_integral, mpmath.ci, POSITIVE, 3e-15, lambda x: 1 / x),
    "dawsn": (integral_values.dawsn, dawson, BOTH[np.abs(BOTH) < 30], 1e-15, relative),
    "spence": (
        integral_values.spence,
        lambda x: mpmath.re(mpmath.polylog(2, 1 - x)),
        POSITIVE,
        1e-15,
        relative,
    ),
    "ellipk": (
        lambda m: elliptic_values.elliptic(m, power=0, exponent=0.5),
        mpmath.ellipk,
        PARAMETER,
        2e-15,
        relative,
    ),
    "ellipe": (
        lambda m: elliptic_values.elliptic(m, power=0, exponent=-0.5),
        mpmath.ellipe,
        PARAMETER,
        2e-15,
        relative,
    ),
    "lambertw": (elliptic_values.lambertw, mpmath.lambertw, LAMBERT, 2e-15, relative),
    "airy_ai": (
        bessel_values.airy_ai,
        mpmath.airyai,
        AIRY[AIRY < 4],
        2e-15,
        airy_swing,
    ),
    "airy_ai far right": (bessel_values.airy_ai, mpmath.airyai, AIRY[AIRY > 4], 5e-13, relative),
    "fresnel C": (
        lambda x: integral_values.fresnel(x, cosine=True),
        mpmath.fresnelc,
        BOTH,
        3e-15,
        fresnel_swing,
    ),
    "fresnel S": (
        lambda x: integral_values.fresnel(x, cosine=False),
        mpmath.fresnels,
        BOTH,
        3e-15,
        fresnel_swing,
    ),
    **{
        f"J{n}": (
            lambda x, n=n: bessel_values.bessel_j(x, order=n),
            lambda x, n=n: mpmath.besselj(n, x),
            POSITIVE,
            3e-15,
            lambda x, n=n: swing(x) if x > n else 0.0,
        )
        for n in (0, 1, 2, 10, 40)
    },
    **{
        f"Y{n}": (
            lambda x, n=n: bessel_values.bessel_y(x, order=n),
            lambda x, n=n: mpmath.bessely(n, x),
            POSITIVE[n / 3 < POSITIVE],
            5e-15,
            swing,
        )
        for n in (0, 1, 2, 10, 40)
    },
    **{
        f"K{n} scaled": (
            lambda x, n=n: bessel_values.bessel_k(x, order=n, scaled=True),
            lambda x, n=n: mpmath.besselk(n, x) * mpmath.exp(x),
            POSITIVE[n / 50 < POSITIVE],
            3e-15 if n < 2 else 1e-14,
            relative,
        )
        for n in (0, 1, 2, 40)
    },
    **{
        f"spherical j{n}": (
            lambda x, n=n: bessel_values.spherical_j(x, order=n),
            spherical(n),
            POSITIVE[n / 50 < POSITIVE],
            3e-15,
            lambda x, n=n: 1 / x if x > n else 0.0,
        )
        for n in (0, 1, 5, 20)
    },
    **{
        f"expn {n}": (
            lambda x, n=n: integral_values.expn(x, order=n),
            lambda x, n=n: mpmath.expint(n, x),
            POSITIVE[POSITIVE < 60],
            3e-15,
            relative,
        )
        for n in (0, 1, 2, 5)
    },
}


def worst(got: Any, exact: list[Any], scales: list[float]) -> float:
    errors = []
    for value, expected, scale in zip(got, exact, scales, strict=True):
        size = max(abs(expected), mpmath.mpf(scale), mpmath.mpf("1e-300"))
        errors.append(float(abs(mpmath.mpf(float(value)) - expected) / size))
    assert np.all(np.isfinite(errors))
    return max(errors)


@pytest.mark.parametrize(
    ("function", "exact", "x", "tolerance", "scale"), CASES.values(), ids=CASES
)
def test_function_is_as_accurate_as_stated(function, exact, x, tolerance, scale):
    with mpmath.workdps(40):
        expected = [exact(mpmath.mpf(float(one))) for one in x]
        assert worst(function(x), expected, [scale(float(one)) for one in x]) < tolerance


SHAPE = np.concatenate(
    [10 ** RNG.uniform(-3, 1, 20), RNG.uniform(1, 200, 15), 10 ** RNG.uniform(2, 4, 8)]
)
SPREAD = np.exp(RNG.normal(size=SHAPE.size) * np.where(SHAPE > 10, 2 / np.sqrt(SHAPE), 1.5))


@pytest.mark.parametrize("upper", [False, True])
def test_incomplete_gamma_function_is_as_accurate_as_stated(upper):
    a, x = SHAPE, SHAPE * SPREAD
    with mpmath.workdps(40):
        ends = [(one, mpmath.inf) if upper else (0, one) for one in map(mpmath.mpf, x)]
        exact = [
            mpmath.gammainc(mpmath.mpf(one), *end, regularized=True)
            for one, end in zip(a, ends, strict=True)
        ]
        assert worst(incomplete_values.gammainc(a, x, upper=upper), exact, [0] * a.size) < 1e-13


@pytest.mark.parametrize("order", [1, 2])
def test_slope_of_incomplete_gamma_function_in_its_parameter_is_exact(order):
    a, x = SHAPE[:30], (SHAPE * SPREAD)[:30]
    with mpmath.workdps(60):
        exact = []
        for one, end in zip(map(mpmath.mpf, a), map(mpmath.mpf, x), strict=True):

            def lower(parameter, end=end):
                return mpmath.gammainc(parameter, 0, end, regularized=True)

            exact.append(mpmath.diff(lower, one, order, h=mpmath.mpf(10) ** -12 * one))
        got = incomplete_values.gammainc(a, x, order=order)
        assert worst(got, exact, [1e-9] * a.size) < 1e-12


BETA_A = np.concatenate([10 ** RNG.uniform(-2, 1, 20), 10 ** RNG.uniform(0, 3, 12)])
BETA_B = np.concatenate([10 ** RNG.uniform(-2, 1, 20), 10 ** RNG.uniform(0, 3, 12)])
BETA_X = 1 / (1 + BETA_B / BETA_A * np.exp(RNG.normal(size=BETA_A.size) * 0.6))


def exact_rows(*arrays: Any) -> Any:
    return (tuple(map(mpmath.mpf, row)) for row in zip(*arrays, strict=True))


@pytest.mark.parametrize("upper", [False, True])
def test_incomplete_beta_function_is_as_accurate_as_stated(upper):
    with mpmath.workdps(40):
        exact = []
        for a, b, x in exact_rows(BETA_A, BETA_B, BETA_X):
            turned = (b, a, 0, 1 - x) if upper else (a, b, 0, x)
            exact.append(mpmath.betainc(*turned, regularized=True))
        got = incomplete_values.betainc(BETA_A, BETA_B, BETA_X, upper=upper)
        assert worst(got, exact, [1e-100] * BETA_A.size) < 1e-13


@pytest.mark.parametrize("orders", [(1, 0), (0, 1), (1, 1)])
def test_slope_of_incomplete_beta_function_in_its_parameters_is_exact(orders):
    some = slice(None, None, 3)
    with mpmath.workdps(50):
        exact = []
        for a, b, x in exact_rows(BETA_A[some], BETA_B[some], BETA_X[some]):

            def lower(first, second, x=x):
                return mpmath.betainc(first, second, 0, x, regularized=True)

            exact.append(mpmath.diff(lower, (a, b), orders, h=mpmath.mpf(10) ** -10 * min(a, b)))
        got = incomplete_values.betainc(BETA_A[some], BETA_B[some], BETA_X[some], orders=orders)
        assert worst(got, exact, [1e-6] * len(exact)) < 1e-11


@pytest.mark.parametrize("order", [0, 1, 2])
def test_zeta_and_its_slopes_are_as_accurate_as_stated(order):
    s, q = 1 + 10 ** RNG.uniform(-3, 1.3, 30), 10 ** RNG.uniform(-2, 2, 30)
    with mpmath.workdps(40):
        exact = [
            mpmath.zeta(mpmath.mpf(one), mpmath.mpf(other), order)
            for one, other in zip(s, q, strict=True)
        ]
        assert worst(integral_values.zeta(s, q, order=order), exact, [0] * s.size) < 1e-14


def test_beta_function_keeps_its_digits_for_large_numbers():
    a, b = 10 ** RNG.uniform(-2, 5, 40), 10 ** RNG.uniform(-2, 5, 40)
    with mpmath.workdps(40):
        exact = [mpmath.log(mpmath.beta(*map(mpmath.mpf, pair))) for pair in zip(a, b, strict=True)]
        assert worst(incomplete_values.betaln(a, b), exact, [1] * a.size) < 1e-14


def test_binomial_coefficients_of_whole_numbers_are_exact():
    n, k = np.meshgrid(np.arange(50.0), np.arange(50.0))
    exact = [
        float(math.comb(int(one), int(other))) for one, other in zip(n.flat, k.flat, strict=True)
    ]
    assert factorial_values.binomial(n.ravel(), k.ravel()).tolist() == exact


SLOPE_FAR_LEFT = mpmath.npdf(-40) / mpmath.ncdf(-40)
LIMITS = [
    ("bessel_j0(x)", 0, 1, 0),
    ("bessel_j1(x)", 0, 0, 0.5),
    ("jv(200, x)", 0, 0, 0),
    ("iv(25, x)", 0, 0, 0),
    ("bessel_y0(x)", 0, -np.inf, np.inf),
    ("bessel_y1(x)", 0, -np.inf, np.inf),
    ("yv(2, x)", 0, -np.inf, np.inf),
    ("bessel_y0(x)", np.inf, 0, 0),
    ("modified_bessel_k0(x)", 0, np.inf, -np.inf),
    ("modified_bessel_k1(x)", 0, np.inf, -np.inf),
    ("scaled_modified_bessel_k1(x)", np.inf, 0, 0),
    ("spherical_bessel_j0(x)", 0, 1, 0),
    ("spherical_jn(1, x)", 0, 0, 1 / 3),
    ("gammainc(1, x)", 0, 0, 1),
    ("gammainc(0.5, x)", 0, 0, np.inf),
    ("gammainc(3, x)", np.inf, 1, 0),
    ("gammainc(a, 1)", 0, 1, -0.21938393439552029),
    ("betainc(1, 1, x)", 0, 0, 1),
    ("betainc(2, 3, x)", 1, 1, 0),
    ("expn(2, x)", 0, 1, -np.inf),
    ("exp1(x)", 0, np.inf, -np.inf),
    ("spence(x)", 1, 0, -1),
    ("spence(x)", 0, math.pi**2 / 6, -np.inf),
    ("lambertw(x)", 0, 0, 1),
    ("ellipk(x)", 0, math.pi / 2, math.pi / 8),
    ("ellipk(x)", 1, np.inf, np.inf),
    ("ellipe(x)", 1, 1, -np.inf),
    ("exprel(x)", 0, 1, 0.5),
    ("boxcox(2, x)", 0, math.log(2), math.log(2) ** 2 / 2),
    ("inv_boxcox(2, x)", 0, math.exp(2), -2 * math.exp(2)),
    ("scipy.special.rgamma(x)", -2, 0, 2),
    ("zeta(x)", 0.5, -1.4603545088095868, -3.9226461392091517),
    ("zeta(x)", 1, np.inf, -np.inf),
    ("zeta(x, 1)", 0.5, np.nan, np.nan),
    ("dawsn(x)", 1e6, 5e-7, -5e-13),
    ("scipy.stats.expon.logpdf(x)", -1, -np.inf, 0),
    ("scipy.stats.norm.logcdf(x)", -40, -804.608442013754, float(SLOPE_FAR_LEFT)),
]


@pytest.mark.parametrize(("program", "at", "value", "slope"), LIMITS, ids=str)
def test_limit_is_right(program, at, value, slope):
    (name,) = {"x", "a"} & set(
        program.replace("(", " ").replace(",", " ").replace(")", " ").split()
    )
    found = explain(program, {name: float(at)}, check=False, formulas=False)
    np.testing.assert_allclose(found.output.value, value, rtol=1e-11, atol=1e-15)
    np.testing.assert_allclose(found.gradients[name], slope, rtol=1e-11, atol=1e-15)


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("np.roots([1, 0, x])", "complex-result"),
        ("np.roots([0, 1, x])", "shape-mismatch"),
        ("jv(0.5, x)", "keyword-value"),
        ("jv(x, 2)", "static-not-plain"),
        ("eval_legendre(1001, x)", "keyword-value"),
        ("lambertw(x, 2)", "keyword-value"),
        ("np.polyfit([1, 2], [x, 1, 2], 1)", "shape-mismatch"),
        ("scipy.stats.norm.foo(x)", "not-offered"),
    ],
)
def test_call_without_an_answer_is_refused(program, code):
    with pytest.raises(VjpError) as caught:
        explain(program, {"x": 1.0})
    assert caught.value.diagnostic.code == code
