"""Nested lists <-> arrays, level by level, so that a list of any depth costs no recursion."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import VjpError, fail

# NumPy's own limit on the number of axes.
MOST_AXES = 64

_WORDS_OF_JSON = {"NaN": np.nan, "Infinity": np.inf, "-Infinity": -np.inf}


def read_only(values: Any, shape: tuple[int, ...] | None = None) -> NDArray[np.float64]:
    """The values as float64, C-contiguous, with the writeable flag down.

    An array that is all that already is not copied, so `values` must be the parser's own.

    Shapes: `values` [...] -> `shape`, or [...] where none is given.
    """
    # A float128 or an integer beyond float64 becomes inf or the nearest float64, quietly.
    with np.errstate(all="ignore"):
        array = np.asarray(values, dtype=np.float64, order="C")
    if shape is not None:
        array = array.reshape(shape)
    array.setflags(write=False)
    return array


def array_from_nested(nested: object) -> NDArray[np.float64]:
    """The array that a number or a nested list of numbers stands for.

    Booleans count as 1 and 0, and the strings "NaN", "Infinity" and "-Infinity" as what
    they say: JSON has no other way to write them.

    Errors: `ragged-rows`, `value-number`, `number-too-large`, `too-many-axes`, without a
        place: entries are named by their index.
    """
    level: list[Any] = [nested]
    shape: list[int] = []
    while level and any(isinstance(item, list) for item in level):
        lengths = [len(item) if isinstance(item, list) else None for item in level]
        if len(set(lengths)) > 1:
            raise _ragged(lengths, shape)
        shape.append(len(level[0]))
        if len(shape) > MOST_AXES:
            raise fail("too-many-axes", f"the lists are nested more than {MOST_AXES} deep")
        level = list(itertools.chain.from_iterable(level))
    kinds = set(map(type, level))
    if not kinds <= {int, float, bool}:
        level = [_number(item, position, shape) for position, item in enumerate(level)]
    try:
        return read_only(level, tuple(shape))
    except OverflowError:
        raise fail("number-too-large", "a number is larger than the largest float64") from None


def _number(item: object, position: int, shape: Sequence[int]) -> float:
    if isinstance(item, (bool, int, float)):
        return item
    if isinstance(item, str) and item in _WORDS_OF_JSON:
        return _WORDS_OF_JSON[item]
    what = {"str": f'the text "{shortened(str(item))}"', "dict": "an object"}.get(
        type(item).__name__, "null"
    )
    where = index_text(np.unravel_index(position, shape)) if shape else ""
    raise fail(
        "value-number", f"entry {where} is {what}, not a number" if where else f"it is {what}"
    )


def _ragged(lengths: list[int | None], shape: Sequence[int]) -> VjpError:
    odd = next(i for i, length in enumerate(lengths) if length != lengths[0])

    def name(position: int) -> str:
        return f"row {index_text(np.unravel_index(position, shape))}"

    def size(length: int | None) -> str:
        return "is a single number" if length is None else f"has {counted(length, 'entry')}"

    return fail(
        "ragged-rows",
        f"{name(odd)} {size(lengths[odd])}, but {name(0)} {size(lengths[0])}",
    )


def index_text(index: Sequence[Any]) -> str:
    """An index as it is written: `[0, 2]`."""
    return f"[{', '.join(str(int(i)) for i in index)}]"


def shortened(text: str, most: int = 60) -> str:
    """The text, or its beginning where it is longer than a message can hold."""
    return text if len(text) <= most else f"{text[:most]}..."


def counted(count: int, noun: str) -> str:
    """A count with its noun: `1 entry`, `3 entries`, `2 rows`."""
    if count == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count} {plural}"


def number_text(number: float) -> str:
    """The shortest text that reads back as the same float64: `1`, `0.1`, `1e-05`, `nan`."""
    text = repr(float(number))
    return text.removesuffix(".0")


def nested_text(array: NDArray[Any]) -> str:
    """An array as nested lists without spaces: `1`, `[1,2]`, `[[1,2],[3,4]]`.

    It reads back bit for bit, except that lists cannot tell (0, 3) from (0,).
    """
    if array.size == 0:
        return str(array.tolist()).replace(" ", "")
    texts = [number_text(number) for number in array.ravel().tolist()]
    for length in reversed(array.shape):
        texts = [f"[{','.join(texts[i : i + length])}]" for i in range(0, len(texts), length)]
    return texts[0]
