"""What the picture means, in a sentence or two."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vjpcli.explanation.model import LeafReport, Output, Seed
from vjpcli.explanation.problem import Problem

FEW = 8


def sentences(problem: Problem, leaves: Mapping[str, LeafReport]) -> tuple[str, ...]:
    """What holds for this output, this seed and these leaves, most important first."""
    output = problem.outputs[-1]
    used = [name for name in problem.leaves if leaves[name].structure != "none"]
    found = []
    if not used:
        found.append(f"The output {output.name} does not depend on any leaf.")
    elif len(problem.outputs) > 1:
        names = ", ".join(one.name for one in problem.outputs)
        found.append(
            f"The rows of {names} stand below each other, each weighted by its own seed; "
            "the gradient adds them all."
        )
    elif len(problem.passes) == 1:
        found += _of_seed(problem, output, problem.passes[0][0], used, leaves)
    found += _of_stretching(problem, leaves)
    return tuple(found)


def _of_seed(
    problem: Problem, output: Output, seed: Seed, used: list[str], leaves: Mapping[str, LeafReport]
) -> list[str]:
    gradients = _listed([f"{name}.grad" for name in used])
    if output.value.size == 1:
        return _of_one_entry(output, seed)
    row = one_hot_row(seed)
    if row is not None:
        entry = f"{output.name}[{','.join(map(str, row))}]"
        return [
            f"A one-hot seed picks one row of the Jacobian: {gradients} "
            f"{'is the slope' if len(used) == 1 else 'are the slopes'} of {entry} alone; "
            "the other outputs are ignored.",
            f"--seed ones would add all the rows, which gives the gradient of sum({output.name}); "
            "--seed each shows one gradient per output.",
        ]
    if seed.value is None:
        return []
    if all(leaves[name].structure == "diagonal" for name in used):
        entries = ", ".join(f"{name}[i]" for name in used)
        picture = (
            f"Each {output.name}[i] depends only on {entries} (the Jacobian is diagonal), so each "
            "gradient entry is one product: seed × slope."
        )
    else:
        picture = (
            "Weight each row of the Jacobian by its seed, then add down the columns: "
            f"the bottom row is {gradients}."
        )
    found = [picture]
    if seed.origin != "example" and bool(np.all(seed.value == 1)):
        found.append(f"A seed of ones makes it the gradient of sum({output.name}).")
    if output.value.ndim > 1:
        found.append(
            f"The seed has the shape of the output, {_shape(output.value.shape)}: the vector of "
            "the product is the output flattened."
        )
    return found


def _of_one_entry(output: Output, seed: Seed) -> list[str]:
    if seed.origin == "implicit":
        kind = "A scalar output" if output.value.ndim == 0 else "An output with one entry"
        return [f"{kind} needs no seed: it is 1, and the gradient is the slope of {output.name}."]
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
