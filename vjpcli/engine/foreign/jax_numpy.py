"""The program in JAX, differentiated by `jax.vjp`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.foreign.library import ForeignResult
from vjpcli.engine.foreign.numpy_like import NumpyLike, as_function
from vjpcli.graph.operation import Library
from vjpcli.parser.syntax import Program

Array = NDArray[Any]


class Jax(NumpyLike):
    """jax.numpy and its neighbours."""

    title = "JAX"
    speaks: Library = "jax"

    def __init__(self, jax: Any) -> None:
        self.jax = jax
        self.numpy = import_module("jax.numpy")
        self.linalg = self.numpy.linalg
        self.fft = self.numpy.fft
        special = import_module("jax.scipy.special")
        beside = map(import_module, ("jax.nn", "jax.lax", "jax.ops"))
        self.modules = (self.numpy, *beside, special)

    def is_array(self, value: Any) -> bool:
        return isinstance(value, self.jax.Array)

    def whole(self, value: Any) -> Any:
        return value if value.dtype == bool else self.jax.lax.stop_gradient(value).astype(int)

    def labels(self, value: Any) -> Any:
        if isinstance(value, self.jax.core.Tracer) or value.dtype == bool:
            return value
        return value.astype(int) if bool((value == value.round()).all()) else value

    def static(self, name: str, value: Any) -> Any:
        return value == "tanh" if name == "approximate" else value


def gradients(
    program: Program,
    values: Mapping[str, Array],
    leaves: tuple[str, ...],
    seeds: Mapping[str, Array],
    output_name: str,
    bare_names: Library,
) -> ForeignResult:
    """Outputs and gradients by JAX; see `foreign_gradients`."""
    jax = import_module("jax")
    in_float64 = jax.enable_x64 if hasattr(jax, "enable_x64") else _enable_x64()
    with in_float64(True):
        library = Jax(jax)
        inputs = {name: library.array(value) for name, value in values.items()}
        names = list(seeds)
        function = as_function(program, inputs, leaves, names, output_name, library, bare_names)
        outputs, pull_back = jax.vjp(function, *(inputs[name] for name in leaves))
        weights = [
            library.array(seeds[name]).reshape(one.shape)
            for name, one in zip(names, outputs, strict=True)
        ]
        found = pull_back(tuple(weights))
        return ForeignResult(
            version=str(jax.__version__),
            outputs={n: np.asarray(one) for n, one in zip(names, outputs, strict=True)},
            gradients={n: np.asarray(one) for n, one in zip(leaves, found, strict=True)},
        )


def _enable_x64() -> Any:
    """The context manager of releases before it moved to `jax.enable_x64`."""
    return import_module("jax.experimental").enable_x64
