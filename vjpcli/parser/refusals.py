"""What Python can read and this language does not have, and what to write instead.

A program is a list of named values; there are no functions, loops or objects in it, because
nothing that it says is ever executed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from vjpcli.errors import Span, VjpError
from vjpcli.parser.powers import powers_of_functions
from vjpcli.parser.reading import Edit, Reading, sign_between

_INLINE = "a program is statements `name = expression`, the last of which is the output"
_WHERE = "write y = where(condition, a, b)"
_TURNS = "write a reduction (sum, prod, cumsum), or one statement for each turn"
_BODY = "a lambda with a name does the same: f = lambda x: x**2; f(x)"
_CHOICE = "`{}` cannot choose between statements"
_SCOPE = "all names are in one place, `{}` has no meaning"

# first word: code, message (with the word in it), note
_STATEMENTS: dict[str, tuple[str, str, str]] = {
    "def": ("def-statement", "functions cannot be defined", _BODY),
    "class": ("class-statement", "classes cannot be defined", _INLINE),
    "for": ("for-loop", "loops are not run", _TURNS),
    "while": ("while-loop", "loops are not run", _TURNS),
    "break": ("for-loop", "loops are not run", _TURNS),
    "continue": ("for-loop", "loops are not run", _TURNS),
    "if": ("if-statement", _CHOICE, _WHERE),
    "elif": ("if-statement", _CHOICE, _WHERE),
    "else": ("if-statement", _CHOICE, _WHERE),
    "match": ("match-statement", _CHOICE, _WHERE),
    "with": (
        "with-statement",
        "`with` has no meaning here",
        "write its statements alone; x.detach() does what torch.no_grad() is used for",
    ),
    "try": ("try-statement", "exceptions cannot be handled", _INLINE),
    "except": ("try-statement", "exceptions cannot be handled", _INLINE),
    "finally": ("try-statement", "exceptions cannot be handled", _INLINE),
    "raise": ("raise-statement", "exceptions cannot be raised", _INLINE),
    "assert": ("assert-statement", "assertions are not checked", _INLINE),
    "del": ("del-statement", "names cannot be deleted", _INLINE),
    "pass": ("empty-statement", "`pass` gives no value", _INLINE),
    "global": ("scope-statement", _SCOPE, _INLINE),
    "nonlocal": ("scope-statement", _SCOPE, _INLINE),
    "async": ("async-statement", "nothing is run, `async` has no meaning", _INLINE),
    "type": ("type-statement", "types cannot be declared", _INLINE),
}
STATEMENT_WORDS = frozenset(_STATEMENTS)
_ONE_LINE_DEF = r"def\s+(\w+)\s*\(([^()]*)\)\s*:\s*return\b([^\r\n;]+)"
_ATOM = re.compile(r"[\w.]+")


def statement_error(reading: Reading, word: str, span: Span) -> VjpError:
    """The refusal of a statement that begins with `word`."""
    code, message, note = _STATEMENTS.get(
        word, ("unsupported-statement", "this statement has no meaning here", _INLINE)
    )
    edits: list[Edit] = []
    if word == "def" and (found := re.compile(_ONE_LINE_DEF).match(reading.text, span.start)):
        name, parameters, body = found.groups()
        place = Span(found.start(), found.end())
        edits = [(place, f"{name} = lambda {parameters.strip()}: {body.strip()}")]
    return reading.error(code, message.format(word), span, notes=(note,), edits=edits)


def refuse_statement(reading: Reading, node: ast.stmt) -> VjpError:
    """The refusal of a statement by its first word.

    Errors: those of `_STATEMENTS`, unsupported-statement
    """
    span = reading.span(node)
    word = re.match(r"\w*", reading.text[span.start : span.end])
    first = word.group() if word else ""
    return statement_error(reading, first, Span(span.start, span.start + max(len(first), 1)))


def refuse_expression(reading: Reading, node: ast.expr) -> VjpError:
    """The refusal of an expression that the language does not have.

    Errors: await, boolean-operator, bytes-literal, caret-power, chained-comparison,
        comprehension, dictionary, f-string, in-operator,
        is-operator, lambda-expression, not-operator, set, shift-operator, starred-expression,
        unsupported-expression, walrus, yield
    """
    handler = _HANDLERS.get(type(node).__name__)
    if handler is None:
        return reading.error(
            "unsupported-expression", "this part has no meaning here", reading.span(node)
        )
    return handler(reading, node)


def operator_span(reading: Reading, left: ast.expr, right: ast.expr) -> Span:
    """Where the operator between two operands stands."""
    return sign_between(reading, reading.span(left).end, reading.span(right).start)


def _bracketed(reading: Reading, node: ast.expr) -> str:
    """The text of an operand, in brackets unless it needs none."""
    text = reading.slice(node)
    if _ATOM.fullmatch(text) or isinstance(node, ast.Call | ast.Subscript | ast.List | ast.Tuple):
        return text
    return f"({text})"


def _boolean(reading: Reading, node: ast.BoolOp) -> VjpError:
    word, sign, name = (
        ("and", "&", "logical_and") if isinstance(node.op, ast.And) else ("or", "|", "logical_or")
    )
    joined = f" {sign} ".join(_bracketed(reading, part) for part in node.values)
    return reading.error(
        "boolean-operator",
        f"`{word}` cannot combine conditions entry by entry: `{sign}` does",
        operator_span(reading, node.values[0], node.values[1]),
        notes=(f"{name}(a, b) does the same",),
        edits=[(reading.span(node), joined)],
    )


def _not(reading: Reading, node: ast.UnaryOp) -> VjpError:
    span = reading.span(node)
    return reading.error(
        "not-operator",
        "`not` cannot negate a condition entry by entry: `~` does",
        Span(span.start, span.start + 3),
        edits=[(span, "~" + _bracketed(reading, node.operand))],
    )


def _comparison(reading: Reading, node: ast.Compare) -> VjpError:
    operands = [node.left, *node.comparators]
    spans = [operator_span(reading, left, right) for left, right in pairwise(operands)]
    words = [" ".join(reading.text[s.start : s.end].split()) for s in spans]
    for operator, word, span in zip(node.ops, words, spans, strict=True):
        if isinstance(operator, ast.Is | ast.IsNot):
            sign = "==" if isinstance(operator, ast.Is) else "!="
            is_none = "None" in (reading.slice(part) for part in operands)
            return reading.error(
                "is-operator",
                f"`{word}` compares objects, not numbers: numbers are compared by `{sign}`",
                span,
                edits=[] if is_none else [(span, sign)],
            )
        if isinstance(operator, ast.In | ast.NotIn):
            return reading.error(
                "in-operator",
                f"`{word}` does not compare entry by entry",
                span,
                notes=("write out the comparisons: (x == a) | (x == b)",),
            )
    texts = [reading.slice(part) for part in operands]
    pairs = [
        f"({left} {word} {right})"
        for left, word, right in zip(texts, words, texts[1:], strict=False)
    ]
    return reading.error(
        "chained-comparison",
        "a chain of comparisons has no meaning entry by entry: it is two comparisons and `&`",
        spans[1],
        edits=[(reading.span(node), " & ".join(pairs))],
    )


def _binary(reading: Reading, node: ast.BinOp) -> VjpError:
    span = operator_span(reading, node.left, node.right)
    if isinstance(node.op, ast.BitXor):
        return caret_power(reading, span)
    return reading.error(
        "shift-operator",
        f"`{reading.text[span.start : span.end]}` shifts bits, and all values are real numbers",
        span,
        notes=("a shift by n multiplies by 2**n",),
    )


def caret_power(reading: Reading, span: Span) -> VjpError:
    """The refusal of `^`, corrected throughout the program."""
    edits = powers_of_functions(reading.text)
    edits += [  # LaTeX's e^{2x}
        edit
        for m in re.finditer(r"\^\{([^{}]*)\}", reading.text)
        for edit in (
            (Span(m.start(), m.start(1)), "**("),
            (Span(m.end(1), m.end()), ")"),
        )
    ]
    moved = [place for place, _ in edits]
    edits += [
        (Span(m.start(), m.end()), "**=" if m.group() == "^=" else "**")
        for m in re.finditer(r"\^=?", reading.text)
        if not any(place.start <= m.start() < place.end for place in moved)
    ]
    return reading.error(
        "caret-power",
        "`^` is exclusive or in Python: a power is written `**`",
        span,
        edits=edits,
    )


def _lambda(reading: Reading, node: ast.Lambda) -> VjpError:
    span = reading.span(node)
    return reading.error(
        "lambda-expression",
        "a lambda takes its arguments one by one here, without `*`",
        Span(span.start, span.start + len("lambda")),
        notes=("name each of them: lambda a, b: a*b",),
    )


def _walrus(reading: Reading, node: ast.NamedExpr) -> VjpError:
    span = operator_span(reading, node.target, node.value)
    return reading.error(
        "walrus",
        "a name is given by a statement of its own, `name = expression`",
        span,
    )


def _set(reading: Reading, node: ast.Set) -> VjpError:
    span = reading.span(node)
    return reading.error(
        "set",
        "`{...}` is a set, which has no order: values are stacked by `[...]`",
        span,
        edits=[(span, "[" + reading.slice(node)[1:-1] + "]")],
    )


def _constant(reading: Reading, node: ast.Constant) -> VjpError:
    span = reading.span(node)
    return reading.error("bytes-literal", "bytes have no meaning in an expression", span)


def _simply(code: str, message: str, *notes: str) -> Callable[[Reading, ast.expr], VjpError]:
    """A refusal that marks the whole part and says no more than its message."""
    return lambda reading, node: reading.error(code, message, reading.span(node), notes=notes)


_COMPREHENSION = _simply(
    "comprehension",
    "only lists are made by a comprehension, with plain names for their turns",
    "write [f(x[i]) for i in range(3)]",
)
# Each handler takes the node that its key names, which a dictionary cannot tell the checker.
_HANDLERS: dict[str, Callable[[Reading, Any], VjpError]] = {
    "BoolOp": _boolean,
    "UnaryOp": _not,
    "Compare": _comparison,
    "BinOp": _binary,
    "Lambda": _lambda,
    "NamedExpr": _walrus,
    "Set": _set,
    "Constant": _constant,
    "ListComp": _COMPREHENSION,
    "SetComp": _COMPREHENSION,
    "DictComp": _COMPREHENSION,
    "GeneratorExp": _COMPREHENSION,
    "Dict": _simply("dictionary", "dictionaries have no meaning in an expression"),
    "Await": _simply("await", "nothing is run, `await` has no meaning"),
    "Yield": _simply("yield", "nothing is run, `yield` has no meaning"),
    "YieldFrom": _simply("yield", "nothing is run, `yield` has no meaning"),
    "JoinedStr": _simply("f-string", "f-strings have no meaning in an expression"),
    "Starred": _simply(
        "starred-expression", "`*` cannot unpack values", "write out the arguments one by one"
    ),
}
