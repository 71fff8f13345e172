"""Cause: what made a number nan or infinite, told apart by code and put in words."""

from __future__ import annotations

from dataclasses import dataclass, field

from vjpcli.errors import TrailRow
from vjpcli.graph.node import Node


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a number is not finite.

    Attributes:
        code: stable name of the kind of cause.
        reason: in a few words, to stand after "x.grad[0] is nan: ".
        culprit: the node that the first caret stands under.
        label: the words beside that caret.
        also: further nodes with carets, and the words beside them.
        words: the whole story in one sentence, or "".
        rows: the story as rows of a table, in the order of the walk.
        numbers: its facts by name.
        backward: whether it happened on the way back only.
    """

    code: str
    reason: str
    culprit: Node
    label: str
    also: tuple[tuple[Node, str], ...] = ()
    words: str = ""
    rows: tuple[TrailRow, ...] = ()
    numbers: tuple[tuple[str, object], ...] = ()
    backward: bool = False
    notes: tuple[str, ...] = field(default=())

    @property
    def key(self) -> tuple[Node, str]:
        """Equal for two numbers that went wrong for the same reason at the same place."""
        return self.culprit, self.code
