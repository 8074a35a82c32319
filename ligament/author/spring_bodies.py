"""Spring bones as jointed bodies, for players that support only rigid bodies.

An update of `dt` adds (1 − drag)·v + dt·(stiffness·u + gravity) to a tail that moved by v before:
in continuous time a mass at the tail that is accelerated by (stiffness·u + gravity)/dt and slowed
at the rate −ln(1 − drag)/dt. About the head, at the distance L, that is an angular spring of
I·stiffness/(L·dt) [N m/rad] and a damper of I times that rate, I being the moment of inertia about
the head; `dt` is 1/60 s, the frame time that springs are tuned for.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.author.editor import Editor
from ligament.errors import EditError
from ligament.extensions import registry
from ligament.extensions.rigid_bodies import Drive, Limit
from ligament.extensions.shapes import Capsule, Plane, Sphere
from ligament.extensions.spring_bones import Collider
from ligament.gltf.tree import depths, nearest
from ligament.losses import Loss
from ligament.rig import SpringBones
from ligament.rig.springs.chains import Bone

RATE = 60.0
"""Updates per second [Hz] that the gains assume."""

MASS, TAPER = 1.0, 0.2
"""Mass [kg] of the first body of a chain, and ratio of each mass to that of its carrier: springs do
not pull on their carriers, and light bodies do so only slightly."""

THICKNESS = 0.3
"""Radius, relative to the bone, of the ball whose moment of inertia a body has."""

MOST_DRAG = 0.999
GRAVITY = 9.81
SYSTEM = "spring bones"


class SpringBodies(NamedTuple):
    """Bodies and joints by the node of the bone, and the losses of the conversion."""

    bodies: dict[int, int]
    joints: dict[int, int]
    losses: tuple[Loss, ...]


def springs_to_bodies(editor: Editor) -> SpringBodies:
    """Replace the spring bones of a document by jointed bodies; return them and the losses."""
    return _Replacement(editor).run()


class _Replacement:
    """The replacement of the springs of one document."""

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self.springs = SpringBones(editor.document)
        self.tree = self.springs.tree
        self.world = self.tree.world_matrices()
        self.turns = self.tree.world_orientations()
        self.bodies: dict[int, int] = {}
        self.joints: dict[int, int] = {}
        self.masses: dict[int, float] = {}
        self.losses: list[Loss] = []

    def run(self) -> SpringBodies:
        if not self.springs:
            raise EditError("there are no spring bones", remedy="use a file that has some")
        used = sorted({index for bone in self.springs.bones for index in bone.colliders})
        for index in used:
            self._add_collider(index, self.springs.colliders[index])
        above = nearest(self.tree, [bone.node for bone in self.springs.bones])
        depth = depths(self.tree)
        for bone in sorted(self.springs.bones, key=lambda b: depth[b.node]):
            parent = int(self.tree.parents[bone.node])
            self._add_bone(bone, int(above[parent]) if parent >= 0 else -1)
        self._report_general_losses()
        self._strip()
        return SpringBodies(self.bodies, self.joints, tuple(self.losses))

    def _lose(self, pointer: str, what: str, reason: str, effect: str) -> None:
        self.losses.append(Loss(pointer, what, reason, effect))

    def _add_collider(self, index: int, collider: Collider) -> None:
        if collider.inside:
            what, reason = "a collider that keeps tails inside", "collision shapes are solid"
            self._lose(collider.pointer, what, reason, "tails can leave it")
            return
        place: dict[str, Any] = {"translation": collider.offset}
        shape: Any = Sphere(collider.radius)
        direction = np.array(collider.tail) - collider.offset
        length = float(np.linalg.norm(direction))
        if collider.kind == "plane":
            shape = Plane()
            place["rotation"] = _turn(np.array(collider.normal))
        elif collider.kind == "capsule" and length > 0:
            shape = Capsule(length, collider.radius, collider.radius)
            middle = np.array(collider.offset) + direction / 2
            place = {"translation": middle.tolist(), "rotation": _turn(direction)}
        if collider.kind != "plane" and collider.radius == 0:
            what = "a collider without a radius"
            self._lose(
                collider.pointer, what, "collision shapes need a size", "tails pass through it"
            )
            return
        meets = self.editor.add_filter([f"{SYSTEM} {index}"], collide_with=[SYSTEM])
        self.editor.add_collider(collider.node, shape, filter=meets, **place)

    def _add_bone(self, bone: Bone, carrier: int) -> None:
        """Add a bone to the bone that carries it, or to the body of the avatar (-1)."""
        node, joint = bone.node, bone.joint
        length = float(np.linalg.norm(self.world[node, :3, :3] @ bone.tail))
        mass = MASS if carrier < 0 else self.masses[carrier] * TAPER
        self.masses[node] = mass
        down = -joint.gravity[1] * RATE / GRAVITY
        if abs(joint.gravity[0]) + abs(joint.gravity[2]) > 0:
            what, reason = "gravity that does not point down", "bodies use the gravity of the world"
            self._lose(joint.pointer, what, reason, "its horizontal component is ignored")
        inertia = 0.4 * mass * (THICKNESS * length) ** 2
        if joint.hit_radius > 0 and bone.colliders:
            meets = self.editor.add_filter(
                [SYSTEM], collide_with=[f"{SYSTEM} {index}" for index in bone.colliders]
            )
            self.editor.add_collider(
                node, Sphere(joint.hit_radius), translation=bone.tail.tolist(), filter=meets
            )
        elif bone.colliders:
            what, reason = "a tail without a radius", "a point does not collide"
            self._lose(joint.pointer, what, reason, "it passes through colliders")
        try:
            self.bodies[node] = self.editor.add_body(
                node,
                mass=mass,
                center_of_mass=bone.tail.tolist(),
                inertia_diagonal=[inertia] * 3,
                gravity_factor=down,
            )
            self.joints[node] = self._add_joint(bone, length, inertia + mass * length**2)
        except EditError as fault:
            what = f"the spring of {self.tree.label(node)}"
            self._lose(joint.pointer, what, fault.message, "it does not swing")

    def _add_joint(self, bone: Bone, length: float, inertia: float) -> int:
        """Join a bone to its parent, with the first axis of both frames along the bone.

        Gains are scaled by the moment of inertia [kg m²] about the head: a drive in acceleration
        mode would also include that of the carrier, as if it were free.
        """
        joint = bone.joint
        parent = int(self.tree.parents[bone.node])
        axis = np.asarray(tf.rotate(self.turns[bone.node], bone.tail / np.linalg.norm(bone.tail)))
        rotation = tf.between(np.array([1.0, 0.0, 0.0]), axis)
        slowing = -math.log1p(-min(joint.drag, MOST_DRAG)) * RATE
        if joint.drag > MOST_DRAG:
            what, reason = "a drag of 1", "damping must be finite"
            self._lose(joint.pointer, what, reason, f"it is limited to {MOST_DRAG}")
        drives = [
            Drive(
                type="angular",
                mode="force",
                axis=i,
                stiffness=inertia * joint.stiffness * RATE / length,
                damping=inertia * slowing,
            )
            for i in (1, 2)
        ]
        limits = [
            Limit(linear_axes=(0, 1, 2), minimum=0.0, maximum=0.0),
            Limit(angular_axes=(0,), minimum=0.0, maximum=0.0),
        ]
        if joint.limit is not None:
            limits.append(Limit(angular_axes=(1, 2), minimum=0.0, maximum=max(joint.limit.angles)))
            if joint.limit.kind != "cone":
                what, reason = f"a {joint.limit.kind} limit", "joints have no limit of this shape"
                self._lose(
                    joint.limit.pointer, what, reason, "it becomes a cone with its widest angle"
                )
        return self.editor.add_joint(
            None if parent < 0 else parent,  # type: ignore[arg-type]
            bone.node,
            limits=limits,
            drives=drives,
            at=bone.node,
            rotation=tuple(map(float, rotation)),
        )

    def _report_general_losses(self) -> None:
        root = f"/extensions/{registry.VRMC_SPRING_BONE}"
        self._lose(
            root,
            "massless bones",
            "bodies load their parents",
            f"each has {TAPER:g} times the mass of the one before, so the effect is small",
        )
        self._lose(
            root,
            "stiffness proportional to the sine of the angle",
            "drives are linear in the angle",
            "the same up to about 30 degrees, stiffer beyond",
        )
        self._lose(
            root,
            "drag relative to the world",
            "drives damp rotation relative to the parent",
            "hair trails less behind an avatar that turns",
        )
        if any(bone.center >= 0 for bone in self.springs.bones):
            what, reason = "centers", "bodies have inertia in world space"
            self._lose(root, what, reason, "hair trails behind an avatar that moves")

    def _strip(self) -> None:
        """Remove the springs that the bodies replace."""
        document = self.editor.document
        extensions = document.json.get("extensions", {})
        names = registry.names(registry.Family.SPRING_BONES)
        for name in names:
            extensions.pop(name, None)
        old = extensions.get(registry.VRM)
        if isinstance(old, dict) and isinstance(old.get("secondaryAnimation"), dict):
            old["secondaryAnimation"] |= {"boneGroups": [], "colliderGroups": []}
        document.drop_extensions(names)


def _turn(direction: Floats) -> list[float]:
    """Return the shortest rotation from +Y to a direction."""
    return list(map(float, tf.between(np.array([0.0, 1.0, 0.0]), direction)))
