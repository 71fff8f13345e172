"""vjp explains gradients: the Jacobian, the seed that weights its rows, each leaf's gradient.

The library is the command line's peer: `explain` returns as data what `vjp explain` prints.

    >>> from vjpcli import explain
    >>> explanation = explain("3*a + 2*b*b", {"a": [1, 2], "b": [3, 4]}, seed=[0.1, 1])
    >>> explanation.gradients["b"].tolist()
    [1.2000000000000002, 16.0]
"""

from vjpcli.api import check, explain, grad, jac, to_json, to_text
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
    "jac",
    "to_json",
    "to_text",
]
