"""The page of an operation as text."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping

from vjpcli.explanation.pages.model import OperationPage
from vjpcli.explanation.pages.spellings import LIBRARY_TITLES
from vjpcli.graph.facts import Elsewhere, Kink
from vjpcli.graph.operation import TORCH_AS_MEASURED
from vjpcli.render.numbers import format_number
from vjpcli.render.page import Line, Page, spaces

WORD_WIDTH = 12
"""Columns that the words on the left take; the facts stand behind them."""

ENGINE_TITLES = {
    "torch": "PyTorch",
    "jax": "JAX",
    "autograd": "autograd",
    "numpy": "NumPy",
    TORCH_AS_MEASURED: "PyTorch 2.13",
}


def rule_lines(rule: OperationPage, page: Page) -> list[Line]:
    """The page without its worked example."""
    lines = page.wrapped(
        (spaces(1), page.piece(rule.name, "strong"), page.piece(f"  {rule.summary}")), hanging=3
    )
    if rule.building_block:
        lines += page.paragraph("A building block: other operations are made of it.", "faint")
    for remark in rule.remarks.splitlines():
        lines += [(), *page.paragraph(remark)]
    for section in (
        _call(rule, page),
        _names(rule, page),
        _formulas(rule, page),
        _kinks(rule, page),
        fact_lines("source", rule.source, page),
    ):
        if section:
            lines += [(), *section]
    return lines


def fact_lines(word: str, text: str, page: Page) -> list[Line]:
    """A word on the left, its fact behind it, wrapped under itself; nothing without a fact."""
    if not text:
        return []
    column = min(WORD_WIDTH, page.room // 4)
    head = page.piece(word, "faint")
    gap = spaces(max(1, column - head.width))
    return page.wrapped((spaces(2), head, gap, page.piece(text)), hanging=2 + column)


def code_lines(code: str, page: Page) -> list[Line]:
    """Source text under its own indentation; lines that are too long continue deeper."""
    lines: list[Line] = []
    for line in code.splitlines():
        indent = 4 + len(line) - len(line.lstrip())
        lines += page.wrapped((spaces(indent), page.piece(line.lstrip())), hanging=indent + 4)
    return lines


def _call(rule: OperationPage, page: Page) -> list[Line]:
    typed = page.separator.join([rule.call, *rule.operators])
    lines = fact_lines("call", typed, page)
    if rule.several:
        lines += fact_lines("gives", ", ".join(rule.several), page)
    lines += fact_lines("shapes", rule.shapes, page)
    lines += fact_lines("units", rule.units, page)
    lines += fact_lines(
        "keywords", ", ".join(f"{other}= is {name}=" for other, name in rule.keywords.items()), page
    )
    for library, defaults in rule.library_defaults.items():
        lines += fact_lines(ENGINE_TITLES[library], _defaults(defaults), page)
    return lines + fact_lines("note", rule.convention, page)


def _defaults(defaults: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in defaults.items()) + " by default"


def _names(rule: OperationPage, page: Page) -> list[Line]:
    lines: list[Line] = []
    for library, title in LIBRARY_TITLES.items():
        lines += fact_lines(title, page.separator.join(rule.spellings.get(library, ())), page)
    return lines + fact_lines("here also", ", ".join(rule.other_names), page)


def _formulas(rule: OperationPage, page: Page) -> list[Line]:
    lines: list[Line] = []
    column = min(WORD_WIDTH, page.room // 4)
    output = output_of(rule)
    for one in rule.formulas:
        texts = [f"∂{output}/∂{one.operand} = {one.slope}"] if one.slope else []
        texts.append(f"{bar(one.operand)} = {one.adjoint}")
        for text in texts:
            word = "rule" if not lines else ""
            head = page.piece(word, "faint")
            piece = page.formula(written_bars(text, page.ascii_only))
            gap = spaces(column - head.width)
            lines += page.wrapped((spaces(2), head, gap, piece), hanging=4 + column)
    if lines:
        where = f"for {rule.formula_for}; " if rule.formula_for else ""
        given = written_bars(bar(output), page.ascii_only)
        says = f"{where}{given} is the adjoint of the output {output}"
        lines += page.wrapped((spaces(2 + column), page.piece(says, "faint")))
    elif rule.flat:
        lines += fact_lines("rule", "flat: the slope is 0 wherever there is one", page)
    elif not rule.code and not rule.made_of:
        lines += fact_lines("rule", "none: it has no derivative", page)
    for title, code in _sources(rule):
        lines += page.line(title, "faint"), *code_lines(code, page)
    return lines


def _sources(rule: OperationPage) -> Iterable[tuple[str, str]]:
    if rule.made_of:
        yield "made of", rule.made_of
    if rule.code:
        yield "as code", rule.code
    titles: dict[str, list[str]] = {}
    for engine, code in rule.code_like.items():
        measured = engine == TORCH_AS_MEASURED
        title = f"as {ENGINE_TITLES[engine]} has it" if measured else f"as code, --like {engine}"
        titles.setdefault(code, []).append(title)
    for code, several in titles.items():
        yield "; ".join(several), code


def output_of(rule: OperationPage) -> str:
    """What the output is called in the formulas."""
    return "z" if any(one.operand == "y" for one in rule.formulas) else "y"


def _kinks(rule: OperationPage, page: Page) -> list[Line]:
    lines = fact_lines("kinks", rule.kinks, page)
    for kink in rule.kink_places:
        lines += fact_lines("" if lines else "kinks", kink_text(kink), page)
    for number, one in enumerate(rule.elsewhere):
        lines += fact_lines("" if number else "elsewhere", elsewhere_text(one), page)
    return lines


def elsewhere_text(one: Elsewhere) -> str:
    """`where a is singular autograd raises "Singular matrix"`."""
    return f"where {one.place} {ENGINE_TITLES[one.engine]} {one.does}"


def kink_text(kink: Kink) -> str:
    """At a kink: the slopes that are right, the one taken here, and what others take."""
    low, high = sorted(kink.slopes)
    if low == high:
        right = f"the slope is {_number(low)} on both sides"
    elif math.isnan(low) or math.isnan(high):
        right = "no slope is right"
    else:
        right = f"any slope from {_number(low)} to {_number(high)} is right"
    others = {value: [] for value in kink.others.values()}  # type: dict[float, list[str]]
    for engine, value in kink.others.items():
        others[value].append(ENGINE_TITLES.get(engine, engine))
    taken = "".join(
        f"; {' and '.join(engines)} take{'s' if len(engines) == 1 else ''} {_number(value)}"
        for value, engines in others.items()
    )
    says = f" ({kink.says})" if kink.says else ""
    return f"{kink.place}: {right}; {_number(kink.used)} is taken, as in PyTorch{taken}{says}"


def _number(value: float) -> str:
    return format_number(value, 6)


def bar(name: str) -> str:
    """The adjoint of a named value: x̄, or `weight.grad` where a bar would not cover the name."""
    return f"{name}\u0304" if len(name) == 1 else f"{name}.grad"


def written_bars(text: str, ascii_only: bool) -> str:
    """Bars as one character where there is one; x_bar in ASCII."""
    if ascii_only:
        return re.sub("(\\w)\u0304", r"\1_bar", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", text)
