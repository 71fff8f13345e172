"""Functions of a square matrix: powers and the exponential."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.ops.declaration import Refusal, fail, operation, outcome, sample
from vjpcli.ops.keywords import whole_number
from vjpcli.ops.linear_algebra import solving
from vjpcli.ops.linear_algebra.matrix import (
    for_each_matrix,
    reads_matrix_for_matrix,
    require_square,
)
from vjpcli.ops.shapes import indexing
from vjpcli.ops.shapes.ordering import matrix_transpose

LARGEST_POWER = 2**63


@operation(
    samples=(
        sample((2, 2), n=3),
        sample((2, 2), n=1),
        sample((2, 2), n=0),
        sample([[2, 1], [0, 4]], n=-2),
        sample((2, 2, 2), n=6),
        sample((1, 1), n=5),
        sample((0, 0), n=2),
    ),
    keyword_aliases={"p": "n"},
    refuses=(
        Refusal(sample((2, 3), n=2), "square-needed"),
        Refusal(sample((2, 2), n=0.5), "keyword-value"),
        Refusal(sample((2, 2), n=10**40), "power-too-large"),
    ),
)
def matrix_power(a, *, n):
    """The matrix times itself n times; a negative n means powers of the inverse.

    Shapes:  a [..., k, k] -> [..., k, k]
    Kinks:   none; a pole where a is singular and n negative
    Source:  products by repeated squaring, each with the rule of `@`
    Example: vjp explain "matrix_power(A, 3)" A=[[1,2],[3,4]] --seed ones
    """
    require_square("matrix_power", a)
    n = whole_number("n", n)
    if abs(n) >= LARGEST_POWER:
        raise fail("power-too-large", "matrix_power takes powers of at most 63 bits")
    if n == 0:
        return as_node(np.broadcast_to(np.eye(a.shape[-1]), a.shape))
    square = solving.inv(a) if n < 0 else a
    rest, result = abs(n), None
    while True:
        if rest & 1:
            result = square if result is None else result @ square
        rest >>= 1
        if not rest:
            return result
        square = square @ square


# --- the exponential

PADE_13 = (
    64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
    10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
)  # fmt: skip
"""Coefficients of the numerator of the [13/13] Padé approximant of exp, lowest power first."""

PADE_13_REACHES = 5.371920351148152
"""The 1-norm up to which that approximant has double precision (Higham 2005, table 2.3)."""


def _matrix_exp(a):
    n = a.shape[-1]
    if a.size == 0:
        return a
    norm = np.abs(a).sum(axis=-2).max(axis=-1)
    halvings = np.ceil(np.log2(np.maximum(norm, PADE_13_REACHES) / PADE_13_REACHES))
    halvings = np.where(np.isfinite(halvings), halvings, 0)
    scaled = a * (0.5**halvings)[..., np.newaxis, np.newaxis].astype(a.real.dtype)
    numbers = np.array(PADE_13, dtype=a.real.dtype) / a.real.dtype.type(PADE_13[0])
    identity = np.eye(n, dtype=a.dtype)
    square = scaled @ scaled
    even = numbers[12] * identity
    odd = numbers[13] * identity
    for power in range(10, -1, -2):
        even = even @ square + numbers[power] * identity
        odd = odd @ square + numbers[power + 1] * identity
    odd = scaled @ odd
    result = for_each_matrix(np.linalg.solve, even - odd, even + odd)
    for step in range(int(halvings.max())):
        again = (step < halvings)[..., np.newaxis, np.newaxis]
        result = np.where(again, result @ result, result)
    return result


@operation(
    _matrix_exp,
    pattern=reads_matrix_for_matrix,
    aliases=("expm",),
    samples=(
        sample((2, 2)),
        sample([[0, 1], [-1, 0]]),
        sample([[[1, 5], [-4, 2]], [[0.1, 0], [0.2, -3]]]),
        sample((1, 1)),
        sample([[0, 1], [0, 0]]),
        sample((0, 0)),
    ),
    refuses=(
        Refusal(sample((2, 3)), "square-needed"),
        Refusal(sample((3,)), "rank-too-low"),
    ),
    analytic=True,
)
def matrix_exp(a):
    """The exponential of a square matrix: I + a + a@a/2 + ...

    Shapes:  a [..., n, n] -> [..., n, n]
    Kinks:   none
    Source:  Higham 2005, The scaling and squaring method for the matrix exponential revisited;
             the derivative by Mathias 1996: exp of [[a.T, g], [0, a.T]] holds it at the top right
    Example: vjp explain "matrix_exp(A)" A=[[0,1],[-1,0]] --seed ones
    """
    require_square("matrix_exp", a)
    return outcome(a.shape)


@matrix_exp.vjp
def _(g, y, a):
    turned = matrix_transpose(a)
    n = a.shape[-1]
    index = (slice(0, n), slice(n, 2 * n))
    block = two_by_two(turned, g, None, turned)
    return indexing.index(matrix_exp(block), index=index, shape=(2 * n, 2 * n))


def two_by_two(*blocks):
    """The matrix of four square blocks, row by row; None stands for zeros."""
    total = None
    for number, block in enumerate(blocks):
        if block is not None:
            n = block.shape[-1]
            half = (slice(0, n), slice(n, 2 * n))
            place = (half[number // 2], half[number % 2])
            placed = indexing.add_into(block, index=place, shape=(2 * n, 2 * n))
            total = placed if total is None else total + placed
    return total
