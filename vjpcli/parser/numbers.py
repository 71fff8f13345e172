"""Text of plain numbers -> array: `1,2,3`, `1 2 3`, `[[1,2],[3,4]]`, `1,2;3,4`.

    numbers   = row (";" row)* [";"]          rows of a matrix, when there is a ";"
    row       = item ([","] item)* [","]      commas between all items, or between none
    item      = number | "[" numbers "]" | "(" numbers ")"
    number    = what Python's float() reads (nan, inf, 1e-3, .5, 1_000), true, false

A single item without a comma stands for itself, so `1` and `(1)` are scalars and `1,` is a
vector. Text with anything that could be a name or an operation in it is not for this module:
it is an expression in the language.

Two readers stand here. The quick ones serve the million-entry list; whatever they do not
understand goes to the careful one, which knows where everything stands. A test holds them
to the same answers.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import Source, Span, VjpError, fail
from vjpcli.parser.nested import (
    MOST_AXES,
    array_from_nested,
    counted,
    read_only,
    shortened,
)

_TOKEN = r"(?P<space>\s+)|(?P<mark>[,;()\[\]])|(?P<word>[^\s,;()\[\]]+)"
_OPERATORS = frozenset("+-*/%@&|~<>=!^")
_CLOSER = {"[": "]", "(": ")"}
_TRUTH = {"true": 1.0, "false": 0.0}


def read_numbers(source: Source, span: Span | None = None) -> NDArray[np.float64] | None:
    """The array that `span` of the source stands for, or None where it is an expression.

    Shapes: `1` -> []; `1,2,3` -> [3]; `1,2;3,4` and `[[1,2],[3,4]]` -> [2, 2].
    Errors: `value-number`, `value-form`, `ragged-rows`, `number-too-large`,
        `unclosed-bracket`, `unexpected-bracket`, `too-many-axes`; the label is under the
        part at fault. Empty text is `value-form`.
    """
    span = span or Span(0, len(source.text))
    # The minus sign of typeset text has the length of "-", so no place moves.
    text = source.text[span.start : span.end].replace("−", "-")
    quick = _quickly_nested(text) if re.search(r"[()\[\]]", text) else _quickly_rows(text)
    if quick is not None and not _overflowed(quick, text):
        return quick
    if _is_expression(text):
        return None
    return _CarefulReader(text, source, span.start).read()


def number(word: str) -> float | None:
    """The number that a word stands for, or None."""
    try:
        return float(word)
    except ValueError:
        return _TRUTH.get(word.lower())


def _quickly_rows(text: str) -> NDArray[np.float64] | None:
    if ";" not in text:
        return _quickly_flat(text)
    rows = text.split(";")
    commas = rows[0].count(",")
    if any(row.count(",") != commas for row in rows):
        return None
    flat = _quickly_flat(text.replace(";", ","))
    return None if flat is None else read_only(flat, (len(rows), commas + 1))


def _quickly_flat(text: str) -> NDArray[np.float64] | None:
    words = text.split(",") if "," in text else text.split()
    try:
        values = [float(word) for word in words]
    except ValueError:
        return None
    if not values:
        return None
    return read_only(values if "," in text or len(values) > 1 else values[0])


def _quickly_nested(text: str) -> NDArray[np.float64] | None:
    import json  # noqa: PLC0415 - only nested text needs it

    if not text.lstrip().startswith("[") or '"' in text:
        return None
    try:
        return array_from_nested(json.loads(text, parse_int=float))
    except (ValueError, RecursionError, VjpError):
        return None


def _overflowed(array: NDArray[np.float64], text: str) -> bool:
    """Whether an entry is infinite that was not written so (1e999)."""
    infinite = int(np.count_nonzero(np.isinf(array)))
    return infinite > 0 and infinite != text.lower().count("inf")


def _is_expression(text: str) -> bool:
    """Whether a name, an operation or a call stands in the text."""
    end_of_word = -1
    for token in re.finditer(_TOKEN, text):
        if token["word"] is not None:
            word = token["word"]
            if number(word) is None and any(c.isalpha() or c in _OPERATORS for c in word):
                return True
            end_of_word = token.end()
        elif token["mark"] == "(" and token.start() == end_of_word:
            return True
    return False


@dataclass(slots=True)
class _List:
    """A list that is being read: the whole text (opener "") or one pair of brackets."""

    opener: str
    start: int
    row_start: int
    count: int = 0
    item_shape: tuple[int, ...] = ()
    commas: bool = False
    spaces: bool = False
    after_comma: bool = False
    rows: int = 0
    row_shape: tuple[int, ...] = ()


class _CarefulReader:
    """Reads token by token with a stack of open lists."""

    def __init__(self, text: str, source: Source, offset: int) -> None:
        self.text = text
        self.source = source
        self.offset = offset
        self.values: list[float] = []
        self.lists = [_List("", 0, 0)]
        self.end_of_item = -1

    def read(self) -> NDArray[np.float64]:
        for token in re.finditer(_TOKEN, self.text):
            start, end = token.span()
            if token["word"] is not None:
                self.values.append(self.word(token["word"], start, end))
                self.item((), start, end)
            elif token["mark"] is not None:
                self.mark(token["mark"], start)
        end = len(self.text)
        whole = self.lists[-1]
        if whole.opener:
            raise self.fault(
                "unclosed-bracket",
                f"this {whole.opener} is never closed",
                whole.start,
                whole.start + 1,
            )
        if not whole.count and not whole.rows:
            raise self.fault("value-form", "no number stands here", 0, end)
        return read_only(self.values, self.shape_of(whole, end))

    def mark(self, mark: str, start: int) -> None:
        current = self.lists[-1]
        if mark in "[(":
            self.check_separated(start, start + 1)
            if len(self.lists) > MOST_AXES:
                raise self.fault(
                    "too-many-axes",
                    f"the brackets are nested more than {MOST_AXES} deep",
                    start,
                    start + 1,
                )
            self.lists.append(_List(mark, start, start + 1))
        elif mark in "])":
            if not current.opener or _CLOSER[current.opener] != mark:
                opened = f"; {current.opener} is open" if current.opener else ""
                raise self.fault(
                    "unexpected-bracket",
                    f"this {mark} closes nothing{opened}",
                    start,
                    start + 1,
                )
            shape = self.shape_of(current, start)
            self.lists.pop()
            self.item(shape, current.start, start + 1)
        elif mark == ",":
            if current.after_comma or not current.count:
                raise self.fault(
                    "value-form", "a number is missing before this comma", start, start + 1
                )
            if current.spaces:
                raise self.mixed(start, start + 1)
            current.commas = current.after_comma = True
        else:
            self.end_row(current, start)
            current.row_start = start + 1

    def item(self, shape: tuple[int, ...], start: int, end: int) -> None:
        if not shape:
            self.check_separated(start, end)
        current = self.lists[-1]
        if current.count and not current.after_comma:
            if current.commas:
                raise self.mixed(start, end)
            current.spaces = True
        if current.count and shape != current.item_shape:
            raise self.fault(
                "ragged-rows",
                f"this entry {_said(shape)}, but the first one {_said(current.item_shape)}",
                start,
                end,
            )
        current.item_shape = shape
        current.count += 1
        current.after_comma = False
        self.end_of_item = end

    def check_separated(self, start: int, end: int) -> None:
        if start == self.end_of_item:
            raise self.fault("value-form", "a comma is missing before this", start, end)

    def mixed(self, start: int, end: int) -> VjpError:
        return self.fault(
            "value-form",
            "commas stand between some of the numbers and not between others",
            start,
            end,
            "write commas between all of them: 1000 is written without a space",
        )

    def end_row(self, current: _List, end: int) -> None:
        if not current.count:
            raise self.fault("value-form", "a row without numbers", current.row_start, end + 1)
        alone = current.count == 1 and not current.commas
        shape = (
            current.item_shape
            if alone and current.item_shape
            else (current.count, *current.item_shape)
        )
        if current.rows and shape != current.row_shape:
            raise self.fault(
                "ragged-rows",
                f"this row {_said(shape)}, but the first row {_said(current.row_shape)}",
                current.row_start,
                end,
            )
        current.row_shape = shape
        current.rows += 1
        current.count = 0
        current.item_shape = ()
        current.commas = current.spaces = current.after_comma = False

    def shape_of(self, current: _List, end: int) -> tuple[int, ...]:
        if current.rows:
            if current.count:
                self.end_row(current, end)
            shape: tuple[int, ...] = (current.rows, *current.row_shape)
        elif current.count == 1 and not current.commas and current.opener != "[":
            shape = current.item_shape
        else:
            shape = (current.count, *current.item_shape)
        if len(shape) > MOST_AXES:
            raise self.fault(
                "too-many-axes", f"an array has at most {MOST_AXES} axes", current.start, end
            )
        return shape

    def word(self, word: str, start: int, end: int) -> float:
        value = number(word)
        if value is None:
            notes = (
                ("the dots leave numbers out: all of them are needed",)
                if set(word) <= {".", "…"}
                else ()
            )
            raise self.fault(
                "value-number", f"{shortened(word)} is not a number", start, end, *notes
            )
        if math.isinf(value) and "inf" not in word.lower():
            raise self.fault(
                "number-too-large",
                "this number is larger than the largest float64, about 1.8e308",
                start,
                end,
                "write inf where infinity is meant",
            )
        return value

    def fault(self, code: str, message: str, start: int, end: int, *notes: str) -> VjpError:
        start, end = self.trimmed(start, end)
        span = Span(start + self.offset, end + self.offset)
        return fail(code, message, source=self.source, span=span, notes=notes)

    def trimmed(self, start: int, end: int) -> tuple[int, int]:
        """The same place without the blanks around it, where anything else is there."""
        part = self.text[start:end]
        if not part.strip():
            return start, end
        return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def _said(shape: tuple[int, ...]) -> str:
    if not shape:
        return "is a single number"
    if len(shape) == 1:
        return f"has {counted(shape[0], 'number')}"
    return f"has shape {shape}"
