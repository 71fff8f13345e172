"""What a proven rewrite gives, in one line."""

from __future__ import annotations

import numpy as np

from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.entries import first_entry
from vjpcli.explanation.findings.wording import MOST_SHOWN, entry_name, number, numbers
from vjpcli.explanation.rewrites.prove import EPS, Proof
from vjpcli.explanation.rewrites.trouble import Trouble


def says(evidence: Evidence, proof: Proof, trouble: Trouble) -> str:
    """`→ x.grad = 0  0.25`, with the value where that changed."""
    parts = []
    for name, mask in trouble.leaves.items():
        gradient = proof.gradients[name]
        if gradient.size <= MOST_SHOWN and gradient.ndim <= 1:
            parts.append(f"{name}.grad = {numbers(gradient)}")
            continue
        entry = first_entry(mask) or ()
        shown = f"{entry_name(f'{name}.grad', entry)} = {number(float(gradient[entry]))}"
        if np.isfinite(gradient).all():
            shown += f", all {gradient.size} elements are finite"
        parts.append(shown)
    parts += _changed_values(evidence, proof)
    if proof.proposal.changes_value:
        parts.append(f"the value moves a little, by eps = {EPS[evidence.problem.settings.dtype]}")
    return f"{proof.proposal.why}   → {'; '.join(parts)}"


def _changed_values(evidence: Evidence, proof: Proof) -> list[str]:
    """The first entry of each output that was not finite and now is."""
    parts = []
    for name, node in evidence.graph.outputs.items():
        old, new = evidence.values[node], proof.values[name]
        entry = first_entry(~np.isfinite(old) & np.isfinite(new))
        if entry is not None:
            parts.append(f"{entry_name(name, entry)} = {number(float(new[entry]))}")
    return parts
