"""What a check found."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from ligament.findings import SEVERITIES, Severity
from ligament.gltf import pointers

MOST_SHOWN = 50
"""Findings that a report shows of itself; iterate over it for all of them."""

_COLOURS: dict[Severity, str] = {
    "error": "#c62828",
    "warning": "#b26a00",
    "info": "#00708c",
    "hint": "#777777",
}
_LEFT = 'style="text-align: left"'


class Issue(NamedTuple):
    """One finding: its code, how bad it is, the JSON pointer of the place, what and what to do."""

    code: str
    severity: Severity
    pointer: str
    message: str


class Report:
    """All findings of one document, in the order of severity and place.

    >>> report = lg.check(doc)
    >>> report.ok, report.counts["warning"]
    (True, 1)
    """

    def __init__(self, issues: Collection[Issue] = ()) -> None:
        self.issues = sorted(issues, key=_rank)

    def __iter__(self) -> Iterator[Issue]:
        return iter(self.issues)

    def __len__(self) -> int:
        return len(self.issues)

    @property
    def ok(self) -> bool:
        """Whether nothing in the document is an error."""
        return not self.counts["error"]

    @property
    def counts(self) -> dict[Severity, int]:
        """How many findings there are of each severity."""
        found = Counter(issue.severity for issue in self.issues)
        return {severity: found[severity] for severity in SEVERITIES}

    def has(self, worst: Severity) -> bool:
        """Tell whether anything is of this severity or a worse one."""
        bad = SEVERITIES[: SEVERITIES.index(worst) + 1]
        return any(issue.severity in bad for issue in self.issues)

    def without(self, codes: Collection[str]) -> Report:
        """Return the report less the findings with these codes."""
        return Report([issue for issue in self.issues if issue.code not in codes])

    def with_severities(self, severities: Mapping[str, Severity]) -> Report:
        """Return the report with other severities for some codes."""
        return Report(
            [
                issue._replace(severity=severities.get(issue.code, issue.severity))
                for issue in self.issues
            ]
        )

    def __repr__(self) -> str:
        """List the findings, one a line."""
        lines = [f"Report: {summary(self.counts)}"]
        lines += [
            _printable(f"  {issue.severity:7} {issue.code} {issue.pointer}: {issue.message}")
            for issue in self.issues[:MOST_SHOWN]
        ]
        return "\n".join(lines + _more(len(self)))

    def _repr_html_(self) -> str:
        """Show the findings as a table in a notebook."""
        rows = "".join(_row(issue) for issue in self.issues[:MOST_SHOWN])
        table = f"<table>{rows}</table>" if rows else ""
        more = "".join(f"<p>{line}</p>" for line in _more(len(self)))
        return f"<p><b>{summary(self.counts)}</b></p>{table}{more}"


def summary(counts: Mapping[Severity, int]) -> str:
    """Say in words how many findings there are: "2 errors, 1 hint"."""
    plural: dict[Severity, str] = {"info": "info"}
    words = [
        f"{n} {severity if n == 1 else plural.get(severity, f'{severity}s')}"
        for severity, n in counts.items()
        if n
    ]
    return ", ".join(words) or "nothing found"


def _rank(issue: Issue) -> tuple[int, list[tuple[bool, int, str]]]:
    """Sort by severity, then by place: indices as numbers, before names."""
    place = [
        (False, int(segment), "") if _is_index(segment) else (True, 0, segment)
        for segment in pointers.split(issue.pointer)
    ]
    return SEVERITIES.index(issue.severity), place


def _is_index(segment: str) -> bool:
    return segment.isascii() and segment.isdigit() and len(segment) < 16


def _row(issue: Issue) -> str:
    texts = (issue.code, issue.pointer, issue.message)
    cells = [f"<td {_LEFT}>{html.escape(_printable(text))}</td>" for text in texts]
    colour = f'style="color: {_COLOURS[issue.severity]}"'
    return f"<tr><td {colour}>{issue.severity}</td>{''.join(cells)}</tr>"


def _more(count: int) -> list[str]:
    return [f"and {count - MOST_SHOWN} more"] if count > MOST_SHOWN else []


def _printable(text: str) -> str:
    """Write characters that could command a terminal or hide text as escapes."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
