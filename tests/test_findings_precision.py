"""Digits lost on the way are told, with the step that lost them; noise around zero is not."""

from __future__ import annotations

import numpy as np
import pytest
from carets import marked
from findings_of import number, only, told

from vjpcli import explain

CODES = {"cancellation", "absorption", "float32-loss"}

needs_extended_precision = pytest.mark.skipif(
    np.finfo(np.longdouble).eps >= np.finfo(np.float64).eps,
    reason="long double is no wider than double on this machine",
)


@needs_extended_precision
@pytest.mark.parametrize(
    ("expression", "x", "caret", "got"),
    [
        ("(1-cos(x))/x**2", 1e-8, "1-cos(x)", 1e8),
        ("(1-cos(x))/x**2", 1e-4, "1-cos(x)", 4.410804467624985e-05),
        ("(exp(x)-1)/x", 1e-9, "exp(x)-1", -81.74037086963654),
        ("(sqrt(1+x)-1)/x", 1e-7, "sqrt(1+x)-1", None),
    ],
)
def test_cancellation_names_the_difference(expression, x, caret, got):
    found = only(expression, "cancellation", {"x": x})
    assert found.severity == "warning" and found.leaf == "x"
    assert marked(found) == [caret]
    if got is not None:
        assert number(found, "gradient") == pytest.approx(got, rel=1e-6)
    assert number(found, "gradient") != pytest.approx(
        number(found, "gradient in wider format"), rel=1e-6
    )


@needs_extended_precision
@pytest.mark.parametrize(
    ("expression", "values", "caret"),
    [
        ("log(1+x)/x", {"x": 1e-10}, "1+x"),
        ("(log(x+1)/x)**2", {"x": 1e-11}, "x+1"),
        ("((a+x)-a)**2", {"a": 1e17, "x": 1.0}, "a+x"),
    ],
)
def test_absorption_names_the_sum(expression, values, caret):
    found = only(expression, "absorption", values)
    assert found.leaf == "x"
    assert marked(found) == [caret]
    assert number(found, "small operand") < 1e-9 * number(found, "large operand")


@pytest.mark.parametrize(
    ("expression", "values", "caret"),
    [
        ("((a+b)-a)**2", {"a": 1e8, "b": 1.0}, "a+b"),
        ("(exp(x)-1)/x", {"x": 1e-3}, "exp(x)-1"),
        ("(x-1)**2", {"x": 1.0 + 1e-12}, None),
        ("log(1+x)/x", {"x": 1e-3}, "1+x"),
    ],
)
def test_single_precision_is_compared_with_double(expression, values, caret):
    found = told(expression, CODES, values, dtype="float32")
    if caret is None:
        assert found == []  # the input itself was rounded: the program did not lose it
        return
    assert [one.code for one in found] == ["float32-loss"]
    assert marked(found[0]) == [caret]
    assert "--dtype float64 keeps them" in found[0].notes
    assert told(expression, CODES, values) == []


VANISHED = [
    ("log(1+x)/x", {"x": 1e-20}, "absorption", "1+x", -0.5),
    ("log(1+x)/x", {"x": 1e-40}, "absorption", "1+x", -0.5),
    ("(exp(x)-1)/x", {"x": 1e-40}, "cancellation", "exp(x)-1", 0.5),
    ("(1-cos(x))/x**2", {"x": 1e-40}, "cancellation", "1-cos(x)", -1e-40 / 12),
    ("(sqrt(x**2+1)-1)/x", {"x": 1e-18}, "absorption", "x**2+1", 0.5),
    ("((a+x)-a)**2", {"a": 1e40, "x": 1.0}, "absorption", "a+x", 2.0),
]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("expression", "values", "code", "caret", "exact"), VANISHED)
def test_what_no_format_can_see_is_asked_of_the_formula(
    expression, values, code, caret, exact, dtype
):
    if dtype == "float32" and not all(1e-38 < abs(one) < 1e38 for one in values.values()):
        pytest.skip("not a number of this dtype")
    found = only(expression, code, values, dtype=dtype, wrt=["x"])
    assert marked(found) == [caret]
    assert number(found, "exact gradient") == pytest.approx(exact, rel=1e-6)
    assert "evaluated to 300 digits" in found.message


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("log(1+x)", {"x": 1e-40}),
        ("sqrt(x**2+1)-1", {"x": 1e-30}),
        ("x + 1e40", {"x": 1.0}),
        ("1 - cos(x)", {"x": 1e-30}),
        ("sqrt(x**2+1)-x", {"x": 1e10}),  # the slope is -5e-21, noise beside its parts, 1 and -1
        ("(x - detach(x))**2 + x", {"x": 0.1}),
        ("relu(sin(x) - sin(y))", {"x": 0.5, "y": 0.5}),
        ("where(x + 1e20 > 1e20, x, 2*x)", {"x": 1.0}),
        ("logsumexp([x, -50])", {"x": 0.0}),
        ("softplus(x)", {"x": 60.0}),
        ("mean((w*x - t)**2)", {"w": 1.0, "x": [1.0, 2.0], "t": [1.0, 2.0]}),
    ],
)
def test_what_vanishes_without_harm_is_not_told(expression, values):
    assert told(expression, CODES, values) == []


def test_check_does_not_call_lost_digits_right():
    explanation = explain("((a+x)-a)**2", {"a": 1e40, "x": 1.0}, wrt=["x"])
    assert explanation.check is not None
    assert explanation.check.agrees is None
    assert "what rounding took" in explanation.check.reason


SILENT = [
    ("log(1+x)", {"x": 1e-17}),  # the slope 1/(1+x) is right to every digit
    ("(1-cos(x))/x**2", {"x": 0.4}),
    ("softmax(x)", {"x": [1.0, 2, 0.5]}),
    ("e = exp(x); e/sum(e)", {"x": [1.0, 2, 0.5]}),
    ("mean(x**2) - mean(x)**2", {"x": [1.0, 2, 4]}),
    ("norm(x)**2", {"x": [2.0, 1, -3]}),
    ("x - x", {"x": 0.1}),
    ("(a+b)-a", {"a": 1e8, "b": 1.0}),
    ("inv(A)", {"A": [[2.0, 1], [1, 3]]}),
    ("sin(x)**2 + cos(x)**2", {"x": 0.7}),
    ("relu(0.3 - 0.1*x)", {"x": 3.0}),
]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("expression", "values"), SILENT)
def test_rounding_and_noise_are_not_told(expression, values, dtype):
    assert told(expression, CODES, values, dtype=dtype) == []


def test_a_large_graph_is_not_run_again():
    x = np.full(300_000, 1e-9)
    assert told("sum((exp(x)-1)/x)", CODES, {"x": x}) == []


@needs_extended_precision
def test_many_entries_are_one_finding_with_a_count():
    x = np.full(50, 0.5)
    x[[3, 7]] = 1e-9
    found = only("sum((exp(x)-1)/x)", "cancellation", {"x": x})
    assert found.index in {(3,), (7,)}
    assert "2 of 50 entries of x.grad, the first at [3]" in found.notes


@pytest.mark.parametrize(
    ("program", "steadier", "gradient"),
    [
        ("sqrt(exp(x)-1)", "sqrt(expm1(x))", 0.5e6),
        ("1/log(1+x)", "1/log1p(x)", -1e24),
    ],
)
def test_lost_digits_are_kept_by_a_rewrite_that_was_run(program, steadier, gradient):
    explanation = explain(program, {"x": 1e-12})
    (found,) = (
        one for one in explanation.diagnostics if one.code in ("cancellation", "absorption")
    )
    assert found.fix is not None
    assert found.fix.text == steadier
    rewritten = explain(steadier, {"x": 1e-12})
    np.testing.assert_allclose(rewritten.gradients["x"], gradient, rtol=1e-9)
    assert abs(explanation.gradients["x"] - gradient) > 1e-6 * abs(gradient)


def test_no_rewrite_is_offered_that_loses_the_digits_as_well():
    explanation = explain("(exp(x)-1)/x", {"x": 1e-9})
    assert all(one.fix is None for one in explanation.diagnostics if one.code == "cancellation")
