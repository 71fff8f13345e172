"""The page that a word asks for: an operation by any of its names, or a diagnostic code."""

from __future__ import annotations

from vjpcli.errors import Fix, Source, Span, VjpError, close_spelling, did_you_mean, fail
from vjpcli.explanation.pages.codes_text import code_pages
from vjpcli.explanation.pages.model import CodePage
from vjpcli.explanation.pages.spellings import METHODS, every_library_name, meaning
from vjpcli.graph.libraries import LibraryName, library_root
from vjpcli.graph.names import LIBRARY_ROOTS, Callee, find_callee, function_names
from vjpcli.graph.operation import LIBRARIES, OPERATIONS, Operation
from vjpcli.graph.unknown_names import OTHER_NAMES, reason_against


def looked_up(word: str) -> Operation | CodePage:
    """What `word` names: log, np.log, x.log(), *, seed-shape.

    Errors: unknown-rule, with the nearest name.
    """
    plain = word.strip().removesuffix("()")
    found = _by_operator(plain) or _by_name(plain) or code_pages().get(plain.lower())
    if found is None:
        raise _unknown(word, plain)
    return found


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
    for library in LIBRARIES:
        if callee := find_callee(name, library):
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


def _unknown(word: str, plain: str) -> VjpError:
    name = plain.rpartition(".")[2]
    meant = OTHER_NAMES.get(name.lower())
    guess = meant if meant in OPERATIONS else None
    if guess is None and (reason := reason_against(name, plain.rpartition(".")[0])):
        return fail(
            "unknown-rule",
            f"there is no operation {word}: {reason.why}",
            source=Source(word, "name"),
            span=Span(0, len(word)),
            notes=(reason.instead,) if reason.instead else (),
        )
    guess = guess or _near(name)
    return fail(
        "unknown-rule",
        f"there is neither an operation nor a diagnostic code {word}",
        source=Source(word, "name"),
        span=Span(0, len(word)),
        label=f"did you mean {guess}?" if guess else "",
        notes=("`vjp rule` lists the operations, `vjp rule --codes` the diagnostic codes",),
        fix=Fix(guess, replaces=word) if guess else None,
    )


def _near(name: str) -> str | None:
    """An operation that differs by a slip; a code, whose words are longer, that resembles it."""
    return close_spelling(name, known_words()) or did_you_mean(name, code_pages())
