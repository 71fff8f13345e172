"""The forward graph step by step: each value, the adjoint that reached it, and how it got there."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from numpy.typing import NDArray

from vjpcli.engine.backward import Backward, Contribution, local_contributions
from vjpcli.engine.symbolic.printing import holds_together
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.model import Edge, Step
from vjpcli.explanation.problem import Problem, named_nodes
from vjpcli.graph.node import Node
from vjpcli.graph.notation import SHORT_ARRAY, number_text, operation_text
from vjpcli.graph.operation import TEXTBOOK, constant, leaf

Array = NDArray[Any]


def step_names(problem: Problem) -> dict[Node, str]:
    """A name for every node but constants: the user's own, else t1, t2, ... in order."""
    given = named_nodes(problem.trace)
    taken = {*problem.inputs, *given.values()}
    fresh = _fresh_names(taken)
    names: dict[Node, str] = {}
    for node in problem.graph.nodes:
        if node.operation is leaf:
            names[node] = node.static["name"]
        elif node.operation is not constant:
            names[node] = given.get(node) or next(fresh)
    return names


def _fresh_names(taken: set[str]) -> Iterator[str]:
    return (name for i in itertools.count(1) if (name := f"t{i}") not in taken)


def steps(
    evidence: Evidence, adjoints: Mapping[Node, Array], *, words: bool
) -> tuple[tuple[Step, ...], tuple[Edge, ...]]:
    """One Step per node that is not a constant, and the edges between them.

    `adjoints` holds the adjoint of forward nodes, added up over all passes. With `words` the
    local slopes are printed, which takes SymPy.
    """
    problem, reverse, values = evidence.problem, evidence.reverse, evidence.values
    names = evidence.names
    leaves = {problem.graph.inputs[name] for name in problem.leaves}
    read = {operand for node in problem.graph.nodes for operand in node.operands}
    outputs = set(problem.graph.outputs.values())
    found: list[Step] = []
    positions: dict[Node, int] = {}
    ways: dict[tuple[Node, int], str] = {}
    for node in problem.graph.nodes:
        if node not in names or not (node in read or node in outputs):
            continue
        arrived = evidence.received.get(node, [])
        slopes = [_slope(one, reverse, names) if words else None for one in arrived]
        products = [_product(one, reverse, names) if words else None for one in arrived]
        for one, slope, product in zip(arrived, slopes, products, strict=True):
            ways[one.reader, one.position] = _one_way(
                one, slope, product, several=False, names=names
            )
        positions[node] = len(found)
        operation = node.operation.name
        if node.operation is leaf:
            operation = "leaf" if node in leaves else "data"
        found.append(
            Step(
                name=names[node],
                text="" if node.operation is leaf else written(node, names),
                operation=operation,
                value=values[node],
                adjoint=None if operation == "data" else adjoints.get(node),
                how=_how(node, arrived, slopes, products, problem, names),
                uses=tuple(names[one.reader] for one in arrived),
                operands=tuple(operand_text(operand, names) for operand in node.operands),
                local_rule=_local_rule(node, reverse, names) if words else "",
                span=None if node.span is None else (node.span.start, node.span.end),
                contributions=tuple(values[one.fitted] for one in arrived)
                if len(arrived) > 1
                else (),
                saves=_saved(node, evidence),
            )
        )
    return tuple(found), tuple(_edges(evidence, positions, ways))


def _edges(
    evidence: Evidence, positions: Mapping[Node, int], ways: Mapping[tuple[Node, int], str]
) -> Iterator[Edge]:
    # Several passes send back several things; which of them is meant an edge cannot say.
    one_pass = len(evidence.problem.passes) == 1
    for node, target in positions.items():
        sent = {one.position: evidence.values[one.fitted] for one in evidence.sent.get(node, [])}
        for position, operand in enumerate(node.operands):
            if operand in positions:
                yield Edge(
                    positions[operand],
                    target,
                    ways.get((node, position), ""),
                    sent.get(position) if one_pass else None,
                )


def _saved(node: Node, evidence: Evidence) -> tuple[str, ...]:
    """The forward values that the rule of `node` reads: what an engine keeps for the way back."""
    names = evidence.names
    found: set[Node] = set()
    seen = {evidence.reverse.adjoints[node]} if node in evidence.reverse.adjoints else set()
    pending = [one.local for one in evidence.sent.get(node, [])]
    while pending:
        one = pending.pop()
        if one in seen:
            continue
        seen.add(one)
        if one in names:
            found.add(one)
        else:
            pending.extend(one.operands)
    return tuple(names[one] for one in sorted(found, key=lambda one: one.serial))


def written(node: Node, names: Mapping[Node, str]) -> str:
    """The operation as the language writes it, its operands by their step names."""
    operands = [operand_text(operand, names) for operand in node.operands]
    grouped = [f"({text})" if text.startswith("-") else text for text in operands]
    return operation_text(node, operands, grouped)


def operand_text(node: Node, names: Mapping[Node, str]) -> str:
    """The name of a step, or a constant written out."""
    if node in names:
        return names[node]
    value = node.static["value"]
    if value.size <= SHORT_ARRAY:
        return number_text(value)
    return f"constant{list(value.shape)}"


def _slope(one: Contribution, reverse: Backward, names: Mapping[Node, str]) -> str | None:
    """The local slope as text in terms of step names, or None where it has no short form."""
    from vjpcli.engine.symbolic import slope_text  # noqa: PLC0415  (SymPy)

    if one.reader.operation.pattern != "elementwise":
        return None
    return slope_text(one.local, reverse.adjoints[one.reader], names)


def _product(one: Contribution, reverse: Backward, names: Mapping[Node, str]) -> str | None:
    """The contribution of an operation that mixes entries, `W.T @ ∂t1`, or None."""
    from vjpcli.engine.symbolic import contribution_text  # noqa: PLC0415  (SymPy)

    adjoint = reverse.adjoints[one.reader]
    local: Node | None = one.local
    if TEXTBOOK in one.reader.operation.rules:
        local = local_contributions(adjoint, one.reader, TEXTBOOK)[one.position]
    if local is None:
        return None
    is_one = one.reader.size == 1 and adjoint in reverse.seeds.values()
    return contribution_text(
        local, {**names, adjoint: "" if is_one else f"∂{names[one.reader]}"}, longest=36
    )


def _local_rule(node: Node, reverse: Backward, names: Mapping[Node, str]) -> str:
    """`∂log(c)/∂c = 1/c`, for the operands that receive something."""
    slopes: dict[str, list[str]] = {}
    for one in reverse.contributions:
        if one.reader is node:
            slope = _slope(one, reverse, names)
            if slope is not None:
                slopes.setdefault(names[one.operand], []).append(slope)
    # an operand that is read twice has the sum of both slopes: ∂(h*h)/∂h = h + h
    return ", ".join(
        f"∂{names[node]}/∂{operand} = {' + '.join(parts)}" for operand, parts in slopes.items()
    )


def _how(
    node: Node,
    arrived: list[Contribution],
    slopes: list[str | None],
    products: list[str | None],
    problem: Problem,
    names: Mapping[Node, str],
) -> str:
    """In a few words, where the adjoint came from."""
    parts = [
        _one_way(one, slope, product, several=len(arrived) > 1, names=names)
        for one, slope, product in zip(arrived, slopes, products, strict=True)
    ]
    times = {1: "", 2: ", twice"}
    parts = [part + times.get(count, f", {count} times") for part, count in Counter(parts).items()]
    if node in problem.graph.outputs.values():
        parts.insert(0, _seed_words(node, problem))
    return "; plus ".join(parts)


def _seed_words(node: Node, problem: Problem) -> str:
    seeds = [seed for one in problem.passes for seed in one]
    if node.size == 1 and len(seeds) == 1 and seeds[0].value is not None:
        value = number_text(seeds[0].value.reshape(()))
        if seeds[0].origin == "implicit":
            kind = "a scalar loss" if node.ndim == 0 else "one entry"
            return f"seed = {value} ({kind} needs no --seed)"
        return f"seed = {value}"
    return "the seed"


def _one_way(
    one: Contribution,
    slope: str | None,
    product: str | None,
    *,
    several: bool,
    names: Mapping[Node, str],
) -> str:
    reader, operand = one.reader, one.operand
    copies = max(1, one.local.size // max(1, operand.size))
    origin = f" from {names[reader]}" if several else ""
    if slope is None:
        words = _mixing_words(reader, operand, names)
        return f"{words or product or f'by the rule of {reader.operation.name}'}{origin}"
    if copies > 1 and slope == "1":
        return f"Σ over the {copies} entries {names[operand]} was broadcast to{origin}"
    summed = f", then Σ over the {copies} entries" if copies > 1 else ""
    factor = slope if " " not in slope or holds_together(slope) else f"({slope})"
    return f"× {factor}{summed}{origin}"


def _mixing_words(reader: Node, operand: Node, names: Mapping[Node, str]) -> str:
    """How an operation that mixes entries hands its adjoint back, or "" without good words."""
    name = reader.operation.name
    each = operand.size // max(1, reader.size)
    arriving = "seed" if reader.size == 1 else f"∂{names[reader]}"
    if each == 1 and name in ("mean", "sum"):
        return "× 1"
    if name == "mean":
        return f"mean: {arriving}/{each} to each of the {each} entries"
    if name == "sum":
        return f"sum: the same {arriving} to each of the {each} entries"
    if name == "index":
        return "to the entries that were read, 0 elsewhere"
    if reader.operation.pattern == "movement":
        return f"{name}, undone"
    return ""
