"""Spectra of short pieces of a signal, and the signal that has these spectra."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.complex_value import Complex, real_needed
from vjpcli.graph.operation import constant, make_constant
from vjpcli.ops.declaration import Refusal, fail, operation, sample, shape_text
from vjpcli.ops.keywords import true_or_false, whole_number
from vjpcli.ops.neural import windows
from vjpcli.ops.shapes import indexing, ordering, padding, shape
from vjpcli.ops.spectra import complex_numbers, fourier, real_transforms

SMALLEST_ENVELOPE = 1e-11
"""Sum of squared windows below which an entry of the signal is not determined (PyTorch's)."""


def _lengths(n_fft, hop_length, win_length):
    """The lengths of a piece, of a hop and of the window.

    Errors: keyword-value.
    """
    n_fft = whole_number("n_fft", n_fft, least=1)
    hop = n_fft // 4 if hop_length is None else hop_length
    win = n_fft if win_length is None else win_length
    return (
        n_fft,
        whole_number("hop_length", hop, least=1),
        whole_number("win_length", win, least=1, most=n_fft),
    )


def _window(window, n_fft, win_length):
    """The window in the length of a piece, zeros on both sides.

    Errors: shape-mismatch, complex-operand.
    """
    window = make_constant(np.ones(win_length)) if window is None else window
    if isinstance(window, Complex):
        raise real_needed("a window takes real numbers")
    if window.shape != (win_length,):
        raise fail(
            "shape-mismatch",
            f"the window has shape {shape_text(window.shape)}, and win_length is {win_length}",
        )
    before = (n_fft - win_length) // 2
    if window.operation is constant:
        return make_constant(np.pad(window.static["value"], (before, n_fft - win_length - before)))
    return windows.padded(window, [before], [n_fft - win_length - before])


STFT_ORDER = ("x", "n_fft", "hop_length", "win_length", "window")


@operation(
    takes_complex=True,
    argument_order=(*STFT_ORDER, "center", "pad_mode", "normalized", "onesided", "return_complex"),
    samples=(
        sample((6,), n_fft=4),
        sample((2, 7), (4,), n_fft=4, hop_length=2),
        sample((6,), (2,), n_fft=4, hop_length=3, win_length=2, center=False, normalized=True),
        sample((5,), n_fft=3, hop_length=2, onesided=False, pad_mode="constant"),
    ),
    refuses=(
        Refusal(sample((6,), n_fft=0), "keyword-value"),
        Refusal(sample((6,), n_fft=4, hop_length=0), "keyword-value"),
        Refusal(sample((6,), n_fft=3), "keyword-value"),
        Refusal(sample((6,), n_fft=4, win_length=5), "keyword-value"),
        Refusal(sample((6,), (3,), n_fft=4), "shape-mismatch"),
        Refusal(sample((6,), n_fft=7, center=False), "shape-mismatch"),
        Refusal(sample((), n_fft=4), "shape-mismatch"),
        Refusal(sample((2, 2, 8), n_fft=4), "shape-mismatch"),
    ),
)
def stft(
    x,
    window=None,
    *,
    n_fft,
    hop_length=None,
    win_length=None,
    center=True,
    pad_mode="reflect",
    normalized=False,
    onesided=None,
    return_complex=True,
    align_to_window=None,
):
    """The Fourier transforms of pieces of a signal that overlap; the result is complex.

    Shapes:  x [..., L], window [win_length] -> [..., n_fft//2 + 1, pieces]; n_fft frequencies
             with onesided=False, and the two parts along a last axis with return_complex=False
    Kinks:   none
    Source:  torch.stft: a piece begins every hop_length (n_fft//4) entries. With center=True
             the signal is first continued by n_fft//2 entries on both sides, mirrored.
             normalized=True divides by the square root of n_fft
    Example: vjp explain "sum(torch.stft(x, 4).abs())" x=1,2,4,3,1,5
    """
    n_fft, hop, win_length = _lengths(n_fft, hop_length, win_length)
    if x.ndim not in (1, 2):
        raise fail(
            "shape-mismatch",
            f"stft takes a signal or a stack of signals, not shape {shape_text(x.shape)}",
        )
    if true_or_false("center", center):
        x = padding.pad_last_axes(x, widths=(n_fft // 2, n_fft // 2), mode=pad_mode)
    if x.shape[-1] < n_fft:
        raise fail("shape-mismatch", f"a piece of {n_fft} entries does not fit into {x.shape[-1]}")
    pieces = windows.kernel_windows(x, size=n_fft, stride=hop)
    if window is not None or win_length < n_fft:
        pieces = pieces * _window(window, n_fft, win_length)
    norm = "ortho" if true_or_false("normalized", normalized) else "backward"
    half = not isinstance(x, Complex) if onesided is None else true_or_false("onesided", onesided)
    spectra = (fourier.rfft if half else fourier.fft)(pieces, norm=norm)
    spectra = ordering.swapaxes(spectra, axis1=-1, axis2=-2)
    keeps = return_complex is None or true_or_false("return_complex", return_complex)
    return spectra if keeps else complex_numbers.view_as_real(spectra)


@operation(
    takes_complex=True,
    argument_order=(*STFT_ORDER, "center", "normalized", "onesided", "length", "return_complex"),
    samples=(
        sample((3, 5), n_fft=4),
        sample((2, 3, 4), (4,), n_fft=4, hop_length=2, normalized=True),
        sample((4, 3), n_fft=4, hop_length=2, center=False, length=7),
    ),
    refuses=(
        Refusal(sample((5, 5), n_fft=6), "shape-mismatch"),
        Refusal(sample((3,), n_fft=4), "shape-mismatch"),
        Refusal(sample((3, 5), n_fft=4, hop_length=6), "window-overlap"),
        Refusal(sample((3, 5), n_fft=4, length=0), "keyword-value"),
    ),
)
def istft(
    x,
    window=None,
    *,
    n_fft,
    hop_length=None,
    win_length=None,
    center=True,
    normalized=False,
    onesided=None,
    length=None,
    return_complex=False,
):
    """The signal whose pieces have these spectra: the inverse of `stft`.

    Shapes:  x [..., n_fft//2 + 1, pieces], window [win_length] -> [..., L]
    Kinks:   none
    Source:  torch.istft: each piece times its window, added up where they overlap, divided by
             the sum of the squared windows there
    Example: vjp explain "X = torch.stft(x, 4); torch.istft(X * 2, 4)" x=1,2,4,3,1,5 --seed ones
    """
    n_fft, hop, win_length = _lengths(n_fft, hop_length, win_length)
    if x.ndim not in (2, 3) or x.shape[-2] not in (n_fft, n_fft // 2 + 1):
        raise fail(
            "shape-mismatch",
            f"istft takes {n_fft // 2 + 1} or {n_fft} frequencies of each piece along the last "
            f"axis but one, not shape {shape_text(x.shape)}",
        )
    half = x.shape[-2] != n_fft if onesided is None else true_or_false("onesided", onesided)
    norm = "ortho" if true_or_false("normalized", normalized) else "backward"
    spectra = ordering.swapaxes(x, axis1=-1, axis2=-2)
    if true_or_false("return_complex", return_complex):
        pieces = fourier.ifft(spectra, norm=norm)
    elif half:
        pieces = real_transforms.irfft(spectra, n=n_fft, norm=norm)
    else:
        pieces = complex_numbers.real(fourier.ifft(spectra, norm=norm))
    window = _window(window, n_fft, win_length)
    total = n_fft + hop * (x.shape[-1] - 1)
    overlapped = windows.add_kernel_windows(pieces * window, lengths=total, stride=hop)
    start = n_fft // 2 if true_or_false("center", center) else 0
    stop = total - start
    if length is not None:
        stop = start + whole_number("length", length, least=1)
    inside = min(stop, total)
    signal = indexing.read_range(overlapped, start, inside, -1)
    envelope = _envelope(window, x.shape[-1], total, hop)
    if envelope.operation is constant:
        envelope = make_constant(envelope.static["value"][start:inside])
    else:
        envelope = indexing.read_range(envelope, start, inside, -1)
    signal = signal / _determined(envelope)
    return windows.padded(signal, [0] * signal.ndim, [*[0] * (signal.ndim - 1), stop - inside])


def _envelope(window, count, total, hop):
    """The sum of the squared windows over the signal."""
    if window.operation is not constant:
        square = shape.broadcast_to(window * window, shape=(count, window.size))
        return windows.add_kernel_windows(square, lengths=total, stride=hop)
    # As a number at once, so that it can be seen to be nowhere 0.
    summed = np.zeros(total)
    for start in range(0, count * hop, hop):
        summed[start : start + window.size] += window.static["value"] ** 2
    return make_constant(summed)


def _determined(envelope):
    """`envelope`, where it is a known number and not 0.

    Errors: window-overlap.
    """
    if envelope.operation is constant and np.any(envelope.static["value"] < SMALLEST_ENVELOPE):
        raise fail(
            "window-overlap",
            "some entries of the signal lie in no window, or only where it is 0",
            notes=("center=True, a shorter hop_length or another window covers them",),
        )
    return envelope
