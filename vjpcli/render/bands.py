"""Every entry of a Jacobian, in as many tables as its columns need."""

from __future__ import annotations

from collections.abc import Sequence

from vjpcli.render.jacobian import JacobianRows, Leaf
from vjpcli.render.numbers import format_numbers
from vjpcli.render.page import Line, Page, Piece, cell_width
from vjpcli.render.table import Group, Row, Table
from vjpcli.render.theme import Role

_GAP = 2


def band_lines(
    rows: JacobianRows,
    leaf: Leaf,
    page: Page,
    seed_names: Sequence[Piece],
    gradient_label: Piece,
) -> list[Line] | None:
    """Tables of all rows, each with as many columns as fit; None when not even one fits.

    With `seed_names` a column of seeds stands before the entries and the gradient below them.
    The entries of a row are joined to one piece: there may be a million of them.
    """
    entries = rows.texts(leaf, page)
    names = [page.piece(leaf.entry(column)).text for column in range(leaf.size)]
    total = format_numbers(rows.explanation.gradients[leaf.name], page.digits) if seed_names else []
    widths = [
        max(map(len, column)) for column in zip(*entries, *([total] if total else []), strict=True)
    ]
    widths = [max(width, cell_width(name)) for width, name in zip(widths, names, strict=True)]
    lead = _Lead(rows, page, seed_names, gradient_label)
    free = page.room - lead.width
    lines: list[Line] = []
    start = 0
    while start < leaf.size:
        end, used = start, -_GAP
        while end < leaf.size and used + _GAP + widths[end] <= free:
            used += _GAP + widths[end]
            end += 1
        if end == start:
            return None
        band = slice(start, end)

        def joined(texts: Sequence[str], role: Role, band: slice = band) -> Piece:
            cells = zip(texts[band], widths[band], strict=True)
            return page.piece((" " * _GAP).join(_right(text, width) for text, width in cells), role)

        table = lead.table(
            joined(names, "plain"),
            [joined(row, "slope") for row in entries],
            joined(total, "gradient") if total else None,
        )
        lines += ([()] if lines else []) + table.lines(page)
        start = end
    return lines


def _right(text: str, width: int) -> str:
    return text.rjust(width) if text.isascii() else " " * (width - cell_width(text)) + text


class _Lead:
    """What stands before the entries in every table: labels and seeds, made once."""

    def __init__(
        self,
        rows: JacobianRows,
        page: Page,
        seed_names: Sequence[Piece],
        gradient_label: Piece,
    ) -> None:
        blank = page.piece("")
        groups = [Group.of_numbers(1)]
        self.header: Row = ((blank,),)
        self.footer: Row = ((gradient_label,),)
        self.body: list[Row] = [((page.piece(rows.label(row)),),) for row in range(rows.count)]
        if seed_names:
            groups.append(Group.of_numbers(len(seed_names)))
            self.header += (tuple(seed_names),)
            self.footer += ((blank,),)
            self.body = [
                (*cells, tuple(rows.seeds(row, page)[: len(seed_names)]))
                for row, cells in enumerate(self.body)
            ]
        self.groups = (*groups, Group(("left",)))
        blanks = [blank] * rows.count
        self.width = self.table(blank, blanks, blank if seed_names else None).width() - 1

    def table(self, header: Piece, body: Sequence[Piece], footer: Piece | None) -> Table:
        """One table with these entries."""
        rows: list[Row] = [
            (*cells, (entries,)) for cells, entries in zip(self.body, body, strict=True)
        ]
        ending = None if footer is None else (*self.footer, (footer,))
        return Table(self.groups, (*self.header, (header,)), rows, ending)
