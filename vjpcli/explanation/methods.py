"""The means of checking: each gives what the gradient should be, without the rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.complex_step import ComplexStep
from vjpcli.engine.differences import STEPS, random_direction, slope
from vjpcli.engine.foreign import NotAvailable, foreign_gradients, is_installed
from vjpcli.explanation.checking import LeafComparison, MethodReport, Verdict
from vjpcli.explanation.comparing import Index, Referee

Array = NDArray[Any]

RUNS_OF_NODES = 400_000
"""Node evaluations that a comparison entry by entry may cost; beyond, directions are compared."""

RUNS_PER_ENTRY = 10
MOST_ENTRIES = 4_000
LARGEST_FORMULA = 400
LARGEST_SYMBOLIC_WORK = 12_000
"""Entries of the Jacobian times the length of an entry's formula: about a second of SymPy."""

SYMPY_SECONDS = 4.0

TITLES = {
    "differences": "central differences",
    "complex-step": "complex step",
    "sympy": "SymPy",
    "torch": "PyTorch",
    "jax": "JAX",
    "autograd": "autograd",
}


def report(method: str, referee: Referee) -> MethodReport:
    """What `method` says of the gradients that `referee` judges."""
    with np.errstate(all="ignore"):
        if method == "differences":
            return _differences(referee)
        if method == "complex-step":
            return _complex_step(referee)
        if method == "sympy":
            return _sympy(referee)
        return _foreign(method, referee)


def overall(leaves: tuple[LeafComparison, ...]) -> Verdict:
    """The verdict over several leaves: the worst of theirs."""
    verdicts = {leaf.verdict for leaf in leaves}
    if "disagrees" in verdicts:
        return "disagrees"
    return "undecided" if verdicts == {"undecided"} else "agrees"


def _not_available(method: str, reason: str) -> MethodReport:
    return MethodReport(method, TITLES[method], None, reason)


def _made(
    method: str, leaves: list[LeafComparison], runs: int = 0, title: str = ""
) -> MethodReport:
    found = tuple(leaves)
    return MethodReport(method, title or TITLES[method], overall(found), "", found, runs)


def _is_small(referee: Referee) -> bool:
    """Whether every entry can have evaluations of its own."""
    entries = sum(referee.gradients[leaf].size for leaf in referee.problem.leaves)
    work = RUNS_PER_ENTRY * entries * len(referee.graph.nodes)
    return entries <= MOST_ENTRIES and work <= RUNS_OF_NODES


def _differences(referee: Referee) -> MethodReport:
    problem, function = referee.problem, referee.function
    before = function.evaluations
    small = _is_small(referee)
    leaves = []
    for leaf in problem.leaves:
        gradient = referee.gradients[leaf]
        if small or gradient.size <= 1:
            indices = list(np.ndindex(gradient.shape))
            leaves.append(referee.against_slopes(leaf, indices))
        elif not np.isfinite(gradient).all():
            leaves.append(referee.against_slopes(leaf, [_first_not_finite(gradient)]))
        else:
            directions = random_direction(problem.arrays, [leaf])
            measured = slope(function, directions, STEPS)
            found = referee.along(leaf, directions[leaf], measured)
            leaves.append(_located(referee, found))
    title = TITLES["differences"]
    if not small:
        title = "a difference quotient along a random direction"
    return _made("differences", leaves, function.evaluations - before, title)


def _located(referee: Referee, found: LeafComparison) -> LeafComparison:
    """The same with a place: of the largest entries, the one that is wrong, where one is."""
    if found.verdict != "disagrees":
        return found
    gradient = referee.gradients[found.leaf]
    order = np.argsort(-np.abs(gradient), axis=None, kind="stable")[:8]
    indices = [_index(gradient, int(position)) for position in order]
    entries = referee.against_slopes(found.leaf, indices)
    return entries if entries.verdict == "disagrees" else found


def _first_not_finite(gradient: Array) -> Index:
    return _index(gradient, int(np.argmax(~np.isfinite(gradient))))


def _index(array: Array, position: int) -> Index:
    return tuple(int(i) for i in np.unravel_index(position, array.shape))


def _complex_step(referee: Referee) -> MethodReport:
    problem = referee.problem
    leaves = []
    runs = 0
    for leaf in problem.leaves:
        gradient = referee.gradients[leaf]
        try:
            step = ComplexStep(referee.graph, referee.seeds, problem.arrays, leaf)
            if _is_small(referee) or gradient.size <= 1:
                expected = np.zeros(gradient.shape)
                for index in np.ndindex(gradient.shape):
                    direction = np.zeros(gradient.shape)
                    direction[index] = 1.0
                    expected[index] = step.along(direction)
                leaves.append(referee.against_array(leaf, expected, nan_tells=False))
            else:
                direction = random_direction(problem.arrays, [leaf])[leaf]
                leaves.append(referee.along(leaf, direction, step.along(direction)))
        except NotImplementedError as reason:
            return _not_available("complex-step", str(reason))
        except (TypeError, np.linalg.LinAlgError):
            return _not_available("complex-step", "an operation takes no complex numbers")
        runs += step.evaluations
    return _made("complex-step", leaves, runs)


def _sympy(referee: Referee) -> MethodReport:
    from vjpcli.engine.symbolic import derivatives, tree_size, value  # noqa: PLC0415  (SymPy)

    problem, graph = referee.problem, referee.graph
    if not all(np.isfinite(array).all() for array in problem.arrays.values()):
        return _not_available("sympy", "its formulas need finite numbers")
    weights = {name: seed for name, seed in referee.seeds.items() if np.any(seed != 0)}
    entries = sum(graph.inputs[leaf].size for leaf in problem.leaves)
    formulas = {name: tree_size(graph.outputs[name]) for name in weights}
    work = sum(entries * graph.outputs[name].size * size for name, size in formulas.items())
    if max(formulas.values(), default=0) > LARGEST_FORMULA or work > LARGEST_SYMBOLIC_WORK:
        return _not_available("sympy", "too large for formulas")
    leaves = []
    try:
        outputs = {name: value(graph, graph.outputs[name], problem.arrays) for name in weights}
        other = _another_value(referee, outputs)
        if other:
            return _not_available("sympy", other)
        for leaf in problem.leaves:
            expected = np.zeros(graph.inputs[leaf].shape)
            for name, seed in weights.items():
                matrix = derivatives(
                    graph, graph.outputs[name], leaf, problem.arrays, SYMPY_SECONDS
                )
                rows = matrix.reshape(seed.size, -1)[seed.ravel() != 0]
                expected = expected + (seed[seed != 0] @ rows).reshape(expected.shape)
            leaves.append(referee.against_array(leaf, expected, "SymPy", nan_tells=False))
    except NotImplementedError as error:
        return _not_available("sympy", _sympy_reason(str(error)))
    except (ArithmeticError, TypeError, ValueError, AttributeError, RecursionError) as error:
        divides = isinstance(error, ZeroDivisionError)
        reason = "divides by 0 here" if divides else "cannot be evaluated here"
        return _not_available("sympy", f"the formula {reason}")
    return _made("sympy", leaves)


def _sympy_reason(text: str) -> str:
    """A bare name is that of an operation which has no formula."""
    return f"{text} has no formula" if re.fullmatch(r"\w+", text) else text


def _foreign(library: str, referee: Referee) -> MethodReport:
    if not is_installed(library):
        return _not_available(library, "not installed")
    problem = referee.problem
    try:
        found = foreign_gradients(
            library,
            problem.program,
            problem.arrays,
            problem.leaves,
            referee.seeds,
            problem.trace.output_name,
            problem.settings.library,
        )
    except NotAvailable as reason:
        return _not_available(library, str(reason))
    title = f"{TITLES[library]} {found.version}"
    other = _another_value(referee, found.outputs)
    if other:
        return MethodReport(library, title, None, other)
    leaves = [
        referee.against_array(leaf, found.gradients[leaf].astype(np.float64), TITLES[library])
        for leaf in problem.leaves
    ]
    return _made(library, leaves, title=title)


def _another_value(referee: Referee, outputs: Mapping[str, Array]) -> str:
    """Why the outputs are not those whose gradients are compared, or ""."""
    for name, output in outputs.items():
        here = referee.function.here[name]
        there = np.asarray(output, np.float64)
        if there.shape != here.shape:
            return f"its {name} has shape {there.shape}, not {here.shape}"
        close = np.isclose(there, here, rtol=1e-6, atol=1e-9, equal_nan=True)
        if not close.all():
            index = _index(close, int(np.argmin(close)))
            return (
                f"its {name} is {there[index]:.4g}, not {here[index]:.4g}: it computes another "
                "function, or more digits"
            )
    return ""
