"""Stand-ins: the values that leaves get when none are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.parser.seeds import SeedRequest

Array = NDArray[Any]

STAND_IN_ENTRIES = 1000
"""Entries that a stand-in may have: a larger seed is for values that were meant to be given."""


def stand_in(number: int, shape: tuple[int, ...]) -> Array:
    """The value of the k-th leaf when none is given: counting up from k(k+1)/2."""
    start = number * (number + 1) // 2
    return (start + np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.float64)).reshape(shape)


def stand_in_shape(seeds: Sequence[SeedRequest], known: Mapping[str, Array]) -> tuple[int, ...]:
    """From the seed, else from the largest other input, else a scalar."""
    for seed in seeds:
        if seed.array is not None and seed.array.size <= STAND_IN_ENTRIES:
            return seed.array.shape
    fitting = [array.shape for array in known.values() if array.size <= STAND_IN_ENTRIES]
    return max(fitting, key=lambda shape: (len(shape), shape), default=())


def example_value(number: int, shape: tuple[int, ...]) -> str:
    """A stand-in as it would be typed: `3,4,5`, `[[1,2],[3,4]]`."""
    nested = stand_in(number, shape).astype(int).tolist()
    text = str(nested).replace(" ", "")
    return text[1:-1] if len(shape) == 1 and shape != (1,) else text
