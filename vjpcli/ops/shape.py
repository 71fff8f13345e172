"""Shape: the same entries in another arrangement, or copied. No arithmetic on the way."""

from __future__ import annotations

import numpy as np

from vjpcli.ops import indexing
from vjpcli.ops.declaration import (
    fail,
    leading,
    operation,
    outcome,
    sample,
    shape_text,
    trailing_axes,
    trailing_axis,
)


def wanted_shape(x, shape):
    """`shape` as a tuple, with one -1 filled in so that the entries of x fit.

    Errors: reshape-size, shape-form.
    """
    wanted = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    if any(isinstance(n, bool) or not isinstance(n, int | np.integer) for n in wanted):
        raise fail("shape-form", f"a shape holds whole numbers, not {shape!r}")
    wanted = tuple(int(n) for n in wanted)
    known = int(np.prod([n for n in wanted if n != -1], dtype=object))
    if wanted.count(-1) == 1 and known and x.size % known == 0:
        wanted = tuple(x.size // known if n == -1 else n for n in wanted)
    if any(n < 0 for n in wanted) or int(np.prod(wanted, dtype=object)) != x.size:
        raise fail(
            "reshape-size",
            f"{x.size} entries of shape {shape_text(x.shape)} do not fill {shape_text(wanted)}",
        )
    return wanted


@operation(
    lambda x, *, shape: np.reshape(x, shape),
    pattern="movement",
    aliases=("view",),
    collects="shape",
    samples=(
        sample((2, 3), shape=(3, 2)),
        sample((6,), shape=(2, -1)),
        sample((), shape=(1, 1)),
        sample((0, 3), shape=(3, 0)),
    ),
    analytic=True,
)
def reshape(x, *, shape):
    """The same entries, in the same order, in another shape; one length may be -1.

    Shapes:  x [...] -> shape
    Kinks:   none
    Source:  a rearrangement: the adjoint is rearranged back
    Example: vjp explain "reshape(x, (2, 2)) @ v" x=1,2,3,4 v=1,10 --seed ones
    """
    return outcome(wanted_shape(x, shape), shape=wanted_shape(x, shape))


@reshape.vjp
def _(g, y, x, *, shape):
    return reshape(g, shape=leading(g, y) + x.shape)


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
    analytic=True,
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
        sample((3,)),
    ),
    analytic=True,
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


def _stretch(x, *, shape):
    # The result is only read, so copies are not made: every copy shares one entry.
    return np.broadcast_to(x, shape)


@operation(
    _stretch,
    pattern="movement",
    aliases=("expand",),
    collects="shape",
    samples=(
        sample((3,), shape=(2, 3)),
        sample((2, 1), shape=(2, 3)),
        sample((), shape=(2,)),
        sample((3,), shape=(-1,)),
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
    wanted = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    missing = len(wanted) - x.ndim
    lengths = tuple(
        x.shape[i - missing] if n == -1 and i >= missing else n for i, n in enumerate(wanted)
    )
    try:
        fits = np.broadcast_shapes(x.shape, lengths) == lengths
    except (ValueError, TypeError):
        fits = False
    if not fits:
        raise fail(
            "shape-mismatch",
            f"shape {shape_text(x.shape)} cannot be stretched to {tuple(wanted)}",
            notes=("only axes of length 1 and new leading axes can be stretched",),
        )
    return outcome(lengths, shape=lengths)


@broadcast_to.vjp
def _(g, y, x, *, shape):
    return g  # `backward` sums over the copies


@operation(
    lambda *tensors, axis: np.stack(tensors, axis=axis),
    pattern="movement",
    samples=(sample((3,), (3,), axis=0), sample((2, 3), (2, 3), axis=-1), sample((), (), axis=0)),
    analytic=True,
)
def stack(*tensors, axis=0):
    """Arrays of one shape beside each other along a new axis.

    Shapes:  tensors [...] each -> [...] with a new axis as long as there are tensors
    Kinks:   none
    Source:  each operand receives its own slice of the adjoint
    Example: vjp explain "stack([x, x**2])" x=1,2 --seed [[1,1],[10,10]]
    """
    shapes = {tensor.shape for tensor in tensors}
    if len(shapes) > 1:
        listed = " and ".join(shape_text(one) for one in sorted(shapes))
        raise fail("shape-mismatch", f"stack needs one shape, not {listed}")
    axis = trailing_axis(tensors[0], axis, extra=1)
    shape = list(tensors[0].shape)
    shape.insert(len(shape) + 1 + axis, len(tensors))
    return outcome(shape, axis=axis)


@stack.vjp
def _(g, y, *tensors, axis):
    behind = (slice(None),) * (-axis - 1)
    return tuple(indexing.index(g, index=(Ellipsis, i, *behind)) for i in range(len(tensors)))
