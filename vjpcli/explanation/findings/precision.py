"""Gradients that a wider number format would change: digits lost on the way.

The forward and the backward pass are run again in a wider format and the gradients compared.
Where they differ, the first step whose value lost its digits is named: a difference of two nearly
equal numbers (cancellation), or a small number that was added to a large one (absorption).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.evaluate import evaluate
from vjpcli.errors import Diagnostic
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.entries import not_finite
from vjpcli.explanation.findings.exact import (
    Culprit,
    exact_gradients,
    noise_of_sums,
    vanished,
)
from vjpcli.explanation.findings.rerun import inputs_of, pass_gradients
from vjpcli.explanation.findings.telling import count_note, finding, first_position
from vjpcli.explanation.findings.wording import gradient_name, number, words_of
from vjpcli.explanation.rewrites import steadier_fix
from vjpcli.explanation.rewrites.trouble import Trouble
from vjpcli.graph.node import Graph, Node

Array = NDArray[Any]

LARGEST_NODES = 5_000
LARGEST_ENTRIES = 200_000
"""Nodes and entries of the backward graph up to which it is run again: this is done every time."""

ACCEPTED_SHARE = {"float64": 1e-6, "float32": 1e-3}
"""Change of a gradient entry, relative to it and to the leaf's largest, that is worth a word."""

NOISE = 50.0
"""Units in the last place of the largest adjoint, below which a gradient is only noise."""

CLOSE = 1e-2
"""|a - b| relative to |a| below which a difference counts as cancellation."""


def find(evidence: Evidence) -> list[Diagnostic]:
    """Findings cancellation, absorption and float32-loss, one for the leaf that lost most."""
    dtype = evidence.problem.settings.dtype
    wider = np.longdouble if dtype == "float64" else np.float64
    graph = evidence.reverse.graph
    too_large = (
        len(graph.nodes) > LARGEST_NODES or sum(node.size for node in graph.nodes) > LARGEST_ENTRIES
    )
    if too_large or any(not_finite(evidence.values[node]).any() for node in evidence.graph.nodes):
        return []  # what overflowed is told as such
    wide = None
    if np.finfo(wider).eps < np.finfo(dtype).eps:
        wide = _in_wider_format(evidence, wider)
    gradients = {} if wide is None else _gradients_of(evidence, wide)
    lost = _lost(evidence, gradients)
    if lost is not None and wide is not None:
        leaf, mask = lost
        alike = _decided_alike(evidence, wide)
        return [_of_leaf(evidence, wide, gradients, leaf, mask)] if alike else []
    return _beyond_wider_formats(evidence)


def _beyond_wider_formats(evidence: Evidence) -> list[Diagnostic]:
    """Numbers that are gone in any format: their formulas are differentiated and evaluated."""
    if not vanished(evidence):
        return []
    exact = exact_gradients(evidence)
    lost = None if exact is None else _lost(evidence, exact, of_sums_only=True)
    if exact is None or lost is None:
        return []
    leaf, mask = lost
    return [_of_leaf(evidence, evidence.values, exact, leaf, mask, exactly=True)]


def _gradients_of(evidence: Evidence, wide: Mapping[Node, Array]) -> dict[str, Array]:
    return {leaf: wide[node] for leaf, node in evidence.reverse.graph.outputs.items()}


def _in_wider_format(evidence: Evidence, wider: type) -> dict[Node, Array] | None:
    """Every node of the pass in a wider format; None where an operation has no such format."""
    forward = {str(node.serial): node for node in evidence.graph.nodes}
    gradients = {str(node.serial): node for node in evidence.reverse.graph.outputs.values()}
    whole = Graph.reaching({**forward, **gradients}, evidence.reverse.graph.inputs)
    try:
        return evaluate(whole, inputs_of(evidence), wider, keep=True)
    except (TypeError, ValueError, ArithmeticError, np.linalg.LinAlgError):
        # Factorisations of NumPy know only single and double precision.
        return None


def _lost(
    evidence: Evidence, better: Mapping[str, Array], *, of_sums_only: bool = False
) -> tuple[str, NDArray[np.bool_]] | None:
    """The leaf whose gradient changes most, and the entries that change too much."""
    dtype = evidence.problem.settings.dtype
    share = ACCEPTED_SHARE[dtype]
    largest = _largest_adjoint(evidence)
    unit = NOISE * float(np.finfo(dtype).eps)
    worst, found = 0.0, None
    for leaf, wider in better.items():
        of_sums = noise_of_sums(evidence, leaf) if of_sums_only else 0.0
        noise = unit * min(largest, of_sums or largest)
        narrow = pass_gradients(evidence)[leaf]
        finite = np.isfinite(narrow) & np.isfinite(wider)
        if narrow.size == 0 or not finite.all():
            continue
        change = np.abs(narrow - wider)
        size = np.maximum(np.abs(narrow), np.abs(wider))
        mask = (change > share * size) & (change > share * np.max(size)) & (change > noise)
        if mask.any():
            relative = float(np.max(change[mask] / size[mask]))
            if relative > worst:
                worst, found = relative, (leaf, np.asarray(mask))
    return found


def _largest_adjoint(evidence: Evidence) -> float:
    sizes = [
        float(np.max(np.abs(evidence.values[adjoint]), initial=0.0))
        for node, adjoint in evidence.reverse.adjoints.items()
        if node in evidence.received or node in evidence.sent
    ]
    return max((size for size in sizes if np.isfinite(size)), default=0.0)


def _decided_alike(evidence: Evidence, wide: Mapping[Node, Array]) -> bool:
    """Whether all conditions and positions are the same: else another branch was taken.

    A comparison that rounding decides is no loss of digits in the gradient of either branch.
    """
    deciding = [node for node in wide if node.kind != "real"]
    if not deciding:
        return True
    outputs = {str(node.serial): node for node in deciding}
    graph = Graph.reaching(outputs, evidence.reverse.graph.inputs)
    narrow = evaluate(graph, inputs_of(evidence), evidence.problem.settings.dtype)
    return all(np.array_equal(narrow[node], wide[node]) for node in deciding)


def _of_leaf(
    evidence: Evidence,
    wide: Mapping[Node, Array],
    gradients: Mapping[str, Array],
    leaf: str,
    mask: NDArray[np.bool_],
    *,
    exactly: bool = False,
) -> Diagnostic:
    narrow = pass_gradients(evidence)[leaf]
    wider = gradients[leaf]
    change = np.where(mask, np.abs(narrow - wider), -1.0)
    index = first_position(change == np.max(change))
    was, is_ = float(narrow[index]), float(wider[index])
    dtype = evidence.problem.settings.dtype
    culprit = vanished(evidence) if exactly else _culprit(evidence, wide)
    single = dtype == "float32" and not exactly
    code = "float32-loss" if single or culprit is None else culprit.code
    if culprit is None and not single:
        code = "cancellation"
    width = "float64" if single else "extended precision"
    width = "its formula, evaluated to 300 digits," if exactly else width
    spans = () if culprit is None or culprit.node.span is None else (culprit.node.span,)
    fix = steadier_fix(evidence, Trouble(code, spans), leaf, index, was, is_) if spans else None
    return finding(
        evidence,
        code,
        f"{gradient_name(leaf, index)} = {number(was)} has lost its digits: {width} gives "
        f"{number(is_)}{_because(evidence, culprit)}",
        "warning",
        places=[(culprit.node, _label(culprit))] if culprit else (),
        leaf=leaf,
        index=index,
        numbers=_numbers(culprit, was, is_, exactly),
        fix=fix,
        notes=(
            f"the first {_digits(was, is_)} digits agree"
            if _digits(was, is_)
            else "no digit agrees",
            count_note(leaf, mask),
            "--dtype float64 keeps them" if single else "",
        ),
    )


def _digits(was: float, wide: float) -> int:
    size = max(abs(was), abs(wide))
    return max(0, int(-np.log10(abs(was - wide) / size))) if was != wide else 15


def _because(evidence: Evidence, culprit: Culprit | None) -> str:
    if culprit is None:
        return ""
    step = words_of(evidence, culprit.node)
    if culprit.code == "cancellation":
        return f"; {step} subtracts numbers that are nearly equal"
    return f"; in {step} a small number is added to a large one"


def _label(culprit: Culprit) -> str:
    if culprit.code == "cancellation":
        return f"{number(culprit.small)} left of {number(culprit.large)}"
    return f"{number(culprit.small)} is lost beside {number(culprit.large)}"


def _numbers(
    culprit: Culprit | None, was: float, wide: float, exactly: bool
) -> list[tuple[str, float]]:
    better = "exact gradient" if exactly else "gradient in wider format"
    numbers = [("gradient", was), (better, wide)]
    if culprit is not None:
        first = "result" if culprit.code == "cancellation" else "small operand"
        numbers += [(first, culprit.small), ("large operand", culprit.large)]
    return numbers


def _culprit(evidence: Evidence, wide: Mapping[Node, Array]) -> Culprit | None:
    """The sum or difference with the worst loss of digits, absorption before cancellation.

    What was absorbed was lost earlier than the difference that shows it.
    """
    # Below this share a summand is gone; above, some digits are left for a difference to show.
    absorbed = float(np.sqrt(np.finfo(evidence.problem.settings.dtype).eps))
    worst: Culprit | None = None
    for node in evidence.graph.nodes:
        if node.operation.name not in ("add", "subtract") or node.span is None:
            continue
        a, b = (np.abs(wide[operand]) for operand in node.operands)
        for candidate in (_absorption(node, a, b), _cancellation(node, wide, a, b)):
            if candidate is not None and _worse(candidate, worst, absorbed):
                worst = candidate
    return worst


def _worse(candidate: Culprit, worst: Culprit | None, absorbed: float) -> bool:
    if worst is None:
        return True
    if candidate.code != worst.code:
        absorption = candidate if candidate.code == "absorption" else worst
        wins = absorption.small < absorbed * absorption.large
        return wins == (candidate is absorption)
    return candidate.small / candidate.large < worst.small / worst.large


def _absorption(node: Node, a: Array, b: Array) -> Culprit | None:
    small, large = np.broadcast_arrays(np.minimum(a, b), np.maximum(a, b))
    ratio = np.where((small > 0) & np.isfinite(large), small / np.where(large == 0, 1, large), 1.0)
    place = int(np.argmin(ratio)) if ratio.size else 0
    if not ratio.size or ratio.reshape(-1)[place] > CLOSE:
        return None
    return Culprit(
        "absorption", node, float(small.reshape(-1)[place]), float(large.reshape(-1)[place])
    )


def _cancellation(node: Node, wide: Mapping[Node, Array], a: Array, b: Array) -> Culprit | None:
    result, large = np.broadcast_arrays(np.abs(wide[node]), np.maximum(a, b))
    ratio = np.where(
        (result > 0) & np.isfinite(large), result / np.where(large == 0, 1, large), 1.0
    )
    place = int(np.argmin(ratio)) if ratio.size else 0
    if not ratio.size or ratio.reshape(-1)[place] > CLOSE:
        return None
    return Culprit(
        "cancellation", node, float(result.reshape(-1)[place]), float(large.reshape(-1)[place])
    )
