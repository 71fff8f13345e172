"""The arrays that a program reads: those that were given, and stand-ins for those that were not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import Diagnostic, Label, Span
from vjpcli.explanation.missing import missing_value, refuse_unknown_words
from vjpcli.explanation.model import Input, InputOrigin
from vjpcli.explanation.scripts import value_of_program
from vjpcli.explanation.settings import Settings
from vjpcli.explanation.stand_ins import example_value, stand_in, stand_in_shape
from vjpcli.graph.free_names import free_names
from vjpcli.graph.shapes import shape_text
from vjpcli.parser.expression import parse
from vjpcli.parser.seeds import SeedRequest
from vjpcli.parser.syntax import Program
from vjpcli.parser.values import GivenValue, shaped

Array = NDArray[Any]

WHOLE_NUMBERS = re.compile(r"[-+\d\[\](),_\s]+", re.ASCII)
"""Numbers as they are typed when none has a point or an exponent."""


def inputs_from(
    program: Program,
    given: Mapping[str, GivenValue],
    seeds: Sequence[SeedRequest],
    settings: Settings,
    notes: list[Diagnostic],
) -> dict[str, Input]:
    """The inputs in the order in which the program first reads them, then unread ones.

    What was chosen for the user is added to `notes`.

    Errors: missing-value, and what the expressions given as values are refused for.
    """
    needed = free_names(program, given)
    missing = [name for name in needed if name not in given]
    dtype = np.dtype(settings.dtype)
    found: dict[str, Input] = {}
    known = {name: array_of(value, settings) for name, value in given.items()}
    if missing and settings.strict:
        refuse_unknown_words(program, needed, known, settings)
        raise missing_value(program, needed, missing, known)
    shape = stand_in_shape(seeds, known) if missing else ()
    for number, name in enumerate(needed, start=1):
        if name in given:
            found[name] = _given_input(given[name], known[name], dtype)
        else:
            found[name] = Input(name, stand_in(number, shape).astype(dtype), "stand-in")
    for name, value in given.items():
        if name not in found:
            found[name] = _given_input(value, known[name], dtype)
    if missing:
        notes.append(_stand_in_note(program, found, missing, needed))
    return found


def array_of(value: GivenValue, settings: Settings, origin: str = "") -> Array:
    """The numbers of a value, whose expression is run where it has one.

    Errors: value-shape, and what the expression is refused for.
    """
    if value.array is not None:
        return value.array
    assert value.program is not None
    array = run_text(value.program, origin or f"value of {value.name}", settings)
    return shaped(array, value.shape, value.source, value.span, is_file=True)


def run_text(text: str, origin: str, settings: Settings) -> Array:
    """The value of an expression that reads no input, such as `linspace(0, 1, 5)`."""
    return value_of_program(parse(text, origin), {}, settings.library)


def _given_input(value: GivenValue, array: Array, dtype: np.dtype[Any]) -> Input:
    origin: InputOrigin = value.origin
    with np.errstate(over="ignore"):  # 1e300 is infinite in float32, and the findings say so
        narrowed = array.astype(dtype, copy=False)
    integers = value.origin == "given" and WHOLE_NUMBERS.fullmatch(value.text) is not None
    return Input(value.name, narrowed, origin, True, value.text, integers)


def unread_notes(program: Program, inputs: Mapping[str, Input]) -> list[Diagnostic]:
    """A note on each value that was given and is not read: its gradient is a plain zero."""
    read = free_names(program, inputs)
    return [
        Diagnostic(
            "leaf-unused",
            f"{name} is not read by the expression: its gradient is 0 (PyTorch: None)",
            severity="note",
            leaf=name,
        )
        for name in inputs
        if name not in read
    ]


def _stand_in_note(
    program: Program, inputs: Mapping[str, Input], missing: list[str], needed: Mapping[str, Span]
) -> Diagnostic:
    names = list(needed)
    values = " ".join(
        f"{name}={example_value(names.index(name) + 1, inputs[name].value.shape)}"
        if inputs[name].value.size <= 12
        else f"{name} (shape {shape_text(inputs[name].value.shape)})"
        for name in missing
    )
    return Diagnostic(
        "stand-in",
        f"no value was given for {', '.join(missing)}; standing in: {values}",
        severity="note",
        source=program.source,
        labels=tuple(Label(needed[name]) for name in missing),
    )
