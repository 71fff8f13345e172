"""The registry: operations are found, not listed, and loaded when they are asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from vjpcli.graph.operation import OPERATIONS
from vjpcli.ops import INDEX_FILE
from vjpcli.ops.__main__ import index_text


def test_index_is_what_the_declarations_say():
    """Otherwise run `python -m vjpcli.ops`, which writes it anew."""
    assert INDEX_FILE.read_text(encoding="utf-8") == index_text()


@pytest.mark.parametrize("library", ["torch", "numpy", "jax"])
def test_a_spelling_means_one_operation(library):
    claims: dict[str, set[str]] = {}
    for operation in OPERATIONS.values():
        for spelling in (operation.name, *operation.aliases):
            claims.setdefault(spelling, set()).add(operation.name)
    theirs = {s for one in OPERATIONS.values() for s in one.library_names.get(library, ())}
    twice = {s: names for s, names in claims.items() if len(names) > 1 and s not in theirs}
    assert not twice


def run(program: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.split()


LOADED = """
import sys
loaded = (name for name, module in sys.modules.items() if type(module).__name__ == "module")
print(*(name for name in loaded if name.startswith("vjpcli.ops.")))
"""


def test_a_program_loads_only_the_files_it_uses():
    program = "from vjpcli import grad; grad('3*a + log(c)', {'a': 1, 'c': 2})"
    loaded = run(f"{program}\n{LOADED}")
    assert "vjpcli.ops.numbers.elementary" in loaded
    assert "vjpcli.ops.neural.convolution" not in loaded


def test_everything_is_found_without_the_index():
    program = """
from vjpcli import grad
from vjpcli.graph.operation import OPERATIONS
from vjpcli.graph.registry import Index
OPERATIONS.index = Index()
print(grad('torch.absolute(a) * np.log(a)', {'a': 1})['a'])
"""
    assert run(program) == ["1.0"]
