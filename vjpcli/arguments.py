"""The argument list before typer sees it: which words are options, and near misses.

An expression may begin with a minus sign, so a word is an option only when the command knows
it or when it looks like nothing else. Everything else is moved behind `--`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence

from vjpcli.errors import Fix, Source, Span, VjpError, did_you_mean, fail
from vjpcli.record import record

LOOKS_LIKE_OPTION = r"(?s)--?[A-Za-z][A-Za-z0-9]*(-[a-z0-9]+)*(=.*)?"


@record
class CommandForm:
    """The options of one command.

    Attributes:
        flags: options that stand alone.
        valued: options that take a value.
    """

    flags: Collection[str]
    valued: Collection[str]

    @property
    def options(self) -> list[str]:
        """All of them."""
        return [*self.flags, *self.valued]


def as_text(argument: str) -> str:
    """The argument as UTF-8 where the locale knows only ASCII and Python kept the bytes."""
    try:
        return os.fsencode(argument).decode("utf-8")
    except UnicodeError:
        return argument


def arranged(
    arguments: Sequence[str], forms: Mapping[str, CommandForm], shared: CommandForm
) -> list[str]:
    """The command, its options, `--`, and everything else in its order.

    Errors: no-command, unknown-command, unknown-option, option-value.
    """
    if not arguments or arguments[0] in shared.options:
        return list(arguments)
    command, *rest = arguments
    if command not in forms:
        raise _not_a_command(arguments, forms)
    form = forms[command]
    options: list[str] = []
    others: list[str] = []
    position = 0
    while position < len(rest):
        word = rest[position]
        position += 1
        if word == "--":
            others += rest[position:]
            break
        name, equals, _ = word.partition("=")
        if word in form.flags or (name in form.valued and equals):
            options.append(word)
        elif word in form.valued:
            if position == len(rest):
                raise fail(
                    "option-value",
                    f"{word} needs a value",
                    source=Source(word, "options"),
                    span=Span(0, len(word)),
                )
            # Joined, so that a value such as -1,2 is not read as an option.
            options.append(f"{word}={rest[position]}" if word.startswith("--") else word)
            if not word.startswith("--"):
                options.append(rest[position])
            position += 1
        elif name in form.flags and equals:
            raise fail(
                "option-value",
                f"{name} takes no value",
                source=Source(word, "options"),
                span=Span(len(name), len(word)),
                fix=Fix(name, replaces=word),
            )
        elif _is_misspelt_option(word, form):
            raise _unknown_option(word, form, command)
        else:
            others.append(word)
    return [command, *options, "--", *others]


def _is_misspelt_option(word: str, form: CommandForm) -> bool:
    """`--sed` is meant as an option; `-x`, `-x**2` and `--x` are expressions."""
    if not re.fullmatch(LOOKS_LIKE_OPTION, word):
        return False
    name = word.partition("=")[0]
    if word.startswith("--"):
        return len(name) > 3 or did_you_mean(name, form.options) is not None
    return len(name) > 2 and f"-{name}" in form.options


def _unknown_option(word: str, form: CommandForm, command: str) -> VjpError:
    name, equals, value = word.partition("=")
    guess = f"-{name}" if f"-{name}" in form.options else did_you_mean(name, form.options)
    return fail(
        "unknown-option",
        f"`vjp {command}` has no option {name}",
        source=Source(word, "options"),
        span=Span(0, len(name)),
        label=f"did you mean {guess}?" if guess else "",
        notes=(
            f"`vjp {command} --help` lists the options; an expression that begins with - may "
            "stand behind --",
        ),
        fix=Fix(f"{guess}{equals}{value}", replaces=word) if guess else None,
    )


def _not_a_command(arguments: Sequence[str], forms: Mapping[str, CommandForm]) -> VjpError:
    word = arguments[0]
    source = Source(word, "command")
    span = Span(0, len(word))
    listed = ", ".join(forms)
    if word.isidentifier() and (guess := did_you_mean(word, forms)):
        return fail(
            "unknown-command",
            f"there is no command {word}",
            source=source,
            span=span,
            label=f"did you mean {guess}?",
            notes=(f"the commands are {listed}",),
            fix=Fix(guess, replaces=word),
        )
    if word.startswith("-") and re.fullmatch(LOOKS_LIKE_OPTION, word):
        return fail(
            "unknown-option",
            f"`vjp` has no option {word}",
            source=source,
            span=span,
            notes=(f"options stand behind a command: {listed}",),
        )
    return fail(
        "no-command",
        "a command is missing before the expression",
        source=source,
        span=span,
        notes=(f"the commands are {listed}",),
        fix=Fix(adds_before=("explain",)),
    )
