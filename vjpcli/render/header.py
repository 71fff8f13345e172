"""The head of the screen: the program, and the facts that name what is shown."""

from __future__ import annotations

import numpy as np

from vjpcli.explanation.model import Array, Explanation, Seed
from vjpcli.render.numbers import format_count, format_number, format_shape
from vjpcli.render.page import Line, Page, line_width, spaces
from vjpcli.render.selection import select, with_gaps
from vjpcli.render.source_text import aired, folded, has_target, statements

_MOST_STATEMENTS = 16
_MOST_LINES_OF_A_STATEMENT = 6
# On a very wide terminal the facts would stand too far from the program to be seen with it.
_FACTS_END_BY = 130


def header_lines(explanation: Explanation, page: Page, table_facts: str = "") -> list[Line]:
    """One line a statement, the facts at the right of the first where they fit."""
    program = _program_lines(explanation, page)
    facts = page.separator.join([*_facts(explanation), *([table_facts] if table_facts else [])])
    right = page.piece(facts, "faint")
    free = min(page.room, _FACTS_END_BY) - line_width(program[0]) - right.width
    if page.width is None:
        return [(*program[0], spaces(4), right), *program[1:]]
    if free >= 3:
        return [(*program[0], spaces(free), right), *program[1:]]
    return [*program, *page.paragraph(facts, "faint", indent=2)]


def _program_lines(explanation: Explanation, page: Page) -> list[Line]:
    found = statements(explanation.expression) or [explanation.expression]
    shown = select(len(found), _MOST_STATEMENTS)
    width = min(page.room, 400) - 3
    lines: list[Line] = []
    for position in with_gaps(shown, len(found)):
        if position is None:
            left_out = format_count(len(found) - len(shown))
            lines.append(page.line(f"⋯ {left_out} more statements", "faint", indent=1))
            continue
        text = found[position] if len(found[position]) > 10_000 else aired(found[position])
        unnamed = explanation.output.name not in explanation.statement_names
        if position == len(found) - 1 and unnamed and not has_target(text):
            text = f"{explanation.output.name} = {text}"
        parts = folded(text, width - 2, _MOST_LINES_OF_A_STATEMENT)
        for number, part in enumerate(parts):
            lines.append(page.line(part, "strong", indent=1 if number == 0 else 3))
    return lines


def _facts(explanation: Explanation) -> list[str]:
    facts = [explanation.dtype]
    data = [name for name, value in explanation.inputs.items() if not value.is_leaf]
    leaves = [name for name, value in explanation.inputs.items() if value.is_leaf]
    if data:
        facts += [f"leaves {_some(leaves)}" if leaves else "no leaves", f"data {_some(data)}"]
    matrices = [v for v in explanation.inputs.values() if sum(n != 1 for n in v.value.shape) > 1]
    if matrices and len(explanation.inputs) <= 4:
        facts += [f"{v.name} {format_shape(v.value.shape)}" for v in explanation.inputs.values()]
    if len(explanation.passes) > 1:
        facts.append(f"{len(explanation.passes)} seeds, accumulated")
    elif explanation.passes:
        facts += [_seed_fact(seed, len(explanation.outputs)) for seed in explanation.passes[0]]
    return facts


def _some(names: list[str]) -> str:
    if len(names) <= 6:
        return ", ".join(names)
    return f"{', '.join(names[:5])} and {len(names) - 5} more"


def _seed_fact(seed: Seed, output_count: int) -> str:
    of = f" of {seed.output}" if output_count > 1 else ""
    if seed.value is None:
        return f"seed{of} each"
    if seed.origin == "implicit" or not seed.value.shape:
        return f"seed{of} {format_number(seed.value.reshape(-1)[0])}"
    shape = format_shape(seed.value.shape)
    words = {
        "ones": f"ones {shape}",
        "row": f"{shape}, one-hot",
        "loss": f"{shape}, from the loss",
        "file": f"{shape}, from {seed.text}",
        "example": f"ones {shape}, an example",
        "given": _looks(seed.value, shape),
    }
    return f"seed{of} {words.get(seed.origin, shape)}"


def _looks(value: Array, shape: str) -> str:
    """What a seed that was typed in full turns out to be."""
    if value.size > 1 and bool(np.all(value == 1)):
        return f"ones {shape}"
    if value.size > 1 and np.count_nonzero(value) == 1 and float(value.sum()) == 1:
        return f"{shape}, one-hot"
    return shape
