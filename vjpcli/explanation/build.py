"""Problem -> Explanation: everything a renderer shows, computed once from one trace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vjpcli.engine.backward import Backward, backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.engine.structure import is_entrywise
from vjpcli.errors import Diagnostic, fail
from vjpcli.explanation.model import (
    ArraySummary,
    Check,
    Edge,
    Explanation,
    LeafReport,
    Nudge,
    Output,
    Step,
    Structure,
)
from vjpcli.explanation.parts import part_names
from vjpcli.explanation.problem import Problem, named_nodes
from vjpcli.graph.node import Graph, Node, ancestors, dependents
from vjpcli.graph.operation import TEXTBOOK
from vjpcli.record import record

if TYPE_CHECKING:
    from vjpcli.engine.jacobian import LeafJacobian
    from vjpcli.explanation.evidence import Evidence

Array = NDArray[Any]

MOST_STEPS = 2_000
"""Nodes up to which the step table is made."""

MOST_KEPT_ENTRIES = 30_000_000
"""Entries over all forward nodes up to which every value and adjoint is kept."""

SUMMARISED_ENTRIES = 1_000
NUDGE = 0.01
MOST_MOVED = 1e6
"""A change that is larger beside the output is no longer told by the slope alone."""


@record
class Contents:
    """What an Explanation is to hold besides the gradients.

    Attributes:
        jacobian: the Jacobian of every output, up to `largest_jacobian` entries a leaf.
        formulas: slopes and gradients as text (imports SymPy).
        steps: the forward graph with values and adjoints.
        check: the comparison with difference quotients.
        findings: the diagnosis of nan, inf, kinks and the like.
        sentences: what the picture means.
    """

    jacobian: bool = True
    formulas: bool = True
    steps: bool = True
    check: bool = True
    findings: bool = True
    sentences: bool = True
    largest_jacobian: int = 1_000_000


@dataclass(slots=True)
class Run:
    """The numbers of one Problem.

    Attributes:
        gradients: leaf -> gradient, added up over the passes.
        passes: graph, backward graph and kept values of each pass; values are empty where
            they were not wanted.
    """

    gradients: dict[str, Array]
    passes: list[tuple[Graph, Backward, dict[Node, Array]]] = field(default_factory=list)


def build(problem: Problem, contents: Contents | None = None) -> Explanation:
    """The Explanation of `problem`.

    Errors: too-large, when the machine has not the memory.
    """
    contents = contents or Contents()
    try:
        with np.errstate(all="ignore"):
            return _build(problem, contents)
    except MemoryError:
        raise fail("too-large", "the arrays of this computation do not fit into memory") from None


def gradients_of(problem: Problem) -> dict[str, Array]:
    """The gradients alone, as `grad` prints them.

    With a single `each` seed the shape is output.shape + leaf.shape.
    """
    with np.errstate(all="ignore"):
        return _run(problem, keep=False).gradients


def _build(problem: Problem, contents: Contents) -> Explanation:
    each = _is_each(problem)
    keep = (contents.steps or contents.findings) and not each and _can_be_kept(problem)
    run = _run(problem, keep=keep)
    jacobians = _jacobians(problem, contents) if contents.jacobian or each else {}
    leaves = _leaf_reports(problem, run, jacobians, contents)
    found_steps: tuple[Step, ...] = ()
    edges: tuple[Edge, ...] = ()
    found: tuple[Diagnostic, ...] = ()
    evidence: list[Evidence] = []
    # What a caller did not ask for is not even imported: `grad` is called from shell loops.
    if keep:
        evidence = _evidence(problem, run, leaves)
        if contents.steps and len(problem.graph.nodes) <= MOST_STEPS:
            from vjpcli.explanation.steps import steps  # noqa: PLC0415

            adjoints = _total_adjoints(run)
            found_steps, edges = steps(evidence[0], adjoints, words=contents.formulas)
        if contents.findings:
            from vjpcli.explanation.findings import findings  # noqa: PLC0415

            # A second pass over the same graph meets most of what the first one met.
            told = {one.message: one for each in evidence for one in findings(each)}
            found = tuple(told.values())
    return Explanation(
        source=problem.program.source,
        dtype=problem.settings.dtype,
        inputs=problem.inputs,
        outputs=_with_parts(problem),
        passes=problem.passes,
        gradients=run.gradients,
        jacobian={output: _entries(jacobians, output) for output in jacobians},
        leaves=leaves,
        steps=found_steps,
        edges=edges,
        sentences=_sentences(problem, leaves, jacobians, evidence) if contents.sentences else (),
        check=_check(problem, run, found) if contents.check else None,
        diagnostics=(*found, *problem.notes),
        loss=problem.loss,
        node_count=len(problem.graph.nodes),
        statement_names=tuple(name for name, _ in problem.trace.named),
        largest_table=contents.largest_jacobian,
    )


def _with_parts(problem: Problem) -> tuple[Output, ...]:
    names = named_nodes(problem.trace)
    text = problem.program.source.text
    return tuple(
        replace(one, parts=part_names(problem.graph.outputs[one.name], names, text))
        for one in problem.outputs
    )


def _sentences(
    problem: Problem,
    leaves: Mapping[str, LeafReport],
    jacobians: Mapping[str, Mapping[str, LeafJacobian]],
    evidence: Sequence[Evidence],
) -> tuple[str, ...]:
    from vjpcli.explanation.sentences import sentences  # noqa: PLC0415

    return sentences(problem, leaves, _entries(jacobians, problem.outputs[-1].name), evidence)


def _check(problem: Problem, run: Run, found: Iterable[Diagnostic]) -> Check | None:
    from vjpcli.explanation.check import check  # noqa: PLC0415

    made = check(problem, run.gradients)
    lost = any(one.code in ("absorption", "cancellation") for one in found)
    if made is not None and made.agrees and lost:
        reason = "what rounding took from the gradient it took from the quotient, too"
        return replace(made, agrees=None, reason=reason)
    return made


def _entries(
    jacobians: Mapping[str, Mapping[str, LeafJacobian]], output: str
) -> dict[str, Array | None]:
    return {leaf: one.entries for leaf, one in jacobians.get(output, {}).items()}


def _evidence(problem: Problem, run: Run, leaves: Mapping[str, LeafReport]) -> list[Evidence]:
    from vjpcli.explanation.evidence import Evidence  # noqa: PLC0415
    from vjpcli.explanation.steps import step_names  # noqa: PLC0415

    names = step_names(problem)
    return [
        Evidence(problem, graph, one_pass, reverse, values, run.gradients, leaves, names)
        for one_pass, (graph, reverse, values) in zip(problem.passes, run.passes, strict=True)
    ]


def _total_adjoints(run: Run) -> dict[Node, Array]:
    """Forward node -> adjoint, added up over the passes as .grad does."""
    total: dict[Node, Array] = {}
    for _, reverse, values in run.passes:
        for node, adjoint in reverse.adjoints.items():
            total[node] = total[node] + values[adjoint] if node in total else values[adjoint]
    return total


# The passes.


def _is_each(problem: Problem) -> bool:
    return any(seed.value is None for one_pass in problem.passes for seed in one_pass)


def _can_be_kept(problem: Problem) -> bool:
    return sum(node.size for node in problem.graph.nodes) <= MOST_KEPT_ENTRIES


def _run(problem: Problem, *, keep: bool) -> Run:
    """Every backward pass, each from a fresh start, their gradients added up."""
    if _is_each(problem):
        return Run(_row_gradients(problem))
    run = Run({})
    for one_pass in problem.passes:
        graph = problem.restricted_to(seed.output for seed in one_pass)
        reverse = backward(graph, problem.leaves, like=problem.settings.like)
        kept: set[Node] = set(reverse.graph.outputs.values())
        if keep:
            kept |= {*graph.nodes, *reverse.adjoints.values()}
            kept |= {node for one in reverse.contributions for node in (one.local, one.fitted)}
        wanted = {str(node.serial): node for node in kept}
        inputs = {
            **problem.arrays,
            **{seed_name(seed.output): seed.value for seed in one_pass},
        }
        results = evaluate(
            Graph.reaching(wanted, reverse.graph.inputs), inputs, problem.settings.dtype
        )
        for leaf, node in reverse.graph.outputs.items():
            gradient = np.array(results[node], dtype=problem.settings.dtype)
            run.gradients[leaf] = run.gradients[leaf] + gradient if run.passes else gradient
        run.passes.append((graph, reverse, results if keep else {}))
    return run


def _row_gradients(problem: Problem) -> dict[str, Array]:
    """One gradient per output entry: the Jacobian, a row each."""
    from vjpcli.engine.jacobian import jacobian  # noqa: PLC0415

    graph = problem.restricted_to([problem.outputs[-1].name])
    found = jacobian(
        graph,
        problem.leaves,
        problem.arrays,
        problem.settings.dtype,
        like=problem.settings.like,
        largest=10**8,
    )
    gradients = {}
    for leaf, one in found.items():
        if one.entries is None:
            raise fail(
                "too-large",
                f"one gradient per output entry would be {problem.outputs[-1].value.size:,} "
                f"gradients of {leaf}",
            )
        gradients[leaf] = one.entries
    return gradients


def _jacobians(problem: Problem, contents: Contents) -> dict[str, dict[str, LeafJacobian]]:
    from vjpcli.engine.jacobian import jacobian  # noqa: PLC0415

    return {
        output.name: jacobian(
            problem.restricted_to([output.name]),
            problem.leaves,
            problem.arrays,
            problem.settings.dtype,
            like=problem.settings.like,
            largest=contents.largest_jacobian,
        )
        for output in problem.outputs
    }


# What is known of each leaf.


def _leaf_reports(
    problem: Problem,
    run: Run,
    jacobians: Mapping[str, Mapping[str, LeafJacobian]],
    contents: Contents,
) -> dict[str, LeafReport]:
    output = problem.outputs[-1]
    graph = problem.restricted_to([output.name])
    structures = {leaf: one.structure for leaf, one in jacobians.get(output.name, {}).items()} or {
        leaf: _structure(graph, leaf) for leaf in problem.leaves
    }
    formulas = _formulas(graph, problem, structures) if contents.formulas else {}
    read = ancestors(problem.graph.outputs.values())
    stretched = _stretched_axes(problem, run)
    reports = {}
    for leaf in problem.leaves:
        found = jacobians.get(output.name, {}).get(leaf)
        gradient = run.gradients[leaf]
        formula = formulas.get(leaf)
        structure: Any = structures[leaf]
        reports[leaf] = LeafReport(
            formula=formula.text if formula and formula.entrywise else None,
            formula_is_output=bool(formula and formula.entrywise and formula.is_output),
            matrix_formula=formula.text if formula and not formula.entrywise else None,
            matrix_formula_says=formula.says if formula else "",
            structure=structure,
            reads=None if found is None or found.structure == "dense" else found.pattern,
            used=problem.graph.inputs[leaf] in read,
            finite=bool(np.isfinite(gradient).all()),
            summed_axes=stretched.get(leaf, ()),
            slopes=_slopes(graph, problem, leaf, structure, found),
            summary=_summary(gradient) if gradient.size > SUMMARISED_ENTRIES else None,
            nudge=_nudge(problem, gradient),
        )
    return reports


def _structure(graph: Graph, leaf: str) -> Structure:
    """By shapes alone, where no Jacobian was wanted."""
    (output,) = graph.outputs.values()
    node = graph.inputs[leaf]
    if output not in dependents(graph, [node]):
        return "none"
    if output.size == 1:
        return "row"
    return "diagonal" if is_entrywise(graph, output, node) else "dense"


def _formulas(graph: Graph, problem: Problem, structures: Mapping[str, str]) -> dict[str, Any]:
    from vjpcli.engine.symbolic import exceptions, formulas  # noqa: PLC0415  (SymPy)

    used = {leaf: one for leaf, one in structures.items() if one != "none"}
    like = problem.settings.like
    reverse = backward(graph, used, like=TEXTBOOK if like == "torch" else like)
    (output,) = problem.outputs[-1:]
    inputs = {**problem.arrays, seed_name(output.name): np.ones(output.value.shape)}
    return formulas(graph, reverse, used, exceptions(reverse, inputs))


def _slopes(
    graph: Graph, problem: Problem, leaf: str, structure: str, found: LeafJacobian | None
) -> Array | None:
    """The diagonal of a diagonal Jacobian, in the shape of the leaf."""
    output = problem.outputs[-1].value
    value = problem.inputs[leaf].value
    if structure != "diagonal" or value.shape != output.shape:
        return None
    if found is not None and found.entries is not None:
        return found.entries.reshape(value.size, value.size).diagonal().reshape(value.shape)
    reverse = backward(graph, [leaf], like=problem.settings.like)
    inputs = {**problem.arrays, seed_name(problem.outputs[-1].name): np.ones(output.shape)}
    return evaluate(reverse.graph, inputs, problem.settings.dtype)[reverse.graph.outputs[leaf]]


def _stretched_axes(problem: Problem, run: Run) -> dict[str, tuple[int, ...]]:
    """Leaf -> axes of the larger operand along which broadcasting copied it."""
    nodes = {problem.graph.inputs[name]: name for name in problem.leaves}
    found: dict[str, tuple[int, ...]] = {}
    for _, reverse, _ in run.passes[:1]:
        for one in reverse.contributions:
            name = nodes.get(one.operand)
            if name is None or one.local.size <= one.operand.size or one.operand.ndim == 0:
                continue
            missing = one.local.ndim - one.operand.ndim
            axes = [*range(missing)]
            axes += [
                missing + axis
                for axis, length in enumerate(one.operand.shape)
                if length == 1 and one.local.shape[missing + axis] != 1
            ]
            found.setdefault(name, tuple(axes))
    return found


def _summary(gradient: Array) -> ArraySummary:
    finite = gradient[np.isfinite(gradient)].astype(np.float64)
    return ArraySummary(
        minimum=float(finite.min()) if finite.size else float("nan"),
        maximum=float(finite.max()) if finite.size else float("nan"),
        norm=float(np.sqrt(np.sum(finite * finite))),
        zeros=int(np.count_nonzero(gradient == 0)),
        not_finite=int(gradient.size - finite.size),
    )


def _nudge(problem: Problem, gradient: Array) -> Nudge | None:
    """What raising a scalar leaf a little does to a scalar output."""
    seeds = [seed for one_pass in problem.passes for seed in one_pass]
    scalar = problem.outputs[-1].value.ndim == 0 and gradient.ndim == 0
    if not scalar or len(seeds) != 1 or seeds[0].value is None or not np.isfinite(gradient):
        return None
    change = NUDGE * float(gradient)
    size = abs(float(problem.outputs[-1].value))
    if float(seeds[0].value) != 1.0 or abs(change) > MOST_MOVED * max(1.0, size):
        return None
    return Nudge(NUDGE, change)
