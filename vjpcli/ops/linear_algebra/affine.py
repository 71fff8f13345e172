"""Products of batches, and products with something added: bmm, addmm, linear, bilinear.

They are `@`, `*` and `+` under PyTorch's names; the shapes are checked as strictly as there.
"""

from __future__ import annotations

from vjpcli.ops.declaration import Refusal, broadcast_shapes, fail, operation, sample
from vjpcli.ops.keywords import plain_number
from vjpcli.ops.linear_algebra.matrix import require_rank
from vjpcli.ops.linear_algebra.products import matmul_shape, outer
from vjpcli.ops.reductions.reduction import sum as sum_of
from vjpcli.ops.shapes import shape
from vjpcli.ops.shapes.ordering import matrix_transpose


def _scaled(factor, x):
    """`factor * x`, and x itself for the factor 1, so that no step is shown for it."""
    return x if factor == 1 else factor * x


def _added(name, beta, start, alpha, product):
    """beta * start + alpha * product; with beta 0 the start is not read at all (PyTorch)."""
    beta, alpha = plain_number("beta", beta), plain_number("alpha", alpha)
    if broadcast_shapes(name, start, product) != product.shape:
        raise fail("shape-mismatch", f"{name} cannot stretch its product to the shape added to it")
    return _scaled(alpha, product) if beta == 0 else _scaled(beta, start) + _scaled(alpha, product)


@operation(
    samples=(sample((2, 2, 3), (2, 3, 1)), sample((0, 2, 3), (0, 3, 1))),
    refuses=(
        Refusal(sample((2, 2, 3), (2, 2, 3)), "shape-mismatch"),
        Refusal(sample((2, 3), (3, 2)), "rank-too-low"),
    ),
)
def bmm(a, mat2):
    """Matrix times matrix, for each pair of two stacks.

    Shapes:  a [batch, n, k], mat2 [batch, k, m] -> [batch, n, m]
    Kinks:   none
    Source:  torch.bmm; as `@`
    Example: vjp explain "bmm(A, B)" A=[[[1,2],[3,4]]] B=[[[1],[10]]] --seed ones
    """
    require_rank("bmm", a, 3, "a stack of matrices")
    require_rank("bmm", mat2, 3, "a stack of matrices")
    return a @ mat2


@operation(
    samples=(
        sample((2, 1), (2, 3), (3, 1)),
        sample((2,), (3, 3), (3, 2), beta=0.5, alpha=2),
        sample((2, 2), (2, 3), (3, 2), beta=0),
    ),
    refuses=(
        Refusal(sample((2, 1), (2, 3), (2, 3)), "shape-mismatch"),
        Refusal(sample((2, 2), (2, 3), (3, 1)), "shape-mismatch"),
        Refusal(sample((2, 2), (2, 3), (3, 2), beta="half"), "keyword-value"),
    ),
)
def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    """A matrix product added to an array: beta*input + alpha*(mat1 @ mat2).

    Shapes:  input [n, m] (broadcast), mat1 [n, k], mat2 [k, m] -> [n, m]
    Kinks:   none
    Source:  torch.addmm
    Example: vjp explain "addmm(b, X, W)" b=1,2 X=[[1,2]] W=[[1,0],[0,1]] --seed ones
    """
    require_rank("addmm", mat1, 2, "a matrix")
    require_rank("addmm", mat2, 2, "a matrix")
    return _added("addmm", beta, input, alpha, mat1 @ mat2)


@operation(
    samples=(sample((2,), (2, 3), (3,)), sample((), (2, 3), (3,), beta=3, alpha=-1)),
    refuses=(Refusal(sample((2,), (2, 3), (2,)), "shape-mismatch"),),
)
def addmv(input, mat, vec, *, beta=1, alpha=1):
    """A matrix times a vector, added to an array: beta*input + alpha*(mat @ vec).

    Shapes:  input [n] (broadcast), mat [n, k], vec [k] -> [n]
    Kinks:   none
    Source:  torch.addmv
    Example: vjp explain "addmv(b, W, x)" b=1,2 W=[[1,2],[3,4]] x=1,10 --seed ones
    """
    require_rank("addmv", mat, 2, "a matrix")
    require_rank("addmv", vec, 1, "a vector")
    return _added("addmv", beta, input, alpha, mat @ vec)


@operation(
    samples=(sample((2, 3), (2,), (3,)), sample((3,), (2,), (3,), beta=3, alpha=-1)),
    refuses=(
        Refusal(sample((2, 2), (2,), (3,)), "shape-mismatch"),
        Refusal(sample((2, 2), (2, 2), (2,)), "rank-too-high"),
    ),
)
def addr(input, vec1, vec2, *, beta=1, alpha=1):
    """An outer product added to an array: beta*input + alpha*outer(vec1, vec2).

    Shapes:  input [n, m] (broadcast), vec1 [n], vec2 [m] -> [n, m]
    Kinks:   none
    Source:  torch.addr
    Example: vjp explain "addr(A, a, b)" A=[[1,2],[3,4]] a=1,2 b=1,10 --seed ones
    """
    require_rank("addr", vec1, 1, "a vector")
    require_rank("addr", vec2, 1, "a vector")
    return _added("addr", beta, input, alpha, outer(vec1, vec2))


@operation(
    samples=(
        sample((2, 2, 1), (2, 2, 3), (2, 3, 1)),
        sample((2, 2), (2, 2, 3), (2, 3, 2), beta=0.5, alpha=2),
    ),
    refuses=(Refusal(sample((2, 2, 1), (2, 2, 3), (2, 2, 3)), "shape-mismatch"),),
)
def baddbmm(input, batch1, batch2, *, beta=1, alpha=1):
    """Matrix products of two stacks added to an array: beta*input + alpha*(batch1 @ batch2).

    Shapes:  input [batch, n, m] (broadcast), batch1 [batch, n, k], batch2 [batch, k, m]
             -> [batch, n, m]
    Kinks:   none
    Source:  torch.baddbmm
    Example: vjp explain "baddbmm(C, A, B)" C=0 A=[[[1,2],[3,4]]] B=[[[1],[10]]] --seed ones
    """
    return _added("baddbmm", beta, input, alpha, bmm(batch1, batch2))


@operation(
    samples=(
        sample((2, 1), (2, 2, 3), (2, 3, 1)),
        sample((1, 1), (2, 2, 3), (2, 3, 2), beta=0.5, alpha=2),
    ),
    refuses=(Refusal(sample((2, 1), (2, 2, 3), (2, 2, 3)), "shape-mismatch"),),
)
def addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    """The sum of matrix products of two stacks, added to an array.

    Shapes:  input [n, m] (broadcast), batch1 [batch, n, k], batch2 [batch, k, m] -> [n, m]
    Kinks:   none
    Source:  torch.addbmm
    Example: vjp explain "addbmm(C, A, B)" C=0 A=[[[1,2],[3,4]]] B=[[[1],[10]]] --seed ones
    """
    return _added("addbmm", beta, input, alpha, sum_of(bmm(batch1, batch2), axis=0))


@operation(
    samples=(
        sample((3,), (2, 3)),
        sample((4, 3), (2, 3), (2,)),
        sample((2, 1, 3), (2, 3), (2,)),
        sample((4, 3), (3,)),
    ),
    refuses=(
        Refusal(sample((4, 3), (3, 2)), "shape-mismatch"),
        Refusal(sample((4, 3), (2, 3), (4,)), "shape-mismatch"),
        Refusal(sample((4, 3), (1, 2, 3)), "rank-too-high"),
    ),
)
def linear(input, weight, bias=None):
    """A fully connected layer: input @ weight.T + bias.

    Shapes:  input [..., k], weight [m, k], bias [m] -> [..., m]
    Kinks:   none
    Source:  torch.nn.functional.linear
    Example: vjp explain "linear(x, W, b)" x=1,10 W=[[1,2],[3,4]] b=0.5,0.5 --seed ones
    """
    if weight.ndim == 1:
        product = input @ weight
    else:
        require_rank("linear", weight, 2, "a weight matrix")
        turned = matrix_transpose(weight)
        matmul_shape("linear", input, turned)
        # For one vector the matrix comes first, as it is written on paper.
        product = weight @ input if input.ndim == 1 else input @ turned
    if bias is None:
        return product
    if broadcast_shapes("linear", product, bias) != product.shape:
        raise fail("shape-mismatch", "the bias of linear must have one entry for each output")
    return product + bias


@operation(
    samples=(
        sample((3,), (2,), (4, 3, 2)),
        sample((5, 3), (5, 2), (1, 3, 2), (1,)),
    ),
    refuses=(
        Refusal(sample((3,), (3,), (4, 3, 2)), "shape-mismatch"),
        Refusal(sample((3,), (2,), (3, 2)), "rank-too-low"),
        Refusal(sample((), (2,), (4, 3, 2)), "scalar-operand"),
    ),
)
def bilinear(input1, input2, weight, bias=None):
    """A bilinear layer: output o is input1 @ weight[o] @ input2 + bias[o].

    Shapes:  input1 [..., n], input2 [..., k], weight [m, n, k], bias [m] -> [..., m]
    Kinks:   none
    Source:  torch.nn.functional.bilinear
    Example: vjp explain "bilinear(a, b, W)" a=1,2 b=1,10 W=[[[1,0],[0,1]]]
    """
    require_rank("bilinear", weight, 3, "a stack of weight matrices")
    if input1.ndim == 0 or input2.ndim == 0:
        raise fail("scalar-operand", "bilinear needs vectors, and one operand is a number")
    columns = shape.expand_dims(shape.expand_dims(input2, axis=-2), axis=-1)
    matmul_shape("bilinear", weight, columns)
    halfway = shape.squeeze(weight @ columns, axis=-1)
    matmul_shape("bilinear", halfway, shape.expand_dims(input1, axis=-1))
    product = shape.squeeze(halfway @ shape.expand_dims(input1, axis=-1), axis=-1)
    return product if bias is None else product + bias
