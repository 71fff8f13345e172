"""Shapes: how those of several operands combine, how large they may be, how they are written."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from vjpcli.errors import VjpError, fail
from vjpcli.graph.node import Node, Shape

LARGEST_ARRAY = 2 * 10**8
"""Entries (1.6 GB of float64) above which an array is refused rather than computed."""
MOST_AXES = 32
"""Axes above which an array is refused; NumPy's 64 must also hold the axes of batched seeds."""


def broadcast_shapes(operation: str, *operands: Node) -> Shape:
    """The common shape of `operands` by NumPy's broadcasting.

    Errors: shape-mismatch, naming the shapes.
    """
    shapes = [operand.shape for operand in operands]
    first = shapes[0]
    if all(shape == first for shape in shapes):
        return first
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise shape_mismatch(operation, *shapes) from None


def shape_mismatch(operation: str, *shapes: Shape, why: str = "") -> VjpError:
    """The shape-mismatch error of `operation` on operands of these shapes."""
    listed = " and ".join(shape_text(shape) for shape in shapes)
    notes = (
        (why,)
        if why
        else ("two axes fit when they are equal or one of them is 1, compared from the last axis",)
    )
    return fail("shape-mismatch", f"{operation} cannot combine shapes {listed}", notes=notes)


def refuse_oversized(shape: Sequence[int]) -> None:
    """Refuses an array that would not fit, before anything is allocated.

    Errors: too-large, too-many-axes.
    """
    entries = math.prod(int(length) for length in shape)
    if entries > LARGEST_ARRAY:
        raise fail(
            "too-large",
            f"an array of shape {shape_text(tuple(shape))} would have "
            f"{_count_text(entries)} entries",
            notes=(f"the limit is {LARGEST_ARRAY:,} entries",),
        )
    if len(shape) > MOST_AXES:
        raise fail("too-many-axes", f"{len(shape)} axes; the limit is {MOST_AXES}")


def shape_text(shape: Shape) -> str:
    """A shape as Python writes it: (), (3,), (2, 3)."""
    lengths = [int(length) for length in shape]
    if all(length < 10**18 for length in lengths):
        return str(tuple(lengths))
    return f"({', '.join(_count_text(length).replace(',', '') for length in lengths)})"


def _count_text(count: int) -> str:
    """A count with its thousands apart; its size alone where nobody would read the digits."""
    return f"{count:,}" if count < 10**18 else f"about 10^{math.log10(count):.0f}"
