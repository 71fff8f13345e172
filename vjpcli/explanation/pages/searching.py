"""Operations and codes by words: what `vjp rule entropy` finds where no page has that name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from vjpcli.explanation.pages.codes_text import code_pages
from vjpcli.explanation.pages.families import family_lists
from vjpcli.explanation.pages.model import CodePage, FamilyList, Found


def found_by(words: str, *, whole: bool) -> Found:
    """What has every word in its name or sentence, or in the titles above it.

    A word is found where one begins, `whole` only where it ends as well: `loss` in huber_loss.
    """
    end = r"(?![^\W_])" if whole else ""
    patterns = [
        re.compile(rf"(?<![^\W_]){re.escape(word)}{end}", re.IGNORECASE)
        for word in re.findall(r"[^\W_]+", words)
    ]
    return Found(words, tuple(_operations(patterns)), tuple(_codes(patterns)))


def _operations(patterns: list[re.Pattern[str]]) -> Iterator[FamilyList]:
    for family in family_lists():
        titles = f"{family.section} {family.title}"
        rows = tuple(
            (name, aliases, summary)
            for name, aliases, summary in family.operations
            if _has_all(patterns, " ".join((titles, name, *aliases, summary)))
        )
        if rows:
            yield replace(family, operations=rows)


def _codes(patterns: list[re.Pattern[str]]) -> Iterator[CodePage]:
    for page in code_pages().values():
        if _has_all(patterns, f"{page.code} {page.summary}"):
            yield page


def _has_all(patterns: list[re.Pattern[str]], text: str) -> bool:
    return bool(patterns) and all(pattern.search(text) for pattern in patterns)
