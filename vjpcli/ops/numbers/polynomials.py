"""Polynomials given by their coefficients, the highest power first: np.polyder, np.roots ..."""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import OPERATIONS, as_node
from vjpcli.ops.declaration import Refusal, fail, operation, outcome, sample, shape_text
from vjpcli.ops.keywords import whole_number
from vjpcli.ops.linear_algebra import products, solving, tensors
from vjpcli.ops.numbers import curves
from vjpcli.ops.shapes import indexing, joining, shape
from vjpcli.ops.shapes.indexing import read_first

MOST_COEFFICIENTS = 1000

MOST_ROWS = 20
"""Of a matrix whose characteristic polynomial is asked for: beyond, the recursion loses digits."""


def _require_coefficients(name, *polynomials):
    """Refuses what is no vector of coefficients.

    Errors: shape-mismatch.
    """
    for p in polynomials:
        if p.ndim != 1 or not 0 < p.size <= MOST_COEFFICIENTS:
            raise fail(
                "shape-mismatch",
                f"{name} takes 1 to {MOST_COEFFICIENTS} coefficients [n], the highest power "
                f"first, not shape {shape_text(p.shape)}",
            )


@operation(
    samples=(sample((4,)), sample((4,), m=2), sample((3,), m=0), sample((1,))),
    refuses=(
        Refusal(sample((2, 2)), "shape-mismatch"),
        Refusal(sample((3,), m=-1), "keyword-value"),
    ),
    analytic=True,
)
def polyder(p, *, m=1):
    """Coefficients of the m-th derivative of a polynomial.

    Shapes:  p [n], the highest power first -> [n - m]; [0] where nothing is left
    Kinks:   none
    Source:  d x**k/dx = k x**(k-1)
    Example: vjp explain "polyval(polyder(p), 2)" p=1,-2,0.5
    """
    _require_coefficients("polyder", p)
    order = whole_number("m", m, least=0)
    left = max(0, p.size - order)
    powers = range(p.size - 1, p.size - 1 - left, -1)
    factors = np.array([float(math.perm(k, order)) for k in powers])
    return indexing.index(p, index=(slice(0, left),)) * factors


@operation(
    samples=(
        sample((4,)),
        sample((3,), m=2),
        sample((3,), k=2.0),
        sample((2,), m=2, k=(1.0, -1.0)),
    ),
    refuses=(
        Refusal(sample((2, 2)), "shape-mismatch"),
        Refusal(sample((2,), m=2, k=(1.0, 2.0, 3.0)), "keyword-value"),
    ),
    analytic=True,
)
def polyint(p, *, m=1, k=None):
    """Coefficients of the m-th integral of a polynomial, with the constants k or zeros.

    Shapes:  p [n], the highest power first -> [n + m]
    Kinks:   none
    Source:  the integral of x**k is x**(k+1)/(k+1)
    Example: vjp explain "polyval(polyint(p), 2)" p=1,-2,0.5
    """
    _require_coefficients("polyint", p)
    order = whole_number("m", m, least=0, most=100)
    constants = np.zeros(1) if k is None else np.atleast_1d(np.asarray(k, dtype=np.float64))
    if constants.ndim != 1 or constants.size not in (1, order):
        raise fail("keyword-value", f"`k` of polyint holds one number or {order} of them")
    constants = np.broadcast_to(constants, order)
    for constant in constants:
        divided = p / np.arange(p.size, 0, -1.0)
        p = joining.concatenate(divided, np.array([constant]), axis=0)
    return p


def _added(name, a, b, sign):
    _require_coefficients(name, a, b)
    longer = max(a.size, b.size)

    def padded(p):
        if p.size == longer:
            return p
        return joining.concatenate(np.zeros(longer - p.size), p, axis=0)

    return padded(a) + sign * padded(b)


PAIRS = (sample((3,), (2,)), sample((1,), (4,)), sample((2,), (2,)))


@operation(
    keyword_aliases={"a1": "a", "a2": "b"},
    samples=PAIRS,
    refuses=(Refusal(sample((2, 2), (2,)), "shape-mismatch"),),
    analytic=True,
)
def polyadd(a, b):
    """Coefficients of the sum of two polynomials.

    Shapes:  a [n], b [m], the highest power first -> [max(n, m)]
    Kinks:   none
    Source:  power by power, the shorter one filled with zeros in front
    Example: vjp explain "polyadd(a, b)" a=1,2,3 b=1,1 --seed ones
    """
    return _added("polyadd", a, b, 1)


@operation(
    keyword_aliases={"a1": "a", "a2": "b"},
    samples=PAIRS,
    refuses=(Refusal(sample((2, 2), (2,)), "shape-mismatch"),),
    analytic=True,
)
def polysub(a, b):
    """Coefficients of the difference of two polynomials.

    Shapes:  a [n], b [m], the highest power first -> [max(n, m)]
    Kinks:   none
    Source:  power by power, the shorter one filled with zeros in front
    Example: vjp explain "polysub(a, b)" a=1,2,3 b=1,1 --seed ones
    """
    return _added("polysub", a, b, -1)


@operation(
    keyword_aliases={"a1": "a", "a2": "b"},
    samples=PAIRS,
    refuses=(Refusal(sample((2, 2), (2,)), "shape-mismatch"),),
    analytic=True,
)
def polymul(a, b):
    """Coefficients of the product of two polynomials.

    Shapes:  a [n], b [m], the highest power first -> [n + m - 1]
    Kinks:   none
    Source:  `convolve`
    Example: vjp explain "polymul(a, b)" a=1,2 b=1,-3 --seed ones
    """
    _require_coefficients("polymul", a, b)
    return OPERATIONS["convolve"](a, b)


@operation(
    keyword_aliases={"u": "a", "v": "b"},
    several=("quotient", "remainder"),
    samples=(sample((4,), (2,)), sample((3,), (3,)), sample((2,), (3,)), sample((3,), (1,))),
    refuses=(Refusal(sample((2, 2), (2,)), "shape-mismatch"),),
    analytic=True,
)
def polydiv(a, b):
    """Quotient and remainder of two polynomials, two results.

    Shapes:  a [n], b [m], the highest power first -> [max(n - m + 1, 1)], [max(m - 1, 1)]; the
             remainder keeps its leading zeros (NumPy drops those that are below 1e-14)
    Kinks:   none; infinite where the leading coefficient of b is 0
    Source:  long division
    Example: vjp explain "q, r = np.polydiv(a, b); q" a=1,2,3 b=1,1 --seed ones
    """
    _require_coefficients("polydiv", a, b)
    if a.size < b.size:
        return as_node(np.zeros(1)), a
    quotient = []
    rest = a
    lead, others = read_first(b, 0), indexing.index(b, index=(slice(1, None),))
    for place in range(a.size - b.size + 1):
        factor = read_first(rest, 0) / lead
        quotient.append(factor)
        following = indexing.index(rest, index=(slice(1, None),))
        width = a.size - 1 - place
        taken = factor * others
        if width > others.size:
            taken = joining.concatenate(taken, np.zeros(width - others.size), axis=0)
        rest = following - taken
    remainder = rest if rest.size else as_node(np.zeros(1))
    return joining.stack(*quotient, axis=0), remainder


@operation(
    name="poly",
    samples=(sample((3,)), sample((1,)), sample((0,)), sample((3, 3)), sample((1, 1))),
    refuses=(Refusal(sample((2, 3)), "shape-mismatch"), Refusal(sample(()), "shape-mismatch")),
    keyword_aliases={"seq_of_zeros": "roots"},
    analytic=True,
)
def coefficients_of_roots(roots):
    """Coefficients of the polynomial with the given roots, the highest power first: np.poly.

    Of a matrix it is the characteristic polynomial, whose roots are the eigenvalues.

    Shapes:  roots [n] or a matrix [n, n] -> [n + 1]
    Kinks:   none
    Source:  the product of the factors x - root; of a matrix, Faddeev and LeVerrier's recursion
    Example: vjp explain "np.poly(r)" r=1,2,-0.5 --seed 0,1,0,0
    """
    if roots.ndim == 2 and roots.shape[0] == roots.shape[1] <= MOST_ROWS:
        return _characteristic_polynomial(roots)
    if roots.ndim != 1 or roots.size > MOST_COEFFICIENTS:
        raise fail(
            "shape-mismatch",
            "poly takes a vector of roots, or a square matrix of at most "
            f"{MOST_ROWS} rows, not shape {shape_text(roots.shape)}",
        )
    p = as_node(np.ones(1))
    for place in range(roots.size):
        moved = joining.concatenate(np.zeros(1), p * read_first(roots, place), axis=0)
        p = joining.concatenate(p, np.zeros(1), axis=0) - moved
    return p


def _characteristic_polynomial(A):
    identity = np.eye(A.shape[0])
    coefficients, quotient = [as_node(np.ones(()))], as_node(identity)
    for count in range(1, A.shape[0] + 1):
        product = A @ quotient
        coefficients.append(-products.trace(product) / count)
        quotient = product + coefficients[-1] * identity
    return joining.stack(*coefficients, axis=0)


def _real_roots(p):
    if not np.all(np.isfinite(p)):
        return np.full(p.size - 1, np.nan, p.dtype)
    if p[0] == 0:
        raise fail(
            "shape-mismatch",
            "the leading coefficient is 0: the degree, and with it the number of roots, is lower",
            notes=("leave the leading zeros out",),
        )
    found = np.roots(p)
    if np.any(np.imag(found) != 0):
        odd = found[np.imag(found) != 0]
        shown = ", ".join(f"{one.real:.4g}{one.imag:+.4g}j" for one in odd[:4])
        raise fail(
            "complex-result",
            f"this polynomial has the complex roots {shown}, and numbers here are real",
            notes=("roots can be differentiated where all of them are real",),
        )
    return np.real(found).astype(p.dtype, copy=False)


@operation(
    _real_roots,
    samples=(
        sample([1.0, -6.5, 10.0, -3.0]),
        sample([2.0, 1.0, -4.0]),
        sample([1.0, -1.0, 0.0]),
        sample([3.0]),
    ),
    refuses=(Refusal(sample((2, 2)), "shape-mismatch"),),
)
def roots(p):
    """The roots of a polynomial, where all of them are real, in LAPACK's order.

    Shapes:  p [n], the highest power first, p[0] not 0 -> [n - 1]
    Kinks:   where roots meet the slopes are infinite, and beyond they are complex and refused
    Source:  implicit differentiation: dr = -(sum over k of dp[k] r**(n-1-k))/p'(r)
    Example: vjp explain "np.roots(p)" p=1,-3,2 --seed 1,0
    """
    _require_coefficients("roots", p)
    return outcome((p.size - 1,))


@roots.vjp
def _(g, y, p):
    if p.size == 1:
        return (None,)
    slopes = curves.polyval(polyder(p), y)
    return products.matmul(-(g / slopes), tensors.vander(y, N=p.size))


@operation(
    keyword_aliases={"deg": "degree"},
    samples=(
        sample((5,), (5,), degree=2),
        sample((4,), (4, 2), degree=1),
        sample([0.0, 1.0, 2.0, 4.0], (4,), degree=1, w=(1.0, 2.0, 1.0, 0.5)),
        sample((3,), (3,), degree=0),
    ),
    refuses=(
        Refusal(sample((3,), (4,), degree=1), "shape-mismatch"),
        Refusal(sample((3,), (3,), degree=-1), "keyword-value"),
        Refusal(sample((3,), (3,), degree=1, w=(1.0, 2.0)), "shape-mismatch"),
    ),
)
def polyfit(x, y, *, degree, w=None):
    """Coefficients of the polynomial that fits points best in the sense of least squares.

    Shapes:  x [n], y [n] or [n, k] -> [degree + 1] or [degree + 1, k], the highest power first
    Kinks:   none where the degree + 1 columns of powers are independent
    Source:  `lstsq` with `vander`; the weights w multiply the residuals
    Example: vjp explain "np.polyfit(x, y, 1)" x=0,1,2,4 y=1,2,2,5 --seed 1,0
    """
    power = whole_number("deg", degree, least=0, most=100)
    if x.ndim != 1 or y.ndim not in (1, 2) or y.shape[:1] != x.shape or not x.size:
        raise fail(
            "shape-mismatch",
            f"polyfit takes x [n] and y [n] or [n, k], not shapes {shape_text(x.shape)} and "
            f"{shape_text(y.shape)}",
        )
    matrix, target = (
        tensors.vander(x, N=power + 1),
        y if y.ndim == 2 else shape.expand_dims(y, axis=-1),
    )
    if w is not None:
        weights = np.asarray(w, dtype=np.float64)
        if weights.shape != x.shape:
            raise fail(
                "shape-mismatch",
                f"`w` of polyfit holds a weight for each point, {x.size}, not {weights.size}",
            )
        matrix, target = matrix * weights[:, None], target * weights[:, None]
    found = solving.lstsq(matrix, target)
    solution = found[0] if isinstance(found, tuple) else found
    return solution if y.ndim == 2 else shape.squeeze(solution, axis=-1)
