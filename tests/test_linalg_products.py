"""Matrix products: how their rules read, which entries they read, what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from node_functions import bits, gradient_of, gradients_of

from vjpcli.engine.backward import backward
from vjpcli.errors import VjpError
from vjpcli.graph.node import Graph
from vjpcli.graph.operation import OPERATIONS, as_node, make_leaf


def written(node):
    """The node as nested text, leaves by name."""
    if node.operation.name == "leaf":
        return node.static["name"].replace("seed of y", "g")
    return f"{node.operation.name}({', '.join(written(one) for one in node.operands)})"


def written_gradients(**shapes):
    leaves = {name: make_leaf(name, shape) for name, shape in shapes.items()}
    first, second = leaves.values()
    reverse = backward(Graph.reaching({"y": first @ second}, leaves), leaves)
    return [written(node) for node in reverse.graph.outputs.values()]


def test_matrix_times_vector_gives_an_outer_product_and_a_transposed_product():
    assert written_gradients(W=(2, 3), x=(3,)) == [
        "outer(g, x)",
        "matmul(matrix_transpose(W), g)",
    ]


def test_vector_times_matrix_gives_a_product_and_an_outer_product():
    assert written_gradients(x=(2,), W=(2, 3)) == ["matmul(W, g)", "outer(x, g)"]


def test_matrix_times_matrix_gives_two_transposed_products():
    assert written_gradients(A=(2, 3), B=(3, 2)) == [
        "matmul(g, matrix_transpose(B))",
        "matmul(matrix_transpose(A), g)",
    ]


def test_vector_times_vector_gives_multiples_of_the_other():
    assert written_gradients(a=(3,), b=(3,)) == ["multiply(g, b)", "multiply(g, a)"]


def test_outer_with_itself_sums_rows_and_columns_of_the_seed():
    value, got = gradients_of(lambda x: OPERATIONS["outer"](x, x), {"x": [1, 2, 4]})
    np.testing.assert_array_equal(value, [[1, 2, 4], [2, 4, 8], [4, 8, 16]])
    np.testing.assert_array_equal(got["x"], [14, 14, 14])


def test_product_of_length_one_keeps_its_axis():
    value, got = gradients_of(lambda w, x: w @ x, {"w": [[2, -1]], "x": [3, 4]})
    assert value.tolist() == [2]
    assert got["w"].tolist() == [[3, 4]]
    assert got["x"].tolist() == [2, -1]


def test_quadratic_form_of_an_unsymmetric_matrix_uses_both_triangles():
    value, got = gradients_of(
        lambda x, A, b: 0.5 * (x @ A @ x) - b @ x,
        {"x": [1, 2], "A": [[2, 1], [0, 3]], "b": [1, 1]},
    )
    assert value == 5
    assert got["x"].tolist() == [2, 5.5]
    assert got["A"].tolist() == [[0.5, 1], [1, 2]]
    assert got["b"].tolist() == [-1, -2]


def test_matrix_squared_with_one_seeded_entry():
    value, got = gradients_of(lambda X: X @ X, {"X": [[1, 2], [3, 4]]}, [[1, 0], [0, 0]])
    assert value.tolist() == [[7, 10], [15, 22]]
    assert got["X"].tolist() == [[2, 3], [2, 0]]


def test_nan_in_a_row_that_is_not_used_still_reaches_the_weights():
    # 0 * nan is nan: cutting the rows away afterwards does not save the gradient.
    _, got = gradients_of(
        lambda x, w: x @ w, {"x": [[1, 2], [np.nan, np.nan]], "w": [1, -1]}, [1, 0]
    )
    assert np.isnan(got["w"]).all()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((2, 3), (3,)),
        ((2, 3), (3, 2)),
        ((3,), (3,)),
        ((3,), (3, 2)),
        ((2, 2, 3), (3, 1)),
        ((3,), (2, 3, 2)),
    ],
)
def test_pattern_of_matmul_is_where_its_jacobian_is_not_zero(a, b):
    first, second = np.random.default_rng(1).uniform(1, 2, (2, 100))
    first, second = first[: np.prod(a)].reshape(a), second[: np.prod(b)].reshape(b)
    output = first @ second
    reads = OPERATIONS["matmul"].pattern(bits(a), bits(b, first.size))
    assert np.shape(reads) == output.shape
    for i, array in enumerate((first, second)):
        for number, position in enumerate(np.ndindex(array.shape)):
            changed = array.copy()
            changed[position] += 1
            now = changed @ second if i == 0 else first @ changed
            bit = 1 << (number + i * first.size)
            says = np.array([bool(word & bit) for word in np.ravel(reads)]).reshape(output.shape)
            np.testing.assert_array_equal(now != output, says)


def test_pattern_of_trace_is_its_diagonal():
    reads = OPERATIONS["trace"].pattern(bits((2, 3)), offset=1, axis1=-2, axis2=-1)
    assert reads == (1 << 1 | 1 << 5)


def test_shapes_that_do_not_fit_name_both_shapes_and_the_reason():
    with pytest.raises(VjpError) as caught:
        make_leaf("A", (2, 3)) @ make_leaf("B", (4, 2))
    diagnostic = caught.value.diagnostic
    assert diagnostic.code == "shape-mismatch"
    assert "(2, 3)" in diagnostic.message
    assert "(4, 2)" in diagnostic.message
    assert "inner lengths 3 and 4 differ" in " ".join(diagnostic.notes)


def test_number_times_matrix_by_matmul_points_to_the_star():
    with pytest.raises(VjpError) as caught:
        as_node(2.0) @ make_leaf("B", (2, 2))
    assert caught.value.diagnostic.code == "scalar-operand"
    assert "*" in " ".join(caught.value.diagnostic.notes)


@pytest.mark.parametrize("operation", ["matmul", "dot"])
@pytest.mark.parametrize(
    ("a", "b"),
    [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 2)), ((2, 3), (4, 3, 5))],
)
def test_products_agree_with_numpy(operation, a, b):
    rng = np.random.default_rng(5)
    first, second = rng.normal(size=a), rng.normal(size=b)
    value, _ = gradient_of(operation, first, second)
    np.testing.assert_allclose(value, getattr(np, operation)(first, second), rtol=1e-14)


@pytest.mark.parametrize(
    ("a", "b"), [((3,), (3,)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 3), (4, 5, 3))]
)
def test_inner_agrees_with_numpy(a, b):
    rng = np.random.default_rng(5)
    first, second = rng.normal(size=a), rng.normal(size=b)
    value, _ = gradient_of("inner", first, second)
    np.testing.assert_allclose(value, np.inner(first, second), rtol=1e-14)


@pytest.mark.parametrize(
    ("a", "b", "axes"),
    [
        ((2, 3, 4), (4, 3, 5), ((1, 2), (1, 0))),
        ((2, 3, 4), (3, 4, 2), 2),
        ((2, 3), (2,), 0),
        ((2, 3, 4), (2, 5), (0, 0)),
    ],
)
def test_tensordot_agrees_with_numpy(a, b, axes):
    rng = np.random.default_rng(5)
    first, second = rng.normal(size=a), rng.normal(size=b)
    value, _ = gradient_of("tensordot", first, second, axes=axes)
    np.testing.assert_allclose(value, np.tensordot(first, second, axes), rtol=1e-13)


def test_cross_product_of_unit_vectors():
    value, got = gradient_of("cross", [1, 0, 0], [0, 1, 0], seed=[0, 0, 1])
    assert value.tolist() == [0, 0, 1]
    assert got.tolist() == [1, 0, 0]


def test_cross_asks_for_the_axis_where_libraries_take_different_ones():
    square = make_leaf("a", (3, 3))
    with pytest.raises(VjpError) as caught:
        OPERATIONS["cross"](square, square)
    assert caught.value.diagnostic.code == "cross-axis-unclear"


@pytest.mark.parametrize("p", [1, 2, 3, 1.5, np.inf])
def test_distance_of_points_that_coincide_has_slope_zero(p):
    _, got = gradient_of("cdist", [[1, 2], [3, 4]], [[1, 2]], seed=[[1], [0]], p=p)
    assert got.tolist() == [[0, 0], [0, 0]]


def test_distance_is_right_where_squares_would_overflow_or_vanish():
    value, got = gradient_of("cdist", [[3e200, 0]], [[0, 4e200]])
    assert value[0, 0] == pytest.approx(5e200, rel=1e-15)
    np.testing.assert_allclose(got, [[0.6, -0.8]], rtol=1e-15)
    value, got = gradient_of("cdist", [[3e-200, 0]], [[0, 4e-200]])
    assert value[0, 0] == pytest.approx(5e-200, rel=1e-15)
    np.testing.assert_allclose(got, [[0.6, -0.8]], rtol=1e-15)


def test_pairwise_distances_are_counted_once_each():
    value, got = gradient_of("pdist", [[0, 0], [3, 4], [3, 0]])
    assert value.tolist() == [5, 3, 4]
    np.testing.assert_allclose(got, [[-1.6, -0.8], [0.6, 1.8], [1, -1]], rtol=1e-15)


def test_block_diag_lays_rows_and_matrices():
    value, got = gradient_of(
        "block_diag", [[1, 2], [3, 4]], [5, 6], seed=[[1, 2, 9, 9], [3, 4, 9, 9], [9, 9, 9, 9]]
    )
    assert value.tolist() == [[1, 2, 0, 0], [3, 4, 0, 0], [0, 0, 5, 6]]
    assert got.tolist() == [[1, 2], [3, 4]]


def test_vander_agrees_with_numpy():
    value, _ = gradient_of("vander", [2, 3, 0], N=3)
    np.testing.assert_array_equal(value, np.vander([2.0, 3, 0], 3))


def test_addmm_with_beta_zero_does_not_read_what_it_adds_to():
    value, got = gradient_of("addmm", [[np.nan]], [[2]], [[3]], beta=0)
    assert value.tolist() == [[6]]
    assert got.tolist() == [[0]]
