"""`vjp rule`: every operation and every diagnostic code has a page, and what it says is so."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import vjpcli
import vjpcli.ops
from vjpcli.commands.rule import complete_name
from vjpcli.documentation import FOLDER, errors_text, operations_text
from vjpcli.errors import VjpError
from vjpcli.explanation.pages.codes_text import ROOMS, code_pages
from vjpcli.explanation.pages.families import (
    SECTIONS,
    families,
    is_building_block,
    public_operations,
    title_of,
)
from vjpcli.explanation.pages.lookup import known_words, looked_up
from vjpcli.explanation.pages.model import CodePage, Found
from vjpcli.explanation.pages.operation_page import operation_page
from vjpcli.graph.operation import OPERATIONS, Operation
from vjpcli.rehearsal import rehearse
from vjpcli.render.page import cell_width
from vjpcli.render.rule_screens import page_of, render_code, render_operation

ALL = list(OPERATIONS.values())
PAGES = {operation.name: operation_page(operation) for operation in ALL}
each_operation = pytest.mark.parametrize("operation", ALL, ids=lambda one: one.name)
each_code = pytest.mark.parametrize("code", list(code_pages().values()), ids=lambda one: one.code)


# Operations.

NOT_THE_SLOPE = {"stop_gradient", "mode"}
"""Operations whose gradient is not the slope, on purpose; the check says so on their pages."""


@each_operation
def test_page_fits_every_width(operation):
    rule = PAGES[operation.name]
    for width in (60, 80, 120):
        for ascii_only in (False, True):
            text = render_operation(rule, "", page_of(width, ascii_only, False))
            text, _, command = text.partition("\n$ " if "\n$ " in text else "\n  $ ")
            assert max(map(cell_width, text.splitlines())) <= width
            assert command.strip() == rule.example
            assert text.isascii() or not ascii_only
            assert rule.summary.split()[0] in text


@each_operation
def test_worked_example_runs(operation):
    rehearsal = rehearse(PAGES[operation.name].example, width=80)
    assert rehearsal.exit_code == 0, rehearsal.err
    assert "disagrees" not in rehearsal.out or operation.name in NOT_THE_SLOPE
    assert operation.documentation.count("Example:") == 1


ENTRYWISE = [one for one in ALL if one.pattern == "elementwise" and "torch" in one.rules]


@pytest.mark.parametrize("operation", ENTRYWISE, ids=lambda one: one.name)
def test_entrywise_rule_has_a_formula(operation):
    rule = PAGES[operation.name]
    if operation.name == "stop_gradient":
        assert rule.formulas == ()
        return
    assert rule.formulas
    assert all(one.slope and one.adjoint for one in rule.formulas)


@each_operation
def test_rule_or_body_is_shown_as_code(operation):
    rule = PAGES[operation.name]
    if operation.is_composite:
        assert re.search(r"\bdef |lambda", rule.made_of)
        assert "Example:" not in rule.made_of
    elif operation.rules:
        assert re.search(r"\bdef |lambda|\.vjp", rule.code)


def test_formulas_say_what_the_rules_do():
    said = {
        name: [(one.operand, one.slope, one.adjoint) for one in PAGES[name].formulas]
        for name in ("log", "tanh", "multiply", "matmul", "xlogy")
    }
    y, z = "y\u0304", "z\u0304"
    assert said == {
        "log": [("x", "1/x", f"{y}/x")],
        "tanh": [("x", "1 - tanh(x)**2", f"{y}*(1 - y**2)")],
        "multiply": [("a", "b", f"b*{y}"), ("b", "a", f"a*{y}")],
        "matmul": [("a", "", f"{y} @ b.T"), ("b", "", f"a.T @ {y}")],
        "xlogy": [("x", "log(y)", f"{z}*log(y)"), ("y", "x/y", f"x*{z}/y")],
    }


def test_equality_with_a_reduction_is_part_of_the_formula():
    (formula,) = PAGES["amax"].formulas
    assert "x == y" in formula.adjoint


def test_conventions_are_told():
    text = render_operation(PAGES["relu"], "", page_of(None, False, False))
    assert "any slope from 0 to 1 is right; 0 is taken, as in PyTorch" in text
    std = render_operation(PAGES["std"], "", page_of(None, False, False))
    assert "ddof=0 by default" in std
    assert "std: ddof=1 (PyTorch; np.std uses 0)" in std
    assert "dim= is axis=" in std


def test_spellings_are_those_of_the_libraries():
    names = PAGES["abs"].spellings
    assert names["torch"][:1] == ("torch.abs",)
    assert {"torch.absolute", "x.abs()"} <= set(names["torch"])
    assert {"np.abs", "np.absolute", "np.fabs"} <= set(names["numpy"])
    assert "np.relu" not in PAGES["relu"].spellings.get("numpy", ())
    assert {"F.relu", "torch.relu"} <= set(PAGES["relu"].spellings["torch"])
    assert "jax.nn.relu" in PAGES["relu"].spellings["jax"]


def test_function_of_another_library_is_no_spelling_of_ours_of_its_name():
    assert "np.random.gamma" not in PAGES["gamma"].spellings["numpy"]
    assert "scipy.special.gamma" in PAGES["gamma"].spellings["numpy"]
    assert "torch.cond" not in PAGES["cond"].spellings["torch"]
    assert "sympy.sinc" not in PAGES["sinc"].spellings["numpy"]


@pytest.mark.parametrize(
    ("word", "operation"),
    [
        ("log", "log"),
        ("np.absolute", "abs"),
        ("norm.logpdf", "norm_logpdf"),
        ("torch.clamp", "clip"),
        ("swish", "silu"),
        ("F.softmax", "softmax"),
        ("torch.nn.functional.relu", "relu"),
        ("jax.nn.gelu", "gelu"),
        ("c.log()", "log"),
        ("x.T", "T"),
        ("log()", "log"),
        ("*", "multiply"),
        ("@", "matmul"),
        ("-", "subtract"),
        ("torch.linalg.norm", "linalg_norm"),
        ("np.sort", "sort_values"),
    ],
)
def test_any_spelling_finds_the_page(word, operation):
    found = looked_up(word)
    assert isinstance(found, Operation)
    assert found.name == operation


def test_code_finds_its_page():
    found = looked_up("nan-untaken-branch")
    assert isinstance(found, CodePage)
    assert found.code == "nan-untaken-branch"


@pytest.mark.parametrize(
    ("word", "guess"),
    [
        ("logg", "log"),
        ("np.sqr", "square"),
        ("sen", "sin"),
        ("seed-shap", "seed-shape"),
        ("zzz", None),
    ],
)
def test_near_miss_is_named(word, guess):
    with pytest.raises(VjpError) as caught:
        looked_up(word)
    diagnostic = caught.value.diagnostic
    assert diagnostic.code == "unknown-rule"
    if guess is None:
        assert diagnostic.fix is None
    else:
        assert diagnostic.fix is not None
        looked_up(diagnostic.fix.text)


@pytest.mark.parametrize(
    ("words", "operations", "codes"),
    [
        ("entropy", {"entr", "cross_entropy", "binary_cross_entropy"}, set()),
        ("Cross Entropy", {"cross_entropy"}, set()),
        ("losses", {"mse_loss", "nll_loss"}, set()),
        ("special functions", {"erf", "jv"}, set()),
        ("branch", {"lambertw"}, {"nan-untaken-branch"}),
    ],
)
def test_words_that_name_no_page_are_searched_for(words, operations, codes):
    found = looked_up(words)
    assert isinstance(found, Found)
    names = {name for family in found.families for name, _, _ in family.operations}
    assert operations <= names
    assert "sin" not in names
    assert codes <= {page.code for page in found.codes}


def test_search_shows_each_page_with_its_sentence():
    lines = rehearse("vjp rule losses", width=80).out.splitlines()
    found = looked_up("losses")
    count = sum(len(family.operations) for family in found.families) + len(found.codes)
    assert lines[0] == f" {count} pages with 'losses'. vjp rule NAME shows one."
    assert "    huber_loss" in {line[:14] for line in lines}
    assert any("Squared distance of each entry from its target" in line for line in lines)


def test_search_finds_words_where_they_begin():
    assert "eigvalsh" in rehearse("vjp rule eigenval").out
    assert rehearse("vjp rule igenvalues").exit_code == 2


def test_slip_in_a_name_comes_before_words_that_begin_so():
    assert "did you mean log?" in rehearse("vjp rule logg").err


def test_every_family_has_a_section_and_a_title():
    assert {section for section, _ in families()} == set(SECTIONS)
    for section, family in families():
        assert title_of(section)
        assert title_of(section, family)


def test_list_holds_every_public_operation_once():
    lines = rehearse("vjp rule", width=80).out.splitlines()
    listed = re.findall(r"^    (\S+)  +\S", "\n".join(lines), flags=re.MULTILINE)
    assert listed == [one.name for one in public_operations()]
    assert not {one.name for one in OPERATIONS.values() if is_building_block(one)} & set(listed)
    assert max(map(cell_width, lines)) <= 80


def test_formulas_are_written_with_names_of_the_language():
    for operation in public_operations():
        for formula in operation_page(operation).formulas:
            for name in re.findall(r"([A-Za-z_]\w*)\(", f"{formula.slope} {formula.adjoint}"):
                assert isinstance(looked_up(name), Operation), (operation.name, name)


# JSON.


def test_json_of_a_rule():
    document = json.loads(rehearse("vjp rule clip --json").out)
    assert document["schema"] == "vjp/1"
    rule = document["rule"]
    assert rule["name"] == "clip"
    assert rule["names"]["torch"]
    assert rule["static"] == {}
    assert {"operand", "slope", "adjoint"} == set(rule["formulas"][0])
    (place, *_) = rule["kinks"]["places"]
    assert place["slopes"] == [1.0, 0.0] or sorted(place["slopes"]) == [0.0, 1.0]
    assert place["used"] == 1.0
    assert place["others"]["jax"] == 0.5


def test_json_of_all():
    document = json.loads(rehearse("vjp rule --all --json").out)
    assert [rule["name"] for rule in document["rules"]] == [one.name for one in public_operations()]
    listed = json.loads(rehearse("vjp rule --json").out)
    names = [one["name"] for family in listed["families"] for one in family["operations"]]
    assert names == [rule["name"] for rule in document["rules"]]
    codes = json.loads(rehearse("vjp rule --codes --json").out)
    assert [one["code"] for one in codes["codes"]] == list(code_pages())


def test_json_of_a_code():
    document = json.loads(rehearse("vjp rule seed-shape --json").out)
    assert document["code"]["code"] == "seed-shape"
    assert document["code"]["example"].startswith("vjp explain")


# The command.


def test_page_of_the_command_has_the_example_run():
    rehearsal = rehearse("vjp rule log", width=80)
    assert rehearsal.exit_code == 0
    assert "∂y/∂x = 1/x" in rehearsal.out
    assert "x̄ = ȳ/x" in rehearsal.out
    assert "return g / x" in rehearsal.out
    assert 'vjp explain "log(c)" c=6,7,8 --seed ones' in rehearsal.out
    assert "0.1667" in rehearsal.out
    assert max(map(cell_width, rehearsal.out.splitlines())) <= 80


def test_page_in_ascii_and_in_colour():
    assert "x_bar = y_bar/x" in rehearse("vjp rule log --ascii", width=60).out
    assert rehearse("vjp rule log --ascii", width=60).out.isascii()
    assert "\x1b[" in rehearse("vjp rule log", width=80, colour=True).out
    assert "\x1b[" not in rehearse("vjp rule log", width=80).out


def test_misspelt_name_is_one_diagnostic():
    rehearsal = rehearse("vjp rule logg")
    assert (rehearsal.exit_code, rehearsal.out) == (2, "")
    assert rehearsal.err.count("error[") == 1
    assert "did you mean log?" in rehearsal.err
    assert "vjp rule log" in rehearsal.err


def test_names_are_completed():
    assert {"log", "log10", "log1p", "log2"} <= set(complete_name("log"))
    assert complete_name("seed-sh") == ["seed-shape"]
    assert set(complete_name("")) == set(known_words())


def test_shell_asks_for_names_and_commands():
    def completed(words: str, position: int) -> list[str]:
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "_VJP_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(position),
        }
        program = "import sys; sys.argv = ['vjp']; from vjpcli.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=False,
            env=environment, cwd=Path(vjpcli.__file__).parents[1], timeout=60,
        )  # fmt: skip
        return done.stdout.split()

    assert "explain" in completed("vjp ex", 1)
    assert "log1p" in completed("vjp rule log1", 2)
    assert "--seed" in completed("vjp explain --se", 2)


# Diagnostic codes.


@each_code
def test_example_produces_its_code(code):
    if code.no_example:
        assert not code.example
        return
    rehearsal = rehearse(f"{code.example} --json", files=code.files, stdin=code.stdin)
    if rehearsal.exit_code == 2:
        found = [json.loads(rehearsal.err.splitlines()[-1])["error"]["code"]]
    else:
        assert rehearsal.exit_code == 0
        found = [one["code"] for one in json.loads(rehearsal.out)["diagnostics"]]
    assert code.code in found


@each_code
def test_code_page_is_drawn(code):
    for width in (60, 120):
        text = render_code(code, "", page_of(width, True, False))
        above = text.partition("\n  $ ")[0]
        assert max(map(cell_width, above.splitlines())) <= width
        assert code.code in above
    assert code.summary[-1] not in ".!"


def test_code_page_of_the_command_shows_the_message():
    rehearsal = rehearse("vjp rule seed-shape", width=80)
    assert rehearsal.exit_code == 0
    assert "error[seed-shape]" in rehearsal.out
    finding = rehearse("vjp rule nan-untaken-branch", width=80).out
    assert "nan" in finding and "where" in finding


SOURCE = Path(vjpcli.__file__).parent
RAISING = {
    "fail", "Diagnostic", "error", "fault", "_fault", "finding", "_simply", "Cause", "Culprit",
}  # fmt: skip
"""Calls whose first argument, or `code=`, is a diagnostic code."""

NOT_CODES = {
    # words of other kinds that are spelt like a code
    "along-axis", "latin-1", "utf-8", "utf-8-sig", "utf-16", "nearest-exact", "flat-side",
    "times-zero", "saturated", "cancels", "ordinary", "not-finite", "complex-step",
}  # fmt: skip


@cache
def source_nodes() -> list[ast.AST]:
    return [
        node
        for path in SOURCE.rglob("*.py")
        if "pages" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call | ast.Constant | ast.JoinedStr)
    ]


def strings_in_source() -> set[str]:
    return {
        node.value
        for node in source_nodes()
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def patterns_in_source() -> list[re.Pattern[str]]:
    """Codes put together of parts: f"{kind}-several-arrays"."""
    found = []
    for node in source_nodes():
        if isinstance(node, ast.JoinedStr):
            parts = [p.value if isinstance(p, ast.Constant) else None for p in node.values]
            if re.fullmatch("(-[a-z]+)+", "".join(str(part or "") for part in parts)):
                found.append(re.compile("".join(str(part or "[a-z]+") for part in parts)))
    return found


def raised_codes() -> set[str]:
    found = set()
    for node in source_nodes():
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name not in RAISING:
            continue
        keywords = [keyword.value for keyword in node.keywords if keyword.arg == "code"]
        # `finding(evidence, code, ...)` and `Diagnostic(code=...)` as well as `fail(code, ...)`
        for argument in [*node.args[:2], *keywords]:
            for part in ast.walk(argument):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    found.add(part.value)
    return {word for word in found if re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)+", word)}


def test_every_code_has_a_page():
    kebab = {
        text for text in strings_in_source() if re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)+", text)
    }
    assert sorted(raised_codes() - set(code_pages()) - NOT_CODES) == []
    assert sorted(kebab - set(code_pages()) - NOT_CODES) == []
    assert sorted(single_word_codes() - set(code_pages()) - NOT_CODES) == []


def single_word_codes() -> set[str]:
    """Codes of one word, as first arguments of the calls that raise."""
    found = set()
    for node in source_nodes():
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        first = node.args[0]
        if name in RAISING and isinstance(first, ast.Constant) and isinstance(first.value, str):
            found.add(first.value)
    return {word for word in found if re.fullmatch("[a-z]+", word)}


def test_every_page_is_of_a_code_that_is_used():
    strings, patterns = strings_in_source(), patterns_in_source()
    unused = [
        code
        for code in code_pages()
        if code not in strings
        and code != "unknown-rule"
        and not any(pattern.fullmatch(code) for pattern in patterns)
    ]
    assert unused == []


def test_codes_and_operations_have_different_names():
    names = {name for one in ALL for name in (one.name, *one.aliases)}
    assert not names & set(code_pages())


def test_every_room_has_pages():
    assert {page.room for page in code_pages().values()} == set(ROOMS)


# The documents.


def test_operations_document_is_fresh():
    """Otherwise run `python -m vjpcli.documentation`, which writes it anew."""
    assert (FOLDER / "operations.md").read_text(encoding="utf-8") == operations_text()


def test_errors_document_is_fresh():
    """Otherwise run `python -m vjpcli.documentation`, which writes it anew."""
    assert (FOLDER / "errors.md").read_text(encoding="utf-8") == errors_text()
