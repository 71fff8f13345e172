"""Functions that a program defines, and turns that it writes out: lambda, for, if."""

from __future__ import annotations

import numpy as np
import pytest

from vjpcli import VjpError, explain, grad

VALUES = {"x": [1.0, 2.0, 3.0], "y": [4.0, 5.0, 6.0], "a": 3.0, "W": [[1.0, 2.0], [3.0, 4.0]]}


def gradients(text: str) -> dict[str, np.ndarray]:
    """With a seed that differs from entry to entry."""
    shape = explain(text, VALUES, formulas=False, check=False).output.value.shape
    seed = 1 + np.arange(np.prod(shape, dtype=int)).reshape(shape)
    return grad(text, VALUES, seed=seed)


@pytest.mark.parametrize(
    ("text", "written_out"),
    [
        ("(lambda q: q**2)(a)", "a**2"),
        ("f = lambda q: q**2; f(a)", "a**2"),
        ("f = lambda q: q**2; f(f(a))", "(a**2)**2"),
        ("f = lambda q, k=3: q**k; f(a) + f(a, k=2)", "a**3 + a**2"),
        ("f = lambda q: lambda r: q*r**2; f(a)(2*a)", "a*(2*a)**2"),
        ("f = lambda q: q*a; a = 2*a; f(a)", "(2*a)*(2*a)"),
        ("relu = lambda q: q**2; relu(a)", "a**2"),
        ("b = a**2; f = lambda b: b**3; f(2*b)", "(2*a**2)**3"),
        ("fs = [lambda q: q, lambda q: q**2]; fs[1](a)", "a**2"),
        ("[v**2 for v in x]", "x**2"),
        ("[x[i]**i for i in range(3)]", "[x[0]**0, x[1], x[2]**2]"),
        ("sum(x[i]**2 for i in range(1, 3))", "x[1]**2 + x[2]**2"),
        ("sum(v*w for v, w in zip(x, y))", "sum(x*y)"),
        ("sum([i*v for i, v in enumerate(x)])", "x[1] + 2*x[2]"),
        ("sum(x[i]*y[j] for i in range(3) for j in range(i))", "x[1]*y[0] + x[2]*(y[0] + y[1])"),
        ("sum(x[i] for i in range(3) if i != 1)", "x[0] + x[2]"),
        ("sum(x[i] for i in range(len(x)))", "sum(x)"),
        ("sum(W[i]**2 for i in range(2))", "W[0]**2 + W[1]**2"),
        ("sum(v for v in reversed(x))", "sum(x)"),
        ("max(v**2 for v in x)", "x[2]**2"),
        ("sum(v for v in [])*a + a", "a"),
        ("n = 3; a**2 if n > 2 else nothing(a)", "a**2"),
        ("n = 1; a**2 if n > 2 else a**3", "a**3"),
        ("a**2 if x.ndim == 1 else a", "a**2"),
        ("sum(x[i-1] if i > 0 else 2*x[i] for i in range(3))", "2*x[0] + x[0] + x[1]"),
        ("a**2 if False else a**3 if False else a**4", "a**4"),
    ],
)
def test_program_means_what_it_means_written_out(text, written_out):
    ours, theirs = gradients(text), gradients(written_out)
    for name in VALUES:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-14)


@pytest.mark.parametrize(
    ("text", "code", "marked", "fixed"),
    [
        ("lambda q: q**2", "lambda-expression", "lambda", "(q**2)"),
        ("f = lambda q: q; f + a", "lambda-expression", "lambda", "f = q; f + a"),
        ("f = lambda q: q; f(a, a)", "too-many-arguments", "f", None),
        ("f = lambda q: q; f()", "missing-argument", "f", None),
        ("f = lambda q: q; f(a, r=1)", "unknown-keyword", "r", None),
        ("f = lambda q: q; f(a, q=1)", "argument-twice", "q", None),
        ("f = lambda n: f(n); f(a)", "unrolled-too-far", "f", None),
        ("a if a > 2 else a**2", "if-expression", "if", "where(a > 2, a, a**2)"),
        ("sum(v for v in x if v > 1)", "comprehension", "v > 1", None),
        ("sum(v for v in a)", "not-iterable", "a", None),
        ("sum(a for i in range(10**9))", "unrolled-too-far", "range(10**9)", None),
        ("sum(a for i in range(0, 3, 0))", "keyword-value", "range", None),
        ("sum(a for i in range(0.5))", "keyword-value", "range", None),
        ("sum(a for i in range())", "missing-argument", "range", None),
        ("sum(i*j for i, j in x)", "not-iterable", "x", None),
        ("sum(i for i, j in [[1, 2, 3]])", "unpack-count", "[[1, 2, 3]]", None),
    ],
)
def test_what_cannot_be_written_out_is_refused_in_words(text, code, marked, fixed):
    with pytest.raises(VjpError) as caught:
        grad(text, VALUES)
    found = caught.value.diagnostic
    span = found.labels[0].span
    assert (found.code, found.source.text[span.start : span.end]) == (code, marked)
    assert (found.fix and found.fix.text) == fixed


@pytest.mark.parametrize(
    "text",
    [
        "sum(a for i in range(10000) for j in range(10000))",
        "sum(1 for i in range(9999) for v in zip(range(9999)))",
        "f = lambda q: q*q; g = lambda q: f(f(q)); h = lambda q: g(g(g(g(q)))); "
        "k = lambda q: [h(h(q)) for i in range(2000)]; sum(k(a))",
        "; ".join(
            [
                "f0 = lambda q: q",
                *(f"f{i} = lambda q: f{i - 1}(q) + f{i - 1}(q)" for i in range(1, 25)),
            ]
        )
        + "; f24(a)",
        "; ".join(["f0 = lambda q: q", *(f"f{i} = lambda q: f{i - 1}(q)" for i in range(1, 3000))])
        + "; f2999(a)",
    ],
)
def test_program_that_grows_without_end_is_refused_and_does_not_hang(text):
    with pytest.raises(VjpError) as caught:
        grad(text, {"a": 1.0})
    assert caught.value.diagnostic.code == "unrolled-too-far"


def test_long_chain_of_else_costs_no_depth():
    text = "a if False else " * 60 + "a**2"
    np.testing.assert_allclose(grad(text, {"a": 3.0})["a"], 6.0)


def test_turns_are_traced_as_nodes_at_their_place_in_the_text():
    found = explain("sum(x[i]**2 for i in range(3))", {"x": [1.0, 2.0, 3.0]})
    np.testing.assert_allclose(found.gradients["x"], [2.0, 4.0, 6.0])


@pytest.mark.parametrize(
    "text",
    [
        "a = [x, x]; " + "a = [a, a]; " * 40 + "sum(a)",
        "a = [x, x]; " + "a = [a for i in range(2)]; " * 40 + "sum(a)",
        "a = (x, x); " + "a = a + a; " * 40 + "sum(a)",
        "a = split(x, 1); " + "a = a + a; " * 40 + "sum(a)",
        "zeros((1,)*10**9)*x",
    ],
)
def test_lists_that_double_are_refused_before_they_fill_the_memory(text):
    with pytest.raises(VjpError) as caught:
        explain(text, {"x": [1.0, 2.0]})
    assert caught.value.diagnostic.code == "too-large"
