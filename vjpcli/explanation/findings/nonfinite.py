"""The birth of a nan or an infinity, forward and backward, each cause told once with its fix."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from vjpcli.errors import Diagnostic, Label, Severity, Span
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.backward_causes import backward_cause
from vjpcli.explanation.findings.blame import (
    BackwardBlame,
    Place,
    alike,
    blame_gradient,
    output_entry,
    spread_from_birth,
)
from vjpcli.explanation.findings.cause import Cause
from vjpcli.explanation.findings.entries import Entry, Mask, first_entry, is_entrywise, not_finite
from vjpcli.explanation.findings.forward_blame import blame_value, input_behind
from vjpcli.explanation.findings.forward_causes import forward_cause
from vjpcli.explanation.findings.peers import same_everywhere
from vjpcli.explanation.findings.slopes import Limit, beside, true_slopes
from vjpcli.explanation.findings.trails import Stop, trail
from vjpcli.explanation.findings.wording import entry_name, listed, number
from vjpcli.explanation.rewrites import Trouble, proven_fix
from vjpcli.graph.node import Node
from vjpcli.graph.operation import leaf
from vjpcli.parser.syntax import Name, postorder

MOST_CAUSES = 6
"""Causes looked for per leaf: beyond them, more would only repeat the picture."""


@dataclass(slots=True)
class _Found:
    """A cause and whom it struck.

    Attributes:
        cause: why.
        entry: the first affected entry of the first affected leaf, or of the output.
        seen: what is not finite there.
        leaves: leaf -> mask of its entries that this cause spoilt.
        place: the entry of the leaf (backward) or of the output (forward) that was followed.
        blame: the way back, where it was a gradient.
        back: rows of the way back, those of further leaves behind the first's.
        becomes: leaf -> what its first affected entry is.
    """

    cause: Cause
    place: Place
    seen: float
    leaves: dict[str, Mask] = field(default_factory=dict)
    blame: BackwardBlame | None = None
    back: list[Stop] = field(default_factory=list)
    becomes: dict[str, float] = field(default_factory=dict)

    def add(self, name: str, other: _Found) -> None:
        """The same cause struck another entry or leaf: a nan is told before an infinity."""
        known = {stop.key for stop in self.back}
        if np.isnan(other.seen) and not np.isnan(self.seen):
            self.cause, self.place, self.seen = other.cause, other.place, other.seen
            self.blame = other.blame
            self.leaves = {**other.leaves, **self.leaves}
            new = {stop.key for stop in other.back}
            self.back = [*other.back, *(stop for stop in self.back if stop.key not in new)]
        elif np.isnan(other.seen) != np.isnan(self.seen):
            self.back += [stop for stop in other.back if stop.key not in known]
        mask = other.leaves[name]
        self.leaves[name] = mask | self.leaves[name] if name in self.leaves else mask
        if np.isnan(other.seen) or name not in self.becomes:
            self.becomes[name] = other.seen


def find(evidence: Evidence) -> list[Diagnostic]:
    """One warning per cause of numbers that are not finite, in gradients first, then in values."""
    seeds = _seed_findings(evidence)
    if seeds:
        return seeds
    found: dict[tuple[Node, str], _Found] = {}
    for name in evidence.problem.leaves:
        _look_at_gradient(evidence, name, found)
    for name, node in evidence.graph.outputs.items():
        if name in evidence.graph.outputs and node.kind == "real":
            _look_at_value(evidence, node, found)
    return [_diagnostic(evidence, one) for one in found.values()]


def _look_at_gradient(evidence: Evidence, name: str, found: dict[tuple[Node, str], _Found]) -> None:
    node = evidence.graph.inputs[name]
    adjoint = evidence.adjoint(node)
    if adjoint is None:
        return
    remaining = not_finite(adjoint)
    for _ in range(MOST_CAUSES):
        entry = first_entry(remaining)
        if entry is None:
            return
        blame = blame_gradient(evidence, node, entry)
        if blame is None:
            return
        cause = backward_cause(evidence, blame)
        same = np.isnan(adjoint) == np.isnan(adjoint[entry])
        mask = np.asarray(spread_from_birth(evidence, blame) & remaining & same)
        mask[entry] = True
        remaining = np.asarray(remaining & ~mask)
        seen = float(adjoint[entry])
        one = _Found(cause, Place(node, entry), seen, {name: mask}, blame, list(cause.back))
        one.becomes[name] = seen
        if cause.key in found:
            found[cause.key].add(name, one)
        else:
            found[cause.key] = one


def _look_at_value(evidence: Evidence, node: Node, found: dict[tuple[Node, str], _Found]) -> None:
    values = evidence.values[node]
    remaining = not_finite(values)
    known = {one.cause.root for one in found.values()}
    for _ in range(MOST_CAUSES):
        entry = first_entry(remaining)
        if entry is None:
            return
        place = Place(node, entry)
        blame = blame_value(evidence, place)
        cause = forward_cause(evidence, blame)
        same = np.asarray(np.isnan(values) == np.isnan(values[entry]))
        if is_entrywise(blame.first.node) and blame.first.node.shape == node.shape:
            same = same & alike(evidence, blame.first.node, blame.first.entry)
        remaining = np.asarray(remaining & ~same)
        remaining[entry] = False
        passed_on = cause.code == "inf-in-input" and np.isinf(values[entry])
        if cause.root not in known and not (found and passed_on):
            found.setdefault(cause.key, _Found(cause, place, place.value(evidence)))


# Into words.


def _diagnostic(evidence: Evidence, found: _Found) -> Diagnostic:
    cause = found.cause
    leaf_name, entry = _leaf_entry(evidence, found)
    if found.leaves:
        seen = f"{entry_name(f'{leaf_name}.grad', entry or ())} is {number(found.seen)}"
    else:
        name = evidence.names.get(found.place.node, "the output")
        seen = f"{entry_name(name, found.place.entry)} is {number(found.seen)}"
    return Diagnostic(
        code=cause.code,
        message=f"{seen}: {cause.reason}",
        severity=_severity(found),
        source=evidence.problem.program.source,
        labels=_labels(evidence, cause, found),
        notes=tuple(_notes(evidence, found)),
        fix=proven_fix(evidence, _trouble(evidence, found)),
        leaf=leaf_name,
        index=entry,
        numbers=cause.numbers,
        trail=trail(evidence, cause.forward, found.back, entry),
    )


def _severity(found: _Found) -> Severity:
    """An infinity that was given and comes out again is only worth knowing."""
    given = found.cause.code == "inf-in-input"
    return "note" if given and not found.leaves and np.isinf(found.seen) else "warning"


def _leaf_entry(evidence: Evidence, found: _Found) -> tuple[str | None, Entry | None]:
    if found.leaves:
        return str(found.place.node.static["name"]), found.place.entry
    behind = input_behind(evidence, blame_value(evidence, found.place).first)
    if behind is None:
        return None, None
    return str(behind.node.static["name"]), behind.entry


def _labels(evidence: Evidence, cause: Cause, found: _Found) -> tuple[Label, ...]:
    marks = [(cause.culprit, cause.label), *cause.also]
    labels = [
        Label(span, text) for node, text in marks if (span := _span(evidence, node)) is not None
    ]
    if not labels and found.blame is not None:
        spans = [step.one.reader.span for step in reversed(found.blame.path)]
        labels = [Label(span, cause.label) for span in spans if span is not None][:1]
    seen: dict[object, Label] = {}
    for label in labels:
        seen.setdefault(label.span, label)
    return tuple(seen.values())


def _span(evidence: Evidence, node: Node) -> Span | None:
    """Where a node stands in the program; an input where it is read first."""
    if node.operation is not leaf:
        return node.span
    name = node.static["name"]
    for statement in evidence.problem.program.statements:
        for part in postorder(statement.value):
            if isinstance(part, Name) and part.identifier == name:
                return part.span
    return None


def _notes(evidence: Evidence, found: _Found) -> list[str]:
    cause = found.cause
    notes = [cause.words] if cause.words else []
    notes += cause.notes
    notes += _how_many(evidence, found)
    if found.leaves:
        notes += _of_the_value(evidence, found)
    if found.blame is not None and same_everywhere(evidence, found.blame):
        notes.append("Same in PyTorch, JAX and autograd.")
    name, entry = _leaf_entry(evidence, found)
    if name is not None and entry is not None and found.leaves:
        notes += _true_slopes(evidence, found, name, entry)
    return notes


def _true_slopes(evidence: Evidence, found: _Found, name: str, entry: Entry) -> list[str]:
    """What difference quotients say, where the output is finite or has a limit."""
    if found.cause.code == "repeated-eigenvalues":
        return []  # the vectors turn by any angle there: quotients say nothing
    reached = _reached(evidence, found)
    if reached is not None and not np.isfinite(reached.value(evidence)):
        if found.cause.code == "overflow":
            return []  # the quotients are taken in float64, where a float32 may not overflow
        limit = beside(evidence, name, entry, reached)
        return [] if limit is None else [limit.says]
    slopes = true_slopes(evidence, name, entry)
    if slopes is None or not slopes.says:
        return []
    at = number(float(evidence.problem.inputs[name].value[entry]))
    return [f"True slope at {at}: {slopes.says}."]


def _reached(evidence: Evidence, found: _Found) -> Place | None:
    """An entry of an output that the trouble is about."""
    if found.blame is None:
        return found.place
    birth = found.blame.birth
    return output_entry(evidence, birth.one.reader, birth.at)


def _how_many(evidence: Evidence, found: _Found) -> list[str]:
    notes = []
    for name, mask in found.leaves.items():
        count, first = int(np.count_nonzero(mask)), first_entry(mask)
        if count > 1 and first is not None:
            adjoint = evidence.adjoint(evidence.graph.inputs[name])
            infinite = 0 if adjoint is None else int(np.count_nonzero(np.isinf(adjoint[mask])))
            some = f" ({infinite} infinite)" if 0 < infinite < count else ""
            where = f"elements of {name}.grad{some}, first at {list(first)}"
            notes.append(f"{count} of {mask.size} {where}")
    others = list(found.leaves)[1:]
    same = [name for name in others if str(found.becomes[name]) == str(found.seen)]
    if same:
        notes.append(f"the same spoils {listed([f'{name}.grad' for name in same])}")
    notes += [
        f"the same makes {name}.grad {number(found.becomes[name])}"
        for name in others
        if name not in same
    ]
    return notes


def _of_the_value(evidence: Evidence, found: _Found) -> list[str]:
    """Whether the forward value is fine."""
    bad = {
        name: node
        for name, node in evidence.graph.outputs.items()
        if not_finite(evidence.values[node]).any()
    }
    reached = _reached(evidence, found)
    if reached is None:
        return [] if bad else ["The value is fine; only the gradient breaks."]
    name = evidence.names.get(reached.node, "the output")
    value = reached.value(evidence)
    where = f"{entry_name(name, reached.entry)} = {number(value)}"
    if np.isfinite(value):
        breaks = f"The value is fine ({where}); only the gradient breaks"
        if found.cause.code == "nan-untaken-branch":
            return [
                f"{breaks}: where() hides the unused branch going forward, but still multiplies "
                "by its slope going back."
            ]
        return [f"{breaks}."]
    return [f"The value is not finite either ({where})."]


def _trouble(evidence: Evidence, found: _Found) -> Trouble:
    nodes = [found.cause.culprit, *(node for node, _ in found.cause.also)]
    if found.blame is not None:
        nodes.append(found.blame.birth.one.reader)
    output = _reached(evidence, found)
    if output is not None and np.isfinite(output.value(evidence)):
        output = None
    limit = None if output is None else _limit_for_all(evidence, found, output)
    return Trouble(
        code=found.cause.code,
        spans=tuple(dict.fromkeys(node.span for node in nodes if node.span is not None)),
        leaves=found.leaves,
        value=None if found.leaves else found.place,
        inputs=_inputs_to_guard(evidence, nodes),
        output=output,
        tends_to=None if limit is None else limit.value,
        slope=None if limit is None else limit.slope,
    )


def _limit_for_all(evidence: Evidence, found: _Found, output: Place) -> Limit | None:
    """What the output tends to, where that is the same from the side of every leaf in trouble.

    x/y has the limit 0 along y at (0, 0), and none along x.
    """
    limits = []
    for name, mask in found.leaves.items():
        entry = found.place.entry if found.place.node.static.get("name") == name else None
        entry = first_entry(mask) if entry is None else entry
        limits.append(None if entry is None else beside(evidence, name, entry, output))
    known = [limit for limit in limits if limit is not None]
    if not known or len(known) < len(limits):
        return None
    alike = np.allclose([limit.value for limit in known], known[0].value, rtol=1e-3, atol=1e-3)
    return max(known, key=lambda limit: abs(limit.slope)) if alike else None


def _inputs_to_guard(evidence: Evidence, nodes: list[Node]) -> tuple[str, ...]:
    """Inputs with nan that could be replaced without inventing a value: all outputs are fine."""
    if any(not_finite(evidence.values[node]).any() for node in evidence.graph.outputs.values()):
        return ()
    return tuple(node.static["name"] for node in nodes if node.operation is leaf)


def _seed_findings(evidence: Evidence) -> list[Diagnostic]:
    """A seed that holds nan or infinity explains every other one, so it is told alone."""
    found = []
    for seed in evidence.one_pass:
        if seed.value is None:
            continue
        entry = first_entry(not_finite(seed.value))
        if entry is not None:
            value = number(float(seed.value[entry]))
            found.append(
                Diagnostic(
                    "nan-in-seed" if value == "nan" else "inf-in-seed",
                    f"{entry_name('seed', entry)} is {value}, so the gradient cannot be finite",
                    severity="warning",
                    index=entry,
                )
            )
    return found
