from __future__ import annotations

import json
from pathlib import Path

import explanations as made
import jsonschema
import numpy as np
import pytest

from vjpcli import explain
from vjpcli.errors import Diagnostic, Fix, Label, Source, Span
from vjpcli.explanation.model import Check
from vjpcli.render.json import (
    error_document,
    explanation_document,
    numbers,
    render_error_json,
    render_json,
)
from vjpcli.render.plain import render_gradients, render_jacobian

SCHEMA = json.loads(
    (Path(__file__).parent.parent / "docs" / "vjp-1.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

FINDING = Diagnostic(
    "nan-untaken-branch", "x.grad[0] is nan", "warning", Source("sqrt(x)"),
    (Label(Span(0, 7), "here"),), ("why",), Fix("sqrt(x + 1)"), "x", (0,),
    (("value", 0.0), ("slope", np.inf), ("adjoint", np.float32(0.1))),
)  # fmt: skip

FIRST_KEYS = (
    "schema expression dtype inputs output seed jacobian gradients leaves steps check diagnostics"
)


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", made.EVERY)
def test_documents_follow_the_schema_and_read_back(name):
    explanation = made.replaced(made.EVERY[name](), diagnostics=(FINDING,))
    document = explanation_document(explanation)
    VALIDATOR.validate(document)
    assert list(document)[:12] == FIRST_KEYS.split()
    text = render_json(explanation)
    assert json.loads(text) == document
    assert text.isascii()


@pytest.mark.parametrize("broken", ["schema", "gradients", "leaves"])
def test_the_schema_refuses_documents_without_what_scripts_need(broken):
    document = explanation_document(made.elementwise())
    del document[broken]
    assert not VALIDATOR.is_valid(document)


def test_numbers_are_those_of_the_explanation():
    document = explanation_document(made.elementwise())
    assert document["gradients"]["b"] == [1.2000000000000002, 16.0, 0.002]
    assert document["jacobian"]["a"] == [[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]
    assert document["seed"] == {
        "shape": [3], "value": [0.1, 1.0, 0.0001], "origin": "given", "text": "",
    }  # fmt: skip
    assert document["leaves"]["a"]["formula"] == "3"


def test_numbers_that_are_not_finite_are_strings():
    array = np.array([[np.nan, 1.5], [np.inf, -np.inf]])
    assert numbers(array) == [["NaN", 1.5], ["Infinity", "-Infinity"]]
    assert numbers(np.array(np.nan)) == "NaN"
    check = Check(False, "central differences", float("nan"), 2, "", "x", (0,), np.inf, 1.0)
    document = explanation_document(made.elementwise(check=check))
    assert document["check"]["worst_relative_error"] == "NaN"
    assert document["check"]["expected"] == "Infinity"
    VALIDATOR.validate(document)


def test_float32_numbers_are_the_shortest_for_float32():
    assert json.dumps(numbers(np.array([0.1, 1e-5, 3.0, np.nan], np.float32))) == (
        '[0.1, 1e-05, 3.0, "NaN"]'
    )
    assert numbers(np.float32(0.1)) == 0.1


def test_random_float32_numbers_read_back():
    array = np.random.default_rng(0).standard_normal(2000).astype(np.float32)
    assert np.array_equal(np.array(numbers(array), np.float32), array)


def test_several_passes_and_outputs_are_all_there():
    document = explanation_document(made.elementwise(seeds=[(1, 1, 1), (0.1, 1, 0.0001)]))
    assert document["seed"] is None
    assert [one[0]["value"][0] for one in document["passes"]] == [1.0, 0.1]
    document = explanation_document(made.two_outputs())
    assert [output["name"] for output in document["outputs"]] == ["y", "z"]
    assert document["jacobian"]["a"] == [2.0, 4.0, 6.0]
    assert document["jacobians"]["y"]["a"][1] == [0.0, 4.0, 0.0]


def test_each_seed_has_the_shape_of_the_output_and_no_value():
    document = explanation_document(made.each_row())
    assert document["seed"] == {"shape": [2], "value": None, "origin": "each", "text": "each"}


def test_a_jacobian_too_large_to_keep_is_null():
    base = made.explanation(
        "3*x", {"x": [1.0]}, [3.0], {"x": None}, [[1.0]], gradients={"x": made.array(3)}
    )
    assert explanation_document(base)["jacobian"] == {"x": None}


def test_diagnostics_keep_their_place_and_facts():
    document = explanation_document(made.elementwise(diagnostics=(FINDING,)))["diagnostics"][0]
    assert document["span"] == [0, 7]
    assert document["index"] == [0]
    assert document["fix"] == "sqrt(x + 1)"
    assert document["numbers"] == {"value": 0.0, "slope": "Infinity", "adjoint": 0.1}


def test_an_error_is_an_object_on_one_line():
    error = Diagnostic("unknown-name", "no such name", source=Source("x\ud800"))
    VALIDATOR.validate(error_document(error))
    text = render_error_json(error, "vjp explain x")
    assert "\n" not in text
    assert json.loads(text)["error"]["fix"] == "vjp explain x"


def test_plain_gradients_are_a_line_for_each_leaf():
    assert render_gradients(made.elementwise()) == (
        "0.30000000000000004 3.0 0.00030000000000000003\n"
        "1.2000000000000002 16.0 0.002\n"
        "0.016666666666666666 0.14285714285714285 1.25e-05"
    )
    assert render_gradients(made.matrix_product()) == "3.0 4.5 6.0\n1.0 0.0 -1.0 0.5 0.0 -0.5"


def test_plain_jacobians_are_a_line_for_each_output_entry():
    assert render_jacobian(made.matrix_product()) == (
        "# x 2x3\n1.0 2.0 3.0\n4.0 5.0 6.0\n"
        "# W 2x6\n1.0 0.0 -1.0 0.0 0.0 0.0\n0.0 0.0 0.0 1.0 0.0 -1.0"
    )
    assert render_jacobian(made.two_outputs()).splitlines()[4] == "# z a 1x3"
    assert render_gradients(made.each_row()).splitlines()[0] == "# x 2x3"


def test_steps_and_edges_do_not_repeat_large_arrays():
    values = {"x": np.ones(50)}
    small = explanation_document(explain("sum(2*x)", values, max_jacobian=1000))
    large = explanation_document(explain("sum(2*x)", values, max_jacobian=100))
    assert small["steps"][0]["value"] == [1.0] * 50
    assert {step["value"] for step in large["steps"]} == {None}
    assert {step["adjoint"] for step in large["steps"]} == {None}
    assert {edge["sent"] for edge in large["edges"]} == {None}
    assert large["steps"][0]["shape"] == [50]
    assert large["gradients"] == small["gradients"]
    VALIDATOR.validate(large)
