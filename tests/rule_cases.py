"""Cases derived from the registry: every declared sample of every operation, ready to run."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

import vjpcli.ops  # noqa: F401  (declares the operations)
from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.graph.complex_value import Complex
from vjpcli.graph.node import Graph, Node
from vjpcli.graph.operation import OPERATIONS, Operation, as_node, make_leaf


@dataclass(frozen=True)
class RuleCase:
    """One operation applied to the operands of one sample."""

    operation: Operation
    number: int
    result: int
    graph: Graph
    values: dict[str, Any]

    @property
    def output(self) -> Node:
        return self.graph.outputs["y"]

    def __str__(self) -> str:
        several = f"-result{self.result}" if self.result else ""
        return f"{self.operation.name}-{self.number}{several}"


def rng_for(*words: object) -> np.random.Generator:
    """Random numbers that depend on the case alone, not on the order of the tests."""
    return np.random.default_rng(zlib.crc32(" ".join(map(str, words)).encode()))


def real_results(results: Any) -> list[Node]:
    """Every real node of a result: several results one by one, complex ones part by part."""
    found: list[Node] = []
    for one in results if isinstance(results, tuple) else (results,):
        found += [one.real, one.imaginary] if isinstance(one, Complex) else [one]
    return found


def operand(given: Any, domain: Any, rng: np.random.Generator) -> Any:
    if isinstance(given, tuple):
        return rng.uniform(domain.low, domain.high, size=given)
    return np.asarray(given)


def cases(*, differentiable: bool = True) -> list[RuleCase]:
    found = []
    for operation in OPERATIONS.values():
        for number, sample in enumerate(operation.samples):
            rng = rng_for(operation.name, number)
            inputs: dict[str, Node] = {}
            values: dict[str, Any] = {}
            nodes: list[Any] = []
            for position, given in enumerate(sample.operands):
                domain = operation.domains[min(position, len(operation.domains) - 1)]
                if given is None:
                    nodes.append(None)
                    continue
                value = operand(given, domain, rng)
                if isinstance(given, int | float):  # a bare number is data
                    nodes.append(as_node(given))
                    continue
                if value.dtype == np.bool_:
                    nodes.append(as_node(value))
                    continue
                name = f"x{position}"
                values[name] = value.astype(np.float64)
                inputs[name] = make_leaf(name, value.shape)
                nodes.append(inputs[name])
            results = real_results(operation(*nodes, **sample.static))
            for result, node in enumerate(results):
                if node.kind == "real" or not differentiable:
                    graph = Graph.reaching({"y": node}, inputs)
                    found.append(RuleCase(operation, number, result, graph, values))
    return found


def gradients(case: RuleCase, seed: Any, dtype: Any = np.float64) -> dict[str, Any]:
    """Gradient of every input; extra leading axes of the seed are a batch."""
    seed = np.asarray(seed)
    batch = seed.shape[: seed.ndim - case.output.ndim]
    reverse = backward(case.graph, case.values, batch=batch)
    results = evaluate(reverse.graph, {**case.values, seed_name("y"): seed}, dtype)
    return {name: results[node] for name, node in reverse.graph.outputs.items()}


def value(case: RuleCase, values: dict[str, Any], dtype: Any = np.float64) -> Any:
    return evaluate(case.graph, values, dtype)[case.output]


def moved(
    values: dict[str, Any], name: str, position: tuple[int, ...], by: complex
) -> dict[str, Any]:
    changed = np.array(values[name], dtype=np.result_type(values[name], by))
    changed[position] += by
    return {**values, name: changed}
