"""The random numbers behind randn and rand: reproducible, and chosen by `--rng`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np

_source: ContextVar[RandomSource | None] = ContextVar("_source", default=None)


@dataclass(slots=True)
class RandomSource:
    """A generator that is made when the first number is drawn.

    Most programs draw none, and importing `numpy.random` takes longer than they do.
    """

    seed: int
    generator: np.random.Generator | None = None

    def drawn_from(self) -> np.random.Generator:
        """The generator, always the same one."""
        if self.generator is None:
            self.generator = np.random.default_rng(self.seed)
        return self.generator


@contextmanager
def random_numbers(seed: int = 0) -> Iterator[None]:
    """Inside the block, `generator()` starts from this seed and goes on from call to call."""
    token = _source.set(RandomSource(seed))
    try:
        yield
    finally:
        _source.reset(token)


def generator() -> np.random.Generator:
    """The generator of the surrounding `random_numbers` block; outside of one, seed 0 afresh."""
    return (_source.get() or RandomSource(0)).drawn_from()
