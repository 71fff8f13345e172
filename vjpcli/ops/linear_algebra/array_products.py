"""Products under their array names: matrices on vectors, and inverses of whole tensors."""

from __future__ import annotations

import math

from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import whole_number
from vjpcli.ops.linear_algebra import products, solving
from vjpcli.ops.shapes import shape


@operation(
    samples=(sample((2, 3), (3,)), sample((2, 2, 3), (2, 3)), sample((2, 3), (4, 3))),
    refuses=(Refusal(sample((3,), (3,)), "rank-too-low"),),
    analytic=True,
)
def matvec(a, v):
    """A matrix on a vector, for stacks of both.

    Shapes:  a [..., n, m], v [..., m] -> [..., n] (leading axes broadcast)
    Kinks:   none
    Source:  np.matvec: the sum over m of a v
    Example: vjp explain "np.matvec(A, v)" A=[[1,2],[3,4]] v=1,10 --seed ones
    """
    if a.ndim < 2 or v.ndim < 1:
        raise fail(
            "rank-too-low",
            f"matvec takes a matrix and a vector, not {shape_text(a.shape)} and "
            f"{shape_text(v.shape)}",
        )
    return shape.squeeze(products.matmul(a, shape.expand_dims(v, axis=-1)), axis=-1)


@operation(
    samples=(sample((2,), (2, 3)), sample((2, 2), (2, 2, 3))),
    refuses=(Refusal(sample((3,), (3,)), "rank-too-low"),),
    analytic=True,
)
def vecmat(v, a):
    """A vector on a matrix, for stacks of both.

    Shapes:  v [..., n], a [..., n, m] -> [..., m] (leading axes broadcast)
    Kinks:   none
    Source:  np.vecmat: the sum over n of v a
    Example: vjp explain "np.vecmat(v, A)" A=[[1,2],[3,4]] v=1,10 --seed ones
    """
    if a.ndim < 2 or v.ndim < 1:
        raise fail(
            "rank-too-low",
            f"vecmat takes a vector and a matrix, not {shape_text(v.shape)} and "
            f"{shape_text(a.shape)}",
        )
    return shape.squeeze(products.matmul(shape.expand_dims(v, axis=-2), a), axis=-2)


@operation(
    samples=(sample([[2.0, 1.0], [0.5, 3.0]], ind=1),),
    refuses=(
        Refusal(sample((2, 3), ind=1), "square-needed"),
        Refusal(sample((2, 2), ind=0), "keyword-value"),
    ),
)
def tensorinv(a, *, ind=2):
    """The tensor that undoes tensordot with `a`, whose first `ind` axes are the rows.

    Shapes:  a [rows..., columns...] -> [columns..., rows...]
    Kinks:   a pole where the matrix is singular
    Source:  `inv` of the tensor as a matrix
    Example: vjp explain "tensorinv(A, 1)" A=[[2,1],[0,4]] --seed ones
    """
    ind = whole_number("ind", ind, least=1, most=max(1, a.ndim - 1))
    rows, columns = a.shape[:ind], a.shape[ind:]
    if math.prod(rows) != math.prod(columns):
        raise fail("square-needed", f"tensorinv with ind={ind} of shape {shape_text(a.shape)}")
    matrix = shape.reshape(a, shape=(math.prod(rows), math.prod(columns)))
    return shape.reshape(solving.inv(matrix), shape=(*columns, *rows))


@operation(
    samples=(sample([[2.0, 1.0], [0.5, 3.0]], (2,)),),
    refuses=(Refusal(sample((2, 3), (2,)), "square-needed"),),
)
def tensorsolve(a, b):
    """The tensor x with tensordot(a, x, x.ndim) = b.

    Shapes:  a [b's axes..., x's axes...], b [...] -> [x's axes...]
    Kinks:   a pole where the matrix is singular
    Source:  `solve` of the tensor as a matrix
    Example: vjp explain "tensorsolve(A, b)" A=[[2,1],[0,4]] b=3,8 --seed ones
    """
    unknown = a.shape[b.ndim :]
    if a.shape[: b.ndim] != b.shape or math.prod(unknown) != b.size:
        raise fail(
            "square-needed",
            f"tensorsolve cannot solve shapes {shape_text(a.shape)} and {shape_text(b.shape)}",
        )
    matrix = shape.reshape(a, shape=(b.size, b.size))
    found = solving.solve(matrix, shape.reshape(b, shape=(b.size,)))
    return shape.reshape(found, shape=unknown)
