"""Division with remainder: whole quotients, and what is left over."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.facts import nonzero
from vjpcli.ops.declaration import Kink, elementwise, sample
from vjpcli.ops.numbers import rounding


@elementwise(
    np.remainder,
    symbolic=lambda s, a, b: a - b * s.floor(a / b),
    infix="%",
    aliases=("mod",),
    domain=(nonzero, nonzero),
    samples=(sample([5.3, -5.3, 2.2], [2.0, 2.0, -0.9]), sample([[7.5], [1.1]], [2.0, 0.7])),
    kinks=(
        Kink("a/b whole", lambda y, a, b: y == 0, slopes=(-np.inf, 1), used=1, point=(4.0, 2.0)),
    ),
    convention="remainder: the divisor's sign (PyTorch, NumPy, Python; fmod: the dividend's)",
    convention_about=(),
)
def remainder(a, b):
    """What is left of a after whole multiples of b; it has the sign of b (Python's %).

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   jumps where a/b is whole; the slopes used there are those to the right:
             1 and -floor(a/b)
    Source:  a % b = a - b*floor(a/b), and floor is flat
    Example: vjp explain "a % b" a=5.5,7.25 b=2 --seed ones
    """


@remainder.vjp
def _(g, y, a, b):
    return g, -g * floor_divide(a, b)


@elementwise(
    np.floor_divide,
    symbolic=lambda s, a, b: s.floor(a / b),
    infix="//",
    domain=(nonzero, nonzero),
    flat=True,
    samples=(sample([5.3, -5.3, 2.2], [2.0, 2.0, -0.9]), sample([[7.5], [1.1]], [2.0, 0.7])),
    kinks=(
        Kink(
            "a/b whole",
            lambda y, a, b: y * b == a,
            slopes=(0, np.inf),
            used=0,
            point=(4.0, 2.0),
        ),
    ),
)
def floor_divide(a, b):
    """The quotient rounded down. Flat: its slope is 0 for both operands.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   jumps where a/b is whole; the slope used is 0
    Source:  constant between jumps
    Example: vjp explain "x - 2*(x // 2)" x=5.5,7.25 --seed ones
    """


@floor_divide.vjp
def _(g, y, a, b):
    return rounding.no_slope(g), rounding.no_slope(g)


@elementwise(
    np.fmod,
    symbolic=lambda s, a, b: a - b * s.sign(a / b) * s.floor(s.Abs(a / b)),
    domain=(nonzero, nonzero),
    samples=(sample([5.3, -5.3, 2.2], [2.0, 2.0, -0.9]), sample([[7.5], [1.1]], [2.0, 0.7])),
    kinks=(
        Kink(
            "a/b whole, not 0",
            lambda y, a, b: (y == 0) & (a != 0),
            slopes=(-np.inf, 1),
            used=1,
            point=(4.0, 2.0),
        ),
    ),
    library_names={"jax": ("rem",)},
)
def fmod(a, b):
    """What is left of a after whole multiples of b; it has the sign of a (C's fmod).

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   jumps where a/b is whole and not 0; the slopes used there are 1 and -trunc(a/b)
    Source:  fmod(a, b) = a - b*trunc(a/b), and trunc is flat
    Example: vjp explain "fmod(a, b)" a=5.5,-5.5 b=2 --seed ones
    """


# (a - y)/b is whole up to rounding; trunc(a/b) could be off by one where a/b rounds to a whole.
@fmod.vjp
def _(g, y, a, b):
    return g, -g * rounding.round((a - y) / b)
