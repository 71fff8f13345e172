"""Scans: running sums, products and logsumexps, and the linear recurrence behind their rules.

The adjoint of a scan runs the other way: entry i reaches every result from i on, so it receives
from all of them. For products the natural formula, y/x, fails at zeros. Here the adjoint is
carried backwards by a linear recurrence instead, which divides by nothing.
"""

from __future__ import annotations

import itertools

import numpy as np

from vjpcli.graph.facts import nonzero
from vjpcli.graph.operation import as_node
from vjpcli.ops.declaration import (
    Refusal,
    broadcast_shapes,
    fail,
    operation,
    outcome,
    sample,
    shape_text,
    trailing_axis,
)
from vjpcli.ops.keywords import true_or_false
from vjpcli.ops.numbers import elementary
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import indexing, joining, shape

SCAN_SAMPLES = (
    sample((4,)),
    sample((2, 3), axis=0),
    sample((2, 3), axis=-1),
    sample((2, 3, 2), axis=1),
    sample((2, 3)),
    sample((1,)),
    sample((0,)),
    sample((2, 0), axis=1),
    sample(()),
)
REVERSE_SAMPLES = (sample((4,), reverse=True), sample((2, 3), axis=0, reverse=True))


def _scanned(accumulate, x, axis, reverse):
    """`accumulate` along `axis`, from the last entry to the first with `reverse`."""
    if reverse:
        return np.flip(accumulate(np.flip(x, axis), axis), axis)
    return accumulate(x, axis)


def _reads_all_before(x, *, axis, reverse):
    """Which entries a running result reads: its own and all before it along the axis."""
    return _scanned(np.bitwise_or.accumulate, x, axis, reverse)


def _scan_outcome(x, axis, reverse):
    x, axis = reduction.one_axis(x, axis)
    reverse = true_or_false("reverse", reverse)
    return outcome(x.shape, operands=(x,), axis=axis, reverse=reverse)


@operation(
    lambda x, *, axis, reverse: _scanned(np.cumsum, x, axis, reverse),
    pattern=_reads_all_before,
    samples=(*SCAN_SAMPLES, *REVERSE_SAMPLES),
    remark="cumsum: an entry reaches its own result and all behind it, so what comes back to it is "
    "the sum from there to the end.",
    analytic=True,
)
def cumsum(x, *, axis=None, reverse=False):
    """Running sum along an axis: each entry plus all before it.

    Shapes:  x [...] -> [...]; without an axis x is flattened first
    Kinks:   none
    Source:  entry i reaches every result from i on: its adjoint is the running sum of the
             seed taken from the end
    Example: vjp explain "cumsum(x)" x=1,2,3 --seed 1,10,100
    """
    return _scan_outcome(x, axis, reverse)


@cumsum.vjp
def _(g, y, x, *, axis, reverse):
    return cumsum(g, axis=axis, reverse=not reverse)


@operation(
    lambda x, *, axis, reverse: _scanned(np.cumprod, x, axis, reverse),
    pattern=_reads_all_before,
    domain=nonzero,
    samples=(
        *SCAN_SAMPLES,
        *REVERSE_SAMPLES,
        sample([3.0, 0.0, 2.0, 5.0]),
        sample([[0.0, 2.0], [1.5, 0.0], [0.0, 3.0]], axis=0),
    ),
    analytic=True,
)
def cumprod(x, *, axis=None, reverse=False):
    """Running product along an axis: each entry times all before it.

    Shapes:  x [...] -> [...]; without an axis x is flattened first
    Kinks:   none
    Source:  y_k = x_k y_(k-1), so the adjoint r_k = g_k + x_(k+1) r_(k+1) runs backwards and
             x_k receives r_k y_(k-1): nothing is divided, so zeros do no harm
    Example: vjp explain "cumprod(x)" x=3,0,2,5 --seed ones
    """
    return _scan_outcome(x, axis, reverse)


@cumprod.vjp
def _(g, y, x, *, axis, reverse):
    onward = -1 if reverse else 1
    arriving = linear_recurrence(shifted(x, axis, by=-onward), g, axis=axis, reverse=not reverse)
    return arriving * shifted(y, axis, by=onward, fill=1)


@operation(
    samples=(sample((4,)), sample((2, 3), axis=0, include_initial=True)),
    refuses=(Refusal(sample((2, 3)), "missing-argument"),),
)
def cumulative_sum(x, *, axis=None, include_initial=False):
    """Running sum along an axis, on request with a 0 in front: np.cumulative_sum.

    Shapes:  x [... n ...] -> [... n ...], or n + 1 with include_initial=True
    Kinks:   none
    Source:  see `cumsum`
    Example: vjp explain "np.cumulative_sum(x)" x=1,2,3 --seed 1,10,100
    """
    return _cumulative("cumulative_sum", cumsum, 0.0, x, axis, include_initial)


@operation(
    samples=(sample((4,)), sample((2, 3), axis=0, include_initial=True)),
    refuses=(Refusal(sample((2, 3)), "missing-argument"),),
)
def cumulative_prod(x, *, axis=None, include_initial=False):
    """Running product along an axis, on request with a 1 in front: np.cumulative_prod.

    Shapes:  x [... n ...] -> [... n ...], or n + 1 with include_initial=True
    Kinks:   none
    Source:  see `cumprod`
    Example: vjp explain "np.cumulative_prod(x)" x=1,2,3 --seed 1,10,100
    """
    return _cumulative("cumulative_prod", cumprod, 1.0, x, axis, include_initial)


def _cumulative(name, scan, first, x, axis, include_initial):
    if axis is None and x.ndim != 1:
        raise fail("missing-argument", f"{name} of shape {shape_text(x.shape)} needs `axis`")
    axis = trailing_axis(x, -1 if axis is None else axis)
    found = scan(x, axis=axis)
    if not true_or_false("include_initial", include_initial):
        return found
    lengths = list(x.shape)
    lengths[axis] = 1
    return joining.concatenate(as_node(np.full(lengths, first)), found, axis=axis)


def _logcumsumexp(x, *, axis, reverse):
    return _scanned(np.logaddexp.accumulate, x, axis, reverse)


@operation(
    _logcumsumexp,
    pattern=_reads_all_before,
    samples=(*SCAN_SAMPLES, *REVERSE_SAMPLES),
    aliases=("cumlogsumexp",),
)
def logcumsumexp(x, *, axis=None, reverse=False):
    """Logarithm of the running sum of exponentials along an axis, without overflow.

    Shapes:  x [...] -> [...]; without an axis x is flattened first
    Kinks:   none; where a result is -inf its slopes are nan
    Source:  slopes exp(x_i - y_k) for k >= i, carried backwards by
             r_k = g_k + exp(y_k - y_(k+1)) r_(k+1), in which no exponential exceeds 1
    Example: vjp explain "logcumsumexp(x)" x=1,2,3 --seed ones
    """
    return _scan_outcome(x, axis, reverse)


@logcumsumexp.vjp
def _(g, y, x, *, axis, reverse):
    onward = -1 if reverse else 1
    # The last result has no successor: +inf in its place makes the factor 0.
    successor = shifted(y, axis, by=-onward, fill=np.inf)
    factor = elementary.exp(y - successor)
    return linear_recurrence(factor, g, axis=axis, reverse=not reverse) * elementary.exp(x - y)


def _linear_recurrence(a, b, *, axis, reverse):
    a, b = np.moveaxis(a, axis, 0), np.moveaxis(b, axis, 0)
    if reverse:
        a, b = a[::-1], b[::-1]
    out = np.zeros(a.shape, dtype=np.result_type(a, b))
    if a.size and a.size == len(a):
        # A single lane: plain numbers are ten times faster than arrays of one entry.
        pairs = zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)
        steps = itertools.accumulate(pairs, lambda s, pair: pair[0] * s + pair[1], initial=0)
        out.reshape(-1)[:] = list(itertools.islice(steps, 1, None))
    else:
        previous = np.zeros(a.shape[1:], dtype=out.dtype)
        for k in range(len(a)):
            previous = out[k] = a[k] * previous + b[k]
    return np.moveaxis(out[::-1] if reverse else out, 0, axis)


@operation(
    _linear_recurrence,
    pattern=lambda a, b, *, axis, reverse: _reads_all_before(a | b, axis=axis, reverse=reverse),
    samples=(
        sample((4,), (4,)),
        sample((2, 3), (2, 3), axis=0),
        sample((3,), (2, 3), axis=-1, reverse=True),
        sample([0.0, 0.0, 2.0], (3,)),
        sample((0,), (0,)),
        sample((2, 1), (2, 3)),
    ),
    analytic=True,
)
def linear_recurrence(a, b, *, axis=-1, reverse=False):
    """Solution s of s[k] = a[k]*s[k-1] + b[k] along an axis, started from 0.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   none
    Source:  its adjoint is the same recurrence run the other way, r[k] = g[k] + a[k+1]*r[k+1];
             b receives r and a receives r[k]*s[k-1] (Blelloch, Prefix Sums, 1990, section 1.4)
    Example: vjp explain "linear_recurrence(a, b)" a=0.5,0.5,0.5 b=1,2,3 --seed ones
    """
    common = broadcast_shapes("linear_recurrence", a, b)
    a, b = _stretched(a, common), _stretched(b, common)
    axis = trailing_axis(b, axis)
    reverse = true_or_false("reverse", reverse)
    return outcome(common, operands=(a, b), axis=axis, reverse=reverse)


@linear_recurrence.vjp
def _(g, y, a, b, *, axis, reverse):
    onward = -1 if reverse else 1
    arriving = linear_recurrence(shifted(a, axis, by=-onward), g, axis=axis, reverse=not reverse)
    return arriving * shifted(y, axis, by=onward), arriving


def _stretched(x, wanted):
    return x if x.shape == wanted else shape.broadcast_to(x, shape=wanted)


def shifted(x, axis, *, by, fill=0):
    """Entries of x moved one place on (`by`=1) or back (-1) along `axis`; `fill` moves in."""
    if x.shape[axis] == 0:
        return x
    behind = (slice(None),) * (-axis - 1)
    kept, target = (slice(None, -1), slice(1, None))[::by]
    moved = indexing.add_into(
        indexing.index(x, index=(Ellipsis, kept, *behind)),
        index=indexing.explicit_index(x.shape, (Ellipsis, target, *behind)),
        shape=x.shape,
    )
    if fill == 0:
        return moved
    place = np.arange(x.shape[axis]) == (0 if by == 1 else x.shape[axis] - 1)
    edge = np.where(place, fill, 0.0).reshape(-1, *(1,) * len(behind))
    return moved + edge
