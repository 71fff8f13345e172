"""Extremes: the largest and smallest entry, and where it is.

Libraries differ at ties. A maximum over everything, and `amax` and `amin`, share the adjoint
evenly among equal entries; PyTorch's `max(x, dim)` also tells an index and gives the adjoint to
that entry alone. NumPy's and JAX's `max` are `amax` here.
"""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import (
    Kink,
    Refusal,
    fail,
    operation,
    outcome,
    reduced_shape,
    sample,
    trailing_axes,
    trailing_axis,
)
from vjpcli.ops.keywords import true_or_false
from vjpcli.ops.numbers import comparison
from vjpcli.ops.reductions import chosen, reduction
from vjpcli.ops.shapes import selection

NONEMPTY_SAMPLES = (*reduction.REDUCTION_SAMPLES, sample((0, 3), axis=1))
EMPTY_REFUSED = (
    Refusal(sample((0,)), "empty-reduction"),
    Refusal(sample((2, 0), axis=1), "empty-reduction"),
)
CHOICE_SAMPLES = (
    sample((2, 3), axis=1, where=[True, False, True], initial=0.1),
    sample((3,), initial=0.2),
    sample((2, 0), axis=1, initial=3),
)
CHOICE_REFUSED = (
    Refusal(sample((2, 3), where=[True, False, True]), "missing-argument"),
    Refusal(sample((2, 3), where=[True, False], initial=0), "mask-shape"),
    Refusal(sample((2, 3), initial="none"), "keyword-value"),
)
INDEX_SAMPLES = (sample((2, 3)), sample((2, 3), axis=0), sample((2, 3), axis=-1, keepdims=True))


def _hits(y, x, axis, keepdims):
    """Which entries of the array x equal their result y."""
    kept = y if keepdims or not axis else np.expand_dims(y, axis)
    return x == kept


def tied(y, x, *, axis, keepdims):
    """Where more than one entry equals the result: the kink of every extreme."""
    return np.count_nonzero(_hits(y, x, axis, keepdims), axis=axis, keepdims=keepdims) > 1


def share(g, hit, axis, keepdims):
    """The adjoint, divided evenly among the entries of each result that were `hit`.

    Where none was hit (the result is nan) every share is 0/0.
    """
    count = reduction.sum(comparison.where(hit, 1.0, 0.0), axis=axis, keepdims=True)
    return comparison.where(hit, reduction.restore_axes(g, axis, keepdims), 0) / count


def share_among_equal(g, y, x, *, axis, keepdims):
    """The rule of `amax` and `amin`: ties share evenly."""
    hit = comparison.equal(x, reduction.restore_axes(y, axis, keepdims))
    return share(g, hit, axis, keepdims)


def share_among_equal_or_nan(g, y, x, *, axis, keepdims):
    """The same where PyTorch counts nan as equal to nan: in reductions over everything."""
    kept = reduction.restore_axes(y, axis, keepdims)
    both_nan = comparison.isnan(x) & comparison.isnan(kept)
    return share(g, comparison.equal(x, kept) | both_nan, axis, keepdims)


def _extreme_outcome(name, x, axis, keepdims):
    reduction.refuse_empty(name, x, trailing_axes(x, axis))
    return reduction.reduction_outcome(x, axis, keepdims)


@operation(
    lambda x, *, axis, keepdims: np.max(x, axis=axis, keepdims=keepdims),
    pattern="reduction",
    library_names={"numpy": ("max", "amax"), "jax": ("max", "amax", "reduce_max")},
    samples=(*NONEMPTY_SAMPLES, *CHOICE_SAMPLES),
    refuses=(*EMPTY_REFUSED, *CHOICE_REFUSED),
    decided=("where",),
    kinks=(Kink("several largest", tied, slopes=(0, 1), used=0.5, point=([2.0, 2.0, 1.0],)),),
)
def amax(x, *, axis=None, keepdims=False, initial=None, where=None):
    """Largest entry, along some axes or all; ties share the adjoint.

    Shapes:  x [...] -> [...] without the axes searched
    Kinks:   several equal largest entries share the adjoint evenly (PyTorch, JAX, autograd)
    Source:  the largest entry takes the adjoint
    Example: vjp explain "amax(x)" x=3,3,1
    """
    if initial is not None or where is not None:
        return chosen.extreme_of_chosen(
            amax,
            comparison.maximum,
            -np.inf,
            x,
            trailing_axes(x, axis),
            keepdims,
            initial,
            where,
        )
    return _extreme_outcome("amax", x, axis, keepdims)


@operation(
    lambda x, *, axis, keepdims: np.min(x, axis=axis, keepdims=keepdims),
    pattern="reduction",
    library_names={"numpy": ("min", "amin"), "jax": ("min", "amin", "reduce_min")},
    samples=(*NONEMPTY_SAMPLES, *CHOICE_SAMPLES),
    refuses=(*EMPTY_REFUSED, *CHOICE_REFUSED),
    decided=("where",),
    kinks=(Kink("several smallest", tied, slopes=(0, 1), used=0.5, point=([1.0, 1.0, 2.0],)),),
)
def amin(x, *, axis=None, keepdims=False, initial=None, where=None):
    """Smallest entry, along some axes or all; ties share the adjoint.

    Shapes:  x [...] -> [...] without the axes searched
    Kinks:   several equal smallest entries share the adjoint evenly (PyTorch, JAX, autograd)
    Source:  the smallest entry takes the adjoint
    Example: vjp explain "amin(x)" x=3,1,1
    """
    if initial is not None or where is not None:
        return chosen.extreme_of_chosen(
            amin,
            comparison.minimum,
            np.inf,
            x,
            trailing_axes(x, axis),
            keepdims,
            initial,
            where,
        )
    return _extreme_outcome("amin", x, axis, keepdims)


for _shared in (amax, amin):
    _shared.vjp(share_among_equal)


@operation(
    lambda x, *, axis, keepdims: np.max(x, axis=axis, keepdims=keepdims),
    pattern="reduction",
    integer_is_static=True,
    several=("values", "indices"),
    samples=(
        sample((2, 3)),
        sample((4,)),
        sample(()),
        sample((2, 3), axis=0),
        sample((2, 3), axis=-1, keepdims=True),
        sample((2, 3), (3,)),
    ),
    refuses=EMPTY_REFUSED,
    decided=("where",),
    kinks=(Kink("several largest", tied, slopes=(0, 1), used=0.5, point=([2.0, 2.0, 1.0],)),),
)
def max(x, other=None, *, axis=None, keepdims=False, initial=None, where=None):
    """Largest entry of all; along one axis also where it is; or the larger of two arrays.

    Shapes:  x [...] -> scalar; with an axis (values, indices) without it; with a second array
             as `maximum`, and so `max(x, 0)` of a number x; several axes as `amax`
    Kinks:   over everything, equal largest entries share the adjoint evenly; along an axis the
             first of them takes it (PyTorch; JAX, autograd and `np.max` share)
    Source:  the largest entry takes the adjoint; a nan counts as the largest
    Example: vjp explain "max(x, dim=1)" 'x=[[3,3,1],[1,2,5]]' --seed 1,10
    """
    if other is not None:
        _no_axis("max", axis, keepdims)
        return comparison.maximum(x, other)
    if initial is not None or where is not None:
        return amax(x, axis=axis, keepdims=keepdims, initial=initial, where=where)
    if isinstance(axis, list | tuple):
        return amax(x, axis=axis, keepdims=keepdims)
    if axis is not None and x.ndim == 0:  # `max(x, 0)` of numbers is Python's
        return comparison.maximum(x, axis)
    if axis is not None:
        values = max_along(x, axis=axis, keepdims=keepdims)
        return values, argmax(x, axis=axis, keepdims=keepdims)
    return _extreme_outcome("max", x, None, keepdims)


@operation(
    lambda x, *, axis, keepdims: np.min(x, axis=axis, keepdims=keepdims),
    pattern="reduction",
    integer_is_static=True,
    several=("values", "indices"),
    samples=(
        sample((2, 3)),
        sample((4,)),
        sample(()),
        sample((2, 3), axis=0),
        sample((2, 3), axis=-1, keepdims=True),
        sample((2, 3), (3,)),
    ),
    refuses=EMPTY_REFUSED,
    decided=("where",),
    kinks=(Kink("several smallest", tied, slopes=(0, 1), used=0.5, point=([1.0, 1.0, 2.0],)),),
)
def min(x, other=None, *, axis=None, keepdims=False, initial=None, where=None):
    """Smallest entry of all; along one axis also where it is; or the smaller of two arrays.

    Shapes:  x [...] -> scalar; with an axis (values, indices) without it; with a second array
             as `minimum`, and so `min(x, 0)` of a number x; several axes as `amin`
    Kinks:   over everything, equal smallest entries share the adjoint evenly; along an axis the
             first of them takes it (PyTorch; JAX, autograd and `np.min` share)
    Source:  the smallest entry takes the adjoint; a nan counts as the smallest
    Example: vjp explain "min(x, dim=1)" 'x=[[3,1,1],[1,2,5]]' --seed 1,10
    """
    if other is not None:
        _no_axis("min", axis, keepdims)
        return comparison.minimum(x, other)
    if initial is not None or where is not None:
        return amin(x, axis=axis, keepdims=keepdims, initial=initial, where=where)
    if isinstance(axis, list | tuple):
        return amin(x, axis=axis, keepdims=keepdims)
    if axis is not None and x.ndim == 0:  # `min(x, 0)` of numbers is Python's
        return comparison.minimum(x, axis)
    if axis is not None:
        values = min_along(x, axis=axis, keepdims=keepdims)
        return values, argmin(x, axis=axis, keepdims=keepdims)
    return _extreme_outcome("min", x, None, keepdims)


for _full in (max, min):
    _full.vjp(share_among_equal_or_nan)
    for _engine in ("jax", "autograd"):
        _full.vjp_like(_engine)(share_among_equal)


def _no_axis(name, axis, keepdims):
    if axis is not None or keepdims:
        raise fail(
            "keyword-value",
            f"{name} of two arrays takes no axis",
            notes=(f"{name}(x, dim) searches one array; {name}imum(x, y) compares two",),
        )


def _along_outcome(name, x, axis, keepdims):
    axis = trailing_axis(x, axis)
    return _extreme_outcome(name, x, (axis,), keepdims)


def _to_first(g, index, x, axis, keepdims):
    kept = reduction.restore_axes(g, axis, keepdims)
    return selection.put_along(kept, index, axis=axis[0], length=x.shape[axis[0]])


@operation(
    lambda x, *, axis, keepdims: np.max(x, axis=axis, keepdims=keepdims),
    pattern="reduction",
    samples=(sample((2, 3)), sample((2, 3), axis=0), sample((3, 2), axis=1, keepdims=True)),
    refuses=EMPTY_REFUSED,
    kinks=(
        Kink(
            "several largest",
            tied,
            slopes=(0, 1),
            used=1,
            point=([2.0, 2.0, 1.0],),
            others={"jax": 0.5, "autograd": 0.5},
        ),
    ),
)
def max_along(x, *, axis=-1, keepdims=False):
    """Largest entry along one axis: the values of `max(x, dim)`.

    Shapes:  x [...] -> [...] without the axis
    Kinks:   the first of several equal largest entries takes the adjoint (PyTorch); JAX and
             autograd share it
    Source:  the entry that `argmax` names takes the adjoint
    Example: vjp explain "max_along(x)" x=3,3,1
    """
    return _along_outcome("max", x, axis, keepdims)


@max_along.vjp
def _(g, y, x, *, axis, keepdims):
    return _to_first(g, argmax(x, axis=axis[0], keepdims=True), x, axis, keepdims)


@operation(
    lambda x, *, axis, keepdims: np.min(x, axis=axis, keepdims=keepdims),
    pattern="reduction",
    samples=(sample((2, 3)), sample((2, 3), axis=0), sample((3, 2), axis=1, keepdims=True)),
    refuses=EMPTY_REFUSED,
    kinks=(
        Kink(
            "several smallest",
            tied,
            slopes=(0, 1),
            used=1,
            point=([1.0, 1.0, 2.0],),
            others={"jax": 0.5, "autograd": 0.5},
        ),
    ),
)
def min_along(x, *, axis=-1, keepdims=False):
    """Smallest entry along one axis: the values of `min(x, dim)`.

    Shapes:  x [...] -> [...] without the axis
    Kinks:   the first of several equal smallest entries takes the adjoint (PyTorch); JAX and
             autograd share it
    Source:  the entry that `argmin` names takes the adjoint
    Example: vjp explain "min_along(x)" x=3,1,1
    """
    return _along_outcome("min", x, axis, keepdims)


@min_along.vjp
def _(g, y, x, *, axis, keepdims):
    return _to_first(g, argmin(x, axis=axis[0], keepdims=True), x, axis, keepdims)


for _one_index in (max_along, min_along):
    for _engine in ("jax", "autograd"):
        _one_index.vjp_like(_engine)(share_among_equal)


def _index_outcome(name, x, axis, keepdims):
    axes = trailing_axes(x, None) if axis is None else (trailing_axis(x, axis),)
    reduction.refuse_empty(name, x, axes)
    keepdims = true_or_false("keepdims", keepdims)
    one = None if axis is None else axes[0]
    return outcome(reduced_shape(x.shape, axes, keepdims), axis=one, keepdims=keepdims)


@operation(
    lambda x, *, axis, keepdims: np.argmax(x, axis=axis, keepdims=keepdims),
    kind="index",
    samples=INDEX_SAMPLES,
    refuses=EMPTY_REFUSED,
)
def argmax(x, *, axis=None, keepdims=False):
    """Position of the largest entry, the first of equal ones. It has no derivative.

    Shapes:  x [...] -> scalar, a position in the flattened x; with an axis [...] without it
    Kinks:   jumps where the largest entry changes
    Source:  a search; a nan counts as the largest
    Example: vjp explain "x[argmax(x)]**2" x=1,5,2
    """
    return _index_outcome("argmax", x, axis, keepdims)


@operation(
    lambda x, *, axis, keepdims: np.argmin(x, axis=axis, keepdims=keepdims),
    kind="index",
    samples=INDEX_SAMPLES,
    refuses=EMPTY_REFUSED,
)
def argmin(x, *, axis=None, keepdims=False):
    """Position of the smallest entry, the first of equal ones. It has no derivative.

    Shapes:  x [...] -> scalar, a position in the flattened x; with an axis [...] without it
    Kinks:   jumps where the smallest entry changes
    Source:  a search; a nan counts as the smallest
    Example: vjp explain "x[argmin(x)]**2" x=1,5,2
    """
    return _index_outcome("argmin", x, axis, keepdims)


@operation(
    several=("min", "max"),
    samples=(sample((2, 3)), sample((2, 3), axis=1), sample((2, 3), axis=0, keepdims=True)),
)
def aminmax(x, *, axis=None, keepdims=False):
    """Smallest and largest entry, along one axis or all.

    Shapes:  x [...] -> (min, max), each [...] without the axis
    Kinks:   those of `amin` and `amax`: ties share
    Source:  see `amin` and `amax`
    Example: vjp explain "aminmax(x).max - aminmax(x).min" x=3,1,2
    """
    smallest = amin(x, axis=axis, keepdims=keepdims)
    return smallest, amax(x, axis=axis, keepdims=keepdims)


@operation(samples=reduction.REDUCTION_SAMPLES)
def ptp(x, *, axis=None, keepdims=False):
    """Largest minus smallest entry ("peak to peak"), along some axes or all.

    Shapes:  x [...] -> [...] without the axes searched
    Kinks:   those of `amax` and `amin`: ties share
    Source:  see `amin` and `amax`
    Example: vjp explain "ptp(x)" x=3,1,2
    """
    return amax(x, axis=axis, keepdims=keepdims) - amin(x, axis=axis, keepdims=keepdims)
