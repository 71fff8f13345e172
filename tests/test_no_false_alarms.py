"""Findings stay silent on ordinary input: a false alarm is a defect."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from ordinary_expressions import ORDINARY, Ordinary

from vjpcli import explain
from vjpcli.explanation import findings

FOLDER = Path(findings.__file__).parent
KEBAB = re.compile(r'"([a-z0-9]+(?:-[a-z0-9]+)+|kink|tie|cancellation|absorption|underflow)"')


def finding_codes() -> set[str]:
    """Every code that the findings folder may give, read off its text."""
    return {code for path in FOLDER.glob("*.py") for code in KEBAB.findall(path.read_text("utf-8"))}


def found(case: Ordinary, **options):
    explanation = explain(
        case.expression, case.values, wrt=case.wrt, formulas=False, check=False, **options
    )
    codes = finding_codes()
    return [one for one in explanation.diagnostics if one.code in codes], explanation


def test_there_are_two_hundred_ordinary_expressions():
    assert len({(case.expression, str(case.values)) for case in ORDINARY}) >= 200


def test_the_codes_of_the_findings_are_known():
    expected = {"kink", "tie", "kink-composed", "leaf-unused", "gradient-flat", "broadcast-pairs"}
    assert expected <= finding_codes()


@pytest.mark.parametrize("case", ORDINARY, ids=lambda case: case.expression)
def test_no_finding_on_an_ordinary_expression(case):
    told, explanation = found(case)
    assert [f"{one.code}: {one.message}" for one in told] == []
    assert all(np.isfinite(gradient).all() for gradient in explanation.gradients.values())


@pytest.mark.parametrize("case", ORDINARY, ids=lambda case: case.expression)
def test_no_finding_on_an_ordinary_expression_in_single_precision(case):
    if case.expression.startswith(("G*m1", "q1*q2", "8*pi*h", "m*c**2/")):
        pytest.skip("the constants of nature leave the range of float32")
    told, _ = found(case, dtype="float32")
    assert [f"{one.code}: {one.message}" for one in told] == []
