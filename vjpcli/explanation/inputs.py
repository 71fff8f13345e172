"""The arrays that a program reads: those that were given, and stand-ins for those that were not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.evaluate import evaluate
from vjpcli.errors import Diagnostic, Fix, Label, Span, VjpError, did_you_mean
from vjpcli.explanation.model import Input, InputOrigin
from vjpcli.explanation.settings import Settings
from vjpcli.graph.operation import shape_text
from vjpcli.graph.trace import free_names, trace
from vjpcli.parser.expression import parse
from vjpcli.parser.seeds import SeedRequest
from vjpcli.parser.syntax import Program
from vjpcli.parser.values import GivenValue

Array = NDArray[Any]

WHOLE_NUMBERS = re.compile(r"[-+\d\[\](),_\s]+", re.ASCII)
"""Numbers as they are typed when none has a point or an exponent."""

STAND_IN_ENTRIES = 1000
"""Entries that a stand-in may have: a larger seed is for values that were meant to be given."""


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
    needed = free_names(program)
    missing = [name for name in needed if name not in given]
    dtype = np.dtype(settings.dtype)
    found: dict[str, Input] = {}
    known = {name: _given_array(value, settings) for name, value in given.items()}
    if missing and settings.strict:
        raise _missing_value(program, needed, missing, known)
    shape = _stand_in_shape(seeds, known) if missing else ()
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


def stand_in(number: int, shape: tuple[int, ...]) -> Array:
    """The value of the k-th leaf when none is given: counting up from k(k+1)/2."""
    start = number * (number + 1) // 2
    return (start + np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.float64)).reshape(shape)


def _stand_in_shape(seeds: Sequence[SeedRequest], known: Mapping[str, Array]) -> tuple[int, ...]:
    """From the seed, else from the largest other input, else a scalar."""
    for seed in seeds:
        if seed.array is not None and seed.array.size <= STAND_IN_ENTRIES:
            return seed.array.shape
    fitting = [array.shape for array in known.values() if array.size <= STAND_IN_ENTRIES]
    return max(fitting, key=lambda shape: (len(shape), shape), default=())


def _given_array(value: GivenValue, settings: Settings) -> Array:
    if value.array is not None:
        return value.array
    assert value.program is not None
    return run_text(value.program, f"value of {value.name}", settings)


def run_text(text: str, origin: str, settings: Settings) -> Array:
    """The value of an expression that reads no input, such as `linspace(0, 1, 5)`."""
    program = parse(text, origin)
    traced = trace(program, {}, library=settings.library)
    return evaluate(traced.graph, {}, source=program.source)[
        traced.graph.outputs[traced.output_name]
    ]


def _given_input(value: GivenValue, array: Array, dtype: np.dtype[Any]) -> Input:
    origin: InputOrigin = value.origin
    with np.errstate(over="ignore"):  # 1e300 is infinite in float32, and the findings say so
        narrowed = array.astype(dtype, copy=False)
    integers = value.origin == "given" and WHOLE_NUMBERS.fullmatch(value.text) is not None
    return Input(value.name, narrowed, origin, True, value.text, integers)


def example_value(number: int, shape: tuple[int, ...]) -> str:
    """A stand-in as it would be typed: `3,4,5`, `[[1,2],[3,4]]`."""
    nested = stand_in(number, shape).astype(int).tolist()
    text = str(nested).replace(" ", "")
    return text[1:-1] if len(shape) == 1 and shape != (1,) else text


def unread_notes(program: Program, inputs: Mapping[str, Input]) -> list[Diagnostic]:
    """A note on each value that was given and is not read: its gradient is a plain zero."""
    read = free_names(program)
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


def _missing_value(
    program: Program,
    needed: Mapping[str, Span],
    missing: list[str],
    known: Mapping[str, Array],
) -> VjpError:
    shape = max((array.shape for array in known.values()), key=len, default=(3,))
    if int(np.prod(shape)) > 12:
        shape = (3,)
    names = list(needed)
    adds = tuple(f"{name}={example_value(names.index(name) + 1, shape)}" for name in missing)
    listed = ", ".join(missing)
    guess = next(
        (near for name in missing if (near := did_you_mean(name, known.keys() - needed.keys()))),
        None,
    )
    notes = (f"a value was given for {guess}, which the expression does not read",) if guess else ()
    return VjpError(
        Diagnostic(
            "missing-value",
            f"no value was given for {listed}",
            source=program.source,
            labels=tuple(Label(needed[name]) for name in missing),
            notes=notes,
            fix=Fix(adds=adds, says="with values of your own"),
        )
    )


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
