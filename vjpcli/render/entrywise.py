"""The compact screen of a diagonal Jacobian: seed × slope → gradient, entry by entry."""

from __future__ import annotations

from collections.abc import Sequence

from vjpcli.explanation.model import Explanation
from vjpcli.render.jacobian import JacobianRows, slopes
from vjpcli.render.limits import MOST_LINES, MOST_PASSES, MOST_ROWS
from vjpcli.render.numbers import format_count
from vjpcli.render.page import Line, Page, Piece
from vjpcli.render.picture import entry_name, left_out
from vjpcli.render.selection import select, with_gaps
from vjpcli.render.table import Group, Row, Table

_MOST_BESIDE = 12


def entrywise_lines(explanation: Explanation, page: Page, every_entry: bool = False) -> list[Line]:
    """A row for each output entry; the leaves side by side as far as they fit.

    Holds for explanations that `is_entrywise` accepts.
    """
    rows = JacobianRows(explanation)
    count = rows.count
    most = count if every_entry else MOST_ROWS
    shown = select(count, most, [] if rows.marked is None else [rows.marked])
    names = [
        name
        for name, value in explanation.inputs.items()
        if value.is_leaf and explanation.leaves[name].used
    ]
    lines: list[Line] = []
    while names:
        if len(lines) > MOST_LINES and not every_entry:
            some = ", ".join(names[:6])
            lines += page.paragraph(f"⋯ {format_count(len(names))} more leaves: {some}", "faint")
            break
        together = 0
        best: Table | None = None
        for amount in range(1, min(len(names), _MOST_BESIDE) + 1):
            table = _table(rows, page, names[:amount], shown)
            if not table.fits(page):
                break
            together, best = amount, table
        if lines:
            lines.append(())
        if best is not None:
            lines += best.lines(page)
        else:
            lines += _listed(rows, page, names[0], shown)
        names = names[max(1, together) :]
    if len(shown) < count:
        note = f"{left_out(count - len(shown), 0)} of {format_count(count)}"
        lines += page.paragraph(note, "faint")
    return lines


def _table(rows: JacobianRows, page: Page, names: Sequence[str], shown: Sequence[int]) -> Table:
    explanation = rows.explanation
    output = explanation.output.name
    pass_count = min(len(explanation.passes), MOST_PASSES)
    groups = [Group.of_numbers(1), Group.of_numbers(pass_count)]
    groups += [Group(("right", "left", "left"), gap=1) for _ in names]
    seeds = ["seed"] if len(explanation.passes) == 1 else [f"seed {n + 1}" for n in range(4)]
    header: Row = (
        (page.piece(""),),
        tuple(page.piece(seed, "seed") for seed in seeds[:pass_count]),
        *((page.piece(f"∂{output}/∂{name} → {name}.grad"),) for name in names),
    )
    body: list[Row] = []
    for row in with_gaps(shown, rows.count):
        if row is None:
            gap, blank = page.piece("⋯", "faint"), page.piece("")
            body.append(((gap,), (gap,) * pass_count, *((gap, blank, gap) for _ in names)))
            continue
        marked = row == rows.marked
        label = page.piece(("▶ " if marked else "") + rows.name(row))
        cells: list[tuple[Piece, ...]] = [(label,), tuple(rows.seeds(row, page)[:pass_count])]
        for name in names:
            slope, gradient = _pair(explanation, name, row, page)
            cells.append((slope, page.piece("→", "faint"), gradient))
        body.append(tuple(cells))
    return Table(tuple(groups), header, body)


def _pair(explanation: Explanation, name: str, row: int, page: Page) -> tuple[Piece, Piece]:
    diagonal = slopes(explanation, name)
    assert diagonal is not None
    gradient = explanation.gradients[name].reshape(-1)[row]
    return page.number(diagonal[row], "slope"), page.number(gradient, "gradient")


def _listed(rows: JacobianRows, page: Page, name: str, shown: Sequence[int]) -> list[Line]:
    """For pages too narrow for the table: the three numbers under each other."""
    explanation = rows.explanation
    lines: list[Line] = []
    for row in shown:
        slope, gradient = _pair(explanation, name, row, page)
        entry = entry_name(name, explanation.inputs[name].value.shape, row)
        lines.append(page.line(f"{rows.label(row)}, {entry}", "strong"))
        seeds = rows.seeds(row, page)[:MOST_PASSES]
        lines.extend((page.piece("    seed   "), seed) for seed in seeds)
        lines.append((page.piece("    slope  "), slope))
        lines.append((page.piece("    grad   "), gradient))
    return lines
