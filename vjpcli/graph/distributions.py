"""Distributions of torch.distributions, written in the language itself; scipy.stats' with numbers.

`Normal(mu, sigma).log_prob(x)` is a formula with names for its parameters, as in a textbook.
The formulas are data (`distributions.json`), and the tracer reads them as it reads a program.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from vjpcli.errors import Span, VjpError, fail
from vjpcli.graph.libraries import LibraryName
from vjpcli.graph.names import Callee
from vjpcli.record import record


@record
class DistributionClass:
    """`Normal`, about to be given its parameters."""

    name: str


@record(eq=False)
class Distribution:
    """`Normal(mu, sigma)`.

    Attributes:
        name: of the class.
        given: parameter -> value, for those that were given.
    """

    name: str
    given: Mapping[str, Any]


@record(eq=False)
class Method:
    """`Normal(mu, sigma).log_prob`, about to be called."""

    distribution: Distribution
    name: str


@record(eq=False)
class Frozen:
    """`scipy.stats.norm(0, 2)`: a distribution that got its parameters before its function.

    Attributes:
        path: the library's name for it.
        arguments: its parameters, which follow the number that the function gets.
        keywords: those of its parameters that were named.
    """

    path: LibraryName
    arguments: tuple[Any, ...]
    keywords: tuple[tuple[str, Any, Span], ...]


@record(eq=False)
class FrozenFunction:
    """`scipy.stats.norm(0, 2).logpdf`, about to be called."""

    callee: Callee
    frozen: Frozen


@record
class Divergence:
    """`kl_divergence`, about to be given two distributions."""


@cache
def table() -> dict[str, dict[str, Any]]:
    """Name of a distribution -> its parameters and formulas."""
    text = files("vjpcli.graph").joinpath("distributions.json").read_text("utf-8")
    found: dict[str, dict[str, Any]] = json.loads(text)
    return found


def distribution_class(name: str) -> DistributionClass | Divergence | None:
    """What `name` is in torch.distributions, or None if it has no formulas here."""
    if name == "kl_divergence":
        return Divergence()
    return DistributionClass(name) if name in table() else None


def given_parameters(
    name: str, arguments: Sequence[Any], keywords: Sequence[tuple[str, Any, Span]]
) -> Distribution:
    """The distribution with its parameters.

    Errors: too-many-arguments, unknown-keyword, argument-twice, missing-argument
    """
    words = [word.partition("=") for word in table()[name]["parameters"].split()]
    names = [word for word, _, _ in words]
    if len(arguments) > len(names):
        raise fail(
            "too-many-arguments", f"{name} takes {len(names)} parameters: {', '.join(names)}"
        )
    given = dict(zip(names, arguments, strict=False))
    for word, value, _ in keywords:
        if word == "validate_args":
            continue
        if word not in names:
            raise fail(
                "unknown-keyword",
                f"{name} has no parameter `{word}`",
                notes=(f"its parameters: {', '.join(names)}",),
            )
        if word in given:
            raise fail("argument-twice", f"{name} got `{word}` twice")
        given[word] = value
    given = {word: value for word, value in given.items() if value is not None}
    given = {**{word: float(value) for word, _, value in words if value}, **given}
    others = table()[name].get("alternatives", {})
    optional = {*others, *(w for one in others.values() if isinstance(one, dict) for w in one)}
    missing = [word for word in names if word not in given and word not in optional]
    if missing or (optional and not optional & given.keys()):
        raise fail("missing-argument", f"{name} needs `{(missing or sorted(optional))[0]}`")
    return Distribution(name, given)


def formula_for(distribution: Distribution, method: str) -> str | None:
    """The formula of a method in terms of the parameters that were given; None if there is none."""
    found = table()[distribution.name].get(method)
    if isinstance(found, dict):
        return next((found[word] for word in found if word in distribution.given), None)
    return found


def other_parameters(distribution: Distribution) -> dict[str, str]:
    """Formulas of the parameters that were not given: probs of logits, and the like."""
    found: dict[str, str] = {}
    given = distribution.given
    for word, formulas in table()[distribution.name].get("alternatives", {}).items():
        of_what = formulas if isinstance(formulas, dict) else dict.fromkeys(given, formulas)
        formula = next((of_what[one] for one in of_what if one in given), None)
        if formula is not None and word not in given:
            found[word] = formula
    return found


def no_such_method(distribution: Distribution, name: str) -> VjpError:
    """The refusal of what a distribution has no formula for."""
    known = [word for word in table()[distribution.name] if word not in _NO_METHODS]
    if name in ("sample", "rsample", "sample_n", "rsample_n"):
        return fail(
            "random-operation",
            f".{name}() draws at random, and its gradient is another one at every draw",
            notes=(
                "with a draw of your own it is a formula: mu + sigma*eps for Normal(mu, sigma)",
            ),
        )
    return fail(
        "not-offered",
        f"{distribution.name} has no .{name} here",
        notes=(f"it has {', '.join(known)}, stddev, and its parameters",),
    )


_NO_METHODS = {"parameters", "alternatives", "kl"}
