"""Distributions in a program: their parameters, and their formulas with these put in."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from vjpcli.errors import Span, VjpError, fail
from vjpcli.graph.distributions import (
    Distribution,
    Method,
    formula_for,
    no_such_method,
    other_parameters,
)
from vjpcli.graph.node import written_at
from vjpcli.graph.tracer.state import State
from vjpcli.parser.expression import parse
from vjpcli.parser.syntax import Attribute

CONSTANTS = {
    "log_2": math.log(2),
    "log_pi": math.log(math.pi),
    "log_2pi": math.log(2 * math.pi),
    "log_4pi": math.log(4 * math.pi),
    "log_2_by_pi": math.log(2 / math.pi),
    "sqrt_2": math.sqrt(2),
    "sqrt_2_by_pi": math.sqrt(2 / math.pi),
    "euler": 0.5772156649015329,
}
"""Numbers of the formulas, by their names."""

PROPERTIES = ("mean", "variance", "stddev")


def attribute_of(state: State, part: Attribute, found: Distribution) -> Any:
    """`d.mean`, `d.loc`, `d.log_prob` of a distribution.

    Errors: random-operation, not-offered
    """
    name = part.attribute
    if name in found.given:
        return found.given[name]
    others = other_parameters(found)
    with state.place(part, part.attribute_span):
        if name in others:
            return formula_value(state, others[name], found.given, part.span)
        if name == "stddev" and formula_for(found, "variance"):
            variance = method_value(state, Method(found, "variance"), (), part.span)
            return formula_value(state, "sqrt(v)", {"v": variance}, part.span)
        if formula_for(found, name) is None or name == "kl":
            raise no_such_method(found, name)
        method = Method(found, name)
        return method_value(state, method, (), part.span) if name in PROPERTIES else method


def method_value(state: State, method: Method, arguments: Sequence[Any], span: Span) -> Any:
    """What a method gives.

    Errors: missing-argument, too-many-arguments, and those of the formula
    """
    found = method.distribution
    formula = formula_for(found, method.name)
    assert formula is not None
    wanted = int(method.name in ("log_prob", "cdf"))
    if len(arguments) != wanted:
        few = len(arguments) < wanted
        raise fail(
            "missing-argument" if few else "too-many-arguments",
            f".{method.name}() needs the value" if few else f".{method.name}() takes no more",
        )
    names = dict(found.given)
    for word, other in other_parameters(found).items():
        if word in formula:
            names[word] = formula_value(state, other, found.given, span)
    names |= dict(zip(("value",), arguments, strict=False))
    return formula_value(state, formula, names, span)


def divergence(state: State, arguments: Sequence[Any], span: Span) -> Any:
    """kl_divergence(p, q) of two distributions of one kind.

    Errors: missing-argument, not-offered
    """
    if len(arguments) != 2 or not all(isinstance(one, Distribution) for one in arguments):
        raise fail("missing-argument", "kl_divergence needs two distributions")
    p, q = arguments
    formula = formula_for(p, "kl")
    if formula is None or p.name != q.name:
        raise fail(
            "not-offered",
            f"kl_divergence has no formula here for {p.name} and {q.name}",
            notes=("write it out: sum(p*(log(p) - log(q)))",),
        )
    names: dict[str, Any] = {}
    for letter, one in (("p", p), ("q", q)):
        derived = {
            word: formula_value(state, other, one.given, span)
            for word, other in other_parameters(one).items()
        }
        names |= {f"{letter}_{word}": value for word, value in {**derived, **one.given}.items()}
    return formula_value(state, formula.replace("p.", "p_").replace("q.", "q_"), names, span)


def formula_value(state: State, formula: str, names: Mapping[str, Any], span: Span) -> Any:
    """A formula with values for its names; all of it stands at `span` of the user's text."""
    source, environment, local = state.source, state.environment, state.local
    program = parse(formula, "formula")
    value: Any = None
    try:
        state.source, state.environment, state.local = program.source, {**CONSTANTS, **names}, {}
        with written_at(span, throughout=True):
            for statement in program.statements:
                value = state.evaluate(statement.value)
                for target in statement.targets:
                    state.environment[target] = value
    except VjpError as error:
        found = error.diagnostic
        raise fail(found.code, found.message, notes=found.notes) from None
    finally:
        state.source, state.environment, state.local = source, environment, local
    return value
