"""From Python's statements to the language's: assignments, the last value, and what to skip."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from vjpcli.errors import Span, VjpError
from vjpcli.parser.convert import BINARY_OPERATORS, convert
from vjpcli.parser.imports import aliases_of, check_import
from vjpcli.parser.reading import Edit, Reading, shortened
from vjpcli.parser.scripts import (
    LEAF_WORDS,
    in_place_statement,
    rest_of,
    separated,
    with_leaves,
)
from vjpcli.parser.syntax import Attribute, Binary, Call, Name, Program, Statement

_NOT_RENAMED = {"requires_grad_", "zero_", "fill_", "copy_"}
"""Methods whose names without the underscore mean nothing, or something else."""
_UPDATES = {"=": "set", "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "**": "power"}
_AUGMENTED = r"(?:[\s)\\]|#[^\r\n]*)*([^\s=]+=)"


def convert_program(reading: Reading, module: ast.Module) -> Program:
    """The program of a text, without its imports and what else a script has around it.

    Errors: attribute-assignment, annotation, backward-twice, caret-power, chained-assignment,
        continued-line, discarded-value, empty-expression, import-statement, item-assignment,
        missing-operand, return-statement, shift-operator, starred-target, target-not-a-name,
        unpacking, and those of `refusals.refuse_statement` and `convert.convert`
    """
    script = separated(reading, module.body)
    statements: list[Statement] = []
    aliases: list[tuple[str, str]] = []
    previous: ast.stmt | None = None
    read_past: list[Span] = []
    output = None if script.output else _last_value(script.body)
    for node in script.body:
        if previous is not None:
            _check_line_start(reading, previous, node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            check_import(reading, node)
            aliases += aliases_of(node)
        elif isinstance(node, ast.Expr) and node is not output and in_place_statement(node) is None:
            read_past.append(_without_effect(reading, node, previous, script.body))
        else:
            is_last = node is script.body[-1]
            statements.append(_statement(reading, node, previous, is_last=is_last))
        previous = node
    if not statements:
        raise reading.error(
            "empty-expression",
            "the program imports and computes nothing",
            reading.span(module.body[-1]) if module.body else Span(0, 0),
        )
    left_out = (*script.left_out, *read_past)
    if script.output and script.output not in statements[-1].targets:
        place = script.backward or script.left_out[-1]
        statements.append(Statement((script.output,), (place,), Name(place, script.output), place))
    seed = None if script.seed is None else convert(reading, script.seed)
    declares = any(word in reading.text for word in LEAF_WORDS)
    marked = with_leaves(statements) if declares else tuple(statements)
    rest = rest_of(reading, module) if script.left_out else None
    if rest is not None:
        left_out = (*left_out, rest)
    return Program(reading.source, marked, seed, left_out, tuple(aliases))


def _statement(
    reading: Reading, node: ast.stmt, previous: ast.stmt | None, *, is_last: bool
) -> Statement:
    span = reading.span(node)
    match node:
        case ast.Expr():
            return _alone(reading, node, previous)
        case ast.Assign(
            targets=[ast.Attribute(value=ast.Name() as owner, attr="requires_grad")],
            value=ast.Constant(value=True),
        ):
            return _request(reading, owner, node)
        case ast.Assign(targets=[target]):
            names, spans = _targets(reading, target, node.value)
            return Statement(names, spans, convert(reading, node.value), span)
        case ast.Assign():
            raise _chained_assignment(reading, node)
        case ast.AugAssign():
            return _augmented(reading, node)
        case ast.Return():
            return _returned(reading, node, is_last=is_last)
        case ast.AnnAssign(value=ast.expr() as value):
            names, spans = _targets(reading, node.target, value)
            return Statement(names, spans, convert(reading, value), span)
        case ast.AnnAssign():
            raise _annotation(reading, node)
        case _:
            from vjpcli.parser.refusals import refuse_statement  # noqa: PLC0415  (rarely)

            raise refuse_statement(reading, node)


def _alone(reading: Reading, node: ast.Expr, previous: ast.stmt | None) -> Statement:
    """A value without a name, or a change in place, which gives its name a new value."""
    if isinstance(node.value, ast.Starred):
        raise _leading_star(reading, node.value, previous)
    if (in_place := in_place_statement(node)) is not None:
        return _in_place(reading, *in_place)
    return Statement((), (), convert(reading, node.value), reading.span(node))


def _last_value(body: Sequence[ast.stmt]) -> ast.stmt | None:
    """The statement that gives the output: the last one that is no import."""
    others = (node for node in reversed(body) if not isinstance(node, ast.Import | ast.ImportFrom))
    return next(others, None)


def _without_effect(
    reading: Reading, node: ast.Expr, previous: ast.stmt | None, body: Sequence[ast.stmt]
) -> Span:
    """Where a statement stands that only shows a value; refuses one that computes it for nothing.

    Errors: discarded-value, and those of what it reads
    """
    from vjpcli.parser.discarded import discarded_value, only_shows  # noqa: PLC0415  (rarely)

    _alone(reading, node, previous)  # what is wrong inside is told first
    if only_shows(node):
        return reading.span(node)
    position = next(i for i, one in enumerate(body) if one is node)
    raise discarded_value(reading, node, next(iter(body[position + 1 :]), None))


def _returned(reading: Reading, node: ast.Return, *, is_last: bool) -> Statement:
    """Read `return y` at the end as `y`."""
    span = reading.span(node)
    if node.value is not None and is_last:
        return Statement((), (), convert(reading, node.value), span)
    raise reading.error(
        "return-statement",
        "`return` ends a program with a value: nothing may follow it"
        if node.value is not None
        else "`return` gives no value",
        Span(span.start, span.start + len("return")),
        notes=("the last statement is the output, with or without `return`",),
    )


def _augmented(reading: Reading, node: ast.AugAssign) -> Statement:
    """Read `y += x` as `y = y + x`."""
    span = reading.span(node)
    sign = BINARY_OPERATORS.get(type(node.op), "")
    names, spans = _targets(reading, node.target, node.value, sign)
    start = spans[0].end
    value = reading.span(node.value)
    place = re.compile(_AUGMENTED).match(reading.text, start, value.start)
    operator = Span(*place.span(1)) if place else Span(start, start)
    if not sign:
        if isinstance(node.op, ast.BitXor):
            from vjpcli.parser.refusals import caret_power  # noqa: PLC0415  (rarely)

            raise caret_power(reading, operator)
        raise reading.error(
            "shift-operator", "shifts of bits have no meaning: all values are real", operator
        )
    combined = Binary(span, sign, Name(spans[0], names[0]), convert(reading, node.value), operator)
    return Statement(names, spans, combined, span, rebinds=True)


def _targets(
    reading: Reading, target: ast.expr, value: ast.expr, sign: str = "="
) -> tuple[tuple[str, ...], tuple[Span, ...]]:
    """The names on the left of `=` and their places."""
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    names: list[str] = []
    for part in parts:
        if not isinstance(part, ast.Name):
            raise _bad_target(reading, part, value if part is target else None, sign)
        names.append(part.id)
    if len(parts) == 1 and parts[0] is not target:
        raise reading.error(
            "unpacking",
            "a single name in brackets would take apart a value of length one",
            reading.span(target),
            notes=("write the name alone, and an index for the entry: y = x[0]",),
            edits=[
                (reading.span(target), names[0]),
                (reading.span(value), f"({reading.slice(value)})[0]"),
            ],
        )
    if not parts:
        raise reading.error("unpacking", "there is no name before `=`", reading.span(target))
    return tuple(names), tuple(reading.span(part) for part in parts)


def _bad_target(reading: Reading, part: ast.expr, value: ast.expr | None, sign: str) -> VjpError:
    span = reading.span(part)
    match part:
        case ast.Subscript(value=ast.Name(id=word)):
            name = shortened(word)
            items = reading.slice(part)[len(word) :]
            edits: list[Edit] = []
            method = _UPDATES.get(sign)
            if value is not None and method:
                written = f"{word}.at{items}.{method}({reading.slice(value)})"
                edits = [(Span(span.start, reading.span(value).end), f"{word} = {written}")]
            return reading.error(
                "item-assignment",
                f"entries of `{name}` cannot be changed in place, only whole values have names",
                span,
                notes=(f"{name}.at[...].set(new) is {name} with some entries replaced",),
                edits=edits,
            )
        case ast.Subscript():
            return reading.error(
                "item-assignment", "entries cannot be changed in place, only names are given", span
            )
        case ast.Attribute():
            return reading.error(
                "attribute-assignment",
                f"the attribute `.{shortened(part.attr)}` cannot be set, only names are given",
                span,
            )
        case ast.Starred():
            return reading.error(
                "starred-target", "`*` cannot collect the rest: name each value", span
            )
        case _:
            return reading.error("target-not-a-name", "only a name can stand before `=`", span)


def _chained_assignment(reading: Reading, node: ast.Assign) -> VjpError:
    value = reading.slice(node.value)
    targets = [reading.slice(target) for target in node.targets]
    steps = [f"{targets[-1]} = {value}", *(f"{name} = {targets[-1]}" for name in targets[:-1])]
    return reading.error(
        "chained-assignment",
        "each statement gives one value its name",
        Span(reading.span(node.targets[0]).start, reading.span(node.targets[-1]).end),
        edits=[(reading.span(node), "; ".join(steps))],
    )


def _annotation(reading: Reading, node: ast.AnnAssign) -> VjpError:
    target, annotation = reading.span(node.target), reading.span(node.annotation)
    return reading.error(
        "annotation",
        "`:` cannot declare a type: values are arrays of numbers",
        Span(target.end, annotation.end),
        notes=("a value is given by `=`",),
    )


def _in_place(reading: Reading, owner: ast.Name, call: ast.Call) -> Statement:
    """Read `h.add_(1)` as `h = h.add(1)`."""
    value = convert(reading, call)
    name = reading.span(owner)
    assert isinstance(value, Call)
    assert isinstance(value.function, Attribute)
    method = value.function
    plain = method.attribute.rstrip("_")
    if method.attribute not in _NOT_RENAMED:
        method = Attribute(method.span, method.value, plain, method.attribute_span)
    call_of_it = Call(value.span, method, value.arguments, value.keywords)
    return Statement((owner.id,), (name,), call_of_it, reading.span(call), rebinds=True)


def _request(reading: Reading, owner: ast.Name, node: ast.Assign) -> Statement:
    """Read `x.requires_grad = True` as `x = x.requires_grad_()`."""
    name, span = reading.span(owner), reading.span(node)
    method = Attribute(span, Name(name, owner.id), "requires_grad_", Span(name.end, span.end))
    return Statement((owner.id,), (name,), Call(span, method, ()), span, rebinds=True)


def _leading_star(reading: Reading, node: ast.Starred, previous: ast.stmt | None) -> VjpError:
    start = reading.span(node).start
    if previous is not None and previous.lineno != node.lineno:
        return continued_line(reading, Span(start, start + 1), reading.span(previous))
    return reading.error("missing-operand", "nothing stands before `*`", Span(start, start + 1))


def _check_line_start(reading: Reading, previous: ast.stmt, node: ast.stmt) -> None:
    """Refuse a line that looks like the rest of the line before it.

    Python would take `+ b` on a line of its own for a new statement, and the program's output
    would silently be that.
    """
    sign = reading.text[reading.offset(node.lineno, node.col_offset)]
    if sign not in "+-" or node.col_offset or node.lineno == previous.lineno:
        return
    if sign == "+" or reading.indent(node.lineno) > reading.indent(previous.lineno):
        start = reading.span(node).start
        raise continued_line(reading, Span(start, start + 1), reading.span(previous))


def continued_line(reading: Reading, sign: Span, previous: Span | None) -> VjpError:
    """The refusal of a line that begins with an operator."""
    edits: list[Edit] = []
    if previous is not None:
        edits = [(Span(previous.end, previous.end), " \\")]
        # A backslash joins lines only if nothing, not even a comment, stands behind it.
        if reading.text[previous.end : sign.start].strip():
            edits = []
    operator = reading.text[sign.start : sign.end]
    return reading.error(
        "continued-line",
        f"a line that begins with `{operator}` does not go on from the one before",
        sign,
        notes=("put the whole expression in brackets, or end the line before with the operator",),
        edits=edits,
    )
