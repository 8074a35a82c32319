"""What a check found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ligament.findings import SEVERITIES, Severity


class Issue(NamedTuple):
    """One finding: its code, how bad it is, the JSON pointer of the place, what and what to do."""

    code: str
    severity: Severity
    pointer: str
    message: str


class Report:
    """All findings of one document, in the order of severity and place."""

    def __init__(self, issues: list[Issue]) -> None:
        self.issues = sorted(issues, key=lambda issue: SEVERITIES.index(issue.severity))

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

    def without(self, codes: set[str]) -> Report:
        """Return the report less the findings with these codes."""
        return Report([issue for issue in self.issues if issue.code not in codes])
