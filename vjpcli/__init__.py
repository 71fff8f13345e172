"""vjp explains gradients: the Jacobian, the seed that weights its rows, each leaf's gradient.

The library is the command line's peer: `explain` returns as data what `vjp explain` prints.

    >>> from vjpcli import explain
    >>> explanation = explain("3*a + 2*b*b", {"a": [1, 2], "b": [3, 4]}, seed=[0.1, 1])
    >>> explanation.gradients["b"].tolist()
    [1.2000000000000002, 16.0]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vjpcli.api import check, explain, grad, hessian, jac, to_json, to_text
    from vjpcli.errors import Diagnostic, VjpError
    from vjpcli.explanation.checking import CheckReport
    from vjpcli.explanation.model import Explanation

__version__ = "0.1.0"

__all__ = [
    "CheckReport",
    "Diagnostic",
    "Explanation",
    "VjpError",
    "__version__",
    "check",
    "explain",
    "grad",
    "hessian",
    "jac",
    "to_json",
    "to_text",
]

_HOMES = {
    "CheckReport": "vjpcli.explanation.checking",
    "Diagnostic": "vjpcli.errors",
    "Explanation": "vjpcli.explanation.model",
    "VjpError": "vjpcli.errors",
}
"""Where names live that are not in `vjpcli.api`."""


def __getattr__(name: str) -> Any:
    """The public names, imported when first used: the command line needs few of them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    value = getattr(import_module(_HOMES.get(name, "vjpcli.api")), name)
    globals()[name] = value
    return value
