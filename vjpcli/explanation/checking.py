"""CheckReport: what `vjp check` found, as plain data; renderers only format it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from numpy.typing import NDArray

from vjpcli.errors import Diagnostic, Source
from vjpcli.record import record

Array = NDArray[Any]

Verdict = Literal["agrees", "disagrees", "undecided"]

METHODS = ("differences", "complex-step", "sympy", "torch", "jax", "autograd")
"""The means of checking, in the order in which they are tried and shown."""


@record
class LeafComparison:
    """One leaf's gradient compared by one method.

    Attributes:
        leaf: its name.
        verdict: "undecided" where not a single entry could be compared.
        compared: entries whose numbers were found equal or different, kinks included.
        agreeing: those that agree (a slope of the valid interval of a kink agrees).
        at_kinks: those that stand at a kink or jump.
        by_convention: those at a kink where the method takes another slope, also a valid one.
        rounding: those that differ by what float32 rounding explains.
        overruled: those where the method is off by itself: difference quotients confirm the
            gradient.
        not_finite: entries where both numbers are nan or infinite: not compared.
        uncertain: entries where the method is too inexact to tell.
        index: the worst entry; None for one number along a direction.
        got: the gradient at the worst entry.
        expected: what the method says there.
        relative_error: |got - expected| over the larger of the two, at the worst entry; of small
            numbers that agree over a thousandth of the largest adjoint.
        says: remarks, such as which one-sided slope was used at a kink.
    """

    leaf: str
    verdict: Verdict
    compared: int = 0
    agreeing: int = 0
    at_kinks: int = 0
    by_convention: int = 0
    rounding: int = 0
    overruled: int = 0
    not_finite: int = 0
    uncertain: int = 0
    index: tuple[int, ...] | None = None
    got: float | None = None
    expected: float | None = None
    relative_error: float | None = None
    says: tuple[str, ...] = ()


@record
class MethodReport:
    """What one method says of every leaf.

    Attributes:
        method: one of METHODS.
        title: the same in words: "central differences", "PyTorch 2.13.0".
        verdict: over its leaves; None where the method was not available.
        reason: why it was not available, or "".
        leaves: one comparison each, in leaf order.
        evaluations: runs of the forward graph, 0 where it does not run it.
        about: what is compared: "" for the gradient, else the seed that a loss implies.
    """

    method: str
    title: str
    verdict: Verdict | None
    reason: str = ""
    leaves: tuple[LeafComparison, ...] = ()
    evaluations: int = 0
    about: str = ""


@record
class Claim:
    """A gradient from elsewhere (`--expect`) compared with the gradient.

    Attributes:
        leaf: the leaf it claims to be the gradient of.
        origin: what was typed.
        agrees: whether it has the shape and the numbers of the gradient.
        shape: its shape.
        wanted_shape: the leaf's.
        hints: what would make it right: "yours is 2 times the gradient".
        wrong: entries that differ.
        not_finite: entries where both are nan or infinite, which is no agreement.
        index, got, expected: the worst entry: the gradient there and the claimed number.
        relative_error: at the worst entry.
    """

    leaf: str
    origin: str
    agrees: bool
    shape: tuple[int, ...]
    wanted_shape: tuple[int, ...]
    hints: tuple[str, ...] = ()
    wrong: int = 0
    not_finite: int = 0
    index: tuple[int, ...] | None = None
    got: float | None = None
    expected: float | None = None
    relative_error: float | None = None


@record
class CheckReport:
    """A gradient checked by means that do not use the rules.

    Attributes:
        source: the program's text.
        dtype: in which the gradient was computed.
        like: whose convention holds at kinks.
        rtol: relative error up to which two numbers agree.
        gradients: leaf -> gradient.
        methods: what each method says.
        claims: what was given by `--expect`.
        verdict: "disagrees" if any method or claim does; "undecided" when some leaf has entries
            that no method confirms (nan, or nothing available); else "agrees".
        notes: what was chosen for the user on the way.
    """

    source: Source
    dtype: str
    like: str
    rtol: float
    gradients: Mapping[str, Array]
    methods: tuple[MethodReport, ...]
    claims: tuple[Claim, ...]
    verdict: Verdict
    notes: tuple[Diagnostic, ...] = ()
