"""Remainders, sums and lengths as Python's math module has them."""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import OPERATIONS
from vjpcli.ops.declaration import (
    Kink,
    Refusal,
    elementwise,
    fail,
    operation,
    sample,
)
from vjpcli.ops.numbers import arithmetic, elementary, rounding
from vjpcli.ops.reductions import reduction

BETWEEN_JUMPS = (sample([5.3, -2.7, 0.4]), sample(-1.2), sample((0,)))


def _ieee_remainder(x, y):
    with np.errstate(all="ignore"):
        both = np.broadcast_arrays(x, y)
        found = [
            _one_remainder(a, b)
            for a, b in zip(*(one.ravel().tolist() for one in both), strict=True)
        ]
    return np.array(found).reshape(both[0].shape).astype(np.result_type(x, y))


def _one_remainder(x, y):
    try:
        return math.remainder(x, y)
    except ValueError:  # of infinity, or by 0
        return math.nan


@elementwise(
    _ieee_remainder,
    library_names={"numpy": ("math.remainder",)},
    samples=(sample([5.3, -4.0, 0.4], [3.0, 1.5, -7.0]), sample(5.0, [[3.2]])),
    kinks=(
        Kink(
            "x/y halfway between whole numbers",
            lambda z, x, y: np.abs(2 * z) == np.abs(y),
            slopes=(-np.inf, 1),
            used=1,
            point=(1.5, 1.0),
        ),
    ),
)
def ieee_remainder(x, y):
    """x less the nearest whole multiple of y: Python's math.remainder, not `remainder`.

    Shapes:  x [...], y [...] -> [...] (broadcast); from -|y|/2 to |y|/2
    Kinks:   jumps where x/y is halfway between whole numbers, which counts as even there
    Source:  x - n y, where n is constant between jumps
    Example: vjp explain "math.remainder(x, y)" x=5 y=3
    """


@ieee_remainder.vjp
def _(g, z, x, y):
    return g, g * rounding.round((z - x) / y)


@operation(
    pattern="elementwise", samples=(sample((3,), (3,), (3,)), sample((), (), ())), analytic=True
)
def fma(x, y, z):
    """x y + z, entry by entry (Python's math.fma rounds once).

    Shapes:  x [...], y [...], z [...] -> [...] (broadcast)
    Kinks:   none
    Source:  product rule
    Example: vjp explain "math.fma(x, y, z)" x=2 y=3 z=1
    """
    return x * y + z


@operation(samples=(sample((3,)), sample((2, 2)), sample((0,))), analytic=True)
def fsum(x):
    """The sum of all entries (Python's math.fsum rounds once).

    Shapes:  x [...] -> []
    Kinks:   none
    Source:  `sum`
    Example: vjp explain "math.fsum([x, y, 1])" x=2 y=3
    """
    return reduction.sum(x)


@operation(
    samples=(sample((3,), (3,)), sample((0,), (0,))),
    refuses=(Refusal(sample((3,), (2,)), "shape-mismatch"),),
    analytic=True,
)
def sumprod(p, q):
    """The sum of the products of two vectors: Python's math.sumprod.

    Shapes:  p [n], q [n] -> []
    Kinks:   none
    Source:  product rule
    Example: vjp explain "math.sumprod(p, q)" p=1,2 q=3,4
    """
    if p.shape != q.shape:
        raise fail("shape-mismatch", "sumprod takes two vectors of one length")
    return reduction.sum(p * q)


@operation(
    library_names={"numpy": ("math.hypot",)},
    samples=(sample((3,), (3,), (3,)), sample((2,)), sample((), ())),
)
def hypot_of_many(*numbers):
    """Length of the vector of any number of coordinates: Python's math.hypot.

    Shapes:  x [...], y [...], ... -> [...] (broadcast)
    Kinks:   as `hypot` where all are 0
    Source:  `hypot`, one coordinate after the other
    Example: vjp explain "math.hypot(x, y, z)" x=2 y=3 z=6
    """
    first, *others = numbers
    if not others:
        return arithmetic.abs(first)
    for other in others:
        first = OPERATIONS["hypot"](first, other)
    return first


@operation(pattern="elementwise", samples=BETWEEN_JUMPS[:0])
def isqrt(n):
    """Whole part of the square root of each entry. Flat: its slope is 0.

    Shapes:  n [...] -> [...]
    Kinks:   jumps at square numbers
    Source:  floor(sqrt(n))
    Example: vjp explain "x / isqrt(10)" x=3
    """
    return rounding.floor(elementary.sqrt(n))
