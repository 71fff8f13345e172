"""Commands and functions measured as ratios: A B A B ..., medians of processor time.

Processor time (user + system) of a child process is far steadier on a shared machine than the
clock on the wall, and a ratio within one run needs no knowledge of the machine.
"""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]

# An installed package has its bytecode; so must a checkout, whatever the environment says.
_bytecode = tempfile.TemporaryDirectory(prefix="vjp-benchmarks-")
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    "PYTHONPATH": str(PROJECT),
    "PYTHONPYCACHEPREFIX": _bytecode.name,
}


def python(*arguments: str) -> list[str]:
    """A command line of this interpreter."""
    return [sys.executable, *arguments]


def vjp(*arguments: str) -> list[str]:
    """A command line that does what the installed script `vjp` does."""
    return python("-c", "from vjpcli.__main__ import main; main()", *arguments)


def processor_seconds(command: Sequence[str]) -> float:
    """User and system time of one run of `command`."""
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def function_seconds(function: Callable[[], object]) -> float:
    """Processor time of one call."""
    gc.collect()
    start = time.process_time()
    function()
    return time.process_time() - start


def medians(measures: Sequence[Callable[[], float]], rounds: int) -> list[float]:
    """The median of each measure, taken in turns so that a slow minute meets them all."""
    taken: list[list[float]] = [[] for _ in measures]
    for measure in measures:
        measure()  # warm the file cache
    for _ in range(rounds):
        for times, measure in zip(taken, measures, strict=True):
            times.append(measure())
    return [statistics.median(times) for times in taken]


def report(what: str, ratio: float, most: float | None, seconds: Sequence[float]) -> bool:
    """Prints one line; says whether the ratio is within its target."""
    within = most is None or ratio <= most
    target = "" if most is None else f"(at most {most:g}) "
    shown = " / ".join(f"{one * 1000:.0f} ms" for one in seconds)
    verdict = "" if most is None else "ok" if within else "OVER"
    print(f"{what:<76} {ratio:6.2f} {target}{verdict:<5} {shown}")
    return within
