"""Other libraries as a second opinion: the user's own program, run and differentiated by them.

PyTorch, JAX and autograd are optional. They are found without importing them, and imported only
when one is asked to compute. Only functions that the registry knows are ever looked up in them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from numpy.typing import NDArray

from vjpcli.engine.foreign.library import ForeignResult, NotAvailable
from vjpcli.graph.operation import Library
from vjpcli.parser.syntax import Program

__all__ = ["ADAPTERS", "ForeignResult", "NotAvailable", "foreign_gradients", "is_installed"]

ADAPTERS = {"torch": "pytorch", "jax": "jax_numpy", "autograd": "autograd_numpy"}
"""Library -> the module of this folder that adapts it."""


def is_installed(library: str) -> bool:
    """Whether `import library` would find it; nothing is imported."""
    return find_spec(library) is not None


def foreign_gradients(
    library: str,
    program: Program,
    values: Mapping[str, NDArray[Any]],
    leaves: tuple[str, ...],
    seeds: Mapping[str, NDArray[Any]],
    output_name: str,
    bare_names: Library = "torch",
) -> ForeignResult:
    """Outputs and gradients of `program` in float64, by `library`'s own backward.

    `seeds` maps outputs to their seeds; `output_name` is what the value of the last statement is
    called. `bare_names` is the library whose meaning names without a prefix take.

    Errors: NotAvailable, where the library has no such function or does not take these
    arguments.
    """
    module = import_module(f"{__name__}.{ADAPTERS[library]}")
    compute: Callable[..., ForeignResult] = module.gradients
    try:
        return compute(program, values, leaves, seeds, output_name, bare_names)
    except NotAvailable:
        raise
    except Exception as error:  # whatever another library raises is a matter of that library
        raise NotAvailable(f"{type(error).__name__}: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), "no message")
