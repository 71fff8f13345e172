"""The forward values and the adjoints of a scalar output, node by node (the way down and up)."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from vjpcli.explanation.model import Array, Explanation, Step
from vjpcli.record import record
from vjpcli.render.numbers import format_count
from vjpcli.render.page import Line, Page, Piece, padded, spaces
from vjpcli.render.picture import is_row, row_lines
from vjpcli.render.selection import select, with_gaps
from vjpcli.render.source_text import folded
from vjpcli.render.table import Group, Row, Table
from vjpcli.render.theme import Role

_MOST_STEPS = 24
_MOST_ENTRIES = 8
_MOST_ARRAY_ROWS = 4
_LABEL_WIDTH = 32
_UNFOLDED = 10_000
_FOLDED = 28
_ROOM_FOR_WORDS = 95
"""Cells from which on it is tried to fold the words into a narrow column."""
_FEWEST_OPERATIONS = 2


def has_backward_table(explanation: Explanation) -> bool:
    """Whether the output is one number reached over several steps, under one seed."""
    seed = explanation.seed
    operations = sum(bool(step.operands or step.text) for step in explanation.steps)
    return (
        len(explanation.outputs) == 1
        and explanation.output.value.size == 1
        and seed is not None
        and seed.value is not None
        and operations >= _FEWEST_OPERATIONS
    )


@record
class BackwardTable:
    """The way down and up as drawn; `has_words` when there was room to say how."""

    lines: list[Line]
    has_words: bool


def backward_lines(explanation: Explanation, page: Page) -> BackwardTable:
    """A row for each step; without the words where they do not fit; stacked where nothing fits."""
    steps = explanation.steps
    shown = select(len(steps), _MOST_STEPS)
    longest = max((_columns_of(steps[position].value) for position in shown), default=1)
    lines: list[Line] | None = None
    has_words = False
    # where there is some room for words, they go on further lines
    widths = (_UNFOLDED, _FOLDED, 0) if page.room >= _ROOM_FOR_WORDS else (_UNFOLDED, 0)
    for words in widths:
        for entries in range(min(longest, _MOST_ENTRIES), 0, -1):
            # words are worth more than a ninth entry, but not more than the third; with fewer
            # entries than that, node by node shows more of them
            if entries < min(longest, 3):
                break
            table = _table(explanation, page, shown, entries, words)
            if table.fits(page):
                lines = [*table.lines(page), *_left_out(explanation, page, shown, entries)]
                has_words = words > 0
                break
        if lines is not None:
            break
    if lines is None:
        lines = _stacked(explanation, page, shown)
    if len(shown) < len(steps):
        missing = format_count(len(steps) - len(shown))
        lines.append(page.line(f"⋯ {missing} more steps of {format_count(len(steps))}", "faint"))
    return BackwardTable(lines, has_words)


def step_label(explanation: Explanation, step: Step) -> str:
    """`t1 = w*x`, or the name alone for an input, a stand-in marked."""
    value = explanation.inputs.get(step.name)
    if step.text and step.text != step.name:
        return f"{step.name} = {step.text}"
    if value is not None and value.origin == "stand-in":
        return f"{step.name}  stand-in"
    return step.name


def _columns_of(array: Array) -> int:
    return array.shape[-1] if array.ndim else 1


def _table(
    explanation: Explanation, page: Page, shown: Sequence[int], entries: int, words: int
) -> Table:
    groups = [Group(("left",)), Group.of_numbers(entries), Group.of_numbers(entries)]
    header: list[tuple[Piece, ...]] = [
        (page.piece("node"),),
        (page.piece("forward ↓ value", "value"),),
        (page.piece(f"backward ↑ ∂{explanation.output.name}/∂node", "gradient"),),
    ]
    if words:
        groups.append(Group(("left",)))
        title = "how it got there from the row below"
        header.append((page.piece(title if words == _UNFOLDED else "how it got there"),))
    body: list[Row] = []
    for position in with_gaps(shown, len(explanation.steps)):
        if position is None:
            body.append(((page.piece("⋯", "faint"),),) * len(groups))
        else:
            step = explanation.steps[position]
            body += _step_rows(explanation, page, step, entries, words)
    return Table(tuple(groups), tuple(header), body)


def _step_rows(
    explanation: Explanation, page: Page, step: Step, entries: int, words: int
) -> list[Row]:
    labels = folded(step_label(explanation, step), min(_LABEL_WIDTH, max(12, page.room // 3)), 4)
    values = _grid(step.value, page, entries, forward=True)
    if step.adjoint is None:
        adjoints: list[tuple[Piece, ...]] = [(page.piece(_no_adjoint(step), "faint"),)]
    else:
        adjoints = _grid(step.adjoint, page, entries, forward=False)
    blank: tuple[Piece, ...] = (page.piece(""),) * entries
    hows = textwrap.wrap(page.formula(step.how, "plain").text, words) if words else []
    rows: list[Row] = []
    for number in range(max(len(labels), len(values), len(adjoints), len(hows))):
        label = page.piece(labels[number] if number < len(labels) else "")
        cells = [
            (label,),
            values[number] if number < len(values) else blank,
            adjoints[number] if number < len(adjoints) else blank,
        ]
        if words:
            cells.append((page.piece(hows[number] if number < len(hows) else ""),))
        rows.append(tuple(cells))
    return rows


def _no_adjoint(step: Step) -> str:
    return "data" if step.operation == "data" else "none"


def _grid(array: Array, page: Page, entries: int, forward: bool) -> list[tuple[Piece, ...]]:
    """The array as rows of `entries` cells, short rows filled with blanks."""
    if array.size == 0:
        return [(page.piece("(empty)", "faint"), *(page.piece(""),) * (entries - 1))]
    columns = _columns_of(array)
    matrix = array.reshape(-1, columns)
    rows = []
    kept = entries if columns <= entries else max(1, entries - 1)
    for row in with_gaps(select(len(matrix), _MOST_ARRAY_ROWS), len(matrix)):
        if row is None:
            rows.append((page.piece("⋯", "faint"), *(page.piece(""),) * (entries - 1)))
            continue
        numbers = matrix[row, :kept]
        cells = [page.number(number, "value" if forward else "gradient") for number in numbers]
        if columns > kept and len(cells) < entries:
            cells.append(page.piece("⋯", "faint"))
        cells += [page.piece("")] * (entries - len(cells))
        rows.append(tuple(cells))
    return rows


def _left_out(
    explanation: Explanation, page: Page, shown: Sequence[int], entries: int
) -> list[Line]:
    counts = []
    for position in shown:
        step = explanation.steps[position]
        columns = _columns_of(step.value)
        rows = step.value.size // max(1, columns)
        kept = columns if columns <= entries else max(1, entries - 1)
        visible = min(rows, _MOST_ARRAY_ROWS) * kept
        if visible < step.value.size:
            missing = format_count(step.value.size - visible)
            counts.append(f"{missing} of {format_count(step.value.size)} in {step.name}")
    if not counts:
        return []
    more = f", and in {len(counts) - 6} more nodes" if len(counts) > 6 else ""
    return page.paragraph(f"⋯ entries left out: {', '.join(counts[:6])}{more}", "faint")


def _stacked(explanation: Explanation, page: Page, shown: Sequence[int]) -> list[Line]:
    """Node, value and adjoint under each other, for narrow pages."""
    lines: list[Line] = []
    for position in with_gaps(shown, len(explanation.steps)):
        if position is None:
            lines.append(page.line("⋯", "faint"))
            continue
        step = explanation.steps[position]
        label = step_label(explanation, step)
        lines += [page.line(part, "strong") for part in folded(label, page.room - 4, 4)]
        lines += labelled(page, "value", step.value)
        if step.adjoint is None:
            lines.append(page.line(f"  adjoint  {_no_adjoint(step)}", "faint"))
        else:
            lines += labelled(page, "adjoint", step.adjoint)
    return lines


def labelled(page: Page, label: str, array: Array, note: str = "", indent: int = 4) -> list[Line]:
    """`value    0.5  1  1.5` with further lines under the numbers, and a note at the end."""
    role: Role = "value" if label == "value" else "gradient"
    width = 7
    room = max(12, page.room - indent - width - 2)
    flat = array if is_row(array) else array.reshape(-1)
    lines: list[Line] = []
    for number, part in enumerate(row_lines(flat, page, role, room)):
        name = page.piece(label if number == 0 else "")
        lines.append((spaces(indent), *padded(name, width), spaces(2), *part))
    if note:
        lines[-1] = (*lines[-1], spaces(3), page.formula(note, "faint"))
    return lines
