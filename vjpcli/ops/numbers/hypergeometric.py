"""Hypergeometric functions of real numbers, differentiable in every parameter.

mpmath, which SymPy is built on, computes them entry by entry, to as many digits as it takes for
the last one of a float64 to be right: about a tenth of a millisecond each where the series
converges quickly. So an array of them is limited in size.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from vjpcli.graph.facts import positive
from vjpcli.ops.declaration import broadcast_shapes, fail, operation, outcome, sample
from vjpcli.ops.special_functions.special_values import Array, in_float64

MOST_ENTRIES = 10_000


@in_float64
def _values(*operands: Array, upper: int, orders: tuple[int, ...]) -> Array:
    """The function or its derivative, to 1e-15 relative; nan where it is not real or not finite."""
    import mpmath  # noqa: PLC0415  (only for these functions)

    *by_parameter, by_x = orders

    def function(*numbers: Any) -> Any:
        # DLMF 16.3.1: the derivative in x moves every parameter up
        *parameters, x = numbers
        above, below = parameters[:upper], parameters[upper:]
        factor = mpmath.mpf(1)
        for one in above:
            factor *= mpmath.rf(one, by_x)
        for one in below:
            factor /= mpmath.rf(one, by_x)
        moved = ([one + by_x for one in above], [one + by_x for one in below])
        return factor * mpmath.hyper(*moved, x)

    def one(*numbers: float) -> float:
        exact = [mpmath.mpf(number) for number in numbers]
        x = exact.pop()
        try:
            if any(by_parameter):
                found = mpmath.diff(
                    lambda *given: function(*given, x), tuple(exact), tuple(by_parameter)
                )
            else:
                found = function(*exact, x)
        except ZeroDivisionError:
            return math.nan
        except (ValueError, OverflowError, mpmath.mp.NoConvergence):
            return math.nan
        return math.nan if mpmath.im(found) else float(mpmath.re(found))

    with mpmath.workdps(20):
        rows = zip(*(operand.tolist() for operand in operands), strict=True)
        return np.array([one(*row) for row in rows], dtype=np.float64)


def _symbolic(s: Any, *operands: Any, upper: int, orders: tuple[int, ...]) -> Any:
    *parameters, x = operands
    if any(orders):
        raise NotImplementedError("hypergeometric")
    return s.hyper(parameters[:upper], parameters[upper:], x)


@operation(
    _values,
    pattern="elementwise",
    symbolic=_symbolic,
    domain=positive,
    samples=(sample([0.7, 2.0], [1.5], [0.3, -2.0], upper=1, orders=(0, 0, 0)),),
)
def hypergeometric(*operands, upper, orders):
    """A hypergeometric function with `upper` parameters above, or its derivative.

    Shapes:  parameters [...], x [...] -> [...] (broadcast)
    Kinks:   none inside its domain
    Source:  DLMF 16.2; orders says how often it is differentiated in each operand
    Example: vjp explain "hypergeometric(a, b, x, upper=1, orders=[0, 0, 0])" a=1 b=2 x=0.5
    """
    shape = broadcast_shapes("hypergeometric", *operands)
    if math.prod(shape) > MOST_ENTRIES:
        raise fail(
            "too-large",
            f"hypergeometric functions take up to {MOST_ENTRIES} entries, not {math.prod(shape)}",
        )
    return outcome(shape, upper=upper, orders=tuple(orders))


@hypergeometric.vjp
def _(g, y, *operands, upper, orders):
    def raised(place):
        return tuple(n + (i == place) for i, n in enumerate(orders))

    return tuple(
        g * hypergeometric(*operands, upper=upper, orders=raised(place))
        for place in range(len(operands))
    )


@operation(
    pattern="elementwise",
    domain=positive,
    samples=(sample([0.7, 2.0], [1.5]), sample((), ()), sample([1.2, 0.5], [-3.0, 0.0])),
)
def hyp0f1(v, z):
    """Confluent hypergeometric limit function 0F1, entry by entry.

    Shapes:  v [...], z [...] -> [...] (broadcast); nan where v is 0, -1, ...
    Kinks:   none
    Source:  DLMF 16.2; d/dz = 0F1(v+1, z)/v, d/dv numerically to 1e-15; values by mpmath
    Example: vjp explain "hyp0f1(v, z)" v=1.5 z=0.5,2 --seed ones
    """
    return hypergeometric(v, z, upper=0, orders=(0, 0))


@operation(
    pattern="elementwise",
    domain=positive,
    samples=(
        sample([0.7, 2.0], [1.5], [0.5, 1.0]),
        sample((), (), ()),
        sample([-1.5, 3.0], [0.5], [-8.0, 20.0]),
    ),
)
def hyp1f1(a, b, x):
    """Confluent hypergeometric function 1F1 (Kummer's M), entry by entry.

    Shapes:  a [...], b [...], x [...] -> [...] (broadcast); nan where b is 0, -1, ...
    Kinks:   none
    Source:  DLMF 13.3.15: d/dx = a/b 1F1(a+1, b+1, x); d/da and d/db numerically to 1e-15 (JAX has
             no d/db); values by mpmath
    Example: vjp explain "hyp1f1(a, b, x)" a=0.7 b=1.5 x=0.5,2 --seed ones
    """
    return hypergeometric(a, b, x, upper=1, orders=(0, 0, 0))


@operation(
    pattern="elementwise",
    domain=positive,
    samples=(
        sample([0.7, 2.0], [1.5], [2.5], [0.5, -3.0]),
        sample([0.4], [1.1], [3.0], [0.97]),
    ),
)
def hyp2f1(a, b, c, x):
    """Gauss's hypergeometric function 2F1, entry by entry.

    Shapes:  a [...], b [...], c [...], x [...] -> [...] (broadcast); nan for x > 1, where it is
             not real, and where c is 0, -1, ...
    Kinks:   none below x = 1
    Source:  DLMF 15.5.1: d/dx = ab/c 2F1(a+1, b+1, c+1, x); the slopes for a, b and c numerically
             to 1e-15; values by mpmath
    Example: vjp explain "hyp2f1(a, b, c, x)" a=0.7 b=1.5 c=2 x=-3,0.5 --seed ones
    """
    return hypergeometric(a, b, c, x, upper=2, orders=(0, 0, 0, 0))
