"""Any text is a program or has one fault inside it; every part of a program reads as itself."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from vjpcli.errors import VjpError
from vjpcli.parser.expression import parse
from vjpcli.parser.syntax import Expression, Slice, postorder

WORDS = (
    "log", "np", "torch", "sum", "dim", "axis", "lambda", "in", "is", "not", "and", "or", "if",
    "else", "for", "return", "def", "import", "pass", "1e3", "2.5", "007", "0x", ".5",
)  # fmt: skip
LONG_SIGNS = (
    "//", "**", "<=", ">=", "==", "!=", "+=", ":=", "->", "=>", "&&", "||", ".*", "...", "'''",
    "\r\n", ">>>",
)  # fmt: skip
SIGNS_OF_OTHERS = "$?`²ᵀ√×−·½₁‖“°πé∑\ufeff\u00a0\u200b\x00\udc80"
PIECES = st.sampled_from(
    [*WORDS, *LONG_SIGNS, *SIGNS_OF_OTHERS, *"abxW012+-*/%@&|^~!<>=()[]{},;:.'\"#\\\n\t "]
)
SOUP = st.lists(PIECES, max_size=24).map("".join)
ARTICULATED_SOUP = st.lists(PIECES, max_size=24).map(" ".join)

NAMES = st.sampled_from(["a", "b", "größe", "π", "np.log", "x.T"])
NUMBERS = st.sampled_from(["0", "2", "1.5", "1e-3", "0x1F", "1_000", ".5"])
ATOMS = st.one_of(NAMES, NUMBERS)
GAPS = st.sampled_from(["", " ", "  ", "\t"])
SIGNS = st.sampled_from([*"+-*/%@&|<>", "//", "**", "<=", ">=", "==", "!="])


def compound(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    bracketed = parts.map(lambda part: f"({part})")
    return st.one_of(
        st.tuples(bracketed, GAPS, SIGNS, GAPS, bracketed).map("".join),
        st.tuples(ATOMS, GAPS, st.sampled_from("+-*@"), GAPS, parts).map("".join),
        st.tuples(st.sampled_from("+-~"), GAPS, bracketed).map("".join),
        st.lists(parts, min_size=1, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(parts, max_size=2).map(lambda items: f"f({' ,'.join(items)})"),
        st.tuples(parts, parts).map(lambda two: f"g(\n {two[0]}, # é\n axis = {two[1]})"),
        st.tuples(bracketed, parts, parts).map(lambda p: f"{p[0]}[{p[1]}:, ::{p[2]}, ...]"),
        st.tuples(bracketed, GAPS).map(lambda p: f"{p[0]}{p[1]}.{p[1]}sum"),
    )


EXPRESSIONS = st.recursive(ATOMS, compound, max_leaves=12)
LAYOUTS = st.sampled_from(
    ["{}", "  {}\n", "\ufeffy = {}", "h = ä # é\r\n\ty = {}", ">>> y = {}", "y = 1; z, w = {}"]
)
PROGRAMS = st.tuples(LAYOUTS, EXPRESSIONS).map(lambda p: p[0].format(p[1]))


def check_any(text: str) -> None:
    """The law of the parser: a program, or one fault that lies inside the text."""
    try:
        program = parse(text)
    except VjpError as error:
        found = error.diagnostic
        assert re.fullmatch("[a-z]+(-[a-z]+)*", found.code)
        assert found.source is not None
        assert found.source.text == text
        assert found.labels
        assert all(label.span.end <= len(text) for label in found.labels)
        if found.fix is not None:
            assert found.fix.replaces == text
            assert not found.fix.adds
            parse(found.fix.text)
    else:
        assert program.statements
        for statement in program.statements:
            assert statement.span.end <= len(text)
            for part in postorder(statement.value):
                assert part.span.end <= len(text)


def structure(expression: Expression) -> list[tuple[object, ...]]:
    """An expression without its spans, as a list of its parts in order."""
    facts = ("operator", "identifier", "attribute", "is_list")
    return [
        (
            type(part).__name__,
            len(part.children),
            *(getattr(part, fact, None) for fact in facts),
            repr(getattr(part, "value", None)) if not part.children else None,
            tuple(keyword.name for keyword in getattr(part, "keywords", ())),
        )
        for part in postorder(expression)
    ]


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_a_program_or_one_fault(text):
    check_any(text)


@settings(max_examples=200, deadline=None)
@given(st.one_of(SOUP, ARTICULATED_SOUP))
def test_any_row_of_words_and_signs_is_a_program_or_one_fault(text):
    check_any(text)


@settings(max_examples=200, deadline=None)
@given(PROGRAMS, st.data())
def test_any_damaged_program_is_a_program_or_one_fault(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 3)))
    check_any(text[:start] + data.draw(st.one_of(PIECES, st.just(""))) + text[end:])


@settings(max_examples=150, deadline=None)
@given(PROGRAMS)
def test_every_part_of_a_program_reads_as_itself(text):
    for statement in parse(text).statements:
        for part in postorder(statement.value):
            if isinstance(part, Slice):
                continue
            written = text[part.span.start : part.span.end]
            (again,) = parse(f"({written})").statements
            assert structure(again.value) == structure(part)
