"""Arguments of a call -> operands and static arguments of an operation.

Positional arguments are operands first; what is left over fills the static arguments in the
order in which they are declared. Keywords may use NumPy's or PyTorch's spelling.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from vjpcli.errors import Fix, Source, Span, VjpError, did_you_mean, fail
from vjpcli.graph.complex_value import Complex, drops_imaginary_part
from vjpcli.graph.names import (
    COMPLEX_DTYPE_NAMES,
    DTYPE_NAMES,
    LIBRARY_ROOTS,
    SIZE_METHODS,
    WHOLE_DTYPE_NAMES,
    Callee,
    is_complex_dtype,
    is_dtype,
    means_another_elsewhere,
)
from vjpcli.graph.node import Node, ancestors
from vjpcli.graph.operation import KEYWORD_ALIASES, OPERATIONS, Operation, as_node, leaf
from vjpcli.graph.results import Results

FIRST_OPERAND_NAMES = ("input", "self", "x", "a", "A", "tensor", "tensors", "arrays", "array")
SECOND_OPERAND_NAMES = ("other", "y", "b", "B", "vec2", "mat2", "x2")
WITHOUT_EFFECT = {
    "dtype", "device", "requires_grad", "out", "copy", "inplace", "layout",
    "overwrite_a", "overwrite_b", "overwrite_x", "overwrite_input", "check_finite", "check_errors",
    "driver", "lapack_driver", "precision", "preferred_element_type", "optimize", "out_sharding",
    "kind", "subok", "like", "casting", "indices_are_sorted", "unique_indices", "memory_format",
}  # fmt: skip
"""Keywords that change where or how numbers are kept or found, not the numbers."""

NO_AXES_MEAN_ALL_IN_TORCH = {
    "sum", "mean", "amax", "amin", "nansum", "nanmean", "var", "std", "var_mean", "std_mean",
    "count_nonzero", "norm", "vector_norm",
}  # fmt: skip
"""Where PyTorch reduces over everything with `dim=()`, and NumPy over nothing with `axis=()`."""

OF_ROWS = {"stack", "concatenate", "vstack", "hstack", "dstack", "column_stack", "row_stack"}
"""Operations on a list of arrays, which may be the rows of one: `np.concatenate(A)`."""
MOST_ROWS = 20_000

REQUIRED: Any = inspect.Parameter.empty

Keywords = Sequence[tuple[str, Any, Span]]
ValueOf = Callable[[Node], Any]


def call_operation(
    callee: Callee,
    arguments: Sequence[Any],
    keywords: Keywords,
    source: Source,
    value_of: ValueOf,
) -> tuple[Any, str]:
    """The result of the call, and the convention to announce (or "").

    Errors: too-many-arguments, missing-argument, unknown-keyword, argument-twice,
    static-not-plain, and whatever the operation refuses.
    """
    if callee.operation is None:
        return _keeping_call(callee, [*arguments, *(value for _, value, _ in keywords)]), ""
    kinds = [*arguments, *(value for name, value, _ in keywords if name == "dtype")]
    becomes_complex = any(map(is_complex_dtype, kinds))
    arguments = [argument for argument in arguments if not is_dtype(argument)]
    operation = callee.operation
    if callee.receiver is not None:
        arguments = [callee.receiver, *arguments]
    elif callee.library != "torch" and operation.name in OF_ROWS:
        arguments = [*map(_rows, arguments[:1]), *arguments[1:]]
    operands, static = _bind(callee, list(arguments), keywords, source, value_of)
    defaults = operation.library_defaults.get(callee.library, {})
    filled = {**defaults, **static}
    if becomes_complex:
        operands = [one if one is None else OPERATIONS["complex"](one) for one in operands]
    result = operation(*operands, **filled)
    if becomes_complex and not operands:
        result = OPERATIONS["complex"](result)
    plain = isinstance(result, Results) or not isinstance(result, tuple)
    if not plain and isinstance(next(iter(result), None), Node | Complex | None):
        result = Results.of(result, operation.several)
    if isinstance(result, Node) and result.operation is operation:
        filled = {**filled, **result.static}  # as the operation understood them
    return result, _convention(operation, callee, static, filled)


def _rows(value: Any) -> Any:
    """What NumPy goes through where a list of arrays is wanted and one array is given."""
    if not isinstance(value, Node) or not value.ndim or value.shape[0] > MOST_ROWS:
        return value
    return [OPERATIONS["index"](value, index=(i,)) for i in range(value.shape[0])]


def _keeping_call(callee: Callee, arguments: Sequence[Any]) -> Any:
    """`x.float()` and the like give x; `x.size(0)`, `len(x)`, `x.dim()` give plain numbers."""
    receiver, rest = callee.receiver, list(arguments)
    if receiver is None:
        if not rest:
            raise fail("missing-argument", f"{callee.name} needs an array")
        first = rest.pop(0)
        is_counted = callee.name == "len" and isinstance(first, list | tuple)
        receiver = as_node(np.zeros(len(first))) if is_counted else operand(first)
    if callee.name not in SIZE_METHODS:
        return _kept(callee, receiver, rest)
    if callee.name in ("dim", "ndimension", "ndim"):
        return receiver.ndim
    counts = callee.name == "size" and callee.library != "torch" and not rest
    if counts or callee.name in ("numel", "nelement"):
        return receiver.size
    if callee.name == "len":
        return receiver.shape[0] if receiver.shape else 1
    if not rest:
        return receiver.shape
    axis = rest[0]
    if not isinstance(axis, int) or not -receiver.ndim <= axis < receiver.ndim:
        raise fail("axis-out-of-range", f"axis {axis} does not exist in shape {receiver.shape}")
    return receiver.shape[axis]


def _kept(callee: Callee, receiver: Any, rest: list[Any]) -> Any:
    """The same numbers, of another kind or in another place: `x.to(torch.cfloat)`.

    Errors: whole-dtype, complex-operand.
    """
    if callee.name in COMPLEX_DTYPE_NAMES or any(map(is_complex_dtype, rest)):
        return OPERATIONS["complex"](receiver)
    if isinstance(receiver, Complex) and (callee.name in DTYPE_NAMES or any(map(is_dtype, rest))):
        raise drops_imaginary_part(callee.name)
    for argument in filter(is_dtype, rest):
        kind = argument.rpartition(".")[2]
        if kind in WHOLE_DTYPE_NAMES:
            raise fail(
                "whole-dtype",
                f"{kind} would round the numbers, and whole numbers have no gradient",
                notes=("floor, round and trunc round where that is meant",),
            )
    return receiver


def _convention(
    operation: Operation, callee: Callee, static: dict[str, Any], filled: dict[str, Any]
) -> str:
    """What to announce where libraries differ: what was taken, and who takes something else.

    Where the user has chosen, by an argument or a prefix, the choice alone is told.
    """
    if not operation.convention:
        return ""
    chosen = operation.convention.format(**{**operation.static_defaults, **filled})
    has_choice = "{" in operation.convention
    if callee.prefixed:
        return chosen.partition(" (")[0] if has_choice else ""
    about = operation.convention_about
    if about is None:
        differing = {name for facts in operation.library_defaults.values() for name in facts}
        tells = differing - static.keys() or (static and means_another_elsewhere(callee))
    else:
        tells = not about or set(about) - static.keys()
    if not tells:
        return chosen.partition(" (")[0] if has_choice else ""
    return chosen


def _bind(
    callee: Callee,
    arguments: list[Any],
    keywords: Keywords,
    source: Source,
    value_of: ValueOf,
) -> tuple[list[Any], dict[str, Any]]:
    operation = callee.operation
    assert operation is not None
    static_names = list(operation.written_static)
    static: dict[str, Any] = dict(callee.bound)
    if arguments and isinstance(arguments[0], str) and static_names:
        static[static_names[0]] = arguments.pop(0)  # einsum("ij,j->i", W, x)
    if operation.argument_order:
        operands, named = _in_declared_order(callee, operation, arguments, value_of)
        static |= named
        rest: list[Any] = []
    elif operation.variadic:
        takes_static = len(static_names) > len(static)
        operands, rest = _variadic_operands(arguments, takes_static=takes_static)
    else:
        operands, rest = _fixed_operands(operation, arguments)
    if operation.collects and rest:
        collected = rest[0] if len(rest) == 1 and isinstance(rest[0], list | tuple) else rest
        plain = _plain(collected, operation, operation.collects, value_of)
        one_tuple = len(plain) == 1 and isinstance(plain[0], tuple)
        static[operation.collects] = plain[0] if one_tuple else plain
        rest = []
    free = [name for name in static_names if name not in static]
    if len(rest) > len(free):
        raise _too_many(callee, len(operation.operand_names) + len(static_names))
    for name, value in zip(free, rest, strict=False):
        static[name] = _plain(value, operation, name, value_of)
    for name, value, span in keywords:
        _bind_keyword(callee, operation, name, value, span, operands, static, source, value_of)
    if static.get("axis") == () and callee.library == "torch":
        in_words_of_numpy = any(name == "axis" for name, _, _ in keywords)
        if operation.name in NO_AXES_MEAN_ALL_IN_TORCH and not in_words_of_numpy:
            static["axis"] = None
    _require(callee, operation, operands, static)
    for watched, name in operation.present.items():
        position = operation.operand_names.index(watched)
        if position < len(operands) and operands[position] is not None:
            static[name] = value_of(operands[position])
    return operands, static


def _in_declared_order(
    callee: Callee, operation: Operation, arguments: list[Any], value_of: ValueOf
) -> tuple[list[Any], dict[str, Any]]:
    """Positional arguments of an operation that mixes operands and static ones."""
    order = operation.argument_order
    if len(arguments) > len(order):
        raise _too_many(callee, len(order))
    operands: list[Any] = [None] * len(operation.operand_names)
    static: dict[str, Any] = {}
    for name, value in zip(order, arguments, strict=False):
        if name in operation.operand_names:
            operands[operation.operand_names.index(name)] = _operand_of(operation, name, value)
        else:
            static[name] = _plain(value, operation, name, value_of)
    return operands, static


def _too_many(callee: Callee, taken: int) -> VjpError:
    return fail(
        "too-many-arguments",
        f"{callee.name} takes at most {taken} argument{'s' * (taken != 1)}",
    )


def _fixed_operands(operation: Operation, arguments: list[Any]) -> tuple[list[Any], list[Any]]:
    """Leading arguments as operands, the others left over."""
    operands: list[Any] = []
    rest = list(arguments)
    limit = len(operation.operand_names)
    required = limit - operation.optional_operands
    while rest and len(operands) < limit and not isinstance(rest[0], str):
        beyond_required = len(operands) >= required
        plain_integer = isinstance(rest[0], int | tuple) and not isinstance(rest[0], bool)
        if beyond_required and operation.integer_is_static and plain_integer:
            break
        name = operation.operand_names[len(operands)]
        operands.append(_operand_of(operation, name, rest.pop(0)))
    return operands, rest


def _variadic_operands(arguments: list[Any], *, takes_static: bool) -> tuple[list[Any], list[Any]]:
    """`concatenate([a, b], 0)` and `einsum("ij,j->i", W, x)`: any number of operands."""
    several_lists = len(arguments) > 1 and isinstance(arguments[1], Node | Complex | list | tuple)
    if arguments and isinstance(arguments[0], list | tuple) and not several_lists:
        return [operand(item) for item in arguments[0]], arguments[1:]
    kinds = Node | Complex | complex | list | tuple | float | (float if takes_static else int)
    count = next(
        (i for i, value in enumerate(arguments) if not isinstance(value, kinds)), len(arguments)
    )
    if count == 0 and arguments and isinstance(arguments[0], int):
        count = len(arguments)
    return [operand(value) for value in arguments[:count]], arguments[count:]


def _operand_of(operation: Operation, name: str, value: Any) -> Any:
    """The operand `name`; a list of arrays stays one where it may."""
    if isinstance(value, list | tuple):
        if name in operation.lists:
            return [operand(item) for item in value]
        if name in operation.nested_lists:
            return _nested_operands(value)
    return operand(value)


def _nested_operands(value: Any) -> list[Any]:
    """Lists in lists of operands, without recursion: their depth is the user's."""
    whole: list[Any] = []
    pending: list[tuple[list[Any], Any]] = [(whole, value)]
    while pending:
        into, items = pending.pop()
        for item in items:
            if isinstance(item, list | tuple) and not isinstance(item, Results):
                inner: list[Any] = []
                into.append(inner)
                pending.append((inner, item))
            else:
                into.append(operand(item))
    return whole


def operand(value: Any) -> Any:
    """An argument as an operand: lists with nodes are stacked, numbers become constants."""
    if value is None or isinstance(value, Node | Complex):
        return value
    if isinstance(value, Results) and not value.are_parts:
        return value.default
    if isinstance(value, list | tuple):
        numbers = constant_array(value)
        if numbers is not None:
            return as_node(numbers)
        nodes = [operand(item) for item in value]
        if None in nodes:
            raise fail("not-a-number", "a number or an array is needed in [...], not None")
        if not nodes:
            return as_node(np.zeros(0))
        if len({node.shape for node in nodes}) > 1:
            shapes = " and ".join(str(node.shape) for node in nodes[:2])
            raise fail("ragged-rows", f"the entries of [...] have different shapes: {shapes}")
        stacked: Node = OPERATIONS["stack"](*nodes, axis=0)
        return stacked
    if isinstance(value, bool | int | float | complex):
        return as_node(value)
    raise fail("not-a-number", "a number or an array is needed here")


def constant_array(items: Any) -> np.ndarray[Any, Any] | None:
    """Nested lists of plain numbers as an array; None when a node or a ragged row is inside."""
    pending = [items]
    while pending:
        item = pending.pop()
        if isinstance(item, list | tuple):
            pending.extend(item)
        elif not isinstance(item, bool | int | float):
            return None
    try:
        array = np.array(items)
    except ValueError:
        return None
    return array if array.dtype == np.bool_ else array.astype(np.float64)


def _bind_keyword(
    callee: Callee,
    operation: Operation,
    written: str,
    value: Any,
    span: Span,
    operands: list[Any],
    static: dict[str, Any],
    source: Source,
    value_of: ValueOf,
) -> None:
    static_names = operation.written_static
    name = operation.keyword_aliases.get(written, written)
    if name not in static_names and name not in operation.operand_names:
        name = KEYWORD_ALIASES.get(written, written)
    if name in static_names:
        if name in static:
            raise fail(
                "argument-twice",
                f"{operation.name} got `{name}` twice",
                source=source,
                span=span,
            )
        static[name] = _plain(value, operation, name, value_of)
        return
    position = _operand_position(operation, name)
    if position is not None:
        while len(operands) <= position:
            operands.append(None)
        if operands[position] is not None:
            raise fail(
                "argument-twice", f"{operation.name} got `{name}` twice", source=source, span=span
            )
        operands[position] = _operand_of(operation, operation.operand_names[position], value)
        return
    if written in WITHOUT_EFFECT:
        return
    known = [*operation.operand_names, *static_names]
    spellings = [alias for alias, target in KEYWORD_ALIASES.items() if target in known]
    guess = did_you_mean(written, [*known, *spellings])
    fix = None
    if guess:
        text = source.text
        fix = Fix(text=text[: span.start] + guess + text[span.end :], replaces=text)
    bound = dict(callee.bound)
    listed = ", ".join(one for one in static_names if one not in bound) or "none"
    raise fail(
        "unknown-keyword",
        f"{callee.name} has no keyword `{written}`",
        source=source,
        span=span,
        label=f"did you mean {guess}?" if guess else "",
        notes=(f"its keywords: {listed}",),
        fix=fix,
    )


def _operand_position(operation: Operation, name: str) -> int | None:
    names = operation.operand_names
    if name in names:
        return names.index(name)
    if name in FIRST_OPERAND_NAMES and names:
        return 0
    if name in SECOND_OPERAND_NAMES and len(names) > 1:
        return 1
    return None


def _plain(value: Any, operation: Operation, name: str, value_of: ValueOf) -> Any:
    """A static argument as plain Python: numbers, text, None, and nested tuples of them."""
    if isinstance(value, Results) and not value.are_parts:
        value = value.default
    if isinstance(value, list | tuple):
        return tuple(_plain(item, operation, name, value_of) for item in value)
    if isinstance(value, Node):
        if name in operation.decided:
            return value_of(value)
        if any(node.operation is leaf for node in ancestors([value])):
            raise fail(
                "static-not-plain",
                f"`{name}` of {operation.name} must be a plain value: no gradient reaches it",
                notes=("it cannot depend on an input",),
            )
        return _plain_numbers(value_of(value))
    if isinstance(value, Callee) and name in operation.functions:
        return value.operation
    if isinstance(value, str) and value.partition(".")[0] in LIBRARY_ROOTS:
        return value
    if value is None or isinstance(value, bool | int | float | str | slice):
        return value
    raise fail("static-not-plain", f"`{name}` of {operation.name} must be a plain value")


def _plain_numbers(array: np.ndarray[Any, Any]) -> Any:
    """An array as nested tuples; whole where all of it is, so that it can be a shape."""
    real = array.dtype != np.bool_
    if real and np.all(np.abs(array) < 2**53) and np.all(array == np.floor(array)):
        array = array.astype(np.int64)
    plain = array.tolist()
    return _as_tuples(plain) if array.ndim else plain


def _as_tuples(nested: list[Any]) -> tuple[Any, ...]:
    # Nested no deeper than an array has axes.
    return tuple(_as_tuples(item) if isinstance(item, list) else item for item in nested)


def _require(
    callee: Callee, operation: Operation, operands: list[Any], static: dict[str, Any]
) -> None:
    """Refuses a call that leaves out what has no default.

    Errors: missing-argument.
    """
    required = len(operation.operand_names) - operation.optional_operands
    if operation.variadic:
        required = 1
    given = operands[:required]
    missing = [
        name
        for i, name in enumerate(operation.operand_names[:required])
        if i >= len(given) or given[i] is None
    ]
    missing += [
        name
        for name, default in operation.static_defaults.items()
        if default is REQUIRED and name not in static
    ]
    if missing:
        raise fail("missing-argument", f"{callee.name} needs `{missing[0]}`")
