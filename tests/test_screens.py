"""Whole screens of the real program against golden files; golden_files.py says how to rewrite."""

from __future__ import annotations

import re
from functools import cache

import pytest
from golden_files import FOLDER, compare
from rich.cells import cell_len
from screens import SCREENS

ANSI = re.compile(r"\x1b\[[0-9;]*m")
WIDTHS = [60, 80, 100, 120]


@cache
def explained(name):
    return SCREENS[name].explanation()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", SCREENS)
def test_screen_is_the_one_agreed_on(name, width, rewrite):
    text = SCREENS[name].text(explained(name), width)
    assert max(map(cell_len, text.splitlines())) <= width
    compare(f"{name}.{width}.txt", text, rewrite)


@pytest.mark.parametrize("name", SCREENS)
def test_ascii_screen_is_the_one_agreed_on(name, rewrite):
    text = SCREENS[name].text(explained(name), 80, ascii_only=True)
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= 80
    compare(f"{name}.ascii.txt", text, rewrite)


@pytest.mark.parametrize("name", ["a-elementwise", "c-matrix", "d-loss"])
def test_piped_screen_has_no_limit(name, rewrite):
    compare(f"{name}.piped.txt", SCREENS[name].text(explained(name), None), rewrite)


def test_colours_are_those_agreed_on(rewrite):
    text = SCREENS["a-elementwise"].text(explained("a-elementwise"), 80, colour=True)
    compare("a-elementwise.colour.txt", text.replace("\x1b[", "ESC["), rewrite)


@pytest.mark.parametrize("name", SCREENS)
def test_colour_changes_nothing_but_colour_on_real_screens(name):
    screen, explanation = SCREENS[name], explained(name)
    assert ANSI.sub("", screen.text(explanation, 80, colour=True)) == screen.text(explanation, 80)


def test_every_golden_screen_is_still_asked_for():
    names = {path.name.split(".")[0] for path in FOLDER.glob("*.txt")}
    assert names == {*SCREENS, "errors"}


def test_no_screen_takes_more_than_a_screenful():
    for name in ("million", "big-matrix"):
        assert len(SCREENS[name].text(explained(name), 80).splitlines()) < 80
