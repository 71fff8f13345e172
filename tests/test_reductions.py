"""Reductions, scans, order and norms at the places where libraries differ or break.

The rules at ordinary points are tested from their declarations in `test_rules.py`. The numbers
here are PyTorch's (CPU, float64) unless a test says otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from rule_cases import operand, rng_for

from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.engine.structure import reads
from vjpcli.errors import VjpError
from vjpcli.graph.node import Graph
from vjpcli.graph.operation import OPERATIONS, make_leaf
from vjpcli.graph.trace import Trace, trace
from vjpcli.parser.expression import parse

INF, NAN = np.inf, np.nan
MINE = [operation for operation in OPERATIONS.values() if operation.section == "reductions"]


def traced(text: str, values: dict[str, Any], library: str = "torch") -> Trace:
    return trace(parse(text), values, library=library)


def value(text: str, library: str = "torch", dtype: Any = np.float64, **given: Any) -> Any:
    arrays = {name: np.asarray(array, dtype=float) for name, array in given.items()}
    graph = traced(text, arrays, library).graph
    (output,) = graph.outputs.values()
    return evaluate(graph, arrays, dtype)[output]


def gradient(
    text: str, *, seed: Any = None, like: str = "torch", library: str = "torch", **given: Any
) -> Any:
    """Gradient of the only leaf, or of all of them by name."""
    arrays = {name: np.asarray(array, dtype=float) for name, array in given.items()}
    program = traced(text, arrays, library)
    output = program.graph.outputs[program.output_name]
    seed = np.ones(output.shape) if seed is None else np.asarray(seed, dtype=float)
    reverse = backward(program.graph, list(arrays), like=like)
    results = evaluate(reverse.graph, {**arrays, seed_name(program.output_name): seed})
    found = {name: results[node] for name, node in reverse.graph.outputs.items()}
    return found if len(found) > 1 else next(iter(found.values()))


def hessian(text: str, x: Any) -> Any:
    """Second derivatives of a number with respect to the vector x, row by row."""
    values = {"x": np.asarray(x, dtype=float)}
    first = backward(traced(text, values).graph, ["x"])
    (seed,) = first.seeds.values()
    inputs = {**values, seed.static["name"]: np.asarray(1.0)}
    graph = Graph.reaching({"gradient": first.graph.outputs["x"]}, first.graph.inputs)
    second = backward(graph, ["x"])
    rows = np.eye(len(values["x"]))
    out = second.graph.outputs["x"]
    return np.array(
        [evaluate(second.graph, {**inputs, seed_name("gradient"): row})[out] for row in rows]
    )


def refusal(text: str, **given: Any) -> str:
    with pytest.raises(VjpError) as caught:
        value(text, **given)
    diagnostic = caught.value.diagnostic
    assert diagnostic.source is not None, "an error about the program has a place in it"
    return diagnostic.code


# --- sums, means, products


def test_mean_and_sum_seed_every_entry():
    assert_allclose(
        gradient("mean(x, axis=0)", x=[[1, 2], [3, 4], [5, 6]], seed=[1, 10]),
        [[1 / 3, 10 / 3]] * 3,
    )
    assert_array_equal(gradient("sum(3*x, axis=1)", x=[[5, 6]], seed=[1]), [[3, 3]])


def test_prod_gives_the_product_of_the_others_with_any_number_of_zeros():
    assert_array_equal(gradient("prod(x)", x=[3, 0, 5]), [0, 15, 0])
    assert_array_equal(gradient("prod(x)", x=[3, 0, 0]), [0, 0, 0])
    assert_array_equal(gradient("prod(x)", x=[0]), [1])
    assert_array_equal(gradient("prod(x)", x=[[2, 0], [3, 5]]), [[0, 30], [0, 0]])


def test_second_derivative_of_prod_is_right_at_zeros():
    assert_array_equal(hessian("prod(x)", [3, 0, 5]), [[0, 5, 0], [5, 0, 3], [0, 3, 0]])
    assert_array_equal(hessian("prod(x)", [0, 0, 5]), [[0, 5, 0], [5, 0, 0], [0, 0, 0]])


def test_reductions_of_nothing():
    assert value("sum(x)", x=[]) == 0
    assert value("prod(x)", x=[]) == 1
    assert value("logsumexp(x)", x=[]) == -INF
    assert np.isnan(value("mean(x)", x=[]))
    assert np.isnan(value("std(x)", x=[]))
    for name in ("max", "min", "amax", "amin", "argmax", "median", "ptp", "mode", "kthvalue"):
        argument = ", 1" if name == "kthvalue" else ""
        assert refusal(f"{name}(x{argument})", x=[]) == "empty-reduction"


def test_logsumexp_at_infinities_and_where_exp_overflows():
    assert_array_equal(gradient("logsumexp(x)", x=[-INF, -INF]), [NAN, NAN])
    assert_allclose(gradient("logsumexp(x)", x=[-INF, 1, 1]), [0, 0.5, 0.5])
    assert_allclose(value("logsumexp(x, dim=0)", x=[1000, 1000]), 1000 + np.log(2))
    assert_allclose(gradient("logsumexp(x)", x=[1000, 1000]), [0.5, 0.5])


def test_nan_is_left_out_where_asked():
    assert value("nansum(x)", x=[1, NAN, 3]) == 4
    assert_array_equal(gradient("nanmean(x)", x=[1, NAN, 3]), [0.5, 0, 0.5])
    assert np.isnan(value("nanmean(x)", x=[NAN]))
    assert_array_equal(gradient("nanmax(x)", x=[1, NAN, 3]), [0, 0, 1])
    assert np.isnan(value("nanmin(x)", x=[NAN, NAN]))
    assert_allclose(value("nanstd(x)", x=[1, NAN, 4]), 1.5)
    assert_array_equal(gradient("nanstd(x)", x=[1, NAN, 4]), [-0.5, 0, 0.5])


def test_conditions_are_counted():
    assert value("sum(x > 1)", x=[1, 2, 3]) == 2
    assert_allclose(value("mean(x > 1)", x=[1, 2, 3]), 2 / 3)
    assert value("count_nonzero(x) + 0.5", x=[1, 0, 2]) == 2.5
    assert_array_equal(gradient("count_nonzero(x) * x", x=[1, 0, 2]), [2, 2, 2])
    assert_array_equal(value("where(any(x > 2, dim=1), 1, 0)", x=[[1, 3], [1, 1]]), [1, 0])
    assert value("where(x.all(), sum(x), 0)", x=[1, 2]) == 3


def test_average_by_weights():
    found = gradient("average(x, weights=w)", x=[1, 2, 3], w=[1, 1, 2])
    assert_allclose(found["x"], [0.25, 0.25, 0.5])
    assert_allclose(found["w"], [-0.3125, -0.0625, 0.1875])
    assert_allclose(value("np.average(x, 0, w)", x=[1, 2, 3], w=[1, 1, 2]), 2.25)


# --- extremes


def test_max_over_everything_shares_ties():
    assert_array_equal(gradient("max(x)", x=[3, 3, 1]), [0.5, 0.5, 0])
    assert_array_equal(gradient("x.min()", x=[3, 1, 1]), [0, 0.5, 0.5])
    assert_array_equal(gradient("amax(x, dim=0)", x=[3, 3, 1]), [0.5, 0.5, 0])


def test_max_along_an_axis_takes_the_first_index_in_torch_and_shares_elsewhere():
    row = [[3, 3, 1]]
    assert_array_equal(gradient("max(x, dim=1)", x=row), [[1, 0, 0]])
    assert_array_equal(gradient("torch.max(x, 1).values", x=row), [[1, 0, 0]])
    assert_array_equal(gradient("np.max(x, axis=1)", x=row), [[0.5, 0.5, 0]])
    assert_array_equal(gradient("jnp.max(x, axis=1)", x=row), [[0.5, 0.5, 0]])
    assert_array_equal(gradient("max(x, axis=1)", x=row, library="numpy"), [[0.5, 0.5, 0]])
    assert_array_equal(gradient("max(x, dim=1)", x=row, like="jax"), [[0.5, 0.5, 0]])
    assert_array_equal(gradient("min(x, dim=1)", x=[[3, 1, 1]]), [[0, 1, 0]])


def test_max_gives_values_and_indices():
    x = [[1, 5, 2], [7, 0, 7]]
    assert_array_equal(value("v, i = max(x, 1); v", x=x), [5, 7])
    assert_array_equal(value("max(x, dim=1).indices + 0.5", x=x), [1.5, 0.5])
    assert_array_equal(value("max(x, 1, True)", x=x), [[5], [7]])
    assert_array_equal(value("np.max(x, axis=1)[0]", x=x), 5)


def test_max_of_two_arrays_is_maximum():
    found = gradient("max(x, y)", x=[2, 1], y=[2, 5])
    assert_array_equal(found["x"], [0.5, 0])
    assert_array_equal(found["y"], [0.5, 1])
    assert_array_equal(gradient("max(x, 0.0)", x=[-1, 2]), [0, 1])
    assert value("max(x, 0)", x=-3) == 0
    assert value("min(3, 2)") == 2
    assert refusal("max(x, x, 0)", x=[1, 2]) == "keyword-value"


def test_nan_counts_as_the_largest():
    assert_array_equal(gradient("max(x)", x=[NAN, 1]), [1, 0])
    assert_array_equal(gradient("max(x)", x=[NAN, 1], like="jax"), [NAN, NAN])
    assert_array_equal(gradient("max(x, dim=0)", x=[1, NAN, 3]), [0, 1, 0])


def test_extremes_along_several_axes():
    x = [[[1, 8], [2, 3]], [[4, 5], [9, 0]]]
    assert_array_equal(value("amax(x, dim=(0, 2), keepdim=True)", x=x), [[[8], [9]]])
    assert_array_equal(value("max(x, axis=(0, 2))", x=x), [8, 9])
    assert value("ptp(x)", x=x) == 9
    assert_array_equal(value("aminmax(x, dim=0).max", x=x), [[4, 8], [9, 3]])


def test_argmax_has_no_derivative_but_a_value():
    assert value("argmax(x) + 2.0", x=[0.1, 0.9]) == 3
    assert_array_equal(gradient("argmax(x) + 2.0", x=[0.1, 0.9]), [0, 0])
    assert_array_equal(gradient("x[argmax(x)] ** 2", x=[1, 5, 2]), [0, 10, 0])
    assert value("argmin(x) + 0", x=[[3, 2], [1, 4]]) == 2
    assert_array_equal(value("x.argmax(dim=1, keepdim=True) * 1.0", x=[[1, 2], [4, 3]]), [[1], [0]])


def test_an_index_in_arithmetic_keeps_single_precision():
    assert value("argmax(x) + x", dtype=np.float32, x=[0.1, 0.9]).dtype == np.float32


# --- spread


def test_std_divides_as_the_library_that_is_meant():
    x = [1, 2, 4, 9]
    assert_allclose(value("std(x)", x=x), 3.559026084010437)
    for text in (
        "std(x, ddof=0)", "np.std(x)", "jnp.std(x)", "std(x, correction=0)",
        "x.std(unbiased=False)", "torch.std(x, False)", "torch.std(x, 0, False)",
    ):  # fmt: skip
        assert_allclose(value(text, x=x), 3.082207001484488, err_msg=text)
    assert_allclose(value("std(x)", library="numpy", x=x), 3.082207001484488)
    assert_allclose(
        gradient("std(x, ddof=0)", x=x),
        [-0.243332131696, -0.162221421131, 0, 0.405553552827],
        rtol=1e-11,
        atol=1e-15,
    )


def test_the_divisor_is_announced_and_others_named_unless_it_was_chosen():
    def notes(text):
        return [note.message for note in traced(text, {"x": np.arange(3.0)}).conventions]

    assert notes("std(x)") == ["std: ddof=1 (PyTorch; np.std uses 0)"]
    assert notes("var(x)") == ["var: ddof=1 (PyTorch; np.var uses 0)"]
    assert notes("std(x, ddof=0)") == notes("np.std(x)") == ["std: ddof=0"]
    assert notes("std(x, unbiased=False)") == ["std: ddof=0"]
    assert "lower" in notes("median(x)")[0]
    assert notes("np.median(x)") == ["median: of an even count the mean of the middle two"]


@pytest.mark.parametrize(
    ("x", "ddof", "torch", "jax", "autograd"),
    [
        ([2, 2, 2], 1, [0, 0, 0], [NAN] * 3, [NAN] * 3),
        ([4], 0, [0], [NAN], [0]),
        ([4], 1, [NAN], [NAN], [0]),
    ],
)
def test_std_without_spread(x, ddof, torch, jax, autograd):
    for like, expected in {"torch": torch, "jax": jax, "autograd": autograd}.items():
        found = gradient(f"std(x, ddof={ddof})", x=x, like=like)
        assert_array_equal(found, expected, err_msg=like)


def test_std_of_one_entry_has_no_value_with_ddof_1():
    assert np.isnan(value("std(x)", x=[4]))
    assert value("std(x, ddof=0)", x=[4]) == 0
    assert np.isnan(gradient("var(x)", x=[4])).all()


def test_several_results_of_spread():
    x = [1, 2, 4, 9]
    assert_allclose(value("s, m = std_mean(x); m / s", x=x), 4 / 3.559026084010437)
    assert_allclose(value("var_mean(x, correction=0).mean", x=x), 4)


def test_cov_and_corrcoef_agree_with_numpy():
    x = np.array([[1.0, 2.0, 4.0, 0.5], [3.0, 1.0, 0.0, 2.5]])
    assert_allclose(value("cov(x)", x=x), np.cov(x))
    assert_allclose(value("torch.cov(x, correction=0)", x=x), np.cov(x, ddof=0))
    assert_allclose(value("np.cov(x, rowvar=False)", x=x), np.cov(x, rowvar=False))
    assert_allclose(value("cov(x[0], x[1])", x=x), np.cov(x))
    assert_allclose(value("cov(x[0])", x=x), np.cov(x[0]))
    assert_allclose(value("corrcoef(x)", x=x), np.corrcoef(x))


# --- norms


def test_norm_at_zero():
    assert_array_equal(gradient("norm(x)", x=[0, 0, 0]), [0, 0, 0])
    assert_array_equal(gradient("norm(x) ** 2", x=[0, 0]), [0, 0])
    assert_array_equal(gradient("norm(x)", x=[0, 0], like="jax"), [NAN, NAN])
    assert_array_equal(gradient("norm(x)", x=[0, 0], like="autograd"), [NAN, NAN])
    assert_array_equal(gradient("np.linalg.norm(A, 'fro')", A=np.zeros((2, 2))), np.zeros((2, 2)))
    assert np.isnan(hessian("norm(x)", [0, 0])).all()


def test_norm_that_underflows_counts_as_zero():
    tiny = [1e-200, 1e-200]
    assert value("norm(x)", x=tiny) == 0
    assert_array_equal(gradient("norm(x)", x=tiny), [0, 0])
    assert_array_equal(gradient("norm(x)", x=tiny, like="jax"), [INF, INF])


def test_norm_squared_has_the_gradient_and_hessian_of_a_square():
    assert_allclose(gradient("norm(x) ** 2", x=[2, 1, -3]), [4, 2, -6], rtol=1e-15)
    assert_allclose(hessian("norm(x) ** 2", [2, 1, -3]), 2 * np.eye(3), atol=1e-15)


def test_other_orders_at_their_corners():
    assert_array_equal(gradient("norm(x, p=1)", x=[0, -2, 3]), [0, -1, 1])
    assert_array_equal(gradient("norm(x, 1)", x=[0, -2, 3], like="jax"), [1, -1, 1])
    assert_array_equal(gradient("norm(x, p=inf)", x=[1, -3, 3]), [0, -0.5, 0.5])
    assert_array_equal(gradient("norm(x, p=-inf)", x=[1, -3, 3]), [1, 0, 0])
    assert_array_equal(gradient("norm(x, p=inf)", x=[0, 0]), [0, 0])
    assert value("norm(x, 0)", x=[1, 0, 3]) == 2
    assert_array_equal(gradient("norm(x, 0)", x=[1, 0, 3]), [0, 0, 0])
    for p in (0.5, 1.5, 3, 7):
        assert_array_equal(gradient(f"norm(x, p={p})", x=[0, 0]), [0, 0])
    assert_array_equal(gradient("norm(x, p=0.5)", x=[0, 1]), [0, 1])


@pytest.mark.parametrize("order", ["1", "-1", "2", "-2", "np.inf", "-np.inf", "'fro'", "'nuc'"])
def test_matrix_norms_agree_with_numpy(order):
    A = rng_for("matrix", order).uniform(-2, 2, size=(3, 4))
    number = {"np.inf": INF, "-np.inf": -INF}.get(order, order.strip("'"))
    number = float(number) if str(number) not in ("fro", "nuc") else number
    expected = np.linalg.norm(A, number)
    for text in (
        f"np.linalg.norm(A, {order})", f"torch.linalg.norm(A, ord={order})",
        f"torch.linalg.matrix_norm(A, {order})", f"norm(A, ord={order})",
    ):  # fmt: skip
        assert_allclose(value(text, A=A), expected, err_msg=text)


def test_torch_norm_reads_a_matrix_as_a_vector_and_linalg_does_not():
    A = [[1, -2], [3, 4]]
    assert value("norm(A, 1)", A=A) == 10
    assert value("torch.norm(A, p=1)", A=A) == 10
    assert value("torch.linalg.norm(A, 1)", A=A) == 6
    assert value("torch.linalg.vector_norm(A, 1)", A=A) == 10
    assert_array_equal(gradient("np.linalg.norm(A, 1)", A=A), [[0, -1], [0, 1]])
    assert_array_equal(value("np.linalg.norm(A, 1, axis=0)", A=A), [4, 6])


def test_distance_is_the_norm_of_the_difference():
    found = gradient("dist(x, y)", x=[1, 2], y=[4, 6])
    assert_allclose(found["x"], [-0.6, -0.8])
    assert_array_equal(gradient("dist(x, y)", x=[1, 2], y=[1, 2])["x"], [0, 0])


# --- scans


def test_adjoint_of_cumsum_is_the_running_sum_from_the_end():
    assert_array_equal(gradient("cumsum(x)", x=[1, 2, 3], seed=[1, 10, 100]), [111, 110, 100])
    assert_array_equal(value("cumsum(x)", x=[[1, 2], [3, 4]]), [1, 3, 6, 10])
    assert_array_equal(value("x.cumsum(dim=0)", x=[[1, 2], [3, 4]]), [[1, 2], [4, 6]])
    assert_array_equal(value("jax.lax.cumsum(x, reverse=True)", x=[1, 2, 3]), [6, 5, 3])


def test_cumprod_is_right_at_zeros():
    x = [3, 0, 2, 5]
    assert_array_equal(gradient("cumprod(x)", x=x), [1, 39, 0, 0])
    rows = [gradient("cumprod(x)", x=x, seed=row) for row in np.eye(4)]
    assert_array_equal(rows, [[1, 0, 0, 0], [0, 3, 0, 0], [0, 6, 0, 0], [0, 30, 0, 0]])
    assert_array_equal(hessian("sum(cumprod(x))", [3, 0, 2]), [[0, 3, 0], [3, 0, 3], [0, 3, 0]])


def test_logcumsumexp_neither_overflows_nor_loses_what_is_behind_minus_infinity():
    assert_allclose(
        gradient("logcumsumexp(x, 0)", x=[1, 2, 1000]), [1.26894142137, 0.73105857863, 1]
    )
    assert_allclose(gradient("logcumsumexp(x)", x=[1, -INF, 1]), [2.5, 0, 0.5])
    assert_array_equal(gradient("logcumsumexp(x)", x=[-INF, 1]), [NAN, 1])


def test_cummax_like_jax_halves_the_adjoint_at_each_tie():
    seed = [1, 10, 100, 1000]
    found = gradient("cummax(x)", x=[1, 3, 3, 2], seed=seed, like="jax")
    assert_array_equal(found, [1, 560, 550, 0])


def test_cummax_gives_the_adjoint_to_the_latest_of_equal_entries():
    seed = [1, 10, 100, 1000]
    assert_array_equal(gradient("cummax(x)", x=[1, 3, 3, 2], seed=seed), [1, 10, 1100, 0])
    assert_array_equal(gradient("cummin(x, 0)", x=[3, 1, 1, 2], seed=seed), [1, 10, 1100, 0])
    assert_array_equal(value("cummax(x).indices * 1.0", x=[1, 3, 3, 2]), [0, 1, 2, 2])
    assert_array_equal(value("cummax(x)", x=[1, NAN, 3]), [1, NAN, NAN])
    assert_array_equal(gradient("cummax(x)", x=[1, NAN, 3]), [1, 2, 0])


def test_long_scans_take_no_recursion_and_no_square_of_memory():
    x = np.full(200_000, 1.0)
    assert_array_equal(gradient("cumprod(x)", x=x)[:2], [200_000, 199_999])
    assert_array_equal(gradient("prod(x)", x=x)[:2], [1, 1])


def test_differences():
    assert_array_equal(gradient("diff(x)", x=[1, 4, 9], seed=[1, 10]), [-1, -9, 10])
    assert_array_equal(value("diff(x, 2)", x=[1, 4, 9, 16]), [2, 2])
    assert_array_equal(value("diff(x, prepend=0, append=x[:1])", x=[1, 4, 9]), [1, 3, 5, -8])
    assert_array_equal(gradient("sum(diff(x, n=5))", x=[1, 4, 9]), [0, 0, 0])
    assert refusal("diff(x, n=1.5)", x=[1, 2]) == "keyword-value"


def test_areas_under_points():
    found = gradient("trapezoid(y, x)", y=[1, 2, 4], x=[0, 1, 3])
    assert_array_equal(found["y"], [0.5, 1.5, 1])
    assert_array_equal(found["x"], [-1.5, -1.5, 3])
    assert value("np.trapz(y, dx=0.5)", y=[1, 2, 4]) == 2.25
    assert_array_equal(value("cumulative_trapezoid(y)", y=[1, 2, 4]), [1.5, 4.5])


# --- order


def test_sort_carries_the_adjoint_back_and_keeps_equal_entries_in_order():
    assert_array_equal(gradient("sort(x)", x=[3, 1, 2], seed=[1, 10, 100]), [100, 1, 10])
    assert_array_equal(gradient("sort(x)", x=[2, 2, 1], seed=[1, 10, 100]), [10, 100, 1])
    assert_array_equal(
        gradient("sort(x, descending=True)", x=[1, 3, 3, NAN], seed=[1, 2, 3, 4]), [4, 2, 3, 1]
    )
    assert value("np.sort(x)[0]", x=[3, 1, 2]) == 1
    assert_array_equal(value("v, i = sort(x); i * 1.0", x=[3, 1, 2]), [1, 2, 0])
    assert_array_equal(value("x[argsort(x)]", x=[3, 1, 2]), [1, 2, 3])


def test_topk_and_kthvalue_take_one_index_at_ties():
    assert_array_equal(gradient("topk(x, 2)", x=[3, 1, 3], seed=[1, 10]), [1, 0, 10])
    assert_array_equal(value("x.topk(2, largest=False).values", x=[3, 1, 2]), [1, 2])
    assert_array_equal(gradient("topk(x, 1)", x=[3, 3, 1]), [1, 0, 0])
    assert_array_equal(gradient("kthvalue(x, 2)", x=[3, 1, 3]), [1, 0, 0])
    assert value("mode(x)", x=[1, 2, 2, 3]) == 2
    assert value("mode(x).indices + 0.0", x=[1, 2, 2, 3, 3, 1]) == 5


def test_median_is_the_lower_of_two_in_torch_and_their_mean_elsewhere():
    x = [5, 1, 3, 9]
    assert value("median(x)", x=x) == 3
    assert_array_equal(gradient("median(x)", x=x), [0, 0, 1, 0])
    for text in ("np.median(x)", "jnp.median(x)"):
        assert value(text, x=x) == 4
        assert_array_equal(gradient(text, x=x), [0.5, 0, 0.5, 0])
    assert_array_equal(gradient("median(x)", x=[1, 2, 2, 3]), [0, 0.5, 0.5, 0])
    assert_array_equal(gradient("median(x, dim=0)", x=[1, 2, 2, 3]), [0, 1, 0, 0])
    assert_array_equal(gradient("median(x)", x=[1, NAN, 2]), [0, 1, 0])
    assert value("nanmedian(x)", x=[1, NAN, 5]) == 1
    assert value("np.nanmedian(x)", x=[1, NAN, 5]) == 3
    assert_array_equal(gradient("nanmedian(x, dim=0)", x=[1, NAN, 5]), [1, 0, 0])


@pytest.mark.parametrize("method", ["linear", "lower", "higher", "nearest", "midpoint"])
@pytest.mark.parametrize("q", [0, 0.1, 0.25, 0.5, 0.75, 1])
def test_quantiles_agree_with_numpy(method, q):
    x = rng_for("quantile").uniform(-2, 2, size=(4, 3, 2))
    for axis in (None, 0, -1, (0, 2)):
        expected = np.quantile(x, q, axis=axis, method=method)
        got = value(f"quantile(x, {q}, {axis}, interpolation='{method}')", x=x)
        assert_allclose(got, expected, rtol=1e-14)
        kept = value(f"np.quantile(x, {q}, axis={axis}, method='{method}', keepdims=True)", x=x)
        assert kept.shape == np.quantile(x, q, axis=axis, keepdims=True).shape


def test_quantile_shares_between_the_two_entries_beside_it():
    assert_array_equal(gradient("quantile(x, 0.25)", x=[5, 1, 3, 9]), [0, 0.25, 0.75, 0])
    assert_array_equal(value("percentile(x, [25, 50])", x=[5, 1, 3, 9]), [2.5, 4])
    assert_array_equal(gradient("quantile(x, 0.5)", x=[5, NAN, 3, 9]), [0, 1, 0, 0])
    assert value("nanquantile(x, 0.5)", x=[5, NAN, 3, 9]) == 5
    assert value("quantile(x, 0.5)", x=[1, INF, INF]) == INF


# --- bad arguments


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("sum(x, axis=3)", "axis-out-of-range"),
        ("sum(x, axis=0.5)", "axis-not-whole"),
        ("sum(x, axis='rows')", "axis-not-whole"),
        ("sum(x, axis=(0, 0))", "axis-twice"),
        ("sum(x, axis=((0,),))", "axis-not-whole"),
        ("sum(x, keepdims='yes')", "keyword-value"),
        ("std(x, ddof='one')", "keyword-value"),
        ("norm(x, p='frobenius')", "keyword-value"),
        ("norm(x, p=(1, 2))", "keyword-value"),
        ("np.linalg.norm(x, 'fro')", "matrix-needed"),
        ("np.linalg.norm(x, 1, axis=(0, 1))", "axis-out-of-range"),
        ("cumsum(x, dim=2)", "axis-out-of-range"),
        ("argmax(x, axis=(0, 1))", "axis-not-whole"),
        ("topk(x)", "missing-argument"),
        ("topk(x, 7)", "keyword-value"),
        ("quantile(x, 2)", "keyword-value"),
        ("quantile(x, x)", "static-not-plain"),
        ("quantile(x, 0.5, interpolation='cubic')", "keyword-value"),
        ("sort(x, descending='yes')", "keyword-value"),
        ("trapezoid(x, x[:1])", "shape-mismatch"),
        ("pick_along(x, x, axis=0)", "index-not-whole"),
    ],
)
def test_a_bad_argument_is_one_diagnostic(text, code):
    assert refusal(text, x=[1, 2, 3]) == code


def test_positions_of_another_array_are_refused_when_they_lie_outside():
    with pytest.raises(VjpError) as caught:
        value("pick_along(x, argsort(y), axis=0)", x=[1, 2], y=[0, 1, 5])
    assert caught.value.diagnostic.code == "index-out-of-range"


def shapes_only(operation):
    """The samples that are made of shapes with entries, ready to fill."""
    for number, sample in enumerate(operation.samples):
        if all(isinstance(given, tuple) and 0 not in given for given in sample.operands):
            yield number, sample


@pytest.mark.parametrize("operation", MINE, ids=lambda operation: operation.name)
def test_slopes_are_zero_where_the_pattern_promises_it(operation):
    for number, sample in shapes_only(operation):
        rng = rng_for(operation.name, number, "pattern")
        domain = operation.domains[0]
        arrays = {f"x{i}": operand(given, domain, rng) for i, given in enumerate(sample.operands)}
        leaves = {name: make_leaf(name, array.shape) for name, array in arrays.items()}
        result = operation(*leaves.values(), **sample.static)
        node = result[0] if isinstance(result, tuple) else result
        graph = Graph.reaching({"y": node}, leaves)
        reverse = backward(graph, list(leaves), batch=(node.size,))
        seeds = np.eye(node.size).reshape(node.size, *node.shape)
        found = evaluate(reverse.graph, {**arrays, seed_name("y"): seeds})
        for name, leaf in leaves.items():
            pattern = reads(graph, node, leaf)
            slopes = found[reverse.graph.outputs[name]].reshape(node.shape + leaf.shape)
            assert not np.any(slopes[~pattern])


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "logcumsumexp"])
def test_jacobian_of_a_scan_is_lower_triangular_in_structure(name):
    leaf = make_leaf("x", (3,))
    node = OPERATIONS[name](leaf)
    assert_array_equal(reads(Graph.reaching({"y": node}, {"x": leaf}), node, leaf), np.tri(3))


def test_quantile_beside_an_infinity_is_what_torch_gives():
    found = traced("quantile(x, 0.3)", {"x": np.array([-np.inf, 1.0, 2.0])})
    values = evaluate(found.graph, {"x": np.array([-np.inf, 1.0, 2.0])})
    assert values[found.graph.outputs[found.output_name]] == -np.inf
