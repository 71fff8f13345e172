"""An operator where a value must stand, or one that the language does not have.

`3*a+`, `a+/b`, `|x|`, `=3*x`, `x!`, `a && b`, `a.*b`, `y = `, `f(x) = 3`.
"""

from __future__ import annotations

import re
from itertools import pairwise

from vjpcli.errors import Span, VjpError
from vjpcli.parser.matrices import is_left_division
from vjpcli.parser.place import Place
from vjpcli.parser.reading import Edit, shortened
from vjpcli.parser.tokens import Token

# code, what is said, and the spelling of the sign throughout the program
_FOREIGN: dict[str, tuple[str, str, str]] = {
    "&&": ("double-ampersand", "`&&` is not an operator: conditions are combined by `&`", " and "),
    "||": ("double-bar", "`||` is not an operator: conditions are combined by `|`", " or "),
    "=>": ("reversed-comparison", "`=>` is not an operator: at least is written `>=`", ">="),
    "=<": ("reversed-comparison", "`=<` is not an operator: at most is written `<=`", "<="),
    "<>": ("foreign-comparison", "`<>` is not an operator: unequal is written `!=`", "!="),
    "===": ("foreign-comparison", "`===` is not an operator: equal is written `==`", "=="),
    "!==": ("foreign-comparison", "`!==` is not an operator: unequal is written `!=`", "!="),
    ".*": ("elementwise-dot", "`.*` needs no dot: `*` works entry by entry", "*"),
    "./": ("elementwise-dot", "`./` needs no dot: `/` works entry by entry", "/"),
    ".^": ("elementwise-dot", "`.^` needs no dot: powers entry by entry are written `**`", "**"),
    "->": ("arrow", "`->` is not an operator", ""),
    "$": ("dollar-sign", "`$` has no meaning here: names stand alone", ""),
    "`": ("backtick", "a backtick has no meaning here: names stand alone", ""),
    "?": ("question-mark", "`?` has no meaning here", ""),
}  # fmt: skip
_DOUBLED = {("@", "@"): "@", ("**", "*"): "**", ("//", "/"): "//", ("%", "%"): "%",
            ("<", "="): "<=", (">", "="): ">=", ("=", "="): "==", ("!", "="): "!=",
            ("*", "*"): "**", ("&", "&"): " and ", ("|", "|"): " or "}  # fmt: skip
_LATEX = {"cdot": "*", "times": "*", "div": "/", "left": "", "right": "", "le": "<=", "leq": "<=",
          "ge": ">=", "geq": ">=", "ne": "!=", "neq": "!=", "infty": "inf"}  # fmt: skip
_LATEX_WITH_N = frozenset({"ne", "neq", "nu", "nabla", "norm", "not", "n"})


def foreign_sign(place: Place) -> VjpError | None:
    """The refusal of an operator of another language; None where the sign is Python's.

    Errors: arrow, backtick, dollar-sign, double-ampersand, double-bar, elementwise-dot,
        foreign-comparison, question-mark, reversed-comparison
    """
    entry = _FOREIGN.get(place.token.text)
    if entry is None:
        return None
    code, message, spelling = entry
    edits = place.replace_all({place.token.text: spelling}) if code != "arrow" else []
    return place.error(code, message, edits=edits)


def stray_backslash(place: Place) -> VjpError:
    r"""The refusal of LaTeX's `\cdot` and of any other backslash inside a line.

    Errors: latex-command, stray-backslash
    """
    word = place.after
    if word is None or word.kind != "name" or word.start != place.token.end:
        return place.error(
            "stray-backslash",
            "a backslash joins lines, and must be the last character of its line",
            edits=[(place.token.span, "")],
        )
    edits: list[Edit] = []
    if word.text.startswith("n") and word.text not in _LATEX_WITH_N:
        # A shell's double quotes pass "x = 1\ny = x" on with the backslash.
        return place.error(
            "stray-backslash",
            "`\\n` is not the end of a line here: statements are separated by `;`",
            Span(place.token.start, place.token.start + 2),
            edits=[
                (Span(at.start(), at.end()), "; ") for at in re.finditer(r"\\n", place.reading.text)
            ],
        )
    for token, name in pairwise(place.found):
        if token.text == "\\" and name.kind == "name" and name.start == token.end:
            span = Span(token.start, name.end)
            before = place.reading.text[: token.start][-1:]
            factor = "*" if before.isalnum() or before in (")", "]") else ""
            edits.append((span, _LATEX.get(name.text, factor + name.text)))
    if is_left_division(place.reading.text, place.token.start):
        return place.error(
            "latex-command",
            f"`\\` before `{shortened(word.text)}` begins no operator: "
            "a linear system is solved by solve(A, b)",
            Span(place.token.start, word.end),
        )
    if any(token.text == "{" for token in place.found):
        # \frac{a}{b} and x^{2}: no single word can be put in its place.
        edits = []
    return place.error(
        "latex-command",
        f"`\\{shortened(word.text)}` is LaTeX: names and operators are written without a backslash",
        Span(place.token.start, word.end),
        edits=edits,
    )


def missing_operand(place: Place, *, at_end: bool) -> VjpError:
    """The error where a value must stand: before the token, or (`at_end`) after the one before.

    Errors: missing-value, missing-operand, stray-comma, percent-sign, increment, absolute-bars
    """
    before = place.before
    if before is None:
        return _nothing_before(place)
    if at_end:
        return _nothing_after(place, before)
    token = place.token
    if token.text == ",":
        return place.error(
            "stray-comma", "nothing stands before this comma", edits=[(token.span, "")]
        )
    joined = _DOUBLED.get((before.text, token.text))
    return place.error(
        "missing-operand",
        f"nothing stands between `{before.text}` and `{token.text}`",
        Span(before.start, token.end) if joined else token.span,
        edits=[(Span(before.start, token.end), joined)] if joined else (),
    )


def _nothing_before(place: Place) -> VjpError:
    token = place.token
    if token.text == "=":
        return place.error(
            "leading-equals",
            "an expression does not begin with `=`",
            edits=[(token.span, "")],
        )
    if token.text == ",":
        return place.error(
            "stray-comma", "nothing stands before this comma", edits=[(token.span, "")]
        )
    return place.error("missing-operand", f"nothing stands before `{token.text}`")


def _nothing_after(place: Place, before: Token) -> VjpError:
    if before.text == "=":
        return place.error("missing-value", "nothing stands after `=`", before.span)
    if before.text == ",":
        return place.error(
            "stray-comma", "nothing stands before this comma", before.span,
            edits=[(before.span, "")],
        )  # fmt: skip
    value = place.at(place.index - 2) if place.index - 2 >= place.first else None
    if before.text == "%" and value is not None and value.kind in {"number", "name"}:
        return percent_sign(place, before, value)
    if value is not None and value.text == before.text and before.text in {"+", "-"}:
        name = place.at(place.index - 3)
        return place.error(
            "increment",
            f"`{before.text * 2}` is not an operator",
            Span(value.start, before.end),
            edits=[(Span(value.start, before.end), f" {before.text}= 1")]
            if name is not None and name.kind == "name" and place.index - 3 == place.first
            else (),
        )
    if before.text == "|":
        opening = _bar_before(place)
        if opening is not None:
            return absolute_bars(place, opening, place.index - 1)
    return place.error("missing-operand", f"nothing stands after `{before.text}`", before.span)


def percent_sign(place: Place, sign: Token, value: Token) -> VjpError:
    """The refusal of `50%`."""
    return place.error(
        "percent-sign",
        "`%` is the remainder of a division: a percentage is divided by 100",
        sign.span,
        edits=[(Span(value.start, value.start), "("), (sign.span, "/100)")],
    )


def _bar_before(place: Place) -> int | None:
    """The `|` that could open what the one before the place closes."""
    depth = 0
    for index in range(place.index - 2, place.first - 1, -1):
        kind = place.found[index].kind
        depth += (kind == "close") - (kind == "open")
        if depth < 0:
            return None
        if depth == 0 and place.found[index].text == "|":
            return index
    return None


def bars(place: Place) -> VjpError:
    """The refusal of `|x|` or `||x||` at its first bar.

    Errors: absolute-bars, norm-bars, missing-operand
    """
    depth = 0
    for index in range(place.index + 1, len(place.found)):
        token = place.found[index]
        depth += (token.kind == "open") - (token.kind == "close")
        if depth < 0 or token.kind in {"newline", "semicolon"}:
            break
        if depth == 0 and token.text == place.token.text:
            return absolute_bars(place, place.index, index)
    return missing_operand(place, at_end=False)


def absolute_bars(place: Place, opening: int, closing: int) -> VjpError:
    """The refusal of `|x|`, whose two bars stand at these indices."""
    first, last = place.found[opening], place.found[closing]
    before = place.at(opening - 1)
    times = "*" if before is not None and before.ends_a_value and opening > place.first else ""
    code, function = ("norm-bars", "norm") if first.text == "||" else ("absolute-bars", "abs")
    what = "the norm" if function == "norm" else "the absolute value"
    return place.error(
        code,
        f"{what} `{first.text}x{first.text}` is written `{function}(x)`",
        Span(first.start, last.end),
        edits=[(first.span, f"{times}{function}("), (last.span, ")")],
    )


def exclamation(place: Place, *, after_value: bool) -> VjpError:
    """The refusal of `x!` and `!x`.

    Errors: exclamation-not, factorial
    """
    if after_value:
        return place.error("factorial", "`!` is not an operator, and a factorial has no derivative")
    return place.error(
        "exclamation-not",
        "`!` is not an operator: a condition is negated by `~`",
        edits=place.replace_all({"!": "~"}),
    )


def walrus(place: Place) -> VjpError:
    """The refusal of `y := 3`."""
    return place.error(
        "walrus", "a name is given by `=`, not `:=`", edits=[(place.token.span, "=")]
    )


def equals_in_bracket(place: Place) -> VjpError:
    """The refusal of `(x = 3)`."""
    return place.error(
        "equals-sign",
        "`=` gives a name and cannot stand in brackets: numbers are compared by `==`",
        edits=[(place.token.span, "==")],
    )


def bad_target(place: Place, left: list[Token]) -> VjpError | None:
    """The refusal of what stands before `=` at the top level; None if it is fine.

    Errors: assignment-to-expression, function-definition
    """
    depth = 0
    plain = True
    for token in left:
        depth += (token.kind == "open") - (token.kind == "close")
        if depth == 0 and token.kind in {"operator", "number", "string"}:
            plain = plain and token.text in {",", ".", "*", ":"}
    if left and left[-1].text == ")" and left[0].kind == "name" and plain:
        if len(left) > 2 and left[1].text == "(":
            return place.error(
                "function-definition",
                f"functions cannot be defined: `{shortened(left[0].text)}` can only name a value",
                Span(left[0].start, left[-1].end),
                edits=[(Span(left[0].start, left[-1].end), left[0].text)],
            )
        return None
    constant = bool(left) and left[0].text in {"True", "False", "None"}
    if plain and not constant:
        return None
    return place.error(
        "assignment-to-expression",
        "only a name can stand before `=`: numbers are compared by `==`",
        Span(left[0].start, left[-1].end),
        edits=[(place.token.span, "==")] if place.token.text == "=" and not constant else (),
    )
