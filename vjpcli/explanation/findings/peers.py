"""Whether the other engines show the same nan or infinity, as far as that was measured."""

from __future__ import annotations

from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.blame import BackwardBlame
from vjpcli.graph.operation import constant_number

MEASURED = {
    "add", "subtract", "multiply", "divide", "negative", "exp", "log", "sqrt", "square", "sin",
    "cos", "where", "sum", "mean", "index", "matmul", "less", "less_equal", "greater",
    "greater_equal",
}  # fmt: skip
"""Operations on which PyTorch 2.13, JAX 0.10.2 and autograd 1.9.1 were seen to agree."""


def same_everywhere(evidence: Evidence, blame: BackwardBlame) -> bool:
    """Whether every operation from the output to the leaf is one on which the engines agree."""
    if evidence.problem.settings.like != "torch":
        return False
    readers = {one.reader for one in evidence.reverse.contributions}
    readers |= {step.one.reader for step in blame.path}
    return all(
        reader.operation.name in MEASURED
        or (reader.operation.name == "power" and constant_number(reader.operands[1]) is not None)
        for reader in readers
    )
