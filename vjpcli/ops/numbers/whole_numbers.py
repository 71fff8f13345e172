"""Whole numbers: divisors, multiples and bits. They change only in jumps: no gradient passes."""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import (
    Refusal,
    broadcast_shapes,
    elementwise,
    operation,
    outcome,
    sample,
)
from vjpcli.ops.keywords import one_of
from vjpcli.ops.neural.class_index import nearest_indices
from vjpcli.ops.numbers import comparison

WHOLE_SAMPLES = (sample([4.0, 6.0, -9.0], [6.0, 4.0, 6.0]), sample([[4.0], [6.0]], 8.0))


def _whole(what, *arrays):
    """Arrays of whole numbers as integers.

    Errors: index-not-whole.
    """
    return [nearest_indices(one, f"an operand of {what}", lambda n: n == n) for one in arrays]  # noqa: PLR0124


@elementwise(lambda a, b: np.gcd(*_whole("gcd", a, b)), kind="index", samples=WHOLE_SAMPLES)
def gcd(a, b):
    """The greatest common divisor of whole numbers. It has no derivative.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   defined for whole numbers only
    Source:  Euclid's algorithm
    Example: vjp explain "x * gcd(a, b)" x=1,2 a=4,6 b=6 --wrt x --seed ones
    """


@elementwise(lambda a, b: np.lcm(*_whole("lcm", a, b)), kind="index", samples=WHOLE_SAMPLES)
def lcm(a, b):
    """The least common multiple of whole numbers. It has no derivative.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   defined for whole numbers only
    Source:  |a b| / gcd(a, b)
    Example: vjp explain "x * lcm(a, b)" x=1,2 a=4,6 b=6 --wrt x --seed ones
    """


BITS = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "left": np.left_shift,
    "right": np.right_shift,
}


@operation(
    lambda a, b, *, how: BITS[how](*_whole("a bitwise operation", a, b)),
    pattern="elementwise",
    kind="index",
    samples=(sample([5.0, 6.0], 3.0, how="and"),),
    refuses=(Refusal(sample((2,), (2,), how="nand"), "keyword-value"),),
)
def bit_by_bit(a, b, *, how):
    """Whole numbers combined bit by bit, or shifted by so many bits. It has no derivative.

    Shapes:  a [...], b [...] -> [...] (broadcast); how is and, or, xor, left or right
    Kinks:   defined for whole numbers only
    Source:  two's complement
    Example: vjp explain "x * bitwise_and(a, 3)" x=1,2 a=5,6 --wrt x --seed ones
    """
    return outcome(broadcast_shapes("bit_by_bit", a, b), how=one_of("how", how, tuple(BITS)))


def _bits_or_truth(a, b, of_conditions, how):
    conditions = a.kind == b.kind == "condition"
    return of_conditions(a, b) if conditions else bit_by_bit(a, b, how=how)


BIT_SAMPLES = (sample([5.0, 6.0], 3.0), sample([True, False], [True, True]))


@operation(samples=BIT_SAMPLES)
def bitwise_and(a, b):
    """Whether both conditions hold; of whole numbers the bits that both have.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   where its operands jump; it has no derivative
    Source:  truth table
    Example: vjp explain "where(bitwise_and(x > 0, x < 2), x**2, 0)" x=-1,1,3 --seed ones
    """
    return _bits_or_truth(a, b, comparison.logical_and, "and")


@operation(samples=BIT_SAMPLES)
def bitwise_or(a, b):
    """Whether at least one condition holds; of whole numbers the bits that either has.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   where its operands jump; it has no derivative
    Source:  truth table
    Example: vjp explain "where(bitwise_or(x < 0, x > 2), x**2, 0)" x=-1,1,3 --seed ones
    """
    return _bits_or_truth(a, b, comparison.logical_or, "or")


@operation(samples=BIT_SAMPLES)
def bitwise_xor(a, b):
    """Whether exactly one condition holds; of whole numbers the bits in which they differ.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   where its operands jump; it has no derivative
    Source:  truth table
    Example: vjp explain "where(bitwise_xor(x > 0, x > 2), x**2, 0)" x=-1,1,3 --seed ones
    """
    return _bits_or_truth(a, b, comparison.logical_xor, "xor")


@operation(aliases=("invert", "bitwise_invert"), samples=(sample([5.0, -6.0]), sample([True])))
def bitwise_not(x):
    """Whether the condition does not hold; of a whole number the other bits, which is -x - 1.

    Shapes:  x [...] -> [...]
    Kinks:   where its operand jumps; it has no derivative
    Source:  truth table
    Example: vjp explain "where(bitwise_not(x > 0), x**2, x)" x=-1,1 --seed ones
    """
    if x.kind == "condition":
        return comparison.logical_not(x)
    return bit_by_bit(x, -1.0, how="xor")


@operation(aliases=("left_shift",), samples=(sample([5.0, 6.0], 1.0),))
def bitwise_left_shift(a, b):
    """Whole numbers shifted by b bits: a times 2**b. It has no derivative.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   defined for whole numbers only
    Source:  two's complement
    Example: vjp explain "x * bitwise_left_shift(a, 2)" x=1,2 a=5,6 --wrt x --seed ones
    """
    return bit_by_bit(a, b, how="left")


@operation(aliases=("right_shift",), samples=(sample([5.0, 6.0], 1.0),))
def bitwise_right_shift(a, b):
    """Whole numbers shifted back by b bits: a over 2**b, rounded down. It has no derivative.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   defined for whole numbers only
    Source:  two's complement
    Example: vjp explain "x * bitwise_right_shift(a, 1)" x=1,2 a=5,6 --wrt x --seed ones
    """
    return bit_by_bit(a, b, how="right")
