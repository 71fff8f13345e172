"""Operation -> OperationPage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vjpcli.explanation.pages.docstring import taken_apart
from vjpcli.explanation.pages.formula import rule_formulas
from vjpcli.explanation.pages.model import OperationPage
from vjpcli.explanation.pages.source_code import body_code, rule_code
from vjpcli.explanation.pages.spellings import (
    is_building_block,
    operators,
    other_names,
    spellings,
)
from vjpcli.graph.operation import KEYWORD_ALIASES, TEXTBOOK, Operation

REQUIRED = "required"


def operation_page(operation: Operation) -> OperationPage:
    """The page of an operation. Printing its formulas takes SymPy."""
    parts = taken_apart(operation.documentation)
    formulas, formula_for = rule_formulas(operation)
    rules = operation.rules
    return OperationPage(
        name=operation.name,
        family=operation.family,
        summary=parts.summary,
        remarks="\n".join(parts.remarks),
        call=call_text(operation),
        operators=operators(operation),
        spellings={str(library): names for library, names in spellings(operation).items()},
        other_names=other_names(operation),
        shapes=parts.fixed.get("Shapes", ""),
        kinks=parts.fixed.get("Kinks", ""),
        source=parts.fixed.get("Source", ""),
        units=parts.fixed.get("Units", ""),
        example=parts.fixed.get("Example", ""),
        static={key: default_text(value) for key, value in operation.written_static.items()},
        keywords=_keywords(operation),
        library_defaults=operation.library_defaults,
        convention=_convention(operation),
        formulas=formulas,
        formula_for=formula_for,
        code=rule_code(rules["torch"]) if "torch" in rules else "",
        code_like={
            name: rule_code(rule) for name, rule in rules.items() if name not in ("torch", TEXTBOOK)
        },
        made_of=body_code(operation) if operation.is_composite else "",
        kink_places=operation.kinks,
        elsewhere=operation.elsewhere,
        several=operation.several,
        flat=operation.flat,
        building_block=is_building_block(operation),
    )


def call_text(operation: Operation) -> str:
    """How it is typed, with the defaults of its static arguments."""
    required = len(operation.operand_names) - operation.optional_operands
    if operation.variadic:
        required = len(operation.operand_names)
    texts: dict[str, str] = {}
    for position, name in enumerate(operation.operand_names):
        last = position == len(operation.operand_names) - 1
        several = operation.variadic and last
        texts[name] = f"{name}, ..." if several else name if position < required else f"{name}=None"
    for name, value in operation.written_static.items():
        texts[name] = name if _is_required(value) else f"{name}={default_text(value)}"
    order = [*operation.argument_order, *(n for n in texts if n not in operation.argument_order)]
    return f"{operation.name}({', '.join(texts[name] for name in order)})"


def default_text(value: Any) -> str:
    """A default as it is typed; "required" where there is none."""
    return REQUIRED if _is_required(value) else repr(value)


def _is_required(value: Any) -> bool:
    return isinstance(value, type) and value.__name__ == "_empty"  # inspect's mark


def _keywords(operation: Operation) -> Mapping[str, str]:
    general = {
        other: name
        for other, name in KEYWORD_ALIASES.items()
        if name in operation.written_static and other not in operation.written_static
    }
    return {**general, **operation.keyword_aliases}


def _convention(operation: Operation) -> str:
    """The remark with the defaults filled in."""
    if not operation.convention:
        return ""
    return operation.convention.format_map(_Defaults(operation.written_static))


class _Defaults(dict[str, Any]):
    """A field without a default stays as it is."""

    def __missing__(self, key: str) -> str:
        return f"{{{key}}}"
