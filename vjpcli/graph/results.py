"""Results: what a call gives that returns several arrays, such as `sort(x)` or `split(x, 2)`."""

from __future__ import annotations

from vjpcli.errors import fail
from vjpcli.graph.node import Node


class Results(tuple[Node, ...]):
    """Several nodes, by position and, where the operation names them, by name.

    Used as one array, those with names stand for their default, the first entry unless the
    operation says otherwise (`max(x, dim=1)` means the values, `slogdet(A)` means log|det A|).
    Those without, the parts of `split(x, 2)`, are a list, and are stacked as `[a, b]` is.
    """

    names: tuple[str, ...] = ()
    default_position: int = 0

    @staticmethod
    def of(nodes: tuple[Node, ...], names: tuple[str, ...] = (), default: int = 0) -> Results:
        """Results with names; fewer names than nodes is fine."""
        results = Results(nodes)
        results.names = names
        results.default_position = default
        return results

    @property
    def are_parts(self) -> bool:
        """Whether none of them is meant where a single array is needed: all are."""
        return bool(self) and not self.names

    def named(self, name: str) -> Node:
        """The result called `name`, which must be one of `names`."""
        return self[self.names.index(name)]

    @property
    def default(self) -> Node:
        """The one that is meant where a single array is needed.

        Errors: not-a-number, where an empty axis was taken apart into nothing.
        """
        if not self:
            raise fail("not-a-number", "this gives no arrays at all: the axis has length 0")
        return self[self.default_position]
