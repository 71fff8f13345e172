"""Smooth activations: sigmoid and its relatives, exact also where they saturate.

A saturated sigmoid has a small slope, not none: 1 - sigmoid(40) rounds to 0, but sigmoid(-40) is
4.2e-18. So no rule here subtracts a saturated value from 1.
"""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.facts import positive
from vjpcli.graph.operation import OPERATIONS
from vjpcli.ops.declaration import (
    Refusal,
    elementwise,
    fail,
    operation,
    outcome,
    sample,
    shape_text,
    trailing_axis,
)
from vjpcli.ops.keywords import one_of, plain_number
from vjpcli.ops.numbers import arithmetic, comparison, elementary
from vjpcli.ops.shapes import indexing

SMOOTH_SAMPLES = (sample((2, 3)), sample(()), sample((0,)), sample((1,)), sample([-9.0, 8.0]))


def minus_absolute(x):
    """-|x|, also for the complex numbers of a complex step. exp of it never overflows."""
    return np.where(x > 0, -x, x)


def sigmoid_of(x):
    """The sigmoid of an array, accurate on both sides: no overflow, no 1 - 1."""
    small = np.exp(minus_absolute(x))
    return np.where(x > 0, 1, small) / (1 + small)


def softplus_of(x):
    """log(1 + exp(x)) of an array, without overflow."""
    return np.maximum(x, 0) + np.log1p(np.exp(minus_absolute(x)))


@elementwise(
    sigmoid_of,
    aliases=("expit", "logistic"),
    symbolic=lambda s, x: 1 / (1 + s.exp(-x)),
    samples=SMOOTH_SAMPLES,
    analytic=True,
)
def sigmoid(x):
    """Logistic function 1/(1 + exp(-x)) of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  the derivative sigmoid(x) (1 - sigmoid(x)), with 1 - sigmoid(x) = sigmoid(-x) so
             that it does not round to 0 for large x
    Example: vjp explain "sigmoid(x)" x=-2,0,40 --seed ones
    """


@sigmoid.vjp
def _(g, y, x):
    return g * y * sigmoid(-x)


@elementwise(
    lambda x: -softplus_of(-x),
    aliases=("log_sigmoid", "log_expit"),
    symbolic=lambda s, x: -s.log(1 + s.exp(-x)),
    samples=SMOOTH_SAMPLES,
    analytic=True,
)
def logsigmoid(x):
    """Logarithm of the sigmoid of each entry, finite where the sigmoid itself underflows.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  log sigmoid(x) = -log(1 + exp(-x)); its derivative is sigmoid(-x)
    Example: vjp explain "logsigmoid(x)" x=-800,0,3 --seed ones
    """


@logsigmoid.vjp
def _(g, y, x):
    return g * sigmoid(-x)


@operation(
    lambda x, *, beta, threshold: np.where(beta * x > threshold, x, softplus_of(beta * x) / beta),
    pattern="elementwise",
    symbolic=lambda s, x, *, beta, threshold: s.log(1 + s.exp(beta * x)) / beta,
    samples=(
        *SMOOTH_SAMPLES,
        sample((3,), beta=2.0),
        sample([1.0, 5.0], threshold=3),
    ),
    refuses=(
        Refusal(sample((3,), beta="two"), "keyword-value"),
        Refusal(sample((3,), beta=0), "keyword-value"),
    ),
    library_defaults={"jax": {"threshold": math.inf}},
    analytic=True,
    convention="softplus: beta={beta}, threshold={threshold} (PyTorch; JAX has no threshold)",
    convention_about=("beta", "threshold"),
)
def softplus(x, *, beta=1, threshold=20):
    """log(1 + exp(beta x))/beta of each entry: a smooth relu.

    Shapes:  x [...] -> [...]
    Kinks:   none to speak of: where beta x > threshold PyTorch takes x itself (JAX never does),
             a difference of 2e-9 for the default threshold of 20
    Source:  the derivative is sigmoid(beta x)
    Example: vjp explain "softplus(x)" x=-800,0,800 --seed ones
    """
    beta, threshold = plain_number("beta", beta), plain_number("threshold", threshold)
    if beta == 0:
        raise fail("keyword-value", "softplus divides by `beta`, which is 0")
    return outcome(x.shape, beta=beta, threshold=threshold)


@softplus.vjp
def _(g, y, x, *, beta, threshold):
    return g * comparison.where(beta * x > threshold, 1, sigmoid(beta * x))


@elementwise(
    lambda x: x * sigmoid_of(x),
    aliases=("swish",),
    symbolic=lambda s, x: x / (1 + s.exp(-x)),
    samples=SMOOTH_SAMPLES,
    analytic=True,
)
def silu(x):
    """x sigmoid(x) of each entry, also called swish.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  product rule: sigmoid(x) + x sigmoid(x) sigmoid(-x)
    Example: vjp explain "silu(x)" x=-2,0,2 --seed ones
    """


@silu.vjp
def _(g, y, x):
    return g * (sigmoid(x) + y * sigmoid(-x))


@elementwise(
    lambda x: x * np.tanh(softplus_of(x)),
    symbolic=lambda s, x: x * s.tanh(s.log(1 + s.exp(x))),
    samples=SMOOTH_SAMPLES,
    analytic=True,
)
def mish(x):
    """x tanh(softplus(x)) of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  Misra, "Mish: A Self Regularized Non-Monotonic Activation Function" (2019)
    Example: vjp explain "mish(x)" x=-2,0,2 --seed ones
    """


@mish.vjp
def _(g, y, x):
    gate = OPERATIONS["tanh"](softplus(x, threshold=math.inf))
    return g * (gate + x * (1 - gate * gate) * sigmoid(x))


def _gelu(x, *, approximate):
    if approximate == "tanh":
        return x * sigmoid_of(2 * _gelu_inner(x))
    erfc = OPERATIONS["erfc"].forward
    assert erfc is not None
    return x * erfc(-x / math.sqrt(2)) / 2


def _gelu_inner(x):
    """What the tanh form puts into tanh; of an array or of a node."""
    return math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)


def _gelu_symbolic(s, x, *, approximate):
    if approximate == "tanh":
        inner = s.sqrt(2 / s.pi) * (x + s.Float("0.044715") * x**3)
        return x * (1 + s.tanh(inner)) / 2
    return x * (1 + s.erf(x / s.sqrt(2))) / 2


@operation(
    _gelu,
    pattern="elementwise",
    symbolic=_gelu_symbolic,
    samples=(*SMOOTH_SAMPLES, sample((2, 3), approximate="tanh"), sample((), approximate=True)),
    refuses=(Refusal(sample((3,), approximate="erf"), "keyword-value"),),
    library_defaults={"jax": {"approximate": "tanh"}},
    convention="gelu: approximate={approximate} (PyTorch: the exact erf form; JAX takes tanh)",
)
def gelu(x, *, approximate="none"):
    """x times the probability that a standard normal number is below x.

    Shapes:  x [...] -> [...]
    Kinks:   none; approximate="tanh" (or True) takes the tanh form, which is JAX's default
    Source:  Hendrycks and Gimpel, "Gaussian Error Linear Units" (2016); x erfc(-x/sqrt(2))/2 is
             accurate for negative x too. Slope: the probability plus x times the density
    Example: vjp explain "gelu(x)" x=-2,0,2 --seed ones
    """
    if isinstance(approximate, bool):
        approximate = "tanh" if approximate else "none"
    return outcome(x.shape, approximate=one_of("approximate", approximate, ("none", "tanh")))


@gelu.vjp
def _(g, y, x, *, approximate):
    if approximate == "tanh":
        twice_inner = 2 * _gelu_inner(x)
        slope_of_it = 2 * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x)
        return g * (sigmoid(twice_inner) + y * sigmoid(-twice_inner) * slope_of_it)
    probability = OPERATIONS["erfc"](x * -math.sqrt(0.5)) / 2
    density = elementary.exp(x * x * -0.5) / math.sqrt(2 * math.pi)
    return g * (probability + x * density)


@elementwise(
    lambda x: x / (1 + np.abs(x)),
    aliases=("soft_sign",),
    symbolic=lambda s, x: x / (1 + s.Abs(x)),
    samples=SMOOTH_SAMPLES,
)
def softsign(x):
    """x/(1 + |x|) of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none: both sides have slope 1 at 0
    Source:  quotient rule: 1/(1 + |x|)^2
    Example: vjp explain "softsign(x)" x=-3,0,1 --seed ones
    """


@softsign.vjp
def _(g, y, x):
    size = 1 + arithmetic.abs(x)
    return g / (size * size)


@elementwise(
    lambda x: x - np.tanh(x),
    symbolic=lambda s, x: x - s.tanh(x),
    samples=SMOOTH_SAMPLES,
    analytic=True,
)
def tanhshrink(x):
    """x - tanh(x) of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  1 - (1 - tanh(x)^2) = tanh(x)^2
    Example: vjp explain "tanhshrink(x)" x=-2,0,2 --seed ones
    """


@tanhshrink.vjp
def _(g, y, x):
    gate = OPERATIONS["tanh"](x)
    return g * gate * gate


@operation(
    samples=(sample((4,)), sample((2, 6)), sample((4, 3), axis=0), sample((2, 4, 0), axis=-2)),
    refuses=(
        Refusal(sample((3,)), "odd-length"),
        Refusal(sample((4,), axis=1), "axis-out-of-range"),
    ),
    analytic=True,
)
def glu(x, *, axis=-1):
    """The first half of x along an axis, times the sigmoid of the second half.

    Shapes:  x [..., 2n, ...] -> [..., n, ...]
    Kinks:   none
    Source:  Dauphin et al., "Language Modeling with Gated Convolutional Networks" (2017)
    Example: vjp explain "glu(x)" x=1,2,0,3 --seed ones
    """
    axis = trailing_axis(x, axis)
    half, odd = divmod(x.shape[axis], 2)
    if odd:
        raise fail(
            "odd-length",
            f"glu halves axis {axis} of shape {shape_text(x.shape)}, whose length is odd",
        )
    behind = (slice(None),) * (-axis - 1)
    values = indexing.index(x, index=(Ellipsis, slice(None, half), *behind))
    gates = indexing.index(x, index=(Ellipsis, slice(half, None), *behind))
    return values * sigmoid(gates)


@operation(
    samples=(sample((2, 3)), sample(()), sample((3,), b=1.5)),
    refuses=(Refusal(sample((3,), b="four"), "keyword-value"),),
    domain=positive,
    analytic=True,
)
def squareplus(x, *, b=4):
    """(x + sqrt(x^2 + b))/2 of each entry: a smooth relu without exponentials.

    Shapes:  x [...] -> [...]
    Kinks:   none for b > 0; b = 0 gives relu, whose slope at 0 is nan this way
    Source:  Barron, "Squareplus" (2021)
    Example: vjp explain "jax.nn.squareplus(x)" x=-2,0,2 --seed ones
    """
    return (x + elementary.sqrt(x * x + plain_number("b", b))) / 2
