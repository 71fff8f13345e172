"""What a wrong command line is answered with: one Diagnostic each, kept as readable text.

Every command below is run; see golden_files.py for how to rewrite tests/golden/errors.txt.
"""

from __future__ import annotations

import io
import json
import pickle
import shlex
import sys

import numpy as np
import pytest
from golden_files import compare

from vjpcli.cli import main

WRONG = r"""
vjp "3*a"
vjp explian "3*a"
vjp explain
vjp explain "3*a" --sed 1
vjp explain "3*a" --digits 99
vjp explain "3*a" --digits four
vjp explain "3*a" --dtype float16
vjp explain "3*a" --color sometimes
vjp explain "3*a" --width 3
vjp explain "3*a" --like pytorch
vjp explain "3*a" --seed
vjp explain ""
vjp explain "3*"
vjp explain "2x"
vjp explain "x^2" x=1
vjp explain "x(1+x)" x=1
vjp explain "log(c" c=1
vjp explain "log(c))" c=1
vjp explain "sen(x)" x=1
vjp explain "lg(x)" x=1
vjp explain "sinn(x)" x=1
vjp explain "x.summ()" x=1
vjp explain "np.lgo(x)" x=1
vjp explain "sum(x, axsi=0)" x=1,2
vjp explain "sum(x, axis=3)" x=1,2
vjp explain "log(x, 2, 3)" x=1
vjp explain "lambda x: x" x=1
vjp explain "x[0] = 1" x=1,2
vjp explain "a.__class__" a=1
vjp explain "__import__('os')" a=1
vjp explain "x if x > 0 else 0" x=1
vjp explain "for i in x: y" x=1
vjp explain "x = 3 = y" y=1
vjp explain "W @ x" W:2x3=1,2,3,4,5,6 x=1,2
vjp explain "a + b" a=1,2 b=1,2,3
vjp explain "x[5]" x=1,2
vjp explain "ones(10**12)*x" x=1
vjp explain "y = x" z=1 --strict
vjp explain "x + y" x=1 --strict
vjp explain "x" x=1 x=2
vjp explain "x" x=1,two,3
vjp explain "x" x=1,,2
vjp explain "x" "x=[[1,2],[3]]"
vjp explain "x" x:2x2=1,2,3
vjp explain "x" x=
vjp explain "x" 5
vjp explain "x" x=@missing.npy
vjp explain "x" x=@broken.npy
vjp explain "x" x=@objects.npy
vjp explain "x" x=@two.npz
vjp explain "x" x=@two.npz:weigth
vjp explain "x" x=@words.csv
vjp explain "x" x=@picture.png
vjp explain "3*x" x=1,2,3 --seed 1,2
vjp explain "x + sum(y)" x=1 y=1,2 --seed 1,2,3
vjp explain "3*x" x=1,2,3 --seed 42
vjp explain "3*x" x=1,2,3 --seed row:7
vjp explain "3*x" x=1,2,3 --seed rows
vjp explain "3*x" x=1,2,3 --seed y=1 --seed w=2
vjp explain "3*x" x=1,2,3 --loss "sum(z)"
vjp explain "3*x" x=1,2,3 --wrt y
vjp grad "3*a"
vjp grad "3*a" a=1,2,3
vjp grad "3*a" a=1 -o gradients.xlsx
vjp grad "3*a" a=@two.npz:weight --seed ones -o two.npz
vjp grad "3*a" a=1 -o missing/gradients.npy
vjp jac "x" x=@large.npy
vjp jac "3*x" x=1,2 --tangent y=1,2
vjp jac "3*x" x=1,2 --tangent x=1
""".strip().splitlines()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.npy").write_bytes(b"\x93NUMPY\x01")
    np.save("objects.npy", np.array([None], dtype=object), allow_pickle=True)
    np.savez("two.npz", weight=np.ones(2), bias=np.ones(3))
    (tmp_path / "words.csv").write_text("1,2\n3,four\n")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(8))
    (tmp_path / "data.pkl").write_bytes(pickle.dumps([1.0]))
    np.save("large.npy", np.ones(4000))
    return tmp_path


def ran(command, monkeypatch):
    """Exit code, stdout and stderr of a command line, run in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n") for _ in "oe")
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(command)[1:])
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return ended.value.code, *texts


@pytest.fixture
def answers(folder, monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return {command: ran(command, monkeypatch) for command in WRONG}


def test_wrong_command_lines_are_answered_as_agreed(answers, rewrite):
    for command, (code, out, _) in answers.items():
        assert (command, code, out) == (command, 2, "")
    text = "\n".join(f"$ {command}\n{err}" for command, (_, _, err) in answers.items())
    compare("errors.txt", text, rewrite)


def test_one_mistake_has_one_message(answers):
    for command, (_, _, err) in answers.items():
        heads = [line for line in err.splitlines() if line.startswith("error[")]
        assert len(heads) == 1, command
        assert "Traceback" not in err


def test_corrected_commands_are_accepted_or_fail_for_another_reason(answers, monkeypatch):
    tried = 0
    for command, (_, _, err) in answers.items():
        code = err.split("]")[0]
        for line in err.splitlines():
            if line.startswith("  try: vjp "):
                tried += 1
                _, _, again = ran(line.removeprefix("  try: "), monkeypatch)
                assert not again.startswith(code), command
    assert tried >= 10


@pytest.mark.parametrize(
    "command", [one for one in WRONG if one.startswith("vjp ") and len(one.split()) > 2]
)
def test_under_json_the_error_is_a_json_object(command, folder, monkeypatch):
    code, out, err = ran(f"{command} --json", monkeypatch)
    assert (code, out) == (2, "")
    document = json.loads(err)
    assert document["error"]["code"]
