"""NumPy's ways of writing that are no plain call: modules, np.r_, np.add.reduce, x.size."""

from __future__ import annotations

import numpy as np
import pytest

from vjpcli import explain
from vjpcli.errors import VjpError
from vjpcli.parser.expression import parse

VALUES = {"x": [1.0, 2.0, 4.0], "A": [[2.0, 1.0], [0.5, 3.0]]}


def value(text: str, **more: object) -> np.ndarray:
    given = {name: one for name, one in {**VALUES, **more}.items() if name in text}
    found = explain(text, given, jacobian=False, formulas=False, check=False).output.value
    return np.asarray(found, dtype=np.float64)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("linalg.norm(x)", "np.linalg.norm(x)"),
        ("LA.inv(A)", "np.linalg.inv(A)"),
        ("special.expit(x)", "scipy.special.expit(x)"),
        ("functional.relu(x)", "F.relu(x)"),
    ],
)
def test_module_stands_alone_as_after_its_import(text, same):
    np.testing.assert_array_equal(value(text), value(same))


def test_module_word_is_an_input_where_a_value_is_given():
    np.testing.assert_array_equal(value("stats.sum()", stats=[1.0, 2.0]), 3.0)


def test_module_of_scipy_keeps_its_own_meaning():
    """scipy.linalg.cholesky is upper, jax.lax.linalg.eigh gives the vectors first."""
    symmetric = [[4.0, 2.0], [2.0, 3.0]]
    lower = value("np.linalg.cholesky(S)", S=symmetric)
    np.testing.assert_allclose(value("scipy.linalg.cholesky(S)", S=symmetric), lower.T)
    np.testing.assert_allclose(value("jax.scipy.linalg.cholesky(S)", S=symmetric), lower.T)
    np.testing.assert_allclose(
        value("lax.linalg.eigh(S)[1]", S=symmetric), np.linalg.eigvalsh(symmetric)
    )


def test_size_is_a_number_where_it_is_not_called():
    assert value("x.size * 2") == 6
    assert value("reshape(A, (A.size,))").shape == (4,)
    assert value("np.size(A) + np.size(A, 1) + np.ndim(A)") == 8


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("np.r_[x, 0:2, 5]", [1, 2, 4, 0, 1, 5]),
        ("np.r_[0:1:0.5]", [0, 0.5]),
        ("np.c_[x, x]", [[1, 1], [2, 2], [4, 4]]),
        ("np.mgrid[0:2, 0:2]", [[[0, 0], [1, 1]], [[0, 1], [0, 1]]]),
        ("np.ogrid[1:3]", [1, 2]),
        ("x[np.s_[1:]]", [2, 4]),
        ("np.delete(x, np.s_[0:2])", [4]),
    ],
)
def test_square_brackets_build(text, expected):
    np.testing.assert_array_equal(value(text), expected)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("np.r_(x)", "call-of-input"),
        ("np.r_.shape", "attribute-access"),
        ("np.mgrid[x]", "keyword-value"),
        ("np.mgrid[0:1:0]", "step-zero"),
        ("np.mgrid[0:10**12]", "too-large"),
        ("x[0.5:2]", "index-not-whole"),
        ("np.add.minimum(x)", "attribute-access"),
        ("np.exp.reduce(x)", "attribute-access"),
        ("torch.add.reduce(x)", "attribute-access"),
        ("np.add.at(x, 0, 1)", "in-place-operation"),
        ("np.add.reduce(x, axes=3)", "axis-out-of-range"),
        ("np.linalg.eigvals([[0, -1], [1, 0]]) * x", "complex-result"),
        ("np.roots([1, 0, 1])", "complex-result"),
        ("scipy.linalg.sqrtm(-A)", "complex-result"),
        ("scipy.linalg.lu_solve(A, x)", "factors-needed"),
        ("np.select([x > 1, x < 0], [x])", "axes-count"),
        ("np.block([[x], x])", "ragged-rows"),
        ("np.block([])", "ragged-rows"),
    ],
)
def test_what_has_no_meaning_is_refused_in_place(text, code):
    with pytest.raises(VjpError) as caught:
        value(text)
    assert caught.value.diagnostic.code == code
    assert caught.value.diagnostic.labels


def test_refusal_names_the_function_as_it_was_typed():
    with pytest.raises(VjpError, match=r"add\.reduce has no keyword"):
        value("np.add.reduce(x, aixs=0)")
    with pytest.raises(VjpError, match="select needs `choices`"):
        value("np.select([x > 1])")


def test_complex_eigenvalues_are_named():
    with pytest.raises(VjpError, match=r"0\+1j, 0-1j"):
        value("torch.linalg.eigvals(T)", T=[[0.0, -1.0], [1.0, 0.0]])


def test_several_results_stay_several_where_a_list_is_taken():
    np.testing.assert_array_equal(value("np.concatenate(np.split(x, 3))"), VALUES["x"])
    assert value("torch.stack(torch.chunk(x, 3))").shape == (3, 1)
    found = value("A @ scipy.linalg.lu_solve(scipy.linalg.lu_factor(A), x[:2])")
    np.testing.assert_allclose(found, [1, 2])


def test_text_may_stand_in_a_list_that_is_an_argument():
    parse("lax.conv_general_dilated(x, k, (1,), 'SAME', dimension_numbers=('NHC', 'HIO', 'NHC'))")
    with pytest.raises(VjpError) as caught:
        parse("x + ('a', 'b')")
    assert caught.value.diagnostic.code == "text-outside-call"


def test_decided_by_value_is_decided_anew_for_other_values():
    np.testing.assert_array_equal(value("np.unique(x)", x=[3.0, 1.0, 3.0]), [1, 3])
    np.testing.assert_array_equal(value("np.unique(x)", x=[3.0, 1.0, 2.0]), [1, 2, 3])


def test_lu_of_a_singular_matrix_has_a_zero_pivot():
    text = "torch.linalg.lu(S).U"
    np.testing.assert_allclose(value(text, S=[[1.0, 2.0], [2.0, 4.0]]), [[2, 4], [0, 0]])
    assert value("torch.linalg.lu_factor_ex(S).info", S=[[1.0, 2.0], [2.0, 4.0]]) == 2


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("lax.cumsum(A)", [[1, 5], [4, 7]]),
        ("lax.cumsum(A, axis=1, reverse=True)", [[6, 5], [5, 2]]),
        ("jax.lax.cumprod(A)", [[1, 5], [3, 10]]),
        ("jax.lax.cummax(A)", [[1, 5], [3, 5]]),
        ("jax.lax.cummin(A, reverse=True)", [[1, 2], [3, 2]]),
        ("jnp.cumsum(A)", [1, 6, 9, 11]),
    ],
)
def test_running_results_of_lax_are_along_the_first_axis(call, expected):
    found = explain(call, {"A": [[1.0, 5.0], [3.0, 2.0]]}).output.value
    np.testing.assert_array_equal(found, expected)
