"""Smooth functions that have gone flat: tanh(200), sigmoid(40), exp(-800).

No list of names: a function is saturated at a point when its slope is nothing there and all
around, though it is something nearer to zero. At a stationary point, such as that of a square at
0, the slope grows on both sides.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.backward import Contribution, local_contributions
from vjpcli.engine.evaluate import evaluate
from vjpcli.explanation.evidence import Evidence
from vjpcli.graph.node import Graph, Node
from vjpcli.graph.operation import make_constant, make_leaf
from vjpcli.record import record

Array = NDArray[Any]
Mask = NDArray[np.bool_]

TINY = 1e-12
"""A factor that counts as nothing."""

NEARER = (0.0, *(0.5**halvings for halvings in range(1, 40)))
"""Shares of the way from 0, at which a saturated function is not."""

AROUND = (-0.01, -0.003, 0.003, 0.01)
MOST_POINTS = 1_000
"""Points at which the function is tried; others are judged by the nearest of them."""

STILL = 1e-3
"""Relative change of the value per relative change of the operand that counts as none."""


@record
class Saturation:
    """Where one step is saturated.

    Attributes:
        kind: "underflow" where the value itself has vanished; None where nothing is saturated.
        at: mask of the step's entries.
        slope: the largest slope there, in size.
    """

    kind: Literal["saturated", "underflow"] | None
    at: Mask
    slope: float = 0.0


def is_smooth_function(node: Node) -> bool:
    """Whether the node is a function of one number, the same for all, that declares no corners."""
    operation = node.operation
    return (
        operation.pattern == "elementwise"
        and len(node.operands) == 1
        and not operation.kinks
        and not operation.flat
        and not any(np.ndim(given) for given in node.static.values() if given is not None)
    )


def saturated_entries(
    evidence: Evidence, one: Contribution, among: Mask, below: float = TINY
) -> Saturation:
    """The entries of `among` at which the reader's slope is below `below` and stays there."""
    nothing = Saturation(None, np.zeros(one.reader.shape, np.bool_))
    local, arrived = evidence.values[one.local], evidence.adjoint(one.reader)
    if not is_smooth_function(one.reader) or arrived is None or local.shape != arrived.shape:
        return nothing
    with np.errstate(all="ignore"):
        flat = among & (arrived != 0) & (np.abs(local) <= below * np.abs(arrived))
    places = np.flatnonzero(flat)
    if not places.size:
        return nothing
    x = evidence.values[one.operand].reshape(-1)[places].astype(np.float64)
    y = evidence.values[one.reader].reshape(-1)[places].astype(np.float64)
    with np.errstate(all="ignore"):
        slopes = np.abs(local.reshape(-1)[places] / arrived.reshape(-1)[places])
        tried = _spread_out(x)
        judged = _saturated(one.reader, x[tried], y[tried], slopes[tried].astype(np.float64))
        nearest = np.minimum(np.searchsorted(x[tried], x), tried.size - 1)
        kept, vanished = (verdict[nearest] for verdict in judged)
    at = np.zeros(flat.size, np.bool_)
    at[places[kept]] = True
    if not kept.any():
        return nothing
    kind: Literal["saturated", "underflow"] = "underflow" if vanished[kept].all() else "saturated"
    return Saturation(kind, at.reshape(flat.shape), float(np.max(slopes[kept])))


def _spread_out(x: Array) -> NDArray[np.intp]:
    """Places of at most MOST_POINTS entries of x, in the order of their size."""
    order = np.argsort(x, kind="stable")
    return order[np.linspace(0, x.size - 1, min(x.size, MOST_POINTS)).astype(np.intp)]


def _saturated(node: Node, x: Array, y: Array, slope: Array) -> tuple[Mask, Mask]:
    """Which points are saturated, and which of them because the value underflowed."""
    size = np.maximum(1.0, np.abs(x))
    around = np.max([_slopes(node, x + share * size) for share in AROUND], axis=0)
    nearer = np.stack([_slopes(node, x * share) for share in NEARER])
    slopes = np.where(np.isfinite(nearer), nearer, 0.0)
    nearer = np.max(slopes, axis=0)
    # A function that only jumps between flat and steep has no slopes in between.
    gradual = np.any((slopes > 1e-6 * nearer) & (slopes < 0.9 * nearer), axis=0)
    gone = (nearer > 0) & gradual & (around <= 1e-6 * nearer)
    vanished = gone & (y == 0) & (slope == 0)
    still = np.abs(x) * slope <= STILL * np.abs(y)
    # On the left a sigmoid is flat though its value still changes by factors. Slopes that only
    # fall like those of 1/x do not count.
    falls_fast = slopes[1] >= 100 * slope
    on_both_sides = falls_fast & (_slopes(node, -x) <= 1e-6 * nearer)
    return gone & ((still & (y != 0)) | on_both_sides | vanished), vanished


def _slopes(node: Node, points: Array) -> Array:
    """|slope| of the node's function at `points`, by its own rule."""
    operand = make_leaf("x", points.shape)
    step = Node(node.operation, (operand,), node.static, points.shape, node.kind, None)
    (slope,) = local_contributions(make_constant(np.ones(points.shape)), step, "torch")
    if slope is None:
        return np.full(points.shape, np.inf)
    graph = Graph.reaching({"slope": slope}, {"x": operand})
    return np.abs(evaluate(graph, {"x": points})[slope])
