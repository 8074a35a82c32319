"""The members of every dialect of physics, as its reader sees them."""

from __future__ import annotations

from collections.abc import Iterator

from ligament.check.subject import Subject
from ligament.extensions.declarations import Collider, Trigger
from ligament.extensions.registry import OMI_COLLIDER
from ligament.findings import Finding, finding


def structure_rules(subject: Subject) -> Iterator[Finding]:
    """Yield what the readers of physics found; they understand all dialects."""
    yield from subject.physics.findings
    yield from _distant_colliders(subject)


def _distant_colliders(subject: Subject) -> Iterator[Finding]:
    """Find colliders of OMI_collider that are below a body, but not its children."""
    world = subject.world
    if world is None or OMI_COLLIDER not in subject.carriers:
        return
    items: list[Collider | Trigger] = [*world.physics.colliders.values()]
    for item in (*items, *world.physics.triggers.values()):
        if not item.pointer.endswith(f"/extensions/{OMI_COLLIDER}"):
            continue
        owner, parent = int(world.owner[item.node]), int(world.tree.parents[item.node])
        if owner >= 0 and owner not in (item.node, parent):
            message = f"it is not a child of its body, {world.tree.label(owner)}"
            remedy = "make it one: readers look no further"
            yield finding("OMI_COLLIDER_NOT_A_CHILD", item.pointer, message, remedy)
