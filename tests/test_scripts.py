"""Whole scripts as they are pasted: imports, leaves with their values, backward, printing."""

from __future__ import annotations

import numpy as np
import pytest

from vjpcli import VjpError, check, explain, grad
from vjpcli.parser.expression import parse
from vjpcli.rehearsal import rehearse

SCRIPT = """
import torch
import torch.nn as nn
import torch.nn.functional as F
import matplotlib.pyplot as plt

torch.manual_seed(0)
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)   # a leaf
w = torch.tensor([0.5, -1.0, 0.25])
b: float = 0.1
y = (w * x).sum() + b
assert y.ndim == 0
loss = F.mse_loss(torch.sigmoid(y), torch.tensor(1.0))
loss.backward()
print(x.grad)
x.grad.zero_()
plt.show()
"""
# PyTorch 2.13, float64
GRADIENT_OF_SCRIPT = [-0.14805580623902403, 0.29611161247804807, -0.07402790311951202]


def test_whole_script_is_explained_with_the_values_it_gives():
    found = explain(SCRIPT)
    assert found.output.name == "loss"
    np.testing.assert_allclose(found.gradients["x"], GRADIENT_OF_SCRIPT, rtol=1e-12)
    assert list(found.gradients) == ["x"]
    (note,) = [one for one in found.diagnostics if one.code == "left-out"]
    assert note.message == (
        "the script is read up to `loss.backward()`, which is what vjp prints; "
        "left out: `torch.manual_seed(0)` and 4 more lines"
    )
    assert note.notes == ("random numbers are those of --rng, not those of the library",)


LEAF = "x = torch.tensor([1., 2.], requires_grad=True)"


@pytest.mark.parametrize(
    ("script", "gradient"),
    [
        (f"{LEAF}; y = x**2; y.sum().backward()", [2, 4]),
        (f"{LEAF}; y = x**2; y.backward(torch.tensor([0.1, 1.0]))", [0.2, 4]),
        (f"{LEAF}; y = x**2; y.backward(gradient=torch.ones_like(y))", [2, 4]),
        (f"{LEAF}; y = x**2; v = [3.0, 5.0]; y.backward(v)", [6, 20]),
        (f"{LEAF}; y = (x**2).sum(); z = 3*y; y.backward()", [2, 4]),
        (f"{LEAF}; y = (x**2).sum(); y.backward(retain_graph=True)", [2, 4]),
        (f"{LEAF}; y = (x**2).sum(); g = torch.autograd.grad(y, x)[0]; print(g)", [2, 4]),
        (f"{LEAF}; y = x**2; torch.autograd.grad(y, x, torch.ones(2))", [2, 4]),
        (f"{LEAF}; y = x**2; torch.autograd.grad([y], x, grad_outputs=[[1., 10.]][0])", [2, 40]),
        ("x = torch.tensor([1., 2.]); x.requires_grad_(); (x**2).sum().backward()", [2, 4]),
        ("x = torch.tensor([1., 2.]); x.requires_grad = True; (x**2).sum().backward()", [2, 4]),
        ("x = torch.tensor([1., 2.]).requires_grad_(True); (x**2).sum().backward()", [2, 4]),
        ("x = nn.Parameter(torch.tensor([1., 2.])); (x**2).sum().backward()", [2, 4]),
        (
            "x = Variable(torch.tensor([1., 2.]), requires_grad=True); (x**2).sum().backward()",
            [2, 4],
        ),
        ("n = 2; x = torch.ones(n, requires_grad=True); (3*x).sum().backward()", [3, 3]),
        (f"{LEAF}; h = 2*x; h.mul_(x); h.sum().backward()", [4, 8]),
        (
            f"{LEAF}; o = torch.optim.SGD([x], lr=0.1); o.zero_grad(); (x**2).sum().backward()",
            [2, 4],
        ),
        (
            'd = torch.device("cuda" if torch.cuda.is_available() else "cpu"); '
            "x = torch.ones(2, device=d, requires_grad=True); "
            "y = torch.zeros(2, dtype=x.dtype, device=x.device).to(d) + 3*x; y.sum().backward()",
            [3, 3],
        ),
        (f"{LEAF}; y: torch.Tensor = (x**2).sum(); y.backward()", [2, 4]),
        (f"'''Doc.'''\n{LEAF}\nprint((x**2).sum())", None),
    ],
)
def test_script_gives_the_gradient_that_it_would_print(script, gradient):
    if gradient is None:
        assert parse(script).left_out
        return
    np.testing.assert_allclose(grad(script, {})["x"], gradient)


def test_value_on_the_command_line_comes_before_the_one_in_the_script():
    script = f"{LEAF}; y = (x**2).sum(); y.backward()"
    np.testing.assert_allclose(grad(script, {"x": [5.0, 7.0, 9.0]})["x"], [10, 14, 18])


def test_seed_on_the_command_line_comes_before_the_one_in_the_script():
    script = f"{LEAF}; y = x**2; y.backward(torch.ones(2))"
    np.testing.assert_allclose(grad(script, {}, seed=[1.0, 10.0])["x"], [2, 40])


@pytest.mark.parametrize(
    "script",
    [
        "import torch.distributions as dist; -dist.Normal(x, 1).log_prob(0).sum()",
        "from torch import distributions as D; -D.Normal(x, 1).log_prob(0).sum()",
        "import torch.nn.functional as nnf; nnf.relu(x) @ x/2",
        "import torch as t; t.sum(x**2)/2",
    ],
)
def test_prefix_that_an_import_gives_means_its_part_of_the_library(script):
    np.testing.assert_allclose(grad(script, {"x": [1.0, 2.0]})["x"], [1.0, 2.0])


def test_blocks_behind_the_backward_pass_are_left_out():
    script = f"""
{LEAF}
loss = (x**2).sum()
loss.backward()  # the gradient
with torch.no_grad():
    x -= 0.1 * x.grad
for epoch in range(3):
    print(epoch)
"""
    found = explain(script)
    np.testing.assert_allclose(found.gradients["x"], [2, 4])
    (note,) = [one for one in found.diagnostics if one.code == "left-out"]
    assert note.message == (
        "the script is read up to `loss.backward()`, which is what vjp prints; "
        "left out: `with torch.no_grad():`"
    )


def test_block_around_the_backward_pass_is_refused_at_its_line():
    with pytest.raises(VjpError) as caught:
        grad(f"{LEAF}\nfor epoch in range(3):\n    (x**2).sum().backward()", {})
    assert caught.value.diagnostic.code == "for-loop"


def test_seed_of_a_script_is_marked_where_it_is_wrong():
    with pytest.raises(VjpError) as caught:
        grad(f"{LEAF}; y = x**2; y.backward(torch.ones(3))", {})
    found = caught.value.diagnostic
    span = found.labels[0].span
    assert found.source is not None
    assert found.source.text[span.start : span.end] == "torch.ones(3)"


def test_value_that_reads_an_input_is_no_leaf():
    found = grad("h = (2*a).requires_grad_(); h.sum().backward()", {"a": [1.0, 2.0]})
    assert {name: value.tolist() for name, value in found.items()} == {"a": [2.0, 2.0]}


def test_script_that_only_prints_is_what_it_prints():
    np.testing.assert_allclose(
        grad("import torch; print((x**2).sum())", {"x": [1.0, 2.0]})["x"], [2, 4]
    )


def test_difference_quotients_hold_for_a_script():
    report = check(f"{LEAF}; y = (x**3).sum(); y.backward()", {})
    assert report.verdict == "agrees"


@pytest.mark.parametrize(
    ("script", "code"),
    [
        (f"{LEAF}; y = x**2; z = x**3; y.sum().backward(); z.sum().backward()", "backward-twice"),
        (f"{LEAF}; y = (x**2).sum(); 2*x.grad", "attribute-access"),
        (f"{LEAF}; y = x**2; y.backward()", "seed-needed"),
        (f"{LEAF}; y = x**2; y.backward(torch.ones(3))", "seed-shape"),
        ("import numpy as jnp; x", "import-statement"),
    ],
)
def test_script_that_cannot_be_read_names_its_line(script, code):
    with pytest.raises(VjpError) as caught:
        explain(script, strict=True) if code == "attribute-access" else grad(script, {})
    assert caught.value.diagnostic.code == code


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("def f(x): return x**2", "f = lambda x: x**2"),
        ("def f(x):\n    return x**2\nf(a)", "f = lambda x: x**2\nf(a)"),
        ("def f(x):\n    y = x\n    return y\nf(a)", None),
        ("with torch.no_grad():\n    y = x", None),
    ],
)
def test_definition_of_one_line_is_answered_with_a_lambda(text, fixed):
    with pytest.raises(VjpError) as caught:
        parse(text)
    fix = caught.value.diagnostic.fix
    assert (fix and fix.text) == fixed


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("np.put(x, [0], 5); sum(x)", "x = np.put(x, [0], 5); sum(x)"),
        ("x.sort(); x[0]", "x = np.sort(x); x[0]"),
        ("x.sort(axis=0); x[0]", "x = np.sort(x, axis=0); x[0]"),
        ("x.clamp(min=0); x", "x = x.clamp(min=0); x"),
        ("x*2; x", "x = x*2; x"),
        ("F.relu_(x); x", "x = F.relu(x); x"),
        ("np.multiply(x, 2, out=y); y", "y = np.multiply(x, 2, out=y); y"),
        ("np.add.at(x, [0, 0], y); x", "x = x.at[[0, 0]].add(y); x"),
        ("x*2\ny = sum(x)\ny.backward()", "x = x*2\ny = sum(x)\ny.backward()"),
        ("plt.plot(x); sum(x)", "sum(x)"),
        ("a*b; c", None),
        ("r*cos(t); r*sin(t)", "[r*cos(t), r*sin(t)]"),
    ],
)
def test_statement_whose_value_goes_nowhere_is_refused(text, fixed):
    with pytest.raises(VjpError) as caught:
        parse(text)
    found = caught.value.diagnostic
    assert found.code == "discarded-value"
    assert (found.fix and found.fix.text) == fixed
    if fixed:
        parse(fixed)


@pytest.mark.parametrize(
    "text",
    [
        "x; sum(x)", "h = 2*x\nh\nh.shape\nsum(h)", "x.add_(1); sum(x)",
        "sum(x)\nimport numpy as np",
        "m = nn.ReLU(); m.eval(); m.to('cuda'); sum(m(x))", "assert 1; sum(x)", "sum(x)\nprint(x)",
        "np.testing.assert_allclose(x, x); sum(x)", "'what it does'; sum(x)",
    ],
)  # fmt: skip
def test_statement_that_only_shows_or_changes_in_place_is_read(text):
    assert grad(text, {"x": [1.0, 2.0]})["x"].size == 2


def test_output_that_is_run_backward_is_marked_where_it_is_named():
    text = "y = x*2; z = 3*x; y.backward(); print(x.grad)"
    with pytest.raises(VjpError) as caught:
        grad(text, {"x": [1.0, 2.0]})
    (label,) = caught.value.diagnostic.labels
    assert label.span.start == text.index("y.backward")


SOFTMAX_REGRESSION = """
X = np.array([[1., 2.], [3., 4.], [5., 6.]])
y = np.array([0, 1, 1])
W = np.zeros((2, 2))
scores = X.dot(W)
scores -= np.max(scores, axis=1, keepdims=True)
probs = np.exp(scores) / np.sum(np.exp(scores), axis=1, keepdims=True)
loss = -np.mean(np.log(probs[np.arange(3), y])) + 0.005 * np.sum(W * W)
"""


def test_wrt_makes_a_leaf_of_a_value_that_the_program_gives():
    found = explain(SOFTMAX_REGRESSION, wrt="W")
    assert list(found.gradients) == ["W"]
    np.testing.assert_allclose(found.gradients["W"] * 6, [[7, -7], [8, -8]], rtol=1e-12)
    assert found.check.agrees


def test_value_given_for_a_name_of_the_program_makes_it_a_leaf_with_this_value():
    assert grad("x = 2; y = x**2", {"x": 3})["x"] == 6
    assert grad("x = 2; h = 3*x; h**2", {"x": 1, "h": 5})["x"] == 18


def test_leaf_that_is_chosen_is_read_by_another_that_is_computed_from_it():
    found = grad("a = 2.0; b = 3*a; a*b", {}, wrt="a")
    assert found["a"] == 12
    with pytest.raises(VjpError) as caught:
        grad("a = 2.0; b = 3*a; a*b", {}, wrt=["a", "b"])
    assert caught.value.diagnostic.code == "unknown-leaf"
    assert caught.value.diagnostic.notes[-1].startswith("the program makes b itself")


def test_program_without_a_leaf_says_which_names_can_be_one():
    expected = "X, y and W have their values from the program: --wrt W makes W a leaf"
    assert f"{expected}." in explain(SOFTMAX_REGRESSION).sentences
    assert not any("--wrt" in one for one in explain("f = lambda q: q**2; f(3.0)").sentences)
    said = rehearse('vjp grad "x = 2; y = x**2"').err
    assert "error[no-leaf]" in said
    assert "note: x has its value from the program: --wrt x makes x a leaf" in said


def test_leaf_that_a_script_declares_is_not_called_bound_twice():
    assert not any("bound more than once" in one for one in explain(SCRIPT).sentences)
    again = explain("x = torch.tensor(1.0, requires_grad=True)\nx = x * 2\nx.backward()")
    assert any(one.startswith("x is bound more than once") for one in again.sentences)
