"""Streams that are closed, full or narrow, and environments that say odd things of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_cli import environment, vjp

import vjpcli

EXPLAIN = ["explain", "x*2", "x=3", "--no-formulas", "--no-check"]
FULL = "/dev/full"
needs_full = pytest.mark.skipif(not Path(FULL).exists(), reason="no device that is always full")


def shell(redirection, *arguments, **more):
    """Started by a shell, which alone can close a stream."""
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-m", "vjpcli", *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, env=environment(**more), timeout=120,
        check=False,
    )  # fmt: skip


@needs_full
@pytest.mark.parametrize(
    "arguments", [EXPLAIN, ["grad", "x*2", "x=3", "--json"], ["rule"], ["grad", "--help"]], ids=str
)
def test_a_full_disk_is_one_diagnostic(arguments):
    done = shell(f">{FULL}", *arguments)
    said = done.stderr.decode()
    assert done.returncode == 2
    assert said.count("output-failed") == 1
    assert "no space left" in said
    assert "Traceback" not in said


def test_a_closed_stdout_is_one_diagnostic():
    done = shell(">&-", *EXPLAIN)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("error[output-failed]")
    assert "Traceback" not in done.stderr.decode()


def test_a_closed_stderr_leaves_the_answer_and_the_exit_code():
    done = shell("2>&-", *EXPLAIN)
    assert done.returncode == 0
    assert "x*2" in done.stdout.decode()
    assert shell("2>&-", "explain", "x*+", "x=3").returncode == 2
    assert shell(">&- 2>&-", *EXPLAIN).returncode == 2


@pytest.mark.parametrize("arguments", [["-", "x=1"], ["x", "x=-"]])
def test_a_closed_stdin_is_one_diagnostic(arguments):
    done = shell("<&-", "grad", *arguments)
    assert done.returncode == 2
    assert done.stderr.decode().startswith("error[file-unreadable]")


@pytest.mark.parametrize("columns", ["²", "9" * 5000, "abc", "0", "-5", "1e3"])
def test_any_columns_will_do(columns):
    done = vjp(*EXPLAIN, COLUMNS=columns)
    assert (done.returncode, done.stderr.decode()) == (0, "")


@pytest.mark.parametrize("command", ["explain", "grad", "jac"])
def test_a_name_that_the_encoding_lacks_is_escaped(command):
    done = vjp(command, "log(x)*α", "x=3", "α=2", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr.decode()) == (0, "")
    assert done.stdout.isascii()


def test_pages_that_python_left_out_are_said_to_be_missing():
    done = vjp("rule", "log", PYTHONOPTIMIZE="2")
    assert done.returncode == 2
    assert done.stderr.decode().startswith("error[pages-left-out]")
    assert vjp("rule", "--codes", PYTHONOPTIMIZE="2").returncode == 0


def test_float32_says_overflow_in_the_answer_and_nothing_on_stderr():
    done = vjp("explain", "sum(x*2)", "x=1e300,1", "--dtype", "float32", "--no-formulas")
    assert (done.returncode, done.stderr.decode()) == (0, "")
    assert "∞" in done.stdout.decode()


def test_modules_of_the_current_folder_are_not_imported(tmp_path):
    for name in ("typer", "numpy", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('not this one')")
    ran = subprocess.run(
        [sys.executable, "-m", "vjpcli", "grad", "2*x", "x=3"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(vjpcli.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout, ran.returncode) == ("2.0\n", 0)
