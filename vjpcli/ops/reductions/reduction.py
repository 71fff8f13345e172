"""Reductions: many entries to one, along some axes or all. Sums, means, products, logsumexp.

Largest and smallest entries are in `extreme.py`, spread in `spread.py`, lengths in `norms.py`,
what is found by ordering in `sorting.py` and `quantiles.py`.
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.facts import nonzero
from vjpcli.graph.operation import as_node
from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    outcome,
    reduced_shape,
    sample,
    shape_text,
    trailing_axes,
    trailing_axis,
)
from vjpcli.ops.keywords import true_or_false
from vjpcli.ops.numbers import arithmetic, elementary
from vjpcli.ops.reductions import chosen, scan
from vjpcli.ops.shapes import shape

REDUCTION_SAMPLES = (
    sample((2, 3)),
    sample((2, 3), axis=0),
    sample((2, 3), axis=-1, keepdims=True),
    sample((2, 3, 2), axis=(0, 2)),
    sample((4,)),
    sample(()),
    sample((1, 3), axis=0),
)
EMPTY_SAMPLES = (sample((0,)), sample((2, 0), axis=1))
CHOICE_SAMPLES = (
    sample((2, 3), where=[[True, False, True], [False, True, True]]),
    sample((2, 3), axis=1, keepdims=True, where=[True, False, True], initial=1.5),
    sample((3,), initial=-2),
)
CHOICE_REFUSED = (
    Refusal(sample((2, 3), where=[True, False]), "mask-shape"),
    Refusal(sample((2, 3), initial="two"), "keyword-value"),
    Refusal(sample((2, 3), where="all"), "not-a-mask"),
)


def reduction_outcome(x, axis, keepdims, **static):
    """The Outcome of reducing `axis` of x.

    Errors: axis-out-of-range, axis-not-whole, axis-twice, keyword-value.
    """
    axis = trailing_axes(x, axis)
    keepdims = true_or_false("keepdims", keepdims)
    shape = reduced_shape(x.shape, axis, keepdims)
    return outcome(shape, axis=axis, keepdims=keepdims, **static)


def refuse_empty(operation_name, x, axis):
    """Refuses a reduction that has no value over nothing.

    Errors: empty-reduction.
    """
    if entries(x, axis) == 0:
        raise fail(
            "empty-reduction",
            f"{operation_name} of no entries has no value: the shape is {shape_text(x.shape)}",
        )


def restore_axes(g, axis, keepdims):
    """`g` with the reduced axes back as length 1, so that it broadcasts against the operand."""
    return g if keepdims or not axis else shape.expand_dims(g, axis=axis)


def drop_axes(kept, axis, keepdims):
    """The inverse of `restore_axes`: a result with axes of length 1, without them if not kept."""
    return kept if keepdims or not axis else shape.squeeze(kept, axis=axis)


def entries(x, axis):
    """How many entries of x go into one entry of the result."""
    return int(np.prod([x.shape[one] for one in axis], dtype=np.int64))


def one_axis(x, axis):
    """x and the axis to work along: `axis`, or with None the only axis of the flattened x.

    Errors: axis-out-of-range, axis-not-whole.
    """
    if axis is None:
        return (x if x.ndim == 1 else shape.reshape(x, shape=(x.size,))), -1
    return x, trailing_axis(x, axis)


@operation(
    lambda x, *, axis, keepdims: np.sum(x, axis=axis, keepdims=keepdims),
    pattern="reduction",
    samples=(*REDUCTION_SAMPLES, *EMPTY_SAMPLES, *CHOICE_SAMPLES),
    refuses=CHOICE_REFUSED,
    decided=("where",),
    analytic=True,
    library_names={"jax": ("reduce_sum",)},
)
def sum(x, *, axis=None, keepdims=False, initial=None, where=None):
    """Sum of the entries, along some axes or all.

    Shapes:  x [...] -> [...] without the axes summed over
    Kinks:   none; the sum of nothing is 0
    Source:  linearity: each entry receives the adjoint of its sum
    Example: vjp explain "sum(x**2, axis=1)" 'x=[[1,2],[3,4]]' --seed 1,10
    """
    if initial is None and where is None:
        return reduction_outcome(x, axis, keepdims)
    total = sum(chosen.only_chosen(x, where, 0), axis=axis, keepdims=keepdims)
    return chosen.begun_with(initial, arithmetic.add, total)


@sum.vjp
def _(g, y, x, *, axis, keepdims):
    return restore_axes(g, axis, keepdims)


def _mean(x, *, axis, keepdims):
    # Not np.mean: it warns where there is nothing to average.
    return np.sum(x, axis=axis, keepdims=keepdims) / entries(x, axis)


@operation(
    _mean,
    pattern="reduction",
    samples=(*REDUCTION_SAMPLES, sample((2, 3), axis=1, where=[True, False, True])),
    refuses=CHOICE_REFUSED[:1],
    decided=("where",),
    analytic=True,
)
def mean(x, *, axis=None, keepdims=False, where=None):
    """Mean of the entries, along some axes or all.

    Shapes:  x [...] -> [...] without the axes averaged over
    Kinks:   none; the mean of nothing is nan
    Source:  linearity: each of N entries receives 1/N of the adjoint
    Example: vjp explain "mean((w*x - t)**2)" w=0.5 x=1,2,3 t=2,4,6 --wrt w
    """
    if where is None:
        return reduction_outcome(x, axis, keepdims)
    axes = trailing_axes(x, axis)
    total = sum(x, axis=axes, keepdims=keepdims, where=where)
    return total / chosen.count_of_chosen(
        x, where, axes, keepdims=true_or_false("keepdims", keepdims)
    )


@mean.vjp
def _(g, y, x, *, axis, keepdims):
    return restore_axes(g, axis, keepdims) / entries(x, axis)


@operation(
    lambda x, *, axis, keepdims: np.prod(x, axis=axis, keepdims=keepdims),
    pattern="reduction",
    domain=nonzero,
    samples=(
        *REDUCTION_SAMPLES,
        *EMPTY_SAMPLES,
        sample([3.0, 0.0, 5.0]),
        sample([[3.0, 0.0], [0.0, 2.0], [1.5, -1.0]], axis=0),
        sample([[0.0, 1.5], [2.0, 0.0]]),
        *CHOICE_SAMPLES,
    ),
    refuses=CHOICE_REFUSED,
    decided=("where",),
    remark="prod: the slope of an entry is the product of the others.",
    analytic=True,
    library_names={"jax": ("reduce_prod",)},
)
def prod(x, *, axis=None, keepdims=False, initial=None, where=None):
    """Product of the entries, along some axes or all.

    Shapes:  x [...] -> [...] without the axes multiplied over
    Kinks:   none; the product of nothing is 1
    Source:  the slope of an entry is the product of the others, never prod/x: right with any
             number of zeros (Griewank and Walther, Evaluating Derivatives, 2008, section 3.3)
    Example: vjp explain "prod(x)" x=3,0,5
    """
    if initial is None and where is None:
        return reduction_outcome(x, axis, keepdims)
    product = prod(chosen.only_chosen(x, where, 1), axis=axis, keepdims=keepdims)
    return chosen.begun_with(initial, arithmetic.multiply, product)


@prod.vjp
def _(g, y, x, *, axis, keepdims):
    contribution = restore_axes(g, axis, keepdims)
    # Axis by axis: the others in my row, times the products of the other rows, and so on.
    products = x
    for one in axis:
        contribution = contribution * product_of_others(products, one)
        products = prod(products, axis=one, keepdims=True)
    return contribution


# autograd divides the product by the entry, which is 0/0 at a zero.
@prod.vjp_like("autograd")
def _(g, y, x, *, axis, keepdims):
    return restore_axes(g, axis, keepdims) * restore_axes(y, axis, keepdims) / x


def product_of_others(x, axis):
    """For each entry the product of the others along one axis: all before it times all after."""
    before = scan.shifted(scan.cumprod(x, axis=axis), axis, by=1, fill=1)
    after = scan.shifted(scan.cumprod(x, axis=axis, reverse=True), axis, by=-1, fill=1)
    return before * after


def _logsumexp(x, *, axis, keepdims):
    x = x if x.dtype.kind in "fc" else x.astype(np.float64)  # positions are whole numbers
    largest = np.max(x.real, axis=axis, keepdims=True, initial=-np.inf)
    # Where all are -inf (or one is inf) there is nothing to scale by.
    shift = np.where(np.isfinite(largest), largest, 0).astype(x.real.dtype)
    total = np.log(np.sum(np.exp(x - shift), axis=axis, keepdims=True)) + shift
    return total if keepdims else np.squeeze(total, axis=axis)


@operation(
    _logsumexp,
    pattern="reduction",
    samples=REDUCTION_SAMPLES,
    analytic=True,
)
def logsumexp(x, *, axis=None, keepdims=False):
    """Logarithm of the sum of exponentials, without overflow.

    Shapes:  x [...] -> [...] without the axes summed over
    Kinks:   none; where every entry is -inf the slopes are nan
    Source:  the slopes are softmax(x) = exp(x - y); the largest entry is taken out first
             (Blanchard, Higham and Higham, IMA J. Numer. Anal. 41, 2021)
    Example: vjp explain "logsumexp(x)" x=-inf,1,1
    """
    return reduction_outcome(x, axis, keepdims)


@logsumexp.vjp
def _(g, y, x, *, axis, keepdims):
    return restore_axes(g, axis, keepdims) * elementary.exp(x - restore_axes(y, axis, keepdims))


NAN_SAMPLES = (sample([[1.0, np.nan], [3.0, -2.0]]), sample([[1.0, np.nan], [3.0, -2.0]], axis=0))


@operation(
    samples=(
        sample((3,)),
        sample((2, 3), axis=0),
        sample((2, 3), (2, 3)),
        sample((2, 3), [0.5, 1.0, 2.0], axis=1),
        sample((2, 3), [0.5, 2.0], axis=0, keepdims=True),
        sample((2, 3), (3,), axis=1, returned=True),
    ),
    several=("average", "sum_of_weights"),
    argument_order=("x", "axis", "weights", "returned", "keepdims"),
    refuses=(Refusal(sample((2, 3), (2,), axis=1), "shape-mismatch"),),
)
def average(x, weights=None, *, axis=None, keepdims=False, returned=False):
    """Weighted mean of the entries, along some axes or all.

    Shapes:  x [...], weights of the same shape or one for each place along the axis -> [...];
             with returned=True also the sum of the weights
    Kinks:   none; weights that sum to 0 give nan or inf
    Source:  sum(w*x)/sum(w), by the quotient rule
    Example: vjp explain "average(x, weights=w)" x=1,2,3 w=1,1,2
    """
    returned = true_or_false("returned", returned)
    axes = trailing_axes(x, axis)
    if weights is None:
        average_of_all = mean(x, axis=axis, keepdims=keepdims)
        count = as_node(np.full(average_of_all.shape, float(entries(x, axes))))
        return (average_of_all, count) if returned else average_of_all
    if weights.shape != x.shape:
        fits = len(axes) == 1 and weights.shape == (x.shape[axes[0]],)
        if not fits:
            raise fail(
                "shape-mismatch",
                f"average cannot weight shape {shape_text(x.shape)} "
                f"by weights of shape {shape_text(weights.shape)}",
                notes=("weights have the shape of x, or one entry for each place along one axis",),
            )
        weights = shape.reshape(weights, shape=weights.shape + (1,) * (-axes[0] - 1))
        weights = shape.broadcast_to(weights, shape=x.shape)
    total = sum(weights, axis=axis, keepdims=keepdims)
    found = sum(weights * x, axis=axis, keepdims=keepdims) / total
    return (found, total) if returned else found


@operation(
    lambda x, *, axis, keepdims: np.count_nonzero(x, axis=axis, keepdims=keepdims),
    pattern="reduction",
    kind="index",
    samples=(sample((2, 3)), sample((2, 3), axis=0)),
)
def count_nonzero(x, *, axis=None, keepdims=False):
    """How many entries are not 0. A whole number: it has no derivative.

    Shapes:  x [...] -> [...] without the axes counted over
    Kinks:   jumps where an entry is 0
    Source:  counting; nan counts as not 0
    Example: vjp explain "sum(x*m) / count_nonzero(m)" x=1,2,3 m=1,0,1 --wrt x
    """
    return reduction_outcome(x, axis, keepdims)


@operation(
    lambda x, *, axis, keepdims: np.any(x, axis=axis, keepdims=keepdims),
    pattern="reduction",
    kind="condition",
    samples=(sample((2, 3)), sample((2, 3), axis=0)),
    refuses=CHOICE_REFUSED[:1],
    decided=("where",),
    library_names={"jax": ("reduce_or",)},
)
def any(x, *, axis=None, keepdims=False, where=None):
    """Whether the condition holds (or the number is not 0) at any entry. It has no derivative.

    Shapes:  x [...] -> [...] of True and False, without the axes searched
    Kinks:   where its operand jumps
    Source:  truth table; of nothing it is False
    Example: vjp explain "where(any(x > 2), sum(x), 0)" x=1,3
    """
    x = chosen.only_chosen(x, where, False)
    return reduction_outcome(x, axis, keepdims)


@operation(
    lambda x, *, axis, keepdims: np.all(x, axis=axis, keepdims=keepdims),
    pattern="reduction",
    kind="condition",
    samples=(sample((2, 3)), sample((2, 3), axis=0)),
    refuses=CHOICE_REFUSED[:1],
    decided=("where",),
    library_names={"jax": ("reduce_and",)},
)
def all(x, *, axis=None, keepdims=False, where=None):
    """Whether the condition holds (or the number is not 0) at every entry. It has no derivative.

    Shapes:  x [...] -> [...] of True and False, without the axes searched
    Kinks:   where its operand jumps
    Source:  truth table; of nothing it is True
    Example: vjp explain "where(all(x > 0), sum(x), 0)" x=1,3
    """
    x = chosen.only_chosen(x, where, True)
    return reduction_outcome(x, axis, keepdims)
