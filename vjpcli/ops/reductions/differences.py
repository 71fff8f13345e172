"""Differences of neighbours and the area under them: diff, trapezoid, simpson."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    outcome,
    sample,
    shape_text,
    trailing_axis,
)
from vjpcli.ops.keywords import plain_number, whole_number
from vjpcli.ops.reductions import reduction, scan
from vjpcli.ops.shapes import indexing, joining, shape

MOST_WORK = 2 * 10**9
"""Subtractions above which repeated differences are refused rather than computed."""


def _along(places, axis):
    """The index of `places` along one axis counted from the end."""
    return (Ellipsis, places, *(slice(None),) * (-axis - 1))


def _reads_neighbours(x, *, n, axis):
    """Each difference reads the n + 1 entries that begin at its place."""
    for _ in range(n):
        x = x[_along(slice(1, None), axis)] | x[_along(slice(None, -1), axis)]
    return x


def _end_piece(name, x, piece, axis):
    """`piece` as something that can stand before or behind x along an axis."""
    wanted = list(x.shape)
    wanted[axis] = 1 if piece.ndim == 0 else piece.shape[axis] if piece.ndim == x.ndim else -1
    if piece.ndim and piece.shape != tuple(wanted):
        raise fail(
            "shape-mismatch",
            f"diff cannot {name} shape {shape_text(piece.shape)} to {shape_text(x.shape)}",
            notes=("a number, or an array of the same other axes",),
        )
    return piece if piece.ndim else shape.broadcast_to(piece, shape=tuple(wanted))


@operation(
    lambda x, *, n, axis: np.diff(x, n=n, axis=axis),
    pattern=_reads_neighbours,
    argument_order=("x", "n", "axis", "prepend", "append"),
    samples=(
        sample((4,)),
        sample((2, 3), axis=0),
        sample((5,), n=2),
        sample((2, 4), n=3, axis=-1),
        sample((3,), n=0),
        sample((2,), n=3),
        sample((0,)),
        sample((2, 3), (), (2, 2)),
    ),
    refuses=(
        Refusal(sample((3,), n=-1), "keyword-value"),
        Refusal(sample(()), "axis-out-of-range"),
        Refusal(sample((2, 3), (2,)), "shape-mismatch"),
    ),
    analytic=True,
)
def diff(x, prepend=None, append=None, *, n=1, axis=-1):
    """Differences of neighbours along an axis, taken n times.

    Shapes:  x [... m ...] -> [... m - n ...]; prepend and append, numbers or arrays, first
             stand before and behind x
    Kinks:   none
    Source:  its transpose: the differences of the adjoint between zeros, with the sign (-1)**n
    Example: vjp explain "diff(x)" x=1,4,9 --seed 1,10
    """
    axis = trailing_axis(x, axis)
    if prepend is not None or append is not None:
        before = [] if prepend is None else [_end_piece("prepend", x, prepend, axis)]
        behind = [] if append is None else [_end_piece("append", x, append, axis)]
        return diff(joining.concatenate(*before, x, *behind, axis=axis), n=n, axis=axis)
    length = x.shape[axis]
    # More than `length` differences of nothing are nothing.
    n = min(whole_number("n", n, least=0), length)
    if n * x.size > MOST_WORK:
        raise fail("too-large", f"{n} differences of {x.size:,} entries would take too long")
    wanted = list(x.shape)
    wanted[axis] = length - n
    return outcome(wanted, n=n, axis=axis)


@diff.vjp
def _(g, y, x, *, n, axis):
    padded = list(y.shape)
    padded[axis] += 2 * n
    places = slice(n, n + y.shape[axis])
    index = indexing.explicit_index(tuple(padded), _along(places, axis))
    between_zeros = indexing.add_into(g, index=index, shape=tuple(padded))
    return diff(between_zeros, n=n, axis=axis) * (-1.0) ** n


def _areas(name, y, x, dx, axis):
    """The area under each piece between neighbours."""
    axis = trailing_axis(y, axis)
    ahead = indexing.index(y, index=_along(slice(1, None), axis))
    behind = indexing.index(y, index=_along(slice(None, -1), axis))
    if x is None:
        return (ahead + behind) * (plain_number("dx", dx) / 2)
    return _widths(name, y, x, axis) * (ahead + behind) / 2


def _widths(name, y, x, axis):
    """How far neighbouring points lie apart, to stand beside y.

    Errors: shape-mismatch.
    """
    count = y.shape[axis]
    if x.ndim == 1 and x.size == count:
        return shape.reshape(diff(x), shape=(count - 1, *(1,) * (-axis - 1)))
    if x.shape == y.shape:
        return diff(x, axis=axis)
    raise fail(
        "shape-mismatch",
        f"{name} cannot place {shape_text(y.shape)} at points of shape {shape_text(x.shape)}",
        notes=("x has one point for each place along the axis, or the shape of y",),
    )


TRAPEZOID_SAMPLES = (
    sample((4,)),
    sample((2, 3), axis=0, dx=0.5),
    sample((4,), (4,)),
    sample((2, 3), (3,)),
    sample((2, 3), (2,), axis=0),
    sample((2, 3), (2, 3)),
    sample((1,)),
)
TRAPEZOID_REFUSED = (
    Refusal(sample((3,), ()), "shape-mismatch"),
    Refusal(sample((3,), (2,)), "shape-mismatch"),
    Refusal(sample((3,), dx="wide"), "keyword-value"),
)


@operation(aliases=("trapz",), samples=TRAPEZOID_SAMPLES, refuses=TRAPEZOID_REFUSED)
def trapezoid(y, x=None, *, dx=1, axis=-1):
    """Area under points joined by straight lines, along an axis.

    Shapes:  y [... n ...], x [n] or as y -> [...]; without x the points are dx apart
    Kinks:   none
    Source:  DLMF 3.5(i): sum of (x_(i+1) - x_i)(y_i + y_(i+1))/2
    Example: vjp explain "trapezoid(y, x)" y=1,2,4 x=0,1,3
    """
    return reduction.sum(_areas("trapezoid", y, x, dx, axis), axis=trailing_axis(y, axis))


@operation(
    samples=(*TRAPEZOID_SAMPLES, sample((4,), (4,), initial=0)),
    refuses=(*TRAPEZOID_REFUSED, Refusal(sample((3,), initial=2), "keyword-value")),
)
def cumulative_trapezoid(y, x=None, *, dx=1, axis=-1, initial=None):
    """Area so far under points joined by straight lines, along an axis.

    Shapes:  y [... n ...], x [n] or as y -> [... n - 1 ...]; without x the points are dx apart;
             with initial=0 (SciPy) a 0 stands first and there are n
    Kinks:   none
    Source:  running sum of the pieces of `trapezoid`
    Example: vjp explain "cumulative_trapezoid(y, x)" y=1,2,4 x=0,1,3 --seed 1,10
    """
    axis = trailing_axis(y, axis)
    so_far = scan.cumsum(_areas("cumulative_trapezoid", y, x, dx, axis), axis=axis)
    if initial is None:
        return so_far
    if plain_number("initial", initial) != 0:
        raise fail("keyword-value", "`initial` of cumulative_trapezoid is 0 or None")
    return joining.concatenate(_zeros_along(y, axis), so_far, axis=axis)


def _zeros_along(y, axis):
    lengths = list(y.shape)
    lengths[axis] = 1
    return as_node(np.zeros(lengths))


def _in_pairs(y, start, stop, widths, axis):
    """Area under the parabolas through three samples each, from `start` to `stop`."""

    def part(first, last):
        return indexing.read_range(y, first, last, axis, 2)

    left, middle, right = part(start, stop - 2), part(start + 1, stop - 1), part(start + 2, stop)
    before = indexing.read_range(widths, start, stop - 2, axis, 2)
    behind = indexing.read_range(widths, start + 1, stop - 1, axis, 2)
    both = before + behind
    area = left * (2 - behind / before) + middle * (both * both / (before * behind))
    return reduction.sum(both / 6 * (area + right * (2 - before / behind)), axis=axis)


@operation(
    aliases=("simps",),
    samples=(
        sample((5,)),
        sample((4,), dx=0.5),
        sample((2,)),
        sample((1,)),
        sample((5,), [0.0, 1.0, 2.5, 3.0, 5.0]),
        sample((4,), [0.0, 1.0, 2.5, 3.0]),
        sample((3, 2), axis=0),
    ),
    refuses=TRAPEZOID_REFUSED,
)
def simpson(y, x=None, *, dx=1, axis=-1):
    """Area under parabolas through three samples each, along an axis (Simpson's rule).

    Shapes:  y [... n ...], x [n] or as y -> [...]; without x the points are dx apart
    Kinks:   none
    Source:  DLMF 3.5(ii); of an even number of samples the last interval by Cartwright 2017,
             Simpson's rule cumulative integration with MS Excel and irregularly-spaced data
    Example: vjp explain "scipy.integrate.simpson(y)" y=1,2,4
    """
    axis = trailing_axis(y, axis)
    count = y.shape[axis]
    if count < 3:
        return reduction.sum(_areas("simpson", y, x, dx, axis), axis=axis)
    if x is None:
        lengths = list(y.shape)
        lengths[axis] -= 1
        widths = as_node(np.full(lengths, float(plain_number("dx", dx))))
    else:
        widths = _widths("simpson", y, x, axis)
    whole = count if count % 2 else count - 1
    area = _in_pairs(y, 0, whole, widths, axis)
    if whole == count:
        return area

    def last(values, back):
        return indexing.read_along(values, values.shape[axis] - back, axis)

    h, k = last(widths, 2), last(widths, 1)
    return (
        area
        + last(y, 1) * (2 * k * k + 3 * h * k) / (6 * (h + k))
        + last(y, 2) * (k * k + 3 * h * k) / (6 * h)
        - last(y, 3) * k * k * k / (6 * h * (h + k))
    )


@operation(
    argument_order=("x", "to_end", "to_begin"),
    samples=(sample((4,)), sample((2, 3)), sample((3,), (2,), ()), sample((0,))),
)
def ediff1d(x, to_end=None, to_begin=None):
    """Differences of neighbours in the flattened array, between what is to stand at the ends.

    Shapes:  x [n], to_begin [a], to_end [b] -> [a + n - 1 + b]
    Kinks:   none
    Source:  np.ediff1d; see `diff`
    Example: vjp explain "np.ediff1d(x)" x=1,4,9 --seed 1,10
    """
    parts = [diff(shape.ravel(x))]
    if to_begin is not None:
        parts.insert(0, shape.ravel(to_begin))
    if to_end is not None:
        parts.append(shape.ravel(to_end))
    return joining.concatenate(*parts, axis=0) if len(parts) > 1 else parts[0]
