"""What the picture means, in a sentence or two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.model import LeafReport, Output, Seed
from vjpcli.explanation.problem import Problem, named_nodes
from vjpcli.explanation.reuse import reuse_sentences
from vjpcli.explanation.scripts import leaves_to_choose
from vjpcli.graph.notation import number_text
from vjpcli.graph.operation import leaf as leaf_operation

Array = NDArray[Any]

FEW = 8
ROUNDING = 1e-14

MOST_REMARKS = 2
LONGEST_TEXT = 16
"""Characters of the program that a sentence about a seed repeats."""

INDICES = "ijklmn"

SHORT_GRADIENT = 6
"""Entries up to which a gradient is written out inside a sentence."""

Topic = Literal["", "diagonal", "weights", "implicit seed"]


class Sentence(str):
    """A sentence that knows what it is about, so that a picture that says it can leave it out.

    Attributes:
        topic: "diagonal" (the pattern of the Jacobian), "weights" (rows times seeds, added up),
            "implicit seed" (why none was needed), or "" for what no picture says.
    """

    __slots__ = ("topic",)

    topic: Topic

    def __new__(cls, text: str, topic: Topic = "") -> Sentence:
        """The text with its topic."""
        made = super().__new__(cls, text)
        made.topic = topic
        return made


def sentences(
    problem: Problem,
    leaves: Mapping[str, LeafReport],
    jacobian: Mapping[str, Array | None],
    evidence: Sequence[Evidence] = (),
) -> tuple[str, ...]:
    """What holds for this output, this seed and these leaves, most important first.

    `jacobian` is that of the last output, by leaf; it may lack leaves. `evidence` has an entry
    for each backward pass, or is empty where the numbers were not kept.
    """
    output = problem.outputs[-1]
    used = [name for name in problem.leaves if leaves[name].structure != "none"]
    finite = all(leaves[name].finite for name in used)
    found: list[str] = []
    if not used:
        found.append(f"The output {output.name} does not depend on any leaf.")
        if choice := leaves_to_choose(problem.program):
            found.append(f"{choice}.")
    elif len(problem.outputs) > 1:
        names = ", ".join(one.name for one in problem.outputs)
        found.append(
            f"The rows of {names} stand below each other, each weighted by its own seed; "
            "the gradient adds them all."
        )
    elif len(problem.passes) == 1:
        shapes = {name: problem.inputs[name].value.shape for name in used}
        found += _of_seed(output, problem.passes[0][0], shapes, leaves, jacobian)
        if evidence and finite:
            found += _of_implied_seed(evidence[0])
    found += _of_rounding(problem)
    found += _of_stretching(problem, leaves, evidence)
    if len(evidence) == 1:
        found += reuse_sentences(evidence[0])
    found += _of_rebinding(problem)
    if finite:
        found += _of_operations(problem)
    return tuple(found)


def _of_seed(
    output: Output,
    seed: Seed,
    shapes: Mapping[str, tuple[int, ...]],
    leaves: Mapping[str, LeafReport],
    jacobian: Mapping[str, Array | None],
) -> list[str]:
    used = list(shapes)
    gradients = _listed([f"{name}.grad" for name in used])
    if output.value.size == 1:
        return _of_one_entry(output, seed)
    row = one_hot_row(seed)
    if row is not None:
        entry = f"{output.name}[{','.join(map(str, row))}]"
        return [
            f"A one-hot seed picks one row of the Jacobian: {gradients} "
            f"{'is the slope' if len(used) == 1 else 'are the slopes'} of {entry} alone"
            f"{_others_ignored(used, leaves)}.",
            f"--seed ones would add all {output.value.size:,} rows"
            f"{_row_sum(output, used, jacobian)} the gradient of sum({output.name}). "
            "--seed each shows one gradient per output entry.",
        ]
    if seed.value is None:
        return []
    found: list[str] = []
    if all(leaves[name].structure == "diagonal" for name in used):
        at = ",".join(INDICES[: output.value.ndim])
        entries = ", ".join(f"{name}[{at}]" for name in used)
        text = (
            f"Each {output.name}[{at}] depends only on {entries} (the Jacobian is diagonal), so "
            "each gradient entry is one product: seed × slope → gradient."
        )
        found.append(Sentence(text, "diagonal"))
    else:
        text = (
            "Weight each row of the Jacobian by its seed, then add down the columns: "
            f"{'that is' if len(used) == 1 else 'those are'} {gradients}."
        )
        found.append(Sentence(text, "weights"))
    if seed.origin != "example" and bool(np.all(seed.value == 1)):
        found.append(f"A seed of ones makes it the gradient of sum({output.name}).")
    found += _of_shapes(output, shapes)
    return found


def _of_shapes(output: Output, shapes: Mapping[str, tuple[int, ...]]) -> list[str]:
    """Which shape the seed has, and which the gradient, where they are more than lists."""
    if output.value.ndim < 2:
        return []
    found = f"The seed has the shape of the output, {_shape(output.value.shape)}, and "
    if len(shapes) == 1:
        ((name, shape),) = shapes.items()
        found += f"{name}.grad that of {name}, {_shape(shape)}"
        if output.value.ndim + len(shape) <= len(INDICES) and shape:
            i = ",".join(INDICES[: output.value.ndim])
            k = ",".join(INDICES[output.value.ndim :][: len(shape)])
            found += f": {name}.grad[{k}] = Σ seed[{i}] × ∂{output.name}[{i}]/∂{name}[{k}]"
            found += f" over all {i}"
    else:
        found += "each gradient that of its leaf"
    found += "; the vector of the product is the output flattened."
    column = next(
        (name for name, shape in shapes.items() if len(shape) == 2 > shape[1] < shape[0]), ""
    )
    if column and len(shapes) == 1:
        found += f" Textbooks often write {column}.grad as a row: the transpose of this column."
    return [found]


def _of_implied_seed(evidence: Evidence) -> list[str]:
    """What picking an entry or adding up means as a seed for the value before it."""
    problem = evidence.problem
    (seed,) = evidence.one_pass
    node = evidence.graph.outputs[problem.outputs[-1].name]
    if (
        seed.value is None
        or seed.value.size != 1
        or seed.value.reshape(()) != 1
        or not node.operands
    ):
        return []
    before = node.operands[0]
    adjoint = evidence.adjoint(before)
    if adjoint is None or before.operation is leaf_operation or before.size < 2:
        return []
    text = named_nodes(problem.trace).get(before) or evidence.text_of(before)
    if len(text) > LONGEST_TEXT or len(evidence.received[before]) != 1:
        return []
    if node.operation.name == "index" and adjoint.size <= FEW and adjoint.ndim == 1:
        numbers = ",".join(number_text(np.asarray(one)) for one in adjoint)
        return [f"Picking an entry is the same as the seed {numbers} on {text}."]
    if node.operation.name == "sum":
        return [f"Adding up is the same as a seed of ones on {text}."]
    return []


def _of_rounding(problem: Problem) -> list[str]:
    seeds = [seed for one_pass in problem.passes for seed in one_pass if seed.rounded]
    if not seeds:
        return []
    return [f"The seed is held in {problem.settings.dtype}, where {seeds[0].rounded}."]


def _of_rebinding(problem: Problem) -> list[str]:
    """`y = y + x` and `y += x` make a new value; PyTorch's in-place y += x would not."""
    names = Counter([*problem.inputs, *(name for name, _ in problem.trace.named)])
    again = [name for name, times in names.items() if times > 1 and not name.startswith("_")]
    if not again:
        return []
    one = again[0]
    return [
        f"{_listed(again)} {'is' if len(again) == 1 else 'are'} bound more than once: each = names "
        f"a new value, {one} += … means {one} = {one} + …, and nothing is overwritten in place."
    ]


def _of_operations(problem: Problem) -> list[str]:
    """What is worth knowing of the operations, each once."""
    remarks = dict.fromkeys(node.operation.remark for node in problem.graph.nodes)
    return [remark for remark in remarks if remark][:MOST_REMARKS]


def _row_sum(output: Output, used: list[str], jacobian: Mapping[str, Array | None]) -> str:
    """`: 2 2 2 2,`, the gradient for a seed of ones, where it is short."""
    entries = jacobian.get(used[0]) if len(used) == 1 else None
    if entries is None or entries.size > SHORT_GRADIENT * output.value.size:
        return ", which gives"
    rows = entries.reshape(output.value.size, -1)
    total = rows.sum(axis=0)
    with np.errstate(invalid="ignore"):  # what rounding left over of a sum to 0 is no slope
        total = np.where(np.abs(total) < ROUNDING * np.abs(rows).sum(axis=0), 0, total)
    return f": {' '.join(f'{number:.4g}' for number in total)},"


def _of_one_entry(output: Output, seed: Seed) -> list[str]:
    if seed.origin == "implicit":
        kind = "A scalar output" if output.value.ndim == 0 else "An output with one entry"
        text = f"{kind} needs no seed: it is 1, and the gradient is the slope of {output.name}."
        found: list[str] = [Sentence(text, "implicit seed")]
        if output.value.ndim:
            shape = _shape(output.value.shape)
            found.append(f"PyTorch and autograd accept shape {shape}, too; jax.grad refuses it.")
        return found
    if seed.value is None:
        return []
    return [f"The output has one entry, so the seed only scales its slopes: by {seed.text}."]


def _of_stretching(
    problem: Problem, leaves: Mapping[str, LeafReport], evidence: Sequence[Evidence]
) -> list[str]:
    found = []
    for name in problem.leaves:
        axes = leaves[name].summed_axes
        if axes:
            along = f"axis {axes[0]}" if len(axes) == 1 else f"axes {_listed(list(map(str, axes)))}"
            text = f"{name} was stretched along {along} by broadcasting, so "
            shape = _arriving_shape(name, evidence)
            if shape:
                own = problem.inputs[name].value.shape
                text += (
                    f"what comes back, {_shape(shape)}, is summed over {along} to {_shape(own)}."
                )
            else:
                text += "its gradient is summed over the copies."
            found.append(text)
    return found


def _arriving_shape(name: str, evidence: Sequence[Evidence]) -> tuple[int, ...]:
    """The shape in which contributions to a stretched leaf come back; () where it varies."""
    if not evidence:
        return ()
    node = evidence[0].graph.inputs[name]
    arrived = evidence[0].received.get(node, [])
    shapes = {one.local.shape for one in arrived if one.local.size > node.size}
    return shapes.pop() if len(shapes) == 1 else ()


def _others_ignored(used: list[str], leaves: Mapping[str, LeafReport]) -> str:
    """A zero weight hides a row, unless its slope is infinite: 0 times infinity is nan."""
    if all(leaves[name].finite for name in used):
        return "; the other outputs are ignored"
    return ""


def one_hot_row(seed: Seed) -> tuple[int, ...] | None:
    """The index of the single 1 in a seed of zeros, or None."""
    if seed.value is None or seed.value.size < 2 or seed.value.ndim == 0:
        return None
    places = np.argwhere(seed.value != 0)
    if len(places) == 1 and seed.value[tuple(places[0])] == 1:
        return tuple(int(i) for i in places[0])
    return None


def _listed(words: list[str]) -> str:
    if len(words) > FEW:
        return f"{', '.join(words[:FEW])} and {len(words) - FEW} more"
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _shape(shape: tuple[int, ...]) -> str:
    if not shape:
        return "a scalar"
    return f"[{shape[0]}]" if len(shape) == 1 else "×".join(map(str, shape))
