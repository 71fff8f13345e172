"""Reverse-mode automatic differentiation: the whole method is on this page.

The forward graph computes an output from leaves. Give the output a seed, one weight for each of
its entries. Then every node has an *adjoint*: the derivative of the number (seed . output) with
respect to that node's value. The adjoint of the output is the seed itself. Walking the nodes
backwards, each node hands a *contribution* to every operand: its own adjoint times the local
slope, which its rule in `vjpcli/ops/` knows. A node that is read several times receives several
contributions, and its adjoint is their sum: that is the chain rule. What arrives at a leaf is
its gradient, seed^T . J, the vector-Jacobian product. No Jacobian was ever formed.

Take y = x * exp(x) with the seed 1. The adjoint of y is 1. The product hands 1 * exp(x) to x
and 1 * x to exp(x), whose adjoint is now complete: x. Only then does exp hand on its own
contribution, x * exp(x). The gradient of x is the sum of the two it received,
exp(x) + x * exp(x). One order of the walk is right for every graph: users before their
operands, so that no node hands on an adjoint to which something is still missing.

Rules take nodes and return nodes, so the result is again a graph. Run on NumPy it gives the
numbers, run on SymPy the formulas, run with a batch of seeds the Jacobian; differentiated once
more it gives second derivatives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from vjpcli.graph.node import Graph, Node, Shape, dependents
from vjpcli.graph.operation import make_constant, make_leaf
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import shape
from vjpcli.record import record


class Contribution(NamedTuple):
    """What one reading of an operand adds to its adjoint.

    Attributes:
        reader: the node that reads the operand.
        position: which of the reader's operands it is.
        operand: the node that receives.
        local: the reader's adjoint times the local slope, as the rule returned it.
        fitted: the same, summed or stretched to the operand's shape.
    """

    reader: Node
    position: int
    operand: Node
    local: Node
    fitted: Node


@record
class Backward:
    """The backward graph.

    Attributes:
        graph: computes the gradients. Its inputs are those of the forward graph and the seeds,
            its outputs are named after the leaves.
        adjoints: forward node -> the node of its adjoint; absent where no adjoint arrives.
        contributions: every hand-over, in the order in which the walk made them.
        seeds: output name -> the leaf node that stands for its seed.
    """

    graph: Graph
    adjoints: Mapping[Node, Node]
    contributions: tuple[Contribution, ...]
    seeds: Mapping[str, Node]


def backward(
    graph: Graph,
    leaves: Iterable[str],
    *,
    batch: Shape = (),
    like: str = "torch",
) -> Backward:
    """The graph of the gradients of `leaves`, weighted by one seed per output of `graph`.

    The seed of output `y` is the input named by `seed_name("y")`; its shape is batch +
    output.shape, and a gradient has shape batch + leaf.shape. A leaf that no output depends on
    gets an exact zero. `like` names the engine whose convention is taken at kinks.
    """
    leaves = list(leaves)
    receiving = dependents(graph, [graph.inputs[name] for name in leaves])
    seeds = {
        name: make_leaf(seed_name(name), batch + output.shape)
        for name, output in graph.outputs.items()
    }
    adjoints: dict[Node, Node] = {}
    contributions: list[Contribution] = []

    for name, output in graph.outputs.items():
        accumulate(adjoints, output, seeds[name])
    # Users come before their operands here, so the adjoint of `node` is complete.
    for node in reversed(graph.nodes):
        if node not in adjoints or node not in receiving or not node.operands:
            continue
        for position, local in enumerate(local_contributions(adjoints[node], node, like)):
            operand = node.operands[position]
            if local is None or operand not in receiving:
                continue
            fitted = fit(local, operand.shape, batch)
            contributions.append(Contribution(node, position, operand, local, fitted))
            accumulate(adjoints, operand, fitted)

    gradients = {
        name: adjoints[node]
        if node in adjoints and node in receiving
        else zeros(batch + node.shape)
        for name, node in ((name, graph.inputs[name]) for name in leaves)
    }
    inputs = {**graph.inputs, **{seed_name(name): seed for name, seed in seeds.items()}}
    return Backward(
        graph=Graph.reaching(gradients, inputs),
        adjoints=adjoints,
        contributions=tuple(contributions),
        seeds=seeds,
    )


def accumulate(adjoints: dict[Node, Node], node: Node, contribution: Node) -> None:
    """Adds `contribution` to the adjoint of `node`: the sum over all paths of the chain rule."""
    adjoints[node] = adjoints[node] + contribution if node in adjoints else contribution


def local_contributions(adjoint: Node, node: Node, like: str) -> tuple[Node | None, ...]:
    """What the node's rule says of each operand: adjoint times local slope."""
    rules = node.operation.rules
    rule = rules.get(like) or rules["torch"]
    result = rule(adjoint, node, *node.operands, **node.static)
    return result if isinstance(result, tuple) else (result,)


def fit(contribution: Node, wanted: Shape, batch: Shape) -> Node:
    """`contribution` in the operand's shape: the only place where broadcasting is undone.

    Where the forward pass copied an entry along an axis, the adjoints of the copies are summed
    over that axis. Where a rule left an axis at length 1 because every entry receives the same
    (the adjoint of a sum), the contribution is stretched.
    """
    target = batch + wanted
    if contribution.shape == target:
        return contribution
    extra = contribution.ndim - len(target)
    if extra > 0:
        new_axes = tuple(range(-len(wanted) - extra, -len(wanted)))
        contribution = reduction.sum(contribution, axis=new_axes)
    stretched = tuple(
        axis
        for axis in range(-len(wanted), 0)
        if wanted[axis] == 1 and contribution.shape[axis] != 1
    )
    if stretched:
        contribution = reduction.sum(contribution, axis=stretched, keepdims=True)
    if contribution.shape != target:
        contribution = shape.broadcast_to(contribution, shape=target)
    return contribution


def seed_name(output: str) -> str:
    """The name of the input that holds the seed of `output`; no name of the language clashes."""
    return f"seed of {output}"


def zeros(wanted: Shape) -> Node:
    """A zero of any shape, in the space of one number."""
    return make_constant(np.broadcast_to(np.float64(0.0), wanted))
