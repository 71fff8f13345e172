"""Structured matrices: built of a vector, or of nothing but their size, and systems of them."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import array_shape, one_of, true_or_false, whole_number
from vjpcli.ops.linear_algebra import solving, symmetric
from vjpcli.ops.linear_algebra.matrix import require_matrix
from vjpcli.ops.numbers import arithmetic, comparison
from vjpcli.ops.shapes import indexing, joining, shape

# --- of vectors


def _as_vector(name, x):
    """x as a vector; a number is one of one entry.

    Errors: rank-too-high.
    """
    if x.ndim > 1:
        raise fail("rank-too-high", f"{name} takes a vector, not shape {shape_text(x.shape)}")
    return shape.atleast_1d(x)


def _laid_out(entries, places):
    """The matrix whose entry (i, j) is the entry of a vector at places[i, j]."""
    array_shape(places.shape)
    return indexing.index(entries, index=(places,))


@operation(
    samples=(sample((3,)), sample((3,), (2,)), sample((), ()), sample((2,), (4,))),
    refuses=(Refusal(sample((2, 2)), "rank-too-high"),),
)
def toeplitz(c, r=None):
    """The matrix whose diagonals are constant, with this first column and this first row.

    Shapes:  c [n], r [m] -> [n, m]; r is c unless given, and its first entry is not read
    Kinks:   none
    Source:  scipy.linalg.toeplitz; an entry receives the sum of the adjoints of its diagonal
    Example: vjp explain "scipy.linalg.toeplitz(c, r)" c=1,2,3 r=1,10 --seed ones
    """
    c = _as_vector("toeplitz", c)
    r = c if r is None else _as_vector("toeplitz", r)
    beyond = indexing.index(r, index=(slice(1, None),))
    entries = joining.concatenate(c, beyond, axis=0)
    apart = np.arange(c.size)[:, None] - np.arange(r.size)
    return _laid_out(entries, np.where(apart >= 0, apart, c.size - 1 - apart))


@operation(
    samples=(sample((3,)), sample((3,), (4,)), sample((), ())),
    refuses=(Refusal(sample((2, 2)), "rank-too-high"),),
)
def hankel(c, r=None):
    """The matrix whose antidiagonals are constant, with this first column and this last row.

    Shapes:  c [n], r [m] -> [n, m]; r is zeros unless given, and its first entry is not read
    Kinks:   none
    Source:  scipy.linalg.hankel; an entry receives the sum of the adjoints of its antidiagonal
    Example: vjp explain "scipy.linalg.hankel(c, r)" c=1,2,3 r=3,10 --seed ones
    """
    c = _as_vector("hankel", c)
    r = as_node(np.zeros(c.size)) if r is None else _as_vector("hankel", r)
    beyond = indexing.index(r, index=(slice(1, None),))
    entries = joining.concatenate(c, beyond, axis=0)
    return _laid_out(entries, np.arange(c.size)[:, None] + np.arange(r.size))


@operation(
    samples=(sample((3,)), sample((1,)), sample(())),
    refuses=(Refusal(sample((2, 2)), "rank-too-high"),),
)
def circulant(c):
    """The matrix each of whose columns is the one before it, moved down by one place.

    Shapes:  c [n] -> [n, n]
    Kinks:   none
    Source:  scipy.linalg.circulant; each entry stands in every column
    Example: vjp explain "scipy.linalg.circulant(c) @ x" c=1,2,3 x=1,10,100 --seed ones
    """
    c = _as_vector("circulant", c)
    along = np.arange(c.size)
    return _laid_out(c, (along[:, None] - along) % max(c.size, 1))


@operation(
    samples=(sample([2.0, -1.0, 0.5]),),
    refuses=(Refusal(sample((1,)), "shape-mismatch"), Refusal(sample((2, 2)), "rank-too-high")),
)
def companion(a):
    """The companion matrix of a polynomial: its eigenvalues are the polynomial's zeros.

    Shapes:  a [n], the highest power first -> [n - 1, n - 1]
    Kinks:   none; a pole where the first coefficient is 0
    Source:  scipy.linalg.companion: the first row is -a[1:]/a[0], ones stand below the diagonal
    Example: vjp explain "scipy.linalg.companion(a)" a=2,4,6 --seed ones
    """
    a = _as_vector("companion", a)
    if a.size < 2:
        raise fail(
            "shape-mismatch", "companion needs the coefficients of a polynomial: two or more"
        )
    first = -indexing.index(a, index=(slice(1, None),)) / indexing.index(a, index=(0,))
    n = a.size - 1
    placed = indexing.add_into(first, index=(0, slice(None)), shape=(n, n))
    return placed + as_node(np.eye(n, k=-1))


@operation(
    samples=(sample([2.0, -1.0, 0.5]),),
    refuses=(Refusal(sample((2, 2)), "rank-too-high"),),
)
def fiedler(a):
    """The symmetric matrix of the distances between the entries of a vector.

    Shapes:  a [n] -> [n, n]
    Kinks:   where two entries are equal the slope used is 0
    Source:  scipy.linalg.fiedler: entry (i, j) is |a_i - a_j|
    Example: vjp explain "scipy.linalg.fiedler(a)" a=1,4,9 --seed [[0,1,0],[0,0,1],[0,0,0]]
    """
    a = _as_vector("fiedler", a)
    return arithmetic.abs(shape.expand_dims(a, axis=1) - shape.expand_dims(a, axis=0))


@operation(
    samples=(sample((3,), (2,)),),
    refuses=(
        Refusal(sample((3,), (3,)), "shape-mismatch"),
        Refusal(sample((2, 2), (1,)), "rank-too-high"),
    ),
)
def leslie(f, s):
    """The Leslie matrix of a population: births in its first row, survival below the diagonal.

    Shapes:  f [n], s [n - 1] -> [n, n]
    Kinks:   none
    Source:  scipy.linalg.leslie; each entry receives its own adjoint
    Example: vjp explain "scipy.linalg.leslie(f, s) @ x" f=0.1,2,1 s=0.2,0.8 x=1,10,100 --seed ones
    """
    f, s = _as_vector("leslie", f), _as_vector("leslie", s)
    n = f.size
    if s.size != n - 1:
        raise fail("shape-mismatch", f"leslie takes {n} births and {n - 1} survivals, not {s.size}")
    births = indexing.add_into(f, index=(0, slice(None)), shape=(n, n))
    rows = np.arange(n - 1)
    return births + indexing.add_into(s, index=(rows + 1, rows), shape=(n, n))


@operation(
    samples=(
        sample((3,), n=4),
        sample((3,), n=2, mode="same"),
        sample((2,), n=5, mode="same"),
        sample((3,), n=4, mode="valid"),
        sample((3,), n=2, mode="valid"),
    ),
    refuses=(
        Refusal(sample((3,), n=0), "keyword-value"),
        Refusal(sample((3,), n=2, mode="half"), "keyword-value"),
    ),
)
def convolution_matrix(a, *, n, mode="full"):
    """The matrix that convolves a vector of n entries with a.

    Shapes:  a [m] -> [m + n - 1, n]; the middle max(n, m) rows with mode="same", only the rows
             without an edge with mode="valid"
    Kinks:   none
    Source:  scipy.linalg.convolution_matrix; each column is a, moved down by one place
    Example: vjp explain "scipy.linalg.convolution_matrix(a, 2) @ x" a=1,2 x=1,10 --seed ones
    """
    a = _as_vector("convolution_matrix", a)
    n = whole_number("n", n, least=1)
    mode = one_of("mode", mode, ("full", "same", "valid"))
    rows = a.size + n - 1
    array_shape((max(rows, 0), n))
    places = np.arange(rows)[:, None] - np.arange(n)
    inside = (places >= 0) & (places < a.size)
    padded = joining.concatenate(a, as_node(np.zeros(1)), axis=0)
    full = _laid_out(padded, np.where(inside, places, a.size))
    longer, shorter = max(n, a.size), min(n, a.size)
    start, count = {
        "full": (0, rows),
        "same": ((shorter - 1) // 2, longer),
        "valid": (shorter - 1, longer - shorter + 1),
    }[mode]
    return indexing.index(full, index=(slice(start, start + count),))


@operation(
    samples=(sample((2, 3), (4, 3)), sample((2, 2), (2, 2))),
    refuses=(
        Refusal(sample((2, 3), (2, 2)), "shape-mismatch"),
        Refusal(sample((3,), (3,)), "rank-too-low"),
    ),
)
def khatri_rao(a, b):
    """Kronecker products of the columns of two matrices, column by column.

    Shapes:  a [n, k], b [m, k] -> [n*m, k]
    Kinks:   none
    Source:  scipy.linalg.khatri_rao; product rule
    Example: vjp explain "scipy.linalg.khatri_rao(A, B)" A=[[1,2]] B=[[3,4],[5,6]] --seed ones
    """
    for one in (a, b):
        require_matrix("khatri_rao", one)
    if a.shape[-1] != b.shape[-1]:
        raise fail(
            "shape-mismatch",
            f"khatri_rao cannot combine shapes {shape_text(a.shape)} and {shape_text(b.shape)}",
            notes=("both have as many columns",),
        )
    wide, fine = shape.expand_dims(a, axis=-2), shape.expand_dims(b, axis=-3)
    product = wide * fine
    lengths = (*product.shape[:-3], product.shape[-3] * product.shape[-2], product.shape[-1])
    return shape.reshape(product, shape=lengths)


# --- systems of structured matrices


@operation(
    lists=("c",),
    keyword_aliases={"c_or_cr": "c"},
    samples=(sample([3.0, 1.0, 0.5], (3,)), sample([3.0, 1.0], (2, 2))),
    refuses=(Refusal(sample((3,), (2,)), "shape-mismatch"),),
)
def solve_toeplitz(c, b):
    """The solution x of a @ x = b, where a is the Toeplitz matrix of c, or of (c, r).

    Shapes:  c [n] or (c [n], r [n]), b [n] or [n, m] -> as b
    Kinks:   a pole where the matrix is singular
    Source:  `solve` with the matrix written out
    Example: vjp explain "scipy.linalg.solve_toeplitz(c, b)" c=3,1 b=1,2 --seed ones
    """
    pair = c if isinstance(c, list) else [c]
    if isinstance(c, list) and all(one.ndim == 0 for one in c):
        pair = [joining.stack(*c, axis=0)]
    return solving.solve(toeplitz(*pair), b)


@operation(
    samples=(sample([3.0, 1.0, 0.5], (3,)),),
    refuses=(Refusal(sample((3,), (2,)), "shape-mismatch"),),
)
def solve_circulant(c, b):
    """The solution x of a @ x = b, where a is the circulant matrix of c.

    Shapes:  c [n], b [n] or [n, m] -> as b
    Kinks:   a pole where the matrix is singular
    Source:  `solve` with the matrix written out
    Example: vjp explain "scipy.linalg.solve_circulant(c, b)" c=3,1 b=1,2 --seed ones
    """
    return solving.solve(circulant(c), b)


@operation(
    argument_order=("l_and_u", "ab", "b"),
    samples=(sample([[0.0, 1.0, 0.5], [4.0, 3.0, 5.0], [0.3, -1.0, 0.0]], (3,), l_and_u=(1, 1)),),
    refuses=(
        Refusal(sample((2, 3), (3,), l_and_u=(1, 1)), "shape-mismatch"),
        Refusal(sample((3, 3), (3,), l_and_u=1), "keyword-value"),
        Refusal(sample((3, 3), (3,), l_and_u=(-1, 3)), "keyword-value"),
    ),
)
def solve_banded(ab, b, *, l_and_u):
    """The solution x of a @ x = b, where the diagonals of a are the rows of ab.

    Shapes:  l_and_u: how many diagonals below and above, ab [l + u + 1, n], b [n] or [n, m] -> as b
    Kinks:   a pole where the matrix is singular
    Source:  `solve` with the matrix written out: ab[u + i - j, j] is a[i, j]
    Example: vjp explain "scipy.linalg.solve_banded((0, 1), A, b)" A=[[0,1],[2,4]] b=3,8 --seed ones
    """
    if not isinstance(l_and_u, tuple) or len(l_and_u) != 2:
        raise fail("keyword-value", f"`l_and_u` is two counts, as in (1, 1), not {l_and_u!r}")
    below, above = (whole_number("l_and_u", one, least=0) for one in l_and_u)
    if ab.ndim != 2 or ab.shape[0] != below + above + 1:
        raise fail(
            "shape-mismatch",
            f"{below} diagonals below and {above} above are {below + above + 1} rows, not "
            f"shape {shape_text(ab.shape)}",
        )
    n = ab.shape[1]
    array_shape((n, n))
    rows, columns = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    places = above + rows - columns
    inside = (places >= 0) & (places <= below + above)
    read = indexing.index(ab, index=(np.where(inside, places, 0), columns))
    return solving.solve(comparison.where(as_node(inside), read, 0), b)


@operation(
    several=("eigenvalues", "eigenvectors"),
    keyword_aliases={"select_range": "range", "tol": "tolerance"},
    samples=(
        sample([1.0, 3.0, 0.5], [0.4, -0.7]),
        sample([1.0, 3.0, 0.5], [0.4, -0.7], eigvals_only=True),
    ),
    refuses=(
        Refusal(sample((3,), (3,)), "shape-mismatch"),
        Refusal(sample((3,), (2,), select="v"), "keyword-value"),
    ),
    library_defaults={"jax": {"eigvals_only": True}},
)
def eigh_tridiagonal(d, e, *, eigvals_only=False, select="a", range=None, tolerance=None):
    """The eigenvalues of a symmetric matrix of three diagonals, and its eigenvectors as columns.

    Shapes:  d [n] on the diagonal, e [n - 1] beside it -> eigenvalues [n], eigenvectors [n, n];
             with eigvals_only=True (always in JAX) the eigenvalues
    Kinks:   where eigenvalues meet; those of a matrix without a 0 in e are distinct
    Source:  `eigh` of the matrix written out
    Example: vjp explain "scipy.linalg.eigh_tridiagonal(d, e)[0]" d=2,3 e=1 --seed ones
    """
    d, e = _as_vector("eigh_tridiagonal", d), _as_vector("eigh_tridiagonal", e)
    n = d.size
    if e.size != n - 1:
        raise fail(
            "shape-mismatch",
            f"a diagonal of {n} entries has {n - 1} beside it, not {e.size}",
        )
    one_of("select", select, ("a",))
    along = np.arange(n)
    matrix = indexing.add_into(d, index=(along, along), shape=(n, n))
    if n > 1:
        first, second = along[:-1], along[1:]
        matrix = matrix + indexing.add_into(e, index=(first, second), shape=(n, n))
        matrix = matrix + indexing.add_into(e, index=(second, first), shape=(n, n))
    if true_or_false("eigvals_only", eigvals_only):
        return symmetric.eigvalsh(matrix)
    return symmetric.eigh(matrix)
