"""Orthogonal polynomials: Chebyshev, Legendre, Hermite, Laguerre, Gegenbauer, Jacobi.

All are evaluated by the recurrence of three terms in the degree. Where a polynomial swings (T
between -1 and 1) the error is about the degree times 1e-16 of the height of the swing. The
derivative of each is a polynomial of its own or of a neighbouring family.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.ops.declaration import (
    Refusal,
    broadcast_shapes,
    fail,
    operation,
    outcome,
    sample,
)
from vjpcli.ops.keywords import plain_number, position_array
from vjpcli.ops.numbers import comparison
from vjpcli.ops.shapes import shape as shapes

MOST_DEGREE = 1000
ON_THE_LINE = (
    sample((2, 3), degree=3),
    sample((), degree=0),
    sample((0,), degree=2),
    sample([-0.9, 0.0, 1.0, 1.4], degree=7),
    sample([0.3], degree=1),
    sample([0.3, -0.8], degree=[[2], [0], [5]]),
)
DEGREE_REFUSALS = (
    Refusal(sample((2,), n=-1), "keyword-value"),
    Refusal(sample((2,), n=0.5), "index-not-whole"),
    Refusal(sample((2,), n=2000), "keyword-value"),
    Refusal(sample((2,), n=(1, 2, 3)), "shape-mismatch"),
)

Recurrence = Callable[..., tuple[Any, Any]]
"""(k, x, **parameters) -> the factors of P[k] = factor P[k-1] - other P[k-2]."""


def _by_recurrence(recurrence: Recurrence, leads: int = 1) -> Callable[..., Any]:
    """The polynomial of a degree; that of degree -1 is 0."""

    def forward(x: Any, *, degree: Any, **parameters: Any) -> Any:
        given = np.asarray(x)
        z = given.astype(np.result_type(given, np.float64))
        before, now = np.zeros_like(z), np.full_like(z, 0 if degree < 0 else 1)
        with np.errstate(all="ignore"):
            for k in range(1, degree + 1):
                factor, other = recurrence(k, z, **parameters)
                before, now = now, factor * now - other * before
            if degree > 0:  # far out only the leading term counts, and the others are as infinite
                now = np.where(np.isinf(z), (leads * z) ** degree, now)
        return now.astype(given.dtype, copy=False)

    return forward


def _of_degree(name: str) -> Callable[..., Any]:
    """SymPy's polynomial of that name."""

    def symbolic(s: Any, x: Any, *, degree: Any, **parameters: Any) -> Any:
        if degree < 0:
            return s.Integer(0)
        return getattr(s, name)(int(degree), *map(s.nsimplify, parameters.values()), x)

    return symbolic


@operation(
    _by_recurrence(lambda k, x: (x if k == 1 else 2 * x, 1)),
    pattern="elementwise",
    symbolic=_of_degree("chebyshevt"),
    samples=ON_THE_LINE[:2],
    analytic=True,
)
def chebyshev(x, *, degree):
    """Chebyshev polynomial of the first kind.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 18.9.21: the derivative is n U[n-1]
    Example: vjp explain "chebyshev(x, degree=3)" x=0.5
    """
    return outcome(x.shape, degree=degree)


@chebyshev.vjp
def _(g, y, x, *, degree):
    return g * (degree * gegenbauer(x, degree=degree - 1, parameter=1))


def _gegenbauer_recurrence(k, x, parameter):
    return 2 * x * ((k + parameter - 1) / k), (k + 2 * parameter - 2) / k


@operation(
    _by_recurrence(_gegenbauer_recurrence),
    pattern="elementwise",
    symbolic=_of_degree("gegenbauer"),
    samples=(sample((2, 3), degree=3, parameter=1), sample((), degree=2, parameter=0.5)),
    analytic=True,
)
def gegenbauer(x, *, degree, parameter):
    """Gegenbauer polynomial: with 1 Chebyshev's of the second kind, with 1/2 Legendre's.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 18.9.19: the derivative is 2 lambda C(lambda+1)[n-1]
    Example: vjp explain "gegenbauer(x, degree=3, parameter=0.5)" x=0.5
    """
    return outcome(x.shape, degree=degree, parameter=parameter)


@gegenbauer.vjp
def _(g, y, x, *, degree, parameter):
    return g * (2 * parameter * gegenbauer(x, degree=degree - 1, parameter=parameter + 1))


def _jacobi_recurrence(k, x, alpha, beta):
    if k == 1:
        return (alpha - beta) / 2 + (alpha + beta + 2) / 2 * x, 0
    total = 2 * k + alpha + beta
    below = 2 * k * (k + alpha + beta) * (total - 2)
    factor = (total - 1) * (total * (total - 2) * x + alpha**2 - beta**2) / below
    return factor, 2 * (k + alpha - 1) * (k + beta - 1) * total / below


@operation(
    _by_recurrence(_jacobi_recurrence),
    pattern="elementwise",
    symbolic=_of_degree("jacobi"),
    samples=(sample((2, 3), degree=3, alpha=1, beta=0.5), sample((), degree=2, alpha=0, beta=0)),
    analytic=True,
)
def jacobi(x, *, degree, alpha, beta):
    """Jacobi polynomial.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 18.9.15: the derivative is (n+alpha+beta+1)/2 P(alpha+1, beta+1)[n-1]
    Example: vjp explain "jacobi(x, degree=3, alpha=1, beta=0.5)" x=0.5
    """
    return outcome(x.shape, degree=degree, alpha=alpha, beta=beta)


@jacobi.vjp
def _(g, y, x, *, degree, alpha, beta):
    below = jacobi(x, degree=degree - 1, alpha=alpha + 1, beta=beta + 1)
    return g * ((degree + alpha + beta + 1) / 2 * below)


@operation(
    _by_recurrence(lambda k, x: (2 * x, 2 * (k - 1))),
    pattern="elementwise",
    symbolic=_of_degree("hermite"),
    samples=ON_THE_LINE[:2],
    analytic=True,
)
def hermite(x, *, degree):
    """Hermite polynomial of the physicists, orthogonal with exp(-x**2).

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 18.9.25: the derivative is 2 n H[n-1]
    Example: vjp explain "hermite(x, degree=3)" x=0.5
    """
    return outcome(x.shape, degree=degree)


@hermite.vjp
def _(g, y, x, *, degree):
    return g * (2 * degree * hermite(x, degree=degree - 1))


@operation(
    _by_recurrence(lambda k, x: (x, k - 1)),
    pattern="elementwise",
    symbolic=_of_degree("hermite_prob"),
    samples=ON_THE_LINE[:2],
    analytic=True,
)
def hermite_normal(x, *, degree):
    """Hermite polynomial of the statisticians, orthogonal with exp(-x**2/2).

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 18.9.27: the derivative is n He[n-1]
    Example: vjp explain "hermite_normal(x, degree=3)" x=0.5
    """
    return outcome(x.shape, degree=degree)


@hermite_normal.vjp
def _(g, y, x, *, degree):
    return g * (degree * hermite_normal(x, degree=degree - 1))


@operation(
    _by_recurrence(
        lambda k, x, parameter: ((2 * k - 1 + parameter - x) / k, (k - 1 + parameter) / k), leads=-1
    ),
    pattern="elementwise",
    symbolic=_of_degree("assoc_laguerre"),
    samples=(sample((2, 3), degree=3, parameter=0), sample((), degree=2, parameter=0.5)),
    analytic=True,
)
def laguerre(x, *, degree, parameter):
    """Laguerre polynomial, orthogonal with x**parameter exp(-x).

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  DLMF 18.9.23: the derivative is -L(parameter+1)[n-1]
    Example: vjp explain "laguerre(x, degree=3, parameter=0)" x=0.5
    """
    return outcome(x.shape, degree=degree, parameter=parameter)


@laguerre.vjp
def _(g, y, x, *, degree, parameter):
    return g * -laguerre(x, degree=degree - 1, parameter=parameter + 1)


def _of_degrees(polynomial: Callable[[Any, int], Any], x: Any, degree: Any) -> Any:
    """The polynomial of a whole degree, or of each entry's in an array of them.

    Errors: index-not-whole, keyword-value, shape-mismatch.
    """
    whole = position_array("n", degree)
    if whole.size and not 0 <= whole.min() <= whole.max() <= MOST_DEGREE:
        raise fail("keyword-value", f"the degree is a whole number from 0 to {MOST_DEGREE}")
    if whole.ndim == 0:
        return polynomial(x, int(whole))
    common = broadcast_shapes("polynomial", x, as_node(np.zeros(whole.shape)))
    x = shapes.broadcast_to(x, shape=common)
    y = as_node(np.zeros(common))
    for one in np.unique(whole).tolist():
        chosen = np.broadcast_to(whole == one, common)
        y = comparison.where(as_node(chosen), polynomial(x, one), y)
    return y


def _third_kind(x: Any, degree: Any) -> Any:
    above = gegenbauer(x, degree=degree, parameter=1)
    return above - gegenbauer(x, degree=degree - 1, parameter=1)


def _fourth_kind(x: Any, degree: Any) -> Any:
    above = gegenbauer(x, degree=degree, parameter=1)
    return above + gegenbauer(x, degree=degree - 1, parameter=1)


DOCUMENTATION = """{title}, of degree n, at each entry.

Shapes:  {arguments}; n a whole number or an array of them, up to 1000
Kinks:   none
Source:  {source} (PyTorch gives no gradient)
Example: vjp explain "{name}({example})" x=-0.5,0,0.8 --seed ones
"""


def _declare(names: tuple[str, str | None], title: str, source: str, polynomial: Any) -> None:
    """Declares a polynomial in one variable as torch.special (x, n) and SciPy (n, x) have it."""
    for name, order in zip(names, (("x", "n"), ("n", "x")), strict=True):
        if name is None:
            continue

        def body(x, *, n):
            return _of_degrees(polynomial, x, n)

        x_first = order[0] == "x"
        body.__doc__ = DOCUMENTATION.format(
            title=title,
            arguments="x [...], n -> [...] (broadcast)" if x_first else "n, x [...] -> [...]",
            source=source,
            name=name,
            example="x, 3" if x_first else "3, x",
        )
        operation(
            name=name,
            pattern="elementwise",
            argument_order=order,
            decided=("n",),
            samples=tuple(sample(*one.operands, n=one.static["degree"]) for one in ON_THE_LINE),
            refuses=DEGREE_REFUSALS,
            analytic=True,
            aliases=("legendre_p",) if name == "eval_legendre" else (),
        )(body)
        # A page shows the formula, not the arguments that are handed on.
        body.__wrapped__ = polynomial  # type: ignore[attr-defined]  # functions take it


def _shifted(polynomial: Any) -> Any:
    return lambda x, degree: polynomial(2 * x - 1, degree)


def _second_kind(x: Any, degree: Any) -> Any:
    return gegenbauer(x, degree=degree, parameter=1)


def _legendre(x: Any, degree: Any) -> Any:
    return gegenbauer(x, degree=degree, parameter=0.5)


def _first_kind(x: Any, degree: Any) -> Any:
    return chebyshev(x, degree=degree)


CHEBYSHEV = (
    ("t", "first", "DLMF 18.9.21: the derivative is n U[n-1]", _first_kind),
    (
        "u",
        "second",
        "the Gegenbauer polynomial with 1: the derivative is 2 C(2)[n-1]",
        _second_kind,
    ),
    ("v", "third", "U[n] - U[n-1]", _third_kind),
    ("w", "fourth", "U[n] + U[n-1]", _fourth_kind),
)
for _letter, _kind, _source, _polynomial in CHEBYSHEV:
    _in_scipy = _letter in "tu"
    _declare(
        (f"chebyshev_polynomial_{_letter}", f"eval_cheby{_letter}" if _in_scipy else None),
        f"Chebyshev polynomial of the {_kind} kind",
        _source,
        _polynomial,
    )
    _declare(
        (
            f"shifted_chebyshev_polynomial_{_letter}",
            f"eval_sh_cheby{_letter}" if _in_scipy else None,
        ),
        f"Chebyshev polynomial of the {_kind} kind, moved to the interval from 0 to 1",
        f"the polynomial at 2x - 1; {_source}",
        _shifted(_polynomial),
    )
_declare(
    ("legendre_polynomial_p", "eval_legendre"),
    "Legendre polynomial",
    "the Gegenbauer polynomial with 1/2: the derivative is C(3/2)[n-1]",
    _legendre,
)
_declare(
    ("hermite_polynomial_h", "eval_hermite"),
    "Hermite polynomial of the physicists, orthogonal with exp(-x**2)",
    "DLMF 18.9.25: the derivative is 2 n H[n-1]",
    lambda x, degree: hermite(x, degree=degree),
)
_declare(
    ("hermite_polynomial_he", "eval_hermitenorm"),
    "Hermite polynomial of the statisticians, orthogonal with exp(-x**2/2)",
    "DLMF 18.9.27: the derivative is n He[n-1]",
    lambda x, degree: hermite_normal(x, degree=degree),
)
_declare(
    ("laguerre_polynomial_l", "eval_laguerre"),
    "Laguerre polynomial, orthogonal with exp(-x)",
    "DLMF 18.9.23: the derivative is -L(1)[n-1]",
    lambda x, degree: laguerre(x, degree=degree, parameter=0),
)


PARAMETER_SAMPLES = (sample((2, 3), n=3, alpha=0.5), sample((), n=0, alpha=1))


@operation(
    pattern="elementwise",
    argument_order=("n", "alpha", "x"),
    decided=("n",),
    samples=PARAMETER_SAMPLES,
    refuses=(Refusal(sample((2,), n=-1, alpha=1), "keyword-value"),),
    analytic=True,
)
def eval_gegenbauer(x, *, n, alpha):
    """Gegenbauer polynomial of degree n with the parameter alpha, at each entry.

    Shapes:  n, alpha, x [...] -> [...]; alpha a plain number
    Kinks:   none
    Source:  DLMF 18.9.19: the derivative is 2 alpha C(alpha+1)[n-1]
    Example: vjp explain "eval_gegenbauer(3, 0.5, x)" x=-0.5,0,0.8 --seed ones
    """
    parameter = plain_number("alpha", alpha)
    return _of_degrees(lambda z, k: gegenbauer(z, degree=k, parameter=parameter), x, n)


@operation(
    pattern="elementwise",
    argument_order=("n", "alpha", "x"),
    decided=("n",),
    samples=PARAMETER_SAMPLES,
    refuses=(Refusal(sample((2,), n=2, alpha="a"), "keyword-value"),),
    analytic=True,
)
def eval_genlaguerre(x, *, n, alpha):
    """Laguerre polynomial of degree n, orthogonal with x**alpha exp(-x), at each entry.

    Shapes:  n, alpha, x [...] -> [...]; alpha a plain number
    Kinks:   none
    Source:  DLMF 18.9.23: the derivative is -L(alpha+1)[n-1]
    Example: vjp explain "eval_genlaguerre(3, 0.5, x)" x=0.5,1,4 --seed ones
    """
    parameter = plain_number("alpha", alpha)
    return _of_degrees(lambda z, k: laguerre(z, degree=k, parameter=parameter), x, n)


@operation(
    pattern="elementwise",
    argument_order=("n", "alpha", "beta", "x"),
    decided=("n",),
    samples=(sample((2, 3), n=3, alpha=0.5, beta=1), sample((), n=0, alpha=1, beta=2)),
    refuses=(Refusal(sample((2,), n=-1, alpha=1, beta=1), "keyword-value"),),
    analytic=True,
)
def eval_jacobi(x, *, n, alpha, beta):
    """Jacobi polynomial of degree n with the parameters alpha and beta, at each entry.

    Shapes:  n, alpha, beta, x [...] -> [...]; alpha and beta plain numbers above -1
    Kinks:   none
    Source:  DLMF 18.9.15: the derivative is (n+alpha+beta+1)/2 P(alpha+1, beta+1)[n-1]
    Example: vjp explain "eval_jacobi(3, 0.5, 1, x)" x=-0.5,0,0.8 --seed ones
    """
    first, second = plain_number("alpha", alpha), plain_number("beta", beta)
    return _of_degrees(lambda z, k: jacobi(z, degree=k, alpha=first, beta=second), x, n)
