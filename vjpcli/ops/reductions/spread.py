"""Spread: variance, standard deviation, covariance and correlation.

Libraries differ in the divisor. PyTorch divides by N - 1 (`ddof=1`), NumPy and JAX by N; the
keyword is `ddof` in NumPy, `correction` in PyTorch, `unbiased` in older PyTorch.
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.ops.declaration import (
    Kink,
    Refusal,
    fail,
    operation,
    sample,
    shape_text,
    trailing_axes,
)
from vjpcli.ops.keywords import plain_number, true_or_false
from vjpcli.ops.numbers import comparison, elementary
from vjpcli.ops.reductions import chosen, reduction, skipping_nan
from vjpcli.ops.shapes import joining, ordering, shape

POPULATION = {"numpy": {"ddof": 0}, "jax": {"ddof": 0}}
SPREAD_SAMPLES = (
    sample((2, 3)),
    sample((2, 3), ddof=0),
    sample((2, 3), axis=0),
    sample((2, 3), axis=-1, ddof=0, keepdims=True),
    sample((2, 3, 2), axis=(0, 2), ddof=1.5),
    sample((4,)),
)
CHOICE_SAMPLE = sample((2, 4), axis=1, where=[True, False, True, True])
SPREAD_REFUSED = (
    Refusal(sample((3,), where=[True, False]), "mask-shape"),
    Refusal(sample((3,), ddof="one"), "keyword-value"),
    Refusal(sample((3,), axis=1), "axis-out-of-range"),
)


def _arguments(axis, ddof):
    """Axis and ddof, also from PyTorch's `std(x, False)` and `unbiased=False`."""
    if isinstance(axis, bool):
        axis, ddof = None, axis
    return axis, int(ddof) if isinstance(ddof, bool) else plain_number("ddof", ddof)


def _spread_outcome(x, axis, ddof, keepdims):
    axis, ddof = _arguments(axis, ddof)
    return reduction.reduction_outcome(x, axis, keepdims, ddof=ddof)


def _divisor(x, axis, ddof):
    return max(reduction.entries(x, axis) - ddof, 0)


def _var(x, *, axis, ddof, keepdims):
    # Not np.var: it warns where the divisor is 0, and squares the modulus of complex numbers.
    count = np.asarray(reduction.entries(x, axis), dtype=x.real.dtype)
    offset = x - np.sum(x, axis=axis, keepdims=True) / count
    total = np.sum(offset * offset, axis=axis, keepdims=keepdims)
    return total / np.asarray(_divisor(x, axis, ddof), dtype=x.real.dtype)


def _var_of_chosen(x, axis, ddof, keepdims, where):
    """The variance of the entries that a mask chooses (NumPy's `where=`)."""
    axis, ddof = _arguments(axis, ddof)
    axes = trailing_axes(x, axis)
    centre = reduction.mean(x, axis=axes, keepdims=True, where=where)
    offset = chosen.only_chosen(x - centre, where, 0)
    total = reduction.sum(offset * offset, axis=axes, keepdims=keepdims)
    count = chosen.count_of_chosen(x, where, axes, keepdims=true_or_false("keepdims", keepdims))
    return total / comparison.maximum(count - ddof, 0.0)


def _to_entries(g, x, axis, ddof, keepdims):
    """What the adjoint of a variance means for the entries: 2(x - mean)/(N - ddof) each."""
    offset = x - reduction.mean(x, axis=axis, keepdims=True)
    return reduction.restore_axes(g, axis, keepdims) * 2 * offset / _divisor(x, axis, ddof)


@operation(
    _var,
    pattern="reduction",
    library_defaults=POPULATION,
    keyword_aliases={"unbiased": "ddof"},
    convention="var: ddof={ddof} (PyTorch; np.var uses 0)",
    samples=(*SPREAD_SAMPLES, CHOICE_SAMPLE),
    refuses=SPREAD_REFUSED,
    decided=("where",),
    analytic=True,
)
def var(x, *, axis=None, ddof=1, keepdims=False, where=None):
    """Variance of the entries, along some axes or all.

    Shapes:  x [...] -> [...] without the axes reduced
    Kinks:   none; with no more than ddof entries the divisor is 0, and value and slopes are nan
    Source:  sum((x - mean)**2)/(N - ddof); the slope of an entry is 2(x - mean)/(N - ddof)
    Example: vjp explain "var(x)" x=1,2,4,9
    """
    if where is not None:
        return _var_of_chosen(x, axis, ddof, keepdims, where)
    return _spread_outcome(x, axis, ddof, keepdims)


@var.vjp
def _(g, y, x, *, axis, ddof, keepdims):
    return _to_entries(g, x, axis, ddof, keepdims)


@operation(
    lambda x, **static: np.sqrt(_var(x, **static)),
    pattern="reduction",
    library_defaults=POPULATION,
    keyword_aliases={"unbiased": "ddof"},
    convention="std: ddof={ddof} (PyTorch; np.std uses 0)",
    samples=(*SPREAD_SAMPLES, CHOICE_SAMPLE),
    refuses=SPREAD_REFUSED,
    decided=("where",),
    kinks=(
        Kink(
            "all entries equal",
            lambda y, x, *, axis, ddof, keepdims: y == 0,
            slopes=(-(0.5**0.5), 0.5**0.5),
            used=0,
            point=([2.0, 2.0],),
            others={"jax": np.nan, "autograd": np.nan},
            says="the slopes hold for two entries and ddof=1",
            tells="std is the square root of var, and a root has an infinite slope at 0",
        ),
    ),
    analytic=True,
)
def std(x, *, axis=None, ddof=1, keepdims=False, where=None):
    """Standard deviation of the entries, along some axes or all.

    Shapes:  x [...] -> [...] without the axes reduced
    Kinks:   where all entries are equal it is 0 and has a corner; the slope used is 0
             (PyTorch), JAX and autograd give nan. With no more than ddof entries all is nan
    Source:  the square root of the variance: slope (x - mean)/((N - ddof) y)
    Example: vjp explain "std(x)" x=1,2,4,9
    """
    if where is not None:
        return elementary.sqrt(_var_of_chosen(x, axis, ddof, keepdims, where))
    return _spread_outcome(x, axis, ddof, keepdims)


@std.vjp
def _(g, y, x, *, axis, ddof, keepdims):
    to_variance = comparison.where(comparison.equal(y, 0), 0, g / (2 * y))
    return _to_entries(to_variance, x, axis, ddof, keepdims)


@std.vjp_like("jax")
def _(g, y, x, *, axis, ddof, keepdims):
    return _to_entries(g / (2 * y), x, axis, ddof, keepdims)


@std.vjp_like("autograd")
def _(g, y, x, *, axis, ddof, keepdims):
    if reduction.entries(x, axis) <= 1:
        return reduction.restore_axes(g, axis, keepdims) * 0
    return _to_entries(g / (2 * y), x, axis, ddof, keepdims)


@operation(
    several=("var", "mean"),
    keyword_aliases={"unbiased": "ddof"},
    samples=(sample((2, 3)), sample((2, 3), axis=0, ddof=0)),
)
def var_mean(x, *, axis=None, ddof=1, keepdims=False):
    """Variance and mean of the entries, along some axes or all.

    Shapes:  x [...] -> (variance, mean), each [...] without the axes reduced
    Kinks:   none
    Source:  see `var` and `mean`
    Example: vjp explain "v, m = var_mean(x); m / sqrt(v)" x=1,2,4,9
    """
    axis, ddof = _arguments(axis, ddof)
    variance = var(x, axis=axis, ddof=ddof, keepdims=keepdims)
    return variance, reduction.mean(x, axis=axis, keepdims=keepdims)


@operation(
    several=("std", "mean"),
    keyword_aliases={"unbiased": "ddof"},
    samples=(sample((2, 3)), sample((2, 3), axis=0, ddof=0)),
)
def std_mean(x, *, axis=None, ddof=1, keepdims=False):
    """Standard deviation and mean of the entries, along some axes or all.

    Shapes:  x [...] -> (standard deviation, mean), each [...] without the axes reduced
    Kinks:   that of `std`
    Source:  see `std` and `mean`
    Example: vjp explain "s, m = std_mean(x); m / s" x=1,2,4,9
    """
    axis, ddof = _arguments(axis, ddof)
    deviation = std(x, axis=axis, ddof=ddof, keepdims=keepdims)
    return deviation, reduction.mean(x, axis=axis, keepdims=keepdims)


@operation(samples=(sample([[1.0, np.nan, 4.0], [3.0, -2.0, 0.5]], axis=1),))
def nanvar(x, *, axis=None, ddof=0, keepdims=False):
    """Variance of the entries that are not nan, along some axes or all.

    Shapes:  x [...] -> [...] without the axes reduced
    Kinks:   none; a nan receives 0
    Source:  `var` over the N entries that are numbers; ddof=0 as in NumPy and JAX
    Example: vjp explain "nanvar(x)" x=1,nan,4
    """
    axes = trailing_axes(x, axis)
    ddof = plain_number("ddof", ddof)
    missing = comparison.isnan(x)
    # The nans leave before any arithmetic: an adjoint of 0 does not protect from them.
    centre = skipping_nan.nanmean(x, axis=axes, keepdims=True)
    offset = comparison.where(missing, 0, comparison.where(missing, 0, x) - centre)
    count = reduction.sum(comparison.where(missing, 0.0, 1.0), axis=axes, keepdims=keepdims)
    squares = reduction.sum(offset * offset, axis=axes, keepdims=keepdims)
    return squares / comparison.maximum(count - ddof, 0.0)


@operation(samples=(sample([[1.0, np.nan, 4.0], [3.0, -2.0, 0.5]], axis=1),))
def nanstd(x, *, axis=None, ddof=0, keepdims=False):
    """Standard deviation of the entries that are not nan, along some axes or all.

    Shapes:  x [...] -> [...] without the axes reduced
    Kinks:   where the numbers are all equal the slopes are nan
    Source:  the square root of `nanvar`; ddof=0 as in NumPy and JAX
    Example: vjp explain "nanstd(x)" x=1,nan,4
    """
    return elementary.sqrt(nanvar(x, axis=axis, ddof=ddof, keepdims=keepdims))


def _as_rows(operation_name, x, rowvar):
    """x as a matrix with one variable in each row and one observation in each column."""
    if x.ndim > 2:
        raise fail(
            "matrix-needed",
            f"{operation_name} takes a vector or a matrix, not shape {shape_text(x.shape)}",
        )
    if x.ndim < 2:
        return shape.reshape(x, shape=(1, x.size))
    return x if rowvar else ordering.matrix_transpose(x)


def _centred_rows(operation_name, x, y, rowvar, weights=None):
    """The rows of x, and those of y below, each less its mean."""
    rowvar = true_or_false("rowvar", rowvar)
    rows = _as_rows(operation_name, x, rowvar)
    if y is not None:
        below = _as_rows(operation_name, y, rowvar)
        if rows.shape[1] != below.shape[1]:
            raise fail(
                "shape-mismatch",
                f"{operation_name} needs as many observations of y as of x, not shapes "
                f"{shape_text(x.shape)} and {shape_text(y.shape)}",
            )
        rows = joining.concatenate(rows, below, axis=-2)
    if weights is None:
        return rows - reduction.mean(rows, axis=1, keepdims=True)
    if rows.shape[1] != weights.size:
        raise fail(
            "shape-mismatch",
            f"{operation_name} needs one weight for each of {rows.shape[1]} observations, "
            f"not {weights.size}",
        )
    shares = weights / reduction.sum(weights)
    return rows - reduction.sum(rows * shares, axis=1, keepdims=True)


def _products_of_rows(rows, weights=None):
    """The (weighted) sum of products of every pair of rows; a number for a single row."""
    others = rows if weights is None else rows * weights
    if rows.shape[0] == 1:
        return reduction.sum(rows * others)
    return others @ ordering.matrix_transpose(rows)


WEIGHTS = np.array([0.5, 1.0, 2.0])


@operation(
    samples=(
        sample((4,)),
        sample((3, 4)),
        sample((4,), (4,)),
        sample((2, 4), (4,), ddof=0),
        sample((4, 2), rowvar=False, bias=True),
        sample((2, 3), fweights=(1, 2, 3)),
        sample((2, 3), None, WEIGHTS, fweights=(1, 2, 3), now=WEIGHTS),
        sample((2, 3), None, WEIGHTS, ddof=0, now=WEIGHTS),
    ),
    argument_order=("x", "y", "rowvar", "bias", "ddof", "fweights", "aweights"),
    present={"aweights": "now"},
    refuses=(
        Refusal(sample((2, 2, 2)), "matrix-needed"),
        Refusal(sample((3,), (2,)), "shape-mismatch"),
        Refusal(sample((3,), rowvar="no"), "keyword-value"),
        Refusal(sample((3,), fweights=(1, -1, 1)), "keyword-value"),
        Refusal(sample((3,), None, (2,), now=np.ones(2)), "shape-mismatch"),
        Refusal(sample((3,), None, (2, 2), now=np.ones((2, 2))), "keyword-value"),
    ),
    convention="cov: ddof=1 (PyTorch and NumPy; np.var uses 0)",
    convention_about=("ddof", "bias"),
)
def cov(x, y=None, aweights=None, *, rowvar=True, bias=False, ddof=None, fweights=None, now=None):
    """Covariance of every pair of variables.

    Shapes:  x [variables, observations] -> [variables, variables]; a vector is one variable and
             gives a number. The rows of y, if given, are further variables
    Kinks:   none
    Source:  C = D Dᵀ/(N - ddof), where D is x less the mean of each row; ddof=1 in all libraries.
             fweights count observations several times, aweights weigh them (np.cov)
    Example: vjp explain "cov(x)" 'x=[[1,2,4],[3,1,0]]' --seed ones
    """
    if aweights is not None and aweights.ndim != 1:
        raise fail("keyword-value", "weights are a list of numbers from 0 on, one per observation")
    weights = _observation_weights(fweights, now)
    if weights is not None:
        weights = _weights_as_node(fweights, aweights, weights)
    rows = _centred_rows("cov", x, y, rowvar, weights)
    if ddof is None:
        ddof = 0 if true_or_false("bias", bias) else 1
    _, ddof = _arguments(None, ddof)
    if weights is None:
        return _products_of_rows(rows) / max(rows.shape[1] - ddof, 0)
    total = reduction.sum(weights)
    weighed = 1.0 if aweights is None else reduction.sum(weights * aweights) / total
    return _products_of_rows(rows, weights) / comparison.maximum(total - weighed * ddof, 0.0)


def _weights_as_node(fweights, aweights, weights):
    """The weights of the observations: aweights may depend on an input, fweights are counts."""
    if aweights is None:
        return as_node(weights)
    counts = 1.0 if fweights is None else as_node(np.asarray(fweights, dtype=np.float64))
    return aweights * counts


def _observation_weights(*given):
    """The present product of the weights of the observations; None where there are none.

    Errors: keyword-value, shape-mismatch.
    """
    try:
        several = [np.asarray(one, dtype=np.float64) for one in given if one is not None]
    except (TypeError, ValueError):
        raise fail("keyword-value", "weights are a list of numbers, one per observation") from None
    if any(one.ndim != 1 or np.any(one < 0) for one in several):
        raise fail("keyword-value", "weights are a list of numbers from 0 on, one per observation")
    if len({one.shape for one in several}) > 1:
        raise fail("shape-mismatch", "fweights and aweights have different lengths")
    return np.prod(several, axis=0) if several else None


@operation(
    samples=(
        sample((3, 4)),
        sample((4,), (4,)),
        sample((4, 2), rowvar=False),
    ),
    refuses=(Refusal(sample((2, 2, 2)), "matrix-needed"),),
)
def corrcoef(x, y=None, *, rowvar=True):
    """Correlation of every pair of variables: their covariance where each has length 1.

    Shapes:  x [variables, observations] -> [variables, variables]; a vector is one variable and
             gives a number. The rows of y, if given, are further variables
    Kinks:   none; a constant variable gives nan
    Source:  R = U Uᵀ, where U holds each row less its mean, divided by its length
    Example: vjp explain "corrcoef(x, y)[0, 1]" x=1,2,4 y=3,1,0
    """
    rows = _centred_rows("corrcoef", x, y, rowvar)
    squares = reduction.sum(rows * rows, axis=1, keepdims=True)
    return _products_of_rows(rows / elementary.sqrt(squares))
