"""Factored forms: Cholesky factors and reflections as SciPy and PyTorch hand them on.

Also the functions of PyTorch that tell, beside their result, whether they succeeded.
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import true_or_false
from vjpcli.ops.linear_algebra import solving, symmetric
from vjpcli.ops.linear_algebra.matrix import require_matrix
from vjpcli.ops.numbers import comparison
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import indexing, shape
from vjpcli.ops.shapes.ordering import matrix_transpose

SYMMETRIC = [[2, 1, 0.5], [1, 3, -1], [0.5, -1, 5]]
SQUARE_REFUSED = (
    Refusal(sample((2, 3)), "square-needed"),
    Refusal(sample((3,)), "rank-too-low"),
)


# --- with a report of success


def _failed(result):
    """1 for each matrix whose result holds a number that is none, else 0. It has no derivative."""
    bad = reduction.any(~comparison.isfinite(result), axis=(-2, -1))
    return comparison.where(bad, 1.0, 0.0)


@operation(
    several=("L", "info"),
    samples=(sample(SYMMETRIC), sample(SYMMETRIC, upper=True)),
    refuses=SQUARE_REFUSED,
)
def cholesky_ex(a, *, upper=False):
    """The Cholesky factor, and 0 where it exists: torch.linalg.cholesky_ex.

    Shapes:  a [..., n, n] -> L [..., n, n], info [...]
    Kinks:   those of `cholesky`; info has no derivative, and is 1 where a is not positive definite
    Source:  see `cholesky`
    Example: vjp explain "torch.linalg.cholesky_ex(A).L" A=[[4,2],[2,3]] --seed ones
    """
    factor = symmetric.cholesky(a, upper=upper)
    return factor, _failed(factor)


@operation(
    several=("inverse", "info"),
    samples=(sample(SYMMETRIC),),
    refuses=SQUARE_REFUSED,
)
def inv_ex(a):
    """The inverse, and 0 where it exists: torch.linalg.inv_ex.

    Shapes:  a [..., n, n] -> inverse [..., n, n], info [...]
    Kinks:   those of `inv`; info has no derivative, and is 1 where a is singular
    Source:  see `inv`
    Example: vjp explain "torch.linalg.inv_ex(A).inverse" A=[[2,1],[0,4]] --seed ones
    """
    inverse = solving.inv(a)
    return inverse, _failed(inverse)


@operation(
    several=("result", "info"),
    keyword_aliases={"B": "b"},
    samples=(
        sample(SYMMETRIC, (3,)),
        sample(SYMMETRIC, (3, 2)),
        sample(SYMMETRIC, (2, 3), left=False),
    ),
    refuses=(Refusal(sample((2, 2), (3,)), "shape-mismatch"),),
)
def solve_ex(a, b, *, left=True):
    """The solution of a linear system, and 0 where it exists: torch.linalg.solve_ex.

    Shapes:  a [..., n, n], b [n] or [..., n, m] -> result as b, info [...]
    Kinks:   those of `solve`; info has no derivative, and is 1 where a is singular
    Source:  see `solve`
    Example: vjp explain "torch.linalg.solve_ex(A, b).result" A=[[2,1],[1,3]] b=3,5 --seed ones
    """
    return solving.solve(a, b, left=left), _failed(solving.inv(a))


# --- Cholesky factors handed on


@operation(
    several=("c", "lower"),
    samples=(),
    refuses=SQUARE_REFUSED,
    convention="cho_factor: the other triangle is 0 (JAX; SciPy leaves in it what it finds)",
    convention_about=(),
)
def cho_factor(a, *, lower=False):
    """A Cholesky factor and the triangle in which it stands, for `cho_solve`.

    Shapes:  a [n, n] -> c [n, n], upper unless lower=True; and `lower` again
    Kinks:   those of `cholesky`
    Source:  see `cholesky`
    Example: vjp explain "scipy.linalg.cho_factor(A)[0]" A=[[4,2],[2,3]] --seed ones
    """
    lower = true_or_false("lower", lower)
    return symmetric.cholesky(a, upper=not lower), lower


@operation(
    lists=("factored",),
    keyword_aliases={"c_and_lower": "factored"},
    refuses=(Refusal(sample((2, 2), (2,)), "factors-needed"),),
)
def cho_solve(factored, b):
    """The solution x of a @ x = b from a Cholesky factor of a and the triangle it stands in.

    Shapes:  factored: c [n, n] and True for a lower triangle, b [n] or [n, m] -> as b
    Kinks:   a pole where a diagonal entry of the factor is 0
    Source:  scipy.linalg.cho_solve; two triangular systems
    Example: vjp explain "scipy.linalg.cho_solve((cholesky(A), True), b)" A=[[4,2],[2,3]] b=1,2
    """
    if not isinstance(factored, list) or len(factored) != 2 or factored[1].size != 1:
        raise fail(
            "factors-needed",
            "cho_solve takes what cho_factor gives: the factor and whether it is lower",
            notes=("cho_solve(cho_factor(A), b), or cho_solve((L, True), b)",),
        )
    factor, lower = factored
    return solving.cholesky_solve(b, factor, upper=not _plain_switch(lower))


def _plain_switch(node):
    """True or False that stands in the program itself.

    Errors: keyword-value.
    """
    return true_or_false("lower", node.static.get("value", np.asarray(None)).item())


# --- reflections


MOST_REFLECTIONS = 1_000


def _reflected(a, tau, onto, *, transpose):
    """`onto` after the product of reflections that the columns of a and tau describe."""
    require_matrix("householder_product", a)
    count = tau.shape[-1] if tau.ndim else 0
    if tau.ndim == 0 or count > a.shape[-1] or tau.shape[:-1] != a.shape[:-2]:
        raise fail(
            "shape-mismatch",
            f"householder_product cannot combine shapes {shape_text(a.shape)} and "
            f"{shape_text(tau.shape)}",
            notes=("tau has one number for each of the first columns",),
        )
    if count > MOST_REFLECTIONS:
        raise fail("too-large", f"{count} reflections; the limit is {MOST_REFLECTIONS}")
    rows = a.shape[-2]
    for step in range(count) if transpose else reversed(range(count)):
        below = comparison.where(
            as_node(np.arange(rows) > step), indexing.index(a, index=(Ellipsis, step)), 0
        )
        vector = shape.expand_dims(below + as_node((np.arange(rows) == step) * 1.0), axis=-1)
        weight = shape.expand_dims(indexing.index(tau, index=(Ellipsis, step)), axis=(-2, -1))
        onto = onto - weight * (vector @ (matrix_transpose(vector) @ onto))
    return onto


@operation(
    aliases=("orgqr",),
    samples=(
        sample([[1, 2], [0.5, -1], [0.3, 0.7]], (2,)),
        sample([[1, 2], [0.5, -1]], (1,)),
        sample([[[1, 2], [0.5, -1]], [[1, 0.2], [0.1, 3]]], (2, 2)),
    ),
    refuses=(
        Refusal(sample((3,), (1,)), "rank-too-low"),
        Refusal(sample((3, 2), (3,)), "shape-mismatch"),
        Refusal(sample((2, 3), (2,)), "wide-matrix"),
    ),
)
def householder_product(a, tau):
    """The first columns of a product of reflections I - tau v v.T, as LAPACK keeps them.

    The vector of column i has a 1 in row i, zeros above it and the entries of a below.

    Shapes:  a [..., n, m], n >= m, tau [..., k], k <= m -> [..., n, m]
    Kinks:   none
    Source:  torch.linalg.householder_product; reflections, one after the other
    Example: vjp explain "householder_product(A, t)" A=[[1,2],[3,4]] t=0.2,0 --seed ones
    """
    require_matrix("householder_product", a)
    rows, columns = a.shape[-2:]
    if rows < columns:
        raise fail("wide-matrix", "householder_product needs at least as many rows as columns")
    start = np.broadcast_to(np.eye(rows, columns), (*a.shape[:-2], rows, columns))
    return _reflected(a, tau, as_node(start), transpose=False)


@operation(
    samples=(
        sample([[1, 2], [0.5, -1], [0.3, 0.7]], (2,), (3, 2)),
        sample([[1, 2], [0.5, -1]], (2,), (3, 2), left=False, transpose=True),
    ),
    refuses=(Refusal(sample((3, 2), (2,), (2, 2)), "shape-mismatch"),),
)
def ormqr(a, tau, other, *, left=True, transpose=False):
    """A product of reflections Q times a matrix: Q @ other, or other @ Q (torch.ormqr).

    Shapes:  a [..., n, k], tau [..., k], other [..., n, m] -> [..., n, m]; [..., m, n] if not left
    Kinks:   none
    Source:  torch.ormqr; see `householder_product`
    Example: vjp explain "ormqr(A, t, B)" A=[[1,2],[3,4]] t=0.2,0 B=[[1],[2]] --seed ones
    """
    require_matrix("ormqr", other)
    require_matrix("ormqr", a)
    transpose = true_or_false("transpose", transpose)
    left = true_or_false("left", left)
    if other.shape[-2 if left else -1] != a.shape[-2]:
        raise fail(
            "shape-mismatch",
            f"ormqr cannot combine shapes {shape_text(a.shape)} and {shape_text(other.shape)}",
        )
    if left:
        return _reflected(a, tau, other, transpose=transpose)
    return matrix_transpose(_reflected(a, tau, matrix_transpose(other), transpose=not transpose))
