"""Cases from public questions and bug reports, with numbers measured in PyTorch, JAX and autograd.

A gradient of null is that of a leaf which is not read. `peers` holds what another engine
returns where its convention differs; `--like` must reproduce it.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from vjpcli import VjpError, explain, hessian

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("public_questions.jsonl").read_text().splitlines()
]


def numbers(nested):
    """NaN and infinities are written as text in the file."""
    if isinstance(nested, list):
        return [numbers(item) for item in nested]
    return float(nested)


def arguments(case):
    seed = case["seed"]
    return {
        "values": {name: numbers(value) for name, value in case["values"].items()},
        "seed": None if seed is None else numbers(seed),
        "wrt": case.get("wrt"),
    }


def assert_numbers(got, expected, tolerance=1e-11):
    expected = np.asarray(numbers(expected))
    assert np.shape(got) == expected.shape
    assert np.array_equal(np.isnan(got), np.isnan(expected)), got
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=tolerance, equal_nan=True)


def named(cases):
    return pytest.mark.parametrize("case", cases, ids=[case["name"] for case in cases])


@named([case for case in CASES if "refused" in case])
def test_question_is_refused_with_its_code(case):
    with pytest.raises(VjpError) as caught:
        explain(case["program"], **arguments(case))
    assert caught.value.diagnostic.code == case["refused"]


@named([case for case in CASES if "gradients" in case])
def test_question_gets_the_right_numbers(case):
    explanation = explain(case["program"], **arguments(case))
    tolerance = case.get("tolerance", 1e-11)
    assert_numbers(explanation.output.value, case["value"])
    for name, gradient in case["gradients"].items():
        if gradient is None:
            assert not explanation.leaves[name].used
            zeros = np.zeros_like(explanation.inputs[name].value).tolist()
        assert_numbers(
            explanation.gradients[name], zeros if gradient is None else gradient, tolerance
        )
    for name, entries in case.get("jacobian", {}).items():
        assert_numbers(explanation.jacobian[explanation.output.name][name], entries)
    assert explanation.check is None or explanation.check.agrees is not False


@named([case for case in CASES if "hessian" in case])
def test_question_gets_the_right_second_derivatives(case):
    asked = arguments(case)
    blocks = hessian(case["program"], asked["values"], wrt=asked["wrt"])
    for name, entries in case["hessian"].items():
        assert_numbers(blocks[name][name], entries)


@named([case for case in CASES if "peers" in case])
def test_like_reproduces_another_engine(case):
    for engine, gradients in case["peers"].items():
        explanation = explain(case["program"], like=engine, **arguments(case))
        for name, gradient in gradients.items():
            assert_numbers(explanation.gradients[name], gradient)
