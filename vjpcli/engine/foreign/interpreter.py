"""Runs a syntax tree on the arrays of another library, statement by statement.

Nothing of ours computes here: names are looked up in the library, and its own operators do the
rest. Keywords are respelt (axis/dim), and defaults that differ between libraries are written out.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from vjpcli.engine.foreign.calls import call
from vjpcli.engine.foreign.library import ANY_ARRAY, ForeignLibrary, NotAvailable
from vjpcli.graph.libraries import LibraryName, aliases_of, library_root
from vjpcli.graph.names import (
    COMPLEX_DTYPE_NAMES,
    CONSTANTS,
    IDENTITY_METHODS,
    LIBRARY_ROOTS,
    SIZE_METHODS,
    Callee,
    find_callee,
)
from vjpcli.graph.operation import Library
from vjpcli.parser.syntax import (
    Attribute,
    Binary,
    Call,
    Comprehension,
    Conditional,
    Expression,
    Imaginary,
    Index,
    Lambda,
    Literal,
    Name,
    Number,
    Program,
    Sequence,
    Slice,
    Unary,
)
from vjpcli.parser.walk import Done, meaning
from vjpcli.record import record

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "&": operator.and_,
    "|": operator.or_,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
PREFIX: dict[str, Callable[[Any], Any]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
}

PROPERTIES: dict[str, Callable[[Any], Any]] = {
    "values": lambda array: array,  # the maximum along an axis, where it comes alone
    "shape": lambda array: tuple(int(length) for length in array.shape),
    "ndim": lambda array: len(array.shape),
    "T": operator.attrgetter("T"),
    "mT": operator.attrgetter("mT"),
}


CALLED_PROPERTIES = ("real", "imag", "H", "mH")
"""Properties that some arrays lack, and that a function gives as well."""


@record
class Method:
    """A function found behind a dot, with the array before it."""

    callee: Callee
    receiver: Any


class Interpreter:
    """One run of a program.

    Attributes:
        environment: every named value so far.
    """

    def __init__(
        self,
        program: Program,
        inputs: Mapping[str, Any],
        library: ForeignLibrary,
        bare_names: Library = "torch",
    ) -> None:
        self.program = program
        self.library = library
        self.bare_names = bare_names
        self.inputs = inputs
        self.environment: dict[str, Any] = {**aliases_of(program), **inputs}

    def run(self) -> Any:
        """The value of the last statement, as an array.

        Errors: NotAvailable.
        """
        value: Any = None
        for statement in self.program.statements:
            if statement.declares_leaf and statement.targets[0] in self.inputs:
                value = self.inputs[statement.targets[0]]
                continue
            value = self.evaluate(statement.value)
            if len(statement.targets) == 1:
                self.environment[statement.targets[0]] = value
            elif statement.targets:
                parts = list(value)
                if len(parts) != len(statement.targets):
                    raise NotAvailable("it unpacks another number of values")
                self.environment.update(zip(statement.targets, parts, strict=True))
        return self.array(value)

    def evaluate(self, root: Expression) -> Any:
        handlers: dict[type, Callable[[Any, Done], Any]] = {
            Number: lambda part, _: int(part.value) if part.whole else part.value,
            Imaginary: lambda part, _: complex(0, part.value),
            Literal: lambda part, _: part.value,
            Name: self.name,
            Unary: self.unary,
            Binary: self.binary,
            Sequence: self.sequence,
            Attribute: self.attribute,
            Call: self.call,
            Slice: self.slice,
            Index: self.index,
            Lambda: self.not_run,
            Conditional: self.not_run,
            Comprehension: self.not_run,
        }
        return meaning(root, handlers, self.function_name)

    def not_run(self, _: Expression, __: Done) -> Any:
        raise NotAvailable("functions and loops are not run in other libraries")

    def name(self, part: Name, _: Done) -> Any:
        name = part.identifier
        if name in self.environment:
            return self.environment[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in LIBRARY_ROOTS:
            return library_root(name)
        raise NotAvailable(f"no name {name}")

    def function_name(self, part: Name) -> Any:
        name = part.identifier
        callee = find_callee(name, self.bare_names)
        if name in self.environment and not (callee and name not in self.inputs):
            return self.environment[name]
        if callee is None:
            raise NotAvailable(f"no function {name}")
        return callee

    def unary(self, part: Unary, done: Done) -> Any:
        operand = self.unlisted(done[id(part.operand)])
        if isinstance(operand, bool):
            return not operand if part.operator == "~" else PREFIX[part.operator](operand)
        return PREFIX[part.operator](operand)

    def binary(self, part: Binary, done: Done) -> Any:
        left, right = self.unlisted(done[id(part.left)]), self.unlisted(done[id(part.right)])
        return OPERATORS[part.operator](left, right)

    def sequence(self, part: Sequence, done: Done) -> Any:
        items = [done[id(item)] for item in part.items]
        return items if part.is_list else tuple(items)

    def attribute(self, part: Attribute, done: Done) -> Any:
        value, name = done[id(part.value)], part.attribute
        if isinstance(value, LibraryName):
            return value.member(name, self.program.source, part.span)
        if isinstance(value, tuple) and hasattr(value, name):
            return getattr(value, name)  # a named tuple: max(x, dim=1).values
        array = self.array(value)
        if name in PROPERTIES:
            return PROPERTIES[name](array)
        if name in CALLED_PROPERTIES:
            return self.part(array, name)
        if name in IDENTITY_METHODS:
            return Method(Callee(None, self.bare_names, name, ANY_ARRAY), array)
        callee = find_callee(name, self.bare_names, receiver=ANY_ARRAY)
        if callee is None:
            raise NotAvailable(f"no method {name}")
        return Method(callee, array)

    def part(self, array: Any, name: str) -> Any:
        """The real part, the imaginary part or the conjugate transpose."""
        if name in ("H", "mH"):
            return PROPERTIES[name.replace("H", "T")](self.part(array, "conj"))
        callee = find_callee(name, self.bare_names)
        assert callee is not None
        return call(self.library, callee, [array], {}, self.array, is_method=False)

    def output(self, name: str, last: Any, output_name: str) -> Any:
        """The array called `name`, which may be a part of a complex value: `X.real`."""
        whole, _, part = name.partition(".")
        value = last if whole == output_name else self.environment[whole]
        return self.array(self.part(value, part) if part else value)

    def call(self, part: Call, done: Done) -> Any:
        function = done[id(part.function)]
        arguments = [done[id(argument)] for argument in part.arguments]
        keywords = {keyword.name: done[id(keyword.value)] for keyword in part.keywords}
        receiver = None
        if isinstance(function, Method):
            function, receiver = function.callee, function.receiver
            arguments = [receiver, *arguments]
        if type(function).__module__ == "vjpcli.graph.modules":
            return self.module(part, function, arguments, keywords)
        if not isinstance(function, Callee):
            raise NotAvailable("a value is called")
        if function.operation is None:
            counts = function.name == "size" and function.library != "torch"
            name = "numel" if counts and len(arguments) == 1 else function.name
            return self.sizes_or_same(name, arguments)
        return call(
            self.library, function, arguments, keywords, self.array, is_method=receiver is not None
        )

    def module(
        self, part: Call, function: Any, arguments: list[Any], keywords: dict[str, Any]
    ) -> Any:
        """A module constructed, or its functions one after another."""
        from vjpcli.graph.modules import Module, ModuleClass, constructed  # noqa: PLC0415  (rarely)

        if isinstance(function, ModuleClass):
            named = [(name, value, part.span) for name, value in keywords.items()]
            return constructed(function, arguments, named, self.program.source, part.span)
        if not isinstance(function, Module) or any(s.has_new_statistics for s in function.steps):
            raise NotAvailable("a module was changed")
        values = arguments
        for step in function.steps:
            given = {name: value for name, value, _ in step.keywords} | keywords
            values = [call(self.library, step.callee, values, given, self.array, is_method=False)]
        return values[0]

    def sizes_or_same(self, name: str, arguments: list[Any]) -> Any:
        """`x.float()` and the like give x; `x.size(0)`, `len(x)`, `x.dim()` give plain numbers."""
        array = self.array(arguments[0])
        if name not in SIZE_METHODS:
            kinds = [name, *(one.path for one in arguments[1:] if isinstance(one, LibraryName))]
            return array + 0j if COMPLEX_DTYPE_NAMES.intersection(map(_last_word, kinds)) else array
        shape = tuple(int(length) for length in array.shape)
        if name in ("dim", "ndimension", "ndim"):
            return len(shape)
        if name in ("numel", "nelement"):
            total = 1
            for length in shape:
                total *= length
            return total
        if name == "len":
            return shape[0] if shape else 1
        return shape[arguments[1]] if len(arguments) > 1 else shape

    def slice(self, part: Slice, done: Done) -> Any:
        bounds = (part.start, part.stop, part.step)
        return slice(*(None if b is None else self.index_item(done[id(b)]) for b in bounds))

    def index(self, part: Index, done: Done) -> Any:
        value = done[id(part.value)]
        items = [done[id(item)] for item in part.items]
        if isinstance(value, list | tuple) and len(items) == 1 and isinstance(items[0], int):
            return value[items[0]]
        if len(items) == 1 and isinstance(items[0], tuple):
            items = list(items[0])
        index = tuple(self.index_item(item) for item in items)
        return self.array(value)[index if len(index) != 1 else index[0]]

    def index_item(self, item: Any) -> Any:
        if item is None or item is Ellipsis or isinstance(item, bool | int | slice):
            return item
        if isinstance(item, float):
            return int(item)
        return self.library.whole(self.array(item))

    def unlisted(self, value: Any) -> Any:
        """An operand of an operator: lists become arrays, numbers stay."""
        return value if isinstance(value, bool | int | float | complex) else self.array(value)

    def array(self, value: Any) -> Any:
        """`value` as an array of the library."""
        if self.library.is_array(value):
            return value
        if isinstance(value, bool | int | float | complex):
            return self.library.array(value)
        if isinstance(value, list | tuple) and value:
            if type(value) not in (list, tuple):  # several results stand for one of them
                return self.array(value[1 if hasattr(value, "logabsdet") else 0])
            if all(isinstance(item, bool | int | float | complex) for item in value):
                return self.library.array(value)
            return self.library.stack([self.array(item) for item in value])
        raise NotAvailable(f"it gives {type(value).__name__} where an array is needed")


def _last_word(path: str) -> str:
    return path.rpartition(".")[2]
