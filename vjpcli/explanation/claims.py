"""Judges a gradient from elsewhere: is it right, and if not, what would make it right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import Fix, VjpError, did_you_mean, fail
from vjpcli.explanation.checking import Claim
from vjpcli.explanation.comparing import YOURS, Index, Referee
from vjpcli.explanation.inputs import array_of
from vjpcli.explanation.problem import Problem
from vjpcli.graph.shapes import shape_text
from vjpcli.parser.values import GivenValue

Array = NDArray[Any]


def claimed_arrays(
    problem: Problem, given: Iterable[tuple[str, Mapping[str, GivenValue]]]
) -> dict[str, tuple[str, Array]]:
    """Leaf -> what was typed and the claimed gradient.

    A name may carry `_grad` (`b_grad`, and `b.grad` of a file); what a file holds besides the
    leaves is passed over.

    Errors: expect-leaf.
    """
    found: dict[str, tuple[str, Array]] = {}
    for argument, values in given:
        for name, value in values.items():
            leaf = name if name in problem.leaves else name.removesuffix("_grad")
            if leaf not in problem.leaves:
                if argument.lstrip().startswith("@"):
                    continue
                raise _no_such_leaf(argument, value, problem)
            array = array_of(value, problem.settings)
            found[leaf] = (argument, np.asarray(array, np.float64))
        if not any(one == argument for one, _ in found.values()):
            raise fail(
                "expect-leaf",
                f"{argument} holds no gradient of a leaf",
                notes=(f"the leaves are {', '.join(problem.leaves) or 'none'}",),
            )
    return found


def _no_such_leaf(argument: str, value: GivenValue, problem: Problem) -> VjpError:
    guess = did_you_mean(value.name, problem.leaves)
    rest = argument.partition("=")[2]
    return fail(
        "expect-leaf",
        f"`{value.name}` is no leaf of the expression",
        source=value.source,
        notes=(f"the leaves are {', '.join(problem.leaves) or 'none'}",),
        label=f"did you mean {guess}?" if guess else "",
        fix=Fix(f"{guess}={rest}", replaces=argument) if guess else None,
    )


def judged(referee: Referee, leaf: str, origin: str, claimed: Array) -> Claim:
    """The claim compared with the gradient: the shape first, then entry by entry."""
    gradient = referee.gradients[leaf].astype(np.float64)
    shapes = claimed.shape, gradient.shape
    if claimed.shape != gradient.shape:
        hints = tuple(_shape_hints(referee, gradient, claimed))
        return Claim(leaf, origin, False, *shapes, hints=hints)
    found = referee.against_array(leaf, claimed, YOURS)
    agrees = found.verdict == "agrees" and not found.not_finite and not found.uncertain
    hints = tuple(found.says) if agrees else tuple(_number_hints(referee, leaf, gradient, claimed))
    return Claim(
        leaf,
        origin,
        agrees,
        *shapes,
        hints=hints,
        wrong=found.compared - found.agreeing,
        not_finite=found.not_finite,
        index=found.index,
        got=found.got,
        expected=found.expected,
        relative_error=found.relative_error,
    )


def _shape_hints(referee: Referee, gradient: Array, claimed: Array) -> Iterable[str]:
    shapes = f"yours is {shape_text(claimed.shape)}, the leaf is {shape_text(gradient.shape)}"
    axes = _axes_to_sum(claimed.shape, gradient.shape)
    if axes is not None:
        listed = ", ".join(map(str, axes))
        word = "axis" if len(axes) == 1 else "axes"
        total = claimed.sum(axis=axes).reshape(gradient.shape)
        remark = f"{shapes}: sum over {word} {listed}"
        yield f"{remark}, and it is right" if _close(referee, total, gradient) else remark
        return
    if claimed.T.shape == gradient.shape and _close(referee, claimed.T, gradient):
        yield f"{shapes}: yours is the transpose"
        return
    outputs = {name: seed.shape for name, seed in referee.seeds.items()}
    for name, shape in outputs.items():
        if shape and claimed.shape == shape + gradient.shape:
            yield f"{shapes}: yours has the shape of the Jacobian of {name}; the gradient is its "
            yield "rows weighted by the seed and added up"
            return
    if claimed.size == gradient.size:
        same = _close(referee, claimed.reshape(gradient.shape), gradient)
        yield f"{shapes}: reshape it{', and it is right' if same else ''}"
        return
    yield shapes


def _axes_to_sum(claimed: Index, wanted: Index) -> tuple[int, ...] | None:
    """The axes along which broadcasting stretched `wanted` to `claimed`, or None."""
    extra = len(claimed) - len(wanted)
    if extra < 0:
        return None
    axes = list(range(extra))
    for axis, (have, want) in enumerate(zip(claimed[extra:], wanted, strict=True), start=extra):
        if have != want:
            if want != 1:
                return None
            axes.append(axis)
    return tuple(axes) or None


def _number_hints(referee: Referee, leaf: str, gradient: Array, claimed: Array) -> list[str]:
    """What one change would make the claim right; the first that does."""
    uncommon = _not_finite_hints(gradient, claimed)
    if uncommon or not claimed.any():
        return uncommon or ["yours is 0 everywhere"]
    found = next(_repairs(referee, leaf, gradient, claimed), None)
    return [found] if found else []


def _not_finite_hints(gradient: Array, claimed: Array) -> list[str]:
    finite = np.isfinite(gradient) & np.isfinite(claimed)
    both = int((~np.isfinite(gradient) & ~np.isfinite(claimed)).sum())
    one = int((~finite).sum()) - both
    hints = [f"{_entries(both)} not finite in both, which is no agreement"] if both else []
    return hints + ([f"{_entries(one)} finite in only one of the two"] if one else [])


def _entries(count: int) -> str:
    return "1 entry is" if count == 1 else f"{count} entries are"


def _repairs(referee: Referee, leaf: str, gradient: Array, claimed: Array) -> Iterator[str]:
    factor = _factor(referee, gradient, claimed)
    if factor is not None:
        yield _factor_text(referee, factor, gradient.size)
    if gradient.ndim >= 2 and gradient.shape[-1] == gradient.shape[-2]:
        swapped = np.swapaxes(claimed, -1, -2)
        if _close(referee, swapped, gradient):
            yield "yours is the transpose"
    if _close(referee, np.abs(claimed), np.abs(gradient)):
        count = int((np.sign(claimed) != np.sign(gradient)).sum())
        yield f"{count} of {gradient.size} entries have the opposite sign"
    for other, array in referee.gradients.items():
        if other != leaf and array.shape == claimed.shape and _close(referee, claimed, array):
            yield f"yours is the gradient of {other}"
    unweighted = _with_ones(referee, leaf)
    if unweighted is not None and _close(referee, claimed, unweighted):
        yield "yours is the gradient for --seed ones: the seed is missing"
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(claimed), np.abs(gradient))
        error = float(np.max(np.where(size > 0, np.abs(claimed - gradient) / size, 0.0)))
    if error < 1e-2:
        power = int(np.ceil(np.log10(error)))
        yield f"equal to {-power} significant digits or so; --rtol 1e{power} accepts that"


def _factor(referee: Referee, gradient: Array, claimed: Array) -> float | None:
    """The number that the gradient was multiplied by, if there is one."""
    square = float(np.sum(gradient * gradient))
    if square == 0:
        return None
    factor = float(np.sum(claimed * gradient)) / square
    return factor if _close(referee, claimed, factor * gradient) else None


def _factor_text(referee: Referee, factor: float, size: int) -> str:
    if abs(factor + 1) < 1e-6:
        return "yours has the opposite sign"
    lengths = {axis for node in referee.problem.graph.nodes for axis in node.shape}
    counts = lengths | {node.size for node in referee.problem.graph.nodes} | {size}
    for count in sorted(count for count in counts if count > 1):
        if abs(factor * count - 1) < 1e-6:
            return f"yours is 1/{count} of the gradient: mean or sum? {count} entries are averaged"
        if count > 2 and abs(factor / count - 1) < 1e-6:
            return f"yours is {count} times the gradient: sum or mean over {count} entries?"
    return f"yours is {factor:.6g} times the gradient"


def _with_ones(referee: Referee, leaf: str) -> Array | None:
    """The gradient for a seed of ones, where the seed is another."""
    if all((seed == 1).all() for seed in referee.seeds.values()):
        return None
    ones = {name: np.ones(seed.shape) for name, seed in referee.seeds.items()}
    return Referee(referee.problem, referee.gradients, ones).wide_gradients[leaf]


def _close(referee: Referee, a: Array, b: Array) -> bool:
    with np.errstate(all="ignore"):
        return bool(np.all(np.abs(a - b) <= referee.allowed(a, b)))
