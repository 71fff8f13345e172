"""The whole Jacobian: each row beside its seed, each gradient under its own columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from vjpcli.explanation.model import Explanation
from vjpcli.record import record
from vjpcli.render.bands import band_lines
from vjpcli.render.jacobian import JacobianRows, Leaf
from vjpcli.render.limits import MOST_LINES, MOST_PASSES, MOST_ROWS, UNLIMITED_COLUMNS
from vjpcli.render.numbers import format_count, format_number
from vjpcli.render.page import Line, Page, Piece, joined
from vjpcli.render.picture import left_out
from vjpcli.render.selection import select, with_gaps
from vjpcli.render.table import Group, Row, Table

Naming = Literal["slope", "entry", "short"]

WIDE = 100
"""From this width on the whole Jacobian of a small elementwise program is easy to read."""

_WIDEST_CONTRIBUTION = 8


@record
class _Columns:
    """The columns shown of one leaf; None stands for those left out in between."""

    leaf: Leaf
    shown: tuple[int | None, ...]

    @property
    def positions(self) -> list[int]:
        """Without the gaps."""
        return [column for column in self.shown if column is not None]


class FullJacobian:
    """Lays the Jacobian out for a page.

    Attributes:
        rows: the data.
        every_entry: leave nothing out; columns that do not fit go to further tables.
    """

    def __init__(self, explanation: Explanation, page: Page, every_entry: bool = False) -> None:
        self.explanation = explanation
        self.page = page
        self.rows = JacobianRows(explanation)
        self.every_entry = every_entry
        passes = explanation.passes
        self.each = any(seed.value is None for one_pass in passes for seed in one_pass)
        self.weighted = bool(passes) and not self.each
        most = self.rows.count if every_entry else MOST_ROWS
        self._marked = [] if self.rows.marked is None else [self.rows.marked]
        self.shown_rows = select(self.rows.count, most, self._marked) if self.rows.count else []

    def whole(self) -> list[Line] | None:
        """One table with every column of every leaf, or None when it does not fit."""
        page, leaves = self.page, self.rows.leaves
        total = sum(leaf.size for leaf in leaves)
        if not leaves or not self.shown_rows or total > max(page.room // 3, 1):
            return None
        if page.width is None and not self.every_entry and total > UNLIMITED_COLUMNS:
            return None
        columns = [_Columns(leaf, tuple(range(leaf.size))) for leaf in leaves if leaf.size]
        if not columns:
            return None
        # beside a one-hot seed, on narrow pages and with several indices the entry is name enough
        plain = self.rows.marked is None and all(len(leaf.shape) < 2 for leaf in leaves)
        long: Naming = "slope" if plain and page.room >= WIDE else "entry"
        attempts: list[tuple[Naming, bool]] = [
            (long, True),
            ("entry", True),
            (long, False),
            ("entry", False),
            ("short", False),
        ]
        for with_parts in (True, False):
            self.rows.with_parts = with_parts
            for naming, extras in attempts:
                table = self._table(columns, naming, extras)
                if table.fits(page):
                    return table.lines(page) + self._row_count_note()
        return None

    def stacked(self) -> list[Line]:
        """A table for each leaf (or for a few that fit together), columns left out if need be."""
        lines: list[Line] = []
        leaves = [leaf for leaf in self.rows.leaves if leaf.size]
        if len(leaves) > 1 and not self.every_entry:
            # several tables share the screen
            self.shown_rows = select(self.rows.count, MOST_ROWS // 2, self._marked)
        pending = list(leaves) if self.shown_rows else []
        while pending:
            if lines and len(lines) > MOST_LINES and not self.every_entry:
                names = ", ".join(leaf.name for leaf in pending[:6])
                more = format_count(len(pending))
                lines += self.page.paragraph(f"⋯ {more} more leaves: {names}", "faint")
                break
            together, table = self._most_that_fit(pending)
            if lines:
                lines.append(())
            if table is not None:
                lines += table.lines(self.page)
            else:
                lines += self._single(pending[0])
            pending = pending[max(1, together) :]
        return lines + (self._row_count_note() if lines else [])

    def _most_that_fit(self, leaves: Sequence[Leaf]) -> tuple[int, Table | None]:
        best: tuple[int, Table | None] = (0, None)
        columns: list[_Columns] = []
        for count, leaf in enumerate(leaves, 1):
            columns.append(_Columns(leaf, tuple(range(leaf.size))))
            if sum(len(c.shown) for c in columns) > min(self.page.room // 3, UNLIMITED_COLUMNS):
                break
            for naming in ("entry", "short"):
                table = self._table(columns, naming, extras=False)
                if table.fits(self.page):
                    best = (count, table)
                    break
            else:
                break
        return best

    def _single(self, leaf: Leaf) -> list[Line]:
        """A leaf too wide for the page: some columns, or all of them in several tables."""
        if self.every_entry:
            return self._banded(leaf)
        for limit in range(min(self.page.room // 3, UNLIMITED_COLUMNS, leaf.size), 0, -1):
            chosen = with_gaps(select(leaf.size, limit), leaf.size)
            table = self._table([_Columns(leaf, tuple(chosen))], "entry", extras=False)
            if table.fits(self.page):
                break
        else:
            return self._listed(leaf, [0])
        missing = leaf.size - sum(column is not None for column in chosen)
        note = f"{left_out(0, missing)} of {leaf.name}"
        return [*table.lines(self.page), *self.page.paragraph(note, "faint")]

    def _banded(self, leaf: Leaf) -> list[Line]:
        """Every column, in as many tables as it takes."""
        seed_names = self._seed_names(self._pass_count) if self.weighted else ()
        label = self._gradient_label(leaf)
        lines = band_lines(self.rows, leaf, self.page, seed_names, label)
        return self._listed(leaf, list(range(leaf.size))) if lines is None else lines

    def _listed(self, leaf: Leaf, columns: list[int]) -> list[Line]:
        """For pages too narrow for any table: an entry a line."""
        page = self.page
        lines: list[Line] = []
        for row in self.shown_rows:
            for column, piece in zip(
                columns, self.rows.entries(row, leaf, columns, page), strict=True
            ):
                name = page.piece(f"∂{self.rows.label(row)}/∂{leaf.entry(column)}")
                lines.append((page.piece("  "), name, page.piece(" = "), piece))
            if self.weighted:
                seeds = [(piece,) for piece in self.rows.seeds(row, page)[:MOST_PASSES]]
                lines.append((page.piece("    seed "), *joined(seeds, 2)))
        if self.weighted:
            for column, piece in zip(columns, self.rows.gradient(leaf, columns, page), strict=True):
                name = page.piece(f"{leaf.name}.grad at {leaf.entry(column)}")
                lines.append((page.piece("  "), name, page.piece(" = "), piece))
        missing = leaf.size - len(columns)
        if missing:
            lines.append(page.line(f"{left_out(0, missing)} of {leaf.name}", "faint"))
        return lines

    def _row_count_note(self) -> list[Line]:
        missing = self.rows.count - len(self.shown_rows)
        if not missing:
            return []
        note = f"{left_out(missing, 0)} of {format_count(self.rows.count)}"
        return self.page.paragraph(note, "faint")

    def _table(self, columns: Sequence[_Columns], naming: Naming, extras: bool) -> Table:
        page = self.page
        contribution = self._contribution(columns) if extras else None
        groups = [Group.of_numbers(1)]
        header: list[tuple[Piece, ...]] = [(page.piece(""),)]
        pass_count = self._pass_count
        if self.weighted:
            groups.append(Group.of_numbers(pass_count))
            header.append(self._seed_names(pass_count))
        for part in columns:
            groups.append(Group.of_numbers(len(part.shown)))
            header.append(self._column_names(part, naming))
        if contribution is not None:
            groups.append(Group(("left",)))
            name = f"{columns[0].leaf.name}.grad" if len(columns) == 1 else "the gradients"
            header.append((page.piece(f"what this row adds to {name}"),))
        body = [
            self._gap_row(columns, pass_count, contribution is not None)
            if row is None
            else self._body_row(row, columns, pass_count, contribution)
            for row in with_gaps(self.shown_rows, self.rows.count)
        ]
        footer = self._footer(columns, pass_count, extras, contribution) if self.weighted else None
        return Table(tuple(groups), tuple(header), body, footer)

    @property
    def _pass_count(self) -> int:
        return min(len(self.explanation.passes), MOST_PASSES)

    def _gradient_label(self, leaf: Leaf) -> Piece:
        label = f"{leaf.name}.grad" if len(self.rows.leaves) == 1 else "grad"
        return self.page.piece(label, "gradient")

    def _seed_names(self, pass_count: int) -> tuple[Piece, ...]:
        if len(self.explanation.passes) == 1:
            return (self.page.piece("seed", "seed"),)
        return tuple(self.page.piece(f"seed {n + 1}", "seed") for n in range(pass_count))

    def _column_names(self, part: _Columns, naming: Naming) -> tuple[Piece, ...]:
        names = []
        for column in part.shown:
            if column is None:
                names.append("⋯")
            elif naming == "short":
                names.append(part.leaf.short_entry(column))
            else:
                names.append(("∂/∂" if naming == "slope" else "") + part.leaf.entry(column))
        return tuple(self.page.piece(name) for name in names)

    def _body_row(
        self,
        row: int,
        columns: Sequence[_Columns],
        pass_count: int,
        contribution: tuple[Piece, ...] | None,
    ) -> Row:
        page = self.page
        marked = row == self.rows.marked
        label = ("▶ " if marked else "") + self.rows.name(row)
        cells: list[tuple[Piece, ...]] = [(page.piece(label, "strong" if marked else "plain"),)]
        if self.weighted:
            cells.append(tuple(self.rows.seeds(row, page)[:pass_count]))
        for part in columns:
            entries = self.rows.entries(row, part.leaf, part.positions, page)
            cells.append(self._with_gaps(part, entries))
        if contribution is not None:
            cells.append((contribution[0 if marked else 1],))
        return tuple(cells)

    def _gap_row(self, columns: Sequence[_Columns], pass_count: int, contribution: bool) -> Row:
        gap, blank = self.page.piece("⋯", "faint"), self.page.piece("")
        cells: list[tuple[Piece, ...]] = [(gap,)]
        if self.weighted:
            cells.append((gap,) * pass_count)
        cells += [(gap,) * len(part.shown) for part in columns]
        if contribution:
            cells.append((blank,))
        return tuple(cells)

    def _with_gaps(self, part: _Columns, entries: Sequence[Piece]) -> tuple[Piece, ...]:
        remaining = iter(entries)
        gap = self.page.piece("⋯", "faint")
        return tuple(gap if column is None else next(remaining) for column in part.shown)

    def _footer(
        self,
        columns: Sequence[_Columns],
        pass_count: int,
        extras: bool,
        contribution: tuple[Piece, ...] | None,
    ) -> Row:
        page = self.page
        cells: list[tuple[Piece, ...]] = [(self._gradient_label(columns[0].leaf),)]
        if pass_count > 1:
            cells.append((page.piece("added up" if extras else "", "faint"),))
        else:
            how = "Σ seed×row" if extras and self.rows.count > 1 and contribution is None else ""
            cells.append((page.piece(how, "faint"),))
        for part in columns:
            entries = self.rows.gradient(part.leaf, part.positions, page)
            cells.append(self._with_gaps(part, entries))
        if contribution is not None:
            cells.append((contribution[2],))
        return tuple(cells)

    def _contribution(self, columns: Sequence[_Columns]) -> tuple[Piece, ...] | None:
        """For a one-hot seed: what the marked row adds, what the others add, what remains to say.

        A row weighted by 0 adds nothing only while its slopes are finite (0 × inf is nan).
        """
        explanation, page, marked = self.explanation, self.page, self.rows.marked
        reports = [explanation.leaves.get(part.leaf.name) for part in columns]
        if marked is None or not all(report is None or report.finite for report in reports):
            return None
        seed = explanation.seed
        assert seed is not None and seed.value is not None
        weight = format_number(seed.value.reshape(-1)[marked], page.digits)
        adds, remark = "the gradients below", ""
        if len(columns) == 1:
            leaf = columns[0].leaf
            adds = "the gradient below"
            if leaf.size <= _WIDEST_CONTRIBUTION:
                pieces = self.rows.gradient(leaf, range(leaf.size), page)
                adds = "  ".join(piece.text for piece in pieces)
            if len(leaf.shape) > 1:
                shape = "×".join(map(str, leaf.shape))
                remark = f"shape {shape}, the shape of {leaf.name}"
        return (
            page.piece(f"{weight} × row  =  {adds}", "gradient"),
            page.piece("0 × row  =  nothing", "faint"),
            page.piece(remark, "faint"),
        )
