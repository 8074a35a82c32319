"""Findings as text for people and as JSON for programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from rich.text import Text

from ligament.check.files import CheckedFile
from ligament.check.report import Issue, summary, unlisted_in_words
from ligament.check.sarif import to_sarif
from ligament.cli.fixing import FixedFile
from ligament.cli.printing import plain
from ligament.findings import SEVERITIES, Severity

COLOURS: dict[Severity, str] = {
    "error": "bold red",
    "warning": "yellow",
    "info": "cyan",
    "hint": "dim",
}


def text_lines(files: Sequence[FixedFile], *, quiet: bool) -> Iterator[Text]:
    """Yield what was found and done, by file and severity, and a closing line.

    `quiet` leaves out that line and the files in which nothing was found.
    """
    for fixed in files:
        if quiet and not any(fixed.checked.report.counts.values()) and not fixed.changes:
            continue
        yield Text(f"{plain(fixed.checked.file)}: {_outcome(fixed)}", style="bold")
        for change in fixed.changes:
            done = f"{plain(change.pointer)} {plain(change.what)}"
            yield Text.assemble(("  fixed   ", "green"), done)
        for issue in fixed.checked.report:
            yield from _issue_lines(fixed.checked, issue)
        if fixed.checked.report.unlisted:
            yield Text(f"  {unlisted_in_words(fixed.checked.report)}")
    if not quiet:
        yield Text(closing(files), style="bold")


def closing(files: Sequence[FixedFile]) -> str:
    """Sum up a run in one line."""
    counts: Counter[Severity] = Counter()
    for fixed in files:
        counts.update(fixed.checked.report.counts)
    found = summary({severity: counts[severity] for severity in SEVERITIES})
    touched = sum(any(fixed.checked.report.counts.values()) for fixed in files)
    where = f" in {touched} of them" if touched and len(files) > 1 else ""
    changes = sum(len(fixed.changes) for fixed in files)
    fixes = f"; {changes} fixed" if changes else ""
    return f"{len(files)} file{'s' * (len(files) != 1)}: {found}{where}{fixes}"


def json_text(files: Sequence[FixedFile], *, fix: bool) -> str:
    """Write findings, and changes if there could be any, as JSON."""
    return _ascii({"files": [_entry(fixed, fix=fix) for fixed in files]})


def sarif_text(files: Sequence[FixedFile]) -> str:
    """Write findings as a SARIF log."""
    return _ascii(to_sarif([fixed.checked for fixed in files]))


def _outcome(fixed: FixedFile) -> str:
    found = summary(fixed.checked.report.counts)
    return f"{len(fixed.changes)} fixed, {found}" if fixed.changes else found


def _issue_lines(checked: CheckedFile, issue: Issue) -> Iterator[Text]:
    owner = checked.owners.get(issue.pointer)
    yield Text.assemble(
        (f"  {issue.severity:7} ", COLOURS[issue.severity]),
        (issue.code, "bold"),
        f" {plain(owner)}" if owner else "",
        (f" {plain(issue.pointer)}" if issue.pointer else "", "dim"),
    )
    yield Text(f"          {plain(issue.message)}")


def _entry(fixed: FixedFile, *, fix: bool) -> dict[str, Any]:
    entry = {"file": str(fixed.checked.file), **fixed.checked.report.plain()}
    changes = [change._asdict() for change in fixed.changes]
    return {**entry, "changes": changes} if fix else entry


def _ascii(value: Any) -> str:
    """Write JSON in which nothing from a file can command a terminal or be lost on the way."""
    return msgspec.json.format(json.dumps(value, ensure_ascii=True), indent=2) + "\n"
