"""Writes docs/operations.md and docs/errors.md from what the program knows of itself.

    python -m vjpcli.documentation

A test demands that the committed files are what this writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from vjpcli.explanation.pages.codes_text import ROOMS, code_pages
from vjpcli.explanation.pages.families import families, members, title_of
from vjpcli.explanation.pages.formula import BAR
from vjpcli.explanation.pages.model import CodePage, OperationPage
from vjpcli.explanation.pages.operation_page import operation_page
from vjpcli.explanation.pages.spellings import LIBRARY_TITLES
from vjpcli.render.rule_page import (
    ENGINE_TITLES,
    bar,
    elsewhere_text,
    kink_text,
    output_of,
    written_bars,
)

FOLDER = Path(__file__).parent.parent / "docs"
WRITTEN_BY = "<!-- Written by `python -m vjpcli.documentation`; do not edit. -->"


def operations_text() -> str:
    """docs/operations.md: every operation that a library offers."""
    import vjpcli.ops  # noqa: F401, PLC0415  (declares them)

    pages = {place: [operation_page(one) for one in members(*place)] for place in families()}
    pages = {family: found for family, found in pages.items() if found}
    count = sum(map(len, pages.values()))
    lines = [
        "# Operations",
        "",
        WRITTEN_BY,
        "",
        f"All {count} operations, with their names in other libraries, their rules and their "
        "conventions. `vjp rule NAME` shows the same offline, with an example that is run and the "
        "rule's source.",
        "",
        f"In a rule `y` is the output and `y{BAR}` its adjoint, the derivative of (seed · result) "
        "with respect to it.",
        "",
        *_contents(pages),
    ]
    earlier = ""
    for (section, family), found in pages.items():
        if section != earlier:
            earlier = section
            lines += ["", f"## {title_of(section)}"]
        lines += ["", f"### {title_of(section, family)}"]
        for page in found:
            lines += ["", *_operation(page)]
    return written_bars("\n".join(lines), ascii_only=False) + "\n"


def _contents(pages: Mapping[tuple[str, str], Iterable[OperationPage]]) -> Iterator[str]:
    earlier = ""
    for (section, family), found in pages.items():
        if section != earlier:
            earlier = section
            title = title_of(section)
            yield f"- [{title}](#{title.lower().replace(' ', '-')})"
        links = ", ".join(f"[{page.name}](#{page.name.lower()})" for page in found)
        yield f"  - {title_of(section, family)}: {links}"


def _operation(page: OperationPage) -> Iterator[str]:
    yield f"#### {page.name}"
    yield ""
    yield f"{page.summary}."
    for remark in page.remarks.splitlines():
        yield ""
        yield remark
    yield ""
    yield f"- Call: {', '.join(f'`{text}`' for text in (page.call, *page.operators))}"
    yield f"- Shapes: {_plain(page.shapes)}"
    for library, title in LIBRARY_TITLES.items():
        if names := page.spellings.get(library):
            yield f"- {title}: {', '.join(f'`{name}`' for name in names)}"
    for engine, defaults in page.library_defaults.items():
        given = ", ".join(f"`{name}={value!r}`" for name, value in defaults.items())
        yield f"- Defaults in {ENGINE_TITLES[engine]}: {given}"
    if page.convention:
        yield f"- Convention: {page.convention}"
    yield from _rule(page)
    yield f"- Kinks: {_plain(page.kinks)}"
    for kink in page.kink_places:
        yield f"  - {_plain(kink_text(kink))}"
    for one in page.elsewhere:
        yield f"- Elsewhere: {elsewhere_text(one)}"
    yield f"- Source: {_plain(page.source)}"
    yield f"- Example: `{page.example}`"


def _rule(page: OperationPage) -> Iterator[str]:
    texts = []
    for one in page.formulas:
        if one.slope:
            texts.append(f"`∂{output_of(page)}/∂{one.operand} = {one.slope}`")
        texts.append(f"`{bar(one.operand)} = {one.adjoint}`")
    if texts:
        where = f" (for {page.formula_for})" if page.formula_for else ""
        yield f"- Rule{where}: {', '.join(texts)}"
    elif page.made_of:
        yield "- Rule: it is made of other operations, whose rules apply"
    elif page.flat or not page.code:
        yield "- Rule: no gradient passes"


def _plain(text: str) -> str:
    """Prose in which Markdown must find no markup of its own."""
    return text.replace("\\", "\\\\").replace("*", "\\*").replace("<", "&lt;").replace("_", "\\_")


def errors_text() -> str:
    """docs/errors.md: every diagnostic code."""
    lines = [
        "# Diagnostic codes",
        "",
        WRITTEN_BY,
        "",
        "Every message has a code, which does not change from version to version. "
        "`vjp rule CODE` shows its page offline, with its example run.",
    ]
    room = ""
    for page in code_pages().values():
        if page.room != room:
            room = page.room
            lines += ["", f"## {ROOMS[room]}"]
        lines += ["", *_code(page)]
    return "\n".join(lines) + "\n"


def _code(page: CodePage) -> Iterator[str]:
    yield f"### {page.code}"
    yield ""
    yield _plain(" ".join([f"{page.summary}.", *page.remarks.splitlines()]))
    if page.no_example:
        yield ""
        yield f"(No example: {_plain(page.no_example)}.)"
        return
    yield ""
    yield "```sh"
    for name, content in page.files.items():
        yield f"printf '%s' {_quoted(content)} > {name}"
    yield f"printf '%s' {_quoted(page.stdin)} | {page.example}" if page.stdin else page.example
    yield "```"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def main() -> None:
    """Writes both files."""
    (FOLDER / "operations.md").write_text(operations_text(), encoding="utf-8")
    (FOLDER / "errors.md").write_text(errors_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
