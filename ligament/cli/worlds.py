"""`ligament worlds`: many variations of one scene as a data set."""

from __future__ import annotations

import dataclasses
from json import dumps
from pathlib import Path
from typing import Annotated, Any

import typer

from ligament.cli import playing
from ligament.cli.cluster import connected
from ligament.cli.console import messages, plain, results
from ligament.cli.options import (
    GIBIBYTE,
    Contacts,
    File,
    Jobs,
    Limit,
    Quiet,
    chosen_limits,
    grouped,
)
from ligament.cli.run_progress import RunProgress
from ligament.jobs.remote import is_url, shown
from ligament.operations.supervise import ended_by_signals
from ligament.options.names import ENGINES, MEMORY, TIMEOUT
from ligament.options.running import Cluster
from ligament.physics.engines import DEVICE_ENGINE, single_engine
from ligament.worlds import WorldsReport
from ligament.worlds import worlds as play_worlds

EXAMPLE = "ligament worlds door.glb --vary rules.toml --count 4 --seconds 1 -o worlds.npz"

MAX_LISTED = 8
"""Most failed worlds that are listed individually."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Stage(playing.Staging):
    """Content, engine and device of many worlds."""

    engine: Annotated[
        str,
        typer.Option(metavar="NAME", help=f"{playing.ENGINE_HELP}; {DEVICE_ENGINE} for GPUs."),
    ] = ENGINES[0]
    device: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"The device of {DEVICE_ENGINE}: cuda, cuda:1, cpu."),
    ] = None
    contact_room: Annotated[
        int | None,
        typer.Option(min=1, help=f"Contact capacity of {DEVICE_ENGINE} per world."),
    ] = None

    def arguments(self) -> dict[str, Any]:
        """Return keyword arguments of `worlds`."""
        single = dataclasses.replace(self, engine=single_engine(self.engine))
        return {**super(Stage, single).arguments(), "engine": self.engine}


@grouped
def worlds(
    *,
    file: File,
    vary: Annotated[Path, typer.Option(help="The variation rules, a .toml or .json file.")],
    count: Annotated[int, typer.Option(min=1, help="Number of worlds.")],
    seconds: Annotated[float, typer.Option(help="Length of each world [s].")],
    out: Annotated[
        str,
        typer.Option(
            "-o",
            "--out",
            metavar="PATH",
            help="The data set, a path or a URL: .zarr, .parquet or .npz.",
        ),
    ],
    rate: playing.Rate = 60.0,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Random seed; by default that of the rules.")
    ] = None,
    jobs: Jobs = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume an interrupted run.")] = False,
    float32: Annotated[
        bool, typer.Option("--float32", help="Write single-precision numbers.")
    ] = False,
    contacts: Contacts = False,
    staging: Stage,
    timeout: Annotated[
        float, typer.Option(min=0, help="Time limit per world [s]; 0 means no limit.")
    ] = TIMEOUT,
    max_memory: Annotated[
        float,
        typer.Option(
            min=0, metavar="GIB", help="Memory limit per process [GiB]; 0 means no limit."
        ),
    ] = MEMORY / GIBIBYTE,
    where: Cluster,
    json: Annotated[
        bool, typer.Option("--json", help="Print which worlds failed as JSON for programs.")
    ] = False,
    limit: Limit = None,
    quiet: Quiet = False,
) -> None:
    """Simulate many variations of a file into one data set.

    The exit status is 1 if any world failed, and the data set says which and why; it is 3 if the
    run was interrupted and --resume continues it.
    """
    with (
        ended_by_signals(),
        connected(where, jobs, quiet=quiet) as client,
        RunProgress("worlds", "worlds", quiet=quiet) as shown_progress,
    ):
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
            client=client,
            limits=chosen_limits(limit),
            progress=shown_progress.advance,
        )
    place = shown(out) if is_url(out) else out
    if json:
        plain_report = {"count": report.count, "failed": report.failed, "seconds": report.seconds}
        results.print(dumps({"file": place, **plain_report}, indent=2))
    elif not quiet:
        _print_report(report, place)
    raise typer.Exit(0 if report.ok else 1)


def _print_report(report: WorldsReport, out: str) -> None:
    for world, reason in list(report.failed.items())[:MAX_LISTED]:
        messages.print(f"failed: world {world}: {plain(reason)}")
    if len(report.failed) > MAX_LISTED:
        messages.print(f"failed: {len(report.failed) - MAX_LISTED} more")
    failed = f", {len(report.failed)} failed" if report.failed else ""
    messages.print(f"{plain(out)}: {report.count} worlds{failed}, {report.seconds:.1f} s")
