"""Runs a graph on NumPy arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from vjpcli.errors import Source, VjpError
from vjpcli.graph.node import Graph, Node
from vjpcli.graph.operation import compute

Array = NDArray[Any]


def evaluate(
    graph: Graph,
    values: Mapping[str, Any],
    dtype: DTypeLike = np.float64,
    *,
    keep: bool = False,
    source: Source | None = None,
) -> dict[Node, Array]:
    """The value of each output, or with `keep` of every node.

    `values` holds an array for each name in `graph.inputs`, of that leaf's shape. Real numbers
    are computed in `dtype`; conditions stay boolean, indices whole. Overflow, division by zero
    and the like give inf and nan silently: explaining them is the caller's work. `source` is the
    text in which the nodes stand.

    Errors: what an operation refuses once it sees numbers, such as a class index of 1.5; where
    `source` is given, with the place of that operation.
    """
    kept = set(graph.outputs.values())
    readers = Counter(operand for node in graph.nodes for operand in node.operands)
    results: dict[Node, Array] = {}
    with np.errstate(all="ignore"):
        for node in graph.nodes:
            operands = [results[operand] for operand in node.operands]
            try:
                results[node] = compute(node, operands, values, dtype)
            except VjpError as error:
                if source is None or node.span is None:
                    raise
                raise error.at(source, node.span) from None
            if keep:
                continue
            for operand in node.operands:
                readers[operand] -= 1
                if readers[operand] == 0 and operand not in kept:
                    del results[operand]
    return results
