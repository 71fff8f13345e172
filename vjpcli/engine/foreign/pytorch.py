"""The program in PyTorch, differentiated by `torch.autograd.grad`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.foreign.interpreter import Interpreter
from vjpcli.engine.foreign.library import ForeignLibrary, ForeignResult
from vjpcli.graph.operation import Library, Operation
from vjpcli.parser.syntax import Program

Array = NDArray[Any]


class PyTorch(ForeignLibrary):
    """torch and its parts."""

    title = "PyTorch"
    speaks: Library = "torch"
    keywords = {"axis": "dim", "keepdims": "keepdim", "ddof": "correction"}  # noqa: RUF012  (never changed)

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.linalg = torch.linalg
        self.fft = torch.fft
        # functional first: torch.embedding and others are its internals with other arguments
        self.modules = (torch.nn.functional, torch, torch.special)

    def array(self, value: Any) -> Any:
        array = np.asarray(value)
        if array.dtype.kind not in "bc":
            array = array.astype(np.float64)
        return self.torch.from_numpy(np.array(array, order="C"))

    def is_array(self, value: Any) -> bool:
        return isinstance(value, self.torch.Tensor)

    def stack(self, items: list[Any]) -> Any:
        return self.torch.stack(self._of_one_type(items))

    def whole(self, value: Any) -> Any:
        return value if value.dtype == self.torch.bool else value.detach().long()

    def labels(self, value: Any) -> Any:
        if not value.is_floating_point() or not bool((value == value.round()).all()):
            return value
        return value.detach().long()

    def number(self, value: Any) -> float:
        return float(value.detach())

    def method(self, operation: Operation, name: str) -> Callable[..., Any] | None:  # noqa: ARG002  (for others)
        found: Callable[..., Any] | None = getattr(self.torch.Tensor, name, None)
        return found if callable(found) else None

    def _of_one_type(self, items: list[Any]) -> list[Any]:
        if any(item.is_complex() for item in items):
            return [item.to(self.torch.complex128) for item in items]
        if any(item.is_floating_point() for item in items):
            return [item.double() for item in items]
        return items


def gradients(
    program: Program,
    values: Mapping[str, Array],
    leaves: tuple[str, ...],
    seeds: Mapping[str, Array],
    output_name: str,
    bare_names: Library,
) -> ForeignResult:
    """Outputs and gradients by PyTorch; see `foreign_gradients`."""
    torch = import_module("torch")
    library = PyTorch(torch)
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        inputs = {name: library.array(value) for name, value in values.items()}
        for name in leaves:
            inputs[name].requires_grad_()
        run = Interpreter(program, inputs, library, bare_names)
        last = run.run()
        outputs = {name: run.output(name, last, output_name) for name in seeds}
        wanted = [inputs[name] for name in leaves]
        moving = {name: one for name, one in outputs.items() if one.requires_grad}
        found: tuple[Any, ...] = (None,) * len(wanted)
        if moving and wanted:
            weights = [
                library.array(seeds[name]).reshape(one.shape) for name, one in moving.items()
            ]
            found = torch.autograd.grad(list(moving.values()), wanted, weights, allow_unused=True)
        return ForeignResult(
            version=str(torch.__version__).partition("+")[0],
            # The imaginary part of a conjugate is kept as a view that still has to be negated.
            outputs={n: one.detach().double().resolve_neg().numpy() for n, one in outputs.items()},
            gradients={
                name: np.zeros(np.shape(values[name])) if one is None else one.resolve_neg().numpy()
                for name, one in zip(leaves, found, strict=True)
            },
        )
    finally:
        torch.set_default_dtype(before)
