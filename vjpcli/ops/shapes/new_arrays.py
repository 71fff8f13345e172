"""New arrays beside another: x.new_zeros(2, 3), fill, and ranges that include their end."""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import make_constant
from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import Refusal, fail, operation, sample
from vjpcli.ops.keywords import SHAPE_KEYWORDS, plain_number
from vjpcli.ops.shapes import builders, shape

SHAPE_REFUSALS = (
    Refusal(sample((3,), shape=(2, -1)), "shape-form"),
    Refusal(sample((3,), shape=10**12), "too-large"),
)


@operation(
    collects="shape",
    keyword_aliases=SHAPE_KEYWORDS,
    samples=(sample((2,), shape=(2, 3)),),
    refuses=SHAPE_REFUSALS,
)
def new_zeros(x, *, shape):
    """An array of zeros: x.new_zeros(2, 3).

    Shapes:  -> shape, given as x.new_zeros(2, 3) or x.new_zeros((2, 3))
    Kinks:   none; it is constant, and no gradient reaches x
    Source:  a constant
    Example: vjp explain "x + x.new_zeros(3)" x=1,2,3 --seed ones
    """
    return builders.filled(shape, 0.0)


@operation(
    collects="shape",
    keyword_aliases=SHAPE_KEYWORDS,
    samples=(sample((2,), shape=(2, 3)),),
    refuses=SHAPE_REFUSALS,
)
def new_ones(x, *, shape):
    """An array of ones: x.new_ones(2, 3).

    Shapes:  -> shape, given as x.new_ones(2, 3) or x.new_ones((2, 3))
    Kinks:   none; it is constant, and no gradient reaches x
    Source:  a constant
    Example: vjp explain "x * x.new_ones(3)" x=1,2,3 --seed ones
    """
    return builders.filled(shape, 1.0)


@operation(
    argument_order=("x", "shape", "value"),
    keyword_aliases={**SHAPE_KEYWORDS, "fill_value": "value"},
    samples=(sample((2,), 1.5, shape=(2, 3)),),
    refuses=(
        Refusal(sample((3,), 1.0, shape=(2, -1)), "shape-form"),
        Refusal(sample((3,), (2,), shape=(2, 3)), "shape-mismatch"),
    ),
)
def new_full(x, value, *, shape):
    """An array of one number: x.new_full((2, 3), v).

    Shapes:  value [] -> shape
    Kinks:   none; no gradient reaches x
    Source:  the number receives the sum of the adjoints of its copies
    Example: vjp explain "x * x.new_full((3,), c)" x=1,2,3 c=5 --seed ones
    """
    return builders.full(value, shape=shape)


@operation(keyword_aliases={"data": "values"}, samples=(sample((2,), (2, 3)),))
def new_tensor(x, values):
    """The numbers of a nested list as an array: x.new_tensor([1, 2]).

    Shapes:  values [...] -> [...]
    Kinks:   none; no gradient reaches x
    Source:  the values themselves
    Example: vjp explain "x * x.new_tensor([1, 2, 3])" x=1,2,3 --seed ones
    """
    return values


@operation(
    samples=(sample((2, 3), ()), sample((3,), 1.5)),
    refuses=(Refusal(sample((3,), (2,)), "shape-mismatch"),),
)
def fill(x, value):
    """An array of one number in the shape of x: torch.fill.

    Shapes:  x [...], value [] -> [...]
    Kinks:   none; no gradient reaches x
    Source:  the number receives the sum of the adjoints of its copies
    Example: vjp explain "x * torch.fill(x, c)" x=1,2 c=5 --seed ones
    """
    if value.ndim:
        raise fail("shape-mismatch", "fill takes one number")
    return shape.broadcast_to(value, shape=x.shape)


def _memory_is_random(name):
    return fail(
        "random-content",
        f"{name} holds whatever the memory held before",
        notes=("zeros or ones give the same array each time",),
    )


@operation(
    collects="shape",
    aliases=("new_empty_strided",),
    refuses=(Refusal(sample((2,), shape=(2,)), "random-content"),),
)
def new_empty(x, *, shape):
    """Refused: an array whose numbers nobody chose.

    Shapes:  -> shape
    Kinks:   none
    Source:  its content is left to chance
    Example: vjp explain "x + x.new_zeros(3)" x=1,2,3 --seed ones
    """
    raise _memory_is_random("new_empty")


@operation(
    aliases=("empty_permuted",),
    refuses=(Refusal(sample(shape=(2,), order=(1,)), "random-content"),),
)
def empty_strided(*, shape, order):
    """Refused: an array whose numbers nobody chose.

    Shapes:  -> shape
    Kinks:   none
    Source:  its content is left to chance
    Example: vjp explain "x + zeros(3)" x=1,2,3 --seed ones
    """
    raise _memory_is_random("empty_strided")


@operation(
    library_names={"torch": ("range",)},
    keyword_aliases={"end": "stop"},
    refuses=(
        Refusal(sample(start=0), "missing-argument"),
        Refusal(sample(start=0, stop=1, step=0), "step-zero"),
        Refusal(sample(start=0, stop=-1), "empty-range"),
        Refusal(sample(start=0, stop=math.inf), "too-large"),
        Refusal(sample(start=0, stop="a"), "keyword-value"),
    ),
)
def inclusive_range(*, start=0, stop=None, step=1):
    """Evenly spaced numbers from start to stop, which is included: torch.range.

    Shapes:  -> [floor((stop - start)/step) + 1]
    Kinks:   none; it is constant
    Source:  a constant; arange leaves stop out
    Example: vjp explain "x ** torch.range(0, 3)" x=2 --seed ones
    """
    if stop is None:
        raise fail(
            "missing-argument",
            "torch.range needs start and end",
            notes=("arange(n) counts from 0 up to, without, n",),
        )
    first, last, by = (
        plain_number(name, one) for name, one in (("start", start), ("end", stop), ("step", step))
    )
    if by == 0:
        raise fail("step-zero", "the step of range cannot be 0")
    if not math.isfinite(by):
        raise fail("keyword-value", f"`step` is a finite number, not {by:g}")
    steps = (last - first) / by
    if not math.isfinite(steps):
        raise fail("too-large", f"range from {first:g} to {last:g} has no end")
    if steps < 0:
        raise fail("empty-range", f"a step of {by:g} does not lead from {first:g} to {last:g}")
    refuse_oversized((math.floor(steps) + 1,))
    return make_constant(first + by * np.arange(math.floor(steps) + 1))
