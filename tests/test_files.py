"""Result files are whole or absent, and never one of the inputs."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import numpy as np
import pytest

from vjpcli.errors import Diagnostic, VjpError
from vjpcli.parser.values import parse_values
from vjpcli.render import files
from vjpcli.render.files import write_arrays

GRADIENTS = {"a": np.array([0.3, 3.0, 1 / 3]), "W": np.array([[1e-5, np.nan], [np.inf, -0.0]])}
ONE = {"a": GRADIENTS["a"]}


def no_json() -> str:
    raise AssertionError("JSON is not asked for")


def write(path: str, arrays=GRADIENTS, json_text=no_json, inputs=()) -> None:
    write_arrays(path, arrays, json_text=json_text, inputs=inputs)


def fault_of(path: str, arrays=GRADIENTS, inputs=()) -> Diagnostic:
    with pytest.raises(VjpError) as caught:
        write(path, arrays, inputs=inputs)
    return caught.value.diagnostic


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def test_npz_holds_every_array_by_its_name():
    arrays = {**GRADIENTS, "file": np.float32(2.5), "empty": np.zeros((0, 3))}
    write("g.npz", arrays)
    with np.load("g.npz", allow_pickle=False) as stored:
        assert stored.files == list(arrays)
        for name, array in arrays.items():
            np.testing.assert_array_equal(stored[name], array)
            assert stored[name].dtype == array.dtype
    assert names() == ["g.npz"]


def test_npy_holds_the_one_array():
    write("g.NPY", ONE)
    np.testing.assert_array_equal(np.load("g.NPY"), ONE["a"])


def test_json_holds_the_text_given():
    write("g.json", json_text=lambda: '{"a": [1]}')
    assert Path("g.json").read_text() == '{"a": [1]}\n'


@pytest.mark.parametrize("array", [*GRADIENTS.values(), np.float64(0.1), np.ones((1, 3))])
def test_csv_of_one_array_reads_back_bit_for_bit(array):
    write("g.csv", {"a": np.asarray(array)})
    shape = "x".join(map(str, np.shape(array)))
    (value,) = parse_values([f"a:{shape}=@g.csv"]).values()
    assert value.array.tobytes() == np.asarray(array).tobytes()


def test_csv_of_several_arrays_has_a_line_for_each_entry():
    write("g.csv", {"s": np.array(0.1), "W": np.array([[1.0, 2.0]])})
    assert Path("g.csv").read_text() == "leaf,index,value\ns,,0.1\nW,0 0,1.0\nW,0 1,2.0\n"
    write("t.csv", {"T": np.zeros((1, 1, 1))})
    assert Path("t.csv").read_text() == "leaf,index,value\nT,0 0 0,0.0\n"


def test_an_existing_file_is_replaced_and_keeps_its_permissions():
    Path("g.npy").write_text("old")
    Path("g.npy").chmod(0o640)
    write("g.npy", ONE)
    assert stat.S_IMODE(Path("g.npy").stat().st_mode) == 0o640
    np.testing.assert_array_equal(np.load("g.npy"), ONE["a"])


def test_a_new_file_has_the_permissions_of_any_new_file():
    Path("plain").touch()
    write("g.npy", ONE)
    assert Path("g.npy").stat().st_mode == Path("plain").stat().st_mode


def test_a_symbolic_link_stays_and_its_file_is_replaced():
    Path("folder").mkdir()
    Path("folder/real.npy").touch()
    Path("link.npy").symlink_to("folder/real.npy")
    write("link.npy", ONE)
    assert Path("link.npy").is_symlink()
    np.testing.assert_array_equal(np.load("folder/real.npy"), ONE["a"])


def test_an_input_is_never_overwritten_by_any_of_its_names(folder):
    np.save("x.npy", np.ones(2))
    Path("soft.npy").symlink_to("x.npy")
    os.link("x.npy", "hard.npy")
    before = Path("x.npy").read_bytes()
    for path in ("x.npy", "./x.npy", str(folder / "x.npy"), "soft.npy", "hard.npy"):
        diagnostic = fault_of(path, ONE, inputs=["gone.npy", "x.npy"])
        assert diagnostic.code == "output-is-input"
        assert diagnostic.fix.replaces == path
    assert fault_of("x.npy", ONE, inputs=["soft.npy"]).code == "output-is-input"
    assert Path("x.npy").read_bytes() == before


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
@pytest.mark.parametrize("extension", files.EXTENSIONS)
def test_nothing_is_left_behind_when_writing_breaks(monkeypatch, error, extension):
    path = Path(f"g{extension}")
    path.write_text("old")

    def breaks(descriptor: int) -> None:
        raise error

    monkeypatch.setattr(os, "fsync", breaks)
    with pytest.raises((KeyboardInterrupt, VjpError)) as caught:
        write(str(path), ONE, json_text=lambda: "{}")
    if isinstance(caught.value, VjpError):
        assert caught.value.diagnostic.code == "output-failed"
        assert "no space left" in caught.value.diagnostic.message
    assert path.read_text() == "old"
    assert names() == [path.name]


def test_a_bug_in_the_json_is_not_taken_for_a_bad_path():
    with pytest.raises(AssertionError):
        write("g.json")
    assert names() == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("-", "output-stdout"),
        ("", "output-extension"),
        ("g", "output-extension"),
        ("g.pt", "output-extension"),
        (".npz", "output-extension"),
        ("nowhere/g.npz", "output-folder-missing"),
        ("folder.npz", "output-is-folder"),
        ("pipe.npz", "output-not-writable"),
        ("g\0.npz", "output-failed"),
        ("g" * 5000 + ".npz", "output-failed"),
        ("g.npy", "output-one-array"),
    ],
)
def test_a_path_that_cannot_be_written_is_named(path, code):
    Path("folder.npz").mkdir()
    os.mkfifo("pipe.npz")
    diagnostic = fault_of(path)
    assert diagnostic.code == code
    assert diagnostic.source.text == path
    assert names() == ["folder.npz", "pipe.npz"]


def test_the_corrections_can_be_typed():
    assert fault_of("g.npy").fix.text == "g.npz"
    assert fault_of("g.pt").fix.text == "g.npz"
    assert fault_of("g.jsn").fix.text == "g.json"
    assert "a, W" in fault_of("g.npy").message


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes all")
def test_protected_files_and_folders_are_respected():
    Path("g.npy").touch()
    Path("g.npy").chmod(0o444)
    assert fault_of("g.npy", ONE).code == "output-not-writable"
    Path("shut").mkdir(mode=0o555)
    assert fault_of("shut/g.npy", ONE).code == "output-not-writable"
