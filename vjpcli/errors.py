"""What goes wrong, as data: Source, Span, Diagnostic, and the one exception that carries them.

A Diagnostic is never text for a terminal; renderers turn it into text or JSON. Its code is a
stable kebab-case name of the fault, so that documentation and scripts can refer to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from vjpcli.record import record

LONGEST_GUESSED = 200
"""Letters of a word above which no similar one is looked for, which takes quadratic time."""

Severity = Literal["error", "warning", "note"]


@record
class Source:
    """A piece of the user's own text: the expression, one NAME=VALUE argument, one seed.

    Attributes:
        text: exactly what was typed (or read from stdin or a file).
        origin: where it stood, for the reader: "expression", "value of a", "--seed", "x.csv".
    """

    text: str
    origin: str = "expression"


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range [start, end) of code points in a Source."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: {self.start}:{self.end}")

    def __lt__(self, other: Span) -> bool:
        return (self.start, self.end) < (other.start, other.end)


@record
class Label:
    """A caret under a part of the Diagnostic's source, with a few words (or none) beside it."""

    span: Span
    text: str = ""


@record
class Fix:
    """What to type instead.

    Attributes:
        text: the corrected text. Where `replaces` is given it stands for that whole argument.
        replaces: the argument of the command line that `text` replaces, verbatim; with no text
            it is left out. None when `text` stands by itself (an expression to consider).
        adds: arguments to append to the command line (a missing `a=1,2,3`, a missing `--seed`).
        adds_before: arguments to put first (a missing command).
        says: one line on what the correction does, or "".
    """

    text: str = ""
    replaces: str | None = None
    adds: tuple[str, ...] = ()
    says: str = ""
    adds_before: tuple[str, ...] = ()

    def apply(self, arguments: Iterable[str]) -> list[str] | None:
        """The corrected argument list, or None when nothing in `arguments` is replaced or added.

        `--option=TEXT` is matched as well as TEXT itself.
        """
        corrected: list[str] = []
        changed = bool(self.adds or self.adds_before)
        pending = self.replaces is not None
        for argument in arguments:
            option, equals, value = argument.partition("=")
            if pending and argument == self.replaces:
                corrected += [self.text] if self.text else []
                changed, pending = True, False
            elif pending and option.startswith("--") and equals and value == self.replaces:
                corrected.append(f"{option}={self.text}")
                changed, pending = True, False
            else:
                corrected.append(argument)
        if pending or not changed:
            return None
        return [*self.adds_before, *corrected, *self.adds]


@record
class TrailRow:
    """One step on the way on which a number went wrong, as a row of a small table.

    Attributes:
        text: the step in the user's own text, shortened to `where(…)` where a later row is
            inside it.
        value: its forward value at the entry in question; None where no single entry is meant.
        slope_text: the local slope towards the next row with the numbers put in and its value,
            e.g. "1/(2·sqrt(0)) = ∞"; "" where none applies.
        adjoint_in: the adjoint that arrived here; None on the way forward.
        adjoint_out_text: what was handed on, e.g. "0 × ∞ = nan"; "" on the way forward.
        words: the same in words, or "".
    """

    text: str
    value: float | None = None
    slope_text: str = ""
    adjoint_in: float | None = None
    adjoint_out_text: str = ""
    words: str = ""


@record
class Diagnostic:
    """One fault or one finding, told once.

    Attributes:
        code: stable kebab-case name of the fault, e.g. "seed-shape".
        message: what is wrong, one sentence without a full stop.
        severity: "error" (nothing was computed), "warning" or "note" (beside a result).
        source: the text that `labels` point into; None when no text is to blame.
        labels: the first one is the primary; each span lies inside `source.text`.
        notes: further lines: why, or how to find out more.
        fix: what to type instead.
        leaf: the leaf that a finding is about.
        index: the element of that leaf.
        numbers: named facts behind a finding, e.g. (("value", 0.0), ("slope", inf)).
        trail: how a number went wrong, step by step in the order of the walk.
    """

    code: str
    message: str
    severity: Severity = "error"
    source: Source | None = None
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    fix: Fix | None = None
    leaf: str | None = None
    index: tuple[int, ...] | None = None
    numbers: tuple[tuple[str, Any], ...] = ()
    trail: tuple[TrailRow, ...] = ()

    def at(self, source: Source, span: Span, text: str = "") -> Diagnostic:
        """The same Diagnostic, pointing at `span` of `source` unless it already points somewhere.

        Rooms that do not see the user's text (an operation refusing a shape) raise without a
        place; the room that knows the place adds it.
        """
        if self.source is not None:
            return self
        return replace(self, source=source, labels=(Label(span, text),))


class VjpError(Exception):
    """The only exception that the input may cause. It carries exactly one Diagnostic."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(f"{diagnostic.code}: {diagnostic.message}")
        self.diagnostic = diagnostic

    def at(self, source: Source, span: Span, text: str = "") -> VjpError:
        """The same error with a place, see `Diagnostic.at`."""
        return VjpError(self.diagnostic.at(source, span, text))


def fail(
    code: str,
    message: str,
    *,
    source: Source | None = None,
    span: Span | None = None,
    label: str = "",
    notes: Iterable[str] = (),
    fix: Fix | None = None,
) -> VjpError:
    """A VjpError in one call, for `raise fail("seed-shape", ...)`."""
    labels = (Label(span, label),) if source is not None and span is not None else ()
    return VjpError(
        Diagnostic(code, message, source=source, labels=labels, notes=tuple(notes), fix=fix)
    )


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """The known name closest to `word`, or None when none is close.

    Differences of case come first; then difflib's ratio of 0.6 (its own default), except
    that names of one letter, and very long ones, match only by case.
    """
    names = list(dict.fromkeys(known))
    by_case = [name for name in names if name.lower() == word.lower()]
    if by_case:
        return by_case[0]
    if not 1 < len(word) <= LONGEST_GUESSED:
        return None
    import difflib  # noqa: PLC0415  (only a mistake needs it)

    matches = difflib.get_close_matches(word, names, n=1)
    return matches[0] if matches else None


def close_spelling(word: str, known: Sequence[str]) -> str | None:
    """The known name that `word` is a slip of, or None.

    A slip is one letter too many, too few, another one, or two changed places; in words of
    eight letters two of these. Underscores and case do not count, and the beginning of one
    single name stands for it.
    """
    if not 2 < len(word) <= LONGEST_GUESSED or word.startswith("__"):
        return None
    plain = word.replace("_", "").lower()
    most = 1 if len(plain) < 8 else 2
    found: list[tuple[int, str]] = []
    for name in known:
        other = name.replace("_", "").lower()
        if abs(len(other) - len(plain)) <= most:
            slips = slips_between(plain, other)
            if slips <= most:
                found.append((slips, name))
    if found:
        return min(found, key=lambda pair: (pair[0], _differ_at(word, pair[1]), len(pair[1])))[1]
    begun = [name for name in known if len(plain) > 3 and name.lower().startswith(word.lower())]
    return begun[0] if len(begun) == 1 else None


def slips_between(word: str, other: str) -> int:
    """How many letters are added, left out, changed, or swapped with their neighbour."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(word, start=1):
        following = [i]
        for j, wanted in enumerate(other, start=1):
            cost = min(row[j] + 1, following[-1] + 1, row[j - 1] + (letter != wanted))
            swapped = i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == wanted
            following.append(min(cost, before[j - 2] + 1) if swapped else cost)
        before, row = row, following
    return row[-1]


def _differ_at(word: str, other: str) -> int:
    """Minus the number of letters that both begin with."""
    pairs = zip(word.lower(), other.lower(), strict=False)
    return -next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(word), len(other)))
