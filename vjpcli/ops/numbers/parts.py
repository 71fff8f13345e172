"""Parts of a number: mantissa and exponent, whole part and rest, its neighbour."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.facts import nonzero
from vjpcli.ops.declaration import Kink, elementwise, operation, sample
from vjpcli.ops.numbers import division, elementary, rounding
from vjpcli.ops.numbers.rounding import BETWEEN_JUMPS

APART = (sample([0.3, -5.2, 12.0]), sample([[1.7]]), sample(0.4), sample((0,)))


@elementwise(lambda x: np.frexp(x)[1], kind="index", samples=APART)
def binary_exponent(x):
    """The whole number e for which x = m 2**e with m from 0.5 up to, without, 1. No derivative.

    Shapes:  x [...] -> [...]
    Kinks:   jumps at powers of 2
    Source:  IEEE 754
    Example: vjp explain "x * frexp(x).exponent" x=3,10 --seed ones
    """


def _at_power(y, x):
    return np.abs(y) == 0.5


@elementwise(
    lambda x: np.frexp(x)[0],
    samples=APART,
    kinks=(Kink("x a power of 2", _at_power, slopes=(-np.inf, 0.5), used=0.5, point=(1.0,)),),
)
def mantissa(x):
    """The number m for which x = m 2**e with |m| from 0.5 up to, without, 1.

    Shapes:  x [...] -> [...]
    Kinks:   jumps at powers of 2; the slope used there is that of the larger numbers
    Source:  x divided by 2**e, and e is flat
    Example: vjp explain "frexp(x).mantissa" x=3,10 --seed ones
    """


@mantissa.vjp
def _(g, y, x):
    return g * elementary.exp2(-binary_exponent(x))


@operation(several=("mantissa", "exponent"), samples=APART)
def frexp(x):
    """Mantissa and exponent: x = m 2**e with |m| from 0.5 up to, without, 1.

    Shapes:  x [...] -> (mantissa, exponent), each [...]
    Kinks:   jumps at powers of 2; the exponent has no derivative
    Source:  the slope of the mantissa is 2**-e
    Example: vjp explain "frexp(x).mantissa" x=3,10 --seed ones
    """
    return mantissa(x), binary_exponent(x)


@elementwise(lambda x: np.modf(x)[0], samples=BETWEEN_JUMPS, symbolic=rounding.frac.symbolic)
def fractional_part(x):
    """What is left of each entry without its whole part; 0 of an infinite one.

    Shapes:  x [...] -> [...]
    Kinks:   jumps at whole numbers other than 0; the slope used there is 1, as everywhere
    Source:  x - trunc(x), and trunc is flat
    Example: vjp explain "np.modf(x)[0]" x=1.25,-2.5 --seed ones
    """


@fractional_part.vjp
def _(g, y, x):
    return g


@operation(several=("fractional", "whole"), samples=BETWEEN_JUMPS)
def modf(x):
    """What is left of each entry without its whole part, and that whole part.

    Shapes:  x [...] -> (rest, whole part), each [...], both with the sign of the entry
    Kinks:   jumps at whole numbers other than 0; the whole part is flat
    Source:  np.modf
    Example: vjp explain "np.modf(x)[0]" x=1.25,-2.5 --seed ones
    """
    return fractional_part(x), rounding.trunc(x)


@operation(
    several=("quotient", "remainder"),
    domain=(nonzero, nonzero),
    samples=(sample([5.3, -5.3, 2.2], [2.0, 2.0, -0.9]),),
)
def divmod(a, b):
    """The quotient rounded down, and what is left over.

    Shapes:  a [...], b [...] (broadcast) -> (a // b, a % b), each [...]
    Kinks:   those of // and %
    Source:  a = b*(a // b) + a % b
    Example: vjp explain "divmod(a, b)[1]" a=5.5,7.25 b=2 --seed ones
    """
    return division.floor_divide(a, b), division.remainder(a, b)


@elementwise(np.nextafter, symbolic=lambda s, a, b: a)
def nextafter(a, b):
    """The next number that can be told from a, in the direction of b.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   none worth naming: a step of rounding
    Source:  it follows a, so its slope is 1 for a and 0 for b; PyTorch and JAX have no gradient
    Example: vjp explain "sqrt(nextafter(x, inf))" x=1,4 --seed ones
    """


@nextafter.vjp
def _(g, y, a, b):
    return g, rounding.no_slope(g)
