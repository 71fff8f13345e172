"""Where a gradient that is not finite was born: followed back from where it was seen.

From an entry of a gradient to the first hand-over where a finite adjoint met a slope that is not
finite. The walk follows one entry, so it costs a path, not a graph. `forward_blame.py` is its
like for values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.backward import Contribution
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.entries import (
    Entry,
    Mask,
    first_reader,
    is_entrywise,
    not_finite,
    projected,
    readers,
)
from vjpcli.explanation.findings.mixed_slopes import mixed_slope
from vjpcli.graph.node import Node
from vjpcli.record import record

Array = NDArray[Any]

LONGEST_WALK = 200_000
"""Steps after which a walk gives up; a longer path is longer than any graph that is kept."""


@record
class Place:
    """One entry of one forward node."""

    node: Node
    entry: Entry

    def value(self, evidence: Evidence) -> float:
        """Its forward value."""
        return float(evidence.values[self.node][self.entry])


@record
class HandOver:
    """One contribution on a path, and the entries that it went between.

    Attributes:
        one: who handed what to whom.
        at: the entry of the reader, whose adjoint arrived.
        to: the entry of the operand.
    """

    one: Contribution
    at: Entry
    to: Entry

    def arrived(self, evidence: Evidence) -> float:
        """The adjoint at the reader's entry."""
        adjoint = evidence.adjoint(self.one.reader)
        return float("nan") if adjoint is None else float(adjoint[self.at])

    def handed_on(self, evidence: Evidence) -> float:
        """What the operand's entry received."""
        return float(evidence.values[self.one.fitted][self.to])

    def handed_entry(self, evidence: Evidence) -> float:
        """What this very entry of the reader handed on, before copies were summed."""
        local = evidence.values[self.one.local]
        if is_entrywise(self.one.reader) and local.ndim <= len(self.at):
            return float(local[projected(self.at, local.shape)])
        return self.handed_on(evidence)


@record
class BackwardBlame:
    """Why an entry of a gradient is not finite.

    Attributes:
        path: from the leaf (first) to the birth (last).
        other: a second such path to an entry on the first, where only both together explain the
            nan that the entry received: ∞ by one, nan or -∞ by the other.
    """

    path: tuple[HandOver, ...]
    other: tuple[HandOver, ...] = ()

    @property
    def birth(self) -> HandOver:
        """Where a finite adjoint became nan or infinite."""
        return self.path[-1]


# Backward.


def blame_gradient(evidence: Evidence, node: Node, entry: Entry) -> BackwardBlame | None:
    """Follows the adjoint of `node` at `entry`, which is not finite, towards the output.

    None when it came from the seed, or when finite contributions overflowed in their sum.
    """
    path = _path_to_birth(evidence, node, entry)
    if not path:
        return None
    other = _other_path(evidence, path)
    # An infinity of the way back beside a nan: the nan is what needs explaining.
    if other and np.isnan(other[0].handed_on(evidence)) and _values_are_finite(evidence, path[-1]):
        path, other = other, path
    return BackwardBlame(tuple(path), tuple(other))


def _path_to_birth(evidence: Evidence, node: Node, entry: Entry) -> list[HandOver]:
    path: list[HandOver] = []
    for _ in range(LONGEST_WALK):
        step = next(_bad_arrivals(evidence, node, entry), None)
        if step is None:
            return path
        path.append(step)
        if np.isfinite(step.arrived(evidence)):
            return path
        node, entry = step.one.reader, step.at
    return []


def _bad_arrivals(evidence: Evidence, node: Node, entry: Entry) -> Iterator[HandOver]:
    """The contributions, in the order of the walk, that spoil the adjoint at `entry`."""
    for one in evidence.received.get(node, []):
        if np.isfinite(evidence.values[one.fitted][entry]):
            continue
        at = _spoilt_entry(evidence, one, entry)
        if at is not None:
            yield HandOver(one, at, entry)


def _other_path(evidence: Evidence, path: list[HandOver]) -> list[HandOver]:
    """The contribution that made nan of the infinity which `path` brought, and its way; or []."""
    for step in path:
        adjoint = evidence.adjoint(step.one.operand)
        brought = step.handed_on(evidence)
        if adjoint is None or not np.isnan(adjoint[step.to]):
            return []
        if np.isnan(brought):
            continue
        for another in _bad_arrivals(evidence, step.one.operand, step.to):
            if another.handed_on(evidence) != brought:
                if np.isfinite(another.arrived(evidence)):
                    return [another]
                return [another, *_path_to_birth(evidence, another.one.reader, another.at)]
        return []
    return []


def _values_are_finite(evidence: Evidence, step: HandOver) -> bool:
    """Whether no number that an entry-wise step read or gave is nan or infinite."""
    reader = step.one.reader
    nodes = (reader, *reader.operands)
    return not any(
        not_finite(evidence.values[node])[projected(step.at, node.shape)]
        if is_entrywise(reader)
        else not_finite(evidence.values[node]).any()
        for node in nodes
    )


def _spoilt_entry(evidence: Evidence, one: Contribution, entry: Entry) -> Entry | None:
    reader = one.reader
    adjoint = evidence.adjoint(reader)
    if adjoint is None:
        return None
    if is_entrywise(reader):
        local = evidence.values[one.local]
        if local.ndim <= reader.ndim:
            bad = np.broadcast_to(not_finite(local), reader.shape)
            return first_reader(one, entry, bad, evidence)
    arrived = first_reader(one, entry, not_finite(adjoint), evidence)
    if arrived is not None:
        return arrived
    return _entry_with_bad_slope(evidence, one, entry)


MOST_TRIED = 16
"""Entries of a mixing operation whose slopes are looked at, one after the other."""


def _entry_with_bad_slope(evidence: Evidence, one: Contribution, entry: Entry) -> Entry | None:
    """The adjoints are finite, so it is a slope: rather that of an entry that went wrong itself."""
    first = first_reader(one, entry, anything(one.reader), evidence)
    if first is None or is_entrywise(one.reader):
        return first
    reading = readers(one, entry, evidence)
    bad = not_finite(evidence.values[one.reader])
    candidates = [*np.argwhere(reading & bad)[:MOST_TRIED], *np.argwhere(reading)[:MOST_TRIED]]
    adjoint = evidence.adjoint(one.reader)
    assert adjoint is not None
    for candidate in candidates:
        at = tuple(int(i) for i in candidate)
        slope = mixed_slope(evidence, one.reader, one.position, at, entry)
        if slope is None:
            break
        with np.errstate(all="ignore"):
            if not np.isfinite(adjoint[at] * slope.value):
                return at
    return first_reader(one, entry, bad, evidence) or first


def spread_from_birth(evidence: Evidence, blame: BackwardBlame) -> Mask:
    """The entries of the leaf that are not finite for the same reason as the blamed one.

    The entries alike at the birth are marked there and followed down the path.
    """
    birth = blame.birth
    mask = alike(evidence, birth.one.reader, birth.at)
    for step in reversed(blame.path):
        one = step.one
        bad = not_finite(evidence.values[one.fitted])
        local = evidence.values[one.local]
        if is_entrywise(one.reader) and local.ndim <= mask.ndim:
            spoilt = np.broadcast_to(not_finite(local), mask.shape) & mask
            mask = np.asarray(_folded(spoilt, one.operand.shape) & bad)
        else:
            mask = bad
    return mask


def alike(evidence: Evidence, reader: Node, entry: Entry) -> Mask:
    """Where a node's operands, value and adjoint are of the same kind as at `entry`."""
    mask: Mask = np.ones(reader.shape, np.bool_)
    if not is_entrywise(reader):
        return mask
    adjoint = evidence.adjoint(reader)
    arrays = [evidence.values[node] for node in (*reader.operands, reader)]
    arrays += [] if adjoint is None else [adjoint]
    for array in arrays:
        kinds = np.broadcast_to(number_kind(array), reader.shape)
        mask = np.logical_and(mask, kinds == kinds[entry])
    return mask


def number_kind(array: Array) -> NDArray[np.int8]:
    """nan, -inf, negative, zero, positive, +inf as -3, -2, -1, 0, 1, 2; conditions as 0 and 1."""
    if array.dtype.kind != "f":
        return np.asarray(array != 0, np.int8)
    kinds = np.asarray(np.sign(np.nan_to_num(array, nan=0.0)), np.int8)
    kinds[np.isinf(array)] *= 2
    kinds[np.isnan(array)] = -3
    return kinds


def _folded(mask: Mask, shape: tuple[int, ...]) -> Mask:
    """`mask` in the shape of an operand that was stretched to it: True where any copy is."""
    missing = mask.ndim - len(shape)
    if missing > 0:
        mask = np.asarray(mask.any(axis=tuple(range(missing))))
    stretched = tuple(i for i, n in enumerate(shape) if n == 1 and mask.shape[i] != 1)
    return np.asarray(mask.any(axis=stretched, keepdims=True) if stretched else mask)


def anything(node: Node) -> Mask:
    """The mask of every entry of a node."""
    return np.broadcast_to(np.True_, node.shape)


# Why an adjoint is zero.

ZeroCause = Literal["where", "mask", "seed", "unread", "cancelled", "slope"]

ZERO_MAKERS: dict[str, ZeroCause] = {"where": "where", "multiply": "mask", "index": "unread"}
"""Operations that turn an adjoint into 0 in a way of their own; others have a flat slope."""


@record
class ZeroOrigin:
    """Why the adjoint at a place is exactly 0.

    Attributes:
        cause: an untaken branch, a factor 0, a zero in the seed, an entry that was not read
            further, contributions that cancelled, or another flat slope.
        step: the hand-over that made the zero; None for a seed.
        between: the hand-overs that passed the zero on, in the order of the walk.
    """

    cause: ZeroCause
    step: HandOver | None = None
    between: tuple[HandOver, ...] = ()


def zero_origin(evidence: Evidence, node: Node, entry: Entry) -> ZeroOrigin:
    """Follows an adjoint of 0 towards the output, to where it became 0."""
    passed: list[HandOver] = []

    def found(cause: ZeroCause, step: HandOver | None = None) -> ZeroOrigin:
        return ZeroOrigin(cause, step, tuple(reversed(passed)))

    for _ in range(LONGEST_WALK):
        arrived = evidence.received.get(node, [])
        if any(evidence.values[one.fitted][entry] != 0 for one in arrived):
            return found("cancelled")
        if not arrived:
            return found("seed")
        one = arrived[0]
        at = first_reader(one, entry, anything(one.reader), evidence)
        if at is None:
            return found("unread", HandOver(one, first_entry_of(one.reader), entry))
        step = HandOver(one, at, entry)
        if step.arrived(evidence) != 0:
            if _several_cancel(evidence, step):
                return found("cancelled")
            return found(ZERO_MAKERS.get(one.reader.operation.name, "slope"), step)
        passed.append(step)
        node, entry = one.reader, at
    return found("slope")


def _several_cancel(evidence: Evidence, step: HandOver) -> bool:
    """Whether an operation that mixes entries handed 0 on although this entry's slope is not 0."""
    one = step.one
    if is_entrywise(one.reader) or one.reader.operation.pattern in ("reduction", "movement"):
        return False
    slope = mixed_slope(evidence, one.reader, one.position, step.at, step.to)
    return slope is not None and np.isfinite(slope.value) and slope.value != 0


def first_entry_of(node: Node) -> Entry:
    """The entry 0, 0, ... of a node."""
    return (0,) * node.ndim


def output_entry(evidence: Evidence, node: Node, entry: Entry) -> Place | None:
    """An entry of an output that reads `node` at `entry`, by the first way there."""
    outputs = set(evidence.graph.outputs.values())
    for _ in range(LONGEST_WALK):
        if node in outputs:
            return Place(node, entry)
        arrived = evidence.received.get(node, [])
        if not arrived:
            return None
        one = arrived[0]
        # Where an operation mixes entries, one that went wrong is more to the point.
        bad = not_finite(evidence.values[one.reader])
        at = first_reader(one, entry, bad, evidence) if bad.any() else None
        at = at or first_reader(one, entry, anything(one.reader), evidence)
        if at is None:
            return None
        node, entry = one.reader, at
    return None
