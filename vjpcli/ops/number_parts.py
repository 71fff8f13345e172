"""Parts of numbers, remainders and sums as Python's math module and NumPy have them."""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import OPERATIONS
from vjpcli.ops import arithmetic, elementary, reduction, rounding
from vjpcli.ops.declaration import (
    Kink,
    Refusal,
    elementwise,
    fail,
    operation,
    outcome,
    sample,
    trailing_axis,
)
from vjpcli.ops.keywords import plain_number

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
    pattern="elementwise",
    several=("fractional", "whole"),
    samples=BETWEEN_JUMPS,
)
def modf(x):
    """Fractional and whole part of each entry, both with its sign: two results.

    Shapes:  x [...] -> [...], [...]
    Kinks:   jumps at whole numbers other than 0
    Source:  x - trunc(x) and trunc(x), which is flat
    Example: vjp explain "f, w = np.modf(x); f" x=1.25,-2.5 --seed ones
    """
    whole = rounding.trunc(x)
    return x - whole, whole


@elementwise(
    lambda x: np.frexp(x)[1].astype(x.dtype),
    flat=True,
    samples=BETWEEN_JUMPS,
    kinks=(
        Kink(
            "|x| a power of 2",
            lambda y, x: np.abs(np.frexp(x)[0]) == 0.5,
            slopes=(0, np.inf),
            used=0,
            point=(2.0,),
        ),
    ),
)
def binary_exponent(x):
    """The whole number e for which |x| is at least 2**(e-1) and below 2**e. Flat.

    Shapes:  x [...] -> [...]
    Kinks:   jumps at powers of 2; the slope used there is 0
    Source:  constant between jumps
    Example: vjp explain "x / exp2(binary_exponent(x))" x=3,0.3 --seed ones
    """


@binary_exponent.vjp
def _(g, y, x):
    return rounding.no_slope(g)


@operation(pattern="elementwise", several=("mantissa", "exponent"), samples=BETWEEN_JUMPS)
def frexp(x):
    """x taken apart as mantissa times 2**exponent, with a mantissa of size 1/2 to 1: two results.

    Shapes:  x [...] -> [...], [...]
    Kinks:   jumps at powers of 2
    Source:  the exponent is flat, the mantissa x 2**-exponent
    Example: vjp explain "m, e = np.frexp(x); m" x=3,0.3 --seed ones
    """
    exponent = binary_exponent(x)
    return x * elementary.exp2(-exponent), exponent


@operation(
    pattern="elementwise",
    several=("quotient", "remainder"),
    samples=(sample([5.3, -4.0, 0.4], [3.0, 1.5, -7.0]), sample(5.0, [[3.2]])),
)
def divmod(x, y):
    """Quotient rounded down and remainder, two results.

    Shapes:  x [...], y [...] -> [...], [...] (broadcast)
    Kinks:   jumps where x/y is whole
    Source:  `floor_divide`, which is flat, and `remainder`
    Example: vjp explain "q, r = divmod(x, y); r" x=5.5 y=3
    """
    return OPERATIONS["floor_divide"](x, y), OPERATIONS["remainder"](x, y)


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


def _flat_on_whole(name):
    function = getattr(np, name)

    def forward(a, b):
        with np.errstate(all="ignore"):
            known = (a == np.floor(a)) & (b == np.floor(b)) & (np.abs(a) < 2**53)
            known = known & (np.abs(b) < 2**53)
            whole = [np.where(known, one, 1).astype(np.int64) for one in (a, b)]
            return np.where(known, function(*whole), np.nan).astype(np.result_type(a, b))

    return forward


WHOLE_PAIRS = (sample(12.0, 18.0), sample(7.0, 0.0))


@elementwise(_flat_on_whole("gcd"), flat=True, samples=WHOLE_PAIRS)
def gcd(a, b):
    """Greatest common divisor of whole numbers. Flat: no gradient reaches them.

    Shapes:  a [...], b [...] -> [...] (broadcast); nan for what is not whole
    Kinks:   none between whole numbers
    Source:  Euclid's algorithm
    Example: vjp explain "x / gcd(12, 18)" x=3
    """


@gcd.vjp
def _(g, y, a, b):
    return rounding.no_slope(g), rounding.no_slope(g)


@elementwise(_flat_on_whole("lcm"), flat=True, samples=WHOLE_PAIRS)
def lcm(a, b):
    """Least common multiple of whole numbers. Flat: no gradient reaches them.

    Shapes:  a [...], b [...] -> [...] (broadcast); nan for what is not whole
    Kinks:   none between whole numbers
    Source:  a b/gcd(a, b)
    Example: vjp explain "x / lcm(4, 6)" x=3
    """


@lcm.vjp
def _(g, y, a, b):
    return rounding.no_slope(g), rounding.no_slope(g)


@operation(pattern="elementwise", samples=BETWEEN_JUMPS[:0])
def isqrt(n):
    """Whole part of the square root of each entry. Flat: its slope is 0.

    Shapes:  n [...] -> [...]
    Kinks:   jumps at square numbers
    Source:  floor(sqrt(n))
    Example: vjp explain "x / isqrt(10)" x=3
    """
    return rounding.floor(elementary.sqrt(n))


def _corrections(x, *, axis, period, discont):
    given = np.unwrap(x, axis=axis, period=period, discont=discont)
    return (given - x).astype(x.dtype)


@operation(
    _corrections,
    pattern="along-axis",
    flat=True,
    samples=(sample([0.1, 3.0, -3.0], axis=-1, period=6.0, discont=None),),
)
def unwrap_corrections(x, *, axis, period, discont):
    """The multiples of the period that unwrap adds. Flat: constant between jumps.

    Shapes:  x [... n ...] -> [... n ...]
    Kinks:   jumps where neighbours differ by half a period
    Source:  np.unwrap(x) - x
    Example: vjp explain "unwrap_corrections(x, axis=0, period=6.28, discont=3.14)" x=3,-3
    """
    return outcome(x.shape, axis=axis, period=period, discont=discont)


@unwrap_corrections.vjp
def _(g, y, x, *, axis, period, discont):
    return rounding.no_slope(g)


@operation(
    keyword_aliases={"p": "x"},
    samples=(
        sample([0.1, 3.0, -3.0, -2.9]),
        sample([[0.1, 3.0], [4.0, -3.0]], axis=0),
        sample([0.1, 0.9, 0.2], period=1),
    ),
    refuses=(
        Refusal(sample(()), "axis-out-of-range"),
        Refusal(sample((3,), period="a"), "keyword-value"),
        Refusal(sample((3,), period=0), "keyword-value"),
    ),
)
def unwrap(x, *, discont=None, axis=-1, period=2 * math.pi):
    """Angles without jumps: where neighbours differ by more than half a period, it is added.

    Shapes:  x [... n ...] -> [... n ...]
    Kinks:   jumps where neighbours differ by half a period
    Source:  what is added is constant, so the slope is 1
    Example: vjp explain "np.unwrap(x)" x=3,-3,-2.9 --seed ones
    """
    turn = plain_number("period", period)
    if turn <= 0:
        raise fail("keyword-value", f"`period` is above 0, not {period}")
    jump = None if discont is None else plain_number("discont", discont)
    place = trailing_axis(x, axis)
    return x + unwrap_corrections(x, axis=place, period=turn, discont=jump)
