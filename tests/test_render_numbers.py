from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vjpcli.render.glyphs import GLYPHS, pretty_formula, printable
from vjpcli.render.numbers import format_number, format_shape, shortest, shortest_numbers
from vjpcli.render.selection import select, with_gaps
from vjpcli.streams import shows_unicode


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (22.791759469228055, "22.79"),
        (1.25e-05, "1.25e-05"),
        (1 / 60, "0.01667"),
        (0.0001, "0.0001"),
        (16.0, "16"),
        (4.277e-18, "4.277e-18"),
        (-0.0, "0"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (100000.0, "100000"),
        (12345.678, "1.235e+04"),
        (1e300, "1e+300"),
        (np.bool_(True), "True"),
        (np.float32(0.1), "0.1"),
    ],
)
def test_numbers_read_as_on_the_screens(value, text):
    assert format_number(value) == text


@given(st.floats())
def test_all_digits_read_back_as_the_same_number(value):
    assert repr(float(format_number(value, 17))).replace("-0.0", "0.0") == repr(value).replace(
        "-0.0", "0.0"
    ) or math.isnan(value)


@given(st.floats(width=32))
def test_shortest_float32_reads_back_as_the_same_float32(value):
    single = np.float32(value)
    text = shortest(single)
    assert np.array_equal(np.float32(text), single, equal_nan=True)
    assert len(text) <= len(repr(float(single)))


@given(st.floats(-1e300, 1e300), st.integers(1, 17))
def test_no_number_loses_more_than_its_last_digit_shown(value, digits):
    assert float(format_number(value, digits)) == pytest.approx(value, rel=10.0 ** (1 - digits))


def test_shortest_numbers_are_row_major():
    assert shortest_numbers(np.array([[1.0, 0.3], [-0.0, np.nan]])) == ["1.0", "0.3", "-0.0", "nan"]


@pytest.mark.parametrize(
    ("shape", "text"), [((), "scalar"), ((3,), "[3]"), ((2, 3), "2×3"), ((0, 4), "0×4")]
)
def test_shapes_read_as_on_the_screens(shape, text):
    assert format_shape(shape) == text


@given(st.text())
def test_printed_text_holds_nothing_a_terminal_could_obey(text):
    assert printable(text).isprintable()
    plain = printable(text, ascii_only=True)
    assert plain.isascii()
    assert plain.isprintable()


def test_every_glyph_has_an_ascii_form_that_is_not_an_escape():
    assert "\\" not in printable(GLYPHS, ascii_only=True)


def test_dots_become_products_or_zeros_in_ascii():
    assert printable("× 2·t3, · is a zero", ascii_only=True) == "* 2*t3, . is a zero"
    assert printable("2×3×4, seed × row", ascii_only=True) == "2x3x4, seed * row"


def test_names_that_are_not_ascii_become_escapes():
    assert printable("α = 1", ascii_only=True) == r"\u03b1 = 1"
    assert printable("x\x1b[31m") == r"x\x1b[31m"


def test_formulas_keep_their_powers():
    assert pretty_formula("4*b**2 + W.T @ x") == "4·b**2 + Wᵀ @ x"
    assert pretty_formula("4*b", ascii_only=True) == "4*b"


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("utf-8", True), ("UTF_16", True), ("ascii", False), ("latin-1", False), (None, False)],
)
def test_glyphs_are_shown_only_where_the_encoding_has_them(encoding, shown):
    assert shows_unicode(SimpleNamespace(encoding=encoding)) is shown


@given(st.integers(1, 60), st.integers(1, 30), st.lists(st.integers(0, 59), max_size=3))
def test_selection_is_ordered_bounded_and_keeps_what_is_wanted(count, room, wanted):
    chosen = select(count, room, wanted)
    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(count, room)
    inside = list(dict.fromkeys(w for w in wanted if w < count))
    assert set(inside[:room]) <= set(chosen)
    gaps = with_gaps(chosen, count)
    assert [position for position in gaps if position is not None] == chosen
    assert (None in gaps) == (len(chosen) < count)
