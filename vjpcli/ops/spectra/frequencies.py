"""Frequencies of Fourier transforms: what the entries of a spectrum stand for, and their order."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import make_constant
from vjpcli.ops.declaration import Refusal, fail, operation, sample, trailing_axes
from vjpcli.ops.keywords import array_shape, plain_number, whole_number
from vjpcli.ops.shapes import ordering

FREQUENCIES_REFUSED = (
    Refusal(sample(n=0), "keyword-value"),
    Refusal(sample(n=2.5), "keyword-value"),
    Refusal(sample(n=4, d=0), "keyword-value"),
    Refusal(sample(n=10**12), "too-large"),
)


def _frequencies(function, n, d):
    n = whole_number("n", n, least=1)
    array_shape((n,))
    spacing = plain_number("d", d)
    if spacing == 0:
        raise fail("keyword-value", "`d` is the distance of two samples, which is not 0")
    return make_constant(function(n, spacing))


@operation(refuses=FREQUENCIES_REFUSED)
def fftfreq(*, n, d=1.0):
    """The frequencies that the entries of `fft` stand for, in cycles per unit of d.

    Shapes:  -> [n]
    Kinks:   none; it is constant
    Source:  [0, 1, ..., -2, -1]/(n d): those of the second half are negative
    Example: vjp explain "ifft(2j*pi*fftfreq(4) * fft(x)).real" x=1,2,3,4 --seed 1,0,0,0
    """
    return _frequencies(np.fft.fftfreq, n, d)


@operation(refuses=FREQUENCIES_REFUSED)
def rfftfreq(*, n, d=1.0):
    """The frequencies that the entries of `rfft` stand for, in cycles per unit of d.

    Shapes:  -> [n//2 + 1]
    Kinks:   none; it is constant
    Source:  [0, 1, ..., n//2]/(n d)
    Example: vjp explain "sum(rfftfreq(4) * abs(rfft(x))**2)" x=1,2,3,4
    """
    return _frequencies(np.fft.rfftfreq, n, d)


SHIFTS = (sample((4,)), sample((5,)), sample((2, 3)), sample((2, 3), axis=1), sample((0,)))


@operation(
    takes_complex=True,
    samples=SHIFTS,
    refuses=(Refusal(sample((3,), axis=1), "axis-out-of-range"),),
)
def fftshift(x, *, axis=None):
    """Entries in the order of their frequencies, the frequency 0 in the middle.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  a rearrangement: the adjoint is shifted back
    Example: vjp explain "abs(fftshift(fft(x)))" x=1,2,3,4 --seed 0,0,1,0
    """
    axes = trailing_axes(x, axis)
    return _rolled(x, axes, [x.shape[one] // 2 for one in axes])


@operation(
    takes_complex=True,
    samples=SHIFTS,
    refuses=(Refusal(sample((3,), axis=1), "axis-out-of-range"),),
)
def ifftshift(x, *, axis=None):
    """Entries in the order in which `fft` gives them, the frequency 0 first.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  `fftshift` undone
    Example: vjp explain "ifftshift(x)" x=1,2,3,4 --seed 0,0,1,0
    """
    axes = trailing_axes(x, axis)
    return _rolled(x, axes, [-(x.shape[one] // 2) for one in axes])


def _rolled(x, axes, shifts):
    return ordering.roll(x, shift=tuple(shifts), axis=axes) if axes else x
