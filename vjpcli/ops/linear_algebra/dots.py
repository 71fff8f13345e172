"""Products of vectors and matrices under other names: dot, inner, vdot, vecdot, mv, mm.

Each is made of `@`, `*` and a change of shape, so none needs a rule of its own.
"""

from __future__ import annotations

from vjpcli.graph.shapes import shape_mismatch
from vjpcli.ops.declaration import Refusal, operation, sample, trailing_axis
from vjpcli.ops.linear_algebra.matrix import require_rank
from vjpcli.ops.linear_algebra.products import flat, matmul_shape
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import shape
from vjpcli.ops.shapes.ordering import matrix_transpose


@operation(
    samples=(
        sample((3,), (3,)),
        sample((2, 3), (3,)),
        sample((2, 3), (3, 2)),
        sample((), (3,)),
        sample((2, 3), (2, 3, 2)),
        sample((0,), (0,)),
    ),
    refuses=(Refusal(sample((3,), (4,)), "shape-mismatch"),),
)
def dot(a, b):
    """The dot product of vectors, the matrix product of matrices (NumPy's np.dot).

    Shapes:  a [k], b [k] -> []; a [n, k], b [k, m] -> [n, m];
             a [..., n, k], b [..., k, m] -> [..., n, ..., m]
    Kinks:   none
    Source:  np.dot; a sum over the last axis of a and the last but one of b
    Example: vjp explain "dot(a, b)" a=1,2,3 b=4,5,6
    """
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if b.ndim <= 2:
        matmul_shape("dot", a, b)
        return a @ b
    if a.shape[-1] != b.shape[-2]:
        raise shape_mismatch(
            "dot",
            a.shape,
            b.shape,
            why=f"the inner lengths {a.shape[-1]} and {b.shape[-2]} differ",
        )
    # Every row of a meets every matrix of b: rows get an axis for each axis of b's stack.
    rows = shape.expand_dims(a, axis=tuple(range(-b.ndim, -1)))
    return shape.squeeze(rows @ b, axis=-2)


@operation(
    samples=(
        sample((3,), (3,)),
        sample((2, 3), (3,)),
        sample((2, 3), (2, 2, 3)),
        sample((), (2,)),
        sample((0,), (0,)),
    ),
    refuses=(Refusal(sample((3,), (4,)), "shape-mismatch"),),
)
def inner(a, b):
    """The sum over the last axes of both, every vector of a with every vector of b.

    Shapes:  a [..., k], b [..., k] -> [..., ...]; a number multiplies
    Kinks:   none
    Source:  np.inner
    Example: vjp explain "inner(a, b)" a=1,2,3 b=4,5,6
    """
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if a.shape[-1] != b.shape[-1]:
        raise shape_mismatch(
            "inner",
            a.shape,
            b.shape,
            why=f"the last lengths {a.shape[-1]} and {b.shape[-1]} differ",
        )
    if b.ndim == 1:
        return a @ b
    if b.ndim == 2:
        return a @ matrix_transpose(b)
    vectors = shape.reshape(b, shape=(b.size // max(b.shape[-1], 1), b.shape[-1]))
    return shape.reshape(a @ matrix_transpose(vectors), shape=a.shape[:-1] + b.shape[:-1])


@operation(
    samples=(sample((3,), (3,)), sample((2, 3), (6,)), sample((0,), (0,))),
    refuses=(Refusal(sample((3,), (4,)), "shape-mismatch"),),
)
def vdot(a, b):
    """The dot product of all entries, both operands flattened.

    Shapes:  a [...], b [...] of one size -> []
    Kinks:   none
    Source:  np.vdot
    Example: vjp explain "vdot(a, b)" a=[[1,2],[3,4]] b=1,0,0,1
    """
    matmul_shape("vdot", flat(a), flat(b))
    return flat(a) @ flat(b)


@operation(
    samples=(
        sample((3,), (3,)),
        sample((2, 3), (3,)),
        sample((3, 2), (3, 2), axis=0),
        sample((2, 0), (2, 0)),
    ),
    refuses=(
        Refusal(sample((2, 3), (2, 4)), "shape-mismatch"),
        Refusal(sample((3,), (3,), axis=1), "axis-out-of-range"),
    ),
)
def vecdot(a, b, *, axis=-1):
    """The dot products of matching vectors of two stacks.

    Shapes:  a [..., k], b [..., k] -> [...] (broadcast)
    Kinks:   none
    Source:  np.vecdot, torch.linalg.vecdot
    Example: vjp explain "vecdot(a, b)" a=[[1,2],[3,4]] b=1,10 --seed ones
    """
    product = a * b
    return reduction.sum(product, axis=trailing_axis(product, axis))


@operation(
    samples=(sample((2, 3), (3,)),),
    refuses=(
        Refusal(sample((2, 3), (4,)), "shape-mismatch"),
        Refusal(sample((2, 3), (3, 2)), "rank-too-high"),
    ),
)
def mv(a, x):
    """A matrix times a vector, nothing broadcast.

    Shapes:  a [n, k], x [k] -> [n]
    Kinks:   none
    Source:  torch.mv
    Example: vjp explain "mv(W, x)" W=[[1,2],[3,4]] x=1,10 --seed 1,0
    """
    require_rank("mv", a, 2, "a matrix")
    require_rank("mv", x, 1, "a vector")
    return a @ x


@operation(
    samples=(sample((2, 3), (3, 2)),),
    refuses=(
        Refusal(sample((2, 3), (2, 3)), "shape-mismatch"),
        Refusal(sample((2, 3), (3,)), "rank-too-low"),
    ),
)
def mm(a, b):
    """A matrix times a matrix, nothing broadcast.

    Shapes:  a [n, k], b [k, m] -> [n, m]
    Kinks:   none
    Source:  torch.mm
    Example: vjp explain "mm(A, B)" A=[[1,2],[3,4]] B=[[1,0],[0,1]] --seed ones
    """
    require_rank("mm", a, 2, "a matrix")
    require_rank("mm", b, 2, "a matrix")
    return a @ b
