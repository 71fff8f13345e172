"""From Python's statements to the language's: assignments, the last value, and what to skip."""

from __future__ import annotations

import ast
import re

from vjpcli.errors import Span, VjpError
from vjpcli.parser.convert import BINARY_OPERATORS, convert
from vjpcli.parser.reading import Edit, Reading, shortened
from vjpcli.parser.syntax import Binary, Name, Statement

# Prefixes that every program may use; importing them, by their usual short names, changes nothing.
_KNOWN_IMPORTS: dict[str, set[str | None]] = {
    "numpy": {None, "np"},
    "torch": {None},
    "torch.nn": {None, "nn"},
    "torch.nn.functional": {None, "F"},
    "jax": {None},
    "jax.numpy": {None, "jnp"},
    "math": {None},
    "torch.fft": {None},
    "scipy": {None},
    "scipy.fft": {None},
}
# A bare name takes PyTorch's meaning, so single names from other libraries could change theirs.
_SAME_MEANING = {
    "torch", "torch.nn", "torch.nn.functional", "math", "torch.fft", "numpy.fft", "scipy.fft",
}  # fmt: skip
_AUGMENTED = r"(?:[\s)\\]|#[^\r\n]*)*([^\s=]+=)"


def convert_statements(reading: Reading, module: ast.Module) -> tuple[Statement, ...]:
    """The statements of a program, in order, without its imports.

    Errors: attribute-assignment, annotation, caret-power, chained-assignment, continued-line,
        empty-expression, import-statement, item-assignment, missing-operand, return-statement,
        shift-operator, starred-target, target-not-a-name, unpacking, and those of
        `refusals.refuse_statement` and `convert.convert`
    """
    statements: list[Statement] = []
    previous: ast.stmt | None = None
    for node in module.body:
        if previous is not None:
            _check_line_start(reading, previous, node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            _check_import(reading, node)
        else:
            is_last = node is module.body[-1]
            statements.append(_statement(reading, node, previous, is_last=is_last))
        previous = node
    if not statements:
        raise reading.error(
            "empty-expression",
            "the program imports and computes nothing",
            reading.span(module.body[-1]) if module.body else Span(0, 0),
        )
    return tuple(statements)


def _statement(
    reading: Reading, node: ast.stmt, previous: ast.stmt | None, *, is_last: bool
) -> Statement:
    span = reading.span(node)
    match node:
        case ast.Expr():
            if isinstance(node.value, ast.Starred):
                raise _leading_star(reading, node.value, previous)
            return Statement((), (), convert(reading, node.value), span)
        case ast.Assign(targets=[target]):
            names, spans = _targets(reading, target, node.value)
            return Statement(names, spans, convert(reading, node.value), span)
        case ast.Assign():
            raise _chained_assignment(reading, node)
        case ast.AugAssign():
            return _augmented(reading, node)
        case ast.Return(value=ast.expr() as value) if is_last:
            return Statement((), (), convert(reading, value), span)
        case ast.Return():
            raise reading.error(
                "return-statement",
                "`return` ends a program with a value: nothing may follow it"
                if node.value is not None
                else "`return` gives no value",
                Span(span.start, span.start + len("return")),
                notes=("the last statement is the output, with or without `return`",),
            )
        case ast.AnnAssign():
            raise _annotation(reading, node)
        case _:
            from vjpcli.parser.refusals import refuse_statement  # noqa: PLC0415  (rarely)

            raise refuse_statement(reading, node)


def _augmented(reading: Reading, node: ast.AugAssign) -> Statement:
    """Read `y += x` as `y = y + x`."""
    span = reading.span(node)
    names, spans = _targets(reading, node.target, node.value)
    start = spans[0].end
    value = reading.span(node.value)
    place = re.compile(_AUGMENTED).match(reading.text, start, value.start)
    operator = Span(*place.span(1)) if place else Span(start, start)
    sign = BINARY_OPERATORS.get(type(node.op))
    if sign is None:
        if isinstance(node.op, ast.BitXor):
            from vjpcli.parser.refusals import caret_power  # noqa: PLC0415  (rarely)

            raise caret_power(reading, operator)
        raise reading.error(
            "shift-operator", "shifts of bits have no meaning: all values are real", operator
        )
    combined = Binary(span, sign, Name(spans[0], names[0]), convert(reading, node.value), operator)
    return Statement(names, spans, combined, span, rebinds=True)


def _targets(
    reading: Reading, target: ast.expr, value: ast.expr
) -> tuple[tuple[str, ...], tuple[Span, ...]]:
    """The names on the left of `=` and their places."""
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    names: list[str] = []
    for part in parts:
        if not isinstance(part, ast.Name):
            raise _bad_target(reading, part)
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


def _bad_target(reading: Reading, part: ast.expr) -> VjpError:
    span = reading.span(part)
    match part:
        case ast.Subscript(value=ast.Name(id=word)):
            name = shortened(word)
            return reading.error(
                "item-assignment",
                f"entries of `{name}` cannot be changed in place, only whole values have names",
                span,
                notes=(
                    f"choose entry by entry: {name} = where(condition, new, {name})",
                    f"or put pieces together: {name} = concatenate([new, {name}[1:]])",
                ),
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
    edits: list[Edit] = []
    if node.value is not None:
        edits = [(Span(target.end, reading.span(node.value).start), " = ")]
    return reading.error(
        "annotation",
        "`:` cannot declare a type: values are arrays of numbers",
        Span(target.end, annotation.end),
        notes=() if node.value is not None else ("a value is given by `=`",),
        edits=edits,
    )


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


def _check_import(reading: Reading, node: ast.Import | ast.ImportFrom) -> None:
    """Let pass the imports that code is pasted with; refuse those that would change a name."""
    if isinstance(node, ast.Import):
        known = all(alias.asname in _KNOWN_IMPORTS.get(alias.name, ()) for alias in node.names)
    else:
        known = not node.level and all(_name_stands(node.module, alias) for alias in node.names)
    if not known:
        raise reading.error(
            "import-statement",
            "this import has no meaning here",
            reading.span(node),
            notes=("np., torch., jnp. and F. need no import, and other modules are not known",),
        )


def _name_stands(module: str | None, alias: ast.alias) -> bool:
    """Whether a name imported from a module means without the import what it means with it."""
    submodule = _KNOWN_IMPORTS.get(f"{module}.{alias.name}")
    if submodule is not None:
        return alias.asname in submodule and (alias.asname or alias.name) != "functional"
    return alias.asname in {None, alias.name} and module in _SAME_MEANING
