"""Complex numbers: made of two real arrays, and taken apart into real ones.

A complex value is a pair of real nodes. What other operations make of it is in
`complex_meaning.py`.
"""

from __future__ import annotations

import math

import numpy as np

from vjpcli.graph.complex_value import Complex, real_needed
from vjpcli.graph.facts import positive
from vjpcli.graph.facts import real as real_domain
from vjpcli.ops.declaration import (
    Kink,
    Refusal,
    broadcast_shapes,
    elementwise,
    fail,
    operation,
    outcome,
    sample,
    shape_text,
    trailing_axis,
)
from vjpcli.ops.keywords import plain_number, true_or_false
from vjpcli.ops.numbers import comparison
from vjpcli.ops.shapes import builders, indexing, joining, ordering
from vjpcli.ops.spectra import complex_functions, complex_parts


def _modulus(a, b):
    if np.iscomplexobj(a) or np.iscomplexobj(b):
        return np.sqrt(a * a + b * b)  # of a complex step, which hypot does not take
    return np.hypot(a, b)


@elementwise(
    _modulus,
    symbolic=lambda s, a, b: s.sqrt(a**2 + b**2),
    notation=lambda node, _, parts, said: f"abs({parts[0]} + 1j*{parts[1]})",
    analytic=True,
    kinks=(
        Kink(
            "a == 0 and b == 0",
            lambda y, a, b: y == 0,
            slopes=(-1, 1),
            used=0,
            point=(0.0, 0.0),
            says="PyTorch, JAX and autograd alike",
        ),
    ),
)
def modulus(a, b):
    """Absolute value of the complex numbers a + ib: their distance from 0.

    Shapes:  a [...], b [...] -> [...] (broadcast)
    Kinks:   where a and b are 0 any slope in [-1, 1] is right; 0 is used, as everywhere
    Source:  d/da = a/|z|, d/db = b/|z|
    Example: vjp explain "abs(a + 1j*b)" a=3,5 b=4,12 --seed ones
    """


@modulus.vjp
def _(g, y, a, b):
    at_zero = comparison.equal(y, 0)
    return (
        g * comparison.where(at_zero, 0, a / y),
        g * comparison.where(at_zero, 0, b / y),
    )


@operation(takes_complex=True, samples=(sample((2, 3)), sample(())))
def real(x):
    """The real part of each entry; also written z.real.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  linearity; the imaginary part receives nothing
    Example: vjp explain "sum(fft(x).real)" x=1,2,3,4
    """
    return complex_parts.real_part(x)


@operation(takes_complex=True, samples=(sample((2, 3)), sample(())))
def imag(x):
    """The imaginary part of each entry; also written z.imag. That of a real array is 0.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  linearity; the real part receives nothing
    Example: vjp explain "fft(x).imag" x=1,2,3,4 --seed 0,1,0,0
    """
    return x.imaginary if isinstance(x, Complex) else builders.zeros_like(x)


@operation(
    takes_complex=True,
    aliases=("conjugate", "conj_physical"),
    samples=(sample((2, 3)), sample(())),
)
def conj(x):
    """The complex conjugate of each entry: a - ib for a + ib. A real array is its own.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  linearity; the adjoint of the imaginary part changes its sign
    Example: vjp explain "X = fft(x); (X * conj(X)).real" x=1,2,3,4 --seed ones
    """
    return complex_parts.conjugate(x) if isinstance(x, Complex) else x


@operation(
    takes_complex=True,
    samples=(sample([0.5, -1.0]), sample([0.5, -1.0], deg=True)),
    refuses=(Refusal(sample((2,), deg=3), "keyword-value"),),
)
def angle(x, *, deg=False):
    """The angle of each complex entry, between -pi and pi.

    Shapes:  x [...] -> [...]
    Units:   radians, degrees with deg=True
    Kinks:   at 0 the angle jumps; slope 0 is used there (PyTorch), JAX and autograd give nan.
             The step of 2 pi across the negative real axis leaves the slope alone. A real
             entry has the angle 0 or pi, and slope 0
    Source:  arctan2 of the imaginary and the real part
    Example: vjp explain "angle(a + 1j*b)" a=1,0 b=1,2 --seed ones
    """
    turn = complex_functions.angle(x)
    return turn * (180 / math.pi) if true_or_false("deg", deg) else turn


@operation(
    lambda x, *, discont, axis, period: np.unwrap(x, discont, axis=axis, period=period),
    pattern=lambda x, **static: x,
    samples=(sample([0.5, 3.0, 6.5, 9.0]), sample([[0.5, 7.2], [3.0, 1.0]], axis=0, period=4)),
    refuses=(
        Refusal(sample(()), "axis-out-of-range"),
        Refusal(sample((3,), axis=1), "axis-out-of-range"),
        Refusal(sample((3,), period=0), "keyword-value"),
        Refusal(sample((3,), discont="pi"), "keyword-value"),
    ),
)
def unwrap(x, *, discont=None, axis=-1, period=2 * math.pi):
    """Angles without jumps: whole periods are added so that neighbours differ by half of one.

    Shapes:  x [..., n] -> [..., n]
    Kinks:   jumps where neighbours differ by half a period; the slope is 1 everywhere
    Source:  what is added is constant between jumps
    Example: vjp explain "np.unwrap(np.angle(np.fft.fft(x)))" x=1,2,3,5 --seed 0,0,0,1
    """
    axis = trailing_axis(x, axis)
    period = plain_number("period", period)
    if period <= 0:
        raise fail("keyword-value", "`period` is a positive number")
    discont = period / 2 if discont is None else plain_number("discont", discont)
    return outcome(x.shape, discont=discont, axis=axis, period=period)


@unwrap.vjp
def _(g, y, x, *, discont, axis, period):
    return g


@operation(
    name="complex",
    keyword_aliases={"imag": "imaginary"},
    takes_complex=True,
    library_names={"jax": ("lax.complex",)},
    samples=(sample((3,), (3,)), sample((2, 1), (3,))),
    refuses=(Refusal(sample((2,), (3,)), "shape-mismatch"),),
)
def complex_of_parts(real, imaginary=None):
    """Complex numbers of two real arrays; a + 1j*b means the same.

    Shapes:  real [...], imaginary [...] -> [...] (broadcast)
    Kinks:   none
    Source:  each part receives its own adjoint
    Example: vjp explain "abs(complex(a, b))" a=3,5 b=4,12 --seed ones
    """
    if imaginary is None:
        imaginary = complex_parts.imaginary_part(real)
        return Complex(complex_parts.real_part(real), imaginary)
    _require_real("complex", real, imaginary)
    broadcast_shapes("complex", real, imaginary)
    return complex_parts.pair(real, imaginary)


@operation(
    takes_complex=True,
    domain=(positive, real_domain),
    samples=(sample((3,), (3,)), sample((2, 1), (3,))),
    refuses=(Refusal(sample((2,), (3,)), "shape-mismatch"),),
)
def polar(abs, angle):
    """Complex numbers of given lengths and angles.

    Shapes:  abs [...], angle [...] -> [...] (broadcast)
    Units:   angles in radians
    Kinks:   none; for a negative length PyTorch's gradient has the wrong sign
    Source:  abs*cos(angle) + 1j*abs*sin(angle)
    Example: vjp explain "torch.polar(r, t).real" r=1,2 t=0.5,1 --seed ones
    """
    _require_real("polar", abs, angle)
    broadcast_shapes("polar", abs, angle)
    return complex_functions.polar(abs, angle)


def _require_real(name, *operands):
    if any(isinstance(one, Complex) for one in operands):
        raise real_needed(f"{name} takes real numbers")


@operation(
    takes_complex=True,
    refuses=(Refusal(sample((2, 2)), "real-operand"),),
)
def view_as_real(z):
    """Complex numbers as real ones, the two parts along a new last axis.

    Shapes:  z [...] -> [..., 2]
    Kinks:   none
    Source:  each part receives its own adjoint
    Example: vjp explain "torch.view_as_real(torch.fft.fft(x))" x=1,2,3 --seed ones
    """
    if not isinstance(z, Complex):
        raise fail("real-operand", "view_as_real takes complex numbers, and this is real")
    return joining.stack(z.real, z.imaginary, axis=-1)


@operation(
    samples=(sample((3, 2)), sample((2,))),
    refuses=(Refusal(sample((3,)), "shape-mismatch"), Refusal(sample(()), "shape-mismatch")),
)
def view_as_complex(x):
    """Real numbers as complex ones: the last axis holds the two parts.

    Shapes:  x [..., 2] -> [...]
    Kinks:   none
    Source:  each part receives its own adjoint
    Example: vjp explain "torch.view_as_complex(x).abs()" x=[[3,4],[5,12]] --seed ones
    """
    if x.ndim == 0 or x.shape[-1] != 2:
        raise fail(
            "shape-mismatch",
            "view_as_complex takes a last axis of two entries, the real and the imaginary part, "
            f"not shape {shape_text(x.shape)}",
        )
    return Complex(*(indexing.index(x, index=(Ellipsis, part)) for part in (0, 1)))


@operation(
    takes_complex=True,
    aliases=("mH",),
    samples=(sample((2, 3)), sample((2, 3, 1))),
    refuses=(Refusal(sample((3,)), "rank-too-low"),),
)
def adjoint(x):
    """The conjugate transpose of a matrix; of a stack, of each. Written x.mH too.

    Shapes:  x [..., n, m] -> [..., m, n]
    Kinks:   none
    Source:  the transpose; the adjoint of the imaginary part changes its sign
    Example: vjp explain "Z = fft(A); (Z.mH @ Z).real[0]" A=[[1,2],[3,4]] --seed ones
    """
    return ordering.matrix_transpose(conj(x))


@operation(takes_complex=True, samples=(sample((2, 3)), sample((3,)), sample(())))
def H(x):  # noqa: N802  (it is written x.H)
    """The conjugate transpose, all axes in reverse order.

    Shapes:  x [a, b] -> [b, a]
    Kinks:   none
    Source:  the transpose; the adjoint of the imaginary part changes its sign
    Example: vjp explain "Z = fft(A); (Z.H @ Z).real[0]" A=[[1,2],[3,4]] --seed ones
    """
    return ordering.T(conj(x))
