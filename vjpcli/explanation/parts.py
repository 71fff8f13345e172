"""Which part of a joined output an entry belongs to: `[loss1, loss2]`, `concatenate([h, m])`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vjpcli.graph.node import Node
from vjpcli.graph.operation import leaf

JOINING = {"stack", "concatenate"}

MOST_ENTRIES = 64
"""Entries of an output up to which each is named by its part."""

LONGEST_NAME = 16


def part_names(output: Node, names: Mapping[Node, str], text: str) -> tuple[str, ...]:
    """For each entry of `output`, in row-major order, the part that it came from; else ().

    `names` are those that the program gave, `text` is the program.
    """
    if output.operation.name not in JOINING or not 0 < output.size <= MOST_ENTRIES:
        return ()
    axis = int(output.static["axis"])
    operands = output.operands
    lengths = [1 if output.operation.name == "stack" else one.shape[axis] for one in operands]
    which = np.repeat(np.arange(len(operands)), lengths)
    shape = [1] * output.ndim
    shape[axis] = output.shape[axis]
    spread = np.broadcast_to(which.reshape(shape), output.shape)
    parts = [_name(one, output, names, text) for one in operands]
    if not any(parts) or any(len(part) > LONGEST_NAME for part in parts):
        return ()
    return tuple(parts[int(number)] for number in spread.ravel())


def _name(node: Node, output: Node, names: Mapping[Node, str], text: str) -> str:
    """The name of a part, or its own text; "" where the joining itself made it."""
    # A scalar is given an axis before it is joined.
    while node not in names and node.span == output.span and len(node.operands) == 1:
        node = node.operands[0]
    if node in names:
        return names[node]
    if node.operation is leaf:
        return str(node.static["name"])
    if node.span is None or node.span == output.span:
        return ""
    return " ".join(text[node.span.start : node.span.end].split())
