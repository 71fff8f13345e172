"""The house: a module imports only from rooms further down the walk's supply side."""

from __future__ import annotations

import ast
import tomllib
from functools import cache
from pathlib import Path

import pytest

import vjpcli

ROOMS = ("record", "errors", "parser", "graph", "ops", "engine", "explanation", "render")
"""From the supply side to the user. Modules beside the rooms (cli, api, ...) may import all."""

PACKAGE = Path(vjpcli.__file__).parent
MODULES = sorted(path for path in PACKAGE.rglob("*.py"))


def room_of(dotted: str) -> str:
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else ""


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> list[str]:
    tree = tree_of(path)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
            if node.module == "vjpcli":
                found += [f"vjpcli.{alias.name}" for alias in node.names]
    return found


def dotted_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


@pytest.mark.parametrize("path", MODULES, ids=dotted_name)
def test_module_imports_only_from_rooms_below(path):
    room = room_of(dotted_name(path))
    if room not in ROOMS:
        return
    for imported in imports(path):
        if imported.startswith("vjpcli.") and room_of(imported) in ROOMS:
            assert ROOMS.index(room_of(imported)) <= ROOMS.index(room), imported
        else:
            assert imported != "vjpcli" and not imported.startswith("vjpcli."), imported


@pytest.mark.parametrize("path", MODULES, ids=dotted_name)
def test_only_one_folder_imports_sympy(path):
    uses = any(name.split(".")[0] == "sympy" for name in imports(path))
    assert not uses or dotted_name(path).startswith("vjpcli.engine.symbolic")


@pytest.mark.parametrize("path", MODULES, ids=dotted_name)
def test_text_from_outside_is_never_executed(path):
    tree = tree_of(path)
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert called.isdisjoint({"eval", "exec", "compile", "sympify", "__import__"})
    assert not {"pickle", "shelve", "marshal"} & {name.split(".")[0] for name in imports(path)}


def test_nothing_knows_calculus_but_the_rules():
    """No module outside `ops` declares a rule."""
    for path in MODULES:
        if room_of(dotted_name(path)) != "ops":
            assert ".vjp\n" not in path.read_text(encoding="utf-8"), path


def test_every_data_file_goes_into_the_wheel():
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["vjpcli"]
    packed = {path for pattern in patterns for path in PACKAGE.glob(pattern)}
    files = {path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in KEPT}
    assert files == packed


KEPT = {".py", ".pyc"}
"""Endings of what setuptools packs, or leaves out, by itself."""
