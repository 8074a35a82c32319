"""The commands that are not operations yet."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import warnings
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from ligament import __version__
from ligament.cli.console import messages, plain, print_any_text
from ligament.cli.values import name_arguments, name_values
from ligament.errors import LigamentError, RunInterruptedError, StrictError

FINE, FELL_SHORT, UNUSABLE, UNFINISHED, INTERRUPTED = 0, 1, 2, 3, 130

COMMANDS: Final = ()
"""Commands: each is a function in a module of its name, with an EXAMPLE, imported when used."""

_PARSER_WORDS: Final = {
    "Input should be": "it should be",
    ", unable to parse string as a number": "",
    ", unable to parse string as an integer": "",
    "Value error, ": "",
    "(s)": "s",
}
"""Unhelpful words of the parser, and better ones."""

PLAIN: Final[dict[str, Any]] = {
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
}


class Commands(TyperGroup):
    """The commands by name, each imported only when it is used."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment]  # names for suggestions

    def list_commands(self, ctx: Any) -> list[str]:
        """Return all names, in the order of the help."""
        return [*COMMANDS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, or None if there is none with this name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"ligament.cli.{cmd_name}")
        name_values(getattr(module, cmd_name))
        function = getattr(module, cmd_name)
        alone = typer.Typer(add_completion=False, **PLAIN)
        alone.command(
            cmd_name,
            cls=getattr(module, "COMMAND_CLASS", None),
            epilog=f"Example: {example_of(cmd_name)}",
        )(function)
        command = typer.main.get_command(alone)
        name_arguments(command)
        return command


def example_of(command: str) -> str:
    """Return the example in the help of a command: a call on the files of `ligament demo`."""
    return str(importlib.import_module(f"ligament.cli.{command}").EXAMPLE)


app = typer.Typer(
    name="ligament",
    help="glTF that moves: node constraints, joints, rigid bodies and humanoid motion.",
    no_args_is_help=True,
    cls=Commands,
    **PLAIN,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ligament {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and stop.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Declare the options of the program itself."""


def run(words: list[str]) -> int:
    """Run a command; return the exit status."""
    try:
        main(words)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    return FINE


def main(words: list[str]) -> None:
    """Run the command line; unusable input is one line on stderr and exit status 2."""
    warnings.showwarning = _show_warning
    print_any_text()
    try:
        status = app(words, prog_name=app.info.name, standalone_mode=False)
    except LigamentError as fault:
        sys.exit(report_error(fault))
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(INTERRUPTED)
    except OSError as fault:
        sys.exit(_report_system_error(fault))
    except Exception as fault:
        if not hasattr(fault, "format_message"):  # the parser's, which has no public name
            raise
        sys.exit(_report_usage_error(fault))
    sys.exit(status if isinstance(status, int) else FINE)


def report_error(fault: LigamentError) -> int:
    """Print an error as one line, or as one line per loss; return the exit status."""
    if isinstance(fault, StrictError):
        place = "" if fault.file is None else f"{fault.file}: "
        for loss in fault.losses:
            messages.print(plain(f"error: {place}{loss}"))
        return FELL_SHORT
    messages.print(plain(f"error: {fault}"))
    return UNFINISHED if isinstance(fault, RunInterruptedError) else UNUSABLE


def _report_usage_error(fault: Any) -> int:
    """Report a call that the parser refuses in one line; show help for a call without command."""
    if "NoArgs" in type(fault).__name__:
        fault.show()
        return int(fault.exit_code)
    words = " ".join(str(fault.format_message()).split()).rstrip(".")
    for found, meant in _PARSER_WORDS.items():
        words = words.replace(found, meant)
    context = getattr(fault, "ctx", None)
    path = app.info.name if context is None else context.command_path
    messages.print(plain(f"error: {words[:1].lower()}{words[1:]}; see `{path} --help`"))
    return UNUSABLE


def _report_system_error(fault: OSError) -> int:
    """Report that results cannot be printed, for example on a full disk."""
    with contextlib.suppress(OSError):  # nothing more may be flushed at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    with contextlib.suppress(OSError):
        messages.print(plain(f"error: results cannot be printed ({fault.strerror or fault})"))
    return UNUSABLE


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    messages.print(plain(f"warning: {message}"))
