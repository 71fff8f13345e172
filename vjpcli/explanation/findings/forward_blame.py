"""Where a value that is not finite was born: followed back from where it was seen.

From an entry of a value to the first operation whose operands were finite. The walk follows one
entry, so it costs a path, not a graph. `blame.py` is its like for gradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.blame import LONGEST_WALK, Place
from vjpcli.explanation.findings.entries import (
    Mask,
    first_read,
    is_entrywise,
    not_finite,
    projected,
)
from vjpcli.graph.operation import constant, leaf
from vjpcli.record import record

Array = NDArray[Any]


@record
class ForwardBlame:
    """Why a forward value is not finite.

    Attributes:
        first: the earliest place where finite operands gave nan or infinity (or an input that
            holds one).
        nan: the place that made nan of infinities, where that is another one; else None.
        between: the places that the infinity went through on its way to `nan`, in their order.
    """

    first: Place
    nan: Place | None = None
    between: tuple[Place, ...] = ()


def blame_value(evidence: Evidence, place: Place) -> ForwardBlame:
    """Follows a value that is not finite towards the inputs, to where it was born."""
    nan: Place | None = None
    passed: list[Place] = []
    for _ in range(LONGEST_WALK):
        value = place.value(evidence)
        spoilt = _read_places(evidence, place, np.isnan if np.isnan(value) else np.isinf)
        if not spoilt:
            infinite = _read_places(evidence, place, np.isinf) if np.isnan(value) else []
            if not infinite:
                break
            nan, passed = nan or place, []
            spoilt = infinite
        elif nan is not None:
            passed.append(place)
        place = spoilt[0]
    earliest = _earliest(evidence, place)
    if earliest != place:
        passed.append(place)
        if nan is None and np.isnan(place.value(evidence)):
            nan, passed = place, []
    return ForwardBlame(earliest, nan, tuple(reversed(passed)) if nan is not None else ())


def _read_places(evidence: Evidence, place: Place, test: Any) -> list[Place]:
    """The operand entries that `place` was computed from and that pass `test`."""
    found = []
    node = place.node
    for position, operand in enumerate(node.operands):
        if operand.kind != "real" or _not_chosen(evidence, place, position):
            continue
        wanted = test(evidence.values[operand])
        entry = first_read(node, place.entry, operand, position, wanted, evidence)
        if entry is not None:
            found.append(Place(operand, entry))
    return found


def _not_chosen(evidence: Evidence, place: Place, position: int) -> bool:
    """Whether the operand is the branch that a where() did not take."""
    node = place.node
    if node.operation.name != "where" or position == 0:
        return False
    condition = node.operands[0]
    chosen = bool(evidence.values[condition][projected(place.entry, condition.shape)])
    return chosen is (position == 2)


def _earliest(evidence: Evidence, place: Place) -> Place:
    """The first of the places behind `place` where a number stopped being finite.

    An infinity can hide: 1/exp(800) is 0, and the log of that is what looks like the fault.
    """
    earlier = (node for node in evidence.graph.nodes if node.serial < place.node.serial)
    if not any(not_finite(evidence.values[node]).any() for node in earlier):
        return place
    found = place
    seen = {place.node}
    pending = [place]
    steps = 0
    while pending and steps < LONGEST_WALK:
        steps += 1
        here = pending.pop()
        if not np.isfinite(here.value(evidence)) and here.node.serial < found.node.serial:
            found = here
        for operand in _read_places(evidence, here, _anything):
            if operand.node not in seen:
                seen.add(operand.node)
                pending.append(_worst(evidence, here, operand))
    return found


def _anything(array: Array) -> Mask:
    return np.broadcast_to(np.True_, array.shape)


def _worst(evidence: Evidence, reader: Place, read: Place) -> Place:
    """The place read, or an entry beside it that is not finite where an operation mixes entries."""
    if is_entrywise(reader.node):
        return read
    position = reader.node.operands.index(read.node)
    bad = not_finite(evidence.values[read.node])
    entry = first_read(reader.node, reader.entry, read.node, position, bad, evidence)
    return read if entry is None else Place(read.node, entry)


def input_behind(evidence: Evidence, place: Place) -> Place | None:
    """An entry of an input that `place` depends on, by the first way there."""
    for _ in range(LONGEST_WALK):
        if place.node.operation is leaf:
            return place
        reads = [
            one
            for one in _read_places(evidence, place, _anything)
            if one.node.operation is not constant
        ]
        if not reads:
            return None
        place = reads[0]
    return None
