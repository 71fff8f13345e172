"""Calls as PyTorch users write them, against numbers that PyTorch 2.13 gave (float64, CPU).

The numbers are kept, so that keywords, the order of arguments, shapes and conventions are held
where PyTorch is not installed. `torch_calls.py` lists the calls; with PyTorch,
`pytest tests/test_against_torch.py --rewrite` measures them anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from complex_calls import COMPLEX_CALLS
from torch_calls import CALLS, VALUES, WRONG_IN_TORCH, seed_for

from vjpcli import explain

MEASURED_FILE = Path(__file__).with_name("measured_in_torch.jsonl")
FILES = {
    MEASURED_FILE: CALLS,
    MEASURED_FILE.with_name("measured_complex_in_torch.jsonl"): COMPLEX_CALLS,
}
"""Where the numbers are kept -> the calls that were measured."""

ROWS = [json.loads(line) for file in FILES for line in file.read_text("utf-8").splitlines()]


def ours(row: dict[str, Any]) -> Any:
    return explain(
        row["call"],
        {name: VALUES[name] for name in row["gradients"]},
        seed=seed_for(np.shape(row["value"])),
        jacobian=False,
        formulas=False,
        check=False,
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["call"])
def test_call_gives_the_numbers_that_torch_gives(row):
    explanation = ours(row)
    value = np.asarray(explanation.output.value, dtype=np.float64)
    assert value.shape == np.shape(row["value"])
    np.testing.assert_allclose(value, row["value"], rtol=1e-9, atol=1e-12)
    if row["call"] in WRONG_IN_TORCH:
        return
    for name, gradient in row["gradients"].items():
        np.testing.assert_allclose(explanation.gradients[name], gradient, rtol=1e-8, atol=1e-10)


def test_every_call_was_measured():
    calls = [text for groups in FILES.values() for texts in groups.values() for text in texts]
    assert [row["call"] for row in ROWS] == calls


@pytest.mark.parametrize("text", WRONG_IN_TORCH)
def test_gradient_that_is_wrong_in_torch_is_still_wrong_there(text):
    """Else the exception can go: ours would be compared like the others."""
    row = next(row for row in ROWS if row["call"] == text)
    explanation = ours(row)
    same = [
        np.allclose(explanation.gradients[name], gradient, rtol=1e-8, atol=1e-10)
        for name, gradient in row["gradients"].items()
    ]
    assert not all(same)
