"""What a word of the language means: constants, libraries, functions, and near misses."""

from __future__ import annotations

import math
from typing import Any

from vjpcli.errors import Source, Span, VjpError
from vjpcli.graph.complex_value import Complex
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

LIBRARY_CONSTANTS: dict[str, Any] = {
    **CONSTANTS,
    "euler_gamma": 0.5772156649015329,
    "tau": math.tau,
}
"""Values behind a prefix: `math.tau`, where a bare `tau` is somebody's temperature."""

LIBRARY_ROOTS: dict[str, Library] = {
    "np": "numpy",
    "numpy": "numpy",
    "scipy": "numpy",
    "sympy": "numpy",
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
    "optax": "jax",
    "tf": "numpy",
    "tensorflow": "numpy",
}
"""Words before a dot that lead to functions, unless a value is given for them: libraries, and
modules as they stand after `from numpy import linalg`."""

SHORT_MODULES = {"LA": "linalg"}
"""Customary short names of modules -> the module."""

FOREIGN_ROOTS = {
    "keras", "K", "mx", "paddle", "cupy", "cp", "pd", "flax", "haiku", "sklearn", "tinygrad",
}  # fmt: skip
"""Libraries whose functions people write with a prefix that means nothing here."""

LIBRARY_PARTS = {
    "linalg", "nn", "functional", "special", "numpy", "scipy", "random", "lax", "fft", "lib",
    "stride_tricks", "autograd", "ops", "signal", "integrate", "stats", "ndimage", "func",
    "distributions", "cuda", "backends", "mps",
}  # fmt: skip
"""Modules inside libraries that a path to a function may pass through."""

DISTRIBUTIONS = {
    "norm", "expon", "laplace", "logistic", "cauchy", "uniform", "gamma", "beta", "chi2", "t",
    "lognorm", "pareto", "gumbel_r", "weibull_min", "poisson", "bernoulli", "binom", "geom",
    "multivariate_normal", "rayleigh", "maxwell", "halfnorm", "halfcauchy", "invgamma", "f",
    "lomax", "gumbel_l", "gennorm", "skewnorm", "truncnorm", "vonmises", "wrapcauchy", "nbinom",
    "betabinom",
}  # fmt: skip
"""What in a module `stats` is no function but holds some: `stats.norm.logpdf`."""

DTYPE_NAMES = {
    "float", "float16", "float32", "float64", "double", "half", "bfloat16", "float_", "single",
}  # fmt: skip
WHOLE_DTYPE_NAMES = {
    "int", "int8", "int16", "int32", "int64", "uint8", "short", "long", "bool", "bool_",
}  # fmt: skip
"""Kinds of number that an array would be rounded to."""

COMPLEX_DTYPE_NAMES = {
    "complex", "complex64", "complex128", "complexfloating", "cfloat", "cdouble", "complex_",
}  # fmt: skip
"""Kinds of number that make a real array complex."""

BARE_DTYPE_NAMES = {"float", "int", "bool", "complex"}
"""Kinds of number that are written without a library: `astype(float)`."""

IDENTITY_METHODS = {
    "float", "double", "half", "bfloat16", "clone", "contiguous", "cpu", "cuda", "numpy", "to",
    "requires_grad_",
    "copy", "astype", "type", "item", "retain_grad", "type_as",
    "cfloat", "cdouble",
}  # fmt: skip
"""Methods that change where or how an array is kept, not its numbers."""

TRANSFORMS = {
    "jax": {"jit", "vmap", "checkpoint", "remat"},
    "jax.lax": {"fori_loop", "while_loop", "scan", "map", "cond"},
    "lax": {"fori_loop", "while_loop", "scan", "map", "cond"},
    "torch": {"vmap", "compile"},
    "torch.func": {"vmap"},
}
"""Module -> the functions of functions that are written out."""

OTHER_FUNCTIONS = {
    "torch": {"cond", "eig", "lstsq", "matrix_rank", "solve"},
    "lax": {"gather", "scatter", "scatter_add"},
    "lax.linalg": {"eig"},
    "scipy.special": {"gegenbauer", "hermite", "jacobi", "laguerre"},
    "signal": {"bilinear", "hilbert", "istft", "normalize", "square", "stft"},
    "sympy": {"sinc"},
    "torch.Tensor": {"index", "indices"},
    "numpy.ndarray": {"fill", "partition", "resize"},
    "jax.Array": {"delete"},
}
"""Module or class -> its functions that are something else than ours of the same name."""

LEAF_CLASSES = {"Parameter", "Variable"}
"""Classes of PyTorch that make a leaf of an array."""

SIZE_METHODS = {"size", "dim", "ndimension", "numel", "nelement", "len", "shape", "ndim"}

UFUNC_METHODS = {"reduce", "accumulate", "outer", "at", "reduceat"}
"""What NumPy's functions of two entries offer behind a dot: `np.add.reduce(x)`."""

INDEX_OBJECTS = {"r_", "c_", "s_", "index_exp", "mgrid", "ogrid"}
"""What NumPy writes with square brackets instead of a call: `np.r_[x, 1:4]`."""

KEEPING_FUNCTIONS = {"astype", "convert_element_type"}
"""Functions that change how the numbers of their first argument are kept."""


@record
class Transform:
    """`jax.vmap`, `lax.scan`: what takes a function, about to be called."""

    name: str


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
    receiver: Node | Complex | None = None
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


def is_dtype(argument: Any) -> bool:
    """Whether an argument is the name of a kind of number, such as `np.float32`."""
    if not isinstance(argument, str):
        return False
    root, _, name = argument.rpartition(".")
    known = DTYPE_NAMES | WHOLE_DTYPE_NAMES | COMPLEX_DTYPE_NAMES
    return root.partition(".")[0] in LIBRARY_ROOTS and name in known


def is_complex_dtype(argument: Any) -> bool:
    """Whether an argument is the name of a kind of complex number, such as `torch.cfloat`."""
    return is_dtype(argument) and argument.rpartition(".")[2] in COMPLEX_DTYPE_NAMES


def function_names(library: Library = "torch") -> tuple[str, ...]:
    """Every name that can be called, aliases included."""
    spellings = OPERATIONS.full_index().functions[library]
    return tuple(name for name in spellings if "." not in name)


def find_callee(
    name: str,
    library: Library,
    *,
    receiver: Node | Complex | None = None,
    prefixed: bool = False,
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
    """The error at a function that is not there: why, or what was probably meant.

    Errors: unknown-function, in-place-operation, not-offered, random-operation.
    """
    from vjpcli.graph.unknown_names import unknown_function_error  # noqa: PLC0415  (rarely)

    return unknown_function_error(name, source, span, path, method=method)
