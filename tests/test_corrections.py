"""The command after `try:` is the one that the person meant, and it works."""

from __future__ import annotations

import shlex

import numpy as np
import pytest

from vjpcli import VjpError, grad
from vjpcli.explanation.problem import Settings, pose
from vjpcli.explanation.products import tangent_product
from vjpcli.parser.values import parse_values
from vjpcli.render.diagnostic import render_diagnostic


def corrected(command: str) -> str | None:
    """The command that the error of `vjp grad <command>` proposes."""
    arguments = shlex.split(command)
    with pytest.raises(VjpError) as caught:
        run(arguments)
    fix = caught.value.diagnostic.fix
    words = None if fix is None else fix.apply(arguments)
    return None if words is None else " ".join(words)


def run(arguments: list[str]) -> dict[str, np.ndarray]:
    expression, *values = arguments
    given = parse_values(values, expression=expression)
    strict = Settings(strict=True, needs_seed=True)
    pose(expression, given, settings=strict)
    arrays = {name: one.array for name, one in given.items() if one.array is not None}
    return grad(expression, arrays)


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("sin^2(x) x=1", "sin(x)**2 x=1"),
        ("'sin^2 x' x=1", "sin(x)**2 x=1"),
        ("'sin**2 x + cos^2(x)' x=1", "sin(x)**2 + cos(x)**2 x=1"),
        ("sin^-1(x) x=0.5", "arcsin(x) x=0.5"),
        ("'tan^(-1)(x)' x=0.5", "arctan(x) x=0.5"),
        ("2sin^2(x)+x^3 x=1", "2*sin(x)**2+x**3 x=1"),
        ("e^{2x} x=1", "e**(2*x) x=1"),
        ("x^2(1+x) x=1", "x**2*(1+x) x=1"),
        ("(1+x)(1-x) x=1", "(1+x)*(1-x) x=1"),
        ("x(x+1)(x+2) x=1", "x*(x+1)*(x+2) x=1"),
        ("xy x=1 y=2", "x*y x=1 y=2"),
        ("z/xy x=1 y=2 z=3", "z/(x*y) x=1 y=2 z=3"),
        ("x+y x=1 x=2 y=1", "x+y x=1 y=1"),
        ("sum(W) W:2x3=1,2,3,4,5", "sum(W) W:5=1,2,3,4,5"),
        ("sum(W) W:2x3=1,2,3,4", "sum(W) W:2x2=1,2,3,4"),
        ("sum(W) W:2x3=1,2,3,4,5,6,7,8,9", "sum(W) W:3x3=1,2,3,4,5,6,7,8,9"),
        ("nn.ReLU(x) x=1", "nn.ReLU()(x) x=1"),
        ("'def f(x): return x' x=1", "f = lambda x: x x=1"),
    ],
)
def test_correction_is_what_was_meant(command, meant):
    assert corrected(command) == meant


@pytest.mark.parametrize("command", ["dy/dx x=1", "torch.foo(x) x=1", "x*2 x=@nowhere.npy"])
def test_nothing_is_proposed_where_nothing_can_be_told(command):
    assert corrected(command) is None


def test_missing_file_is_answered_by_one_that_differs_by_a_slip(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("weights.npy", "other.npz", "data.csv"):
        (tmp_path / name).touch()
    assert corrected("2*x x=@wieghts.npy") == "2*x x=@weights.npy"
    assert corrected("2*x x=@data.npy") == "2*x x=@data.csv"
    assert corrected("2*x x=@missing.npy") is None


def test_wrong_direction_is_said_of_the_direction():
    problem = pose("sum(W*x)", parse_values(["W=1,2", "x=3"]))
    for text in ("W=[1", "W=a"):
        with pytest.raises(VjpError) as caught:
            tangent_product(problem, [text])
        found = caught.value.diagnostic
        assert found.source is not None
        assert found.source.origin == "--tangent"
        assert found.fix is None


def test_correction_of_a_script_shows_the_lines_that_change():
    text = "y = x\nz = sin^2(x)\ny[0] = 2\nz"
    with pytest.raises(VjpError) as caught:
        grad(text, {"x": [1.0, 2.0]})
    lines = render_diagnostic(caught.value.diagnostic).splitlines()
    assert lines[-2:] == ["  try: line 2: z = sin(x)**2", "       line 3: y = y.at[0].set(2)"]
