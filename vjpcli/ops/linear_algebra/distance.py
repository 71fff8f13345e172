"""Distances between points, each point a row."""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.shapes import shape_mismatch
from vjpcli.ops.declaration import Kink, Refusal, fail, operation, outcome, sample, shape_text
from vjpcli.ops.keywords import plain_number
from vjpcli.ops.linear_algebra.matrix import require_matrix, union
from vjpcli.ops.numbers import arithmetic, comparison
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import indexing, shape

POINTS = [[0.0, 1.0], [2.0, -1.0], [0.5, 3.0]]
OTHERS = [[1.0, 1.5], [-2.0, 0.3]]


def _differences(x1, x2):
    return x1[..., :, np.newaxis, :] - x2[..., np.newaxis, :, :]


def _cdist(x1, x2, *, p):
    lengths = np.abs(_differences(x1, x2))
    if p == 0:
        return np.count_nonzero(lengths, axis=-1).astype(x1.dtype)
    if p == math.inf:
        return lengths.max(axis=-1, initial=0)
    if p == 1:
        return lengths.sum(axis=-1)
    # Scaled by the largest, so that squares neither overflow nor vanish.
    largest = lengths.max(axis=-1, keepdims=True, initial=0)
    scale = np.where((largest > 0) & np.isfinite(largest), largest, 1)
    return scale[..., 0] * ((lengths / scale) ** p).sum(axis=-1) ** (1 / p)


@operation(
    _cdist,
    pattern=lambda x1, x2, **static: (
        union(x1, -1)[..., :, np.newaxis] | union(x2, -1)[..., np.newaxis, :]
    ),
    samples=(
        sample(POINTS, OTHERS),
        sample(POINTS, OTHERS, p=1),
        sample(POINTS, OTHERS, p=3),
        sample(POINTS, OTHERS, p=1.5),
        sample(POINTS, OTHERS, p=math.inf),
        sample(POINTS, OTHERS, p=0),
        sample((2, 1, 3), (2, 3)),
        sample((0, 2), (3, 2)),
    ),
    refuses=(
        Refusal(sample((2, 3), (2, 2)), "shape-mismatch"),
        Refusal(sample((2,), (2, 2)), "rank-too-low"),
        Refusal(sample((2, 2), (2, 2), p=-1), "keyword-value"),
        Refusal(sample((2, 2), (2, 2), p="two"), "keyword-value"),
    ),
    kinks=(
        Kink(
            "two points coincide",
            lambda y, x1, x2, *, p: y == 0,
            slopes=(-1, 1),
            used=0,
            point=([[1.0, 2.0]], [[1.0, 2.0]]),
        ),
    ),
)
def cdist(x1, x2, *, p=2):
    """The distance of every row of x1 from every row of x2, in the p-norm.

    Shapes:  x1 [..., n, k], x2 [..., m, k] -> [..., n, m]
    Kinks:   where two points coincide; the slope used there is 0 (PyTorch)
    Source:  torch.cdist; the slope of a length is the unit vector along it
    Example: vjp explain "cdist(a, b)" a=[[0,0],[3,0]] b=[[3,4]] --seed ones
    """
    require_matrix("cdist", x1)
    require_matrix("cdist", x2)
    p = plain_number("p", p)
    if not p >= 0:
        raise fail("keyword-value", f"`p` of cdist is not negative, and {p} was given")
    if x1.shape[-1] != x2.shape[-1]:
        raise shape_mismatch(
            "cdist", x1.shape, x2.shape, why="the points have different numbers of coordinates"
        )
    try:
        stack = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    except ValueError:
        raise shape_mismatch("cdist", x1.shape, x2.shape) from None
    return outcome((*stack, x1.shape[-2], x2.shape[-2]), p=p)


@cdist.vjp
def _(g, y, x1, x2, *, p):
    if p == 0:
        return None, None
    apart = shape.expand_dims(x1, axis=-2) - shape.expand_dims(x2, axis=-3)
    weight, distance = shape.expand_dims(g, axis=-1), shape.expand_dims(y, axis=-1)
    along = weight * _unit_vectors(apart, distance, p)
    return reduction.sum(along, axis=-2), -reduction.sum(along, axis=-3)


def _unit_vectors(apart, distance, p):
    """The slope of each distance with respect to each difference of coordinates; 0 at 0."""
    if p == 1:
        return arithmetic.sign(apart)
    if p == math.inf:
        is_largest = comparison.equal(arithmetic.abs(apart), distance)
        return comparison.where(is_largest, arithmetic.sign(apart), 0)
    somewhere = comparison.where(comparison.equal(distance, 0), 1, distance)
    if p == 2:
        return apart / somewhere
    share = arithmetic.abs(apart) / somewhere
    moved = comparison.equal(share, 0)
    return arithmetic.sign(apart) * comparison.where(
        moved, 0, comparison.where(moved, 1, share) ** (p - 1)
    )


@operation(
    samples=(sample(POINTS), sample(POINTS, p=1), sample((1, 2))),
    refuses=(
        Refusal(sample((2,)), "rank-too-low"),
        Refusal(sample((2, 2, 2)), "rank-too-high"),
        Refusal(sample((2, 2), p=-1), "keyword-value"),
    ),
)
def pdist(x, *, p=2):
    """The distances between the rows of x, each pair once: (0, 1), (0, 2), ..., (1, 2), ...

    Shapes:  x [n, k] -> [n(n-1)/2]
    Kinks:   where two points coincide; the slope used there is 0 (PyTorch)
    Source:  torch.nn.functional.pdist; the upper triangle of `cdist`
    Example: vjp explain "pdist(x)" x=[[0,0],[3,4],[3,0]] --seed ones
    """
    require_matrix("pdist", x)
    if x.ndim > 2:
        raise fail("rank-too-high", f"pdist needs one matrix of points, not {shape_text(x.shape)}")
    rows, columns = np.triu_indices(x.shape[0], 1)
    return indexing.index(cdist(x, x, p=p), index=(rows, columns))
