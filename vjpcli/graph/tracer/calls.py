"""Calls: a function, its arguments, and the convention that its result rests on."""

from __future__ import annotations

import re
from functools import reduce
from typing import Any

from vjpcli.errors import Diagnostic, Fix, Label, Span, VjpError, fail
from vjpcli.graph.binding import Keywords, call_operation, operand
from vjpcli.graph.libraries import LibraryName
from vjpcli.graph.names import (
    Callee,
    IndexObject,
    Transform,
    find_callee,
    is_complex_dtype,
    is_dtype,
    unknown_function,
)
from vjpcli.graph.operation import OPERATIONS
from vjpcli.graph.tracer.objects import BuiltIn, Frozen, Function, Mapped
from vjpcli.graph.tracer.pythons_own import pythons_own
from vjpcli.graph.tracer.transforms import Transforms
from vjpcli.graph.tracer.updates import Update
from vjpcli.parser.syntax import Attribute, Call, Name, Number
from vjpcli.parser.walk import Done


class Calls(Transforms):
    """Calls functions."""

    def call(self, part: Call, done: Done) -> Any:
        callee = done[id(part.function)]
        operation = callee.operation if isinstance(callee, Callee) else None
        several = operation is not None and operation.takes_several
        arguments = [self.plain(done[id(one)], one, several=several) for one in part.arguments]
        keywords = [
            (k.name, self.plain(done[id(k.value)], k.value, several=several), k.name_span)
            for k in part.keywords
        ]
        if isinstance(callee, LibraryName) and is_dtype(callee.path):
            kind = "complex" if is_complex_dtype(callee.path) else "float"
            callee = find_callee(kind, self.library)  # np.float64(3) is 3
        name_span = (
            part.function.attribute_span
            if isinstance(part.function, Attribute)
            else part.function.span
        )
        if not isinstance(callee, Callee):
            return self.call_own(part, callee, arguments, keywords, name_span)
        if isinstance(part.function, Name) and not keywords:
            own = pythons_own(part.function.identifier, arguments)
            if own is not None:
                return self.folded(*own, part)
        return self.call_function(part, callee, arguments, keywords, name_span)

    def call_own(
        self,
        part: Call,
        callee: Any,
        arguments: list[Any],
        keywords: Keywords,
        name_span: Span,
    ) -> Any:
        """The result of what is no operation: a lambda, `range`, `x.at[i].set`, a module."""
        if isinstance(callee, Function):
            return self.apply(callee, arguments, keywords, part.function.span)
        with self.place(part, name_span):
            if isinstance(callee, BuiltIn):
                return self.call_built_in(callee.name, arguments, part)
            if isinstance(callee, Update):
                return self.updated(callee, arguments)
            if isinstance(callee, Transform):
                return self.transformed(part, callee.name, arguments, keywords)
            if isinstance(callee, Mapped):
                return self.mapped(part, callee, arguments)
        return self.call_object(part, callee, arguments, keywords)

    def call_frozen(
        self,
        part: Call,
        callee: Frozen | LibraryName,
        arguments: list[Any],
        keywords: Keywords,
    ) -> Any:
        """`scipy.stats.norm(0, 1).logpdf(x)`: the parameters stand behind the value.

        Errors: missing-argument, call-of-input, and those of the function.
        """
        if isinstance(callee, LibraryName) and callee.is_distribution:
            return Frozen(callee, tuple(arguments), tuple(keywords))
        if isinstance(callee, LibraryName) and ".stats." in callee.path:
            path, _, name = callee.path.rpartition(".")
            raise unknown_function(name, self.source, part.function.span, path)
        if isinstance(callee, LibraryName) or not isinstance(callee.function, Callee):
            raise self.call_of_value(part, callee)
        span = part.function.span
        if not arguments:
            with self.place(part, span):
                raise fail("missing-argument", f"{callee.function.name} needs the value")
        given = [*arguments, *callee.arguments]
        named = [*keywords, *callee.keywords]
        return self.call_function(part, callee.function, given, named, span)

    def call_value(self, part: Call, function: Any, arguments: list[Any]) -> Any:
        if isinstance(function, Callee):
            return self.call_function(part, function, arguments, [], part.function.span)
        return self.call_object(part, function, arguments, [])

    def call_function(
        self,
        part: Call,
        callee: Callee,
        arguments: list[Any],
        keywords: Keywords,
        name_span: Span,
    ) -> Any:
        with self.place(part, name_span):
            result, convention = call_operation(
                callee,
                arguments,
                keywords,
                self.source,
                self.value_of,
            )
        if convention:
            self.conventions.setdefault(
                convention,
                Diagnostic(
                    "convention",
                    convention,
                    severity="note",
                    source=self.source,
                    labels=(Label(name_span),),
                ),
            )
        return self.checked(result, name_span)

    def call_object(self, part: Call, callee: Any, arguments: list[Any], keywords: Keywords) -> Any:
        """The result of calling what is no function of a library: a module, or a mistake."""
        if (
            isinstance(callee, LibraryName)
            and ".stats." in callee.path
            and not callee.is_distribution
        ):
            path, _, name = callee.path.rpartition(".")
            raise unknown_function(name, self.source, part.function.span, path)
        if isinstance(callee, Frozen | LibraryName):
            return self.call_frozen(part, callee, arguments, keywords)
        module = type(callee).__module__
        if module == "vjpcli.graph.distributions":
            return self.call_density(part, callee, arguments, keywords)
        if module == "vjpcli.graph.formulas":
            return self.call_formula(part, callee, arguments, keywords)
        if module != "vjpcli.graph.modules":
            raise self.call_of_value(part, callee)
        from vjpcli.graph.modules import (  # noqa: PLC0415  (most programs use none)
            Giving,
            ModuleClass,
            constructed,
            keywords_of,
        )

        if isinstance(callee, Giving):
            return callee.value
        with self.place(part, part.function.span):
            if isinstance(callee, ModuleClass):
                return constructed(callee, arguments, keywords, self.source, part.span)
            if not arguments:
                raise fail("missing-argument", "a module needs the array that it is applied to")
            values = arguments if callee.steps else arguments[:1]
            for step in callee.steps:
                given = [*keywords, *keywords_of(step, values[0])]
                values = [self.call_function(part, step.callee, values, given, part.function.span)]
            return values[0]

    def call_density(
        self, part: Call, callee: Any, arguments: list[Any], keywords: Keywords
    ) -> Any:
        """`Normal(mu, sigma)`, `d.log_prob(x)`, `kl_divergence(p, q)`."""
        from vjpcli.graph.distributions import (  # noqa: PLC0415  (rarely)
            DistributionClass,
            Divergence,
            Method,
            given_parameters,
        )
        from vjpcli.graph.tracer.densities import divergence, method_value  # noqa: PLC0415

        with self.place(part, part.function.span):
            if isinstance(callee, Divergence):
                return divergence(self, arguments, part.span)
            if isinstance(callee, Method):
                values = [*arguments, *(value for _, value, _ in keywords)]
                return method_value(self, callee, [operand(v) for v in values], part.span)
            if not isinstance(callee, DistributionClass):
                raise self.call_of_value(part, callee)
            given = [operand(one) for one in arguments]
            named = [
                (name, operand(value), at) for name, value, at in keywords if value is not None
            ]
            return given_parameters(callee.name, given, named)

    def call_formula(
        self, part: Call, callee: Any, arguments: list[Any], keywords: Keywords
    ) -> Any:
        """`optax.l2_loss(x, y)`: its formula with the arguments put in."""
        from vjpcli.graph.formulas import bound  # noqa: PLC0415  (rarely)
        from vjpcli.graph.tracer.densities import formula_value  # noqa: PLC0415

        with self.place(part, part.function.span):
            return formula_value(self, callee.text, bound(callee, arguments, keywords), part.span)

    def updated(self, update: Update, arguments: list[Any]) -> Any:
        """The array that `x.at[i].set(v)` gives.

        Errors: missing-argument, too-many-arguments, and those of update_at.
        """
        node, index = update.place.node, update.place.index
        wanted = int(update.how != "get")
        if len(arguments) < wanted:
            raise fail("missing-argument", f".{update.how}() needs the values to write")
        if len(arguments) > wanted:
            raise fail("too-many-arguments", f".{update.how}() takes {wanted or 'no'} values")
        if update.how == "get":
            return OPERATIONS["index"](node, index=index)
        values = operand(arguments[0])
        return OPERATIONS["update_at"](node, values, index=index, how=update.how)

    def folded(self, operation: str, entries: list[Any], part: Call) -> Any:
        """The operation on one entry after another, whatever their shapes; 0 of none."""
        if not entries:
            return 0
        with self.place(part):
            return reduce(OPERATIONS[operation], [self.node(entry, part) for entry in entries])

    def call_of_value(self, part: Call, callee: Any) -> VjpError:
        text = self.source.text
        function = text[part.function.span.start : part.function.span.end]
        what = "a number" if isinstance(callee, int | float) else "a value"
        if isinstance(part.function, Name) and part.function.identifier in self.inputs:
            what = "an input"
        if isinstance(callee, IndexObject):
            return self.call_of_brackets(part, function)
        if isinstance(callee, LibraryName):
            return fail(
                "call-of-input",
                f"`{function}` is a library or a module of one, not a function",
                source=self.source,
                span=part.function.span,
                notes=("its functions stand behind a dot",),
            )
        openings = [] if isinstance(callee, Frozen) else _openings(text, part)
        product = text
        for place in reversed(openings):
            product = f"{product[:place]}*{product[place:]}"
        factors = text[part.span.start : part.span.end].replace("(", "*(", 1)
        plain = isinstance(part.function, Name | Number)
        return fail(
            "call-of-input",
            f"`{function}` is {what}, not a function",
            source=self.source,
            span=part.function.span,
            label=f"did you mean {factors}?" if plain else "did you mean a product?",
            fix=Fix(product, replaces=text) if openings else None,
        )

    def call_of_brackets(self, part: Call, function: str) -> VjpError:
        """The refusal of `np.r_(a, b)`, which is written `np.r_[a, b]`."""
        inside = self.source.text[part.function.span.end : part.span.end].strip()
        inside = inside.removeprefix("(").removesuffix(")")
        return fail(
            "call-of-input",
            f"{function} is followed by square brackets",
            source=self.source,
            span=part.function.span,
            fix=self.replacement(part.span, f"{function}[{inside}]"),
        )


def _openings(text: str, part: Call) -> list[int]:
    """The brackets of a call of a value, and those that follow it: all begin a factor."""
    from vjpcli.parser.powers import bracket_end  # noqa: PLC0415  (only on the way to an error)

    found: list[int] = []
    opening = re.compile(r"[\s)]*(\()").match(text, part.function.span.end)
    while opening is not None:
        found.append(opening.start(1))
        end = bracket_end(text, opening.start(1))
        opening = None if end is None else re.compile(r"\s*(\()").match(text, end)
    return found
