"""Two values side by side with no operator between them: `2x`, `log c`, `[1 2]`, `x'`."""

from __future__ import annotations

import keyword
import re
from itertools import pairwise

from vjpcli.errors import Span, VjpError
from vjpcli.parser import closing, convert
from vjpcli.parser.place import Bracket, Place
from vjpcli.parser.powers import FUNCTION_WORDS, powers_of_functions
from vjpcli.parser.reading import Edit, shortened
from vjpcli.parser.tokens import Token

# Python refuses whole numbers of more than 4300 digits; from 310 on no float holds them.
_MOST_DIGITS = 309


def value_after_value(place: Place) -> VjpError:
    """The error at a value that directly follows another one.

    Errors: function-without-brackets, implicit-multiplication, malformed-number,
        missing-comma, missing-operator, missing-separator, prime, unclosed-bracket
    """
    before, token, bracket = place.before, place.token, place.bracket
    if before is None:
        return place.error("missing-operator", "an operator is missing")
    if before.end == token.start:
        error = _glued(place, before)
    else:
        error = _new_statement(place, before, bracket) or _missing_comma(place, before, bracket)
    if error is not None:
        return error
    if _multiplies(before, token):
        return implicit_multiplication(place, before)
    edits: list[Edit] = []
    kinds = {before.kind, token.kind}
    if "name" in kinds and kinds <= {"name", "number", "close"}:
        edits = [(Span(before.end, token.start), " * ")]
    return place.error(
        "missing-operator",
        f"an operator is missing between `{_short(before)}` and `{_short(token)}`",
        Span(before.start, token.end),
        edits=edits,
    )


def _glued(place: Place, before: Token) -> VjpError | None:
    """The errors of `x'`, `1.2.3` and `0b12`, where nothing stands between the two."""
    token = place.token
    if token.kind in {"string", "unclosed"} and token.text[0] == "'":
        return prime(place, before)
    if before.kind == "number" and (
        token.kind == "number"
        or token.text[0] == "_"
        or (before.text == "0" and _is_prefix(token.text))
        or before.text[:2].lower() in {"0b", "0o"}
    ):
        return _malformed_number(place, before)
    return None


def _new_statement(place: Place, before: Token, bracket: Bracket | None) -> VjpError | None:
    """The error of `x = 3 y = 4`, or of `y = (a + b` with a new line behind it."""
    token, following = place.token, place.after
    if token.kind != "name" or following is None or following.text != "=":
        return None
    if bracket is None:
        return place.error(
            "missing-separator",
            f"a new statement begins with `{_short(token)}`: `;` or a new line is missing",
            edits=[(Span(before.end, token.start), "; ")],
        )
    if re.search(r"[\r\n]", place.reading.text[before.end : token.start]):
        return closing.unclosed(place, bracket, None)
    return None


def implicit_multiplication(place: Place, before: Token) -> VjpError:
    """The refusal of `2x` and `(a)b`, corrected throughout the program."""
    edits = powers_of_functions(place.reading.text)
    edits = edits or [
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
    if keyword.iskeyword(right.text):
        return False
    if left.kind == "number":
        return right.kind == "name" or right.text == "("
    return left.kind == "close" and (
        right.kind in {"name", "number"} or (left.text == "]" and right.text == "{")
    )


def _malformed_number(place: Place, before: Token) -> VjpError:
    """The refusal of `1.2.3`, `1__0` and `0xg`."""
    end = place.index
    while (piece := place.at(end)) is not None and piece.start == place.found[end - 1].end:
        if piece.kind not in {"number", "name"}:
            break
        end += 1
    span = Span(before.start, place.found[end - 1].end)
    return place.error(
        "malformed-number",
        f"`{shortened(place.reading.text[span.start : span.end])}` is not a number",
        span,
    )


def unreadable_number(place: Place) -> VjpError | None:
    """The refusal of `007` and of endless digits; None where the number is well formed.

    Errors: leading-zero, number-too-large
    """
    digits = place.token.text
    if digits.replace("_", "").isdigit() and len(digits.lstrip("0_")) > _MOST_DIGITS:
        return convert.number_too_large(place.reading, place.token.span)
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


def _missing_comma(place: Place, before: Token, bracket: Bracket | None) -> VjpError | None:
    """The error of `log c`, `[1 2]` and `f(a b)`; in a list of lists at every depth."""
    if before.kind == "name" and before.text in FUNCTION_WORDS:
        return _function_without_brackets(place, before)
    if bracket is None or bracket.token.text == "{":
        return None
    if bracket.token.text == "(" and (not bracket.follows_value or before.kind == "number"):
        return None
    edits: list[Edit] = []
    depth = 0
    for left, right in pairwise(place.found[_outermost(place).index :]):
        depth += (left.kind == "open") - (left.kind == "close")
        if depth <= 0:
            break
        if left.ends_a_value and left.end < right.start and _begins_an_item(left, right):
            edits.append((Span(left.end, right.start), ", "))
    return place.error(
        "missing-comma",
        f"a comma is missing between `{_short(before)}` and `{_short(place.token)}`",
        Span(before.start, place.token.end),
        edits=edits,
    )


def _outermost(place: Place) -> Bracket:
    """The innermost bracket, or if that is a list in lists, the outermost of these."""
    outermost = place.brackets[-1]
    for bracket in reversed(place.brackets):
        if not bracket.is_list:
            break
        outermost = bracket
    return outermost


def _begins_an_item(left: Token, right: Token) -> bool:
    if right.kind == "open":
        return left.kind == "close"
    return right.kind in {"number", "name", "string"}


def _is_prefix(text: str) -> bool:
    return text[0] in "xXbBoO" and text[1:2].isdigit()


def _short(token: Token) -> str:
    return shortened(token.text)
