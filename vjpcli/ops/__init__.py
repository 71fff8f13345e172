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
from types import ModuleType
from typing import Any

from vjpcli.graph.operation import OPERATIONS
from vjpcli.graph.registry import Index

INDEX_FILE = Path(__file__).with_name("index.json")


def __getattr__(file: str) -> ModuleType:
    """The module of that name in this folder; it runs its code when it is first looked into.

    So operations may be written in terms of each other, whichever is used first.
    """
    name = f"{__name__}.{file}"
    if name in sys.modules:
        return sys.modules[name]
    path = Path(__file__).with_name(f"{file}.py")
    if file.startswith("__") or not path.exists():
        raise AttributeError(f"module {__name__!r} has no attribute {file!r}")
    spec = util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    spec.loader = util.LazyLoader(spec.loader)
    module = util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    globals()[file] = module
    return module


def _load_file(file: str) -> None:
    if Path(__file__).with_name(f"{file}.py").exists():  # the index may be of another day
        getattr(import_module(f"{__name__}.{file}"), "__doc__", None)  # the look that runs it


def _load_every_file() -> None:
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        _load_file(path.stem)


def _on_complex(*call: Any) -> Any:
    from vjpcli.ops.complex_meaning import on_complex  # noqa: PLC0415  (few programs need it)

    return on_complex(*call)


OPERATIONS.on_complex = _on_complex
OPERATIONS.load_file = _load_file
OPERATIONS.load_every_file = _load_every_file
if INDEX_FILE.exists():
    OPERATIONS.index = Index(**json.loads(INDEX_FILE.read_text(encoding="utf-8")))
