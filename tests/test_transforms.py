"""vmap, jit and the loops of lax, written out."""

from __future__ import annotations

import numpy as np
import pytest

from vjpcli import VjpError, grad

VALUES = {"x": [1.0, 2.0, 3.0], "W": [[1.0, 2.0, 0.5], [3.0, 4.0, -1.0]], "a": 2.0}


@pytest.mark.parametrize(
    ("text", "written_out"),
    [
        ("jax.vmap(lambda q: q**2)(x).sum()", "sum(x**2)"),
        ("jax.vmap(jnp.sin)(x).sum()", "sum(sin(x))"),
        ("jax.vmap(jnp.dot, in_axes=(0, None))(W, x)[1]", "W[1] @ x"),
        ("jax.vmap(jnp.dot, (1, None))(W, [a, 3.0])[2]", "W[:, 2] @ [a, 3.0]"),
        ("jax.vmap(lambda q, r: q*r)(x, x)[1]", "x[1]**2"),
        ("jax.vmap(jax.vmap(lambda q: q**3))(W)[1, 0]", "W[1, 0]**3"),
        ("jax.vmap(lambda q: (q, q**2))(x)[1][2]", "x[2]**2"),
        ("jax.vmap(nn.Softplus())(x)[0]", "softplus(x)[0]"),
        ("torch.vmap(torch.dot)(W, W)[0]", "W[0] @ W[0]"),
        ("from jax import jit, vmap; jit(vmap(lambda q: q*a))(x)[2]", "x[2]*a"),
        ("jax.jit(lambda q: q**2)(a)", "a**2"),
        ("f = lambda q: q**2; g = jax.checkpoint(f); g(a)", "a**2"),
        ("lax.fori_loop(0, 3, lambda i, v: v*a + i, 1.0)", "((a + 0)*a + 1)*a + 2"),
        ("jax.lax.fori_loop(0, len(x), lambda i, v: v + x[i]**i, 0.0)", "1 + x[1] + x[2]**2"),
        ("lax.scan(lambda c, q: (c*a + q, c), 0.0, x)[0]", "(x[0]*a + x[1])*a + x[2]"),
        ("c, ys = lax.scan(lambda c, q: (c*a + q, c), 0.0, x); ys[2]", "x[0]*a + x[1]"),
        ("lax.scan(lambda c, q: (c*a, None), x[0], None, length=3)[0]", "x[0]*a**3"),
        (
            "lax.scan(lambda c, q: (c*a + q, c), 0.0, x, reverse=True)[0]",
            "(x[2]*a + x[1])*a + x[0]",
        ),
        ("lax.scan(lambda c, q: (c + q, c), 0, x, reverse=True)[1][0]", "x[1] + x[2]"),
        ("lax.cond(a > 1, lambda q: q**2, lambda q: -q, a)", "a**2"),
        ("lax.cond(a < 1, lambda q: q**2, lambda q: -q, a)", "-a"),
        ("lax.while_loop(lambda v: v < 10, lambda v: v*a, x[1])", "x[1]*a**3"),
        ("lax.map(lambda q: q**3, x)[1]", "x[1]**3"),
        ("jnp.linalg.cond(W[:, :2])", "np.linalg.cond(W[:, :2])"),
    ],
)
def test_transform_means_its_function_written_out(text, written_out):
    ours, theirs = grad(text, VALUES), grad(written_out, VALUES)
    for name in VALUES:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-13)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("jax.vmap(x)(x)", "missing-argument"),
        ("jax.vmap()(x)", "missing-argument"),
        ("jax.vmap(lambda q: q)(a)", "not-iterable"),
        ("jax.vmap(lambda q, r: q)(x, W)", "shape-mismatch"),
        ("jax.vmap(lambda q: q, in_axes=None)(x)", "keyword-value"),
        ("jax.vmap(lambda q: q, in_axes=3)(x)", "axis-out-of-range"),
        ("jax.vmap(lambda q: q, out_axes=1)(x)", "keyword-value"),
        ("jax.vmap + x", "not-a-number"),
        ("jax.vmap(lambda q: q).shape", "attribute-access"),
        ("lax.scan(lambda c, q: c, 0.0, x)", "unpack-count"),
        ("lax.scan(lambda c, q: (c, q), 0.0, None)", "missing-argument"),
        ("lax.fori_loop(0, 3, lambda i, v: v)", "missing-argument"),
        ("lax.fori_loop(0, 3, lambda i, v: v, a, a)", "too-many-arguments"),
        ("lax.fori_loop(0, 10**9, lambda i, v: v, a)", "unrolled-too-far"),
        ("lax.while_loop(lambda v: True, lambda v: v*a, a)", "unrolled-too-far"),
        ("lax.while_loop(lambda v: x > 1, lambda v: v*a, a)", "shape-mismatch"),
        ("lax.map(lambda q: q, x, unrolled=2)", "unknown-keyword"),
        ("jax.grad(lambda q: q**2)(a)", "not-offered"),
    ],
)
def test_transform_that_cannot_be_written_out_is_refused_in_words(text, code):
    with pytest.raises(VjpError) as caught:
        grad(text, VALUES)
    assert caught.value.diagnostic.code == code
