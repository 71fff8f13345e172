"""`vjp check`: it passes what is right, catches what is wrong, and says which is which."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from rule_cases import RuleCase, cases, gradients, rng_for, value

from vjpcli import VjpError, check, cli, explain
from vjpcli.errors import Diagnostic, Source
from vjpcli.explanation.comparing import Referee
from vjpcli.explanation.findings.groups import GROUPS, groups_of
from vjpcli.explanation.methods import report
from vjpcli.explanation.model import Input, Output
from vjpcli.explanation.problem import Problem, Settings
from vjpcli.explanation.verify import exit_code
from vjpcli.graph.operation import OPERATIONS, Operation
from vjpcli.graph.trace import Trace
from vjpcli.parser.syntax import Program
from vjpcli.render.check import check_document, render_check

SCHEMA = json.loads((Path(__file__).parent.parent / "docs/vjp-1.schema.json").read_text())
WITHOUT_LIBRARIES = ["differences", "complex-step", "sympy"]


def checked(expression, values, **options):
    return check(expression, values, methods=WITHOUT_LIBRARIES, **options)


def by_method(found, method):
    (one,) = (one for one in found.methods if one.method == method and not one.about)
    return one


def leaf_of(found, method="differences", leaf="x"):
    (one,) = (one for one in by_method(found, method).leaves if one.leaf == leaf)
    return one


def run(capsys, *arguments):
    """Exit code, stdout and stderr of a command line, on a screen without a width."""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as caught:
        patch.delenv("COLUMNS", raising=False)
        cli.main(list(arguments))
    captured = capsys.readouterr()
    return caught.value.code, captured.out, captured.err


# Every rule: passes when intact, is caught when broken.


def problem_of(case: RuleCase) -> Problem:
    """The case as a question, without a program text."""
    program = Program(Source(str(case)))
    return Problem(
        program=program,
        settings=Settings(),
        trace=Trace(case.graph, "y", (), ()),
        inputs={name: Input(name, np.asarray(array)) for name, array in case.values.items()},
        leaves=tuple(case.values),
        graph=case.graph,
        outputs=(Output("y", value(case, case.values)),),
        passes=(),
    )


def verdict_of(case: RuleCase, found, method="differences"):
    return report(method, Referee(problem_of(case), found, {"y": seed_of(case)}))


def seed_of(case: RuleCase):
    return rng_for(case, "seed").uniform(0.5, 1.5, size=case.output.shape)


def uses(case, operation):
    return any(node.operation is operation for node in case.graph.nodes)


def small_cases():
    """The cases of each operation, small ones first; flat operations have nothing to check."""
    found = {}
    for case in cases():
        if case.operation.flat or case.output.size == 0:
            continue
        if any(np.isnan(array).any() for array in case.values.values()):
            continue
        found.setdefault((case.operation.name, case.result), []).append(case)
    inner = {node.operation for case in cases() for node in case.graph.nodes}
    for operation in inner - {one[0].operation for one in found.values()}:
        if operation.rules and not operation.flat:  # a part of others, with no sample of its own
            found[operation.name, 0] = [c for c in cases() if uses(c, operation)]
    for one in found.values():
        one.sort(key=lambda case: case.output.size * sum(v.size for v in case.values.values()))
    return found


CASES = small_cases()


@pytest.mark.parametrize("one", [c[0] for c in CASES.values()], ids=str)
def test_an_intact_rule_passes(one):
    found = gradients(one, seed_of(one))
    made = verdict_of(one, found)
    assert made.verdict == "agrees"
    assert all(not leaf.uncertain and not leaf.not_finite for leaf in made.leaves)
    exact = verdict_of(one, found, "complex-step")
    assert exact.verdict in ("agrees", None)
    assert exact.verdict or exact.reason


def flipped(parts):
    return tuple(None if part is None else -part for part in parts)


def scaled(parts):
    return tuple(None if part is None else part * 1.1 for part in parts)


def swapped(parts):
    return parts[::-1]


def broken(rule, change):
    def wrong(*arguments, **static):
        result = rule(*arguments, **static)
        parts = change(result if isinstance(result, tuple) else (result,))
        return parts if isinstance(result, tuple) else parts[0]

    return wrong


def case_that_shows(operation, several, change, monkeypatch):
    """The first case in which the broken rule gives another gradient, and that gradient."""
    for case in several:
        right = gradients(case, seed_of(case))
        with monkeypatch.context() as patch:
            patch.setitem(operation.rules, "torch", broken(operation.rules["torch"], change))
            try:
                wrong = gradients(case, seed_of(case))
            except (VjpError, ValueError, AttributeError, IndexError):
                continue  # swapped contributions do not even fit their operands
        if any(not np.allclose(wrong[n], right[n], rtol=1e-3, atol=1e-9) for n in right):
            return case, wrong
    return None


WITH_RULES = [
    (OPERATIONS[name], several) for (name, _), several in CASES.items() if OPERATIONS[name].rules
]


def names_of(one):
    return one.name if isinstance(one, Operation) else ""


@pytest.mark.parametrize("change", [flipped, scaled])
@pytest.mark.parametrize(("operation", "several"), WITH_RULES, ids=names_of)
def test_a_broken_rule_fails(operation, several, change, monkeypatch):
    shown = case_that_shows(operation, several, change, monkeypatch)
    assert shown is not None, "no case of the operation has a gradient"
    case, wrong = shown
    made = verdict_of(case, wrong)
    assert made.verdict == "disagrees"
    worst = next(leaf for leaf in made.leaves if leaf.verdict == "disagrees")
    assert worst.got != worst.expected


SEVERAL_OPERANDS = [one for one in WITH_RULES if len(one[1][0].output.operands) > 1]


@pytest.mark.parametrize(("operation", "several"), SEVERAL_OPERANDS, ids=names_of)
def test_swapped_contributions_fail(operation, several, monkeypatch):
    shown = case_that_shows(operation, several, swapped, monkeypatch)
    if shown is None:
        return  # the operands' contributions are the same, or do not fit each other's shape
    assert verdict_of(*shown).verdict == "disagrees"


def test_every_operation_with_a_slope_is_covered():
    covered = {operation.name for operation, _ in WITH_RULES}
    made = {
        name
        for name, operation in OPERATIONS.items()
        if operation.rules and operation.samples and not operation.flat
    }
    assert made <= covered


def test_a_broken_rule_fails_on_the_command_line(monkeypatch, capsys):
    operation = OPERATIONS["exp"]
    monkeypatch.setitem(operation.rules, "torch", broken(operation.rules["torch"], scaled))
    code, out, _ = run(capsys, "check", "sum(exp(x))", "x=0,1", "--with", "differences")
    assert code == 1
    assert "x disagrees in 2 of 2 entries" in out
    assert "at x[0]: the gradient is 1.1, expected 1" in out


# Not fooled.


@pytest.mark.parametrize(
    ("expression", "x", "says"),
    [
        ("relu(x)", 0.0, "x: a kink: equals the left slope, 0"),
        ("abs(x)", 0.0, "x: between the one-sided slopes -1 and 1: a kink; used 0"),
        ("maximum(x, 0)", 0.0, "x: between the one-sided slopes 0 and 1: a kink; used 0.5"),
        ("floor(x)", 3.0, "x: a kink: equals the right slope, 0"),
    ],
)
def test_any_slope_of_the_valid_interval_is_accepted_at_a_kink(expression, x, says):
    found = checked(expression, {"x": x})
    assert found.verdict == "agrees"
    assert leaf_of(found).at_kinks == 1
    assert leaf_of(found).says == (says,)


def test_a_slope_outside_of_the_interval_is_refused_at_a_kink():
    found = checked("relu(x)", {"x": 0.0}, expect={"x": 1.5})
    assert found.verdict == "disagrees"
    assert checked("relu(x)", {"x": 0.0}, expect={"x": 0.7}).verdict == "agrees"


def test_a_function_jumps_without_being_called_wrong():
    assert checked("sign(x)", {"x": 0.0}).verdict == "agrees"
    assert checked("where(x == 2, 10*x, x)", {"x": [1.0, 2.0]}, seed="ones").verdict == "agrees"


@pytest.mark.parametrize(
    ("expression", "x"),
    [
        ("abs(x)", 1e-6),
        ("relu(x - 1)", 1 + 1e-9),
        ("log(x)", 1e-9),
        ("sin(1000000*x)", 0.3),
        ("round(1000*x)/1000", 0.3),
        ("sqrt(x)", 1e-12),
        ("where(isclose(x, 1), x**2, x)", 1 + 1e-9),
    ],
)
def test_what_is_not_smooth_at_the_first_step_is_measured_with_smaller_ones(expression, x):
    assert checked(expression, {"x": x}).verdict == "agrees"


@pytest.mark.parametrize("method", ["differences", "complex-step"])
def test_nan_is_never_agreement(method):
    found = checked("sum(sqrt(x*x))", {"x": [0.0, 1.0]})
    assert np.isnan(found.gradients["x"][0])
    assert leaf_of(found, method).verdict == "disagrees"
    assert exit_code(found) == 1


def test_two_numbers_that_are_not_finite_are_not_compared():
    found = checked("sqrt(x)", {"x": 0.0})
    assert leaf_of(found).not_finite == 1
    assert leaf_of(found).verdict == "undecided"
    assert found.verdict == "undecided"
    assert exit_code(found) == 1


def test_nan_on_both_sides_is_named_in_a_claim():
    found = checked("sum(sqrt(x*x))", {"x": [0.0, 1.0]}, expect={"x": [np.nan, 1.0]})
    (claim,) = found.claims
    assert not claim.agrees
    assert claim.not_finite == 1
    assert claim.hints == ("1 entry is not finite in both, which is no agreement",)


def test_float32_rounding_is_not_called_wrong():
    values = {"x": np.linspace(-3, 3, 40)}
    found = checked("sum(softmax(x) * x) + sum(1e4 + x) - sum(1e4 - x)", values, dtype="float32")
    assert found.verdict == "agrees"


def test_cancelled_adjoints_agree_with_zero():
    assert checked("softmax(x)", {"x": [1.0, 2.0, 3.0]}, seed="ones").verdict == "agrees"


def test_what_is_stopped_does_not_move_in_the_check():
    found = checked("sum(x * stop_gradient(x))", {"x": [2.0, 3.0]})
    assert found.verdict == "agrees"
    assert leaf_of(found, "sympy").verdict == "agrees"


def test_many_entries_are_compared_along_a_direction():
    values = {"x": np.linspace(0.1, 2, 100_000)}
    found = check("sum(log(x) * x)", values, methods=["differences", "complex-step"])
    assert found.verdict == "agrees"
    assert by_method(found, "differences").evaluations < 50
    assert leaf_of(found).index is None


def test_the_seed_that_a_loss_implies_is_checked_as_well(monkeypatch):
    values = {"x": [1.0, 2.0]}
    assert checked("y = 3*x", values, loss="sum(exp(y))").verdict == "agrees"
    operation = OPERATIONS["exp"]
    monkeypatch.setitem(operation.rules, "torch", broken(operation.rules["torch"], scaled))
    found = checked("y = 3*x", values, loss="sum(exp(y))")
    wrong = {(one.method, one.about) for one in found.methods if one.verdict == "disagrees"}
    assert ("differences", "the seed") in wrong
    assert ("differences", "") not in wrong


# SymPy and the complex step say when they do not apply.


def test_sympy_leaves_large_formulas_alone():
    program = "; ".join(["y = x"] + ["y = y*(1 - y)"] * 40)
    found = check(program, {"x": 0.1}, methods=["sympy"])
    assert by_method(found, "sympy").verdict is None
    assert by_method(found, "sympy").reason == "too large for formulas"
    assert found.verdict == "undecided"
    assert exit_code(found) == 0


def test_the_complex_step_names_what_is_not_analytic():
    found = check("sum(abs(x))", {"x": [1.0, -2.0]}, methods=["complex-step"])
    assert by_method(found, "complex-step").reason == "abs is not computed for complex numbers"


# Claims.

QUESTION = ("3*a + 2*b*b + log(c)", {"a": [1, 2, 3], "b": [3, 4, 5], "c": [6, 7, 8]})


def claim_about(expression, values, expect, **options):
    (claim,) = check(expression, values, methods=["differences"], expect=expect, **options).claims
    return claim


def test_a_right_claim_agrees():
    claim = claim_about(*QUESTION, {"b": [1.2, 16, 0.002]}, seed=[0.1, 1, 0.0001])
    assert claim.agrees
    assert claim.hints == ()


@pytest.mark.parametrize(
    ("claimed", "hint"),
    [
        ([2.4, 32, 0.004], "yours is 2 times the gradient"),
        ([3.6, 48, 0.006], "yours is 3 times the gradient: sum or mean over 3 entries?"),
        (
            [0.4, 16 / 3, 0.002 / 3],
            "yours is 1/3 of the gradient: mean or sum? 3 entries are averaged",
        ),
        ([-1.2, -16, -0.002], "yours has the opposite sign"),
        ([-1.2, 16, 0.002], "1 of 3 entries have the opposite sign"),
        ([12, 16, 20], "yours is the gradient for --seed ones: the seed is missing"),
        ([0, 0, 0], "yours is 0 everywhere"),
        ([0.3, 3, 0.0003], "yours is the gradient of a"),
        ([1.2003, 16, 0.002], "equal to 3 significant digits or so; --rtol 1e-3 accepts that"),
        (
            [[1.2], [16], [0.002]],
            "yours is (3, 1), the leaf is (3,): reshape it, and it is right",
        ),
        ([1.2, 16], "yours is (2,), the leaf is (3,)"),
        (
            [[1.2, 16, 0.002], [0, 0, 0]],
            "yours is (2, 3), the leaf is (3,): sum over axis 0, and it is right",
        ),
    ],
)
def test_a_wrong_claim_is_told_what_would_make_it_right(claimed, hint):
    claim = claim_about(*QUESTION, {"b": claimed}, seed=[0.1, 1, 0.0001])
    assert not claim.agrees
    assert claim.hints == (hint,)


def test_a_transposed_claim_is_recognised():
    values = {"W": [[1.0, 2.0], [3.0, 4.0]], "x": [1.0, 5.0]}
    claim = claim_about("sum((W @ x)**2)", values, {"W": [[22, 46], [110, 230]]})
    assert claim.hints == ("yours is the transpose",)


def test_claims_are_read_from_a_file(tmp_path, capsys):
    np.savez(tmp_path / "mine.npz", **{"b": [4.0], "loss": 3.0})
    arguments = ["check", "sum(b**2)", "b=[2]", "--with", "differences"]
    code, out, _ = run(capsys, *arguments, "--expect", f"@{tmp_path / 'mine.npz'}")
    assert code == 0
    assert "yours: b agrees" in out


# The command line.


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["sum(x)"], "missing-value"),
        (["x**2", "x=1,2"], "seed-needed"),
        (["x**2", "x=1,2", "--seed", "each"], "check-each"),
        (["sum(x)", "x=1,2", "--with", "toch"], "method-name"),
        (["sum(x)", "x=1,2", "--expect", "y=1,1"], "expect-leaf"),
        (["sum(x)", "x=1,2", "--rtol", "-1"], "rtol-value"),
        (["pi*2"], "no-leaves"),
    ],
)
def test_bad_input_is_one_diagnostic(arguments, code, capsys):
    status, out, err = run(capsys, "check", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"error[{code}]")
    assert err.count("error[") == 1


def test_the_screen_has_a_line_for_each_method_and_leaf():
    found = checked("sum(x**2) + sum(abs(z))", {"x": [1.0, 2.0], "z": [1.0]})
    lines = render_check(found).splitlines()
    assert lines[0].startswith("✓ central differences: x agrees, worst relative error")
    assert lines[1].startswith("✓ central differences: z agrees, worst relative error")
    assert "– complex step: not available: abs is not computed for complex numbers" in lines
    assert lines[-1] == "✓ agrees: the gradient is confirmed by 2 methods"


@pytest.mark.parametrize("width", [24, 60, 80])
def test_no_line_is_wider_than_the_screen(width):
    found = checked("relu(x)", {"x": [0.0, 1.0]}, seed="ones", expect={"x": [0.5, 2.0]})
    lines = render_check(found, width=width).splitlines()
    assert max(map(len, lines)) <= width


def test_json_follows_the_schema():
    found = checked("sqrt(x)", {"x": [0.0, 4.0]}, seed="ones", expect={"x": [1.0, 0.25]})
    document = json.loads(json.dumps(check_document(found), allow_nan=False))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert document["check"]["verdict"] == "disagrees"
    assert document["gradients"]["x"] == ["Infinity", 0.25]


def test_fail_on_gives_one_where_something_of_the_group_was_found(capsys):
    nan = ["explain", "sqrt(x*x)", "x=0", "--no-formulas"]
    assert run(capsys, *nan)[0] == 0
    assert run(capsys, *nan, "--fail-on", "inf,nan")[0] == 1
    assert run(capsys, *nan, "--fail-on", "broadcast")[0] == 0
    assert run(capsys, "explain", "x**2", "x=1", "--fail-on", "any", "--no-formulas")[0] == 0
    status, _, err = run(capsys, "explain", "x**2", "x=1", "--fail-on", "nanny")
    assert status == 2
    assert "did you mean nan?" in err


def test_fail_on_check_needs_the_check(monkeypatch, capsys):
    operation = OPERATIONS["exp"]
    command = ["explain", "exp(x)", "x=1", "--no-formulas", "--fail-on", "check"]
    assert run(capsys, *command)[0] == 0
    monkeypatch.setitem(operation.rules, "torch", broken(operation.rules["torch"], flipped))
    status, out, _ = run(capsys, *command, "-q")
    assert status == 1
    assert "disagrees with central differences" in out
    assert len(out.splitlines()) == 1
    assert run(capsys, *command, "--no-check")[0] == 2


def test_quiet_prints_nothing_when_nothing_was_found(capsys):
    assert run(capsys, "explain", "x**2", "x=1", "-q", "--no-formulas") == (0, "", "")


@pytest.mark.parametrize(
    ("code", "groups"),
    [
        ("nan-untaken-branch", {"nan"}),
        ("inf-slope", {"inf"}),
        ("inf-minus-inf", {"nan"}),
        ("overflow-backward", {"inf"}),
        ("kink-composed", {"kink"}),
        ("gradient-saturated", {"zero"}),
        ("leaf-unused", {"zero"}),
        ("broadcast-pairs", {"broadcast"}),
        ("stand-in", set()),
        ("a-code-of-tomorrow", set()),
    ],
)
def test_findings_belong_to_groups_by_their_codes(code, groups):
    assert groups_of(Diagnostic(code, "...")) == groups
    assert groups <= set(GROUPS)


# Other libraries, where they are installed.

PROGRAMS = [
    ("3*a + 2*b*b + log(c)", {"a": [1, 2, 3], "b": [3, 4, 5], "c": [6, 7, 8]}, [0.1, 1, 0.0001]),
    ("y = W @ x + b; loss = (y**2).sum()", {"W": [[1, 2], [3, 4]], "x": [1, -1], "b": [0, 1]}, 1.0),
    ("x.sum(dim=1, keepdim=True).mean()", {"x": [[1, 2], [3, 4]]}, 1.0),
    ("std(x) + np.std(x)", {"x": [1, 2, 4]}, 1.0),
    ("sum(x[x > 1] * [1, 2])", {"x": [1, 2, 3]}, 1.0),
    ("sum([x[0], x[1]**2, 3.0])", {"x": [1, 2, 3]}, 1.0),
    ("x.view(2, 2).T", {"x": [1, 2, 3, 4]}, [[1, 2], [3, 4]]),
    ("sum(where(x > 1, x * x, 0)) / x.shape[0]", {"x": [1, 2, 3]}, 1.0),
    ("np.sum(np.exp(x), axis=0)", {"x": [[1, 2], [3, 4]]}, [1.0, 2.0]),
    ("a, b = x; a * b", {"x": [2, 5]}, 1.0),
    ("sum(stack([x, 2*x], dim=1)[:, 1])", {"x": [2, 5]}, 1.0),
    ("logsumexp(x)", {"x": [2, 5]}, 1.0),
]

LIBRARIES = ("torch", "jax", "autograd")


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program[0])
def test_another_library_runs_the_users_own_program(program, library):
    pytest.importorskip(library)
    expression, values, seed = program
    found = check(expression, values, seed=seed, methods=[library])
    made = by_method(found, library)
    assert made.verdict == "agrees", made.reason
    assert {leaf.leaf for leaf in made.leaves} == set(values)


@pytest.mark.parametrize("library", LIBRARIES)
def test_another_library_catches_a_broken_rule(library, monkeypatch):
    pytest.importorskip(library)
    operation = OPERATIONS["exp"]
    monkeypatch.setitem(operation.rules, "torch", broken(operation.rules["torch"], scaled))
    found = check("sum(exp(x))", {"x": [0.0, 1.0]}, methods=[library])
    assert leaf_of(found, library).verdict == "disagrees"


def test_what_a_library_lacks_is_no_failure():
    pytest.importorskip("autograd")
    found = check("sum(gelu(x))", {"x": [1.0]}, methods=["differences", "autograd"])
    assert by_method(found, "autograd").verdict is None
    assert by_method(found, "autograd").reason == "no function gelu"
    assert found.verdict == "agrees"


def test_other_conventions_at_kinks_are_no_mistakes():
    pytest.importorskip("jax")
    found = check("abs(x)", {"x": 0.0}, methods=["jax"])
    assert found.verdict == "agrees"
    assert leaf_of(found, "jax").by_convention == 1
    like = check("abs(x)", {"x": 0.0}, methods=["jax"], like="jax")
    assert leaf_of(like, "jax").by_convention == 0


def test_torch_takes_class_labels_as_whole_numbers():
    pytest.importorskip("torch")
    values = {"x": [[1.0, 2.0, 0.5], [0.0, 1.0, 0.0]], "t": [0, 2]}
    found = check("cross_entropy(x, t)", values, methods=["torch"], wrt=["x"])
    assert found.verdict == "agrees"


def test_a_library_that_is_off_by_itself_does_not_make_the_gradient_wrong():
    pytest.importorskip("autograd")
    found = check("prod(x)", {"x": [3.0, 0.0, 5.0]}, methods=["autograd"])
    assert leaf_of(found, "autograd").overruled == 1
    assert found.verdict == "agrees"


def test_asking_for_a_library_that_is_missing_is_an_error(monkeypatch):
    monkeypatch.setattr("vjpcli.explanation.verify.is_installed", lambda name: False)
    with pytest.raises(VjpError) as caught:
        check("sum(x)", {"x": [1.0]}, methods=["torch"])
    assert caught.value.diagnostic.code == "library-missing"
    assert check("sum(x)", {"x": [1.0]}).verdict == "agrees"


def test_the_error_of_a_gradient_of_0_is_seen_beside_the_adjoints():
    values = {"x": [1.0, 2.0, 4.0]}
    found = checked("softmax(x) * 1000", values, seed="ones")
    assert np.all(np.abs(found.gradients["x"]) < 1e-12)
    for method in ("differences", "complex-step"):
        assert leaf_of(found, method).relative_error < 1e-7
    told = explain("softmax(x) * 1000", values, seed="ones").check
    assert told.agrees
    assert told.worst_relative_error < 1e-7


def test_a_small_gradient_beside_large_adjoints_is_still_called_wrong():
    found = checked("1e6*softmax(x)", {"x": [1.0, 2.0]}, seed="ones", expect={"x": [0.01, 0.0]})
    assert found.verdict == "disagrees"


@pytest.mark.parametrize(
    ("expression", "x"),
    [
        ("sqrt(x)", 1e-30),
        ("sum(sqrt(x))", [1e-30, 1.0]),
        ("x**0.5 * 3", 1e-200),
        ("sum(log(x))", [1e-100, 2.0]),
    ],
)
def test_slopes_of_roots_and_logarithms_are_measured_at_tiny_values(expression, x):
    found = checked(expression, {"x": x})
    assert {one.verdict for one in found.methods if one.verdict} == {"agrees"}


def test_methods_are_listed_with_commas_or_one_by_one(capsys):
    for given in (["--with", "sympy,differences"], ["--with", "sympy", "--with", "differences"]):
        code, out, _ = run(capsys, "check", "x**2", "x=1", *given)
        assert code == 0
        assert "central differences" in out
        assert "SymPy" in out
        assert "complex step" not in out
    code, _, err = run(capsys, "check", "x**2", "x=1", "--with", "sympy,foo")
    assert code == 2
    assert "not 'foo'" in err


def test_a_blank_line_parts_the_findings_from_the_check_when_quiet(capsys):
    _, out, _ = run(capsys, "explain", "relu(x) - relu(-x)", "x=0", "-q")
    lines = out.splitlines()
    (place,) = (i for i, line in enumerate(lines) if "disagrees with central" in line)
    assert lines[place - 1] == ""
    assert "vjp rule kink-composed" in lines[place - 2]


@pytest.mark.parametrize(("x", "told"), [(2.0, True), (1e-30, False)])
def test_what_raising_a_leaf_does_is_left_out_where_the_slope_alone_tells_nothing(x, told):
    report = explain("sqrt(x) * y", {"x": x, "y": 1.0}).leaves["x"]
    assert (report.nudge is not None) == told
