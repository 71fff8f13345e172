"""Matrix equations: Sylvester's and Lyapunov's, and the square root that is one of them."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.ops.declaration import Refusal, fail, operation, outcome, sample, shape_text
from vjpcli.ops.keywords import one_of, true_or_false
from vjpcli.ops.linear_algebra import solving
from vjpcli.ops.linear_algebra.matrix import (
    for_each_matrix,
    reads_matrix_for_matrix,
    require_matrix,
    require_square,
    union,
)
from vjpcli.ops.shapes import copying, shape
from vjpcli.ops.shapes.ordering import matrix_transpose

A = [[3.0, 1.0], [-0.5, 2.0]]
B = [[1.0, 0.3, 0.0], [0.2, 2.0, -0.4], [0.1, 0.0, 1.5]]
SPREAD = [[4.0, 1.0, 0.5], [0.2, 3.0, -0.5], [0.3, -0.6, 5.0]]

# --- Sylvester's equation

MOST_UNKNOWNS = 1_024
"""Unknowns up to which the equation is one linear system; beyond, eigenvectors take it apart."""


def _as_one_system(a, b, q):
    rows, columns = a.shape[-1], b.shape[-1]
    kind = np.result_type(a, b)
    system = np.kron(a, np.eye(columns, dtype=kind)) + np.kron(np.eye(rows, dtype=kind), b.T)
    return np.linalg.solve(system, q.reshape(-1)).reshape(rows, columns)


def _by_eigenvectors(a, b, q):
    left, u = np.linalg.eig(a)
    right, v = np.linalg.eig(b)

    def solved(q):
        inside = np.linalg.solve(u, q @ v) / (left[:, None] + right[None, :])
        x = u @ inside @ np.linalg.inv(v)
        return x if np.iscomplexobj(q) else x.real

    x = solved(q)
    for _ in range(2):  # what eigenvectors lose to rounding, a second and third look bring back
        x = x + solved(q - a @ x - x @ b)
    return x


def _sylvester(a, b, q):
    routine = _as_one_system if q.shape[-2] * q.shape[-1] <= MOST_UNKNOWNS else _by_eigenvectors
    return for_each_matrix(on_stacks(routine), a, b, q, fallback=_no_solution)


def _no_solution(a, b, q):
    return np.full(q.shape, np.nan, dtype=q.dtype)


def on_stacks(routine):
    """A routine on matrices, for stacks of them."""

    def on_stacks(*stacks):
        batch = np.broadcast_shapes(*(stack.shape[:-2] for stack in stacks))
        if not batch:
            return routine(*stacks)
        spread = [np.broadcast_to(one, batch + one.shape[-2:]) for one in stacks]
        found = [routine(*(one[place] for one in spread)) for place in np.ndindex(batch)]
        return np.stack(found).reshape(batch + found[0].shape)

    return on_stacks


def _sylvester_reads(a, b, q):
    bits = union(a, (-2, -1)) | union(b, (-2, -1)) | union(q, (-2, -1))
    return np.broadcast_to(np.asarray(bits, dtype=object)[..., None, None], q.shape)


@operation(
    _sylvester,
    pattern=_sylvester_reads,
    samples=(sample(A, B, (2, 3)), sample(A, A, (2, 2)), sample([[2.0]], [[1.0]], (1, 1))),
    refuses=(
        Refusal(sample((2, 3), (3, 3), (2, 3)), "square-needed"),
        Refusal(sample((2, 2), (3, 3), (3, 2)), "shape-mismatch"),
        Refusal(sample((2, 2), (3,), (2, 3)), "rank-too-low"),
    ),
    analytic=True,
)
def solve_sylvester(a, b, q):
    """The solution x of Sylvester's equation a @ x + x @ b = q.

    Shapes:  a [..., n, n], b [..., m, m], q [..., n, m] -> [..., n, m]
    Kinks:   a pole where an eigenvalue of a and one of b add up to 0
    Source:  Kao and Hennequin 2020, Automatic differentiation of Sylvester, Lyapunov and algebraic
             Riccati equations, (8): q receives the solution of the transposed equation
    Example: vjp explain "scipy.linalg.solve_sylvester(A, B, Q)" A=[[3]] B=[[1]] Q=[[8]]
    """
    for one in (a, b):
        require_square("solve_sylvester", one)
    require_matrix("solve_sylvester", q)
    if q.shape[-2:] != (a.shape[-1], b.shape[-1]):
        raise fail(
            "shape-mismatch",
            f"solve_sylvester cannot combine shapes {shape_text(a.shape)}, {shape_text(b.shape)} "
            f"and {shape_text(q.shape)}",
            notes=("q has the rows of a and the columns of b",),
        )
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2], q.shape[:-2])
    if q.shape[:-2] != stack:
        q = shape.broadcast_to(q, shape=stack + q.shape[-2:])
    return outcome(q.shape, operands=(a, b, q))


@solve_sylvester.vjp
def _(g, y, a, b, q):
    for_q = solve_sylvester(matrix_transpose(a), matrix_transpose(b), g)
    turned = matrix_transpose(y)
    return -(for_q @ turned), -(turned @ for_q), for_q


@operation(
    aliases=("solve_lyapunov",),
    samples=(sample(A, (2, 2)),),
    refuses=(Refusal(sample((2, 2), (3, 3)), "shape-mismatch"),),
)
def solve_continuous_lyapunov(a, q):
    """The solution x of Lyapunov's equation a @ x + x @ a.T = q.

    Shapes:  a [..., n, n], q [..., n, n] -> [..., n, n]
    Kinks:   a pole where two eigenvalues of a add up to 0
    Source:  `solve_sylvester` with b = a.T
    Example: vjp explain "scipy.linalg.solve_continuous_lyapunov(A, Q)" A=[[3]] Q=[[12]]
    """
    require_square("solve_continuous_lyapunov", a)
    return solve_sylvester(a, matrix_transpose(a), q)


@operation(
    samples=(sample([[0.5, 0.1], [-0.2, 0.3]], (2, 2)),),
    refuses=(
        Refusal(sample((2, 2), (3, 3)), "shape-mismatch"),
        Refusal(sample((2, 2, 2), (2, 2)), "rank-too-high"),
        Refusal(sample((40, 40), (40, 40)), "too-large"),
    ),
)
def solve_discrete_lyapunov(a, q, *, method=None):
    """The solution x of the discrete Lyapunov equation a @ x @ a.T - x + q = 0.

    Shapes:  a [n, n], q [n, n] -> [n, n], n at most 32
    Kinks:   a pole where two eigenvalues of a have the product 1
    Source:  one linear system for the entries of x
    Example: vjp explain "scipy.linalg.solve_discrete_lyapunov(A, Q)" A=[[0.5]] Q=[[3]]
    """
    require_square("solve_discrete_lyapunov", a)
    if method is not None:
        one_of("method", method, ("direct", "bilinear"))
    if a.ndim > 2:
        raise fail("rank-too-high", "solve_discrete_lyapunov takes one matrix at a time")
    if q.shape != a.shape:
        raise fail(
            "shape-mismatch",
            f"solve_discrete_lyapunov cannot combine shapes {shape_text(a.shape)} and "
            f"{shape_text(q.shape)}",
        )
    if a.size > MOST_UNKNOWNS:
        raise fail("too-large", f"{a.size} unknowns; the limit is {MOST_UNKNOWNS}")
    system = as_node(np.eye(a.size)) - copying.kron(a, a)
    found = solving.solve(system, shape.reshape(q, shape=(q.size,)))
    return shape.reshape(found, shape=q.shape)


# --- the square root

MOST_ROOT_STEPS = 60


def square_root(a):
    """The principal square root of each matrix, nan where there is none (or it is not real)."""
    return on_stacks(root_of_matrix)(a)


def root_of_matrix(a):
    """The principal square root of one matrix."""
    if not a.size:
        return a
    if not np.isfinite(a).all():
        return np.full(a.shape, np.nan, dtype=a.dtype)
    if np.isrealobj(a) and np.allclose(a, a.T, rtol=0, atol=4 * np.finfo(a.dtype).eps * _size(a)):
        return _root_of_symmetric(a)
    return _root_by_iteration(a)


def _size(a):
    return np.abs(a).max(initial=0)


def _root_of_symmetric(a):
    values, vectors = np.linalg.eigh((a + a.T) / 2)
    least = -len(a) * np.finfo(a.dtype).eps * np.abs(values).max(initial=0)
    with np.errstate(invalid="ignore"):
        roots = np.sqrt(np.where((values < 0) & (values >= least), 0, values))
    return (vectors * roots) @ vectors.T


def _root_by_iteration(a):
    """Denman and Beavers, in the product form, scaled by determinants (Higham 2008, (6.29))."""
    n = len(a)
    x, m, identity = a, a, np.eye(n, dtype=a.dtype)
    try:
        for _ in range(MOST_ROOT_STEPS):
            scale = float(np.abs(np.linalg.det(m)) ** (-1 / (2 * n)))
            scale = scale if np.isfinite(scale) and scale > 0 and _far(m, identity) else 1.0
            inverse = np.linalg.inv(m)
            x = 0.5 * scale * x @ (identity + inverse / scale**2)
            m = 0.5 * (identity + (scale**2 * m + inverse / scale**2) / 2)
            if _size(m - identity) <= 4 * n * np.finfo(a.real.dtype).eps:
                # One step of Newton's method takes the last rounding back.
                return _polished(x, a)
    except np.linalg.LinAlgError:
        pass
    return np.full(a.shape, np.nan, dtype=a.dtype)


def _far(m, identity):
    return _size(m - identity) > 1e-2


def _polished(x, a):
    correction = _as_one_system(x, x, a - x @ x) if a.size <= MOST_UNKNOWNS else 0
    return x + correction


def refuse_negative(now, name):
    """Refuses a matrix whose square root or logarithm is complex.

    Errors: complex-result.
    """
    if now is None or not np.isfinite(now).all():
        return
    values = np.linalg.eigvals(np.asarray(now, dtype=np.float64)).reshape(-1)
    rounding = 1e-13 * np.abs(values).max(initial=0)
    odd = values[(np.imag(values) == 0) & (np.real(values) < -rounding)]
    if odd.size:
        raise fail(
            "complex-result",
            f"{name} of this matrix is complex: it has the eigenvalue {odd[0].real:.4g}, and "
            "numbers here are real",
            notes=("all eigenvalues on the real axis must be above 0",),
        )


@operation(
    square_root,
    pattern=reads_matrix_for_matrix,
    samples=(sample(SPREAD), sample([[2.0, 0.5], [0.5, 1.0]]), sample([SPREAD, SPREAD])),
    refuses=(Refusal(sample((2, 3)), "square-needed"),),
)
def principal_root(a):
    """The principal square root of a square matrix: what `sqrtm` computes.

    Shapes:  a [..., n, n] -> [..., n, n]
    Kinks:   a pole where a is singular; nan where the root is not real
    Source:  a = y @ y, so the gradient solves Sylvester's equation y.T @ x + x @ y.T = g
    Example: vjp explain "scipy.linalg.sqrtm(A)" A=[[4,1],[0,9]] --seed ones
    """
    require_square("sqrtm", a)
    return outcome(a.shape)


@principal_root.vjp
def _(g, y, a):
    turned = matrix_transpose(y)
    return solve_sylvester(turned, turned, g)


@operation(
    present={"a": "now"},
    samples=(sample(SPREAD, now=np.array(SPREAD)),),
    refuses=(
        Refusal(sample((2, 3), now=np.zeros((2, 3))), "square-needed"),
        Refusal(sample([[-1.0]], now=np.array([[-1.0]])), "complex-result"),
    ),
)
def sqrtm(a, *, disp=True, now=None):
    """The principal square root of a square matrix: y with y @ y = a.

    Shapes:  a [..., n, n] -> [..., n, n]
    Kinks:   a pole where a is singular; a matrix whose root is complex is refused
    Source:  Higham 2008, Functions of Matrices, (6.29) and section 6.1
    Example: vjp explain "scipy.linalg.sqrtm(A)" A=[[4,1],[0,9]] --seed ones
    """
    require_square("sqrtm", a)
    true_or_false("disp", disp)
    refuse_negative(now, "the square root")
    return principal_root(a)


@operation(
    several=("u", "p"),
    library_names=dict.fromkeys(("numpy", "jax"), ("scipy.linalg.polar",)),
    samples=(sample(A), sample([[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]]), sample(A, side="left")),
    refuses=(
        Refusal(sample((3,)), "rank-too-low"),
        Refusal(sample((2, 2), side="up"), "keyword-value"),
        Refusal(sample((2, 3)), "wide-matrix"),
    ),
)
def polar_decomposition(a, *, side="right", method=None):
    """The polar decomposition: a = u @ p, u with orthonormal columns, p symmetric from 0 on.

    Shapes:  a [..., n, m], n >= m -> u [..., n, m], p [..., m, m]; with side="left" a = p @ u
    Kinks:   a pole where a has not full rank
    Source:  p is the square root of a.T @ a, and u = a @ inv(p)
    Example: vjp explain "scipy.linalg.polar(A)[1]" A=[[1,2],[3,4]] --seed ones
    """
    require_matrix("polar", a)
    if method is not None:
        one_of("method", method, ("svd", "qdwh"))
    if one_of("side", side, ("right", "left")) == "left":
        u, p = polar_decomposition(matrix_transpose(a))
        return matrix_transpose(u), p
    if a.shape[-2] < a.shape[-1]:
        raise fail("wide-matrix", "polar needs at least as many rows as columns, or side='left'")
    p = principal_root(matrix_transpose(a) @ a)
    return a @ solving.inv(p), p
