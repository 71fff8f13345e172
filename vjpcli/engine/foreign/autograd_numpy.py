"""The program in HIPS autograd, differentiated by `make_vjp`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.foreign.library import ForeignResult, NotAvailable
from vjpcli.engine.foreign.numpy_like import NumpyLike, as_function
from vjpcli.graph.operation import Library
from vjpcli.parser.syntax import Program

Array = NDArray[Any]


class Autograd(NumpyLike):
    """autograd.numpy, and autograd.scipy.special where SciPy is installed."""

    title = "autograd"
    speaks: Library = "numpy"

    def __init__(self) -> None:
        self.box = import_module("autograd.tracer").Box
        self.numpy = import_module("autograd.numpy")
        self.linalg = self.numpy.linalg
        self.fft = self.numpy.fft
        try:
            self.modules = (self.numpy, import_module("autograd.scipy.special"))
        except ImportError:
            self.modules = (self.numpy,)

    def is_array(self, value: Any) -> bool:
        return isinstance(value, self.box | np.ndarray | np.generic)

    def whole(self, value: Any) -> Any:
        value = import_module("autograd.tracer").getval(value)
        return value if value.dtype == bool else value.astype(int)

    def labels(self, value: Any) -> Any:
        if isinstance(value, self.box) or value.dtype == bool:
            return value
        return value.astype(int) if np.all(value == np.round(value)) else value


def gradients(
    program: Program,
    values: Mapping[str, Array],
    leaves: tuple[str, ...],
    seeds: Mapping[str, Array],
    output_name: str,
    bare_names: Library,
) -> ForeignResult:
    """Outputs and gradients by autograd; see `foreign_gradients`."""
    make_vjp = import_module("autograd").make_vjp
    library = Autograd()
    inputs = {name: library.array(value) for name, value in values.items()}
    arrays = tuple(inputs[name] for name in leaves)
    outputs: dict[str, Array] = {}
    total = {name: np.zeros(np.shape(values[name])) for name in leaves}
    with np.errstate(all="ignore"):
        for output, seed in seeds.items():
            function = as_function(
                program, inputs, leaves, [output], output_name, library, bare_names
            )

            def first(leaf_arrays: Any, function: Any = function) -> Any:
                return function(*leaf_arrays)[0]

            pull_back, value = make_vjp(first)(arrays)
            outputs[output] = np.asarray(value, np.float64)
            if np.shape(value) != np.shape(seed):
                raise NotAvailable(f"its output has shape {np.shape(value)}")
            found = pull_back(np.asarray(seed, np.float64))
            for name, one in zip(leaves, found, strict=True):
                total[name] = total[name] + np.asarray(one, np.float64)
    return ForeignResult(_version(), outputs, total)


def _version() -> str:
    from importlib.metadata import version  # noqa: PLC0415  (slow, and only read here)

    return version("autograd")
