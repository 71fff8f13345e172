"""Libraries by their prefixes: what `np.linalg.` or `torch.nn.functional.` leads to."""

from __future__ import annotations

from typing import Any

from vjpcli.errors import Fix, Source, Span, close_spelling, fail
from vjpcli.graph.names import (
    COMPLEX_DTYPE_NAMES,
    DISTRIBUTIONS,
    DTYPE_NAMES,
    INDEX_OBJECTS,
    LEAF_CLASSES,
    LIBRARY_CONSTANTS,
    LIBRARY_PARTS,
    LIBRARY_ROOTS,
    OTHER_FUNCTIONS,
    SHORT_MODULES,
    TRANSFORMS,
    WHOLE_DTYPE_NAMES,
    Callee,
    IndexObject,
    Transform,
    find_callee,
    unknown_function,
)
from vjpcli.graph.operation import Library
from vjpcli.parser.syntax import Program
from vjpcli.record import record

ANOTHER_FUNCTION = {
    "random": {
        "beta", "gamma", "hypergeometric", "logistic", "power", "t", "split", "loggamma", "clone",
    },
    "distributions": {"beta", "gamma", "normal", "uniform"},
    "sympy": {"sinc", "diff", "solve", "expand"},
}  # fmt: skip
"""Module -> its functions that are others than those of the same name elsewhere."""

SAME_EVERYWHERE = {
    "signal": {"convolve2d", "correlate2d"},
    "ndimage": {"map_coordinates"},
    "stats": set[str](),
}
"""Modules of SciPy that mean something of their own by most names -> what means the same there:
`scipy.signal.square` is a wave, and `scipy.ndimage.convolve` keeps the shape."""


def library_root(word: str) -> LibraryName:
    """The library or module that one of LIBRARY_ROOTS leads to."""
    return LibraryName(LIBRARY_ROOTS[word], SHORT_MODULES.get(word, word))


def aliases_of(program: Program) -> dict[str, LibraryName]:
    """The prefixes that a program's imports give to parts of libraries."""
    return {
        name: LibraryName(LIBRARY_ROOTS[path.partition(".")[0]], path)
        for name, path in program.aliases
    }


@record
class LibraryName:
    """`np`, `torch.nn.functional`: a path on the way to a function."""

    library: Library
    path: str

    def member(self, name: str, source: Source, span: Span) -> Any:
        """What the path continues to: a further module, a constant, or a Callee.

        Errors: unknown-function.
        """
        if self.path.partition(".")[0] in ("optax", "tf", "tensorflow"):
            return self._formula(name, source, span)
        if (found := self.find(name)) is None:
            raise unknown_function(name, source, Span(span.end - len(name), span.end), self.path)
        return found[0]

    def find(self, name: str) -> tuple[Any] | None:
        """What the path of a library that is known as a whole continues to; else None."""
        if (part := self._part(name)) is not None:
            return (part,)
        if name in INDEX_OBJECTS:
            return (IndexObject(name),)
        if name in LIBRARY_CONSTANTS:
            return (LIBRARY_CONSTANTS[name],)
        found = self._object(name) or self._function(name)
        return None if found is None else (found,)

    @property
    def is_distribution(self) -> bool:
        """Whether it is `scipy.stats.norm` or the like, which holds functions."""
        module, _, name = self.path.rpartition(".")
        return name in DISTRIBUTIONS and module.endswith("stats")

    def _part(self, name: str) -> LibraryName | None:
        """The module, or the kind of number, that the path continues to."""
        if name in LIBRARY_PARTS and name != self.path.rpartition(".")[2]:
            library: Library = "jax" if self.path == "jax" else self.library
            return LibraryName(library, f"{self.path}.{name}")
        if name in DISTRIBUTIONS and self.path.endswith("stats"):
            return LibraryName(self.library, f"{self.path}.{name}")
        return None

    def _function(self, name: str) -> Any:
        """The function `name`, else the kind of number of that name."""
        # `torch.linalg.norm` is not `torch.norm`: a name may be declared with its module.
        # `scipy.linalg.cholesky` is not `np.linalg.cholesky`: or with two.
        parts = self.path.split(".")
        if parts[-1] == "scipy":
            return None  # its functions stand in its modules
        spellings = [f"{'.'.join(parts[-2:])}.{name}", f"{parts[-1]}.{name}", name]
        is_another = name in ANOTHER_FUNCTION.get(parts[-1], ())
        is_another = is_another or name not in SAME_EVERYWHERE.get(parts[-1], {name})
        if self.is_distribution or is_another:
            del spellings[2]
        for spelling in spellings:
            callee = find_callee(spelling, self.library, prefixed=True)
            if callee is not None:
                return None if self._is_another(callee) else callee
        is_kind = name in DTYPE_NAMES | WHOLE_DTYPE_NAMES | COMPLEX_DTYPE_NAMES
        return LibraryName(self.library, f"{self.path}.{name}") if is_kind else None

    def _is_another(self, callee: Callee) -> bool:
        """Whether the module's function is not the one that has its name here.

        `np.random.beta` draws numbers, `scipy.special.beta` is a function; and what JAX draws
        depends on a key.
        """
        if self.path.endswith("random"):
            draws = callee.operation is not None and callee.operation.family == "chance"
            return self.library == "jax" or not draws
        return any(
            callee.name in names
            for others, names in OTHER_FUNCTIONS.items()
            if f".{self.path}".endswith(f".{others}")
        )

    def _formula(self, name: str, source: Source, span: Span) -> Any:
        """A function of optax or TensorFlow."""
        from vjpcli.graph.formulas import formula, known_names, numpy_name  # noqa: PLC0415  (rarely)

        if name in ("losses", "math", "nn", "linalg", "keras"):
            return LibraryName(self.library, f"{self.path}.{name}")
        if name in DTYPE_NAMES | WHOLE_DTYPE_NAMES:
            return LibraryName("numpy", f"np.{name}")
        if name in ("cast", "Variable"):
            return Callee(None, self.library, name, prefixed=True)
        found: Any = formula(self.path, name)
        if found is None and (spelling := numpy_name(self.path, name)):
            # SciPy's softmax is over all axes; TensorFlow's, as JAX's, over the last.
            library: Library = "jax" if spelling.endswith("softmax") else self.library
            found = find_callee(spelling, library, prefixed=True)
        if found is None and self.path == "optax":
            from vjpcli.graph.unknown_names import reason_against  # noqa: PLC0415

            if reason_against(name, self.path) is not None:
                raise unknown_function(
                    name, source, Span(span.end - len(name), span.end), self.path
                )
        if found is None:
            guess = close_spelling(name, known_names(self.path.partition(".")[0]))
            place = Span(span.end - len(name), span.end)
            text = source.text
            raise fail(
                "unknown-library",
                f"{self.path}.{name} is not known here: of {self.path} only some functions are",
                source=source,
                span=place,
                label=f"did you mean {guess}?" if guess else "",
                notes=("np., torch., F. and jnp. are the prefixes with all of their functions",),
                fix=Fix(text[: place.start] + guess + text[place.end :], replaces=text)
                if guess
                else None,
            )
        return found

    def _object(self, name: str) -> Any:
        """What `name` is that is no operation: a transform, a leaf, a distribution, a module."""
        if name in TRANSFORMS.get(self.path, ()):
            return Transform(name)
        if self.library != "torch":
            return None
        if name in ("device", "is_available"):
            return whatever_given(LibraryName("numpy", "np.float64") if name == "device" else False)
        if name in LEAF_CLASSES:
            return Callee(None, self.library, name, prefixed=True)
        if self.path.endswith("distributions") and (density := density_class(name)):
            return density
        return nn_class(name) if name[:1].isupper() else None


def whatever_given(value: Any) -> Any:
    """A function that gives `value` whatever it is called with."""
    from vjpcli.graph.modules import Giving  # noqa: PLC0415  (rarely)

    return Giving(value)


def nn_class(name: str) -> Any:
    """The class of torch.nn that is called `name`, or None."""
    from vjpcli.graph.modules import module_class  # noqa: PLC0415  (most programs use none)

    return module_class(name)


def density_class(name: str) -> Any:
    """What torch.distributions calls `name`, or None."""
    from vjpcli.graph.distributions import distribution_class  # noqa: PLC0415  (rarely)

    return distribution_class(name)
