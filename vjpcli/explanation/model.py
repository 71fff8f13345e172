"""Explanation: plain data, built once, and all that any renderer shows.

Arrays are NumPy arrays of the program's dtype. Jacobians have shape output.shape + leaf.shape;
a gradient has the shape of its leaf. Nothing here computes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from vjpcli.errors import Diagnostic, Source
from vjpcli.record import record

Array = NDArray[Any]

InputOrigin = Literal["given", "stand-in", "file", "stdin", "built"]
SeedOrigin = Literal["given", "ones", "row", "implicit", "loss", "file", "example", "each"]
Structure = Literal["none", "diagonal", "row", "block", "dense"]


@record(eq=False)
class Input:
    """One named array that the expression reads (or was given and does not read).

    Attributes:
        name: as it stands in the expression.
        value: shape of the input.
        origin: how it got its value; "stand-in" when the program chose it.
        is_leaf: whether it gets a gradient (`--wrt` chooses); otherwise it is data.
        text: what was typed for it, "" for a stand-in.
        integers: whether it was given as whole numbers without a point, which are read as floats.
    """

    name: str
    value: Array
    origin: InputOrigin = "given"
    is_leaf: bool = True
    text: str = ""
    integers: bool = False


@record(eq=False)
class Output:
    """A value that takes a seed: the last statement, or a named value given `--seed NAME=...`.

    Attributes:
        name: as the program has it, or a free one.
        value: the numbers.
        parts: where parts were joined, the name of the one each entry came from, row by row.
    """

    name: str
    value: Array
    parts: tuple[str, ...] = ()


@record(eq=False)
class Seed:
    """The vector given at one output; its value has the output's shape.

    Attributes:
        value: shape of the output. For origin "each" the value is None: every row in turn.
        origin: how it was chosen. "example" is the `ones` shown when several entries got no seed.
        text: what was typed, e.g. "0.1,1,0.0001", "row:0", "@seed.npy", or the loss expression.
        output: the name of the output that it weights.
        rounded: what the program's dtype made of an entry, "0.1 is 0.100000001", where it
            changed one; else "".
    """

    value: Array | None
    origin: SeedOrigin
    text: str
    output: str
    rounded: str = ""


@record(eq=False)
class ArraySummary:
    """A gradient too large for the screen, in a few numbers.

    Attributes:
        minimum, maximum: over the finite entries; nan when there are none.
        norm: square root of the sum of squares of the finite entries.
        zeros: entries that are exactly zero.
        not_finite: entries that are nan or infinite.
    """

    minimum: float
    maximum: float
    norm: float
    zeros: int
    not_finite: int


@record(eq=False)
class Nudge:
    """What a small change of a scalar leaf does to a scalar output, to first order.

    Attributes:
        step: by how much the leaf is raised, e.g. 0.01.
        change: gradient times step; negative when the output falls.
    """

    step: float
    change: float


@record(eq=False)
class LeafReport:
    """What is known of one leaf besides the numbers.

    Attributes:
        formula: the slope as text: the entry-wise slope where the Jacobian is diagonal
            (`4*b`), else None.
        formula_is_output: whether that slope is the output itself, as for exp.
        matrix_formula: the gradient in array notation (`W.T @ seed`), else None.
        matrix_formula_says: what it means in words, or "".
        structure: the pattern of the Jacobian: "none" (no path from the leaf to the output),
            "diagonal" (y[i] reads only leaf[i]), "row" (a single output entry), "block" (some
            zeros are structural), "dense".
        reads: boolean pattern, output.shape + leaf.shape: may y[i] depend on leaf[j]? False
            is a structural zero, drawn `·`. None where too large to keep, or for "dense".
        used: whether the expression reads the leaf at all.
        finite: whether every entry of its gradient is finite.
        summed_axes: axes over which broadcasting stretched the leaf, so that its gradient is
            summed over them (empty when it was not stretched).
        slopes: the diagonal of the Jacobian, shape of the leaf, where the structure is
            "diagonal" and the leaf has the output's shape; so that the entry-wise screen needs
            no Jacobian. None otherwise (a Jacobian at hand then serves).
        summary: of the gradient, wanted for large leaves; None otherwise.
        nudge: for a scalar leaf under a scalar output with a single seed of 1 and a finite
            gradient; None otherwise.
    """

    formula: str | None = None
    formula_is_output: bool = False
    matrix_formula: str | None = None
    matrix_formula_says: str = ""
    structure: Structure = "dense"
    reads: NDArray[np.bool_] | None = None
    used: bool = True
    finite: bool = True
    summed_axes: tuple[int, ...] = ()
    slopes: Array | None = None
    summary: ArraySummary | None = None
    nudge: Nudge | None = None


@record(eq=False)
class Step:
    """One node of the forward graph with its value and the adjoint that reached it.

    Attributes:
        name: `h` for a named value, `t1` for a value the user did not name, the leaf's name.
        text: the operation in terms of step names: "w*x", "mean(t4)"; "" for inputs.
        operation: the operation's name; "leaf" or "data" for inputs.
        value: forward value.
        adjoint: derivative of (seed . output) with respect to this value; None for data
            and for conditions, which have none.
        how: how the adjoint came from the step below ("× 2·t3", "Σ over the 3 entries"), "".
        uses: names of the steps that read it, one per read.
        operands: names of the steps and numbers that it reads.
        local_rule: the rule in words with names, e.g. "∂log(c)/∂c = 1/c", or "".
        span: start and end in the program's text, or None.
        contributions: what each of `uses` sends back, in the same order and in this value's
            shape; they add up to the adjoint. Wanted where a value is read more than once.
        saves: names of the values that the rule of this operation reads on the way back.
    """

    name: str
    text: str
    operation: str
    value: Array
    adjoint: Array | None
    how: str = ""
    uses: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()
    local_rule: str = ""
    span: tuple[int, int] | None = None
    contributions: tuple[Array, ...] = ()
    saves: tuple[str, ...] = ()


@record(eq=False)
class Edge:
    """One reading of a step by another.

    Attributes:
        source: position of the step that is read, in `Explanation.steps`.
        target: position of its reader.
        how: the way back along the edge: "× b", "mean: seed/3 to each of the 3 entries".
        sent: what the reader sends back, in the source's shape; None where there is no gradient.
    """

    source: int
    target: int
    how: str = ""
    sent: Array | None = None


@record(eq=False)
class Check:
    """The result compared with difference quotients of the forward graph.

    Attributes:
        agrees: within what rounding and the step allow; None when it could not be made
            (then `reason` says why).
        method: "central differences" (every entry) or "a difference quotient along a random
            direction" (one number for any size).
        worst_relative_error: |difference| / scale at the worst entry.
        evaluations: runs of the forward graph.
        worst_leaf, worst_index, expected, got: the worst entry, with both numbers, filled in
            when it disagrees.
    """

    agrees: bool | None
    method: str
    worst_relative_error: float | None
    evaluations: int
    reason: str = ""
    worst_leaf: str | None = None
    worst_index: tuple[int, ...] | None = None
    expected: float | None = None
    got: float | None = None


@record(eq=False)
class Explanation:
    """A gradient, with every number accountable.

    Attributes:
        source: the program's text.
        dtype: "float64" or "float32".
        inputs: in the order in which the expression first reads them, then unread ones.
        outputs: usually one; several when named values took seeds of their own. They are
            read stacked: the Jacobian of all of them, each row weighted by its own seed.
        passes: one backward pass each, a pass is one Seed per output. Empty when no seed
            exists yet (several entries and none given in `jac`).
        gradients: leaf name -> accumulated gradient over the passes; shape of the leaf. With a
            single "each" seed: output.shape + leaf.shape, one gradient per output entry.
        jacobian: output name -> leaf name -> array of shape output.shape + leaf.shape,
            or None where larger than --max-jacobian entries.
        leaves: leaf name -> report (for the last output).
        steps: the forward graph in order, inputs first; empty when it is too large to keep.
        edges: who reads whom among the steps, in the order of the readers and their operands.
        sentences: what the picture means, most important first.
        check: the comparison with difference quotients; None when not asked for.
        diagnostics: warnings, notes and findings, heaviest first.
        loss: text of `--loss`, or None.
        node_count: nodes of the forward graph.
        largest_table: entries above which tables are left out (--max-jacobian).
    """

    source: Source
    dtype: str
    inputs: Mapping[str, Input]
    outputs: tuple[Output, ...]
    passes: tuple[tuple[Seed, ...], ...]
    gradients: Mapping[str, Array]
    jacobian: Mapping[str, Mapping[str, Array | None]]
    leaves: Mapping[str, LeafReport]
    steps: tuple[Step, ...] = ()
    edges: tuple[Edge, ...] = ()
    sentences: tuple[str, ...] = ()
    check: Check | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    loss: str | None = None
    node_count: int = 0
    statement_names: tuple[str, ...] = field(default=())
    largest_table: int = 1_000_000

    @property
    def expression(self) -> str:
        """The program as it was typed."""
        return self.source.text

    @property
    def output(self) -> Output:
        """The output of the last statement."""
        return self.outputs[-1]

    @property
    def seed(self) -> Seed | None:
        """The only seed, or None when there are several or none."""
        if len(self.passes) == 1 and len(self.passes[0]) == 1:
            return self.passes[0][0]
        return None

    @property
    def stand_ins(self) -> tuple[str, ...]:
        """Names of the inputs whose values the program chose."""
        return tuple(name for name, value in self.inputs.items() if value.origin == "stand-in")
