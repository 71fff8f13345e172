"""Products of vectors and matrices: `@` and its relatives, transposition, outer product, trace.

Extra leading axes are a stack: the last two axes are the matrix, the last one is the vector.
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.graph.shapes import shape_mismatch
from vjpcli.ops.declaration import (
    Refusal,
    fail,
    operation,
    outcome,
    reduced_shape,
    sample,
    shape_text,
    trailing_axis,
)
from vjpcli.ops.keywords import true_or_false, whole_number
from vjpcli.ops.linear_algebra.matrix import require_matrix, union
from vjpcli.ops.shapes import shape
from vjpcli.ops.shapes.ordering import matrix_transpose

# --- the matrix product


def _matmul_reads(a, b):
    """An entry of a @ b reads a whole row of a and a whole column of b."""
    rows = union(a, -1, keepdims=a.ndim > 1 and b.ndim > 1)
    columns = union(b, -1) if b.ndim == 1 else union(b, -2, keepdims=a.ndim > 1)
    return rows | columns


def matmul_shape(name, a, b):
    """The shape of a @ b.

    Errors: scalar-operand, shape-mismatch.
    """
    for operand in (a, b):
        if operand.ndim == 0:
            raise fail(
                "scalar-operand",
                f"{name} needs vectors or matrices, and one operand is a number",
                notes=("multiplying by a number is written *",),
            )
    inner_a, inner_b = a.shape[-1], b.shape[max(b.ndim - 2, 0)]
    if inner_a != inner_b:
        raise shape_mismatch(
            name, a.shape, b.shape, why=f"the inner lengths {inner_a} and {inner_b} differ"
        )
    try:
        stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise shape_mismatch(
            name,
            a.shape,
            b.shape,
            why=f"the stacks {shape_text(a.shape[:-2])} and {shape_text(b.shape[:-2])} before "
            "the last two axes do not broadcast",
        ) from None
    rows = a.shape[-2:-1] if a.ndim > 1 else ()
    columns = b.shape[-1:] if b.ndim > 1 else ()
    return (*stack, *rows, *columns)


@operation(
    np.matmul,
    pattern=_matmul_reads,
    infix="@",
    samples=(
        sample((2, 3), (3,)),
        sample((2, 3), (3, 2)),
        sample((3,), (3,)),
        sample((3,), (3, 2)),
        sample((2, 2, 3), (3,)),
        sample((3,), (2, 3, 2)),
        sample((2, 1, 2, 3), (2, 3, 1)),
        sample((1, 1), (1,)),
        sample((2, 0), (0, 3)),
        sample((0, 2), (2,)),
    ),
    refuses=(
        Refusal(sample((2, 3), (4,)), "shape-mismatch"),
        Refusal(sample((2, 2, 3), (3, 3, 2)), "shape-mismatch"),
        Refusal(sample((), (3,)), "scalar-operand"),
    ),
    analytic=True,
    aliases=("batch_matmul",),
)
def matmul(a, b):
    """The matrix product `a @ b`: rows of a against columns of b. A vector counts as one.

    Shapes:  a [..., n, k], b [..., k, m] -> [..., n, m]; a 1-D operand loses its axis
    Kinks:   none
    Source:  Giles 2008, An extended collection of matrix derivative results, 2.2.2
    Example: vjp explain "W @ x" W=[[1,2],[3,4]] x=1,10 --seed 1,0
    """
    return outcome(matmul_shape("matmul", a, b))


@matmul.vjp
def _(g, y, a, b):
    if a.ndim == 1 and b.ndim == 1:
        weight = g if g.ndim == 0 else shape.expand_dims(g, axis=-1)
        return weight * b, weight * a
    if b.ndim == 1:
        return outer_of_stacks(g, b), _transposed_times_vectors(a, g)
    if a.ndim == 1:
        return _times_vectors(b, g), outer_of_stacks(a, g)
    return g @ matrix_transpose(b), matrix_transpose(a) @ g


def _times_vectors(matrices, vectors):
    """Each matrix times its vector, where the last axis of `vectors` is the vector."""
    if vectors.ndim == 1:
        return matrices @ vectors
    if matrices.ndim == 2:
        return vectors @ matrix_transpose(matrices)
    return shape.squeeze(matrices @ shape.expand_dims(vectors, axis=-1), axis=-1)


def _transposed_times_vectors(matrices, vectors):
    """The same with transposed matrices; a row vector times a matrix spares transposing."""
    if vectors.ndim > 1 and matrices.ndim == 2:
        return vectors @ matrices
    return _times_vectors(matrix_transpose(matrices), vectors)


# --- the outer product


@operation(
    lambda a, b, *, stacked: a[..., :, np.newaxis] * b[..., np.newaxis, :],
    pattern=lambda a, b, **static: a[..., :, np.newaxis] | b[..., np.newaxis, :],
    aliases=("ger",),
    samples=(
        sample((2,), (3,)),
        sample((2, 2), (3,)),
        sample((), (2,)),
        sample((0,), (2,)),
        sample((2, 3), (2, 1), stacked=True),
        sample((2,), (3, 2), stacked=True),
    ),
    refuses=(
        Refusal(sample((2, 3), (3, 3), stacked=True), "shape-mismatch"),
        Refusal(sample((2,), (3,), stacked="yes"), "keyword-value"),
    ),
    analytic=True,
)
def outer(a, b, *, stacked=False):
    """The outer product: every entry of a times every entry of b, as a matrix.

    More axes are flattened first, as NumPy does; with `stacked` they are a stack of vectors.

    Shapes:  a [n], b [m] -> [n, m]; stacked: a [..., n], b [..., m] -> [..., n, m]
    Kinks:   none
    Source:  bilinear: a receives g @ b, b receives a @ g
    Example: vjp explain "outer(x, x)" x=1,2,4 --seed ones
    """
    stacked = true_or_false("stacked", stacked)
    if not stacked:
        a, b = flat(a), flat(b)
    elif a.ndim == 0 or b.ndim == 0:
        raise fail("scalar-operand", "outer needs vectors, and one operand is a number")
    try:
        stack = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    except ValueError:
        raise shape_mismatch("outer", a.shape, b.shape) from None
    return outcome((*stack, a.shape[-1], b.shape[-1]), operands=(a, b), stacked=stacked)


@outer.vjp
def _(g, y, a, b, *, stacked):
    for_a = g @ b if b.ndim == 1 else _times_vectors(g, b)
    for_b = a @ g if a.ndim == 1 else _transposed_times_vectors(g, a)
    return for_a, for_b


def outer_of_stacks(a, b):
    """The outer product of the last axes, written plainly where both are vectors."""
    return outer(a, b) if a.ndim == b.ndim == 1 else outer(a, b, stacked=True)


def flat(x):
    """All entries of x in one axis."""
    return x if x.ndim == 1 else shape.reshape(x, shape=-1)


# --- trace


def _trace(x, *, offset, axis1=-2, axis2=-1):
    return np.trace(x, offset, axis1, axis2)


def _trace_reads(x, *, offset, axis1=-2, axis2=-1):
    return union(np.diagonal(x, offset, axis1, axis2), -1)


@operation(
    _trace,
    aliases=("tr",),
    pattern=_trace_reads,
    samples=(
        sample((3, 3)),
        sample((2, 3), offset=1),
        sample((2, 3), offset=5),
        sample((2, 3, 2)),
        sample((2, 3, 2), axis1=-1, axis2=0),
        sample((0, 0)),
        sample((1, 1)),
    ),
    refuses=(
        Refusal(sample((3,)), "rank-too-low"),
        Refusal(sample((2, 2), axis1=1), "axis-twice"),
        Refusal(sample((2, 2), offset=0.5), "keyword-value"),
    ),
    analytic=True,
)
def trace(x, *, offset=0, axis1=0, axis2=1):
    """The sum of the diagonal (or of the diagonal `offset` to the right of it).

    Shapes:  x [n, m] -> []; of more axes, axis1 and axis2 go
    Kinks:   none
    Source:  linear: each diagonal entry receives the adjoint
    Example: vjp explain "trace(A @ A)" A=[[1,2],[3,4]]
    """
    require_matrix("trace", x)
    offset = whole_number("offset", offset)
    first, second = trailing_axis(x, axis1), trailing_axis(x, axis2)
    if first == second:
        raise fail("axis-twice", f"trace needs two different axes, not {axis1} twice")
    # Outside the matrix every diagonal is empty; a bounded offset keeps its size in hand.
    longest = max(x.shape)
    offset = max(-longest, min(longest, offset))
    gone = reduced_shape(x.shape, (first, second), keepdims=False)
    if (first, second) == (-2, -1):  # of a matrix there is nothing to choose, and to show
        return outcome(gone, offset=offset)
    return outcome(gone, offset=offset, axis1=first, axis2=second)


@trace.vjp
def _(g, y, x, *, offset, axis1=-2, axis2=-1):
    on_diagonal = _counting(x, axis2) - _counting(x, axis1) == offset
    return shape.expand_dims(g, axis=(axis1, axis2)) * as_node(on_diagonal.astype(np.float64))


def _counting(x, axis):
    """0, 1, 2, ... along `axis` (negative) of x, with length 1 on the axes behind it."""
    return np.arange(x.shape[axis]).reshape(-1, *[1] * (-axis - 1))
