"""NAME=VALUE arguments -> named arrays.

    argument  = name [":" shape] "=" value | "@" container      (@all.npz, @all.json, @-)
    shape     = "" | number ("x" number)*                       (2x3; 0; empty for a scalar)
    value     = numbers | "@" file [":" key] | "-" | "@-" | expression

The parser does no arithmetic: a value that is an expression in the language, such as
`linspace(0,1,5)` or `pi/2`, is handed on as text.
"""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import Fix, Source, Span, VjpError, fail
from vjpcli.parser.nested import MOST_AXES, counted, read_only, shortened
from vjpcli.parser.numbers import read_numbers
from vjpcli.parser.references import EXTENSIONS, StandardInput, reference
from vjpcli.record import record

# What begins a calculation rather than a misspelt name such as my-var or layer.weight.
_OPERATOR = re.compile(r"[*/%@&|~<>!^()]")
MOST_STRAYS = 12
"""Arguments that may still be pieces of one expression; more are names of files."""
_SHAPE = re.compile(r"\d+(?:\s*[xX×,]\s*\d+)*", re.ASCII)
# A lone "=", not a part of ==, <=, >= or !=.
_ASSIGNMENT = re.compile(r"(?<![=<>!])=(?!=)")


@record(eq=False)
class GivenValue:
    """A value that was given to a name.

    Attributes:
        name: the name in the expression, in Python's normal form (NFKC).
        array: float64, C-contiguous, read-only; None where `program` stands instead.
        origin: "given" for numbers, "file", "stdin", or "built" for an expression.
        text: what was typed after the "=" (the whole argument for @all.npz).
        program: the text of an expression in the language, which the caller traces; or None.
        source: the argument.
        span: where `text` stands in it; a place p in `program` is span.start + p there.
        path: the file that was read, which must not be overwritten; or None.
        shape: what the value of `program` is to be reshaped to; or None.
    """

    name: str
    array: NDArray[np.float64] | None
    origin: Literal["given", "file", "stdin", "built"]
    text: str
    program: str | None
    source: Source
    span: Span
    path: Path | None = None
    shape: tuple[int, ...] | None = None


def parse_values(
    arguments: Sequence[str],
    *,
    stdin: StandardInput | None = None,
    expression: str | None = None,
) -> dict[str, GivenValue]:
    """The named values of a command line, in the order in which they were given.

    From @all.npz and @all.json every array takes its own name; where that is no identifier,
    every other character becomes `_`: `layer.weight` -> `layer_weight`, `0.bias` -> `_0_bias`.
    `expression` is what was typed as the expression; when a part of it has strayed into the
    arguments (`vjp explain 3*a + 2*b`), a note joins them again.

    Errors: `value-form`, `value-twice`, `value-shape`, `invalid-name`, `file-needs-at`, and
        those of `numbers.read_numbers` and `files.read_one`.
    """
    values: dict[str, GivenValue] = {}
    for argument, after in zip_longest(arguments, arguments[1:], fillvalue=""):
        _refuse_blanks(argument, after)
        if argument.lstrip().startswith("@"):
            read = _read_container(argument, stdin)
        elif "=" not in argument or _OPERATOR.search(argument.partition("=")[0]):
            raise _stray(argument, expression, arguments)
        else:
            read = (_read_named(argument, stdin),)
        for value in read:
            if value.name in values:
                raise _twice(value, values[value.name])
            values[value.name] = value
    return values


def _refuse_blanks(argument: str, after: str) -> None:
    """`x = 3` without quotes arrives as three arguments."""
    ends_open = argument.endswith("=") and after and "=" not in after
    if argument == "=" or ends_open or (argument.isidentifier() and after.startswith("=")):
        raise fail(
            "value-form",
            "a blank beside the = has made several arguments of a value",
            source=Source(argument, "argument"),
            span=Span(0, len(argument)),
            notes=("write it without blanks, x=1,2,3, or in quotes",),
        )


def _read_named(argument: str, stdin: StandardInput | None) -> GivenValue:
    head, _, value = argument.partition("=")
    name, colon, _ = head.partition(":")
    source = Source(argument, f"value of {name.strip()}")
    after = len(head) + 1
    if value.startswith("="):
        raise fail(
            "value-form",
            "a value is given by a single =",
            source=source,
            span=Span(len(head), after + 1),
            fix=Fix(f"{head}={value.lstrip('=')}", replaces=argument),
        )
    name = checked_name(source, stripped(source, Span(0, len(name))))
    shape = (
        read_shape(source, stripped(source, Span(head.index(":") + 1, len(head))))
        if colon
        else None
    )
    span = stripped(source, Span(after, len(argument)))
    return read_value(name, source, span, shape, stdin=stdin, reader=f"the value of {name}")


def read_value(
    name: str,
    source: Source,
    span: Span,
    shape: tuple[int, ...] | None,
    *,
    stdin: StandardInput | None,
    reader: str,
) -> GivenValue:
    """The value at `span` of the source; seeds are read by it too.

    Shapes: `shape` where one is given; files and expressions are reshaped to it, numbers must
        be a flat list or have it already.
    Errors: those of `parse_values`.
    """
    text = source.text[span.start : span.end]
    where = reference(source, span, reader)
    if where is not None:
        from vjpcli.parser.files import read_one  # noqa: PLC0415  (only for files)

        array = shaped(read_one(where, stdin), shape, source, span, is_file=True)
        origin: Literal["file", "stdin"] = "stdin" if where.is_stdin else "file"
        path = None if where.is_stdin else where.file
        return GivenValue(name, array, origin, text, None, source, span, path)
    if not text:
        if shape is not None and 0 in shape:
            empty = shaped(read_only([]), shape, source, span, is_file=False)
            return GivenValue(name, empty, "given", text, None, source, span)
        raise fail(
            "value-form",
            f"{reader} is empty",
            source=source,
            span=span,
            notes=("numbers look like 1,2,3 or [[1,2],[3,4]]; a file like @x.npy",),
        )
    numbers = read_numbers(source, span)
    if numbers is not None:
        array = shaped(numbers, shape, source, span, is_file=False)
        return GivenValue(name, array, "given", text, None, source, span)
    _check_program(text, source, span)
    return GivenValue(name, None, "built", text, text, source, span, shape=shape)


def _check_program(text: str, source: Source, span: Span) -> None:
    if text.lower().endswith(EXTENSIONS) and not re.search(r"[(\[,;=]", text):
        raise fail(
            "file-needs-at",
            f"{shortened(text)} looks like a file; a file is named with @",
            source=source,
            span=span,
            fix=Fix(f"{source.text[: span.start]}@{text}", replaces=source.text),
        )
    depth = 0
    for position, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth > 0:
            continue
        if character == ";" or (character == "=" and _ASSIGNMENT.match(text, position)):
            at = Span(span.start + position, span.start + position + 1)
            what = (
                "rows separated by ; hold plain numbers only"
                if character == ";"
                else "there is a second = in this value"
            )
            raise fail(
                "value-form",
                what,
                source=source,
                span=at,
                notes=("each name takes an argument of its own: a=1 b=2",),
            )


def shaped(
    array: NDArray[np.float64],
    shape: tuple[int, ...] | None,
    source: Source,
    span: Span,
    *,
    is_file: bool,
) -> NDArray[np.float64]:
    """The array in the shape asked for; rows that were typed must have it already.

    Errors: `value-shape`.
    """
    if shape is None or array.shape == shape:
        return array
    count = math.prod(shape)
    if array.size != count:
        axes = "x".join(map(str, shape)) if shape else "of a scalar"
        raise fail(
            "value-shape",
            f"the shape {axes} holds {counted(count, 'number')}, "
            f"but {counted(array.size, 'number')} {'is' if array.size == 1 else 'are'} given",
            source=source,
            span=span,
            fix=None if is_file else _fitting_shape(shape, array.size, source, span),
        )
    if array.ndim > 1 and not is_file:
        raise fail(
            "value-shape",
            f"the rows have the shape {array.shape}, but the shape {shape} is asked for",
            source=source,
            span=span,
            notes=("give the rows alone, or the shape with a flat list of numbers",),
        )
    return read_only(array, shape)


def _fitting_shape(shape: tuple[int, ...], count: int, source: Source, span: Span) -> Fix | None:
    """The same numbers with a shape that holds them: as many rows, or as many columns, or flat."""
    head, colon, _ = source.text[: span.start].partition(":")
    if not colon or not count:
        return None
    fitting: tuple[int, ...] = (count,)
    if len(shape) == 2:
        rows, columns = shape
        if columns and count % columns == 0:
            fitting = (count // columns, columns)
        elif rows and count % rows == 0:
            fitting = (rows, count // rows)
    axes = "x".join(map(str, fitting))
    return Fix(
        f"{head}:{axes}={source.text[span.start :]}",
        replaces=source.text,
        says=f"with a shape that {counted(count, 'number')} {'has' if count == 1 else 'have'}",
    )


def read_shape(source: Source, span: Span) -> tuple[int, ...]:
    """The shape written `2x3` at `span` of the source; empty text is a scalar's.

    Errors: `value-shape`.
    """
    text = source.text[span.start : span.end]
    if not text:
        return ()
    if not _SHAPE.fullmatch(text):
        raise fail(
            "value-shape",
            f'"{shortened(text)}" is not a shape',
            source=source,
            span=span,
            notes=("a shape is written 2x3; 3 for a vector of three",),
        )
    axes = re.findall(r"\d+", text)
    # NumPy counts entries in 64 bits; a shape without any value could still name more.
    if len(axes) > MOST_AXES or sum(map(len, axes)) > 18:
        raise fail(
            "value-shape",
            "this shape is larger than any array can be",
            source=source,
            span=span,
        )
    return tuple(map(int, axes))


def checked_name(source: Source, span: Span) -> str:
    """The name at `span` of the source as Python reads it (NFKC).

    Errors: `invalid-name`.
    """
    name = _normal(source.text[span.start : span.end])
    if name.isidentifier() and not keyword.iskeyword(name):
        return name
    rest = source.text[span.end :]
    if not name:
        raise fail(
            "invalid-name",
            "a name is missing before the =",
            source=source,
            span=Span(span.end, span.end + 1),
            fix=Fix(f"x{rest}", replaces=source.text, says="x stands for the name"),
        )
    suggestion = identifier(name)
    raise fail(
        "invalid-name",
        f"{name} is a word of the language and cannot name a value"
        if keyword.iskeyword(name)
        else f"{shortened(name)} is not a name: letters, digits and _, and no digit first",
        source=source,
        span=span,
        notes=("the expression must use the same name",),
        fix=Fix(f"{suggestion}{rest}", replaces=source.text),
    )


def _normal(name: str) -> str:
    if name.isascii():
        return name
    import unicodedata  # noqa: PLC0415 - hardly ever needed

    return unicodedata.normalize("NFKC", name)


def identifier(name: str) -> str:
    """The identifier nearest to any text: `layer.weight` -> `layer_weight`, `0` -> `_0`."""
    word = "".join(c if f"_{c}".isidentifier() else "_" for c in _normal(name)) or "_"
    if not word.isidentifier():
        word = f"_{word}"
    return f"{word}_" if keyword.iskeyword(word) else word


def _read_container(argument: str, stdin: StandardInput | None) -> Iterable[GivenValue]:
    from vjpcli.parser.files import read_all  # noqa: PLC0415  (only for files)

    source = Source(argument, "values")
    span = stripped(source, Span(0, len(argument)))
    where = reference(source, span, "the values")
    if where is None:  # pragma: no cover - the caller has seen the "@"
        raise AssertionError
    text = source.text[span.start : span.end]
    origin: Literal["file", "stdin"] = "stdin" if where.is_stdin else "file"
    path = None if where.is_stdin else where.file
    return [
        GivenValue(identifier(name), array, origin, text, None, source, span, path)
        for name, array in read_all(where, stdin).items()
    ]


def stripped(source: Source, span: Span) -> Span:
    """The span without the blanks at its ends."""
    text = source.text[span.start : span.end]
    start = span.start + len(text) - len(text.lstrip())
    return Span(start, max(start, span.start + len(text.rstrip())))


def _twice(value: GivenValue, first: GivenValue) -> VjpError:
    fix: Fix | None = None
    if first.source == value.source and first.source.text.lstrip().startswith("@"):
        message = f"two arrays of {value.text} are both called {value.name} in the expression"
        notes: tuple[str, ...] = (
            "characters that no name can have become _; give them one by one",
        )
    else:
        message = f"{shortened(value.name)} is given twice"
        notes = (f"first by {shortened(first.source.text)}",)
        if not value.source.text.lstrip().startswith("@"):
            fix = Fix("", replaces=value.source.text, says="with the first of the two")
    return fail(
        "value-twice",
        message,
        source=value.source,
        span=Span(0, len(value.source.text)),
        notes=notes,
        fix=fix,
    )


def _stray(argument: str, expression: str | None, arguments: Sequence[str]) -> VjpError:
    source = Source(argument, "argument")
    text = argument.strip()
    span = Span(0, len(argument))
    if not text:
        return fail("value-form", "an empty argument", source=source, span=span)
    if text.isidentifier():
        message = f"{shortened(text)} is given no value"
        fix: Fix | None = Fix(f"{text}=1,2,3", replaces=argument, says="put your own numbers")
    elif text.lower().endswith(EXTENSIONS) and re.fullmatch(r"[^\s()]+", text):
        message = (
            f"{shortened(text)} looks like a file, but it is not said which name gets its value"
        )
        name = "" if text.lower().endswith((".npz", ".json")) else "x="
        fix = Fix(f"{name}@{text}", replaces=argument)
    else:
        message = f"{shortened(text)} is not a value: a value is given as NAME=VALUE"
        fix = None
    notes: tuple[str, ...] = ()
    strays = [word for word in arguments if "=" not in word and not word.startswith("@")]
    if expression is not None and any(not word.strip().isidentifier() for word in strays):
        whole = " ".join([expression, *strays])
        # The shell puts the names of files in the place of a bare *.
        notes = (
            f'an expression with blanks is one argument, in quotes: "{shortened(whole, 200)}"'
            if len(strays) <= MOST_STRAYS
            else "an expression with blanks or * is one argument, in quotes",
        )
    return fail("value-form", message, source=source, span=span, notes=notes, fix=fix)
