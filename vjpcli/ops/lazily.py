"""Modules that run their code when they are first looked into.

So operations may be written in terms of each other, whichever is used first, and a program that
uses a handful of them waits for no others.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module, util
from pathlib import Path
from types import ModuleType


def modules_of(package: str) -> Callable[[str], ModuleType]:
    """A `__getattr__` for `package`: its modules by name, each run when something reads it.

    Raises AttributeError for a name that is no module of the package.
    """

    def find(file: str) -> ModuleType:
        name = f"{package}.{file}"
        if name in sys.modules:
            return sys.modules[name]
        path = _folder(package) / f"{file}.py"
        if file.startswith("__") or not path.exists():
            raise AttributeError(f"module {package!r} has no attribute {file!r}")
        spec = util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        spec.loader = util.LazyLoader(spec.loader)
        module = util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        vars(sys.modules[package])[file] = module
        return module

    return find


def run(module: str) -> None:
    """Imports `module` and runs its code now, lazy or not."""
    getattr(import_module(module), "__doc__", None)  # the look that runs it


def _folder(package: str) -> Path:
    file = sys.modules[package].__file__
    assert file is not None
    return Path(file).parent
