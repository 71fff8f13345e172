"""Seed text -> the vector given at an output.

    seed      = [output "=" | output ":" shape "=" | shape "="] form
    form      = "ones" | "zeros" | "each" | "row:" index | value
    index     = integer | integers separated by commas, with or without brackets

`value` is any value that a name can be given: numbers, a file, standard input, or an
expression in the language, which is handed on as text. A seed is never broadcast: it has the
shape of its output or is refused.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import Fix, Source, Span, VjpError, did_you_mean, fail
from vjpcli.parser.nested import counted, nested_text, read_only
from vjpcli.parser.references import StandardInput
from vjpcli.parser.values import checked_name, read_shape, read_value, stripped
from vjpcli.parser.values import shaped as reshaped
from vjpcli.record import record

_WORDS = ("ones", "zeros", "each")
# Constants of the language: the only names that are a seed by themselves.
_CONSTANTS = ("pi", "e")
# Texts, compiled where they are used: most runs have no seed.
_ROW = r"row\s*:\s*[\[(]?\s*(-?\d+(?:\s*,\s*-?\d+)*)\s*,?\s*[\])]?"
# The two parts of a complex value z take seeds of their own: z.real=1,2.
_OUTPUT = r"\s*(\w+)(\.real|\.imag)?\s*(?::([^=]*))?=(?!=)"
_SHAPE = r"\s*(\d[\dxX×\s]*)="
# Longer seeds are corrected by the shape before them, not by writing them out again.
_MOST_WRITTEN = 24


@record(eq=False)
class SeedRequest:
    """A seed as it was asked for; `fit_seed` makes it the vector for one output.

    Attributes:
        kind: "numbers" (typed, from a file or from standard input), "ones", "zeros", "row",
            "each", or "program": an expression that the caller traces, see `with_array`.
        text: what was typed, NAME= included.
        source: the same, for labels.
        span: where the seed stands in it, without NAME=.
        output_name: the output that it is for, or None for the program's output.
        array: the numbers, float64 and read-only; for kind "numbers" only.
        row: the index of "row:0,1".
        program: the text of the expression, for kind "program" only.
        shape: what the value of `program` is to be reshaped to; or None.
        origin: as an Explanation names it.
        path: the file that was read, which must not be overwritten; or None.
    """

    kind: Literal["numbers", "ones", "zeros", "row", "each", "program"]
    text: str
    source: Source
    span: Span
    output_name: str | None = None
    array: NDArray[np.float64] | None = None
    row: tuple[int, ...] | None = None
    program: str | None = None
    shape: tuple[int, ...] | None = None
    origin: Literal["given", "ones", "row", "each", "file"] = "given"
    path: Path | None = None

    def with_array(self, array: NDArray[Any]) -> SeedRequest:
        """The request of kind "numbers" that a traced program has become.

        Errors: `value-shape`.
        """
        numbers = reshaped(
            read_only(np.array(array)), self.shape, self.source, self.span, is_file=True
        )
        return replace(self, kind="numbers", array=numbers)


def parse_seed(text: str, *, stdin: StandardInput | None = None) -> SeedRequest:
    """What a `--seed` asks for, whatever the shape of the output will be.

    Errors: `seed-form`, `seed-row`, and those of `values.parse_values`.
    """
    source = Source(text, "--seed")
    name, shape = None, None
    shaped = re.match(_SHAPE, text, re.ASCII)
    output = shaped or re.match(_OUTPUT, text)
    if shaped:
        shape = read_shape(source, stripped(source, Span(*shaped.span(1))))
    elif output:
        name = checked_name(source, Span(*output.span(1))) + (output[2] or "")
        if output[3] is not None:
            shape = read_shape(source, stripped(source, Span(*output.span(3))))
    span = stripped(source, Span(output.end() if output else 0, len(text)))
    form = text[span.start : span.end]
    request = SeedRequest("numbers", text, source, span, name)
    if not form and not (shape and 0 in shape):
        raise fail(
            "seed-form",
            "the seed is empty",
            source=source,
            span=span,
            notes=("a seed looks like 0.1,1,0.0001 or ones or row:0 or @seed.npy",),
        )
    if shape is None:
        special = _special(form, request)
        if special is not None:
            return special
    value = read_value(name or "seed", source, span, shape, stdin=stdin, reader="the seed")
    if value.program is not None:
        return replace(request, kind="program", program=value.program, shape=value.shape)
    origin: Literal["given", "file"] = "given" if value.origin == "given" else "file"
    return replace(request, array=value.array, origin=origin, path=value.path)


def _special(form: str, request: SeedRequest) -> SeedRequest | None:
    word = form.lower()
    match word:
        case "ones":
            return replace(request, kind="ones", origin="ones")
        case "zeros":
            return replace(request, kind="zeros")
        case "each":
            return replace(request, kind="each", origin="each")
    if re.match(r"rows?\s*(?::|$)", word):
        index = re.fullmatch(_ROW, word, re.ASCII)
        if index is None or any(len(part) > 18 for part in index[1].split(",")):
            raise fail(
                "seed-row",
                f"{form[:40]} does not name a row",
                source=request.source,
                span=request.span,
                notes=("row:0 picks the first entry of a vector, row:0,1 an entry of a matrix",),
                fix=_seed_fix(request, "row:0"),
            )
        row = tuple(int(part) for part in index[1].split(","))
        return replace(request, kind="row", row=row, origin="row")
    if form.isidentifier() and word not in (*_CONSTANTS, "nan", "inf", "infinity", "true", "false"):
        near = did_you_mean(form, _WORDS)
        raise fail(
            "seed-form",
            f"{form[:40]} is not a seed",
            source=request.source,
            span=request.span,
            notes=(
                "a seed is numbers, a file, ones, zeros, each, row:0, "
                "or an expression such as randn(3) with --rng",
            ),
            fix=_seed_fix(request, near) if near else None,
        )
    return None


def fit_seed(
    request: SeedRequest,
    shape: tuple[int, ...],
    output_name: str = "y",
    *,
    broadcast_fix: Fix | None = None,
) -> NDArray[np.float64] | None:
    """The vector for an output of this shape; None for "each".

    `broadcast_fix` is the program in which the output is broadcast to the shape of this seed;
    it is offered where that is possible.

    Shapes: -> `shape`.
    Errors: `seed-shape`, `seed-row`. A request of kind "program" must have become numbers.
    """
    match request.kind:
        case "each":
            return None
        case "ones":
            return read_only(np.ones(shape))
        case "zeros":
            return read_only(np.zeros(shape))
        case "row":
            return _one_hot(request, shape, output_name)
    if request.array is None:
        raise ValueError("the program of this seed has not been run")
    if request.array.shape != shape:
        raise _wrong_shape(request, request.array, shape, output_name, broadcast_fix)
    return request.array


def _one_hot(request: SeedRequest, shape: tuple[int, ...], output_name: str) -> NDArray[np.float64]:
    row = request.row or ()
    flat = int(row[0]) if len(row) == 1 else 0
    count = math.prod(shape)
    if len(row) == 1 and not shape and flat in (0, -1):
        # The Jacobian of a scalar has one row.
        row = ()
    if len(row) != len(shape):
        axes = "1 axis" if len(shape) == 1 else f"{len(shape)} axes"
        fix = None
        if len(row) == 1 and shape and -count <= flat < count:
            index = np.unravel_index(flat % count, shape)
            fix = _seed_fix(request, "row:" + ",".join(str(int(i)) for i in index))
        raise fail(
            "seed-row",
            f"row:{','.join(map(str, row))} gives {counted(len(row), 'number')}, "
            f"but the output {output_name} has shape {shape}: {axes}",
            source=request.source,
            span=request.span,
            fix=fix,
        )
    for axis, (position, length) in enumerate(zip(row, shape, strict=True)):
        if not -length <= position < length:
            where = f" along axis {axis}" if len(shape) > 1 else ""
            last = ",".join(str(max(n - 1, 0)) for n in shape)
            raise fail(
                "seed-row",
                f"row {position} is outside the output {output_name}, which has "
                f"{counted(length, 'entry')}{where} (shape {shape})",
                source=request.source,
                span=request.span,
                notes=("rows are counted from 0",) if length else (),
                fix=_seed_fix(request, f"row:{last}") if count else None,
            )
    seed = np.zeros(shape)
    seed[row] = 1.0
    return read_only(seed)


def _wrong_shape(
    request: SeedRequest,
    seed: NDArray[np.float64],
    shape: tuple[int, ...],
    output_name: str,
    broadcast_fix: Fix | None,
) -> VjpError:
    notes = ["a seed has the shape of the output: it holds one weight per output entry"]
    count = math.prod(shape)
    if seed.size == count:
        fix = _reshaped(request, seed, shape)
    elif broadcast_fix is not None and _broadcasts(shape, seed.shape):
        fix = broadcast_fix
    else:
        if seed.ndim == 0:
            notes.append(
                "the seed is the vector in the product seed @ Jacobian; "
                "random values are chosen by --rng"
            )
        entries = counted(count, "entry")
        fix = _seed_fix(
            request, "ones", says=f"weights each of the {entries} of {output_name} by 1"
        )
    return fail(
        "seed-shape",
        f"the seed has shape {seed.shape}, but the output {output_name} has shape {shape}",
        source=request.source,
        span=request.span,
        notes=notes,
        fix=fix,
    )


def _broadcasts(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether an array of `shape` can be stretched to `target`."""
    return len(shape) <= len(target) and all(
        length in (1, wanted)
        for length, wanted in zip(reversed(shape), reversed(target), strict=False)
    )


def _reshaped(request: SeedRequest, seed: NDArray[np.float64], shape: tuple[int, ...]) -> Fix:
    """The same numbers in the shape of the output."""
    if request.program is not None:
        return _seed_fix(request, f"reshape({request.program}, {shape})")
    # Lists cannot tell (0, 3) from (0,), so an empty seed takes its shape in front.
    if not shape or (request.origin == "given" and 0 < seed.size <= _MOST_WRITTEN):
        says = "the same numbers" if shape else "without brackets"
        return _seed_fix(request, nested_text(seed.reshape(shape)), says=says)
    axes = "x".join(map(str, shape))
    value = request.source.text[request.span.start : request.span.end]
    name = f"{request.output_name}:" if request.output_name else ""
    return Fix(f"{name}{axes}={value}", replaces=request.text, says="reshapes it")


def _seed_fix(request: SeedRequest, form: str, says: str = "") -> Fix:
    prefix = f"{request.output_name}=" if request.output_name else ""
    return Fix(f"{prefix}{form}", replaces=request.text, says=says)
