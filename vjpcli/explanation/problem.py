"""What was asked, made ready to compute: the traced program, its input arrays and its seeds.

Text comes in (or arrays, from the library), a Problem goes out. Everything that can be wrong
with the input is found here, before anything is differentiated. `inputs.py` has the arrays,
`seeding.py` the outputs and their seeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import vjpcli.ops  # noqa: F401  (declares the operations)
from vjpcli.errors import Diagnostic, Fix, Source, Span, VjpError, did_you_mean, fail
from vjpcli.explanation.inputs import inputs_from, run_text, unread_notes
from vjpcli.explanation.model import Input, Output, Seed
from vjpcli.explanation.scripts import (
    declared_values,
    declaring,
    leaves_to_choose,
    left_out_note,
    seed_of_script,
)
from vjpcli.explanation.seeding import from_loss, from_seeds, outputs_of
from vjpcli.explanation.settings import Settings
from vjpcli.graph.node import Graph, Node
from vjpcli.graph.random import random_numbers
from vjpcli.graph.shapes import shape_text
from vjpcli.graph.trace import Trace, trace
from vjpcli.parser.expression import parse
from vjpcli.parser.seeds import SeedRequest
from vjpcli.parser.syntax import Program
from vjpcli.parser.values import GivenValue
from vjpcli.record import record

__all__ = [
    "Problem",
    "Settings",
    "named_nodes",
    "outputs_of",
    "pose",
    "require_leaf",
    "run_text",
]

Array = NDArray[Any]


@record(eq=False)
class Problem:
    """A question, ready to compute.

    Attributes:
        program: the syntax tree.
        trace: its graph.
        inputs: in the order in which the program first reads them, then unread ones.
        leaves: names of the inputs that get a gradient.
        graph: the graph whose outputs are those that take seeds.
        outputs: what takes seeds, with its values.
        passes: one backward pass each.
        loss: text of the later loss that the seeds come from, or None.
        notes: what was chosen for the user on the way (stand-ins, conventions, ...).
        files: every file that was read; none may be overwritten.
    """

    program: Program
    settings: Settings
    trace: Trace
    inputs: Mapping[str, Input]
    leaves: tuple[str, ...]
    graph: Graph
    outputs: tuple[Output, ...]
    passes: tuple[tuple[Seed, ...], ...]
    loss: str | None = None
    notes: tuple[Diagnostic, ...] = ()
    files: tuple[Path, ...] = field(default=())

    @property
    def arrays(self) -> dict[str, Array]:
        """Input name -> value."""
        return {name: value.value for name, value in self.inputs.items()}

    def restricted_to(self, outputs: Iterable[str]) -> Graph:
        """The graph of some of the outputs."""
        return Graph.reaching(
            {name: self.graph.outputs[name] for name in outputs},
            self.graph.inputs,
            self.graph.names,
        )


def pose(
    expression: str,
    given: Mapping[str, GivenValue],
    seeds: Sequence[SeedRequest] = (),
    loss: str | None = None,
    settings: Settings | None = None,
    files: Iterable[Path] = (),
) -> Problem:
    """The Problem that these texts state.

    Errors: everything that parsing and tracing refuse, missing-value, unknown-leaf,
    seed-needed, seed-shape, seed-output, loss-shape, seed-and-loss.
    """
    settings = settings or Settings()
    # An input too large for float32 becomes inf, and the findings say what came of it.
    with random_numbers(settings.random_seed), np.errstate(all="ignore"):
        program = declaring(parse(expression), {*(settings.wrt or ()), *given})
        notes: list[Diagnostic] = []
        given = {**declared_values(program, given, settings.library), **given}
        inputs = inputs_from(program, given, seeds, settings, notes)
        arrays = {name: value.value for name, value in inputs.items()}
        traced = _trace(program, arrays, settings, inputs)
        notes += [*left_out_note(program), *traced.conventions]
        if program.seed is not None and not seeds and loss is None:
            seeds = [seed_of_script(program, arrays, settings.library)]
        leaves = _leaves(inputs, program, settings)
        if settings.needs_seed:
            notes += unread_notes(program, inputs)
        inputs = {name: replace(one, is_leaf=name in leaves) for name, one in inputs.items()}
        if loss is not None and seeds:
            raise fail(
                "seed-and-loss",
                "--loss derives the seed, so --seed cannot be given as well",
                notes=("leave one of the two out",),
            )
        if loss is not None:
            graph, outputs, passes = from_loss(
                loss, program.source, traced, arrays, settings, notes
            )
        else:
            graph, outputs, passes = from_seeds(program, traced, arrays, seeds, settings)
    paths = [*files, *(value.path for value in given.values()), *(seed.path for seed in seeds)]
    return Problem(
        program=program,
        settings=settings,
        trace=traced,
        inputs=inputs,
        leaves=leaves,
        graph=graph,
        outputs=outputs,
        passes=passes,
        loss=loss,
        notes=tuple(notes),
        files=tuple(path for path in paths if path is not None),
    )


def require_leaf(problem: Problem) -> None:
    """Refuses to differentiate with respect to nothing.

    Errors: no-leaf.
    """
    if not problem.leaves:
        statement = problem.program.statements[-1]
        raise fail(
            "no-leaf",
            "the expression reads no input, so there is no gradient to print",
            source=problem.program.source,
            span=statement.value.span,
            notes=(_how_to_make_a_leaf(problem.program),),
        )


def _how_to_make_a_leaf(program: Program) -> str:
    return leaves_to_choose(program) or "a name that is read and given a value is a leaf: x=1,2,3"


def _trace(
    program: Program, arrays: Mapping[str, Array], settings: Settings, inputs: Mapping[str, Input]
) -> Trace:
    """The trace; when stand-ins do not fit, the error says that they were the program's choice."""
    try:
        return trace(program, arrays, library=settings.library)
    except VjpError as error:
        chosen = [name for name, value in inputs.items() if value.origin == "stand-in"]
        if not chosen:
            raise
        shape = inputs[chosen[0]].value.shape
        what = "numbers" if shape == () else f"arrays of shape {shape_text(shape)}"
        note = f"{', '.join(chosen)} got no value and stand in as {what}: give values, such as "
        note += f"{chosen[0]}=1,2,3 or {chosen[0]}:2x3=1,2,3,4,5,6"
        raise VjpError(replace(error.diagnostic, notes=(*error.diagnostic.notes, note))) from None


def _leaves(inputs: Mapping[str, Input], program: Program, settings: Settings) -> tuple[str, ...]:
    if settings.wrt is None:
        return tuple(inputs)
    for name in settings.wrt:
        if name not in inputs:
            guess = did_you_mean(name, inputs)
            source = Source(",".join(settings.wrt), "--wrt")
            start = source.text.index(name)
            fixed = [guess if one == name and guess else one for one in settings.wrt]
            raise fail(
                "unknown-leaf",
                f"`{name}` is not an input of the expression",
                source=source,
                span=Span(start, start + len(name)),
                label=f"did you mean {guess}?" if guess else "",
                notes=(
                    f"its inputs are {', '.join(inputs) or 'none'}",
                    *_of_computed(name, program),
                ),
                fix=Fix(",".join(fixed), replaces=source.text) if guess else None,
            )
    return tuple(name for name in inputs if name in settings.wrt)


def _of_computed(name: str, program: Program) -> tuple[str, ...]:
    if any(name in statement.targets for statement in program.statements):
        return (f"the program makes {name} itself; explain shows the adjoint of what it computes",)
    return tuple(filter(None, (leaves_to_choose(program),)))


def named_nodes(traced: Trace) -> dict[Node, str]:
    """Node -> the name that the program gave it last; the output has one in any case."""
    names = {node: name for name, node in traced.named}
    names.setdefault(traced.graph.outputs[traced.output_name], traced.output_name)
    return names
