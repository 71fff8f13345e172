"""stdout and stderr: their width, colour and characters, and what goes to which."""

from __future__ import annotations

import errno
import io
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TextIO, cast

from vjpcli.errors import Diagnostic, VjpError, fail

WIDEST = 10_000
"""Columns, the most that --width takes: COLUMNS may hold any number."""


class ReaderGone(Exception):  # noqa: N818 - not an error: `| head` has read enough
    """Whoever read stdout has closed it."""


@dataclass(slots=True, eq=False, repr=False)
class Streams:
    """The two streams of a run.

    Attributes:
        out, err: where text goes.
        environment: for NO_COLOR, FORCE_COLOR, TERM and COLUMNS.
        colour: whether stdout gets colour.
        ascii_only: whether stdout can show nothing but ASCII.
    """

    out: TextIO
    err: TextIO
    environment: Mapping[str, str]
    colour: bool = False
    ascii_only: bool = False

    @staticmethod
    def of_process() -> Streams:
        """Those of this process.

        Python has None for a stream that was closed before it started (`>&-`).
        """
        streams = Streams(_open(sys.stdout), _open(sys.stderr), os.environ)
        streams.ascii_only = not shows_unicode(streams.out)
        streams.colour_when("auto")
        return streams

    def colour_when(self, when: str) -> None:
        """auto: on a terminal that can, unless NO_COLOR; FORCE_COLOR also elsewhere."""
        self.colour = when == "always" or (when == "auto" and self._wants_colour(self.out))

    def _wants_colour(self, stream: TextIO) -> bool:
        if self.environment.get("NO_COLOR"):
            return False
        if self.environment.get("FORCE_COLOR", "0") not in ("", "0"):
            return True
        return stream.isatty() and self.environment.get("TERM") != "dumb"

    def width(self, wanted: int | None) -> int | None:
        """Columns of the screen; None (no limit) when stdout is not a terminal.

        COLUMNS, where it is set, counts in both cases.
        """
        if wanted is not None:
            return wanted
        columns = self.environment.get("COLUMNS", "")
        if columns.isascii() and columns.isdigit():
            # as many digits as that are more than enough, and int() refuses thousands of them
            wide = min(WIDEST, int(columns[:9]))
            if wide >= 24:
                return wide
        if not self.out.isatty():
            return None
        return max(24, shutil.get_terminal_size((80, 24)).columns)

    def answer(self, text: str) -> None:
        """Prints to stdout.

        Raises ReaderGone where nobody reads it any more.

        Errors: output-failed (a full disk, a closed stream).
        """
        text = text if text.endswith("\n") else text + "\n"
        try:
            self.out.write(_encodable(text, self.out))
            self.out.flush()
        except BrokenPipeError:
            # typer would end the program with an exit code of its own if it saw this
            raise ReaderGone from None
        except OSError as error:
            raise unwritable(error) from None

    def say(self, text: str) -> None:
        """Prints to stderr."""
        try:
            self.err.write(_encodable(text + "\n", self.err))
            self.err.flush()
        except (OSError, ValueError):
            pass  # nobody listens; the answer and the exit code still count

    def notes(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Prints notes and warnings to stderr, a line each."""
        for diagnostic in diagnostics:
            text = f"{diagnostic.severity}: {diagnostic.message}"
            self.say(_plain(text) if not shows_unicode(self.err) else text)

    def complain(self, diagnostic: Diagnostic, typed: Sequence[str], *, as_json: bool) -> None:
        """Prints one error to stderr, with the corrected command where there is one."""
        from vjpcli.render.diagnostic import shell_command  # noqa: PLC0415

        corrected = diagnostic.fix.apply(typed) if diagnostic.fix else None
        command = None if corrected is None else shell_command(["vjp", *corrected])
        if as_json:
            from vjpcli.render.json import render_error_json  # noqa: PLC0415

            self.say(render_error_json(diagnostic, command))
            return
        from vjpcli.render.diagnostic import render_diagnostic  # noqa: PLC0415

        self.say(
            render_diagnostic(
                diagnostic,
                width=self.width(None) if self.err.isatty() else None,
                ascii_only=not shows_unicode(self.err),
                colour=self._wants_colour(self.err),
                corrected_command=command,
            )
        )


_current: ContextVar[Streams] = ContextVar("_current")


@contextmanager
def in_use(streams: Streams) -> Iterator[None]:
    """Makes these the streams of the run inside the block."""
    token = _current.set(streams)
    try:
        yield
    finally:
        _current.reset(token)


def the_streams() -> Streams:
    """stdout and stderr of the run that is going on."""
    return _current.get()


class _Closed(io.TextIOBase):
    """A stream that was closed before the program started."""

    encoding = "utf-8"

    def write(self, text: str, /) -> int:  # noqa: ARG002 - it is refused unseen
        """Fails as a write to a closed file descriptor does."""
        raise OSError(errno.EBADF, "it is closed")


def _open(stream: TextIO | None) -> TextIO:
    return cast(TextIO, _Closed()) if stream is None else stream


def unwritable(error: OSError) -> VjpError:
    """The Diagnostic for an answer that standard output does not take."""
    reason = (error.strerror or str(error)).lower()
    return fail("output-failed", f"the answer cannot be written to standard output: {reason}")


def _encodable(text: str, stream: TextIO) -> str:
    """`text` with an escape for every character that the stream's encoding lacks."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    if text.isascii():
        return text
    try:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    except LookupError:
        return _plain(text)


def shows_unicode(stream: TextIO) -> bool:
    """Whether a stream can show every character (not when its encoding is unknown)."""
    encoding = (getattr(stream, "encoding", None) or "").lower().replace("_", "-")
    return encoding.startswith("utf") or encoding == "cp65001"


def _plain(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode("ascii")
