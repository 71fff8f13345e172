"""Bare numbers in full precision, for `read`, `cut`, `awk` and `numpy.loadtxt`."""

from __future__ import annotations

from collections.abc import Mapping

from vjpcli.explanation.model import Array, Explanation
from vjpcli.render.glyphs import printable
from vjpcli.render.numbers import shortest_numbers


def render_gradients(explanation: Explanation) -> str:
    """One leaf a line, in leaf order, row-major: `0.3 3.0 0.0003`.

    With `--seed each` one line for each output entry, a comment line before each leaf as in
    `render_jacobian`. Without a final line end.
    """
    seeds = [seed for one_pass in explanation.passes for seed in one_pass]
    if any(seed.value is None for seed in seeds):
        lines: list[str] = []
        for name, gradient in explanation.gradients.items():
            rows = int(explanation.output.value.size)
            lines += _commented(name, gradient, rows)
        return "\n".join(lines)
    return "\n".join(" ".join(shortest_numbers(g)) for g in explanation.gradients.values())


def render_jacobian(explanation: Explanation) -> str:
    """For each leaf a comment line `# a 3x3`, then one output entry a line.

    Where several outputs took seeds the comment names the output first: `# y a 3x3`. A
    Jacobian too large to keep leaves only a comment that says so. Without a final line end.
    """
    lines: list[str] = []
    several = len(explanation.outputs) > 1
    for output in explanation.outputs:
        for name, table in explanation.jacobian[output.name].items():
            label = f"{output.name} {name}" if several else name
            if table is None:
                lines.append(f"# {printable(label)} is larger than --max-jacobian entries")
            else:
                lines += _commented(label, table, int(output.value.size))
    return "\n".join(lines)


def _commented(label: str, table: Array, rows: int) -> list[str]:
    columns = table.size // rows if rows else 0
    matrix = table.reshape(rows, columns)
    return [
        f"# {printable(label)} {rows}x{columns}",
        *(" ".join(shortest_numbers(r)) for r in matrix),
    ]


def render_numbers(array: Array) -> str:
    """One array row-major on one line. Without a final line end."""
    return " ".join(shortest_numbers(array))


def render_blocks(blocks: Mapping[str, Array], rows: Mapping[str, int]) -> str:
    """Named matrices below each other, a comment line `# x,w 2x3` before each.

    `rows` says how many lines each block has. Without a final line end.
    """
    lines: list[str] = []
    for name, block in blocks.items():
        lines += _commented(name, block, rows[name])
    return "\n".join(lines)
