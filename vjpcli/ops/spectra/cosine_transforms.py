"""Cosine and sine transforms, as scipy.fft has them: products with a matrix of cosines or sines."""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import make_constant
from vjpcli.ops.declaration import Refusal, fail, operation, sample
from vjpcli.ops.keywords import array_shape, whole_number
from vjpcli.ops.linear_algebra import products
from vjpcli.ops.shapes import ordering
from vjpcli.ops.spectra.transform_arguments import OPPOSITE, norm_of, one_axis, with_lengths

INVERSE_TYPE = {1: 1, 2: 3, 3: 2, 4: 4}
"""Type of a transform -> type of its inverse."""


def _cosines(n, type):
    """The matrix [entries, frequencies] and the number that its inverse is divided by.

    Weights of entries and of frequencies make it orthogonal after division by the square root
    of that number.
    """
    j, k = np.arange(n)[:, None], np.arange(n)[None, :]
    first, ends = np.where(j == 0, 0.5, 1.0), np.where((j == 0) | (j == n - 1), 0.5, 1.0)
    if type == 1:
        return 2 * ends * np.cos(np.pi * j * k / (n - 1)), 2 * (n - 1), ends, ends
    if type == 2:
        return 2 * np.cos(np.pi * (2 * j + 1) * k / (2 * n)), 2 * n, np.ones((n, 1)), first
    if type == 3:
        matrix = 2 * first * np.cos(np.pi * j * (2 * k + 1) / (2 * n))
        return matrix, 2 * n, first, np.ones((n, 1))
    alike = np.ones((n, 1))
    return 2 * np.cos(np.pi * (2 * j + 1) * (2 * k + 1) / (4 * n)), 2 * n, alike, alike


def _sines(n, type):
    """As `_cosines`, with sines."""
    j, k = np.arange(n)[:, None] + 1, np.arange(n)[None, :] + 1
    last, alike = np.where(j == n, 0.5, 1.0), np.ones((n, 1))
    if type == 1:
        return 2 * np.sin(np.pi * j * k / (n + 1)), 2 * (n + 1), alike, alike
    if type == 2:
        return 2 * np.sin(np.pi * (2 * j - 1) * k / (2 * n)), 2 * n, alike, last
    if type == 3:
        return 2 * last * np.sin(np.pi * j * (2 * k - 1) / (2 * n)), 2 * n, last, alike
    return 2 * np.sin(np.pi * (2 * j - 1) * (2 * k - 1) / (4 * n)), 2 * n, alike, alike


def _matrix(waves, n, type, norm):
    matrix, number, entries, frequencies = waves(n, type)
    if norm == "forward":
        return matrix / number
    if norm == "ortho":
        return matrix / np.sqrt(entries) * np.sqrt(frequencies.T) / np.sqrt(number)
    return matrix


def _transformed(x, waves, type, n, axis, norm, *, inverse=False):
    type = whole_number("type", type, least=1, most=4)
    (axis,) = one_axis(x, axis)
    x = with_lengths(x, (axis,), (n,))
    n = x.shape[axis]
    if type == 1 and waves is _cosines and n < 2:
        raise fail("empty-transform", "a cosine transform of type 1 needs at least two entries")
    array_shape((n, n))
    norm = norm_of(norm)
    if inverse:
        type, norm = INVERSE_TYPE[type], OPPOSITE[norm]
    matrix = make_constant(_matrix(waves, n, type, norm))
    if axis == -1:
        return products.matmul(x, matrix)
    moved = ordering.moveaxis(x, source=axis, destination=-1)
    return ordering.moveaxis(products.matmul(moved, matrix), source=-1, destination=axis)


SAMPLES = (
    sample((4,)),
    sample((3,), type=1),
    sample((2, 3), type=3, axis=0, norm="ortho"),
    sample((3,), type=4, n=4, norm="forward"),
)
REFUSED = (
    Refusal(sample((3,), type=5), "keyword-value"),
    Refusal(sample((3,), axis=1), "axis-out-of-range"),
    Refusal(sample((0,)), "empty-transform"),
    Refusal(sample(()), "rank-too-low"),
    Refusal(sample((10**5,)), "too-large"),
)
REFUSED_COSINES = (*REFUSED, Refusal(sample((1,), type=1), "empty-transform"))


@operation(takes_complex=True, samples=SAMPLES, refuses=REFUSED_COSINES)
def dct(x, *, type=2, n=None, axis=-1, norm="backward"):
    """Cosine transform along an axis, of type 1 to 4 (scipy.fft.dct).

    Shapes:  x [..., n] -> [..., n]; with n= the array is cut off, or continued by zeros
    Kinks:   none
    Source:  type 2: y[k] = 2 sum of x[j] cos(pi (2j + 1) k/(2n)); linear, so the adjoint is
             multiplied by the transposed matrix. norm="ortho" makes it orthogonal
    Example: vjp explain "scipy.fft.dct(x)" x=1,2,3,4 --seed 0,1,0,0
    """
    return _transformed(x, _cosines, type, n, axis, norm)


@operation(takes_complex=True, samples=SAMPLES, refuses=REFUSED_COSINES)
def idct(x, *, type=2, n=None, axis=-1, norm="backward"):
    """The inverse of the cosine transform (scipy.fft.idct).

    Shapes:  x [..., n] -> [..., n]
    Kinks:   none
    Source:  the inverse of type 2 is of type 3, divided by 2n
    Example: vjp explain "scipy.fft.idct(scipy.fft.dct(x) * w)" x=1,2,3 w=1,1,0 --seed 1,0,0
    """
    return _transformed(x, _cosines, type, n, axis, norm, inverse=True)


@operation(takes_complex=True, samples=SAMPLES, refuses=REFUSED)
def dst(x, *, type=2, n=None, axis=-1, norm="backward"):
    """Sine transform along an axis, of type 1 to 4 (scipy.fft.dst).

    Shapes:  x [..., n] -> [..., n]; with n= the array is cut off, or continued by zeros
    Kinks:   none
    Source:  type 2: y[k] = 2 sum of x[j] sin(pi (2j + 1)(k + 1)/(2n)); linear, so the adjoint
             is multiplied by the transposed matrix. norm="ortho" makes it orthogonal
    Example: vjp explain "scipy.fft.dst(x)" x=1,2,3,4 --seed 0,1,0,0
    """
    return _transformed(x, _sines, type, n, axis, norm)


@operation(takes_complex=True, samples=SAMPLES, refuses=REFUSED)
def idst(x, *, type=2, n=None, axis=-1, norm="backward"):
    """The inverse of the sine transform (scipy.fft.idst).

    Shapes:  x [..., n] -> [..., n]
    Kinks:   none
    Source:  the inverse of type 2 is of type 3, divided by 2n
    Example: vjp explain "scipy.fft.idst(scipy.fft.dst(x) * w)" x=1,2,3 w=1,1,0 --seed 1,0,0
    """
    return _transformed(x, _sines, type, n, axis, norm, inverse=True)
