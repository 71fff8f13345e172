"""One screen for the code of every finding: its page's own example, kept as readable text.

See golden_files.py for how to rewrite tests/golden/findings.
"""

from __future__ import annotations

import re

import pytest
from golden_files import FOLDER, compare

from vjpcli.explanation.pages.codes_text import code_pages
from vjpcli.rehearsal import rehearse

PAGES = [page for page in code_pages().values() if page.room == "finding" and page.example]


def steady(text: str) -> str:
    """The screen without what differs from processor to processor: the check's last digits."""
    text = re.sub(r"error [-+.e\d]+", "error 1e-10", text)
    text = re.sub(r"(difference quotient is\s+)[-+.e\d]+,", r"\1…,", text)
    return re.sub(r"\(\d+\s+evaluations\)", "(… evaluations)", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_screen_of_a_finding_is_the_one_agreed_on(page, rewrite):
    done = rehearse(page.example, width=80, files=page.files, stdin=page.stdin)
    assert done.exit_code in (0, 1)  # that it is this finding, test_rule_pages.py makes sure of
    aside = "" if page.example.startswith("vjp explain") else f"{done.err}\n"
    screen = f"$ {page.example}\n{aside}{done.out}"
    compare(f"findings/{page.code}.txt", steady(screen), rewrite)


def test_every_finding_has_a_golden_screen_and_nothing_else_does():
    kept = {path.stem for path in (FOLDER / "findings").glob("*.txt")}
    assert kept == {page.code for page in code_pages().values() if page.room == "finding"}
