"""Running all rules over a document."""

from __future__ import annotations

from ligament.check.report import Issue, Report
from ligament.gltf.document import Document
from ligament.rig import constraint_problems, humanoid_problems, tpose_problems

RULES = (constraint_problems, humanoid_problems, tpose_problems)


def check(document: Document) -> Report:
    """Return everything that is wrong or odd in a document.

    >>> report = check(load("avatar.vrm"))
    >>> report.ok
    True
    """
    return Report(
        [
            Issue(
                finding.code,
                finding.severity,
                finding.pointer,
                f"{finding.message}; {finding.remedy}",
            )
            for rule in RULES
            for finding in rule(document)
        ]
    )
