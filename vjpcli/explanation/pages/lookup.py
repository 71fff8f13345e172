"""The page that a word asks for: an operation by any of its names, or a diagnostic code."""

from __future__ import annotations

from vjpcli.errors import Fix, Source, Span, VjpError, close_spelling, did_you_mean, fail
from vjpcli.explanation.pages.codes_text import code_pages
from vjpcli.explanation.pages.model import CodePage, Found
from vjpcli.explanation.pages.searching import found_by
from vjpcli.explanation.pages.spellings import METHODS, every_library_name, meaning
from vjpcli.graph.libraries import LibraryName, library_root
from vjpcli.graph.names import LIBRARY_ROOTS, Callee, find_callee, function_names
from vjpcli.graph.operation import LIBRARIES, OPERATIONS, Operation
from vjpcli.graph.unknown_names import OTHER_NAMES, Reason, reason_against


def looked_up(word: str) -> Operation | CodePage | Found:
    """What `word` names: log, np.log, x.log(), *, seed-shape; else what has its words.

    Errors: unknown-rule, with the nearest name.
    """
    plain = word.strip().removesuffix("()")
    page = _by_operator(plain) or _by_name(plain) or code_pages().get(plain.lower())
    if page is not None:
        return page
    if not _meant(plain) and not _reason(plain):
        if found := found_by(plain, whole=True):
            return found
        if not _near(plain) and (found := found_by(plain, whole=False)):
            return found
    raise _unknown(word, plain)


def known_words() -> list[str]:
    """Every operation, alias and code, for completion and near misses."""
    return sorted({*function_names(), *code_pages()})


def _by_operator(sign: str) -> Operation | None:
    named = (one for one in OPERATIONS.values() if one.infix == sign and len(one.operand_names) > 1)
    return next(named, None)


def _by_name(word: str) -> Operation | None:
    root, *path = word.split(".")
    if root in LIBRARY_ROOTS and path:
        return _by_path(root, path)
    name = path[-1] if path else root  # x.log, W.T
    for spelling in dict.fromkeys((word, name)):  # norm.logpdf is a name with a dot
        for library in LIBRARIES:
            if callee := find_callee(spelling, library):
                return callee.operation
    # A name that only one class or module of a library has, such as svd in torch.linalg.
    modules = [module for module, spelling in every_library_name() if spelling == name]
    for module in sorted(modules, key=lambda module: module not in METHODS):
        if found := meaning(module, name):
            return found
    return None


def _by_path(root: str, path: list[str]) -> Operation | None:
    found: object = library_root(root)
    for name in path:
        if not isinstance(found, LibraryName):
            return None
        try:
            found = found.member(name, Source(name), Span(0, len(name)))
        except VjpError:
            return None
    return found.operation if isinstance(found, Callee) else None


def _meant(plain: str) -> str | None:
    meant = OTHER_NAMES.get(plain.rpartition(".")[2].lower())
    return meant if meant in OPERATIONS else None


def _reason(plain: str) -> Reason | None:
    path, _, name = plain.rpartition(".")
    return None if _meant(plain) else reason_against(name, path)


def _unknown(word: str, plain: str) -> VjpError:
    if reason := _reason(plain):
        return fail(
            "unknown-rule",
            f"there is no operation {word}: {reason.why}",
            source=Source(word, "name"),
            span=Span(0, len(word)),
            notes=(reason.instead,) if reason.instead else (),
        )
    guess = _meant(plain) or _near(plain)
    return fail(
        "unknown-rule",
        f"there is neither an operation nor a diagnostic code {word}",
        source=Source(word, "name"),
        span=Span(0, len(word)),
        label=f"did you mean {guess}?" if guess else "",
        notes=("`vjp rule` lists the operations, `vjp rule --codes` the diagnostic codes",),
        fix=Fix(guess, replaces=word) if guess else None,
    )


def _near(plain: str) -> str | None:
    """An operation that differs by a slip; a code, whose words are longer, that resembles it."""
    name = plain.rpartition(".")[2]
    return close_spelling(name, known_words()) or did_you_mean(name, code_pages())
