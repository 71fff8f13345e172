"""Multivariate normal distribution, as scipy.stats and jax.scipy.stats have it."""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import OPERATIONS, as_node
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.linear_algebra import solving
from vjpcli.ops.numbers import elementary
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import diagonals, ordering, shape

COVARIANCE = [[2.0, 0.5], [0.5, 1.0]]
SAMPLES = (
    sample((2,), (2,), COVARIANCE),
    sample((3, 2), (2,), COVARIANCE),
    sample((2,)),
    sample((3, 2), (2,), [0.7]),
    sample((), (), [[1.3]]),
)
REFUSALS = (
    Refusal(sample((2,), (3,)), "shape-mismatch"),
    Refusal(sample((2,), (2,), (3, 3)), "shape-mismatch"),
    Refusal(sample((2,), (2,), (2, 3)), "shape-mismatch"),
)


def _log_density(x, mean, cov):
    x = shape.reshape(x, shape=(1,)) if x.ndim == 0 else x
    mean = as_node(np.zeros(x.shape[-1])) if mean is None else mean
    cov = as_node(np.ones(())) if cov is None else cov
    count = x.shape[-1]
    one_number = cov.size == 1 and cov.ndim < 2
    if mean.shape not in ((), (count,)) or (not one_number and cov.shape != (count, count)):
        raise fail(
            "shape-mismatch",
            "multivariate_normal takes x [..., d], mean [d] and cov [d, d], not shapes "
            f"{shape_text(x.shape)}, {shape_text(mean.shape)} and {shape_text(cov.shape)}",
        )
    if one_number:
        cov = as_node(np.eye(count)) * cov
    # Cholesky's factor gives the determinant and, of x - mean, numbers of unit variance.
    factor = OPERATIONS["cholesky"](cov)
    rows = shape.reshape(x - mean, shape=(-1, count))
    white = solving.solve_triangular(factor, ordering.matrix_transpose(rows), lower=True)
    square = reduction.sum(white * white, axis=0)
    size = reduction.sum(elementary.log(diagonals.diagonal(factor)))
    found = -0.5 * square - size - 0.5 * count * math.log(2 * math.pi)
    return shape.reshape(found, shape=x.shape[:-1])


@operation(
    library_names={
        "numpy": ("multivariate_normal.logpdf",),
        "jax": ("multivariate_normal.logpdf",),
    },
    samples=SAMPLES,
    refuses=REFUSALS,
)
def multivariate_normal_logpdf(x, mean=None, cov=None):
    """Logarithm of the density of the multivariate normal distribution at each point.

    Shapes:  x [..., d], mean [d] or a number, cov [d, d] or a variance -> [...]
    Kinks:   none; cov counts as its symmetric part (see `cholesky`)
    Source:  -(d log(2 pi) + log det(cov) + (x-mean) inv(cov) (x-mean))/2, by Cholesky's factor
    Example: vjp explain "multivariate_normal_logpdf(x, m, C)" x=1,2 m=0,0 C=[[2,0.5],[0.5,1]]
    """
    return _log_density(x, mean, cov)


@operation(
    library_names={"numpy": ("multivariate_normal.pdf",), "jax": ("multivariate_normal.pdf",)},
    samples=SAMPLES,
    refuses=REFUSALS,
)
def multivariate_normal_pdf(x, mean=None, cov=None):
    """Density of the multivariate normal distribution at each point.

    Shapes:  x [..., d], mean [d] or a number, cov [d, d] or a variance -> [...]
    Kinks:   none; cov counts as its symmetric part (see `cholesky`)
    Source:  exp of `multivariate_normal_logpdf`
    Example: vjp explain "scipy.stats.multivariate_normal.pdf(x, m)" x=1,2 m=0,0
    """
    return elementary.exp(_log_density(x, mean, cov))
