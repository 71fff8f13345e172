"""What linear algebra asks of its operands, shared by the files that declare it."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import OPERATIONS
from vjpcli.ops.declaration import fail, shape_text
from vjpcli.ops.shapes import shape


def require_matrix(operation, x):
    """Refuses an operand with fewer than two axes. More are a stack of matrices.

    Errors: rank-too-low.
    """
    if x.ndim < 2:
        what = "a number" if x.ndim == 0 else "a vector"
        raise fail(
            "rank-too-low",
            f"{operation} needs a matrix, and shape {shape_text(x.shape)} is {what}",
            notes=("a matrix has two axes: [[1, 2], [3, 4]]",),
        )


def require_square(operation, x):
    """Refuses an operand whose last two axes differ in length.

    Errors: rank-too-low, square-needed.
    """
    require_matrix(operation, x)
    if x.shape[-1] != x.shape[-2]:
        raise fail(
            "square-needed",
            f"{operation} needs a square matrix, and shape {shape_text(x.shape)} has "
            f"{x.shape[-2]} rows and {x.shape[-1]} columns",
        )


def symmetrised(operation, x):
    """The symmetric part of a square matrix, which is what a symmetric one counts as here.

    Errors: rank-too-low, square-needed.
    """
    require_square(operation, x)
    return (x + OPERATIONS["matrix_transpose"](x)) / 2


def require_rank(operation, x, ndim, what):
    """Refuses an operand that has not exactly `ndim` axes; `what` names one that has.

    Errors: rank-too-low, rank-too-high.
    """
    if x.ndim != ndim:
        raise fail(
            "rank-too-low" if x.ndim < ndim else "rank-too-high",
            f"{operation} needs {what} with {ndim} axes here, not shape {shape_text(x.shape)}",
        )


def next_to_an_equal(values):
    """Where a value of an ordered lane is that of a neighbour, but for rounding."""
    size = np.max(np.abs(values), axis=-1, keepdims=True, initial=0)
    close = np.abs(np.diff(values, axis=-1)) <= 8 * np.finfo(values.dtype).eps * size
    found = np.zeros(values.shape, dtype=bool)
    found[..., 1:] |= close
    found[..., :-1] |= close
    return found


def union(bits, axis, *, keepdims=False):
    """What any entry along `axis` reads: the union of their bit sets."""
    united = np.bitwise_or.reduce(bits, axis=axis, keepdims=keepdims, initial=0)
    return np.asarray(united, dtype=object)  # also of a single set, which NumPy unpacks


def reads_matrix_for_number(*operands, **static):
    """Pattern: a number for each matrix of a stack, from all entries of that matrix."""
    bits = union(operands[0], (-2, -1))
    for operand in operands[1:]:
        bits = np.asarray(bits | union(operand, (-2, -1)), dtype=object)
    return bits


def reads_matrix_for_matrix(a, **static):
    """Pattern: each entry of the result reads all entries of its matrix, shapes equal."""
    return np.broadcast_to(union(a, (-2, -1), keepdims=True), a.shape)


def stand_beside_matrices(numbers):
    """A node with one number per matrix, with two axes of length 1 behind it."""
    return shape.expand_dims(numbers, axis=(-2, -1))


def for_each_matrix(routine, *stacks, fallback=None):
    """`routine(*stacks)`, NumPy's on stacks of matrices, for which no matrix is too bad.

    NumPy gives up on the whole stack when one matrix is singular or holds nan. Here that one
    alone gets `fallback(*matrices)`, by default nan in the shape of the result, so that an
    explanation can go on and name it.
    """
    whole = _try(routine, stacks, fallback)
    if whole is not None:
        return whole
    batch = np.broadcast_shapes(*(stack.shape[:-2] for stack in stacks))
    spread = [np.broadcast_to(stack, batch + stack.shape[-2:]) for stack in stacks]
    results = []
    for position in np.ndindex(batch):
        matrices = [stack[position] for stack in spread]
        result = _try(routine, matrices, fallback)
        if result is None:
            result = fallback(*matrices) if fallback else _all_nan(routine, matrices)
        results.append(result)
    if isinstance(results[0], tuple):
        return tuple(_restack(parts, batch) for parts in zip(*results, strict=True))
    return _restack(results, batch)


def _try(routine, stacks, fallback):
    """`routine(*stacks)`, None where it fails.

    Where the answer would be nan it is not even asked: LAPACK complains about nan and infinity
    on standard output, and nothing here can stop it.
    """
    if fallback is None and not all(np.isfinite(stack).all() for stack in stacks):
        return None
    try:
        return routine(*stacks)
    except np.linalg.LinAlgError:
        return None


def _restack(results, batch):
    return np.stack(results).reshape(batch + np.shape(results[0]))


def _all_nan(routine, matrices):
    """The routine's result on harmless matrices of these shapes, every entry nan."""
    harmless = [np.eye(*matrix.shape, dtype=matrix.dtype) for matrix in matrices]
    result = routine(*harmless)
    if isinstance(result, tuple):
        return tuple(np.full_like(part, np.nan) for part in result)
    return np.full_like(result, np.nan)
