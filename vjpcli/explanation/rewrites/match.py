"""Patterns on programs, themselves written in the language of programs.

In a pattern the names u, v and w stand for any expression (the same one wherever they occur),
and `...` in a call stands for all further arguments: "log(sum(exp(u), ...))". Everything else
stands for itself, whatever library or method form it is written in; sums and products match in
either order. A name of the program may stand for the expression that was assigned to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vjpcli.errors import Span
from vjpcli.graph.names import LIBRARY_ROOTS, find_callee
from vjpcli.graph.operation import Library
from vjpcli.parser.syntax import (
    Attribute,
    Binary,
    Call,
    Expression,
    Literal,
    Name,
    Number,
    Program,
    Unary,
    postorder,
)
from vjpcli.record import record

VARIABLES = frozenset("uvw")
WHOLE = 5
"""Binding strength of a word, a call or anything in brackets of its own."""

COMMUTATIVE = frozenset("+*")

Bindings = Mapping[str, str]


@record
class Text:
    """A program as the patterns see it.

    Attributes:
        program: its syntax tree.
        library: gives bare names their meaning where libraries differ.
        definitions: name -> the expression that was assigned to it, where that happened once.
    """

    program: Program
    library: Library
    definitions: Mapping[str, Expression]

    @staticmethod
    def of(program: Program, library: Library) -> Text:
        """The program with its definitions."""
        targets = [name for statement in program.statements for name in statement.targets]
        definitions = {
            statement.targets[0]: statement.value
            for statement in program.statements
            if len(statement.targets) == 1 and targets.count(statement.targets[0]) == 1
        }
        return Text(program, library, definitions)

    def at(self, part: Expression) -> str:
        """What was typed for a part."""
        return self.program.source.text[part.span.start : part.span.end]

    def parts(self) -> Iterator[Expression]:
        """Every part of every statement, children before parents."""
        for statement in self.program.statements:
            yield from postorder(statement.value)

    def resolved(self, part: Expression) -> Expression:
        """The expression behind a name that was assigned once; any other part itself."""
        for _ in range(len(self.definitions) + 1):
            if not isinstance(part, Name) or part.identifier not in self.definitions:
                break
            part = self.definitions[part.identifier]
        return part

    def function(self, call: Call) -> tuple[str, tuple[Expression, ...], str]:
        """The operation that is called, its positional arguments, and the library as typed.

        A method's receiver is its first argument: `x.sum(dim=1)` is sum of x.
        """
        function = call.function
        if isinstance(function, Name):
            return self.operation_name(function.identifier), call.arguments, ""
        if not isinstance(function, Attribute):
            return "", call.arguments, ""
        root: Expression = function.value
        while isinstance(root, Attribute):
            root = root.value
        name = self.operation_name(function.attribute)
        if isinstance(root, Name) and root.identifier in LIBRARY_ROOTS:
            return name, call.arguments, f"{self.at(function.value)}."
        return name, (function.value, *call.arguments), ""

    def operation_name(self, word: str) -> str:
        """The operation's own name for one of its names."""
        callee = find_callee(word, self.library)
        return word if callee is None or callee.operation is None else callee.operation.name

    def prefix(self, part: Expression) -> str:
        """The library that `part` names, or else the first call inside it, as typed: "np."."""
        for inner in (part, *postorder(part)):
            if isinstance(inner, Call) and (typed := self.function(inner)[2]):
                module = typed.rstrip(".").rpartition(".")[2]
                return f"{typed.partition('.')[0]}." if module in ("fft", "linalg") else typed
        return ""

    def edited(self, edits: Mapping[Span, str]) -> str:
        """The program's text with some spans replaced; they do not overlap."""
        text = self.program.source.text
        for span in sorted(edits, reverse=True):
            text = text[: span.start] + edits[span] + text[span.end :]
        return text

    def needs_brackets(self, part: Expression, instead: Expression) -> bool:
        """Whether `instead`, put in the place of `part`, must be in brackets."""
        strength = binding_strength(instead)
        if strength == WHOLE or strength > binding_strength(part):
            return False
        both = isinstance(part, Binary) and isinstance(instead, Binary)
        if both and getattr(part, "operator", "") == getattr(instead, "operator", None):
            return False
        parents = (Binary, Unary, Attribute)
        return any(isinstance(one, parents) and part in one.children for one in self.parts())


def binding_strength(part: Expression) -> int:
    """How tightly a part holds together: a comparison loosest, a call or a word tightest."""
    if isinstance(part, Unary):
        return 3
    if isinstance(part, Binary):
        return {"+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "%": 2, "@": 2, "**": 4}.get(
            part.operator, 0
        )
    return WHOLE


def bracketed(part: Expression, text: str) -> str:
    """The text of an expression as an operand: in brackets unless it is one word or call."""
    return f"({text})" if isinstance(part, Binary | Unary) else text


def keywords(prefix: str, bound: Bindings) -> dict[str, str]:
    """The keywords of a library, and the further arguments with the axis by its keyword."""
    torch = prefix.startswith(("torch", "F."))
    dim = "dim" if torch else "axis"
    rest = bound.get("rest", "")
    positional = rest.removeprefix(", ")
    named = not positional or "=" in positional.split(",")[0]
    axis = rest if named else f", {dim}={positional}"
    return {"axis": axis, "dim": dim, "ddof": "correction" if torch else "ddof"}


def matches(pattern: Expression, part: Expression, text: Text) -> Iterator[Bindings]:
    """Every way in which `part` fits `pattern`; variables are bound to texts.

    Bindings hold `u` as it was typed and `U` fit to be an operand, and `rest`: the further
    arguments of the call with `...`, with a leading comma, or "".
    """
    yield from _fit(pattern, part, text, {})


# Recursion here is over the pattern, whose depth is that of the rows in `patterns.py`.


def _fit(pattern: Expression, part: Expression, text: Text, bound: Bindings) -> Iterator[Bindings]:
    if isinstance(pattern, Name) and pattern.identifier in VARIABLES:
        yield from _bind(pattern.identifier, part, text, bound)
        return
    part = text.resolved(part)
    if isinstance(pattern, Number) and isinstance(part, Number):
        if pattern.value == part.value:
            yield bound
    elif isinstance(pattern, Name) and isinstance(part, Name):
        if pattern.identifier == part.identifier:
            yield bound
    elif isinstance(pattern, Unary) and isinstance(part, Unary):
        if pattern.operator == part.operator:
            yield from _fit(pattern.operand, part.operand, text, bound)
    elif isinstance(pattern, Binary) and isinstance(part, Binary):
        if pattern.operator == part.operator:
            yield from _fit_binary(pattern, part, text, bound)
    elif isinstance(pattern, Attribute) and isinstance(part, Attribute):
        if pattern.attribute == part.attribute:
            yield from _fit(pattern.value, part.value, text, bound)
    elif isinstance(pattern, Call) and isinstance(part, Call):
        yield from _fit_call(pattern, part, text, bound)


def _bind(name: str, part: Expression, text: Text, bound: Bindings) -> Iterator[Bindings]:
    typed = text.at(part)
    if name not in bound:
        yield {**bound, name: typed, name.upper(): bracketed(part, typed)}
    elif bound[name].replace(" ", "") == typed.replace(" ", ""):
        yield bound


def _fit_binary(pattern: Binary, part: Binary, text: Text, bound: Bindings) -> Iterator[Bindings]:
    orders = [(part.left, part.right)]
    if pattern.operator in COMMUTATIVE:
        orders.append((part.right, part.left))
    for left, right in orders:
        for first in _fit(pattern.left, left, text, bound):
            yield from _fit(pattern.right, right, text, first)


def _fit_call(pattern: Call, part: Call, text: Text, bound: Bindings) -> Iterator[Bindings]:
    wanted_name, wanted, _ = text.function(pattern)
    name, arguments, _ = text.function(part)
    if name != wanted_name:
        return
    open_ended = bool(wanted) and isinstance(wanted[-1], Literal) and wanted[-1].value is Ellipsis
    if open_ended:
        wanted = wanted[:-1]
        further = [text.at(one) for one in arguments[len(wanted) :]]
        further += [f"{one.name}={text.at(one.value)}" for one in part.keywords]
        bound = {**bound, "rest": "".join(f", {one}" for one in further)}
        arguments = arguments[: len(wanted)]
    elif part.keywords:
        return
    if len(wanted) != len(arguments):
        return
    found: list[Bindings] = [bound]
    for one, argument in zip(wanted, arguments, strict=True):
        found = [more for so_far in found for more in _fit(one, argument, text, so_far)]
    yield from found
