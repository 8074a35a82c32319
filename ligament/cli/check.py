"""`ligament check`: every finding in one or many files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ligament.check.config import (
    Config,
    FailOn,
    Settings,
    check_code,
    find_config,
    read_config,
)
from ligament.check.files import FileTask, in_processes
from ligament.cli import listing
from ligament.cli.fixing import FixedFile, FixTask, fix_file, targets
from ligament.cli.inputs import SUFFIXES, Input, gather
from ligament.cli.limiting import Limit, chosen_limits
from ligament.cli.playing import progress_bar
from ligament.cli.printing import messages, plain, results
from ligament.errors import ContentError
from ligament.files import write_atomic


class Format(StrEnum):
    """How the findings are printed."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"


class Threshold(StrEnum):
    """The mildest severity that makes the exit status 1."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    HINT = "hint"
    NEVER = "never"


def check(
    files: Annotated[
        list[Path], typer.Argument(help=".gltf, .glb, .vrm or .vrma files, folders, globs.")
    ],
    format: Annotated[  # noqa: A002  (the name of the option)
        Format, typer.Option(help="text for people, json for programs, sarif for code hosts.")
    ] = Format.TEXT,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            help="Write the findings here; with --fix the repaired file (a folder for several).",
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE", help="Codes to leave out (repeatable, or with commas)."),
    ] = None,
    fail_on: Annotated[
        Threshold | None,
        typer.Option(help="What makes the exit status 1; by default what --config says, or error."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(help="Settings; by default the nearest ligament.toml or pyproject.toml."),
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Repair what has one right answer; see -o, --in-place.")
    ] = False,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="With --fix, write the files themselves anew.")
    ] = False,
    limit: Limit = None,
    jobs: Annotated[int, typer.Option(min=1, help="Files to check at the same time.")] = 1,
    quiet: Annotated[bool, typer.Option("--quiet", help="Findings only.")] = False,
) -> None:
    """Say what is wrong with files, where, and what to do about it.

    The exit status is 1 for findings at or above --fail-on, and 2 if a file cannot be read.
    """
    chooser = _Chooser(config, ignore or [], fail_on)
    inputs = gather(files)
    outputs = _outputs(inputs, out, fix=fix, in_place=in_place)
    chosen = [chooser.settings_for(entry.path) for entry in inputs]
    limits, with_places = chosen_limits(limit), format is Format.SARIF
    tasks = [
        FixTask(FileTask(entry.path, settings, with_places, limits), target)
        for entry, settings, target in zip(inputs, chosen, outputs, strict=True)
    ]
    done = _run(tasks, jobs, quiet=quiet)
    _write(done, format, None if fix else out, fix=fix, quiet=quiet)
    raise typer.Exit(_status(done, [settings.fail_on or "error" for settings in chosen]))


class _Chooser:
    """What counts for each file: its own settings, and on top of them the options."""

    def __init__(self, config: Path | None, ignore: list[str], fail_on: Threshold | None) -> None:
        names = [name.strip() for names in ignore for name in names.split(",")]
        codes = frozenset(check_code(name) for name in names if name)
        self.options = Settings(codes, None if fail_on is None else fail_on.value)
        self.config = None if config is None else read_config(config)
        self.found: dict[Path, Config] = {}

    def settings_for(self, file: Path) -> Settings:
        """Return what counts for one file."""
        config = self.config
        if config is None:
            if file.parent not in self.found:
                self.found[file.parent] = find_config(file)
            config = self.found[file.parent]
        return config.settings_for(file).under(self.options)


def _outputs(
    inputs: list[Input], out: Path | None, *, fix: bool, in_place: bool
) -> list[Path | None]:
    """Return where repaired files go; None for files that are only checked."""
    if fix:
        return targets(inputs, out, in_place=in_place)
    if in_place:
        raise ContentError("nothing is to be written", pointer="--in-place", remedy="add --fix")
    if out is not None and out.suffix.lower() in SUFFIXES:
        remedy = "add --fix to write a repaired file, or name a .txt, .json or .sarif"
        raise ContentError("findings are not glTF", file=plain(out), remedy=remedy)
    return [None] * len(inputs)


def _run(tasks: list[FixTask], jobs: int, *, quiet: bool) -> list[FixedFile]:
    done = []
    with progress_bar("checking", quiet=quiet) as progress:
        for index, fixed in enumerate(in_processes(fix_file, tasks, jobs=jobs)):
            done.append(fixed)
            if progress is not None:
                progress(index, len(tasks))
    return done


def _write(
    done: list[FixedFile], form: Format, out: Path | None, *, fix: bool, quiet: bool
) -> None:
    """Print the findings, or write them to a file and their sum to stderr."""
    for line in () if quiet else [line for fixed in done for line in fixed.warnings]:
        messages.print(f"warning: {plain(line)}")
    if form is Format.TEXT and out is None:
        for text in listing.text_lines(done, quiet=quiet):
            results.print(text)
    elif out is None:
        typer.echo(_rendered(done, form, fix=fix, quiet=quiet), nl=False)
    else:
        content = _rendered(done, form, fix=fix, quiet=quiet)
        write_atomic(out, [content.encode(errors="replace")])
        if not quiet:
            messages.print(f"{plain(out)}: {listing.closing(done)}")


def _rendered(done: list[FixedFile], form: Format, *, fix: bool, quiet: bool) -> str:
    match form:
        case Format.TEXT:
            return "".join(f"{line}\n" for line in listing.text_lines(done, quiet=quiet))
        case Format.JSON:
            return listing.json_text(done, fix=fix)
        case Format.SARIF:
            return listing.sarif_text(done)


def _status(done: list[FixedFile], thresholds: list[FailOn]) -> int:
    if not all(fixed.checked.is_readable for fixed in done):
        return 2
    return int(
        any(
            threshold != "never" and fixed.checked.report.has(threshold)
            for fixed, threshold in zip(done, thresholds, strict=True)
        )
    )
