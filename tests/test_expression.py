"""Program text to syntax tree: structure, spans into the text as typed, and typical slips."""

from __future__ import annotations

import ast
import warnings

import pytest

from vjpcli.errors import Diagnostic, Span, VjpError
from vjpcli.parser.expression import parse, text_of
from vjpcli.parser.syntax import (
    Attribute,
    Binary,
    Call,
    Expression,
    Index,
    Literal,
    Name,
    Number,
    Sequence,
    Slice,
    Unary,
    postorder,
)


def value(text: str) -> Expression:
    """The expression of a program of one statement."""
    (statement,) = parse(text).statements
    return statement.value


def outline(expression: Expression) -> str:
    """The structure of an expression, fully bracketed."""
    match expression:
        case Number(value=number, whole=whole):
            return str(int(number)) if whole else str(number)
        case Name(identifier=word):
            return word
        case Literal(value=constant):
            return repr(constant)
        case Unary(operator=sign, operand=operand):
            return f"({sign}{outline(operand)})"
        case Binary(operator=sign, left=left, right=right):
            return f"({outline(left)} {sign} {outline(right)})"
        case Sequence(items=items, is_list=is_list):
            inside = ", ".join(outline(item) for item in items)
            return f"[{inside}]" if is_list else f"tuple({inside})"
        case Attribute(value=owner, attribute=word):
            return f"{outline(owner)}.{word}"
        case Call(function=function, arguments=arguments, keywords=keywords):
            inside = [outline(argument) for argument in arguments]
            inside += [f"{keyword.name}={outline(keyword.value)}" for keyword in keywords]
            return f"{outline(function)}({', '.join(inside)})"
        case Slice(start=start, stop=stop, step=step):
            return ":".join("" if part is None else outline(part) for part in (start, stop, step))
        case Index(value=owner, items=items):
            return f"{outline(owner)}[{', '.join(outline(item) for item in items)}]"
    raise AssertionError(expression)


def diagnosis(text: str) -> Diagnostic:
    with pytest.raises(VjpError) as caught:
        parse(text)
    return caught.value.diagnostic


@pytest.mark.parametrize(
    ("text", "structure"),
    [
        ("3*a+2*b*b+log(c)", "(((3 * a) + ((2 * b) * b)) + log(c))"),
        ("-x**2", "(-(x ** 2))"),
        ("~(a < b) & c", "((~(a < b)) & c)"),
        ("a // b % c | d", "(((a // b) % c) | d)"),
        ("W @ x != y", "((W @ x) != y)"),
        ("x[0, 1:, ::2, None, ..., [0, 2]]", "x[0, 1::, ::2, None, Ellipsis, [0, 2]]"),
        ("x[:]", "x[::]"),
        ("x[()]", "x[]"),
        ("torch.nn.functional.relu(x)", "torch.nn.functional.relu(x)"),
        ("x.T.sum(dim=1, keepdim=True)", "x.T.sum(dim=1, keepdim=True)"),
        ('loss(x, reduction="sum")', "loss(x, reduction='sum')"),
        ("einsum('ij->ji', x)", "einsum('ij->ji', x)"),
        ("[a, (b, c)]", "[a, tuple(b, c)]"),
        ("a, b", "tuple(a, b)"),
        ("9**9**9**9", "(9 ** (9 ** (9 ** 9)))"),
        ("1_000 + 1e3 + 0x10", "((1000 + 1000.0) + 16)"),
        ("(a)(b)", "a(b)"),
    ],
)
def test_expression_has_pythons_structure(text, structure):
    assert outline(value(text)) == structure


def test_whole_numbers_are_told_from_others():
    two, two_and_nothing = value("[2, 2.0]").children
    assert isinstance(two, Number) and isinstance(two_and_nothing, Number)
    assert (two.value, two.whole) == (2.0, True)
    assert (two_and_nothing.value, two_and_nothing.whole) == (2.0, False)
    assert isinstance(two.value, float)


def test_statements_keep_their_targets():
    program = parse("h = W @ x; a, b = h\ny = a * b")
    assert [s.targets for s in program.statements] == [("h",), ("a", "b"), ("y",)]
    text = program.source.text
    assert [text[s.start : s.end] for s in program.statements[1].target_spans] == ["a", "b"]
    assert [text[s.span.start : s.span.end] for s in program.statements] == [
        "h = W @ x",
        "a, b = h",
        "y = a * b",
    ]


@pytest.mark.parametrize("sign", ["+", "-", "*", "/", "//", "%", "**", "@", "&", "|"])
def test_augmented_assignment_rebinds(sign):
    text = f"y = x\ny {sign}= 2 + x"
    statement = parse(text).statements[1]
    assert statement.rebinds
    assert statement.targets == ("y",)
    assert outline(statement.value) == f"(y {sign} (2 + x))"
    assert isinstance(statement.value, Binary)
    assert slice_of(text, statement.value.operator_span) == sign + "="


def slice_of(text: str, span: Span) -> str:
    return text[span.start : span.end]


def test_return_at_the_end_is_the_output():
    program = parse("y = 2*x; return y")
    assert program.statements[-1].targets == ()
    assert outline(program.statements[-1].value) == "y"


@pytest.mark.parametrize(
    "line",
    [
        "import numpy as np",
        "import numpy",
        "import torch, math",
        "import torch.nn.functional as F",
        "import jax.numpy as jnp",
        "from torch import nn",
        "from torch.nn import functional as F",
        "from jax import numpy as jnp",
        "from math import log, exp",
        "import os",
        "import matplotlib.pyplot as plt",
        "from jax import grad, jit",
        "import numpy.random as npr",
        "from torch.nn import ReLU",
        "from __future__ import annotations",
    ],
)
def test_imports_of_known_libraries_are_skipped(line):
    text = line + "\ny = log(x)"
    (statement,) = parse(text).statements
    assert statement.targets == ("y",)
    assert slice_of(text, statement.value.span) == "log(x)"


@pytest.mark.parametrize(
    ("text", "structures"),
    [
        ("  -x**2", ["(-(x ** 2))"]),
        ("\n    h = a\n    y = h\n", ["a", "h"]),
        ("\n  h = a\ny = h", ["a", "h"]),
        ("h = a\n\n# what follows is the output\n  h", ["a", "h"]),
        ("h = a\r\ny = h\r\n", ["a", "h"]),
        ("h = a\ry = h", ["a", "h"]),
        ("\ufeffa + b", ["(a + b)"]),
        ("a\u00a0+\u2009b\u3000", ["(a + b)"]),
        ("a;", ["a"]),
        ("a # ² and × are free in comments", ["a"]),
        ("f(a, # one\n   b)", ["f(a, b)"]),
        ("a + \\\n   b", ["(a + b)"]),
        (">>> h = a\n>>> y = f(h,\n...       b)\n", ["a", "f(h, b)"]),
        ("h = x\n-h", ["x", "(-h)"]),
        ("\tπ*größe", ["(π * größe)"]),
    ],
)
def test_layout_around_a_program_is_set_aside(text, structures):
    assert [outline(s.value) for s in parse(text).statements] == structures


@pytest.mark.parametrize(
    "text",
    [
        "3*a+2*b*b+log(c)",
        "größe = π * ä # öß\n  y = größe.sum(dim=1) - ä[0, 1:]",
        "\ufeff>>> y = f(a,\r\n...   b) @ (c.T)\r\n>>> -y",
        "\t y = (a) +\\\n (b)  ** 2 ; y [ : ] . T",
        "f((a), # é\n  axis = -1) <= ((b))",
    ],
)
def test_spans_point_into_the_text_as_typed(text):
    for statement in parse(text).statements:
        for target, span in zip(statement.targets, statement.target_spans, strict=True):
            assert slice_of(text, span) == target
        for part in postorder(statement.value):
            check_own_spans(text, part)


def check_own_spans(text: str, part: Expression) -> None:
    """The spans of a part name exactly what the part says."""
    written = slice_of(text, part.span)
    match part:
        case Name(identifier=word):
            assert written == word
        case Number(value=number):
            assert float(ast.literal_eval(written)) == number
        case Binary() | Unary():
            assert slice_of(text, part.operator_span) == part.operator
        case Attribute():
            assert slice_of(text, part.attribute_span) == part.attribute
        case Call():
            assert written.endswith(")")
            for keyword in part.keywords:
                assert slice_of(text, keyword.name_span) == keyword.name
        case Index():
            assert written.endswith("]")
    for child in part.children:
        assert part.span.start <= child.span.start <= child.span.end <= part.span.end


def test_text_of_a_part_is_its_slice():
    program = parse("  y = log( c )")
    assert text_of(program, program.statements[0].value) == "log( c )"


def test_composed_letters_are_the_same_name():
    assert outline(value("𝑥 + ﬁ")) == "(x + fi)"


SLIPS = [
    # text, code, what the caret marks, corrected program (None where there is no telling)
    ("2x", "implicit-multiplication", "2x", "2*x"),
    ("2 x", "implicit-multiplication", "2 x", "2*x"),
    ("3a+2b*b", "implicit-multiplication", "3a", "3*a+2*b*b"),
    ("2.5x", "implicit-multiplication", "2.5x", "2.5*x"),
    ("2(x+1)", "implicit-multiplication", "2(", "2*(x+1)"),
    ("y+2(x+1) z", "implicit-multiplication", "2(", "y+2*(x+1)*z"),
    (
        "where((a) > 0, 2 if b else c, 3d)",
        "implicit-multiplication",
        "3d",
        "where((a) > 0, 2 if b else c, 3*d)",
    ),
    ("(a+b)c", "implicit-multiplication", ")c", "(a+b)*c"),
    ("1/2x", "implicit-multiplication", "2x", "1/2*x"),
    ("2sin(x)", "implicit-multiplication", "2sin", "2*sin(x)"),
    ("1.2.3", "malformed-number", "1.2.3", None),
    ("1__0", "malformed-number", "1__0", None),
    ("0b12", "malformed-number", "0b12", None),
    ("007*x", "leading-zero", "007", "7*x"),
    ("1e400", "number-too-large", "1e400", None),
    ("x + 1e-400", "number-too-small", "1e-400", None),
    ("x^2", "caret-power", "^", "x**2"),
    ("2x^2 + y^3", "implicit-multiplication", "2x", "2*x**2 + y**3"),
    ("y ^= 2", "caret-power", "^=", "y **= 2"),
    ("x²+y³", "superscript", "²", "x**2+y**3"),
    ("x⁻¹", "superscript", "⁻¹", "x**-1"),
    ("3x²y", "superscript", "²", "3*x**2*y"),
    ("sin²(x)", "superscript", "²", "sin(x)**2"),
    ("Wᵀ @ x", "superscript", "ᵀ", "W.T @ x"),
    ("²", "superscript", "²", None),
    ("x₁+x₂", "subscript", "₁", "x1+x2"),
    ("a×b÷c−d", "unicode-operator", "×", "a*b/c-d"),
    ("a·b", "unicode-operator", "·", "a*b"),
    ("a≤b", "unicode-operator", "≤", "a<=b"),
    ("½x", "unicode-operator", "½", "(1/2)*x"),
    ("2½", "unicode-operator", "½", None),
    ("x＋１", "unicode-operator", "＋", "x+1"),
    ("√x", "root-sign", "√", "sqrt(x)"),
    ("2√(x+1)", "root-sign", "√", "2*sqrt(x+1)"),
    ("‖x‖", "norm-bars", "‖", "norm(x)"),
    ("||x||", "norm-bars", "||x||", "norm(x)"),
    ("|x|", "absolute-bars", "|x|", "abs(x)"),
    ("y+2*|x-1|", "absolute-bars", "|x-1|", "y+2*abs(x-1)"),
    ("2|x|", "absolute-bars", "|x|", "2*abs(x)"),
    ("f(“sum”)", "typographic-quote", "“", 'f("sum")'),
    ("sin(45°)", "degree-sign", "°", "sin((45*pi/180))"),
    ("50%", "percent-sign", "%", "(50/100)"),
    ("50% * x", "percent-sign", "%", "(50/100) * x"),
    ("a ∑ b", "unexpected-character", "∑", None),
    ("x\u200b+1", "invisible-character", "\u200b", "x+1"),
    ("x\x00+1", "invisible-character", "\x00", "x+1"),
    ("x+\udc80", "not-unicode", "\udc80", None),
    ("sum(a*(b+c)", "unclosed-bracket", "(", "sum(a*(b+c))"),
    ("y = (a+b\nz = y", "unclosed-bracket", "(", "y = (a+b)\nz = y"),
    ("y = (a+b; y*c", "unclosed-bracket", "(", "y = (a+b); y*c"),
    ("[1,2", "unclosed-bracket", "[", "[1,2]"),
    ("x)", "unmatched-bracket", ")", "x"),
    ("(a]", "mismatched-bracket", "]", "(a)"),
    ("[f(x]", "mismatched-bracket", "]", "[f(x)]"),
    ("'abc", "unclosed-quote", "'", None),
    ("f('''a", "unclosed-quote", "'''", None),
    ("3*a+", "missing-operand", "+", None),
    ("3*a+\nb", "missing-operand", "+", None),
    ("a+/b", "missing-operand", "/", None),
    ("*3", "missing-operand", "*", None),
    ("a@@b", "missing-operand", "@@", "a@b"),
    ("a***b", "missing-operand", "***", "a**b"),
    ("(a+)*b", "missing-operand", "+", None),
    ("a..b", "missing-operand", ".", None),
    ("a and", "missing-operand", "and", None),
    ("y = ", "missing-value", "=", None),
    ("a b", "missing-operator", "a b", "a * b"),
    ("3 4", "missing-operator", "3 4", None),
    ("log c", "function-without-brackets", "log c", "log(c)"),
    ("sin 2x + 1", "function-without-brackets", "sin 2x", "sin(2*x) + 1"),
    ("np.log c", "function-without-brackets", "log c", "np.log(c)"),
    ("[1 2 3]", "missing-comma", "1 2", "[1, 2, 3]"),
    ("[[1 2]\n [3 4]]", "missing-comma", "1 2", "[[1, 2], [3, 4]]"),
    ("f(a b)", "missing-comma", "a b", "f(a, b)"),
    ("[1, 2; 3, 4]", "semicolon-in-brackets", ";", "[[1, 2], [ 3, 4]]"),
    ("x = 3 y = x", "missing-separator", "y", "x = 3; y = x"),
    ("f(a,,b)", "stray-comma", ",", "f(a,b)"),
    ("a;;b", "stray-semicolon", ";", "a;b"),
    ("x[]", "empty-index", "[]", "x[:]"),
    ("x[1:2:3:4]", "too-many-colons", ":", None),
    ("f(axis: 1)", "stray-colon", ":", "f(axis= 1)"),
    ("=3*x", "leading-equals", "=", "3*x"),
    ("(x = 3)", "equals-sign", "=", "(x == 3)"),
    ("x = = 3", "missing-operand", "= =", "x == 3"),
    ("x+1 = 2", "assignment-to-expression", "x+1", "x+1 == 2"),
    ("3 = x", "assignment-to-expression", "3", "3 == x"),
    ("f(x) = x**2", "function-definition", "f(x)", "f = x**2"),
    ("where(x=0, 1, 2)", "positional-after-keyword", "1", "where(x==0, 1, 2)"),
    ("sum(dim=1, x)", "positional-after-keyword", "x", None),
    ("f(a=1, a=2)", "keyword-given-twice", "a", None),
    ("f(*a)", "starred-expression", "*a", None),
    ("f(**k)", "keyword-unpacking", "**k", None),
    ("a => b", "reversed-comparison", "=>", "a >= b"),
    ("a =< b", "reversed-comparison", "=<", "a <= b"),
    ("a <> b", "foreign-comparison", "<>", "a != b"),
    ("a === b", "foreign-comparison", "===", "a == b"),
    ("a>0 && b>0", "double-ampersand", "&&", "(a>0) & (b>0)"),
    ("a || b", "double-bar", "||", "a | b"),
    ("!x", "exclamation-not", "!", "~x"),
    ("x!", "factorial", "!", None),
    ("x++", "increment", "++", "x += 1"),
    ("a.*b + c.^2", "elementwise-dot", ".*", "a*b + c**2"),
    ("x'*y'", "prime", "'", "x.T @ y.T"),
    ("a -> b", "arrow", "->", None),
    ("$x$", "dollar-sign", "$", "x"),
    ("`x`", "backtick", "`", "x"),
    ("x?", "question-mark", "?", "x"),
    (r"a \cdot \log(b)", "latex-command", r"\cdot", "a * log(b)"),
    (r"\frac{a}{b}", "latex-command", r"\frac", None),
    (r"h = a\ny = h", "stray-backslash", r"\n", "h = a; y = h"),
    ("a \\ b", "stray-backslash", "\\", "a * b"),
    ("lambda*x", "keyword-as-name", "lambda", "lam*x"),
    ("y = x + in*in", "keyword-as-name", "in", "y = x + in_*in_"),
    ("class = 3; class*x", "keyword-as-name", "class", "class_ = 3; class_*x"),
    ("lambda *x: x**2", "lambda-expression", "lambda", None),
    ("a if c", "if-expression", "if", None),
    ("a and b > c or d", "boolean-operator", "or", "(a & (b > c)) | d"),
    ("not a < b", "not-operator", "not", "~(a < b)"),
    ("a < b < c", "chained-comparison", "<", "(a < b) & (b < c)"),
    ("a is b", "is-operator", "is", "a == b"),
    ("a not in b", "in-operator", "not in", None),
    ("a << 2", "shift-operator", "<<", None),
    ("{2*x for x in a}", "comprehension", "{2*x for x in a}", None),
    ("[x for x.y in a]", "comprehension", "[x for x.y in a]", None),
    ("{1, 2}", "set", "{1, 2}", "[1, 2]"),
    ("{a: 1}", "dictionary", "{a: 1}", None),
    ("y := 3", "walrus", ":=", "y = 3"),
    ("f((y := 3))", "walrus", ":=", None),
    ("f'{x}'", "f-string", "f'{x}'", None),
    ("f(b'x')", "bytes-literal", "b'x'", None),
    ("'x' + y", "text-outside-call", "'x'", None),
    ("await x", "await", "await x", None),
    ("(yield)", "yield", "yield", None),
    ("x[0] = 1", "item-assignment", "x[0]", "x = x.at[0].set(1)"),
    ("x[0] += 1", "item-assignment", "x[0]", "x = x.at[0].add(1)"),
    ("a.b = 1", "attribute-assignment", "a.b", None),
    ("a = b = c", "chained-assignment", "a = b", "b = c; a = b"),
    ("a: int", "annotation", ": int", None),
    ("a, *b = c", "starred-target", "*b", None),
    ("a, = c", "unpacking", "a,", "a = (c)[0]"),
    ("a, (b, c) = d", "target-not-a-name", "(b, c)", None),
    ("y = a\n  + b", "continued-line", "+", "y = a \\\n  + b"),
    ("y = a\n  - b", "continued-line", "-", "y = a \\\n  - b"),
    ("y = a\n* b", "continued-line", "*", "y = a \\\n* b"),
    ("y = a\n== b", "continued-line", "==", "y = a \\\n== b"),
    ("return y; z", "return-statement", "return", None),
    ("return", "return-statement", "return", None),
    ("import numpy as jnp\nx", "import-statement", "import numpy as jnp", None),
    ("from mine import loss\nx", "import-statement", "from mine import loss", None),
    ("from numpy import std\nstd(x)", "import-statement", "from numpy import std", None),
    ("def f(x):\n  return x", "def-statement", "def", "f = lambda x: x"),
    ("class A: pass", "class-statement", "class", None),
    ("for i in x:\n  y = i", "for-loop", "for", None),
    ("while x: y", "while-loop", "while", None),
    ("if x > 0:\n  y = x\nelse:\n  y = 0", "if-statement", "if", None),
    ("with torch.no_grad():\n  y = x", "with-statement", "with", None),
    ("del x", "del-statement", "del", None),
    ("assert x", "assert-statement", "assert", None),
    ("pass", "empty-statement", "pass", None),
    ("global x", "scope-statement", "global", None),
    ("", "empty-expression", "", None),
    (" \n ", "empty-expression", " \n ", None),
    ("# only words", "empty-expression", "# only words", None),
    ("; ;", "empty-expression", "; ;", None),
    ("import numpy as np", "empty-expression", "import numpy as np", None),
]


@pytest.mark.parametrize(("text", "code", "marked", "corrected"), SLIPS)
def test_slip_is_named_marked_and_corrected(text, code, marked, corrected):
    found = diagnosis(text)
    assert found.code == code
    assert slice_of(text, found.labels[0].span) == marked
    if corrected is None:
        assert found.fix is None
    else:
        assert found.fix is not None
        assert (found.fix.text, found.fix.replaces) == (corrected, text)
        parse(found.fix.text)


@pytest.mark.parametrize("text", sorted({slip[0] for slip in SLIPS}))
def test_message_is_one_sentence_without_a_full_stop(text):
    found = diagnosis(text)
    assert found.severity == "error"
    assert found.message
    assert not found.message.endswith(".")
    assert "\n" not in found.message
    assert found.source is not None
    assert found.source.text == text


def test_one_correction_repairs_every_slip():
    found = diagnosis("y = 3x² + |x|^2 − log c && !d")
    assert found.fix is not None
    assert found.fix.text == "y = (3*x**2 + abs(x)**2 - log(c)) & (~d)"


def test_no_correction_is_given_that_cannot_be_read():
    assert diagnosis("(2x + ").fix is None


@pytest.mark.parametrize(
    "text",
    [
        "(" * 1000 + "x" + ")" * 1000,
        "(" * 100_000,
        "-" * 100_000 + "x",
        "x" + "+x" * 500_000,
        "x" + ".T" * 100_000,
        "x" + "[0]" * 100_000,
        "a**" * 100_000 + "a",
        "y = 1; z = " + "not " * 100_000 + "x",
    ],
    ids=["brackets", "open", "signs", "sum", "attributes", "indices", "powers", "words"],
)
def test_too_deep_an_expression_is_refused(text):
    found = diagnosis(text)
    assert found.code in {"expression-too-deep", "unclosed-bracket"}
    assert found.labels[0].span.end <= len(text)


def test_too_deep_an_expression_is_marked_where_it_is_deep():
    brackets = "y = 1; z = " + "(" * 300 + "x" + ")" * 300
    assert diagnosis(brackets).labels[0].span == Span(310, 311)
    assert diagnosis("y = 1; z" + ".T" * 100_000).labels[0].span == Span(7, 8)


@pytest.mark.parametrize("digits", ["9" * 5_000, "1" + "_0" * 400, "0x" + "f" * 5_000])
def test_number_of_endless_digits_is_too_large(digits):
    found = diagnosis(f"x + {digits}")
    assert found.code == "number-too-large"
    assert slice_of(f"x + {digits}", found.labels[0].span) == digits


def test_hundred_thousand_statements_are_an_ordinary_program():
    text = "y = x\n" + "y = y + x\n" * 100_000
    statements = parse(text).statements
    assert len(statements) == 100_001
    assert slice_of(text, statements[-1].value.span) == "y + x"


def test_pythons_warnings_are_not_shown():
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        parse(r"f('\d')")
        for text in ("3(x)", "1or 2", "[1][x, 2]", "x is 3"):
            try:
                parse(text)
            except VjpError:
                continue
    assert shown == []


def test_origin_is_kept_for_the_message():
    with pytest.raises(VjpError) as caught:
        parse("2x", origin="--loss")
    assert caught.value.diagnostic.source is not None
    assert caught.value.diagnostic.source.origin == "--loss"


@pytest.mark.parametrize(
    ("text", "corrected"),
    [
        ("A^T x", "A.T @ x"),
        ("A^T * x", "A.T @ x"),
        ("A^T", "A.T"),
        ("x^T A x", "x.T @ A @ x"),
        ("x'*A*x", "x.T @ A @ x"),
        ("2*A'*x", "2*A.T @ x"),
        ("(A+B)' * x", "(A+B).T @ x"),
        ("Aᵀ x", "A.T @ x"),
        (r"x^\top A", "x.T @ A"),
        (r"sum(A\b)", "sum(solve(A, b))"),
        (r"(A+B)\b", None),
        (r"(X'*X)\(X'*y)", None),
        ("(1+r)^T * x", "(1+r)**T * x"),
        (r"a\beta", "a*beta"),
    ],
)
def test_matrices_of_paper_are_answered_with_what_was_meant(text, corrected):
    with pytest.raises(VjpError) as caught:
        parse(text)
    fix = caught.value.diagnostic.fix
    assert (fix and fix.text) == corrected
