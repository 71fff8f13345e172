"""Factorials, rising factorials and binomial coefficients of real numbers, on NumPy arrays."""

from __future__ import annotations

import numpy as np

from vjpcli.ops.special_functions.incomplete_values import log_beta_of_positive, reciprocal_gamma
from vjpcli.ops.special_functions.special_values import Array, gamma, in_float64, lgamma

MOST_FACTORS = 200
"""Whole numbers up to which a quotient of gammas is multiplied out."""


@in_float64
def sign_of_gamma(x: Array) -> Array:
    """The sign of Gamma: 1 above 0, -1 and 1 in turn between the poles, nan at them."""
    sign = np.where(np.floor(x) % 2 == 0, 1.0, -1.0)
    sign = np.where(x == 0, np.copysign(1.0, x), np.where(x > 0, 1.0, sign))
    return np.where((x < 0) & (x == np.floor(x)) | np.isnan(x), np.nan, sign)


@in_float64
def rising(z: Array, m: Array) -> Array:
    """Gamma(z + m)/Gamma(z), to 1e-14 max(1, |log|) relative.

    For a whole m up to 200 the product z (z+1) ... (z+m-1), which has no poles; else a quotient
    of gammas where they do not overflow, or their logarithms.
    """
    whole = (m == np.floor(m)) & (np.abs(m) <= MOST_FACTORS)
    product = np.ones_like(z)
    for k in range(int(np.max(np.where(whole, np.abs(m), 0), initial=0))):
        product = np.where(whole & (m > k), product * (z + k), product)
        product = np.where(whole & (-m > k), product / (z - k - 1), product)
    quotient = gamma(z + m) * reciprocal_gamma(z)
    size = np.exp(lgamma(z + m) - lgamma(z)) * sign_of_gamma(z + m) * sign_of_gamma(z)
    moderate = (np.abs(z) < 160) & (np.abs(z + m) < 160)
    return np.where(whole, product, np.where(moderate, quotient, size))


@in_float64
def binomial(n: Array, k: Array) -> Array:
    """Gamma(n+1)/(Gamma(k+1) Gamma(n-k+1)), to 1e-14 max(1, |log|) relative.

    For a whole k up to 200 multiplied out, exact below 2**53 for whole n; else by logarithms of
    beta, or gammas where something is negative. nan where n is -1, -2, ... and k is not whole.
    """
    flipped = (n == np.floor(n)) & (n >= 0) & (k == np.floor(k)) & (k > n / 2)
    chosen = np.where(flipped, n - k, k)
    whole = (chosen == np.floor(chosen)) & (chosen <= MOST_FACTORS)
    product = np.where(chosen < 0, 0.0, np.ones_like(n))
    for j in range(1, int(np.max(np.where(whole, chosen, 0), initial=0)) + 1):
        product = np.where(chosen >= j, product * (n - chosen + j) / j, product)
    positive = (chosen > -1) & (n - chosen > -1) & (n > -1)
    first, second = np.where(positive, n - chosen, 0.0) + 1, np.where(positive, chosen, 0.0) + 1
    by_beta = np.exp(-log_beta_of_positive(first, second)) / (np.where(positive, n, 0.0) + 1)
    by_gammas = gamma(n + 1) * reciprocal_gamma(chosen + 1) * reciprocal_gamma(n - chosen + 1)
    other = np.where(positive, by_beta, by_gammas)
    pole = (n < 0) & (n == np.floor(n)) & ~whole
    return np.where(pole | np.isnan(n) | np.isnan(k), np.nan, np.where(whole, product, other))
