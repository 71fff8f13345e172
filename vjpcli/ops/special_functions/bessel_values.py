"""Bessel functions of whole order and the Airy function on NumPy arrays.

As in `special_values.py`, the accuracy stated is what the tests require against mpmath. A function
that swings around 0 has no relative accuracy at its zeros: there the error is a share of the
height of the swing.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vjpcli.ops.special_functions.special_values import Array, in_float64

MOST_ORDER = 200
EULER_GAMMA = 0.57721566490153286061
FAR = 25.0
"""Argument from which Hankel's expansion of the orders 0 and 1 has all digits."""


@in_float64
def bessel_j(x: Array, *, order: int) -> Array:
    """Bessel function of the first kind of whole order.

    To 3e-15 of sqrt(2/(pi x)) for x >= order, relative below; beyond 1e15 x itself is too coarse.
    Power series while its terms shrink from the start (DLMF 10.2.2); Miller's backward recurrence
    up to 25 or the order (DLMF 10.74(iv)); Hankel's expansion and forward recurrence beyond.
    """
    size = np.abs(x)
    small = size * size < 4 * (order + 1)
    far = (size > max(FAR, order)) & ~small
    middle = ~small & ~far & ~np.isnan(size)
    result = np.full_like(size, np.nan)
    result[small] = _j_series(size[small], order)
    result[middle] = _j_backward(size[middle], order + 1)[order]
    result[far] = _forward(*_hankel(size[far])[:2], size[far], order)
    result[np.isinf(size)] = 0.0
    return np.where((x < 0) & (order % 2 == 1), -result, result)


@in_float64
def bessel_y(x: Array, *, order: int) -> Array:
    """Bessel function of the second kind of whole order, x > 0; -inf at 0, nan below.

    To 5e-15 of the larger of its size and sqrt(2/(pi x)) for orders up to 1, to 1e-13 up to 200.
    Power series up to 2 (DLMF 10.8.1), Neumann's series in J up to 25 (Abramowitz and Stegun
    9.1.88 and 89), Hankel's expansion beyond; higher orders by forward recurrence.
    """
    below_far = np.clip(x, 0, FAR)
    first, second = _y_series(np.minimum(below_far, 2))
    for wanted, found in ((x > 2, _y_neumann), (x > FAR, lambda z: _hankel(z)[2:])):
        first[wanted], second[wanted] = found(x[wanted])
    result = _forward(first, second, x, order)
    result = np.where(np.isposinf(x), 0.0, np.where(x == 0, -np.inf, result))
    return np.where(x >= 0, result, np.nan)


@in_float64
def bessel_k(x: Array, *, order: int, scaled: bool = False) -> Array:
    """Modified Bessel function of the second kind, x > 0, times exp(x) if scaled.

    To 3e-15 relative for orders up to 1, to 5e-14 up to 200; inf at 0, nan below. Power series up
    to 2 (DLMF 10.31.1), beyond the trapezoidal rule for the integral of
    exp(-x cosh t) cosh(n t) (DLMF 10.32.9), which converges geometrically; forward recurrence.
    """
    first, second = _k_series(np.clip(x, 0, 2))
    near = x <= 2
    far = x > 2
    if scaled:
        first, second = first * np.exp(x), second * np.exp(x)
        first[far], second[far] = (k_integral(x[far], n) for n in (0, 1))
    else:
        shrinks = np.exp(-x[far])
        first[far], second[far] = (k_integral(x[far], n) * shrinks for n in (0, 1))
    result = _forward(first, second, x, order, sign=1.0)
    result = np.where(np.isposinf(x), 0.0, np.where(near & (x == 0), np.inf, result))
    return np.where(x >= 0, result, np.nan)


@in_float64
def spherical_j(x: Array, *, order: int) -> Array:
    """Spherical Bessel function of the first kind, to 3e-15 of 1/x for x > order, relative below.

    Power series while its terms shrink from the start (DLMF 10.53.1), backward recurrence up to
    the order, forward recurrence from sin(x)/x beyond (DLMF 10.51.1).
    """
    size = np.abs(x)
    small = size * size < 2 * (2 * order + 3)
    middle = ~small & (size <= order + 1)
    far = ~small & (size > order + 1)
    result = np.full_like(size, np.nan)
    result[small] = _spherical_series(size[small], order)
    result[middle] = _spherical_backward(size[middle], order)
    z = size[far]
    before, now = np.cos(z) / z, np.sin(z) / z
    for n in range(order):
        before, now = now, (2 * n + 1) / z * now - before
    result[far] = now
    result[np.isinf(size)] = 0.0
    return np.where((x < 0) & (order % 2 == 1), -result, result)


def _j_series(x: Array, order: int) -> Array:
    term = _leading_term(x, order)
    total = term
    for k in range(1, 40 + order):
        term = -term * (x * x / 4) / (k * (k + order))
        total = total + term
        if np.all(np.abs(term) <= 1e-18 * np.abs(total)):
            break
    return total


def _leading_term(x: Array, order: int) -> Array:
    term = np.ones_like(x)
    for k in range(1, order + 1):
        term = term * (x / 2) / k
    return term


def _j_backward(x: Array, most: int) -> list[Array]:
    """J of the orders 0 to `most`, where x is at least about 2 and not far above `most`."""
    top = 2 * ((max(most, 25) + 60 + most // 4) // 2)
    above, now = np.zeros_like(x), np.full_like(x, 1e-250)
    norm = 2 * now
    found = [now] * (most + 1)
    for k in range(top, 0, -1):
        above, now = now, 2 * k / x * now - above
        if k - 1 <= most:
            found[k - 1] = now
        if (k - 1) % 2 == 0:
            norm = norm + (now if k == 1 else 2 * now)
    return [one / norm for one in found]


def _forward(first: Array, second: Array, x: Array, order: int, sign: float = -1.0) -> Array:
    """From the orders 0 and 1 upwards (DLMF 10.6.1; sign = 1: 10.29.1)."""
    if order == 0:
        return first
    before, now = first, second
    for n in range(1, order):
        after = 2 * n / x * now + sign * before
        before, now = now, np.where(np.isinf(now), now, after)
    return now


def _hankel(x: Array) -> tuple[Array, Array, Array, Array]:
    """J0, J1, Y0, Y1 for x > 25 (DLMF 10.17.3)."""
    sine, cosine = np.sin(x), np.cos(x)
    scale = np.sqrt(1 / (math.pi * x))
    found: list[Array] = []
    for order in (0, 1):
        even, odd = np.ones_like(x), np.zeros_like(x)
        term = np.ones_like(x)
        for k in range(1, 30):
            following = term * (4 * order * order - (2 * k - 1) ** 2) / (8 * k * x)
            term = np.where(np.abs(following) < np.abs(term), following, 0.0)
            sign = -1.0 if k % 4 >= 2 else 1.0
            if k % 2:
                odd = odd + sign * term
            else:
                even = even + sign * term
        # The phase x - pi/4 (x - 3 pi/4) is taken apart, so that a large x loses nothing.
        cos_phase = cosine + sine if order == 0 else sine - cosine
        sin_phase = sine - cosine if order == 0 else -sine - cosine
        found += [
            scale * (even * cos_phase - odd * sin_phase),
            scale * (even * sin_phase + odd * cos_phase),
        ]
    j0, y0, j1, y1 = found
    return j0, j1, y0, y1


def _y_series(x: Array) -> tuple[Array, Array]:
    quarter = x * x / 4
    half_log = np.log(x / 2) + EULER_GAMMA
    j0, j1 = _j_series(x, 0), _j_series(x, 1)
    zeroth, first = np.zeros_like(x), np.zeros_like(x)
    term, harmonic = np.ones_like(x), 0.0
    for k in range(25):
        # psi(k+1) + psi(k+2), without Euler's constant, which stands with the logarithm
        first = first + term / (k + 1) * (2 * harmonic + 1 / (k + 1))
        harmonic += 1 / (k + 1)
        term = -term * quarter / (k + 1) ** 2
        zeroth = zeroth - harmonic * term
    y0 = 2 / math.pi * (half_log * j0 + zeroth)
    y1 = -2 / (math.pi * x) + 2 / math.pi * half_log * j1 - x / (2 * math.pi) * first
    return y0, y1


def _y_neumann(x: Array) -> tuple[Array, Array]:
    x = np.minimum(x, FAR)
    j = _j_backward(x, 81)
    half_log = np.log(x / 2) + EULER_GAMMA
    even, odd = np.zeros_like(x), np.zeros_like(x)
    for k in range(40, 0, -1):
        sign = -1.0 if k % 2 else 1.0
        even = even + sign * j[2 * k] / k
        odd = odd + sign * (2 * k + 1) / (k * (k + 1)) * j[2 * k + 1]
    y0 = 2 / math.pi * (half_log * j[0] - 2 * even)
    y1 = 2 / math.pi * ((half_log - 1) * j[1] - j[0] / x - odd)
    return y0, y1


def _k_series(x: Array) -> tuple[Array, Array]:
    quarter = x * x / 4
    half_log = np.log(x / 2) + EULER_GAMMA
    zeroth, first = -half_log, half_log - 0.5
    term, harmonic = np.ones_like(x), 0.0
    for k in range(1, 20):
        harmonic += 1 / k
        term = term * quarter / (k * k)
        zeroth = zeroth + term * (harmonic - half_log)
        first = first + term / (k + 1) * (half_log - harmonic - 0.5 / (k + 1))
    return zeroth, 1 / x + x / 2 * first


def k_integral(x: Array, order: float) -> Any:
    """exp(x) K(x) of any real order between -1 and 1, for x > 1."""
    steps = 24
    end = 2 * np.arcsinh(np.sqrt(21 / x))  # where x (cosh t - 1) is 42
    total = np.full_like(x, 0.5)
    for k in range(1, steps + 1):
        t = end * (k / steps)
        total = total + np.exp(-2 * x * np.sinh(t / 2) ** 2) * np.cosh(order * t)
    return total * end / steps


def _spherical_series(x: Array, order: int) -> Array:
    term = np.ones_like(x)
    for k in range(1, order + 1):
        term = term * x / (2 * k + 1)
    total = term
    for k in range(1, 40 + order):
        term = -term * (x * x / 2) / (k * (2 * order + 2 * k + 1))
        total = total + term
    return total


def _spherical_backward(x: Array, order: int) -> Array:
    above, now = np.zeros_like(x), np.full_like(x, 1e-250)
    wanted = now
    for k in range(order + 60 + order // 4, 0, -1):
        above, now = now, (2 * k + 1) / x * now - above
        if k - 1 == order:
            wanted = now
    # Of the two lowest orders, which are never both small, the larger sets the scale.
    zeroth = np.sin(x) / x
    first = (zeroth - np.cos(x)) / x
    by_zeroth = np.abs(zeroth) > np.abs(first)
    return np.asarray(wanted * np.where(by_zeroth, zeroth / now, first / above))


# Ai and its derivative at -10, -9, ... 2, to more digits than a number holds.
AIRY_AT_WHOLE_NUMBERS = (
    (0.040241238486443190689, 0.9962650441327900559),
    (-0.022133721547341403674, -0.97566398092633159471),
    (-0.052705050356386202622, 0.93556093819830655103),
    (0.18428083525050563728, -0.77100816841012654773),
    (-0.32914517362982310523, 0.34593548728134289493),
    (0.35076100902411431979, 0.32719281855444313679),
    (-0.070265532949289515099, -0.7906285753685813803),
    (-0.37881429367765807435, 0.31458376921659881365),
    (0.22740742820168557599, 0.61825902074169104141),
    (0.5355608832923521188, -0.010160567116645209395),
    (0.35502805388781723926, -0.25881940379280679841),
    (0.13529241631288141552, -0.15914744129679321279),
    (0.034924130423274379135, -0.053090384433653631704),
)


@in_float64
def airy_ai(x: Array, *, derivative: bool = False) -> Array:
    """Airy function Ai, or its derivative.

    To 1e-15 max(1, |x|**1.5) relative, below -1 of the height of the swing.
    Between -10 and 2 by the Taylor series that follows from y'' = x y, around the nearest whole
    number; above by the integral of the Bessel function K of order 1/3 (DLMF 9.6.2), below by the
    asymptotic series (DLMF 9.7.9).
    """
    result = np.full_like(x, np.nan)
    low, high = x < -10, (x > 2) & (x < 1e3)
    near = (x >= -10) & (x <= 2)
    result[near] = _airy_taylor(x[near], derivative)
    result[high] = _airy_right(x[high], derivative)
    result[low] = _airy_left(-x[low], derivative)
    result[x >= 1e3] = -0.0 if derivative else 0.0
    result[np.isneginf(x)] = np.nan if derivative else 0.0
    return result


def _airy_taylor(x: Array, derivative: bool) -> Any:
    centre = np.round(x)
    step = x - centre
    table = np.array(AIRY_AT_WHOLE_NUMBERS)[(centre + 10).astype(int)]
    # (n+2)(n+1) c[n+2] = centre c[n] + c[n-1]
    coefficients = [table[:, 0], table[:, 1], centre * table[:, 0] / 2]
    for n in range(1, 28):
        following = (centre * coefficients[n] + coefficients[n - 1]) / ((n + 2) * (n + 1))
        coefficients.append(following)
    if derivative:
        coefficients = [n * c for n, c in enumerate(coefficients)][1:]
    total = np.zeros_like(x)
    for one in reversed(coefficients):
        total = total * step + one
    return total


def _airy_right(x: Array, derivative: bool) -> Any:
    root = np.sqrt(x)
    zeta = 2 / 3 * x * root
    integral = k_integral(zeta, 2 / 3 if derivative else 1 / 3) * np.exp(-zeta)
    return (
        -x * integral / (math.pi * math.sqrt(3))
        if derivative
        else (root * integral / (math.pi * math.sqrt(3)))
    )


def _airy_left(z: Array, derivative: bool) -> Array:
    quarter = np.sqrt(np.sqrt(z))
    zeta = 2 / 3 * z * np.sqrt(z)
    even, odd = np.ones_like(z), np.zeros_like(z)
    term = np.ones_like(z)
    for k in range(1, 20):
        term = term * (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * (2 * k - 1)) / zeta
        used = term * (6 * k + 1) / (1 - 6 * k) if derivative else term
        sign = -1.0 if k % 4 >= 2 else 1.0
        if k % 2:
            odd = odd + sign * used
        else:
            even = even + sign * used
    cosine, sine = np.cos(zeta), np.sin(zeta)
    cos_phase, sin_phase = (cosine + sine) / math.sqrt(2), (sine - cosine) / math.sqrt(2)
    if derivative:
        return quarter / math.sqrt(math.pi) * (sin_phase * even - cos_phase * odd)
    return (cos_phase * even + sin_phase * odd) / (math.sqrt(math.pi) * quarter)
