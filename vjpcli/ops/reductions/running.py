"""Running extremes: the largest or smallest entry so far, and where it is.

Where an entry equals the extreme before it, PyTorch names the later one and gives it the whole
adjoint; JAX halves the adjoint between the two, as `maximum` does.
"""

from __future__ import annotations

import numpy as np

from vjpcli.ops.declaration import Kink, operation, outcome, sample
from vjpcli.ops.keywords import true_or_false
from vjpcli.ops.numbers import comparison
from vjpcli.ops.reductions import reduction, scan
from vjpcli.ops.shapes import selection

RUNNING_SAMPLES = (
    sample((4,)),
    sample((2, 3), axis=0),
    sample((2, 3, 2), axis=-2),
    sample((1,)),
    sample((0,)),
)


def _running(x, *, axis, smallest):
    return (np.minimum if smallest else np.maximum).accumulate(x, axis=axis)


def _latest(x, axis, smallest):
    """Which entries are the extreme so far; once a nan has come, only another nan is."""
    best = _running(x, axis=axis, smallest=smallest)
    return best, (x == best) | np.isnan(x)


def _running_positions(x, *, axis, smallest):
    _, renewed = _latest(np.moveaxis(x, axis, -1), -1, smallest)
    places = np.where(renewed, np.arange(renewed.shape[-1]), 0)
    return np.moveaxis(np.maximum.accumulate(places, axis=-1), -1, axis)


def _met_again(y, x, *, axis, smallest):
    """Where the extreme so far has been reached more than once."""
    best, renewed = _latest(np.moveaxis(x, axis, -1), -1, smallest)
    places = np.arange(best.shape[-1])
    new = np.ones(best.shape, dtype=bool)
    new[..., 1:] = best[..., 1:] != best[..., :-1]
    since = np.maximum.accumulate(np.where(new, places, 0), axis=-1)
    count = np.cumsum(renewed, axis=-1)
    return np.moveaxis(count > np.take_along_axis(count, since, -1), -1, axis)


def _running_outcome(x, axis, smallest):
    x, axis = reduction.one_axis(x, axis)
    smallest = true_or_false("smallest", smallest)
    return outcome(x.shape, operands=(x,), axis=axis, smallest=smallest)


@operation(_running_positions, kind="index")
def running_positions(x, *, axis=None, smallest=False):
    """Position of the largest entry so far along an axis, or the smallest. It has no derivative.

    Shapes:  x [...] -> [...] of positions; without an axis x is flattened first
    Kinks:   jumps where an entry equals the extreme before it; the later one is named
    Source:  a search; a nan counts as the extreme
    Example: vjp explain "x[running_positions(x)]" x=1,3,3,2 --seed 1,10,100,1000
    """
    return _running_outcome(x, axis, smallest)


@operation(
    _running,
    pattern=lambda x, *, axis, smallest: np.bitwise_or.accumulate(x, axis=axis),
    library_names={"jax": ("cummax",)},
    samples=(*RUNNING_SAMPLES, sample((2, 3)), sample((4,), smallest=True)),
    kinks=(
        Kink(
            "the extreme so far was reached again",
            _met_again,
            slopes=(0, 1),
            used=0,
            point=([2.0, 2.0],),
            entry=1,
            others={"jax": 0.5},
            says="the latest of the equal entries takes the adjoint",
        ),
    ),
)
def running_extreme(x, *, axis=None, smallest=False):
    """The largest entry so far along an axis, or the smallest: the values of `cummax`.

    Shapes:  x [...] -> [...]; without an axis x is flattened first
    Kinks:   where an entry equals the extreme before it, the later one takes the adjoint
             (PyTorch); JAX halves it between them
    Source:  each result gives its adjoint to the entry that it is
    Example: vjp explain "running_extreme(x)" x=1,3,3,2 --seed 1,10,100,1000
    """
    return _running_outcome(x, axis, smallest)


@running_extreme.vjp
def _(g, y, x, *, axis, smallest):
    positions = running_positions(x, axis=axis, smallest=smallest)
    return selection.put_along(g, positions, axis=axis, length=x.shape[axis])


@running_extreme.vjp_like("jax")
def _(g, y, x, *, axis, smallest):
    # y_k = maximum(y_(k-1), x_k), and a maximum halves its adjoint at a tie.
    before = scan.shifted(y, axis, by=1, fill=np.inf if smallest else -np.inf)
    kept = comparison.equal(before, y)
    passed_on = comparison.where(kept, comparison.where(comparison.equal(x, y), 0.5, 1.0), 0.0)
    following = scan.shifted(passed_on, axis, by=-1)
    return scan.linear_recurrence(following, g, axis=axis, reverse=True) * (1 - passed_on)


@operation(several=("values", "indices"), samples=RUNNING_SAMPLES)
def cummax(x, *, axis=None):
    """The largest entry so far along an axis, and where it is.

    Shapes:  x [...] -> (values, indices), each [...]; without an axis x is flattened first
    Kinks:   that of `running_extreme`: the latest of equal entries takes the adjoint (PyTorch)
    Source:  each result gives its adjoint to the entry that it is
    Example: vjp explain "cummax(x)" x=1,3,3,2 --seed 1,10,100,1000
    """
    return running_extreme(x, axis=axis), running_positions(x, axis=axis)


@operation(several=("values", "indices"), samples=RUNNING_SAMPLES)
def cummin(x, *, axis=None):
    """The smallest entry so far along an axis, and where it is.

    Shapes:  x [...] -> (values, indices), each [...]; without an axis x is flattened first
    Kinks:   that of `running_extreme`: the latest of equal entries takes the adjoint (PyTorch)
    Source:  each result gives its adjoint to the entry that it is
    Example: vjp explain "cummin(x)" x=3,1,1,2 --seed 1,10,100,1000
    """
    smallest = running_extreme(x, axis=axis, smallest=True)
    return smallest, running_positions(x, axis=axis, smallest=True)
