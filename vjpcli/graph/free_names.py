"""Which names of a program need a value."""

from __future__ import annotations

from vjpcli.errors import Fix, Span, VjpError, fail
from vjpcli.graph.names import BARE_DTYPE_NAMES, CONSTANTS, FOREIGN_ROOTS, LIBRARY_ROOTS
from vjpcli.parser.syntax import Attribute, Call, Name, Program, postorder
from vjpcli.parser.walk import parents_first


def free_names(program: Program) -> dict[str, Span]:
    """The names that need a value, in the order of first reading, with the place of it.

    A name in call position (`log(...)`), the root of a library path (`np.log`) and a name
    assigned earlier need none; neither does a known constant such as `pi`.

    Errors: unknown-library.
    """
    found: dict[str, Span] = {}
    assigned: set[str] = set()
    for statement in program.statements:
        not_read: set[int] = set()
        prefixes: dict[int, Attribute] = {}
        for part in parents_first(statement.value):
            if isinstance(part, Call) and isinstance(part.function, Attribute):
                prefixes[id(part.function.value)] = part.function
            if isinstance(part, Call) and isinstance(part.function, Name):
                not_read.add(id(part.function))
            elif (
                isinstance(part, Attribute)
                and isinstance(part.value, Name)
                and part.value.identifier in LIBRARY_ROOTS
            ):
                not_read.add(id(part.value))
        for part in postorder(statement.value):
            if isinstance(part, Name) and id(part) not in not_read:
                name = part.identifier
                if id(part) in prefixes and name in FOREIGN_ROOTS and name not in assigned:
                    raise _unknown_library(program, prefixes[id(part)], part)
                known = name in assigned or name in CONSTANTS or name in BARE_DTYPE_NAMES
                if not known:
                    found.setdefault(name, part.span)
        assigned.update(statement.targets)
    return found


def _unknown_library(program: Program, function: Attribute, root: Name) -> VjpError:
    text = program.source.text
    bare = text[: root.span.start] + text[function.attribute_span.start :]
    return fail(
        "unknown-library",
        f"`{root.identifier}.` is no prefix here: np., torch., F. and jnp. are",
        source=program.source,
        span=root.span,
        fix=Fix(bare, replaces=text, says="with the name alone"),
    )
