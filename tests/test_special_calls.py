"""Special functions and distributions against the numbers that SciPy 1.17 and JAX gave."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest
from special_calls import (
    IN_JAX,
    IN_SCIPY,
    VALUES,
    keep,
    kept_rows,
    measured_in_jax,
    measured_in_scipy,
    names_in,
    seed_for,
)

from vjpcli import explain

ROWS = kept_rows()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["call"])
def test_call_gives_the_numbers_that_were_measured(row):
    names = names_in(row["call"])
    given = {name: VALUES[name] for name in names} or {"unread": 1.0}
    ours = explain(
        row["call"],
        given,
        seed=seed_for(np.shape(row["value"])),
        jacobian=False,
        formulas=False,
        check=False,
    )
    value = np.asarray(ours.output.value, dtype=np.float64)
    assert value.shape == np.shape(row["value"])
    np.testing.assert_allclose(value, row["value"], rtol=1e-9, atol=1e-12)
    for name, gradient in row["gradients"].items():
        got = np.asarray(ours.gradients[name])
        assert np.all(np.isfinite(got))
        theirs = np.where(np.isnan(gradient), got, gradient)  # JAX's spence has some nan
        np.testing.assert_allclose(got, theirs, rtol=1e-7, atol=1e-9)


def test_every_call_was_measured():
    assert [row["call"] for row in ROWS] == [*IN_SCIPY, *IN_JAX]


def test_measured_numbers_are_those_of_these_libraries(rewrite):
    measures: list[tuple[Any, Any]] = []
    if importlib.util.find_spec("scipy"):
        measures += [(text, measured_in_scipy) for text in IN_SCIPY]
    if importlib.util.find_spec("jax"):
        measures += [(text, measured_in_jax) for text in IN_JAX]
    if not measures:
        pytest.skip("neither SciPy nor JAX is installed")
    kept = {row["call"]: row for row in ROWS}
    new = {text: measure(text) for text, measure in measures}
    if rewrite:
        keep([(kept | new)[text] for text in (*IN_SCIPY, *IN_JAX)])
    for text, row in new.items():
        np.testing.assert_allclose(kept[text]["value"], row["value"], rtol=1e-9, atol=1e-12)
