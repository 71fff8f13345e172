"""The command line: arguments in, streams and exit codes out.

stdout holds the answer and nothing else; notes, warnings and errors go to stderr. Exit codes:
0 explained, 1 a finding that was asked to fail, 2 the input is wrong, 70 a fault of this
program, 130 interrupted.
"""

from __future__ import annotations

import copy
import gc
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

import vjpcli.commands.rule as rule_command
from vjpcli.arguments import CommandForm, arranged, as_text
from vjpcli.errors import Diagnostic, VjpError, fail
from vjpcli.streams import ReaderGone, Streams, unwritable

if TYPE_CHECKING:
    from vjpcli.explanation.build import Contents
    from vjpcli.explanation.model import Explanation
    from vjpcli.explanation.problem import Problem

EXIT_FOUND = 1
EXIT_INPUT = 2
EXIT_OURS = 70
EXIT_INTERRUPTED = 130
REPORT_TO = "please report it with the command line that you typed"

app = typer.Typer(
    name="vjp",
    help=(
        "Explain gradients: the Jacobian, the seed that weights its rows, and the gradient that "
        "reaches each leaf, side by side."
    ),
    epilog='Begin with:  vjp explain "3*a+2*b*b+log(c)" --seed 0.1,1,0.0001',
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def commands() -> None:
    """Keeps the commands apart, even when a single one of them is put together."""


Expression = Annotated[
    str,
    typer.Argument(
        metavar="EXPRESSION",
        help='A program such as "3*a + log(c)"; statements are separated by ; or new lines; '
        "- reads it from stdin.",
        show_default=False,
    ),
]
Values = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME=VALUE]...",
        help="a=1,2,3  W:2x3=1,2,3,4,5,6  W=[[1,2],[3,4]]  x=@x.npy  x=@w.npz:name  x=@t.csv  "
        "x=-  @all.npz  x=linspace(0,1,5)",
        show_default=False,
    ),
]
Seeds = Annotated[
    list[str] | None,
    typer.Option(
        "--seed",
        metavar="SEED",
        help="One weight per output entry: 0.1,1,0.0001  ones  row:0  each  @seed.npy  y=1,2. "
        "Given several times: one backward pass each, gradients accumulate.",
    ),
]
Loss = Annotated[
    str | None,
    typer.Option(
        "--loss",
        metavar="EXPRESSION",
        help='Derive the seed from a later loss: --loss "sum(y**2)".',
    ),
]
Wrt = Annotated[
    str | None,
    typer.Option(
        "--wrt", metavar="NAMES", help="Leaves, separated by commas; the other inputs are data."
    ),
]
DtypeName = Annotated[str, typer.Option("--dtype", metavar="DTYPE", help="float64 or float32.")]
Like = Annotated[
    str,
    typer.Option(
        "--like",
        metavar="ENGINE",
        help="Whose convention holds at kinks and ties: torch, jax or autograd.",
    ),
]
Rng = Annotated[
    int, typer.Option("--rng", metavar="N", help="Seed of the random numbers in randn and rand.")
]
Strict = Annotated[
    bool, typer.Option("--strict", help="A missing value is an error: no stand-ins.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notes on stderr.")]
FailOn = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        metavar="GROUPS",
        help="Exit with 1 when something of the kind is found, separated by commas: nan, inf, "
        "kink, zero, broadcast, check, any.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON (schema vjp/1).")]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write to FILE (.npz, .npy, .json, .csv) instead of stdout.",
    ),
]
Debug = Annotated[
    bool, typer.Option("--debug", help="Show the Python traceback of an internal error.")
]
ColorWhen = Annotated[
    str, typer.Option("--color", metavar="WHEN", help="Colour: auto, always or never.")
]
Ascii = Annotated[bool, typer.Option("--ascii", help="Draw with ASCII characters only.")]
MaxJacobian = Annotated[
    int,
    typer.Option("--max-jacobian", metavar="N", help="Largest Jacobian of a leaf, in entries."),
]


@app.command(epilog='Example:  vjp explain "3*a+2*b*b+log(c)" --seed 0.1,1,0.0001')
def explain(
    expression: Expression,
    values: Values = None,
    seed: Seeds = None,
    loss: Loss = None,
    wrt: Wrt = None,
    steps: Annotated[bool, typer.Option("--steps", help="The backward pass, op by op.")] = False,
    jacobian: Annotated[
        str, typer.Option("--jacobian", metavar="FORM", help="auto, full or compact.")
    ] = "auto",
    json: Json = False,
    dtype: DtypeName = "float64",
    like: Like = "torch",
    rng: Rng = 0,
    strict: Strict = False,
    digits: Annotated[
        int, typer.Option("--digits", metavar="N", help="Significant digits, 1 to 17.")
    ] = 4,
    width: Annotated[
        int | None, typer.Option("--width", metavar="COLUMNS", help="Width of the screen.")
    ] = None,
    ascii_only: Ascii = False,
    color: ColorWhen = "auto",
    no_formulas: Annotated[
        bool, typer.Option("--no-formulas", help="Leave the formulas out (saves loading SymPy).")
    ] = False,
    no_check: Annotated[
        bool, typer.Option("--no-check", help="Leave out the check by difference quotients.")
    ] = False,
    max_jacobian: MaxJacobian = 1_000_000,
    fail_on: FailOn = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Findings only: no screen, no notes on stderr.")
    ] = False,
    debug: Debug = False,
) -> int:
    """Show the Jacobian, the seed and every gradient side by side, and what they mean."""
    from vjpcli.explanation.build import Contents  # noqa: PLC0415

    failing = groups_from(fail_on or [])
    if "check" in failing and no_check:
        raise fail("option-value", "--fail-on check needs the check that --no-check leaves out")

    one_of("--jacobian", jacobian, ("auto", "full", "compact"))
    within("--digits", digits, 1, 17)
    within("--max-jacobian", max_jacobian, 0, 10**9)
    if width is not None:
        within("--width", width, 24, 10_000)
    streams = the_streams()
    streams.colour_when(one_of("--color", color, ("auto", "always", "never")))
    streams.ascii_only = streams.ascii_only or ascii_only
    contents = Contents(formulas=not no_formulas, check=not no_check, largest_jacobian=max_jacobian)
    _, explanation = explained(
        expression, values, seed, loss, settings_from(dtype, like, wrt, rng, strict), contents
    )
    notes = [one for one in explanation.diagnostics if one.code == "stand-in"]
    if not quiet:
        streams.notes(notes)
    shown: dict[str, Any] = {
        "width": streams.width(width),
        "digits": digits,
        "ascii_only": streams.ascii_only,
        "colour": streams.colour,
    }
    if json:
        from vjpcli.render.json import render_json  # noqa: PLC0415

        streams.answer(render_json(explanation))
    elif quiet:
        from vjpcli.render.findings import render_findings  # noqa: PLC0415

        found = render_findings(explanation, **shown)
        if found:
            streams.answer(found)
    else:
        from vjpcli.render.text import render_explanation  # noqa: PLC0415

        streams.answer(
            render_explanation(explanation, **shown, jacobian=jacobian, show_steps=steps)  # type: ignore[arg-type]  # checked above
        )
    return failed(explanation, failing)


@app.command(
    epilog='Example:  vjp grad "3*a+2*b*b+log(c)" a=1,2,3 b=3,4,5 c=6,7,8 --seed 0.1,1,0.0001'
)
def grad(
    expression: Expression,
    values: Values = None,
    seed: Seeds = None,
    loss: Loss = None,
    wrt: Wrt = None,
    json: Json = False,
    output: Output = None,
    dtype: DtypeName = "float64",
    like: Like = "torch",
    rng: Rng = 0,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Print the gradients alone: bare numbers, one leaf a line, full precision."""
    from vjpcli.explanation.build import Contents  # noqa: PLC0415
    from vjpcli.render.json import render_json  # noqa: PLC0415

    settings = settings_from(dtype, like, wrt, rng, strict=True, needs_seed=True)
    nothing_else = Contents(
        jacobian=False, formulas=False, steps=False, check=False, findings=False, sentences=False
    )
    problem, explanation = explained(expression, values, seed, loss, settings, nothing_else)
    streams = the_streams()
    if not quiet:
        streams.notes(explanation.diagnostics)
    if output is not None:
        write(output, explanation.gradients, lambda: render_json(explanation), problem)
    elif json:
        streams.answer(render_json(explanation))
    else:
        from vjpcli.render.plain import render_gradients  # noqa: PLC0415

        streams.answer(render_gradients(explanation))


@app.command(epilog='Example:  vjp jac "W @ x" W:2x3=1,2,3,4,5,6 x=1,0,-1')
def jac(
    expression: Expression,
    values: Values = None,
    wrt: Wrt = None,
    tangent: Annotated[
        list[str] | None,
        typer.Option(
            "--tangent",
            metavar="NAME=VALUE",
            help="Print J.v for this direction instead; leaves without one stand still.",
        ),
    ] = None,
    hessian: Annotated[
        bool,
        typer.Option("--hessian", help="Print the second derivatives of a scalar output instead."),
    ] = False,
    json: Json = False,
    output: Output = None,
    dtype: DtypeName = "float64",
    like: Like = "torch",
    rng: Rng = 0,
    max_jacobian: MaxJacobian = 10_000_000,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Print or write the Jacobian of each leaf, shape output.shape + leaf.shape."""
    within("--max-jacobian", max_jacobian, 0, 10**9)
    settings = settings_from(dtype, like, wrt, rng, strict=True)
    if tangent and hessian:
        raise fail("option-value", "--tangent and --hessian are different questions: ask one")
    problem = posed(expression, values, None, None, settings)
    if not quiet:
        the_streams().notes(problem.notes)
    answer = Answer(problem, json, output)
    if tangent:
        answer_tangent(answer, tangent)
    elif hessian:
        answer_hessian(answer, max_jacobian)
    else:
        answer_jacobian(answer, max_jacobian)


@dataclass(frozen=True)
class Answer:
    """Where an answer goes: to a file, or to stdout as JSON or bare numbers."""

    problem: Problem
    as_json: bool
    path: str | None

    def give(
        self, arrays: Mapping[str, Any], json_text: Callable[[], str], text: Callable[[], str]
    ) -> None:
        """Writes or prints it; only the wanted form is made."""
        if self.path is not None:
            write(self.path, arrays, json_text, self.problem)
        else:
            the_streams().answer(json_text() if self.as_json else text())


def answer_jacobian(answer: Answer, largest: int) -> None:
    """The Jacobian of every leaf."""
    from vjpcli.explanation.build import Contents, build  # noqa: PLC0415
    from vjpcli.render.json import render_json  # noqa: PLC0415
    from vjpcli.render.plain import render_jacobian  # noqa: PLC0415

    contents = Contents(
        formulas=False,
        steps=False,
        check=False,
        findings=False,
        sentences=False,
        largest_jacobian=largest,
    )
    explanation = build(answer.problem, contents)
    found = {}
    for leaf, entries in explanation.jacobian[explanation.output.name].items():
        if entries is None:
            raise fail(
                "jacobian-too-large",
                f"the Jacobian of {leaf} would have more than {largest:,} entries",
                notes=("--max-jacobian N allows more; --wrt leaves leaves out",),
            )
        found[leaf] = entries
    answer.give(found, lambda: render_json(explanation), lambda: render_jacobian(explanation))


def answer_tangent(answer: Answer, directions: Sequence[str]) -> None:
    """J . v for the directions."""
    from vjpcli.explanation.products import tangent_product  # noqa: PLC0415
    from vjpcli.render.json import render_product  # noqa: PLC0415
    from vjpcli.render.plain import render_numbers  # noqa: PLC0415

    problem = answer.problem
    product = tangent_product(problem, directions)
    name = problem.outputs[-1].name
    answer.give(
        {name: product.value},
        lambda: render_product(
            problem.program.source.text,
            problem.settings.dtype,
            name,
            product.directions,
            product.value,
        ),
        lambda: render_numbers(product.value),
    )


def answer_hessian(answer: Answer, largest: int) -> None:
    """Second derivatives, a block for every pair of leaves."""
    from vjpcli.explanation.products import flat_blocks, hessian  # noqa: PLC0415
    from vjpcli.render.json import render_hessian  # noqa: PLC0415
    from vjpcli.render.plain import render_blocks  # noqa: PLC0415

    problem = answer.problem
    blocks = hessian(problem, largest)
    flat = flat_blocks(blocks)
    rows = {name: problem.inputs[name.partition(",")[0]].value.size for name in flat}
    answer.give(
        flat,
        lambda: render_hessian(problem.program.source.text, problem.settings.dtype, blocks),
        lambda: render_blocks(flat, rows),
    )


@app.command("rule", epilog=rule_command.EPILOG)
def rule(
    name: rule_command.Name = None,
    every_page: Annotated[
        bool, typer.Option("--all", help="All pages, one after another.")
    ] = False,
    codes: Annotated[
        bool, typer.Option("--codes", help="The diagnostic codes instead of the operations.")
    ] = False,
    json: Json = False,
    width: Annotated[
        int | None, typer.Option("--width", metavar="COLUMNS", help="Width of the screen.")
    ] = None,
    ascii_only: Ascii = False,
    color: ColorWhen = "auto",
    debug: Debug = False,
) -> None:
    """Look up an operation or a diagnostic code: rule, names, conventions, an example."""
    streams = the_streams()
    streams.colour_when(one_of("--color", color, ("auto", "always", "never")))
    streams.ascii_only = streams.ascii_only or ascii_only
    if width is not None:
        within("--width", width, 24, 10_000)
    rule_command.rule(streams, name, every_page=every_page, codes=codes, json=json, width=width)


@app.command(
    epilog='Example:  vjp check "3*a+2*b*b" a=1,2,3 b=3,4,5 --seed 0.1,1,0.0001 '
    "--expect b=1.2,16,0.002"
)
def check(
    expression: Expression,
    values: Values = None,
    seed: Seeds = None,
    loss: Loss = None,
    wrt: Wrt = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(
            "--expect",
            metavar="NAME=VALUE",
            help="A gradient to compare: b=1.2,16,0.002 or @mine.npz. Given several times: each.",
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="METHOD",
            help="differences, complex-step, sympy, torch, jax or autograd; given several times: "
            "each. Without it: all that are installed.",
        ),
    ] = None,
    rtol: Annotated[
        float | None,
        typer.Option(
            "--rtol",
            metavar="R",
            help="Relative error up to which numbers agree: 1e-5, for float32 2e-3.",
        ),
    ] = None,
    json: Json = False,
    dtype: DtypeName = "float64",
    like: Like = "torch",
    rng: Rng = 0,
    digits: Annotated[
        int, typer.Option("--digits", metavar="N", help="Significant digits, 1 to 17.")
    ] = 6,
    width: Annotated[
        int | None, typer.Option("--width", metavar="COLUMNS", help="Width of the screen.")
    ] = None,
    ascii_only: Ascii = False,
    color: ColorWhen = "auto",
    quiet: Quiet = False,
    debug: Debug = False,
) -> int:
    """Check the gradients, or a claim about them, by means that do not use the rules."""
    from vjpcli.explanation.verify import exit_code, verify  # noqa: PLC0415
    from vjpcli.parser.values import parse_values  # noqa: PLC0415
    from vjpcli.render.check import render_check, render_check_json  # noqa: PLC0415

    within("--digits", digits, 1, 17)
    if width is not None:
        within("--width", width, 24, 10_000)
    streams = the_streams()
    streams.colour_when(one_of("--color", color, ("auto", "always", "never")))
    streams.ascii_only = streams.ascii_only or ascii_only
    settings = settings_from(dtype, like, wrt, rng, strict=True, needs_seed=True)
    problem = posed(expression, values, seed, loss, settings)
    claims = [(text, parse_values([text])) for text in expect or []]
    found = verify(problem, methods=method, expected=claims, rtol=rtol)
    if not quiet:
        streams.notes(found.notes)
    if json:
        streams.answer(render_check_json(found))
    else:
        streams.answer(
            render_check(
                found,
                width=streams.width(width),
                digits=digits,
                ascii_only=streams.ascii_only,
                colour=streams.colour,
            )
        )
    return exit_code(found)


# Arguments -> what the rooms below take.


def groups_from(texts: Sequence[str]) -> frozenset[str]:
    """The groups of findings that `--fail-on` names.

    Errors: option-value.
    """
    from vjpcli.explanation.findings.groups import GROUPS  # noqa: PLC0415

    names = [name.strip() for text in texts for name in text.split(",")]
    return frozenset(one_of("--fail-on", name, GROUPS) for name in names)


def failed(explanation: Explanation, groups: frozenset[str]) -> int:
    """1 when something was found of the groups that were asked to fail, else 0."""
    from vjpcli.explanation.findings.groups import groups_present  # noqa: PLC0415

    return EXIT_FOUND if groups and groups & groups_present(explanation) else 0


def settings_from(
    dtype: str, like: str, wrt: str | None, rng: int, strict: bool, needs_seed: bool = False
) -> Any:
    """The Settings that the shared options ask for."""
    from vjpcli.explanation.problem import Settings  # noqa: PLC0415

    within("--rng", rng, 0, 2**63 - 1)
    return Settings(
        dtype=one_of("--dtype", dtype, ("float64", "float32")),
        wrt=None if wrt is None else tuple(name.strip() for name in wrt.split(",")),
        strict=strict,
        needs_seed=needs_seed,
        random_seed=rng,
        like=one_of("--like", like, ("torch", "jax", "autograd")),
    )


def posed(
    expression: str,
    values: Sequence[str] | None,
    seeds: Sequence[str] | None,
    loss: str | None,
    settings: Any,
) -> Problem:
    """The Problem that the arguments state; reads files and stdin."""
    from vjpcli.explanation.problem import pose  # noqa: PLC0415
    from vjpcli.parser.references import StandardInput  # noqa: PLC0415
    from vjpcli.parser.seeds import parse_seed  # noqa: PLC0415
    from vjpcli.parser.values import parse_values  # noqa: PLC0415

    stdin = StandardInput(_read_stdin)
    if expression == "-":
        text = stdin.take("the expression")
        try:
            expression = text.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise fail("not-text", "the expression on standard input is not UTF-8 text") from None
    given = parse_values(values or [], stdin=stdin, expression=expression)
    requests = [parse_seed(text, stdin=stdin) for text in seeds or []]
    return pose(expression, given, requests, loss, settings)


def _read_stdin() -> bytes:
    # Python has None for a stream that was closed before it started (`<&-`).
    if sys.stdin is None:
        raise OSError("it is closed")
    return sys.stdin.buffer.read()


def explained(
    expression: str,
    values: Sequence[str] | None,
    seeds: Sequence[str] | None,
    loss: str | None,
    settings: Any,
    contents: Contents,
) -> tuple[Problem, Explanation]:
    """The Problem that the arguments state, and its Explanation."""
    from vjpcli.explanation.build import build  # noqa: PLC0415

    problem = posed(expression, values, seeds, loss, settings)
    return problem, build(problem, contents)


def write(path: str, arrays: Any, json_text: Callable[[], str], problem: Problem) -> None:
    """Writes a result file, never over an input."""
    from vjpcli.render.files import write_arrays  # noqa: PLC0415

    write_arrays(path, arrays, json_text=json_text, inputs=problem.files)


def one_of(option: str, value: str, choices: Sequence[str]) -> str:
    """`value` if it is one of `choices`.

    Errors: option-value.
    """
    from vjpcli.errors import Fix, Source, Span, did_you_mean  # noqa: PLC0415

    if value in choices:
        return value
    guess = did_you_mean(value, choices)
    raise fail(
        "option-value",
        f"{option} is one of {', '.join(choices)}, not {value!r}",
        source=Source(value, option),
        span=Span(0, len(value)),
        label=f"did you mean {guess}?" if guess else "",
        fix=Fix(guess, replaces=value) if guess else None,
    )


def within(option: str, value: int, low: int, high: int) -> None:
    """Refuses a number outside of low..high.

    Errors: option-value.
    """
    if not low <= value <= high:
        raise fail("option-value", f"{option} is a whole number from {low} to {high}, not {value}")


# Running, and ending well.

_streams: list[Streams] = []


def the_streams() -> Streams:
    """stdout and stderr of this run."""
    if not _streams:
        _streams.append(Streams.of_process())
    return _streams[0]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and exits.

    Errors become one Diagnostic on stderr (JSON under --json) and exit code 2.
    """
    # A run is short and makes no cycles worth collecting, but hundreds of thousands of nodes,
    # which the collector would visit again and again.
    gc.disable()
    typed = [as_text(word) for word in (sys.argv[1:] if arguments is None else arguments)]
    _streams.clear()
    streams = the_streams()
    code = EXIT_OURS
    try:
        code = _run(typed, streams)
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except (ReaderGone, BrokenPipeError):
        code = 0
    except Exception as error:  # the last line of defence: never a traceback by itself
        if "--debug" in typed:
            raise
        streams.say(f"error[internal]: {type(error).__name__}: {error}")
        streams.say(f"  this is a fault of vjp; {REPORT_TO}; --debug shows the trace")
    _leave(code)


def run_on(typed: Sequence[str], streams: Streams) -> int:
    """Runs a command line on streams of the caller's and returns the exit code."""
    before = list(_streams)
    _streams[:] = [streams]
    try:
        return _run(list(typed), streams)
    finally:
        _streams[:] = before


def _run(typed: list[str], streams: Streams) -> int:
    command = _command_line(typed)
    forms = {name: _form(one) for name, one in command.commands.items()}
    try:
        if "--version" in typed[:1]:
            from vjpcli import __version__  # noqa: PLC0415

            streams.answer(f"vjp {__version__}")
            return 0
        completion = ("--install-completion", "--show-completion")
        shared = CommandForm(("--help", "-h", "--version", *completion), ())
        words = arranged(typed or ["--help"], forms, shared)
        result = command.main(words, prog_name="vjp", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except VjpError as error:
        diagnostic = error.diagnostic
    except BrokenPipeError:
        raise
    except OSError as error:
        # Files are read and written where their errors are told; what is left is typer's help.
        diagnostic = unwritable(error).diagnostic
    except Exception as error:
        # typer's own complaints (a missing argument, --digits x) share no public base class
        # over its versions; they are told by this method.
        if not hasattr(error, "format_message"):
            raise
        diagnostic = _usage(str(error.format_message()), typed)
    streams.complain(diagnostic, typed, as_json="--json" in typed)
    return EXIT_INPUT


def _command_line(typed: list[str]) -> Any:
    """typer's form of the command that was typed; of all of them when it is none."""
    known = {
        info.name or info.callback.__name__: info
        for info in app.registered_commands
        if info.callback is not None
    }
    narrowed = copy.copy(app)
    if typed and typed[0] in known:
        # Each command costs a millisecond to put together, and one is enough.
        narrowed.registered_commands = [known[typed[0]]]
    return typer.main.get_command(narrowed)


def _usage(message: str, typed: Sequence[str]) -> Diagnostic:
    """typer's own complaint in the words and the form of all others."""
    message = (message.rstrip(".") or "a command is missing").replace("'", "`")
    message = message.replace("a valid int", "a whole number").replace("a valid float", "a number")
    command = typed[0] if typed else "explain"
    notes = (f"`vjp {command} --help` shows the form and an example",)
    return Diagnostic("usage", message[:1].lower() + message[1:], notes=notes)


def _form(command: Any) -> CommandForm:
    flags = ["--help", "-h"]
    valued: list[str] = []
    for parameter in command.params:
        if parameter.param_type_name == "option":
            (flags if parameter.is_flag else valued).extend(parameter.opts)
    return CommandForm(flags, valued)


def _leave(code: int) -> NoReturn:
    """Flushes, quietly where nobody takes the rest, and exits."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            # Python flushes once more at exit; let it write to nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)


if __name__ == "__main__":
    main()
