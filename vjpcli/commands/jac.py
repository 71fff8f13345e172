"""`vjp jac`: Jacobians, J.v and second derivatives, for scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vjpcli.asking import posed, settings_from, within, write
from vjpcli.errors import fail
from vjpcli.options import (
    Debug,
    DtypeName,
    Expression,
    Json,
    Like,
    MaxJacobian,
    Output,
    Quiet,
    Rng,
    Values,
    Wrt,
)
from vjpcli.record import record
from vjpcli.streams import the_streams

if TYPE_CHECKING:
    from vjpcli.explanation.problem import Problem

SUMMARY = "Print or write Jacobians, J.v or second derivatives."
EPILOG = 'Example:  vjp jac "W @ x" W:2x3=1,2,3,4,5,6 x=1,0,-1'


def jac(
    expression: Expression,
    values: Values = None,
    wrt: Wrt = None,
    tangent: Annotated[
        list[str] | None,
        typer.Option(
            "--tangent",
            metavar="NAME=VALUE",
            help="Print J.v for this direction instead; leaves without one stand still.",
        ),
    ] = None,
    hessian: Annotated[
        bool,
        typer.Option("--hessian", help="Print the second derivatives of a scalar output instead."),
    ] = False,
    json: Json = False,
    output: Output = None,
    dtype: DtypeName = "float64",
    like: Like = "torch",
    rng: Rng = 0,
    max_jacobian: MaxJacobian = 10_000_000,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Print or write the Jacobian of each leaf, shape output.shape + leaf.shape."""
    within("--max-jacobian", max_jacobian, 0, 10**9)
    from vjpcli.explanation.problem import require_leaf  # noqa: PLC0415

    settings = settings_from(dtype, like, wrt, rng, strict=True)
    if tangent and hessian:
        raise fail("option-value", "--tangent and --hessian are different questions: ask one")
    problem = posed(expression, values, None, None, settings)
    require_leaf(problem)
    if not quiet:
        the_streams().notes(problem.notes)
    answer = Answer(problem, json, output)
    if tangent:
        answer_tangent(answer, tangent)
    elif hessian:
        answer_hessian(answer, max_jacobian, quiet=quiet)
    else:
        answer_jacobian(answer, max_jacobian)


@record
class Answer:
    """Where an answer goes: to a file, or to stdout as JSON or bare numbers."""

    problem: Problem
    as_json: bool
    path: str | None

    def give(
        self, arrays: Mapping[str, Any], json_text: Callable[[], str], text: Callable[[], str]
    ) -> None:
        """Writes or prints it; only the wanted form is made."""
        if self.path is not None:
            write(self.path, arrays, json_text, self.problem)
        else:
            the_streams().answer(json_text() if self.as_json else text())


def answer_jacobian(answer: Answer, largest: int) -> None:
    """The Jacobian of every leaf."""
    from vjpcli.explanation.build import Contents, build  # noqa: PLC0415
    from vjpcli.render.json import render_json  # noqa: PLC0415
    from vjpcli.render.plain import render_jacobian  # noqa: PLC0415

    contents = Contents(
        formulas=False,
        steps=False,
        check=False,
        findings=False,
        sentences=False,
        largest_jacobian=largest,
    )
    explanation = build(answer.problem, contents)
    found = {}
    for leaf, entries in explanation.jacobian[explanation.output.name].items():
        if entries is None:
            raise fail(
                "jacobian-too-large",
                f"the Jacobian of {leaf} would have more than {largest:,} entries",
                notes=("--max-jacobian N allows more; --wrt leaves leaves out",),
            )
        found[leaf] = entries
    answer.give(found, lambda: render_json(explanation), lambda: render_jacobian(explanation))


def answer_tangent(answer: Answer, directions: Sequence[str]) -> None:
    """J . v for the directions."""
    from vjpcli.explanation.products import tangent_product  # noqa: PLC0415
    from vjpcli.render.json import render_product  # noqa: PLC0415
    from vjpcli.render.plain import render_numbers  # noqa: PLC0415

    problem = answer.problem
    product = tangent_product(problem, directions)
    name = problem.outputs[-1].name
    answer.give(
        {name: product.value},
        lambda: render_product(
            problem.program.source.text,
            problem.settings.dtype,
            name,
            product.directions,
            product.value,
        ),
        lambda: render_numbers(product.value),
    )


def answer_hessian(answer: Answer, largest: int, *, quiet: bool) -> None:
    """Second derivatives, a block for every pair of leaves, and why one is not finite."""
    from vjpcli.explanation.findings.hessian import hessian_findings  # noqa: PLC0415
    from vjpcli.explanation.products import flat_blocks, hessian  # noqa: PLC0415
    from vjpcli.render.json import render_hessian  # noqa: PLC0415
    from vjpcli.render.plain import render_blocks  # noqa: PLC0415

    problem = answer.problem
    blocks = hessian(problem, largest)
    flat = flat_blocks(blocks)
    rows = {name: problem.inputs[name.partition(",")[0]].value.size for name in flat}
    found = hessian_findings(problem, blocks)
    if not quiet:
        the_streams().notes(found)
    answer.give(
        flat,
        lambda: render_hessian(problem.program.source.text, problem.settings.dtype, blocks, found),
        lambda: render_blocks(flat, rows),
    )
