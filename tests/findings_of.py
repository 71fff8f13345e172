"""What the findings say of a program, as the tests of findings read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vjpcli import explain
from vjpcli.errors import Diagnostic


def told(
    expression: str, codes: set[str] | str, values: Mapping[str, Any] | None = None, **options: Any
) -> list[Diagnostic]:
    """The diagnostics of these codes that explaining `expression` gives."""
    wanted = {codes} if isinstance(codes, str) else codes
    explanation = explain(
        expression, values, jacobian=False, formulas=False, check=False, **options
    )
    return [one for one in explanation.diagnostics if one.code in wanted]


def only(
    expression: str, code: str, values: Mapping[str, Any] | None = None, **options: Any
) -> Diagnostic:
    """The one diagnostic of this code; there must be exactly one."""
    (found,) = told(expression, code, values, **options)
    return found


def number(diagnostic: Diagnostic, name: str) -> float:
    """A number of the finding by its name."""
    return float(dict(diagnostic.numbers)[name])
