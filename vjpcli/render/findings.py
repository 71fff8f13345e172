"""What follows the picture: sentences, findings, the check, and what to type next."""

from __future__ import annotations

from collections.abc import Sequence

from vjpcli.errors import Diagnostic
from vjpcli.explanation.model import Check, Explanation
from vjpcli.render.diagnostic import excerpt_lines, fix_lines
from vjpcli.render.numbers import DEFAULT_DIGITS, format_count, format_index, format_number
from vjpcli.render.page import Line, Page, spaces

_MOST_FINDINGS = 12

CHOICES = {"stand-in", "convention"}
"""Notes on what was chosen for the user, which are no findings."""


def render_findings(
    explanation: Explanation,
    *,
    width: int | None = None,
    digits: int = DEFAULT_DIGITS,
    ascii_only: bool = False,
    colour: bool = False,
) -> str:
    """The findings alone, and the check where it disagrees; "" where there is nothing to say."""
    page = Page(None if width is None else max(24, width), digits, ascii_only, colour)
    found = [one for one in explanation.diagnostics if one.code not in CHOICES]
    lines = finding_lines(found, page)
    if explanation.check is not None and explanation.check.agrees is False:
        lines += check_lines(explanation.check, page)
    return page.text(lines)


def finding_lines(diagnostics: Sequence[Diagnostic], page: Page) -> list[Line]:
    """The warnings and notes beside the result, the text they are about with carets under it."""
    lines: list[Line] = []
    for diagnostic in diagnostics[:_MOST_FINDINGS]:
        if diagnostic.severity == "note":
            lines += page.paragraph(f"note: {diagnostic.message}", hanging=8)
        else:
            head = (
                page.piece("  ✗ ", "trouble"),
                page.piece(diagnostic.code, "trouble"),
                page.piece(f" {diagnostic.message}"),
            )
            lines += page.wrapped(head, hanging=4)
        lines += excerpt_lines(diagnostic, page)
        if diagnostic.numbers:
            facts = ", ".join(f"{name} {_fact(v, page)}" for name, v in diagnostic.numbers)
            lines += page.paragraph(facts, indent=4)
        for note in diagnostic.notes:
            lines += page.paragraph(note, indent=4)
        lines += fix_lines(diagnostic, page)
    if len(diagnostics) > _MOST_FINDINGS:
        more = format_count(len(diagnostics) - _MOST_FINDINGS)
        lines.append(page.line(f"⋯ {more} more findings (--json has all of them)", "faint"))
    return lines


def _fact(value: object, page: Page) -> str:
    if isinstance(value, str):
        return value
    try:
        return format_number(value, page.digits)
    except (TypeError, ValueError):
        return str(value)


def check_lines(check: Check | None, page: Page) -> list[Line]:
    """Whether difference quotients agree, and with what worst error."""
    if check is None:
        return []
    runs = f"({format_count(check.evaluations)} evaluations)"
    worst = check.worst_relative_error
    # one digit says how well it agrees; more would only be noise of the difference quotient
    error = "" if worst is None else f", worst relative error {format_number(worst, 1)}"
    if check.agrees is None:
        reason = check.reason or "it could not be made"
        return page.paragraph(f"– not checked against {check.method}: {reason}", "faint", hanging=4)
    if check.agrees:
        mark = page.piece("  ✓ ", "good")
        return page.wrapped(
            (mark, page.piece(f"agrees with {check.method}{error} {runs}")), hanging=4
        )
    where = ""
    if check.worst_leaf is not None:
        entry = format_index(f"{check.worst_leaf}.grad", check.worst_index or ())
        where = f" at {entry}"
    if check.expected is not None and check.got is not None:
        expected = format_number(check.expected, page.digits)
        where += f": the difference quotient is {expected}, the gradient says "
        where += format_number(check.got, page.digits)
    reason = f"; {check.reason}" if check.reason else ""
    words = f"disagrees with {check.method}{where}{error}{reason} {runs}"
    return page.wrapped((page.piece("  ✗ ", "trouble"), page.piece(words)), hanging=4)


def next_line(commands: Sequence[str], page: Page) -> list[Line]:
    """What to type next, as far as it fits on one line."""
    line: Line = (page.piece("  next: ", "faint"),)
    used = line[0].width
    for number, command in enumerate(commands):
        piece = page.piece(command, "faint")
        gap = 3 if number else 0
        if used + gap + piece.width > page.room:
            continue
        line = (*line, spaces(gap), piece)
        used += gap + piece.width
    return [line] if len(line) > 1 else []


def reading_sentences(
    explanation: Explanation, page: Page, *, weighted: bool, zeros: bool
) -> list[str]:
    """How the table is to be read.

    `weighted`: it has rows to be weighted by seeds and a bottom row of gradients; `zeros`: it
    has structural zeros.
    """
    sentences = []
    used = [name for name in explanation.gradients if explanation.leaves[name].used]
    if weighted and used:
        names = ", ".join(f"{name}.grad" for name in used[:6]) + (", …" if len(used) > 6 else "")
        sentences.append(
            "Weight each row of the Jacobian by its seed, then add down the columns: "
            f"the bottom row is {names}."
        )
    if zeros:
        mark = page.piece("·").text
        sentences.append(f"{mark} is a structural zero: that output never reads that entry.")
    return sentences


def seed_sentences(explanation: Explanation) -> list[str]:
    """What must be said of the seed whatever the picture means."""
    seeds = [seed for one_pass in explanation.passes for seed in one_pass]
    sentences = []
    if any(seed.origin == "example" for seed in seeds):
        output = explanation.output
        count = format_count(int(output.value.size))
        sentences.append(
            f"No seed was given, and {output.name} has {count} entries: a gradient needs a seed "
            f"of that shape. As an example this is --seed ones, the gradient of "
            f"sum({output.name})."
        )
    if any(seed.value is None for seed in seeds):
        sentences.append(
            "With --seed each, every row is a gradient by itself: that of one output entry, "
            "from a fresh start."
        )
    if len(explanation.passes) > 1:
        count = format_count(len(explanation.passes))
        sentences.append(
            f"Each of the {count} seeds is one backward pass; .grad accumulates, so the gradients "
            f"shown are the sums over the passes."
        )
    return sentences
