"""Running all rules over a document."""

from __future__ import annotations

from ligament.check.codes import CODES
from ligament.check.report import Issue, Report
from ligament.gltf.document import Document
from ligament.rig import constraint_problems

RULES = (constraint_problems,)


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
                CODES[finding.code].severity,
                finding.pointer,
                f"{finding.message}; {finding.remedy}",
            )
            for rule in RULES
            for finding in rule(document)
        ]
    )
