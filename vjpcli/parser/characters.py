"""Signs that mathematics and word processors write and Python does not: `×`, `x²`, `√x`, `“`.

Each of them gets the spelling that the language has for it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from vjpcli.errors import Span, VjpError
from vjpcli.parser.reading import Edit, Reading, shortened
from vjpcli.parser.tokens import Token, tokens

_OPERATORS = {
    **dict.fromkeys("×⋅·\u0387∙•∗⊙∘✕✖", "*"),
    **dict.fromkeys("÷∕⁄", "/"),
    **dict.fromkeys("−–—‐‑‒﹣", "-"),
    **{"≤": "<=", "≥": ">=", "⩽": "<=", "⩾": ">=", "≠": "!=", "←": "=", "≔": "=", "…": "...",
       "∧": " and ", "∨": " or ", "¬": "~", "∞": "inf", "⊤": ".T"},
}  # fmt: skip
_QUOTES = {**dict.fromkeys("‘’‚‛′ʹ´", "'"), **dict.fromkeys("“”„‟″«»", '"')}
_WORDS = {
    "∂": "a derivative needs no sign: it is what vjp computes of the expression",
    "∇": "a gradient needs no sign: it is what vjp computes of the expression",
    "∑": "a sum is written sum(x), or sum(f(x[i]) for i in range(3))",
    "Σ": "a sum is written sum(x), or sum(f(x[i]) for i in range(3))",
    "∏": "a product is written prod(x)",
    "∫": "an integral along points is written trapezoid(y, x)",
}
_ROOTS = {"√": "sqrt", "∛": "cbrt"}


def check_encodable(reading: Reading) -> None:
    """Refuse what is not text at all.

    Errors: invisible-character, not-unicode
    """
    text = reading.source.text
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise reading.error(
            "not-unicode",
            f"the text holds U+{ord(text[error.start]):04X}, which is no character",
            Span(error.start, error.start + 1),
            notes=("the text was probably not written in UTF-8",),
        ) from None
    match = re.search(r"[\x00-\x08\x0e-\x1b\x7f]", text)
    if match:
        raise _invisible(reading, match.start())


def check_characters(reading: Reading) -> None:
    """Refuse the first sign outside comments and strings that is not the language's own.

    Errors: degree-sign, invisible-character, norm-bars, root-sign, subscript, superscript,
        typographic-quote, unexpected-character, unicode-operator
    """
    if reading.text.isascii():
        return
    found = tokens(reading.text)
    for index, token in enumerate(found):
        if token.kind == "other" and not token.text.isascii():
            raise _refusal(reading, found, index)


def _refusal(reading: Reading, found: list[Token], index: int) -> VjpError:
    character = found[index].text
    kind = _ascii_kind(character)
    if kind is not None:
        return kind(reading, found, index)
    if unicodedata.category(character) in {"Cf", "Cc"}:
        return _invisible(reading, found[index].start)
    return reading.error(
        "unexpected-character",
        f"`{character}` means nothing in an expression",
        found[index].span,
        notes=(
            _WORDS.get(character) or unicodedata.name(character, f"U+{ord(character):04X}").lower(),
        ),
    )


def _ascii_kind(character: str) -> Callable[[Reading, list[Token], int], VjpError] | None:
    """Which refusal knows the ASCII spelling of a sign, if it has one."""
    kind = None
    if character in _QUOTES:
        kind = _typographic_quote
    elif character in _ROOTS:
        kind = _root_sign
    elif character == "‖":
        kind = _norm_bars
    elif character == "°":
        kind = _degree_sign
    elif unicodedata.decomposition(character).startswith("<super>"):
        kind = _superscript
    elif unicodedata.decomposition(character).startswith("<sub>"):
        kind = _subscript
    elif _ascii_spelling(character):
        kind = _unicode_operator
    return kind


def _invisible(reading: Reading, start: int) -> VjpError:
    text = reading.source.text
    invisible = (
        at for at, character in enumerate(text)
        if unicodedata.category(character) in {"Cf", "Cc"} and not character.isspace()
    )  # fmt: skip
    return reading.error(
        "invisible-character",
        f"the invisible character U+{ord(text[start]):04X} stands in the text",
        Span(start, start + 1),
        edits=[(Span(at, at + 1), "") for at in invisible],
    )


def _ascii_spelling(character: str) -> str | None:
    """What to write for a sign that has one fixed spelling."""
    if character in _OPERATORS:
        return _OPERATORS[character]
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    plain = unicodedata.normalize("NFKC", character)
    fraction = re.fullmatch("([0-9]+)⁄([0-9]+)", plain)
    if fraction:
        return f"({fraction[1]}/{fraction[2]})"
    return plain if plain.isascii() and plain.isprintable() and plain != character else None


def _unicode_operator(reading: Reading, found: list[Token], index: int) -> VjpError:
    token = found[index]
    spelling = (_ascii_spelling(token.text) or "").strip()
    edits: list[Edit] = []
    for place, other in enumerate(found):
        if other.kind != "other" or _is_raised_or_lowered(other.text):
            continue
        plain = _ascii_spelling(other.text)
        mixed_number = place > 0 and found[place - 1].kind == "number" and "/" in (plain or "")
        if plain and not (mixed_number and len(plain) > 1):
            edits.append((other.span, plain))
    return reading.error(
        "unicode-operator",
        f"`{token.text}` is written `{spelling}` in an expression",
        token.span,
        edits=edits,
    )


def _is_raised_or_lowered(character: str) -> bool:
    return unicodedata.decomposition(character).startswith(("<super>", "<sub>"))


def _typographic_quote(reading: Reading, found: list[Token], index: int) -> VjpError:
    token = found[index]
    return reading.error(
        "typographic-quote",
        f"`{token.text}` is a typographic quote: strings are written with `{_QUOTES[token.text]}`",
        token.span,
        edits=[
            (other.span, _QUOTES[other.text])
            for other in found
            if other.kind == "other" and other.text in _QUOTES
        ],
    )


def _superscript(reading: Reading, found: list[Token], index: int) -> VjpError:
    last = index
    while (
        last + 1 < len(found)
        and found[last + 1].start == found[last].end
        and unicodedata.decomposition(found[last + 1].text[:1]).startswith("<super>")
    ):
        last += 1
    span = Span(found[index].start, found[last].end)
    raised = reading.text[span.start : span.end]
    exponent = unicodedata.normalize("NFKC", raised).replace("−", "-")
    if index == 0 or not found[index - 1].ends_a_value:
        return reading.error(
            "superscript",
            f"`{shortened(raised)}` stands above nothing: a power is written `x**2`",
            span,
        )
    if raised == "ᵀ":
        return reading.error(
            "superscript", "a transpose is written `.T`", span, edits=[(span, ".T")]
        )
    if not re.fullmatch(r"-?\w+", exponent):
        exponent = f"({exponent})"
    power = f"**{exponent}"
    argument_end = _bracket_end(found, last + 1)
    name = found[index - 1]
    if name.kind == "name" and len(name.text) > 1 and argument_end is not None:
        # sin²(x) is the square of sin(x).
        edits = [(span, ""), (Span(argument_end, argument_end), power)]
    else:
        edits = [(span, power)]
    return reading.error(
        "superscript",
        f"the power `{shortened(raised)}` is written `{shortened(power)}`",
        span,
        edits=edits,
    )


def _subscript(reading: Reading, found: list[Token], index: int) -> VjpError:
    lowered = [other for other in found if other.kind == "other"]
    return reading.error(
        "subscript",
        f"`{found[index].text}` cannot be part of a name: write the digit on the line",
        found[index].span,
        edits=[
            (other.span, unicodedata.normalize("NFKC", other.text).replace("−", "-"))
            for other in lowered
            if unicodedata.decomposition(other.text).startswith("<sub>")
        ],
    )


def _root_sign(reading: Reading, found: list[Token], index: int) -> VjpError:
    token = found[index]
    function = _ROOTS[token.text]
    before = found[index - 1] if index else None
    times = "*" if before and before.ends_a_value else ""
    edits: list[Edit] = []
    end = _bracket_end(found, index + 1)
    following = found[index + 1] if index + 1 < len(found) else None
    if end is not None:
        edits = [(token.span, times + function)]
    elif following and following.kind in {"name", "number"}:
        edits = [(token.span, f"{times}{function}("), (Span(following.end, following.end), ")")]
    return reading.error(
        "root-sign", f"the root `{token.text}x` is written `{function}(x)`", token.span, edits=edits
    )


def _norm_bars(reading: Reading, found: list[Token], index: int) -> VjpError:
    bars = [token.span for token in found[index:] if token.text == "‖"][:2]
    edits = list(zip(bars, ("norm(", ")"), strict=True)) if len(bars) == 2 else []
    return reading.error(
        "norm-bars", "the norm `‖x‖` is written `norm(x)`", found[index].span, edits=edits
    )


def _degree_sign(reading: Reading, found: list[Token], index: int) -> VjpError:
    edits: list[Edit] = []
    if index and found[index - 1].kind in {"number", "name"}:
        start = found[index - 1].start
        edits = [(Span(start, start), "("), (found[index].span, "*pi/180)")]
    return reading.error(
        "degree-sign",
        "angles are in radians: an angle in degrees is multiplied by `pi/180`",
        found[index].span,
        edits=edits,
    )


def _bracket_end(found: list[Token], index: int) -> int | None:
    """Where the round bracket that opens at `index` has closed; None if there is none."""
    if index >= len(found) or found[index].text != "(":
        return None
    depth = 0
    for token in found[index:]:
        depth += (token.kind == "open") - (token.kind == "close")
        if depth == 0:
            return token.end
    return None
