"""The bytes of .npy and .npz -> arrays, without pickle and without trusting a header.

NumPy's own reader allocates what the header claims and calls `ast` on it. Here the header is
matched against the one form that NumPy writes, and its claim is compared with the bytes that
are there before anything is allocated.

Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
"""

from __future__ import annotations

import math
import re
import struct
import zipfile
import zlib
from typing import IO, Final

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import VjpError, fail
from vjpcli.parser.nested import MOST_AXES, counted, read_only

NPY_MAGIC = b"\x93NUMPY"
ZIP_MAGIC = b"PK"

# A header of NumPy's has 64 axes at most, each below 2**63: far less than this.
_LONGEST_HEADER = 65536
_SHAPE = re.compile(r"'shape':\s*\(([\d,\s]*)\)")
_ORDER = re.compile(r"'fortran_order':\s*(True|False)")
_KIND = re.compile(r"'descr':\s*'([<>|=]?)([A-Za-z?])(\d*)[^']*'")
_STRUCTURED = re.compile(r"'descr':\s*[\[(]")

# Deflate shrinks at most 1032 times. An archive that both shrinks beyond anything but a
# constant array and unpacks to more than this is taken for a decompression bomb.
_MOST_SHRUNK = 200
_MOST_UNPACKED = 1 << 30

_COMPLEX = "complex numbers"

# What zipfile and zlib raise on damaged or locked archives.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    KeyError,
    IndexError,
    RuntimeError,
)


def read_npy(file: IO[bytes], size: int, name: str) -> NDArray[np.float64]:
    """The array in a .npy file whose `size` bytes begin at the file's position.

    Shapes: as the header says; integers, booleans and shorter floats become float64.
    Errors: `file-corrupt`, `pickle-refused` (object arrays), `array-kind` (complex numbers,
        text, dates, records), `too-many-axes`.
    """
    start = file.read(8)
    if start[:6] != NPY_MAGIC or len(start) < 8:
        raise _corrupt(name, "it does not begin as a .npy file does")
    length_format, length_size = ("<H", 2) if start[6] == 1 else ("<I", 4)
    length_bytes = file.read(length_size)
    if start[6] not in (1, 2, 3) or len(length_bytes) < length_size:
        raise _corrupt(name, "its header is damaged")
    (length,) = struct.unpack(length_format, length_bytes)
    if length > min(_LONGEST_HEADER, size):
        raise _corrupt(name, "its header is damaged")
    header = file.read(length).decode("latin-1")
    dtype, fortran, shape = _header(header, name)
    count = math.prod(shape)
    expected = count * dtype.itemsize
    there = size - 8 - length_size - length
    if there < expected:
        raise _corrupt(
            name,
            f"its header promises shape {shape}, {counted(expected, 'byte')}, "
            f"but {counted(max(there, 0), 'byte')} follow",
        )
    data = file.read(expected)
    if len(data) < expected:
        raise _corrupt(name, "it ends too early")
    flat = np.frombuffer(data, dtype, count)
    return read_only(flat.reshape(shape[::-1]).T if fortran else flat.reshape(shape))


def _header(header: str, name: str) -> tuple[np.dtype[np.generic], bool, tuple[int, ...]]:
    if _STRUCTURED.search(header):
        raise _wrong_kind(name, "records with named fields")
    kind, order, shape_text = _KIND.search(header), _ORDER.search(header), _SHAPE.search(header)
    if not (kind and order and shape_text):
        raise _corrupt(name, "its header is damaged")
    letter = kind[2]
    if letter == "O":
        raise fail(
            "pickle-refused",
            f"{name} holds Python objects (a pickle), which can run code when read",
            notes=("save numbers instead: numpy.save(path, array.astype(float))",),
        )
    if letter not in "biuf?":
        raise _wrong_kind(
            name, {"c": _COMPLEX, "M": "dates", "m": "time spans"}.get(letter, "text")
        )
    axes = [axis for axis in re.split(r"[,\s]+", shape_text[1]) if axis]
    if len(axes) > MOST_AXES:
        raise fail("too-many-axes", f"{name} claims {len(axes)} axes; {MOST_AXES} are the most")
    if any(len(axis) > 19 for axis in axes):
        raise _corrupt(name, f"its header promises the absurd shape ({shape_text[1]})")
    try:
        dtype = np.dtype(kind[1] + letter + kind[3])
    except TypeError:
        raise _wrong_kind(name, f"numbers of the unknown type {letter}{kind[3]}") from None
    return dtype, order[1] == "True", tuple(int(axis) for axis in axes)


class Archive:
    """The arrays of an .npz file, each read only when it is asked for."""

    kind: Final = "npz"

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._name = name
        try:
            self._zip = zipfile.ZipFile(file)
        except _DAMAGE:
            raise _corrupt(name, "it is not a complete .npz archive") from None
        self._members = {
            member.filename.removesuffix(".npy"): member
            for member in self._zip.infolist()
            if member.filename.endswith(".npy")
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The arrays, in the order in which they are stored."""
        return tuple(self._members)

    def resolve(self, key: str) -> str | None:
        """The array that `key` means; the member's own name, x.npy, is understood too."""
        return next(
            (name for name in (key, key.removesuffix(".npy")) if name in self._members), None
        )

    def inside(self, key: str) -> None:
        """Nothing: an archive holds arrays only."""

    def read(self, name: str) -> NDArray[np.float64]:
        """One array by its name.

        Errors: those of `read_npy`, and `file-too-large` for a decompression bomb.
        """
        member = self._members[name]
        full_name = f"{self._name}:{name}"
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _corrupt(full_name, "it is packed by a method that NumPy does not use")
        self._refuse_bomb(member, full_name)
        try:
            with self._zip.open(member) as file:
                return read_npy(file, member.file_size, full_name)
        except _DAMAGE:
            raise _corrupt(full_name, "its packed bytes are damaged or locked") from None

    def _refuse_bomb(self, member: zipfile.ZipInfo, name: str) -> None:
        shrunk = member.file_size / max(member.compress_size, 1)
        if member.file_size > _MOST_UNPACKED and shrunk > _MOST_SHRUNK:
            raise fail(
                "file-too-large",
                f"{name} would unpack to {member.file_size} bytes, "
                f"{shrunk:.0f} times its packed size",
                notes=("if it is meant, save it with numpy.savez instead of savez_compressed",),
            )


def _corrupt(name: str, why: str) -> VjpError:
    return fail("file-corrupt", f"{name} cannot be read: {why}")


def _wrong_kind(name: str, what: str) -> VjpError:
    parts = "save z.real and z.imag, and write a + 1j*b in the expression"
    notes = (parts,) if what == _COMPLEX else ()
    return fail("array-kind", f"{name} holds {what}; real numbers are needed", notes=notes)
