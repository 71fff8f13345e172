"""Gradients that are nothing though a path leads to them: what made them vanish, and where.

A leaf whose whole gradient is nothing is worth a word. Single zeros are not: the negative side of
relu, an entry that was not read, a branch that was not taken, the bottom of a parabola. Only where
a smooth function has saturated, single entries are told.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import Diagnostic
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.connectivity import smoothly_connected
from vjpcli.explanation.findings.rerun import gradients_with, pass_gradients
from vjpcli.explanation.findings.saturation import (
    TINY,
    is_smooth_function,
    saturated_entries,
)
from vjpcli.explanation.findings.telling import count_note, finding, first_position
from vjpcli.explanation.findings.vanishing import Cause, Vanishing, nothing_beside
from vjpcli.explanation.findings.wording import gradient_name, listed, number, words_of
from vjpcli.graph.node import Node

Array = NDArray[Any]

MOST_SATURATED = 8
"""Saturated steps that are looked into one by one."""


def find(evidence: Evidence) -> list[Diagnostic]:
    """Findings gradient-times-zero, gradient-cancels, gradient-saturated and underflow.

    And gradient-flat, for a layer that lies on the flat side of its activation.
    """
    tiny = _leaves_with_tiny_entries(evidence)
    if not tiny:
        return []
    connected = smoothly_connected(evidence)
    tiny = {leaf: limit for leaf, limit in tiny.items() if evidence.graph.inputs[leaf] in connected}
    whole = [leaf for leaf, limit in tiny.items() if _is_tiny(evidence, leaf, limit)]
    found = _whole(evidence, whole, connected) if whole else []
    some = [leaf for leaf in tiny if leaf not in whole]
    return found + (_saturated_entries(evidence, some) if some else [])


def _leaves_with_tiny_entries(evidence: Evidence) -> dict[str, float]:
    """Leaf -> the size below which its gradient counts as nothing, where some entry is below.

    A gradient that several passes have made is judged by their sum, which must be tiny too.
    """
    seeds = [seed.value for seed in evidence.one_pass if seed.value is not None]
    largest = max((float(np.max(np.abs(seed), initial=0.0)) for seed in seeds), default=0.0)
    limit = nothing_beside(evidence.problem.settings.dtype) * largest
    found = {}
    for leaf, gradient in pass_gradients(evidence).items():
        total = evidence.gradients[leaf]
        finite = np.isfinite(gradient).all() and np.isfinite(total).all()
        if finite and np.any((np.abs(gradient) <= limit) & (np.abs(total) <= limit)):
            found[leaf] = limit
    return found


def _is_tiny(evidence: Evidence, leaf: str, limit: float) -> bool:
    return bool(np.all(np.abs(pass_gradients(evidence)[leaf]) <= limit))


# Whole gradients.


def _whole(evidence: Evidence, leaves: list[str], connected: set[Node]) -> list[Diagnostic]:
    """One finding for all leaves whose gradients vanished for the same reason."""
    vanishing = Vanishing(evidence, connected)
    blamed: dict[Cause, list[str]] = {}
    for leaf in leaves:
        causes = vanishing.causes.get(evidence.graph.inputs[leaf], ())
        if causes and not any(cause.kind == "ordinary" for cause in causes):
            blamed.setdefault(causes[0], []).append(leaf)
    found = []
    for cause, names in blamed.items():
        found.append(_of_cause(evidence, cause, names))
    return found


def _of_cause(evidence: Evidence, cause: Cause, leaves: list[str]) -> Diagnostic:
    gradient = pass_gradients(evidence)[leaves[0]]
    largest = float(np.max(np.abs(gradient), initial=0.0))
    names = listed([f"{leaf}.grad" for leaf in leaves])
    verb = "is" if len(leaves) == 1 else "are"
    size = "0" if largest == 0 else f"at most {number(largest)}"
    opening = f"{names} {verb} {size}: "
    step = words_of(evidence, cause.node)
    index = first_position(np.abs(gradient) == largest)
    if cause.kind == "cancels":
        return _cancels(
            evidence,
            cause,
            opening if largest == 0 else f"{names} {verb} 0 to rounding: ",
            leaves[0],
            index,
        )
    if cause.kind == "times-zero":
        assert cause.operand is not None
        factor = words_of(evidence, cause.operand)
        # A part of a larger operation has no text of its own.
        inner = evidence.text_of(cause.operand) == evidence.text_of(cause.node)
        zero = "0" if inner or factor.strip() in ("0", "0.0") else f"{factor}, which is 0"
        return finding(
            evidence,
            "gradient-times-zero",
            f"{opening}{'inside' if inner else 'in'} {step} it is multiplied by {zero}",
            "note",
            places=[(cause.operand if cause.operand.span else cause.node, "0")],
            leaf=leaves[0],
            index=index,
            numbers=(("slope", 0.0),),
            notes=("it is connected: a factor of 0 is not a missing path",),
        )
    if cause.kind == "flat-side":
        return finding(
            evidence,
            "gradient-flat",
            f"{opening}all {cause.node.size:,} entries of {step} lie on its flat side",
            "note",
            places=[(cause.node, "flat: the slope is 0 at every entry")],
            leaf=leaves[0],
            index=index,
            numbers=(("slope", 0.0),),
        )
    return _saturated(evidence, cause, opening, leaves[0], index, largest)


def _cancels(
    evidence: Evidence, cause: Cause, opening: str, leaf: str, index: tuple[int, ...]
) -> Diagnostic:
    positive, negative = cause.sums
    step = words_of(evidence, cause.node)
    sums = f"{number(positive)} and {number(negative)}"
    notes: tuple[str, ...] = ()
    if cause.contribution is None:
        message = f"{opening}the contributions to {step} add up to {sums}, which cancel"
        readers = [one.reader for one in evidence.received.get(cause.node, [])]
        places = [(node, "") for node in {node.span: node for node in readers}.values()]
    else:
        message = f"{opening}the terms inside {step} add up to {sums}, which cancel"
        places = [(cause.node, "cancels here")]
        adjoint = evidence.adjoint(cause.node)
        if adjoint is not None and np.all(adjoint == adjoint.reshape(-1)[0]):
            notes = (
                "every column of its Jacobian adds up to 0, so equal seeds for all entries of "
                f"{step} give 0",
            )
    return finding(
        evidence,
        "gradient-cancels",
        message,
        "note",
        places=places,
        leaf=leaf,
        index=index,
        numbers=(("positive sum", positive), ("negative sum", negative)),
        notes=notes,
    )


def _saturated(
    evidence: Evidence,
    cause: Cause,
    opening: str,
    leaf: str,
    index: tuple[int, ...],
    largest: float,
) -> Diagnostic:
    one, step = cause.contribution, words_of(evidence, cause.node)
    assert one is not None
    arrived, local = evidence.adjoint(cause.node), evidence.values[one.local]
    assert arrived is not None
    sent = float(np.max(np.abs(local), initial=0.0))
    came = float(np.max(np.abs(arrived), initial=0.0))
    underflow = cause.kind == "underflow"
    dtype = evidence.problem.settings.dtype
    if not underflow:
        what = f"{step} is saturated, its slope there is {number(sent / came)}"
    elif len(cause.node.operands) == 1:
        what = f"{step} underflows, its slope is below what {dtype} can hold"
    else:
        what = f"on the way back through {step} the product is below what {dtype} can hold"
    return finding(
        evidence,
        "underflow" if underflow else "gradient-saturated",
        f"{opening}{what}",
        "warning" if largest == 0 else "note",
        places=[(cause.node, "vanishes here")],
        leaf=leaf,
        index=index,
        numbers=(
            ("value", evidence.values[cause.node].reshape(-1)[0]),
            ("slope", sent / came),
            ("adjoint in", came),
            ("adjoint out", sent),
        ),
        notes=("it is connected: a slope that has vanished is not a missing path",),
    )


# Single entries behind a saturated function.


def _saturated_entries(evidence: Evidence, leaves: list[str]) -> list[Diagnostic]:
    gradients = pass_gradients(evidence)
    epsilon = float(np.finfo(evidence.problem.settings.dtype).eps)
    found: list[Diagnostic] = []
    looked_into = 0
    for node in evidence.graph.nodes:
        if not is_smooth_function(node) or looked_into >= MOST_SATURATED:
            continue
        for one in evidence.sent.get(node, []):
            everywhere = np.ones(node.shape, np.bool_)
            here = saturated_entries(evidence, one, everywhere, epsilon)
            if here.kind is None:
                continue
            looked_into += 1
            arrived = evidence.adjoint(node)
            assert arrived is not None
            limit = TINY * float(np.max(np.abs(arrived), initial=0.0))
            moved = gradients_with(evidence, {one.local: evidence.values[one.local] + here.at})
            for leaf in leaves:
                mask = (moved[leaf] != gradients[leaf]) & (np.abs(gradients[leaf]) <= limit)
                if mask.any():
                    found.append(_entry(evidence, node, here.kind, here.at, leaf, mask))
                    break
    return found


def _entry(
    evidence: Evidence,
    node: Node,
    kind: Literal["saturated", "underflow"],
    at: NDArray[np.bool_],
    leaf: str,
    mask: NDArray[np.bool_],
) -> Diagnostic:
    index, place = first_position(mask), first_position(at)
    got = float(pass_gradients(evidence)[leaf][index])
    operand = float(evidence.values[node.operands[0]][place])
    value = float(evidence.values[node][place])
    what = f"{node.operation.name}({number(operand)}) in {words_of(evidence, node)}"
    (one, *_) = evidence.sent[node]
    sent = float(evidence.values[one.local][place])
    arrived = evidence.adjoint(node)
    assert arrived is not None
    came = float(arrived[place])
    underflow = kind == "underflow"
    ending = (
        f"underflows, its slope is below what {evidence.problem.settings.dtype} can hold"
        if underflow
        else f"is saturated, its slope is {number(sent / came)}"
    )
    return finding(
        evidence,
        "underflow" if underflow else "gradient-saturated",
        f"{gradient_name(leaf, index)} is {number(got)}: {what} {ending}",
        "note",
        places=[(node, "vanishes here")],
        leaf=leaf,
        index=index,
        numbers=(
            ("operand", operand),
            ("value", value),
            ("slope", sent / came),
            ("adjoint in", came),
            ("adjoint out", sent),
        ),
        notes=(count_note(leaf, mask),),
    )
