"""The traced graph as plain frozen data: Node and Graph.

A Node is one operation applied to operands. It holds no value and no gradient: values belong
to a run of the graph (`engine.evaluate`), adjoints to the backward graph (`engine.backward`).
Arithmetic on nodes makes new nodes, so a derivative rule reads like the formula it is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from vjpcli.errors import Span
from vjpcli.graph.operators import Operators
from vjpcli.record import record

if TYPE_CHECKING:
    from vjpcli.graph.operation import Operation

Shape = tuple[int, ...]
Kind = Literal["real", "condition", "index"]

_serial_numbers = itertools.count()
_current_span: ContextVar[Span | None] = ContextVar("_current_span", default=None)
_is_fixed: ContextVar[bool] = ContextVar("_is_fixed", default=False)


@contextmanager
def written_at(span: Span | None, *, throughout: bool = False) -> Iterator[None]:
    """Gives every node made inside the block this place in the user's text.

    With `throughout`, places that are given inside of the block do not count.
    """
    if _is_fixed.get():
        yield
        return
    token, fixed = _current_span.set(span), _is_fixed.set(throughout)
    try:
        yield
    finally:
        _current_span.reset(token)
        _is_fixed.reset(fixed)


@dataclass(frozen=True, slots=True, eq=False)
class Node(Operators):
    """One operation applied to operands.

    Attributes:
        operation: what is computed.
        operands: the positional, differentiable arguments.
        static: the keyword arguments, normalised: axes are negative, so that they keep their
            meaning when an array carries extra leading axes.
        shape: shape of the value.
        kind: "real" numbers have derivatives; a "condition" (bool) and an "index" have none.
        span: where it stands in the user's text, None for what the program added.
        serial: grows with every node made, so sorting by it is a topological order.
    """

    operation: Operation
    operands: tuple[Node, ...]
    static: Mapping[str, Any]
    shape: Shape
    kind: Kind = "real"
    span: Span | None = field(default_factory=_current_span.get)
    serial: int = field(default_factory=_serial_numbers.__next__)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)

    def __repr__(self) -> str:
        return f"<{self.operation.name} {list(self.shape)} #{self.serial}>"


@record(eq=False)
class Graph:
    """Nodes in an order in which operands precede their users.

    Attributes:
        nodes: every node that some output depends on, and every leaf.
        inputs: name -> the leaf node that stands for a named array.
        outputs: name -> the node whose value is asked for.
        names: every named value of the program, intermediate ones included.
    """

    nodes: tuple[Node, ...]
    inputs: Mapping[str, Node]
    outputs: Mapping[str, Node]
    names: Mapping[str, Node] = field(default_factory=dict)

    @staticmethod
    def reaching(
        outputs: Mapping[str, Node],
        inputs: Mapping[str, Node],
        names: Mapping[str, Node] | None = None,
    ) -> Graph:
        """The graph of everything that `outputs` depend on, together with `inputs`."""
        nodes = ancestors(outputs.values()) | set(inputs.values())
        return Graph(
            nodes=tuple(sorted(nodes, key=lambda node: node.serial)),
            inputs=dict(inputs),
            outputs=dict(outputs),
            names=dict(names or {}),
        )


def ancestors(nodes: Iterable[Node]) -> set[Node]:
    """`nodes` and everything that they are computed from."""
    found: set[Node] = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending.extend(node.operands)
    return found


def dependents(graph: Graph, sources: Iterable[Node]) -> set[Node]:
    """`sources` and every real-valued node whose value can change smoothly with them.

    A condition or an index changes only in jumps: what hangs on a source through nothing
    else has no derivative to receive.
    """
    found = set(sources)
    for node in graph.nodes:
        if node.kind == "real" and not found.isdisjoint(node.operands):
            found.add(node)
    return found
