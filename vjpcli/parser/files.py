"""References -> arrays: opens what is named, and says what stands in the way.

The extension says what a file holds, except that NumPy's formats are known by their first
bytes, as NumPy does it. A pipe has no extension: there the first bytes decide, and text that
begins with `[` or `{` is JSON, any other text a table of numbers.
"""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import Fix, Source, Span, VjpError, close_spelling, did_you_mean, fail
from vjpcli.parser.nested import shortened
from vjpcli.parser.numbers import read_numbers
from vjpcli.parser.references import EXTENSIONS, TABLES, Reference, StandardInput

# Opening a file costs more than reading a number typed: the readers are imported when needed.
if TYPE_CHECKING:
    from vjpcli.parser.text_files import JsonObject

_PICKLES = (".pt", ".pth", ".pkl", ".pickle", ".joblib", ".ckpt")

# A device such as /dev/zero never ends.
_MOST_PIPED = 1 << 30


class Container(Protocol):
    """A file that holds arrays by name: an .npz archive or a JSON object."""

    @property
    def kind(self) -> Literal["npz", "json"]:
        """Which of the two, as it stands in diagnostic codes."""

    @property
    def names(self) -> tuple[str, ...]:
        """The arrays, in the order of the file."""

    def resolve(self, key: str) -> str | None:
        """The name under which `read` finds what `key` means, or None."""

    def inside(self, key: str) -> Container | None:
        """The container that stands at `key`, or None."""

    def read(self, name: str) -> NDArray[np.float64]:
        """One array."""


Content = NDArray[np.float64] | Container


def read_one(where: Reference, stdin: StandardInput | None) -> NDArray[np.float64]:
    """The one array that a reference means.

    Shapes: those of the file.
    Errors: `file-missing`, `file-is-folder`, `file-unreadable`, `file-empty`,
        `file-extension`, `file-corrupt`, `file-not-text`, `file-too-large`, `file-no-arrays`,
        `pickle-refused`, `array-kind`, `npz-no-such-array`, `npz-several-arrays`,
        `json-no-such-array`, `json-several-arrays`, `csv-text`, `json-form`, `value-number`,
        `value-twice`, `ragged-rows`, `number-too-large`, `too-many-axes`, `stdin-twice`,
        `stdin-missing`.
    """
    try:
        with opened(where, stdin) as file:
            return _pick(_content(file, where), where)
    except VjpError as error:
        raise error.at(where.source, where.span) from None


def read_all(where: Reference, stdin: StandardInput | None) -> dict[str, NDArray[np.float64]]:
    """Every array of an .npz or of a JSON object by its name, in the order of the file.

    Errors: those of `read_one`, and `value-form` where the file holds a single array
        without a name.
    """
    try:
        with opened(where, stdin) as file:
            content: Content | None = _content(file, where)
            if where.key is not None and not isinstance(content, np.ndarray) and content:
                content = content.inside(where.key)
            if content is None or isinstance(content, np.ndarray):
                raise _nameless(where)
            if not content.names:
                raise _no_arrays(where)
            return {name: content.read(name) for name in content.names}
    except VjpError as error:
        raise error.at(where.source, where.span) from None


def _pick(content: Content, where: Reference) -> NDArray[np.float64]:
    end_of_path = len(where.path)
    if isinstance(content, np.ndarray):
        if where.key is None:
            return content
        raise fail(
            "file-no-arrays",
            f"{where.name} holds a single array; it has no parts to choose from",
            fix=where.corrected(end_of_path, end_of_path + 1 + len(where.key), ""),
        )
    if where.key is not None:
        return content.read(_known(content, where.key, where))
    if not content.names:
        raise _no_arrays(where)
    if len(content.names) > 1:
        raise fail(
            f"{content.kind}-several-arrays",
            f"{where.name} holds {len(content.names)} arrays: {_listed(content.names)}",
            fix=where.corrected(end_of_path, end_of_path, f":{content.names[0]}"),
        )
    return content.read(content.names[0])


def _known(content: Container, key: str, where: Reference) -> str:
    name = content.resolve(key)
    if name is not None:
        return name
    start = len(where.path) + 1
    near = did_you_mean(key, content.names)
    raise fail(
        f"{content.kind}-no-such-array",
        f'{where.name} holds no array "{shortened(key)}"; it holds {_listed(content.names)}',
        source=where.source,
        span=Span(where.span.start + start, where.span.end),
        fix=where.corrected(start, start + len(key), near) if near else None,
    )


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(shortened(name) for name in names[:8])
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown or "none"


def _no_arrays(where: Reference) -> VjpError:
    return fail("file-no-arrays", f"{where.name} holds no arrays")


def _nameless(where: Reference) -> VjpError:
    return fail(
        "value-form",
        f"{where.name} holds a single array without a name",
        fix=Fix(
            text=f"x={where.source.text}",
            replaces=where.source.text,
            says="x stands for the name in the expression",
        ),
    )


def _content(file: IO[bytes], where: Reference) -> Content:
    from vjpcli.parser import numpy_files, text_files  # noqa: PLC0415 - see the note above

    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    start = file.read(8)
    file.seek(0)
    name, extension = where.name, _extension(where.path)
    if not start:
        raise fail("file-empty", f"{name} is empty")
    if start.startswith(numpy_files.NPY_MAGIC):
        return numpy_files.read_npy(file, size, name)
    if start.startswith(numpy_files.ZIP_MAGIC) and extension not in TABLES:
        return numpy_files.Archive(file, name)
    if extension in (".npy", ".npz"):
        if start[:1] == b"\x80":
            raise _pickle(name)
        raise fail("file-corrupt", f"{name} does not begin as a {extension} file does")
    text = text_files.decode(file.read(), name)
    if not text.strip():
        raise fail("file-empty", f"{name} holds nothing but blanks")
    if extension == ".json":
        return text_files.read_json(text, name)
    if extension in TABLES:
        return text_files.read_table(text, name)
    return _piped_text(text, name)


def _piped_text(text: str, name: str) -> NDArray[np.float64] | JsonObject:
    from vjpcli.parser import text_files  # noqa: PLC0415 - see the note above

    start = text.lstrip()[0]
    if start == "[":
        # Also what print(array) shows, which is no JSON: [[1. 2.] [3. 4.]].
        array = read_numbers(Source(text, name))
        if array is not None:
            return array
    if start in '[{"':
        return text_files.read_json(text, name)
    return text_files.read_table(text, name)


def _extension(path: str) -> str:
    return Path(path).suffix.lower()


def opened(
    where: Reference, stdin: StandardInput | None, *, any_extension: bool = False
) -> IO[bytes]:
    """The file, open and seekable.

    Errors: stdin-missing, file-is-folder, file-missing, file-unreadable, file-too-large,
    file-extension.
    """
    if where.is_stdin:
        if stdin is None:
            raise fail("stdin-missing", "there is no standard input here to read")
        return io.BytesIO(stdin.take(where.reader))
    path = where.file
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise fail(
                "file-is-folder",
                f"{where.name} is a folder",
                notes=_names_nearby(path, "it holds"),
            )
        if stat.S_ISREG(mode):
            if not any_extension:
                _check_extension(where)
            return path.open("rb")
        with path.open("rb") as pipe:
            data = pipe.read(_MOST_PIPED + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise _missing(where) from None
    except (OSError, ValueError) as error:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise fail("file-unreadable", f"{where.name} cannot be read: {reason.lower()}") from None
    if len(data) > _MOST_PIPED:
        raise fail("file-too-large", f"{where.name} does not end within {_MOST_PIPED} bytes")
    return io.BytesIO(data)


def _check_extension(where: Reference) -> None:
    extension = _extension(where.path)
    if extension in _PICKLES:
        raise _pickle(where.name)
    if extension not in EXTENSIONS:
        has = f"the unknown extension {extension}" if extension else "no extension"
        raise fail("file-extension", f"{where.name} has {has}; known are {', '.join(EXTENSIONS)}")


def _pickle(name: str) -> VjpError:
    return fail(
        "pickle-refused",
        f"{name} is a pickle, which can run code when read",
        notes=(
            "save plain numbers instead: numpy.save(path, tensor.numpy()), "
            "or numpy.savez(path, **arrays) for several",
        ),
    )


def _missing(where: Reference) -> VjpError:
    folder = where.file.parent
    if not folder.is_dir():
        return fail("file-missing", f"there is no folder {shortened(str(folder), 200)}")
    here = _names(folder)
    near = _near_name(where.file.name, here)
    start = len(where.path) - len(Path(where.path).name)
    return fail(
        "file-missing",
        f"there is no file {where.name}",
        notes=() if near else _names_nearby(folder, "in that folder:"),
        fix=where.corrected(start, len(where.path), near) if near else None,
    )


def _near_name(name: str, here: list[str]) -> str | None:
    """A file whose name differs by a slip, or by its ending alone."""
    stem = name.rpartition(".")[0] or name
    same = [one for one in here if one.rpartition(".")[0].lower() == stem.lower()]
    return same[0] if same else close_spelling(name, here)


def _names(folder: Path) -> list[str]:
    """Files there that could be read; none where the folder cannot be listed."""
    try:
        # A folder may hold millions of files: a suggestion is not worth reading them all.
        entries = [entry.name for entry, _ in zip(os.scandir(folder), range(10_000), strict=False)]
    except OSError:
        return []
    return sorted(name for name in entries if name.lower().endswith(EXTENSIONS))


def _names_nearby(folder: Path, says: str) -> tuple[str, ...]:
    names = _names(folder)
    return (f"{says} {_listed(tuple(names))}",) if names else ()
