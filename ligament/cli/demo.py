"""`ligament demo`: the tour on the built-in examples."""

import dataclasses
from pathlib import Path
from typing import Annotated

import click

from ligament.cli import params
from ligament.options.groups import AnyPath
from ligament.options.option import Option, Options

EXAMPLE = "ligament demo --out-dir demo"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Demo(Options):
    """Show what Ligament does, on its own examples."""

    out_dir: Annotated[AnyPath, Option("The folder for the files that the tour makes")] = (
        "ligament-demo"
    )


def made() -> click.Command:
    """Return the command."""
    return params.alone("demo", Demo, _run, EXAMPLE)


def _run(options: Demo) -> None:
    from ligament.cli.console import plain, results
    from ligament.demo import tour
    from ligament.files import all_or_nothing

    with all_or_nothing():
        for number, stop in enumerate(tour(Path(options.out_dir)), start=1):
            results.print(f"{number}. {stop.title}")
            for line in stop.lines:
                results.print(f"   {plain(line)}")
            for file in stop.files:
                results.print(f"   -> {plain(file)}")
