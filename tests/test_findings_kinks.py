"""Kinks and ties that were hit are told; kinks that do not matter are not."""

from __future__ import annotations

import numpy as np
import pytest
from carets import marked
from findings_of import number, only, told

CODES = {"kink", "tie", "kink-composed"}


# One kink each: expression, values, leaf element, interval, slope used, what others give.
KINKS = [
    ("relu(x)", {"x": [-1, 0, 2]}, (1,), (0, 1), 0, ""),
    ("abs(x)", {"x": [-2, 0, 3]}, (1,), (-1, 1), 0, "JAX gives 1"),
    ("sum(abs(x))", {"x": [0, -2, 3]}, (0,), (-1, 1), 0, "JAX gives 1"),
    ("clip(x, 0, 1)", {"x": [0.5, 1, 3]}, (1,), (0, 1), 1, "JAX gives 0.5 and autograd gives 0"),
    ("leaky_relu(x, 0.2)", {"x": [0, 1]}, (0,), (0.2, 1), 0.2, "JAX gives 1"),
    ("relu(2*x - 2)", {"x": 1.0}, (), (0, 1), 0, ""),
]


@pytest.mark.parametrize(("expression", "values", "index", "slopes", "used", "others"), KINKS)
def test_a_kink_tells_the_interval_and_what_others_use(
    expression, values, index, slopes, used, others
):
    found = only(expression, "kink", values)
    assert found.severity == "note"
    assert (found.leaf, found.index) == ("x", index)
    assert number(found, "slope") == used
    beside = number(found, "slope from the left"), number(found, "slope from the right")
    assert tuple(sorted(beside)) == slopes
    assert "any slope in [" in found.message and f"used {used:g} (PyTorch)" in found.message
    assert (others in found.notes) == bool(others)


def test_the_caret_stands_under_the_call_and_the_place_is_in_the_users_words():
    found = only("y = 3*relu(w - 1); y + 2", "kink", {"w": 1.0})
    assert marked(found) == ["relu(w - 1)"]
    assert "where (w - 1) == 0" in found.message or "where w - 1 == 0" in found.message


def test_another_engines_convention_is_told_as_used():
    found = only("abs(x)", "kink", {"x": [0.0, 1]}, like="jax")
    assert number(found, "slope") == 1
    assert "used 1 (JAX)" in found.message and "PyTorch gives 0" in found.notes


def test_both_ends_of_relu6_are_told():
    found = told("relu6(x)", CODES, {"x": [0.0, 3, 6]})
    assert [one.index for one in found] == [(0,), (2,)]


def test_many_entries_are_one_finding_with_a_count():
    x = np.ones((20, 20))
    x[0, 7] = x[3, 3] = x[19, 19] = 0
    found = only("sum(relu(x))", "kink", {"x": x})
    assert found.index == (0, 7)
    assert "3 of 400 entries of x.grad, the first at [0, 7]" in found.notes


def test_a_million_entries_are_one_finding():
    x = np.linspace(-1, 1, 1_000_001)
    found = only("sum(relu(x))", "kink", {"x": x})
    assert found.index == (500_000,)


TIES = [
    ("max(x)", {"x": [3, 3, 1]}, (0,), 0.5, ["max(x)"]),
    ("maximum(x, y)", {"x": [2, 1], "y": [2, 5]}, (0,), 0.5, ["maximum(x, y)"]),
    ("amin(x)", {"x": [3, 1, 1]}, (1,), 0.5, ["amin(x)"]),
    ("max(x, dim=1).values", {"x": [[3, 3, 1], [1, 2, 5]]}, (0, 0), 1, ["max(x, dim=1)"]),
    ("minimum(x, 2)", {"x": [1, 2.0]}, (1,), 0.5, ["minimum(x, 2)"]),
]


@pytest.mark.parametrize(("expression", "values", "index", "used", "carets"), TIES)
def test_a_tie_tells_the_share_used(expression, values, index, used, carets):
    found = only(expression, "tie", values)
    assert (found.leaf, found.index) == ("x", index)
    assert number(found, "slope") == used
    assert marked(found) == carets


def test_clamping_by_hand_ties_at_both_bounds():
    values = {"x": [-3.0, -2, 0, 2, 5], "lo": [-2.0] * 5, "hi": [2.0] * 5}
    found = told("minimum(maximum(x, lo), hi)", CODES, values)
    assert [(one.code, one.leaf, one.index) for one in found] == [
        ("tie", "x", (1,)),
        ("tie", "x", (3,)),
    ]
    assert "so do entries of lo.grad" in found[0].notes


def test_a_deviation_of_equal_entries_tells_its_measured_slopes():
    found = only("std(x)", "kink", {"x": [2.0, 2, 2]})
    assert number(found, "slope from the right") == pytest.approx(3**-0.5, rel=1e-3)
    assert number(found, "slope from the left") == pytest.approx(-(3**-0.5), rel=1e-3)
    assert "JAX and autograd give nan" in found.notes


COMPOSED = [
    ("sign(x)*log(abs(x)+sqrt(x*x+1))", {"x": 0.0}, (), 0, 1),
    ("relu(x) - relu(-x)", {"x": [0.0, 1]}, (0,), 0, 1),
    ("where(x == 0, 0, x)", {"x": [0.0, 1]}, (0,), 0, 1),
    ("2*relu(x) - abs(x)", {"x": [1, 0.0]}, (1,), 0, 1),
    ("sign(x)*sin(abs(x))", {"x": 0.0}, (), 0, 1),
]


@pytest.mark.parametrize(("expression", "values", "index", "used", "slope"), COMPOSED)
def test_kinks_that_cancel_leave_a_wrong_gradient(expression, values, index, used, slope):
    (found,) = told(expression, CODES, values)
    assert (found.code, found.severity) == ("kink-composed", "warning")
    assert (found.leaf, found.index) == ("x", index)
    assert number(found, "gradient") == used
    assert number(found, "slope from the left") == pytest.approx(slope, rel=1e-3)
    assert number(found, "slope from the right") == pytest.approx(slope, rel=1e-3)
    assert marked(found)


def test_a_kink_made_by_a_condition_is_told():
    (found,) = told("where(x > 0, x, 0)", CODES, {"x": [0.0, 1]})
    assert (found.code, found.index, marked(found)) == ("kink", (0,), ["x > 0"])
    assert number(found, "slope from the left") == 0
    assert number(found, "slope from the right") == 1


SILENT = [
    ("relu(x)", {"x": [-1.0, 1e-300, 2]}),  # beside the kink
    ("abs(x)**2", {"x": [0.0, 1]}),  # the adjoint at the kink is 0
    ("x*abs(x)", {"x": [0.0, 1]}),
    ("relu(x)**2", {"x": [0.0, 1]}),
    ("relu(x**3)", {"x": [0.0, 1]}),  # the slope behind the kink is 0
    ("maximum(x, x)", {"x": [2.0]}),  # any share adds up to the same
    ("max([x, x])", {"x": 3.0}),
    ("maximum(x, 0) + minimum(x, 0)", {"x": [0.0, 1]}),  # smooth, and the gradient is right
    ("0*relu(x) + x", {"x": [0.0, 1]}),
    ("where(x > 0, x**2, 0)", {"x": [0.0, 1]}),
    ("where(y == 1, log(p), log(1 - p))", {"y": [0.0, 1], "p": [0.3, 0.4]}),
    ("max(x)", {"x": [1.0, 1, 3]}),  # equal entries that are not the largest
    ("stop_gradient(relu(x)) + x", {"x": [0.0, 1]}),
    ("sqrt(abs(x))", {"x": [0.0, 1]}),  # not finite: for another finding
    ("elu(x)", {"x": [0.0, 1]}),  # no kink for alpha = 1
    ("relu(m) + x", {"m": 0.0, "x": 1.0}),
    ("round(x)", {"x": [0.5, 1.2]}),  # flat everywhere, which is told instead
]


@pytest.mark.parametrize(("expression", "values"), SILENT)
def test_a_kink_that_does_not_matter_is_not_told(expression, values):
    wrt = ["x"] if "m" in values else None
    assert told(expression, CODES, values, wrt=wrt) == []


def test_a_kink_inside_a_composite_operation_is_put_in_words():
    found = only("l1_loss(x, t)", "kink", {"x": [1.0, 2], "t": [1.0, 1]}, wrt=["x"])
    assert "where the argument of abs == 0" in found.message
    assert marked(found) == ["l1_loss(x, t)"]


def test_a_jump_is_told_with_both_slopes():
    found = only("x - floor(x)", "kink", {"x": [1.0, 1.3]})
    assert "where x is whole" in found.message
    assert np.inf in {number(found, "slope from the left"), number(found, "slope from the right")}


def test_a_seed_of_zero_at_the_kink_silences_it():
    assert told("relu(x)", CODES, {"x": [0.0, 1]}, seed=[0, 1]) == []
    assert len(told("relu(x)", CODES, {"x": [0.0, 1]}, seed=[1, 0])) == 1


def test_a_thousand_kinks_in_a_thousand_places_stay_few_findings():
    steps = "; ".join(f"h{i} = relu(x{'' if i == 0 else f' + 0*h{i - 1}'})" for i in range(300))
    program = f"{steps}; h299 + x"
    assert 1 <= len(told(program, CODES, {"x": 0.0})) <= 8


def test_slope_for_the_exponent_at_zero_to_the_zero_is_a_convention():
    found = only("a**b", "kink", {"a": 0.0, "b": 0.0})
    assert found.leaf == "b"
    assert "the slope there is -∞; used 0 (PyTorch)" in found.message
    assert told("a**b", "kink", {"a": 0.0, "b": 2.0}) == []


MIXING = [
    ("kthvalue(x, 1)[0]", {"x": [1.0, 1.0]}, None, (0,), (1.0, 0.0), 1.0),
    ("sort(x)", {"x": [1.0, 1, 0]}, [1.0, 2, 3], (0,), (2.0, 3.0), 2.0),
    ("topk(x, 1)[0]", {"x": [2.0, 1, 2]}, None, (0,), (0.0, 1.0), 1.0),
    ("cdist(x, [[1, 2]])", {"x": [[1.0, 2]]}, None, (0, 0), (-1.0, 1.0), 0.0),
    ("cummax(x, 0)[0]", {"x": [1.0, 1, 2]}, "ones", (0,), (1.0, 2.0), 1.0),
    ("eigh(x)[0][0]", {"x": [[1.0, 0], [0, 1]]}, None, (0, 0), (1.0, 0.0), 1.0),
    ("norm(x, 'nuc')", {"x": [[1.0, 0], [0, 0]]}, None, (1, 1), (-1.0, 1.0), 1.0),
]


@pytest.mark.parametrize(("expression", "values", "seed", "index", "sides", "used"), MIXING)
def test_a_kink_of_an_operation_that_mixes_entries_is_told_at_the_leaf(
    expression, values, seed, index, sides, used
):
    found = only(expression, "kink", values, seed=seed)
    assert (found.leaf, found.index) == ("x", index)
    assert number(found, "slope") == used
    told_sides = number(found, "slope from the left"), number(found, "slope from the right")
    assert told_sides == pytest.approx(sides)


@pytest.mark.parametrize(
    ("expression", "values", "seed"),
    [
        ("sort(x)", {"x": [1.0, 1, 0]}, "ones"),  # shared alike: no order matters
        ("topk(x, 1)[0]", {"x": [1.0, 1, 2]}, None),  # the tie was not taken
        ("sum(cdist(x, [[1, 2]])**2)", {"x": [[1.0, 2]]}, None),
        ("sum(eigh(x)[0]**2)", {"x": [[1.0, 0], [0, 1]]}, None),
        ("sum(svd(x)[1]**2)", {"x": [[1.0, 0], [0, 0]]}, None),
    ],
)
def test_a_kink_that_mixing_smooths_over_is_not_told(expression, values, seed):
    assert told(expression, {"kink", "tie", "kink-composed"}, values, seed=seed) == []


def test_the_entries_of_a_norm_that_are_not_0_rest_on_no_kink():
    found = only("norm(x, 1)", "kink", {"x": [0.0, 1.0]})
    assert "where an entry is 0:" in found.message
    assert not any("entries of x.grad" in note for note in found.notes)


@pytest.mark.parametrize(
    ("expression", "x", "words"),
    [
        ("F.threshold(x, 1, 0)", 1.0, "where x == 1:"),
        ("median(x)", [1.0, 1, 2], "where several entries equal the median:"),
        ("sort(x)", [1.0, 1], "where neighbours in the order are equal:"),
    ],
)
def test_the_place_of_a_kink_is_a_sentence(expression, x, words):
    seed = [1.0, 2.0] if expression == "sort(x)" else None
    (found,) = told(expression, {"kink", "tie"}, {"x": x}, seed=seed)
    assert words in found.message


def test_the_share_of_many_equal_entries_is_what_each_of_them_got():
    found = only("max(x)", "tie", {"x": [2.0, 2, 2, 2, 1]})
    assert "any share in [0, 1] is right; used 0.25" in found.message
    assert number(found, "slope") == 0.25


def test_the_shares_of_other_engines_are_those_of_the_entries_that_are_equal():
    found = only("max(x, 1)", "tie", {"x": [[2.0, 2, 2], [1, 1, 0]]}, seed="ones")
    assert f"JAX and autograd give {1 / 3:.6g}" in found.notes
    assert "5 of 6 entries of x.grad, the first at [0, 0]" in found.notes


def test_a_window_of_equal_entries_is_one_tie():
    image = {"x": [[[[1.0, 1], [1, 1]]]]}
    (found,) = told("F.max_pool2d(x, 2)", {"tie", "engines-differ"}, image, seed="ones")
    assert "JAX and autograd give 0.25" in found.notes


def test_inner_parts_of_a_long_call_go_by_its_name():
    program = "sum(abs(stft(x, 4, window=ones(4), return_complex=True)))"
    found = only(program, "kink", {"x": [1.0, 2, 4, 3, 2, 1.5, 0.3, 0.7]})
    assert "rests on a kink of abs(…), where stft(…) == 0:" in found.message
