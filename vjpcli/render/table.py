"""A table of column groups with rules between them, as on every screen.

Colour is rich's work (`theme.py`), this layout is not: rich.table folds or crops a cell that finds
no room, and half a number is a wrong number. This table tells instead how wide it is and how many
columns fit, so that whole columns can be left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from vjpcli.record import record
from vjpcli.render.page import Line, Page, Piece, padded, spaces

Align = Literal["left", "right"]
Cells = tuple[Piece, ...]
"""The cells of one group; a single cell in a group of several columns spans all of them."""

Row = tuple[Cells, ...]


@record
class Group:
    """Columns that stand together between two upright rules."""

    aligns: tuple[Align, ...]
    gap: int = 2

    @classmethod
    def of_numbers(cls, count: int) -> Group:
        """`count` columns of numbers, flush right."""
        right: Align = "right"
        return cls((right,) * count)


@dataclass(slots=True)
class Table:
    """Rows over groups of columns. It measures itself, so that a layout can be tried.

    Attributes:
        groups: the columns.
        header, footer: set off by a rule.
    """

    groups: tuple[Group, ...]
    header: Row | None = None
    body: list[Row] = field(default_factory=list)
    footer: Row | None = None

    def width(self) -> int:
        """Cells of the widest line."""
        return 1 + sum(sum(w) + g.gap * (len(w) - 1) + 3 for g, w in self._measured()) - 1

    def fits(self, page: Page) -> bool:
        """Whether the page is wide enough; the blank after the last column may be lost."""
        return self.width() - 1 <= page.room

    def lines(self, page: Page) -> list[Line]:
        """The table drawn."""
        measured = self._measured()
        rule = self._rule(page, measured)
        lines: list[Line] = []
        if self.header is not None:
            lines += [self._line(page, self.header, measured), rule]
        lines += [self._line(page, row, measured) for row in self.body]
        if self.footer is not None:
            lines += [rule, self._line(page, self.footer, measured)]
        return lines

    def _rows(self) -> list[Row]:
        ends = [row for row in (self.header, self.footer) if row is not None]
        return [*ends, *self.body]

    def _measured(self) -> list[tuple[Group, list[int]]]:
        result = []
        rows = self._rows()
        for position, group in enumerate(self.groups):
            widths = [0] * len(group.aligns)
            spanning = 0
            for row in rows:
                cells = row[position]
                if len(cells) == len(widths):
                    for column, cell in enumerate(cells):
                        widths[column] = max(widths[column], cell.width)
                elif cells:
                    spanning = max(spanning, cells[0].width)
            missing = spanning - sum(widths) - group.gap * (len(widths) - 1)
            if missing > 0:
                # columns of a kind stay together; a pair around an arrow stays centred
                share = missing if group.aligns[-1] == "right" else missing // 2
                widths[0] += share
                widths[-1] += missing - share
            result.append((group, widths))
        return result

    def _line(self, page: Page, row: Row, measured: list[tuple[Group, list[int]]]) -> Line:
        blank, upright = spaces(1), page.piece("│", "faint")
        line: list[Piece] = []
        for position, (group, widths) in enumerate(measured):
            line += [blank, upright, blank] if position else [blank, blank]
            cells = row[position]
            if len(cells) == len(widths):
                for column, cell in enumerate(cells):
                    if column:
                        line.append(spaces(group.gap))
                    line += padded(cell, widths[column], right=group.aligns[column] == "right")
            else:
                total = sum(widths) + group.gap * (len(widths) - 1)
                line += padded(cells[0] if cells else spaces(0), total)
        return (*line, blank)

    def _rule(self, page: Page, measured: list[tuple[Group, list[int]]]) -> Line:
        parts = ["─" * (sum(w) + g.gap * (len(w) - 1) + 2) for g, w in measured]
        # the last blank of a row is not printed, nor is the rule above it
        parts[-1] = parts[-1][:-1]
        return (spaces(1), page.piece("┼".join(parts), "faint"))
