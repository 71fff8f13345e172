"""What was asked, made ready to compute: the traced program, its input arrays and its seeds.

Text comes in (or arrays, from the library), a Problem goes out. Everything that can be wrong
with the input is found here, before anything is differentiated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import vjpcli.ops  # noqa: F401  (declares the operations)
from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.errors import Diagnostic, Fix, Label, Source, Span, VjpError, did_you_mean, fail
from vjpcli.explanation.model import Input, InputOrigin, Output, Seed, SeedOrigin
from vjpcli.explanation.scripts import (
    declared_values,
    left_out_note,
    seed_of_script,
    value_of_program,
)
from vjpcli.graph.complex_value import names_of_parts
from vjpcli.graph.free_names import free_names
from vjpcli.graph.node import Graph, Node
from vjpcli.graph.operation import Library, shape_text
from vjpcli.graph.random import random_numbers
from vjpcli.graph.trace import Trace, trace
from vjpcli.parser.expression import parse
from vjpcli.parser.seeds import SeedRequest, fit_seed
from vjpcli.parser.syntax import Program
from vjpcli.parser.values import GivenValue
from vjpcli.record import record

Array = NDArray[Any]

WHOLE_NUMBERS = re.compile(r"[-+\d\[\](),_\s]+", re.ASCII)
"""Numbers as they are typed when none has a point or an exponent."""

STAND_IN_ENTRIES = 1000
"""Entries that a stand-in may have: a larger seed is for values that were meant to be given."""


@record
class Settings:
    """How the question is to be understood.

    Attributes:
        dtype: "float64" or "float32".
        wrt: names of the leaves; None for every input.
        strict: a missing value is an error, not a stand-in.
        needs_seed: several entries without a seed are an error, not an example.
        random_seed: of the generator behind randn and rand.
        like: engine whose conventions hold at kinks.
        library: gives bare names their meaning where libraries differ.
    """

    dtype: str = "float64"
    wrt: tuple[str, ...] | None = None
    strict: bool = False
    needs_seed: bool = False
    random_seed: int = 0
    like: str = "torch"
    library: Library = "torch"


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
        program = parse(expression)
        notes: list[Diagnostic] = []
        given = {**declared_values(program, given, settings.library), **given}
        inputs = _inputs(program, given, seeds, settings, notes)
        arrays = {name: value.value for name, value in inputs.items()}
        traced = _trace(program, arrays, settings, inputs)
        notes += [*left_out_note(program), *traced.conventions]
        if program.seed is not None and not seeds and loss is None:
            seeds = [seed_of_script(program, arrays, settings.library)]
        leaves = _leaves(inputs, settings)
        if settings.needs_seed:
            notes += _unread_notes(program, inputs)
        inputs = {name: replace(one, is_leaf=name in leaves) for name, one in inputs.items()}
        if loss is not None and seeds:
            raise fail(
                "seed-and-loss",
                "--loss derives the seed, so --seed cannot be given as well",
                notes=("leave one of the two out",),
            )
        if loss is not None:
            graph, outputs, passes = _from_loss(
                loss, program.source, traced, arrays, settings, notes
            )
        else:
            graph, outputs, passes = _from_seeds(program, traced, arrays, seeds, settings)
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


# Inputs.


def _inputs(
    program: Program,
    given: Mapping[str, GivenValue],
    seeds: Sequence[SeedRequest],
    settings: Settings,
    notes: list[Diagnostic],
) -> dict[str, Input]:
    needed = free_names(program)
    missing = [name for name in needed if name not in given]
    dtype = np.dtype(settings.dtype)
    found: dict[str, Input] = {}
    known = {name: _given_array(value, settings) for name, value in given.items()}
    if missing and settings.strict:
        _refuse_unknown_words(program, needed, known, settings)
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
    return value_of_program(parse(text, origin), {}, settings.library)


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


def _unread_notes(program: Program, inputs: Mapping[str, Input]) -> list[Diagnostic]:
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
    first = program.statements[0]
    if len(program.statements) > 1 and len(first.targets) == 1:
        name = first.targets[0]
        return (
            f"{name} has its value from the program: leave its line out and give {name}=1,2,3, "
            "or write requires_grad=True"
        )
    return "a name that is read and given a value is a leaf: x=1,2,3"


FAULTS_OF_NAMES = {
    "unknown-function", "not-offered", "in-place-operation", "random-operation",
    "random-parameters", "module-not-applied", "not-a-module",
}  # fmt: skip
"""Codes of what is wrong with a name, whatever the values are."""


def _refuse_unknown_words(
    program: Program, needed: Mapping[str, Span], known: Mapping[str, Array], settings: Settings
) -> None:
    """Tells of a function that is not there before asking for the values it would be given."""
    shape = _stand_in_shape((), known)
    guessed = {name: stand_in(k, shape) for k, name in enumerate(needed, start=1)}
    try:
        trace(program, {**guessed, **known}, library=settings.library)
    except VjpError as error:
        if error.diagnostic.code in FAULTS_OF_NAMES:
            raise


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


MOST_FACTORS = 4
"""Letters of a name that may have been meant as factors."""


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


def _leaves(inputs: Mapping[str, Input], settings: Settings) -> tuple[str, ...]:
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
                notes=(f"its inputs are {', '.join(inputs) or 'none'}",),
                fix=Fix(",".join(fixed), replaces=source.text) if guess else None,
            )
    return tuple(name for name in inputs if name in settings.wrt)


# Outputs and seeds.


def _from_seeds(
    program: Program,
    traced: Trace,
    arrays: Mapping[str, Array],
    requests: Sequence[SeedRequest],
    settings: Settings,
) -> tuple[Graph, tuple[Output, ...], tuple[tuple[Seed, ...], ...]]:
    last = traced.output_name
    asked = [request.output_name or last for request in requests]
    for request, name in zip(requests, asked, strict=True):
        _check_output(request, name, traced)
    names = list(dict.fromkeys([*(n for n in traced.graph.names if n in asked), *asked])) or [last]
    graph = Graph.reaching(
        {name: traced.graph.names[name] for name in names}, traced.graph.inputs, traced.graph.names
    )
    outputs = outputs_of(graph, arrays, settings, program.source)
    by_name = {output.name: output for output in outputs}
    if not requests:
        return graph, outputs, (tuple(_implicit(program, outputs[-1], settings)),)
    passes: list[dict[str, Seed]] = []
    for request, name in zip(requests, asked, strict=True):
        seed = _seed(program, request, by_name[name], settings)
        if not passes or name in passes[-1]:
            passes.append({})
        passes[-1][name] = seed
    if any(s.origin == "each" for p in passes for s in p.values()) and len(requests) > 1:
        raise fail("seed-each", "--seed each stands for every row and goes with no other seed")
    return graph, outputs, tuple(tuple(one.values()) for one in passes)


def outputs_of(
    graph: Graph, arrays: Mapping[str, Array], settings: Settings, source: Source
) -> tuple[Output, ...]:
    """The outputs of `graph`, which was traced from `source`, with their values.

    Errors: what operations refuse once they see numbers; too-large, when the machine has not
    the memory.
    """
    try:
        results = evaluate(graph, arrays, settings.dtype, source=source)
    except MemoryError:
        raise fail("too-large", "the values of this expression do not fit into memory") from None
    return tuple(
        Output(name, results[node].astype(settings.dtype, copy=False))
        for name, node in graph.outputs.items()
    )


def _check_output(request: SeedRequest, name: str, traced: Trace) -> None:
    if name in traced.graph.names and name not in traced.graph.inputs:
        return
    known = [one for one in traced.graph.names if one not in traced.graph.inputs]
    guess = did_you_mean(name, known)
    what = "an input, not an output" if name in traced.graph.inputs else "no value of the program"
    if names_of_parts(name)[0] in traced.graph.names:
        what = "complex: each of its two parts takes a seed of its own"
    fix = None
    if guess:
        fix = Fix(request.text.replace(name, guess, 1), replaces=request.text)
    raise fail(
        "seed-output",
        f"`{name}` is {what}",
        source=request.source,
        span=Span(0, len(name)),
        notes=(f"a seed can be given to {', '.join(known)}",),
        fix=fix,
    )


def _implicit(program: Program, output: Output, settings: Settings) -> list[Seed]:
    """The seed when none was given: 1 for one entry, else ones as an example (or an error)."""
    shape = output.value.shape
    ones = np.ones(shape, settings.dtype)
    if output.value.size == 1:
        return [Seed(ones, "implicit", "1", output.name)]
    if settings.needs_seed:
        raise fail(
            "seed-needed",
            f"the output {output.name} has shape {shape_text(shape)}, so it needs a seed",
            source=program.source,
            span=program.statements[-1].value.span,
            label=f"shape {shape_text(shape)}",
            notes=(
                "a seed holds one weight per output entry: the gradient is seed . J",
                "other ways: a scalar output such as sum(...) or mean(...), or vjp jac "
                "for the whole Jacobian",
            ),
            fix=Fix(adds=("--seed", "ones"), says="the gradient of the sum"),
        )
    return [Seed(ones, "example", "ones", output.name)]


def _seed(program: Program, request: SeedRequest, output: Output, settings: Settings) -> Seed:
    if request.kind == "program" and request.program is not None:
        request = request.with_array(run_text(request.program, "--seed", settings))
    shape = output.value.shape
    value = fit_seed(
        request,
        shape,
        output.name,
        broadcast_fix=_broadcast_fix(program, request, shape),
    )
    array = None if value is None else value.astype(settings.dtype)
    origin: SeedOrigin = request.origin
    rounded = "" if value is None or array is None else _rounded(value, array)
    return Seed(array, origin, request.text, output.name, rounded)


def _rounded(given: Array, narrowed: Array) -> str:
    """`0.1 is 0.100000001`, of the first entry that the program's dtype changed; else ""."""
    changed = np.flatnonzero((given != narrowed) & ~np.isnan(given))
    if not changed.size:
        return ""
    return f"{given.flat[changed[0]]:.9g} is {narrowed.flat[changed[0]]:.9g}"


def _broadcast_fix(program: Program, request: SeedRequest, shape: tuple[int, ...]) -> Fix | None:
    """The program whose output is stretched to the shape of the seed, where that is possible."""
    if request.array is None or request.output_name is not None:
        return None
    wanted = request.array.shape
    try:
        if np.broadcast_shapes(shape, wanted) != wanted:
            return None
    except ValueError:
        return None
    text = program.source.text
    span = program.statements[-1].value.span
    stretched = f"broadcast_to({text[span.start : span.end]}, {wanted})"
    return Fix(text[: span.start] + stretched + text[span.end :], replaces=text)


def _from_loss(
    loss: str,
    source: Source,
    traced: Trace,
    arrays: Mapping[str, Array],
    settings: Settings,
    notes: list[Diagnostic],
) -> tuple[Graph, tuple[Output, ...], tuple[tuple[Seed, ...], ...]]:
    """Seeds dz/dy for every named value y that the later loss z reads."""
    program = parse(loss, "--loss")
    wanted = free_names(program)
    named = {name: node for name, node in traced.graph.names.items() if name not in arrays}
    # The loss reads a complex value z by its two parts, z.real and z.imag.
    read = [name for name in named if name.partition(".")[0] in wanted]
    if not read:
        name = traced.output_name
        raise fail(
            "loss-output",
            f"the loss does not read the output {name}",
            source=program.source,
            span=program.statements[-1].value.span,
            notes=(f'write it in terms of {", ".join(named)}: --loss "sum({name}**2)"',),
        )
    graph = Graph.reaching(
        {name: named[name] for name in read}, traced.graph.inputs, traced.graph.names
    )
    outputs = outputs_of(graph, arrays, settings, source)
    direct = [name for name in wanted if name in arrays]
    values = {output.name: output.value for output in outputs}
    later = trace(program, {**{n: arrays[n] for n in direct}, **values}, library=settings.library)
    node = later.graph.outputs[later.output_name]
    if node.size != 1:
        raise fail(
            "loss-shape",
            f"a loss is one number, but this has shape {shape_text(node.shape)}",
            source=program.source,
            span=program.statements[-1].value.span,
            notes=("sum(...) or mean(...) makes it one",),
        )
    reverse = backward(later.graph, read, like=settings.like)
    inputs = {**arrays, **values, seed_name(later.output_name): np.ones(node.shape)}
    results = evaluate(reverse.graph, inputs, settings.dtype)
    seeds = tuple(
        Seed(results[reverse.graph.outputs[name]].astype(settings.dtype), "loss", loss, name)
        for name in read
    )
    if direct:
        notes.append(
            Diagnostic(
                "loss-reads-input",
                f"the loss also reads {', '.join(direct)} directly; "
                "that part of its gradient does not pass through the seed",
                severity="warning",
                source=program.source,
                labels=tuple(Label(wanted[name]) for name in direct),
            )
        )
    return graph, outputs, (seeds,)


def named_nodes(traced: Trace) -> dict[Node, str]:
    """Node -> the name that the program gave it last; the output has one in any case."""
    names = {node: name for name, node in traced.named}
    names.setdefault(traced.graph.outputs[traced.output_name], traced.output_name)
    return names
