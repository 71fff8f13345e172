"""Where a scan for slips has arrived: the token, its neighbours, and the brackets around it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from vjpcli.errors import Span, VjpError
from vjpcli.parser.reading import Edit, Reading
from vjpcli.parser.tokens import Token


@dataclass(slots=True)
class Bracket:
    """An open bracket.

    Attributes:
        index: of its token.
        token: the bracket itself.
        follows_value: whether it opens a call or an index, rather than a group or a list.
        keyword_seen: whether a keyword argument has been given in it.
        colons: how many its present item has.
    """

    index: int
    token: Token
    follows_value: bool
    keyword_seen: bool = False
    colons: int = 0

    @property
    def is_call(self) -> bool:
        """Whether it holds the arguments of a call."""
        return self.token.text == "(" and self.follows_value

    @property
    def is_index(self) -> bool:
        """Whether it holds an index."""
        return self.token.text == "[" and self.follows_value

    @property
    def is_list(self) -> bool:
        """Whether it holds the items of a list."""
        return self.token.text == "[" and not self.follows_value


@dataclass(slots=True)
class Place:
    """A token of a program among its neighbours.

    Attributes:
        reading: the program.
        found: its tokens.
        index: of the token in question; `len(found)` at the end.
        first: index of the first token of the statement.
        brackets: those that are open before the token.
    """

    reading: Reading
    found: list[Token]
    index: int = 0
    first: int = 0
    brackets: list[Bracket] = field(default_factory=list)

    def at(self, index: int) -> Token | None:
        """The token at an index, or None outside the program."""
        return self.found[index] if 0 <= index < len(self.found) else None

    @property
    def token(self) -> Token:
        """The token in question."""
        return self.found[self.index]

    @property
    def before(self) -> Token | None:
        """The token before it in the same statement."""
        return self.found[self.index - 1] if self.index > self.first else None

    @property
    def after(self) -> Token | None:
        """The token after it in the same statement."""
        following = self.at(self.index + 1)
        return (
            None if following is None or following.kind in {"newline", "semicolon"} else following
        )

    @property
    def bracket(self) -> Bracket | None:
        """The innermost open bracket."""
        return self.brackets[-1] if self.brackets else None

    def error(
        self,
        code: str,
        message: str,
        span: Span | None = None,
        *,
        notes: Iterable[str] = (),
        edits: Iterable[Edit] = (),
    ) -> VjpError:
        """An error at `span`, or else at the token."""
        where = self.token.span if span is None else span
        return self.reading.error(code, message, where, notes=notes, edits=edits)

    def replace_all(self, spellings: dict[str, str]) -> list[Edit]:
        """Edits that give every sign of one kind its other spelling."""
        return [
            (token.span, spellings[token.text])
            for token in self.found
            if token.kind in {"operator", "other"} and token.text in spellings
        ]

    def primary_end(self, index: int) -> int:
        """The index behind the operand that begins at `index`: `x`, `x[0].T`, `f(x)**2`, `2x`."""
        last = len(self.found)
        while index < last:
            index = self._atom_end(index)
            token = self.at(index)
            if token is None or token.text not in {"**", "^"}:
                break
            index += 1
            sign = self.at(index)
            if sign is not None and sign.text == "-":
                index += 1
        return min(index, last)

    def _atom_end(self, index: int) -> int:
        token = self.found[index]
        index = self._group_end(index) if token.kind == "open" else index + 1
        if token.kind == "number":
            factor = self.at(index)
            if factor is None or factor.kind != "name" or factor.start != token.end:
                return index
            index += 1
        while (trailer := self.at(index)) is not None:
            if trailer.text == "." and index + 1 < len(self.found):
                index += 2
            elif trailer.text in {"(", "["}:
                index = self._group_end(index)
            else:
                break
        return index

    def _group_end(self, index: int) -> int:
        """The index behind the bracket that closes the one at `index`."""
        depth = 0
        for at in range(index, len(self.found)):
            kind = self.found[at].kind
            depth += (kind == "open") - (kind == "close")
            if depth == 0:
                return at + 1
        return len(self.found)
