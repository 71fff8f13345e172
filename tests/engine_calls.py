"""Programs on which PyTorch, JAX and autograd disagree, and how each of them is asked.

`python tests/engine_calls.py` measures them anew where all three are installed, and writes
`measured_in_engines.jsonl`. The numbers kept there came from torch 2.13.0, jax 0.10.2 and
autograd 1.9.1; float64 on CPU. A seed of None is a scalar's 1.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np

MEASURED_FILE = Path(__file__).with_name("measured_in_engines.jsonl")
ENGINES = ("torch", "jax", "autograd")
SINGULAR = [[1.0, 3.0], [2.0, 6.0]]
COUNTING = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]

CALLS: list[tuple[str, dict[str, Any], Any]] = [
    # expression, values, seed
    ("det(A)", {"A": SINGULAR}, None),
    ("det(A)", {"A": COUNTING}, None),
    ("det(A)", {"A": [[0.1, 0.2], [0.3, 0.6]]}, None),
    ("det(A)", {"A": [[3.0, 1.0], [2.0, 5.0]]}, None),
    ("slogdet(A)", {"A": [[1.0, 2.0], [2.0, 4.0]]}, None),
    ("abs(x)", {"x": 0.0}, None),
    ("abs(x)", {"x": nan}, None),
    ("clip(x, 0, 1)", {"x": [0.0, 1.0]}, [1, 1]),
    ("clip(x, 0, 1)", {"x": nan}, None),
    ("relu(x)", {"x": 0.0}, None),
    ("relu(x)", {"x": nan}, None),
    ("maximum(x, 0)", {"x": 0.0}, None),
    ("maximum(x, y)", {"x": nan, "y": 2.0}, None),
    ("maximum(x, x)", {"x": 2.0}, None),
    ("hardtanh(x)", {"x": [-1.0, 1.0]}, [1, 1]),
    ("leaky_relu(x, 0.1)", {"x": 0.0}, None),
    ("max(x, axis=1)", {"x": [[3.0, 3.0, 1.0]]}, [1]),
    ("max(x)", {"x": [3.0, 3.0, 1.0]}, None),
    ("amax(x, axis=1)", {"x": [[3.0, 3.0, 1.0]]}, [1]),
    ("max(x)", {"x": [nan, 1.0]}, None),
    ("cummax(x)", {"x": [1.0, 3.0, 3.0, 2.0]}, [1, 10, 100, 1000]),
    ("norm(x)", {"x": [0.0, 0.0, 0.0]}, None),
    ("norm(x)**2", {"x": [0.0, 0.0]}, None),
    ("norm(A)", {"A": [[0.0, 0.0], [0.0, 0.0]]}, None),
    ("norm(x)", {"x": [1e-200, 1e-200]}, None),
    ("norm(x, 1)", {"x": [0.0, -2.0, 3.0]}, None),
    ("sqrt(sum(x*x))", {"x": [0.0, 0.0]}, None),
    ("hypot(x, y)", {"x": 0.0, "y": 0.0}, None),
    ("std(x, ddof=1)", {"x": [2.0, 2.0, 2.0]}, None),
    ("std(x, ddof=0)", {"x": [4.0]}, None),
    ("std(x, ddof=1)", {"x": [4.0]}, None),
    ("arctan2(y, x)", {"y": 0.0, "x": 0.0}, None),
    ("arccos(clip(x, -1, 1))", {"x": [1.0, 2.0]}, [1, 1]),
    ("sqrt(maximum(x, 0))", {"x": [-1.0, 4.0]}, [1, 1]),
    ("a**b", {"a": 0.0, "b": 0.0}, None),
    ("x**y", {"x": 0.0, "y": -1.0}, None),
    ("a**b", {"a": [0.0, 3.0], "b": [2.0, 2.0]}, [1, 1]),
    ("xlogy(x, y)", {"x": 0.0, "y": 0.0}, None),
    ("logaddexp(x, y)", {"x": inf, "y": 1.0}, None),
    ("prod(x)", {"x": [3.0, 0.0, 5.0]}, None),
    ("prod(x)", {"x": [3.0, 2.0, 5.0]}, None),
    ("sinc(x)", {"x": 0.0}, None),
    ("sinc(x)", {"x": 0.5}, None),
    ("eigvalsh(A)[0]", {"A": [[2.0, 1.0], [1.0, 3.0]]}, None),
    ("einsum('i,i->', x, y)", {"x": [1.0, 2.0], "y": [3.0]}, None),
    ("einsum('ij,j->i', W, y)", {"W": [[1.0, 2.0], [3.0, 4.0]], "y": [3.0, 1.0]}, [1, 1]),
    ("broadcast_to(x, (2, 3))", {"x": [1.0, 2.0, 3.0]}, [[1, 1, 1], [1, 1, 1]]),
    ("broadcast_to(x, (2, 3))", {"x": [[1.0, 2.0, 3.0]]}, [[1, 1, 1], [1, 1, 1]]),
    ("softmax(x)[0]", {"x": [40.0, 0.0, -5.0]}, None),
    ("softmax(x)[0]", {"x": [2.0, 0.0, -1.0]}, None),
    ("log_softmax(x)[0]", {"x": [40.0, 0.0, -5.0]}, None),
    ("sum(softmax(x))", {"x": [40.0, 0.0, -5.0]}, None),
    ("where(x > 1, log(x - 1), 2*x)", {"x": 1.0}, None),
    ("sqrt(x)", {"x": [0.0, 4.0]}, [0, 1]),
    ("logsumexp(x)", {"x": [-inf, -inf]}, None),
    ("log(x)", {"x": -1.0}, None),
    ("1/(1 + exp(-x))", {"x": -800.0}, None),
    ("a/maximum(sum(abs(a)), 1e-12)", {"a": [0.0, 0.0, 0.25]}, [1, 1, 1]),
]


# What the adapters of `vjp check` have no words for, asked in the engine's own.


def _eigenvalue(engine: Any, a: Any) -> Any:
    return engine.linalg.eigh(a)[0][0]


def _einsum(engine: Any, *operands: Any, subscripts: str = "i,i->") -> Any:
    return engine.sum(engine.einsum(subscripts, *operands))


def _matrix_einsum(engine: Any, *operands: Any) -> Any:
    return _einsum(engine, *operands, subscripts="ij,j->i")


def _logabsdet(engine: Any, a: Any) -> Any:
    return engine.linalg.slogdet(a)[1]


BY_HAND: dict[tuple[str, str], Callable[..., Any]] = {
    ("eigvalsh(A)[0]", "autograd"): _eigenvalue,
    ("slogdet(A)", "autograd"): _logabsdet,
    **{("einsum('i,i->', x, y)", engine): _einsum for engine in ENGINES},
    **{("einsum('ij,j->i', W, y)", engine): _matrix_einsum for engine in ENGINES},
}


def measured(expression: str, values: dict[str, Any], seed: Any, engine: str) -> Any:
    """The gradients by leaf; {"error": text} where it fails; None where it has no such function."""
    arrays = {name: np.asarray(value, np.float64) for name, value in values.items()}
    try:
        if (expression, engine) in BY_HAND:
            found = _by_hand(BY_HAND[expression, engine], list(arrays.values()), engine)
            return dict(zip(arrays, found, strict=True))
        return _by_adapter(expression, arrays, seed, engine)
    except Exception as error:  # measured is whatever the engine does
        text = str(error)
        if "no function" in text or "not defined" in text or "not implemented" in text:
            return None
        return {"error": text.partition(": ")[2] or text}


def _by_adapter(expression: str, arrays: dict[str, Any], seed: Any, engine: str) -> Any:
    from vjpcli.engine.foreign import foreign_gradients
    from vjpcli.graph.trace import trace
    from vjpcli.parser.expression import parse

    program = parse(expression)
    name = trace(program, arrays).output_name
    seeds = {name: np.asarray(1.0 if seed is None else seed, np.float64)}
    return foreign_gradients(engine, program, arrays, tuple(arrays), seeds, name).gradients


def _by_hand(function: Callable[..., Any], arrays: list[Any], engine: str) -> list[Any]:
    positions = list(range(len(arrays)))
    if engine == "torch":
        import torch

        tensors = [torch.tensor(one, requires_grad=True) for one in arrays]
        return [one.numpy() for one in torch.autograd.grad(function(torch, *tensors), tensors)]
    if engine == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
        return list(jax.grad(lambda *x: function(jax.numpy, *x), positions)(*arrays))
    import autograd

    return [
        autograd.grad(lambda *x: function(autograd.numpy, *x), position)(*arrays)
        for position in positions
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if value is None or isinstance(value, list):
        return value if value is None else [_plain(one) for one in value]
    if hasattr(value, "tolist"):
        return _plain(np.asarray(value).tolist())
    return value if np.isfinite(value) else str(float(value))


def main() -> None:
    """Measures all and writes the file."""
    import warnings

    import vjpcli.ops  # noqa: F401  (declares the operations)

    warnings.simplefilter("ignore")
    lines = []
    for expression, values, seed in CALLS:
        row = {"expression": expression, "values": values, "seed": seed}
        row |= {engine: measured(expression, values, seed, engine) for engine in ENGINES}
        lines.append(json.dumps(_plain(row)))
    MEASURED_FILE.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
