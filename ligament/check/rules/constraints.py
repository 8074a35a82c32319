"""Node constraints: the rules stand beside the solver."""

from __future__ import annotations

from collections.abc import Iterator

from ligament.check.subject import Subject
from ligament.extensions.vrmc_node_constraint import NAME
from ligament.findings import Finding
from ligament.rig import constraint_problems


def constraint_rules(subject: Subject) -> Iterator[Finding]:
    """Yield everything wrong with node constraints."""
    if NAME in subject.carriers:
        yield from constraint_problems(subject.document)
