"""What follows the picture: sentences, findings, the check, and what to type next."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from vjpcli.errors import Diagnostic
from vjpcli.explanation.model import Check, Explanation
from vjpcli.render.diagnostic import excerpt_lines, fix_text
from vjpcli.render.full import WIDE
from vjpcli.render.numbers import (
    DEFAULT_DIGITS,
    as_in_formulas,
    format_count,
    format_index,
    format_number,
)
from vjpcli.render.page import Line, Page, line_width, spaces
from vjpcli.render.trail import trail_lines

_MOST_FINDINGS = 12
_MARKED = ("stand-in", "leaf-unused")

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
    lines = finding_lines(explanation, page, untold=CHOICES)
    if explanation.check is not None and explanation.check.agrees is False:
        lines += (
            [(), *check_lines(explanation.check, page)]
            if lines
            else check_lines(explanation.check, page)
        )
    return page.text(lines)


def is_troubled(explanation: Explanation) -> bool:
    """Whether a gradient is not finite and a finding shows how that came about."""
    broken = any(not report.finite for report in explanation.leaves.values())
    return broken and any(one.trail for one in explanation.diagnostics)


def finding_lines(
    explanation: Explanation, page: Page, untold: Collection[str] = _MARKED
) -> list[Line]:
    """The warnings and notes beside the result, the text they are about with carets under it.

    What is marked beside the values (stand-ins, unused leaves) needs no second mention.
    """
    told = [one for one in explanation.diagnostics if one.code not in untold]
    lines: list[Line] = []
    for diagnostic in told[:_MOST_FINDINGS]:
        lines += [()] if lines else []
        if diagnostic.severity == "note":
            lines += _note_lines(diagnostic, page)
        else:
            lines += _trouble_lines(diagnostic, explanation, page)
    if len(told) > _MOST_FINDINGS:
        more = format_count(len(told) - _MOST_FINDINGS)
        lines.append(page.line(f"⋯ {more} more findings (--json has all of them)", "faint"))
    return lines


def _note_lines(diagnostic: Diagnostic, page: Page) -> list[Line]:
    lines = page.paragraph(f"note: {diagnostic.message}", hanging=8)
    lines += excerpt_lines(diagnostic, page)
    for note in diagnostic.notes:
        lines += page.paragraph(note, indent=4)
    return lines + _correction_lines(diagnostic, page)


def _trouble_lines(diagnostic: Diagnostic, explanation: Explanation, page: Page) -> list[Line]:
    """Code and message, the place in the text, how it went wrong, what to do."""
    head = (
        page.piece("  ✗ ", "trouble"),
        page.piece(diagnostic.code, "trouble"),
        page.piece(f" {diagnostic.message}", "strong"),
    )
    lines = page.wrapped(head, hanging=4)
    lines += excerpt_lines(diagnostic, page)
    lines += (
        [(), *trail_lines(diagnostic, explanation.inputs, page), ()] if diagnostic.trail else []
    )
    if not diagnostic.trail:
        lines += _fact_lines(diagnostic, page)
    for note in diagnostic.notes:
        lines += page.paragraph(note)
    if diagnostic.trail and diagnostic.notes and diagnostic.fix:
        lines.append(())
    lines += _correction_lines(diagnostic, page)
    return [*lines, page.line(f"more: vjp rule {diagnostic.code}", "faint")]


def _fact_lines(diagnostic: Diagnostic, page: Page) -> list[Line]:
    if not diagnostic.numbers:
        return []
    facts = [f"the {name} is {_fact(value, page)}" for name, value in diagnostic.numbers]
    told = " and ".join(part for part in (", ".join(facts[:-1]), *facts[-1:]) if part)
    return page.paragraph(f"Here {told}.")


def _correction_lines(diagnostic: Diagnostic, page: Page) -> list[Line]:
    """`Fix: guard the input` and under it what to type; a text to be copied is never wrapped."""
    fix = diagnostic.fix
    text = fix_text(diagnostic)
    if fix is None or not (text or fix.says):
        return []
    lead = page.piece("  Fix: ", "good")
    if not text or not fix.says:
        return page.wrapped((lead, page.piece(fix.says or text or "")), hanging=4)
    says, typed = page.piece(fix.says), page.piece(text, "strong")
    if fix.says.startswith("→"):
        # a result stands behind what gives it, as far as there is room
        behind = (lead, typed, spaces(3), says)
        apart = [*page.wrapped((lead, typed), hanging=7), *page.wrapped((spaces(7), says))]
        return [behind] if line_width(behind) <= page.room else apart
    why, _, result = fix.says.partition("   → ")
    gives: Line = (spaces(3), page.piece(f"→ {result}")) if result else ()
    whole: Line = (lead, page.piece(f"{why}:  "), typed, *gives)
    if page.room >= WIDE and line_width(whole) <= page.room:
        return [whole]
    lines = page.wrapped((lead, page.piece(why)), hanging=4)
    together: Line = (spaces(4), typed, *gives)
    if not result or line_width(together) <= page.room:
        return [*lines, *page.wrapped(together)]
    return [
        *lines,
        *page.wrapped((spaces(4), typed)),
        *page.wrapped((spaces(4), page.piece(f"→ {result}")), hanging=6),
    ]


def _fact(value: object, page: Page) -> str:
    if isinstance(value, str):
        return value
    try:
        return as_in_formulas(format_number(value, page.digits))
    except (TypeError, ValueError):
        return str(value)


def check_lines(check: Check | None, page: Page) -> list[Line]:
    """Whether difference quotients agree, and with what worst error."""
    if check is None:
        return []
    runs = f"({format_count(check.evaluations)} evaluations)"
    worst = check.worst_relative_error
    # one digit says how well it agrees; more would only be noise of the difference quotient
    error = ""
    if worst is not None and worst < math.inf:
        error = f", worst relative error {format_number(worst, 1)}"
    if check.agrees is None:
        reason = check.reason or "it could not be made"
        return page.paragraph(f"– not checked against {check.method}: {reason}", "faint", hanging=4)
    reason = f"; {check.reason}" if check.reason else ""
    if check.agrees:
        mark = page.piece("  ✓ ", "good")
        words = f"agrees with {check.method}{error}{reason}"
        line = (mark, page.piece(f"{words} {runs}"))
        if line_width(line) > page.room:
            # what it cost is the first thing to leave out
            line = (mark, page.piece(words))
        return page.wrapped(line, hanging=4)
    where = ""
    if check.worst_leaf is not None:
        entry = format_index(f"{check.worst_leaf}.grad", check.worst_index or ())
        where = f" at {entry}"
    if check.expected is not None and check.got is not None:
        expected = as_in_formulas(format_number(check.expected, page.digits))
        where += f": the difference quotient is {expected}, the gradient says "
        where += as_in_formulas(format_number(check.got, page.digits))
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


def weighting_sentences(explanation: Explanation) -> list[str]:
    """How a table with a bottom row of gradients is to be read."""
    used = [name for name in explanation.gradients if explanation.leaves[name].used]
    names = ", ".join(f"{name}.grad" for name in used[:6]) + (", …" if len(used) > 6 else "")
    return [
        "Weight each row of the Jacobian by its seed, then add down the columns: "
        f"the bottom row is {names}."
    ]


def zero_sentences(explanation: Explanation, page: Page, *, diagonal: bool = False) -> list[str]:
    """What the dot in a table means."""
    mark = page.piece("·").text
    names = [name for name in explanation.gradients if explanation.leaves[name].used]
    output = explanation.output
    if not diagonal or not names or len(names) > 4 or output.value.ndim != 1:
        return [f"{mark} is a structural zero: that output never reads that entry."]
    read = [f"{name}[j]" for name in names]
    listed = f"{', '.join(read[:-1])} or {read[-1]}" if len(read) > 1 else read[0]
    return [
        f"{mark} is a structural zero: {output.name}[i] never reads {listed} for j ≠ i, "
        "so the Jacobian is diagonal."
    ]


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
