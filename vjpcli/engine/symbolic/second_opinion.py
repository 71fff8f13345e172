"""SymPy's own derivatives of the forward formulas: no rule of this program is used."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.symbolic.expressions import above, apply_symbolic, number
from vjpcli.graph.node import Graph, Node
from vjpcli.graph.operation import constant, leaf


def entries(output: Node) -> NDArray[Any]:
    """The output with every leaf entry a symbol of its own: an object array of expressions.

    The symbol of x[0, 1] is named "x[0, 1]". This is the forward graph alone; no rule is used.

    Errors: NotImplementedError where an operation cannot run on SymPy.
    """
    import sympy  # noqa: PLC0415  (only for a second opinion)

    found: dict[Node, NDArray[Any]] = {}
    for node in above(output, {}):
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


DIGITS = 20
"""Digits to which a formula is evaluated: a few more than a float holds."""


def derivatives(
    graph: Graph,
    output: Node,
    leaf_name: str,
    values: Mapping[str, Any],
    seconds: float | None = None,
    digits: int = DIGITS,
) -> NDArray[np.float64]:
    """The Jacobian by SymPy's own differentiation of the forward formulas, as numbers.

    Shape output.shape + leaf.shape. After `seconds` no further entry is begun. `digits` are those
    that SymPy works with, more of which survive where numbers cancel.

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
                result[row, column] = _number(expression.diff(symbol), numbers, digits)
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
    for node in above(output, {}):
        below = [sizes[operand] for operand in node.operands]
        if node.operation.pattern in ("elementwise", "movement"):
            sizes[node] = 1 + sum(below)
        else:
            entries_below = (operand.size for operand in node.operands)
            sizes[node] = 1 + sum(s * n for s, n in zip(below, entries_below, strict=True))
    return sizes[output]


def _number(expression: Any, numbers: Mapping[Any, Any], digits: int = DIGITS) -> float:
    try:
        return float(expression.evalf(digits, subs=numbers))
    except (TypeError, KeyError, RecursionError):
        raise NotImplementedError("the formula has no value here") from None


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
