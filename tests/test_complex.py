"""Complex values: pairs of real nodes in between, real inputs and outputs at both ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rule_cases import operand, real_results, rng_for

import vjpcli.ops  # noqa: F401  (declares the operations)
from vjpcli import VjpError, check, explain
from vjpcli.engine.evaluate import evaluate
from vjpcli.graph.complex_value import Complex
from vjpcli.graph.facts import Sample
from vjpcli.graph.node import Graph
from vjpcli.graph.operation import OPERATIONS, Operation, as_node, make_leaf
from vjpcli.ops.spectra.complex_functions import MEANINGS
from vjpcli.ops.spectra.complex_meaning import AS_MADE, MULTILINEAR, ON_EACH_PART

VALUES: dict[str, Any] = {
    "a": np.array([0.5, -1.25, 2.0]),
    "b": np.array([1.5, 0.75, -2.0]),
    "A": np.array([[2.0, 0.5], [-1.0, 3.0]]),
    "B": np.array([[0.25, -0.5], [1.5, 0.75]]),
}
Z, W = "(a + 1j*b)", "(b - 2j*a)"
M, N = "(A + 1j*B)", "(B - 1j*A.T)"

AS_IN_NUMPY = (
    f"{Z} + {W}", f"{Z} - a", f"a - {Z}", f"{Z} * {W}", f"{Z} / {W}", f"2 / {Z}", f"{Z} / 2",
    f"{Z}**2", f"{Z}**-3", f"{Z}**0", f"{Z}**1.5", f"{Z}**{W}", f"2**{Z}", f"{Z}**100",
    f"-{Z}", f"+{Z}", f"{Z} * (1 + 2j)", f"{Z} / 1j", "1j**2 * a + 0j", "a * 2j + b",
    f"np.exp({Z})", f"np.log({Z})", f"np.sqrt({Z})", f"np.sin({Z})", f"np.cos({Z})",
    f"np.tan({Z})", f"np.sinh({Z})", f"np.cosh({Z})", f"np.tanh({Z})", f"np.sign({Z})",
    f"np.reciprocal({Z})", f"np.square({Z})", f"np.conj({Z})", f"{Z}.conj()", f"np.expm1({Z})",
    f"np.log2({Z})", f"np.log10({Z})", f"np.log1p({Z})", f"np.exp2({Z})",
    f"np.sum({M}, axis=0)", f"np.mean({M}, axis=1, keepdims=True)", f"np.cumsum({Z})",
    f"np.trace({M})", f"np.diff({Z})", f"{M}[0]", f"{M}[:, 1:]", f"{Z}[::-1]", f"{Z}[[0, 0, 2]]",
    f"{Z}[a > 0]", f"{M}.T", f"np.transpose({M})", f"{M}.reshape(-1)", f"np.ravel({M})",
    f"np.stack([{Z}, a])", f"np.concatenate([a, {Z}])", f"np.vstack([{Z}, {W}])",
    f"np.hstack([{Z}, {W}])", f"np.roll({Z}, 1)", f"np.flip({Z})", f"np.tile({Z}, 2)",
    f"np.repeat({Z}, 2)", f"np.pad({Z}, 1)", f"np.pad({Z}, 1, constant_values=3)",
    f"np.pad({Z}, (1, 2), mode='reflect')",
    f"np.where(a > 0, {Z}, {W})", f"np.where(a > 0, {Z}, 0)", f"np.where(a > 0, b, {Z})",
    f"np.where(a > 0, {Z}, b > 0)", f"np.stack([{Z}, a > 0])", f"{Z} * (a > 0)", f"{Z} + (a > 0)",
    f"np.tril({M})", f"np.diag({Z})", f"np.diagonal({M})", f"np.kron({Z}, a)",
    f"{M} @ {N}", f"A @ {N}", f"{M} @ A", f"np.dot({Z}, {W})", f"np.vdot({Z}, {W})",
    f"np.vdot(a, {W})", f"np.inner({Z}, {W})", f"np.outer({Z}, {W})", f"np.cross({Z}, {W})",
    f"np.einsum('ij,jk', {M}, {N})", f"np.einsum('i,i,i', {Z}, {W}, {Z})",
    f"np.tensordot({M}, {N}, 1)", f"np.convolve({Z}, {W})", f"np.correlate({Z}, {W}, 'full')",
    f"np.linalg.inv({M})", f"np.linalg.inv(np.stack([{M}, {N}]))",
    f"np.linalg.solve({M}, {N})", f"np.linalg.solve({M}, a[:2])", f"np.linalg.solve(A, {N})",
    f"np.linalg.matrix_power({M}, -2)", f"np.linalg.matrix_power({M}, 3)",
    f"np.linalg.multi_dot([{M}, {N}, {M}])",
    f"np.prod({Z})", f"np.prod({M}, axis=0)",
    f"np.prod({M})", f"np.prod({M}, axis=1, keepdims=True)", f"np.prod({Z}[:0])",
    f"np.average({Z})", f"np.trapezoid({Z})", f"np.polyval({Z}, a)", f"np.vander({Z})",
    f"np.fft.fft({Z})", f"np.fft.ifft({Z}, n=5)", f"np.fft.fft2({M})",
    f"np.fft.fftn({M}, (3,), (0,))",
    "np.fft.fft(A, axis=0)", "np.fft.rfft(a)", "np.fft.rfft(a, n=4, norm='ortho')",
    "np.fft.rfft2(A)", "np.fft.rfftn(A, axes=(1, 0))", "np.fft.ihfft(a)",
    f"np.fft.fftshift({Z})", f"np.fft.ifftshift({Z})", "np.exp(2j * np.pi * np.fft.fftfreq(3) * a)",
    f"np.array([1 + 2j, 3]) @ {M}", f"{M}.sum()", f"{M}.mean(axis=0)",
    "np.asarray(a, dtype=complex)",
    f"np.delete({Z}, 1)", f"np.insert({Z}, 1, 5)", f"np.insert({Z}, 1, 2j * a[0])",
    f"np.ediff1d({Z})", f"np.polyder({Z})", f"np.polymul({Z}, {W})", f"np.polyadd({Z}, {W})",
    f"np.polyint({Z})", f"np.polysub({Z}, a)", f"np.block([{Z}, {W}])", f"np.resize({Z}, 5)",
    f"np.compress([True, False, True], {Z})", f"np.sum({Z}, initial=2)", f"np.rollaxis({M}, 1)",
    f"np.sum({Z}, where=a > 0)", f"np.prod({Z}, initial=2)", f"np.prod({Z}, where=a > 0)",
    f"np.mean({Z}, where=a > 0)", f"np.pad({Z}, 1, 'linear_ramp')",
    f"np.pad({Z}, 2, 'linear_ramp', end_values=4)", f"np.pad({Z}, 1, 'mean')",
    "a.astype(complex) * 1j", "np.complex128(2) * a", "complex(1, 2) * a",
)  # fmt: skip
"""Complex results, as NumPy has them."""

REAL_IN_NUMPY = (
    f"np.abs({Z})", f"abs({Z})", f"np.angle({Z})", f"np.angle({Z}, deg=True)", "np.angle(a)",
    f"np.real({Z})", f"np.imag({Z})", f"{Z}.real", f"{Z}.imag", "a.imag + a.real",
    f"({Z} * np.conj({Z})).real", f"np.linalg.norm({Z})", f"np.linalg.norm({M})",
    f"np.linalg.norm({M}, axis=1)", f"np.linalg.norm({M}, 1)", f"np.linalg.norm({Z}, 3)",
    f"np.var({Z})", f"np.std({M}, axis=0)", f"np.std({Z}, ddof=1)",
    f"np.where({Z} == {Z}, a, b)", f"np.where({Z} != {W}, a, b)", f"np.where(np.isnan({Z}), a, b)",
    f"np.where(np.isfinite({Z}), a, b)", f"np.where(np.isinf({Z}), a, b)",
    "np.fft.irfft(a + 1j*b)", "np.fft.irfft(a + 1j*b, n=3)", "np.fft.irfft(a)",
    f"np.fft.irfft2({M})", f"np.fft.irfftn({M}, s=(3, 3), axes=(0, 1))",
    "np.fft.hfft(a + 1j*b, n=5)", f"np.log(np.abs(np.fft.fft2({M})))",
    "np.abs(np.fft.fft(a))**2", "np.fft.fftshift(np.abs(np.fft.fft(a)))",
    "np.unwrap(4 * np.cumsum(a))", "np.unwrap(4*A)", "np.unwrap(4*A, axis=0, discont=4)",
    "np.unwrap(9*a, period=2)", f"np.unwrap(np.angle(np.fft.fft({Z})))",
    "np.hanning(3) * a", "np.hamming(3) * a", "np.blackman(3) * a", "np.bartlett(3) * a",
    "np.kaiser(3, 5) * a", "np.fft.fftfreq(3, 0.5) * a", "np.fft.rfftfreq(4) * a",
)  # fmt: skip


def in_numpy(text: str) -> Any:
    return eval(text, {"np": np, "complex": complex, **VALUES})  # the texts are this file's own


def read_by(text: str) -> dict[str, Any]:
    names = compile(text, "", "exec").co_names
    return {name: value for name, value in VALUES.items() if name in names}


def confirmed(text: str, expected: Any) -> None:
    """The value is NumPy's, and methods that use no rule find the same gradient."""
    names = read_by(text)
    explanation = explain(text, names, seed="ones", check=False, formulas=False)
    np.testing.assert_allclose(explanation.output.value, expected, rtol=1e-12, atol=1e-12)
    report = check(text, names, seed="ones", methods=["differences"])
    assert report.verdict == "agrees"


@pytest.mark.parametrize("text", AS_IN_NUMPY)
def test_complex_value_is_the_one_that_numpy_has(text):
    expected = in_numpy(text)
    with np.errstate(all="ignore"):
        confirmed(f"Z = {text}; view_as_real(Z)", np.stack([expected.real, expected.imag], -1))


@pytest.mark.parametrize("text", REAL_IN_NUMPY)
def test_real_value_is_the_one_that_numpy_has(text):
    confirmed(text, in_numpy(text))


# What holds for every operation.

LISTED = sorted({*ON_EACH_PART, *MULTILINEAR, *AS_MADE, *MEANINGS})


def test_lists_name_operations_and_do_not_overlap():
    lists = [ON_EACH_PART, MULTILINEAR, AS_MADE, set(MEANINGS)]
    assert sum(map(len, lists)) == len(LISTED)
    assert [name for name in LISTED if name not in OPERATIONS] == []
    assert [name for name in AS_MADE if not OPERATIONS[name].is_composite] == []


def applied(operation: Operation, sample: Sample, number: int, *, turned: bool) -> Any:
    """The operation with every real operand complex: with an imaginary part of 0, or times i."""
    rng = rng_for(operation.name, number)
    given: list[Any] = []
    values: dict[str, Any] = {}
    for position, one in enumerate(sample.operands):
        domain = operation.domains[min(position, len(operation.domains) - 1)]
        value = None if one is None else operand(one, domain, rng)
        kept = one is None or isinstance(one, int | float) or value.dtype == np.bool_
        if kept or _chooses(operation, position):
            given.append(None if one is None else as_node(one if isinstance(one, int) else value))
            continue
        values |= {f"x{position}": value.astype(float), f"zero{position}": np.zeros(value.shape)}
        parts = [make_leaf(f"{name}{position}", value.shape) for name in ("x", "zero")]
        given.append(Complex(*(reversed(parts) if turned else parts)))
    return operation(*given, **sample.static), values


def _chooses(operation: Operation, position: int) -> bool:
    names = operation.operand_names
    return names[min(position, len(names) - 1)] in ("condition", "mask", "weights", "weight")


def numbers(node: Any, values: dict[str, Any]) -> Any:
    inputs = {name: one for name, one in leaves_of(node).items() if name in values}
    return evaluate(Graph.reaching({"y": node}, inputs), values)[node]


def leaves_of(node: Any) -> dict[str, Any]:
    graph = Graph.reaching({"y": node}, {})
    return {one.static["name"]: one for one in graph.nodes if one.operation.name == "leaf"}


SAMPLES = [
    pytest.param(OPERATIONS[name], sample, number, id=f"{name}-{number}")
    for name in LISTED
    for number, sample in enumerate(OPERATIONS[name].samples)
]


@pytest.mark.parametrize(("operation", "sample", "number"), SAMPLES)
def test_imaginary_part_of_zero_changes_nothing(operation, sample, number):
    try:
        results, values = applied(operation, sample, number, turned=False)
    except VjpError as error:
        assert error.diagnostic.code == "complex-operand"
        return
    rng = rng_for(operation.name, number)
    plain = []
    for position, one in enumerate(sample.operands):
        domain = operation.domains[min(position, len(operation.domains) - 1)]
        plain.append(None if one is None else operand(one, domain, rng))
    plain = [
        one if one is None or isinstance(given, int | float) else as_node(one)
        for one, given in zip(plain, sample.operands, strict=True)
    ]
    expected = real_results(operation(*plain, **sample.static))
    found = results if isinstance(results, tuple) else (results,)
    for one, wanted in zip(found, expected, strict=True):
        real = one.real if isinstance(one, Complex) else one
        np.testing.assert_allclose(
            numbers(real, values), numbers(wanted, {}), rtol=1e-10, atol=1e-12
        )
        if isinstance(one, Complex):
            np.testing.assert_allclose(numbers(one.imaginary, values), 0, atol=1e-12)


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_every_other_operation_refuses_complex_operands_in_words(name):
    operation = OPERATIONS[name]
    for number, sample in enumerate(operation.samples[:3]):
        if not any(isinstance(one, tuple) for one in sample.operands):
            continue
        try:
            results, values = applied(operation, sample, number, turned=True)
        except VjpError as error:
            assert error.diagnostic.code, name
            continue
        for node in real_results(results):
            assert numbers(node, values).shape == node.shape
