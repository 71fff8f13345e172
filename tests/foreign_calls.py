"""Declared samples and kinks, called in another library the way `vjp check` calls it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from rule_cases import operand, real_results, rng_for

from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.engine.foreign.autograd_numpy import Autograd
from vjpcli.engine.foreign.calls import call
from vjpcli.engine.foreign.jax_numpy import Jax
from vjpcli.engine.foreign.library import ForeignLibrary
from vjpcli.engine.foreign.pytorch import PyTorch
from vjpcli.graph.facts import Sample
from vjpcli.graph.names import Callee
from vjpcli.graph.node import Graph, Node
from vjpcli.graph.operation import OPERATIONS, Library, Operation, as_node, make_leaf

Found = list[tuple[Any, dict[str, Any] | None]]
"""For each result: its value, and the gradient of each input (None where there is none)."""


@dataclass(frozen=True)
class CallCase:
    """One operation called with the operands of one declared sample."""

    operation: Operation
    number: int
    sample: Sample
    library: Library

    def __str__(self) -> str:
        return f"{self.operation.name}-{self.number}"

    def operands(self) -> list[Any]:
        """Arrays of inputs; numbers, conditions and None as they are."""
        rng = rng_for(self.operation.name, self.number)
        domains = self.operation.domains
        found: list[Any] = []
        for position, given in enumerate(self.sample.operands):
            if given is None or isinstance(given, int | float):
                found.append(given)
                continue
            found.append(operand(given, domains[min(position, len(domains) - 1)], rng))
        return [
            one.astype(np.float64) if isinstance(one, np.ndarray) and one.dtype != bool else one
            for one in found
        ]

    @property
    def static(self) -> dict[str, Any]:
        defaults = self.operation.library_defaults.get(self.library, {})
        return {**defaults, **self.sample.static}

    def ours(self) -> Found:
        inputs: dict[str, Node] = {}
        values: dict[str, Any] = {}
        nodes: list[Any] = []
        for position, one in enumerate(self.operands()):
            if is_input(one):
                name = f"x{position}"
                values[name], inputs[name] = one, make_leaf(name, one.shape)
            nodes.append(
                inputs[f"x{position}"] if is_input(one) else None if one is None else as_node(one)
            )
        found: Found = []
        for node in real_results(self.operation(*nodes, **self.static)):
            graph = Graph.reaching({"y": node}, inputs)
            value = evaluate(graph, values)[node]
            reverse = backward(graph, values)
            given = {**values, seed_name("y"): seed_of(value.shape)}
            entries = evaluate(reverse.graph, given)
            gradients = {name: entries[one] for name, one in reverse.graph.outputs.items()}
            found.append((value, gradients))
        return found

    def in_torch(self, torch: Any) -> Found:
        library = PyTorch(torch)
        tensors: dict[str, Any] = {}
        arguments: list[Any] = []
        for position, one in enumerate(self.operands()):
            if is_input(one):
                tensors[f"x{position}"] = library.array(one).requires_grad_()
                arguments.append(tensors[f"x{position}"])
            else:
                arguments.append(library.array(one) if isinstance(one, np.ndarray) else one)
        results = called(library, self.operation, arguments, self.sample.static)
        found: Found = []
        parts = [
            part
            for one in (results if isinstance(results, tuple | list) else (results,))
            for part in ((one.real, one.imag) if torch.is_complex(one) else (one,))
        ]
        for one in parts:
            tensor = one if isinstance(one, torch.Tensor) else torch.as_tensor(one)
            found.append((tensor.detach().double().resolve_neg().numpy(), None))
            if tensor.requires_grad:
                seed = library.array(seed_of(tensor.shape))
                try:
                    gradients = torch.autograd.grad(
                        tensor, list(tensors.values()), seed, allow_unused=True, retain_graph=True
                    )
                except RuntimeError:  # no derivative there
                    continue
                found[-1] = (
                    found[-1][0],
                    {
                        name: np.zeros(tensors[name].shape)
                        if one is None
                        else one.resolve_neg().numpy()
                        for name, one in zip(tensors, gradients, strict=True)
                    },
                )
        return found


def is_input(one: Any) -> bool:
    return isinstance(one, np.ndarray) and one.dtype != bool


def seed_of(shape: Any) -> Any:
    count = int(np.prod(shape))
    return (1 + np.arange(count) / 8).reshape(tuple(shape))


def call_cases(library: Library) -> list[CallCase]:
    return [
        CallCase(operation, number, sample, library)
        for operation in OPERATIONS.values()
        for number, sample in enumerate(operation.samples)
    ]


def called(library: ForeignLibrary, operation: Operation, arguments: list[Any], static: Any) -> Any:
    """The library's result.

    Errors: NotAvailable.
    """
    while arguments and arguments[-1] is None:
        arguments = arguments[:-1]
    return call(
        library,
        Callee(operation, "torch", operation.name),
        [arguments] if operation.variadic else arguments,
        dict(static),
        lambda value: value if value is None or library.is_array(value) else library.array(value),
        is_method=False,
    )


def kink_slope(engine: str, case: Any) -> float:
    """The slope that the engine really uses at the point of a declared kink.

    Errors: NotAvailable, and whatever the engine raises.
    """
    points = [None if one is None else np.asarray(one, np.float64) for one in case.kink.point]
    arrays = [one for one in points if one is not None]
    operand_number = sum(one is not None for one in points[: case.kink.operand])

    def result(library: ForeignLibrary, given: Any) -> Any:
        rest = iter(given)
        arguments = [None if one is None else next(rest) for one in points]
        found = called(library, case.operation, arguments, case.static)
        while isinstance(found, tuple | list):
            found = found[0]
        return found

    if engine == "torch":
        import torch

        tensors = [torch.tensor(one, dtype=torch.float64, requires_grad=True) for one in arrays]
        entry = result(PyTorch(torch), tensors).reshape(-1)[case.kink.entry]
        slopes = torch.autograd.grad(entry, tensors[operand_number])[0]
        return float(slopes.reshape(-1)[0])
    if engine == "jax":
        import jax

        with jax.enable_x64(True):
            library: Any = Jax(jax)
            value, pull_back = jax.vjp(
                lambda *given: result(library, given) * 1.0, *map(library.array, arrays)
            )
            found = pull_back(library.array(one_hot(value.shape, case.kink.entry)))
            return float(np.asarray(found[operand_number]).flat[0])
    from autograd import make_vjp

    library = Autograd()
    pull_back, value = make_vjp(lambda given: result(library, given) * 1.0)(tuple(arrays))
    found = pull_back(one_hot(np.shape(value), case.kink.entry))
    return float(np.asarray(found[operand_number]).flat[0])


def one_hot(shape: Any, entry: int) -> Any:
    seed = np.zeros(tuple(shape))
    seed.flat[entry] = 1.0
    return seed if seed.ndim else np.float64(1.0)
