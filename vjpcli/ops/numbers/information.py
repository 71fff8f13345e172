"""Entropies and divergences: their terms, and sums of exponentials under their JAX names."""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.facts import positive
from vjpcli.ops.declaration import Refusal, elementwise, operation, sample, trailing_axes
from vjpcli.ops.keywords import plain_number
from vjpcli.ops.numbers import comparison, elementary, logarithm
from vjpcli.ops.reductions import reduction


@operation(pattern="elementwise", domain=positive, samples=(sample((2, 3), (3,)), sample((), ())))
def rel_entr(x, y):
    """x log(x/y), entry by entry: the terms of a relative entropy.

    Shapes:  x [...], y [...] -> [...] (broadcast)
    Kinks:   none; at x = 0 as xlogy
    Source:  xlogy(x, x) - xlogy(x, y)
    Example: vjp explain "sum(rel_entr(p, q))" p=0.25,0.75 q=0.5,0.5
    """
    return logarithm.xlogy(x, x) - logarithm.xlogy(x, y)


@operation(
    pattern="elementwise",
    domain=positive,
    library_names={"numpy": ("kl_div",), "jax": ("kl_div",)},
    samples=(sample((2, 3), (3,)), sample((), ())),
)
def kl_div_terms(x, y):
    """x log(x/y) - x + y, entry by entry: scipy.special.kl_div, not F.kl_div.

    Shapes:  x [...], y [...] -> [...] (broadcast)
    Kinks:   none; at x = 0 as xlogy
    Source:  rel_entr(x, y) - x + y
    Example: vjp explain "sum(scipy.special.kl_div(p, q))" p=0.25,0.75 q=0.5,0.5
    """
    return rel_entr(x, y) - x + y


def _log1mexp(x):
    with np.errstate(all="ignore"):
        small = np.log(-np.expm1(-x))
        return np.where(np.real(x) > math.log(2), np.log1p(-np.exp(-x)), small)


@elementwise(_log1mexp, symbolic=lambda s, x: s.log(1 - s.exp(-x)), domain=positive, analytic=True)
def log1mexp(x):
    """log(1 - exp(-x)) of each entry, exact for small and for large x (jax.nn.log1mexp).

    Shapes:  x [...] -> [...]
    Kinks:   none; -inf at 0, nan below
    Source:  Mächler, "Accurately computing log(1 - exp(-|a|))" (2012); slope 1/(exp(x) - 1)
    Example: vjp explain "log1mexp(x)" x=1e-10,1,50 --seed ones
    """


@log1mexp.vjp
def _(g, y, x):
    return g / elementary.expm1(x)


@operation(
    samples=(sample((3,)), sample((2, 3), axis=1), sample((2, 3), axis=0, keepdims=True)),
    refuses=(Refusal(sample((3,), axis=1), "axis-out-of-range"),),
)
def logmeanexp(x, *, axis=None, keepdims=False):
    """Logarithm of the mean of exponentials, without overflow (jax.nn.logmeanexp).

    Shapes:  x [...] -> [...] without the axes reduced
    Kinks:   none
    Source:  logsumexp less the logarithm of the count
    Example: vjp explain "logmeanexp(x)" x=1,2,3
    """
    count = reduction.entries(x, trailing_axes(x, axis))
    return reduction.logsumexp(x, axis=axis, keepdims=keepdims) - math.log(max(count, 1))


@operation(
    samples=(sample((2, 3)), sample((2, 3), axis=0), sample((4,), epsilon=0.1)),
    refuses=(Refusal(sample((3,), epsilon="small"), "keyword-value"),),
)
def standardize(x, *, axis=-1, epsilon=1e-5):
    """x less its mean, divided by its standard deviation (jax.nn.standardize).

    Shapes:  x [...] -> [...]
    Kinks:   none for epsilon > 0
    Source:  (x - mean)/sqrt(variance + epsilon), variance with ddof=0
    Example: vjp explain "jax.nn.standardize(x)" x=1,2,4 --seed 1,0,0
    """
    centred = x - reduction.mean(x, axis=axis, keepdims=True)
    variance = reduction.mean(centred * centred, axis=axis, keepdims=True)
    return centred / elementary.sqrt(variance + plain_number("epsilon", epsilon))


@operation(pattern="elementwise", samples=(sample([-1.7, -0.4, 0.3, 0.9, 2.5]), sample(0.2)))
def sparse_plus(x):
    """0 below -1, x above 1, and (x + 1)**2/4 between (jax.nn.sparse_plus).

    Shapes:  x [...] -> [...]
    Kinks:   none: the slopes meet at -1 and 1
    Source:  the slope is sparse_sigmoid
    Example: vjp explain "sparse_plus(x)" x=-2,0,2 --seed ones
    """
    between = comparison.where(x >= 1, x, 0.25 * (x + 1) ** 2)
    return comparison.where(x <= -1, 0, between)


@operation(pattern="elementwise", samples=(sample([-1.7, -0.4, 0.3, 0.9, 2.5]), sample(0.2)))
def sparse_sigmoid(x):
    """(x + 1)/2, held between 0 and 1 (jax.nn.sparse_sigmoid).

    Shapes:  x [...] -> [...]
    Kinks:   at -1 and 1 as clip
    Source:  the slope of sparse_plus
    Example: vjp explain "sparse_sigmoid(x)" x=-2,0,2 --seed ones
    """
    return 0.5 * comparison.clip(x + 1, 0, 2)
