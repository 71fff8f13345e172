"""Special functions against 40-digit arithmetic (mpmath comes with SymPy)."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

import vjpcli.ops  # noqa: F401  (declares the operations)
from vjpcli.graph.operation import OPERATIONS
from vjpcli.ops.special_functions import special_values
from vjpcli.rehearsal import rehearse


def places(*ranges, powers=(-12, 1)):
    """Places spread evenly over each range, and over the powers of ten."""
    rng = np.random.default_rng(7)
    even = [rng.uniform(low, high, 40) for low, high in ranges]
    return np.concatenate([*even, 10.0 ** rng.uniform(*powers, 30)])


ACCURACY = {
    "erf": (special_values.erf, places((-6, 6), (-0.5, 0.5), powers=(-300, 0)), 5e-16, 0),
    "erfc": (special_values.erfc, places((-6, 6), (0.3, 0.6), (4, 26)), 2e-15, 0),
    "erfinv": (special_values.erfinv, places((-1, 1), powers=(-300, -1)), 5e-15, 0),
    "erfinv near 1": (special_values.erfinv, 1 - places(powers=(-15, -1)), 5e-15, 0),
    "lgamma": (special_values.lgamma, places((-9, 0), (0, 30), powers=(-9, 9)), 2e-15, 1),
    "gamma": (special_values.gamma, places((-9, 0), (0, 100)), 2e-15, 0),
    "digamma": (special_values.digamma, places((-9, 0), (0, 30), powers=(-9, 9)), 2e-15, 1),
}
EXACT = {
    special_values.erf: mpmath.erf,
    special_values.erfc: mpmath.erfc,
    special_values.erfinv: mpmath.erfinv,
    special_values.lgamma: lambda x: mpmath.re(mpmath.loggamma(x)),
    special_values.gamma: mpmath.gamma,
    special_values.digamma: mpmath.digamma,
}


def worst_error(got, exact, floor):
    errors = []
    for value, expected in zip(got, exact, strict=True):
        scale = max(abs(expected), mpmath.mpf(floor), mpmath.mpf("1e-320"))
        errors.append(float(abs(mpmath.mpf(float(value)) - expected) / scale))
    assert np.all(np.isfinite(errors))
    return max(errors)


@pytest.mark.parametrize(("function", "x", "tolerance", "floor"), ACCURACY.values(), ids=ACCURACY)
def test_function_is_as_accurate_as_stated(function, x, tolerance, floor):
    with mpmath.workdps(40):
        expected = [EXACT[function](mpmath.mpf(float(one))) for one in x]
        assert worst_error(function(x), expected, floor) < tolerance


@pytest.mark.parametrize("order", [1, 2, 3, 7, 30])
def test_polygamma_is_as_accurate_as_stated(order):
    x = places((0.01, 30), powers=(-1, 2))
    with mpmath.workdps(40):
        expected = [mpmath.psi(order, mpmath.mpf(float(one))) for one in x]
        assert worst_error(special_values.polygamma(x, order=order), expected, 0) < 1e-14


@pytest.mark.parametrize("order", [1, 2, 5])
def test_polygamma_is_reflected_below_zero(order):
    x = np.array([-0.3, -1.5, -2.25, -7.9, 0.2])
    with mpmath.workdps(40):
        expected = [mpmath.psi(order, mpmath.mpf(float(one))) for one in x]
        assert worst_error(special_values.polygamma(x, order=order), expected, 1) < 1e-13


@pytest.mark.parametrize("order", [0, 1, 2, 10, 25])
@pytest.mark.parametrize("scaled", [False, True])
def test_bessel_function_is_as_accurate_as_stated(order, scaled):
    x = places((-40, 40), (25, 35), powers=(-9, 2.8))
    with mpmath.workdps(40):
        exact = [mpmath.mpf(float(one)) for one in x]
        expected = [
            mpmath.besseli(order, one) * (mpmath.exp(-abs(one)) if scaled else 1) for one in exact
        ]
        got = special_values.bessel_i(x, order=order, scaled=scaled)
        assert worst_error(got, expected, 0) < (5e-15 if order <= 2 else 2e-14)


@pytest.mark.parametrize("order", [0, 1, 2, 3, 6])
def test_derivative_of_sinc_of_any_order_is_exact(order):
    x = places((-5, 5))
    with mpmath.workdps(40):
        expected = []
        for one in x:
            z = mpmath.pi * mpmath.mpf(float(one))
            # The power series, which 40 digits can afford to sum anywhere.
            total = mpmath.nsum(
                lambda k, z=z: (
                    (-1) ** int(k)
                    * z ** (2 * int(k) - order)
                    / (mpmath.factorial(2 * int(k) - order) * (2 * int(k) + 1))
                ),
                [(order + 1) // 2, 80],
            )
            expected.append(total * mpmath.pi**order)
        got = OPERATIONS["sinc_derivative"].forward(x, order=order)
        assert worst_error(got, expected, math.pi**order / (order + 1)) < 5e-15


@pytest.mark.parametrize(
    "name", ["erf", "erfc", "erfinv", "lgamma", "digamma", "i0", "i1e", "sinc"]
)
@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (2, 3)])
def test_special_function_keeps_shape_and_type(name, shape):
    x = np.full(shape, 0.25, np.float32)
    value = OPERATIONS[name].forward(x)
    assert np.shape(value) == shape
    assert np.asarray(value).dtype == np.float32


@pytest.mark.parametrize(
    "call",
    [
        "exprel_derivative(x, order='a')",
        "gammainc_slope(x, x, order=-1)",
        "fresnel_integral(x, cosine='q')",
        "dawson_derivative(x, order=1.5)",
        "zeta_derivative(x, x, order='a')",
    ],
)
def test_steps_of_other_functions_check_their_keywords_too(call):
    said = rehearse(f'vjp grad "{call}" x=0.5')
    assert said.exit_code == 2
    assert said.err.startswith("error[keyword-value]")
