"""The two parts of a complex value, and arithmetic on them that leaves out exact zeros and ones.

The real part of 2j is 0, the imaginary part of a real operand too. With them left out, a step is
there only for what is computed: exp(1j*x) is cos(x) and sin(x), and nothing else.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vjpcli.graph.complex_value import Complex
from vjpcli.graph.node import Node
from vjpcli.graph.operation import constant, make_constant
from vjpcli.graph.shapes import broadcast_shapes
from vjpcli.ops.shapes import shape as shapes


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
    return _stretched(negated(b), shape) if is_zero(a) else a - b


def negated(a: Any) -> Any:
    """-a."""
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
            return _stretched(negated(other), shape)
    return a * b


def over(a: Any, b: Any) -> Any:
    """a / b."""
    return make_constant(np.broadcast_to(0.0, _common_shape(a, b))) if is_zero(a) else a / b


def conjugate(z: Complex) -> Complex:
    """The complex conjugate."""
    return Complex(z.real, negated(z.imaginary))
