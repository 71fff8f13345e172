"""What a rewrite is to cure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import Span
from vjpcli.explanation.findings.blame import Place
from vjpcli.explanation.findings.wording import number
from vjpcli.record import record

NO_SLOPE = 1e-3
"""What a difference quotient leaves of a slope of 0."""


def _plain(value: float) -> float:
    """A limit that was measured as the number that it is likely to be: 0.99999998 as 1."""
    rounded = float(f"{value:.3g}")
    return rounded if abs(rounded - value) <= NO_SLOPE * max(1.0, abs(value)) else value


@record
class Trouble:
    """A finding, as far as a cure needs to know it.

    Attributes:
        code: of the finding.
        spans: the parts of the program that had to do with it, the culprit first.
        leaves: leaf -> the entries of its gradient that must become finite.
        value: the entry of an output that must become finite, where no gradient is meant.
        inputs: names of the inputs that hold nan or infinity, where those are the cause.
        output: the output's entry that is not finite either, if one is.
        tends_to: what that entry tends to on both sides, where it has a limit.
        slope: the slope on both sides of it.
    """

    code: str
    spans: tuple[Span, ...]
    leaves: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    value: Place | None = None
    inputs: tuple[str, ...] = ()
    output: Place | None = None
    tends_to: float | None = None
    slope: float | None = None

    @property
    def limit(self) -> str | None:
        """The limit as text, where the value is reached with slope 0."""
        if self.tends_to is None or self.slope is None or abs(self.slope) > NO_SLOPE:
            return None
        return number(_plain(self.tends_to))

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
