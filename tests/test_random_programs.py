"""Programs that nobody would write: every operation with random operands, statics and values.

Each must end in an Explanation that holds together, or in one Diagnostic that points into the
program. What is drawn depends on the number of the program alone.
"""

from __future__ import annotations

import json
import random
import warnings

import numpy as np
import pytest

import vjpcli.ops  # noqa: F401  (declares the operations)
from vjpcli import VjpError, api
from vjpcli.graph.operation import OPERATIONS
from vjpcli.render.diagnostic import render_diagnostic
from vjpcli.render.text import render_explanation

GROUPS = 24
PROGRAMS_IN_A_GROUP = 20
WIDTHS = (24, 60, 80, 120, None)
ODD_VALUES = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e300, 1e-300, 5e-324, 1e16, 0.5]
ODD_STATICS = [
    0, 1, -1, 2, 3, -3, 1.5, True, False, None, "mean", "sum", "reflect", "ij", "fro", "",
    float("inf"), float("nan"), [], [0], [0, 1], (1,), [0, 0], [[0, 1], [1, 0]],
    10**9, 10**12, -(10**9), 10**30, 1e18,
]  # fmt: skip
AROUND = [
    "{0}", "{0}", "{0}", "sin({0})", "sum({0})", "({0})**2", "sqrt({0})", "log({0})",
    "h = {0}; h*h", "({0})[0]", "({0}) + x0", "where({0} > 0, {0}, 0)", "max({0})", "({0}).T",
    "[{0}, {0}]", "({0})[..., None]", "norm({0})", "cumsum({0}, axis=-1)", "({0})[::-1]",
    "h = {0}; h += 1; h.sum()", "softmax({0}, axis=-1)", "1/({0})", "maximum({0}, 0)",
    "x0*detach({0})", "a, b = {0}; a",
]  # fmt: skip


def written(value):
    """A value in the language."""
    if isinstance(value, np.ndarray | np.generic):
        return written(value.tolist())
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(written, value))}{',' if len(value) == 1 else ''})"
    return "slice(None)" if isinstance(value, slice) else repr(value)


def random_shape(rng):
    lengths = [1, 2, 2, 3, 4] if rng.random() < 0.75 else [0, 1, 2, 3]
    return tuple(rng.choice(lengths) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4])))


def changed_shape(rng, shape):
    others = [tuple(0 for _ in shape), (*shape, 2), (2, *shape), random_shape(rng)]
    return shape if rng.random() < 0.75 else rng.choice(others)


def random_value(rng, shape, domains, position):
    numbers = np.random.default_rng(rng.randrange(2**32))
    draw = rng.random()
    if domains and draw < 0.6:
        domain = domains[min(position, len(domains) - 1)]
        return numbers.uniform(domain.low, domain.high, size=shape)
    if draw < 0.85:
        return np.asarray(numbers.normal(size=shape))
    return np.asarray(numbers.choice(ODD_VALUES, size=shape))


def random_program(number):
    """Text and values."""
    rng = random.Random(number)
    operation = OPERATIONS[rng.choice(list(OPERATIONS))]
    shape = random_shape(rng)
    operands, static = [shape] * (rng.randint(1, 3) if operation.variadic else 0), {}
    if not operation.variadic:
        operands = [shape] * (len(operation.operand_names) - operation.optional_operands)
    if operation.samples and rng.random() < 0.8:
        chosen = rng.choice(operation.samples)
        operands, static = list(chosen.operands), dict(chosen.static)
    values, words = {}, []
    for position, one in enumerate(operands):
        if isinstance(one, tuple):
            shape = changed_shape(rng, one)
            values[f"x{position}"] = random_value(rng, shape, operation.domains, position)
            words.append(f"x{position}")
        else:
            words.append(written(one))
    for name, default in operation.static_defaults.items():
        if rng.random() < 0.2:
            static[name] = rng.choice([default, *ODD_STATICS] if default in (0, 1) else ODD_STATICS)
    words += [f"{name}={written(one)}" for name, one in static.items()]
    call = f"{rng.choice(['', '', 'np.', 'torch.', 'F.'])}{operation.name}({', '.join(words)})"
    return rng.choice(AROUND).format(call), values


def asserts_a_good_diagnostic(error):
    diagnostic = error.diagnostic
    for label in diagnostic.labels:
        assert label.span.end <= len(diagnostic.source.text)
    text = render_diagnostic(diagnostic, width=80, ascii_only=True, colour=False)
    assert text.isascii()
    assert text.count("error[") == 1
    for ours in ("<function", " at 0x", "Node(", "Outcome(", "dtype("):
        assert ours not in text
    assert len(diagnostic.message) < 1000


def asserts_screens(explanation, width):
    for ascii_only in (False, True):
        text = render_explanation(
            explanation, width=width, ascii_only=ascii_only, show_steps=ascii_only
        )
        assert "\x1b" not in text
        assert text.isascii() or not ascii_only
        if width is not None and width >= 60:
            assert max(map(len, text.splitlines()), default=0) <= width


def same(got, expected, *, size, dtype):
    rtol, atol = (1e-6, 1e-9) if dtype == "float64" else (2e-3, 1e-4)
    if np.all(np.isfinite(got)) and np.all(np.isfinite(expected)):
        np.testing.assert_allclose(got, expected, rtol=rtol, atol=atol * max(1.0, size))


def asserts_one_jacobian(text, values, output, dtype, like, number):
    """The gradient is the seed times the Jacobian, and two seeds add up."""
    options = {"dtype": dtype, "like": like}
    seed = np.random.default_rng(number).uniform(0.5, 1.5, size=output.shape)
    jacobians = api.jac(text, values, **options)
    gradients = api.grad(text, values, seed=seed, **options)
    doubled = api.grad(text, values, seeds=[seed, seed], **options)
    for name, value in values.items():
        table, gradient = jacobians[name].astype(np.float64), gradients[name]
        assert gradient.shape == value.shape
        assert table.shape == output.shape + value.shape
        size = np.max(np.abs(table), initial=0.0)
        if not size < 1e30:  # also nan
            continue
        same(gradient, np.tensordot(seed, table, output.ndim), size=size, dtype=dtype)
        same(doubled[name], 2 * gradient, size=size, dtype=dtype)


def asserts_it_holds(number):
    text, values = random_program(number)
    before = {name: value.copy() for name, value in values.items()}
    for value in values.values():
        value.setflags(write=False)
    rng = random.Random(-number - 1)
    dtype = rng.choice(["float64", "float64", "float32"])
    like = rng.choice(["torch", "torch", "jax", "autograd"])
    seed = rng.choice([None, None, "ones", "row:0", "each"])
    try:
        explanation = api.explain(
            text, values, seed=seed, dtype=dtype, like=like, formulas=rng.random() < 0.3
        )
    except VjpError as error:
        asserts_a_good_diagnostic(error)
        return
    asserts_screens(explanation, rng.choice(WIDTHS))
    document = json.loads(api.to_json(explanation), parse_constant=pytest.fail)
    assert set(values) <= set(document["gradients"])
    check = explanation.check
    ordinary = all(np.all(np.abs(value) < 1e6) for value in values.values())  # False for nan
    if check is not None and check.agrees is False and ordinary:
        assert explanation.diagnostics, f"{text} disagrees and nothing says why: {check}"
    output = explanation.output.value
    largest = max((value.size for value in values.values()), default=0)
    given = set(explanation.inputs) == set(values)
    if given and output.size * largest < 5_000:
        asserts_one_jacobian(text, values, output, dtype, like, number)
    for name, value in values.items():
        np.testing.assert_array_equal(value, before[name])


@pytest.mark.parametrize("group", range(GROUPS))
def test_a_random_program_is_explained_or_refused(group):
    for number in range(group * PROGRAMS_IN_A_GROUP, (group + 1) * PROGRAMS_IN_A_GROUP):
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            try:
                asserts_it_holds(number)
            except (Exception, AssertionError) as error:
                error.add_note(f"program {number}: {random_program(number)[0]}")
                raise
