"""Programs with complex values as people write them: screens, seeds, losses, checks, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from findings_of import only

from vjpcli import VjpError, check, explain, grad, hessian, jac

X = np.array([1.0, 2.0, 3.0, 4.0])
SIGNAL = np.array([1.0, 2.0, 4.0, 3.0, 1.0, 5.0])


def refusal(expression, values=None, **options):
    with pytest.raises(VjpError) as caught:
        grad(expression, values or {"x": X}, **options)
    return caught.value.diagnostic


def test_energy_of_a_spectrum_has_the_gradient_that_parseval_gives():
    found = grad("sum(abs(fft(x))**2)", {"x": X})
    np.testing.assert_allclose(found["x"], 2 * 4 * X, rtol=1e-14)


def test_transform_and_back_is_the_identity():
    for there, back in (("fft", "ifft"), ("rfft", "irfft"), ("fft2", "ifft2")):
        x = X.reshape(2, 2) if there == "fft2" else X
        entries = jac(f"{back}({there}(x)).real", {"x": x})["x"]
        np.testing.assert_allclose(entries.reshape(4, 4), np.eye(4), atol=1e-15)


def test_spectrogram_and_back_is_the_signal():
    program = "istft(stft(x, 4, 2, window=hann_window(4)), 4, 2, window=hann_window(4), length=6)"
    explanation = explain(program, {"x": SIGNAL}, seed="ones")
    np.testing.assert_allclose(explanation.output.value, SIGNAL, rtol=1e-12)
    np.testing.assert_allclose(explanation.jacobian["y"]["x"], np.eye(6), atol=1e-15)


def test_window_that_is_learned_receives_a_gradient():
    report = check(
        "stft(x, 4, window=w).abs()", {"x": SIGNAL, "w": [0.1, 0.7, 1.0, 0.6]}, seed="ones"
    )
    assert report.verdict == "agrees"


def test_second_derivative_passes_through_a_transform():
    """sum |X|^2 is n times the sum of squares, so its Hessian is 2 n I."""
    found = hessian("sum(abs(fft(x))**2)", {"x": X})
    np.testing.assert_allclose(found["x"]["x"], 8 * np.eye(4), atol=1e-12)


@pytest.mark.parametrize("method", ["differences", "complex-step", "sympy"])
@pytest.mark.parametrize(
    "program",
    [
        "sum(abs(rfft(x))**2)",
        "irfft(rfft(x) * rfft(x), n=4)",
        "log(abs(fft(x)) + 1)",
        "X = fft(x, norm='ortho'); (X * X.conj()).real",
        "abs(ifft(x + 1j*x**2))",
        "(1 / (2 + 1j*x)).imag",
    ],
)
def test_every_method_confirms_the_gradient(program, method):
    assert check(program, {"x": X}, seed="ones", methods=[method]).verdict == "agrees"


def test_steps_read_as_the_program_does():
    explanation = explain("X = fft(x); y = abs(X)**2; sum(y)", {"x": X})
    written = {step.name: step.text for step in explanation.steps}
    assert written["X.real"] == "fft(x).real"
    assert written["X.imag"] == "fft(x).imag"
    assert written["t1"] == "abs(X.real + 1j*X.imag)"


@pytest.mark.parametrize(
    ("program", "texts"),
    [
        ("fft(A, dim=0).real", ["fft(A, axis=0).real"]),
        ("fft2(A).imag", ["fftn(A).imag"]),
        ("ifft(x, norm='ortho').imag", ["ifft(x, norm='ortho').imag"]),
        ("rfft(x).real", ["rfft(x).real"]),
        ("irfft(x, n=3)", ["x[:2]", "irfft(t1, n=3)"]),
        ("exp(1j*x).real", ["cos(x)"]),
        ("abs(2j*x)", ["2*x", "abs(t1)"]),
        ("((x + 1j*x)*2).imag", ["x*2"]),
        ("angle(x + 2j)", ["arctan2([2, 2, 2, 2], x)"]),
    ],
)
def test_only_what_is_computed_is_a_step(program, texts):
    values = {"x": X} if "A" not in program else {"A": X.reshape(2, 2)}
    explanation = explain(program, values, seed="ones")
    assert [step.text for step in explanation.steps if step.text] == texts


def test_parts_of_a_complex_value_take_seeds():
    found = grad("X = fft(x); abs(X)", {"x": X}, seed={"X.imag": [0, 1, 0, 0]})
    np.testing.assert_allclose(found["x"], [0, -1, 0, 1], atol=1e-15)
    told = refusal("X = fft(x); abs(X)", seed={"X": [0, 1, 0, 0]})
    assert told.code == "seed-output"
    assert told.message == "`X` is complex: each of its two parts takes a seed of its own"
    assert told.notes == ("a seed can be given to X.real, X.imag, y",)


def test_loss_reads_a_complex_value():
    explanation = explain("X = fft(x); y = abs(X)", {"x": X}, loss="sum(abs(X)**2)")
    np.testing.assert_allclose(explanation.gradients["x"], 8 * X)


def test_complex_output_is_one_diagnostic_with_a_way_out():
    told = refusal("X = fft(x); 2*X")
    assert told.code == "complex-output"
    assert told.fix.text == "X = fft(x); abs(2*X)"
    assert grad(told.fix.text, {"x": X}, seed="ones")


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("relu(fft(x))", "complex-operand"),
        ("fft(x) > 1", "complex-operand"),
        ("max(fft(x))", "complex-operand"),
        ("softmax(fft(x), 0)", "complex-operand"),
        ("sort(fft(x))", "complex-operand"),
        ("fft(x) % 2", "complex-operand"),
        ("~fft(x)", "complex-operand"),
        ("x[fft(x)]", "complex-operand"),
        ("fft(x).float()", "complex-operand"),
        ("where(fft(x), x, x)", "complex-operand"),
        ("masked_fill(fft(x), fft(x), 0).real", "complex-operand"),
        ("sum(x, axis=1j)", "static-not-plain"),
        ("rfft(fft(x))", "complex-operand"),
        ("torch.polar(x, 1j*x)", "complex-operand"),
        ("torch.linalg.norm(fft(x[None]), 2)", "complex-operand"),
        ("inv(1j*x.reshape(1, 4))", "square-needed"),
        ("norm(1j*x.reshape(2, 2), ord=2)", "complex-operand"),
        ("norm(1j*x.reshape(2, 2), ord='nuc')", "complex-operand"),
        ("torch.linalg.matrix_norm(1j*x.reshape(2, 2), 2)", "complex-operand"),
        ("np.linalg.det(fft(x.reshape(2, 2)))", "complex-operand"),
        ("stft(x, 4, window=1j*x)", "complex-operand"),
        ("view_as_real(x)", "real-operand"),
        ("view_as_complex(x)", "shape-mismatch"),
        ("fft(x) + x[:2]", "shape-mismatch"),
        ("complex(x, x[:2])", "shape-mismatch"),
        ("irfft(x[:1])", "empty-transform"),
        ("fft(x[:0])", "empty-transform"),
        ("fft(x, axis=(0,))", "keyword-value"),
        ("fft(1j)", "rank-too-low"),
        ("1j < 2", "complex-operand"),
        ("1 + 2j", "complex-output"),
        ("fft(x) == fft(x)", None),
        ("1 / 0j", "complex-output"),
        ("abs(1e999j * x)", "number-too-large"),
    ],
)
def test_what_has_no_meaning_is_refused_in_words(program, code):
    if code is None:
        assert grad(program, {"x": X}, seed="ones")["x"].tolist() == [0, 0, 0, 0]
        return
    told = refusal(program, seed="ones")
    assert told.code == code
    assert told.source is not None


def test_complex_array_of_a_caller_is_refused_with_the_way_to_give_it():
    told = refusal("sum(x)", {"x": np.array([1 + 2j, 3])})
    assert told.code == "complex-number"
    assert "a + 1j*b" in told.notes[0]
    told = refusal("abs(z)", {"z": "1+2j"})
    assert told.code == "complex-number"
    assert "z_real + 1j*z_imag" in told.notes[0]
    told = refusal("2*x", {"x": X}, seed="1,2j,3,4")
    assert told.code == "complex-number"


def test_imports_of_transforms_are_skipped():
    for line in (
        "import torch.fft",
        "from scipy.fft import rfft",
        "from numpy.fft import rfft, fft",
    ):
        assert grad(f"{line}\nsum(abs(rfft(x)))", {"x": X})["x"].shape == (4,)


def test_number_before_an_input_named_j_is_told_to_be_imaginary():
    told = refusal("2j*x", {"x": 1.0, "j": 3.0})
    assert told.notes == ("a product with the input j is written 2*j",)


def test_kink_is_told_where_a_complex_value_is_zero():
    found = only("sum(abs(fft(x)))", "kink", {"x": [1.0, 1.0]})
    assert "where fft(x) == 0" in found.message
    assert "used 0 (PyTorch)" in found.message


def test_real_dtype_of_a_real_array_still_changes_nothing():
    np.testing.assert_allclose(grad("sum(x.float()**2)", {"x": X})["x"], 2 * X)
    np.testing.assert_allclose(grad("sum(abs(x.cfloat()))", {"x": X})["x"], 1)


def test_complex_values_lose_no_precision_in_float32():
    explanation = explain("sum(abs(fft(x)))", {"x": X}, dtype="float32")
    assert explanation.gradients["x"].dtype == np.float32
    np.testing.assert_allclose(
        explanation.gradients["x"], grad("sum(abs(fft(x)))", {"x": X})["x"], rtol=1e-6
    )


# scipy.fft of SciPy 1.17 gives these for 1, 2, 3, 4.
IN_SCIPY = {
    "dct(x, 1)": [15.0, -4.0, 0.0, -1.0],
    "dct(x)": [20.0, -6.308644059797899, 0.0, -0.4483415291679651],
    "dct(x, 3)": [11.999626276085149, -9.102943217749218, 2.617661843510649, -1.51434490184658],
    "dct(x, 4)": [10.181592984263283, -9.446695610035626, 5.010298174943416, -4.689564857456725],
    "dst(x, 1)": [15.388417685876266, -6.881909602355868, 3.6327126400268037, -1.624598481164532],
    "dst(x)": [13.065629648763766, -5.65685424949238, 5.41196100146197, -4.0],
    "dst(x, 3)": [13.137071184544089, -1.6199144044217753, 0.723231346085845, -0.5197830649482906],
    "dst(x, 4)": [15.447561493151783, -0.4469333786714663, 1.0031506944070392, 0.4083909335848668],
}


@pytest.mark.parametrize("call", IN_SCIPY)
def test_cosine_transform_is_the_one_of_scipy(call):
    explanation = explain(f"scipy.fft.{call}", {"x": X}, seed="ones")
    np.testing.assert_allclose(explanation.output.value, IN_SCIPY[call], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["dct", "dst"])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
def test_inverse_undoes_a_cosine_transform(name, kind, norm):
    call = f"scipy.fft.i{name}(scipy.fft.{name}(x, {kind}, norm='{norm}'), {kind}, norm='{norm}')"
    np.testing.assert_allclose(jac(call, {"x": X})["x"], np.eye(4), atol=1e-14)
    if norm == "ortho":
        matrix = jac(f"scipy.fft.{name}(x, {kind}, norm='ortho')", {"x": X})["x"]
        np.testing.assert_allclose(matrix @ matrix.T, np.eye(4), atol=1e-14)


@pytest.mark.parametrize(
    ("program", "better"),
    [
        (
            "X = torch.fft.rfft(x); sum(torch.sqrt(X.real**2 + X.imag**2))",
            "X = torch.fft.rfft(x); sum(torch.abs(X))",
        ),
        (
            "sum(np.sqrt(np.fft.fft(x).real**2 + np.fft.fft(x).imag**2))",
            "sum(np.abs(np.fft.fft(x)))",
        ),
    ],
)
def test_length_that_is_written_out_is_told_to_be_abs(program, better):
    assert only(program, "nan-inf-times-zero", {"x": np.ones(4)}).fix.text == better
