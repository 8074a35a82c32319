"""Input of the scene formats (MJCF, USD): a document at time 0, rotated to the wanted up axis."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.errors import ContentError
from ligament.extensions.physics import read_physics
from ligament.extensions.rigid_bodies import Physics
from ligament.gltf.animation import Pose as TreePose
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree, scene_members
from ligament.losses import Loss
from ligament.physics.freedom import placed
from ligament.physics.placement import Placement
from ligament.physics.scene import Body, Pose, Scene
from ligament.physics.scene_builder import WORLD, build_scene
from ligament.rig.animator import Animator

UpAxis: TypeAlias = Literal["z", "y"]

GRAVITY: Final = (0.0, -9.81, 0.0)
"""Gravity [m/s²] by default, Y up as in the document."""

WORLD_ROTATIONS: Final = {
    "y": np.array([0.0, 0.0, 0.0, 1.0]),
    "z": np.array([math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)]),
}
"""World rotation for each up axis: a quarter turn about X takes Y to Z."""


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Source:
    """A document at time 0; `scene` and `placement` are rotated to the wanted up axis.

    `members` are the nodes of the scene, `moved` those whose local transform an animation or a
    constraint changes, even if only in scale. `pose` holds all local transforms (N, …).
    """

    document: Document
    stage: Animator
    tree: NodeTree
    pose: TreePose
    physics: Physics
    scene: Scene
    placement: Placement
    gravity: Floats
    members: frozenset[int]
    moved: frozenset[int]
    losses: list[Loss]

    def body_pointer(self, body: Body) -> str:
        """Return the place of a body in the document."""
        motion = self.physics.motions.get(body.node)
        return self.node_pointer(body.node) if motion is None else motion.pointer

    def collider_pointer(self, node: int) -> str:
        """Return the place of a collider or trigger in the document."""
        found = self.physics.colliders.get(node) or self.physics.triggers.get(node)
        return self.node_pointer(node) if found is None else found.pointer

    def joint_pointer(self, node: int) -> str:
        """Return the place of a joint in the document."""
        return self.physics.joints[node].pointer

    def name_of(self, node: int) -> str | None:
        """Return the name of a node, None where it has none."""
        return self.tree.names[node]

    def node_pointer(self, node: int) -> str:
        """Return the place of a node, or of the array of nodes for the world."""
        return "/nodes" if node == WORLD else f"/nodes/{node}"

    def lose(self, pointer: str, what: str, reason: str, effect: str) -> None:
        """Record something that the output does not express, or only approximates."""
        self.losses.append(Loss(pointer, what, reason, effect))


def read_source(
    document: Document,
    *,
    scene: int | None,
    gravity: Sequence[float],
    up: UpAxis,
    omi_stiffness: Literal["auto", "literal"],
    animations: Sequence[str] | None = None,
) -> Source:
    """Evaluate a document at its start: animations at time 0, constraints solved.

    `animations` names those to be applied; None means all, an empty list none.
    """
    stage = Animator(document, animations=animations)
    tree, pose = stage.tree, stage.start()
    members = scene_members(document, tree, scene)
    physics = read_physics(document, omi_stiffness=omi_stiffness)
    built = build_scene(
        document,
        physics,
        tree=tree,
        pose=pose,
        animated=stage.animated,
        weights={node: values[0] for node, values in stage.weights(np.zeros(1)).items()},
        members=members,
    )
    document.warn_of((*physics.findings, *built.findings))
    rotation = WORLD_ROTATIONS[up]
    placement = Placement(tree, pose)
    placement.translation = np.asarray(tf.rotate(rotation, placement.translation))
    placement.rotation = np.asarray(tf.multiply(rotation, placement.rotation))
    return Source(
        document=document,
        stage=stage,
        tree=tree,
        pose=pose,
        physics=physics,
        scene=_rotated(built.scene, rotation),
        placement=placement,
        gravity=np.asarray(tf.rotate(rotation, _finite(gravity))),
        members=members,
        moved=stage.changed,
        losses=[],
    )


def _rotated(scene: Scene, rotation: Floats) -> Scene:
    bodies = (
        dataclasses.replace(
            body,
            pose=placed(Pose(np.zeros(3), rotation), body.pose),
            linear_velocity=np.asarray(tf.rotate(rotation, body.linear_velocity)),
            angular_velocity=np.asarray(tf.rotate(rotation, body.angular_velocity)),
        )
        for body in scene.bodies
    )
    return dataclasses.replace(scene, bodies=tuple(bodies))


def _finite(gravity: Sequence[float]) -> Floats:
    vector = np.asarray(gravity, np.float64)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise ContentError(f"gravity is {gravity}", remedy="give three finite numbers")
    return vector
