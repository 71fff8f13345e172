"""The QR decomposition: an orthonormal basis of the columns, and the matrix in that basis."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.ops.declaration import Refusal, fail, operation, outcome, sample
from vjpcli.ops.linear_algebra import solving
from vjpcli.ops.linear_algebra.matrix import require_matrix, union
from vjpcli.ops.shapes import indexing
from vjpcli.ops.shapes.ordering import matrix_transpose

TALL = [[1, 2], [3, -4], [5, 6]]
SQUARE = [[2, 1], [-1, 4]]
STACK = [[[1, 2], [3, -4], [5, 6]], [[0.7, 1], [1, 1], [-2, 1]]]
TALL_SAMPLES = (sample(TALL), sample(SQUARE), sample(STACK), sample([[-3], [1]]))


def require_tall(operation, a):
    """Refuses a matrix with more columns than rows.

    Errors: rank-too-low, wide-matrix.
    """
    require_matrix(operation, a)
    if a.shape[-2] < a.shape[-1]:
        raise fail("wide-matrix", f"{operation} needs at least as many rows as columns; use qr")


TALL_REFUSALS = (
    Refusal(sample((3,)), "rank-too-low"),
    Refusal(sample((2, 3)), "wide-matrix"),
)


def _columns_so_far(a):
    """What column j of Q and of R reads: the columns of a up to j, for Gram and Schmidt."""
    return np.bitwise_or.accumulate(union(a, -2, keepdims=True), axis=-1)


def _r_reads(a):
    n = a.shape[-1]
    upper = np.triu(np.ones((n, n), dtype=bool))
    return np.where(upper, _columns_so_far(a), 0)


@operation(
    lambda a: np.linalg.qr(a)[0],
    pattern=lambda a: np.broadcast_to(_columns_so_far(a), a.shape),
    samples=TALL_SAMPLES,
    refuses=TALL_REFUSALS,
)
def qr_basis(a):
    """The orthonormal columns Q of a tall or square matrix.

    Shapes:  a [..., n, m], n >= m -> [..., n, m]
    Kinks:   where the columns are linearly dependent; signs are LAPACK's
    Source:  Walter and Lehmann 2018, Algorithmic differentiation of linear algebra functions, QR
    Example: vjp explain "qr_basis(A)" A=[[3,1],[4,2]] --seed ones
    """
    require_tall("qr_basis", a)
    return outcome(a.shape)


@qr_basis.vjp
def _(g, y, a):
    inside = g - y @ _symmetric_from_upper(matrix_transpose(y) @ g)
    return _divided_by_transposed(inside, qr_triangle(a))


@operation(
    lambda a: np.linalg.qr(a)[1],
    pattern=_r_reads,
    samples=TALL_SAMPLES,
    refuses=TALL_REFUSALS,
)
def qr_triangle(a):
    """The upper triangle R of a tall or square matrix: a = Q @ R.

    Shapes:  a [..., n, m], n >= m -> [..., m, m]
    Kinks:   where the columns are linearly dependent; signs are LAPACK's
    Source:  Walter and Lehmann 2018, Algorithmic differentiation of linear algebra functions, QR
    Example: vjp explain "qr_triangle(A)" A=[[3,1],[4,2]] --seed ones
    """
    require_tall("qr_triangle", a)
    return outcome((*a.shape[:-2], a.shape[-1], a.shape[-1]))


@qr_triangle.vjp
def _(g, y, a):
    inside = qr_basis(a) @ _symmetric_from_upper(g @ matrix_transpose(y))
    return _divided_by_transposed(inside, y)


def _symmetric_from_upper(x):
    """The upper triangle of x, mirrored."""
    n = x.shape[-1]
    half = as_node(np.triu(np.ones((n, n))) - np.eye(n) / 2)
    upper = x * half
    return upper + matrix_transpose(upper)


def _divided_by_transposed(x, r):
    """The product x @ inv(r).T."""
    return matrix_transpose(solving.solve(r, matrix_transpose(x), vectors=False))


@operation(
    several=("Q", "R"),
    samples=(*TALL_SAMPLES, sample([[1, 2, 0.5], [3, -4, 1]])),
    refuses=(
        Refusal(sample((3,)), "rank-too-low"),
        Refusal(sample((3, 2), mode="complete"), "arbitrary-vectors"),
        Refusal(sample((2, 2), mode="economic"), "keyword-value"),
    ),
)
def qr(a, *, mode="reduced"):
    """The QR decomposition: a = Q @ R, the columns of Q orthonormal, R an upper triangle.

    Shapes:  a [..., n, m] -> Q [..., n, k], R [..., k, m], k = min(n, m); mode="r" gives R alone
    Kinks:   where the first k columns are linearly dependent; signs are LAPACK's
    Source:  Walter and Lehmann 2018, Algorithmic differentiation of linear algebra functions, QR
    Example: vjp explain "qr(A).R" A=[[3,1],[4,2]] --seed ones
    """
    require_matrix("qr", a)
    if mode not in ("reduced", "complete", "r"):
        raise fail("keyword-value", f"`mode` of qr is 'reduced', 'complete' or 'r', not {mode!r}")
    rows, columns = a.shape[-2:]
    if mode == "complete" and rows > columns:
        raise fail(
            "arbitrary-vectors",
            "qr in mode 'complete' adds columns that are arbitrary and have no gradient",
            notes=("mode='reduced' leaves them out",),
        )
    if rows >= columns:
        q, r = qr_basis(a), qr_triangle(a)
    else:
        q, r = _wide_qr(a)
    return r if mode == "r" else (q, r)


def _wide_qr(a):
    """The first columns decide the basis; the others are merely written in it."""
    rows, columns = a.shape[-2:]
    first = indexing.index(a, index=(Ellipsis, slice(None), slice(0, rows)))
    rest = indexing.index(a, index=(Ellipsis, slice(None), slice(rows, None)))
    q = qr_basis(first)
    parts = ((qr_triangle(first), slice(0, rows)), (matrix_transpose(q) @ rest, slice(rows, None)))
    left, right = (
        indexing.add_into(part, index=(slice(None), place), shape=(rows, columns))
        for part, place in parts
    )
    return q, left + right
