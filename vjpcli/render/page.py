"""The page that is drawn on: its width, its glyphs, and lines made of pieces that carry a role.

Every piece of text is made by `Page.piece`, which translates it for the page before it is
measured; hence the widths are those of what is printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from vjpcli.record import record
from vjpcli.render.glyphs import pretty_formula, printable
from vjpcli.render.numbers import DEFAULT_DIGITS, format_number
from vjpcli.render.theme import Role, painted

UNLIMITED = 1_000_000

NARROWEST = 24
"""Columns that a page has in any case."""


_NARROW = frozenset("│·→⋯")


def cell_width(text: str) -> int:
    """Terminal cells that `text` takes: wide characters two, combining marks none."""
    if text.isascii() or text in _NARROW:
        return len(text)
    # only text that is not ASCII needs rich's tables
    from rich.cells import cell_len  # noqa: PLC0415 - see above

    return cell_len(text)


@record
class Piece:
    """Text with a role. Made by `Page.piece`, not directly."""

    text: str
    role: Role = "plain"

    @property
    def width(self) -> int:
        """Terminal cells."""
        return cell_width(self.text)


Line = tuple[Piece, ...]


def line_width(line: Line) -> int:
    """Terminal cells of a whole line."""
    return sum(piece.width for piece in line)


def spaces(count: int) -> Piece:
    """Blank cells."""
    return Piece(" " * max(0, count))


def padded(piece: Piece, width: int, right: bool = False) -> Line:
    """The piece filled up with blanks to `width` cells; longer ones are left as they are."""
    missing = width - piece.width
    if missing <= 0:
        return (piece,)
    return (spaces(missing), piece) if right else (piece, spaces(missing))


def padded_line(line: Line, width: int) -> Line:
    """The line filled up with blanks on its right to `width` cells."""
    return (*line, spaces(width - line_width(line)))


@record
class Page:
    """What is drawn on.

    Attributes:
        width: cells a line may take; None when there is no limit (piped text).
        digits: significant digits of the numbers.
        ascii_only: take the ASCII forms of all glyphs.
        colour: paint the roles.
    """

    width: int | None = None
    digits: int = DEFAULT_DIGITS
    ascii_only: bool = False
    colour: bool = False

    @property
    def room(self) -> int:
        """The width as a number, a large one when there is no limit."""
        return UNLIMITED if self.width is None else self.width

    def piece(self, text: str, role: Role = "plain") -> Piece:
        """The text as this page can show it."""
        return Piece(printable(text, self.ascii_only), role)

    def number(self, value: Any, role: Role = "plain") -> Piece:
        """The number, in the page's digits; what is not finite is marked as trouble."""
        text = format_number(value, self.digits)
        return Piece(text, "trouble" if text in ("nan", "inf", "-inf") else role)

    def formula(self, text: str, role: Role = "slope") -> Piece:
        """A formula with its products and transposes as the page can write them."""
        return self.piece(pretty_formula(text, self.ascii_only), role)

    @property
    def separator(self) -> str:
        """What stands between the facts of the head line."""
        return "; " if self.ascii_only else " · "

    def line(self, text: str, role: Role = "plain", indent: int = 2) -> Line:
        """One line of text."""
        return (spaces(indent), self.piece(text, role))

    def paragraph(
        self, text: str, role: Role = "plain", indent: int = 2, hanging: int | None = None
    ) -> list[Line]:
        """Text wrapped between words; further lines are indented by `hanging`."""
        return self.wrapped(self.line(text, role, indent), hanging=hanging)

    def wrapped(self, line: Line, hanging: int | None = None) -> list[Line]:
        """The line itself when it fits, otherwise broken between words, never inside a number.

        A single word wider than the page (a name, never a number) is broken where it must be.
        """
        if line_width(line) <= self.room:
            return [line]
        return _reflow(line, self.room, hanging)

    def text(self, lines: Iterable[Line]) -> str:
        """The finished text: every line inside the width, no blanks at line ends."""
        finished = [_trimmed(part) for line in lines for part in self.wrapped(line)]
        if not self.colour:
            return "\n".join("".join(piece.text for piece in line) for line in finished)
        return painted([(piece.text, piece.role) for piece in line] for line in finished)


def _trimmed(line: Line) -> Line:
    pieces = list(line)
    while pieces and not pieces[-1].text.strip(" "):
        pieces.pop()
    if pieces:
        pieces[-1] = Piece(pieces[-1].text.rstrip(" "), pieces[-1].role)
    return tuple(pieces)


_WORD = re.compile(r"( *)([^ ]+)")
_PRODUCTS = [re.compile(rf"( *)([^ ]+(?: (?:×|→|\*|->) [^ ]+){{1,{most}}})") for most in (3, 1)]
_LONGEST_PRODUCT = NARROWEST - 4


def _words(line: Line) -> list[tuple[int, list[Piece]]]:
    """Words with the blanks before each; a word may consist of pieces of several roles."""
    words: list[tuple[int, list[Piece]]] = []
    blanks, glued = 0, False
    for piece in line:
        end = 0
        for match in _word_matches(piece.text):
            gap, end = len(match[1]), match.end()
            if glued and gap == 0 and match.start() == 0:
                words[-1][1].append(Piece(match[2], piece.role))
            else:
                words.append((blanks + gap, [Piece(match[2], piece.role)]))
            blanks, glued = 0, False
        trailing = len(piece.text) - end
        blanks += trailing
        glued = bool(words) and blanks == 0
    return words


def _word_matches(text: str) -> Iterator[re.Match[str]]:
    """The words of the text; a short product such as `seed × slope` stays in one piece."""
    end = 0
    while match := _WORD.match(text, end):
        for pattern in _PRODUCTS:
            product = pattern.match(text, end)
            if product and len(product[2]) <= _LONGEST_PRODUCT:
                match = product
                break
        yield match
        end = match.end()


def _reflow(line: Line, room: int, hanging: int | None) -> list[Line]:
    words = _words(line)
    if not words:
        return [()]
    indent = min(words[0][0], room // 2)
    hanging = min(indent if hanging is None else hanging, room // 2)
    lines: list[Line] = []
    current: list[Piece] = []
    used = 0
    for gap, pieces in words:
        width = sum(piece.width for piece in pieces)
        if current and used + gap + width > room:
            lines.append(tuple(current))
            current = []
        if current:
            current.append(spaces(gap))
            used += gap
        else:
            # a word that is wider than what the indent leaves takes the place of the indent
            used = max(0, min(hanging if lines else indent, room - width))
            current.append(spaces(used))
        for piece in pieces:
            for index, part in enumerate(_broken(piece, room - used, room)):
                if index:
                    lines.append(tuple(current))
                    current, used = [], 0
                current.append(part)
                used += part.width
    lines.append(tuple(current))
    return lines


def _broken(piece: Piece, first: int, later: int) -> list[Piece]:
    """The piece in parts of at most `first`, then `later` cells."""
    if piece.width <= first:
        return [piece]
    parts, start, used, limit = [], 0, 0, first
    for place, character in enumerate(piece.text):
        width = cell_width(character)
        if used + width > limit and (place > start or limit != later):
            parts.append(Piece(piece.text[start:place], piece.role))
            start, used, limit = place, 0, later
        used += width
    return [*parts, Piece(piece.text[start:], piece.role)]


def joined(parts: Sequence[Line], gap: int) -> Line:
    """Lines set side by side with `gap` blanks between them."""
    result: list[Piece] = []
    for index, part in enumerate(parts):
        if index:
            result.append(spaces(gap))
        result += part
    return tuple(result)
