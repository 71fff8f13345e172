"""Convolution of two signals, as NumPy and textbooks have it: one of them is flipped."""

from __future__ import annotations

from vjpcli.graph.operation import OPERATIONS
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import one_of
from vjpcli.ops.neural import convolution
from vjpcli.ops.shapes import indexing, shape


@operation(
    samples=(
        sample((4,), (2,)),
        sample((2,), (5,)),
        sample((5,), (2,), mode="same"),
        sample((3,), (4,), mode="same"),
        sample((5,), (3,), mode="valid"),
        sample((1,), (1,)),
    ),
    refuses=(
        Refusal(sample((2, 3), (2,)), "shape-mismatch"),
        Refusal(sample((0,), (2,)), "shape-mismatch"),
        Refusal(sample((3,), (2,), mode="half"), "keyword-value"),
    ),
    analytic=True,
)
def convolve(a, v, *, mode="full"):
    """Discrete convolution of two signals: the coefficients of a product of polynomials.

    Shapes:  a [n], v [m] -> [n + m - 1]; the middle max(n, m) of them with mode="same", only
             the max(n, m) - min(n, m) + 1 without an edge with mode="valid"
    Kinks:   none
    Source:  sum over i of a[i] v[k - i]; linear in each signal
    Example: vjp explain "np.convolve(a, v)" a=1,2,3 v=1,10 --seed ones
    """
    if a.ndim != 1 or v.ndim != 1 or 0 in (a.size, v.size):
        raise fail(
            "shape-mismatch",
            "convolve takes two signals of at least one entry, "
            f"not shapes {shape_text(a.shape)} and {shape_text(v.shape)}",
        )
    mode = one_of("mode", mode, ("full", "same", "valid"))
    if v.size > a.size:
        a, v = v, a
    signal = shape.reshape(a, shape=(1, a.size))
    kernel = shape.reshape(OPERATIONS["flip"](v), shape=(1, 1, v.size))
    beyond = 0 if mode == "valid" else v.size - 1
    y = convolution.conv1d(signal, kernel, padding=beyond)
    y = shape.reshape(y, shape=(-1,))
    if mode != "same":
        return y
    start = (v.size - 1) // 2
    return indexing.index(y, index=(slice(start, start + a.size),))
