"""NAME=VALUE arguments: every form gives its array, every slip one Diagnostic."""

from __future__ import annotations

import json
import os
import stat
import zipfile
from pathlib import Path

import numpy as np
import pytest
from carets import blamed

from vjpcli.errors import Diagnostic, Source, VjpError
from vjpcli.parser.numbers import _CarefulReader, read_numbers
from vjpcli.parser.references import StandardInput
from vjpcli.parser.values import GivenValue, parse_values


def value_of(argument: str, piped: bytes | None = None) -> GivenValue:
    stdin = None if piped is None else StandardInput(lambda: piped)
    (value,) = parse_values([argument], stdin=stdin).values()
    return value


def fault_of(
    *arguments: str, piped: bytes | None = None, expression: str | None = None
) -> Diagnostic:
    stdin = None if piped is None else StandardInput(lambda: piped)
    with pytest.raises(VjpError) as caught:
        parse_values(arguments, stdin=stdin, expression=expression)
    return caught.value.diagnostic


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


FORMS = {
    "a=1": 1.0,
    "a=1,": [1.0],
    "a=1,2,3": [1.0, 2.0, 3.0],
    "a=1 2 3": [1.0, 2.0, 3.0],
    " a = 1 , 2 ": [1.0, 2.0],
    "a=1 -2": [1.0, -2.0],
    "a=(1)": 1.0,
    "a=[1]": [1.0],
    "a=(1,2)": [1.0, 2.0],
    "a=[]": [],
    "a=[[],[]]": [[], []],
    "W=[[1,2],[3,4]]": [[1.0, 2.0], [3.0, 4.0]],
    "W=((1,2),(3,4),)": [[1.0, 2.0], [3.0, 4.0]],
    "W=[[1. 2.]\n [3. 4.]]": [[1.0, 2.0], [3.0, 4.0]],
    "W=[1,2],[3,4]": [[1.0, 2.0], [3.0, 4.0]],
    "W=1,2;3,4": [[1.0, 2.0], [3.0, 4.0]],
    "W=1 2; 3 4;": [[1.0, 2.0], [3.0, 4.0]],
    "W=[1,2;3,4]": [[1.0, 2.0], [3.0, 4.0]],
    "W=1;2": [[1.0], [2.0]],
    "T=[[[1],[2]]]": [[[1.0], [2.0]]],
    "W:2x3=1,2,3,4,5,6": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
    "W:2×2=1 2 3 4": [[1.0, 2.0], [3.0, 4.0]],
    "W:1x2=[[1,2]]": [[1.0, 2.0]],
    "a:0=": [],
    "a:1=5": [5.0],
    "s:=5": 5.0,
    "a=1e-3,.5,5.,+1,1_000": [1e-3, 0.5, 5.0, 1.0, 1000.0],
    "a=inf,-Infinity,+INF": [np.inf, -np.inf, np.inf],
    "a=true,False": [1.0, 0.0],
    "a=−1": -1.0,
}


@pytest.mark.parametrize("argument", FORMS)
def test_text_gives_its_array(argument):
    value = value_of(argument)
    expected = np.array(FORMS[argument])
    assert value.array is not None
    assert value.array.shape == expected.shape
    np.testing.assert_array_equal(value.array, expected)
    assert value.origin == "given"


def test_nan_is_read_in_any_case():
    assert np.isnan(value_of("a=nan,NaN,-nan").array).all()


@pytest.mark.parametrize("argument", ["a=1", "a=1,2", "W=[[1,2],[3,4]]", "W:2x1=1,2", "a:0="])
def test_arrays_are_float64_contiguous_and_read_only(argument):
    array = value_of(argument).array
    assert array.dtype == np.float64
    assert array.flags.c_contiguous
    assert not array.flags.writeable


@pytest.mark.parametrize(
    "program",
    [
        "linspace(0,1,5)",
        "randn(2,3)",
        "pi/2",
        "-ones(3)",
        "1/3,2/3",
        "1-2",
        "2(3)",
        "eye(2) < 1",
        "b",
    ],
)
def test_an_expression_is_handed_on_as_text(program):
    value = value_of(f"x = {program} ")
    assert (value.array, value.program, value.origin) == (None, program, "built")
    assert value.source.text[value.span.start : value.span.end] == program


SLIPS = {
    "a=1,,2": ("value-form", ","),
    "a=,1": ("value-form", ","),
    "a=;": ("value-form", ";"),
    "a=1 000, 2 000": ("value-form", ","),
    "a=[1][2]": ("value-form", "["),
    "a=": ("value-form", ""),
    "a==1": ("value-form", "=="),
    "a=b=1": ("value-form", "="),
    "a=ones(2);3": ("value-form", ";"),
    "a": ("value-form", "a"),
    "3*b": ("value-form", "3*b"),
    "": ("value-form", ""),
    "a=1.2.3": ("value-number", "1.2.3"),
    "a=1,$5": ("value-number", "$5"),
    "a=1, 2, ..., 9": ("value-number", "..."),
    "a=1e999": ("number-too-large", "1e999"),
    "a=[1e999]": ("number-too-large", "1e999"),
    "a=[1,2": ("unclosed-bracket", "["),
    "a=1]": ("unexpected-bracket", "]"),
    "a=[1)": ("unexpected-bracket", ")"),
    "W=[[1,2],[3]]": ("ragged-rows", "[3]"),
    "W=[[1,2],3]": ("ragged-rows", "3"),
    "W=1,2; 3": ("ragged-rows", "3"),
    "W:2x3=1,2": ("value-shape", "1,2"),
    "W:2x2=[[1,2,3,4]]": ("value-shape", "[[1,2,3,4]]"),
    "W:2by3=1": ("value-shape", "2by3"),
    "W:9999999999x9999999999=1": ("value-shape", "9999999999x9999999999"),
    "=1": ("invalid-name", "="),
    "2x=1": ("invalid-name", "2x"),
    "lambda=1": ("invalid-name", "lambda"),
    "layer.weight=1": ("invalid-name", "layer.weight"),
    "x=x.npy": ("file-needs-at", "x.npy"),
    "x=@": ("file-missing", "@"),
    "x=@-": ("stdin-missing", "-"),
}


@pytest.mark.parametrize("argument", SLIPS)
def test_a_slip_is_named_and_pointed_at(argument):
    diagnostic = fault_of(argument)
    assert (diagnostic.code, blamed(diagnostic)) == SLIPS[argument]


@pytest.mark.parametrize(
    ("argument", "corrected"),
    [
        ("a==1,2", "a=1,2"),
        ("lambda=1", "lambda_=1"),
        ("layer.weight=1,2", "layer_weight=1,2"),
        ("2x:3=1,2,3", "_2x:3=1,2,3"),
        ("x=x.npy", "x=@x.npy"),
        ("a", "a=1,2,3"),
    ],
)
def test_the_correction_is_a_value(argument, corrected):
    fix = fault_of(argument).fix
    assert fix is not None
    assert fix.apply([argument]) == [corrected]


def test_a_count_that_does_not_fit_names_both_counts():
    message = fault_of("W:2x3=1,2,3,4").message
    assert "6 numbers" in message
    assert "4 numbers" in message


def test_a_name_given_twice_is_refused():
    diagnostic = fault_of("a=1", "b=2", "a=3")
    assert (diagnostic.code, blamed(diagnostic)) == ("value-twice", "a=3")
    assert "a=1" in diagnostic.notes[0]


def test_a_stray_part_of_the_expression_is_joined_again():
    notes = fault_of("+", "2*b", "a=1", expression="3*a").notes
    assert '"3*a + 2*b"' in notes[0]


def test_names_are_normalised_as_python_does():
    assert list(parse_values(["µ=1"])) == ["μ"]


@pytest.mark.parametrize(
    "text",
    [
        ",".join(["0.25"] * 1_000_000),
        "[" + ",".join(["[1,2]"] * 500_000) + "]",
        ";".join(["1,2"] * 500_000),
    ],
    ids=["flat", "nested", "rows"],
)
def test_a_million_entries_take_the_quick_reader(text, monkeypatch):
    monkeypatch.setattr(_CarefulReader, "read", lambda self: pytest.fail("the slow reader ran"))
    assert read_numbers(Source(text)).size == 1_000_000


def test_brackets_nested_without_end_are_refused():
    assert fault_of("a=" + "[" * 100_000).code == "too-many-axes"
    assert fault_of("a=" + "[" * 65 + "1" + "]" * 65).code == "too-many-axes"
    assert value_of("a=" + "[" * 64 + "1" + "]" * 64).array.ndim == 64


@pytest.mark.parametrize(
    "argument",
    [
        "(" * 10**6,
        "1" * 10**6 + "=1",
        "x:" + "x" * 10**6 + "=1",
        "x=" + "." * 10**6,
        "x=@" + ":" * 10**6,
    ],
    ids=["stray", "name", "shape", "number", "file"],
)
def test_a_megabyte_of_nonsense_makes_a_short_message(argument):
    assert len(fault_of(argument).message) < 400


# Files


def test_npy_files_are_read_whatever_their_numbers(folder):
    matrix = np.arange(6).reshape(2, 3)
    for dtype in ("float64", "float32", "float16", ">f8", "int8", "uint64", "bool", "longdouble"):
        for array in (matrix.astype(dtype), np.asfortranarray(matrix.astype(dtype))):
            np.save("x.npy", array)
            value = value_of("x=@x.npy")
            np.testing.assert_array_equal(value.array, array.astype(float))
            assert value.array.flags.c_contiguous
            assert not value.array.flags.writeable
            assert (value.origin, value.path) == ("file", Path("x.npy"))


def test_float32_values_are_kept(folder):
    array = np.float32([0.1, 1 / 3])
    np.save("x.npy", array)
    np.testing.assert_array_equal(value_of("x=@x.npy").array.astype(np.float32), array)


def test_a_shape_before_a_file_reshapes_it(folder):
    np.save("x.npy", np.arange(6.0).reshape(2, 3))
    assert value_of("W:3x2=@x.npy").array.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert fault_of("W:4x2=@x.npy").code == "value-shape"


def test_an_archive_is_read_by_key_or_whole(folder):
    np.savez("one.npz", w=np.ones(2))
    np.savez_compressed("w.npz", **{"layer.weight": np.eye(2), "0.b": np.arange(3), "a:b": [1.0]})
    assert value_of("x=@one.npz").array.tolist() == [1, 1]
    assert value_of("x=@w.npz:layer.weight").array.tolist() == [[1, 0], [0, 1]]
    assert value_of("x=@w.npz:a:b").array.tolist() == [1]
    assert list(parse_values(["@w.npz"])) == ["layer_weight", "_0_b", "a_b"]


def test_a_file_name_may_hold_a_colon(folder):
    np.save("a:b.npy", np.ones(2))
    assert value_of("x=@a:b.npy").array.tolist() == [1, 1]


def test_an_archive_without_the_key_lists_what_it_holds(folder):
    np.savez("w.npz", weight=np.ones(2), bias=np.ones(1))
    several = fault_of("x=@w.npz")
    assert several.code == "npz-several-arrays"
    assert "weight, bias" in several.message
    wrong = fault_of("x=@w.npz:wieght")
    assert (wrong.code, blamed(wrong)) == ("npz-no-such-array", "wieght")
    assert wrong.fix.text == "x=@w.npz:weight"


def test_arrays_that_would_share_a_name_are_refused(folder):
    np.savez("w.npz", **{"a.b": np.ones(1), "a_b": np.ones(1)})
    assert fault_of("@w.npz").code == "value-twice"


TABLES = {
    "1,2\n3,4\n": [[1, 2], [3, 4]],
    "a,b\n1,2\n3,4": [[1, 2], [3, 4]],
    '"a b",c\r\n"1.5",2\r\n': [1.5, 2],
    "1;2\n3;4": [[1, 2], [3, 4]],
    "1\t2\n\n3\t4\n": [[1, 2], [3, 4]],
    "# saved by numpy\n1 2\n3 4\n": [[1, 2], [3, 4]],
    "x\n1\n2\n": [1, 2],
    "1,2,3": [1, 2, 3],
    "5": 5,
    "\ufeff1,2": [1, 2],
    "nan,inf\n1,-inf\n": [[np.nan, np.inf], [1, -np.inf]],
}


@pytest.mark.parametrize("text", TABLES)
def test_a_table_gives_its_array(folder, text):
    Path("t.csv").write_text(text, encoding="utf-8", newline="")
    array = value_of("x=@t.csv").array
    assert array.shape == np.shape(TABLES[text])
    np.testing.assert_array_equal(array, TABLES[text])


def test_a_table_saved_by_powershell_is_read(folder):
    Path("t.txt").write_bytes("1 2\r\n3 4\r\n".encode("utf-16"))
    assert value_of("x=@t.txt").array.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        ("1,2\n3,x\n", "csv-text", 'line 2, column 2: "x"'),
        ("a,b\n\n1,2\n3,\n", "csv-text", "line 4, column 2: nothing"),
        ("1;2\n1,5;2\n", "csv-text", 'line 2, column 1: "1,5"'),
        ("1,2\na,b\n", "csv-text", "line 2, column 1"),
        ("1,2\n3\n", "ragged-rows", "line 2: it has 1 number, but line 1 has 2"),
        ("1,1e999\n", "number-too-large", "line 1, column 2"),
        ("a,b\n", "file-empty", "no numbers"),
        ("  \n", "file-empty", "blanks"),
    ],
)
def test_a_fault_in_a_table_is_placed(folder, text, code, part):
    Path("t.csv").write_text(text)
    diagnostic = fault_of("x=@t.csv")
    assert (diagnostic.code, blamed(diagnostic)) == (code, "t.csv")
    assert part in diagnostic.message


def test_json_is_read(folder):
    content = {"k": [1, "NaN", "-Infinity", True], "g": {"b": [[1, 2]], "c": 3}}
    Path("t.json").write_text(json.dumps(content))
    np.testing.assert_array_equal(value_of("x=@t.json:k").array, [1, np.nan, -np.inf, 1])
    assert value_of("x=@t.json:g.b").array.tolist() == [[1, 2]]
    assert {name: v.array.tolist() for name, v in parse_values(["@t.json:g"]).items()} == {
        "b": [[1, 2]],
        "c": 3,
    }
    Path("n.json").write_text("[NaN, 1e-400, -0]")
    array = value_of("x=@n.json").array
    assert np.isnan(array[0])
    assert np.signbit(array[2])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[1, null]", "value-number"),
        ('["1"]', "value-number"),
        ("[[1, 2], [3]]", "ragged-rows"),
        ("[[1], 2]", "ragged-rows"),
        ("[1e999]", "number-too-large"),
        ("[1" + "0" * 400 + "]", "number-too-large"),
        ("[1,", "json-form"),
        ("[" * 100_000, "too-many-axes"),
        ("[" * 70 + "]" * 70, "too-many-axes"),
        ('{"a": 1, "a": 2}', "value-twice"),
        ('{"a": 1, "b": 2}', "json-several-arrays"),
        ("{}", "file-no-arrays"),
    ],
)
def test_a_fault_in_json_is_named(folder, text, code):
    Path("t.json").write_text(text)
    assert fault_of("x=@t.json").code == code


def npy(header: str, data: bytes = b"") -> bytes:
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data


HOSTILE = {
    "empty.npy": (b"", "file-empty"),
    "text.npy": (b"1,2,3", "file-corrupt"),
    "pickle.npy": (b"\x80\x04.", "pickle-refused"),
    "cut.npy": (b"\x93NUMPY", "file-corrupt"),
    "future.npy": (b"\x93NUMPY\x09\x00\x10\x00", "file-corrupt"),
    "garbage.npy": (npy("{'descr': "), "file-corrupt"),
    "huge.npy": (
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,), }"),
        "file-corrupt",
    ),
    "absurd.npy": (
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (" + "9" * 50 + ",), }"),
        "file-corrupt",
    ),
    "axes.npy": (
        npy(
            "{'descr': '<f8', 'fortran_order': False, 'shape': (" + "1," * 65 + "), }", b"8bytes.."
        ),
        "too-many-axes",
    ),
    "short.npy": (
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", b"12345678"),
        "file-corrupt",
    ),
    "text.csv": (b"\xff\xfa\x00\x01", "file-not-text"),
    "nul.csv": (b"1,\x00", "file-not-text"),
    "not.npz": (b"PK\x03\x04 and no more", "file-corrupt"),
    "x.pt": (b"PK\x03\x04", "pickle-refused"),
    "x.mat": (b"MATLAB", "file-extension"),
    "bare": (b"1,2", "file-extension"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused(folder, name):
    content, code = HOSTILE[name]
    Path(name).write_bytes(content)
    diagnostic = fault_of(f"x=@{name}")
    assert (diagnostic.code, blamed(diagnostic)) == (code, name)


@pytest.mark.parametrize(
    ("array", "code"),
    [
        (np.array([None, 1]), "pickle-refused"),
        (np.array([1j]), "array-kind"),
        (np.array(["a"]), "array-kind"),
        (np.array([np.datetime64("2020-01-01")]), "array-kind"),
        (np.zeros(2, dtype=[("a", float)]), "array-kind"),
    ],
)
def test_arrays_that_are_not_real_numbers_are_refused(folder, array, code):
    np.save("x.npy", array, allow_pickle=True)
    assert fault_of("x=@x.npy").code == code
    np.savez("x.npz", a=array, allow_pickle=True)
    assert fault_of("x=@x.npz:a").code == code


def test_a_damaged_archive_member_is_refused(folder):
    np.savez_compressed("w.npz", a=np.random.default_rng(0).random(1000))
    content = bytearray(Path("w.npz").read_bytes())
    content[2000:2100] = b"\0" * 100
    Path("w.npz").write_bytes(content)
    assert fault_of("x=@w.npz").code == "file-corrupt"


def test_a_decompression_bomb_is_refused_before_it_unpacks(folder):
    with zipfile.ZipFile("bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", b"\0" * (1 << 20))
    content = bytearray(Path("bomb.npz").read_bytes())
    # The directory claims 4 GB; reading them is what must not happen.
    place = content.rindex(b"PK\x01\x02") + 24
    content[place : place + 4] = (0xFFFFFFF0).to_bytes(4, "little")
    Path("bomb.npz").write_bytes(content)
    assert fault_of("x=@bomb.npz").code == "file-too-large"


def test_a_missing_file_brings_the_nearest_name(folder):
    np.save("weights.npy", np.ones(1))
    diagnostic = fault_of("x=@wieghts.npy")
    assert (diagnostic.code, blamed(diagnostic)) == ("file-missing", "wieghts.npy")
    assert diagnostic.fix.text == "x=@weights.npy"
    assert "nowhere" in fault_of("x=@nowhere/x.npy").message
    assert fault_of("x=@a\0b.npy").code == "file-unreadable"
    assert fault_of("x=@weights.npy/x.npy").code == "file-missing"
    assert fault_of("x=@" + "a" * 5000 + ".npy").code == "file-unreadable"


def test_a_folder_is_not_a_file(folder):
    Path("x.npy").mkdir()
    assert fault_of("x=@x.npy").code == "file-is-folder"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
def test_a_protected_file_is_named(folder):
    Path("x.csv").write_text("1")
    Path("x.csv").chmod(stat.S_IWUSR)
    assert fault_of("x=@x.csv").code == "file-unreadable"


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs /dev/fd")
def test_a_pipe_is_read_by_its_first_bytes():
    end, start = os.pipe()
    os.write(start, b"1,2\n3,4\n")
    os.close(start)
    assert value_of(f"x=@/dev/fd/{end}").array.tolist() == [[1, 2], [3, 4]]
    os.close(end)


# Standard input


@pytest.mark.parametrize(
    ("piped", "expected"),
    [
        (b"[[1,2],[3,4]]", [[1, 2], [3, 4]]),
        (b"[[1. 2.]\n [3. 4.]]\n", [[1, 2], [3, 4]]),
        (b'["Infinity", 1]', [np.inf, 1]),
        (b'{"a": [1, 2]}', [1, 2]),
        (b"1 2 3\n", [1, 2, 3]),
        (b"x,y\n1,2\n3,4\n", [[1, 2], [3, 4]]),
        (b"5\n", 5),
    ],
)
def test_standard_input_is_known_by_its_content(piped, expected):
    for argument in ("x=-", "x=@-"):
        value = value_of(argument, piped)
        np.testing.assert_array_equal(value.array, expected)
        assert value.origin == "stdin"


def test_standard_input_may_be_npy_or_npz(folder):
    np.save("x.npy", np.arange(3.0))
    np.savez("x.npz", a=np.ones(2), b=np.zeros(1))
    assert value_of("x=-", Path("x.npy").read_bytes()).array.tolist() == [0, 1, 2]
    archive = Path("x.npz").read_bytes()
    assert value_of("x=@-:b", archive).array.tolist() == [0]
    assert list(parse_values(["@-"], stdin=StandardInput(lambda: archive))) == ["a", "b"]


def test_standard_input_has_one_reader():
    diagnostic = fault_of("x=-", "y=-", piped=b"1")
    assert (diagnostic.code, blamed(diagnostic)) == ("stdin-twice", "-")
    assert "x" in diagnostic.message


def test_empty_standard_input_is_refused():
    assert fault_of("x=-", piped=b"").code == "file-empty"
    assert fault_of("x=-", piped=b"[1, oops]").code == "json-form"
