"""Syntax tree + input values -> Graph.

The tracer walks the program once, statement by statement and without recursion. Numbers,
shapes and slices stay plain Python values until an operation needs them as a node, so that
`reshape(x, (2*3,))` and `x.shape[0]` work as everywhere else. What each kind of syntax comes
to is in the files of `tracer/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vjpcli.errors import Diagnostic, Span, fail
from vjpcli.graph.complex_value import Complex, complex_output, names_of_parts
from vjpcli.graph.node import Graph, Node, written_at
from vjpcli.graph.operation import OPERATIONS, Library
from vjpcli.graph.tracer.attributes import Attributes
from vjpcli.graph.tracer.calls import Calls
from vjpcli.graph.tracer.operators import Operators
from vjpcli.graph.tracer.positions import Positions
from vjpcli.graph.tracer.words import Words
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
    Statement,
    Unary,
)
from vjpcli.parser.walk import Done, meaning
from vjpcli.record import record


@record
class Trace:
    """A program as a graph.

    Attributes:
        graph: its one output is the value of the last statement; `graph.names` holds every
            named value.
        output_name: what the program called its output, else the first free of y, z, out.
        conventions: notes on meanings that were taken where libraries differ.
        named: every (name, node) in the order of the statements, rebindings included.
    """

    graph: Graph
    output_name: str
    conventions: tuple[Diagnostic, ...]
    named: tuple[tuple[str, Node], ...]


def trace(program: Program, values: Mapping[str, Any], *, library: Library = "torch") -> Trace:
    """The graph of `program` on inputs of these values.

    Every name in `values` becomes an input of the graph, read or not. The values themselves
    matter only where they decide a shape: in a boolean mask or an index. `library` gives bare
    names their meaning where libraries differ.

    Errors: unknown-name, unknown-function, unknown-keyword, call-of-input, shape-mismatch,
    index-out-of-range, too-large, and what operations refuse; always with a place.
    """
    return _Tracer(program, values, library).run()


class _Tracer(Words, Operators, Attributes, Calls, Positions):
    """One walk through a program."""

    def run(self) -> Trace:
        value: Any = None
        statement: Statement | None = None
        for statement in self.program.statements:
            value = self.declared(statement) or self.evaluate(statement.value)
            self.assign(statement, value)
        if statement is None:
            raise fail(
                "empty-expression",
                "there is no expression",
                source=self.source,
                span=Span(0, len(self.source.text)),
            )
        last = statement.value
        output = self.node(value, last)
        if isinstance(output, Complex):
            raise complex_output(self.source, last.span, self.inputs)
        if output.kind != "real":
            # A condition counts as 0 and 1, as everywhere; its derivative is zero.
            with written_at(last.span):
                output = (
                    OPERATIONS["where"](output, 1.0, 0.0) if output.kind == "condition" else output
                )
        name = statement.targets[0] if len(statement.targets) == 1 else self.free_output_name()
        names = dict(self.named)
        names[name] = output
        graph = Graph.reaching({name: output}, self.inputs, names)
        return Trace(graph, name, tuple(self.conventions.values()), tuple(self.named))

    def declared(self, statement: Statement) -> Node | None:
        """The input that a statement only declares, where it has got its value already."""
        return self.inputs.get(statement.targets[0]) if statement.declares_leaf else None

    def free_output_name(self) -> str:
        taken = self.environment.keys()
        candidates = ("y", "z", "out", "output", *(f"y{i}" for i in range(len(taken) + 1)))
        return next(name for name in candidates if name not in taken)

    def assign(self, statement: Statement, value: Any) -> None:
        targets = statement.targets
        if not targets:
            return
        parts = [value] if len(targets) == 1 else self.unpack(statement, value)
        for target, part in zip(targets, parts, strict=True):
            self.environment[target] = part
            if isinstance(part, Node) and part is not self.inputs.get(target):
                self.named.append((target, part))
            elif isinstance(part, Complex):
                real, imaginary = names_of_parts(target)
                self.named += ((real, part.real), (imaginary, part.imaginary))

    def unpack(self, statement: Statement, value: Any) -> list[Any]:
        wanted = len(statement.targets)
        if isinstance(value, Node | Complex) and value.ndim:
            count = value.shape[0]
            if count == wanted:
                with self.place(statement.value):
                    return [OPERATIONS["index"](value, index=(i,)) for i in range(wanted)]
        elif isinstance(value, list | tuple):
            count = len(value)
            if count == wanted:
                return list(value)
        else:
            count = 1
        raise fail(
            "unpack-count",
            f"{wanted} names, but the value has {count}",
            source=self.source,
            span=statement.value.span,
            label=f"{count} to unpack",
        )

    def evaluate(self, root: Expression) -> Any:
        handlers: dict[type, Callable[[Any, Done], Any]] = {
            Number: self.number,
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
            Lambda: self.lambda_value,
            Conditional: self.conditional,
            Comprehension: self.comprehension,
        }
        return meaning(root, handlers, self.callee_name, self.read_attribute)
