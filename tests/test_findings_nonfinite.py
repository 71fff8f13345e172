"""Why a gradient is nan or infinite: the code, the element, the words, the table and the fix.

The numbered cases are questions that people asked in public about PyTorch, JAX and autograd.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from carets import marked
from findings_of import told

from vjpcli import api
from vjpcli.errors import Diagnostic
from vjpcli.explanation.findings.cause import CODES

NAN, INF = float("nan"), float("inf")


def troubles(program: str, values: dict[str, Any], **options: Any) -> list[Diagnostic]:
    """The findings about nan and infinity, and no others."""
    return told(program, set(CODES), values, **options)


def only(program: str, values: dict[str, Any], **options: Any) -> Diagnostic:
    """The one finding about nan and infinity."""
    (found,) = troubles(program, values, **options)
    return found


@dataclass(frozen=True)
class Case:
    program: str
    values: dict[str, Any]
    code: str
    leaf: str
    index: tuple[int, ...]
    marks: list[str]
    words: list[str]
    fix: str | None = None
    gives: str = ""
    options: dict[str, Any] = field(default_factory=dict)


CASES = {
    "where-log": Case(
        "where(x > 1, log(x - 1), 2*x)",
        {"x": [3.0, 1.0, 0.5]},
        "nan-untaken-branch",
        "x",
        (1,),
        ["log(x - 1)"],
        [
            "x.grad[1] is nan: a branch that was not taken (0 × ∞)",
            "x > 1 is False, so the unused branch is sent 0",
            "The value is fine (y[1] = 2); only the gradient breaks",
            "Same in PyTorch, JAX and autograd.",
        ],
        "where(x > 1, log(where(x > 1, x - 1, 1)), 2*x)",
        "→ x.grad = 0.5  2  2",
    ),
    "where-sqrt-neg": Case(
        "where(x > 0, sqrt(x), x)",
        {"x": [-2.0, -9.0]},
        "nan-untaken-branch",
        "x",
        (0,),
        ["sqrt(x)"],
        ["(0 × nan)", "2 of 2 elements of x.grad, first at [0]", "True slope at -2: 1"],
        "where(x > 0, sqrt(where(x > 0, x, 1)), x)",
        "→ x.grad = 1  1",
    ),
    "unused-row-nan": Case(
        "y = x @ w; sum(y[:1])",
        {"x": [[1.0, 2.0], [NAN, NAN]], "w": [1.0, -1.0]},
        "nan-in-input",
        "w",
        (0,),
        ["x"],
        [
            "w.grad[0] is nan: the input x[1, 0] is nan",
            "2 of 4 entries of x are nan, in row 1",
            "an adjoint of 0 does not protect: 0 × nan is nan",
            "only the gradient breaks",
        ],
        "y = where(isnan(x), 0, x) @ w; sum(y[:1])",
        "→ w.grad = 1  2",
        {"wrt": ["w"]},
    ),
    "sqrt-of-square": Case(
        "sqrt((x-1)**2)",
        {"x": [1.0, 3.0]},
        "nan-inf-times-zero",
        "x",
        (0,),
        ["sqrt((x-1)**2)", "(x-1)**2"],
        [
            "sqrt((x-1)**2) sends ∞ back, and (x-1)**2 makes nan of it (∞ × 0)",
            "1/(2·sqrt(0)) = ∞",
            "True slope at 1: -1 from the left, 1 from the right.",
            "the first ∞ is made here",
            "the first nan: ∞ × 0",
        ],
        "abs(x-1)",
        "→ x.grad = 0  1",
    ),
    "sqrt-zero-inf": Case(
        "sqrt(x)",
        {"x": [0.0, 4.0]},
        "inf-slope",
        "x",
        (0,),
        ["sqrt(x)"],
        ["x.grad[0] is ∞: sqrt(x) has an infinite slope here", "∞ from the right"],
        "sqrt(x + 1e-12)",
        "the value moves a little, by eps = 1e-12",
    ),
    "xlogx": Case(
        "-sum(p*log(p))",
        {"p": [0.0, 0.5, 0.5]},
        "zero-times-inf",
        "p",
        (0,),
        ["p*log(p)", "log(p)"],
        ["0 × (-∞) is not a number", "log(0) is -∞", "The value is not finite either (y = nan)."],
        "-sum(where(p > 0, p*log(where(p > 0, p, 1)), 0))",
        "y = 0.693147",
    ),
    "pow-neg-base": Case(
        "a**b",
        {"a": [-2.0], "b": [2.0]},
        "log-of-negative-base",
        "b",
        (0,),
        ["a**b"],
        ["a**b*log(a), and log(-2) is nan", "The value is fine (y[0] = 4)"],
    ),
    "pow-half": Case(
        "x**0.5 + x**1.5",
        {"x": [0.0, 4.0]},
        "inf-slope",
        "x",
        (0,),
        ["x**0.5"],
        ["x.grad[0] is ∞: x**0.5 has an infinite slope here"],
        "(x + 1e-12)**0.5 + x**1.5",
    ),
    "logsumexp-allneginf": Case(
        "logsumexp(x)",
        {"x": [-INF, -INF]},
        "softmax-of-infinities",
        "x",
        (0,),
        ["logsumexp(x)"],
        ["the softmax of (-∞, -∞) is undefined"],
    ),
    "softplus-naive": Case(
        "log(1 + exp(x))",
        {"x": [1.0, 800.0]},
        "overflow",
        "x",
        (1,),
        ["exp(x)"],
        ["exp(800) overflows, float64 holds numbers up to 1.8e+308"],
        "logaddexp(0, x)",
        "→ x.grad = 0.731059  1; y[1] = 800",
    ),
    "sigmoid-handmade": Case(
        "log(1/(1+exp(-x)))",
        {"x": [-1.0, -800.0]},
        "overflow",
        "x",
        (1,),
        ["exp(-x)"],
        ["exp(800) overflows", "The value is not finite either (y[1] = -∞)."],
        "logsigmoid(x)",
        "→ x.grad = 0.731059  1; y[1] = -800",
    ),
    "acos-clip": Case(
        "arccos(clip(x, -1.0, 1.0))",
        {"x": [0.5, 1.0, 2.0]},
        "inf-slope",
        "x",
        (1,),
        ["arccos(clip(x, -1.0, 1.0))"],
        ["x.grad[1] is -∞", "-1/sqrt(1 - 1**2) = -∞"],
        "arccos(clip(x, -1 + 1e-12, 1 - 1e-12))",
    ),
    "zero-seed-nan": Case(
        "sqrt(x)",
        {"x": [0.0, 4.0]},
        "nan-zero-seed",
        "x",
        (0,),
        ["sqrt(x)"],
        [
            "a seed of 0 does not switch an infinite slope off (0 × ∞)",
            "the seed is 0 here",
            "Same in PyTorch, JAX and autograd.",
        ],
        "sqrt(x + 1e-12)",
        "→ x.grad = 0  0.25",
        {"seed": [0.0, 1.0]},
    ),
    "sinc-handmade": Case(
        "sin(x)/x",
        {"x": [0.0, 1.0]},
        "zero-over-zero",
        "x",
        (0,),
        ["sin(x)/x"],
        ["0/0 is not a number", "On both sides of it the value tends to 1, with slope 0."],
        "sinc(x/pi)",
        "→ x.grad = 0  -0.301169; y[0] = 1",
    ),
    "anomaly-context": Case(
        "log(x) * x",
        {"x": [0.0, 1.0]},
        "zero-times-inf",
        "x",
        (0,),
        ["log(x) * x", "log(x)"],
        ["(-∞) × 0 is not a number; log(0) is -∞"],
        "where(x > 0, x*log(where(x > 0, x, 1)), 0)",
        "→ x.grad = 0  1",
    ),
    "norm-squared-zero": Case(
        "norm(x)**2",
        {"x": [0.0, 0.0]},
        "nan-zero-times-inf",
        "x",
        (0,),
        ["norm(x)"],
        ["the slope of norm(x)**2 is 0 here"],
        "sum(x*x)",
        "→ x.grad = 0  0",
        {"like": "jax"},
    ),
    "mask": Case(
        "sum(m*log(x))",
        {"m": [0.0, 1.0], "x": [0.0, 4.0]},
        "nan-masking",
        "x",
        (0,),
        ["m*log(x)", "log(x)"],
        ["masking by multiplication does not protect the gradient", "the factor m is 0"],
        "sum(where(m != 0, m*log(where(m != 0, x, 1)), 0))",
        "→ x.grad = 0  0.25",
        {"wrt": ["x"]},
    ),
    "times-zero": Case(
        "sqrt(x)*0",
        {"x": [0.0, 4.0]},
        "nan-masking",
        "x",
        (0,),
        ["sqrt(x)*0", "sqrt(x)"],
        ["the factor is 0, so sqrt(x) is sent 0", "only the gradient breaks"],
        "sqrt(x + 1e-12)*0",
    ),
    "root-of-sum-of-squares": Case(
        "sqrt(sum(v*v))",
        {"v": [0.0, 0.0]},
        "nan-inf-times-zero",
        "v",
        (0,),
        ["sqrt(sum(v*v))", "v*v"],
        ["2 of 2 elements of v.grad, first at [0]"],
        "norm(v)",
        "→ v.grad = 0  0",
    ),
    "negative-logarithm": Case(
        "log(x)",
        {"x": [-1.0]},
        "outside-domain",
        "x",
        (0,),
        ["log(x)"],
        ["y[0] is nan: log(-1) is not a real number"],
    ),
    "pole": Case(
        "1/x",
        {"x": [0.0, 1.0]},
        "division-by-zero",
        "x",
        (0,),
        ["1/x"],
        ["x.grad[0] is -∞: 1/0 is ∞"],
    ),
    "edge": Case(
        "arctanh(x)",
        {"x": [1.0, 0.5]},
        "edge-of-domain",
        "x",
        (0,),
        ["arctanh(x)"],
        ["arctanh(1) is ∞"],
        "arctanh(clip(x, -1 + 1e-12, 1 - 1e-12))",
    ),
    "infinite-data": Case(
        "x - x",
        {"x": [INF, 1.0]},
        "inf-in-input",
        "x",
        (0,),
        ["x", "x - x"],
        ["y[0] is nan: the input x[0] is ∞", "∞ - ∞ is not a number"],
    ),
    "one-element-std": Case(
        "std(x)",
        {"x": [4.0]},
        "one-element-std",
        "x",
        (0,),
        ["std(x)"],
        ["std of 1 element with ddof=1 divides by 1 - 1 = 0"],
    ),
    "equal-eigenvalues": Case(
        "sum(eigh(A)[1])",
        {"A": [[2.0, 0.0], [0.0, 2.0]]},
        "repeated-eigenvalues",
        "A",
        (0, 0),
        ["eigh(A)"],
        ["eigh(A) has equal eigenvalues", "divide by the gaps between eigenvalues"],
    ),
    "singular": Case(
        "sum(inv(A))",
        {"A": [[1.0, 2.0], [2.0, 4.0]]},
        "singular-matrix",
        "A",
        (0, 0),
        ["inv(A)"],
        ["the matrix of inv(A) is singular"],
    ),
    "unread-entry": Case(
        "sqrt(x)[1:]",
        {"x": [0.0, 1.0, 4.0]},
        "nan-zero-times-inf",
        "x",
        (0,),
        ["sqrt(x)"],
        ["sqrt(x)[1:] does not read this entry, so it is sent 0"],
        "sqrt(x + 1e-12)[1:]",
    ),
    "product-overflows": Case(
        "(x-1)*1e200*1e200",
        {"x": [1.0, 1.0]},
        "overflow-backward",
        "x",
        (0,),
        ["(x-1)*1e200"],
        ["1e+200 × 1e+200 is ∞ in float64"],
    ),
    "float32-overflow": Case(
        "exp(x)",
        {"x": [100.0, 1.0]},
        "overflow",
        "x",
        (0,),
        ["exp(x)"],
        ["float32 holds numbers up to 3.4e+38"],
        options={"dtype": "float32"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_cause_is_told_apart_and_told_once(name: str) -> None:
    case = CASES[name]
    found = only(case.program, case.values, **case.options)
    assert (found.code, found.leaf, found.index) == (case.code, case.leaf, case.index)
    assert found.severity == "warning"
    assert marked(found) == case.marks
    told = "\n".join([found.message, *found.notes, *(label.text for label in found.labels)])
    for words in case.words:
        assert words in told or any(words in (row.slope_text, row.words) for row in found.trail), (
            told
        )


@pytest.mark.parametrize("name", CASES)
def test_fix_is_the_expected_one(name: str) -> None:
    case = CASES[name]
    fix = only(case.program, case.values, **case.options).fix
    assert (None if fix is None else fix.text) == case.fix
    if fix is not None:
        assert fix.replaces == case.program
        assert case.gives in fix.says


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.fix])
def test_fix_gives_a_finite_gradient_when_it_is_run(name: str) -> None:
    case = CASES[name]
    assert case.fix is not None
    fixed = api.explain(case.fix, case.values, formulas=False, check=False, **case.options)
    assert np.isfinite(fixed.gradients[case.leaf][case.index])


FINE = {
    "norm-at-zero": ("norm(x)**2", {"x": [0.0, 0.0]}, {}),
    "normalised": ("a / maximum(sum(abs(a)), 1e-12)", {"a": [0.0, 0.0, 0.25]}, {"seed": "ones"}),
    "power-of-zero": ("a**b", {"a": [0.0, 3.0], "b": [2.0, 2.0]}, {"seed": "ones"}),
    "zero-to-the-zero": ("a**b", {"a": [0.0], "b": [0.0]}, {}),
    "constant-std": ("std(x, ddof=1)", {"x": [2.0, 2.0, 2.0]}, {}),
    "one-minus-infinity": ("logsumexp(x)", {"x": [-INF, 1.0, 1.0]}, {}),
    "product-with-zero": ("prod(x)", {"x": [3.0, 0.0, 5.0]}, {}),
    "running-product": ("cumprod(x)", {"x": [3.0, 0.0, 2.0, 5.0]}, {"seed": "ones"}),
    "singular-determinant": ("det(A)", {"A": [[1.0, 3.0], [2.0, 6.0]]}, {}),
    "norm": ("norm(x)", {"x": [0.0, 0.0]}, {}),
    "regression": ("mean((w*x - t)**2)", {"w": 0.5, "x": [1.0, 2.0], "t": [2.0, 4.0]}, {}),
    "cross-entropy": ("-log_softmax(x)[0]", {"x": [1.0, 900.0, 3.0]}, {}),
    "softplus": ("logaddexp(0, x)", {"x": [1.0, 800.0, -800.0]}, {"seed": "ones"}),
    "double-where": ("where(x > 0, sqrt(where(x > 0, x, 1)), 0)", {"x": [0.0, 4.0]}, {}),
    "masked-away": ("where(isnan(x), 0, 2)*w", {"x": [NAN, 1.0], "w": [1.0, 2.0]}, {}),
}


@pytest.mark.parametrize("name", FINE)
def test_nothing_is_said_of_finite_numbers(name: str) -> None:
    program, values, options = FINE[name]
    assert troubles(program, values, **options) == []


def test_table_of_an_untaken_branch_has_the_rows_of_the_walk() -> None:
    where, root = only("where(x > 0, sqrt(x), 0)", {"x": [0.0, 4.0]}).trail
    assert where.text == "where(…)"
    assert (where.value, where.slope_text, where.adjoint_in) == (0.0, "0", 1.0)
    assert where.adjoint_out_text == "0"
    assert where.words == "x > 0 is False, so the unused branch is sent 0"
    assert root.text == "sqrt(x)"
    assert (root.value, root.slope_text, root.adjoint_in) == (0.0, "1/(2·sqrt(0)) = ∞", 0.0)
    assert root.adjoint_out_text == "0 × ∞ = nan"
    assert root.words == "0 × ∞ is not a number"


def test_numbers_of_a_finding_are_those_at_the_birth() -> None:
    numbers = dict(only("where(x > 0, sqrt(x), 0)", {"x": [0.0, 4.0]}).numbers)
    assert numbers["value"] == 0.0
    assert numbers["slope"] == INF
    assert numbers["adjoint in"] == 0.0
    assert np.isnan(numbers["adjoint out"])


def test_both_the_first_infinity_and_the_first_nan_are_shown() -> None:
    root, power = only("sqrt((x-1)**2)", {"x": [1.0, 3.0]}).trail
    assert (root.text, root.adjoint_out_text) == ("sqrt((x-1)**2)", "1 × ∞ = ∞")
    assert (power.text, power.adjoint_out_text) == ("(x-1)**2", "∞ × 0 = nan")


def test_true_slopes_are_those_from_each_side() -> None:
    notes = only("where(x > 0, sqrt(x), 0)", {"x": [0.0, 4.0]}).notes
    assert "True slope at 0: 0 from the left, ∞ from the right." in notes


def test_many_elements_are_one_finding_with_a_count() -> None:
    x = np.ones((20, 20))
    x[0, 7] = x[7, 17] = x[15, 7] = 0.0
    found = only("log(x)", {"x": x})
    assert found.index == (0, 7)
    assert "3 of 400 elements of x.grad, first at [0, 7]" in found.notes
    assert found.fix is not None
    assert "all 400 elements are finite" in found.fix.says


def test_copies_made_by_broadcasting_count_once() -> None:
    found = only("sum(sqrt(x)*w)", {"x": [[0.0], [4.0]], "w": [1.0, 2.0, 3.0]}, wrt=["x"])
    assert found.index == (0, 0)
    assert not any("elements of" in note for note in found.notes)


def test_causes_that_meet_at_one_operation_are_kept_apart() -> None:
    found = troubles("log(x)", {"x": [-1.0, 0.0, NAN, 2.0, -3.0]})
    assert {one.code: one.index for one in found} == {
        "log-of-zero": (1,),
        "nan-in-input": (2,),
        "outside-domain": (0,),
    }


def test_each_leaf_has_its_own_cause() -> None:
    found = troubles("sqrt(x) + log(y)", {"x": [0.0, 4.0], "y": [0.0, 1.0]})
    assert [(one.code, one.leaf) for one in found] == [("inf-slope", "x"), ("log-of-zero", "y")]


def test_leaves_with_one_cause_share_a_finding() -> None:
    found = only("sqrt(a**2 + b**2)", {"a": [0.0, 3.0], "b": [0.0, 4.0]})
    assert "the same spoils b.grad" in found.notes


def test_nan_is_not_blamed_on_what_it_passed_through() -> None:
    found = only("h = log(x); k = h*2 + 1; mean(exp(k)*k)", {"x": [-1.0, 2.0]})
    assert marked(found) == ["log(x)"]
    assert found.code == "outside-domain"


def test_infinity_is_followed_through_a_rearrangement() -> None:
    found = only("y = reshape(sqrt(x), (2, 2)).T; sum(y[1])", {"x": [1.0, 0.0, 4.0, 9.0]})
    assert (found.index, marked(found)) == ((1,), ["sqrt(x)"])


def test_a_broken_seed_is_told_alone() -> None:
    found = only("sqrt(x)", {"x": [0.0, 4.0]}, seed=[1.0, NAN])
    assert (found.code, found.index) == ("nan-in-seed", (1,))


def test_given_infinity_that_comes_out_again_is_only_a_note() -> None:
    found = only("logaddexp(x, y)", {"x": [INF], "y": [1.0]})
    assert (found.code, found.severity) == ("inf-in-input", "note")


def test_reduction_over_nothing_is_named() -> None:
    found = only("mean(x)", {"x": np.zeros(0)})
    assert found.code == "empty-reduction-nan"
    assert marked(found) == ["mean(x)"]


def test_large_arrays_and_long_programs_are_diagnosed() -> None:
    x = np.arange(1_000_000.0)
    assert only("sum(where(x > 0, sqrt(x), 0))", {"x": x}).code == "nan-untaken-branch"
    program = "y = x\n" + "y = y + 1\n" * 5_000 + "log(y - 5001)"
    assert only(program, {"x": [1.0, 2.0]}).code == "log-of-zero"


@pytest.mark.parametrize(
    ("expression", "value", "words"),
    [
        ("kv(2, x)", 0.0, "kv(2, 0) is ∞"),
        ("scipy.special.kv(2, 1 - x)", 1.0, "kv(2, 0) is ∞"),
        ("polygamma(1, x)", 0.0, "polygamma(1, 0) is ∞"),
        ("ellipk(x)", 1.0, "ellipk(1) is ∞"),
        ("exp1(x)", 0.0, "exp1(0) is ∞"),
        ("np.log(x)", 0.0, "log(0) is -∞"),
        ("x.log()", 0.0, "log(0) is -∞"),
        ("factorial(x)", 171.0, "gamma(172) overflows"),
    ],
)
def test_a_failing_call_is_written_as_the_user_wrote_it(expression, value, words):
    found = only(expression, {"x": value})
    assert words in found.message


def test_a_slope_that_grows_like_a_small_logarithm_is_infinite():
    found = only("0.3*entr(x)", {"x": 0.0})
    assert "True slope at 0: none from the left, ∞ from the right." in found.notes


def test_a_constant_without_a_place_of_its_own_is_said_to_stand_in_the_call():
    found = only("softmax(where(m, x, -inf))", {"x": [1.0, 2], "m": [0, 0]}, wrt=["x"], seed=[1, 0])
    assert "a constant in where(m, x, -inf) is -∞" in found.message


@pytest.mark.parametrize(
    "program",
    [
        "MultivariateNormal(zeros(3), C).log_prob(ones(3))",
        "MultivariateNormal(zeros(3), C).entropy()",
        "MultivariateNormal(zeros(3), precision_matrix=C).log_prob(ones(3))",
        "MultivariateNormal(zeros(3), precision_matrix=C).entropy()",
        "scipy.stats.multivariate_normal.logpdf(ones(3), zeros(3), C)",
    ],
)
def test_an_indefinite_covariance_is_no_density_though_its_determinant_is_positive(program):
    found = only(program, {"C": np.diag([1.0, -1, -1])})
    assert found.code == "outside-domain"
    assert "is not positive definite" in found.message
