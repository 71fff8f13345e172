"""Arithmetic as it is written: `a + b` on what stands for an array is the operation `add`."""

from __future__ import annotations

from typing import Any, Self


class Operators:
    """Python's operators, each as the operation it means."""

    __slots__ = ()

    # Keeps NumPy from taking `array * node` apart element by element.
    __array_ufunc__ = None

    def __add__(self, other: Any) -> Self:
        return self._apply("add", self, other)

    def __radd__(self, other: Any) -> Self:
        return self._apply("add", other, self)

    def __sub__(self, other: Any) -> Self:
        return self._apply("subtract", self, other)

    def __rsub__(self, other: Any) -> Self:
        return self._apply("subtract", other, self)

    def __mul__(self, other: Any) -> Self:
        return self._apply("multiply", self, other)

    def __rmul__(self, other: Any) -> Self:
        return self._apply("multiply", other, self)

    def __truediv__(self, other: Any) -> Self:
        return self._apply("divide", self, other)

    def __rtruediv__(self, other: Any) -> Self:
        return self._apply("divide", other, self)

    def __pow__(self, other: Any) -> Self:
        return self._apply("power", self, other)

    def __rpow__(self, other: Any) -> Self:
        return self._apply("power", other, self)

    def __matmul__(self, other: Any) -> Self:
        return self._apply("matmul", self, other)

    def __neg__(self) -> Self:
        return self._apply("negative", self)

    def __lt__(self, other: Any) -> Self:
        return self._apply("less", self, other)

    def __le__(self, other: Any) -> Self:
        return self._apply("less_equal", self, other)

    def __gt__(self, other: Any) -> Self:
        return self._apply("greater", self, other)

    def __ge__(self, other: Any) -> Self:
        return self._apply("greater_equal", self, other)

    def __and__(self, other: Any) -> Self:
        return self._apply("logical_and", self, other)

    def __or__(self, other: Any) -> Self:
        return self._apply("logical_or", self, other)

    def __invert__(self) -> Self:
        return self._apply("logical_not", self)

    def _apply(self, name: str, *operands: Any) -> Self:
        from vjpcli.graph.operation import OPERATIONS  # noqa: PLC0415  (which imports Node)

        result: Self = OPERATIONS[name](*operands)
        return result
