"""`ligament batch`: one command on many files, here or on a cluster."""

from __future__ import annotations

import dataclasses
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from ligament.batches.inputs import read_list
from ligament.batches.motions import PairOptions, retarget_pairs
from ligament.batches.run import batch as run_batch
from ligament.cli.batch_options import ForwardingCommand, parse_options
from ligament.cli.cluster import connected
from ligament.cli.console import messages, plain, results
from ligament.cli.options import GIBIBYTE, Jobs, Quiet, grouped
from ligament.cli.run_progress import RunProgress
from ligament.operations.supervise import ended_by_signals
from ligament.options.names import MEMORY, TIMEOUT
from ligament.options.running import Cluster

if TYPE_CHECKING:
    from ligament.batches import BatchReport, Entry

EXAMPLE = "ligament batch simulate door.glb stack.glb --out-dir recordings --seconds 1"

COMMAND_CLASS = ForwardingCommand


class Command(StrEnum):
    """The commands that `batch` runs."""

    CHECK = "check"
    SIMULATE = "simulate"
    BAKE = "bake"
    RETARGET = "retarget"
    CONVERT = "convert"


@grouped
def batch(
    *,
    command: Annotated[Command, typer.Argument(help=f"One of {', '.join(Command)}.")],
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT", help="Files, folders, globs, URLs; '-' reads a list from stdin."
        ),
    ],
    out_dir: Annotated[
        str,
        typer.Option(
            metavar="PATH", help="The folder, or its URL, for outputs, manifest and report."
        ),
    ],
    jobs: Jobs = None,
    timeout: Annotated[
        float, typer.Option(min=0, help="Time limit per file [s]; 0 means no limit.")
    ] = TIMEOUT,
    max_memory: Annotated[
        float,
        typer.Option(min=0, metavar="GIB", help="Memory limit per file [GiB]; 0 means no limit."),
    ] = MEMORY / GIBIBYTE,
    resume: Annotated[
        bool, typer.Option("--resume", help="Skip files that are done and unchanged.")
    ] = False,
    where: Cluster,
    allow_protocol: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Also allow URLs of this protocol (repeatable)."),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Also follow redirects to this host (repeatable)."),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD", help="An argument for COMMAND (repeatable); so is everything after --."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Check, simulate, bake, retarget or convert many files.

    Options of COMMAND follow after --, or are mixed with the others. The exit status is 1 if any
    file failed or fell short, and 3 if the run was interrupted and --resume continues it.
    """
    options = parse_options(command.value, option or [])
    with (
        ended_by_signals(),
        connected(where, jobs, quiet=quiet) as client,
        RunProgress(command.value, "files", quiet=quiet) as shown,
    ):

        def progress(entry: Entry, finished: int, total: int) -> None:
            shown.advance(finished, total)
            if not entry.ok and not quiet:
                messages.print(_line(entry))

        running: dict[str, Any] = {
            "jobs": jobs,
            "timeout": timeout or None,
            "max_memory": round(max_memory * GIBIBYTE) or None,
            "resume": resume,
            "client": client,
            "protocols": allow_protocol or [],
            "hosts": allow_host or [],
            "progress": progress,
            "listing": shown.found,
        }
        if isinstance(options, PairOptions):
            report = retarget_pairs(options, _listed(inputs), out_dir, **running)
        else:
            report = run_batch(options, _listed(inputs), out_dir, **running)
    _print(report, json=json, quiet=quiet)
    raise typer.Exit(0 if report.ok else 1)


def _listed(inputs: list[str]) -> list[str]:
    """Replace '-' with the lines of stdin."""
    return [each for text in inputs for each in (read_list(sys.stdin) if text == "-" else [text])]


def _line(entry: Entry) -> str:
    status = "short" if entry.reason is None else entry.status.value
    where = "" if entry.host is None else f" (on {plain(entry.host)})"
    return f"{status}: {plain(entry.input)}: {plain(entry.fault)}{where}"


def _print(report: BatchReport, *, json: bool, quiet: bool) -> None:
    """Print the counts by outcome, or the whole report as JSON."""
    if json:
        content = msgspec.json.format(msgspec.json.encode(report.plain()), indent=2)
        typer.echo(content.decode())
    else:
        for name, count in dataclasses.asdict(report.summary).items():
            if name != "seconds" and (count or name in ("files", "done")):
                results.print(f"{name:8} {count:8}")
    if not quiet:
        messages.print(
            f"{plain(report.out_dir)}: {report.summary.seconds:.1f} s, see report.json and "
            "manifest.jsonl"
        )
