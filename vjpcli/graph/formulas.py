"""Functions of optax and TensorFlow, written in the language itself.

What these libraries define by a formula of a few operations is kept as such (`formulas.json`),
with the names and defaults of its parameters. Names of TensorFlow that mean what NumPy means by
them, or by another name, are only respelt.
"""

from __future__ import annotations

import json
from ast import literal_eval
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from vjpcli.errors import Span, fail
from vjpcli.record import record

LIBRARIES_OF_FORMULAS = {"optax": "optax", "tf": "tensorflow", "tensorflow": "tensorflow"}
"""Prefix -> the library that it means."""


@record
class Formula:
    """A function with a formula.

    Attributes:
        name: as the library calls it.
        parameters: names in order, with their defaults as text ("" where there is none).
        text: a program of the language; its last statement is the value.
    """

    name: str
    parameters: tuple[tuple[str, str], ...]
    text: str


@cache
def _table() -> dict[str, Any]:
    text = files("vjpcli.graph").joinpath("formulas.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def formula(path: str, name: str) -> Formula | None:
    """The formula of a function, found under a library path such as `tf.nn`; or None."""
    root, _, module = path.partition(".")
    rows = _table()[LIBRARIES_OF_FORMULAS[root]]
    last = module.rpartition(".")[2]
    row = rows.get(f"{last}.{name}") or rows.get(name)
    if row is None:
        return None
    words = (word.strip().partition("=") for word in row[0].split(","))
    return Formula(name, tuple((word, default) for word, _, default in words), row[1])


def numpy_name(path: str, name: str) -> str | None:
    """NumPy's name for a function of TensorFlow that means the same; or None."""
    if LIBRARIES_OF_FORMULAS[path.partition(".")[0]] != "tensorflow":
        return None
    table = _table()
    respelt: str | None = table["tensorflow_names"].get(name)
    return respelt or (name if name in table["tensorflow_same"].split() else None)


def known_names(root: str) -> list[str]:
    """The names that a library has here, for near misses."""
    table = _table()
    if LIBRARIES_OF_FORMULAS[root] == "optax":
        return list(table["optax"])
    same = table["tensorflow_same"].split()
    return [*table["tensorflow"], *table["tensorflow_names"], *same]


def bound(
    function: Formula, arguments: Sequence[Any], keywords: Sequence[tuple[str, Any, Span]]
) -> dict[str, Any]:
    """The parameters of a formula with what is given for them.

    Errors: too-many-arguments, unknown-keyword, argument-twice, missing-argument
    """
    names = [name for name, _ in function.parameters]
    if len(arguments) > len(names):
        raise fail("too-many-arguments", f"{function.name} takes {len(names)} arguments")
    given = dict(zip(names, arguments, strict=False))
    for name, value, _ in keywords:
        if name not in names:
            raise fail(
                "unknown-keyword",
                f"{function.name} has no keyword `{name}`",
                notes=(f"its arguments: {', '.join(names)}",),
            )
        if name in given:
            raise fail("argument-twice", f"{function.name} got `{name}` twice")
        given[name] = value
    for name, default in function.parameters:
        if name not in given and not default:
            raise fail("missing-argument", f"{function.name} needs `{name}`")
    defaults = {name: literal_eval(text) for name, text in function.parameters if text}
    return {**defaults, **{name: value for name, value in given.items() if value is not None}}
