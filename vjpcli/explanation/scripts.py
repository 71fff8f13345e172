"""What a pasted script brings along: values of its leaves, its seed, and lines to leave out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.evaluate import evaluate
from vjpcli.errors import Diagnostic, Source, Span
from vjpcli.graph.free_names import leaf_statements
from vjpcli.graph.operation import Library
from vjpcli.graph.trace import trace
from vjpcli.parser.expression import text_of
from vjpcli.parser.seeds import SeedRequest
from vjpcli.parser.syntax import Expression, Program, Statement
from vjpcli.parser.values import GivenValue

FEW = 6
"""Names that one sentence lists."""


def value_of_program(
    program: Program, arrays: Mapping[str, NDArray[Any]], library: Library
) -> NDArray[Any]:
    """The value of the last statement."""
    traced = trace(program, arrays, library=library)
    results = evaluate(traced.graph, arrays, source=program.source)
    return results[traced.graph.outputs[traced.output_name]]


def declaring(program: Program, names: Collection[str]) -> Program:
    """The program with those of `names` as leaves that it gives a value without an input."""
    chosen = leaf_statements(program, names)
    if not chosen:
        return program
    statements = list(program.statements)
    for position in chosen:
        statements[position] = replace(statements[position], declares_leaf=True)
    return replace(program, statements=tuple(statements))


def leaves_to_choose(program: Program) -> str:
    """How a program that reads no input gets a leaf; nothing where it names no plain value."""
    names = {name for statement in program.statements for name in statement.targets}
    possible = [program.statements[one].targets[0] for one in leaf_statements(program, names)]
    if not possible:
        return ""
    *others, last = possible[-FEW:]
    has = f"{', '.join(others)} and {last} have their values" if others else f"{last} has its value"
    return f"{has} from the program: --wrt {last} makes {last} a leaf"


def declared_values(
    program: Program, given: Mapping[str, GivenValue], library: Library
) -> dict[str, GivenValue]:
    """The values of the leaves that the program declares, where none is given for them."""
    found: dict[str, GivenValue] = {}
    for position, statement in enumerate(program.statements):
        if not statement.declares_leaf or statement.targets[0] in given:
            continue
        name, value = statement.targets[0], statement.value
        arrays = {one.name: one.array for one in found.values() if one.array is not None}
        array = value_of_program(_ending_in(program, position, value), arrays, library)
        found[name] = GivenValue(
            name,
            np.asarray(array, dtype=np.float64),
            "given",
            text_of(program, value),
            None,
            program.source,
            value.span,
        )
    return found


def seed_of_script(
    program: Program, arrays: Mapping[str, NDArray[Any]], library: Library
) -> SeedRequest:
    """The seed that the script gives to `y.backward(...)`."""
    assert program.seed is not None
    ending = _ending_in(program, len(program.statements), program.seed)
    text = text_of(program, program.seed)
    source = Source(text, "what backward is given")
    request = SeedRequest("program", text, source, Span(0, len(text)))
    return request.with_array(value_of_program(ending, arrays, library))


def _ending_in(program: Program, position: int, value: Expression) -> Program:
    """The program up to a statement, and then the value alone."""
    last = Statement((), (), value, value.span)
    return Program(program.source, (*program.statements[:position], last), aliases=program.aliases)


def left_out_note(program: Program) -> tuple[Diagnostic, ...]:
    """A note on the lines of a script that are not read."""
    if not program.left_out:
        return ()
    text = program.source.text
    lines = [text[span.start : span.end].splitlines()[0] for span in program.left_out]
    backward = next((line for line in lines if ".backward(" in line or ".grad(" in line), None)
    others = [line for line in lines if line != backward]
    listed = f"`{others[0]}`" if others else ""
    if len(others) > 1:
        listed += f" and {len(others) - 1} more line{'s' * (len(others) > 2)}"
    message = f"left out, as nothing is computed there: {listed}"
    if backward is not None:
        message = f"the script is read up to `{backward}`, which is what vjp prints"
        message += f"; left out: {listed}" if listed else ""
    seeded = any(".seed(" in line or "manual_seed(" in line for line in lines)
    notes = ("random numbers are those of --rng, not those of the library",) if seeded else ()
    return (Diagnostic("left-out", message, severity="note", source=program.source, notes=notes),)
