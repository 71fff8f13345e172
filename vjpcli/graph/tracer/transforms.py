"""What JAX and PyTorch apply to functions: vmap, jit, and the loops of lax, written out.

A loop whose end depends on an input is decided by present values, as an index is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from vjpcli.errors import Span, VjpError, fail
from vjpcli.graph.names import Callee
from vjpcli.graph.node import Node
from vjpcli.graph.operation import OPERATIONS
from vjpcli.graph.tracer.functions import Functions
from vjpcli.graph.tracer.objects import Function, Mapped
from vjpcli.parser.syntax import Call

KEEPING = {"jit", "compile", "checkpoint", "remat", "ensure_compile_time_eval"}
"""Transforms that change how a function is run, not what it gives."""

Keywords = Sequence[tuple[str, Any, Span]]


class Transforms(Functions):
    """Calls functions that are given to other functions."""

    def transformed(
        self, part: Call, name: str, arguments: Sequence[Any], keywords: Keywords
    ) -> Any:
        """`jax.vmap(f)`, `lax.fori_loop(0, 3, f, x)` and their kin.

        Errors: missing-argument, too-many-arguments, unknown-keyword, keyword-value, not-iterable,
        unrolled-too-far, and those of the function
        """
        named = {word: value for word, value, _ in keywords}
        if name in KEEPING:
            return self.function_in(name, arguments, 0)
        if name == "vmap":
            function = self.function_in(name, arguments, 0)
            axes = named.get("in_axes", named.get("in_dims", _at(arguments, 1, 0)))
            if named.get("out_axes", named.get("out_dims", _at(arguments, 2, 0))) != 0:
                raise fail("keyword-value", "vmap stacks its results along axis 0 here")
            return Mapped(function, axes)
        loops: dict[str, Callable[[Call, str, Sequence[Any]], Any]] = {
            "fori_loop": self.counted_loop,
            "while_loop": self.open_loop,
            "scan": self.scan,
            "map": self.map,
            "cond": self.choice,
        }
        order = _ORDERS[name]
        words = order.split()
        given = list(arguments)
        if name != "cond" and len(given) > len(words):
            raise fail("too-many-arguments", f"{name} takes {len(words)} arguments: {order}")
        for word in words[len(given) :]:
            if word in named:
                given.append(named.pop(word))
            elif word in ("xs", "length", "reverse"):
                given.append(None)
            else:
                raise fail("missing-argument", f"{name} needs `{word}`")
        unknown = next((word for word in named if word not in ("unroll", "operand")), None)
        if unknown is not None:
            raise fail("unknown-keyword", f"{name} has no keyword `{unknown}` here")
        return loops[name](part, name, given)

    def function_in(self, name: str, arguments: Sequence[Any], place: int) -> Any:
        """The function among the arguments.

        Errors: missing-argument
        """
        function = _at(arguments, place, None)
        if not isinstance(function, Function | Callee | Mapped) and not hasattr(function, "steps"):
            raise fail(
                "missing-argument", f"{name} needs a function, such as a lambda: lambda q: q**2"
            )
        return function

    def applied(self, part: Call, function: Any, arguments: Sequence[Any]) -> Any:
        """What a function gives that was handed over to another one."""
        span = part.function.span
        if isinstance(function, Function):
            return self.apply(function, arguments, (), span)
        if isinstance(function, Mapped):
            return self.mapped(part, function, arguments)
        return self.call_value(part, function, list(arguments))

    def call_value(self, part: Call, function: Any, arguments: list[Any]) -> Any:
        """What a library's function or a module gives."""
        raise NotImplementedError

    def mapped(self, part: Call, mapping: Mapped, arguments: Sequence[Any]) -> Any:
        """`vmap(f)(x)`: f of each entry along an axis, stacked."""
        axes = mapping.axes
        several = axes if isinstance(axes, list | tuple) else [axes] * len(arguments)
        if len(several) != len(arguments) or all(axis is None for axis in several):
            raise fail("keyword-value", "in_axes names one axis, or None, for each argument")
        columns: list[Any] = []
        for argument, axis in zip(arguments, several, strict=True):
            if axis is None:
                columns.append(None)
                continue
            node = self.node(argument, part)
            if axis != 0:
                node = OPERATIONS["moveaxis"](node, source=axis, destination=0)
            columns.append(self.entries(node, part))
        lengths = {len(column) for column in columns if column is not None}
        if len(lengths) > 1:
            listed = " and ".join(map(str, sorted(lengths)))
            raise fail("shape-mismatch", f"vmap goes through axes of lengths {listed} at once")
        found = []
        for turn in range(lengths.pop()):
            self.count_turns(1, part.span)
            given = [
                argument if column is None else column[turn]
                for argument, column in zip(arguments, columns, strict=True)
            ]
            found.append(self.applied(part, mapping.function, given))
        return self.together(part, found)

    def together(self, part: Call, results: Sequence[Any]) -> Any:
        """The results of all turns, stacked; several in each turn are stacked one by one."""
        if results and all(isinstance(one, list | tuple) for one in results):
            return tuple(self.stacked(list(column), part) for column in zip(*results, strict=True))
        if any(one is None for one in results):
            return None
        return self.stacked(list(results), part)

    def counted_loop(self, part: Call, name: str, given: Sequence[Any]) -> Any:
        function = self.function_in(name, given, 2)
        value = given[3]
        for turn in self.call_built_in("range", given[:2], part):
            self.count_turns(1, part.span)
            value = self.applied(part, function, [turn, value])
        return value

    def open_loop(self, part: Call, name: str, given: Sequence[Any]) -> Any:
        goes_on, body = self.function_in(name, given, 0), self.function_in(name, given, 1)
        value = given[2]
        while self.holds(self.applied(part, goes_on, [value]), part):
            self.count_turns(1, part.span)
            value = self.applied(part, body, [value])
        return value

    def scan(self, part: Call, name: str, given: Sequence[Any]) -> Any:
        function = self.function_in(name, given, 0)
        carried, xs, length, backwards = given[1:5]
        if xs is None:
            if not isinstance(length, int):
                raise fail("missing-argument", "scan needs `xs`, or a `length`")
            self.count_turns(length, part.span)
        rows = [None] * (length or 0) if xs is None else list(self.entries(xs, part))
        outputs = []
        for row in reversed(rows) if backwards else rows:
            self.count_turns(1, part.span)
            result = self.applied(part, function, [carried, row])
            if not isinstance(result, list | tuple) or len(result) != 2:
                raise self.not_a_pair()
            carried, output = result
            outputs.append(output)
        if backwards:
            outputs.reverse()
        return (carried, self.together(part, outputs))

    def not_a_pair(self) -> VjpError:
        return fail(
            "unpack-count",
            "the function of scan gives two values: what is carried on, and an output",
            notes=("lambda carried, x: (carried + x, carried)",),
        )

    def map(self, part: Call, name: str, given: Sequence[Any]) -> Any:
        return self.mapped(part, Mapped(self.function_in(name, given, 0), 0), given[1:])

    def choice(self, part: Call, name: str, given: Sequence[Any]) -> Any:
        place = 1 if self.holds(given[0], part) else 2
        return self.applied(part, self.function_in(name, given, place), given[3:])

    def holds(self, condition: Any, part: Call) -> bool:
        """Whether a condition holds now.

        Errors: not-a-number, shape-mismatch
        """
        node = self.node(condition, part)
        if not isinstance(node, Node) or node.size != 1:
            raise fail("shape-mismatch", "a condition that chooses is one number, not several")
        return bool(self.value_of(node).item())


_ORDERS = {
    "fori_loop": "lower upper body_fun init_val",
    "while_loop": "cond_fun body_fun init_val",
    "scan": "f init xs length reverse",
    "map": "f xs",
    "cond": "pred true_fun false_fun",
}


def _at(values: Sequence[Any], place: int, default: Any) -> Any:
    return values[place] if len(values) > place else default
