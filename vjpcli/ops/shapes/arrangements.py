"""Arrangements: the pairs and larger groups that can be taken from the entries of vectors."""

from __future__ import annotations

import itertools
import math

import numpy as np

from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import true_or_false, whole_number
from vjpcli.ops.shapes import copying, indexing, joining, shape


@operation(
    samples=(sample((2,), (3,)), sample((3,)), sample((2,), (1,), (2,)), sample((0,), (2,))),
    refuses=(Refusal(sample((2,), (2, 2)), "rank-too-high"),),
)
def cartesian_prod(*vectors):
    """Every way to take one entry of each vector, one row for each.

    Shapes:  a [m], b [n] -> [m n, 2]; of a single vector [m]
    Kinks:   none
    Source:  each entry receives the sum of the adjoints of its copies
    Example: vjp explain "prod(cartesian_prod(x, y), 1)" x=1,2 y=3,4 --seed ones
    """
    if len(vectors) == 1:
        if vectors[0].ndim != 1:
            raise fail(
                "rank-too-high",
                f"cartesian_prod takes vectors, not {shape_text(vectors[0].shape)}",
            )
        return vectors[0]
    grids = copying.meshgrid(*vectors, indexing="ij")
    return joining.stack(*(shape.ravel(grid) for grid in grids), axis=-1)


@operation(
    samples=(
        sample((4,)),
        sample((3,), r=3, with_replacement=True),
        sample((2,), r=3),
    ),
    refuses=(
        Refusal(sample((2, 2)), "rank-too-high"),
        Refusal(sample((2,), r=-1), "keyword-value"),
        Refusal(sample((200,), r=100), "too-large"),
        Refusal(sample((3,), r=10**12), "too-large"),
        Refusal(sample((2,), with_replacement="no"), "keyword-value"),
    ),
)
def combinations(x, *, r=2, with_replacement=False):
    """Every way to take r entries of a vector, in its order, one row for each.

    Shapes:  x [n] -> [n! / (r! (n - r)!), r]; more with with_replacement=True
    Kinks:   none
    Source:  a selection: each entry receives the adjoints of all its rows
    Example: vjp explain "prod(combinations(x), 1)" x=1,2,3 --seed ones
    """
    if x.ndim != 1:
        raise fail("rank-too-high", f"combinations takes a vector, not {shape_text(x.shape)}")
    r = whole_number("r", r, least=0)
    again = true_or_false("with_replacement", with_replacement)
    rows = math.comb(x.size + r - 1 if again and x.size else x.size, r)
    refuse_oversized((max(rows, 1), r))
    if r == 0:  # PyTorch gives an array without entries
        return indexing.index(x, index=(slice(0, 0),))
    ways = itertools.combinations_with_replacement if again else itertools.combinations
    chosen = np.array(list(ways(range(x.size), r)), dtype=np.intp).reshape(-1, r)
    return indexing.index(x, index=(chosen,))
