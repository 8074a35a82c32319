"""OMI_physics_body, OMI_physics_shape and OMI_physics_joint as they are today."""

from __future__ import annotations

import dataclasses
from typing import Any

from msgspec import structs

from ligament.conversion.dialects.bodies import (
    declare_inertia_of_planes,
    declare_masses,
    report_roles,
)
from ligament.conversion.dialects.draft import Draft
from ligament.conversion.dialects.geometry import Meshes, replace_planes
from ligament.conversion.dialects.joints import (
    add_frame_nodes,
    attach_joints_to_bodies,
    per_axis,
    report_swings,
)
from ligament.conversion.dialects.leftovers import MATERIALS
from ligament.conversion.dialects.writer import Writer, owner
from ligament.extensions.omi.body import BODY, COLLIDER, MOTION, TRIGGER
from ligament.extensions.omi.joint import JOINT
from ligament.extensions.registry import (
    BODIES,
    OMI_PHYSICS_BODY,
    OMI_PHYSICS_JOINT,
    OMI_PHYSICS_SHAPE,
    SHAPES,
)
from ligament.extensions.rigid_bodies import Combine, Limit, Material
from ligament.extensions.shapes import COLLISION_SHAPE
from ligament.gltf.tree import Branches, Forest

_MOTION = MOTION.changed(mass={"is_written": True}, inertia_tensor=None)
"""The default of 1 kg is another one elsewhere."""


def write_omi(draft: Draft) -> None:
    """Write a draft in the newest revision of the OMI extensions."""
    settle(draft)
    report_roles(draft)
    set_default_combine_modes(draft)
    attach_joints_to_bodies(draft)
    split: dict[int, tuple[Limit, ...]] = {}
    for joint in list(draft.joints.values()):
        if id(joint.limits) not in split:  # one for all joints of a description
            split[id(joint.limits)] = per_axis(draft, joint.limits)
            report_swings(draft, joint.limits, split[id(joint.limits)])
        held = draft.replace_joint(joint, limits=split[id(joint.limits)])
        if held.node in draft.motions:  # a joint should not share the node of a body
            own = draft.add_child(held.node, "joint")
            draft.replace_joint(held, node=own, frame_a=own, body_a=own)
    _settle_triggers(draft)
    _Writer(draft).write()


def settle(draft: Draft) -> None:
    """Prepare a draft for both eras: explicit masses, meshes for geometry, frames on bodies."""
    meshes = Meshes(draft)
    declare_inertia_of_planes(draft)
    declare_masses(draft)
    replace_planes(draft, meshes)
    for node, collider in list(draft.colliders.items()):
        geometry = collider.geometry and meshes.plain(collider.geometry, node, collider.pointer)
        draft.colliders[node] = structs.replace(collider, geometry=geometry)
        if geometry is None and "OMI" not in collider.pointer:  # there it means a compound
            del draft.colliders[node]
    for node, trigger in list(draft.triggers.items()):
        geometry = trigger.geometry and meshes.plain(trigger.geometry, node, trigger.pointer)
        draft.triggers[node] = structs.replace(trigger, geometry=geometry)
    add_frame_nodes(draft)


def _settle_triggers(draft: Draft) -> None:
    """Remove members that are not below their compound, and compounds without members.

    A trigger with neither shape nor members would consist of all triggers below it.
    """
    branches = Branches(Forest(draft.document))
    for node, trigger in list(draft.triggers.items()):
        is_empty = trigger.geometry is None and not trigger.nodes
        below = [m for m in trigger.nodes if branches.is_below(m, node) and m in draft.triggers]
        for member in trigger.nodes:
            if member not in below:
                what, reason = f"member {member} of a trigger", "members must lie below it"
                effect = "the compound does not detect what enters there"
                draft.lose(trigger.pointer, what, reason, effect)
        draft.triggers[node] = structs.replace(trigger, nodes=tuple(below))
        if trigger.geometry is None and not below:
            del draft.triggers[node]
            if not is_empty:
                reason, effect = "none of its members is left", "it detects nothing"
                draft.lose(trigger.pointer, "a compound trigger", reason, effect)


class _Writer(Writer):
    def __init__(self, draft: Draft) -> None:
        super().__init__(draft, COLLISION_SHAPE)

    def write(self) -> None:
        draft = self.draft
        for node in sorted({*draft.motions, *draft.colliders, *draft.triggers}):
            self.write_node(node, OMI_PHYSICS_BODY, self._node(node))
        for node, joint in sorted(draft.joints.items()):
            content = self.part(JOINT, joint, owner(joint.pointer))
            self.write_node(node, OMI_PHYSICS_JOINT, content)
        name = OMI_PHYSICS_BODY
        self.write_root(
            name, BODIES, physicsMaterials=self.materials, collisionFilters=self.filters
        )
        self.write_root(OMI_PHYSICS_JOINT, (), physicsJoints=self.descriptions)
        self.write_root(OMI_PHYSICS_SHAPE, SHAPES, shapes=self.shapes)

    def _node(self, node: int) -> dict[str, Any]:
        draft, content = self.draft, dict[str, Any]()
        if (motion := draft.motions.get(node)) is not None:
            content["motion"] = self.part(_MOTION, motion)
        if (collider := draft.colliders.get(node)) is not None:
            content["collider"] = self.part(COLLIDER, collider)
        if (trigger := draft.triggers.get(node)) is not None:
            content["trigger"] = self.part(TRIGGER, trigger)
        parts = [part for part in (motion, collider, trigger) if part is not None]
        return {**content, **self.node_leftovers(*parts, into=BODY.names)}


def set_default_combine_modes(draft: Draft) -> None:
    """Set the combine mode of materials without one to the maximum: in OMI all have a mode.

    Only `multiply` has lower precedence, so that this mode decides only between materials without
    one, unless a material of the file uses `multiply`.
    """
    materials = {collider.material for collider in draft.colliders.values()} - {None}
    members = ("friction_combine", "restitution_combine")
    rivals = {
        member: sum(getattr(m, member) is Combine.MULTIPLY for m in materials) for member in members
    }
    reported: set[tuple[Material, str]] = set()
    for node, collider in list(draft.colliders.items()):
        material = collider.material
        if material is None:
            continue
        for member in members:
            if getattr(collider.material, member) is not None:
                continue
            if rivals[member] and (material, member) not in reported:
                reported.add((material, member))
                effect = f"the maximum, not the product, with {rivals[member]} materials"
                place = draft.leftovers.element(collider.pointer, MATERIALS)
                reason = "in the dialect every material has a combine mode"
                draft.lose(place, f"no vote on {member.replace('_', ' ')}", reason, effect)
            material = _with_maximum(material, member)
        draft.colliders[node] = structs.replace(collider, material=material)


def _with_maximum(material: Material, member: str) -> Material:
    if member == "friction_combine":
        return dataclasses.replace(material, friction_combine=Combine.MAXIMUM)
    return dataclasses.replace(material, restitution_combine=Combine.MAXIMUM)
