"""Why a second derivative is nan or infinite: told by `vjp jac --hessian`, and nothing else is."""

from __future__ import annotations

import json

import pytest

from vjpcli.rehearsal import rehearse


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ('vjp jac "norm(x)" x=0,0 --hessian',
         "∂²y/∂x[0]² is nan: the slope of norm(x) has no finite slope of its own here"),
        ('vjp jac "x**1.5" x=0 --hessian',
         "∂²y/∂x² is ∞: the slope of x**1.5 has no finite slope of its own here"),
        ('vjp jac "2*where(x > 0, x**1.5, 0)" x=0 --hessian', "the slope of x**1.5 has no finite"),
        ('vjp jac "sqrt(x)" x=0 --hessian',
         "∂²y/∂x² is -∞: x.grad is ∞ already, and vjp explain says why"),
    ],
)  # fmt: skip
def test_step_without_a_second_slope_is_named(command: str, told: str) -> None:
    done = rehearse(command)
    assert done.exit_code == 0
    assert told in done.err


@pytest.mark.parametrize("program", ["x**3", "abs(x)", "relu(x)*x", "exp(x)*sin(x)", "x"])
def test_nothing_is_said_of_finite_second_derivatives(program: str) -> None:
    assert rehearse(f'vjp jac "{program}" x=0.5 --hessian').err == ""


def test_finding_stands_in_the_document_and_is_silent_when_asked_to_be() -> None:
    done = rehearse('vjp jac "norm(x)" x=0,0 --hessian --json -q')
    assert done.err == ""
    (found,) = json.loads(done.out)["diagnostics"]
    assert (found["code"], found["leaf"], found["index"]) == ("hessian-not-finite", "x", [0])
    assert found["notes"] == ["4 of 4 second derivatives are not finite"]
    assert found["span"] == [0, 7]
