"""From what a file declares to the scene that it means."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import product
from typing import NamedTuple, TypeVar

import numpy as np

from ligament import transforms as tf
from ligament.errors import LigamentError
from ligament.extensions import declarations as declared
from ligament.extensions.declarations import GeometrySource, MotionKind, Physics
from ligament.findings import Finding, Severity
from ligament.gltf.animation import Pose as TreePose
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree
from ligament.physics.geometry import GeometryReader
from ligament.physics.mass import (
    DEFAULT_MASS,
    FIXED,
    MassProperties,
    Part,
    is_mass_known,
    mass_properties,
)
from ligament.physics.materials import DEFAULT
from ligament.physics.placement import Placement, depths, nearest
from ligament.physics.scene import Body, Collider, Frame, Joint, Pose, Scene, Trigger
from ligament.physics.shapes import Shape, scaled

T = TypeVar("T")

WORLD = -1
"""The node of the body that holds what hangs on nothing in the file."""

SEVERITIES: dict[str, Severity] = {
    "PHYSICS_SHAPE_UNUSABLE": "error",
    "PHYSICS_SHAPE_DISABLED": "info",
    "PHYSICS_MASS_UNKNOWN": "error",
    "PHYSICS_TRIGGER_MEMBER": "error",
    "PHYSICS_JOINT_SAME_BODY": "warning",
    "PHYSICS_JOINT_WITHOUT_MOTION": "warning",
    "PHYSICS_JOINT_OUTSIDE_SCENE": "warning",
}
"""Severity of every code that concerns the meaning of physics, not its members."""

_STILL = np.zeros(3)


class Built(NamedTuple):
    """A scene, and what had to be left out or replaced to get it."""

    scene: Scene
    findings: tuple[Finding, ...]


def build_scene(
    document: Document,
    physics: Physics,
    *,
    tree: NodeTree,
    pose: TreePose,
    driven: Collection[int] = (),
    members: Collection[int] | None = None,
) -> Built:
    """Work out what declarations mean.

    `pose` holds the local transforms (N, …) of all nodes at the start; `driven` are the nodes that
    an animation moves; `members` the nodes that take part (None: all). What cannot be used is left
    out, and the findings say so.
    """
    taking_part = frozenset(range(len(tree)) if members is None else members)
    present = Physics(
        dialects=physics.dialects,
        motions=_within(physics.motions, taking_part),
        colliders=_within(physics.colliders, taking_part),
        triggers=_within(physics.triggers, taking_part),
        joints=_within(physics.joints, taking_part),
    )
    builder = _Builder(present, GeometryReader(document, tree), Placement(tree, pose), driven)
    return builder.build(taking_part)


def _within(items: dict[int, T], nodes: frozenset[int]) -> dict[int, T]:
    return {node: item for node, item in items.items() if node in nodes}


class _Builder:
    """Collects bodies first, then what hangs on them."""

    def __init__(
        self,
        physics: Physics,
        geometry: GeometryReader,
        placement: Placement,
        driven: Collection[int],
    ) -> None:
        tree = placement.tree
        self.physics, self.geometry, self.placement, self.tree = physics, geometry, placement, tree
        self.owner = nearest(tree, physics.motions)
        self.nearest_driven = nearest(tree, driven)
        self.nearest_collider = nearest(tree, physics.colliders)
        self.depth = depths(tree)
        self.driven = frozenset(driven)
        self.findings: list[Finding] = []
        self.bodies: list[Body] = []
        self.body_at: dict[int, int] = {}
        self.colliders: list[Collider] = []

    def build(self, taking_part: frozenset[int]) -> Built:
        solid = {
            node: self._shape(node, collider.geometry, collider.pointer)
            for node, collider in self.physics.colliders.items()
        }
        parts: dict[int, list[Part]] = {}
        for node, shape in solid.items():
            owner = int(self.owner[node])
            if shape is not None and owner >= 0:
                pose = self.placement.within(node, self.placement.of(owner))
                parts.setdefault(owner, []).append(Part(shape, pose.translation, pose.rotation))
        for node, motion in self.physics.motions.items():
            self._add_body(motion, parts.get(node, []))
        self._add_colliders(solid)
        triggers = tuple(self._triggers())
        joints = tuple(self._joints(taking_part))
        scene = Scene(
            bodies=tuple(self.bodies),
            colliders=tuple(self.colliders),
            triggers=triggers,
            joints=joints,
        )
        return Built(scene, tuple(self.findings))

    # --- shapes ---

    def _shape(self, node: int, source: GeometrySource | None, pointer: str) -> Shape | None:
        """Read and scale a shape; None, with a finding, where there is none to use."""
        if source is None:  # the reader of the dialect said why
            return None
        try:
            shape = scaled(self.geometry.shape(source, node), self.placement.stretch[node])
        except LigamentError as fault:
            message = f"{self.tree.label(node)}: {fault.message}, so its shape is left out"
            self._find("SHAPE_UNUSABLE", fault.pointer or pointer, message, fault.remedy or "")
            return None
        if shape is None:
            message = f"{self.tree.label(node)} has no extent at its scale, so it touches nothing"
            self._find("SHAPE_DISABLED", pointer, message, "scale it by more than 0 to use it")
        return shape

    def _add_colliders(self, solid: dict[int, Shape | None]) -> None:
        for node, shape in solid.items():
            if shape is None:
                continue
            collider = self.physics.colliders[node]
            material = DEFAULT if collider.material is None else collider.material
            self.colliders.append(
                self._collider(node, shape, material, collider.filter, is_sensor=False)
            )

    def _collider(
        self,
        node: int,
        shape: Shape,
        material: declared.Material,
        collision_filter: declared.CollisionFilter | None,
        *,
        is_sensor: bool,
    ) -> Collider:
        owner = int(self.owner[node])
        body = self.body_at[owner] if owner >= 0 else self._holder(node)
        return Collider(
            node=node,
            body=body,
            shape=shape,
            pose=self.placement.within(node, self.bodies[body].pose),
            material=material,
            filter=collision_filter,
            is_sensor=is_sensor,
            moves=self._moves_within(node, owner if owner >= 0 else node),
        )

    def _moves_within(self, node: int, holder: int) -> bool:
        """Tell whether an animation moves a node with respect to what holds it."""
        return bool(self.depth[self.nearest_driven[node]] > self.depth[holder])

    # --- bodies ---

    def _add_body(self, motion: declared.Motion, parts: list[Part]) -> None:
        node = motion.node
        is_driven = node in self.driven
        kind = motion.kind
        if kind is MotionKind.STATIC:  # it stays where its place in the tree is
            is_driven = bool(self.nearest_driven[node] >= 0)
        pose = self.placement.of(node)
        self.body_at[node] = len(self.bodies)
        self.bodies.append(
            Body(
                node=node,
                kind=MotionKind.KINEMATIC if is_driven else kind,
                pose=pose,
                mass=self._mass(motion, parts),
                velocity=np.asarray(tf.rotate(pose.rotation, np.array(motion.linear_velocity))),
                spin=np.asarray(tf.rotate(pose.rotation, np.array(motion.angular_velocity))),
                gravity_factor=motion.gravity_factor,
                is_driven=is_driven,
            )
        )

    def _mass(self, motion: declared.Motion, parts: list[Part]) -> MassProperties:
        if motion.kind is MotionKind.DYNAMIC and not is_mass_known(motion, parts):
            message = f"{self.tree.label(motion.node)} has no mass and no shape to compute it from"
            remedy = f"give it a mass; {DEFAULT_MASS:g} kg is used"
            self._find("MASS_UNKNOWN", motion.pointer, message, remedy)
        return mass_properties(motion, self.placement.stretch[motion.node], parts)

    def _holder(self, node: int) -> int:
        """Return the body of something static: fixed, or moved by the animation above it."""
        if node not in self.body_at:
            is_driven = node != WORLD and bool(self.nearest_driven[node] >= 0)
            origin = Pose(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))
            self.body_at[node] = len(self.bodies)
            self.bodies.append(
                Body(
                    node=node,
                    kind=MotionKind.KINEMATIC if is_driven else MotionKind.STATIC,
                    pose=origin if node == WORLD else self.placement.of(node),
                    mass=FIXED,
                    velocity=_STILL,
                    spin=_STILL,
                    is_driven=is_driven,
                    is_declared=False,
                )
            )
        return self.body_at[node]

    # --- triggers ---

    def _triggers(self) -> Iterator[Trigger]:
        sensors: dict[int, int] = {}
        for node, trigger in self.physics.triggers.items():
            shape = self._shape(node, trigger.geometry, trigger.pointer)
            if shape is not None:
                sensors[node] = len(self.colliders)
                self.colliders.append(
                    self._collider(node, shape, DEFAULT, trigger.filter, is_sensor=True)
                )
        for node in self.physics.triggers:
            leaves = self._leaves(node, frozenset())
            yield Trigger(
                node=node, colliders=tuple(sensors[leaf] for leaf in leaves if leaf in sensors)
            )

    def _leaves(self, node: int, above: frozenset[int]) -> list[int]:
        """List the triggers with a shape that count for a trigger; a circle counts once."""
        trigger = self.physics.triggers[node]
        leaves = [node] if trigger.geometry is not None else []
        for slot, member in enumerate(trigger.nodes):
            pointer = f"{trigger.pointer}/nodes/{slot}"
            if member not in self.physics.triggers:
                message = f"{self.tree.label(member)} has no trigger"
                self._find("TRIGGER_MEMBER", pointer, message, "name nodes that have one")
            elif member == node or member in above:
                message = f"{self.tree.label(member)} is a member of itself"
                self._find("TRIGGER_MEMBER", pointer, message, "name other nodes")
            else:
                leaves += self._leaves(member, above | {node})
        return list(dict.fromkeys(leaves))

    # --- joints ---

    def _joints(self, taking_part: frozenset[int]) -> Iterator[Joint]:
        for joint in self.physics.joints.values():
            outside = {joint.body_a, joint.frame_a, joint.body_b, joint.frame_b} - taking_part
            if outside:
                names = ", ".join(self.tree.label(node) for node in sorted(outside))
                message = f"{names} is not in the scene, so the joint holds nothing"
                self._find("JOINT_OUTSIDE_SCENE", joint.pointer, message, "join nodes of one scene")
                continue
            a = self._frame(joint.frame_a, joint.body_a)
            b = self._frame(joint.frame_b, joint.body_b)
            if self._is_useful(joint, a, b):
                yield Joint(
                    node=joint.node,
                    a=a,
                    b=b,
                    limits=joint.limits,
                    drives=joint.drives,
                    ignores=() if joint.enable_collision else self._ignored(a, b),
                )

    def _frame(self, node: int, body_node: int) -> Frame:
        """Attach a node's frame to the body of another node (mostly the same node)."""
        owner = int(self.owner[body_node])
        if owner >= 0:
            body = self.body_at[owner]
        else:
            owner = self._static_holder(body_node)
            body = self._holder(owner)
        pose = self.placement.within(node, self.bodies[body].pose)
        return Frame(node=node, body=body, pose=pose, moves=self._moves_within(node, owner))

    def _static_holder(self, node: int) -> int:
        """Return the node of the static object that a frame belongs to (or the world's)."""
        collider = int(self.nearest_collider[node])
        if collider >= 0 and self.owner[collider] < 0:
            return collider
        return node if self.nearest_driven[node] >= 0 else WORLD

    def _is_useful(self, joint: declared.Joint, a: Frame, b: Frame) -> bool:
        kinds = {self.bodies[a.body].kind, self.bodies[b.body].kind}
        if a.body == b.body and self.bodies[a.body].kind is MotionKind.DYNAMIC:
            message = f"both ends belong to {self.tree.label(self.bodies[a.body].node)}"
            self._find("JOINT_SAME_BODY", joint.pointer, message, "join two bodies")
            return False
        if MotionKind.DYNAMIC not in kinds:
            message = "neither end can be moved by forces, so the joint does nothing"
            self._find("JOINT_WITHOUT_MOTION", joint.pointer, message, "give one end a motion")
            return False
        return True

    def _ignored(self, a: Frame, b: Frame) -> tuple[tuple[int, int], ...]:
        """Pair the bodies that a joint keeps from colliding: all static colliders below count."""
        pairs = product(self._pieces(a), self._pieces(b))
        return tuple((one, other) for one, other in pairs if one != other)

    def _pieces(self, frame: Frame) -> list[int]:
        """List the bodies of the object that a frame belongs to."""
        body = self.bodies[frame.body]
        return [frame.body] if body.is_declared else self.static_pieces.get(body.node, [frame.body])

    @cached_property
    def static_pieces(self) -> dict[int, list[int]]:
        """List, for every static collider, the bodies of all static colliders at and below it."""
        pieces: dict[int, list[int]] = {}
        for node in self.physics.colliders:
            body = self.body_at.get(node)
            if body is None or self.bodies[body].is_declared:
                continue
            above = node
            while above >= 0:
                pieces.setdefault(above, []).append(body)
                parent = int(self.tree.parents[above])
                above = int(self.nearest_collider[parent]) if parent >= 0 else -1
        return pieces

    def _find(self, code: str, pointer: str, message: str, remedy: str) -> None:
        name = f"PHYSICS_{code}"
        self.findings.append(Finding(name, SEVERITIES[name], pointer, message, remedy))
