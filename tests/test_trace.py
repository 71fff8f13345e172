"""Programs through the tracer: what they mean, in every spelling, and what is wrong with them."""

from __future__ import annotations

import numpy as np
import pytest
from carets import blamed

import vjpcli.ops  # noqa: F401  (declares the operations)
from vjpcli.engine.backward import backward, seed_name
from vjpcli.engine.evaluate import evaluate
from vjpcli.errors import VjpError
from vjpcli.graph.free_names import free_names
from vjpcli.graph.trace import trace
from vjpcli.parser.expression import parse

x = np.array([1.0, 2.0, 3.0])
y = np.array([4.0, 5.0, 6.0])
W = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
GIVEN = {"x": x, "y": y, "W": W}


def run(text, library="torch", **values):
    """Value of a program and, for a seed of ones, its gradients."""
    values = {name: np.asarray(value, float) for name, value in (values or GIVEN).items()}
    traced = trace(parse(text), values, library=library)
    output = traced.graph.outputs[traced.output_name]
    value = evaluate(traced.graph, values)[output]
    reverse = backward(traced.graph, values)
    seeded = {**values, seed_name(traced.output_name): np.ones(output.shape)}
    results = evaluate(reverse.graph, seeded)
    gradients = {name: results[node] for name, node in reverse.graph.outputs.items()}
    return value, gradients


def error(text, **values):
    with pytest.raises(VjpError) as caught:
        trace(parse(text), values or GIVEN)
    return caught.value.diagnostic


# One operation in many spellings.


SPELLINGS = """
log(x)
x.log()
np.log(x)
torch.log(x)
jnp.log(x)
numpy.log(x)
math.log(x)

sum(W, axis=1)
sum(W, 1)
W.sum(1)
W.sum(dim=1)
torch.sum(W, dim=-1)
np.sum(W, axis=(1,))

sum(W, dim=0, keepdim=True)
W.sum(0, keepdims=True)
np.sum(W, axis=0, keepdims=True)

x**2
power(x, 2)
x.pow(2)
torch.square(x)
np.power(x, 2)

W.T
W.mT
W.t()
T(W)
np.transpose(W)
W.permute(1, 0)
torch.transpose(W, 0, 1)
W.transpose(1, 0)
np.swapaxes(W, 0, 1)
torch.permute(W, dims=(1, 0))
np.moveaxis(W, 0, -1)

reshape(W, (3, 2))
reshape(W, 3, 2)
W.reshape(3, 2)
W.view(3, -1)
np.reshape(W, (3, 2))
W.reshape(W.shape[1], W.shape[0])
W.reshape(W.shape[::-1])
W.reshape(W.size(1), len(W))

concatenate([x, y])
cat([x, y])
torch.cat((x, y), dim=0)
np.concatenate((x, y), axis=0)
hstack([x, y])
torch.concat([x, y])

[x, y]
stack([x, y])
torch.stack((x, y), dim=0)
np.array([x, y])
torch.tensor([x, y])
vstack([x, y])

x.unsqueeze(0)
x[None]
x[np.newaxis, :]
np.expand_dims(x, 0)
x.reshape(1, -1)
x.view(1, 3)

W.flatten()
W.ravel()
W.view(-1)
torch.flatten(W)
W.reshape(-1)

x.expand(2, 3)
broadcast_to(x, (2, 3))
np.broadcast_to(x, (2, 3))
x.repeat(2, 1)
tile(x, (2, 1))
x.expand(2, -1)
x.expand_as(W)

np.repeat(x, 2)
torch.repeat_interleave(x, 2)
x.repeat_interleave(2)
repeat(x, 2)

x @ y
matmul(x, y)
torch.dot(x, y)
np.dot(x, y)
einsum('i,i->', x, y)
torch.einsum('i,i', [x, y])
(x * y).sum()

gather(W, 1, [[0, 0], [2, 1]])
W.gather(dim=1, index=torch.tensor([[0, 0], [2, 1]]))
np.take_along_axis(W, [[0, 0], [2, 1]], axis=1)

F.pad(x, (1, 2), value=5)
pad(x, (1, 2), 'constant', 5)
np.pad(x, (1, 2), constant_values=5)

x.float()
x.double()
x.to(torch.float32)
x.astype(float)
x.clone()
x.contiguous()
+x
x.cpu()
np.asarray(x)

x.masked_fill(x > 1, 0)
torch.where(x > 1, 0, x)
where(x > 1, torch.tensor(0.), x)

W.index_select(1, [2, 0])
W[:, [2, 0]]
np.take(W, [2, 0], axis=1)

split(x, 2)[0]
torch.split(x, [2, 1])[0]
x.chunk(2)[0]
np.split(x, [2])[0]
tensor_split(x, 2)[0]
x[:2]

x * pi
x * np.pi
math.pi * x
x * torch.pi

zeros(3) + x
zeros((3,)) + x
np.zeros(x.shape) + x
torch.zeros(3, dtype=torch.float64) + x
zeros_like(x) + x
np.zeros(3, np.float32) + x
x + torch.zeros(size=(3,))
"""


@pytest.mark.parametrize(
    "spellings",
    [group.split("\n") for group in SPELLINGS.strip().split("\n\n")],
    ids=lambda spellings: spellings[0],
)
def test_every_spelling_means_the_same(spellings):
    value, gradients = run(spellings[0])
    for spelling in spellings[1:]:
        other, other_gradients = run(spelling)
        np.testing.assert_array_equal(other, value, err_msg=spelling)
        assert other.shape == value.shape, spelling
        for name, gradient in gradients.items():
            np.testing.assert_allclose(
                other_gradients[name], gradient, rtol=1e-12, err_msg=spelling
            )


def test_a_bare_name_means_what_the_chosen_library_means():
    assert run("transpose(x.reshape(3, 1), 0, 1)")[0].shape == (1, 3)
    assert run("transpose(x.reshape(3, 1), (0, 1))", library="numpy")[0].shape == (3, 1)
    assert run("split(y, 1)[0]")[0].tolist() == [4]
    assert run("split(y, 1)[0]", library="numpy")[0].tolist() == [4, 5, 6]
    assert run("meshgrid(x, [1, 2])[0]")[0].shape == (3, 2)
    assert run("meshgrid(x, [1, 2])[0]", library="jax")[0].shape == (2, 3)


def test_a_meaning_that_differs_between_libraries_is_announced_once_unless_a_prefix_chose_it():
    traced = trace(parse("x.repeat(2).sum() + x.repeat(3).sum()"), {"x": x})
    (note,) = traced.conventions
    assert note.code == "convention" and "np.repeat" in note.message
    assert blamed(note) == "repeat"
    assert not trace(parse("torch.split(x, 2)[0]"), {"x": x}).conventions
    assert "PyTorch" in trace(parse("split(x, 2)[0]"), {"x": x}).conventions[0].message


# Statements, lists and several results.


@pytest.mark.parametrize(
    ("text", "value", "gradient"),
    [
        ("h = 2*x; h*h", [4, 16, 36], [8, 16, 24]),
        ("h = x\nh += x**2\nh", [2, 6, 12], [3, 5, 7]),
        ("x = x*x; x = x + 1; x", [2, 5, 10], [2, 4, 6]),
        ("a, b, c = x; [c, a]", [3, 1], [1, 0, 1]),
        ("a, b = split(x, 2); a.sum() * b", [9], [3, 3, 3]),
        ("a, b, c = unbind(x); a*b*c", 6, [6, 3, 2]),
        ("a, b = (x, 2); a*b", [2, 4, 6], [2, 2, 2]),
        ("n = x.shape[0]; x / n", [1 / 3, 2 / 3, 1], [1 / 3] * 3),
        ("x.reshape(x.shape + (1,) * 2)", [[[1]], [[2]], [[3]]], [1, 1, 1]),
        ("x.reshape(2 * array([1, 0]) + [1, 1])", [[1], [2], [3]], [1, 1, 1]),
        ("einsum('i,->i', x, 2)", [2, 4, 6], [2, 2, 2]),
        ("array([[1, 2, 3], [4, 5, 6]]) @ x", [14, 32], [5, 7, 9]),
        ("shape = (3, 1); x.reshape(shape).sum()", 6, [1, 1, 1]),
        ("[[x[0], 2], [x[1], x[2]]]", [[1, 2], [2, 3]], [1, 1, 1]),
        ("[x.sum(), x.prod()]", [6, 6], [7, 4, 3]),
        ("values = max(x, dim=0).values; values", 3, [0, 0, 1]),
        ("y = x; y[0] * y[-1]", 3, [3, 0, 1]),
        ("x[[0, 0, 2]]", [1, 1, 3], [2, 0, 1]),
        ("x[x > 1.5]", [2, 3], [0, 1, 1]),
        ("m = x > 1.5; x[m].sum()", 5, [0, 1, 1]),
        ("i = argmax(x); x[i]", 3, [0, 0, 1]),
        ("x[nonzero(x > 1)[:, 0]]", [2, 3], [0, 1, 1]),
        ("x[np.nonzero(x > 1)]", [2, 3], [0, 1, 1]),
        ("x[1:][::-1]", [3, 2], [0, 1, 1]),
        ("x[..., None][:, 0]", [1, 2, 3], [1, 1, 1]),
        ("x[True]", [[1, 2, 3]], [1, 1, 1]),
        ("x[[]].sum()", 0, [0, 0, 0]),
        ("3", 3, [0, 0, 0]),
        ("ones_like(x) * 4.5", [4.5, 4.5, 4.5], [0, 0, 0]),
        ("x > 1", [0, 1, 1], [0, 0, 0]),
        ("-(x > 1) * x", [0, -2, -3], [0, -1, -1]),
        ("(x > 0) - (x > 1)", [1, 0, 0], [0, 0, 0]),
        ("((x > 1).reshape(3, 1) * x[:, None]).sum()", 5, [0, 1, 1]),
        ("one_hot([2], 3)[0] * x", [0, 0, 3], [0, 0, 1]),
        ("np.float64(2) * x", [2, 4, 6], [2, 2, 2]),
        ("maximum(x, float('-inf'))", [1, 2, 3], [1, 1, 1]),
        ("linspace(0, 1, 3) * x", [0, 1, 3], [0, 0.5, 1]),
        ("eye(3) @ x", [1, 2, 3], [1, 1, 1]),
        ("full((2,), x[0])", [1, 1], [2, 0, 0]),
        ("put(x, [0], [7])", [7, 2, 3], [0, 1, 1]),
        ("concatenate([x**3, mean(x)])[-1]", 2, [1 / 3, 1 / 3, 1 / 3]),
        ("len(x) * x.numel() * x.dim()", 9, [0, 0, 0]),
        ("einsum('i,i->', [1, 2, 3], x)", 14, [1, 2, 3]),
        ("sum(x[None] * x[:, None])", 36, [12, 12, 12]),
    ],
)
def test_a_program_gives_its_value_and_gradient(text, value, gradient):
    got, gradients = run(text, x=x)
    np.testing.assert_allclose(got, value, rtol=1e-12)
    assert np.shape(got) == np.shape(value)
    np.testing.assert_allclose(gradients["x"], gradient, rtol=1e-12)


# From public threads: an off-diagonal parameter that is used twice, and one entry of a vector.
def test_a_parameter_used_twice_receives_two_adjoints():
    text = "S = stack([concatenate([p[0:1],p[1:2]]),concatenate([p[1:2],p[2:3]])]); v @ S @ v"
    value, gradients = run(text, p=[2.0, 1.0, 3.0], v=[1.0, 2.0])
    assert value == 18
    np.testing.assert_array_equal(gradients["p"], [1, 4, 4])


def test_a_batch_of_positions_reads_rows():
    value, gradients = run("W[[1, 1], [0, 2]]")
    np.testing.assert_array_equal(value, [4, 6])
    np.testing.assert_array_equal(gradients["W"], [[0, 0, 0], [1, 0, 1]])


def test_an_index_given_as_an_input_is_decided_by_its_value():
    value, gradients = run("W.gather(1, i) + W[:, j][:, :1]", W=W, i=[[2.0], [0.0]], j=[1.0, 0.0])
    np.testing.assert_array_equal(value, [[5], [9]])
    np.testing.assert_array_equal(gradients["W"], [[0, 1, 1], [1, 1, 0]])
    np.testing.assert_array_equal(gradients["j"], [0, 0])


def test_names_that_need_a_value_are_those_that_are_read():
    names = free_names(parse("h = np.log(a) + b.sum(dim=k); h * pi + float(c).astype(float)"))
    assert list(names) == ["a", "b", "k", "c"]


def test_every_named_value_can_be_asked_for():
    traced = trace(parse("h = 2*x; h = h + 1; z = h.sum(); z"), {"x": x})
    assert [name for name, _ in traced.named] == ["h", "h", "z"]
    assert traced.graph.names["h"] is traced.named[1][1]
    assert traced.output_name == "y"


def test_a_long_program_is_no_deep_one():
    text = "h = x\n" + "h = h + x\n" * 5000 + "h"
    value, gradients = run(text, x=[1.0])
    assert value == gradients["x"] == [5001.0]


# Mistakes: one code, and a caret under the part that is wrong.


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        ("x(y)", "call-of-input", "x"),
        ("h = 2*x; h(y)", "call-of-input", "h"),
        ("x*(2 @ 3)", "scalar-operand", "@"),
        ("2*q", "unknown-name", "q"),
        ("lgo(x)", "unknown-function", "lgo"),
        ("x.lgo()", "unknown-function", "lgo"),
        ("np.lgo(x)", "unknown-function", "lgo"),
        ("sen(x)", "unknown-function", "sen"),
        ("sum(x, axs=0)", "unknown-keyword", "axs"),
        ("sum(x, 0, axis=0)", "argument-twice", "axis"),
        ("log(x, y, 3)", "too-many-arguments", "log"),
        ("log()", "missing-argument", "log"),
        ("where(x > 1)", "missing-argument", "where"),
        ("x + W[0, :2]", "shape-mismatch", "+"),
        ("1 + (x + W[:, :2])", "shape-mismatch", "+"),
        ("[x, W]", "ragged-rows", "W"),
        ("[[1, 2], [3]] * x", "ragged-rows", "[3]"),
        ("sum([x, [1, 2]])", "ragged-rows", "sum"),
        ("zeros(x)", "static-not-plain", "zeros"),
        ("sum(W, axis=x[0])", "static-not-plain", "sum"),
        ("ones(10**12)", "too-large", "ones"),
        ("x.expand(10**9, 3)", "too-large", "expand"),
        ("x.repeat(10**9)", "too-large", "repeat"),
        ("zeros(10**4)[:, None] * zeros(10**5)", "too-large", "*"),
        ("reshape(x, (x, 1))", "static-not-plain", "reshape"),
        ("x[3]", "index-out-of-range", "3"),
        ("W[0, -4]", "index-out-of-range", "0, -4"),
        ("x[0, 0]", "too-many-indices", "0, 0"),
        ("x[1.5]", "index-not-whole", "1.5"),
        ("x[x / 2]", "index-not-whole", "x / 2"),
        ("x[0:1.5]", "index-not-whole", "1.5"),
        ("x[::0]", "slice-step", "::0"),
        ("x[[True, False]]", "mask-shape", "[True, False]"),
        ("W[[0, 1], [0, 1, 2]]", "shape-mismatch", "[0, 1], [0, 1, 2]"),
        ("sum(x, axis=1)", "axis-out-of-range", "sum"),
        ("x.sum(axis=0.5)", "axis-not-whole", "sum"),
        ("reshape(x, (2, 2))", "reshape-size", "reshape"),
        ("x.view(2, -1)", "reshape-size", "view"),
        ("permute(W, 0)", "axes-count", "permute"),
        ("a, b = x", "unpack-count", "x"),
        ("a, b = split(x, 1)", "unpack-count", "split(x, 1)"),
        ("x.grad", "attribute-access", "grad"),
        ("2*x.grad", "attribute-access", "grad"),
        ("log * 2", "unknown-name", "log"),
        ("sum(x, keepdims=None + 1)", "not-a-number", "None"),
        ("x.astype(int)", "whole-dtype", "astype"),
        ("empty(3)", "random-content", "empty"),
        ("put(zeros(1), [0, 0], x[:2])", "repeated-write", "put"),
        ("einsum('ij,j->i', x, x)", "einsum-subscripts", "einsum"),
        ("einsum(x, x)", "missing-argument", "einsum"),
        ("gather(W, 1, [[5]])", "index-out-of-range", "gather"),
        ("linspace(0, 1)", "missing-argument", "linspace"),
    ],
)
def test_a_mistake_has_one_code_and_its_place(text, code, part):
    diagnostic = error(text)
    assert (diagnostic.code, blamed(diagnostic)) == (code, part), diagnostic


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("lgo(x)", "log(x)"),
        ("sen(x) + 1", "sin(x) + 1"),
        ("sum(x, axs=0)", "sum(x, axis=0)"),
        ("sum(x, dmi=0)", "sum(x, dim=0)"),
        ("x(y) + 1", "x*(y) + 1"),
        ("X + 1", "x + 1"),
        ("Log(x)", "log(x)"),
    ],
)
def test_a_slip_is_answered_with_the_corrected_program(text, fixed):
    fix = error(text).fix
    assert fix.text == fixed
    assert fix.replaces == text
    run(fixed)


def conventions(text):
    A = np.array([[2.0, 1.0], [1.0, 3.0]])
    return [note.message for note in trace(parse(text), {"A": A}).conventions]


def test_a_convention_is_told_unless_the_call_settles_what_it_is_about():
    (told,) = conventions("eigvalsh(A)")
    assert "taken as symmetric" in told
    assert not conventions("eigvalsh(A, symmetrize_input=False)")
    assert not conventions("np.linalg.eigvalsh(A)")


def test_a_convention_about_no_argument_is_told_of_every_bare_call():
    (told,) = conventions("svd(A, full_matrices=False).Vh")
    assert "Vh" in told


@pytest.mark.parametrize("text", ["unbind(x[:0])", "1 + unbind(x[:0])", "sum(unbind(x[:0]))"])
def test_no_results_at_all_are_no_array(text):
    diagnostic = error(text)
    assert (diagnostic.code, blamed(diagnostic)) == ("not-a-number", "unbind(x[:0])")


def test_shapes_that_do_not_fit_stand_under_both_sides():
    diagnostic = error("x + W[:, :2]")
    assert [label.text for label in diagnostic.labels] == ["", "(3,)", "(2, 2)"]


def test_a_missing_value_is_answered_with_an_argument_to_add():
    assert error("2*q").fix.adds == ("q=1,2,3",)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("max(x, 3, 2)", 3.0),
        ("min(x, 3, -1)", -1.0),
        ("max(x, y, 1)", 2.0),
        ("log(8, x)", 3.0),
        ("sum(q * q for q in [x, y])", 5.0),
    ],
)
def test_python_s_own_functions_of_numbers_keep_their_meaning(text, value):
    found, _ = run(text, x=2.0, y=1.0)
    assert found == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("sum(torch.split(x, 2))", [4, 6]),
        ("sum(torch.split(x, 3))", [5, 6, 7]),
        ("np.sum(np.split(x, 2))", 10),
        ("torch.split(x, 2) + 1", [[2, 3], [4, 5]]),
        ("h = np.split(x, 2); h", [[1, 2], [3, 4]]),
        ("len(torch.split(x, 3)) * x[0]", 2),
        ("torch.cat(torch.split(x, 2) + torch.split(x, 2))", [1, 2, 3, 4, 1, 2, 3, 4]),
        ("max(x, dim=0)", 4),
    ],
)
def test_several_parts_never_stand_for_the_first_alone(text, value):
    assert run(text, x=[1.0, 2.0, 3.0, 4.0])[0].tolist() == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("np.concatenate(W)", [1, 2, 3, 4, 5, 6]),
        ("np.stack(x)", [1, 2, 3]),
        ("jnp.stack(W, axis=1)", [[1, 4], [2, 5], [3, 6]]),
        ("np.vstack(x)", [[1], [2], [3]]),
        ("np.column_stack(W)", [[1, 4], [2, 5], [3, 6]]),
    ],
)
def test_list_of_arrays_that_is_one_array_is_its_rows(text, value):
    assert run(text)[0].tolist() == value
