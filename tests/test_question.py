"""The question behind the project, "what are the gradient arguments of backward?", in ten cases."""

from __future__ import annotations

import numpy as np
import pytest

from vjpcli import VjpError, explain, grad

EXPRESSION = "3*a + 2*b*b + log(c)"
VALUES = {"a": [1, 2, 3], "b": [3, 4, 5], "c": [6, 7, 8]}
SEED = [0.1, 1.0, 0.0001]
EXPECTED = {
    "a": [0.3, 3.0, 0.0003],
    "b": [1.2, 16.0, 0.002],
    "c": [1 / 60, 1 / 7, 1.25e-05],
}


def assert_gradients(got, expected):
    assert set(got) == set(expected)
    for name, numbers in expected.items():
        assert np.shape(got[name]) == np.shape(numbers)
        np.testing.assert_allclose(got[name], numbers, rtol=1e-14, atol=0, equal_nan=False)


def test_a_seed_weights_the_rows_of_the_jacobian():
    explanation = explain(EXPRESSION, VALUES, seed=SEED)
    assert_gradients(explanation.gradients, EXPECTED)
    formulas = {name: report.formula for name, report in explanation.leaves.items()}
    assert formulas == {"a": "3", "b": "4*b", "c": "1/c"}
    assert explanation.check is not None and explanation.check.agrees


def test_a_scalar_output_needs_no_seed():
    got = grad(EXPRESSION, {"a": 0.1, "b": 1.0, "c": 0.1})
    assert_gradients(got, {"a": 3.0, "b": 4.0, "c": 10.0})


def test_a_seed_is_never_broadcast_but_the_output_can_be():
    values = {"a": [0.0], "b": [0.0], "c": [0.0]}
    with pytest.raises(VjpError) as caught:
        grad(EXPRESSION, values, seed=SEED)
    diagnostic = caught.value.diagnostic
    assert diagnostic.code == "seed-shape"
    assert "(3,)" in diagnostic.message and "(1,)" in diagnostic.message
    assert diagnostic.fix is not None
    got = grad(diagnostic.fix.text, values, seed=SEED)
    assert_gradients(got, {"a": [3.3003], "b": [0.0], "c": [np.inf]})


def test_every_seed_is_one_backward_pass_and_gradients_accumulate():
    got = grad(EXPRESSION, {"a": 1.0, "b": 1.0, "c": 1.0}, seeds=[1.0, 1.0])
    assert_gradients(got, {"a": 6.0, "b": 8.0, "c": 2.0})


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        ([[1, 0, 0, 0]], [[2, 0, 0, 0]]),
        ([[0, 1, 0, 0]], [[0, 2, 0, 0]]),
        ([[1, 1, 1, 1]], [[2, 2, 2, 2]]),
    ],
)
def test_a_one_hot_seed_picks_a_row_and_ones_add_them_all(seed, expected):
    got = grad("z = 2*x", {"x": [[1, 2, 3, 4]]}, seed=seed)
    assert_gradients(got, {"x": expected})


def test_the_sum_sends_ones_back_to_what_it_adds():
    explanation = explain("z = 2*x; loss = z.sum(dim=1)", {"x": [[1, 2, 3, 4]]})
    assert explanation.output.value.tolist() == [20.0]
    assert_gradients(explanation.gradients, {"x": [[2, 2, 2, 2]]})
    (z,) = (step for step in explanation.steps if step.name == "z")
    assert z.adjoint is not None and z.adjoint.tolist() == [[1, 1, 1, 1]]


def test_several_losses_are_weighted_at_once():
    program = "loss1 = w**2; loss2 = 3*w; loss3 = exp(w); [loss1, loss2, loss3]"
    got = grad(program, {"w": 0.5}, seed=[-0.1, 1.0, 0.0001])
    np.testing.assert_allclose(got["w"], 2.90016487212707, rtol=1e-14)


def test_a_later_loss_implies_the_seed():
    explanation = explain("y = 3*a + 2*b*b + log(c)", VALUES, loss="0.1*y[0] + y[1] + 0.0001*y[2]")
    assert explanation.seed is not None and explanation.seed.value is not None
    assert explanation.seed.value.tolist() == SEED
    assert explanation.seed.origin == "loss"
    assert_gradients(explanation.gradients, EXPECTED)


def test_stand_ins_count_up_and_are_marked():
    explanation = explain(EXPRESSION, seed=SEED)
    assert explanation.stand_ins == ("a", "b", "c")
    assert_gradients(explanation.gradients, EXPECTED)


@pytest.mark.parametrize("seed", [None, 1.0])
def test_what_an_operation_refuses_among_the_numbers_has_a_place(seed):
    with pytest.raises(VjpError) as caught:
        grad("1 + cross_entropy(x, t)", {"x": [[1, 2, 3]], "t": 1.5}, seed=seed)
    diagnostic = caught.value.diagnostic
    assert diagnostic.code == "index-not-whole"
    assert diagnostic.source is not None
    span = diagnostic.labels[0].span
    assert diagnostic.source.text[span.start : span.end] == "cross_entropy(x, t)"


def test_a_number_too_large_for_float32_is_infinite_and_no_warning_of_numpy_is_seen():
    assert_gradients(grad("x*x", {"x": 1e200}, dtype="float32"), {"x": np.inf})


@pytest.mark.parametrize(
    "name",
    ["K", "tf", "cp", "pd", "fft", "stats", "special", "linalg", "F", "np", "jax", "optax", "e"],
)
def test_value_given_for_the_name_of_a_library_is_read(name):
    found = explain(f"{name}.sum()", {name: [1.0, 2.0]})
    assert found.gradients[name].tolist() == [1, 1]
    assert not [one for one in found.diagnostics if one.code == "leaf-unused"]
    assert explain(f"{name} = 2*x; {name}.sum()", {"x": [1.0]}).gradients["x"].tolist() == [2]


def test_method_of_a_name_that_has_no_value_asks_for_the_value():
    with pytest.raises(VjpError) as caught:
        grad("K.sum()", {})
    assert caught.value.diagnostic.code == "missing-value"


def test_module_alone_leads_to_its_function_of_the_same_name():
    assert grad("fft.fft(x).real.sum()", {"x": [1.0, 2.0]})["x"].tolist() == [2, 0]


def test_shape_before_an_expression_reshapes_its_value(capsys):
    from vjpcli.cli import main

    main_with = ["grad", "sum(W*W)", "W:2x3=arange(6)"]
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr("sys.argv", ["vjp", *main_with])
        main()
    assert capsys.readouterr().out == "0.0 2.0 4.0 6.0 8.0 10.0\n"


@pytest.mark.parametrize(
    ("text", "gradient"),
    [
        ("scipy.stats.norm(0, 1).logpdf(x)", [-1, -2]),
        ("d = stats.norm(loc=1, scale=2); d.logpdf(x)", [0, -0.25]),
        ("stats.expon(0, 2).logpdf(x)", [-0.5, -0.5]),
    ],
)
def test_frozen_distribution_gives_its_parameters_to_its_functions(text, gradient):
    found = explain(text, {"x": [1.0, 2.0]}, seed="ones").gradients["x"]
    np.testing.assert_allclose(found, gradient, atol=1e-15)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("np.random.gamma(x)", "random-operation"),
        ("np.random.power(x, 2)", "random-operation"),
        ("scipy.stats.norm.std(x)", "not-offered"),
        ("scipy.stats.norm(x, 1).mean()", "not-offered"),
        ("scipy.stats.norm(x, 1).logpdf()", "missing-argument"),
        ("scipy.signal.square(x)", "not-offered"),
        ("scipy.ndimage.convolve(x, x)", "not-offered"),
        ("sympy.sinc(x)", "not-offered"),
        ("scipy.stats.norm(0, 1)(x)", "call-of-input"),
        ("np.linalg(x)", "call-of-input"),
    ],
)
def test_function_of_a_module_is_never_another_of_the_same_name(text, code):
    with pytest.raises(VjpError) as caught:
        grad(text, {"x": [1.0, 2.0]}, seed="ones")
    assert caught.value.diagnostic.code == code
