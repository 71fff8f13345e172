"""README and docs as programs: their blocks, run in order in a folder of the page's own.

    ```console    lines after `$ ` are run by bash (`> ` goes on), what follows is their output
    ```sh         run line by line; only success counts
    ```python     with >>>: run by doctest

Output is stdout and stderr as one, at 80 columns, without colour. A line of `...` stands for
any lines. How small a rounding error was differs between machines, so it is not compared.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
GENERATED = ("errors.md", "operations.md")
"""Pages made from the program, whose examples are run where they are made."""
WRITTEN = [page for page in PAGES if page.name not in GENERATED]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CI_MARK = re.compile(r"<!-- ci: [\w-]+ -->\n$")
ROUNDING = re.compile(r"relative\s+error\s+[\d.e+-]+")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, where the text stands in the page."""

    language: str
    text: str
    start: int
    end: int
    line: int
    run_by_ci: bool


@dataclass(frozen=True)
class Command:
    """A command of a console block and the output that the page shows."""

    typed: str
    shown: str


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(text: str) -> list[Block]:
    return [
        Block(
            language=match[1],
            text=match[2],
            start=match.start(2),
            end=match.end(2),
            line=text.count("\n", 0, match.start()) + 1,
            run_by_ci=bool(CI_MARK.search(text[: match.start()])),
        )
        for match in FENCE.finditer(text)
    ]


def commands(block: Block) -> list[Command]:
    """The commands of a console block, in order."""
    found: list[Command] = []
    typed: list[str] = []
    shown: list[str] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            if typed:
                found.append(Command("\n".join(typed), "\n".join(shown)))
            typed, shown = [line[2:]], []
        elif line.startswith("> ") and typed and not shown:
            typed.append(line[2:])
        else:
            shown.append(line)
    if typed:
        found.append(Command("\n".join(typed), "\n".join(shown)))
    return found


def console_text(done: Iterable[tuple[Command, str]]) -> str:
    """A console block with these outputs."""
    lines: list[str] = []
    for command, output in done:
        first, *more = command.typed.split("\n")
        lines += [f"$ {first}", *(f"> {line}" for line in more)]
        lines += [output] if output else []
    return "\n".join(lines) + "\n"


class Shell:
    """Runs the commands of one page."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "page"
        self.folder.mkdir()
        tools = folder / "bin"
        tools.mkdir()
        for name, arguments in (("vjp", "-m vjpcli"), ("python", "")):
            tool = tools / name
            tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
            tool.chmod(0o755)
        self.environment = {
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "PYTHONIOENCODING": "utf-8",
            "COLUMNS": "80",
            "HOME": str(folder),
        }

    def run(self, command: str) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder, env=self.environment, timeout=120, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        lines = done.stdout.decode("utf-8").rstrip("\n").split("\n")
        return done.returncode, "\n".join(line.rstrip() for line in lines)


def agree(shown: str, printed: str) -> bool:
    """Whether the page shows what was printed, up to `...` lines and rounding errors."""
    parts = re.split(r"^\.\.\.$", _without_rounding(shown), flags=re.MULTILINE)
    pattern = "(?s:.*)".join(re.escape(part) for part in parts)
    return re.fullmatch(pattern, _without_rounding(printed)) is not None


def _without_rounding(text: str) -> str:
    # the wrapped line may break at another place when the number has another length
    return ROUNDING.sub("relative error #", text)
