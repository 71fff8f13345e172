"""Adaptive pooling: as many windows as are wanted, whatever the length of the input."""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.operation import as_node
from vjpcli.graph.shapes import refuse_oversized
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import true_or_false, whole_number
from vjpcli.ops.neural.pooling import largest_entries
from vjpcli.ops.numbers import comparison
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import indexing, shape


def _adaptive_places(length, wanted):
    """Positions that each of `wanted` windows sees, and which of them count."""
    first = [at * length // wanted for at in range(wanted)]
    last = [-(-(at + 1) * length // wanted) for at in range(wanted)]
    longest = max((b - a for a, b in zip(first, last, strict=True)), default=0)
    places = np.add.outer(np.array(first, dtype=np.intp), np.arange(longest))
    counts = places < np.array(last, dtype=np.intp)[:, None]
    return np.where(counts, places, 0), counts


def _wanted_lengths(name, rank, x, output_size):
    """The number of windows along each axis; None keeps a length.

    Errors: shape-mismatch, keyword-value, too-large.
    """
    if x.ndim not in (rank + 1, rank + 2):
        raise fail("shape-mismatch", f"{name} cannot pool shape {shape_text(x.shape)}")
    several = output_size if isinstance(output_size, list | tuple) else (output_size,) * rank
    if len(several) != rank:
        raise fail("keyword-value", f"output_size takes {rank} numbers, not {output_size}")
    lengths = x.shape[-rank:]
    wanted = [
        length if given is None else whole_number("output_size", given, least=1)
        for given, length in zip(several, lengths, strict=True)
    ]
    if any(n == 0 and given is not None for n, given in zip(lengths, several, strict=True)):
        raise fail("shape-mismatch", f"{name} cannot pool an axis of length 0")
    refuse_oversized((*x.shape[:-rank], *wanted))
    return wanted


def pool_to_size(name, rank, x, output_size):
    """The means of the wanted number of windows."""
    wanted = _wanted_lengths(name, rank, x, output_size)
    for axis, count in zip(range(-rank, 0), wanted, strict=True):
        if count == x.shape[axis]:
            continue
        places, counts = _adaptive_places(x.shape[axis], count)
        behind = -axis - 1
        read = indexing.index(x, index=(Ellipsis, places, *(slice(None),) * behind))
        seen = comparison.where(as_node(counts.reshape(*counts.shape, *(1,) * behind)), read, 0)
        x = reduction.sum(seen, axis=axis) / as_node(counts.sum(axis=1).reshape(-1, *(1,) * behind))
    return x


def pool_largest_to_size(name, rank, x, output_size, return_indices):
    """The largest entries of the wanted number of windows; on request also where they are."""
    wanted = _wanted_lengths(name, rank, x, output_size)
    lengths = x.shape[-rank:]
    axes = [_adaptive_places(n, count) for n, count in zip(lengths, wanted, strict=True)]
    places, counts = [], []
    for axis, (place, count) in enumerate(axes):
        beside = [1] * 2 * rank
        beside[axis], beside[rank + axis] = place.shape
        places.append(place.reshape(beside))
        counts.append(count.reshape(beside))
    entries = math.prod(place.shape[1] for place, _ in axes)
    refuse_oversized((*x.shape[:-rank], *wanted, entries))
    read = indexing.index(x, index=(Ellipsis, *places))
    if not all(count.all() for count in counts):
        seen = np.logical_and.reduce(np.broadcast_arrays(*counts))
        read = comparison.where(as_node(seen), read, -np.inf)
    read = shape.reshape(read, shape=(*x.shape[:-rank], *wanted, entries))
    flat = None
    if true_or_false("return_indices", return_indices):
        flat = np.ravel_multi_index(np.broadcast_arrays(*places), lengths)
        flat = flat.reshape(*wanted, entries)
    return largest_entries(read, flat)


@operation(
    samples=(
        sample((2, 2, 6), output_size=3),
        sample((2, 5), output_size=3),
        sample((1, 2), output_size=5),
    ),
    refuses=(
        Refusal(sample((5,), output_size=2), "shape-mismatch"),
        Refusal(sample((1, 5), output_size=0), "keyword-value"),
    ),
    analytic=True,
)
def adaptive_avg_pool1d(x, *, output_size):
    """Means of as many windows as are wanted; their lengths differ by one where they must.

    Shapes:  x [N, C, L] or [C, L] -> [..., output_size]
    Kinks:   none
    Source:  window i covers floor(i L/n) up to ceil((i + 1) L/n), as in PyTorch
    Example: vjp explain "adaptive_avg_pool1d(x, 2)" x=[[1,3,2]] --seed ones
    """
    return pool_to_size("adaptive_avg_pool1d", 1, x, output_size)


@operation(
    samples=(
        sample((2, 4, 6), output_size=(2, 3)),
        sample((1, 1, 5, 3), output_size=2),
        sample((1, 3, 4), output_size=(None, 1)),
    ),
    refuses=(
        Refusal(sample((5, 5), output_size=2), "shape-mismatch"),
        Refusal(sample((1, 5, 5), output_size=(1, 2, 3)), "keyword-value"),
    ),
    analytic=True,
)
def adaptive_avg_pool2d(x, *, output_size):
    """Means of as many windows of an image as are wanted along each axis.

    Shapes:  x [N, C, H, W] or [C, H, W] -> [..., output_size]; None keeps a length
    Kinks:   none
    Source:  window i covers floor(i L/n) up to ceil((i + 1) L/n) along each axis, as in PyTorch
    Example: vjp explain "adaptive_avg_pool2d(x, 1)" x=[[[1,3],[2,2]]]
    """
    return pool_to_size("adaptive_avg_pool2d", 2, x, output_size)


@operation(
    samples=(sample((1, 2, 3, 4), output_size=(1, 2, 3)), sample((1, 1, 2, 2, 3), output_size=2)),
    refuses=(Refusal(sample((5, 5), output_size=2), "shape-mismatch"),),
    analytic=True,
)
def adaptive_avg_pool3d(x, *, output_size):
    """Means of as many windows of a volume as are wanted along each axis.

    Shapes:  x [N, C, D, H, W] or [C, D, H, W] -> [..., output_size]; None keeps a length
    Kinks:   none
    Source:  window i covers floor(i L/n) up to ceil((i + 1) L/n) along each axis, as in PyTorch
    Example: vjp explain "adaptive_avg_pool3d(x, 1)" x=[[[[1,3],[2,2]],[[0,5],[4,1]]]]
    """
    return pool_to_size("adaptive_avg_pool3d", 3, x, output_size)


@operation(
    samples=(
        sample((2, 2, 6), output_size=3),
        sample((2, 5), output_size=3),
        sample((2, 5), output_size=3, return_indices=True),
    ),
    refuses=(
        Refusal(sample((5,), output_size=2), "shape-mismatch"),
        Refusal(sample((1, 5), output_size=0), "keyword-value"),
        Refusal(sample((1, 5), output_size=2, return_indices=3), "keyword-value"),
        Refusal(sample((1, 5), output_size=10**12), "too-large"),
    ),
    several=("values", "indices"),
)
def adaptive_max_pool1d(x, *, output_size, return_indices=False):
    """The largest entries of as many windows as are wanted.

    Shapes:  x [N, C, L] or [C, L] -> [..., output_size]; return_indices=True as in `max_pool1d`
    Kinks:   where two entries of a window are largest: the first one takes it all (PyTorch)
    Source:  window i covers floor(i L/n) up to ceil((i + 1) L/n), as in PyTorch
    Example: vjp explain "adaptive_max_pool1d(x, 2)" x=[[1,3,2]] --seed ones
    """
    return pool_largest_to_size("adaptive_max_pool1d", 1, x, output_size, return_indices)


@operation(
    samples=(sample((2, 4, 6), output_size=(2, 3)), sample((1, 3, 4), output_size=(None, 1))),
    refuses=(Refusal(sample((5, 5), output_size=2), "shape-mismatch"),),
    several=("values", "indices"),
)
def adaptive_max_pool2d(x, *, output_size, return_indices=False):
    """The largest entries of as many windows of an image as are wanted along each axis.

    Shapes:  x [N, C, H, W] or [C, H, W] -> [..., output_size]; None keeps a length,
             return_indices=True gives (values, indices), the positions in the flat image
    Kinks:   where two entries of a window are largest: the first one takes it all (PyTorch)
    Source:  window i covers floor(i L/n) up to ceil((i + 1) L/n) along each axis, as in PyTorch
    Example: vjp explain "adaptive_max_pool2d(x, 1)" x=[[[1,3],[2,0]]]
    """
    return pool_largest_to_size("adaptive_max_pool2d", 2, x, output_size, return_indices)


@operation(
    samples=(sample((1, 2, 3, 4), output_size=(1, 2, 3)),),
    refuses=(Refusal(sample((5, 5), output_size=2), "shape-mismatch"),),
    several=("values", "indices"),
)
def adaptive_max_pool3d(x, *, output_size, return_indices=False):
    """The largest entries of as many windows of a volume as are wanted along each axis.

    Shapes:  x [N, C, D, H, W] or [C, D, H, W] -> [..., output_size]; None keeps a length,
             return_indices=True gives (values, indices), the positions in the flat volume
    Kinks:   where two entries of a window are largest: the first one takes it all (PyTorch)
    Source:  window i covers floor(i L/n) up to ceil((i + 1) L/n) along each axis, as in PyTorch
    Example: vjp explain "adaptive_max_pool3d(x, 1)" x=[[[[1,3],[2,2]],[[0,5],[4,1]]]]
    """
    return pool_largest_to_size("adaptive_max_pool3d", 3, x, output_size, return_indices)


@operation(several=("values", "indices"), samples=(sample((2, 5), output_size=3),))
def adaptive_max_pool1d_with_indices(x, *, output_size, return_indices=True):
    """The largest entries of as many windows as are wanted, and where they are.

    Shapes:  x [N, C, L] or [C, L] -> (values, indices), each [..., output_size]
    Kinks:   those of `adaptive_max_pool1d`
    Source:  `adaptive_max_pool1d` with return_indices=True
    Example: vjp explain "F.adaptive_max_pool1d_with_indices(x, 2)[0]" x=[[1,3,2]] --seed ones
    """
    return adaptive_max_pool1d(x, output_size=output_size, return_indices=True)


@operation(several=("values", "indices"), samples=(sample((1, 3, 4), output_size=2),))
def adaptive_max_pool2d_with_indices(x, *, output_size, return_indices=True):
    """The largest entries of as many windows of an image as are wanted, and where they are.

    Shapes:  x [N, C, H, W] or [C, H, W] -> (values, indices), each [..., output_size]
    Kinks:   those of `adaptive_max_pool2d`
    Source:  `adaptive_max_pool2d` with return_indices=True
    Example: vjp explain "F.adaptive_max_pool2d_with_indices(x, 1)[0]" x=[[[1,3],[2,0]]]
    """
    return adaptive_max_pool2d(x, output_size=output_size, return_indices=True)


@operation(several=("values", "indices"), samples=(sample((1, 2, 3, 2), output_size=1),))
def adaptive_max_pool3d_with_indices(x, *, output_size, return_indices=True):
    """The largest entries of as many windows of a volume as are wanted, and where they are.

    Shapes:  x [N, C, D, H, W] or [C, D, H, W] -> (values, indices), each [..., output_size]
    Kinks:   those of `adaptive_max_pool3d`
    Source:  `adaptive_max_pool3d` with return_indices=True
    Example: vjp explain "F.adaptive_max_pool3d_with_indices(x, 1)[0]"
             x=[[[[1,3],[2,2]],[[0,5],[4,1]]]]
    """
    return adaptive_max_pool3d(x, output_size=output_size, return_indices=True)
