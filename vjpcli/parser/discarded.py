"""Statements whose value goes nowhere: `x.clamp(min=0)` alone on a line changes nothing here."""

from __future__ import annotations

import ast
import re

from vjpcli.errors import Span, VjpError
from vjpcli.parser.imports import PREFIXES
from vjpcli.parser.reading import Edit, Reading, shortened

_SORTING = {"sort", "partition"}
"""Methods that change an array in place in NumPy, where the functions give a new one."""

_IN_PLACE_METHODS = _SORTING | {"put", "fill", "resize", "itemset"}
_IN_PLACE_FUNCTIONS = {
    "put", "place", "putmask", "copyto", "fill_diagonal", "put_along_axis", "shuffle", "at",
}  # fmt: skip
"""What NumPy calls for its effect on the first argument."""


def only_shows(node: ast.Expr) -> bool:
    """Whether a statement is `y` or `y.shape`: what a notebook shows, and nothing computed."""
    value = node.value
    while isinstance(value, ast.Attribute):
        value = value.value
    return isinstance(value, ast.Name | ast.Constant)


def discarded_value(reading: Reading, node: ast.Expr, following: ast.stmt | None) -> VjpError:
    """The refusal of a statement whose value nothing reads.

    In a library it may change an array in place; here the array would silently stay as it was.
    """
    span = reading.span(node)
    name, value = _renewed(reading, node.value)
    rest = reading.text[span.end :]
    edits: list[Edit] = []
    stacked = _stacked(reading, node, following)
    if stacked:
        edits = [stacked]
    elif name and (following is None or _reads(rest, name)):
        edits = [(span, f"{name} = {value}")]
    elif following is not None and isinstance(node.value, ast.Call):
        edits = [(Span(span.start, reading.span(following).start), "")]
    notes = ["leave it out, or give the value a name; [a, b] stacks several outputs"]
    if stacked:
        notes = ["[a, b] stacks several outputs"]
    elif name and _is_in_place(node.value):
        notes = [f"NumPy changes `{shortened(name)}` in place here; in vjp it has to be named anew"]
    elif name and edits and edits[0][0] == span:
        notes = [f"`{shortened(name)}` itself stays as it is, unless it is named anew"]
    return reading.error(
        "discarded-value",
        "the value of this statement goes nowhere",
        span,
        notes=notes,
        edits=edits,
    )


def _stacked(reading: Reading, node: ast.Expr, following: ast.stmt | None) -> Edit | None:
    """`a*b; a/b` as `[a*b, a/b]`: two formulas, of which no library changes anything in place."""
    if not isinstance(node.value, ast.BinOp | ast.UnaryOp) or not isinstance(following, ast.Expr):
        return None
    end = reading.span(following).end
    if reading.text[end:].strip(" ;\n") or only_shows(following):
        return None
    texts = (reading.slice(node.value), reading.slice(following.value))
    return Span(reading.span(node).start, end), f"[{', '.join(texts)}]"


def _renewed(reading: Reading, value: ast.expr) -> tuple[str, str]:
    """The name that was probably meant to change, and the expression of its new value."""
    text = reading.slice(value)
    name = _target(value)
    if not isinstance(value, ast.Call) or not name:
        return name, text
    function = reading.slice(value.func)
    arguments = text[reading.span(value.func).end - reading.span(value).start :]
    if isinstance(value.func, ast.Attribute) and value.func.attr in _SORTING:
        if isinstance(value.func.value, ast.Name) and value.func.value.id == name:
            inside = arguments.strip()[1:].lstrip()
            comma = "" if inside.startswith(")") else ", "
            return name, f"np.{value.func.attr}({name}{comma}{inside}"
    elif function.endswith("_"):
        return name, function.rstrip("_") + arguments  # F.relu_(x)
    elif (how := re.fullmatch(r"(?:np|numpy)\.(\w+)\.at", function)) and len(value.args) == 3:
        index, values = (reading.slice(one) for one in value.args[1:])
        return name, f"{name}.at[{index}].{how.group(1)}({values})"
    return name, text


def _target(value: ast.expr) -> str:
    """The leftmost name of an expression, or what `out=` names; "" where that is no value."""
    if isinstance(value, ast.Call):
        for keyword in value.keywords:
            if keyword.arg == "out" and isinstance(keyword.value, ast.Name):
                return keyword.value.id
    while True:
        match value:
            case ast.Name():
                return "" if value.id in PREFIXES else value.id
            case ast.BinOp():
                value = value.left
            case ast.Call(func=ast.Attribute() as method) if not _is_library(method.value):
                value = method.value
            case ast.Call(args=[first, *_]):
                value = first
            case ast.Subscript() | ast.Attribute():
                value = value.value
            case _:
                return ""


def _is_library(owner: ast.expr) -> bool:
    while isinstance(owner, ast.Attribute):
        owner = owner.value
    return isinstance(owner, ast.Name) and owner.id in PREFIXES


def _is_in_place(value: ast.expr) -> bool:
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return False
    names = _IN_PLACE_FUNCTIONS if _is_library(value.func.value) else _IN_PLACE_METHODS
    return value.func.attr in names


def _reads(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text) is not None
