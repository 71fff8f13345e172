"""Which names of a program need a value."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from vjpcli.errors import Fix, Span, VjpError, fail
from vjpcli.graph.names import BARE_DTYPE_NAMES, CONSTANTS, FOREIGN_ROOTS, LIBRARY_ROOTS
from vjpcli.parser.syntax import (
    Attribute,
    Call,
    Comprehension,
    Expression,
    Lambda,
    Name,
    Program,
    postorder,
)


def free_names(program: Program, given: Collection[str] = ()) -> dict[str, Span]:
    """The names that need a value, in the order of first reading, with the place of it.

    A name in call position (`log(...)`), the root of a library path (`np.log`) and a name
    assigned earlier need none; neither does a known constant such as `pi`, unless it is among
    those `given` a value. A name that the program itself declares a leaf does: its value there
    is what it gets if none is given.

    Errors: unknown-library.
    """
    found: dict[str, Span] = {}
    assigned = {name for name, _ in program.aliases}
    for statement in program.statements:
        for name in _names_read(program, statement.value, assigned, given):
            word = name.identifier
            if word not in assigned and (word in given or word not in KNOWN_WORDS):
                found.setdefault(name.identifier, name.span)
        if not statement.declares_leaf:
            assigned.update(statement.targets)
    return found


def leaf_statements(program: Program, names: Collection[str]) -> list[int]:
    """The positions of the statements that may declare `names` leaves.

    Each gives its name its first value and reads no input and no other leaf. The last statement
    is the output, and no leaf; what is called later is a function.
    """
    found: list[int] = []
    functions = _names_called(program) if names else set()
    closed = {name for name, _ in program.aliases} | KNOWN_WORDS
    assigned = set(closed)
    for position, statement in enumerate(program.statements[:-1]):
        read = _names_read(program, statement.value, assigned, names)
        is_closed = all(name.identifier in closed for name in read) and not statement.declares_leaf
        target = statement.targets[0] if len(statement.targets) == 1 else ""
        if is_closed and target in names and target not in assigned | functions:
            found.append(position)
            is_closed = False
        assigned.update(statement.targets)
        (closed.update if is_closed else closed.difference_update)(statement.targets)
    return found


def _names_called(program: Program) -> set[str]:
    return {
        part.function.identifier
        for statement in program.statements
        for part in postorder(statement.value)
        if isinstance(part, Call) and isinstance(part.function, Name)
    }


KNOWN_WORDS = {*CONSTANTS, *BARE_DTYPE_NAMES}


def _names_read(
    program: Program, root: Expression, assigned: set[str], given: Collection[str]
) -> Iterator[Name]:
    """The names whose value an expression reads, in the order in which they are written."""
    not_read: set[int] = set()
    pending: list[tuple[Expression, frozenset[str]]] = [(root, frozenset())]
    while pending:
        part, bound = pending.pop()
        if isinstance(part, Name):
            if id(part) not in not_read and part.identifier not in bound:
                yield part
            continue
        if isinstance(part, Call):
            function = part.function
            if isinstance(function, Name):
                not_read.add(id(function))
            elif isinstance(function, Attribute) and isinstance(function.value, Name):
                name = function.value.identifier
                is_value = name in bound or name in assigned or name in given
                takes_arguments = part.arguments or part.keywords
                if name in FOREIGN_ROOTS and takes_arguments and not is_value:
                    raise _unknown_library(program, function, function.value)
        elif (
            isinstance(part, Attribute)
            and isinstance(part.value, Name)
            and part.value.identifier in LIBRARY_ROOTS
            and part.value.identifier not in given
        ):
            not_read.add(id(part.value))
        pending.extend(reversed(_scopes(part, bound)))


def _scopes(part: Expression, bound: frozenset[str]) -> list[tuple[Expression, frozenset[str]]]:
    """The children of a part, each with the names that are bound in it."""
    if isinstance(part, Lambda):
        inside = bound | set(part.parameters)
        return [*((one, bound) for one in part.defaults), (part.body, inside)]
    if isinstance(part, Comprehension):
        scopes: list[tuple[Expression, frozenset[str]]] = []
        for loop in part.loops:
            scopes.append((loop.values, bound))
            bound = bound | set(loop.targets)
            scopes += [(condition, bound) for condition in loop.conditions]
        return [(part.entry, bound), *scopes]
    return [(child, bound) for child in part.children]


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
