"""`x.at[i].set(v)`: JAX's way to change some entries, which gives a new array."""

from __future__ import annotations

from typing import Any

from vjpcli.graph.node import Node
from vjpcli.record import record

METHODS = {
    "set": "set",
    "add": "add",
    "subtract": "subtract",
    "sub": "subtract",
    "multiply": "multiply",
    "mul": "multiply",
    "divide": "divide",
    "div": "divide",
    "power": "power",
    "min": "min",
    "max": "max",
}
"""Method -> what `update_at` calls it."""


@record(eq=False)
class At:
    """`x.at`, about to be indexed."""

    node: Node


@record(eq=False)
class Place:
    """`x.at[i]`, about to be written to."""

    node: Node
    index: tuple[Any, ...]


@record(eq=False)
class Update:
    """`x.at[i].set`, about to be called.

    Attributes:
        how: one of `METHODS`; "get" reads.
    """

    place: Place
    how: str
