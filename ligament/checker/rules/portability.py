"""Rules about content that other programs read differently, or not at all."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ligament.checker.subject import Subject
from ligament.checker.world import Joints, World
from ligament.extensions.registry import Dialect
from ligament.extensions.rigid_bodies import Limit, NodeGeometry, Physics
from ligament.extensions.shapes import COLLISION, CORE, IMPLICIT, MeshGeometry
from ligament.findings import Finding, finding
from ligament.gltf import pointers
from ligament.gltf.mesh import DRACO
from ligament.gltf.tree import below
from ligament.physics.shapes import Hull, Mesh

NEWEST = (Dialect.KHR, Dialect.OMI)
MASK_BITS = 32
MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")


def portability_rules(subject: Subject) -> Iterator[Finding]:
    """Yield hints about content that other programs lose."""
    physics = subject.physics
    for dialect in physics.dialects:
        if dialect not in NEWEST and not (dialect is Dialect.KHR_2024_10 and _is_newest(physics)):
            message = f"the file is written in {dialect}, which newer programs do not read"
            newest = "omi" if dialect is Dialect.OMI_2023 else "khr"
            yield finding("PORTABILITY_OLD_DIALECT", "", message, f"convert it to {newest}")
    yield from _limits(subject)
    yield from _systems(subject)
    for trigger in physics.triggers.values():
        if trigger.nodes:
            message, remedy = (
                "a compound of several triggers",
                "some programs support single triggers only",
            )
            yield finding("PORTABILITY_COMPOUND_TRIGGER", trigger.pointer, message, remedy)
    yield from _meshes(subject)
    if subject.world is not None:
        yield from _bodies(subject.world)
        yield from _world_joints(subject.world, subject.joints)
        yield from _mirrored(subject.world, subject.joints)


def _is_newest(physics: Physics) -> bool:
    """Tell whether a file means the same in October 2024 and now: no geometry from nodes."""
    shaped = [c.geometry for c in physics.colliders.values()]
    shaped += [t.geometry for t in physics.triggers.values()]
    return not any(isinstance(geometry, NodeGeometry) for geometry in shaped)


def _limits(subject: Subject) -> Iterator[Finding]:
    tuples = {id(joint.limits): joint.limits for joint in subject.physics.joints.values()}
    limits = {limit.pointer: limit for group in tuples.values() for limit in group}
    for pointer, limit in limits.items():
        code = _kind(limit)
        if code is not None:
            message = f"it is from {limit.minimum:g} to {limit.maximum:g}"
            remedy = "some programs limit each axis separately"
            if code == "PORTABILITY_SOFT_DISTANCE":
                message, remedy = "it has a spring on three axes", "some programs ignore it"
            yield finding(code, pointer, message, remedy)
        raw = pointers.find(subject.json, pointer)
        if isinstance(raw, dict) and ("min" in raw) != ("max" in raw) and _is_signed(limit):
            bound = "max" if "min" in raw else "min"
            message, remedy = f"there is no {bound}", "some programs read it as 0: write both"
            yield finding("PORTABILITY_OPEN_LIMIT", pointer, message, remedy)


def _is_signed(limit: Limit) -> bool:
    return len(limit.linear_axes) + len(limit.angular_axes) == 1


def _kind(limit: Limit) -> str | None:
    """Return the kind of limit that others get wrong, if any; a lock is the same on all axes."""
    if len(limit.linear_axes) == 3 and math.isfinite(limit.stiffness):
        return "PORTABILITY_SOFT_DISTANCE"
    if limit.maximum <= 0:
        return None
    if len(limit.linear_axes) == 2:
        return "PORTABILITY_RADIAL_LIMIT"
    return "PORTABILITY_CONE_LIMIT" if len(limit.angular_axes) == 2 else None


def _systems(subject: Subject) -> Iterator[Finding]:
    filters = {id(item.filter): item.filter for item in subject.physics.colliders.values()}
    filters |= {id(item.filter): item.filter for item in subject.physics.triggers.values()}
    systems = {name for each in filters.values() if each is not None for name in each.systems}
    if len(systems) > MASK_BITS:
        message = f"there are {len(systems)} collision systems"
        remedy = f"programs with bit masks support {MASK_BITS}"
        yield finding("PORTABILITY_MANY_SYSTEMS", "", message, remedy)


def _meshes(subject: Subject) -> Iterator[Finding]:
    """Find compressed collider meshes, and files whose colliders are all meshes."""
    solid = subject.physics.colliders.values()
    sources = {c.geometry.mesh for c in solid if isinstance(c.geometry, MeshGeometry)}
    for mesh in sorted(sources):
        if _is_compressed(subject, mesh):
            message, remedy = "a collision mesh is compressed", "store it uncompressed"
            yield finding("PORTABILITY_COMPRESSED_MESH", f"/meshes/{mesh}", message, remedy)
    is_new = {Dialect.KHR, Dialect.KHR_2024_10} & set(subject.physics.dialects)
    arrays = (IMPLICIT, CORE, COLLISION)
    if is_new and solid and all(pointers.find(subject.json, array) is None for array in arrays):
        first = next(iter(solid))
        message, remedy = "the file has colliders, but no array of shapes", "add one"
        yield finding("PORTABILITY_MESHES_ONLY", first.pointer, message, remedy)


def _is_compressed(subject: Subject, mesh: int) -> bool:
    for primitive in _list(pointers.find(subject.json, f"/meshes/{mesh}/primitives")):
        if pointers.find(primitive, f"/extensions/{DRACO}") is not None:
            return True
        accessor = pointers.find(primitive, "/attributes/POSITION")
        view = pointers.find(subject.json, f"/accessors/{accessor}/bufferView")
        extensions = pointers.find(subject.json, f"/bufferViews/{view}/extensions")
        if isinstance(extensions, dict) and any(name in extensions for name in MESHOPT):
            return True
    return False


def _list(raw: object) -> list[object]:
    return raw if isinstance(raw, list) else []


def _bodies(world: World) -> Iterator[Finding]:
    bodies, turned = world.bodies, np.abs(world.placement.rotation[:, :3]).max(axis=1, initial=0)
    parents = world.tree.parents[bodies.nodes]
    above = np.where(parents < 0, -1, world.owner[parents])
    endless = np.isinf(bodies.mass) | np.isinf(bodies.inertia).any(axis=1)
    moving = (turned[bodies.nodes] > 1e-3) & bodies.velocity.any(axis=1)
    animated = world.driven[bodies.nodes] & bodies.is_dynamic
    for index in np.flatnonzero((above >= 0) | endless | moving | animated).tolist():
        pointer = bodies.motions[index].pointer
        if above[index] >= 0:
            label = world.tree.label(int(above[index]))
            message, remedy = f"it is below {label}", "make the two siblings"
            yield finding("PORTABILITY_NESTED_BODY", pointer, message, remedy)
        if endless[index]:
            message, remedy = (
                "0 means infinite, which some programs refuse",
                "use isKinematic instead",
            )
            yield finding("PORTABILITY_INFINITE_MASS", pointer, message, remedy)
        if moving[index]:
            message = "its velocity is in the local space of a rotated node"
            remedy = "some programs read it in world space"
            yield finding("PORTABILITY_TURNED_VELOCITY", pointer, message, remedy)
        if animated[index]:
            message, remedy = (
                "an animation moves it",
                "make it kinematic: some programs simulate it otherwise",
            )
            yield finding("PORTABILITY_ANIMATED_BODY", pointer, message, remedy)


def _mirrored(world: World, joints: Joints) -> Iterator[Finding]:
    negative = np.flatnonzero((world.placement.local_scale < 0).any(axis=1))
    if not len(negative):
        return
    mirrored = np.append(below(world.tree, negative.tolist()), False)
    for group in world.shapes.groups:
        if not isinstance(group.shape, Hull | Mesh):  # their mirror image is another shape
            items = group.items[mirrored[world.shapes.nodes[group.items]]]
            for pointer in (world.shapes.items[item].pointer for item in items.tolist()):
                message, remedy = "its scale is negative", "some programs turn it inside out"
                yield finding("PORTABILITY_MIRRORED_SHAPE", pointer, message, remedy)
    parents = world.tree.parents
    for pointer in (
        *(m.pointer for m in world.bodies.motions if mirrored[parents[m.node]]),
        *(j.pointer for j in joints.joints if mirrored[parents[[j.frame_a, j.frame_b]]].any()),
    ):
        message, remedy = "it is below a negative scale", "some programs read its axes otherwise"
        yield finding("PORTABILITY_MIRRORED_FRAME", pointer, message, remedy)


def _world_joints(world: World, joints: Joints) -> Iterator[Finding]:
    a, b = world.owner[joints.body_a], world.owner[joints.body_b]
    for index in np.flatnonzero((a < 0) != (b < 0)).tolist():
        message, remedy = "one end belongs to no body", "some programs drop such joints"
        yield finding("PORTABILITY_WORLD_JOINT", joints.joints[index].pointer, message, remedy)
