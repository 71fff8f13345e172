"""Logarithms of sums and in products: where the plain formula overflows or gives nan."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.facts import above_one, positive, probability
from vjpcli.ops.declaration import Kink, Refusal, elementwise, fail, operation, outcome, sample
from vjpcli.ops.keywords import plain_number
from vjpcli.ops.numbers import comparison, elementary


# The slope of logaddexp(a, b) for a is the logistic function of a - b. Written as 1/(1+exp(b-a)),
# its own slope would be inf/inf where the exponential overflows; in this form it stays finite
# to every order.
@elementwise(np.logaddexp, symbolic=lambda s, a, b: s.log(s.exp(a) + s.exp(b)))
def logaddexp(a, b):
    """log(exp(a) + exp(b)), entry by entry, without overflow.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   none; nan where a and b are the same infinity
    Source:  d/da = 1/(1 + exp(b-a)); at (inf, 1) the slopes are 1 and 0 (PyTorch; JAX gives b
             exp(1), autograd gives a nan)
    Example: vjp explain "logaddexp(0, x)" x=-800,0,800 --seed ones
    """


@logaddexp.vjp
def _(g, y, a, b):
    return g * elementary.exp(-logaddexp(0, b - a)), g * elementary.exp(-logaddexp(0, a - b))


@logaddexp.vjp_like("jax")
def _(g, y, a, b):
    return g * elementary.exp(_no_inf(a) - _no_inf(y)), g * elementary.exp(_no_inf(b) - _no_inf(y))


@logaddexp.vjp_like("autograd")
def _(g, y, a, b):
    return g * elementary.exp(a - y), g * elementary.exp(b - y)


def _no_inf(x):
    """x with 0 for +inf, as JAX has it before it takes differences."""
    return comparison.where(comparison.equal(x, np.inf), 0, x)


@elementwise(np.logaddexp2, symbolic=lambda s, a, b: s.log(2**a + 2**b, 2))
def logaddexp2(a, b):
    """log2(2**a + 2**b), entry by entry, without overflow.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   none; nan where a and b are the same infinity
    Source:  d/da = 1/(1 + 2**(b-a))
    Example: vjp explain "logaddexp2(a, b)" a=0,3 b=1,2000 --seed ones
    """


@logaddexp2.vjp
def _(g, y, a, b):
    return g * elementary.exp2(-logaddexp2(0, b - a)), g * elementary.exp2(-logaddexp2(0, a - b))


@logaddexp2.vjp_like("jax")
def _(g, y, a, b):
    return g * elementary.exp2(_no_inf(a) - _no_inf(y)), g * elementary.exp2(
        _no_inf(b) - _no_inf(y)
    )


@logaddexp2.vjp_like("autograd")
def _(g, y, a, b):
    return g * elementary.exp2(a - y), g * elementary.exp2(b - y)


def _xlogy(x, y):
    return np.where((x == 0) & ~np.isnan(y), x * 0, x * np.log(y))


@elementwise(
    _xlogy,
    symbolic=lambda s, x, y: x * s.log(y),
    domain=(positive, positive),
    analytic=True,
    kinks=(
        Kink(
            "x == 0 and y == 0",
            lambda z, x, y: (x == 0) & (y == 0),
            slopes=(-np.inf, -np.inf),
            used=0,
            point=(0.0, 0.0),
            others={"jax": -np.inf},
        ),
    ),
)
def xlogy(x, y):
    """x * log(y), entry by entry, and 0 where x is 0 (also at y = 0).

    Shapes:  x [...], y [...] -> [...] (broadcast)
    Kinks:   at x = 0, y <= 0 the slope for x is 0 (PyTorch), JAX uses log(y) = -inf; the slope
             for y at (0, 0) is nan
    Source:  product rule: log(y) and x/y
    Example: vjp explain "-sum(xlogy(p, p))" p=0.25,0.75
    """


@xlogy.vjp
def _(g, z, x, y):
    undefined = comparison.equal(x, 0) & (y <= 0)
    return comparison.where(undefined, 0, xlogy(g, y)), g * x / y


@xlogy.vjp_like("jax")
def _(g, z, x, y):
    return g * elementary.log(y), g * x / y


def _xlog1py(x, y):
    return np.where((x == 0) & ~np.isnan(y), x * 0, x * np.log1p(y))


@elementwise(
    _xlog1py,
    symbolic=lambda s, x, y: x * s.log(1 + y),
    domain=(positive, positive),
    analytic=True,
    kinks=(
        Kink(
            "x == 0 and y == -1",
            lambda z, x, y: (x == 0) & (y == -1),
            slopes=(-np.inf, -np.inf),
            used=0,
            point=(0.0, -1.0),
            others={"jax": -np.inf},
        ),
    ),
)
def xlog1py(x, y):
    """x * log(1 + y), entry by entry, and 0 where x is 0 (also at y = -1).

    Shapes:  x [...], y [...] -> [...] (broadcast)
    Kinks:   at x = 0, y <= -1 the slope for x is 0 (PyTorch), JAX uses log1p(y) = -inf; the slope
             for y at (0, -1) is nan
    Source:  product rule: log(1+y) and x/(1+y)
    Example: vjp explain "xlog1py(x, y)" x=1,2 y=0.5,1e-10 --seed ones
    """


@xlog1py.vjp
def _(g, z, x, y):
    undefined = comparison.equal(x, 0) & (y <= -1)
    return comparison.where(undefined, 0, xlog1py(g, y)), g * x / (1 + y)


@xlog1py.vjp_like("jax")
def _(g, z, x, y):
    return g * elementary.log1p(y), g * x / (1 + y)


def _entropy(x):
    return np.where(x == 0, x * 0, np.where(x < 0, -np.inf, -x * np.log(x))).astype(x.dtype)


@elementwise(_entropy, symbolic=lambda s, x: -x * s.log(x), domain=positive)
def entr(x):
    """-x * log(x), entry by entry; 0 at 0 and -inf below: the terms of an entropy.

    Shapes:  x [...] -> [...]
    Kinks:   none; at 0 the slope is +inf
    Source:  d(-x log x)/dx = -log(x) - 1
    Example: vjp explain "sum(entr(p))" p=0.25,0.75
    """


@entr.vjp
def _(g, y, x):
    return g * (-elementary.log(x) - 1)


@operation(
    lambda x: np.log(x / (1 - x)),
    pattern="elementwise",
    symbolic=lambda s, x: s.log(x / (1 - x)),
    domain=probability,
    samples=(
        sample((2, 3)),
        sample(()),
        sample((0,)),
        sample((1,)),
        sample([0.05, 0.5, 0.97], eps=0.1),
    ),
    refuses=(
        Refusal(sample((2,), eps="small"), "keyword-value"),
        Refusal(sample((2,), eps=0.7), "keyword-value"),
    ),
)
def logit(x, *, eps=None):
    """log(x / (1-x)) of each entry: the inverse of the logistic function.

    Shapes:  x [...] -> [...]; with eps, x is held within eps and 1-eps first
    Kinks:   none; infinite slopes at 0 and 1. Outside value and slope are nan (JAX: the slope of
             the formula). With eps the slope is 0 outside the bounds and that of logit at them
    Source:  d/dx = 1/(x (1-x))
    Example: vjp explain "logit(p)" p=0.2,0.5,0.9 --seed ones
    """
    if eps is None:
        return outcome(x.shape)
    eps = plain_number("eps", eps)
    if not 0 <= eps <= 0.5:
        raise fail("keyword-value", f"eps lies between 0 and 0.5, not at {eps}")
    return logit(comparison.clip(x, eps, 1 - eps))


@logit.vjp
def _(g, y, x):
    outside = comparison.less(x, 0) | comparison.greater(x, 1)
    # x + 0 turns -0.0 into 0.0: the slope is +inf on both sides of 0.
    return g / comparison.where(outside, np.nan, (x + 0.0) * (1 - x))


@logit.vjp_like("jax")
def _(g, y, x):
    return g / (x * (1 - x))


@operation(
    library_names={"numpy": ("math.log",)},
    samples=(
        sample((2, 3)),
        sample((), ()),
        sample((2, 3), (3,)),
        sample((2,), 2.0),
        sample((0,), 10.0),
    ),
    domain=above_one,
    refuses=(Refusal(sample((2,), (3,)), "shape-mismatch"),),
    analytic=True,
)
def log_to_base(x, base=None):
    """Logarithm of each entry to a base, as Python's math.log(x, base); natural without one.

    Shapes:  x [...], base [...] -> [...] (broadcast)
    Kinks:   none; at x = 0 and at base = 1 the value is not finite
    Source:  DLMF 4.2.18: log(x)/log(base)
    Example: vjp explain "math.log(x, 2)" x=2,8 --seed ones
    """
    return elementary.log(x) if base is None else elementary.log(x) / elementary.log(base)
