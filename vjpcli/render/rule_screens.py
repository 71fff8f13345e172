"""What `vjp rule` shows: pages with their worked examples, and the lists of all pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vjpcli.explanation.pages.codes_text import ROOMS
from vjpcli.explanation.pages.model import CodePage, FamilyList, OperationPage
from vjpcli.render.page import Line, Page, spaces
from vjpcli.render.rule_page import fact_lines, rule_lines

SHOWN_ALIASES = 3


def page_of(width: int | None, ascii_only: bool, colour: bool) -> Page:
    """The page that everything is drawn on."""
    return Page(None if width is None else max(24, width), ascii_only=ascii_only, colour=colour)


def render_operation(rule: OperationPage, example: str, page: Page) -> str:
    """The page of an operation; `example` is what its command printed, drawn already."""
    return _with_example(page.text(rule_lines(rule, page)), rule.example, example, page)


def render_code(code: CodePage, example: str, page: Page) -> str:
    """The page of a diagnostic code; `example` is what its command printed, drawn already."""
    lines: list[Line] = [(spaces(1), page.piece(code.code, "strong"))]
    lines += page.paragraph(f"{code.summary}.")
    for remark in code.remarks.splitlines():
        lines += page.paragraph(remark)
    lines += [(), *fact_lines("arises in", ROOMS[code.room].lower(), page)]
    lines += fact_lines("example", f"none: {code.no_example}" if code.no_example else "", page)
    for name, content in code.files.items():
        lines += fact_lines(name, " / ".join(content.splitlines()) or "(empty)", page)
    return _with_example(page.text(lines), code.example, example, page)


def _with_example(text: str, command: str, example: str, page: Page) -> str:
    if not command:
        return text
    # A command is never wrapped: it is there to be copied.
    unlimited = Page(None, ascii_only=page.ascii_only, colour=page.colour)
    typed = unlimited.text([unlimited.line(f"$ {line}", "strong") for line in command.splitlines()])
    return "\n".join([text, "", typed, "", example])


def render_families(families: Sequence[FamilyList], page: Page) -> str:
    """Every operation on a line, under its family and section."""
    count = sum(len(family.operations) for family in families)
    lines: list[Line] = []
    section = ""
    for family in families:
        if family.section != section:
            section = family.section
            lines += [(), (spaces(1), page.piece(section.upper(), "strong"))]
        lines += [(), *page.paragraph(family.title, "strong")]
        rows = [(name, _aliases(name, aliases), text) for name, aliases, text in family.operations]
        lines += _rows(rows, page)
    head = page.paragraph(
        f"{count} operations. vjp rule NAME shows one of them, vjp rule --all all of them, "
        "vjp rule --codes the diagnostic codes.",
        indent=1,
    )
    return page.text([*head, *lines])


def render_codes(codes: Iterable[CodePage], page: Page) -> str:
    """Every diagnostic code on a line, under where it arises."""
    lines: list[Line] = page.paragraph("vjp rule CODE shows what a code means.", indent=1)
    rooms: dict[str, list[tuple[str, str, str]]] = {}
    for code in codes:
        rooms.setdefault(code.room, []).append((code.code, "", code.summary))
    for room, rows in rooms.items():
        lines += [(), (spaces(1), page.piece(ROOMS[room], "strong")), *_rows(rows, page)]
    return page.text(lines)


def _aliases(name: str, aliases: Sequence[str]) -> str:
    shown = [alias for alias in aliases if alias != name][:SHOWN_ALIASES]
    return f"also {', '.join(shown)}" if shown else ""


def _rows(rows: Sequence[tuple[str, str, str]], page: Page) -> list[Line]:
    """Name, sentence and aliases; the sentence under itself where it needs more lines."""
    longest = max((len(name) for name, _, _ in rows), default=0)
    column = min(longest, max(8, page.room // 3)) + 2
    lines: list[Line] = []
    for name, aliases, text in rows:
        head = page.piece(name, "value")
        pieces = (spaces(4), head, spaces(max(2, column - head.width)), page.piece(text))
        tail = (page.piece(f"  ({aliases})", "faint"),) if aliases else ()
        lines += page.wrapped((*pieces, *tail), hanging=4 + column)
    return lines
