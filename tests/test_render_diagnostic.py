from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from vjpcli.errors import Diagnostic, Fix, Label, Source, Span
from vjpcli.render.diagnostic import render_diagnostic, shell_command


def pointing(text, start, end, label="here", origin="expression", **more):
    source = Source(text, origin)
    return Diagnostic("some-fault", "it is wrong", source=source,
                      labels=(Label(Span(start, end), label),), **more)  # fmt: skip


def test_an_error_reads_as_promised():
    diagnostic = Diagnostic(
        "seed-shape",
        "the seed has shape (3,), but the output has shape (1,)",
        source=Source("3*a + 2*b*b + log(c)"),
        labels=(Label(Span(0, 20), "output of shape (1,)"),),
        notes=("a seed is never broadcast",),
        fix=Fix(text="broadcast_to(3*a + 2*b*b + log(c), (3,))", replaces="..."),
    )
    assert render_diagnostic(diagnostic, width=80, corrected_command='vjp explain "x"') == (
        "error[seed-shape]: the seed has shape (3,), but the output has shape (1,)\n"
        "  3*a + 2*b*b + log(c)\n"
        "  ^^^^^^^^^^^^^^^^^^^^ output of shape (1,)\n"
        "  note: a seed is never broadcast\n"
        '  try: vjp explain "x"'
    )


@pytest.mark.parametrize(
    ("text", "start", "end", "line", "carets"),
    [
        ("数 + x", 4, 5, "  数 + x", "       ^ here"),
        ("\tx + y", 5, 6, "      x + y", "          ^ here"),
        ("x +", 3, 3, "  x +", "     ^ here"),
        ("a\nb + cc\nd", 6, 8, "  line 2: b + cc", "              ^^ here"),
        ("ab\ncd", 0, 5, "  line 1: ab", "          ^^ here"),
        ("ab\r\ncd", 4, 6, "  line 2: cd", "          ^^ here"),
        ("", 0, 0, "", "  ^ here"),
    ],
)
def test_carets_stand_under_the_right_part(text, start, end, line, carets):
    assert render_diagnostic(pointing(text, start, end)).splitlines()[1:] == [line, carets]


def test_the_origin_is_named_unless_it_is_the_expression():
    lines = render_diagnostic(pointing("1,2,z", 4, 5, origin="value of a")).splitlines()
    assert lines[1:] == ["  value of a: 1,2,z", "                  ^ here"]


def test_several_labels_share_their_line():
    diagnostic = Diagnostic(
        "shape-mismatch", "they do not fit", source=Source("a + b"),
        labels=(Label(Span(0, 1), "shape (3,)"), Label(Span(4, 5), "shape (2,)")),
    )  # fmt: skip
    assert render_diagnostic(diagnostic).splitlines()[1:] == [
        "  a + b",
        "  ^ shape (3,)",
        "      ^ shape (2,)",
    ]


def test_a_very_long_line_is_shown_around_the_caret_without_cutting_numbers():
    text = "1234.5678 + " * 100_000 + "bad + " + "1234.5678 + " * 100_000
    start = text.index("bad")
    lines = render_diagnostic(pointing(text, start, start + 3), width=80).splitlines()
    assert cell_len(lines[1]) <= 80
    assert lines[1].startswith("  … ")
    assert lines[1].endswith(" …")
    assert lines[2].index("^^^") == lines[1].index("bad")
    words = lines[1].strip(" …").split()
    assert set(words) == {"1234.5678", "+", "bad"}


@given(st.text(min_size=1, max_size=200), st.data(), st.integers(40, 120), st.booleans())
def test_any_text_is_shown_inside_the_page(text, data, width, ascii_only):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    shown = render_diagnostic(pointing(text, start, end), width=width, ascii_only=ascii_only)
    for line in shown.split("\n"):
        assert cell_len(line) <= width
        assert line.isprintable()
        assert line.isascii() or not ascii_only
    assert "^" in shown


def test_colour_is_never_the_only_sign():
    diagnostic = pointing("a + b", 4, 5)
    assert "\x1b[1;31m" in render_diagnostic(diagnostic, colour=True)
    assert render_diagnostic(diagnostic).startswith("error[some-fault]: ")


def test_a_fix_without_a_command_shows_its_text_and_what_it_does():
    diagnostic = pointing("2x", 0, 2, fix=Fix("2*x", says="write the product out"))
    assert render_diagnostic(diagnostic).splitlines()[-2:] == [
        "  try: 2*x",
        "       write the product out",
    ]
    adds = Diagnostic("missing-value", "a has no value", fix=Fix(adds=("a=1 2",)))
    assert render_diagnostic(adds).splitlines()[-1] == '  try: "a=1 2"'


def test_a_corrected_command_is_never_wrapped():
    command = "vjp explain " + " ".join(f"a{n}=1,2,3" for n in range(40))
    text = render_diagnostic(pointing("a", 0, 1), width=60, corrected_command=command)
    assert text.splitlines()[-1] == f"  try: {command}"


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["vjp", "explain", "3*a + b", "a=1,2"], 'vjp explain "3*a + b" a=1,2'),
        (["x", "W=[[1,2]]"], 'x "W=[[1,2]]"'),
        (["$x"], "'$x'"),
        (["it's $5"], "'it'\"'\"'s $5'"),
        (["x != y"], "'x != y'"),
        ([""], '""'),
    ],
)
def test_commands_are_quoted_as_people_type(arguments, command):
    assert shell_command(arguments) == command


@given(st.lists(st.text(st.characters(exclude_characters="\x00"), max_size=12), max_size=5))
def test_quoted_commands_split_into_the_same_arguments(arguments):
    assert shlex.split(shell_command(arguments)) == arguments


def test_labels_without_words_share_a_line_of_carets():
    source = Source("3*a + 2*b + log(c)")
    labels = tuple(Label(Span(at, at + 1)) for at in (2, 8, 16))
    text = render_diagnostic(Diagnostic("missing-value", "no value", source=source, labels=labels))
    assert text.splitlines()[1:] == ["  3*a + 2*b + log(c)", "    ^     ^       ^"]


def test_command_of_a_script_keeps_its_line_ends():
    diagnostic = pointing("h = x\nh*2", 0, 1, fix=Fix(adds=("x=1",)))
    command = shell_command(["vjp", "explain", "h = x\nh*2", "x=1"])
    shown = render_diagnostic(diagnostic, corrected_command=command)
    typed = shlex.split(shown.partition("try: ")[2])
    assert [line.strip() for line in typed[2].split("\n")] == ["h = x", "h*2"]


def test_of_a_long_script_only_the_addition_is_shown():
    text = "h = x\n" * 100 + "h"
    diagnostic = pointing(text, 0, 1, fix=Fix(adds=("x=1",)))
    command = shell_command(["vjp", "explain", text, "x=1"])
    assert render_diagnostic(diagnostic, corrected_command=command).endswith("try: x=1")
