"""Incomplete gamma and beta functions on NumPy arrays, with their derivatives in every parameter.

On a logarithmic scale their integrands are log-concave, so that one quadrature serves all of
them: from the end of the tail, with the decay of the integrand as the unit of length, the double
exponential rule of Takahasi and Mori. A derivative in a parameter multiplies the integrand by a
polynomial in the logarithm, and costs no digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from vjpcli.ops.special_functions.special_values import (
    Array,
    bernoulli_numbers,
    digamma,
    gamma,
    hurwitz_zeta,
    in_float64,
    lgamma,
    polygamma,
)

LARGE = 10.0
"""From here on Stirling's series has all digits."""


def log1p_less(x: Array) -> Array:
    """log(1 + x) - x without cancellation, for x > -1."""
    near = np.abs(x) < 0.6
    ratio = np.where(near, x / (2 + x), 0.0)
    square = ratio * ratio
    series = np.zeros_like(ratio)
    for k in range(22, 0, -1):
        series = square * (series + 1 / (2 * k + 1))
    return np.where(near, ratio * (2 * series - x), np.log1p(x) - x)


def expm1_less(x: Array) -> Array:
    """exp(x) - 1 - x without cancellation."""
    near = np.abs(x) < 0.7
    small = np.where(near, x, 0.0)
    series = np.ones_like(small)
    for k in range(18, 2, -1):
        series = 1 + small / k * series
    return np.where(near, small * small / 2 * series, np.expm1(x) - x)


def stirling_rest(a: Array) -> Array:
    """log Gamma(a) less Stirling's formula (a - 1/2) log(a) - a + log(2 pi)/2, for a >= 10."""
    inverse_square = 1 / (a * a)
    series = np.zeros_like(a)
    for k, number in reversed(list(enumerate(bernoulli_numbers()[:8], start=1))):
        series = series * inverse_square + number / (2 * k * (2 * k - 1))
    return series / a


@in_float64
def beta(a: Array, b: Array) -> Array:
    """Gamma(a) Gamma(b)/Gamma(a + b), to 1e-14 max(1, |log|) relative."""
    positive = (a > 0) & (b > 0)
    total = a + b
    quotient = gamma(a) * gamma(b) * reciprocal_gamma(total)
    direct = ~positive | (np.maximum(a, b) < LARGE)
    return np.where(direct, quotient, np.exp(log_beta_of_positive(a, b)))


@in_float64
def betaln(a: Array, b: Array) -> Array:
    """log|beta|, to 1e-14 relative or absolute, the larger."""
    positive = (a > 0) & (b > 0)
    return np.where(positive, log_beta_of_positive(a, b), lgamma(a) + lgamma(b) - lgamma(a + b))


def log_beta_of_positive(a: Array, b: Array) -> Any:
    """For positive numbers: Stirling's rests, where large gammas would only cancel."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    low_large, high_large = np.maximum(low, LARGE), np.maximum(high, LARGE)
    rest = stirling_rest(high_large) - stirling_rest(low + high_large)
    ratio = low / high_large
    middle = lgamma(low) + low - low * np.log(low + high_large) + rest
    middle = middle - (high_large - 0.5) * np.log1p(ratio)
    both = (low_large - 0.5) * np.log(ratio / (1 + ratio)) - high_large * np.log1p(ratio)
    both = both - 0.5 * np.log(high_large) + 0.5 * math.log(2 * math.pi)
    both = both + rest + stirling_rest(low_large)
    small = np.log(gamma(low) * (gamma(high) * reciprocal_gamma(low + high)))
    return np.where(low >= LARGE, both, np.where(high >= LARGE, middle, small))


@in_float64
def reciprocal_gamma(x: Array) -> Array:
    """1/Gamma, to 2e-15 relative; 0 at the poles of Gamma."""
    pole = (x <= 0) & (x == np.floor(x))
    return np.where(pole, 0.0, 1 / gamma(x))


def log_less_digamma(a: Array) -> Array:
    """log(a) - psi(a) without cancellation, for a > 0."""
    large = np.maximum(a, LARGE)
    inverse_square = 1 / (large * large)
    series = np.zeros_like(large)
    for k, number in reversed(list(enumerate(bernoulli_numbers()[:8], start=1))):
        series = inverse_square * (series + number / (2 * k))
    return np.where(a >= LARGE, 1 / (2 * large) + series, np.log(a) - digamma(a))


@in_float64
def gamma_density(a: Array, x: Array) -> Array:
    """x**(a-1) exp(-x)/Gamma(a), to 1e-14 relative for x up to 500; 0 for x < 0."""
    by_log = np.where(x > 0, _gamma_weight(a, x) / x, 0.0)
    # Also for a <= 0, where it is no density but the derivatives of one lead.
    direct = (a < LARGE) & ((x <= 500) | (a <= 0))
    result = np.where(direct, x ** (a - 1) * np.exp(-x) * reciprocal_gamma(a), by_log)
    result = np.where(np.isposinf(x) & ~np.isnan(a), 0.0, result)
    vanishes = (a <= 0) & (a == np.floor(a))
    return np.where((x < 0) | (vanishes & (x >= 0)), 0.0, result)


def _gamma_weight(a: Array, x: Array) -> Array:
    """x**a exp(-x)/Gamma(a) for a > 0, x > 0."""
    large = np.maximum(a, LARGE)
    peaked = np.sqrt(large / (2 * math.pi)) * np.exp(
        large * log1p_less((x - large) / large) - stirling_rest(large)
    )
    plain = np.where(
        x < 500, x**a * np.exp(-x) * reciprocal_gamma(a), np.exp(a * np.log(x) - x - lgamma(a))
    )
    return np.where(a >= LARGE, peaked, plain)


@in_float64
def beta_density(a: Array, b: Array, x: Array) -> Array:
    """x**(a-1) (1-x)**(b-1)/B(a, b), to 1e-14 relative; 0 outside [0, 1]."""
    inside = (x > 0) & (x < 1)
    by_log = np.where(inside, _beta_weight(a, b, x, 1 - x) / (x * (1 - x)), 0.0)
    inverse = reciprocal_gamma(a) * reciprocal_gamma(b) * gamma(a + b)
    direct = x ** (a - 1) * (1 - x) ** (b - 1) * inverse
    result = np.where(np.maximum(a, b) < LARGE, direct, np.where(inside, by_log, direct))
    poles = sum(((one <= 0) & (one == np.floor(one))).astype(int) for one in (a, b))
    return np.where((x < 0) | (x > 1) | (poles > 0), 0.0, result)


def _beta_weight(a: Array, b: Array, x: Array, y: Array) -> Any:
    """x**a y**b/B(a, b) for a, b > 0 and x + y = 1, neither of them 0."""
    total = a + b
    peak_x, peak_y = a / total, b / total
    off = np.where(x < y, x - peak_x, peak_y - y)
    large_a, large_b = np.maximum(a, LARGE), np.maximum(b, LARGE)
    rest = stirling_rest(large_a) + stirling_rest(large_b) - stirling_rest(large_a + large_b)
    peaked = np.sqrt(a * peak_y / (2 * math.pi)) * np.exp(
        a * log1p_less(off / peak_x) + b * log1p_less(-off / peak_y) - rest
    )
    plain = np.exp(a * np.log(x) + b * np.log(y) - log_beta_of_positive(a, b))
    return np.where(np.minimum(a, b) >= LARGE, peaked, plain)


def moments(orders: tuple[int, int], slope: Callable[[int, int], Any]) -> Any:
    """What multiplies f in its derivative of these orders; slope(m, n) is that of log f.

    Bell's polynomials in two variables. It adds and multiplies, so it serves arrays and nodes.
    """
    found: dict[tuple[int, int], Any] = {(0, 0): 1.0}
    for i in range(orders[0] + 1):
        for j in range(orders[1] + 1):
            if (i, j) == (0, 0):
                continue
            last = (1, 0) if i else (0, 1)
            up_to = (i - last[0], j - last[1])
            total: Any = 0.0
            for p in range(up_to[0] + 1):
                for q in range(up_to[1] + 1):
                    ways = math.comb(up_to[0], p) * math.comb(up_to[1], q)
                    total = total + ways * found[p, q] * slope(i - p, j - q)
            found[i, j] = total
    return found[orders]


AT_ONCE = 100_000
"""Numbers that a quadrature holds at a time: few steps for few entries, little memory for many."""


@cache
def _rule(per_unit: int) -> tuple[Array, Array]:
    """Points and weights on the half line, for an integrand that decays over a length of 1."""
    places = np.arange(-4 * per_unit, 9 * per_unit // 2 + 1) / per_unit
    points = np.exp(places - np.exp(-places))
    return points, points * (1 + np.exp(-places)) / per_unit


def half_line(
    decay: Callable[[Array], Array], weight: Callable[[Array], Array], like: Array, per_unit: int
) -> Array:
    """The integral of exp(-decay(v)) weight(v) over v > 0; decay is convex and grows from 0."""
    low, high = np.full_like(like, -25.0), np.full_like(like, 25.0)
    for _ in range(9):
        middle = (low + high) / 2
        beyond = decay(np.exp(middle)) > 1
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    length = np.exp(high)
    total = np.zeros_like(like)
    points, shares = _rule(per_unit)
    together = max(1, AT_ONCE // max(1, like.size))
    for first in range(0, points.size, together):
        some = slice(first, first + together)
        v = length * points[some, None]
        fallen = np.exp(-decay(v))
        terms = np.where(fallen > 0, shares[some, None] * fallen * weight(v), 0.0)
        total = total + np.sum(terms, axis=0)
    return total * length


@in_float64
def gammainc(a: Array, x: Array, *, order: int = 0, upper: bool = False) -> Array:
    """Regularised incomplete gamma function, lower or upper, or its order-th derivative in a.

    The smaller of the two has 1e-13 relative (measured for a up to 1e8, values above 1e-100), and
    so have the derivatives away from their zeros.
    """
    if order:
        a = np.where(a == 0, 1e-300, a)  # the limit
    inside = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    tiny = inside & (a < 1) & (x < 1)
    right, left = inside & ~tiny & (x >= a), inside & ~tiny & (x < a)
    result = np.full_like(x, np.nan)
    result[tiny] = _gamma_series(a[tiny], x[tiny], order, upper)
    result[right] = _gamma_tail(a[right], x[right], order, right=True)
    result[left] = _gamma_tail(a[left], x[left], order, right=False)
    other = left if upper else right
    result[other] = (0.0 if order else 1.0) - result[other]
    # No mass lies below x, or all of it.
    none = ((x == 0) & (a > 0)) | (np.isposinf(a) & (x >= 0) & np.isfinite(x))
    whole = (np.isposinf(x) & (a >= 0) & np.isfinite(a)) | ((a == 0) & (x > 0))
    result[none], result[whole] = (0.0, 0.0) if order else (float(upper), float(not upper))
    return result


def _gamma_series(a: Array, x: Array, order: int, upper: bool) -> Any:
    """For a and x below 1: x**a/Gamma(1+a) times the sum of a (-x)**n/((a+n) n!) (DLMF 8.7.1)."""
    power = a * np.log(x) - _log_gamma_after_one(a)
    factor = np.exp(power)
    sums = []
    for k in range(order + 1):
        total, term = np.zeros_like(x), np.ones_like(x)
        for n in range(1, 25):
            term = -term * x / n
            # a/(a+n) is 1 - n/(a+n)
            share = (
                a / (a + n)
                if k == 0
                else n * (-1) ** (k + 1) * math.factorial(k) / (a + n) ** (k + 1)
            )
            total = total + term * share
        sums.append(total)
    if order == 0:
        return -np.expm1(power) - factor * sums[0] if upper else factor * (1 + sums[0])
    sums[0] = 1 + sums[0]
    first = np.log(x) - digamma(1 + a)
    slopes = [first, *(-polygamma(1 + a, order=m) for m in range(1, order))]
    total = np.zeros_like(x)
    for k in range(order + 1):
        bell = moments((k, 0), lambda m, _: slopes[m - 1])
        total = total + math.comb(order, k) * bell * sums[order - k]
    return factor * total * (-1.0 if upper else 1.0)


def _log_gamma_after_one(a: Array) -> Array:
    """log Gamma(1 + a), exact relative to its size, for 0 <= a < 1 (DLMF 5.7.3)."""
    series = np.zeros_like(a)
    for k in range(60, 1, -1):
        series = a * ((-1) ** k * _zeta_less_one(k) / k + series)
    return a * (1 - np.euler_gamma + series) - np.log1p(a)


@cache
def _zeta_less_one(k: int) -> float:
    return float(hurwitz_zeta(k, np.array(2.0)))


def _gamma_tail(a: Array, x: Array, order: int, *, right: bool) -> Array:
    """The integral from x away from the peak, of the weight or its derivative in a."""
    turn, away = (1.0, x - a) if right else (-1.0, a - x)
    near = np.abs(x - a) < 0.5 * a
    # log(x) - psi(a), for a large a as the sum of two small numbers
    start = np.where(near, np.log1p((x - a) / a) + log_less_digamma(a), np.log(x) - digamma(a))
    higher = [-polygamma(a, order=m) for m in range(1, order)]

    def factor(v: Array) -> Any:
        slopes = [start + turn * v, *higher]
        return moments((order, 0), lambda m, _: slopes[m - 1])

    integral = half_line(lambda v: away * v + x * expm1_less(turn * v), factor, x, 16)
    return _gamma_weight(a, x) * integral


@in_float64
def betainc(
    a: Array, b: Array, x: Array, *, orders: tuple[int, int] = (0, 0), upper: bool = False
) -> Array:
    """Regularised incomplete beta function, or its derivative of these orders in a and b.

    To 1e-13 relative where it is the smaller of itself and its complement, and so have the
    derivatives away from their zeros (measured for a and b from 0.01 to 1e6).
    """
    if orders != (0, 0):
        a, b = np.where(a == 0, 1e-300, a), np.where(b == 0, 1e-300, b)
    inside = (a > 0) & (b > 0) & (x > 0) & (x < 1) & np.isfinite(a) & np.isfinite(b)
    left = inside & (x <= a / (a + b))
    right = inside & ~left
    result = np.full_like(x, np.nan)
    lower, flipped = (a[left], b[left], x[left]), (a[right], b[right], x[right])
    result[left] = _beta_tail(*lower, orders, right=False)
    result[right] = _beta_tail(*flipped, orders, right=True)
    other = left if upper else right
    result[other] = (0.0 if orders != (0, 0) else 1.0) - result[other]
    valid = (a >= 0) & (b >= 0) & (a + b > 0) & np.isfinite(a) & np.isfinite(b)
    none = valid & (((x == 0) & (a > 0)) | ((b == 0) & (x < 1) & (x >= 0)))
    whole = valid & (((x == 1) & (b > 0)) | ((a == 0) & (x > 0) & (x <= 1)))
    ends = (0.0, 0.0) if orders != (0, 0) else (float(upper), float(not upper))
    result[none], result[whole] = ends
    return result


def _beta_tail(a: Array, b: Array, x: Array, orders: tuple[int, int], *, right: bool) -> Any:
    """The integral from x away from the peak, of the weight or its derivative."""
    y = 1 - x
    weight = _beta_weight(a, b, x, y)
    log_x, log_y = np.log(x), np.log1p(-x)
    total = a + b
    peak = a / total
    start_a = _log_less_mean(log_x, x - peak, peak) + log_less_digamma(a) - log_less_digamma(total)
    start_b = (
        _log_less_mean(log_y, peak - x, b / total) + log_less_digamma(b) - log_less_digamma(total)
    )
    if right:
        a, b, x, y = b, a, y, x
    away = a * y - b * x  # at the end of the tail, the slope of the exponent

    def decay(v: Array) -> Any:
        fallen = x * np.expm1(-v)
        risen = y * np.expm1(np.minimum(v, 1))
        from_x = total * (log1p_less(fallen) + x * expm1_less(-v))
        from_y = total * (log1p_less(risen) + y * expm1_less(np.minimum(v, 1)))
        small = away * v + np.where(x < 0.5, from_x, from_y)
        return np.where(v < 1, small, a * v + total * np.log(y + x * np.exp(-v)))

    def factor(v: Array) -> Any:
        common = np.where(v < 1, np.log1p(x * np.expm1(-v)), np.log(y + x * np.exp(-v)))
        falls, stays = -v - common, -common
        slope_a, slope_b = (stays, falls) if right else (falls, stays)
        return moments(orders, lambda m, n: slopes(m, n, start_a + slope_a, start_b + slope_b))

    at_total = {m: polygamma(total, order=m) for m in range(1, sum(orders))}
    alone = [
        {m: polygamma(one, order=m) for m in range(1, sum(orders))}
        for one in ((b, a) if right else (a, b))
    ]

    def slopes(m: int, n: int, first_a: Array, first_b: Array) -> Array:
        if m + n == 1:
            return first_a if m else first_b
        own = alone[0] if n == 0 else alone[1] if m == 0 else None
        return at_total[m + n - 1] - (0.0 if own is None else own[m + n - 1])

    # A plateau before the fall, where a parameter is small, takes a closer look.
    per_unit = 32 if np.any(np.minimum(a, b) < 2) else 16
    counted = np.ones_like if orders == (0, 0) else factor
    return weight * half_line(decay, counted, x, per_unit)


def _log_less_mean(log_x: Array, off: Array, peak: Array) -> Array:
    """log(x/peak), where x is near the peak from its distance."""
    near = np.abs(off) < 0.5 * peak
    return np.where(near, np.log1p(np.where(near, off / peak, 0.0)), log_x - np.log(peak))
