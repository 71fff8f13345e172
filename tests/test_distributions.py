"""torch.distributions: densities, entropies, means and divergences."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from distribution_calls import DISTRIBUTION_CALLS
from torch_calls import VALUES, seed_for

from vjpcli import VjpError, explain, grad
from vjpcli.graph.distributions import table

MEASURED_FILE = Path(__file__).with_name("distributions_measured_in_torch.jsonl")
ROWS = [json.loads(line) for line in MEASURED_FILE.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["call"].removeprefix("torch."))
def test_distribution_gives_the_numbers_that_torch_gives(row):
    found = explain(
        row["call"],
        {name: VALUES[name] for name in row["gradients"]},
        seed=seed_for(np.shape(row["value"])),
        jacobian=False,
        formulas=False,
        check=False,
    )
    value = np.asarray(found.output.value, dtype=np.float64)
    assert value.shape == np.shape(row["value"])
    np.testing.assert_allclose(value, row["value"], rtol=1e-9, atol=1e-12)
    for name, gradient in row["gradients"].items():
        np.testing.assert_allclose(found.gradients[name], gradient, rtol=1e-8, atol=1e-10)


def test_every_distribution_call_was_measured():
    assert [row["call"] for row in ROWS] == list(DISTRIBUTION_CALLS)


@pytest.mark.parametrize("name", sorted(table()))
def test_every_density_was_measured(name):
    assert any(f".{name}(" in call and ".log_prob(" in call for call in DISTRIBUTION_CALLS)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Normal(x, 1).sample()", "random-operation"),
        ("Normal(x, 1).rsample()", "random-operation"),
        ("Normal(x, 1)", "not-a-number"),
        ("Normal(x)", "missing-argument"),
        ("Bernoulli()", "missing-argument"),
        ("Normal(x, 1, 2)", "too-many-arguments"),
        ("Normal(x, sigma=1)", "unknown-keyword"),
        ("Normal(x, 1, loc=x)", "argument-twice"),
        ("Normal(x, 1).log_prob()", "missing-argument"),
        ("Normal(x, 1).log_prob(x, x)", "too-many-arguments"),
        ("Normal(x, 1).log_prob([1, 2, 3])", "shape-mismatch"),
        ("Normal(x, 1).rate", "not-offered"),
        ("torch.distributions.Normal.mean", "attribute-access"),
        ("kl_divergence(Normal(x, 1), Laplace(x, 1))", "not-offered"),
        ("kl_divergence(x, x)", "missing-argument"),
        ("torch.distributions.Wishart(x, x)", "not-offered"),
    ],
)
def test_what_a_distribution_has_not_is_refused_in_words(text, code):
    with pytest.raises(VjpError) as caught:
        grad(text, {"x": [1.0, 2.0]})
    found = caught.value.diagnostic
    assert found.code == code
    assert found.source is not None
    assert found.source.text == text


def test_formula_stands_where_the_distribution_is_written():
    text = "y = 2*x; torch.distributions.Normal(y, 1).log_prob(0).sum()"
    found = explain(text, {"x": [1.0, 2.0]})
    np.testing.assert_allclose(found.gradients["x"], [-4.0, -8.0])
