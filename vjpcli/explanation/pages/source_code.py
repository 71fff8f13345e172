"""The source text of rules and bodies: what is shown is what runs."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from vjpcli.graph.operation import Operation


def rule_code(rule: Callable[..., Any]) -> str:
    """A rule as it stands in its file; "" where the file is not at hand."""
    return _without_docstrings(_source(rule))


def body_code(operation: Operation) -> str:
    """The body of a composite without its docstring: what the operation is made of."""
    return _without_docstrings(_without_decorators(_source(operation.body)))


def _source(function: Callable[..., Any]) -> str:
    try:
        return textwrap.dedent(inspect.getsource(function)).rstrip()
    except (OSError, TypeError):
        return ""


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:  # a lambda inside of a longer statement
        return None


def _without_decorators(text: str) -> str:
    tree = _parsed(text)
    if tree is None or not tree.body or not isinstance(tree.body[0], ast.FunctionDef):
        return text
    return "\n".join(text.splitlines()[tree.body[0].lineno - 1 :])


def _without_docstrings(text: str) -> str:
    tree = _parsed(text)
    lines = text.splitlines()
    dropped: set[int] = set()
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node, clean=False) is not None:
            docstring = node.body[0]
            dropped.update(range(docstring.lineno, (docstring.end_lineno or 0) + 1))
    return "\n".join(line for number, line in enumerate(lines, 1) if number not in dropped)
