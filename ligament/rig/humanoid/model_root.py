"""Model root: the axes in which a declared humanoid stands in its T-pose.

Normalised rotations are relative to the model's root, the parent of the hips. Files do not say
which node that is. Usually it is the scene, whose axes those of a T-pose are; but a node above the
hips may turn or mirror the whole model, and then the T-pose is one in the axes of that node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats
from ligament.extensions.humanoid.bones import SIDES
from ligament.gltf.tree import NodeTree
from ligament.rig.humanoid.stance import (
    IDENTITY,
    LEFT,
    UP,
    frame_rotation,
    leftwards,
    legs_direction,
    trunk_direction,
    unit,
)

BACK = np.array([0.0, 1.0, 0.0, 0.0])
"""Heading of a model that faces -Z, as in VRM 0.x."""

DEVIATION_MIN = 0.01
"""Angle [degrees] by which a node must explain a rest pose better than the scene does."""


class ModelRoot(NamedTuple):
    """The frame of a model: its `node`, -1 for the scene, and the `rotation` (4,) of its axes.

    `from_scene` (4, 4) takes positions there, in metres of the scene and with the node where it is;
    it reflects if the node does. `deviation` [degrees] is that of the body from facing the front
    upright.
    """

    node: int
    rotation: Floats
    from_scene: Floats
    deviation: float


SCENE = ModelRoot(-1, IDENTITY, np.eye(4), 0.0)


def find_model_root(tree: NodeTree, bones: Mapping[str, int], *, faces_back: bool) -> ModelRoot:
    """Return the node above the hips, or the scene, in whose axes a body stands best.

    Of equal ones the scene comes first, then the topmost node.
    """
    world: Floats = tree.world_matrices()
    nodes = list(tree.ancestors(next(iter(bones.values()))))[::-1]
    rotations, signs = _axes(tree, world, nodes)
    places = {bone: world[node, :3, 3] for bone, node in bones.items()}
    sees_feet, front = bool((signs < 0).any()), BACK if faces_back else IDENTITY
    turns = np.full(len(signs), 180.0)
    for sign in (1.0, -1.0):
        heading = _heading({bone: sign * place for bone, place in places.items()}, sees_feet)
        if heading is not None:
            here = signs == sign
            body = tf.multiply(tf.conjugate(rotations[here]), heading)
            turns[here] = np.degrees(tf.angle_between(body, front))
        elif _heading(places, False) is None:
            return SCENE  # a partial body shows no heading
    best = int(np.flatnonzero(turns <= turns.min() + DEVIATION_MIN)[0])
    if not best:
        return SCENE._replace(deviation=float(turns[0]))
    from_scene, place = np.eye(4), world[nodes[best - 1], :3, 3]
    from_scene[:3, :3] = signs[best] * tf.to_matrix(rotations[best]).T
    from_scene[:3, 3] = place - from_scene[:3, :3] @ place
    return ModelRoot(nodes[best - 1], rotations[best], from_scene, float(turns[best]))


def _axes(tree: NodeTree, world: Floats, nodes: Sequence[int]) -> tuple[Floats, Floats]:
    """Return the rotations (1 + A, 4) of the axes of the scene and of nodes, and -1 if mirrored."""
    rotations: Floats = tree.world_orientations()[nodes]
    if tree.flips is not None:
        rotations = tf.multiply(rotations, tree.flips[nodes])
    signs = np.where(tf.determinant(world[nodes, :3, :3]) < 0, -1.0, 1.0)
    return np.concatenate([IDENTITY[None], rotations]), np.append(1.0, signs)


def _heading(places: Mapping[str, Floats], sees_feet: bool) -> Floats | None:
    """Return the rotation (4,) to a body from one that stands upright and faces +Z.

    It is that of its left side, and unknown of a partial body. If `sees_feet`, the feet must point
    to the front, as they do not in a mirrored body.
    """
    trunk, legs = trunk_direction(places), legs_direction(places)
    left = leftwards(places, ("UpperLeg", "UpperArm"))
    if trunk is None or left is None:
        return None
    up = unit(trunk) + (0.0 if legs is None else legs)
    if not np.linalg.norm(np.cross(up, left)) > 0:
        return None
    heading = frame_rotation((UP, LEFT), (up, left - up * float(left @ up) / float(up @ up)))
    feet = [
        unit(places[f"{side}Toes"] - places[f"{side}Foot"])
        for side in (SIDES if sees_feet else ())
        if f"{side}Toes" in places and f"{side}Foot" in places
    ]
    points_back = feet and tf.rotate(tf.conjugate(heading), np.sum(feet, axis=0))[2] < 0
    return None if points_back else heading
