"""The gradients in the shapes of their leaves, with their formulas and what they say."""

from __future__ import annotations

import re

from vjpcli.explanation.model import ArraySummary, Explanation, LeafReport
from vjpcli.render.glyphs import pretty_formula
from vjpcli.render.numbers import format_count, format_number
from vjpcli.render.page import Line, Page, line_width, padded, spaces
from vjpcli.render.picture import blocks, flow, is_row, matrix_lines, row_lines
from vjpcli.render.selection import select, with_gaps

_MOST_LEAVES = 20
_MOST_INTERMEDIATES = 4
_LARGEST_INTERMEDIATE = 12
_LONGEST_LABEL = 48
_SEED = re.compile(r"\bseed\b")
_LONGEST_FORMULA = 240


def gradient_lines(explanation: Explanation, page: Page) -> list[Line]:
    """A picture for each leaf: `x.grad = Wᵀ @ seed   3  4.5  6   seed mixes the rows of W`.

    A formula too long to stand before the numbers follows below them.
    """
    names = [name for name in explanation.gradients if name in explanation.inputs]
    longest = min(_LONGEST_LABEL, max(12, page.room * 2 // 5))
    labels = {name: _label(explanation, name, page, longest) for name in names}
    label_width = max((page.piece(label).width for label in labels.values()), default=0)
    chosen = select(len(names), _MOST_LEAVES)
    lines: list[Line] = []
    for position in with_gaps(chosen, len(names)):
        if position is None:
            more = format_count(len(names) - len(chosen))
            lines.append(page.line(f"⋯ {more} more gradients", "faint"))
        else:
            name = names[position]
            lines += _one(explanation, name, labels[name], label_width, page)
    return lines


def intermediate_lines(explanation: Explanation, page: Page) -> list[Line]:
    """`h.grad  6  -40`: the adjoints of small values that the program gave a name."""
    outputs = {output.name for output in explanation.outputs}
    steps = [
        step
        for step in explanation.steps
        if step.text and step.name in explanation.statement_names and step.name not in outputs
    ]
    shown = [
        (step.name, step.adjoint)
        for step in steps
        if step.adjoint is not None and step.adjoint.size <= _LARGEST_INTERMEDIATE
    ]
    if not 0 < len(shown) <= _MOST_INTERMEDIATES:
        return []
    lines: list[Line] = []
    width = max(page.piece(f"{name}.grad").width for name, _ in shown)
    room = max(12, page.room - width - 4)
    for name, adjoint in shown:
        draw = row_lines if is_row(adjoint) or adjoint.ndim > 2 else matrix_lines
        label = page.piece(f"{name}.grad", "gradient")
        for number, row in enumerate(draw(adjoint, page, "gradient", room)):
            head = padded(label if number == 0 else page.piece(""), width)
            lines.append((spaces(2), *head, spaces(2), *row))
    note = f"PyTorch: only after {shown[-1][0] + '.' if len(shown) == 1 else ''}retain_grad()"
    beside = (*lines[-1], spaces(3), page.piece(note, "faint"))
    if line_width(beside) <= page.room:
        lines[-1] = beside
    return lines


def _formula(explanation: Explanation, name: str, page: Page) -> str:
    """The gradient as a formula; "" where several outputs meet, as formulas tell of the last."""
    report = explanation.leaves.get(name)
    if report is None or not report.matrix_formula or len(explanation.outputs) > 1:
        return ""
    text = report.matrix_formula
    if len(explanation.passes) > 1:
        text = _SEED.sub("sum(seeds)", text)
    formula = pretty_formula(text, page.ascii_only)
    if len(formula) > _LONGEST_FORMULA:
        return f"a formula of {format_count(len(formula))} characters (--json has it)"
    return formula


def _label(explanation: Explanation, name: str, page: Page, longest: int) -> str:
    """`x.grad = Wᵀ @ seed` where it is short, else `x.grad`. A scalar's number comes first."""
    formula = _formula(explanation, name, page)
    label = f"{name}.grad = {formula}"
    scalar = explanation.gradients[name].size == 1
    return label if formula and not scalar and len(label) <= longest else f"{name}.grad"


def _formula_below(explanation: Explanation, name: str, label: str, page: Page) -> list[Line]:
    """`       = sum(…)` under the equals sign, where the label did not hold the formula."""
    formula = _formula(explanation, name, page)
    gradient = explanation.gradients[name]
    if not formula or "=" in label:
        return []
    if gradient.size == 1 and formula == format_number(gradient.reshape(-1)[0], page.digits):
        return []
    indent = 2 + page.piece(label).width + 1
    line = (spaces(indent), page.piece("= "), page.piece(formula, "slope"))
    return page.wrapped(line, hanging=min(indent + 2, page.room // 3))


def _one(
    explanation: Explanation, name: str, label: str, label_width: int, page: Page
) -> list[Line]:
    gradient = explanation.gradients[name]
    report = explanation.leaves.get(name) or LeafReport()
    says = _says(explanation, name, report)
    below = _formula_below(explanation, name, label, page)
    if gradient.size == 1:
        return _scalar(explanation, name, says, below, page)
    if gradient.ndim > 2 and not is_row(gradient):
        heading = page.paragraph(label, "gradient") if below or "=" in label else []
        parts = blocks(name, gradient, page, "gradient", suffix=".grad")
        return [*heading, *below, *flow(parts, page), *(page.paragraph(says) if says else [])]
    lines: list[Line] = []
    head = page.piece(label, "gradient")
    room = max(12, page.room - label_width - 4)
    draw = row_lines if is_row(gradient) else matrix_lines
    picture = draw(gradient, page, "gradient", room)
    width = max(line_width(line) for line in picture)
    remark = page.piece(says, "faint")
    beside = bool(says) and 4 + label_width + width + 3 + remark.width <= page.room
    for number, row in enumerate(picture):
        first = number == 0
        label_cells = padded(head if first else page.piece(""), label_width)
        line: Line = (spaces(2), *label_cells, spaces(2), *row)
        if beside and first:
            line = (*line, spaces(width - line_width(row) + 3), remark)
        lines.append(line)
    lines += below
    if says and not beside:
        lines += page.paragraph(says, "faint", indent=4)
    if report.summary is not None:
        lines += page.paragraph(_summary(gradient.size, report.summary, page), indent=4)
    return lines


def _scalar(
    explanation: Explanation, name: str, says: str, below: list[Line], page: Page
) -> list[Line]:
    """`w.grad = -14   raise w by ...`, the remarks of all scalars under each other."""
    scalars = {
        other: page.number(gradient.reshape(-1)[0], "gradient")
        for other, gradient in explanation.gradients.items()
        if gradient.size == 1
    }
    names = {other: page.piece(f"{other}.grad", "gradient") for other in scalars}
    name_width = max(piece.width for piece in names.values())
    number_width = max(piece.width for piece in scalars.values())
    line: Line = (spaces(2), *padded(names[name], name_width), page.piece(" = "), scalars[name])
    if not says:
        return page.wrapped(line) + below
    beside = (*line, spaces(number_width - scalars[name].width + 3), page.piece(says, "faint"))
    if line_width(beside) <= page.room:
        return [beside, *below]
    return [*page.wrapped(line), *below, *page.paragraph(says, "faint", indent=4)]


def _says(explanation: Explanation, name: str, report: LeafReport) -> str:
    if not report.used:
        return "not used (PyTorch: None; JAX and autograd: zeros)"
    if report.nudge is not None:
        return _nudge(explanation, name, report)
    return report.matrix_formula_says if len(explanation.outputs) == 1 else ""


def _nudge(explanation: Explanation, name: str, report: LeafReport) -> str:
    """`raise w by 0.01 and the loss falls by about 0.14`, as far as the slope alone tells."""
    assert report.nudge is not None
    output = explanation.output.name
    it = "the loss" if output == "loss" else output
    step = format_number(report.nudge.step)
    change = report.nudge.change
    if change == 0:
        return f"{it} is flat here: a small change of {name} does not move it"
    if not abs(change) < float("inf"):
        return ""
    # the sign is in the verb, so the size is printed without it
    size = format_number(change).removeprefix("-")
    return f"raise {name} by {step} and {it} {'rises' if change > 0 else 'falls'} by about {size}"


def _summary(size: int, summary: ArraySummary, page: Page) -> str:
    def number(value: float) -> str:
        return format_number(value, page.digits)

    parts = [
        f"{format_count(size)} entries",
        f"smallest {number(summary.minimum)}",
        f"largest {number(summary.maximum)}",
        f"norm {number(summary.norm)}",
    ]
    if summary.zeros:
        noun = "zero" if summary.zeros == 1 else "zeros"
        parts.append(f"{format_count(summary.zeros)} {noun}")
    if summary.not_finite:
        parts.append(f"{format_count(summary.not_finite)} nan or inf")
    return ", ".join(parts)
