"""Values that are missing: what is asked for, and what was probably meant instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import Diagnostic, Fix, Label, Span, VjpError, did_you_mean
from vjpcli.explanation.settings import Settings
from vjpcli.explanation.stand_ins import example_value, stand_in, stand_in_shape
from vjpcli.graph.trace import trace
from vjpcli.parser.syntax import Program

Array = NDArray[Any]

FAULTS_OF_NAMES = {
    "unknown-function", "not-offered", "in-place-operation", "random-operation",
    "random-parameters", "module-not-applied", "not-a-module",
}  # fmt: skip
"""Codes of what is wrong with a name, whatever the values are."""

MOST_FACTORS = 4
"""Letters of a name that may have been meant as factors."""


def refuse_unknown_words(
    program: Program, needed: Mapping[str, Span], known: Mapping[str, Array], settings: Settings
) -> None:
    """Tells of a function that is not there before asking for the values it would be given."""
    shape = stand_in_shape((), known)
    guessed = {name: stand_in(k, shape) for k, name in enumerate(needed, start=1)}
    try:
        trace(program, {**guessed, **known}, library=settings.library)
    except VjpError as error:
        if error.diagnostic.code in FAULTS_OF_NAMES:
            raise


def missing_value(
    program: Program,
    needed: Mapping[str, Span],
    missing: list[str],
    known: Mapping[str, Array],
) -> VjpError:
    """The missing-value error, with a corrected command."""
    shape = max((array.shape for array in known.values()), key=len, default=(3,))
    if int(np.prod(shape)) > 12:
        shape = (3,)
    names = list(needed)
    adds = tuple(f"{name}={example_value(names.index(name) + 1, shape)}" for name in missing)
    listed = ", ".join(missing)
    with_values = Fix(adds=adds, says="with values of your own")
    product = _written_as_product(program, needed, missing, known)
    return VjpError(
        Diagnostic(
            "missing-value",
            f"no value was given for {listed}",
            source=program.source,
            labels=tuple(Label(needed[name]) for name in missing),
            notes=_notes_on_unread(needed, missing, known),
            fix=None if _is_derivative(missing) else product or with_values,
        )
    )


def _is_derivative(missing: list[str]) -> bool:
    """Whether the names look like those of dy/dx."""
    return len(missing) == 2 and all(len(name) > 1 and name[0] == "d" for name in missing)


def _notes_on_unread(
    needed: Mapping[str, Span], missing: list[str], known: Mapping[str, Array]
) -> tuple[str, ...]:
    """What was probably meant by a name without a value, where that can be told."""
    if _is_derivative(missing):
        y, x = missing[0][1:], missing[1][1:]
        return (f"d{y}/d{x} is what vjp computes: write {y} itself, as an expression of {x}",)
    near = (did_you_mean(name, known.keys() - needed.keys()) for name in missing)
    guess = next((one for one in near if one), None)
    if guess is None:
        return ()
    return (f"a value was given for {guess}, which the expression does not read",)


def _written_as_product(
    program: Program, needed: Mapping[str, Span], missing: list[str], known: Mapping[str, Array]
) -> Fix | None:
    """`xy` as x*y, where x and y have values and xy has none."""
    if len(missing) != 1 or not 1 < len(missing[0]) <= MOST_FACTORS:
        return None
    word, span = missing[0], needed[missing[0]]
    if not all(letter in known for letter in word):
        return None
    text = program.source.text
    product = "*".join(word)
    before, after = text[: span.start].rstrip()[-1:], text[span.end :].lstrip()[:2]
    if before in ("/", "%", "@", "*") or after[:1] in (".", "[") or after == "**":
        product = f"({product})"
    return Fix(text[: span.start] + product + text[span.end :], replaces=text)
