"""The screens that are kept as golden files: what was asked, and how it was drawn.

Each is made by the real program, from an expression to the finished text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from vjpcli.api import explain
from vjpcli.explanation.model import Explanation
from vjpcli.render.text import render_explanation

QUESTION = "3*a+2*b*b+log(c)"
VECTORS = {"a": [1, 2, 3], "b": [3, 4, 5], "c": [6, 7, 8]}
MATRIX = {"W": [[1, 2, 3], [4, 5, 6]], "x": [1, 0, -1]}
LOSS = "loss = mean((w*x + b - t)**2)"
GRAPH = {"show_graph": True}
POINTS = {"w": 0.5, "b": 0, "x": [1, 2, 3], "t": [2, 4, 6]}


@dataclass(frozen=True)
class Screen:
    """A question and the options of its drawing."""

    expression: str
    values: Callable[[], dict[str, Any]] | dict[str, Any] = field(default_factory=dict)
    asked: dict[str, Any] = field(default_factory=dict)
    drawn: dict[str, Any] = field(default_factory=dict)

    def explanation(self) -> Explanation:
        values = self.values() if callable(self.values) else self.values
        made = explain(self.expression, values, **self.asked)
        check = made.check
        if check is None or check.worst_relative_error is None:
            return made
        # The last digits of an error of rounding are the machine's own; that it is one is tested.
        assert (check.agrees and check.worst_relative_error < 1e-6) or made.dtype == "float32"
        return replace(made, check=replace(check, worst_relative_error=1e-10))

    def text(self, explanation: Explanation, width: int | None, **more: Any) -> str:
        return render_explanation(explanation, width=width, **{**self.drawn, **more})


def million() -> dict[str, Any]:
    return {"x": np.arange(1_000_000) / 1_000_000}


def wide_matrix() -> dict[str, Any]:
    rows, columns = np.indices((30, 40))
    return {"A": (rows - columns) / (rows + columns + 1), "x": np.ones(40)}


SCREENS = {
    "a-elementwise": Screen(QUESTION, VECTORS, {"seed": "0.1,1,0.0001"}),
    "a-stand-ins": Screen(QUESTION, {}, {"seed": "0.1,1,0.0001"}),
    "b-one-hot": Screen("z = 2*x", {"x": [[1, 2, 3, 4]]}, {"seed": [[1, 0, 0, 0]]}),
    "c-matrix": Screen("W @ x", MATRIX, {"seed": "1,0.5"}),
    "d-loss": Screen(LOSS, POINTS, {"wrt": ["w", "b"]}),
    "e-nan": Screen("where(x > 0, sqrt(x), 0)", {"x": [0, 4]}, {"seed": "ones"}),
    "infinite-loss": Screen("mean(sqrt(x*w))", {"x": [1, 0], "w": 2}, {"wrt": ["x"]}),
    "kink": Screen("abs(x)", {"x": [0, 1]}, {"seed": "ones"}),
    "saturated": Screen("softmax(x*1000)", {"x": [1, 2]}, {"seed": "ones"}),
    "flat": Screen("floor(x)", {"x": 1.5}),
    "accumulate": Screen(QUESTION, VECTORS, {"seeds": ["0.1,1,0.0001", "ones"]}),
    "accumulate-matrix": Screen("W @ x", MATRIX, {"seeds": ["1,0.5", "row:1"]}),
    "each": Screen("W @ x", MATRIX, {"seed": "each"}),
    "loss-seed": Screen("y = x**2", {"x": [1, 2, 3]}, {"loss": "sum(y**2)"}),
    "example-seed": Screen("3*x", {"x": [1, 2, 3]}),
    "several-outputs": Screen(
        "y = a*a; z = sum(y)", {"a": [1, 2, 3]}, {"seed": {"y": "0.5,0,1", "z": "1"}}
    ),
    "unused-leaf": Screen("3*x", {"x": [1, 2], "y": [5, 6]}, {"seed": "ones"}),
    "broadcast": Screen(
        "x * w", {"x": [[1, 2, 3], [4, 5, 6]], "w": [1, 10, 100]}, {"seed": "ones"}
    ),
    "rank-3": Screen(
        "sum(x, axis=-1)", {"x": np.arange(24).reshape(2, 3, 4) / 8}, {"seed": "ones"}
    ),
    "big-matrix": Screen("A @ x", wide_matrix, {"seed": "ones"}),
    "million": Screen("3*x", million, {"seed": "ones"}),
    "float32": Screen("x/3", {"x": [1, 2, 3]}, {"seed": "ones", "dtype": "float32"}),
    "statements": Screen(
        "h = W @ x; y = tanh(h); y += 1; loss = sum(y*y)", MATRIX, {"wrt": ["W", "x"]}
    ),
    "steps": Screen(LOSS, POINTS, {"wrt": ["w", "b"]}, {"show_steps": True}),
    "steps-shared": Screen("h = 2*x; h*h + h", {"x": 3}, {}, {"show_steps": True}),
    "graph": Screen("h = a*b; y = h + a", {"a": [1, 2], "b": [3, 4]}, {"seed": "ones"}, GRAPH),
    "graph-loss": Screen(LOSS, POINTS, {"wrt": ["w", "b"]}, GRAPH),
    "full": Screen(QUESTION, VECTORS, {"seed": "ones"}, {"jacobian": "full"}),
    "compact": Screen(QUESTION, VECTORS, {"seed": "ones"}, {"jacobian": "compact"}),
    "no-formulas": Screen("W @ x", MATRIX, {"seed": "ones", "formulas": False, "check": False}),
}
