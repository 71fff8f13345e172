"""Operation: everything the program knows of one function, and the registry of all of them.

The declarations themselves are in `vjpcli/ops/`. This module only says what a declaration
holds and what happens when an operation is applied to nodes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from vjpcli.graph.complex_value import Complex
from vjpcli.graph.facts import Domain, Elsewhere, Kink, Refusal, Sample
from vjpcli.graph.node import Kind, Node, Shape
from vjpcli.graph.registry import Registry
from vjpcli.record import record

OPERATIONS = Registry()
"""Every declared operation by its own name."""

Library = Literal["numpy", "torch", "jax"]
LIBRARIES: tuple[Library, ...] = ("torch", "numpy", "jax")

TORCH_AS_MEASURED = "torch 2.13"
"""The engine whose rules repeat what PyTorch gets wrong; "torch" is the right rule."""

TEXTBOOK = "textbook"
"""The engine whose rules give formulas: the short rule where the one for numbers takes care."""

KEYWORD_ALIASES = {
    "dim": "axis",
    "dims": "axis",
    "axes": "axis",
    "keepdim": "keepdims",
    "correction": "ddof",
}
"""PyTorch's spelling of a static argument -> NumPy's, for every operation alike."""


Pattern = Literal["elementwise", "movement", "reduction", "along-axis", "all"]


@record
class Outcome:
    """What a declaration's body returns for a primitive.

    Attributes:
        shape: of the result.
        static: the keyword arguments, normalised.
        operands: the operands where the body changed them (an absent bound became -inf),
            None to keep them as they were given.
    """

    shape: Shape
    static: Mapping[str, Any]
    operands: tuple[Node, ...] | None = None


def outcome(
    shape: Sequence[int], /, *, operands: tuple[Any, ...] | None = None, **static: Any
) -> Outcome:
    """An Outcome in one call."""
    nodes = None if operands is None else tuple(as_node(operand) for operand in operands)
    return Outcome(tuple(shape), static, nodes)


@dataclass(eq=False, slots=True)
class Operation:
    """One function: name, forward, rule, formula, conventions, samples.

    Calling it on nodes (or numbers) makes a Node.

    Attributes:
        name: its own name, NumPy's spelling.
        section: the folder of `ops/` that declares it.
        family: the file in that folder.
        documentation: the declaration's docstring.
        body: the declared function. For a primitive that is not elementwise it returns an
            Outcome; for a composite it returns the Node (or Nodes) it is made of.
        forward: (*arrays, **static) -> array; None for a composite.
        operand_names: positional parameters; the last one may stand for any number of them
            (`variadic`).
        optional_operands: how many of the last operands may be left out.
        static_defaults: keyword-only parameters and their defaults.
        kind: of the result.
        pattern: which operand entries an output entry reads; a callable gets the operands as
            object arrays of bit sets and returns the output's.
        symbolic: name of a SymPy function or a callable (sympy, *expressions, **static).
        aliases: further names, in every library.
        library_names: library -> names that exist with this meaning only there.
        library_defaults: library -> static defaults that differ there.
        collects: the static argument that takes any number of positional integers
            (`reshape(x, 2, 3)`).
        domains: one per operand, for samples.
        analytic: complex step applies.
        rules: engine name -> rule (g, y, *operands, **static) -> contributions. "torch" is
            the rule; another name is present only where that engine differs. That of
            `TORCH_AS_MEASURED` gives the numbers of PyTorch where those are wrong, and that of
            `TEXTBOOK` the same gradient in a shorter formula.
        elsewhere: where other engines fail.
        infix: the operator it is written with, if any.
        keyword_aliases: another spelling of a keyword -> its name here ({"p": "ord"}).
        integer_is_static: `max(x, 1)`: a plain integer where an optional operand could stand
            is the first static argument.
        argument_order: the order of positional arguments where a static one stands between
            operands: `scatter(x, axis, index, source)`. Empty: operands first.
        decided: static arguments that may depend on an input. As in `x[i]`, their present
            value is taken, and no gradient reaches them.
        functions: static arguments that take a function of arrays: the Operation that is named.
        present: operand -> the static argument that is handed the operand's present value, for
            what depends on values: which entries are distinct, whether an eigenvalue is complex.
        lists: operands that may be lists of arrays of different shapes, which stay lists:
            `select([x < 0, x > 1], [-x, 0])`. Elsewhere `[a, b]` is stacked.
        nested_lists: those whose lists may hold lists in turn: `block([[A, B], [C, D]])`.
        method_names: library -> names that mean this only after a dot: `x.repeat(2, 3)`.
        flat: its slope is 0 wherever it has one.
        several: names of the results where a call gives several, e.g. ("values", "indices").
        convention: a remark printed with the result when the operation occurs, with
            `{static}` fields, or "".
        remark: what is worth knowing of its Jacobian, a sentence printed with the result, or "".
        convention_about: the static arguments that leave nothing to remark when a call gives
            them all; empty: it is always remarked. None: those of `library_defaults`.
        takes_complex: the body takes complex operands as they are. What becomes of them
            elsewhere is in `ops/spectra/complex_meaning.py`.
        notation: (node, operands, grouped operands, static arguments) as text -> how the node
            is written, `fft(x).real`; None for an ordinary call.
    """

    name: str
    section: str
    family: str
    documentation: str
    body: Callable[..., Any]
    forward: Callable[..., Any] | None
    operand_names: tuple[str, ...]
    optional_operands: int
    variadic: bool
    static_defaults: Mapping[str, Any]
    kind: Kind = "real"
    pattern: Pattern | Callable[..., Any] = "all"
    symbolic: str | Callable[..., Any] | None = None
    aliases: tuple[str, ...] = ()
    library_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    library_defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    collects: str | None = None
    domains: tuple[Domain, ...] = ()
    analytic: bool = False
    samples: tuple[Sample, ...] = ()
    refuses: tuple[Refusal, ...] = ()
    kinks: tuple[Kink, ...] = ()
    infix: str | None = None
    keyword_aliases: Mapping[str, str] = field(default_factory=dict)
    integer_is_static: bool = False
    several: tuple[str, ...] = ()
    convention: str = ""
    remark: str = ""
    convention_about: tuple[str, ...] | None = None
    flat: bool = False
    argument_order: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    present: Mapping[str, str] = field(default_factory=dict)
    lists: tuple[str, ...] = ()
    nested_lists: tuple[str, ...] = ()
    method_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    takes_complex: bool = False
    notation: Callable[..., str] | None = None
    elsewhere: tuple[Elsewhere, ...] = ()
    rules: dict[str, Callable[..., Any]] = field(default_factory=dict)

    def __call__(self, *operands: Any, **static: Any) -> Any:
        """A Node of this operation (or, for several results, a tuple of Nodes).

        Complex operands give Complex results, or real ones where the operation makes them.

        Errors: shape-mismatch, complex-operand and whatever the declaration refuses, without a
        place.
        """
        keeps_lists = bool(self.lists or self.nested_lists)
        nodes: tuple[Any, ...] = tuple(
            operand
            if operand is None or (keeps_lists and isinstance(operand, list))
            else as_node(operand)
            for operand in operands
        )
        if Complex in map(type, nodes) and not self.takes_complex:
            return OPERATIONS.on_complex(self, nodes, static)
        result = self.body(*nodes, **static)
        if not isinstance(result, Outcome):
            return result
        operands_used = nodes if result.operands is None else result.operands
        present = tuple(node for node in operands_used if node is not None)
        return Node(self, present, result.static, result.shape, self._kind_of(present))

    def _kind_of(self, operands: Sequence[Node]) -> Kind:
        """Entries that are only moved stay what they were: `(x > 0).T` is a condition."""
        kinds = {operand.kind for operand in operands}
        return kinds.pop() if self.pattern == "movement" and len(kinds) == 1 else self.kind

    def vjp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Declares the rule: (g, y, *operands, **static) -> one contribution per operand.

        A contribution is a Node, or None for an operand without a derivative. Its shape may
        be anything that broadcasting relates to the operand's: `backward` fits it.
        """
        self.rules["torch"] = rule
        return rule

    def vjp_like(self, engine: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Declares the rule that another engine uses, where its convention differs."""

        def declare(rule: Callable[..., Any]) -> Callable[..., Any]:
            self.rules[engine] = rule
            return rule

        return declare

    @property
    def written_static(self) -> Mapping[str, Any]:
        """The static arguments that a program writes, and their defaults."""
        handed = set(self.present.values())
        return {name: one for name, one in self.static_defaults.items() if name not in handed}

    @property
    def takes_two_entries(self) -> bool:
        """Whether it is a function of two entries, as NumPy's `add` and `maximum`."""
        return self.pattern == "elementwise" and len(self.operand_names) == 2

    @property
    def takes_several(self) -> bool:
        """Whether one argument may be several arrays: `concatenate(split(x, 2))`."""
        return self.variadic or bool(self.lists or self.nested_lists)

    @property
    def is_composite(self) -> bool:
        """Whether it is made of other operations and disappears when applied."""
        return self.forward is None


def declare(
    body: Callable[..., Any],
    forward: Callable[..., Any] | None,
    **facts: Any,
) -> Operation:
    """Registers the operation that `body` declares; reads names and defaults off its signature.

    Positional parameters are operands (a default of None makes one optional), keyword-only
    parameters are static.
    """
    operand_names: list[str] = []
    optional = 0
    variadic = False
    static_defaults: dict[str, Any] = {}
    for parameter in inspect.signature(body).parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            static_defaults[parameter.name] = parameter.default
        else:
            operand_names.append(parameter.name)
            optional += parameter.default is not inspect.Parameter.empty
            variadic |= parameter.kind is inspect.Parameter.VAR_POSITIONAL
    section, _, family = body.__module__.rpartition(".")
    operation = Operation(
        name=facts.pop("name", body.__name__),
        section=section.rpartition(".")[2],
        family=family,
        documentation=inspect.cleandoc(body.__doc__ or ""),
        body=body,
        forward=forward,
        operand_names=tuple(operand_names),
        optional_operands=optional,
        variadic=variadic,
        static_defaults=static_defaults,
        **facts,
    )
    OPERATIONS.declare(operation)
    return operation


def _leaf(*, name: str, shape: Shape) -> Outcome:
    """A named input."""
    return outcome(shape, name=name, shape=shape)


def _constant(*, value: Any) -> Outcome:
    """A number or array that was written into the program."""
    return outcome(value.shape, value=value)


leaf = Operation("leaf", "graph", "node", "A named input.", _leaf, None, (), 0, False, {})
constant = Operation(
    "constant",
    "graph",
    "node",
    "A number or array that was written into the program.",
    _constant,
    lambda *, value: value,
    (),
    0,
    False,
    {},
)


def make_leaf(name: str, shape: Shape) -> Node:
    """The node that stands for the named input `name`."""
    return Node(leaf, (), {"name": name}, tuple(shape))


def make_constant(value: Any) -> Node:
    """A constant node; integers become real numbers, booleans conditions."""
    array = np.asarray(value)
    kind: Kind = "condition" if array.dtype == np.bool_ else "real"
    if kind == "real" and array.dtype != np.float64:
        array = array.astype(np.float64)
    return Node(constant, (), {"value": array}, array.shape, kind)


def compute(
    node: Node,
    operands: Sequence[Any],
    inputs: Mapping[str, Any],
    dtype: DTypeLike = np.float64,
) -> NDArray[Any]:
    """The value of one node from the values of its operands.

    `inputs` holds the arrays of the named inputs. Real numbers are of `dtype`.
    """
    if node.operation is leaf:
        return np.asarray(inputs[node.static["name"]], dtype=dtype)
    if node.operation is constant:
        value: NDArray[Any] = node.static["value"]
        return value.astype(dtype, copy=False) if node.kind == "real" else value
    forward = node.operation.forward
    assert forward is not None, f"a composite stayed in the graph: {node}"
    if node.kind != "real" or all(operand.kind == "real" for operand in node.operands):
        return np.asarray(forward(*operands, **node.static))
    operands = [
        operand.astype(dtype) if operand.dtype == np.bool_ and not named else operand
        for operand, named in zip(operands, _may_be_conditions(node), strict=True)
    ]
    # Positions stay whole while they are read; in arithmetic they are numbers like any other.
    return np.asarray(forward(*operands, **node.static)).astype(dtype, copy=False)


def _may_be_conditions(node: Node) -> list[bool]:
    """Which operands keep True and False; elsewhere a condition counts as the numbers 1 and 0."""
    names = node.operation.operand_names
    last = len(names) - 1
    return [names[min(i, last)] == "condition" for i in range(len(node.operands))]


def as_node(value: Any) -> Any:
    """`value` itself if it is a Node or Complex, else a constant."""
    if isinstance(value, Node | Complex):
        return value
    if isinstance(value, complex):
        return Complex(make_constant(value.real), make_constant(value.imag))
    return make_constant(value)


def constant_number(node: Node) -> float | None:
    """The number that a one-entry real constant holds, else None."""
    if node.operation is constant and node.kind == "real" and node.size == 1:
        return float(node.static["value"].reshape(()))
    return None
