"""One call in another library: its function, its spelling of the arguments, its defaults."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

from vjpcli.engine.foreign.library import ForeignLibrary, NotAvailable
from vjpcli.graph.names import Callee
from vjpcli.graph.operation import KEYWORD_ALIASES, Operation

ToArray = Callable[[Any], Any]

REQUIRED: Any = inspect.Parameter.empty


def call(
    library: ForeignLibrary,
    callee: Callee,
    arguments: list[Any],
    keywords: Mapping[str, Any],
    to_array: ToArray,
    *,
    is_method: bool,
) -> Any:
    """The result of the library's function, called the way that it accepts.

    Libraries do not say which of their functions take what, so a refused call is made again
    with the arguments in the next form. What it computes is compared with our value later.

    Errors: NotAvailable.
    """
    operation = callee.operation
    assert operation is not None
    function = library.function(operation, callee.name, is_method=is_method)
    arguments = [_function_of(one, library) for one in arguments]
    keywords = {name: _function_of(one, library) for name, one in keywords.items()}
    operands, rest = _divided(operation, arguments, to_array)
    refusal: Exception | None = None
    forms = _forms(operation, callee, operands, rest, keywords, library)
    if not (operation.variadic or operation.library_defaults):
        forms = chain(forms, _forms_of_tuples(operation, arguments, keywords, to_array))
    for form in forms:
        try:
            return function(*form[0], **form[1])
        except (TypeError, ValueError, RuntimeError, IndexError, AttributeError) as error:
            refusal = refusal or error
    first_line = next(iter(str(refusal).strip().splitlines()), "")
    raise NotAvailable(f"{callee.name} does not take these arguments: {first_line}")


def _divided(
    operation: Operation, arguments: list[Any], to_array: ToArray
) -> tuple[list[Any], list[Any]]:
    """Arguments that are operands, as arrays, and the others as they are."""
    if operation.variadic:
        if arguments and isinstance(arguments[0], list | tuple):
            return [[to_array(item) for item in arguments[0]]], arguments[1:]
        arrays = [one for one in arguments if not isinstance(one, int | str)]
        return [to_array(one) for one in arrays], arguments[len(arrays) :]
    names = operation.argument_order or operation.operand_names
    operands: list[Any] = []
    required = len(operation.operand_names) - operation.optional_operands
    for position, argument in enumerate(arguments[: len(names)]):
        plain_integer = isinstance(argument, int | tuple) and not isinstance(argument, bool)
        if position >= required and operation.integer_is_static and plain_integer:
            break
        is_operand = names[position] in operation.operand_names
        keep = argument is None or isinstance(argument, str) or not is_operand
        operands.append(argument if keep else to_array(argument))
    rest = arguments[len(operands) :]
    return operands, [tuple(one) if isinstance(one, list) else one for one in rest]


def _forms(
    operation: Operation,
    callee: Callee,
    operands: list[Any],
    rest: list[Any],
    keywords: Mapping[str, Any],
    library: ForeignLibrary,
) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """Ways to write the call, the likeliest first."""
    canonical = {_canonical(operation, name): value for name, value in keywords.items()}
    differing = _differing_defaults(operation, callee, canonical, len(rest), library)
    ours = {**differing, **canonical}
    spelt = {library.keywords.get(n, n): library.static(n, value) for n, value in ours.items()}
    written = {library.keywords.get(n, n): library.static(n, v) for n, v in keywords.items()}
    if operation.collects and len(rest) > 1 and callee.library == library.speaks:
        yield [*operands, *rest], spelt
    if operation.collects and rest and all(isinstance(one, int) for one in rest):
        rest = [tuple(rest)]
    yield [*operands, *rest], spelt
    if operation.variadic and operands and isinstance(operands[0], list):
        yield [*operands[0], *rest], spelt
    if not differing:
        yield [*operands, *rest], written
        yield [*operands, *rest], dict(keywords)
    if not rest and "axis" not in ours and "axis" in operation.static_defaults:
        axis = operation.static_defaults["axis"]
        if axis is None and operands and library.is_array(operands[0]):
            axis = tuple(range(len(operands[0].shape)))
        if axis is not REQUIRED:
            yield operands, {**spelt, library.keywords.get("axis", "axis"): axis}
        if isinstance(axis, tuple) and len(axis) == 1:
            yield operands, {**spelt, library.keywords.get("axis", "axis"): axis[0]}
    for position, operand in enumerate(operands):
        if library.is_array(operand):  # class labels and positions are whole numbers elsewhere
            whole = [*operands[:position], library.labels(operand), *operands[position + 1 :]]
            yield [*whole, *rest], spelt
    yield [_positions(one, library) for one in (*operands, *rest)], spelt
    names = operation.argument_order or operation.operand_names
    beside = [
        one if i < len(names) and names[i] in operation.operand_names else _labels(one, library)
        for i, one in enumerate([*operands, *rest])
    ]
    whole_too = {
        name: _labels(value, library) if _canonical(operation, name) in operation.decided else value
        for name, value in spelt.items()
    }
    yield beside, whole_too
    if operation.argument_order and not keywords and len(operands) > 1:
        numbers = [
            library.number(one) if library.is_array(one) and not one.shape else one
            for one in operands
        ]
        yield [*numbers, *rest], spelt


def _forms_of_tuples(
    operation: Operation,
    arguments: list[Any],
    keywords: Mapping[str, Any],
    to_array: ToArray,
) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """The call with its tuples of arrays as such: the state (h, c) of an LSTM."""
    if not any(isinstance(one, tuple) for one in arguments):
        return

    def kept(value: Any) -> Any:
        return tuple(map(to_array, value)) if isinstance(value, tuple) else to_array(value)

    operands, rest = _divided(operation, arguments, kept)
    yield [*operands, *rest], dict(keywords)


def _function_of(argument: Any, library: ForeignLibrary) -> Any:
    """An argument that names a function as the library's function.

    Errors: NotAvailable.
    """
    if isinstance(argument, Callee) and argument.operation is not None:
        return library.function(argument.operation, argument.name, is_method=False)
    return argument


def _labels(argument: Any, library: ForeignLibrary) -> Any:
    """Positions and class numbers as whole numbers, in arrays or tuples of arrays."""
    if library.is_array(argument):
        return library.labels(argument)
    if isinstance(argument, list | tuple) and any(map(library.is_array, argument)):
        return tuple(_labels(one, library) for one in argument)
    return _positions(argument, library)


def _canonical(operation: Operation, name: str) -> str:
    if name in operation.static_defaults or name in operation.operand_names:
        return name
    return operation.keyword_aliases.get(name, KEYWORD_ALIASES.get(name, name))


def _differing_defaults(
    operation: Operation,
    callee: Callee,
    given: Mapping[str, Any],
    positional: int,
    library: ForeignLibrary,
) -> dict[str, Any]:
    """Defaults of the library that was written which this library does not share."""
    taken = {**operation.static_defaults, **operation.library_defaults.get(callee.library, {})}
    theirs = {**operation.static_defaults, **operation.library_defaults.get(library.speaks, {})}
    by_position = set(list(operation.static_defaults)[:positional])
    return {
        name: value
        for name, value in taken.items()
        if name not in given and name not in by_position and value != theirs[name]
    }


def _positions(argument: Any, library: ForeignLibrary) -> Any:
    """A list of positions as an array of whole numbers."""
    arrays = isinstance(argument, list | tuple) and any(map(library.is_array, argument))
    if isinstance(argument, list | tuple) and not arrays:
        return library.whole(library.array(argument))
    return argument
