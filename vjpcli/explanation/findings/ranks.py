"""Matrices whose rank is lost: gradients that are finite, and yet rest on rounding or on luck.

An exactly singular matrix makes infinities, of which `nonfinite` tells. One that is singular but
for rounding divides by what is left of a 0; and a pseudo-inverse jumps where the rank changes,
so its rule holds only for changes that keep the rank.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import Diagnostic
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.telling import finding
from vjpcli.explanation.findings.wording import words_of
from vjpcli.graph.node import Node

Array = NDArray[Any]

DIVIDES = {
    "inv", "solve", "logdet", "logabsdet", "qr_basis", "qr_triangle", "lu_without_pivots",
}  # fmt: skip
"""Operations whose rules divide by their first operand."""

KEEPS_RANK = {"pinv"}
"""Operations that jump where the rank of their first operand changes."""

LARGEST = 250_000
"""Entries of a stack of matrices up to which their singular values are found."""


def find(evidence: Evidence) -> list[Diagnostic]:
    """Finding rank-deficient, once for each place in the program."""
    found: dict[object, Diagnostic] = {}
    for node in evidence.graph.nodes:
        if node.operation.name in DIVIDES | KEEPS_RANK and node.span not in found:
            told = _of_node(evidence, node)
            if told is not None:
                found[node.span] = told
    return list(found.values())


def _of_node(evidence: Evidence, node: Node) -> Diagnostic | None:
    matrix = node.operands[0]
    handed = evidence.adjoint(matrix)
    if not _is_something(evidence.adjoint(node)) or not _is_something(handed):
        return None
    rank, full = _rank(evidence.values[matrix])
    leaves = _reached(evidence, matrix) if rank < full else []
    if not leaves:
        return None
    text = words_of(evidence, node)
    if node.operation.name in KEEPS_RANK:
        what = f"holds only while the rank of the matrix of {text} stays {rank}"
        note = "a pseudo-inverse jumps where the rank changes, and has no derivative across"
    else:
        what = f"cannot be trusted: the matrix of {text} is singular but for rounding"
        note = "the rule divides by that matrix, and what is left of a 0 is noise"
    return finding(
        evidence,
        "rank-deficient",
        f"{leaves[0]}.grad {what}",
        "warning",
        places=[(node, f"rank {rank} of {full}")],
        leaf=leaves[0],
        numbers=(("rank", rank), ("full rank", full)),
        notes=(note,),
    )


def _reached(evidence: Evidence, node: Node) -> list[str]:
    """The leaves that the adjoint of a node is handed on to."""
    seen, pending = {node}, [node]
    while pending:
        for one in evidence.sent.get(pending.pop(), []):
            if one.operand not in seen:
                seen.add(one.operand)
                pending.append(one.operand)
    return [leaf for leaf in evidence.problem.leaves if evidence.graph.inputs[leaf] in seen]


def _is_something(adjoint: Array | None) -> bool:
    """Whether an adjoint is finite and not 0: nan and infinities have findings of their own."""
    return adjoint is not None and bool(np.isfinite(adjoint).all() and adjoint.any())


def _rank(matrices: Array) -> tuple[int, int]:
    """The lowest rank in a stack of matrices, and the rank that they could have.

    Rows and columns are brought to one size first: a matrix is not singular because its units
    differ.
    """
    full = min(matrices.shape[-2:])
    if not 0 < matrices.size <= LARGEST or not np.isfinite(matrices).all():
        return full, full
    tolerance = max(matrices.shape[-2:]) * np.finfo(matrices.dtype).eps
    for axis in (-1, -2):
        size = np.max(np.abs(matrices), axis=axis, keepdims=True)
        matrices = matrices / np.where(size == 0, 1, size)
    values = np.linalg.svd(matrices, compute_uv=False)
    return int(np.min(np.sum(values > tolerance * values[..., :1], axis=-1))), full
