"""Shape, order and indexing operations: NumPy's own results, PyTorch's conventions, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as array_strategies

import vjpcli.ops  # noqa: F401  (declares the operations)
from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.errors import VjpError
from vjpcli.graph.node import Graph
from vjpcli.graph.operation import OPERATIONS, make_leaf


def applied(function, *arrays):
    """Values of function(*leaves) and a function from a seed to the gradients."""
    leaves = {f"x{i}": make_leaf(f"x{i}", np.shape(array)) for i, array in enumerate(arrays)}
    values = {name: np.asarray(array, float) for name, array in zip(leaves, arrays, strict=True)}
    output = function(*leaves.values())
    graph = Graph.reaching({"y": output}, leaves)
    value = evaluate(graph, values)[output]

    def gradients(seed):
        seed = np.asarray(seed, float)
        batch = seed.shape[: seed.ndim - output.ndim]
        reverse = backward(graph, leaves, batch=batch)
        results = evaluate(reverse.graph, {**values, seed_name("y"): seed})
        return [results[node] for node in reverse.graph.outputs.values()]

    return value, gradients


def refusal(function, *arrays):
    with pytest.raises(VjpError) as caught:
        applied(function, *arrays)
    return caught.value.diagnostic.code


def counted(*shape):
    """1, 2, 3, ... in this shape, so that every entry tells where it came from."""
    return np.arange(1.0, 1 + np.prod(shape, dtype=int)).reshape(shape)


# Indexing.

SHAPES = array_strategies.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4)


@st.composite
def shapes_and_indices(draw):
    shape = draw(SHAPES)
    kept = draw(st.integers(0, len(shape)))
    together = draw(array_strategies.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3))
    parts = []
    axis = 0
    while axis < kept:
        length = shape[axis]
        kinds = ["slice", "none", "mask"] + (["whole", "array", "array"] if length else [])
        kind = draw(st.sampled_from(kinds))
        if kind == "none":
            parts.append(None)
            if len(parts) > 6:
                break
            continue
        if kind == "mask":
            covered = draw(st.integers(0, min(2, kept - axis)))
            mask = draw(array_strategies.arrays(bool, shape[axis : axis + covered]))
            parts.append(mask if covered or draw(st.booleans()) else bool(mask))
            axis += covered
            if covered == 0 and len(parts) > 6:
                break
            continue
        if kind == "slice":
            parts.append(draw(st.slices(length)))
        elif kind == "whole":
            parts.append(draw(st.integers(-length, length - 1)))
        else:
            parts.append(
                draw(
                    array_strategies.arrays(
                        np.intp, together, elements=st.integers(-length, length - 1)
                    )
                )
            )
        axis += 1
    if draw(st.booleans()):
        # Elsewhere it would push a mask to axes that it does not fit.
        place = len(parts) if kept < len(shape) else draw(st.integers(0, len(parts)))
        parts.insert(place, Ellipsis)
    return shape, tuple(parts)


@settings(max_examples=300, deadline=None)
@given(shapes_and_indices())
def test_every_index_reads_what_numpy_reads_and_adds_back_where_it_read(case):
    shape, index = case
    x = counted(*shape)
    try:
        expected = x[index]
    except (IndexError, ValueError):
        assert refusal(lambda x: OPERATIONS["index"](x, index=index), x)
        return
    value, gradients = applied(lambda x: OPERATIONS["index"](x, index=index), x)
    np.testing.assert_array_equal(value, expected)
    assert value.shape == expected.shape
    seeds = counted(2, *expected.shape)
    together = np.zeros((2, *shape))
    for added, seed in zip(together, seeds, strict=True):
        np.add.at(added, index, seed)
    np.testing.assert_array_equal(gradients(seeds)[0], together)
