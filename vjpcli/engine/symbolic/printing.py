"""SymPy expressions in the language of the program, and whether a text holds together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sympy


def to_text(expression: sympy.Basic) -> str:
    """A SymPy expression in the language of the program: where(...) instead of Piecewise."""
    return str(_printer().doprint(expression))


def is_torn(text: str) -> bool:
    """Whether the text has an operator outside of all brackets, as `A @ x` has."""
    depth = 0
    for i, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if depth == 0 and text.startswith((" @ ", " == "), i):
            return True
    return False


def holds_together(text: str) -> bool:
    """Whether no blank stands outside of all brackets, so that it is a name, a call or a list."""
    depth = 0
    for sign in text:
        depth += (sign in "([") - (sign in ")]")
        if depth == 0 and sign in " *":
            return False
    return not text.startswith("-")


_RENAMED = {
    "Abs": "abs", "Max": "maximum", "Min": "minimum", "LambertW": "lambertw",
    "besselj": "jv", "bessely": "yv", "besseli": "iv", "besselk": "kv",
    "airyai": "airy_ai", "airyaiprime": "airy_ai_prime",
}  # fmt: skip
"""SymPy's names -> those by which the language has the same functions."""

_printers: list[Any] = []


def _printer() -> Any:
    if not _printers:
        from sympy.printing.precedence import PRECEDENCE  # noqa: PLC0415
        from sympy.printing.str import StrPrinter  # noqa: PLC0415  (only for formulas)

        product = PRECEDENCE["Mul"]

        class Printer(StrPrinter):  # type: ignore[misc]  # sympy has no types
            """SymPy's text printer with the names of this program."""

            def _print_Piecewise(self, expression: Any) -> str:
                *branches, (last, _) = expression.args
                text = str(self._print(last))
                for value, condition in reversed(branches):
                    text = f"where({self._print(condition)}, {self._print(value)}, {text})"
                return text

            def _print_Equality(self, expression: Any) -> str:
                left, right = expression.args
                return f"{self._print(left)} == {self._print(right)}"

            def parenthesize(self, item: Any, level: int, strict: bool = False) -> str:
                """An operand, in brackets where an operator around it would tear it apart."""
                text = str(super().parenthesize(item, level, strict))
                if " == " in text and getattr(item, "is_Relational", False):
                    return f"({text})"
                within_product = level >= product
                return f"({text})" if within_product and item.is_Symbol and is_torn(text) else text

            def _print_Float(self, expression: Any) -> str:
                return repr(float(expression)).removesuffix(".0")

            def _print_Infinity(self, _: Any) -> str:
                return "inf"

            def _print_NegativeInfinity(self, _: Any) -> str:
                return "-inf"

            def _print_Exp1(self, _: Any) -> str:
                return "e"

            def _print_Function(self, expression: Any) -> str:
                name = str(expression.func.__name__)
                arguments = ", ".join(self._print(argument) for argument in expression.args)
                return f"{_RENAMED.get(name, name)}({arguments})"

            def _print_polygamma(self, expression: Any) -> str:
                order, argument = expression.args
                if order == 0:
                    return f"digamma({self._print(argument)})"
                return self._print_Function(expression)

            _print_Abs = _print_Function
            _print_Max = _print_Function
            _print_Min = _print_Function
            _print_LatticeOp = _print_Function

        _printers.append(Printer())
    return _printers[0]
