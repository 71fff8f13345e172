"""Slips of a shell user: each gets one Diagnostic, and what it offers to type gets further."""

from __future__ import annotations

import pytest

from vjpcli.arguments import CommandForm, arranged
from vjpcli.errors import VjpError
from vjpcli.parser.values import parse_values

FORMS = {"explain": CommandForm(("--json",), ("--seed",))}


@pytest.mark.parametrize(
    "arguments",
    [["x", "=", "3"], ["x=", "3"], ["x", "=3"], ["=", "3"], ["W:2x2=", "1,2,3,4"]],
)
def test_blanks_beside_the_equals_sign_are_named(arguments):
    with pytest.raises(VjpError) as caught:
        parse_values(arguments, expression="x*2")
    diagnostic = caught.value.diagnostic
    assert diagnostic.code == "value-form"
    assert "blank" in diagnostic.message
    assert diagnostic.fix is None


def test_names_of_files_that_the_shell_put_for_a_star_are_not_repeated():
    files = [f"file{i}.txt" for i in range(100)]
    with pytest.raises(VjpError) as caught:
        parse_values([*files, "a=1"], expression="3")
    (note,) = caught.value.diagnostic.notes
    assert "file7" not in note


def test_a_flag_that_is_given_a_value_is_corrected():
    with pytest.raises(VjpError) as caught:
        arranged(["explain", "x", "--json=true"], FORMS, CommandForm((), ()))
    diagnostic = caught.value.diagnostic
    assert diagnostic.code == "option-value"
    assert diagnostic.fix.apply(["explain", "x", "--json=true"]) == ["explain", "x", "--json"]
