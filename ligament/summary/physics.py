"""The physics of a file at a glance: bodies, colliders, triggers, joints."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec

from ligament.extensions.rigid_bodies import GeometrySource, Joint, Motion, NodeGeometry, Physics
from ligament.extensions.shapes import Box, Capsule, Cylinder, MeshGeometry, Plane, Sphere
from ligament.gltf.tree import NodeTree, nearest
from ligament.physics.naming import joint_name

Mass: TypeAlias = float | Literal["infinite", "from shapes"]


class BodySummary(msgspec.Struct):
    """A body: its kind of motion, and its declared mass [kg]."""

    node: int
    kind: str
    mass: Mass


class ColliderSummary(msgspec.Struct):
    """A collider: its shape, and the node of its body (None if static)."""

    node: int
    shape: str
    size: str
    body: int | None


class TriggerSummary(msgspec.Struct):
    """A trigger: its own shape, or the triggers it combines."""

    node: int
    shape: str
    size: str
    members: list[int]
    body: int | None


class JointSummary(msgspec.Struct):
    """A joint by its common name, its two frames, and the bodies they belong to."""

    node: int
    name: str
    frames: tuple[int, int]
    bodies: tuple[int | None, int | None]
    collide: bool


class PhysicsSummary(msgspec.Struct):
    """All physics of a file; materials and filters with equal content count once."""

    dialects: list[str]
    bodies: list[BodySummary]
    colliders: list[ColliderSummary]
    triggers: list[TriggerSummary]
    joints: list[JointSummary]
    materials: int
    filters: int
    findings: int

    def nodes(self) -> set[int]:
        """Return all nodes mentioned."""
        named: set[int | None] = {body.node for body in self.bodies}
        named.update(node for c in self.colliders for node in (c.node, c.body))
        named.update(node for t in self.triggers for node in (t.node, t.body, *t.members))
        named.update(node for j in self.joints for node in (j.node, *j.frames, *j.bodies))
        return {node for node in named if node is not None}


def summarize_physics(physics: Physics, tree: NodeTree) -> PhysicsSummary:
    """Summarize the rigid-body physics that a file declares."""
    owners = nearest(tree, physics.motions).tolist()

    def owner(node: int) -> int | None:
        return owners[node] if owners[node] >= 0 else None

    solid, sensing = physics.colliders.values(), physics.triggers.values()
    filters = {c.filter for c in solid} | {t.filter for t in sensing}
    return PhysicsSummary(
        dialects=[str(dialect) for dialect in physics.dialects],
        bodies=[BodySummary(m.node, m.kind, _mass(m)) for m in physics.motions.values()],
        colliders=[ColliderSummary(c.node, *_shape(c.geometry), owner(c.node)) for c in solid],
        triggers=[
            TriggerSummary(t.node, *_reach(t.geometry, t.nodes), [*t.nodes], owner(t.node))
            for t in sensing
        ],
        joints=[_joint(joint, owner) for joint in physics.joints.values()],
        materials=len({c.material for c in solid} - {None}),
        filters=len(filters - {None}),
        findings=len(physics.findings),
    )


def _mass(motion: Motion) -> Mass:
    if motion.mass is None:
        return "from shapes"
    return "infinite" if math.isinf(motion.mass) else motion.mass


def _joint(joint: Joint, owner: Callable[[int], int | None]) -> JointSummary:
    return JointSummary(
        joint.node,
        joint_name(joint.limits, joint.drives),
        (joint.frame_a, joint.frame_b),
        (owner(joint.body_a), owner(joint.body_b)),
        joint.enable_collision,
    )


def _reach(geometry: GeometrySource | None, members: tuple[int, ...]) -> tuple[str, str]:
    return ("compound", "") if geometry is None and members else _shape(geometry)


def _shape(geometry: GeometrySource | None) -> tuple[str, str]:
    """Return the kind of a shape, and its dimensions in words."""
    match geometry:
        case Sphere(radius):
            return "sphere", f"radius {radius:g} m"
        case Box(size):
            return "box", f"{_times(*size)} m"
        case Capsule(height, bottom, top):
            return "capsule", f"height {height:g} m, {_radii(bottom, top)}"
        case Cylinder(height, bottom, top):
            kind = "cylinder" if bottom and top else "cone"
            return kind, f"height {height:g} m, {_radii(bottom, top)}"
        case Plane(x, z):
            return "plane", "endless" if x is None and z is None else f"{_times(x, z)} m"
        case MeshGeometry(mesh, convex):
            return "hull" if convex else "trimesh", f"of mesh {mesh}"
        case NodeGeometry(node, convex):
            return "hull" if convex else "trimesh", f"of node {node}"
    return "unknown", ""


def _times(*sizes: float | None) -> str:
    return " x ".join("endless" if size is None else f"{size:g}" for size in sizes)


def _radii(bottom: float, top: float) -> str:
    return f"radius {bottom:g} m" if bottom == top else f"radii {bottom:g} and {top:g} m"
