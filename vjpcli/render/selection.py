"""Which rows and columns to show when there are more than fit: head, tail, and the marked ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def select(count: int, room: int, wanted: Iterable[int] = ()) -> list[int]:
    """At most `room` (at least one) of `range(count)`, in order.

    Without `wanted`, two thirds from the head and one third from the tail. The `wanted` ones
    come first, each with what room is left shared between head and tail.
    """
    room = max(1, room)
    if count <= room:
        return list(range(count))
    chosen = set(list(dict.fromkeys(w for w in wanted if 0 <= w < count))[:room])
    tail = (room - len(chosen)) // 3
    for position in range(count - tail, count):
        chosen.add(position)
    for position in range(count):
        if len(chosen) >= room:
            break
        chosen.add(position)
    return sorted(chosen)


def with_gaps(chosen: Sequence[int], count: int) -> list[int | None]:
    """The chosen positions with None wherever others were left out between, before or after."""
    result: list[int | None] = []
    expected = 0
    for position in chosen:
        if position != expected:
            result.append(None)
        result.append(position)
        expected = position + 1
    if expected != count:
        result.append(None)
    return result
