"""Running all rules over a document."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ligament.check.gathering import Gathering
from ligament.check.report import Issue, Report
from ligament.check.rules.animations import animation_rules
from ligament.check.rules.bodies import body_rules
from ligament.check.rules.constraints import constraint_rules
from ligament.check.rules.extensions import extension_rules
from ligament.check.rules.humanoids import humanoid_rules
from ligament.check.rules.indices import index_rules
from ligament.check.rules.joints import joint_rules
from ligament.check.rules.limits import limit_rules
from ligament.check.rules.nodes import node_rules
from ligament.check.rules.numbers import number_rules
from ligament.check.rules.penetration import penetration_rules
from ligament.check.rules.portability import portability_rules
from ligament.check.rules.schemas import schema_rules
from ligament.check.rules.shapes import shape_rules
from ligament.check.rules.structure import structure_rules
from ligament.check.rules.surfaces import surface_rules
from ligament.check.rules.triggers import trigger_rules
from ligament.check.subject import Subject
from ligament.findings import Finding
from ligament.gltf.document import Document
from ligament.gltf.gc_pause import collector_paused

Rule = Callable[[Subject], Iterator[Finding]]

RULES: tuple[Rule, ...] = (
    node_rules,
    extension_rules,
    animation_rules,
    constraint_rules,
    humanoid_rules,
    structure_rules,
    number_rules,
    shape_rules,
    body_rules,
    trigger_rules,
    joint_rules,
    limit_rules,
    surface_rules,
    penetration_rules,
    portability_rules,
)
"""What is found in one place by two of them with the same code is told once, as by the first."""

GENERAL: tuple[Rule, ...] = (index_rules, schema_rules)
"""Rules that know less about what they see: they are silent where others spoke."""


def check(document: Document) -> Report:
    """Return everything that is wrong or odd in a document.

    Of more findings than `document.limits.findings` the worst are listed, and all are counted.

    >>> report = check(load("avatar.vrm"))
    >>> report.ok
    True
    """
    with collector_paused():
        found = _gather(document)
        return Report([_issue(finding) for finding in found.findings()], unlisted=found.unlisted)


def _gather(document: Document) -> Gathering:
    subject, found = Subject(document), Gathering(document.limits.findings)
    for rule in RULES:
        found.add(rule(subject))
    for rule in GENERAL:
        found.add_unless_told(rule(subject))
    return found


def _issue(finding: Finding) -> Issue:
    message = f"{finding.message}; {finding.remedy}"
    return Issue(finding.code, finding.severity, finding.pointer, message)
