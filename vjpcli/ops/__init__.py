"""All operations, one declaration each. Every file below this folder is discovered, none is listed.

A folder is a section of the reference, a file a family; the first line of each docstring is its
title. To add an operation, add a declaration to one file (see `declaration.py`); its name in the
language, its rule, its documentation and its tests follow from that. Files are executed when
something in them is first used: `index.json` says which (`python -m vjpcli.ops` writes it anew;
without it everything still works, more slowly).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from vjpcli.graph.operation import OPERATIONS
from vjpcli.graph.registry import Index
from vjpcli.ops.lazily import run

INDEX_FILE = Path(__file__).with_name("index.json")


def _load_file(file: str) -> None:
    section, _, family = file.partition(".")
    if (INDEX_FILE.parent / section / f"{family}.py").exists():  # the index may be of another day
        run(f"{__name__}.{file}")


def _load_every_file() -> None:
    for path in sorted(INDEX_FILE.parent.glob("*/[!_]*.py")):
        _load_file(f"{path.parent.name}.{path.stem}")


def _on_complex(*call: Any) -> Any:
    from vjpcli.ops.spectra.complex_meaning import on_complex  # noqa: PLC0415  (few programs need it)

    return on_complex(*call)


OPERATIONS.on_complex = _on_complex
OPERATIONS.load_file = _load_file
OPERATIONS.load_every_file = _load_every_file
if INDEX_FILE.exists():
    OPERATIONS.index = Index(**json.loads(INDEX_FILE.read_text(encoding="utf-8")))
