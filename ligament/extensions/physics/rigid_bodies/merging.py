"""Puts what several dialects of one file declare together."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from ligament.extensions.declarations import Collider, Dialect, Joint, Motion, Physics, Trigger
from ligament.findings import Finding, finding


def merged(parts: Iterable[Physics]) -> Physics:
    """Join declarations, of which the first to speak of a node counts for all of that node.

    What two parts found alike is named once: they may share an array of shapes.
    """
    whole = Physics()
    findings: dict[Finding, None] = {}
    dialects: dict[Dialect, None] = {}
    for part in parts:
        taken = _nodes(whole) if part else set()
        findings |= dict.fromkeys(part.findings)
        findings |= dict.fromkeys(_conflicts(part, taken))
        dialects |= dict.fromkeys(part.dialects)
        for name in ("motions", "colliders", "triggers", "joints"):
            items = getattr(part, name)
            free = {k: v for k, v in items.items() if k not in taken} if taken else items
            getattr(whole, name).update(free)
    return dataclasses.replace(whole, dialects=tuple(dialects), findings=tuple(findings))


def _nodes(physics: Physics) -> set[int]:
    return {*physics.motions, *physics.colliders, *physics.triggers, *physics.joints}


def _conflicts(part: Physics, taken: set[int]) -> list[Finding]:
    """Find the nodes that were spoken of before, each once."""
    if not taken:
        return []
    declared: dict[int, Motion | Collider | Trigger | Joint] = {
        **part.joints,
        **part.triggers,
        **part.colliders,
        **part.motions,
    }
    message = "the node has physics of another dialect too, so this is ignored"
    return [
        finding("PHYSICS_DIALECT_CONFLICT", declared[node].pointer, message, "remove one of them")
        for node in sorted(taken.intersection(declared))
    ]
