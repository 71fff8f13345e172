"""Every kink that is declared, against the function itself and against the rules.

A kink is data: where it is, which slopes are right there, which one is used. Nothing in that
data is taken on trust here.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from rule_cases import operand, rng_for

from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.errors import VjpError
from vjpcli.graph.facts import Kink, Refusal
from vjpcli.graph.node import Graph
from vjpcli.graph.operation import OPERATIONS, Operation, as_node, make_leaf

ENGINES = ("torch", "jax", "autograd")


@dataclass(frozen=True)
class KinkCase:
    """The operation applied to the point at which the kink is hit."""

    operation: Operation
    kink: Kink
    number: int
    static: Mapping[str, Any]

    def __str__(self) -> str:
        given = "".join(f"-{name}={value}" for name, value in self.static.items())
        return f"{self.operation.name}-{self.number}{given}"

    @property
    def values(self) -> dict[str, Any]:
        return {
            f"x{i}": np.asarray(given, dtype=np.float64)
            for i, given in enumerate(self.kink.point)
            if given is not None
        }

    @property
    def graph(self) -> Graph:
        inputs = {name: make_leaf(name, value.shape) for name, value in self.values.items()}
        nodes = [
            None if given is None else inputs[f"x{i}"] for i, given in enumerate(self.kink.point)
        ]
        result = self.operation(*nodes, **self.static)
        output = result[0] if isinstance(result, tuple) else result
        return Graph.reaching({"y": output}, inputs)

    @property
    def is_hit(self) -> bool:
        graph = self.graph
        output = graph.outputs["y"]
        assert output.operation is self.operation, "a composite leaves its kinks to its parts"
        results = evaluate(graph, self.values, keep=True)
        operands = [results[node] for node in output.operands]
        mask = np.asarray(self.kink.at(results[output], *operands, **output.static))
        assert mask.dtype == np.bool_
        return bool(np.broadcast_to(mask, output.shape).flat[self.kink.entry])


def statics(operation: Operation, kink: Kink) -> list[Mapping[str, Any]]:
    """The defaults; and where the kink depends on static arguments, those of the samples too."""
    sampled = [sample.static for sample in operation.samples if sample.static]
    return [kink.static, *(sampled if kink.varies else [])]


def under(operation: Operation, kink: Kink, static: Mapping[str, Any]) -> Kink:
    return kink.under({**operation.static_defaults, **static})


KINK_CASES = [
    KinkCase(operation, under(operation, kink, static), number, static)
    for operation in OPERATIONS.values()
    for number, kink in enumerate(operation.kinks)
    for static in statics(operation, kink)
]
each_kink = pytest.mark.parametrize("case", KINK_CASES, ids=str)
each_operation = pytest.mark.parametrize(
    "operation", OPERATIONS.values(), ids=lambda operation: operation.name
)


def slope_used(case: KinkCase, engine: str) -> float:
    """d(entry of the output)/d(first entry of the operand), as the rule has it."""
    graph = case.graph
    output = graph.outputs["y"]
    name = f"x{case.kink.operand}"
    reverse = backward(graph, [name], like=engine)
    seed = np.zeros(output.shape)
    seed.flat[case.kink.entry] = 1.0
    results = evaluate(reverse.graph, {**case.values, seed_name("y"): seed})
    return float(results[reverse.graph.outputs[name]].flat[0])


def difference_quotient(case: KinkCase, step: float) -> float:
    """From the kink to `step` beside it (a negative one goes to the left)."""
    graph = case.graph
    output = graph.outputs["y"]
    name = f"x{case.kink.operand}"
    beside = case.values[name].copy()
    beside.flat[0] += step
    here = evaluate(graph, case.values)[output].flat[case.kink.entry]
    there = evaluate(graph, {**case.values, name: beside})[output].flat[case.kink.entry]
    return float((there - here) / step)


@pytest.mark.parametrize(
    ("operation", "number"),
    [
        (operation, number)
        for operation in OPERATIONS.values()
        for number in range(len(operation.kinks))
    ],
)
def test_kink_is_hit_at_its_point(operation, number):
    """Where the kink depends on static arguments, some of those sampled must show it."""
    kink = operation.kinks[number]
    cases = [
        KinkCase(operation, under(operation, kink, static), number, static)
        for static in statics(operation, kink)
    ]
    assert any(case.is_hit for case in cases)


@each_kink
@pytest.mark.parametrize("engine", ENGINES)
def test_rule_uses_the_slope_that_is_declared(case, engine):
    expected = case.kink.others.get(engine, case.kink.used)
    np.testing.assert_allclose(slope_used(case, engine), expected, rtol=1e-12, equal_nan=True)


@each_kink
def test_one_sided_difference_quotients_equal_the_declared_slopes(case):
    near = sorted(difference_quotient(case, side * 1e-6) for side in (-1, 1))
    far = sorted(difference_quotient(case, side * 1e-3) for side in (-1, 1))
    for declared, at_small_step, at_large_step in zip(
        sorted(case.kink.slopes), near, far, strict=True
    ):
        if np.isfinite(declared):
            assert at_small_step == pytest.approx(declared, abs=1e-4)
        else:  # a jump or a vertical tangent: it grows without bound as the step shrinks
            assert np.sign(at_small_step) == np.sign(declared)
            assert np.isinf(at_small_step) or abs(at_small_step) > 10 * abs(at_large_step)


@each_kink
def test_other_engines_are_named_only_where_they_differ(case):
    for engine, slope in case.kink.others.items():
        assert engine in ENGINES[1:]
        assert not np.array_equal(slope, case.kink.used, equal_nan=True)


@each_operation
def test_documentation_has_its_fixed_lines(operation):
    lines = operation.documentation.splitlines()
    first_sentence = operation.documentation.partition("\n\n")[0]
    assert first_sentence.rstrip().endswith(".")
    for word in ("Shapes:", "Kinks:", "Source:", "Example:"):
        matching = [line for line in lines if line.startswith(word)]
        assert len(matching) == 1, word
        assert matching[0].removeprefix(word).strip(), word


@each_operation
def test_documented_example_is_a_command(operation):
    line = next(
        line for line in operation.documentation.splitlines() if line.startswith("Example:")
    )
    words = shlex.split(line.removeprefix("Example:"))
    assert words[:2] == ["vjp", "explain"]
    assert len(words) >= 3


REFUSALS = [
    (operation, refusal) for operation in OPERATIONS.values() for refusal in operation.refuses
]


@pytest.mark.parametrize(
    ("operation", "refusal"), REFUSALS, ids=[f"{op.name}-{r.code}" for op, r in REFUSALS]
)
def test_refused_call_gives_its_code(operation: Operation, refusal: Refusal):
    nodes = []
    for position, given in enumerate(refusal.sample.operands):
        domain = operation.domains[min(position, len(operation.domains) - 1)]
        if given is None or isinstance(given, int | float):
            nodes.append(None if given is None else as_node(given))
            continue
        value = operand(given, domain, rng_for(operation.name, position))
        leaf = make_leaf(f"x{position}", value.shape)
        nodes.append(as_node(value) if value.dtype == np.bool_ else leaf)
    with pytest.raises(VjpError) as caught:
        operation(*nodes, **refusal.sample.static)
    assert caught.value.diagnostic.code == refusal.code
    assert caught.value.diagnostic.message
