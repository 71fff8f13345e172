"""`x.at[i].set(v)` and its kin, against numbers that JAX 0.10 gave (float64)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from vjpcli import VjpError, explain, grad

VALUES = {
    "x": [0.5, -1.25, 2.0, 3.5],
    "v": [0.3, 0.9],
    "a": 1.5,
    "W": [[1.0, 2.0, -0.5], [3.0, 4.0, 0.25]],
    "r": [0.2, -0.7, 1.1],
}
ROWS = [
    json.loads(line)
    for line in Path(__file__)
    .with_name("updates_measured_in_jax.jsonl")
    .read_text("utf-8")
    .splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["call"])
def test_update_gives_the_numbers_that_jax_gives(row):
    shape = np.shape(row["value"])
    found = explain(
        row["call"],
        {name: VALUES[name] for name in row["gradients"]},
        seed=1.0 + np.arange(np.prod(shape, dtype=int)).reshape(shape),
        formulas=False,
        check=False,
    )
    np.testing.assert_allclose(found.output.value, row["value"], rtol=1e-12)
    for name, gradient in row["gradients"].items():
        np.testing.assert_allclose(found.gradients[name], gradient, rtol=1e-12)


def test_entry_that_is_replaced_sends_nothing_back_even_if_it_is_infinite():
    found = grad("x.at[0].set(a)", {"x": [np.inf, 2.0], "a": 1.0}, seed=[3.0, 5.0])
    np.testing.assert_array_equal(found["x"], [0.0, 5.0])
    np.testing.assert_array_equal(found["a"], 3.0)


@pytest.mark.parametrize(
    ("text", "written_out"),
    [
        ("x.at[[2, 2]].multiply(v)[2]", "x[2]*v[0]*v[1]"),
        ("x.at[[2, 2]].divide(v)[2]", "x[2]/v[0]/v[1]"),
        ("x.at[[2, 2]].subtract(v)[2]", "x[2] - v[0] - v[1]"),
        ("x.at[[2, 2]].min(v)[2]", "v[0]"),
        ("x.at[[1, 1]].power(v)[1]", "abs(x[1])**v[1]"),
    ],
)
def test_values_for_one_entry_are_combined(text, written_out):
    given = {"x": [0.5, 1.25, 2.0], "v": [0.3, 0.9]}
    ours, theirs = grad(text, given), grad(written_out, given)
    for name in given:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-12)


def test_of_several_values_for_one_entry_the_last_stands():
    found = grad("x.at[[1, 1]].set(v)", {"x": [1.0, 2.0], "v": [7.0, 8.0]}, seed=[1.0, 10.0])
    np.testing.assert_array_equal(found["v"], [0.0, 10.0])


@pytest.mark.parametrize(
    ("text", "code", "marked"),
    [
        ("x.at", "not-a-number", "x.at"),
        ("x.at[0]", "not-a-number", "x.at[0]"),
        ("x.at[0].set()", "missing-argument", "set"),
        ("x.at[0].set(1, 2)", "too-many-arguments", "set"),
        ("x.at[0].put(1)", "attribute-access", "put"),
        ("x.at.set(1)", "attribute-access", "set"),
        ("x.at[7].set(1)", "index-out-of-range", "7"),
        ("x.at[:2].set([1, 2, 3])", "shape-mismatch", "set"),
    ],
)
def test_update_that_has_no_meaning_is_refused_in_words(text, code, marked):
    with pytest.raises(VjpError) as caught:
        grad(text, {"x": VALUES["x"]})
    found = caught.value.diagnostic
    span = found.labels[0].span
    assert (found.code, text[span.start : span.end]) == (code, marked)


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("y = 2*x; y[0] = 5; sum(y)", "y = 2*x; y = y.at[0].set(5); sum(y)"),
        ("y = 2*x; y[1:] += x[0]; sum(y)", "y = 2*x; y = y.at[1:].add(x[0]); sum(y)"),
        ("y = 2*x; y[0] **= 2; sum(y)", "y = 2*x; y = y.at[0].power(2); sum(y)"),
        ("y = 2*x; y[0] //= 2; sum(y)", None),
    ],
)
def test_assignment_to_an_entry_is_answered_with_the_update(text, fixed):
    with pytest.raises(VjpError) as caught:
        grad(text, {"x": VALUES["x"]})
    fix = caught.value.diagnostic.fix
    assert (fix and fix.text) == fixed
    if fixed:
        grad(fixed, {"x": VALUES["x"]})
