"""The names of an operation in each library, as people write them: np.log, torch.log, c.log()."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from vjpcli.graph.libraries import LibraryName
from vjpcli.graph.names import DISTRIBUTIONS, OTHER_FUNCTIONS, Callee, find_callee
from vjpcli.graph.node import Node
from vjpcli.graph.operation import OPERATIONS, Library, Operation, make_leaf
from vjpcli.graph.public_names import public_names

WRITTEN = {
    "torch": "torch.{}",
    "torch.nn.functional": "F.{}",
    "torch.linalg": "torch.linalg.{}",
    "torch.special": "torch.special.{}",
    "torch.fft": "torch.fft.{}",
    "torch.Tensor": "x.{}()",
    "numpy": "np.{}",
    "numpy.linalg": "np.linalg.{}",
    "numpy.fft": "np.fft.{}",
    "numpy.ndarray": "x.{}()",
    "numpy.lib.stride_tricks": "np.lib.stride_tricks.{}",
    "numpy.random": "np.random.{}",
    "scipy.special": "scipy.special.{}",
    "scipy.stats": "scipy.stats.{}",
    "math": "math.{}",
    "sympy": "sympy.{}",
    "scipy.fft": "scipy.fft.{}",
    "scipy.linalg": "scipy.linalg.{}",
    "scipy.signal": "scipy.signal.{}",
    "scipy.integrate": "scipy.integrate.{}",
    "jax.numpy": "jnp.{}",
    "jax.numpy.linalg": "jnp.linalg.{}",
    "jax.numpy.fft": "jnp.fft.{}",
    "jax.Array": "x.{}()",
    "jax.nn": "jax.nn.{}",
    "jax.scipy.special": "jax.scipy.special.{}",
    "jax.scipy.stats": "jax.scipy.stats.{}",
    "jax.lax": "jax.lax.{}",
    "jax.ops": "jax.ops.{}",
    "jax.scipy.linalg": "jax.scipy.linalg.{}",
    "jax.scipy.signal": "jax.scipy.signal.{}",
    "jax.scipy.ndimage": "jax.scipy.ndimage.{}",
    "jax.lax.linalg": "jax.lax.linalg.{}",
}
"""Module -> how its names are written in a program."""

STATS: dict[Library, str] = {"numpy": "scipy.stats.{}", "jax": "jax.scipy.stats.{}"}
"""Library -> how its distributions are written."""

LIBRARY_TITLES: dict[Library, str] = {"numpy": "NumPy", "torch": "PyTorch", "jax": "JAX"}

METHODS = ("torch.Tensor", "numpy.ndarray", "jax.Array")
"""Those modules of `WRITTEN` that are classes of arrays."""

_PROPERTIES = {"T", "mT", "H", "mH", "real", "imag"}
_OPERATORS = {"index": "x[...]"}


def library_of(module: str) -> Library:
    """The library that a module of `WRITTEN` belongs to."""
    root = module.partition(".")[0]
    if root in ("numpy", "scipy", "math", "sympy"):
        return "numpy"
    return "jax" if root == "jax" else "torch"


def meaning(module: str, name: str) -> Operation | None:
    """The operation that `name` means in a module of a library, None where there is none."""
    library = library_of(module)
    if module in METHODS:
        is_another = name in OTHER_FUNCTIONS.get(module, ())
        callee = None if is_another else find_callee(name, library, receiver=_any_array())
    else:
        (found,) = LibraryName(library, module).find(name) or (None,)
        callee = found if isinstance(found, Callee) else None
    return None if callee is None else callee.operation


@cache
def _any_array() -> Node:
    return make_leaf("x", (2, 2))


@cache
def _spelt() -> dict[str, dict[Library, tuple[str, ...]]]:
    """Operation -> library -> spellings, in the order of `WRITTEN`."""
    found: dict[str, dict[Library, list[str]]] = {name: {} for name in OPERATIONS}
    for module, name in every_library_name():
        operation = meaning(module, name)
        if operation is None:
            continue
        spelt = found[operation.name].setdefault(library_of(module), [])
        is_property = name in _PROPERTIES and module in METHODS
        text = f"x.{name}" if is_property else WRITTEN[module].format(name)
        if text not in spelt:
            spelt.append(text)
    for operation, library, name in _functions_of_distributions():
        found[operation.name].setdefault(library, []).append(STATS[library].format(name))
    return {
        name: {library: tuple(texts) for library, texts in by_library.items()}
        for name, by_library in found.items()
    }


def _functions_of_distributions() -> Iterator[tuple[Operation, Library, str]]:
    """`norm.logpdf` and its kin, which stand in no list of a module's names."""
    for operation in OPERATIONS.values():
        for library, names in operation.library_names.items():
            for name in names:
                if library in STATS and name.rpartition(".")[0] in DISTRIBUTIONS:
                    yield operation, library, name


def every_library_name() -> Iterator[tuple[str, str]]:
    """(module, name) of all public names of the modules of `WRITTEN`."""
    for module in WRITTEN:
        for name in public_names()[module]:
            yield module, name


def spellings(operation: Operation) -> dict[Library, tuple[str, ...]]:
    """Library -> names of the operation there; own name first. A library may be missing."""
    own = operation.name
    return {
        library: tuple(sorted(texts, key=lambda text: _plain(text) != own))
        for library, texts in _spelt()[own].items()
    }


def _plain(text: str) -> str:
    _, _, distribution = text.partition("scipy.stats.")
    return distribution or text.removesuffix("()").rpartition(".")[2]


def other_names(operation: Operation) -> tuple[str, ...]:
    """Names that are taken here and stand in none of the libraries' lists."""
    written = {_plain(text) for texts in _spelt()[operation.name].values() for text in texts}
    return tuple(name for name in operation.aliases if name not in written)


def short_aliases(operation: Operation) -> tuple[str, ...]:
    """Its further names without prefixes, each once."""
    names = [_plain(text) for texts in spellings(operation).values() for text in texts]
    names += operation.aliases
    return tuple(dict.fromkeys(name for name in names if name != operation.name))


def operators(operation: Operation) -> tuple[str, ...]:
    """The operator it is written with, with operands: `x * y`."""
    if operation.name in _OPERATORS:
        return (_OPERATORS[operation.name],)
    if operation.infix is None:
        return ()
    if len(operation.operand_names) == 1:
        return (f"{operation.infix}{operation.operand_names[0]}",)
    return (f" {operation.infix} ".join(operation.operand_names[:2]),)


def is_building_block(operation: Operation) -> bool:
    """Whether no library and no operator offers it: it is a step of other operations."""
    return not (_spelt()[operation.name] or operators(operation))
