"""What `vjp rule` shows: pages with their worked examples, and the lists of all pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vjpcli.explanation.pages.codes_text import ROOMS
from vjpcli.explanation.pages.model import CodePage, FamilyList, Found, OperationPage
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


def render_list(families: Sequence[FamilyList], page: Page) -> str:
    """Every operation with its sentence, by section and family."""
    count = sum(len(family.operations) for family in families)
    head = page.paragraph(
        f"{count} operations by section and family. vjp rule NAME is the page of one; "
        "vjp rule WORDS lists what has these words in its name, sentence or family: "
        'vjp rule entropy, vjp rule "special functions".',
        indent=1,
    )
    head += page.paragraph(
        "vjp rule --all: all pages. vjp rule --codes: the diagnostic codes.", indent=1
    )
    return page.text([*head, *_by_family(families, page)])


def render_found(found: Found, page: Page) -> str:
    """What a search finds, each on a line of its own with its sentence."""
    number = sum(len(family.operations) for family in found.families) + len(found.codes)
    counted = f"{number} page{'' if number == 1 else 's'}"
    head = page.paragraph(f"{counted} with {found.words!r}. vjp rule NAME shows one.", indent=1)
    lines = _by_family(found.families, page)
    if found.codes:
        rows = [(code.code, "", code.summary) for code in found.codes]
        lines += [(), (spaces(1), page.piece("DIAGNOSTIC CODES", "strong")), *_rows(rows, page)]
    return page.text([*head, *lines])


def _by_family(families: Sequence[FamilyList], page: Page) -> list[Line]:
    lines: list[Line] = []
    section = ""
    for family in families:
        if family.section != section:
            section = family.section
            lines += [(), (spaces(1), page.piece(section.upper(), "strong"))]
        rows = [(name, _aliases(name, aliases), text) for name, aliases, text in family.operations]
        lines += [*page.paragraph(family.title, "strong"), *_rows(rows, page)]
    return lines


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
