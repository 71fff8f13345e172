"""Secants, cotangents and their hyperbolic and inverse forms: what textbooks write.

Each is the reciprocal of another function; the rules are written with the outputs, which stay
finite where the reciprocal's own function overflows.
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.facts import above_one, nonzero, probability, unit
from vjpcli.ops.declaration import elementwise, operation, sample
from vjpcli.ops.numbers import hyperbolic, trigonometry


@elementwise(lambda x: 1 / np.cos(x), symbolic="sec", domain=unit, analytic=True)
def sec(x):
    """Secant of each entry, 1/cos(x).

    Shapes:  x [...] -> [...]
    Units:   x in radians
    Kinks:   none; poles at odd multiples of pi/2
    Source:  DLMF 4.20: sec(x)*tan(x)
    Example: vjp explain "sec(x)" x=0,1 --seed ones
    """


@sec.vjp
def _(g, y, x):
    return g * y * trigonometry.tan(x)


@elementwise(
    lambda x: 1 / np.sin(x), symbolic="csc", aliases=("cosec",), domain=nonzero, analytic=True
)
def csc(x):
    """Cosecant of each entry, 1/sin(x).

    Shapes:  x [...] -> [...]
    Units:   x in radians
    Kinks:   none; poles at multiples of pi
    Source:  DLMF 4.20: -csc(x)*cot(x)
    Example: vjp explain "csc(x)" x=0.5,1 --seed ones
    """


@csc.vjp
def _(g, y, x):
    return -g * y * cot(x)


@elementwise(
    lambda x: np.cos(x) / np.sin(x), symbolic="cot", aliases=("ctg",), domain=nonzero, analytic=True
)
def cot(x):
    """Cotangent of each entry, cos(x)/sin(x).

    Shapes:  x [...] -> [...]
    Units:   x in radians
    Kinks:   none; poles at multiples of pi
    Source:  DLMF 4.20: -(1 + cot(x)**2), written with the output
    Example: vjp explain "cot(x)" x=0.5,1 --seed ones
    """


@cot.vjp
def _(g, y, x):
    return -g * (1 + y * y)


@elementwise(lambda x: 1 / np.cosh(x), symbolic="sech", analytic=True)
def sech(x):
    """Hyperbolic secant of each entry, 1/cosh(x).

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 4.34: -sech(x)*tanh(x)
    Example: vjp explain "sech(x)" x=0,1 --seed ones
    """


@sech.vjp
def _(g, y, x):
    return -g * y * hyperbolic.tanh(x)


@elementwise(lambda x: 1 / np.sinh(x), symbolic="csch", domain=nonzero, analytic=True)
def csch(x):
    """Hyperbolic cosecant of each entry, 1/sinh(x).

    Shapes:  x [...] -> [...]
    Kinks:   none; a pole at 0
    Source:  DLMF 4.34: -csch(x)*coth(x)
    Example: vjp explain "csch(x)" x=0.5,1 --seed ones
    """


@csch.vjp
def _(g, y, x):
    return -g * y * coth(x)


@elementwise(lambda x: 1 / np.tanh(x), symbolic="coth", domain=nonzero, analytic=True)
def coth(x):
    """Hyperbolic cotangent of each entry, 1/tanh(x).

    Shapes:  x [...] -> [...]
    Kinks:   none; a pole at 0
    Source:  DLMF 4.34: -csch(x)**2; 1 - coth(x)**2 would lose every digit from |x| = 19 on
    Example: vjp explain "coth(x)" x=0.5,1 --seed ones
    """


@coth.vjp
def _(g, y, x):
    return -g * csch(x) * csch(x)


def _vectors(domain):
    return {
        "domain": domain,
        "samples": (sample((3,)), sample((2, 3)), sample(()), sample((0,))),
        "analytic": True,
    }


@operation(aliases=("asec",), **_vectors(above_one))
def arcsec(x):
    """The angle whose secant the entry is, arccos(1/x).

    Shapes:  x [...] -> [...]
    Units:   the result in radians
    Kinks:   none where |x| > 1; at -1 and 1 the slope is +inf, between them nan
    Source:  DLMF 4.23.8; the slope is 1/(|x|*sqrt(x**2 - 1))
    Example: vjp explain "arcsec(x)" x=-2,2 --seed ones
    """
    return trigonometry.arccos(1 / x)


@operation(aliases=("acsc", "arccosec"), **_vectors(above_one))
def arccsc(x):
    """The angle whose cosecant the entry is, arcsin(1/x).

    Shapes:  x [...] -> [...]
    Units:   the result in radians
    Kinks:   none where |x| > 1; at -1 and 1 the slope is -inf, between them nan
    Source:  DLMF 4.23.7; the slope is -1/(|x|*sqrt(x**2 - 1))
    Example: vjp explain "arccsc(x)" x=-2,2 --seed ones
    """
    return trigonometry.arcsin(1 / x)


@operation(aliases=("acot", "arcctg"), **_vectors(nonzero))
def arccot(x):
    """The angle in (-pi/2, pi/2] whose cotangent the entry is, arctan(1/x).

    Shapes:  x [...] -> [...]
    Units:   the result in radians
    Kinks:   a jump at 0: this is the odd form (DLMF, SymPy); pi/2 - arctan(x) has none
    Source:  DLMF 4.23.9; the slope is -1/(1 + x**2)
    Example: vjp explain "arccot(x)" x=-2,2 --seed ones
    """
    return trigonometry.arctan(1 / x)


@operation(aliases=("asech",), **_vectors(probability))
def arcsech(x):
    """The number at or above 0 whose hyperbolic secant the entry is, arccosh(1/x).

    Shapes:  x [...] -> [...]
    Kinks:   none inside (0, 1); at 1 the slope is -inf, outside nan
    Source:  DLMF 4.37.8; the slope is -1/(x*sqrt(1 - x**2))
    Example: vjp explain "arcsech(x)" x=0.2,0.5 --seed ones
    """
    return hyperbolic.arccosh(1 / x)


@operation(aliases=("acsch",), **_vectors(nonzero))
def arccsch(x):
    """The number whose hyperbolic cosecant the entry is, arcsinh(1/x).

    Shapes:  x [...] -> [...]
    Kinks:   none; a pole at 0
    Source:  DLMF 4.37.7; the slope is -1/(|x|*sqrt(1 + x**2))
    Example: vjp explain "arccsch(x)" x=-2,2 --seed ones
    """
    return hyperbolic.arcsinh(1 / x)


@operation(aliases=("acoth",), **_vectors(above_one))
def arccoth(x):
    """The number whose hyperbolic cotangent the entry is, arctanh(1/x).

    Shapes:  x [...] -> [...]
    Kinks:   none where |x| > 1; infinite at -1 and 1
    Source:  DLMF 4.37.9; the slope is 1/(1 - x**2)
    Example: vjp explain "arccoth(x)" x=-2,2 --seed ones
    """
    return hyperbolic.arctanh(1 / x)
