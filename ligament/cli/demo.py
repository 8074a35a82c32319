"""`ligament demo`: the tour on the built-in examples."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ligament.cli.console import plain, results
from ligament.demo import tour
from ligament.files import all_or_nothing

EXAMPLE = "ligament demo --out-dir demo"


def demo(
    out_dir: Annotated[
        Path, typer.Option(help="The folder for the files that the tour makes.")
    ] = Path("ligament-demo"),
) -> None:
    """Show what Ligament does, on its own examples."""
    with all_or_nothing():
        for number, stop in enumerate(tour(out_dir), start=1):
            results.print(f"{number}. {stop.title}")
            for line in stop.lines:
                results.print(f"   {plain(line)}")
            for file in stop.files:
                results.print(f"   -> {plain(file)}")
