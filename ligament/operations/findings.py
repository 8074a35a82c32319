"""Findings and repairs of files, and what is printed of them."""

from __future__ import annotations

import dataclasses
import json
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ligament.checker.files import (
    CheckedFile,
    FileTask,
    check_file,
    check_loaded,
    in_processes,
    unreadable,
)
from ligament.checker.report import Issue, summary, unlisted_in_words
from ligament.checker.sarif import to_sarif
from ligament.errors import LONGEST, LigamentError, LigamentWarning, counted
from ligament.files import all_or_nothing, make_folder, name_text
from ligament.findings import SEVERITIES, Severity
from ligament.gltf import load, save
from ligament.options.groups import Progress
from ligament.repair import Change, repair
from ligament.text import plain


@dataclasses.dataclass(frozen=True)
class FileFindings(CheckedFile):
    """The findings of a file that are left, and its repairs (None: it was only checked).

    `warnings` are those from writing it.
    """

    changes: list[Change] | None = None
    warnings: list[str] = dataclasses.field(default_factory=list)

    @property
    def has_something(self) -> bool:
        """Whether there is a finding or a repair."""
        return bool(self.changes) or any(self.report.counts.values())

    def lines(self) -> Iterator[str]:
        """Yield the verdict on the file, its repairs and its findings."""
        yield f"{plain(self.file)}: {self._outcome()}"
        for change in self.changes or ():
            yield f"  fixed   {plain(change.pointer)} {plain(change.what)}"
        for issue in self.report:
            yield from self._issue_lines(issue)
        if self.report.unlisted:
            yield f"  {unlisted_in_words(self.report)}"

    def entry(self) -> dict[str, Any]:
        """Return all of it as JSON."""
        entry = {"file": name_text(str(self.file)), **self.report.plain()}
        if self.changes is None:
            return entry
        return {**entry, "changes": [change._asdict() for change in self.changes]}

    def _outcome(self) -> str:
        found = summary(self.report.counts)
        if self.changes is None or not self.is_readable:
            return found
        return f"{f'{len(self.changes)} fixed' if self.changes else 'nothing to fix'}, {found}"

    def _issue_lines(self, issue: Issue) -> Iterator[str]:
        owner = self.owners.get(issue.pointer)
        whose = f" {plain(owner, 400)}" if owner else ""
        where = f" {plain(issue.pointer, 1400)}" if issue.pointer else ""
        yield f"  {issue.severity:7} {issue.code}{whose}{where}"
        yield f"          {plain(issue.message, LONGEST - 10)}"


@dataclasses.dataclass(frozen=True)
class FixTask(FileTask):
    """A file to check, and the path of its repaired copy (None: it is only checked)."""

    target: Path | None = None


def find(tasks: Sequence[FixTask], jobs: int, progress: Progress | None) -> list[FileFindings]:
    """Check or repair files, several at the same time."""
    done: list[FileFindings] = []
    for found in in_processes(fix_file, tasks, FileFindings, died=unfixed, jobs=jobs):
        if progress is not None:
            progress(len(done), len(tasks))
        done.append(found)
    return done


def fix_file(task: FixTask) -> FileFindings:
    """Check a file, after all repairs if it has an output path."""
    if task.target is None:
        return FileFindings(**vars(check_file(task)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LigamentWarning)
        try:
            document, changes = repair(load(task.file, limits=task.limits))
        except LigamentError as fault:
            return unfixed(task, fault)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LigamentWarning)  # they are findings here
            checked = check_loaded(task, document)
        if changes or task.target != task.file:
            with all_or_nothing():
                make_folder(task.target.parent)
                save(document, task.target)
    messages = [str(warning.message) for warning in caught]
    return FileFindings(**vars(checked), changes=changes, warnings=messages)


def unfixed(task: FixTask, fault: LigamentError) -> FileFindings:
    """Report a file that could not be read, or ended the process which checked it."""
    changes: list[Change] | None = None if task.target is None else []
    return FileFindings(**vars(unreadable(task.file, fault)), changes=changes)


# --- printed ---


def lines_of(files: Sequence[FileFindings], *, quiet: bool) -> Iterator[str]:
    """Yield the lines of all files; `quiet` leaves out those without findings and repairs."""
    for found in files:
        if found.has_something or not quiet:
            yield from found.lines()


def verdict(files: Sequence[FileFindings]) -> str:
    """Summarize a run in one line."""
    counts: Counter[Severity] = Counter()
    for each in files:
        counts.update(each.report.counts)
    found = summary({severity: counts[severity] for severity in SEVERITIES})
    touched = sum(any(each.report.counts.values()) for each in files)
    where = f" in {touched} of them" if touched and len(files) > 1 else ""
    changes = sum(len(each.changes or ()) for each in files)
    return f"{counted(len(files), 'file')}: {found}{where}{f'; {changes} fixed' if changes else ''}"


def as_json(files: Sequence[FileFindings]) -> str:
    """Format the findings, and the repairs, as JSON."""
    return _ascii({"files": [each.entry() for each in files]})


def as_sarif(files: Sequence[FileFindings]) -> str:
    """Format the findings as a SARIF log."""
    return _ascii(to_sarif(files))


def _ascii(value: Any) -> str:
    """Format JSON as ASCII, so that no text of a file reaches the terminal raw."""
    return json.dumps(value, ensure_ascii=True, indent=2)
