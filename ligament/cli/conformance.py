"""`ligament conformance`: run, list or export the conformance suite."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from ligament.cli import playing
from ligament.cli.console import messages, plain, progress_bar, results
from ligament.cli.options import Jobs, Quiet
from ligament.conformance.judge import Verdict
from ligament.conformance.page import html_page
from ligament.conformance.programs import Command, Play, require_command, require_features, run
from ligament.conformance.report import TIERS, json_report, junit_report, text_report
from ligament.conformance.suite import Entry, chosen, export, own_suite, read_suite
from ligament.errors import ContentError
from ligament.files import all_or_nothing, make_folder, require_place, write_atomic
from ligament.options.names import ENGINES, QUALITIES, Quality
from ligament.physics.engines import require_engine
from ligament.processes import cores

EXAMPLE = "ligament conformance run --only bodies"

FELL_SHORT = 1


def conformance(
    *,
    action: Annotated[
        Literal["run", "list", "export"],
        typer.Argument(help="run: play and judge; list: the sentences; export: the files."),
    ],
    folder: Annotated[
        Path | None, typer.Argument(help="Where `export` writes the suite.", show_default=False)
    ] = None,
    command: Annotated[
        str | None,
        typer.Option(
            metavar='"PROGRAM {input} {output}"',
            help="The program to judge; it turns a file into a recording. By default Ligament. "
            "{events}, {motion}, {seconds} and {rate} are filled in too.",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="WORD", help="Only cases with this in id, tier or sentence."),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(metavar="FEATURE", help="Skip cases that use this, such as drives."),
    ] = None,
    suite: Annotated[
        Path | None, typer.Option(help="An exported suite; by default the built-in one.")
    ] = None,
    engine: Annotated[str, typer.Option(metavar="NAME", help=f"{playing.ENGINE_HELP}.")] = ENGINES[
        0
    ],
    quality: Annotated[
        str, typer.Option(metavar="|".join(QUALITIES), help=f"{playing.QUALITY_HELP}.")
    ] = QUALITIES[-1],
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML.")] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write an HTML page that animates the failing cases.")
    ] = None,
    keep: Annotated[Path | None, typer.Option(help="Folder to keep the recordings in.")] = None,
    fail_on: Annotated[
        Literal["must", "should", "decision"],
        typer.Option(help="The lowest tier whose failures make the exit status 1."),
    ] = "must",
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Time limit for the command on one case [s].")
    ] = 60.0,
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> None:
    """Play the conformance suite and judge what moved.

    Each case is a small file about one sentence of a specification, with the values that must be
    seen and their derivation. The judge reads recordings of any program. The exit status is 1
    where a case of tier must fails.
    """
    source = suite or own_suite()
    if action == "export":
        _export(source, folder, quiet=quiet)
        return
    if folder is not None:
        raise ContentError("a folder is for `export`", remedy="name it there, or use --suite")
    every = read_suite(source)
    require_features(every, without or ())
    entries = chosen(every, only or ())
    if action == "list":
        _list(entries, json=json)
        return
    for path in filter(None, (junit, html)):
        require_place(path)
    play = _player(command, engine, quality, timeout)
    verdicts = _run(entries, play, jobs, keep, without or (), quiet=quiet)
    if json:
        results.print(json_report(verdicts), end="")
    else:
        for line in text_report(verdicts):
            results.print(plain(line))
    with all_or_nothing():
        if junit is not None:
            write_atomic(junit, [junit_report(verdicts)])
        if html is not None:
            title = f"Conformance of {command or f'Ligament, {engine}, {quality}'}"
            write_atomic(html, [html_page(verdicts, title).encode()])
    counted = TIERS[: TIERS.index(fail_on) + 1]
    if any(v.outcome == "fail" and v.case["tier"] in counted for v in verdicts):
        raise typer.Exit(FELL_SHORT)


def _export(source: Path, folder: Path | None, *, quiet: bool) -> None:
    if folder is None:
        raise ContentError("no folder to export to", remedy="name one: conformance export FOLDER")
    count = export(source, folder)
    if not quiet:
        messages.print(f"{plain(folder)}: {count} files")


def _list(entries: Sequence[Entry], *, json: bool) -> None:
    if json:
        import msgspec

        content = msgspec.json.encode([entry.case for entry in entries])
        results.print(msgspec.json.format(content, indent=1).decode())
        return
    for entry in entries:
        case = entry.case
        where = f"{case['source']['document']}, {case['source']['section']}"
        results.print(plain(f"{case['id']} ({case['tier']}): {case['sentence']} [{where}]"))


def _player(command: str | None, engine: str, quality: str, timeout: float) -> Play:
    if command is not None:
        require_command(command)
        return Command(command, timeout)
    from ligament.conformance.player import Player

    require_engine(engine, quality)
    return Player(engine, cast(Quality, quality))


def _run(
    entries: Sequence[Entry],
    play: Play,
    jobs: int | None,
    keep: Path | None,
    without: Sequence[str],
    *,
    quiet: bool,
) -> list[Verdict]:
    found = []
    kept = None if keep is None else make_folder(keep)
    count = jobs or cores()
    with progress_bar("judging", quiet=quiet) as progress:
        for verdict in run(entries, play, jobs=count, keep=kept, without=without):
            found.append(verdict)
            if progress is not None:
                progress(len(found) - 1, len(entries))
    return found
