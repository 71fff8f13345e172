r"""The pages of the diagnostic codes, read from the text files in `codes/`.

One file for each room in which faults arise, one paragraph for each code:

    seed-shape
        One sentence that says what is wrong. Further lines: why, and what to do.
        File: x.csv = 1,2\n3,4
        Stdin: 1,2
        Example: vjp explain "a*a" a=1,2,3 --seed 1,2

`No example: ...` says why a code has none.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from vjpcli.explanation.pages.model import CodePage

FOLDER = Path(__file__).parent / "codes"

ROOMS = {
    "finding": "Findings: what a gradient has to tell",
    "program": "Reading a program",
    "meaning": "Names, calls and shapes",
    "operation": "What single operations refuse",
    "value": "Values and files",
    "seed": "Seeds and losses",
    "command": "The command line",
    "result": "Writing results",
}
"""File of `codes/` -> its title, in the order of the reference."""

_FIXED = re.compile(r"(File|Stdin|Example|No example):(?: (.*))?")


@cache
def code_pages() -> dict[str, CodePage]:
    """Every page by its code, in the order of the reference."""
    pages: dict[str, CodePage] = {}
    for room in ROOMS:
        text = (FOLDER / f"{room}.txt").read_text(encoding="utf-8")
        for block in filter(None, re.split(r"\n(?:[ \t]*\n)+", text.strip())):
            page = _page(block, room)
            if page.code in pages:
                raise ValueError(f"two pages for {page.code}")
            pages[page.code] = page
    return pages


def _page(block: str, room: str) -> CodePage:
    code, *lines = block.splitlines()
    prose: list[str] = []
    fixed: dict[str, str] = {}
    files: dict[str, str] = {}
    for line in map(str.strip, lines):
        found = _FIXED.fullmatch(line)
        if found is None and "Example" in fixed:
            fixed["Example"] += f"\n  {line}"  # a program of several lines
        elif found is None:
            prose.append(line)
        elif found[1] == "File":
            name, _, content = (found[2] or "").partition(" =")
            files[name] = content.removeprefix(" ").replace("\\n", "\n")
        else:
            fixed[found[1]] = found[2] or ""
    summary, _, more = prose[0].partition(". ")
    return CodePage(
        code=code.strip(),
        room=room,
        summary=summary.removesuffix("."),
        remarks="\n".join(filter(None, [more, *prose[1:]])),
        example=fixed.get("Example", ""),
        no_example=fixed.get("No example", ""),
        files=files,
        stdin=fixed.get("Stdin", ""),
    )
