"""What a bare word means, as a value and as a function about to be called."""

from __future__ import annotations

from typing import Any

from vjpcli.errors import Fix, did_you_mean, fail
from vjpcli.graph.libraries import LibraryName, density_class, library_root, nn_class
from vjpcli.graph.names import (
    BARE_DTYPE_NAMES,
    CONSTANTS,
    LEAF_CLASSES,
    LIBRARY_ROOTS,
    Callee,
    Transform,
    find_callee,
    unknown_function,
)
from vjpcli.graph.node import Node
from vjpcli.graph.tracer.objects import BUILT_IN, BuiltIn
from vjpcli.graph.tracer.state import State
from vjpcli.parser.syntax import Name
from vjpcli.parser.walk import Done


class Words(State):
    """Reads names."""

    def name(self, part: Name, _: Done) -> Any:
        name = part.identifier
        if name in self.local:
            return self.local[name]
        if name in self.environment:
            return self.environment[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in LIBRARY_ROOTS:
            return library_root(name)
        if name in BARE_DTYPE_NAMES:
            return LibraryName("numpy", f"np.{name}")
        known = [*self.environment, *CONSTANTS]
        guess = did_you_mean(name, known)
        fix = self.replacement(part.span, guess) if guess else None
        notes: tuple[str, ...] = ()
        if self.source.origin.startswith(("value of ", "--tangent", "--seed")):
            notes = ("a value is numbers, a file or a builder; it reads no other name",)
        elif fix is None:
            fix = Fix(adds=(f"{name}=1,2,3",))
        raise fail(
            "unknown-name",
            f"`{name}` has no value",
            source=self.source,
            span=part.span,
            label=f"did you mean {guess}?" if guess else "",
            notes=notes,
            fix=fix,
        )

    def callee_name(self, part: Name) -> Any:
        name = part.identifier
        if name in self.local:
            return self.local[name]
        named = self.environment.get(name)
        if named is not None and not isinstance(named, Node | int | float | list | tuple):
            return named  # a function of the program's own, a module: softmax = nn.Softmax(dim=0)
        if name in BUILT_IN and name not in self.environment:
            return BuiltIn(name)
        callee = find_callee(name, self.library)
        if name in self.environment and not (callee and name not in self.inputs):
            return self.environment[name]
        callee = callee or self.other_callee(name)
        if callee is None:
            raise unknown_function(name, self.source, part.span)
        return callee

    def other_callee(self, name: str) -> Any:
        """What a called word means that is no operation; None if nothing."""
        if name in LEAF_CLASSES:
            return Callee(None, self.library, name)
        if name in ("jit", "vmap"):  # from jax import jit, vmap
            return Transform(name)
        if name[:1].isupper() or name == "kl_divergence":
            return nn_class(name) or density_class(name)
        return None
