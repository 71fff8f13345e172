"""Any text is an array, an expression to trace, or one Diagnostic that points inside it."""

from __future__ import annotations

import io

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from vjpcli.errors import Source, Span, VjpError
from vjpcli.parser import numbers
from vjpcli.parser.nested import nested_text
from vjpcli.parser.references import StandardInput
from vjpcli.parser.seeds import fit_seed, parse_seed
from vjpcli.parser.values import parse_values

ARRAYS = hnp.arrays(
    np.float64, hnp.array_shapes(min_dims=0, max_dims=4, max_side=4), elements=st.floats(width=64)
)
PIECES = st.sampled_from(
    [*"0123456789.,;:[]()=+-_ \n@x/", "nan", "inf", "1e5", "1e999", "true", "[[", "]]", "2x3", "−"]
)
TEXTS = st.one_of(st.text(max_size=30), st.lists(PIECES, max_size=20).map("".join))


def check_error(error: VjpError, text: str) -> None:
    diagnostic = error.diagnostic
    assert diagnostic.message
    assert diagnostic.source is not None
    for label in diagnostic.labels:
        assert label.span.end <= len(diagnostic.source.text)
    if diagnostic.fix is not None:
        assert diagnostic.fix.text != text


def same_bits(left: np.ndarray, right: np.ndarray) -> bool:
    """Equal to the last bit, signs of zeros included; text has one nan only."""
    return left.shape == right.shape and np.where(np.isnan(left), np.nan, left).tobytes() == (
        np.where(np.isnan(right), np.nan, right).tobytes()
    )


@settings(max_examples=200, deadline=None)
@given(TEXTS)
@example("x:2x3=@-:")
@example("x=[1](")
@example("\u0660=\u0660")
def test_any_argument_is_a_value_or_one_diagnostic(text):
    for argument in (text, f"x={text}"):
        # Devices and files of the machine are not what is tested here.
        if "/" in argument and "@" in argument:
            continue
        try:
            values = parse_values([argument], stdin=StandardInput(lambda: b"1 2 3"))
        except VjpError as error:
            check_error(error, argument)
            continue
        for name, value in values.items():
            assert name.isidentifier()
            assert (value.array is None) == (value.program is not None)
            assert value.source.text[value.span.start : value.span.end] == value.text


@settings(max_examples=200, deadline=None)
@given(TEXTS, hnp.array_shapes(min_dims=0, max_dims=2, max_side=3))
@example("row:-0", (1,))
@example("y:=1", ())
def test_any_seed_fits_or_is_one_diagnostic(text, shape):
    if "/" in text and "@" in text:
        return
    try:
        request = parse_seed(text, stdin=StandardInput(lambda: b"1 2 3"))
        seed = None if request.kind in ("program", "each") else fit_seed(request, shape)
    except VjpError as error:
        check_error(error, text)
    else:
        assert seed is None or seed.shape == shape


@settings(max_examples=100, deadline=None)
@given(ARRAYS)
def test_an_array_printed_as_text_reads_back_bit_for_bit(array):
    (value,) = parse_values([f"x={nested_text(array)}"]).values()
    assert same_bits(value.array, array)
    shape = "x".join(map(str, array.shape))
    flat = ",".join(map(repr, array.ravel().tolist()))
    (value,) = parse_values([f"x:{shape}={flat}"]).values()
    assert same_bits(value.array, array)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join))
@example("[1,[2]]")
@example("1 2,3")
@example("[nan]")
@example("1;2;")
def test_the_quick_readers_agree_with_the_careful_one(text):
    plain = text.replace("−", "-")
    nested = any(bracket in text for bracket in "[]()")
    quick = numbers._quickly_nested(plain) if nested else numbers._quickly_rows(plain)
    if quick is None or numbers._overflowed(quick, plain):
        return
    careful = numbers._CarefulReader(plain, Source(text), 0).read()
    assert same_bits(quick, careful)


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_spans_count_from_the_start_of_the_whole_argument(text):
    source = Source(f"ab{text}cd")
    try:
        numbers.read_numbers(source, Span(2, 2 + len(text)))
    except VjpError as error:
        span = error.diagnostic.labels[0].span
        assert 2 <= span.start <= span.end <= 2 + len(text)


def mutated(content: bytes):
    places = st.lists(st.tuples(st.integers(0, len(content) - 1), st.integers(0, 255)), max_size=6)
    return st.tuples(places, st.integers(0, len(content))).map(
        lambda change: _changed(content, *change)
    )


def _changed(content: bytes, places: list[tuple[int, int]], length: int) -> bytes:
    changed = bytearray(content)
    for place, byte in places:
        changed[place] = byte
    return bytes(changed[: length or None])


def saved(save) -> bytes:
    buffer = io.BytesIO()
    save(buffer)
    return buffer.getvalue()


FILES = [
    saved(lambda file: np.save(file, np.arange(4.0))),
    saved(lambda file: np.savez(file, a=np.arange(4.0))),
    saved(lambda file: np.savez_compressed(file, a=np.arange(4.0), b=np.ones((2, 2)))),
    b'{"a": [1, 2.5, "NaN"], "b": [[1], [2]]}',
    b"a,b\n1,2\n3,4\n",
]


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.binary(max_size=80), *map(mutated, FILES)))
def test_any_bytes_on_standard_input_are_arrays_or_one_diagnostic(content):
    for argument in ("x=-", "x=@-:a", "@-"):
        try:
            values = parse_values([argument], stdin=StandardInput(lambda: content))
        except VjpError as error:
            check_error(error, argument)
        else:
            assert all(value.array.dtype == np.float64 for value in values.values())
