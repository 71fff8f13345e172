"""J . v for directions that were typed, and second derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.jacobian import jacobian
from vjpcli.engine.tangent import tangent
from vjpcli.errors import Fix, Span, VjpError, did_you_mean, fail
from vjpcli.explanation.inputs import array_of
from vjpcli.explanation.problem import Problem
from vjpcli.graph.node import Graph
from vjpcli.graph.shapes import shape_text
from vjpcli.parser.values import parse_values
from vjpcli.record import record


@record
class TangentProduct:
    """J . v.

    Attributes:
        directions: leaf -> v, in the shape of the leaf.
        value: how fast the output moves, in the shape of the output.
    """

    directions: dict[str, NDArray[Any]]
    value: NDArray[Any]


def tangent_product(problem: Problem, directions: Sequence[str]) -> TangentProduct:
    """J . v for `NAME=VALUE` directions; leaves without one stand still.

    With a single leaf the name may be left out.

    Errors: unknown-leaf, tangent-shape, and those of `parse_values`.
    """
    named = [
        f"{problem.leaves[0]}={text}" if len(problem.leaves) == 1 and "=" not in text else text
        for text in directions
    ]
    try:
        given = parse_values(named)
    except VjpError as error:
        raise _of_the_direction(error) from None
    arrays: dict[str, NDArray[Any]] = {}
    for name, direction in given.items():
        if name not in problem.leaves:
            guess = did_you_mean(name, problem.leaves)
            raise fail(
                "unknown-leaf",
                f"`{name}` is not a leaf",
                source=direction.source,
                span=Span(0, len(name)),
                notes=(f"the leaves are {', '.join(problem.leaves)}",),
                fix=Fix(
                    direction.source.text.replace(name, guess, 1), replaces=direction.source.text
                )
                if guess
                else None,
            )
        array = array_of(direction, problem.settings, "--tangent")
        shape = problem.inputs[name].value.shape
        if array.shape != shape:
            raise fail(
                "tangent-shape",
                f"the direction of {name} has shape {shape_text(array.shape)}, "
                f"but {name} has shape {shape_text(shape)}",
                source=direction.source,
                span=direction.span,
                notes=("a direction has the shape of its leaf",),
            )
        arrays[name] = np.asarray(array, problem.settings.dtype)
    graph = problem.restricted_to([problem.outputs[-1].name])
    with np.errstate(all="ignore"):
        value = tangent(
            graph, arrays, problem.arrays, problem.settings.dtype, like=problem.settings.like
        )
    return TangentProduct(arrays, value)


def hessian(problem: Problem, largest: int) -> dict[str, dict[str, NDArray[Any]]]:
    """Second derivatives: leaf -> leaf -> array of shape leaf.shape + leaf.shape.

    The backward graph is a graph like any other, so its Jacobian is the Hessian.

    Errors: hessian-output, when the output has several entries; jacobian-too-large.
    """
    output = problem.outputs[-1]
    if output.value.size != 1:
        raise fail(
            "hessian-output",
            f"second derivatives are those of one number, but {output.name} has shape "
            f"{shape_text(output.value.shape)}",
            source=problem.program.source,
            span=problem.program.statements[-1].value.span,
            notes=("sum(...) or an index makes it one number",),
        )
    engine, dtype = problem.settings.like, problem.settings.dtype
    first = backward(problem.restricted_to([output.name]), problem.leaves, like=engine)
    values = {**problem.arrays, seed_name(output.name): np.ones(output.value.shape, dtype)}
    found: dict[str, dict[str, NDArray[Any]]] = {}
    for row, gradient in first.graph.outputs.items():
        graph = Graph.reaching({row: gradient}, first.graph.inputs)
        with np.errstate(all="ignore"):
            blocks = jacobian(graph, problem.leaves, values, dtype, like=engine, largest=largest)
        found[row] = {
            column: _entries(block.entries, row, column) for column, block in blocks.items()
        }
    return found


def _entries(entries: NDArray[Any] | None, row: str, column: str) -> NDArray[Any]:
    if entries is None:
        raise fail(
            "jacobian-too-large",
            f"the second derivatives of {row} and {column} are more than were allowed",
            notes=("--max-jacobian N allows more; --wrt leaves leaves out",),
        )
    return entries


def flat_blocks(
    blocks: Mapping[str, Mapping[str, NDArray[Any]]],
) -> dict[str, NDArray[Any]]:
    """The blocks of a Hessian by one name each: "x,w"."""
    return {
        f"{row},{column}": block for row, line in blocks.items() for column, block in line.items()
    }


def _of_the_direction(error: VjpError) -> VjpError:
    """The same error, said of a direction: it is written like a value, but is none."""
    found = error.diagnostic
    if found.source is None:
        return error
    return VjpError(replace(found, source=replace(found.source, origin="--tangent")))
