"""Judges numbers: is this the gradient, given what a method says and how exact it is.

Every comparison of `check`, and the check line of `explain`, is made here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.differences import Slope, WeightedOutput, slope, steps_for, unit_direction
from vjpcli.engine.evaluate import evaluate
from vjpcli.engine.freezing import stops_frozen
from vjpcli.explanation.checking import LeafComparison, Verdict
from vjpcli.explanation.problem import Problem
from vjpcli.graph.node import Graph

Array = NDArray[Any]
Index = tuple[int, ...]

Finding = Literal[
    "agrees", "kink", "convention", "rounding", "overruled", "disagrees", "uncertain", "not-finite"
]

ACCEPTED = {"float64": 1e-5, "float32": 2e-3}
"""Relative error up to which two numbers agree, besides what rounding explains."""

TELLING_ERROR = 1e-3
"""Relative error bound up to which a measured slope tells right from wrong."""

INVISIBLE = 1e-8
"""Difference, beside the largest adjoint, that no difference quotient can see."""

SMALL = 1e-3
"""Share of the largest adjoint below which a number is small."""

PLAIN_ERROR = 1e-6
"""A larger relative error of numbers that agree is that of small ones, seen beside SMALL.

A gradient of exactly 0 is met by quotients that are a rounding error away from it.
"""

MOST_LOOKED_AT = 256
"""Entries of one leaf that differ and are looked at one by one, the worst first."""

YOURS = "yours"
"""What a claim is called."""

MOST_KEPT_ENTRIES = 5_000_000


class Judgement(NamedTuple):
    """What came of one comparison: the finding, the number that was expected, and a remark."""

    finding: Finding
    expected: float
    says: str = ""


class Tally:
    """The comparisons of one leaf, added up; keeps the worst entry.

    Relative errors are relative to `floor` where the numbers are smaller than that; those of
    numbers that agree to `small` where they would look large.
    """

    def __init__(self, leaf: str, floor: float, small: float = 0.0) -> None:
        self.leaf = leaf
        self.floor = floor
        self.small = small
        self.counts: Counter[Finding] = Counter()
        self.worst: tuple[bool, float] = (False, -1.0)
        self.at: tuple[Index | None, float, float] | None = None
        self.remarks: dict[str, None] = {}

    def add(self, judgement: Judgement, index: Index | None, got: float) -> None:
        """Counts one comparison."""
        self.counts[judgement.finding] += 1
        if judgement.says:
            self.remarks.setdefault(judgement.says)
        if judgement.finding in ("agrees", "disagrees"):
            disagrees = judgement.finding == "disagrees"
            error = relative_error(got, judgement.expected, self.floor)
            if not disagrees:
                error = float(self.error_of_agreement(got, judgement.expected))
            if (disagrees, error) > self.worst:
                self.worst = disagrees, error
                self.at = index, got, judgement.expected

    def add_agreeing(self, count: int, error: float, index: Index, got: float, exp: float) -> None:
        """Counts many entries that agree at once, `index` being the worst of them."""
        self.counts["agrees"] += count
        if count and (False, error) > self.worst:
            self.worst = False, error
            self.at = index, got, exp

    def error_of_agreement(self, got: Any, expected: Any) -> Any:
        """The relative error of numbers that agree."""
        error = relative_error(got, expected, self.floor)
        beside = relative_error(got, expected, max(self.floor, self.small))
        return np.where(error <= PLAIN_ERROR, error, beside)

    def report(self) -> LeafComparison:
        """The sum of it."""
        counts = self.counts
        at_kinks = counts["kink"] + counts["convention"]
        agreeing = counts["agrees"] + counts["rounding"] + counts["overruled"] + at_kinks
        verdict: Verdict = "agrees"
        if counts["disagrees"]:
            verdict = "disagrees"
        elif not agreeing and (counts["not-finite"] or counts["uncertain"]):
            verdict = "undecided"
        index, got, expected = self.at or (None, None, None)
        return LeafComparison(
            leaf=self.leaf,
            verdict=verdict,
            compared=agreeing + counts["disagrees"],
            agreeing=agreeing,
            at_kinks=at_kinks,
            by_convention=counts["convention"],
            rounding=counts["rounding"],
            overruled=counts["overruled"],
            not_finite=counts["not-finite"],
            uncertain=counts["uncertain"],
            index=index,
            got=got,
            expected=expected,
            relative_error=self.worst[1] if self.at else None,
            says=tuple(self.remarks),
        )


class Referee:
    """Judges the gradients of one problem.

    Attributes:
        gradients: leaf -> the gradient to be judged.
        seeds: output -> total seed of all passes.
        graph: the forward graph, with what the gradient is not to pass through held still.
        function: the weighted output whose gradient it should be.
        rtol: relative error up to which two numbers agree.
    """

    def __init__(
        self,
        problem: Problem,
        gradients: Mapping[str, Array],
        seeds: Mapping[str, Array],
        rtol: float | None = None,
    ) -> None:
        self.problem = problem
        self.gradients = gradients
        self.seeds = seeds
        self.rtol = ACCEPTED[problem.settings.dtype] if rtol is None else rtol
        wide = problem.settings.dtype == "float64"
        here = {output.name: output.value for output in problem.outputs} if wide else None
        self.graph = stops_frozen(problem.graph, problem.arrays)
        self.function = WeightedOutput(self.graph, seeds, problem.arrays, here)
        self._slopes: dict[tuple[str, Index], Slope] = {}

    # How exact a gradient can be.

    @cached_property
    def floor(self) -> float:
        """The rounding error to expect of a gradient entry into which adjoints cancelled."""
        eps = float(np.finfo(self.problem.settings.dtype).eps)
        return 16 * eps * self.scale

    @cached_property
    def scale(self) -> float:
        """The largest adjoint on the way back: what counts as small is seen beside it."""
        adjoints = self._wide[1]
        sizes = [np.max(np.abs(one[np.isfinite(one)]), initial=0.0) for one in adjoints]
        return float(max(sizes, default=0.0))

    @property
    def wide_gradients(self) -> Mapping[str, Array]:
        """The gradients for these seeds in float64."""
        return self._wide[0]

    @cached_property
    def _wide(self) -> tuple[dict[str, Array], list[Array]]:
        """The gradients in float64, and the adjoints of all nodes where there are not too many."""
        problem = self.problem
        reverse = backward(problem.graph, problem.leaves, like=problem.settings.like)
        kept = list(reverse.adjoints.values())
        if sum(node.size for node in kept) > MOST_KEPT_ENTRIES:
            kept = list(reverse.seeds.values())
        wanted = {str(node.serial): node for node in [*kept, *reverse.graph.outputs.values()]}
        inputs = {**problem.arrays, **{seed_name(n): seed for n, seed in self.seeds.items()}}
        results = evaluate(Graph.reaching(wanted, reverse.graph.inputs), inputs)
        gradients = {leaf: results[node] for leaf, node in reverse.graph.outputs.items()}
        return gradients, [results[node] for node in kept]

    def allowed(self, got: Any, expected: Any) -> Any:
        """By how much two numbers may differ."""
        return self.rtol * np.maximum(np.abs(got), np.abs(expected)) + self.floor

    # One entry.

    def slope_at(self, leaf: str, index: Index) -> Slope:
        """The slope along one entry, measured once."""
        key = leaf, index
        if key not in self._slopes:
            arrays = self.problem.arrays
            steps = steps_for(float(arrays[leaf][index]))
            self._slopes[key] = slope(self.function, unit_direction(arrays, leaf, index), steps)
        return self._slopes[key]

    def judge_slope(self, got: float, measured: Slope, *, where: str = "") -> Judgement:
        """A gradient entry against a measured slope."""
        if not np.isfinite(got):
            return self._judge_not_finite(got, measured, where)
        if measured.jump:
            return Judgement("kink", measured.value, f"{where}the function jumps; used {got:.4g}")
        if measured.kink:
            return self._judge_kink(got, measured, where)
        if np.isinf(measured.value) and np.isnan([measured.left, measured.right]).any():
            # The domain ends here, or nearer than any step: what lies between was not seen.
            says = f"{where}the function ends here or nearby; its quotients grow without bound"
            return Judgement("uncertain", measured.value, says)
        if not np.isfinite(measured.value):
            sides = [one for one in (measured.left, measured.right) if np.isinf(one)]
            return Judgement("disagrees", sides[0]) if sides else Judgement("not-finite", np.nan)
        return self._judge_smooth(got, measured)

    def _judge_smooth(self, got: float, measured: Slope) -> Judgement:
        expected, difference = measured.value, abs(got - measured.value)
        if difference <= self.allowed(got, expected) + INVISIBLE * self.scale:
            return Judgement("agrees", expected)
        visible = max(abs(got), abs(expected), SMALL * self.scale)
        telling = measured.error <= TELLING_ERROR * visible
        if difference <= measured.error:
            return Judgement("agrees" if telling else "uncertain", expected)
        if not telling and difference <= 4 * measured.error:
            return Judgement("uncertain", expected)
        return Judgement("disagrees", expected)

    def _judge_not_finite(self, got: float, measured: Slope, where: str) -> Judgement:
        """nan is no slope of anything; infinity is one where the quotients grow without bound."""
        sides = [measured.left, measured.right]
        if np.isinf(got) and got in sides:
            grows = f"{where}the slope grows without bound, and the gradient says so"
            return Judgement("not-finite", got, grows)
        finite = [one for one in sides if np.isfinite(one)]
        infinite = list({one for one in sides if np.isinf(one)})
        if not finite and len(infinite) == 1 and not measured.jump:
            return Judgement("disagrees", infinite[0], f"{where}the slope grows without bound")
        if not finite and (measured.kink or not np.isfinite(measured.value)):
            return Judgement("not-finite", measured.value)
        if measured.jump and np.isinf(got):
            return Judgement("not-finite", measured.value)
        if measured.kink:
            left, right = _number(measured.left), _number(measured.right)
            says = f"{where}a kink with the slopes {left} from the left and {right} from the right"
            return Judgement("disagrees", finite[0], says)
        return Judgement("disagrees", measured.value if not finite else finite[0])

    def _judge_kink(self, got: float, measured: Slope, where: str) -> Judgement:
        left, right = measured.left, measured.right
        low, high = measured.low, measured.high
        size = max((abs(one) for one in (left, right) if np.isfinite(one)), default=0.0)
        margin = max(self.rtol, 1e-4) * max(size, abs(got)) + self.floor
        if not low - margin <= got <= high + margin:
            nearest = low if got < low else high
            says = f"{where}a kink with slopes from {_number(low)} to {_number(high)}"
            return Judgement("disagrees", nearest, says)
        for side, one in (("left", left), ("right", right)):
            if abs(got - one) <= margin:
                return Judgement(
                    "kink", one, f"{where}a kink: equals the {side} slope, {_number(one)}"
                )
        says = f"{where}between the one-sided slopes {_number(left)} and {_number(right)}: a kink"
        return Judgement("kink", got, f"{says}; used {_number(got)}")

    # A whole leaf.

    def tally(self, leaf: str) -> Tally:
        """An empty Tally for a leaf."""
        floor = self.floor / self.rtol if self.rtol else self.floor
        return Tally(leaf, floor, SMALL * self.scale)

    def against_slopes(self, leaf: str, indices: list[Index]) -> LeafComparison:
        """Entries of a leaf against slopes measured one by one."""
        tally = self.tally(leaf)
        for index in indices:
            got = float(self.gradients[leaf][index])
            where = f"{entry_text(leaf, index)}: "
            judgement = self.judge_slope(got, self.slope_at(leaf, index), where=where)
            tally.add(self.explained(judgement, leaf, index), index, got)
        return tally.report()

    def explained(self, judgement: Judgement, leaf: str, index: Index) -> Judgement:
        """A disagreement, unless float32 rounding explains it."""
        if judgement.finding != "disagrees" or self.problem.settings.dtype == "float64":
            return judgement
        wide = float(self.wide_gradients[leaf][index])
        difference = abs(wide - judgement.expected)
        if difference <= ACCEPTED["float64"] * max(abs(wide), abs(judgement.expected)):
            says = f"{entry_text(leaf, index)} differs by float32 rounding: in float64 it is "
            return Judgement("rounding", judgement.expected, f"{says}{wide:.4g}")
        return judgement

    def against_array(
        self, leaf: str, expected: Array, engine: str = "", *, nan_tells: bool = True
    ) -> LeafComparison:
        """A leaf's gradient against what a method gives for all of it.

        `nan_tells`: whether nan from the method is its answer; else it only has none.
        """
        got = self.gradients[leaf].astype(np.float64)
        tally = self.tally(leaf)
        with np.errstate(all="ignore"):
            finite = np.isfinite(got) & np.isfinite(expected)
            neither = ~np.isfinite(got) & ~np.isfinite(expected)
            difference = np.abs(got - expected)
            fits = finite & (difference <= self.allowed(got, expected))
        if neither.any():
            tally.counts["not-finite"] += int(neither.sum())
        if fits.any():
            errors = np.where(fits, tally.error_of_agreement(got, expected), -1.0)
            index = np.unravel_index(int(np.argmax(errors)), errors.shape)
            place = tuple(int(i) for i in index)
            tally.add_agreeing(
                int(fits.sum()), float(errors[place]), place, got[place], expected[place]
            )
        others = np.argwhere(~fits & ~neither)
        order = np.argsort([-_size(difference[tuple(one)]) for one in others], kind="stable")
        for position in order[:MOST_LOOKED_AT]:
            place = tuple(int(i) for i in others[position])
            if not nan_tells and (np.isnan(expected[place]) or self._is_lost(got[place])):
                tally.add(Judgement("uncertain", np.nan), place, float(got[place]))
                continue
            judgement = self._judge_other(leaf, place, got[place], float(expected[place]), engine)
            tally.add(judgement, place, float(got[place]))
        tally.counts["uncertain"] += max(0, len(others) - MOST_LOOKED_AT)
        return tally.report()

    def _is_lost(self, got: float) -> bool:
        """Whether a gradient is not finite because the output is not: then nothing is known."""
        if np.isfinite(got):
            return False
        weighted = (self.function.here[name][seed != 0] for name, seed in self.seeds.items())
        return not all(np.isfinite(output).all() for output in weighted)

    def _judge_other(
        self, leaf: str, index: Index, got: float, expected: float, engine: str
    ) -> Judgement:
        """Two numbers that differ: both may be right where the function has no derivative."""
        judgement = self.explained(Judgement("disagrees", expected), leaf, index)
        if judgement.finding != "disagrees" or np.isnan(got):
            return judgement
        measured = self.slope_at(leaf, index)
        here = self.judge_slope(got, measured)
        if here.finding == "not-finite" and engine != YOURS:
            return here
        source = f"in {engine}" if engine else "by this method"
        numbers = f"{_number(got)} here, {_number(expected)} {source}"
        if here.finding == "kink":
            there = self.judge_slope(expected, measured)
            jumps = not np.isfinite([measured.left, measured.right]).all()
            if there.finding == "kink" or jumps:
                says = f"{entry_text(leaf, index)} is at a kink: {numbers}, a convention"
                return Judgement("convention", expected, f"{says}, not a mistake")
        # A claim has to be right; a library that is off by itself does not make this one wrong.
        clear = measured.error <= TELLING_ERROR * max(abs(got), SMALL * self.scale)
        if engine != YOURS and here.finding == "agrees" and clear:
            says = f"{entry_text(leaf, index)} is {numbers}; difference quotients give "
            return Judgement("overruled", expected, f"{says}{_number(measured.value)}")
        return judgement

    def along(self, leaf: str, direction: Array, expected: float | Slope) -> LeafComparison:
        """One number for a whole leaf: its gradient along a direction."""
        tally = self.tally(leaf)
        with np.errstate(all="ignore"):
            products = self.gradients[leaf].astype(np.float64) * direction
            got, size = float(np.sum(products)), float(np.sum(np.abs(products)))
        if isinstance(expected, Slope):
            judgement = self.judge_slope(got, expected)
        elif np.isfinite(got) and np.isfinite(expected):
            judgement = Judgement("agrees", expected)
        else:
            neither = not np.isfinite(got) and not np.isfinite(expected)
            judgement = Judgement("not-finite" if neither else "disagrees", expected)
        if judgement.finding in ("agrees", "disagrees") and np.isfinite(got):
            allowed = max(self.allowed(got, judgement.expected), self.rtol * 1e-3 * size)
            fits = judgement.finding == "agrees" and isinstance(expected, Slope)
            fits = fits or abs(got - judgement.expected) <= allowed
            judgement = Judgement("agrees" if fits else "disagrees", judgement.expected)
        tally.add(judgement, None, got)
        return tally.report()


def relative_error(got: Any, expected: Any, floor: float) -> Any:
    """|got - expected| over the larger of the two, or over what is too small to be told from 0."""
    with np.errstate(all="ignore"):
        size = np.maximum(np.maximum(np.abs(got), np.abs(expected)), max(floor, 1e-300))
        error = np.abs(got - expected) / size
    return float(np.nan_to_num(error, nan=np.inf)) if np.ndim(error) == 0 else error


def entry_text(leaf: str, index: Index) -> str:
    """An entry as it is written in the language: x[0,2], or x for a scalar."""
    return f"{leaf}[{','.join(map(str, index))}]" if index else leaf


def _number(value: float) -> str:
    return f"{value + 0.0:.4g}".replace("inf", "∞")


def _size(difference: Any) -> float:
    return float(difference) if np.isfinite(difference) else float("inf")
