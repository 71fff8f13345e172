"""J . v, the Jacobian-vector product, from the same rules.

A gradient seed^T . J is linear in the seed. Its sum with a direction v at every leaf,
(seed^T . J) . v, is a number whose derivative with respect to the seed is J . v: so two
backward passes give the forward-mode product, and no second set of rules is needed.
Source: J. Townsend, "A new trick for calculating Jacobian vector products" (2017).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.graph.node import Graph, Node
from vjpcli.graph.operation import make_constant, make_leaf
from vjpcli.ops import reduction


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
    (name,) = graph.outputs
    first = backward(graph, directions, like=like)
    direction_leaves = {
        leaf: make_leaf(_direction_name(leaf), graph.inputs[leaf].shape) for leaf in directions
    }
    number: Node = make_constant(0.0)
    for leaf, gradient in first.graph.outputs.items():
        number = number + reduction.sum(gradient * direction_leaves[leaf])
    seed = first.seeds[name]
    inputs = {**first.graph.inputs, **{_direction_name(k): v for k, v in direction_leaves.items()}}
    second = backward(Graph.reaching({"number": number}, inputs), [seed_name(name)], like=like)
    arrays = {
        **values,
        **{_direction_name(leaf): array for leaf, array in directions.items()},
        # The product does not depend on the seed; its value is never read.
        seed_name(name): np.zeros(seed.shape),
        seed_name("number"): 1.0,
    }
    (product,) = second.graph.outputs.values()
    return evaluate(second.graph, arrays, dtype)[product]


def _direction_name(leaf: str) -> str:
    return f"direction of {leaf}"
