"""Comparison and choice: conditions have no derivative, a choice passes its adjoint on."""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import (
    Kink,
    Refusal,
    broadcast_shapes,
    elementwise,
    fail,
    operation,
    outcome,
    sample,
)
from vjpcli.ops.keywords import plain_number, true_or_false


@elementwise(np.equal, infix="==", kind="condition", aliases=("eq",), symbolic="Eq")
def equal(a, b):
    """Whether entries are equal. A condition: it has no derivative.

    Shapes:  a [...], b [...] -> [...] of True and False (broadcast)
    Kinks:   jumps where a == b
    Source:  IEEE 754 comparison; nan equals nothing
    Example: vjp explain "where(t == 2, 10*x, x)" x=1,5 t=1,2 --wrt x --seed ones
    """


@elementwise(np.not_equal, infix="!=", kind="condition", aliases=("ne",), symbolic="Ne")
def not_equal(a, b):
    """Whether entries differ. A condition: it has no derivative.

    Shapes:  a [...], b [...] -> [...] of True and False (broadcast)
    Kinks:   jumps where a == b
    Source:  IEEE 754 comparison; nan differs from everything
    Example: vjp explain "where(t != 2, 10*x, x)" x=1,5 t=1,2 --wrt x --seed ones
    """


@elementwise(np.less, infix="<", kind="condition", aliases=("lt",), symbolic="Lt")
def less(a, b):
    """Whether a is less than b. A condition: it has no derivative.

    Shapes:  a [...], b [...] -> [...] of True and False (broadcast)
    Kinks:   jumps where a == b
    Source:  IEEE 754 comparison
    Example: vjp explain "where(x < 2, 10*x, x)" x=1,2 --seed ones
    """


@elementwise(np.less_equal, infix="<=", kind="condition", aliases=("le",), symbolic="Le")
def less_equal(a, b):
    """Whether a is at most b. A condition: it has no derivative.

    Shapes:  a [...], b [...] -> [...] of True and False (broadcast)
    Kinks:   jumps where a == b
    Source:  IEEE 754 comparison
    Example: vjp explain "where(x <= 2, 10*x, x)" x=1,3 --seed ones
    """


@elementwise(np.greater, infix=">", kind="condition", aliases=("gt",), symbolic="Gt")
def greater(a, b):
    """Whether a is greater than b. A condition: it has no derivative.

    Shapes:  a [...], b [...] -> [...] of True and False (broadcast)
    Kinks:   jumps where a == b
    Source:  IEEE 754 comparison
    Example: vjp explain "where(x > 2, 10*x, x)" x=1,3 --seed ones
    """


@elementwise(np.greater_equal, infix=">=", kind="condition", aliases=("ge",), symbolic="Ge")
def greater_equal(a, b):
    """Whether a is at least b. A condition: it has no derivative.

    Shapes:  a [...], b [...] -> [...] of True and False (broadcast)
    Kinks:   jumps where a == b
    Source:  IEEE 754 comparison
    Example: vjp explain "where(x >= 2, 10*x, x)" x=1,3 --seed ones
    """


@elementwise(np.logical_and, infix="&", kind="condition", symbolic="And")
def logical_and(a, b):
    """Whether both conditions hold; a number counts as true unless it is 0.

    Shapes:  a [...], b [...] -> [...] of True and False (broadcast)
    Kinks:   where its operands jump
    Source:  truth table
    Example: vjp explain "where((x > 0) & (x < 2), x**2, 0)" x=-1,1,3 --seed ones
    """


@elementwise(np.logical_or, infix="|", kind="condition", symbolic="Or")
def logical_or(a, b):
    """Whether at least one condition holds; a number counts as true unless it is 0.

    Shapes:  a [...], b [...] -> [...] of True and False (broadcast)
    Kinks:   where its operands jump
    Source:  truth table
    Example: vjp explain "where((x < 0) | (x > 2), x**2, 0)" x=-1,1,3 --seed ones
    """


@elementwise(np.logical_xor, kind="condition", symbolic="Xor")
def logical_xor(a, b):
    """Whether exactly one condition holds; a number counts as true unless it is 0.

    Shapes:  a [...], b [...] -> [...] of True and False (broadcast)
    Kinks:   where its operands jump
    Source:  truth table
    Example: vjp explain "where(logical_xor(x > 0, x > 2), x**2, 0)" x=-1,1,3 --seed ones
    """


@elementwise(np.logical_not, infix="~", kind="condition", symbolic="Not")
def logical_not(a):
    """Whether the condition does not hold; a number counts as true unless it is 0.

    Shapes:  a [...] -> [...] of True and False
    Kinks:   where its operand jumps
    Source:  truth table
    Example: vjp explain "where(~(x > 0), x**2, x)" x=-1,1 --seed ones
    """


@elementwise(np.isnan, kind="condition", symbolic=lambda s, x: s.Eq(x, s.nan))
def isnan(x):
    """Whether entries are nan. A condition: it has no derivative.

    Shapes:  x [...] -> [...] of True and False
    Kinks:   none
    Source:  IEEE 754
    Example: vjp explain "where(isnan(x), 0, x)" x=nan,1 --seed ones
    """


@elementwise(np.isfinite, kind="condition", symbolic=lambda s, x: s.true, aliases=("is_finite",))
def isfinite(x):
    """Whether entries are neither nan nor infinite. A condition: it has no derivative.

    Shapes:  x [...] -> [...] of True and False
    Kinks:   none
    Source:  IEEE 754
    Example: vjp explain "where(isfinite(x), x, 0)" x=inf,1 --seed ones
    """


@elementwise(np.isinf, kind="condition", symbolic=lambda s, x: s.false)
def isinf(x):
    """Whether entries are infinite. A condition: it has no derivative.

    Shapes:  x [...] -> [...] of True and False
    Kinks:   none
    Source:  IEEE 754
    Example: vjp explain "where(isinf(x), 0, x)" x=inf,1 --seed ones
    """


@elementwise(np.isposinf, kind="condition", symbolic=lambda s, x: s.false)
def isposinf(x):
    """Whether entries are +inf. A condition: it has no derivative.

    Shapes:  x [...] -> [...] of True and False
    Kinks:   none
    Source:  IEEE 754
    Example: vjp explain "where(isposinf(x), 0, x)" x=inf,1 --seed ones
    """


@elementwise(np.isneginf, kind="condition", symbolic=lambda s, x: s.false)
def isneginf(x):
    """Whether entries are -inf. A condition: it has no derivative.

    Shapes:  x [...] -> [...] of True and False
    Kinks:   none
    Source:  IEEE 754
    Example: vjp explain "where(isneginf(x), 0, x)" x=-inf,1 --seed ones
    """


@elementwise(np.signbit, kind="condition", symbolic=lambda s, x: s.Lt(x, 0))
def signbit(x):
    """Whether entries carry a minus sign, -0.0 among them. A condition: it has no derivative.

    Shapes:  x [...] -> [...] of True and False
    Kinks:   jumps at 0
    Source:  IEEE 754
    Example: vjp explain "where(signbit(x), -x, 2*x)" x=-1,1 --seed ones
    """


def _isclose(a, b, *, rtol, atol, equal_nan):
    return np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


@operation(
    _isclose,
    kind="condition",
    pattern="elementwise",
    symbolic=lambda s, a, b, *, rtol, atol, equal_nan: s.Le(s.Abs(a - b), atol + rtol * s.Abs(b)),
    samples=(sample((2, 3), (3,)), sample((2,), (2,), rtol=0.5, atol=0.0, equal_nan=True)),
    refuses=(
        Refusal(sample((2,), (2,), rtol="small"), "keyword-value"),
        Refusal(sample((2,), (2,), atol=-1.0), "keyword-value"),
    ),
)
def isclose(a, b, *, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether |a - b| <= atol + rtol*|b|. A condition: it has no derivative.

    Shapes:  a [...], b [...] -> [...] of True and False (broadcast)
    Kinks:   jumps where the two sides are equal
    Source:  NumPy and PyTorch alike
    Example: vjp explain "where(isclose(x, 1), x**2, x)" x=1.000000001,2 --seed ones
    """
    rtol, atol = plain_number("rtol", rtol), plain_number("atol", atol)
    if not (rtol >= 0 and atol >= 0):
        raise fail("keyword-value", "rtol and atol are not negative")
    equal_nan = true_or_false("equal_nan", equal_nan)
    shape = broadcast_shapes("isclose", a, b)
    return outcome(shape, rtol=rtol, atol=atol, equal_nan=equal_nan)


@elementwise(
    np.where,
    symbolic=lambda s, condition, a, b: s.Piecewise((a, condition), (b, True)),
    samples=(
        sample([[True, False, True], [False, False, True]], (2, 3), (2, 3)),
        sample([True, False, True], (2, 3), (3,)),
        sample(True, (), ()),
        sample([[True], [False]], (), (3,)),
        sample([1.0, 0.0], (2,), (2,)),
    ),
    analytic=True,
    library_names={"jax": ("lax.select",)},
)
def where(condition, a, b):
    """Entries of a where the condition holds, entries of b elsewhere.

    Shapes:  condition [...], a [...], b [...] -> [...] (broadcast)
    Kinks:   where the condition jumps. The branch that was not taken receives an adjoint of 0,
             which does not protect it: 0 times an infinite slope is nan
    Source:  the adjoint goes to the branch that was taken
    Example: vjp explain "where(x > 1, x**2, 2*x)" x=3,0.5 --seed ones
    """


@where.vjp
def _(g, y, condition, a, b):
    return None, where(condition, g, 0), where(condition, 0, g)


def _at_tie(y, a, b):
    return a == b


@elementwise(
    np.maximum,
    symbolic="Max",
    kinks=(Kink("a == b", _at_tie, slopes=(0, 1), used=0.5, point=(2.0, 2.0)),),
    library_names={"jax": ("lax.max",), "numpy": ("sympy.Max",)},
)
def maximum(a, b):
    """The larger of two entries.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   at a tie each operand gets 0.5 (PyTorch, JAX and autograd alike). Where one of them is
             nan both get 1 (PyTorch); JAX and autograd give 0
    Source:  the larger operand takes the adjoint
    Example: vjp explain "maximum(x, y)" x=2,1 y=2,5 --seed ones
    """


# As PyTorch does it: half at a tie, nothing to the loser; where a nan makes every comparison
# false, all of it to both.
@maximum.vjp
def _(g, y, a, b):
    tied = equal(a, b)
    return (
        where(tied, g * 0.5, where(less(a, b), 0, g)),
        where(tied, g * 0.5, where(greater(a, b), 0, g)),
    )


# The other two multiply by the share instead of choosing: an infinite adjoint makes nan of a 0.
@maximum.vjp_like("jax")
@maximum.vjp_like("autograd")
def _(g, y, a, b):
    tied = equal(a, b)
    return (
        g * where(tied, 0.5, where(greater(a, b), 1, 0)),
        g * where(tied, 0.5, where(less(a, b), 1, 0)),
    )


@elementwise(
    np.minimum,
    symbolic="Min",
    kinks=(Kink("a == b", _at_tie, slopes=(0, 1), used=0.5, point=(2.0, 2.0)),),
    library_names={"jax": ("lax.min",), "numpy": ("sympy.Min",)},
)
def minimum(a, b):
    """The smaller of two entries.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   at a tie each operand gets 0.5 (PyTorch, JAX and autograd alike). Where one of them is
             nan both get 1 (PyTorch); JAX and autograd give 0
    Source:  the smaller operand takes the adjoint
    Example: vjp explain "minimum(x, y)" x=2,1 y=2,5 --seed ones
    """


@minimum.vjp
def _(g, y, a, b):
    tied = equal(a, b)
    return (
        where(tied, g * 0.5, where(greater(a, b), 0, g)),
        where(tied, g * 0.5, where(less(a, b), 0, g)),
    )


@minimum.vjp_like("jax")
@minimum.vjp_like("autograd")
def _(g, y, a, b):
    tied = equal(a, b)
    return (
        g * where(tied, 0.5, where(less(a, b), 1, 0)),
        g * where(tied, 0.5, where(greater(a, b), 1, 0)),
    )


def _at_bound(y, x, low, high):
    return (x == low) | (x == high)


@operation(
    lambda x, low, high: np.minimum(np.maximum(x, low), high),
    pattern="elementwise",
    symbolic=lambda s, x, low, high: s.Min(s.Max(x, low), high),
    aliases=("clamp",),
    keyword_aliases={"a_min": "min", "a_max": "max"},
    samples=(
        sample((2, 3), -1.0, 1.5),
        sample([-3.0, 0.2, 4.0], -1.0, 1.5),
        sample((3,), None, 0.5),
        sample((3,), 0.1),
        sample((2, 3), [-1.0, -0.5, 0.0], [[2.0], [1.0]]),
    ),
    kinks=(
        Kink(
            "x at a bound",
            _at_bound,
            slopes=(0, 1),
            used=1,
            point=(0.0, 0.0, 1.0),
            others={"jax": 0.5, "autograd": 0},
        ),
    ),
)
def clip(x, min=None, max=None):
    """Entries held between two bounds; either bound may be left out.

    Shapes:  x [...], min [...], max [...] -> [...] (broadcast)
    Kinks:   at a bound the slope is 1 (PyTorch); JAX uses 0.5, autograd 0. At nan it is 0
             (autograd: 1)
    Source:  outside the bounds the adjoint goes to the bound
    Example: vjp explain "clip(x, 0, 1)" x=-1,0.5,1,3 --seed ones
    """
    low = -np.inf if min is None else min
    high = np.inf if max is None else max
    shape = broadcast_shapes("clip", x, *(bound for bound in (min, max) if bound is not None))
    return outcome(shape, operands=(x, low, high))


@clip.vjp
def _(g, y, x, low, high):
    return (
        where((x >= low) & (x <= high), g, 0),
        where(less(x, low) & less(low, high), g, 0),
        where(greater(x, high) | less(high, low), g, 0),
    )


# The other two multiply by the slope instead of choosing, so an infinite adjoint times a slope of 0
# is nan there: arccos(clip(x, -1, 1)) at x = 2.
@clip.vjp_like("jax")
def _(g, y, x, low, high):
    from_below = maximum(x, low)
    above = where(equal(x, low), 0.5, where(greater(x, low), 1, 0))
    below = where(equal(from_below, high), 0.5, where(less(from_below, high), 1, 0))
    return g * (above * below), g * ((1 - above) * below), g * (1 - below)


@clip.vjp_like("autograd")
def _(g, y, x, low, high):
    _, to_low, to_high = clip.rules["torch"](g, y, x, low, high)
    return g * where(less_equal(x, low) | greater_equal(x, high), 0, 1), to_low, to_high
