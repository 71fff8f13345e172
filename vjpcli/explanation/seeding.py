"""What takes seeds, and the seeds: given, implied by one entry, or derived from a later loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.errors import Diagnostic, Fix, Label, Source, Span, did_you_mean, fail
from vjpcli.explanation.inputs import run_text
from vjpcli.explanation.model import Output, Seed, SeedOrigin
from vjpcli.explanation.settings import Settings
from vjpcli.graph.complex_value import names_of_parts
from vjpcli.graph.free_names import free_names
from vjpcli.graph.node import Graph
from vjpcli.graph.shapes import shape_text
from vjpcli.graph.trace import Trace, trace
from vjpcli.parser.expression import parse
from vjpcli.parser.seeds import SeedRequest, fit_seed
from vjpcli.parser.syntax import Program

Array = NDArray[Any]

Posed = tuple[Graph, tuple[Output, ...], tuple[tuple[Seed, ...], ...]]
"""The graph whose outputs take seeds, those outputs, and one tuple of seeds per backward pass."""


def from_seeds(
    program: Program,
    traced: Trace,
    arrays: Mapping[str, Array],
    requests: Sequence[SeedRequest],
    settings: Settings,
) -> Posed:
    """What takes the seeds that were asked for, or the last output and the seed that it implies.

    Errors: seed-output, seed-shape, seed-needed, seed-each.
    """
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


def from_loss(
    loss: str,
    source: Source,
    traced: Trace,
    arrays: Mapping[str, Array],
    settings: Settings,
    notes: list[Diagnostic],
) -> Posed:
    """Seeds dz/dy for every named value y that the later loss z reads."""
    program = parse(loss, "--loss")
    wanted = free_names(program, {name.partition(".")[0] for name in traced.graph.names})
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
