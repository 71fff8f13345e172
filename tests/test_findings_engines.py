"""Where other engines give another gradient the screen says so, and nowhere else."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from carets import marked
from engine_calls import CALLS, ENGINES, MEASURED_FILE
from findings_of import only, told

from vjpcli import explain, grad
from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.graph.operation import OPERATIONS, TORCH_AS_MEASURED
from vjpcli.graph.trace import trace
from vjpcli.parser.expression import parse
from vjpcli.render.text import render_explanation

ROWS = [json.loads(line) for line in MEASURED_FILE.read_text("utf-8").splitlines()]
TITLES = {"torch": "PyTorch", "jax": "JAX", "autograd": "autograd"}
AS_RULES = {"torch": TORCH_AS_MEASURED, "jax": "jax", "autograd": "autograd"}


def arrays(given: dict[str, Any]) -> dict[str, Any]:
    return {name: np.asarray(value, dtype=np.float64) for name, value in given.items()}


def same(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    return all(
        np.shape(ours[name]) == np.shape(theirs[name])
        and np.allclose(ours[name], theirs[name], rtol=1e-9, atol=1e-30, equal_nan=True)
        for name in theirs
    )


def by_rules_of(engine: str, row: dict[str, Any]) -> dict[str, Any]:
    values = arrays(row["values"])
    traced = trace(parse(row["expression"]), values)
    reverse = backward(traced.graph, values, like=engine)
    seed = np.asarray(1.0 if row["seed"] is None else row["seed"], dtype=np.float64)
    with np.errstate(all="ignore"):
        results = evaluate(reverse.graph, {**values, seed_name(traced.output_name): seed})
    return {name: results[node] for name, node in reverse.graph.outputs.items()}


def screen(row: dict[str, Any], **options: Any) -> str:
    explanation = explain(
        row["expression"], arrays(row["values"]), seed=row["seed"], check=False, **options
    )
    return re.sub(r"\s+", " ", render_explanation(explanation, width=100))


each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['expression']}")
each_engine = pytest.mark.parametrize("engine", ENGINES)


def test_every_call_was_measured():
    assert [row["expression"] for row in ROWS] == [expression for expression, _, _ in CALLS]


@each_row
@each_engine
def test_the_rules_of_an_engine_give_what_it_gives(row, engine):
    measured = row[engine]
    if measured is None or "error" in measured:
        pytest.skip("it gives no gradient here")
    found = by_rules_of(AS_RULES[engine], row)
    if same(found, arrays(measured)):
        return
    # What no rule repeats is declared in words.
    assert TITLES[engine] in screen(row)
    assert any(one.elsewhere for one in OPERATIONS.values() if one.name in row["expression"]) or (
        "slogdet" in row["expression"]
    )


@each_row
@each_engine
def test_the_screen_names_the_engines_that_differ_and_no_others(row, engine):
    measured = row[engine]
    ours = grad(row["expression"], arrays(row["values"]), seed=row["seed"])
    text = screen(row)
    noted = re.findall(r"other engines differ at .*?(?:✓|✗|next:)", text)
    noted += re.findall(r"note: eigvalsh: .*?(?:✓|✗|next:)", text)
    noted += re.findall(r"(?:JAX|autograd|PyTorch)(?: and \w+)? gives?[^·]*?(?:note:|next:)", text)
    if measured is None:
        return
    if "error" in measured or not same(ours, arrays(measured)):
        assert TITLES[engine] in " ".join(noted), text
    elif "Same in PyTorch" not in text:
        assert not re.search(rf"{TITLES[engine]}( 2.13)? (and \w+ )?(gives?|raises)\b", text), text


@pytest.mark.parametrize(
    ("operation", "one"),
    [(operation, one) for operation in OPERATIONS.values() for one in operation.elsewhere],
    ids=lambda given: getattr(given, "name", getattr(given, "engine", "")),
)
def test_a_declared_failure_is_hit_at_its_point_and_not_at_the_samples(operation, one):
    names = [f"x{i}" for i in range(len(one.point))]
    static = "".join(
        f", {key}={value!r}" for key, value in one.static.items() if key != "subscripts"
    )
    first = f"{one.static['subscripts']!r}, " if "subscripts" in one.static else ""
    call = f"{operation.name}({first}{', '.join(names)}{static})"
    found = only(f"sum({call})", "engines-differ", dict(zip(names, one.point, strict=True)))
    assert f"{TITLES[one.engine]} {one.does}" in found.message
    assert operation.name in marked(found)[0]


def test_the_words_are_those_of_the_user():
    found = only("M = 2*W; 3*det(M)", "engines-differ", {"W": [[1.0, 3.0], [2.0, 6.0]]})
    assert found.severity == "note"
    assert found.message == (
        "other engines differ at det(M): PyTorch 2.13 gives zeros for W.grad and autograd raises "
        '"Singular matrix"'
    )
    assert marked(found) == ["det(M)"]
    assert [label.text for label in found.labels] == ["M is singular"]


def test_a_fix_that_all_engines_agree_on_is_told():
    found = only("norm(x)**2", "engines-differ", {"x": [0.0, 0.0]})
    assert found.fix is not None and found.fix.text == "sum(x*x)"
    assert [label.text for label in found.labels] == ["JAX: 0 × nan"]


def test_the_conventions_of_another_engine_are_not_told_against_itself():
    found = only("logaddexp(x, y)", "engines-differ", {"x": np.inf, "y": 1.0}, like="jax")
    assert "JAX" not in found.message
    assert "PyTorch" in found.message and "autograd" in found.message


def test_it_comes_after_every_other_finding():
    explanation = explain("arccos(clip(x, -1, 1))", {"x": [1.0, 2.0]}, seed="ones")
    codes = [one.code for one in explanation.diagnostics]
    assert codes[-1] == "engines-differ" and len(codes) > 1


def test_a_large_input_is_compared_in_one_pass_for_each_engine():
    x = np.linspace(-1, 2, 300_001)
    assert told("sum(exp(clip(x, -2, 3)))", "engines-differ", {"x": x}) == []


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        # told by the note of the kink or tie
        ("abs(x)", {"x": [0.0, 1.0]}),
        ("clip(x, 0, 1)", {"x": [0.0, 0.5]}),
        ("norm(x)", {"x": [0.0, 0.0]}),
        # no failure without its reason
        ("einsum('ij,ij->ij', x, y)", {"x": [[1.0, 2.0, 3.0]], "y": [[1.0], [2.0]]}),
        ("broadcast_to(x, (2, 3))", {"x": [[1.0, 2.0, 3.0]]}),
        ("det(A)", {"A": [[3.0, 1.0], [2.0, 5.0]]}),
        # the numbers of all engines are the same up to rounding
        ("softmax(x)", {"x": [1.0, 2.0, 3.0]}),
        ("sum(softmax(x))", {"x": [40.0, 0.0, -5.0]}),
        ("log_softmax(x)", {"x": [[30.0, -5.0], [1.0, 2.0]]}),
        # wrong in another engine, but no gradient arrives there
        ("0*detach(det(A)) + A[0, 0]", {"A": [[1.0, 3.0], [2.0, 6.0]]}),
    ],
)
def test_nothing_is_told_where_nothing_differs(expression, values):
    assert told(expression, "engines-differ", values, seed=None) == []
