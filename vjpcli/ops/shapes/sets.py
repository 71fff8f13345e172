"""Sets: the distinct entries of arrays, in ascending order, and what two arrays share.

Which entries are distinct is decided by value, as in `x[mask]`; what is taken is a selection, and
the first of equal entries takes the adjoint.
"""

from __future__ import annotations

import numpy as np

from vjpcli.graph.operation import make_constant
from vjpcli.ops.declaration import Refusal, fail, operation, sample, trailing_axis
from vjpcli.ops.keywords import true_or_false
from vjpcli.ops.shapes import indexing, joining, shape

UNSORTED = np.array([3.0, 1.0, 2.0, 1.5])
OTHER = np.array([2.0, 1.0, 7.0])


def _raveled(x):
    return x if x.ndim == 1 else shape.ravel(x)


def _picked(x, places):
    return indexing.index(_raveled(x), index=(np.asarray(places, dtype=np.intp),))


UNIQUE_SAMPLES = (
    sample(UNSORTED.tolist(), now=UNSORTED),
    sample([[3.0, 1.0], [2.0, 0.5]], now=np.array([[3.0, 1.0], [2.0, 0.5]])),
    sample([[3.0, 1.0], [2.0, 0.5]], axis=0, now=np.array([[3.0, 1.0], [2.0, 0.5]])),
)


@operation(
    present={"x": "now"},
    several=("values", "indices", "inverse_indices", "counts"),
    keyword_aliases={"ar": "x"},
    samples=UNIQUE_SAMPLES,
    refuses=(Refusal(sample((2,), axis=1, now=np.zeros(2)), "axis-out-of-range"),),
)
def unique(
    x,
    *,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    sorted=True,
    now=None,
):
    """The distinct entries in ascending order, and on request where they stand and how often.

    Shapes:  x [...] -> values [k], then those asked for: the first position of each, for each
             entry of x the position of its value, how often each occurs; with an axis its
             distinct slices
    Kinks:   where two entries become equal: the first of them takes the adjoint
    Source:  np.unique; a selection
    Example: vjp explain "np.unique(x)" x=3,1,2,1 --seed 1,10,100
    """
    true_or_false("sorted", sorted)
    axis = None if axis is None else trailing_axis(x, axis)
    _, first, inverse, counts = np.unique(now, True, True, True, axis=axis)
    values = _picked(x, first) if axis is None else indexing.read_along(x, first, axis)
    asked = (
        (return_index, "return_index", first),
        (return_inverse, "return_inverse", inverse.reshape(now.shape if axis is None else -1)),
        (return_counts, "return_counts", counts),
    )
    more = [make_constant(found) for wanted, name, found in asked if true_or_false(name, wanted)]
    return (values, *more) if more else values


@operation(present={"x": "now"}, samples=UNIQUE_SAMPLES[:2])
def unique_values(x, *, now=None):
    """The distinct entries in ascending order.

    Shapes:  x [...] -> [k]
    Kinks:   where two entries become equal: the first of them takes the adjoint
    Source:  np.unique_values; a selection
    Example: vjp explain "np.unique_values(x)" x=3,1,2,1 --seed 1,10,100
    """
    return unique(x, now=now)


@operation(present={"x": "now"}, several=("values", "counts"), samples=UNIQUE_SAMPLES[:2])
def unique_counts(x, *, now=None):
    """The distinct entries in ascending order, and how often each occurs.

    Shapes:  x [...] -> values [k], counts [k]
    Kinks:   where two entries become equal: the first of them takes the adjoint
    Source:  np.unique_counts; a selection
    Example: vjp explain "np.unique_counts(x).values" x=3,1,2,1 --seed 1,10,100
    """
    return unique(x, return_counts=True, now=now)


@operation(present={"x": "now"}, several=("values", "inverse_indices"), samples=UNIQUE_SAMPLES[:2])
def unique_inverse(x, *, now=None):
    """The distinct entries in ascending order, and for each entry the position of its value.

    Shapes:  x [...] -> values [k], inverse_indices [...]
    Kinks:   where two entries become equal: the first of them takes the adjoint
    Source:  np.unique_inverse; a selection
    Example: vjp explain "np.unique_inverse(x).values" x=3,1,2,1 --seed 1,10,100
    """
    return unique(x, return_inverse=True, now=now)


@operation(
    present={"x": "now"},
    several=("values", "indices", "inverse_indices", "counts"),
    samples=UNIQUE_SAMPLES[:2],
)
def unique_all(x, *, now=None):
    """The distinct entries in ascending order, where they stand, and how often.

    Shapes:  x [...] -> values [k], indices [k], inverse_indices [...], counts [k]
    Kinks:   where two entries become equal: the first of them takes the adjoint
    Source:  np.unique_all; a selection
    Example: vjp explain "np.unique_all(x).values" x=3,1,2,1 --seed 1,10,100
    """
    return unique(x, return_index=True, return_inverse=True, return_counts=True, now=now)


@operation(
    present={"x": "now"},
    several=("output", "inverse_indices", "counts"),
    samples=(sample([1.0, 3.0, 2.0], now=np.array([1.0, 3.0, 2.0])),),
    refuses=(Refusal(sample((2, 2), now=np.zeros((2, 2)), axis=0), "keyword-value"),),
)
def unique_consecutive(x, *, return_inverse=False, return_counts=False, axis=None, now=None):
    """The entries that differ from the one before them, in their order.

    Shapes:  x [...] -> output [k], then those asked for: for each entry the position of its run,
             and the lengths of the runs
    Kinks:   where two neighbours become equal: the first of them takes the adjoint
    Source:  torch.unique_consecutive; a selection
    Example: vjp explain "torch.unique_consecutive(x)" x=1,1,2,1 --seed 1,10,100
    """
    if axis is not None and x.ndim > 1:
        raise fail("keyword-value", "unique_consecutive takes no `dim` here: flatten the array")
    flat = now.reshape(-1)
    starts = np.flatnonzero(np.concatenate([np.ones(flat[:1].shape), flat[1:] != flat[:-1]]))
    runs = np.diff(np.append(starts, flat.size))
    inverse = np.repeat(np.arange(starts.size), runs).reshape(now.shape)
    more = []
    if true_or_false("return_inverse", return_inverse):
        more.append(make_constant(inverse))
    if true_or_false("return_counts", return_counts):
        more.append(make_constant(runs))
    values = _picked(x, starts)
    return (values, *more) if more else values


PAIR = {"x": "now", "y": "other"}
PAIR_SAMPLES = (sample(UNSORTED.tolist(), OTHER.tolist(), now=UNSORTED, other=OTHER),)
PAIR_KEYWORDS = {"ar1": "x", "ar2": "y"}


def _places_of(values, array):
    """The first position of each of `values`, which all occur, in the flattened array."""
    found, first = np.unique(array, return_index=True)
    return first[np.searchsorted(found, values)]


@operation(present=PAIR, keyword_aliases=PAIR_KEYWORDS, samples=PAIR_SAMPLES)
def union1d(x, y, *, now=None, other=None):
    """The distinct entries of two arrays together, in ascending order.

    Shapes:  x [...], y [...] -> [k]
    Kinks:   where two entries become equal: the first of them, of x before y, takes the adjoint
    Source:  np.union1d; a selection
    Example: vjp explain "np.union1d(x, y)" x=1,3 y=2,3 --seed 1,10,100
    """
    together = joining.concatenate(_raveled(x), _raveled(y), axis=0)
    return unique(together, now=np.concatenate([now.reshape(-1), other.reshape(-1)]))


@operation(
    present=PAIR,
    keyword_aliases=PAIR_KEYWORDS,
    several=("values", "indices_of_x", "indices_of_y"),
    samples=(
        *PAIR_SAMPLES,
        sample([2.0, 1.0], [5.0], now=np.array([2.0, 1.0]), other=np.array([5.0])),
    ),
)
def intersect1d(x, y, *, assume_unique=False, return_indices=False, now=None, other=None):
    """The distinct entries that two arrays share, in ascending order, taken from the first.

    Shapes:  x [...], y [...] -> [k]; with return_indices=True also their positions in each
    Kinks:   where an entry of one becomes equal to one of the other
    Source:  np.intersect1d; a selection from x
    Example: vjp explain "np.intersect1d(x, y)" x=1,3,2 y=3,2,5 --seed 1,10
    """
    true_or_false("assume_unique", assume_unique)
    values = np.intersect1d(now, other)
    places = _places_of(values, now)
    found = _picked(x, places)
    if true_or_false("return_indices", return_indices):
        return found, make_constant(places), make_constant(_places_of(values, other))
    return found


@operation(present=PAIR, keyword_aliases=PAIR_KEYWORDS, samples=PAIR_SAMPLES)
def setdiff1d(x, y, *, assume_unique=False, now=None, other=None):
    """The distinct entries of the first array that the second lacks, in ascending order.

    Shapes:  x [...], y [...] -> [k]; with assume_unique=True in the order of x
    Kinks:   where an entry of one becomes equal to one of the other; no gradient reaches y
    Source:  np.setdiff1d; a selection from x
    Example: vjp explain "np.setdiff1d(x, y)" x=1,3,2 y=3,5 --seed 1,10
    """
    if true_or_false("assume_unique", assume_unique):
        return _picked(x, np.flatnonzero(~np.isin(now.reshape(-1), other)))
    return _picked(x, _places_of(np.setdiff1d(now, other), now))


@operation(present=PAIR, keyword_aliases=PAIR_KEYWORDS, samples=PAIR_SAMPLES)
def setxor1d(x, y, *, assume_unique=False, now=None, other=None):
    """The distinct entries that only one of two arrays holds, in ascending order.

    Shapes:  x [...], y [...] -> [k]
    Kinks:   where an entry of one becomes equal to one of the other
    Source:  np.setxor1d; a selection from both
    Example: vjp explain "np.setxor1d(x, y)" x=1,3 y=3,5 --seed 1,10
    """
    true_or_false("assume_unique", assume_unique)
    together = joining.concatenate(_raveled(x), _raveled(y), axis=0)
    both = np.concatenate([now.reshape(-1), other.reshape(-1)])
    return _picked(together, _places_of(np.setxor1d(now, other), both))
