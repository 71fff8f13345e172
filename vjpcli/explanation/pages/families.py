"""The table of contents of the reference: sections, the families in them, and their operations.

A section is a folder of `ops/` and a family a file in it; the title of each is the beginning of
its docstring.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable

from vjpcli.explanation.pages.docstring import taken_apart
from vjpcli.explanation.pages.model import FamilyList
from vjpcli.explanation.pages.spellings import is_building_block, short_aliases
from vjpcli.graph.operation import OPERATIONS, Operation

SECTIONS = (
    "numbers", "special_functions", "reductions", "shapes", "linear_algebra", "spectra", "neural",
)  # fmt: skip
"""The order of the sections, from what a beginner meets first."""


def families() -> list[tuple[str, str]]:
    """(section, family) of every operation, in the order of the reference.

    Raises ValueError for a section without a place in that order.
    """
    declared = {(operation.section, operation.family) for operation in OPERATIONS.values()}
    return sorted(declared, key=lambda place: (SECTIONS.index(place[0]), place[1]))


def title_of(section: str, family: str = "") -> str:
    """The beginning of the docstring of a section, or of a family in it."""
    module = ".".join(filter(None, ("vjpcli.ops", section, family)))
    documentation = importlib.import_module(module).__doc__ or family
    return re.split(r":|\.(?: |$)", documentation.splitlines()[0])[0].strip()


def members(section: str, family: str) -> list[Operation]:
    """Its operations in the order of their declarations, without building blocks."""
    return [
        operation
        for operation in OPERATIONS.values()
        if (operation.section, operation.family) == (section, family)
        and not is_building_block(operation)
    ]


def public_operations() -> list[Operation]:
    """Every operation that a library offers, in the order of the reference."""
    return [operation for place in families() for operation in members(*place)]


def family_lists() -> list[FamilyList]:
    """What `vjp rule` lists."""
    lists = [
        FamilyList(title_of(section), title_of(section, family), _rows(members(section, family)))
        for section, family in families()
    ]
    return [one for one in lists if one.operations]


def _rows(operations: Iterable[Operation]) -> tuple[tuple[str, tuple[str, ...], str], ...]:
    return tuple(
        (operation.name, short_aliases(operation), taken_apart(operation.documentation).summary)
        for operation in operations
    )
