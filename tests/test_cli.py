"""The program as it is started from a shell: streams, exit codes, environment, files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from vjpcli import cli

ROOT = Path(__file__).parents[1]
QUESTION = ["3*a+2*b*b+log(c)", "a=1,2,3", "b=3,4,5", "c=6,7,8", "--seed", "0.1,1,0.0001"]
GRADIENTS = [
    [0.3, 3.0, 0.0003],
    [1.2, 16.0, 0.002],
    [0.016666666666666666, 0.14285714285714285, 1.25e-05],
]
FAST = ["--no-formulas", "--no-check"]


def environment(**more):
    """From scratch, so that the terminal of whoever runs the tests does not matter."""
    kept = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT", "HOME") if key in os.environ}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **more}


def vjp(*arguments, stdin=b"", folder=None, **more):
    return subprocess.run(
        [sys.executable, "-m", "vjpcli", *arguments],
        input=stdin, capture_output=True, cwd=folder, env=environment(**more), timeout=120,
        check=False,
    )  # fmt: skip


def out(done):
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return done.stdout.decode()


# The three commands.


def test_explain_answers_on_stdout_and_announces_stand_ins_on_stderr():
    done = vjp("explain", "3*a+2*b*b+log(c)", "--seed", "0.1,1,0.0001")
    text = done.stdout.decode()
    assert done.returncode == 0
    assert "a=1,2,3 b=3,4,5 c=6,7,8" in done.stderr.decode()
    assert text.count("stand-in") == 3
    assert "0.1429" in text
    assert "\x1b" not in text


def test_quiet_says_nothing_on_stderr():
    done = vjp("explain", "3*a", "--seed", "ones", "-q", *FAST)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_grad_prints_bare_numbers_a_leaf_a_line():
    lines = out(vjp("grad", *QUESTION)).splitlines()
    numbers = [[float(word) for word in line.split()] for line in lines]
    assert np.allclose(numbers, GRADIENTS, rtol=1e-15)


def test_grad_json_holds_the_gradients_by_name():
    document = json.loads(out(vjp("grad", *QUESTION, "--json")))
    assert list(document["gradients"]) == ["a", "b", "c"]
    assert np.allclose(list(document["gradients"].values()), GRADIENTS, rtol=1e-15)


def test_jac_prints_a_row_for_each_output_entry():
    text = out(vjp("jac", "W @ x", "W:2x3=1,2,3,4,5,6", "x=1,0,-1", "--wrt", "x"))
    assert text == "# x 2x3\n1.0 2.0 3.0\n4.0 5.0 6.0\n"


def test_jac_along_a_direction_is_a_single_line():
    text = out(vjp("jac", "W @ x", "W:2x3=1,2,3,4,5,6", "x=1,0,-1", "--tangent", "x=1,1,0"))
    assert text == "3.0 9.0\n"


def test_version_and_help():
    assert out(vjp("--version")).startswith("vjp ")
    for command in ("explain", "grad", "jac"):
        assert "Example:" in out(vjp(command, "--help"))


def test_expression_may_begin_with_a_minus_sign():
    assert out(vjp("grad", "-x**2", "x=3")) == "-6.0\n"
    assert out(vjp("grad", "--", "-x", "x=3")) == "-1.0\n"
    assert out(vjp("grad", "x", "x=3", "--seed", "-2")) == "-2.0\n"


# stdin.


def test_expression_from_stdin():
    assert out(vjp("grad", "-", "x=1,2", stdin=b"h = x*x\nsum(h)\n")) == "2.0 4.0\n"


def test_expression_from_a_file(tmp_path):
    (tmp_path / "loss.py").write_text("import torch\nh = x*x\ntorch.sum(h)\n", encoding="utf-8")
    assert out(vjp("grad", "@loss.py", "x=1,2", folder=tmp_path)) == "2.0 4.0\n"
    missing = vjp("grad", "@lost.py", "x=1,2", folder=tmp_path)
    assert missing.returncode == 2
    assert missing.stderr.decode().startswith("error[file-missing]")
    no_text = vjp("grad", f"@{tmp_path}", "x=1,2")
    assert no_text.stderr.decode().startswith("error[file-is-folder]")


def test_values_from_stdin():
    assert out(vjp("grad", "sum(x*x)", "x=-", stdin=b"1 2 3\n")) == "2.0 4.0 6.0\n"


def test_stdin_cannot_be_read_twice():
    done = vjp("grad", "-", "x=-", stdin=b"x")
    assert done.returncode == 2
    assert done.stderr.startswith(b"error[")


def test_stdin_that_is_no_text_is_an_error():
    done = vjp("grad", "-", "x=1", stdin=b"\xff\xfe\x00")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"error[not-text]")


# Files.


def test_results_are_written_and_read_back(tmp_path):
    np.save(tmp_path / "x.npy", np.array([1.0, 2.0]))
    done = vjp("grad", "sum(x**2)", "x=@x.npy", "-o", "g.npz", folder=tmp_path)
    assert out(done) == ""
    with np.load(tmp_path / "g.npz") as written:
        assert written["x"].tolist() == [2.0, 4.0]
    again = vjp("grad", "sum(3*x)", "x=@g.npz:x", folder=tmp_path)
    assert out(again) == "3.0 3.0\n"


def test_an_input_file_is_never_written_over(tmp_path):
    np.save(tmp_path / "x.npy", np.array([1.0, 2.0]))
    before = (tmp_path / "x.npy").read_bytes()
    for name in ("x.npy", "./x.npy", str(tmp_path / "x.npy")):
        done = vjp("grad", "sum(x)", "x=@x.npy", "-o", name, folder=tmp_path)
        assert done.returncode == 2
        assert done.stderr.startswith(b"error[output-is-input]")
    (tmp_path / "link.npy").symlink_to(tmp_path / "x.npy")
    vjp("grad", "sum(x)", "x=@x.npy", "-o", "link.npy", folder=tmp_path)
    assert (tmp_path / "x.npy").read_bytes() == before


# Errors.


def test_errors_go_to_stderr_with_exit_code_2():
    done = vjp("explain", "sen(x)", "x=1")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith("error[unknown-function]")
    assert 'try: vjp explain "sin(x)" x=1' in done.stderr.decode()


def test_errors_under_json_are_json_on_stderr():
    done = vjp("grad", "3*x", "x=1,2", "--seed", "1,2,3", "--json")
    assert (done.returncode, done.stdout) == (2, b"")
    error = json.loads(done.stderr)["error"]
    assert error["code"] == "seed-shape"


def test_no_command_names_the_one_that_was_meant():
    done = vjp("3*a")
    assert done.returncode == 2
    assert 'try: vjp explain "3*a"' in done.stderr.decode()


def test_misspelt_option_is_answered_with_the_right_one():
    done = vjp("explain", "3*a", "--sed", "1")
    assert done.returncode == 2
    assert 'try: vjp explain "3*a" --seed 1' in done.stderr.decode()


@pytest.mark.parametrize("arguments", [["--debug"], []])
def test_a_fault_of_ours_exits_with_70_and_asks_for_a_report(arguments, monkeypatch, capsys):
    def broken(*_):
        raise RuntimeError("a wheel came off")

    monkeypatch.setattr("vjpcli.asking.posed", broken)
    if arguments:
        with pytest.raises(RuntimeError, match="a wheel came off"):
            cli.main(["grad", "x", "x=1", *arguments])
        return
    with pytest.raises(SystemExit) as ended:
        cli.main(["grad", "x", "x=1"])
    assert ended.value.code == 70
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "error[internal]: RuntimeError: a wheel came off" in printed.err
    assert "report" in printed.err


# Terminals, pipes and their environment.


def test_a_closed_pipe_ends_quietly():
    values = "x=" + ",".join(map(str, range(20_000)))
    command = [sys.executable, "-m", "vjpcli", "grad", "sum(x*x)", values]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as running:
        running.stdout.read(1)
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(timeout=60) == 0


@pytest.mark.parametrize(
    ("more", "arguments", "coloured"),
    [
        ({}, [], False),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "0"}, [], False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
    ],
)
def test_colour_follows_the_environment_and_the_option(more, arguments, coloured):
    text = out(vjp("explain", "3*x", "x=1,2", "--seed", "ones", *FAST, *arguments, **more))
    assert ("\x1b[" in text) is coloured


def on_a_terminal(*arguments, **more):
    """The raw output of a run whose stdout is a terminal of 50 columns."""
    pty = pytest.importorskip("pty")
    fcntl, struct, termios = map(__import__, ("fcntl", "struct", "termios"))
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 50, 0, 0))
    with subprocess.Popen(
        [sys.executable, "-m", "vjpcli", *arguments],
        stdin=subprocess.DEVNULL, stdout=inner, stderr=subprocess.PIPE, env=environment(**more),
    ) as running:  # fmt: skip
        os.close(inner)
        found = b""
        while True:
            try:
                part = os.read(outer, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            found += part
        assert running.wait(timeout=60) == 0
    os.close(outer)
    return found.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colour_and_its_own_width():
    text = on_a_terminal("explain", "3*x", "x=1,2,3", "--seed", "ones", *FAST, TERM="xterm")
    assert "\x1b[36m" in text
    plain = on_a_terminal("explain", "3*x", "x=1,2,3", "--seed", "ones", *FAST, TERM="dumb")
    assert "\x1b" not in plain
    assert max(map(len, plain.splitlines())) <= 50
    assert plain.splitlines()[0].endswith("seed ones [3]")


def test_columns_sets_the_width_of_piped_text():
    wide = out(vjp("explain", *QUESTION, *FAST))
    narrow = out(vjp("explain", *QUESTION, *FAST, COLUMNS="60"))
    assert max(map(len, wide.splitlines())) > 80
    assert max(map(len, narrow.splitlines())) <= 60
    assert out(vjp("explain", *QUESTION, *FAST, "--width", "60", COLUMNS="90")) == narrow
    for nonsense in ("0", "-5", "wide", "9" * 40, "\u0662"):
        assert vjp("explain", *QUESTION, *FAST, COLUMNS=nonsense).returncode == 0


@pytest.mark.parametrize(
    "more",
    [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}],
)
def test_an_ascii_locale_gets_ascii(more):
    if "LC_ALL" in more:
        more = {**more, "PYTHONIOENCODING": ""}
    done = vjp("explain", "größe*2", "größe=1,2", "--seed", "ones", **more)
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "|" in done.stdout.decode()
    error = vjp("explain", "sen(größe)", "größe=1", **more)
    assert error.returncode == 2
    assert error.stderr.isascii()


def test_ascii_can_be_asked_for():
    assert out(vjp("explain", *QUESTION, "--ascii", *FAST)).isascii()


def test_json_stays_json_whatever_the_environment():
    plain = out(vjp("grad", *QUESTION, "--json"))
    assert out(vjp("grad", *QUESTION, "--json", FORCE_COLOR="1", COLUMNS="40")) == plain


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_ctrl_c_exits_with_130_and_no_traceback():
    def hear_interrupts():
        # A shell starts jobs in the background deaf to Ctrl-C, and they pass that on.
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    with subprocess.Popen(
        [sys.executable, "-m", "vjpcli", "grad", "sum(x)", "x=-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment(PYTHONUNBUFFERED="1"), preexec_fn=hear_interrupts,  # noqa: PLW1509
    ) as running:  # fmt: skip
        # More than a pipe holds: when it is written, the program is reading, and waits for more.
        running.stdin.write(b"1 " * 200_000)
        running.stdin.flush()
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == 130
        assert b"Traceback" not in running.stderr.read()


# What is not loaded.


def test_grad_json_imports_neither_rich_nor_sympy():
    probe = (
        "import sys\n"
        "from vjpcli.cli import main\n"
        "try:\n    main(sys.argv[1:])\n"
        "except SystemExit:\n    pass\n"
        "print(sorted({'rich', 'sympy', 'pydantic'} & {n.split('.')[0] for n in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe, "grad", *QUESTION, "--json"],
        capture_output=True, env=environment(), timeout=120, check=True,
    )  # fmt: skip
    assert done.stdout.decode().splitlines()[-1] == "[]"
