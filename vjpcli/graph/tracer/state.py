"""What one trace knows so far, and how its values become nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from vjpcli.errors import Diagnostic, Fix, Source, Span, VjpError, fail
from vjpcli.graph.binding import constant_array
from vjpcli.graph.complex_value import Complex, complex_values
from vjpcli.graph.libraries import LibraryName, aliases_of
from vjpcli.graph.names import Callee, Transform
from vjpcli.graph.node import Node, ancestors, written_at
from vjpcli.graph.operation import OPERATIONS, Library, as_node, compute, make_leaf
from vjpcli.graph.results import Results
from vjpcli.graph.shapes import refuse_oversized, shape_text
from vjpcli.graph.tracer.objects import Comprehended, Frozen, Function, Mapped
from vjpcli.graph.tracer.updates import At, Place, Update
from vjpcli.parser.syntax import Expression, Program, Sequence

PLAIN = (int, float, complex)
"""Numbers that stay Python's own until an operation needs them as a node."""


MOST_ENTRIES = 100_000
"""Entries of lists in lists that one program may be written out into."""


class State:
    """The state of one trace.

    Attributes:
        values: input name -> array.
        inputs: input name -> leaf.
        environment: every name -> what it means now.
        named: every (name, node) in the order of the statements.
        conventions: notes on meanings that were taken, by their text.
        computed: node -> its value, for what the trace has had to look at.
        weights: id of a list -> how many entries are in it and in its lists; and the list.
        local: what the parameters of the function mean that is being written out.
        turns: turns of loops and calls of functions so far.
        depth: functions inside of each other now.
    """

    def __init__(self, program: Program, values: Mapping[str, Any], library: Library) -> None:
        self.program = program
        self.source: Source = program.source
        self.values = {name: np.asarray(value) for name, value in values.items()}
        self.library = library
        self.inputs = {name: make_leaf(name, value.shape) for name, value in self.values.items()}
        self.environment: dict[str, Any] = {
            **aliases_of(program),
            **self.inputs,
            **complex_values(self.inputs),
        }
        self.named: list[tuple[str, Node]] = []
        self.conventions: dict[str, Diagnostic] = {}
        self.computed: dict[Node, Any] = {}
        self.weights: dict[int, tuple[int, Any]] = {}
        self.local: Mapping[str, Any] = {}
        self.turns = 0
        self.depth = 0

    def evaluate(self, root: Expression) -> Any:
        """What an expression comes to."""
        raise NotImplementedError

    @contextmanager
    def place(self, part: Expression, span: Span | None = None) -> Iterator[None]:
        """Nodes made inside stand at `part`; an error without a place is put there."""
        try:
            with written_at(part.span):
                yield
        except VjpError as error:
            raise error.at(self.source, span or part.span) from None

    def whole(self, value: Any) -> int | None:
        if isinstance(value, bool):
            return None
        if isinstance(value, int):
            return value
        if isinstance(value, Node) and value.ndim == 0 and value.kind != "condition":
            number = float(self.value_of(value))
            return int(number) if number.is_integer() else None
        return None

    def node(self, value: Any, part: Expression) -> Any:
        """`value` as a Node or Complex: numbers are constants, lists of nodes are stacked."""
        if isinstance(value, Node | Complex):
            return value
        with self.place(part):
            if isinstance(value, Results) and not value.are_parts:
                return value.default
            if isinstance(value, list | tuple):
                return self.stacked(value, part)
            if isinstance(value, Function):
                raise self.body_alone(value)
            if isinstance(value, PLAIN):
                return as_node(value)
            raise fail(
                "not-a-number", f"a number or an array is needed here, not {self.kind_of(value)}"
            )

    def kind_of(self, value: Any) -> str:
        """What a value is that is neither a number nor an array, in words."""
        what = {str: "text", slice: "a slice"}.get(type(value), "a function")
        if value is None or value is Ellipsis:
            what = str(value) if value is None else "..."
        if isinstance(value, Callee):
            what = f"the function {value.name}; call it, as in {value.name}(x)"
        if isinstance(value, LibraryName):
            what = f"{value.path}, which says how numbers are kept or where functions are"
        if isinstance(value, Frozen):
            what = "a distribution; its numbers are d.logpdf(x), d.cdf(x)"
        if isinstance(value, Mapped | Transform):
            what = "a function of functions; call it, as in jax.vmap(f)(x)"
        if isinstance(value, At | Place | Update):
            what = "a place of an array; write to it, as in x.at[0].set(1)"
        if type(value).__module__ == "vjpcli.graph.modules":
            what = "a module; apply it, as in nn.ReLU()(x)"
        if type(value).__module__ == "vjpcli.graph.distributions":
            what = "a distribution; its numbers are d.log_prob(x), d.entropy(), d.mean"
        return what

    def body_alone(self, function: Function) -> VjpError:
        """The refusal of a lambda where a number is wanted."""
        body = function.syntax.body.span
        text = self.source.text[body.start : body.end]
        start = function.syntax.span.start
        return fail(
            "lambda-expression",
            "a lambda is a function, and a number is wanted: call it, or write its body alone",
            source=self.source,
            span=Span(start, start + len("lambda")),
            fix=self.replacement(
                function.syntax.span, text if text.isidentifier() else f"({text})"
            ),
        )

    def stacked(self, items: Any, part: Expression) -> Any:
        constant = constant_array(items)
        if constant is not None:
            return as_node(constant)
        parts = part.items if isinstance(part, Sequence) else [part] * len(items)
        nodes = [self.node(item, syntax) for item, syntax in zip(items, parts, strict=True)]
        shapes = {node.shape for node in nodes}
        if len(shapes) > 1:
            odd = next(i for i, node in enumerate(nodes) if node.shape != nodes[0].shape)
            raise fail(
                "ragged-rows",
                f"the entries of [...] have different shapes: {shape_text(nodes[0].shape)} and "
                f"{shape_text(nodes[odd].shape)}",
                source=self.source,
                span=parts[odd].span,
                label=shape_text(nodes[odd].shape),
                notes=("[...] stacks entries of one shape; concatenate([...]) joins longer ones",),
            )
        if not nodes:
            return as_node(np.zeros(0))
        return OPERATIONS["stack"](*nodes, axis=0)

    def weigh(self, entries: list[Any] | tuple[Any, ...], part: Expression) -> None:
        """Counts the entries of lists in lists: a list that holds another twice doubles it.

        Errors: too-large.
        """
        weight = 0
        for entry in entries:
            is_list = isinstance(entry, list | tuple)
            weight += self.weights.get(id(entry), (len(entry), None))[0] if is_list else 1
        if weight > len(entries):
            self.weights[id(entries)] = (weight, entries)
        if weight > max(MOST_ENTRIES, len(self.source.text)):
            with self.place(part):
                raise fail("too-large", f"lists in lists of {weight:,} entries are written out")

    def plain(self, value: Any, part: Expression, *, several: bool = False) -> Any:
        """An argument: lists with nodes in them stay lists, named results give their default.

        With `several` those stay several: the function takes lists, as `concatenate` does.
        """
        if isinstance(value, Results) and not several:
            return Comprehended(value) if value.are_parts else self.node(value, part)
        if isinstance(value, LibraryName):
            return value.path
        return value

    def checked(self, result: Any, span: Span) -> Any:
        try:
            for node in result if isinstance(result, tuple) else (result,):
                if isinstance(node, Node | Complex):
                    refuse_oversized(node.shape)
        except VjpError as error:
            raise error.at(self.source, span) from None
        return result

    def value_of(self, node: Node) -> Any:
        """The value of `node` now, for an index, a mask or a static argument."""
        with np.errstate(all="ignore"):
            for each in sorted(ancestors([node]) - self.computed.keys(), key=lambda n: n.serial):
                operands = [self.computed[operand] for operand in each.operands]
                self.computed[each] = compute(each, operands, self.values)
        return self.computed[node]

    def replacement(self, span: Span, text: str) -> Fix:
        whole = self.source.text
        return Fix(text=whole[: span.start] + text + whole[span.end :], replaces=whole)
