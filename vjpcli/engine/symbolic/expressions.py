"""A node and the expressions of its operands -> the expression of the node."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from vjpcli.engine.symbolic.printing import holds_together, to_text
from vjpcli.graph.node import Node
from vjpcli.graph.notation import index_text, number_text, operation_text
from vjpcli.graph.operation import constant, leaf

LONGEST_FORMULA = 72
LARGEST_CONSTANT = 8

LINEAR = {"sum", "mean", "matmul", "outer", "matrix_transpose", "reshape", "expand_dims", "index"}
"""Operations through which a number passes: `sum(2*x)` is `2*sum(x)`."""

EYE = "eye"
"""What the matrix with ones on its diagonal is called."""

TRANSPARENT = {"broadcast_to"}
"""Operations that a formula in array notation leaves out: broadcasting implies them."""


def above(root: Node, known: Mapping[Node, str]) -> list[Node]:
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


def expression_of(  # noqa: PLR0911 - one return for each kind of node
    node: Node, operands: list[Any], s: Any, exceptional: Collection[Node] = ()
) -> Any:
    """The expression of one node; `exceptional` are the equalities of rules that are to be told.

    Errors: NotImplementedError and SymPy's own where there is none.
    """
    operation = node.operation
    if operation is leaf:
        return s.Symbol(node.static["name"], real=True)
    if operation is constant:
        return _constant(node, s)
    if is_exception(node):
        # A rule asks for equality to treat one exceptional point; a formula tells of it only
        # where it was hit.
        return s.Eq(*operands) if node in exceptional else s.false
    if operation.name == "equal" and node.span is None:
        return s.Symbol(f"{to_text(operands[0])} == {to_text(operands[1])}", real=True)
    if operation.pattern == "elementwise":
        return apply_symbolic(node, operands, s)
    if operation.name in TRANSPARENT or _is_number(node, operands) or _changes_nothing(node):
        return operands[0]
    operands = [
        _filled(operand, s) if operand.is_number and node.operands[i].ndim else operand
        for i, operand in enumerate(operands)
    ]
    factor = s.Integer(1)
    if operation.name in LINEAR:
        factor, operands = _number_in_front(operands, s)
    texts = [to_text(operand) for operand in operands]
    if operation.name == "matmul" and EYE in texts:
        return factor * operands[1 - texts.index(EYE)]
    return factor * s.Symbol(mixing_text(node, texts, operands), real=True)


def _changes_nothing(node: Node) -> bool:
    """Whether it is a sum of one entry each, or a reshape to the shape that is there."""
    if node.operation.name == "sum":
        return node.operands[0].size == node.size
    return node.operation.name == "reshape" and node.operands[0].shape == node.shape


def _number_in_front(operands: list[Any], s: Any) -> tuple[Any, list[Any]]:
    """The number by which a sum or product may be multiplied afterwards, and what is left."""
    factor, rest = s.Integer(1), []
    for operand in operands:
        number, left = s.factor_terms(operand).as_coeff_Mul()
        # A sum of terms stays as it is when its number is only a sign.
        stays = number in (0, 1) or (number == -1 and left.is_Add)
        taken = s.Integer(1) if stays else number
        factor *= taken
        rest.append(left if taken is number else operand)
    return factor, rest


def is_exception(node: Node) -> bool:
    """Whether it is an equality by which a rule treats one exceptional point, such as a tie."""
    return node.operation.name == "equal" and node.span is None and not _finds_extreme(node)


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
    if value.ndim == 2 and value.shape[0] == value.shape[1] and (value == np.eye(len(value))).all():
        return s.Symbol(EYE, real=True)
    if value.size > LARGEST_CONSTANT:
        return s.Symbol(f"constant{list(value.shape)}", real=True)
    return s.Symbol(number_text(value), real=True)


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


def mixing_text(node: Node, texts: list[str], operands: list[Any]) -> str:
    """An operation that mixes entries, in the notation people write it in."""
    grouped = [_grouped(text, one) for text, one in zip(texts, operands, strict=True)]
    if node.operation.name == "expand_dims":
        return grouped[0] + _new_axes_text(node)
    if node.operation.name == "add_into":
        return f"({texts[0]} added into [{index_text(node.static['index'], LONGEST_FORMULA)}])"
    if node.operation.name == "matrix_transpose" and (pair := _factors_of_outer(texts[0])):
        return f"outer({pair[1]}, {pair[0]})"
    # Broadcasting makes plain where an axis was kept.
    return operation_text(node, texts, grouped, unsaid=("keepdims",), most_entries=LONGEST_FORMULA)


def _factors_of_outer(text: str) -> tuple[str, str] | None:
    """`a` and `b` of `outer(a, b)`, which transposed is outer(b, a)."""
    if not text.startswith("outer(") or not holds_together(text):
        return None
    depth = 0
    inside = text[len("outer(") : -1]
    for i, sign in enumerate(inside):
        depth += (sign in "([") - (sign in ")]")
        if depth == 0 and inside.startswith(", ", i):
            return inside[:i], inside[i + 2 :]
    return None


def _grouped(text: str, expression: Any) -> str:
    """In brackets unless it holds together beside an operator."""
    simple = expression.is_Symbol or expression.is_Function
    return text if simple and holds_together(text) else f"({text})"


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
