"""`vjp rule`: the page of an operation or of a diagnostic code, and the lists of all pages."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from vjpcli.asking import screen_streams
from vjpcli.errors import fail
from vjpcli.options import Ascii, ColorWhen, Debug, Json, Width
from vjpcli.streams import Streams

if TYPE_CHECKING:
    from vjpcli.explanation.pages.model import CodePage, Found
    from vjpcli.graph.operation import Operation
    from vjpcli.rehearsal import Rehearsal
    from vjpcli.render.page import Page

SUMMARY = "Look up an operation or a diagnostic code, or search for one."
EPILOG = "Examples:  vjp rule log   vjp rule entropy   vjp rule nan-untaken-branch"


def complete_name(incomplete: str) -> list[str]:
    """The names that begin with what was typed, for the shell."""
    import vjpcli.ops  # noqa: F401, PLC0415
    from vjpcli.explanation.pages.lookup import known_words  # noqa: PLC0415

    return [word for word in known_words() if word.startswith(incomplete)]


Name = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME]",
        help="An operation by any of its names (log, np.log, clamp, @), a diagnostic code "
        "(seed-shape), or words to search for (entropy). Without one: the names of all "
        "operations.",
        show_default=False,
        autocompletion=complete_name,
    ),
]


def rule(
    name: Name = None,
    every_page: Annotated[
        bool, typer.Option("--all", help="All pages, one after another.")
    ] = False,
    codes: Annotated[
        bool, typer.Option("--codes", help="The diagnostic codes instead of the operations.")
    ] = False,
    json: Json = False,
    width: Width = None,
    ascii_only: Ascii = False,
    color: ColorWhen = "auto",
    debug: Debug = False,
) -> None:
    """Look up an operation or a diagnostic code, or search for one: rule, names, an example."""
    import vjpcli.ops  # noqa: F401, PLC0415
    from vjpcli.explanation.pages.lookup import looked_up  # noqa: PLC0415
    from vjpcli.explanation.pages.model import Found  # noqa: PLC0415

    if sys.flags.optimize > 1 and not codes:
        raise fail(
            "pages-left-out",
            "the pages of operations are docstrings, and Python was told to leave those out",
            notes=("unset PYTHONOPTIMIZE, or start Python without -OO",),
        )
    streams = screen_streams(color, ascii_only, width)
    if name is not None:
        found = looked_up(name)
        if isinstance(found, Found):
            _answer_search(streams, found, json=json, width=width)
        else:
            _answer_pages(streams, [found], json=json, width=width)
    elif every_page:
        gc.enable()  # a thousand graphs are worth collecting
        _answer_pages(streams, list(_all(codes)), json=json, width=width, single=False)
    else:
        _answer_list(streams, codes=codes, json=json, width=width)


def _all(codes: bool) -> Iterator[Operation | CodePage]:
    from vjpcli.explanation.pages.codes_text import code_pages  # noqa: PLC0415
    from vjpcli.explanation.pages.families import public_operations  # noqa: PLC0415

    yield from code_pages().values() if codes else public_operations()


def _answer_pages(
    streams: Streams,
    found: list[Operation | CodePage],
    *,
    json: bool,
    width: int | None,
    single: bool = True,
) -> None:
    from vjpcli.graph.operation import Operation  # noqa: PLC0415
    from vjpcli.render.rule_screens import page_of  # noqa: PLC0415

    if json:
        from vjpcli.render.json import SCHEMA, dump  # noqa: PLC0415

        documents = [_document(one) for one in found]
        kind = "rule" if isinstance(found[0], Operation) else "code"
        content = documents[0] if single else documents
        streams.answer(dump({"schema": SCHEMA, kind if single else f"{kind}s": content}))
        return
    page = page_of(streams.width(width), streams.ascii_only, streams.colour)
    for position, one in enumerate(found):
        streams.answer(("\n\n" if position else "") + _text(one, page))


def _document(found: Operation | CodePage) -> dict[str, object]:
    from vjpcli.explanation.pages.operation_page import operation_page  # noqa: PLC0415
    from vjpcli.graph.operation import Operation  # noqa: PLC0415
    from vjpcli.render.rule_json import code_document, operation_document  # noqa: PLC0415

    if isinstance(found, Operation):
        return operation_document(operation_page(found))
    return code_document(found)


def _text(found: Operation | CodePage, page: Page) -> str:
    from vjpcli.explanation.pages.operation_page import operation_page  # noqa: PLC0415
    from vjpcli.graph.operation import Operation  # noqa: PLC0415
    from vjpcli.render.rule_screens import render_code, render_operation  # noqa: PLC0415

    if isinstance(found, Operation):
        one = operation_page(found)
        return render_operation(one, printed(run_example(one.example, page)), page)
    if not found.example:
        return render_code(found, "", page)
    return render_code(found, printed(code_example(found, page)), page)


def run_example(command: str, page: Page) -> Rehearsal:
    """What a command line prints on this page."""
    from vjpcli.rehearsal import rehearse  # noqa: PLC0415

    return rehearse(command, width=page.width, ascii_only=page.ascii_only, colour=page.colour)


def code_example(code: CodePage, page: Page) -> Rehearsal:
    """What the example of a diagnostic code prints on this page."""
    from vjpcli.rehearsal import rehearse  # noqa: PLC0415

    return rehearse(
        code.example,
        width=page.width,
        ascii_only=page.ascii_only,
        colour=page.colour,
        files=code.files,
        stdin=code.stdin,
    )


def printed(rehearsal: Rehearsal) -> str:
    """Both streams as a terminal shows them."""
    return "\n".join(part for part in (rehearsal.err, rehearsal.out) if part)


def _answer_search(streams: Streams, found: Found, *, json: bool, width: int | None) -> None:
    from vjpcli.render.json import dump  # noqa: PLC0415
    from vjpcli.render.rule_json import found_document  # noqa: PLC0415
    from vjpcli.render.rule_screens import page_of, render_found  # noqa: PLC0415

    page = page_of(streams.width(width), streams.ascii_only, streams.colour)
    streams.answer(dump(found_document(found)) if json else render_found(found, page))


def _answer_list(streams: Streams, *, codes: bool, json: bool, width: int | None) -> None:
    from vjpcli.explanation.pages.codes_text import code_pages  # noqa: PLC0415
    from vjpcli.explanation.pages.families import family_lists  # noqa: PLC0415
    from vjpcli.render.json import dump  # noqa: PLC0415
    from vjpcli.render.rule_json import (  # noqa: PLC0415
        code_document,
        list_document,
        pages_document,
    )
    from vjpcli.render.rule_screens import (  # noqa: PLC0415
        page_of,
        render_codes,
        render_list,
    )

    page = page_of(streams.width(width), streams.ascii_only, streams.colour)
    if codes:
        pages = code_pages().values()
        if json:
            streams.answer(dump(pages_document(map(code_document, pages), "codes")))
        else:
            streams.answer(render_codes(pages, page))
        return
    families = family_lists()
    streams.answer(dump(list_document(families)) if json else render_list(families, page))
