"""Functions that have a meaning of their own for complex operands, part by part.

Where a value is many-valued, the principal one is taken, as everywhere: angles lie in (-pi, pi].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from vjpcli.graph.complex_value import Complex, real_needed
from vjpcli.graph.node import Node
from vjpcli.graph.operation import OPERATIONS, constant_number, make_constant
from vjpcli.ops.declaration import reduced_shape, trailing_axes
from vjpcli.ops.keywords import true_or_false
from vjpcli.ops.linear_algebra.matrix import require_square
from vjpcli.ops.numbers import arithmetic, comparison, elementary, hyperbolic, trigonometry
from vjpcli.ops.shapes import indexing
from vjpcli.ops.spectra.complex_parts import (
    conjugate,
    imaginary_part,
    is_zero,
    minus,
    negated,
    over,
    pair,
    plus,
    real_part,
    times,
)

MOST_FACTORS = 64
"""Whole exponents up to which a power is multiplied out."""


def _add(a: Any, b: Any) -> Complex:
    return pair(plus(real_part(a), real_part(b)), plus(imaginary_part(a), imaginary_part(b)))


def _subtract(a: Any, b: Any) -> Complex:
    return pair(minus(real_part(a), real_part(b)), minus(imaginary_part(a), imaginary_part(b)))


def _multiply(a: Any, b: Any) -> Complex:
    ar, ai, br, bi = real_part(a), imaginary_part(a), real_part(b), imaginary_part(b)
    return pair(minus(times(ar, br), times(ai, bi)), plus(times(ar, bi), times(ai, br)))


def _divide(a: Any, b: Any) -> Complex:
    if isinstance(b, Node):
        return pair(real_part(a) / b, over(imaginary_part(a), b))
    turned = _multiply(a, conjugate(b))
    length = _squared_length(b)
    return pair(over(turned.real, length), over(turned.imaginary, length))


def _squared_length(z: Complex) -> Any:
    return plus(times(z.real, z.real), times(z.imaginary, z.imaginary))


def modulus(z: Complex) -> Any:
    """|z|, real."""
    if is_zero(z.imaginary):
        return arithmetic.abs(z.real)
    if is_zero(z.real):
        return arithmetic.abs(z.imaginary)
    return OPERATIONS["modulus"](z.real, z.imaginary)


def angle(z: Any) -> Any:
    """The angle of z in (-pi, pi], real. That of a real number is 0 or pi."""
    if isinstance(z, Complex):
        return trigonometry.arctan2(z.imaginary, z.real)
    turned = comparison.where(comparison.less(z, 0), math.pi, 0.0)
    return comparison.where(comparison.isnan(z), z, turned)


def polar(length: Any, turn: Any) -> Complex:
    """The complex numbers of these lengths and angles."""
    return pair(times(length, trigonometry.cos(turn)), times(length, trigonometry.sin(turn)))


def _power(a: Any, b: Any) -> Any:
    if isinstance(b, Complex):
        return _exp(_multiply(b, _log(a)))
    exponent = constant_number(b)
    if exponent is not None and exponent.is_integer() and abs(exponent) <= MOST_FACTORS:
        return _whole_power(a, int(exponent))
    return polar(modulus(a) ** b, b * angle(a))


def _whole_power(a: Complex, exponent: int) -> Any:
    if exponent < 0:
        return _reciprocal(_whole_power(a, -exponent))
    result: Any = None
    square = a
    while exponent:
        if exponent % 2:
            result = square if result is None else _multiply(result, square)
        exponent //= 2
        if exponent:
            square = _multiply(square, square)
    return pair(OPERATIONS["ones_like"](a.real), make_constant(0.0)) if result is None else result


def _reciprocal(a: Complex) -> Complex:
    return _divide(make_constant(1.0), a)


def _exp(z: Complex) -> Complex:
    length = make_constant(1.0) if is_zero(z.real) else elementary.exp(z.real)
    return polar(length, z.imaginary)


def _log(z: Any) -> Any:
    if isinstance(z, Complex):
        return Complex(elementary.log(modulus(z)), angle(z))
    number = constant_number(z)
    if number is not None and number > 0:
        return make_constant(math.log(number))
    return Complex(elementary.log(arithmetic.abs(z)), angle(z))


def _sqrt(z: Complex) -> Complex:
    return polar(elementary.sqrt(modulus(z)), angle(z) / 2)


def _sin(z: Complex) -> Complex:
    a, b = z.real, z.imaginary
    return pair(
        times(trigonometry.sin(a), hyperbolic.cosh(b)),
        times(trigonometry.cos(a), hyperbolic.sinh(b)),
    )


def _cos(z: Complex) -> Complex:
    a, b = z.real, z.imaginary
    return pair(
        times(trigonometry.cos(a), hyperbolic.cosh(b)),
        times(-trigonometry.sin(a), hyperbolic.sinh(b)),
    )


def _sinh(z: Complex) -> Complex:
    a, b = z.real, z.imaginary
    return pair(
        times(hyperbolic.sinh(a), trigonometry.cos(b)),
        times(hyperbolic.cosh(a), trigonometry.sin(b)),
    )


def _cosh(z: Complex) -> Complex:
    a, b = z.real, z.imaginary
    return pair(
        times(hyperbolic.cosh(a), trigonometry.cos(b)),
        times(hyperbolic.sinh(a), trigonometry.sin(b)),
    )


def _tan(z: Complex) -> Complex:
    # tan(z) = -i tanh(iz)
    turned = _tanh(Complex(negated(z.imaginary), z.real))
    return Complex(turned.imaginary, negated(turned.real))


def _tanh(z: Complex) -> Complex:
    """With t = tanh(a) and u = tan(b): (t + iu)/(1 + itu). No cosh that could overflow."""
    t, u = hyperbolic.tanh(z.real), trigonometry.tan(z.imaginary)
    return _divide(pair(t, u), pair(make_constant(1.0), t * u))


def _sigmoid(z: Complex) -> Complex:
    half = make_constant(0.5)
    return _add(half, _multiply(half, _tanh(_multiply(half, z))))


def _sign(z: Complex) -> Complex:
    length = modulus(z)
    at_zero = comparison.equal(length, 0)
    divisor = comparison.where(at_zero, 1, length)
    parts = (comparison.where(at_zero, 0, part / divisor) for part in (z.real, z.imaginary))
    return pair(*parts)


def _equal(a: Any, b: Any) -> Any:
    same = comparison.equal(real_part(a), real_part(b))
    return same & comparison.equal(imaginary_part(a), imaginary_part(b))


def _either_part(name: str) -> Callable[[Complex], Any]:
    return lambda z: OPERATIONS[name](z.real) | OPERATIONS[name](z.imaginary)


def _sum(z: Complex, *, initial: Any = None, where: Any = None, **static: Any) -> Any:
    total = OPERATIONS["sum"]
    if initial is not None or where is not None:
        return total.body(z, initial=initial, where=where, **static)
    return Complex(total(z.real, **static), total(z.imaginary, **static))


def _prod(
    z: Complex,
    *,
    axis: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Any:
    """One half times the other, until one entry is left."""
    if initial is not None or where is not None:
        made = OPERATIONS["prod"].body
        return made(z, axis=axis, keepdims=keepdims, initial=initial, where=where)
    axes = trailing_axes(z.real, axis)
    wanted = reduced_shape(z.shape, axes, true_or_false("keepdims", keepdims))
    front = tuple(i - z.ndim for i in range(z.ndim) if i - z.ndim not in axes)
    kept = tuple(z.shape[one] for one in front)
    rest: Any = OPERATIONS["permute"](z, axis=(*front, *axes))
    count = math.prod(z.shape[one] for one in axes)
    rest = OPERATIONS["reshape"](rest, shape=(*kept, count))
    if not count:
        return pair(make_constant(np.ones(wanted)), make_constant(0.0))
    while count > 1:
        half = count // 2
        first, second, odd = (
            indexing.read_range(rest, start, stop, -1)
            for start, stop in ((0, half), (half, 2 * half), (2 * half, count))
        )
        rest = first * second
        rest = OPERATIONS["concatenate"](rest, odd, axis=-1) if count % 2 else rest
        count = half + count % 2
    return OPERATIONS["reshape"](rest, shape=wanted)


def _var(z: Complex, **static: Any) -> Any:
    var = OPERATIONS["var"]
    return var(z.real, **static) + var(z.imaginary, **static)


def _std(z: Complex, **static: Any) -> Any:
    std = OPERATIONS["std"]
    return OPERATIONS["modulus"](std(z.real, **static), std(z.imaginary, **static))


def _norm_of_lengths(name: str) -> Callable[..., Any]:
    """Norms read how far each entry is from 0, except where they need singular values."""

    def norm(z: Complex, **static: Any) -> Any:
        order, axis = static.get("ord", static.get("p")), static.get("axis")
        axes = len(axis) if isinstance(axis, tuple) else z.ndim if axis is None else 1
        may_be_of_matrix = name == "linalg_norm" or (name == "norm" and static.get("ord"))
        of_matrix = name == "matrix_norm" or (may_be_of_matrix and axes == 2)
        if order == "nuc" or (of_matrix and order in (2, -2)):
            raise real_needed(f"{name} of order {order!r} takes a real matrix")
        return OPERATIONS[name](modulus(z), **static)

    return norm


def _with_conjugate(name: str, position: int) -> Callable[..., Any]:
    """As made, with the operand at `position` conjugated."""

    def product_of(*operands: Any, **static: Any) -> Any:
        given = list(operands)
        if isinstance(given[position], Complex):
            given[position] = conjugate(given[position])
        return OPERATIONS[name].body(*given, **static)

    return product_of


def _inv(z: Complex) -> Complex:
    """The real matrix [[a, -b], [b, a]] multiplies as a + ib does, and so do their inverses."""
    require_square("inv", z.real)
    a, b = z.real, z.imaginary
    join, n = OPERATIONS["concatenate"], z.shape[-1]
    real = join(join(a, -b, axis=-1), join(b, a, axis=-1), axis=-2)
    left = indexing.read_range(OPERATIONS["inv"](real), 0, n, -1)
    return Complex(*(indexing.read_range(left, start, start + n, -2) for start in (0, n)))


def _solve(a: Any, b: Any, *, left: bool = True, vectors: bool | None = None) -> Any:
    if b.ndim > 1 and (vectors or (vectors is None and b.ndim < a.ndim)):
        raise real_needed("solve with a stack of vectors takes real numbers")
    inverse = OPERATIONS["inv"](a)
    return inverse @ b if true_or_false("left", left) else b @ inverse


def _pad(z: Complex, **static: Any) -> Complex:
    """What is put around is real."""
    pad, zeros = OPERATIONS["pad"], dict.fromkeys({"value", "end_values"} & static.keys(), 0)
    return Complex(pad(z.real, **static), pad(z.imaginary, **{**static, **zeros}))


MEANINGS: dict[str, Callable[..., Any]] = {
    "add": _add,
    "subtract": _subtract,
    "multiply": _multiply,
    "divide": _divide,
    "power": _power,
    "square": lambda z: _multiply(z, z),
    "reciprocal": _reciprocal,
    "abs": modulus,
    "sign": _sign,
    "exp": _exp,
    "exp2": lambda z: _power(make_constant(2.0), z),
    "expm1": lambda z: _subtract(_exp(z), make_constant(1.0)),
    "log": _log,
    "log2": lambda z: _divide(_log(z), make_constant(math.log(2))),
    "log10": lambda z: _divide(_log(z), make_constant(math.log(10))),
    "log1p": lambda z: _log(_add(z, make_constant(1.0))),
    "sqrt": _sqrt,
    "rsqrt": lambda z: _reciprocal(_sqrt(z)),
    "sin": _sin,
    "cos": _cos,
    "tan": _tan,
    "sinh": _sinh,
    "cosh": _cosh,
    "tanh": _tanh,
    "sigmoid": _sigmoid,
    "equal": _equal,
    "not_equal": lambda a, b: ~_equal(a, b),
    "isnan": _either_part("isnan"),
    "isinf": _either_part("isinf"),
    "isfinite": lambda z: comparison.isfinite(z.real) & comparison.isfinite(z.imaginary),
    "lerp": lambda start, end, weight: start + weight * (end - start),
    "addcmul": lambda x, a, b, *, value=1: x + value * (a * b),
    "addcdiv": lambda x, a, b, *, value=1: x + value * (a / b),
    "sum": _sum,
    "prod": _prod,
    "var": _var,
    "std": _std,
    "norm": _norm_of_lengths("norm"),
    "vector_norm": _norm_of_lengths("vector_norm"),
    "linalg_norm": _norm_of_lengths("linalg_norm"),
    "matrix_norm": _norm_of_lengths("matrix_norm"),
    "vdot": _with_conjugate("vdot", 0),
    "vecdot": _with_conjugate("vecdot", 0),
    "inv": _inv,
    "solve": _solve,
    "correlate": _with_conjugate("correlate", 1),
    "pad": _pad,
}
"""Operation -> its meaning for complex operands."""
