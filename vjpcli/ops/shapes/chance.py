"""Chance: arrays of random numbers, the same ones for the same `--rng`."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import make_constant
from vjpcli.graph.random import generator
from vjpcli.ops.declaration import Refusal, fail, operation, sample
from vjpcli.ops.keywords import SHAPE_KEYWORDS, array_shape, plain_number, whole_number

SHAPE_REFUSALS = (
    Refusal(sample(shape=(2, -1)), "shape-form"),
    Refusal(sample(shape=10**12), "too-large"),
)


@operation(
    collects="shape",
    aliases=("standard_normal",),
    keyword_aliases=SHAPE_KEYWORDS,
    refuses=SHAPE_REFUSALS,
)
def randn(*, shape=()):
    """Random numbers with mean 0 and variance 1 (standard normal).

    Shapes:  -> shape, given as randn(2, 3) or randn((2, 3))
    Kinks:   none; it is constant
    Source:  drawn once; the same ones for the same --rng
    Example: vjp explain "randn(2, 3) @ x" x=1,2,3 --seed ones
    """
    return make_constant(generator().standard_normal(array_shape(shape)))


@operation(
    collects="shape",
    aliases=("random", "random_sample", "ranf"),
    keyword_aliases=SHAPE_KEYWORDS,
    refuses=SHAPE_REFUSALS,
)
def rand(*, shape=()):
    """Random numbers between 0 and 1 (uniform).

    Shapes:  -> shape, given as rand(2, 3) or rand((2, 3))
    Kinks:   none; it is constant
    Source:  drawn once; the same ones for the same --rng
    Example: vjp explain "rand(2, 3) @ x" x=1,2,3 --seed ones
    """
    return make_constant(generator().random(array_shape(shape)))


@operation()
def randn_like(x):
    """Random numbers with mean 0 and variance 1 in the shape of another array.

    Shapes:  x [...] -> [...]
    Kinks:   none; it is constant, and no gradient reaches x
    Source:  drawn once; the same ones for the same --rng
    Example: vjp explain "x + 0.1*randn_like(x)" x=1,2,3 --seed ones
    """
    return randn(shape=x.shape)


@operation()
def rand_like(x):
    """Random numbers between 0 and 1 in the shape of another array.

    Shapes:  x [...] -> [...]
    Kinks:   none; it is constant, and no gradient reaches x
    Source:  drawn once; the same ones for the same --rng
    Example: vjp explain "x * rand_like(x)" x=1,2,3 --seed ones
    """
    return rand(shape=x.shape)


@operation(
    keyword_aliases=SHAPE_KEYWORDS,
    refuses=(
        Refusal(sample(low="a"), "keyword-value"),
        Refusal(sample(shape=10**12), "too-large"),
    ),
)
def uniform(*, low=0.0, high=1.0, shape=()):
    """Random numbers between low and high (np.random.uniform).

    Shapes:  -> shape
    Kinks:   none; it is constant
    Source:  drawn once; the same ones for the same --rng
    Example: vjp explain "x * uniform(-1, 1, (3,))" x=1,2,3 --seed ones
    """
    first, last = plain_number("low", low), plain_number("high", high)
    drawn = generator().random(array_shape(shape))
    with np.errstate(all="ignore"):  # infinite bounds give nan, which the findings explain
        return make_constant(first + (last - first) * drawn)


@operation(
    keyword_aliases={**SHAPE_KEYWORDS, "mean": "loc", "std": "scale"},
    refuses=(
        Refusal(sample(scale=-1), "scale-negative"),
        Refusal(sample(shape=10**12), "too-large"),
    ),
)
def normal(*, loc=0.0, scale=1.0, shape=()):
    """Random numbers with a given mean and standard deviation (normal).

    Shapes:  -> shape
    Kinks:   none; it is constant
    Source:  drawn once; the same ones for the same --rng
    Example: vjp explain "x * normal(0, 2, (3,))" x=1,2,3 --seed ones
    """
    mean, deviation = plain_number("loc", loc), plain_number("scale", scale)
    if deviation < 0:
        raise fail("scale-negative", f"a standard deviation is not negative: {deviation:g}")
    drawn = generator().standard_normal(array_shape(shape))
    return make_constant(mean + deviation * drawn)


@operation(
    keyword_aliases=SHAPE_KEYWORDS,
    refuses=(
        Refusal(sample(low=3, high=3), "empty-range"),
        Refusal(sample(low=0.5, high=3), "keyword-value"),
        Refusal(sample(low=2**70), "empty-range"),
    ),
)
def randint(*, low, high=None, shape=()):
    """Random whole numbers from low (0 if only one number is given) up to, without, high.

    Shapes:  -> shape
    Kinks:   none; it is constant
    Source:  drawn once; the same ones for the same --rng
    Example: vjp explain "x[randint(0, 3, (5,))]" x=1,2,3 --seed ones
    """
    if isinstance(high, tuple):  # torch.randint(high, size)
        low, high, shape = 0, low, high
    if high is None:
        low, high = 0, low
    first, last = whole_number("low", low), whole_number("high", high)
    if not -(2**53) <= first < last <= 2**53:
        raise fail("empty-range", f"no whole number lies from {first} up to, without, {last}")
    return make_constant(generator().integers(first, last, array_shape(shape)))


@operation(
    refuses=(Refusal(sample(n=-1), "keyword-value"), Refusal(sample(n=10**12), "too-large")),
)
def randperm(*, n):
    """The whole numbers below n in a random order.

    Shapes:  -> [n]
    Kinks:   none; it is constant
    Source:  drawn once; the same ones for the same --rng
    Example: vjp explain "x[randperm(3)]" x=1,2,3 --seed 1,10,100
    """
    (count,) = array_shape(whole_number("n", n, least=0))
    return make_constant(np.asarray(generator().permutation(count)))
