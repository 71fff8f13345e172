"""The random numbers behind randn and rand: reproducible, and chosen by `--rng`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

_source: ContextVar[Callable[[], np.random.Generator] | None] = ContextVar("_source", default=None)


@contextmanager
def random_numbers(seed: int = 0) -> Iterator[None]:
    """Inside the block, `generator()` starts from this seed and goes on from call to call."""
    # Made when it is first asked for: numpy.random takes a while to import.
    token = _source.set(cache(lambda: np.random.default_rng(seed)))
    try:
        yield
    finally:
        _source.reset(token)


def generator() -> np.random.Generator:
    """The generator of the surrounding `random_numbers` block; outside of one, seed 0 afresh."""
    source = _source.get()
    return np.random.default_rng(0) if source is None else source()
