"""Where a kink or tie was hit, and which gradients another slope there would change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.rerun import gradients_with, pass_gradients
from vjpcli.explanation.findings.telling import Mask
from vjpcli.graph.facts import Kink
from vjpcli.graph.node import Node

Array = NDArray[Any]

NOTICEABLE = 1e-12
"""Relative change of a gradient entry that counts as one, beyond rounding."""


@dataclass(eq=False)
class Hit:
    """A kink of one node that was hit.

    Attributes:
        node: whose operation has the kink.
        kink: as declared, for the node's static arguments.
        at: mask of the node's entries that lie on it.
    """

    evidence: Evidence
    node: Node
    kink: Kink
    at: Mask

    @property
    def is_tie(self) -> bool:
        """Whether several operands, or entries of one, are equal; else a slope is in question."""
        return self.kink.place == "a == b" or self.kink.place.startswith("several")

    @property
    def mixes(self) -> bool:
        """Whether the node's entries are not its operand's: quotients tell what rests on it."""
        return self.node.operation.pattern not in ("elementwise", "reduction")

    @property
    def share(self) -> float:
        """What each of the equal entries of a reduction gets where the adjoint is shared.

        That of the first lane on the kink.
        """
        operand = self.evidence.values[self.node.operands[0]]
        tied = operand == self._spread(self.evidence.values[self.node])
        counts = np.sum(tied, axis=self._axes).reshape(self.node.shape)
        return 1.0 / max(1, int(counts[self.at][0]))

    @property
    def reduces(self) -> bool:
        """Whether the kink is that of a reduction, at which only some of its entries may lie."""
        return self.node.operation.pattern == "reduction" and not self.is_tie

    def _touched(self) -> Iterator[dict[Node, Array]]:
        """The contributions to whatever the entries on the kink read, each made larger by 1."""
        for one in self.evidence.sent[self.node]:
            reads = self.evidence.reads(self.node, one.position)
            value = self.evidence.values[one.local]
            if reads is not None and value.shape == reads.shape[self.at.ndim :]:
                yield {one.local: value + reads[self.at].any(axis=0)}

    @cached_property
    def reached(self) -> dict[str, Mask]:
        """Leaf -> entries that an adjoint handed on at the kink arrives at."""
        if self.mixes:
            return self._changed(list(self._touched()))
        at = self._spread(self.at)
        alternatives = []
        for one in self.evidence.sent[self.node]:
            value = self.evidence.values[one.local]
            meant = self.is_tie or one.position == self.kink.operand
            if meant and value.shape == at.shape:
                alternatives.append({one.local: value + at})
        return self._changed(alternatives)

    @cached_property
    def decided(self) -> dict[str, Mask]:
        """Leaf -> entries whose gradient depends on which slope is taken, or may depend on it."""
        return self._changed(list(self._alternatives()))

    def _changed(self, alternatives: list[dict[Node, Array]]) -> dict[str, Mask]:
        before = pass_gradients(self.evidence)
        found = {leaf: np.zeros(gradient.shape, np.bool_) for leaf, gradient in before.items()}
        for alternative in alternatives:
            for leaf, after in gradients_with(self.evidence, alternative).items():
                was = before[leaf]
                if after is was:
                    continue
                with np.errstate(all="ignore"):
                    size = np.abs(after) + np.abs(was)
                    differs = ~(np.abs(after - was) <= NOTICEABLE * size)
                found[leaf] |= differs & np.isfinite(was)
        return {leaf: mask for leaf, mask in found.items() if mask.any()}

    def _alternatives(self) -> Iterator[dict[Node, Array]]:
        """The contributions that other slopes would give."""
        adjoint = self.evidence.adjoint(self.node)
        if adjoint is None or not np.any(adjoint[self.at]):
            return
        if self.mixes:
            yield from self._touched()
            return
        given = self._spread(adjoint)
        at = self._spread(self.at)
        if self.node.operation.pattern == "reduction":
            operand = self.evidence.values[self.node.operands[0]]
            if operand.size == 0:
                return  # a norm of nothing is at its kink, but no entry has a slope
            hit = at & (operand == self._spread(self.evidence.values[self.node]))
            for first in (True, False):
                share = _one_of(hit, self._axes, first)
                if not self.is_tie:
                    share = share - _mean(share, self._axes)
                yield self._instead({0: share}, given, at)
            if self.is_tie:
                counts = np.sum(hit, axis=self._axes, keepdims=True)
                yield self._instead({0: hit / np.maximum(1, counts)}, given, at)
        elif self.is_tie:
            yield self._instead({0: 1.0, 1: 0.0}, given, at)
            yield self._instead({0: 0.0, 1: 1.0}, given, at)
        else:
            for slope in _trial_slopes(self.kink):
                yield self._instead({self.kink.operand: slope}, given, at)

    def _instead(self, slopes: Mapping[int, Any], given: Array, at: Mask) -> dict[Node, Array]:
        found = {}
        for one in self.evidence.sent[self.node]:
            value = self.evidence.values[one.local]
            if one.position in slopes and value.shape == given.shape:
                found[one.local] = np.where(at, given * slopes[one.position], value)
        return found

    @property
    def _axes(self) -> tuple[int, ...]:
        axis = self.node.static.get("axis")
        if axis is None:
            return tuple(range(-self.node.operands[0].ndim, 0))
        return axis if isinstance(axis, tuple) else (axis,)

    def _spread(self, array: Array) -> Array:
        """An array of the node's shape, stretched over the entries that a reduction took in."""
        if self.node.operation.pattern != "reduction":
            return array
        operand = self.node.operands[0]
        gone = {axis % operand.ndim for axis in self._axes} if operand.ndim else set()
        shape = tuple(1 if axis in gone else n for axis, n in enumerate(operand.shape))
        return np.broadcast_to(array.reshape(shape), operand.shape)


def hits(evidence: Evidence) -> list[list[Hit]]:
    """Every kink that was hit where a gradient passes, grouped by its place in the text."""
    groups: dict[Any, list[Hit]] = {}
    for node in evidence.graph.nodes:
        if not node.operation.kinks or node not in evidence.sent:
            continue
        operands = [evidence.values[operand] for operand in node.operands]
        for kink in node.operation.kinks:
            with np.errstate(all="ignore"):
                at = kink.at(evidence.values[node], *operands, **node.static)
            at = np.broadcast_to(np.asarray(at, np.bool_), node.shape)
            if at.any():
                key = (node.span, node.operation.name, kink.place)
                groups.setdefault(key, []).append(Hit(evidence, node, kink.under(node.static), at))
    return list(groups.values())


def _trial_slopes(kink: Kink) -> list[float]:
    """Finite slopes other than the one that was taken."""
    slopes = [slope for slope in kink.slopes if np.isfinite(slope) and slope != kink.used]
    return slopes or [kink.used + 1.0]


def _one_of(hit: Mask, axes: tuple[int, ...], first: bool) -> Array:
    """1 at the first or last True along `axes`, 0 elsewhere."""
    behind = tuple(range(-len(axes), 0))
    moved = np.moveaxis(hit, axes, behind) if axes else hit
    rows = moved.reshape(*moved.shape[: moved.ndim - len(axes)], -1)
    chosen = (
        np.argmax(rows, axis=-1)
        if first
        else rows.shape[-1] - 1 - np.argmax(rows[..., ::-1], axis=-1)
    )
    one = np.zeros(rows.shape)
    np.put_along_axis(one, chosen[..., None], 1.0, axis=-1)
    one = one.reshape(moved.shape)
    return np.moveaxis(one, behind, axes) if axes else one


def _mean(share: Array, axes: tuple[int, ...]) -> Array:
    return np.asarray(np.mean(share, axis=axes, keepdims=True))
