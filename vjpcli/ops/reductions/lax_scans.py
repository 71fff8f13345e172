"""Running sums, products and extremes in jax.lax's words: along axis 0 unless told otherwise."""

from __future__ import annotations

from vjpcli.ops.declaration import Refusal, operation, sample
from vjpcli.ops.keywords import true_or_false
from vjpcli.ops.reductions import running, scan
from vjpcli.ops.shapes import ordering

SAMPLES = (
    sample((3,)),
    sample((2, 3)),
    sample((2, 3), axis=1),
    sample((2, 3), axis=-1, reverse=True),
)
REFUSES = (Refusal(sample((3,), axis=1), "axis-out-of-range"),)


@operation(library_names={"jax": ("lax.cumsum",)}, samples=SAMPLES, refuses=REFUSES, analytic=True)
def sums_so_far(x, *, axis=0, reverse=False):
    """Running sum along one axis: jax.lax.cumsum.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  `cumsum`
    Example: vjp explain "lax.cumsum(x)" x=1,2,3 --seed 1,10,100
    """
    return scan.cumsum(x, axis=axis, reverse=reverse)


@operation(library_names={"jax": ("lax.cumprod",)}, samples=SAMPLES, refuses=REFUSES, analytic=True)
def products_so_far(x, *, axis=0, reverse=False):
    """Running product along one axis: jax.lax.cumprod.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  `cumprod`
    Example: vjp explain "lax.cumprod(x)" x=1,2,3 --seed ones
    """
    return scan.cumprod(x, axis=axis, reverse=reverse)


@operation(library_names={"jax": ("lax.cumlogsumexp",)}, samples=SAMPLES, refuses=REFUSES)
def log_sums_so_far(x, *, axis=0, reverse=False):
    """Running log(sum(exp(x))) along one axis: jax.lax.cumlogsumexp.

    Shapes:  x [...] -> [...]
    Kinks:   none
    Source:  `logcumsumexp`
    Example: vjp explain "lax.cumlogsumexp(x)" x=1,2,3 --seed ones
    """
    return scan.logcumsumexp(x, axis=axis, reverse=reverse)


def _extremes(x, axis, reverse, *, smallest):
    if true_or_false("reverse", reverse):
        backwards = ordering.flip(x, axis=axis)
        found = running.running_extreme(backwards, axis=axis, smallest=smallest)
        return ordering.flip(found, axis=axis)
    return running.running_extreme(x, axis=axis, smallest=smallest)


@operation(library_names={"jax": ("lax.cummax",)}, samples=SAMPLES, refuses=REFUSES)
def largest_so_far(x, *, axis=0, reverse=False):
    """The largest entry so far along one axis: jax.lax.cummax.

    Shapes:  x [...] -> [...]
    Kinks:   that of `running_extreme`: the latest of equal entries takes the adjoint
    Source:  `running_extreme`
    Example: vjp explain "lax.cummax(x)" x=1,3,2 --seed 1,10,100
    """
    return _extremes(x, axis, reverse, smallest=False)


@operation(library_names={"jax": ("lax.cummin",)}, samples=SAMPLES, refuses=REFUSES)
def smallest_so_far(x, *, axis=0, reverse=False):
    """The smallest entry so far along one axis: jax.lax.cummin.

    Shapes:  x [...] -> [...]
    Kinks:   that of `running_extreme`: the latest of equal entries takes the adjoint
    Source:  `running_extreme`
    Example: vjp explain "lax.cummin(x)" x=3,1,2 --seed 1,10,100
    """
    return _extremes(x, axis, reverse, smallest=True)
