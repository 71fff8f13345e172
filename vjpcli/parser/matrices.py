"""Matrices as paper and MATLAB write them: `A^T x`, `A' * x`, and a backslash that divides."""

from __future__ import annotations

import re

_NAME = r"[A-Za-z_]\w*"
_RAISED = r"\s*\^\s*(?:[TH]\b|\{\s*(?:[TH]|\\top)\s*\}|\\top\b)"
_PRIME = r"(?:\.?'(?!['\w])|ᵀ)"
# A name in capitals is a matrix; another one is, raised to T, if a product without a sign or `@`
# follows: (1 + r)^T is a power.
_TRANSPOSE = re.compile(
    rf"(?P<value>\b[A-Z]\w*|\b{_NAME}(?=[^\w]*{_RAISED}\s*(?:@|[A-Za-z(]))"
    rf"|\)(?=\s*{_RAISED}\s*(?:@|[A-Za-z(])))(?:{_RAISED})"
    rf"|(?P<primed>\b{_NAME}|[)\]]){_PRIME}"
)
_FACTORS = re.compile(
    r"(?P<left>(?<![\w.])[A-Za-z_][\w.]*|[)\]](?:\.T)?)(?:\s*\*\s*|\s+(?=[A-Za-z]))(?!\*)(?=[A-Za-z_(])"
)
_LEFT_DIVISION = re.compile(rf"(?P<left>{_NAME})\s*\\(?P<right>{_NAME})")

_LATEX_WORDS = frozenset(
    ("cdot", "times", "div", "left", "right", "le", "leq", "ge", "geq", "ne", "neq", "infty",
     "frac", "sqrt", "top", "sum", "prod", "int", "pi", "alpha", "beta", "gamma", "delta",
     "epsilon", "varepsilon", "zeta", "eta", "theta", "vartheta", "iota", "kappa", "lambda", "mu",
     "nu", "xi", "rho", "sigma", "tau", "upsilon", "phi", "varphi", "chi", "psi", "omega", "Gamma",
     "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega", "sin", "cos", "tan",
     "sinh", "cosh", "tanh", "exp", "ln", "log", "max", "min", "det", "arcsin", "arccos", "arctan",
     "nabla", "norm", "not", "n", "quad", "mathbf", "mathrm", "text", "hat", "bar", "vec", "tilde",
     "odot", "otimes", "pm", "mp")
)  # fmt: skip


def written_out(text: str) -> str | None:
    """A program with its transposes as `.T` and products of matrices as `@`; None without any.

    Division of a name from the left becomes `solve(A, b)`, that of brackets is left to the user.
    It is a proposal: nothing is known here of the shapes.
    """
    if re.search(r"[\w)\]]\s*\\\s*\(", text):
        return text
    solved = _LEFT_DIVISION.sub(_solution, text)
    transposed = _TRANSPOSE.sub(lambda m: (m["value"] or m["primed"]) + ".T", solved)
    if transposed != solved:
        return _FACTORS.sub(lambda m: m["left"] + " @ ", transposed)
    return solved if solved != text else None


def is_left_division(text: str, backslash: int) -> bool:
    """Whether the backslash divides from the left, and begins no word of LaTeX."""
    word = re.compile(_NAME).match(text, backslash + 1)
    before = text[:backslash].rstrip()
    ends_a_value = bool(before) and (before[-1].isalnum() or before[-1] in "_)]")
    return ends_a_value and word is not None and word.group() not in _LATEX_WORDS


def _solution(match: re.Match[str]) -> str:
    if match["right"] in _LATEX_WORDS:
        return match.group()
    return f"solve({match['left']}, {match['right']})"
