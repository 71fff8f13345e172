"""Kinks and ties that were hit: the slope that was taken, and what else would have been right.

Two kinds of evidence are put together. The backward pass is run again with another slope at the
kink: entries of a gradient that change rest on a convention. And one-sided difference quotients
of the whole program tell whether the program itself has a kink there: kinks may cancel, so that
the function is smooth and its slope well known, and the gradient right, or wrong by convention.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import Diagnostic
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.connectivity import smoothly_connected
from vjpcli.explanation.findings.engines import engine_differences
from vjpcli.explanation.findings.kink_hits import Hit, hits
from vjpcli.explanation.findings.one_sided import OneSided, Sides
from vjpcli.explanation.findings.place_words import place_in_words
from vjpcli.explanation.findings.rerun import pass_gradients
from vjpcli.explanation.findings.telling import ENGINES, Mask, count_note, finding, first_position
from vjpcli.explanation.findings.wording import gradient_name, listed, number, words_of
from vjpcli.graph.facts import Kink
from vjpcli.graph.node import Node, dependents

Array = NDArray[Any]

MOST_GROUPS = 8
"""Kinks that are looked into one by one; a graph of a thousand steps may hit a thousand."""

MOST_ENTRIES = 8
"""Entries of a leaf at which difference quotients are formed for one kink."""

COMPARISONS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}


def find(evidence: Evidence) -> list[Diagnostic]:
    """Findings kink, tie, kink-composed and engines-differ."""
    told: dict[str, Mask] = {}
    return [*_kinks(evidence, told), *engine_differences(evidence, told)]


def _kinks(evidence: Evidence, told: dict[str, Mask]) -> list[Diagnostic]:
    """The first three; the entries of which they tell what other engines give go to `told`."""
    groups = sorted(hits(evidence), key=_carries_nothing)
    compared = list(_equal_comparisons(evidence))
    if not groups and not compared:
        return []
    sides = OneSided(evidence)
    wrong: dict[str, Mask] = {}
    blamed: list[Node] = []
    found = []
    for group in groups[:MOST_GROUPS]:
        if _is_wrong_at(evidence, group, sides, wrong):
            blamed += [hit.node for hit in group]
        else:
            found += _kink_or_tie(evidence, group, sides, told)
    for node in compared[:MOST_GROUPS]:
        verdict = _of_comparison(evidence, node, sides, wrong)
        if verdict is None:
            blamed.append(node)
        else:
            found += verdict
    return [*_composed(evidence, sides, wrong, blamed), *found]


# Kinks that the declarations of the operations know.


def _carries_nothing(group: list[Hit]) -> bool:
    """Whether no adjoint arrives at the kink: then only its part in a composition matters."""
    adjoints = ((hit.evidence.adjoint(hit.node), hit.at) for hit in group)
    return not any(adjoint is not None and np.any(adjoint[at]) for adjoint, at in adjoints)


def _entries(reached: Iterable[dict[str, Mask]]) -> dict[str, Mask]:
    """The masks of several hits, united."""
    united: dict[str, Mask] = {}
    for masks in reached:
        for leaf, mask in masks.items():
            united[leaf] = united[leaf] | mask if leaf in united else mask
    return united


def _is_wrong_at(
    evidence: Evidence, group: list[Hit], sides: OneSided, wrong: dict[str, Mask]
) -> bool:
    """Whether the program is smooth at an entry that the kink reaches, with another slope.

    Such entries are added to `wrong`.
    """
    gradients = pass_gradients(evidence)
    any_wrong = False
    for leaf, mask in _entries(hit.reached for hit in group[:MOST_GROUPS]).items():
        for index in np.argwhere(mask)[:MOST_ENTRIES]:
            position = tuple(int(i) for i in index)
            if sides.at(leaf, position, gradients[leaf][position]).verdict == "wrong":
                wrong.setdefault(leaf, np.zeros(mask.shape, np.bool_))[position] = True
                any_wrong = True
    return any_wrong


def _kink_or_tie(
    evidence: Evidence, group: list[Hit], sides: OneSided, told: dict[str, Mask]
) -> list[Diagnostic]:
    """The finding about a kink on which some gradient entry rests, if there is one."""
    # Behind a flat operation nothing rests on a slope; another finding tells of that.
    connected = smoothly_connected(evidence)
    decided = _entries(hit.decided for hit in group[:MOST_GROUPS])
    decided = {
        leaf: mask
        for leaf, mask in decided.items()
        if evidence.graph.inputs[leaf] in connected and not _all_right(evidence, leaf, mask, sides)
    }
    mixes = group[0].mixes
    if mixes or group[0].reduces:
        bent = _that_bend(evidence, decided, sides)
        decided = bent if mixes or bent else decided
    if not decided:
        return []
    for name, entries in decided.items() if not mixes else ():
        told[name] = told[name] | entries if name in told else entries
    leaf, mask = next(iter(decided.items()))
    index = first_position(mask)
    hit = next((one for one in group if leaf in one.decided and _is_open(one.kink)), None)
    if hit is None:
        return []
    kink, at = hit.kink, first_position(hit.at)
    used, others = _conventions(kink, evidence.problem.settings.like)
    if hit.is_tie and hit.node.operation.pattern == "reduction":
        used = hit.share if used == 0.5 else used
        others = {engine: hit.share if one == 0.5 else one for engine, one in others.items()}
    left, right = kink.slopes
    right_ones = _any_share(kink) if hit.is_tie else _right_slopes(kink)
    if kink.says or mixes:
        # The declared slopes are those of one example; the program's own can be measured here.
        beside = sides.at(leaf, index, float(pass_gradients(evidence)[leaf][index]))
        left, right = _rounded(beside.left), _rounded(beside.right)
        if mixes:  # nor does it say what reaches the leaf
            used, others = float(pass_gradients(evidence)[leaf][index]), {}
        right_ones = f"the slope is {number(left)} from the left, {number(right)} from the right"
    what = words_of(evidence, hit.node)
    place = place_in_words(evidence, hit.node, kink.place)
    message = (
        f"{gradient_name(leaf, index)} rests on a {'tie in' if hit.is_tie else 'kink of'} {what}, "
        f"where {place}: {right_ones}; used {number(used)} "
        f"({ENGINES[evidence.problem.settings.like]})"
    )
    operand = evidence.values[hit.node.operands[kink.operand]]
    value = operand.reshape(-1)[0] if operand.size == 1 else _entry(operand, at)
    adjoint = evidence.adjoint(hit.node)
    numbers = [("value", value), ("slope", used), ("slope from the left", left)]
    numbers += [("slope from the right", right)]
    if adjoint is not None:
        numbers.append(("adjoint in", adjoint[at]))
    also = [f"{other}.grad" for other in decided if other != leaf]
    return [
        finding(
            evidence,
            "tie" if hit.is_tie else "kink",
            message,
            "note",
            places=[(hit.node, place)],
            leaf=leaf,
            index=index,
            numbers=numbers,
            notes=(
                _others_in_words(others),
                kink.tells,
                count_note(leaf, mask),
                f"so do entries of {listed(also)}" if also else "",
            ),
        )
    ]


def _that_bend(evidence: Evidence, masks: dict[str, Mask], sides: OneSided) -> dict[str, Mask]:
    """Of the entries of these masks those at which the program is seen to have a kink."""
    gradients = pass_gradients(evidence)
    found: dict[str, Mask] = {}
    for leaf, mask in masks.items():
        for index in np.argwhere(mask)[:MOST_ENTRIES]:
            place = tuple(int(i) for i in index)
            if sides.at(leaf, place, gradients[leaf][place]).verdict == "kink":
                found.setdefault(leaf, np.zeros(mask.shape, np.bool_))[place] = True
    return found


def _all_right(evidence: Evidence, leaf: str, mask: Mask, sides: OneSided) -> bool:
    """Whether the program is smooth at these entries and the gradient is its slope."""
    gradient = pass_gradients(evidence)[leaf]
    places = [tuple(int(i) for i in index) for index in np.argwhere(mask)[: MOST_ENTRIES + 1]]
    return len(places) <= MOST_ENTRIES and all(
        sides.at(leaf, place, gradient[place]).verdict == "right" for place in places
    )


def _entry(operand: Array, at: tuple[int, ...]) -> float:
    """The operand's entry behind the result's entry `at`, where shapes allow to tell."""
    if operand.ndim > len(at):
        return float(operand.reshape(-1)[0])
    own = at[len(at) - operand.ndim :]
    own = tuple(0 if n == 1 else i for i, n in zip(own, operand.shape, strict=True))
    inside = all(i < n for i, n in zip(own, operand.shape, strict=True))
    return float(operand[own]) if inside else float("nan")


def _is_open(kink: Kink) -> bool:
    """Whether another slope than the one that is used would be right as well, or instead."""
    return kink.slopes != (kink.used, kink.used) or bool(kink.says)


def _conventions(kink: Kink, like: str) -> tuple[float, dict[str, float]]:
    """The slope that was taken, and what the other engines take where it differs."""
    used = kink.others.get(like, kink.used)
    every = {"torch": kink.used, **kink.others}
    return used, {engine: slope for engine, slope in every.items() if slope != used}


def _right_slopes(kink: Kink) -> str:
    low, high = sorted(kink.slopes)
    if low == high:
        return f"the slope there is {number(low)}"
    if np.isinf([low, high]).any():
        left, right = kink.slopes
        return f"the slope is {number(left)} from the left, {number(right)} from the right"
    return f"any slope in [{number(low)}, {number(high)}] is right"


def _any_share(kink: Kink) -> str:
    low, high = sorted(kink.slopes)
    return f"any share in [{number(low)}, {number(high)}] is right"


def _others_in_words(others: dict[str, float]) -> str:
    engines: dict[str, list[str]] = {}
    for engine, slope in others.items():
        engines.setdefault(number(slope), []).append(ENGINES[engine])
    return listed(
        [
            f"{listed(names)} {'gives' if len(names) == 1 else 'give'} {slope}"
            for slope, names in engines.items()
        ]
    )


# Kinks that conditions make: where(x > 0, x, 0) at 0.


def _equal_comparisons(evidence: Evidence) -> Iterable[Node]:
    """Comparisons of two equal numbers that decide about something a gradient passes through."""
    problem = evidence.problem
    moving = None
    for node in evidence.graph.nodes:
        if node.operation.name not in COMPARISONS or node.span is None:
            continue
        first, second = (evidence.values[operand] for operand in node.operands)
        if not np.any(first == second):
            continue
        if moving is None:
            leaves = [problem.graph.inputs[leaf] for leaf in problem.leaves]
            moving = dependents(evidence.graph, leaves)
        if not moving.isdisjoint(node.operands):
            yield node


def _of_comparison(
    evidence: Evidence, node: Node, sides: OneSided, wrong: dict[str, Mask]
) -> list[Diagnostic] | None:
    """The kink that a comparison makes where its sides are equal; None where it is composed."""
    gradients = pass_gradients(evidence)
    for leaf, index in _moving_entries(evidence, node):
        gradient = gradients[leaf][index]
        if not np.isfinite(gradient):
            continue
        slopes = sides.at(leaf, index, gradient)
        if slopes.verdict == "wrong":
            wrong.setdefault(leaf, np.zeros(gradients[leaf].shape, np.bool_))[index] = True
            return None
        if slopes.verdict == "kink":
            return [_made_kink(evidence, node, leaf, index, slopes, gradient)]
    return []


def _moving_entries(evidence: Evidence, node: Node) -> list[tuple[str, tuple[int, ...]]]:
    """Leaf entries that may move a comparison off its equality, a few of them."""
    first, second = (evidence.values[operand] for operand in node.operands)
    equal = np.broadcast_to(first == second, node.shape)
    found: list[tuple[str, tuple[int, ...]]] = []
    for leaf in evidence.problem.leaves:
        shape = evidence.problem.inputs[leaf].value.shape
        own = equal if shape == equal.shape else np.ones(shape, np.bool_)
        places = np.argwhere(own)[:MOST_ENTRIES]
        found += [(leaf, tuple(int(i) for i in place)) for place in places]
    return found


def _made_kink(
    evidence: Evidence,
    node: Node,
    leaf: str,
    index: tuple[int, ...],
    slopes: Sides,
    gradient: float,
) -> Diagnostic:
    left, right = _rounded(slopes.left), _rounded(slopes.right)
    what = words_of(evidence, node)
    return finding(
        evidence,
        "kink",
        f"{gradient_name(leaf, index)} rests on a kink: both sides of {what} are equal, the slope "
        f"is {number(left)} from the left and {number(right)} from the right; used "
        f"{number(gradient)}",
        "note",
        places=[(node, "equal here")],
        leaf=leaf,
        index=index,
        numbers=[
            ("value", evidence.problem.inputs[leaf].value[index]),
            ("slope", gradient),
            ("slope from the left", left),
            ("slope from the right", right),
        ],
    )


def _rounded(slope: float) -> float:
    """A difference quotient without the digits that are only noise."""
    return float(f"{slope:.4g}") if abs(slope) > 1e-7 else 0.0


# Kinks that cancel: the program is smooth, the rules do not see it.


def _composed(
    evidence: Evidence, sides: OneSided, wrong: dict[str, Mask], blamed: list[Node]
) -> list[Diagnostic]:
    gradients = pass_gradients(evidence)
    found = []
    for leaf, mask in wrong.items():
        index = first_position(mask)
        slopes = sides.at(leaf, index, gradients[leaf][index])
        slope = _rounded(0.5 * (slopes.left + slopes.right))
        got = gradients[leaf][index]
        places = {node.span: node for node in blamed}
        found.append(
            finding(
                evidence,
                "kink-composed",
                f"{gradient_name(leaf, index)} = {number(got)} is not the slope: the program is "
                f"smooth there with slope {number(slope)} on both sides, but its parts have kinks",
                "warning",
                places=[(node, "a kink here") for node in places.values()],
                leaf=leaf,
                index=index,
                numbers=[
                    ("value", evidence.problem.inputs[leaf].value[index]),
                    ("gradient", got),
                    ("slope from the left", _rounded(slopes.left)),
                    ("slope from the right", _rounded(slopes.right)),
                ],
                notes=(
                    "every rule took its own slope at a kink, and together they miss the slope "
                    "of the whole",
                    count_note(leaf, mask),
                ),
            )
        )
    return found
