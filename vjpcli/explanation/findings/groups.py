"""Which findings `--fail-on` means: a group for each code, in one place.

A code belongs to the groups whose words stand in it between hyphens, and to those that list it.
Codes that no finder makes do no harm here, and new ones are at least in `any`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from vjpcli.errors import Diagnostic
from vjpcli.explanation.model import Check, Explanation

WORDS: dict[str, frozenset[str]] = {
    "nan": frozenset({"nan"}),
    "inf": frozenset({"inf", "overflow"}),
    "kink": frozenset({"kink", "tie", "ties"}),
    "zero": frozenset({"saturated", "unused", "vanished"}),
    "broadcast": frozenset({"broadcast"}),
}
"""Group -> words that put a code into it wherever they stand in it."""

CODES: dict[str, frozenset[str]] = {
    "nan": frozenset(
        {
            "empty-reduction-nan",
            "inf-minus-inf",
            "inf-over-inf",
            "log-of-negative-base",
            "one-element-std",
            "outside-domain",
            "repeated-eigenvalues",
            "softmax-of-infinities",
            "zero-over-zero",
            "zero-times-inf",
        }
    ),
    "inf": frozenset({"division-by-zero", "edge-of-domain", "log-of-zero", "singular-matrix"}),
    "kink": frozenset(),
    "zero": frozenset(
        {
            "gradient-cancels",
            "gradient-flat",
            "gradient-times-zero",
            "leaf-unused",
            "output-constant",
            "underflow",
        }
    ),
    "broadcast": frozenset(),
}
"""Group -> codes that it holds besides."""

NOT_MEANT = frozenset(
    {
        "inf-minus-inf",
        "inf-over-inf",
        "nan-inf-times-zero",
        "nan-zero-times-inf",
        "zero-times-inf",
    }
)
"""Codes with `inf` in their name whose result is nan."""

GROUPS = (*WORDS, "check", "any")


def groups_of(diagnostic: Diagnostic) -> frozenset[str]:
    """The groups that a finding belongs to; none for what was merely chosen for the user."""
    words = set(diagnostic.code.split("-"))
    found = {group for group, known in WORDS.items() if words & known}
    if diagnostic.code in NOT_MEANT:
        found.discard("inf")
    return frozenset(found | {group for group, codes in CODES.items() if diagnostic.code in codes})


def groups_present(explanation: Explanation) -> frozenset[str]:
    """The groups of which something was found; "any" where there is at least one.

    The numbers count beside the findings: a gradient or output that is nan is in "nan" even
    where no finder has a word for it.
    """
    found: set[str] = set()
    for diagnostic in explanation.diagnostics:
        found |= groups_of(diagnostic)
        if diagnostic.severity != "note":
            found.add("any")
    found |= set(_of_numbers(explanation))
    if _disagrees(explanation.check):
        found.add("check")
    return frozenset(found | {"any"} if found else found)


def _of_numbers(explanation: Explanation) -> Iterable[str]:
    outputs = [output.value for output in explanation.outputs]
    for array in [*explanation.gradients.values(), *outputs]:
        if np.isnan(array).any():
            yield "nan"
        if np.isinf(array).any():
            yield "inf"


def _disagrees(check: Check | None) -> bool:
    return check is not None and check.agrees is False
