"""Exponentials, logarithms and roots of one number.

Each is one declaration: what it computes, then its rule, which gets `g`, the adjoint of the output
`y`, and gives what the operand `x` receives: `g` times the slope dy/dx. Nothing is evaluated in a
rule: `g`, `y` and `x` are nodes, and `g / x` is one more. A rule uses the output where the slope
is shortest in terms of it (`exp` is its own derivative).
"""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.facts import positive
from vjpcli.ops.declaration import Domain, elementwise, sample

above_minus_one = Domain("above -1", -0.8, 2.5)


@elementwise(np.exp, symbolic="exp", analytic=True)
def exp(x):
    """e to the power of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 4.2(iii); the derivative is the output itself
    Example: vjp explain "exp(x)" x=0,1,2 --seed ones
    """


@exp.vjp
def _(g, y, x):
    return g * y


@elementwise(np.expm1, symbolic=lambda s, x: s.exp(x) - 1, analytic=True)
def expm1(x):
    """e to the power of each entry, minus 1, without loss of digits near 0.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  d(exp(x)-1)/dx = exp(x), which is the output plus 1
    Example: vjp explain "expm1(x)" x=0,1e-10,1 --seed ones
    """


@expm1.vjp
def _(g, y, x):
    return g * (y + 1)


@elementwise(np.exp2, symbolic=lambda s, x: 2**x, analytic=True)
def exp2(x):
    """2 to the power of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  2**x = exp(x log 2)
    Example: vjp explain "exp2(x)" x=0,1,2 --seed ones
    """


@exp2.vjp
def _(g, y, x):
    return g * (y * math.log(2))


@elementwise(np.log, symbolic="log", aliases=("ln",), domain=positive, analytic=True)
def log(x):
    """Natural logarithm of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none; at 0 the value is -inf and the slope +inf
    Source:  DLMF 4.2
    Example: vjp explain "log(c)" c=6,7,8 --seed ones
    """


@log.vjp
def _(g, y, x):
    return g / x


@elementwise(np.log2, symbolic=lambda s, x: s.log(x, 2), domain=positive, analytic=True)
def log2(x):
    """Logarithm to base 2 of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none; at 0 the value is -inf and the slope +inf
    Source:  log2(x) = log(x)/log(2)
    Example: vjp explain "log2(x)" x=1,2,8 --seed ones
    """


@log2.vjp
def _(g, y, x):
    return g / (x * math.log(2))


@elementwise(np.log10, symbolic=lambda s, x: s.log(x, 10), domain=positive, analytic=True)
def log10(x):
    """Logarithm to base 10 of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none; at 0 the value is -inf and the slope +inf
    Source:  log10(x) = log(x)/log(10)
    Example: vjp explain "log10(x)" x=1,10,1000 --seed ones
    """


@log10.vjp
def _(g, y, x):
    return g / (x * math.log(10))


@elementwise(np.log1p, symbolic=lambda s, x: s.log(1 + x), domain=above_minus_one, analytic=True)
def log1p(x):
    """Natural logarithm of 1 plus each entry, without loss of digits near 0.

    Shapes:  x [...] -> [...]
    Kinks:   none; at -1 the value is -inf and the slope +inf
    Source:  d log(1+x)/dx = 1/(1+x)
    Example: vjp explain "log1p(x)" x=0,1e-10,1 --seed ones
    """


@log1p.vjp
def _(g, y, x):
    return g / (1 + x)


@elementwise(np.sqrt, symbolic="sqrt", domain=positive, analytic=True)
def sqrt(x):
    """Square root of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none; at 0 the slope is +inf, so that a zero adjoint gives nan there
    Source:  d sqrt(x)/dx = 1/(2 sqrt(x)), written with the output
    Example: vjp explain "sqrt(x)" x=1,4 --seed ones
    """


@sqrt.vjp
def _(g, y, x):
    return g / (2 * y)


@elementwise(
    lambda x: 1 / np.sqrt(x), symbolic=lambda s, x: 1 / s.sqrt(x), domain=positive, analytic=True
)
def rsqrt(x):
    """One over the square root of each entry.

    Shapes:  x [...] -> [...]
    Kinks:   none; at 0 the value is +inf and the slope -inf
    Source:  d x**(-1/2)/dx = -x**(-3/2)/2, written with the output
    Example: vjp explain "rsqrt(x)" x=1,4 --seed ones
    """


@rsqrt.vjp
def _(g, y, x):
    return g * (-0.5 * (y * y * y))


@elementwise(
    np.cbrt,
    symbolic="cbrt",
    domain=positive,
    samples=(sample((2, 3)), sample(()), sample([-8.0, -0.5, 2.0]), sample((0,)), sample((1,))),
)
def cbrt(x):
    """Cube root of each entry, real also where the entry is negative.

    Shapes:  x [...] -> [...]
    Kinks:   none; at 0 the slope is +inf
    Source:  d x**(1/3)/dx = 1/(3 x**(2/3)), written with the output
    Example: vjp explain "cbrt(x)" x=-8,1,27 --seed ones
    """


@cbrt.vjp
def _(g, y, x):
    return g / (3 * (y * y))
