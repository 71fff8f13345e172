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
    assert formula("x.mT @ w", x=[[1.0, 2.0], [3.0, 4.0]], w=[1.0, 10.0]) == "outer(seed, w).T"
    assert formula("sum((x @ W).mT * 2)", x=[[1.0], [2.0]], W=weights) == "2*(ones.T @ W.T)"


def test_a_matrix_product_beside_a_factor_stands_in_brackets():
    found = formula("x*(A @ x)", x=[1.0, 2.0], A=[[1.0, 2.0], [3.0, 4.0]])
    assert found == "(A @ x)*seed + A.T @ (seed*x)"


def test_a_number_stands_in_front_of_sums_and_products():
    assert formula("mean((w*x - 1)**2)", w=[1.0, 2.0, 3.0], x=0.5) == "2*sum(w*(w*x - 1))/3"
