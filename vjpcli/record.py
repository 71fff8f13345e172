"""Frozen data at a quarter of the price: `@record` for `@dataclass(frozen=True, slots=True)`.

A frozen dataclass has five methods written and compiled for it each time the program starts.
A record has only its `__init__` made; what keeps it from changing is the same for all of them.
Still dataclasses underneath: `dataclasses.replace` and `fields` work.
"""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, fields
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, eq_default=False)
def record(cls: type[T]) -> type[T]:
    """Fields in slots, set once; a record is equal to itself only."""
    vars_of_class: Any = cls
    vars_of_class.__setattr__ = _set_once
    vars_of_class.__delattr__ = _refuse
    return bulk_record(cls)


@dataclass_transform(frozen_default=True, eq_default=False)
def bulk_record(cls: type[T]) -> type[T]:
    """A record made by the hundred thousand: only the type checker keeps it from changing.

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


def _text(self: Any) -> str:
    shown = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields(self))
    return f"{type(self).__qualname__}({shown})"
