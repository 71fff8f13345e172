"""The whole Jacobian: the backward graph run with a batch of one-hot seeds, a row each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.engine.structure import classify, is_entrywise, reads
from vjpcli.graph.node import Graph
from vjpcli.record import record

Array = NDArray[Any]

BATCH_ENTRIES = 20_000_000
"""Entries that one batch of seeds may hold over all its adjoints; larger batches are cut."""


@record
class LeafJacobian:
    """The Jacobian of one output with respect to one leaf.

    Attributes:
        entries: shape output.shape + leaf.shape; None where larger than was allowed.
        pattern: boolean, same shape: False is a structural zero; None where too large to tell.
        structure: none, diagonal, row, block or dense.
    """

    entries: Array | None
    pattern: NDArray[np.bool_] | None
    structure: str


def jacobian(
    graph: Graph,
    leaves: Iterable[str],
    values: Mapping[str, Any],
    dtype: DTypeLike = np.float64,
    *,
    largest: int = 1_000_000,
    like: str = "torch",
) -> dict[str, LeafJacobian]:
    """The Jacobian of the one output of `graph` with respect to each leaf.

    `largest` is the number of entries above which a leaf's Jacobian is not computed.
    """
    (output,) = graph.outputs.values()
    found: dict[str, LeafJacobian] = {}
    by_rows: list[str] = []
    by_diagonal: list[str] = []
    patterns: dict[str, tuple[NDArray[np.bool_] | None, str]] = {}
    for name in leaves:
        leaf = graph.inputs[name]
        pattern = reads(graph, output, leaf)
        structure = classify(pattern, output, leaf)
        entrywise = is_entrywise(graph, output, leaf)
        if pattern is None and entrywise and output.size > 1:
            structure = "diagonal"
        patterns[name] = pattern, structure
        if output.size * leaf.size > largest:
            found[name] = LeafJacobian(None, pattern, structure)
        elif structure == "diagonal" and entrywise:
            by_diagonal.append(name)
        else:
            by_rows.append(name)
    entries = {
        **_diagonals(graph, by_diagonal, values, dtype, like),
        **_rows(graph, by_rows, values, dtype, like),
    }
    for name, array in entries.items():
        pattern, structure = patterns[name]
        if pattern is not None:
            # A one-hot seed sends zeros along paths that lead elsewhere; where such a path has
            # an infinite slope, 0 * inf would put a nan at an entry that is zero by structure.
            array[~pattern] = 0.0
        found[name] = LeafJacobian(array, pattern, structure)
    return {name: found[name] for name in patterns}


def _diagonals(
    graph: Graph, leaves: list[str], values: Mapping[str, Any], dtype: DTypeLike, like: str
) -> dict[str, Array]:
    """Diagonal Jacobians from one pass: with a seed of ones the gradient is the diagonal."""
    if not leaves:
        return {}
    ((name, output),) = graph.outputs.items()
    reverse = backward(graph, leaves, like=like)
    ones = np.ones(output.shape, dtype=dtype)
    results = evaluate(reverse.graph, {**values, seed_name(name): ones}, dtype)
    found = {}
    for leaf, node in reverse.graph.outputs.items():
        shape = output.shape + graph.inputs[leaf].shape
        found[leaf] = np.diag(results[node].ravel()).reshape(shape)
    return found


def _rows(
    graph: Graph, leaves: list[str], values: Mapping[str, Any], dtype: DTypeLike, like: str
) -> dict[str, Array]:
    """Any Jacobian, a batch of rows at a time."""
    if not leaves:
        return {}
    ((name, output),) = graph.outputs.items()
    count = output.size
    entries_per_row = 1 + sum(node.size for node in graph.nodes)
    batch = max(1, min(count, BATCH_ENTRIES // entries_per_row))
    found = {leaf: np.zeros((count, *graph.inputs[leaf].shape), dtype=dtype) for leaf in leaves}
    for start in range(0, count, batch):
        rows = min(batch, count - start)
        seeds = np.zeros((rows, count), dtype=dtype)
        seeds[np.arange(rows), start + np.arange(rows)] = 1
        reverse = backward(graph, leaves, batch=(rows,), like=like)
        inputs = {**values, seed_name(name): seeds.reshape(rows, *output.shape)}
        results = evaluate(reverse.graph, inputs, dtype)
        for leaf, node in reverse.graph.outputs.items():
            found[leaf][start : start + rows] = results[node]
    return {leaf: array.reshape(output.shape + array.shape[1:]) for leaf, array in found.items()}
