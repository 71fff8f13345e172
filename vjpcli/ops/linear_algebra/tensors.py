"""Products along chosen axes and in chains; matrices built of others.

These are tensordot, multi_dot, vander and block_diag.
"""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import OPERATIONS, as_node
from vjpcli.graph.shapes import shape_mismatch
from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    sample,
    shape_text,
    trailing_axis,
)
from vjpcli.ops.keywords import true_or_false, whole_number
from vjpcli.ops.linear_algebra.matrix import require_rank
from vjpcli.ops.linear_algebra.products import matmul_shape
from vjpcli.ops.shapes import indexing, shape
from vjpcli.ops.shapes.ordering import matrix_transpose

# --- tensordot


def _pairs_of_axes(a, b, axes):
    """`axes` as two lists of equal length: positions in a, positions in b.

    Errors: keyword-value, axis-out-of-range, axis-not-whole, axis-twice.
    """
    if isinstance(axes, list | tuple):
        if len(axes) != 2:
            raise fail(
                "keyword-value", f"tensordot takes a number or two lists of axes, not {axes!r}"
            )
        for_a, for_b = (one if isinstance(one, list | tuple) else (one,) for one in axes)
    else:
        count = whole_number("axes", axes)
        if not 0 <= count <= min(a.ndim, b.ndim):
            raise fail(
                "axis-out-of-range",
                f"tensordot cannot sum over {count} axes of shapes {shape_text(a.shape)} and "
                f"{shape_text(b.shape)}",
            )
        for_a, for_b = tuple(range(-count, 0)), tuple(range(count))
    if len(for_a) != len(for_b):
        raise fail("keyword-value", "tensordot needs as many axes of the one as of the other")
    in_a = [trailing_axis(a, axis) + a.ndim for axis in for_a]
    in_b = [trailing_axis(b, axis) + b.ndim for axis in for_b]
    if len(set(in_a)) < len(in_a) or len(set(in_b)) < len(in_b):
        raise fail("axis-twice", f"the same axis is named twice in {axes!r}")
    return in_a, in_b


def _rows_of(x, summed):
    """x as a matrix: one row for each entry of the free axes, the axes `summed` in that order."""
    order = list(range(x.ndim))
    lengths = list(x.shape)
    for axis in summed:
        place = order.index(axis)
        if place < len(order) - 1:  # one axis moves behind all others: a transposed matrix
            split = (math.prod(lengths[:place]), lengths[place], math.prod(lengths[place + 1 :]))
            x = matrix_transpose(shape.reshape(x, shape=split))
        order.append(order.pop(place))
        lengths.append(lengths.pop(place))
    free = len(order) - len(summed)
    wanted = (math.prod(lengths[:free]), math.prod(lengths[free:]))
    return (x if x.shape == wanted else shape.reshape(x, shape=wanted)), tuple(lengths[:free])


@operation(
    keyword_aliases={"dims": "axes"},
    samples=(
        sample((2, 3), (2, 3)),
        sample((2, 3), (3, 2), axes=1),
        sample((2, 3), (4,), axes=0),
        sample((2, 3, 4), (4, 3, 5), axes=((1, 2), (1, 0))),
        sample((2, 3, 4), (3, 2), axes=((-2,), (0,))),
        sample((2, 3, 4), (2,), axes=(0, 0)),
        sample((2, 0), (0, 3), axes=1),
    ),
    refuses=(
        Refusal(sample((2, 3), (2, 4), axes=1), "shape-mismatch"),
        Refusal(sample((3,), (3,)), "axis-out-of-range"),
        Refusal(sample((2, 3), (3, 2), axes=((0, 0), (1, 1))), "axis-twice"),
        Refusal(sample((2, 3), (3, 2), axes=((0, 1), (1,))), "keyword-value"),
        Refusal(sample((2, 3), (3, 2), axes="both"), "keyword-value"),
    ),
)
def tensordot(a, b, *, axes=2):
    """The sum of products over pairs of axes, a number of inner ones or those named.

    Shapes:  a, b -> the axes of a that are left, then those of b
    Kinks:   none
    Source:  np.tensordot; a matrix product of the operands laid out as matrices
    Example: vjp explain "tensordot(A, B, 2)" A=[[1,2],[3,4]] B=[[1,0],[0,1]]
    """
    in_a, in_b = _pairs_of_axes(a, b, axes)
    for i, j in zip(in_a, in_b, strict=True):
        if a.shape[i] != b.shape[j]:
            raise shape_mismatch(
                "tensordot",
                a.shape,
                b.shape,
                why=f"axis {i} of the first is {a.shape[i]} long, axis {j} of the second "
                f"{b.shape[j]}",
            )
    rows, free_a = _rows_of(a, in_a)
    columns, free_b = _rows_of(b, in_b)
    return shape.reshape(rows @ matrix_transpose(columns), shape=free_a + free_b)


# --- chains


@operation(
    aliases=("chain_matmul",),
    samples=(
        sample((2, 3), (3, 4), (4, 2)),
        sample((3,), (3, 2), (2,)),
        sample((2, 3)),
    ),
    refuses=(
        Refusal(sample((2, 3), (3, 4), (2, 4)), "shape-mismatch"),
        Refusal(sample((2, 3), (3,), (3, 2)), "rank-too-low"),
    ),
)
def multi_dot(*tensors):
    """The matrix product of a chain, from left to right. The first and last may be vectors.

    Shapes:  [n, k], [k, l], ..., [l, m] -> [n, m]
    Kinks:   none
    Source:  np.linalg.multi_dot, torch.linalg.multi_dot
    Example: vjp explain "multi_dot([A, B, x])" A=[[1,2],[3,4]] B=[[0,1],[1,0]] x=1,10 --seed ones
    """
    product = tensors[0]
    for number, tensor in enumerate(tensors[1:], start=2):
        if number < len(tensors):
            require_rank("multi_dot", tensor, 2, "a matrix")
        matmul_shape("multi_dot", product, tensor)
        product = product @ tensor
    return product


# --- matrices built of others

MOST_POWERS = 10_000
"""Columns above which a Vandermonde matrix is refused: each is a step of the graph."""


@operation(
    keyword_aliases={"n": "N"},
    samples=(
        sample((3,)),
        sample((3,), N=2),
        sample((2, 2), N=3, increasing=True),
        sample((2,), N=0),
        sample([0.0, 2.0], N=3),
    ),
    refuses=(
        Refusal(sample(()), "scalar-operand"),
        Refusal(sample((3,), N=-1), "keyword-value"),
        Refusal(sample((3,), N=0.5), "keyword-value"),
    ),
)
def vander(x, *, N=None, increasing=False):
    """The matrix of powers of x, the highest first: row i holds x_i**(N-1), ..., x_i, 1.

    Shapes:  x [..., n] -> [..., n, N]
    Kinks:   none
    Source:  np.vander, torch.vander; each entry is a power of one entry of x
    Example: vjp explain "vander(x) @ c" x=1,2,3 c=1,0,0 --seed ones
    """
    if x.ndim == 0:
        raise fail("scalar-operand", "vander needs a vector, and its operand is a number")
    count = x.shape[-1] if N is None else whole_number("N", N)
    if not 0 <= count <= MOST_POWERS:
        raise fail("keyword-value", f"`N` of vander is a number from 0 to {MOST_POWERS}, not {N!r}")
    increasing = true_or_false("increasing", increasing)
    if count == 0:
        return as_node(np.zeros((*x.shape, 0)))
    # Products, not `**`: their second derivatives are plain at 0 too.
    powers = [as_node(np.ones(x.shape)), x]
    while len(powers) < count:
        powers.append(powers[-1] * x)
    powers = powers[:count]
    return OPERATIONS["stack"](*(powers if increasing else reversed(powers)), axis=-1)


@operation(
    library_names={"torch": ("linalg.vander",)},
    samples=(sample((3,)), sample((2, 2), N=3)),
    refuses=(Refusal(sample(()), "scalar-operand"),),
)
def linalg_vander(x, *, N=None):
    """The matrix of powers of x, the lowest first: torch.linalg.vander.

    Shapes:  x [..., n] -> [..., n, N]
    Kinks:   none
    Source:  `vander`
    Example: vjp explain "torch.linalg.vander(x) @ c" x=1,2,3 c=1,0,0 --seed ones
    """
    return vander(x, N=N, increasing=True)


@operation(
    samples=(
        sample((2, 2), (1, 3)),
        sample((2,), (), (2, 1)),
        sample((2, 2)),
        sample((0, 2), (1, 1)),
    ),
    refuses=(Refusal(sample((1, 2, 2)), "rank-too-high"),),
)
def block_diag(*tensors):
    """The given matrices along the diagonal of a larger one, zeros beside them.

    Shapes:  [n1, m1], [n2, m2], ... -> [n1 + n2 + ..., m1 + m2 + ...]; a vector is one row
    Kinks:   none
    Source:  a rearrangement: each block receives its own part of the adjoint
    Example: vjp explain "block_diag(A, B) @ x" A=[[1,2],[3,4]] B=5 x=1,10,100 --seed ones
    """
    blocks = [_as_matrix(tensor) for tensor in tensors]
    rows, columns = (sum(block.shape[axis] for block in blocks) for axis in (0, 1))
    row = column = 0
    result = None
    for block in blocks:
        place = (slice(row, row + block.shape[0]), slice(column, column + block.shape[1]))
        placed = indexing.add_into(block, index=place, shape=(rows, columns))
        result = placed if result is None else result + placed
        row, column = row + block.shape[0], column + block.shape[1]
    return result


def _as_matrix(x):
    if x.ndim > 2:
        require_rank("block_diag", x, 2, "matrices")
    return x if x.ndim == 2 else shape.reshape(x, shape=(1, x.size))
