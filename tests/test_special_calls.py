"""Special functions and distributions: numbers that SciPy 1.17, PyTorch 2.13 and JAX gave."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest
from special_calls import (
    IN_JAX,
    IN_SCIPY,
    IN_TORCH,
    VALUES,
    keep,
    kept_rows,
    measured_in_jax,
    measured_in_scipy,
    measured_in_torch,
    names_in,
    seed_for,
)

from vjpcli import explain

ROWS = kept_rows()
ONLY_SEVEN_DIGITS_THERE = {
    "torch.special.bessel_j0(s)",
    "torch.special.bessel_j1(s)",
    "torch.special.bessel_y0(x)",
    "torch.special.bessel_y1(x)",
}
"""What PyTorch gives with an error of 1e-7; `test_special_accuracy.py` holds ours to mpmath."""


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
    rtol = 1e-6 if row["call"] in ONLY_SEVEN_DIGITS_THERE else 1e-9
    np.testing.assert_allclose(value, row["value"], rtol=rtol, atol=1e-12)
    for name, gradient in row["gradients"].items():
        got = np.asarray(ours.gradients[name])
        assert np.all(np.isfinite(got))
        theirs = np.where(np.isnan(gradient), got, gradient)  # JAX's spence has some nan
        np.testing.assert_allclose(got, theirs, rtol=1e-7, atol=1e-9)


def test_every_call_was_measured():
    assert [row["call"] for row in ROWS] == [*IN_SCIPY, *IN_JAX, *IN_TORCH]


def test_measured_numbers_are_those_of_these_libraries(rewrite):
    libraries: tuple[tuple[str, Any, tuple[str, ...]], ...] = (
        ("scipy", measured_in_scipy, IN_SCIPY),
        ("jax", measured_in_jax, IN_JAX),
        ("torch", measured_in_torch, IN_TORCH),
    )
    new = {
        text: measure(text)
        for library, measure, texts in libraries
        if importlib.util.find_spec(library)
        for text in texts
    }
    if not new:
        pytest.skip("none of the libraries is installed")
    kept = {row["call"]: row for row in ROWS}
    if rewrite:
        keep([(kept | new)[text] for text in (*IN_SCIPY, *IN_JAX, *IN_TORCH)])
    for text, row in new.items():
        np.testing.assert_allclose(kept[text]["value"], row["value"], rtol=1e-9, atol=1e-12)
