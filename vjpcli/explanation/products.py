"""J . v for directions that were typed: the forward-mode product of a Problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.tangent import tangent
from vjpcli.errors import Fix, Span, did_you_mean, fail
from vjpcli.explanation.problem import Problem, run_text
from vjpcli.graph.operation import shape_text
from vjpcli.parser.values import parse_values


@dataclass(frozen=True, slots=True)
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
    given = parse_values(named)
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
        array = direction.array
        if array is None:
            array = run_text(direction.program or "", "--tangent", problem.settings)
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
