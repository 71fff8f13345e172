"""Neural operations: kinks, saturation, PyTorch's keywords, and what must be refused.

The rules themselves are tested from the declarations, in test_rules.py. What is asserted here
comes from the definitions, worked out by hand or in plain NumPy, with PyTorch's conventions;
where JAX has another one, both are asserted.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from vjpcli import explain, grad, jac
from vjpcli.errors import VjpError
from vjpcli.graph.operation import OPERATIONS


def value(expression, **values):
    explanation = explain(expression, values, jacobian=False, formulas=False, check=False)
    return explanation.output.value


def gradient(expression, seed="ones", *, like="torch", wrt=None, **values):
    """Gradients of all leaves; a single one by itself."""
    found = grad(expression, values, seed=seed, like=like, wrt=wrt)
    return found if len(found) > 1 else next(iter(found.values()))


def code_of(expression, **values):
    with pytest.raises(VjpError) as refused:
        grad(expression, values, seed="ones")
    return refused.value.diagnostic.code


def close(got, expected, rtol=1e-12):
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=1e-300, equal_nan=False)


# Kinks of activations


def test_a_kink_tells_the_slopes_of_the_arguments_in_force():
    kink = OPERATIONS["leaky_relu"].kinks[0].under({"negative_slope": 0.1})
    assert (kink.slopes, kink.used, kink.others) == ((0.1, 1), 0.1, {"jax": 1})
    kink = OPERATIONS["elu"].kinks[0].under({"alpha": 3})
    assert (kink.slopes, kink.used) == ((3, 1), 3)
    kink = OPERATIONS["threshold"].kinks[0].under({"threshold": 1, "value": 1})
    assert kink.slopes == (0, 1)


def test_relu_is_flat_at_zero_and_open_at_nan():
    close(gradient("relu(x)", x=[-1, 0, 2]), [0, 0, 1])
    assert gradient("relu(x)", x=math.nan) == 1
    assert gradient("relu(x)", x=math.nan, like="jax") == 0


def test_relu6_is_flat_at_both_bounds():
    close(value("relu6(x)", x=[0, 3, 6]), [0, 3, 6])
    close(gradient("relu6(x)", x=[0, 3, 6]), [0, 1, 0])


def test_hardtanh_is_flat_at_its_bounds_where_jax_is_not():
    close(gradient("hardtanh(x)", x=[-1, 0.5, 1]), [0, 1, 0])
    close(gradient("hardtanh(x)", x=[-1, 0.5, 1], like="jax"), [1, 1, 1])
    close(gradient("F.hardtanh(x, 0, 2)", x=[-1, 0.5, 2, 1]), [0, 1, 0, 1])


def test_leaky_relu_takes_its_own_slope_at_zero_where_jax_takes_one():
    close(gradient("F.leaky_relu(x, 0.1)", x=[-2, 0, 2]), [0.1, 0.1, 1])
    close(gradient("leaky_relu(x, negative_slope=0.1)", x=[-2, 0, 2], like="jax"), [0.1, 1, 1])


def test_elu_family_at_zero():
    close(gradient("elu(x, alpha=2)", x=[0, 1]), [2, 1])
    close(gradient("celu(x, alpha=2)", x=[0, 1]), [1, 1])
    close(gradient("selu(x)", x=[0.0]), [1.0507009873554805 * 1.6732632423543772])


def test_hardswish_takes_the_outer_slopes_at_its_kinks():
    close(gradient("hardswish(x)", x=[-3, 0, 3]), [0, 0.5, 1])


def test_shrinking_is_flat_inside_and_at_the_bounds():
    close(value("softshrink(x)", x=[-2, 0.5, 2]), [-1.5, 0, 1.5])
    close(gradient("softshrink(x)", x=[-0.5, 0.2, 0.5, 2]), [0, 0, 0, 1])
    close(value("hardshrink(x, 1)", x=[-2, 1, 0.3]), [-2, 0, 0])
    close(gradient("hardshrink(x)", x=[-0.5, 0.2, 0.5, 2]), [0, 0, 0, 1])


def test_threshold_replaces_what_is_not_above_it():
    close(value("F.threshold(x, 0.1, 20)", x=[-2, 0.1, 2]), [20, 20, 2])
    close(gradient("F.threshold(x, 0.1, 20)", x=[-2, 0.1, 2]), [0, 0, 1])


def test_prelu_sums_the_negative_entries_of_each_channel():
    found = gradient("F.prelu(x, w)", x=[[-2.0, -3.0], [0.0, 4.0]], w=[0.25, 0.5])
    close(found["x"], [[0.25, 0.5], [0.25, 1]])
    close(found["w"], [-2, -3])


@pytest.mark.parametrize("name", ["softshrink", "hardshrink", "hardtanh", "relu", "leaky_relu"])
def test_piecewise_activations_pass_nan_on(name):
    assert np.isnan(value(f"{name}(x)", x=[math.nan]))


# Saturation

# 1/(1 + s) with s = exp(-40) + exp(-45): of each share only the terms of first order are left.
# PyTorch rounds the first number to 0.
SATURATED = np.array([math.exp(-40) + math.exp(-45), -math.exp(-40), -math.exp(-45)])


def test_softmax_keeps_the_slope_of_a_saturated_entry():
    close(gradient("softmax(x)[0]", x=[40, 0, -5]), SATURATED)
    close(gradient("softmax(x)", seed=[1, 0, 0], x=[40, 0, -5]), SATURATED)


def test_softmax_keeps_that_slope_beside_other_seeds():
    found = gradient("softmax(x)", seed=[3, 1, 1], x=[40, 0, -5])
    close(found, 2 * SATURATED)


def test_softmax_jacobian_has_its_off_diagonal():
    shares = value("softmax(x)", x=[1, 2, 0.5])
    close(shares, [0.231223897622, 0.628531719212, 0.140244383166], rtol=1e-11)
    close(
        jac("softmax(x)", {"x": [1, 2, 0.5]})["x"], np.diag(shares) - np.outer(shares, shares), 1e-9
    )


def test_equal_seeds_cancel_in_softmax():
    found = gradient("softmax(x)", seed=[5, 5, 5], x=[1, 2, 0.5])
    assert np.max(np.abs(found)) < 1e-16


def test_softmax_ignores_an_entry_of_minus_infinity():
    close(value("softmax(x)", x=[-math.inf, 0, 0]), [0, 0.5, 0.5])
    close(gradient("softmax(x)", seed=[1, 1, 0], x=[-math.inf, 0, 0]), [0, 0.25, -0.25])
    assert value("log_softmax(x)", x=[-math.inf, 0, 0])[0] == -math.inf
    close(gradient("log_softmax(x)", seed=[0, 1, 0], x=[-math.inf, 0, 0]), [0, 0.5, -0.5])


def test_log_softmax_is_exact_where_one_entry_has_taken_nearly_everything():
    close(value("log_softmax(x)", x=[40, 0, -5])[0], -SATURATED[0])
    close(gradient("log_softmax(x)", seed=[1, 0, 0], x=[40, 0, -5]), SATURATED)


def test_softmax_axis_by_default_is_the_last_and_in_scipy_all():
    rows = [[1.0, 2.0], [3.0, 5.0]]
    close(value("softmax(x)", x=rows), value("F.softmax(x, dim=-1)", x=rows))
    close(np.sum(value("softmax(x)", x=rows), axis=-1), [1, 1])
    assert np.sum(value("scipy.special.softmax(x)", x=rows)) == pytest.approx(1)
    close(np.sum(value("x.softmax(0)", x=rows), axis=0), [1, 1])
    close(value("F.softmin(x, dim=0)", x=rows), value("softmax(-x, 0)", x=rows))


def test_sigmoid_keeps_its_slope_where_it_is_one():
    close(gradient("sigmoid(x)", x=[-40, 40]), [4.248354255291589e-18] * 2)
    close(value("sigmoid(x)", x=[-800, 0, 800]), [0, 0.5, 1])


def test_logsigmoid_and_softplus_do_not_overflow():
    close(value("F.logsigmoid(x)", x=[-800.0]), [-800])
    close(gradient("jax.nn.log_sigmoid(x)", x=[-800.0, 0.0]), [1, 0.5])
    close(value("softplus(x)", x=[1, 800]), [math.log1p(math.e), 800])
    close(gradient("softplus(x)", x=[-800, 1, 800]), [0, 1 / (1 + math.exp(-1)), 1], 1e-12)


def test_softplus_is_straight_above_its_threshold_in_torch_alone():
    assert value("softplus(x)", x=[21.0])[0] == 21
    assert value("jax.nn.softplus(x)", x=[21.0])[0] == 21 + math.log1p(math.exp(-21))
    close(value("F.softplus(x, beta=2)", x=[1.0]), [math.log1p(math.exp(2)) / 2])
    close(gradient("F.softplus(x, threshold=1)", x=[2.0]), [1])


def test_gelu_is_exact_in_torch_and_the_tanh_form_in_jax():
    close(value("gelu(x)", x=[1.0]), [0.5 * (1 + math.erf(math.sqrt(0.5)))])
    inner = math.sqrt(2 / math.pi) * 1.044715
    tanh_form = 0.5 * (1 + math.tanh(inner))
    close(value("jax.nn.gelu(x)", x=[1.0]), [tanh_form])
    close(value("F.gelu(x, approximate='tanh')", x=[1.0]), [tanh_form])
    close(value("gelu(x)", x=[-6.0]), [-3 * math.erfc(6 / math.sqrt(2))], rtol=1e-13)
    notes = explain("gelu(x)", {"x": [1.0]}).diagnostics
    assert any("approximate=none" in note.message for note in notes)


def test_silu_and_mish_at_large_arguments():
    close(gradient("silu(x)", x=[-800, 0, 800]), [0, 0.5, 1])
    close(gradient("mish(x)", x=[-800, 0, 800]), [0, 0.6, 1])


# Losses


def test_cross_entropy_gives_softmax_minus_target_over_the_batch():
    scores = np.array([[2.0, 1.0, 0.1], [0.3, -0.2, 1.0]])
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    found = gradient("F.cross_entropy(x, t)", x=scores, t=[1, 2])
    close(found["x"], (shares - [[0, 1, 0], [0, 0, 1]]) / 2)
    close(found["t"], [0, 0])
    close(value("cross_entropy(x, [1, 2])", x=scores), -np.mean(np.log(shares[[0, 1], [1, 2]])))


def test_cross_entropy_of_a_handmade_softmax_is_the_same():
    values = {"x": [2.0, 1.0, 0.1], "y": [0.0, 1.0, 0.0]}
    by_hand = gradient("p = softmax(x); -sum(y*log(p))", wrt=["x"], **values)
    close(by_hand, [0.659001138886, -0.757567029295, 0.098565890409], rtol=1e-11)
    close(gradient("cross_entropy(x, y, reduction='sum')", wrt=["x"], **values), by_hand, 1e-11)


def test_a_target_of_zeros_asks_for_nothing():
    found = gradient("-sum(y*log_softmax(x))", wrt=["x"], x=[0.3, -0.2], y=[0.0, 0.0])
    assert np.all(found == 0)


def test_a_confident_cross_entropy_is_small_and_not_zero():
    close(value("cross_entropy(x, t)", x=[[40, 0, -5]], t=[0]), SATURATED[0])


def test_class_weights_ignored_targets_and_smoothing_follow_torch():
    scores = np.array([[2.0, 1.0, 0.1], [0.3, -0.2, 1.0], [1.0, 1.0, 1.0]])
    logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    weight = np.array([0.5, 1.0, 2.0])
    each = np.array([-logs[0, 1] * 1.0, -logs[1, 2] * 2.0])
    values = {"x": scores, "t": [1, 2, -100], "w": weight}
    close(value("F.cross_entropy(x, t, w)", **values), each.sum() / 3)
    close(value("F.cross_entropy(x, t, w, reduction='none')", **values), [*each, 0])
    # PyTorch divides the smooth part by the weights of the targets as well.
    smooth = -(logs * weight).sum(axis=1)[:2].sum() / 3
    close(
        value("F.cross_entropy(x, t, weight=w, label_smoothing=0.3)", **values),
        0.7 * each.sum() / 3 + 0.3 / 3 * smooth,
    )
    ignored = value("F.nll_loss(log_softmax(x, 1), t, ignore_index=2)", x=scores, t=[1, 2, 0])
    close(ignored, -(logs[0, 1] + logs[2, 0]) / 2)


def test_class_axis_is_the_second_in_images():
    scores = np.arange(12.0).reshape(1, 3, 2, 2) / 7
    logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    target = np.array([[[0, 1], [2, 1]]])
    chosen = [logs[0, target[0, i, j], i, j] for i, j in product(range(2), range(2))]
    close(value("cross_entropy(x, t)", x=scores, t=target), -np.mean(chosen))


@pytest.mark.parametrize(
    ("target", "code"), [([1.5], "index-not-whole"), ([3], "index-out-of-range")]
)
def test_a_class_that_does_not_exist_is_refused(target, code):
    assert code_of("cross_entropy(x, t)", x=[[1.0, 2.0, 3.0]], t=target) == code


def test_the_check_of_a_result_leaves_class_indices_alone():
    explanation = explain("cross_entropy(x, t)", {"x": [[1.0, 2.0, 3.0]], "t": [2]})
    assert explanation.check is not None
    assert explanation.check.agrees


def test_binary_cross_entropy_holds_logarithms_at_minus_100():
    close(value("F.binary_cross_entropy(p, t)", p=[0.0, 0.2], t=[1.0, 0.0]), 50 - math.log(0.8) / 2)
    close(gradient("F.binary_cross_entropy(p, t)", wrt=["p"], p=[0.0], t=[1.0]), [-1e12])
    assert np.isfinite(gradient("F.binary_cross_entropy(p, t)", wrt=["p"], p=[1.0], t=[1.0]))


def test_logits_are_exact_on_both_sides():
    found = value("F.binary_cross_entropy_with_logits(x, t)", x=[-40.0, 40.0], t=[0.0, 1.0])
    close(found, math.log1p(math.exp(-40)))
    found = gradient(
        "F.binary_cross_entropy_with_logits(x, t, reduction='sum')",
        wrt=["x"], x=[-40.0, 0.0, 800.0], t=[0.0, 1.0, 1.0],
    )  # fmt: skip
    close(found, [4.248354255291589e-18, -0.5, 0])
    weighted = "F.binary_cross_entropy_with_logits(x, t, pos_weight=w)"
    close(gradient(weighted, wrt=["x"], x=[0.0], t=[1.0], w=[3.0]), [-1.5])


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("mse_loss(x, t)", (0.25 + 4 + 9) / 3),
        ("l1_loss(x, t, reduction='sum')", 5.5),
        ("smooth_l1_loss(x, t)", (0.125 + 1.5 + 2.5) / 3),
        ("smooth_l1_loss(x, t, beta=2)", (0.0625 + 1 + 2) / 3),
        ("huber_loss(x, t, delta=2)", (0.125 + 2 + 4) / 3),
        ("huber_loss(x, t, 'sum')", 0.125 + 1.5 + 2.5),
        ("soft_margin_loss(x, t)", np.mean(np.log1p(np.exp([-0.5, 0, 0])))),
        ("poisson_nll_loss(x, t)", np.mean(np.exp([0.5, 2, 0]) - [0.5, 0, 0])),
        ("hinge_embedding_loss(x, [1, -1, -1])", 0.5 / 3 + 0 + 1 / 3),
        ("kl_div(x, [0.5, 0, 0.5], reduction='batchmean')", (math.log(0.5) - 0.25) / 3),
        ("margin_ranking_loss(x, t, [1, -1, 1], margin=1)", (1.5 + 3 + 4) / 3),
        ("multilabel_soft_margin_loss(x, [1, 0, 1])",
         np.mean(np.log1p(np.exp([-0.5, 2, 0])))),
        ("gaussian_nll_loss(x, t, [1, 4, 1])", (0.25 + math.log(4) + 1 + 9) / 6),
        ("gaussian_nll_loss(x, t, 1, full=True, reduction='sum')",
         (0.25 + 4 + 9) / 2 + 1.5 * math.log(2 * math.pi)),
    ],
)  # fmt: skip
def test_losses_have_the_values_of_their_definitions(call, expected):
    found = value(f"x = [0.5, 2, 0] * o; t = [1, 0, 3] * o; {call}", o=1.0)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_full_poisson_loss_adds_stirling_above_one():
    stirling = 3 * math.log(3) - 3 + math.log(2 * math.pi * 3) / 2
    found = value("poisson_nll_loss(x, t, full=True, reduction='none')", x=[0.0, 0.0], t=[1.0, 3.0])
    close(found, [1, 1 + stirling])


def test_kl_div_of_a_zero_target_is_zero():
    found = gradient("kl_div(x, t, reduction='sum')", wrt=["x"], x=[-1.0, -2.0], t=[0.0, 1.0])
    close(found, [0, -1])


def test_multi_margin_loss_counts_the_other_classes():
    scores = [[0.1, 0.2, 0.9]]
    close(value("multi_margin_loss(x, t)", x=scores, t=[1]), (0.9 + 1.7) / 3)
    close(value("multi_margin_loss(x, t, p=2)", x=scores, t=[1]), (0.9**2 + 1.7**2) / 3)
    close(gradient("multi_margin_loss(x, t)", wrt=["x"], x=[[0.0, 1.0]], t=[1]), [[0, 0]])


def test_embedding_losses_compare_vectors():
    pair = {"x": [[1.0, 0.0]], "y": [[3.0, 4.0]]}
    close(value("cosine_embedding_loss(x, y, [1])", **pair), 0.4, rtol=1e-10)
    close(value("cosine_embedding_loss(x, y, [-1], margin=0.5)", **pair), 0.1, rtol=1e-10)
    close(value("cosine_similarity(x, y, dim=-1)", **pair), [0.6])
    close(value("pairwise_distance(x, y, eps=0)", **pair), [math.sqrt(20)])
    triple = {"a": [[0.0, 0.0]], "p": [[3.0, 4.0]], "n": [[0.0, 1.0]]}
    close(value("triplet_margin_loss(a, p, n, eps=0)", **triple), 5.0)
    close(value("triplet_margin_loss(a, p, n, p=1, eps=0)", **triple), 7.0)


def test_the_cosine_with_a_zero_vector_is_zero_with_a_finite_slope():
    found = gradient("cosine_similarity(x, y, dim=0)", x=[0.0, 0.0], y=[3.0, 4.0])
    close(found["x"], [0.6e8, 0.8e8])
    assert np.all(found["y"] == 0)


def test_normalize_leaves_zeros_alone():
    close(value("F.normalize(x, dim=-1)", x=[[3, 4], [0, 0]]), [[0.6, 0.8], [0, 0]])
    close(gradient("F.normalize(x, dim=-1)", x=[[0.0, 0.0]]), [[1e12, 1e12]])
    close(value("F.normalize(x, 1, 0)", x=[1.0, -3.0]), [0.25, -0.75])


# Normalisation


def standardised(x, axes, eps=1e-5):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


SOME = np.array([[[1.0, 2.0, 4.0], [0.5, 0.0, -1.0]], [[3.0, 1.0, 1.0], [2.0, -2.0, 5.0]]])


def test_layer_norm_takes_its_shape_before_its_weights():
    expected = standardised(SOME, -1) * [1, 2, 3] + [0, 1, 0]
    for call in (
        "F.layer_norm(x, (3,), w, b)",
        "F.layer_norm(x, [3], w, b, 1e-5)",
        "F.layer_norm(x, x.shape[2:], weight=w, bias=b)",
        "F.layer_norm(x, normalized_shape=3, weight=w, bias=b)",
    ):
        close(value(call, x=SOME, w=[1, 2, 3], b=[0, 1, 0]), expected)
    close(value("F.layer_norm(x, (2, 3), eps=1)", x=SOME), standardised(SOME, (1, 2), 1))


def test_layer_norm_tells_its_eps():
    notes = explain("layer_norm(x)", {"x": [1.0, 2.0]}, seed="ones").diagnostics
    assert any("eps=1e-05" in note.message for note in notes)


def test_batch_norm_uses_the_batch_or_the_running_statistics():
    axes = (0, 2)
    close(value("F.batch_norm(x, None, None, training=True)", x=SOME), standardised(SOME, axes))
    close(
        value("F.batch_norm(x, m, v, w, b)", x=SOME, m=[1, 0], v=[4, 1], w=[2, 1], b=[0, 1]),
        (SOME - np.reshape([1, 0], (2, 1))) / np.sqrt(np.reshape([4, 1], (2, 1)) + 1e-5)
        * np.reshape([2, 1], (2, 1)) + np.reshape([0, 1], (2, 1)),
    )  # fmt: skip
    close(value("F.batch_norm(x, m, v, None, None, True)", x=SOME, m=[1, 0], v=[4, 1]),
          standardised(SOME, axes))  # fmt: skip


def test_group_instance_and_rms_norm():
    close(value("F.group_norm(x, 1)", x=SOME), standardised(SOME, (1, 2)))
    close(value("F.group_norm(x, 2, w)", x=SOME, w=[1, 1]), standardised(SOME, 2))
    close(value("F.instance_norm(x)", x=SOME), standardised(SOME, 2))
    size = np.sqrt((SOME**2).mean(-1, keepdims=True))
    close(value("F.rms_norm(x, (3,), w)", x=SOME, w=[1, 2, 3]), SOME / size * [1, 2, 3])


def test_local_response_norm_averages_neighbouring_channels():
    x = np.array([[[1.0], [2.0], [3.0]]])
    near = np.array([[[1.0], [1 + 4.0], [4 + 9.0]]]) / 2
    close(value("F.local_response_norm(x, 2, 1)", x=x), x / (1 + near) ** 0.75)


def test_a_constant_row_is_no_singular_point_of_layer_norm():
    found = gradient("layer_norm(x)", seed=[1, 0, 0], x=[2.0, 2.0, 2.0])
    close(found, np.array([2, -1, -1]) / 3 / math.sqrt(1e-5))


# Convolution and pooling


def correlated(x, w, stride, padding, dilation, groups):
    """The two-dimensional convolution, entry by entry."""
    x = np.pad(x, [(0, 0), (0, 0), *[(p, p) for p in padding]])
    each = w.shape[0] // groups
    spans = [d * (k - 1) + 1 for d, k in zip(dilation, w.shape[2:], strict=True)]
    sizes = [(n - s) // t + 1 for n, s, t in zip(x.shape[2:], spans, stride, strict=True)]
    y = np.zeros((x.shape[0], w.shape[0], *sizes))
    for n, o, i, j in np.ndindex(*y.shape):
        for c, k, m in np.ndindex(*w.shape[1:]):
            channel = o // each * w.shape[1] + c
            at = i * stride[0] + k * dilation[0], j * stride[1] + m * dilation[1]
            y[n, o, i, j] += x[n, channel, at[0], at[1]] * w[o, c, k, m]
    return y


@pytest.mark.parametrize(
    ("keywords", "stride", "padding", "dilation", "groups"),
    [
        ("", (1, 1), (0, 0), (1, 1), 1),
        ("stride=2, padding=1", (2, 2), (1, 1), (1, 1), 1),
        ("stride=(1, 2), padding=(0, 1), dilation=(2, 1)", (1, 2), (0, 1), (2, 1), 1),
        ("groups=2", (1, 1), (0, 0), (1, 1), 2),
    ],
)
def test_conv2d_is_the_sum_over_windows(keywords, stride, padding, dilation, groups):
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=(2, 4, 5, 6)), rng.normal(size=(6, 4 // groups, 2, 3))
    found = value(f"F.conv2d(x, w, {keywords})", x=x, w=w)
    close(found, correlated(x, w, stride, padding, dilation, groups), rtol=1e-10)


def test_conv1d_has_positional_arguments_and_padding_by_name():
    x, w = [[[1.0, 2.0, 3.0, 4.0]]], [[[1.0, 0.0, -1.0]]]
    close(value("F.conv1d(x, w)", x=x, w=w), [[[-2, -2]]])
    close(value("F.conv1d(x, w, None, 2, 1)", x=x, w=w), [[[-2, -2]]])
    close(value("F.conv1d(x, w, b, padding='same')", x=x, w=w, b=[1]), [[[-1, -1, -1, 4]]])
    # An even kernel is padded on the right, as in PyTorch.
    close(value("F.conv1d(x, v, padding='same')", x=x, v=[[[1.0, 10.0]]]), [[[21, 32, 43, 4]]])
    found = gradient("F.conv1d(x, w)", x=x, w=w)
    close(found["w"], [[[3, 5, 7]]])
    close(found["x"], [[[1, 1, -1, -1]]])


def test_a_transposed_convolution_is_the_adjoint_of_the_convolution():
    rng = np.random.default_rng(2)
    w, seed = rng.normal(size=(3, 2, 2, 3)), rng.normal(size=(1, 3, 2, 3))
    adjoint = grad("F.conv2d(x, w, stride=2)", {"x": np.zeros((1, 2, 4, 7)), "w": w}, seed=seed)
    found = value("F.conv_transpose2d(s, w, stride=2)", s=seed, w=w)
    close(found, adjoint["x"], rtol=1e-10)


def test_output_padding_adds_places_at_the_end():
    x, w = [[[1.0, 2.0]]], [[[1.0, 10.0, 100.0]]]
    close(value("F.conv_transpose1d(x, w)", x=x, w=w), [[[1, 12, 120, 200]]])
    longer = "F.conv_transpose1d(x, w, stride=2, padding=1, output_padding=1)"
    close(value(longer, x=x, w=w), [[[10, 102, 20, 200]]])


def test_max_pool_gives_a_tie_to_the_first_entry():
    close(gradient("F.max_pool1d(x, 2)", x=[[3.0, 3.0, 1.0, 2.0]]), [[1, 0, 0, 1]])
    image = [[[1.0, 3.0], [3.0, 3.0]]]
    close(gradient("F.max_pool2d(x, 2)", x=image), [[[0, 1], [0, 0]]])


def test_max_pool_never_picks_its_padding():
    x = [[-5.0, -1.0, -2.0]]
    close(value("F.max_pool1d(x, 3, stride=1, padding=1)", x=x), [[-1, -1, -1]])
    close(value("F.max_pool1d(x, 2, ceil_mode=True)", x=x), [[-1, -2]])
    close(value("F.max_pool1d(x, 2)", x=x), [[-1]])


def test_avg_pool_counts_padding_unless_told_otherwise():
    x = [[1.0, 2.0, 3.0, 4.0, 5.0]]
    close(value("F.avg_pool1d(x, 3, 2, 1)", x=x), [[1, 3, 3]])
    close(value("F.avg_pool1d(x, 3, 2, 1, count_include_pad=False)", x=x), [[1.5, 3, 4.5]])
    # With ceil_mode the last window is cut off at the end of the padding.
    close(value("F.avg_pool1d(x, 2, ceil_mode=True)", x=x), [[1.5, 3.5, 5]])
    image = np.arange(16.0).reshape(1, 4, 4)
    close(value("F.avg_pool2d(x, 2)", x=image), [[[2.5, 4.5], [10.5, 12.5]]])
    close(value("F.avg_pool2d(x, 2, divisor_override=1)", x=image), [[[10, 18], [42, 50]]])


def test_adaptive_pooling_overlaps_where_lengths_do_not_divide():
    x = [[1.0, 2.0, 3.0, 4.0, 5.0]]
    close(value("F.adaptive_avg_pool1d(x, 3)", x=x), [[1.5, 3, 4.5]])
    close(value("F.adaptive_avg_pool1d(x, 2)", x=x), [[2, 4]])
    infinite = value("F.adaptive_avg_pool1d(x, 2)", x=[[math.inf, 1.0, 1.0, 1.0]])
    assert infinite[0, 0] == math.inf
    assert infinite[0, 1] == 1
    image = np.arange(12.0).reshape(1, 3, 4)
    close(value("F.adaptive_avg_pool2d(x, (1, None))", x=image), [[[4, 5, 6, 7]]])


# Embedding, attention, dropout


def test_embedding_adds_up_rows_that_were_read_twice():
    table = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    close(value("F.embedding(i, W)", i=[2, 0], W=table), [[5, 6], [1, 2]])
    found = gradient("F.embedding(i, W)", i=[0, 2, 2], W=table)
    close(found["W"], [[1, 1], [0, 0], [2, 2]])
    close(found["i"], [0, 0, 0])
    found = gradient("F.embedding(i, W, padding_idx=-1)", wrt=["W"], i=[0, 2, 2], W=table)
    close(found, [[1, 1], [0, 0], [0, 0]])
    assert code_of("F.embedding(i, W)", i=[3], W=table) == "index-out-of-range"
    assert code_of("F.embedding(i, W)", i=[0.5], W=table) == "index-not-whole"


def test_attention_is_a_softmax_of_scaled_products():
    rng = np.random.default_rng(3)
    q, k, v = rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), rng.normal(size=(3, 2))
    values = {"q": q, "k": k, "v": v}
    scores = np.exp(q @ k.T / 2)
    name = "F.scaled_dot_product_attention"
    close(value(f"{name}(q, k, v)", **values), scores / scores.sum(-1, keepdims=True) @ v)
    causal = np.tril(scores)
    expected = causal / causal.sum(-1, keepdims=True) @ v
    close(value(f"{name}(q, k, v, is_causal=True)", **values), expected)
    mask = "[[True, False, False], [True, True, False], [True, True, True]]"
    close(value(f"{name}(q, k, v, attn_mask={mask})", **values), expected)


def test_a_query_that_may_see_nothing_gets_zeros_and_no_nan():
    call = "F.scaled_dot_product_attention(q, k, v, [[False, False]])"
    values = {"q": [[1.0, 2.0]], "k": [[1.0, 0.0], [0.0, 1.0]], "v": [[1.0], [2.0]]}
    close(value(call, **values), [[0]])
    assert all(np.all(found == 0) for found in gradient(call, **values).values())


def test_dropout_is_refused_unless_nothing_is_left_to_chance():
    assert code_of("F.dropout(x)", x=[1.0, 2.0]) == "random-operation"
    assert code_of("F.rrelu(x, training=True)", x=[1.0]) == "random-operation"
    close(gradient("F.dropout(x, 0.5, training=False)", x=[1.0, 2.0]), [1, 1])
    close(gradient("F.dropout(x, p=0)", x=[1.0, 2.0]), [1, 1])
    close(gradient("F.rrelu(x)", x=[-1.0, 2.0]), [(1 / 8 + 1 / 3) / 2, 1])


# Resampling


def test_interpolation_follows_the_grids_of_torch():
    x = [[[1.0, 2.0, 4.0]]]
    close(value("F.interpolate(x, scale_factor=2)", x=x), [[[1, 1, 2, 2, 4, 4]]])
    close(value("F.interpolate(x, 2)", x=x), [[[1, 2]]])
    close(value("F.interpolate(x, 2, mode='nearest-exact')", x=x), [[[1, 4]]])
    linear = "F.interpolate(x, size=6, mode='linear')"
    close(value(linear, x=x), [[[1, 1.25, 1.75, 2.5, 3.5, 4]]])
    corners = "F.interpolate(x, size=5, mode='linear', align_corners=True)"
    close(value(corners, x=x), [[[1, 1.5, 2, 3, 4]]])


def test_pixels_are_shuffled_and_back():
    x = np.arange(16.0).reshape(1, 4, 2, 2)
    once = value("F.pixel_shuffle(x, 2)", x=x)
    close(once[0, 0, :2, :2], [[0, 4], [8, 12]])
    assert np.array_equal(value("F.pixel_unshuffle(F.pixel_shuffle(x, 2), 2)", x=x), x)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(("n", "m"), [(5, 3), (5, 2), (2, 5), (3, 4), (4, 4)])
def test_convolve_is_the_convolution_of_numpy(mode, n, m):
    a, v = np.arange(1.0, n + 1), 10.0 ** np.arange(m)
    close(value(f"np.convolve(a, v, '{mode}')", a=a, v=v), np.convolve(a, v, mode))
