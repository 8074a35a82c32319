"""KHR_physics_rigid_bodies: January 2026, October 2024 and March 2024.

They differ in how a collider names its geometry: `geometry.mesh`, `geometry.node`, or a shape of
type convex or trimesh.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import structs

from ligament.conversion.dialects.bodies import declare_inertia_of_planes, report_roles
from ligament.conversion.dialects.draft import Draft
from ligament.conversion.dialects.geometry import Meshes, replace_planes
from ligament.conversion.dialects.joints import add_frame_nodes
from ligament.conversion.dialects.statics import free_statics
from ligament.conversion.dialects.writer import Writer
from ligament.extensions.registry import (
    BODIES,
    KHR_COLLISION_SHAPES,
    KHR_IMPLICIT_SHAPES,
    SHAPES,
    Dialect,
)
from ligament.extensions.registry import KHR_PHYSICS_RIGID_BODIES as NAME
from ligament.extensions.rigid_bodies.collider import COLLIDER, TRIGGER, Collider, Trigger
from ligament.extensions.rigid_bodies.extension import NODE
from ligament.extensions.rigid_bodies.geometry import GEOMETRY
from ligament.extensions.rigid_bodies.joint import JOINT
from ligament.extensions.rigid_bodies.motion import MOTION
from ligament.extensions.shapes import COLLISION_SHAPE, IMPLICIT_SHAPE, ImplicitShape
from ligament.extensions.tables.table import Table


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
        is_draft = revision is Dialect.KHR_2024_03
        super().__init__(draft, COLLISION_SHAPE if is_draft else IMPLICIT_SHAPE)
        self.shapes_name = KHR_COLLISION_SHAPES if is_draft else KHR_IMPLICIT_SHAPES
        self.collider, self.trigger = COLLIDER.at(revision), TRIGGER.at(revision)

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
        self.write_root(self.shapes_name, SHAPES, shapes=self.shapes)

    def _node(self, node: int) -> dict[str, Any]:
        draft, content = self.draft, dict[str, Any]()
        if (motion := draft.motions.get(node)) is not None:
            content["motion"] = self.part(MOTION, motion)
        if (collider := draft.colliders.get(node)) is not None:
            content["collider"] = self._shaped(self.collider, collider)
        if (trigger := draft.triggers.get(node)) is not None:
            content["trigger"] = self._shaped(self.trigger, trigger)
        if (joint := draft.joints.get(node)) is not None:
            content["joint"] = self.part(JOINT, joint)
        present_parts = [p for p in (motion, collider, trigger, joint) if p is not None]
        return {**content, **self.node_leftovers(*present_parts, into=NODE.names)}

    def _shaped(self, table: Table, view: Collider | Trigger) -> dict[str, Any]:
        """Return a collider or trigger; its geometry takes what a shape of meshes leaves over."""
        content = self.part(table, view)
        if "geometry" in content:
            rest = {} if "shape" in content["geometry"] else self._of_shape(view.pointer)
            content["geometry"] |= rest | self.leftovers.of(
                f"{view.pointer}/geometry", into=GEOMETRY.names
            )
        return content

    def _of_shape(self, pointer: str) -> dict[str, Any]:
        """Take the leftovers of a mesh shape, except for the name: geometry has none."""
        rest = self.leftovers.of(self.leftovers.shape(pointer), into=GEOMETRY.names)
        if "name" in rest:
            what, reason = f"the name {rest.pop('name')!r}", "a geometry of meshes has no name"
            self.draft.lose(pointer, what, reason, "no motion changes")
        return rest
