"""The pages of `vjp rule` as JSON documents, schema "vjp/1"."""

from __future__ import annotations

from collections.abc import Iterable

from vjpcli.explanation.pages.model import CodePage, FamilyList, Found, OperationPage
from vjpcli.graph.facts import Kink
from vjpcli.render.json import SCHEMA, JsonObject, plain


def list_document(families: Iterable[FamilyList]) -> JsonObject:
    """All operations by family."""
    return {
        "schema": SCHEMA,
        "families": [
            {
                "section": family.section,
                "title": family.title,
                "operations": [
                    {"name": name, "aliases": list(aliases), "summary": summary}
                    for name, aliases, summary in family.operations
                ],
            }
            for family in families
        ],
    }


def found_document(found: Found) -> JsonObject:
    """What a search finds: operations by family, and the names of diagnostic codes."""
    return {
        **list_document(found.families),
        "words": found.words,
        "diagnostic_codes": [{"code": one.code, "summary": one.summary} for one in found.codes],
    }


def pages_document(documents: Iterable[JsonObject], kind: str) -> JsonObject:
    """Several pages: `kind` is "rules" or "codes"."""
    return {"schema": SCHEMA, kind: list(documents)}


def operation_document(rule: OperationPage) -> JsonObject:
    """The page of an operation."""
    return {
        "name": rule.name,
        "family": rule.family,
        "summary": rule.summary,
        "remarks": rule.remarks,
        "call": rule.call,
        "operators": list(rule.operators),
        "names": {library: list(names) for library, names in rule.spellings.items()},
        "other_names": list(rule.other_names),
        "shapes": rule.shapes,
        "results": list(rule.several),
        "static": dict(rule.static),
        "keywords": dict(rule.keywords),
        "library_defaults": {
            library: {name: plain(value) for name, value in defaults.items()}
            for library, defaults in rule.library_defaults.items()
        },
        "convention": rule.convention,
        "formulas": [
            {"operand": one.operand, "slope": one.slope or None, "adjoint": one.adjoint}
            for one in rule.formulas
        ],
        "formula_for": rule.formula_for,
        "code": rule.code or None,
        "code_like": dict(rule.code_like),
        "made_of": rule.made_of or None,
        "flat": rule.flat,
        "building_block": rule.building_block,
        "kinks": {"text": rule.kinks, "places": [_kink(kink) for kink in rule.kink_places]},
        "elsewhere": [
            {"engine": one.engine, "place": one.place, "does": one.does} for one in rule.elsewhere
        ],
        "source": rule.source,
        "example": rule.example,
    }


def _kink(kink: Kink) -> JsonObject:
    return {
        "place": kink.place,
        "slopes": [plain(float(slope)) for slope in kink.slopes],
        "used": plain(float(kink.used)),
        "others": {engine: plain(float(value)) for engine, value in kink.others.items()},
        "says": kink.says,
    }


def code_document(code: CodePage) -> JsonObject:
    """The page of a diagnostic code."""
    return {
        "code": code.code,
        "room": code.room,
        "summary": code.summary,
        "remarks": code.remarks,
        "example": code.example or None,
        "no_example": code.no_example or None,
        "files": dict(code.files),
        "stdin": code.stdin,
    }
