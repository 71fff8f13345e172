"""What the people behind the public questions needed to see stands on the plain screen.

The numbers are held by test_public_questions.py; here it is the words. `--steps` is asked for
where only it shows what was asked.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from test_public_questions import CASES, arguments

from vjpcli import VjpError, explain
from vjpcli.render.text import render_explanation

ANSWERS: dict[str, tuple[str, ...]] = {
    "seed-meaning": ("-4 → -8", "seed × slope → gradient"),
    "seed-onehot-row": ("▶ y[2] │ 1 │ 6 6", "A one-hot seed picks one row of the Jacobian"),
    "seed-outer": ("x is read twice", "7 + 7 = 14 at x[0]", "is the output flattened"),
    "seed-2d-contraction": (
        "x.grad[k,l] = Σ seed[i,j] × ∂y[i,j]/∂x[k,l]",
        "the Jacobian is diagonal",
        "∂y/∂x = 2·x",
    ),
    "grad-has-leaf-shape": (
        "The seed has the shape of the output, 2×1, and z.grad that of z, 2×1",
        "the transpose of this column",
    ),
    "multi-output": ("▶ y[3] mean(x) │ 1 │ 0.3333 0.3333 0.3333", "y[0] x**3"),
    "one-entry": ("Picking an entry is the same as the seed 0,1,0 on y",),
    "size1-output": ("PyTorch and autograd accept shape [1], too; jax.grad refuses it",),
    "seed-1-vs-scalar": ("the seed has shape (1,), but the output y has shape ()",),
    "seed-input-shape": ("the seed has shape (3,), but the output y has shape (3, 3)",),
    "backward-twice": ("In PyTorch a second backward() adds to .grad",),
    "reused-nonleaf": ("h is read 3 times", "-2 + (-2) + 3 = -1"),
    "second-backward": ("y = x*x [2] value 1 4 rule ∂y/∂x = x + x saves x", "saves nothing"),
    "nonleaf-grad": ("h.grad 6 -40", "PyTorch: only after h.retain_grad()"),
    "exp-backward": ("∂y/∂x = exp(x) = y",),
    "unused-input": ("y.grad 0 0 not used (PyTorch: None; JAX and autograd: zeros)",),
    "zero-times": ("b.grad is 0: in 0*b it is multiplied by 0", "it is connected"),
    "const-output": ("y does not depend on x", "element 0 of tensors does not require grad"),
    "int-input": ("x: integers, read as float64; PyTorch and JAX refuse",),
    "argmax": ("every path to the output goes through argmax(x)", "a position has no derivative"),
    "round-zero": ("goes through round(x**2), where no gradient passes", "flat: its slope is 0"),
    "bcast-outer-like": (
        "a was stretched along axis 1 by broadcasting, so what comes back, 3×2, is summed over "
        "axis 1 to 3×1",
        "b was stretched along axis 0",
    ),
    "bcast-mse-trap": ("broadcast-pairs", "value as corrected is 0", "t[:, None]"),
    "bcast-to": (
        "what comes back, 2×3, is summed over axis 0",
        'autograd raises "Can\'t handle extra leading dims"',
    ),
    "custom-bwd-shape": ("x.grad = ones 1 1 1", "vjp check"),
    "gradfn-no-unbroadcast": ("x.grad = sum(seed·y, axis=1)", "2×3, is summed over axis 1 to 2×1"),
    "where-log": ("1/0 = ∞", "0 × ∞ = nan", "where(x > 1, log(where(x > 1, x - 1, 1)), 2*x)"),
    "where-sqrt-neg": ("0 × nan = nan", "True slope at -2: 1 from both sides"),
    "unused-row-nan": ("2 of 4 entries of x are nan, in row 1", "0 × nan is nan"),
    "sqrt-of-square": ("the first ∞ is made here", "∞ × 0 = nan", "abs(x-1)"),
    "sqrt-zero-inf": ("sqrt(x) has an infinite slope here", "∞ from the right"),
    "norm-squared-zero": ("JAX and autograd give nan for x.grad", "JAX: 0 × nan", "sum(x*x)"),
    "normalize-zero": ("abs(a), where a == 0: any slope in [-1, 1]", "JAX gives 1"),
    "xlogx": ("log(0) is -∞", "p*log(p)", "where(p > 0"),
    "pow-exponent": ("∂y/∂b = where((a == 0) & (b >= 0), 0, a**b·log(a))",),
    "pow-both-zero": ("JAX gives a.grad[0] = nan", "the slope there is -∞; used 0 (PyTorch)"),
    "pow-neg-base": ("log(-2) is nan",),
    "pow-half": ("x**0.5 has an infinite slope here",),
    "std-constant": ("JAX and autograd give nan", "a root has an infinite slope at 0"),
    "std-ddof": ("std: ddof=0",),
    "logsumexp-allneginf": ("the softmax of (-∞, -∞) is undefined",),
    "logsumexp-some-neginf": ("x.grad = exp(-logsumexp(x) + x) 0 0.5 0.5",),
    "softplus-naive": ("exp(800) overflows", "logaddexp(0, x)"),
    "sigmoid-handmade": ("overflows", "logsigmoid(x)"),
    "acos-clip": ("= -∞", "JAX gives x.grad[2] = nan", "-∞ × 0 = nan", "x.grad[1] = nan"),
    "max-ties": ("any share in [0, 1] is right; used 0.5",),
    "maximum-tie": ("any share in [0, 1] is right; used 0.5", "where(x == y, 1/2"),
    "maximum-self": ("0.5 + 0.5 = 1",),
    "relu-zero": ("any slope in [0, 1] is right; used 0 (PyTorch)",),
    "abs-zero": ("any slope in [-1, 1] is right; used 0 (PyTorch)", "JAX gives 1"),
    "relu6-bounds": ("where x == 0", "where x == 6"),
    "minmax-clamp": ("where x == lo: any share in [0, 1] is right; used 0.5",),
    "prod-one-zero": ("autograd gives x.grad[1] = nan", "is the product of the others"),
    "cumprod-zero": ("y[0] │ 1 │ 1 · · ·", "y[3] │ 1 │ 0 30 0 0"),
    "cumsum": ("what comes back to it is the sum from there to the end",),
    "gather-repeat": ("x[0] is read twice", "0.4 + 2 = 2.4; x[1] is never read: 0"),
    "det-singular": (
        'PyTorch 2.13 gives zeros for A.grad and autograd raises "Singular matrix"',
        "A.grad = cofactor(A)",
    ),
    "det-regular": ("A.grad = cofactor(A) 5 -2",),
    "inv-trace": ("A.grad = -inv(A)ᵀ @ inv(A)ᵀ",),
    "solve": ("-outer(solve(Aᵀ, ones), solve(A, b))", "b.grad = solve(Aᵀ, ones)"),
    "quad-nonsym": ("(A @ x)/2 - b + (x @ A)/2",),
    "slogdet": ("A.grad = inv(A)ᵀ",),
    "softmax-jac": ("its Jacobian is diag(p) - outer(p, p)", "▶ y[0] │ 1 │ 0.1778 -0.1453"),
    "softmax-saturated": ("4.277e-18", "saturated", "PyTorch 2.13 and JAX give x.grad[0] = 0"),
    "ce-from-softmax": ("x.grad = softmax(x)·sum(y) - y", "0 -4.125 0"),
    "ce-zero-target": ("x.grad = softmax(x)·sum(y) - y", "multiplied by y, which is 0"),
    "second-exp": ("vjp jac --hessian",),
    "norm-hessian-zero": ("there is no second derivative: it is nan", "used 0 (PyTorch)"),
    "grad-of-grad-norm": ("2·outer((A + Aᵀ) @ x, x) + 2·outer(x, (A + Aᵀ) @ x)",),
    "float32-drift": ("float64 · seed 1", "x.grad = 2·x 4 2 -6"),
    "inplace": ("y is bound more than once", "nothing is overwritten in place"),
    "zero-seed-nan": ("a seed of 0 does not switch an infinite slope off", "Same in PyTorch, JAX"),
    "l1-penalty-zero": ("JAX gives 1", "used 0 (PyTorch)"),
    "sinc-handmade": ("0/0 is not a number", "the value tends to 1, with slope 0", "sinc(x/pi)"),
    "eig-symmetric": (
        "A is taken as symmetric: all its entries are read",
        "autograd's gradient is triangular",
    ),
    "sym-offdiag": ("p[1] is read twice", "2 + 2 = 4"),
    "chain-product": ("x is read 3 times", "4 + 4 + 4 = 12"),
    "mean-scale": ("x.grad = seed/3",),
    "tanh-saturation": ("is saturated, its slope is 0",),
    "sum-vs-gradient-sign": ("Adding up is the same as a seed of ones on 3*x",),
    "caret": ("a power is written `**`",),
    "call-a-leaf": ("`x` is an input, not a function",),
    "steps-vs-result": ("25 + (-12.5) = 12.5",),
    "graph-with-numbers": ("h = a*b [2] value 3 8 adjoint 1 1", "↑ a × b 3 4", "--json"),
    "dup-index-write": ("position 0 is written more than once",),
    "labels": ("▶ y[0,0] │ 1 │ 2 3 2 ·", "X[0,0] X[0,1] X[1,0] X[1,1]"),
}

BY_STEPS = {"backward-twice", "second-backward", "int-input"}
BY_GRAPH = {"graph-with-numbers"}


def screen(case: dict[str, Any]) -> str:
    """The screen at 80 columns, or the message where the program is refused."""
    name = case["name"]
    given = arguments(case)
    if name in BY_STEPS:
        # Typed, as on the command line, where whole numbers may stand without a point.
        given["values"] = {k: str(v).replace(".0", "") for k, v in given["values"].items()}
    try:
        explanation = explain(case["program"], **given)
    except VjpError as error:
        return error.diagnostic.message
    text = render_explanation(
        explanation, width=80, show_steps=name in BY_STEPS, show_graph=name in BY_GRAPH
    )
    return re.sub(r"\s+", " ", text)


def test_every_question_has_an_answer():
    assert set(ANSWERS) == {case["name"] for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_screen_says_what_was_needed(case):
    text = screen(case)
    for answer in ANSWERS[case["name"]]:
        assert answer in text, text


def test_the_birth_of_a_nan_is_reported_with_its_context():
    text = screen(
        {"name": "", "program": "log(x) * x", "values": {"x": [0.0, 1.0]}, "seed": [1, 1]}
    )
    for answer in ("at x[0] = 0", "adjoint in", "log(0) is -∞", "1 × (-∞) = -∞"):
        assert answer in text


def test_a_seed_that_the_dtype_changes_is_told():
    explanation = explain("2*x", {"x": [1.0, 2.0]}, seed=[0.5, 0.1], dtype="float32", check=False)
    assert "The seed is held in float32, where 0.1 is 0.100000001." in explanation.sentences
    exact = explain("2*x", {"x": [1.0, 2.0]}, seed=[0.5, 0.25], dtype="float32", check=False)
    assert not any("float32" in sentence for sentence in exact.sentences)


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("3*a + 2*b*b + log(c)", {"a": [1.0, 2.0], "b": [3.0, 4.0], "c": [6.0, 7.0]}),
        ("sum(x)", {"x": [1.0, 2.0]}),
        ("W @ x", {"W": [[1.0, 2.0], [3.0, 4.0]], "x": [1.0, -1.0]}),
        ("x + 0*y", {"x": [1.0, 2.0], "y": [1.0, 2.0]}),
    ],
)
def test_what_needs_no_words_gets_none(expression, values):
    explanation = explain(expression, values, seed=None, check=False)
    text = " ".join(explanation.sentences)
    for words in ("is read", "comes back", "the same as", "bound more than once", "refuses"):
        assert words not in text


def test_a_large_value_is_not_counted_entry_by_entry():
    explanation = explain("sum(x*x*x)", {"x": np.ones(20_000)}, check=False, formulas=False)
    assert not any("is read" in sentence for sentence in explanation.sentences)
