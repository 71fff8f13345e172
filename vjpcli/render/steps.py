"""The backward pass, op by op: each node's value, its rule, and where its adjoint came from."""

from __future__ import annotations

from vjpcli.explanation.model import Explanation, Step
from vjpcli.render.backward import labelled, step_label
from vjpcli.render.graph import kind_words, why_no_steps
from vjpcli.render.numbers import format_count, format_number
from vjpcli.render.page import Line, Page, spaces
from vjpcli.render.picture import is_row
from vjpcli.render.selection import select, with_gaps
from vjpcli.render.source_text import folded

_MOST_STEPS = 200
_MOST_TERMS = 8


def step_lines(explanation: Explanation, page: Page) -> list[Line]:
    """The numbered steps, inputs first; the adjoints are to be read from the last to the first."""
    steps = explanation.steps
    if not steps:
        return page.paragraph(f"No steps to show: {why_no_steps(explanation)}.", "faint")
    lines = page.paragraph(
        "Steps, values from the first to the last, adjoints from the last to the first:", "strong"
    )
    shown = select(len(steps), _MOST_STEPS)
    number_width = len(str(len(steps)))
    for position in with_gaps(shown, len(steps)):
        if position is None:
            lines.append(
                page.line(f"⋯ {format_count(len(steps) - len(shown))} more steps", "faint")
            )
        else:
            lines += _one(explanation, page, position, number_width)
    return [*lines, *_closing(explanation, page)]


def _one(explanation: Explanation, page: Page, position: int, number_width: int) -> list[Line]:
    step = explanation.steps[position]
    indent = number_width + 6
    parts = folded(step_label(explanation, step), max(20, page.room - indent - 4), 6)
    number = page.piece(str(position + 1).rjust(number_width), "faint")
    shape = page.piece(kind_words(step), "faint")
    head: Line = (spaces(2), number, spaces(2), page.piece(parts[0], "strong"), spaces(3), shape)
    lines = page.wrapped(head, hanging=indent)
    lines += [page.line(part, "strong", indent=indent) for part in parts[1:]]
    lines += labelled(page, "value", step.value, indent=indent)
    if step.local_rule:
        rule = page.formula(step.local_rule)
        lines += page.wrapped((spaces(indent), page.piece("rule     "), rule), hanging=indent + 9)
    lines += _saves(page, step, indent)
    if step.adjoint is None:
        reason = "none, data gets no gradient" if step.operation == "data" else "none"
        lines.append(page.line(f"adjoint  {reason}", "faint", indent=indent))
        return lines
    lines += labelled(page, "adjoint", step.adjoint, note=step.how, indent=indent)
    return lines + _uses(page, step, indent)


def _saves(page: Page, step: Step, indent: int) -> list[Line]:
    """`saves    h`, or nothing, which is why a second backward pass may still run through it."""
    if not step.text or step.adjoint is None:
        return []
    names = ["its result" if name == step.name else name for name in step.saves]
    return page.paragraph(f"saves    {', '.join(names) or 'nothing'}", "faint", indent=indent)


def _closing(explanation: Explanation, page: Page) -> list[Line]:
    """What PyTorch does otherwise with the same steps."""
    lines = page.paragraph(
        "Every adjoint starts from 0. In PyTorch a second backward() adds to .grad, which then "
        "holds twice these numbers; it needs retain_graph=True unless no step saves anything.",
        "faint",
    )
    whole = [name for name, value in explanation.inputs.items() if value.integers]
    if whole:
        names = ", ".join(whole[:6]) + (", …" if len(whole) > 6 else "")
        lines += page.paragraph(
            f"{names}: integers, read as {explanation.dtype}; PyTorch and JAX refuse to "
            "differentiate with respect to integers.",
            "faint",
        )
    return lines


def _uses(page: Page, step: Step, indent: int) -> list[Line]:
    """`used 3 times: h + h + 3 = -1`: the adjoint is the sum of what each use sends back."""
    times = len(step.uses)
    if times < 2 or step.adjoint is None:
        return []
    if len(step.contributions) != times or times > _MOST_TERMS:
        names = ", ".join(step.uses[:_MOST_TERMS]) + (", …" if times > _MOST_TERMS else "")
        text = f"read {format_count(times)} times, by {names}: what they send back adds up"
        return page.paragraph(text, "faint", indent=indent)
    if step.adjoint.size == 1:
        terms = [format_number(part.reshape(-1)[0], page.digits) for part in step.contributions]
        total = format_number(step.adjoint.reshape(-1)[0], page.digits)
        signed = " + ".join(f"({term})" if term.startswith("-") else term for term in terms)
        names = ", ".join(step.uses)
        text = f"read {times} times, by {names}: {signed} = {total}"
        return page.paragraph(text, "faint", indent=indent)
    lines = page.paragraph(f"read {times} times; what they send back adds up:", "faint", indent)
    for user, part in zip(step.uses, step.contributions, strict=True):
        flat = part if is_row(part) else part.reshape(-1)
        lines += labelled(page, "from", flat, note=f"by {user}", indent=indent)
    return lines
