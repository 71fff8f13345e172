"""Values of a program that are no arrays: its own functions, and some that Python has built in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vjpcli.parser.syntax import Lambda
from vjpcli.record import record


@record(eq=False)
class Function:
    """A lambda, with the values of the names around it.

    Attributes:
        syntax: parameters and body.
        defaults: values of the last parameters.
        local: what the parameters of the functions around it mean.
    """

    syntax: Lambda
    defaults: tuple[Any, ...]
    local: Mapping[str, Any]


@record
class BuiltIn:
    """`range` and the like: Python's own functions that give the values of a loop."""

    name: str


BUILT_IN = ("range", "enumerate", "zip", "reversed")


class Comprehended(list[Any]):
    """The entries of a comprehension, or the parts of an array: Python's `sum` adds them up."""


@record(eq=False)
class Frozen:
    """`scipy.stats.norm(0, 1)`, or its `logpdf`: what is called gets these arguments last.

    Attributes:
        function: the distribution, a LibraryName; or its function, a Callee.
        arguments: what was given by position.
        keywords: what was given by name.
    """

    function: Any
    arguments: tuple[Any, ...]
    keywords: tuple[Any, ...]


@record(eq=False)
class Mapped:
    """`vmap(f)`: a function of each entry along some axes."""

    function: Any
    axes: Any
