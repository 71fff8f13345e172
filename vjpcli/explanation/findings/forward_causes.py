"""Why a forward value is nan or infinite: the kinds of cause, by operation and operands."""

from __future__ import annotations

import numpy as np

from vjpcli.explanation.evidence import Evidence
from vjpcli.explanation.findings.blame import Place
from vjpcli.explanation.findings.cause import Cause
from vjpcli.explanation.findings.entries import Array, not_finite
from vjpcli.explanation.findings.forward_blame import ForwardBlame
from vjpcli.explanation.findings.operands import call_with, operand_values, share_a_leaf
from vjpcli.explanation.findings.trails import few, forward_stop
from vjpcli.explanation.findings.wording import (
    factor,
    listed,
    number,
    place_name,
)
from vjpcli.graph.node import Node
from vjpcli.graph.operation import constant, leaf

LOGARITHM_EDGE = {"log": 0.0, "log2": 0.0, "log10": 0.0, "log1p": -1.0}
"""Logarithms -> where their value is -inf."""

POLES_BELOW = {"gamma", "lgamma", "digamma", "polygamma"}
"""Functions with poles at 0, -1, -2, ..."""

QUOTIENTS = {"divide", "reciprocal", "remainder", "fmod", "floor_divide", "rsqrt"}

GROWING = {
    "add", "subtract", "multiply", "square", "power", "exp", "exp2", "expm1", "sinh", "cosh",
    "sum", "prod", "cumsum", "cumprod", "matmul", "gamma", "lgamma", "mean", "var", "std",
}  # fmt: skip
"""Operations whose finite operands give an infinity by growing too large."""

SPREADS = {"std", "var"}
INVERSES = {
    "inv", "solve", "solve_triangular", "cholesky", "logdet", "logabsdet", "det", "lstsq",
    "matrix_power", "pinv", "lu_without_pivots", "qr_basis", "qr_triangle",
}  # fmt: skip
"""Operations that fail where a matrix is singular."""

NEEDS_OF_MATRIX = {
    "logdet": "has a negative determinant",
    "cholesky": "is not positive definite",
}
"""Operations that fail at matrices which are not singular, and in what they fail."""

SINGULAR = 1e-12
"""An eigenvalue is as good as 0 below this share of the largest."""

SOFTMAX_LIKE = {"softmax", "log_softmax", "logsumexp"}

INFINITIES_IN = {
    **dict.fromkeys(SOFTMAX_LIKE, ("softmax-of-infinities", "of infinities is undefined")),
    **dict.fromkeys(("sum", "mean", "cumsum"), ("inf-minus-inf", "adds ∞ and -∞")),
    **dict.fromkeys(
        ("matmul", "prod", "cumprod"),
        ("zero-times-inf", "multiplies 0 by ∞, or adds ∞ and -∞"),
    ),
}
"""Operations that mix entries -> code and words for nan made of infinities."""

LARGE = 80.0
"""Size of an operand from which an infinity is put down to growth: float32 holds exp(80)."""

LARGE_ENTRY = 1e18
"""The same for operations that mix entries: squares of it leave float32."""


def forward_cause(evidence: Evidence, blame: ForwardBlame) -> Cause:
    """What made the value at `blame.first` nan or infinite, and what made nan of it."""
    first = blame.first
    code, reason = _kind(evidence, first)
    root = (first.node, code)
    rows = [forward_stop(evidence, first, reason.split(", float")[0])]
    also: list[tuple[Node, str]] = []
    culprit, label = first.node, _label(evidence, first)
    if blame.nan is not None:
        nan_code, nan_reason = _kind(evidence, blame.nan)
        rows += few([forward_stop(evidence, place, "") for place in blame.between])
        rows.append(forward_stop(evidence, blame.nan, nan_reason))
        if first.node.operation in (leaf, constant) or code == "overflow":
            also.append((blame.nan.node, f"the nan is made here: {nan_reason}"))
        else:
            also.append((culprit, f"the first {number(first.value(evidence))}: {reason}"))
            culprit, label = blame.nan.node, "the nan is made here"
            code, reason = nan_code, f"{nan_reason}; {reason}"
    operands = operand_values(evidence, first)
    numbers: list[tuple[str, object]] = [("value", first.value(evidence))]
    if operands:
        numbers.insert(0, ("operand", operands[0] if len(operands) == 1 else operands))
    return Cause(
        code=code,
        reason=reason,
        culprit=culprit,
        label=label,
        also=tuple(also),
        forward=tuple(rows),
        numbers=tuple(numbers),
        root=root,
        notes=_notes(evidence, first),
    )


def _label(evidence: Evidence, place: Place) -> str:
    value = place.value(evidence)
    if place.node.operation in (leaf, constant):
        name = place_name(evidence, place.node, place.entry)
        return f"{'a constant here' if '(' in name else name} is {number(value)}"
    return f"the first {number(value)} is made here"


def _kind(evidence: Evidence, place: Place) -> tuple[str, str]:
    """The code and the reason in words."""
    node, value = place.node, place.value(evidence)
    if node.operation in (leaf, constant):
        kind = "nan" if np.isnan(value) else "inf"
        name = place_name(evidence, node, place.entry)
        what = "the input"
        if node.operation is constant:
            what = "a constant in" if "(" in name else "the constant"
        return f"{kind}-in-input", f"{what} {name} is {number(value)}"
    operands = operand_values(evidence, place)
    if operands:
        return _entrywise_kind(evidence, place, operands)
    return _mixing_kind(evidence, place)


def _entrywise_kind(
    evidence: Evidence, place: Place, operands: tuple[float, ...]
) -> tuple[str, str]:
    written = call_with(evidence, place.node, operands)
    kind = _at_a_pole(place, operands, place.value(evidence), written)
    if kind is None and not all(np.isfinite(operands)):
        kind = _of_infinities(place.node, operands, written)
    if kind is not None:
        return kind
    if np.isnan(place.value(evidence)):
        return "outside-domain", f"{written} is not a real number"
    if place.node.operation.name in GROWING or max(abs(one) for one in operands) > LARGE:
        return "overflow", _overflow_words(evidence, written)
    return "edge-of-domain", f"{written} is {number(place.value(evidence))}"


def _at_a_pole(
    place: Place, operands: tuple[float, ...], value: float, written: str
) -> tuple[str, str] | None:
    """The logarithm of 0, and divisions by 0."""
    name = place.node.operation.name
    if name in LOGARITHM_EDGE and operands[0] == LOGARITHM_EDGE[name]:
        return "log-of-zero", f"{written} is -∞"
    if name in QUOTIENTS and operands[-1] == 0:
        if len(operands) == 2 and operands[0] == 0:
            return "zero-over-zero", "0/0 is not a number"
        return "division-by-zero", f"{written} is {number(value)}"
    if name == "power" and operands[0] == 0 and operands[1] < 0:
        return "division-by-zero", f"{written} is {number(value)}"
    if name in POLES_BELOW and operands[0] <= 0:
        return "edge-of-domain", f"{written} is {number(value)}: a pole"
    return None


def _of_infinities(node: Node, operands: tuple[float, ...], written: str) -> tuple[str, str] | None:
    """Nan made of infinities by arithmetic."""
    name = node.operation.name
    if name == "multiply":
        product = f"{factor(operands[0])} × {factor(operands[1])}"
        if _is_mask(node):
            return "nan-masking", f"masking by multiplication does not work, {product} is nan"
        return "zero-times-inf", f"{product} is not a number"
    codes = {"add": "inf-minus-inf", "subtract": "inf-minus-inf", "divide": "inf-over-inf"}
    return codes.get(name, "nan-of-infinities"), f"{written} is not a number"


def _overflow_words(evidence: Evidence, written: str) -> str:
    dtype = evidence.problem.settings.dtype
    largest = f"{np.finfo(dtype).max:.2g}"
    return f"{written} overflows, {dtype} holds numbers up to {largest}"


def _is_mask(node: Node) -> bool:
    """Whether the zero and the infinity in a product come from different inputs."""
    return not share_a_leaf(*node.operands)


def _mixing_kind(evidence: Evidence, place: Place) -> tuple[str, str]:
    node, value = place.node, place.value(evidence)
    name, text = node.operation.name, evidence.text_of(node)
    arrays = [evidence.values[operand] for operand in node.operands if operand.kind == "real"]
    if any(array.size == 0 for array in arrays):
        return "empty-reduction-nan", f"{text} reduces an empty array"
    if any(not_finite(array).any() for array in arrays):
        code, words = INFINITIES_IN.get(name, ("nan-of-infinities", "makes nan of infinities"))
        return code, f"{text} {words}"
    if name in INVERSES:
        return _of_matrix(evidence, node, value, text)
    if np.isnan(value) and name in SPREADS:
        return "one-element-std", _spread_words(node, arrays[0].size // max(1, node.size))
    return _unexplained(evidence, node, value, arrays)


def _of_matrix(evidence: Evidence, node: Node, value: float, text: str) -> tuple[str, str]:
    """A matrix that is singular, or that has none of what was asked for."""
    if np.isnan(value) and node.operation.name in NEEDS_OF_MATRIX:
        matrix = evidence.values[node.operands[0]]
        with np.errstate(all="ignore"):
            if node.operation.name == "logdet":
                fails = bool(np.any(np.linalg.det(matrix) < 0))
            else:
                least, largest = np.linalg.eigvalsh(matrix)[..., [0, -1]].T
                fails = bool(np.any(least < -SINGULAR * np.abs(largest)))
        if fails:
            return "outside-domain", f"the matrix of {text} {NEEDS_OF_MATRIX[node.operation.name]}"
    return "singular-matrix", f"the matrix of {text} is singular"


def _unexplained(
    evidence: Evidence, node: Node, value: float, arrays: list[Array]
) -> tuple[str, str]:
    """Nan or infinity of finite operands, in an operation of which nothing more is known."""
    name, text = node.operation.name, evidence.text_of(node)
    if np.isnan(value) and name in GROWING:
        return "overflow", f"on its way {_overflow_words(evidence, text)}"
    if np.isnan(value):
        return "outside-domain", f"{text} is not a number here"
    if name in GROWING or max(float(np.max(np.abs(a), initial=0)) for a in arrays) > LARGE_ENTRY:
        return "overflow", _overflow_words(evidence, text)
    return "edge-of-domain", f"{text} is {number(value)} here"


def _spread_words(node: Node, count: int) -> str:
    ddof = node.static.get("ddof", 1)
    elements = "1 element" if count == 1 else f"{count} elements"
    left = number(max(count - ddof, 0))
    name = node.operation.name
    return f"{name} of {elements} with ddof={number(ddof)} divides by {count} - {ddof} = {left}"


def _notes(evidence: Evidence, place: Place) -> tuple[str, ...]:
    """For an input with nan or infinity: how many entries, and in which rows."""
    if place.node.operation is not leaf:
        return ()
    values = evidence.values[place.node]
    nan = np.isnan(place.value(evidence))
    bad = np.isnan(values) if nan else np.isinf(values)
    count = int(np.count_nonzero(bad))
    if values.ndim == 0 or count < 2:
        return ()
    name, kind = place.node.static["name"], "nan" if nan else "infinite"
    where = ""
    if values.ndim > 1:
        rows = [int(i) for i in np.flatnonzero(bad.reshape(len(values), -1).any(axis=1))[:7]]
        which = listed([str(row) for row in rows[:6]])
        where = f", in row{'s' if len(rows) > 1 else ''} {which}"
        where += " and more" if len(rows) > 6 else ""
    return (f"{count} of {values.size} entries of {name} are {kind}{where}",)
