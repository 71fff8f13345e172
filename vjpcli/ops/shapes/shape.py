"""Shape: the same entries in the same order in another arrangement, or stretched over new axes."""

from __future__ import annotations

import math

import numpy as np

from vjpcli.ops.declaration import (
    Elsewhere,
    Refusal,
    fail,
    leading,
    operation,
    outcome,
    sample,
    shape_text,
    trailing_axes,
    trailing_axis,
)
from vjpcli.ops.keywords import array_shape, one_of, wanted_lengths
from vjpcli.ops.shapes import ordering


def wanted_shape(x, shape):
    """`shape` as a tuple, with one -1 filled in so that the entries of x fit.

    Errors: reshape-size, shape-form.
    """
    wanted = wanted_lengths(shape)
    known = math.prod(n for n in wanted if n != -1)
    if wanted.count(-1) == 1 and known and x.size % known == 0:
        wanted = tuple(x.size // known if n == -1 else n for n in wanted)
    if -1 in wanted or math.prod(wanted) != x.size:
        raise fail(
            "reshape-size",
            f"{x.size} entries of shape {shape_text(x.shape)} do not fill {shape_text(wanted)}",
        )
    return wanted


def _in_order(x, order, change):
    """`change(x)` where entries count with the last axis fastest ("C") or the first ("F").

    Errors: keyword-value.
    """
    if one_of("order", order, ("C", "F", "A", "K")) == "F":
        return ordering.T(change(ordering.T(x)))
    return change(x)


@operation(
    lambda x, *, shape: np.reshape(x, shape),
    pattern="movement",
    aliases=("view",),
    collects="shape",
    keyword_aliases={"newshape": "shape", "size": "shape"},
    samples=(
        sample((2, 3), shape=(3, 2)),
        sample((6,), shape=(2, -1)),
        sample((2, 3), shape=-1),
        sample((2, 3), shape=(3, -1), order="F"),
        sample((), shape=(1, 1)),
        sample((0, 3), shape=(3, 0)),
    ),
    refuses=(
        Refusal(sample((2, 3), shape=(4, 2)), "reshape-size"),
        Refusal(sample((2, 3), shape=(-1, 4)), "reshape-size"),
        Refusal(sample((2, 3), shape=(-1, -1)), "reshape-size"),
        Refusal(sample((0, 3), shape=(-1, 0)), "reshape-size"),
        Refusal(sample((2, 3), shape=(-2, 3)), "shape-form"),
        Refusal(sample((2, 3), shape=(2.0, 3)), "shape-form"),
        Refusal(sample((2, 3), shape=((2, 3),)), "shape-form"),
        Refusal(sample((2, 3), shape=(True, 6)), "shape-form"),
        Refusal(sample((2, 3), shape=(6,), order="Z"), "keyword-value"),
    ),
    analytic=True,
)
def reshape(x, *, shape, order="C"):
    """The same entries, in the same order, in another shape; one length may be -1.

    Shapes:  x [...] -> shape
    Kinks:   none
    Source:  a rearrangement: the adjoint is rearranged back
    Example: vjp explain "reshape(x, (2, 2)) @ v" x=1,2,3,4 v=1,10 --seed ones
    """
    wanted = wanted_shape(x, shape)
    if order != "C":
        reverse = order == "F"
        return _in_order(x, order, lambda x: reshape(x, shape=wanted[::-1] if reverse else wanted))
    return outcome(wanted, shape=wanted)


@reshape.vjp
def _(g, y, x, *, shape):
    return reshape(g, shape=leading(g, y) + x.shape)


@operation(
    aliases=("view_as",),
    samples=(sample((2, 3), (6,)), sample((4,), (2, 2))),
    refuses=(Refusal(sample((2, 3), (5,)), "reshape-size"),),
)
def reshape_as(x, other):
    """The entries of x in the shape of another array.

    Shapes:  x [...], other [...] -> shape of other
    Kinks:   none; no gradient reaches other
    Source:  a rearrangement
    Example: vjp explain "reshape_as(x, m) * m" x=1,2,3,4 m=[[1,2],[3,4]] --seed ones
    """
    return reshape(x, shape=other.shape)


@operation(
    samples=(
        sample((2, 3)),
        sample((2, 3, 2), start_dim=1),
        sample((2, 3, 2), start_dim=0, end_dim=-2),
        sample(()),
        sample((0, 2)),
    ),
    refuses=(
        Refusal(sample((2, 3), start_dim=1, end_dim=0), "axes-reversed"),
        Refusal(sample((2, 3), start_dim=2), "axis-out-of-range"),
    ),
)
def flatten(x, *, start_dim=0, end_dim=-1, order="C"):
    """The same entries with the axes from `start_dim` to `end_dim` merged into one.

    Shapes:  x [..., a, b, ...] -> [..., a*b, ...]; a scalar becomes one entry
    Kinks:   none
    Source:  a rearrangement
    Example: vjp explain "flatten(W) @ v" W=[[1,2],[3,4]] v=1,2,3,4
    """
    if isinstance(start_dim, str):  # np.ndarray.flatten("F")
        start_dim, order = 0, start_dim
    if x.ndim == 0:
        return reshape(x, shape=(1,))
    start = trailing_axis(x, start_dim) + x.ndim
    end = trailing_axis(x, end_dim) + x.ndim
    if end < start:
        raise fail("axes-reversed", f"axis {start_dim} does not come before axis {end_dim}")
    merged = math.prod(x.shape[start : end + 1])
    return reshape(x, shape=(*x.shape[:start], merged, *x.shape[end + 1 :]), order=order)


@operation(samples=(sample((2, 3)), sample(()), sample((0,))))
def ravel(x, *, order="C"):
    """The same entries along one axis.

    Shapes:  x [...] -> [number of entries]
    Kinks:   none
    Source:  a rearrangement
    Example: vjp explain "ravel(W) * v" W=[[1,2],[3,4]] v=1,2,3,4 --seed ones
    """
    return reshape(x, shape=(x.size,), order=order)


@operation(
    keyword_aliases={"unflattened_size": "sizes"},
    samples=(
        sample((6, 2), axis=0, sizes=(2, 3)),
        sample((2, 6), axis=-1, sizes=(-1, 3)),
        sample((0,), axis=0, sizes=(0, 3)),
    ),
    refuses=(
        Refusal(sample((6,), axis=0, sizes=(4, 2)), "reshape-size"),
        Refusal(sample((6,), axis=1, sizes=(3, 2)), "axis-out-of-range"),
        Refusal(sample((6,), axis=0, sizes="ab"), "shape-form"),
    ),
)
def unflatten(x, *, axis, sizes):
    """The same entries with one axis split into several; one length may be -1.

    Shapes:  x [..., a*b, ...] -> [..., a, b, ...]
    Kinks:   none
    Source:  a rearrangement
    Example: vjp explain "unflatten(x, 0, (2, 2)) @ v" x=1,2,3,4 v=1,10 --seed ones
    """
    place = trailing_axis(x, axis) + x.ndim
    parts = wanted_lengths(sizes)
    known = math.prod(n for n in parts if n != -1)
    if parts.count(-1) == 1 and known and x.shape[place] % known == 0:
        parts = tuple(x.shape[place] // known if n == -1 else n for n in parts)
    if math.prod(parts) != x.shape[place]:
        raise fail(
            "reshape-size",
            f"an axis of length {x.shape[place]} cannot be split into {shape_text(parts)}",
        )
    return reshape(x, shape=(*x.shape[:place], *parts, *x.shape[place + 1 :]))


@operation(
    lambda x, *, axis: np.expand_dims(x, axis),
    pattern="movement",
    aliases=("unsqueeze",),
    samples=(
        sample((2, 3), axis=0),
        sample((3,), axis=-1),
        sample((2, 3), axis=(0, 2)),
        sample((), axis=0),
    ),
    refuses=(
        Refusal(sample((3,), axis=2), "axis-out-of-range"),
        Refusal(sample((3,), axis=(0, 0)), "axis-twice"),
        Refusal(sample((3,), axis=1.5), "axis-not-whole"),
    ),
    analytic=True,
    keyword_aliases={"dimensions": "axis"},
)
def expand_dims(x, *, axis):
    """The same entries with new axes of length 1.

    Shapes:  x [...] -> [...] with length 1 at each named axis of the result
    Kinks:   none
    Source:  a rearrangement
    Example: vjp explain "expand_dims(x, 1) * y" x=1,2 y=3,4 --seed ones
    """
    several = axis if isinstance(axis, list | tuple) else (axis,)
    axes = tuple(sorted(trailing_axis(x, one, extra=len(several)) for one in several))
    if len(set(axes)) < len(axes):
        raise fail("axis-twice", f"the same axis is named twice in {tuple(several)}")
    ndim = x.ndim + len(axes)
    lengths = iter(x.shape)
    shape = tuple(1 if i - ndim in axes else next(lengths) for i in range(ndim))
    return outcome(shape, axis=axes)


@expand_dims.vjp
def _(g, y, x, *, axis):
    return squeeze(g, axis=axis)


@operation(
    lambda x, *, axis: np.squeeze(x, axis),
    pattern="movement",
    samples=(
        sample((1, 3)),
        sample((2, 1, 3), axis=1),
        sample((2, 1, 1), axis=(-1, -2)),
        sample((2, 1), axis=0),
        sample((3,)),
    ),
    refuses=(Refusal(sample((1, 3), axis=2), "axis-out-of-range"),),
    analytic=True,
    keyword_aliases={"dimensions": "axis"},
)
def squeeze(x, *, axis=None):
    """The same entries without axes of length 1 (all of them, or those named).

    Shapes:  x [...] -> [...] with the axes gone; a named axis longer than 1 stays (PyTorch)
    Kinks:   none
    Source:  a rearrangement
    Example: vjp explain "squeeze(W @ x)" W=[[1,2]] x=[[3],[4]]
    """
    axes = trailing_axes(x, axis)
    axes = tuple(one for one in axes if x.shape[one] == 1)
    gone = {one + x.ndim for one in axes}
    shape = tuple(n for i, n in enumerate(x.shape) if i not in gone)
    return outcome(shape, axis=axes)


@squeeze.vjp
def _(g, y, x, *, axis):
    return expand_dims(g, axis=axis) if axis else g


@operation(samples=(sample(()), sample((3,)), sample((2, 3))))
def atleast_1d(x):
    """The array with at least one axis.

    Shapes:  x [] -> [1]; others stay
    Kinks:   none
    Source:  a rearrangement
    Example: vjp explain "atleast_1d(x) * y" x=2 y=3,4 --seed ones
    """
    return reshape(x, shape=(1,)) if x.ndim == 0 else x


@operation(samples=(sample(()), sample((3,)), sample((2, 3))))
def atleast_2d(x):
    """The array with at least two axes; new ones stand in front.

    Shapes:  x [n] -> [1, n]; x [] -> [1, 1]; others stay
    Kinks:   none
    Source:  a rearrangement
    Example: vjp explain "atleast_2d(x) @ A" x=1,2 A=[[1,2],[3,4]] --seed ones
    """
    return reshape(x, shape=(1,) * (2 - x.ndim) + x.shape) if x.ndim < 2 else x


@operation(samples=(sample(()), sample((3,)), sample((2, 3)), sample((1, 2, 1, 2))))
def atleast_3d(x):
    """The array with at least three axes; a vector lies along the second of them.

    Shapes:  x [n] -> [1, n, 1]; x [m, n] -> [m, n, 1]; others stay
    Kinks:   none
    Source:  a rearrangement
    Example: vjp explain "atleast_3d(x)**2" x=1,2 --seed ones
    """
    if x.ndim >= 3:
        return x
    return reshape(atleast_2d(x), shape=(*atleast_2d(x).shape, 1))


def _stretch(x, *, shape):
    # The result is only read, so copies are not made: every copy shares one entry.
    return np.broadcast_to(x, shape)


@operation(
    _stretch,
    pattern="movement",
    aliases=("expand",),
    collects="shape",
    keyword_aliases={"size": "shape", "sizes": "shape"},
    samples=(
        sample((3,), shape=(2, 3)),
        sample((2, 1), shape=(2, 3)),
        sample((), shape=(2,)),
        sample((3,), shape=(-1,)),
        sample((1, 2), shape=(0, 2)),
    ),
    refuses=(
        Refusal(sample((3,), shape=(2, 4)), "shape-mismatch"),
        Refusal(sample((2, 3), shape=(3,)), "shape-mismatch"),
        Refusal(sample((3,), shape=(-1, 3)), "shape-mismatch"),
        Refusal(sample((3,), shape=(2, 3.5)), "shape-form"),
        Refusal(sample((3,), shape=(10**12, 3)), "too-large"),
    ),
    elsewhere=(
        Elsewhere(
            "autograd",
            'raises "Can\'t handle extra leading dims"',
            "axes are added in front",
            lambda y, x, *, shape: y.ndim > x.ndim,
            point=([1.0, 2.0, 3.0],),
            static={"shape": (2, 3)},
        ),
    ),
    analytic=True,
)
def broadcast_to(x, *, shape):
    """The entries copied along axes of length 1 and new leading axes.

    Shapes:  x [...] -> shape; -1 keeps a length (PyTorch)
    Kinks:   none
    Source:  each entry receives the sum of the adjoints of its copies
    Example: vjp explain "broadcast_to(x, (2, 3))" x=1,2,3 --seed [[1,1,1],[10,10,10]]
    """
    wanted = wanted_lengths(shape)
    missing = len(wanted) - x.ndim
    aligned = (None,) * missing + x.shape
    lengths = tuple(
        old if new == -1 and old is not None else new
        for old, new in zip(aligned, wanted, strict=False)
    )
    fits = missing >= 0 and all(
        new >= 0 and old in (None, 1, new) for old, new in zip(aligned, lengths, strict=True)
    )
    if not fits:
        raise fail(
            "shape-mismatch",
            f"shape {shape_text(x.shape)} cannot be stretched to {shape_text(wanted)}",
            notes=("only axes of length 1 and new leading axes can be stretched",),
        )
    return outcome(array_shape(lengths), shape=lengths)


@broadcast_to.vjp
def _(g, y, x, *, shape):
    return g  # `backward` sums over the copies


@operation(
    samples=(sample((3,), (2, 3)), sample((), (2,))),
    refuses=(Refusal(sample((3,), (2,)), "shape-mismatch"),),
)
def expand_as(x, other):
    """The entries of x copied until they have the shape of another array.

    Shapes:  x [...], other [...] -> shape of other
    Kinks:   none; no gradient reaches other
    Source:  each entry receives the sum of the adjoints of its copies
    Example: vjp explain "expand_as(x, m) * m" x=1,2 m=[[1,2],[3,4]] --seed ones
    """
    return broadcast_to(x, shape=other.shape)
