"""Factorials: gamma's relatives of several numbers, and counts of choices.

How the values are computed, and to what accuracy, stands in `factorial_values.py`.
"""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.facts import Domain, positive
from vjpcli.graph.operation import LIBRARIES
from vjpcli.ops.declaration import Kink, elementwise, operation, sample
from vjpcli.ops.numbers import comparison, rounding, trigonometry
from vjpcli.ops.special_functions import factorial_values, incomplete_values, special

NEGATIVE_TOO = (sample((2, 3)), sample(()), sample([-0.4, -1.3, -3.6]), sample((0,)))
PAIR_SAMPLES = (
    sample((2, 3), (3,)),
    sample((), ()),
    sample((0,), (0,)),
    sample([0.3, 7.0, 3.0, 300.0], [9.0, 4.0, 0.2, 0.7]),
)


@elementwise(incomplete_values.beta, symbolic="beta", domain=positive, samples=PAIR_SAMPLES)
def beta(a, b):
    """Beta function of two numbers: Gamma(a) Gamma(b)/Gamma(a+b), entry by entry.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   none; poles where a or b is 0, -1, ...
    Source:  DLMF 5.12.1; d/da = beta (digamma(a) - digamma(a+b)); values by Stirling's rests where
             gammas would overflow, to 1e-14 max(1, |log|)
    Example: vjp explain "beta(a, b)" a=1,2 b=3,4 --seed ones
    """


@beta.vjp
def _(g, y, a, b):
    total = special.digamma(a + b)
    return g * (y * (special.digamma(a) - total)), g * (y * (special.digamma(b) - total))


@elementwise(
    factorial_values.sign_of_gamma,
    symbolic=lambda s, x: s.sign(s.gamma(x)),
    flat=True,
    samples=NEGATIVE_TOO,
    kinks=(
        Kink(
            "x == 0",
            lambda y, x: x == 0,
            slopes=(0, np.inf),
            used=0,
            point=(0.0,),
        ),
    ),
)
def gammasgn(x):
    """Sign of the gamma function of each entry. Flat: its slope is 0.

    Shapes:  x [...] -> [...]
    Kinks:   jumps at the poles 0, -1, -2, ...; nan at those below 0
    Source:  1 above 0, then -1 and 1 in turn
    Example: vjp explain "gammasgn(x) * exp(lgamma(x))" x=-1.5,-0.5,3 --seed ones
    """


@gammasgn.vjp
def _(g, y, x):
    return rounding.no_slope(g)


@elementwise(
    incomplete_values.reciprocal_gamma,
    symbolic=lambda s, x: 1 / s.gamma(x),
    samples=(*NEGATIVE_TOO, sample([0.0, -1.0, -4.0])),
)
def rgamma(x):
    """One over the gamma function of each entry: 0 at 0, -1, -2, ...

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 5.2; the slope is -digamma(x)/gamma(x), n! (-1)**n at -n; values by C's tgamma,
             to 2e-15
    Example: vjp explain "scipy.special.rgamma(x)" x=-1,0,0.5 --seed ones
    """


@rgamma.vjp
def _(g, y, x):
    # To the left it is sin(pi t) gamma(t)/pi with t = 1 - x (DLMF 5.5.3), which has no poles there.
    left = x < 0.5
    turned, right = 1 - comparison.where(left, x, 0), comparison.where(left, 1, x)
    wave = special.gamma(turned) * trigonometry.cos(math.pi * turned)
    slope = comparison.where(left, -wave - y * special.digamma(turned), -y * special.digamma(right))
    return g * slope


@operation(
    pattern="elementwise", domain=positive, samples=(sample((2, 3)), sample(()), sample((0,)))
)
def loggamma(x):
    """Logarithm of the gamma function of each entry above 0; nan below, where it is not real.

    Shapes:  x [...] -> [...]
    Kinks:   none; inf at 0
    Source:  `lgamma`
    Example: vjp explain "scipy.special.loggamma(x)" x=0.5,1,10 --seed ones
    """
    return comparison.where(x < 0, np.nan, special.lgamma(x))


@elementwise(
    factorial_values.rising,
    symbolic=lambda s, z, m: s.gamma(z + m) / s.gamma(z),
    domain=positive,
    samples=(*PAIR_SAMPLES, sample([-1.5, 2.5, 40.0], [0.7, -1.0, 3.0])),
)
def poch(z, m):
    """Rising factorial, Pochhammer's symbol: Gamma(z+m)/Gamma(z), entry by entry.

    Shapes:  z [...], m [...] -> [...] (broadcast)
    Kinks:   none; where z or z+m is 0, -1, ... the slopes are nan
    Source:  DLMF 5.2.5; d/dz = y (digamma(z+m) - digamma(z)), d/dm = y digamma(z+m); values to
             1e-14 max(1, |log|)
    Example: vjp explain "poch(z, m)" z=1,2.5 m=3,0.5 --seed ones
    """


@poch.vjp
def _(g, y, z, m):
    above = special.digamma(z + m)
    return g * (y * (above - special.digamma(z))), g * (y * above)


@operation(
    pattern="elementwise",
    domain=positive,
    samples=(sample((2, 3)), sample(()), sample([-1.5, 4.0])),
    keyword_aliases={"n": "x"},
    library_names=dict.fromkeys(LIBRARIES, ("factorial",)),
)
def real_factorial(x, *, exact=False):
    """Factorial of each entry, gamma(x + 1); 0 below 0 (scipy.special.factorial).

    Shapes:  x [...] of any real numbers -> [...]
    Kinks:   a jump at 0, from 0 to 1; the slope used there is that on the right
    Source:  `gamma`
    Example: vjp explain "factorial(x)" x=0,0.5,5 --seed ones
    """
    return comparison.where(x < 0, 0, special.gamma(comparison.where(x < 0, 0, x) + 1))


@elementwise(
    factorial_values.binomial,
    symbolic=lambda s, n, k: s.gamma(n + 1) / (s.gamma(k + 1) * s.gamma(n - k + 1)),
    domain=(Domain("above 3", 3.0, 6.0), positive),
    samples=(
        sample((2, 3), (3,)),
        sample((), ()),
        sample((0,), (0,)),
        sample([5.5, -0.5, 9.0], [2.0, 0.3, 7.0]),
    ),
)
def binom(n, k):
    """Binomial coefficient of real numbers, entry by entry.

    Shapes:  n [...], k [...] -> [...] (broadcast)
    Kinks:   none; where n-k+1 or k+1 is 0, -1, ... the slopes are nan
    Source:  DLMF 1.2.6 with gammas; d/dn = y (digamma(n+1) - digamma(n-k+1)), d/dk = y
             (digamma(n-k+1) - digamma(k+1)); values exact for whole numbers, else to 1e-14
    Example: vjp explain "binom(n, k)" n=5,6.5 k=2,3 --seed ones
    """


@binom.vjp
def _(g, y, n, k):
    rest = special.digamma(n - k + 1)
    return g * (y * (special.digamma(n + 1) - rest)), g * (y * (rest - special.digamma(k + 1)))


@operation(
    pattern="elementwise",
    keyword_aliases={"N": "n"},
    domain=(Domain("above 3", 3.0, 6.0), positive),
    samples=(sample((2, 3), (3,)), sample((), ()), sample([5.0, 2.5], [7.0, -1.0])),
)
def comb(n, k, *, exact=False):
    """Number of ways to choose k of n, entry by entry; 0 for k below 0 or above n.

    Shapes:  n [...], k [...] -> [...] (broadcast)
    Kinks:   at k = n the formula of the inside is used
    Source:  `binom`
    Example: vjp explain "comb(n, k) * p**k * (1-p)**(n-k)" n=5 k=2 p=0.3 --wrt p
    """
    inside = (k >= 0) & (k <= n)
    return comparison.where(inside, binom(n, comparison.where(inside, k, 0)), 0)


@operation(
    pattern="elementwise",
    keyword_aliases={"N": "n"},
    domain=(Domain("above 3", 3.0, 6.0), positive),
    samples=(sample((2, 3), (3,)), sample((), ()), sample([5.0, 2.5], [7.0, -1.0])),
)
def perm(n, k=None, *, exact=False):
    """Number of ordered choices of k of n, n!/(n-k)!; of all n where k is left out.

    Shapes:  n [...], k [...] -> [...] (broadcast); 0 for k below 0 or above n
    Kinks:   at k = n the formula of the inside is used
    Source:  `poch` of n-k+1 and k
    Example: vjp explain "perm(n, k)" n=5,6.5 k=2,3 --seed ones
    """
    if k is None:
        return real_factorial(n)
    inside = (k >= 0) & (k <= n)
    chosen = comparison.where(inside, k, 0)
    return comparison.where(inside, poch(n - chosen + 1, chosen), 0)
