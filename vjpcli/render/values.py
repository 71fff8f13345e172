"""The values that went in and came out, each with its formula and where it came from."""

from __future__ import annotations

from collections.abc import Sequence

from vjpcli.explanation.model import Array, Explanation, Input
from vjpcli.record import record
from vjpcli.render.glyphs import pretty_formula
from vjpcli.render.numbers import format_count, format_shape
from vjpcli.render.page import Line, Page, Piece, joined, line_width, padded, padded_line, spaces
from vjpcli.render.picture import WRAPPED_ENTRIES, blocks, flow, is_row, row_lines
from vjpcli.render.selection import select, with_gaps
from vjpcli.render.theme import Role

_MOST_VALUES = 20
_LONGEST_FORMULA = 120
_MOST_ALIGNED_ENTRIES = 24


@record
class _Shown:
    """One named array with what is said beside it."""

    name: str
    array: Array
    marks: tuple[str, ...]
    formula: str
    role: Role


def value_lines(
    explanation: Explanation,
    page: Page,
    *,
    names: frozenset[str] | None = None,
    gradients: bool = False,
) -> list[Line]:
    """Inputs and outputs: vectors aligned under each other, matrices side by side.

    `names` limits the inputs; then the outputs are left out too (another part shows them).
    With `gradients` those of the leaves stand below.
    """
    every = _shown(explanation, page)
    if gradients:
        every += [
            _Shown(f"{name}.grad", gradient, (), "", "gradient")
            for name, gradient in explanation.gradients.items()
            if explanation.leaves[name].used
        ]
    if names is not None:
        outputs = {output.name for output in explanation.outputs}
        every = [one for one in every if one.name in names and one.name not in outputs]
    return _lines(every, page)


def seed_lines(seeds: Sequence[tuple[str, Array]], page: Page) -> list[Line]:
    """Named seeds as vectors in common columns."""
    vectors = [(name, seed if is_row(seed) else seed.reshape(-1)) for name, seed in seeds]
    return _rows([_Shown(name, vector, (), "", "seed") for name, vector in vectors], page)


def _lines(every: Sequence[_Shown], page: Page) -> list[Line]:
    chosen = select(len(every), _MOST_VALUES)
    lines: list[Line] = []
    shown = [every[position] for position in chosen]
    if all(is_row(one.array) for one in shown):
        lines += _rows(shown, page)
    else:
        lines += _pictures(shown, page)
    if None in with_gaps(chosen, len(every)):
        lines.append(page.line(f"⋯ {format_count(len(every) - len(shown))} more inputs", "faint"))
    return lines


def _shown(explanation: Explanation, page: Page) -> list[_Shown]:
    result = []
    has_data = any(not value.is_leaf for value in explanation.inputs.values())
    for value in explanation.inputs.values():
        formula = _formula(explanation, value, page)
        marks = _marks(explanation, value, has_data)
        result.append(_Shown(value.name, value.value, marks, formula, "value"))
    for output in explanation.outputs:
        marks = _shape_marks(output.value)
        result.append(_Shown(output.name, output.value, marks, "", "value"))
    return result


def _shape_marks(array: Array) -> tuple[str, ...]:
    unsaid = (
        array.ndim > 1 or array.size == 0 or array.shape == (1,) or array.size > WRAPPED_ENTRIES
    )
    return (f"shape {format_shape(array.shape)}",) if unsaid else ()


def _marks(explanation: Explanation, value: Input, has_data: bool) -> tuple[str, ...]:
    marks = _shape_marks(value.value)
    if value.origin == "stand-in":
        marks += ("stand-in",)
    report = explanation.leaves.get(value.name)
    if not value.is_leaf and has_data:
        marks += ("data",)
    elif report is not None and not report.used:
        marks += ("not used by the expression",)
    return marks


def _formula(explanation: Explanation, value: Input, page: Page) -> str:
    report = explanation.leaves.get(value.name)
    if report is None or report.formula is None:
        return ""
    formula = pretty_formula(report.formula, page.ascii_only)
    if len(formula) > _LONGEST_FORMULA:
        formula = f"a formula of {format_count(len(formula))} characters (--json has it)"
    itself = f" = {explanation.output.name}" if report.formula_is_output else ""
    return f"∂{explanation.output.name}/∂{value.name} = {formula}{itself}"


def _beside(one: _Shown, page: Page, formula_width: int = 0) -> Line:
    parts: list[Line] = [(page.piece(mark, "faint"),) for mark in one.marks]
    if one.formula or (formula_width and parts):
        parts.insert(0, padded(page.piece(one.formula, "slope"), formula_width))
    return joined(parts, 3)


def _rows(shown: list[_Shown], page: Page) -> list[Line]:
    """Name, entries in common columns, notes; or without common columns where too wide."""
    if not shown:
        return []
    names = [page.piece(one.name, "strong" if one.role == "value" else one.role) for one in shown]
    name_width = max(name.width for name in names)
    # marks stand under each other, behind formulas of whatever length
    formula_width = max(page.piece(one.formula).width for one in shown)
    notes = [_beside(one, page, formula_width) for one in shown]
    numbers = _aligned(shown, page)
    room = page.room - name_width - 4
    if numbers is not None:
        width = max(line_width(line) for line in numbers)
        if width + 3 + max(line_width(note) for note in notes) <= room:
            return [
                _row(name, name_width, (*padded_line(line, width), spaces(3), *note))
                for name, line, note in zip(names, numbers, notes, strict=True)
            ]
        if width > room:
            numbers = None
    lines: list[Line] = []
    for position, one in enumerate(shown):
        drawn = (
            [numbers[position]]
            if numbers is not None
            else row_lines(one.array, page, one.role, max(room, 12))
        )
        for number, part in enumerate(drawn):
            name = names[position] if number == 0 else page.piece("")
            lines.append(_row(name, name_width, part))
        if notes[position]:
            lines += page.wrapped((spaces(4 + name_width), *_beside(one, page)))
    return lines


def _row(name: Piece, name_width: int, rest: Line) -> Line:
    return (spaces(2), *padded(name, name_width), spaces(2), *rest)


def _aligned(shown: list[_Shown], page: Page) -> list[Line] | None:
    """The entries of all arrays in common columns, or None when one has too many entries."""
    if any(one.array.size > _MOST_ALIGNED_ENTRIES or one.array.size == 0 for one in shown):
        return None
    cells = [[page.number(value, one.role) for value in one.array.reshape(-1)] for one in shown]
    column_count = max(len(row) for row in cells)
    widths = [
        max(row[column].width for row in cells if column < len(row))
        for column in range(column_count)
    ]
    return [
        joined([padded(cell, widths[column], right=True) for column, cell in enumerate(row)], 2)
        for row in cells
    ]


def _pictures(shown: list[_Shown], page: Page) -> list[Line]:
    parts = []
    formulas: list[Line] = []
    for one in shown:
        # the shape of a picture can be seen; that of a line of numbers cannot
        visible = not is_row(one.array) and one.array.ndim == 2 and one.array.size <= 64
        marks = tuple(m for m in one.marks if not (visible and m.startswith("shape")))
        long = tuple(mark for mark in marks if len(mark) > 16)
        short = tuple(mark for mark in marks if len(mark) <= 16)
        parts += blocks(
            one.name,
            one.array,
            page,
            one.role,
            notes=tuple(f"({mark.removeprefix('shape ')})" for mark in short),
        )
        for mark in long:
            formulas += page.paragraph(f"{one.name}: {mark}", "faint")
        if one.formula:
            formulas += page.paragraph(one.formula, "slope")
    return flow(parts, page) + formulas
