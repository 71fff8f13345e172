"""Difference quotients of the forward graph: a check of gradients that uses no rule.

Nothing here enters a result; it only agrees or disagrees with one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.evaluate import evaluate
from vjpcli.graph.node import Graph

Array = NDArray[Any]

STEP = float(np.cbrt(np.finfo(np.float64).eps))
"""Relative step of a central difference: balances truncation (h^2) against rounding (eps/h)."""

RUNS_OF_NODES = 20_000
"""Node evaluations that an entry-by-entry comparison may cost; beyond, one direction is compared."""

ENTRIES_TO_COMPARE = 256
ACCEPTED = 1e-5
"""Relative error up to which two numbers agree, besides what rounding explains."""


@dataclass(frozen=True, slots=True)
class Quotient:
    """Derivative of the weighted output along one direction, by differences.

    Attributes:
        central: central difference quotient.
        left, right: one-sided difference quotients, nan unless they were asked for.
        noise: bound of the rounding error in them.
    """

    central: float
    left: float
    right: float
    noise: float


class WeightedOutput:
    """The number sum over outputs of (seed . output), as a function of the inputs.

    Counts its evaluations. Values are computed in float64 whatever the program's dtype, so
    that rounding in the check does not hide behind rounding in the result.
    """

    def __init__(self, graph: Graph, seeds: Mapping[str, Array], values: Mapping[str, Any]) -> None:
        self.graph = graph
        self.seeds = seeds
        self.values = {name: np.asarray(value, np.float64) for name, value in values.items()}
        self.evaluations = 0

    def outputs(self, values: Mapping[str, Any]) -> dict[str, Array]:
        """The value of every output."""
        self.evaluations += 1
        results = evaluate(self.graph, values)
        return {name: results[node] for name, node in self.graph.outputs.items()}

    def moved(self, directions: Mapping[str, Array], by: float) -> dict[str, Array]:
        """The outputs after every leaf moved `by` times its direction."""
        moved = {name: self.values[name] + by * way for name, way in directions.items()}
        return self.outputs({**self.values, **moved})

    def quotient(
        self, directions: Mapping[str, Array], step: float, *, sides: bool = False
    ) -> Quotient:
        """The difference quotient along `directions`; `sides` costs one evaluation more."""
        ahead, behind = self.moved(directions, step), self.moved(directions, -step)
        central, size = self._weighted(ahead, behind)
        left = right = np.nan
        if sides:
            here = self.outputs(self.values)
            right = self._weighted(ahead, here)[0] / step
            left = self._weighted(here, behind)[0] / step
        noise = 4 * np.finfo(np.float64).eps * size / step
        return Quotient(central / (2 * step), left, right, noise)

    def _weighted(self, a: Mapping[str, Array], b: Mapping[str, Array]) -> tuple[float, float]:
        """Seed-weighted a - b, differences taken first; and the size of what was subtracted.

        An entry with weight 0 counts for nothing, even where it is not finite.
        """
        total = size = 0.0
        with np.errstate(all="ignore"):
            for name, seed in self.seeds.items():
                counts = (seed != 0) & (a[name] != b[name])
                weights = np.where(counts, seed, 0.0)
                difference = np.where(counts, a[name] - b[name], 0.0)
                total += float(np.sum(weights * difference))
                size += float(np.sum(np.abs(weights * np.where(counts, a[name], 0.0))))
        return total, size


def entry_directions(
    values: Mapping[str, Any], leaves: list[str]
) -> Iterator[tuple[str, tuple[int, ...], dict[str, Array], float]]:
    """For every entry of every leaf: its name, position, unit direction and step."""
    for name in leaves:
        array = np.asarray(values[name], np.float64)
        for position in np.ndindex(array.shape):
            direction = np.zeros(array.shape)
            direction[position] = 1.0
            yield name, position, {name: direction}, STEP * max(1.0, abs(float(array[position])))


def random_direction(values: Mapping[str, Any], leaves: list[str]) -> dict[str, Array]:
    """A direction with every entry +-scale, scale the size of the leaf's entry (at least 1)."""
    generator = np.random.default_rng(0)
    directions = {}
    for name in leaves:
        array = np.asarray(values[name], np.float64)
        finite = np.where(np.isfinite(array), np.abs(array), 1.0)
        signs = generator.choice([-1.0, 1.0], size=array.shape)
        directions[name] = signs * np.maximum(1.0, finite)
    return directions
