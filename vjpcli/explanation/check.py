"""The check line: this very result against difference quotients, which use no rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.differences import (
    ACCEPTED,
    ENTRIES_TO_COMPARE,
    RUNS_OF_NODES,
    WeightedOutput,
    entry_directions,
    random_direction,
)
from vjpcli.explanation.model import Check
from vjpcli.explanation.problem import Problem

Array = NDArray[Any]


@dataclass
class _Comparison:
    """The worst entry so far, and the entries that could not be compared."""

    worst: float = 0.0
    agrees: bool = True
    compared: int = 0
    at_kinks: int = 0
    not_finite: int = 0
    leaf: str | None = None
    index: tuple[int, ...] | None = None
    expected: float | None = None
    got: float | None = None


def check(problem: Problem, gradients: Mapping[str, Array]) -> Check | None:
    """The gradients compared with difference quotients; None when no seed exists.

    Entry by entry where that costs little, else along one random direction, where a single
    number checks all entries at once. At a kink, any slope between the one-sided ones agrees.
    """
    seeds = _total_seeds(problem)
    if seeds is None or not problem.leaves:
        return None
    function = WeightedOutput(problem.graph, seeds, problem.arrays)
    entries = sum(gradients[name].size for name in problem.leaves)
    cost = 2 * entries * len(problem.graph.nodes)
    tolerance = tolerance_of(problem.settings.dtype)
    if entries <= ENTRIES_TO_COMPARE and cost <= RUNS_OF_NODES:
        return _entry_by_entry(problem, gradients, function, tolerance)
    return _along_one_direction(problem, gradients, function, tolerance)


def tolerance_of(dtype: str) -> float:
    """The relative error up to which a gradient of this dtype agrees."""
    return ACCEPTED if dtype == "float64" else 2e-3


def _total_seeds(problem: Problem) -> dict[str, Array] | None:
    """The sum of the passes' seeds per output: their gradients accumulate."""
    total: dict[str, Array] = {}
    for one_pass in problem.passes:
        for seed in one_pass:
            if seed.value is None:
                return None
            value = np.asarray(seed.value, np.float64)
            total[seed.output] = total.get(seed.output, 0.0) + value
    return total or None


def _entry_by_entry(
    problem: Problem, gradients: Mapping[str, Array], function: WeightedOutput, tolerance: float
) -> Check:
    method = "central differences"
    found = _Comparison()
    size = _size(gradients)
    for name, position, direction, step in entry_directions(problem.arrays, list(problem.leaves)):
        got = float(gradients[name][position])
        if not np.isfinite(got):
            found.not_finite += 1
            continue
        error, expected, kink = _error(function, direction, step, got, size, tolerance)
        if kink:
            found.at_kinks += 1
            continue
        if not np.isfinite(error):
            found.not_finite += 1
            continue
        found.compared += 1
        if error >= found.worst:
            found.worst = error
            found.leaf, found.index, found.expected, found.got = name, position, expected, got
    found.agrees = found.worst <= tolerance
    return _report(found, method, function)


def _along_one_direction(
    problem: Problem, gradients: Mapping[str, Array], function: WeightedOutput, tolerance: float
) -> Check:
    method = "a difference quotient along a random direction"
    leaves = list(problem.leaves)
    directions = random_direction(problem.arrays, leaves)
    if not all(np.isfinite(gradients[name]).all() for name in leaves):
        return Check(None, method, None, 0, "the gradient is not finite everywhere")
    with np.errstate(all="ignore"):
        products = [gradients[name].astype(np.float64) * directions[name] for name in leaves]
        got = float(sum(np.sum(product) for product in products))
        size = float(sum(np.sum(np.abs(product)) for product in products))
    found = _Comparison()
    error, expected, kink = _error(function, directions, 1e-6, got, size, tolerance)
    if kink:
        found.at_kinks += 1
    elif np.isfinite(error):
        found.compared, found.worst, found.agrees = 1, error, error <= tolerance
        found.expected, found.got = expected, got
    else:
        found.not_finite += 1
    return _report(found, method, function)


def _error(
    function: WeightedOutput,
    direction: Mapping[str, Array],
    step: float,
    got: float,
    size: float,
    tolerance: float,
) -> tuple[float, float, bool]:
    """Relative error of `got`, the quotient it was compared with, and whether a kink explains it.

    Other steps are tried only when the first disagrees: too large a step meets curvature, too
    small a one rounding.
    """
    best, expected = np.inf, np.nan
    for factor in (1.0, 1e-2, 30.0, 1e-4):
        quotient = function.quotient(direction, step * factor)
        allowed = max(abs(got), abs(quotient.central), 1e-9 * size)
        if not np.isfinite(quotient.central):
            continue
        difference = abs(got - quotient.central)
        noise_explains = difference <= quotient.noise
        error = 0.0 if difference == 0 else difference / (allowed or 1.0)
        if noise_explains and error > tolerance:
            error = tolerance if quotient.noise < 1e-3 * max(allowed, 1e-300) else np.inf
        if error < best:
            best, expected = error, quotient.central
        if best <= tolerance:
            return best, expected, False
    sided = function.quotient(direction, step * 1e-2, sides=True)
    low, high = sorted((sided.left, sided.right))
    margin = 1e-4 * max(abs(low), abs(high), 1e-9 * size)
    if high - low > 10 * margin and low - margin <= got <= high + margin:
        return best, expected, True
    return best, expected, False


def _size(gradients: Mapping[str, Array]) -> float:
    """The largest finite gradient entry: what counts as small is seen beside it."""
    sizes = [np.max(np.abs(g[np.isfinite(g)]), initial=0.0) for g in gradients.values()]
    return float(max(sizes, default=0.0))


def _report(found: _Comparison, method: str, function: WeightedOutput) -> Check:
    reasons = []
    if found.at_kinks:
        reasons.append(f"{_entries(found.at_kinks)} at a kink, between the one-sided slopes")
    if found.not_finite:
        reasons.append(f"{_entries(found.not_finite)} not finite, not compared")
    reason = "; ".join(reasons)
    if not found.compared and (found.not_finite or not found.at_kinks):
        agrees: bool | None = None if found.not_finite else True
        return Check(agrees, method, None, function.evaluations, reason)
    disagrees = not found.agrees
    return Check(
        agrees=found.agrees,
        method=method,
        worst_relative_error=found.worst if found.compared else None,
        evaluations=function.evaluations,
        reason=reason,
        worst_leaf=found.leaf if disagrees else None,
        worst_index=found.index if disagrees else None,
        expected=found.expected if disagrees else None,
        got=found.got if disagrees else None,
    )


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"
