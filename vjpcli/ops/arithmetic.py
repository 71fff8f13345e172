"""Arithmetic: sums, products, quotients, powers, and what is left of a division."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import nonzero, positive
from vjpcli.ops import comparison, elementary
from vjpcli.ops.declaration import Kink, constant_number, elementwise, sample


@elementwise(np.add, symbolic=lambda s, a, b: a + b, infix="+", analytic=True)
def add(a, b):
    """Sum of two arrays, entry by entry.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   none
    Source:  linearity
    Example: vjp explain "a + b" a=1,2 b=3,4 --seed 1,10
    """


@add.vjp
def _(g, y, a, b):
    return g, g


@elementwise(
    np.subtract, symbolic=lambda s, a, b: a - b, infix="-", aliases=("sub",), analytic=True
)
def subtract(a, b):
    """Difference of two arrays, entry by entry.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   none
    Source:  linearity
    Example: vjp explain "a - b" a=1,2 b=3,4 --seed 1,10
    """


@subtract.vjp
def _(g, y, a, b):
    return g, -g


@elementwise(
    np.multiply, symbolic=lambda s, a, b: a * b, infix="*", aliases=("mul",), analytic=True
)
def multiply(a, b):
    """Product of two arrays, entry by entry.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   none
    Source:  product rule
    Example: vjp explain "a * b" a=1,2 b=3,4 --seed 1,10
    """


@multiply.vjp
def _(g, y, a, b):
    return g * b, g * a


@elementwise(
    np.divide,
    symbolic=lambda s, a, b: a / b,
    infix="/",
    aliases=("div", "true_divide"),
    domain=(nonzero, nonzero),
    analytic=True,
)
def divide(a, b):
    """Quotient of two arrays, entry by entry.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   none; a pole where b is 0
    Source:  quotient rule, written with the output: d(a/b)/db = -(a/b)/b
    Example: vjp explain "a / b" a=1,2 b=4,5 --seed 1,10
    """


@divide.vjp
def _(g, y, a, b):
    return g / b, -(g / b) * y


@elementwise(np.negative, symbolic=lambda s, x: -x, infix="-", aliases=("neg",), analytic=True)
def negative(x):
    """The number with its sign changed.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  linearity
    Example: vjp explain "-x" x=1,2 --seed 1,10
    """


@negative.vjp
def _(g, y, x):
    return -g


@elementwise(np.positive, symbolic=lambda s, x: x, infix="+", name="positive", analytic=True)
def positive_sign(x):
    """The number itself, `+x`.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  linearity
    Example: vjp explain "+x" x=1,2 --seed 1,10
    """


@positive_sign.vjp
def _(g, y, x):
    return g


@elementwise(
    np.power,
    symbolic=lambda s, a, b: a**b,
    infix="**",
    aliases=("pow", "float_power"),
    domain=(positive, nonzero),
    analytic=True,
    samples=(
        sample((2, 3), (2, 3)),
        sample((), ()),
        sample((3,), 2.0),
        sample([-1.5, -0.5, 2.0], 3.0),
        sample((2, 3), (3,)),
        sample((0,), 2.0),
    ),
)
def power(a, b):
    """`a` raised to the power `b`, entry by entry.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   none; the slope of x**0 is 0 everywhere; at a = 0 the slope for b is 0 where b >= 0
    Source:  d/da = b*a**(b-1), d/db = a**b*log(a); limits at a = 0 as PyTorch takes them
    Example: vjp explain "a ** b" a=2,3 b=3,2 --seed 1,10
    """


@power.vjp
def _(g, y, a, b):
    exponent = constant_number(b)
    if exponent == 1:
        slope_a = g
    elif exponent is not None and exponent != 0:
        slope_a = g * (b * a ** (exponent - 1))
    else:
        slope_a = comparison.where(comparison.equal(b, 0), 0, g * (b * a ** (b - 1)))
    log_limit = comparison.where((comparison.equal(a, 0)) & (b >= 0), 0, y * elementary.log(a))
    return slope_a, g * log_limit


@elementwise(np.square, symbolic=lambda s, x: x**2, analytic=True)
def square(x):
    """The number times itself.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  product rule
    Example: vjp explain "square(x)" x=1,2 --seed 1,10
    """


@square.vjp
def _(g, y, x):
    return g * (2 * x)


@elementwise(np.reciprocal, symbolic=lambda s, x: 1 / x, domain=nonzero, analytic=True)
def reciprocal(x):
    """One over the number.

    Shapes:  x [...] -> [...]
    Kinks:   none; a pole at 0
    Source:  d(1/x)/dx = -(1/x)**2, written with the output
    Example: vjp explain "reciprocal(x)" x=2,4 --seed 1,10
    """


@reciprocal.vjp
def _(g, y, x):
    return -g * (y * y)


@elementwise(
    np.abs,
    symbolic="Abs",
    aliases=("absolute", "fabs"),
    domain=nonzero,
    samples=(sample((2, 3)), sample(()), sample([-1.5, 2.0]), sample((0,))),
    kinks=(
        Kink(
            "x == 0", lambda y, x: x == 0, slopes=(-1, 1), used=0, point=(0.0,), others={"jax": 1}
        ),
    ),
)
def abs(x):
    """The size of the number without its sign.

    Shapes:  x [...] -> [...]
    Kinks:   at 0 any slope in [-1, 1] is right; 0 is used (PyTorch, autograd), JAX uses 1
    Source:  d|x|/dx = sign(x)
    Example: vjp explain "abs(x)" x=-2,0,3 --seed ones
    """


@abs.vjp
def _(g, y, x):
    return g * sign(x)


@abs.vjp_like("jax")
def _(g, y, x):
    return g * comparison.where(x >= 0, 1.0, -1.0)


@elementwise(
    np.sign,
    symbolic="sign",
    aliases=("sgn",),
    domain=nonzero,
    flat=True,
    kinks=(Kink("x == 0", lambda y, x: x == 0, slopes=(np.inf, np.inf), used=0, point=(0.0,)),),
)
def sign(x):
    """-1, 0 or 1: the sign of the number. Flat: its slope is 0.

    Shapes:  x [...] -> [...]
    Kinks:   jumps at 0; the slope used there is 0
    Source:  constant on each side of 0
    Example: vjp explain "x * sign(x)" x=-2,3 --seed ones
    """


@sign.vjp
def _(g, y, x):
    return g * 0


def _whole_quotient(a, b):
    return elementary.floor(a / b)


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
)
def remainder(a, b):
    """What is left of a after whole multiples of b; it has the sign of b (Python's %).

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   jumps where a/b is whole; the slopes used there are those to the right, 1 and -floor(a/b)
    Source:  a % b = a - b*floor(a/b), and floor is flat
    Example: vjp explain "a % b" a=5.5,7.25 b=2 --seed ones
    """


@remainder.vjp
def _(g, y, a, b):
    return g, -g * _whole_quotient(a, b)


@elementwise(
    np.floor_divide,
    symbolic=lambda s, a, b: s.floor(a / b),
    infix="//",
    domain=(nonzero, nonzero),
    flat=True,
    samples=(sample([5.3, -5.3, 2.2], [2.0, 2.0, -0.9]), sample([[7.5], [1.1]], [2.0, 0.7])),
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
    return g * 0, g * 0
