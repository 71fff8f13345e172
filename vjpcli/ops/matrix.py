"""What linear algebra asks of its operands, shared by the files that declare it."""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import fail, shape_text


def require_matrix(operation, x):
    """Refuses an operand with fewer than two axes. More are a stack of matrices.

    Errors: matrix-needed.
    """
    if x.ndim < 2:
        what = "a number" if x.ndim == 0 else "a vector"
        raise fail(
            "matrix-needed",
            f"{operation} needs a matrix, and shape {shape_text(x.shape)} is {what}",
            notes=("a matrix has two axes: [[1, 2], [3, 4]]",),
        )


def require_square(operation, x):
    """Refuses an operand whose last two axes differ in length.

    Errors: matrix-needed, square-needed.
    """
    require_matrix(operation, x)
    if x.shape[-1] != x.shape[-2]:
        raise fail(
            "square-needed",
            f"{operation} needs a square matrix, and shape {shape_text(x.shape)} has "
            f"{x.shape[-2]} rows and {x.shape[-1]} columns",
        )


def require_rank(operation, x, ndim, what):
    """Refuses an operand that has not exactly `ndim` axes; `what` names one that has.

    Errors: wrong-rank.
    """
    if x.ndim != ndim:
        raise fail(
            "wrong-rank",
            f"{operation} needs {what} with {ndim} axes here, not shape {shape_text(x.shape)}",
        )


def whole_number(operation, name, value):
    """`value` as a plain integer.

    Errors: static-not-whole.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise fail("static-not-whole", f"`{name}` of {operation} is a whole number, not {value!r}")
    return int(value)


def plain_number(operation, name, value):
    """`value` as a plain number.

    Errors: static-not-a-number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise fail("static-not-a-number", f"`{name}` of {operation} is a number, not {value!r}")
    return float(value)


def truth(operation, name, value):
    """`value` as True or False.

    Errors: static-not-a-truth.
    """
    if not isinstance(value, bool | np.bool_) and value not in (0, 1):
        raise fail("static-not-a-truth", f"`{name}` of {operation} is True or False, not {value!r}")
    return bool(value)


def union(bits, axis, *, keepdims=False):
    """What any entry along `axis` reads: the union of their bit sets."""
    return np.bitwise_or.reduce(bits, axis=axis, keepdims=keepdims, initial=0)
