"""Syntax tree + input values -> Graph.

The tracer walks the program once, statement by statement and without recursion. Numbers,
shapes and slices stay plain Python values until an operation needs them as a node, so that
`reshape(x, (2*3,))` and `x.shape[0]` work as everywhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from vjpcli.errors import Diagnostic, Fix, Label, Source, Span, VjpError, did_you_mean, fail
from vjpcli.graph.binding import call_operation, constant_array
from vjpcli.graph.names import (
    BARE_DTYPE_NAMES,
    CONSTANTS,
    FOREIGN_ROOTS,
    IDENTITY_METHODS,
    LIBRARY_ROOTS,
    Callee,
    IndexObject,
    LibraryName,
    find_callee,
    is_dtype,
    library_root,
    unknown_function,
)
from vjpcli.graph.node import Graph, Node, ancestors, written_at
from vjpcli.graph.operation import (
    OPERATIONS,
    Library,
    as_node,
    compute,
    make_leaf,
    refuse_oversized,
    shape_text,
)
from vjpcli.graph.results import Results
from vjpcli.parser.syntax import (
    Attribute,
    Binary,
    Call,
    Expression,
    Index,
    Literal,
    Name,
    Number,
    Program,
    Sequence,
    Slice,
    Statement,
    Unary,
    postorder,
)
from vjpcli.parser.walk import Done, meaning, parents_first
from vjpcli.record import record

INFIX: dict[str, str] = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "//": "floor_divide",
    "%": "remainder",
    "**": "power",
    "@": "matmul",
    "&": "logical_and",
    "|": "logical_or",
    "==": "equal",
    "!=": "not_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
}
PREFIX = {"-": "negative", "+": "positive", "~": "logical_not"}
TRANSPOSES = {
    "T": "T", "mT": "matrix_transpose", "H": "T", "mH": "matrix_transpose", "real": "positive",
}  # fmt: skip
"""Attribute -> the operation that it is; every other operation is called."""


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


def free_names(program: Program) -> dict[str, Span]:
    """The names that need a value, in the order of first reading, with the place of it.

    A name in call position (`log(...)`), the root of a library path (`np.log`) and a name
    assigned earlier need none; neither does a known constant such as `pi`.

    Errors: unknown-library.
    """
    found: dict[str, Span] = {}
    assigned: set[str] = set()
    for statement in program.statements:
        not_read: set[int] = set()
        prefixes: dict[int, Attribute] = {}
        for part in parents_first(statement.value):
            if isinstance(part, Call) and isinstance(part.function, Attribute):
                prefixes[id(part.function.value)] = part.function
            if isinstance(part, Call) and isinstance(part.function, Name):
                not_read.add(id(part.function))
            elif (
                isinstance(part, Attribute)
                and isinstance(part.value, Name)
                and part.value.identifier in LIBRARY_ROOTS
            ):
                not_read.add(id(part.value))
        for part in postorder(statement.value):
            if isinstance(part, Name) and id(part) not in not_read:
                name = part.identifier
                if id(part) in prefixes and name in FOREIGN_ROOTS and name not in assigned:
                    raise _unknown_library(program, prefixes[id(part)], part)
                known = name in assigned or name in CONSTANTS or name in BARE_DTYPE_NAMES
                if not known:
                    found.setdefault(name, part.span)
        assigned.update(statement.targets)
    return found


def _unknown_library(program: Program, function: Attribute, root: Name) -> VjpError:
    text = program.source.text
    bare = text[: root.span.start] + text[function.attribute_span.start :]
    return fail(
        "unknown-library",
        f"`{root.identifier}.` is no prefix here: np., torch., F. and jnp. are",
        source=program.source,
        span=root.span,
        fix=Fix(bare, replaces=text, says="with the name alone"),
    )


def trace(program: Program, values: Mapping[str, Any], *, library: Library = "torch") -> Trace:
    """The graph of `program` on inputs of these values.

    Every name in `values` becomes an input of the graph, read or not. The values themselves
    matter only where they decide a shape: in a boolean mask or an index. `library` gives bare
    names their meaning where libraries differ.

    Errors: unknown-name, unknown-function, unknown-keyword, call-of-input, shape-mismatch,
    index-out-of-range, too-large, and what operations refuse; always with a place.
    """
    return _Tracer(program, values, library).run()


class _Tracer:
    """The state of one trace."""

    def __init__(self, program: Program, values: Mapping[str, Any], library: Library) -> None:
        self.program = program
        self.source: Source = program.source
        self.values = {name: np.asarray(value) for name, value in values.items()}
        self.library = library
        self.inputs = {name: make_leaf(name, value.shape) for name, value in self.values.items()}
        self.environment: dict[str, Any] = dict(self.inputs)
        self.named: list[tuple[str, Node]] = []
        self.conventions: dict[str, Diagnostic] = {}
        self.computed: dict[Node, Any] = {}

    def run(self) -> Trace:
        value: Any = None
        statement: Statement | None = None
        for statement in self.program.statements:
            value = self.evaluate(statement.value)
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
            if isinstance(part, Node):
                self.named.append((target, part))

    def unpack(self, statement: Statement, value: Any) -> list[Any]:
        wanted = len(statement.targets)
        if isinstance(value, Node) and value.ndim:
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

    # One method for each kind of syntax; operands are already evaluated.

    def evaluate(self, root: Expression) -> Any:
        handlers: dict[type, Callable[[Any, Done], Any]] = {
            Number: self.number,
            Literal: lambda part, _: part.value,
            Name: self.name,
            Unary: self.unary,
            Binary: self.binary,
            Sequence: self.sequence,
            Attribute: self.attribute,
            Call: self.call,
            Slice: self.slice,
            Index: self.index,
        }
        return meaning(root, handlers, self.callee_name, self.read_attribute)

    @contextmanager
    def place(self, part: Expression, span: Span | None = None) -> Iterator[None]:
        """Nodes made inside stand at `part`; an error without a place is put there."""
        try:
            with written_at(part.span):
                yield
        except VjpError as error:
            raise error.at(self.source, span or part.span) from None

    def number(self, part: Number, _: Done) -> Any:
        return int(part.value) if part.whole and abs(part.value) < 2**53 else part.value

    def name(self, part: Name, _: Done) -> Any:
        name = part.identifier
        if name in self.environment:
            return self.environment[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in LIBRARY_ROOTS:
            return library_root(name)
        if name in BARE_DTYPE_NAMES:
            return LibraryName("numpy", f"np.{name}")
        known = [*self.environment, *CONSTANTS]
        guess = did_you_mean(name, known)
        fix = self.replacement(part.span, guess) if guess else None
        notes: tuple[str, ...] = ()
        if self.source.origin.startswith("value of "):
            notes = ("a value is numbers, a file or a builder; it reads no other name",)
        elif fix is None:
            fix = Fix(adds=(f"{name}=1,2,3",))
        raise fail(
            "unknown-name",
            f"`{name}` has no value",
            source=self.source,
            span=part.span,
            label=f"did you mean {guess}?" if guess else "",
            notes=notes,
            fix=fix,
        )

    def callee_name(self, part: Name) -> Any:
        name = part.identifier
        callee = find_callee(name, self.library)
        if name in self.environment and not (callee and name not in self.inputs):
            return self.environment[name]
        if callee is None:
            raise unknown_function(name, self.source, part.span)
        return callee

    def unary(self, part: Unary, done: Done) -> Any:
        operand = done[id(part.operand)]
        if isinstance(operand, bool) and part.operator == "~":
            return not operand
        if isinstance(operand, int | float):
            return -operand if part.operator == "-" else operand
        with self.place(part, part.operator_span):
            return OPERATIONS[PREFIX[part.operator]](self.node(operand, part.operand))

    def binary(self, part: Binary, done: Done) -> Any:
        left, right = done[id(part.left)], done[id(part.right)]
        operation = OPERATIONS[INFIX[part.operator]]
        if isinstance(left, int | float) and isinstance(right, int | float):
            return fold(operation.forward, left, right)
        joined = joined_tuples(part.operator, left, right)
        if joined is not None:
            return joined
        a, b = self.node(left, part.left), self.node(right, part.right)
        try:
            with written_at(part.span):
                return self.checked(operation(a, b), part.operator_span)
        except VjpError as error:
            if error.diagnostic.source is not None:
                raise
            labels = (
                Label(part.operator_span, ""),
                Label(part.left.span, shape_text(a.shape)),
                Label(part.right.span, shape_text(b.shape)),
            )
            diagnostic = error.diagnostic.at(self.source, part.operator_span)
            raise VjpError(_with_labels(diagnostic, labels)) from None

    def sequence(self, part: Sequence, done: Done) -> Any:
        items = [done[id(item)] for item in part.items]
        return items if part.is_list else tuple(items)

    def attribute(self, part: Attribute, done: Done) -> Any:
        value, name = done[id(part.value)], part.attribute
        if isinstance(value, LibraryName):
            return value.member(name, self.source, part.span)
        if isinstance(value, Results) and name in value.names:
            return value.named(name)
        if name.startswith("__"):
            raise self.refuse_attribute(
                part, "attributes with underscores are not part of the language"
            )
        if isinstance(value, Callee | IndexObject):
            return self.behind_function(part, value)
        return self.of_array(part, self.node(value, part.value))

    def of_array(self, part: Attribute, node: Node) -> Any:
        """What stands behind an array: its shape, its transpose, a method."""
        name = part.attribute
        if name in ("shape", "ndim"):
            return getattr(node, name)
        if name in TRANSPOSES:
            with self.place(part, part.attribute_span):
                return OPERATIONS[TRANSPOSES[name]](node)
        if name in ("grad", "grad_fn", "data", "requires_grad", "backward"):
            raise self.refuse_attribute(
                part, "gradients are what vjp prints: write only the expression, seeds go in --seed"
            )
        if name in IDENTITY_METHODS:
            return Callee(None, self.library, name, receiver=node)
        callee = find_callee(name, self.library, receiver=node)
        if callee is None:
            raise unknown_function(name, self.source, part.attribute_span, method=True)
        return callee

    def behind_function(self, part: Attribute, value: Callee | IndexObject) -> Any:
        """`np.add.reduce`; nothing else stands behind a function's name."""
        if isinstance(value, IndexObject):
            raise self.refuse_attribute(part, f"np.{value.name} is followed by square brackets")
        method = value.method(part.attribute)
        if method is None:
            raise self.refuse_attribute(part, "a function has no attributes here")
        return method

    def read_attribute(self, part: Attribute, found: Any) -> Any:
        """What an attribute comes to that no brackets follow: NumPy's `x.size` is a number."""
        if not isinstance(found, Callee) or found.receiver is None:
            return found
        return found.receiver.size if part.attribute == "size" else found

    def refuse_attribute(self, part: Attribute, why: str) -> VjpError:
        return fail(
            "attribute-access",
            f"`.{part.attribute}` cannot be read",
            source=self.source,
            span=part.attribute_span,
            notes=(why,),
        )

    def call(self, part: Call, done: Done) -> Any:
        callee = done[id(part.function)]
        operation = callee.operation if isinstance(callee, Callee) else None
        several = operation is not None and operation.takes_several
        arguments = [self.plain(done[id(one)], one, several=several) for one in part.arguments]
        keywords = [
            (k.name, self.plain(done[id(k.value)], k.value, several=several), k.name_span)
            for k in part.keywords
        ]
        if isinstance(callee, LibraryName) and is_dtype(callee.path):
            callee = find_callee("float", self.library)  # np.float64(3) is 3
        if not isinstance(callee, Callee):
            raise self.call_of_value(part, callee)
        name_span = (
            part.function.attribute_span
            if isinstance(part.function, Attribute)
            else part.function.span
        )
        with self.place(part, name_span):
            result, convention = call_operation(
                callee,
                arguments,
                keywords,
                self.source,
                self.value_of,
            )
        if convention:
            self.conventions.setdefault(
                convention,
                Diagnostic(
                    "convention",
                    convention,
                    severity="note",
                    source=self.source,
                    labels=(Label(name_span),),
                ),
            )
        return self.checked(result, name_span)

    def call_of_value(self, part: Call, callee: Any) -> VjpError:
        text = self.source.text
        function = text[part.function.span.start : part.function.span.end]
        inside = text[part.function.span.end : part.span.end]
        what = "a number" if isinstance(callee, int | float) else "a value"
        if isinstance(part.function, Name) and part.function.identifier in self.inputs:
            what = "an input"
        if isinstance(callee, IndexObject):
            inner = inside.strip().removeprefix("(").removesuffix(")")
            return fail(
                "call-of-input",
                f"{function} is followed by square brackets",
                source=self.source,
                span=part.function.span,
                fix=self.replacement(part.span, f"{function}[{inner}]"),
            )
        product = f"{function}*{inside}"
        return fail(
            "call-of-input",
            f"`{function}` is {what}, not a function",
            source=self.source,
            span=part.function.span,
            label=f"did you mean {product}?",
            fix=self.replacement(part.span, product),
        )

    def slice(self, part: Slice, done: Done) -> slice:
        def bound(expression: Expression | None) -> Any:
            if expression is None:
                return None
            value = done[id(expression)]
            whole = self.whole(value)
            if whole is not None or value is None or isinstance(value, float):
                return value if whole is None else whole
            raise self.slice_error(expression)

        return slice(bound(part.start), bound(part.stop), bound(part.step))

    def slice_error(self, bound: Expression) -> VjpError:
        return fail(
            "index-not-whole",
            "a slice is given by whole numbers",
            source=self.source,
            span=bound.span,
        )

    def require_whole_slices(self, part: Index, items: list[Any]) -> None:
        """Refuses `x[0.5:2]`; in `np.mgrid[0:1:0.5]` numbers that are not whole have a meaning."""
        for item, syntax in zip(items, part.items, strict=True):
            if isinstance(item, slice) and isinstance(syntax, Slice):
                for value, bound in (
                    (item.start, syntax.start),
                    (item.stop, syntax.stop),
                    (item.step, syntax.step),
                ):
                    if isinstance(value, float) and bound is not None:
                        raise self.slice_error(bound)

    def index(self, part: Index, done: Done) -> Any:
        value = done[id(part.value)]
        items = [done[id(item)] for item in part.items]
        if isinstance(value, IndexObject):
            from vjpcli.graph.bracketed import bracketed  # noqa: PLC0415  (few programs need it)

            with self.place(part, part.value.span):
                return self.checked(bracketed(value.name, items), part.value.span)
        self.require_whole_slices(part, items)
        if isinstance(value, list | tuple) and len(items) == 1:
            position = self.whole(items[0])
            if position is not None and -len(value) <= position < len(value):
                return value[position]
            if isinstance(items[0], slice):
                return value[items[0]]
        node = self.node(value, part.value)
        places = list(part.items)
        if len(items) == 1 and isinstance(items[0], tuple):
            # `i = nonzero(m); x[i]` is x[i[0], i[1]], as in NumPy.
            items = list(items[0])
            places *= len(items)
        index = tuple(
            self.index_item(item, syntax) for item, syntax in zip(items, places, strict=True)
        )
        place = Span(part.items[0].span.start, part.items[-1].span.end) if part.items else part.span
        with self.place(part, place):
            return self.checked(OPERATIONS["index"](node, index=index), place)

    def index_item(self, item: Any, syntax: Expression) -> Any:
        """An index as NumPy takes it; what depends on inputs is decided here, by their values."""
        whole = self.whole(item)
        if whole is not None and not isinstance(item, bool):
            return whole
        if isinstance(item, slice | bool) or item is None or item is Ellipsis:
            return item
        node = self.node(item, syntax)
        value = self.value_of(node)
        if value.dtype == np.bool_:
            return value
        if np.all(np.abs(value) < 2**53) and np.all(value == np.floor(value)):
            return value.astype(np.intp)
        raise fail(
            "index-not-whole",
            "an index is a whole number",
            source=self.source,
            span=syntax.span,
        )

    # Helpers.

    def whole(self, value: Any) -> int | None:
        if isinstance(value, bool):
            return None
        if isinstance(value, int):
            return value
        if isinstance(value, Node) and value.ndim == 0 and value.kind != "condition":
            number = float(self.value_of(value))
            return int(number) if number.is_integer() else None
        return None

    def node(self, value: Any, part: Expression) -> Node:
        """`value` as a node: numbers and lists of them are constants, lists of nodes stacked."""
        if isinstance(value, Node):
            return value
        with self.place(part):
            if isinstance(value, Results):
                return value.default
            if isinstance(value, list | tuple):
                return self.stacked(value, part)
            if isinstance(value, bool | int | float):
                return as_node(value)
            what = {str: "text", slice: "a slice"}.get(type(value), "a function")
            if value is None or value is Ellipsis:
                what = str(value) if value is None else "..."
            if isinstance(value, Callee):
                what = f"the function {value.name}; call it, as in {value.name}(x)"
            raise fail("not-a-number", f"a number or an array is needed here, not {what}")

    def stacked(self, items: Any, part: Expression) -> Node:
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
        stacked: Node = OPERATIONS["stack"](*nodes, axis=0)
        return stacked

    def plain(self, value: Any, part: Expression, *, several: bool = False) -> Any:
        """An argument: lists with nodes in them stay lists, several results give their default.

        With `several` those stay several: the function takes lists, as `concatenate` does.
        """
        if isinstance(value, Results) and not several:
            return self.node(value, part)
        if isinstance(value, LibraryName):
            return value.path
        return value

    def checked(self, result: Any, span: Span) -> Any:
        try:
            for node in result if isinstance(result, tuple) else (result,):
                if isinstance(node, Node):
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


def _with_labels(diagnostic: Diagnostic, labels: tuple[Label, ...]) -> Diagnostic:
    from dataclasses import replace  # noqa: PLC0415  (only on the way to an error)

    return replace(diagnostic, labels=labels)


LONGEST_TUPLE = 1000


def joined_tuples(operator: str, left: Any, right: Any) -> tuple[Any, ...] | None:
    """`x.shape + (1,)` and `(1,) * 3` as Python has them; None where no tuples are joined."""
    if isinstance(left, Results) or isinstance(right, Results):
        return None
    if operator == "+" and isinstance(left, tuple) and isinstance(right, tuple):
        return left + right
    if operator == "*" and isinstance(left, int) and isinstance(right, tuple):
        left, right = right, left
    if operator == "*" and isinstance(left, tuple) and isinstance(right, int):
        return left * right if len(left) * right <= LONGEST_TUPLE else None
    return None


def fold(forward: Callable[..., Any] | None, left: float, right: float) -> Any:
    """Arithmetic on two plain numbers, in float64; whole stays whole while it is exact."""
    assert forward is not None
    with np.errstate(all="ignore"):
        result = forward(np.float64(left), np.float64(right))
    if isinstance(result, np.bool_ | bool):
        return bool(result)
    whole = isinstance(left, int) and isinstance(right, int)
    if whole and np.isfinite(result) and abs(result) < 2**53 and float(result).is_integer():
        return int(result) if forward is not np.divide else float(result)
    return float(result)
