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

    @property
    def operands(self) -> tuple[Expression, ...]:
        """The parts that have a value before the whole has one: not the body of a function."""
        return self.children


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
class Lambda(Expression):
    """`lambda q, k=2: q**k`; `defaults` belong to the last parameters."""

    parameters: tuple[str, ...]
    defaults: tuple[Expression, ...]
    body: Expression

    @property
    def children(self) -> tuple[Expression, ...]:
        return (*self.defaults, self.body)

    @property
    def operands(self) -> tuple[Expression, ...]:
        return self.defaults


@bulk_record
class Loop:
    """`for i in range(3) if i > 0` inside a comprehension; several targets take a pair apart."""

    targets: tuple[str, ...]
    values: Expression
    conditions: tuple[Expression, ...]


@bulk_record
class Comprehension(Expression):
    """`[f(i) for i in range(3)]`, or without the brackets as the only argument of a call."""

    entry: Expression
    loops: tuple[Loop, ...]

    @property
    def children(self) -> tuple[Expression, ...]:
        parts = [self.entry]
        for loop in self.loops:
            parts += [loop.values, *loop.conditions]
        return tuple(parts)

    @property
    def operands(self) -> tuple[Expression, ...]:
        return ()


@bulk_record
class Conditional(Expression):
    """`yes if condition else no`."""

    condition: Expression
    yes: Expression
    no: Expression
    word_span: Span

    @property
    def children(self) -> tuple[Expression, ...]:
        return (self.yes, self.condition, self.no)

    @property
    def operands(self) -> tuple[Expression, ...]:
        return (self.condition,)


@bulk_record
class Statement:
    """`target = value`, `a, b = value` (several targets), or `value` alone (no target).

    `y += x` is read as `y = y + x` with `rebinds` true. With `declares_leaf` the value is that
    of an input: `x = torch.tensor([1., 2.], requires_grad=True)`.
    """

    targets: tuple[str, ...]
    target_spans: tuple[Span, ...]
    value: Expression
    span: Span
    rebinds: bool = False
    declares_leaf: bool = False


@bulk_record
class Program:
    """Statements in order; the last one is the output.

    `seed` is what a pasted script gives to `y.backward(...)`, and `left_out` are the places of
    what is not read of it. `aliases` are prefixes that its imports give: (dist,
    torch.distributions).
    """

    source: Source
    statements: tuple[Statement, ...] = field(default=())
    seed: Expression | None = None
    left_out: tuple[Span, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()


def postorder(root: Expression, *, evaluated: bool = False) -> Iterator[Expression]:
    """Every part of `root`, children before parents, left to right, without recursion.

    With `evaluated`, only what has a value before the whole has one.
    """
    pending: list[tuple[Expression, bool]] = [(root, False)]
    while pending:
        part, children_done = pending.pop()
        if children_done:
            yield part
            continue
        pending.append((part, True))
        parts = part.operands if evaluated else part.children
        pending.extend((child, False) for child in reversed(parts))
