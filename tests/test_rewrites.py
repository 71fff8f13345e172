"""Rewrites: what the patterns match, and that nothing unproven is ever suggested."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from findings_of import told

from vjpcli import api
from vjpcli.errors import Fix
from vjpcli.explanation.findings.cause import CODES
from vjpcli.explanation.rewrites.match import Text, keywords, matches
from vjpcli.explanation.rewrites.patterns import EXACT, NUDGES, Row, parsed
from vjpcli.parser.expression import parse

INF = float("inf")


def fix_of(program: str, values: dict[str, Any], **options: Any) -> Fix | None:
    (found,) = told(program, set(CODES), values, **options)
    return found.fix


def bindings(pattern: str, program: str) -> list[dict[str, str]]:
    """What the variables of `pattern` stand for in the last statement of `program`."""
    text = Text.of(parse(program), "torch")
    whole = text.program.statements[-1].value
    return [dict(one) for one in matches(parsed(pattern), whole, text)]


@pytest.mark.parametrize(
    ("pattern", "program", "u"),
    [
        ("log(1 + exp(u))", "log(exp(a*b) + 1)", "a*b"),
        ("log(1 + exp(u))", "np.log(1.0 + np.exp(x))", "x"),
        ("log(1 + exp(u))", "(1 + x.exp()).log()", "x"),
        ("log(1 + exp(u))", "h = exp(x); log(1 + h)", "x"),
        ("sqrt(sum(u*u))", "torch.sqrt(torch.sum((x-1)*(x - 1)))", "x-1"),
        ("arccos(u)", "acos(x)", "x"),
    ],
)
def test_pattern_matches_every_way_of_writing(pattern: str, program: str, u: str) -> None:
    found = bindings(pattern, program)
    assert found
    assert found[0]["u"] == u


@pytest.mark.parametrize(
    ("pattern", "program"),
    [
        ("log(1 + exp(u))", "log(2 + exp(x))"),
        ("log(1 + exp(u))", "log(1 - exp(x))"),
        ("sqrt(u*u)", "sqrt(x*y)"),
        ("log(softmax(u))", "log(softmax(x, axis=0))"),
        ("u**0.5", "x**2"),
    ],
)
def test_pattern_does_not_match_something_else(pattern: str, program: str) -> None:
    assert bindings(pattern, program) == []


def test_further_arguments_are_carried_over() -> None:
    found = bindings("log(sum(exp(u), ...))", "log(sum(exp(x), axis=1, keepdims=True))")
    assert found[0]["rest"] == ", axis=1, keepdims=True"


@pytest.mark.parametrize("row", [*EXACT, *NUDGES], ids=lambda row: row.pattern)
def test_every_row_parses(row: Row) -> None:
    parsed(row.pattern)
    bound = dict.fromkeys("uvwUVW", "x")
    parsed(row.instead.replace("@", "").format(**bound, **keywords("", {}), rest="", eps="1e-12"))


@pytest.mark.parametrize("row", EXACT, ids=lambda row: f"{row.pattern} -> {row.instead}")
def test_exact_rewrites_keep_value_and_gradient(row: Row) -> None:
    values = {"x": [1.0, 2.0, 0.5], "z": [2.0, 1.0, 3.0]}
    program = re.sub(r"\bv\b", "z", re.sub(r"\b[uw]\b", "x", row.pattern.replace(", ...", "")))
    prefix = "np." if "linalg" in row.instead else ""
    bound = {"u": "x", "U": "x", "v": "z", "V": "z", "w": "x", "W": "x", "rest": ""}
    instead = row.instead.replace("@", prefix).format(**bound, **keywords(prefix, bound))
    old = api.explain(program, values, seed="ones", formulas=False, check=False)
    new = api.explain(instead, values, seed="ones", formulas=False, check=False)
    np.testing.assert_allclose(new.output.value, old.output.value, rtol=1e-9, atol=1e-15)
    for name, gradient in old.gradients.items():
        np.testing.assert_allclose(new.gradients[name], gradient, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize(
    ("program", "values", "fixed"),
    [
        ("np.log(1 + np.exp(x))", {"x": [1.0, 800.0]}, "np.logaddexp(0, x)"),
        ("3*log(1 + exp(x)) - 1", {"x": [1.0, 800.0]}, "3*logaddexp(0, x) - 1"),
        ("1/(1 + exp(-x))", {"x": [1.0, -800.0]}, "sigmoid(x)"),
        ("exp(x)/(1 + exp(x))", {"x": [1.0, 800.0]}, "sigmoid(x)"),
        ("log(sigmoid(x))", {"x": [1.0, -800.0]}, "logsigmoid(x)"),
        ("log(softmax(x))", {"x": [1000.0, 0.0]}, "log_softmax(x)"),
        ("sum(log(softmax(x, axis=1)))", {"x": [[1e3, 0.0]]}, "sum(log_softmax(x, axis=1))"),
        ("log(sum(exp(x)))", {"x": [1000.0, 0.0]}, "logsumexp(x)"),
        ("exp(x)/sum(exp(x))", {"x": [1000.0, 0.0]}, "softmax(x)"),
        ("log(cosh(x))", {"x": [1.0, 800.0]}, "logaddexp(x, -x) - log(2)"),
        ("s = sqrt(x); where(x > 0, s, 0)", {"x": [0.0, 4.0]},
         "s = sqrt(where(x > 0, x, 1)); where(x > 0, s, 0)"),
        ("where(x <= 0, 0, x.sqrt())", {"x": [0.0, 4.0]},
         "where(x <= 0, 0, where(x <= 0, 1, x).sqrt())"),
        ("where(x > 0, sqrt(x)*log(x), 0)", {"x": [0.0, 4.0]},
         "where(x > 0, sqrt(where(x > 0, x, 1))*log(where(x > 0, x, 1)), 0)"),
        ("sqrt(x*x + y*y)", {"x": 0.0, "y": 0.0}, "norm([x, y], axis=0)"),
        ("(x**2 + y**2)**0.5", {"x": 0.0, "y": 0.0}, "norm([x, y], axis=0)"),
        ("sqrt(x*x + y*y)", {"x": 1e200, "y": 1e200}, "hypot(x, y)"),
        ("torch.sqrt(x**2 + y**2)", {"x": 0.0, "y": 0.0},
         "torch.linalg.norm(torch.stack([x, y]), dim=0)"),
        ("sqrt(x**2 + y**2 + z**2)", {"x": 0.0, "y": 0.0, "z": 0.0}, "norm([x, y, z], axis=0)"),
        ("sum(x**2)**0.5", {"x": [0.0, 0.0]}, "norm(x)"),
        ("sqrt(x@x)", {"x": [0.0, 0.0]}, "norm(x)"),
        ("torch.sqrt(((a-b)**2).sum(-1))", {"a": [[0.0, 1.0]], "b": [[0.0, 1.0]]},
         "torch.linalg.norm(a-b, dim=-1)"),
        ("np.sqrt(np.sum((a-b)**2, axis=1))", {"a": [[0.0, 1.0]], "b": [[0.0, 1.0]]},
         "np.linalg.norm(a-b, axis=1)"),
        ("sqrt(var(x))", {"x": [1.0, 1.0]}, "std(x)"),
        ("sqrt(mean(x**2) - mean(x)**2)", {"x": [3.0, 3.0]}, "std(x, ddof=0)"),
        ("log(mean(exp(x)))", {"x": [1000.0, 0.0]}, "logmeanexp(x)"),
        ("log(prod(x))", {"x": [1e-200, 1e-200]}, "sum(log(x))"),
        ("log(x**2)", {"x": [1e-200, 1.0]}, "2*log(abs(x))"),
        ("log(x/y)", {"x": 1e-200, "y": 1e200}, "log(x) - log(y)"),
        ("log(1 - exp(-x))", {"x": [1e-20, 1.0]}, "log(-expm1(-x))"),
        ("exp(x)/(exp(x) + exp(y))", {"x": 1000.0, "y": 0.0}, "sigmoid(x - y)"),
        ("arctanh(tanh(x))", {"x": [200.0, 1.0]}, "x"),
        ("tanh(x)/x", {"x": [0.0, 1.0]}, "where(x != 0, tanh(x)/where(x != 0, x, 1), 1)"),
        ("(1 - cos(x))/x**2", {"x": [0.0, 1.0]},
         "where(x**2 != 0, (1 - cos(x))/where(x**2 != 0, x**2, 1), 0.5)"),
        ("abs(x)**p", {"x": [0.0, 1.0], "p": 0.5}, "(abs(x) + 1e-12)**p"),
        ("where(x != 0, sin(x)/x, 1)", {"x": [0.0, 4.0]},
         "where(x != 0, sin(x)/where(x != 0, x, 1), 1)"),
    ],
)  # fmt: skip
def test_the_most_specific_rewrite_that_proves_itself_is_shown(
    program: str, values: dict[str, Any], fixed: str
) -> None:
    fix = fix_of(program, values, seed="ones")
    assert fix is not None
    assert fix.text == fixed


def test_xlogy_is_offered_where_the_logarithm_is_only_data() -> None:
    fix = fix_of("sum(t*log(p))", {"t": [0.0, 1.0], "p": [0.0, 0.5]}, wrt=["t"])
    assert fix is not None
    assert fix.text == "sum(xlogy(t, p))"
    assert fix.says.endswith("t.grad = 0  -0.693147; y = -0.693147")


def test_hypot_is_offered_where_its_gradient_is_finite() -> None:
    fix = fix_of("sqrt(x*x + y*y)", {"x": 0.0, "y": 0.0}, like="jax")
    assert fix is not None
    assert fix.text == "hypot(x, y)"


def test_norm_without_a_slope_is_kept_from_its_root() -> None:
    fix = fix_of("norm(x - y)", {"x": [1.0, 1.0], "y": [1.0, 1.0]}, like="jax")
    assert fix is not None
    assert fix.text == "sqrt(sum((x - y)**2) + 1e-12)"


def test_same_rewrite_in_two_places_cures_both() -> None:
    program, values = "-(p*log(p) + (1-p)*log(1-p))", {"p": [1.0, 0.5, 0.0]}
    fixes = {one.fix.text for one in told(program, set(CODES), values, seed="ones") if one.fix}
    (fixed,) = fixes
    assert fixed == (
        "-(where(p > 0, p*log(where(p > 0, p, 1)), 0)"
        " + where((1-p) > 0, (1-p)*log(where((1-p) > 0, 1-p, 1)), 0))"
    )
    explanation = api.explain(fixed, values, seed="ones")
    assert np.isfinite(explanation.gradients["p"]).all()


def test_poles_are_not_cancelled_against_each_other() -> None:
    found = told("1/x - 1/x**2", set(CODES), {"x": 0.0})
    assert found
    assert all(one.fix is None for one in found)


def test_limit_along_one_leaf_stands_in_for_nothing() -> None:
    fix = fix_of("x/y", {"x": 0.0, "y": 0.0})
    assert fix is not None
    assert fix.text == "x/(y + 1e-12)"


def test_half_a_cure_says_so() -> None:
    root, domain = told("sqrt(x)", set(CODES), {"x": [0.0, -1.0]}, seed="ones")
    assert (root.code, domain.code) == ("inf-slope", "outside-domain")
    assert root.fix is not None
    assert "x.grad = 500000  nan" in root.fix.says
    assert root.fix.says.endswith("; not finite elsewhere yet")
    assert domain.fix is None


def test_rewrite_is_shown_with_the_gradient_it_gave() -> None:
    fix = fix_of("where(x > 0, sqrt(x), 0)", {"x": [0.0, 4.0]})
    assert fix is not None
    assert fix.says == "guard the input of sqrt, not only its result   → x.grad = 0  0.25"
    fixed = api.explain(fix.text, {"x": [0.0, 4.0]})
    assert fixed.gradients["x"].tolist() == [0.0, 0.25]


@pytest.mark.parametrize(
    ("program", "values"),
    [
        ("1/x", {"x": [0.0, 1.0]}),
        ("log(x)", {"x": [-1.0, 1.0]}),
        ("exp(x)", {"x": [800.0, 1.0]}),
        ("a**b", {"a": [-2.0], "b": [2.0]}),
        ("logsumexp(x)", {"x": [-INF, -INF]}),
        ("log(1 + x)/x", {"x": [0.0, 1.0]}),  # tends to 1 with slope -1/2: no eps gives that
    ],
)
def test_no_rewrite_is_invented(program: str, values: dict[str, Any]) -> None:
    assert fix_of(program, values, seed="ones") is None


def test_eps_moves_a_finite_value_only_a_little_and_says_so() -> None:
    program, values = "sqrt(x) + 1/(y - 1)", {"x": [0.0, 1.0, 4.0], "y": 3.0}
    fix = fix_of(program, values, seed="ones")
    assert fix is not None
    assert "the value moves a little, by eps = 1e-12" in fix.says
    old = api.explain(program, values, seed="ones").output.value
    new = api.explain(fix.text, values, seed="ones").output.value
    np.testing.assert_allclose(new, old, atol=2e-6)


def test_rewrite_that_moves_another_value_is_refused() -> None:
    # log(x + eps) would cure the 0, but the entry 1e-13 would move from -29.9 to -27.5.
    fix = fix_of("log(x)", {"x": [0.0, 1e-13]}, seed="ones")
    assert fix is None


def test_two_faults_at_one_entry_get_no_half_cure() -> None:
    fix = fix_of("where(x > 1, log(x), sqrt(x))", {"x": [0.0, 1.0, 4.0]}, seed="ones")
    assert fix is None
