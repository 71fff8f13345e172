"""What PyTorch, NumPy, SciPy and JAX have is either known here or refused with a reason."""

from __future__ import annotations

import pytest

from vjpcli import VjpError, grad
from vjpcli.errors import Source, Span, close_spelling, slips_between
from vjpcli.explanation.pages.spellings import METHODS
from vjpcli.graph.libraries import LibraryName
from vjpcli.graph.names import LIBRARY_ROOTS, find_callee
from vjpcli.graph.node import Node
from vjpcli.graph.operation import make_leaf
from vjpcli.graph.public_names import public_names
from vjpcli.graph.unknown_names import reason_against

NAMES = public_names()
SPELT = {"torch.nn.functional": "F", "numpy": "np", "jax.numpy": "jnp"}
REASONS = {"not-offered", "random-operation", "in-place-operation"}


def array() -> Node:
    return make_leaf("x", (2, 3))


@pytest.mark.parametrize("module", [name for name in NAMES if name not in METHODS])
def test_function_of_a_library_is_known_or_refused_with_its_reason(module):
    path = module.split(".")
    wrong = []
    for name in NAMES[module]:
        source = Source(f"{module}.{name}(x)")
        found: object = LibraryName(LIBRARY_ROOTS[path[0]], path[0])
        try:
            for step in (*path[1:], name):
                assert isinstance(found, LibraryName)
                found = found.member(
                    step, source, Span(len(module) + 1, len(module) + 1 + len(name))
                )
        except VjpError as error:
            if error.diagnostic.code not in REASONS:
                wrong.append((name, error.diagnostic.labels[0].text))
    assert wrong == []


@pytest.mark.parametrize("kind", METHODS)
def test_attribute_of_an_array_is_known_or_refused_with_its_reason(kind):
    wrong = []
    for name in NAMES[kind]:
        try:
            grad(f"x.{name}", {"x": [[1.0, 2.0]]}, seed="ones")
        except VjpError as error:
            known = {"not-a-number", "seed-shape", "attribute-access"}
            if error.diagnostic.code not in REASONS | known:
                wrong.append((name, error.diagnostic.code, error.diagnostic.labels[0].text))
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("torch.bernoulli(x)", "random-operation", "draws at random"),
        ("np.random.poisson(x)", "random-operation", "draws at random"),
        ("np.random.beta(x, x)", "random-operation", "draws at random"),
        ("jax.random.normal(x)", "random-operation", "draws at random"),
        ("torch.cond(x, x)", "not-offered", "whether, code is run"),
        ("torch.solve(x, x)", "not-offered", "removed"),
        ("jax.lax.gather(x, 0, 0)", "not-offered", "positions"),
        ("sympy.sinc(x)", "not-offered", "in SymPy"),
        ("scipy.signal.square(x)", "not-offered", "no operation is written"),
        ("x.byteswap()", "not-offered", "bits"),
        ("np.histogram(x)", "not-offered", "whole numbers"),
        ("torch.save(x)", "not-offered", "files"),
        ("torch.quantize_per_tensor(x)", "not-offered", "quantised"),
        ("x.to_sparse()", "not-offered", "kept"),
        ("np.packbits(x)", "not-offered", "bits"),
        ("jax.lax.psum(x)", "not-offered", "devices"),
        ("jax.grad(x)(x)", "not-offered", "gradients are what vjp prints"),
        ("jax.eval_shape(x, x)", "not-offered", "no code is run"),
        ("torch.optim.SGD(x)", "not-offered", "step by step"),
        ("2*x.add_(1)", "in-place-operation", "changes an array in place"),
        ("torch.relu_(x)", "in-place-operation", "changes an array in place"),
        ("F.zero_(x)", "not-offered", "overwrites"),
        ("torch.Foo(x)", "not-offered", "objects"),
        ("torch.foo(x)", "unknown-function", "there is no function torch.foo"),
        ("scipy.sin(x)", "not-offered", "of scipy there are fft, integrate"),
        ("scipy.interpolate.interp1d(x, x)", "not-offered", "curves"),
        ("scipy.optimize.minimize(x)", "not-offered", "searches"),
        ("scipy.stats.zipf.logpmf(x, 2)", "not-offered", "only some functions"),
        ("scipy.stats.norm.mean(x)", "not-offered", "there are pdf, logpdf"),
        ("scipy.stats.norm(0, 1).std()", "not-offered", "there are pdf, logpdf"),
        ("scipy.stats.norm(0, 1).rvs(3)", "random-operation", "draws at random"),
        ("from scipy.stats import zscore; zscore(x)", "not-offered", "only some functions"),
        ("scipy.signal.hilbert(x)", "not-offered", "no operation is written"),
        ("scipy.signal.square(x)", "not-offered", "no operation is written"),
        ("scipy.ndimage.convolve(x, x)", "not-offered", "no operation is written"),
        ("scipy.special.ellipkinc(x, x)", "not-offered", "no operation is written"),
        ("scipy.stats.pmean(x, 2)", "not-offered", "only some functions"),
        ("np.ma.sum(x)", "not-offered", "masked"),
        ("nn.init.zeros_(x)", "not-offered", "starts from"),
        ("foo(x)", "unknown-function", "there is no function foo()"),
        ("x.foo", "unknown-function", "there is no function .foo"),
    ],
)
def test_reason_is_the_one_of_the_name(text, code, says):
    with pytest.raises(VjpError) as caught:
        grad(text, {"x": [1.0, 2.0]})
    found = caught.value.diagnostic
    assert found.code == code
    assert says in found.message
    assert found.labels[0].text == ""


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("lgo", "log"),
        ("logg", "log"),
        ("softma", "softmax"),
        ("sofmax", "softmax"),
        ("crossentropy", "cross_entropy"),
        ("batchnorm", "batch_norm"),
        ("sigmiod", "sigmoid"),
        ("cumsm", "cumsum"),
        ("foo", None),
        ("ctc_lss", None),
        ("zz", None),
        ("q", None),
        ("x" * 10_000, None),
        ("activate", None),
        ("__import__", None),
        ("crosentropi", "cross_entropy"),
    ],
)
def test_guess_is_a_slip_of_the_pen_or_none(written, meant):
    known = ("log", "log2", "softmax", "cross_entropy", "batch_norm", "sigmoid", "cumsum", "floor",
             "l1_loss", "nll_loss", "msort", "activation", "act")  # fmt: skip
    assert close_spelling(written, known) == meant


@pytest.mark.parametrize(
    ("word", "other", "slips"),
    [("log", "log", 0), ("lgo", "log", 1), ("lg", "log", 1), ("logs", "log", 1), ("sin", "cos", 3),
     ("", "log", 3), ("abcd", "badc", 2)],
)  # fmt: skip
def test_slips_are_counted(word, other, slips):
    assert slips_between(word, other) == slips


def test_missing_value_is_asked_for_only_where_the_functions_are_there():
    with pytest.raises(VjpError) as caught:
        grad("jax.grad(f)(x)", {"x": 1.0})
    assert caught.value.diagnostic.code == "not-offered"
    with pytest.raises(VjpError) as caught:
        grad("sofmax(y)", {})
    assert caught.value.diagnostic.code == "unknown-function"


def test_gradient_of_a_function_is_answered_with_the_function():
    with pytest.raises(VjpError) as caught:
        grad("jax.grad(lambda q: q**2)(x)", {"x": 1.0})
    fix = caught.value.diagnostic.fix
    assert fix is not None
    assert fix.text == "(lambda q: q**2)(x)"


def test_declared_operations_need_no_reason():
    """A reason would be told by `vjp rule`, which looks for operations first."""
    assert find_callee("softmax", "torch") is not None
    assert reason_against("softmax") is None


def test_distribution_takes_its_parameters_before_its_function():
    given = {"x": [0.5, 2.0], "s": 2.0}
    plain = grad("scipy.stats.norm.logpdf(x, 0.3, s)", given, seed="ones")
    for text in (
        "scipy.stats.norm(0.3, s).logpdf(x)",
        "scipy.stats.norm(0.3, scale=s).logpdf(x)",
        "from scipy.stats import norm; d = norm(loc=0.3, scale=s); d.logpdf(x)",
        "from scipy.stats import norm as normal; normal.logpdf(x, 0.3, s)",
        "from jax.scipy.stats import norm; norm.logpdf(x, 0.3, s)",
    ):
        found = grad(text, given, seed="ones")
        assert found.keys() == plain.keys()
        for name, gradient in plain.items():
            assert found[name].tolist() == gradient.tolist()


def test_name_of_a_constant_is_free_without_a_prefix():
    assert grad("exp(-x/tau)", {"x": 1.0, "tau": 2.0})["tau"] > 0
    assert grad("x*math.tau + x*np.euler_gamma", {"x": 1.0})["x"] == pytest.approx(6.86040097)
    with pytest.raises(VjpError) as caught:
        grad("x*tau", {"x": 1.0})
    assert caught.value.diagnostic.code == "missing-value"
