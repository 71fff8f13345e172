"""The trail of a nan: every number on the way, by whichever step it was born."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from findings_of import told

from vjpcli.errors import Diagnostic
from vjpcli.explanation.findings.cause import CODES

NAN, INF = float("nan"), float("inf")


def first(program: str, values: dict[str, Any], **options: Any) -> Diagnostic:
    """The first finding about nan and infinity."""
    return told(program, set(CODES), values, **options)[0]


def rows(program: str, values: dict[str, Any], **options: Any) -> list[tuple[str, ...]]:
    """Text, slope and what was handed on, row by row."""
    trail = first(program, values, **options).trail
    return [(row.text, row.slope_text, row.adjoint_out_text) for row in trail]


ROWS = {
    "softmax-that-underflows": (
        ("log(softmax(x))", {"x": [1000.0, 0.0]}, {"seed": "ones"}),
        [
            ("log(softmax(x))[1]", "1/0 = ∞", "1 × ∞ = ∞"),
            ("softmax(x)[1]", "0", "∞ × 0 = nan"),
        ],
    ),
    "both-uses-in-a-product": (
        ("log(x)*x", {"x": [0.0, 1.0]}, {"seed": "ones"}),
        [
            ("log(x)", "", ""),
            ("log(x)*x", "-∞", "1 × (-∞) = -∞"),
            ("log(x)", "1/0 = ∞", "0 × ∞ = nan"),
            ("x[0]", "", "(-∞) + nan = nan"),
        ],
    ),
    "row-that-is-not-read": (
        ("y = x @ w; sum(y[:1])", {"x": [[1.0, 2.0], [NAN, NAN]], "w": [1.0, -1.0]},
         {"wrt": ["w"]}),
        [("x[1, 0]", "", ""), ("y[:1]", "0", "0"), ("(x @ w)[1]", "nan", "0 × nan = nan")],
    ),
    "quotient-to-both-operands": (
        ("x/y", {"x": 0.0, "y": 0.0}, {}),
        [("x/y → y", "-0/0**2 = nan", "1 × nan = nan"), (" → x", "1/0 = ∞", "1 × ∞ = ∞")],
    ),
    "norm-in-jax": (
        ("norm(x)", {"x": [0.0, 0.0]}, {"like": "jax"}),
        [("norm(x)", "0/0 = nan", "1 × nan = nan")],
    ),
    "std-of-a-constant-in-jax": (
        ("std(x)", {"x": [4.0, 4.0]}, {"like": "jax"}),
        [("std(x)", "1/0 = ∞, ∞·0 = nan", "1 × nan = nan")],
    ),
    "equal-eigenvalues": (
        ("sum(eigh(A)[1])", {"A": [[2.0, 0.0], [0.0, 2.0]]}, {}),
        [("eigh(A)[0, 0]", "1/0 = ∞, 0·∞ = nan", "1 × nan = nan")],
    ),
    "infinities-in-logsumexp": (
        ("logsumexp(x)", {"x": [-INF, -INF]}, {}),
        [("logsumexp(x)", "(-∞) - (-∞) = nan", "1 × nan = nan")],
    ),
    "steps-between": (
        ("sqrt(3*sum(2*x*x))", {"x": [0.0, 0.0]}, {}),
        [
            ("sqrt(3*sum(2*x*x))", "1/(2·sqrt(0)) = ∞", "1 × ∞ = ∞"),
            ("3*sum(2*x*x)", "3", "∞ × 3 = ∞"),
            ("2*x*x", "0", "∞ × 0 = nan"),
        ],
    ),
    "matrix-product": (
        ("arccos(x@y)", {"x": [1.0, 0.0], "y": [1.0, 0.0]}, {"wrt": ["x"]}),
        [("arccos(x@y)", "-1/sqrt(1 - 1**2) = -∞", "1 × (-∞) = -∞"),
         ("x@y", "0", "(-∞) × 0 = nan")],
    ),
    "two-infinities": (
        ("sqrt(x)-sqrt(x)", {"x": 0.0}, {}),
        [
            ("sqrt(x)", "1/(2·sqrt(0)) = ∞", "(-1) × ∞ = -∞"),
            ("sqrt(x)", "1/(2·sqrt(0)) = ∞", "1 × ∞ = ∞"),
            ("x", "", "(-∞) + ∞ = nan"),
        ],
    ),
    "row-beside-a-row-of-nan": (
        ("sum(sqrt(x @ w))", {"x": [[0.0, 0.0], [NAN, NAN]], "w": [1.0, 1.0]}, {"wrt": ["w"]}),
        [("sqrt(x @ w)", "1/(2·sqrt(0)) = ∞", "1 × ∞ = ∞"), ("(x @ w)[0]", "0", "∞ × 0 = nan")],
    ),
    "row-of-a-product-that-is-not-read": (
        ("sum((sqrt(W) @ x)[:1])", {"W": [[1.0, 1.0], [0.0, 1.0]], "x": [1.0, 2.0]},
         {"wrt": ["W"]}),
        [("(sqrt(W) @ x)[:1]", "0", "0"), ("sqrt(W)", "1/(2·sqrt(0)) = ∞", "0 × ∞ = nan")],
    ),
    "contributions-that-cancel": (
        ("diff(sqrt(x))", {"x": [1.0, 0.0, 4.0]}, {"seed": "ones"}),
        [("all contributions", "", "0"), ("sqrt(x)", "1/(2·sqrt(0)) = ∞", "0 × ∞ = nan")],
    ),
    "one-variable-twice": (
        ("xlogy(x,x)", {"x": 0.0}, {}),
        [("xlogy(x,x)", "0/0 = nan", "1 × nan = nan")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_every_number_on_the_way_is_shown(name: str) -> None:
    (program, values, options), expected = ROWS[name]
    assert rows(program, values, **options) == expected


MIXING = [
    ("log(softmax(x))", {"x": [1000.0, 0.0]}, "ones"),
    ("softmax(x)", {"x": [INF, 0.0]}, "ones"),
    ("logsumexp(x)", {"x": [-INF, -INF]}, None),
    ("std(x)", {"x": [4.0]}, None),
    ("sqrt(var(x))", {"x": [3.0, 3.0]}, None),
    ("sum(inv(A))", {"A": [[1.0, 2.0], [2.0, 4.0]]}, None),
    ("logdet(A)", {"A": [[1.0, 2.0], [2.0, 4.0]]}, None),
    ("sum(solve(A, b))", {"A": [[1.0, 2.0], [2.0, 4.0]], "b": [1.0, 2.0]}, None),
    ("sum(cholesky(A))", {"A": [[1.0, 2.0], [2.0, 4.0]]}, None),
    ("sum(svd(A)[0])", {"A": [[2.0, 0.0], [0.0, 2.0]]}, None),
    ("prod(log(x))", {"x": [0.0, 1.0]}, None),
    ("sum(conv1d(x, w))", {"x": [[[1.0, NAN, 2.0]]], "w": [[[1.0, 1.0]]]}, None),
    ("x/norm(x)", {"x": [0.0, 0.0]}, "ones"),
]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("program", "values", "seed"), MIXING)
def test_no_number_of_the_way_back_is_missing(program, values, seed, dtype) -> None:
    for found in told(program, set(CODES), values, seed=seed, dtype=dtype):
        handed = [row for row in found.trail if row.adjoint_in is not None]
        assert handed, program
        for row in handed:
            assert row.slope_text, (program, row)
            assert row.value is not None
            assert row.adjoint_out_text.count("=") == 1 or "nan" not in row.adjoint_out_text


def test_what_one_step_hands_on_arrives_at_the_next() -> None:
    trail = first("sqrt(3*sum(2*x*x))", {"x": [0.0, 0.0]}).trail
    for above, below in pairwise(trail):
        assert above.adjoint_out_text.endswith("∞")
        assert below.adjoint_in == INF


def test_a_long_way_is_shortened_with_a_count() -> None:
    trail = first("sqrt(2*sqrt(3*sqrt(4*sqrt(5*sqrt(x)))))", {"x": 0.0}).trail
    assert len(trail) == 5
    assert trail[2].text.startswith("⋯ ")
    assert trail[2].text.endswith(" more steps")


def test_nan_leads_where_another_leaf_is_infinite() -> None:
    found = first("x/y", {"x": 0.0, "y": 0.0})
    assert found.message == "y.grad is nan: 0/0 is not a number"
    assert "the same makes x.grad ∞" in found.notes


def test_infinite_gradient_of_a_quotient_that_is_nan_names_its_own_slope() -> None:
    found = first("x/y", {"x": 0.0, "y": 0.0}, wrt=["x"])
    assert found.message == "x.grad is ∞: the slope of x/y is 1/0 = ∞; 0/0 is not a number"


def test_nan_and_infinite_entries_of_one_cause_are_one_finding() -> None:
    (found,) = told("arccos(x@y)", set(CODES), {"x": [1.0, 0.0], "y": [1.0, 0.0]}, wrt=["x"])
    assert found.index == (1,)
    assert "2 of 2 elements of x.grad (1 infinite), first at [0]" in found.notes


def test_factor_that_moves_with_the_other_is_no_mask() -> None:
    assert first("(1-p)*log(1-p)", {"p": [1.0, 0.5]}, seed="ones").code == "zero-times-inf"
    assert first("(x > 0)*log(x)", {"x": [0.0, 1.0]}, seed="ones").code == "nan-masking"


@pytest.mark.parametrize(
    ("program", "values", "code", "words"),
    [
        ("logdet(A)", {"A": [[1.0, 2.0], [3.0, 4.0]]}, "outside-domain", "negative determinant"),
        ("sum(cholesky(A))", {"A": [[1.0, 2.0], [2.0, 1.0]]}, "outside-domain",
         "not positive definite"),
        ("sum(cholesky(A))", {"A": [[1.0, 2.0], [2.0, 4.0]]}, "singular-matrix", "singular"),
        ("gamma(x)", {"x": 0.0}, "edge-of-domain", "a pole"),
        ("sum(cumprod(x))", {"x": [1e200, 1e200, 0.0]}, "overflow", "overflows"),
    ],
)  # fmt: skip
def test_causes_of_one_operation_are_told_apart(program, values, code, words) -> None:
    found = first(program, values)
    assert found.code == code
    assert words in found.message


def test_slope_that_grows_like_a_logarithm_is_infinite() -> None:
    notes = first("xlogy(x,x)", {"x": 0.0}).notes
    assert "True slope at 0: none from the left, -∞ from the right." in notes


def test_value_that_grows_without_bound_has_no_limit() -> None:
    for program in ("lgamma(x)", "1/x - 1/x**2", "0.01*cbrt(x)*x/x"):
        notes = first(program, {"x": 0.0}).notes
        assert not any("tends to" in note for note in notes), program


def test_many_rows_cost_no_more_than_one() -> None:
    x = np.ones((3000, 4))
    x[1234] = NAN
    found = first("y = x @ w; sum(y[:10])", {"x": x, "w": np.ones(4)}, wrt=["w"])
    assert "4 of 12000 entries of x are nan, in row 1234" in found.notes
