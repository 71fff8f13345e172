"""What a rewrite is to cure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import Span
from vjpcli.explanation.findings.blame import Place
from vjpcli.record import record


@record
class Trouble:
    """A finding, as far as a cure needs to know it.

    Attributes:
        code: of the finding.
        spans: the parts of the program that had to do with it, the culprit first.
        leaves: leaf -> the entries of its gradient that must become finite.
        value: the entry of an output that must become finite, where no gradient is meant.
        inputs: names of the inputs that hold nan or infinity, where those are the cause.
    """

    code: str
    spans: tuple[Span, ...]
    leaves: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    value: Place | None = None
    inputs: tuple[str, ...] = ()

    def concerns(self, span: Span) -> bool:
        """Whether a part of the program overlaps with one that had to do with it."""
        return any(one.start < span.end and span.start < one.end for one in self.spans)


@record
class Proposal:
    """A changed program, not yet believed.

    Attributes:
        text: the whole program.
        why: what it gains, in a few words.
        changes_value: it moves the value a little, by an eps.
    """

    text: str
    why: str
    changes_value: bool = False

    @property
    def key(self) -> Any:
        """Two proposals of the same text are one."""
        return self.text
