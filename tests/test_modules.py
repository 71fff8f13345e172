"""Modules of torch.nn: which classes there are, and what they compute."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from module_calls import MODULE_CALLS
from torch_calls import VALUES, names_in, seed_for

from vjpcli import VjpError, explain, grad
from vjpcli.graph.modules import constructor_order, module_class
from vjpcli.graph.unknown_names import reason_against

HERE = Path(__file__).parent
MEASURED_FILE = HERE / "modules_measured_in_torch.jsonl"
ROWS = [json.loads(line) for line in MEASURED_FILE.read_text("utf-8").splitlines()]
CONSTRUCTORS: dict[str, list[str]] = json.loads(
    (HERE / "torch_constructors.json").read_text("utf-8")
)
"""Every class of torch.nn (PyTorch 2.13) -> the parameters of its constructor."""

NEVER_BY_POSITION = {"size_average", "reduce", "reduction", "device", "dtype", "inplace"}
"""Parameters that nobody gives by position; the first two are deprecated."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["call"])
def test_module_gives_the_numbers_that_torch_gives(row):
    explanation = explain(
        row["call"],
        {name: VALUES[name] for name in row["gradients"]},
        seed=seed_for(np.shape(row["value"])),
        jacobian=False,
        formulas=False,
        check=False,
    )
    value = np.asarray(explanation.output.value, dtype=np.float64)
    assert value.shape == np.shape(row["value"])
    np.testing.assert_allclose(value, row["value"], rtol=1e-9, atol=1e-12)
    for name, gradient in row["gradients"].items():
        np.testing.assert_allclose(explanation.gradients[name], gradient, rtol=1e-8, atol=1e-10)


def test_every_module_call_was_measured():
    assert [row["call"] for row in ROWS] == list(MODULE_CALLS)


def test_measured_modules_are_those_of_this_pytorch(rewrite):
    torch = pytest.importorskip("torch")
    rows = measured_rows(torch)
    if rewrite:
        MEASURED_FILE.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    for old, new in zip(ROWS, rows, strict=True):
        np.testing.assert_allclose(old["value"], new["value"], rtol=1e-9, atol=1e-12)


def measured_rows(torch: Any) -> list[dict[str, Any]]:
    """What PyTorch itself makes of the calls."""
    torch.set_default_dtype(torch.float64)
    rows = []
    for text in MODULE_CALLS:
        tensors = {name: torch.tensor(VALUES[name], requires_grad=True) for name in names_in(text)}
        output = eval(text, {"torch": torch, "nn": torch.nn, **tensors})  # texts of this project
        seed = torch.tensor(seed_for(output.shape))
        gradients = torch.autograd.grad(output, list(tensors.values()), seed, allow_unused=True)
        rows.append(
            {
                "call": text,
                "value": output.detach().tolist(),
                "gradients": {
                    name: np.zeros(np.shape(VALUES[name])).tolist() if one is None else one.tolist()
                    for name, one in zip(tensors, gradients, strict=True)
                },
            }
        )
    return rows


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_class_of_torch_nn_is_read_or_refused_with_its_reason(name):
    assert module_class(name) is not None or reason_against(name, "nn") is not None


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_constructor_takes_its_arguments_in_the_order_of_torch(name):
    found = module_class(name)
    if found is None or found.callee is None:
        pytest.skip("it is refused, or takes no numbers")
    ours = constructor_order(found)
    for position, theirs in enumerate(CONSTRUCTORS[name]):
        if theirs in NEVER_BY_POSITION or position >= len(ours):
            continue
        spelt = {"dim": "axis", "keepdim": "keepdims"}
        assert ours[position] in (theirs, spelt.get(theirs))


@pytest.mark.parametrize(
    ("text", "code", "fixed"),
    [
        ("nn.Linear(3, 2)(x)", "random-parameters", "linear(x, W, b)"),
        ("nn.Conv2d(1, 2, 3)(x)", "random-parameters", "conv2d(x, W, b)"),
        ("f = nn.LSTM(3, 2); f(x)", "random-parameters", None),
        ("nn.ReLU(x)", "module-not-applied", "nn.ReLU()(x)"),
        ("nn.MSELoss(x, x)", "module-not-applied", "nn.MSELoss()(x, x)"),
        ("nn.ReLU()", "not-a-number", None),
        ("nn.Sequential(x)", "not-a-module", None),
        ("nn.ReLU().weight", "attribute-access", None),
        ("nn.Tanh(1)(x)", "too-many-arguments", None),
        ("nn.MSELoss()(x)", "missing-argument", None),
        (
            "nn.MSELoss(reductin='sum')(x, x)",
            "unknown-keyword",
            "nn.MSELoss(reduction='sum')(x, x)",
        ),
        ("nn.Dropout(0.5)(x)", "random-operation", None),
        ("nn.ModuleList([x])", "not-offered", None),
        ("nn.ReLU()()", "missing-argument", None),
        ("nn.ZeroPad2d()(x)", "missing-argument", None),
    ],
)
def test_module_that_cannot_be_applied_is_refused_in_words(text, code, fixed):
    with pytest.raises(VjpError) as caught:
        grad(text, {"x": [1.0, 2.0]})
    fix = caught.value.diagnostic.fix
    assert (caught.value.diagnostic.code, fix and fix.text) == (code, fixed)


def test_class_may_be_imported_by_its_name():
    found = grad(
        "from torch.nn import MSELoss; MSELoss()(x, t)", {"x": [1.0, 3.0], "t": [0.0, 0.0]}
    )
    np.testing.assert_allclose(found["x"], [1.0, 3.0])
