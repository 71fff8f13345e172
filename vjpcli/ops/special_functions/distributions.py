"""Probability distributions as scipy.stats and jax.scipy.stats have them: norm.logpdf and so on.

A distribution is a few formulas of the standard variable z = (x - loc)/scale; its functions follow
from them, and every number that they take has a gradient. Outside the support the density is 0
and its slope 0; the logarithm is -inf there.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from vjpcli.graph.facts import positive
from vjpcli.ops.declaration import operation, sample
from vjpcli.ops.neural import activation
from vjpcli.ops.numbers import (
    arithmetic,
    comparison,
    elementary,
    information,
    logarithm,
    rounding,
    trigonometry,
)
from vjpcli.ops.special_functions import gaussian, incomplete, special
from vjpcli.record import record

Formula = Callable[..., Any]

TITLES = {
    "pdf": "Density of the {title} distribution at each entry",
    "logpdf": "Logarithm of the density of the {title} distribution at each entry",
    "pmf": "Probability of each entry under the {title} distribution",
    "logpmf": "Logarithm of the probability of each entry under the {title} distribution",
    "cdf": "Probability that a number of the {title} distribution is at most the entry",
    "logcdf": "Logarithm of the probability that a {title} number is at most the entry",
    "sf": "Probability that a number of the {title} distribution is above the entry",
    "logsf": "Logarithm of the probability that a {title} number is above the entry",
    "ppf": "Number below which the {title} distribution lies with the entry's probability",
    "isf": "Number above which the {title} distribution lies with the entry's probability",
}
DOCUMENTATION = """{title}.

Shapes:  {first} [...]{others} -> [...] (broadcast)
Kinks:   {kinks}
Source:  {source}
Example: vjp explain "scipy.stats.{name}.{function}({arguments})" {values} --seed ones
"""


@record
class Distribution:
    """One distribution.

    Attributes:
        name: the word before the dot.
        title: in words.
        source: the formula of its density or probability, as text.
        points: numbers of its support, for samples and the example.
        shapes: its further parameters -> numbers for samples and the example.
        formulas: function -> (z, *shapes) -> node; the others follow.
        kinks: where its density has no derivative.
        is_discrete: whether it is of whole numbers; then it has no scale.
    """

    name: str
    title: str
    source: str
    points: tuple[float, ...]
    formulas: Mapping[str, Formula]
    shapes: Mapping[str, float] = field(default_factory=dict)
    kinks: str = "none"
    is_discrete: bool = False

    @property
    def first(self) -> str:
        """The name of the first operand of a density."""
        return "k" if self.is_discrete else "x"

    def functions(self) -> dict[str, Formula]:
        """Every function of z that the formulas lead to."""
        given = dict(self.formulas)
        density = "pmf" if self.is_discrete else "pdf"
        logarithm = given[f"log{density}"]
        found = {density: lambda *z: elementary.exp(logarithm(*z)), **given}
        if "cdf" in given:
            cdf = given["cdf"]
            found.setdefault("sf", lambda *z: 1 - cdf(*z))
            survival = found["sf"]
            found.setdefault("logcdf", lambda *z: elementary.log(cdf(*z)))
            found.setdefault("logsf", lambda *z: elementary.log(survival(*z)))
        return found


def _within(z: Any, low: float, high: float, formula: Formula, below: float, above: float) -> Any:
    """formula(z) between low and high, plain numbers outside; no nan comes from there."""
    safe = z
    if low > -math.inf:
        safe = comparison.where(z < low, low + 0.5, safe)
    if high < math.inf:
        safe = comparison.where(z > high, high - 0.5, safe)
    found = formula(safe)
    if low > -math.inf:
        found = comparison.where(z < low, below, found)
    return comparison.where(z > high, above, found) if high < math.inf else found


def density_from(
    low: float, formula: Formula, below: float = -math.inf, high: float = math.inf
) -> Formula:
    """A density (or its logarithm) with this support."""
    return lambda z, *shapes: _within(z, low, high, lambda s: formula(s, *shapes), below, below)


def density_above_0(formula: Formula) -> Formula:
    """The logarithm of a density whose formula breaks at 0 itself, where the density is 0."""

    def found(z: Any, *shapes: Any) -> Any:
        inside = z > 0
        return comparison.where(inside, formula(comparison.where(inside, z, 1), *shapes), -math.inf)

    return found


def cdf_from(low: float, formula: Formula, high: float = math.inf) -> Formula:
    """A probability of being at most z: 0 below the support, 1 above."""
    return lambda z, *shapes: _within(z, low, high, lambda s: formula(s, *shapes), 0, 1)


def sf_from(low: float, formula: Formula, high: float = math.inf) -> Formula:
    """A probability of being above z: 1 below the support, 0 above."""
    return lambda z, *shapes: _within(z, low, high, lambda s: formula(s, *shapes), 1, 0)


def at_whole(formula: Formula, low: float = 0, high: float = math.inf) -> Formula:
    """The logarithm of a probability, -inf away from whole numbers."""

    def found(k: Any, *shapes: Any) -> Any:
        inside = _within(k, low, high, lambda s: formula(s, *shapes), -math.inf, -math.inf)
        return comparison.where(comparison.equal(k, rounding.floor(k)), inside, -math.inf)

    return found


def half(x: Any) -> Any:
    """x/2."""
    return 0.5 * x


def _gamma_logpdf(z: Any, a: Any) -> Any:
    return logarithm.xlogy(a - 1, z) - z - special.lgamma(a)


def _beta_logpdf(z: Any, a: Any, b: Any) -> Any:
    logs = logarithm.xlogy(a - 1, z) + logarithm.xlog1py(b - 1, -z)
    return logs - special.betaln(a, b)


def _student_logpdf(z: Any, df: Any) -> Any:
    # B(1/2, df/2) in place of two gammas, whose logarithms cancel for a large df
    scale = special.betaln(0.5, half(df)) + 0.5 * elementary.log(df)
    return -scale - half(df + 1) * elementary.log1p(z * z / df)


def student_cdf(z: Any, df: Any) -> Any:
    """The probability that a number of Student's t is at most z."""
    tail = half(incomplete.betainc(half(df), 0.5, df / (df + z * z)))
    return comparison.where(z < 0, tail, 1 - tail)


def _laplace_cdf(z: Any) -> Any:
    tail = half(elementary.exp(-arithmetic.abs(z)))
    return comparison.where(z < 0, tail, 1 - tail)


def _binomial_logpmf(k: Any, n: Any, p: Any) -> Any:
    ways = -special.betaln(n - k + 1, k + 1) - elementary.log1p(n)
    return ways + logarithm.xlogy(k, p) + logarithm.xlog1py(n - k, -p)


def _binomial_support(k: Any, n: Any, p: Any) -> Any:
    inside = k <= n
    return comparison.where(
        inside, _binomial_logpmf(comparison.where(inside, k, n), n, p), -math.inf
    )


def count_cdf(tail: Formula) -> Formula:
    """A probability of being at most k, for counts from 0: `tail` of k rounded down."""
    return cdf_from(0, lambda k, *shapes: tail(rounding.floor(k), *shapes))


ROOT_TWO_PI = math.sqrt(2 * math.pi)

CONTINUOUS = (
    Distribution(
        "norm",
        "normal",
        "exp(-z**2/2)/sqrt(2 pi) with z = (x - loc)/scale, over scale",
        (-1.0, 0.0, 2.5),
        {
            "logpdf": lambda z: -0.5 * (z * z) - math.log(ROOT_TWO_PI),
            "cdf": special.ndtr,
            "logcdf": gaussian.log_ndtr,
            "sf": lambda z: special.ndtr(-z),
            "logsf": lambda z: gaussian.log_ndtr(-z),
            "ppf": gaussian.ndtri,
            "isf": lambda q: -gaussian.ndtri(q),
        },
    ),
    Distribution(
        "expon",
        "exponential",
        "exp(-z) for z = (x - loc)/scale >= 0, over scale",
        (0.2, 1.0, 2.5),
        {
            "logpdf": density_from(0, lambda z: -z),
            "cdf": cdf_from(0, lambda z: -elementary.expm1(-z)),
            "logcdf": density_from(0, information.log1mexp),
            "sf": sf_from(0, lambda z: elementary.exp(-z)),
            "logsf": density_from(0, lambda z: -z, below=0),
            "ppf": lambda q: -elementary.log1p(-q),
            "isf": lambda q: -elementary.log(q),
        },
        kinks="a jump at loc",
    ),
    Distribution(
        "laplace",
        "Laplace",
        "exp(-|z|)/2 with z = (x - loc)/scale, over scale",
        (-1.0, 0.5, 2.5),
        {
            "logpdf": lambda z: -arithmetic.abs(z) - math.log(2),
            "cdf": _laplace_cdf,
            "sf": lambda z: _laplace_cdf(-z),
        },
        kinks="at loc as abs",
    ),
    Distribution(
        "logistic",
        "logistic",
        "sigmoid(z) sigmoid(-z) with z = (x - loc)/scale, over scale",
        (-1.0, 0.0, 2.5),
        {
            "logpdf": lambda z: activation.logsigmoid(z) + activation.logsigmoid(-z),
            "cdf": activation.sigmoid,
            "logcdf": activation.logsigmoid,
            "sf": lambda z: activation.sigmoid(-z),
            "logsf": lambda z: activation.logsigmoid(-z),
            "ppf": logarithm.logit,
            "isf": lambda q: -logarithm.logit(q),
        },
    ),
    Distribution(
        "cauchy",
        "Cauchy",
        "1/(pi (1 + z**2)) with z = (x - loc)/scale, over scale",
        (-1.0, 0.0, 2.5),
        {
            "logpdf": lambda z: -elementary.log1p(z * z) - math.log(math.pi),
            "cdf": lambda z: trigonometry.arctan2(1, -z) * (1 / math.pi),
            "sf": lambda z: trigonometry.arctan2(1, z) * (1 / math.pi),
            "ppf": lambda q: trigonometry.tan(math.pi * (q - 0.5)),
            "isf": lambda q: -trigonometry.tan(math.pi * (q - 0.5)),
        },
    ),
    Distribution(
        "uniform",
        "uniform",
        "1/scale for x between loc and loc + scale",
        (0.2, 0.5, 0.9),
        {
            "logpdf": density_from(0, lambda z: 0 * z, high=1),
            "cdf": lambda z: comparison.clip(z, 0, 1),
            "sf": lambda z: comparison.clip(1 - z, 0, 1),
            "ppf": lambda q: q,
        },
        kinks="jumps at loc and loc + scale",
    ),
    Distribution(
        "gamma",
        "gamma",
        "z**(a-1) exp(-z)/Gamma(a) for z = (x - loc)/scale >= 0, over scale",
        (0.3, 1.0, 4.0),
        {
            "pdf": lambda z, a: incomplete.gamma_density(a, z),
            "logpdf": density_from(0, _gamma_logpdf),
            "cdf": cdf_from(0, lambda z, a: incomplete.gammainc(a, z)),
            "sf": sf_from(0, lambda z, a: incomplete.gammaincc(a, z)),
        },
        shapes={"a": 2.3},
        kinks="at loc, for a up to 2",
    ),
    Distribution(
        "beta",
        "beta",
        "z**(a-1) (1-z)**(b-1)/B(a, b) for z = (x - loc)/scale from 0 to 1, over scale",
        (0.2, 0.5, 0.9),
        {
            "pdf": lambda z, a, b: incomplete.beta_density(a, b, z),
            "logpdf": density_from(0, _beta_logpdf, high=1),
            "cdf": cdf_from(0, lambda z, a, b: incomplete.betainc(a, b, z), high=1),
            "sf": sf_from(0, lambda z, a, b: incomplete.betaincc(a, b, z), high=1),
        },
        shapes={"a": 2.3, "b": 0.8},
        kinks="at the ends, for a or b up to 2",
    ),
    Distribution(
        "chi2",
        "chi squared",
        "the gamma distribution with a = df/2 and twice the scale",
        (0.3, 1.0, 4.0),
        {
            "pdf": lambda z, df: 0.5 * incomplete.gamma_density(half(df), half(z)),
            "logpdf": density_from(0, lambda z, df: _gamma_logpdf(half(z), half(df)) - math.log(2)),
            "cdf": cdf_from(0, lambda z, df: incomplete.gammainc(half(df), half(z))),
            "sf": sf_from(0, lambda z, df: incomplete.gammaincc(half(df), half(z))),
        },
        shapes={"df": 3.0},
        kinks="at loc, for df up to 4",
    ),
    Distribution(
        "t",
        "Student's t",
        "(1 + z**2/df)**(-(df+1)/2)/(sqrt(df) B(1/2, df/2)) with z = (x - loc)/scale, over scale",
        (-1.0, 0.4, 2.5),
        {
            "logpdf": _student_logpdf,
            "cdf": student_cdf,
            "sf": lambda z, df: student_cdf(-z, df),
        },
        shapes={"df": 3.0},
    ),
    Distribution(
        "lognorm",
        "log normal",
        "exp(-log(z)**2/(2 s**2))/(s z sqrt(2 pi)) for z = (x - loc)/scale > 0, over scale",
        (0.2, 1.0, 2.5),
        {
            "logpdf": density_above_0(
                lambda z, s: (
                    -0.5 * (elementary.log(z) / s) ** 2
                    - elementary.log(s * z)
                    - math.log(ROOT_TWO_PI)
                ),
            ),
            "cdf": cdf_from(0, lambda z, s: special.ndtr(elementary.log(z) / s)),
            "sf": sf_from(0, lambda z, s: special.ndtr(-elementary.log(z) / s)),
            "ppf": lambda q, s: elementary.exp(s * gaussian.ndtri(q)),
        },
        shapes={"s": 0.8},
    ),
    Distribution(
        "pareto",
        "Pareto",
        "b/z**(b+1) for z = (x - loc)/scale >= 1, over scale",
        (1.2, 2.0, 3.5),
        {
            "logpdf": density_from(1, lambda z, b: elementary.log(b) - (b + 1) * elementary.log(z)),
            "cdf": cdf_from(1, lambda z, b: -elementary.expm1(-b * elementary.log(z))),
            "sf": sf_from(1, lambda z, b: elementary.exp(-b * elementary.log(z))),
            "ppf": lambda q, b: elementary.exp(-elementary.log1p(-q) / b),
            "isf": lambda q, b: elementary.exp(-elementary.log(q) / b),
        },
        shapes={"b": 2.3},
        kinks="a jump at z = 1",
    ),
    Distribution(
        "gumbel_r",
        "Gumbel",
        "exp(-z - exp(-z)) with z = (x - loc)/scale, over scale",
        (-1.0, 0.0, 2.5),
        {
            "logpdf": lambda z: -z - elementary.exp(-z),
            "cdf": lambda z: elementary.exp(-elementary.exp(-z)),
            "logcdf": lambda z: -elementary.exp(-z),
            "sf": lambda z: -elementary.expm1(-elementary.exp(-z)),
            "ppf": lambda q: -elementary.log(-elementary.log(q)),
        },
    ),
    Distribution(
        "weibull_min",
        "Weibull",
        "c z**(c-1) exp(-z**c) for z = (x - loc)/scale >= 0, over scale",
        (0.2, 1.0, 1.8),
        {
            "logpdf": density_from(
                0, lambda z, c: elementary.log(c) + logarithm.xlogy(c - 1, z) - z**c
            ),
            "cdf": cdf_from(0, lambda z, c: -elementary.expm1(-(z**c))),
            "sf": sf_from(0, lambda z, c: elementary.exp(-(z**c))),
            "logsf": density_from(0, lambda z, c: -(z**c), below=0),
            "ppf": lambda q, c: (-elementary.log1p(-q)) ** (1 / c),
        },
        shapes={"c": 1.7},
        kinks="at loc, for c up to 2",
    ),
)
DISCRETE = (
    Distribution(
        "poisson",
        "Poisson",
        "mu**k exp(-mu)/k! for whole k >= 0",
        (0.0, 2.0, 5.0),
        {
            "logpmf": at_whole(lambda k, mu: logarithm.xlogy(k, mu) - special.lgamma(k + 1) - mu),
            "cdf": count_cdf(lambda k, mu: incomplete.gammaincc(k + 1, mu)),
            "sf": sf_from(0, lambda k, mu: incomplete.gammainc(rounding.floor(k) + 1, mu)),
        },
        shapes={"mu": 2.3},
        is_discrete=True,
    ),
    Distribution(
        "bernoulli",
        "Bernoulli",
        "p for k = 1, 1 - p for k = 0",
        (0.0, 1.0, 1.0),
        {
            "logpmf": at_whole(
                lambda k, p: logarithm.xlogy(k, p) + logarithm.xlog1py(1 - k, -p), high=1
            ),
        },
        shapes={"p": 0.3},
        is_discrete=True,
    ),
    Distribution(
        "binom",
        "binomial",
        "n!/(k! (n-k)!) p**k (1-p)**(n-k) for whole k from 0 to n",
        (0.0, 2.0, 5.0),
        {"logpmf": at_whole(_binomial_support)},
        shapes={"n": 7.0, "p": 0.3},
        is_discrete=True,
    ),
    Distribution(
        "geom",
        "geometric",
        "(1-p)**(k-1) p for whole k >= 1",
        (1.0, 2.0, 5.0),
        {
            "logpmf": at_whole(
                lambda k, p: logarithm.xlog1py(k - 1, -p) + elementary.log(p), low=1
            ),
            "cdf": cdf_from(
                1, lambda k, p: -elementary.expm1(logarithm.xlog1py(rounding.floor(k), -p))
            ),
        },
        shapes={"p": 0.3},
        is_discrete=True,
    ),
)


def _scaled(function: str, formula: Formula, has_scale: bool) -> Formula:
    """The function of x, the shapes, loc and scale, from that of z."""

    def found(x: Any, *rest: Any) -> Any:
        shapes, ends = (rest[:-2], rest[-2:]) if has_scale else (rest[:-1], (rest[-1], None))
        loc, scale = ends
        if function in ("ppf", "isf"):
            z = formula(x, *shapes)
            z = z if scale is None else z * scale
            return z if loc is None else z + loc
        z = x if loc is None else x - loc
        y = formula(z if scale is None else z / scale, *shapes)
        if scale is None:
            return y
        if function == "logpdf":
            return y - elementary.log(scale)
        return y / scale if function == "pdf" else y

    return found


def _declare(distribution: Distribution, function: str, formula: Formula, module: str) -> None:
    has_scale = not distribution.is_discrete
    first = "q" if function in ("ppf", "isf") else distribution.first
    optional = ("loc", "scale") if has_scale else ("loc",)
    body = _scaled(function, formula, has_scale)

    needed = (first, *distribution.shapes)

    def declared(*operands: Any) -> Any:
        missing = len(needed) + len(optional) - len(operands)
        return body(*operands, *[None] * missing)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    declared.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # functions take it
        [inspect.Parameter(name, kind) for name in needed]
        + [inspect.Parameter(name, kind, default=None) for name in optional]
    )
    points = (0.1, 0.5, 0.9) if first == "q" else distribution.points
    declared.__module__ = module
    declared.__doc__ = DOCUMENTATION.format(
        title=TITLES[function].format(title=distribution.title),
        first=first,
        others="".join(f", {name} [...]" for name in (*distribution.shapes, *optional)),
        kinks=distribution.kinks,
        source=distribution.source,
        name=distribution.name,
        function=function,
        arguments=", ".join(needed),
        values=" ".join(
            [
                f"{first}={','.join(f'{point:g}' for point in points)}",
                *(f"{name}={value:g}" for name, value in distribution.shapes.items()),
            ]
        ),
    )
    shapes = [[value] for value in distribution.shapes.values()]
    spelling = (f"{distribution.name}.{function}",)
    operation(
        name=f"{distribution.name}_{function}",
        pattern="elementwise",
        library_names={"numpy": spelling, "jax": spelling},
        domain=positive,
        samples=(
            tuple(sample(point, *shapes) for point in points)
            if distribution.is_discrete
            else (sample(list(points), *shapes), sample([points[1]], *shapes, [0.05], [0.9]))
        ),
    )(declared)
    if inspect.isfunction(formula):
        # A page shows the formula, not the arguments that are handed on.
        declared.__wrapped__ = formula  # type: ignore[attr-defined]  # functions take it


def declare_all(distributions: Sequence[Distribution], module: str) -> None:
    """Declares every function of the distributions, as operations of `module`."""
    for distribution in distributions:
        for function, formula in distribution.functions().items():
            _declare(distribution, function, formula, module)


declare_all((*CONTINUOUS, *DISCRETE), __name__)
