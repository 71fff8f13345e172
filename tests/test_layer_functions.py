"""Functions of layers and losses that are more than one formula: grids, alignments, positions."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from vjpcli import VjpError, explain

IMAGE = np.array([[[[0.5, -1.25, 2.0], [3.5, 0.25, -0.75]]]])
SCORES = np.array([[0.3, -0.2, 0.9], [1.1, 0.4, -0.6], [-0.5, 0.7, 0.2], [0.1, 0.8, -0.3]])


def explained(text: str, seed: Any = None, **values: Any) -> Any:
    return explain(text, values, seed=seed, jacobian=False, formulas=False, check=False)


def value(text: str, **values: Any) -> Any:
    return np.asarray(explained(text, "ones", **values).output.value, dtype=np.float64)


def code(text: str, **values: Any) -> str:
    with pytest.raises(VjpError) as caught:
        explained(text, "ones", **values)
    return caught.value.diagnostic.code


@pytest.mark.parametrize("align", [True, False])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_grid_of_the_identity_reads_the_image_back(mode, align):
    text = (
        f"F.grid_sample(x, F.affine_grid(theta, (1, 1, 2, 3), {align}), "
        f"mode='{mode}', align_corners={align})"
    )
    read = value(text, x=IMAGE, theta=[[[1.0, 0, 0], [0, 1, 0]]])
    np.testing.assert_allclose(read, IMAGE, atol=1e-12)


@pytest.mark.parametrize("length", [3, 5, 6, 7, 9])
def test_place_within_rounding_of_an_entry_takes_the_slope_to_its_right(length):
    row = np.arange(length) ** 2.0
    values = {"x": row[None, None, None], "theta": [[[1.0, 0, 0], [0, 1, 0]]]}
    text = f"F.grid_sample(x, F.affine_grid(theta, (1, 1, 1, {length})))"
    got = explained(text, np.ones((1, 1, 1, length)), **values).gradients["theta"][0, 0, 2]
    to_the_right = np.append(np.diff(row), -row[-1])
    np.testing.assert_allclose(got, to_the_right.sum() * length / 2)


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_place_that_is_nan_makes_the_entry_nan_and_no_other(mode):
    grid = [[[[0.2, 0.1], [np.nan, 0.1]]]]
    read = value(f"F.grid_sample(x, g, mode='{mode}')", x=IMAGE, g=grid)
    assert np.isnan(read).tolist() == [[[[False, True]]]]


def collapsed(path: tuple[int, ...]) -> list[int]:
    """The labels of an alignment: repetitions once, blanks (0) not at all."""
    return [label for label, _ in itertools.groupby(path) if label]


@pytest.mark.parametrize("labels", [[1], [1, 2], [2, 2], [1, 2, 1]])
def test_ctc_loss_sums_over_every_alignment(labels):
    log_probabilities = SCORES - np.log(np.exp(SCORES).sum(axis=1, keepdims=True))
    paths = itertools.product(range(3), repeat=4)
    likelihoods = [
        np.exp(sum(log_probabilities[step, label] for step, label in enumerate(path)))
        for path in paths
        if collapsed(path) == labels
    ]
    text = f"F.ctc_loss(x, {labels}, 4, {len(labels)}, reduction='sum')"
    np.testing.assert_allclose(value(text, x=log_probabilities), -np.log(sum(likelihoods)))


def test_ctc_slopes_of_each_step_are_minus_the_shares_of_alignments():
    slopes = explained("F.ctc_loss(x, [1, 2], 3, 2, reduction='sum')", x=SCORES).gradients["x"]
    assert np.all(slopes <= 0)
    np.testing.assert_allclose(slopes.sum(axis=1), [-1, -1, -1, 0])


def test_ctc_loss_without_an_alignment_is_infinite_or_zero_on_request():
    assert value("F.ctc_loss(x, [1, 1], 2, 2)", x=SCORES[:2]) == np.inf
    slopes = explained("F.ctc_loss(x, [1, 1], 2, 2)", x=SCORES[:2]).gradients["x"]
    assert np.isnan(slopes[:, :2]).all()
    zero = explained("F.ctc_loss(x, [1, 1], 2, 2, zero_infinity=True)", x=SCORES[:2])
    assert float(zero.output.value) == 0
    assert not zero.gradients["x"].any()


def test_ctc_loss_of_probabilities_that_are_zero_has_finite_slopes():
    never = SCORES.copy()
    never[1, 0] = never[1, 1] = -np.inf
    slopes = explained("F.ctc_loss(x, [1, 2], 4, 2)", x=never).gradients["x"]
    assert np.isfinite(slopes).all()
    assert slopes[1, 0] == slopes[1, 1] == 0


@pytest.mark.parametrize("options", ["2", "3, 1, 1", "2, 1, 0, 2", "3, 2, 1, 1, True"])
def test_positions_of_pooling_read_the_values_back(options):
    x = np.random.default_rng(0).normal(size=(1, 5, 6))
    pooled = value(f"F.max_pool2d(x, {options})", x=x)
    positions = value(f"i = F.max_pool2d(x, {options}, return_indices=True)[1]; i", x=x)
    np.testing.assert_array_equal(x.ravel()[positions.astype(int)], pooled)


def test_unpooling_of_windows_that_overlap_is_refused_where_they_share_an_entry():
    text = "v, i = F.max_pool1d(x, 2, 1, return_indices=True); F.max_unpool1d(v, i, 2, 1)"
    assert code(text, x=[[1.0, 3.0, 2.0]]) == "repeated-write"


def test_state_written_as_a_pair_is_read_without_stacking_it():
    weights = {"W": np.ones((4, 2)), "U": np.ones((4, 1))}
    states = {"x": [[1.0, 2.0]], "h": [[0.5]], "c": [[0.1]], **weights}
    graph = explained("torch.lstm_cell(x, (h, c), W, U)[0]", **states)
    operations = {step.operation for step in graph.steps}
    assert "sigmoid" in operations
    assert "stack" not in operations


def test_function_of_two_arrays_can_be_named_as_a_distance():
    vectors = {"a": [[0.0, 0.0]], "p": [[1.0, 1.0]], "n": [[1.0, 0.0]]}
    text = "F.triplet_margin_with_distance_loss(a, p, n{})"
    named = value(text.format(", distance_function=F.pairwise_distance"), **vectors)
    assert named == value(text.format(""), **vectors)
    assert code(text.format(", distance_function=torch.relu"), **vectors) == "keyword-value"
    assert code("sum(a, axis=torch.relu)", **vectors) == "static-not-plain"


def test_equal_compares_whole_arrays_and_says_so():
    vectors = {"x": [1.0, 2.0], "t": [1.0, 3.0]}
    assert value("torch.equal(x, t)", **vectors) == 0
    assert value("np.equal(x, t)", **vectors).tolist() == [1, 0]
    bare = explained("equal(x, t)", **vectors)
    assert "whole arrays" in " ".join(one.message for one in bare.diagnostics)
