"""Arithmetic: sums, products, quotients, powers, signs and distances."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.facts import nonzero, positive
from vjpcli.ops.declaration import (
    Kink,
    Refusal,
    broadcast_shapes,
    constant_number,
    elementwise,
    operation,
    outcome,
    sample,
)
from vjpcli.ops.keywords import one_of
from vjpcli.ops.numbers import comparison, division, elementary, rounding


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


@operation(
    np.divide,
    pattern="elementwise",
    symbolic=lambda s, a, b: a / b,
    infix="/",
    aliases=("div", "true_divide"),
    domain=(nonzero, nonzero),
    analytic=True,
    samples=(
        sample((2, 3), (2, 3)),
        sample((), ()),
        sample((0,), (1,)),
        sample((2, 3), (3,)),
        sample((3,), (2, 1)),
    ),
    refuses=(
        Refusal(sample((2,), (2,), rounding_mode="up"), "keyword-value"),
        Refusal(sample((2,), (3,)), "shape-mismatch"),
    ),
)
def divide(a, b, *, rounding_mode=None):
    """Quotient of two arrays, entry by entry; PyTorch's rounding_mode makes it whole.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   none; a pole where b is 0. With rounding_mode "floor" or "trunc" it is flat
    Source:  quotient rule, written with the output: d(a/b)/db = -(a/b)/b
    Example: vjp explain "a / b" a=1,2 b=4,5 --seed 1,10
    """
    if rounding_mode is None:
        return outcome(broadcast_shapes("divide", a, b))
    if one_of("rounding_mode", rounding_mode, ("floor", "trunc")) == "floor":
        return division.floor_divide(a, b)
    return rounding.trunc(divide(a, b))


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


@elementwise(
    np.positive,
    symbolic=lambda s, x: x,
    infix="+",
    name="positive",
    analytic=True,
    aliases=("real_if_close", "resolve_conj"),
)
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
    kinks=(
        Kink(
            "a == 0 and b == 0",
            lambda y, a, b: (a == 0) & (b == 0),
            slopes=(0, 0),
            used=0,
            point=(0.0, 0.0),
            others={"jax": np.nan},
        ),
        Kink(
            "a == 0 and b == 0",
            lambda y, a, b: (a == 0) & (b == 0),
            slopes=(-np.inf, -np.inf),
            used=0,
            point=(0.0, 0.0),
            operand=1,
            tells="0**b falls from ∞ to 1 to 0 there",
        ),
    ),
)
def power(a, b):
    """`a` raised to the power `b`, entry by entry.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   at a = b = 0 the slope for a is 0, as it is for x**0 everywhere (JAX: nan), and the
             slope for b is 0, as it is at a = 0 wherever b > 0; 0**b jumps there, from ∞ by 1 to
             0, so that the slope on either side is -∞
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


@power.vjp_like("jax")
def _(g, y, a, b):
    exponent = constant_number(b)
    if exponent is not None and exponent.is_integer():  # JAX takes a whole exponent as static
        return power.rules["torch"](g, y, a, b)
    return g * (b * a ** (b - 1)), g * (y * _log_of_nonzero(a))


@power.vjp_like("autograd")
def _(g, y, a, b):
    slope = b * a ** comparison.where(comparison.equal(b, 0), 1, b - 1)
    return g * slope, g * (y * _log_of_nonzero(a))


def _log_of_nonzero(a):
    return elementary.log(comparison.where(comparison.equal(a, 0), 1, a))


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
    library_names={"numpy": ("sympy.Abs",)},
    domain=nonzero,
    samples=(sample((2, 3)), sample(()), sample([-1.5, 2.0]), sample((0,))),
    kinks=(
        Kink(
            "x == 0", lambda y, x: x == 0, slopes=(-1, 1), used=0, point=(0.0,), others={"jax": 1}
        ),
    ),
)
def abs(x):
    """The size of the number without its sign; of a complex one, its distance from 0.

    Shapes:  x [...] -> [...]
    Kinks:   at 0 any slope in [-1, 1] is right; 0 is used (PyTorch, autograd), JAX uses 1. At nan
             it is 0 too (JAX: -1, autograd: nan)
    Source:  d|x|/dx = sign(x)
    Example: vjp explain "abs(x)" x=-2,0,3 --seed ones
    """


@abs.vjp
def _(g, y, x):
    return g * comparison.where(comparison.isnan(x), 0, sign(x))


@abs.vjp_like("autograd")
def _(g, y, x):
    return g * (x / comparison.where(comparison.equal(x, 0), 1.0, y))


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
    return rounding.no_slope(g)


@elementwise(
    np.hypot,
    symbolic=lambda s, a, b: s.sqrt(a**2 + b**2),
    domain=(nonzero, nonzero),
    kinks=(
        Kink(
            "a == 0 and b == 0",
            lambda y, a, b: y == 0,
            slopes=(-1, 1),
            used=np.nan,
            point=(0.0, 0.0),
            others={"jax": 0.5},
        ),
    ),
)
def hypot(a, b):
    """sqrt(a**2 + b**2), entry by entry, without overflow on the way.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   at the origin any slope in [-1, 1] is right; nan is used (PyTorch), JAX uses 0.5
    Source:  d/da = a/hypot(a, b), written with the output
    Example: vjp explain "hypot(a, b)" a=3,5 b=4,12 --seed ones
    """


@hypot.vjp
def _(g, y, a, b):
    return g * (a / y), g * (b / y)


@hypot.vjp_like("jax")
def _(g, y, a, b):
    at_origin = comparison.equal(y, 0)
    return (
        g * comparison.where(at_origin, 0.5, a / y),
        g * comparison.where(at_origin, 0.5, b / y),
    )
