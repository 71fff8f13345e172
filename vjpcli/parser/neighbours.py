"""Two values side by side with no operator between them: `2x`, `log c`, `[1 2]`, `x'`."""

from __future__ import annotations

import re
from itertools import pairwise

from vjpcli.errors import Span, VjpError
from vjpcli.parser.place import Place
from vjpcli.parser.reading import Edit
from vjpcli.parser.tokens import Token

# Words that mathematics writes without brackets around the argument. What they compute is
# not known here, only that `log c` is not a product.
_FUNCTION_WORDS = frozenset(
    """abs arccos arcsin arctan cos cosh cot csc det diag exp ln lg log log10 log2 max mean min
    norm print prod relu sec sigmoid sign sin sinh softmax sqrt sum tan tanh trace var std
    asin acos atan""".split()
)


def value_after_value(place: Place) -> VjpError:
    """The error at a value that directly follows another one.

    Errors: function-without-brackets, implicit-multiplication, malformed-number,
        missing-comma, missing-operator, prime
    """
    before, token = place.before, place.token
    if before is None:
        return place.error("missing-operator", "an operator is missing")
    glued = before.end == token.start
    if token.kind in {"string", "unclosed"} and token.text[0] == "'" and glued:
        return prime(place, before)
    if before.kind == "number" and glued and (token.kind == "number" or token.text[0] == "_"):
        return malformed_number(place, before)
    if before.kind == "number" and glued and before.text == "0" and _is_prefix(token.text):
        return malformed_number(place, before)
    if (
        before.kind == "name"
        and before.text in _FUNCTION_WORDS
        and token.kind in {"name", "number"}
    ):
        return _function_without_brackets(place, before)
    bracket = place.bracket
    if (
        not glued
        and bracket is not None
        and (bracket.is_list or bracket.is_index or (bracket.is_call and before.kind != "number"))
    ):
        return _missing_comma(place, before)
    if token.kind in {"string", "unclosed"} or before.kind == "string":
        return place.error(
            "missing-operator", f"an operator or comma is missing before `{_short(token)}`"
        )
    if _multiplies(before, token):
        return implicit_multiplication(place, before)
    edits: list[Edit] = []
    if not (before.kind == "number" and token.kind == "number"):
        edits = [(Span(before.end, token.start), " * ")]
    return place.error(
        "missing-operator",
        f"an operator is missing between `{_short(before)}` and `{_short(token)}`",
        Span(before.start, token.end),
        edits=edits,
    )


def implicit_multiplication(place: Place, before: Token) -> VjpError:
    """The refusal of `2x` and `(a)b`, corrected throughout the program."""
    edits: list[Edit] = [
        (Span(left.end, right.start), "*")
        for left, right in pairwise(place.found)
        if _multiplies(left, right)
    ]
    notes: tuple[str, ...] = ()
    divided = place.at(place.index - 2)
    if divided is not None and divided.text == "/" and place.index - 2 > place.first:
        notes = ("if all of it belongs below the fraction bar, put it in brackets",)
    return place.error(
        "implicit-multiplication",
        f"`{_short(before)}` and `{_short(place.token)}` side by side are not a product: write `*`",
        Span(before.start, place.token.end),
        notes=notes,
        edits=edits,
    )


def _multiplies(left: Token, right: Token) -> bool:
    """Whether two neighbours are, on paper, the factors of a product."""
    if left.kind == "number":
        return right.kind == "name" or right.text == "("
    return left.kind == "close" and (
        right.kind in {"name", "number"} or (left.text == "]" and right.text == "{")
    )


def malformed_number(place: Place, before: Token) -> VjpError:
    """The refusal of `1.2.3`, `1__0` and `0xg`."""
    end = place.index
    while (piece := place.at(end)) is not None and piece.start == place.found[end - 1].end:
        if piece.kind not in {"number", "name"}:
            break
        end += 1
    span = Span(before.start, place.found[end - 1].end)
    return place.error(
        "malformed-number",
        f"`{_shortened(place.reading.text[span.start : span.end])}` is not a number",
        span,
    )


def leading_zero(place: Place) -> VjpError | None:
    """The refusal of `007`; None where the number is well formed."""
    digits = place.token.text
    if not re.fullmatch("0[0-9_]*[1-9][0-9_]*", digits):
        return None
    return place.error(
        "leading-zero",
        f"`{_short(place.token)}` begins with a zero, which Python reserves for octal numbers",
        edits=[(place.token.span, digits.lstrip("0_"))],
    )


def prime(place: Place, before: Token) -> VjpError:
    """The refusal of MATLAB's transpose `x'`, which is also the derivative on paper."""
    quote = place.token.start
    return place.error(
        "prime",
        f"`'` behind `{_short(before)}` begins a string: a transpose is written `.T`",
        Span(quote, quote + 1),
        edits=[(Span(quote, quote + 1), ".T")],
    )


def _function_without_brackets(place: Place, before: Token) -> VjpError:
    end = place.primary_end(place.index)
    last = place.found[end - 1].end
    return place.error(
        "function-without-brackets",
        f"the argument of `{before.text}` needs brackets",
        Span(before.start, last),
        edits=[(Span(before.end, place.token.start), "("), (Span(last, last), ")")],
    )


def _missing_comma(place: Place, before: Token) -> VjpError:
    """Put a comma between all neighbours inside the innermost bracket."""
    bracket = place.bracket
    edits: list[Edit] = []
    if bracket is not None:
        depth = 0
        for left, right in pairwise(place.found[bracket.index :]):
            if left.kind == "close":
                depth -= 1
                if depth == 0:
                    break
            if depth == 1 - (left.kind == "open") and _stand_apart(left, right):
                edits.append((Span(left.end, right.start), ", "))
            depth += left.kind == "open"
    return place.error(
        "missing-comma",
        f"a comma is missing between `{_short(before)}` and `{_short(place.token)}`",
        Span(before.start, place.token.end),
        edits=edits,
    )


def _stand_apart(left: Token, right: Token) -> bool:
    return (
        left.ends_a_value and right.start > left.end and right.kind in {"number", "name", "string"}
    ) or (left.kind == "close" and right.kind == "open" and right.start > left.end)


def _is_prefix(text: str) -> bool:
    return text[0] in "xXbBoO" and text[1:2].isdigit()


def _short(token: Token) -> str:
    return _shortened(token.text)


def _shortened(text: str) -> str:
    return text if len(text) <= 24 else text[:20] + "..."
