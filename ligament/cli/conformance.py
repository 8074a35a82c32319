"""`ligament conformance`: run, list or export the conformance suite."""

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import click

from ligament.cli import params
from ligament.errors import ContentError
from ligament.options.groups import AnyPath, Engine
from ligament.options.option import Option

if TYPE_CHECKING:
    from ligament.conformance.judge import Verdict
    from ligament.conformance.programs import Play
    from ligament.conformance.suite import Entry

EXAMPLE = "ligament conformance run --only bodies"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Conformance(Engine):
    """Play the conformance suite and judge what moved.

    Each case is a small file about one sentence of a specification, with the values that must be
    seen and their derivation. The judge reads recordings of any program. The exit status is 1
    where a case of tier must fails.
    """

    title: ClassVar[str] = "Options"

    action: Annotated[
        Literal["run", "list", "export"],
        Option("run: play and judge; list: the sentences; export: the files", is_positional=True),
    ]
    folder: Annotated[
        AnyPath | None, Option("Where `export` writes the suite", is_positional=True)
    ] = None
    command: Annotated[
        str | None,
        Option(
            "The program to judge; it turns a file into a recording. By default Ligament. "
            "{events}, {motion}, {seconds} and {rate} are filled in too",
            metavar='"PROGRAM {input} {output}"',
        ),
    ] = None
    only: Annotated[
        Sequence[str], Option("Only cases with this in id, tier or sentence", metavar="WORD")
    ] = ()
    without: Annotated[
        Sequence[str], Option("Skip cases that use this, such as drives", metavar="FEATURE")
    ] = ()
    suite: Annotated[AnyPath | None, Option("An exported suite; by default the built-in one")] = (
        None
    )
    junit: Annotated[AnyPath | None, Option("Write JUnit XML")] = None
    html: Annotated[
        AnyPath | None, Option("Write an HTML page that animates the failing cases")
    ] = None
    keep: Annotated[AnyPath | None, Option("Folder to keep the recordings in")] = None
    fail_on: Annotated[
        Literal["must", "should", "decision"],
        Option("The lowest tier whose failures make the exit status 1"),
    ] = "must"
    timeout: Annotated[
        float, Option("Time limit for the command on one case", unit="s", least=0.1)
    ] = 60.0
    jobs: Annotated[int | None, Option("Number of processes; by default one per core", least=1)] = (
        None
    )
    json: Annotated[bool, Option("Print JSON for programs")] = False
    quiet: Annotated[bool, Option("No messages")] = False


def made() -> click.Command:
    """Return the command."""
    return params.alone("conformance", Conformance, _run, EXAMPLE)


def _run(options: Conformance) -> int | None:
    from ligament.conformance.programs import require_features
    from ligament.conformance.suite import chosen, own_suite, read_suite

    source = own_suite() if options.suite is None else Path(options.suite)
    if options.action == "export":
        _export(source, options)
        return None
    if options.folder is not None:
        raise ContentError("a folder is for `export`", remedy="name it there, or use --suite")
    every = read_suite(source)
    require_features(every, options.without)
    entries = chosen(every, options.only)
    if options.action == "list":
        _list(entries, json=options.json)
        return None
    return _judge(entries, options)


def _judge(entries: "Sequence[Entry]", options: Conformance) -> int:
    """Play and judge cases, and report; return the exit status."""
    from ligament.cli.app import FELL_SHORT, FINE
    from ligament.cli.console import plain, results
    from ligament.conformance.page import html_page
    from ligament.conformance.report import TIERS, json_report, junit_report, text_report
    from ligament.files import all_or_nothing, require_place, write_atomic

    junit, html = (None if each is None else Path(each) for each in (options.junit, options.html))
    for path in filter(None, (junit, html)):
        require_place(path)
    verdicts = _verdicts(entries, _player(options), options)
    if options.json:
        results.print(json_report(verdicts), end="")
    else:
        for line in text_report(verdicts):
            results.print(plain(line))
    with all_or_nothing():
        if junit is not None:
            write_atomic(junit, [junit_report(verdicts)])
        if html is not None:
            player = options.command or f"Ligament, {options.engine}, {options.quality}"
            page = html_page(verdicts, f"Conformance of {player}")
            write_atomic(html, [page.encode()])
    counted = TIERS[: TIERS.index(options.fail_on) + 1]
    failed = any(v.outcome == "fail" and v.case["tier"] in counted for v in verdicts)
    return FELL_SHORT if failed else FINE


def _export(source: Any, options: Conformance) -> None:
    from ligament.cli.console import messages, plain
    from ligament.conformance.suite import export

    folder = options.folder
    if folder is None:
        raise ContentError("no folder to export to", remedy="name one: conformance export FOLDER")
    count = export(source, Path(folder))
    if not options.quiet:
        messages.print(f"{plain(folder)}: {count} files")


def _list(entries: "Iterable[Entry]", *, json: bool) -> None:
    from ligament.cli.console import plain, results

    if json:
        import msgspec

        content = msgspec.json.encode([entry.case for entry in entries])
        results.print(msgspec.json.format(content, indent=1).decode())
        return
    for entry in entries:
        case = entry.case
        where = f"{case['source']['document']}, {case['source']['section']}"
        results.print(plain(f"{case['id']} ({case['tier']}): {case['sentence']} [{where}]"))


def _player(options: Conformance) -> "Play":
    from ligament.conformance.programs import Command, require_command

    if options.command is not None:
        require_command(options.command)
        return Command(options.command, options.timeout)
    from ligament.conformance.player import Player
    from ligament.physics.engines import engine_factory

    engine_factory(options.engine)
    return Player(options.engine, options.quality)


def _verdicts(entries: "Sequence[Entry]", play: "Play", options: Conformance) -> "list[Verdict]":
    from ligament.cli.console import progress_bar
    from ligament.conformance.programs import run
    from ligament.files import make_folder
    from ligament.processes import cores

    found = []
    kept = None if options.keep is None else make_folder(Path(options.keep))
    count = options.jobs or cores()
    with progress_bar("judging", quiet=options.quiet) as progress:
        for verdict in run(entries, play, jobs=count, keep=kept, without=options.without):
            found.append(verdict)
            if progress is not None:
                progress(len(found) - 1, len(entries))
    return found
