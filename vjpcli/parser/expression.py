"""Program text to the frozen syntax tree, by Python's own parser and a whitelist.

Python's parser gives the tree of any text that is Python; `convert` lets through what the
language has. Text that is not Python goes to `slips`, which finds the usual reasons. Nothing
is ever compiled or executed.
"""

from __future__ import annotations

import ast
import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from vjpcli.errors import Diagnostic, Fix, Source, Span, VjpError
from vjpcli.parser.reading import Reading
from vjpcli.parser.scripts import up_to_backward
from vjpcli.parser.statements import convert_program
from vjpcli.parser.syntax import Expression, Program

# A text may hold several different slips; a fix corrects them all, one kind at a time.
_CORRECTIONS = 12
_LONGEST_CORRECTED = 20_000


def parse(text: str, origin: str = "expression") -> Program:
    """The syntax tree of a program; the last statement is the output.

    Every part keeps its Span in `text`, exactly as given. Imports of the libraries whose
    spelling is understood are skipped, and `return y` at the end is read as `y`.

    Errors: one Diagnostic whose labels lie inside `text`; a fix is given only where the
        corrected program can itself be read. Codes: empty-expression, expression-too-deep,
        invalid-syntax, and those of `characters`, `slips`, `statements` and `convert`.
    """
    source = Source(text, origin)
    try:
        with _collector_paused():
            return _read(source)
    except VjpError as error:
        proven = _with_proven_fix(error)
    raise proven


def text_of(program: Program, expression: Expression) -> str:
    """The text of one part of a program, as it was typed."""
    return program.source.text[expression.span.start : expression.span.end]


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the search for cycles: a tree has none, and of 100 000 statements nothing is freed.

    With it, most of the time of a long program would go into looking through its own tree.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _read(source: Source) -> Program:
    reading = Reading(source)
    if not _is_plain(source.text):
        from vjpcli.parser.characters import (  # noqa: PLC0415  (most programs are plain)
            check_characters,
            check_encodable,
        )

        check_encodable(reading)
        check_characters(reading)
    module = _python_tree(reading) if reading.code.strip(" \t\f\n;") else ast.Module([], [])
    if not module.body:
        raise reading.error(
            "empty-expression",
            "there is no expression" + (", only a comment" if "#" in reading.code else ""),
            Span(0, len(source.text)),
        )
    return convert_program(reading, module)


def _is_plain(text: str) -> bool:
    """Whether no sign in it needs a closer look: printable ASCII, line ends and tabs."""
    return text.isascii() and text.translate({9: " ", 10: " ", 13: " "}).isprintable()


def _python_tree(reading: Reading) -> ast.Module:
    try:
        # Python warns of `3(x)` and of "\d"; the former is refused here, the latter harmless.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(reading.code)
    except (RecursionError, MemoryError):
        from vjpcli.parser.slips import too_deep  # noqa: PLC0415  (rarely)

        raise too_deep(reading) from None
    except SyntaxError as error:
        # ValueError (of which SyntaxError is none) is for NUL, refused before.
        shorter = up_to_backward(reading) if ".backward(" in reading.code else None
        if shorter is not None:
            with suppress(SyntaxError):
                return ast.parse(shorter)
        raise _syntax_error(reading, error) from None


def _syntax_error(reading: Reading, error: SyntaxError) -> VjpError:
    from vjpcli.parser.slips import diagnose, too_deep  # noqa: PLC0415  (rarely)

    found = diagnose(reading)
    if found is not None:
        return found
    if "too many nested" in error.msg or "too many levels" in error.msg:
        return too_deep(reading)
    start = reading.clamped_offset(error.lineno, error.offset)
    end = min(start + 1, len(reading.text))
    return reading.error(
        "invalid-syntax", "the expression cannot be read from here on", Span(start, end)
    )


_OF_MATRICES = {
    "caret-power", "missing-operator", "implicit-multiplication", "prime", "latex-command",
    "superscript",
}  # fmt: skip


def _read_as_matrices(diagnostic: Diagnostic) -> Diagnostic:
    """The same fault, answered with `A.T @ x` where `A^T x` or `A' * x` was written."""
    if diagnostic.code not in _OF_MATRICES or diagnostic.source is None:
        return diagnostic
    text = diagnostic.source.text
    if len(text) > _LONGEST_CORRECTED:
        return diagnostic
    from vjpcli.parser.matrices import written_out  # noqa: PLC0415  (rarely)

    proposed = written_out(text)
    if proposed is None:
        return diagnostic
    note = "a transpose is written A.T, a product of matrices A @ B, and a system solve(A, b)"
    fix = None if proposed == text else Fix(text=proposed, replaces=text)
    return replace(diagnostic, fix=fix, notes=(*diagnostic.notes, note))


def _with_proven_fix(error: VjpError) -> VjpError:
    """The same error, its fix carried on until the program can be read, or without a fix."""
    diagnostic = _read_as_matrices(error.diagnostic)
    fix = diagnostic.fix
    if fix is None:
        return VjpError(diagnostic)
    text = fix.text
    for _ in range(_CORRECTIONS):
        if len(text) > _LONGEST_CORRECTED:
            break
        try:
            _read(Source(text))
        except VjpError as remaining:
            following = remaining.diagnostic.fix
            if following is None or following.text == text:
                break
            text = following.text
        else:
            return VjpError(replace(diagnostic, fix=replace(fix, text=text)))
    return VjpError(replace(diagnostic, fix=None))
