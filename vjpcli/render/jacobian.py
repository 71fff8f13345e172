"""The Jacobian as rows to be shown: labels, seeds, entries, and which zeros are structural.

Cells are made only for the rows and columns that a layout asks for.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vjpcli.explanation.model import Array, Explanation, Output
from vjpcli.record import record
from vjpcli.render.numbers import format_numbers
from vjpcli.render.page import Page, Piece
from vjpcli.render.picture import entry_name, indices


@record
class Leaf:
    """A leaf that takes part in the Jacobian."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of entries, the columns that the leaf takes."""
        return int(np.prod(self.shape, dtype=np.int64))

    def entry(self, column: int) -> str:
        """`x[0,2]`."""
        return entry_name(self.name, self.shape, column)

    def short_entry(self, column: int) -> str:
        """`W02` of a matrix while every index is a single digit, else as `entry`."""
        if len(self.shape) < 2 or max(self.shape) > 10 or self.name[-1].isdigit():
            return self.entry(column)
        return self.name + "".join(map(str, indices(self.shape, column)))


class JacobianRows:
    """All outputs stacked, row by row.

    Attributes:
        count: number of rows.
        leaves: those with a Jacobian at hand that the expression uses.
        omitted: names of leaves whose Jacobian is too large to be kept.
        marked: the row that a one-hot seed picks, or None.
        with_parts: whether `name` adds the part of a joined output that a row belongs to.
    """

    with_parts = True

    def __init__(self, explanation: Explanation) -> None:
        self.explanation = explanation
        sizes = [int(output.value.size) for output in explanation.outputs]
        self._starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        self.count = int(self._starts[-1])
        used = [
            Leaf(name, value.value.shape)
            for name, value in explanation.inputs.items()
            if value.is_leaf and (name not in explanation.leaves or explanation.leaves[name].used)
        ]
        self.omitted = tuple(leaf.name for leaf in used if not self._at_hand(leaf.name))
        self.leaves = tuple(leaf for leaf in used if self._at_hand(leaf.name))
        self.marked = self._one_hot_row()

    def _at_hand(self, name: str) -> bool:
        tables = [self.explanation.jacobian.get(o.name, {}) for o in self.explanation.outputs]
        return all(table.get(name) is not None for table in tables)

    def _one_hot_row(self) -> int | None:
        seed = self.explanation.seed
        if seed is None or seed.value is None or self.count < 2:
            return None
        positions = np.flatnonzero(seed.value)
        return int(positions[0]) if positions.size == 1 else None

    def _place(self, row: int) -> tuple[Output, int]:
        which = int(np.searchsorted(self._starts, row, side="right")) - 1
        return self.explanation.outputs[which], row - int(self._starts[which])

    def label(self, row: int) -> str:
        """`y[0]`."""
        output, flat = self._place(row)
        return entry_name(output.name, output.value.shape, flat)

    def name(self, row: int) -> str:
        """`y[3] mean(x)`: the label, and the part that the entry came from."""
        output, flat = self._place(row)
        part = output.parts[flat] if self.with_parts and output.parts else ""
        return f"{self.label(row)}  {part}" if part else self.label(row)

    def seeds(self, row: int, page: Page) -> list[Piece]:
        """The weight of the row in each pass."""
        output, flat = self._place(row)
        pieces = []
        for one_pass in self.explanation.passes:
            value = next((seed.value for seed in one_pass if seed.output == output.name), None)
            pieces.append(
                page.piece("-", "faint")
                if value is None
                else page.number(value.reshape(-1)[flat], "seed")
            )
        return pieces

    def entries(self, row: int, leaf: Leaf, columns: Sequence[int], page: Page) -> list[Piece]:
        """The entries of one row under `columns` of the leaf; structural zeros as `·`."""
        output, flat = self._place(row)
        table = self.explanation.jacobian[output.name][leaf.name]
        assert table is not None
        values = table.reshape(int(output.value.size), leaf.size)[flat]
        pattern = self._pattern(output, leaf, flat, columns)
        return [
            page.piece("·", "faint")
            if structural and values[column] == 0
            else page.number(values[column], "slope")
            for column, structural in zip(columns, pattern, strict=True)
        ]

    def _pattern(self, output: Output, leaf: Leaf, flat: int, columns: Sequence[int]) -> list[bool]:
        report = self.explanation.leaves.get(leaf.name)
        # reports are for the last output
        if report is None or output is not self.explanation.output:
            return [False] * len(columns)
        if report.structure == "none":
            return [True] * len(columns)
        if report.reads is not None:
            reads = report.reads.reshape(int(output.value.size), leaf.size)[flat]
            return [not reads[column] for column in columns]
        if report.structure == "diagonal" and leaf.shape == output.value.shape:
            return [column != flat for column in columns]
        return [False] * len(columns)

    def texts(self, leaf: Leaf, page: Page) -> list[list[str]]:
        """All rows of all entries at once, for tables of a million entries."""
        mark = page.piece("·").text
        found: list[list[str]] = []
        for output in self.explanation.outputs:
            table = self.explanation.jacobian[output.name][leaf.name]
            assert table is not None
            numbers = format_numbers(table, page.digits)
            for flat in self._structural_zeros(output, leaf, table):
                numbers[flat] = mark
            found += [
                numbers[start : start + leaf.size]
                for start in range(0, output.value.size * leaf.size, leaf.size)
            ]
        return found

    def _structural_zeros(self, output: Output, leaf: Leaf, table: Array) -> list[int]:
        """Their row-major positions."""
        zero = (table == 0).reshape(int(output.value.size), leaf.size)
        report = self.explanation.leaves.get(leaf.name)
        if report is None or output is not self.explanation.output:
            return []
        if report.reads is not None:
            zero &= ~report.reads.reshape(zero.shape)
        elif report.structure == "diagonal" and leaf.shape == output.value.shape:
            np.fill_diagonal(zero, False)
        elif report.structure != "none":
            return []
        return [int(position) for position in np.flatnonzero(zero)]

    def gradient(self, leaf: Leaf, columns: Sequence[int], page: Page) -> list[Piece]:
        """The gradient's entries under `columns`."""
        flat = self.explanation.gradients[leaf.name].reshape(-1)
        return [page.number(flat[column], "gradient") for column in columns]


def is_entrywise(explanation: Explanation) -> bool:
    """Whether every used leaf meets the output entry by entry, with the slopes at hand."""
    output = explanation.output
    if len(explanation.outputs) != 1 or output.value.size < 2 or not explanation.passes:
        return False
    if any(seed.value is None for one_pass in explanation.passes for seed in one_pass):
        return False
    used = [
        (name, value)
        for name, value in explanation.inputs.items()
        if value.is_leaf and name in explanation.leaves and explanation.leaves[name].used
    ]
    return bool(used) and all(
        explanation.leaves[name].structure == "diagonal"
        and value.value.shape == output.value.shape
        and slopes(explanation, name) is not None
        for name, value in used
    )


def slopes(explanation: Explanation, name: str) -> Array | None:
    """The diagonal of the leaf's Jacobian, flat."""
    report = explanation.leaves[name]
    if report.slopes is not None:
        return report.slopes.reshape(-1)
    table = explanation.jacobian.get(explanation.output.name, {}).get(name)
    if table is None:
        return None
    size = explanation.output.value.size
    return table.reshape(size, size).diagonal()
