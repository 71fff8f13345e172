"""Every command, Python block and JSON document of README and docs; see pages.py.

`python -m pytest tests/test_docs.py --rewrite` puts the present outputs into the pages.
"""

from __future__ import annotations

import doctest
import json
import re
import shutil
from functools import cache

import jsonschema
import numpy as np
import pytest
from pages import PAGES, ROOT, WRITTEN, Shell, agree, blocks, commands, console_text, name_of

import vjpcli
from vjpcli import cli
from vjpcli.commands import command_line

COMMAND_LINE = ROOT / "docs" / "command-line.md"
SCHEMA = json.loads((ROOT / "docs" / "vjp-1.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
COMMANDS = command_line().commands

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="the pages speak bash")


def text_of(page):
    return page.read_text(encoding="utf-8")


# What the pages show.


@needs_bash
@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_page_shows_what_is_printed(page, tmp_path, rewrite, monkeypatch):
    text = text_of(page)
    shell = Shell(tmp_path)
    monkeypatch.chdir(shell.folder)
    variables: dict[str, object] = {}
    wrong: list[str] = []
    pieces: list[str] = []
    end = 0
    for block in blocks(text):
        place = f"{name_of(page)}:{block.line}"
        pieces.append(text[end : block.start])
        end = block.end
        corrected = block.text
        if block.language == "console":
            done = [(command, *shell.run(command.typed)) for command in commands(block)]
            for command, _, printed in done:
                if not agree(command.shown, printed):
                    wrong.append(f"{place}: $ {command.typed}\n{printed}")
            corrected = console_text(
                (command, command.shown if agree(command.shown, printed) else printed)
                for command, _, printed in done
            )
        elif block.language == "sh" and not block.run_by_ci:
            for line in block.text.splitlines():
                code, printed = shell.run(line)
                if code:
                    wrong.append(f"{place}: {line}\nended with {code}\n{printed}")
        elif block.language == "python" and ">>>" in block.text:
            wrong += failures_of_doctest(block, variables, place)
        pieces.append(corrected)
    pieces.append(text[end:])
    if rewrite:
        page.write_text("".join(pieces), encoding="utf-8", newline="\n")
    else:
        assert not wrong, "\n\n".join(wrong)


def failures_of_doctest(block, variables, place):
    """The block as a doctest; names stay known to the later blocks of the page."""
    test = doctest.DocTestParser().get_doctest(block.text, {}, place, place, block.line)
    test.globs = variables
    said: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    runner = doctest.DocTestRunner(verbose=False, optionflags=flags)
    result = runner.run(test, out=said.append, clear_globs=False)
    return ["".join(said)] if result.failed else []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_inside_the_project_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", text_of(page), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        if "://" in path:
            continue
        there = (page.parent / path) if path else page
        assert there.exists(), target
        if anchor:
            assert anchor in anchors_of(there), target


@cache
def anchors_of(page):
    headings = re.findall(r"^#+ (.*)$", text_of(page), flags=re.MULTILINE)
    return {slug(heading) for heading in headings}


def slug(heading):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_an_output_that_differs_is_noticed():
    assert agree("a\n...\nd", "a\nb\nc\nd")
    assert not agree("a\n...\nd", "a\nb\nc")
    assert not agree("1.0", "1.5")
    assert agree("worst relative error 4e-11", "worst relative error 2e-12")


# The README's own commands, which .ci/run extracts and runs in fresh environments.


@pytest.mark.parametrize("mark", ["main-job", "tests"])
def test_the_commands_for_a_fresh_machine_are_found(mark):
    text = text_of(ROOT / "README.md")
    found = [b for b in blocks(text) if text[: b.start].endswith(f"<!-- ci: {mark} -->\n```sh\n")]
    assert len(found) == 1
    assert found[0].run_by_ci
    assert found[0].text.startswith("python3 -m venv .venv")


# Commands and options.


@pytest.mark.parametrize("name", COMMANDS)
def test_readme_shows_the_help_of_every_command(name):
    assert f"$ vjp {name} --help\n" in text_of(ROOT / "README.md")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_help_and_is_documented(name):
    section = text_of(COMMAND_LINE).partition(f"\n## `vjp {name}`\n")[2].partition("\n## ")[0]
    shared = text_of(COMMAND_LINE).partition("\n## Options of several commands\n")[2]
    shared = shared.partition("\n## ")[0]
    for parameter in COMMANDS[name].params:
        assert parameter.help, parameter.name
        if parameter.param_type_name == "option":
            for spelling in parameter.opts:
                assert re.search(rf"`{spelling}\b", section + shared), spelling


# JSON.

EXPLAINED = {
    "vector": ("3*a + 2*b*b + log(c)", {"seed": [0.1, 1, 0.0001]}),
    "scalar": ("a*b", {"values": {"a": 2, "b": 3}}),
    "each": ("a*a", {"values": {"a": [1, 2]}, "seed": "each"}),
    "several passes": ("a*a", {"values": {"a": [1, 2]}, "seeds": ["ones", [0, 1]]}),
    "several outputs": (
        "y = 2*x; z = y*y",
        {"values": {"x": [1, 2]}, "seed": {"y": [1, 1], "z": [1, 0]}},
    ),
    "loss": ("y = a*b", {"values": {"a": [1, 2], "b": [3, 4]}, "loss": "sum(y**2)"}),
    "nan": ("sqrt((x - 1)**2)", {"values": {"x": [1, 3]}, "seed": "ones"}),
    "inf": ("log(x)", {"values": {"x": [0, 1]}, "seed": "ones"}),
    "float32": ("exp(x)", {"values": {"x": [0.1, 0.2]}, "seed": "ones", "dtype": "float32"}),
    "null jacobian": ("2*x", {"values": {"x": np.ones(50)}, "seed": "ones", "max_jacobian": 100}),
    "matrix": ("W @ x", {"values": {"W": [[1, 2], [3, 4]], "x": [1, 1]}, "seed": "row:0"}),
    "condition": ("sum(where(x > 0, x, 0))", {"values": {"x": [-1, 2]}}),
    "empty": ("sum(x)", {"values": {"x": np.zeros(0)}}),
    "unused": ("a*2", {"values": {"a": 1, "b": 2}}),
    "data": ("a*b", {"values": {"a": 1, "b": 2}, "wrt": ["a"]}),
    "kink": ("relu(x)", {"values": {"x": [0, 1]}, "seed": "ones"}),
    "gradients only": ("a*2", {"values": {"a": 1}, "jacobian": False, "check": False}),
}


@pytest.mark.parametrize("name", EXPLAINED)
def test_document_follows_the_schema(name):
    expression, arguments = EXPLAINED[name]
    document = json.loads(vjpcli.to_json(vjpcli.explain(expression, **arguments)))
    VALIDATOR.validate(document)


@pytest.mark.parametrize("name", EXPLAINED)
def test_every_key_of_a_document_is_described(name):
    expression, arguments = EXPLAINED[name]
    document = json.loads(vjpcli.to_json(vjpcli.explain(expression, **arguments)))
    assert document.keys() <= SCHEMA["$defs"]["explanation"]["properties"].keys()
    described = SCHEMA["$defs"]["diagnostic"]["properties"].keys()
    assert all(found.keys() <= described for found in document["diagnostics"])
    described = SCHEMA["$defs"]["step"]["properties"].keys()
    assert all(step.keys() <= described for step in document["steps"])
    described = SCHEMA["$defs"]["leaf"]["properties"].keys()
    assert all(leaf.keys() <= described for leaf in document["leaves"].values())


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_json_on_a_page_follows_the_schema(page):
    for block in blocks(text_of(page)):
        if block.language == "json":
            VALIDATOR.validate(json.loads(block.text))
        for command in commands(block) if block.language == "console" else ():
            if command.shown.startswith('{\n  "schema": "vjp/1"') and "\n..." not in command.shown:
                VALIDATOR.validate(json.loads(command.shown))


def test_every_key_is_documented():
    page = text_of(ROOT / "docs" / "json.md")
    for kind in ("explanation", "output", "seed", "leaf", "step", "edge", "check", "diagnostic"):
        for key in SCHEMA["$defs"][kind]["properties"]:
            assert f"`{key}`" in page, f"{kind}.{key}"


OTHER_DOCUMENTS = [
    ["jac", "x*x", "x=2,3", "--tangent", "1,0"],
    ["jac", "x[0]**2*x[1]", "x=3,5", "--hessian"],
    ["jac", "W @ x", "W:2x2=1,2,3,4", "x=1,1"],
    ["check", "a*b", "a=1,2", "b=3,4", "--seed", "ones", "--expect", "b=1,3"],
    ["rule"],
    ["rule", "branch"],
    ["rule", "--codes"],
    ["rule", "relu"],
    ["rule", "seed-shape"],
    ["grad", "x^2", "x=3"],
]


@pytest.mark.parametrize("arguments", OTHER_DOCUMENTS, ids=" ".join)
def test_document_of_a_command_follows_the_schema(arguments, capsys):
    with pytest.raises(SystemExit):
        cli.main([*arguments, "--json"])
    printed = capsys.readouterr()
    VALIDATOR.validate(json.loads(printed.out or printed.err))
