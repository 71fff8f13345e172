"""Combined arithmetic: several steps under one name, as PyTorch offers them."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.facts import nonzero, real
from vjpcli.ops.declaration import (
    Refusal,
    broadcast_shapes,
    elementwise,
    operation,
    outcome,
    sample,
)
from vjpcli.ops.keywords import plain_number
from vjpcli.ops.numbers import elementary


def _lerp(start, end, weight):
    """From the nearer end, as PyTorch: exact at both, and the same at infinities."""
    step = end - start
    return np.where(np.abs(np.real(weight)) < 0.5, start + weight * step, end - step * (1 - weight))


@elementwise(
    _lerp,
    symbolic=lambda s, start, end, weight: start + weight * (end - start),
    analytic=True,
)
def lerp(start, end, weight):
    """The point between start (weight 0) and end (weight 1), entry by entry.

    Shapes:  start [...], end [...], weight [...] -> [...] (broadcast)
    Kinks:   none
    Source:  start + weight*(end - start) is linear in each operand
    Example: vjp explain "lerp(a, b, 0.25)" a=1,2 b=3,4 --seed ones
    """


@lerp.vjp
def _(g, y, start, end, weight):
    return g * (1 - weight), g * weight, g * (end - start)


THREE_OPERANDS = (
    sample((2, 3), (2, 3), (2, 3)),
    sample((), (), ()),
    sample((0,), (0,), (1,)),
    sample((2, 3), (3,), (2, 1)),
    sample((3,), (2, 1), (3,), value=-2.0),
)
VALUE_REFUSALS = (
    Refusal(sample((2,), (2,), (2,), value="2"), "keyword-value"),
    Refusal(sample((2,), (2,), (2,), value=(1, 2)), "keyword-value"),
    Refusal(sample((2,), (3,), (2,)), "shape-mismatch"),
)


@operation(
    lambda x, factor, other_factor, *, value: x + value * factor * other_factor,
    pattern="elementwise",
    symbolic=lambda s, x, factor, other_factor, *, value: x + value * factor * other_factor,
    keyword_aliases={"tensor1": "factor", "tensor2": "other_factor"},
    analytic=True,
    samples=THREE_OPERANDS,
    refuses=VALUE_REFUSALS,
)
def addcmul(x, factor, other_factor, *, value=1):
    """x + value * factor * other_factor, entry by entry.

    Shapes:  x [...], factor [...], other_factor [...] -> [...] (broadcast)
    Kinks:   none
    Source:  product rule
    Example: vjp explain "addcmul(x, a, b, value=0.5)" x=1,2 a=3,4 b=5,6 --seed ones
    """
    shape = broadcast_shapes("addcmul", x, factor, other_factor)
    return outcome(shape, value=plain_number("value", value))


@addcmul.vjp
def _(g, y, x, factor, other_factor, *, value):
    return g, g * (value * other_factor), g * (value * factor)


@operation(
    lambda x, numerator, denominator, *, value: x + value * (numerator / denominator),
    pattern="elementwise",
    symbolic=lambda s, x, numerator, denominator, *, value: x + value * numerator / denominator,
    keyword_aliases={"tensor1": "numerator", "tensor2": "denominator"},
    domain=(real, real, nonzero),
    analytic=True,
    samples=THREE_OPERANDS,
    refuses=VALUE_REFUSALS,
)
def addcdiv(x, numerator, denominator, *, value=1):
    """x + value * numerator / denominator, entry by entry.

    Shapes:  x [...], numerator [...], denominator [...] -> [...] (broadcast)
    Kinks:   none; a pole where the denominator is 0
    Source:  quotient rule
    Example: vjp explain "addcdiv(x, a, b, value=0.5)" x=1,2 a=3,4 b=5,8 --seed ones
    """
    shape = broadcast_shapes("addcdiv", x, numerator, denominator)
    return outcome(shape, value=plain_number("value", value))


@addcdiv.vjp
def _(g, y, x, numerator, denominator, *, value):
    to_numerator = g * (value / denominator)
    return g, to_numerator, -to_numerator * (numerator / denominator)


@operation(pattern="elementwise", samples=(sample((2, 3), (3,)), sample((), ())))
def ldexp(x, exponent):
    """x * 2**exponent, entry by entry.

    Shapes:  x [...], exponent [...] -> [...] (broadcast)
    Kinks:   none
    Source:  product of x and exp2(exponent)
    Example: vjp explain "ldexp(x, n)" x=1,3 n=2,4 --seed ones
    """
    return x * elementary.exp2(exponent)


SCALED_SAMPLES = (
    sample((2, 3), (3,)),
    sample((), ()),
    sample((3,), (2, 1), alpha=-2.0),
    sample((0,), (1,), alpha=3),
)


@operation(
    pattern="elementwise",
    library_names={"torch": ("add",)},
    samples=SCALED_SAMPLES,
    refuses=(Refusal(sample((2,), (2,), alpha="2"), "keyword-value"),),
)
def add_scaled(a, b, *, alpha=1):
    """a + alpha * b, entry by entry: torch.add, whose alpha is 1 unless given.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   none
    Source:  linearity
    Example: vjp explain "torch.add(a, b, alpha=2)" a=1,2 b=3,4 --seed 1,10
    """
    return a + _scaled(b, alpha)


@operation(
    pattern="elementwise",
    library_names={"torch": ("subtract", "sub")},
    samples=SCALED_SAMPLES,
    refuses=(Refusal(sample((2,), (2,), alpha="2"), "keyword-value"),),
)
def subtract_scaled(a, b, *, alpha=1):
    """a - alpha * b, entry by entry: torch.sub, whose alpha is 1 unless given.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   none
    Source:  linearity
    Example: vjp explain "torch.sub(a, b, alpha=2)" a=1,2 b=3,4 --seed 1,10
    """
    return a - _scaled(b, alpha)


@operation(pattern="elementwise", samples=SCALED_SAMPLES)
def rsub(a, b, *, alpha=1):
    """b - alpha * a, entry by entry: subtraction from the right.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   none
    Source:  linearity
    Example: vjp explain "torch.rsub(a, b)" a=1,2 b=3,4 --seed 1,10
    """
    return b - _scaled(a, alpha)


def _scaled(x, alpha):
    alpha = plain_number("alpha", alpha)
    return x if alpha == 1 else alpha * x
