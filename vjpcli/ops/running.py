"""Running extremes: the largest or smallest entry so far, and where it is."""

from __future__ import annotations

import numpy as np

from vjpcli.ops import reduction, selection
from vjpcli.ops.declaration import operation, outcome, sample
from vjpcli.ops.keywords import true_or_false

RUNNING_SAMPLES = (
    sample((4,)),
    sample((2, 3), axis=0),
    sample((2, 3, 2), axis=-2),
    sample((1,)),
    sample((0,)),
)


def _running_positions(x, *, axis, smallest):
    if x.shape[axis] == 0:
        return np.zeros(x.shape, dtype=np.intp)
    lanes = np.moveaxis(x, axis, -1)
    best = (np.minimum if smallest else np.maximum).accumulate(lanes, axis=-1)
    # The latest entry that equals the extreme so far; once a nan has come, the latest nan.
    renewed = (lanes == best) | np.isnan(lanes)
    places = np.where(renewed, np.arange(lanes.shape[-1]), 0)
    return np.moveaxis(np.maximum.accumulate(places, axis=-1), -1, axis)


@operation(_running_positions, kind="index")
def running_positions(x, *, axis=None, smallest=False):
    """Position of the largest entry so far along an axis, or the smallest. It has no derivative.

    Shapes:  x [...] -> [...] of positions; without an axis x is flattened first
    Kinks:   jumps where an entry equals the extreme before it; the later one is named
    Source:  a search; a nan counts as the extreme
    Example: vjp explain "cummax(x)" x=1,3,3,2 --seed 1,10,100,1000
    """
    x, axis = reduction.one_axis(x, axis)
    smallest = true_or_false("smallest", smallest)
    return outcome(x.shape, operands=(x,), axis=axis, smallest=smallest)


def _running(x, axis, smallest):
    positions = running_positions(x, axis=axis, smallest=smallest)
    lanes = positions.operands[0]
    return selection.pick_along(lanes, positions, axis=positions.static["axis"]), positions


@operation(several=("values", "indices"), samples=RUNNING_SAMPLES)
def cummax(x, *, axis=None):
    """The largest entry so far along an axis, and where it is.

    Shapes:  x [...] -> (values, indices), each [...]; without an axis x is flattened first
    Kinks:   where an entry equals the largest before it, the later one takes the adjoint
             (PyTorch); JAX halves it between them
    Source:  each result gives its adjoint to the entry that it is
    Example: vjp explain "cummax(x)" x=1,3,3,2 --seed 1,10,100,1000
    """
    return _running(x, axis, smallest=False)


@operation(several=("values", "indices"), samples=RUNNING_SAMPLES)
def cummin(x, *, axis=None):
    """The smallest entry so far along an axis, and where it is.

    Shapes:  x [...] -> (values, indices), each [...]; without an axis x is flattened first
    Kinks:   where an entry equals the smallest before it, the later one takes the adjoint
             (PyTorch); JAX halves it between them
    Source:  each result gives its adjoint to the entry that it is
    Example: vjp explain "cummin(x)" x=3,1,1,2 --seed 1,10,100,1000
    """
    return _running(x, axis, smallest=True)
