"""`ligament check`: every finding in one or many files."""

from __future__ import annotations

import warnings
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.text import Text

from ligament.check import Issue, Report
from ligament.check import check as check_document
from ligament.check.codes import CODES
from ligament.cli.printing import plain, results
from ligament.errors import LigamentError, LigamentWarning
from ligament.findings import SEVERITIES
from ligament.gltf import load

COLOURS = {"error": "bold red", "warning": "yellow", "info": "cyan", "hint": "dim"}


class Format(StrEnum):
    """How the findings are printed."""

    TEXT = "text"
    JSON = "json"


class FailOn(StrEnum):
    """The least severity that makes the exit status 1."""

    ERROR = "error"
    WARNING = "warning"


def check(
    files: Annotated[list[Path], typer.Argument(help=".gltf, .glb, .vrm or .vrma files.")],
    format: Annotated[  # noqa: A002  (the name of the option)
        Format, typer.Option(help="text for people, json for programs.")
    ] = Format.TEXT,
    ignore: Annotated[
        list[str] | None, typer.Option(help="A code to leave out (may be repeated).")
    ] = None,
    fail_on: Annotated[FailOn, typer.Option(help="What makes the exit status 1.")] = FailOn.ERROR,
) -> None:
    """Say what is wrong with files, where, and what to do about it."""
    ignored = set(ignore or ())
    if unknown := ignored - CODES.keys():
        raise typer.BadParameter(f"there is no code {', '.join(sorted(unknown))}")
    reports = {file: _check(file).without(ignored) for file in files}
    if format is Format.JSON:
        entries = [_entry(file, report) for file, report in reports.items()]
        results.print(msgspec.json.format(msgspec.json.encode({"files": entries})).decode())
    else:
        for file, report in reports.items():
            _print(file, report)
    raise typer.Exit(_status(list(reports.values()), fail_on))


def _check(file: Path) -> Report:
    """Check one file; one that cannot be read is a finding, so that the others are checked."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LigamentWarning)
            return check_document(load(file))
    except LigamentError as fault:
        return Report([Issue("FILE_UNREADABLE", "error", fault.pointer or "", str(fault))])


def _status(reports: list[Report], fail_on: FailOn) -> int:
    issues = [issue for report in reports for issue in report]
    if any(issue.code == "FILE_UNREADABLE" for issue in issues):
        return 2
    bad = SEVERITIES[: SEVERITIES.index(fail_on.value) + 1]
    return int(any(issue.severity in bad for issue in issues))


def _entry(file: Path, report: Report) -> dict[str, Any]:
    issues = [issue._asdict() for issue in report]
    return {"file": str(file), "issues": issues, "counts": report.counts}


def _print(file: Path, report: Report) -> None:
    counts = ", ".join(f"{n} {severity}" for severity, n in report.counts.items() if n)
    results.print(f"{plain(file)}: {counts or 'nothing found'}")
    for issue in report:
        line = Text(f"  {issue.severity:7} ", style=COLOURS[issue.severity])
        line.append(f"{issue.code} ", style="bold")
        line.append(f"{plain(issue.pointer)} {plain(issue.message)}", style="default")
        results.print(line)
