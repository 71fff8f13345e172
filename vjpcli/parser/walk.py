"""Ways through a syntax tree that cost no recursion, for those who give it a meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from vjpcli.parser.syntax import Attribute, Call, Expression, Name, postorder

Done = dict[int, Any]
"""id of a part -> what it came to."""


def parents_first(root: Expression) -> Iterator[Expression]:
    """Every part of `root`, parents before children."""
    pending = [root]
    while pending:
        part = pending.pop()
        yield part
        pending.extend(part.children)


def meaning(
    root: Expression,
    handlers: Mapping[type, Callable[[Any, Done], Any]],
    called_name: Callable[[Name], Any],
    read_attribute: Callable[[Attribute, Any], Any] | None = None,
) -> Any:
    """What `root` comes to when each part is handled after its children.

    A handler gets the part and what its children came to. A bare name that is called (`log` in
    `log(c)`) is no value, so it goes to `called_name` instead. What an attribute comes to that is
    not called (`x.size`) goes through `read_attribute`.
    """
    done: Done = {}
    called = {id(part.function) for part in parents_first(root) if isinstance(part, Call)}
    for part in postorder(root, evaluated=True):
        if id(part) in called and isinstance(part, Name):
            done[id(part)] = called_name(part)
        else:
            found = handlers[type(part)](part, done)
            if read_attribute and isinstance(part, Attribute) and id(part) not in called:
                found = read_attribute(part, found)
            done[id(part)] = found
    return done[id(root)]
