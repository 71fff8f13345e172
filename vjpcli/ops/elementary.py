"""Elementary functions of one number: exponentials, logarithms, roots, angles, rounding.

Each is one declaration: what it computes, then its rule. A rule uses the output `y` where the
derivative is shortest in terms of it (`exp` is its own derivative).
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import positive
from vjpcli.ops.declaration import elementwise, sample


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


@elementwise(np.log, symbolic="log", domain=positive, analytic=True)
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


@elementwise(np.sin, symbolic="sin", analytic=True)
def sin(x):
    """Sine of each entry, in radians.

    Shapes:  x [...] -> [...]
    Units:   x in radians
    Kinks:   none
    Source:  DLMF 4.20
    Example: vjp explain "sin(x)" x=0,1 --seed ones
    """


@sin.vjp
def _(g, y, x):
    return g * cos(x)


@elementwise(np.cos, symbolic="cos", analytic=True)
def cos(x):
    """Cosine of each entry, in radians.

    Shapes:  x [...] -> [...]
    Units:   x in radians
    Kinks:   none
    Source:  DLMF 4.20
    Example: vjp explain "cos(x)" x=0,1 --seed ones
    """


@cos.vjp
def _(g, y, x):
    return -g * sin(x)


@elementwise(
    np.floor,
    symbolic="floor",
    flat=True,
    samples=(sample([0.3, -1.7, 2.5]), sample([[1.2]]), sample(0.4)),
)
def floor(x):
    """Each entry rounded down to a whole number. Flat: its slope is 0.

    Shapes:  x [...] -> [...]
    Kinks:   jumps at whole numbers; the slope used there is 0
    Source:  constant between jumps
    Example: vjp explain "x - floor(x)" x=1.25,2.5 --seed ones
    """


@floor.vjp
def _(g, y, x):
    return g * 0
