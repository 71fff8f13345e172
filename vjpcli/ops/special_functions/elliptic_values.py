"""Complete elliptic integrals and Lambert's function on NumPy arrays.

As in `special_values.py`, the accuracy stated is what the tests require against mpmath.
"""

from __future__ import annotations

import math

import numpy as np

from vjpcli.ops.special_functions.special_values import Array, in_float64


@in_float64
def elliptic(x: Array, *, power: int, exponent: float, complement: bool = False) -> Array:
    """The integral of sin(t)**(2 power) (1 - m sin(t)**2)**-exponent, t from 0 to pi/2.

    m is x, or 1 - x as the complement; nan for m > 1. To 2e-15 relative for a power up to 2. The
    trapezoidal rule in u with sin(t) = tanh(u) converges geometrically; a negative m is turned
    into one between 0 and 1 by t -> pi/2 - t.
    """
    parameter, rest = (1 - x, x) if complement else (x, 1 - x)
    turned = parameter < 0
    front = np.where(turned, np.maximum(rest, 1), 1.0) ** -exponent
    rest = np.where(turned, 1 / np.where(turned, rest, 1.0), rest)
    lowest = np.min(np.where(rest > 0, rest, 1.0), initial=1.0)
    end = 42 - 0.5 * math.log(max(lowest, 1e-308))
    step = 0.2
    total = np.zeros_like(x)
    for k in range(int(end / step) + 1):
        u = k * step
        sine, cosine = math.tanh(u), 1 / math.cosh(u)
        first, other = sine ** (2 * power), cosine ** (2 * power)
        # 1 - m sin**2 as the sum of two positive numbers
        below = np.maximum(cosine * cosine + rest * (sine * sine), 1e-320)
        term = np.where(turned, other, first) * cosine * below**-exponent
        total = total + (0.5 * term if k == 0 else term)
    total = front * total * step
    diverges = (rest == 0) & ~turned & (exponent >= 0.5)
    total = np.where(diverges, np.inf, total)
    return np.where(rest >= 0, np.where(np.isinf(front) & turned, np.inf, total), np.nan)


@in_float64
def lambertw(x: Array, *, branch: int = 0) -> Array:
    """Lambert's function, the w with w exp(w) = x, to 2e-15 relative; nan where it is not real.

    Near the branch point -1/e, where w = -1, to 2e-15/sqrt(x + 1/e). From the branch-point series
    or the asymptotic form (DLMF 4.13), by Halley's method; for large x on log(w) + w = log(x).
    """
    # 1 + e x with the digits that a rounded e would cost
    above = math.e * x + 1 + 1.4456468917292502e-16 * x
    p = np.sqrt(2 * np.maximum(above, 0)) * (1.0 if branch == 0 else -1.0)
    near_point = -1 + p * (1 - p * (1 / 3 - p * (11 / 72 - p * (43 / 540 - p * (769 / 17280)))))
    if branch == 0:
        log = np.log1p(np.maximum(x, 0))
        start = np.where(x < 0.3, near_point, log * (1 - np.log1p(log) / (2 + log)))
        start = np.where(np.abs(x) < 0.1, x * (1 - x * (1 - 1.5 * x)), start)
        inside = above >= 0
    else:
        log = np.log(np.maximum(-x, 0))
        start = np.where(above < 0.5, near_point, log - np.log(-log) * (1 - 1 / log))
        inside = (above >= 0) & (x < 0)
    w = start
    large = np.abs(w) > 2
    for _ in range(5):
        with_logs = np.log(x / w) - w  # of log(w) + w = log(x)
        grown = np.exp(w)
        excess = w * grown - x
        slope = grown * (w + 1)
        halley = excess / (slope - (w + 2) * excess / (2 * w + 2))
        step = np.where(large, -with_logs * w / (1 + w), halley)
        w = np.where(np.isfinite(step) & (np.abs(above) > 1e-4), w - step, w)
    w = np.where(np.isposinf(x) & (branch == 0), np.inf, w)
    w = np.where((x == 0) & (branch != 0), -np.inf, np.where(inside | (x == 0), w, np.nan))
    return np.where((x == 0) & (branch == 0), x, w)
