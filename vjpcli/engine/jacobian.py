"""The whole Jacobian: the backward graph run with a batch of one-hot seeds, a row each.

A Jacobian with far more rows than columns is made by columns instead, from the forward-mode
product that the same rules give: n rows would each cost a pass over all n output entries.
"""

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


TALL = 1_000
"""Output entries from which a Jacobian may be made by columns ..."""

TALLER = 4
"""... if there are more than this many rows to a column."""

MOST_ROW_WORK = 4 * 10**9
"""Rows times output entries up to which single rows of a tall Jacobian are made."""


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
    by_columns: list[str] = []
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
        elif output.size >= TALL and output.size > TALLER * leaf.size:
            by_columns.append(name)
        else:
            by_rows.append(name)
    entries: dict[str, Array | None] = {
        **_diagonals(graph, by_diagonal, values, dtype, like),
        **_rows(graph, by_rows, values, dtype, like),
        **{name: _columns(graph, name, values, dtype, like) for name in by_columns},
    }
    for name, array in entries.items():
        pattern, structure = patterns[name]
        if array is not None and pattern is not None:
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


def _columns(
    graph: Graph, leaf: str, values: Mapping[str, Any], dtype: DTypeLike, like: str
) -> Array | None:
    """A tall Jacobian, a column at a time; None where it would take too long.

    A column is a sum over the leaf's entries, all but one of them with weight 0. An infinite
    slope makes nan of that 0, so rows that are not finite are made again as rows.
    """
    from vjpcli.engine.tangent import Tangent  # noqa: PLC0415  (only for tall ones)

    (output,) = graph.outputs.values()
    shape = graph.inputs[leaf].shape
    product = Tangent(graph, [leaf], values, dtype, like=like)
    found = np.zeros((output.size, graph.inputs[leaf].size), dtype=dtype)
    for column in range(found.shape[1]):
        direction = np.zeros(found.shape[1], dtype=dtype)
        direction[column] = 1
        found[:, column] = product.along({leaf: direction.reshape(shape)}).ravel()
    doubtful = np.flatnonzero(~np.isfinite(found).all(axis=1) & (found.shape[1] > 1))
    if len(doubtful) * output.size > MOST_ROW_WORK:
        return None
    if len(doubtful):
        again = _some_rows(graph, [leaf], values, dtype, like, doubtful)[leaf]
        found[doubtful] = again.reshape(len(doubtful), -1)
    return found.reshape(output.shape + shape)


def _rows(
    graph: Graph, leaves: list[str], values: Mapping[str, Any], dtype: DTypeLike, like: str
) -> dict[str, Array]:
    """Any Jacobian, a row for every output entry."""
    if not leaves:
        return {}
    (output,) = graph.outputs.values()
    found = _some_rows(graph, leaves, values, dtype, like, np.arange(output.size))
    return {leaf: array.reshape(output.shape + array.shape[1:]) for leaf, array in found.items()}


def _some_rows(
    graph: Graph,
    leaves: list[str],
    values: Mapping[str, Any],
    dtype: DTypeLike,
    like: str,
    wanted: NDArray[np.intp],
) -> dict[str, Array]:
    """The rows of some output entries, a batch at a time."""
    ((name, output),) = graph.outputs.items()
    count = len(wanted)
    entries_per_row = 1 + sum(node.size for node in graph.nodes)
    batch = max(1, min(count, BATCH_ENTRIES // entries_per_row))
    found = {leaf: np.zeros((count, *graph.inputs[leaf].shape), dtype=dtype) for leaf in leaves}
    for start in range(0, count, batch):
        rows = min(batch, count - start)
        seeds = np.zeros((rows, output.size), dtype=dtype)
        seeds[np.arange(rows), wanted[start : start + rows]] = 1
        reverse = backward(graph, leaves, batch=(rows,), like=like)
        inputs = {**values, seed_name(name): seeds.reshape(rows, *output.shape)}
        results = evaluate(reverse.graph, inputs, dtype)
        for leaf, node in reverse.graph.outputs.items():
            found[leaf][start : start + rows] = results[node]
    return found
