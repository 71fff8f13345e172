# ruff: noqa: E501  (a call stands on one line, as it is typed)
"""Calls of special functions and distributions as users of SciPy, NumPy, PyTorch and JAX write them.

Each is a program of the language and a Python expression at once. What the libraries make of them
is kept in `measured_special.jsonl`; where they are installed, `pytest tests/test_special_calls.py
--rewrite` measures anew. PyTorch and JAX give gradients as well.
"""

from __future__ import annotations

import ast
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

MEASURED_FILE = Path(__file__).with_name("measured_special.jsonl")

VALUES: dict[str, Any] = {
    "x": [0.5, 1.5, 4.0],
    "a": [0.7, 2.0, 5.5],
    "b": [1.2, 0.4, 3.0],
    "p": [0.2, 0.7, 0.9],
    "s": [-1.3, 0.4, 6.0],
    "k": [0.0, 2.0, 3.0],
    "c": [1.0, -6.5, 10.0, -3.0],
    "d": [2.0, 1.0],
}

IN_SCIPY = (
    *(
        f"scipy.special.{call}"
        for call in (
            "j0(s)", "j1(s)", "y0(x)", "y1(x)", "jv(3, s)", "jn(2, s)", "jv(-1, s)", "yn(2, x)", "yv(-3, x)",
            "k0(x)", "k1(x)", "kn(2, x)", "kv(3, x)", "k0e(x)", "k1e(x)", "kve(2, x)", "iv(3, s)", "ive(25, s)",
            "spherical_jn(0, s)", "spherical_jn(2, x)", "gammainc(a, x)", "gammaincc(a, x)", "betainc(a, b, p)",
            "betaincc(a, b, p)", "expi(s)", "exp1(x)", "expn(3, x)", "expn(0, x)", "sici(s)[0]", "sici(x)[1]",
            "fresnel(s)[0]", "fresnel(s)[1]", "dawsn(s)", "erfi(s)", "spence(x)", "owens_t(s, b)", "zeta(a + 1, b)",
            "zeta(a + 1)", "ellipk(s - 6)", "ellipe(p)", "ellipkm1(p)", "agm(a, b)", "beta(a, b)", "betaln(a, b)",
            "gammasgn(s)", "rgamma(s)", "loggamma(a)", "poch(a, b)", "factorial(a)", "comb(a, k)", "binom(a, b)",
            "perm(5, k)", "exprel(s)", "cosm1(s)", "powm1(x, s)", "exp10(p)", "boxcox(x, s)", "boxcox1p(x, p)",
            "inv_boxcox(p, b)", "inv_boxcox1p(p, b)", "huber(1.2, s)", "pseudo_huber(1.2, s)", "kl_div(a, b)",
            "rel_entr(a, b)", "ndtri(p)", "log_ndtr(s)", "erfcx(s)", "polygamma(2, a)", "eval_chebyt(3, s)",
            "eval_chebyu(4, s)", "eval_sh_chebyt(3, s)", "eval_legendre([0, 1, 2], s)", "eval_hermite(3, s)",
            "eval_hermitenorm(4, s)", "eval_laguerre(3, x)", "eval_genlaguerre(3, 0.5, x)",
            "eval_gegenbauer(3, 0.7, s)", "eval_jacobi(3, 0.5, 1.5, p)", "hyp0f1(a, s)", "hyp1f1(a, b, s)",
            "hyp2f1(a, b, 2.5, p)", "pdtr(k, a)", "pdtrc(k, a)", "bdtr(k, 4, p)", "bdtrc(k, 4, p)", "bdtr(k, 3, p)",
            "chdtr(a, x)", "chdtrc(a, x)", "stdtr(a, s)", "fdtr(a, b, x)", "fdtrc(a, b, x)", "gdtr(a, b, x)",
            "gdtrc(a, b, x)", "erfcinv(p)", "erfcinv(p + 0.9)", "erfcinv(p/1e30)",
        )
    ),
    *(
        f"scipy.stats.{call}"
        for call in (
            "norm.logpdf(s)", "norm.pdf(s, 0.5, b)", "norm.cdf(s, loc=a, scale=b)", "norm.sf(s)", "norm.logsf(x)",
            "norm.logcdf(s)", "norm.ppf(p, a, b)", "expon.logpdf(x)", "expon.cdf(s, scale=b)", "laplace.logpdf(s, a, b)",
            "laplace.cdf(s)", "logistic.logpdf(s)", "cauchy.logpdf(s)", "cauchy.cdf(s)", "uniform.logpdf(x, 0, 5)",
            "uniform.cdf(s)", "gamma.logpdf(x, a)", "gamma.pdf(s, a, scale=b)", "gamma.cdf(x, a)", "gamma.sf(x, a)",
            "beta.logpdf(p, a, b)", "beta.pdf(p, a, b)", "beta.cdf(p, a, b)", "chi2.logpdf(x, a)", "chi2.cdf(x, a)",
            "chi2.pdf(x, a)", "t.logpdf(s, a)", "t.cdf(s, a)", "t.sf(s, a)", "lognorm.logpdf(x, a)", "lognorm.cdf(x, a)",
            "pareto.logpdf(x, a)", "pareto.cdf(x, a)", "gumbel_r.logpdf(s)", "gumbel_r.sf(s)", "weibull_min.logpdf(x, a)",
            "weibull_min.cdf(x, a)", "poisson.logpmf(k, a)", "poisson.cdf(k, a)", "poisson.sf(k, a)",
            "bernoulli.logpmf([0, 1, 1], p)", "binom.logpmf(k, 5, p)", "binom.pmf(k, 3, p)", "geom.logpmf(k, p)",
            "geom.cdf(k, p)", "multivariate_normal.logpdf(d, [0.5, 0.2], [[2, 0.5], [0.5, 1]])",
            "multivariate_normal.pdf([[1, 2], [0.5, 0.2]], d)", "norm.isf(p)", "expon.isf(p)", "logistic.isf(p)",
            "cauchy.ppf(p)", "cauchy.isf(p)", "pareto.ppf(p, a)", "pareto.isf(p, a)", "gumbel_r.ppf(p)",
            "lognorm.ppf(p, a)", "weibull_min.ppf(p, a)", "lognorm.logpdf([-1, 0, 1], a)",
            "rayleigh.logpdf(x, a, b)", "rayleigh.logpdf(s)", "rayleigh.cdf(x)", "rayleigh.sf(x)", "rayleigh.ppf(p)",
            "maxwell.logpdf(x, scale=b)", "maxwell.cdf(x)", "maxwell.sf(x)", "halfnorm.logpdf(x)", "halfnorm.cdf(x)",
            "halfnorm.sf(x)", "halfnorm.ppf(p)", "halfcauchy.logpdf(x)", "halfcauchy.cdf(x)", "halfcauchy.sf(x)",
            "halfcauchy.ppf(p)", "invgamma.logpdf(x, a)", "invgamma.logpdf([-1, 0, 1], a)", "invgamma.cdf(x, a)",
            "invgamma.sf(x, a)", "f.logpdf(x, a, b)", "f.cdf(x, a, b)", "f.sf(x, a, b)", "lomax.logpdf(x, a)",
            "lomax.cdf(x, a)", "lomax.sf(x, a)", "lomax.ppf(p, a)", "gumbel_l.logpdf(s)", "gumbel_l.cdf(s)",
            "gumbel_l.sf(s)", "gumbel_l.logsf(s)", "gumbel_l.ppf(p)", "gennorm.logpdf(s, a)", "skewnorm.logpdf(s, a)",
            "truncnorm.logpdf(s, -2, 1)", "truncnorm.cdf(s, -2, 1)", "truncnorm.logpdf(x, a, 9)",
            "truncnorm.cdf(x, 5, 9)", "vonmises.logpdf(s, a)", "wrapcauchy.logpdf(s, p)", "nbinom.logpmf(k, a, p)",
            "nbinom.cdf(k, a, p)", "betabinom.logpmf(k, 2, a, b)", "norm(a, b).logpdf(s)",
            "gamma(a, scale=b).cdf(x)", "poisson(a).logpmf(k)",
        )
    ),
    "np.polyder(c)", "np.polyder(c, 2)", "np.polyint(c)", "np.polyint(c, 2, [1, 2])", "np.polyadd(c, d)",
    "np.polysub(d, c)", "np.polymul(c, d)", "np.polydiv(c, d)[0]", "np.poly(x)", "np.polyfit(x, a, 1)", "np.roots(c)",
    "np.unwrap(s)", "np.unwrap(s, period=2)", "np.modf(s)[0]", "np.frexp(s)[0]",
    "math.remainder(5, 3)", "math.remainder(-4.5, 3)", "math.comb(5, 2)", "math.perm(5, 2)", "math.factorial(6)",
    "math.hypot(1, 2, 2)", "math.gcd(12, 18)", "math.lcm(4, 6)", "math.isqrt(10)", "math.fsum([1, 2, 3.5])",
)  # fmt: skip
"""What SciPy, NumPy or Python's math is asked for its value."""

IN_JAX = tuple(
    f"jax.{call}"
    for call in (
        "scipy.special.bessel_jn(x, v=3)", "scipy.special.beta(a, b)", "scipy.special.betainc(a, b, p)",
        "scipy.special.gammainc(a, x)", "scipy.special.gammaincc(a, x)", "scipy.special.expi(x)",
        "scipy.special.exp1(x)", "scipy.special.fresnel(s)[0]", "scipy.special.sici(x)[1]", "scipy.special.spence(x)",
        "scipy.special.zeta(2.5, b)", "scipy.special.poch(a, 2.0)", "scipy.special.i0e(s)", "scipy.special.i1(s)",
        "scipy.special.rel_entr(a, b)", "scipy.special.log_ndtr(s)", "scipy.special.ndtri(p)",
        "lax.igamma_grad_a(a, x)", "lax.bessel_i1e(s)",
        "scipy.stats.norm.logpdf(s, a, b)", "scipy.stats.norm.cdf(s, a, b)", "scipy.stats.expon.logpdf(x, 0, b)",
        "scipy.stats.laplace.logpdf(s, a, b)", "scipy.stats.logistic.logpdf(s)", "scipy.stats.cauchy.logpdf(s, a, b)",
        "scipy.stats.gamma.logpdf(x, a, 0, b)", "scipy.stats.gamma.cdf(x, a)", "scipy.stats.beta.logpdf(p, a, b)",
        "scipy.stats.beta.cdf(p, a, b)", "scipy.stats.chi2.logpdf(x, a)", "scipy.stats.t.logpdf(s, a, 0.3, b)",
        "scipy.stats.pareto.logpdf(x, a)", "scipy.stats.poisson.logpmf(k, a)",
        "scipy.stats.bernoulli.logpmf(np.array([0, 1, 1]), p)", "scipy.special.hyp1f1(a, b, s)",
        "scipy.special.hyp2f1(a, b, 2.5, p / 2)", "scipy.stats.multivariate_normal.logpdf(d, d / 2, np.array([[2, 0.5], [0.5, 1]]))", "numpy.polyadd(c, d)", "numpy.polymul(c, d)", "numpy.polyint(c)",
        "numpy.polyder(c)", "numpy.unwrap(s)",
        "scipy.stats.gumbel_l.logpdf(s)", "scipy.stats.gennorm.logpdf(s, a)",
        "scipy.stats.vonmises.logpdf(s, a)", "scipy.stats.wrapcauchy.logpdf(x, p)", "scipy.stats.nbinom.logpmf(k, a, p)",
        "scipy.stats.pareto.logpdf(x + 5, a, 0.1, b)",
    )
)  # fmt: skip
"""What JAX is asked for its value and gradients."""

IN_TORCH = tuple(
    f"torch.{call}"
    for call in (
        "special.bessel_j0(s)", "special.bessel_j1(s)", "special.bessel_y0(x)", "special.bessel_y1(x)",
        "special.modified_bessel_i0(s)", "special.modified_bessel_i1(s)", "special.modified_bessel_k0(x)",
        "special.modified_bessel_k1(x)", "special.scaled_modified_bessel_k0(x)", "special.scaled_modified_bessel_k1(x)",
        "special.spherical_bessel_j0(s)", "special.airy_ai(s)", "special.gammainc(a, x)", "special.gammaincc(a, x)",
        "special.zeta(a + 1, b)", "special.erfcx(s)", "special.log_ndtr(s)", "special.ndtri(p)",
        "special.chebyshev_polynomial_t(s, 3)", "special.chebyshev_polynomial_u(s, 3)",
        "special.chebyshev_polynomial_v(s, 3)", "special.chebyshev_polynomial_w(s, 3)",
        "special.shifted_chebyshev_polynomial_t(p, 3)", "special.shifted_chebyshev_polynomial_u(p, 3)",
        "special.shifted_chebyshev_polynomial_v(p, 3)", "special.shifted_chebyshev_polynomial_w(p, 3)",
        "special.hermite_polynomial_h(s, 4)", "special.hermite_polynomial_he(s, n=4)",
        "special.laguerre_polynomial_l(x, 3)", "special.legendre_polynomial_p(p, k)", "igamma(a, x)", "igammac(a, x)",
        "special.polygamma(2, a)", "special.multigammaln(a + 1, 2)",
    )
)  # fmt: skip
"""What PyTorch is asked for its value and gradients."""


def names_in(text: str) -> list[str]:
    """The values of VALUES that a call reads, in alphabetical order."""
    found = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    return sorted(found & VALUES.keys())


def seed_for(shape: Any) -> Any:
    count = int(np.prod(shape))
    return (1 + np.arange(count) / 8).reshape(tuple(shape))


def measured_in_scipy(text: str) -> dict[str, Any]:
    """What Python itself makes of the text; the texts are this file's own."""
    import scipy.special
    import scipy.stats

    given = {name: np.array(VALUES[name]) for name in names_in(text)}
    value = eval(text, {"scipy": scipy, "np": np, "math": math, **given})
    return {"call": text, "value": np.asarray(value, dtype=np.float64).tolist(), "gradients": {}}


def measured_in_jax(text: str) -> dict[str, Any]:
    """What JAX makes of the text, and the gradients that it has a rule for."""
    import jax
    import jax.scipy.stats

    names = names_in(text)
    with jax.enable_x64(True):

        def run(given: dict[str, Any]) -> Any:
            return eval(text, {"jax": jax, "np": np, **given}) * 1.0

        arrays = {name: jax.numpy.asarray(VALUES[name]) for name in names}
        value = run(arrays)
        gradients = {}
        for name in names:
            try:
                _, pull = jax.vjp(lambda one, name=name: run({**arrays, name: one}), arrays[name])
                gradients[name] = np.asarray(pull(jax.numpy.asarray(seed_for(value.shape)))[0])
            except (ValueError, NotImplementedError):  # it has no rule
                continue
        return {
            "call": text,
            "value": np.asarray(value).tolist(),
            "gradients": {name: one.tolist() for name, one in gradients.items()},
        }


def measured_in_torch(text: str) -> dict[str, Any]:
    """What PyTorch makes of the text, and the gradients that it has a formula for."""
    import torch

    names = names_in(text)
    tensors = {name: torch.tensor(VALUES[name], dtype=torch.float64) for name in names}
    value = eval(text, {"torch": torch, **tensors})
    gradients = {}
    for name in names:
        leaf = tensors[name].clone().requires_grad_()
        try:
            output = eval(text, {"torch": torch, **tensors, name: leaf})
            seed = torch.tensor(seed_for(output.shape))
            gradients[name] = torch.autograd.grad(output, leaf, seed)[0].tolist()
        except (RuntimeError, NotImplementedError):  # it has no formula
            continue
    return {"call": text, "value": value.tolist(), "gradients": gradients}


def kept_rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in MEASURED_FILE.read_text("utf-8").splitlines()]


def keep(rows: list[dict[str, Any]]) -> None:
    MEASURED_FILE.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
