"""Findings: what is worth saying about a gradient without being asked.

Every module of this folder that has a function `find(evidence) -> list[Diagnostic]` is asked;
none is listed. Findings are ordered by weight and each is told once, however many elements
have it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable

from vjpcli.errors import Diagnostic
from vjpcli.explanation.evidence import Evidence

WEIGHT = {"error": 0, "warning": 1, "note": 2}

LAST = {"engines-differ"}
"""Codes that say nothing of this gradient, only of others."""


def findings(evidence: Evidence) -> tuple[Diagnostic, ...]:
    """All findings, the heaviest first."""
    found = [diagnostic for find in finders() for diagnostic in find(evidence)]
    return tuple(sorted(found, key=_weight))


def _weight(diagnostic: Diagnostic) -> tuple[int, bool]:
    return WEIGHT[diagnostic.severity], diagnostic.code in LAST


def finders() -> list[Callable[[Evidence], list[Diagnostic]]]:
    """The `find` functions of this folder, by module name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return [module.find for module in modules if hasattr(module, "find")]
