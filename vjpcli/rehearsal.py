"""Running an example of a page: the same program on streams that are kept instead of shown."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from vjpcli.record import record
from vjpcli.streams import Streams


@record
class Rehearsal:
    """What an example printed.

    Attributes:
        command: the command line as it is typed.
        out, err: what went to stdout and stderr.
        exit_code: 0, 1 or 2.
    """

    command: str
    out: str
    err: str
    exit_code: int


class _Kept(io.StringIO):
    """Text that is kept; it answers a terminal's questions, so that screens have a width."""

    def __init__(self, encoding: str, is_terminal: bool) -> None:
        super().__init__()
        self._encoding = encoding
        self._is_terminal = is_terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]  # StringIO says None
        return self._encoding

    def isatty(self) -> bool:
        return self._is_terminal


def rehearse(
    command: str,
    *,
    width: int | None = None,
    ascii_only: bool = False,
    colour: bool = False,
    files: Mapping[str, str] | None = None,
    stdin: str = "",
) -> Rehearsal:
    """Runs a command line that begins with `vjp`, in this process and an empty folder.

    `files` are written to the folder first; `width` None sets no limit.
    """
    from vjpcli.cli import run_on  # noqa: PLC0415  (the command line imports this module)

    program, *arguments = shlex.split(command)
    if program != "vjp":
        raise ValueError(f"not a command line of vjp: {command}")
    environment = {"FORCE_COLOR": "1"} if colour else {"NO_COLOR": "1"}
    if width is not None:
        environment["COLUMNS"] = str(width)
    encoding = "ascii" if ascii_only else "utf-8"
    streams = Streams(
        _Kept(encoding, width is not None),
        _Kept(encoding, width is not None),
        environment,
        ascii_only=ascii_only,
    )
    streams.colour_when("auto")
    with _folder(files or {}), _standard_input(stdin):
        exit_code = run_on(arguments, streams)
    out, err = (kept.getvalue().rstrip("\n") for kept in (streams.out, streams.err))  # type: ignore[attr-defined]  # both are _Kept
    return Rehearsal(command, out, err, exit_code)


@contextlib.contextmanager
def _folder(files: Mapping[str, str]) -> Iterator[None]:
    """An empty folder with these files in it is where relative paths begin."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_text(content, encoding="utf-8")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


@contextlib.contextmanager
def _standard_input(text: str) -> Iterator[None]:
    """Standard input holds this text, so that no example ever waits for a person."""
    before: Any = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")
    try:
        yield
    finally:
        sys.stdin = before
