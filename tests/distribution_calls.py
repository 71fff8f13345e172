"""Distributions as PyTorch users write them; see `torch_calls.py` for the values.

What PyTorch makes of them is kept in `distributions_measured_in_torch.jsonl`.
"""

from __future__ import annotations

_D = "torch.distributions."
_WITH_BOTH = {
    "Normal(v, p)": "u",
    "Normal(v, 2.0)": "u",
    "Normal(loc=v, scale=p)": "u",
    "LogNormal(v, p)": "q",
    "HalfNormal(p)": "q",
    "Laplace(v, p)": "u",
    "Gumbel(v, p)": "u",
    "StudentT(3*p, v, q)": "u",
    "StudentT(p + 2)": "u",
    "Exponential(p)": "q",
    "Gamma(p, q)": "p",
    "Chi2(3*p)": "q",
    "Beta(p, q)": "p",
    "Beta(2.0, 3*q)": "p",
    "Uniform(-p, q)": "q/2",
    "Weibull(p, 2*q)": "q",
    "Bernoulli(p)": "torch.tensor([1.0, 0.0, 1.0])",
    "Bernoulli(probs=p)": "torch.tensor([0.0, 0.0, 1.0])",
    "Bernoulli(logits=v)": "torch.tensor([1.0, 0.0, 1.0])",
    "Geometric(p)": "torch.tensor([2.0, 0.0, 1.0])",
    "Geometric(logits=v)": "torch.tensor([2.0, 0.0, 1.0])",
}
_DENSITIES = {
    "Cauchy(v, p)": "u",
    "Pareto(q, p)": "q + p",
    "Binomial(5, p)": "torch.tensor([2.0, 0.0, 5.0])",
    "Binomial(5, logits=v)": "torch.tensor([2.0, 0.0, 5.0])",
    "Poisson(p)": "torch.tensor([2.0, 0.0, 5.0])",
    "Categorical(p)": "torch.tensor([2, 0])",
    "Categorical(probs=P)": "torch.tensor([2, 0])",
    "Categorical(logits=X)": "torch.tensor([2, 0])",
    "Dirichlet(4*p)": "q",
    "MultivariateNormal(v, S)": "u",
    "MultivariateNormal(v, covariance_matrix=S)": "X",
    "MultivariateNormal(v, precision_matrix=S)": "u",
    "MultivariateNormal(v, scale_tril=torch.tril(A))": "u",
}
_ENTROPIES = (
    "Cauchy(v, p)", "Pareto(q, p)", "Categorical(P)", "Categorical(logits=X)",
    "MultivariateNormal(v, S)",
)  # fmt: skip
_CDFS = {"Normal(v, p)": "u", "Cauchy(v, p)": "u", "Exponential(p)": "q", "Uniform(-p, q)": "q/2"}
_PAIRS = (
    ("Normal(v, p)", "Normal(u, q)"),
    ("Exponential(p)", "Exponential(q)"),
    ("Gamma(p, q)", "Gamma(q, p)"),
    ("Bernoulli(p)", "Bernoulli(q)"),
    ("Bernoulli(logits=v)", "Bernoulli(logits=u)"),
    ("Poisson(p)", "Poisson(q)"),
    ("Categorical(logits=X)", "Categorical(logits=Y)"),
)

DISTRIBUTION_CALLS = (
    *(f"{_D}{made}.log_prob({value})" for made, value in {**_WITH_BOTH, **_DENSITIES}.items()),
    *(f"{_D}{made}.entropy()" for made in (*_WITH_BOTH, *_ENTROPIES)),
    *(f"{_D}{made}.cdf({value})" for made, value in _CDFS.items()),
    *(f"{_D}{made}.{name}" for made in _WITH_BOTH for name in ("mean", "variance", "stddev")),
    *(f"{_D}{made}.mean" for made in ("Binomial(5, p)", "Poisson(p)", "Dirichlet(4*p)")),
    *(f"{_D}kl_divergence({_D}{p}, {_D}{q})" for p, q in _PAIRS),
    f"{_D}Bernoulli(logits=v).probs",
    f"{_D}Bernoulli(p).logits",
    f"{_D}Normal(v, p).loc",
)
