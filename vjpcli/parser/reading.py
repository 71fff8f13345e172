"""A program as Python is given it, and the way back from Python's positions to the user's text.

What a terminal, a heredoc or a web page adds around a program (prompts, indentation, a byte
order mark, spaces of other widths) is set aside here, so that code pastes as it is. Nothing is
ever moved: every offset counts code points of the text exactly as it was typed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from vjpcli.errors import Fix, Source, Span, VjpError, fail

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_PROMPT = r"[ \t]*(?:>>>|\.\.\.)(?=[ \t\r\n]|\Z)"
_PRIMARY_PROMPT = r"(?m)^[ \t]*>>>(?=[ \t\r\n]|\Z)"
_KEPT_SPACES = frozenset(" \t\f\r\n")

Edit = tuple[Span, str]


class Reading:
    """One program text, blanked where it is no program, split into the lines that Python reads.

    Attributes:
        source: the text as typed; all spans point into it.
        text: as long as the source, with prompts, the byte order mark and unusual spaces
            replaced by plain spaces.
        code: what Python is given: the lines of `text` without their indentation.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = _blanked(source.text)
        self._lines: list[str] = []
        self._starts: list[int] = []
        self._indents: list[int] = []
        for match in _LINE.finditer(self.text):
            line = match.group().rstrip("\r\n")
            stripped = line.lstrip(" \t\f")
            indent = len(line) - len(stripped)
            self._lines.append(stripped)
            self._starts.append(match.start() + indent)
            self._indents.append(indent)
        self.code = "\n".join(self._lines)
        self._is_ascii = self.code.isascii()
        self._columns: dict[int, list[int]] = {}

    def offset(self, line: int, column: int) -> int:
        """The code point where Python's `line` (from 1) and `column` (UTF-8 bytes) lie."""
        if self._is_ascii or self._lines[line - 1].isascii():
            return self._starts[line - 1] + column
        return self._starts[line - 1] + self._code_points(line)[column]

    def _code_points(self, line: int) -> list[int]:
        """For each byte of a line, and for its end, the code point it belongs to."""
        known = self._columns.get(line)
        if known is None:
            known = []
            for index, character in enumerate(self._lines[line - 1]):
                known.extend([index] * len(character.encode()))
            known.append(len(self._lines[line - 1]))
            self._columns[line] = known
        return known

    def clamped_offset(self, line: int | None, column: int | None) -> int:
        """The code point of a SyntaxError, whose line and column (from 1) may be anything."""
        line = min(max(line or 1, 1), len(self._lines))
        column = min(max((column or 1) - 1, 0), len(self._lines[line - 1]))
        return self._starts[line - 1] + column

    def indent(self, line: int) -> int:
        """How far Python's `line` was indented in the text."""
        return self._indents[line - 1]

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> Span:
        """Where a node of Python's tree stands."""
        start = self.offset(node.lineno, node.col_offset)
        # Python's own parser always gives an end; the types allow for trees made by hand.
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return Span(start, self.offset(end_line, end_column))

    def slice(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node of Python's tree."""
        span = self.span(node)
        return self.text[span.start : span.end]

    def error(
        self,
        code: str,
        message: str,
        span: Span,
        *,
        label: str = "",
        notes: Iterable[str] = (),
        edits: Iterable[Edit] = (),
    ) -> VjpError:
        """A VjpError pointing at `span`, whose fix is the program after `edits` (if there are any).

        The fix is a proposal: `expression.parse` keeps it only when it can be read.
        """
        corrected = _edited(self.source.text, edits)
        fix = None
        if corrected != self.source.text:
            fix = Fix(text=corrected, replaces=self.source.text)
        return fail(code, message, source=self.source, span=span, label=label, notes=notes, fix=fix)


def _blanked(text: str) -> str:
    """The text with everything that is layout, not program, turned into plain spaces."""
    if text.startswith("\ufeff"):
        text = " " + text[1:]
    unusual = {c for c in set(text) if c.isspace()} - _KEPT_SPACES
    if unusual:
        text = text.translate({ord(c): " " for c in unusual})
    if ">>>" in text and re.search(_PRIMARY_PROMPT, text):
        # Only beside `>>>` is a leading `...` a prompt; elsewhere it is Python's Ellipsis.
        lines = (match.group() for match in _LINE.finditer(text))
        text = "".join(
            re.sub(_PROMPT, _as_spaces, line, count=1) if re.match(_PROMPT, line) else line
            for line in lines
        )
    return text


def _as_spaces(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with each span replaced; spans must not overlap."""
    pieces: list[str] = []
    end = 0
    for span, replacement in sorted(edits, key=lambda edit: edit[0]):
        pieces += (text[end : span.start], replacement)
        end = span.end
    return "".join((*pieces, text[end:]))


def shortened(text: str) -> str:
    """A word of the user's for use in a message, which no word should fill alone."""
    return text if len(text) <= 24 else text[:20] + "..."


_BEFORE_OPERATOR = re.compile(r"(?:[\s)\\]|#[^\r\n]*)*")
_OPERATOR = re.compile(r"is\s+not\b|not\s+in\b|[a-z]+|[^\w\s()\[\]{}\"'.#\\~+-]+|[+-]")


def sign_between(reading: Reading, start: int, end: int) -> Span:
    """Where the operator stands between operands that end at `start` and begin at `end`."""
    gap = _BEFORE_OPERATOR.match(reading.text, start, end)
    begin = gap.end() if gap else start
    sign = _OPERATOR.match(reading.text, begin, end)
    return Span(begin, sign.end() if sign else begin)
