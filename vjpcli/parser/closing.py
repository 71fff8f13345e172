"""Brackets, quotes and separators that do not meet, and Python's own words used as names."""

from __future__ import annotations

import re

from vjpcli.errors import Span, VjpError
from vjpcli.parser.place import Bracket, Place
from vjpcli.parser.reading import Edit
from vjpcli.parser.tokens import CLOSING, Token

_NEXT_STATEMENT = re.compile(r"[\r\n]+[ \t\f]*\w+[ \t]*[-+*/@%]?=(?!=)")
_OTHER_NAMES = {"lambda": "lam"}


def unclosed_quote(place: Place) -> VjpError:
    """The refusal of a string without an end."""
    token = place.token
    mark = token.text[:3] if token.text[:3] in {"'''", '"""'} else token.text[0]
    return place.error(
        "unclosed-quote",
        f"the string that begins with `{mark}` does not end",
        Span(token.start, token.start + len(mark)),
    )


def unmatched(place: Place) -> VjpError:
    """The refusal of a closing bracket that nothing opens."""
    return place.error(
        "unmatched-bracket",
        f"no bracket is open that `{place.token.text}` could close",
        edits=[(place.token.span, "")],
    )


def mismatched(place: Place, bracket: Bracket) -> VjpError:
    """The refusal of `(a]`, or of `[f(x]` where a bracket is missing inside."""
    needed = CLOSING[bracket.token.text]
    outer = place.brackets[-2].token.text if len(place.brackets) > 1 else ""
    closes_outer = CLOSING.get(outer) == place.token.text
    edit: Edit = (place.token.span, needed)
    if closes_outer:
        edit = (Span(place.token.start, place.token.start), needed)
    return place.error(
        "mismatched-bracket",
        f"`{place.token.text}` cannot close `{bracket.token.text}`: `{needed}` does",
        edits=[edit],
    )


def unfinished_bracket(place: Place, bracket: Bracket) -> VjpError:
    """The error where a program, or a statement, ends inside a bracket.

    Errors: semicolon-in-brackets, unclosed-bracket
    """
    at_semicolon = place.index < len(place.found)
    if at_semicolon and bracket.is_list and _group_closes(place):
        return _matrix(place, bracket)
    return unclosed(place, bracket, place.token.start if at_semicolon else None)


def unclosed(place: Place, bracket: Bracket, end: int | None) -> VjpError:
    """Close what is open, before `end` or the next thing that looks like a statement."""
    text = place.reading.text
    if end is None:
        end = max(place.found[-1].end, bracket.token.end)
        following = _NEXT_STATEMENT.search(text, bracket.token.end)
        if following is not None and following.start() < end:
            earlier = [token for token in place.found if token.end <= following.start()]
            end = earlier[-1].end if earlier else end
    missing = "".join(
        CLOSING[open_bracket.token.text]
        for open_bracket in reversed(place.brackets)
        if open_bracket.token.end <= end
    )
    return place.error(
        "unclosed-bracket",
        f"the bracket `{bracket.token.text}` is never closed",
        bracket.token.span,
        edits=[(Span(end, end), missing)],
    )


def _group_closes(place: Place) -> bool:
    depth = 0
    for token in place.found[place.index :]:
        depth += (token.kind == "open") - (token.kind == "close")
        if depth < 0:
            return token.text == "]"
    return False


def _matrix(place: Place, bracket: Bracket) -> VjpError:
    """MATLAB's `[1 2; 3 4]`, whose rows are lists of their own here."""
    edits: list[Edit] = [(Span(bracket.token.end, bracket.token.end), "[")]
    depth = 0
    for token in place.found[bracket.index :]:
        depth += (token.kind == "open") - (token.kind == "close")
        if token.kind == "semicolon" and depth == 1:
            edits.append((token.span, "], ["))
        if depth == 0:
            edits.append((Span(token.start, token.start), "]"))
            break
    return place.error(
        "semicolon-in-brackets",
        "`;` separates statements: the rows of a matrix are lists, [[1, 2], [3, 4]]",
        edits=edits,
    )


def empty_index(place: Place, opening: Token) -> VjpError:
    """The refusal of `x[]`."""
    return place.error(
        "empty-index",
        "the index is empty: all entries are written `[:]`",
        Span(opening.start, place.token.end),
        edits=[(Span(opening.end, place.token.start), ":")],
    )


def stray_colon(place: Place) -> VjpError:
    """The refusal of `f(axis: 1)` and `(a:b)`."""
    bracket = place.bracket
    in_call = bracket is not None and bracket.is_call
    return place.error(
        "stray-colon",
        "`:` stands only in an index" + (": a keyword is given by `=`" if in_call else ""),
        edits=[(place.token.span, "=")] if in_call else (),
    )


def too_many_colons(place: Place) -> VjpError:
    """The refusal of `x[1:2:3:4]`."""
    return place.error("too-many-colons", "a slice has at most three parts, start:stop:step")


def stray_semicolon(place: Place) -> VjpError:
    """The refusal of `a;;b`."""
    return place.error(
        "stray-semicolon",
        "no statement stands before this semicolon",
        edits=[(place.token.span, "")],
    )


def positional_after_keyword(place: Place, argument: Token) -> VjpError:
    """The refusal of `where(x=0, 1, 2)` and `sum(dim=1, x)`."""
    bracket = place.bracket
    edits: list[Edit] = []
    if bracket is not None:
        function = place.at(bracket.index - 1)
        equals = place.at(bracket.index + 2)
        if function is not None and function.text == "where" and equals is not None:
            edits = [(equals.span, "==")]
    return place.error(
        "positional-after-keyword",
        "an argument without a name cannot follow one with a name",
        argument.span,
        edits=edits,
    )


def keyword_as_name(place: Place) -> VjpError:
    """The refusal of Python's own words as names, renamed throughout the program."""
    word = place.token.text
    other = _OTHER_NAMES.get(word, word + "_")
    return place.error(
        "keyword-as-name",
        f"`{word}` is a word of Python's own and cannot name a value",
        edits=[
            (token.span, other)
            for token in place.found
            if token.kind == "name" and token.text == word
        ],
    )
