"""Values and gradients of functions of nodes, for tests below the language."""

from __future__ import annotations

import numpy as np

import vjpcli.ops  # noqa: F401  (declares the operations)
from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.graph.node import Graph
from vjpcli.graph.operation import OPERATIONS, make_leaf


def gradients_of(function, values, seed=None, *, like="torch", dtype=float):
    """Value and gradients of function(*leaves); the seed is all ones unless given."""
    values = {name: np.asarray(value, dtype=float) for name, value in values.items()}
    leaves = {name: make_leaf(name, value.shape) for name, value in values.items()}
    output = function(*leaves.values())
    graph = Graph.reaching({"y": output}, leaves)
    seed = np.ones(output.shape) if seed is None else np.asarray(seed, dtype=float)
    reverse = backward(graph, leaves, like=like)
    results = evaluate(reverse.graph, {**values, seed_name("y"): seed}, dtype)
    value = evaluate(graph, values, dtype)[output]
    return value, {name: results[node] for name, node in reverse.graph.outputs.items()}


def gradient_of(name, *matrices, seed=None, like="torch", **static):
    """Value of one operation, and the gradient of its first operand."""
    values = {f"x{i}": matrix for i, matrix in enumerate(matrices)}
    value, got = gradients_of(
        lambda *leaves: OPERATIONS[name](*leaves, **static), values, seed, like=like
    )
    return value, got["x0"]


def second_gradient_of(function, value, weights):
    """The gradient of the number (weights . gradient of function) with respect to the leaf."""
    value = np.asarray(value, dtype=float)
    leaf = make_leaf("x", value.shape)
    first = backward(Graph.reaching({"y": function(leaf)}, {"x": leaf}), ["x"])
    second = backward(Graph.reaching(first.graph.outputs, first.graph.inputs), ["x"])
    inputs = {"x": value, seed_name("y"): np.ones(()), seed_name("x"): np.asarray(weights)}
    return evaluate(second.graph, inputs)[second.graph.outputs["x"]]


def bits(shape, first=0):
    """Each entry with a bit of its own, counted from `first`: what a pattern is asked with."""
    count = int(np.prod(shape))
    singles = np.empty(count, dtype=object)
    singles[:] = [1 << (first + i) for i in range(count)]
    return singles.reshape(shape)
