"""Programs that do not stand on the command line: `@script.py`, and `-` for standard input."""

from __future__ import annotations

import re

from vjpcli.errors import Source, Span, VjpError, fail
from vjpcli.parser.files import opened
from vjpcli.parser.references import Reference, StandardInput, reference


def program_text(argument: str, stdin: StandardInput) -> str:
    """The program that `argument` refers to, or the argument itself.

    Errors: not-text, and what keeps a file from being read.
    """
    source = Source(argument, "the expression")
    where = reference(source, Span(0, len(argument)), "the expression")
    if where is None or not (where.is_stdin or _is_meant(where)):
        return argument
    try:
        with opened(where, stdin, any_extension=True) as file:
            return file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise fail("not-text", f"{where.name} is not UTF-8 text") from None
    except VjpError as error:
        raise error if where.is_stdin else error.at(source, where.span) from None


def _is_meant(where: Reference) -> bool:
    """Whether a file is named, there or not; `@ x` is a product without its first factor."""
    return where.file.exists() or re.fullmatch(r"\S*[./\\]\S*", where.path) is not None
