"""Comparison of two documents by their meaning."""

from __future__ import annotations

from ligament.arguments import checked
from ligament.author.diff.changes import Change, Differences, Tolerance
from ligament.author.diff.contents import content_changes
from ligament.author.diff.matching import Matches, Side
from ligament.author.diff.physics import PhysicsChanges
from ligament.author.diff.rig import animation_changes, constraint_changes, humanoid_changes
from ligament.author.diff.scene_graph import node_changes, scene_changes
from ligament.gltf.load import AnyDocument, as_document
from ligament.options.names import DIFFERENCE


@checked
def diff(a: AnyDocument, b: AnyDocument, *, tolerance: float = DIFFERENCE) -> Differences:
    """Compare the meaning of two documents, not how they are written.

    The container, the order of nodes and of everything else, the dialect of the physics, and how
    numbers are stored do not count. Numbers that differ by less than `tolerance`, relative to
    their size above 1, are equal. Raises LigamentError where a document cannot be understood.

    >>> for change in diff(lg.load("door.glb"), lg.load("door2.glb")):
    ...     print(change)
    changed body Frame/Door: mass [kg] 25 → 30
    """
    close = Tolerance(tolerance)
    matches = Matches(Side(as_document(a)), Side(as_document(b)))
    physics = PhysicsChanges(matches, close)
    physics_changes = physics.changes()
    changes: list[Change] = [
        *scene_changes(matches),
        *node_changes(matches, close, physics.carriers()),
        *physics_changes,
        *constraint_changes(matches, close),
        *humanoid_changes(matches),
        *animation_changes(matches, close),
        *content_changes(matches, close),
    ]
    return Differences(tuple(changes))
