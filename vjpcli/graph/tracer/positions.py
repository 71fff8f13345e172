"""Indices: what stands between the brackets of `x[...]`."""

from __future__ import annotations

from typing import Any

import numpy as np

from vjpcli.errors import Span, VjpError, fail
from vjpcli.graph.complex_value import Complex, real_needed
from vjpcli.graph.names import IndexObject
from vjpcli.graph.operation import OPERATIONS
from vjpcli.graph.tracer.state import State
from vjpcli.graph.tracer.updates import At, Place
from vjpcli.parser.syntax import Expression, Index, Slice
from vjpcli.parser.walk import Done


class Positions(State):
    """Reads entries by position."""

    def slice(self, part: Slice, done: Done) -> slice:
        def bound(expression: Expression | None) -> Any:
            if expression is None:
                return None
            value = done[id(expression)]
            whole = self.whole(value)
            if whole is not None or value is None or isinstance(value, float):
                return value if whole is None else whole
            raise self.slice_error(expression)

        return slice(bound(part.start), bound(part.stop), bound(part.step))

    def slice_error(self, bound: Expression) -> VjpError:
        return fail(
            "index-not-whole",
            "a slice is given by whole numbers",
            source=self.source,
            span=bound.span,
        )

    def require_whole_slices(self, part: Index, items: list[Any]) -> None:
        """Refuses `x[0.5:2]`; in `np.mgrid[0:1:0.5]` numbers that are not whole have a meaning."""
        for item, syntax in zip(items, part.items, strict=True):
            if isinstance(item, slice) and isinstance(syntax, Slice):
                for value, bound in (
                    (item.start, syntax.start),
                    (item.stop, syntax.stop),
                    (item.step, syntax.step),
                ):
                    if isinstance(value, float) and bound is not None:
                        raise self.slice_error(bound)

    def index(self, part: Index, done: Done) -> Any:
        value = done[id(part.value)]
        items = [done[id(item)] for item in part.items]
        if isinstance(value, IndexObject):
            from vjpcli.graph.bracketed import bracketed  # noqa: PLC0415  (few programs need it)

            with self.place(part, part.value.span):
                return self.checked(bracketed(value.name, items), part.value.span)
        self.require_whole_slices(part, items)
        if isinstance(value, list | tuple) and len(items) == 1:
            position = self.whole(items[0])
            if position is not None and -len(value) <= position < len(value):
                return value[position]
            if isinstance(items[0], slice):
                return value[items[0]]
        node = value.node if isinstance(value, At) else self.node(value, part.value)
        places = list(part.items)
        if len(items) == 1 and isinstance(items[0], tuple):
            # `i = nonzero(m); x[i]` is x[i[0], i[1]], as in NumPy.
            items = list(items[0])
            places *= len(items)
        index = tuple(
            self.index_item(item, syntax) for item, syntax in zip(items, places, strict=True)
        )
        place = Span(part.items[0].span.start, part.items[-1].span.end) if part.items else part.span
        with self.place(part, place):
            if isinstance(value, At):
                OPERATIONS["index"](node, index=index)  # a wrong index is told here
                return Place(node, index)
            return self.checked(OPERATIONS["index"](node, index=index), place)

    def index_item(self, item: Any, syntax: Expression) -> Any:
        """An index as NumPy takes it; what depends on inputs is decided here, by their values."""
        whole = self.whole(item)
        if whole is not None and not isinstance(item, bool):
            return whole
        if isinstance(item, slice | bool) or item is None or item is Ellipsis:
            return item
        node = self.node(item, syntax)
        if isinstance(node, Complex):
            raise real_needed("an index is a whole number").at(self.source, syntax.span)
        value = self.value_of(node)
        if value.dtype == np.bool_:
            return value
        if np.all(np.abs(value) < 2**53) and np.all(value == np.floor(value)):
            return value.astype(np.intp)
        raise fail(
            "index-not-whole",
            "an index is a whole number",
            source=self.source,
            span=syntax.span,
        )
