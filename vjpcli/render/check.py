"""A CheckReport as text and as JSON."""

from __future__ import annotations

from typing import Any

from vjpcli.explanation.checking import CheckReport, Claim, LeafComparison, MethodReport, Verdict
from vjpcli.render.json import SCHEMA, diagnostic_document, dump, numbers, plain
from vjpcli.render.numbers import (
    DEFAULT_DIGITS,
    as_in_formulas,
    format_count,
    format_index,
    format_number,
)
from vjpcli.render.page import Line, Page
from vjpcli.render.theme import Role

MARKS: dict[Verdict, tuple[str, Role]] = {
    "agrees": ("✓", "good"),
    "disagrees": ("✗", "trouble"),
    "undecided": ("–", "faint"),
}
MOST_REMARKS = 3


def render_check(
    report: CheckReport,
    *,
    width: int | None = None,
    digits: int = DEFAULT_DIGITS,
    ascii_only: bool = False,
    colour: bool = False,
) -> str:
    """One line for each method and leaf, each claim, and the verdict. Without a final line end."""
    page = Page(None if width is None else max(24, width), digits, ascii_only, colour)
    lines: list[Line] = []
    for method in report.methods:
        lines += _method_lines(method, page)
    for claim in report.claims:
        lines += _claim_lines(claim, page)
    lines += _verdict_lines(report, page)
    return page.text(lines)


def _marked(verdict: Verdict, text: str, page: Page) -> list[Line]:
    mark, role = MARKS[verdict]
    line = (page.piece(f"{mark} ", role), page.piece(text, "faint" if role == "faint" else "plain"))
    return page.wrapped(line, hanging=2)


def _method_lines(method: MethodReport, page: Page) -> list[Line]:
    title = f"{method.title} of {method.about}" if method.about else method.title
    if method.verdict is None:
        return _marked("undecided", f"{title}: not available: {method.reason}", page)
    lines: list[Line] = []
    for leaf in method.leaves:
        lines += _with_worst(leaf.verdict, f"{title}: {_leaf_text(leaf)}", leaf, page)
        for remark in leaf.says[:MOST_REMARKS]:
            lines += page.paragraph(remark, "faint", indent=4)
        if len(leaf.says) > MOST_REMARKS:
            more = format_count(len(leaf.says) - MOST_REMARKS)
            lines += page.paragraph(f"⋯ {more} more remarks (--json has all)", "faint", indent=4)
    return lines


def _with_worst(verdict: Verdict, text: str, leaf: LeafComparison, page: Page) -> list[Line]:
    """The line with the worst element behind it, or under it where there is no room."""
    worst = _worst(leaf, page)
    if not worst:
        return _marked(verdict, text, page)
    together = _marked(verdict, f"{text}; {worst}", page)
    if len(together) == 1:
        return together
    return [*_marked(verdict, text, page), *page.paragraph(worst, indent=4)]


def _leaf_text(leaf: LeafComparison) -> str:
    parts = []
    if leaf.verdict == "disagrees":
        wrong = leaf.compared - leaf.agreeing
        parts.append(f"{leaf.leaf} disagrees{_count_of(wrong, leaf.compared)}")
    elif leaf.verdict == "agrees" and not leaf.compared:
        parts.append(f"{leaf.leaf} has no entries to compare")
    elif leaf.verdict == "agrees":
        parts.append(f"{leaf.leaf} agrees")
        if leaf.index is not None or leaf.got is not None:
            parts.append(f"worst relative error {format_number(leaf.relative_error, 1)}")
    else:
        parts.append(f"{leaf.leaf} could not be compared")
    for count, words in (
        (leaf.at_kinks - leaf.by_convention, "at a kink"),
        (leaf.by_convention, "at a kink with another convention"),
        (leaf.rounding, "within float32 rounding"),
        (leaf.overruled, "off by itself"),
        (leaf.not_finite, "not finite"),
        (leaf.uncertain, "too uncertain to tell"),
    ):
        if count:
            parts.append(f"{format_count(count)} {'entry' if count == 1 else 'entries'} {words}")
    return ", ".join(parts)


def _count_of(wrong: int, compared: int) -> str:
    return f" in {format_count(wrong)} of {format_count(compared)} entries" if compared > 1 else ""


def _worst(found: LeafComparison | Claim, page: Page) -> str:
    """The worst element with both numbers."""
    if found.got is None or found.expected is None:
        return ""
    place = "along the direction" if found.index is None else format_index(found.leaf, found.index)
    digits = page.digits
    got, expected = format_number(found.got, digits), format_number(found.expected, digits)
    if got == expected and found.got != found.expected:
        digits = 17 if page.digits >= 17 else max(8, page.digits)
        got, expected = format_number(found.got, digits), format_number(found.expected, digits)
    numbers_told = f"the gradient is {got}, expected {expected}"
    return f"at {place}: {as_in_formulas(numbers_told)}"


def _claim_lines(claim: Claim, page: Page) -> list[Line]:
    verdict: Verdict = "agrees" if claim.agrees else "disagrees"
    parts = [f"yours: {claim.leaf} {verdict}"]
    if not claim.agrees and claim.shape != claim.wanted_shape:
        parts[0] += " in shape"
    elif claim.got is not None and claim.expected is not None:
        got, mine = (format_number(n, page.digits) for n in (claim.expected, claim.got))
        place = format_index(claim.leaf, claim.index or ())
        error = format_number(claim.relative_error, 1)
        parts.append(f"worst relative error {error} (at {place}: yours {got}, the gradient {mine})")
    lines = _marked(verdict, ", ".join(parts), page)
    for hint in claim.hints:
        lines += page.paragraph(hint, indent=4)
    return lines


def _verdict_lines(report: CheckReport, page: Page) -> list[Line]:
    made = [one for one in report.methods if one.verdict is not None and not one.about]
    if report.verdict == "agrees" and not any(g.size for g in report.gradients.values()):
        text = "agrees: the gradient has no entries"
    elif report.verdict == "agrees":
        agreeing = sum(one.verdict == "agrees" for one in made)
        count = f"{agreeing} method{'s' * (agreeing != 1)}"
        text = f"agrees: the gradient is confirmed by {count}"
    elif report.verdict == "disagrees":
        wrong = [one.title for one in report.methods if one.verdict == "disagrees"]
        wrong += [f"your {one.leaf}" for one in report.claims if not one.agrees]
        text = f"disagrees: {', '.join(wrong)}"
    elif made:
        text = "undecided: no method confirms every entry"
    else:
        text = "undecided: nothing could be compared"
    mark, role = MARKS[report.verdict]
    return page.wrapped((page.piece(f"{mark} ", role), page.piece(text, "strong")), hanging=2)


# JSON.


def check_document(report: CheckReport) -> dict[str, Any]:
    """The CheckReport as a document of lists, numbers and strings."""
    return {
        "schema": SCHEMA,
        "expression": report.source.text,
        "dtype": report.dtype,
        "like": report.like,
        "gradients": {name: numbers(array) for name, array in report.gradients.items()},
        "check": {
            "verdict": report.verdict,
            "agrees": None if report.verdict == "undecided" else report.verdict == "agrees",
            "rtol": report.rtol,
            "methods": [_method(method) for method in report.methods],
            "claims": [_claim(claim) for claim in report.claims],
        },
        "diagnostics": [diagnostic_document(note) for note in report.notes],
    }


def render_check_json(report: CheckReport) -> str:
    """`check_document` as text."""
    return dump(check_document(report))


def _method(method: MethodReport) -> dict[str, Any]:
    return {
        "method": method.method,
        "title": method.title,
        "about": method.about or "the gradient",
        "available": method.verdict is not None,
        "verdict": method.verdict,
        "reason": method.reason,
        "evaluations": method.evaluations,
        "leaves": {leaf.leaf: _leaf(leaf) for leaf in method.leaves},
    }


def _leaf(leaf: LeafComparison) -> dict[str, Any]:
    return {
        "verdict": leaf.verdict,
        "compared": leaf.compared,
        "agreeing": leaf.agreeing,
        "at_kinks": leaf.at_kinks,
        "by_convention": leaf.by_convention,
        "rounding": leaf.rounding,
        "overruled": leaf.overruled,
        "not_finite": leaf.not_finite,
        "uncertain": leaf.uncertain,
        **_place(leaf),
        "says": list(leaf.says),
    }


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "leaf": claim.leaf,
        "origin": claim.origin,
        "agrees": claim.agrees,
        "shape": list(claim.shape),
        "wanted_shape": list(claim.wanted_shape),
        "hints": list(claim.hints),
        "wrong": claim.wrong,
        "not_finite": claim.not_finite,
        **_place(claim),
    }


def _place(found: LeafComparison | Claim) -> dict[str, Any]:
    return {
        "index": None if found.index is None else [int(i) for i in found.index],
        "got": plain(found.got),
        "expected": plain(found.expected),
        "relative_error": plain(found.relative_error),
    }
