"""Runs a graph on SymPy: the backward graph gives formulas, the forward graph a second opinion.

This is the only module that imports sympy, and only when a formula is asked for. An array is
one symbol: entry-wise operations act on it as on a number. An operation that mixes entries
becomes a symbol of its own, named by what it prints as (`W.T @ seed`), so that SymPy can still
tidy up what stands around it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.backward import Backward
from vjpcli.graph.node import Graph, Node, dependents
from vjpcli.graph.notation import index_text, operation_text
from vjpcli.graph.operation import constant, leaf
from vjpcli.record import record

if TYPE_CHECKING:
    import sympy

LARGEST_GRAPH = 400
"""Nodes above which no formula is attempted: nobody reads it, and SymPy is slow."""

LONGEST_FORMULA = 72
LONGEST_RULE = 240
"""Characters of a formula on the page of an operation, which has room for it."""

LARGEST_CONSTANT = 8

_CALL_OR_ENTRY = re.compile(r"[\w.]+(\([^()]*\)|\[[^][]*\])")

LINEAR = {"sum", "mean", "matmul", "outer", "matrix_transpose", "reshape", "expand_dims", "index"}
"""Operations through which a number passes: `sum(2*x)` is `2*sum(x)`."""

TRANSPARENT = {"broadcast_to"}
"""Operations that a formula in array notation leaves out: broadcasting implies them."""


@record
class Formula:
    """A gradient or slope as text.

    Attributes:
        text: Python notation, `4*b`, `W.T @ seed`.
        entrywise: whether it holds entry by entry, with the seed left out.
        says: what it means in words, or "".
        is_output: whether it is the formula of the output itself, as for exp.
    """

    text: str
    entrywise: bool
    says: str = ""
    is_output: bool = False


def formulas(graph: Graph, reverse: Backward, leaves: Mapping[str, str]) -> dict[str, Formula]:
    """The formula of each leaf's gradient that is short enough to read.

    `leaves` maps names to structures: where it is "diagonal" and everything on the way is
    entry-wise, the formula is the slope dy/dleaf of one entry; elsewhere it is the gradient in
    array notation with the seed in it (left out for a scalar output, where it is 1).
    """
    if len(reverse.graph.nodes) > LARGEST_GRAPH:
        return {}
    ((name, seed),) = reverse.seeds.items()
    scalar = graph.outputs[name].size == 1
    found: dict[str, Formula] = {}
    for leaf_name, structure in leaves.items():
        gradient = reverse.graph.outputs[leaf_name]
        entrywise = _is_entrywise(reverse.graph, gradient, seed)
        slope_only = entrywise and (structure == "diagonal" or graph.inputs[leaf_name].ndim == 0)
        slope_only = slope_only and graph.inputs[leaf_name].shape == graph.outputs[name].shape
        text = _formula(gradient, {seed: "" if slope_only or scalar else "seed"})
        if text is not None:
            if not slope_only and gradient.ndim and _is_plain_number(text):
                text = f"{text}*ones" if text != "1" else "ones"
            is_output = slope_only and "(" in text and text == _formula(graph.outputs[name], {})
            found[leaf_name] = Formula(text, slope_only, _meaning(gradient, seed), is_output)
    return found


def _is_plain_number(text: str) -> bool:
    """Whether a formula is one number, so that beside the entries it would look like one."""
    return text.lstrip("-").replace(".", "").replace("/", "").isdigit()


def _is_entrywise(graph: Graph, gradient: Node, seed: Node) -> bool:
    """Whether the adjoint reaches the leaf through entry-wise operations alone."""
    carrying = dependents(graph, [seed])
    return gradient in carrying and all(
        node.operation.pattern == "elementwise" for node in carrying if node is not seed
    )


def _formula(
    root: Node,
    names: Mapping[Node, str],
    *,
    longest: int = LONGEST_FORMULA,
    any_name: bool = False,
) -> str | None:
    """`root` printed, or None when SymPy has no word for an operation or it grows too long.

    With `any_name` an operation that SymPy does not know is printed by its own name.
    """
    import sympy  # noqa: PLC0415  (0.3 s, only for formulas)

    expressions: dict[Node, Any] = {}
    for node in _above(root, names):
        if node in names:
            word = names[node]
            expressions[node] = sympy.Symbol(word, real=True) if word else sympy.Integer(1)
            continue
        operands = [expressions[operand] for operand in node.operands]
        try:
            expression = _expression(node, operands, sympy)
        except (TypeError, ValueError, AttributeError, NotImplementedError, ZeroDivisionError):
            if not any_name:
                return None
            texts = [to_text(operand) for operand in operands]
            expression = sympy.Symbol(_mixing_text(node, texts, operands), real=True)
        if expression is None or _size(expression, sympy) > longest:
            return None
        expressions[node] = expression
    text = to_text(expressions[root])
    return text if len(text) <= longest else None


def _size(expression: Any, s: Any) -> int:
    """How long it is at least as text: a symbol may be named by a long text of its own."""
    named = max((len(symbol.name) for symbol in expression.free_symbols), default=0)
    return max(named, int(s.count_ops(expression)))


def _above(root: Node, known: Mapping[Node, str]) -> list[Node]:
    """What `root` is computed from, in order, not looking behind nodes that are known."""
    found: set[Node] = set()
    pending = [root]
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            if node not in known:
                pending.extend(node.operands)
    return sorted(found, key=lambda node: node.serial)


def _expression(  # noqa: PLR0911 - one return for each kind of node
    node: Node, operands: list[Any], s: Any
) -> Any:
    operation = node.operation
    if operation is leaf:
        return s.Symbol(node.static["name"], real=True)
    if operation is constant:
        return _constant(node, s)
    if operation.name == "equal" and node.span is None:
        if _finds_extreme(node):
            return s.Symbol(f"{to_text(operands[0])} == {to_text(operands[1])}", real=True)
        # A rule asks for equality to treat one exceptional point; a formula is for the others.
        return s.false
    if operation.pattern == "elementwise":
        return apply_symbolic(node, operands, s)
    if operation.name in TRANSPARENT or _is_number(node, operands):
        return operands[0]
    if operation.name == "sum" and node.operands[0].size == node.size:
        return operands[0]
    operands = [
        _filled(operand, s) if operand.is_number and node.operands[i].ndim else operand
        for i, operand in enumerate(operands)
    ]
    factor = s.Integer(1)
    if operation.name in LINEAR:
        factor, operands = _number_in_front(operands, s)
    texts = [to_text(operand) for operand in operands]
    return factor * s.Symbol(_mixing_text(node, texts, operands), real=True)


def _number_in_front(operands: list[Any], s: Any) -> tuple[Any, list[Any]]:
    """The number by which a sum or product may be multiplied afterwards, and what is left."""
    factor, rest = s.Integer(1), []
    for operand in operands:
        number, left = s.factor_terms(operand).as_coeff_Mul()
        # A sum of terms stays as it is when its number is only a sign.
        taken = number if number not in (0, 1, -1) else s.Integer(1)
        factor *= taken
        rest.append(left if taken is number else operand)
    return factor, rest


def _finds_extreme(node: Node) -> bool:
    """Whether an equality looks for the entries that equal a reduction, as in max(x)."""
    left, right = (_behind_stretching(operand) for operand in node.operands)
    if constant in (left.operation, right.operation):
        return False
    return any(one.operands and one.operation.pattern != "elementwise" for one in (left, right))


def _behind_stretching(node: Node) -> Node:
    while node.operation.name in TRANSPARENT:
        node = node.operands[0]
    return node


def _filled(number: Any, s: Any) -> Any:
    """An array whose entries are all one number, as a symbol: `ones`, `2*ones`."""
    return number * s.Symbol("ones", real=True) if number else s.Symbol("zeros", real=True)


def apply_symbolic(node: Node, operands: list[Any], s: Any) -> Any:
    """One entry-wise operation on SymPy expressions.

    Errors: NotImplementedError when the declaration has no symbolic form.
    """
    symbolic = node.operation.symbolic
    if symbolic is None:
        raise NotImplementedError(node.operation.name)
    if callable(symbolic):
        return symbolic(s, *operands, **node.static)
    return getattr(s, symbolic)(*operands)


def _constant(node: Node, s: Any) -> Any:
    value = node.static["value"]
    if value.size and (value == value.flat[0]).all():
        return number(value.flat[0], s)
    if value.size > LARGEST_CONSTANT:
        return s.Symbol(f"constant{list(value.shape)}", real=True)
    return s.Symbol(str(value.tolist()), real=True)


def number(value: Any, s: Any) -> Any:
    """A number as SymPy holds it exactly: whole numbers and short fractions as such."""
    if value.dtype == bool:
        return s.true if value else s.false
    value = float(value)
    if value != value:  # noqa: PLR0124  (only nan differs from itself)
        return s.nan
    if value in (float("inf"), float("-inf")):
        return s.oo if value > 0 else -s.oo
    if value.is_integer() and abs(value) < 2**53:
        return s.Integer(int(value))
    for denominator in (2, 3, 4, 5, 6, 8, 10):
        numerator = round(value * denominator)
        if abs(numerator) < 1000 and numerator / denominator == value:
            return s.Rational(numerator, denominator)
    return s.Float(value)


def _mixing_text(node: Node, texts: list[str], operands: list[Any]) -> str:
    """An operation that mixes entries, in the notation people write it in."""
    grouped = [_grouped(text, one) for text, one in zip(texts, operands, strict=True)]
    if node.operation.name == "expand_dims":
        return grouped[0] + _new_axes_text(node)
    if node.operation.name == "add_into":
        return f"({texts[0]} added into [{index_text(node.static['index'], LONGEST_FORMULA)}])"
    # Broadcasting makes plain where an axis was kept.
    return operation_text(node, texts, grouped, unsaid=("keepdims",), most_entries=LONGEST_FORMULA)


def _grouped(text: str, expression: Any) -> str:
    """In brackets unless it holds together beside an operator."""
    simple = expression.is_Symbol or expression.is_Function
    whole = " " not in text or _CALL_OR_ENTRY.fullmatch(text)
    return text if simple and whole else f"({text})"


def _is_number(node: Node, operands: list[Any]) -> bool:
    """Whether only the shape of a plain number changes, which its text does not show."""
    moves = node.operation.name in ("reshape", "expand_dims", "squeeze")
    leads = node.operation.name == "expand_dims" and not _new_axes_text(node)
    return moves and (not operands[0].free_symbols or leads)


def _new_axes_text(node: Node) -> str:
    """`[:, None]` for new axes; nothing where they all lead, which broadcasting implies."""
    axes = node.static["axis"]
    parts = ["None" if i - node.ndim in axes else ":" for i in range(node.ndim)]
    while parts and parts[-1] == ":":
        parts.pop()
    return f"[{', '.join(parts)}]" if ":" in parts else ""


def _meaning(gradient: Node, seed: Node) -> str:
    """A well-known shape of formula in words."""
    operands = gradient.operands
    name = gradient.operation.name
    if name == "outer" and operands[0] is seed and operands[1].operation is leaf:
        return f"row i is seed[i] × {operands[1].static['name']}"
    if (
        name == "matmul"
        and operands[1] is seed
        and operands[0].operation.name == "matrix_transpose"
    ):
        matrix = operands[0].operands[0]
        if matrix.operation is leaf:
            return f"seed mixes the rows of {matrix.static['name']}"
    return ""


def to_text(expression: sympy.Basic) -> str:
    """A SymPy expression in the language of the program: where(...) instead of Piecewise."""
    return str(_printer().doprint(expression))


def is_torn(text: str) -> bool:
    """Whether the text has an operator outside of all brackets, as `A @ x` has."""
    depth = 0
    for i, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if depth == 0 and text.startswith((" @ ", " == "), i):
            return True
    return False


_printers: list[Any] = []


def _printer() -> Any:
    if not _printers:
        from sympy.printing.precedence import PRECEDENCE  # noqa: PLC0415
        from sympy.printing.str import StrPrinter  # noqa: PLC0415  (only for formulas)

        product = PRECEDENCE["Mul"]

        class Printer(StrPrinter):  # type: ignore[misc]  # sympy has no types
            """SymPy's text printer with the names of this program."""

            def _print_Piecewise(self, expression: Any) -> str:
                *branches, (last, _) = expression.args
                text = str(self._print(last))
                for value, condition in reversed(branches):
                    text = f"where({self._print(condition)}, {self._print(value)}, {text})"
                return text

            def parenthesize(self, item: Any, level: int, strict: bool = False) -> str:
                """An operand, in brackets where an operator around it would tear it apart."""
                text = str(super().parenthesize(item, level, strict))
                within_product = level >= product
                return f"({text})" if within_product and item.is_Symbol and is_torn(text) else text

            def _print_Float(self, expression: Any) -> str:
                return repr(float(expression)).removesuffix(".0")

            def _print_Infinity(self, _: Any) -> str:
                return "inf"

            def _print_NegativeInfinity(self, _: Any) -> str:
                return "-inf"

            def _print_Exp1(self, _: Any) -> str:
                return "e"

            def _print_Function(self, expression: Any) -> str:
                renamed = {"Abs": "abs", "Max": "maximum", "Min": "minimum"}
                name = str(expression.func.__name__)
                arguments = ", ".join(self._print(argument) for argument in expression.args)
                return f"{renamed.get(name, name)}({arguments})"

            _print_Abs = _print_Function
            _print_Max = _print_Function
            _print_Min = _print_Function
            _print_LatticeOp = _print_Function

        _printers.append(Printer())
    return _printers[0]


def slope_text(contribution: Node, adjoint: Node, names: Mapping[Node, str]) -> str | None:
    """The local slope in a contribution, in terms of named nodes.

    It is what an adjoint of 1 would contribute. None where it has no short form.
    """
    return _formula(contribution, {**names, adjoint: ""})


def rule_text(
    contribution: Node, names: Mapping[Node, str], *, longest: int = LONGEST_RULE
) -> str | None:
    """A contribution as a rule states it, in terms of named nodes. None when it is too long."""
    return _formula(contribution, names, longest=longest, any_name=True)


def contribution_text(contribution: Node, names: Mapping[Node, str], longest: int) -> str | None:
    """A contribution in array notation, in terms of named nodes; None where it is longer."""
    text = _formula(contribution, names)
    return text if text is not None and len(text) <= longest else None


def entries(output: Node) -> NDArray[Any]:
    """The output with every leaf entry a symbol of its own: an object array of expressions.

    The symbol of x[0, 1] is named "x[0, 1]". This is the forward graph alone; no rule is used.

    Errors: NotImplementedError where an operation cannot run on SymPy.
    """
    import sympy  # noqa: PLC0415  (only for a second opinion)

    found: dict[Node, NDArray[Any]] = {}
    for node in _above(output, {}):
        if node.operation is leaf:
            found[node] = entry_symbols(node.static["name"], node.shape)
            continue
        if node.operation is constant:
            flat = [number(value, sympy) for value in node.static["value"].ravel()]
            found[node] = _object_array(flat, node.shape)
            continue
        operands = [found[operand] for operand in node.operands]
        if node.operation.pattern == "elementwise":
            found[node] = _entry_by_entry(node, operands, sympy)
        else:
            found[node] = _mixed(node, operands)
    return found[output]


def entry_symbols(name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """One real symbol per entry of a leaf."""
    import sympy  # noqa: PLC0415  (only for a second opinion)

    symbols = [sympy.Symbol(f"{name}{list(position)}", real=True) for position in np.ndindex(shape)]
    return _object_array(symbols, shape)


def derivatives(
    graph: Graph,
    output: Node,
    leaf_name: str,
    values: Mapping[str, Any],
    seconds: float | None = None,
) -> NDArray[np.float64]:
    """The Jacobian by SymPy's own differentiation of the forward formulas, as numbers.

    Shape output.shape + leaf.shape. After `seconds` no further entry is begun.

    Errors: NotImplementedError where an operation cannot run on SymPy, where SymPy gives no
    number, or where it takes too long.
    """
    end = None if seconds is None else time.monotonic() + seconds
    expressions = entries(output)
    symbols = entry_symbols(leaf_name, graph.inputs[leaf_name].shape)
    numbers = _numbers(graph, values)
    result = np.zeros((expressions.size, symbols.size))
    for row, expression in enumerate(expressions.ravel()):
        for column, symbol in enumerate(symbols.ravel()):
            if symbol in expression.free_symbols:
                if end is not None and time.monotonic() > end:
                    raise NotImplementedError("SymPy takes too long")
                result[row, column] = _number(expression.diff(symbol), numbers)
    return result.reshape(output.shape + symbols.shape)


def value(graph: Graph, output: Node, values: Mapping[str, Any]) -> NDArray[np.float64]:
    """The output by the formulas: whether they say what the graph computes.

    Errors: as for `derivatives`.
    """
    expressions = entries(output)
    numbers = _numbers(graph, values)
    flat = [_number(expression, numbers) for expression in expressions.ravel()]
    return np.array(flat, np.float64).reshape(output.shape)


def _numbers(graph: Graph, values: Mapping[str, Any]) -> dict[Any, Any]:
    """The symbol of every leaf entry -> its number."""
    numbers: dict[Any, Any] = {}
    for name, node in graph.inputs.items():
        flat = np.asarray(values[name], np.float64).ravel()
        numbers.update(zip(entry_symbols(name, node.shape).ravel(), map(float, flat), strict=True))
    return numbers


def tree_size(output: Node) -> int:
    """How large the formula of one output entry can become, written out without sharing.

    SymPy differentiates and evaluates what is written out, so this bounds its work beforehand.
    """
    sizes: dict[Node, int] = {}
    for node in _above(output, {}):
        below = [sizes[operand] for operand in node.operands]
        if node.operation.pattern in ("elementwise", "movement"):
            sizes[node] = 1 + sum(below)
        else:
            entries_below = (operand.size for operand in node.operands)
            sizes[node] = 1 + sum(s * n for s, n in zip(below, entries_below, strict=True))
    return sizes[output]


def _number(expression: Any, numbers: Mapping[Any, Any]) -> float:
    try:
        return float(expression.evalf(20, subs=numbers))
    except (TypeError, KeyError, RecursionError):
        raise NotImplementedError("a derivative without a number") from None


def _entry_by_entry(node: Node, operands: list[NDArray[Any]], s: Any) -> NDArray[Any]:
    spread = np.broadcast_arrays(*operands)
    flat = [
        apply_symbolic(node, list(each), s)
        for each in zip(*(array.ravel() for array in spread), strict=True)
    ]
    return _object_array(flat, node.shape)


def _mixed(node: Node, operands: list[NDArray[Any]]) -> NDArray[Any]:
    """An operation that mixes entries: NumPy moves, adds and multiplies objects as well."""
    assert node.operation.forward is not None
    try:
        result = np.asarray(node.operation.forward(*operands, **node.static), dtype=object)
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        raise NotImplementedError(node.operation.name) from error
    if result.shape != node.shape:
        raise NotImplementedError(node.operation.name)
    # NumPy fills with plain zeros where an operation pads or cuts out.
    flat = [one if hasattr(one, "free_symbols") else _plain(one) for one in result.ravel()]
    return _object_array(flat, node.shape)


def _plain(value: Any) -> Any:
    import sympy  # noqa: PLC0415  (only for a second opinion)

    return number(np.float64(value), sympy)


def _object_array(flat: list[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    array = np.empty(len(flat), dtype=object)
    array[:] = flat
    return array.reshape(shape)
