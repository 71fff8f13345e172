"""Slopes, gradients and rules as formulas that are short enough to read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.backward import Backward
from vjpcli.engine.evaluate import evaluate
from vjpcli.engine.symbolic.expressions import (
    LONGEST_FORMULA,
    above,
    expression_of,
    is_exception,
    mixing_text,
)
from vjpcli.engine.symbolic.printing import to_text
from vjpcli.graph.node import Graph, Node, dependents
from vjpcli.graph.operation import leaf
from vjpcli.record import record

LARGEST_GRAPH = 400
"""Nodes above which no formula is attempted: nobody reads it, and SymPy is slow."""

LARGEST_RUN = 1_000_000
"""Entries over all nodes up to which it is looked whether an exceptional point was hit."""

MUCH_SHORTER = 0.85
"""Share of its length below which a formula is taken in another form."""

LONGEST_RULE = 240
"""Characters of a formula on the page of an operation, which has room for it."""


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


def exceptions(reverse: Backward, inputs: Mapping[str, NDArray[Any]]) -> set[Node]:
    """The equalities of rules that hold somewhere at these values: ties, and zeros of norms."""
    asked = [node for node in reverse.graph.nodes if is_exception(node)]
    graph = Graph.reaching({str(node.serial): node for node in asked}, reverse.graph.inputs)
    if not asked or sum(node.size for node in graph.nodes) > LARGEST_RUN:
        return set()
    with np.errstate(all="ignore"):
        values = evaluate(graph, inputs)
    return {node for node in asked if values[node].any()}


def formulas(
    graph: Graph,
    reverse: Backward,
    leaves: Mapping[str, str],
    exceptional: Collection[Node] = (),
) -> dict[str, Formula]:
    """The formula of each leaf's gradient that is short enough to read.

    `leaves` maps names to structures: where it is "diagonal" and everything on the way is
    entry-wise, the formula is the slope dy/dleaf of one entry; elsewhere it is the gradient in
    array notation with the seed in it (left out for a scalar output, where it is 1).
    `exceptional` are the exceptional points of rules that the formulas are to tell of.
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
        known = {seed: "" if slope_only or scalar else "seed"}
        text = _formula(gradient, known, exceptional=exceptional)
        if text is not None:
            if not slope_only and gradient.size > 1 and _is_plain_number(text):
                text = {"0": "zeros", "1": "ones"}.get(text, f"{text}*ones")
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
    exceptional: Collection[Node] = (),
) -> str | None:
    """`root` printed; None where it divides by 0, grows too long or SymPy has no word for it.

    With `any_name` an operation that SymPy does not know is printed by its own name.
    """
    import sympy  # noqa: PLC0415  (0.3 s, only for formulas)

    expressions: dict[Node, Any] = {}
    for node in above(root, names):
        if node in names:
            word = names[node]
            expressions[node] = sympy.Symbol(word, real=True) if word else sympy.Integer(1)
            continue
        operands = [expressions[operand] for operand in node.operands]
        try:
            expression = expression_of(node, operands, sympy, exceptional)
        except (TypeError, ValueError, AttributeError, NotImplementedError, ZeroDivisionError):
            if not any_name:
                return None
            texts = [to_text(operand) for operand in operands]
            expression = sympy.Symbol(mixing_text(node, texts, operands), real=True)
        if expression is None or _size(expression, sympy) > longest:
            return None
        expressions[node] = expression
    found = expressions[root]
    if found.has(sympy.zoo, sympy.nan):  # 1/0 has no formula; the numbers say what it is
        return None
    text = to_text(found)
    # (2*x - 2)/(2*abs(x - 1)) is (x - 1)/abs(x - 1), and p*(s - y/p) is p*s - y
    others = [sympy.factor_terms(found)]
    if any("(" in symbol.name for symbol in found.free_symbols):
        others.append(sympy.expand(found))
    for other in others:
        shorter = to_text(other)
        text = shorter if len(shorter) <= MUCH_SHORTER * len(text) else text
    return text if len(text) <= longest else None


def _size(expression: Any, s: Any) -> int:
    """How long it is at least as text: a symbol may be named by a long text of its own."""
    named = max((len(symbol.name) for symbol in expression.free_symbols), default=0)
    return max(named, int(s.count_ops(expression)))


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
