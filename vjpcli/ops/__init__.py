"""All operations, one declaration each. Every module in this folder is discovered, none is listed.

To add an operation, add a declaration to one file (see `declaration.py`); its name in the
language, its rule, its documentation and its tests follow from that. Modules are executed when
something in them is first used: `index.json` says which (`python -m vjpcli.ops` writes it
anew; without it everything still works, more slowly).
"""

from __future__ import annotations

import json
import sys
from importlib import import_module, util
from pathlib import Path

from vjpcli.graph.operation import OPERATIONS
from vjpcli.graph.registry import Index

INDEX_FILE = Path(__file__).with_name("index.json")

_FILES = sorted(
    path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("__")
)


def _defer(file: str) -> None:
    """Makes a module of this folder that runs its code when it is first looked into."""
    path = Path(__file__).with_name(f"{file}.py")
    spec = util.spec_from_file_location(f"{__name__}.{file}", path)
    assert spec is not None and spec.loader is not None
    spec.loader = util.LazyLoader(spec.loader)
    module = util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    globals()[file] = module


def _load_file(file: str) -> None:
    if file in _FILES:
        getattr(import_module(f"{__name__}.{file}"), "__doc__", None)  # the look that runs it


def _load_every_file() -> None:
    for file in _FILES:
        _load_file(file)


for _file in _FILES:
    _defer(_file)
OPERATIONS.load_file = _load_file
OPERATIONS.load_every_file = _load_every_file
if INDEX_FILE.exists():
    OPERATIONS.index = Index(**json.loads(INDEX_FILE.read_text(encoding="utf-8")))
