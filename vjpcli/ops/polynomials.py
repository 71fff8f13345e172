"""Polynomials given by their coefficients, the highest power first, as NumPy has them."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import OPERATIONS, as_node, make_constant
from vjpcli.ops import eigen, indexing, joining, shape, solving, structured
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text, trailing_axis
from vjpcli.ops.keywords import plain_number, true_or_false, whole_number

MOST_COEFFICIENTS = 1_000


def _coefficients(name, p):
    """p as a vector of at least one coefficient.

    Errors: rank-too-high, shape-mismatch, too-large.
    """
    if p.ndim > 1:
        raise fail("rank-too-high", f"{name} takes coefficients [n], not {shape_text(p.shape)}")
    if p.size == 0:
        raise fail("shape-mismatch", f"{name} needs at least one coefficient")
    if p.size > MOST_COEFFICIENTS:
        raise fail("too-large", f"{p.size} coefficients; the limit is {MOST_COEFFICIENTS}")
    return shape.atleast_1d(p)


def _of_length(p, count):
    """p with zeros in front, count coefficients in all."""
    if p.size == count:
        return p
    return joining.concatenate(as_node(np.zeros(count - p.size)), p, axis=0)


def _both(name, a, b):
    a, b = _coefficients(name, a), _coefficients(name, b)
    count = max(a.size, b.size)
    return _of_length(a, count), _of_length(b, count)


PAIR_KEYWORDS = {"a1": "a", "a2": "b"}
PAIR_SAMPLES = (sample((3,), (2,)), sample((1,), (3,)), sample((), (2,)))
PAIR_REFUSED = (
    Refusal(sample((2, 2), (2,)), "rank-too-high"),
    Refusal(sample((0,), (2,)), "shape-mismatch"),
)


@operation(keyword_aliases=PAIR_KEYWORDS, samples=PAIR_SAMPLES, refuses=PAIR_REFUSED, analytic=True)
def polyadd(a, b):
    """The coefficients of the sum of two polynomials.

    Shapes:  a [n], b [m] -> [max(n, m)]
    Kinks:   none
    Source:  np.polyadd
    Example: vjp explain "np.polyadd(p, q)" p=1,2,3 q=10,20 --seed ones
    """
    a, b = _both("polyadd", a, b)
    return a + b


@operation(keyword_aliases=PAIR_KEYWORDS, samples=PAIR_SAMPLES, refuses=PAIR_REFUSED, analytic=True)
def polysub(a, b):
    """The coefficients of the difference of two polynomials.

    Shapes:  a [n], b [m] -> [max(n, m)]
    Kinks:   none
    Source:  np.polysub
    Example: vjp explain "np.polysub(p, q)" p=1,2,3 q=10,20 --seed ones
    """
    a, b = _both("polysub", a, b)
    return a - b


@operation(keyword_aliases=PAIR_KEYWORDS, samples=PAIR_SAMPLES, refuses=PAIR_REFUSED, analytic=True)
def polymul(a, b):
    """The coefficients of the product of two polynomials.

    Shapes:  a [n], b [m] -> [n + m - 1]
    Kinks:   none
    Source:  `convolve`
    Example: vjp explain "np.polymul(p, q)" p=1,2,3 q=1,10 --seed ones
    """
    a, b = _coefficients("polymul", a), _coefficients("polymul", b)
    return OPERATIONS["convolve"](a, b)


@operation(
    several=("quotient", "remainder"),
    samples=(sample((4,), [2.0, -1.0]), sample((3,), [0.5]), sample((2,), [1.0, 2.0, 3.0])),
    refuses=PAIR_REFUSED,
    keyword_aliases={"u": "a", "v": "b"},
)
def polydiv(a, b):
    """Quotient and remainder of two polynomials.

    Shapes:  a [n], b [m] -> quotient [n - m + 1], remainder [m - 1], or [1] of a 0
    Kinks:   a pole where the first coefficient of b is 0
    Source:  np.polydiv; long division, one coefficient after the other
    Example: vjp explain "np.polydiv(p, q)[0]" p=1,5,6 q=1,2 --seed ones
    """
    a, b = _coefficients("polydiv", a), _coefficients("polydiv", b)
    if a.size < b.size:
        return as_node(np.zeros(1)), a
    rest, found = a, []
    for step in range(a.size - b.size + 1):
        factor = indexing.index(rest, index=(step,)) / indexing.index(b, index=(0,))
        found.append(factor)
        place = (slice(step, step + b.size),)
        rest = rest - indexing.add_into(b * factor, index=place, shape=(a.size,))
    behind = indexing.index(rest, index=(slice(a.size - b.size + 1, None),))
    if b.size == 1:
        behind = as_node(np.zeros(1))
    return joining.stack(*found, axis=0), behind


@operation(
    samples=(sample((4,)), sample((4,), m=2), sample((2,), m=3), sample((3,), m=0)),
    refuses=(Refusal(sample((3,), m=-1), "keyword-value"),),
    analytic=True,
)
def polyder(p, *, m=1):
    """The coefficients of a polynomial's derivative, taken m times.

    Shapes:  p [n] -> [n - m], none where m is n or more
    Kinks:   none
    Source:  np.polyder
    Example: vjp explain "np.polyder(p)" p=1,2,3 --seed 1,10
    """
    p = _coefficients("polyder", p)
    for _ in range(min(whole_number("m", m, least=0), p.size)):
        powers = np.arange(p.size - 1, 0, -1.0)
        p = indexing.index(p, index=(slice(None, -1),)) * as_node(powers)
    return p


@operation(
    samples=(sample((3,)), sample((2,), m=2), sample((2,), (), m=2), sample((2,), (2,), m=2)),
    refuses=(
        Refusal(sample((3,), m=-1), "keyword-value"),
        Refusal(sample((3,), (3,), m=2), "shape-mismatch"),
    ),
    argument_order=("p", "m", "k"),
    analytic=True,
)
def polyint(p, k=None, *, m=1):
    """The coefficients of a polynomial's integral, taken m times with the constants k.

    Shapes:  p [n], k [m] or a number -> [n + m]
    Kinks:   none
    Source:  np.polyint
    Example: vjp explain "np.polyint(p)" p=3,2,1 --seed ones
    """
    p = _coefficients("polyint", p)
    times = whole_number("m", m, least=0, most=MOST_COEFFICIENTS)
    constants = as_node(np.zeros(times)) if k is None else shape.atleast_1d(k)
    if constants.size not in (1, times):
        raise fail("shape-mismatch", f"polyint needs {times} constants, not {constants.size}")
    for step in range(times):
        place = step if constants.size > 1 else 0
        last = shape.reshape(indexing.index(constants, index=(place,)), shape=(1,))
        p = joining.concatenate(p / as_node(np.arange(p.size, 0, -1.0)), last, axis=0)
    return p


@operation(
    present={"roots": "now"},
    keyword_aliases={"seq_of_zeros": "roots"},
    samples=(
        sample((3,), now=np.ones(3)),
        sample([[2.0, 1.0], [0.5, -1.0]], now=np.array([[2.0, 1.0], [0.5, -1.0]])),
    ),
    refuses=(
        Refusal(sample((2, 3), now=np.ones((2, 3))), "square-needed"),
        Refusal(sample((1001,), now=np.ones(1001)), "too-large"),
    ),
)
def poly(roots, *, now=None):
    """The coefficients of the polynomial with these zeros, the first coefficient 1.

    Shapes:  roots [n] -> [n + 1]; of a square matrix its characteristic polynomial
    Kinks:   none
    Source:  np.poly; the product of the factors (x - root)
    Example: vjp explain "np.poly(r)" r=1,2,3 --seed ones
    """
    if roots.ndim == 2:
        roots = eigen.eigvals(roots, now=now)
    if roots.ndim > 1:
        raise fail("rank-too-high", f"poly takes zeros [n], not shape {shape_text(roots.shape)}")
    if roots.size > MOST_COEFFICIENTS:
        raise fail("too-large", f"{roots.size} zeros; the limit is {MOST_COEFFICIENTS}")
    roots = shape.atleast_1d(roots)
    found = as_node(np.ones(1))
    for place in range(roots.size):
        nothing = as_node(np.zeros(1))
        root = indexing.index(roots, index=(place,))
        higher = joining.concatenate(found, nothing, axis=0)
        found = higher - joining.concatenate(nothing, found * root, axis=0)
    return found


@operation(
    present={"p": "now"},
    samples=(sample([1.0, -6.0, 11.0, -6.0], now=np.array([1.0, -6.0, 11.0, -6.0])),),
    refuses=(
        Refusal(sample([1.0, 0.0, 1.0], now=np.array([1.0, 0.0, 1.0])), "complex-result"),
        Refusal(sample((2, 2), now=np.ones((2, 2))), "rank-too-high"),
    ),
)
def roots(p, *, now=None):
    """The zeros of a polynomial, where all are real.

    Zeros in front of p are left out; each one behind is a zero at 0.

    Shapes:  p [n], the highest power first -> [n - 1]
    Kinks:   where two zeros meet; complex ones are refused
    Source:  np.roots: the eigenvalues of the companion matrix
    Example: vjp explain "np.roots(p)" p=1,-3,2 --seed 1,0
    """
    p = _coefficients("roots", p)
    here = np.ones(p.size) if now is None else np.atleast_1d(now).astype(np.float64)
    nonzero = np.flatnonzero(here)
    if nonzero.size == 0:
        return as_node(np.zeros(0))
    first, last = int(nonzero[0]), int(nonzero[-1])
    at_zero = p.size - 1 - last
    found = as_node(np.zeros(0))
    if last > first:
        kept = indexing.index(p, index=(slice(first, last + 1),))
        matrix = structured.companion(kept)
        values = here[first : last + 1]
        companion = np.eye(last - first, k=-1)
        companion[0] = -values[1:] / values[0]
        found = eigen.eigvals(matrix, now=companion)
    return joining.concatenate(found, as_node(np.zeros(at_zero)), axis=0) if at_zero else found


@operation(
    argument_order=("x", "y", "deg", "rcond", "full", "w"),
    samples=(
        sample([0.0, 1.0, 2.5, 4.0], (4,), deg=1),
        sample([0.0, 1.0, 2.5, 4.0], (4,), deg=2),
        sample([0.0, 1.0, 2.5, 4.0], (4,), [1.0, 2.0, 0.5, 1.0], deg=1),
        sample([0.0, 1.0, 2.5], (3, 2), deg=1),
    ),
    refuses=(
        Refusal(sample((3,), (2,), deg=1), "shape-mismatch"),
        Refusal(sample((3,), (3,), deg=-1), "keyword-value"),
        Refusal(sample((3,), (3,), deg=3), "shape-mismatch"),
        Refusal(sample((3,), (3,), deg=1, full=True), "keyword-value"),
    ),
)
def polyfit(x, y, w=None, *, deg, rcond=None, full=False, cov=False):
    """The coefficients of the polynomial of this degree that fits points best (least squares).

    Shapes:  x [n], y [n] or [n, k], w [n] -> [deg + 1] or [deg + 1, k], the highest power first
    Kinks:   a pole where fewer than deg + 1 places differ
    Source:  np.polyfit; the least-squares solution of vander(x) @ p = y, rows weighed by w
    Example: vjp explain "np.polyfit(x, y, 1)" x=0,1,2 y=1,2,4 --seed 1,0
    """
    degree = whole_number("deg", deg, least=0, most=MOST_COEFFICIENTS)
    for name, switch in (("full", full), ("cov", cov)):
        if true_or_false(name, switch):
            raise fail("keyword-value", f"`{name}` of polyfit is False here")
    if x.ndim != 1 or y.ndim not in (1, 2) or y.shape[0] != x.size:
        raise fail(
            "shape-mismatch",
            f"polyfit cannot combine shapes {shape_text(x.shape)} and {shape_text(y.shape)}",
        )
    if x.size <= degree:
        raise fail(
            "shape-mismatch", f"a polynomial of degree {degree} needs {degree + 1} points or more"
        )
    powers = OPERATIONS["vander"](x, N=degree + 1)
    if w is not None:
        if w.shape != x.shape:
            raise fail("shape-mismatch", f"polyfit needs {x.size} weights, not {w.size}")
        powers = powers * shape.expand_dims(w, axis=-1)
        y = y * (w if y.ndim == 1 else shape.expand_dims(w, axis=-1))
    return solving.lstsq(powers, y, rcond=rcond)[0]


@operation(
    present={"x": "now"},
    samples=(
        sample([0.0, 1.0, 6.0, 13.0], now=np.array([0.0, 1.0, 6.0, 13.0])),
        sample([[0.0, 5.0], [0.2, 0.1]], axis=0, now=np.array([[0.0, 5.0], [0.2, 0.1]])),
        sample([1.0, 3.5, 0.2], period=2, now=np.array([1.0, 3.5, 0.2])),
    ),
    keyword_aliases={"p": "x"},
    refuses=(
        Refusal(sample((3,), period=0, now=np.ones(3)), "keyword-value"),
        Refusal(sample((), now=np.ones(())), "axis-out-of-range"),
    ),
)
def unwrap(x, *, discont=None, axis=-1, period=2 * np.pi, now=None):
    """Angles without jumps: whole turns are added where neighbours lie more than half a turn apart.

    Shapes:  x [... n ...] -> [... n ...]
    Kinks:   where neighbours lie half a turn apart
    Source:  np.unwrap; x plus constants, so each entry receives its own adjoint
    Example: vjp explain "np.unwrap(x)" x=0,1,6 --seed 1,10,100
    """
    axis = trailing_axis(x, axis)
    turn = plain_number("period", period)
    if turn <= 0:
        raise fail("keyword-value", "the period of unwrap is a number above 0")
    limit = None if discont is None else plain_number("discont", discont)
    with np.errstate(all="ignore"):
        unwrapped = np.unwrap(now, discont=limit, axis=axis, period=turn)
        turns = np.nan_to_num(np.round((unwrapped - now) / turn)) * turn
    return x + make_constant(turns)
