"""Determinants, systems and decompositions at the places where others are wrong."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from node_functions import bits, gradient_of, gradients_of, second_gradient_of

from vjpcli.engine.backward import backward
from vjpcli.engine.evaluate import evaluate
from vjpcli.errors import VjpError
from vjpcli.graph.node import Graph
from vjpcli.graph.operation import OPERATIONS, as_node, make_leaf
from vjpcli.graph.results import Results
from vjpcli.ops.linear_algebra.matrix import for_each_matrix

LINEAR_ALGEBRA = [one for one in OPERATIONS.values() if one.section == "linear_algebra"]
OF_INTEREST = [[2, 1], [1, 3]]


def cofactors_by_definition(a):
    """Signed determinants of the matrices without row i and column j, by permutations."""
    a = np.asarray(a, dtype=float)
    n = len(a)
    result = np.empty((n, n))
    for i, j in itertools.product(range(n), repeat=2):
        minor = np.delete(np.delete(a, i, 0), j, 1)
        total = 0.0
        for order in itertools.permutations(range(n - 1)):
            inversions = sum(
                order[p] > order[q] for p, q in itertools.combinations(range(n - 1), 2)
            )
            total += (-1) ** inversions * np.prod([minor[k, order[k]] for k in range(n - 1)])
        result[i, j] = (-1) ** (i + j) * total
    return result


# --- determinants


def test_det_of_a_singular_matrix_has_its_cofactors_as_gradient():
    # PyTorch 2.13 gives zeros, autograd raises; the cofactors are right (jax-ml/jax#2380).
    value, got = gradient_of("det", [[1, 3], [2, 6]])
    assert value == 0
    assert got.tolist() == [[6, -2], [-3, 1]]


def test_det_of_a_singular_three_by_three_matrix():
    value, got = gradient_of("det", [[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    assert value == 0
    assert got.tolist() == [[-3, 6, -3], [6, -12, 6], [-3, 6, -3]]


def test_det_of_a_regular_matrix():
    value, got = gradient_of("det", [[3, 1], [2, 5]])
    assert value == 13
    assert got.tolist() == [[5, -2], [-1, 3]]


@pytest.mark.parametrize("rank", [0, 1, 2, 3, 4])
def test_cofactors_are_right_at_every_rank(rank):
    rng = np.random.default_rng(rank)
    a = rng.integers(-3, 4, (4, rank)) @ rng.integers(-3, 4, (rank, 4))
    _, got = gradient_of("det", a)
    np.testing.assert_allclose(got, cofactors_by_definition(a), rtol=1e-12, atol=1e-11)


def test_cofactors_of_five_by_five_are_right():
    a = np.random.default_rng(7).integers(-3, 4, (5, 5))
    _, got = gradient_of("det", a)
    np.testing.assert_allclose(got, cofactors_by_definition(a), rtol=1e-12, atol=1e-11)


def test_one_singular_matrix_in_a_stack_does_not_disturb_the_others():
    value, got = gradient_of("det", [[[1, 3], [2, 6]], [[3, 1], [2, 5]]])
    assert value.tolist() == [0, 13]
    assert got.tolist() == [[[6, -2], [-3, 1]], [[5, -2], [-1, 3]]]


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_second_derivative_of_det_is_right_for_singular_matrices(rank):
    rng = np.random.default_rng(rank)
    a = (rng.integers(-3, 4, (4, rank)) @ rng.integers(-3, 4, (rank, 4))).astype(float)
    direction = rng.uniform(-1, 1, (4, 4))
    got = second_gradient_of(OPERATIONS["det"], a, direction)
    step = 1e-4
    ahead = cofactors_by_definition(a + step * direction)
    behind = cofactors_by_definition(a - step * direction)
    np.testing.assert_allclose(got, (ahead - behind) / (2 * step), rtol=1e-6, atol=1e-6)


def test_det_of_nan_is_nan_and_nothing_is_raised():
    value, got = gradient_of("det", np.full((4, 4), np.nan))
    assert np.isnan(value)
    assert np.isnan(got).all()


def test_slogdet_means_its_logarithm_and_unpacks_sign_first():
    results = OPERATIONS["slogdet"](make_leaf("A", (2, 2)))
    assert isinstance(results, Results)
    assert results.names == ("sign", "logabsdet")
    assert results.default is results[1]
    assert results.named("sign") is results[0]


def test_slogdet_has_the_transposed_inverse_as_gradient():
    a = [[-1, 2], [3, 1]]
    value, got = gradients_of(lambda A: OPERATIONS["slogdet"](A).default, {"A": a})
    assert value == pytest.approx(1.945910149055, abs=1e-12)
    expected = [[-0.142857142857, 0.428571428571], [0.285714285714, 0.142857142857]]
    np.testing.assert_allclose(got["A"], expected, atol=1e-11)


def test_sign_of_det_carries_no_gradient():
    _, got = gradient_of("sign_of_det", [[-1, 2], [3, 1]])
    assert got.tolist() == [[0, 0], [0, 0]]


def test_slogdet_of_a_singular_matrix_is_infinite_with_the_signs_of_pytorch():
    value, got = gradient_of("logabsdet", [[1, 2], [2, 4]])
    assert value == -np.inf
    assert got.tolist() == [[-np.inf, np.inf], [np.inf, -np.inf]]


def test_logdet_of_a_negative_determinant_is_nan():
    value, _ = gradient_of("logdet", [[0, 1], [1, 0]])
    assert np.isnan(value)


# --- inverses and systems


def test_trace_of_the_inverse():
    value, got = gradients_of(
        lambda A: OPERATIONS["trace"](OPERATIONS["inv"](A)), {"A": [[2, 1], [0, 4]]}
    )
    assert value == 0.75
    assert got["A"].tolist() == [[-0.25, 0], [0.09375, -0.0625]]


def test_solution_of_a_system_gives_gradients_of_matrix_and_right_hand_side():
    value, got = gradients_of(
        lambda A, b: OPERATIONS["sum"](OPERATIONS["solve"](A, b)), {"A": OF_INTEREST, "b": [3, 5]}
    )
    assert value == pytest.approx(2.2, rel=1e-15)
    np.testing.assert_allclose(got["A"], [[-0.32, -0.56], [-0.16, -0.28]], rtol=1e-14)
    np.testing.assert_allclose(got["b"], [0.4, 0.2], rtol=1e-14)


@pytest.mark.parametrize("name", ["inv", "solve"])
def test_singular_matrix_gives_infinities_and_no_error(name):
    operands = [[[1, 2], [2, 4]]] if name == "inv" else [[[1, 2], [2, 4]], [[1], [0]]]
    value, _ = gradient_of(name, *operands)
    assert not np.isfinite(value).any()


def test_one_singular_matrix_in_a_stack_leaves_the_other_inverse_alone():
    value, _ = gradient_of("inv", [[[1, 2], [2, 4]], [[2, 0], [0, 4]]])
    assert not np.isfinite(value[0]).any()
    assert value[1].tolist() == [[0.5, 0], [0, 0.25]]


def test_stack_of_right_hand_sides_is_vectors_in_torch_and_a_matrix_in_numpy():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 2, 2)), rng.normal(size=(2, 2))
    as_vectors, _ = gradient_of("solve", a, b)
    as_matrix, _ = gradient_of("solve", a, b, vectors=False)
    np.testing.assert_allclose(as_vectors, np.linalg.solve(a, b[..., None])[..., 0], rtol=1e-12)
    np.testing.assert_allclose(as_matrix, np.linalg.solve(a, b[None]), rtol=1e-12)


def test_triangular_system_does_not_look_at_the_other_triangle():
    value, got = gradient_of("solve_triangular", [[2, 1], [np.nan, 4]], [[3], [8]], upper=True)
    assert value.tolist() == [[0.5], [2]]
    assert np.isfinite(got).all()
    assert got[1, 0] == 0


def test_least_squares_gives_the_line_through_points():
    value, _ = gradients_of(
        lambda A, b: OPERATIONS["lstsq"](A, b)[0], {"A": [[1, 0], [1, 1], [1, 2]], "b": [1, 3, 5]}
    )
    np.testing.assert_allclose(value, [1, 2], rtol=1e-12)


@pytest.mark.parametrize("shape", [(3, 2), (2, 3), (3, 3)])
def test_pseudo_inverse_of_a_deficient_matrix_has_the_gradient_along_its_rank(shape):
    rng = np.random.default_rng(3)
    left, right = rng.normal(size=(shape[0], 1)), rng.normal(size=(1, shape[1]))
    _, got = gradients_of(
        lambda u, v: OPERATIONS["pinv"](u @ v, rtol=1e-10), {"u": left, "v": right}
    )
    step = 1e-6
    ahead, behind = (np.linalg.pinv((left + s) @ right, rcond=1e-10).sum() for s in (step, -step))
    assert got["u"].sum() == pytest.approx((ahead - behind) / (2 * step), rel=1e-6)


# --- symmetric matrices


def smallest_eigenvalue(a):
    return OPERATIONS["index"](OPERATIONS["eigvalsh"](a), index=(0,))


def test_eigenvalue_of_a_symmetric_matrix_has_a_symmetric_gradient():
    value, got = gradients_of(smallest_eigenvalue, {"A": OF_INTEREST})
    assert value == pytest.approx(1.38196601125, abs=1e-11)
    expected = [[0.72360679775, -0.4472135955], [-0.4472135955, 0.27639320225]]
    np.testing.assert_allclose(got["A"], expected, atol=1e-10)


def test_autograd_gives_the_same_eigenvalue_a_lower_triangle():
    _, got = gradients_of(smallest_eigenvalue, {"A": OF_INTEREST}, like="autograd")
    expected = [[0.72360679775, 0.0], [-0.894427191, 0.27639320225]]
    np.testing.assert_allclose(got["A"], expected, atol=1e-9)


@pytest.mark.parametrize("name", ["eigvalsh", "cholesky"])
def test_symmetric_routines_take_the_mean_of_both_triangles(name):
    lopsided, mean = [[4, 3], [1, 5]], [[4, 2], [2, 5]]
    value, got = gradient_of(name, lopsided)
    np.testing.assert_array_equal(value, gradient_of(name, mean)[0])
    np.testing.assert_array_equal(got, got.T)


@pytest.mark.parametrize("name", ["eigvalsh", "cholesky"])
def test_without_symmetrizing_only_the_lower_triangle_is_read(name):
    lopsided, mirrored = [[4, 3], [1, 5]], [[4, 1], [1, 5]]
    value, got = gradient_of(name, lopsided, symmetrize_input=False)
    np.testing.assert_allclose(value, gradient_of(name, mirrored)[0], rtol=1e-15)
    assert got[0, 1] == 0
    assert got[1, 0] != 0


def test_sum_of_repeated_eigenvalues_has_the_gradient_of_the_trace():
    _, got = gradient_of("eigvalsh", np.eye(3))
    np.testing.assert_allclose(got, np.eye(3), atol=1e-15)


def test_eigenvectors_of_a_repeated_eigenvalue_have_no_finite_gradient():
    # No direction is preferred there: a finite number would be an invention.
    _, got = gradient_of("eigh_vectors", np.eye(2), seed=[[1, 2], [3, 4]])
    assert not np.isfinite(got).all()


def test_cholesky_of_an_indefinite_matrix_is_nan():
    value, _ = gradient_of("cholesky", [[1, 2], [2, 1]])
    assert np.isnan(value).all()


def test_complex_eigenvalues_are_refused_with_a_way_out():
    with pytest.raises(VjpError) as caught:
        OPERATIONS["eigvals"](make_leaf("A", (2, 2)), now=np.array([[0.0, -1.0], [1.0, 0.0]]))
    assert caught.value.diagnostic.code == "complex-result"
    assert "eigvalsh" in " ".join(caught.value.diagnostic.notes)


# --- decompositions and functions


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_matrix_that_is_not_finite_is_never_handed_to_lapack(bad):
    handed = []

    def singular_values(matrix):
        handed.append(matrix)
        return np.linalg.svd(matrix, compute_uv=False)

    stack = np.array([[[1.0, 0.0], [0.0, 2.0]], [[bad, 0.0], [0.0, 1.0]]])
    found = for_each_matrix(singular_values, stack)
    np.testing.assert_array_equal(found, [[2.0, 1.0], [np.nan, np.nan]])
    assert all(np.isfinite(matrix).all() for matrix in handed)


@pytest.mark.parametrize("shape", [(3, 2), (2, 3), (3, 3), (2, 4, 3)])
def test_decompositions_multiply_back_to_the_matrix(shape):
    a = np.random.default_rng(2).normal(size=shape)

    def by_svd(A):
        u, s, vh = OPERATIONS["svd"](A, full_matrices=False)
        return (u * OPERATIONS["expand_dims"](s, axis=-2)) @ vh

    def by_qr(A):
        q, r = OPERATIONS["qr"](A)
        return q @ r

    seed = np.random.default_rng(3).normal(size=shape)
    for rebuilt in (by_svd, by_qr):
        value, got = gradients_of(rebuilt, {"A": a}, seed)
        np.testing.assert_allclose(value, a, atol=1e-14)
        np.testing.assert_allclose(got["A"], seed, atol=1e-12)


def test_gradient_of_arbitrary_singular_vectors_is_refused():
    A = make_leaf("A", (3, 2))
    u, s, vh = OPERATIONS["svd"](A)
    assert u.shape == (3, 3)
    with pytest.raises(VjpError) as caught:
        backward(Graph.reaching({"y": u}, {"A": A}), ["A"])
    assert caught.value.diagnostic.code == "arbitrary-vectors"
    backward(Graph.reaching({"s": s, "vh": vh}, {"A": A}), ["A"])


def test_exponential_of_a_rotation():
    value, _ = gradient_of("matrix_exp", [[0, np.pi / 2], [-np.pi / 2, 0]])
    np.testing.assert_allclose(value, [[0, 1], [-1, 0]], atol=1e-15)


def test_exponential_of_a_large_matrix_scales_each_matrix_of_a_stack_alone():
    small, large = [[0.01, 0], [0, -0.02]], [[60, 1], [0, -50]]
    value, _ = gradient_of("matrix_exp", [small, large])
    np.testing.assert_allclose(np.diagonal(value[0]), np.exp([0.01, -0.02]), rtol=1e-15)
    np.testing.assert_allclose(value[1, 0, 0], np.exp(60), rtol=1e-12)


def test_powers_of_a_matrix_agree_with_numpy():
    a = np.random.default_rng(4).normal(size=(3, 3))
    for n in (-3, -1, 0, 1, 2, 7):
        value, _ = gradient_of("matrix_power", a, n=n)
        np.testing.assert_allclose(value, np.linalg.matrix_power(a, n), rtol=1e-9)


@pytest.mark.parametrize("p", [None, 2, -2])
def test_condition_number_agrees_with_numpy(p):
    value, _ = gradient_of("cond", [[1, 2], [3, 4]], p=p)
    np.testing.assert_allclose(value, np.linalg.cond([[1, 2], [3, 4]], p), rtol=1e-13)


@pytest.mark.skipif("matrix_norm" not in OPERATIONS, reason="matrix_norm is not declared")
@pytest.mark.parametrize("p", [1, -1, np.inf, -np.inf, "fro", "nuc"])
def test_condition_number_in_other_norms_agrees_with_numpy(p):
    value, _ = gradient_of("cond", [[1, 2], [3, 4]], p=p)
    np.testing.assert_allclose(value, np.linalg.cond([[1, 2], [3, 4]], p), rtol=1e-13)


def test_rank_is_a_whole_number_without_a_derivative():
    rank = OPERATIONS["matrix_rank"](make_leaf("A", (2, 2)))
    assert rank.kind == "index"
    value, got = gradients_of(
        lambda A: OPERATIONS["sum"](A) + OPERATIONS["matrix_rank"](A), {"A": [[1, 2], [2, 4]]}
    )
    assert value == 10
    assert got["A"].tolist() == [[1, 1], [1, 1]]


# --- what holds for all of them


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize(
    "name",
    ["det", "logabsdet", "inv", "pinv", "svdvals", "svd_left", "eigvalsh", "eigh_vectors",
     "cholesky", "qr_basis", "qr_triangle", "matrix_exp", "cofactor", "matrix_rank"],
)  # fmt: skip
def test_no_matrix_is_too_bad_for_a_value(name, bad):
    a = np.diag([1.0, 2, 3, 4])
    a[1, 2] = bad
    leaf = make_leaf("A", (4, 4))
    node = OPERATIONS[name](leaf)
    graph = Graph.reaching({"y": node}, {"A": leaf})
    assert evaluate(graph, {"A": a})[node].shape == node.shape


def refusals():
    for operation in LINEAR_ALGEBRA:
        for number, refusal in enumerate(operation.refuses):
            yield pytest.param(operation, refusal, id=f"{operation.name}-{number}")


@pytest.mark.parametrize(("operation", "refusal"), list(refusals()))
def test_declared_refusals_are_refused_with_their_code(operation, refusal):
    operands = [
        make_leaf(f"x{i}", given) if isinstance(given, tuple) else as_node(np.asarray(given))
        for i, given in enumerate(refusal.sample.operands)
    ]
    with pytest.raises(VjpError) as caught:
        operation(*operands, **refusal.sample.static)
    assert caught.value.diagnostic.code == refusal.code


def patterned():
    for operation in LINEAR_ALGEBRA:
        if callable(operation.pattern):
            for number, sample in enumerate(operation.samples):
                yield pytest.param(operation, sample, id=f"{operation.name}-{number}")


@pytest.mark.parametrize(("operation", "sample"), list(patterned()))
def test_pattern_names_every_entry_that_matters(operation, sample):
    rng = np.random.default_rng(0)
    values = [
        rng.uniform(0.5, 2, given) if isinstance(given, tuple) else np.array(given, dtype=float)
        for given in sample.operands
    ]
    node = operation(
        *(make_leaf(f"x{i}", one.shape) for i, one in enumerate(values)), **sample.static
    )
    if node.operation is not operation or len(node.operands) != len(values):
        pytest.skip("made of other operations here")
    if any(a.shape != b.shape for a, b in zip(values, node.operands, strict=True)):
        pytest.skip("the operands were brought to another shape")
    sets, first = [], 0
    for one in values:
        sets.append(bits(one.shape, first))
        first += one.size
    reads = operation.pattern(*sets, **node.static)
    reads = np.broadcast_to(np.asarray(reads, dtype=object), node.shape)
    before, first = operation.forward(*values, **node.static), 0
    for which, one in enumerate(values):
        for number, position in enumerate(np.ndindex(one.shape)):
            changed = [array.copy() for array in values]
            changed[which][position] += 0.01
            after = operation.forward(*changed, **node.static)
            moved = np.abs(after - before) > 1e-9
            for place in np.ndindex(node.shape):
                if moved[place]:
                    assert int(reads[place]) >> (first + number) & 1
        first += one.size
