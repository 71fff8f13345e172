"""Probabilities in the tails of distributions, by SciPy's short names: pdtr, chdtr, stdtr, ..."""

from __future__ import annotations

from vjpcli.graph.facts import positive, probability
from vjpcli.ops.declaration import operation, sample
from vjpcli.ops.numbers import comparison, rounding
from vjpcli.ops.special_functions import gaussian, incomplete
from vjpcli.ops.special_functions.continuous_distributions import student_cdf
from vjpcli.ops.special_functions.distribution_functions import half

PAIR = (sample((3,), (3,)), sample((), ()), sample((2, 1), (3,)))
TRIPLE = (sample((3,), (3,), (3,)), sample((), (), ()), sample((2, 1), (3,), (3,)))
COUNTS = (sample(0.0, (2,)), sample(3.0, ()), sample(2.5, (2, 3)))


def _trials_left(k, n):
    """k rounded down, n - k (1 where that is not above 0), and whether k is n or more."""
    k = rounding.floor(k)
    all_fit = k >= n
    return k, comparison.where(all_fit, 1, n - k), all_fit


@operation(pattern="elementwise", domain=positive, samples=COUNTS)
def pdtr(k, m):
    """Probability that a Poisson number of mean `m` is at most `k`.

    Shapes:  k [...], m [...] -> [...] (broadcast)
    Kinks:   none in m; k counts rounded down and receives 0
    Source:  gammaincc(k + 1, m)
    Example: vjp explain "scipy.special.pdtr(2, m)" m=0.5,2
    """
    return incomplete.gammaincc(rounding.floor(k) + 1, m)


@operation(pattern="elementwise", domain=positive, samples=COUNTS)
def pdtrc(k, m):
    """Probability that a Poisson number of mean `m` is above `k`.

    Shapes:  k [...], m [...] -> [...] (broadcast)
    Kinks:   none in m; k counts rounded down and receives 0
    Source:  gammainc(k + 1, m)
    Example: vjp explain "scipy.special.pdtrc(2, m)" m=0.5,2
    """
    return incomplete.gammainc(rounding.floor(k) + 1, m)


@operation(
    pattern="elementwise",
    domain=(positive, positive, probability),
    samples=(sample(0.0, 5.0, (3,)), sample(3.0, 7.0, ()), sample(5.0, 4.0, (2,))),
)
def bdtr(k, n, p):
    """Probability of at most `k` successes in `n` trials of probability `p` each.

    Shapes:  k [...], n [...], p [...] -> [...] (broadcast)
    Kinks:   none in p; k counts rounded down and receives 0
    Source:  betainc(n - k, k + 1, 1 - p)
    Example: vjp explain "scipy.special.bdtr(2, 5, p)" p=0.2,0.7
    """
    k, left, all_fit = _trials_left(k, n)
    return comparison.where(all_fit, 1, incomplete.betainc(left, k + 1, 1 - p))


@operation(
    pattern="elementwise",
    domain=(positive, positive, probability),
    samples=(sample(0.0, 5.0, (3,)), sample(3.0, 7.0, ()), sample(5.0, 4.0, (2,))),
)
def bdtrc(k, n, p):
    """Probability of more than `k` successes in `n` trials of probability `p` each.

    Shapes:  k [...], n [...], p [...] -> [...] (broadcast)
    Kinks:   none in p; k counts rounded down and receives 0
    Source:  betainc(k + 1, n - k, p)
    Example: vjp explain "scipy.special.bdtrc(2, 5, p)" p=0.2,0.7
    """
    k, left, all_fit = _trials_left(k, n)
    return comparison.where(all_fit, 0, incomplete.betainc(k + 1, left, p))


@operation(pattern="elementwise", domain=positive, samples=PAIR)
def chdtr(v, x):
    """Probability that a chi squared number with `v` degrees of freedom is at most `x`.

    Shapes:  v [...], x [...] -> [...] (broadcast)
    Kinks:   none
    Source:  gammainc(v/2, x/2)
    Example: vjp explain "scipy.special.chdtr(v, x)" v=2,3 x=1,4 --seed ones
    """
    return incomplete.gammainc(half(v), half(x))


@operation(pattern="elementwise", domain=positive, samples=PAIR)
def chdtrc(v, x):
    """Probability that a chi squared number with `v` degrees of freedom is above `x`.

    Shapes:  v [...], x [...] -> [...] (broadcast)
    Kinks:   none
    Source:  gammaincc(v/2, x/2)
    Example: vjp explain "scipy.special.chdtrc(v, x)" v=2,3 x=1,4 --seed ones
    """
    return incomplete.gammaincc(half(v), half(x))


@operation(pattern="elementwise", domain=positive, samples=PAIR)
def stdtr(df, t):
    """Probability that a number of Student's t with `df` degrees of freedom is at most `t`.

    Shapes:  df [...], t [...] -> [...] (broadcast)
    Kinks:   none
    Source:  betainc(df/2, 1/2, df/(df + t^2))/2 for t < 0, 1 less that of -t above
    Example: vjp explain "scipy.special.stdtr(df, t)" df=2,3 t=-1,4 --seed ones
    """
    return student_cdf(t, df)


@operation(pattern="elementwise", domain=positive, samples=TRIPLE)
def fdtr(dfn, dfd, x):
    """Probability that an F number with `dfn` and `dfd` degrees of freedom is at most `x`.

    Shapes:  dfn [...], dfd [...], x [...] -> [...] (broadcast)
    Kinks:   none
    Source:  betainc(dfn/2, dfd/2, dfn x/(dfd + dfn x))
    Example: vjp explain "scipy.special.fdtr(3, 5, x)" x=0.5,2 --seed ones
    """
    return incomplete.betainc(half(dfn), half(dfd), dfn * x / (dfd + dfn * x))


@operation(pattern="elementwise", domain=positive, samples=TRIPLE)
def fdtrc(dfn, dfd, x):
    """Probability that an F number with `dfn` and `dfd` degrees of freedom is above `x`.

    Shapes:  dfn [...], dfd [...], x [...] -> [...] (broadcast)
    Kinks:   none
    Source:  betainc(dfd/2, dfn/2, dfd/(dfd + dfn x))
    Example: vjp explain "scipy.special.fdtrc(3, 5, x)" x=0.5,2 --seed ones
    """
    return incomplete.betainc(half(dfd), half(dfn), dfd / (dfd + dfn * x))


@operation(pattern="elementwise", domain=positive, samples=TRIPLE)
def gdtr(a, b, x):
    """Probability that a gamma number of rate `a` and shape `b` is at most `x`.

    Shapes:  a [...], b [...], x [...] -> [...] (broadcast)
    Kinks:   none
    Source:  gammainc(b, a x)
    Example: vjp explain "scipy.special.gdtr(2, b, x)" b=2,3 x=0.5,2 --seed ones
    """
    return incomplete.gammainc(b, a * x)


@operation(pattern="elementwise", domain=positive, samples=TRIPLE)
def gdtrc(a, b, x):
    """Probability that a gamma number of rate `a` and shape `b` is above `x`.

    Shapes:  a [...], b [...], x [...] -> [...] (broadcast)
    Kinks:   none
    Source:  gammaincc(b, a x)
    Example: vjp explain "scipy.special.gdtrc(2, b, x)" b=2,3 x=0.5,2 --seed ones
    """
    return incomplete.gammaincc(b, a * x)


@operation(
    pattern="elementwise",
    domain=probability,
    samples=(sample((2, 3)), sample(()), sample((0,))),
)
def erfcinv(x):
    """Number whose erfc is the entry.

    Shapes:  x [...] -> [...]
    Kinks:   none; 0 gives inf, 2 gives -inf
    Source:  -ndtri(x/2)/sqrt(2), which keeps its digits where x is tiny
    Example: vjp explain "scipy.special.erfcinv(x)" x=1e-20,0.5,1.5 --seed ones
    """
    return gaussian.ndtri(half(x)) * -(0.5**0.5)
