"""What was typed -> what the rooms below take, and the checks of options on the way."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from vjpcli.errors import fail
from vjpcli.streams import Streams, the_streams

if TYPE_CHECKING:
    from vjpcli.explanation.build import Contents
    from vjpcli.explanation.model import Explanation
    from vjpcli.explanation.problem import Problem


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
    if expression == "-" or expression.startswith("@"):
        from vjpcli.parser.program_files import program_text  # noqa: PLC0415

        expression = program_text(expression, stdin)
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


def screen_streams(color: str, ascii_only: bool, width: int | None = None) -> Streams:
    """The streams of this run, as --color and --ascii want them; --width is looked at too.

    Errors: option-value.
    """
    if width is not None:
        within("--width", width, 24, 10_000)
    streams = the_streams()
    streams.colour_when(one_of("--color", color, ("auto", "always", "never")))
    streams.ascii_only = streams.ascii_only or ascii_only
    return streams


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
