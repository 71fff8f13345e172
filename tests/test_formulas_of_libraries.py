"""optax and TensorFlow: formulas against optax 0.2.8 (float64), and names against NumPy's."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from vjpcli import VjpError, explain, grad
from vjpcli.graph.formulas import known_names

VALUES = {
    "x": [0.5, -1.25, 2.0],
    "y": [1.5, 0.75, -0.5],
    "X": [[0.5, -1.25, 2.0], [3.5, 0.25, -0.75]],
    "P": [[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]],
    "Q": [[0.7, 0.2, 0.1], [0.25, 0.35, 0.4]],
    "a": 1.5,
}
ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("measured_in_optax.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["call"])
def test_loss_gives_the_numbers_that_optax_gives(row):
    shape = np.shape(row["value"])
    found = explain(
        row["call"],
        {name: VALUES[name] for name in row["gradients"]},
        seed=1.0 + np.arange(np.prod(shape, dtype=int)).reshape(shape),
        formulas=False,
        check=False,
    )
    np.testing.assert_allclose(found.output.value, row["value"], rtol=1e-10, atol=1e-14)
    for name, gradient in row["gradients"].items():
        np.testing.assert_allclose(found.gradients[name], gradient, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("name", known_names("optax"))
def test_every_loss_of_optax_was_measured(name):
    assert any(row["call"].startswith(f"optax.{name}(") for row in ROWS)


@pytest.mark.parametrize("name", known_names("tf"))
def test_every_name_of_tensorflow_means_something(name):
    try:
        grad(f"tf.{name}", {"x": 1.0})
    except VjpError as error:
        assert error.diagnostic.code == "not-a-number"  # a function that is not called


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("tf.reduce_sum(tf.square(x))", "sum(x**2)"),
        ("tf.reduce_mean(X, axis=0)[1]", "X.mean(0)[1]"),
        ("tf.reduce_std(x)", "np.std(x)"),
        ("tf.math.log(a) + tf.nn.relu(a)", "log(a) + a"),
        ("tf.nn.leaky_relu(x)[1]", "0.2*x[1]"),
        ("tf.nn.softmax(X)[0, 1]", "softmax(X, -1)[0, 1]"),
        ("tf.matmul(X, tf.transpose(X))[0, 1]", "(X @ X.T)[0, 1]"),
        ("tf.concat([x, y], axis=0)[4]", "y[1]"),
        ("tf.clip_by_value(x, -1.0, 1.0)[0]", "x[0]"),
        ("tf.cast(a, tf.float32)", "a"),
        ("tf.keras.losses.MSE(x, y)", "mean((x - y)**2)"),
        (
            "tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=x)[0]",
            "F.binary_cross_entropy_with_logits(x, y, reduction='none')[0]",
        ),
        (
            "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[2, 0], logits=X)[1]",
            "-log_softmax(X, 1)[1, 0]",
        ),
        ("tf.math.divide_no_nan(a, 0*a) + a", "a"),
        ("tf.nn.l2_normalize(x)[0]", "x[0]/norm(x)"),
    ],
)
def test_name_of_tensorflow_means_what_it_means_there(text, same):
    ours, theirs = grad(text, VALUES), grad(same, VALUES)
    for name in VALUES:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("optax.l2_los(x)", "unknown-library"),
        ("optax.adam(x)", "not-offered"),
        ("optax.l2_loss()", "missing-argument"),
        ("optax.hinge_loss(x, x, x)", "too-many-arguments"),
        ("optax.l2_loss(x, target=x)", "unknown-keyword"),
        ("optax.l2_loss(x, predictions=x)", "argument-twice"),
        ("optax.l2_loss(x, [1, 2])", "shape-mismatch"),
        ("tf.gather(x, [0])", "unknown-library"),
        ("K.mean(x)", "unknown-library"),
    ],
)
def test_what_has_no_formula_is_refused_in_words(text, code):
    with pytest.raises(VjpError) as caught:
        grad(text, {"x": VALUES["x"]})
    found = caught.value.diagnostic
    assert found.code == code
    assert found.source is not None
    assert found.source.text == text
