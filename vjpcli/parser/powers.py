"""Powers of functions as mathematics writes them: `sin^2(x)`, `sin**2 x`, `sin^-1(x)`."""

from __future__ import annotations

import re

from vjpcli.errors import Span
from vjpcli.parser.reading import Edit

# Words that mathematics writes without brackets around the argument. What they compute is
# not known here, only that `log c` is not a product, and `sin^2(x)` no power of `sin`.
FUNCTION_WORDS = frozenset(
    ("abs", "acos", "arccos", "arcsin", "arctan", "asin", "atan", "cos", "cosh", "cot", "csc",
     "det", "diag", "exp", "lg", "ln", "log", "log10", "log2", "max", "mean", "min", "norm",
     "print", "prod", "relu", "sec", "sigmoid", "sign", "sin", "sinh", "softmax", "sqrt", "std",
     "sum", "tan", "tanh", "trace", "var")
)  # fmt: skip

_INVERSES = {
    "sin": "arcsin", "cos": "arccos", "tan": "arctan",
    "sinh": "arcsinh", "cosh": "arccosh", "tanh": "arctanh",
}  # fmt: skip

_POWER = re.compile(r"(?<![A-Za-z_.])([A-Za-z_]\w*)[ \t]*(?:\^|\*\*)[ \t]*(-?[ \t]*\w+|\(-?\w+\))")
_ARGUMENT = re.compile(r"[ \t]*(\()|[ \t]+(\w+)")


def powers_of_functions(text: str) -> list[Edit]:
    """What makes `sin(x)**2` of every `sin^2(x)` and `sin^2 x`, and `arcsin(x)` of `sin^-1(x)`."""
    edits: list[Edit] = []
    for power in _POWER.finditer(text):
        name, exponent = power.group(1), "".join(power.group(2).split()).strip("()")
        argument = _ARGUMENT.match(text, power.end())
        if name not in FUNCTION_WORDS or argument is None:
            continue
        end = bracket_end(text, argument.start(1)) if argument.group(1) else argument.end(2)
        if end is None:
            continue
        opening, closing = ("", "") if argument.group(1) else ("(", ")")
        start = argument.start(1) if argument.group(1) else argument.start(2)
        if exponent == "-1" and name in _INVERSES:
            edits += [(Span(power.start(1), start), _INVERSES[name] + opening)]
            if closing:
                edits.append((Span(end, end), closing))
            continue
        edits.append((Span(power.end(1), start), opening))
        edits.append((Span(end, end), f"{closing}**{exponent}"))
    return edits


def bracket_end(text: str, start: int) -> int | None:
    """The place behind the bracket that closes the one at `start`; None if it stays open."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] in "([{") - (text[place] in ")]}")
        if depth == 0:
            return place + 1
    return None
