"""Frozen data at a quarter of the price: `@record` for `@dataclass(frozen=True, slots=True)`.

A frozen dataclass has five methods written and compiled for it each time the program starts.
A record has only its `__init__` made; the other methods are the same for all of them.
Still dataclasses underneath: `dataclasses.replace` and `fields` work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, fields
from functools import partial
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")


@overload
def record(cls: type[T], /) -> type[T]: ...


@overload
def record(*, eq: bool) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True)
def record(cls: Any = None, /, *, eq: bool = True) -> Any:
    """Fields in slots, set once; records are equal if their fields are.

    With `eq=False`, as for fields that hold arrays, a record is equal to itself only.
    """
    if cls is None:
        return partial(record, eq=eq)
    cls.__setattr__ = _set_once
    cls.__delattr__ = _refuse
    if eq:
        cls.__eq__ = _equal
        cls.__hash__ = _hash
    return bulk_record(cls)


@dataclass_transform(frozen_default=True, eq_default=False)
def bulk_record(cls: type[T]) -> type[T]:
    """A record made by the hundred thousand: equal to itself only, and kept by the type checker.

    Looking at each field before it is set takes twice the time of setting it.
    """
    shown: Any = cls
    shown.__repr__ = _text
    return dataclass(slots=True, eq=False, repr=False, match_args=False)(cls)


def _set_once(self: object, name: str, value: Any) -> None:
    if hasattr(self, name):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _refuse(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r} of {self}")


def _values(record: Any) -> tuple[Any, ...]:
    return tuple(getattr(record, field.name) for field in fields(record))


def _equal(self: Any, other: object) -> bool:
    return type(other) is type(self) and _values(self) == _values(other)


def _hash(self: Any) -> int:
    return hash(_values(self))


def _text(self: Any) -> str:
    shown = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields(self))
    return f"{type(self).__qualname__}({shown})"
