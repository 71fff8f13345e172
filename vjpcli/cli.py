"""The command line: arguments in, streams and exit codes out.

stdout holds the answer and nothing else; notes, warnings and errors go to stderr. Exit codes:
0 explained, 1 a finding that was asked to fail, 2 the input is wrong, 70 a fault of this
program, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from vjpcli.arguments import CommandForm, arranged, as_text
from vjpcli.commands import command_line, names
from vjpcli.errors import Diagnostic, VjpError
from vjpcli.streams import ReaderGone, Streams, in_use, unwritable

EXIT_INPUT = 2
EXIT_OURS = 70
EXIT_INTERRUPTED = 130
REPORT_TO = "please report it with the command line that you typed"


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and exits.

    Errors become one Diagnostic on stderr (JSON under --json) and exit code 2.
    """
    typed = [as_text(word) for word in (sys.argv[1:] if arguments is None else arguments)]
    streams = Streams.of_process()
    code = EXIT_OURS
    try:
        code = run_on(typed, streams)
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
    """Runs a command line on these streams and returns the exit code."""
    with in_use(streams):
        return _run(list(typed), streams)


def _run(typed: list[str], streams: Streams) -> int:
    # A command costs a millisecond to load and put together, and one is enough.
    command = command_line(typed[:1] if typed and typed[0] in names() else None)
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
