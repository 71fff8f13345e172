"""The form that findings share: the Diagnostic, its places in the text, counts of entries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import Diagnostic, Fix, Label
from vjpcli.explanation.evidence import Evidence
from vjpcli.graph.node import Node

Array = NDArray[Any]
Mask = NDArray[np.bool_]
Position = tuple[int, ...]

ENGINES = {"torch": "PyTorch", "jax": "JAX", "autograd": "autograd"}


def finding(
    evidence: Evidence,
    code: str,
    message: str,
    severity: Literal["warning", "note"],
    *,
    places: Iterable[tuple[Node, str]] = (),
    leaf: str | None = None,
    index: Position | None = None,
    numbers: Sequence[tuple[str, float]] = (),
    notes: Iterable[str] = (),
    fix: Fix | None = None,
) -> Diagnostic:
    """A Diagnostic about the program of `evidence`, with a caret under every node in `places`."""
    labels = tuple(Label(node.span, text) for node, text in places if node.span is not None)
    return Diagnostic(
        code,
        message,
        severity=severity,
        source=evidence.problem.program.source,
        labels=labels,
        notes=tuple(note for note in notes if note),
        fix=fix,
        leaf=leaf,
        index=index,
        numbers=tuple((name, float(value)) for name, value in numbers),
    )


def first_position(mask: Mask) -> Position:
    """The first True of a mask that has one."""
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(mask)), mask.shape))


def count_note(leaf: str, mask: Mask) -> str:
    """`3 of 400 entries of x.grad, the first at [0, 7]`; nothing to say of a single one."""
    count = int(np.count_nonzero(mask))
    if count < 2:
        return ""
    where = ", ".join(map(str, first_position(mask)))
    return f"{count:,} of {mask.size:,} entries of {leaf}.grad, the first at [{where}]"
