"""Difference quotients of the forward graph: slopes that no rule has touched.

Nothing here enters a result; it only agrees or disagrees with one. A slope is measured with
several steps. Where the function is smooth, two steps extrapolate to a step of zero and say how
far off they may be; where they contradict each other the function is not smooth at the larger
step, and the smaller one is believed. The one-sided slopes come with it, so that a kink is told
from a wrong gradient.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.evaluate import evaluate
from vjpcli.errors import VjpError
from vjpcli.graph.node import Graph
from vjpcli.record import record

Array = NDArray[Any]

EPS = float(np.finfo(np.float64).eps)
STEP = float(np.cbrt(EPS))
"""Relative step of a central difference: balances truncation (h^2) against rounding (eps/h)."""

STEPS = (1e-3, 3e-5, 1e-6, 3e-8)
"""Relative steps that are tried in turn; the first two suffice where the function is smooth."""

GROWTH = 2.5
"""A one-sided quotient that grows by more from one step to the next has no finite limit."""

STEADY = 0.8
LOGARITHMIC = 3
"""... as has one that grows by as much (this share at least) over as many steps."""

JUMP = 12.0
"""... and one that grows almost as fast as the step shrinks stands at a jump."""


SMALLEST_VALUE = 1e-290
"""A step relative to a smaller value would itself be rounded, or be 0."""


@record
class Slope:
    """The derivative of the weighted output along one direction, as measured.

    Attributes:
        value: the two-sided slope; nan where none could be measured.
        error: bound of the error of `value`.
        left, right: one-sided slopes; infinite where the quotient grows without bound, nan
            where the function is not finite on that side.
        kink: whether left and right differ by more than their errors.
        jump: whether the function itself jumps here, so that it has no slope at all.
    """

    value: float
    error: float
    left: float
    right: float
    kink: bool = False
    jump: bool = False

    @property
    def low(self) -> float:
        """The least slope that is mathematically right at a kink."""
        return min(self.left, self.right)

    @property
    def high(self) -> float:
        """The greatest slope that is mathematically right at a kink."""
        return max(self.left, self.right)


class WeightedOutput:
    """The number sum over outputs of (seed . output), as a function of the inputs.

    Counts its evaluations. Values are computed in float64 whatever the program's dtype, so
    that rounding in the check does not hide behind rounding in the result.
    """

    def __init__(
        self,
        graph: Graph,
        seeds: Mapping[str, Array],
        values: Mapping[str, Any],
        here: Mapping[str, Array] | None = None,
    ) -> None:
        """`here`: the outputs at `values`, where they are known in float64."""
        self.graph = graph
        self.seeds = seeds
        self.values = {name: np.asarray(value, np.float64) for name, value in values.items()}
        self.evaluations = 0
        self._here = here

    def outputs(self, values: Mapping[str, Any]) -> dict[str, Array]:
        """The value of every output; nan where an operation refuses the numbers.

        A class index that is moved a little is no class index any more: there is no slope.
        """
        self.evaluations += 1
        try:
            results = evaluate(self.graph, values)
        except VjpError:
            outputs = self.graph.outputs.items()
            return {name: np.full(node.shape, np.nan) for name, node in outputs}
        return {name: results[node] for name, node in self.graph.outputs.items()}

    @property
    def here(self) -> Mapping[str, Array]:
        """The outputs where nothing has moved; computed once."""
        if self._here is None:
            self._here = self.outputs(self.values)
        return self._here

    def moved(self, directions: Mapping[str, Array], by: float) -> dict[str, Array]:
        """The outputs after every leaf moved `by` times its direction."""
        moved = {name: self.values[name] + by * way for name, way in directions.items()}
        return self.outputs({**self.values, **moved})

    def difference(self, a: Mapping[str, Array], b: Mapping[str, Array]) -> tuple[float, float]:
        """Seed-weighted a - b, differences taken first; and the size of what was subtracted.

        An entry with weight 0 counts for nothing, even where it is not finite; nor does one
        that does not move. But where nothing moves and something is infinite, the difference
        is nan: infinity hides whatever happened. A large number hides what is small beside it,
        so where nothing moves the size is that of all entries.
        """
        total = size = 0.0
        hidden = False
        with np.errstate(all="ignore"):
            for name, seed in self.seeds.items():
                counts = (seed != 0) & (a[name] != b[name])
                hidden |= bool(np.any((seed != 0) & np.isinf(a[name]) & ~counts))
                weights = np.where(counts, seed, 0.0)
                difference = np.where(counts, a[name] - b[name], 0.0)
                total += float(np.sum(weights * difference))
                size += float(np.sum(np.abs(weights * np.where(counts, a[name], 0.0))))
            if total == size == 0:
                size = sum(_finite_size(seed * a[name]) for name, seed in self.seeds.items())
        return (np.nan if hidden and total == 0 else total), size


@record
class _Quotients:
    """What one step gives: quotients at the step and at half of it, and their rounding error."""

    step: float
    central: tuple[float, float]
    left: tuple[float, float]
    right: tuple[float, float]
    size: float


def slope(
    function: WeightedOutput, directions: Mapping[str, Array], steps: tuple[float, ...]
) -> Slope:
    """The slope along `directions`, with an error bound and the slopes on either side.

    Two steps that agree end the search. Otherwise all are tried: a smaller step is believed
    where it contradicts a larger one, the better bound where they agree.
    """
    with np.errstate(all="ignore"):
        taken = [_quotients(function, directions, step) for step in steps[:2]]
        size = max(one.size for one in taken)
        first, second = (_extrapolated(one, 8 * EPS * size) for one in taken)
        best = min(first, second, key=lambda one: one.error)
        # The two sides come together as the step shrinks, unless the function jumps or bends.
        wide, narrow = (abs(one.right[1] - one.left[1]) for one in taken)
        together = narrow <= wide / 2 or narrow <= 1e-8 * abs(best.value)
        good = best.error <= 1e-8 * abs(best.value) and not best.kink
        if good and together and not _contradicts(first, second):
            return best
        taken += [_quotients(function, directions, step) for step in steps[2:]]
        size = max(one.size for one in taken)
        rough = 4 * _roughness(function, directions, 1e-3 * steps[-1])
        noise = 8 * EPS * size + rough
        # Steps beside a tiny value see tiny outputs and their rounding errors, or nothing.
        own = {one: 8 * EPS * one.size + rough for one in taken[len(STEPS) :]}
        seen = [one for one in taken if one not in own or _moves(one, own[one])]
        best = _most_credible(seen, [own.get(one, noise) for one in seen])
        ends_here = np.isnan(best.left) != np.isnan(best.right)
        return _with_limits(best, seen if ends_here else taken, noise)


def _moves(quotients: _Quotients, noise: float) -> bool:
    """Whether the function is seen to move at all at this step."""
    sizes = np.abs([*quotients.central, *quotients.left, *quotients.right]) * quotients.step
    return bool(np.any(sizes > noise))


def _most_credible(taken: list[_Quotients], noises: list[float]) -> Slope:
    """A smaller step is believed where it contradicts a larger one, else the better bound."""
    best: Slope | None = None
    for quotients, noise in zip(taken, noises, strict=True):
        found = _extrapolated(quotients, noise)
        if best is None or not np.isfinite(best.value):
            better = True
        else:
            better = _contradicts(best, found) or found.error < best.error
            better = better and bool(np.isfinite(found.value))
        best = found if better else best
    assert best is not None
    return best


def _contradicts(a: Slope, b: Slope) -> bool:
    """Whether two measurements differ by more than their errors."""
    return bool(abs(a.value - b.value) > 3 * (a.error + b.error))


def _roughness(function: WeightedOutput, directions: Mapping[str, Array], step: float) -> float:
    """The rounding error of the function itself: how far from straight it is over tiny steps.

    Large numbers that cancel inside leave errors that the size of the output does not show.
    On one side only, as there may be a kink here.
    """
    for side in (step, -step):
        points = [function.moved(directions, k * side) for k in (1, 2, 3, 4, 5)]
        slopes = [function.difference(b, a)[0] for a, b in pairwise(points)]
        bends = [abs(b - a) for a, b in pairwise(slopes)]
        if np.isfinite(bends).all():
            return float(max(bends)) / 2
    return 0.0


def quick_slope(
    function: WeightedOutput, directions: Mapping[str, Array], step: float
) -> tuple[float, float, float]:
    """The central quotient of one step and the one-sided ones, in two evaluations."""
    with np.errstate(all="ignore"):
        ahead, behind = function.moved(directions, step), function.moved(directions, -step)
        central, _ = function.difference(ahead, behind)
        right, _ = function.difference(ahead, function.here)
        left, _ = function.difference(function.here, behind)
        return central / (2 * step), left / step, right / step


def steps_for(value: float) -> tuple[float, ...]:
    """The steps for an entry of this value: relative to it, and to 1 where it is small.

    For a small value steps relative to itself come last: log has no other left at 1e-9.
    """
    size = abs(value) if np.isfinite(value) else 1.0
    steps = [step * max(1.0, size) for step in STEPS]
    if SMALLEST_VALUE < size < 1e-2:
        steps += [step * size for step in STEPS[:2] if step * size < steps[-1]]
    return tuple(steps)


def entry_directions(
    values: Mapping[str, Any], leaves: list[str]
) -> Iterator[tuple[str, tuple[int, ...], dict[str, Array]]]:
    """For every entry of every leaf: its name, position and unit direction."""
    for name in leaves:
        array = np.asarray(values[name], np.float64)
        for position in np.ndindex(array.shape):
            yield name, position, unit_direction(values, name, position)


def unit_direction(
    values: Mapping[str, Any], name: str, position: tuple[int, ...]
) -> dict[str, Array]:
    """The direction in which one entry of one leaf is raised."""
    direction = np.zeros(np.shape(values[name]))
    direction[position] = 1.0
    return {name: direction}


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


def _quotients(
    function: WeightedOutput, directions: Mapping[str, Array], step: float
) -> _Quotients:
    central, left, right = [], [], []
    size = 0.0
    for h in (step, step / 2):
        ahead, behind = function.moved(directions, h), function.moved(directions, -h)
        difference, moved_size = function.difference(ahead, behind)
        size = max(size, moved_size) if np.isfinite(moved_size) else size
        central.append(difference / (2 * h))
        right.append(function.difference(ahead, function.here)[0] / h)
        left.append(function.difference(function.here, behind)[0] / h)
    return _Quotients(step, _pair(central), _pair(left), _pair(right), size)


def _finite_size(array: Array) -> float:
    return float(np.sum(np.abs(array), where=np.isfinite(array)))


def _pair(numbers: list[float]) -> tuple[float, float]:
    return numbers[0], numbers[1]


def _extrapolated(quotients: _Quotients, rounding: float) -> Slope:
    """The limits that the two quotients of each kind point to (Richardson, 1911).

    A central quotient is off by h^2, a one-sided one by h; halving the step tells how much.
    `rounding` is the error to expect of a difference of two values.
    """
    noise = rounding / quotients.step
    wide, narrow = quotients.central
    value, error = (4 * narrow - wide) / 3, abs(wide - narrow) / 3 + noise
    left, left_error = _one_sided(quotients.left, noise)
    right, right_error = _one_sided(quotients.right, noise)
    apart = abs(right - left)
    kink = bool(apart > 4 * (left_error + right_error) and apart > 1e-6 * (abs(left) + abs(right)))
    if not np.isfinite(value):
        one_side = np.isfinite([left, right])
        if one_side.sum() == 1:
            value, error = (left, left_error) if one_side[0] else (right, right_error)
    return Slope(float(value), float(error), float(left), float(right), kink)


def _one_sided(quotients: tuple[float, float], noise: float) -> tuple[float, float]:
    wide, narrow = quotients
    return 2 * narrow - wide, abs(wide - narrow) + 2 * noise


def _with_limits(best: Slope, tried: list[_Quotients], rounding: float) -> Slope:
    """`best`, its one-sided slopes infinite where the quotients grow as the step shrinks."""
    ends_here = np.isnan(best.left) != np.isnan(best.right)
    # At the end of a domain nothing is told of the slope anyway, so noise cannot mislead.
    noise = 0.0 if ends_here else 100 * rounding / tried[-1].step
    left, left_growth = _limit(best.left, [one.left[1] for one in tried], noise)
    right, right_growth = _limit(best.right, [one.right[1] for one in tried], noise)
    if np.isfinite(left) and np.isfinite(right):
        return replace(best, left=left, right=right)
    jump = bool(left_growth > JUMP and right_growth > JUMP and left == right)
    kink = left != right and not np.isnan(left) and not np.isnan(right)
    value = best.value
    if np.isnan(left) != np.isnan(right):
        value = right if np.isnan(left) else left  # the function has one side only
    return replace(best, value=value, left=left, right=right, kink=bool(kink), jump=jump)


def _limit(measured: float, quotients: list[float], noise: float) -> tuple[float, float]:
    """The one-sided slope or infinity, and by what the quotient grew from step to step.

    Rounding errors grow as the step shrinks, too: up to `noise` nothing is read into that.
    """
    if len(quotients) < 2 or not np.isfinite(quotients[-2:]).all():
        infinite = quotients and np.isinf(quotients[-1])
        return (quotients[-1] if infinite else measured), 0.0
    before, last = abs(quotients[-2]), abs(quotients[-1])
    growths = [
        abs(later) / abs(earlier) if earlier else 0.0 for earlier, later in pairwise(quotients)
    ]
    if before and last > noise and min(growths) > GROWTH:
        return float(np.copysign(np.inf, quotients[-1])), last / before
    if _grows_steadily(quotients, noise):
        return float(np.copysign(np.inf, quotients[-1])), 0.0
    return measured, 0.0


def _grows_steadily(quotients: list[float], noise: float) -> bool:
    """Whether they grow by as much from each step to the next, as a logarithm does.

    Quotients that have a limit come to rest: each change is a small part of the one before.
    """
    changes = [later - earlier for earlier, later in pairwise(quotients)]
    if len(changes) < LOGARITHMIC or not np.isfinite(changes).all():
        return False
    outwards = all(change * quotients[-1] > 0 for change in changes)
    steady = all(STEADY * abs(a) < abs(b) for a, b in pairwise(changes))
    return outwards and steady and abs(changes[-1]) > max(noise, 0.05 * abs(quotients[-1]))
