"""Where a gradient vanished: the first node, from the output down, whose adjoint is nothing.

An adjoint counts as nothing when every contribution to it does, or when contributions that are
something add up to no more than their rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.backward import Contribution
from vjpcli.engine.jacobian import jacobian
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.saturation import TINY, saturated_entries
from vjpcli.graph.node import Graph, Node, ancestors
from vjpcli.graph.operation import make_leaf
from vjpcli.record import record

Array = NDArray[Any]
Kind = Literal["cancels", "times-zero", "saturated", "underflow", "flat-side", "ordinary"]

ROUNDING = 16
"""Units in the last place that a sum of contributions may be off."""

PRODUCTS = {"multiply", "matmul", "outer", "divide"}
LARGEST_LOCAL_JACOBIAN = 10_000


@record(eq=False)
class Cause:
    """Why the adjoint of a node is nothing.

    Attributes:
        kind: "ordinary" where it is nothing to speak of: the seed is 0 there, the entry was not
            read, the branch was not taken, the point is stationary.
        node: the step where it vanished.
        operand: the zero factor, for "times-zero".
        sums: positive and negative contributions to one entry, for "cancels".
        contribution: the hand-over that came to nothing.
    """

    kind: Kind
    node: Node
    operand: Node | None = None
    sums: tuple[float, float] = (0.0, 0.0)
    contribution: Contribution | None = None


@dataclass(eq=False)
class Vanishing:
    """The walk from the output down; `causes` tells of every node whose adjoint is nothing."""

    evidence: Evidence
    connected: set[Node]
    causes: dict[Node, tuple[Cause, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        outputs = set(self.evidence.graph.outputs.values())
        for node in reversed(self.evidence.graph.nodes):
            if node in self.connected and node in self.evidence.reverse.adjoints:
                causes = self._of_node(node, node in outputs)
                if causes:
                    self.causes[node] = causes

    def _of_node(self, node: Node, is_output: bool) -> tuple[Cause, ...]:
        values = self.evidence.values
        adjoint = self.evidence.adjoint(node)
        assert adjoint is not None
        if not np.isfinite(adjoint).all():
            return ()
        if is_output:
            return () if adjoint.any() else (Cause("ordinary", node),)
        causes: list[Cause] = []
        alive: list[Contribution] = []
        for one in self.evidence.received.get(node, []):
            if one.reader.operation.flat or one.reader not in self.connected:
                continue
            if one.reader in self.causes:
                causes += self.causes[one.reader]
                continue
            cause = self._of_contribution(one)
            if cause is None:
                alive.append(one)
            else:
                causes.append(cause)
        if not alive:
            return tuple(dict.fromkeys(causes))
        size = np.zeros(node.shape)
        for one in alive:
            size = size + _fitted(np.abs(values[one.local]), node.shape)
        rounding = ROUNDING * np.finfo(adjoint.dtype).eps
        if adjoint.size and np.any(size) and np.all(np.abs(adjoint) <= rounding * size):
            return (Cause("cancels", node, sums=self._sums(node, alive, size)),)
        return ()

    def _sums(self, node: Node, alive: list[Contribution], size: Array) -> tuple[float, float]:
        """The positive and the negative contributions to the entry that receives most."""
        place = int(np.argmax(size))
        positive = negative = 0.0
        for one in alive:
            local = self.evidence.values[one.local]
            positive += float(_fitted(np.maximum(local, 0), node.shape).reshape(-1)[place])
            negative += float(_fitted(np.minimum(local, 0), node.shape).reshape(-1)[place])
        return positive, negative

    def _of_contribution(self, one: Contribution) -> Cause | None:
        """Why this hand-over came to nothing; None when it did not."""
        local = self.evidence.values[one.local]
        arrived = self.evidence.adjoint(one.reader)
        assert arrived is not None
        largest = np.max(np.abs(arrived), initial=0.0)
        sent = np.max(np.abs(local), initial=0.0)
        if not np.isfinite(local).all() or sent > nothing_beside(arrived.dtype) * largest:
            return None
        reader = one.reader
        if reader.operation.name in PRODUCTS:
            return self._of_product(one, local, arrived)
        if len(reader.operands) == 1 and reader.operation.pattern == "along-axis":
            return self._of_mixing(one, arrived)
        if len(reader.operands) == 1 and reader.operation.pattern == "elementwise":
            kind = saturated_entries(self.evidence, one, arrived != 0).kind
            if kind is not None:
                return Cause(kind, reader, contribution=one)
            if reader.operation.kinks and not local.any() and local.size > 1:
                return Cause("flat-side", reader, contribution=one)
        return None if local.any() else Cause("ordinary", reader)

    def _of_product(self, one: Contribution, local: Array, arrived: Array) -> Cause | None:
        reader = one.reader
        other = reader.operands[1 - one.position]
        if other is one.operand:
            return None if local.any() else Cause("ordinary", reader)
        if not np.any(self.evidence.values[other]):
            inputs = {self.evidence.graph.inputs[leaf] for leaf in self.evidence.problem.leaves}
            shared = ancestors([other]) & ancestors([one.operand]) & inputs
            if shared:
                # The factor is zero by this leaf's own doing: a stationary point, such as a
                # residual of 0.
                return Cause("ordinary", reader)
            return Cause("times-zero", reader, operand=other)
        if local.any():
            return None
        with np.errstate(all="ignore"):
            factor = self.evidence.values[other]
            if reader.operation.name in ("multiply", "divide") and np.any(
                (factor != 0) & (arrived != 0)
            ):
                return Cause("underflow", reader, contribution=one)
        return Cause("ordinary", reader)

    def _of_mixing(self, one: Contribution, arrived: Array) -> Cause | None:
        """Of a softmax and the like: whether its own terms cancel or are tiny."""
        weighted = self._weighted_rows(one, arrived)
        if weighted is None:
            return None
        axes = tuple(range(arrived.ndim))
        positive = np.sum(np.maximum(weighted, 0), axis=axes)
        negative = np.sum(np.minimum(weighted, 0), axis=axes)
        size = positive - negative
        largest = np.max(np.abs(arrived), initial=0.0)
        if np.max(size, initial=0.0) <= TINY * largest:
            return Cause("saturated", one.reader, contribution=one)
        if np.all(np.abs(positive + negative) <= nothing_beside(arrived.dtype) * np.max(size)):
            place = np.unravel_index(int(np.argmax(size)), size.shape)
            sums = float(positive[place]), float(negative[place])
            return Cause("cancels", one.reader, sums=sums, contribution=one)
        return None

    def _weighted_rows(self, one: Contribution, arrived: Array) -> Array | None:
        """adjoint × Jacobian of this one step, its rows not yet added up."""
        shape, reader = one.operand.shape, one.reader
        if one.operand.size * reader.size > LARGEST_LOCAL_JACOBIAN:
            return None
        operand = make_leaf("operand", shape)
        step = Node(reader.operation, (operand,), reader.static, reader.shape, reader.kind, None)
        graph = Graph.reaching({"step": step}, {"operand": operand})
        values = {"operand": self.evidence.values[one.operand]}
        entries = jacobian(graph, ["operand"], values, arrived.dtype)["operand"].entries
        if entries is None:
            return None
        return entries * arrived.reshape(arrived.shape + (1,) * len(shape))


def nothing_beside(dtype: Any) -> float:
    """The share of something that counts as nothing in this dtype."""
    return max(TINY, ROUNDING * float(np.finfo(dtype).eps))


def _fitted(local: Array, shape: tuple[int, ...]) -> Array:
    """A contribution summed over the axes that broadcasting made, as `backward.fit` does it."""
    extra = local.ndim - len(shape)
    if extra > 0:
        local = local.sum(axis=tuple(range(extra)))
    stretched = tuple(
        axis for axis, n in enumerate(shape) if local.ndim and n == 1 and local.shape[axis] != 1
    )
    if stretched:
        local = local.sum(axis=stretched, keepdims=True)
    return np.broadcast_to(local, shape)
