"""Runs a graph on NumPy arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from vjpcli.graph.node import Graph, Node
from vjpcli.graph.operation import compute

Array = NDArray[Any]


def evaluate(
    graph: Graph,
    values: Mapping[str, Any],
    dtype: DTypeLike = np.float64,
    *,
    keep: bool = False,
    held: Mapping[Node, Array] | None = None,
) -> dict[Node, Array]:
    """The value of each output, or with `keep` of every node.

    `values` holds an array for each name in `graph.inputs`, of that leaf's shape. Real numbers
    are computed in `dtype`; conditions stay boolean, indices whole. Overflow, division by zero
    and the like give inf and nan silently: explaining them is the caller's work. The nodes in
    `held` have the values given there.
    """
    kept = set(graph.outputs.values())
    readers = Counter(operand for node in graph.nodes for operand in node.operands)
    results: dict[Node, Array] = {}
    with np.errstate(all="ignore"):
        for node in graph.nodes:
            operands = [results[operand] for operand in node.operands]
            results[node] = (
                held[node] if held and node in held else compute(node, operands, values, dtype)
            )
            if keep:
                continue
            for operand in node.operands:
                readers[operand] -= 1
                if readers[operand] == 0 and operand not in kept:
                    del results[operand]
    return results
