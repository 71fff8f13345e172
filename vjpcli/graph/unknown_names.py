"""The error at a function that is not there, which says why, or what was probably meant.

What a library has and this language has not is told with its reason (`refused_names.json`);
only what nobody has is taken for a slip of the pen, and corrected where the slip is small.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from fnmatch import fnmatchcase
from importlib.resources import files
from typing import Any

from vjpcli.errors import Fix, Source, Span, VjpError, close_spelling, fail
from vjpcli.graph.modules import CLASSES
from vjpcli.graph.names import DISTRIBUTIONS, LIBRARY_ROOTS, find_callee, function_names
from vjpcli.graph.operation import OPERATIONS, Library
from vjpcli.graph.public_names import public_names
from vjpcli.record import record

OTHER_NAMES = {
    "lg": "log10", "ld": "log2", "sen": "sin", "sqr": "square", "σ": "sigmoid", "step": "heaviside",
    "average": "mean", "avg": "mean", "arcsen": "arcsin",
    "ceiling": "ceil", "if": "where", "iif": "where", "length": "norm", "magnitude": "norm",
}  # fmt: skip
"""Names from calculators, textbooks and spreadsheets -> what is meant here."""


@record
class Reason:
    """Why a name means nothing here.

    Attributes:
        code: of the diagnostic.
        why: the reason, to stand behind a colon.
        instead: what to write, or "".
    """

    code: str
    why: str
    instead: str = ""


UNWRITTEN = Reason(
    "not-offered",
    "no operation is written for it",
    "`vjp rule` lists those there are; give what it computes as a value, or write out its formula",
)

OBJECTS = Reason("not-offered", "classes make objects, and values here are arrays of numbers")


def reason_against(name: str, path: str = "") -> Reason | None:
    """Why `name`, found under the library path `path`, is not offered; None if nobody has it.

    The first row counts that has a pattern for the name, or for the name with its module
    (`random.*`); a public name without a row has no reason but that nobody wrote it. Whatever
    is declared is found before anybody asks here, so a row may outlive its reason without harm.
    """
    table = json.loads(files("vjpcli.graph").joinpath("refused_names.json").read_text("utf-8"))
    # Where the bare name means another function, its reasons are of no use.
    library = LIBRARY_ROOTS.get(path.partition(".")[0], "torch")
    is_anothers = bool(path) and find_callee(name, library, prefixed=True) is not None
    modules = (*path.split("."), *([] if is_anothers else [""]))
    spellings = [f"{module}.{name}".lstrip(".") for module in modules]
    for row in table:
        patterns = row["names"].split()
        if "scipy" in modules:  # the rows are about other libraries, but for whole modules
            patterns = [one for one in patterns if one.startswith("scipy.") or one == "rvs"]
        if any(fnmatchcase(word, pattern) for pattern in patterns for word in spellings):
            return Reason(row["code"], row["why"], row["instead"])
    return UNWRITTEN if name in public_names().get(path, ()) else None


def unknown_function_error(
    name: str, source: Source, span: Span, path: str = "", *, method: bool = False
) -> VjpError:
    """The error at `name`, which is no function of the library path, or no method."""
    library = LIBRARY_ROOTS.get(path.partition(".")[0], "torch")
    is_called = source.text[span.end :].lstrip().startswith("(")
    written = f"{path}.{name}" if path else f".{name}" if method else name
    what = written if path else f"{written}()" if is_called else written
    in_place = name.rstrip("_")
    if name.endswith("_") and _is_known(in_place, library, method=method):
        return fail(
            "in-place-operation",
            f"{what} changes an array in place, and values here never change",
            source=source,
            span=span,
            notes=(f"{in_place} gives the new value: name it by a statement of its own",),
            fix=_replacing(source, span, in_place),
        )
    is_class = bool(path) and name[:1].isupper()
    known = _known_names(name, library, path)
    is_theirs = name in public_names().get(path, ())
    guess = None if is_theirs else OTHER_NAMES.get(name.lower())
    reason = None if guess else reason_against(name, path)
    if path and name in known:
        reason = reason or Reason("not-offered", f"it is another function than `{name}` alone")
    if guess is None and reason is None:
        guess = _same_but_for_case(name, known)
        guess = guess or close_spelling(name, tuple(CLASSES) if is_class else known)
        guess = None if guess == name else guess  # another module's
        reason = OBJECTS if is_class and guess is None else None
    if reason is not None:
        return fail(
            reason.code,
            f"{what} is not offered: {reason.why}",
            source=source,
            span=span,
            notes=(reason.instead,) if reason.instead else (),
            fix=_function_alone(name, source, span, path),
        )
    there_is = _what_there_is(known, path) if "scipy" in path.split(".") else ""
    return fail(
        "not-offered" if there_is else "unknown-function",
        f"{what} is not offered: of {path} there {there_is}"
        if there_is
        else f"there is no function {what}",
        source=source,
        span=span,
        label=f"did you mean {guess}?" if guess else "",
        notes=() if guess else ("`vjp rule` lists the functions",),
        fix=_replacing(source, span, guess) if guess and "/" not in guess else None,
    )


def _known_names(name: str, library: Library, path: str) -> tuple[str, ...]:
    """What `name`, found under the library path, may have been meant to be."""
    *_, module, last = ("", "", *path.split("."))
    if last == "scipy":
        return SCIPY_MODULES
    if last == "stats":
        return tuple(DISTRIBUTIONS)
    if module == "stats" or last in ("signal", "ndimage"):
        functions = OPERATIONS.full_index().functions[library]
        start = f"{last}."
        return tuple(one.removeprefix(start) for one in functions if one.startswith(start))
    return (*CLASSES, *function_names(library)) if name[:1].isupper() else function_names(library)


def _what_there_is(known: tuple[str, ...], path: str) -> str:
    """The rest of a sentence that tells what is offered of a module of SciPy."""
    few = path.endswith("scipy") or ".stats." in path
    return f"are {', '.join(known)}" if few and known else "are only some functions"


SCIPY_MODULES = ("fft", "integrate", "linalg", "ndimage", "signal", "special", "stats")


def _function_alone(name: str, source: Source, span: Span, path: str) -> Fix | None:
    """`jax.grad(f)(x)` as `(f)(x)`: the function itself is what is differentiated here."""
    start = span.start - len(path) - 1 if path else span.start
    text = source.text
    if name not in _GRADIENTS or text[start : span.start] not in (f"{path}.", ""):
        return None
    depth = commas = 0
    for end, letter in enumerate(text[span.end :], start=span.end):
        depth += (letter in "([{") - (letter in ")]}")
        commas += letter == "," and depth == 1
        if depth == 0:
            applied = text[end + 1 : end + 2] == "(" and not commas
            return Fix(text[:start] + text[span.end :], replaces=text) if applied else None
    return None


_GRADIENTS = {"grad", "value_and_grad", "jacobian", "jacfwd", "jacrev", "hessian"}


def _is_known(name: str, library: Library, *, method: bool) -> bool:
    receiver: Any = _ANY_RECEIVER if method else None
    return bool(name) and find_callee(name, library, receiver=receiver) is not None


_ANY_RECEIVER = object()


def _replacing(source: Source, span: Span, text: str) -> Fix:
    whole = source.text
    return Fix(text=whole[: span.start] + text + whole[span.end :], replaces=whole)


def _same_but_for_case(word: str, known: Iterable[str]) -> str | None:
    return next((one for one in known if one.lower() == word.lower() and one != word), None)
