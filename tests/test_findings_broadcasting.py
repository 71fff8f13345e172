"""A vector paired with a column is a warning with a corrected program that was run."""

from __future__ import annotations

import numpy as np
import pytest
from carets import marked
from findings_of import number, only, told

from vjpcli import explain

CODE = "broadcast-pairs"
COLUMN = [[1.0], [2.0], [3.0]]
VECTOR = [1.0, 2.0, 3.0]
DESIGN = [[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]]


@pytest.mark.parametrize(
    ("expression", "values", "caret", "fixed"),
    [
        ("mean((p - t)**2)", {"p": COLUMN, "t": VECTOR}, "p - t", "mean((p - t[:, None])**2)"),
        ("mse_loss(p, t)", {"p": COLUMN, "t": VECTOR}, "mse_loss(p, t)", "mse_loss(p, t[:, None])"),
        ("sum(t*p)", {"p": COLUMN, "t": VECTOR}, "t*p", "sum(t[:, None]*p)"),
        (
            "q = X @ w; mean((t - q)**2)",
            {"X": DESIGN, "w": [[1.0], [2.0]], "t": VECTOR},
            "t - q",
            "q = X @ w; mean((t[:, None] - q)**2)",
        ),
        (
            "mean((p - (t + 1))**2)",
            {"p": COLUMN, "t": VECTOR},
            "p - (t + 1)",
            "mean((p - (t + 1)[:, None])**2)",
        ),
        ("sum(where(p > t, p, 0))", {"p": COLUMN, "t": VECTOR}, "p > t", None),
    ],
)
def test_a_vector_paired_with_a_column_is_told_and_corrected(expression, values, caret, fixed):
    found = only(expression, CODE, values)
    assert found.severity == "warning"
    assert marked(found) == [caret]
    assert "(3, 1)" in found.message and "(3,)" in found.message and "(3, 3)" in found.message
    assert found.fix is not None and found.fix.replaces == expression
    if fixed is not None:
        assert found.fix.text == fixed
    assert told(found.fix.text, CODE, values) == []


def test_the_correction_says_the_value_and_gradients_it_gives():
    values = {"p": COLUMN, "t": VECTOR}
    found = only("mean((p - t)**2)", CODE, values)
    assert number(found, "value") == pytest.approx(4 / 3)
    assert number(found, "value as corrected") == 0
    assert found.fix is not None
    assert found.fix.says == "→ 0, p.grad = 0  0  0, t.grad = 0  0  0"
    corrected = explain(found.fix.text, values, formulas=False)
    assert float(corrected.output.value) == 0
    assert not np.any(corrected.gradients["p"])


def test_a_vector_output_is_corrected_by_its_shape():
    found = only("p - t", CODE, {"p": COLUMN, "t": VECTOR}, seed="ones")
    assert found.fix is not None and found.fix.says == "→ shape (3, 1)"


def test_data_and_losses_are_seen_too():
    values = {"p": COLUMN, "t": VECTOR}
    assert only("p - t", CODE, values, loss="mean(y**2)").leaf == "p"
    assert only("mean((p - t)**2)", CODE, values, wrt=["p"]).leaf == "p"


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("a[:, None]*b[None, :]", {"a": VECTOR, "b": VECTOR}),
        ("a[:, None] - b", {"a": VECTOR, "b": [3.0, 4, 5]}),
        ("expand_dims(a, 1)*b", {"a": VECTOR, "b": [3.0, 4, 5]}),
        ("reshape(a, (3, 1)) - b", {"a": VECTOR, "b": [3.0, 4, 5]}),
        ("a*b", {"a": COLUMN, "b": [[10.0, -1.0]]}),
        ("a - b", {"a": COLUMN, "b": [[1.0, 2.0, 3.0]]}),
        ("x - x[:, 0]", {"x": COLUMN}),
        ("x*[1, 2, 3]", {"x": COLUMN}),
        ("p - t", {"p": COLUMN, "t": [1.0, 2.0]}),
        ("p - t", {"p": VECTOR, "t": VECTOR}),
        ("p - t", {"p": COLUMN, "t": COLUMN}),
        ("p - t", {"p": [[1.0]], "t": [1.0]}),
        ("sum(X, axis=1, keepdims=True) - t", {"X": DESIGN, "t": VECTOR}),
        ("X - m", {"X": [[1.0, 2.0], [3.0, 4.0]], "m": [1.0, 2.0]}),
    ],
)
def test_pairs_that_were_meant_are_not_told(expression, values):
    assert told(expression, CODE, values) == []
