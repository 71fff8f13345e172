"""Colours, by what a piece of text means. Colour is never the only carrier of a meaning."""

from __future__ import annotations

from typing import Literal

Role = Literal["plain", "value", "slope", "seed", "gradient", "trouble", "good", "strong", "faint"]

_SELECT_GRAPHIC: dict[Role, str] = {
    "value": "36",  # cyan
    "slope": "35",  # magenta
    "seed": "33",  # yellow
    "gradient": "1;32",  # bold green
    "trouble": "1;31",  # bold red
    "good": "32",  # green
    "strong": "1",
    "faint": "2",
}


def paint(text: str, role: Role) -> str:
    """`text` between the ANSI sequences of its role."""
    code = _SELECT_GRAPHIC.get(role)
    return f"\x1b[{code}m{text}\x1b[0m" if code and text.strip() else text
