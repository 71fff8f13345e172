"""Signals and images of any rank: convolution, correlation, values between samples (SciPy)."""

from __future__ import annotations

import itertools

import numpy as np

from vjpcli.graph.operation import as_node, make_constant
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import one_of, plain_number, whole_number
from vjpcli.ops.neural import convolution
from vjpcli.ops.numbers import comparison
from vjpcli.ops.shapes import indexing, shape
from vjpcli.ops.shapes.ordering import flip

MODES = ("full", "same", "valid")


def _full(name, a, v):
    """All of the convolution of two arrays of the same rank."""
    if a.ndim != v.ndim or a.ndim not in convolution.BY_RANK or 0 in (a.size, v.size):
        raise fail(
            "shape-mismatch",
            f"{name} takes two arrays of the same 1 to 3 axes and at least one entry, "
            f"not shapes {shape_text(a.shape)} and {shape_text(v.shape)}",
        )
    signal = shape.reshape(a, shape=(1, 1, *a.shape))
    kernel = shape.reshape(flip(v), shape=(1, 1, *v.shape))
    beyond = tuple(n - 1 for n in v.shape)
    found = convolution.BY_RANK[a.ndim](signal, kernel, padding=beyond)
    return shape.reshape(found, shape=found.shape[2:])


def _cut(name, full, a, v, mode, *, later=False):
    """The part of a convolution that a mode of SciPy keeps; `later` of two middles, if there are.

    Errors: keyword-value, shape-mismatch.
    """
    mode = one_of("mode", mode, MODES)
    if mode == "full":
        return full
    if mode == "same":
        lengths = a
    else:
        larger = all(n >= m for n, m in zip(a, v, strict=True))
        smaller = all(n <= m for n, m in zip(a, v, strict=True))
        if not larger and not smaller:
            raise fail(
                "shape-mismatch",
                f"{name} in mode 'valid' needs one array to be at least as long along every axis, "
                f"not shapes {shape_text(a)} and {shape_text(v)}",
            )
        lengths = tuple(abs(n - m) + 1 for n, m in zip(a, v, strict=True))
    starts = [(n - m + later) // 2 for n, m in zip(full.shape, lengths, strict=True)]
    places = tuple(slice(s, s + n) for s, n in zip(starts, lengths, strict=True))
    return indexing.index(full, index=places)


def _in_signal(*names):
    return dict.fromkeys(("numpy", "jax"), tuple(f"signal.{name}" for name in names))


SIGNAL_KEYWORDS = {"in1": "a", "in2": "v"}
SIGNAL_SAMPLES = (
    sample((4,), (2,)),
    sample((2,), (4,), mode="same"),
    sample((2, 3), (2, 2)),
    sample((3, 3), (2, 2), mode="same"),
    sample((3, 4), (2, 2), mode="valid"),
    sample((2, 2, 2), (1, 2, 2)),
)
SIGNAL_REFUSED = (
    Refusal(sample((2, 3), (2,)), "shape-mismatch"),
    Refusal(sample((2, 3), (3, 2), mode="valid"), "shape-mismatch"),
    Refusal(sample((2,), (2,), mode="half"), "keyword-value"),
    Refusal(sample((0,), (2,)), "shape-mismatch"),
)


@operation(
    library_names=_in_signal("convolve", "fftconvolve", "oaconvolve"),
    keyword_aliases=SIGNAL_KEYWORDS,
    samples=SIGNAL_SAMPLES,
    refuses=SIGNAL_REFUSED,
    analytic=True,
)
def signal_convolve(a, v, *, mode="full", method="auto"):
    """The convolution of two arrays along all of their axes: scipy.signal.convolve.

    Shapes:  a [n, ...], v [m, ...] -> [n + m - 1, ...]; the middle of a's shape with mode="same",
             only what has no edge with mode="valid"
    Kinks:   none
    Source:  sum over i of a[i] v[k - i]; linear in each array
    Example: vjp explain "scipy.signal.convolve(A, K)" A=[[1,2],[3,4]] K=[[1,10]] --seed ones
    """
    one_of("method", method, ("auto", "direct", "fft"))
    return _cut("convolve", _full("convolve", a, v), a.shape, v.shape, mode)


@operation(
    library_names=_in_signal("correlate"),
    keyword_aliases=SIGNAL_KEYWORDS,
    samples=SIGNAL_SAMPLES,
    refuses=SIGNAL_REFUSED,
    analytic=True,
)
def signal_correlate(a, v, *, mode="full", method="auto"):
    """The cross-correlation of two arrays along all of their axes: scipy.signal.correlate.

    Shapes:  a [n, ...], v [m, ...] -> [n + m - 1, ...]; the middle of a's shape with mode="same",
             only what has no edge with mode="valid"
    Kinks:   none
    Source:  sum over i of a[i + k] v[i]; linear in each array
    Example: vjp explain "scipy.signal.correlate(x, v)" x=1,2,3 v=1,10 --seed ones
    """
    one_of("method", method, ("auto", "direct", "fft"))
    return _cut("correlate", _full("correlate", a, flip(v)), a.shape, v.shape, mode)


def _require_images(name, a, v, boundary, fillvalue):
    """Refuses what convolve2d of this language does not take.

    Errors: shape-mismatch, keyword-value.
    """
    if a.ndim != 2 or v.ndim != 2:
        raise fail(
            "shape-mismatch",
            f"{name} takes two matrices, not shapes {shape_text(a.shape)} and "
            f"{shape_text(v.shape)}",
        )
    one_of("boundary", boundary, ("fill",))
    if plain_number("fillvalue", fillvalue) != 0:
        raise fail("keyword-value", f"`fillvalue` of {name} is 0 here: pad the array before")


IMAGE_SAMPLES = (
    sample((2, 3), (2, 2)),
    sample((3, 3), (2, 2), mode="same"),
    sample((3, 4), (2, 2), mode="valid"),
)
IMAGE_REFUSED = (
    Refusal(sample((3,), (2,)), "shape-mismatch"),
    Refusal(sample((2, 2), (2, 2), boundary="wrap"), "keyword-value"),
    Refusal(sample((2, 2), (2, 2), fillvalue=1), "keyword-value"),
)


@operation(
    keyword_aliases=SIGNAL_KEYWORDS, samples=IMAGE_SAMPLES, refuses=IMAGE_REFUSED, analytic=True
)
def convolve2d(a, v, *, mode="full", boundary="fill", fillvalue=0):
    """The convolution of two matrices, with zeros around them.

    Shapes:  a [n, m], v [k, l] -> [n + k - 1, m + l - 1]; the middle of a's shape with
             mode="same", only what has no edge with mode="valid"
    Kinks:   none
    Source:  scipy.signal.convolve2d; linear in each matrix
    Example: vjp explain "scipy.signal.convolve2d(A, K)" A=[[1,2],[3,4]] K=[[1,10]] --seed ones
    """
    _require_images("convolve2d", a, v, boundary, fillvalue)
    return signal_convolve(a, v, mode=mode)


@operation(
    keyword_aliases=SIGNAL_KEYWORDS, samples=IMAGE_SAMPLES, refuses=IMAGE_REFUSED, analytic=True
)
def correlate2d(a, v, *, mode="full", boundary="fill", fillvalue=0):
    """The cross-correlation of two matrices, with zeros around them.

    Shapes:  a [n, m], v [k, l] -> [n + k - 1, m + l - 1]; the middle of a's shape with
             mode="same", only what has no edge with mode="valid"
    Kinks:   none
    Source:  scipy.signal.correlate2d; linear in each matrix
    Example: vjp explain "scipy.signal.correlate2d(A, K)" A=[[1,2],[3,4]] K=[[1,10]] --seed ones
    """
    _require_images("correlate2d", a, v, boundary, fillvalue)
    full = _full("correlate2d", a, flip(v))
    return _cut("correlate2d", full, a.shape, v.shape, mode, later=True)


# --- values between samples

PLACES = np.array([[0.3, 1.2, -0.4], [0.7, 0.1, 1.6]])
MOST_CORNERS = 2**10


@operation(
    present={"coordinates": "now"},
    keyword_aliases={"input": "x"},
    samples=(
        sample((2, 3), PLACES.tolist(), order=1, now=PLACES),
        sample((2, 3), PLACES.tolist(), order=1, mode="nearest", now=PLACES),
        sample((2, 3), PLACES.tolist(), order=0, cval=2.0, now=PLACES),
    ),
    refuses=(
        Refusal(sample((2, 3), PLACES.tolist(), order=3, now=PLACES), "keyword-value"),
        Refusal(sample((2,), PLACES.tolist(), order=1, now=PLACES), "shape-mismatch"),
        Refusal(sample((2, 3), PLACES.tolist(), order=1, mode="wrap", now=PLACES), "keyword-value"),
    ),
)
def map_coordinates(x, coordinates, *, order=3, mode="constant", cval=0.0, now=None):
    """The values of an array between its entries, at places given along each axis.

    Shapes:  x [n, ...], coordinates [number of axes, ...] -> [...]; order=1 goes in straight
             lines, order=0 takes the nearest entry
    Kinks:   at whole places: the slope on the right is used; outside it is cval, or the border
             with mode="nearest"
    Source:  jax.scipy.ndimage.map_coordinates; products of the distances along each axis
    Example: vjp explain "jax.scipy.ndimage.map_coordinates(A, [[0.5], [0.5]], 1)" A=[[1,2],[3,4]]
    """
    if whole_number("order", order, least=0) > 1:
        raise fail("keyword-value", "`order` of map_coordinates is 0 or 1: splines are not there")
    mode = one_of("mode", mode, ("constant", "nearest"))
    if coordinates.ndim == 0 or coordinates.shape[0] != x.ndim or x.size == 0:
        raise fail(
            "shape-mismatch",
            f"map_coordinates needs places along {x.ndim} axes, not shape "
            f"{shape_text(coordinates.shape)}",
        )
    if 2**x.ndim > MOST_CORNERS:
        raise fail("too-large", f"{x.ndim} axes have too many corners")
    places = np.zeros(coordinates.shape) if now is None else np.nan_to_num(now)
    outside = as_node(plain_number("cval", cval))
    if order == 0:
        nearest = np.floor(places + 0.5).astype(np.intp)  # jax rounds halves up
        return _at_corner(x, nearest, mode, outside)
    floors = np.floor(places).astype(np.intp)
    beyond = coordinates - make_constant(floors)
    total = None
    for corner in itertools.product((0, 1), repeat=x.ndim):
        steps = np.reshape(corner, (-1, *(1,) * (places.ndim - 1)))
        term = _at_corner(x, floors + steps, mode, outside)
        for axis, step in enumerate(corner):
            part = indexing.index(beyond, index=(axis,))
            term = term * (part if step else 1 - part)
        total = term if total is None else total + term
    return total


def _at_corner(x, places, mode, outside):
    """The entries at whole places; what lies outside is the border's or a constant."""
    limits = np.reshape(x.shape, (-1, *(1,) * (places.ndim - 1)))
    inside = ((places >= 0) & (places < limits)).all(axis=0)
    read = indexing.index(x, index=tuple(np.clip(places, 0, limits - 1)))
    if mode == "nearest" or inside.all():
        return read
    return comparison.where(as_node(inside), read, outside)
