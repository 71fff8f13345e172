"""New arrays beside another: x.new_zeros(2, 3), fill."""

from __future__ import annotations

from vjpcli.ops.declaration import Refusal, fail, operation, sample
from vjpcli.ops.keywords import SHAPE_KEYWORDS
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
    raise builders.memory_is_random("new_empty")


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
    raise builders.memory_is_random("empty_strided")
