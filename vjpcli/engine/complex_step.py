"""The complex step: a slope from one evaluation, exact to rounding, where everything is analytic.

f(x + ih) = f(x) + ih f'(x) - ..., so the imaginary part over h is the slope, and nothing was
subtracted (Squire and Trapp, SIAM Review 40, 1998).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.evaluate import evaluate
from vjpcli.graph.node import Graph, dependents
from vjpcli.graph.operation import compute

Array = NDArray[Any]

STEP = 1e-30
"""So small that its square is nothing beside 1, whatever the function."""

SMALLEST_STEP = 1e-270
"""Below it the imaginary parts would underflow."""


class ComplexStep:
    """Slopes of the weighted output with respect to one leaf.

    Errors: NotImplementedError, naming the operation on the way that is not analytic.
    """

    def __init__(
        self, graph: Graph, seeds: Mapping[str, Array], values: Mapping[str, Any], leaf: str
    ) -> None:
        self.seeds = seeds
        self.outputs = graph.outputs
        self.leaf = graph.inputs[leaf]
        receiving = dependents(graph, [self.leaf])
        self.moving = [node for node in graph.nodes if node in receiving and node is not self.leaf]
        for node in self.moving:
            if not node.operation.analytic:
                raise NotImplementedError(
                    f"{node.operation.name} is not computed for complex numbers"
                )
        # What does not move keeps its real value: conditions and positions have no complex one.
        self.still = evaluate(graph, values, keep=True)
        self.evaluations = 0

    def along(self, direction: Array) -> float:
        """The slope along a direction of the leaf's shape."""
        self.evaluations += 1
        step = _step(self.still[self.leaf], direction)
        moved = {self.leaf: self.still[self.leaf] + step * 1j * direction}
        total = 0.0
        with np.errstate(all="ignore"):
            for node in self.moving:
                operands = [moved.get(each, self.still[each]) for each in node.operands]
                moved[node] = compute(node, operands, {}, np.complex128)
            for name, seed in self.seeds.items():
                node = self.outputs[name]
                if node in moved:
                    counts = seed != 0
                    slopes = np.where(counts, moved[node].imag / step, 0.0)
                    total += float(np.sum(np.where(counts, seed, 0.0) * slopes))
        return total


def _step(values: Array, direction: Array) -> float:
    """The step along a direction: of tiny values a share, as log has no other left at 1e-30."""
    sizes = np.abs(values)[(direction != 0) & (values != 0) & np.isfinite(values)]
    return max(SMALLEST_STEP, STEP * float(np.min(sizes, initial=1.0)))
