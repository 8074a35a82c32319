"""Bodies: mass, inertia, and whether there is anything to touch."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ligament.check.codes import finding
from ligament.check.places import Places
from ligament.check.subject import Subject
from ligament.check.world import World
from ligament.errors import LigamentError
from ligament.extensions import omi_physics_body
from ligament.extensions.declarations import MotionKind, Vector
from ligament.findings import Finding
from ligament.physics.mass import DEFAULT_MASS
from ligament.physics.shapes import Mesh

ROUNDING = 1e-3
"""How far a moment may be above the sum of the others, of that sum: digits that files cut off."""


def body_rules(subject: Subject) -> Iterator[Finding]:
    """Yield bodies that cannot be, or that have nothing to touch things with."""
    for motion in subject.physics.motions.values():
        if motion.inertia_diagonal is not None and not is_possible(motion.inertia_diagonal):
            x, y, z = motion.inertia_diagonal
            message = f"no body has the principal moments {x:g}, {y:g}, {z:g}"
            remedy = "each is at most the sum of the other two"
            yield finding("PHYSICS_INERTIA_IMPOSSIBLE", motion.pointer, message, remedy)
    if isinstance(subject.world_or_fault, LigamentError):
        message, remedy = subject.world_or_fault.message, "use smaller scales and offsets"
        yield finding("PHYSICS_TRANSFORM_NOT_FINITE", "/nodes", message, remedy)
    if subject.world is not None:
        yield from _without_mass(subject.world)
        yield from _without_collider(subject.world)
        yield from _dynamic_meshes(subject.world)


def is_possible(inertia: Vector) -> bool:
    """Tell whether a body can have these principal moments; endless ones are a wish, not a body."""
    small, middle, large = sorted(inertia)
    return math.isinf(large) or large <= (small + middle) * (1 + ROUNDING)


def _without_mass(world: World) -> Iterator[Finding]:
    """Find bodies without mass or volume, but not those of which something else is wrong."""
    wrong = Places(finding.pointer for finding in world.physics.findings)
    for node, motion in world.physics.motions.items():
        if motion.mass is not None or motion.kind is not MotionKind.DYNAMIC:
            continue
        if not world.volume[node] > 0 and not wrong.at_or_below(motion.pointer):
            message = f"{world.tree.label(node)} has no mass and no shape to compute it from"
            remedy = f"give it a mass; {DEFAULT_MASS:g} kg is used"
            yield finding("PHYSICS_MASS_UNKNOWN", motion.pointer, message, remedy)


def _without_collider(world: World) -> Iterator[Finding]:
    """Find bodies that touch nothing; the rules of OMI speak of theirs."""
    touching = set(world.owner[[*world.physics.colliders]].tolist())
    for node, motion in world.physics.motions.items():
        if node in touching:
            continue
        is_unknown = motion.kind is MotionKind.DYNAMIC and motion.mass is None
        is_omi = f"/extensions/{omi_physics_body.NAME}" in motion.pointer
        if not is_unknown and not is_omi:
            message = f"{world.tree.label(node)} has no collider at or below it"
            remedy = "give it one, unless it is to touch nothing"
            yield finding("PHYSICS_BODY_WITHOUT_COLLIDER", motion.pointer, message, remedy)


def _dynamic_meshes(world: World) -> Iterator[Finding]:
    for group in world.shapes.groups:
        if isinstance(group.shape, Mesh):
            for collider in world.shapes.colliders_of(group):
                if world.dynamic[collider.node]:
                    label = world.tree.label(collider.node)
                    message = f"{label} is a mesh without an inside on a body that moves"
                    remedy = "use its convex hull, or several convex shapes"
                    yield finding("PHYSICS_MESH_DYNAMIC", collider.pointer, message, remedy)
