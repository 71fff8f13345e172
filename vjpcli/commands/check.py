"""`vjp check`: gradients, or a claim about them, compared with other means."""

from __future__ import annotations

from typing import Annotated

import typer

from vjpcli.asking import posed, screen_streams, settings_from, within
from vjpcli.options import (
    Ascii,
    ColorWhen,
    Debug,
    Digits,
    DtypeName,
    Expression,
    Json,
    Like,
    Loss,
    Quiet,
    Rng,
    Seeds,
    Values,
    Width,
    Wrt,
)

SUMMARY = "Check a gradient by means that use no rule."
EPILOG = (
    'Example:  vjp check "3*a+2*b*b" a=1,2,3 b=3,4,5 --seed 0.1,1,0.0001 --expect b=1.2,16,0.002'
)


def check(
    expression: Expression,
    values: Values = None,
    seed: Seeds = None,
    loss: Loss = None,
    wrt: Wrt = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(
            "--expect",
            metavar="NAME=VALUE",
            help="A gradient to compare: b=1.2,16,0.002 or @mine.npz. Given several times: each.",
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="METHOD",
            help="differences, complex-step, sympy, torch, jax or autograd, or several of them "
            "with commas. Without it: all that are installed.",
        ),
    ] = None,
    rtol: Annotated[
        float | None,
        typer.Option(
            "--rtol",
            metavar="R",
            help="Relative error up to which numbers agree: 1e-5, for float32 2e-3.",
        ),
    ] = None,
    json: Json = False,
    dtype: DtypeName = "float64",
    like: Like = "torch",
    rng: Rng = 0,
    digits: Digits = 6,
    width: Width = None,
    ascii_only: Ascii = False,
    color: ColorWhen = "auto",
    quiet: Quiet = False,
    debug: Debug = False,
) -> int:
    """Check the gradients, or a claim about them, by means that do not use the rules."""
    from vjpcli.explanation.verify import exit_code, verify  # noqa: PLC0415
    from vjpcli.parser.values import parse_values  # noqa: PLC0415
    from vjpcli.render.check import render_check, render_check_json  # noqa: PLC0415

    within("--digits", digits, 1, 17)
    streams = screen_streams(color, ascii_only, width)
    settings = settings_from(dtype, like, wrt, rng, strict=True, needs_seed=True)
    problem = posed(expression, values, seed, loss, settings)
    claims = [(text, parse_values([text])) for text in expect or []]
    methods = [name.strip() for text in method or [] for name in text.split(",")]
    found = verify(problem, methods=methods, expected=claims, rtol=rtol)
    if not quiet:
        streams.notes(found.notes)
    if json:
        streams.answer(render_check_json(found))
    else:
        streams.answer(
            render_check(
                found,
                width=streams.width(width),
                digits=digits,
                ascii_only=streams.ascii_only,
                colour=streams.colour,
            )
        )
    return exit_code(found)
