"""Facts that a declaration states beside its rule: where it is tried, refusals, kinks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any

from vjpcli.record import record


@record
class Domain:
    """Where an operand may lie: the open interval its test samples are drawn from."""

    name: str
    low: float
    high: float


real = Domain("real", -2.5, 2.5)
positive = Domain("positive", 0.2, 3.0)
nonzero = Domain("nonzero", 0.3, 2.5)
unit = Domain("(-1, 1)", -0.9, 0.9)
above_one = Domain("above 1", 1.1, 3.0)
probability = Domain("(0, 1)", 0.05, 0.95)


@record
class Sample:
    """One way to call an operation in the tests that are derived from its declaration.

    Attributes:
        operands: a tuple is a shape, filled at random from the operand's domain; a list, a
            number or an array is taken as it stands (a list nested for higher ranks).
        static: keyword arguments.
    """

    operands: tuple[Any, ...]
    static: Mapping[str, Any]


def sample(*operands: Any, **static: Any) -> Sample:
    """A Sample in one call: `sample((2, 3), axis=0)`."""
    return Sample(operands, static)


@record
class Refusal:
    """A call that must be refused with a Diagnostic of the given code."""

    sample: Sample
    code: str


@record
class Kink:
    """A place where the function has no derivative, and what is done there.

    Attributes:
        place: the condition in words and code: "x == 0".
        at: (y, *operands, **static) as arrays -> boolean mask of y's shape: was it hit?
        point: operands (numbers or nested lists) at whose first entry the kink is hit.
        static: keyword arguments that belong to the point.
        operand: position of the operand whose slope is meant.
        entry: flat position of the output's entry whose slope is meant.
        slopes: the interval of slopes that is mathematically right (left and right limits).
        used: the slope used here, which is PyTorch's.
        others: what other engines use where it differs: {"jax": 1}.
        says: a remark for the reader, or "".
        tells: what the finding adds where it was hit, or "".
        varies: (**static) -> the fields above that other static arguments change; those above
            hold for the defaults. A slope of leaky_relu is one of its arguments.
    """

    place: str
    at: Callable[..., Any]
    slopes: tuple[float, float]
    used: float
    point: tuple[Any, ...] = ()
    operand: int = 0
    static: Mapping[str, Any] = field(default_factory=dict)
    entry: int = 0
    others: Mapping[str, float] = field(default_factory=dict)
    says: str = ""
    tells: str = ""
    varies: Callable[..., Mapping[str, Any]] | None = None

    def under(self, static: Mapping[str, Any]) -> Kink:
        """The kink as it is under these static arguments."""
        return self if self.varies is None else replace(self, **self.varies(**static))


@record
class Elsewhere:
    """A place where another engine fails although there is a gradient; no slope says that.

    Attributes:
        engine: "torch", "jax" or "autograd".
        does: what it does there, as the end of a sentence: 'raises "Singular matrix"'.
        place: the condition in words: "a is singular".
        at: (y, *operands, **static) as arrays -> is it so, somewhere?
        point: operands at which it is so.
        static: keyword arguments that belong to the point.
    """

    engine: str
    does: str
    place: str
    at: Callable[..., Any]
    point: tuple[Any, ...] = ()
    static: Mapping[str, Any] = field(default_factory=dict)
