"""Arguments of Fourier transforms: axes, lengths, scaling. They are the same for all of them."""

from __future__ import annotations

from vjpcli.ops.declaration import (
    Refusal,
    fail,
    sample,
    shape_text,
    trailing_axes,
    trailing_axis,
)
from vjpcli.ops.keywords import one_of, whole_number, whole_numbers
from vjpcli.ops.neural import windows
from vjpcli.ops.shapes import indexing

LAST_TWO = (-2, -1)

NORMS = ("backward", "ortho", "forward")
OPPOSITE = {"backward": "forward", "ortho": "ortho", "forward": "backward"}
"""Scaling of a transform -> the one that scales the way back by the same factor."""

LINE = (sample((4,)), sample((2, 3), axis=0, n=4), sample((5,), n=3, norm="ortho"))
PLANE = (sample((2, 3)), sample((3, 2), axis=(1, 0)), sample((2, 4), s=(3, 2), norm="forward"))
SPACE = (sample((4,)), sample((2, 3)), sample((2, 3), s=(4,), axis=(0,)))
REFUSED = (
    Refusal(sample(()), "rank-too-low"),
    Refusal(sample((0,)), "empty-transform"),
    Refusal(sample((3,), n=0), "keyword-value"),
    Refusal(sample((3,), n=1.5), "keyword-value"),
    Refusal(sample((3,), axis=1), "axis-out-of-range"),
    Refusal(sample((3,), norm="orto"), "keyword-value"),
    Refusal(sample((3, 2), axis=(0, 1)), "keyword-value"),
)
REFUSED_PLANE = (
    Refusal(sample((3,)), "axis-out-of-range"),
    Refusal(sample((3, 2), s=(2,)), "keyword-value"),
    Refusal(sample((3, 2), axis=(1, 1)), "axis-twice"),
)


def axes_in_order(x, axis):
    """The axes to transform, counted from the end; the last of them is the one to be halved.

    Errors: rank-too-low, empty-transform, and those of `trailing_axes`.
    """
    if x.ndim == 0:
        raise fail("rank-too-low", "a Fourier transform needs an axis, and a number has none")
    axes = trailing_axes(x, axis)
    if isinstance(axis, list | tuple):
        axes = tuple(trailing_axis(x, one) for one in axis)
    if not axes:
        raise fail("rank-too-low", "a Fourier transform needs an axis, and `axis` names none")
    if any(x.shape[one] == 0 for one in axes):
        raise fail(
            "empty-transform",
            f"a Fourier transform needs at least one entry along each of its axes, "
            f"not shape {shape_text(x.shape)}",
        )
    return axes


def norm_of(norm):
    """The scaling that is meant; None is the usual one.

    Errors: keyword-value.
    """
    return "backward" if norm is None else one_of("norm", norm, NORMS)


def one_axis(x, axis):
    """The axis of a transform along one, as a tuple.

    Errors: keyword-value, where several are given.
    """
    if isinstance(axis, list | tuple):
        raise fail(
            "keyword-value",
            f"this transform is along one axis, not {axis!r}",
            notes=("fftn and its like take several axes",),
        )
    return axes_in_order(x, axis)


def axes_and_lengths(x, s, axis):
    """The axes of a transform along several, and the length wanted along each (None: as it is).

    Errors: keyword-value, and those of `axes_in_order`.
    """
    if s is None:
        axes = axes_in_order(x, axis)
        return axes, (None,) * len(axes)
    lengths = whole_numbers("s", s, least=-1)
    if axis is None:
        axis = tuple(range(-len(lengths), 0))
    axes = axes_in_order(x, axis)
    if len(axes) != len(lengths):
        raise fail("keyword-value", f"`s` has {len(lengths)} lengths for {len(axes)} axes")
    return axes, tuple(None if n == -1 else n for n in lengths)


def with_lengths(x, axes, lengths):
    """x cut off, or continued by zeros, to these lengths (None: as it is).

    Errors: keyword-value.
    """
    missing = [0] * x.ndim
    index = [slice(None)] * x.ndim
    for axis, n in zip(axes, lengths, strict=True):
        if n is None:
            continue
        wanted = whole_number("n", n, least=1)
        missing[axis] = max(0, wanted - x.shape[axis])
        if wanted < x.shape[axis]:
            index[axis] = slice(None, wanted)
    if any(part != slice(None) for part in index):
        x = indexing.index(x, index=(Ellipsis, *index))
    return windows.padded(x, [0] * x.ndim, missing)
