"""Calls and kinks against JAX and autograd themselves, where they are installed."""

from __future__ import annotations

import contextlib
import os
from typing import Any

import numpy as np
import pytest
from foreign_calls import kink_slope
from numpy_calls import IN_AUTOGRAD, IN_JAX
from test_kinks import KINK_CASES
from torch_calls import VALUES, names_in, seed_for

from vjpcli import explain
from vjpcli.engine.foreign import NotAvailable, is_installed

# Each call is compiled once and run once, so compiling quickly is what counts.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")

pytestmark = pytest.mark.filterwarnings("ignore")


def arrays_of(text: str) -> dict[str, Any]:
    return {name: np.asarray(VALUES[name], dtype=np.float64) for name in names_in(text)}


def compare(text: str, value: Any, gradients: list[Any]) -> None:
    ours = explain(
        text,
        arrays_of(text),
        seed=seed_for(np.shape(value)),
        jacobian=False,
        formulas=False,
        check=False,
    )
    np.testing.assert_allclose(ours.output.value, value, rtol=1e-9, atol=1e-12)
    for name, gradient in zip(names_in(text), gradients, strict=True):
        np.testing.assert_allclose(ours.gradients[name], gradient, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("text", IN_JAX)
def test_call_gives_what_jax_gives(text):
    jax = pytest.importorskip("jax")
    names = names_in(text)

    def run(*arrays: Any) -> Any:
        # The texts are this project's own.
        numpy = jax.numpy
        return (
            eval(
                text,
                {"jax": jax, "jnp": numpy, "np": numpy, **dict(zip(names, arrays, strict=True))},
            )
            * 1.0
        )

    with jax.enable_x64(True):
        value, pull_back = jax.vjp(run, *map(jax.numpy.asarray, arrays_of(text).values()))
        gradients = pull_back(jax.numpy.asarray(seed_for(value.shape)))
        compare(text, np.asarray(value), [np.asarray(one) for one in gradients])


@pytest.mark.parametrize("text", IN_AUTOGRAD)
def test_call_gives_what_autograd_gives(text):
    numpy: Any = pytest.importorskip("autograd.numpy")
    from autograd import make_vjp

    names = names_in(text)

    def run(arrays: Any) -> Any:
        return eval(text, {"np": numpy, **dict(zip(names, arrays, strict=True))}) * 1.0

    pull_back, value = make_vjp(run)(tuple(arrays_of(text).values()))
    seed = seed_for(np.shape(value))
    compare(text, value, list(pull_back(seed if seed.ndim else float(seed))))


@pytest.mark.parametrize("engine", ["jax", "autograd"])
@pytest.mark.parametrize("case", KINK_CASES, ids=str)
def test_slope_at_a_kink_is_what_the_engine_uses(case, engine):
    if not is_installed(engine):
        pytest.skip("not installed")
    used: float | None = None
    # What these libraries raise where they lack a function or its derivative is theirs to choose.
    with contextlib.suppress(NotAvailable, TypeError, NotImplementedError, KeyError):
        used = kink_slope(engine, case)
    if used is None:
        pytest.skip(f"{engine} does not differentiate this call")
    expected = case.kink.others.get(engine, case.kink.used)
    np.testing.assert_allclose(used, expected, rtol=1e-6)
