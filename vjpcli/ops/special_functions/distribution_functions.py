"""A probability distribution, declared as a few formulas; its functions follow from them.

The formulas are of the standard variable z = (x - loc)/scale, and every number that they take has
a gradient. Outside the support the density is 0 and its slope 0; the logarithm is -inf there.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from vjpcli.graph.facts import positive
from vjpcli.ops.declaration import operation, sample
from vjpcli.ops.numbers import (
    comparison,
    elementary,
    rounding,
)
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


def count_cdf(tail: Formula) -> Formula:
    """A probability of being at most k, for counts from 0: `tail` of k rounded down."""
    return cdf_from(0, lambda k, *shapes: tail(rounding.floor(k), *shapes))


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
