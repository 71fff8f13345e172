"""Rewrites that keep an operation from ever seeing the input at which its slope is infinite.

The double where: a where() around the result hides a value, not a slope; a second where()
around the input hides both.
"""

from __future__ import annotations

from collections.abc import Iterator

from vjpcli.errors import Span
from vjpcli.explanation.rewrites.match import Text, binding_strength
from vjpcli.explanation.rewrites.trouble import Proposal, Trouble
from vjpcli.parser.syntax import Binary, Call, Expression, Name, Number, postorder

FRAGILE = {
    "sqrt", "rsqrt", "cbrt", "log", "log2", "log10", "log1p", "arcsin", "arccos", "arctanh",
    "arccosh", "reciprocal", "norm", "exp", "power", "divide", "tan", "logit", "xlogy", "lgamma",
}  # fmt: skip
"""Functions whose slope is infinite or overflows somewhere."""

SAFE_VALUES = ("1", "0.5", "2", "0")
"""What is fed to a fragile function instead; one of them lies inside every domain."""


def fragile_operand(part: Expression, text: Text) -> Expression | None:
    """The operand at which a fragile operation breaks: a divisor, a base, an argument."""
    if isinstance(part, Binary):
        if part.operator == "/":
            return part.right
        return part.left if part.operator == "**" else None
    if isinstance(part, Call):
        name, arguments, _ = text.function(part)
        return arguments[0] if name in FRAGILE and arguments else None
    return None


def _fragile_operands(branch: Expression, text: Text, trouble: Trouble) -> list[Expression]:
    """The innermost fragile operands of a branch, those that the trouble is about first."""
    parts = [part for part in postorder(branch) if fragile_operand(part, text) is not None]
    parts.sort(key=lambda part: part.span not in trouble.spans)
    operands = [fragile_operand(part, text) for part in parts]
    return [one for one in operands if one is not None]


def _input_of(operand: Expression, branch: Expression, text: Text) -> str:
    """`the input of sqrt`, `the divisor`: what a fragile operand is to its operation."""
    for part in postorder(branch):
        if fragile_operand(part, text) is operand:
            if isinstance(part, Call):
                return f"the input of {text.function(part)[0]}"
            return (
                "the divisor" if isinstance(part, Binary) and part.operator == "/" else "the base"
            )
    return "the input"


def double_where(text: Text, trouble: Trouble) -> Iterator[Proposal]:
    """`where(c, sqrt(x), 0)` -> `where(c, sqrt(where(c, x, 1)), 0)`."""
    for call in list(text.parts()):
        if not isinstance(call, Call):
            continue
        name, arguments, _ = text.function(call)
        if name != "where" or len(arguments) != 3:
            continue
        condition = text.at(arguments[0])
        where = text.at(call.function)
        for position in (1, 2):
            branch = text.resolved(arguments[position])
            operands = _fragile_operands(branch, text, trouble)
            for safe in SAFE_VALUES:
                edits: dict[Span, str] = {}
                for operand in operands:
                    kept = text.at(operand)
                    pair = f"{kept}, {safe}" if position == 1 else f"{safe}, {kept}"
                    guarded = f"{where}({condition}, {pair})"
                    why = f"guard {_input_of(operand, branch, text)}, not only its result"
                    yield Proposal(text.edited({operand.span: guarded}), why)
                    if not any(_overlap(operand.span, other) for other in edits):
                        edits[operand.span] = guarded
                if len(edits) > 1:
                    yield Proposal(text.edited(edits), "guard the inputs, not only the result")


def _overlap(a: Span, b: Span) -> bool:
    return a.start < b.end and b.start < a.end


def masked_product(text: Text, trouble: Trouble) -> Iterator[Proposal]:
    """`m*log(x)` -> `where(m != 0, m*log(where(m != 0, x, 1)), 0)`, one product, then all."""
    together: dict[Span, str] = {}
    why = "choose with where, on the input and on the result"
    for product in list(text.parts()):
        if not isinstance(product, Binary) or product.operator != "*":
            continue
        here = trouble.concerns(product.span)
        for mask, other in ((product.left, product.right), (product.right, product.left)):
            if isinstance(mask, Number):
                continue
            loose = binding_strength(mask) == 0
            condition = f"({text.at(mask)}) != 0" if loose else f"{text.at(mask)} != 0"
            for operand in _fragile_operands(other, text, trouble):
                for safe in SAFE_VALUES[:3]:
                    start = product.span.start
                    inner = text.at(product)
                    guarded = f"where({condition}, {text.at(operand)}, {safe})"
                    low, high = operand.span.start - start, operand.span.end - start
                    whole = f"where({condition}, {inner[:low]}{guarded}{inner[high:]}, 0)"
                    if here:
                        yield Proposal(text.edited({product.span: whole}), why)
                    if not any(_overlap(product.span, other) for other in together):
                        together[product.span] = whole
    if len(together) > 1 and any(trouble.concerns(span) for span in together):
        yield Proposal(text.edited(together), why)


def removable(text: Text, trouble: Trouble) -> Iterator[Proposal]:
    """`tanh(x)/x` -> `where(x != 0, tanh(x)/where(x != 0, x, 1), 1)`, 1 being its limit at 0.

    Only for a quotient that is the whole output; where the slope there is 0, too, as the
    unguarded value's is on both sides.
    """
    if trouble.limit is None:
        return
    for quotient in list(text.parts()):
        if not isinstance(quotient, Binary) or quotient.operator != "/":
            continue
        if quotient is not text.program.statements[-1].value:
            continue
        divisor = text.at(quotient.right)
        loose = binding_strength(quotient.right) == 0
        condition = f"({divisor}) != 0" if loose else f"{divisor} != 0"
        guarded = f"where({condition}, {divisor}, 1)"
        whole = f"where({condition}, {text.at(quotient.left)}/{guarded}, {trouble.limit})"
        if binding_strength(quotient.left) < binding_strength(quotient):
            whole = f"where({condition}, ({text.at(quotient.left)})/{guarded}, {trouble.limit})"
        yield Proposal(text.edited({quotient.span: whole}), "0/0 is kept out, its limit stands in")


def guarded_input(text: Text, trouble: Trouble) -> Iterator[Proposal]:
    """`x @ w` -> `where(isnan(x), 0, x) @ w`, for an input that holds nan or infinity."""
    test = "isnan" if trouble.code.startswith("nan") else "isinf"
    for name in trouble.inputs:
        spans = [
            part.span for part in text.parts() if isinstance(part, Name) and part.identifier == name
        ]
        if spans:
            yield Proposal(
                text.edited(dict.fromkeys(spans, f"where({test}({name}), 0, {name})")),
                f"take the {trouble.code[:3]} out of {name} before it is used",
            )
