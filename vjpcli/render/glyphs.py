"""Which characters may be printed: the ASCII form of every glyph, and what to do with the rest.

Everything printed passes through `printable`, the user's own text included, so that neither an
encoding error nor a control sequence smuggled into a name can reach the terminal.
"""

from __future__ import annotations

import re

# Each of them has a plain form that is read the same way; widths may differ, therefore the
# translation happens before anything is measured.
_ASCII_FORMS = {
    "│": "|",
    "─": "-",
    "┼": "+",
    "×": "*",
    "→": "->",
    "←": "<-",
    "↓": "v",
    "↑": "^",
    "▶": ">",
    "✓": "ok:",
    "✗": "!!",
    "Σ": "sum",
    "∂": "d",
    "ᵀ": ".T",
    "∞": "inf",
    "∇": "grad ",
    "⋯": "...",
    "…": "...",
    "≠": "!=",
    "≤": "<=",
    "≥": ">=",
    "≈": "~",
    "∈": "in",
    "−": "-",
    "–": "-",
    "—": "-",
    "√": "sqrt",
    "‖": "||",
    "²": "**2",
    "³": "**3",
    "½": "1/2",
    "±": "+-",
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
    "\u00a0": " ",
}
_ASCII_TABLE = str.maketrans(_ASCII_FORMS)

# `2·t3` and `seed × slope` are products, `2×3` is a shape, and a dot that stands alone is a
# structural zero or a separator.
_PRODUCT_DOT = re.compile(r"(?<=[\w)\]])·(?=[\w(])")
_SHAPE_CROSS = re.compile(r"(?<=\d)×(?=\d)")
_PRODUCT_STAR = re.compile(r"(?<!\*)\*(?!\*)")
_TRANSPOSE = re.compile(r"(?<=[\w)\]])\.T\b")

GLYPHS = "".join(_ASCII_FORMS).replace("\u00a0", "") + "·"


def printable(text: str, ascii_only: bool = False) -> str:
    """`text` with nothing in it that a terminal could trip over.

    Tabs and line ends become spaces; control characters, lone surrogates and invisible marks
    become backslash escapes. With `ascii_only` the glyphs take their ASCII forms and all other
    characters become backslash escapes too.
    """
    if ascii_only and not text.isascii():
        text = _SHAPE_CROSS.sub("x", text)
        text = _PRODUCT_DOT.sub("*", text).replace("·", ".").translate(_ASCII_TABLE)
        text = text.encode("ascii", "backslashreplace").decode("ascii")
    if text.isprintable():
        return text
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    if character in "\t\n\r\v\f" or character.isspace():
        return " "
    return (
        character.encode("ascii", "backslashreplace")
        .decode("ascii")
        .replace(character, f"\\x{ord(character):02x}")
    )


def pretty_formula(text: str, ascii_only: bool = False) -> str:
    """A formula as the screen writes it: `4*b` as `4·b`, `W.T @ seed` as `Wᵀ @ seed`."""
    if ascii_only:
        return text
    return _TRANSPOSE.sub("ᵀ", _PRODUCT_STAR.sub("·", text))
