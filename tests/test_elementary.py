"""Conventions, limits and spellings of the elementary operations.

Where a number is a convention rather than mathematics, it was measured with PyTorch 2.13,
JAX 0.10 or autograd 1.9 in float64.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from node_functions import gradients_of, second_gradient_of

import vjpcli.ops  # noqa: F401  (declares the operations)
from vjpcli.engine.backward import backward
from vjpcli.engine.evaluate import evaluate
from vjpcli.errors import Source, Span, VjpError
from vjpcli.graph.binding import call_operation
from vjpcli.graph.names import find_callee
from vjpcli.graph.node import Graph
from vjpcli.graph.operation import OPERATIONS, make_leaf

inf, nan = math.inf, math.nan
op = OPERATIONS


def run(function, *values, seed=None, like="torch", dtype=float):
    """Value of function(*leaves), and the gradient of every leaf (seed of ones unless given)."""
    named = {f"x{i}": value for i, value in enumerate(values)}
    value, gradients = gradients_of(function, named, seed, like=like, dtype=dtype)
    return value, list(gradients.values())


def second_derivative(function, x):
    """d2f/dx2 of a function of one number."""
    return float(second_gradient_of(function, x, 1.0))


def call(name, *arguments, library="torch", method=False, **keywords):
    """The node that `name(*arguments, **keywords)` gives when a user writes it."""
    receiver = arguments[0] if method else None
    callee = find_callee(name, library, receiver=receiver)
    assert callee is not None, name
    bound = [(key, value, Span(0, 0)) for key, value in keywords.items()]
    positional = arguments[1:] if method else arguments
    node, _ = call_operation(
        callee, positional, bound, Source(name), lambda node: node.static["value"]
    )
    return node


def assert_same(got, expected):
    np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-13, equal_nan=True)


CONVENTIONS = {
    # exponentials, logarithms, roots
    "exp multiplies by its output": (op["exp"], [[0, 1, 2]], [[1, math.e, math.e**2]]),
    "sqrt is vertical at 0": (op["sqrt"], [[0, 4]], [[inf, 0.25]]),
    "sqrt of a negative number": (op["sqrt"], [[-1.0]], [[nan]]),
    "rsqrt at 0": (op["rsqrt"], [[0.0]], [[-inf]]),
    "cbrt is vertical at 0 and real below": (op["cbrt"], [[0, -8]], [[inf, 1 / 12]]),
    "log of a negative number still has a slope": (op["log"], [[-1.0, 0.0]], [[-1.0, inf]]),
    "log1p at -1": (op["log1p"], [[-1.0]], [[inf]]),
    "expm1 far below": (op["expm1"], [[-800.0]], [[0.0]]),
    # powers
    "base 0": (op["power"], [[0, 3], [2, 2]], [[0, 6], [0, 9 * math.log(3)]]),
    "0 to the 0": (op["power"], [0, 0], [0, 0]),
    "0 to the -1": (op["power"], [0, -1], [-inf, -inf]),
    "negative base": (op["power"], [-2, 2], [-4, nan]),
    "x**0.5 + x**1.5": (lambda x: x**0.5 + x**1.5, [[0, 4]], [[inf, 3.25]]),
    # angles
    "arcsin at its ends": (op["arcsin"], [[-1, 1, 2]], [[inf, inf, nan]]),
    "arccos at its ends": (op["arccos"], [[-1, 1, 2]], [[-inf, -inf, nan]]),
    "arctan2 at the origin": (op["arctan2"], [0, 0], [0, 0]),
    "arctan2 on the negative axis": (op["arctan2"], [0, -2], [-0.5, 0]),
    "arctan2 far out, where a**2 overflows": (op["arctan2"], [3e200, 4e200], [1.6e-201, -1.2e-201]),
    "arctan2 close in, where a**2 vanishes": (op["arctan2"], [3e-200, 4e-200], [1.6e199, -1.2e199]),
    "hypot at the origin": (op["hypot"], [0, 0], [nan, nan]),
    "hypot far out": (op["hypot"], [3e200, 4e200], [0.6, 0.8]),
    "arctan far out": (op["arctan"], [[-inf, 1e200, inf]], [[0, 0, 0]]),
    "sinc at 0": (op["sinc"], [[0.0, 1.0]], [[0.0, -1.0]]),
    "sin(x)/x written out": (
        lambda x: op["sin"](x) / x, [[0, 1]], [[nan, math.cos(1) - math.sin(1)]]
    ),
    # hyperbolic
    "tanh saturates": (lambda x: op["tanh"](10 * x), [[2.0, 0.1]], [[0.0, 10 / math.cosh(1) ** 2]]),
    "arcsinh far out": (op["arcsinh"], [[0, -1e200, 1e200]], [[1, 1e-200, 1e-200]]),
    "arccosh at 1": (op["arccosh"], [[1.0]], [[inf]]),
    "arctanh at its ends": (op["arctanh"], [[-1, 1]], [[inf, inf]]),
    # signs
    "abs": (op["abs"], [[-2, 0, 3, nan]], [[-1, 0, 1, 0]]),
    "sign is flat": (op["sign"], [[-2, 0, 3]], [[0, 0, 0]]),
    "copysign": (op["copysign"], [[1, -2, 0, 3], [-3, 4, 1, 0]], [[-1, -1, 0, 1], [0, 0, 0, 0]]),
    # logarithms of sums and products
    "logaddexp at an infinity": (op["logaddexp"], [inf, 1], [1, 0]),
    "logaddexp at -inf": (op["logaddexp"], [[-inf, -inf], [1, -inf]], [[0, nan], [1, nan]]),
    "logaddexp far apart": (op["logaddexp"], [[800, 0], [0, 40]], [[1, math.exp(-40)], [0, 1]]),
    "logaddexp2": (op["logaddexp2"], [[1, 3000], [1, 1]], [[0.5, 1], [0.5, 0]]),
    "xlogy": (op["xlogy"], [[0, 0, 2], [0, 3, 0]], [[0, math.log(3), -inf], [nan, 0, inf]]),
    "xlog1py": (op["xlog1py"], [[0, 0], [-1, 3]], [[0, math.log(4)], [nan, 0]]),
    "entr at 0": (op["entr"], [[0, 1]], [[inf, -1]]),
    "logit at its ends": (op["logit"], [[0, 0.5, 1]], [[inf, 4, inf]]),
    "logit with eps": (lambda x: op["logit"](x, eps=0.1), [[0, 0.5, 1]], [[0, 4, 0]]),
    "log(1+exp(x)) overflows": (
        lambda x: op["log"](1 + op["exp"](x)), [[1, 800]], [[1 / (1 + math.exp(-1)), nan]]
    ),
    "log of a logistic function overflows": (
        lambda x: op["log"](1 / (1 + op["exp"](-x))), [[-1, -800]], [[1 / (1 + math.exp(-1)), nan]]
    ),
    # choice
    "maximum at a tie": (op["maximum"], [[2, 1], [2, 5]], [[0.5, 0], [0.5, 1]]),
    "maximum of one and the same": (lambda x: op["maximum"](x, x), [[2.0]], [[1.0]]),
    "maximum with nan": (op["maximum"], [nan, 2], [1, 1]),
    "minimum with nan": (op["minimum"], [2, nan], [1, 1]),
    "fmax": (op["fmax"], [[2, nan, 1, 3], [2, 1, nan, 4]], [[1, 0, 1, 0], [0, 1, 0, 1]]),
    "fmax of two nans": (op["fmax"], [nan, nan], [1, 0]),
    "fmin": (op["fmin"], [[2, nan, 1, 3], [2, 1, nan, 4]], [[1, 0, 1, 1], [0, 1, 0, 0]]),
    "clip": (lambda x: op["clip"](x, 0, 1), [[-1, 0, 0.5, 1, 3, nan]], [[0, 1, 1, 1, 0, 0]]),
    "clip with the bounds the wrong way round": (op["clip"], [0.5, 1, 0], [0, 0, 1]),
    "clamp_min": (op["clamp_min"], [[-1, 0, 2], 0.0], [[0, 1, 1], 1]),
    "clamp_max": (op["clamp_max"], [[-1, 0, 2], 0.0], [[1, 1, 0], 1]),
    "bounds by minimum and maximum": (
        lambda x, low, high: op["minimum"](op["maximum"](x, low), high),
        [[-3, -2, 0, 2, 5], [-2] * 5, [2] * 5],
        [[0, 0.5, 1, 0.5, 0], [1, 0.5, 0, 0, 0], [0, 0, 0, 0.5, 1]],
    ),
    "heaviside": (op["heaviside"], [[-1, 0, 2], [0.5, 0.5, 0.5]], [[0, 0, 0], [0, 1, 0]]),
    "nan_to_num": (op["nan_to_num"], [[1, nan, inf, -inf]], [[1, 0, 0, 0]]),
    "where does not protect the branch that was not taken": (
        lambda x: op["where"](x > 1, op["log"](x - 1), 2 * x), [[3, 1, 0.5]], [[0.5, nan, 2]]
    ),
    "where and a root": (
        lambda x: op["where"](x > 0, op["sqrt"](x), x), [[-2, -9]], [[nan, nan]]
    ),
    "root of a square": (lambda x: op["sqrt"]((x - 1) ** 2), [[1, 3]], [[nan, 1]]),
    # division
    "remainder": (op["remainder"], [[5.5, -5.5, 4], [2, 2, 2]], [[1, 1, 1], [-2, 3, -2]]),
    "fmod": (op["fmod"], [[5.5, -5.5, 4], [2, 2, 2]], [[1, 1, 1], [-2, 2, -2]]),
    "reciprocal at 0": (op["reciprocal"], [[0.0, 2.0]], [[-inf, -0.25]]),
    # rounding
    "round": (lambda x: op["round"](x**2), [[2.2]], [[0]]),
    "frac": (op["frac"], [[1.25, -2.5, 3]], [[1, 1, 1]]),
    # special functions
    "erf far out": (op["erf"], [[0, 30, inf]], [[2 / math.sqrt(math.pi), 0, 0]]),
    "erfc far out": (op["erfc"], [[0, inf]], [[-2 / math.sqrt(math.pi), 0]]),
    "erfinv at its ends": (op["erfinv"], [[-1, 0, 1]], [[inf, math.sqrt(math.pi) / 2, inf]]),
    "lgamma": (op["lgamma"], [[1, 2]], [[-np.euler_gamma, 1 - np.euler_gamma]]),
    "digamma": (op["digamma"], [[1.0]], [[math.pi**2 / 6]]),
    "gamma": (op["gamma"], [[1.0]], [[-np.euler_gamma]]),
    "ndtr": (op["ndtr"], [[0.0]], [[1 / math.sqrt(2 * math.pi)]]),
    "i0 and i0e at 0": (lambda x: op["i0"](x) + op["i0e"](x), [[0.0]], [[0.0]]),
    "i1 and i1e at 0": (lambda x: op["i1"](x) + op["i1e"](x), [[0.0]], [[1.0]]),
    "i0e does not overflow": (op["i0e"], [[1e4]], [[-1.9947862107e-07]]),
}  # fmt: skip


@pytest.mark.parametrize(("function", "values", "expected"), CONVENTIONS.values(), ids=CONVENTIONS)
def test_gradient_follows_the_convention(function, values, expected):
    _, gradients = run(function, *values)
    for got, wanted in zip(gradients, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=1e-15, equal_nan=True)


OTHER_ENGINES = {
    "abs": ("jax", op["abs"], [[-2, 0, 3, nan]], [[-1, 1, 1, -1]]),
    "abs of nan": ("autograd", op["abs"], [[0, nan]], [[0, nan]]),
    "clip, jax": ("jax", lambda x: op["clip"](x, 0, 1), [[-1, 0, 1, 2]], [[0, 0.5, 0.5, 0]]),
    "clip, autograd": ("autograd", lambda x: op["clip"](x, 0, 1), [[0, 0.5, 1]], [[0, 1, 0]]),
    "arccos of clip": (
        "jax", lambda x: op["arccos"](op["clip"](x, -1, 1)), [[1, 2]], [[-inf, nan]]
    ),
    "arccos of clip, autograd": (
        "autograd", lambda x: op["arccos"](op["clip"](x, -1, 1)), [[1, 2]], [[nan, nan]]
    ),
    "0 to the 0": ("jax", op["power"], [0, 0], [nan, 0]),
    "0 to the 0, autograd": ("autograd", op["power"], [0, 0], [0, 0]),
    "0 to the -1": ("jax", op["power"], [0, -1], [-inf, nan]),
    "0 to the -1, autograd": ("autograd", op["power"], [0, -1], [-inf, nan]),
    "x**0 with 0 written out": ("jax", lambda x: x**0, [[0.0, 2.0]], [[0, 0]]),
    "maximum with nan": ("jax", op["maximum"], [nan, 2], [0, 0]),
    "maximum with nan, autograd": ("autograd", op["maximum"], [nan, 2], [0, 0]),
    "hypot": ("jax", op["hypot"], [[0, 3], [0, 4]], [[0.5, 0.6], [0.5, 0.8]]),
    "arctan2": ("jax", op["arctan2"], [0, 0], [nan, nan]),
    "xlogy": ("jax", op["xlogy"], [0, 0], [-inf, nan]),
    "fmin": ("jax", op["fmin"], [2, 2], [0, 1]),
    "fmax": ("autograd", op["fmax"], [[2, 3], [2, 1]], [[0.5, 1], [0.5, 0]]),
    "root of a square": ("jax", lambda x: op["sqrt"]((x - 1) ** 2), [[1, 3]], [[nan, 1]]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("engine", "function", "values", "expected"), OTHER_ENGINES.values(), ids=OTHER_ENGINES
)
def test_other_engine_is_followed_when_asked_for(engine, function, values, expected):
    _, gradients = run(function, *values, like=engine)
    for got, wanted in zip(gradients, expected, strict=True):
        assert_same(got, wanted)


def test_arccos_of_clip_is_protected_by_its_bounds():
    value, (gradient,) = run(lambda x: op["arccos"](op["clip"](x, -1, 1)), [0.5, 1.0, 2.0])
    assert_same(value, [math.pi / 3, 0, 0])
    assert_same(gradient, [-2 / math.sqrt(3), -inf, 0])


def test_zero_seed_does_not_protect_from_an_infinite_slope():
    _, (gradient,) = run(op["sqrt"], [0.0, 4.0], seed=[0.0, 1.0])
    assert_same(gradient, [nan, 0.25])


VALUES = {
    "0 * log 0": (op["xlogy"], [[0, 0, 1], [0, nan, -1]], [0, nan, nan]),
    "0 * log1p(-1)": (op["xlog1py"], [[0, 0], [-1, nan]], [0, nan]),
    "entr": (op["entr"], [[0, 1, -1, nan]], [0, 0, -inf, nan]),
    "logit": (op["logit"], [[-0.1, 0, 0.5, 1, 1.1]], [nan, -inf, 0, inf, nan]),
    "logaddexp": (op["logaddexp"], [[800, inf, -inf], [0, 1, -inf]], [800, inf, -inf]),
    "round half to even": (op["round"], [[0.5, 1.5, 2.5, -0.5]], [0, 2, 2, 0]),
    "round decimals": (lambda x: op["round"](x, decimals=1), [[1.26, -0.34]], [1.3, -0.3]),
    "trunc": (op["trunc"], [[1.7, -1.7]], [1, -1]),
    "ceil": (op["ceil"], [[1.2, -1.2]], [2, -1]),
    "frac": (op["frac"], [[1.25, -2.5]], [0.25, -0.5]),
    "fmod has the sign of a": (op["fmod"], [[5.5, -5.5], [2, 2]], [1.5, -1.5]),
    "remainder has the sign of b": (op["remainder"], [[5.5, -5.5], [2, 2]], [1.5, 0.5]),
    "copysign of -0.0": (op["copysign"], [[3, 3], [-0.0, 0.0]], [-3, 3]),
    "fmax ignores nan": (op["fmax"], [[nan, 1, nan], [2, nan, nan]], [2, 1, nan]),
    "maximum does not": (op["maximum"], [[nan, 1], [2, nan]], [nan, nan]),
    "heaviside": (op["heaviside"], [[-1, 0, 2], [0.5, 0.5, 0.5]], [0, 0.5, 1]),
    "lerp": (op["lerp"], [[1.0], [3.0], [0.25]], [1.5]),
    "addcmul": (lambda x, a, b: op["addcmul"](x, a, b, value=0.5), [1, 2, 3], 4),
    "addcdiv": (lambda x, a, b: op["addcdiv"](x, a, b, value=0.5), [1, 3, 2], 1.75),
    "ldexp": (op["ldexp"], [3, 2], 12),
    "deg2rad": (op["deg2rad"], [[180.0]], [math.pi]),
    "rad2deg": (op["rad2deg"], [[math.pi]], [180.0]),
    "lgamma at poles": (op["lgamma"], [[0, -1, inf, nan]], [inf, inf, inf, nan]),
    "gamma at poles": (op["gamma"], [[0.0, -0.0, -1, 5, 200]], [inf, -inf, nan, 24, inf]),
    "digamma at poles": (op["digamma"], [[0.0, -0.0, -1, inf, nan]], [-inf, inf, nan, inf, nan]),
    "trigamma at poles": (lambda x: op["polygamma"](1, x), [[0.0, -1.0, inf]], [inf, inf, 0]),
    "erfinv outside": (op["erfinv"], [[-1, 1, 2, nan]], [-inf, inf, nan, nan]),
    "i0 far out": (op["i0"], [[-inf, 714.0, nan]], [inf, inf, nan]),
    "multigammaln": (
        lambda x: op["multigammaln"](x, d=2), [3.0],
        0.5 * math.log(math.pi) + math.lgamma(3) + math.lgamma(2.5),
    ),
    "betaln": (op["betaln"], [2.0, 3.0], math.log(1 / 12)),
}  # fmt: skip


@pytest.mark.parametrize(("function", "values", "expected"), VALUES.values(), ids=VALUES)
def test_value_at_special_places(function, values, expected):
    got, _ = run(function, *values)
    assert_same(got, expected)


def test_stop_gradient_lets_no_adjoint_pass():
    value, (gradient,) = run(lambda x: x * op["stop_gradient"](x), [2.0, 3.0])
    assert_same(value, [4, 9])
    assert_same(gradient, [2, 3])
    _, (cut,) = run(op["stop_gradient"], [2.0, 3.0], seed=[inf, 1.0])
    assert_same(cut, [0, 0])


def test_nothing_arrives_behind_stop_gradient():
    leaf = make_leaf("x", (2,))
    graph = Graph.reaching({"y": op["stop_gradient"](leaf)}, {"x": leaf})
    assert leaf not in backward(graph, ["x"]).adjoints


def test_second_derivative_keeps_what_stop_gradient_left():
    assert second_derivative(lambda x: x * x * op["stop_gradient"](x), 3.0) == 6.0


def test_straight_through_rounding_has_the_slope_of_the_identity():
    value, (gradient,) = run(
        lambda x: x + op["stop_gradient"](op["round"](x) - x), [1.2, 2.7], seed=[1.0, 10.0]
    )
    assert_same(value, [1, 3])
    assert_same(gradient, [1, 10])


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc", "round", "sign"])
def test_flat_operation_passes_an_exact_zero_even_of_an_infinite_adjoint(name):
    _, (gradient,) = run(op[name], [0.5, -1.5], seed=[inf, nan])
    assert_same(gradient, [0, 0])


def test_quotient_in_the_slope_of_remainder_agrees_with_its_value():
    # 1/0.1 rounds to exactly 10 though 0.1 is a little above a tenth, so that only 9 fit.
    a, b = 1.0, 0.1
    for name in ("remainder", "fmod"):
        value, (_, to_b) = run(op[name], a, b)
        assert value == pytest.approx(a + b * float(to_b))
        assert to_b == -9


def test_curvature_of_sinc_at_zero_is_right():
    assert second_derivative(op["sinc"], 0.0) == pytest.approx(-(math.pi**2) / 3, rel=1e-14)


def test_slope_of_sinc_keeps_its_digits_near_zero():
    for x in (1e-12, 1e-8, 1e-5):
        _, (gradient,) = run(op["sinc"], x)
        assert gradient == pytest.approx(-(math.pi**2) / 3 * x, rel=1e-9)


def test_curvature_of_logaddexp_stays_finite_far_out():
    for x in (-1e4, -800.0, 800.0, 1e4):
        assert second_derivative(lambda x: op["logaddexp"](0, x), x) == 0
    assert second_derivative(lambda x: op["logaddexp"](0, x), 0.0) == pytest.approx(0.25)


def test_slope_of_i1_needs_no_division_at_zero():
    assert second_derivative(op["i0"], 0.0) == 0.5
    assert second_derivative(op["i1"], 0.0) == 0.0


CONDITIONS = {
    "isinf": [False, True, True, False],
    "isposinf": [False, True, False, False],
    "isneginf": [False, False, True, False],
    "signbit": [True, False, True, False],
    "isnan": [False, False, False, True],
}


@pytest.mark.parametrize(("name", "expected"), CONDITIONS.items())
def test_condition_holds_where_it_should(name, expected):
    leaf = make_leaf("x", (4,))
    node = op[name](leaf)
    assert node.kind == "condition"
    graph = Graph.reaching({"y": node}, {"x": leaf})
    got = evaluate(graph, {"x": np.array([-0.0, inf, -inf, nan])})[node]
    assert got.tolist() == expected


def test_isclose_is_relative_to_its_second_operand():
    a, b = make_leaf("a", (3,)), make_leaf("b", (3,))
    node = op["isclose"](a, b, rtol=0.1, atol=0, equal_nan=True)
    graph = Graph.reaching({"y": node}, {"a": a, "b": b})
    values = {"a": np.array([10.0, 10.0, nan]), "b": np.array([9.1, 9.0, nan])}
    assert evaluate(graph, values)[node].tolist() == [True, False, True]


SPELLINGS = [
    ("torch", "asin", "arcsin"), ("torch", "acos", "arccos"), ("torch", "atan", "arctan"),
    ("torch", "atan2", "arctan2"), ("torch", "asinh", "arcsinh"), ("torch", "acosh", "arccosh"),
    ("torch", "atanh", "arctanh"), ("torch", "arcsin", "arcsin"), ("numpy", "arctan2", "arctan2"),
    ("numpy", "degrees", "rad2deg"), ("numpy", "radians", "deg2rad"), ("numpy", "fix", "trunc"),
    ("numpy", "rint", "round"), ("numpy", "around", "round"), ("numpy", "fabs", "abs"),
    ("numpy", "float_power", "power"), ("torch", "detach", "stop_gradient"),
    ("jax", "stop_gradient", "stop_gradient"), ("torch", "psi", "digamma"),
    ("torch", "gammaln", "lgamma"), ("jax", "gammaln", "lgamma"), ("torch", "clamp", "clip"),
]  # fmt: skip


@pytest.mark.parametrize(("library", "written", "meant"), SPELLINGS)
def test_spelling_of_a_library_is_understood(library, written, meant):
    callee = find_callee(written, library)
    assert callee is not None
    assert callee.operation is op[meant]


X = [0.3, 1.7, 2.6]

CALLS = {
    "polygamma": (lambda x: call("polygamma", 1, x), lambda x: op["polygamma"](1, x)),
    "x.polygamma": (
        lambda x: call("polygamma", x, 2, method=True),
        lambda x: op["polygamma"](2, x),
    ),
    "iv": (lambda x: call("iv", 2, x), lambda x: op["iv"](2, x)),
    "div floor": (
        lambda x: call("div", x, 0.7, rounding_mode="floor"),
        lambda x: op["floor_divide"](x, 0.7),
    ),
    "div trunc": (
        lambda x: call("div", -x, 0.7, rounding_mode="trunc"),
        lambda x: -op["floor_divide"](x, 0.7),
    ),
    "x.div": (
        lambda x: call("div", x, 0.7, method=True, rounding_mode="floor"),
        lambda x: op["floor_divide"](x, 0.7),
    ),
    "round": (lambda x: call("round", x, decimals=1), lambda x: op["round"](x, decimals=1)),
    "np.round": (
        lambda x: call("round", x, 1, library="numpy"),
        lambda x: op["round"](x, decimals=1),
    ),
    "logit eps": (
        lambda x: call("logit", x / 3, eps=0.2),
        lambda x: op["logit"](op["clip"](x / 3, 0.2, 0.8)),
    ),
    "addcmul": (
        lambda x: call("addcmul", x, tensor1=x, tensor2=x + 1, value=3),
        lambda x: x + 3 * x * (x + 1),
    ),
    "addcdiv": (lambda x: call("addcdiv", x, x, x + 1, value=3), lambda x: x + 3 * x / (x + 1)),
    "lerp": (lambda x: call("lerp", x, 5.0, 0.25), lambda x: 0.75 * x + 1.25),
    "x.lerp": (lambda x: call("lerp", x, 5.0, 0.25, method=True), lambda x: 0.75 * x + 1.25),
    "clamp min": (lambda x: call("clamp", x, min=1.0), lambda x: op["maximum"](x, 1.0)),
    "np.clip": (
        lambda x: call("clip", x, a_min=1.0, a_max=2.0),
        lambda x: op["clip"](x, 1.0, 2.0),
    ),
    "heaviside": (
        lambda x: call("heaviside", x - 1, values=0.5),
        lambda x: op["heaviside"](x - 1, 0.5),
    ),
    "mvlgamma": (
        lambda x: call("mvlgamma", x + 1, p=2),
        lambda x: op["multigammaln"](x + 1, d=2),
    ),
    "nan_to_num": (
        lambda x: call("nan_to_num", op["log"](x - 1.7), nan=7.0, neginf=-5),
        lambda x: op["nan_to_num"](op["log"](x - 1.7), nan=7.0, neginf=-5),
    ),
}


@pytest.mark.parametrize(("written", "meant"), CALLS.values(), ids=CALLS)
def test_call_as_users_write_it_means_the_same(written, meant):
    value, (gradient,) = run(written, X)
    expected_value, (expected_gradient,) = run(meant, X)
    assert_same(value, expected_value)
    assert_same(gradient, expected_gradient)


def test_nan_to_num_takes_its_replacements():
    value, _ = run(lambda x: op["nan_to_num"](x, nan=7, posinf=8, neginf=9), [nan, inf, -inf, 1])
    assert_same(value, [7, 8, 9, 1])
    widest, _ = run(op["nan_to_num"], [inf, -inf])
    assert_same(widest, [np.finfo(np.float64).max, -np.finfo(np.float64).max])
    narrow, _ = run(op["nan_to_num"], [inf], dtype=np.float32)
    assert narrow.tolist() == [float(np.finfo(np.float32).max)]


@pytest.mark.parametrize(
    ("call_it", "code"),
    [
        (lambda x: call("round", x, "2"), "keyword-value"),
        (lambda x: call("div", x, 2.0, rounding_mode="up"), "keyword-value"),
        (lambda x: call("polygamma", x, x), "static-not-plain"),
        (lambda x: call("logit", x, eps=True), "keyword-value"),
        (lambda x: call("round", x, decimals=(1, 2)), "keyword-value"),
        (lambda x: call("logit", x, eps=nan), "keyword-value"),
        (lambda x: call("lerp", x, x), "missing-argument"),
        (lambda x: call("sin", x, decimals=2), "unknown-keyword"),
    ],
)
def test_wrong_call_is_refused_with_one_diagnostic(call_it, code):
    with pytest.raises(VjpError) as caught:
        call_it(make_leaf("x", (3,)))
    assert caught.value.diagnostic.code == code
