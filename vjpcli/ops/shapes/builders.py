"""Builders: arrays made of nothing but a shape and a few numbers.

What they build is a constant: no gradient reaches its numbers, unless an operand is named.
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import make_constant
from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    sample,
)
from vjpcli.ops.keywords import (
    SHAPE_KEYWORDS,
    array_shape,
    position_array,
    whole_number,
)
from vjpcli.ops.shapes import shape as shapes


def filled(shape, value):
    """A constant of one number; it takes the room of that number alone.

    Errors: shape-form, too-large, too-many-axes.
    """
    return make_constant(np.broadcast_to(np.float64(value), array_shape(shape)))


SHAPE_REFUSALS = (
    Refusal(sample(shape=(2, -1)), "shape-form"),
    Refusal(sample(shape=1.5), "shape-form"),
    Refusal(sample(shape="ab"), "shape-form"),
    Refusal(sample(shape=10**12), "too-large"),
    Refusal(sample(shape=(10**12, 10**12)), "too-large"),
    Refusal(sample(shape=(1,) * 40), "too-many-axes"),
)


@operation(collects="shape", keyword_aliases=SHAPE_KEYWORDS, refuses=SHAPE_REFUSALS)
def zeros(*, shape):
    """An array of zeros.

    Shapes:  -> shape, given as zeros(2, 3) or zeros((2, 3))
    Kinks:   none; it is constant
    Source:  a constant
    Example: vjp explain "x + zeros(2, 3)" x=1,2,3 --seed ones
    """
    return filled(shape, 0.0)


@operation(collects="shape", keyword_aliases=SHAPE_KEYWORDS, refuses=SHAPE_REFUSALS)
def ones(*, shape):
    """An array of ones.

    Shapes:  -> shape, given as ones(2, 3) or ones((2, 3))
    Kinks:   none; it is constant
    Source:  a constant
    Example: vjp explain "x * ones(2, 3)" x=1,2,3 --seed ones
    """
    return filled(shape, 1.0)


@operation(
    argument_order=("shape", "value"),
    keyword_aliases={**SHAPE_KEYWORDS, "fill_value": "value"},
    samples=(sample((), shape=(2, 3)), sample(1.5, shape=2), sample((3,), shape=(2, 3))),
    refuses=(
        Refusal(sample(1.0, shape=(2, -1)), "shape-form"),
        Refusal(sample(1.0, shape=10**12), "too-large"),
        Refusal(sample((2,), shape=(2, 3)), "shape-mismatch"),
    ),
)
def full(value, *, shape):
    """An array in which every entry is one number.

    Shapes:  value [] -> shape
    Kinks:   none
    Source:  the number receives the sum of the adjoints of its copies
    Example: vjp explain "x * full((3,), c)" x=1,2,3 c=5 --seed ones
    """
    return shapes.broadcast_to(value, shape=array_shape(shape))


def memory_is_random(name):
    """The error at an array whose numbers nobody chose."""
    return fail(
        "random-content",
        f"{name} holds whatever the memory held before",
        notes=("zeros or ones give the same array each time",),
    )


@operation(
    collects="shape",
    keyword_aliases=SHAPE_KEYWORDS,
    refuses=(Refusal(sample(shape=(2,)), "random-content"),),
)
def empty(*, shape):
    """Refused: an array whose numbers nobody chose.

    Shapes:  -> shape
    Kinks:   none
    Source:  its content is left to chance
    Example: vjp explain "x + zeros(3)" x=1,2,3 --seed ones
    """
    raise memory_is_random("empty")


@operation(refuses=(Refusal(sample((2,)), "random-content"),))
def empty_like(x):
    """Refused: an array whose numbers nobody chose.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  its content is left to chance
    Example: vjp explain "x + zeros_like(x)" x=1,2,3 --seed ones
    """
    raise memory_is_random("empty")


@operation(library_names={"jax": ("zeros_like_array",)})
def zeros_like(x):
    """An array of zeros in the shape of another.

    Shapes:  x [...] -> [...]
    Kinks:   none; it is constant, and no gradient reaches x
    Source:  a constant
    Example: vjp explain "maximum(x, zeros_like(x))" x=-1,2 --seed ones
    """
    return filled(x.shape, 0.0)


@operation()
def ones_like(x):
    """An array of ones in the shape of another.

    Shapes:  x [...] -> [...]
    Kinks:   none; it is constant, and no gradient reaches x
    Source:  a constant
    Example: vjp explain "ones_like(x) - x" x=1,2 --seed ones
    """
    return filled(x.shape, 1.0)


@operation(
    keyword_aliases={"fill_value": "value"},
    samples=(sample((2, 3), ()), sample((3,), 1.5)),
    refuses=(Refusal(sample((3,), (2,)), "shape-mismatch"),),
)
def full_like(x, value):
    """An array of one number in the shape of another.

    Shapes:  x [...], value [] -> [...]
    Kinks:   none; no gradient reaches x
    Source:  the number receives the sum of the adjoints of its copies
    Example: vjp explain "x * full_like(x, c)" x=1,2 c=5 --seed ones
    """
    return shapes.broadcast_to(value, shape=x.shape)


@operation(
    keyword_aliases={"N": "n", "M": "m"},
    refuses=(
        Refusal(sample(n=-1), "keyword-value"),
        Refusal(sample(n=1.5), "keyword-value"),
        Refusal(sample(n=10**6), "too-large"),
    ),
)
def eye(*, n, m=None, k=0):
    """A matrix with ones on its diagonal and zeros elsewhere.

    Shapes:  -> [n, m], or [n, n]; k moves the diagonal to the right
    Kinks:   none; it is constant
    Source:  a constant
    Example: vjp explain "(A + eye(2)) @ x" A=[[1,2],[3,4]] x=1,10 --seed ones
    """
    rows, columns = _matrix_lengths(n, m)
    return make_constant(np.eye(rows, columns, whole_number("k", k)))


def _matrix_lengths(n, m):
    rows = whole_number("n", n, least=0)
    columns = rows if m is None else whole_number("m", m, least=0)
    return array_shape((rows, columns))


@operation(refuses=(Refusal(sample(n=10**6), "too-large"),))
def identity(*, n):
    """The square matrix that changes nothing: ones on its diagonal.

    Shapes:  -> [n, n]
    Kinks:   none; it is constant
    Source:  a constant
    Example: vjp explain "(A - identity(2)) @ x" A=[[1,2],[3,4]] x=1,10 --seed ones
    """
    return eye(n=n)


@operation(
    keyword_aliases={"N": "n", "M": "m"},
    refuses=(Refusal(sample(n=10**6), "too-large"), Refusal(sample(n="a"), "keyword-value")),
)
def tri(*, n, m=None, k=0):
    """A matrix with ones on and below its diagonal and zeros above.

    Shapes:  -> [n, m], or [n, n]; k moves the diagonal to the right
    Kinks:   none; it is constant
    Source:  a constant
    Example: vjp explain "(A * tri(2)) @ x" A=[[1,2],[3,4]] x=1,10 --seed ones
    """
    rows, columns = _matrix_lengths(n, m)
    return make_constant(np.tri(rows, columns, whole_number("k", k)))


@operation(
    aliases=(
        "tensor",
        "asarray",
        "as_tensor",
        "scalar_tensor",
        "ascontiguousarray",
        "asanyarray",
        "from_numpy",
        "Tensor",
        "FloatTensor",
        "DoubleTensor",
        "clone",
        "asarray_chkfinite",
        "asfortranarray",
        "require",
    ),
    library_names={"numpy": ("copy",), "jax": ("copy",)},
    keyword_aliases={"object": "x", "data": "x"},
    samples=(sample((2, 3)), sample([1.0, 2.0]), sample((3,), ndmin=2)),
    refuses=(Refusal(sample((2,), ndmin=-1), "keyword-value"),),
)
def array(x, *, ndmin=0, order=None, requirements=None):
    """The numbers of a nested list as an array; arrays in the list are stacked.

    Shapes:  [[a, b], [c, d]] -> [2, 2]
    Kinks:   none
    Source:  each entry receives its own adjoint
    Example: vjp explain "array([[1, 2], [3, 4]]) @ x" x=1,10 --seed ones
    """
    missing = whole_number("ndmin", ndmin, least=0, most=32) - x.ndim
    return shapes.reshape(x, shape=(1,) * missing + x.shape) if missing > 0 else x


@operation(
    name="float",
    refuses=(Refusal(sample(text="one"), "not-a-number"), Refusal(sample(), "missing-argument")),
)
def float_number(x=None, *, text=None):
    """A number, or the text of one: float("-inf").

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  the number itself
    Example: vjp explain "maximum(x, float('-inf'))" x=1,2 --seed ones
    """
    if x is not None:
        return x
    if text is None:
        raise fail("missing-argument", "float() needs a number or the text of one")
    try:
        return make_constant(float(text))
    except (TypeError, ValueError):
        raise fail("not-a-number", f"{text!r} is not a number") from None


@operation(
    decided=("x",),
    refuses=(
        Refusal(sample(x=(0, 3), num_classes=3), "index-out-of-range"),
        Refusal(sample(x=(0, -1)), "index-out-of-range"),
        Refusal(sample(x=(0.5,)), "index-not-whole"),
        Refusal(sample(x=(0, 10**9)), "too-large"),
        Refusal(sample(x=(), num_classes=-1), "missing-argument"),
    ),
)
def one_hot(*, x, num_classes=-1):
    """For each class number a row of zeros with a single 1. Decided by value.

    Shapes:  x [...] -> [..., num_classes]; without it, one more than the largest class
    Kinks:   none; it is constant, and no gradient reaches x
    Source:  a constant
    Example: vjp explain "sum(one_hot([2, 0], 3) * log_softmax(x, dim=1))" x=[[1,2,3],[4,5,6]]
    """
    classes = position_array("x", x)
    count = whole_number("num_classes", num_classes, least=-1)
    if count == -1:
        if classes.size == 0:
            raise fail("missing-argument", "one_hot of nothing needs `num_classes`")
        count = int(classes.max()) + 1
    outside = classes[(classes < 0) | (classes >= count)]
    if outside.size:
        raise fail("index-out-of-range", f"there is no class {int(outside.flat[0])} of {count}")
    refuse_oversized((*classes.shape, count))
    return make_constant((classes[..., None] == np.arange(count)).astype(np.float64))
