"""The check line: this very result against difference quotients, which use no rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.differences import (
    STEP,
    STEPS,
    entry_directions,
    quick_slope,
    random_direction,
    slope,
)
from vjpcli.explanation.comparing import SMALL, Judgement, Referee, Tally
from vjpcli.explanation.model import Check
from vjpcli.explanation.problem import Problem

Array = NDArray[Any]

RUNS_OF_NODES = 20_000
"""Node evaluations that comparing entry by entry may cost; beyond, one direction is compared."""

ENTRIES_TO_COMPARE = 256


def check(problem: Problem, gradients: Mapping[str, Array]) -> Check | None:
    """The gradients compared with difference quotients; None when no seed exists.

    Entry by entry where that costs little, else along one random direction, where a single
    number checks all entries at once. At a kink, any slope between the one-sided ones agrees.
    """
    seeds = total_seeds(problem)
    if seeds is None or not problem.leaves:
        return None
    referee = Referee(problem, gradients, seeds)
    entries = sum(gradients[name].size for name in problem.leaves)
    cost = 2 * entries * len(problem.graph.nodes)
    if entries <= ENTRIES_TO_COMPARE and cost <= RUNS_OF_NODES:
        return _entry_by_entry(referee)
    return _along_one_direction(referee)


VISIBLE_ERROR = 1e-2
"""A relative error that only rounding can excuse: an agreement like that says nothing."""


def total_seeds(problem: Problem) -> dict[str, Array] | None:
    """The sum of the passes' seeds per output: their gradients accumulate.

    None where a seed stands for every row in turn.
    """
    total: dict[str, Array] = {}
    for one_pass in problem.passes:
        for seed in one_pass:
            if seed.value is None:
                return None
            value = np.asarray(seed.value, np.float64)
            total[seed.output] = total.get(seed.output, 0.0) + value
    return total or None


def _entry_by_entry(referee: Referee) -> Check:
    problem, gradients = referee.problem, referee.gradients
    least = 1e-9 * _size(gradients)
    total = Tally("", least)
    worst_leaf, worst = None, total.worst
    for name, index, direction in entry_directions(problem.arrays, list(problem.leaves)):
        got = float(gradients[name][index])
        step = STEP * max(1.0, abs(float(problem.arrays[name][index])))
        if not np.isfinite(got):
            total.add(Judgement("not-finite", np.nan), index, got)
            continue
        judgement = _quick(referee, direction, got, step, least)
        if judgement is None:
            measured = referee.judge_slope(got, referee.slope_at(name, index))
            judgement = referee.explained(measured, name, index)
            total.floor = max(least, referee.floor / referee.rtol)
            total.small = SMALL * referee.scale
        total.add(judgement, index, got)
        if total.worst != worst:
            worst_leaf, worst = name, total.worst
    return _report(referee, total, "central differences", worst_leaf)


def _along_one_direction(referee: Referee) -> Check:
    method = "a difference quotient along a random direction"
    leaves = list(referee.problem.leaves)
    gradients = referee.gradients
    if not all(np.isfinite(gradients[name]).all() for name in leaves):
        return Check(None, method, None, 0, "the gradient is not finite everywhere")
    directions = random_direction(referee.problem.arrays, leaves)
    with np.errstate(all="ignore"):
        products = [gradients[name].astype(np.float64) * directions[name] for name in leaves]
        got = float(sum(np.sum(product) for product in products))
        size = float(sum(np.sum(np.abs(product)) for product in products))
    judgement = _quick(referee, directions, got, 1e-6, 1e-9 * size)
    if judgement is None:
        judgement = referee.judge_slope(got, slope(referee.function, directions, STEPS))
        if abs(got - judgement.expected) <= 1e-3 * referee.rtol * size:
            judgement = Judgement("agrees", judgement.expected)
    total = Tally("", 1e-9 * size)
    total.add(judgement, None, got)
    return _report(referee, total, method, None)


def _quick(
    referee: Referee, directions: Mapping[str, Array], got: float, step: float, least: float
) -> Judgement | None:
    """Agreement seen in two evaluations; None where a closer look is needed."""
    central, left, right = quick_slope(referee.function, directions, step)
    if not np.isfinite([central, left, right]).all():
        return None
    size = max(abs(got), abs(central), least)
    smooth = abs(right - left) <= 1e-2 * size
    if smooth and abs(got - central) <= referee.rtol * size:
        return Judgement("agrees", central)
    return None


def _size(gradients: Mapping[str, Array]) -> float:
    """The largest finite gradient entry: what counts as small is seen beside it."""
    sizes = [np.max(np.abs(g[np.isfinite(g)]), initial=0.0) for g in gradients.values()]
    return float(max(sizes, default=0.0))


def _report(referee: Referee, total: Tally, method: str, worst_leaf: str | None) -> Check:
    found = total.report()
    evaluations = referee.function.evaluations
    not_compared = found.not_finite + found.uncertain
    reasons = []
    if found.at_kinks:
        reasons.append(f"{_entries(found.at_kinks)} at a kink, between the one-sided slopes")
    if found.not_finite:
        reasons.append(f"{_entries(found.not_finite)} not finite, not compared")
    if found.uncertain:
        reasons.append(f"{_entries(found.uncertain)} too close to rounding to compare")
    disagrees = found.verdict == "disagrees"
    undecided = not (found.compared - found.at_kinks) and bool(not_compared)
    if not disagrees and (found.relative_error or 0.0) > VISIBLE_ERROR:
        undecided = True
        reasons.append("rounding in the function hides its slope")
    reason = "; ".join(reasons)
    return Check(
        agrees=None if undecided else not disagrees,
        method=method,
        worst_relative_error=None if undecided else found.relative_error,
        evaluations=evaluations,
        reason=reason,
        worst_leaf=worst_leaf if disagrees else None,
        worst_index=found.index if disagrees else None,
        expected=found.expected if disagrees else None,
        got=found.got if disagrees else None,
    )


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"
