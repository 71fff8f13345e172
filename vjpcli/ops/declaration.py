"""The words in which operations are declared: `elementwise`, `operation`, and axis arithmetic.

Read one file of this folder (`elementary.py` is the shortest way in), then `engine/backward.py`.

A rule takes `(g, y, *operands, **static)`: the adjoint of the output, the output, the operands,
all of them nodes. It returns the contribution to each operand, again nodes. It must hold when
`g` has extra leading axes (a batch of seeds), so axes are always counted from the end; and it
need not care about broadcasting, which `backward` undoes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from vjpcli.errors import fail
from vjpcli.graph.facts import Domain, Elsewhere, Kink, Refusal, Sample, real, sample
from vjpcli.graph.node import Node, Shape
from vjpcli.graph.operation import (
    TEXTBOOK,
    TORCH_AS_MEASURED,
    Operation,
    Outcome,
    constant_number,
    declare,
    outcome,
)
from vjpcli.graph.shapes import broadcast_shapes, shape_text

__all__ = [
    "TEXTBOOK",
    "TORCH_AS_MEASURED",
    "Domain",
    "Elsewhere",
    "Kink",
    "Node",
    "Outcome",
    "Refusal",
    "Sample",
    "Shape",
    "broadcast_shapes",
    "constant_number",
    "elementwise",
    "fail",
    "leading",
    "operation",
    "outcome",
    "reduced_shape",
    "sample",
    "shape_text",
    "trailing_axes",
    "trailing_axis",
]


def elementwise(
    forward: Callable[..., Any],
    *,
    domain: Domain | tuple[Domain, ...] = real,
    samples: Sequence[Sample] = (),
    checks: Mapping[str, Callable[[str, Any], Any]] | None = None,
    **facts: Any,
) -> Callable[[Callable[..., Any]], Operation]:
    """Declares an operation that acts on each entry, its operands broadcast together.

    The declared function has a signature and a docstring, but no body; `checks` has for a keyword
    what makes a good value of (keyword, value), or refuses it.
    """

    def declare_it(body: Callable[..., Any]) -> Operation:
        def broadcast_body(*operands: Node, **static: Any) -> Outcome:
            if len(operands) == 1:
                return Outcome(operands[0].shape, static)
            return Outcome(broadcast_shapes(body.__name__, *operands), static)

        declared = declare(body, forward, pattern="elementwise", **facts)
        defaults = dict(declared.static_defaults)
        if defaults:

            def body_with_defaults(*operands: Node, **static: Any) -> Outcome:
                given = {**defaults, **static}
                for name, check in (checks or {}).items():
                    given[name] = check(name, given[name])
                return broadcast_body(*operands, **given)

            declared.body = body_with_defaults
        else:
            declared.body = broadcast_body
        count = len(declared.operand_names)
        declared.domains = domain if isinstance(domain, tuple) else (domain,) * count
        declared.samples = tuple(samples) or _default_samples(count)
        return declared

    return declare_it


def _default_samples(operand_count: int) -> tuple[Sample, ...]:
    """A scalar, a matrix, an empty axis; for several operands also shapes that broadcast."""
    same = [sample(*[shape] * operand_count) for shape in ((), (2, 3), (0,), (1,))]
    if operand_count < 2:
        return tuple(same)
    stretched = [(2, 3), (3,), (2, 1)]
    return (
        *same,
        sample(*(stretched[i % 3] for i in range(operand_count))),
        sample(*(stretched[(i + 1) % 3] for i in range(operand_count))),
    )


def operation(
    forward: Callable[..., Any] | None = None,
    *,
    samples: Sequence[Sample] = (),
    domain: Domain | tuple[Domain, ...] = real,
    **facts: Any,
) -> Callable[[Callable[..., Any]], Operation]:
    """Declares any other operation.

    The body returns `outcome(shape, **static)` for a primitive, which needs `forward`; or the
    Node it is made of, for a composite, which needs no rule.
    """

    def declare_it(body: Callable[..., Any]) -> Operation:
        declared = declare(body, forward, **facts)
        count = len(declared.operand_names)
        declared.domains = domain if isinstance(domain, tuple) else (domain,) * count
        declared.samples = tuple(samples)
        return declared

    return declare_it


def leading(g: Node, y: Node) -> Shape:
    """The extra leading axes that a batch of seeds gave to `g`, the adjoint of `y`."""
    return g.shape[: g.ndim - y.ndim]


def trailing_axis(x: Node, axis: Any, *, extra: int = 0) -> int:
    """`axis` of x counted from the end: -1 is the last. `extra` axes may come into being.

    Errors: axis-out-of-range, axis-not-whole.
    """
    ndim = x.ndim + extra
    if isinstance(axis, bool) or not isinstance(axis, int | np.integer):
        raise fail("axis-not-whole", f"an axis is a whole number, not {axis!r}")
    axis = int(axis)  # a plain int, also where NumPy counted it
    if not -ndim <= axis < ndim:
        raise fail(
            "axis-out-of-range",
            f"axis {axis} does not exist in shape {shape_text(x.shape)}",
            notes=(
                f"its axes are 0 to {ndim - 1}, or -{ndim} to -1 counted from the end"
                if ndim > 1
                else "its only axis is 0"
                if ndim
                else "a scalar has no axes",
            ),
        )
    return int(axis - ndim if axis >= 0 else axis)


def trailing_axes(x: Node, axis: Any) -> tuple[int, ...]:
    """`axis` (None for all, a whole number, or several) counted from the end, in order.

    Errors: axis-out-of-range, axis-not-whole, axis-twice.
    """
    if axis is None:
        return tuple(range(-x.ndim, 0))
    several = axis if isinstance(axis, list | tuple) else (axis,)
    axes = [trailing_axis(x, one) for one in several]
    if len(set(axes)) < len(axes):
        raise fail("axis-twice", f"the same axis is named twice in {tuple(several)}")
    return tuple(sorted(axes))


def reduced_shape(shape: Shape, axes: tuple[int, ...], keepdims: bool) -> Shape:
    """`shape` without `axes` (negative), or with length 1 there."""
    gone = {axis + len(shape) for axis in axes}
    if keepdims:
        return tuple(1 if i in gone else length for i, length in enumerate(shape))
    return tuple(length for i, length in enumerate(shape) if i not in gone)
