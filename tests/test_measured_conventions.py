"""Slopes at infinities, nan and kinks where engines differ: numbers measured with each of them.

torch 2.13.0, jax 0.10.2, autograd 1.9.1; float64 on CPU, seed of ones.
"""

from __future__ import annotations

from math import e, inf, nan

import numpy as np
import pytest

from vjpcli import grad

CASES = [
    # expression, values, engine, gradients
    ("logaddexp(x, y)", {"x": inf, "y": 1.0}, "torch", {"x": 1.0, "y": 0.0}),
    ("logaddexp(x, y)", {"x": inf, "y": 1.0}, "jax", {"x": 1.0, "y": e}),
    ("logaddexp(x, y)", {"x": inf, "y": 1.0}, "autograd", {"x": nan, "y": 0.0}),
    ("logaddexp2(x, y)", {"x": inf, "y": 1.0}, "jax", {"x": 1.0, "y": 2.0}),
    ("copysign(x, y)", {"x": 0.0, "y": -1.0}, "torch", {"x": 0.0, "y": 0.0}),
    ("copysign(x, y)", {"x": 0.0, "y": -1.0}, "jax", {"x": -1.0, "y": 0.0}),
    ("abs(x)", {"x": [inf, -inf]}, "torch", {"x": [1.0, -1.0]}),
    ("abs(x)", {"x": [inf, -inf]}, "autograd", {"x": [nan, nan]}),
    ("sinc(x)", {"x": 0.0}, "torch", {"x": 0.0}),
    ("sinc(x)", {"x": 0.0}, "jax", {"x": 0.0}),
    ("sinc(x)", {"x": 0.0}, "autograd", {"x": nan}),
    ("relu6(x)", {"x": nan}, "torch", {"x": 1.0}),
    ("relu6(x)", {"x": nan}, "jax", {"x": 0.0}),
    ("hardswish(x)", {"x": nan}, "torch", {"x": 1.0}),
    ("hardswish(x)", {"x": nan}, "jax", {"x": nan}),
    ("elu(x)", {"x": nan}, "torch", {"x": 1.0}),
    ("elu(x)", {"x": nan}, "jax", {"x": nan}),
    ("selu(x)", {"x": nan}, "torch", {"x": 1.0507009873554805}),
    ("celu(x)", {"x": nan}, "torch", {"x": 1.0}),
    ("logit(x)", {"x": [-0.5, 0.0, 1.0, 2.0]}, "torch", {"x": [nan, inf, inf, nan]}),
    ("logit(x)", {"x": [-0.5, 2.0]}, "jax", {"x": [-4 / 3, -0.5]}),
    ("smooth_l1_loss(x, 0*y)", {"x": [inf, 1.0], "y": [1.0, 1.0]}, "torch", {"x": [0.5, 0.5]}),
]


@pytest.mark.parametrize(("expression", "values", "engine", "expected"), CASES)
def test_slope_is_the_one_measured(expression, values, engine, expected):
    size = np.shape(next(iter(values.values())))
    seed = None if "loss" in expression else np.ones(size)
    found = grad(expression, values, seed=seed, like=engine)
    for name, gradient in expected.items():
        np.testing.assert_allclose(found[name], gradient, rtol=1e-12, equal_nan=True)
