"""Every operation against PyTorch itself, where PyTorch is installed; skipped elsewhere.

What CI needs of it is kept as numbers in `measured_in_torch.jsonl` (see `torch_calls.py`).
"""

from __future__ import annotations

import json
import shlex
from typing import Any

import numpy as np
import pytest
from foreign_calls import CallCase, call_cases, kink_slope
from test_kinks import KINK_CASES
from test_measured_in_torch import FILES
from torch_calls import VALUES, names_in, seed_for

from vjpcli import VjpError, check
from vjpcli.engine.foreign import NotAvailable
from vjpcli.graph.operation import OPERATIONS
from vjpcli.parser.values import parse_values

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")

DIFFERENT_ON_PURPOSE = {
    "det": "PyTorch gives zeros for a singular matrix; the adjugate is right",
    "svd": "singular vectors are free up to their sign",
    "lstsq": "PyTorch leaves out residuals and singular values that its driver did not compute",
    "soft_margin_loss": "PyTorch gives no gradient for the target",
    "full": "torch.full cuts its number off from the backward pass",
    "full_like": "torch.full_like cuts its number off from the backward pass",
    "linspace": "torch.linspace cuts its ends off from the backward pass",
    "logspace": "torch.logspace cuts its ends off from the backward pass",
    "array": "torch.tensor(x) cuts x off from the backward pass",
    "cholesky_solve": "PyTorch gives the unread triangle a gradient too",
    "cholesky_inverse": "PyTorch gives the unread triangle a gradient too",
    "cholesky": "a matrix that is not symmetric counts as its symmetric part (says the page)",
    "eigvalsh": "a matrix that is not symmetric counts as its symmetric part (says the page)",
    "eigh": "a matrix that is not symmetric counts as its symmetric part (says the page)",
    "ctc_loss": "PyTorch adds exp(log_probs), which is right only behind log_softmax",
    "as_strided_scatter": "PyTorch gives x the adjoint of what was overwritten",
    "equal": "torch.equal compares whole arrays; == and eq compare entries",
    "softmax": "axis=None means all axes (JAX); PyTorch guesses one and warns",
    "log_softmax": "axis=None means all axes (JAX); PyTorch guesses one and warns",
    "softmin": "axis=None means all axes (JAX); PyTorch guesses one and warns",
    "bessel_j0": "PyTorch has seven digits (mpmath agrees with ours)",
    "bessel_j1": "PyTorch has seven digits (mpmath agrees with ours)",
    "bessel_y0": "PyTorch has seven digits (mpmath agrees with ours)",
    "bessel_y1": "PyTorch has seven digits (mpmath agrees with ours)",
    "airy_ai": "PyTorch has four digits around 1.7 (mpmath agrees with ours)",
    "gammainc": "PyTorch has nine digits around a = 40 (mpmath agrees with ours)",
    "searchsorted": "positions count as numbers, so PyTorch's integers are floats here",
}


@pytest.fixture(autouse=True)
def in_float64():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


def measured(text: str) -> dict[str, Any]:
    """What Python itself makes of the text, with the real PyTorch."""
    tensors = {name: torch.tensor(VALUES[name], requires_grad=True) for name in names_in(text)}
    names = {"torch": torch, "F": torch.nn.functional, "nn": torch.nn, "float": float, **tensors}
    output = eval(text, names)  # the texts are this file's own
    gradients: Any = [None] * len(tensors)
    if output.requires_grad:
        seed = torch.tensor(seed_for(output.shape))
        gradients = torch.autograd.grad(output, list(tensors.values()), seed, allow_unused=True)
    return {
        "call": text,
        "value": output.detach().double().tolist(),
        "gradients": {
            name: np.zeros(np.shape(VALUES[name])).tolist() if one is None else one.tolist()
            for name, one in zip(tensors, gradients, strict=True)
        },
    }


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_measured_numbers_are_those_of_this_pytorch(file, rewrite):
    rows = [measured(text) for texts in FILES[file].values() for text in texts]
    if rewrite:
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    kept = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [row["call"] for row in kept] == [row["call"] for row in rows]
    for old, new in zip(kept, rows, strict=True):
        np.testing.assert_allclose(old["value"], new["value"], rtol=1e-9, atol=1e-12)
        for name, gradient in old["gradients"].items():
            np.testing.assert_allclose(
                gradient, new["gradients"][name], rtol=1e-7, atol=1e-10, err_msg=old["call"]
            )


@pytest.mark.parametrize("case", call_cases("torch"), ids=str)
def test_declared_samples_agree(case: CallCase):
    if case.operation.name in DIFFERENT_ON_PURPOSE:
        pytest.skip(DIFFERENT_ON_PURPOSE[case.operation.name])
    try:
        theirs = case.in_torch(torch)
    except NotAvailable as reason:
        pytest.skip(str(reason)[:60])
    ours = case.ours()
    assert len(ours) == len(theirs)
    for (value, gradients), (their_value, their_gradients) in zip(ours, theirs, strict=True):
        assert value.shape == their_value.shape
        np.testing.assert_allclose(value, their_value, rtol=1e-9, atol=1e-12)
        for name, gradient in (their_gradients or {}).items():
            np.testing.assert_allclose(gradients[name], gradient, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("case", KINK_CASES, ids=str)
def test_declared_slope_at_a_kink_is_the_one_used(case):
    try:
        used = kink_slope("torch", case)
    except (NotAvailable, RuntimeError) as reason:
        pytest.skip(str(reason)[:60])
    np.testing.assert_allclose(used, case.kink.used, rtol=1e-6)


def examples() -> list[Any]:
    found = []
    for operation in OPERATIONS.values():
        line = next(
            line for line in operation.documentation.splitlines() if line.startswith("Example:")
        )
        words = shlex.split(line.removeprefix("Example:"))[2:]
        on_purpose = pytest.mark.skipif(operation.name in DIFFERENT_ON_PURPOSE, reason="on purpose")
        found.append(pytest.param(words, id=operation.name, marks=on_purpose))
    return found


@pytest.mark.parametrize("words", examples())
def test_check_with_torch_finds_no_disagreement_in_an_example(words):
    options: dict[str, Any] = {}
    plain = []
    rest = iter(words)
    for word in rest:
        if word in ("--seed", "--wrt", "--loss"):
            options[word[2:]] = next(rest)
        elif word.startswith("--"):
            pytest.skip(f"the example uses {word}")
        else:
            plain.append(word)
    values = {name: given.array for name, given in parse_values(plain[1:]).items()}
    if any(array is None for array in values.values()):
        pytest.skip("the example has no plain numbers")
    options.setdefault("seed", None)
    try:
        report = check(plain[0], values, methods=["torch"], **options)
    except VjpError as error:
        pytest.skip(error.diagnostic.code)
    assert report.verdict != "disagrees", [method.leaves for method in report.methods]
