"""How a number went wrong, as a small table: a row for each step of the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from vjpcli.errors import Diagnostic, TrailRow
from vjpcli.explanation.model import Input
from vjpcli.record import record
from vjpcli.render.numbers import as_in_formulas, format_index, format_number
from vjpcli.render.page import Line, Page, Piece, padded, spaces
from vjpcli.render.table import Align, Group, Row, Table
from vjpcli.render.theme import Role


@record
class _Column:
    """One column: its title, its cells, and whether a narrow page may do without it."""

    title: str
    cell: Callable[[TrailRow, Page], Piece]
    align: Align = "right"
    optional: bool = False


def trail_lines(diagnostic: Diagnostic, inputs: Mapping[str, Input], page: Page) -> list[Line]:
    """The table; without the words, then without formulas where they do not fit; else stacked."""
    rows = diagnostic.trail
    columns = [column for column in _COLUMNS if any(column.cell(row, page).text for row in rows)]
    needed = [column for column in columns if not column.optional]
    bare = [_VALUE_OF_SLOPE if column is _SLOPE else column for column in needed]
    for chosen in (columns, needed, bare):
        table = _table(diagnostic, _place(diagnostic, inputs, page), page, chosen)
        if table.fits(page):
            return table.lines(page)
    return _stacked(rows, page, columns)


def _table(diagnostic: Diagnostic, place: str, page: Page, columns: Sequence[_Column]) -> Table:
    groups = (Group(("left",)), *(Group((column.align,)) for column in columns))
    header: Row = (
        (page.piece(place),),
        *((page.piece(column.title, "faint"),) for column in columns),
    )
    body: list[Row] = [
        ((page.piece(row.text, "strong"),), *((column.cell(row, page),) for column in columns))
        for row in diagnostic.trail
    ]
    return Table(groups, header, body)


def _place(diagnostic: Diagnostic, inputs: Mapping[str, Input], page: Page) -> str:
    """`at x[0] = 0`: the entry whose gradient went wrong, and its value."""
    name, index = diagnostic.leaf, diagnostic.index
    if name is None or index is None or name not in inputs:
        return "step"
    value = inputs[name].value
    entry = f"at {format_index(name, index)}"
    if len(index) != value.ndim:
        return entry
    return f"{entry} = {as_in_formulas(format_number(value[index], page.digits))}"


def _stacked(rows: Sequence[TrailRow], page: Page, columns: Sequence[_Column]) -> list[Line]:
    """For narrow pages: the facts of each step under its text."""
    lines: list[Line] = []
    width = max((page.piece(column.title).width for column in columns), default=0)
    for row in rows:
        lines += page.paragraph(row.text, "strong")
        for column in columns:
            cell = column.cell(row, page)
            if cell.text:
                title = padded(page.piece(column.title, "faint"), width)
                lines += page.wrapped((spaces(4), *title, spaces(2), cell), hanging=6)
    return lines


def _number(value: float | None, page: Page, role: Role) -> Piece:
    if value is None:
        return page.piece("")
    number = page.number(value, role)
    return page.piece(as_in_formulas(number.text), number.role)


def _handed_on(row: TrailRow, page: Page) -> Piece:
    text = row.adjoint_out_text
    return page.piece(text, "trouble" if text.endswith(("nan", "inf", "∞")) else "gradient")


_SLOPE = _Column("slope", lambda row, page: page.formula(row.slope_text))
_VALUE_OF_SLOPE = _Column(
    "slope", lambda row, page: page.formula(row.slope_text.rpartition(" = ")[2])
)
_COLUMNS = (
    _Column("value", lambda row, page: _number(row.value, page, "value")),
    _SLOPE,
    _Column("adjoint in", lambda row, page: _number(row.adjoint_in, page, "gradient")),
    _Column("adjoint out", _handed_on),
    _Column("in words", lambda row, page: page.piece(row.words), "left", optional=True),
)
