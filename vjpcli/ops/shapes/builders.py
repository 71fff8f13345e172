"""Builders: arrays made of nothing but a shape and a few numbers.

What they build is a constant: no gradient reaches its numbers, unless an operand is named.
"""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import make_constant
from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import (
    Refusal,
    broadcast_shapes,
    constant_number,
    fail,
    operation,
    sample,
)
from vjpcli.ops.keywords import (
    SHAPE_KEYWORDS,
    array_shape,
    plain_number,
    position_array,
    true_or_false,
    whole_number,
)
from vjpcli.ops.numbers import elementary
from vjpcli.ops.shapes import ordering
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


def _memory_is_random():
    return fail(
        "random-content",
        "empty holds whatever the memory held before",
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
    raise _memory_is_random()


@operation(refuses=(Refusal(sample((2,)), "random-content"),))
def empty_like(x):
    """Refused: an array whose numbers nobody chose.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  its content is left to chance
    Example: vjp explain "x + zeros_like(x)" x=1,2,3 --seed ones
    """
    raise _memory_is_random()


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
    keyword_aliases={"end": "stop"},
    refuses=(
        Refusal(sample(), "missing-argument"),
        Refusal(sample(start=0, stop=1, step=0), "step-zero"),
        Refusal(sample(start=10**12), "too-large"),
        Refusal(sample(start=0, stop=math.inf), "too-large"),
        Refusal(sample(start=0, stop=math.nan), "too-large"),
        Refusal(sample(start="a"), "keyword-value"),
    ),
)
def arange(*, start=None, stop=None, step=1):
    """Evenly spaced numbers from start (0 if only one number is given) up to, without, stop.

    Shapes:  -> [ceil((stop - start)/step)]
    Kinks:   none; it is constant
    Source:  a constant
    Example: vjp explain "x ** arange(4)" x=2 --seed ones
    """
    if start is None and stop is None:
        raise fail("missing-argument", "arange needs `stop`")
    if stop is None:
        start, stop = 0, start
    first = plain_number("start", 0 if start is None else start)
    last, by = plain_number("stop", stop), plain_number("step", step)
    if by == 0:
        raise fail("step-zero", "the step of arange cannot be 0")
    count = (last - first) / by
    if not math.isfinite(count):
        raise fail("too-large", f"arange from {first:g} to {last:g} has no end")
    refuse_oversized((max(0, math.ceil(count)),))
    return make_constant(np.arange(first, last, by))


def _count(num):
    if num is None:
        raise fail("missing-argument", "the number of points is missing", notes=("num=5",))
    (count,) = array_shape(whole_number("num", num, least=0))
    return count


POINT_KEYWORDS = {"steps": "num", "end": "stop"}
POINT_DEFAULTS = {"numpy": {"num": 50}, "jax": {"num": 50}}


@operation(
    keyword_aliases=POINT_KEYWORDS,
    library_defaults=POINT_DEFAULTS,
    samples=(
        sample((), (), num=4),
        sample((2,), (), num=3),
        sample((), (), num=3, endpoint=False),
        sample(0.0, 1.0, num=1),
        sample((), (), num=0),
        sample((2,), (), num=3, axis=-1),
        sample((), (), num=3, retstep=True),
    ),
    several=("samples", "step"),
    refuses=(
        Refusal(sample(0.0, 1.0), "missing-argument"),
        Refusal(sample(0.0, 1.0, num=-1), "keyword-value"),
        Refusal(sample(0.0, 1.0, num=10**12), "too-large"),
        Refusal(sample(0.0, 1.0, num=2.5), "keyword-value"),
    ),
)
def linspace(start, stop, *, num=None, endpoint=True, retstep=False, axis=0):
    """`num` evenly spaced numbers from start to stop, both included.

    Shapes:  start [], stop [] -> [num]; NumPy's num is 50 if none is given; with retstep=True
             also the step between them
    Kinks:   none
    Source:  each point is (1-t)*start + t*stop
    Example: vjp explain "linspace(a, b, 3)" a=0 b=1 --seed 1,10,100
    """
    count = _count(num)
    if true_or_false("retstep", retstep):
        points = linspace(start, stop, num=count, endpoint=endpoint, axis=axis)
        pieces = count - 1 if true_or_false("endpoint", endpoint) else count
        return points, (stop - start) / pieces if pieces > 0 else (stop - start) * np.nan
    first, last = constant_number(start), constant_number(stop)
    if first is not None and last is not None and start.ndim == stop.ndim == 0:
        with np.errstate(all="ignore"):
            return make_constant(np.linspace(first, last, count, endpoint=bool(endpoint)))
    along = np.linspace(0.0, 1.0, count, endpoint=bool(endpoint))
    along = along.reshape((count,) + (1,) * max(start.ndim, stop.ndim))
    points = start * (1 - along) + stop * along
    return points if axis == 0 else ordering.moveaxis(points, source=0, destination=axis)


@operation(
    keyword_aliases=POINT_KEYWORDS,
    library_defaults=POINT_DEFAULTS,
    samples=(sample((), (), num=3), sample(0.0, 1.0, num=3, base=2)),
    refuses=(
        Refusal(sample(0.0, 1.0), "missing-argument"),
        Refusal(sample(0.0, 1.0, num=2, base="e"), "keyword-value"),
    ),
)
def logspace(start, stop, *, num=None, base=10.0, endpoint=True):
    """`num` numbers from base**start to base**stop whose logarithms are evenly spaced.

    Shapes:  start [], stop [] -> [num]; NumPy's num is 50 if none is given
    Kinks:   none
    Source:  base to the power of linspace(start, stop, num)
    Example: vjp explain "logspace(a, b, 3)" a=0 b=2 --seed ones
    """
    return plain_number("base", base) ** linspace(start, stop, num=num, endpoint=endpoint)


ENDS = {"first": np.array(1.0), "last": np.array(8.0)}


@operation(
    keyword_aliases=POINT_KEYWORDS,
    library_defaults=POINT_DEFAULTS,
    present={"start": "first", "stop": "last"},
    samples=(
        sample([1.0], [8.0], num=4, **ENDS),
        sample([-1.0], [-8.0], num=3, endpoint=False, first=np.array(-1.0), last=np.array(-8.0)),
        sample(1.0, 8.0, num=3, **ENDS),
    ),
    refuses=(
        Refusal(sample(1, 2, **ENDS), "missing-argument"),
        Refusal(sample(0, 2, num=3, first=np.array(0.0), last=np.array(2.0)), "geometric-zero"),
        Refusal(sample(-1, 2, num=3, first=np.array(-1.0), last=np.array(2.0)), "geometric-zero"),
    ),
)
def geomspace(start, stop, *, num=None, endpoint=True, first=None, last=None):
    """`num` numbers from start to stop, each the same multiple of the one before.

    Shapes:  start [], stop [] -> [num]; NumPy's num is 50 if none is given
    Kinks:   none; the ends have one sign, and neither is 0
    Source:  each point is start * (stop/start)**t
    Example: vjp explain "geomspace(a, b, 3)" a=1 b=100 --seed ones
    """
    count = _count(num)
    broadcast_shapes("geomspace", start, stop)
    if np.any(np.asarray(first) * np.asarray(last) <= 0):
        raise fail("geometric-zero", "geomspace needs two numbers of one sign, neither of them 0")
    begin, end = constant_number(start), constant_number(stop)
    if begin is not None and end is not None and start.ndim == stop.ndim == 0:
        return make_constant(np.geomspace(begin, end, count, endpoint=bool(endpoint)))
    along = np.linspace(0.0, 1.0, count, endpoint=bool(endpoint))
    along = along.reshape((count,) + (1,) * max(start.ndim, stop.ndim))
    return start * elementary.exp(elementary.log(stop / start) * along)


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
