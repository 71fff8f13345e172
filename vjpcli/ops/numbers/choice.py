"""Steps, bounds and replacements: which operand, or which constant, an entry is taken from."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.facts import nonzero, real
from vjpcli.ops.declaration import (
    Kink,
    Refusal,
    elementwise,
    operation,
    outcome,
    sample,
)
from vjpcli.ops.keywords import plain_number
from vjpcli.ops.numbers import arithmetic, comparison, rounding


def _at_tie(y, a, b):
    return a == b


FIRST_AT_TIE = {"jax": 0, "autograd": 0.5}
"""Engines that do not give the whole adjoint to the first operand at a tie of fmax or fmin."""


@elementwise(
    np.fmax,
    symbolic="Max",
    kinks=(Kink("a == b", _at_tie, slopes=(0, 1), used=1, point=(2.0, 2.0), others=FIRST_AT_TIE),),
)
def fmax(a, b):
    """The larger of two entries; a nan loses against a number.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   at a tie a gets 1 and b gets 0 (PyTorch); JAX the other way round, autograd 0.5 each
    Source:  the entry that was taken receives the adjoint
    Example: vjp explain "fmax(x, y)" x=2,nan y=1,5 --seed ones
    """


@fmax.vjp
def _(g, y, a, b):
    return _to_one_of(g, (a >= b) | comparison.isnan(b))


@fmax.vjp_like("jax")
def _(g, y, a, b):
    return _to_one_of(g, (a > b) | comparison.isnan(b))


@elementwise(
    np.fmin,
    symbolic="Min",
    kinks=(Kink("a == b", _at_tie, slopes=(0, 1), used=1, point=(2.0, 2.0), others=FIRST_AT_TIE),),
)
def fmin(a, b):
    """The smaller of two entries; a nan loses against a number.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   at a tie a gets 1 and b gets 0 (PyTorch); JAX the other way round, autograd 0.5 each
    Source:  the entry that was taken receives the adjoint
    Example: vjp explain "fmin(x, y)" x=2,nan y=1,5 --seed ones
    """


@fmin.vjp
def _(g, y, a, b):
    return _to_one_of(g, (a <= b) | comparison.isnan(b))


@fmin.vjp_like("jax")
def _(g, y, a, b):
    return _to_one_of(g, (a < b) | comparison.isnan(b))


def _to_one_of(g, first):
    return comparison.where(first, g, 0), comparison.where(first, 0, g)


@fmax.vjp_like("autograd")
@fmin.vjp_like("autograd")
def _(g, y, a, b):
    def share(mine, other):
        taken = comparison.where(comparison.equal(mine, y), 1.0, 0.0)
        return taken / comparison.where(comparison.equal(other, y), 2.0, 1.0)

    return g * share(a, b), g * share(b, a)


@operation(pattern="elementwise", samples=(sample((2, 3), 0.5), sample((3,), (2, 1))))
def clamp_min(x, min):
    """Entries held at or above a bound.

    Shapes:  x [...], min [...] -> [...] (broadcast)
    Kinks:   as `clip`: at the bound the slope is 1
    Source:  `clip` with one bound
    Example: vjp explain "clamp_min(x, 0)" x=-1,0.5 --seed ones
    """
    return comparison.clip(x, min, None)


@operation(pattern="elementwise", samples=(sample((2, 3), 0.5), sample((3,), (2, 1))))
def clamp_max(x, max):
    """Entries held at or below a bound.

    Shapes:  x [...], max [...] -> [...] (broadcast)
    Kinks:   as `clip`: at the bound the slope is 1
    Source:  `clip` with one bound
    Example: vjp explain "clamp_max(x, 0)" x=-1,0.5 --seed ones
    """
    return comparison.clip(x, None, max)


@elementwise(
    np.heaviside,
    symbolic=lambda s, x, at_zero: s.Heaviside(x, at_zero),
    domain=(nonzero, real),
    flat=True,
    keyword_aliases={"values": "at_zero", "x2": "at_zero"},
    samples=(sample([-1.5, 2.0], (2,)), sample(0.0, (2,)), sample((0,), (1,))),
    kinks=(
        Kink(
            "x == 0",
            lambda y, x, at_zero: x == 0,
            slopes=(np.inf, np.inf),
            used=0,
            point=(0.0, 0.5),
        ),
    ),
)
def heaviside(x, at_zero):
    """0 below 0, 1 above, and at_zero where the entry is 0.

    Shapes:  x [...], at_zero [...] -> [...] (broadcast)
    Kinks:   jumps at 0; the slope used there is 0
    Source:  constant on each side of 0; at 0 the adjoint goes to at_zero
    Example: vjp explain "heaviside(x, 0.5)" x=-1,0,2 --seed ones
    """


@heaviside.vjp
def _(g, y, x, at_zero):
    return rounding.no_slope(g), comparison.where(comparison.equal(x, 0), g, 0)


@elementwise(
    np.copysign,
    symbolic=lambda s, a, b: s.Abs(a) * s.sign(b),
    domain=(nonzero, nonzero),
    kinks=(
        Kink(
            "a == 0",
            lambda y, a, b: a == 0,
            slopes=(-1, 1),
            used=0,
            point=(0.0, 1.0),
            others={"jax": 1},
        ),
    ),
)
def copysign(a, b):
    """The size of a with the sign of b, entry by entry; -0.0 counts as negative.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   at a = 0 the slope for a is 0 (PyTorch), JAX uses 1 where the signs agree and -1
             where they differ; for b it is 0 everywhere
    Source:  |a| times the sign of b
    Example: vjp explain "copysign(a, b)" a=1,-2 b=-3,4 --seed ones
    """


@copysign.vjp
def _(g, y, a, b):
    return g * (arithmetic.sign(a) * copysign(1, b)), rounding.no_slope(g)


@copysign.vjp_like("jax")
def _(g, y, a, b):
    return g * (copysign(1, a) * copysign(1, b)), rounding.no_slope(g)


def _replace(x, *, nan, posinf, neginf):
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


@operation(
    _replace,
    pattern="elementwise",
    symbolic=lambda s, x, **replacements: x,
    samples=(
        sample((2, 3)),
        sample(()),
        sample((0,)),
        sample((2,), nan=1.0, posinf=2.0, neginf=-2.0),
    ),
    refuses=(
        Refusal(sample((2,), nan="0"), "keyword-value"),
        Refusal(sample((2,), posinf=True), "keyword-value"),
    ),
)
def nan_to_num(x, *, nan=0.0, posinf=None, neginf=None):
    """Each entry, with numbers in the place of nan and the infinities.

    Shapes:  x [...] -> [...]; posinf and neginf are the largest finite numbers unless given
    Kinks:   where an entry is replaced its slope is 0. That does not undo a nan which arises
             earlier in the program: its own slope times 0 is nan again
    Source:  the adjoint goes to the entries that were kept
    Example: vjp explain "nan_to_num(x)" x=1,nan,inf --seed ones
    """
    nan = 0.0 if nan is None else plain_number("nan", nan)
    if posinf is not None:
        posinf = plain_number("posinf", posinf)
    if neginf is not None:
        neginf = plain_number("neginf", neginf)
    return outcome(x.shape, nan=nan, posinf=posinf, neginf=neginf)


@nan_to_num.vjp
def _(g, y, x, *, nan, posinf, neginf):
    return comparison.where(comparison.isfinite(x), g, 0)


@operation(
    lambda x: x,
    pattern="elementwise",
    symbolic=lambda s, x: x,
    aliases=("detach",),
    flat=True,
)
def stop_gradient(x):
    """The entries themselves, cut off from the backward pass: no adjoint passes.

    Shapes:  x [...] -> [...]
    Kinks:   none; the derivative would be 1, and is left out on purpose
    Source:  a definition: the value counts as a constant
    Example: vjp explain "x * stop_gradient(x)" x=2,3 --seed ones
    """
    return outcome(x.shape)


@stop_gradient.vjp
def _(g, y, x):
    return None
