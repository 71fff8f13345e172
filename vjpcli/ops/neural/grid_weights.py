"""Weights of interpolation: which entries of an axis surround a place, and what each counts.

The derivative of an interpolation for the place is the same sum with the derivatives of the
weights, so one function, `taps`, serves every order: `orders` counts how often the weights are
differentiated along each axis of the image.
"""

from __future__ import annotations

from itertools import product

import numpy as np

PADDING_MODES = ("zeros", "border", "reflection")
CUBIC = -0.75
"""The free coefficient of the cubic kernel, as PyTorch has it."""

WEIGHTS = {
    "nearest": ((0, (1.0,)),),
    "bilinear": ((0, (-1.0, 1.0)), (1, (1.0, 0.0))),
    "bicubic": (
        (-1, (CUBIC, -2 * CUBIC, CUBIC, 0.0)),
        (0, (CUBIC + 2, -CUBIC - 3, 0.0, 1.0)),
        (1, (-CUBIC - 2, 2 * CUBIC + 3, -CUBIC, 0.0)),
        (2, (-CUBIC, CUBIC, 0.0, 0.0)),
    ),
}
"""Mode -> offsets from the entry before a place, each with its weight as a polynomial of how far
the place lies behind that entry (highest power first)."""


def _pace(length, align_corners):
    """Entries per unit of the grid, whose units reach from -1 to 1."""
    return (length - 1) / 2 if align_corners else length / 2


def positions(places, length, align_corners):
    """Places from -1 to 1 as positions among the entries of an axis.

    Within rounding of an entry, or of the middle between two, a place lies there: else chance
    would choose between the slopes of both sides wherever a grid meets the entries.
    """
    at = (places + 1) * _pace(length, align_corners) - (0 if align_corners else 0.5)
    halves = np.rint(2 * at) / 2
    precision = max(np.finfo(at.dtype).eps, np.finfo(np.float64).eps)
    return np.where(np.abs(at - halves) <= 8 * precision * length, halves, at)


def _reflected(at, length, align_corners):
    """Positions folded back at both ends, and the slope of that: 1 or -1."""
    low, span = (0.0, length - 1) if align_corners else (-0.5, length)
    if span == 0:
        return np.zeros_like(at), np.zeros_like(at)
    distance = np.abs(at - low)
    flips, rest = np.divmod(distance, span)
    back = flips % 2 == 1
    slope = np.where(at < low, -1, 1) * np.where(back, -1, 1)
    return np.where(back, span - rest, rest) + low, slope


def inside(at, length, padding_mode, align_corners):
    """Positions as the padding understands them, and the slope of that."""
    if padding_mode == "zeros":
        return at, np.ones_like(at)
    slope = np.ones_like(at)
    if padding_mode == "reflection":
        at, slope = _reflected(at, length, align_corners)
    # The ends count as outside (PyTorch).
    return np.clip(at, 0, length - 1), np.where((at > 0) & (at < length - 1), slope, 0)


def _along(places, length, *, mode, padding_mode, align_corners, order):
    """For one axis: [(positions of an entry, whether it exists, its weight)]."""
    at = positions(places, length, align_corners)
    slope = np.ones_like(at)
    if mode != "bicubic":
        at, slope = inside(at, length, padding_mode, align_corners)
    slope = (slope * _pace(length, align_corners)) ** order if order else 1
    with np.errstate(invalid="ignore"):
        first = np.rint(at) if mode == "nearest" else np.floor(at)
        behind = np.where(np.isinf(at), 0, at - first)
    found = []
    for offset, polynomial in WEIGHTS[mode]:
        weight = np.polyval(np.polyder(polynomial, order), behind) * slope
        tap = first + offset
        if mode == "bicubic":
            tap = inside(tap, length, padding_mode, align_corners)[0]
        inside_image = (tap >= 0) & (tap <= length - 1)
        # A place that is nan reads nothing in particular, and makes nan of it.
        nowhere = np.isnan(at)
        weight = np.where(nowhere, np.nan, weight)
        place = np.where(inside_image, tap, 0).astype(np.intp)
        found.append((place, inside_image | nowhere, weight))
    return found


def taps(grid, lengths, orders, **how):
    """[(index of the entries that are read, their weights)], one for each entry of a window."""
    rank = len(lengths)
    axes = [
        # The first number of a place counts along the last axis of the image.
        _along(grid[..., rank - 1 - axis], lengths[axis], order=orders[axis], **how)
        for axis in range(rank)
    ]
    example = np.arange(len(grid)).reshape(-1, *(1,) * rank)
    taps = []
    for parts in product(*axes):
        weight = np.prod(np.broadcast_arrays(*(part[2] for part in parts)), axis=0)
        exists = np.logical_and.reduce([part[1] for part in parts])
        taps.append(((example, *(part[0] for part in parts)), np.where(exists, weight, 0)))
    return taps
