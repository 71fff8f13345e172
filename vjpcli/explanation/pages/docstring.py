"""A declaration's docstring, taken apart: sentence, remarks, and the fixed lines that end it."""

from __future__ import annotations

import re

from vjpcli.record import record

FIXED_LINES = ("Shapes", "Units", "Errors", "Kinks", "Source", "Example")
_FIXED = re.compile(rf"({'|'.join(FIXED_LINES)}):\s*(.*)")


@record
class Docstring:
    """A docstring in its parts.

    Attributes:
        summary: the first paragraph on one line, without its full stop.
        remarks: what stands between it and the fixed lines, one paragraph a line.
        fixed: the fixed lines by their word, continuation lines joined.
    """

    summary: str
    remarks: tuple[str, ...]
    fixed: dict[str, str]


def taken_apart(documentation: str) -> Docstring:
    """The parts of a docstring that has been through `inspect.cleandoc`."""
    paragraphs: list[list[str]] = [[]]
    fixed: dict[str, str] = {}
    word = ""
    for line in documentation.splitlines():
        found = _FIXED.match(line)
        if found:
            word = found[1]
            fixed[word] = found[2].strip()
        elif word and line.strip():
            fixed[word] = f"{fixed[word]} {line.strip()}"
        elif line.strip():
            paragraphs[-1].append(line.strip())
        elif paragraphs[-1]:
            paragraphs.append([])
    texts = [" ".join(lines) for lines in paragraphs if lines]
    summary = texts[0].removesuffix(".") if texts else ""
    return Docstring(summary, tuple(texts[1:]), fixed)
