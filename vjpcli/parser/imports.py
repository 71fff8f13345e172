"""Imports: they change nothing, as long as no name comes to mean something else by them."""

from __future__ import annotations

import ast

from vjpcli.errors import VjpError
from vjpcli.parser.reading import Edit, Reading

_MODULES: dict[str, set[str]] = {
    "numpy": {"np", "numpy"},
    "torch": {"torch"},
    "torch.nn": {"nn"},
    "torch.nn.functional": {"F"},
    "jax": {"jax"},
    "jax.numpy": {"jnp"},
    "jax.lax": {"lax"},
    "math": {"math"},
    "scipy": {"scipy"},
    "optax": {"optax"},
    "tensorflow": {"tf", "tensorflow"},
}
"""What a program may write before a dot, and what it means with or without an import."""

PREFIXES = {prefix for prefixes in _MODULES.values() for prefix in prefixes}

# A bare name takes PyTorch's meaning, so single names from other libraries could change theirs.
_SAME_MEANING = {
    "torch", "torch.nn", "torch.nn.functional", "math", "__future__", "typing",
    "torch.distributions", "torch.autograd", "torch.func",
    "torch.fft", "numpy.fft", "scipy.fft", "jax.numpy.fft",
}  # fmt: skip

# Names that have no meaning here, or the same one, whichever module they come from.
_TRANSFORMS = {
    "grad", "jit", "vmap", "value_and_grad", "vjp", "jvp", "jacfwd", "jacrev", "hessian",
    "random", "config", "optim", "autograd", "Tensor", "Variable", "Parameter", "distributions",
    "linalg", "special", "fft", "stats",
}  # fmt: skip

_PARTS = {
    "distributions", "linalg", "special", "fft", "random", "stats", "optim", "autograd", "func",
}  # fmt: skip
"""Modules that are imported out of their library by name."""

_OF_DISTRIBUTIONS = {"scipy.stats", "jax.scipy.stats"}
"""Modules whose names hold functions, as modules do: norm.logpdf."""


def check_import(reading: Reading, node: ast.Import | ast.ImportFrom) -> None:
    """Lets pass the imports that code is pasted with.

    Errors: import-statement, where a name would mean something else
    """
    if isinstance(node, ast.Import):
        wrong = next((alias for alias in node.names if not _is_harmless(alias)), None)
    else:
        names = node.names
        wrong = next((alias for alias in names if not _stands(node, alias)), None)
    if wrong is not None:
        raise _refusal(reading, node, wrong)


def aliases_of(node: ast.Import | ast.ImportFrom) -> list[tuple[str, str]]:
    """The prefixes that an import gives to parts of libraries: (dist, torch.distributions)."""
    found: list[tuple[str, str]] = []
    for alias in node.names:
        is_part = isinstance(node, ast.Import) or alias.name in _PARTS
        is_part = is_part or getattr(node, "module", None) in _OF_DISTRIBUTIONS
        path = alias.name if isinstance(node, ast.Import) else f"{node.module}.{alias.name}"
        bound = alias.asname or (alias.name if isinstance(node, ast.ImportFrom) else "")
        root = path.partition(".")[0]
        if is_part and bound and bound not in PREFIXES and root in _MODULES:
            found.append((bound, path))
    return found


def _is_harmless(alias: ast.alias) -> bool:
    """Whether `import a.b as c` leaves every name its meaning; most modules have none here."""
    bound = alias.asname or alias.name.partition(".")[0]
    means = alias.name if alias.asname else bound
    return bound not in PREFIXES or bound in _MODULES.get(means, ())


def _stands(node: ast.ImportFrom, alias: ast.alias) -> bool:
    """Whether a name imported from a module means without the import what it means with it."""
    bound = alias.asname or alias.name
    prefixes = _MODULES.get(f"{node.module}.{alias.name}")
    if prefixes is not None:
        return bound in prefixes
    if (alias.name in _PARTS or node.module in _OF_DISTRIBUTIONS) and bound not in PREFIXES:
        return True
    if node.level or bound != alias.name or bound in PREFIXES:
        return False
    return node.module in _SAME_MEANING or bound in _TRANSFORMS


def _refusal(reading: Reading, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> VjpError:
    bound = alias.asname or alias.name
    module = getattr(node, "module", None)
    full = f"{module}.{alias.name}" if module else alias.name
    prefixes = sorted(_MODULES.get(module or full, ()))
    notes = ["np., torch., F., nn., jnp. and lax. need no import"]
    if prefixes and module:
        notes.insert(0, f"a bare name has PyTorch's meaning: write {prefixes[0]}.{alias.name}")
    elif prefixes:
        notes.insert(0, f"the prefix of {full} is {prefixes[0]}.")
    edits: list[Edit] = []
    return reading.error(
        "import-statement",
        f"this import would give `{bound}` another meaning than it has here",
        reading.span(node),
        notes=notes,
        edits=edits,
    )
