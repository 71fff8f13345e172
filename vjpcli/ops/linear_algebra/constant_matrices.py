"""Constant matrices: those of Hilbert, Pascal, Hadamard and Helmert, of nothing but their size."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import make_constant
from vjpcli.ops.declaration import Refusal, fail, operation, sample
from vjpcli.ops.keywords import array_shape, one_of, true_or_false, whole_number


def _square(n, least=0):
    count = whole_number("n", n, least=least)
    array_shape((count, count))
    return count


SIZE_REFUSED = (
    Refusal(sample(n=-1), "keyword-value"),
    Refusal(sample(n=10**6), "too-large"),
    Refusal(sample(n="a"), "keyword-value"),
)


@operation(refuses=(*SIZE_REFUSED[:1], Refusal(sample(n=6), "keyword-value")))
def hadamard(*, n):
    """Hadamard's matrix of 1 and -1, whose rows are orthogonal; n is a power of 2.

    Shapes:  -> [n, n]
    Kinks:   none; it is constant
    Source:  Sylvester's construction
    Example: vjp explain "scipy.linalg.hadamard(2) @ x" x=1,10 --seed ones
    """
    count = _square(n, least=1)
    if count & (count - 1):
        raise fail("keyword-value", f"`n` of hadamard is a power of 2, not {count}")
    matrix = np.ones((1, 1))
    while len(matrix) < count:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return make_constant(matrix)


@operation(refuses=SIZE_REFUSED)
def hilbert(*, n):
    """Hilbert's matrix: entry (i, j) is 1/(i + j + 1).

    Shapes:  -> [n, n]
    Kinks:   none; it is constant
    Source:  a constant
    Example: vjp explain "scipy.linalg.hilbert(2) @ x" x=1,10 --seed ones
    """
    along = np.arange(_square(n))
    return make_constant(1.0 / (along[:, None] + along + 1))


def _binomials(n):
    """Pascal's triangle, as a lower triangle, in whole numbers."""
    triangle = np.zeros((n, n), dtype=object)
    for row in range(n):
        triangle[row, 0] = 1
        for column in range(1, row + 1):
            triangle[row, column] = triangle[row - 1, column - 1] + triangle[row - 1, column]
    return triangle


MOST_WHOLE = 200
"""Rows up to which matrices of whole numbers are built exactly."""


@operation(refuses=(Refusal(sample(n=0), "keyword-value"), Refusal(sample(n=300), "keyword-value")))
def invhilbert(*, n):
    """The inverse of Hilbert's matrix, whose entries are whole numbers.

    Shapes:  -> [n, n]
    Kinks:   none; it is constant
    Source:  Choi 1983, Tricks or treats with the Hilbert matrix
    Example: vjp explain "scipy.linalg.invhilbert(2) @ x" x=1,10 --seed ones
    """
    count = whole_number("n", n, least=1, most=MOST_WHOLE)
    rows = _binomials(2 * count)

    def entry(i, j):
        sign = -1 if (i + j) % 2 else 1
        first = int(rows[count + i, count - j - 1]) * int(rows[count + j, count - i - 1])
        return float(sign * (i + j + 1) * first * int(rows[i + j, i]) ** 2)

    return make_constant(np.array([[entry(i, j) for j in range(count)] for i in range(count)]))


PASCAL_KINDS = ("symmetric", "lower", "upper")


def _pascal(n, kind, sign):
    count = whole_number("n", n, least=1, most=MOST_WHOLE)
    lower = _binomials(count)
    if sign < 0:
        along = np.arange(count)
        lower = lower * np.where((along[:, None] + along) % 2, -1, 1)
    if kind == "symmetric":
        return lower @ lower.T if sign > 0 else lower.T @ lower
    return lower if kind == "lower" else lower.T


PASCAL_REFUSED = (
    Refusal(sample(n=0), "keyword-value"),
    Refusal(sample(n=2, kind="left"), "keyword-value"),
)


@operation(refuses=PASCAL_REFUSED)
def pascal(*, n, kind="symmetric", exact=True):
    """Pascal's matrix of binomial coefficients.

    Shapes:  -> [n, n]; kind is 'symmetric', 'lower' or 'upper'
    Kinks:   none; it is constant
    Source:  a constant: entry (i, j) is C(i + j, i), or C(i, j) in a triangle
    Example: vjp explain "scipy.linalg.pascal(3) @ x" x=1,10,100 --seed ones
    """
    true_or_false("exact", exact)
    kind = one_of("kind", kind, PASCAL_KINDS)
    return make_constant(_pascal(n, kind, 1).astype(np.float64))


@operation(refuses=PASCAL_REFUSED)
def invpascal(*, n, kind="symmetric", exact=True):
    """The inverse of Pascal's matrix.

    Shapes:  -> [n, n]; kind is 'symmetric', 'lower' or 'upper'
    Kinks:   none; it is constant
    Source:  a constant: the same coefficients with the signs of a chessboard
    Example: vjp explain "scipy.linalg.invpascal(3) @ x" x=1,10,100 --seed ones
    """
    true_or_false("exact", exact)
    kind = one_of("kind", kind, PASCAL_KINDS)
    return make_constant(_pascal(n, kind, -1).astype(np.float64))


@operation(refuses=SIZE_REFUSED)
def helmert(*, n, full=False):
    """Helmert's matrix, whose rows are orthonormal and, but for the first, add up to 0.

    Shapes:  -> [n - 1, n], or [n, n] with full=True
    Kinks:   none; it is constant
    Source:  a constant: row i is (1, ..., 1, -i, 0, ..., 0)/sqrt(i (i + 1))
    Example: vjp explain "scipy.linalg.helmert(3) @ x" x=1,10,100 --seed ones
    """
    count = _square(n, least=1)
    along = np.arange(count)
    matrix = np.tril(np.ones((count, count)), -1) - np.diag(along.astype(np.float64))
    scale = along * (along + 1.0)
    matrix[0], scale[0] = 1.0, count
    matrix /= np.sqrt(scale)[:, None]
    return make_constant(matrix if true_or_false("full", full) else matrix[1:])
