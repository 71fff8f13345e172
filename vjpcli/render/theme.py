"""Colours, by what a piece of text means. Colour is never the only carrier of a meaning."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO
from typing import Literal

Role = Literal["plain", "value", "slope", "seed", "gradient", "trouble", "good", "strong", "faint"]

STYLES: dict[str, str] = {
    "plain": "none",
    "value": "cyan",
    "slope": "magenta",
    "seed": "yellow",
    "gradient": "bold green",
    "trouble": "bold red",
    "good": "green",
    "strong": "bold",
    "faint": "dim",
}
"""A style, as rich writes it, for every Role."""


def painted(lines: Iterable[Iterable[tuple[str, Role]]]) -> str:
    """The lines of pieces as text with the ANSI sequences of their roles, no final line end.

    The lines are laid out already, so rich only paints: it neither wraps, folds nor crops.
    """
    from rich.console import Console  # noqa: PLC0415 - only where colour is wanted
    from rich.text import Text  # noqa: PLC0415
    from rich.theme import Theme  # noqa: PLC0415

    # Everything that rich would ask the machine about is said here, so that the same
    # Explanation gives the same text everywhere; the streams decide whether there is colour.
    out = StringIO()
    console = Console(
        file=out,
        theme=Theme(STYLES, inherit=False),
        force_terminal=True,
        color_system="standard",
        no_color=False,
        legacy_windows=False,
        soft_wrap=True,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},
    )
    for line in lines:
        console.print(Text.assemble(*line))
    return out.getvalue().removesuffix("\n")
