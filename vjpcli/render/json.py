"""An Explanation or a Diagnostic as JSON, schema "vjp/1" (docs/vjp-1.schema.json).

JSON has no nan: numbers that are not finite are the strings "NaN", "Infinity", "-Infinity".
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from vjpcli.errors import Diagnostic
from vjpcli.explanation.model import Array, Check, Edge, Explanation, LeafReport, Seed, Step
from vjpcli.render.numbers import shortest_as_float64

SCHEMA = "vjp/1"

JsonObject = dict[str, Any]


def explanation_document(explanation: Explanation) -> JsonObject:
    """The Explanation as a document of lists, numbers and strings, keys in the schema's order.

    Every array keeps its shape. `jacobian` is that of the last output, with null where it is
    too large to keep. Where there are several outputs, `outputs` and `jacobians` hold all of
    them; where there is not exactly one seed, `seed` is null and `passes` holds them.
    """
    output = explanation.output
    repeats = _repeated_entries(explanation) <= explanation.largest_table
    document: JsonObject = {
        "schema": SCHEMA,
        "expression": explanation.expression,
        "dtype": explanation.dtype,
        "inputs": {name: numbers(value.value) for name, value in explanation.inputs.items()},
        "output": _valued(output.name, output.value),
        "seed": None if explanation.seed is None else _seed(explanation.seed, explanation),
        "jacobian": _tables(explanation.jacobian.get(output.name, {})),
        "gradients": {name: numbers(g) for name, g in explanation.gradients.items()},
        "leaves": {
            name: _leaf(explanation, name, value.value)
            for name, value in explanation.inputs.items()
            if value.is_leaf
        },
        "steps": [_step(step, with_arrays=repeats) for step in explanation.steps],
        "check": _check(explanation.check),
        "diagnostics": [diagnostic_document(d) for d in explanation.diagnostics],
        "sentences": list(explanation.sentences),
        "stand_ins": list(explanation.stand_ins),
        "loss": explanation.loss,
        "node_count": explanation.node_count,
        "edges": [_edge(edge, with_arrays=repeats) for edge in explanation.edges],
    }
    # `output` and `seed` say it all in the usual case, and a million numbers twice are too many
    if explanation.seed is None and explanation.passes:
        document["passes"] = [
            [{"output": seed.output, **_seed(seed, explanation)} for seed in one_pass]
            for one_pass in explanation.passes
        ]
    if len(explanation.outputs) > 1:
        document["outputs"] = [_valued(one.name, one.value) for one in explanation.outputs]
        document["jacobians"] = {
            name: _tables(table) for name, table in explanation.jacobian.items()
        }
    return document


def render_json(explanation: Explanation) -> str:
    """`explanation_document` as text: one line for each of its keys, ASCII only."""
    return dump(explanation_document(explanation))


def render_product(
    expression: str, dtype: str, output: str, directions: Mapping[str, Array], product: Array
) -> str:
    """J . v as a document: the `tangent` of the output beside the `directions` of the leaves."""
    return dump(
        {
            "schema": SCHEMA,
            "expression": expression,
            "dtype": dtype,
            "directions": {name: numbers(array) for name, array in directions.items()},
            "output": {"name": output, "shape": list(product.shape)},
            "tangent": numbers(product),
        }
    )


def render_hessian(
    expression: str,
    dtype: str,
    blocks: Mapping[str, Mapping[str, Array]],
    diagnostics: Iterable[Diagnostic] = (),
) -> str:
    """Second derivatives as a document: `hessian` holds a block for each pair of leaves."""
    hessian = {
        row: {column: numbers(block) for column, block in line.items()}
        for row, line in blocks.items()
    }
    return dump(
        {
            "schema": SCHEMA,
            "expression": expression,
            "dtype": dtype,
            "hessian": hessian,
            "diagnostics": [diagnostic_document(one) for one in diagnostics],
        }
    )


def diagnostic_document(diagnostic: Diagnostic, corrected_command: str | None = None) -> JsonObject:
    """The Diagnostic as a document; `fix` is the corrected command where it is known."""
    source = diagnostic.source
    span = diagnostic.labels[0].span if diagnostic.labels else None
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "leaf": diagnostic.leaf,
        "index": None if diagnostic.index is None else [int(i) for i in diagnostic.index],
        "span": None if span is None else [span.start, span.end],
        "fix": corrected_command or _fix_text(diagnostic),
        "notes": list(diagnostic.notes),
        "source": None if source is None else {"origin": source.origin, "text": source.text},
        "labels": [
            {"span": [label.span.start, label.span.end], "text": label.text}
            for label in diagnostic.labels
        ],
        "numbers": {name: plain(value) for name, value in diagnostic.numbers},
    }


def _fix_text(diagnostic: Diagnostic) -> str | None:
    if diagnostic.fix is None:
        return None
    from vjpcli.render.diagnostic import fix_text  # noqa: PLC0415  (only where there is a fix)

    return fix_text(diagnostic)


def error_document(diagnostic: Diagnostic, corrected_command: str | None = None) -> JsonObject:
    """What `--json` writes to stderr when nothing could be computed."""
    return {"schema": SCHEMA, "error": diagnostic_document(diagnostic, corrected_command)}


def render_error_json(diagnostic: Diagnostic, corrected_command: str | None = None) -> str:
    """`error_document` as text on a single line."""
    return json.dumps(error_document(diagnostic, corrected_command), allow_nan=False)


def dump(document: Mapping[str, Any]) -> str:
    """A document as text, a line for each key; an array of numbers is not worth a line each."""
    lines = [
        f"  {json.dumps(key)}: {json.dumps(value, allow_nan=False)}"
        for key, value in document.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}"


def numbers(array: Array) -> Any:
    """Nested lists in the array's shape, a bare number for a scalar.

    Shortest round trip also for float32. Booleans stay booleans.
    """
    array = np.asarray(array)
    if array.dtype == np.bool_:
        return array.tolist()
    finite = np.isfinite(array)
    wide = shortest_as_float64(array)
    if finite.all():
        return wide.tolist()
    mixed = wide.astype(object)
    mixed[np.isnan(wide)] = "NaN"
    mixed[np.isposinf(wide)] = "Infinity"
    mixed[np.isneginf(wide)] = "-Infinity"
    return mixed.tolist() if mixed.shape else mixed.item()


def plain(value: Any) -> Any:
    """A single fact as JSON can hold it."""
    if isinstance(value, np.ndarray | np.generic):
        return numbers(np.asarray(value)) if np.asarray(value).dtype.kind in "fiub" else str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return str(value)


def _valued(name: str, value: Array) -> JsonObject:
    return {"name": name, "shape": list(value.shape), "value": numbers(value)}


def _seed(seed: Seed, explanation: Explanation) -> JsonObject:
    value = seed.value
    output = next((o for o in explanation.outputs if o.name == seed.output), explanation.output)
    return {
        "shape": list(output.value.shape if value is None else value.shape),
        "value": None if value is None else numbers(value),
        "origin": seed.origin,
        "text": seed.text,
    }


def _tables(tables: Mapping[str, Array | None]) -> JsonObject:
    return {name: None if table is None else numbers(table) for name, table in tables.items()}


def _leaf(explanation: Explanation, name: str, value: Array) -> JsonObject:
    report = explanation.leaves.get(name) or LeafReport()
    return {
        "shape": list(value.shape),
        "origin": explanation.inputs[name].origin,
        "structure": report.structure,
        "formula": report.formula,
        "used": report.used,
        "finite": report.finite,
        "matrix_formula": report.matrix_formula,
        "summed_axes": list(report.summed_axes),
    }


def _repeated_entries(explanation: Explanation) -> int:
    """Numbers in the steps and edges, which hold every array of the graph several times over."""
    steps = sum(
        step.value.size * (1 + (step.adjoint is not None) + len(step.contributions))
        for step in explanation.steps
    )
    return steps + sum(edge.sent.size for edge in explanation.edges if edge.sent is not None)


def _step(step: Step, *, with_arrays: bool) -> JsonObject:
    adjoint = step.adjoint if with_arrays else None
    return {
        "name": step.name,
        "text": step.text,
        "operation": step.operation,
        "shape": list(step.value.shape),
        "value": numbers(step.value) if with_arrays else None,
        "adjoint": None if adjoint is None else numbers(adjoint),
        "how": step.how,
        "uses": list(step.uses),
        "operands": list(step.operands),
        "local_rule": step.local_rule,
        "span": None if step.span is None else list(step.span),
        "contributions": [numbers(part) for part in step.contributions] if with_arrays else None,
        "saves": list(step.saves),
    }


def _edge(edge: Edge, *, with_arrays: bool) -> JsonObject:
    sent = edge.sent if with_arrays else None
    return {
        "source": edge.source,
        "target": edge.target,
        "how": edge.how,
        "sent": None if sent is None else numbers(sent),
    }


def _check(check: Check | None) -> JsonObject | None:
    if check is None:
        return None
    return {
        "agrees": check.agrees,
        "method": check.method,
        "worst_relative_error": plain(check.worst_relative_error),
        "evaluations": check.evaluations,
        "reason": check.reason,
        "worst_leaf": check.worst_leaf,
        "worst_index": None if check.worst_index is None else [int(i) for i in check.worst_index],
        "expected": plain(check.expected),
        "got": plain(check.got),
    }
