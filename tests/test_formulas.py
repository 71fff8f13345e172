"""Formulas beside gradients: what they say is what the rule does."""

from __future__ import annotations

import pytest

from vjpcli import explain


def formula(expression: str, **values: object) -> str | None:
    return explain(expression, values, check=False).leaves["x"].matrix_formula


@pytest.mark.parametrize("name", ["max", "amax", "min", "median"])
def test_chosen_entry_is_told_by_equality(name):
    """The rule finds the entry by x == max(x): no exception, but the rule itself."""
    found = formula(f"{name}(x)", x=[1.0, 3.0, 2.0])
    assert found is not None
    assert f"x == {name}(x)" in found


def test_exceptional_points_are_left_out():
    assert formula("norm(x)", x=[3.0, 4.0]) == "x/norm(x)"


def test_formula_of_repeated_squares_stays_small():
    """Each square names the one before twice: without a limit the text doubles every time."""
    assert formula("matrix_power(x, 1099511627776)[0, 0]", x=[[1.0, 0.0], [0.0, 1.0]]) is None


def test_a_transpose_transposed_back_is_the_matrix_itself():
    assert formula("A.mT @ x", A=[[1.0, 2.0], [3.0, 4.0]], x=[1.0, 10.0]) == "A @ seed"


def test_brackets_stand_only_where_an_operator_would_tear_the_text_apart():
    weights = [[1.0, 10.0]]
    assert formula("x.mT @ w", x=[[1.0, 2.0], [3.0, 4.0]], w=[1.0, 10.0]) == "outer(w, seed)"
    assert formula("A @ x", x=[[1.0], [2.0]], A=[[5.0, 1.0], [1.0, 4.0]]) == "A.T @ seed"
    assert formula("sum((x @ W).mT * 2)", x=[[1.0], [2.0]], W=weights) == "2*(ones.T @ W.T)"


def test_a_matrix_product_beside_a_factor_stands_in_brackets():
    found = formula("x*(A @ x)", x=[1.0, 2.0], A=[[1.0, 2.0], [3.0, 4.0]])
    assert found == "(A @ x)*seed + A.T @ (seed*x)"


def test_a_number_stands_in_front_of_sums_and_products():
    assert formula("mean((w*x - 1)**2)", w=[1.0, 2.0, 3.0], x=0.5) == "2*sum(w*(w*x - 1))/3"


def slope(expression: str, leaf: str = "x", **values: object) -> str | None:
    return explain(expression, values, check=False).leaves[leaf].formula


def test_a_constant_matrix_is_written_as_it_is_typed():
    found = formula("array([[5., 1.], [1., 4.]]) @ x", x=[[1.0], [2.0]])
    assert found == "[[5, 1], [1, 4]].T @ seed"


def test_a_product_with_the_identity_is_the_other_factor():
    assert formula("trace(inv(x))", x=[[2.0, 1.0], [0.0, 4.0]]) == "-inv(x).T @ inv(x).T"
    assert formula("trace(x)", x=[[2.0, 1.0], [0.0, 4.0]]) == "eye"


def test_a_common_factor_is_taken_out():
    assert slope("sqrt((x - 1)**2)", x=[1.0, 3.0]) == "(x - 1)/abs(x - 1)"


def test_a_tie_stands_in_the_formula_where_it_was_hit_and_only_there():
    tied = slope("maximum(x, y)", x=[2.0, 1.0], y=[2.0, 5.0])
    assert tied == "where(x == y, 1/2, where(x < y, 0, 1))"
    assert slope("maximum(x, y)", x=[2.0, 1.0], y=[3.0, 5.0]) == "where(x < y, 0, 1)"
    assert formula("norm(x)", x=[0.0, 0.0]) == "where(norm(x) == 0, 0, x/norm(x))"


def test_an_exceptional_power_stands_in_the_formula():
    found = slope("x**b", "b", x=[0.0, 3.0], b=[2.0, 2.0])
    assert found == "where((x == 0) & (b >= 0), 0, x**b*log(x))"


def test_softmax_has_the_formula_of_the_textbook():
    assert formula("softmax(x)", x=[1.0, 2.0, 0.5]) == "softmax(x)*(seed - sum(seed*softmax(x)))"
    values = {"x": [2.0, 1.0, 0.1], "y": [0.0, 1.0, 0.0]}
    for loss in ("-sum(y*log_softmax(x))", "p = softmax(x); -sum(y*log(p))"):
        report = explain(loss, values, wrt="x", check=False).leaves["x"]
        assert report.matrix_formula == "softmax(x)*sum(y) - y"


@pytest.mark.parametrize(("expression", "is_output"), [("exp(x)", True), ("x*exp(x)", False)])
def test_a_slope_that_is_the_output_is_told(expression, is_output):
    report = explain(expression, {"x": [0.0, 1.0]}, check=False).leaves["x"]
    assert report.formula_is_output is is_output


def test_the_way_back_through_softmax_is_told_in_its_short_form():
    explanation = explain("a = softmax(x); sum(a*a)", {"x": [1.0, 2.0]}, check=False)
    assert explanation.steps[0].how == "a*(-sum(a*∂a) + ∂a)"


@pytest.mark.parametrize(("expression", "x"), [("x/0", 1), ("std(x)", 4)])
def test_division_by_zero_has_no_formula(expression, x):
    assert explain(expression, {"x": x}).leaves["x"].formula is None


def test_a_reshape_to_the_same_shape_is_left_out():
    found = explain("x.at[0].set(5)", {"x": [1, 2]}, seed="ones").leaves["x"]
    assert found.matrix_formula == "where([True, False], 0, seed)"
    assert (
        "reshape"
        in explain("sum(x.reshape(2, 2) @ v)", {"x": [1, 2, 3, 4], "v": [1, 2]})
        .leaves["x"]
        .matrix_formula
    )
