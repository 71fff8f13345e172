"""An Explanation as the screen that people read.

The order: program, values with formulas, the Jacobian's rows beside their seeds with the
gradients under their columns (or the way down and up for a loss), what it means, what was
found, the check, what to type next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from vjpcli.explanation.model import Array, Explanation
from vjpcli.explanation.sentences import Sentence, Topic
from vjpcli.render.backward import backward_lines, has_backward_table
from vjpcli.render.entrywise import entrywise_lines
from vjpcli.render.findings import (
    check_lines,
    finding_lines,
    is_troubled,
    next_line,
    seed_sentences,
    weighting_sentences,
    zero_sentences,
)
from vjpcli.render.full import WIDE, FullJacobian
from vjpcli.render.gradients import gradient_lines, intermediate_lines
from vjpcli.render.graph import graph_lines
from vjpcli.render.header import header_lines
from vjpcli.render.jacobian import JacobianRows, is_entrywise
from vjpcli.render.numbers import DEFAULT_DIGITS, format_count
from vjpcli.render.page import NARROWEST, Line, Page
from vjpcli.render.picture import is_row
from vjpcli.render.steps import step_lines
from vjpcli.render.values import seed_lines, value_lines

JacobianChoice = Literal["auto", "full", "compact"]

_MOST_SEEDS = 8


def render_explanation(
    explanation: Explanation,
    *,
    width: int | None = None,
    digits: int = DEFAULT_DIGITS,
    ascii_only: bool = False,
    colour: bool = False,
    jacobian: JacobianChoice = "auto",
    show_steps: bool = False,
    show_graph: bool = False,
    show_diagnostics: bool = True,
    next_commands: Sequence[str] | None = None,
) -> str:
    """The screen as text, without a final line end.

    No line is wider than `width` terminal cells (at least 24; None: no limit), and no number
    is ever cut: where there are too many, whole rows and columns are left out and counted.

    `jacobian`: "auto" shows the slopes of a diagonal Jacobian in the compact form unless all
    of it fits on a wide page; "full" leaves no entry out; "compact" never shows the whole of a
    diagonal one. `next_commands` replaces the suggestions of the last line; an empty sequence
    removes it.
    """
    page = Page(None if width is None else max(NARROWEST, width), digits, ascii_only, colour)
    screen = _Screen(explanation, page, jacobian)
    findings = finding_lines(explanation, page) if show_diagnostics else []
    # what went wrong is read before any picture of it
    first, last = (findings, []) if screen.troubled else ([], findings)
    gradients = screen.gradients()
    steps = step_lines(explanation, page) if show_steps else []
    graph = graph_lines(explanation, page) if show_graph else []
    closing: list[Line] = []
    sentences = screen.sentences()
    for sentence in sentences:
        closing += page.paragraph(sentence)
    checked = check_lines(explanation.check, page)
    if next_commands is None:
        next_commands = screen.suggestions(steps=show_steps, graph=show_graph)
    checked += next_line(next_commands, page)
    if last:
        last = [*([()] if closing else []), *last, ()]
    closing += last + checked
    if gradients and not steps and not graph and not sentences and not last:
        # gradients with their formulas are the last word already
        endings = [gradients + closing]
    else:
        endings = [gradients, steps, graph, closing]
    lines: list[Line] = []
    for section in [
        screen.head(),
        screen.values(),
        first,
        screen.seeds(),
        screen.picture(),
        *endings,
    ]:
        if section:
            lines += ([()] if lines else []) + section
    return page.text(lines)


class _Screen:
    """The choice of layout, made once, and the sections that follow from it."""

    def __init__(self, explanation: Explanation, page: Page, jacobian: JacobianChoice) -> None:
        self.explanation = explanation
        self.page = page
        self.every_entry = jacobian == "full"
        self.entrywise = False
        self.troubled = jacobian == "auto" and is_troubled(explanation)
        self.backward = jacobian == "auto" and has_backward_table(explanation)
        self._picture: list[Line] = []
        self._whole = False
        self._has_words = False
        self._hidden: tuple[str, ...] = ()
        if self.backward:
            table = backward_lines(explanation, page)
            self._picture, self._has_words = table.lines, table.has_words
            return
        if self.troubled:
            return
        full = FullJacobian(explanation, page, self.every_entry)
        wide = page.room >= WIDE and len(full.shown_rows) == full.rows.count
        entrywise = is_entrywise(explanation)
        whole = None
        # a one-hot seed is understood by the row it picks
        wants_rows = wide or full.rows.marked is not None
        if jacobian == "full" or not entrywise or (jacobian == "auto" and wants_rows):
            whole = full.whole()
        if whole is not None:
            self._picture, self._whole = whole, True
        elif entrywise and (not self.every_entry or full.rows.omitted):
            self.entrywise = True
            self._picture = entrywise_lines(explanation, page)
        else:
            self._picture = full.stacked()
            self._hidden = full.rows.omitted

    def head(self) -> list[Line]:
        """Program and facts."""
        return header_lines(self.explanation, self.page, self._table_facts())

    def _table_facts(self) -> str:
        """`Jacobian 3×9, 9 of 27 entries used`, on the screens that show all of it."""
        if not self._whole or self.page.room < WIDE:
            return ""
        rows = JacobianRows(self.explanation)
        columns = sum(leaf.size for leaf in rows.leaves)
        total = rows.count * columns
        used = 0
        for leaf in rows.leaves:
            report = self.explanation.leaves.get(leaf.name)
            if report is None or len(self.explanation.outputs) > 1:
                return f"Jacobian {rows.count}×{columns}"
            if report.reads is not None:
                used += int(np.count_nonzero(report.reads))
            elif report.structure == "diagonal":
                used += leaf.size
            elif report.structure != "none":
                used += rows.count * leaf.size
        share = f", {format_count(used)} of {format_count(total)} entries used"
        return f"Jacobian {rows.count}×{columns}{share if used < total else ''}"

    def values(self) -> list[Line]:
        """Values, unless the way down and up has them; with the gradients where one went wrong."""
        if self.troubled:
            return value_lines(self.explanation, self.page, gradients=True)
        if not self.backward:
            return value_lines(self.explanation, self.page)
        in_table = {step.name for step in self.explanation.steps}
        missing = frozenset(self.explanation.inputs) - in_table
        return value_lines(self.explanation, self.page, names=missing)

    def seeds(self) -> list[Line]:
        """The seeds one by one where there are several, or the one that a loss implied."""
        passes = self.explanation.passes
        loss = self.explanation.loss
        page = self.page
        if not passes or (len(passes) == 1 and loss is None):
            return []
        lines: list[Line] = []
        if loss is not None:
            output = self.explanation.output.name
            lines += page.paragraph(f"seed = ∂loss/∂{output}, where loss = {loss}", hanging=4)
        named: list[tuple[str, Array]] = []
        for number, one_pass in enumerate(passes[:_MOST_SEEDS], 1):
            label = f"seed {number}" if len(passes) > 1 else "seed"
            for seed in one_pass:
                of = f" for {seed.output}" if len(self.explanation.outputs) > 1 else ""
                if seed.value is not None:
                    named.append((label + of, seed.value))
        lines += seed_lines(named, page)
        if len(passes) > _MOST_SEEDS:
            more = format_count(len(passes) - _MOST_SEEDS)
            lines.append(page.line(f"⋯ {more} more seeds", "faint"))
        return lines

    def picture(self) -> list[Line]:
        """The Jacobian, or the way down and up."""
        if not self._hidden:
            return self._picture
        names = ", ".join(self._hidden[:6]) + (", …" if len(self._hidden) > 6 else "")
        rows = format_count(JacobianRows(self.explanation).count)
        note = f"The Jacobian of {names} has {rows} rows and is too large to keep (--max-jacobian)."
        return self._picture + self.page.paragraph(note, "faint")

    def sentences(self) -> list[str]:
        """What the picture means, without what it says by itself."""
        explanation = self.explanation
        reading, told = self._reading()
        said = [
            sentence
            for sentence in explanation.sentences
            if not (isinstance(sentence, Sentence) and sentence.topic in told)
        ]
        return [*seed_sentences(explanation), *said, *reading]

    def _reading(self) -> tuple[list[str], set[Topic]]:
        """How to read the table, and the topics of sentences that this makes superfluous."""
        if self.troubled:
            return [], {"diagonal", "weights", "implicit seed"}
        if self.backward:
            return [], {"implicit seed"} if self._has_words else set()
        if self.entrywise:
            return [], set()
        explanation = self.explanation
        mark = self.page.piece("·").text
        zeros = any(piece.text == mark for line in self._picture for piece in line)
        if not is_entrywise(explanation):
            return zero_sentences(explanation, self.page) if zeros else [], set()
        rows = JacobianRows(explanation)
        weighted = self._whole and self.page.room >= WIDE and rows.marked is None
        if not weighted:
            return zero_sentences(explanation, self.page) if zeros else [], set()
        return [
            *weighting_sentences(explanation),
            *zero_sentences(explanation, self.page, diagonal=True),
        ], {"diagonal"}

    def gradients(self) -> list[Line]:
        """The gradients by themselves, where the picture does not say all there is to say."""
        explanation = self.explanation
        if self.troubled:
            return []
        if not explanation.passes or any(s.value is None for p in explanation.passes for s in p):
            return []
        reports = explanation.leaves.values()
        leaves = [value.value for value in explanation.inputs.values() if value.is_leaf]
        has_more = any(
            (report.matrix_formula and len(explanation.outputs) == 1)
            or not report.used
            or report.summary is not None
            for report in reports
        )
        in_shape = any(leaf.ndim > 1 and not is_row(leaf) for leaf in leaves)
        complete = self._whole or (self.entrywise and explanation.output.value.size <= 16)
        between = [] if self.backward else intermediate_lines(explanation, self.page)
        if complete and not in_shape and not has_more:
            return between
        return gradient_lines(explanation, self.page) + between

    def suggestions(self, *, steps: bool, graph: bool) -> list[str]:
        """Options that show more of this explanation than is shown."""
        suggestions = []
        if not steps and self.explanation.steps:
            wide = self.page.room >= WIDE
            suggestions.append("--steps" + (" (the backward pass, op by op)" if wide else ""))
        more = (
            bool(JacobianRows(self.explanation).leaves) and self.explanation.output.value.size > 1
        )
        if more and not self._whole and not self.every_entry:
            suggestions.append("--jacobian full")
        if not graph and self.explanation.edges:
            suggestions.append("--graph")
        hessian = ["vjp jac --hessian …"] if self.explanation.output.value.ndim == 0 else []
        return [*suggestions, "--json", "vjp check …", *hessian]
