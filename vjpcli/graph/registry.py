"""The registry of operations: every declaration by its name, found when it is first asked for.

A program uses a handful of the several hundred operations, and importing all their files takes
longer than differentiating it. So the registry knows from an index which file declares a name,
and loads that one. The index is only a short cut: what it does not know is looked for in every
file, and a test holds it against the declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vjpcli.graph.operation import Operation


@dataclass
class Index:
    """Where names lead, without loading what they name.

    Attributes:
        files: operation name -> the file that declares it, after its folder: `numbers.elementary`.
        functions: library -> spelling -> operation name.
        methods: library -> spelling after a dot -> operation name, where it differs.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    functions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    methods: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


class Registry(Mapping[str, "Operation"]):
    """Operation name -> Operation. Looking one up loads its file; iterating loads all.

    Attributes:
        index: which file declares what; may be incomplete.
        load_file: imports one file of operations by its name.
        load_every_file: imports them all.
        on_complex: (operation, operands, static) -> what it makes of complex operands.
    """

    def __init__(self) -> None:
        self._declared: dict[str, Operation] = {}
        self._is_complete = False
        self._full_index: Index | None = None
        self.index = Index()
        self.load_file: Callable[[str], object] = lambda _: None
        self.load_every_file: Callable[[], object] = lambda: None
        self.on_complex: Callable[..., Any] = lambda *_: None

    def declare(self, operation: Operation) -> None:
        """Adds an operation.

        Raises ValueError when its name is taken.
        """
        if operation.name in self._declared:
            raise ValueError(f"declared twice: {operation.name}")
        self._declared[operation.name] = operation
        self._full_index = None

    def __getitem__(self, name: str) -> Operation:
        if name not in self._declared and name in self.index.files:
            self.load_file(self.index.files[name])
        if name not in self._declared:
            self.complete()
        return self._declared[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.complete())

    def __len__(self) -> int:
        return len(self.complete())

    def complete(self) -> dict[str, Operation]:
        """Every declaration, by file and then in the order of each file."""
        if not self._is_complete:
            self.load_every_file()
            by_file = sorted(self._declared.values(), key=lambda one: (one.section, one.family))
            self._declared = {operation.name: operation for operation in by_file}
            self._is_complete = True
        return self._declared

    def meaning(self, spelling: str, library: str, *, method: bool = False) -> str | None:
        """The name of the operation that `library` calls by this spelling, or None.

        A method has its own meaning where one is declared, else the function's.
        """
        index = self.index
        if spelling not in index.functions.get(library, ()):
            index = self.full_index()
        if method and (found := index.methods.get(library, {}).get(spelling)):
            return found
        return index.functions.get(library, {}).get(spelling)

    def full_index(self) -> Index:
        """The index as the declarations give it.

        An operation's own name comes before other operations' aliases, and a name that a
        library gives a meaning of its own before both.
        """
        operations = self.complete().values()
        if self._full_index is None:
            self._full_index = _index_of(operations)
        return self._full_index


def _index_of(operations: Collection[Operation]) -> Index:
    libraries = ("torch", "numpy", "jax")
    own = {operation.name: operation.name for operation in operations}
    aliases = {alias: one.name for one in operations for alias in one.aliases}
    return Index(
        files={one.name: f"{one.section}.{one.family}" for one in operations},
        functions={
            library: {
                **aliases,
                **own,
                **{s: one.name for one in operations for s in one.library_names.get(library, ())},
            }
            for library in libraries
        },
        methods={
            library: {s: one.name for one in operations for s in one.method_names.get(library, ())}
            for library in libraries
        },
    )
