"""What the picture means, in a sentence or two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vjpcli.explanation.model import LeafReport, Output, Seed
from vjpcli.explanation.problem import Problem

Array = NDArray[Any]

FEW = 8

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
) -> tuple[str, ...]:
    """What holds for this output, this seed and these leaves, most important first.

    `jacobian` is that of the last output, by leaf; it may lack leaves.
    """
    output = problem.outputs[-1]
    used = [name for name in problem.leaves if leaves[name].structure != "none"]
    found: list[str] = []
    if not used:
        found.append(f"The output {output.name} does not depend on any leaf.")
    elif len(problem.outputs) > 1:
        names = ", ".join(one.name for one in problem.outputs)
        found.append(
            f"The rows of {names} stand below each other, each weighted by its own seed; "
            "the gradient adds them all."
        )
    elif len(problem.passes) == 1:
        found += _of_seed(output, problem.passes[0][0], used, leaves, jacobian)
    found += _of_stretching(problem, leaves)
    return tuple(found)


def _of_seed(
    output: Output,
    seed: Seed,
    used: list[str],
    leaves: Mapping[str, LeafReport],
    jacobian: Mapping[str, Array | None],
) -> list[str]:
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
        entries = ", ".join(f"{name}[i]" for name in used)
        text = (
            f"Each {output.name}[i] depends only on {entries} (the Jacobian is diagonal), so each "
            "gradient entry is one product: seed × slope → gradient."
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
    if output.value.ndim > 1:
        found.append(
            f"The seed has the shape of the output, {_shape(output.value.shape)}: the vector of "
            "the product is the output flattened."
        )
    return found


def _row_sum(output: Output, used: list[str], jacobian: Mapping[str, Array | None]) -> str:
    """`: 2 2 2 2,`, the gradient for a seed of ones, where it is short."""
    entries = jacobian.get(used[0]) if len(used) == 1 else None
    if entries is None or entries.size > SHORT_GRADIENT * output.value.size:
        return ", which gives"
    total = entries.reshape(output.value.size, -1).sum(axis=0)
    return f": {' '.join(f'{number:.4g}' for number in total)},"


def _of_one_entry(output: Output, seed: Seed) -> list[str]:
    if seed.origin == "implicit":
        kind = "A scalar output" if output.value.ndim == 0 else "An output with one entry"
        text = f"{kind} needs no seed: it is 1, and the gradient is the slope of {output.name}."
        return [Sentence(text, "implicit seed")]
    if seed.value is None:
        return []
    return [f"The output has one entry, so the seed only scales its slopes: by {seed.text}."]


def _of_stretching(problem: Problem, leaves: Mapping[str, LeafReport]) -> list[str]:
    found = []
    for name in problem.leaves:
        axes = leaves[name].summed_axes
        if axes:
            along = f"axis {axes[0]}" if len(axes) == 1 else f"axes {_listed(list(map(str, axes)))}"
            found.append(
                f"{name} was stretched along {along} by broadcasting, so its gradient is summed "
                f"over the copies."
            )
    return found


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
    return "×".join(map(str, shape))
