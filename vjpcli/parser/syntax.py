"""The frozen syntax tree of a program: what `expression.parse` returns and `graph.trace` reads.

It says what was written and where, and nothing about what it means: `Name("log")` may turn
out to be an operation, a leaf or a mistake. Spans are half-open ranges of code points in the
program's text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from vjpcli.errors import Source, Span
from vjpcli.record import bulk_record


@bulk_record
class Expression:
    """Any part of a program that has a value."""

    span: Span

    @property
    def children(self) -> tuple[Expression, ...]:
        """The parts, in the order they are written."""
        return ()


@bulk_record
class Number(Expression):
    """An integer or floating-point literal; `whole` tells `2` from `2.0` (an axis is whole)."""

    value: float
    whole: bool


@bulk_record
class Imaginary(Expression):
    """An imaginary literal, `2j`; `value` is the number before the j."""

    value: float


@bulk_record
class Literal(Expression):
    """`True`, `False`, `None`, `...`, or a string (only as an argument: reduction="sum")."""

    value: object


@bulk_record
class Name(Expression):
    """A bare word."""

    identifier: str


@bulk_record
class Unary(Expression):
    """`-x`, `+x`, `~x`."""

    operator: str
    operand: Expression
    operator_span: Span

    @property
    def children(self) -> tuple[Expression, ...]:
        return (self.operand,)


@bulk_record
class Binary(Expression):
    """`a + b` and the like, comparisons included: + - * / // % ** @ & | == != < <= > >=."""

    operator: str
    left: Expression
    right: Expression
    operator_span: Span

    @property
    def children(self) -> tuple[Expression, ...]:
        return (self.left, self.right)


@bulk_record
class Sequence(Expression):
    """`[a, b]` (`is_list`) or `(a, b)`."""

    items: tuple[Expression, ...]
    is_list: bool

    @property
    def children(self) -> tuple[Expression, ...]:
        return self.items


@bulk_record
class Attribute(Expression):
    """`x.T`, `np.log`, `torch.nn.functional.relu`."""

    value: Expression
    attribute: str
    attribute_span: Span

    @property
    def children(self) -> tuple[Expression, ...]:
        return (self.value,)


@bulk_record
class Keyword:
    """`axis=1` inside a call."""

    name: str
    name_span: Span
    value: Expression


@bulk_record
class Call(Expression):
    """`log(c)`, `x.sum(dim=1)`."""

    function: Expression
    arguments: tuple[Expression, ...]
    keywords: tuple[Keyword, ...] = ()

    @property
    def children(self) -> tuple[Expression, ...]:
        return (self.function, *self.arguments, *(k.value for k in self.keywords))


@bulk_record
class Slice(Expression):
    """`start:stop:step` inside an index; any part may be missing."""

    start: Expression | None
    stop: Expression | None
    step: Expression | None

    @property
    def children(self) -> tuple[Expression, ...]:
        return tuple(p for p in (self.start, self.stop, self.step) if p is not None)


@bulk_record
class Index(Expression):
    """`x[items]`; `x[0, 1:]` has two items."""

    value: Expression
    items: tuple[Expression, ...]

    @property
    def children(self) -> tuple[Expression, ...]:
        return (self.value, *self.items)


@bulk_record
class Statement:
    """`target = value`, `a, b = value` (several targets), or `value` alone (no target).

    `y += x` is read as `y = y + x` with `rebinds` true.
    """

    targets: tuple[str, ...]
    target_spans: tuple[Span, ...]
    value: Expression
    span: Span
    rebinds: bool = False


@bulk_record
class Program:
    """Statements in order; the last one is the output."""

    source: Source
    statements: tuple[Statement, ...] = field(default=())


def postorder(root: Expression) -> Iterator[Expression]:
    """Every part of `root`, children before parents, left to right, without recursion."""
    pending: list[tuple[Expression, bool]] = [(root, False)]
    while pending:
        part, children_done = pending.pop()
        if children_done:
            yield part
            continue
        pending.append((part, True))
        pending.extend((child, False) for child in reversed(part.children))
