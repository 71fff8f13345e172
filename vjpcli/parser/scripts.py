"""What belongs to a pasted script and not to its program: printing, settings, `y.backward()`.

A script is read up to its backward pass. What it runs backward is the output, and the lines
behind, which look at the gradients, are left out, as are lines that compute nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from vjpcli.errors import Span
from vjpcli.parser.imports import PREFIXES
from vjpcli.parser.reading import Reading
from vjpcli.parser.syntax import Attribute, Call, Expression, Literal, Name, Statement, postorder
from vjpcli.record import record

_PRINTING = {"print", "display"}
_SETTINGS = {
    "manual_seed", "seed", "set_default_dtype", "set_default_device", "set_printoptions",
    "manual_seed_all", "set_num_threads", "use_deterministic_algorithms", "zero_grad", "show",
    "retain_grad",
}  # fmt: skip
"""Methods and functions that, as a statement, compute nothing."""

_OF_MODULES = {"eval", "train", "to", "cpu", "cuda", "double", "float", "half"}
"""Methods by which a module is changed in place; the numbers of an array stay as they are."""

_LEAF_CLASSES = {"Parameter", "Variable"}
LEAF_WORDS = ("requires_grad", *sorted(_LEAF_CLASSES))
"""Words of which a program has one if it declares a leaf."""

_CONSTANTS = {"pi", "e", "inf", "nan"}


@record
class Script:
    """The statements of a script that make up its program.

    Attributes:
        body: those statements, in order.
        output: the name that is run backward, or "".
        seed: what backward is given, or None.
        backward: where the value stands that is run backward, or None.
        left_out: where the statements stand that are none of the program's.
    """

    body: tuple[ast.stmt, ...]
    output: str
    seed: ast.expr | None
    backward: Span | None
    left_out: tuple[Span, ...]


def separated(reading: Reading, statements: Sequence[ast.stmt]) -> Script:
    """The program inside of a script.

    Errors: backward-twice
    """
    body: list[ast.stmt] = []
    left_out: list[Span] = []
    output = ""
    seed: ast.expr | None = None
    printed: list[ast.expr] = []
    backward: ast.Call | None = None
    place: Span | None = None
    for node in statements:
        call = _backward_call(node)
        if call is not None and backward is not None:
            raise reading.error(
                "backward-twice",
                "a second backward pass adds its gradients to those of the first",
                reading.span(call),
                notes=("one --seed for each pass does the same: --seed y=1 --seed z=1",),
            )
        if call is None and backward is None and not _computes_nothing(node):
            body.append(node)
            continue
        left_out.append(reading.span(node))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            printed += node.value.args
        if call is not None:
            backward = call
            value, seed = _run_backward(call)
            place = reading.span(value)
            if isinstance(value, ast.Name):
                output = value.id
            else:
                body.append(ast.copy_location(ast.Expr(value), value))
    if printed and all(isinstance(node, ast.Import | ast.ImportFrom) for node in body):
        body.append(ast.copy_location(ast.Expr(printed[0]), printed[0]))
        left_out = []
    if not body:
        # A line alone is no script: it is refused by what it is.
        body = [node for node in statements if isinstance(node, ast.Assert)]
    return Script(tuple(body), output, seed, place, tuple(left_out))


def up_to_backward(reading: Reading) -> str | None:
    """The lines up to a backward pass that stands at the margin, if more lines follow it.

    What follows need not be readable: updates of weights stand in blocks.
    """
    lines = reading.code.split("\n")
    for number, line in enumerate(lines[:-1], start=1):
        if not reading.indent(number) and re.fullmatch(
            r"[\w.()\[\]]+\.backward\(.*\)\s*(#.*)?", line
        ):
            return "\n".join(lines[:number])
    return None


def rest_of(reading: Reading, module: ast.Module) -> Span | None:
    """What was not read behind the last statement, without comments; None if nothing is there."""
    end = reading.span(module.body[-1]).end
    rest = re.compile(r"(?:[\s;]|#[^\r\n]*)*").match(reading.text, end)
    start = rest.end() if rest else end
    return Span(start, len(reading.text)) if start < len(reading.text) else None


def _computes_nothing(node: ast.stmt) -> bool:
    """Whether a statement prints, sets something, explains, or makes sure of something."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        # An optimiser does its work after the backward pass.
        return ast.unparse(node.value.func).startswith(("torch.optim.", "optim."))
    if not isinstance(node, ast.Expr):
        return isinstance(node, ast.Assert)
    value = node.value
    if isinstance(value, ast.Call):
        return _is_setting(value.func)
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _is_setting(function: ast.expr) -> bool:
    if isinstance(function, ast.Name):
        return function.id in _PRINTING
    return isinstance(function, ast.Attribute) and (
        function.attr in _SETTINGS
        or function.attr.startswith("assert_")
        or (function.attr == "update" and ast.unparse(function.value) == "jax.config")
    )


def _backward_call(node: ast.stmt) -> ast.Call | None:
    """`y.backward(...)` or `torch.autograd.grad(y, x)`, with or without a name for its result."""
    value = node.value if isinstance(node, ast.Expr | ast.Assign) else None
    if isinstance(value, ast.Subscript):
        value = value.value
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return None
    owner, name = value.func.value, value.func.attr
    if name == "backward" and isinstance(node, ast.Expr):
        return value
    is_autograd = isinstance(owner, ast.Name | ast.Attribute) and (
        ast.unparse(owner) in ("autograd", "torch.autograd")
    )
    return value if name in ("grad", "backward") and is_autograd and value.args else None


def _run_backward(call: ast.Call) -> tuple[ast.expr, ast.expr | None]:
    """What is run backward, and the seed that it is given."""
    assert isinstance(call.func, ast.Attribute)
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if ast.unparse(call.func.value) in ("autograd", "torch.autograd"):
        outputs = call.args[0]
        if isinstance(outputs, ast.List | ast.Tuple) and len(outputs.elts) == 1:
            outputs = outputs.elts[0]
        place = 2 if call.func.attr == "grad" else 1
        given = call.args[place] if len(call.args) > place else named.get("grad_outputs")
        return outputs, given or named.get("grad_tensors")
    given = call.args[0] if call.args else named.get("gradient")
    is_none = isinstance(given, ast.Constant) and given.value is None
    return call.func.value, None if is_none else given


def in_place_statement(node: ast.Expr) -> tuple[ast.Name, ast.Call] | None:
    """`h.add_(1)` as the name that is given anew and the call that gives its value; or None."""
    call = node.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    owner, name = call.func.value, call.func.attr
    if not isinstance(owner, ast.Name) or owner.id in PREFIXES:
        return None
    if name not in _OF_MODULES and (not name.endswith("_") or name.startswith("_")):
        return None
    return owner, call


# Leaves that a script declares.


def with_leaves(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements, marked where they say that their name is to get a gradient.

    `x = torch.tensor([1., 2.], requires_grad=True)`, `nn.Parameter(...)`, and a later
    `x.requires_grad_()`, which is left out: as long as the value reads no input.
    """
    found: list[Statement] = []
    closed: set[str] = set()
    first: dict[str, int] = {}
    for statement in statements:
        target = statement.targets[0] if len(statement.targets) == 1 else ""
        if target in first and _is_request(statement.value, target) and target in closed:
            found[first[target]] = _marked(found[first[target]])
            continue
        is_closed = _reads_nothing(statement.value, closed)
        declares = target and target not in first and is_closed
        for name in statement.targets:
            first.setdefault(name, len(found))
            (closed.add if is_closed else closed.discard)(name)
        is_leaf = declares and _asks_for_gradient(statement.value)
        found.append(_marked(statement) if is_leaf else statement)
    return tuple(found)


def _marked(statement: Statement) -> Statement:
    return Statement(
        statement.targets,
        statement.target_spans,
        statement.value,
        statement.span,
        statement.rebinds,
        declares_leaf=True,
    )


def _is_request(value: Expression, name: str) -> bool:
    """Whether a value is `x.requires_grad_()` of the name itself."""
    function = value.function if isinstance(value, Call) else None
    return (
        isinstance(function, Attribute)
        and function.attribute == "requires_grad_"
        and isinstance(function.value, Name)
        and function.value.identifier == name
    )


def _asks_for_gradient(value: Expression) -> bool:
    if not isinstance(value, Call):
        return False
    for keyword in value.keywords:
        if keyword.name == "requires_grad" and isinstance(keyword.value, Literal):
            return keyword.value.value is True
    function = value.function
    if isinstance(function, Attribute):
        return function.attribute in {*_LEAF_CLASSES, "requires_grad_"}
    return isinstance(function, Name) and function.identifier in _LEAF_CLASSES


def _reads_nothing(value: Expression, closed: set[str]) -> bool:
    """Whether an expression reads no name but those of `closed` values and of libraries."""
    not_read: set[int] = set()
    for part in postorder(value):
        if isinstance(part, Call) and isinstance(part.function, Name):
            not_read.add(id(part.function))
        elif isinstance(part, Attribute):
            not_read.add(id(part.value))
    return all(
        id(part) in not_read or part.identifier in closed or part.identifier in _CONSTANTS
        for part in postorder(value)
        if isinstance(part, Name)
    )
