"""What is written: the scene that a document means at its start, turned to the axis that is up."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.convert.losses import Loss
from ligament.errors import ContentError
from ligament.extensions.declarations import Physics
from ligament.extensions.physics import read_physics
from ligament.gltf.animation import Pose as TreePose
from ligament.gltf.document import Document
from ligament.gltf.tree import NodeTree, scene_members
from ligament.physics.placement import Placement
from ligament.physics.scene import Body, Pose, Scene
from ligament.physics.scene_builder import WORLD, build_scene
from ligament.rig.animator import Animator

UpAxis: TypeAlias = Literal["z", "y"]

GRAVITY: Final = (0.0, -9.81, 0.0)
"""Gravity [m/s²] by default, Y up as in the document."""

TURNS: Final = {
    "y": np.array([0.0, 0.0, 0.0, 1.0]),
    "z": np.array([math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)]),
}
"""The rotation of the world that makes an axis the one that is up: a quarter turn takes Y to Z."""


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Source:
    """A document at time 0; `scene` and `placement` are turned, so that `up` is up in the world.

    `members` are the nodes that take part, `moved` those that an animation or a constraint moves.
    `pose` holds the local transforms (N, …) of all nodes.
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

    def node_pointer(self, node: int) -> str:
        """Return the place of a node, or of all of them for the world."""
        return "/nodes" if node == WORLD else f"/nodes/{node}"

    def lose(self, pointer: str, what: str, reason: str, effect: str) -> None:
        """Note something that the file to be written does not say, or says only nearly."""
        self.losses.append(Loss(pointer, what, reason, effect))


def read_source(
    document: Document,
    *,
    scene: int | None,
    gravity: tuple[float, float, float],
    up: UpAxis,
    omi_stiffness: Literal["auto", "literal"],
    animations: Sequence[str] | None = None,
) -> Source:
    """Work out the start of a document: animations at time 0, constraints solved.

    `animations` are the names of those that count; None is all, an empty list none.
    """
    stage = Animator(document, animations=animations)
    tree, moved, pose = stage.tree, stage.driven, stage.start()
    members = scene_members(document, tree, scene)
    physics = read_physics(document, omi_stiffness=omi_stiffness)
    built = build_scene(document, physics, tree=tree, pose=pose, driven=moved, members=members)
    document.warn_of((*physics.findings, *built.findings))
    turn = TURNS[up]
    placement = Placement(tree, pose)
    placement.translation = np.asarray(tf.rotate(turn, placement.translation))
    placement.rotation = np.asarray(tf.multiply(turn, placement.rotation))
    return Source(
        document=document,
        stage=stage,
        tree=tree,
        pose=pose,
        physics=physics,
        scene=_turned(built.scene, turn),
        placement=placement,
        gravity=np.asarray(tf.rotate(turn, _finite(gravity))),
        members=members,
        moved=moved,
        losses=[],
    )


def placed(frame: Pose, pose: Pose) -> Pose:
    """Return a pose in the space that `frame` lies in, from the pose within `frame`."""
    translation = frame.translation + tf.rotate(frame.rotation, pose.translation)
    return Pose(np.asarray(translation), np.asarray(tf.multiply(frame.rotation, pose.rotation)))


def _turned(scene: Scene, turn: Floats) -> Scene:
    bodies = (
        dataclasses.replace(
            body,
            pose=placed(Pose(np.zeros(3), turn), body.pose),
            linear_velocity=np.asarray(tf.rotate(turn, body.linear_velocity)),
            angular_velocity=np.asarray(tf.rotate(turn, body.angular_velocity)),
        )
        for body in scene.bodies
    )
    return dataclasses.replace(scene, bodies=tuple(bodies))


def _finite(gravity: tuple[float, float, float]) -> Floats:
    vector = np.asarray(gravity, np.float64)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise ContentError(f"a gravity of {gravity}", remedy="give three finite numbers")
    return vector
