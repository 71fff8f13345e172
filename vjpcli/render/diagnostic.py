"""A Diagnostic as text: the user's own line with carets under the right part.

error[seed-shape]: the seed has shape (3,), but the output has shape (1,)
  3*a + 2*b*b + log(c)
  ^^^^^^^^^^^^^^^^^^^^ output of shape (1,)
  try: vjp explain "..." a=1 --seed ...
"""

from __future__ import annotations

import re
import shlex
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from vjpcli.errors import Diagnostic, Fix, Label, Source
from vjpcli.record import record
from vjpcli.render.glyphs import printable
from vjpcli.render.page import Line, Page, Piece, cell_width, line_width, spaces
from vjpcli.render.theme import Role

_UNLIMITED_WINDOW = 160
_MOST_TOKEN = 40
_MOST_COMMAND_LINES = 12
"""Of a longer script only the lines are shown that change, or the options that are added."""


def render_diagnostic(
    diagnostic: Diagnostic,
    *,
    width: int | None = None,
    ascii_only: bool = False,
    colour: bool = False,
    corrected_command: str | None = None,
) -> str:
    """The Diagnostic as lines of text, without a final line end.

    `corrected_command` is the whole command line to type instead; without it the fix's own
    text stands there.
    """
    page = Page(width, ascii_only=ascii_only, colour=colour)
    severity = diagnostic.severity
    role: Role = "strong" if severity == "note" else "trouble"
    head = (
        page.piece(f"{severity}[{diagnostic.code}]", role),
        page.piece(f": {diagnostic.message}", "strong"),
    )
    lines = page.wrapped(head, hanging=2)
    lines += excerpt_lines(diagnostic, page)
    for note in diagnostic.notes:
        lines += page.paragraph(f"note: {note}", hanging=8)
    text = page.text(lines)
    commands = fix_lines(diagnostic, page, corrected_command)
    # a command is never wrapped: it is there to be copied
    unlimited = Page(None, ascii_only=ascii_only, colour=colour)
    return "\n".join([text, unlimited.text(commands)]) if commands else text


def fix_lines(
    diagnostic: Diagnostic, page: Page, corrected_command: str | None = None
) -> list[Line]:
    """`try: ...` and what it does, or nothing."""
    fix = diagnostic.fix
    if corrected_command is None and fix is None:
        return []
    what = corrected_command or fix_text(diagnostic)
    lines: list[Line] = []
    if what:
        # A line end within the quotes of a command is part of the program: it stays one.
        shown = what.splitlines() if corrected_command else [what]
        if fix is not None and (corrected_command is None or len(shown) > _MOST_COMMAND_LINES):
            shown = _changed_lines(fix) or [fix_text(diagnostic) or what]
        for number, text in enumerate(shown):
            lead = "  try: " if number == 0 else "       "
            lines.append((page.piece(lead, "good"), page.piece(text)))
    if fix is not None and fix.says:
        lead = "       " if what else "  fix: "
        lines.append((page.piece(lead, "good"), page.piece(fix.says)))
    return lines


def _changed_lines(fix: Fix) -> list[str]:
    """Of a correction within many lines those that differ; none where it is one line."""
    before, after = (fix.replaces or "").splitlines(), fix.text.splitlines()
    if len(before) < 2:
        return []
    same = next(
        (i for i, pair in enumerate(zip(before, after, strict=False)) if len(set(pair)) > 1), 0
    )
    behind = len(before) - same
    while behind and before[len(before) - behind :] != after[len(after) - behind :]:
        behind -= 1
    changed = after[same : len(after) - behind]
    return [f"line {same + 1 + i}: {text}" for i, text in enumerate(changed)]


def fix_text(diagnostic: Diagnostic) -> str | None:
    """The fix by itself, for when the command line is not known: its text or what it adds."""
    if diagnostic.fix is None:
        return None
    return diagnostic.fix.text or shell_command(diagnostic.fix.adds) or None


def excerpt_lines(diagnostic: Diagnostic, page: Page) -> list[Line]:
    """The lines of the source that the labels point into, carets under each."""
    source = diagnostic.source
    if source is None or not diagnostic.labels:
        return []
    if not source.text.strip() and not any(label.text for label in diagnostic.labels):
        return []
    starts = _line_starts(source.text)
    lines: list[Line] = []
    shown = -1
    wordless: Line | None = None
    for number, label in enumerate(diagnostic.labels):
        line_number = _line_of(starts, label.span.start)
        excerpt = _Excerpt.of(source, starts, line_number, label, page)
        if line_number != shown or excerpt.windowed:
            lines.append(excerpt.text_line(page))
            shown, wordless = line_number, None
        carets = excerpt.caret_lines(page, label, primary=number == 0)
        if wordless is not None and len(carets) == 1:
            gap = carets[0][0].width - line_width(wordless)
            if gap >= 0:
                # carets without words share a line with those on their right
                lines.pop()
                carets = [(*wordless, spaces(gap), *carets[0][1:])]
        lines += carets
        wordless = None if label.text or len(carets) > 1 else carets[0]
    return lines


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]


def _line_of(starts: Sequence[int], position: int) -> int:
    return bisect_right(starts, position) - 1


@record
class _Excerpt:
    """One line of the source, or a window of a long one, ready to be drawn."""

    prefix: str
    text: str
    caret_start: int
    caret_count: int
    windowed: bool

    @classmethod
    def of(
        cls, source: Source, starts: Sequence[int], line_number: int, label: Label, page: Page
    ) -> _Excerpt:
        start = starts[line_number]
        end = starts[line_number + 1] if line_number + 1 < len(starts) else len(source.text)
        prefix = _prefix(source, line_number, len(starts))
        # slices only: the line may be a megabyte long
        window = min(page.room, _UNLIMITED_WINDOW) - 4 - cell_width(printable(prefix))
        first, last = label.span.start, max(label.span.start, min(label.span.end, end))
        low, high = start, end
        if end - start > window:
            context = max(8, window // 3)
            low = _token_edge(source.text, max(start, first - context), start, -1)
            high = _token_edge(source.text, min(end, low + max(window - 2, 8)), end, -1)
            if high <= first:
                high = min(end, first + 1)
        shown = [_cell_text(c, page) for c in source.text[low:high].rstrip("\r\n")]
        before = "… " if low > start else ""
        after = " …" if high < end and source.text[high:end].strip() else ""
        lead = printable(before, page.ascii_only)
        marked = shown[first - low : max(first - low, min(last, high) - low)]
        return cls(
            prefix,
            before + "".join(shown) + after,
            cell_width(lead + "".join(shown[: first - low])),
            max(1, cell_width("".join(marked))),
            low > start or (high < end and bool(after)),
        )

    def text_line(self, page: Page) -> Line:
        """The user's own text."""
        return (spaces(2), page.piece(self.prefix, "faint"), page.piece(self.text))

    def caret_lines(self, page: Page, label: Label, primary: bool) -> list[Line]:
        """The carets and the label's words beside them, or under them where there is no room."""
        indent = 2 + page.piece(self.prefix).width + self.caret_start
        room = max(1, page.room - indent)
        role: Role = "trouble" if primary else "plain"
        carets = page.piece("^" * min(self.caret_count, room), role)
        words: Piece = page.piece(label.text, role)
        if not label.text:
            return [(spaces(indent), carets)]
        if indent + carets.width + 1 + words.width <= page.room:
            return [(spaces(indent), carets, spaces(1), words)]
        start = max(2, min(indent, page.room - words.width))
        return [(spaces(indent), carets), *page.paragraph(label.text, role, indent=start)]


def _prefix(source: Source, line_number: int, line_count: int) -> str:
    place = "" if source.origin == "expression" else f"{source.origin}: "
    return f"{place}line {line_number + 1}: " if line_count > 1 else place


def _cell_text(character: str, page: Page) -> str:
    """What one character of the source is drawn as; the caret below is measured by it."""
    return "    " if character == "\t" else printable(character, page.ascii_only)


def _token_edge(text: str, position: int, limit: int, step: int) -> int:
    """`position` moved to the edge of the word or number it falls into, if one is near."""
    moved = position
    for _ in range(_MOST_TOKEN):
        if not 0 < moved < len(text) or moved == limit:
            return moved
        inside = (text[moved - 1].isalnum() or text[moved - 1] in "._") and (
            text[moved].isalnum() or text[moved] in "._"
        )
        if not inside:
            return moved
        moved += step
    return position


_BARE = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")


def shell_command(arguments: Iterable[str]) -> str:
    """The arguments as one command line, quoted the way people type them.

    Double quotes where nothing inside them is special to a shell, else `shlex.quote`.
    """
    return " ".join(_quoted(argument) for argument in arguments)


def _quoted(argument: str) -> str:
    if _BARE.fullmatch(argument):
        return argument
    if not any(character in argument for character in '$`"\\!'):
        return f'"{argument}"'
    return shlex.quote(argument)
