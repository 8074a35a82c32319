"""`ligament worlds`: many variations of one scene as a data set."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import click

from ligament.cli import params
from ligament.options.groups import AnyPath, Contacts, Frames, Limited, Playing
from ligament.options.option import Option
from ligament.options.running import Running
from ligament.processes.bounds import GIBIBYTE

if TYPE_CHECKING:
    from ligament.worlds import WorldsReport

EXAMPLE = "ligament worlds door.glb --vary rules.toml --count 4 --seconds 1 -o worlds.npz"

MAX_LISTED = 8
"""Most failed worlds that are listed individually."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Variations(Frames, Contacts, Playing, Limited, Running):
    """Simulate many variations of a file into one data set.

    The exit status is 1 if any world failed, and the data set says which and why; it is 3 if the
    run was interrupted and --resume continues it.
    """

    title: ClassVar[str] = "Options"

    file: Annotated[
        AnyPath, Option("A .gltf, .glb, .vrm or .vrma file", is_positional=True, is_read=True)
    ]
    vary: Annotated[AnyPath, Option("The variation rules, a .toml or .json file", is_read=True)]
    count: Annotated[int, Option("Number of worlds", least=1)]
    seconds: Annotated[float, Option("Length of each world", unit="s", least=0)]
    out: Annotated[
        str,
        Option(
            "The data set, a path or a URL: .zarr, .parquet or .npz",
            flags=("-o", "--out"),
            metavar="PATH",
        ),
    ]
    seed: Annotated[int | None, Option("Random seed; by default that of the rules", least=0)] = None
    float32: Annotated[bool, Option("Write single-precision numbers")] = False
    device: Annotated[
        str | None, Option("The device of the engine mujoco-warp: cuda, cuda:1, cpu")
    ] = None
    contact_room: Annotated[
        int | None, Option("Contact capacity of mujoco-warp per world", least=1)
    ] = None


def made() -> click.Command:
    """Return the command."""
    return params.alone("worlds", Variations, _run, EXAMPLE)


def _run(options: Variations) -> int:
    from ligament.cli import printing
    from ligament.cli.app import FELL_SHORT, FINE
    from ligament.cli.cluster import connected
    from ligament.cli.run_progress import RunProgress
    from ligament.jobs.remote import is_url, shown
    from ligament.operations.supervise import ended_by_signals
    from ligament.physics.engines import require_engine, single_engine
    from ligament.worlds import worlds

    require_engine(single_engine(options.engine), options.quality)
    playing = options.part(Playing)
    del playing["settings"]
    with (
        ended_by_signals(),
        connected(options, options.jobs, quiet=options.quiet) as client,
        RunProgress("worlds", "worlds", quiet=options.quiet) as shown_progress,
    ):
        report = worlds(
            Path(options.file),
            Path(options.vary),
            options.count,
            options.out,
            seconds=options.seconds,
            rate=options.rate,
            seed=options.seed,
            **playing,
            contacts=options.contacts,
            float32=options.float32,
            device=options.device,
            contact_room=options.contact_room,
            jobs=options.jobs,
            timeout=options.timeout or None,
            max_memory=round(options.max_memory * GIBIBYTE) or None,
            resume=options.resume,
            client=client,
            limits=options.limits,
            progress=shown_progress.advance,
        )
    place = shown(options.out) if is_url(options.out) else options.out
    if options.json:
        counts = {"count": report.count, "failed": report.failed, "seconds": report.seconds}
        printing.print_json({"file": place, **counts})
    elif not options.quiet:
        _print_report(report, place)
    return FINE if report.ok else FELL_SHORT


def _print_report(report: "WorldsReport", out: str) -> None:
    from ligament.cli import printing

    for world, reason in list(report.failed.items())[:MAX_LISTED]:
        printing.message(f"failed: world {world}: {reason}")
    if len(report.failed) > MAX_LISTED:
        printing.message(f"failed: {len(report.failed) - MAX_LISTED} more")
    failed = f", {len(report.failed)} failed" if report.failed else ""
    printing.message(f"{out}: {report.count} worlds{failed}, {report.seconds:.1f} s")
