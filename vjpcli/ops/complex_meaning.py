"""What operations make of complex values, written in real operations on the two parts.

Four kinds of meaning. Most operations move entries or add them up, and do so to each part.
Products are multiplied out. Some composites mean for complex operands what they mean for real
ones, because all that they are made of does. The others are told one by one. What is in none
of the lists takes real numbers only.

Exact zeros and ones (the real part of 2j, the imaginary part of a real operand) are left out
while the parts are put together, so that a step is there only for what is computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from vjpcli.graph.complex_value import Complex, real_needed
from vjpcli.graph.node import Node
from vjpcli.graph.operation import (
    OPERATIONS,
    Operation,
    broadcast_shapes,
    constant,
    constant_number,
    make_constant,
)
from vjpcli.ops import arithmetic, choice, comparison, elementary, hyperbolic, trigonometry
from vjpcli.ops import shape as shapes

MOST_FACTORS = 64
"""Whole exponents up to which a power is multiplied out."""

ON_EACH_PART = set("""
    negative positive sum nansum mean trace cumsum diff add_into add_kernel_windows where
    stop_gradient nan_to_num round
""".split())
"""Operations that act on each part by itself; so does everything that only moves entries."""

MULTILINEAR = set("matmul outer einsum cross".split())
"""Operations that are linear in each operand: their products are multiplied out."""

AS_MADE = set("""
    T t transpose swapaxes moveaxis fliplr flipud rot90 flatten ravel unflatten reshape_as
    expand_as atleast_1d atleast_2d atleast_3d hstack vstack dstack column_stack append repeat kron
    meshgrid broadcast_tensors split split_into tensor_split chunk unbind hsplit vsplit dsplit
    take index_select gather take_along_axis masked_select narrow select diag diagflat
    matvec vecmat bmm addmm addmv addr baddbmm addbmm linear bilinear dot inner mv mm tensordot
    multi_dot convolve trapezoid cumulative_trapezoid average add_scaled subtract_scaled rsub
    zeros_like ones_like full full_like array scatter scatter_add index_add index_copy index_fill
    put masked_fill sliding_window_view windows_along unfold pad_last_axes block_diag matrix_power
    polyval vander linalg_vander conv1d conv2d conv3d conv_transpose1d conv_transpose2d
    l1_loss dist
""".split())
"""Composites whose definition holds for complex operands as it stands."""


def on_complex(operation: Operation, operands: Any, static: Any) -> Any:
    """What `operation` makes of operands of which some are complex.

    Errors: complex-operand, and what the operations on the parts refuse.
    """
    name = operation.name
    if name in MEANINGS:
        return MEANINGS[name](*operands, **static)
    if name in AS_MADE:
        return operation.body(*operands, **static)
    if name in MULTILINEAR:
        return _multiplied_out(operation, operands, static)
    if name in ON_EACH_PART or operation.pattern == "movement":
        return _on_each_part(operation, operands, static)
    raise real_needed(f"{name} takes real numbers")


def _on_each_part(operation: Operation, operands: Any, static: Any) -> Complex:
    parts = []
    for part in (real_part, imaginary_part):
        given = (
            one if one is None or name == "condition" or _is_condition(one) else part(one)
            for name, one in zip(_names(operation, operands), operands, strict=True)
        )
        parts.append(operation(*given, **static))
    return pair(*parts)


def _names(operation: Operation, operands: Any) -> list[str]:
    names = operation.operand_names
    return [names[min(i, len(names) - 1)] for i in range(len(operands))]


def _is_condition(one: Any) -> bool:
    return isinstance(one, Node) and one.kind == "condition"


def _multiplied_out(operation: Operation, operands: Any, static: Any) -> Complex:
    """(a + ib)(c + id) = (ac - bd) + i(ad + bc), for any number of factors."""
    real: Any = None
    imaginary: Any = None
    choices = [(False, True) if isinstance(one, Complex) else (False,) for one in operands]
    for chosen in product(*choices):
        factors = [
            imaginary_part(one) if taken else real_part(one)
            for one, taken in zip(operands, chosen, strict=True)
        ]
        term = operation(*factors, **static)
        if any(map(is_zero, factors)):
            term = make_constant(np.broadcast_to(0.0, term.shape))
        turns = sum(chosen)
        if turns % 2 == 0:
            real = _summed(real, term, negated=turns % 4 == 2)
        else:
            imaginary = _summed(imaginary, term, negated=turns % 4 == 3)
    return pair(real, imaginary)


def _summed(total: Any, term: Node, *, negated: bool) -> Node:
    if total is None:
        return minus(0.0, term) if negated else term
    return minus(total, term) if negated else plus(total, term)


# Parts, and arithmetic on them that leaves out exact zeros and ones.


def real_part(value: Any) -> Any:
    """The real part of a Complex; anything else is its own."""
    return value.real if isinstance(value, Complex) else value


def imaginary_part(value: Any) -> Any:
    """The imaginary part of a Complex; of anything else, zeros in its shape."""
    if isinstance(value, Complex):
        return value.imaginary
    return make_constant(np.broadcast_to(0.0, value.shape))


def pair(real: Any, imaginary: Any) -> Complex:
    """The Complex of these parts, broadcast to a common shape."""
    shape = broadcast_shapes("complex", real, imaginary)
    return Complex(_stretched(real, shape), _stretched(imaginary, shape))


def _stretched(part: Node, shape: Any) -> Any:
    if part.shape == shape:
        return part
    if part.operation is constant:
        return make_constant(np.broadcast_to(part.static["value"], shape))
    return shapes.broadcast_to(part, shape=shape)


def _is_constant(part: Any, value: float) -> bool:
    if not isinstance(part, Node):
        return bool(part == value)
    return part.operation is constant and bool(np.all(part.static["value"] == value))


def is_zero(part: Any) -> bool:
    """Whether a part is a constant 0."""
    return _is_constant(part, 0.0)


def _common_shape(a: Any, b: Any) -> Any:
    nodes = [one for one in (a, b) if isinstance(one, Node)]
    return broadcast_shapes("arithmetic", *nodes)


def plus(a: Any, b: Any) -> Any:
    """a + b."""
    shape = _common_shape(a, b)
    if is_zero(b):
        return _stretched(a, shape)
    return _stretched(b, shape) if is_zero(a) else a + b


def minus(a: Any, b: Any) -> Any:
    """a - b."""
    shape = _common_shape(a, b)
    if is_zero(b):
        return _stretched(a, shape)
    return _stretched(_negative(b), shape) if is_zero(a) else a - b


def _negative(a: Any) -> Any:
    return make_constant(-a.static["value"]) if a.operation is constant else -a


def times(a: Any, b: Any) -> Any:
    """a * b."""
    shape = _common_shape(a, b)
    if is_zero(a) or is_zero(b):
        return make_constant(np.broadcast_to(0.0, shape))
    for one, other in ((a, b), (b, a)):
        if _is_constant(one, 1.0):
            return _stretched(other, shape)
        if _is_constant(one, -1.0):
            return _stretched(_negative(other), shape)
    return a * b


# Functions that have a meaning of their own.


def _add(a: Any, b: Any) -> Complex:
    return pair(
        plus(real_part(a), real_part(b)), plus(imaginary_part(a), imaginary_part(b))
    )


def _subtract(a: Any, b: Any) -> Complex:
    return pair(
        minus(real_part(a), real_part(b)), minus(imaginary_part(a), imaginary_part(b))
    )


def _multiply(a: Any, b: Any) -> Complex:
    ar, ai, br, bi = real_part(a), imaginary_part(a), real_part(b), imaginary_part(b)
    return pair(minus(times(ar, br), times(ai, bi)), plus(times(ar, bi), times(ai, br)))


def _divide(a: Any, b: Any) -> Complex:
    if isinstance(b, Node):
        return pair(real_part(a) / b, _quotient(imaginary_part(a), b))
    turned = _multiply(a, conjugate(b))
    length = _squared_length(b)
    return pair(_quotient(turned.real, length), _quotient(turned.imaginary, length))


def _quotient(a: Node, b: Node) -> Any:
    return make_constant(np.broadcast_to(0.0, _common_shape(a, b))) if is_zero(a) else a / b


def _squared_length(z: Complex) -> Any:
    return plus(times(z.real, z.real), times(z.imaginary, z.imaginary))


def conjugate(z: Complex) -> Complex:
    """The complex conjugate."""
    return Complex(z.real, _negative(z.imaginary))


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
    return make_constant(np.broadcast_to(1.0, a.shape)) if result is None else result


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
    turned = _tanh(Complex(_negative(z.imaginary), z.real))
    return Complex(turned.imaginary, _negative(turned.real))


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
        of_matrix = name == "matrix_norm" or (name == "linalg_norm" and axes == 2)
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


def _pad(z: Complex, *, widths: Any, mode: str = "constant", value: Any = 0) -> Complex:
    pad = OPERATIONS["pad"]
    real = pad(z.real, widths=widths, mode=mode, value=value)
    return Complex(real, pad(z.imaginary, widths=widths, mode=mode))


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
    "var": _var,
    "std": _std,
    "norm": _norm_of_lengths("norm"),
    "vector_norm": _norm_of_lengths("vector_norm"),
    "linalg_norm": _norm_of_lengths("linalg_norm"),
    "matrix_norm": _norm_of_lengths("matrix_norm"),
    "vdot": _with_conjugate("vdot", 0),
    "vecdot": _with_conjugate("vecdot", 0),
    "correlate": _with_conjugate("correlate", 1),
    "pad": _pad,
}
"""Operation -> its meaning for complex operands."""
