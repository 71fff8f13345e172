"""Sampling by a grid: an image read at places that are themselves inputs.

What is read is a weighted sum of the entries around each place. Its derivative for the place is
the same sum with the derivatives of the weights: the operation itself, with other `orders`.
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.node import Node
from vjpcli.graph.operation import as_node
from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import (
    Kink,
    Refusal,
    fail,
    operation,
    outcome,
    sample,
    shape_text,
)
from vjpcli.ops.keywords import one_of, true_or_false, whole_numbers
from vjpcli.ops.neural.grid_weights import PADDING_MODES, WEIGHTS, inside, positions, taps
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import joining, shape
from vjpcli.ops.shapes.ordering import matrix_transpose

AXES = (2, 3)
"""Of images and of volumes."""


def _channels_last(x, rank):
    """[..., N, C, lengths] as [N, lengths, ..., C]: what an index reads stands in front."""
    return np.moveaxis(np.moveaxis(x, -rank - 1, -1), range(-rank - 2, -1), range(rank + 1))


def _channels_first(x, rank):
    return np.moveaxis(np.moveaxis(x, range(rank + 1), range(-rank - 2, -1)), -1, -rank - 1)


def _grid_sample(x, grid, *, orders, **how):
    rank = grid.shape[-1]
    read = _channels_last(x, rank)
    total = np.zeros((*grid.shape[:-1], *read.shape[rank + 1 :]), x.dtype)
    for index, weight in taps(grid, x.shape[-rank:], orders, **how):
        total += read[index] * weight.reshape(*weight.shape, *(1,) * (x.ndim - rank - 1))
    return _channels_first(total, rank)


def _positions_in(grid, x, padding_mode, align_corners):
    """For each axis the positions of all places, raw and as the padding understands them."""
    rank = grid.shape[-1]
    for axis, length in enumerate(x.shape[-rank:]):
        raw = positions(grid[..., rank - 1 - axis], length, align_corners)
        yield raw, inside(raw, length, padding_mode, align_corners)[0], length


def _any_axis(y, hits):
    """A mask of the places as one of the results: alike for all channels."""
    hit = np.expand_dims(np.logical_or.reduce(hits), 1)
    return np.broadcast_to(hit, y.shape)


def _on_an_entry(y, x, grid, *, mode, padding_mode, align_corners, orders):
    """Where a place lies exactly on an entry: the two sides have slopes of their own."""
    hits = [
        (raw == np.floor(raw))
        & (raw >= -1)
        & (raw <= length)
        & ((padding_mode == "zeros") | ((at > 0) & (at < length - 1)))
        for raw, at, length in _positions_in(grid, x, padding_mode, align_corners)
    ]
    return _any_axis(y, hits) & (mode == "bilinear")


def _at_an_end(y, x, grid, *, mode, padding_mode, align_corners, orders):
    """Where a place lies exactly on the first or last entry, beyond which nothing changes."""
    hits = [
        (raw == np.floor(raw))
        & ((at == 0) | (at == length - 1))
        & (length > 1)
        & ((padding_mode == "reflection") | (raw == at))
        for raw, at, length in _positions_in(grid, x, padding_mode, align_corners)
    ]
    return _any_axis(y, hits) & (mode == "bilinear") & (padding_mode != "zeros")


def _half_way(y, x, grid, *, mode, padding_mode, align_corners, orders):
    hits = [
        (at - np.floor(at) == 0.5) & (raw >= -0.5) & (raw <= length - 0.5)
        for raw, at, length in _positions_in(grid, x, padding_mode, align_corners)
    ]
    return _any_axis(y, hits) & (mode == "nearest")


GRID_SAMPLES = (
    sample((2, 2, 3, 4), (2, 2, 3, 2)),
    sample((1, 1, 3, 4), (1, 2, 2, 2), align_corners=True),
    sample((1, 2, 3, 3), (1, 2, 2, 2), padding_mode="border"),
    sample((1, 1, 3, 4), (1, 1, 3, 2), padding_mode="reflection", align_corners=True),
    sample((1, 1, 3, 4), (1, 1, 3, 2), padding_mode="reflection"),
    sample((1, 1, 4, 5), (1, 2, 2, 2), mode="bicubic"),
    sample((1, 1, 3, 3), (1, 1, 2, 2), mode="bicubic", padding_mode="reflection"),
    sample((1, 1, 3, 4), (1, 2, 2, 2), mode="nearest"),
    sample((1, 2, 2, 3, 2), (1, 1, 2, 2, 3)),
    sample((1, 1, 3, 4), (1, 0, 2, 2)),
)


@operation(
    _grid_sample,
    samples=GRID_SAMPLES,
    refuses=(
        Refusal(sample((1, 3, 4), (1, 2, 2, 2)), "shape-mismatch"),
        Refusal(sample((1, 1, 3, 4), (1, 2, 2, 3)), "shape-mismatch"),
        Refusal(sample((2, 1, 3, 4), (1, 2, 2, 2)), "shape-mismatch"),
        Refusal(sample((1, 1, 0, 4), (1, 2, 2, 2)), "shape-mismatch"),
        Refusal(sample((1, 1, 3, 4), (1, 2, 2, 2), mode="cubic"), "keyword-value"),
        Refusal(sample((1, 1, 3, 4), (1, 2, 2, 2), padding_mode="zero"), "keyword-value"),
        Refusal(sample((1, 1, 2, 3, 4), (1, 1, 1, 1, 3), mode="bicubic"), "keyword-value"),
        Refusal(sample((1, 1, 3, 4), (1, 2, 2, 2), align_corners="yes"), "keyword-value"),
    ),
    kinks=(
        Kink(
            "a place is exactly on an entry (bilinear)",
            _on_an_entry,
            slopes=(-1.5, 3),
            used=-1.5,
            point=([[[[1.0, 3.0, 2.0]]]], [[[[0.0, 0.0]]]]),
            operand=1,
            says="the numbers are for the 3 in an image of 1, 3, 2; taken is the right-hand one",
        ),
        Kink(
            "a place is exactly at an end (padding border or reflection)",
            _at_an_end,
            slopes=(0, 2),
            used=0,
            point=([[[[1.0, 3.0]]]], [[[[-0.5, 0.0]]]]),
            operand=1,
            static={"padding_mode": "border"},
            says="the numbers are for the 1 in an image of 1, 3",
        ),
        Kink(
            "a place is half-way between entries (nearest)",
            _half_way,
            slopes=(0, np.inf),
            used=0,
            point=([[[[1.0, 3.0]]]], [[[[0.0, 0.0]]]]),
            operand=1,
            static={"mode": "nearest"},
        ),
    ),
)
def grid_sample(x, grid, *, mode="bilinear", padding_mode="zeros", align_corners=None):
    """An image read at the places of a grid, each a weighted sum of the entries around it.

    Shapes:  x [N, C, H, W], grid [N, H', W', 2] of places (x, y) from -1 to 1 -> [N, C, H', W'];
             for volumes x [N, C, D, H, W], grid [N, D', H', W', 3]
    Kinks:   bilinear: where a place lies on an entry, or within rounding of it, the slopes are
             those towards greater positions (PyTorch: within rounding those of either side); at
             an end, border and reflection use 0. nearest is flat for the grid
    Source:  Jaderberg et al., "Spatial Transformer Networks" (2015); modes bilinear, nearest and
             bicubic (Keys, 1981, with coefficient -0.75), padding_mode zeros, border and
             reflection as in PyTorch. align_corners=True puts -1 and 1 on the outer entries,
             else they are the outer edges
    Example: vjp explain "F.grid_sample(x, grid)" x=[[[[1,3,2]]]] grid=[[[[0.25,0]]]]
    """
    rank = grid.shape[-1] if grid.ndim else 0
    fits = rank in AXES and grid.ndim == rank + 2 == x.ndim and x.shape[0] == grid.shape[0]
    if not fits or 0 in x.shape[2:]:
        raise fail(
            "shape-mismatch",
            f"grid_sample cannot read shape {shape_text(x.shape)} by a grid of shape "
            f"{shape_text(grid.shape)}",
            notes=(
                "images [N, C, H, W] take a grid [N, H', W', 2]; volumes one [N, D', H', W', 3]",
            ),
        )
    modes = tuple(WEIGHTS)[: 3 if rank == 2 else 2]
    mode = one_of("mode", mode, modes)
    padding_mode = one_of("padding_mode", padding_mode, PADDING_MODES)
    align = align_corners is not None and true_or_false("align_corners", align_corners)
    lengths = (*x.shape[:2], *grid.shape[1:-1])
    refuse_oversized(lengths)
    return outcome(
        lengths, mode=mode, padding_mode=padding_mode, align_corners=align, orders=(0,) * rank
    )


def _read(x, grid, static):
    """`grid_sample` of an array that may carry leading axes of a batch of seeds."""
    lengths = (*x.shape[: -grid.shape[-1]], *grid.shape[1:-1])
    return Node(grid_sample, (x, grid), static, lengths)


def _to_places(g, x, grid, static):
    """The adjoint of the places: g times the slopes of what was read, summed over channels."""
    rank = grid.shape[-1]
    if static["mode"] == "nearest":
        return None
    numbers = []
    for axis in reversed(range(rank)):
        orders = tuple(n + (i == axis) for i, n in enumerate(static["orders"]))
        slopes = _read(x, grid, {**static, "orders": orders})
        numbers.append(reduction.sum(g * slopes, axis=-rank - 1))
    return joining.stack(*numbers, axis=-1)


@grid_sample.vjp
def _(g, y, x, grid, **static):
    lengths = x.shape[-grid.shape[-1] :]
    return _add(g, grid, lengths, static), _to_places(g, x, grid, static)


def _add(g, grid, lengths, static):
    shape = (*g.shape[: -len(lengths)], *lengths)
    return Node(add_grid_sample, (g, grid), {**static, "lengths": lengths}, shape)


def _add_grid_sample(g, grid, *, lengths, orders, **how):
    rank = len(lengths)
    given = _channels_last(g, rank)
    total = np.zeros((len(grid), *lengths, *given.shape[rank + 1 :]), g.dtype)
    for index, weight in taps(grid, lengths, orders, **how):
        weighted = given * weight.reshape(*weight.shape, *(1,) * (g.ndim - rank - 1))
        np.add.at(total, index, weighted.astype(g.dtype, copy=False))
    return _channels_first(total, rank)


@operation(
    _add_grid_sample,
    samples=(
        sample((2, 2, 2, 3), (2, 2, 3, 2), lengths=(3, 4)),
        sample((1, 1, 2, 2), (1, 2, 2, 2), lengths=(4, 5), mode="bicubic"),
        sample((1, 1, 1, 2, 2), (1, 1, 2, 2, 3), lengths=(2, 3, 2), padding_mode="border"),
    ),
    refuses=(
        Refusal(sample((2, 2, 2, 3), (2, 2, 2, 2), lengths=(3, 4)), "shape-mismatch"),
        Refusal(sample((3, 2), (3, 2), lengths=(3, 4)), "shape-mismatch"),
    ),
)
def add_grid_sample(g, grid, *, lengths, mode="bilinear", padding_mode="zeros", align_corners=None):
    """Zeros with the entries of g added around the places of a grid, by their weights.

    Shapes:  g [N, C, H', W'], grid [N, H', W', 2] -> [N, C, *lengths]
    Kinks:   those of `grid_sample`
    Source:  the transpose of `grid_sample`
    Example: vjp explain "add_grid_sample(g, grid, (1, 3))" g=[[[[1]]]] grid=[[[[0.25,0]]]]
             --seed ones
    """
    lengths = whole_numbers("lengths", lengths, least=1)
    fits = g.ndim == grid.ndim == len(lengths) + 2 and len(lengths) in AXES
    if not fits or g.shape[2:] != grid.shape[1:-1] or len(lengths) != grid.shape[-1]:
        raise fail(
            "shape-mismatch",
            f"entries of shape {shape_text(g.shape)} do not belong to a grid of shape "
            f"{shape_text(grid.shape)}",
        )
    refuse_oversized((*g.shape[:2], *lengths))
    return outcome(
        (*g.shape[:2], *lengths),
        lengths=lengths,
        mode=one_of("mode", mode, tuple(WEIGHTS)),
        padding_mode=one_of("padding_mode", padding_mode, PADDING_MODES),
        align_corners=align_corners is not None and true_or_false("align_corners", align_corners),
        orders=(0,) * len(lengths),
    )


@add_grid_sample.vjp
def _(g, y, x, grid, *, lengths, **static):
    return _read(g, grid, static), _to_places(x, g, grid, static)


@operation(
    samples=(
        sample((2, 2, 3), size=(2, 1, 3, 4)),
        sample((1, 2, 3), size=(1, 3, 2, 1), align_corners=True),
        sample((1, 3, 4), size=(1, 1, 2, 3, 2)),
    ),
    refuses=(
        Refusal(sample((2, 3), size=(1, 1, 2, 2)), "shape-mismatch"),
        Refusal(sample((1, 2, 3), size=(2, 1, 2, 2)), "shape-mismatch"),
        Refusal(sample((1, 3, 4), size=(1, 1, 2, 2)), "shape-mismatch"),
        Refusal(sample((1, 2, 3), size=(1, 2, 2)), "keyword-value"),
        Refusal(sample((1, 2, 3), size=(1, 1, 10**5, 10**5)), "too-large"),
    ),
    analytic=True,
)
def affine_grid(theta, *, size, align_corners=None):
    """The places that an affine map assigns to the entries of an image, for `grid_sample`.

    Shapes:  theta [N, 2, 3], size (N, C, H, W) -> [N, H, W, 2];
             theta [N, 3, 4], size (N, C, D, H, W) -> [N, D, H, W, 3]
    Kinks:   none
    Source:  theta times (x, y, 1), x and y the middle of each entry from -1 to 1 (with
             align_corners=True the outer entries lie at -1 and 1)
    Example: vjp explain "F.affine_grid(theta, (1, 1, 1, 2))" theta=[[[1,0,0],[0,1,0]]] --seed ones
    """
    lengths = whole_numbers("size", size, least=1)
    rank = len(lengths) - 2
    if rank not in AXES:
        raise fail("keyword-value", f"size is (N, C, H, W) or (N, C, D, H, W), not {lengths}")
    if theta.shape != (lengths[0], rank, rank + 1):
        raise fail(
            "shape-mismatch",
            f"affine_grid needs theta of shape {shape_text((lengths[0], rank, rank + 1))} for "
            f"size {shape_text(lengths)}, not {shape_text(theta.shape)}",
        )
    align = align_corners is not None and true_or_false("align_corners", align_corners)
    refuse_oversized((*lengths[2:], rank + 1))
    places = np.meshgrid(*(_middles(n, align) for n in lengths[2:]), indexing="ij")
    ones = np.ones(lengths[2:])
    base = np.stack([*reversed(places), ones], axis=-1).reshape(-1, rank + 1)
    grid = as_node(base) @ matrix_transpose(theta)
    return shape.reshape(grid, shape=(lengths[0], *lengths[2:], rank))


def _middles(length, align_corners):
    if align_corners:
        return np.linspace(-1, 1, length) if length > 1 else np.zeros(1)
    return (2 * np.arange(length) + 1) / length - 1
