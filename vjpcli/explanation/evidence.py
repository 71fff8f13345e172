"""Evidence: the numbers of one backward pass, node by node, for the findings and the step table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.backward import Backward, Contribution
from vjpcli.engine.structure import reads_operand
from vjpcli.explanation.model import LeafReport, Seed
from vjpcli.explanation.problem import Problem
from vjpcli.graph.node import Graph, Node

Array = NDArray[Any]


@dataclass(eq=False)
class Evidence:
    """What was computed on the way forward and back.

    Attributes:
        problem: the question.
        graph: the forward graph of the outputs that took part in this pass.
        one_pass: its seeds.
        reverse: its backward graph; `reverse.contributions` tells who handed what to whom.
        values: every node of forward and backward graph that was kept -> its value. Holds all
            forward nodes, all adjoints and, for every contribution, `local` and `fitted`.
        gradients: leaf -> gradient, added up over all passes.
        leaves: leaf -> report.
        names: forward node -> its name in the step table.
    """

    problem: Problem
    graph: Graph
    one_pass: tuple[Seed, ...]
    reverse: Backward
    values: Mapping[Node, Array]
    gradients: Mapping[str, Array]
    leaves: Mapping[str, LeafReport]
    names: Mapping[Node, str]

    def adjoint(self, node: Node) -> Array | None:
        """The adjoint that arrived at a forward node, or None."""
        found = self.reverse.adjoints.get(node)
        return None if found is None else self.values[found]

    @cached_property
    def received(self) -> Mapping[Node, list[Contribution]]:
        """Forward node -> the contributions that add up to its adjoint."""
        found: dict[Node, list[Contribution]] = defaultdict(list)
        for contribution in self.reverse.contributions:
            found[contribution.operand].append(contribution)
        return found

    @cached_property
    def sent(self) -> Mapping[Node, list[Contribution]]:
        """Forward node -> the contributions that its rule hands to its operands."""
        found: dict[Node, list[Contribution]] = defaultdict(list)
        for contribution in self.reverse.contributions:
            found[contribution.reader].append(contribution)
        return found

    def reads(self, reader: Node, position: int) -> NDArray[np.bool_] | None:
        """May reader[i] depend on entry j of its operand? None where that is too much to ask.

        Shape reader.shape + operand.shape; worked out once.
        """
        key = reader, position
        if key not in self._known_reads:
            self._known_reads[key] = reads_operand(reader, position)
        return self._known_reads[key]

    @cached_property
    def _known_reads(self) -> dict[tuple[Node, int], NDArray[np.bool_] | None]:
        return {}

    def text_of(self, node: Node) -> str:
        """The user's own text of a node, or its name where it has no place in the program."""
        if node.span is None:
            return self.names.get(node, node.operation.name)
        return self.problem.program.source.text[node.span.start : node.span.end]
