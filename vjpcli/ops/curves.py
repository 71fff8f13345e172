"""Curves given by numbers: straight pieces, polynomials, slopes between samples."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import OPERATIONS, as_node, refuse_oversized
from vjpcli.ops import comparison, indexing, joining, reduction, shape
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text, trailing_axis
from vjpcli.ops.keywords import plain_number, whole_number


def _part(x, place):
    return indexing.index(x, index=(place,))


@operation(
    keyword_aliases={"fp": "heights"},
    argument_order=("x", "xp", "heights", "left", "right"),
    samples=(
        sample([0.3, 1.7, 2.9, -1.0, 4.0], (3,), xp=(0.0, 1.0, 3.0)),
        sample([[0.3], [2.5]], (2,), xp=(-1, 2), right=5.0),
        sample((), (1,), xp=(0.5,)),
    ),
    refuses=(
        Refusal(sample((2,), (3,), xp=(0, 2, 1)), "keyword-value"),
        Refusal(sample((2,), (3,), xp=(0, 1)), "shape-mismatch"),
    ),
)
def interp(x, heights, *, xp, left=None, right=None):
    """The curve of straight pieces through the points (xp, fp), at each entry of x.

    Shapes:  x [...], xp [n] increasing, fp [n] -> [...]; constant outside, or left and right
    Kinks:   at each point of xp: the slope on its right is used (NumPy's choice of piece)
    Source:  np.interp; y = a + (b - a)(x - p)/(q - p) between neighbours
    Example: vjp explain "np.interp(x, [0, 1, 3], f)" x=0.5,2 f=1,4,2 --seed ones
    """
    places = np.asarray(xp, dtype=np.float64)
    if heights.ndim != 1 or places.shape != heights.shape or not places.size:
        raise fail(
            "shape-mismatch",
            f"interp takes as many xp as fp, not shapes {shape_text(places.shape)} and "
            f"{shape_text(heights.shape)}",
        )
    if np.any(np.diff(places) <= 0):
        raise fail("keyword-value", "xp of interp increases from each number to the next")
    below = _part(heights, 0) if left is None else as_node(plain_number("left", left))
    above = _part(heights, -1) if right is None else as_node(plain_number("right", right))
    y = comparison.where(comparison.less(x, places[0]), below, above)
    y = comparison.where(comparison.equal(x, places[-1]), _part(heights, -1), y)
    if places.size == 1:
        return y
    refuse_oversized((*x.shape, places.size - 1))
    across = shape.expand_dims(x, axis=-1)
    begins, ends = places[:-1], places[1:]
    inside = comparison.greater_equal(across, begins) & comparison.less(across, ends)
    first, last = _part(heights, slice(None, -1)), _part(heights, slice(1, None))
    # A piece where x does not lie counts with its first height, so that nothing overflows there.
    at = comparison.where(inside, across, begins)
    on_piece = first + (last - first) * ((at - begins) / (ends - begins))
    chosen = reduction.sum(comparison.where(inside, on_piece, 0), axis=-1)
    return comparison.where(reduction.any(inside, axis=-1), chosen, y)


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
        y = y * x + _part(p, place) if place else y + _part(p, 0)
    return y


@operation(
    samples=(
        sample((4,)),
        sample((3,), spacing=0.5),
        sample((3, 4), axis=1),
        sample((3, 4), axis=0, spacing=2),
        sample((4,), edge_order=2),
    ),
    keyword_aliases={"varargs": "spacing"},
    refuses=(
        Refusal(sample((1,)), "shape-mismatch"),
        Refusal(sample((4,), edge_order=3), "keyword-value"),
        Refusal(sample((4,), spacing=0), "keyword-value"),
    ),
    analytic=True,
)
def gradient(x, *, spacing=1, axis=None, edge_order=1):
    """The slope of sampled values at each sample: central differences, one-sided at the ends.

    Shapes:  x [... n ...] -> [... n ...]; for several axes one result each (torch.gradient gives
             a list of results for one axis too: `torch.gradient(x)[0]`)
    Kinks:   none
    Source:  (x[i+1] - x[i-1])/(2 h) inside; np.gradient, torch.gradient with even spacing
    Example: vjp explain "np.gradient(x)" x=1,4,9,16 --seed ones
    """
    return _slopes(x, spacing, axis, edge_order)


@operation(
    library_names={"torch": ("gradient",)},
    samples=(sample((4,)), sample((3, 4), axis=1)),
    refuses=(Refusal(sample((1,)), "shape-mismatch"),),
    analytic=True,
)
def gradients_of(x, *, spacing=1, axis=None, edge_order=1):
    """The slopes of sampled values along each axis, always as several results: torch.gradient.

    Shapes:  x [... n ...] -> one [... n ...] for each axis
    Kinks:   none
    Source:  `gradient`
    Example: vjp explain "torch.gradient(x)[0]" x=1,4,9,16 --seed ones
    """
    found = _slopes(x, spacing, axis, edge_order)
    return found if isinstance(found, tuple) else (found,)


def _slopes(x, spacing, axis, edge_order):
    step = plain_number("spacing", spacing)
    if step == 0:
        raise fail("keyword-value", "spacing is not 0")
    order = whole_number("edge_order", edge_order, least=1, most=2)
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    found = tuple(_slope_along(x, trailing_axis(x, one), step, order) for one in axes)
    if not found:
        raise fail("shape-mismatch", "a number has no neighbours to take a slope from")
    return found[0] if len(found) == 1 else found


def _slope_along(x, axis, step, order):
    if x.shape[axis] < order + 1:
        raise fail(
            "shape-mismatch",
            f"gradient needs {order + 1} entries along an axis, and shape {shape_text(x.shape)} "
            "has fewer",
        )

    def part(start, stop):
        behind = (slice(None),) * (-axis - 1)
        return indexing.index(x, index=(Ellipsis, slice(start, stop), *behind))

    inner = (part(2, None) - part(None, -2)) / (2 * step)
    if order == 1:
        first, last = part(1, 2) - part(0, 1), part(-1, None) - part(-2, -1)
    else:
        first = -1.5 * part(0, 1) + 2 * part(1, 2) - 0.5 * part(2, 3)
        last = 1.5 * part(-1, None) - 2 * part(-2, -1) + 0.5 * part(-3, -2)
    return joining.concatenate(first / step, inner, last / step, axis=axis)


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
