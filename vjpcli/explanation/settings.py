"""How a question is to be understood."""

from __future__ import annotations

from vjpcli.graph.operation import Library
from vjpcli.record import record


@record
class Settings:
    """How the question is to be understood.

    Attributes:
        dtype: "float64" or "float32".
        wrt: names of the leaves; None for every input.
        strict: a missing value is an error, not a stand-in.
        needs_seed: several entries without a seed are an error, not an example.
        random_seed: of the generator behind randn and rand.
        like: engine whose conventions hold at kinks.
        library: gives bare names their meaning where libraries differ.
    """

    dtype: str = "float64"
    wrt: tuple[str, ...] | None = None
    strict: bool = False
    needs_seed: bool = False
    random_seed: int = 0
    like: str = "torch"
    library: Library = "torch"
