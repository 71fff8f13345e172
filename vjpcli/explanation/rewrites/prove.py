"""A rewritten program on trial: run on the same values and seeds, and believed only then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.errors import VjpError
from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.problem import Problem
from vjpcli.explanation.rewrites.trouble import Proposal, Trouble
from vjpcli.graph.node import Graph, Node
from vjpcli.graph.random import random_numbers
from vjpcli.graph.trace import Trace, trace
from vjpcli.parser.expression import parse
from vjpcli.record import record

Array = NDArray[Any]


@record
class Proof:
    """What a rewritten program gave.

    Attributes:
        proposal: the program.
        gradients: leaf -> gradient.
        values: output name -> value.
    """

    proposal: Proposal
    gradients: Mapping[str, Array]
    values: Mapping[str, Array]

    @property
    def is_finite(self) -> bool:
        """Whether nothing at all is nan or infinite."""
        arrays = (*self.gradients.values(), *self.values.values())
        return all(bool(np.isfinite(array).all()) for array in arrays)


@record
class Tolerance:
    """How far a rewrite may move a finite number: |new - old| <= absolute + relative * |old|."""

    relative: float
    absolute: float

    def allows(self, old: Array, new: Array) -> bool:
        """Whether every entry that was finite stayed what it was."""
        finite = np.isfinite(old)
        error = np.abs(new[finite] - old[finite])
        return bool(np.all(error <= self.absolute + self.relative * np.abs(old[finite])))


EXACT_VALUE = {"float64": Tolerance(1e-9, 1e-300), "float32": Tolerance(1e-5, 1e-37)}
EXACT_GRADIENT = {"float64": Tolerance(1e-6, 1e-9), "float32": Tolerance(1e-3, 1e-5)}
MOVED_VALUE = {"float64": Tolerance(1e-5, 2e-6), "float32": Tolerance(2e-3, 2e-3)}
MOVED_GRADIENT = {"float64": Tolerance(1e-3, 1e-3), "float32": Tolerance(1e-1, 1e-1)}

LOST_DIGITS = Tolerance(1e-2, 1e-6)
"""How far a value may move that had lost its digits."""

NEAR = 1e-2
"""How far from its limit a value may come to lie."""

EPS = {"float64": "1e-12", "float32": "1e-6"}
"""What is added where nothing better exists; sqrt(eps) is how far a root moves."""


def prove(evidence: Evidence, proposal: Proposal, trouble: Trouble) -> Proof | None:
    """The numbers of the proposed program where it cures the trouble, else None.

    It does when every output that was finite keeps its value, every gradient entry that was
    finite keeps its own, and the entries in trouble are finite.
    """
    proof = tried_out(evidence, proposal)
    if proof is None or not _keeps_values(evidence, proof, trouble):
        return None
    if not _cures(proof, trouble, evidence) or not _meets_limit(proof, trouble, evidence):
        return None
    return proof


def tried_out(evidence: Evidence, proposal: Proposal) -> Proof | None:
    """The numbers of the proposed program, whatever they are; None where it cannot be run."""
    try:
        with random_numbers(evidence.problem.settings.random_seed):
            return _run(evidence, proposal)
    except (VjpError, MemoryError):
        return None


def _run(evidence: Evidence, proposal: Proposal) -> Proof | None:
    problem = evidence.problem
    settings = problem.settings
    traced = trace(parse(proposal.text), problem.arrays, library=settings.library)
    outputs: dict[str, Node] = {}
    for name, original in evidence.graph.outputs.items():
        node = _output(problem, traced, name)
        if node is None or node.shape != original.shape:
            return None
        outputs[name] = node
    graph = Graph.reaching(outputs, traced.graph.inputs)
    reverse = backward(graph, problem.leaves, like=settings.like)
    seeds = {seed_name(seed.output): seed.value for seed in evidence.one_pass}
    both = {**{f"value of {name}": node for name, node in outputs.items()}}
    both |= {f"gradient of {name}": node for name, node in reverse.graph.outputs.items()}
    whole = Graph.reaching(both, reverse.graph.inputs)
    results = evaluate(whole, {**problem.arrays, **seeds}, settings.dtype)
    return Proof(
        proposal,
        gradients={name: results[node] for name, node in reverse.graph.outputs.items()},
        values={name: results[node] for name, node in outputs.items()},
    )


def _output(problem: Problem, traced: Trace, name: str) -> Node | None:
    if name == problem.trace.output_name:
        return traced.graph.outputs[traced.output_name]
    return traced.graph.names.get(name)


def _meets_limit(proof: Proof, trouble: Trouble, evidence: Evidence) -> bool:
    """Whether the value that was not finite became what it tends to, with the slope there."""
    if trouble.output is None or trouble.tends_to is None or trouble.slope is None:
        return True
    names = [n for n, node in evidence.graph.outputs.items() if node is trouble.output.node]
    near = np.isclose(
        [float(proof.values[name][trouble.output.entry]) for name in names],
        trouble.tends_to,
        rtol=NEAR,
        atol=NEAR,
    )
    return bool(near.all())


def _keeps_values(evidence: Evidence, proof: Proof, trouble: Trouble) -> bool:
    moved, dtype = proof.proposal.changes_value, evidence.problem.settings.dtype
    of_values = (MOVED_VALUE if moved else EXACT_VALUE)[dtype]
    of_gradients = (MOVED_GRADIENT if moved else EXACT_GRADIENT)[dtype]
    values = all(
        of_values.allows(evidence.values[node], proof.values[name])
        for name, node in evidence.graph.outputs.items()
    )
    if trouble.value is not None and not moved:
        return values  # what went through an infinity may be finite, and is wrong
    return values and all(
        of_gradients.allows(old, proof.gradients[name])
        for name in evidence.problem.leaves
        if (old := evidence.adjoint(evidence.graph.inputs[name])) is not None
    )


def _cures(proof: Proof, trouble: Trouble, evidence: Evidence) -> bool:
    if trouble.value is not None:
        names = [n for n, node in evidence.graph.outputs.items() if node is trouble.value.node]
        return all(np.isfinite(proof.values[name][trouble.value.entry]) for name in names)
    return all(
        bool(np.isfinite(proof.gradients[name][mask]).all())
        for name, mask in trouble.leaves.items()
    )
