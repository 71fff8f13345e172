"""What a word of the language means: constants, libraries, functions, and near misses."""

from __future__ import annotations

import math
from typing import Any

from vjpcli.errors import Fix, Source, Span, VjpError, did_you_mean, fail
from vjpcli.graph.node import Node
from vjpcli.graph.operation import LIBRARIES, OPERATIONS, Library, Operation
from vjpcli.record import record

CONSTANTS: dict[str, Any] = {
    "pi": math.pi,
    "e": math.e,
    "inf": math.inf,
    "nan": math.nan,
    "true": True,
    "false": False,
    "newaxis": None,
}
"""Bare names with a value of their own; a value given for the name takes precedence."""

LIBRARY_ROOTS: dict[str, Library] = {
    "np": "numpy",
    "numpy": "numpy",
    "scipy": "numpy",
    "math": "numpy",
    "torch": "torch",
    "F": "torch",
    "nn": "torch",
    "jnp": "jax",
    "jax": "jax",
    "lax": "jax",
    "linalg": "torch",
    "LA": "torch",
    "special": "torch",
    "functional": "torch",
    "stats": "numpy",
    "fft": "torch",
}
"""Words before a dot that lead to functions, unless a value is given for them: libraries, and
modules as they stand after `from numpy import linalg`."""

SHORT_MODULES = {"LA": "linalg"}
"""Customary short names of modules -> the module."""

FOREIGN_ROOTS = {
    "tf", "tensorflow", "keras", "K", "mx", "paddle", "cupy", "cp", "pd", "optax", "flax", "haiku",
    "sklearn", "tinygrad",
}  # fmt: skip
"""Libraries whose functions people write with a prefix that means nothing here."""

LIBRARY_PARTS = {
    "linalg", "nn", "functional", "special", "numpy", "scipy", "random", "lax", "fft", "lib",
    "stride_tricks", "signal", "integrate", "stats", "ndimage",
}  # fmt: skip
"""Modules inside libraries that a path to a function may pass through."""

DTYPE_NAMES = {
    "float", "float16", "float32", "float64", "double", "half", "bfloat16", "float_", "single",
}  # fmt: skip
WHOLE_DTYPE_NAMES = {
    "int", "int8", "int16", "int32", "int64", "uint8", "short", "long", "bool", "bool_",
}  # fmt: skip
"""Kinds of number that an array would be rounded to."""

BARE_DTYPE_NAMES = {"float", "int", "bool"}
"""Kinds of number that are written without a library: `astype(float)`."""

IDENTITY_METHODS = {
    "float", "double", "clone", "contiguous", "cpu", "cuda", "numpy", "to", "requires_grad_",
    "copy", "astype", "type", "item", "retain_grad", "type_as",
}  # fmt: skip
"""Methods that change where or how an array is kept, not its numbers."""

SIZE_METHODS = {"size", "dim", "ndimension", "numel", "nelement", "len", "shape", "ndim"}

UFUNC_METHODS = {"reduce", "accumulate", "outer", "at", "reduceat"}
"""What NumPy's functions of two entries offer behind a dot: `np.add.reduce(x)`."""

INDEX_OBJECTS = {"r_", "c_", "s_", "index_exp", "mgrid", "ogrid"}
"""What NumPy writes with square brackets instead of a call: `np.r_[x, 1:4]`."""

KEEPING_FUNCTIONS = {"astype", "convert_element_type"}
"""Functions that change how the numbers of their first argument are kept."""

OTHER_NAMES = {
    "ln": "log", "lg": "log10", "ld": "log2", "sen": "sin", "tg": "tan", "ctg": "1/tan",
    "arctg": "arctan", "sqr": "square", "root": "sqrt", "average": "mean", "avg": "mean",
    "cosec": "1/sin", "sec": "1/cos", "cot": "1/tan", "csc": "1/sin", "arcsen": "arcsin",
    "ceiling": "ceil", "if": "where", "iif": "where", "length": "norm", "magnitude": "norm",
}  # fmt: skip
"""Names from calculators, textbooks and spreadsheets -> what is meant here."""


@record
class Callee:
    """A function about to be called.

    Attributes:
        operation: None for a method that changes no numbers (`x.float()`).
        library: whose defaults apply.
        name: as it was written.
        receiver: the array before the dot, of a method.
        prefixed: whether the user named the library.
        bound: static arguments that the name itself settles: `np.add.reduce` reduces by add.
    """

    operation: Operation | None
    library: Library
    name: str
    receiver: Node | None = None
    prefixed: bool = False
    bound: tuple[tuple[str, str], ...] = ()

    def method(self, name: str) -> Callee | None:
        """The function that `np.add.reduce` is, of a function of two entries; else None."""
        operation = self.operation
        if self.receiver is not None or operation is None or name not in UFUNC_METHODS:
            return None
        if self.library == "torch" or not operation.takes_two_entries:
            return None
        return Callee(
            OPERATIONS[f"ufunc_{name}"],
            self.library,
            f"{self.name}.{name}",
            prefixed=True,
            bound=(("function", operation.name),),
        )


@record
class IndexObject:
    """`np.r_` and its like: what they make is written in square brackets."""

    name: str


def library_root(word: str) -> LibraryName:
    """The library or module that one of LIBRARY_ROOTS leads to."""
    return LibraryName(LIBRARY_ROOTS[word], SHORT_MODULES.get(word, word))


@record
class LibraryName:
    """`np`, `torch.nn.functional`: a path on the way to a function."""

    library: Library
    path: str

    def member(self, name: str, source: Source, span: Span) -> Any:
        """What the path continues to: a further module, a constant, or a Callee.

        Errors: unknown-function.
        """
        if name in LIBRARY_PARTS and not self.path.endswith(f".{name}"):
            library: Library = "jax" if self.path == "jax" else self.library
            return LibraryName(library, f"{self.path}.{name}")
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in INDEX_OBJECTS:
            return IndexObject(name)
        # `torch.linalg.norm` is not `torch.norm`: a name may be declared with its module.
        # `scipy.linalg.cholesky` is not `np.linalg.cholesky`: or with two.
        parts = self.path.split(".")
        for module in (".".join(parts[-2:]), parts[-1]):
            callee = find_callee(f"{module}.{name}", self.library, prefixed=True)
            if callee is not None:
                return callee
        callee = find_callee(name, self.library, prefixed=True)
        if callee is not None:
            return callee
        if name in DTYPE_NAMES | WHOLE_DTYPE_NAMES:
            return LibraryName(self.library, f"{self.path}.{name}")
        raise unknown_function(name, source, Span(span.end - len(name), span.end), self.path)


def is_dtype(argument: Any) -> bool:
    """Whether an argument is the name of a kind of number, such as `np.float32`."""
    if not isinstance(argument, str):
        return False
    root, _, name = argument.rpartition(".")
    return root.partition(".")[0] in LIBRARY_ROOTS and name in DTYPE_NAMES | WHOLE_DTYPE_NAMES


def function_names(library: Library = "torch") -> tuple[str, ...]:
    """Every name that can be called, aliases included."""
    spellings = OPERATIONS.full_index().functions[library]
    return tuple(name for name in spellings if "." not in name)


def find_callee(
    name: str, library: Library, *, receiver: Node | None = None, prefixed: bool = False
) -> Callee | None:
    """The function that `name` means in `library`, or None."""
    meaning = OPERATIONS.meaning(name, library, method=receiver is not None)
    if meaning is None:
        keeps = name in SIZE_METHODS or (name in KEEPING_FUNCTIONS and library != "torch")
        return Callee(None, library, name, receiver, prefixed) if keeps else None
    return Callee(OPERATIONS[meaning], library, name, receiver, prefixed)


def means_another_elsewhere(callee: Callee) -> bool:
    """Whether another library means another operation by the same name."""
    method = callee.receiver is not None
    meanings = {OPERATIONS.meaning(callee.name, one, method=method) for one in LIBRARIES}
    return len(meanings - {None}) > 1


def unknown_function(
    name: str, source: Source, span: Span, path: str = "", *, method: bool = False
) -> VjpError:
    """The unknown-function error, with what was probably meant."""
    meant = OTHER_NAMES.get(name.lower())
    guess = meant or did_you_mean(name, function_names())
    text = source.text
    fix = None
    if guess and "/" not in guess:
        fix = Fix(text=text[: span.start] + guess + text[span.end :], replaces=text)
    what = f"{path}.{name}" if path else f".{name}()" if method else f"{name}()"
    label = f"did you mean {guess}?" if guess else ""
    return fail(
        "unknown-function",
        f"there is no function {what}",
        source=source,
        span=span,
        label=label,
        notes=() if guess else ("`vjp rule` lists the functions",),
        fix=fix,
    )
