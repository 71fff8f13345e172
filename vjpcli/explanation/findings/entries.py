"""Which entry of which node read which entry: following a single number through a graph.

Entry-wise operations, reductions and rearrangements are followed exactly, however large they are.
Where an operation mixes entries in its own way (a matrix product, a softmax), its pattern tells
which entries it reads, up to a size; beyond, any entry stands for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.backward import Contribution
from vjpcli.explanation.evidence import Evidence
from vjpcli.graph.node import Node

Array = NDArray[Any]
Mask = NDArray[np.bool_]
Entry = tuple[int, ...]


def not_finite(array: Array) -> Mask:
    """Where numbers are nan or infinite; conditions and indices never are."""
    return ~np.isfinite(array) if array.dtype.kind == "f" else np.zeros(array.shape, np.bool_)


def first_entry(mask: Mask) -> Entry | None:
    """The first True of a mask in the order of memory, or None."""
    position = int(np.argmax(mask)) if mask.size else 0
    if not mask.size or not mask.reshape(-1)[position]:
        return None
    return tuple(int(i) for i in np.unravel_index(position, mask.shape))


def projected(entry: Entry, shape: tuple[int, ...]) -> Entry:
    """The entry of an operand of `shape` that `entry` of a broadcast result reads."""
    own = entry[len(entry) - len(shape) :]
    return tuple(0 if length == 1 else i for i, length in zip(own, shape, strict=True))


def is_entrywise(node: Node) -> bool:
    """Whether entry i of the result reads entry i of each operand, up to broadcasting."""
    return node.operation.pattern == "elementwise"


def first_read(
    reader: Node, entry: Entry, operand: Node, position: int, wanted: Mask, evidence: Evidence
) -> Entry | None:
    """The first entry of `operand` that `entry` of `reader` reads and where `wanted` holds."""
    if is_entrywise(reader):
        own = projected(entry, operand.shape)
        return own if wanted[own] else None
    axes = _reduced_axes(reader, operand)
    if axes is not None:
        key = _with_axes(entry, axes, reader, operand)
        return _first_at(wanted, key)
    origin = _origins(reader, evidence)
    if origin is not None:
        owner, where = divmod(int(origin[entry]) - 1, _stride(reader))
        if owner != position:
            return None
        own = tuple(int(i) for i in np.unravel_index(where, operand.shape))
        return own if wanted[own] else None
    reads = read_by(reader, position, entry, evidence)
    return first_entry(wanted if reads is None else wanted & reads)


def first_reader(one: Contribution, entry: Entry, wanted: Mask, evidence: Evidence) -> Entry | None:
    """The first entry of the reader that reads `entry` of the operand and where `wanted` holds."""
    reader, operand = one.reader, one.operand
    if is_entrywise(reader):
        return _first_at(wanted, _copies(entry, operand.shape, reader.shape))
    axes = _reduced_axes(reader, operand)
    if axes is not None:
        own = _without_axes(entry, axes, reader, operand)
        return own if wanted[own] else None
    origin = _origins(reader, evidence)
    if origin is not None:
        place = one.position * _stride(reader) + 1
        place += int(np.ravel_multi_index(entry, operand.shape))
        return first_entry((origin == place) & wanted)
    return first_entry(wanted & readers(one, entry, evidence))


def readers(one: Contribution, entry: Entry, evidence: Evidence) -> Mask:
    """Which entries of a reader that mixes entries may read `entry` of the operand."""
    if _is_plain_product(one.reader):
        mask = np.zeros(one.reader.shape, np.bool_)
        mask[_read_with(entry, one.position, one.reader)] = True
        return mask
    reads = evidence.reads(one.reader, one.position)
    if reads is None:
        return np.broadcast_to(np.True_, one.reader.shape)
    flat = reads.reshape(*one.reader.shape, -1)
    place = int(np.ravel_multi_index(entry, one.operand.shape)) if entry else 0
    return np.asarray(flat[..., place])


def read_by(reader: Node, position: int, at: Entry, evidence: Evidence) -> Mask | None:
    """Which entries of an operand `reader[at]` may read; None where that is too much to ask."""
    operand = reader.operands[position]
    if _is_plain_product(reader):
        mask = np.zeros(operand.shape, np.bool_)
        row, column = _row_and_column(at, reader)
        mask[() if operand.ndim == 1 else (row,) if position == 0 else (slice(None), column)] = True
        return mask
    reads = evidence.reads(reader, position)
    return None if reads is None else reads[at]


# A matrix product is known without any pattern, so that it is followed at any size.


def _is_plain_product(reader: Node) -> bool:
    return reader.operation.name == "matmul" and all(one.ndim <= 2 for one in reader.operands)


def _row_and_column(at: Entry, reader: Node) -> tuple[int, int]:
    """The row of the first operand and the column of the second that an entry reads."""
    first, _ = reader.operands
    rest = at[1:] if first.ndim == 2 else at
    return (at[0] if first.ndim == 2 else 0), (rest[0] if rest else 0)


def _read_with(entry: Entry, position: int, reader: Node) -> tuple[Any, ...]:
    """An index of the entries that read `entry` of an operand."""
    first, second = reader.operands
    row: tuple[Any, ...] = (slice(None),) if first.ndim == 2 else ()
    column: tuple[Any, ...] = (slice(None),) if second.ndim == 2 else ()
    if position == 0 and first.ndim == 2:
        row = (entry[0],)
    if position == 1 and second.ndim == 2:
        column = (entry[1],)
    return row + column


def _copies(entry: Entry, shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[Any, ...]:
    """An index of everything in an array of shape `target` that reads `entry`."""
    missing = len(target) - len(shape)
    key: list[Any] = [slice(None)] * missing
    for axis, (i, length) in enumerate(zip(entry, shape, strict=True)):
        stretched = length == 1 and target[missing + axis] != 1
        key.append(slice(None) if stretched else i)
    return tuple(key)


def _first_at(wanted: Mask, key: tuple[Any, ...]) -> Entry | None:
    """The first True among the entries that `key` (integers and full slices) selects."""
    within = first_entry(np.asarray(wanted[key]))
    if within is None:
        return None
    free = iter(within)
    return tuple(next(free) if isinstance(part, slice) else part for part in key)


def _reduced_axes(reader: Node, operand: Node) -> tuple[int, ...] | None:
    """The axes that a reduction took away, counted from the end; None for other operations."""
    axis = reader.static.get("axis")
    if reader.operation.pattern != "reduction" or reader.operands[0] is not operand:
        return None
    if axis is None:
        return tuple(range(-operand.ndim, 0))
    axes = axis if isinstance(axis, tuple) else (axis,)
    kept = operand.ndim - (0 if reader.static.get("keepdims") else len(axes))
    return axes if kept == reader.ndim else None


def _without_axes(entry: Entry, axes: tuple[int, ...], reader: Node, operand: Node) -> Entry:
    gone = {axis % operand.ndim for axis in axes}
    if reader.static.get("keepdims"):
        return tuple(0 if axis in gone else i for axis, i in enumerate(entry))
    return tuple(i for axis, i in enumerate(entry) if axis not in gone)


def _with_axes(entry: Entry, axes: tuple[int, ...], reader: Node, operand: Node) -> tuple[Any, ...]:
    gone = {axis % operand.ndim for axis in axes}
    if reader.static.get("keepdims"):
        return tuple(slice(None) if axis in gone else i for axis, i in enumerate(entry))
    left = iter(entry)
    return tuple(slice(None) if axis in gone else next(left) for axis in range(operand.ndim))


def _stride(reader: Node) -> int:
    return max(operand.size for operand in reader.operands) + 1


def _origins(reader: Node, evidence: Evidence) -> Array | None:
    """For an operation that only moves entries: where each entry of its result came from.

    The operation itself is run on the numbers of the positions (from 1, for it may fill in
    zeros), so that no operation has to be known here.
    """
    forward: Callable[..., Any] | None = reader.operation.forward
    moves = reader.operation.pattern == "movement" or reader.operation.name == "index"
    if not moves or forward is None:
        return None
    stride = _stride(reader)
    numbered = [
        np.arange(operand.size, dtype=np.float64).reshape(operand.shape) + position * stride + 1
        if operand.kind == "real"
        else evidence.values[operand]
        for position, operand in enumerate(reader.operands)
    ]
    origins = np.asarray(forward(*numbered, **reader.static))
    if origins.shape != reader.shape or not np.isfinite(origins).all():
        return None
    return origins
