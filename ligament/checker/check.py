"""The checker: runs all rules over a document and collects their findings.

A hostile file can have a finding for every two of its bytes, and each takes hundreds of bytes:
every place is reported once, all findings are counted, and a limited number is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from ligament.arguments import checked
from ligament.checker.report import Issue, Report
from ligament.checker.rules.animations import animation_rules
from ligament.checker.rules.avatars import (
    constraint_rules,
    humanoid_rules,
    motion_rules,
    spring_rules,
)
from ligament.checker.rules.bodies import body_rules, trigger_rules
from ligament.checker.rules.extensions import extension_rules, index_rules, object_rules
from ligament.checker.rules.frames import frame_rules
from ligament.checker.rules.joints import joint_rules
from ligament.checker.rules.limits import limit_rules
from ligament.checker.rules.materials import material_rules
from ligament.checker.rules.members import (
    member_rules,
    number_rules,
    overflow_rules,
    unplayed_rules,
)
from ligament.checker.rules.nodes import node_rules
from ligament.checker.rules.penetration import penetration_rules
from ligament.checker.rules.portability import portability_rules
from ligament.checker.rules.schemas import schema_rules
from ligament.checker.rules.shapes import shape_rules
from ligament.checker.subject import Places, Subject
from ligament.errors import shortened
from ligament.findings import CODES, SEVERITIES, Finding, Severity
from ligament.gltf.document import Document
from ligament.gltf.jsontext import collector_paused
from ligament.gltf.load import AnyDocument, as_document

MIN_REMEMBERED_PLACES = 1_000_000
"""Fewest places that are remembered, so that none is reported or counted twice."""

CODES_OF_PLACES = frozenset(
    {
        "NODE_CONSTRAINT_NOT_USED",
        "UNDECLARED_EXTENSION",
        "UNEXPECTED_EXTENSION_OBJECT",
        "VRMA_BESIDE_VRM",
    }
)
"""Codes that say nothing about the content of the place that they name."""


Rule = Callable[[Subject], Iterator[Finding]]

RULES: tuple[Rule, ...] = (
    node_rules,
    extension_rules,
    animation_rules,
    constraint_rules,
    spring_rules,
    humanoid_rules,
    motion_rules,
    member_rules,
    unplayed_rules,
    number_rules,
    shape_rules,
    body_rules,
    trigger_rules,
    joint_rules,
    frame_rules,
    limit_rules,
    material_rules,
    penetration_rules,
    portability_rules,
)
"""Rules in order: where two find the same code in the same place, the first one's counts."""

GENERAL: tuple[Rule, ...] = (overflow_rules, index_rules, schema_rules, object_rules)
"""Rules with less context: they stay silent where others reported something."""


@checked
def check(document: AnyDocument) -> Report:
    """Return everything wrong or suspicious in a document, or in the file at a path.

    Beyond `document.limits.findings`, only the worst findings are listed; all are counted.

    >>> report = check(load("avatar.vrm"))
    >>> report.ok
    True
    """
    with collector_paused():
        found = _gather(as_document(document))
        return Report([_issue(finding) for finding in found.findings()], unlisted=found.unlisted)


def _gather(document: Document) -> Gathering:
    subject, found = Subject(document), Gathering(document.limits.findings)
    for rule in RULES:
        found.add(rule(subject))
    for rule in GENERAL:
        found.add_unless_reported(rule(subject))
    return found


def _issue(finding: Finding) -> Issue:
    message = shortened(f"{finding.message}; {finding.remedy}")
    return Issue(finding.code, finding.severity, finding.pointer, message)


class Gathering:
    """Keeps the `most` worst findings, and counts the others."""

    def __init__(self, most: float) -> None:
        self.unlisted: Counter[tuple[str, Severity]] = Counter()
        self._kept: dict[Severity, list[Finding]] = {severity: [] for severity in SEVERITIES}
        self._room = most
        self._codes: set[str] = set()
        self._known: set[int] = set()
        self._reported: list[str] = []
        self._most_known = max(most, MIN_REMEMBERED_PLACES)

    def add(self, findings: Iterable[Finding]) -> None:
        """Add the findings of a rule, skipping repeated codes in the same place."""
        for finding in findings:
            key = hash((finding.code, finding.pointer))  # far smaller than the objects themselves
            if key in self._known:
                continue
            if len(self._known) < self._most_known:
                self._known.add(key)
                if _is_about_content(finding.code):
                    array = finding.pointer.rpartition("/")[0]
                    self._reported.append(array if finding.times > 1 else finding.pointer)
            self._keep(finding)

    def add_unless_reported(self, findings: Iterable[Finding]) -> None:
        """Add the findings of a rule where no earlier finding covers them."""
        adjoin: Callable[[str], bool] | None = None
        reported = partial(Places, [*self._reported])
        for finding in findings:
            adjoin = adjoin or reported().adjoin
            if not adjoin(finding.pointer):
                self.add((finding,))

    def findings(self) -> list[Finding]:
        """List the kept findings, from worst to mildest."""
        return [finding for severity in SEVERITIES for finding in self._kept[severity]]

    def _keep(self, finding: Finding) -> None:
        if self._room < 1 and not self._make_room(finding):
            self._count(finding, finding.times)
            return
        self._kept[finding.severity].append(finding)
        self._room -= 1
        self._codes.add(finding.code)
        if finding.times > 1:
            self._count(finding, finding.times - 1)

    def _make_room(self, finding: Finding) -> bool:
        """Drop a milder finding, or an equally severe one if this code is new."""
        is_first = finding.code not in self._codes
        severities = SEVERITIES[SEVERITIES.index(finding.severity) + (not is_first) :]
        mildest = next((name for name in reversed(severities) if self._kept[name]), None)
        if mildest is not None:
            self._count(self._kept[mildest].pop(), 1)
            self._room += 1
        return mildest is not None

    def _count(self, finding: Finding, times: int) -> None:
        self.unlisted[finding.code, finding.severity] += times


def _is_about_content(code: str) -> bool:
    """Tell whether a code means that content is wrong, not suspicious or misplaced."""
    return CODES[code].severity in ("error", "warning") and code not in CODES_OF_PLACES
