"""A gradient that is nothing comes with its cause; ordinary zeros come with none."""

from __future__ import annotations

import numpy as np
import pytest
from carets import marked
from findings_of import number, only, told

from vjpcli.explanation.findings.saturation import is_smooth_function
from vjpcli.graph.node import Node
from vjpcli.graph.operation import OPERATIONS, make_leaf

CODES = {
    "leaf-unused",
    "output-constant",
    "gradient-flat",
    "gradient-times-zero",
    "gradient-cancels",
    "gradient-saturated",
    "underflow",
}


@pytest.mark.parametrize(
    ("expression", "values", "leaf", "words"),
    [
        ("2*x", {"x": [1.0, 2], "y": [3.0, 4]}, "y", "not used in the expression"),
        ("h = y**2; 3*x", {"x": 1.0, "y": 2.0}, "y", "does not depend on its value"),
        ("x[argmax(s)]", {"x": [1.0, 2], "s": [1.0, 3]}, "s", "does not depend on its value"),
    ],
)
def test_an_unused_leaf_is_named(expression, values, leaf, words):
    (found,) = told(expression, CODES, values)
    assert (found.code, found.leaf, found.severity) == ("leaf-unused", leaf, "note")
    assert words in found.message
    assert any("None" in note for note in found.notes)


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("[4.5, 4.5]", {"x": [1.0, 2]}),
        ("h = x**2; 3", {"x": 2.0}),
        ("4.5*x.shape[0]", {"x": [1.0, 2]}),
    ],
)
def test_a_constant_output_is_told_once(expression, values):
    (found,) = told(expression, CODES, values)
    assert (found.code, found.severity) == ("output-constant", "warning")
    assert "x" in found.message
    assert any("does not require grad" in note for note in found.notes)


FLAT = [
    ("round(x**2)", {"x": [2.2]}, "x", ["round(x**2)"], "warning"),
    ("argmax(x) + 2.0", {"x": [0.1, 0.9]}, "x", ["argmax(x)"], "warning"),
    ("sum(x > 1)", {"x": [0.1, 2.9]}, "x", ["x > 1"], "warning"),
    ("stop_gradient(x)*y", {"x": 2.0, "y": 3.0}, "x", ["stop_gradient(x)"], "note"),
    ("y*floor(x) + sign(x)", {"x": 1.5, "y": 3.0}, "x", ["floor(x)", "sign(x)"], "note"),
    ("where(m > 0.5, x, 0)", {"m": [1.0, 0], "x": [2.0, 3]}, "m", ["m > 0.5"], "note"),
]


@pytest.mark.parametrize(("expression", "values", "leaf", "carets", "severity"), FLAT)
def test_flat_operations_are_named(expression, values, leaf, carets, severity):
    (found,) = told(expression, CODES, values)
    assert (found.code, found.leaf, found.severity) == ("gradient-flat", leaf, severity)
    assert marked(found) == carets


def test_one_path_around_a_flat_operation_is_enough():
    assert told("x - floor(x)", CODES, {"x": 1.3}) == []
    assert told("x + stop_gradient(round(x) - x)", CODES, {"x": 1.3}) == []
    assert told("y*round(x) + x", CODES, {"x": 1.3, "y": 2.0}) == []


def test_a_layer_on_the_flat_side_of_relu_is_told_and_a_single_number_is_not():
    found = only("relu(W @ x - 9)", "gradient-flat", {"W": [[1.0, 2], [2, 1]], "x": [1.0, 1]})
    assert marked(found) == ["relu(W @ x - 9)"]
    assert told("relu(x)", CODES, {"x": -1.0}) == []
    assert told("relu(x)", CODES, {"x": [-1.0, 2]}) == []


@pytest.mark.parametrize(
    ("expression", "values", "leaf", "caret"),
    [
        ("a*a + 0*b", {"a": [3.0], "b": [1.0]}, "b", "0"),
        ("a*m + b", {"a": [1.0, 2], "m": [0.0, 0], "b": 1.0}, "a", "a*m"),
        ("0.0*exp(b) + a", {"a": 3.0, "b": 1.0}, "b", "0.0"),
        ("W @ x + b", {"W": [[1.0, 2]], "x": [0.0, 0], "b": 1.0}, "W", "W @ x"),
    ],
)
def test_a_factor_of_zero_is_told(expression, values, leaf, caret):
    (found,) = told(expression, CODES, values)
    assert (found.code, found.leaf) == ("gradient-times-zero", leaf)
    assert marked(found) == [caret]


@pytest.mark.parametrize(
    ("expression", "values", "seed", "sums"),
    [
        ("softmax(x)", {"x": [1.0, 2, 0.5]}, "ones", 0.23347959715646865),
        ("sum(softmax(x))", {"x": [1.0, 2, 0.5]}, None, 0.23347959715646865),
        ("e = exp(x); e/sum(e)", {"x": [1.0, 2, 0.5]}, "ones", None),
        ("x - x", {"x": 2.0}, None, 1.0),
        ("sin(x)**2 + cos(x)**2", {"x": 0.7}, None, None),
        ("sum(x - mean(x))", {"x": [1.0, 2, 4]}, None, 1.0),
    ],
)
def test_contributions_that_cancel_are_told_with_both_sums(expression, values, seed, sums):
    (found,) = told(expression, CODES, values, seed=seed)
    assert found.code == "gradient-cancels" and found.leaf == "x"
    positive, negative = number(found, "positive sum"), number(found, "negative sum")
    assert positive > 0 > negative
    assert positive == pytest.approx(-negative, rel=1e-12)
    if sums is not None:
        assert positive == pytest.approx(sums, rel=1e-12)


def test_softmax_under_equal_seeds_is_explained():
    found = only("softmax(x)", "gradient-cancels", {"x": [1.0, 2, 0.5]}, seed="ones")
    assert any("equal seeds" in note for note in found.notes)
    assert told("softmax(x)", CODES, {"x": [1.0, 2, 0.5]}, seed=[1, 0, 0]) == []
    single = told("softmax(x)", CODES, {"x": [1.0, 2, 0.5]}, seed="ones", dtype="float32")
    assert [one.code for one in single] == ["gradient-cancels"]


@pytest.mark.parametrize(
    ("expression", "values", "index", "slope", "severity"),
    [
        ("tanh(x)", {"x": 200.0}, (), 0, "warning"),
        ("tanh(10*x)", {"x": [2.0, 0.1]}, (0,), 0, "note"),
        ("sigmoid(x)", {"x": 40.0}, (), 4.248354255291589e-18, "note"),
        ("sigmoid(x)", {"x": 800.0}, (), 0, "warning"),
        ("softmax(x)[0]", {"x": [40.0, 0, -5]}, (0,), 4.2769794410970824e-18, "note"),
        ("erf(3*x)", {"x": [0.2, 9.0]}, (1,), 0, "note"),
    ],
)
def test_saturation_is_told_with_its_factor(expression, values, index, slope, severity):
    (found,) = told(expression, CODES, values)
    assert (found.code, found.severity) == ("gradient-saturated", severity)
    assert found.index == index
    assert number(found, "slope") == pytest.approx(slope, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(
    ("expression", "values", "index", "dtype"),
    [
        ("exp(-x)", {"x": 800.0}, (), "float64"),
        ("exp(-x)", {"x": [800.0, 1]}, (0,), "float64"),
        ("x * 1e-200 * 1e-200", {"x": 2.0}, (), "float64"),
        ("exp(-x)", {"x": 120.0}, (), "float32"),
    ],
)
def test_underflow_is_told(expression, values, index, dtype):
    (found,) = told(expression, CODES, values, dtype=dtype)
    assert (found.code, found.index) == ("underflow", index)
    assert dtype in found.message


SILENT = [
    ("relu(x)", {"x": [-1.0, 2]}),
    ("clip(x, 0, 1)", {"x": [0.5, 7]}),
    ("x[0]", {"x": [1.0, 2]}),
    ("where(x > 1, x, 3)", {"x": [0.5, 2]}),
    ("where(c, a, b)", {"c": 1.0, "a": 2.0, "b": 3.0}),
    ("x**2", {"x": 0.0}),
    ("cos(x)", {"x": 0.0}),
    ("(x - 2)**2", {"x": 2.0}),
    ("mean((w*x + b - t)**2)", {"w": 2.0, "b": 1.0, "x": [1.0, 2], "t": [3.0, 5]}),
    ("exp(-x)", {"x": 40.0}),
    ("a*exp(-E)", {"a": 1e13, "E": 39.0}),
    ("tanh(x)", {"x": [3.0, -4]}),
    ("sigmoid(x)", {"x": [20.0, -20]}),
    ("log(x)", {"x": 1e17}),
    ("1/x", {"x": 1e9}),
    ("reciprocal(x)", {"x": 1e9}),
    ("log1p(x)", {"x": 1e17}),
    ("arcsinh(x)", {"x": 1e17}),
    ("silu(x)", {"x": [-20.0, 1]}),
    ("m*x", {"m": [0.0, 1], "x": [2.0, 3]}),
    ("x*1e-30", {"x": 1.0}),
    ("cross_entropy(x, t)", {"x": [[1.0, 2, 4], [1.0, 1.5, 2]], "t": [0, 1]}),
    ("threshold(x, 0.1, 20)", {"x": [-5.0, 2]}),
    ("hardshrink(x)", {"x": [0.2, 2]}),
    ("maximum(a, b)", {"a": 1.0, "b": 2.0}),
]


@pytest.mark.parametrize(("expression", "values"), SILENT)
def test_an_ordinary_zero_is_not_told(expression, values):
    wrt = [name for name in values if name != "c"]
    assert told(expression, CODES, values, wrt=wrt) == []


def test_a_row_without_weight_is_not_told():
    assert told("[a, b]", CODES, {"a": 1.0, "b": 2.0}, seed="row:0") == []
    assert told("x*x", CODES, {"x": [1.0, 2]}, seed=[0, 0]) == []


def test_passes_that_cancel_are_not_called_saturated_or_flat():
    assert told("x*x", CODES, {"x": 3.0}, seeds=[1.0, -1.0]) == []


def test_a_gradient_that_another_pass_fills_is_not_told():
    assert told("[x - x, x]", CODES, {"x": 3.0}, seeds=[[1, 0], [0, 1]]) == []


def test_a_million_saturated_entries_are_one_finding():
    x = np.full(1_000_000, 30.0)
    x[0] = 0.5
    found = only("sum(tanh(x))", "gradient-saturated", {"x": x})
    assert found.index == (1,)
    assert "999,999 of 1,000,000 entries of x.grad, the first at [1]" in found.notes


def test_an_inner_factor_of_0_is_not_named_by_the_whole():
    values = {"a": [0.0, 0.0], "b": [1.0, 2.0]}
    found = only("F.cosine_similarity(a, b, dim=0)", "gradient-times-zero", values)
    assert found.message == (
        "b.grad is 0: inside F.cosine_similarity(a, b, dim=0) it is multiplied by 0"
    )


def test_an_inner_factor_of_0_in_a_long_call_is_named_by_the_call():
    values = {"q": [[1.0, 2]], "k": [[1.0, 2], [3, 4]], "v": [[1.0, 2], [3, 4]]}
    program = "F.scaled_dot_product_attention(q, k, v, attn_mask=array([[-inf, -inf]]))"
    found = only(program, "gradient-times-zero", values, wrt=["v"], seed="ones")
    assert "inside F.scaled_dot_product_attention(…) it is multiplied by 0" in found.message


def test_a_function_that_differs_from_entry_to_entry_is_not_tried_elsewhere():
    operand = make_leaf("x", (2,))
    for order, smooth in ((2, True), (np.array([1, 2]), False)):
        node = Node(OPERATIONS["kv"], (operand,), {"order": order}, (2,), "real", None)
        assert is_smooth_function(node) == smooth
