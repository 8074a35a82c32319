"""The `ligament` command: its subcommands, its exit codes, and how faults are told."""

from __future__ import annotations

import sys
import warnings
from typing import Annotated

import typer

from ligament import __version__
from ligament.cli import (
    bake,
    batch,
    check,
    convert,
    demo,
    diff,
    equip,
    info,
    retarget,
    simulate,
    view,
    worlds,
)
from ligament.cli.printing import messages, plain
from ligament.errors import LigamentError

FINE, FELL_SHORT, UNUSABLE = 0, 1, 2

app = typer.Typer(
    name="ligament",
    help="glTF that moves: node constraints, joints, rigid bodies and humanoid motion.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("info")(info.info)
app.command("check")(check.check)
app.command("simulate")(simulate.simulate)
app.command("bake")(bake.bake)
app.command("retarget")(retarget.retarget)
app.command("convert")(convert.convert)
app.command("equip")(equip.equip)
app.command("diff")(diff.diff)
app.command("view")(view.view)
app.command("batch", cls=batch.ForwardingCommand)(batch.batch)
app.command("worlds")(worlds.worlds)
app.command("demo")(demo.demo)


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
    """Options of the program itself."""


def main() -> None:
    """Run the command line; every fault of the input is one line on stderr and exit status 2."""
    warnings.showwarning = _show_warning
    try:
        app()
    except LigamentError as fault:
        sys.exit(tell(fault))
    except KeyboardInterrupt:
        sys.exit(130)


def tell(fault: LigamentError) -> int:
    """Print an error as one line; returns the exit status."""
    messages.print(plain(f"error: {fault}"))
    return UNUSABLE


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    messages.print(plain(f"warning: {message}"))
