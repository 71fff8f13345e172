"""Curves given by numbers: straight pieces, polynomials, slopes between samples."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import OPERATIONS, as_node, constant_number
from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text, trailing_axis
from vjpcli.ops.keywords import plain_number, whole_number
from vjpcli.ops.numbers import comparison
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import indexing, joining, shape
from vjpcli.ops.shapes.indexing import read_first

XP = np.array([0.0, 1.0, 3.0])
NEAR = [0.3, 1.7, 2.9, -1.0, 4.0]


@operation(
    keyword_aliases={"fp": "heights"},
    argument_order=("x", "xp", "heights", "left", "right", "period"),
    present={"xp": "now", "x": "x_now"},
    samples=(
        sample(NEAR, XP.tolist(), (3,), now=XP),
        sample([[0.3], [2.5]], [-1.0, 2.0], (2,), right=5.0, now=np.array([-1.0, 2.0])),
        sample([-0.7], [0.5], (1,), now=np.array([0.5])),
        sample(NEAR, XP.tolist(), (3,), left="extrapolate", right="extrapolate", now=XP),
        sample(
            [0.3, -0.6, 7.2],
            [1.0, 0.0, 6.5],
            (3,),
            period=4,
            now=np.array([1.0, 0.0, 6.5]),
            x_now=np.array([0.3, -0.6, 7.2]),
        ),
    ),
    refuses=(
        Refusal(sample((2,), (3,), (3,), now=np.array([0.0, 2.0, 1.0])), "keyword-value"),
        Refusal(sample((2,), (2,), (3,), now=np.array([0.0, 1.0])), "shape-mismatch"),
        Refusal(sample((2,), (1,), (1,), period=0, now=np.zeros(1)), "keyword-value"),
    ),
)
def interp(x, xp, heights, *, left=None, right=None, period=None, now=None, x_now=None):
    """The curve of straight pieces through the points (xp, fp), at each entry of x.

    Shapes:  x [...], xp [n] increasing, fp [n] -> [...]; constant outside, or left and right, or
             with 'extrapolate' (JAX) the first and the last piece go on
    Kinks:   at each point of xp: the slope on its right is used (NumPy's choice of piece)
    Source:  np.interp; y = a + (b - a)(x - p)/(q - p) between neighbours
    Example: vjp explain "np.interp(x, [0, 1, 3], f)" x=0.5,2 f=1,4,2 --seed ones
    """
    if heights.ndim != 1 or xp.shape != heights.shape or not xp.size:
        raise fail(
            "shape-mismatch",
            f"interp takes as many xp as fp, not shapes {shape_text(xp.shape)} and "
            f"{shape_text(heights.shape)}",
        )
    if period is not None:
        x, xp, heights, now = _around(x, xp, heights, plain_number("period", period), now, x_now)
        left = right = None
    if now is not None and np.any(np.diff(now) <= 0):
        raise fail("keyword-value", "xp of interp increases from each number to the next")
    below = _beyond("left", left, x, xp, heights, 0)
    above = _beyond("right", right, x, xp, heights, -1)
    y = comparison.where(comparison.less(x, read_first(xp, 0)), below, above)
    at_end = comparison.equal(x, read_first(xp, -1))
    if right != EXTRAPOLATE:
        y = comparison.where(at_end, read_first(heights, -1), y)
    if xp.size == 1:
        return y
    refuse_oversized((*x.shape, xp.size - 1))
    across = shape.expand_dims(x, axis=-1)
    begins, ends = read_first(xp, slice(None, -1)), read_first(xp, slice(1, None))
    inside = comparison.greater_equal(across, begins) & comparison.less(across, ends)
    first, last = read_first(heights, slice(None, -1)), read_first(heights, slice(1, None))
    # A piece where x does not lie counts with its first height, so that nothing overflows there.
    at = comparison.where(inside, across, begins)
    on_piece = first + (last - first) * ((at - begins) / (ends - begins))
    chosen = reduction.sum(comparison.where(inside, on_piece, 0), axis=-1)
    return comparison.where(reduction.any(inside, axis=-1), chosen, y)


EXTRAPOLATE = "extrapolate"


def _beyond(name, value, x, xp, heights, end):
    """The height on one side of all points: that of the last one, a number, or a line."""
    if value is None or (value == EXTRAPOLATE and xp.size == 1):
        return read_first(heights, end)
    if value != EXTRAPOLATE:
        return as_node(plain_number(name, value))
    first, second = (0, 1) if end == 0 else (-2, -1)
    run = read_first(xp, second) - read_first(xp, first)
    rise = read_first(heights, second) - read_first(heights, first)
    return read_first(heights, first) + rise * ((x - read_first(xp, first)) / run)


def _around(x, xp, heights, period, now, x_now):
    """Points and places on a circle: shifted by whole turns, in order, one more at each end.

    Errors: keyword-value.
    """
    if period == 0:
        raise fail("keyword-value", "the period of interp is not 0")
    period = abs(period)
    here = np.zeros(xp.shape) if now is None else now
    turned = here % period
    order = np.argsort(turned, kind="stable")
    places = xp - as_node(here - turned)
    at = np.zeros(x.shape) if x_now is None else x_now
    x = x - as_node(at - at % period)
    xp, heights = read_first(places, order), read_first(heights, order)
    xp = joining.concatenate(
        read_first(xp, slice(-1, None)) - period, xp, read_first(xp, slice(0, 1)) + period
    )
    heights = joining.concatenate(
        read_first(heights, slice(-1, None)), heights, read_first(heights, slice(0, 1))
    )
    ordered = turned[order]
    return x, xp, heights, np.concatenate([ordered[-1:] - period, ordered, ordered[:1] + period])


@operation(
    samples=(sample((3,), (2, 2)), sample((1,), ()), sample((4,), (0,))),
    refuses=(Refusal(sample((2, 2), (3,)), "shape-mismatch"),),
    analytic=True,
)
def polyval(p, x):
    """The polynomial with the coefficients p, the highest power first, at each entry of x.

    Shapes:  p [n], x [...] -> [...]
    Kinks:   none
    Source:  Horner's scheme: ((p0 x + p1) x + p2) ...
    Example: vjp explain "np.polyval(p, x)" p=1,-2,0.5 x=0,3 --seed ones
    """
    if p.ndim != 1 or p.size > 10_000:
        raise fail(
            "shape-mismatch",
            f"polyval takes up to 10,000 coefficients [n], not shape {shape_text(p.shape)}",
        )
    y = as_node(np.zeros(x.shape))
    for place in range(p.size):
        y = y * x + read_first(p, place) if place else y + read_first(p, 0)
    return y


COORDINATES = [0.0, 1.0, 2.5, 4.0]
GRADIENT_SAMPLES = (
    sample((4,)),
    sample((3,), 0.5),
    sample((3, 4), axis=1),
    sample((3, 4), 2, axis=0),
    sample((4,), edge_order=2),
    sample((4,), COORDINATES),
    sample((4,), COORDINATES, edge_order=2),
    sample((3, 4), 0.5, COORDINATES),
)
GRADIENT_REFUSED = (
    Refusal(sample((1,)), "shape-mismatch"),
    Refusal(sample((4,), edge_order=3), "keyword-value"),
    Refusal(sample((4,), 0), "keyword-value"),
    Refusal(sample((4,), (3,)), "shape-mismatch"),
    Refusal(sample((2, 2, 2), 1.0, 2.0), "axes-count"),
    Refusal(sample(()), "shape-mismatch"),
)
SPACING_KEYWORDS = {"varargs": "spacing"}


@operation(
    samples=GRADIENT_SAMPLES,
    keyword_aliases=SPACING_KEYWORDS,
    lists=("spacing",),
    refuses=GRADIENT_REFUSED,
    analytic=True,
)
def gradient(x, spacing=None, spacing2=None, spacing3=None, *, axis=None, edge_order=1):
    """The slope of sampled values at each sample: central differences, one-sided at the ends.

    Shapes:  x [... n ...] -> [... n ...]; for several axes one result each (torch.gradient gives
             a list of results for one axis too: `torch.gradient(x)[0]`). A spacing is a number or
             the places [n] of the samples; one for all axes, or one for each
    Kinks:   none
    Source:  (x[i+1] - x[i-1])/(2 h) inside; between uneven places the parabola through three
             samples (np.gradient, torch.gradient)
    Example: vjp explain "np.gradient(x)" x=1,4,9,16 --seed ones
    """
    return _slopes(x, (spacing, spacing2, spacing3), axis, edge_order)


@operation(
    library_names={"torch": ("gradient",)},
    keyword_aliases=SPACING_KEYWORDS,
    lists=("spacing",),
    samples=(sample((4,)), sample((3, 4), axis=1), sample((4,), COORDINATES)),
    refuses=(Refusal(sample((1,)), "shape-mismatch"),),
    analytic=True,
)
def gradients_of(x, spacing=None, *, axis=None, edge_order=1):
    """The slopes of sampled values along each axis, always as several results: torch.gradient.

    Shapes:  x [... n ...] -> one [... n ...] for each axis
    Kinks:   none
    Source:  `gradient`
    Example: vjp explain "torch.gradient(x)[0]" x=1,4,9,16 --seed ones
    """
    found = _slopes(x, (spacing,), axis, edge_order)
    return found if isinstance(found, tuple) else (found,)


def _slopes(x, spacings, axis, edge_order):
    order = whole_number("edge_order", edge_order, least=1, most=2)
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    places = [trailing_axis(x, one) for one in axes]
    if not places:
        raise fail("shape-mismatch", "a number has no neighbours to take a slope from")
    given = [one for one in spacings if one is not None]
    if len(given) == 1 and isinstance(given[0], list):
        given = _separate(given[0], len(places))
    given = [joining.stack(*one, axis=0) if isinstance(one, list) else one for one in given]
    if len(given) == 1:
        given *= len(places)
    if given and len(given) != len(places):
        raise fail("axes-count", f"{len(given)} spacings for {len(places)} axes")
    given = given or [as_node(1.0)] * len(places)
    found = tuple(
        _slope_along(x, one, step, order) for one, step in zip(places, given, strict=True)
    )
    return found[0] if len(found) == 1 else found


def _separate(items, count):
    """The spacings of a list: one for each of `count` axes, or the places along a single one."""
    if all(item.ndim == 0 for item in items) and len(items) not in (0, count):
        return [joining.stack(*items, axis=0)]
    return list(items)


def _slope_along(x, axis, step, order):
    if x.shape[axis] < order + 1:
        raise fail(
            "shape-mismatch",
            f"gradient needs {order + 1} entries along an axis, and shape {shape_text(x.shape)} "
            "has fewer",
        )
    if step.ndim:
        return _slope_between_places(x, axis, step, order)
    if constant_number(step) == 0:
        raise fail("keyword-value", "spacing is not 0")

    def part(start, stop):
        return indexing.read_range(x, start, stop, axis)

    inner = (part(2, None) - part(None, -2)) / (2 * step)
    if order == 1:
        first, last = part(1, 2) - part(0, 1), part(-1, None) - part(-2, -1)
    else:
        first = -1.5 * part(0, 1) + 2 * part(1, 2) - 0.5 * part(2, 3)
        last = 1.5 * part(-1, None) - 2 * part(-2, -1) + 0.5 * part(-3, -2)
    return joining.concatenate(first / step, inner, last / step, axis=axis)


def _slope_between_places(x, axis, places, order):
    """Slopes of samples at uneven places.

    Errors: shape-mismatch.
    """
    if places.shape != (x.shape[axis],):
        raise fail(
            "shape-mismatch",
            f"gradient takes one place for each of {x.shape[axis]} samples, not shape "
            f"{shape_text(places.shape)}",
        )
    gaps = read_first(places, slice(1, None)) - read_first(places, slice(None, -1))

    def part(start, stop):
        return indexing.read_range(x, start, stop, axis)

    def gap(start, stop):
        beside = (1,) * (-axis - 1)
        read = read_first(gaps, slice(start, stop))
        return shape.reshape(read, shape=(*read.shape, *beside))

    before, behind = gap(None, -1), gap(1, None)
    inner = (
        before * before * part(2, None)
        + (behind * behind - before * before) * part(1, -1)
        - behind * behind * part(None, -2)
    ) / (before * behind * (before + behind))
    if order == 1:
        first = (part(1, 2) - part(0, 1)) / gap(0, 1)
        last = (part(-1, None) - part(-2, -1)) / gap(-1, None)
    else:
        h, k = gap(0, 1), gap(1, 2)
        first = (
            -(2 * h + k) / (h * (h + k)) * part(0, 1)
            + (h + k) / (h * k) * part(1, 2)
            - h / (k * (h + k)) * part(2, 3)
        )
        h, k = gap(-2, -1), gap(-1, None)
        last = (
            k / (h * (h + k)) * part(-3, -2)
            - (h + k) / (h * k) * part(-2, -1)
            + (2 * k + h) / (k * (h + k)) * part(-1, None)
        )
    return joining.concatenate(first, inner, last, axis=axis)


@operation(
    samples=(sample((5,), (2,)), sample((3,), (2,), mode="full"), sample((2,), (4,), mode="same")),
    refuses=(Refusal(sample((2, 2), (2,)), "shape-mismatch"),),
    analytic=True,
)
def correlate(a, v, *, mode="valid"):
    """Cross-correlation of two signals: a convolution with the second one turned round.

    Shapes:  a [n], v [m] -> [max(n, m) - min(n, m) + 1]; [n + m - 1] with mode="full",
             [max(n, m)] with mode="same"
    Kinks:   none
    Source:  sum over i of a[i + k] v[i]; linear in each signal
    Example: vjp explain "np.correlate(a, v)" a=1,2,3 v=1,10 --seed ones
    """
    if a.ndim != 1 or v.ndim != 1 or 0 in (a.size, v.size):
        raise fail(
            "shape-mismatch",
            "correlate takes two signals of at least one entry, "
            f"not shapes {shape_text(a.shape)} and {shape_text(v.shape)}",
        )
    if v.size > a.size:
        return OPERATIONS["flip"](correlate(v, a, mode=mode))
    return OPERATIONS["convolve"](a, OPERATIONS["flip"](v), mode=mode)
