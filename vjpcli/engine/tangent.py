"""J . v, the Jacobian-vector product, from the same rules.

A gradient seed^T . J is linear in the seed. Its sum with a direction v at every leaf,
(seed^T . J) . v, is a number whose derivative with respect to the seed is J . v: so two
backward passes give the forward-mode product, and no second set of rules is needed.
Source: J. Townsend, "A new trick for calculating Jacobian vector products" (2017).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.graph.node import Graph, Node
from vjpcli.graph.operation import make_constant, make_leaf
from vjpcli.ops.reductions import reduction


def tangent(
    graph: Graph,
    directions: Mapping[str, Any],
    values: Mapping[str, Any],
    dtype: DTypeLike = np.float64,
    *,
    like: str = "torch",
) -> NDArray[Any]:
    """How fast the one output of `graph` moves when each leaf moves along its direction.

    `directions` maps leaves to arrays of their shapes; other leaves stand still. The result
    has the output's shape.
    """
    return Tangent(graph, directions, values, dtype, like=like).along(directions)


class Tangent:
    """J . v for one set of leaves and any number of directions; the passes are made once."""

    def __init__(
        self,
        graph: Graph,
        leaves: Iterable[str],
        values: Mapping[str, Any],
        dtype: DTypeLike = np.float64,
        *,
        like: str = "torch",
    ) -> None:
        ((name, _),) = graph.outputs.items()
        first = backward(graph, leaves, like=like)
        moving = {
            _direction_name(leaf): make_leaf(_direction_name(leaf), graph.inputs[leaf].shape)
            for leaf in first.graph.outputs
        }
        number: Node = make_constant(0.0)
        for leaf, gradient in first.graph.outputs.items():
            number = number + reduction.sum(gradient * moving[_direction_name(leaf)])
        inputs = {**first.graph.inputs, **moving}
        second = backward(Graph.reaching({"number": number}, inputs), [seed_name(name)], like=like)
        self._graph = second.graph
        self._dtype = dtype
        self._arrays = {
            **values,
            # The product does not depend on the seed; its value is never read.
            seed_name(name): np.zeros(first.seeds[name].shape),
            seed_name("number"): 1.0,
        }

    def along(self, directions: Mapping[str, Any]) -> NDArray[Any]:
        """J . v; `directions` maps every leaf to an array of its shape."""
        ways = {_direction_name(leaf): array for leaf, array in directions.items()}
        (product,) = self._graph.outputs.values()
        return evaluate(self._graph, {**self._arrays, **ways}, self._dtype)[product]


def _direction_name(leaf: str) -> str:
    return f"direction of {leaf}"
