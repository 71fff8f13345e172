"""From Python's tree of one expression to the language's own, refusing what it does not have."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from vjpcli.errors import Span, VjpError
from vjpcli.parser.reading import Reading, shortened, sign_between
from vjpcli.parser.syntax import (
    Attribute,
    Binary,
    Call,
    Comprehension,
    Conditional,
    Expression,
    Imaginary,
    Index,
    Keyword,
    Lambda,
    Literal,
    Loop,
    Name,
    Number,
    Sequence,
    Slice,
    Unary,
)

BINARY_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|",
}  # fmt: skip
_COMPARISONS: dict[type[ast.AST], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_UNARY_OPERATORS: dict[type[ast.AST], str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
# Texts, compiled (and kept by `re`) where they are used: most programs need neither.
_BETWEEN = r"(?:[\s)\\]|#[^\r\n]*)*\.(?:[\s\\]|#[^\r\n]*)*"
_KEYWORD_NAME = r"[^\s=\\#]+"


class _Visit(NamedTuple):
    """A node to look into (`parts` is -1) or, after its `parts` are converted, to build.

    `argument` tells whether it is an argument of a call, where text may stand, also in a
    list or a choice.
    """

    node: ast.expr
    parts: int
    argument: bool = False


def convert(reading: Reading, root: ast.expr) -> Expression:
    """The language's tree for Python's, without recursion, since its depth is the user's.

    Errors: implicit-multiplication, keyword-given-twice, keyword-unpacking, number-too-large,
        number-too-small, text-outside-call, and those of `refusals.refuse_expression`
    """
    if _is_text(root):
        raise _text_outside_call(reading, root)
    pending = [_Visit(root, -1)]
    done: list[Expression] = []
    while pending:
        node, count, argument = pending.pop()
        if count >= 0:
            parts = done[len(done) - count :]
            del done[len(done) - count :]
            done.append(_build(reading, node, parts))
        elif isinstance(node, ast.Name):
            done.append(Name(reading.span(node), node.id))
        elif isinstance(node, ast.Constant):
            done.append(_constant(reading, node))
        else:
            children = _parts(reading, node)
            takes_text = isinstance(node, ast.Call) or (
                argument and isinstance(node, ast.List | ast.Tuple | ast.IfExp)
            )
            text = None if takes_text else next(filter(_is_text, children), None)
            if text is not None:
                raise _text_outside_call(reading, text)
            pending.append(_Visit(node, len(children)))
            pending.extend(_Visit(child, -1, takes_text) for child in reversed(children))
    return done.pop()


def _parts(reading: Reading, node: ast.expr) -> list[ast.expr]:
    """The operands of an allowed node, in the order they are written."""
    parts: list[ast.expr]
    match node:
        case ast.BinOp() if type(node.op) in BINARY_OPERATORS:
            parts = [node.left, node.right]
        case ast.Call():
            _check_call(reading, node)
            parts = [node.func, *node.args, *(keyword.value for keyword in node.keywords)]
        case ast.Attribute():
            parts = [node.value]
        case ast.UnaryOp() if type(node.op) in _UNARY_OPERATORS:
            parts = [node.operand]
        case ast.Subscript():
            parts = [node.value, *_index_items(node)]
        case ast.Slice():
            parts = [part for part in (node.lower, node.upper, node.step) if part is not None]
        case ast.List() | ast.Tuple():
            parts = node.elts
        case ast.Compare() if len(node.ops) == 1 and type(node.ops[0]) in _COMPARISONS:
            parts = [node.left, node.comparators[0]]
        case _ if (deferred := _parts_of_deferred(node)) is not None:
            return deferred  # text may be what is chosen: "cuda" if ... else "cpu"
        case _:
            raise _refused(reading, node)
    return parts


def _parts_of_deferred(node: ast.expr) -> list[ast.expr] | None:
    """The parts of what is run later, as often as is said; None for anything else."""
    match node:
        case ast.IfExp():
            return [node.body, node.test, node.orelse]
        case ast.Lambda() if _has_plain_parameters(node.args):
            return [*node.args.defaults, node.body]
        case ast.ListComp() | ast.GeneratorExp() if _has_plain_targets(node.generators):
            loops = [part for loop in node.generators for part in (loop.iter, *loop.ifs)]
            return [node.elt, *loops]
        case _:
            return None


def _has_plain_parameters(parameters: ast.arguments) -> bool:
    """Whether a lambda takes its arguments by position, one for each name."""
    return not (parameters.vararg or parameters.kwarg or parameters.kwonlyargs)


def _has_plain_targets(loops: list[ast.comprehension]) -> bool:
    return all(not loop.is_async and _target_names(loop.target) for loop in loops)


def _target_names(target: ast.expr) -> tuple[str, ...]:
    """The names of a loop's target; none where it is anything but names."""
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    names = tuple(part.id for part in parts if isinstance(part, ast.Name))
    return names if len(names) == len(parts) else ()


def _index_items(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def _build(  # noqa: PLR0911 - one return for each kind of node
    reading: Reading, node: ast.expr, parts: list[Expression]
) -> Expression:
    """The language's node for Python's, given its converted parts."""
    span = reading.span(node)
    match node:
        case ast.BinOp():
            sign = BINARY_OPERATORS[type(node.op)]
            place = sign_between(reading, parts[0].span.end, parts[1].span.start)
            return Binary(span, sign, parts[0], parts[1], place)
        case ast.Call():
            count = 1 + len(node.args)
            keywords = tuple(
                Keyword(keyword.arg or "", _keyword_name_span(reading, keyword), value)
                for keyword, value in zip(node.keywords, parts[count:], strict=True)
            )
            return Call(span, parts[0], tuple(parts[1:count]), keywords)
        case ast.Attribute():
            return Attribute(
                span, parts[0], node.attr, _attribute_span(reading, parts[0], span.end)
            )
        case ast.UnaryOp():
            sign = _UNARY_OPERATORS[type(node.op)]
            return Unary(span, sign, parts[0], Span(span.start, span.start + 1))
        case ast.Subscript():
            return Index(span, parts[0], tuple(parts[1:]))
        case ast.Slice():
            given = iter(parts)
            start, stop, step = (
                None if part is None else next(given)
                for part in (node.lower, node.upper, node.step)
            )
            return Slice(span, start, stop, step)
        case ast.Compare():
            sign = _COMPARISONS[type(node.ops[0])]
            place = sign_between(reading, parts[0].span.end, parts[1].span.start)
            return Binary(span, sign, parts[0], parts[1], place)
        case ast.IfExp():
            yes, condition, no = parts
            word = sign_between(reading, yes.span.end, condition.span.start)
            return Conditional(span, condition, yes, no, word)
        case ast.Lambda():
            parameters = (*node.args.posonlyargs, *node.args.args)
            names = tuple(one.arg for one in parameters)
            return Lambda(span, names, tuple(parts[:-1]), parts[-1])
        case ast.ListComp() | ast.GeneratorExp():
            return Comprehension(span, parts[0], _loops(node.generators, parts[1:]))
        case _:
            return Sequence(span, tuple(parts), isinstance(node, ast.List))


def _loops(loops: list[ast.comprehension], parts: list[Expression]) -> tuple[Loop, ...]:
    found: list[Loop] = []
    remaining = iter(parts)
    for loop in loops:
        values = next(remaining)
        conditions = tuple(next(remaining) for _ in loop.ifs)
        found.append(Loop(_target_names(loop.target), values, conditions))
    return tuple(found)


def _constant(reading: Reading, node: ast.Constant) -> Expression:
    value = node.value
    if value is None or value is ... or isinstance(value, bool | str):
        return Literal(reading.span(node), value)
    if isinstance(value, int | float):
        return _number(reading, node, value)
    if isinstance(value, complex):
        return _imaginary(reading, node, value.imag)
    raise _refused(reading, node)


def _number(reading: Reading, node: ast.Constant, value: int | float) -> Number:
    return Number(reading.span(node), _held(reading, node, value), isinstance(value, int))


def _imaginary(reading: Reading, node: ast.Constant, value: float) -> Imaginary:
    return Imaginary(reading.span(node), _held(reading, node, value))


def _held(reading: Reading, node: ast.Constant, value: int | float) -> float:
    """A literal's number, where a float holds it."""
    span = reading.span(node)
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if number == float("inf"):
        raise number_too_large(reading, span)
    if number == 0 and re.match("[0._]*[1-9]", reading.slice(node)):
        raise reading.error(
            "number-too-small",
            "the number is smaller than any floating-point number (4.9e-324)",
            span,
        )
    return number


def number_too_large(reading: Reading, span: Span) -> VjpError:
    """The refusal of a number that would be read as infinity."""
    return reading.error(
        "number-too-large",
        "the number is larger than any floating-point number (1.8e308)",
        span,
        notes=("infinity is written `inf`",),
    )


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _text_outside_call(reading: Reading, node: ast.expr) -> VjpError:
    return reading.error(
        "text-outside-call",
        "text in quotes can stand only as an argument of a call",
        reading.span(node),
        notes=("names and numbers are written without quotes",),
    )


def _check_call(reading: Reading, node: ast.Call) -> None:
    """Refuse `2(x)`, `"f"(x)`, `f(**k)` and `f(a=1, a=2)`."""
    if _is_text(node.func):
        raise _text_outside_call(reading, node.func)
    if isinstance(node.func, ast.Constant) and isinstance(node.func.value, int | float):
        whole = reading.span(node)
        after_number = reading.span(node.func).end
        from vjpcli.parser.powers import powers_of_functions  # noqa: PLC0415  (rarely)

        raise reading.error(
            "implicit-multiplication",
            "a number before a bracket does not multiply it: write `*`",
            Span(whole.start, after_number + 1) if whole.end > after_number else whole,
            edits=powers_of_functions(reading.text) or [(Span(after_number, after_number), "*")],
        )
    seen: set[str] = set()
    for keyword in node.keywords:
        if keyword.arg is None:
            raise reading.error(
                "keyword-unpacking",
                "`**` cannot unpack keywords: write them out one by one",
                reading.span(keyword),
            )
        if keyword.arg in seen:
            raise reading.error(
                "keyword-given-twice",
                f"the keyword `{shortened(keyword.arg)}` is given twice",
                _keyword_name_span(reading, keyword),
            )
        seen.add(keyword.arg)


def _keyword_name_span(reading: Reading, keyword: ast.keyword) -> Span:
    start = reading.span(keyword).start
    name = re.compile(_KEYWORD_NAME).match(reading.text, start)
    return Span(start, name.end() if name else start)


def _attribute_span(reading: Reading, owner: Expression, end: int) -> Span:
    dot = re.compile(_BETWEEN).match(reading.text, owner.span.end, end)
    return Span(dot.end() if dot else end, end)


# What refuses and what looks for a sign is most of the parser, and a good program needs little
# of it: these load it when it is needed.


def _refused(reading: Reading, node: ast.expr) -> VjpError:
    from vjpcli.parser.refusals import refuse_expression  # noqa: PLC0415  (see above)

    return refuse_expression(reading, node)
