"""Where another engine gives another gradient, or none: told when the point is hit.

The declarations know it as data. A rule under another engine's name repeats that engine's
numbers, so the backward pass is run once more with its rules and the gradients are compared;
`Elsewhere` says where an engine fails. What a kink's own note has said is not said again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.backward import Backward, backward, local_contributions
from vjpcli.engine.evaluate import evaluate
from vjpcli.errors import Diagnostic, Fix
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.place_words import place_in_words
from vjpcli.explanation.findings.rerun import computed, inputs_of, pass_gradients
from vjpcli.explanation.findings.telling import ENGINES, Mask, count_note, finding, first_position
from vjpcli.explanation.findings.wording import gradient_name, listed, number, numbers, words_of
from vjpcli.graph.node import Node
from vjpcli.graph.operation import TORCH_AS_MEASURED, Operation

Array = NDArray[Any]

TITLES = {**ENGINES, TORCH_AS_MEASURED: "PyTorch 2.13"}

NOTICEABLE = 1e-6
"""Relative difference of a gradient entry that counts as one, beyond rounding."""

NEGLIGIBLE = 1e-9
"""The same as a share of the leaf's largest gradient entry."""

LARGEST_GRAPH = 20_000_000
"""Entries over all nodes up to which the backward pass is run again for other engines."""

MOST_WRITTEN = 6
"""Entries up to which a gradient is written out."""

MOST_NAMED = 2
"""Entries up to which each is named."""

MOST_PLACES = 3
"""Places in the text that are marked."""


@dataclass(eq=False)
class Rerun:
    """The backward pass with another engine's rules.

    Attributes:
        engine: whose rules.
        told: leaf -> entries of which a kink's own note tells.
    """

    evidence: Evidence
    engine: str
    told: Mapping[str, Mask]

    @cached_property
    def reverse(self) -> Backward:
        """Its backward graph."""
        return backward(self.evidence.graph, self.evidence.problem.leaves, like=self.engine)

    @cached_property
    def values(self) -> Mapping[Node, Array]:
        """The value of every node of it."""
        dtype = self.evidence.problem.settings.dtype
        with np.errstate(all="ignore"):
            return evaluate(self.reverse.graph, inputs_of(self.evidence), dtype, keep=True)

    @cached_property
    def gradients(self) -> Mapping[str, Array]:
        """What that engine gives."""
        return {leaf: self.values[node] for leaf, node in self.reverse.graph.outputs.items()}

    @cached_property
    def untold(self) -> dict[str, Mask]:
        """Leaf -> entries that differ and of which nothing else tells."""
        found = {}
        for leaf, ours in pass_gradients(self.evidence).items():
            mask = differing(ours, self.gradients[leaf])
            if leaf in self.told:
                mask &= ~self.told[leaf]
            if mask.any():
                found[leaf] = mask
        return found

    def places(self) -> Iterator[tuple[Node, str]]:
        """The nodes whose rules differ, each with how that comes about, or ""."""
        theirs = {(one.reader, one.position): one.local for one in self.reverse.contributions}
        like = self.evidence.problem.settings.like
        for one in self.evidence.reverse.contributions:
            local = theirs.get((one.reader, one.position))
            if local is None or not _disagree(one.reader.operation, self.engine, like):
                continue
            ours, other = self.evidence.values[one.local], self.values[local]
            if ours.shape == other.shape and (mask := differing(ours, other)).any():
                at = first_position(mask)
                yield one.reader, self._how(one.reader, at, float(other[at]))

    def _how(self, reader: Node, at: tuple[int, ...], given: float) -> str:
        """`0 × nan`, `-∞ × 0`: how a nan is made by multiplying where others choose."""
        adjoint = self.evidence.adjoint(reader)
        if not np.isnan(given) or adjoint is None:
            return ""
        arrived = adjoint.reshape(-1)[0] if adjoint.size == 1 else None
        if arrived is None and len(at) == adjoint.ndim:
            arrived = adjoint[at] if adjoint.shape == tuple(reader.operands[0].shape) else None
        if arrived is None or np.isnan(arrived):
            return ""
        if arrived == 0:
            return "0 × nan"
        return f"{number(float(arrived))} × 0 = nan" if np.isinf(arrived) else ""


def engine_differences(evidence: Evidence, told: Mapping[str, Mask]) -> list[Diagnostic]:
    """The note engines-differ, at most one. `told`: the entries of which kinks' notes tell."""
    reruns = [one for one in _reruns(evidence, told) if one.untold]
    failures = list(_failures(evidence))
    if not reruns and not failures:
        return []
    places: dict[Node, str] = {node: place for node, place, _ in failures}
    for rerun in reruns:
        for node, how in rerun.places():
            words = f"{TITLES[rerun.engine]}: {how}" if how else ""
            places[node] = places.get(node) or words
    given: dict[str, list[str]] = {}
    for rerun in reruns:
        given.setdefault(_given(rerun), []).append(TITLES[rerun.engine])
    clauses = [
        f"{listed(engines)} {'gives' if len(engines) == 1 else 'give'} {what}"
        for what, engines in given.items()
    ]
    clauses += dict.fromkeys(words for _, _, words in failures)
    marked = list({node.span: (node, words) for node, words in places.items()}.values())
    what = dict.fromkeys(words_of(evidence, node) for node, _ in marked[:MOST_PLACES])
    first = next(iter(reruns[0].untold.items())) if reruns else None
    return [
        finding(
            evidence,
            "engines-differ",
            f"other engines differ at {listed(list(what))}: {listed(clauses)}",
            "note",
            places=marked[:MOST_PLACES],
            leaf=first[0] if first else None,
            index=first_position(first[1]) if first else None,
            notes=(_count(*first) if first else "",),
            fix=_agreed_fix(evidence, reruns, [node for node, _ in marked]),
        )
    ]


def _count(leaf: str, mask: Mask) -> str:
    """How many entries differ, where the message does not say it."""
    few = np.count_nonzero(mask) <= MOST_NAMED or mask.size <= MOST_WRITTEN
    return "" if few else count_note(leaf, mask)


def differing(ours: Array, theirs: Array) -> Mask:
    """Entries that are not the same number, rounding aside."""
    with np.errstate(all="ignore"):
        size = np.abs(ours) + np.abs(theirs)
        largest = np.max(np.abs(ours), initial=0.0, where=np.isfinite(ours))
        near = np.abs(ours - theirs) <= NOTICEABLE * size + NEGLIGIBLE * largest
    return np.asarray(~(near | (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))))


def _rule(operation: Operation, engine: str) -> Callable[..., Any] | None:
    return operation.rules.get(engine) or operation.rules.get("torch")


def _disagree(operation: Operation, one: str, other: str) -> bool:
    return _rule(operation, one) is not _rule(operation, other)


def _reruns(evidence: Evidence, told: Mapping[str, Mask]) -> Iterator[Rerun]:
    """For every other engine whose rules are not all the same as those that were used."""
    if sum(node.size for node in evidence.graph.nodes) > LARGEST_GRAPH:
        return
    like = evidence.problem.settings.like
    operations = {one.reader.operation for one in evidence.reverse.contributions}
    for engine in (TORCH_AS_MEASURED, "jax", "autograd"):
        differ = {
            one
            for one in operations
            if _disagree(one, engine, like) and not _told_by_convention(evidence, one, engine)
        }
        if engine != like and any(_differs_here(evidence, one, engine) for one in differ):
            yield Rerun(evidence, engine, told)


def _differs_here(evidence: Evidence, operation: Operation, engine: str) -> bool:
    """Whether the engine's rule gives other numbers at a node; far less work than a whole pass."""
    for node, ours in evidence.sent.items():
        if node.operation is not operation:
            continue
        theirs = local_contributions(evidence.reverse.adjoints[node], node, engine)
        pairs = [(evidence.values[one.local], theirs[one.position]) for one in ours]
        results = computed(evidence, {local for _, local in pairs if local is not None})
        for value, local in pairs:
            other = None if local is None else results[local]
            if other is None or other.shape != value.shape or differing(value, other).any():
                return True
    return False


def _told_by_convention(evidence: Evidence, operation: Operation, engine: str) -> bool:
    """Whether a note on a convention names the engine, wherever the operation is used."""
    return any(
        note.code == "convention"
        and note.message.startswith(f"{operation.name}:")
        and TITLES[engine] in note.message
        for note in evidence.problem.notes
    )


def _failures(evidence: Evidence) -> Iterator[tuple[Node, str, str]]:
    """Nodes at which an engine fails, with the place and with what it does, in words."""
    for node in evidence.sent:
        for one in node.operation.elsewhere:
            operands = [evidence.values[operand] for operand in node.operands]
            with np.errstate(all="ignore"):
                hit = bool(np.any(one.at(evidence.values[node], *operands, **node.static)))
            if hit:
                place = place_in_words(evidence, node, one.place)
                yield node, place, f"{ENGINES[one.engine]} {one.does}"


def _given(rerun: Rerun) -> str:
    """`zeros for A.grad`, `x.grad[0] = nan`, `x.grad = 1  560  550  0`."""
    return listed(
        [_given_for(leaf, rerun.gradients[leaf], mask) for leaf, mask in rerun.untold.items()]
    )


def _given_for(leaf: str, theirs: Array, mask: Mask) -> str:
    count = int(np.count_nonzero(mask))
    if theirs.size > 1 and not theirs.any():
        return f"zeros for {leaf}.grad"
    if theirs.size > 1 and np.isnan(theirs).all():
        return f"nan for {leaf}.grad"
    if count <= MOST_NAMED:
        entries = [tuple(int(i) for i in index) for index in np.argwhere(mask)]
        return listed(
            [f"{gradient_name(leaf, at)} = {number(float(theirs[at]))}" for at in entries]
        )
    if theirs.size <= MOST_WRITTEN:
        return f"{leaf}.grad = {numbers(theirs)}"
    at = first_position(mask)
    return f"{gradient_name(leaf, at)} = {number(float(theirs[at]))}"


def _agreed_fix(evidence: Evidence, reruns: Sequence[Rerun], nodes: Sequence[Node]) -> Fix | None:
    """What to write instead so that these engines give this gradient, too, where that is known."""
    from vjpcli.explanation.rewrites import Trouble, exact_proposals, tried_out  # noqa: PLC0415

    spans = tuple(node.span for node in nodes if node.span is not None)
    lost = [one for one in reruns if not all(np.isfinite(g).all() for g in one.gradients.values())]
    ours = pass_gradients(evidence)
    if not lost or not spans or not all(np.isfinite(one).all() for one in ours.values()):
        return None
    problem = evidence.problem
    settings = [replace(problem.settings, like=one.engine) for one in lost]
    engines = [replace(evidence, problem=replace(problem, settings=one)) for one in settings]
    for proposal in exact_proposals(evidence, Trouble("engines-differ", spans)):
        proofs = [tried_out(one, proposal) for one in [evidence, *engines]]
        agree = all(
            proof is not None
            and not any(differing(ours[leaf], proof.gradients[leaf]).any() for leaf in ours)
            for proof in proofs
        )
        if agree:
            source = problem.program.source
            return Fix(proposal.text, source.text, says=f"{proposal.why}: all give the same")
    return None
