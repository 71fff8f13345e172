"""Calls as users of NumPy, SciPy and jax.numpy write them, against numbers that those gave.

The numbers are kept, so that keywords, the order of arguments and conventions are held where
SciPy and JAX are not installed. `array_calls.txt` lists the calls; with both libraries,
`pytest tests/test_measured_arrays.py --rewrite` measures them anew. A gradient comes from JAX
where the call is JAX's, else from differences of the library's own values.
"""

from __future__ import annotations

import ast
import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from array_values import VALUES, names_in
from torch_calls import seed_for

from vjpcli import explain

CALLS_FILE = Path(__file__).with_name("array_calls.txt")
MEASURED_FILE = Path(__file__).with_name("measured_arrays.jsonl")
CALLS = CALLS_FILE.read_text("utf-8").splitlines()
ROWS = [json.loads(line) for line in MEASURED_FILE.read_text("utf-8").splitlines()]


def arrays_of(text: str) -> dict[str, Any]:
    return {name: np.asarray(VALUES[name], dtype=np.float64) for name in names_in(text)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["call"])
def test_call_gives_the_numbers_of_its_library(row):
    value = np.asarray(row["value"], dtype=np.float64)
    ours = explain(
        row["call"],
        arrays_of(row["call"]),
        seed=seed_for(value.shape),
        jacobian=False,
        formulas=False,
        check=False,
    )
    assert np.shape(ours.output.value) == value.shape
    np.testing.assert_allclose(ours.output.value, value, rtol=1e-9, atol=1e-11)
    for name, gradient in row["gradients"].items():
        np.testing.assert_allclose(
            np.asarray(ours.gradients[name], dtype=np.float64), gradient, rtol=1e-6, atol=1e-8
        )


def test_every_call_was_measured():
    assert [row["call"] for row in ROWS] == CALLS


@pytest.mark.filterwarnings("ignore")
def test_measured_numbers_are_those_of_these_libraries(rewrite):
    if not rewrite:
        pytest.skip("it measures anew with --rewrite")
    rows = [measured(text) for text in CALLS]
    MEASURED_FILE.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


def measured(text: str) -> dict[str, Any]:
    """What Python itself makes of the text, with the real libraries."""
    arrays = arrays_of(text)
    by_jax = any(word in text for word in ("jnp.", "jax.", "lax."))
    value, gradients = in_jax(text, arrays) if by_jax else in_numpy(text, arrays)
    return {
        "call": text,
        "value": np.asarray(value, dtype=np.float64).tolist(),
        "gradients": {name: np.asarray(one).tolist() for name, one in gradients.items()},
    }


def evaluated(text: str, names: dict[str, Any]) -> Any:
    """The value of the last statement; the texts are this project's own."""
    *statements, last = ast.parse(text).body
    assert isinstance(last, ast.Expr)
    exec(compile(ast.Module(list(statements), []), text, "exec"), names)
    return eval(compile(ast.Expression(last.value), text, "eval"), names)


def with_modules(library: str, *modules: str) -> Any:
    """A library with these modules of it loaded."""
    found = pytest.importorskip(library)
    for module in modules:
        importlib.import_module(f"{library}.{module}")
    return found


def in_jax(text: str, arrays: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    jax = with_modules("jax", "scipy.linalg", "scipy.ndimage", "scipy.signal")

    def run(*given: Any) -> Any:
        names = {"jax": jax, "jnp": jax.numpy, "np": np, "lax": jax.lax}
        return (
            jax.numpy.asarray(evaluated(text, {**names, **dict(zip(arrays, given, strict=True))}))
            * 1.0
        )

    with jax.enable_x64(True):
        value, pull_back = jax.vjp(run, *map(jax.numpy.asarray, arrays.values()))
        gradients = pull_back(jax.numpy.asarray(seed_for(value.shape)))
        return np.asarray(value), dict(zip(arrays, map(np.asarray, gradients), strict=True))


def in_numpy(text: str, arrays: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    scipy = with_modules("scipy", "integrate", "linalg", "signal", "special")
    names = {"np": np, "scipy": scipy, "linalg": np.linalg, "special": scipy.special}

    def run(given: dict[str, Any]) -> Any:
        copies = {name: array.copy() for name, array in given.items()}
        return np.asarray(evaluated(text, {**names, **copies}), dtype=np.float64)

    value = run(arrays)
    seed = seed_for(value.shape)

    def slope(name: str, place: tuple[int, ...], step: float) -> float:
        ahead, behind = ({**arrays, name: arrays[name].copy()} for _ in range(2))
        ahead[name][place] += step
        behind[name][place] -= step
        return float(np.nansum(seed * (run(ahead) - run(behind))) / (2 * step))

    gradients = {}
    for name, array in arrays.items():
        gradient = np.zeros(array.shape)
        for place in np.ndindex(array.shape):
            # Richardson: the error of the differences falls with the fourth power of the step.
            gradient[place] = (4 * slope(name, place, 5e-4) - slope(name, place, 1e-3)) / 3
        gradients[name] = gradient
    return value, gradients
