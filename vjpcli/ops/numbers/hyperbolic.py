"""Hyperbolic sine, cosine and tangent, and their inverses."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.facts import above_one, unit
from vjpcli.ops.declaration import elementwise
from vjpcli.ops.numbers import arithmetic, elementary


@elementwise(np.sinh, symbolic="sinh", analytic=True)
def sinh(x):
    """Hyperbolic sine of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 4.34
    Example: vjp explain "sinh(x)" x=0,1 --seed ones
    """


@sinh.vjp
def _(g, y, x):
    return g * cosh(x)


@elementwise(np.cosh, symbolic="cosh", analytic=True)
def cosh(x):
    """Hyperbolic cosine of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 4.34
    Example: vjp explain "cosh(x)" x=0,1 --seed ones
    """


@cosh.vjp
def _(g, y, x):
    return g * sinh(x)


@elementwise(np.tanh, symbolic="tanh", analytic=True)
def tanh(x):
    """Hyperbolic tangent of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none; from about |x| = 19 on the output rounds to 1 and the slope to 0
    Source:  DLMF 4.34: 1 - tanh(x)**2, written with the output
    Example: vjp explain "tanh(x)" x=0,1,20 --seed ones
    """


@tanh.vjp
def _(g, y, x):
    return g * (1 - y * y)


@elementwise(np.arcsinh, symbolic="asinh", aliases=("asinh",), analytic=True)
def arcsinh(x):
    """The number whose hyperbolic sine the entry is.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 4.38: 1/sqrt(1+x**2), as a distance so that x**2 cannot overflow
    Example: vjp explain "arcsinh(x)" x=-1,0,1 --seed ones
    """


@arcsinh.vjp
def _(g, y, x):
    return g / arithmetic.hypot(x, 1)


@elementwise(np.arccosh, symbolic="acosh", aliases=("acosh",), domain=above_one, analytic=True)
def arccosh(x):
    """The number from 0 up whose hyperbolic cosine the entry is.

    Shapes:  x [...] -> [...]
    Kinks:   none above 1; at 1 the slope is +inf, below the value is nan
    Source:  DLMF 4.38
    Example: vjp explain "arccosh(x)" x=1.5,2 --seed ones
    """


@arccosh.vjp
def _(g, y, x):
    return g / elementary.sqrt(x * x - 1)


@elementwise(np.arctanh, symbolic="atanh", aliases=("atanh",), domain=unit, analytic=True)
def arctanh(x):
    """The number whose hyperbolic tangent the entry is.

    Shapes:  x [...] -> [...]
    Kinks:   none inside (-1, 1); infinite at -1 and 1, nan outside
    Source:  DLMF 4.38
    Example: vjp explain "arctanh(x)" x=-0.5,0,0.5 --seed ones
    """


@arctanh.vjp
def _(g, y, x):
    return g / (1 - x * x)
