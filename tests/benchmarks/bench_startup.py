"""Start-up: whole processes against the imports that they cannot do without.

python tests/benchmarks/bench_startup.py [ROUNDS]
"""

from __future__ import annotations

import sys
from functools import partial

from measure import medians, processor_seconds, python, report, vjp

MAIN_JOB = ["3*a+2*b*b+log(c)", "--seed", "0.1,1,0.0001"]
VALUES = ["a=1,2,3", "b=3,4,5", "c=6,7,8"]

COMPARISONS = (
    (
        "grad --json  /  import typer, numpy",
        vjp("grad", *MAIN_JOB, *VALUES, "--json"),
        python("-c", "import typer, numpy"),
        1.3,
    ),
    (
        "explain  /  import typer, numpy, rich, sympy",
        vjp("explain", *MAIN_JOB, "--color", "always", "--width", "80"),
        python("-c", "import typer, numpy, rich.console, rich.table, sympy"),
        1.25,
    ),
)


def main(rounds: int) -> int:
    """Prints each ratio; 1 if one is over its target."""
    fine = True
    for what, ours, theirs, most in COMPARISONS:
        seconds = medians(
            [partial(processor_seconds, ours), partial(processor_seconds, theirs)], rounds
        )
        fine &= report(what, seconds[0] / seconds[1], most, seconds)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 15))
