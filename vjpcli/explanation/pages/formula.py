"""A rule as a formula: the rule run on symbols.

An operation that acts entry by entry is run on scalars, which gives the slope and the adjoint of
one entry. One that mixes entries is run on arrays of a shape from its declaration, which gives
the adjoints in array notation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from vjpcli.engine.symbolic import rule_text
from vjpcli.errors import VjpError
from vjpcli.explanation.pages.model import RuleFormula
from vjpcli.graph.facts import Sample
from vjpcli.graph.node import Node
from vjpcli.graph.operation import TEXTBOOK, Operation, make_leaf
from vjpcli.graph.shapes import shape_text

BAR = "\u0304"
"""Over a name it means its adjoint: ȳ is the seed, where y is the output of the program."""


def rule_formulas(operation: Operation) -> tuple[tuple[RuleFormula, ...], str]:
    """One formula per operand that receives something, and what they hold for (or "")."""
    if operation.is_composite:
        return (), ""
    for sample in _samples(operation):
        # A bare number in a sample is an operand like any other, except where it must be known:
        # the order of a Bessel function.
        for with_numbers in (False, True):
            try:
                found = _formulas(operation, sample, with_numbers)
            except VjpError:
                continue
            if found is not None:
                return found
    return (), ""


def _samples(operation: Operation) -> Iterator[Sample]:
    """The declaration's samples, those that read best first."""
    yield from sorted(operation.samples, key=lambda sample: _awkwardness(operation, sample))


def _awkwardness(operation: Operation, sample: Sample) -> tuple[int, ...]:
    shapes = [given for given in sample.operands if isinstance(given, tuple)]
    entrywise = operation.pattern == "elementwise"
    odd = sum(1 for shape in shapes if (shape != ()) == entrywise or 0 in shape or 1 in shape)
    missing = sum(given is None for given in sample.operands)
    far = sum(abs(len(shape) - (0 if entrywise else 2)) for shape in shapes)
    return (odd, len(sample.static), missing, far)


def _formulas(
    operation: Operation, sample: Sample, with_numbers: bool
) -> tuple[tuple[RuleFormula, ...], str] | None:
    leaves = _operands(operation, sample, with_numbers)
    y = operation(*leaves, **sample.static)
    if not isinstance(y, Node) or y.operation is not operation or y.kind != "real":
        return None
    word = output_name(operation)
    adjoint = make_leaf(f"{word}{BAR}", y.shape)
    rules = operation.rules
    result = rules.get(TEXTBOOK, rules["torch"])(adjoint, y, *y.operands, **y.static)
    contributions = result if isinstance(result, tuple) else (result,)
    entrywise = operation.pattern == "elementwise"
    found = []
    for operand, contribution in zip(y.operands, contributions, strict=True):
        if contribution is None or operand not in leaves:
            continue
        text = rule_text(contribution, {y: word, adjoint: f"{word}{BAR}"})
        if text is None:
            continue
        slope = (rule_text(contribution, {adjoint: ""}) or "") if entrywise else ""
        found.append(RuleFormula(operand.static["name"], slope, text))
    if not found and any(contribution is not None for contribution in contributions):
        return None
    return tuple(found), _circumstances(operation, sample, leaves)


def _circumstances(operation: Operation, sample: Sample, leaves: list[Any]) -> str:
    """What a formula was made for: shapes and static arguments, as far as they matter."""
    given = [
        f"{operand_name(operation, position, sample.operands)}={value:g}"
        for position, value in enumerate(sample.operands)
        if position < len(leaves) and _is_number(leaves[position])
    ]
    if operation.pattern != "elementwise":
        given += [
            f"{leaf.static['name']} {shape_text(leaf.shape)}"
            for leaf in leaves
            if isinstance(leaf, Node)
        ]
    given += [f"{key}={value!r}" for key, value in sample.static.items()]
    return ", ".join(given)


def output_name(operation: Operation) -> str:
    """What the output is called in a formula: y, unless an operand is."""
    return "z" if "y" in operation.operand_names else "y"


def _operands(operation: Operation, sample: Sample, with_numbers: bool) -> list[Any]:
    leaves: list[Any] = []
    for position, given in enumerate(sample.operands):
        if given is None:
            leaves.append(None)
            continue
        if with_numbers and _is_number(given):
            leaves.append(given)
            continue
        shape = given if isinstance(given, tuple) else np.shape(given)
        if operation.pattern == "elementwise":
            shape = ()
        leaves.append(make_leaf(operand_name(operation, position, sample.operands), shape))
    return leaves


def _is_number(given: Any) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool)


def operand_name(operation: Operation, position: int, operands: tuple[Any, ...]) -> str:
    """The name of an operand; several that share one parameter are counted: arrays1, arrays2."""
    names = operation.operand_names
    last = len(names) - 1
    if operation.variadic and position >= last:
        return f"{names[last]}{position - last + 1}" if len(operands) > last + 1 else names[last]
    return names[min(position, last)]
