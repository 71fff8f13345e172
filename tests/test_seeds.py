"""Seeds: read without knowing the output, then fitted to it and never broadcast."""

from __future__ import annotations

import numpy as np
import pytest

from vjpcli.errors import Diagnostic, Fix, VjpError
from vjpcli.parser.references import StandardInput
from vjpcli.parser.seeds import fit_seed, parse_seed


def fault_of(text: str, shape: tuple[int, ...] = (), **options) -> Diagnostic:
    with pytest.raises(VjpError) as caught:
        fit_seed(parse_seed(text), shape, **options)
    diagnostic = caught.value.diagnostic
    assert diagnostic.source.text == text
    assert diagnostic.labels[0].span.end <= len(text)
    return diagnostic


@pytest.mark.parametrize(
    ("text", "expected", "kind", "origin"),
    [
        ("0.1,1,0.0001", [0.1, 1, 0.0001], "numbers", "given"),
        ("[[1,0],[0,1]]", [[1, 0], [0, 1]], "numbers", "given"),
        ("1,0;0,1", [[1, 0], [0, 1]], "numbers", "given"),
        ("2x2=1,0,0,1", [[1, 0], [0, 1]], "numbers", "given"),
        ("1", 1, "numbers", "given"),
        (" ones ", [1, 1, 1], "ones", "ones"),
        ("zeros", [0, 0], "zeros", "given"),
        ("row:0", [1, 0, 0], "row", "row"),
        ("row:-1", [0, 0, 1], "row", "row"),
        ("row:0,1", [[0, 1], [0, 0]], "row", "row"),
        ("row:[1, 0]", [[0, 0], [1, 0]], "row", "row"),
        ("row:0", 1, "row", "row"),
        ("nan,inf", [np.nan, np.inf], "numbers", "given"),
    ],
)
def test_a_seed_fits_its_output(text, expected, kind, origin):
    request = parse_seed(text)
    seed = fit_seed(request, np.shape(expected))
    assert (request.kind, request.origin, request.output_name) == (kind, origin, None)
    np.testing.assert_array_equal(seed, expected)
    assert seed.shape == np.shape(expected)
    assert seed.dtype == np.float64
    assert not seed.flags.writeable


def test_each_has_no_vector():
    assert fit_seed(parse_seed("each"), (3,)) is None


def test_a_seed_may_name_its_output():
    assert parse_seed("y=1,2").output_name == "y"
    assert parse_seed("z = ones").kind == "ones"
    assert parse_seed("y:2x2=1,2,3,4").array.tolist() == [[1, 2], [3, 4]]


def test_an_expression_is_handed_on_and_comes_back_as_numbers():
    request = parse_seed("y=ones(3)/3")
    assert (request.kind, request.program, request.output_name) == ("program", "ones(3)/3", "y")
    assert request.source.text[request.span.start : request.span.end] == "ones(3)/3"
    fitted = fit_seed(request.with_array(np.ones(3) / 3), (3,))
    np.testing.assert_array_equal(fitted, np.ones(3) / 3)


def test_seeds_come_from_files_and_standard_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("seed.npy", np.arange(3.0))
    request = parse_seed("@seed.npy")
    assert (request.array.tolist(), request.origin) == ([0, 1, 2], "file")
    assert request.path.name == "seed.npy"
    stdin = StandardInput(lambda: b"[1, 2]")
    assert parse_seed("-", stdin=stdin).array.tolist() == [1, 2]
    with pytest.raises(VjpError) as caught:
        parse_seed("-", stdin=stdin)
    assert caught.value.diagnostic.code == "stdin-twice"


def test_a_wrong_shape_names_both_and_offers_the_broadcast_program():
    fix = Fix("broadcast_to(3*a, (3,))", replaces="3*a")
    diagnostic = fault_of("0.1,1,0.0001", (1,), broadcast_fix=fix)
    assert diagnostic.code == "seed-shape"
    assert diagnostic.message == "the seed has shape (3,), but the output y has shape (1,)"
    assert diagnostic.notes[0].startswith("a seed has the shape of the output")
    assert diagnostic.fix is fix


def test_the_broadcast_program_is_offered_only_where_it_works():
    fix = Fix("broadcast_to(3*a, (3,))", replaces="3*a")
    assert fault_of("1,2,3", (2,), broadcast_fix=fix).fix.text == "ones"


@pytest.mark.parametrize(
    ("text", "shape", "corrected"),
    [
        ("[1]", (), "1"),
        ("1", (1,), "[1]"),
        ("1,0,0,0", (1, 4), "[[1,0,0,0]]"),
        ("1,0,0,1", (2, 2), "[[1,0],[0,1]]"),
        ("y=[[0.1,2]]", (2,), "y=[0.1,2]"),
        ("42", (3,), "ones"),
        ("y=1,2", (3,), "y=ones"),
        ("[]", (0, 3), "0x3=[]"),
    ],
)
def test_the_corrected_seed_fits(text, shape, corrected):
    diagnostic = fault_of(text, shape)
    assert diagnostic.code == "seed-shape"
    assert diagnostic.fix.apply(["--seed", text]) == ["--seed", corrected]
    assert fit_seed(parse_seed(corrected), shape).shape == shape


def test_a_long_or_stored_seed_is_corrected_by_its_shape(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("s.npy", np.arange(6.0))
    corrected = fault_of("@s.npy", (2, 3)).fix.text
    assert corrected == "2x3=@s.npy"
    assert fit_seed(parse_seed(corrected), (2, 3)).tolist() == [[0, 1, 2], [3, 4, 5]]
    long = ",".join(["1"] * 100)
    assert fault_of(long, (10, 10)).fix.text == f"10x10={long}"


def test_a_program_of_the_wrong_shape_is_reshaped_in_the_language():
    request = parse_seed("randn(4)").with_array(np.ones(4))
    with pytest.raises(VjpError) as caught:
        fit_seed(request, (2, 2))
    assert caught.value.diagnostic.fix.text == "reshape(randn(4), (2, 2))"


def test_a_single_number_for_a_vector_says_what_a_seed_is():
    notes = " ".join(fault_of("42", (3,)).notes)
    assert "vector in the product" in notes
    assert "--rng" in notes


@pytest.mark.parametrize(
    ("text", "shape", "corrected"),
    [
        ("row:5", (3,), "row:2"),
        ("row:-4", (3,), "row:2"),
        ("row:4", (2, 3), "row:1,1"),
        ("row:1,3", (2, 3), "row:1,2"),
        ("row:0", (0,), None),
        ("row:0,0", (3,), None),
        ("row:1", (), None),
        ("row:x", (3,), "row:0"),
        ("row", (3,), "row:0"),
        ("row:99999999999999999999", (3,), "row:0"),
    ],
)
def test_a_row_outside_the_output_is_refused(text, shape, corrected):
    diagnostic = fault_of(text, shape)
    assert diagnostic.code == "seed-row"
    assert (diagnostic.fix.text if diagnostic.fix else None) == corrected


@pytest.mark.parametrize(
    ("text", "code", "corrected"),
    [
        ("", "seed-form", None),
        ("y=", "seed-form", None),
        ("one", "seed-form", "ones"),
        ("y=eahc", "seed-form", "y=each"),
        ("random", "seed-form", None),
        ("lambda=1", "invalid-name", "lambda_=1"),
        ("seed.npy", "file-needs-at", "@seed.npy"),
        ("1,,2", "value-form", None),
        ("2x2=1,2", "value-shape", None),
    ],
)
def test_a_slip_in_a_seed_is_named(text, code, corrected):
    diagnostic = fault_of(text)
    assert diagnostic.code == code
    assert (diagnostic.fix.text if diagnostic.fix else None) == corrected


def test_expression_of_a_seed_takes_the_shape_before_it():
    request = parse_seed("2x2=randn(4)")
    seed = fit_seed(request.with_array(np.arange(4.0)), (2, 2))
    assert seed is not None
    assert seed.tolist() == [[0.0, 1.0], [2.0, 3.0]]
    with pytest.raises(VjpError) as caught:
        parse_seed("3x2=randn(4)").with_array(np.arange(4.0))
    assert caught.value.diagnostic.code == "value-shape"
