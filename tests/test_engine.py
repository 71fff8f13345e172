"""What reverse-mode differentiation promises, on graphs that hypothesis draws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import vjpcli
import vjpcli.ops
from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.engine.jacobian import jacobian
from vjpcli.engine.structure import reads
from vjpcli.engine.tangent import tangent
from vjpcli.errors import VjpError
from vjpcli.graph.node import Graph, Node, ancestors
from vjpcli.graph.operation import OPERATIONS, make_leaf

SMOOTH = [
    operation
    for operation in OPERATIONS.values()
    if operation.pattern == "elementwise"
    and operation.kind == "real"
    and operation.analytic
    and not operation.static_defaults
    and len(operation.operand_names) <= 2
    and all(domain.name == "real" for domain in operation.domains)
]
SHAPES = [(), (3,), (2, 3), (2, 1), (1,)]


@st.composite
def graphs(draw):
    """A random graph over leaves a, b, c of shapes that broadcast; c may stay unread."""
    leaves = {name: make_leaf(name, draw(st.sampled_from(SHAPES))) for name in "abc"}
    nodes: list[Node] = [leaves["a"], leaves["b"]]
    if draw(st.booleans()):
        nodes.append(leaves["c"])
    for _ in range(draw(st.integers(1, 8))):
        operation = draw(st.sampled_from(SMOOTH))
        operands = [draw(st.sampled_from(nodes)) for _ in operation.operand_names]
        try:
            result = operation(*operands)
        except VjpError:
            assume(False)  # an operation with demands on shapes of its own
        # tanh keeps numbers in a range where no rounding hides an error
        nodes.append(OPERATIONS["tanh"](result))
    output = nodes[-1]
    for node in nodes[-3:-1]:
        output = output * node + node
    if draw(st.booleans()) and output.ndim:
        output = OPERATIONS["sum"](output, axis=draw(st.integers(0, output.ndim - 1)))
    graph = Graph.reaching({"y": output}, leaves)
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = {name: generator.uniform(-1.5, 1.5, leaf.shape) for name, leaf in leaves.items()}
    seed = generator.uniform(-1.5, 1.5, output.shape)
    return graph, values, seed


def gradients(graph: Graph, values, seed):
    reverse = backward(graph, graph.inputs)
    results = evaluate(reverse.graph, {**values, seed_name("y"): seed})
    return {name: results[node] for name, node in reverse.graph.outputs.items()}


def assert_same(got, expected, tolerance=1e-10):
    assert np.all(np.isfinite(got))
    assert np.shape(got) == np.shape(expected)
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance * scale)


@given(graphs())
def test_gradient_is_seed_times_jacobian(case):
    graph, values, seed = case
    matrices = jacobian(graph, graph.inputs, values)
    for name, gradient in gradients(graph, values, seed).items():
        entries = matrices[name].entries
        assert_same(np.tensordot(seed, entries, axes=seed.ndim), gradient)


@given(graphs(), st.floats(-3, 3), st.floats(-3, 3))
def test_gradient_is_linear_in_the_seed(case, p, q):
    graph, values, seed = case
    other = np.cos(seed)
    both = gradients(graph, values, p * seed + q * other)
    first, second = gradients(graph, values, seed), gradients(graph, values, other)
    for name in graph.inputs:
        assert_same(both[name], p * first[name] + q * second[name], 1e-8)


@given(graphs())
def test_leaf_that_is_not_read_gets_an_exact_zero_of_its_shape(case):
    graph, values, seed = case
    read = ancestors(graph.outputs.values())
    for name, gradient in gradients(graph, values, seed).items():
        assert gradient.shape == values[name].shape
        if graph.inputs[name] not in read:
            assert np.array_equal(gradient, np.zeros(values[name].shape))


@given(graphs())
def test_structural_zeros_are_zeros(case):
    graph, values, _ = case
    output = graph.outputs["y"]
    for name, found in jacobian(graph, graph.inputs, values).items():
        pattern = reads(graph, output, graph.inputs[name])
        assert np.all(found.entries[~pattern] == 0)


@given(graphs())
def test_tangent_is_jacobian_times_direction(case):
    graph, values, _ = case
    directions = {name: np.sin(3 * value) + 1 for name, value in values.items()}
    expected = 0.0
    for name, found in jacobian(graph, graph.inputs, values).items():
        expected = expected + np.tensordot(found.entries, directions[name], values[name].ndim)
    assert_same(tangent(graph, directions, values), expected, 1e-9)


def paths(graph: Graph, values, leaf: str):
    """Derivative of a scalar output by its definition: the sum over all paths of the product
    of local slopes along each, every slope taken by a complex step of one operation alone.
    """
    output = graph.outputs["y"]
    results = evaluate(graph, values, keep=True)
    total = 0.0
    pending = [(output, 1.0)]
    while pending:
        node, product = pending.pop()
        if node is graph.inputs[leaf]:
            total += product
        for position, operand in enumerate(node.operands):
            arrays = [results[one].astype(complex) for one in node.operands]
            arrays[position] = arrays[position] + 1e-30j
            slope = node.operation.forward(*arrays, **node.static).imag / 1e-30
            if slope:
                pending.append((operand, product * float(slope)))
    return total


@settings(max_examples=60)
@given(st.data())
def test_gradient_is_the_sum_over_paths(data):
    leaf = make_leaf("x", ())
    nodes = [leaf]
    for _ in range(data.draw(st.integers(1, 5))):
        operation = data.draw(st.sampled_from(SMOOTH))
        nodes.append(
            operation(*(data.draw(st.sampled_from(nodes)) for _ in operation.operand_names))
        )
    graph = Graph.reaching({"y": nodes[-1]}, {"x": leaf})
    values = {"x": np.float64(0.4)}
    gradient = gradients(graph, values, 1.0)["x"]
    if np.isfinite(gradient) and abs(gradient) < 1e6:
        assert_same(gradient, paths(graph, values, "x"), 1e-9)


def test_second_seed_needs_no_reset():
    """Nothing mutable on a node: the same backward graph answers again."""
    x = make_leaf("x", (2,))
    graph = Graph.reaching({"y": x * x * x}, {"x": x})
    reverse = backward(graph, ["x"])
    gradient = reverse.graph.outputs["x"]
    for _ in range(2):
        results = evaluate(reverse.graph, {"x": [2.0, -1.0], seed_name("y"): [1.0, 1.0]})
        assert results[gradient].tolist() == [12.0, 3.0]


@pytest.mark.parametrize("count", [100_000])
def test_a_chain_of_many_nodes_does_not_recurse(count):
    x = make_leaf("x", ())
    y = x
    for _ in range(count):
        y = -y
    graph = Graph.reaching({"y": y}, {"x": x})
    assert gradients(graph, {"x": 1.0}, 1.0)["x"] == 1.0


def test_a_node_that_is_read_many_times_sums_its_contributions():
    x = make_leaf("x", ())
    y = x
    for _ in range(2000):
        y = y + x
    graph = Graph.reaching({"y": y}, {"x": x})
    assert gradients(graph, {"x": 3.0}, 1.0)["x"] == 2001.0


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("x.repeat(1200)", {"x": [2.0]}),
        ("sin(x) * a", {"x": 0.5, "a": list(range(1200))}),
        ("sqrt(A @ x) + x[0]", {"x": [1.0, 2.0, 3.0], "A": [[1.0, 2.0, 3.0]] * 1100}),
        ("sqrt(A @ x)", {"x": [0.0, 0.0], "A": [[0.0, 1.0], [1.0, 1.0]] * 600}),
        ("x[0] + 0*t", {"x": [1.0, 2.0], "t": [1.0] * 1500}),
    ],
)
def test_a_tall_jacobian_made_by_columns_equals_its_rows(expression, values, monkeypatch):
    wanted = ["x"]
    by_columns = vjpcli.explain(expression, values, wrt=wanted, seed="ones", check=False)
    monkeypatch.setattr("vjpcli.engine.jacobian.TALL", 10**9)
    by_rows = vjpcli.explain(expression, values, wrt=wanted, seed="ones", check=False)
    np.testing.assert_allclose(
        by_columns.jacobian["y"]["x"], by_rows.jacobian["y"]["x"], rtol=1e-12, equal_nan=True
    )


def test_a_million_copies_of_a_number_have_a_jacobian():
    found = vjpcli.jac("x.repeat(1000000)", {"x": 1.0})["x"]
    assert found.shape == (1_000_000,)
    assert np.all(found == 1)
