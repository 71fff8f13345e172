"""Problem -> CheckReport: the gradient, and claims about it, put before every means of checking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from vjpcli.engine.foreign import ADAPTERS, is_installed
from vjpcli.errors import Fix, Source, Span, did_you_mean, fail
from vjpcli.explanation.build import gradients_of
from vjpcli.explanation.check import total_seeds
from vjpcli.explanation.checking import METHODS, CheckReport, Claim, MethodReport, Verdict
from vjpcli.explanation.claims import claimed_arrays, judged
from vjpcli.explanation.comparing import Referee
from vjpcli.explanation.methods import report
from vjpcli.explanation.problem import Problem, pose
from vjpcli.graph.free_names import free_names
from vjpcli.parser.expression import parse
from vjpcli.parser.values import GivenValue


def verify(
    problem: Problem,
    *,
    methods: Sequence[str] | None = None,
    expected: Iterable[tuple[str, Mapping[str, GivenValue]]] = (),
    rtol: float | None = None,
) -> CheckReport:
    """The gradient of `problem` checked by `methods` (None: all that are installed).

    Where a loss implies the seed, the seed is checked as well: it is a gradient, too. `expected`
    holds claimed gradients: what was typed, and the values in it.

    Errors: check-each, no-leaves, method-name, library-missing, expect-leaf, rtol-value.
    """
    wanted = chosen_methods(methods)
    if rtol is not None and not 0 < rtol < 1:
        raise fail("rtol-value", f"--rtol lies between 0 and 1, not {rtol:g}")
    seeds = total_seeds(problem)
    if seeds is None:
        raise fail(
            "check-each",
            "--seed each stands for every row; check compares one gradient",
            notes=("give one seed, such as --seed ones or --seed row:0",),
        )
    if not problem.leaves:
        raise fail("no-leaves", "the expression has no inputs, so there is no gradient to check")
    gradients = gradients_of(problem)
    referee = Referee(problem, gradients, seeds, rtol)
    claimed = claimed_arrays(problem, expected)
    reports = [report(method, referee) for method in wanted]
    seed_problem = _seed_problem(problem)
    if seed_problem is not None:
        reports += _seed_reports(problem, seed_problem, wanted, rtol)
    claims = tuple(judged(referee, leaf, *claimed[leaf]) for leaf in claimed)
    return CheckReport(
        source=problem.program.source,
        dtype=problem.settings.dtype,
        like=problem.settings.like,
        rtol=referee.rtol,
        gradients=gradients,
        methods=tuple(reports),
        claims=claims,
        verdict=_verdict(reports, claims, problem),
        notes=problem.notes,
    )


def chosen_methods(names: Sequence[str] | None) -> tuple[str, ...]:
    """The methods to use, in their order.

    Errors: method-name, library-missing.
    """
    if not names:
        return tuple(m for m in METHODS if m not in ADAPTERS or is_installed(m))
    for name in names:
        if name not in METHODS:
            guess = did_you_mean(name, METHODS)
            raise fail(
                "method-name",
                f"--with is one of {', '.join(METHODS)}, not {name!r}",
                source=Source(name, "--with"),
                span=Span(0, len(name)),
                label=f"did you mean {guess}?" if guess else "",
                fix=Fix(guess, replaces=name) if guess else None,
            )
        if name in ADAPTERS and not is_installed(name):
            raise fail(
                "library-missing",
                f"{name} is not installed",
                source=Source(name, "--with"),
                span=Span(0, len(name)),
                notes=(
                    f"python -m pip install 'vjpcli[{name}]'",
                    "without --with, what is there is used",
                ),
            )
    return tuple(method for method in METHODS if method in names)


def _seed_problem(problem: Problem) -> Problem | None:
    """The loss as a problem of its own, whose gradients are the seeds that it implies."""
    if problem.loss is None:
        return None
    outputs = {output.name: output.value for output in problem.outputs}
    read = free_names(parse(problem.loss, "--loss"), {*problem.arrays, *outputs})
    direct = {name: array for name, array in problem.arrays.items() if name in read}
    given = {
        name: GivenValue(
            name, array.astype(np.float64), "given", "", None, Source(name, "--loss"), Span(0, 0)
        )
        for name, array in {**direct, **outputs}.items()
    }
    settings = replace(problem.settings, wrt=tuple(outputs), strict=True)
    return pose(problem.loss, given, settings=settings)


def _seed_reports(
    problem: Problem, seed_problem: Problem, methods: Sequence[str], rtol: float | None
) -> list[MethodReport]:
    seeds = total_seeds(problem)
    own = total_seeds(seed_problem)
    assert seeds is not None
    assert own is not None
    referee = Referee(seed_problem, seeds, own, rtol)
    return [replace(report(method, referee), about="the seed") for method in methods]


def _verdict(reports: Sequence[MethodReport], claims: Sequence[Claim], problem: Problem) -> Verdict:
    """Disagreement weighs most; then what nobody confirms."""
    if any(one.verdict == "disagrees" for one in reports):
        return "disagrees"
    if not all(claim.agrees for claim in claims):
        return "disagrees"
    confirmed = {
        leaf.leaf
        for one in reports
        for leaf in one.leaves
        if not one.about and leaf.verdict == "agrees" and not leaf.not_finite + leaf.uncertain
    }
    return "agrees" if confirmed.issuperset(problem.leaves) else "undecided"


def exit_code(found: CheckReport) -> int:
    """0 where the gradient was found right, or nothing could be compared; 1 otherwise.

    A gradient that is not finite is not found right: nan equal to nan is no agreement.
    """
    if found.verdict == "disagrees":
        return 1
    finite = all(np.isfinite(gradient).all() for gradient in found.gradients.values())
    return 0 if found.verdict == "agrees" or finite else 1
