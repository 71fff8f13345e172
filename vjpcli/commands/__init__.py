"""The commands, a module each.

A module holds a function of its name, its SUMMARY, and the EPILOG that stands below its help.
Every module in this folder is a command; none is listed. Only the one that was typed is loaded.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer


def names() -> list[str]:
    """Every command, in the order of the alphabet."""
    return sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))


def command_line(wanted: Iterable[str] | None = None) -> Any:
    """typer's form of the program with these commands, or with all."""
    app = typer.Typer(
        name="vjp",
        help=(
            "Explain gradients: the Jacobian, the seed that weights its rows, and the gradient "
            "that reaches each leaf, side by side."
        ),
        epilog='Begin with:  vjp explain "3*a+2*b*b+log(c)" --seed 0.1,1,0.0001',
        rich_markup_mode=None,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        callback=_apart,
    )
    for name in names() if wanted is None else wanted:
        module = import_module(f"{__name__}.{name}")
        app.command(name, short_help=module.SUMMARY, epilog=module.EPILOG)(getattr(module, name))
    return typer.main.get_command(app)


def _apart(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Keeps commands apart from their arguments, even where there is a single one."""
