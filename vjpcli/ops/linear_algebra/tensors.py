"""Products along chosen axes, in chains and in space; matrices built of others.

These are tensordot, multi_dot, cross, vander and block_diag.
"""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import OPERATIONS, as_node
from vjpcli.graph.shapes import shape_mismatch
from vjpcli.ops.declaration import (
    Refusal,
    broadcast_shapes,
    fail,
    operation,
    outcome,
    sample,
    shape_text,
    trailing_axis,
)
from vjpcli.ops.keywords import true_or_false, whole_number
from vjpcli.ops.linear_algebra.matrix import require_rank
from vjpcli.ops.linear_algebra.products import matmul_shape
from vjpcli.ops.shapes import indexing, ordering, shape
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


# --- the cross product


def _cross(a, b, *, axis):
    return np.cross(a, b, axis=axis)


def _cross_reads(a, b, *, axis):
    """A component reads the two others of both vectors."""
    a, b = np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1)
    both = a | b
    following, last = both[..., [1, 2, 0]], both[..., [2, 0, 1]]
    return np.moveaxis(following | last, -1, axis)


def _axis_of_cross(a, b, axis):
    """The axis along which the vectors lie.

    Errors: cross-axis-unclear, shape-mismatch, axis-out-of-range, axis-not-whole.
    """
    if a.ndim == 0 or b.ndim == 0:
        raise fail("scalar-operand", "cross needs vectors, and one operand is a number")
    if axis is not None:
        of_a, of_b = trailing_axis(a, axis), trailing_axis(b, axis)
        if of_a != of_b:
            why = f"axis {axis} is not the same axis of both; count it from the end"
            raise shape_mismatch("cross", a.shape, b.shape, why=why)
        return of_a
    fitting = [
        axis
        for axis in range(-min(a.ndim, b.ndim), 0)
        if a.shape[axis] == b.shape[axis] and a.shape[axis] == 3
    ]
    if len(fitting) > 1:
        raise fail(
            "cross-axis-unclear",
            f"several axes of shape {shape_text(a.shape)} have length 3; cross needs axis=",
            notes=("torch.cross takes the first, torch.linalg.cross and np.cross the last",),
        )
    return fitting[0] if fitting else -1


@operation(
    _cross,
    pattern=_cross_reads,
    library_defaults={"numpy": {"axis": -1}, "jax": {"axis": -1}},
    samples=(
        sample((3,), (3,)),
        sample((2, 3), (3,)),
        sample((3, 2), (3, 2)),
        sample((3, 3), (3, 3), axis=0),
        sample((2, 3, 1), (2, 3, 4), axis=1),
        sample((0, 3), (0, 3)),
    ),
    refuses=(
        Refusal(sample((2,), (2,)), "cross-length"),
        Refusal(sample((3,), (4,)), "cross-length"),
        Refusal(sample((3, 3), (3, 3)), "cross-axis-unclear"),
        Refusal(sample((2, 3), (4, 3)), "shape-mismatch"),
        Refusal(sample((2, 3), (2, 3), axis=2), "axis-out-of-range"),
        Refusal(sample((3,), (2, 3), axis=0), "shape-mismatch"),
    ),
    analytic=True,
)
def cross(a, b, *, axis=None):
    """The cross product of vectors in space.

    Without `axis` the vectors lie along the only axis of length 3.

    Shapes:  a [..., 3], b [..., 3] -> [..., 3] (broadcast)
    Kinks:   none
    Source:  triple product: g · (a × b) = a · (b × g) = b · (g × a)
    Example: vjp explain "cross(a, b)" a=1,2,3 b=4,5,6 --seed 1,0,0
    """
    axis = _axis_of_cross(a, b, axis)
    if a.shape[axis] != 3 or b.shape[axis] != 3:
        raise fail(
            "cross-length",
            f"cross needs vectors of length 3, not shapes {shape_text(a.shape)} and "
            f"{shape_text(b.shape)}",
        )
    return outcome(broadcast_shapes("cross", a, b), axis=axis)


@cross.vjp
def _(g, y, a, b, *, axis):
    return cross(b, g, axis=axis), cross(g, a, axis=axis)


@operation(
    library_names={"numpy": ("cross",), "jax": ("cross",)},
    samples=(
        sample((3,), (3,)),
        sample((2,), (2,)),
        sample((2,), (3,)),
        sample((4, 2), (2,)),
        sample((2, 3), (3, 2), axisb=0),
        sample((3, 4), (3, 4), axis=0),
        sample((2, 3), (2, 3), axisc=0),
    ),
    refuses=(
        Refusal(sample((4,), (3,)), "cross-length"),
        Refusal(sample((), (3,)), "scalar-operand"),
        Refusal(sample((3,), (3,), axis=1), "axis-out-of-range"),
    ),
    analytic=True,
)
def cross_along(a, b, *, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross product of vectors in space or in the plane: np.cross.

    Shapes:  a [..., 3], b [..., 3] -> [..., 3] (broadcast); a vector of two entries lies in the
             plane, and two of them give one number
    Kinks:   none
    Source:  `cross`; of vectors in the plane a0 b1 - a1 b0
    Example: vjp explain "np.cross(a, b)" a=1,2 b=3,4
    """
    if a.ndim == 0 or b.ndim == 0:
        raise fail("scalar-operand", "cross needs vectors, and one operand is a number")
    if axis is not None:
        axisa = axisb = axisc = axis
    a = _along_last(a, axisa)
    b = _along_last(b, axisb)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise fail(
            "cross-length",
            f"cross needs vectors of length 2 or 3, not shapes {shape_text(a.shape)} and "
            f"{shape_text(b.shape)}",
        )
    if a.shape[-1] == b.shape[-1] == 2:
        first, second = (
            [indexing.index(one, index=(Ellipsis, place)) for place in (0, 1)] for one in (a, b)
        )
        return first[0] * second[1] - first[1] * second[0]
    product = cross(_in_space(a), _in_space(b), axis=-1)
    place = trailing_axis(product, axisc) + product.ndim
    return ordering.moveaxis(product, source=-1, destination=place)


def _along_last(x, axis):
    return ordering.moveaxis(x, source=trailing_axis(x, axis), destination=-1)


def _in_space(x):
    """Vectors of two entries with a third that is 0."""
    if x.shape[-1] == 3:
        return x
    return indexing.add_into(x, index=(Ellipsis, slice(0, 2)), shape=(*x.shape[:-1], 3))


@operation(
    library_names={"torch": ("linalg.cross",)},
    samples=(sample((2, 3), (3,)), sample((3, 3), (3, 3)), sample((3, 2), (3, 2), axis=0)),
    refuses=(Refusal(sample((2,), (2,)), "cross-length"),),
    analytic=True,
)
def linalg_cross(a, b, *, axis=-1):
    """The cross product of vectors along the last axis: torch.linalg.cross.

    Shapes:  a [..., 3], b [..., 3] -> [..., 3] (broadcast)
    Kinks:   none
    Source:  `cross`
    Example: vjp explain "torch.linalg.cross(a, b)" a=1,2,3 b=4,5,6 --seed 1,0,0
    """
    return cross(a, b, axis=axis)


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
