"""Copying: entries that stand in the result several times, and receive several adjoints."""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import (
    Refusal,
    broadcast_shapes,
    fail,
    leading,
    operation,
    outcome,
    sample,
    shape_text,
    trailing_axis,
)
from vjpcli.ops.keywords import array_shape, one_of, whole_numbers
from vjpcli.ops.reductions import reduction
from vjpcli.ops.shapes import indexing, shape


@operation(
    lambda x, *, reps: np.tile(x, reps),
    pattern="movement",
    collects="reps",
    method_names={"torch": ("repeat",)},
    keyword_aliases={"dims": "reps", "sizes": "reps", "repeats": "reps", "A": "x"},
    convention="repeat: lays copies of the whole array (PyTorch; np.repeat copies each entry)",
    samples=(
        sample((3,), reps=2),
        sample((2, 3), reps=(2, 3)),
        sample((2, 1), reps=3),
        sample((2,), reps=(2, 3)),
        sample((), reps=(2,)),
        sample((2,), reps=0),
    ),
    refuses=(
        Refusal(sample((3,), reps=-1), "keyword-value"),
        Refusal(sample((3,), reps=1.5), "keyword-value"),
        Refusal(sample((3,), reps=(10**6, 10**6)), "too-large"),
    ),
    analytic=True,
)
def tile(x, *, reps):
    """Copies of the whole array side by side: `x.repeat(2, 3)` in PyTorch.

    Shapes:  x [m, n], reps (a, b) -> [a*m, b*n]; missing counts in front are 1
    Kinks:   none
    Source:  each entry receives the sum of the adjoints of its copies
    Example: vjp explain "tile(x, 2)" x=1,2 --seed 1,1,10,10
    """
    counts = whole_numbers("reps", reps, least=0)
    counts = (1,) * (x.ndim - len(counts)) + counts
    lengths = (1,) * (len(counts) - x.ndim) + x.shape
    tiled = [count * length for count, length in zip(counts, lengths, strict=True)]
    return outcome(array_shape(tiled), reps=counts)


@tile.vjp
def _(g, y, x, *, reps):
    lengths = (1,) * (len(reps) - x.ndim) + x.shape
    pairs = [n for pair in zip(reps, lengths, strict=True) for n in pair]
    copies = tuple(range(-len(pairs), 0, 2))
    apart = shape.reshape(g, shape=(*leading(g, y), *pairs))
    together = reduction.sum(apart, axis=copies) if copies else apart
    return shape.reshape(together, shape=leading(g, y) + x.shape)


@operation(
    aliases=("repeat_interleave",),
    samples=(
        sample((3,), repeats=2),
        sample((2, 3), repeats=2),
        sample((2, 3), repeats=2, axis=1),
        sample((2, 3), repeats=(1, 0, 2), axis=-1),
        sample((3,), repeats=0),
        sample((), repeats=3),
    ),
    refuses=(
        Refusal(sample((3,), repeats=(1, 2)), "repeats-count"),
        Refusal(sample((3,), repeats=-1), "keyword-value"),
        Refusal(sample((3,), repeats=0.5), "keyword-value"),
        Refusal(sample((3,), repeats=2, axis=1), "axis-out-of-range"),
        Refusal(sample((3,), repeats=10**10), "too-large"),
    ),
)
def repeat(x, *, repeats, axis=None):
    """Each entry several times in a row (NumPy's repeat; in PyTorch, x.repeat(2) is `tile`).

    Shapes:  x [n], repeats 2 -> [2*n]; without an axis all entries stand in one row
    Kinks:   none
    Source:  each entry receives the sum of the adjoints of its copies
    Example: vjp explain "repeat(x, 2)" x=1,2 --seed 1,1,10,10
    """
    if axis is None:
        x, axis = shape.ravel(x), -1
    axis = trailing_axis(x, axis)
    counts = whole_numbers("repeats", repeats, least=0)
    length = x.shape[axis]
    if len(counts) == 1:
        counts *= length
    if len(counts) != length:
        raise fail("repeats-count", f"{len(counts)} counts for {length} entries")
    array_shape(sum(counts))
    return indexing.read_along(x, np.repeat(np.arange(length), counts), axis)


@operation(
    samples=(
        sample((2,), (3,)),
        sample((2, 2), (2, 3)),
        sample((2,), (2, 3)),
        sample((), (2,)),
        sample((2, 0), (1, 2)),
    ),
)
def kron(a, b):
    """Kronecker product: every entry of a times the whole of b.

    Shapes:  a [m, n], b [p, q] -> [m*p, n*q]; missing axes in front count as length 1
    Kinks:   none
    Source:  product rule; an entry of a receives (adjoint block . b)
    Example: vjp explain "kron(a, b)" a=1,2 b=3,4,5 --seed ones
    """
    ndim = max(a.ndim, b.ndim)
    first = (1,) * (ndim - a.ndim) + a.shape
    second = (1,) * (ndim - b.ndim) + b.shape
    array_shape([m * n for m, n in zip(first, second, strict=True)])
    wide = shape.reshape(a, shape=[n for length in first for n in (length, 1)])
    fine = shape.reshape(b, shape=[n for length in second for n in (1, length)])
    lengths = [m * n for m, n in zip(first, second, strict=True)]
    return shape.reshape(wide * fine, shape=lengths)


@operation(
    library_defaults={"numpy": {"indexing": "xy"}, "jax": {"indexing": "xy"}},
    convention="meshgrid: indexing={indexing} (PyTorch; np.meshgrid uses xy)",
    samples=(
        sample((2,), (3,)),
        sample((2,), (3,), indexing="xy"),
        sample((2,), (3,), (2,), indexing="xy"),
        sample((), (2,)),
    ),
    refuses=(
        Refusal(sample((2,), (2, 3)), "rank-too-high"),
        Refusal(sample((2,), (3,), indexing="yx"), "keyword-value"),
    ),
)
def meshgrid(*vectors, indexing="ij", sparse=False):
    """Each vector copied over the grid that all of them span: one array per vector.

    Shapes:  a [m], b [n] -> [m, n] each ("ij", PyTorch) or [n, m] ("xy", NumPy)
    Kinks:   none
    Source:  each entry receives the sum of the adjoints of its copies
    Example: vjp explain "X, Y = meshgrid(x, y); X*Y" x=1,2 y=3,4,5 --seed ones
    """
    indexing = one_of("indexing", indexing, ("ij", "xy"))
    for vector in vectors:
        if vector.ndim > 1:
            raise fail("rank-too-high", f"meshgrid takes vectors, not {shape_text(vector.shape)}")
    places = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        places[:2] = [1, 0]
    lengths = [0] * len(vectors)
    for place, vector in zip(places, vectors, strict=True):
        lengths[place] = vector.size
    array_shape(lengths)
    grids = []
    for place, vector in zip(places, vectors, strict=True):
        alone = [1] * len(vectors)
        alone[place] = vector.size
        grid = shape.reshape(vector, shape=alone)
        grids.append(grid if sparse else shape.broadcast_to(grid, shape=lengths))
    return tuple(grids)


@operation(
    aliases=("broadcast_arrays",),
    samples=(sample((3,), (2, 1)), sample((), (2,), (3, 1))),
    refuses=(Refusal(sample((3,), (2,)), "shape-mismatch"),),
)
def broadcast_tensors(*arrays):
    """Arrays copied along axes of length 1 until all have one shape: one array for each.

    Shapes:  a [3], b [2, 1] -> [2, 3] each
    Kinks:   none
    Source:  each entry receives the sum of the adjoints of its copies
    Example: vjp explain "a, b = broadcast_tensors(x, y); a*b" x=1,2 y=[[3],[4]] --seed ones
    """
    together = broadcast_shapes("broadcast_tensors", *arrays)
    return tuple(shape.broadcast_to(one, shape=together) for one in arrays)


@operation(
    collects="size",
    samples=(sample((2, 3), size=(1, 3)), sample((2, 3), size=(3,)), sample((2, 3), size=())),
    refuses=(
        Refusal(sample((2, 3), size=(2,)), "shape-mismatch"),
        Refusal(sample((3,), size=(2, 3)), "shape-mismatch"),
    ),
)
def sum_to_size(x, *, size):
    """The sums over what broadcasting has copied: x.sum_to_size(3) undoes an expansion.

    Shapes:  x [2, 3], size (1, 3) -> [1, 3]; axes in front that size does not have are summed over
    Kinks:   none
    Source:  linearity: each entry receives the adjoint of its sum
    Example: vjp explain "x.sum_to_size(1, 2)" x=[[1,2],[3,4]] --seed [[1,10]]
    """
    wanted = array_shape(size)
    extra = x.ndim - len(wanted)
    if extra < 0 or any(w not in (1, n) for w, n in zip(wanted, x.shape[extra:], strict=True)):
        raise fail(
            "shape-mismatch",
            f"an array of shape {shape_text(x.shape)} is no expansion of {shape_text(wanted)}",
        )
    stretched = tuple(
        axis for axis in range(-len(wanted), 0) if wanted[axis] == 1 and x.shape[axis] != 1
    )
    if stretched:
        x = reduction.sum(x, axis=stretched, keepdims=True)
    return reduction.sum(x, axis=tuple(range(extra))) if extra else x
