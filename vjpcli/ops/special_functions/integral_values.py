"""Functions that are defined by integrals, on NumPy arrays.

As in `special_values.py`, the accuracy stated is what the tests require against mpmath.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vjpcli.ops.special_functions.incomplete_values import half_line, moments
from vjpcli.ops.special_functions.special_values import (
    Array,
    bernoulli_numbers,
    erfc,
    in_float64,
    polygamma,
)


def _exponential_series(x: Array, terms: int) -> Array:
    """The sum of x**k/(k k!), k = 1, 2, ..."""
    total, term = np.zeros_like(x), np.ones_like(x)
    for k in range(1, terms):
        term = term * x / k
        total = total + term / k
    return total


@in_float64
def expn(x: Array, *, order: int) -> Array:
    """Exponential integral E of whole order, to 3e-15 relative; inf at 0 for order 1, nan below.

    Power series for E1 below 1 and recurrence in the order (DLMF 6.6.2, 8.19.12); beyond, double
    exponential quadrature of exp(-x t) t**-n over the logarithm of t.
    """
    near, far = (x > 0) & (x < 1), (x >= 1) & np.isfinite(x)
    result = np.where(np.isposinf(x), 0.0, np.full_like(x, np.nan))
    result[x == 0] = 1 / (order - 1) if order > 1 else np.inf
    if order == 0:
        return np.where(x > 0, np.exp(-x) / x, result)
    z = x[near]
    small = -np.euler_gamma - np.log(z) - _exponential_series(-z, 25)
    for n in range(1, order):
        small = (np.exp(-z) - z * small) / n
    result[near] = small
    z = x[far]
    tail = half_line(lambda v: z * np.expm1(v) + (order - 1) * v, np.ones_like, z, 24)
    result[far] = np.exp(-z) * tail
    return result


@in_float64
def expi(x: Array) -> Array:
    """Exponential integral Ei, to 3e-15 relative, near its zero 0.3725 absolute; -inf at 0.

    Below 0 it is -E1(-x); above, power series up to 40, asymptotic series beyond (DLMF 6.12.2).
    """
    near, far = (x > 0) & (x <= 40), x > 40
    result = -expn(-x, order=1)
    z = x[near]
    result[near] = np.euler_gamma + np.log(z) + _exponential_series(z, 160)
    z = x[far]
    total, term = np.ones_like(z), np.ones_like(z)
    for k in range(1, 60):
        term = np.where(k < z, term * k / z, 0.0)
        total = total + term
    half = np.exp(z / 2)
    result[far] = np.where(np.isinf(z), np.inf, total * half / z * half)
    result[x == 0] = -np.inf
    return result


def _trigonometric_tails(x: Array) -> tuple[Array, Array]:
    """The auxiliary functions f and g (DLMF 6.7.13, 6.7.14), for x > 4."""
    f = half_line(lambda v: x * v, lambda v: 1 / (1 + v * v), x, 24)
    g = half_line(lambda v: x * v, lambda v: v / (1 + v * v), x, 24)
    return f, g


@in_float64
def sine_integral(x: Array) -> Array:
    """Si, to 3e-15 relative: power series up to 4, auxiliary functions beyond (DLMF 6.2.17)."""
    size = np.abs(x)
    z = np.minimum(size, 4)
    total, term = z, z
    for k in range(1, 20):
        term = -term * z * z / ((2 * k) * (2 * k + 1))
        total = total + term / (2 * k + 1)
    far = (size > 4) & np.isfinite(size)
    z = size[far]
    f, g = _trigonometric_tails(z)
    total[far] = math.pi / 2 - f * np.cos(z) - g * np.sin(z)
    total[np.isinf(size)] = math.pi / 2
    return np.copysign(total, x)


@in_float64
def cosine_integral(x: Array) -> Array:
    """Ci of |x|, to 3e-15 of the larger of its size and 1/x; -inf at 0; computed as Si is."""
    size = np.abs(x)
    z = np.minimum(size, 4)
    total, term = np.euler_gamma + np.log(z), np.ones_like(z)
    for k in range(1, 20):
        term = -term * z * z / ((2 * k - 1) * (2 * k))
        total = total + term / (2 * k)
    far = (size > 4) & np.isfinite(size)
    z = size[far]
    f, g = _trigonometric_tails(z)
    total[far] = f * np.sin(z) - g * np.cos(z)
    total[np.isinf(size)] = 0.0
    return total


@in_float64
def fresnel(x: Array, *, cosine: bool) -> Array:
    """Fresnel integrals S and C, to 3e-15 max(1, x**2) of 1/(pi x), relative below 1.

    Power series up to 1.5 (DLMF 7.6.4), beyond the trapezoidal rule for the auxiliary functions
    (DLMF 7.7.10 with t = w**2), which converges geometrically.
    """
    size = np.abs(x)
    z = np.minimum(size, 1.5)
    square = math.pi / 2 * z * z
    first = 1 if cosine else 3
    term = z if cosine else z * square
    total = term / first
    for k in range(1, 22):
        low = 2 * k if cosine else 2 * k + 1
        term = -term * square * square / ((low - 1) * low)
        total = total + term / (4 * k + first)
    far = (size > 1.5) & np.isfinite(size * size)
    z = size[far]
    f, g = np.full_like(z, 0.5), np.zeros_like(z)
    step = 0.124 / z
    for k in range(1, 41):
        w = k * step
        falls = np.exp(-math.pi / 2 * (0.124 * k) ** 2) / (1 + w**4)
        f, g = f + falls, g + falls * w * w
    f, g = (one * step * math.sqrt(2) / math.pi for one in (f, g))
    phase = math.pi / 2 * np.fmod(z * z, 4)
    turn = (np.sin(phase), -np.cos(phase)) if cosine else (-np.cos(phase), -np.sin(phase))
    total[far] = 0.5 + f * turn[0] + g * turn[1]
    total[np.isinf(size * size)] = 0.5
    return np.copysign(total, x)


@in_float64
def dawsn(x: Array, *, order: int = 0) -> Array:
    """Dawson's function, to 1e-15 relative, or its derivative, to 2e-14 for order 1.

    Each further order loses a digit around x = 7.

    Taylor series up to 0.5, Rybicki's sampling up to 7 and recurrence in the order; beyond, the
    asymptotic series term by term, so that nothing cancels.
    """
    size = np.abs(x)
    z = np.minimum(size, 7)
    value = _dawson(z)
    before, now = np.zeros_like(z), value
    for n in range(order):
        if n == 0:
            before, now = now, 1 - 2 * z * now
        else:
            before, now = now, -2 * z * now - 2 * n * before
    far = size > 7
    inverse = 1 / size[far]
    total, term = np.zeros_like(inverse), 0.5 * inverse
    for n in range(order):
        term = term * -(n + 1) * inverse
    for k in range(22):
        total = total + term
        power = 2 * k + 1
        raised = (power + order) * (power + order + 1) / (power * (power + 1))
        term = term * (2 * k + 1) / 2 * raised * inverse * inverse
    now[far] = total
    return np.where((x < 0) & (order % 2 == 0), -now, now)


def _dawson(z: Array) -> Array:
    near = np.minimum(z, 0.5)
    series, term = near, near
    for k in range(1, 14):
        term = -term * 2 * near * near / (2 * k + 1)
        series = series + term
    step = 0.2
    middle = 2 * np.round(z / (2 * step)) + 1
    total = np.zeros_like(z)
    for k in range(-34, 36, 2):
        n = middle + k
        total = total + np.exp(-((z - n * step) ** 2)) / n
    return np.where(z <= 0.5, series, total / math.sqrt(math.pi))


@in_float64
def erfi(x: Array) -> Array:
    """-i erf(i x), to 3e-15 max(1, x**2) relative: exp(x**2) times Dawson's function."""
    grown = np.exp(x * x / 2)
    value = 2 / math.sqrt(math.pi) * (grown * dawsn(x) * grown)
    return np.where(np.isinf(x), x, value)


@in_float64
def spence(x: Array) -> Array:
    """Dilogarithm of 1 - x for x >= 0, to 1e-15 relative (near its zero 1 as well); nan below.

    Debye's series in log(x) between 1/2 and 2, reflected and inverted into that range elsewhere
    (DLMF 25.12).
    """
    low, high = x < 0.5, x > 2
    z = np.where(low, 1 - x, np.where(high, 1 + 1 / (x - 1), x))
    u = -np.where(
        high, np.log1p(1 / np.where(high, x - 1, 1.0)), np.where(low, np.log1p(-x), np.log(z))
    )
    square = u * u
    series, term = u - square / 4, u
    for k, number in enumerate(bernoulli_numbers(), start=1):
        term = term * square / ((2 * k) * (2 * k + 1))
        series = series + number * term
    from_low = math.pi**2 / 6 - np.where(x == 0, 0.0, np.log(x) * np.log1p(-x)) - series
    from_high = -(math.pi**2) / 6 - np.log(x - 1) ** 2 / 2 - series
    return np.where(low, from_low, np.where(high, from_high, series))


GAUSS_POINTS, GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(48)


@in_float64
def owens_t(h: Array, a: Array) -> Array:
    """Owen's T function, to 1e-14 relative where it is above 1e-300.

    Gauss-Legendre quadrature of its definition for |a| <= 1; beyond, the relation of T(h, a) to
    T(ah, 1/a) (Owen, 1956).
    """
    size, slope = np.abs(h), np.minimum(np.abs(a), 1e300)
    steep = slope > 1
    first, second = np.where(steep, slope * size, size), np.where(steep, 1 / slope, slope)
    first = np.where(steep & (size == 0), 0.0, first)
    end = np.minimum(second, 9 / np.maximum(first, 1e-9))
    total = np.zeros_like(first)
    for point, weight in zip(GAUSS_POINTS, GAUSS_WEIGHTS, strict=True):
        t = end * (point + 1) / 2
        total = total + weight * np.exp(-((first * t) ** 2) / 2) / (1 + t * t)
    small = np.exp(-first * first / 2) * total * end / (4 * math.pi)
    root = math.sqrt(0.5)
    tail, other = erfc(size * root) / 2, erfc(np.where(size == 0, 0.0, slope * size) * root) / 2
    # Owen's 2.3, written with the tails so that it keeps its digits
    large = (tail + other) / 2 - tail * other - small
    result = np.where(np.isinf(h), 0.0, np.where(steep, large, small))
    return np.where(np.isnan(h) | np.isnan(a), np.nan, np.copysign(result, a))


@in_float64
def zeta(s: Array, q: Array, *, order: int = 0, continued: bool = False) -> Array:
    """Hurwitz zeta function, the sum of (q+k)**-s, or its order-th derivative in s.

    For q > 0 to 1e-14 relative: Euler-Maclaurin summation, differentiated term by term. inf at
    s = 1 and where q is 0, -1, ...; nan for s < 1 (continued: by mpmath, entry by entry), and for
    q < 0 unless s is whole (then by the reflection of polygamma).
    """
    terms = 16
    total = np.zeros_like(s)
    start = np.maximum(q, 1e-308)
    for k in range(terms):
        place = start + k
        total = total + place**-s * (-np.log(place)) ** order
    far = start + terms
    log_far = np.log(far)

    def tail_slope(m: int, _: int) -> Any:
        pole = (-1) ** m * math.factorial(m - 1) / (s - 1) ** m
        return pole - log_far if m == 1 else pole

    rest = far ** (1 - s) / (s - 1) * moments((order, 0), tail_slope)
    rest = rest + far**-s / 2 * (-log_far) ** order
    factor = s * far ** (-s - 1) / 2
    for k, number in enumerate(bernoulli_numbers(), start=1):
        count = 2 * k - 1

        def slope(m: int, _: int, count: int = count) -> Any:
            sign = (-1) ** (m - 1) * math.factorial(m - 1)
            found = sign * sum((1 / (s + j) ** m for j in range(count)), np.zeros_like(s))
            return found - log_far if m == 1 else found

        rest = rest + number * factor * moments((order, 0), slope)
        rise = (s + 2 * k - 1) * (s + 2 * k) / ((2 * k + 1) * (2 * k + 2))
        factor = factor * rise / (far * far)
    # Beyond 200 the rest is less than a digit of the first term, and its factors overflow.
    total = np.where(s > 200, total, total + rest)
    if order == 0:
        for whole in np.unique(s[(q < 0) & (s == np.floor(s)) & (s >= 2) & (s < 100)]).tolist():
            chosen = (s == whole) & (q < 0)
            sign = (-1.0) ** whole / math.factorial(int(whole) - 1)
            total[chosen] = sign * polygamma(q[chosen], order=int(whole) - 1)
    fractional = (q < 0) & ((s != np.floor(s)) | (order > 0))
    total = np.where((s < 1) | fractional, np.nan, total)
    pole = ((q <= 0) & (q == np.floor(q))) | (s == 1)
    sign = (-1.0) ** order
    if continued and np.any(s < 1):
        import mpmath  # noqa: PLC0415  (only here)

        with mpmath.workdps(20):
            beyond = [
                float(mpmath.zeta(mpmath.mpf(one), mpmath.mpf(other), order))
                for one, other in zip(s[s < 1].tolist(), q[s < 1].tolist(), strict=True)
            ]
        total[s < 1] = beyond
    return np.where(pole & (s >= 1), np.inf * sign, total)
