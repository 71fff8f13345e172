"""Norms: the length of a vector, of any order, and the norms of a matrix.

`norm` follows `torch.norm`: all entries, or those along some axes, count as one vector.
`np.linalg.norm` and `torch.linalg.norm` read a matrix as a matrix where an order is given; here
that is `linalg_norm`, which is also what `norm(A, ord=...)` means.
"""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import (
    Kink,
    Refusal,
    fail,
    operation,
    sample,
    shape_text,
    trailing_axes,
    trailing_axis,
)
from vjpcli.ops.keywords import one_of, plain_number, true_or_false
from vjpcli.ops.linear_algebra import singular
from vjpcli.ops.numbers import arithmetic, comparison
from vjpcli.ops.reductions import extreme, reduction
from vjpcli.ops.shapes import ordering

MATRIX_WORDS = ("fro", "nuc")


def _norm(x, *, p, axis, keepdims):
    if p == 2:
        return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))
    size = np.abs(x)
    if p == np.inf:
        return np.max(size, axis=axis, keepdims=keepdims)
    if p == -np.inf:
        return np.min(size, axis=axis, keepdims=keepdims)
    if p == 0:
        return np.sum(x != 0, axis=axis, keepdims=keepdims).astype(x.dtype)
    if p == 1:
        return np.sum(size, axis=axis, keepdims=keepdims)
    return np.sum(size**p, axis=axis, keepdims=keepdims) ** (1 / p)


@operation(
    _norm,
    pattern="reduction",
    samples=(
        *reduction.REDUCTION_SAMPLES,
        *reduction.EMPTY_SAMPLES,
        sample((2, 3), p=1),
        sample((2, 3), p=3, axis=1),
        sample((2, 3), p=1.5, axis=0),
        sample((4,), p=0.5),
        sample((4,), p=-1),
        sample((4,), p=0),
        sample((2, 3), p=np.inf, axis=1, keepdims=True),
        sample((2, 3), p=-np.inf),
        sample((2, 3), p="fro"),
        sample((3,), ord=1),
    ),
    refuses=(
        Refusal(sample((2, 3), p="frobenius"), "keyword-value"),
        Refusal(sample((0,), p=np.inf), "empty-reduction"),
        Refusal(sample((2,), p=1, ord=2), "argument-twice"),
    ),
    kinks=(
        Kink(
            "norm == 0",
            lambda y, x, *, p, axis, keepdims: (y == 0) & (p not in (0, 1)),
            slopes=(-1, 1),
            used=0,
            point=([0.0, 0.0],),
            others={"jax": np.nan, "autograd": np.nan},
            says="the second derivative there is nan",
            tells="there is no second derivative: it is nan",
        ),
        Kink(
            "p == 1 and an entry is 0",
            lambda y, x, *, p, axis, keepdims: (
                (p == 1) & np.any(x == 0, axis=axis, keepdims=keepdims)
            ),
            slopes=(-1, 1),
            used=0,
            point=([0.0, -2.0],),
            static={"p": 1},
            others={"jax": 1},
        ),
        Kink(
            "p is inf or -inf and several entries are as far from 0",
            lambda y, x, *, p, axis, keepdims: (
                (abs(p) == np.inf)
                & (y != 0)
                & extreme.tied(y, np.abs(x), axis=axis, keepdims=keepdims)
            ),
            slopes=(0, 1),
            used=0.5,
            point=([2.0, -2.0],),
            static={"p": np.inf},
        ),
    ),
)
def norm(x, *, p=2, axis=None, keepdims=False, ord=None):
    """Length of a vector: (sum of |x|**p)**(1/p), of all entries or along some axes.

    Shapes:  x [...] -> [...] without the axes measured; every entry counts, also of a matrix.
             `ord=` in place of `p=` reads a matrix as a matrix, see `linalg_norm`
    Kinks:   where the norm is 0 the slope used is 0 (PyTorch); JAX and autograd give nan for
             p=2. p=1 has a corner at each 0 (slope 0; JAX 1); p=inf and -inf share ties
    Source:  slope x|x|**(p-2)/y**(p-1) (Boyd and Vandenberghe, Convex Optimization, A.1.2);
             p=inf is the largest |x|, p=-inf the smallest, p=0 counts what is not 0
    Example: vjp explain "norm(x)" x=3,4
    """
    if ord is not None:
        if p != 2:
            raise fail("argument-twice", "norm takes `p` or `ord`, not both")
        return linalg_norm(x, ord=ord, axis=axis, keepdims=keepdims)
    if isinstance(p, str):
        if one_of("p", p, MATRIX_WORDS) == "nuc":
            return matrix_norm(x, ord="nuc", axis=_matrix_axes(x, axis), keepdims=keepdims)
        p = 2
    p = 2 if p is None else plain_number("p", p)
    axis = trailing_axes(x, axis)
    if p < 0 or p == np.inf:
        reduction.refuse_empty(f"norm of order {p}", x, axis)
    return reduction.reduction_outcome(x, axis, keepdims, p=p)


@norm.vjp
def _(g, y, x, *, p, axis, keepdims):
    g, y = (reduction.restore_axes(one, axis, keepdims) for one in (g, y))
    if p == 0:
        return g * 0
    if p == 1:
        return g * arithmetic.sign(x)
    if p in (np.inf, -np.inf):
        both_nan = comparison.isnan(x) & comparison.isnan(y)
        hit = comparison.equal(arithmetic.abs(x), y) | both_nan
        return extreme.share(g, hit, axis, True) * arithmetic.sign(x)
    if p == 2:
        # In this order the second derivative at 0 is 0/0, as it should be.
        return g * comparison.where(comparison.equal(y, 0), 0, x / y)
    return _direction(x, p) * comparison.where(comparison.equal(y, 0), 0, g / y ** (p - 1))


def _direction(x, p):
    """x|x|**(p-2), written so that it is 0 at 0."""
    if p > 2:
        return x * arithmetic.abs(x) ** (p - 2)
    steep = arithmetic.sign(x) * arithmetic.abs(x) ** (p - 1)
    return steep if p > 1 else comparison.where(comparison.equal(x, 0), 0, steep)


@norm.vjp_like("jax")
def _(g, y, x, *, p, axis, keepdims):
    kept = reduction.restore_axes(g, axis, keepdims)
    if p == 1:
        return kept * comparison.where(x >= 0, 1.0, -1.0)
    if p == 2:
        return kept * (x / reduction.restore_axes(y, axis, keepdims))
    return norm.rules["torch"](g, y, x, p=p, axis=axis, keepdims=keepdims)


@norm.vjp_like("autograd")
def _(g, y, x, *, p, axis, keepdims):
    if p == 2:
        return norm.rules["jax"](g, y, x, p=p, axis=axis, keepdims=keepdims)
    return norm.rules["torch"](g, y, x, p=p, axis=axis, keepdims=keepdims)


@operation(samples=(sample((2, 3)), sample((2, 3), ord=1, axis=0), sample((2, 3), ord=3)))
def vector_norm(x, *, ord=2, axis=None, keepdims=False):
    """Length of a vector of order `ord`, of all entries or along some axes.

    Shapes:  x [...] -> [...] without the axes measured
    Kinks:   those of `norm`
    Source:  see `norm`, whose `p` is `ord` here
    Example: vjp explain "vector_norm(x, 1)" x=3,-4
    """
    return norm(x, p=plain_number("ord", ord), axis=axis, keepdims=keepdims)


@operation(
    library_names={"numpy": ("norm",), "jax": ("norm",), "torch": ("linalg.norm",)},
    samples=(
        sample((3,)),
        sample((2, 3)),
        sample((3,), ord=1),
        sample((2, 3), ord=1),
        sample((2, 3), ord="fro", keepdims=True),
        sample((2, 3), ord=3, axis=1),
        sample((2, 3, 2), axis=(0, 2), ord=np.inf),
    ),
    refuses=(
        Refusal(sample((2, 3, 2), ord=1), "matrix-needed"),
        Refusal(sample((2, 3), ord=3), "keyword-value"),
        Refusal(sample((2, 3, 2), ord=1, axis=(0, 1, 2)), "matrix-needed"),
        Refusal(sample((3,), ord="fro"), "matrix-needed"),
    ),
)
def linalg_norm(x, *, ord=None, axis=None, keepdims=False):
    """Norm of a vector or a matrix, as `np.linalg.norm` and `torch.linalg.norm` read it.

    Shapes:  x [n] or [m, n], or one or two axes of [...] -> [...] without them; with neither
             order nor axis the 2-norm of all entries
    Kinks:   those of `norm` for a vector, of `matrix_norm` for a matrix
    Source:  see `norm` and `matrix_norm`
    Example: vjp explain "linalg_norm(A, 1)" 'A=[[1,-2],[3,4]]'
    """
    if ord is None:
        return norm(x, axis=axis, keepdims=keepdims)
    axes = trailing_axes(x, axis)
    if isinstance(ord, str) or len(axes) == 2:
        return matrix_norm(x, ord=ord, axis=_matrix_axes(x, axis), keepdims=keepdims)
    if len(axes) != 1:
        raise _needs_matrix(x, axis)
    return vector_norm(x, ord=ord, axis=axes, keepdims=keepdims)


def _needs_matrix(x, axis):
    where = "" if axis is None else f" along axes {axis}"
    return fail(
        "matrix-needed",
        f"a norm of this order measures a matrix, not shape {shape_text(x.shape)}{where}",
        notes=("axis=(-2, -1) measures each matrix in a stack",),
    )


def _matrix_axes(x, axis):
    """The two axes of the matrix, in the order rows, columns as given."""
    if axis is None:
        if x.ndim != 2:
            raise _needs_matrix(x, axis)
        return (-2, -1)
    if not isinstance(axis, list | tuple) or len(axis) != 2:
        raise _needs_matrix(x, axis)
    trailing_axes(x, axis)
    return tuple(one if one < 0 else one - x.ndim for one in axis)


@operation(
    samples=(
        sample((2, 3)),
        sample((2, 3), ord=1),
        sample((2, 3), ord=-1),
        sample((2, 3), ord=np.inf),
        sample((2, 3), ord=-np.inf, keepdims=True),
        sample((2, 3, 2), ord=1),
        sample((2, 3, 2), ord=1, axis=(2, 0)),
        sample((2, 3), ord="nuc"),
        sample((2, 3), ord=2, keepdims=True),
        sample((2, 3, 2), ord=-2, axis=(2, 0)),
    ),
    refuses=(
        Refusal(sample((3,)), "matrix-needed"),
        Refusal(sample((2, 2), ord=7), "keyword-value"),
        Refusal(sample((2, 2), ord="spectral"), "keyword-value"),
        Refusal(sample((2, 0), ord=1), "empty-reduction"),
    ),
)
def matrix_norm(A, *, ord="fro", axis=(-2, -1), keepdims=False):
    """Norm of a matrix: "fro", "nuc", 2 or -2 (singular values), 1 or -1, inf or -inf.

    Shapes:  A [..., m, n] -> [...]; the matrix may lie along other axes
    Kinks:   at ties of column sums, row sums or singular values, and for "fro" at 0 (slope 0)
    Source:  "fro" is the length of all entries; 1 and inf are the largest sum of |A| over a
             column and a row; 2 is the largest singular value, "nuc" the sum of all (Golub and
             Van Loan, Matrix Computations, section 2.3)
    Example: vjp explain "matrix_norm(A, 1)" 'A=[[1,-2],[3,4]]'
    """
    if A.ndim < 2:
        raise _needs_matrix(A, None)
    keepdims = true_or_false("keepdims", keepdims)
    rows, columns = _matrix_axes(A, axis)
    if isinstance(ord, str):
        word = one_of("ord", ord, MATRIX_WORDS)
        if word == "fro":
            return norm(A, axis=(rows, columns), keepdims=keepdims)
        return _of_singular_values(reduction.sum, A, (rows, columns), keepdims)
    order = plain_number("ord", ord)
    if order not in (1, -1, 2, -2, np.inf, -np.inf):
        raise fail(
            "keyword-value",
            f"there is no matrix norm of order {order}",
            notes=('the orders are "fro", "nuc", 2, -2, 1, -1, inf, -inf',),
        )
    pick = extreme.amax if order > 0 else extreme.amin
    if order in (2, -2):
        return _of_singular_values(pick, A, (rows, columns), keepdims)
    summed, searched = (rows, columns) if order in (1, -1) else (columns, rows)
    sums = reduction.sum(arithmetic.abs(A), axis=summed, keepdims=True)
    return reduction.drop_axes(pick(sums, axis=searched, keepdims=True), (rows, columns), keepdims)


def _of_singular_values(pick, A, axes, keepdims):
    if set(axes) != {-2, -1}:
        A = ordering.moveaxis(A, source=axes, destination=(-2, -1))
    return reduction.restore_axes(pick(singular.svdvals(A), axis=-1), axes, not keepdims)


@operation(
    keyword_aliases={"ord": "p"},
    samples=(sample((3,), (3,)), sample((2, 3), (3,), p=1), sample((2, 3), (2, 3), p=3)),
)
def dist(x, y, *, p=2):
    """Distance of two arrays: the p-norm of their difference.

    Shapes:  x [...], y [...] -> scalar (broadcast)
    Kinks:   those of `norm`, where the arrays are equal
    Source:  see `norm`
    Example: vjp explain "dist(x, y)" x=1,2 y=4,6
    """
    return norm(x - y, p=p)


@operation(
    samples=(sample((2, 3)), sample((2, 2, 3)), sample((2, 3), keepdims=True)),
    refuses=(Refusal(sample((3,)), "matrix-needed"),),
)
def nuclear_norm(A, *, axis=(-2, -1), keepdims=False):
    """Sum of the singular values of a matrix: torch.nuclear_norm.

    Shapes:  A [..., m, n] -> [...]
    Kinks:   that of `matrix_norm` with "nuc"
    Source:  `matrix_norm` with ord="nuc"
    Example: vjp explain "torch.nuclear_norm(A)" 'A=[[1,-2],[3,4]]'
    """
    return matrix_norm(A, ord="nuc", axis=axis, keepdims=keepdims)


@operation(samples=(sample((2, 3), axis=(0, 1)), sample((2, 3), axis=1, keepdims=True)))
def frobenius_norm(x, *, axis=None, keepdims=False):
    """Square root of the sum of squares along some axes: torch.frobenius_norm.

    Shapes:  x [...] -> [...] without the axes measured
    Kinks:   that of `norm`: slope 0 at 0
    Source:  `norm`
    Example: vjp explain "torch.frobenius_norm(A, (0, 1))" 'A=[[1,-2],[3,4]]'
    """
    return norm(x, axis=axis if axis != () else None, keepdims=keepdims)


@operation(
    keyword_aliases={"v": "x", "pow": "p"},
    samples=(sample((3, 2)), sample((2, 3, 2), p=1, axis=1), sample((2, 2), axis=-1)),
    refuses=(
        Refusal(sample((2, 2), axis=2), "axis-out-of-range"),
        Refusal(sample((2, 2), p="two"), "keyword-value"),
    ),
)
def norm_except_dim(x, *, p=2, axis=0):
    """The norms of the slices along one axis, every other axis measured: for weight_norm.

    Shapes:  x [m, n, ...] -> [m, 1, ...]; axis=-1 measures all (PyTorch)
    Kinks:   that of `norm`: slope 0 at 0
    Source:  Salimans and Kingma, "Weight Normalization" (2016); w = g v / norm_except_dim(v)
    Example: vjp explain "v * g / torch.norm_except_dim(v, 2, 0)" v=[[3,4],[0,2]] g=[[1],[2]]
             --seed ones
    """
    p = plain_number("p", p)
    if axis == -1:
        return norm(x, p=p)
    kept = trailing_axis(x, axis)
    others = tuple(one for one in range(-x.ndim, 0) if one != kept)
    return norm(x, p=p, axis=others, keepdims=True) if others else arithmetic.abs(x)
