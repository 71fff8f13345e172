"""Determinants, and the matrix of cofactors that is their derivative.

The textbook rule d det(A) = det(A) inv(A).T fails where A is singular: there det(A) is 0 and
inv(A) infinite, and their product is computed as nan, or as 0 by a library that looks away. The
product is the matrix of cofactors, which is finite everywhere: entry (i, j) is the determinant
of A without row i and column j, with the sign of a chessboard. `cofactor` computes it from the
singular value decomposition A = U S V': cof(A) = det(U) det(V) U cof(S) V', and cof(S) is
diagonal with the products of the *other* singular values, so nothing is divided.
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.graph.results import Results
from vjpcli.ops.declaration import (
    TORCH_AS_MEASURED,
    Elsewhere,
    Refusal,
    broadcast_shapes,
    operation,
    outcome,
    sample,
)
from vjpcli.ops.linear_algebra import solving
from vjpcli.ops.linear_algebra.matrix import (
    for_each_matrix,
    reads_matrix_for_matrix,
    reads_matrix_for_number,
    require_square,
    stand_beside_matrices,
)
from vjpcli.ops.numbers import comparison
from vjpcli.ops.shapes import indexing
from vjpcli.ops.shapes.ordering import matrix_transpose

SINGULAR_4 = [[1, 2, 3, 4], [5, 6, 7, 8], [2, 4, 6, 9], [3, 5, 8, 11]]
RANK_2_OF_4 = [[1, 2, 0, 1], [2, 4, 1, 0], [3, 6, 1, 1], [1, 2, 1, -1]]
SINGULAR_3 = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]

SQUARE_REFUSALS = (
    Refusal(sample((2, 3)), "square-needed"),
    Refusal(sample((3,)), "rank-too-low"),
    Refusal(sample(()), "rank-too-low"),
)


# --- cofactors


def matrix_of_cofactors(a):
    """The matrix of cofactors of each matrix; exact in exact arithmetic up to 3 by 3."""
    n = a.shape[-1]
    if n <= 1:
        return np.ones_like(a)
    if n == 2:
        return _cofactor_2(a)
    if n == 3:
        return _crossed_rows(a, a) / 2
    orientation, u, singular, vh = _oriented_svd(a)
    before, behind, _ = _partial_products(singular)
    return orientation * ((u * (before * behind)[..., np.newaxis, :]) @ vh)


def _cofactor_2(a):
    turned = a[..., ::-1, ::-1]
    return turned * np.array([[1, -1], [-1, 1]], dtype=a.dtype)


def _crossed_rows(a, b):
    """Cross products of rows, as rows: a1×b2 + b1×a2, and so on around. Twice cof(a) if a is b."""
    following, last = (1, 2, 0), (2, 0, 1)
    return np.cross(a[..., following, :], b[..., last, :]) + np.cross(
        b[..., following, :], a[..., last, :]
    )


def _oriented_svd(a):
    u, singular, vh = for_each_matrix(np.linalg.svd, a)
    # Orthogonal matrices have determinant 1 or -1; rounding would scale the whole result.
    orientation = np.sign(np.linalg.det(u) * np.linalg.det(vh))
    return orientation[..., np.newaxis, np.newaxis], u, singular, vh


def _partial_products(s):
    """Products of what stands before i, behind i, and strictly between i and j > i."""
    n = s.shape[-1]
    ones = np.ones_like(s[..., :1])
    before = np.cumprod(np.concatenate([ones, s[..., :-1]], -1), -1)
    behind = np.cumprod(np.concatenate([ones, s[..., :0:-1]], -1), -1)[..., ::-1]
    later = np.where(
        np.triu(np.ones((n, n), dtype=bool), 1), s[..., np.newaxis, :], s.dtype.type(1)
    )
    up_to = np.cumprod(later, -1)
    between = np.concatenate([np.ones_like(up_to[..., :1]), up_to[..., :-1]], -1)
    return before, behind, between


def _cofactor_slope(a, h):
    n = a.shape[-1]
    if n <= 1:
        return np.zeros(np.broadcast_shapes(a.shape, h.shape), dtype=h.dtype)
    if n == 2:
        return np.broadcast_to(_cofactor_2(h), np.broadcast_shapes(a.shape, h.shape))
    if n == 3:
        return _crossed_rows(a, h)
    orientation, u, singular, vh = _oriented_svd(a)
    before, behind, between = _partial_products(singular)
    upper = np.triu(before[..., :, np.newaxis] * between * behind[..., np.newaxis, :], 1)
    all_but_two = upper + np.swapaxes(upper, -1, -2)
    turned = np.swapaxes(u, -1, -2) @ h @ np.swapaxes(vh, -1, -2)
    on_diagonal = np.diagonal(turned, axis1=-2, axis2=-1)[..., np.newaxis]
    inside = -all_but_two * np.swapaxes(turned, -1, -2)
    inside = inside + (all_but_two @ on_diagonal) * np.eye(n, dtype=a.dtype)
    return orientation * (u @ inside @ vh)


@operation(
    matrix_of_cofactors,
    pattern=reads_matrix_for_matrix,
    samples=(
        sample((2, 2)),
        sample((3, 3)),
        sample((4, 4)),
        sample(SINGULAR_3),
        sample(SINGULAR_4),
        sample(RANK_2_OF_4),
        sample((2, 3, 3)),
        sample((1, 1)),
        sample((0, 0)),
    ),
    refuses=SQUARE_REFUSALS,
)
def cofactor(a):
    """The matrix of cofactors: the derivative of det(a), finite also where a is singular.

    Shapes:  a [..., n, n] -> [..., n, n]
    Kinks:   none: each entry is a polynomial in the entries of a
    Source:  Magnus and Neudecker, Matrix Differential Calculus, 8.3; by the singular value
             decomposition, Stewart 1998, On the adjugate matrix
    Example: vjp explain "cofactor(A)" A=[[1,3],[2,6]] --seed ones
    """
    require_square("cofactor", a)
    return outcome(a.shape)


@cofactor.vjp
def _(g, y, a):
    return cofactor_slope(a, g)


@operation(
    _cofactor_slope,
    pattern=lambda a, h: np.broadcast_to(
        reads_matrix_for_number(a, h)[..., np.newaxis, np.newaxis],
        np.broadcast_shapes(a.shape, h.shape),
    ),
    samples=(
        sample((2, 2), (2, 2)),
        sample((3, 3), (3, 3)),
        sample((4, 4), (4, 4)),
        sample(SINGULAR_4, (4, 4)),
        sample((2, 3, 3), (3, 3)),
        sample((1, 1), (1, 1)),
        sample((0, 0), (0, 0)),
    ),
    refuses=(
        Refusal(sample((2, 3), (2, 2)), "square-needed"),
        Refusal(sample((2, 2), (3, 3)), "shape-mismatch"),
    ),
)
def cofactor_slope(a, h):
    """How the matrix of cofactors of a changes when a moves in the direction h.

    It is the second derivative of det(a). Turned by the singular vectors of a, it is made of
    products of all but two singular values, so it too is finite where a is singular.

    Shapes:  a [..., n, n], h [..., n, n] -> [..., n, n]
    Kinks:   none: polynomial in a, linear in h
    Source:  cof'(S)[H] of a diagonal S: (i, i) sums P_ij H_jj over j, (i, j) is -P_ij H_ji, where
             P_ij is the product of all diagonal entries but two
    Example: vjp explain "cofactor_slope(A, H)" A=[[1,3],[2,6]] H=[[1,0],[0,1]] --seed ones
    """
    require_square("cofactor_slope", a)
    require_square("cofactor_slope", h)
    return outcome(broadcast_shapes("cofactor_slope", a, h))


@cofactor_slope.vjp
def _(g, y, a, h):
    n = a.shape[-1]
    for_h = cofactor_slope(a, g)
    if n <= 2:
        return None, for_h
    if n == 3:
        return cofactor_slope(h, g), for_h  # cofactors of 3 by 3 are quadratic, the slope symmetric
    # Written out in minors M_ij: (g, cof'(a)[h]) = sum of ±g_ij (cof(M_ij a), M_ij h).
    weights = g * as_node(_chessboard(n))
    inside = cofactor_slope(_minors(a), _minors(h))
    return _add_minors(stand_beside_matrices(weights) * inside, n), for_h


def _chessboard(n):
    rows, columns = np.indices((n, n))
    return 1.0 - 2.0 * ((rows + columns) % 2)


def _minor_index(n):
    """The index that reads from an n by n matrix all n² matrices without one row and column."""
    others = np.array([[k for k in range(n) if k != i] for i in range(n)])
    rows = np.broadcast_to(others[:, np.newaxis, :, np.newaxis], (n, n, n - 1, n - 1))
    columns = np.broadcast_to(others[np.newaxis, :, np.newaxis, :], (n, n, n - 1, n - 1))
    return rows, columns


def _minors(a):
    n = a.shape[-1]
    return indexing.index(a, index=_minor_index(n), shape=(n, n))


def _add_minors(x, n):
    return indexing.add_into(x, index=_minor_index(n), shape=(n, n))


# --- determinants


def _is_singular(y, a):
    """Whether an elimination meets a pivot of exactly 0, so that nothing can be divided by it."""
    try:
        np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return True
    return False


def _raises_where_singular(matrix):
    return Elsewhere(
        "autograd",
        'raises "Singular matrix"',
        "a is singular",
        _is_singular,
        point=(matrix,),
    )


def _det(a):
    n = a.shape[-1]
    # Small ones by the formula that people know: det([[1, 2], [3, 4]]) is exactly -2.
    if n == 2:
        return a[..., 0, 0] * a[..., 1, 1] - a[..., 0, 1] * a[..., 1, 0]
    if n == 3:
        return np.sum(a[..., 0, :] * np.cross(a[..., 1, :], a[..., 2, :]), axis=-1)
    return np.linalg.det(a)


@operation(
    _det,
    pattern=reads_matrix_for_number,
    samples=(
        sample((2, 2)),
        sample((3, 3)),
        sample((4, 4)),
        sample([[1, 3], [2, 6]]),
        sample(SINGULAR_3),
        sample(SINGULAR_4),
        sample(RANK_2_OF_4),
        sample((2, 2, 2)),
        sample((1, 1)),
        sample((0, 0)),
        sample((0, 2, 2)),
    ),
    refuses=SQUARE_REFUSALS,
    elsewhere=(_raises_where_singular([[1.0, 3.0], [2.0, 6.0]]),),
    analytic=True,
)
def det(a):
    """The determinant of a square matrix.

    Shapes:  a [..., n, n] -> [...]
    Kinks:   none; right where a is singular (PyTorch 2.13 gives zeros there)
    Source:  Jacobi's formula: the derivative is the matrix of cofactors
    Example: vjp explain "det(A)" A=[[1,3],[2,6]]
    """
    require_square("det", a)
    return outcome(a.shape[:-2])


@det.vjp
def _(g, y, a):
    return stand_beside_matrices(g) * cofactor(a)


# det(A) inv(A).T, where a determinant of exactly 0 wins over whatever stands beside it.
@det.vjp_like(TORCH_AS_MEASURED)
def _(g, y, a):
    right = stand_beside_matrices(g) * cofactor(a)
    return comparison.where(comparison.equal(stand_beside_matrices(y), 0), 0, right)


REGULAR_SAMPLES = (
    sample([[3, 1], [2, 5]]),
    sample([[-1, 2, 0.5], [3, 1, 1], [0, 1, 2]]),
    sample([[[3, 1], [2, 5]], [[0, 1], [-2, 1]]]),
    sample([[-2]]),
    sample((0, 0)),
)


@operation(
    lambda a: np.linalg.slogdet(a)[0],
    pattern=reads_matrix_for_number,
    flat=True,
    samples=REGULAR_SAMPLES,
    refuses=SQUARE_REFUSALS,
)
def sign_of_det(a):
    """The sign of the determinant: 1, -1, or 0 of a singular matrix. Flat: its slope is 0.

    Shapes:  a [..., n, n] -> [...]
    Kinks:   jumps where a is singular; the slope used there is 0
    Source:  constant between jumps
    Example: vjp explain "sign_of_det(A) * sum(A)" A=[[3,1],[2,5]]
    """
    require_square("sign_of_det", a)
    return outcome(a.shape[:-2])


@sign_of_det.vjp
def _(g, y, a):
    return stand_beside_matrices(g) * 0


@operation(
    lambda a: np.linalg.slogdet(a)[1],
    pattern=reads_matrix_for_number,
    samples=REGULAR_SAMPLES,
    refuses=SQUARE_REFUSALS,
    elsewhere=(
        _raises_where_singular([[1.0, 2.0], [2.0, 4.0]]),
        Elsewhere(
            "jax",
            "gives infinities whose signs may be the opposite",
            "a is singular",
            _is_singular,
            point=([[1.0, 2.0], [2.0, 4.0]],),
        ),
    ),
)
def logabsdet(a):
    """The logarithm of the absolute determinant, without overflow.

    Shapes:  a [..., n, n] -> [...]
    Kinks:   none; of a singular matrix the value is -inf and the slopes are infinite
    Source:  Jacobi's formula divided by the determinant: inv(a).T
    Example: vjp explain "logabsdet(A)" A=[[-1,2],[3,1]]
    """
    require_square("logabsdet", a)
    return outcome(a.shape[:-2])


@logabsdet.vjp
def _(g, y, a):
    return stand_beside_matrices(g) * matrix_transpose(solving.inv(a))


@operation(several=("sign", "logabsdet"), samples=REGULAR_SAMPLES, refuses=SQUARE_REFUSALS)
def slogdet(a):
    """The sign of the determinant and the logarithm of its absolute value.

    Unpacked it gives (sign, logabsdet); used as one array it means logabsdet, the only one of
    the two that carries a gradient.

    Shapes:  a [..., n, n] -> sign [...], logabsdet [...]
    Kinks:   none; of a singular matrix logabsdet is -inf and its slopes are infinite (PyTorch);
             their signs are those of a zero determinant, which rounding decides
    Source:  np.linalg.slogdet; the gradient is inv(a).T
    Example: vjp explain "slogdet(A)" A=[[-1,2],[3,1]]
    """
    return Results.of((sign_of_det(a), logabsdet(a)), ("sign", "logabsdet"), default=1)


def _logdet(a):
    sign, logarithm = np.linalg.slogdet(a)
    return np.where(sign < 0, logarithm.dtype.type(np.nan), logarithm)


@operation(
    _logdet,
    pattern=reads_matrix_for_number,
    samples=(
        sample([[3, 1], [2, 5]]),
        sample([[[3, 1], [2, 5]], [[0, 1], [-2, 1]]]),
        sample([[2]]),
    ),
    refuses=SQUARE_REFUSALS,
)
def logdet(a):
    """The logarithm of the determinant: nan where that is negative.

    Shapes:  a [..., n, n] -> [...]
    Kinks:   none; of a singular matrix the value is -inf and the slopes are infinite
    Source:  Jacobi's formula divided by the determinant: inv(a).T
    Example: vjp explain "logdet(A)" A=[[3,1],[2,5]]
    """
    require_square("logdet", a)
    return outcome(a.shape[:-2])


@logdet.vjp
def _(g, y, a):
    return stand_beside_matrices(g) * matrix_transpose(solving.inv(a))
