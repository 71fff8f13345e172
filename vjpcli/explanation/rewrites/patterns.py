"""Formulas that overflow, cancel or lose their slope, and what to write instead.

Each row is tried as it stands; none is believed. A rewrite is shown only after `prove.py` has
run it on the same values and seeds. To add one, add a row (see `match.py` for the notation);
`{U}` is `{u}` in brackets where it needs them, `@` the library that the user wrote before the
function, and `{eps}` a small number in the program's dtype. `{rest}` is the further arguments as
they were typed, `{axis}` the same with the axis by its keyword; `{dim}` and `{ddof}` are what the
user's library calls those keywords.
"""

from __future__ import annotations

from functools import lru_cache

from vjpcli.parser.expression import parse
from vjpcli.parser.syntax import Expression
from vjpcli.record import record


@record
class Row:
    """One rewrite.

    Attributes:
        pattern: what is looked for.
        instead: what is written in its place.
        why: what it gains, in a few words.
        changes_value: it moves the value a little, by an eps.
        only_once: it is not written in several places at once: two poles that are kept off their
            edge cancel to a number that nobody meant.
    """

    pattern: str
    instead: str
    why: str
    changes_value: bool = False
    only_once: bool = False


SQUARES = ("{0}*{0}", "{0}**2", "square({0})")
ROOTS = ("sqrt({})", "({})**0.5")
"""The ways in which a square and a root are written."""

EXACT: tuple[Row, ...] = (
    # Logarithms of things that overflow or vanish: the logarithm is taken in one's head.
    Row("log(1/(1 + exp(-u)))", "@logsigmoid({u})", "exp(-x) overflows, its logarithm does not"),
    Row("log(1/(1 + exp(-u)))", "-@softplus(-{U})", "exp(-x) overflows, its logarithm does not"),
    Row("log(1/(1 + exp(-u)))", "-@logaddexp(0, -{U})", "exp(-x) overflows"),
    Row("log(sigmoid(u))", "@logsigmoid({u})", "sigmoid underflows to 0 and log(0) is -inf"),
    Row("log(sigmoid(u))", "-@logaddexp(0, -{U})", "sigmoid underflows to 0"),
    Row("log(1 - sigmoid(u))", "@logsigmoid(-{U})", "sigmoid rounds to 1 and log(0) is -inf"),
    Row("log(1 - sigmoid(u))", "-@logaddexp(0, {u})", "sigmoid rounds to 1"),
    Row("log(softmax(u, ...))", "@log_softmax({u}{rest})", "softmax underflows to 0"),
    Row("log(exp(u)/sum(exp(u), ...))", "@log_softmax({u}{rest})", "exp overflows"),
    Row("log(sum(exp(u), ...))", "@logsumexp({u}{rest})", "exp overflows or underflows"),
    Row("log(1 + exp(u))", "@logaddexp(0, {u})", "exp(x) overflows, its logarithm does not"),
    Row("log1p(exp(u))", "@logaddexp(0, {u})", "exp(x) overflows, its logarithm does not"),
    Row("log(exp(u) + exp(v))", "@logaddexp({u}, {v})", "exp overflows, its logarithm does not"),
    Row("log(cosh(u))", "@logaddexp({u}, -{U}) - @log(2)", "cosh overflows"),
    Row("log(mean(exp(u), ...))", "@logmeanexp({u}{rest})", "exp overflows or underflows"),
    Row("log(exp(u))", "{U}", "the logarithm of exp(x) is x"),
    Row("arctanh(tanh(u))", "{U}", "tanh rounds to 1, its inverse undoes it exactly"),
    Row("log(1 - exp(u))", "@log(-@expm1({u}))", "1 - exp(x) cancels near 0"),
    Row(
        "log(prod(u, ...))", "@sum(@log({u}){rest})", "a product underflows, its logarithm does not"
    ),
    Row("log(u**2)", "2*@log(@abs({u}))", "a square underflows, its logarithm does not"),
    Row("log(u*u)", "2*@log(@abs({u}))", "a square underflows, its logarithm does not"),
    Row("log(u/v)", "@log({u}) - @log({v})", "a quotient underflows, its logarithm does not"),
    # Quotients of things that overflow.
    Row("1/(1 + exp(-u))", "@sigmoid({u})", "exp(-x) overflows for large negative x"),
    Row("1/(1 + exp(u))", "@sigmoid(-{U})", "exp(x) overflows"),
    Row("exp(u)/(1 + exp(u))", "@sigmoid({u})", "∞/∞ is nan"),
    Row("exp(-u)/(1 + exp(-u))", "@sigmoid(-{U})", "∞/∞ is nan"),
    Row("exp(u)/(exp(u) + exp(v))", "@sigmoid({u} - {V})", "∞/∞ is nan"),
    Row("exp(u)/sum(exp(u))", "@softmax({u})", "∞/∞ is nan"),
    Row("exp(u)/sum(exp(u), ...)", "exp({u} - logsumexp({u}{rest}))", "∞/∞ is nan"),
    Row("(exp(u) - exp(-u))/(exp(u) + exp(-u))", "@tanh({u})", "∞/∞ is nan"),
    Row("sinh(u)/cosh(u)", "@tanh({u})", "∞/∞ is nan"),
    Row("sin(u)/u", "@sinc({U}/pi)", "0/0 at 0, where the limit is 1"),
    # Products with a logarithm: 0*log(0) is 0 in the limit.
    Row("u*log(v)", "@xlogy({u}, {v})", "0*log(0) counts as 0"),
    Row(
        "u*log(u)",
        "@where({U} > 0, {U}*@log(@where({U} > 0, {u}, 1)), 0)",
        "0*log(0) counts as 0, and log never sees the 0",
    ),
    # Roots of squares: the root has an infinite slope at 0, the whole has none.
    Row("norm(u)**2", "@sum({U}*{U})", "the square of a norm needs no root"),
    Row("sqrt(u.real**2 + u.imag**2)", "@abs({u})", "abs has slope 0 at 0 by convention"),
    *(
        Row(
            root.format(f"sum({square.format('u')}, ...)"),
            instead,
            "a norm has slope 0 at 0 by convention",
        )
        for root in ROOTS
        for square in SQUARES
        for instead in ("@linalg.norm({u}{axis})", "@norm({u}{axis})")
    ),
    *(
        Row(root.format(product), instead, "a norm has slope 0 at 0 by convention")
        for root in ROOTS
        for product in ("dot(u, u)", "u@u")
        for instead in ("@linalg.norm({u})", "@norm({u})")
    ),
    *(
        Row(root.format(square.format("u")), "@abs({u})", "the same without a root")
        for root in ROOTS
        for square in SQUARES
    ),
    *(
        Row(root.format(" + ".join(map(square.format, "uv"))), instead, why)
        for root in ROOTS
        for square in SQUARES
        for instead, why in (
            ("@hypot({u}, {v})", "squares neither overflow nor underflow"),
            ("@linalg.norm(@stack([{u}, {v}]), {dim}=0)", "a norm has slope 0 at 0 by convention"),
            ("@norm([{u}, {v}], {dim}=0)", "a norm has slope 0 at 0 by convention"),
        )
    ),
    *(
        Row(
            root.format(" + ".join(map(square.format, "uvw"))),
            instead,
            "a norm has slope 0 at 0 by convention",
        )
        for root in ROOTS
        for square in SQUARES
        for instead in (
            "@linalg.norm(@stack([{u}, {v}, {w}]), {dim}=0)",
            "@norm([{u}, {v}, {w}], {dim}=0)",
        )
    ),
    *(
        Row("hypot(u, v)", instead, "a norm has slope 0 at 0 by convention")
        for instead in (
            "@linalg.norm(@stack([{u}, {v}]), {dim}=0)",
            "@norm([{u}, {v}], {dim}=0)",
        )
    ),
    # The spread of numbers that are equal, or nearly so.
    *(
        Row(pattern.format(square.format("u")), instead, "the mean is taken out before squaring")
        for square in SQUARES
        for pattern, instead in (
            ("sqrt(mean({}) - mean(u)**2)", "@std({u}, {ddof}=0)"),
            ("(mean({}) - mean(u)**2)**0.5", "@std({u}, {ddof}=0)"),
            ("mean({}) - mean(u)**2", "@var({u}, {ddof}=0)"),
        )
    ),
    Row("sqrt(var(u, ...))", "@std({u}{rest})", "a spread has slope 0 at 0 by convention"),
    # Differences that cancel.
    Row("log(1 + u)", "@log1p({u})", "1 + x rounds a small x away"),
    Row("sqrt(u + 1) - 1", "{U}/(@sqrt({u} + 1) + 1)", "a root less 1 cancels for small x"),
    Row("1 - cos(u)", "2*@sin({U}/2)**2", "1 - cos(x) cancels for small x"),
    Row("exp(u) - 1", "@expm1({u})", "exp(x) - 1 cancels for small x"),
)
"""The same function, written so that it survives. The most specific come first."""

NUDGES: tuple[Row, ...] = (
    Row("sqrt(u)", "@sqrt({u} + {eps})", "the root never sees 0", changes_value=True),
    Row("u**0.5", "({u} + {eps})**0.5", "the root never sees 0", changes_value=True),
    Row("u**v", "({u} + {eps})**{V}", "the power never sees 0", changes_value=True),
    Row("rsqrt(u)", "@rsqrt({u} + {eps})", "the root never sees 0", changes_value=True),
    Row("log(u)", "@log({u} + {eps})", "the logarithm never sees 0", changes_value=True),
    Row("u/norm(u, ...)", "{U}/(@norm({u}{rest}) + {eps})", "no division by 0", changes_value=True),
    Row("u/v", "{U}/({V} + {eps})", "no division by 0", changes_value=True, only_once=True),
    Row("norm(u, ...)", "@sqrt(@sum({U}**2{rest}) + {eps})", "no root of 0", changes_value=True),
    Row("std(u, ...)", "@sqrt(@var({u}{rest}) + {eps})", "no root of 0", changes_value=True),
    *(
        Row(
            f"{name}({inner})",
            f"@{name}(@clip({{u}}, -1 + {{eps}}, 1 - {{eps}}))",
            "kept off the edge, where the slope is infinite",
            changes_value=True,
        )
        for name in ("arccos", "arcsin", "arctanh")
        for inner in ("clip(u, -1, 1)", "u")
    ),
)
"""A small number added where nothing better exists."""


@lru_cache(maxsize=256)
def parsed(pattern: str) -> Expression:
    """The syntax tree of a pattern, or of what is written instead."""
    return parse(pattern, "pattern").statements[-1].value
