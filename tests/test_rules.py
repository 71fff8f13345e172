"""Every rule of every operation, against means that do not use the rules."""

from __future__ import annotations

import numpy as np
import pytest
from rule_cases import RuleCase, cases, gradients, moved, rng_for, value

from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.engine.jacobian import jacobian
from vjpcli.engine.symbolic import derivatives
from vjpcli.graph.node import Graph

CASES = cases()
each_case = pytest.mark.parametrize("case", CASES, ids=str)


def random_seed(case: RuleCase, batch: tuple[int, ...] = ()) -> np.ndarray:
    return rng_for(case, "seed").uniform(0.5, 1.5, size=batch + case.output.shape)


def central_differences(function, values, name):
    """Derivative of the number function(values) for every entry of values[name]."""
    result = np.zeros(values[name].shape)
    for position in np.ndindex(values[name].shape):
        step = 1e-5 * max(1.0, abs(values[name][position]))
        ahead = function(moved(values, name, position, step))
        behind = function(moved(values, name, position, -step))
        result[position] = (ahead - behind) / (2 * step)
    return result


def assert_close(got, expected, rtol, atol=1e-9):
    """Finite first: nan equal to nan would hide a wrong rule."""
    assert np.all(np.isfinite(got)), got
    assert np.all(np.isfinite(expected)), expected
    assert np.shape(got) == np.shape(expected)
    scale = max(1.0, np.max(np.abs(expected), initial=0.0))
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=atol * scale, equal_nan=False)


@each_case
def test_shape_is_the_shape_that_was_declared(case):
    assert value(case, case.values).shape == case.output.shape


@each_case
def test_gradient_equals_central_differences(case):
    seed = random_seed(case)
    got = gradients(case, seed)
    for name in case.values:
        expected = central_differences(
            lambda values: float(np.sum(seed * value(case, values))), case.values, name
        )
        assert got[name].shape == case.values[name].shape
        assert_close(got[name], expected, rtol=1e-6, atol=1e-7)


@each_case
def test_gradient_equals_complex_step(case):
    if not case.operation.analytic:
        pytest.skip("not analytic")
    seed = random_seed(case)
    got = gradients(case, seed)
    for name, array in case.values.items():
        expected = np.zeros(array.shape)
        for position in np.ndindex(array.shape):
            shifted = value(case, moved(case.values, name, position, 1e-30j), np.complex128)
            expected[position] = np.sum(seed * shifted.imag) / 1e-30
        assert_close(got[name], expected, rtol=1e-11, atol=1e-13)


@each_case
def test_batch_of_seeds_equals_loop_over_seeds(case):
    seeds = random_seed(case, batch=(2, 3))
    together = gradients(case, seeds)
    for position in np.ndindex(2, 3):
        alone = gradients(case, seeds[position])
        for name in case.values:
            assert_close(together[name][position], alone[name], rtol=1e-12, atol=1e-13)


@each_case
def test_gradient_is_linear_in_the_seed(case):
    first, second = random_seed(case), random_seed(case)[..., ::-1] if case.output.ndim else 0.3
    parts = gradients(case, first), gradients(case, second)
    both = gradients(case, 2 * first - 3 * np.asarray(second))
    for name in case.values:
        assert_close(both[name], 2 * parts[0][name] - 3 * parts[1][name], rtol=1e-9)


@each_case
def test_second_derivative_equals_differences_of_the_gradient(case):
    seed = random_seed(case)
    first = backward(case.graph, case.values)
    names = list(case.values)
    weights = {
        name: rng_for(case, name).uniform(0.5, 1.5, case.values[name].shape) for name in names
    }
    gradient_graph = Graph.reaching(first.graph.outputs, first.graph.inputs)
    second = backward(gradient_graph, names)
    inputs = {**case.values, seed_name("y"): seed}
    outer_seeds = {seed_name(name): weights[name] for name in names}
    results = evaluate(second.graph, {**inputs, **outer_seeds})

    def weighted_gradient(values):
        got = evaluate(first.graph, {**values, seed_name("y"): seed})
        return sum(float(np.sum(weights[name] * got[first.graph.outputs[name]])) for name in names)

    for name in names:
        expected = central_differences(weighted_gradient, case.values, name)
        assert_close(results[second.graph.outputs[name]], expected, rtol=1e-5, atol=1e-6)


@each_case
def test_float32_stays_float32_and_agrees_within_its_precision(case):
    narrow = value(case, case.values, np.float32)
    assert narrow.dtype == np.float32
    assert_close(narrow, value(case, case.values), rtol=1e-4, atol=1e-5)
    seed = random_seed(case)
    wide, got = gradients(case, seed), gradients(case, seed, np.float32)
    for name in case.values:
        assert got[name].dtype == np.float32
        assert_close(got[name], wide[name], rtol=1e-3, atol=1e-4)


def smallest_case_of_each_operation():
    smallest = {}
    for case in CASES:
        size = case.output.size * sum(value.size for value in case.values.values())
        known = smallest.get(case.operation.name)
        if any(np.isnan(value).any() for value in case.values.values()):
            continue  # a symbol stands for a number
        if size > 0 and (known is None or size < known[0]):
            smallest[case.operation.name] = size, case
    return [case for size, case in smallest.values() if size <= 40]


@pytest.mark.parametrize("case", smallest_case_of_each_operation(), ids=str)
def test_jacobian_equals_the_derivative_that_sympy_takes(case):
    matrices = jacobian(case.graph, case.values, case.values)
    for name in case.values:
        try:
            expected = derivatives(case.graph, case.output, name, case.values)
        except NotImplementedError as reason:
            pytest.skip(f"not in SymPy: {reason}")
        assert_close(matrices[name].entries, expected, rtol=1e-9, atol=1e-11)
