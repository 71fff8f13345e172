"""The check where a naive difference quotient would call a right gradient wrong."""

from __future__ import annotations

import numpy as np
import pytest

import vjpcli
from vjpcli.rehearsal import rehearse


@pytest.mark.parametrize(
    ("expression", "gradient"),
    [("x*detach(x)", 2.3), ("x + detach(round(x) - x)", 1.0), ("detach(x)", 0.0)],
)
def test_a_detached_value_stands_still_in_the_check(expression, gradient):
    explanation = vjpcli.explain(expression, {"x": 2.3}, formulas=False)
    assert explanation.gradients["x"] == gradient
    assert explanation.check.agrees is True
    assert vjpcli.check(expression, {"x": 2.3}).verdict != "disagrees"


def test_a_detached_part_does_not_hide_a_wrong_gradient():
    report = vjpcli.check("x*detach(x)", {"x": 2.3}, expect={"x": 4.6})
    assert report.verdict == "disagrees"


@pytest.mark.parametrize("expression", ["abs(x)", "sign(x)", "x*2", "where(x > 0, x, 0)"])
def test_the_smallest_of_all_numbers_has_a_slope(expression):
    explanation = vjpcli.explain(expression, {"x": 5e-324}, formulas=False)
    assert explanation.check.agrees is not False


def test_what_a_large_number_hides_is_not_called_wrong():
    explanation = vjpcli.explain("mean(x)", {"x": [1e300, -1e300, -1e300, 1.0]}, formulas=False)
    assert explanation.check.agrees is not False


@pytest.mark.parametrize("values", [[], [[], []]])
def test_a_norm_of_nothing_is_explained(values):
    explanation = vjpcli.explain("norm(x) + y", {"x": values, "y": 1}, formulas=False)
    assert explanation.gradients["x"].size == 0


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("expression", ["softmax(x, axis=-1)", "softmin(x, axis=0)"])
def test_rounding_that_grows_as_the_step_shrinks_is_no_infinite_slope(expression, seed):
    values = {"x": np.random.default_rng(seed).normal(size=(2, 3))}
    check = vjpcli.explain(expression, values, seed="ones", formulas=False).check
    assert check.agrees is True
    assert "kink" not in check.reason


@pytest.mark.parametrize(
    "expression", ["multi_margin_loss(x, t)", "F.cross_entropy(x, t)", "sum(x * one_hot(t, 3))"]
)
def test_a_class_index_that_may_not_move_does_not_stop_the_check(expression):
    values = {"x": [[0.1, 0.2, 0.9]], "t": [1]}
    explanation = vjpcli.explain(expression, values, formulas=False)
    assert explanation.check.agrees is not False
    assert np.all(explanation.gradients["t"] == 0)


def lines_of(command: str) -> list[str]:
    return rehearse(command, width=80).out.splitlines()


def test_no_noise_is_expected_where_the_slope_is_one_sided():
    first, remark, *others = lines_of('vjp check "where(x > 0, sqrt(x), 0)" x=0')
    assert first == "✗ central differences: x disagrees; at x: the gradient is nan, expected 0"
    assert remark == "    x: a kink with the slopes 0 from the left and ∞ from the right"
    assert others[-1].startswith("✗ disagrees")


@pytest.mark.parametrize(
    ("program", "values", "told"),
    [
        ("sqrt(x)", "x=0", "SymPy: not available: the formula divides by 0 here"),
        ("sqrt(x)", "x=0", "x: the slope grows without bound, and the gradient says so"),
        ("log(x)", "x=-1", "SymPy: not available: the formula has no value here"),
        ("exp(x)", "x=800", "x could not be compared, 1 entry not finite"),
        ("x*log(x)", "x=0", "complex step: x could not be compared, 1 entry too uncertain"),
        ("sum(x)", "x=[]", "agrees: the gradient has no entries"),
        ("round(x)", "x=0.5", "SymPy: not available: its y is 1, not 0"),
    ],
)
def test_check_says_in_words_what_it_could_not_do(program, values, told):
    assert told in " ".join(lines_of(f'vjp check "{program}" {values}'))


def test_only_methods_that_compared_something_confirm():
    lines = lines_of('vjp check "sum(x)" x=nan,1')
    assert lines[-1] == "✓ agrees: the gradient is confirmed by 1 method"


def test_the_worst_entry_is_not_torn_from_its_numbers():
    lines = lines_of('vjp check "sin(x)" x=0.5 --dtype float32')
    assert lines[0] == "✓ central differences: x agrees, worst relative error 1e-08"
    assert lines[1] == "    at x: the gradient is 0.87758255, expected 0.87758256"


def test_slope_that_grows_like_a_logarithm_is_infinite():
    first = lines_of('vjp check "xlogy(x,x)" x=0')[0]
    told = "x disagrees; at x: the gradient is nan, expected -∞"
    assert first == f"✗ central differences: {told}"


@pytest.mark.parametrize(
    ("program", "x"),
    [("arccos(x)", 1 - 1e-10), ("log(1 - x)", 1 - 1e-11), ("sqrt(x)", 1e-12), ("x**x", 0.0)],
)
def test_gradient_beside_the_end_of_the_domain_is_not_called_wrong(program, x):
    check = vjpcli.explain(program, {"x": x}, formulas=False).check
    assert check.agrees is not False
    (leaf,) = vjpcli.check(program, {"x": x}, methods=["differences"]).methods[0].leaves
    assert leaf.verdict != "disagrees"


@pytest.mark.parametrize("program", ["x*abs(x)", "exp(x)", "x + 1e-3*cbrt(x + 1)"])
def test_slope_that_comes_to_rest_is_not(program):
    report = vjpcli.check(program, {"x": 0.0}, methods=["differences"])
    assert report.verdict == "agrees"
