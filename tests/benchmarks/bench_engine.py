"""The engine: how time grows, and what a gradient costs beside the NumPy forward pass.

python tests/benchmarks/bench_engine.py [ROUNDS]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

import numpy as np
from measure import function_seconds, medians, report

from vjpcli import explain, grad, jac, to_text


def long_program(statements: int) -> str:
    """y = y*0.5 + x, again and again."""
    return "y = x\n" + "y = y*0.5 + x\n" * statements


def compare(
    what: str, ours: Callable[[], object], theirs: Callable[[], object], most: float, rounds: int
) -> bool:
    """Prints the ratio of two functions' times."""
    seconds = medians([partial(function_seconds, ours), partial(function_seconds, theirs)], rounds)
    return report(what, seconds[0] / seconds[1], most, seconds)


def main(rounds: int) -> int:
    """Prints each ratio; 1 if one is over its target."""
    random = np.random.default_rng(0)
    x = random.uniform(0.5, 2.0, 1_000_000)
    matrix, vector = random.normal(size=(1000, 1000)), random.normal(size=1000)
    small, large = long_program(5_000), long_program(50_000)
    fine = [
        compare(
            "100 000 nodes  /  10 000 nodes (linear: 10)",
            lambda: grad(large, {"x": 1.0}),
            lambda: grad(small, {"x": 1.0}),
            14,
            rounds,
        ),
        compare(
            "grad of sum(3x + 2xx + log x), 10^6 entries  /  NumPy forward",
            lambda: grad("sum(3*x + 2*x*x + log(x))", {"x": x}),
            lambda: np.sum(3 * x + 2 * x * x + np.log(x)),
            10,
            rounds,
        ),
        compare(
            "the same at 10^6 entries  /  at 10^5 (linear: 10)",
            lambda: grad("sum(3*x + 2*x*x + log(x))", {"x": x}),
            lambda: grad("sum(3*x + 2*x*x + log(x))", {"x": x[:100_000]}),
            25,
            rounds,
        ),
        compare(
            "explain and draw a leaf of 10^6 entries  /  grad of it",
            lambda: to_text(explain("sum(x*x)", {"x": x}, formulas=False)),
            lambda: grad("sum(x*x)", {"x": x}),
            60,
            rounds,
        ),
        compare(
            "Jacobian of tanh(W @ v), 1000 x 1000  /  NumPy's product of two such matrices",
            lambda: jac("tanh(W @ v)", {"W": matrix, "v": vector}, wrt=["v"]),
            lambda: matrix @ matrix,
            10,
            rounds,
        ),
    ]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
