"""Arguments and options that several commands share, each written once."""

from __future__ import annotations

from typing import Annotated

import typer

Expression = Annotated[
    str,
    typer.Argument(
        metavar="EXPRESSION",
        help='A program such as "3*a + log(c)"; statements are separated by ; or new lines; '
        "@script.py reads it from a file, - from stdin.",
        show_default=False,
    ),
]
Values = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME=VALUE]...",
        help="a=1,2,3  W:2x3=1,2,3,4,5,6  W=[[1,2],[3,4]]  x=@x.npy  x=@w.npz:name  x=@t.csv  "
        "x=-  @all.npz  x=linspace(0,1,5)",
        show_default=False,
    ),
]
Seeds = Annotated[
    list[str] | None,
    typer.Option(
        "--seed",
        metavar="SEED",
        help="One weight per output entry: 0.1,1,0.0001  ones  row:0  each  @seed.npy  y=1,2. "
        "Given several times: one backward pass each, gradients accumulate.",
    ),
]
Loss = Annotated[
    str | None,
    typer.Option(
        "--loss",
        metavar="EXPRESSION",
        help='Derive the seed from a later loss: --loss "sum(y**2)".',
    ),
]
Wrt = Annotated[
    str | None,
    typer.Option(
        "--wrt", metavar="NAMES", help="Leaves, separated by commas; the other inputs are data."
    ),
]
DtypeName = Annotated[str, typer.Option("--dtype", metavar="DTYPE", help="float64 or float32.")]
Like = Annotated[
    str,
    typer.Option(
        "--like",
        metavar="ENGINE",
        help="Whose convention holds at kinks and ties: torch, jax or autograd.",
    ),
]
Rng = Annotated[
    int, typer.Option("--rng", metavar="N", help="Seed of the random numbers in randn and rand.")
]
Strict = Annotated[
    bool, typer.Option("--strict", help="A missing value is an error: no stand-ins.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notes on stderr.")]
FailOn = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        metavar="GROUPS",
        help="Exit with 1 when something of the kind is found, separated by commas: nan, inf, "
        "kink, zero, broadcast, check, any.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON (schema vjp/1).")]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write to FILE (.npz, .npy, .json, .csv) instead of stdout.",
    ),
]
Debug = Annotated[
    bool, typer.Option("--debug", help="Show the Python traceback of an internal error.")
]
ColorWhen = Annotated[
    str, typer.Option("--color", metavar="WHEN", help="Colour: auto, always or never.")
]
Ascii = Annotated[bool, typer.Option("--ascii", help="Draw with ASCII characters only.")]
MaxJacobian = Annotated[
    int,
    typer.Option("--max-jacobian", metavar="N", help="Largest Jacobian of a leaf, in entries."),
]
Width = Annotated[
    int | None, typer.Option("--width", metavar="COLUMNS", help="Width of the screen.")
]
Digits = Annotated[int, typer.Option("--digits", metavar="N", help="Significant digits, 1 to 17.")]
