"""`ligament worlds`: many variations of one scene as a data set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from ligament.batch.many_worlds import WorldsReport
from ligament.batch.many_worlds import worlds as play_worlds
from ligament.batch.many_worlds.run import Progress as Told
from ligament.batch.run import MEMORY, TIMEOUT
from ligament.cli import playing
from ligament.cli.batch import GIBIBYTE
from ligament.cli.groups import grouped
from ligament.cli.limiting import Limit, chosen_limits
from ligament.cli.printing import messages, plain

MOST_TOLD = 8
"""How many failed worlds are told one by one."""


@grouped
def worlds(
    *,
    file: playing.File,
    vary: Annotated[Path, typer.Option(help="What varies: rules in a .toml or .json file.")],
    count: Annotated[int, typer.Option(min=1, help="How many worlds.")],
    seconds: Annotated[float, typer.Option(help="Length of each [s].")],
    out: Annotated[
        Path, typer.Option("-o", "--out", help="The data set: .zarr, .parquet or .npz.")
    ],
    rate: playing.Rate = 60.0,
    seed: Annotated[
        int | None, typer.Option(min=0, help="What the draws start from; else that of the rules.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes at work; by default one per core.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with what a run that was killed has left.")
    ] = False,
    float32: Annotated[
        bool, typer.Option("--float32", help="Write numbers of single precision.")
    ] = False,
    contacts: Annotated[
        bool, typer.Option("--contacts", help="Record contact events beside those of triggers.")
    ] = False,
    staging: playing.Staging,
    timeout: Annotated[
        float, typer.Option(min=0, help="Time for one world [s]; 0 is without end.")
    ] = TIMEOUT,
    max_memory: Annotated[
        float,
        typer.Option(min=0, metavar="GIB", help="Memory for a process [GiB]; 0 is without limit."),
    ] = MEMORY / GIBIBYTE,
    limit: Limit = None,
    quiet: playing.Quiet = False,
) -> None:
    """Simulate many variations of a file, several at a time, into one data set.

    The exit status is 1 if any world failed; the data set says which, and why.
    """
    with _progress(quiet=quiet) as told:
        report = play_worlds(
            file,
            vary,
            count,
            out,
            seconds=seconds,
            rate=rate,
            seed=seed,
            **staging.arguments(),
            contacts=contacts,
            float32=float32,
            jobs=jobs,
            timeout=timeout or None,
            max_memory=round(max_memory * GIBIBYTE) or None,
            resume=resume,
            limits=chosen_limits(limit),
            progress=told,
        )
    if not quiet:
        _tell(report, out)
    raise typer.Exit(0 if report.ok else 1)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Told | None]:
    """Show a bar on stderr, where that is a terminal."""
    if quiet or not messages.is_terminal:
        yield None
        return
    with Progress(console=messages, transient=True) as bar:
        task = bar.add_task("worlds")
        yield lambda played, count: bar.update(task, completed=played, total=count)


def _tell(report: WorldsReport, out: Path) -> None:
    for world, reason in list(report.failed.items())[:MOST_TOLD]:
        messages.print(f"failed: world {world}: {plain(reason)}")
    if len(report.failed) > MOST_TOLD:
        messages.print(f"failed: {len(report.failed) - MOST_TOLD} more")
    failed = f", {len(report.failed)} failed" if report.failed else ""
    messages.print(f"{plain(out)}: {report.count} worlds{failed}, {report.seconds:.1f} s")
