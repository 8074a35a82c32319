"""Rules about bodies and triggers: mass, inertia, colliders, members of compounds."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from ligament.arrays import Bools
from ligament.checker.subject import Places, Subject
from ligament.checker.world import Bodies, World
from ligament.errors import LigamentError
from ligament.extensions.registry import OMI_COLLIDER, OMI_PHYSICS_BODY
from ligament.extensions.rigid_bodies import Collider, MotionKind, Trigger
from ligament.findings import Finding, finding, scenes
from ligament.gltf import pointers
from ligament.gltf.references import read_index
from ligament.gltf.tree import Branches
from ligament.physics.mass import DEFAULT_MASS, Solid, combined, solid
from ligament.physics.shapes import Mesh, scaled

ROUNDING = 1e-3
"""Relative excess of a moment over the sum of the others that rounding in files explains."""

OFF_CENTRE = 1e-3
"""Distance [m] of a computed centre from its node that rounding in meshes explains."""


def body_rules(subject: Subject) -> Iterator[Finding]:
    """Yield bodies that are physically impossible or have no colliders."""
    yield from _impossible(subject.bodies)
    if isinstance(subject.world_or_fault, LigamentError):
        message, remedy = subject.world_or_fault.message, "use smaller scales and offsets"
        yield finding("PHYSICS_TRANSFORM_NOT_FINITE", "/nodes", message, remedy)
    if subject.world is not None:
        yield from _without_mass(subject.world)
        yield from _with_unused_velocity(subject.world)
        yield from _without_collider(subject.world)
        yield from _dynamic_meshes(subject.world)
        yield from _off_centre(subject.world)
        yield from _distant_colliders(subject, subject.world)


def _impossible(bodies: Bodies) -> Iterator[Finding]:
    """Find impossible principal moments; infinite ones are intentional."""
    small, middle, large = np.sort(bodies.inertia, axis=1).T
    with np.errstate(over="ignore"):
        possible = np.isinf(large) | (large <= (small + middle) * (1 + ROUNDING))
    for index in np.flatnonzero(~possible).tolist():
        x, y, z = bodies.inertia[index].tolist()
        message = f"no body has the principal moments {x:g}, {y:g}, {z:g}"
        remedy = "each is at most the sum of the other two"
        pointer = bodies.motions[index].pointer
        yield finding("PHYSICS_INERTIA_IMPOSSIBLE", pointer, message, remedy)


def _without_mass(world: World) -> Iterator[Finding]:
    """Find bodies without mass or volume, unless something else is wrong with them."""
    bodies, wrong = world.bodies, Places(finding.pointer for finding in world.physics.findings)
    empty = ~(world.volume[bodies.nodes] > 0)
    for index in np.flatnonzero(_is_unknown(bodies) & empty).tolist():
        motion = bodies.motions[index]
        if not wrong.at_or_below(motion.pointer):
            label = world.tree.label(motion.node)
            yield scenes.mass_unknown(motion.pointer, label, DEFAULT_MASS)


def _with_unused_velocity(world: World) -> Iterator[Finding]:
    """Find bodies with a velocity that are moved by an animation."""
    for motion in world.with_unused_velocity():
        yield scenes.velocity_unused(motion.pointer, world.tree.label(motion.node))


def _without_collider(world: World) -> Iterator[Finding]:
    """Find bodies without colliders; OMI has its own rules."""
    bodies, touching = world.bodies, np.zeros(len(world.tree) + 1, bool)  # the last: no owner
    touching[world.owner[[*world.physics.colliders]]] = True
    for index in np.flatnonzero(~touching[bodies.nodes] & ~_is_unknown(bodies)).tolist():
        motion = bodies.motions[index]
        if f"/extensions/{OMI_PHYSICS_BODY}" not in motion.pointer:
            message = f"{world.tree.label(motion.node)} has no collider at or below it"
            remedy = "add one, unless nothing should touch it"
            yield finding("PHYSICS_BODY_WITHOUT_COLLIDER", motion.pointer, message, remedy)


def _is_unknown(bodies: Bodies) -> Bools:
    """Return which bodies (M,) derive a relevant mass from their shapes."""
    return bodies.is_dynamic & np.isnan(bodies.mass)


def _dynamic_meshes(world: World) -> Iterator[Finding]:
    for group in world.shapes.groups:
        if isinstance(group.shape, Mesh):
            for collider in world.shapes.colliders_of(group):
                if world.dynamic[collider.node]:
                    label = world.tree.label(collider.node)
                    message = f"{label} is a mesh, which has no volume, on a dynamic body"
                    remedy = "use its convex hull, or several convex shapes"
                    yield finding("PHYSICS_MESH_DYNAMIC", collider.pointer, message, remedy)


def _off_centre(world: World) -> Iterator[Finding]:
    """Find kinematic bodies that rotate about a computed centre away from their nodes."""
    turning = {
        motion.node: motion
        for motion in world.bodies.motions
        if motion.kind is MotionKind.KINEMATIC
        and motion.center_of_mass is None
        and any(motion.angular_velocity)
        and not world.driven[motion.node]
    }
    for node, solids in _solids(world, turning).items():
        centre = combined(solids).center
        axis = np.array(turning[node].angular_velocity)
        # A centre on the axis of rotation through the node makes no difference.
        away = float(np.linalg.norm(np.cross(axis, centre)) / np.linalg.norm(axis))
        if away > OFF_CENTRE:
            label = world.tree.label(node)
            message = (
                f"{label} rotates about the centre of its colliders, {away:.3g} m from its node"
            )
            remedy = "write centerOfMass [0, 0, 0] if it should rotate about the node"
            yield finding("PHYSICS_KINEMATIC_CENTER", turning[node].pointer, message, remedy)


def _solids(world: World, chosen: Collection[int]) -> dict[int, list[Solid]]:
    """Return the solids of the colliders of some bodies, in the bodies' frames."""
    solids: dict[int, list[Solid]] = {}
    if not chosen:
        return solids
    local = world.placement.local(world.owner)
    for group in world.shapes.groups:
        for item, stretch in zip(group.items.tolist(), group.stretch, strict=True):
            node = world.shapes.items[item].node
            owner = int(world.owner[node])
            is_solid = item < world.shapes.collider_count and world.shapes.usable[item]
            if owner in chosen and is_solid and (shape := scaled(group.shape, stretch)) is not None:
                pose = local.of(node)
                placed = solid(shape).placed(pose.translation, pose.rotation)
                solids.setdefault(owner, []).append(placed)
    return solids


def _distant_colliders(subject: Subject, world: World) -> Iterator[Finding]:
    """Find OMI_collider colliders below a body that are not its children."""
    if OMI_COLLIDER not in subject.carriers:
        return
    items: list[Collider | Trigger] = [*world.physics.colliders.values()]
    for item in (*items, *world.physics.triggers.values()):
        if not item.pointer.endswith(f"/extensions/{OMI_COLLIDER}"):
            continue
        owner, parent = int(world.owner[item.node]), int(world.tree.parents[item.node])
        if owner >= 0 and owner not in (item.node, parent):
            message = f"it is not a child of its body, {world.tree.label(owner)}"
            remedy = "make it one: some readers look at direct children only"
            yield finding("OMI_COLLIDER_NOT_A_CHILD", item.pointer, message, remedy)


def trigger_rules(subject: Subject) -> Iterator[Finding]:
    """Yield members of compound triggers that should not be members."""
    world = subject.world
    compounds = [t for t in subject.physics.triggers.values() if t.nodes and not _is_omi(t)]
    if world is None or not compounds:
        return
    branches = Branches(world.tree)
    said = {finding.pointer for finding in subject.physics.findings}
    for trigger in compounds:
        places = _places(subject, trigger)
        for member in trigger.nodes:
            pointer, label = places[member], world.tree.label(member)
            if member not in subject.physics.triggers:
                yield scenes.not_a_trigger(pointer, label)
            elif not branches.is_below(member, trigger.node) and pointer not in said:
                message, remedy = f"{label} is not below the trigger", "name descendants of it"
                yield finding("PHYSICS_TRIGGER_NOT_BELOW", pointer, message, remedy)


def _is_omi(trigger: Trigger) -> bool:
    """Tell whether the reader already checked the members, which need not be listed there."""
    return f"/extensions/{OMI_PHYSICS_BODY}" in trigger.pointer


def _places(subject: Subject, trigger: Trigger) -> dict[int, str]:
    """Return the pointer at which the file lists each member."""
    listed = pointers.find(subject.json, f"{trigger.pointer}/nodes")
    found = {read_index(raw): place for place, raw in reversed([*enumerate(listed)])}
    return {n: f"{trigger.pointer}/nodes/{place}" for n, place in found.items() if n is not None}
