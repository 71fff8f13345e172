"""Where `vjp` and `python -m vjpcli` begin."""

import gc
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Runs the command line and exits."""
    # A run is short and makes no cycles worth collecting, but imports many modules and makes
    # up to hundreds of thousands of nodes, which the collector would visit again and again.
    gc.disable()
    from vjpcli import cli  # noqa: PLC0415  (not before the collector rests)

    cli.main()


if __name__ == "__main__":
    # `python -m` looks for modules in the current folder first, where a typer.py may lie.
    if not getattr(sys.flags, "safe_path", False):
        del sys.path[0]
    main()
