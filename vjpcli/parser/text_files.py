"""The text of .csv, .tsv, .txt and .json -> arrays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import VjpError, fail
from vjpcli.parser.nested import array_from_nested, counted, read_only, shortened
from vjpcli.parser.numbers import number

# Only such a number can be beyond float64, and it is rare: 1e308 and up, 309 digits.
_MAYBE_TOO_LARGE = re.compile(r"[eE]\+?0*[1-9]\d\d|\d{309}")


def decode(data: bytes, name: str) -> str:
    """The text of a file: UTF-8, or UTF-16 where it says so in its first bytes (PowerShell).

    Errors: `file-not-text`.
    """
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = None
    if text is None or "\0" in text:
        raise fail("file-not-text", f"{name} holds bytes that are not text")
    return text


def read_table(text: str, name: str) -> NDArray[np.float64]:
    """Rows of numbers separated by commas, semicolons, tabs or blanks.

    A first line in which no cell is a number is a header and is skipped; so are blank lines
    and lines that begin with `#`.

    Shapes: axes of length 1 are dropped: a single row or column -> [n], a single number ->
        [], otherwise [rows, columns]. `W:1x3=@t.csv` keeps them.
    Errors: `csv-text` with line and column, `ragged-rows`, `number-too-large`, `file-empty`.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    rows = [
        (position, line)
        for position, line in enumerate(lines, 1)
        if not (line.isspace() or not line or line.startswith("#"))
    ]
    table = _Table(name, _separator(rows), '"' in text)
    if rows and table.is_header(rows[0][1]):
        del rows[0]
    if not rows:
        raise fail("file-empty", f"{name} holds no numbers")
    array = table.quickly(rows)
    if array is None:
        array = table.carefully(rows)
    return array if array.size == 0 else read_only(array.squeeze())


def _separator(rows: list[tuple[int, str]]) -> str | None:
    """What separates the cells; None stands for blanks.

    The last row is asked first: a header may hold a comma that separates nothing.
    """
    for _, line in (*rows[-1:], *rows[:1]):
        for separator in ";\t,":
            if separator in line:
                return separator
    return None


class _Table:
    def __init__(self, name: str, separator: str | None, quoted: bool) -> None:
        self.name = name
        self.separator = separator
        self.quoted = quoted

    def cells(self, line: str) -> list[str]:
        if self.quoted and self.separator is not None:
            import csv  # noqa: PLC0415 - only quoted cells need it

            try:
                return [cell.strip() for cell in next(csv.reader([line], delimiter=self.separator))]
            except csv.Error:
                return [line]
        if self.separator is None:
            return line.replace('"', " ").split()
        return [cell.strip() for cell in line.split(self.separator)]

    def is_header(self, line: str) -> bool:
        cells = self.cells(line)
        return any(any(c.isalpha() for c in cell) for cell in cells) and all(
            number(cell) is None for cell in cells
        )

    def quickly(self, rows: list[tuple[int, str]]) -> NDArray[np.float64] | None:
        separator = self.separator
        if self.quoted:
            return None
        if separator is None:
            widths = {len(line.split()) for _, line in rows}
            words = " ".join(line for _, line in rows).split()
        else:
            widths = {line.count(separator) + 1 for _, line in rows}
            words = separator.join(line for _, line in rows).split(separator)
        if len(widths) > 1:
            return None
        try:
            array = read_only([float(word) for word in words], (len(rows), widths.pop()))
        except ValueError:
            return None
        return None if np.isinf(array).any() else array

    def carefully(self, rows: list[tuple[int, str]]) -> NDArray[np.float64]:
        values: list[float] = []
        width = len(self.cells(rows[0][1]))
        for position, line in rows:
            cells = self.cells(line)
            values.extend(self.numbers(cells, position))
            if len(cells) != width:
                raise fail(
                    "ragged-rows",
                    f"{self.name}, line {position}: it has {counted(len(cells), 'number')}, "
                    f"but line {rows[0][0]} has {width}",
                )
        return read_only(values, (len(rows), width))

    def numbers(self, cells: list[str], position: int) -> Iterator[float]:
        for column, cell in enumerate(cells, 1):
            value = number(cell)
            where = f"{self.name}, line {position}, column {column}"
            if value is None:
                raise fail(
                    "csv-text",
                    f'{where}: "{shortened(cell)}" is not a number'
                    if cell
                    else f"{where}: nothing is there",
                    notes=("a number is written with a point: 1.5, not 1,5",)
                    if re.fullmatch(r"[+-]?\d+,\d+", cell)
                    else (),
                )
            if np.isinf(value) and "inf" not in cell.lower():
                raise _too_large(where)
            yield value


class JsonObject:
    """The arrays of a JSON object, by key; `outer.inner` reaches into objects."""

    kind: Final = "json"

    def __init__(self, content: dict[str, Any], name: str) -> None:
        self._content = content
        self._name = name

    @property
    def names(self) -> tuple[str, ...]:
        """The keys, in the order in which they stand."""
        return tuple(self._content)

    def _find(self, key: str) -> object:
        """What stands at `key`, or None."""
        if key in self._content:
            return self._content[key]
        found: object = self._content
        for part in key.split("."):
            if not isinstance(found, dict) or part not in found:
                return None
            found = found[part]
        return found

    def resolve(self, key: str) -> str | None:
        """The key itself where something stands at it, else None."""
        return None if self._find(key) is None else key

    def read(self, name: str) -> NDArray[np.float64]:
        """One array by its key.

        Errors: `value-number`, `ragged-rows`, `number-too-large`, `too-many-axes`.
        """
        return _array(self._find(name), f"{self._name}:{name}")

    def inside(self, key: str) -> JsonObject | None:
        """The object that stands at `key`, or None where anything else does."""
        found = self._find(key)
        return JsonObject(found, f"{self._name}:{key}") if isinstance(found, dict) else None


def read_json(text: str, name: str) -> NDArray[np.float64] | JsonObject:
    """A number, a nested list, or an object of them.

    Non-finite numbers are NaN, Infinity and -Infinity, with or without quotes.

    Errors: `json-form` with line and column, `value-twice` (a key given twice), and those of
        `array_from_nested`.
    """
    import json  # noqa: PLC0415 - only JSON needs it

    def finite(digits: str) -> float:
        value = float(digits)
        if np.isinf(value):
            raise _too_large(name)
        return value

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) < len(pairs):
            last = {key: position for position, (key, _) in enumerate(pairs)}
            twice = next(key for position, (key, _) in enumerate(pairs) if last[key] != position)
            raise fail("value-twice", f'{name} has the key "{twice}" twice')
        return content

    read = finite if _MAYBE_TOO_LARGE.search(text) else float
    try:
        content = json.loads(text, parse_int=read, parse_float=read, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise fail(
            "json-form",
            f"{name}, line {error.lineno}, column {error.colno}: "
            f"not JSON ({error.msg[:1].lower()}{error.msg[1:]})",
        ) from None
    except RecursionError:
        raise fail("too-many-axes", f"{name} is nested too deep") from None
    return JsonObject(content, name) if isinstance(content, dict) else _array(content, name)


def _array(nested: object, name: str) -> NDArray[np.float64]:
    try:
        return array_from_nested(nested)
    except VjpError as error:
        _rename(error, name)


def _rename(error: VjpError, name: str) -> NoReturn:
    raise fail(error.diagnostic.code, f"{name}: {error.diagnostic.message}") from None


def _too_large(where: str) -> VjpError:
    return fail(
        "number-too-large", f"{where}: a number is larger than the largest float64, about 1.8e308"
    )
