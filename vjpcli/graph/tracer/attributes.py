"""What stands behind a dot: a module's function, a shape, a transpose, a method."""

from __future__ import annotations

from typing import Any

from vjpcli.errors import VjpError, fail
from vjpcli.graph.complex_value import Complex, real_needed
from vjpcli.graph.libraries import LibraryName
from vjpcli.graph.names import (
    IDENTITY_METHODS,
    Callee,
    IndexObject,
    Transform,
    find_callee,
    unknown_function,
)
from vjpcli.graph.node import Node
from vjpcli.graph.operation import OPERATIONS
from vjpcli.graph.results import Results
from vjpcli.graph.tracer.objects import Function, Mapped
from vjpcli.graph.tracer.state import State
from vjpcli.graph.tracer.updates import METHODS, At, Place, Update
from vjpcli.parser.syntax import Attribute
from vjpcli.parser.walk import Done

KEPT_AS = {"dtype", "device"}
"""Attributes that say how an array is kept."""

PROPERTIES = {
    "T": "T", "mT": "matrix_transpose", "H": "H", "mH": "adjoint", "real": "real", "imag": "imag",
}  # fmt: skip
"""Attribute -> the operation that it is; every other operation is called."""


class Attributes(State):
    """Reads attributes."""

    def attribute(self, part: Attribute, done: Done) -> Any:
        value, name = done[id(part.value)], part.attribute
        if isinstance(value, LibraryName):
            return value.member(name, self.source, part.span)
        if isinstance(value, Results) and name in value.names:
            return value.named(name)
        if name.startswith("__"):
            raise self.refuse_attribute(
                part, "attributes with underscores are not part of the language"
            )
        if isinstance(value, At | Place | Update):
            return self.update(part, value)
        if isinstance(value, Callee | IndexObject | Function | Mapped | Transform):
            return self.function_attribute(part, value)
        return self.object_attribute(part, value)

    def object_attribute(self, part: Attribute, value: Any) -> Any:
        """What stands behind a module, a distribution or an array."""
        if type(value).__module__ == "vjpcli.graph.modules":
            return self.module_attribute(part, value)
        if type(value).__module__ == "vjpcli.graph.distributions":
            return self.density_attribute(part, value)
        return self.array_attribute(part, self.node(value, part.value))

    def array_attribute(self, part: Attribute, node: Node | Complex) -> Any:
        """`x.shape`, `x.T`, `x.sum`."""
        name = part.attribute
        if name in ("shape", "ndim"):
            return getattr(node, name)
        if name == "at":
            if isinstance(node, Complex):
                raise real_needed("x.at[...] writes to real arrays").at(
                    self.source, part.attribute_span
                )
            return At(node)
        if name in KEPT_AS:
            return LibraryName("numpy", "np.float64")  # without effect wherever it is handed on
        if name in PROPERTIES:
            with self.place(part, part.attribute_span):
                return OPERATIONS[PROPERTIES[name]](node)
        if name in ("grad", "grad_fn", "data", "requires_grad", "backward"):
            raise self.refuse_attribute(
                part, "gradients are what vjp prints: write only the expression, seeds go in --seed"
            )
        if name in IDENTITY_METHODS:
            return Callee(None, self.library, name, receiver=node)
        callee = find_callee(name, self.library, receiver=node)
        if callee is None:
            raise unknown_function(name, self.source, part.attribute_span, method=True)
        return callee

    def function_attribute(self, part: Attribute, value: Any) -> Callee:
        """`np.add.reduce`; nothing else stands behind a function's name."""
        if isinstance(value, IndexObject):
            raise self.refuse_attribute(part, f"np.{value.name} is followed by square brackets")
        method = value.method(part.attribute) if isinstance(value, Callee) else None
        if method is None:
            raise self.refuse_attribute(part, "a function has no attributes here")
        return method

    def read_attribute(self, part: Attribute, found: Any) -> Any:
        """What an attribute comes to that no brackets follow: NumPy's `x.size` is a number."""
        if part.attribute == "size" and isinstance(found, Callee) and found.receiver is not None:
            return found.receiver.size
        return found

    def update(self, part: Attribute, value: At | Place | Update) -> Update:
        """`x.at[i].set`, and whatever else has no meaning there."""
        name = part.attribute
        if isinstance(value, Place) and (name in METHODS or name == "get"):
            return Update(value, METHODS.get(name, name))
        raise self.refuse_attribute(
            part, f"entries are updated by x.at[i].set(v), or {', '.join(METHODS)}, and .get()"
        )

    def density_attribute(self, part: Attribute, value: Any) -> Any:
        """`Normal(mu, sigma).log_prob`; a class, or a method, has nothing to read."""
        from vjpcli.graph.distributions import (  # noqa: PLC0415  (rarely)
            Distribution,
            Frozen,
            FrozenFunction,
        )
        from vjpcli.graph.tracer.densities import attribute_of  # noqa: PLC0415

        if isinstance(value, Distribution):
            return attribute_of(self, part, value)
        if isinstance(value, Frozen):
            function = value.path.member(part.attribute, self.source, part.attribute_span)
            return FrozenFunction(function, value)
        raise self.refuse_attribute(part, "a distribution is made first, as in Normal(0, 1)")

    def module_attribute(self, part: Attribute, value: Any) -> Any:
        """`module.eval()`, `module.forward`; a module has nothing else to read."""
        from vjpcli.graph.modules import KEEPING_METHODS, Giving, Module  # noqa: PLC0415  (rarely)

        if isinstance(value, Module):
            if part.attribute in KEEPING_METHODS:
                return Giving(value)
            if part.attribute == "eval":
                return Giving(value.evaluated())
            if part.attribute == "forward":
                return value
        raise self.refuse_attribute(
            part, "a module is called; its weights are values of your own: linear(x, W, b)"
        )

    def refuse_attribute(self, part: Attribute, why: str) -> VjpError:
        return fail(
            "attribute-access",
            f"`.{part.attribute}` cannot be read",
            source=self.source,
            span=part.attribute_span,
            notes=(why,),
        )
