"""Neutral pose of a clip: the mean of its frames, for skeletons whose rest pose says nothing.

Joints swing about a neutral rotation, so their mean is nearer to it than any frame. Knees and
elbows bend about one axis only, which shows how the limbs above them are twisted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ligament import transforms as tf
from ligament.arrays import Floats, Ints
from ligament.extensions.humanoid.bones import SIDES
from ligament.gltf.tree import NodeTree
from ligament.rig.humanoid.stance import IDENTITY, degrees, trunk_direction, unit

LEAST_BEND = 0.02
"""Least average bend (a sine) of knees or elbows that determines a limb's twist."""

HINGED = tuple(
    (f"{side}Upper{limb}", f"{side}Lower{limb}", f"{side}{end}")
    for side in SIDES
    for limb, end in (("Leg", "Foot"), ("Arm", "Hand"))
)
"""Upper and lower bone, and the bone at their end, of limbs with hinges."""

ASYMMETRY = 10.0
"""Largest difference between the limbs of both sides in a pose that was modelled [degrees]."""

STEADY = 0.8
"""Least length of the mean up direction of hips for it to be their own."""


class LocalPoses(NamedTuple):
    """Local rotations (F, N, 4) and translations (F, N, 3) of all nodes in some frames."""

    rotation: Floats
    translation: Floats


class Frames(NamedTuple):
    """The frames of a clip: how many, and a function from indices (F,) to poses."""

    total: int
    at: Callable[[Ints], LocalPoses]


def mean_rotation(rotation: Floats) -> Floats:
    """Return the mean (4,) of rotations (F, 4): the one that they deviate from least."""
    _, vectors = np.linalg.eigh(rotation.T @ rotation)
    mean: Floats = vectors[:, -1] * (1.0 if vectors[3, -1] >= 0 else -1.0)
    return mean


def asymmetry(bones: Sequence[str], positions: Floats) -> float:
    """Return the largest angle between a limb and the mirrored one of the other side [degrees]."""
    places = dict(zip(bones, positions, strict=True))
    if not {"leftUpperLeg", "rightUpperLeg"} <= set(places):
        return 0.0
    across = unit(places["leftUpperLeg"] - places["rightUpperLeg"])
    largest = 0.0
    for upper, lower, end in (tuple(b.removeprefix("left") for b in h) for h in HINGED[:2]):
        for first, second in ((upper, lower), (lower, end)):
            if all(f"{side}{bone}" in places for side in SIDES for bone in (first, second)):
                left, right = (places[f"{s}{second}"] - places[f"{s}{first}"] for s in SIDES)
                mirrored = right - 2 * float(right @ across) * across
                largest = max(largest, degrees(left, mirrored))
    return largest


def plain_rotations(tree: NodeTree, bones: Mapping[str, int], up: Floats) -> Floats:
    """Return local rotations (N, 4) of a pose in which no node below the hips is rotated.

    The hips are rotated so that the axis nearest to the trunk is `up` (3,): armatures lie.
    """
    hips = bones["hips"]
    result = np.tile(IDENTITY, (len(tree), 1))
    above = [*tree.ancestors(hips)]
    result[above] = tree.rotation[above]
    places = tree.world_matrices(rotation=result)[:, :3, 3]
    trunk = trunk_direction({bone: places[node] for bone, node in bones.items()})
    if trunk is not None:
        axis = np.zeros(3)
        nearest = int(np.argmax(np.abs(trunk)))
        axis[nearest] = np.sign(trunk[nearest])
        world = tree.world_orientations(result)[hips]
        turn = tf.multiply(tf.between(axis, up), world)
        result[hips] = tf.multiply(tf.conjugate(world), turn)
    return result


def neutral_rotations(tree: NodeTree, hips: int, rotation: Floats, up: Floats) -> Floats:
    """Return local rotations (N, 4): the mean of frames below the hips, the hips upright.

    `rotation` (F, N, 4) are local; `up` (3,) is the direction in the world that the up direction
    of the hips has in the mean. Nodes above the hips are at rest.
    """
    above = {hips, *tree.ancestors(hips)}
    result = tree.rotation.copy()
    for node in range(len(tree)):
        if node not in above:
            result[node] = mean_rotation(rotation[:, node])
    turned = tree.world_orientations(rotation)[:, hips]
    own = tf.rotate(tf.conjugate(turned), up).mean(axis=0)
    if np.linalg.norm(own) > STEADY:
        world = tree.world_orientations()[hips]
        stood = tf.multiply(tf.between(tf.rotate(world, own), up), world)
        outer = tf.multiply(world, tf.conjugate(tree.rotation[hips]))
        result[hips] = tf.multiply(tf.conjugate(outer), stood)
    return result


def hinge_axes(
    tree: NodeTree, nodes: Mapping[str, int], local: Floats, rotation: Floats
) -> dict[str, Floats]:
    """Return the axes (3,) about which knees and elbows bend, in the pose `local` (N, 4).

    `rotation` (F, N, 4) are the local rotations of the frames.
    """
    world, places = tree.world_orientations(local), tree.world_matrices(rotation=local)[:, :3, 3]
    axes = {}
    for upper, lower, end in HINGED:
        if not {upper, lower, end} <= set(nodes):
            continue
        at, hinge = places[nodes[lower]], nodes[lower]
        along = tf.rotate(tf.conjugate(world[hinge]), unit(places[nodes[end]] - at))
        outer = tf.multiply(world[hinge], tf.conjugate(local[hinge]))
        below = tf.rotate(tf.multiply(outer, rotation[:, hinge]), along)
        axis = np.cross(unit(at - places[nodes[upper]]), below).mean(axis=0)
        if np.linalg.norm(axis) > LEAST_BEND:
            axes[upper] = axis
    return axes
