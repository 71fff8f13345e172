"""Arrays as pictures: vectors in a line, matrices in rows, tensors slice by slice.

Whole entries, rows, columns and slices are left out where there are too many, with a count.
"""

from __future__ import annotations

import numpy as np

from vjpcli.explanation.model import Array
from vjpcli.record import record
from vjpcli.render.limits import UNLIMITED_COLUMNS
from vjpcli.render.numbers import format_count, format_index, format_shape
from vjpcli.render.page import Line, Page, Piece, joined, line_width, padded, padded_line, spaces
from vjpcli.render.selection import select, with_gaps
from vjpcli.render.theme import Role

_MOST_ROWS = 8
_MOST_SLICES = 6
WRAPPED_ENTRIES = 48


def is_row(array: Array) -> bool:
    """Whether the array is one line of numbers: a scalar, a vector, or 1×…×n."""
    return array.size == max(array.shape, default=1) == (array.shape[-1] if array.ndim else 1)


def row_lines(array: Array, page: Page, role: Role, room: int) -> list[Line]:
    """The entries of a small array on as few lines as needed, of a large one on a single line."""
    flat = array.reshape(-1)
    if flat.size == 0:
        return [(page.piece("(empty)", "faint"),)]
    if flat.size <= WRAPPED_ENTRIES:
        pieces = [page.number(value, role) for value in flat]
        if sum(piece.width + 2 for piece in pieces) - 2 <= room:
            return [joined([(piece,) for piece in pieces], 2)]
        width = max(piece.width for piece in pieces)
        per_line = max(1, (room + 2) // (width + 2))
        cells = [padded(piece, width, right=True) for piece in pieces]
        return [joined(cells[i : i + per_line], 2) for i in range(0, len(cells), per_line)]
    return [_abbreviated(flat, page, role, room)]


def _abbreviated(flat: Array, page: Page, role: Role, room: int) -> Line:
    """Head, the count of what is left out, tail."""
    count = flat.size
    limit = min(room // 3 + 1, UNLIMITED_COLUMNS)
    note_width = len(f"⋯ {format_count(count)} more ⋯") + 4
    chosen = select(count, limit)
    pieces = {position: page.number(flat[position], role) for position in chosen}
    while limit > 1:
        chosen = select(count, limit)
        used = sum(pieces.setdefault(p, page.number(flat[p], role)).width + 2 for p in chosen)
        if used + note_width <= room:
            break
        limit -= 1
    chosen = select(count, limit)
    parts: list[Line] = []
    for position in with_gaps(chosen, count):
        if position is None:
            left_out = format_count(count - len(chosen))
            parts.append((page.piece(f"⋯ {left_out} more ⋯", "faint"),))
        else:
            parts.append((pieces.get(position) or page.number(flat[position], role),))
    return joined(parts, 2)


def matrix_lines(matrix: Array, page: Page, role: Role, room: int) -> list[Line]:
    """The rows of a matrix under each other, columns aligned."""
    row_count, column_count = matrix.shape
    if matrix.size == 0:
        return [(page.piece(f"(empty, {format_shape(matrix.shape)})", "faint"),)]
    rows = select(row_count, _MOST_ROWS)
    limit = min(max(1, room // 3), UNLIMITED_COLUMNS)
    cells: dict[tuple[int, int], Piece] = {}
    while True:
        columns = with_gaps(select(column_count, limit), column_count)
        widths = []
        for column in columns:
            if column is None:
                widths.append(page.piece("⋯").width)
                continue
            for row in rows:
                if (row, column) not in cells:
                    cells[row, column] = page.number(matrix[row, column], role)
            widths.append(max(cells[row, column].width for row in rows))
        if limit == 1 or sum(widths) + 2 * (len(widths) - 1) <= room:
            break
        limit -= 1
    lines: list[Line] = []
    gap = page.piece("⋯", "faint")
    for row_or_gap in with_gaps(rows, row_count):
        parts = [
            padded(
                gap if None in (row_or_gap, column) else _cell(cells, row_or_gap, column),
                width,
                True,
            )
            for column, width in zip(columns, widths, strict=True)
        ]
        lines.append(joined(parts, 2))
    shown_columns = sum(column is not None for column in columns)
    note = left_out(row_count - len(rows), column_count - shown_columns)
    if note:
        lines.append((page.piece(note, "faint"),))
    return lines


def _cell(cells: dict[tuple[int, int], Piece], row: int | None, column: int | None) -> Piece:
    assert row is not None and column is not None
    return cells[row, column]


def left_out(rows: int, columns: int) -> str:
    """`⋯ 991 more rows, 3 more columns`, or "" when nothing was left out."""
    parts = [
        f"{format_count(count)} more {word}{'s' if count != 1 else ''}"
        for count, word in ((rows, "row"), (columns, "column"))
        if count
    ]
    return f"⋯ {', '.join(parts)}" if parts else ""


@record
class Block:
    """A picture with its label on the left; blocks flow side by side."""

    label: tuple[Line, ...]
    picture: tuple[Line, ...]
    label_width: int = 0

    @property
    def widths(self) -> tuple[int, int]:
        """Cells of the label column and of the picture column."""
        label = max([line_width(line) for line in self.label], default=0)
        picture = max([line_width(line) for line in self.picture], default=0)
        return max(label, self.label_width), picture

    def lines(self) -> list[Line]:
        """Label and picture side by side."""
        label_width, picture_width = self.widths
        result = []
        for position in range(max(len(self.label), len(self.picture))):
            label = self.label[position] if position < len(self.label) else ()
            picture = self.picture[position] if position < len(self.picture) else ()
            result.append(
                (
                    *padded_line(label, label_width),
                    spaces(2),
                    *padded_line(picture, picture_width),
                )
            )
        return result


def blocks(
    name: str,
    array: Array,
    page: Page,
    role: Role,
    *,
    notes: tuple[str, ...] = (),
    suffix: str = "",
) -> list[Block]:
    """The array as blocks: one, or one for each slice shown of a tensor of rank 3 and more.

    `suffix` follows the name (".grad"); the notes stand under the first label.
    """
    if is_row(array) or array.ndim <= 2:
        labels = (
            page.piece(name + suffix, "strong"),
            *(page.piece(note, "faint") for note in notes),
        )
        width = max(label.width for label in labels)
        room = max(12, page.room - width - 4)
        draw = row_lines if is_row(array) else matrix_lines
        return [Block(tuple((label,) for label in labels), tuple(draw(array, page, role, room)))]
    leading = array.shape[:-2]
    count = int(np.prod(leading, dtype=np.int64))
    if array.size == 0:
        text = f"(empty, {format_shape(array.shape)})"
        return [Block(((page.piece(name + suffix, "strong"),),), ((page.piece(text, "faint"),),))]
    shown = select(count, _MOST_SLICES)
    result: list[Block] = []
    for position in with_gaps(shown, count):
        if position is None:
            more = format_count(count - len(shown))
            note = f"⋯ {more} more slices of {name} ({format_shape(array.shape)})"
            result.append(Block(((page.piece(note, "faint"),),), ()))
            continue
        index = tuple(int(i) for i in np.unravel_index(position, leading))
        label = f"{name}{suffix}[{','.join(map(str, index))},:,:]"
        first = position == 0
        result += blocks(label, array[index], page, role, notes=notes if first else ())
    return result


def flow(parts: list[Block], page: Page, indent: int = 2, gap: int = 4) -> list[Line]:
    """Blocks side by side as long as they fit, then on a further row of blocks."""
    lines: list[Line] = []
    current: list[Block] = []
    used = indent
    for block in parts:
        width = sum(block.widths) + 2
        if current and used + gap + width > page.room:
            lines += _beside(current, indent, gap)
            current, used = [], indent
        used += width + (gap if current else 0)
        current.append(block)
    return lines + (_beside(current, indent, gap) if current else [])


def _beside(parts: list[Block], indent: int, gap: int) -> list[Line]:
    drawn = [part.lines() for part in parts]
    height = max(len(lines) for lines in drawn)
    result = []
    for position in range(height):
        row = [
            lines[position] if position < len(lines) else (spaces(sum(part.widths) + 2),)
            for part, lines in zip(parts, drawn, strict=True)
        ]
        result.append((spaces(indent), *joined(row, gap)))
    return result


def indices(shape: tuple[int, ...], flat: int) -> tuple[int, ...]:
    """The index of a row-major position."""
    return tuple(int(i) for i in np.unravel_index(flat, shape)) if shape else ()


def entry_name(name: str, shape: tuple[int, ...], flat: int) -> str:
    """`x[0,2]` for a row-major position."""
    return format_index(name, indices(shape, flat))
