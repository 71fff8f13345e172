"""A lexer that accepts any text, for telling what is wrong with a program Python cannot read.

It follows Python's lexical rules, and also knows the signs of other notations (`&&`, `.*`,
`=>`), so that each of them is one token with one place.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Literal, NamedTuple

from vjpcli.errors import Span

Kind = Literal[
    "number", "name", "string", "unclosed", "operator", "open", "close", "newline", "semicolon",
    "other",
]  # fmt: skip

CLOSING = {"(": ")", "[": "]", "{": "}"}

_TOKEN = re.compile(
    r"""
      (?P<space>     [ \t\f]+ | \\(?:\r\n|\r|\n) | \#[^\r\n]* )
    | (?P<newline>   \r\n | \r | \n )
    | (?P<string>    (?:[rRbBuUfFtT]|[rR][bBfFtT]|[bBfFtT][rR])?
                     (?: '''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''
                       | \"\"\"[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*\"\"\"
                       | (?!'''|\"\"\")(?: '[^'\\\r\n]*(?:\\.[^'\\\r\n]*)*'
                                         | "[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*" ) ) )
    | (?P<unclosed>  '''.* | \"\"\".* | ['"][^\r\n]* )
    | (?P<number>    0[xX](?:_?[0-9a-fA-F])+ | 0[bB](?:_?[01])+ | 0[oO](?:_?[0-7])+
                   | (?: [0-9](?:_?[0-9])*(?:\.(?!\*|/|\^|\.)(?:[0-9](?:_?[0-9])*)?)?
                       | \.[0-9](?:_?[0-9])* )
                     (?:[eE][-+]?[0-9](?:_?[0-9])*)? (?:[jJ](?!\w))? )
    | (?P<name>      [^\W\d]\w* | \.\.\. )
    | (?P<operator>  ===|!==|\*\*=|//=|<<=|>>=|\*\*|//|<<|>>|<=|>=|==|!=|<>|:=|->|=>|=<
                   | \+=|-=|\*=|/=|%=|@=|&=|\|=|\^=|&&|\|\||\.\*|\./|\.\^|\.(?=')
                   | [-+*/%@&|^~<>=:.,!] )
    | (?P<open>      [(\[{] )
    | (?P<close>     [)\]}] )
    | (?P<semicolon> ; )
    | (?P<other>     . )
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """One word or sign, and where it stands."""

    kind: Kind
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where the next thing may begin."""
        return self.start + len(self.text)

    @property
    def span(self) -> Span:
        """The place of the token."""
        return Span(self.start, self.end)

    @property
    def ends_a_value(self) -> bool:
        """Whether an operand can be complete after this token."""
        return self.kind in {"number", "name", "string", "close"}


def tokens(text: str) -> list[Token]:
    """The tokens of any text, without spaces, comments and the newlines inside brackets."""
    found: list[Token] = []
    depth = 0
    for match in _TOKEN.finditer(text):
        kind, piece = match.lastgroup, match.group()
        if kind == "space" or (kind == "newline" and depth):
            continue
        if kind == "name" and not piece.isascii():
            found.extend(_names_and_signs(piece, match.start()))
            continue
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(depth - 1, 0)
        # The groups of the pattern are named after the kinds.
        found.append(Token(kind, piece, match.start()))  # type: ignore[arg-type]  # a str, not a Kind
    return found


def _names_and_signs(word: str, start: int) -> Iterator[Token]:
    """Split `x²`, `Wᵀ` and `a·b`, which the pattern takes for one word."""
    begin = 0
    for index, character in enumerate(word):
        if not is_sign(character) and (
            character.isidentifier() if begin == index else ("a" + character).isidentifier()
        ):
            continue
        if begin < index:
            yield Token("name", word[begin:index], start + begin)
        yield Token("other", character, start + index)
        begin = index + 1
    if begin < len(word):
        yield Token("name", word[begin:], start + begin)


def is_sign(character: str) -> bool:
    """Whether a character that Python allows in a name is a sign in mathematics.

    These are the middle dot and the raised letters (`ᵀ`, `ⁿ`), which Python would read as part
    of the name before them.
    """
    return character in "·\u0387" or unicodedata.decomposition(character).startswith("<super>")
