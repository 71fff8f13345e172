"""A graph with some of its nodes frozen at their present values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from vjpcli.engine.evaluate import evaluate
from vjpcli.graph.node import Graph, Node
from vjpcli.graph.operation import make_constant

STOPS = {"stop_gradient"}
"""Operations that keep the value and cut the gradient on purpose."""


def stops_frozen(graph: Graph, values: Mapping[str, Any]) -> Graph:
    """The function whose gradient is meant: what `stop_gradient` holds does not move."""
    stops = [node for node in graph.nodes if node.operation.name in STOPS]
    if not stops:
        return graph
    wanted = Graph.reaching({str(node.serial): node for node in stops}, graph.inputs)
    results = evaluate(wanted, values)
    return _with_constants(graph, {node: results[node] for node in stops})


def _with_constants(graph: Graph, constants: Mapping[Node, NDArray[Any]]) -> Graph:
    new: dict[Node, Node] = {}
    for node in graph.nodes:
        if node in constants:
            new[node] = make_constant(constants[node])
        elif any(new[operand] is not operand for operand in node.operands):
            operands = tuple(new[operand] for operand in node.operands)
            # A copy with a serial number of its own: the numbers are the order of the nodes.
            new[node] = Node(
                node.operation, operands, node.static, node.shape, node.kind, node.span
            )
        else:
            new[node] = node
    outputs = {name: new[node] for name, node in graph.outputs.items()}
    return replace(graph, nodes=_ordered(new.values()), outputs=outputs, names={})


def _ordered(nodes: Iterable[Node]) -> tuple[Node, ...]:
    return tuple(sorted(set(nodes), key=lambda node: node.serial))
