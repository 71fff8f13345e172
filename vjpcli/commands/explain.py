"""`vjp explain`: the Jacobian, the seed and every gradient, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vjpcli.asking import explained, one_of, screen_streams, settings_from, within
from vjpcli.errors import fail
from vjpcli.options import (
    Ascii,
    ColorWhen,
    Debug,
    Digits,
    DtypeName,
    Expression,
    FailOn,
    Json,
    Like,
    Loss,
    MaxJacobian,
    Rng,
    Seeds,
    Strict,
    Values,
    Width,
    Wrt,
)

if TYPE_CHECKING:
    from vjpcli.explanation.model import Explanation

SUMMARY = "Show Jacobian, seed and gradients side by side, explained."
EPILOG = 'Example:  vjp explain "3*a+2*b*b+log(c)" --seed 0.1,1,0.0001'


def explain(
    expression: Expression,
    values: Values = None,
    seed: Seeds = None,
    loss: Loss = None,
    wrt: Wrt = None,
    steps: Annotated[bool, typer.Option("--steps", help="The backward pass, op by op.")] = False,
    graph: Annotated[
        bool, typer.Option("--graph", help="The graph with value, adjoint and slopes.")
    ] = False,
    dot: Annotated[
        bool, typer.Option("--dot", help="Print the graph in DOT, for Graphviz, instead.")
    ] = False,
    jacobian: Annotated[
        str, typer.Option("--jacobian", metavar="FORM", help="auto, full or compact.")
    ] = "auto",
    json: Json = False,
    dtype: DtypeName = "float64",
    like: Like = "torch",
    rng: Rng = 0,
    strict: Strict = False,
    digits: Digits = 4,
    width: Width = None,
    ascii_only: Ascii = False,
    color: ColorWhen = "auto",
    no_formulas: Annotated[
        bool, typer.Option("--no-formulas", help="Leave the formulas out (saves loading SymPy).")
    ] = False,
    no_check: Annotated[
        bool, typer.Option("--no-check", help="Leave out the check by difference quotients.")
    ] = False,
    max_jacobian: MaxJacobian = 1_000_000,
    fail_on: FailOn = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Findings only: no screen, no notes on stderr.")
    ] = False,
    debug: Debug = False,
) -> int:
    """Show the Jacobian, the seed and every gradient side by side, and what they mean."""
    from vjpcli.explanation.build import Contents  # noqa: PLC0415

    failing = groups_from(fail_on or [])
    if "check" in failing and no_check:
        raise fail("option-value", "--fail-on check needs the check that --no-check leaves out")

    if dot and (json or quiet):
        other = "--json" if json else "--quiet"
        raise fail("option-value", f"--dot and {other} print different things: ask for one")
    one_of("--jacobian", jacobian, ("auto", "full", "compact"))
    within("--digits", digits, 1, 17)
    within("--max-jacobian", max_jacobian, 0, 10**9)
    streams = screen_streams(color, ascii_only, width)
    contents = Contents(formulas=not no_formulas, check=not no_check, largest_jacobian=max_jacobian)
    _, explanation = explained(
        expression, values, seed, loss, settings_from(dtype, like, wrt, rng, strict), contents
    )
    notes = [one for one in explanation.diagnostics if one.code == "stand-in"]
    if not quiet:
        streams.notes(notes)
    shown: dict[str, Any] = {
        "width": streams.width(width),
        "digits": digits,
        "ascii_only": streams.ascii_only,
        "colour": streams.colour,
    }
    if json:
        from vjpcli.render.json import render_json  # noqa: PLC0415

        streams.answer(render_json(explanation))
    elif dot:
        from vjpcli.render.dot import render_dot  # noqa: PLC0415
        from vjpcli.render.graph import why_no_steps  # noqa: PLC0415

        if not explanation.steps:
            raise fail("too-large", f"there is no graph to print: {why_no_steps(explanation)}")
        streams.answer(render_dot(explanation, digits=digits, ascii_only=streams.ascii_only))
    elif quiet:
        from vjpcli.render.findings import render_findings  # noqa: PLC0415

        found = render_findings(explanation, **shown)
        if found:
            streams.answer(found)
    else:
        from vjpcli.render.text import render_explanation  # noqa: PLC0415

        shown |= {"jacobian": jacobian, "show_steps": steps, "show_graph": graph}
        streams.answer(render_explanation(explanation, **shown))
    return failed(explanation, failing)


def groups_from(texts: Sequence[str]) -> frozenset[str]:
    """The groups of findings that `--fail-on` names.

    Errors: option-value.
    """
    from vjpcli.explanation.findings.groups import GROUPS  # noqa: PLC0415

    names = [name.strip() for text in texts for name in text.split(",")]
    return frozenset(one_of("--fail-on", name, GROUPS) for name in names)


def failed(explanation: Explanation, groups: frozenset[str]) -> int:
    """1 when something was found of the groups that were asked to fail, else 0."""
    from vjpcli.explanation.findings.groups import groups_present  # noqa: PLC0415

    return 1 if groups and groups & groups_present(explanation) else 0
