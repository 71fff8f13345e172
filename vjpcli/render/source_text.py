"""The program's text for the head line: one statement a line, with air around its operators.

This looks at brackets and tokens only. What the text means is the parser's business, so text
that it does not understand is shown as it was typed.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""(?P<blank>\s+)
      | (?P<number>(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)
      | (?P<name>\w+)
      | (?P<string>"[^"\n]*"|'[^'\n]*')
      | (?P<comment>\#[^\n]*)
      | (?P<operator>\*\*=?|//=?|[-+*/@%&|]=|==|!=|<=|>=|.)""",
    re.VERBOSE,
)
_SUMS_AND_COMPARISONS = {"+", "-", "@", "&", "|", "==", "!=", "<", "<=", ">", ">="}
_ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "@=", "**=", "//=", "%=", "&=", "|="}
_AIRY = _SUMS_AND_COMPARISONS | _ASSIGNMENTS
_OPEN, _CLOSE = "([{", ")]}"
_ASSIGNMENT = re.compile(r"\s*[^\W\d]\w*(\s*,\s*[^\W\d]\w*)*\s*(//|\*\*|[-+*/@%&|])?=(?!=)")


def tokens(text: str) -> list[str]:
    """The tokens of `text` in order, blanks included; joined they are `text` again."""
    return [match.group() for match in _TOKEN.finditer(text)]


def statements(text: str) -> list[str]:
    """The statements of a program, split at `;` and line ends that stand outside brackets."""
    found: list[str] = []
    current: list[str] = []
    depth = 0
    for token in tokens(text):
        if token in _OPEN:
            depth += 1
        elif token in _CLOSE:
            depth -= 1
        ends = token == ";" or (token.isspace() and "\n" in token and current[-1:] != ["\\"])
        if ends and depth <= 0:
            found.append("".join(current).strip())
            current = []
        elif not token.startswith("#"):
            current.append(" " if token.isspace() else token)
    found.append("".join(current).strip())
    return [statement for statement in found if statement]


def has_target(statement: str) -> bool:
    """Whether the statement names its value: `y = ...`, `y += ...`."""
    return _ASSIGNMENT.match(statement) is not None


def aired(statement: str) -> str:
    """`3*a+2*b` as `3*a + 2*b`: blanks around sums, comparisons and `=` of an assignment."""
    result: list[str] = []
    depth = 0
    previous = ""
    for token in tokens(statement):
        if token.isspace():
            if result and not result[-1].endswith(" "):
                result.append(" ")
            continue
        depth += (token in _OPEN) - (token in _CLOSE)
        operand_before = bool(previous) and (previous[-1].isalnum() or previous[-1] in "_)]}.\"'")
        if token in _AIRY and operand_before and not (token == "=" and depth > 0):
            if not result[-1].endswith(" "):
                result.append(" ")
            result.append(f"{token} ")
        else:
            result.append(token)
        previous = token
    return "".join(result).strip()


def folded(text: str, width: int, most_lines: int) -> list[str]:
    """`text` broken after tokens into lines of at most `width` characters.

    When there would be more than `most_lines`, the last one counts the characters left out.
    """
    lines: list[str] = []
    current, used = "", 0
    # a megabyte of text is not worth splitting into tokens when a screenful is shown
    shown = text[: width * most_lines]
    for token in tokens(shown):
        if current and len(current) + len(token.rstrip()) > width:
            lines.append(current.rstrip())
            if len(lines) == most_lines:
                break
            used += len(current)
            current = "" if token.isspace() else token
            used += len(token) if token.isspace() else 0
        else:
            current += token
    else:
        if used + len(current) == len(text):
            return [*lines, current.rstrip()] if current.strip() else lines
        current = ""
    kept = sum(len(line) for line in lines)
    return [*lines, f"… {len(text) - kept:,} more characters"]
