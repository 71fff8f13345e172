"""Fourier transforms, forward and back, along one axis, two or all.

The names and keywords of torch.fft, np.fft, jnp.fft and scipy.fft. A transform is linear: the
real and the imaginary part of each result are sums over the entries (`transforms.py`).
"""

from __future__ import annotations

from vjpcli.graph.complex_value import Complex, real_needed
from vjpcli.ops.declaration import operation
from vjpcli.ops.spectra import transforms
from vjpcli.ops.spectra.complex_parts import (
    conjugate,
    imaginary_part,
    is_zero,
    minus,
    pair,
    plus,
    real_part,
)
from vjpcli.ops.spectra.transform_arguments import (
    LAST_TWO,
    LINE,
    OPPOSITE,
    PLANE,
    REFUSED,
    REFUSED_PLANE,
    SPACE,
    axes_and_lengths,
    norm_of,
    one_axis,
    with_lengths,
)


def transformed(x, axes, norm, *, inverse=False):
    """The transform of x, real or complex, along `axes`."""
    static = {"axis": axes, "norm": norm, "inverse": inverse}
    a, b = real_part(x), imaginary_part(x)
    real, imaginary = transforms.fft_real(a, **static), transforms.fft_imag(a, **static)
    if is_zero(b):
        return Complex(real, imaginary)
    return pair(
        minus(real, transforms.fft_imag(b, **static)),
        plus(imaginary, transforms.fft_real(b, **static)),
    )


def _half_transformed(name, x, axes, norm):
    if isinstance(x, Complex):
        raise real_needed(f"{name} takes real numbers")
    static = {"axis": axes, "norm": norm}
    return Complex(transforms.rfft_real(x, **static), transforms.rfft_imag(x, **static))


@operation(takes_complex=True, samples=LINE, refuses=REFUSED)
def fft(x, *, n=None, axis=-1, norm="backward"):
    """The discrete Fourier transform along an axis; the result is complex.

    Shapes:  x [..., n] -> [..., n]; with n= the array is cut off, or continued by zeros
    Kinks:   none
    Source:  X[k] = sum over j of x[j] exp(-2 pi i j k/n); linear, so the adjoint of x is again
             a transform. norm="forward" divides by n, norm="ortho" by its square root
    Example: vjp explain "sum(abs(fft(x))**2)" x=1,2,3,4
    """
    axes = one_axis(x, axis)
    return transformed(with_lengths(x, axes, (n,)), axes, norm_of(norm))


@operation(takes_complex=True, samples=LINE, refuses=REFUSED)
def ifft(x, *, n=None, axis=-1, norm="backward"):
    """The inverse of the Fourier transform along an axis; the result is complex.

    Shapes:  x [..., n] -> [..., n]; with n= the array is cut off, or continued by zeros
    Kinks:   none
    Source:  x[j] = sum over k of X[k] exp(2 pi i j k/n), divided by n; linear.
             norm="forward" divides by nothing, norm="ortho" by the square root of n
    Example: vjp explain "ifft(fft(x) * h).real" x=1,2,3,4 h=1,0.5,0,0.5 --seed 1,0,0,0
    """
    axes = one_axis(x, axis)
    return transformed(with_lengths(x, axes, (n,)), axes, norm_of(norm), inverse=True)


@operation(takes_complex=True, samples=PLANE, refuses=REFUSED_PLANE)
def fft2(x, *, s=None, axis=LAST_TWO, norm="backward"):
    """The discrete Fourier transform along two axes, the last two unless told.

    Shapes:  x [..., n, m] -> [..., n, m]; with s= cut off, or continued by zeros
    Kinks:   none
    Source:  see `fft`; one axis after the other
    Example: vjp explain "sum(log(abs(fft2(A))))" A=[[1,2],[3,5]]
    """
    axes, lengths = axes_and_lengths(x, s, axis)
    return transformed(with_lengths(x, axes, lengths), axes, norm_of(norm))


@operation(takes_complex=True, samples=PLANE, refuses=REFUSED_PLANE)
def ifft2(x, *, s=None, axis=LAST_TWO, norm="backward"):
    """The inverse of the Fourier transform along two axes, the last two unless told.

    Shapes:  x [..., n, m] -> [..., n, m]; with s= cut off, or continued by zeros
    Kinks:   none
    Source:  see `ifft`; one axis after the other
    Example: vjp explain "ifft2(fft2(A) * fft2(B)).real" A=[[1,2],[3,5]] B=[[1,0],[0,2]] --seed ones
    """
    axes, lengths = axes_and_lengths(x, s, axis)
    return transformed(with_lengths(x, axes, lengths), axes, norm_of(norm), inverse=True)


@operation(takes_complex=True, samples=SPACE, refuses=REFUSED_PLANE[2:])
def fftn(x, *, s=None, axis=None, norm="backward"):
    """The discrete Fourier transform along several axes, or all.

    Shapes:  x [...] -> [...]; with s= cut off, or continued by zeros
    Kinks:   none
    Source:  see `fft`; one axis after the other
    Example: vjp explain "sum(abs(fftn(A))**2)" A=[[1,2],[3,5]]
    """
    axes, lengths = axes_and_lengths(x, s, axis)
    return transformed(with_lengths(x, axes, lengths), axes, norm_of(norm))


@operation(takes_complex=True, samples=SPACE, refuses=REFUSED_PLANE[2:])
def ifftn(x, *, s=None, axis=None, norm="backward"):
    """The inverse of the Fourier transform along several axes, or all.

    Shapes:  x [...] -> [...]; with s= cut off, or continued by zeros
    Kinks:   none
    Source:  see `ifft`; one axis after the other
    Example: vjp explain "ifftn(fftn(A) * H).real" A=[[1,2],[3,5]] H=[[1,0],[0,2]] --seed ones
    """
    axes, lengths = axes_and_lengths(x, s, axis)
    return transformed(with_lengths(x, axes, lengths), axes, norm_of(norm), inverse=True)


@operation(takes_complex=True, samples=LINE, refuses=REFUSED)
def rfft(x, *, n=None, axis=-1, norm="backward"):
    """The Fourier transform of a real array along an axis, without the half that is mirrored.

    Shapes:  x [..., n] -> [..., n//2 + 1]; with n= cut off, or continued by zeros
    Kinks:   none
    Source:  the first entries of `fft`; those left out are their conjugates
    Example: vjp explain "sum(abs(torch.fft.rfft(x))**2)" x=1,2,3,4
    """
    axes = one_axis(x, axis)
    return _half_transformed("rfft", with_lengths(x, axes, (n,)), axes, norm_of(norm))


@operation(takes_complex=True, samples=PLANE, refuses=REFUSED_PLANE)
def rfft2(x, *, s=None, axis=LAST_TWO, norm="backward"):
    """The Fourier transform of a real array along two axes, half of the last one left out.

    Shapes:  x [..., n, m] -> [..., n, m//2 + 1]; with s= cut off, or continued by zeros
    Kinks:   none
    Source:  see `rfft`
    Example: vjp explain "sum(abs(rfft2(A))**2)" A=[[1,2],[3,5]]
    """
    axes, lengths = axes_and_lengths(x, s, axis)
    return _half_transformed("rfft2", with_lengths(x, axes, lengths), axes, norm_of(norm))


@operation(takes_complex=True, samples=SPACE, refuses=REFUSED_PLANE[2:])
def rfftn(x, *, s=None, axis=None, norm="backward"):
    """The Fourier transform of a real array along several axes, half of the last one left out.

    Shapes:  x [..., m] -> [..., m//2 + 1]; with s= cut off, or continued by zeros
    Kinks:   none
    Source:  see `rfft`
    Example: vjp explain "sum(abs(rfftn(A))**2)" A=[[1,2],[3,5]]
    """
    axes, lengths = axes_and_lengths(x, s, axis)
    return _half_transformed("rfftn", with_lengths(x, axes, lengths), axes, norm_of(norm))


@operation(takes_complex=True, samples=LINE, refuses=REFUSED)
def ihfft(x, *, n=None, axis=-1, norm="backward"):
    """The inverse of `hfft`, half of it: the other half is mirrored and conjugated.

    Shapes:  x [..., n] -> [..., n//2 + 1]
    Kinks:   none
    Source:  the conjugate of `rfft`, divided by n
    Example: vjp explain "abs(ihfft(x))" x=1,2,3,4 --seed ones
    """
    axes = one_axis(x, axis)
    x = with_lengths(x, axes, (n,))
    return conjugate(_half_transformed("ihfft", x, axes, OPPOSITE[norm_of(norm)]))


@operation(takes_complex=True, samples=PLANE, refuses=REFUSED_PLANE)
def ihfft2(x, *, s=None, axis=LAST_TWO, norm="backward"):
    """The inverse of `hfft2`, half of it.

    Shapes:  x [..., n, m] -> [..., n, m//2 + 1]
    Kinks:   none
    Source:  the conjugate of `rfft2`, scaled
    Example: vjp explain "sum(abs(ihfft2(A)))" A=[[1,2],[3,5]]
    """
    return ihfftn(x, s=s, axis=axis, norm=norm)


@operation(takes_complex=True, samples=SPACE, refuses=REFUSED_PLANE[2:])
def ihfftn(x, *, s=None, axis=None, norm="backward"):
    """The inverse of `hfftn`, half of it.

    Shapes:  x [..., m] -> [..., m//2 + 1]
    Kinks:   none
    Source:  the conjugate of `rfftn`, scaled
    Example: vjp explain "sum(abs(ihfftn(A)))" A=[[1,2],[3,5]]
    """
    axes, lengths = axes_and_lengths(x, s, axis)
    x = with_lengths(x, axes, lengths)
    return conjugate(_half_transformed("ihfftn", x, axes, OPPOSITE[norm_of(norm)]))
