"""Reports: the findings of one document, sorted, counted and displayed."""

from __future__ import annotations

import dataclasses
import html
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, overload

from ligament.arguments import checked
from ligament.checker.config import Settings
from ligament.findings import SEVERITIES, Severity
from ligament.findings.finding import FailOn
from ligament.gltf import pointers

MOST_SHOWN = 50
"""Most findings in the repr of a report; iterate over it for all of them."""

_COLOURS: dict[Severity, str] = {
    "error": "#c62828",
    "warning": "#b26a00",
    "info": "#00708c",
    "hint": "#777777",
}
_LEFT = 'style="text-align: left"'


class Issue(NamedTuple):
    """One finding: code, severity, JSON pointer, and a message with the remedy."""

    code: str
    severity: Severity
    pointer: str
    message: str


@dataclasses.dataclass(init=False, repr=False, eq=False)
class Report:
    """All findings of one document, sorted by severity and place.

    Beyond `Limits.findings` only the worst are listed; `counts`, `ok` and `has` cover all, and
    `unlisted` counts those not listed, by code. `fail_on` is the mildest severity that is not ok.

    >>> report = lg.check(doc)
    >>> report.ok, report.counts["warning"]
    (True, 1)
    """

    issues: list[Issue]
    _unlisted: dict[tuple[str, Severity], int]
    fail_on: FailOn = "error"

    def __init__(
        self,
        issues: Collection[Issue] = (),
        *,
        unlisted: Mapping[tuple[str, Severity], int] = MappingProxyType({}),
        fail_on: FailOn = "error",
    ) -> None:
        self.issues = sorted(issues, key=_rank)
        self._unlisted = dict(unlisted)
        self.fail_on = fail_on

    def __iter__(self) -> Iterator[Issue]:
        return iter(self.issues)

    def __len__(self) -> int:
        return len(self.issues)

    @overload
    def __getitem__(self, index: int) -> Issue: ...

    @overload
    def __getitem__(self, index: slice) -> list[Issue]: ...

    def __getitem__(self, index: int | slice) -> Issue | list[Issue]:
        return self.issues[index]

    @property
    def ok(self) -> bool:
        """Whether the document has no errors, or what else `fail_on` says."""
        return self.fail_on == "never" or not self.has(self.fail_on)

    @property
    def counts(self) -> dict[Severity, int]:
        """Number of findings of each severity."""
        found = Counter(issue.severity for issue in self.issues)
        for (_, severity), count in self._unlisted.items():
            found[severity] += count
        return {severity: found[severity] for severity in SEVERITIES}

    @property
    def unlisted(self) -> dict[str, int]:
        """Number of findings of each code that are not listed; usually {}."""
        found: Counter[str] = Counter()
        for (code, _), count in self._unlisted.items():
            found[code] += count
        return dict(sorted(found.items()))

    @checked
    def has(self, worst: Severity) -> bool:
        """Tell whether any finding has this severity or a worse one."""
        counts = self.counts
        return any(counts[severity] for severity in SEVERITIES[: SEVERITIES.index(worst) + 1])

    @checked
    def without(self, codes: Iterable[str]) -> Report:
        """Return the report without the findings of these codes."""
        codes = frozenset(codes)
        return Report(
            [issue for issue in self.issues if issue.code not in codes],
            unlisted={key: n for key, n in self._unlisted.items() if key[0] not in codes},
            fail_on=self.fail_on,
        )

    @checked
    def beyond(self, other: Report) -> Report:
        """Return the findings that another report lacks, such as that of an earlier state."""
        known = {(issue.code, issue.pointer) for issue in other.issues}
        return Report(
            [issue for issue in self.issues if (issue.code, issue.pointer) not in known],
            unlisted={
                key: count - other._unlisted.get(key, 0)
                for key, count in self._unlisted.items()
                if count > other._unlisted.get(key, 0)
            },
            fail_on=self.fail_on,
        )

    @checked
    def with_severities(self, severities: Mapping[str, Severity]) -> Report:
        """Return the report with changed severities for some codes."""
        unlisted: Counter[tuple[str, Severity]] = Counter()
        for (code, severity), count in self._unlisted.items():
            unlisted[code, severities.get(code, severity)] += count
        return Report(
            [
                issue._replace(severity=severities.get(issue.code, issue.severity))
                for issue in self.issues
            ],
            unlisted=unlisted,
            fail_on=self.fail_on,
        )

    def under(self, settings: Settings) -> Report:
        """Return the report as settings want it."""
        report = self.without(settings.ignore).with_severities(settings.severity)
        report.fail_on = settings.fail_on or "error"
        return report

    def plain(self) -> dict[str, Any]:
        """Return the report as plain JSON; `unlisted` is included if not empty."""
        unlisted = {"unlisted": self.unlisted} if self._unlisted else {}
        issues = [issue._asdict() for issue in self.issues]
        return {"issues": issues, "counts": self.counts, **unlisted}

    def __repr__(self) -> str:
        """List the findings, one per line."""
        lines = [f"Report: {summary(self.counts)}"]
        lines += [
            _printable(f"  {issue.severity:7} {issue.code} {issue.pointer}: {issue.message}")
            for issue in self.issues[:MOST_SHOWN]
        ]
        return "\n".join(lines + self._more())

    def _repr_html_(self) -> str:
        """Show the findings as a table in a notebook."""
        rows = "".join(_row(issue) for issue in self.issues[:MOST_SHOWN])
        table = f"<table>{rows}</table>" if rows else ""
        more = "".join(f"<p>{line}</p>" for line in self._more())
        return f"<p><b>{summary(self.counts)}</b></p>{table}{more}"

    def _more(self) -> list[str]:
        hidden = sum(self.counts.values()) - min(len(self), MOST_SHOWN)
        return [f"and {hidden} more"] if hidden else []


def summary(counts: Mapping[Severity, int]) -> str:
    """Return the counts of findings in words: "2 errors, 1 hint"."""
    plural: dict[Severity, str] = {"info": "info"}
    words = [
        f"{n} {severity if n == 1 else plural.get(severity, f'{severity}s')}"
        for severity, n in counts.items()
        if n
    ]
    return ", ".join(words) or "nothing found"


def _rank(issue: Issue) -> tuple[int, list[tuple[bool, int, str]]]:
    """Return a sort key: severity, then place, with indices as numbers before names."""
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


def unlisted_in_words(report: Report) -> str:
    """Describe the findings that are not listed, and how to list them."""
    missing = report.unlisted
    codes = ", ".join(f"{count} {code}" for code, count in missing.items())
    total = sum(report.counts.values())
    how = f"--limit findings={total} or Limits(findings={total})"
    return f"{sum(missing.values())} more are not listed ({codes}); {how} lists more"


def _printable(text: str) -> str:
    """Escape characters that could control a terminal or hide text."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
