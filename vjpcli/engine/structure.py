"""Which entries of a leaf an output entry reads: the structural zeros of a Jacobian.

The graph is run on sets instead of numbers: every leaf entry is a set with one member, an
operation unites the sets of the entries it reads. A set is a Python integer used as bits, so
one array of integers holds the pattern of a whole node.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.graph.node import Graph, Node, dependents
from vjpcli.graph.operation import leaf as leaf_operation
from vjpcli.graph.operation import make_leaf

LARGEST_PATTERN = 1_000_000
"""Jacobian entries, and entries over all nodes, up to which the pattern is worked out exactly."""


def reads(graph: Graph, output: Node, leaf: Node) -> NDArray[np.bool_] | None:
    """May output[i] depend on leaf[j]? Shape output.shape + leaf.shape; None when too large.

    False is a structural zero: no path leads from leaf[j] to output[i], whatever the numbers.
    """
    work = sum(node.size for node in graph.nodes)
    if output.size * leaf.size > LARGEST_PATTERN or work > LARGEST_PATTERN:
        return None
    receiving = dependents(graph, [leaf])
    if output not in receiving:
        return np.zeros(output.shape + leaf.shape, dtype=bool)
    sets: dict[Node, NDArray[Any]] = {leaf: _singletons(leaf)}
    for node in graph.nodes:
        if node in receiving and node is not leaf:
            sets[node] = _united(node, [_sets_of(operand, sets) for operand in node.operands])
    return _as_booleans(sets[output], leaf.size).reshape(output.shape + leaf.shape)


def reads_operand(reader: Node, position: int) -> NDArray[np.bool_] | None:
    """May an entry of a node depend on an entry of one of its operands? As `reads`, for one step.

    None also where the pattern of the operation cannot be had without its numbers.
    """
    operands = [
        make_leaf(str(place), operand.shape) if operand.kind == "real" else operand
        for place, operand in enumerate(reader.operands)
    ]
    alone = Node(reader.operation, tuple(operands), reader.static, reader.shape, reader.kind)
    names = {node.static["name"]: node for node in operands if node.operation is leaf_operation}
    try:
        return reads(Graph.reaching({"y": alone}, names), alone, operands[position])
    except (TypeError, ValueError, IndexError, KeyError, AttributeError):
        return None


def is_entrywise(graph: Graph, output: Node, leaf: Node) -> bool:
    """Whether every path from leaf to output keeps each entry to itself: a diagonal Jacobian.

    A sufficient test that looks at shapes only, for arrays of any size.
    """
    receiving = dependents(graph, [leaf])
    return output in receiving and all(
        node.operation.pattern == "elementwise" and node.shape == leaf.shape
        for node in receiving
        if node is not leaf
    )


def classify(pattern: NDArray[np.bool_] | None, output: Node, leaf: Node) -> str:
    """none, diagonal, row, block or dense (see `LeafReport.structure`)."""
    if pattern is None:
        return "dense"
    if not pattern.any():
        return "none"
    if output.size == 1:
        return "row"
    if output.size == leaf.size:
        matrix = pattern.reshape(output.size, leaf.size)
        if not matrix[~np.eye(leaf.size, dtype=bool)].any():
            return "diagonal"
    return "dense" if pattern.all() else "block"


def _singletons(leaf: Node) -> NDArray[Any]:
    sets = np.empty(leaf.size, dtype=object)
    sets[:] = [1 << position for position in range(leaf.size)]
    return sets.reshape(leaf.shape)


def _sets_of(operand: Node, sets: dict[Node, NDArray[Any]]) -> NDArray[Any]:
    if operand in sets:
        return sets[operand]
    return np.zeros(operand.shape, dtype=object)


def _united(node: Node, operands: list[NDArray[Any]]) -> NDArray[Any]:
    """The output's sets from the operands', by the operation's pattern."""
    operation = node.operation
    pattern = operation.pattern
    if callable(pattern):
        united = pattern(*operands, **node.static)
    elif pattern == "elementwise":
        united = reduce(np.bitwise_or, operands)
    elif pattern == "movement":
        assert operation.forward is not None
        united = operation.forward(*operands, **node.static)
    elif pattern in ("reduction", "along-axis"):
        axis = node.static["axis"]
        axes = axis if isinstance(axis, tuple) else (axis,)
        keepdims = pattern == "along-axis" or node.static.get("keepdims", False)
        united = np.bitwise_or.reduce(operands[0], axis=axes, keepdims=keepdims)
    else:
        everything = 0
        for operand in operands:
            everything |= int(np.bitwise_or.reduce(operand, axis=None))
        united = np.array(everything, dtype=object)
    return np.broadcast_to(np.asarray(united, dtype=object), node.shape)


def _as_booleans(sets: NDArray[Any], count: int) -> NDArray[np.bool_]:
    """One row of `count` booleans per set."""
    width = (count + 7) // 8
    packed = b"".join(int(members).to_bytes(width, "little") for members in sets.ravel())
    rows = np.frombuffer(packed, dtype=np.uint8).reshape(sets.size, width)
    return np.unpackbits(rows, axis=1, count=count, bitorder="little").astype(bool)
