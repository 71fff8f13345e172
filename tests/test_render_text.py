from __future__ import annotations

import re

import explanations as made
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from vjpcli.errors import Diagnostic, Label, Source, Span
from vjpcli.explanation.model import ArraySummary, Check, LeafReport, Output, Seed
from vjpcli.render.numbers import format_number
from vjpcli.render.page import Page, line_width
from vjpcli.render.text import render_explanation

ANSI = re.compile(r"\x1b\[[0-9;]*m")
WIDTHS = [40, 60, 80, 100, 120, 200]


def screen(explanation, width=80, **options):
    return render_explanation(explanation, width=width, **options)


def rows_of(text, start):
    return [line for line in text.splitlines() if line.strip().startswith(start)]


def every_number(explanation, digits):
    arrays = [value.value for value in explanation.inputs.values()]
    arrays += [output.value for output in explanation.outputs]
    arrays += list(explanation.gradients.values())
    arrays += [t for table in explanation.jacobian.values() for t in table.values()]
    arrays += [seed.value for one_pass in explanation.passes for seed in one_pass]
    for step in explanation.steps:
        arrays += [step.value, step.adjoint]
    arrays += [np.array(r.nudge.change) for r in explanation.leaves.values() if r.nudge]
    present = [np.asarray(a).reshape(-1) for a in arrays if a is not None]
    return {format_number(value, digits).removeprefix("-") for a in present for value in a}


FRACTION = re.compile(r"(?<![\w.\[])(?:\d+\.\d+(?:e[+-]\d+)?|\d+e[+-]\d+)(?![\w.])")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", made.EVERY)
@pytest.mark.parametrize("ascii_only", [False, True])
def test_no_line_is_wider_than_the_page(name, width, ascii_only):
    text = screen(made.EVERY[name](), width, show_steps=True, ascii_only=ascii_only)
    assert max(map(cell_len, text.splitlines())) <= width
    assert not any(line.endswith(" ") for line in text.splitlines())
    assert text.isascii() or not ascii_only


@settings(max_examples=150, deadline=None)
@given(
    st.integers(40, 200),
    st.integers(1, 17),
    st.integers(1, 24),
    st.integers(1, 24),
    st.data(),
)
def test_no_number_is_cut_at_any_width(width, digits, rows, columns, data):
    numbers = st.floats(allow_nan=True) | st.sampled_from([0.0, 1.0, -1.2345678901234567e-105])
    flat = data.draw(st.lists(numbers, min_size=4, max_size=12))
    matrix = np.resize(np.array(flat), (rows, columns))
    name = data.draw(st.sampled_from(["x", "Wert", "a_rather_long_name_of_a_leaf", "größe"]))
    explanation = made.dense(matrix, name)
    choice = data.draw(st.sampled_from(["auto", "full", "compact"]))
    text = screen(explanation, width, digits=digits, jacobian=choice, next_commands=())
    assert max(map(cell_len, text.splitlines())) <= width
    known = every_number(explanation, digits) | {"1e-09"}
    assert set(FRACTION.findall(text)) <= known


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", made.EVERY)
def test_every_fraction_on_the_screen_is_a_whole_number_of_the_explanation(name, width):
    explanation = made.EVERY[name]()
    text = screen(explanation, width, show_steps=True)
    known = every_number(explanation, 4) | {"1e-09", "0.01"}
    assert set(FRACTION.findall(text)) - set(FRACTION.findall(explanation.expression)) <= known


@pytest.mark.parametrize("name", made.EVERY)
def test_colour_changes_nothing_but_colour(name):
    explanation = made.EVERY[name]()
    painted = screen(explanation, colour=True)
    assert ANSI.sub("", painted) == screen(explanation)
    assert "\x1b[" in painted


def test_diagonal_jacobian_is_compact_where_the_page_is_narrow():
    text = screen(made.elementwise(), 80)
    assert "y = 3*a + 2*b*b + log(c)" in text
    assert "∂y/∂b = 4·b" in text
    assert "y[2] │ 0.0001 │   3 → 0.0003   │   20 → 0.002   │  0.125 → 1.25e-05" in text
    assert "✓ agrees with central differences, worst relative error 1e-09" in text


def test_wide_page_shows_the_whole_jacobian_with_gradients_under_their_columns():
    text = screen(made.elementwise(), 120)
    header, grad = rows_of(text, "│")[0], rows_of(text, "grad")[0]
    assert "Jacobian 3×9, 9 of 27 entries used" in text
    end = header.index("∂/∂c[0]") + len("∂/∂c[0]")
    assert grad[:end].endswith("0.01667")
    assert rows_of(text, "y[0]")[0].count("·") == 6
    assert "the bottom row is a.grad, b.grad, c.grad." in text
    assert "· is a structural zero" in text


def test_forced_layouts_are_obeyed():
    assert "→" in screen(made.elementwise(), 120, jacobian="compact")
    assert "a[2]" in screen(made.elementwise(), 80, jacobian="full")


def test_one_hot_seed_marks_its_row():
    text = screen(made.one_hot(), 80)
    assert [line.strip()[:8] for line in rows_of(text, "▶")] == ["▶ z[0,0]"]
    assert "1 × row  =  2  0  0  0" in screen(made.one_hot(), 120)


def test_one_hot_row_stays_visible_in_a_long_jacobian():
    seed = np.zeros(500)
    seed[250] = 1.0
    text = screen(made.elementwise(seeds=[seed], size=500), 80)
    assert len(rows_of(text, "▶ y[250]")) == 1
    assert "⋯ 484 more rows of 500" in text


def test_matrices_stand_side_by_side_and_gradients_in_their_shape():
    lines = screen(made.matrix_product(), 120).splitlines()
    assert "  W  1  2  3    x  1  0  -1    y  -2  -2" in lines
    assert "  x.grad = Wᵀ @ seed       3  4.5  6   seed mixes the rows of W" in lines
    assert "                           0.5  0  -0.5" in lines


def test_scalar_loss_shows_the_way_down_and_up():
    text = screen(made.scalar_loss(), 120)
    assert "t3 = t2 - t     │ -1.5  -3   -4.5 │     -1      -2      -3 │ × 2·t3" in text
    assert "w.grad = -14   raise w by 0.01 and the loss falls by about 0.14" in text
    assert "how it got there" not in screen(made.scalar_loss(), 80)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (0.14, "raise w by 0.01 and the loss rises by about 0.14"),
        (0.0, "the loss is flat here: a small change of w does not move it"),
        (float("nan"), None),
    ],
)
def test_closing_words_follow_the_numbers(change, words):
    base = made.scalar_loss()
    report = LeafReport(structure="row", nudge=made.Nudge(0.01, change))
    text = screen(made.replaced(base, leaves={**base.leaves, "w": report}), 120)
    line = rows_of(text, "w.grad")[0]
    assert line.endswith(words) if words else "raise" not in line


def test_steps_show_values_rules_and_sums_of_contributions():
    base = made.scalar_loss()
    step = base.steps[0]
    twice = made.replaced(step, uses=("t1", "t9"), contributions=(np.array(-10.0), np.array(-4.0)))
    text = screen(made.replaced(base, steps=(twice, *base.steps[1:])), 80, show_steps=True)
    assert "read 2 times, by t1, t9: (-10) + (-4) = -14" in text
    assert "rule     ∂(t3**2)/∂t3 = 2·t3" in text
    assert "adjoint  none, data gets no gradient" in text


def test_several_passes_list_their_seeds_and_say_that_grad_accumulates():
    text = screen(made.elementwise(seeds=[(1, 1, 1), (0.1, 1.0, 0.0001)]), 80)
    assert "  seed 2  0.1  1  0.0001" in text
    assert ".grad accumulates" in text.replace("\n  ", " ")
    assert "3 → 3.3" in text


def test_each_shows_a_gradient_a_row_and_no_sum():
    text = screen(made.each_row(), 80)
    assert "every row is a gradient by itself" in text
    assert not rows_of(text, "grad")


def test_rows_of_several_outputs_bear_their_names():
    text = screen(made.two_outputs(), 80)
    assert len(rows_of(text, "y[2]")) == 1
    assert len([line for line in rows_of(text, "z") if "│" in line]) == 1
    assert text.splitlines()[:2][1] == " z = sum(y)"


def test_stand_ins_and_an_example_seed_are_announced():
    text = screen(made.elementwise([(1, 1, 1)], stand_ins=("a",), origin="example"), 80)
    assert rows_of(text, "a  ")[0].endswith("stand-in")
    assert not rows_of(text, "b  ")[0].endswith("stand-in")
    assert "No seed was given" in text


def test_unused_leaf_is_named_as_such():
    base = made.explanation(
        "3*x", {"x": [1.0, 2.0], "y": [5.0, 6.0]}, [3.0, 6.0],
        {"x": 3 * np.eye(2), "y": np.zeros((2, 2))}, [[1.0, 1.0]], name="out",
        leaves={"x": LeafReport(), "y": LeafReport(structure="none", used=False)},
    )  # fmt: skip
    text = screen(base, 80)
    assert "y    5  6   not used by the expression" in text
    assert "│ x[0]  x[1]" in text
    assert "y.grad  0  0   not used (PyTorch: None; JAX and autograd: zeros)" in text
    assert "∂/∂y" not in text


def test_no_seed_shows_the_jacobian_alone():
    base = made.replaced(made.matrix_product(), passes=(), gradients={})
    text = screen(base, 80)
    assert "W[1,2]" in text
    assert "grad" not in text


def test_a_million_entries_take_a_screenful():
    for width in (80, None):
        text = screen(made.million(), width)
        assert len(text.splitlines()) < 50
        assert "⋯ 999,984 more rows of 1,000,000" in text


def test_a_jacobian_too_large_to_keep_is_named_and_its_gradient_summed_up():
    x = np.linspace(0, 1, 5000)
    summary = ArraySummary(-1.5, 2.5, 12.5, 3, 1)
    base = made.explanation(
        "cumsum(x)", {"x": x}, x.cumsum(), {"x": None}, [np.ones(5000)],
        leaves={"x": LeafReport(summary=summary)}, gradients={"x": x[::-1]},
    )  # fmt: skip
    text = screen(base, 80)
    assert "The Jacobian of x has 5,000 rows and is too large to keep" in text
    assert "5,000 entries, smallest -1.5, largest 2.5, norm 12.5, 3 zeros, 1 nan or inf" in text
    assert "--jacobian full" not in text


def test_tensors_are_shown_slice_by_slice():
    text = screen(made.tensor(), 80)
    assert "x[1,:,:]" in text
    assert "x.grad[1,:,:]" in text
    assert "⋯ 18 more columns of x" in text


def test_full_jacobian_leaves_no_column_out():
    text = screen(made.tensor(), 60, jacobian="full")
    assert "more" not in text
    assert all(f"x[{i},{j},{k}]" in text for i in range(2) for j in range(3) for k in range(4))


def test_empty_arrays_have_a_picture():
    empty = np.zeros((0,))
    base = made.explanation("3*x", {"x": empty}, empty, {"x": np.zeros((0, 0))}, [empty])
    assert "(empty)" in screen(base)


def test_check_says_when_it_disagrees_or_was_not_made():
    wrong = Check(False, "central differences", 0.5, 18, "", "a", (1,), 3.0, 4.5)
    text = screen(made.elementwise(check=wrong), 200)
    assert (
        "✗ disagrees with central differences at a.grad[1]: the difference quotient is 3, "
        "the gradient says 4.5, worst relative error 0.5 (18 evaluations)" in text
    )
    none = Check(None, "central differences", None, 0, "the value is not finite")
    text = screen(made.elementwise(check=none), 200)
    assert "– not checked against central differences: the value is not finite" in text


def test_findings_point_into_the_program():
    source = Source("where(x > 0, sqrt(x), 0)")
    finding = Diagnostic(
        "nan-untaken-branch", "x.grad[0] is nan", "warning", source,
        (Label(Span(13, 20), "the nan is made here, on the way back"),),
        numbers=(("value", 0.0), ("slope", np.inf)),
    )  # fmt: skip
    lines = screen(made.elementwise(diagnostics=(finding,)), 80).splitlines()
    start = lines.index("  ✗ nan-untaken-branch x.grad[0] is nan")
    assert lines[start + 1] == "  where(x > 0, sqrt(x), 0)"
    assert lines[start + 2] == "               ^^^^^^^ the nan is made here, on the way back"
    assert lines[start + 3] == "  Here the value is 0 and the slope is ∞."


def test_a_long_program_is_folded_or_counted_never_cut_silently():
    program = "; ".join(f"t{n} = t{n - 1}*x" for n in range(1, 1000))
    base = made.replaced(made.elementwise(), source=Source(program))
    text = screen(base, 80)
    assert "⋯ 983 more statements" in text
    base = made.replaced(made.elementwise(), source=Source("+".join(["x"] * 500_000)))
    assert "more characters" in screen(base, 80)


def test_brackets_and_comments_do_not_split_statements():
    program = "h = [a,\n b]  # two\ny = f(h, axis=1); y*-2e-3"
    base = made.replaced(made.elementwise(), source=Source(program))
    head = [line.split("   ")[0] for line in screen(base, 80).splitlines()[:3]]
    assert head == [" h = [a, b]", " y = f(h, axis=1)", " y = y*-2e-3"]


def test_control_characters_of_the_input_never_reach_the_terminal():
    base = made.replaced(
        made.elementwise(),
        source=Source("x\x1b]0;title\x07 + \udcff"),
        outputs=(Output("y", made.array(1, 2, 3)),),
        passes=((Seed(made.array(1, 1, 1), "file", "@\x1b[2J.npy", "y"),),),
    )
    text = screen(base)
    assert "\x1b" not in text
    text.encode("utf-8")


def test_suggestions_can_be_replaced_or_left_out():
    assert "next: vjp other" in screen(made.elementwise(), next_commands=["vjp other"])
    assert "next:" not in screen(made.elementwise(), next_commands=())


@pytest.mark.parametrize("width", range(40, 130, 3))
@pytest.mark.parametrize("name", made.EVERY)
def test_rules_of_tables_meet_at_every_width(name, width):
    lines = screen(made.EVERY[name](), width).splitlines()
    for number, line in enumerate(lines):
        if "┼" in line:
            crossings = [place for place, sign in enumerate(line) if sign == "┼"]
            for neighbour in (lines[number - 1], lines[number + 1]):
                uprights = [place for place, sign in enumerate(neighbour) if sign == "│"]
                assert uprights == crossings


def test_a_diagonal_structure_alone_tells_the_structural_zeros():
    base = made.elementwise()
    reports = {
        name: LeafReport(formula=report.formula, structure="diagonal")
        for name, report in base.leaves.items()
    }
    assert screen(made.replaced(base, leaves=reports), 120) == screen(base, 120)


def test_a_gradient_gone_wrong_stands_beside_its_values_and_before_any_picture():
    text = screen(made.hidden_branch(), 80)
    lines = [line.strip() for line in text.splitlines()]
    assert lines[2:5] == ["x         0     4", "y         0     2", "x.grad  nan  0.25"]
    assert "✗ nan-untaken-branch x.grad[0] is nan" in lines[6]
    assert lines[8] == "^^^^^^^ the nan is made here, on the way back"
    assert "at x[0] = 0 │ value │             slope │ adjoint in │ adjoint out" in text
    assert "sqrt(x)     │     0 │ 1/(2·sqrt(0)) = ∞ │          0 │ 0 × ∞ = nan" in text
    assert "in words" not in text
    assert "Fix: guard the input of sqrt, not only its result\n    where(x > 0, sqrt(" in text
    assert "more: vjp rule nan-untaken-branch" in text
    assert "∂y/∂x → x.grad" not in text


def test_a_wide_page_tells_the_trail_in_words():
    text = screen(made.hidden_branch(), 120)
    assert "│ in words" in text
    assert "│ x > 0 is False, so nothing is sent" in text
    assert "Fix: guard the input of sqrt, not only its result:  where(x > 0, sqrt(" in text


def test_a_narrow_page_stacks_the_trail():
    text = screen(made.hidden_branch(), 40)
    assert "adjoint out  0 × ∞ = nan" in text


def test_the_whole_jacobian_is_still_to_be_had_where_a_gradient_went_wrong():
    assert "x[1]" in screen(made.hidden_branch(), 80, jacobian="full")


def test_stand_ins_are_marked_and_not_told_again():
    note = Diagnostic("stand-in", "no value was given for a; standing in: a=1,2,3", "note")
    text = screen(made.elementwise(stand_ins=("a",), diagnostics=(note,)), 80)
    assert "no value was given" not in text
    assert text.count("stand-in") == 1


def test_a_check_that_agrees_tells_what_it_left_out():
    check = Check(True, "central differences", 1e-9, 4, "1 entry not finite, not compared")
    text = screen(made.replaced(made.elementwise(), check=check), 120)
    assert "1 entry not finite, not compared (4 evaluations)" in text


def test_formulas_too_long_for_the_label_stand_below_the_number():
    base = made.scalar_loss()
    report = made.replaced(base.leaves["w"], matrix_formula="sum(x*(2*b/3 - 2*t/3 + 2*w*x/3))")
    lines = screen(made.replaced(base, leaves={**base.leaves, "w": report}), 80).splitlines()
    position = next(i for i, line in enumerate(lines) if line.startswith("  w.grad = -14"))
    assert lines[position + 1] == "         = sum(x·(2·b/3 - 2·t/3 + 2·w·x/3))"


def test_no_formula_claims_the_sum_over_several_outputs():
    base = made.two_outputs()
    report = LeafReport(matrix_formula="2*a")
    assert "2·a" not in screen(made.replaced(base, leaves={"a": report}), 80)


def test_short_products_are_not_broken_between_lines():
    for width in range(40, 100):
        lines = screen(made.elementwise(), width).splitlines()
        assert not any(line.endswith(("×", "seed ×")) for line in lines)


def test_word_of_a_million_letters_is_broken_in_no_time():
    page = Page(80)
    lines = page.paragraph("a" * 10**6)
    assert {line_width(line) for line in lines[:-1]} == {80}
    assert sum(map(line_width, lines)) == 10**6
