"""Where a value comes from: `@x.npy`, `@w.npz:layer.weight`, `-` -> Reference; standard input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from vjpcli.errors import Fix, Source, Span, fail
from vjpcli.parser.nested import shortened
from vjpcli.record import record

TABLES = (".csv", ".tsv", ".txt", ".dat")
EXTENSIONS = (".npy", ".npz", ".json", *TABLES)


class StandardInput:
    """Standard input, which one reader can have once.

    Create one for a command line and pass it to whatever may read it, so that the second
    reader is refused with the name of the first.
    """

    def __init__(self, read: Callable[[], bytes]) -> None:
        self._read = read
        self._reader: str | None = None

    def take(self, reader: str) -> bytes:
        """All of standard input, for `reader` ("the value of x", "the seed").

        Errors: `stdin-twice`, `file-unreadable`.
        """
        if self._reader is not None:
            raise fail(
                "stdin-twice",
                f"standard input was already read for {self._reader}; "
                f"it cannot be read again for {reader}",
                notes=("put one of the two into a file and name it with @",),
            )
        self._reader = reader
        try:
            return self._read()
        except (OSError, ValueError) as error:
            raise fail("file-unreadable", f"standard input cannot be read: {error}") from None


@record
class Reference:
    """Which file, and which array in it.

    Attributes:
        path: the file; "-" for standard input.
        key: the array in an .npz or the key in a .json, or None.
        source: the argument in which the reference stands.
        span: where in it, without the "@".
        reader: for whom it is read, "the value of x", for messages.
    """

    path: str
    key: str | None
    source: Source
    span: Span
    reader: str

    @property
    def is_stdin(self) -> bool:
        """Whether it means standard input."""
        return self.path == "-"

    @property
    def name(self) -> str:
        """What messages call it."""
        return "standard input" if self.is_stdin else shortened(self.path, 200)

    @property
    def file(self) -> Path:
        """The file; a leading ~ is expanded, which the shell leaves alone after "@"."""
        try:
            return Path(self.path).expanduser()
        except RuntimeError:
            return Path(self.path)

    def corrected(self, start: int, end: int, text: str) -> Fix:
        """The whole argument with `text` in place of [start, end) of the reference."""
        whole, offset = self.source.text, self.span.start
        return Fix(
            text=whole[: offset + start] + text + whole[offset + end :],
            replaces=whole,
        )


def reference(source: Source, span: Span, reader: str) -> Reference | None:
    """The file that `span` of the source refers to (`@...` or `-`), or None.

    Errors: `file-missing` for a bare "@".
    """
    text = source.text[span.start : span.end]
    if text == "-":
        return Reference("-", None, source, span, reader)
    if not text.startswith("@"):
        return None
    inner = Span(span.start + 1, span.end)
    if not text[1:]:
        raise fail("file-missing", "a file name is missing after @", source=source, span=span)
    path, key = _split_key(text[1:])
    return Reference(path, key, source, inner, reader)


def _split_key(text: str) -> tuple[str, str | None]:
    """Path and key. A colon may also belong to either: a drive's C:, an array named a:b."""
    # No path is longer than this, and each colon costs a look at the disk.
    colons = [position for position, character in enumerate(text[:4096]) if character == ":"]
    if not colons or _exists(text):
        return text, None
    ends = [colon for colon in colons if text[:colon] == "-" or _exists(text[:colon])] or [
        colon for colon in colons if text[:colon].lower().endswith(EXTENSIONS)
    ]
    return (text[: ends[0]], text[ends[0] + 1 :]) if ends else (text, None)


def _exists(path: str) -> bool:
    try:
        return Path(path).expanduser().is_file()
    except (OSError, ValueError, RuntimeError):
        return False
