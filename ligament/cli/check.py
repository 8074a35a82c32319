"""`ligament check`: every finding in one or many files."""

from __future__ import annotations

import json as jsontext
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from ligament.checker.config import (
    Config,
    FailOn,
    Settings,
    check_code,
    find_config,
    read_config,
    require_code,
)
from ligament.checker.files import CheckedFile, FileTask, in_processes
from ligament.checker.report import Issue, summary, unlisted_in_words
from ligament.checker.sarif import to_sarif
from ligament.cli.check_files import (
    SUFFIXES,
    FixedFile,
    FixTask,
    Input,
    fix_file,
    gather,
    targets,
    unfixed,
)
from ligament.cli.console import messages, plain, progress_bar, results
from ligament.cli.options import Limit, chosen_limits
from ligament.errors import LONGEST, ContentError
from ligament.files import write_atomic
from ligament.findings import CODES, SEVERITIES, Severity

EXAMPLE = "ligament check door.glb avatar.vrm"

COLOURS: dict[Severity, str] = {
    "error": "bold red",
    "warning": "yellow",
    "info": "cyan",
    "hint": "dim",
}


class Format(StrEnum):
    """Output formats of the findings."""

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


def explain_code(code: str | None) -> None:
    """Print the meaning, specification and remedy of a code; or all codes."""
    if code is None:
        return
    known = CODES if code == "all" else {code: CODES[require_code(code)]}
    for name, entry in known.items():
        results.print(Text.assemble((name, "bold"), f" ({entry.severity}): {entry.meaning}"))
        results.print(f"  {entry.remedy}")
    raise typer.Exit


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
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="CODE", help="Codes to ignore (repeatable, or separated by commas)."),
    ] = None,
    fail_on: Annotated[
        Threshold | None,
        typer.Option(
            help="The lowest severity that makes the exit status 1;"
            " by default that of --config, or error."
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            help="Configuration file; by default the nearest ligament.toml or pyproject.toml."
        ),
    ] = None,
    fix: Annotated[
        bool,
        typer.Option("--fix", help="Apply repairs that have one right answer; see -o, --in-place."),
    ] = False,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="With --fix, overwrite the files themselves.")
    ] = False,
    limit: Limit = None,
    jobs: Annotated[int, typer.Option(min=1, help="Files to check at the same time.")] = 1,
    explain: Annotated[
        str | None,
        typer.Option(
            metavar="CODE",
            help="Print what a code means and what to do, and stop; 'all' prints every code.",
            callback=explain_code,
            is_eager=True,
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Findings only.")] = False,
) -> None:
    """Report what is wrong with files, where, and how to fix it.

    The exit status is 1 for findings at or above --fail-on, and 2 if a file cannot be read.
    """
    format = Format.JSON if json else format  # noqa: A001
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
    """The settings of each file: those of its configuration, overridden by the options."""

    def __init__(self, config: Path | None, ignore: list[str], fail_on: Threshold | None) -> None:
        names = [name.strip() for names in ignore for name in names.split(",")]
        codes = frozenset(check_code(name) for name in names if name)
        self.options = Settings(codes, None if fail_on is None else fail_on.value)
        self.config = None if config is None else read_config(config)
        self.found: dict[Path, Config] = {}

    def settings_for(self, file: Path) -> Settings:
        """Return the settings of one file."""
        config = self.config
        if config is None:
            if file.parent not in self.found:
                self.found[file.parent] = find_config(file)
            config = self.found[file.parent]
        return config.settings_for(file).under(self.options)


def _outputs(
    inputs: list[Input], out: Path | None, *, fix: bool, in_place: bool
) -> list[Path | None]:
    """Return the paths of repaired files; None for files that are only checked."""
    if fix:
        return targets(inputs, out, in_place=in_place)
    if in_place:
        raise ContentError(
            "there are no repairs to write", pointer="--in-place", remedy="add --fix"
        )
    if out is not None and out.suffix.lower() in SUFFIXES:
        remedy = "add --fix to write a repaired file, or use a .txt, .json or .sarif path"
        raise ContentError("findings are not glTF", file=plain(out), remedy=remedy)
    return [None] * len(inputs)


def _run(tasks: list[FixTask], jobs: int, *, quiet: bool) -> list[FixedFile]:
    done = []
    with progress_bar("checking", quiet=quiet) as progress:
        done_files = in_processes(fix_file, tasks, FixedFile, died=unfixed, jobs=jobs)
        for index, fixed in enumerate(done_files):
            done.append(fixed)
            if progress is not None:
                progress(index, len(tasks))
    return done


def _write(
    done: list[FixedFile], form: Format, out: Path | None, *, fix: bool, quiet: bool
) -> None:
    """Print the findings, or write them to a file and their counts to stderr."""
    for line in () if quiet else [line for fixed in done for line in fixed.warnings]:
        messages.print(f"warning: {plain(line)}")
    if form is Format.TEXT and out is None:
        for text in _text_lines(done, fix=fix, quiet=quiet):
            results.print(text)
    elif out is None:
        typer.echo(_rendered(done, form, fix=fix, quiet=quiet), nl=False)
    else:
        content = _rendered(done, form, fix=fix, quiet=quiet)
        write_atomic(out, [content.encode(errors="replace")])
        if not quiet:
            messages.print(f"{plain(out)}: {_closing(done)}")


def _rendered(done: list[FixedFile], form: Format, *, fix: bool, quiet: bool) -> str:
    match form:
        case Format.TEXT:
            return "".join(f"{line}\n" for line in _text_lines(done, fix=fix, quiet=quiet))
        case Format.JSON:
            return _json_text(done, fix=fix)
        case Format.SARIF:
            return _sarif_text(done)


def _status(done: list[FixedFile], thresholds: list[FailOn]) -> int:
    if not all(fixed.checked.is_readable for fixed in done):
        return 2
    return int(
        any(
            threshold != "never" and fixed.checked.report.has(threshold)
            for fixed, threshold in zip(done, thresholds, strict=True)
        )
    )


# --- output ---


def _text_lines(files: Sequence[FixedFile], *, fix: bool, quiet: bool) -> Iterator[Text]:
    """Yield findings and repairs by file, and a closing line.

    `quiet` leaves out that line and the files without findings.
    """
    for fixed in files:
        if quiet and not any(fixed.checked.report.counts.values()) and not fixed.changes:
            continue
        yield Text(f"{plain(fixed.checked.file)}: {_outcome(fixed, fix=fix)}", style="bold")
        for change in fixed.changes:
            done = f"{plain(change.pointer)} {plain(change.what)}"
            yield Text.assemble(("  fixed   ", "green"), done)
        for issue in fixed.checked.report:
            yield from _issue_lines(fixed.checked, issue)
        if fixed.checked.report.unlisted:
            yield Text(f"  {unlisted_in_words(fixed.checked.report)}")
    if not quiet:
        yield Text(_closing(files), style="bold")


def _closing(files: Sequence[FixedFile]) -> str:
    """Summarize a run in one line."""
    counts: Counter[Severity] = Counter()
    for fixed in files:
        counts.update(fixed.checked.report.counts)
    found = summary({severity: counts[severity] for severity in SEVERITIES})
    touched = sum(any(fixed.checked.report.counts.values()) for fixed in files)
    where = f" in {touched} of them" if touched and len(files) > 1 else ""
    changes = sum(len(fixed.changes) for fixed in files)
    fixes = f"; {changes} fixed" if changes else ""
    return f"{len(files)} file{'s' * (len(files) != 1)}: {found}{where}{fixes}"


def _json_text(files: Sequence[FixedFile], *, fix: bool) -> str:
    """Format findings, and repairs if requested, as JSON."""
    return _ascii({"files": [_entry(fixed, fix=fix) for fixed in files]})


def _sarif_text(files: Sequence[FixedFile]) -> str:
    """Format findings as a SARIF log."""
    return _ascii(to_sarif([fixed.checked for fixed in files]))


def _outcome(fixed: FixedFile, *, fix: bool) -> str:
    found = summary(fixed.checked.report.counts)
    if not fix or not fixed.checked.is_readable:
        return found
    return f"{len(fixed.changes)} fixed, {found}" if fixed.changes else f"nothing to fix, {found}"


def _issue_lines(checked: CheckedFile, issue: Issue) -> Iterator[Text]:
    owner = checked.owners.get(issue.pointer)
    yield Text.assemble(
        (f"  {issue.severity:7} ", COLOURS[issue.severity]),
        (issue.code, "bold"),
        f" {plain(owner, 400)}" if owner else "",
        (f" {plain(issue.pointer, 1400)}" if issue.pointer else "", "dim"),
    )
    yield Text(f"          {plain(issue.message, LONGEST - 10)}")


def _entry(fixed: FixedFile, *, fix: bool) -> dict[str, Any]:
    entry = {"file": str(fixed.checked.file), **fixed.checked.report.plain()}
    changes = [change._asdict() for change in fixed.changes]
    return {**entry, "changes": changes} if fix else entry


def _ascii(value: Any) -> str:
    """Format JSON as ASCII, so that no text of a file reaches the terminal raw."""
    return jsontext.dumps(value, ensure_ascii=True, indent=2) + "\n"
