"""Values that are read more than once: how their adjoint adds up, with the numbers.

A gradient that surprises is often a sum: of several uses of a name, or of several reads of one
entry by an index. One entry stands for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.backward import Contribution
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.wording import entry_name, factor, listed, number
from vjpcli.explanation.problem import named_nodes
from vjpcli.graph.node import Node
from vjpcli.graph.operation import leaf

Array = NDArray[Any]

MOST_TERMS = 6
MOST_SENTENCES = 3
LARGEST = 10_000
"""Entries of a value up to which its reads are counted."""


def reuse_sentences(evidence: Evidence) -> list[str]:
    """`h is read 3 times: (-2) + (-2) + 3 = -1.`, for leaves and for values with a name."""
    named = named_nodes(evidence.problem.trace)
    outputs = set(evidence.graph.outputs.values())
    found: list[str] = []
    for node in evidence.graph.nodes:
        if node.operation is leaf:
            name = str(node.static["name"])
            # A square, say, is plain from the slopes beside the entries.
            fewest = 3 if _is_entrywise(evidence, name) else 2
        elif node in named and node not in outputs:
            name, fewest = named[node], 2
        else:
            continue
        if node.size <= LARGEST:
            found += _sentences(evidence, node, name, fewest)
    return found[:MOST_SENTENCES]


def _is_entrywise(evidence: Evidence, name: str) -> bool:
    report = evidence.leaves.get(name)
    several = evidence.graph.inputs[name].size > 1
    return several and report is not None and report.structure == "diagonal"


def _sentences(evidence: Evidence, node: Node, name: str, fewest: int) -> Iterator[str]:
    # in the order in which the program reads it
    reads = evidence.received.get(node, [])[::-1]
    adjoint = evidence.adjoint(node)
    if not reads or adjoint is None or not np.isfinite(adjoint).all():
        return
    if node.size == 0:
        return
    times = np.sum([_times_read(one) for one in reads], axis=0)
    adding = np.sum([_times_read(one) * _sent(evidence, one) for one in reads], axis=0)
    entry = tuple(int(i) for i in np.unravel_index(int(np.argmax(adding)), node.shape))
    if times[entry] < fewest or adding[entry] < 2:
        return
    terms = [term for one in reads for term in _terms(evidence, one, entry)]
    if len(terms) > MOST_TERMS or not np.isfinite(terms).all():
        return
    added = " + ".join(number(terms[0]) if i == 0 else factor(term) for i, term in enumerate(terms))
    count = {2: "twice"}.get(len(terms), f"{len(terms)} times")
    whole = len(reads) == len(terms) and entry == (0,) * node.ndim
    subject = name if whole else entry_name(name, entry)
    where = f" at {entry_name(name, entry)}" if whole and node.size > 1 else ""
    text = f"{subject} is read {count}, and what comes back adds up: "
    text += f"{added} = {number(float(adjoint[entry]))}{where}"
    never = np.argwhere(times == 0)
    if 0 < len(never) <= 2:
        names = [entry_name(name, tuple(int(i) for i in one)) for one in never]
        text += f"; {listed(names)} {'is' if len(names) == 1 else 'are'} never read: 0"
    yield f"{text}."


def _positions(one: Contribution) -> Array | None:
    """For an index: which entry of the operand each entry of the result is; None for others."""
    if one.reader.operation.name != "index" or one.reader.operation.forward is None:
        return None
    numbered = np.arange(one.operand.size).reshape(one.operand.shape)
    return np.asarray(one.reader.operation.forward(numbered, **one.reader.static))


def _times_read(one: Contribution) -> Array:
    """How often each entry of the operand is read by this use."""
    positions = _positions(one)
    if positions is None:
        return np.ones(one.operand.shape, np.int64)
    counts = np.bincount(positions.ravel(), minlength=one.operand.size)
    return counts.reshape(one.operand.shape)


def _sent(evidence: Evidence, one: Contribution) -> Array:
    """Where this use sends anything back but zeros."""
    return np.asarray(evidence.values[one.fitted] != 0)


def _terms(evidence: Evidence, one: Contribution, entry: tuple[int, ...]) -> list[float]:
    """What this use sends back to an entry, read by read."""
    positions = _positions(one)
    if positions is None:
        return [float(evidence.values[one.fitted][entry])]
    adjoint = evidence.adjoint(one.reader)
    wanted = int(np.ravel_multi_index(entry, one.operand.shape)) if entry else 0
    assert adjoint is not None
    return [float(term) for term in adjoint[positions == wanted].ravel()]
