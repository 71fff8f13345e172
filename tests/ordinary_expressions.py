"""Textbook formulas at ordinary points: losses, layers, physics, kernels, statistics, matrices.

No finding has anything to say about any of them. Inputs whose gradient nobody wants, such as
labels and targets, are not among `wrt`.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Ordinary(NamedTuple):
    """An expression, its values, and the inputs that get gradients (None for all)."""

    expression: str
    values: dict[str, Any]
    wrt: tuple[str, ...] | None


def of(expression: str, wrt: str | None = None, /, **values: Any) -> Ordinary:
    return Ordinary(expression, values, None if wrt is None else tuple(wrt.split()))


T = [2.1, 3.9, 6.2, 7.8]
X4 = [1.0, 2.0, 3.0, 4.0]
X3 = [0.6, -1.2, 2.3]
Y3 = [1.4, 0.3, -0.8]
P3 = [0.2, 0.5, 0.3]
Q3 = [0.25, 0.35, 0.4]
M22 = [[2.0, 0.5], [0.3, 1.5]]
S22 = [[2.0, 0.5], [0.5, 1.5]]
M23 = [[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]]
M32 = [[0.4, -0.2], [1.1, 0.6], [-0.9, 0.8]]
M33 = [[2.0, 0.3, -0.5], [0.1, 1.5, 0.4], [-0.2, 0.6, 1.8]]
LOGITS = [[2.0, 1.0, 0.1], [0.5, 2.5, -1.0]]
ONE_HOT = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
DATA = [[1.0, 2.0], [2.0, 0.5], [-1.0, 1.5], [0.5, -0.7]]

REGRESSION = [
    of("mean((w*x - t)**2)", "w", w=1.5, x=X4, t=T),
    of("mean((w*x + b - t)**2)", "w b", w=1.5, b=0.3, x=X4, t=T),
    of("sum((X @ w - t)**2) / 2", "w", X=DATA, w=[0.4, 0.9], t=T),
    of("mse_loss(X @ w + b, t)", "w b", X=DATA, w=[0.4, 0.9], b=0.1, t=T),
    of("mean(abs(w*x - t))", "w", w=1.5, x=X4, t=T),
    of("l1_loss(w*x, t)", "w", w=1.5, x=X4, t=T),
    of("huber_loss(w*x, t)", "w", w=1.5, x=X4, t=T),
    of("smooth_l1_loss(w*x, t)", "w", w=1.5, x=X4, t=T),
    of("mean(log(cosh(w*x - t)))", "w", w=1.5, x=X4, t=T),
    of("mean((w*x - t)**2) + 0.1*sum(w**2)", "w", w=1.5, x=X4, t=T),
    of("sum((X @ w - t)**2) + 0.1*sum(abs(w))", "w", X=DATA, w=[0.4, 0.9], t=T),
    of("mean((a + b*x + c*x**2 - t)**2)", "a b c", a=0.1, b=0.7, c=0.3, x=X4, t=T),
    of("mean((a*exp(-k*x) - t)**2)", "a k", a=2.0, k=0.3, x=X4, t=T),
    of("mean((a*sin(w*x + p) - t)**2)", "a w p", a=2.0, w=0.7, p=0.2, x=X4, t=T),
    of("sqrt(mean((w*x - t)**2))", "w", w=1.5, x=X4, t=T),
    of("e = w*x - t; mean(where(e > 0, 0.9*e, -0.1*e))", "w", w=1.5, x=X4, t=T),
    of("1 - sum((t - w*x)**2) / sum((t - mean(t))**2)", "w", w=1.5, x=X4, t=T),
    of("mean(weight * (w*x - t)**2)", "w", weight=[1.0, 2.0, 1.0, 0.5], w=1.5, x=X4, t=T),
    of("mean((log(w*x) - log(t))**2)", "w", w=1.5, x=X4, t=T),
    of("poisson_nll_loss(w*x, t)", "w", w=0.4, x=X4, t=T),
    of("mean(exp(w*x) - t*w*x)", "w", w=0.4, x=X4, t=T),
    of("gaussian_nll_loss(w*x, t, v)", "w v", w=1.4, x=X4, t=T, v=[0.5, 0.7, 0.6, 0.9]),
    of("m = X @ w; mean((m - t)**2) + 0.5*norm(w)", "w", X=DATA, w=[0.4, 0.9], t=T),
]

CLASSIFICATION = [
    of("binary_cross_entropy(sigmoid(x), t)", "x", x=X3, t=[1.0, 0.0, 1.0]),
    of("binary_cross_entropy_with_logits(x, t)", "x", x=X3, t=[1.0, 0.0, 1.0]),
    of("-mean(t*log(p) + (1 - t)*log(1 - p))", "p", p=[0.7, 0.2, 0.9], t=[1.0, 0.0, 1.0]),
    of(
        "p = sigmoid(X @ w); -mean(t*log(p) + (1 - t)*log(1 - p))",
        "w",
        X=DATA,
        w=[0.4, 0.9],
        t=[1.0, 0.0, 1.0, 0.0],
    ),
    of("mean(log(1 + exp(-y*x)))", "x", x=X3, y=[1.0, -1.0, 1.0]),
    of("cross_entropy(x, t)", "x", x=LOGITS, t=[0, 1]),
    of("cross_entropy(x, t)", x=LOGITS, t=[0, 1]),
    of("-sum(t*log_softmax(x, axis=1)) / 2", "x", x=LOGITS, t=ONE_HOT),
    of("p = softmax(x); -sum(y*log(p))", "x", x=[2.0, 1.0, 0.1], y=[0.0, 1.0, 0.0]),
    of("nll_loss(log_softmax(x, dim=1), t)", "x", x=LOGITS, t=[2, 1]),
    of("logsumexp(x) - x[1]", x=[2.0, 1.0, 0.1]),
    of("mean(logsumexp(x, axis=1) - sum(x*t, axis=1))", "x", x=LOGITS, t=ONE_HOT),
    of("mean(relu(1 - y*x))", "x", x=X3, y=[1.0, -1.0, 1.0]),
    of("mean(maximum(1 - y*x, 0))", "x", x=[0.4, 0.3, -0.2], y=[1.0, -1.0, 1.0]),
    of("mean(maximum(1 - y*x, 0)**2)", "x", x=[0.4, 0.3, -0.2], y=[1.0, -1.0, 1.0]),
    of(
        "mean(maximum(1 - y*(X @ w), 0)) + 0.1*sum(w*w)",
        "w",
        X=DATA,
        w=[0.4, 0.9],
        y=[1.0, -1.0, 1.0, -1.0],
    ),
    of("p = sigmoid(x); -mean((1 - p)**2 * log(p))", x=X3),
    of("kl_div(log_softmax(x), t)", "x", x=[2.0, 1.0, 0.1], t=P3),
    of("1 - 2*sum(p*t)/(sum(p) + sum(t))", "p", p=[0.7, 0.2, 0.9], t=[1.0, 0.0, 1.0]),
    of("soft_margin_loss(x, y)", "x", x=X3, y=[1.0, -1.0, 1.0]),
    of("multi_margin_loss(x, t)", "x", x=[[0.3, 0.8, 0.1], [0.5, 0.9, -0.4]], t=[0, 1]),
    of("cross_entropy(x @ W + b, t)", "W b", x=DATA, W=M23, b=[0.1, 0.2, -0.3], t=[0, 2, 1, 1]),
    of("x[0] - logsumexp(x)", x=[3.0, 0.2, -1.0]),
    of("triplet_margin_loss(a, p, n)", a=[[0.1, 0.2]], p=[[0.4, 0.1]], n=[[0.6, -0.5]]),
    of("-mean(log_softmax(x / T, axis=1)[:, 0])", x=LOGITS, T=2.0),
]

ACTIVATIONS = [
    *[
        of(f"{name}(x)", x=X3)
        for name in (
            "sigmoid",
            "tanh",
            "relu",
            "softplus",
            "silu",
            "gelu",
            "elu",
            "selu",
            "celu",
            "mish",
            "softsign",
            "logsigmoid",
            "leaky_relu",
            "hardswish",
            "hardtanh",
            "hardsigmoid",
            "tanhshrink",
            "softshrink",
            "relu6",
            "erf",
            "arctan",
            "sin",
            "cos",
            "exp",
            "expm1",
            "sinh",
            "cosh",
            "arcsinh",
            "square",
            "abs",
            "cbrt",
            "ndtr",
            "sinc",
        )
    ],
    *[
        of(f"{name}(x)", x=[0.5, 1.7, 3.1])
        for name in (
            "log",
            "log1p",
            "log2",
            "log10",
            "sqrt",
            "rsqrt",
            "reciprocal",
            "lgamma",
            "digamma",
            "exp2",
        )
    ],
    *[
        of(f"{name}(x)", x=[0.5, -0.3, 0.8])
        for name in ("arcsin", "arccos", "arctanh", "erfinv", "tan")
    ],
    of("maximum(x, 0)", x=X3),
    of("clip(x, -1, 1)", x=X3),
    of("where(x > 0, x, 0.1*x)", x=X3),
    of("x * sigmoid(1.702*x)", x=X3),
    of("0.5*x*(1 + tanh(0.797885*(x + 0.044715*x**3)))", x=X3),
    of("minimum(maximum(x, -1), 1)", x=X3),
    of("softmax(x)[0]", x=X3),
    of("sum(softmax(x) * v)", x=X3, v=Y3),
    of("sum(softmax(x, axis=1)**2)", x=LOGITS),
    of("log_softmax(x)[1]", x=X3),
    of("prelu(x, a)", x=X3, a=0.2),
    of("glu(x)", x=[0.4, -0.6, 1.1, 0.3]),
    of("x / (1 + abs(x))", x=X3),
    of("x - tanh(x)", x=X3),
]

PHYSICS = [
    of("0.5*m*v**2", m=2.0, v=3.0),
    of("m*g*h", m=2.0, g=9.81, h=1.5),
    of("G*m1*m2/r**2", G=6.674e-11, m1=5.97e24, m2=7.35e22, r=3.84e8),
    of("2*pi*sqrt(l/g)", l=1.2, g=9.81),
    of("v*t + 0.5*a*t**2", v=3.0, t=2.0, a=-9.81),
    of("v**2*sin(2*q)/g", v=20.0, q=0.6, g=9.81),
    of("n*R*T/V", n=1.0, R=8.314, T=300.0, V=0.0224),
    of("(P + a*n**2/V**2)*(V - n*b)", P=101325.0, a=0.137, n=1.0, V=0.0224, b=3.87e-5),
    of("A*exp(-E/(R*T))", A=1e13, E=8e4, R=8.314, T=500.0),
    of("sigma*e*A*(T**4 - T0**4)", sigma=5.67e-8, e=0.9, A=1.5, T=320.0, T0=290.0),
    of("1/sqrt(1 - v**2/c**2)", v=2e8, c=3e8),
    of("m*c**2/sqrt(1 - (v/c)**2)", m=9.11e-31, v=1e8, c=3e8),
    of("V*exp(-t/(R*C))", V=5.0, t=0.01, R=1e4, C=1e-6),
    of("1/(2*pi*sqrt(L*C))", L=1e-3, C=1e-9),
    of("4*e*((s/r)**12 - (s/r)**6)", e=0.01, s=3.4, r=3.9),
    of("q1*q2/(4*pi*8.854e-12*r)", q1=1.6e-19, q2=-1.6e-19, r=5.3e-11),
    of("D*(1 - exp(-a*(r - r0)))**2", D=4.5, a=1.9, r=0.9, r0=0.74),
    of("A*exp(-g*t)*cos(w*t)", A=1.2, g=0.1, w=3.0, t=0.7),
    of("Vmax*S/(Km + S)", Vmax=2.0, S=0.6, Km=0.3),
    of("K/(1 + (K/P0 - 1)*exp(-r*t))", K=100.0, P0=5.0, r=0.4, t=6.0),
    of("8*pi*h*f**3/c**3/(exp(h*f/(k*T)) - 1)", h=6.626e-34, f=5e14, c=3e8, k=1.38e-23, T=5800.0),
    of("sqrt(x**2 + y**2)", x=3.0, y=4.0),
    of("arctan2(y, x)", x=3.0, y=4.0),
    of("r*sin(q)*cos(p)", r=2.0, q=0.8, p=0.3),
    of("P*(1 + r/12)**(12*t)", P=1000.0, r=0.05, t=3.0),
    of(
        "d = (log(S/K) + (r + v**2/2)*T)/(v*sqrt(T)); S*ndtr(d) - K*exp(-r*T)*ndtr(d - v*sqrt(T))",
        S=100.0,
        K=95.0,
        r=0.03,
        v=0.2,
        T=0.5,
    ),
    of("arcsin(n1*sin(q)/n2)", n1=1.0, n2=1.33, q=0.5),
    of("1/(1/f - 1/d)", f=0.05, d=0.4),
    of("x - (x**2 - a)/(2*x)", x=1.5, a=2.0),
    of(
        "6371*2*arcsin(sqrt(sin((b-a)/2)**2 + cos(a)*cos(b)*sin((d-c)/2)**2))",
        a=0.9,
        b=0.7,
        c=0.1,
        d=0.4,
    ),
]

NETWORKS = [
    of("sum(tanh(W @ x + b))", W=M23, x=X3, b=[0.1, -0.2]),
    of("v @ tanh(W @ x + b)", v=[0.7, -0.4], W=M23, x=X3, b=[0.1, -0.2]),
    of("mean((v @ relu(W @ x + b) - 1)**2)", "v W b", v=[0.7, -0.4], W=M23, x=X3, b=[1.1, 0.2]),
    of(
        "h = sigmoid(X @ W1 + b1); mean((h @ w2 - t)**2)",
        "W1 b1 w2",
        X=DATA,
        W1=M23,
        b1=[0.1, 0.2, 0.3],
        w2=X3,
        t=T,
    ),
    of(
        "h = relu(X @ W + b); cross_entropy(h, t)",
        "W b",
        X=DATA,
        W=M23,
        b=[0.1, 0.2, 0.3],
        t=[0, 2, 1, 1],
    ),
    of("softmax(Q @ K.T / sqrt(2), axis=-1) @ V", Q=M32, K=M32, V=M32),
    of("s = Q @ K.T / sqrt(2); sum((softmax(s, dim=-1) @ V)**2)", Q=M32, K=DATA, V=DATA),
    of("h = tanh(W*x + U*h0); tanh(W*x + U*h)", W=0.5, U=0.8, x=1.2, h0=0.3),
    of("z = sigmoid(a*x + b*h); (1 - z)*h + z*tanh(c*x)", a=0.4, b=0.3, c=0.9, x=1.2, h=0.3),
    of("f*c + i*tanh(g)", f=0.7, c=0.4, i=0.6, g=0.5),
    of("x + tanh(W @ x)", x=[0.4, -0.3], W=M22),
    of("g*(x - mean(x))/sqrt(var(x, ddof=0) + 1e-5) + b", g=[1.1, 0.9, 1.3], x=X3, b=Y3),
    of("x / sqrt(mean(x**2) + 1e-6) * g", x=X3, g=[1.1, 0.9, 1.3]),
    of("sum(x * w) + b", x=X3, w=Y3, b=0.4),
    of("X @ W.T + b", X=M23, W=M33, b=X3),
    of("linear(x, W, b)", x=M23, W=M33, b=X3),
    of("sum(layer_norm(x, (3,)) * v)", x=M23, v=Y3),
    of("E[[0, 2]] @ w", E=M32, w=[0.5, 0.9]),
    of("mean(X, axis=0) @ w", X=DATA, w=[0.5, 0.9]),
    of("max(X, dim=1).values @ w", X=M23, w=[0.5, 0.9]),
    of("sigmoid(w*x + b)*(1 - sigmoid(w*x + b))", w=0.8, x=1.1, b=-0.2),
    of("h = x; h = tanh(w*h); h = tanh(w*h); h = tanh(w*h); h", x=0.7, w=1.2),
    of("cosine_similarity(x, y, dim=0)", x=X3, y=Y3),
    of("x @ y / (norm(x)*norm(y))", x=X3, y=Y3),
    of("(1 - m)*target + m*online", m=0.1, target=X3, online=Y3),
    of("r + 0.9*max(q) - q0", r=1.0, q=X3, q0=0.7),
    of("minimum(r*A, clip(r, 0.8, 1.2)*A)", "r", r=[0.9, 1.1, 1.5], A=[1.0, -0.5, 0.3]),
    of("0.5*sum(exp(s) + m**2 - 1 - s)", m=X3, s=Y3),
    of("m + exp(0.5*s)*e", "m s", m=X3, s=Y3, e=[0.3, -0.4, 1.1]),
]

KERNELS = [
    of("exp(-sum((x - y)**2)/2)", x=X3, y=Y3),
    of("exp(-0.5*(x[:, None] - x[None, :])**2)", x=X3),
    of("exp(-0.5*(x - mu)**2/s**2)/(s*sqrt(2*pi))", x=X3, mu=0.2, s=1.3),
    of("(x @ y + 1)**3", x=X3, y=Y3),
    of("tanh(0.3*(x @ y) + 1)", x=X3, y=Y3),
    of("a[:, None]*b[None, :]", a=X3, b=Y3),
    of("outer(a, b)", a=X3, b=Y3),
    of("a*b", a=[[1.0], [2.0], [3.0]], b=[[10.0, -1.0]]),
    of("sum((X[:, None, :] - Y[None, :, :])**2, axis=-1)", X=M32, Y=DATA),
    of("D = X[:, None, :] - Y[None, :, :]; exp(-sum(D*D, axis=-1))", X=M32, Y=DATA),
    of("exp(-abs(x - y))", x=X3, y=Y3),
    of("1/(1 + sum((x - y)**2))", x=X3, y=Y3),
]

MATRICES = [
    of("A @ x", A=M22, x=[1.0, -0.5]),
    of("x @ A @ x", A=M22, x=[1.0, -0.5]),
    of("0.5*(x @ A @ x) - b @ x", A=M22, x=[1.0, 2.0], b=[1.0, 1.0]),
    of("trace(A @ B)", A=M22, B=S22),
    of("sum((A @ B)**2)", A=M23, B=M32),
    of("det(A)", A=M33),
    of("trace(inv(A))", A=M22),
    of("sum(solve(A, b))", A=M22, b=[3.0, 5.0]),
    of("logdet(A)", A=S22),
    of("slogdet(A)[1]", A=M33),
    of("cholesky(A)", A=S22),
    of("eigvalsh(A)[0]", A=S22),
    of("sum(svdvals(A))", A=M23),
    of("sqrt(sum(A**2))", A=M23),
    of("norm(A @ x - b)", A=M22, x=[1.0, -0.5], b=[3.0, 5.0]),
    of("(x @ A @ x)/(x @ x)", A=S22, x=[1.0, -0.5]),
    of("A.T @ A", A=M23),
    of("A @ A @ A", A=M22),
    of("b @ inv(A) @ b", A=S22, b=[1.0, -0.5]),
    of("-0.5*(d @ solve(A, d)) - 0.5*logdet(A)", A=S22, d=[0.7, -0.4]),
    of("kron(A, B)", A=M22, B=S22),
    of("g = (A + A.T) @ x; g @ g", A=M22, x=[1.0, 2.0]),
    of("matrix_exp(A)[0, 1]", A=M22),
    of("diag(A) @ x", A=M22, x=[1.0, -0.5]),
    of("A*b + c", A=M23, b=X3, c=Y3),
    of("A - mean(A, axis=1, keepdims=True)*s", A=M33, s=0.7),
]

STATISTICS = [
    of("mean(x)", x=X4),
    of("np.var(x)", x=[1.0, 2.0, 4.0, 9.0]),
    of("np.std(x, ddof=1)", x=[1.0, 2.0, 4.0, 9.0]),
    of("mean((x - mean(x))**3)/np.std(x)**3", x=[1.0, 2.0, 4.0, 9.0]),
    of("mean(x**2) - mean(x)**2", x=[1.0, 2.0, 4.0, 9.0]),
    of("sum(v*(x - mean(x))/np.std(x))", x=[1.0, 2.0, 4.0, 9.0], v=T),
    of(
        "sum((x - mean(x))*(y - mean(y)))/sqrt(sum((x - mean(x))**2)*sum((y - mean(y))**2))",
        x=[1.0, 2.0, 4.0, 9.0],
        y=[1.5, 1.0, 5.0, 4.0],
    ),
    of("-sum(p*log(p))", p=P3),
    of("sum(p*log(p/q))", p=P3, q=Q3),
    of("m = (p + q)/2; 0.5*sum(p*log(p/m)) + 0.5*sum(q*log(q/m))", p=P3, q=Q3),
    of("sum((sqrt(p) - sqrt(q))**2)/2", p=P3, q=Q3),
    of("1 - sum(p**2)", p=P3),
    of("-0.5*log(2*pi*v) - (x - m)**2/(2*v)", x=0.7, m=0.2, v=1.4),
    of("sum(x*log(l) - l - lgamma(x + 1))", "l", x=[1.0, 3.0, 2.0], l=1.7),
    of("(a - 1)*log(x) + (b - 1)*log(1 - x)", x=0.3, a=2.0, b=3.5),
    of("prod(x)**0.25", x=X4),
    of("4/sum(1/x)", x=X4),
    of("max(x) - min(x)", x=X3),
    of("sqrt(mean(x**2))", x=X4),
    of("exp(mean(log(x)))", x=X4),
    of("sum(cumsum(x)**2)", x=X4),
    of("cumprod(x)", x=X4),
    of("logsumexp(x)", x=X3),
    of("median(x)", x=[5.0, 1.0, 3.0]),
    of("sort(x).values[0:2] @ w", "w", x=[5.0, 1.0, 3.0], w=[0.4, 0.6]),
    of("sum(abs(x)**3)**(1/3)", x=X3),
    of("logaddexp(x, y)", x=1.2, y=-0.4),
]

CALCULUS = [
    of("3*a + 2*b*b + log(c)", a=[1, 2, 3], b=[3, 4, 5], c=[6, 7, 8]),
    of("x**3 - 2*x + 1", x=1.7),
    of("x**2", x=[0.0, 1.0]),
    of("(x - 2)**2", x=2.0),
    of("x*y + sin(x)", x=0.6, y=1.3),
    of("exp(sin(x*y))", x=0.6, y=1.3),
    of("(x**2 + y**2)**1.5", x=0.6, y=1.3),
    of("(1 - x)**2 + 100*(y - x**2)**2", x=-1.2, y=1.0),
    of("x**y", x=1.6, y=2.3),
    of("log(x + sqrt(x**2 + 1))", x=0.8),
    of("3 + 50*t**2/(t**2 + 4)", t=2.0),
    of("x*x*x", x=[2.0, -1.0]),
    of("x/y", x=3.0, y=4.0),
    of("(a*x + b)/(c*x + d)", a=1.0, b=2.0, c=0.5, d=1.5, x=0.7),
    of("h = a*b; y = h*h + 3*h", a=2.0, b=-1.0),
    of("exp(-x)", x=40.0),
    of("sin(x)/x", x=1.0),
    of("(exp(x) - 1)/x", x=0.3),
    of("(1 - cos(x))/x**2", x=0.4),
    of("log(1 + exp(x))", x=1.0),
    of("sqrt(1 + x) - 1", x=0.4),
    of("x % 2", x=[0.7, 2.4]),
    of("x[[0, 0, 2]]", x=X3),
    of("concatenate([x**3, [mean(x)]])", x=[1.0, -2.0, 3.0]),
    of("relu(x)", x=[-1.0, 0.5, 2.0]),
    of("relu(x)", x=-1.0),
    of("[x*y, x + y, x - y]", x=0.6, y=1.3),
    of("cross(a, b)", a=X3, b=Y3),
    of("hypot(x, y)", x=3.0, y=4.0),
    of("maximum(x, y)", x=[2.0, 1.0], y=[3.0, 0.0]),
]

ORDINARY = (
    *REGRESSION,
    *CLASSIFICATION,
    *ACTIVATIONS,
    *PHYSICS,
    *NETWORKS,
    *KERNELS,
    *MATRICES,
    *STATISTICS,
    *CALCULUS,
)
