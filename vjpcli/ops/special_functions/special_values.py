"""Special functions on NumPy arrays, written out because SciPy is not a dependency.

Everything is computed in float64 and returned in the type that was given. The accuracy stated
for each is what the tests require against 30-digit arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

SQRT_PI = math.sqrt(math.pi)


def in_float64(function: Callable[..., Array]) -> Callable[..., Array]:
    """`function` on float64 copies of its arguments, broadcast together and laid out in a row.

    The result has their common shape and type.
    """

    def converted(*arrays: Any, **static: Any) -> Array:
        given = [np.asarray(one) for one in arrays]
        wide = np.broadcast_arrays(*(one.astype(np.float64) for one in given))
        with np.errstate(all="ignore"):
            result = function(*(one.ravel() for one in wide), **static)
        return result.reshape(wide[0].shape).astype(np.result_type(*given), copy=False)

    return converted


def _by_entry(function: Callable[[float], float], x: Array) -> Array:
    values = np.fromiter(map(function, x.ravel().tolist()), np.float64, x.size)
    return values.reshape(x.shape)


def _ratio(x: Array, numerator: tuple[float, ...], denominator: tuple[float, ...]) -> Array:
    """A quotient of two polynomials by Horner's scheme, the highest power first."""
    above, below = np.full_like(x, numerator[0]), np.full_like(x, denominator[0])
    for coefficient in numerator[1:]:
        above = above * x + coefficient
    for coefficient in denominator[1:]:
        below = below * x + coefficient
    ratio: Array = above / below
    return ratio


# W. J. Cody, "Rational Chebyshev approximations for the error function", Mathematics of
# Computation 23 (1969): erf(x)/x in x**2 up to 0.46875, erfc(x)*exp(x**2) in x up to 4, and a
# correction to 1/(sqrt(pi) x) in 1/x**2 beyond.
ERF_NEAR = (
    (1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2,
     3.77485237685302021e2, 3.20937758913846947e3),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3,
     2.84423683343917062e3),
)  # fmt: skip
ERFC_MIDDLE = (
    (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0,
     6.61191906371416295e1, 2.98635138197400131e2, 8.81952221241769090e2,
     1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3),
    (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
     1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3,
     3.43936767414372164e3, 1.23033935480374942e3),
)  # fmt: skip
ERFC_FAR = (
    (1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1,
     1.25781726111229246e-1, 1.60837851487422766e-2, 6.58749161529837803e-4),
    (1.0, 2.56852019228982242e0, 1.87295284992346047e0, 5.27905102951428412e-1,
     6.05183413124413191e-2, 2.33520497626869185e-3),
)  # fmt: skip


def _erf_near(x: Array) -> Array:
    """erf for |x| <= 0.46875."""
    return x * _ratio(x * x, *ERF_NEAR)


def _erfc_away(size: Array) -> Array:
    """erfc for size > 0.46875."""
    result = np.empty_like(size)
    middle, far = size <= 4, size > 4
    result[middle] = _ratio(size[middle], *ERFC_MIDDLE)
    inverse_square = 1 / size[far] ** 2
    correction = inverse_square * _ratio(inverse_square, *ERFC_FAR)
    result[far] = (1 / SQRT_PI - correction) / size[far]
    result[np.isnan(size)] = np.nan
    # exp(-x**2) in two factors: the square of a rounded x is exact, the rest is small.
    rounded = np.trunc(np.minimum(size, 1e3) * 16) / 16
    rest = (size - rounded) * (size + rounded)
    result *= np.exp(-rounded * rounded)
    result *= np.exp(-rest)
    return result


@in_float64
def erf(x: Array) -> Array:
    """Error function, to 5e-16 relative."""
    size = np.abs(x)
    near = size <= 0.46875
    result = np.empty_like(x)
    result[near] = _erf_near(x[near])
    away = ~near
    result[away] = np.copysign(1 - _erfc_away(size[away]), x[away])
    return result


@in_float64
def erfc(x: Array) -> Array:
    """1 - erf, to 2e-15 relative down to its smallest normal value, about erfc(26.5)."""
    size = np.abs(x)
    near = size <= 0.46875
    result = np.empty_like(x)
    result[near] = 1 - _erf_near(x[near])
    away = ~near
    tail = _erfc_away(size[away])
    result[away] = np.where(x[away] < 0, 2 - tail, tail)
    return result


@in_float64
def erfinv(x: Array) -> Array:
    """Inverse of erf, to 5e-15 relative.

    Winitzki's closed form (two to three digits), then Halley's method, which triples the digits
    each time. Towards 1 the equation solved is erfc(y) = 1 - |x|, whose right side is exact.
    """
    size = np.abs(x)
    inside = size < 1
    safe = np.where(inside, size, 0.0)
    logarithm = np.log1p(-safe) + np.log1p(safe)
    half = 2 / (math.pi * 0.147) + logarithm / 2
    y = np.sqrt(np.sqrt(half * half - logarithm / 0.147) - half)
    for _ in range(3):
        excess = np.where(safe > 0.5, (1 - safe) - erfc(y), erf(y) - safe)
        step = excess * np.exp(y * y) * (SQRT_PI / 2)
        y = y - step / (1 + y * step)
    # Below, erf is linear to the last digit, and the form above has no digits left.
    y = np.where(safe < 1e-8, safe * (SQRT_PI / 2), y)
    y = np.where(inside, y, np.where(size == 1, np.inf, np.nan))
    return np.copysign(y, x)


@in_float64
def lgamma(x: Array) -> Array:
    """log|Gamma|, by C's lgamma as Python has it: 2e-15 relative or absolute, the larger."""

    def one(value: float) -> float:
        try:
            return math.lgamma(value)
        except (ValueError, OverflowError):  # a pole, or beyond the largest number
            return math.inf

    return _by_entry(one, x)


@in_float64
def gamma(x: Array) -> Array:
    """Gamma function, by C's tgamma as Python has it, to 2e-15 relative."""

    def one(value: float) -> float:
        try:
            return math.gamma(value)
        except OverflowError:
            return math.inf
        except ValueError:  # a pole, or -inf
            return math.copysign(math.inf, value) if value == 0 else math.nan

    return _by_entry(one, x)


@cache
def bernoulli_numbers() -> tuple[float, ...]:
    """B2, B4, ... B24."""
    return (
        1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510,
        43867 / 798, -174611 / 330, 854513 / 138, -236364091 / 2730,
    )  # fmt: skip


@in_float64
def digamma(x: Array) -> Array:
    """Derivative of log Gamma, to 2e-15 relative or absolute, whichever is larger.

    Reflected to x > 0, moved up to x >= 10 by psi(x) = psi(x+1) - 1/x, then the asymptotic
    series (DLMF 5.11.2).
    """
    reflected = x < 0.5
    z = np.where(reflected, 1 - x, x)
    result = np.zeros_like(z)
    for _ in range(10):
        below = z < 10
        result = np.where(below, result - 1 / z, result)
        z = np.where(below, z + 1, z)
    inverse_square = 1 / (z * z)
    series = np.zeros_like(z)
    for k, number in reversed(list(enumerate(bernoulli_numbers()[:8], start=1))):
        series = inverse_square * (series + number / (2 * k))
    result = result + np.log(z) - 1 / (2 * z) - series
    result = np.where(reflected, result - math.pi / _tan_pi(x), result)
    whole = (x == np.floor(x)) & (x < 0)
    result = np.where(whole | np.isneginf(x), np.nan, result)
    return np.where(x == 0, -np.copysign(np.inf, x), result)


def _tan_pi(x: Array) -> Array:
    """tan(pi x) with the whole part taken off exactly."""
    return np.asarray(np.tan(math.pi * (x - np.round(x))))


@in_float64
def polygamma(x: Array, *, order: int) -> Array:
    """The order-th derivative of digamma, to 1e-14 relative for x > 0.

    For order n it is (-1)**(n+1) n! times the sum of 1/(x+k)**(n+1) (DLMF 5.15.1), by
    Euler-Maclaurin summation. Below 0.5 it is reflected with the n-th derivative of cot.
    """
    if order == 0:
        return digamma(x)
    reflected = x < 0.5
    z = np.where(reflected, 1 - x, x)
    power = order + 1
    scale = (-1.0) ** power * math.factorial(order)
    result = scale * hurwitz_zeta(power, z)
    if reflected.any():
        cotangent = 1 / _tan_pi(x)
        other = math.pi**power * np.polynomial.polynomial.polyval(cotangent, _cot_derivative(order))
        result = np.where(reflected, (-1.0) ** order * result - other, result)
    pole = (x == np.floor(x)) & (x <= 0)
    at_pole = np.inf if order % 2 else np.nan
    return np.where(pole, at_pole, result)


def hurwitz_zeta(power: int, z: Array) -> Array:
    """The sum of 1/(z+k)**power over k = 0, 1, ... for z > 0 (DLMF 25.11.5)."""
    terms = 10 + power // 2
    total = np.zeros_like(z)
    for k in range(terms):
        total = total + (z + k) ** -power
    far = z + terms
    total = total + far ** (1 - power) / (power - 1) + far**-power / 2
    factor = power * far ** (-power - 1) / 2
    for k, number in enumerate(bernoulli_numbers(), start=1):
        total = total + number * factor
        factor = (
            factor
            * ((power + 2 * k - 1) * (power + 2 * k))
            / ((2 * k + 1) * (2 * k + 2) * far * far)
        )
    return total


@cache
def _cot_derivative(order: int) -> tuple[float, ...]:
    """Coefficients of the order-th derivative of cot as a polynomial in cot: cot' = -1 - cot**2."""
    coefficients = [0, 1]
    for _ in range(order):
        slopes = [k * c for k, c in enumerate(coefficients)][1:]
        coefficients = [0] * (len(slopes) + 2)
        for k, slope in enumerate(slopes):
            coefficients[k] -= slope
            coefficients[k + 2] -= slope
    return tuple(float(c) for c in coefficients)


@in_float64
def bessel_i(x: Array, *, order: int, scaled: bool = False) -> Array:
    """Modified Bessel function of the first kind, times exp(-|x|) if scaled.

    To 5e-15 relative for the orders 0 to 2, to 2e-14 up to order 25.
    The power series (DLMF 10.25.2) has only positive terms, so nothing cancels; from where its
    terms shrink fast enough, the asymptotic one (DLMF 10.40.1).
    """
    size = np.abs(x)
    far = size > max(30, order * order)
    result = np.empty_like(x)
    near = ~far
    result[near] = _bessel_series(size[near], order)
    if scaled:
        result[near] *= np.exp(-size[near])
    result[far] = _bessel_asymptotic(size[far], order)
    if not scaled:
        # In two factors: exp(x) overflows before the function does.
        growth = np.exp(size[far] / 2)
        result[far] = np.where(np.isinf(size[far]), np.inf, result[far] * growth * growth)
    return np.where(x < 0, (-1.0) ** order * result, result)


def _bessel_series(size: Array, order: int) -> Array:
    quarter_square = size * size / 4
    term = np.ones_like(size)
    for k in range(1, order + 1):
        term = term * (size / 2) / k
    total = term
    k = 0
    while np.any(term > total * 1e-17):
        k += 1
        term = term * quarter_square / (k * (k + order))
        total = total + term
    return np.where(np.isnan(size), np.nan, total)


def _bessel_asymptotic(size: Array, order: int) -> Array:
    total, term = np.ones_like(size), np.ones_like(size)
    for k in range(1, 40):
        following = term * ((2 * k - 1) ** 2 - 4 * order * order) / (8 * k * size)
        term = np.where(np.abs(following) < np.abs(term), following, 0.0)
        total = total + term
    return total / np.sqrt(2 * math.pi * size)


@in_float64
def erfcx(x: Array) -> Array:
    """exp(x**2) erfc(x), to 5e-15 relative: erfc's approximations before they are scaled."""
    x = np.asarray(x)
    result = np.asarray(np.exp(x * x) * (1 - erf(x)))
    middle, far = (x > 0.46875) & (x <= 4), x > 4
    result[middle] = _ratio(x[middle], *ERFC_MIDDLE)
    inverse_square = 1 / x[far] ** 2
    correction = inverse_square * _ratio(inverse_square, *ERFC_FAR)
    result[far] = (1 / SQRT_PI - correction) / x[far]
    return result


@in_float64
def log_ndtr(x: Array) -> Array:
    """log of the normal distribution function, to 5e-15 relative or absolute."""
    scaled = x * math.sqrt(0.5)
    left = np.log(erfcx(np.maximum(-scaled, 0)) / 2) - scaled * scaled
    return np.where(x < -1, left, np.log1p(-erfc(scaled) / 2))


@in_float64
def ndtri(p: Array) -> Array:
    """Inverse of the normal distribution function, to 5e-15 relative away from p = 1/2.

    In the middle by erfinv; in a tail by Newton's method on log_ndtr, which is concave there.
    """
    tail = np.minimum(p, 1 - p)
    middle = math.sqrt(2) * erfinv(2 * p - 1)
    inside = (tail > 0) & (tail < 0.1)
    target = np.log(np.where(inside, tail, 0.05))
    y = -np.sqrt(-2 * target)
    for _ in range(12):
        slope = math.sqrt(2 / math.pi) / erfcx(-y * math.sqrt(0.5))
        y = y - (log_ndtr(y) - target) / slope
    return np.where(inside, np.where(p < 0.5, y, -y), middle)
