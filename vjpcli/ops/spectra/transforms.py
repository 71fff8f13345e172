"""Parts of Fourier transforms: the real or the imaginary part of the transform of a real array.

Each is a linear function of real numbers, and its adjoint is again such a part. Complex arrays
are transformed part by part (`fourier.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vjpcli.ops.declaration import Refusal, operation, outcome, sample
from vjpcli.ops.keywords import one_of, true_or_false
from vjpcli.ops.neural import windows
from vjpcli.ops.spectra.transform_arguments import NORMS, axes_in_order


def linear(forward):
    """A linear function of real arrays, also for complex steps and for arrays of formulas."""

    def extended(*arrays, **static):
        if any(one.dtype == object for one in arrays):
            return _by_matrices(forward, arrays, static)
        if not any(map(np.iscomplexobj, arrays)):
            return forward(*arrays, **static).astype(arrays[0].dtype, copy=False)
        real = forward(*(one.real for one in arrays), **static)
        return real + 1j * forward(*(one.imag for one in arrays), **static)

    return extended


def _by_matrices(forward, arrays, static):
    """A linear function of formulas, each the sum of its entries times what one entry gives."""
    zeros = [np.zeros(one.shape) for one in arrays]
    total: Any = 0
    for position, array in enumerate(arrays):
        entries = np.eye(array.size).reshape(array.size, *array.shape)
        given = [np.broadcast_to(zero, entries.shape) for zero in zeros]
        given[position] = entries
        total = total + np.tensordot(array.ravel(), forward(*given, **static), axes=1)
    return total


def _full(x, axis, norm, inverse):
    return (np.fft.ifftn if inverse else np.fft.fftn)(x, axes=axis, norm=norm)


def _half(x, axis, norm):
    return np.fft.rfftn(x, axes=axis, norm=norm)


def _written(name, part):
    """The notation `fft(x).real`, with the name that people use for so many axes."""

    def notation(node, operands, grouped, said):
        inverse = "i" * node.static.get("inverse", False)
        several = "n" * (len(node.static["axis"]) > 1)
        rest = [text for key, text in said.items() if key != "inverse"]
        return f"{inverse}{name}{several}({', '.join([_bare(operands[0]), *rest])}).{part}"

    return notation


def _bare(text):
    """Without brackets around the whole, which those of the call make needless."""
    inner = text[1:-1]
    return inner if text == f"({inner})" and not {"(", ")"} & set(inner) else text


REFUSED = (
    Refusal(sample(()), "rank-too-low"),
    Refusal(sample((0,)), "empty-transform"),
    Refusal(sample((3,), norm="orto"), "keyword-value"),
    Refusal(sample((3,), axis=1), "axis-out-of-range"),
)
SAMPLES = (
    sample((4,)),
    sample((5,), norm="ortho"),
    sample((2, 3), axis=0),
    sample((3, 2), axis=(0, 1), norm="forward"),
    sample((1,)),
    sample((0, 2)),
)


def _full_outcome(x, axis, norm, inverse):
    axes = axes_in_order(x, axis)
    norm, inverse = one_of("norm", norm, NORMS), true_or_false("inverse", inverse)
    return outcome(x.shape, axis=axes, norm=norm, inverse=inverse)


@operation(
    linear(lambda x, *, axis, norm, inverse: _full(x, axis, norm, inverse).real),
    pattern="along-axis",
    analytic=True,
    notation=_written("fft", "real"),
    samples=(*SAMPLES, sample((4,), inverse=True)),
    refuses=REFUSED,
)
def fft_real(x, *, axis=-1, norm="backward", inverse=False):
    """Real part of the Fourier transform of a real array, along some axes.

    Shapes:  x [..., n] -> [..., n]
    Kinks:   none
    Source:  sum of x[j] cos(2 pi j k/n), a symmetric matrix, so that it is its own transpose
    Example: vjp explain "fft(x).real" x=1,2,3,4 --seed 0,1,0,0
    """
    return _full_outcome(x, axis, norm, inverse)


@fft_real.vjp
def _(g, y, x, *, axis, norm, inverse):
    return fft_real(g, axis=axis, norm=norm, inverse=inverse)


@operation(
    linear(lambda x, *, axis, norm, inverse: _full(x, axis, norm, inverse).imag),
    pattern="along-axis",
    analytic=True,
    notation=_written("fft", "imag"),
    samples=(*SAMPLES, sample((4,), inverse=True)),
    refuses=REFUSED,
)
def fft_imag(x, *, axis=-1, norm="backward", inverse=False):
    """Imaginary part of the Fourier transform of a real array, along some axes.

    Shapes:  x [..., n] -> [..., n]
    Kinks:   none
    Source:  -sum of x[j] sin(2 pi j k/n), a symmetric matrix, so that it is its own transpose
    Example: vjp explain "fft(x).imag" x=1,2,3,4 --seed 0,1,0,0
    """
    return _full_outcome(x, axis, norm, inverse)


@fft_imag.vjp
def _(g, y, x, *, axis, norm, inverse):
    return fft_imag(g, axis=axis, norm=norm, inverse=inverse)


def _half_outcome(x, axis, norm):
    axes = axes_in_order(x, axis)
    shape = list(x.shape)
    shape[axes[-1]] = x.shape[axes[-1]] // 2 + 1
    return outcome(shape, axis=axes, norm=one_of("norm", norm, NORMS))


def _half_undone(g, x, axis):
    """`g` in the shape of x: zeros for the half that was left out."""
    missing = [0] * x.ndim
    missing[axis[-1]] = x.shape[axis[-1]] - x.shape[axis[-1]] // 2 - 1
    return windows.padded(g, [0] * x.ndim, missing)


@operation(
    linear(lambda x, *, axis, norm: _half(x, axis, norm).real),
    pattern="along-axis",
    analytic=True,
    notation=_written("rfft", "real"),
    samples=SAMPLES,
    refuses=REFUSED,
)
def rfft_real(x, *, axis=-1, norm="backward"):
    """Real part of the half of the Fourier transform that determines the other half.

    Shapes:  x [..., n] -> [..., n//2 + 1]; the last of the axes is halved
    Kinks:   none
    Source:  the first entries of `fft_real`
    Example: vjp explain "rfft(x).real" x=1,2,3,4 --seed 0,1,0
    """
    return _half_outcome(x, axis, norm)


@rfft_real.vjp
def _(g, y, x, *, axis, norm):
    return fft_real(_half_undone(g, x, axis), axis=axis, norm=norm)


@operation(
    linear(lambda x, *, axis, norm: _half(x, axis, norm).imag),
    pattern="along-axis",
    analytic=True,
    notation=_written("rfft", "imag"),
    samples=SAMPLES,
    refuses=REFUSED,
)
def rfft_imag(x, *, axis=-1, norm="backward"):
    """Imaginary part of the half of the Fourier transform that determines the other half.

    Shapes:  x [..., n] -> [..., n//2 + 1]; the last of the axes is halved
    Kinks:   none
    Source:  the first entries of `fft_imag`
    Example: vjp explain "rfft(x).imag" x=1,2,3,4 --seed 0,1,0
    """
    return _half_outcome(x, axis, norm)


@rfft_imag.vjp
def _(g, y, x, *, axis, norm):
    return fft_imag(_half_undone(g, x, axis), axis=axis, norm=norm)
