"""Ranges: numbers in equal steps, or in steps that grow by one factor."""

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
    array_shape,
    plain_number,
    true_or_false,
    whole_number,
)
from vjpcli.ops.numbers import elementary
from vjpcli.ops.shapes import ordering


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
