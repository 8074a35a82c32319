"""Groups of options: one argument of a command, many on the command line."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Annotated

import typer
from typer.testing import CliRunner

from ligament.cli.options import grouped


@dataclasses.dataclass(frozen=True, kw_only=True)
class Size:
    width: Annotated[int, typer.Option(help="How wide.")] = 3
    tall: Annotated[bool, typer.Option("--tall", help="How high.")] = False


@dataclasses.dataclass
class Answer:
    text: str


@grouped
def paint(
    *, name: Annotated[str, typer.Argument()], size: Size, count: Annotated[int, typer.Option()] = 1
) -> Answer:
    """Paint it."""
    typer.echo(f"{name} {size} {count}")
    return Answer(name)


def test_fields_are_options_and_the_command_gets_the_group() -> None:
    app = typer.Typer()
    app.command()(paint)
    runner = CliRunner()
    assert runner.invoke(app, ["red"]).stdout == f"red {Size()} 1\n"
    shown = runner.invoke(app, ["red", "--tall", "--count", "2", "--width", "7"]).stdout
    assert shown == f"red {Size(width=7, tall=True)} 2\n"
    assert runner.invoke(app, ["red", "--size", "1"]).exit_code == 2


def test_whoever_asks_sees_the_fields_in_their_place() -> None:
    assert [*inspect.signature(paint).parameters] == ["name", "width", "tall", "count"]
    assert paint.__doc__ == "Paint it."
