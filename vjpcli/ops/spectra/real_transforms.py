"""Fourier transforms with a real result, of spectra of which half is left out."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.complex_value import Complex
from vjpcli.ops.declaration import Refusal, fail, operation, outcome, sample
from vjpcli.ops.keywords import whole_number
from vjpcli.ops.spectra import fourier, transforms
from vjpcli.ops.spectra.complex_parts import conjugate, imaginary_part, is_zero, real_part
from vjpcli.ops.spectra.transform_arguments import (
    LAST_TWO,
    OPPOSITE,
    REFUSED,
    REFUSED_PLANE,
    axes_and_lengths,
    norm_of,
    one_axis,
    with_lengths,
)


def _completed(real, imaginary, *, n, axis, norm):
    return np.fft.irfft(real + 1j * imaginary, n, axis=axis[0], norm=norm)


def _reads_both(real, imaginary, *, n, axis, norm):
    read = np.bitwise_or.reduce(real | imaginary, axis=axis, keepdims=True)
    shape = list(read.shape)
    shape[axis[0]] = n
    return np.broadcast_to(read, shape)


def _written(node, operands, grouped, said):
    _, imaginary = node.operands
    spectrum = f"{grouped[0]} + 1j*{grouped[1]}"
    if is_zero(imaginary):
        spectrum = operands[0]
    return f"irfft({', '.join([spectrum, *said.values()])})"


@operation(
    transforms.linear(_completed),
    pattern=_reads_both,
    takes_complex=True,
    analytic=True,
    notation=_written,
    samples=(
        sample((3,)),
        sample((3,), n=5),
        sample((2, 3), n=4, axis=0, norm="ortho"),
        sample((1,), n=1),
    ),
    refuses=(*REFUSED, Refusal(sample((1,)), "empty-transform")),
)
def irfft(x, *, n=None, axis=-1, norm="backward"):
    """The inverse of `rfft`: the real array whose transform has this half.

    Shapes:  x [..., m] -> [..., n]; n is 2(m - 1) unless told, and odd only where told
    Kinks:   none. Imaginary parts of the first entry, and of the last for an even n, are not
             read, as in every library
    Source:  linear; an entry that stands for two of the transform counts twice
    Example: vjp explain "irfft(rfft(x) * rfft(w), n=4)" x=1,2,3,4 w=1,0,0,2 --seed 1,0,0,0
    """
    axes = one_axis(x, axis)
    length = 2 * (x.shape[axes[0]] - 1) if n is None else whole_number("n", n, least=1)
    if length == 0:
        raise fail(
            "empty-transform",
            "one entry alone stands for an array of length 0; n=1 asks for one of length 1",
        )
    x = with_lengths(x, axes, (length // 2 + 1,))
    shape = list(x.shape)
    shape[axes[0]] = length
    parts = (real_part(x), imaginary_part(x))
    return outcome(shape, operands=parts, n=length, axis=axes, norm=norm_of(norm))


@irfft.vjp
def _(g, y, real, imaginary, *, n, axis, norm):
    stands_for = np.full(n // 2 + 1, 2.0)
    stands_for[0] = 1.0
    if n % 2 == 0:
        stands_for[-1] = 1.0
    weights = stands_for.reshape(-1, *(1,) * (-1 - axis[0]))
    static = {"axis": axis, "norm": OPPOSITE[norm]}
    return (
        weights * transforms.rfft_real(g, **static),
        weights * transforms.rfft_imag(g, **static),
    )


@operation(
    takes_complex=True,
    samples=(sample((2, 3)), sample((2, 3), s=(3, 5)), sample((3, 2), axis=(1, 0))),
    refuses=REFUSED_PLANE,
)
def irfft2(x, *, s=None, axis=LAST_TWO, norm="backward"):
    """The inverse of `rfft2`: a real array.

    Shapes:  x [..., n, m] -> [..., n, 2(m - 1)], or the lengths of s=
    Kinks:   none
    Source:  see `irfft`
    Example: vjp explain "irfft2(rfft2(A) * 2)" A=[[1,2],[3,5]] --seed ones
    """
    return irfftn(x, s=s, axis=axis, norm=norm)


@operation(
    takes_complex=True,
    samples=(sample((2, 3)), sample((3, 2), s=(5,), axis=(0,))),
    refuses=REFUSED_PLANE[2:],
)
def irfftn(x, *, s=None, axis=None, norm="backward"):
    """The inverse of `rfftn`: a real array.

    Shapes:  x [..., m] -> [..., 2(m - 1)], or the lengths of s=
    Kinks:   none
    Source:  see `irfft`
    Example: vjp explain "irfftn(rfftn(A) * 2)" A=[[1,2],[3,5]] --seed ones
    """
    axes, lengths = axes_and_lengths(x, s, axis)
    x = with_lengths(x, axes[:-1], lengths[:-1])
    if len(axes) > 1:
        x = fourier.transformed(x, axes[:-1], norm_of(norm), inverse=True)
    return irfft(x, n=lengths[-1], axis=axes[-1], norm=norm)


@operation(takes_complex=True, samples=(sample((3,)), sample((3,), n=5)), refuses=REFUSED)
def hfft(x, *, n=None, axis=-1, norm="backward"):
    """The Fourier transform of an array whose other half is mirrored and conjugated: it is real.

    Shapes:  x [..., m] -> [..., n]; n is 2(m - 1) unless told
    Kinks:   none
    Source:  `irfft` of the conjugate, multiplied by n
    Example: vjp explain "hfft(x)" x=1,2,3 --seed 1,0,0,0
    """
    return irfft(_mirrored(x), n=n, axis=axis, norm=OPPOSITE[norm_of(norm)])


@operation(
    takes_complex=True,
    samples=(sample((2, 3)), sample((2, 3), s=(3, 5))),
    refuses=REFUSED_PLANE,
)
def hfft2(x, *, s=None, axis=LAST_TWO, norm="backward"):
    """The Fourier transform of an array that is mirrored and conjugated, along two axes.

    Shapes:  x [..., n, m] -> [..., n, 2(m - 1)], or the lengths of s=
    Kinks:   none
    Source:  `irfft2` of the conjugate, scaled
    Example: vjp explain "hfft2(A)" A=[[1,2],[3,5]] --seed ones
    """
    return hfftn(x, s=s, axis=axis, norm=norm)


@operation(
    takes_complex=True,
    samples=(sample((2, 3)), sample((2, 3), s=(3, 5))),
    refuses=REFUSED_PLANE[2:],
)
def hfftn(x, *, s=None, axis=None, norm="backward"):
    """The Fourier transform of an array that is mirrored and conjugated, along several axes.

    Shapes:  x [..., m] -> [..., 2(m - 1)], or the lengths of s=
    Kinks:   none
    Source:  `irfftn` of the conjugate, scaled
    Example: vjp explain "hfftn(A)" A=[[1,2],[3,5]] --seed ones
    """
    return irfftn(_mirrored(x), s=s, axis=axis, norm=OPPOSITE[norm_of(norm)])


def _mirrored(x):
    return conjugate(x) if isinstance(x, Complex) else x
