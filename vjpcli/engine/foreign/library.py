"""What the interpreter needs of another library, and the search for a function in it."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import NDArray

from vjpcli.graph.names import find_callee
from vjpcli.graph.operation import Library, Operation, make_leaf
from vjpcli.record import record

FOURIER = {"fourier", "real_transforms", "frequencies"}
"""Families whose functions are looked up in the library's fft first."""

ANY_ARRAY = make_leaf("any array", ())


class NotAvailable(Exception):  # noqa: N818  (no error of the program: a library's limits)
    """The library cannot run this program; the text says why."""


@record
class ForeignResult:
    """What the library computed, as NumPy arrays.

    Attributes:
        version: of the library.
        outputs: output name -> value.
        gradients: leaf name -> gradient.
    """

    version: str
    outputs: Mapping[str, NDArray[Any]]
    gradients: Mapping[str, NDArray[Any]]


class ForeignLibrary(ABC):
    """Functions of one library, by our names.

    Attributes:
        title: for messages.
        speaks: the library whose spelling and defaults it has.
        modules: where functions are looked up, in this order.
        keywords: our spelling of a keyword -> its own.
    """

    title: str
    speaks: Library
    modules: tuple[Any, ...]
    linalg: Any
    fft: Any
    keywords: Mapping[str, str]

    @abstractmethod
    def array(self, value: Any) -> Any:
        """A number, nested list or NumPy array as one of the library's, float64 or boolean."""

    @abstractmethod
    def is_array(self, value: Any) -> bool:
        """Whether it is one of the library's arrays."""

    @abstractmethod
    def stack(self, items: list[Any]) -> Any:
        """Arrays of one shape as one array with a new first axis."""

    @abstractmethod
    def whole(self, value: Any) -> Any:
        """The array with integer entries."""

    @abstractmethod
    def labels(self, value: Any) -> Any:
        """The array with integer entries where it is data and they are whole, else itself."""

    @abstractmethod
    def number(self, value: Any) -> float:
        """The number in an array of one entry."""

    def static(self, name: str, value: Any) -> Any:  # noqa: ARG002  (for those that override it)
        """A static argument in the values that the library takes."""
        return value

    def method(self, operation: Operation, name: str) -> Callable[..., Any] | None:  # noqa: ARG002  (as above)
        """A method of the library's arrays, for what it has no function for."""
        return None

    def function(self, operation: Operation, written: str, *, is_method: bool) -> Any:
        """The library's function for an operation.

        Names that the registry knows to mean this operation there come first. The others are
        tried as well: where they mean something else, the values will tell.

        Errors: NotAvailable.
        """
        if is_method:
            found = find_callee(written, self.speaks, receiver=ANY_ARRAY)
            method = self.method(operation, written)
            if method is not None and found is not None and found.operation is operation:
                return method
        names = [written, operation.name] if self.speaks == "torch" else [operation.name, written]
        names += [*operation.library_names.get(self.speaks, ()), *operation.aliases]
        callees = {name: find_callee(name, self.speaks) for name in dict.fromkeys(names)}
        same = [n for n, one in callees.items() if one is not None and one.operation is operation]
        for name in [*same, *(name for name in callees if name not in same)]:
            for module in self._modules(operation):
                function = _member(module, name)
                if function is not None:
                    return function
        method = self.method(operation, written)
        if method is None:
            raise NotAvailable(f"no function {written}")
        return method

    def _modules(self, operation: Operation) -> tuple[Any, ...]:
        if operation.section == "linear_algebra":
            return (self.linalg, *self.modules)
        if operation.family in FOURIER:
            return (self.fft,)
        return (*self.modules, self.linalg)


def _member(module: Any, name: str) -> Any:
    """`module.name`, where it is a function; a name may itself be dotted."""
    found = module
    for part in name.split("."):
        found = getattr(found, part, None)
    if not callable(found) or inspect.isclass(found) or inspect.ismodule(found):
        return None
    return found
