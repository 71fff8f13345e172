"""Functions of matrices beyond the exponential: logarithm, sine and cosine, fractional powers.

Every one of them is the logarithm, the exponential or the square root in another guise. A
function of a block matrix [[a, e], [0, a]] holds the function's derivative along e at its upper
right: that is the rule of the logarithm here, as it is the exponential's.
"""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import Refusal, fail, operation, outcome, sample, shape_text
from vjpcli.ops.keywords import plain_number, true_or_false
from vjpcli.ops.linear_algebra import matrix_function, solving
from vjpcli.ops.linear_algebra.matrix import reads_matrix_for_matrix, require_square
from vjpcli.ops.linear_algebra.matrix_equation import (
    SPREAD,
    on_stacks,
    principal_root,
    refuse_negative,
    root_of_matrix,
)
from vjpcli.ops.shapes import indexing
from vjpcli.ops.shapes.ordering import matrix_transpose

SMALL = [[0.3, 1.2], [-0.5, 0.8]]
SQUARE_REFUSED = (
    Refusal(sample((2, 3)), "square-needed"),
    Refusal(sample((3,)), "rank-too-low"),
)

# --- the logarithm

MOST_ROOTS = 40
NEAR_IDENTITY = 0.3
"""The 1-norm of a - I up to which 16 points of Gauss and Legendre give double precision."""


def _logarithm(a):
    n = len(a)
    identity = np.eye(n, dtype=a.dtype)
    if not a.size:
        return a
    roots = 0
    while np.abs(a - identity).sum(axis=0).max() > NEAR_IDENTITY:
        a = root_of_matrix(a)
        roots += 1
        if roots > MOST_ROOTS or not np.isfinite(a).all():
            return np.full(a.shape, np.nan, dtype=a.dtype)
    points, weights = np.polynomial.legendre.leggauss(16)
    x = a - identity
    total = np.zeros_like(a)
    for point, weight in zip((points + 1) / 2, weights / 2, strict=True):
        total = total + weight.astype(a.real.dtype) * np.linalg.solve(
            identity + point.astype(a.real.dtype) * x, x
        )
    return total * a.real.dtype.type(2.0**roots)


@operation(
    on_stacks(_logarithm),
    pattern=reads_matrix_for_matrix,
    samples=(sample(SPREAD), sample([[1.5, 0.2], [0.1, 0.9]]), sample([[3.0]])),
    refuses=SQUARE_REFUSED,
)
def principal_logarithm(a):
    """The principal logarithm of a square matrix: what `logm` computes.

    Shapes:  a [..., n, n] -> [..., n, n]
    Kinks:   a pole where a is singular; nan where the logarithm is not real
    Source:  Higham 2008, Functions of Matrices, section 11.5: inverse scaling and squaring; the
             derivative by theorem 3.6, from the logarithm of [[a.T, g], [0, a.T]]
    Example: vjp explain "scipy.linalg.logm(A)" A=[[2,1],[0,3]] --seed ones
    """
    require_square("logm", a)
    return outcome(a.shape)


@principal_logarithm.vjp
def _(g, y, a):
    return _upper_right(principal_logarithm, matrix_transpose(a), g)


def _upper_right(function, a, direction):
    """What a matrix function changes by at a along a direction."""
    n = a.shape[-1]
    block = matrix_function.two_by_two(a, direction, None, a)
    index = (slice(0, n), slice(n, 2 * n))
    return indexing.index(function(block), index=index, shape=(2 * n, 2 * n))


@operation(
    present={"a": "now"},
    samples=(sample(SPREAD, now=np.array(SPREAD)),),
    refuses=(
        Refusal(sample((2, 3), now=np.zeros((2, 3))), "square-needed"),
        Refusal(sample([[-1.0]], now=np.array([[-1.0]])), "complex-result"),
    ),
)
def logm(a, *, disp=True, now=None):
    """The principal logarithm of a square matrix: y with expm(y) = a.

    Shapes:  a [..., n, n] -> [..., n, n]
    Kinks:   a pole where a is singular; a matrix whose logarithm is complex is refused
    Source:  Higham 2008, Functions of Matrices, section 11.5
    Example: vjp explain "scipy.linalg.logm(A)" A=[[2,1],[0,3]] --seed ones
    """
    require_square("logm", a)
    true_or_false("disp", disp)
    refuse_negative(now, "the logarithm")
    return principal_logarithm(a)


@operation(
    present={"a": "now"},
    keyword_aliases={"A": "a", "p": "t"},
    samples=(
        sample(SPREAD, t=0.5, now=np.array(SPREAD)),
        sample(SPREAD, t=-1.3, now=np.array(SPREAD)),
        sample((2, 2), t=3, now=np.eye(2)),
    ),
    refuses=(
        Refusal(sample([[-1.0]], t=0.5, now=np.array([[-1.0]])), "complex-result"),
        Refusal(sample((2, 2), t="half", now=np.eye(2)), "keyword-value"),
    ),
)
def fractional_matrix_power(a, *, t, now=None):
    """A square matrix to a power that need not be whole.

    Shapes:  a [..., n, n] -> [..., n, n]
    Kinks:   a pole where a is singular; a matrix whose power is complex is refused
    Source:  expm(t * logm(a)); whole powers are products
    Example: vjp explain "scipy.linalg.fractional_matrix_power(A, 0.5)" A=[[4,1],[0,9]] --seed ones
    """
    require_square("fractional_matrix_power", a)
    t = plain_number("t", t)
    if isinstance(t, int):
        return matrix_function.matrix_power(a, n=t)
    refuse_negative(now, f"the power {t:g}")
    return matrix_function.matrix_exp(t * principal_logarithm(a))


# --- the derivative of the exponential


@operation(
    several=("expm_A", "expm_frechet_AE"),
    keyword_aliases={"A": "a", "E": "e"},
    samples=(sample(SMALL, (2, 2)), sample(SMALL, (2, 2), compute_expm=False)),
    refuses=(
        Refusal(sample((2, 3), (2, 3)), "square-needed"),
        Refusal(sample((2, 2), (3, 3)), "shape-mismatch"),
    ),
)
def expm_frechet(a, e, *, method=None, compute_expm=True):
    """The matrix exponential, and what it changes by at a along e.

    Shapes:  a [..., n, n], e [..., n, n] -> [..., n, n] each; compute_expm=False gives the second
    Kinks:   none
    Source:  Higham 2008, Functions of Matrices, (3.16): expm of [[a, e], [0, a]] holds both
    Example: vjp explain "scipy.linalg.expm_frechet(A, E)[1]" A=[[0,1],[0,0]] E=[[1,0],[0,1]]
    """
    require_square("expm_frechet", a)
    if e.shape != a.shape:
        raise fail(
            "shape-mismatch",
            f"expm_frechet cannot combine shapes {shape_text(a.shape)} and {shape_text(e.shape)}",
        )
    along = _upper_right(matrix_function.matrix_exp, a, e)
    if not true_or_false("compute_expm", compute_expm):
        return along
    return matrix_function.matrix_exp(a), along


# --- circular and hyperbolic functions


def _turned(a):
    """cos and sin of a: the exponential of [[0, -a], [a, 0]] is [[cos, -sin], [sin, cos]]."""
    n = a.shape[-1]
    whole = matrix_function.matrix_exp(matrix_function.two_by_two(None, -a, a, None))

    def part(rows):
        return indexing.index(whole, index=(Ellipsis, rows, slice(0, n)))

    return part(slice(0, n)), part(slice(n, 2 * n))


FUNCTION_SAMPLES = (sample(SMALL), sample([SMALL, [[1.0, 0.0], [0.4, -0.3]]]), sample([[0.7]]))


@operation(samples=FUNCTION_SAMPLES, refuses=SQUARE_REFUSED)
def cosm(a):
    """The cosine of a square matrix.

    Shapes:  a [..., n, n] -> [..., n, n]
    Kinks:   none
    Source:  the upper left of the exponential of [[0, -a], [a, 0]]
    Example: vjp explain "scipy.linalg.cosm(A)" A=[[0,1],[0,0]] --seed ones
    """
    require_square("cosm", a)
    return _turned(a)[0]


@operation(samples=FUNCTION_SAMPLES, refuses=SQUARE_REFUSED)
def sinm(a):
    """The sine of a square matrix.

    Shapes:  a [..., n, n] -> [..., n, n]
    Kinks:   none
    Source:  the lower left of the exponential of [[0, -a], [a, 0]]
    Example: vjp explain "scipy.linalg.sinm(A)" A=[[0,1],[0,0]] --seed ones
    """
    require_square("sinm", a)
    return _turned(a)[1]


@operation(samples=FUNCTION_SAMPLES, refuses=SQUARE_REFUSED)
def tanm(a):
    """The tangent of a square matrix.

    Shapes:  a [..., n, n] -> [..., n, n]
    Kinks:   none; a pole where the cosine of a is singular
    Source:  inv(cosm(a)) @ sinm(a)
    Example: vjp explain "scipy.linalg.tanm(A)" A=[[0,1],[0,0]] --seed ones
    """
    require_square("tanm", a)
    cosine, sine = _turned(a)
    return solving.solve(cosine, sine, vectors=False)


def _hyperbolic(a):
    ahead, behind = matrix_function.matrix_exp(a), matrix_function.matrix_exp(-a)
    return (ahead + behind) / 2, (ahead - behind) / 2


@operation(samples=FUNCTION_SAMPLES, refuses=SQUARE_REFUSED)
def coshm(a):
    """The hyperbolic cosine of a square matrix.

    Shapes:  a [..., n, n] -> [..., n, n]
    Kinks:   none
    Source:  (expm(a) + expm(-a))/2
    Example: vjp explain "scipy.linalg.coshm(A)" A=[[0,1],[0,0]] --seed ones
    """
    require_square("coshm", a)
    return _hyperbolic(a)[0]


@operation(samples=FUNCTION_SAMPLES, refuses=SQUARE_REFUSED)
def sinhm(a):
    """The hyperbolic sine of a square matrix.

    Shapes:  a [..., n, n] -> [..., n, n]
    Kinks:   none
    Source:  (expm(a) - expm(-a))/2
    Example: vjp explain "scipy.linalg.sinhm(A)" A=[[0,1],[0,0]] --seed ones
    """
    require_square("sinhm", a)
    return _hyperbolic(a)[1]


@operation(samples=FUNCTION_SAMPLES, refuses=SQUARE_REFUSED)
def tanhm(a):
    """The hyperbolic tangent of a square matrix.

    Shapes:  a [..., n, n] -> [..., n, n]
    Kinks:   none; a pole where the hyperbolic cosine of a is singular
    Source:  inv(coshm(a)) @ sinhm(a)
    Example: vjp explain "scipy.linalg.tanhm(A)" A=[[0,1],[0,0]] --seed ones
    """
    require_square("tanhm", a)
    cosine, sine = _hyperbolic(a)
    return solving.solve(cosine, sine, vectors=False)


@operation(samples=(sample([[2.0, 1.0], [0.3, -1.5]]), sample(SPREAD)), refuses=SQUARE_REFUSED)
def signm(a):
    """The sign of a square matrix: eigenvalues become 1 or -1 and eigenvectors stay.

    Shapes:  a [..., n, n] -> [..., n, n]
    Kinks:   jumps where an eigenvalue crosses the imaginary axis
    Source:  Higham 2008, Functions of Matrices, (5.2): a @ inv(sqrtm(a @ a))
    Example: vjp explain "scipy.linalg.signm(A)" A=[[2,1],[0.3,-1.5]] --seed ones
    """
    require_square("signm", a)
    return a @ solving.inv(principal_root(a @ a))
