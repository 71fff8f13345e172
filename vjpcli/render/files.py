"""Result files: .npz, .npy, .json, .csv, written whole or not at all.

The result is written to a temporary file in the same folder, brought to the disk, and put in
place by one rename, so that a reader meets the old file or the new one, never a half of it.
"""

from __future__ import annotations

import io
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import Fix, Source, Span, VjpError, did_you_mean, fail

EXTENSIONS = (".npz", ".npy", ".json", ".csv")


def write_arrays(
    path: str | Path,
    arrays: Mapping[str, NDArray[Any]],
    *,
    json_text: Callable[[], str],
    inputs: Iterable[str | Path] = (),
) -> None:
    """Writes the arrays in the format that the extension names.

    .npz   every array by its name, uncompressed
    .npy   the array; there must be one
    .json  what `json_text` returns, called only then
    .csv   one array of at most two axes: its rows, without a header, so that `x=@g.csv` reads
           them back (a vector is one column; a scalar one number). Anything else: one line
           per entry under the header `leaf,index,value`, the index separated by blanks
           ("0 2"; empty for a scalar), as a data frame likes it

    Numbers in text are the shortest that read back the same.

    An existing file is replaced and keeps its permissions; a symbolic link stays and the file
    behind it is replaced. `inputs` are the files that were read: none of them is overwritten,
    by whatever name or link the path reaches them.

    Errors: `output-extension`, `output-one-array`, `output-is-input`, `output-is-folder`,
        `output-folder-missing`, `output-not-writable`, `output-failed`, `output-stdout`.
    """
    text = str(path)
    extension = _checked_extension(text, arrays)
    try:
        target = Path(text).expanduser().resolve()
        mode = _mode_to_keep(target, text)
    except (OSError, ValueError, RuntimeError) as error:
        raise _failed(text, error) from None
    _refuse_inputs(target, text, inputs)
    try:
        _replace(target, mode, lambda file: _write(file, extension, arrays, json_text))
    except OSError as error:
        raise _failed(text, error) from None


def _checked_extension(path: str, arrays: Mapping[str, NDArray[Any]]) -> str:
    if path == "-":
        raise _fault(path, "output-stdout", "the answer goes to standard output without -o")
    extension = Path(path).suffix.lower()
    if extension not in EXTENSIONS:
        has = f"the unknown extension {extension}" if extension else "no extension"
        near = did_you_mean(extension, EXTENSIONS) or ".npz"
        stem = path[: len(path) - len(extension)]
        raise _fault(
            path,
            "output-extension",
            f"{path or 'the empty name'} has {has}; known are {', '.join(EXTENSIONS)}",
            fix=Fix(f"{stem}{near}", replaces=path) if Path(stem).name else None,
        )
    if extension == ".npy" and len(arrays) != 1:
        shown = ", ".join(list(arrays)[:8]) + (", ..." if len(arrays) > 8 else "")
        raise _fault(
            path,
            "output-one-array",
            f"a .npy file holds one array, but there are {len(arrays)}: {shown}",
            notes=("--wrt NAME chooses one leaf; a .npz file holds them all",),
            fix=Fix(f"{path[:-4]}.npz", replaces=path),
        )
    return extension


def _refuse_inputs(target: Path, path: str, inputs: Iterable[str | Path]) -> None:
    for read in inputs:
        try:
            same = target.samefile(Path(read).expanduser())
        except (OSError, ValueError, RuntimeError):
            # The file is not there yet, or the input was a name only: no file can be lost.
            same = False
        if same:
            extension = Path(path).suffix
            stem = path.removesuffix(extension)
            raise _fault(
                path,
                "output-is-input",
                f"{path} was read as an input and would be overwritten",
                fix=Fix(f"{stem}-grad{extension}", replaces=path),
            )


def _mode_to_keep(target: Path, path: str) -> int | None:
    """The permissions of the file that is replaced, or None where there is none yet."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        if target.parent.is_dir():
            return None
        raise _fault(
            path,
            "output-folder-missing",
            f"there is no folder {Path(path).parent}",
            notes=(f"create it first: mkdir -p {Path(path).parent}",),
        ) from None
    if stat.S_ISDIR(mode):
        raise _fault(path, "output-is-folder", f"{path} is a folder")
    if not stat.S_ISREG(mode):
        raise _fault(
            path, "output-not-writable", f"{path} is not an ordinary file and cannot be replaced"
        )
    # A rename would replace a write-protected file without asking.
    if not os.access(target, os.W_OK):
        raise _fault(path, "output-not-writable", f"{path} is write-protected")
    return stat.S_IMODE(mode)


def _replace(target: Path, mode: int | None, write: Callable[[IO[bytes]], None]) -> None:
    # 0o666 is cut by the umask, as for any new file.
    temporary = target.parent / f".vjp-{secrets.token_hex(8)}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
            write(file)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _write(
    file: IO[bytes],
    extension: str,
    arrays: Mapping[str, NDArray[Any]],
    json_text: Callable[[], str],
) -> None:
    match extension:
        case ".npy":
            (array,) = arrays.values()
            np.lib.format.write_array(file, np.asarray(array), allow_pickle=False)
        case ".npz":
            _write_npz(file, arrays)
        case ".json":
            text = json_text()
            file.write(text.encode())
            if not text.endswith("\n"):
                file.write(b"\n")
        case _:
            text_file = io.TextIOWrapper(file, "utf-8", newline="\n")
            _write_csv(text_file, arrays)
            # Without this the wrapper closes the file when it goes, before it is on the disk.
            text_file.detach()


def _write_npz(file: IO[bytes], arrays: Mapping[str, NDArray[Any]]) -> None:
    """As numpy.savez does, which cannot store an array that is called `file`."""
    import zipfile  # noqa: PLC0415 - only .npz needs it

    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)


def _write_csv(file: IO[str], arrays: Mapping[str, NDArray[Any]]) -> None:
    only = next(iter(arrays.values())) if len(arrays) == 1 else None
    if only is not None and np.ndim(only) <= 2:
        rows = only.reshape(-1, 1) if np.ndim(only) < 2 else only
        for row in rows.tolist():
            file.write(",".join(map(repr, row)) + "\n")
        return
    file.write("leaf,index,value\n")
    for name, array in arrays.items():
        for index, value in zip(np.ndindex(array.shape), array.ravel().tolist(), strict=True):
            file.write(f"{name},{' '.join(map(str, index))},{value!r}\n")


def _failed(path: str, error: OSError | ValueError | RuntimeError) -> VjpError:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    denied = isinstance(error, PermissionError)
    return _fault(
        path,
        "output-not-writable" if denied else "output-failed",
        f"{path} cannot be written: {reason.lower()}",
        notes=("nothing was written",),
    )


def _fault(
    path: str, code: str, message: str, *, notes: Iterable[str] = (), fix: Fix | None = None
) -> VjpError:
    return fail(
        code,
        message,
        source=Source(path, "-o"),
        span=Span(0, len(path)),
        notes=notes,
        fix=fix,
    )
