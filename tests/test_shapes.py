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
from vjpcli.engine.structure import reads
from vjpcli.errors import VjpError
from vjpcli.graph.node import Graph
from vjpcli.graph.operation import OPERATIONS, make_leaf
from vjpcli.graph.random import random_numbers
from vjpcli.graph.shapes import LARGEST_ARRAY


def applied(function, *arrays):
    """Value of function(*leaves), and a function from a seed to the gradients."""
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


def call(name, *operands, **static):
    return OPERATIONS[name](*operands, **static)


def refusal(function, *arrays):
    with pytest.raises(VjpError) as caught:
        applied(function, *arrays)
    return caught.value.diagnostic.code


def counted(*shape):
    """1, 2, 3, ... in this shape, so that every entry tells where it came from."""
    return np.arange(1.0, 1 + np.prod(shape, dtype=int)).reshape(shape)


X = counted(3)
A = counted(2, 3)
C = counted(2, 3, 4)


# NumPy is asked for the same.

# Static arguments stand in the order in which NumPy takes them.
AGAINST_NUMPY = [
    ("reshape", np.reshape, A, {"shape": (3, 2)}),
    ("reshape", np.reshape, A, {"shape": (3, -1), "order": "F"}),
    ("ravel", np.ravel, C, {}),
    ("ravel", np.ravel, C, {"order": "F"}),
    ("flatten", lambda x, _: x.reshape(2, 12), C, {"start_dim": 1}),
    ("unflatten", lambda x, *_: x.reshape(2, 3, 2, 2), C, {"axis": -1, "sizes": (2, -1)}),
    ("expand_dims", np.expand_dims, C, {"axis": (0, -1)}),
    ("squeeze", np.squeeze, counted(1, 3, 1), {}),
    ("squeeze", np.squeeze, counted(1, 3, 1), {"axis": -1}),
    ("atleast_3d", np.atleast_3d, A, {}),
    ("atleast_3d", np.atleast_3d, X, {}),
    ("atleast_2d", np.atleast_2d, X, {}),
    ("broadcast_to", np.broadcast_to, X, {"shape": (2, 3)}),
    ("permute", np.transpose, C, {"axis": (2, 0, 1)}),
    ("T", np.transpose, C, {}),
    ("matrix_transpose", np.matrix_transpose, C, {}),
    ("swapaxes", np.swapaxes, C, {"axis1": 0, "axis2": -1}),
    ("moveaxis", np.moveaxis, C, {"source": (0, 1), "destination": (2, 0)}),
    ("moveaxis", np.moveaxis, C, {"source": -1, "destination": 0}),
    ("flip", np.flip, C, {"axis": (0, -1)}),
    ("flip", np.flip, C, {}),
    ("fliplr", np.fliplr, C, {}),
    ("flipud", np.flipud, C, {}),
    ("roll", np.roll, C, {"shift": 5}),
    ("roll", np.roll, C, {"shift": (1, -2), "axis": (0, 2)}),
    ("roll", np.roll, C, {"shift": 1, "axis": (0, 2)}),
    *[("rot90", np.rot90, C, {"k": k, "axes": (0, 2)}) for k in range(-1, 4)],
    ("tile", np.tile, A, {"reps": (2, 1, 2)}),
    ("tile", np.tile, C, {"reps": 2}),
    ("repeat", np.repeat, A, {"repeats": 2}),
    ("repeat", np.repeat, A, {"repeats": (2, 0, 1), "axis": 1}),
    ("diagonal", np.diagonal, C, {"offset": 1, "axis1": 0, "axis2": -1}),
    ("diagonal", np.diagonal, C, {"offset": -1, "axis1": 2, "axis2": 1}),
    ("diag", np.diag, X, {"offset": -2}),
    ("diag", np.diag, A, {"offset": 1}),
    ("diagflat", np.diagflat, A, {"offset": 1}),
    ("tril", np.tril, C, {"diagonal": -1}),
    ("triu", np.triu, C, {"diagonal": 2}),
    ("take", np.take, A, {"index": (5, -1, 0)}),
    ("take", np.take, C, {"index": ((1, 0),), "axis": 1}),
    ("sliding_window_view", np.lib.stride_tricks.sliding_window_view, A, {"window": (2, 2)}),
    *[
        ("pad", np.pad, A, {"widths": ((1, 2), (2, 1)), "mode": mode})
        for mode in ("edge", "reflect", "symmetric", "wrap")
    ],
]


@pytest.mark.parametrize(
    ("name", "function", "x", "static"),
    AGAINST_NUMPY,
    ids=[f"{name}-{static}" for name, _, _, static in AGAINST_NUMPY],
)
def test_rearranges_as_numpy_does(name, function, x, static):
    value, gradients = applied(lambda x: call(name, x, **static), x)
    expected = function(x, *static.values())
    assert value.shape == expected.shape
    np.testing.assert_array_equal(value, expected)
    # Entries are only moved: a seed of ones counts how often each of them was read.
    times = [np.count_nonzero(expected == entry) for entry in x.ravel()]
    np.testing.assert_array_equal(gradients(np.ones(expected.shape))[0].ravel(), times)


@pytest.mark.parametrize(
    ("name", "function", "arrays"),
    [
        ("hstack", np.hstack, (X, counted(2))),
        ("hstack", np.hstack, (A, counted(2, 1))),
        ("vstack", np.vstack, (A, X)),
        ("dstack", np.dstack, (A, A)),
        ("dstack", np.dstack, (X, X)),
        ("column_stack", np.column_stack, (X, counted(3, 2), X)),
        ("stack", np.stack, (A, A, A)),
        ("concatenate", np.concatenate, (C, counted(1, 3, 4))),
        ("kron", lambda both: np.kron(*both), (A, counted(2, 2))),
        ("kron", lambda both: np.kron(*both), (X, A)),
    ],
)
def test_joins_as_numpy_does(name, function, arrays):
    value, _ = applied(lambda *operands: call(name, *operands), *arrays)
    np.testing.assert_array_equal(value, function(arrays))


def test_numbers_join_vectors_as_single_entries():
    value, gradients = applied(lambda x, s: call("concatenate", x, s), X, 7.0)
    np.testing.assert_array_equal(value, [1, 2, 3, 7])
    assert gradients([1, 2, 3, 10])[1] == 10


# Several results.


def parts(name, x, **static):
    count = len(call(name, make_leaf("x", np.shape(x)), **static))
    return [applied(lambda x, i=i: call(name, x, **static)[i], x)[0].tolist() for i in range(count)]


def test_split_counts_lengths_as_pytorch_and_split_into_counts_parts_as_numpy():
    five = counted(5)
    assert parts("split", five, sizes=2) == [[1, 2], [3, 4], [5]]
    assert parts("split", five, sizes=(1, 4)) == [[1], [2, 3, 4, 5]]
    assert parts("split_into", counted(4), sections=2) == [[1, 2], [3, 4]]
    assert parts("split_into", five, sections=(1, 4)) == [[1], [2, 3, 4], [5]]
    assert parts("tensor_split", five, sections=3) == [[1, 2], [3, 4], [5]]
    assert parts("tensor_split", five, sections=(4, 2)) == [[1, 2, 3, 4], [], [3, 4, 5]]
    assert parts("chunk", five, chunks=4) == [[1, 2], [3, 4], [5]]
    assert parts("unbind", A, axis=1) == [[1, 4], [2, 5], [3, 6]]


def test_an_empty_axis_splits_into_empty_parts():
    assert parts("split", np.zeros(0), sizes=2) == [[]]
    assert parts("chunk", np.zeros(0), chunks=2) == [[], []]
    assert parts("tensor_split", np.zeros(0), sections=2) == [[], []]


def test_meshgrid_lists_rows_first_for_pytorch_and_columns_first_for_numpy():
    for indexing in ("ij", "xy"):
        grids = np.meshgrid(X, counted(2), indexing=indexing)
        for i, grid in enumerate(grids):
            value, gradients = applied(
                lambda x, y, i=i, indexing=indexing: call("meshgrid", x, y, indexing=indexing)[i],
                X,
                counted(2),
            )
            np.testing.assert_array_equal(value, grid)
            assert gradients(np.ones(grid.shape))[i].tolist() == [grid.size / (3, 2)[i]] * (3, 2)[i]


# Reading and writing by arrays of positions.


def test_gather_and_take_along_axis_read_the_same_where_both_may():
    index = np.array([[0, 0], [2, 1]])
    expected = np.take_along_axis(A, index, 1)
    for name in ("gather", "take_along_axis"):
        value, gradients = applied(lambda x, name=name: call(name, x, axis=1, index=index), A)
        np.testing.assert_array_equal(value, expected)
        np.testing.assert_array_equal(
            gradients([[1, 10], [100, 1000]])[0], [[11, 0, 0], [0, 1000, 100]]
        )


def test_gather_reads_fewer_rows_where_its_index_is_shorter():
    value, _ = applied(lambda x: call("gather", x, axis=1, index=((2, 2),)), A)
    np.testing.assert_array_equal(value, [[3, 3]])


def test_take_along_axis_broadcasts_the_other_axes():
    value, _ = applied(lambda x: call("take_along_axis", x, axis=1, index=((2,),)), A)
    np.testing.assert_array_equal(value, np.take_along_axis(A, np.array([[2]]), 1))


def test_scatter_add_adds_every_time_and_hands_each_source_its_adjoint():
    value, gradients = applied(
        lambda x, s: call("scatter_add", x, s, axis=0, index=(2, 2, 0)), X, [10, 20, 30]
    )
    np.testing.assert_array_equal(value, [31, 2, 33])
    to_x, to_source = gradients([1, 10, 100])
    np.testing.assert_array_equal(to_x, [1, 10, 100])
    np.testing.assert_array_equal(to_source, [100, 100, 1])


def test_scatter_overwrites_and_what_was_overwritten_receives_nothing():
    value, gradients = applied(
        lambda x, s: call("scatter", x, s, axis=1, index=((2, 0), (1, 2))), A, [[7, 8], [9, 10]]
    )
    np.testing.assert_array_equal(value, [[8, 2, 7], [4, 9, 10]])
    to_x, to_source = gradients([[1, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(to_x, [[0, 2, 0], [4, 0, 0]])
    np.testing.assert_array_equal(to_source, [[3, 1], [5, 6]])


# Two sources written to one place: PyTorch keeps the last value, and gives both a gradient of 1.
@pytest.mark.parametrize(
    "write",
    [
        lambda s: call("put", call("zeros", shape=1), s, index=(0, 0)),
        lambda s: call("scatter", call("zeros", shape=1), s, axis=0, index=(0, 0)),
        lambda s: call("index_copy", call("zeros", shape=1), s, axis=0, index=(0, -1)),
    ],
)
def test_a_place_written_twice_is_refused(write):
    assert refusal(write, [3.0, 5.0]) == "repeated-write"


def test_put_with_accumulate_may_write_a_place_twice():
    value, gradients = applied(
        lambda s: call("put", call("zeros", shape=1), s, index=(0, 0), accumulate=True), [3.0, 5.0]
    )
    assert value == 8
    np.testing.assert_array_equal(gradients([1])[0], [1, 1])


def test_masked_fill_gives_the_adjoint_to_the_number_where_the_mask_holds():
    mask = np.array([True, False, True])
    value, gradients = applied(lambda x, v: call("masked_fill", x, mask, v), X, 9.0)
    np.testing.assert_array_equal(value, [9, 2, 9])
    to_x, to_value = gradients([1, 10, 100])
    np.testing.assert_array_equal(to_x, [0, 10, 0])
    assert to_value == 101


# Padding and windows.


def test_pad_last_axes_begins_with_the_last_axis_and_cuts_where_negative():
    value, _ = applied(lambda x: call("pad_last_axes", x, widths=(1, 0, 0, 2)), A)
    np.testing.assert_array_equal(value, np.pad(A, ((0, 2), (1, 0))))
    value, gradients = applied(lambda x: call("pad_last_axes", x, widths=(-1, 1)), X)
    np.testing.assert_array_equal(value, [2, 3, 0])
    np.testing.assert_array_equal(gradients([1, 10, 100])[0], [0, 1, 10])


def test_unfold_lists_patches_as_a_convolution_reads_them():
    image = counted(1, 2, 4, 5)
    value, _ = applied(
        lambda x: call("unfold", x, kernel_size=(2, 3), dilation=(1, 2), padding=1, stride=2), image
    )
    padded = np.pad(image, ((0, 0), (0, 0), (1, 1), (1, 1)))
    patches = [
        padded[0, :, i : i + 2, j : j + 5 : 2].ravel()
        for i in range(0, 5, 2)
        for j in range(0, 3, 2)
    ]
    np.testing.assert_array_equal(value, np.stack(patches, axis=-1)[None])


def test_windows_overlap_and_add_their_adjoints():
    windows = next(op for op in OPERATIONS.values() if "unfold" in op.method_names.get("torch", ()))
    value, gradients = applied(lambda x: windows(x, axis=0, size=2, step=1), counted(4))
    np.testing.assert_array_equal(value, [[1, 2], [2, 3], [3, 4]])
    np.testing.assert_array_equal(gradients(np.ones((3, 2)))[0], [1, 2, 2, 1])


# Einstein summation.


def test_a_stretched_axis_of_length_1_receives_the_whole_sum():
    # autograd returns [3.] for the first of them, of the wrong shape.
    value, gradients = applied(
        lambda x, y: call("einsum", x, y, subscripts="i,i->"), [2.0, 5.0], [3.0]
    )
    assert value == 21
    to_x, to_y = gradients(1.0)
    np.testing.assert_array_equal(to_x, [3, 3])
    np.testing.assert_array_equal(to_y, [7])


LETTERS = "abcd"


@st.composite
def contractions(draw):
    """Subscripts and arrays: repeated labels, `...`, lengths of 1, implied outputs."""
    lengths = {letter: draw(st.integers(0, 3)) for letter in LETTERS}
    dots = draw(array_strategies.array_shapes(min_dims=0, max_dims=2, min_side=1, max_side=2))
    terms, arrays = [], []
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    for _ in range(draw(st.integers(1, 3))):
        letters = draw(st.lists(st.sampled_from(LETTERS), max_size=3))
        shape = [lengths[letter] for letter in letters]
        for i, letter in enumerate(letters):
            if letters.count(letter) == 1 and draw(st.booleans()):
                shape[i] = 1
        if draw(st.booleans()):
            place = draw(st.integers(0, len(letters)))
            covered = dots[draw(st.integers(0, len(dots))) :]
            letters.insert(place, "...")
            shape[place:place] = covered
        terms.append("".join(letters))
        arrays.append(rng.uniform(-1, 1, tuple(shape)))
    subscripts = ",".join(terms)
    if draw(st.booleans()):
        used = sorted({letter for letter in subscripts if letter in LETTERS})
        output = draw(st.permutations(used))[: draw(st.integers(0, len(used)))]
        subscripts += "->" + ("..." if "..." in subscripts else "") + "".join(output)
    return subscripts, arrays


@settings(max_examples=200)
@given(contractions())
def test_einsum_is_numpys_einsum_and_linear_in_every_operand(case):
    subscripts, arrays = case
    expected = np.einsum(subscripts, *arrays)
    value, gradients = applied(
        lambda *operands: call("einsum", *operands, subscripts=subscripts), *arrays
    )
    assert value.shape == expected.shape
    np.testing.assert_allclose(value, expected, atol=1e-12)
    # It is linear in each operand: operand . gradient is the value weighted by the seed.
    seed = np.cos(np.arange(expected.size)).reshape(expected.shape)
    for array, gradient in zip(arrays, gradients(seed), strict=True):
        assert gradient.shape == array.shape
        np.testing.assert_allclose(np.sum(array * gradient), np.sum(seed * value), atol=1e-10)


def test_a_chain_of_products_is_contracted_pair_by_pair():
    # In one sweep over all subscripts this would take 60**5 products.
    matrices = [np.eye(60)] * 4
    value, _ = applied(
        lambda *operands: call("einsum", *operands, subscripts="ab,bc,cd,de->ae"), *matrices
    )
    np.testing.assert_array_equal(value, np.eye(60))


# Which entries are read: structural zeros must be zeros, whatever the numbers.


@pytest.mark.parametrize(
    "function",
    [
        lambda x: call("einsum", x, x, subscripts="ij,kj->ik"),
        lambda x: call("einsum", x, [1.0, 3.0, 2.0], subscripts="ij,j->i"),
        lambda x: call("pad", x, widths=1, value=3),
        lambda x: call("pad", x, widths=((1, 1), (2, 2)), mode="reflect"),
        lambda x: (
            call("add_into", x, index=(np.array([0, 2, 2]),), shape=(3, 3, 3))
            if x.shape == (3, 3, 3)
            else call("add_into", x, index=(slice(None), np.array([1, 1, 0])), shape=(2, 2))
        ),
        lambda x: call("kron", x, x),
        lambda x: call("diag_embed", x),
        lambda x: call("tile", x, reps=2),
    ],
)
def test_an_entry_is_read_exactly_where_it_has_a_slope(function):
    x = make_leaf("x", A.shape)
    output = function(x)
    pattern = reads(Graph.reaching({"y": output}, {"x": x}), output, x)
    _, gradients = applied(function, A)
    rows = gradients(np.eye(output.size).reshape(output.size, *output.shape))[0]
    np.testing.assert_array_equal(pattern, rows.reshape(output.shape + A.shape) != 0)


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


def test_repeated_positions_of_a_million_add_up_as_one_by_one():
    index = np.arange(10**6) % 7
    seed = np.ones(10**6)
    value, gradients = applied(lambda x: call("index", x, index=(index,)), np.zeros(7))
    assert value.shape == (10**6,)
    np.testing.assert_array_equal(gradients(seed)[0], np.bincount(index))


def test_float32_adjoints_are_added_up_without_losing_the_small_ones():
    x = make_leaf("x", (1,))
    output = call("index", x, index=(np.zeros(2**20, dtype=int),))
    reverse = backward(Graph.reaching({"y": output}, {"x": x}), ["x"])
    seed = np.full(2**20, 0.1, dtype=np.float32)
    seed[0] = 2**24
    results = evaluate(reverse.graph, {"x": np.zeros(1), seed_name("y"): seed}, np.float32)
    (total,) = results[reverse.graph.outputs["x"]]
    assert total == np.float32(2**24 + (2**20 - 1) * np.float64(np.float32(0.1)))


# Builders.


def built(name, *operands, **static):
    output = call(name, *operands, **static)
    return evaluate(Graph.reaching({"y": output}, {}), {})[output]


def test_builders_build_what_numpy_builds():
    np.testing.assert_array_equal(built("eye", n=2, m=3, k=1), np.eye(2, 3, 1))
    np.testing.assert_array_equal(built("tri", n=2, m=3), np.tri(2, 3))
    np.testing.assert_array_equal(built("arange", start=3), [0, 1, 2])
    np.testing.assert_array_equal(built("arange", start=1, stop=2, step=0.25), [1, 1.25, 1.5, 1.75])
    np.testing.assert_array_equal(built("arange", start=3, stop=0), [])
    np.testing.assert_array_equal(built("linspace", 0.0, 1.0, num=3), [0, 0.5, 1])
    np.testing.assert_array_equal(built("logspace", 0.0, 2.0, num=3), [1, 10, 100])
    np.testing.assert_allclose(
        built("geomspace", 1.0, 8.0, num=4, first=1.0, last=8.0), [1, 2, 4, 8]
    )
    np.testing.assert_array_equal(built("one_hot", x=(2, 0)), [[0, 0, 1], [1, 0, 0]])
    assert built("zeros", shape=(2, 0)).shape == (2, 0)
    assert built("ones", shape=()).shape == ()


def test_a_builder_at_the_limit_takes_no_room_and_one_above_is_refused():
    assert call("zeros", shape=LARGEST_ARRAY).static["value"].strides == (0,)
    with pytest.raises(VjpError) as caught:
        call("zeros", shape=LARGEST_ARRAY + 1)
    assert caught.value.diagnostic.code == "too-large"


def test_points_between_two_leaves_receive_their_weights():
    value, gradients = applied(lambda a, b: call("linspace", a, b, num=3), 1.0, 3.0)
    np.testing.assert_array_equal(value, [1, 2, 3])
    to_start, to_stop = gradients([1, 10, 100])
    assert (to_start, to_stop) == (6, 105)


def test_random_arrays_go_on_inside_a_block_and_come_again_with_the_same_seed():
    with random_numbers(5):
        first, second = built("randn", shape=3), built("randn", shape=3)
    with random_numbers(5):
        again = built("randn", shape=3)
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(first, again)
    assert np.all(built("uniform", low=2, high=3, shape=100) >= 2)
    assert sorted(built("randperm", n=5)) == [0, 1, 2, 3, 4]
