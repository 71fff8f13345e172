"""Linear systems solved by the factors of an LU decomposition."""

from __future__ import annotations

from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import true_or_false, whole_number
from vjpcli.ops.linear_algebra import solving, triangular_factors
from vjpcli.ops.linear_algebra.matrix import require_square
from vjpcli.ops.shapes.ordering import matrix_transpose


def _solved(compact, pivots, b, *, count_from, left, transposed):
    """The solution x of a @ x = b (or of a.T, or of x @ a = b) from the factors of a.

    Errors: square-needed, shape-mismatch.
    """
    require_square("lu_solve", compact)
    if not left:  # x @ a = b is a.T @ x.T = b.T
        turned = _solved(
            compact,
            pivots,
            matrix_transpose(b),
            count_from=count_from,
            left=True,
            transposed=not transposed,
        )
        return matrix_transpose(turned)
    if b.ndim == 0:
        raise fail("scalar-operand", "lu_solve needs a vector or a matrix on the right-hand side")
    if b.shape[max(b.ndim - 2, 0)] != compact.shape[-1]:
        raise fail(
            "shape-mismatch",
            f"lu_solve cannot combine shapes {shape_text(compact.shape)} and {shape_text(b.shape)}",
        )
    lower, upper = triangular_factors.triangles(compact)
    order = triangular_factors.permutation_of_pivots(
        pivots, rows=compact.shape[-2], count_from=count_from
    )
    if transposed:
        inner = solving.solve(matrix_transpose(upper), b)
        return order @ solving.solve(matrix_transpose(lower), inner)
    return solving.solve(upper, solving.solve(lower, matrix_transpose(order) @ b))


SOLVE_SAMPLES = (sample([[4, -1], [0.25, 2.5]], [2, 2], (2, 3)),)


@operation(
    library_names={"torch": ("linalg.lu_solve",)},
    keyword_aliases={"LU": "factors", "B": "b"},
    samples=(*SOLVE_SAMPLES, sample([[4, -1], [0.25, 2.5]], [2, 2], (2, 2), left=False)),
    refuses=(
        Refusal(sample((2, 3), (2,), (2, 1)), "square-needed"),
        Refusal(sample((2, 2), (2,), (3, 1)), "shape-mismatch"),
    ),
)
def linalg_lu_solve(factors, pivots, b, *, left=True, adjoint=False):
    """The solution x of a @ x = b from what `lu_factor(a)` gives: torch.linalg.lu_solve.

    Shapes:  factors [..., n, n], pivots [..., n], b [..., n, m] -> as b
    Kinks:   a pole where a diagonal entry of U is 0
    Source:  two triangular systems
    Example: vjp explain "F, p = lu_factor(A); linalg.lu_solve(F, p, b)" A=[[1,2],[3,4]] b=[[1],[2]]
    """
    return _solved(
        factors,
        pivots,
        b,
        count_from=1,
        left=true_or_false("left", left),
        transposed=true_or_false("adjoint", adjoint),
    )


@operation(
    library_names={"torch": ("lu_solve",)},
    keyword_aliases={"LU_data": "factors", "LU_pivots": "pivots"},
    samples=(sample((2, 1), [[4, -1], [0.25, 2.5]], [2, 2]),),
    refuses=(Refusal(sample((2, 1), (2, 3), (2,)), "square-needed"),),
)
def lu_solve_of(b, factors, pivots):
    """The solution x of a @ x = b from what `lu_factor(a)` gives, in PyTorch's old argument order.

    Shapes:  b [..., n, m], factors [..., n, n], pivots [..., n] -> as b
    Kinks:   a pole where a diagonal entry of U is 0
    Source:  two triangular systems
    Example: vjp explain "F, p = lu_factor(A); torch.lu_solve(b, F, p)" A=[[1,2],[3,4]] b=[[1],[2]]
    """
    return linalg_lu_solve(factors, pivots, b)


@operation(
    lists=("factored",),
    library_names={"numpy": ("lu_solve",), "jax": ("lu_solve",)},
    keyword_aliases={"lu_and_piv": "factored"},
    refuses=(Refusal(sample((2, 2), (2,)), "factors-needed"),),
)
def lu_solve(factored, b, *, trans=0):
    """The solution x of a @ x = b from what `lu_factor(a)` gives: scipy.linalg.lu_solve.

    Shapes:  factored: LU [n, n] and pivots [n], b [n] or [n, m] -> as b; trans=1 solves a.T @ x = b
    Kinks:   a pole where a diagonal entry of U is 0
    Source:  two triangular systems
    Example: vjp explain "scipy.linalg.lu_solve(scipy.linalg.lu_factor(A), b)" A=[[1,2],[3,4]] b=1,2
    """
    if not isinstance(factored, list) or len(factored) != 2:
        raise fail(
            "factors-needed",
            "lu_solve takes what lu_factor gives: the factors and the pivots",
            notes=("lu_solve(lu_factor(A), b)",),
        )
    which = whole_number("trans", trans, least=0, most=2)
    factors, pivots = factored
    return _solved(factors, pivots, b, count_from=0, left=True, transposed=which > 0)
