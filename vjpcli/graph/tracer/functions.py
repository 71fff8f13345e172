"""Functions that a program defines, and what runs them: lambda, comprehensions, `if`.

Nothing is looped over when a gradient is computed: every turn is traced once, with the values
of that turn, as if its text had been written out. So turns are counted, and both their number
and their depth have a limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from vjpcli.errors import Span, VjpError, fail
from vjpcli.graph.node import Node, ancestors
from vjpcli.graph.operation import OPERATIONS, leaf
from vjpcli.graph.tracer.objects import Comprehended, Function
from vjpcli.graph.tracer.state import State
from vjpcli.parser.syntax import Comprehension, Conditional, Expression, Lambda, Loop
from vjpcli.parser.walk import Done

MOST_TURNS = 20_000
"""Turns and calls of functions that one program may be written out into."""

DEEPEST_CALLS = 30
"""Functions that may be inside of each other; this is what Python's own stack must hold."""


class Functions(State):
    """Writes out functions and turns."""

    def lambda_value(self, part: Lambda, done: Done) -> Function:
        return Function(part, tuple(done[id(one)] for one in part.defaults), self.local)

    def conditional(self, part: Conditional, done: Done) -> Any:
        """The branch that a plain condition chooses; the other one is not even read."""
        condition = done[id(part.condition)]
        while True:
            chosen = self.decided(condition)
            if chosen is None:
                raise self.undecided(part)
            branch = part.yes if chosen else part.no
            if not isinstance(branch, Conditional):
                with self.deeper(branch.span):
                    return self.evaluate(branch)
            part = branch  # a long chain of else costs no depth
            with self.deeper(part.span):
                condition = self.evaluate(part.condition)

    def decided(self, condition: Any) -> bool | None:
        """Whether a condition holds, where that does not depend on an input."""
        if isinstance(condition, bool | int | float):
            return bool(condition)
        if isinstance(condition, Node) and condition.size == 1:
            if any(node.operation is leaf for node in ancestors([condition])):
                return None
            return bool(self.value_of(condition).item())
        return None

    def undecided(self, part: Conditional) -> VjpError:
        text = self.source.text
        condition, yes, no = (
            text[one.span.start : one.span.end] for one in (part.condition, part.yes, part.no)
        )
        return fail(
            "if-expression",
            "`if` does not choose entry by entry: where(condition, a, b) does",
            source=self.source,
            span=part.word_span,
            fix=self.replacement(part.span, f"where({condition}, {yes}, {no})"),
        )

    def comprehension(self, part: Comprehension, _: Done) -> Comprehended:
        scopes: list[Mapping[str, Any]] = [self.local]
        found = Comprehended()
        with self.deeper(part.span):
            for loop in part.loops:
                scopes = [inner for scope in scopes for inner in self.turns_of(loop, scope)]
            for scope in scopes:
                with self.inside(scope):
                    found.append(self.plain(self.evaluate(part.entry), part.entry))
        self.weigh(found, part)
        return found

    def turns_of(self, loop: Loop, scope: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """What the names mean in each turn of a loop that is not left out."""
        with self.inside(scope):
            values = self.entries(self.evaluate(loop.values), loop.values)
        for value in values:
            self.count_turns(1, loop.values.span)
            inner = {**scope, **self.named_parts(loop.targets, value, loop.values)}
            with self.inside(inner):
                kept = all(self.kept(condition) for condition in loop.conditions)
            if kept:
                yield inner

    @contextmanager
    def inside(self, scope: Mapping[str, Any]) -> Iterator[None]:
        """The names of a function or a turn, for as long as its body is read."""
        outer = self.local
        self.local = scope
        try:
            yield
        finally:
            self.local = outer

    def kept(self, condition: Expression) -> bool:
        chosen = self.decided(self.evaluate(condition))
        if chosen is None:
            raise fail(
                "comprehension",
                "a comprehension cannot leave out entries by the value of an input",
                source=self.source,
                span=condition.span,
                notes=("a mask does: x[x > 0]",),
            )
        return chosen

    def named_parts(self, targets: Sequence[str], value: Any, part: Expression) -> dict[str, Any]:
        """The targets of a loop with what they mean in one turn."""
        if len(targets) == 1:
            return {targets[0]: value}
        values = self.entries(value, part)
        if len(values) != len(targets):
            raise fail(
                "unpack-count",
                f"{len(targets)} names, but the value has {len(values)}",
                source=self.source,
                span=part.span,
            )
        return dict(zip(targets, values, strict=True))

    def entries(self, value: Any, part: Expression) -> Sequence[Any]:
        """What a loop goes through: entries of a list, rows of an array.

        Errors: not-iterable, unrolled-too-far.
        """
        if isinstance(value, list | tuple):
            return value
        node = self.node(value, part)
        if not node.ndim:
            raise fail(
                "not-iterable",
                "a number has no entries to go through",
                source=self.source,
                span=part.span,
                notes=("range(3) gives 0, 1, 2",),
            )
        self.count_turns(node.shape[0], part.span)
        with self.place(part):
            return [OPERATIONS["index"](node, index=(i,)) for i in range(node.shape[0])]

    def apply(
        self,
        function: Function,
        arguments: Sequence[Any],
        keywords: Sequence[tuple[str, Any, Span]],
        span: Span,
    ) -> Any:
        """The body of a lambda with its parameters given.

        Errors: too-many-arguments, missing-argument, unknown-keyword, argument-twice,
        unrolled-too-far, and those of the body.
        """
        names = function.syntax.parameters
        if len(arguments) > len(names):
            raise fail(
                "too-many-arguments",
                f"the lambda takes {len(names)} argument{'s' * (len(names) != 1)}, "
                f"and {len(arguments)} are given",
                source=self.source,
                span=span,
            )
        given = self.bound(function, arguments, keywords, span)
        self.count_turns(1, span)
        with self.deeper(span), self.inside({**function.local, **given}):
            return self.evaluate(function.syntax.body)

    def bound(
        self,
        function: Function,
        arguments: Sequence[Any],
        keywords: Sequence[tuple[str, Any, Span]],
        span: Span,
    ) -> dict[str, Any]:
        """The parameters of a lambda with what is given for them."""
        names = function.syntax.parameters
        given = dict(zip(names, arguments, strict=False))
        for name, value, at in keywords:
            if name not in names:
                raise fail(
                    "unknown-keyword",
                    f"the lambda has no parameter `{name}`",
                    source=self.source,
                    span=at,
                    notes=(f"its parameters: {', '.join(names) or 'none'}",),
                )
            if name in given:
                raise fail(
                    "argument-twice", f"the lambda got `{name}` twice", source=self.source, span=at
                )
            given[name] = value
        defaults = dict(
            zip(names[len(names) - len(function.defaults) :], function.defaults, strict=True)
        )
        given = {**defaults, **given}
        missing = [name for name in names if name not in given]
        if missing:
            raise fail(
                "missing-argument",
                f"the lambda needs `{missing[0]}`",
                source=self.source,
                span=span,
            )
        return given

    def call_built_in(self, name: str, arguments: Sequence[Any], part: Expression) -> list[Any]:
        """`range(3)`, `enumerate(x)`, `zip(a, b)` as lists.

        Errors: not-iterable, keyword-value, missing-argument, unrolled-too-far.
        """
        if not arguments:
            raise fail("missing-argument", f"{name} needs what it goes through")
        if name == "range":
            bounds = [self.whole(one) for one in arguments]
            whole = [one for one in bounds if one is not None]
            if len(whole) < len(bounds) or len(whole) > 3 or whole[2:] == [0]:
                raise fail(
                    "keyword-value",
                    "range takes one to three whole numbers: start, stop, and a step other than 0",
                )
            self.count_turns(len(range(*whole)), part.span)
            return list(range(*whole))
        lists = [self.entries(one, part) for one in arguments]
        self.count_turns(len(lists[0]), part.span)
        if name == "zip":
            return list(zip(*lists, strict=False))
        if name == "reversed":
            return list(reversed(lists[0]))
        return list(enumerate(lists[0]))

    def count_turns(self, more: int, span: Span) -> None:
        """Counts turns, and whatever is listed for some.

        Errors: unrolled-too-far.
        """
        self.turns += more
        if self.turns > MOST_TURNS:
            raise fail(
                "unrolled-too-far",
                f"written out, the program has more than {MOST_TURNS:,} turns",
                source=self.source,
                span=span,
                notes=("operations work on all entries at once: [2*x for x in a] is 2*a",),
            )

    @contextmanager
    def deeper(self, span: Span) -> Iterator[None]:
        """One level further inside of functions.

        Errors: unrolled-too-far.
        """
        self.depth += 1
        if self.depth > DEEPEST_CALLS:
            raise fail(
                "unrolled-too-far",
                f"functions are more than {DEEPEST_CALLS} deep inside of each other",
                source=self.source,
                span=span,
                notes=("a function that calls itself never ends here",),
            )
        try:
            yield
        finally:
            self.depth -= 1
