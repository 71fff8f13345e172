"""What a notebook may pass: odd arrays, wrong types, huge numbers. One Diagnostic, or right."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import vjpcli
from vjpcli import VjpError


@pytest.mark.parametrize(
    "value",
    [
        np.array([1, 2, 3]),
        np.array([1, 2, 3], dtype=np.uint8),
        np.array([1.0, 2.0, 3.0], dtype=object),
        [Fraction(1), 2, 3.0],
        np.array([1.0, 2.0, 3.0], dtype=">f8"),
        np.array([1.0, 0.0, 2.0, 0.0, 3.0])[::2],
        np.ma.masked_array([1.0, 2.0, 3.0], mask=[False] * 3),
        range(1, 4),
    ],
    ids=lambda value: f"{type(value).__name__}-{getattr(value, 'dtype', '')}",
)
def test_any_array_of_real_numbers_will_do(value):
    gradient = vjpcli.grad("sum(x**2)", {"x": value})["x"]
    assert gradient.dtype == np.float64
    assert gradient.tolist() == [2.0, 4.0, 6.0]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"values": {"x": np.ma.masked_array([1.0, 2.0], mask=[0, 1])}}, "not-a-number"),
        ({"values": {"x": 10**400}}, "not-a-number"),
        ({"values": {"x": [1, None]}}, "not-a-number"),
        ({"values": {"x": np.ones((1,) * 40)}}, "too-many-axes"),
        ({"values": [("x", 1)]}, "option-value"),
        ({"values": {3: 1.0}}, "option-value"),
        ({"expression": None}, "option-value"),
        ({"expression": b"x"}, "option-value"),
        ({"loss": 3}, "option-value"),
        ({"seeds": "ones"}, "option-value"),
        ({"seeds": 5}, "option-value"),
        ({"seed": {3: 1.0}}, "option-value"),
        ({"wrt": 5}, "option-value"),
        ({"wrt": [3]}, "option-value"),
        ({"rng": -1}, "option-value"),
        ({"rng": "a"}, "option-value"),
    ],
)
def test_what_is_no_input_gets_one_diagnostic(arguments, code):
    with pytest.raises(VjpError) as caught:
        vjpcli.explain(**{"expression": "x*2", "values": {"x": 1.0}, **arguments})
    assert caught.value.diagnostic.code == code


def test_a_long_double_beyond_float64_is_infinite_without_a_warning():
    big = np.longdouble(10) ** 400
    if np.isinf(big):
        pytest.skip("a long double is a double here")
    explanation = vjpcli.explain("x*2", {"x": big}, formulas=False)
    assert np.isinf(explanation.output.value)


@pytest.mark.parametrize(
    "expression",
    [
        "tril(x, diagonal=10**40)",
        "triu(x, diagonal=-10**40)",
        "diagonal(x, offset=10**18)",
        "diagonal(x, offset=-10**40)",
        "tril(x, diagonal=1e300)",
    ],
)
def test_a_diagonal_far_outside_is_like_one_just_outside(expression):
    near = expression.replace("10**40", "9").replace("10**18", "9").replace("1e300", "9")
    values = {"x": np.arange(6.0).reshape(2, 3)}
    far_jacobian = vjpcli.jac(expression, values)["x"]
    np.testing.assert_array_equal(far_jacobian, vjpcli.jac(near, values)["x"])


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("F.unfold(x, 10**9)", "window-size"),
        ("F.unfold(x, 2, dilation=10**40)", "window-size"),
        ("eye(1e300)", "too-large"),
        (f"tile(x, [{', '.join(['1e300'] * 20)}])", "too-large"),
        ("quantile(x, linspace(0, 1, 100000))", "too-large"),
    ],
)
def test_a_giant_request_is_refused_at_once_and_in_few_words(expression, code):
    with pytest.raises(VjpError) as caught:
        vjpcli.explain(expression, {"x": np.ones((1, 2, 3))}, strict=True)
    assert caught.value.diagnostic.code == code
    assert len(caught.value.diagnostic.message) < 400


def test_a_unfold_of_single_entries_spreads_over_nothing():
    values = {"x": np.arange(6.0).reshape(1, 2, 3)}
    far = vjpcli.jac("F.unfold(x, 1, dilation=10**40)", values)["x"]
    np.testing.assert_array_equal(far, vjpcli.jac("F.unfold(x, 1)", values)["x"])


def test_a_very_long_name_is_looked_up_at_once():
    with pytest.raises(VjpError) as caught:
        vjpcli.grad("a" * 500_000 + "*x", {"x": 1.0, "a" * 400_000: 1.0})
    assert caught.value.diagnostic.code == "missing-value"


@pytest.mark.parametrize(
    "expression", ["sum([None])", "sum([None, x])", "np.vander([None], 3)", "float()"]
)
def test_nothing_is_no_operand(expression):
    with pytest.raises(VjpError) as caught:
        vjpcli.explain(expression, {"x": 1.0})
    assert caught.value.diagnostic.code in ("not-a-number", "missing-argument")


@pytest.mark.parametrize(
    "expression", ["x.unbind(1)", "h = x.unbind(1); h + 1", "x.unbind(1)[0]", "stack(x.unbind(1))"]
)
def test_an_empty_axis_taken_apart_gives_nothing_to_compute_with(expression):
    try:
        explanation = vjpcli.explain(expression, {"x": np.zeros((2, 0))}, seed="ones")
    except VjpError as error:
        assert error.diagnostic.code in ("index-out-of-range", "not-a-number", "missing-argument")
    else:
        assert explanation.gradients["x"].shape == (2, 0)


@pytest.mark.parametrize("wrong", [{"width": "a"}, {"width": 3}, {"width": 80.5}, {"digits": 0},
                                   {"digits": None}, {"digits": True}])  # fmt: skip
def test_screen_of_impossible_size_is_refused(wrong):
    with pytest.raises(VjpError) as caught:
        vjpcli.to_text(vjpcli.explain("2*x", {"x": 1.0}), **wrong)
    assert caught.value.diagnostic.code == "option-value"
