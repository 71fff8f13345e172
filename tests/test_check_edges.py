"""The check where a naive difference quotient would call a right gradient wrong."""

from __future__ import annotations

import numpy as np
import pytest

import vjpcli


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
