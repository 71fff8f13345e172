"""The random numbers behind randn and rand: reproducible, and chosen by `--rng`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

_generator: ContextVar[np.random.Generator | None] = ContextVar("_generator", default=None)


@contextmanager
def random_numbers(seed: int = 0) -> Iterator[None]:
    """Inside the block, `generator()` starts from this seed and goes on from call to call."""
    token = _generator.set(np.random.default_rng(seed))
    try:
        yield
    finally:
        _generator.reset(token)


def generator() -> np.random.Generator:
    """The generator of the surrounding `random_numbers` block; outside of one, seed 0 afresh."""
    return _generator.get() or np.random.default_rng(0)
