"""Singular values, and what is read off them: rank and condition."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import OPERATIONS
from vjpcli.ops.declaration import Kink, Refusal, fail, operation, outcome, sample
from vjpcli.ops.keywords import plain_number, true_or_false
from vjpcli.ops.linear_algebra import solving
from vjpcli.ops.linear_algebra.matrix import (
    for_each_matrix,
    next_to_an_equal,
    reads_matrix_for_number,
    require_matrix,
    require_square,
    symmetrised,
    union,
)
from vjpcli.ops.linear_algebra.symmetric import inverse_off_diagonal
from vjpcli.ops.shapes import indexing, shape
from vjpcli.ops.shapes.ordering import matrix_transpose

TALL = [[1, 2], [3, -4], [5, 6]]
WIDE = [[1, 2, 0.5], [3, -4, 1]]
SQUARE = [[2, 1], [-1, 4]]
STACK = [[[1, 2], [3, -4], [5, 6]], [[0.7, 1], [1, 1], [-2, 1]]]
SVD_SAMPLES = (sample(TALL), sample(WIDE), sample(SQUARE), sample(STACK), sample([[-3]]))


def _vectors_read(rows_of_result):
    """Pattern: every entry of a matrix of singular vectors reads the whole matrix."""

    def reads(a, **static):
        bits = union(a, (-2, -1))[..., np.newaxis, np.newaxis]
        return np.broadcast_to(bits, a.shape[:-2] + rows_of_result(a, **static))

    return reads


def _svdvals(a):
    return for_each_matrix(lambda matrix: np.linalg.svd(matrix, compute_uv=False), a)


@operation(
    _svdvals,
    pattern=lambda a: np.broadcast_to(
        union(a, (-2, -1))[..., np.newaxis], (*a.shape[:-2], min(a.shape[-2:]))
    ),
    samples=(*SVD_SAMPLES, sample((0, 2)), sample((2, 0, 2))),
    refuses=(Refusal(sample((3,)), "rank-too-low"),),
    kinks=(
        Kink(
            "a singular value is 0",
            lambda y, a: y <= max(a.shape[-2:]) * np.finfo(y.dtype).eps * y[..., :1],
            slopes=(-1, 1),
            used=1,
            point=([[0.0, 0.0], [0.0, 1.0]],),
            entry=1,
        ),
        Kink(
            "singular values are equal",
            lambda y, a: next_to_an_equal(y) & (y > 0),
            slopes=(0, 1),
            used=1,
            point=([[1.0, 0.0], [0.0, 1.0]],),
        ),
    ),
)
def svdvals(a):
    """The singular values of a matrix, the largest first.

    Shapes:  a [..., n, m] -> [..., min(n, m)]
    Kinks:   at a singular value of 0, and where two meet, their order
    Source:  Giles 2008, An extended collection of matrix derivative results, 3.2: the gradient
             of the i-th singular value is outer(u_i, v_i)
    Example: vjp explain "sum(svdvals(A))" A=[[1,2],[3,4],[5,6]]
    """
    require_matrix("svdvals", a)
    return outcome((*a.shape[:-2], min(a.shape[-2:])))


@svdvals.vjp
def _(g, y, a):
    u = svd_left(a, full_matrices=False)
    return (u * shape.expand_dims(g, axis=-2)) @ svd_right(a, full_matrices=False)


def _full_vectors(operation, a, full_matrices, length):
    """Normalises `full_matrices`: False where it adds no vectors."""
    require_matrix(operation, a)
    more = length > min(a.shape[-2:])
    return true_or_false("full_matrices", full_matrices) and more


def _refuse_arbitrary_vectors(full_matrices):
    """Refuses the gradient of vectors that only complete a basis, as PyTorch does.

    Errors: arbitrary-vectors.
    """
    if full_matrices:
        raise fail(
            "arbitrary-vectors",
            "no gradient exists: with full_matrices=True the last singular vectors are arbitrary",
            notes=("write svd(A, full_matrices=False)",),
        )


def _singular_vectors(a, full_matrices):
    u, _, vh = for_each_matrix(lambda matrix: np.linalg.svd(matrix, full_matrices), a)
    return u, vh


@operation(
    lambda a, *, full_matrices: _singular_vectors(a, full_matrices)[0],
    pattern=_vectors_read(lambda a, *, full_matrices: _left_shape(a, full_matrices)),
    samples=tuple(sample(*one.operands, full_matrices=False) for one in SVD_SAMPLES),
    refuses=(Refusal(sample((3,)), "rank-too-low"),),
)
def svd_left(a, *, full_matrices=True):
    """The left singular vectors U of a matrix, as columns.

    Shapes:  a [..., n, m] -> [..., n, min(n, m)], or [..., n, n] with full_matrices
    Kinks:   where singular values are equal, their vectors are not determined: the slopes are
             infinite or nan. Their signs are LAPACK's
    Source:  Townsend 2016, Differentiating the singular value decomposition
    Example: vjp explain "svd_left(A, full_matrices=False)" A=[[1,2],[3,4]] --seed ones
    """
    full_matrices = _full_vectors("svd_left", a, full_matrices, a.shape[-2] if a.ndim > 1 else 0)
    return outcome(a.shape[:-2] + _left_shape(a, full_matrices), full_matrices=full_matrices)


def _left_shape(a, full_matrices):
    rows = a.shape[-2]
    return (rows, rows if full_matrices else min(a.shape[-2:]))


@svd_left.vjp
def _(g, y, a, *, full_matrices):
    _refuse_arbitrary_vectors(full_matrices)
    s = svdvals(a)
    vh = svd_right(a, full_matrices=False)
    columns = shape.expand_dims(s, axis=-2)
    turned = matrix_transpose(y) @ g
    mixed = (turned - matrix_transpose(turned)) * _inverse_gaps_of_squares(s) * columns
    inside = y @ mixed
    if a.shape[-2] > a.shape[-1]:  # U does not span all of space: the part of g outside it
        outside = g / columns
        inside = inside + outside - y @ (matrix_transpose(y) @ outside)
    return inside @ vh


@operation(
    lambda a, *, full_matrices: _singular_vectors(a, full_matrices)[1],
    pattern=_vectors_read(lambda a, *, full_matrices: _right_shape(a, full_matrices)),
    samples=tuple(sample(*one.operands, full_matrices=False) for one in SVD_SAMPLES),
    refuses=(Refusal(sample((3,)), "rank-too-low"),),
)
def svd_right(a, *, full_matrices=True):
    """The right singular vectors Vh of a matrix, as rows.

    Shapes:  a [..., n, m] -> [..., min(n, m), m], or [..., m, m] with full_matrices
    Kinks:   where singular values are equal, their vectors are not determined: the slopes are
             infinite or nan. Their signs are LAPACK's
    Source:  Townsend 2016, Differentiating the singular value decomposition
    Example: vjp explain "svd_right(A, full_matrices=False)" A=[[1,2],[3,4]] --seed ones
    """
    full_matrices = _full_vectors("svd_right", a, full_matrices, a.shape[-1] if a.ndim > 1 else 0)
    return outcome(a.shape[:-2] + _right_shape(a, full_matrices), full_matrices=full_matrices)


def _right_shape(a, full_matrices):
    columns = a.shape[-1]
    return (columns if full_matrices else min(a.shape[-2:]), columns)


@svd_right.vjp
def _(g, y, a, *, full_matrices):
    _refuse_arbitrary_vectors(full_matrices)
    s = svdvals(a)
    u = svd_left(a, full_matrices=False)
    rows = shape.expand_dims(s, axis=-1)
    turned = y @ matrix_transpose(g)
    mixed = (turned - matrix_transpose(turned)) * _inverse_gaps_of_squares(s) * rows
    inside = mixed @ y
    if a.shape[-1] > a.shape[-2]:  # V does not span all of space: the part of g outside it
        outside = g / rows
        inside = inside + outside - (outside @ matrix_transpose(y)) @ y
    return u @ inside


def _inverse_gaps_of_squares(s):
    """1/(s_j² - s_i²) off the diagonal, 0 on it."""
    across, down = shape.expand_dims(s, axis=-2), shape.expand_dims(s, axis=-1)
    return inverse_off_diagonal((across - down) * (across + down), s.shape[-1])


@operation(
    several=("U", "S", "Vh"),
    samples=(
        *(sample(*one.operands, full_matrices=False) for one in SVD_SAMPLES),
        sample(TALL, compute_uv=False),
        sample([[2, 1], [1, 4]], hermitian=True, compute_uv=False),
    ),
    refuses=(
        Refusal(sample((3,)), "rank-too-low"),
        Refusal(sample((2, 2), full_matrices="no"), "keyword-value"),
    ),
    convention="svd: the third result is Vh, V transposed (torch.linalg, NumPy; torch.svd gives V)",
    convention_about=(),
)
def svd(a, *, full_matrices=True, compute_uv=True, hermitian=False):
    """The singular value decomposition: a = U @ diag(S) @ Vh.

    Shapes:  a [..., n, m] -> U [..., n, k], S [..., k], Vh [..., k, m], k = min(n, m); with
             full_matrices U [..., n, n], Vh [..., m, m]; compute_uv=False gives S alone
    Kinks:   where singular values are equal, the slopes of their vectors are infinite or nan
    Source:  Townsend 2016, Differentiating the singular value decomposition
    Example: vjp explain "svd(A).S" A=[[1,2],[3,4]] --seed ones
    """
    if true_or_false("hermitian", hermitian):
        a = symmetrised("svd", a)
    if not true_or_false("compute_uv", compute_uv):
        return svdvals(a)
    left = svd_left(a, full_matrices=full_matrices)
    return left, svdvals(a), svd_right(a, full_matrices=full_matrices)


# --- rank and condition


def _matrix_rank(a, *, tol, rtol):
    singular = _svdvals(a)
    largest = singular.max(axis=-1, keepdims=True, initial=0)
    if rtol is None:
        rtol = 0 if tol is not None else max(a.shape[-2:]) * np.finfo(singular.dtype).eps
    return np.count_nonzero(singular > np.maximum(largest * rtol, tol or 0), axis=-1)


@operation(
    _matrix_rank,
    pattern=reads_matrix_for_number,
    kind="index",
    flat=True,
    keyword_aliases={"atol": "tol"},
    samples=(
        sample([[1, 2], [2, 4]]),
        sample((2, 3, 2)),
        sample((0, 2)),
        sample((2, 2), tol=9),
        sample([[3, 1], [1, 3]], rtol=0.6),
    ),
    refuses=(
        Refusal(sample((3,)), "rank-too-low"),
        Refusal(sample((2, 2), tol="low"), "keyword-value"),
    ),
)
def matrix_rank(a, *, tol=None, rtol=None, hermitian=False):
    """The rank of a matrix: how many singular values count as more than 0. It has no derivative.

    Shapes:  a [..., n, m] -> [...] of whole numbers; tol (atol in PyTorch) and rtol, times the
             largest singular value, are what counts as 0
    Kinks:   jumps
    Source:  np.linalg.matrix_rank
    Example: vjp explain "sum(A) + matrix_rank(A)" A=[[1,2],[2,4]]
    """
    require_matrix("matrix_rank", a)
    true_or_false("hermitian", hermitian)
    tol = None if tol is None else plain_number("tol", tol)
    rtol = None if rtol is None else plain_number("rtol", rtol)
    return outcome(a.shape[:-2], tol=tol, rtol=rtol)


@operation(
    keyword_aliases={"ord": "p"},
    samples=(sample(TALL), sample(SQUARE, p=-2), sample(STACK, p=2)),
    refuses=(
        Refusal(sample((3,)), "rank-too-low"),
        Refusal(sample((2, 3), p="fro"), "square-needed"),
        Refusal(sample((2, 2), p="large"), "keyword-value"),
        Refusal(sample((0, 0)), "empty-matrix"),
    ),
)
def cond(a, *, p=None):
    """The condition number: how many times a matrix can magnify relative errors.

    Shapes:  a [..., n, m] -> [...]; square unless p is None, 2 or -2
    Kinks:   where the norm has them; infinite where a is singular
    Source:  np.linalg.cond; the norm of a times the norm of inv(a), for p=2 the largest singular
             value divided by the smallest
    Example: vjp explain "cond(A)" A=[[1,2],[3,4]]
    """
    require_matrix("cond", a)
    if p not in (None, 1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"):
        raise fail("keyword-value", f"`p` of cond cannot be {p!r}: it is a matrix norm")
    if 0 in a.shape[-2:]:
        raise fail("empty-matrix", "a matrix without entries has no condition number")
    if p in (None, 2, -2):
        values = svdvals(a)
        largest = indexing.index(values, index=(Ellipsis, 0))
        smallest = indexing.index(values, index=(Ellipsis, -1))
        return smallest / largest if p == -2 else largest / smallest
    require_square("cond", a)
    norm_of = OPERATIONS["matrix_norm"]
    return norm_of(a, ord=p) * norm_of(solving.inv(a), ord=p)
