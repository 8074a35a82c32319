"""KHR_physics_rigid_bodies: January 2026, October 2024 and March 2024.

They differ in how a collider names its geometry: `geometry.mesh`, `geometry.node`, or a shape of
type convex or trimesh.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from msgspec import structs

from ligament.convert.dialects.bodies import declare_inertia_of_planes, report_roles
from ligament.convert.dialects.draft import Draft
from ligament.convert.dialects.geometry import Meshes, replace_planes
from ligament.convert.dialects.joints import add_frame_nodes
from ligament.convert.dialects.statics import free_statics
from ligament.convert.dialects.writer import Writer, present
from ligament.extensions.registry import (
    BODIES,
    KHR_COLLISION_SHAPES,
    KHR_IMPLICIT_SHAPES,
    SHAPES,
    Dialect,
)
from ligament.extensions.registry import KHR_PHYSICS_RIGID_BODIES as NAME
from ligament.extensions.rigid_bodies import (
    Collider,
    GeometrySource,
    Motion,
    MotionKind,
    NodeGeometry,
    Trigger,
)
from ligament.extensions.shapes import ImplicitShape, MeshGeometry

_SHAPE_NAMES = {
    Dialect.KHR: KHR_IMPLICIT_SHAPES,
    Dialect.KHR_2024_10: KHR_IMPLICIT_SHAPES,
    Dialect.KHR_2024_03: KHR_COLLISION_SHAPES,
}


def write_khr(draft: Draft, revision: Dialect) -> None:
    """Write a draft in one of the revisions."""
    reframed = free_statics(draft)
    report_roles(draft)
    add_frame_nodes(draft, reframed)
    _report_swings(draft)
    _settle_geometry(draft, revision)
    _settle_triggers(draft)
    _Writer(draft, revision).write()


def _report_swings(draft: Draft) -> None:
    """Report limits of OMI that leave rotation about one axis free, which KHR cannot express."""
    for joint in draft.joints.values():
        for limit in joint.limits:
            if limit.free_axis is not None:
                reason = "a limit about one axis measures the twist about it"
                effect = f"rotation about axis {limit.free_axis} is no longer free"
                draft.lose(limit.pointer, "the swing of a free axis", reason, effect)


def _settle_geometry(draft: Draft, revision: Dialect) -> None:
    """Convert all geometry to kinds that the revision has; remove colliders without any."""
    meshes = Meshes(draft)
    if revision is Dialect.KHR_2024_03:
        declare_inertia_of_planes(draft)
        replace_planes(draft, meshes)
    resolve = meshes.of_node if revision is Dialect.KHR_2024_10 else meshes.plain
    for node, collider in list(draft.colliders.items()):
        geometry = collider.geometry and resolve(collider.geometry, node, collider.pointer)
        draft.colliders[node] = structs.replace(collider, geometry=geometry)
    for node, trigger in list(draft.triggers.items()):
        geometry = trigger.geometry and resolve(trigger.geometry, node, trigger.pointer)
        draft.triggers[node] = structs.replace(trigger, geometry=geometry)
    _drop_shapeless(draft)


def _drop_shapeless(draft: Draft) -> None:
    """Remove colliders without a shape, which in OMI are compounds of those below them."""
    owner = draft.nearest(draft.motions)
    for node, collider in list(draft.colliders.items()):
        if collider.geometry is None:
            del draft.colliders[node]
            if owner[node] < 0 and "OMI" in collider.pointer:
                reason = "a collider must have a geometry"
                effect = "a joint to it no longer switches off contacts with all of its parts"
                draft.lose(collider.pointer, "a static compound", reason, effect)


def _settle_triggers(draft: Draft) -> None:
    """Give every trigger either a geometry or members."""
    owner = draft.nearest(draft.motions)
    for node, trigger in list(draft.triggers.items()):
        if trigger.geometry is not None and trigger.nodes:
            if node in draft.colliders and owner[node] < 0:
                reason = "a compound has no shape of its own, so it is on a new node"
                effect = "it reports the static collider on its old node"
                draft.lose(trigger.pointer, "a trigger beside a static collider", reason, effect)
            is_unsigned = isinstance(trigger.geometry, ImplicitShape)
            upright = np.diag([*draft.signs(node), 1.0]) if is_unsigned else None
            part = draft.add_child(node, "trigger", upright)
            members = (part, *trigger.nodes)
            draft.triggers[part] = structs.replace(trigger, node=part, nodes=())
            draft.triggers[node] = Trigger(node=node, nodes=members, pointer=trigger.pointer)
        elif trigger.nodes and trigger.filter is not None:
            reason, effect = "only triggers with a geometry have one", "its members keep theirs"
            draft.lose(trigger.pointer, "the filter of a compound", reason, effect)
            draft.triggers[node] = structs.replace(trigger, filter=None)
        elif trigger.geometry is None and not trigger.nodes:
            del draft.triggers[node]
    _drop_lost_members(draft)


def _drop_lost_members(draft: Draft) -> None:
    for node, trigger in list(draft.triggers.items()):
        members = tuple(member for member in trigger.nodes if member in draft.triggers)
        if trigger.nodes and not members:
            del draft.triggers[node]
            reason, effect = "none of its members has a geometry", "it detected nothing before"
            draft.lose(trigger.pointer, "a compound trigger", reason, effect)
        elif members != trigger.nodes:
            draft.triggers[node] = structs.replace(trigger, nodes=members)


class _Writer(Writer):
    def __init__(self, draft: Draft, revision: Dialect) -> None:
        super().__init__(draft)
        self.revision = revision

    def write(self) -> None:
        draft = self.draft
        parts = (draft.motions, draft.colliders, draft.triggers, draft.joints)
        for node in sorted(set().union(*parts)):
            self.write_node(node, NAME, self._node(node))
        self.write_root(
            NAME,
            BODIES,
            physicsMaterials=self.materials,
            collisionFilters=self.filters,
            physicsJoints=self.descriptions,
        )
        self.write_root(_SHAPE_NAMES[self.revision], SHAPES, shapes=self.shapes)

    def _node(self, node: int) -> dict[str, Any]:
        draft, content = self.draft, dict[str, Any]()
        if (motion := draft.motions.get(node)) is not None:
            content["motion"] = {**motion_members(motion), **self.leftovers.of(motion.pointer)}
        if (collider := draft.colliders.get(node)) is not None:
            content["collider"] = self._collider(collider)
        if (trigger := draft.triggers.get(node)) is not None:
            content["trigger"] = self._trigger(trigger)
        if (joint := draft.joints.get(node)) is not None:
            content["joint"] = {
                "connectedNode": joint.frame_b,
                "joint": self.description(joint),
                **({"enableCollision": True} if joint.enable_collision else {}),
                **self.leftovers.of(joint.pointer),
            }
        present_parts = [p for p in (motion, collider, trigger, joint) if p is not None]
        return {**content, **self.node_leftovers(*present_parts)}

    def _collider(self, collider: Collider) -> dict[str, Any]:
        assert collider.geometry is not None  # the others were removed
        return {
            **self._geometry(collider.geometry, collider.pointer),
            **present(
                physicsMaterial=self.material(collider.material, collider.pointer),
                collisionFilter=self.filter(collider.filter, collider.pointer),
            ),
            **self.leftovers.of(collider.pointer),
        }

    def _trigger(self, trigger: Trigger) -> dict[str, Any]:
        if trigger.geometry is None:
            return {"nodes": list(trigger.nodes), **self.leftovers.of(trigger.pointer)}
        return {
            **self._geometry(trigger.geometry, trigger.pointer),
            **present(collisionFilter=self.filter(trigger.filter, trigger.pointer)),
            **self.leftovers.of(trigger.pointer),
        }

    def _geometry(self, geometry: GeometrySource, pointer: str) -> dict[str, Any]:
        if self.revision is Dialect.KHR_2024_03:
            return {"shape": self._seed_shape(geometry, pointer)}
        content: dict[str, Any]
        match geometry:
            case MeshGeometry(mesh, convex):
                content = {"mesh": mesh, **({"convexHull": True} if convex else {})}
                rest = self._of_shape(pointer)
            case NodeGeometry(node, convex):
                content = {"node": node, **({"convexHull": True} if convex else {})}
                rest = self._of_shape(pointer)
            case _:
                content = {"shape": self.implicit(geometry, pointer)}
                rest = {}
        return {"geometry": {**content, **rest, **self.leftovers.of(f"{pointer}/geometry")}}

    def _of_shape(self, pointer: str) -> dict[str, Any]:
        """Take the leftovers of a mesh shape, except for the name: geometry has none."""
        rest = self.leftovers.of(self.leftovers.shape(pointer))
        if "name" in rest:
            what, reason = f"the name {rest.pop('name')!r}", "a geometry of meshes has no name"
            self.draft.lose(pointer, what, reason, "no motion changes")
        return rest

    def _seed_shape(self, geometry: GeometrySource, pointer: str) -> int:
        if not isinstance(geometry, MeshGeometry):
            assert not isinstance(geometry, NodeGeometry)
            return self.implicit(geometry, pointer)
        return self.mesh_shape(geometry, pointer)


def motion_members(motion: Motion) -> dict[str, Any]:
    """Return the members of a body; 0 means infinite, and computed values are absent."""
    inertia = motion.inertia_diagonal
    turn, still = motion.inertia_orientation, (0.0, 0.0, 0.0)
    return present(
        isKinematic=True if motion.kind is MotionKind.KINEMATIC else None,
        mass=None if motion.mass is None else _or_zero(motion.mass),
        centerOfMass=None if motion.center_of_mass is None else list(motion.center_of_mass),
        inertiaDiagonal=None if inertia is None else [_or_zero(moment) for moment in inertia],
        inertiaOrientation=list(turn) if turn != (0.0, 0.0, 0.0, 1.0) else None,
        linearVelocity=None if motion.linear_velocity == still else list(motion.linear_velocity),
        angularVelocity=None if motion.angular_velocity == still else list(motion.angular_velocity),
        gravityFactor=None if motion.gravity_factor == 1.0 else motion.gravity_factor,
    )


def _or_zero(number: float) -> float:
    return number if math.isfinite(number) else 0.0
