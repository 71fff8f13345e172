"""What JAX and autograd share: arrays with NumPy's functions, differentiated as a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.foreign.interpreter import Interpreter
from vjpcli.engine.foreign.library import ForeignLibrary
from vjpcli.graph.operation import Library
from vjpcli.parser.syntax import Program

Array = NDArray[Any]


class NumpyLike(ForeignLibrary):
    """A library whose `numpy` module is used in place of NumPy."""

    keywords = {"dim": "axis", "keepdim": "keepdims", "correction": "ddof"}  # noqa: RUF012  (never changed)
    numpy: Any

    def array(self, value: Any) -> Any:
        array = np.asarray(value)
        keeps = array.dtype.kind in "bc"
        return self.numpy.array(array if keeps else array.astype(np.float64))

    def stack(self, items: list[Any]) -> Any:
        return self.numpy.stack(items)

    def number(self, value: Any) -> float:
        return float(value)


def as_function(
    program: Program,
    data: Mapping[str, Any],
    leaves: tuple[str, ...],
    outputs: list[str],
    output_name: str,
    library: NumpyLike,
    bare_names: Library,
) -> Callable[..., tuple[Any, ...]]:
    """The program as a Python function of its leaves, giving the outputs that take seeds."""

    def function(*arrays: Any) -> tuple[Any, ...]:
        inputs = {**data, **dict(zip(leaves, arrays, strict=True))}
        run = Interpreter(program, inputs, library, bare_names)
        last = run.run()
        return tuple(run.output(name, last, output_name) * 1.0 for name in outputs)

    return function
