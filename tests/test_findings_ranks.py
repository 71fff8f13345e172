"""Matrices that have lost rank: a finite gradient that rests on rounding is told of."""

from __future__ import annotations

import pytest
from findings_of import number, only, told

NEARLY_SINGULAR = [[0.1, 0.7], [0.3, 2.1]]
"""Singular as written; elimination leaves 1e-17 of the 0."""

DEPENDENT = [[1.0, 2], [2, 4]]


@pytest.mark.parametrize(
    ("expression", "matrix"),
    [
        ("sum(qr(A)[0])", DEPENDENT),
        ("sum(qr(A).R)", [*DEPENDENT, [3, 6]]),
        ("sum(inv(A))", NEARLY_SINGULAR),
        ("sum(solve(A, [1, 2]))", NEARLY_SINGULAR),
        ("logdet(A)", NEARLY_SINGULAR),
        ("sum(torch.linalg.lu(A).U)", [[1.0, 2, 3], [4, 5, 6], [7, 8, 9]]),
    ],
)
def test_a_gradient_made_of_rounding_errors_is_told(expression, matrix):
    found = only(expression, "rank-deficient", {"A": matrix})
    assert (found.severity, found.leaf) == ("warning", "A")
    assert "cannot be trusted" in found.message
    assert number(found, "rank") == number(found, "full rank") - 1


@pytest.mark.parametrize("expression", ["sum(pinv(A))", "sum(lstsq(A, [1, 2, 3])[0])"])
def test_a_pseudo_inverse_that_lost_rank_holds_only_for_that_rank(expression):
    found = only(expression, "rank-deficient", {"A": [*DEPENDENT, [3, 6]]})
    assert "holds only while the rank" in found.message
    assert "stays 1" in found.message


@pytest.mark.parametrize(
    ("expression", "matrix"),
    [
        ("sum(inv(A))", [[1e-20, 0], [0, 1.0]]),  # its units differ, that is all
        ("sum(qr(A).R)", [[2.0, 1], [1, 3], [0, 1]]),
        ("logdet(A)", [[2.0, 1], [1, 3]]),
        ("sum(pinv(A))", [[1.0, 2], [2, 5], [3, 6]]),
        ("det(A)", DEPENDENT),  # its rule divides by nothing
        ("sum(inv(A))", DEPENDENT),  # exactly singular: another finding
        ("sum(qr(stop_gradient(A)).R) + sum(A)", DEPENDENT),
        ("0*sum(qr(A).R) + sum(A)", DEPENDENT),
    ],
)
def test_full_rank_and_exact_rules_are_passed_over(expression, matrix):
    assert not told(expression, "rank-deficient", {"A": matrix})


@pytest.mark.parametrize("part", ["L", "U"])
def test_a_choice_inside_lu_is_not_called_a_branch(part):
    codes = {"singular-matrix", "nan-untaken-branch", "nan-zero-times-inf"}
    (found,) = told(f"sum(torch.linalg.lu(A).{part})", codes, {"A": DEPENDENT})
    assert found.code == "singular-matrix"


def test_a_condition_without_a_place_is_called_the_condition():
    found = only(
        "where([True, False], log(x), 0)", "nan-untaken-branch", {"x": [1.0, 0]}, seed="ones"
    )
    assert any("the condition is False" in note for note in found.notes)
